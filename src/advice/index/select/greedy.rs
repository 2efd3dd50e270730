//! The choice itself: the one that saves most next, until none is worth it.
//!
//! A gain is weighed anew only where a class of it was changed by the last one taken, so that a
//! thousand tables take no longer than each of them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::advice::index::candidate::Purpose;
use crate::advice::index::cost::{Counter, Indexes};
use crate::advice::index::limit;

use super::{
    Candidate, Floors, Gain, LEAST, LEAST_OF_OWN, LEAST_READS, Left, MOST_IN_ALL, MOST_NEW,
    MOST_OF_TABLE, Selector,
};

/// Candidates that are taken.
#[derive(Debug, Default)]
struct Taken {
    order: Vec<usize>,
    by_table: HashMap<usize, Vec<usize>>,
}

impl Taken {
    fn add(&mut self, candidates: &[Candidate], place: usize) {
        self.order.push(place);
        for (table, _) in &candidates[place].keys {
            self.by_table.entry(*table).or_default().push(place);
        }
    }

    fn remove(&mut self, place: usize) {
        self.order.retain(|own| *own != place);
        for own in self.by_table.values_mut() {
            own.retain(|own| *own != place);
        }
    }

    /// Those on any of these tables but one, each once.
    fn on(&self, tables: &BTreeSet<usize>, but: Option<usize>) -> BTreeSet<usize> {
        let own = tables.iter().filter_map(|table| self.by_table.get(table));
        own.flatten().copied().filter(|place| Some(*place) != but).collect()
    }
}

/// What is known of a candidate beside those taken.
#[derive(Debug, Clone)]
enum State {
    /// It must be weighed.
    New,
    /// It saves so much.
    Worth(f64),
    /// It is not taken.
    Not(Left),
    /// It is taken.
    Taken,
    /// It is out for good.
    Out,
}

impl Selector<'_, '_> {
    /// Those taken, in the order of the choice. The others go to `left`.
    pub fn greedy(&self, candidates: &[Candidate], left: &mut Vec<(usize, Left)>) -> Vec<usize> {
        let mut states = self.first_states(candidates, left);
        let mut by_table: HashMap<usize, Vec<usize>> = HashMap::new();
        for (place, candidate) in candidates.iter().enumerate() {
            for (table, _) in &candidate.keys {
                by_table.entry(*table).or_default().push(place);
            }
        }
        let mut taken = Taken::default();
        while taken.order.len() < MOST_IN_ALL {
            for (place, state) in states.iter_mut().enumerate() {
                if matches!(state, State::New) {
                    *state = self.state(candidates, &taken, place, None);
                }
            }
            let Some(place) = self.best(candidates, &states) else { break };
            let gain = self.gain_of(candidates, &taken, place, None);
            taken.add(candidates, place);
            states[place] = State::Taken;
            let mut near: BTreeSet<usize> =
                candidates[place].keys.iter().map(|(table, _)| *table).collect();
            near.extend(gain.classes.iter().flat_map(|(at, ..)| &self.classes[*at].tables));
            for other in self.look_back(candidates, &near, &mut taken) {
                states[other] = State::Not(Left::SavesLittle);
            }
            // What shares a changed class must be weighed anew.
            for other in near.iter().filter_map(|table| by_table.get(table)).flatten() {
                if matches!(states[*other], State::Worth(_) | State::Not(_)) {
                    states[*other] = State::New;
                }
            }
        }
        self.swap(candidates, &by_table, &mut states, &mut taken);
        for (place, state) in states.into_iter().enumerate() {
            match state {
                State::Not(why) => left.push((place, why)),
                State::New | State::Worth(_) => left.push((place, Left::Enough)),
                State::Taken | State::Out => {}
            }
        }
        taken.order
    }

    /// Takes out what another one begins with, what the server refuses, and of many the lightest.
    fn first_states(&self, candidates: &[Candidate], left: &mut Vec<(usize, Left)>) -> Vec<State> {
        let mut states = vec![State::New; candidates.len()];
        for (place, _) in left.iter() {
            states[*place] = State::Out;
        }
        let weight = |place: usize| -> f64 {
            candidates[place].wishers.iter().map(|at| self.classes[*at].weight()).sum()
        };
        let mut order: Vec<(f64, usize)> = (0..candidates.len())
            .filter(|place| matches!(states[*place], State::New))
            .map(|place| (weight(place), place))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut of_table: HashMap<usize, usize> = HashMap::new();
        for (_, place) in order {
            let keys = &candidates[place].keys;
            let refused =
                keys.iter().find_map(|(table, key)| limit::refusal(self.tables.get(*table), key));
            let count = keys.first().map(|(table, _)| of_table.entry(*table).or_insert(0));
            let count = count.map_or(0, |count| {
                *count += 1;
                *count
            });
            let why = match refused {
                Some(why) => Left::Refused(why),
                None if count > MOST_OF_TABLE => Left::SavesLittle,
                None => continue,
            };
            left.push((place, why));
            states[place] = State::Out;
        }
        states
    }

    fn state(
        &self,
        candidates: &[Candidate],
        taken: &Taken,
        place: usize,
        but: Option<usize>,
    ) -> State {
        if let Some(reason) = self.barred(candidates, taken, place, but) {
            return State::Not(reason);
        }
        let gain = self.gain_of(candidates, taken, place, but);
        if self.is_worth(&gain) {
            return State::Worth(gain.saved);
        }
        let writes = gain.written > 0.0 && gain.saved <= 0.0 && !gain.classes.is_empty();
        State::Not(if writes { Left::Writes } else { Left::SavesLittle })
    }

    /// The one that saves most; of those within a hundredth the one that answers more.
    fn best(&self, candidates: &[Candidate], states: &[State]) -> Option<usize> {
        let worth = states.iter().enumerate().filter_map(|(place, state)| match state {
            State::Worth(saved) => Some((place, *saved)),
            _ => None,
        });
        let most = worth.clone().map(|(_, saved)| saved).max_by(f64::total_cmp)?;
        let near = worth.filter(|(_, saved)| *saved >= most * 0.99);
        near.map(|(place, _)| place).max_by_key(|place| self.rank(candidates, *place))
    }

    /// What answers more of the heaviest class, then the narrower one.
    fn rank(&self, candidates: &[Candidate], place: usize) -> (bool, Reverse<u64>, Reverse<usize>) {
        let candidate = &candidates[place];
        let answers = candidate.purposes.iter().any(|purpose| *purpose >= Purpose::Order);
        let width: f64 = candidate
            .keys
            .iter()
            .map(|(table, key)| {
                let known = self.tables.get(*table);
                let written = key.parts[..key.written].iter().filter_map(|part| part.column);
                written.map(|column| known.bytes(column)).sum::<f64>()
            })
            .sum();
        (answers, Reverse(width as u64), Reverse(place))
    }

    fn barred(
        &self,
        candidates: &[Candidate],
        taken: &Taken,
        place: usize,
        but: Option<usize>,
    ) -> Option<Left> {
        let candidate = &candidates[place];
        let tables: BTreeSet<usize> = candidate.keys.iter().map(|(table, _)| *table).collect();
        let beside = taken.on(&tables, but);
        let is_gone = |it: &(usize, usize)| {
            beside.iter().any(|other| candidates[*other].replaces.contains(it))
        };
        if candidate.widens_only && candidate.replaces.iter().all(is_gone) {
            return Some(Left::ReadsFew);
        }
        let is_full = tables.iter().any(|table| {
            let own = taken.by_table.get(table).into_iter().flatten();
            own.filter(|other| Some(**other) != but).count() >= MOST_NEW
        });
        is_full.then_some(Left::Enough)
    }

    fn is_worth(&self, gain: &Gain) -> bool {
        let Floors { whole, least } = self.floors;
        // What saves less than a second of each hour of a log is not worth a change.
        if gain.saved <= 0.0 || gain.saved < least {
            return false;
        }
        let own: f64 =
            gain.classes.iter().map(|(at, before, _)| self.classes[*at].unit * before).sum();
        let is_much_a_call =
            gain.classes.iter().any(|(_, before, after)| before - after >= LEAST_READS);
        gain.saved >= LEAST * whole || (gain.saved >= LEAST_OF_OWN * own && is_much_a_call)
    }

    fn indexes<'k>(&self, candidates: &'k [Candidate], taken: &[usize]) -> Indexes<'k> {
        let keys = taken.iter().flat_map(|at| candidates[*at].keys.iter());
        let mut indexes = Indexes::default().with(keys.map(|(table, key)| (*table, key)));
        indexes.gone =
            taken.iter().flat_map(|at| candidates[*at].replaces.iter().copied()).collect();
        indexes
    }

    /// What a call of a class costs with some candidates.
    fn cost(&self, candidates: &[Candidate], at: usize, taken: &[usize]) -> f64 {
        let class = &self.classes[at];
        let is_own = |place: &usize| {
            let mut tables = candidates[*place].keys.iter().map(|(table, _)| table);
            tables.any(|table| class.tables.contains(table))
        };
        let mut own: Vec<usize> = taken.iter().copied().filter(is_own).collect();
        if own.is_empty() {
            return class.present.reads;
        }
        own.sort_unstable();
        let key = (at, own);
        if let Some(cost) = self.costs.borrow().get(&key) {
            return *cost;
        }
        let indexes = self.indexes(candidates, &key.1);
        let counter = Counter::new(&class.query, self.tables, &indexes);
        let cost = counter.statement().reads;
        self.costs.borrow_mut().insert(key, cost);
        cost
    }

    /// What a candidate brings beside those taken, but for one of them.
    fn gain_of(
        &self,
        candidates: &[Candidate],
        taken: &Taken,
        place: usize,
        but: Option<usize>,
    ) -> Gain {
        let candidate = &candidates[place];
        let near = candidate.keys.iter().filter_map(|(table, _)| self.near.get(table));
        let near: BTreeSet<usize> = near.flatten().copied().collect();
        let without: Vec<usize> =
            taken.on(&near, but).into_iter().filter(|own| *own != place).collect();
        let mut with = without.clone();
        with.push(place);
        let own = candidate.keys.iter().filter_map(|(table, _)| self.by_table.get(table));
        let classes: BTreeSet<usize> = own.flatten().copied().collect();
        let mut gain = Gain::default();
        for at in classes {
            let class = &self.classes[at];
            let before = self.cost(candidates, at, &without);
            let after = self.cost(candidates, at, &with);
            gain.saved += class.unit * (before - after);
            if before - after > before * 0.01 {
                gain.classes.push((at, before, after));
            }
            for written in &class.query.writes {
                let keys = candidate.keys.iter().map(|(table, key)| (*table, key));
                gain.written += self.written(class, written, keys, candidate.replaces.len());
            }
        }
        gain.saved -= gain.written;
        gain
    }

    /// Takes out what the later ones made needless; gives those.
    fn look_back(
        &self,
        candidates: &[Candidate],
        near: &BTreeSet<usize>,
        taken: &mut Taken,
    ) -> Vec<usize> {
        let mut gone = Vec::new();
        for place in taken.on(near, None) {
            let gain = self.gain_of(candidates, taken, place, Some(place));
            if gain.saved <= 0.0 {
                taken.remove(place);
                gone.push(place);
            }
        }
        gone
    }

    /// Tries each one not taken in the place of one taken on the same table.
    fn swap(
        &self,
        candidates: &[Candidate],
        by_table: &HashMap<usize, Vec<usize>>,
        states: &mut [State],
        taken: &mut Taken,
    ) {
        for own in taken.order.clone() {
            let saved = self.gain_of(candidates, taken, own, Some(own)).saved;
            let Some((table, _)) = candidates[own].keys.first() else { continue };
            let others = by_table.get(table).into_iter().flatten().copied();
            for other in others {
                if !matches!(states[other], State::Not(_) | State::Worth(_)) {
                    continue;
                }
                let state = self.state(candidates, taken, other, Some(own));
                if matches!(state, State::Worth(gain) if gain > saved * 1.01) {
                    taken.remove(own);
                    taken.add(candidates, other);
                    states[own] = State::Not(Left::SavesLittle);
                    states[other] = State::Taken;
                    break;
                }
            }
        }
    }
}
