//! How many statements of a log run at once.

use crate::advice::Class;
use crate::plan::Amount;
use crate::sql::glance::Verb;

use super::Case;
use super::case::percent;
use super::does::Seen;

/// Statements that run beside each other, and what they wait for.
///
/// Little's law: statements at once are the time of all, divided by the time in which one ran. The
/// log knows that one only as "at most", so the statements are "at least". Left out are statements
/// inside of stored routines, for the CALL has their time, and those without a table, such as SELECT
/// SLEEP(5).
#[derive(Debug, Clone)]
pub struct AtOnce {
    /// Statements at once, at least.
    pub statements: Amount,
    /// Microseconds of all of them.
    pub micros: u64,
    /// Microseconds in which one ran, at most.
    pub busy_micros: u64,
    /// Percent of their time that locks of tables or rows are, where the log tells.
    pub lock_percent: Option<Amount>,
}

/// Percent of the time from which on locks tell the waiting.
const LOCKED: u64 = 5;

impl AtOnce {
    /// `None` where the log does not tell when statements ended.
    pub fn of(case: &Case<'_>) -> Option<AtOnce> {
        let measured = &case.whole.measured;
        let twice = case.in_routines().filter_map(|class| class.micros);
        let idle = case.workload.classes.iter().filter(|class| sleeps(class));
        let idle = idle.filter_map(|class| class.micros);
        let less = twice.chain(idle).fold(0, u64::saturating_add);
        let (micros, busy_micros) = (case.micros()?.saturating_sub(less), case.whole.busy_micros?);
        let locked = measured.lock_micros.max(measured.row_lock_micros);
        Some(AtOnce {
            statements: Amount::whole(micros).ratio(Amount::whole(busy_micros))?,
            micros,
            busy_micros,
            lock_percent: locked.and_then(|waited| percent(waited, micros)),
        })
    }

    /// Whether they wait for locks.
    pub fn is_locked(&self) -> bool {
        self.lock_percent.is_some_and(|percent| percent >= Amount::whole(LOCKED))
    }
}

/// `SELECT SLEEP(5)`, `DO GET_LOCK('a', 9)`: what names no table takes no time of a core.
fn sleeps(class: &Class<'_>) -> bool {
    let seen = Seen::of(class);
    let is_do = seen.begins.first().is_some_and(|word| word == "DO");
    seen.glance.sources.is_empty() && (seen.glance.verb == Verb::Select || is_do)
}
