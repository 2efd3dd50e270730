//! How often each value of a text attribute came.

use hashbrown::HashMap;

/// Counts by value. Of more distinct values than the bound, those with the least hashes are
/// kept: that choice depends on the values alone, so counts of kept values are exact and merging
/// is free of order. How often a value came that is not kept is counted in one sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// Counts while there are few values: no more than [`FEW`].
    few: Vec<(u64, Box<[u8]>, u64)>,
    many: HashMap<Box<[u8]>, (u64, u64), foldhash::fast::FixedState>,
    bound: usize,
    /// The greatest hash that is kept once values were dropped.
    limit: u64,
    total: u64,
}

const FEW: usize = 8;

impl Tally {
    /// Counts up to `bound` distinct values.
    pub fn new(bound: usize) -> Tally {
        Tally {
            few: Vec::new(),
            many: HashMap::default(),
            bound: bound.max(FEW),
            limit: u64::MAX,
            total: 0,
        }
    }

    /// Counts a value.
    pub fn add(&mut self, value: &[u8]) {
        self.count(hash(value), value, 1);
    }

    /// Counts a value with its hash so many times.
    pub(super) fn count(&mut self, hash: u64, value: &[u8], times: u64) {
        self.total += times;
        if self.many.is_empty() {
            let known =
                self.few.iter_mut().find(|(other, text, _)| *other == hash && **text == *value);
            if let Some((_, _, count)) = known {
                *count += times;
                return;
            }
            if self.few.len() < FEW {
                self.few.push((hash, value.into(), times));
                return;
            }
            self.many =
                self.few.drain(..).map(|(hash, text, count)| (text, (hash, count))).collect();
        }
        if hash > self.limit {
            return;
        }
        if let Some((_, count)) = self.many.get_mut(value) {
            *count += times;
            return;
        }
        self.many.insert(value.into(), (hash, times));
        if self.many.len() > 2 * self.bound {
            self.shrink();
        }
    }

    /// Drops values past the bound.
    fn shrink(&mut self) {
        if self.many.len() <= self.bound {
            return;
        }
        self.limit = self.settled_limit();
        let limit = self.limit;
        self.many.retain(|_, (hash, _)| *hash <= limit);
    }

    /// Joins the counts of another part of the run.
    pub fn merge(&mut self, other: &Tally) {
        self.limit = self.limit.min(other.limit);
        let limit = self.limit;
        self.many.retain(|_, (hash, _)| *hash <= limit);
        let before = self.total + other.total;
        for (hash, text, count) in &other.few {
            self.count(*hash, text, *count);
        }
        for (text, (hash, count)) in &other.many {
            self.count(*hash, text, *count);
        }
        self.total = before;
        self.shrink();
    }

    /// How often any value came.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Values and their counts, the most frequent first, equal ones in byte order; and how often
    /// values came that are not in the list.
    pub fn ranked(&self) -> (Vec<(&[u8], u64)>, u64) {
        let limit = self.settled_limit();
        let few = self.few.iter().map(|(_, text, count)| (&**text, *count));
        let many = self.many.iter().filter(|(_, (hash, _))| *hash <= limit);
        let many = many.map(|(text, (_, count))| (&**text, *count));
        let mut ranked: Vec<_> = few.chain(many).collect();
        ranked.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let listed: u64 = ranked.iter().map(|(_, count)| count).sum();
        (ranked, self.total - listed)
    }

    /// The greatest hash within the bound.
    fn settled_limit(&self) -> u64 {
        if self.many.len() <= self.bound {
            return self.limit;
        }
        let mut hashes: Vec<u64> = self.many.values().map(|(hash, _)| *hash).collect();
        hashes.sort_unstable();
        self.limit.min(hashes[self.bound - 1])
    }
}

/// Joins the counts of another part of the run, where there are any.
pub(super) fn join(own: &mut Option<Box<Tally>>, other: &Option<Box<Tally>>) {
    match (own, other) {
        (Some(own), Some(other)) => own.merge(other),
        (own, Some(other)) => *own = Some(other.clone()),
        (_, None) => {}
    }
}

/// Spreads texts evenly over all numbers; the same in every run.
pub fn hash(value: &[u8]) -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = foldhash::quality::FixedState::with_seed(0x61_64_61_67_69_6f).build_hasher();
    hasher.write(value);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u16]) -> Tally {
        let mut tally = Tally::new(16);
        values.iter().for_each(|value| tally.add(value.to_string().as_bytes()));
        tally
    }

    #[test]
    fn the_most_frequent_come_first() {
        let tally = of(&[3, 1, 2, 3, 2, 3]);
        let want: Vec<(&[u8], u64)> = vec![(b"3", 3), (b"2", 2), (b"1", 1)];
        assert_eq!(tally.ranked(), (want, 0));
    }

    proptest! {
        #[test]
        fn a_tally_depends_on_the_values_alone(
            values in prop::collection::vec(0u16..300, 0..600),
            cut in any::<prop::sample::Index>(),
        ) {
            let (left, right) = values.split_at(cut.index(values.len() + 1));
            let mut there = of(left);
            there.merge(&of(right));
            let mut back = of(right);
            back.merge(&of(left));
            let whole = of(&values);
            prop_assert_eq!(there.ranked(), whole.ranked());
            prop_assert_eq!(back.ranked(), whole.ranked());
            prop_assert_eq!(whole.total(), values.len() as u64);
            let distinct = values.iter().collect::<std::collections::BTreeSet<_>>().len();
            prop_assert_eq!(whole.ranked().0.len(), distinct.min(16));
            for (text, count) in whole.ranked().0 {
                let want = values.iter().filter(|v| v.to_string().as_bytes() == text).count();
                prop_assert_eq!(count, want as u64);
            }
        }
    }
}
