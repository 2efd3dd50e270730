//! All events of one query class.

use crate::digest::names::{NameCounts, Names, Numbers, USUAL};
use crate::digest::sample::Samples;
use crate::digest::stat::Stat;
use crate::digest::tally::Tally;
use crate::metric::{self, Kind, MetricId, Registry};
use crate::time::Timestamp;

/// What is kept of one attribute.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// Its numbers.
    pub stat: Option<Box<Stat>>,
    /// How often it was `Yes`, `No`.
    pub flags: (u64, u64),
    /// Its texts, if it is none of those in [`ClassDigest::names`].
    pub tally: Option<Box<Tally>>,
}

impl Column {
    /// Whether no event had the attribute.
    pub fn is_empty(&self) -> bool {
        self.stat.is_none() && self.flags == (0, 0) && self.tally.is_none()
    }

    fn merge(&mut self, other: &Column, kind: Kind) {
        self.flags.0 += other.flags.0;
        self.flags.1 += other.flags.1;
        match (&mut self.stat, &other.stat) {
            (Some(own), Some(other)) => own.merge(other, kind),
            (None, Some(other)) => self.stat = Some(other.clone()),
            (_, None) => {}
        }
        match (&mut self.tally, &other.tally) {
            (Some(own), Some(other)) => own.merge(other),
            (None, Some(other)) => self.tally = Some(other.clone()),
            (_, None) => {}
        }
    }
}

/// Counts and sums of a class, extended to what a sampled log left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Events, each counted as often as its rate limit says.
    pub events: u128,
    /// Their `Query_time` in microseconds.
    pub query_time: i128,
}

/// The digest of one class.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClassDigest {
    /// Events.
    pub count: u64,
    /// By place of the attribute in the digest.
    pub columns: Vec<Column>,
    /// The first end of a statement.
    pub first: Option<Timestamp>,
    /// The last one.
    pub last: Option<Timestamp>,
    /// Examples.
    pub samples: Samples,
    /// With what sampling left out.
    pub estimate: Estimate,
    /// Events by decade of their `Query_time`: below 10 us, below 100 us, … 10 s and more.
    pub decades: [u64; 8],
    /// Users, hosts and databases, by number; see [`Names`](crate::digest::names::Names).
    pub names: [NameCounts; USUAL.len()],
}

/// What is what where classes of another digest are joined.
#[derive(Debug, Default)]
pub struct Translation {
    /// The attributes, by their places there.
    pub metrics: Vec<MetricId>,
    /// Their places here, in the same order.
    pub places: Vec<usize>,
    /// Names by their numbers there.
    pub names: Numbers,
}

impl Translation {
    /// Classes of the same digest.
    pub fn own(places: &Places, names: &Names) -> Translation {
        Translation {
            metrics: places.metrics().to_vec(),
            places: (0..places.metrics().len()).collect(),
            names: names.own_numbers(),
        }
    }
}

/// Places of attributes: each attribute that any event has gets the next free one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    of_metric: Vec<u16>,
    metrics: Vec<MetricId>,
}

const NO_PLACE: u16 = u16::MAX;

impl Places {
    /// The place of an attribute, given when it is asked for the first time.
    #[inline]
    pub fn place(&mut self, metric: MetricId) -> usize {
        let number = usize::from(metric.0);
        if number >= self.of_metric.len() {
            self.of_metric.resize(number + 1, NO_PLACE);
        }
        if self.of_metric[number] == NO_PLACE {
            self.of_metric[number] = self.metrics.len() as u16;
            self.metrics.push(metric);
        }
        usize::from(self.of_metric[number])
    }

    /// The place of an attribute, if it has one.
    pub fn find(&self, metric: MetricId) -> Option<usize> {
        let place = *self.of_metric.get(usize::from(metric.0))?;
        (place != NO_PLACE).then_some(usize::from(place))
    }

    /// The attributes in order of their places.
    pub fn metrics(&self) -> &[MetricId] {
        &self.metrics
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

impl ClassDigest {
    fn column(&mut self, place: usize) -> &mut Column {
        if place >= self.columns.len() {
            self.columns.resize_with(place + 1, Column::default);
        }
        &mut self.columns[place]
    }

    /// Joins the sums of another class. Samples are not joined: of several classes together none is
    /// the sample.
    pub fn merge(&mut self, other: &ClassDigest, there: &Translation) {
        self.count += other.count;
        self.first = least(self.first, other.first);
        self.last = self.last.max(other.last);
        for (place, column) in other.columns.iter().enumerate() {
            if !column.is_empty() {
                let kind = quantity_kind(there.metrics[place]);
                self.column(there.places[place]).merge(column, kind);
            }
        }
        self.estimate.events += other.estimate.events;
        self.estimate.query_time += other.estimate.query_time;
        for (own, other) in self.decades.iter_mut().zip(other.decades) {
            *own += other;
        }
        for ((own, other), numbers) in self.names.iter_mut().zip(&other.names).zip(&there.names.0) {
            own.merge(other, numbers);
        }
    }

    /// The numbers of an attribute.
    pub fn stat(&self, places: &Places, metric: MetricId) -> Option<&Stat> {
        self.columns.get(places.find(metric)?)?.stat.as_deref()
    }
}

/// `Log_slow_rate_limit`.
pub const RATE_LIMIT: MetricId = by_name("Log_slow_rate_limit");
/// `Log_slow_rate_type`.
pub const RATE_TYPE: MetricId = by_name("Log_slow_rate_type");

/// The number of a name of the table.
const fn by_name(name: &str) -> MetricId {
    let mut place = 0;
    while place < metric::METRICS.len() {
        let known = metric::METRICS[place].name.as_bytes();
        let name = name.as_bytes();
        let mut same = known.len() == name.len();
        let mut at = 0;
        while same && at < name.len() {
            same = known[at] == name[at];
            at += 1;
        }
        if same {
            return MetricId(place as u16);
        }
        place += 1;
    }
    panic!("not in the table of attributes")
}

fn least(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
