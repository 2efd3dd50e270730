//! Replays a log: what the query cache of a server would have done with it.
//!
//! Section 9 of the rules, which was measured on MariaDB 10.11. A statement asks the cache when it
//! begins, and so its result is registered then; it is there for others when the statement ends. A
//! write locks from its beginning and drops results at its end.

use std::collections::HashSet;

use foldhash::fast::FixedState as Fast;

use super::memory::{
    Block, Chain, HEAD, Memory, NONE, PACKET, Queue, TABLE, align, capacity, statement,
};
use super::order::{Edge, Order};
use super::settings::Settings;
use super::steps::Steps;
use super::trace::{Log, Marks, Trace};

/// What became of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prediction {
    /// It does not ask.
    #[default]
    None,
    /// Answered by the cache.
    Hit,
    /// Run, for the cache has not got it.
    Miss,
    /// Run, for it is not stored.
    Uncacheable,
}

/// What a replay counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes of the cache.
    pub size: u64,
    /// Statements that ask the cache, or would if they did not refuse it.
    pub selects: u64,
    /// Answered by the cache.
    pub hits: u64,
    /// Stored.
    pub inserts: u64,
    /// Not stored, as the server counts them: a result above the limit counts twice.
    pub not_cached: u64,
    /// Results that went for want of memory.
    pub prunes: u64,
    /// Writes that dropped results.
    pub invalidations: u64,
    /// Results that they dropped.
    pub dropped: u64,
    /// Results that went before anybody asked for them again.
    pub unused: u64,
    /// Statements that were run with a result above the limit.
    pub oversize: u64,
    /// Bytes of the greatest result above the limit that was asked for again.
    pub oversize_bytes: u64,
    /// Microseconds that hits of results above the limit would have saved.
    pub lost_micros: u64,
    /// Microseconds saved.
    pub saved_micros: u64,
    /// Most bytes in use.
    pub peak: u64,
    /// By class: hits, and microseconds saved.
    pub classes: Vec<(u64, u64)>,
    /// By table: writes that dropped results, and results dropped.
    pub tables: Vec<(u64, u64)>,
    /// What became of each event; empty unless asked for.
    pub predictions: Vec<Prediction>,
}

/// A result and what is with it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Which of all results it is; links of tables to others at this place are dead.
    life: u32,
    key: u32,
    /// The event that is writing it, or [`NONE`].
    writer: u32,
    tables: u32,
    hits: u32,
    /// Blocks of the statement and of the result.
    chain: Chain,
}

/// How a replay is done.
#[derive(Debug, Clone, Copy)]
pub struct Replay {
    /// Bytes of the cache.
    pub size: u64,
    /// Percent of its memory that can be used.
    pub percent: u64,
    /// Whether memory falls to fragments as in the server, which takes longer to replay.
    pub in_blocks: bool,
    /// Whether [`Outcome::predictions`] are asked for.
    pub predicts: bool,
}

/// The cache at one moment. What is in it is bounded by its size; of a key that is not, 4 bytes are
/// kept.
struct Cache<'l> {
    log: &'l Log,
    steps: &'l Steps,
    limit: u64,
    unit: u64,
    room: u64,
    memory: Memory,
    /// Results that are stored or being written.
    results: u64,
    /// Places of results, and which of them are empty.
    entries: Vec<Entry>,
    empty: Vec<u32>,
    lives: u32,
    /// The place of the result of each key, or [`NONE`].
    place: Vec<u32>,
    queue: Queue,
    /// Places and lives of results that read each table.
    of_table: Vec<Vec<(u32, u32)>>,
    /// Results that each table has, and its block.
    alive: Vec<(u32, Block)>,
    /// Keys of results above the limit.
    oversize: HashSet<u32, Fast>,
    hit_micros: u64,
    outcome: Outcome,
}

/// Microseconds of a hit where the log has none.
const HIT: u64 = 50;

/// The median time of what the server answered from its cache.
pub fn hit_micros(log: &Log) -> u64 {
    let mut times = log.hit_micros.clone();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(HIT, |it| u64::from(*it))
}

/// Replays the log by its steps.
pub fn replay(log: &Log, steps: &Steps, settings: &Settings, how: Replay) -> Outcome {
    let tables = log.tables.len();
    let room = u64::try_from(u128::from(capacity(how.size)) * u128::from(how.percent) / 100);
    let room = room.unwrap_or(u64::MAX) / 8 * 8;
    let mut cache = Cache {
        log,
        steps,
        limit: settings.limit,
        unit: settings.min_res_unit,
        room,
        memory: Memory::new(room, how.in_blocks),
        results: 0,
        entries: Vec::new(),
        empty: Vec::new(),
        lives: 0,
        place: vec![NONE; log.keys],
        queue: Queue::new(),
        of_table: vec![Vec::new(); tables],
        alive: vec![(0, Block::default()); tables],
        oversize: HashSet::default(),
        hit_micros: hit_micros(log),
        outcome: Outcome {
            size: how.size,
            selects: steps.selects,
            not_cached: steps.uncacheable,
            classes: vec![(0, 0); log.classes.len()],
            tables: vec![(0, 0); tables],
            predictions: vec![Prediction::None; log.traces.len()],
            ..Outcome::default()
        },
    };
    for (event, edge) in steps.iter() {
        let Some(trace) = log.traces.get(event) else { continue };
        match edge {
            Edge::Begin => cache.ask(trace, event),
            Edge::Middle => cache.register(trace, event),
            Edge::End => cache.end(trace, event),
        }
    }
    cache.outcome.predictions = match how.predicts {
        true => told(log, std::mem::take(&mut cache.outcome.predictions)),
        false => Vec::new(),
    };
    cache.outcome
}

/// What became of each event, with those that the cache refuses.
fn told(log: &Log, mut predictions: Vec<Prediction>) -> Vec<Prediction> {
    for (prediction, trace) in predictions.iter_mut().zip(&log.traces) {
        if trace.marks.has(Marks::SELECT) && !trace.marks.has(Marks::STORABLE) {
            *prediction = Prediction::Uncacheable;
        }
    }
    predictions
}

impl<'l> Cache<'l> {
    fn tables(&self, set: u32) -> &'l [u32] {
        self.log.sets.get(set)
    }

    fn predict(&mut self, event: usize, prediction: Prediction) {
        if let Some(slot) = self.outcome.predictions.get_mut(event) {
            *slot = prediction;
        }
    }

    /// The place of the result of a key, if it is there or being written.
    fn place(&self, key: u32) -> Option<u32> {
        self.place.get(key as usize).copied().filter(|place| *place != NONE)
    }

    fn entry(&mut self, place: u32) -> Option<&mut Entry> {
        self.entries.get_mut(place as usize)
    }

    fn ask(&mut self, trace: &Trace, event: usize) {
        let is_refused = self.steps.refused(event).look();
        let place = self.place(trace.key).filter(|_| !is_refused);
        if let Some(place) = place
            && let Some(entry) = self.entry(place)
            && entry.writer == NONE
        {
            entry.hits = entry.hits.saturating_add(1);
            self.hit(trace, event, place);
            return;
        }
        self.predict(event, Prediction::Miss);
    }

    /// A statement that has to run registers its result, if it may.
    fn register(&mut self, trace: &Trace, event: usize) {
        if self.outcome.predictions.get(event) != Some(&Prediction::Miss) {
            return;
        }
        if self.steps.refused(event).store() || self.place(trace.key).is_some() {
            self.outcome.not_cached += 1;
            return;
        }
        let set = self.tables(trace.tables);
        let Some(first) = self.take(statement(trace.text, set.len()), None) else {
            self.outcome.not_cached += 1;
            return;
        };
        self.outcome.inserts += 1;
        self.results += 1;
        self.lives = self.lives.wrapping_add(1);
        let life = self.lives;
        let mut chain = Chain::default();
        self.memory.keep(&mut chain, first);
        let entry = Entry {
            life,
            key: trace.key,
            writer: event as u32,
            tables: trace.tables,
            hits: 0,
            chain,
        };
        let place = match self.empty.pop() {
            Some(place) => place,
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        if let Some(slot) = self.entry(place) {
            *slot = entry;
        }
        if let Some(slot) = self.place.get_mut(trace.key as usize) {
            *slot = place;
        }
        for table in set {
            self.link(*table, place, life);
        }
        self.outcome.peak = self.outcome.peak.max(self.memory.used());
    }

    /// Notes that a result reads a table.
    fn link(&mut self, table: u32, place: u32, life: u32) {
        let is_new = self.alive.get(table as usize).is_some_and(|(alive, _)| *alive == 0);
        // Where even that finds no room, the cache is no larger than a few results.
        let block =
            if is_new { self.take(TABLE, None).unwrap_or_default() } else { Block::default() };
        let Some((alive, own)) = self.alive.get_mut(table as usize) else { return };
        if is_new {
            *own = block;
        }
        *alive += 1;
        let alive = *alive as usize;
        if let Some(links) = self.of_table.get_mut(table as usize) {
            // Links to results that went otherwise are swept out before they outnumber others.
            if links.len() > 8 + 2 * alive {
                let entries = &self.entries;
                links.retain(|(place, life)| is_alive(entries, *place, *life));
            }
            links.push((place, life));
        }
    }

    /// Takes memory; results used longest ago go for it.
    fn take(&mut self, length: u64, least: Option<u64>) -> Option<Block> {
        if length > self.room {
            return None;
        }
        loop {
            if let Some(block) = self.memory.take(length, least) {
                return Some(block);
            }
            let first = self.queue.first()?;
            self.outcome.prunes += 1;
            self.note_unused(first);
            self.drop_result(first);
        }
    }

    fn hit(&mut self, trace: &Trace, event: usize, place: u32) {
        self.outcome.hits += 1;
        self.predict(event, Prediction::Hit);
        self.queue.push(place);
        let saved = self.saved(trace);
        self.outcome.saved_micros += saved;
        if let Some((hits, micros)) = self.outcome.classes.get_mut(trace.class as usize) {
            *hits += 1;
            *micros += saved;
        }
    }

    /// What a hit saves: the time it took, or that of its class where it was a hit itself.
    fn saved(&self, trace: &Trace) -> u64 {
        let micros = match trace.marks.has(Marks::WAS_HIT) {
            false => trace.micros,
            true => {
                let class = self.log.classes.get(trace.class as usize);
                class.map_or(0, |class| class.computed.1.checked_div(class.computed.0).unwrap_or(0))
            }
        };
        micros.saturating_sub(self.hit_micros)
    }

    fn end(&mut self, trace: &Trace, event: usize) {
        if trace.marks.has(Marks::CLEARS) {
            self.clear();
        } else if !trace.marks.has(Marks::SELECT) {
            for table in self.log.changed_by(trace) {
                self.invalidate(table);
            }
        } else if let Some(place) = self.place(trace.key)
            && self.entry(place).is_some_and(|entry| entry.writer == event as u32)
        {
            self.store(trace, place);
        }
    }

    /// Keeps a result that is whole now.
    fn store(&mut self, trace: &Trace, place: u32) {
        let result = u64::from(trace.bytes);
        if trace.marks.has(Marks::SPOILT) {
            self.take_back(place, 1);
            return;
        }
        if result > self.limit {
            // It grows to the limit before it is given up, and others go for that.
            self.write(place, self.limit / PACKET * PACKET);
            self.take_back(place, 2);
            self.outcome.oversize += 1;
            if !self.oversize.insert(trace.key) {
                self.outcome.lost_micros += self.saved(trace);
                self.outcome.oversize_bytes = self.outcome.oversize_bytes.max(result);
            }
            return;
        }
        if !self.write(place, result) {
            self.take_back(place, 1);
            return;
        }
        if let Some(entry) = self.entry(place) {
            entry.writer = NONE;
        }
        self.outcome.peak = self.outcome.peak.max(self.memory.used());
        self.queue.push(place);
    }

    /// Writes a result, packet by packet; false if there is no room for it.
    fn write(&mut self, place: u32, result: u64) -> bool {
        let mut left = result;
        let mut last: Option<(Block, u64)> = None;
        loop {
            let packet = left.min(PACKET);
            left -= packet;
            let mut data = packet;
            if let Some((block, used)) = &mut last {
                let rest = block.length.saturating_sub(*used);
                if rest < data {
                    self.memory.lengthen(block, (data - rest).max(self.unit));
                }
                let here = data.min(block.length.saturating_sub(*used));
                *used += here;
                data -= here;
            }
            let mut wanted = if last.is_none() { self.usual() } else { self.unit };
            while data > 0 || last.is_none() {
                if let Some((block, _)) = last.take() {
                    self.add_block(place, block);
                }
                let whole = align(data + HEAD).max(wanted);
                let Some(block) = self.take(whole, Some(self.unit.max(1) + HEAD)) else {
                    return false;
                };
                let here = data.min(block.length.saturating_sub(HEAD));
                last = Some((block, here + HEAD));
                data -= here;
                wanted = self.unit;
            }
            if left == 0 {
                break;
            }
        }
        if let Some((mut block, used)) = last {
            self.memory.trim(&mut block, used);
            self.add_block(place, block);
        }
        true
    }

    /// Bytes that a result is given at first: as many as others take on average.
    fn usual(&self) -> u64 {
        const FEW: u64 = 10;
        let mean = self.memory.used().checked_div(self.results).unwrap_or(0);
        if self.results < FEW { self.unit } else { mean.min(self.limit).max(self.unit) }
    }

    fn add_block(&mut self, place: u32, block: Block) {
        if let Some(entry) = self.entries.get_mut(place as usize) {
            self.memory.keep(&mut entry.chain, block);
        }
    }

    /// A result that was counted as stored and is not.
    fn take_back(&mut self, place: u32, not_cached: u64) {
        self.drop_result(place);
        self.outcome.inserts = self.outcome.inserts.saturating_sub(1);
        self.outcome.not_cached += not_cached;
    }

    fn note_unused(&mut self, place: u32) {
        let is_unused = self.entry(place).is_some_and(|entry| entry.hits == 0);
        self.outcome.unused += u64::from(is_unused);
    }

    /// Takes a result out.
    fn drop_result(&mut self, place: u32) {
        self.queue.remove(place);
        let Some(entry) = self.entries.get_mut(place as usize) else { return };
        if entry.life == DEAD {
            return;
        }
        entry.life = DEAD;
        let (key, set) = (entry.key, entry.tables);
        self.memory.give_back_all(&mut entry.chain);
        self.empty.push(place);
        self.results = self.results.saturating_sub(1);
        if let Some(slot) = self.place.get_mut(key as usize) {
            *slot = NONE;
        }
        for table in self.tables(set) {
            if let Some((alive, block)) = self.alive.get_mut(*table as usize) {
                *alive = alive.saturating_sub(1);
                if *alive == 0 && block.length > 0 {
                    self.memory.give_back(std::mem::take(block));
                }
            }
        }
    }

    /// Drops all results.
    fn clear(&mut self) {
        for place in 0..self.entries.len() as u32 {
            self.forget(place);
        }
        // Another one right behind has nothing to look through.
        self.entries.clear();
        self.empty.clear();
    }

    fn invalidate(&mut self, table: u32) {
        let Some(links) = self.of_table.get_mut(table as usize) else { return };
        let mut dropped = 0u64;
        for (place, life) in std::mem::take(links) {
            if is_alive(&self.entries, place, life) {
                dropped += u64::from(self.forget(place));
            }
        }
        if dropped > 0 {
            self.outcome.invalidations += 1;
            self.outcome.dropped += dropped;
            if let Some((writes, results)) = self.outcome.tables.get_mut(table as usize) {
                *writes += 1;
                *results += dropped;
            }
        }
    }

    /// Drops a result that is stale; true if it was whole.
    fn forget(&mut self, place: u32) -> bool {
        match self.entry(place).filter(|entry| entry.life != DEAD).map(|entry| entry.writer) {
            None => false,
            Some(NONE) => {
                self.note_unused(place);
                self.drop_result(place);
                true
            }
            Some(_) => {
                self.take_back(place, 1);
                false
            }
        }
    }
}

/// The life of a place that is empty.
const DEAD: u32 = 0;

fn is_alive(entries: &[Entry], place: u32, life: u32) -> bool {
    entries.get(place as usize).is_some_and(|entry| entry.life == life)
}

/// A simulation at one size: the answer, and between which bounds it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simulation {
    /// The answer.
    pub outcome: Outcome,
    /// Least hits that the order of concurrent statements and fragments of memory leave possible.
    pub hits_low: u64,
    /// Most hits.
    pub hits_high: u64,
    /// Hits that hang on which statements ran at once.
    pub contested: u64,
}

/// Simulates a log, each size in turn.
#[derive(Debug)]
pub struct Simulator<'l> {
    log: &'l Log,
    settings: &'l Settings,
    order: Order,
    steps: Steps,
    /// One statement behind the other, where that is not the order itself.
    as_logged: Option<Steps>,
}

impl<'l> Simulator<'l> {
    /// Puts the log in order.
    pub fn new(log: &'l Log, settings: &'l Settings) -> Simulator<'l> {
        let order = super::order::order_of(log);
        let as_logged = (order != Order::Serial).then(|| Steps::of(log, Order::Serial));
        Simulator { log, settings, order, steps: Steps::of(log, order), as_logged }
    }

    /// How the order was told.
    pub fn order(&self) -> Order {
        self.order
    }

    /// What a cache of this size does, without the bounds of the answer.
    pub fn once(&self, size: u64) -> Outcome {
        replay(
            self.log,
            &self.steps,
            self.settings,
            Replay { size, percent: 100, in_blocks: false, predicts: false },
        )
    }

    /// What a cache of each of these sizes does if these classes of SELECTs alone ask it.
    pub fn on_demand(&self, classes: &[bool], sizes: &[u64]) -> Vec<Outcome> {
        let steps = self.steps.only(self.log, classes);
        let how = |size| Replay { size, percent: 100, in_blocks: false, predicts: false };
        sizes.iter().map(|size| replay(self.log, &steps, self.settings, how(*size))).collect()
    }

    /// What a cache of this size does.
    pub fn run(&self, size: u64, predicts: bool) -> Simulation {
        let how = Replay { size, percent: 100, in_blocks: true, predicts };
        let replay = |how| replay(self.log, &self.steps, self.settings, how);
        let outcome = replay(how);
        let mut bounds = vec![outcome.hits];
        let tight = Replay { percent: FRAGMENTED, ..how };
        // What fits into the smaller part goes alike in both.
        if outcome.prunes > 0 || outcome.peak > capacity(size) / 100 * FRAGMENTED {
            let fragmented = replay(tight);
            bounds.push(fragmented.hits);
        }
        let contested = self.contested(&outcome, size);
        let margin = self.margin(&outcome, contested);
        let least = bounds.iter().copied().min().unwrap_or(outcome.hits);
        let most = bounds.iter().copied().max().unwrap_or(outcome.hits);
        let hits_low = least.saturating_sub(margin);
        let hits_high = most.saturating_add(margin).min(outcome.selects);
        Simulation { outcome, hits_low, hits_high, contested }
    }

    /// Hits that are gained or lost where no statement runs beside another. Blocks of memory, which
    /// take longer to replay, are all one for that.
    fn contested(&self, outcome: &Outcome, size: u64) -> u64 {
        let Some(steps) = &self.as_logged else { return 0 };
        let how = Replay { size, percent: 100, in_blocks: false, predicts: false };
        let here = if outcome.prunes > 0 { self.once(size).hits } else { outcome.hits };
        replay(self.log, steps, self.settings, how).hits.abs_diff(here)
    }

    /// By how many hits the answer may be wrong.
    ///
    /// The order of statements that ran at once is a guess, and seldom wrong by more than the hits that
    /// hang on it and a hundredth of all. Of 72 loads of two to eight connections on MariaDB 10.11, with 1
    /// to 40 % writes, 60 lay within that and 7 % at most, in ranges 9.4 % wide on average; 62 within 7 %
    /// throughout, in ranges of 14.6 %. Where more than 7 % is contested, a wider range would tell no more.
    /// What goes for want of memory hangs on each block.
    fn margin(&self, outcome: &Outcome, contested: u64) -> u64 {
        let prunes = if outcome.prunes > 0 { 2 } else { 0 };
        let percent = |of: u64| (outcome.hits * of).div_ceil(100);
        let most = match self.order {
            Order::Serial => return percent(prunes),
            Order::Timed => MOST_TIMED,
            Order::Rebuilt => MOST_REBUILT,
        };
        contested.saturating_add(percent(1 + prunes)).min(outcome.hits * most / 100)
    }
}

/// Most percent of the hits that an answer is said to be wrong by, where times are fine.
const MOST_TIMED: u64 = 3;
/// The same where the order of time is rebuilt.
pub const MOST_REBUILT: u64 = 7;

/// Percent of the memory that fragments leave: the lower end of the bracket.
const FRAGMENTED: u64 = 90;

#[cfg(test)]
mod tests;
