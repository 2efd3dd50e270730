//! A class while events come in. What each event touches is packed; see [`packed`].
//!
//! [`packed`]: crate::digest::packed

use crate::digest::class::{
    ClassDigest, Column, Estimate, Places, RATE_LIMIT, RATE_TYPE, quantity_kind,
};
use crate::digest::names::{NameCounts, Names, USUAL};
use crate::digest::packed::Numbers;
use crate::digest::sample::Samples;
use crate::digest::stat::Rules;
use crate::digest::tally::Tally;
use crate::event::{Event, Value};
use crate::metric::{self, Kind, Registry};
use crate::time::Timestamp;

/// Distinct values that are counted of any other text.
const TEXTS: usize = 128;

/// One class of one thread.
#[derive(Debug)]
pub struct Running {
    count: u64,
    /// The first and the last end of a statement; the first behind the last is none.
    first: Timestamp,
    last: Timestamp,
    /// By place of the attribute: numbers that are zero, and the others.
    zeros: Vec<u64>,
    numbers: Vec<Numbers>,
    /// `Yes` and `No`.
    flags: Vec<(u64, u64)>,
    texts: Vec<Option<Box<Tally>>>,
    names: [NameCounts; USUAL.len()],
    decades: [u64; 8],
    samples: Samples,
    /// What sampled logs stand for beyond what they hold.
    more: Estimate,
}

impl Default for Running {
    fn default() -> Running {
        Running {
            count: 0,
            first: Timestamp(i64::MAX),
            last: Timestamp(i64::MIN),
            zeros: Vec::new(),
            numbers: Vec::new(),
            flags: Vec::new(),
            texts: Vec::new(),
            names: Default::default(),
            decades: [0; 8],
            samples: Samples::default(),
            more: Estimate::default(),
        }
    }
}

impl Running {
    /// Adds an event; the one with the greatest `ordered` is the worst sample.
    pub fn add(
        &mut self,
        event: &Event<'_>,
        places: &mut Places,
        names: &mut Names,
        ordered: Option<i128>,
        rules: Rules,
    ) {
        self.count += 1;
        if let Some(ts) = event.ts {
            self.first = self.first.min(ts);
            self.last = self.last.max(ts);
        }
        for attribute in event.attributes {
            let metric = attribute.metric;
            let place = places.place(metric);
            if place >= self.zeros.len() {
                self.widen(place, rules);
            }
            match attribute.value {
                Value::Number(0) => self.zeros[place] += 1,
                Value::Number(number) => match Registry::kind(metric) {
                    Some(Kind::Code) => self.code(place, number),
                    _ => self.numbers[place].add(number, quantity_kind(metric), rules),
                },
                Value::Flag(true) => self.flags[place].0 += 1,
                Value::Flag(false) => self.flags[place].1 += 1,
                Value::Text(span) => {
                    if Registry::kind(metric) != Some(Kind::Identifier) && metric != RATE_TYPE {
                        let tally = &mut self.texts[place];
                        tally
                            .get_or_insert_with(|| Box::new(Tally::new(TEXTS)))
                            .add(span.of(event.buffer));
                    }
                }
            }
        }
        let database = event.database.filter(|name| !name.is_empty());
        let said = [event.user, event.host, database];
        for ((counts, known), name) in self.names.iter_mut().zip(&mut names.0).zip(said) {
            if let Some(name) = name {
                counts.add(name, known);
            }
        }
        if let Some(time) = event.query_time {
            self.decades[decade(time)] += 1;
        }
        if event.has(RATE_LIMIT)
            && let Some(rate) = event.number(RATE_LIMIT).filter(|rate| *rate > 1)
        {
            self.more.events += (rate - 1) as u128;
            self.more.query_time += event.query_time.unwrap_or(0) * (rate - 1);
        }
        self.samples.add(event, ordered.unwrap_or(-1), event.query_time, rules);
    }

    /// Error numbers and the like: zero is "none" and only counted.
    #[cold]
    fn code(&mut self, place: usize, number: i128) {
        self.flags[place].0 += 1;
        let tally = self.texts[place].get_or_insert_with(|| Box::new(Tally::new(TEXTS)));
        tally.add(number.to_string().as_bytes());
    }

    #[cold]
    fn widen(&mut self, place: usize, rules: Rules) {
        let length = place + 1;
        self.zeros.resize(length, 0);
        self.numbers.resize_with(length, || Numbers::new(rules));
        self.flags.resize(length, (0, 0));
        self.texts.resize_with(length, || None);
    }

    /// The digest of the class. Places are the same, and so is everything else.
    pub fn finish(self, places: &Places, rules: Rules) -> ClassDigest {
        let mut columns = Vec::new();
        let parts = self.zeros.into_iter().zip(self.numbers).zip(self.flags).zip(self.texts);
        for (place, (((zeros, numbers), mut flags), tally)) in parts.enumerate() {
            let metric = places.metrics()[place];
            let stat = match Registry::kind(metric) {
                Some(Kind::Code) => {
                    flags.1 += zeros;
                    None
                }
                _ if metric == RATE_LIMIT => None,
                _ => numbers.finish(zeros, quantity_kind(metric), rules),
            };
            columns.push(Column { stat, flags, tally });
        }
        let time =
            places.find(metric::QUERY_TIME).and_then(|place| columns.get(place)?.stat.as_ref());
        ClassDigest {
            count: self.count,
            first: (self.first <= self.last).then_some(self.first),
            last: (self.first <= self.last).then_some(self.last),
            samples: self.samples,
            estimate: Estimate {
                events: u128::from(self.count) + self.more.events,
                query_time: time.map_or(0, |time| time.sum) + self.more.query_time,
            },
            decades: self.decades,
            columns,
            names: self.names,
        }
    }
}

/// The decade of a time in microseconds.
#[inline]
fn decade(micros: i128) -> usize {
    match u64::try_from(micros.max(1)) {
        // Below 10 us, below 100 us, … below 10 s, and more.
        Ok(micros) => (micros.ilog10() as usize).min(7),
        Err(_) => 7,
    }
}
