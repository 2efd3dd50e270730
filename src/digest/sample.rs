//! Which events of a class are shown: the worst one, and ones near the median and the 95 %.
//!
//! Choices depend on the events alone, not on their order: the worst is the one with the greatest
//! value, of equal ones the last in the log; of each quarter of an octave of the value the event
//! whose place in the log has the least hash is kept, so that a typical one can be named at the
//! end, within a fifth of any value that is asked for.

use crate::digest::stat::Rules;
use crate::digest::{fingerprint_as_peer, item_of, tables_in};
use crate::event::Event;
use crate::problem::Origin;
use crate::sql::distill::TableName;
use crate::sql::fingerprint::ClassId;
use crate::time::Timestamp;

/// Bytes kept of the worst statement.
pub const LONGEST_WORST: usize = 32 * 1024;
/// Bytes kept of a plan that the server wrote into the log.
const LONGEST_PLAN: usize = 16 * 1024;
/// Bytes kept of a typical statement.
pub const LONGEST_TYPICAL: usize = 256;

/// One event as an example of its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The value by which it was chosen.
    pub value: i128,
    /// Its time, if that is not the value by which it was chosen.
    pub query_time: Option<i128>,
    /// Where it stands.
    pub origin: Origin,
    /// When it ended.
    pub ts: Option<Timestamp>,
    /// Its database.
    pub database: Option<Box<[u8]>>,
    /// The statement, possibly cut.
    pub statement: Box<[u8]>,
    /// Length of the whole statement.
    pub length: usize,
    /// What the whole statement tells, where it was cut.
    pub whole: Option<Box<Whole>>,
    /// The lines of the plan that the server wrote with it.
    pub plan: Option<Box<[u8]>>,
}

/// What is taken from a statement before it is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Its ID in pt-query-digest.
    pub peer_id: ClassId,
    /// Its item.
    pub item: Vec<u8>,
    /// Its tables.
    pub tables: Vec<TableName>,
}

impl Sample {
    fn of(event: &Event<'_>, value: i128, query_time: Option<i128>) -> Sample {
        let kept = &event.text[..event.text.len().min(LONGEST_WORST)];
        Sample {
            value,
            query_time,
            origin: Origin { source: event.source, offset: event.offset },
            ts: event.ts,
            database: event.database.filter(|name| !name.is_empty()).map(Into::into),
            statement: kept.into(),
            length: event.text.len(),
            whole: None,
            plan: event.plan.filter(|plan| plan.len() <= LONGEST_PLAN).map(Into::into),
        }
    }

    /// Whether the statement was cut.
    pub fn is_cut(&self) -> bool {
        self.statement.len() < self.length
    }
}

/// The samples of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// The event with the greatest value.
    pub worst: Option<Sample>,
    typical: Typical,
}

/// An event for each quarter of an octave. What is looked at for each event stands by itself, so
/// that it is in few lines of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Typical {
    /// The first quarter of the lists.
    low: usize,
    /// The least hash met in each; [`NO_HASH`] where there is no event.
    hashes: Vec<u64>,
    examples: Vec<Option<Example>>,
}

const NO_HASH: u64 = u64::MAX;

/// A [`Sample`] in little room: a class has dozens of them, and most are never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Example {
    value: i128,
    offset: u64,
    ts: Option<Timestamp>,
    /// If it is not `value`.
    query_time: Option<Box<Option<i128>>>,
    source: u32,
    length: u32,
    /// The database and the statement.
    text: Vec<u8>,
    database: Option<u32>,
}

impl Example {
    fn of(event: &Event<'_>, value: i128, query_time: Option<i128>, mut text: Vec<u8>) -> Example {
        let database = event.database.filter(|name| !name.is_empty());
        let kept = &event.text[..event.text.len().min(LONGEST_TYPICAL)];
        text.clear();
        text.reserve_exact(database.map_or(0, <[u8]>::len) + kept.len());
        text.extend_from_slice(database.unwrap_or_default());
        text.extend_from_slice(kept);
        Example {
            value,
            offset: event.offset,
            ts: event.ts,
            query_time: (query_time != Some(value)).then(|| Box::new(query_time)),
            source: event.source,
            length: u32::try_from(event.text.len()).unwrap_or(u32::MAX),
            text,
            database: database.map(|name| name.len() as u32),
        }
    }

    fn origin(&self) -> Origin {
        Origin { source: self.source, offset: self.offset }
    }

    fn sample(&self) -> Sample {
        let (database, statement) = self.text.split_at(self.database.unwrap_or(0) as usize);
        Sample {
            value: self.value,
            query_time: self.query_time.as_deref().copied().unwrap_or(Some(self.value)),
            origin: self.origin(),
            ts: self.ts,
            database: self.database.map(|_| database.into()),
            statement: statement.into(),
            length: self.length as usize,
            whole: None,
            plan: None,
        }
    }
}

impl Typical {
    /// Keeps an event if it is the first of its quarter or has the least hash there. `example` makes
    /// one, in room that is not used any more.
    #[inline]
    fn offer(&mut self, quarter: usize, origin: Origin, example: impl FnOnce(Vec<u8>) -> Example) {
        let hash = place_hash(origin);
        match self.hashes.get(quarter.wrapping_sub(self.low)) {
            Some(least) if hash > *least => {}
            _ => self.consider(quarter, hash, origin, example),
        }
    }

    #[cold]
    fn consider(
        &mut self,
        quarter: usize,
        hash: u64,
        origin: Origin,
        example: impl FnOnce(Vec<u8>) -> Example,
    ) {
        if let Some(kept) = self.better(quarter, hash, origin) {
            let room = kept.take().map_or(Vec::new(), |kept| kept.text);
            *kept = Some(example(room));
        }
    }

    /// Takes the example from where it is, if it is the better one.
    fn join(&mut self, quarter: usize, origin: Origin, example: &mut Option<Example>) {
        if let Some(kept) = self.better(quarter, place_hash(origin), origin) {
            std::mem::swap(kept, example);
        }
    }

    /// Where the example of a quarter is kept, if there is none with so little a hash: it is to be
    /// replaced.
    fn better(
        &mut self,
        quarter: usize,
        hash: u64,
        origin: Origin,
    ) -> Option<&mut Option<Example>> {
        if self.hashes.is_empty() {
            self.low = quarter;
        }
        let before = self.low.saturating_sub(quarter);
        self.low -= before;
        let place = quarter - self.low;
        let behind = (place + 1).saturating_sub(before + self.hashes.len());
        if before + behind > 0 {
            // Just as many: half of the room that a list takes in advance would never be used.
            self.hashes.reserve_exact(before + behind);
            self.examples.reserve_exact(before + behind);
            self.hashes.splice(0..0, std::iter::repeat_n(NO_HASH, before));
            self.examples.splice(0..0, std::iter::repeat_n(None, before));
            self.hashes.resize(self.hashes.len() + behind, NO_HASH);
            self.examples.resize(self.examples.len() + behind, None);
        }
        let kept = &mut self.examples[place];
        if kept.as_ref().is_none_or(|kept| (hash, origin) < (self.hashes[place], kept.origin())) {
            self.hashes[place] = hash;
            return Some(kept);
        }
        None
    }
}

impl Samples {
    /// Looks at an event.
    #[inline]
    pub fn add(&mut self, event: &Event<'_>, value: i128, query_time: Option<i128>, rules: Rules) {
        let origin = Origin { source: event.source, offset: event.offset };
        let worse = match &self.worst {
            Some(worst) => (value, origin) >= (worst.value, worst.origin),
            None => true,
        };
        if worse {
            self.worst = Some(worst(event, value, query_time, rules));
        }
        self.typical
            .offer(quarter(value), origin, |room| Example::of(event, value, query_time, room));
    }

    /// Joins the samples of another part of the run. What is not chosen is left there.
    pub fn merge(&mut self, other: &mut Samples) {
        let key = |sample: &Option<Sample>| sample.as_ref().map(|s| (s.value, s.origin));
        if key(&other.worst) > key(&self.worst) {
            std::mem::swap(&mut self.worst, &mut other.worst);
        }
        let Typical { low, examples, .. } = &mut other.typical;
        for (place, example) in examples.iter_mut().enumerate() {
            if let Some(origin) = example.as_ref().map(Example::origin) {
                self.typical.join(*low + place, origin, example);
            }
        }
    }

    /// The kept event whose value is nearest to `value`, of equally near ones the first.
    pub fn near(&self, value: f64) -> Option<Sample> {
        let distance = |kept: i128| (kept as f64 - value).abs();
        let examples = self.typical.examples.iter().flatten();
        let example = examples.min_by(|a, b| {
            let order = distance(a.value).total_cmp(&distance(b.value));
            order.then(a.origin().cmp(&b.origin()))
        });
        let (Some(example), Some(worst)) = (example, &self.worst) else {
            return self.worst.clone();
        };
        let order = distance(worst.value).total_cmp(&distance(example.value));
        match order.then(worst.origin.cmp(&example.origin())).is_lt() {
            true => Some(worst.clone()),
            false => Some(example.sample()),
        }
    }
}

#[cold]
fn worst(event: &Event<'_>, value: i128, query_time: Option<i128>, rules: Rules) -> Sample {
    let mut worst = Sample::of(event, value, query_time);
    if worst.is_cut() {
        worst.whole = Some(Box::new(Whole {
            peer_id: ClassId::of(&fingerprint_as_peer(event.text)),
            item: item_of(event.statement, rules),
            tables: tables_in(event.statement, rules),
        }));
    }
    worst
}

/// The octave of a value and the quarter of that, as one number.
#[inline]
fn quarter(value: i128) -> usize {
    let number = |length: u32, top: usize| length as usize * 4 + top;
    match u64::try_from(value.max(0)) {
        // The usual width of a number: 64 bits.
        Ok(value) => {
            let length = 64 - value.leading_zeros();
            number(length, if length < 3 { 0 } else { (value >> (length - 3)) as usize & 3 })
        }
        Err(_) => {
            let length = 128 - value.leading_zeros();
            number(length, (value >> (length - 3)) as usize & 3)
        }
    }
}

/// Spreads places of a log evenly over all numbers (the finalizer of MurmurHash3).
fn place_hash(origin: Origin) -> u64 {
    let mut hash = origin.offset ^ (u64::from(origin.source) << 48);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash ^= hash >> 33;
        hash = hash.wrapping_mul(factor);
    }
    hash ^ (hash >> 33)
}
