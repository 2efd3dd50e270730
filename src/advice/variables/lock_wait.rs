//! How long a statement waits for a row.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, count, say};

rule! {
    /// Statements wait long for rows that others hold.
    ///
    /// **Costs.** Sessions pile up behind one transaction until connections run out.
    /// **Wrong when.** A batch may wait for as long as it takes: set it in its session.
    /// **Verify.** Innodb_row_lock_time a second.
    /// **Source.** MySQL manual, innodb_lock_wait_timeout: 50 s by default.
    Variables "VAR037" "lock-wait-timeout-long"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const TO: u64 = 50;
    let timeout = case.number("innodb_lock_wait_timeout").filter(|timeout| *timeout > 100)?;
    let rates = case.rates()?;
    let millis = rates.grown("innodb_row_lock_time")?;
    // 50 ms a second: one session waits a twentieth of the time.
    if millis < rates.seconds().saturating_mul(50) {
        return None;
    }
    let title = format!(
        "{} ms a second are spent waiting for rows, and each wait may last {timeout} s",
        rates.a_second(millis)
    );
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("innodb_lock_wait_timeout")
            .seen("innodb_row_lock_time_ms", millis)
            .over(&rates)
            .advise(format!("The default of {TO} s frees sessions sooner. What helps is shorter transactions that take rows in one order."))
            .set("innodb_lock_wait_timeout", count(TO), When::Now)
            .verify("Innodb_row_lock_time a second; errors 1205 in the application.")
            .end(),
    )
}
