//! Which rows are written most: for each class of UPDATE, and of INSERT … ON DUPLICATE KEY UPDATE,
//! the values that its columns equal.
//!
//! Values are counted by the summary of Metwally, Agrawal and El Abbadi (space-saving, 2005): so
//! many counters, and a value without one takes that of the least count, which it may then be wrong
//! by. What is told is the count less that, so it is never told too high.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::advice::query_cache::functions::{Function, function};
use crate::event::Event;
use crate::sql::glance::Verb;
use crate::sql::token::{Kind, Token, Tokens, tokens};

use super::traits::{LONGEST, Traits, behind_rows, is};
use super::{Sighting, window};

/// Counters of a class. Any value of more than 1 of 64 events has one.
const COUNTERS: usize = 64;
/// Classes with counters: some 5 kB each.
const MOST_CLASSES: usize = 1_024;
/// Events in a window from which on it is hot: 10 a second.
const HOT: u32 = 100;
/// Events after which a value is worth its text.
const WORTH: u64 = 16;
/// Bytes of it.
const LONGEST_KEY: usize = 200;

/// The value that a class writes most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HotKey {
    /// The class: a number of [`super::Observed::classes`].
    pub class: u32,
    /// Events of the class in which a value was found.
    pub events: u64,
    /// At least so many of them were of this value.
    pub of_key: u64,
    /// By so much it may be more.
    pub error: u64,
    /// Windows of 10 seconds with 100 and more of them, at least.
    pub hot_windows: u32,
    /// The most in one of these windows, or in any.
    pub most_in_window: u32,
    /// The condition with its literals.
    pub condition: Option<String>,
}

#[derive(Debug, Default)]
struct Counter {
    count: u64,
    error: u64,
    window: i64,
    in_window: u32,
    hot_windows: u32,
    most_in_window: u32,
    condition: Option<Box<str>>,
}

#[derive(Debug, Default)]
struct Summary {
    events: u64,
    hashes: Vec<u64>,
    counters: Vec<Counter>,
}

/// Counts values.
#[derive(Debug, Default)]
pub struct Keys {
    summaries: Vec<Option<Box<Summary>>>,
    begun: usize,
    hasher: FixedState,
}

impl Keys {
    /// Takes an event.
    pub fn add(&mut self, sighting: &Sighting<'_>, traits: &Traits) {
        let is_update = traits.verb == Verb::Update && traits.is_point;
        if !is_update && traits.updates.is_none() || sighting.event.statement.len() > LONGEST {
            return;
        }
        let class = sighting.class as usize;
        if self.summaries.len() <= class {
            self.summaries.resize_with(class + 1, || None);
        }
        let Some(slot) = self.summaries.get_mut(class) else { return };
        if slot.is_none() {
            if self.begun >= MOST_CLASSES {
                return;
            }
            self.begun += 1;
        }
        let text = sighting.event.statement;
        let key = match traits.updates {
            None => key_of_update(text, &self.hasher),
            Some(updates) => key_of_upsert(text, updates, &self.hasher),
        };
        if let Some(key) = key {
            // The same values in another database are another row.
            let mut hasher = self.hasher.build_hasher();
            hasher.write_u64(key);
            hasher.write(sighting.event.database.unwrap_or_default());
            let summary = slot.get_or_insert_default();
            summary.add(hasher.finish(), window(sighting.span), sighting.event, is_update);
        }
    }

    /// The first value of each class.
    pub fn finish(self) -> Vec<HotKey> {
        let summaries = self.summaries.into_iter().zip(0..);
        summaries.filter_map(|(summary, class)| summary?.first(class)).collect()
    }
}

impl Summary {
    fn add(&mut self, hash: u64, window: Option<i64>, event: &Event<'_>, is_update: bool) {
        self.events += 1;
        let at = match self.hashes.iter().position(|known| *known == hash) {
            Some(at) => at,
            None if self.hashes.len() < COUNTERS => {
                self.hashes.push(hash);
                self.counters.push(Counter::default());
                self.hashes.len() - 1
            }
            None => {
                let least = self.counters.iter().enumerate().min_by_key(|(_, it)| it.count);
                let Some((at, least)) = least.map(|(at, it)| (at, it.count)) else { return };
                self.hashes[at] = hash;
                self.counters[at] = Counter { count: least, error: least, ..Counter::default() };
                at
            }
        };
        let Some(counter) = self.counters.get_mut(at) else { return };
        counter.count += 1;
        if let Some(window) = window {
            if window != counter.window {
                counter.window = window;
                counter.in_window = 0;
            }
            counter.in_window = counter.in_window.saturating_add(1);
            counter.hot_windows += u32::from(counter.in_window == HOT);
            counter.most_in_window = counter.most_in_window.max(counter.in_window);
        }
        if is_update && counter.count - counter.error == WORTH {
            counter.condition = condition(event.statement);
        }
    }

    fn first(self, class: u32) -> Option<HotKey> {
        let known = |it: &Counter| it.count - it.error;
        let first = self.counters.into_iter().zip(&self.hashes);
        let (first, _) = first.max_by_key(|(it, hash)| (known(it), **hash))?;
        Some(HotKey {
            class,
            events: self.events,
            of_key: known(&first),
            error: first.error,
            hot_windows: first.hot_windows,
            most_in_window: first.most_in_window,
            condition: first.condition.map(String::from),
        })
    }
}

/// The hash of the literals behind WHERE; none without one, or where they were masked.
pub fn key_of_update(text: &[u8], hasher: &FixedState) -> Option<u64> {
    let mut behind = tokens(text);
    behind.find(|token| is(text, *token, b"where"))?;
    let mut hasher = hasher.build_hasher();
    let mut has_any = false;
    for token in behind {
        let word = token.of(text);
        match token.kind {
            Kind::Literal if word == b"?" => return None,
            Kind::Literal => {
                has_any = true;
                hasher.write(word);
                hasher.write_u8(0);
            }
            Kind::Operator if word == b"-" => hasher.write_u8(1),
            _ => {}
        }
    }
    has_any.then(|| hasher.finish())
}

/// The hash of what stands in the columns of the only row, without those that are set where the key
/// is there. None where one of them holds what may be another value in another event: a variable, a
/// column, DEFAULT, `UUID()`.
fn key_of_upsert(text: &[u8], updates: u64, hasher: &FixedState) -> Option<u64> {
    let (_, mut behind) = behind_rows(text)?;
    let mut hasher = hasher.build_hasher();
    let (mut has_any, mut depth, mut rows) = (false, 0_u32, 0);
    let mut column = 0_u32;
    while let Some(token) = behind.next() {
        let word = token.of(text);
        let is_key = depth > 0 && (column >= 64 || updates >> column & 1 == 0);
        match token.kind {
            Kind::Byte if word == b"(" => {
                rows += u32::from(depth == 0);
                depth += 1;
                if rows > 1 {
                    return None;
                }
            }
            Kind::Byte if word == b")" => depth = depth.saturating_sub(1),
            Kind::Byte if word == b"," && depth == 1 => column = column.saturating_add(1),
            Kind::Literal if word == b"?" => return None,
            Kind::Literal | Kind::Operator if is_key => {
                has_any |= token.kind == Kind::Literal;
                hasher.write(word);
                hasher.write_u8(0);
            }
            Kind::Word if depth == 0 => break,
            Kind::Word if is_key && is_steady(text, token, &behind) => {}
            Kind::Word | Kind::Name | Kind::Quoted | Kind::Variable if is_key => return None,
            _ => {}
        }
    }
    has_any.then(|| hasher.finish())
}

/// Whether a word is the name of a function whose value is that of its arguments, or the character
/// set before a string: `_utf8mb4'x'`.
fn is_steady(text: &[u8], word: Token, behind: &Tokens<'_>) -> bool {
    let Some(next) = behind.peek() else { return false };
    let name = word.of(text);
    match next.of(text) {
        b"(" => match function(name, true) {
            Function::Harmless => true,
            Function::UnsteadyWithoutArgument => {
                behind.clone().nth(1).is_some_and(|it| it.of(text) != b")")
            }
            Function::Unsteady | Function::Foreign => false,
        },
        _ => next.kind == Kind::Literal && name.starts_with(b"_"),
    }
}

/// What stands behind WHERE, if it is short.
fn condition(text: &[u8]) -> Option<Box<str>> {
    let found = tokens(text).find(|token| is(text, *token, b"where"))?;
    let behind = text.get(found.end..)?.trim_ascii();
    let text = std::str::from_utf8(behind).ok().filter(|it| it.len() <= LONGEST_KEY)?;
    Some(text.into())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};
    use super::*;

    fn first(log: &Log) -> HotKey {
        log.watch().finish().keys.into_iter().next().unwrap()
    }

    #[test]
    fn the_value_written_most_is_found_with_its_condition() {
        let mut log = Log::default();
        for n in 0..1_000 {
            let id = if n % 4 == 0 { 7 } else { n };
            log.add(entry(&format!("UPDATE t SET n = n + 1 WHERE id = {id}")).at(n * 10_000));
        }
        let key = first(&log);
        // Every fourth is 7, and 7 itself once more; 0 and 4 are 7 as well.
        assert_eq!((key.events, key.of_key + key.error >= 251), (1_000, true));
        assert!(key.of_key <= 251, "{key:?}");
        assert_eq!(key.condition.as_deref(), Some("id = 7"));
        // 10 s with 250 of them.
        assert_eq!(key.hot_windows, 1);
    }

    #[test]
    fn values_that_are_all_different_are_told_of_no_more_than_they_are() {
        let mut log = Log::default();
        for n in 0..10_000 {
            log.add(entry(&format!("UPDATE t SET n = 1 WHERE id = {n}")).at(n * 1_000));
        }
        assert_eq!(first(&log).of_key, 1);
    }

    #[test]
    fn only_columns_that_equal_literals_make_a_key() {
        let keys = |text: &str| {
            let mut log = Log::default();
            log.add(entry(text).at(0));
            log.watch().finish().keys.len()
        };
        assert_eq!(keys("UPDATE t SET a = 1 WHERE b = 'x' AND c = -1"), 1);
        assert_eq!(keys("UPDATE t SET a = 1 WHERE c = -1"), 1);
        for value in ["@id", "other_id", "`other_id`", "u.id", "UUID()", "(7)", "7 - @id", "-@id"] {
            let text = format!("UPDATE t SET a = 1 WHERE shop = 1 AND id = {value}");
            assert_eq!(keys(&text), 0, "{text}");
        }
        assert_eq!(keys("UPDATE t SET a = 1 WHERE b > 5"), 0);
        assert_eq!(keys("UPDATE t SET a = 1 WHERE b = 1 OR c = 2"), 0);
        assert_eq!(keys("UPDATE t SET a = 1 WHERE b IN (1)"), 0);
        assert_eq!(keys("UPDATE t SET a = 1 WHERE state = 'new' LIMIT 1"), 0);
        assert_eq!(keys("UPDATE t, u SET a = 1 WHERE t.b = 1"), 0);
        assert_eq!(keys("UPDATE t SET a = 1 WHERE b = ?"), 0);
        assert_eq!(keys("UPDATE t SET a = 1"), 0);
        assert_eq!(keys("INSERT INTO t (a, b) VALUES (1, 2)"), 0);
    }

    #[test]
    fn the_key_of_an_upsert_is_what_it_does_not_set() {
        let hasher = FixedState::default();
        let key = |text: &str| {
            let event = entry(text);
            event.with(|event| key_of_upsert(event.statement, Traits::of(event).updates?, &hasher))
        };
        let of = |page: &str, n: u32| {
            key(&format!(
                "INSERT INTO hits (page, n) VALUES ('{page}', {n}) ON DUPLICATE KEY UPDATE n = n + VALUES(n)"
            ))
        };
        assert!(of("a", 1).is_some());
        assert_eq!(of("a", 1), of("a", 2));
        assert_ne!(of("a", 1), of("b", 1));
        let two =
            "INSERT INTO hits (page, n) VALUES ('a', 1), ('b', 1) ON DUPLICATE KEY UPDATE n = 1";
        assert_eq!(key(two), None);
    }

    #[test]
    fn the_key_of_an_upsert_is_all_that_makes_its_value() {
        let hasher = FixedState::default();
        let key = |value: &str| {
            let event = entry(&format!(
                "INSERT INTO hits (site, h, n) VALUES (1, {value}, 1) ON DUPLICATE KEY UPDATE n = n + 1"
            ));
            event.with(|event| key_of_upsert(event.statement, Traits::of(event).updates?, &hasher))
        };
        assert!(key("UNHEX('aa')").is_some());
        assert_eq!(key("UNHEX('aa')"), key("UNHEX('aa')"));
        assert_ne!(key("UNHEX('aa')"), key("UNHEX('ab')"));
        assert_ne!(key("UNHEX(MD5('a'))"), key("UNHEX(MD5('b'))"));
        assert_ne!(key("7"), key("-7"));
        assert_ne!(key("_utf8mb4'a'"), key("_utf8mb4'b'"));
        for unknown in [
            "@h",
            "MD5(@h)",
            "site",
            "`site`",
            "hits.site",
            "CONCAT('a', site)",
            "DEFAULT",
            "UUID()",
            "UNIX_TIMESTAMP()",
            "CURRENT_DATE",
            "shop.next_number('a')",
            "next_number('a')",
            "(SELECT MAX(h) FROM u WHERE a = 5)",
        ] {
            assert_eq!(key(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn what_an_upsert_sets_is_no_part_of_its_key_whatever_it_is() {
        let mut log = Log::default();
        for n in 0..3 {
            log.add(entry(&format!(
                "INSERT INTO hits (page, n, at) VALUES ('a', -{n} + @n, NOW()) \
                 ON DUPLICATE KEY UPDATE n = n + VALUES(n), at = VALUES(at)"
            )));
        }
        assert_eq!(first(&log).of_key, 3);
    }

    /// Space-saving: the count less its error is never above the truth, the count never below.
    #[test]
    fn what_is_told_is_never_too_much() {
        let mut log = Log::default();
        let mut truth = std::collections::HashMap::new();
        let mut seed = 1_u64;
        for n in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // A few values often, most seldom.
            let id = 1_000 / (1 + (seed >> 40) % 1_000);
            *truth.entry(id).or_insert(0) += 1;
            log.add(entry(&format!("UPDATE t SET n = 1 WHERE id = {id}")).at(n * 100));
        }
        let key = first(&log);
        let most = *truth.values().max().unwrap();
        assert!(key.of_key <= most && key.of_key + key.error >= most, "{key:?} {most}");
    }
}
