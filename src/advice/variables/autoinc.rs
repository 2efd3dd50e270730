//! How auto-increment values are given out.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, count, say};

rule! {
    /// Bulk inserts hold the lock for auto-increment values to their end.
    ///
    /// **Costs.** Other inserts into the table wait, and bulk inserts deadlock with each other.
    /// **Wrong when.** The binary log has statements (STATEMENT or MIXED): replicas would give
    /// other values. The application needs values without gaps.
    /// **Verify.** Deadlocks and AUTO-INC waits in SHOW ENGINE INNODB STATUS.
    /// **Source.** MySQL manual, AUTO_INCREMENT handling in InnoDB: 2 by default in MySQL 8.0, 1
    /// in MariaDB.
    Variables "VAR022" "autoinc-lock-mode"
}

const NAME: &str = "innodb_autoinc_lock_mode";

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let mode = case.number(NAME).filter(|mode| *mode < 2)?;
    let sign = case.sign(RULE.code);
    if mode == 1 && sign.is_none() {
        return None;
    }
    // Statements would give other values on a replica.
    let is_off = case.flag("log_bin") == Some(false);
    let is_row = case.text("binlog_format").is_some_and(|it| it.eq_ignore_ascii_case("ROW"));
    if !is_off && !is_row {
        return None;
    }
    let title = match sign {
        Some(_) => format!("sessions wait for auto-increment values: the lock mode is {mode}"),
        None => "each insert locks the table for its auto-increment values: the lock mode is 0"
            .to_owned(),
    };
    let mut said = say(case, &RULE, Severity::Medium, Confidence::Medium, title).about(NAME);
    for name in ["log_bin", "binlog_format"] {
        if let Some(text) = case.text(name) {
            said = said.text(name, text);
        }
    }
    if let Some(sign) = sign {
        said = said.text("symptom", sign.text);
    }
    Some(
        said.advise(
            "With 2 no insert holds the lock beyond taking its values. Values of one bulk insert may have gaps, \
             and the binary log must stay off or of format ROW.",
        )
        .set(NAME, count(2), When::Restart)
        .verify("SHOW ENGINE INNODB STATUS: no AUTO-INC waits, fewer deadlocks.")
        .end(),
    )
}
