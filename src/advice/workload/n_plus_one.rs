//! WORK009.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::case::{finding, percent, seconds};
use super::watch::Observed;
use super::watch::threads::Pair;
use super::{Case, floor};

rule! {
    /// Behind one SELECT the same SELECT is sent for each of its rows.
    ///
    /// **Costs.** Each of them goes over the network and is parsed and planned for itself; a page of
    /// 100 rows waits 100 times. The log shows only what the server took.
    /// **Wrong when.** The parent is not what the rows came from: the log tells what ran after what
    /// on a connection, not why. Without the number of the connection (Thread_id, Id) the order of the
    /// log is taken for it, and the confidence is low. A log with a threshold does not hold the
    /// fast ones, so nothing is told of it, nor of a class that all but fills the log.
    /// **Verify.** Calls of the class for each call of the parent.
    /// **Source.** The "N+1 selects problem" of object-relational mappers; eager loading in their
    /// manuals.
    Workload "WORK009" "n-plus-one"
}

/// Episodes from which on it is a habit.
const EPISODES: u64 = 5;
/// Percent of the events outside of episodes: a class that all but fills the log stands 20 times in
/// a row by chance. Without connections that is sooner the case.
const FILLS: u64 = 75;
const FILLS_NAMELESS: u64 = 50;
/// Pairs that are told, those with most calls.
const MOST: usize = 10;

/// Percent of the statements from which on they count, however little time they take.
const MANY: u64 = 5;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some(seen) = case.seen else { return Vec::new() };
    // Children that a threshold keeps out of the log cannot be counted.
    if !case.whole.is_fine || case.floor().is_some() {
        return Vec::new();
    }
    let often = seen.pairs.iter().filter(|pair| pair.episodes >= EPISODES);
    often.filter_map(|pair| of_pair(case, seen, pair)).take(MOST).collect()
}

fn of_pair(case: &Case<'_>, seen: &Observed, pair: &Pair) -> Option<Finding> {
    let (parent, child) = (seen.id(pair.parent)?, seen.id(pair.child)?);
    let class = case.class(child)?;
    let in_episodes = |of: fn(&Pair, u32) -> bool| -> u64 {
        seen.pairs.iter().filter(|it| of(it, pair.child)).map(|it| it.calls).sum()
    };
    let others = case.whole.measured.events.saturating_sub(in_episodes(|_, _| true));
    let own = class.calls.saturating_sub(in_episodes(|it, child| it.child == child));
    let fills = if pair.is_of_thread { FILLS } else { FILLS_NAMELESS };
    let by_chance = percent(own, others).is_some_and(|it| it > Amount::whole(fills));
    // What it costs is in the network: the server hardly feels it.
    let is_many = percent(class.calls, case.whole.measured.events);
    let is_many = is_many.is_some_and(|it| it >= Amount::whole(MANY));
    if by_chance || !(is_many || floor::reaches(case, class)) {
        return None;
    }
    let each = Amount::whole(pair.calls).ratio(Amount::whole(pair.episodes))?;
    let saved = pair.calls.saturating_sub(pair.episodes);
    let mut evidence = vec![
        Fact::text("parent_query_id", parent.to_string()),
        Fact::number("episodes", Amount::whole(pair.episodes)),
        Fact::number("calls", Amount::whole(pair.calls)),
        Fact::number("calls_per_episode", each),
        Fact::number("query_time_seconds", seconds(pair.micros)),
        Fact::number("statements_saved", Amount::whole(saved)),
    ];
    evidence.extend(percent(pair.calls, class.calls).map(|it| Fact::number("calls_percent", it)));
    if !pair.is_of_thread {
        evidence.push(Fact::flag("connections_known", false));
    }
    let confidence = if pair.is_of_thread { Confidence::Medium } else { Confidence::Low };
    let advice = format!(
        "Ask for all rows at once: join the table in the parent, or send one SELECT … IN (…) behind \
         it; an object-relational mapper does it when told to load eagerly (JOIN FETCH, includes, \
         select_related, with). That is one statement in place of {} each time, {} less in this \
         log; the rows are still read, so of the {} s that they took in the server only a part \
         goes, and the ways over the network come on top.",
        each.rounded(),
        Amount::whole(saved).grouped(),
        seconds(pair.micros),
    );
    let mut finding = finding(
        &RULE,
        (Severity::Medium, confidence),
        format!(
            "Behind one SELECT come {} of this one, each with another value, {} times",
            each.rounded(),
            Amount::whole(pair.episodes).grouped()
        ),
        evidence,
        (&advice, "Calls of the class for each call of its parent fall to one or none"),
    );
    finding.subject = Subject { query_id: Some(child), ..Subject::default() };
    finding.queries = vec![parent, child];
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    const PARENT: &str = "SELECT id, buyer FROM orders WHERE day = '2026-03-06'";

    fn log(episodes: i64, micros: u64) -> Log {
        let mut log = Log::default();
        for episode in 0..episodes {
            let start = episode * 10_000_000;
            log.add(entry(PARENT).thread(1).micros(micros).at(start));
            for n in 1..=24 {
                let text = format!("SELECT name FROM buyers WHERE id = {n}");
                log.add(entry(&text).thread(1).micros(micros).at(start + n * 1_000));
            }
            log.add(entry("COMMIT").thread(1).micros(micros).at(start + 100_000));
        }
        log
    }

    #[test]
    fn a_habit_is_told_with_parent_and_child() {
        let found = log(5, 300).advise(look);
        assert_eq!(found.len(), 1);
        let child = entry("SELECT name FROM buyers WHERE id = 1").id();
        assert_eq!(found[0].queries, [entry(PARENT).id(), child]);
        assert_eq!(found[0].subject.query_id, Some(child));
        // 5 times 24 calls of 300 µs; 5 statements stay.
        assert!(found[0].evidence.contains(&Fact::number("statements_saved", Amount::whole(115))));
        let time = Amount::parse("0.036").unwrap();
        assert!(found[0].evidence.contains(&Fact::number("query_time_seconds", time)));
        assert_eq!(found[0].confidence, Confidence::Medium);
    }

    /// Nineteen of twenty are of one class, and what comes next is chance.
    #[test]
    fn a_class_that_fills_the_log_is_none() {
        let mut log = Log::default();
        let mut seed = 5_u64;
        for n in 0..6_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let text = match (seed >> 33) % 20 {
                0 => "SELECT a FROM u WHERE b > 1".to_owned(),
                _ => format!("SELECT name FROM buyers WHERE id = {n}"),
            };
            log.add(entry(&text).thread(1).micros(300).at(n * 1_000));
        }
        let pairs = log.watch().finish().pairs;
        assert!(pairs[0].episodes >= EPISODES, "{pairs:?}");
        assert_eq!(log.advise(look), []);
    }

    #[test]
    fn four_times_or_a_log_with_a_threshold_tell_nothing() {
        assert_eq!(log(4, 300).advise(look), []);
        assert_eq!(log(5, 2_000).advise(look), []);
    }
}
