//! Users, hosts and databases: the texts that nearly every event has.
//!
//! There are few of them in most logs, and each class has most of them. So their texts are kept
//! once, and a class counts them by number.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashMap;

use crate::digest::tally::{self, Tally};
use crate::metric::{self, MetricId};

/// The attributes.
pub const USUAL: [MetricId; 3] = [metric::USER, metric::HOST, metric::DATABASE];

/// Distinct values of one of them that are counted of a class.
const MOST: usize = 4096;

/// Users, hosts and databases met by one thread, or by all of them.
#[derive(Debug, Default)]
pub struct Names(pub(super) [Known; USUAL.len()]);

/// Which number names of other [`Names`] have here.
#[derive(Debug, Clone, Default)]
pub struct Numbers(pub(super) [Vec<u32>; USUAL.len()]);

impl Names {
    /// Takes in the names of another thread.
    pub fn join(&mut self, other: &Names) -> Numbers {
        let mut numbers = Numbers::default();
        for ((own, other), numbers) in self.0.iter_mut().zip(&other.0).zip(&mut numbers.0) {
            *numbers = other.texts.iter().map(|text| own.any_number(text)).collect();
        }
        numbers
    }

    /// The numbers that the names have already.
    pub fn own_numbers(&self) -> Numbers {
        Numbers(std::array::from_fn(|place| (0..self.0[place].texts.len() as u32).collect()))
    }

    /// How often each name of an attribute came to a class; `None` for other attributes, and where
    /// there was no name.
    pub fn tally(&self, counts: &[NameCounts; USUAL.len()], metric: MetricId) -> Option<Tally> {
        let place = USUAL.iter().position(|usual| *usual == metric)?;
        counts[place].tally(&self.0[place])
    }
}

/// Names by number.
#[derive(Debug)]
pub(super) struct Known {
    texts: Vec<Box<[u8]>>,
    /// Numbers by hash; [`FREE`] where there is none. At least twice as many as texts.
    slots: Vec<u32>,
}

/// Names that one thread gives a number.
const KNOWN: usize = 4096;
/// Numbers below have a counter in each class that met a later one of them.
const DENSE: usize = 256;
const FREE: u32 = u32::MAX;

impl Default for Known {
    fn default() -> Known {
        Known { texts: Vec::new(), slots: vec![FREE; 256] }
    }
}

impl Known {
    /// The number of a name; `None` for a name that came when all numbers were given.
    #[inline]
    fn number(&mut self, name: &[u8]) -> Option<u32> {
        let mut slot = self.slot(name);
        loop {
            let number = self.slots[slot];
            match self.texts.get(number as usize) {
                Some(text) if **text == *name => return Some(number),
                Some(_) => slot = self.after(slot),
                None if self.texts.len() < KNOWN => return Some(self.give_number(name, slot)),
                None => return None,
            }
        }
    }

    /// The number of a name, whatever their number.
    fn any_number(&mut self, name: &[u8]) -> u32 {
        let mut slot = self.slot(name);
        while let Some(text) = self.texts.get(self.slots[slot] as usize) {
            if **text == *name {
                return self.slots[slot];
            }
            slot = self.after(slot);
        }
        self.give_number(name, slot)
    }

    #[cold]
    fn give_number(&mut self, name: &[u8], slot: usize) -> u32 {
        let given = self.texts.len() as u32;
        self.slots[slot] = given;
        self.texts.push(name.into());
        if 2 * self.texts.len() > self.slots.len() {
            self.slots = vec![FREE; 2 * self.slots.len()];
            for number in 0..=given {
                let mut slot = self.slot(&self.texts[number as usize]);
                while self.slots[slot] != FREE {
                    slot = self.after(slot);
                }
                self.slots[slot] = number;
            }
        }
        given
    }

    fn after(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }

    #[inline]
    fn slot(&self, name: &[u8]) -> usize {
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        hasher.write(name);
        (hasher.finish() >> 32) as usize & (self.slots.len() - 1)
    }
}

/// How often each name came to one class.
#[derive(Debug, Clone, Default)]
pub struct NameCounts {
    /// By number of the name, for numbers below [`DENSE`].
    dense: Vec<u32>,
    /// By number of the name.
    sparse: Option<Box<HashMap<u32, u64, foldhash::fast::FixedState>>>,
    /// Of names without a number.
    others: Option<Box<Tally>>,
}

impl NameCounts {
    /// Counts a name.
    #[inline]
    pub(super) fn add(&mut self, name: &[u8], names: &mut Known) {
        match names.number(name) {
            Some(number) => self.count(number, 1),
            None => self.others.get_or_insert_with(|| Box::new(Tally::new(MOST))).add(name),
        }
    }

    #[inline]
    fn count(&mut self, number: u32, times: u32) {
        if let Some(count) = self.dense.get_mut(number as usize)
            && let Some(more) = count.checked_add(times)
        {
            *count = more;
        } else {
            self.count_seldom(number, times.into());
        }
    }

    #[cold]
    fn count_seldom(&mut self, number: u32, times: u64) {
        let place = number as usize;
        if let Ok(times) = u32::try_from(times)
            && place < DENSE
            && place >= self.dense.len()
        {
            self.dense.resize(place + 1, 0);
            self.dense[place] = times;
        } else {
            *self.sparse.get_or_insert_default().entry(number).or_default() += times;
        }
    }

    /// Joins the counts of another class, whose names have these numbers here.
    pub fn merge(&mut self, other: &NameCounts, numbers: &[u32]) {
        for (count, number) in other.dense.iter().zip(numbers).filter(|(count, _)| **count > 0) {
            self.count(*number, *count);
        }
        for (number, count) in other.sparse.iter().flat_map(|sparse| sparse.iter()) {
            self.count_seldom(numbers[*number as usize], *count);
        }
        tally::join(&mut self.others, &other.others);
    }

    fn tally(&self, names: &Known) -> Option<Tally> {
        let mut tally = self.others.as_deref().cloned();
        let dense = (0..).zip(&self.dense).map(|(number, count)| (number, u64::from(*count)));
        let sparse = self.sparse.iter().flat_map(|sparse| sparse.iter());
        let counts = dense.chain(sparse.map(|(number, count)| (*number, *count)));
        for (number, count) in counts.filter(|(_, count)| *count > 0) {
            let text = &names.texts[number as usize];
            let tally = tally.get_or_insert_with(|| Tally::new(MOST));
            tally.count(tally::hash(text), text, count);
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_have_one_number_each(
            names in prop::collection::vec("[ab]{0,3}(middle|muddle)?[ab]{0,12}", 0..900),
        ) {
            let mut known = Known::default();
            let mut counts = NameCounts::default();
            let mut want: std::collections::BTreeMap<&str, u64> = Default::default();
            for name in &names {
                counts.add(name.as_bytes(), &mut known);
                *want.entry(name).or_default() += 1;
            }
            let tally = counts.tally(&known);
            let tally = tally.as_ref().map(|tally| tally.ranked().0).unwrap_or_default();
            let got = tally.iter().map(|(name, count)| (std::str::from_utf8(name).unwrap(), *count));
            prop_assert_eq!(got.collect::<std::collections::BTreeMap<_, _>>(), want);
        }

        #[test]
        fn names_of_two_threads_are_counted_together(
            left in prop::collection::vec(0u32..600, 0..900),
            right in prop::collection::vec(0u32..600, 0..900),
        ) {
            let name = |number: &u32| format!("host-{number}.example");
            let count = |numbers: &[u32]| {
                let mut names = Names::default();
                let mut counts = NameCounts::default();
                numbers.iter().for_each(|number| counts.add(name(number).as_bytes(), &mut names.0[0]));
                (names, counts)
            };
            let (mut names, mut counts) = count(&left);
            let (other_names, other) = count(&right);
            let numbers = names.join(&other_names);
            counts.merge(&other, &numbers.0[0]);
            let (all_names, all) = count(&[left, right].concat());
            let got = counts.tally(&names.0[0]);
            let want = all.tally(&all_names.0[0]);
            prop_assert_eq!(got.as_ref().map(Tally::ranked), want.as_ref().map(Tally::ranked));
        }
    }
}
