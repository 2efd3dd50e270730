//! WORK012.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::case::{finding, percent, seconds};
use super::watch::Observed;
use super::watch::bursts::Periodic;
use super::{Case, floor};

rule! {
    /// Load comes in bursts, at the same second of each minute or the same minute of each hour or day.
    ///
    /// **Costs.** Everybody who comes at that moment waits; the server is bought for the burst.
    /// **Wrong when.** Fewer than three periods are in the log, a burst has few events, or chance
    /// would do as well: a second or minute counts that has five times the mean in three of four
    /// periods, or a load that is alike a period later and not half a period later (autocorrelation
    /// from 0.5 on).
    /// **Verify.** Events per second at that moment, after jobs were spread.
    /// **Source.** Pearson's autocorrelation; the bound of Chernoff and Hoeffding for what chance
    /// would do.
    Workload "WORK012" "periodic-burst"
}

/// Bursts that are told.
const MOST: usize = 5;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some(seen) = case.seen else { return Vec::new() };
    let is_worth = |it: &&Periodic| match it.class {
        None => true,
        Some(class) => {
            let class = seen.id(class).and_then(|id| case.class(id));
            class.is_some_and(|class| floor::reaches(case, class))
        }
    };
    let mut moments: Vec<Vec<&Periodic>> = Vec::new();
    for it in seen.periodic.iter().filter(is_worth) {
        match moments.iter_mut().find(|known| known.first().is_some_and(|of| same(of, it))) {
            Some(known) => known.push(it),
            None => moments.push(vec![it]),
        }
    }
    moments.iter().take(MOST).filter_map(|of| at_moment(case, seen, of)).collect()
}

/// Whether bursts come together: where bins differ in width one begins within the other.
fn same(one: &Periodic, other: &Periodic) -> bool {
    let within = |inner: &Periodic, outer: &Periodic| {
        (outer.phase..outer.phase + outer.width).contains(&inner.phase)
    };
    one.period == other.period && (within(one, other) || within(other, one))
}

fn at_moment(case: &Case<'_>, seen: &Observed, bursts: &[&Periodic]) -> Option<Finding> {
    const CLASSES: usize = 10;
    let first = bursts.first()?;
    let ids = bursts.iter().filter_map(|it| seen.id(it.class?)).take(CLASSES);
    let queries: Vec<_> = ids.collect();
    let tenths = |tenths: u64| Amount::whole(tenths).ratio(Amount::whole(10));
    let times = tenths(first.tenths_of_mean)?;
    let mut evidence = vec![
        Fact::number("period_seconds", Amount::whole(first.period)),
        Fact::text("comes_at_utc", moment(first)),
        Fact::text("counted", if first.is_time { "Query_time" } else { "events" }),
        Fact::number("times_the_mean", times),
        Fact::number("periods", Amount::whole(first.periods)),
    ];
    evidence.extend(first.bursts.map(|it| Fact::number("periods_with_burst", Amount::whole(it))));
    let (part, whole) = first.events;
    evidence.extend(percent(part, whole).map(|it| Fact::number("percent_of_events", it)));
    let (part, whole) = first.micros;
    evidence.extend(percent(part, whole).map(|it| Fact::number("percent_of_time", it)));
    evidence.push(Fact::number("query_time_in_bursts_seconds", seconds(part)));
    let correlation = first.autocorrelation_percent;
    evidence
        .extend(correlation.map(|it| Fact::number("autocorrelation_percent", Amount::whole(it))));
    let what = match (first.class.is_some(), first.is_time) {
        (false, false) => "Statements come",
        (false, true) => "Time is spent",
        (true, false) => "This statement comes",
        (true, true) => "The time of this statement is spent",
    };
    let title = format!(
        "{what} in bursts {}, {} times the mean, at {}",
        every(first.period),
        times.rounded(),
        moment(first)
    );
    let mut finding = finding(
        &RULE,
        (Severity::Low, Confidence::Medium),
        title,
        evidence,
        (
            "Look for what starts then: cron jobs, event schedulers, timers of all application \
             servers, caches that expire together. Start them at different seconds (a random sleep \
             before, jitter in timers and expiry), or let one of them run after the other.",
            "The events of that moment, by a digest of the same length after the change",
        ),
    );
    if let Some(class) = first.class {
        finding.subject = Subject { query_id: seen.id(class), ..Subject::default() };
    }
    finding.queries = queries.into_iter().filter(|id| case.class(*id).is_some()).collect();
    Some(finding)
}

fn every(period: u64) -> &'static str {
    match period {
        60 => "each minute",
        300 => "each five minutes",
        3_600 => "each hour",
        _ => "each day",
    }
}

/// When it comes, in words: `second 15 of the minute`.
fn moment(periodic: &Periodic) -> String {
    let Periodic { phase, width, .. } = periodic;
    let last = |unit: u64| (phase + width) / unit - 1;
    let range = |from: u64, to: u64| match from >= to {
        true => from.to_string(),
        false => format!("{from} to {to}"),
    };
    match periodic.period {
        60 => format!("second {} of the minute", range(*phase, last(1))),
        300 => {
            let (minute, second) = (phase / 60, phase % 60);
            format!("minute {minute} of each five, second {}", range(second, second + width - 1))
        }
        3_600 => format!("minute {} of the hour", range(phase / 60, last(60))),
        _ => format!("{:02}:{:02}", phase / 3_600, phase / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    /// One event a second, and so many more in a second of each minute.
    fn log(minutes: i64, burst: i64, second: impl Fn(i64) -> i64) -> Log {
        let mut log = Log::default();
        for minute in 0..minutes {
            for n in 0..60 {
                log.add(entry("SELECT a FROM t").at((minute * 60 + n) * 1_000_000 + 500_000));
            }
            for n in 0..burst {
                let end = (minute * 60 + second(minute)) * 1_000_000 + 500_000 + n;
                log.add(entry("DELETE FROM cache WHERE id = 1").at(end));
            }
        }
        log
    }

    #[test]
    fn a_burst_is_told_with_its_moment_and_classes() {
        let found = log(5, 60, |_| 30).advise(look);
        assert_eq!(found.len(), 1);
        // 65 of 120 a minute in 5 of its 60 seconds: 6.5.
        let title = "Statements come in bursts each minute, 7 times the mean, at second 30 to 34 \
                     of the minute";
        assert_eq!(found[0].title, title);
        assert_eq!(found[0].queries, [entry("DELETE FROM cache WHERE id = 1").id()]);
        assert_eq!((found[0].severity, found[0].subject.query_id), (Severity::Low, None));
    }

    #[test]
    fn two_bursts_and_bursts_without_order_are_not() {
        assert_eq!(log(2, 60, |_| 30).advise(look), []);
        assert_eq!(log(9, 60, |minute| minute * 23 % 60).advise(look), []);
        assert_eq!(log(9, 0, |_| 0).advise(look), []);
    }
}
