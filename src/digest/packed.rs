//! Numbers of one attribute of one class while events come in.
//!
//! A run adds some ten numbers for each event, mostly to classes that are not in the nearest
//! cache. So what is touched is packed: whole numbers below 2^43 with 64 bits each, zeros (half of
//! all numbers in a log) only counted, by the class. Anything else goes to a [`Stat`], which takes
//! every number; who asks for one gets one in any case.

use crate::digest::spread::{self, EXACT, Spread};
use crate::digest::stat::{self, Rules, Stat, Totals};
use crate::digest::wide::Squares;
use crate::metric::Kind;

/// Numbers from here on are not packed: a million times as much still has to fit into 64 bits,
/// and a million million squares into 128.
const LIMIT: u64 = 1 << 43;

/// The numbers but for zeros.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// All below [`LIMIT`], and so is their sum below 2^64.
    Packed(Packed),
    /// Any.
    Any(Box<Stat>),
}

/// Numbers below [`LIMIT`].
#[derive(Debug, Clone)]
pub struct Packed {
    sum: u64,
    min: u64,
    max: u64,
    kept: Kept,
    squares: u128,
}

#[derive(Debug, Clone)]
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
    pub fn add(&mut self, value: i128, kind: Kind) {
        if let Numbers::Packed(packed) = self
            && let Ok(small) = u64::try_from(value)
            && packed.add(small, kind)
        {
            return;
        }
        self.with_any(|stat| stat.add(value, kind));
    }

    /// Joins the numbers of another part of the run.
    pub fn merge(&mut self, other: &Numbers, kind: Kind) {
        if let (Numbers::Packed(own), Numbers::Packed(other)) = (&mut *self, other)
            && own.merge(other, kind)
        {
            return;
        }
        match other {
            Numbers::Packed(other) => self.with_any(|stat| stat.merge(&other.stat(), kind)),
            Numbers::Any(other) => self.with_any(|stat| stat.merge(other, kind)),
        }
    }

    /// Changes them where they cannot be packed, or no longer.
    #[cold]
    fn with_any(&mut self, change: impl FnOnce(&mut Stat)) {
        match self {
            Numbers::Any(stat) => change(stat),
            Numbers::Packed(packed) => {
                let mut stat = Box::new(packed.stat());
                change(&mut stat);
                *self = Numbers::Any(stat);
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Numbers::Packed(packed) if packed.max == 0)
    }

    /// What they come to with so many zeros; `None` if there is not one.
    pub fn totals(&self, zeros: u64) -> Option<Totals> {
        let mut totals = match self {
            Numbers::Packed(packed) => packed.totals(),
            Numbers::Any(stat) => stat.totals(),
        };
        if zeros > 0 {
            totals.count += zeros;
            totals.min = totals.min.min(0);
            totals.max = totals.max.max(0);
        }
        (totals.count > 0).then_some(totals)
    }

    /// All of them with so many zeros; `None` if there is not one.
    pub fn stat(&self, zeros: u64, kind: Kind) -> Option<Stat> {
        let mut stat = match self {
            Numbers::Packed(packed) => packed.stat(),
            Numbers::Any(stat) => (**stat).clone(),
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

    /// Joins others; does nothing if they cannot be packed together.
    fn merge(&mut self, other: &Packed, kind: Kind) -> bool {
        let Some(sum) = self.sum.checked_add(other.sum) else { return false };
        if !self.kept.merge(&other.kept, kind) {
            return false;
        }
        self.sum = sum;
        self.squares += other.squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        true
    }

    fn totals(&self) -> Totals {
        match self.kept.count() {
            0 => Totals { count: 0, sum: 0, min: i128::MAX, max: i128::MIN },
            count => Totals {
                count,
                sum: i128::from(self.sum),
                min: i128::from(self.min),
                max: i128::from(self.max),
            },
        }
    }

    fn stat(&self) -> Stat {
        let Totals { count, sum, min, max } = self.totals();
        let spread = match &self.kept {
            Kept::Values(values) => {
                Spread::Values(values.iter().copied().map(i128::from).collect())
            }
            Kept::Buckets { counts, low } => {
                Spread::Buckets { low: *low, counts: counts.clone(), over: Vec::new() }
            }
        };
        Stat { count, sum, squares: Squares::of(self.squares), min, max, spread }
    }
}

/// The room that a list takes for its first number; more than that, and there will be many.
const FEW: usize = 4;

impl Kept {
    /// So many values that they are counted from now on.
    #[cold]
    fn counted(values: &[u64], kind: Kind) -> Kept {
        let (mut counts, mut low) = (Vec::new(), 0);
        let ends = [values.iter().min(), values.iter().max()];
        for end in ends.into_iter().flatten() {
            low = spread::reach(&mut counts, low, bucket(*end, kind));
        }
        for value in values {
            counts[bucket(*value, kind) - usize::from(low)] += 1;
        }
        Kept::Buckets { counts, low }
    }

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
            Kept::Values(values) if values.len() < EXACT => {
                if values.len() == FEW {
                    values.reserve_exact(EXACT - FEW);
                }
                values.push(value);
            }
            Kept::Values(values) => {
                values.push(value);
                *self = Kept::counted(values, kind);
            }
        }
        true
    }
}

impl Kept {
    fn count(&self) -> u64 {
        match self {
            Kept::Values(values) => values.len() as u64,
            Kept::Buckets { counts, .. } => counts.iter().map(|count| u64::from(*count)).sum(),
        }
    }

    /// Joins others; does nothing if a bucket would be full.
    fn merge(&mut self, other: &Kept, kind: Kind) -> bool {
        match (&mut *self, other) {
            (_, Kept::Values(values)) => {
                let has_room = match self {
                    Kept::Values(_) => true,
                    Kept::Buckets { counts, .. } => {
                        counts.iter().all(|count| *count <= u32::MAX - EXACT as u32)
                    }
                };
                has_room && values.iter().all(|value| self.add(*value, kind))
            }
            (Kept::Values(values), Kept::Buckets { .. }) => {
                let mut all = other.clone();
                let fits = all.merge(&Kept::Values(values.clone()), kind);
                if fits {
                    *self = all;
                }
                fits
            }
            (Kept::Buckets { counts, low }, Kept::Buckets { counts: others, low: other_low }) => {
                let Some(last) = others.len().checked_sub(1) else { return true };
                let first = usize::from(*other_low);
                for bucket in [first, first + last] {
                    *low = spread::reach(counts, *low, bucket);
                }
                let counts = &mut counts[first - usize::from(*low)..];
                let fits = |(own, other): (&u32, &u32)| own.checked_add(*other).is_some();
                if !counts.iter().zip(others).all(fits) {
                    return false;
                }
                for (own, other) in counts.iter_mut().zip(others) {
                    *own += other;
                }
                true
            }
        }
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
                    value => numbers.add(*value, kind),
                }
            }
            let got = numbers.stat(zeros, kind);
            prop_assert_eq!(numbers.totals(zeros), got.as_ref().map(Stat::totals));
            prop_assert_eq!(got, (!values.is_empty()).then_some(want));
        }
    }

    fn numbers(values: &[i128], kind: Kind, rules: Rules) -> Numbers {
        let mut numbers = Numbers::new(rules);
        values.iter().filter(|value| **value != 0).for_each(|value| numbers.add(*value, kind));
        numbers
    }

    proptest! {
        #[test]
        fn parts_of_any_size_come_to_the_same_as_all(
            values in prop::collection::vec(value(), 0..90),
            cut in 0usize..90,
            kind in prop::sample::select(vec![Kind::Time, Kind::Count, Kind::Number]),
            rules in prop::sample::select(vec![Rules::Default, Rules::Peer]),
        ) {
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut merged = numbers(left, kind, rules);
            merged.merge(&numbers(right, kind, rules), kind);
            let want = numbers(&values, kind, rules);
            prop_assert_eq!(merged.stat(0, kind), want.stat(0, kind));
            prop_assert_eq!(merged.is_empty(), values.iter().all(|value| *value == 0));
        }
    }

    #[test]
    fn parts_that_fill_a_bucket_or_the_sum_are_joined_all_the_same() {
        let full = |kept: Kept| {
            let mut packed = Packed::of(kept);
            (packed.sum, packed.min, packed.max) = (u64::MAX - 6, 7, 7);
            Numbers::Packed(packed)
        };
        let nearly =
            || Kept::Buckets { counts: vec![u32::MAX - 1], low: bucket(7, Kind::Count) as u16 };
        for values in [vec![7; 2], vec![7; 40]] {
            let few = numbers(&values, Kind::Count, Rules::Default);
            for (mut own, other) in [(full(nearly()), few.clone()), (few.clone(), full(nearly()))] {
                own.merge(&other, Kind::Count);
                let stat = own.stat(0, Kind::Count).unwrap();
                assert_eq!(stat.count, u64::from(u32::MAX - 1) + values.len() as u64);
                assert_eq!(stat.sum, i128::from(u64::MAX - 6) + 7 * values.len() as i128);
            }
        }
        let mut packed = Packed::of(nearly());
        (packed.sum, packed.min, packed.max) = (7, 7, 7);
        let mut own = Numbers::Packed(packed);
        own.merge(&numbers(&[7, 7], Kind::Count, Rules::Default), Kind::Count);
        assert_eq!(own.stat(0, Kind::Count).unwrap().count, u64::from(u32::MAX) + 1);
    }

    #[test]
    fn sums_past_64_bits_are_exact() {
        let mut numbers = Numbers::new(Rules::Default);
        let value = LIMIT - 1;
        let Numbers::Packed(packed) = &mut numbers else { unreachable!() };
        packed.sum = u64::MAX - 5;
        numbers.add(i128::from(value), Kind::Count);
        assert!(matches!(numbers, Numbers::Any(_)));
    }

    #[test]
    fn a_full_bucket_is_no_end() {
        let mut numbers = Numbers::new(Rules::Peer);
        numbers.add(7, Kind::Count);
        let Numbers::Packed(packed) = &mut numbers else { unreachable!() };
        let Kept::Buckets { counts, low } = &mut packed.kept else { unreachable!() };
        counts[bucket(7, Kind::Count) - usize::from(*low)] = u32::MAX;
        numbers.add(7, Kind::Count);
        let stat = numbers.stat(0, Kind::Count).unwrap();
        assert_eq!(stat.count, u64::from(u32::MAX) + 1);
    }
}
