//! The limit of a statement's time: its unit, and whether there is one.

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Finding, Severity};
use crate::sql::fingerprint::ClassId;
use crate::sql::glance::{Verb, statement};
use crate::sql::token::{Kind, tokens};

use super::case::{Case, DAY, HOUR};
use super::say::{When, count, say};

rule! {
    /// The limit of a statement's time is in another unit than its value suggests, or there is
    /// none and statements run for minutes.
    ///
    /// **Costs.** A limit in milliseconds read as seconds never acts; one in seconds read as
    /// milliseconds stops every statement. Without one a statement that nobody waits for any more
    /// runs on.
    /// **Wrong when.** The value was meant so: a limit of an hour in MariaDB is 3600. The long
    /// statements are batches or replication: these need their time.
    /// **Verify.** SELECT SLEEP(…) a little below and above the limit.
    /// **Source.** MySQL manual, max_execution_time: milliseconds, SELECT only, since 5.7.8
    /// (max_statement_time before, and at providers of 5.6): errors 3024 and 3006. MariaDB,
    /// max_statement_time: seconds, all statements, error 1969.
    Variables "VAR025" "statement-time-unit"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    unit(case).or_else(|| no_limit(case))
}

/// The variable of this server.
fn limit_of(case: &Case<'_>) -> Option<&'static str> {
    match () {
        () if case.is_mariadb() || case.is_mysql_before(5, 7, 8) => Some("max_statement_time"),
        () if case.is_mysql_from(5, 7, 8) => Some("max_execution_time"),
        () => None,
    }
}

/// Statements that ran for a minute or more where nothing ends them.
fn no_limit(case: &Case<'_>) -> Option<Finding> {
    /// Nobody waits at a screen for longer.
    const LONG: u64 = 60_000_000;
    let name = limit_of(case).filter(|name| case.micros(name) == Some(0) && case.has_log())?;
    // MySQL ends a SELECT only. Dumps are meant to take long.
    let is_ended = |class: &&Class<'_>| {
        let sample = class.sample();
        let is_ended = case.is_mariadb() || statement(sample).verb == Verb::Select;
        is_ended && !is_dump(sample)
    };
    let long = case.workload.classes.iter().filter(is_ended).filter_map(|class| {
        class.load.longest_micros.filter(|micros| *micros >= LONG).map(|micros| (class.id, micros))
    });
    let long: Vec<(ClassId, u64)> = long.collect();
    let most = long.iter().map(|(_, micros)| *micros).max()?;
    let title = format!(
        "{} of statements {} for a minute or more, up to {} s, and nothing ends one",
        if long.len() == 1 { "1 class".to_owned() } else { format!("{} classes", long.len()) },
        if long.len() == 1 { "runs" } else { "run" },
        most / 1_000_000
    );
    let how = if case.is_mariadb() {
        "ALTER USER app WITH MAX_STATEMENT_TIME 60, in seconds; a global value would end backups and ALTER TABLE as well."
    } else {
        "60000, in milliseconds, in the sessions of the application or as a hint: SELECT /*+ MAX_EXECUTION_TIME(60000) */ …; \
         a global value would end reports and dumps as well."
    };
    let mut finding = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about(name)
        .seen("longest_seconds", most / 1_000_000)
        .advise(format!(
            "Mend these statements first. Then set a limit for users who wait at a screen, not for batches and replicas: {how}"
        ))
        .verify("SELECT SLEEP() a little below and above the limit.")
        .end();
    finding.queries = long.into_iter().map(|(id, _)| id).collect();
    Some(finding)
}

/// Whether a statement reads a table past the query cache, as mysqldump writes it: `SELECT /*!40001
/// SQL_NO_CACHE */ * FROM t`.
fn is_dump(sample: &str) -> bool {
    /// SELECT takes few options before its columns.
    const FIRST: usize = 16;
    let text = sample.as_bytes();
    let mut first = tokens(text).take(FIRST).filter(|token| token.kind == Kind::Word);
    first.any(|token| token.of(text).eq_ignore_ascii_case(b"SQL_NO_CACHE"))
}

fn unit(case: &Case<'_>) -> Option<Finding> {
    let (name, to, told, text) = if case.is_mariadb() {
        let micros = case.micros("max_statement_time").filter(|micros| *micros >= 1_000_000_000)?;
        let seconds = micros / 1_000_000;
        // 3600 and 86400 are hours in seconds; no round number of milliseconds looks like them.
        if seconds <= DAY && seconds.is_multiple_of(HOUR) && !seconds.is_multiple_of(1_000) {
            return None;
        }
        let to = seconds.div_ceil(1_000);
        (
            "max_statement_time",
            to,
            format!("{seconds} s"),
            "MariaDB takes seconds, MySQL milliseconds",
        )
    } else {
        let name = limit_of(case)?;
        let millis = case.number(name).filter(|millis| (1..100).contains(millis))?;
        (
            name,
            millis.saturating_mul(1_000),
            format!("{millis} ms"),
            "MySQL takes milliseconds, MariaDB seconds",
        )
    };
    let title = format!("the limit of a statement is {told}: the unit is likely wrong");
    Some(
        say(case, &RULE, Severity::High, Confidence::Medium, title)
            .about(name)
            .text("unit", text)
            .advise(format!("{text}. If the other unit was meant, the value is {to}; if {told} were meant, leave it."))
            .set(name, count(to), When::Now)
            .verify("SELECT SLEEP() a little below and above the limit.")
            .end(),
    )
}
