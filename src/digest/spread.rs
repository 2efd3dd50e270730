//! How values are spread: the values themselves while there are few, else counts in buckets
//! whose bounds grow by 1.05.
//!
//! The buckets are those of pt-query-digest: bucket 0 holds what is below a millionth, bucket
//! `i` from 1 to 999 holds from 1.05^(i−1) up to 1.05^i millionths, the last one all beyond. The
//! bounds are whole numbers here, so every machine puts a value into the same bucket.

/// Number of buckets.
pub const BUCKETS: usize = 1000;
/// Values that are kept as they are.
pub const EXACT: usize = 32;

/// Where buckets begin.
struct Tables {
    /// The least whole number of millionths of each bucket.
    bounds: [u128; BUCKETS],
    /// The same as far as 64 bits go, then the largest number, so that no number is past it.
    narrow: [u64; BUCKETS],
    /// For each power of two and each thirty-second part of it, the bucket of its first number.
    start: [u16; 64 * PARTS],
}

static TABLES: Tables = tables();

const PARTS: usize = 32;

const fn tables() -> Tables {
    let bounds = bounds();
    let mut narrow = [u64::MAX; BUCKETS];
    let mut place = 0;
    while place < BUCKETS && bounds[place] <= u64::MAX as u128 {
        narrow[place] = bounds[place] as u64;
        place += 1;
    }
    let mut start = [0; 64 * PARTS];
    let (mut place, mut bucket) = (0, 0);
    while place < start.len() {
        let first = ((PARTS + place % PARTS) as u128) << (place / PARTS) >> PARTS.ilog2();
        while bounds[bucket + 1] <= first {
            bucket += 1;
        }
        start[place] = bucket as u16;
        place += 1;
    }
    Tables { bounds, narrow, start }
}

/// Powers of 1.05 with 512 binary places behind the point, rounded up to whole numbers. The
/// error grows by 1.05 a step from 2^-512 and stays far below the distance of any power from a
/// whole number.
const fn bounds() -> [u128; BUCKETS] {
    const PLACES: usize = 8;
    let mut power = [0u64; PLACES + 2];
    power[PLACES] = 1;
    let mut bounds = [0; BUCKETS];
    let mut bucket = 1;
    while bucket < BUCKETS {
        let whole = power[PLACES] as u128 | (power[PLACES + 1] as u128) << 64;
        bounds[bucket] = if bucket == 1 { whole } else { whole + 1 };
        let (mut limb, mut carry) = (0, 0);
        while limb < power.len() {
            let product = power[limb] as u128 * 21 + carry;
            power[limb] = product as u64;
            carry = product >> 64;
            limb += 1;
        }
        let mut rest = 0;
        while limb > 0 {
            limb -= 1;
            let dividend = rest << 64 | power[limb] as u128;
            power[limb] = (dividend / 20) as u64;
            rest = dividend % 20;
        }
        bucket += 1;
    }
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

/// The bucket of a number of millionths below 2^64.
#[inline]
pub fn narrow_bucket(millionths: u64) -> usize {
    let unused = (millionths | 1).leading_zeros();
    let exponent = 63 - unused as usize;
    let part = (millionths << unused >> (63 - PARTS.ilog2())) as usize % PARTS;
    let start = usize::from(TABLES.start[exponent * PARTS + part]);
    // A part is narrower than a bucket, so the next bucket is the only other choice.
    let is_next = TABLES.narrow[start + 1] <= millionths && millionths != u64::MAX;
    if millionths == 0 { 0 } else { start + usize::from(is_next) }
}

/// Makes room for a bucket among counts of the buckets from `low` on; gives the new `low`.
#[cold]
pub fn reach(counts: &mut Vec<u32>, low: u16, bucket: usize) -> u16 {
    // A line of memory at once.
    const STEP: usize = 16;
    let (step, behind) = (bucket / STEP * STEP, bucket / STEP * STEP + STEP);
    let first = if counts.is_empty() { step } else { usize::from(low) };
    let before = first.saturating_sub(step);
    let after = behind.saturating_sub(first + counts.len());
    counts.reserve_exact(before + after);
    counts.splice(0..0, std::iter::repeat_n(0, before));
    counts.resize(counts.len() + after, 0);
    (first - before) as u16
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
        /// What did not fit there, by bucket.
        over: Vec<(u16, u64)>,
    },
}

impl Spread {
    /// An empty spread. `exact` says whether few values are kept as they are.
    pub fn new(exact: bool) -> Spread {
        if exact {
            Spread::Values(Vec::new())
        } else {
            Spread::Buckets { low: 0, counts: Vec::new(), over: Vec::new() }
        }
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        match self {
            Spread::Values(values) => values.len() as u64,
            Spread::Buckets { counts, over, .. } => {
                let over: u64 = over.iter().map(|(_, count)| count).sum();
                counts.iter().map(|count| u64::from(*count)).sum::<u64>() + over
            }
        }
    }

    /// Adds a value in units of `factor` millionths.
    pub fn add(&mut self, value: i128, factor: Factor) {
        self.add_times(value, factor, 1);
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
            values.into_iter().for_each(|value| self.add_times(value, factor, 1));
        }
    }

    /// Adds a value so many times.
    pub fn add_times(&mut self, value: i128, factor: Factor, times: u64) {
        if let Spread::Values(values) = self {
            let room = (EXACT - values.len()) as u64;
            if times <= room {
                values.extend(std::iter::repeat_n(value, times as usize));
                return;
            }
            self.pour(factor);
        }
        self.count_bucket(bucket(factor.millionths(value)), times);
    }

    fn count_bucket(&mut self, bucket: usize, times: u64) {
        let Spread::Buckets { low, counts, over } = self else { return };
        *low = reach(counts, *low, bucket);
        let place = bucket - usize::from(*low);
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
        let Spread::Buckets { low, counts, over } = self else { return Vec::new() };
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
        spread.add_times(7, ONE, u64::from(u32::MAX));
        spread.add_times(7, ONE, 3);
        spread.add_times(7, ONE, 1 << 40);
        spread.add_times(1, ONE, 5);
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
