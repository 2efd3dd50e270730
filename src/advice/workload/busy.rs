//! The time in which statements ran, as far as a digest tells it.
//!
//! ```text
//! seconds    ...12..........3.......     a digit: statements ended in this second
//! statement      [======]                its end is known by the second, its length by a bucket
//! ```
//!
//! A digest knows the seconds in which statements ended, the seconds without an end between them,
//! and how long statements took, but not which statement was how long. So the time is bounded from
//! above, in two ways:
//!
//! - a stretch without an end is covered from its right end backwards only, by a statement that
//!   ended behind it, and so at most as far as the longest one reaches;
//! - of the statements that ended in one second the longest reaches furthest back, so all of them
//!   together cover at most as much as the longest ones do, one for each of these seconds.

use std::collections::BTreeMap;

use crate::digest::spread;

use super::Times;

const SECOND: u64 = 1_000_000;

/// Microseconds in which a statement ran, at most, out of the seconds in which one ended and the
/// stretches of seconds between them (how long, and how often). `None` where no end is known.
pub fn busy(times: &Times, active: u64, idle: &BTreeMap<u64, u64>) -> Option<u64> {
    if active == 0 {
        return None;
    }
    let reached = idle.iter().map(|(seconds, often)| {
        seconds.saturating_mul(SECOND).min(times.most).saturating_mul(*often)
    });
    let reached = reached.fold(times.most, u64::saturating_add);
    Some(active.saturating_mul(SECOND).saturating_add(reached.min(longest(times, active))))
}

/// Microseconds that so many of the longest statements took together, at most.
fn longest(times: &Times, count: u64) -> u64 {
    if count >= times.count {
        return times.sum;
    }
    let mut left = count;
    let mut sum = 0_u64;
    for (low, in_it) in times.buckets.iter().rev() {
        let (_, end) = spread::range(spread::narrow_bucket(*low));
        let end = end.and_then(|end| u64::try_from(end).ok()).unwrap_or(u64::MAX);
        let taken = left.min(*in_it);
        sum = sum.saturating_add(end.min(times.most).saturating_mul(taken));
        left -= taken;
    }
    sum.min(times.sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times in whole seconds.
    fn times(seconds: &[u64]) -> Times {
        let mut seconds = seconds.to_vec();
        seconds.sort_unstable();
        let bucket = |second: &u64| {
            (u64::try_from(spread::range(spread::narrow_bucket(second * SECOND)).0).unwrap(), 1)
        };
        Times {
            count: seconds.len() as u64,
            sum: seconds.iter().sum::<u64>() * SECOND,
            least: seconds.first().map_or(0, |it| it * SECOND),
            most: seconds.last().map_or(0, |it| it * SECOND),
            buckets: seconds.iter().map(bucket).collect(),
        }
    }

    #[track_caller]
    fn check(seconds: &[u64], active: u64, idle: &[(u64, u64)], want: Option<u64>) {
        let idle = idle.iter().copied().collect();
        assert_eq!(busy(&times(seconds), active, &idle), want.map(|it| it * SECOND));
    }

    #[test]
    fn statements_one_after_the_other_are_never_at_once() {
        // Three of 12 s, a hundred seconds apart: 3 seconds with an end and 36 s at most.
        check(&[12, 12, 12], 3, &[(99, 2)], Some(39));
    }

    #[test]
    fn statements_at_once_share_their_seconds() {
        // A hundred of 10 s that end within 4 seconds in a row: these and 10 s before.
        check(&[10; 100], 4, &[], Some(14));
        // An hour without anything between two such heaps counts as far as a statement reaches.
        check(&[10; 100], 4, &[(3_600, 1)], Some(24));
    }

    #[test]
    fn without_ends_nothing_is_known() {
        check(&[5], 0, &[], None);
    }
}
