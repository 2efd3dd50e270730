//! The redo log.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, bytes, say, size, up_to};

rule! {
    /// The redo log holds less than an hour of writes.
    ///
    /// **Costs.** Pages must be written back before the log comes round: writes stall, and a page
    /// changed often is written often.
    /// **Wrong when.** A single load made most of the redo. The size follows what is written, not
    /// the buffer pool.
    /// **Verify.** Innodb_os_log_written an hour against the capacity; writes no longer stall.
    /// **Source.** MySQL manual, redo log. innodb_redo_log_capacity since 8.0.30, where
    /// innodb_log_file_size is ignored; one file in MariaDB since 10.5.
    Variables "VAR014" "redo-log-small"
}

const MIB: u64 = 1_024 * 1_024;
const GIB: u64 = 1_024 * MIB;
/// More than this takes long to recover.
const MOST: u64 = 16 * GIB;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let capacity = super::facts::redo_capacity(case).filter(|capacity| *capacity > 0)?;
    if case.flag("innodb_dedicated_server") == Some(true) {
        return None;
    }
    let rates = case.rates()?;
    let written = rates.grown("innodb_os_log_written")?;
    let hour = rates.an_hour(written);
    let is_written = rates.is_per_second("innodb_os_log_written", MIB) && capacity < hour;
    let age = age(case, capacity);
    if !is_written && age.is_none() {
        return None;
    }
    let step = if hour >= GIB { GIB } else { 64 * MIB };
    let to = up_to(hour.max(capacity.saturating_add(1)), step).min(MOST);
    if to <= capacity {
        return None;
    }
    let title = if is_written {
        format!("{} of redo an hour against a log of {}", size(hour), size(capacity))
    } else {
        format!("the redo log of {} is filled to three quarters and more", size(capacity))
    };
    let severity = if hour / 10 > capacity { Severity::High } else { Severity::Medium };
    let (name, files) = match case.is_mysql_from(8, 0, 30) {
        true => ("innodb_redo_log_capacity", 1),
        false => {
            let files = if case.is_mariadb_from(10, 5, 0) {
                1
            } else {
                capacity / case.number("innodb_log_file_size")?.max(1)
            };
            ("innodb_log_file_size", files.max(1))
        }
    };
    // Before 5.6.3, and in MariaDB before 10.0, all files together end at 4 GiB.
    let is_old =
        case.is_mysql_before(5, 6, 3) || case.is_mariadb() && !case.is_mariadb_from(10, 0, 0);
    let to = if is_old { to.min(4 * GIB - MIB) } else { to };
    let each = to / files / MIB * MIB;
    if each.saturating_mul(files) <= capacity {
        return None;
    }
    let is_dynamic = case.is_mysql_from(8, 0, 30) || case.is_mariadb_from(10, 9, 0);
    let mut said = say(case, &RULE, severity, Confidence::High, title)
        .about(name)
        .seen("innodb_os_log_written", written)
        .seen("redo_bytes_per_hour", hour)
        .seen("redo_capacity_bytes", capacity)
        .over(&rates);
    if let Some((age, most)) = age {
        said = said.seen("checkpoint_age_bytes", age).seen("checkpoint_age_most_bytes", most);
    }
    let split =
        if files > 1 { format!(" in {files} files of {}", size(each)) } else { String::new() };
    Some(
        said.advise(format!(
            "{} in {} s are {} an hour; the log of {} comes round {} times an hour. Hold about one \
             hour of it, rounded up, at most {}: {}{split}.",
            size(written),
            rates.seconds(),
            size(hour),
            size(capacity),
            crate::plan::Amount::whole(hour).ratio(crate::plan::Amount::whole(capacity)).unwrap_or_default().rounded(),
            size(MOST),
            size(each.saturating_mul(files)),
        ))
        .set(name, bytes(each), When::now_if(is_dynamic))
        .verify("Innodb_os_log_written an hour stays below the capacity; the checkpoint age stays below three quarters of it.")
        .end(),
    )
}

/// How far the last checkpoint lies behind, and how far it may, where it is three quarters of that.
fn age(case: &Case<'_>, capacity: u64) -> Option<(u64, u64)> {
    let of_mariadb =
        case.count("innodb_checkpoint_age").zip(case.count("innodb_checkpoint_max_age"));
    let of_mysql = || {
        let size =
            case.count("innodb_redo_log_logical_size").filter(|_| case.is_mysql_from(8, 0, 30));
        size.map(|size| (size, capacity))
    };
    of_mariadb.or_else(of_mysql).filter(|(age, most)| is_percent(*age, *most, 75))
}
