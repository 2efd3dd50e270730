//! Numbers of one attribute of one class while events come in.
//!
//! A run adds some ten numbers for each event, mostly to classes that are not in the nearest
//! cache. So what is touched is packed: whole numbers below 2^43 with 64 bits each, zeros (half of
//! all numbers in a log) only counted. Anything else goes to a [`Stat`], which takes every number;
//! at the end all become one.

use crate::digest::spread::{self, EXACT, Spread};
use crate::digest::stat::{self, Rules, Stat};
use crate::digest::wide::Squares;
use crate::metric::Kind;

/// Numbers from here on are not packed: a million times as much still has to fit into 64 bits,
/// and a million million squares into 128.
const LIMIT: u64 = 1 << 43;

/// The numbers but for zeros.
#[derive(Debug)]
pub enum Numbers {
    /// All below [`LIMIT`], and so is their sum below 2^64.
    Packed(Packed),
    /// Any.
    Any(Box<Stat>),
}

/// Numbers below [`LIMIT`].
#[derive(Debug)]
pub struct Packed {
    sum: u64,
    min: u64,
    max: u64,
    kept: Kept,
    squares: u128,
}

#[derive(Debug)]
enum Kept {
    /// Up to [`EXACT`] of them.
    Values(Vec<u64>),
    /// Counts of the buckets from `low` on.
    Buckets { counts: Vec<u32>, low: u16 },
}

impl Numbers {
    /// None yet.
    pub fn new(rules: Rules) -> Numbers {
        let kept = match rules {
            Rules::Default => Kept::Values(Vec::new()),
            Rules::Peer => Kept::Buckets { counts: Vec::new(), low: 0 },
        };
        Numbers::Packed(Packed::of(kept))
    }

    /// Adds a number that is not zero.
    #[inline]
    pub fn add(&mut self, value: i128, kind: Kind, rules: Rules) {
        if let Numbers::Packed(packed) = self
            && let Ok(small) = u64::try_from(value)
            && packed.add(small, kind)
        {
            return;
        }
        self.add_any(value, kind, rules);
    }

    #[cold]
    fn add_any(&mut self, value: i128, kind: Kind, rules: Rules) {
        if let Numbers::Packed(packed) = self {
            let packed = std::mem::replace(packed, Packed::of(Kept::Values(Vec::new())));
            *self = Numbers::Any(Box::new(packed.stat(rules)));
        }
        if let Numbers::Any(stat) = self {
            stat.add(value, kind);
        }
    }

    /// All of them with so many zeros; `None` if there is not one.
    pub fn finish(self, zeros: u64, kind: Kind, rules: Rules) -> Option<Box<Stat>> {
        let mut stat = match self {
            Numbers::Packed(packed) => Box::new(packed.stat(rules)),
            Numbers::Any(stat) => stat,
        };
        if zeros > 0 {
            stat.add_zeros(zeros, kind);
        }
        (stat.count > 0).then_some(stat)
    }
}

impl Packed {
    fn of(kept: Kept) -> Packed {
        Packed { sum: 0, min: u64::MAX, max: 0, kept, squares: 0 }
    }

    /// Adds a number if it can be packed.
    #[inline]
    fn add(&mut self, value: u64, kind: Kind) -> bool {
        let Some(sum) = self.sum.checked_add(value).filter(|_| value < LIMIT) else { return false };
        if !self.kept.add(value, kind) {
            return false;
        }
        self.sum = sum;
        self.squares += u128::from(value) * u128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        true
    }

    fn stat(self, rules: Rules) -> Stat {
        let mut stat = Stat::new(rules);
        stat.spread = match self.kept {
            Kept::Values(values) => {
                Spread::Values(values.into_iter().map(i128::from).collect::<Vec<_>>())
            }
            Kept::Buckets { counts, low } => Spread::Buckets { low, counts, over: Vec::new() },
        };
        stat.count = stat.spread.count();
        if stat.count > 0 {
            stat.sum = i128::from(self.sum);
            stat.squares = Squares::of(self.squares);
            stat.min = i128::from(self.min);
            stat.max = i128::from(self.max);
        }
        stat
    }
}

impl Kept {
    /// Keeps a number; not if its bucket is full.
    #[inline]
    fn add(&mut self, value: u64, kind: Kind) -> bool {
        match self {
            Kept::Buckets { counts, low } => {
                let bucket = bucket(value, kind);
                let place = bucket.wrapping_sub(usize::from(*low));
                if let Some(count) = counts.get_mut(place) {
                    let (more, is_full) = count.overflowing_add(1);
                    if is_full {
                        return false;
                    }
                    *count = more;
                    return true;
                }
                *low = spread::reach(counts, *low, bucket);
                counts[bucket - usize::from(*low)] += 1;
            }
            Kept::Values(values) if values.len() < EXACT => values.push(value),
            Kept::Values(values) => {
                let values = std::mem::take(values);
                *self = Kept::Buckets { counts: Vec::new(), low: 0 };
                values.into_iter().for_each(|value| {
                    self.add(value, kind);
                });
                self.add(value, kind);
            }
        }
        true
    }
}

/// The bucket of a number below [`LIMIT`].
#[inline]
fn bucket(value: u64, kind: Kind) -> usize {
    let factor = stat::factor(kind);
    let millionths =
        if factor.parts == 1 { value * factor.times as u64 } else { value / factor.parts as u64 };
    spread::narrow_bucket(millionths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = i128> {
        prop_oneof![
            3 => Just(0i128),
            6 => 0i128..5_000_000,
            1 => -3i128..3,
            1 => (0u32..100).prop_map(|bits| 1i128 << bits),
            1 => Just(i128::from(LIMIT) - 1),
        ]
    }

    proptest! {
        #[test]
        fn packed_numbers_come_to_the_same_as_others(
            values in prop::collection::vec(value(), 0..90),
            kind in prop::sample::select(vec![Kind::Time, Kind::Count, Kind::Number]),
            rules in prop::sample::select(vec![Rules::Default, Rules::Peer]),
        ) {
            let mut numbers = Numbers::new(rules);
            let mut zeros = 0;
            let mut want = Stat::new(rules);
            for value in &values {
                want.add(*value, kind);
                match value {
                    0 => zeros += 1,
                    value => numbers.add(*value, kind, rules),
                }
            }
            let got = numbers.finish(zeros, kind, rules);
            prop_assert_eq!(got.as_deref(), (!values.is_empty()).then_some(&want));
        }
    }

    #[test]
    fn sums_past_64_bits_are_exact() {
        let mut numbers = Numbers::new(Rules::Default);
        let value = LIMIT - 1;
        let Numbers::Packed(packed) = &mut numbers else { unreachable!() };
        packed.sum = u64::MAX - 5;
        numbers.add(i128::from(value), Kind::Count, Rules::Default);
        assert!(matches!(numbers, Numbers::Any(_)));
    }

    #[test]
    fn a_full_bucket_is_no_end() {
        let mut numbers = Numbers::new(Rules::Peer);
        numbers.add(7, Kind::Count, Rules::Peer);
        let Numbers::Packed(packed) = &mut numbers else { unreachable!() };
        let Kept::Buckets { counts, .. } = &mut packed.kept else { unreachable!() };
        counts[0] = u32::MAX;
        numbers.add(7, Kind::Count, Rules::Peer);
        let stat = numbers.finish(0, Kind::Count, Rules::Peer).unwrap();
        assert_eq!(stat.count, u64::from(u32::MAX) + 1);
    }
}
