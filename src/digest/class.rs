//! All events of one query class.
//!
//! What each event touches is packed; see [`packed`](crate::digest::packed).

use crate::digest::names::{NameCounts, Names, USUAL};
use crate::digest::packed::Numbers;
use crate::digest::places::{Places, Translation};
use crate::digest::sample::Samples;
use crate::digest::stat::{Rules, Stat, Totals};
use crate::digest::tally::{self, Tally};
use crate::event::{Event, Value};
use crate::metric::{self, Kind, MetricId, Registry};
use crate::time::Timestamp;

/// Distinct values that are counted of a text that is none of the [`USUAL`] ones.
const TEXTS: usize = 128;

/// Counts and sums of a class, extended to what a sampled log left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Events, each counted as often as its rate limit says.
    pub events: u128,
    /// Their `Query_time` in microseconds.
    pub query_time: i128,
}

/// The digest of one class, or of several.
#[derive(Debug, Clone)]
pub struct ClassDigest {
    /// Events.
    pub count: u64,
    /// The first and the last end of a statement; the first behind the last is none.
    first: Timestamp,
    last: Timestamp,
    /// By place of the attribute: numbers that are zero, and the others.
    zeros: Vec<u64>,
    numbers: Vec<Numbers>,
    /// How often it was `Yes` and `No`; of a code, how often it was one and how often zero.
    flags: Vec<(u64, u64)>,
    texts: Vec<Option<Box<Tally>>>,
    /// Users, hosts and databases, by number; see [`Names`].
    pub names: [NameCounts; USUAL.len()],
    /// Events by decade of their `Query_time`: below 10 us, below 100 us, … 10 s and more.
    pub decades: [u64; 8],
    /// Examples.
    pub samples: Samples,
    /// What sampled logs stand for beyond what they hold.
    more: Estimate,
}

impl Default for ClassDigest {
    fn default() -> ClassDigest {
        ClassDigest {
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

impl ClassDigest {
    /// Adds an event; the one with the greatest `ordered` is the worst sample.
    pub(super) fn add(
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
                    _ => self.numbers[place].add(number, quantity_kind(metric)),
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

    /// Joins the sums of another class. Samples are not joined: of several classes together none is
    /// the sample.
    pub fn merge(&mut self, other: &ClassDigest, there: &Translation) {
        self.count += other.count;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        for (from, to) in (0..other.zeros.len()).zip(&there.places) {
            if other.is_empty_at(from) {
                continue;
            }
            if *to >= self.zeros.len() {
                self.widen(*to, there.rules);
            }
            self.zeros[*to] += other.zeros[from];
            self.numbers[*to].merge(&other.numbers[from], quantity_kind(there.metrics[from]));
            let (flags, more) = (&mut self.flags[*to], other.flags[from]);
            *flags = (flags.0 + more.0, flags.1 + more.1);
            tally::join(&mut self.texts[*to], &other.texts[from]);
        }
        self.more.events += other.more.events;
        self.more.query_time += other.more.query_time;
        for (own, other) in self.decades.iter_mut().zip(other.decades) {
            *own += other;
        }
        for ((own, other), numbers) in self.names.iter_mut().zip(&other.names).zip(&there.names.0) {
            own.merge(other, numbers);
        }
    }

    fn is_empty_at(&self, place: usize) -> bool {
        self.zeros[place] == 0
            && self.numbers[place].is_empty()
            && self.flags[place] == (0, 0)
            && self.texts[place].is_none()
    }

    /// Forgets the attribute with a place.
    pub(super) fn forget(&mut self, place: usize, rules: Rules) {
        if place < self.zeros.len() {
            self.zeros[place] = 0;
            self.numbers[place] = Numbers::new(rules);
            self.flags[place] = (0, 0);
            self.texts[place] = None;
        }
    }

    /// The first end of a statement.
    pub fn first(&self) -> Option<Timestamp> {
        (self.first <= self.last).then_some(self.first)
    }

    /// The last end of a statement.
    pub fn last(&self) -> Option<Timestamp> {
        (self.first <= self.last).then_some(self.last)
    }

    /// With what sampling left out.
    pub fn estimate(&self, places: &Places) -> Estimate {
        let time = self.totals(places, metric::QUERY_TIME).map_or(0, |time| time.sum);
        Estimate {
            events: u128::from(self.count) + self.more.events,
            query_time: time + self.more.query_time,
        }
    }

    /// The place of an attribute that has numbers to add up.
    fn quantity(&self, places: &Places, metric: MetricId) -> Option<usize> {
        let place = places.find(metric).filter(|place| *place < self.zeros.len())?;
        let adds_up = metric != RATE_LIMIT && Registry::kind(metric) != Some(Kind::Code);
        adds_up.then_some(place)
    }

    /// Count, sum and extremes of an attribute; `None` without a number.
    pub fn totals(&self, places: &Places, metric: MetricId) -> Option<Totals> {
        let place = self.quantity(places, metric)?;
        self.numbers[place].totals(self.zeros[place])
    }

    /// How many events had an attribute, and how many of these another number than zero.
    pub fn occurrences(&self, places: &Places, metric: MetricId) -> Option<(u64, u64)> {
        let place = self.quantity(places, metric)?;
        let count = self.numbers[place].totals(self.zeros[place])?.count;
        Some((count, count - self.zeros[place]))
    }

    /// The numbers of an attribute; `None` without one.
    pub fn stat(&self, places: &Places, metric: MetricId) -> Option<Stat> {
        let place = self.quantity(places, metric)?;
        self.numbers[place].stat(self.zeros[place], quantity_kind(metric))
    }

    /// How often an attribute was `Yes` and `No`.
    pub fn flags(&self, places: &Places, metric: MetricId) -> (u64, u64) {
        let Some(place) = places.find(metric).filter(|place| *place < self.zeros.len()) else {
            return (0, 0);
        };
        let (yes, no) = self.flags[place];
        match Registry::kind(metric) {
            Some(Kind::Code) => (yes, no + self.zeros[place]),
            _ => (yes, no),
        }
    }

    /// The texts of an attribute that is none of the [`USUAL`] ones.
    pub fn texts(&self, places: &Places, metric: MetricId) -> Option<&Tally> {
        self.texts.get(places.find(metric)?)?.as_deref()
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

/// The kind by which values of an attribute are added up.
pub fn quantity_kind(metric: MetricId) -> Kind {
    match Registry::kind(metric) {
        Some(kind) if kind.is_quantity() => kind,
        Some(Kind::Code) => Kind::Count,
        _ => Kind::Number,
    }
}

/// `Log_slow_rate_limit`.
pub const RATE_LIMIT: MetricId = metric::known("Log_slow_rate_limit");
/// `Log_slow_rate_type`.
pub const RATE_TYPE: MetricId = metric::known("Log_slow_rate_type");
