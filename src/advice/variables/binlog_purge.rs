//! How long binary logs are kept.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, DAY};
use super::say::{When, count, say};

rule! {
    /// Binary logs are never removed.
    ///
    /// **Costs.** They fill the disk, and the server stops.
    /// **Wrong when.** A job outside removes them once they are saved.
    /// **Verify.** SHOW BINARY LOGS.
    /// **Source.** MySQL manual, binlog_expire_logs_seconds (30 days by default in 8.0),
    /// expire_logs_days before and in MariaDB.
    Variables "VAR033" "binlog-never-purged"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const WEEK: u64 = 7;
    if case.flag("log_bin") != Some(true) || case.provider.is_some() {
        return None;
    }
    let days = case.micros("expire_logs_days");
    let seconds = case.number("binlog_expire_logs_seconds");
    let is_kept = days.is_none_or(|it| it == 0) && seconds.is_none_or(|it| it == 0);
    let is_told = days.is_some() || seconds.is_some();
    // Percona Server and MariaDB can bound their size instead.
    let is_bounded = ["binlog_space_limit", "max_binlog_total_size"]
        .iter()
        .any(|name| case.number(name).is_some_and(|most| most > 0));
    let is_purged = case.flag("binlog_expire_logs_auto_purge") == Some(false);
    if !is_kept || !is_told || is_bounded || is_purged {
        return None;
    }
    let (name, to) = match seconds {
        Some(_) => ("binlog_expire_logs_seconds", WEEK * DAY),
        None => ("expire_logs_days", WEEK),
    };
    Some(
        say(case, &RULE, Severity::Medium, Confidence::Medium, "binary logs are kept for ever")
            .about(name)
            .text("log_bin", case.text("log_bin").unwrap_or_default())
            .advise(format!(
                "Keep what replicas and a restore to a point in time need: {WEEK} days = {to}, or more if a backup is older. \
                 The first removal comes with the next new log; see that no replica lags behind it. If a job removes them, leave it."
            ))
            .set(name, count(to), When::Now)
            .verify("SHOW BINARY LOGS after the next FLUSH BINARY LOGS.")
            .end(),
    )
}
