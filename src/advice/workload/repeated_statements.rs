//! WORK016.

use crate::advice::rule::rule;
use crate::advice::{Benefit, Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::Case;
use super::case::{finding, percent, seconds};
use super::watch::repeats::Repeated;

rule! {
    /// The same SELECTs are asked again and again, word for word, within a minute.
    ///
    /// **Costs.** The server reckons anew what it has just answered.
    /// **Wrong when.** The answer must be of this very moment: a cache gives one that is up to a
    /// minute old. Fewer than five repeats, or less than a second of them, tell nothing. Left out are
    /// statements without a table, those that say SQL_NO_CACHE or lock rows, and those whose answer
    /// changes by itself: NOW(), RAND(), UUID(), LAST_INSERT_ID(), variables, sequences, stored
    /// functions; and those inside of stored routines, for the CALL has their time. What QC_hit says the
    /// query cache has answered is saved already and does not count.
    /// **Verify.** Query_time of the classes, after the change.
    /// **Source.** A cache that keeps each result for 60 seconds from when it was made, replayed over
    /// the log; what would be pushed out of it for lack of room is told of as made anew.
    Workload "WORK016" "repeated-statements"
}

/// Percent of the time of SELECTs.
const PERCENT: u64 = 50;
/// Microseconds of repeats, and how many.
const LEAST: u64 = 1_000_000;
const LEAST_EVENTS: u64 = 5;
/// Classes that are named: those with a twentieth of the time of repeats.
const CLASSES: usize = 10;
const PART: u64 = 20;
/// Percent of it from which on a single class is the matter.
const ALONE: u64 = 80;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    of_load(case).into_iter().collect()
}

fn of_load(case: &Case<'_>) -> Option<Finding> {
    let seen = case.seen?;
    let repeats = &seen.repeats;
    let sum =
        |of: fn(&Repeated) -> u64| repeats.classes.iter().map(of).fold(0, u64::saturating_add);
    let (micros, events, hits) = (sum(|it| it.micros), sum(|it| it.repeats), sum(|it| it.hits));
    let share = percent(micros, repeats.select_micros)?;
    if micros < LEAST || events < LEAST_EVENTS || share < Amount::whole(PERCENT) {
        return None;
    }
    let is_part = |it: &&Repeated| it.micros > 0 && it.micros.saturating_mul(PART) >= micros;
    let most: Vec<&Repeated> = repeats.classes.iter().filter(is_part).take(CLASSES).collect();
    let mut evidence = vec![
        Fact::number("percent_of_select_time", share),
        Fact::number("repeated_events", Amount::whole(events)),
        Fact::number("repeated_time_seconds", seconds(micros)),
        Fact::number("select_time_seconds", seconds(repeats.select_micros)),
        Fact::number("window_seconds", Amount::whole(60)),
    ];
    if hits > 0 {
        evidence.push(Fact::number("query_cache_hits", Amount::whole(hits)));
    }
    if repeats.timeless > 0 {
        evidence.push(Fact::number("events_without_time", Amount::whole(repeats.timeless)));
    }
    if repeats.in_routines > 0 {
        evidence.push(Fact::number("events_in_routines", Amount::whole(repeats.in_routines)));
    }
    let told = |it: &&Repeated| {
        let id = seen.id(it.class)?;
        let (again, of) = (Amount::whole(it.repeats).grouped(), Amount::whole(it.events).grouped());
        Some(format!("{id}: {again} of {of} calls, {} s", seconds(it.micros)))
    };
    evidence.push(Fact::list("classes", most.iter().filter_map(told).collect()));
    let mut finding = finding(
        &RULE,
        (Severity::Medium, Confidence::High),
        format!(
            "{} % of the time of SELECTs repeats what was answered within a minute",
            share.rounded()
        ),
        evidence,
        (
            "Keep these answers in the application or in a memory store for some seconds, and drop \
             them where the rows are written; a page may ask once and pass the answer on. The query \
             cache of the server, where it has one, does the same but throws all answers of a table \
             away with each write to it: see what advice says of it first.",
            "Calls and Query_time of these classes, in a log of the same length",
        ),
    );
    finding.queries = most.iter().filter_map(|it| seen.id(it.class)).collect();
    if let Some(first) = most.first()
        && u128::from(first.micros) * 100 >= u128::from(micros) * u128::from(ALONE)
    {
        finding.subject = Subject { query_id: seen.id(first.class), ..Subject::default() };
    }
    finding.benefit =
        Some(Benefit { micros, of_micros: repeats.select_micros, whole_micros: case.micros()? });
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    /// Ten values in turns, one in so many seconds, each a fifth of a second.
    fn log(count: i64, step: i64, table: &str) -> Log {
        let mut log = Log::default();
        for n in 0..count {
            let text = format!("SELECT a FROM {table} WHERE id = {}", n % 10);
            log.add(entry(&text).micros(200_000).at(n * step * 1_000_000));
        }
        log
    }

    #[test]
    fn what_repeats_is_told_with_what_it_would_save() {
        let mut log = log(100, 1, "t");
        log.add(entry("SELECT b FROM u").micros(4_000_000).at(100_000_000));
        let found = log.advise(look);
        assert_eq!(found.len(), 1);
        // Each value comes each ten seconds: made at 0, then answered until 60, made at 70. So 80 of
        // 100 repeat: 16 of 24 seconds.
        let benefit = found[0].benefit.unwrap();
        assert_eq!((benefit.micros, benefit.of_micros), (16_000_000, 24_000_000));
        assert!(found[0].title.starts_with("67 % "), "{}", found[0].title);
        let id = entry("SELECT a FROM t WHERE id = 1").id();
        assert_eq!((found[0].queries.as_slice(), found[0].subject.query_id), (&[id][..], Some(id)));
    }

    #[test]
    fn what_a_stored_routine_asks_is_no_repeat() {
        let mut log = Log::default();
        for n in 0..100 {
            let inside = entry("SELECT a FROM t WHERE id = 1").micros(200_000).routine();
            log.add(inside.at(n * 1_000_000));
        }
        assert_eq!(log.advise(look), []);
        for n in 0..10 {
            log.add(entry("SELECT b FROM u").micros(500_000).at(n * 1_000_000));
        }
        // Nine of ten, 4.5 of 5 seconds.
        let found = log.advise(look);
        assert!(found[0].title.starts_with("90 % "), "{}", found[0].title);
        let left_out = Fact::number("events_in_routines", Amount::whole(100));
        assert!(found[0].evidence.contains(&left_out));
    }

    #[test]
    fn what_comes_seldom_or_takes_little_is_not() {
        // Each value each 70 seconds.
        assert_eq!(log(100, 7, "t").advise(look), []);
        assert_eq!(log(100, 1, "t FORCE INDEX (i), (SELECT NOW() AS n) AS d").advise(look), []);
        let mut short = Log::default();
        (0..100).for_each(|n| short.add(entry("SELECT a FROM t").micros(5_000).at(n)));
        assert_eq!(short.advise(look), []);
        let mut few = Log::default();
        (0..5).for_each(|n| few.add(entry("SELECT a FROM t").micros(9_000_000).at(n)));
        assert_eq!(few.advise(look), []);
    }
}
