//! WORK015.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::Case;
use super::at_once::AtOnce;
use super::case::{finding, hundredths, percent, seconds};

rule! {
    /// More statements run at once than the machine has cores, and they do not wait for locks.
    ///
    /// **Costs.** Time of statements is time in a queue: what does not run waits for a core, or for
    /// the disk. Statements look slow that would be fast alone.
    /// **Wrong when.** Statements wait for something that is not in the log: clients that take their
    /// rows slowly, metadata locks since MySQL 8.0.28. The log is of several servers. Left out are
    /// statements inside of stored routines, for the CALL has their time, and those without a table,
    /// such as SELECT SLEEP(5).
    /// **Verify.** vmstat: `r` above the number of cores says that cores are short, `b` and `wa` that
    /// it is the disk. Threads_running.
    /// **Source.** Little's law: statements at once are the time of all, divided by the time in which
    /// one ran. The log knows that one only as "at most", so the statements are "at least".
    Workload "WORK015" "too-few-cores"
}

/// Statements for each core from which on they queue.
const EACH: u64 = 2;
/// Percent of the time from which on reads of the disk tell the waiting, and below which they do not.
const READING: u64 = 30;
const NOT_READING: u64 = 5;
/// Microseconds in all: below, chance heaps statements up.
const LEAST: u64 = 10_000_000;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    queue(case).into_iter().collect()
}

fn queue(case: &Case<'_>) -> Option<Finding> {
    let cores = case.facts.machine.cores?;
    let at_once = AtOnce::of(case)?;
    let AtOnce { statements, micros, busy_micros, lock_percent: locked } = at_once;
    let is_queue = statements >= Amount::whole(cores.saturating_mul(EACH)) && micros >= LEAST;
    if !is_queue || at_once.is_locked() {
        return None;
    }
    let read = case.whole.measured.read_wait_micros.and_then(|waited| percent(waited, micros));
    let mut evidence = vec![
        Fact::number("statements_at_once_at_least", tenths(statements)),
        Fact::number("cores", Amount::whole(cores)),
        Fact::number("query_time_seconds", seconds(micros)),
        Fact::number("busy_seconds_at_most", seconds(busy_micros)),
    ];
    evidence.extend(locked.map(|percent| Fact::number("lock_percent", hundredths(percent))));
    evidence.extend(read.map(|percent| Fact::number("read_wait_percent", hundredths(percent))));
    let locks = match locked {
        Some(_) => "Locks are ruled out, as far as Lock_time counts them. ",
        None => "The log does not tell whether they wait for locks. ",
    };
    let queue = match read {
        Some(percent) if percent >= Amount::whole(READING) => {
            "They wait for reads of the disk: fewer rows examined (indexes), or more memory for the \
             buffer pool, before more cores."
        }
        Some(percent) if percent < Amount::whole(NOT_READING) => {
            "Reads of the disk are ruled out too: cores are short. Let the classes that examine most \
             rows examine fewer, before buying cores."
        }
        _ => {
            "What is left is cores or the disk: vmstat tells which while it runs. Either way let the \
             classes that examine most rows examine fewer."
        }
    };
    // Fewer things are ruled out where the log does not tell of locks, or is a sample.
    let is_known = locked.is_some() && case.whole.sampled.is_none();
    Some(finding(
        &RULE,
        (Severity::Medium, if is_known { Confidence::Medium } else { Confidence::Low }),
        format!("At least {} statements run at once, on {cores} cores", tenths(statements)),
        evidence,
        (
            &format!("{locks}{queue}"),
            "vmstat 1 while it runs: r beyond the cores is cores, b and wa is the disk; Threads_running",
        ),
    ))
}

/// Cut behind the first decimal.
fn tenths(amount: Amount) -> Amount {
    let tenths = u64::try_from(amount.times(Amount::whole(10)).floor()).unwrap_or(u64::MAX);
    Amount::whole(tenths).ratio(Amount::whole(10)).unwrap_or(amount)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::{Measured, Times, Whole, fixture};
    use crate::advice::{Class, Workload};
    use crate::server::{Machine, ServerFacts};

    const SECOND: u64 = 1_000_000;

    /// A load of so many seconds, within so many, of which so many thousandths are locks and reads.
    fn shown(
        seconds: u64,
        busy: u64,
        locks: u64,
        reads: Option<u64>,
        cores: Option<u64>,
    ) -> Vec<Finding> {
        let sum = seconds * SECOND;
        let measured = Measured {
            // Two more sleep.
            time: Some(Times { sum: sum + 2 * SECOND, ..Times::default() }),
            lock_micros: Some(sum / 1_000 * locks),
            read_wait_micros: reads.map(|reads| sum / 1_000 * reads),
            ..Measured::default()
        };
        let whole = Whole { measured, busy_micros: Some(busy * SECOND), ..Whole::default() };
        let facts = ServerFacts {
            machine: Machine { cores, ..Machine::default() },
            ..ServerFacts::default()
        };
        let sleeping = |text: &str| Class { micros: Some(SECOND), ..fixture(text) };
        let classes = vec![sleeping("SELECT SLEEP(1)"), sleeping("/* c */ DO SLEEP(1)")];
        let workload = Workload { classes, ..Workload::default() };
        look(&Case { workload: &workload, whole: &whole, seen: None, facts: &facts, schema: None })
    }

    #[test]
    fn a_queue_is_told_with_what_it_is_not() {
        // 40,082 s of statements within 2,392 s: 16.756… at once; 0.1 % of it locks.
        let found = shown(40_082, 2_392, 1, None, Some(8));
        let title = "At least 16.7 statements run at once, on 8 cores";
        assert_eq!(found.first().map(|it| it.title.as_str()), Some(title));
        let text = |found: &[Finding]| found[0].recommendation.text.clone();
        assert!(text(&found).starts_with(
            "Locks are ruled out, as far as Lock_time counts them. What is left is cores or the disk"
        ));
        let reading = shown(40_082, 2_392, 1, Some(400), Some(8));
        assert!(text(&reading).contains("They wait for reads of the disk"));
        let in_memory = shown(40_082, 2_392, 1, Some(10), Some(8));
        assert!(text(&in_memory).contains("Reads of the disk are ruled out too"));
    }

    #[test]
    fn no_queue_is_silent() {
        // 16.7 on 9 cores are less than twice as many; 5 % locks; no cores known; 9 s in all.
        assert_eq!(shown(40_082, 2_392, 1, None, Some(9)), []);
        assert_eq!(shown(40_082, 2_392, 50, None, Some(8)), []);
        assert_eq!(shown(40_082, 2_392, 1, None, None), []);
        assert_eq!(shown(9, 1, 1, None, Some(2)), []);
    }
}
