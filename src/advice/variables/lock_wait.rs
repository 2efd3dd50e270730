//! How long a statement waits for a row.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::fingerprint::ClassId;

use super::case::{Case, is_percent, percent};
use super::say::{When, count, say};

rule! {
    /// Statements wait long for rows that others hold.
    ///
    /// **Costs.** Sessions pile up behind one transaction until connections run out.
    /// **Wrong when.** A batch may wait for as long as it takes: set it in its session.
    /// **Verify.** Innodb_row_lock_time a second.
    /// **Source.** MySQL manual, innodb_lock_wait_timeout: 50 s by default. Waits are a twentieth of
    /// the time of a log that tells them (InnoDB_rec_lock_wait), else 50 ms a second by counters.
    Variables "VAR037" "lock-wait-timeout-long"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let timeout = case.number(NAME).filter(|timeout| *timeout > 100)?;
    match waits(case) {
        Some(waits) => by_log(case, timeout, &waits),
        None => by_counters(case, timeout),
    }
}

const NAME: &str = "innodb_lock_wait_timeout";
const TO: u64 = 50;

/// Waits for rows in a log that tells them.
struct Waits {
    micros: u64,
    of_micros: u64,
    classes: Vec<ClassId>,
}

fn waits(case: &Case<'_>) -> Option<Waits> {
    let classes = || case.workload.classes.iter().filter(|_| case.has_log());
    let told = || classes().filter_map(|class| Some((class.id, class.load.row_lock_micros?)));
    told().next()?;
    Some(Waits {
        micros: told().fold(0, |sum, (_, micros)| sum.saturating_add(micros)),
        of_micros: classes()
            .filter_map(|class| class.micros)
            .fold(0, |sum, micros| sum.saturating_add(micros)),
        classes: told().filter(|(_, micros)| *micros > 0).map(|(id, _)| id).collect(),
    })
}

fn by_log(case: &Case<'_>, timeout: u64, waits: &Waits) -> Option<Finding> {
    if !is_percent(waits.micros, waits.of_micros, 5) {
        return None;
    }
    let share = percent(waits.micros, waits.of_micros);
    let title = format!(
        "{share} % of the time of the log are waits for rows, and each may last {timeout} s"
    );
    let mut finding = say(case, &RULE, Severity::Low, Confidence::High, title)
        .about(NAME)
        .seen("rec_lock_wait_seconds", waits.micros / 1_000_000)
        .amount("rec_lock_wait_percent", share)
        .advise(ADVICE)
        .set(NAME, count(TO), When::Now)
        .verify("InnoDB_rec_lock_wait of the next log; errors 1205 in the application.")
        .end();
    finding.queries.clone_from(&waits.classes);
    Some(finding)
}

const ADVICE: &str = "The default of 50 s frees sessions sooner. What helps is shorter transactions that take rows in one order.";

fn by_counters(case: &Case<'_>, timeout: u64) -> Option<Finding> {
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
            .about(NAME)
            .seen("innodb_row_lock_time_ms", millis)
            .over(&rates)
            .advise(ADVICE)
            .set(NAME, count(TO), When::Now)
            .verify("Innodb_row_lock_time a second; errors 1205 in the application.")
            .end(),
    )
}
