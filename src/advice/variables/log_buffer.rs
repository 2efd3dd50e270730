//! The buffer before the redo log.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size, up_to};

rule! {
    /// Transactions wait for room in the log buffer.
    ///
    /// **Costs.** A large transaction writes the log before it commits, and others wait.
    /// **Wrong when.** The disk of the log is what is slow.
    /// **Verify.** Innodb_log_waits a second.
    /// **Source.** MySQL manual, innodb_log_buffer_size: 64 MiB by default in MySQL 9.7, 16 MiB
    /// in MariaDB.
    Variables "VAR015" "log-buffer-small"
}

const MIB: u64 = 1_024 * 1_024;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let buffer = case.number("innodb_log_buffer_size")?;
    let rates = case.rates()?;
    let waits = rates.grown("innodb_log_waits")?;
    if waits.saturating_mul(10) <= rates.seconds() {
        return None;
    }
    let title = format!("{} waits for the log buffer a second", rates.a_second(waits));
    let said = say(case, &RULE, Severity::Medium, Confidence::High, title)
        .about("innodb_log_buffer_size")
        .seen("innodb_log_waits", waits)
        .over(&rates);
    let said =
        if buffer < 64 * MIB {
            let to = up_to(buffer.saturating_mul(2), MIB).clamp(16 * MIB, 64 * MIB);
            said.advise(format!("Twice {}, between 16 and 64 MiB, is {}.", size(buffer), size(to)))
                .set("innodb_log_buffer_size", bytes(to), When::now_if(case.is_mysql_from(8, 0, 0)))
        } else {
            said.advise(format!(
                "{} are ample: look for very large transactions, and at the disk of the log.",
                size(buffer)
            ))
        };
    Some(said.verify("Innodb_log_waits stands still.").end())
}
