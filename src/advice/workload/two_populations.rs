//! WORK011.

mod valley;

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Fact, Finding, Severity, Subject};
use crate::digest::spread;
use crate::plan::Amount;

use super::case::{finding, hundredths, percent, percentage, seconds, time};
use super::{Case, Measured, Times};

rule! {
    /// Calls of one class fall into two populations, one of them ten times slower or more.
    ///
    /// **Costs.** No average or median says anything of such a class. What is slow has a reason of its
    /// own: other literals, rows that are not in memory, another plan, a lock.
    /// **Wrong when.** The query cache answers the fast ones (then it is silent); the log has a
    /// threshold and the fast ones stand at it; the log is of two servers, or of a time before and a
    /// time after a change.
    /// **Verify.** Digest the two apart: --where "Query_time > …"; EXPLAIN a statement of either.
    /// **Source.** A test of the counts in buckets of 5 %, by the logarithm of the time: fewer events
    /// stand between the two than one mode would allow. It finds no second one in normal, exponential,
    /// uniform or Pareto times.
    Workload "WORK011" "two-populations"
}

/// Events of a class, and percent of them in either population.
const EVENTS: u64 = 100;
const PART: u64 = 10;
/// Percent of the time of all that a class has, and microseconds.
const SHARE: u64 = 1;
const LEAST: u64 = 1_000_000;
/// Times the shortest event of a log with a threshold: a mode below stands at the threshold.
const AT_FLOOR: u64 = 2;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    if !case.whole.is_fine {
        return Vec::new();
    }
    let mut found: Vec<(u64, Finding)> = case
        .classes()
        .filter_map(|(class, measured)| {
            let times = measured.time.as_ref()?;
            Some((times.sum, told(case, class, measured, times)?))
        })
        .collect();
    found.sort_by_key(|(micros, _)| std::cmp::Reverse(*micros));
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// Two populations: microseconds of their modes and of what parts them, and events of either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Two {
    fast: (u64, u64),
    parted: u64,
    slow: (u64, u64),
}

fn two(times: &Times) -> Option<Two> {
    let places = times.buckets.iter().filter(|(low, _)| *low > 0);
    let placed: Vec<(usize, u64)> =
        places.map(|(low, count)| (spread::narrow_bucket(*low), *count)).collect();
    let (first, last) = (placed.first()?.0, placed.last()?.0);
    let mut counts = vec![0_u64; last.checked_sub(first)? + 1];
    for (place, count) in placed {
        counts.iter_mut().skip(place - first).take(1).for_each(|own| *own += count);
    }
    let found = valley::valley(first, &counts)?;
    let micros = |bucket| u64::try_from(spread::range(bucket).0).unwrap_or(u64::MAX);
    let parted = micros(found.middle);
    let fast = times.below(parted);
    Some(Two {
        fast: (micros(found.left), fast),
        parted,
        slow: (micros(found.right), times.count.saturating_sub(fast)),
    })
}

fn told(case: &Case<'_>, class: &Class<'_>, measured: &Measured, times: &Times) -> Option<Finding> {
    let is_worth = times.count >= EVENTS
        && times.sum >= LEAST
        && case.share(times.sum).is_some_and(|share| share >= Amount::whole(SHARE));
    let two = is_worth.then(|| two(times)).flatten()?;
    let share = |events| percent(events, times.count);
    let (fast, slow) = (share(two.fast.1)?, share(two.slow.1)?);
    let is_part = fast.min(slow) >= Amount::whole(PART);
    let is_at_floor = case.floor().is_some_and(|floor| two.fast.0 < floor.saturating_mul(AT_FLOOR));
    // The cache explains the fast ones if it answered half as many or more.
    let is_cached = measured.cached.is_some_and(|(hits, _)| hits >= two.fast.1.div_ceil(2));
    if !is_part || is_at_floor || is_cached {
        return None;
    }
    let mut evidence = vec![
        Fact::number("fast_percent", hundredths(fast)),
        Fact::number("fast_seconds_about", seconds(two.fast.0)),
        Fact::number("slow_percent", hundredths(slow)),
        Fact::number("slow_seconds_about", seconds(two.slow.0)),
        Fact::number("parted_at_seconds", seconds(two.parted)),
    ];
    let rows = class.load.rows_examined;
    evidence.extend(rows.map(|rows| Fact::number("rows_examined_avg", rows.mean.rounded())));
    evidence.extend(rows.map(|rows| Fact::number("rows_examined_most", rows.most)));
    let reason = reason(class, measured, times);
    let found = finding(
        &RULE,
        (Severity::Medium, Confidence::Medium),
        format!(
            "Two kinds of calls: {} take about {}, {} about {}",
            percentage(fast),
            time(two.fast.0),
            percentage(slow),
            time(two.slow.0)
        ),
        evidence,
        (
            &format!(
                "Digest the two apart and compare their literals, rows examined, locks and plans. \
                 {reason}"
            ),
            &format!(
                "adagio digest --where \"Query_time >= {}\", and with < for the fast ones",
                seconds(two.parted)
            ),
        ),
    );
    let subject = Subject { query_id: Some(class.id), ..Subject::default() };
    Some(Finding { subject, queries: vec![class.id], ..found })
}

/// What the figures of the class say on the reason.
fn reason(class: &Class<'_>, measured: &Measured, times: &Times) -> &'static str {
    const MUCH: u64 = 10;
    let share = |waited: Option<u64>| {
        waited.and_then(|waited| percent(waited, times.sum)).unwrap_or(Amount::ZERO)
    };
    let rows = class.load.rows_examined;
    let is_uneven = |mean: Amount, most: Amount| most >= mean.times(Amount::whole(3));
    match rows {
        _ if share(measured.lock_micros.max(measured.row_lock_micros)) >= Amount::whole(MUCH) => {
            "Waits for locks are a good part of the time: they come first."
        }
        _ if share(measured.read_wait_micros) >= Amount::whole(MUCH) => {
            "Reads of the disk are a good part of the time: some calls find their rows in memory, \
             others do not."
        }
        Some(rows) if rows.most == Amount::ZERO => "",
        Some(rows) if is_uneven(rows.mean, rows.most) => {
            "Some calls examine far more rows than others: literals first, then plans."
        }
        Some(rows) if rows.most <= rows.mean.times(Amount::whole(2)) => {
            "All calls examine about as many rows: not the literals, but memory or disk, a lock, or a \
             queue for cores."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Workload;
    use crate::advice::plan::{Load, PerCall};
    use crate::advice::workload::{Whole, fixture};
    use crate::server::ServerFacts;

    /// Events at these times (microseconds), so many each, spread over some buckets.
    fn times(heaps: &[(u64, u64)]) -> Times {
        let mut buckets = std::collections::BTreeMap::new();
        for (micros, count) in heaps {
            for at in 0..4 {
                let bucket = spread::narrow_bucket(*micros) + at;
                let low = u64::try_from(spread::range(bucket).0).unwrap();
                *buckets.entry(low).or_insert(0) += count / 4;
            }
        }
        Times {
            count: buckets.values().sum(),
            sum: buckets.iter().map(|(low, count)| low * count).sum(),
            least: *buckets.keys().next().unwrap(),
            most: *buckets.keys().last().unwrap(),
            buckets: buckets.into_iter().collect(),
        }
    }

    struct Given {
        heaps: Vec<(u64, u64)>,
        cached: Option<(u64, u64)>,
        /// The shortest event of the log.
        least: u64,
        is_fine: bool,
        rows: (u64, u64),
    }

    fn given(heaps: &[(u64, u64)]) -> Given {
        Given { heaps: heaps.to_vec(), cached: None, least: 20, is_fine: true, rows: (10, 12) }
    }

    fn found(given: &Given) -> Option<Finding> {
        let times = times(&given.heaps);
        let rows = PerCall { mean: Amount::whole(given.rows.0), most: Amount::whole(given.rows.1) };
        let class = Class {
            load: Load { rows_examined: Some(rows), ..Load::default() },
            measured: Some(Measured {
                time: Some(times.clone()),
                cached: given.cached,
                ..Measured::default()
            }),
            ..fixture("SELECT a FROM t WHERE b = 1")
        };
        let all = Times { least: given.least, ..times };
        let whole = Whole {
            measured: Measured { time: Some(all), ..Measured::default() },
            is_fine: given.is_fine,
            ..Whole::default()
        };
        let workload = Workload { classes: vec![class], ..Workload::default() };
        let facts = ServerFacts::default();
        let case =
            Case { workload: &workload, whole: &whole, seen: None, facts: &facts, schema: None };
        look(&case).pop()
    }

    #[test]
    fn two_heaps_are_told_with_their_shares() {
        let told = found(&given(&[(1_000, 800), (200_000, 200)])).unwrap();
        assert_eq!(told.evidence[0], Fact::number("fast_percent", Amount::whole(80)));
        assert_eq!(told.evidence[2], Fact::number("slow_percent", Amount::whole(20)));
        // Heaps are four buckets of 5 % wide: 1 to 1.22 ms, 198 to 241 ms.
        let seconds = |name: &str| {
            let fact = told.evidence.iter().find(|fact| fact.name == name).map(|it| &it.value);
            match fact {
                Some(crate::advice::Value::Number(amount)) => *amount,
                _ => Amount::ZERO,
            }
        };
        let is_within = |name: &str, low: &str, high: &str| {
            let bound = |text| Amount::parse(text).unwrap();
            (bound(low)..bound(high)).contains(&seconds(name))
        };
        assert!(is_within("fast_seconds_about", "0.00095", "0.00123"));
        assert!(is_within("slow_seconds_about", "0.19", "0.242"));
        assert!(is_within("parted_at_seconds", "0.0013", "0.19"));
        assert!(told.recommendation.text.contains("about as many rows"));
        let uneven = Given { rows: (1_000, 90_000), ..given(&[(1_000, 800), (200_000, 200)]) };
        assert!(found(&uneven).unwrap().recommendation.text.contains("literals first"));
    }

    #[test]
    fn what_explains_it_is_silent() {
        let heaps = [(1_000, 800), (200_000, 200)];
        // The cache answered 790 of 1,000; only 300 of them.
        assert_eq!(found(&Given { cached: Some((790, 210)), ..given(&heaps) }), None);
        assert!(found(&Given { cached: Some((300, 700)), ..given(&heaps) }).is_some());
        // A threshold of 1 ms; whole seconds.
        assert_eq!(found(&Given { least: 1_000, ..given(&heaps) }), None);
        assert_eq!(found(&Given { is_fine: false, ..given(&heaps) }), None);
    }

    #[test]
    fn a_few_or_near_ones_are_silent() {
        // 5 % of the events; three times apart; 80 events; less than a second in all.
        assert_eq!(found(&given(&[(1_000, 1_900), (200_000, 100)])), None);
        assert_eq!(found(&given(&[(100_000, 800), (300_000, 200)])), None);
        assert_eq!(found(&given(&[(1_000, 40), (200_000, 40)])), None);
        assert_eq!(found(&given(&[(20, 800), (2_000, 200)])), None);
    }
}
