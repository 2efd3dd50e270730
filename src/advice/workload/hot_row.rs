//! WORK007.

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::case::{finding, percent, seconds};
use super::watch::keys::HotKey;
use super::watch::traits::Traits;
use super::watch::{Observed, WINDOW};
use super::{Case, floor};

rule! {
    /// One row is written again and again.
    ///
    /// **Costs.** Writers of one row wait for each other until each has committed: the row cannot be
    /// written more often than commits take, however fast the server is. Each version is one more in
    /// the undo log, and one more event in the binary log.
    /// **Wrong when.** The value must be exact at each moment (an account of money): then the row is
    /// the price of that; columns named balance, credit, debit, wallet or saldo are left out. What
    /// the columns equal is taken for a key; a table without such a key has more rows of it, which
    /// Rows_affected tells. Rows are told from literals, so a log of prepared statements with `?`
    /// tells none.
    /// **Verify.** Writes per second of the class, and its Lock_time.
    /// **Source.** MySQL manual, InnoDB locking; Metwally, Agrawal and El Abbadi, "Efficient
    /// computation of frequent and top-k elements in data streams" (2005), for the counts.
    Workload "WORK007" "hot-row"
}

/// Writes of one row a second, in so many windows of ten seconds, or over so many seconds.
const PER_SECOND: u64 = 10;
const WINDOWS: u32 = 3;
const SECONDS: u64 = 10;
/// Or percent of all writes, and so many.
const PERCENT: u64 = 20;
const LEAST: u64 = 100;
/// Rows that a call may change or, where that is not logged, examine on the average, in tenths.
const AFFECTED_TENTHS: u64 = 15;
const EXAMINED_TENTHS: u64 = 20;
/// A clock that replication is measured by is written on purpose.
const HEARTBEAT: &str = "heartbeat";

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some(seen) = case.seen else { return Vec::new() };
    let mut hot: Vec<&HotKey> = seen.keys.iter().collect();
    hot.sort_by_key(|key| (std::cmp::Reverse(key.of_key), key.class));
    hot.into_iter().filter_map(|key| Some(Hot::of(case, seen, key)?.told())).collect()
}

/// A row that is written too often.
struct Hot<'a> {
    class: &'a Class<'a>,
    key: &'a HotKey,
    traits: &'a Traits,
    /// Percent that its writes are of all.
    of_writes: Amount,
    /// Its writes in a second, over the time from the first to the last event of the class.
    mean: Option<Amount>,
    /// It is hot by its rate, not by its part of all writes alone.
    is_fast: bool,
    /// Rows that are changed or examined tell that it is one row.
    is_proved: bool,
}

impl<'a> Hot<'a> {
    /// The value that a class writes most, where it is a row and hot.
    fn of(case: &Case<'a>, seen: &'a Observed, key: &'a HotKey) -> Option<Hot<'a>> {
        let id = seen.id(key.class)?;
        let (class, traits) = (case.class(id)?, seen.traits.get(key.class as usize)?);
        let is_meant = class.sample().to_ascii_lowercase().contains(HEARTBEAT) || traits.is_money;
        // A count that may be wrong by more than it shows tells nothing.
        if is_meant || key.error > key.of_key || !floor::reaches(case, class) {
            return None;
        }
        let is_of_row = is_of_row(class, traits.updates.is_some());
        if is_of_row == Some(false) {
            return None;
        }
        let window = class.measured.as_ref()?.window();
        let is_long = window.filter(|micros| *micros >= SECONDS * 1_000_000);
        let is_fast = key.hot_windows >= WINDOWS
            || is_long.is_some_and(|micros| {
                u128::from(key.of_key) * 1_000_000 >= u128::from(micros) * u128::from(PER_SECOND)
            });
        let of_writes = percent(key.of_key, seen.talked.writes)?;
        let is_much = key.of_key >= LEAST && of_writes >= Amount::whole(PERCENT);
        let per_second = |micros: u64| Amount::whole(key.of_key).ratio(seconds(micros));
        (is_fast || is_much).then(|| Hot {
            class,
            key,
            traits,
            of_writes,
            mean: window.and_then(per_second),
            is_fast,
            is_proved: is_of_row.is_some(),
        })
    }

    fn told(&self) -> Finding {
        let is_slow = self.mean.is_none_or(|it| it < Amount::ONE) && !self.is_fast;
        let severity = if is_slow { Severity::Low } else { Severity::Medium };
        let confidence = if self.is_proved { Confidence::Medium } else { Confidence::Low };
        let often = match self.mean {
            Some(mean) if mean >= Amount::ONE => {
                format!("{} times a second", mean.rounded())
            }
            _ => format!("{} times", Amount::whole(self.key.of_key).grouped()),
        };
        let mut finding = finding(
            &RULE,
            (severity, confidence),
            format!("One row is written {often}: {} % of all writes", self.of_writes.rounded()),
            self.evidence(),
            (
                "Gather the changes before they reach the row: count in the application or in a memory \
                 store and write the sum every so many changes or seconds; or spread the row over slots \
                 (one of 16 rows by chance, read as their sum); or INSERT each change into a log table \
                 and add that up. Where it stays one row, write it last in its transaction, so that its \
                 lock is short.",
                "Writes per second of the class fall, and so does its Lock_time",
            ),
        );
        finding.subject = Subject { query_id: Some(self.class.id), ..Subject::default() };
        finding.queries = vec![self.class.id];
        finding
    }

    fn evidence(&self) -> Vec<Fact> {
        let key = self.key;
        let mut evidence = vec![
            Fact::number("writes_of_row", Amount::whole(key.of_key)),
            Fact::number("writes_of_class", Amount::whole(key.events)),
            Fact::number("percent_of_all_writes", self.of_writes),
        ];
        if key.error > 0 {
            let most = Amount::whole(key.of_key.saturating_add(key.error));
            evidence.push(Fact::number("writes_of_row_at_most", most));
        }
        evidence.extend(self.mean.map(|it| Fact::number("writes_of_row_per_second", it)));
        let most = Amount::whole(u64::from(key.most_in_window));
        let most =
            most.ratio(Amount::whole(WINDOW.unsigned_abs())).filter(|_| key.most_in_window > 0);
        evidence.extend(most.map(|it| Fact::number("most_writes_of_row_per_second", it)));
        let waited = self.class.lock_micros;
        evidence.extend(waited.map(|it| Fact::number("lock_time_seconds", seconds(it))));
        evidence.extend(key.condition.as_deref().map(|it| Fact::text("row", it)));
        if self.traits.counts {
            evidence.push(Fact::flag("adds_to_itself", true));
        }
        evidence
    }
}

/// Whether what the columns equal is one row, by the rows that a call changes or examines; `None`
/// where neither is logged.
fn is_of_row(class: &Class<'_>, is_upsert: bool) -> Option<bool> {
    // An upsert is of one row by its form.
    if is_upsert {
        return Some(true);
    }
    let few = |rows: u64, tenths: u64| {
        u128::from(rows) * 10 <= u128::from(class.calls) * u128::from(tenths)
    };
    let affected = class.rows_affected.map(|rows| few(rows, AFFECTED_TENTHS));
    let examined = || class.measured.as_ref()?.rows_examined;
    affected.or_else(|| examined().map(|rows| few(rows, EXAMINED_TENTHS)))
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    /// So many updates a second over a minute, each of them of a row.
    fn log(per_second: i64, text: impl Fn(i64) -> String) -> Log {
        let mut log = Log::default();
        for n in 0..60 * per_second {
            log.add(entry(&text(n)).rows_affected(1).at(n * 1_000_000 / per_second));
        }
        log
    }

    #[test]
    fn a_row_that_is_written_often_is_told() {
        let log = log(20, |n| {
            let id = if n % 2 == 0 { 7 } else { n + 100 };
            format!("UPDATE poll SET votes = votes + 1 WHERE id = {id}")
        });
        let found = log.advise(look);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].severity, found[0].confidence),
            (Severity::Medium, Confidence::Medium)
        );
        let number = |name| found[0].evidence.iter().find(|it| it.name == name).unwrap().clone();
        // 600 of 1,200 in a minute.
        assert_eq!(
            number("percent_of_all_writes"),
            Fact::number("percent_of_all_writes", Amount::whole(50))
        );
        assert_eq!(number("row"), Fact::text("row", "id = 7"));
        assert_eq!(number("adds_to_itself"), Fact::flag("adds_to_itself", true));
        assert_eq!(
            number("most_writes_of_row_per_second"),
            Fact::number("most_writes_of_row_per_second", Amount::whole(10))
        );
    }

    #[test]
    fn rows_that_are_written_in_turns_are_not() {
        let text = |n: i64| format!("UPDATE session SET seen = 1 WHERE id = {}", n % 500);
        assert_eq!(log(50, text).advise(look), []);
        let money = |_| "UPDATE account SET balance = balance - 5 WHERE id = 1".to_owned();
        assert_eq!(log(50, money).advise(look), []);
        let clock = |n: i64| format!("UPDATE percona.heartbeat SET ts = '{n}' WHERE id = 1");
        assert_eq!(log(50, clock).advise(look), []);
    }

    #[test]
    fn a_condition_of_many_rows_is_no_row() {
        let mut log = Log::default();
        for n in 0..2_000 {
            let text = "UPDATE job SET owner = 4 WHERE state = 'new'";
            log.add(entry(text).rows_affected(8).at(n * 10_000));
        }
        assert_eq!(log.advise(look), []);
    }

    #[test]
    fn a_spike_of_a_second_among_other_writes_is_none() {
        let mut log = Log::default();
        for n in 0..600 {
            log.add(entry("INSERT INTO log (a) VALUES (1)").at(n * 1_000_000));
        }
        for n in 0..90 {
            let text = "UPDATE poll SET votes = votes + 1 WHERE id = 7";
            log.add(entry(text).rows_affected(1).at(300_000_000 + n * 10_000));
        }
        assert_eq!(log.advise(look), []);
    }
}
