//! Selects of one row each, again and again behind one select: N+1.
//!
//! ```text
//! SELECT id, buyer FROM orders WHERE day = '2026-03-06'     the parent
//! SELECT name FROM buyers WHERE id = 4                      the child, so many times
//! SELECT name FROM buyers WHERE id = 9
//! ```
//!
//! Connections are kept in a table of a fixed size: of two that meet in a place the one before is
//! given up, with the episode that it is in.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::event::Kind;
use crate::time::SECOND;

use super::Sighting;
use super::keys::key_of_update as literals;
use super::traits::Traits;

/// Children that make an episode, within a second of the parent.
const CHILDREN: u32 = 20;
/// Places for connections.
const PLACES: usize = 16_384;
/// Children of an episode whose literals are looked at, and bits to tell them apart.
const MARKED: u32 = 128;
const WORDS: usize = 8;
/// Pairs of parent and child.
const MOST_PAIRS: usize = 4_096;

/// A parent and its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The class of the parent: a number of [`super::Observed::classes`].
    pub parent: u32,
    /// That of the children.
    pub child: u32,
    /// Told within one connection; else by the order of the log alone.
    pub is_of_thread: bool,
    /// Episodes of 20 and more children.
    pub episodes: u64,
    /// Children in them.
    pub calls: u64,
    /// Microseconds of these.
    pub micros: u64,
}

/// Looks for episodes.
#[derive(Debug, Default)]
pub struct Threads {
    places: Vec<Place>,
    /// Events whose connection the log does not name.
    nameless: Place,
    pairs: HashMap<(u32, u32, bool), Pair, FixedState>,
    hasher: FixedState,
}

/// A connection.
#[derive(Debug, Clone, Default)]
struct Place {
    thread: u64,
    /// The statement before, if it was a select of a table: its class, and when it ended.
    before: Option<(u32, i64)>,
    run: Option<Run>,
}

/// Statements of one class in a row.
#[derive(Debug, Clone, Copy)]
struct Run {
    parent: (u32, i64),
    child: u32,
    count: u32,
    micros: u64,
    bits: [u64; WORDS],
    is_episode: bool,
}

impl Threads {
    /// Takes an event.
    pub fn add(&mut self, sighting: &Sighting<'_>, traits: &Traits) {
        // Commands of the protocol lie between statements that a program sends one by one.
        if sighting.event.kind == Kind::Administrator {
            return;
        }
        let Threads { places, nameless, pairs, hasher } = self;
        if places.is_empty() {
            places.resize(PLACES, Place::default());
        }
        let (place, is_of_thread) = match sighting.thread {
            Some(thread) => {
                let at = (thread % PLACES as u64) as usize;
                let Some(place) = places.get_mut(at) else { return };
                if place.thread != thread {
                    place.end(true, pairs);
                    *place = Place { thread, ..Place::default() };
                }
                (place, true)
            }
            None => (nameless, false),
        };
        let Some((_, end)) = sighting.span.filter(|_| traits.reads_table) else {
            place.end(is_of_thread, pairs);
            place.before = None;
            return;
        };
        match &mut place.run {
            Some(run) if run.child == sighting.class => run.add(sighting, end, hasher),
            _ => {
                // Behind the children of one kind those of another have the same parent.
                let parent = match place.end(is_of_thread, pairs) {
                    Some(run) => Some((run.parent.0, place.before.map_or(end, |it| it.1))),
                    None => place.before,
                };
                let parent = parent.filter(|it| traits.is_point && it.0 != sighting.class);
                place.run = parent.map(|parent| Run {
                    parent,
                    child: sighting.class,
                    count: 1,
                    micros: sighting.micros.unwrap_or(0),
                    bits: [0; WORDS],
                    is_episode: false,
                });
            }
        }
        place.before = Some((sighting.class, end));
    }

    /// The pairs, those with most calls first.
    pub fn finish(mut self) -> Vec<Pair> {
        for place in &mut self.places {
            place.end(true, &mut self.pairs);
        }
        self.nameless.end(false, &mut self.pairs);
        let mut pairs: Vec<Pair> = self.pairs.into_values().collect();
        pairs.sort_unstable_by_key(|it| {
            (std::cmp::Reverse(it.calls), it.parent, it.child, it.is_of_thread)
        });
        pairs
    }
}

impl Place {
    /// Ends the run, and gives it if it was an episode.
    fn end(
        &mut self,
        is_of_thread: bool,
        pairs: &mut HashMap<(u32, u32, bool), Pair, FixedState>,
    ) -> Option<Run> {
        let run = self.run.take().filter(|run| run.is_episode && run.is_varied())?;
        let (parent, child) = (run.parent.0, run.child);
        let key = (parent, child, is_of_thread);
        if pairs.len() < MOST_PAIRS || pairs.contains_key(&key) {
            let empty = Pair { parent, child, is_of_thread, episodes: 0, calls: 0, micros: 0 };
            let pair = pairs.entry(key).or_insert(empty);
            pair.episodes += 1;
            pair.calls += u64::from(run.count);
            pair.micros = pair.micros.saturating_add(run.micros);
        }
        Some(run)
    }
}

impl Run {
    fn add(&mut self, sighting: &Sighting<'_>, end: i64, hasher: &FixedState) {
        self.count = self.count.saturating_add(1);
        self.micros = self.micros.saturating_add(sighting.micros.unwrap_or(0));
        if self.count <= MARKED
            && let Some(hash) = literals(sighting.event.statement, hasher)
            && let Some(word) = self.bits.get_mut((hash >> 6) as usize % WORDS)
        {
            *word |= 1 << (hash & 63);
        }
        if self.count == CHILDREN {
            // Where starts are known by the second only, an end may seem to be before that of the parent.
            let since = end.saturating_sub(self.parent.1);
            self.is_episode = (-SECOND..=SECOND).contains(&since) && self.is_varied();
        }
    }

    /// Whether four of five children have literals of their own. That of the first one is not
    /// looked at.
    fn is_varied(&self) -> bool {
        let marked = self.count.min(MARKED) - 1;
        let different: u32 = self.bits.iter().map(|word| word.count_ones()).sum();
        different * 5 >= marked * 4
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};

    const PARENT: &str = "SELECT id, buyer FROM orders WHERE day = '2026-03-06'";

    /// Episodes of so many children, one in so many microseconds, by two connections in turns.
    fn log(children: i64, step: i64, literal: impl Fn(i64) -> i64) -> Log {
        let mut log = Log::default();
        for episode in 0..6 {
            let start = 1_000_000_000_000 + episode * 60_000_000;
            log.add(entry(PARENT).thread(1).at(start));
            log.add(entry(PARENT).thread(2).at(start));
            for n in 0..children {
                let text = format!("SELECT name FROM buyers WHERE id = {}", literal(n));
                for thread in [1, 2] {
                    log.add(entry(&text).thread(thread).micros(200).at(start + (n + 1) * step));
                }
            }
            log.add(entry("COMMIT").thread(1).at(start + 2_000_000));
        }
        log
    }

    fn pairs(log: &Log) -> Vec<(u32, u32, u64, u64, u64)> {
        let pairs = log.watch().finish().pairs;
        pairs.iter().map(|it| (it.parent, it.child, it.episodes, it.calls, it.micros)).collect()
    }

    #[test]
    fn children_behind_a_parent_are_an_episode() {
        // 12 episodes of 30 children of 200 µs each.
        assert_eq!(pairs(&log(30, 1_000, |n| n)), [(0, 1, 12, 360, 72_000)]);
    }

    #[test]
    fn few_slow_or_equal_children_are_none() {
        assert_eq!(pairs(&log(19, 1_000, |n| n)), []);
        // The 20th ends 1.2 seconds behind the parent.
        assert_eq!(pairs(&log(30, 60_000, |n| n)), []);
        assert_eq!(pairs(&log(30, 1_000, |n| n % 2)), []);
        // Hundreds of them are told apart as well.
        assert_eq!(pairs(&log(400, 1_000, |n| n)).len(), 1);
    }

    #[test]
    fn without_connections_the_order_of_the_log_counts() {
        let mut log = Log::default();
        for episode in 0..5 {
            log.add(entry(PARENT).at(episode * 10_000_000));
            for n in 0..20 {
                let text = format!("SELECT name FROM buyers WHERE id = {n}");
                log.add(entry(&text).at(episode * 10_000_000 + n));
            }
        }
        let pairs = log.watch().finish().pairs;
        assert_eq!(pairs.len(), 1);
        assert_eq!((pairs[0].is_of_thread, pairs[0].episodes, pairs[0].calls), (false, 5, 100));
    }

    #[test]
    fn a_second_kind_of_children_has_the_same_parent() {
        let mut log = Log::default();
        log.add(entry(PARENT).thread(1).at(0));
        for table in ["buyers", "cities"] {
            for n in 0..25 {
                let text = format!("SELECT name FROM {table} WHERE id = {n}");
                log.add(entry(&text).thread(1).at(10));
            }
        }
        assert_eq!(pairs(&log).iter().map(|it| (it.0, it.1)).collect::<Vec<_>>(), [(0, 1), (0, 2)]);
    }

    #[test]
    fn children_that_take_less_than_their_parent_may_seem_to_end_before_it() {
        let mut log = Log::default();
        log.add(entry(PARENT).thread(1).at(4_000));
        for n in 0..20 {
            let text = format!("SELECT name FROM buyers WHERE id = {n}");
            log.add(entry(&text).thread(1).at(3_000));
        }
        assert_eq!(pairs(&log).len(), 1);
    }

    #[test]
    fn a_class_behind_itself_has_no_parent() {
        let mut log = Log::default();
        for n in 0..100 {
            log.add(entry(&format!("SELECT a FROM t WHERE id = {n}")).thread(1).at(n));
        }
        assert_eq!(pairs(&log), []);
    }
}
