//! What the slow log leaves out.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, count, say, word};

rule! {
    /// Settings of the slow log leave statements out.
    ///
    /// **Costs.** A digest shows a part of the load and looks like the whole.
    /// **Wrong when.** The log is for alarms only.
    /// **Verify.** WORK001 on the next log: its events against Questions.
    /// **Source.** MySQL manual, slow query log; MariaDB, log_slow_filter; Percona,
    /// log_slow_rate_limit. A threshold of a second or more counts where Slow_queries are less than
    /// half of Questions and the log has no faster statement; that the log is off, where other
    /// advice sends the reader to it.
    Variables "VAR030" "slow-log-hides-load"
}

/// What MariaDB logs by default: a list with all of these filters nothing.
const KINDS: &[&str] = &[
    "admin",
    "filesort",
    "full_join",
    "full_scan",
    "query_cache",
    "query_cache_miss",
    "tmp_table",
    "tmp_table_on_disk",
];

/// Names of the switch, the newest first.
const SWITCH: [&str; 3] = ["log_slow_query", "slow_query_log", "log_slow_queries"];
/// Names of the threshold, the newest first.
const THRESHOLD: [&str; 2] = ["log_slow_query_time", "long_query_time"];

/// A slow log that is off where other findings want one.
pub fn off(case: &Case<'_>, wanted_by: &[&'static str]) -> Option<Finding> {
    if case.has_log() || wanted_by.is_empty() {
        return None;
    }
    let name = SWITCH.into_iter().find(|name| case.flag(name) == Some(false))?;
    let title = format!(
        "the slow log is off, and would tell which statements {} {} about",
        wanted_by.join(", "),
        if wanted_by.len() == 1 { "is" } else { "are" }
    );
    Some(
        say(case, &RULE, Severity::Info, Confidence::High, title)
            .about(name)
            .advise(format!(
                "Switch it on for ten minutes of the usual load, with {} 0, and give the log to adagio advise: \
                 bytes = statements a second × 300 to 1,000 × seconds. Then set both back.",
                THRESHOLD.into_iter().find(|name| case.text(name).is_some()).unwrap_or("long_query_time")
            ))
            .set(name, word("ON"), When::Now)
            .verify("Entries come in the file that slow_query_log_file names.")
            .end(),
    )
}

/// A threshold that most statements stay below, by the counters and by the log.
fn threshold(case: &Case<'_>) -> Option<Finding> {
    const SECOND: u64 = 1_000_000;
    if !case.has_log() {
        return None;
    }
    let name = THRESHOLD.into_iter().find(|name| case.text(name).is_some())?;
    let micros = case.micros(name).filter(|micros| *micros >= SECOND)?;
    let rates = case.rates().filter(|rates| !rates.is_short())?;
    let (slow, asked) = (rates.grown("slow_queries")?, rates.grown("questions")?);
    // The log was written with another threshold if a class is faster on average.
    let is_faster = case
        .workload
        .classes
        .iter()
        .any(|class| class.micros.is_some_and(|own| own < micros.saturating_mul(class.calls)));
    if asked == 0 || is_percent(slow, asked, 50) || is_faster {
        return None;
    }
    let title = format!(
        "{slow} of {asked} statements took the {} s that bring one into the log",
        micros / SECOND
    );
    Some(
        say(case, &RULE, Severity::Medium, Confidence::High, title)
            .about(name)
            .seen("slow_queries", slow)
            .seen("questions", asked)
            .over(&rates)
            .advise(
                "Many fast statements may be most of the load. Log all of a bounded stretch, ten minutes say, and set it back: \
                 bytes = statements a second × 300 to 1,000 × seconds. Sessions that are there keep their value.",
            )
            .set(name, count(0), When::Now)
            .verify("The events of the next log against Questions of the same stretch.")
            .end(),
    )
}

/// Whether `log_slow_filter` keeps statements of some kinds only.
pub fn keeps_some_kinds(filter: &str) -> bool {
    let parts: Vec<String> = filter.split(',').map(|it| it.trim().to_ascii_lowercase()).collect();
    let is_empty = parts.iter().all(String::is_empty);
    !is_empty && !KINDS.iter().all(|kind| parts.iter().any(|part| part == kind))
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    if SWITCH.into_iter().find_map(|name| case.flag(name)) != Some(true) {
        return Vec::new();
    }
    let severity = if case.has_log() { Severity::Medium } else { Severity::Low };
    let tell = |name: &'static str, what: String, todo: &str, to| {
        say(case, &RULE, severity, Confidence::High, what)
            .about(name)
            .advise(format!("{todo} Log all of a bounded stretch, ten minutes say: bytes = statements a second × 300 to 1,000 × seconds."))
            .set(name, to, When::Now)
            .verify("The events of the next log against Questions of the same stretch.")
            .end()
    };
    let mut found: Vec<Finding> = threshold(case).into_iter().collect();
    for name in ["min_examined_row_limit", "log_slow_min_examined_row_limit"] {
        if let Some(rows) = case.number(name).filter(|rows| *rows > 0) {
            let what = format!("statements that examine fewer than {rows} rows are not logged");
            found.push(tell(name, what, "Many cheap statements are a load as well.", count(0)));
            break;
        }
    }
    if let Some(rate) = case.number("log_slow_rate_limit").filter(|rate| *rate > 1) {
        let what = format!("one in {rate} sessions or statements is logged");
        found.push(tell(
            "log_slow_rate_limit",
            what,
            "Counts of the log are to be taken times the rate.",
            count(1),
        ));
    }
    if case.text("log_slow_filter").is_some_and(keeps_some_kinds) {
        let what = "only statements of some kinds are logged".to_owned();
        found.push(tell(
            "log_slow_filter",
            what,
            "Other statements are left out whatever their time.",
            word(""),
        ));
    }
    let list = case.text("log_slow_disabled_statements").filter(|list| {
        let mut kinds = list.split(',').map(|it| it.trim().to_ascii_lowercase());
        kinds.any(|kind| !kind.is_empty() && kind != "sp")
    });
    if let Some(list) = list {
        let what = format!("statements of these kinds are not logged: {list}");
        found.push(tell(
            "log_slow_disabled_statements",
            what,
            "They cost time as well.",
            word("sp"),
        ));
    }
    let throttle = case.number("log_throttle_queries_not_using_indexes").filter(|it| *it > 0);
    if let Some(most) =
        throttle.filter(|_| case.flag("log_queries_not_using_indexes") == Some(true))
    {
        let what = format!("at most {most} statements without an index are logged a minute");
        found.push(tell(
            "log_throttle_queries_not_using_indexes",
            what,
            "What is beyond is a sum in one line.",
            count(0),
        ));
    }
    found
}
