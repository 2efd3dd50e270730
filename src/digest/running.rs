//! A class while events come in. What each event touches is packed; see [`packed`].
//!
//! [`packed`]: crate::digest::packed

use crate::digest::class::{
    ClassDigest, Column, Estimate, Places, RATE_LIMIT, RATE_TYPE, quantity_kind,
};
use crate::digest::packed::Numbers;
use crate::digest::sample::Samples;
use crate::digest::stat::Rules;
use crate::digest::tally::{self, Tally};
use crate::event::{Event, Value};
use crate::metric::{self, Kind, MetricId, Registry};
use crate::time::Timestamp;

/// Distinct users, hosts and databases that are counted of a class.
const NAMES: usize = 4096;
/// Distinct values that are counted of any other text.
const TEXTS: usize = 128;

/// The texts that nearly every event has.
const USUAL: [MetricId; 3] = [metric::USER, metric::HOST, metric::DATABASE];

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
    usual: [NameCounts; USUAL.len()],
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
            usual: Default::default(),
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
        names: &mut UsualNames,
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
        for (place, name) in [event.user, event.host, database].into_iter().enumerate() {
            if let Some(name) = name {
                self.usual[place].add(name, &mut names.0[place]);
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
    pub fn finish(self, places: &mut Places, names: &UsualNames, rules: Rules) -> ClassDigest {
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
        for ((metric, counts), names) in USUAL.into_iter().zip(self.usual).zip(&names.0) {
            if let Some(tally) = counts.finish(names) {
                let place = places.place(metric);
                if place >= columns.len() {
                    columns.resize_with(place + 1, Column::default);
                }
                columns[place].tally = Some(Box::new(tally));
            }
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

/// Users, hosts and databases met by one thread.
#[derive(Debug, Default)]
pub struct UsualNames([Known; USUAL.len()]);

/// Names that came first, by number. Most logs have few, so a class can count them by number
/// without a look at the text.
#[derive(Debug)]
struct Known {
    texts: Vec<Box<[u8]>>,
    /// Numbers by a cheap hash; [`FREE`] where there is none.
    slots: [u8; 256],
}

/// Names that get a number.
const KNOWN: usize = 96;
const FREE: u8 = u8::MAX;

impl Default for Known {
    fn default() -> Known {
        Known { texts: Vec::new(), slots: [FREE; 256] }
    }
}

impl Known {
    /// The number of a name; `None` for a name that came when all numbers were given.
    #[inline]
    fn number(&mut self, name: &[u8]) -> Option<usize> {
        let mut slot = slot(name);
        loop {
            let number = self.slots[usize::from(slot)];
            match self.texts.get(usize::from(number)) {
                Some(text) if **text == *name => return Some(usize::from(number)),
                Some(_) => slot = slot.wrapping_add(1),
                None if self.texts.len() < KNOWN => {
                    self.slots[usize::from(slot)] = self.texts.len() as u8;
                    self.texts.push(name.into());
                }
                None => return None,
            }
        }
    }
}

/// A cheap hash of the first and the last eight bytes and the length.
#[inline]
fn slot(name: &[u8]) -> u8 {
    let ends = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(32)
        }
        _ => name.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    };
    ((ends ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// How often each name came to one class.
#[derive(Debug, Default)]
struct NameCounts {
    /// By number of the name.
    known: Vec<u64>,
    others: Option<Box<Tally>>,
}

impl NameCounts {
    #[inline]
    fn add(&mut self, name: &[u8], names: &mut Known) {
        let Some(number) = names.number(name) else {
            self.others.get_or_insert_with(|| Box::new(Tally::new(NAMES))).add(name);
            return;
        };
        if number >= self.known.len() {
            self.known.resize(number + 1, 0);
        }
        self.known[number] += 1;
    }

    fn finish(self, names: &Known) -> Option<Tally> {
        let mut tally = self.others.map(|others| *others);
        for (text, count) in names.texts.iter().zip(self.known) {
            if count > 0 {
                let tally = tally.get_or_insert_with(|| Tally::new(NAMES));
                tally.count(tally::hash(text), text, count);
            }
        }
        tally
    }
}
