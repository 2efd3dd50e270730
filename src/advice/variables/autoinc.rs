//! How auto-increment values are given out.

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Finding, Severity};
use crate::plan::Amount;
use crate::sql::fingerprint::{ClassId, fingerprint};
use crate::sql::glance::{Verb, statement};
use crate::sql::token::tokens;

use super::case::{Case, is_percent, percent};
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

/// Statements that take a value for each of their rows, and how much of the time they are.
struct Bulk {
    classes: Vec<ClassId>,
    calls: u64,
    share: Amount,
}

/// Bulk inserts of a log, where they are at least a twentieth of its time.
fn bulk(case: &Case<'_>) -> Option<Bulk> {
    if !case.has_log() {
        return None;
    }
    let all: u64 = case.workload.classes.iter().filter_map(|class| class.micros).sum();
    let found: Vec<&Class<'_>> =
        case.workload.classes.iter().filter(|class| is_bulk(class.sample())).collect();
    let micros: u64 = found.iter().filter_map(|class| class.micros).sum();
    is_percent(micros, all, 5).then(|| Bulk {
        classes: found.iter().map(|class| class.id).collect(),
        calls: found.iter().map(|class| class.calls).sum(),
        share: percent(micros, all),
    })
}

/// Whether a statement is INSERT … SELECT, REPLACE … SELECT or LOAD DATA.
fn is_bulk(text: &str) -> bool {
    if !matches!(statement(text).verb, Verb::Insert | Verb::Replace) {
        let mut first = tokens(text.as_bytes()).map(|token| token.of(text.as_bytes()));
        let mut is_next =
            |word: &[u8]| first.next().is_some_and(|it| it.eq_ignore_ascii_case(word));
        return is_next(b"LOAD") && is_next(b"DATA");
    }
    // The fingerprint has no literals that could hold the word.
    let text = fingerprint(text.as_bytes());
    memchr::memmem::find(&text, b" select ").is_some()
        && memchr::memmem::find(&text, b" values").is_none()
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let mode = case.number(NAME).filter(|mode| *mode < 2)?;
    // A lock on a range may have other causes.
    let sign = case.sign(RULE.code).filter(|it| it.text.to_lowercase().contains("auto-inc"));
    let bulk = bulk(case);
    if mode == 1 && sign.is_none() && bulk.is_none() {
        return None;
    }
    // Statements would give other values on a replica.
    let is_off = case.flag("log_bin") == Some(false);
    let is_row = case.text("binlog_format").is_some_and(|it| it.eq_ignore_ascii_case("ROW"));
    if !is_off && !is_row {
        return None;
    }
    let title = match (sign, &bulk) {
        (Some(_), _) => format!("sessions wait for auto-increment values: the lock mode is {mode}"),
        (None, Some(bulk)) => format!(
            "bulk inserts, {} % of the time, lock the tables that they fill: the lock mode is {mode}",
            bulk.share
        ),
        (None, None) => {
            "each insert locks the table for its auto-increment values: the lock mode is 0"
                .to_owned()
        }
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
    if let Some(bulk) = &bulk {
        said = said.seen("bulk_inserts", bulk.calls).amount("bulk_percent_of_time", bulk.share);
    }
    let mut finding = said
        .advise(
            "With 2 no insert holds the lock beyond taking its values. Values of one bulk insert may have gaps, \
             and the binary log must stay off or of format ROW.",
        )
        .set(NAME, count(2), When::Restart)
        .verify("SHOW ENGINE INNODB STATUS: no AUTO-INC waits, fewer deadlocks.")
        .end();
    finding.queries = bulk.map_or(Vec::new(), |bulk| bulk.classes);
    Some(finding)
}
