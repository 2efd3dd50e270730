//! SELECTs that are asked again within a minute, word for word and in the same database.
//!
//! It is what a cache would answer that keeps each result for 60 seconds from when it was made. Texts
//! are in a table of a fixed size; one that is pushed out counts as new when it comes again, so that
//! what is told is never too much.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::event::{Event, Value};
use crate::metric::{self, MetricId};
use crate::sql::glance::Verb;

use super::Sighting;
use super::traits::Traits;

const QC_HIT: [MetricId; 2] = [metric::known("QC_hit"), metric::known("QC_Hit")];

/// Microseconds for which a result is kept.
const KEPT: i64 = 60_000_000;
/// Texts in a bucket, and buckets: 2 MiB.
const WAYS: usize = 2;
const BUCKETS: usize = 65_536;
/// A longer statement is not looked at.
const LONGEST: usize = 1024 * 1024;

/// What repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repeats {
    /// Microseconds of all SELECTs that no stored routine ran.
    pub select_micros: u64,
    /// Events that were left out because no time is known of them.
    pub timeless: u64,
    /// Events that were left out because they ran inside of a stored routine: the CALL is what is
    /// asked, and their times may be counted from its start.
    pub in_routines: u64,
    /// By class, those that save most first.
    pub classes: Vec<Repeated>,
}

/// What repeats of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repeated {
    /// The class: a number of [`super::Observed::classes`].
    pub class: u32,
    /// Its events.
    pub events: u64,
    /// Events that would have been answered, and were not.
    pub repeats: u64,
    /// Microseconds of these.
    pub micros: u64,
    /// Events that the query cache has answered.
    pub hits: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Text {
    hash: u64,
    made: i64,
}

/// Looks for repeats.
#[derive(Debug, Default)]
pub struct Texts {
    buckets: Vec<[Text; WAYS]>,
    classes: Vec<Repeated>,
    select_micros: u64,
    timeless: u64,
    in_routines: u64,
    hasher: FixedState,
}

impl Texts {
    /// Takes an event.
    pub fn add(&mut self, sighting: &Sighting<'_>, traits: &Traits) {
        if traits.verb != Verb::Select {
            return;
        }
        if sighting.is_in_routine {
            self.in_routines += 1;
            return;
        }
        let micros = sighting.micros.unwrap_or(0);
        self.select_micros = self.select_micros.saturating_add(micros);
        let event = sighting.event;
        if !traits.is_steady || event.statement.len() > LONGEST {
            return;
        }
        let Some((_, end)) = sighting.span else {
            self.timeless += 1;
            return;
        };
        let class = sighting.class as usize;
        if self.classes.len() <= class {
            self.classes.resize(class + 1, Repeated::default());
        }
        let is_again = self.is_again(event, end);
        let Some(told) = self.classes.get_mut(class) else { return };
        told.events += 1;
        if was_hit(event) {
            told.hits += 1;
        } else if is_again {
            told.repeats += 1;
            told.micros = told.micros.saturating_add(micros);
        }
    }

    /// Whether the same was asked not long before; else it is made now.
    fn is_again(&mut self, event: &Event<'_>, end: i64) -> bool {
        if self.buckets.is_empty() {
            self.buckets.resize(BUCKETS, [Text::default(); WAYS]);
        }
        let mut hasher = self.hasher.build_hasher();
        hasher.write(event.statement);
        hasher.write(event.database.unwrap_or_default());
        let hash = hasher.finish() | 1;
        let at = (hash >> 32) as usize % BUCKETS;
        let Some(bucket) = self.buckets.get_mut(at) else { return false };
        // The order of a log is not quite that of time.
        let age = |text: &Text| end.saturating_sub(text.made);
        if let Some(text) = bucket.iter_mut().find(|text| text.hash == hash) {
            if (-KEPT..=KEPT).contains(&age(text)) {
                return true;
            }
            text.made = end;
            return false;
        }
        let is_empty = |text: &Text| text.hash == 0;
        let oldest = bucket.iter_mut().max_by_key(|text| (is_empty(text), age(text)));
        if let Some(text) = oldest {
            *text = Text { hash, made: end };
        }
        false
    }

    /// What repeats.
    pub fn finish(self) -> Repeats {
        let classes = self.classes.into_iter().zip(0..);
        let classes = classes.map(|(it, class)| Repeated { class, ..it });
        let mut classes: Vec<Repeated> = classes.filter(|it| it.events > 0).collect();
        classes.sort_unstable_by_key(|it| (std::cmp::Reverse(it.micros), it.class));
        Repeats {
            select_micros: self.select_micros,
            timeless: self.timeless,
            in_routines: self.in_routines,
            classes,
        }
    }
}

fn was_hit(event: &Event<'_>) -> bool {
    QC_HIT.iter().any(|metric| event.has(*metric))
        && event
            .attributes
            .iter()
            .any(|it| it.value == Value::Flag(true) && QC_HIT.contains(&it.metric))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};
    use super::*;

    const SELECT: &str = "SELECT name FROM t WHERE id = 7";

    #[test]
    fn what_is_asked_again_within_a_minute_repeats() {
        let mut log = Log::default();
        // Made at 0, answered until 60, made anew at 61, answered at 120.
        for second in [0, 1, 60, 61, 120] {
            log.add(entry(SELECT).micros(1_000).at(second * 1_000_000));
        }
        let repeats = log.watch().finish().repeats;
        assert_eq!(repeats.select_micros, 5_000);
        let class = repeats.classes[0];
        assert_eq!((class.events, class.repeats, class.micros, class.hits), (5, 3, 3_000, 0));
    }

    #[test]
    fn other_literals_and_other_databases_are_other_statements() {
        let mut log = Log::default();
        log.add(entry(SELECT).at(0));
        log.add(entry(SELECT).database("other").at(0));
        log.add(entry("SELECT name FROM t WHERE id = 8").at(0));
        assert_eq!(log.watch().finish().repeats.classes[0].repeats, 0);
    }

    #[test]
    fn hits_of_the_query_cache_are_saved_already() {
        let mut log = Log::default();
        log.add(entry(SELECT).micros(1_000).at(0).hit(false));
        log.add(entry(SELECT).micros(10).at(1).hit(true));
        log.add(entry(SELECT).micros(900).at(2).hit(false));
        let class = log.watch().finish().repeats.classes[0];
        assert_eq!((class.repeats, class.micros, class.hits), (1, 900, 1));
    }

    #[test]
    fn what_gives_another_result_or_must_be_asked_is_none() {
        for text in [
            "SELECT 1",
            "SELECT SQL_NO_CACHE a FROM t",
            "SELECT /*!40001 SQL_NO_CACHE */ * FROM t",
            "SELECT a FROM t FOR UPDATE",
            "SELECT a FROM t LOCK IN SHARE MODE",
            "SELECT a FROM t FOR SHARE",
            "SELECT a FROM t WHERE d < NOW()",
            "SELECT a FROM t ORDER BY RAND()",
            "SELECT UUID(), a FROM t",
            "SELECT LAST_INSERT_ID() FROM t",
            "SELECT NEXTVAL(s) FROM t",
            "SELECT next_number('orders') FROM t",
            "SELECT @n, a FROM t",
        ] {
            let mut log = Log::default();
            log.add(entry(text).at(0));
            log.add(entry(text).at(1));
            assert_eq!(log.watch().finish().repeats.classes, [], "{text}");
        }
    }

    #[test]
    fn what_a_stored_routine_asks_is_left_out() {
        let mut log = Log::default();
        for n in 0..3 {
            log.add(entry("CALL top(3)").micros(5_000).at(n));
            log.add(entry(SELECT).micros(5_000).at(n).routine());
        }
        log.add(entry(SELECT).micros(1_000).at(3));
        log.add(entry(SELECT).micros(1_000).at(4));
        let repeats = log.watch().finish().repeats;
        assert_eq!((repeats.select_micros, repeats.in_routines), (2_000, 3));
        let class = repeats.classes[0];
        assert_eq!((class.events, class.repeats, class.micros), (2, 1, 1_000));
    }

    /// A text that is answered the second time has had its place ever since the first: no more of
    /// them are than there are places.
    #[test]
    fn more_texts_than_there_are_places_are_told_of_no_more_than_repeat() {
        const TEXTS: i64 = 200_000;
        let places = (BUCKETS * WAYS) as u64;
        let mut log = Log::default();
        for n in 0..2 * TEXTS {
            let id = n % TEXTS;
            // The second round begins 20 seconds behind the first.
            log.add(entry(&format!("SELECT name FROM t WHERE id = {id}")).at(n * 100));
        }
        let watch = log.watch();
        assert_eq!(watch.texts.buckets.len() * WAYS, 131_072);
        let class = watch.finish().repeats.classes[0];
        assert_eq!(class.events, 400_000);
        assert!((1..=places).contains(&class.repeats), "{class:?}");
    }
}
