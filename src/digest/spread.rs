//! How values are spread: the values themselves while there are few, else counts in buckets
//! whose bounds grow by 1.05.
//!
//! The buckets are those of pt-query-digest: bucket 0 holds what is below a millionth, bucket
//! `i` from 1 to 999 holds from 1.05^(i−1) up to 1.05^i millionths, the last one all beyond. The
//! bounds are whole numbers here, so every machine puts a value into the same bucket.

use std::sync::LazyLock;

/// Number of buckets.
pub const BUCKETS: usize = 1000;
/// Values that are kept as they are.
pub const EXACT: usize = 32;

/// Where buckets begin.
struct Tables {
    /// The least whole number of millionths of each bucket.
    bounds: Vec<u128>,
    /// The same as far as 64 bits go, then the largest number.
    narrow: Vec<u64>,
    /// For each power of two and each thirty-second part of it, the bucket of its first number.
    start: Vec<u16>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let bounds = bounds();
    let narrow = bounds.iter().map(|bound| u64::try_from(*bound).unwrap_or(u64::MAX)).collect();
    let first = |place: usize| match place / PARTS {
        exponent if exponent < 5 => 1u64 << exponent,
        exponent => (1u64 << exponent) + ((place % PARTS) as u64) * (1u64 << (exponent - 5)),
    };
    let bucket = |first: u64| bounds.partition_point(|bound| *bound <= u128::from(first)) - 1;
    let start = (0..64 * PARTS).map(|place| bucket(first(place)) as u16).collect();
    Tables { bounds, narrow, start }
});

const PARTS: usize = 32;
/// The first bucket whose bound is past 64 bits: 1.05^909 < 2^64 < 1.05^910.
const LAST_NARROW: usize = 911;

/// Powers of 1.05 with 512 binary places behind the point, rounded up to whole numbers. The
/// error grows by 1.05 a step from 2^-512 and stays far below the distance of any power from a
/// whole number.
fn bounds() -> Vec<u128> {
    const PLACES: usize = 8;
    let mut power = [0u64; PLACES + 2];
    power[PLACES] = 1;
    let mut bounds = vec![0];
    for step in 0..BUCKETS {
        let whole = u128::from(power[PLACES]) | u128::from(power[PLACES + 1]) << 64;
        bounds.push(if step == 0 { whole } else { whole + 1 });
        let mut carry = 0;
        for limb in &mut power {
            let product = u128::from(*limb) * 21 + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        let mut rest = 0;
        for limb in power.iter_mut().rev() {
            let dividend = rest << 64 | u128::from(*limb);
            *limb = (dividend / 20) as u64;
            rest = dividend % 20;
        }
    }
    bounds.truncate(BUCKETS);
    bounds
}

fn search(millionths: u128) -> usize {
    TABLES.bounds.partition_point(|bound| *bound <= millionths) - 1
}

/// The bucket of a number of millionths.
pub fn bucket(millionths: u128) -> usize {
    match u64::try_from(millionths) {
        Ok(small) => narrow_bucket(small),
        Err(_) => search(millionths),
    }
}

fn narrow_bucket(millionths: u64) -> usize {
    let exponent = (millionths | 1).ilog2() as usize;
    if exponent < 5 {
        return search(u128::from(millionths));
    }
    let tables = &*TABLES;
    let part = (millionths >> (exponent - 5)) as usize % PARTS;
    let start = usize::from(tables.start[exponent * PARTS + part]);
    // A part is narrower than a bucket, so the next bucket is the only other choice.
    match tables.narrow.get(start + 1) {
        Some(next) if *next <= millionths && start + 1 < LAST_NARROW => start + 1,
        _ => start,
    }
}

/// The least number of millionths in a bucket, and the least one behind it (`None` for the last).
pub fn range(bucket: usize) -> (u128, Option<u128>) {
    (TABLES.bounds[bucket], TABLES.bounds.get(bucket + 1).copied())
}

/// Millionths in one unit: `times / parts`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// Multiplied by this,
    pub times: u128,
    /// divided by that.
    pub parts: u128,
}

impl Factor {
    fn millionths(self, value: i128) -> u128 {
        let value = u128::try_from(value).unwrap_or(0);
        if self.parts == 1 {
            value.saturating_mul(self.times)
        } else {
            value.saturating_mul(self.times) / self.parts
        }
    }
}

/// Values as they are, or counts by bucket.
#[derive(Debug, Clone)]
pub enum Spread {
    /// Up to [`EXACT`] values, in any order.
    Values(Vec<i128>),
    /// Counts of the buckets from `low` on.
    Buckets {
        /// The first bucket that is counted.
        low: u16,
        /// Its count and those behind it.
        counts: Vec<u32>,
        /// What did not fit there, by bucket: half the width keeps a busy log's counts in cache.
        over: Vec<(u16, u64)>,
        /// The value counted last and its bucket: the next value is often the same.
        last: (u64, u16),
    },
}

impl Spread {
    /// An empty spread. `exact` says whether few values are kept as they are.
    pub fn new(exact: bool) -> Spread {
        if exact {
            Spread::Values(Vec::new())
        } else {
            Spread::Buckets { low: 0, counts: Vec::new(), over: Vec::new(), last: (0, 0) }
        }
    }

    /// Adds a value in units of `factor` millionths.
    pub fn add(&mut self, value: i128, factor: Factor) {
        match self {
            Spread::Values(values) => {
                if values.len() < EXACT {
                    values.push(value);
                    return;
                }
                self.pour(factor);
                self.count(value, factor, 1);
            }
            Spread::Buckets { .. } => self.count(value, factor, 1),
        }
    }

    /// Joins another spread of the same attribute.
    pub fn merge(&mut self, other: &Spread, factor: Factor) {
        match other {
            Spread::Values(values) => {
                values.iter().for_each(|value| self.add(*value, factor));
            }
            Spread::Buckets { .. } => {
                self.pour(factor);
                for (bucket, count) in other.counted() {
                    self.count_bucket(bucket, count);
                }
            }
        }
    }

    fn pour(&mut self, factor: Factor) {
        if let Spread::Values(values) = self {
            let values = std::mem::take(values);
            *self = Spread::new(false);
            values.into_iter().for_each(|value| self.count(value, factor, 1));
        }
    }

    fn count(&mut self, value: i128, factor: Factor, times: u64) {
        // Nearly every value: 64 bits are enough for it in millionths.
        if let Ok(value) = u64::try_from(value)
            && factor.parts == 1
            && let Some(millionths) = value.checked_mul(factor.times as u64)
        {
            let known = match self {
                Spread::Buckets { last: (last, bucket), .. } if *last == millionths => *bucket,
                _ => narrow_bucket(millionths) as u16,
            };
            if let Spread::Buckets { last, .. } = self {
                *last = (millionths, known);
            }
            return self.count_bucket(usize::from(known), times);
        }
        self.count_bucket(bucket(factor.millionths(value)), times);
    }

    fn count_bucket(&mut self, bucket: usize, times: u64) {
        let Spread::Buckets { low, counts, over, .. } = self else { return };
        let first = usize::from(*low);
        let place = if counts.is_empty() {
            *low = bucket as u16;
            counts.push(0);
            0
        } else if bucket < first {
            counts.splice(0..0, std::iter::repeat_n(0, first - bucket));
            *low = bucket as u16;
            0
        } else {
            let place = bucket - first;
            if place >= counts.len() {
                counts.resize(place + 1, 0);
            }
            place
        };
        let sum = u64::from(counts[place]) + times;
        if let Ok(sum) = u32::try_from(sum) {
            counts[place] = sum;
            return;
        }
        counts[place] = 0;
        match over.iter_mut().find(|(other, _)| usize::from(*other) == bucket) {
            Some((_, count)) => *count += sum,
            None => over.push((bucket as u16, sum)),
        }
    }

    /// Counts by bucket, from the lowest, buckets without a value left out.
    pub fn buckets(&self, factor: Factor) -> Vec<(usize, u64)> {
        match self {
            Spread::Values(_) => {
                let mut poured = self.clone();
                poured.pour(factor);
                poured.buckets(factor)
            }
            Spread::Buckets { .. } => self.counted(),
        }
    }

    fn counted(&self) -> Vec<(usize, u64)> {
        let Spread::Buckets { low, counts, over, .. } = self else { return Vec::new() };
        let counted = counts.iter().enumerate().map(|(place, count)| {
            let bucket = usize::from(*low) + place;
            let more = over.iter().find(|(other, _)| usize::from(*other) == bucket);
            (bucket, u64::from(*count) + more.map_or(0, |(_, count)| *count))
        });
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// The values from the smallest, if they are kept as they are.
    pub fn values(&self) -> Option<Vec<i128>> {
        match self {
            Spread::Values(values) => {
                let mut values = values.clone();
                values.sort_unstable();
                Some(values)
            }
            Spread::Buckets { .. } => None,
        }
    }
}

impl PartialEq for Spread {
    fn eq(&self, other: &Spread) -> bool {
        match (self.values(), other.values()) {
            (Some(a), Some(b)) => a == b,
            // Neither has values any more, so no factor is asked for.
            (None, None) => self.counted() == other.counted(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: Factor = Factor { times: 1, parts: 1 };

    #[test]
    fn buckets_are_those_of_the_peer() {
        // Value in millionths and its bucket, as pt-query-digest 3.7.1 has them.
        for (millionths, want) in [
            (0, 0),
            (1, 1),
            (2, 15),
            (1_000, 142),
            (100_000, 236),
            (1_000_000, 284),
            (2_000_000, 298),
            (3_000_000, 306),
            (10_000_000, 331),
            (1_000_000_000, 425),
            (1_000_000_000_000, 567),
            (1_000_000_000_000_000, 708),
            (10_000_000_000_000_000_000_000, 999),
        ] {
            assert_eq!(bucket(millionths), want, "{millionths}");
        }
    }

    #[test]
    fn bounds_are_powers_rounded_up() {
        assert_eq!(range(0), (0, Some(1)));
        assert_eq!(range(1), (1, Some(2)));
        // 1.05^20 = 2.65329…, 1.05^100 = 131.50125…, 1.05^284 = 1,041,743.…
        assert_eq!(range(21).0, 3);
        assert_eq!(range(101).0, 132);
        assert_eq!(range(285).0, 1_041_744);
        assert_eq!(range(BUCKETS - 1).1, None);
    }

    #[test]
    fn counts_beyond_32_bits_are_exact() {
        let mut spread = Spread::new(false);
        spread.count(7, ONE, u64::from(u32::MAX));
        spread.count(7, ONE, 3);
        spread.count(7, ONE, 1 << 40);
        spread.count(1, ONE, 5);
        let mut whole = Spread::new(true);
        whole.merge(&spread, ONE);
        whole.merge(&spread, ONE);
        let sevens = 2 * (u64::from(u32::MAX) + 3 + (1 << 40));
        assert_eq!(whole.counted(), [(bucket(1), 10), (bucket(7), sevens)]);
    }

    proptest! {
        #[test]
        fn the_table_and_the_search_agree(millionths in any::<u64>(), shift in 0u32..64) {
            let millionths = u128::from(millionths >> shift);
            prop_assert_eq!(bucket(millionths), search(millionths));
        }

        #[test]
        fn buckets_are_those_of_the_logarithm(millionths in 1u64..1_000_000_000_000_000, shift in 0u32..50) {
            let millionths = (millionths >> shift).max(1);
            let base = 1.05f64.ln();
            let offset = (1.0 - 0.000001f64.ln() / base).abs();
            let want = (offset + (millionths as f64 / 1e6).ln() / base) as usize;
            prop_assert_eq!(bucket(u128::from(millionths)), want.min(999));
        }

        #[test]
        fn a_spread_depends_on_the_values_alone(
            values in prop::collection::vec(0i64..1_000_000_000, 0..80),
            cut in any::<prop::sample::Index>(),
        ) {
            let of = |values: &[i64]| {
                let mut spread = Spread::new(true);
                values.iter().for_each(|value| spread.add(i128::from(*value), ONE));
                spread
            };
            let (left, right) = values.split_at(cut.index(values.len() + 1));
            let mut there = of(left);
            there.merge(&of(right), ONE);
            let mut back = of(right);
            back.merge(&of(left), ONE);
            prop_assert_eq!(&there, &of(&values));
            prop_assert_eq!(&back, &of(&values));
        }
    }
}
