//! How many rows a statement of INSERT and REPLACE brings, and how many such statements come in ten
//! seconds: in all, and from one connection.

use crate::event::Event;
use crate::metric::{self, MetricId};
use crate::sql::glance::Verb;
use crate::sql::token::Kind;

use super::traits::{LONGEST, Traits, behind_rows, is};
use super::{Sighting, WINDOW, second, window};

const ROWS_AFFECTED: MetricId = metric::known("Rows_affected");

/// Statements in ten seconds from which on they are a storm: 200 a second in all, 50 from one
/// connection.
const STORM: u32 = 2_000;
const STORM_OF_ONE: u32 = 500;
/// Seconds of ten in which some of them must end: a single burst is no storm.
const SECONDS: u32 = 5;
/// Rows that are counted of one statement. More of them do not make it less single.
const MOST_ROWS: u64 = 16;
/// Counters of connections in a window. One with more than 1 of 16 statements has one.
const COUNTERS: usize = 16;
/// Classes that are counted.
const MOST_CLASSES: usize = 4_096;

/// What a class inserts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Inserted {
    /// The class: a number of [`super::Observed::classes`].
    pub class: u32,
    /// Statements whose rows are known, and the rows, of each at most 16.
    pub statements: u64,
    /// Rows of them.
    pub rows: u64,
    /// Rows are those that the server counted; else those behind VALUES.
    pub is_counted: bool,
    /// Windows of ten seconds with 200 statements a second and more.
    pub storms: u32,
    /// Windows with 50 a second and more from one connection, at least.
    pub storms_of_one: u32,
    /// The most statements in a window.
    pub most_in_window: u32,
    /// The most of one connection in a window, at least.
    pub most_of_one: u32,
}

#[derive(Debug, Default)]
struct State {
    told: Inserted,
    window: i64,
    in_window: u32,
    seconds: u32,
    is_storm: bool,
    is_storm_of_one: bool,
    /// Connections of the window: hash, count, how much of it may be of others.
    threads: Vec<(u64, u32, u32)>,
}

/// Counts inserts.
#[derive(Debug, Default)]
pub struct Inserts {
    states: Vec<Option<Box<State>>>,
    begun: usize,
}

impl Inserts {
    /// Takes an event.
    pub fn add(&mut self, sighting: &Sighting<'_>, traits: &Traits) {
        if !traits.has_rows {
            return;
        }
        let class = sighting.class as usize;
        if self.states.len() <= class {
            self.states.resize_with(class + 1, || None);
        }
        let Some(slot) = self.states.get_mut(class) else { return };
        if slot.is_none() {
            if self.begun >= MOST_CLASSES {
                return;
            }
            self.begun += 1;
        }
        let state = slot.get_or_insert_default();
        let (rows, is_counted) = rows_of(sighting.event, traits);
        if let Some(rows) = rows {
            state.told.statements += 1;
            state.told.rows += rows.min(MOST_ROWS);
            state.told.is_counted |= is_counted;
        }
        state.count(sighting);
    }

    /// What each class inserts.
    pub fn finish(self) -> Vec<Inserted> {
        let states = self.states.into_iter().zip(0..);
        states.filter_map(|(state, class)| Some(Inserted { class, ..state?.told })).collect()
    }
}

impl State {
    fn count(&mut self, sighting: &Sighting<'_>) {
        let (Some(window), Some(second)) = (window(sighting.span), second(sighting.span)) else {
            return;
        };
        if window != self.window {
            self.window = window;
            (self.in_window, self.seconds) = (0, 0);
            (self.is_storm, self.is_storm_of_one) = (false, false);
            self.threads.clear();
        }
        self.in_window = self.in_window.saturating_add(1);
        self.seconds |= 1 << second.rem_euclid(WINDOW);
        let is_long = self.seconds.count_ones() >= SECONDS;
        let of_one = sighting.thread.map_or(0, |thread| self.of_one(thread));
        let told = &mut self.told;
        told.most_in_window = told.most_in_window.max(self.in_window);
        told.most_of_one = told.most_of_one.max(of_one);
        if !self.is_storm && is_long && self.in_window >= STORM {
            self.is_storm = true;
            told.storms += 1;
        }
        if !self.is_storm_of_one && is_long && of_one >= STORM_OF_ONE {
            self.is_storm_of_one = true;
            told.storms_of_one += 1;
        }
    }

    /// Statements of a connection in this window, at least.
    fn of_one(&mut self, thread: u64) -> u32 {
        if let Some(known) = self.threads.iter_mut().find(|(hash, ..)| *hash == thread) {
            known.1 = known.1.saturating_add(1);
            return known.1 - known.2;
        }
        if self.threads.len() < COUNTERS {
            self.threads.push((thread, 1, 0));
            return 1;
        }
        // As among keys: the least count goes to the new one, and may be wrong by that.
        if let Some(least) = self.threads.iter_mut().min_by_key(|(_, count, _)| *count) {
            *least = (thread, least.1.saturating_add(1), least.1);
        }
        1
    }
}

/// Rows that a statement brings, and whether the server counted them.
fn rows_of(event: &Event<'_>, traits: &Traits) -> (Option<u64>, bool) {
    // The server counts a row twice that REPLACE or an upsert changes, and none that IGNORE drops.
    let is_plain = traits.verb == Verb::Insert && traits.updates.is_none();
    if is_plain && event.has(ROWS_AFFECTED) {
        let counted = event.number(ROWS_AFFECTED).and_then(|it| u64::try_from(it).ok());
        if counted.is_some_and(|rows| rows > 0) {
            return (counted, true);
        }
    }
    (rows_behind_values(event.statement), false)
}

/// Rows behind VALUES, up to a bound; one of INSERT … SET. None of a long statement.
fn rows_behind_values(text: &[u8]) -> Option<u64> {
    if text.len() > LONGEST {
        return None;
    }
    let (first, behind) = behind_rows(text)?;
    if is(text, first, b"set") {
        return Some(1);
    }
    let (mut rows, mut depth) = (0_u64, 0_u32);
    for token in behind {
        match (token.kind, token.of(text)) {
            (Kind::Byte, b"(") => {
                rows += u64::from(depth == 0);
                depth += 1;
                if rows >= MOST_ROWS {
                    break;
                }
            }
            (Kind::Byte, b")") => depth = depth.saturating_sub(1),
            // ON DUPLICATE KEY UPDATE, AS new.
            (Kind::Word, _) if depth == 0 => break,
            _ => {}
        }
    }
    (rows > 0).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};
    use super::*;

    #[test]
    fn rows_are_those_behind_values() {
        let check = |text: &str, want| assert_eq!(rows_behind_values(text.as_bytes()), want);
        check("INSERT INTO t VALUES (1, 'a), (b', NOW())", Some(1));
        check("INSERT INTO t (a, b) VALUES (1, f(2)), (3, 4),(5,6)", Some(3));
        check("INSERT INTO t (name, value) VALUES ('a', 1), ('b', 2)", Some(2));
        check("REPLACE t VALUE (1) ", Some(1));
        check("INSERT t SET a = 1", Some(1));
        check("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a), b = (1)", Some(1));
        check(&format!("INSERT INTO t VALUES {}(1)", "(1), ".repeat(99)), Some(16));
        check("INSERT INTO t VALUES", None);
    }

    #[test]
    fn what_the_server_counted_goes_first() {
        let mut log = Log::default();
        log.add(entry("INSERT INTO t SELECT * FROM u").rows_affected(500));
        log.add(entry("INSERT INTO t (a) VALUES (1), (2)").rows_affected(2));
        let inserted = log.watch().finish().inserted;
        assert_eq!(inserted.len(), 1);
        assert_eq!((inserted[0].statements, inserted[0].rows), (1, 2));
        assert!(inserted[0].is_counted);
    }

    fn storms(rate: i64, seconds: i64, threads: i64) -> (u32, u32) {
        let mut log = Log::default();
        for n in 0..rate * seconds {
            let entry = entry("INSERT INTO t (a) VALUES (1)").thread(n % threads);
            log.add(entry.at(1_000_000_000_000 + n * 1_000_000 / rate));
        }
        let inserted = log.watch().finish().inserted;
        (inserted[0].storms, inserted[0].storms_of_one)
    }

    #[test]
    fn windows_are_storms_by_their_statements() {
        // Six windows of 2,500; of 40 connections none has 500.
        assert_eq!(storms(250, 60, 40), (6, 0));
        // Six of 600, all of one connection.
        assert_eq!(storms(60, 60, 1), (0, 6));
        assert_eq!(storms(40, 60, 1), (0, 0));
        // A spike of a second is none.
        assert_eq!(storms(5_000, 1, 1), (0, 0));
    }
}
