//! What a crash may lose.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::say;

rule! {
    /// A crash may lose transactions that were committed.
    ///
    /// **Costs.** Nothing until a crash: then up to a second of commits, or what the binary log
    /// had not yet on disk.
    /// **Wrong when.** It was chosen: on a replica that can be made anew, in Galera, for a load
    /// of data.
    /// **Verify.** Nothing to measure; that those who own the data know of it.
    /// **Source.** MySQL manual, innodb_flush_log_at_trx_commit, sync_binlog. sync_binlog was 0
    /// by default before 5.7.7, and is so in MariaDB.
    Variables "VAR016" "durability-relaxed"
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    [flush(case), binlog(case)].into_iter().flatten().collect()
}

/// Galera keeps commits on other nodes.
fn is_galera(case: &Case<'_>) -> bool {
    case.flag("wsrep_on") == Some(true)
        && case
            .text("wsrep_provider")
            .is_some_and(|it| !it.eq_ignore_ascii_case("none") && !it.is_empty())
}

fn severity(case: &Case<'_>, severity: Severity) -> Severity {
    let is_replica =
        case.flag("read_only") == Some(true) || case.flag("super_read_only") == Some(true);
    if is_replica { Severity::Low } else { severity }
}

fn flush(case: &Case<'_>) -> Option<Finding> {
    let value = case.number("innodb_flush_log_at_trx_commit").filter(|value| *value != 1)?;
    if is_galera(case) {
        return None;
    }
    let (severity_of, lost) = match value {
        0 => {
            (Severity::High, "a crash of the server or of the host loses up to a second of commits")
        }
        2 => (
            Severity::Medium,
            "a crash of the host or a loss of power loses up to a second of commits; a crash of the server alone loses none",
        ),
        _ => (Severity::Medium, "the log is not written and flushed at each commit"),
    };
    let title = format!("innodb_flush_log_at_trx_commit is {value}: commits are not safe on disk");
    Some(
        say(case, &RULE, severity(case, severity_of), Confidence::High, title)
            .about("innodb_flush_log_at_trx_commit")
            .text("risk", lost)
            .advise(format!(
                "With {value}, {lost}. Keep it only where that is accepted (a replica, data that can be loaded \
                 again); else set innodb_flush_log_at_trx_commit to 1, which costs one flush for each group of commits."
            ))
            .verify("Innodb_os_log_fsyncs a second and the time of COMMIT after the change.")
            .end(),
    )
}

fn binlog(case: &Case<'_>) -> Option<Finding> {
    let value = case.number("sync_binlog").filter(|value| *value != 1)?;
    if case.flag("log_bin") != Some(true) || is_galera(case) {
        return None;
    }
    let lost = match value {
        0 => "a crash of the host loses what the system had not yet written of the binary log"
            .to_owned(),
        many => {
            format!("a crash of the host loses up to {many} groups of commits of the binary log")
        }
    };
    let title = format!("sync_binlog is {value}: replicas may miss what the source has kept");
    Some(
        say(case, &RULE, severity(case, Severity::Medium), Confidence::High, title)
            .about("sync_binlog")
            .text("log_bin", case.text("log_bin").unwrap_or_default())
            .text("risk", lost.as_str())
            .advise(format!(
                "With {value}, {lost}: replicas and a restore to a point in time then lack commits that \
                 InnoDB has. Keep it only where that is accepted; else set sync_binlog to 1, which costs one flush for each group of commits."
            ))
            .verify("Time of COMMIT after the change; Binlog_group_commits where the server counts them.")
            .end(),
    )
}
