//! What the slow log leaves out.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, count, say, word};

rule! {
    /// Settings of the slow log leave statements out.
    ///
    /// **Costs.** A digest shows a part of the load and looks like the whole.
    /// **Wrong when.** The log is for alarms only.
    /// **Verify.** WORK001 on the next log: its events against Questions.
    /// **Source.** MySQL manual, slow query log; MariaDB, log_slow_filter; Percona,
    /// log_slow_rate_limit.
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

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let flag = |names: &[&str]| names.iter().find_map(|name| case.flag(name));
    if flag(&["slow_query_log", "log_slow_query", "log_slow_queries"]) != Some(true) {
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
    let mut found = Vec::new();
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
    if let Some(filter) = case.text("log_slow_filter").filter(|it| !it.trim().is_empty()) {
        let parts: Vec<String> =
            filter.split(',').map(|it| it.trim().to_ascii_lowercase()).collect();
        if !KINDS.iter().all(|kind| parts.iter().any(|part| part == kind)) {
            let what = "only statements of some kinds are logged".to_owned();
            found.push(tell(
                "log_slow_filter",
                what,
                "Other statements are left out whatever their time.",
                word(""),
            ));
        }
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
