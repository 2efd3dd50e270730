//! How many statements run at once.

use crate::advice::rule::rule;
use crate::advice::workload::{self, at_once::AtOnce};
use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;

use super::case::{Case, hundredths, is_percent};
use super::say::say;

rule! {
    /// Far more statements run at once than there are cores, again and again.
    ///
    /// **Costs.** They hinder each other: throughput falls as load rises.
    /// **Wrong when.** They wait for locks, not for processors.
    /// **Verify.** Threads_running over time.
    /// **Source.** MariaDB, thread pool; providers have a mark of their own
    /// (rds_threads_running_high_watermark).
    Variables "VAR035" "too-many-run-at-once"
}

/// Samples of Threads_running below which there is nothing to say.
pub const SAMPLES: usize = 10;
/// Statements for each core that are far too many.
const FOR_EACH_CORE: u64 = 4;
/// Percent of the samples that are so.
const LEAST_PERCENT: u64 = 10;
const NAME: &str = "innodb_thread_concurrency";

/// Samples tell how many run now and then; the log, that they do so the whole time.
pub fn read(case: &Case<'_>) -> Option<Finding> {
    let running = &case.facts.running;
    let cores = case.facts.machine.cores.filter(|cores| *cores > 0)?;
    let most = cores.saturating_mul(FOR_EACH_CORE);
    let over = running.iter().filter(|count| **count >= most).count() as u64;
    if running.len() < SAMPLES || !is_percent(over, running.len() as u64, LEAST_PERCENT) {
        return None;
    }
    let load = workload::Case::of(case.workload, case.facts, case.schema)?;
    let at_once = AtOnce::of(&load)?;
    if at_once.statements < Amount::whole(most) || at_once.is_locked() {
        return None;
    }
    let greatest = running.iter().copied().max()?;
    let title = format!(
        "in {over} of {} samples {most} statements or more run at once on {cores} cores, at most {greatest}",
        running.len()
    );
    let has_variable = case.version.is_some() && !case.is_mariadb_from(10, 6, 0);
    let has_setting = has_variable && case.number(NAME) == Some(0);
    let last_resort = if has_setting {
        " Where none of these is to be had, innodb_thread_concurrency bounds what runs inside InnoDB: begin with \
         twice the cores and measure."
    } else {
        ""
    };
    let pool = if case.is_mariadb() {
        "thread_handling = pool-of-threads"
    } else if case.provider.is_some() {
        "the mark of the provider for Threads_running"
    } else {
        "a thread pool, where the edition of the server has one"
    };
    // Fewer things are ruled out where the log does not tell of locks.
    let confidence = match at_once.lock_percent {
        Some(_) => Confidence::Medium,
        None => Confidence::Low,
    };
    let mut said = say(case, &RULE, Severity::Medium, confidence, title);
    if has_variable {
        said = said.about(NAME);
    }
    said = said
        .seen("samples_of_threads_running", running.len() as u64)
        .seen("samples_over", over)
        .seen("threads_running_most", greatest)
        .seen("cores", cores)
        .amount("concurrency_of_log", hundredths(Some(at_once.statements)));
    if let Some(percent) = at_once.lock_percent {
        said = said.amount("lock_percent", hundredths(Some(percent)));
    }
    Some(
        said.advise(format!(
            "Let fewer run at once, so that the others wait before they begin: smaller pools in the applications, a \
             limit in the proxy (ProxySQL), or {pool}. First mend the statements that take the most time.{last_resort}"
        ))
        .verify("Threads_running under load falls, and the statements in a second do not.")
        .end(),
    )
}
