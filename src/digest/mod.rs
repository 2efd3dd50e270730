//! The engine: events go in, classes with their statistics come out.
//!
//! A digest depends on the set of events, not on their order: all sums are whole numbers,
//! quantiles come from values or counts, ties between samples break by place in the log. So
//! `merge` is associative and commutative, and any number of threads prints the same bytes.

pub mod bound;
pub mod class;
pub mod filter;
pub mod names;
mod packed;
pub mod places;
pub mod run;
pub mod sample;
pub mod spread;
pub mod stat;
pub mod tally;
pub mod timeline;
pub mod wide;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};

use hashbrown::{HashMap, HashTable};

use crate::event::{Event, Value};
use crate::logs::frame::Batch;
use crate::metric::{self, Kind, MetricId, Named, Registry};
use crate::sql::fingerprint::ClassId;
use crate::sql::outline::{self, outline};
use crate::sql::{distill, fingerprint, pt};
use crate::time::{SECOND, Timestamp};

use bound::{Admission, Further, KeyHash, RowNames};
use class::ClassDigest;
use filter::{Derived, Fields, Filter};
use names::Names;
use places::{Places, Translation};
use run::on_each;
use stat::Rules;
use tally::Tally;
use timeline::Timeline;

/// By what events are grouped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Group {
    /// Fingerprint of the statement.
    #[default]
    Fingerprint,
    /// Distilled item: verb and tables.
    Item,
    /// Each table the statement names; an event counts for each of them.
    Tables,
    /// The value of an attribute.
    Attribute(String),
}

impl Group {
    /// The word that users type for it.
    pub fn word(&self) -> &str {
        match self {
            Group::Fingerprint => "fingerprint",
            Group::Item => "distill",
            Group::Tables => "tables",
            Group::Attribute(name) => name,
        }
    }
}

/// What a digest is to be.
#[derive(Debug, Default)]
pub struct Options {
    /// How fingerprints are made and figures computed.
    pub rules: Rules,
    /// What makes a class.
    pub group: Group,
    /// The attribute whose greatest value makes the worst sample.
    pub order: String,
    /// Digits of table and database names become `?`.
    pub collapse_digits: bool,
    /// Which events count.
    pub filter: Filter,
    /// Whether the order of classes is kept.
    pub timeline: bool,
    /// How many classes are kept apart; [`bound::MOST`] if that is not told.
    pub most_classes: Option<usize>,
}

impl Options {
    /// Which law outlines have to keep.
    pub fn mode(&self) -> outline::Mode {
        match self.rules {
            Rules::Default => outline::Mode::Default,
            Rules::Peer => outline::Mode::Peer,
        }
    }

    /// The same, if the outlines of all events are asked for.
    pub fn outlines(&self) -> Option<outline::Mode> {
        let asks_for_all = self.filter.keeps_all() && self.group == Group::Fingerprint;
        asks_for_all.then(|| self.mode())
    }
}

/// What one input brought, as far as single events tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTally {
    /// Events that the filter dropped.
    pub filtered: u64,
    /// Impossible values left out.
    pub anomalies: u64,
    /// By type and limit: events and their `Query_time`.
    pub rates: BTreeMap<(Vec<u8>, i128), (u64, i128)>,
    /// Events in the digest.
    pub events: u64,
    /// Events among them without what they are grouped by: they are in no class.
    pub ungrouped: u64,
    /// Their `Query_time` in microseconds.
    pub query_time: i128,
}

/// Classes of a set of events.
#[derive(Debug)]
pub struct Digest {
    /// Names of attributes.
    pub registry: Registry,
    /// Places of attributes in each class.
    pub places: Places,
    /// Users, hosts and databases that classes count.
    pub names: Names,
    /// How figures are computed.
    pub rules: Rules,
    /// Fingerprints, or what else events are grouped by.
    pub keys: Vec<Box<[u8]>>,
    /// By place of the key.
    pub classes: Vec<ClassDigest>,
    /// All classes together, without samples: each thread adds up its own.
    pub total: ClassDigest,
    by_key: HashMap<Box<[u8]>, u32, foldhash::fast::FixedState>,
    /// Events of classes past the bound.
    further: Further,
    /// How many they were, once they are [in the classes](Digest::add_further).
    pub further_events: u64,
    /// Their rows among the classes.
    further_rows: Vec<usize>,
    /// How many classes are kept apart.
    pub most_classes: usize,
    /// By number of the input.
    pub sources: Vec<SourceTally>,
    /// Which seconds had an event, 64 to a word.
    active: HashMap<i64, u64, foldhash::fast::FixedState>,
    /// The second noted last: the next event is often in the same one.
    last_active: Option<i64>,
    /// What is left of classes that were joined: to give it back piece by piece takes longer than to
    /// join them.
    joined: Vec<Vec<Option<ClassDigest>>>,
    /// Runs of classes by batch.
    timelines: Vec<(u64, Timeline)>,
}

/// Outlines that are remembered before each new one goes to the exact function.
const OUTLINE_BYTES: usize = 32 * 1024 * 1024;

/// Which class an outline belongs to.
#[derive(Debug, Default)]
struct Outlines {
    table: HashTable<Known>,
    arena: Vec<u8>,
    buffer: Vec<u8>,
}

/// Where an event counts.
enum Place {
    /// A class.
    Class(u32),
    /// The row of further classes with this name.
    Row(Box<[u8]>),
}

#[derive(Debug, Clone, Copy)]
struct Known {
    hash: u64,
    start: u32,
    end: u32,
    class: u32,
}

/// Puts events into classes. One for each thread.
#[derive(Debug)]
pub struct Sorter<'o> {
    options: &'o Options,
    digest: Digest,
    admission: &'o Admission,
    /// By place of the key; `None` for a class that was given up.
    hashes: Vec<Option<KeyHash>>,
    /// Classes before this one were there when the last batch ended.
    told: usize,
    /// Of classes before this one it is decided whether they are kept.
    settled: usize,
    rows: RowNames,
    outlines: Outlines,
    fields: Fields,
    order: Named,
    group: Named,
    timeline: Timeline,
    /// Runs kept of all batches.
    runs: usize,
    hasher: foldhash::fast::FixedState,
    /// The class of the event added last.
    last: Option<u32>,
}

impl Digest {
    fn new(rules: Rules) -> Digest {
        Digest {
            registry: Registry::new(),
            places: Places::default(),
            names: Names::default(),
            rules,
            keys: Vec::new(),
            classes: Vec::new(),
            total: ClassDigest::default(),
            by_key: HashMap::default(),
            further: Further::default(),
            further_events: 0,
            further_rows: Vec::new(),
            most_classes: bound::MOST,
            sources: Vec::new(),
            active: HashMap::default(),
            last_active: None,
            joined: Vec::new(),
            timelines: Vec::new(),
        }
    }

    /// Events in all classes. Grouped by table, an event counts for each of its tables.
    pub fn count(&self) -> u64 {
        self.classes.iter().map(|class| class.count).sum()
    }

    fn own(&self) -> Translation {
        Translation::own(&self.places, &self.names, self.rules)
    }

    /// Some classes together, without samples.
    pub fn sum<'a>(&'a self, classes: impl Iterator<Item = &'a ClassDigest>) -> ClassDigest {
        let own = self.own();
        let mut sum = ClassDigest::default();
        for class in classes {
            sum.merge(class, &own);
        }
        sum
    }

    /// Forgets all but a bounded number of the names that the log brought: those with the least
    /// hashes, so that neither order nor threads matter. Gives how many were forgotten.
    pub fn forget_names(&mut self) -> usize {
        const MOST: usize = 1000;
        let hash = |metric: &MetricId| tally::hash(self.registry.name(*metric));
        let mut further: Vec<(u64, usize)> = self
            .places
            .metrics()
            .iter()
            .enumerate()
            .filter(|(_, metric)| Registry::kind(**metric).is_none())
            .map(|(place, metric)| (hash(metric), place))
            .collect();
        further.sort_unstable();
        let forgotten = further.split_off(further.len().min(MOST));
        for class in self.classes.iter_mut().chain([&mut self.total]) {
            for (_, place) in &forgotten {
                class.forget(*place, self.rules);
            }
        }
        forgotten.len()
    }

    /// How often each value of a text attribute came to a class.
    pub fn tally<'a>(&self, class: &'a ClassDigest, metric: MetricId) -> Option<Cow<'a, Tally>> {
        match class.texts(&self.places, metric) {
            Some(tally) => Some(Cow::Borrowed(tally)),
            None => self.names.tally(&class.names, metric).map(Cow::Owned),
        }
    }

    /// Seconds in which a statement ended.
    pub fn active_seconds(&self) -> u64 {
        self.active.values().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Seconds without an end of a statement that stand between seconds with one: how many in a
    /// row, and how often.
    pub fn idle_seconds(&self) -> BTreeMap<u64, u64> {
        let mut words: Vec<(i64, u64)> = self.active.iter().map(|it| (*it.0, *it.1)).collect();
        words.sort_unstable();
        let seconds = words.into_iter().flat_map(|(word, bits)| {
            (0..64).filter(move |at| bits >> at & 1 == 1).map(move |at| word << 6 | at)
        });
        let mut idle = BTreeMap::new();
        let mut last = None;
        for second in seconds {
            let gap = last.map_or(0, |last| second.abs_diff(last) - 1);
            if gap > 0 {
                *idle.entry(gap).or_insert(0) += 1;
            }
            last = Some(second);
        }
        idle
    }

    /// Runs of classes in the order of the log.
    pub fn timeline(&self) -> Timeline {
        let mut order: Vec<_> = self.timelines.iter().collect();
        order.sort_by_key(|(number, _)| *number);
        let mut whole = Timeline::default();
        for (_, part) in order {
            part.runs.iter().for_each(|run| whole.push(*run));
            whole.more += part.more;
        }
        let all = whole.runs.len();
        whole.runs.retain(|run| run.class != timeline::FURTHER);
        whole.more += (all - whole.runs.len()) as u64;
        whole
    }

    /// The class with this key.
    pub fn class_of(&self, key: &[u8]) -> Option<usize> {
        self.by_key.get(key).map(|place| *place as usize)
    }

    fn class(&mut self, key: &[u8]) -> u32 {
        if let Some(place) = self.by_key.get(key) {
            return *place;
        }
        let place = self.classes.len() as u32;
        self.by_key.insert(key.into(), place);
        self.keys.push(key.into());
        self.classes.push(ClassDigest::default());
        place
    }

    /// Drops the classes that have no hash any more, and their runs.
    fn without_the_given_up(&mut self, hashes: &[Option<KeyHash>]) {
        if hashes.iter().all(Option::is_some) {
            return;
        }
        let mut place_of = Vec::with_capacity(hashes.len());
        let mut kept = 0;
        for hash in hashes {
            place_of.push(hash.map(|_| kept));
            kept += u32::from(hash.is_some());
        }
        let mut is_kept = hashes.iter().map(Option::is_some);
        self.classes.retain(|_| is_kept.next() == Some(true));
        let mut is_kept = hashes.iter().map(Option::is_some);
        self.keys.retain(|_| is_kept.next() == Some(true));
        for place in self.by_key.values_mut() {
            *place = place_of[*place as usize].unwrap_or(*place);
        }
        for run in self.timelines.iter_mut().flat_map(|(_, timeline)| &mut timeline.runs) {
            if run.class != timeline::FURTHER {
                run.class = place_of[run.class as usize].unwrap_or(timeline::FURTHER);
            }
        }
    }

    fn source(&mut self, number: u32) -> &mut SourceTally {
        let number = number as usize;
        if number >= self.sources.len() {
            self.sources.resize_with(number + 1, SourceTally::default);
        }
        &mut self.sources[number]
    }

    fn note_active(&mut self, ts: Timestamp) {
        let second = ts.0.div_euclid(SECOND);
        if self.last_active != Some(second) {
            self.last_active = Some(second);
            *self.active.entry(second >> 6).or_insert(0) |= 1 << (second & 63);
        }
    }

    /// Puts the rows of further classes behind the classes.
    pub fn add_further(&mut self) {
        let own = self.own();
        for (name, mut row) in std::mem::take(&mut self.further).into_rows(&own) {
            self.further_events += row.count;
            let place = self.class(&name) as usize;
            self.further_rows.push(place);
            self.classes[place].merge(&row, &own);
            self.classes[place].samples.merge(&mut row.samples);
        }
    }

    /// Whether this is not a class, but a row of events of many.
    pub fn is_further(&self, class: usize) -> bool {
        self.further_rows.contains(&class)
    }

    /// How many classes are kept apart here.
    pub fn kept_classes(&self) -> usize {
        self.classes.len() - self.further_rows.len()
    }

    /// Joins the digest of another part of the run, with so many threads.
    pub fn merge(&mut self, other: Digest, threads: usize) {
        /// Not worth a thread.
        const FEW: usize = 500;
        // A name past the bound of names has no place on either side.
        let metrics: Vec<Option<MetricId>> = other
            .places
            .metrics()
            .iter()
            .map(|metric| self.registry.id(other.registry.name(*metric)))
            .collect();
        let known: Vec<MetricId> =
            metrics.iter().map(|metric| metric.unwrap_or(metric::QUERY_TIME)).collect();
        let there = Translation {
            places: known.iter().map(|metric| self.places.place(*metric)).collect(),
            metrics: known,
            names: self.names.join(&other.names),
            rules: self.rules,
        };
        let without_unknown = |class: &mut ClassDigest| {
            for place in (0..metrics.len()).filter(|place| metrics[*place].is_none()) {
                class.forget(place, other.rules);
            }
        };
        let mut total = other.total;
        without_unknown(&mut total);
        self.total.merge(&total, &there);
        let mut class_of = Vec::with_capacity(other.classes.len());
        let mut joining = Vec::new();
        for (key, mut class) in other.keys.iter().zip(other.classes) {
            without_unknown(&mut class);
            let place = self.class(key);
            class_of.push(place);
            joining.resize_with(self.classes.len(), || None);
            joining[place as usize] = Some(class);
        }
        let each = self.classes.len().div_ceil(threads).max(FEW);
        let parts = self.classes.chunks_mut(each).zip(joining.chunks_mut(each)).collect();
        on_each(parts, |(own, joining): (&mut [ClassDigest], &mut [Option<ClassDigest>])| {
            for (own, class) in own.iter_mut().zip(joining) {
                if let Some(class) = class {
                    own.merge(class, &there);
                    own.samples.merge(&mut class.samples);
                }
            }
        });
        self.joined.push(joining);
        let mut further = other.further;
        further.classes_mut().for_each(without_unknown);
        self.further.merge(further, &there);
        for (number, source) in other.sources.into_iter().enumerate() {
            let own = self.source(number as u32);
            own.filtered += source.filtered;
            own.anomalies += source.anomalies;
            own.events += source.events;
            own.ungrouped += source.ungrouped;
            own.query_time += source.query_time;
            for (rate, (events, time)) in source.rates {
                let sum = own.rates.entry(rate).or_default();
                sum.0 += events;
                sum.1 += time;
            }
        }
        for (word, seconds) in other.active {
            *self.active.entry(word).or_insert(0) |= seconds;
        }
        self.timelines.extend(other.timelines.into_iter().map(|(number, mut timeline)| {
            for run in timeline.runs.iter_mut().filter(|run| run.class != timeline::FURTHER) {
                run.class = class_of[run.class as usize];
            }
            (number, timeline)
        }));
    }
}

impl<'o> Sorter<'o> {
    /// A sorter with nothing in it.
    pub fn new(options: &'o Options, admission: &'o Admission) -> Sorter<'o> {
        let group = match &options.group {
            Group::Attribute(name) => Named::new(name),
            _ => Named::default(),
        };
        Sorter {
            options,
            digest: Digest::new(options.rules),
            admission,
            hashes: Vec::new(),
            told: 0,
            settled: 0,
            rows: RowNames::default(),
            outlines: Outlines::default(),
            fields: Fields::default(),
            order: Named::new(&options.order),
            group,
            timeline: Timeline::default(),
            runs: 0,
            hasher: foldhash::fast::FixedState::default(),
            last: None,
        }
    }

    /// Where the last event went.
    pub fn sorted(&self) -> Sorted<'_, 'o> {
        Sorted(self)
    }

    /// Adds an event, if the filter keeps it; says whether it did.
    pub fn add(&mut self, event: &Event<'_>, registry: &Registry) -> bool {
        self.last = None;
        let options = self.options;
        self.digest.source(event.source).anomalies += u64::from(event.anomalies);
        let derived = Derived {
            fingerprint: &|| fingerprint_of(event.statement, options),
            item: &|| item_of(event.statement, options.rules),
        };
        if !options.filter.keeps(event, registry, &mut self.fields, &derived) {
            self.digest.source(event.source).filtered += 1;
            return false;
        }
        self.note(event);
        match &options.group {
            Group::Fingerprint => {
                let class = self.by_outline(event);
                if let Place::Class(class) = class {
                    self.last = Some(class);
                }
                self.put(class, event, registry);
            }
            Group::Item => {
                let class = self.class(&item_of(event.statement, options.rules));
                self.put(class, event, registry);
            }
            Group::Tables => {
                let tables = tables_of(event, options.rules);
                self.digest.source(event.source).ungrouped += u64::from(tables.is_empty());
                for table in tables {
                    let class = self.class(&table);
                    self.put(class, event, registry);
                }
            }
            Group::Attribute(name) => match group_value(event, name, registry, &mut self.group) {
                Some(value) => {
                    let class = self.class(&value);
                    self.put(class, event, registry);
                }
                None => self.digest.source(event.source).ungrouped += 1,
            },
        }
        true
    }

    fn note(&mut self, event: &Event<'_>) {
        let source = self.digest.source(event.source);
        let time = event.query_time.unwrap_or(0);
        source.events += 1;
        source.query_time += time;
        if event.has(class::RATE_LIMIT)
            && let Some(limit) = event.number(class::RATE_LIMIT)
        {
            let kind = event.attributes.iter().find(|a| a.metric == class::RATE_TYPE);
            let kind = match kind.map(|a| a.value) {
                Some(Value::Text(span)) => span.of(event.buffer),
                _ => b"session",
            };
            let sum = source.rates.entry((kind.to_vec(), limit)).or_default();
            sum.0 += 1;
            sum.1 += time;
        }
        if let Some(ts) = event.ts {
            self.digest.note_active(ts);
        }
    }

    /// The class of a key, or the row it belongs to if it is past the bound.
    fn class(&mut self, key: &[u8]) -> Place {
        if let Some(place) = self.digest.by_key.get(key) {
            return Place::Class(*place);
        }
        let hash = bound::key_hash(key);
        if self.admission.full().is_some_and(|kept| !kept.contains(&hash)) {
            return Place::Row(self.further_row(key));
        }
        self.hashes.push(Some(hash));
        Place::Class(self.digest.class(key))
    }

    /// The row of further classes for a class: told by its key alone, for a class may be given up
    /// by one thread and never begun by another.
    fn further_row(&mut self, key: &[u8]) -> Box<[u8]> {
        match self.options.group {
            Group::Fingerprint => self.rows.row(key, |text| item_of(text, self.options.rules)),
            Group::Item => self.rows.row(key, <[u8]>::to_vec),
            Group::Tables | Group::Attribute(_) => Box::default(),
        }
    }

    fn put(&mut self, place: Place, event: &Event<'_>, registry: &Registry) {
        let rules = self.options.rules;
        let order = &mut self.order;
        let ordered = event.attributes.iter().find(|a| order.means(registry, a.metric));
        let ordered = ordered.and_then(|attribute| match attribute.value {
            Value::Number(number) => Some(number),
            _ => None,
        });
        let Digest { classes, further, places, names, .. } = &mut self.digest;
        let (digest, class) = match &place {
            Place::Class(class) => (&mut classes[*class as usize], *class),
            Place::Row(row) => {
                let own = || Translation::own(places, names, rules);
                (further.row(row, own), timeline::FURTHER)
            }
        };
        digest.add(event, places, names, ordered, rules);
        if self.options.timeline {
            self.timeline.add(class, event.ts);
        }
    }

    /// The class of a statement, by its outline if that was met before.
    fn by_outline(&mut self, event: &Event<'_>) -> Place {
        let outlines = &mut self.outlines;
        let made = match event.outline {
            Some(made) => made,
            None => {
                if !outline(event.statement, self.options.mode(), &mut outlines.buffer) {
                    return self.class(&fingerprint_of(event.statement, self.options));
                }
                &outlines.buffer
            }
        };
        let mut hasher = self.hasher.build_hasher();
        hasher.write(made);
        let hash = hasher.finish();
        let arena = &outlines.arena;
        let found = outlines.table.find(hash, |known| {
            known.hash == hash && arena[known.start as usize..known.end as usize] == *made
        });
        if let Some(Known { class, .. }) = found
            && self.hashes[*class as usize].is_some()
        {
            return Place::Class(*class);
        }
        let is_new = found.is_none();
        let place = self.class(&fingerprint_of(event.statement, self.options));
        let Place::Class(class) = place else { return place };
        if !is_new {
            return place;
        }
        let outlines = &mut self.outlines;
        let made = event.outline.unwrap_or(&outlines.buffer);
        let start = outlines.arena.len();
        let end = start + made.len();
        if end <= OUTLINE_BYTES {
            outlines.arena.extend_from_slice(made);
            let known = Known { hash, start: start as u32, end: end as u32, class };
            outlines.table.insert_unique(hash, known, |known| known.hash);
        }
        place
    }

    /// Says that the events of a batch of an input are all in. `place` is that of the batch among
    /// those of all inputs.
    pub fn end_batch(&mut self, batch: &Batch, place: u64) {
        let new = self.hashes[self.told..].iter().flatten().copied().collect();
        self.told = self.hashes.len();
        self.admission.tell(batch.source, batch.number, batch.is_last, new);
        self.settle();
        if self.options.timeline {
            let mut timeline = std::mem::take(&mut self.timeline);
            // What comes behind so many runs of this thread alone is behind as many of all.
            let kept = timeline.runs.len().min((2 * timeline::MOST).saturating_sub(self.runs));
            timeline.more += (timeline.runs.len() - kept) as u64;
            timeline.runs.truncate(kept);
            self.runs += kept;
            self.digest.timelines.push((place, timeline));
        }
    }

    /// Whether an input has to be left for now; see [`Admission::is_ahead`].
    pub fn is_ahead(&self, source: u32) -> bool {
        self.admission.is_ahead(source, self.hashes.len())
    }

    /// Gives up classes that turned out to be past the bound.
    fn settle(&mut self) {
        let Some(kept) = self.admission.full() else { return };
        if self.settled == self.hashes.len() {
            return;
        }
        let own = self.digest.own();
        for place in self.settled..self.hashes.len() {
            if self.hashes[place].is_none_or(|hash| kept.contains(&hash)) {
                continue;
            }
            self.hashes[place] = None;
            let key = std::mem::take(&mut self.digest.keys[place]);
            self.digest.by_key.remove(&key);
            let row = self.further_row(&key);
            let mut class = std::mem::take(&mut self.digest.classes[place]);
            let further = self.digest.further.row(&row, || own.clone());
            further.merge(&class, &own);
            further.samples.merge(&mut class.samples);
        }
        self.settled = self.hashes.len();
    }

    /// The digest of all events added.
    pub fn finish(mut self, registry: Registry) -> Digest {
        // Another thread may have told since what is past the bound.
        self.settle();
        self.digest.registry = registry;
        self.digest.most_classes = self.admission.most();
        self.digest.without_the_given_up(&self.hashes);
        let further = self.digest.further.classes();
        self.digest.total = self.digest.sum(self.digest.classes.iter().chain(further));
        self.digest
    }
}

/// Where an event went.
#[derive(Debug)]
pub struct Sorted<'s, 'o>(&'s Sorter<'o>);

impl Sorted<'_, '_> {
    /// The number of its class, given in order; `None` for a class past the bound, and where events
    /// are grouped by something else. A class that turns out to be past the bound has one too.
    pub fn class(&self) -> Option<u32> {
        self.0.last
    }

    /// The ID of that class.
    pub fn id(&self) -> ClassId {
        let key = self.class().and_then(|class| self.0.digest.keys.get(class as usize));
        ClassId::of(key.map_or(&[], |key| key))
    }
}

/// The fingerprint that makes the class of a statement.
pub fn fingerprint_of(statement: &[u8], options: &Options) -> Vec<u8> {
    let text = match options.rules {
        Rules::Default => fingerprint::fingerprint(statement),
        Rules::Peer => fingerprint_as_peer(statement),
    };
    if options.collapse_digits { fingerprint::collapse_digits(&text) } else { text }
}

/// The peer's fingerprint of a statement. It takes a line that begins with `use ` for a header
/// line and so has no text for such a statement; with a blank in front it does, and that text is
/// taken.
pub fn fingerprint_as_peer(statement: &[u8]) -> Vec<u8> {
    if statement.starts_with(b"use ") {
        pt::fingerprint(&[b" ", statement].concat())
    } else {
        pt::fingerprint(statement)
    }
}

/// The distilled item of a statement.
pub fn item_of(statement: &[u8], rules: Rules) -> Vec<u8> {
    match rules {
        Rules::Default => distill::distill(statement),
        Rules::Peer => pt::distill(statement),
    }
}

/// The tables that a statement names.
pub fn tables_in(statement: &[u8], rules: Rules) -> Vec<distill::TableName> {
    match rules {
        Rules::Default => distill::tables(statement),
        Rules::Peer => pt::tables(statement),
    }
}

/// Tables of a statement, each with its database where that is known.
fn tables_of(event: &Event<'_>, rules: Rules) -> Vec<Vec<u8>> {
    let tables = tables_in(event.statement, rules);
    let database = event.database.filter(|name| !name.is_empty());
    let names = tables.into_iter().map(|table| match table.database.as_deref().or(database) {
        Some(database) => [database, b".", &table.name].concat(),
        None => table.name,
    });
    let mut names: Vec<Vec<u8>> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// The value by which an event is grouped; `None` if it lacks the attribute.
fn group_value(
    event: &Event<'_>,
    name: &str,
    registry: &Registry,
    named: &mut Named,
) -> Option<Vec<u8>> {
    let text = |text: Option<&[u8]>| text.map(<[u8]>::to_vec);
    match name.to_ascii_lowercase().as_str() {
        "user" => text(event.user),
        "host" => text(event.host),
        "db" => text(event.database.filter(|name| !name.is_empty())),
        "ip" => text(event.ip),
        "thread_id" => text(event.thread_id),
        _ => {
            let found = event.attributes.iter().find(|a| named.means(registry, a.metric))?;
            Some(match found.value {
                Value::Text(span) => span.of(event.buffer).to_vec(),
                Value::Flag(true) => b"Yes".to_vec(),
                Value::Flag(false) => b"No".to_vec(),
                Value::Number(number) => {
                    decimal(number, Registry::kind(found.metric).unwrap_or(Kind::Number))
                        .into_bytes()
                }
            })
        }
    }
}

/// A number as the log would print it.
pub fn decimal(number: i128, kind: Kind) -> String {
    let scale = kind.scale();
    if scale == 1 {
        return number.to_string();
    }
    let sign = if number < 0 { "-" } else { "" };
    let size = number.unsigned_abs();
    let scale = scale.unsigned_abs();
    let places = scale.ilog10() as usize;
    let text = format!("{sign}{}.{:0places$}", size / scale, size % scale);
    match kind {
        // As many decimals as the log has.
        Kind::Number | Kind::Millis => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text,
    }
}
