//! The limit of a statement's time.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, DAY, HOUR};
use super::say::{When, count, say};

rule! {
    /// The limit of a statement's time is in another unit than its value suggests.
    ///
    /// **Costs.** A limit in milliseconds read as seconds never acts; one in seconds read as
    /// milliseconds stops every statement.
    /// **Wrong when.** The value was meant so: a limit of an hour in MariaDB is 3600.
    /// **Verify.** SELECT SLEEP(…) a little below and above the limit.
    /// **Source.** MySQL manual, max_execution_time: milliseconds, SELECT only, since 5.7.8.
    /// MariaDB, max_statement_time: seconds, all statements.
    Variables "VAR025" "statement-time-unit"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
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
        let name = match () {
            () if case.is_mysql_from(5, 7, 8) => "max_execution_time",
            () if case.is_mysql_from(5, 6, 0) => "max_statement_time",
            () => return None,
        };
        let millis = case.number(name).filter(|millis| (1..100).contains(millis))?;
        (name, millis * 1_000, format!("{millis} ms"), "MySQL takes milliseconds, MariaDB seconds")
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
