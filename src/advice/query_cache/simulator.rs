//! Replays a log: what the query cache of a server would have done with it.
//!
//! Section 9 of the rules, which was measured on MariaDB 10.11. A statement asks the cache when it
//! begins, and so its result is registered then; it is there for others when the statement ends. A
//! write locks from its beginning and drops results at its end.

use super::memory::{Block, HEAD, Memory, PACKET, Queue, TABLE, align, capacity, statement};
use super::order::{Edge, Order, Point, points};
use super::settings::Settings;
use super::trace::{Engine, Log, Marks, Trace};

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
    /// Results above the limit: how many, and microseconds that a second asking would have saved.
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
#[derive(Debug, Clone, Default)]
struct Slot {
    /// Which of the results of this key it is; links of tables to others are dead.
    life: u32,
    state: State,
    /// That of the statement, then those of the result.
    blocks: Vec<Block>,
    tables: u32,
    hits: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Absent,
    /// Being written by this event.
    Written(u32),
    Whole,
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

struct Cache<'l> {
    log: &'l Log,
    limit: u64,
    unit: u64,
    room: u64,
    memory: Memory,
    /// Results that are stored or being written.
    results: u64,
    slots: Vec<Slot>,
    queue: Queue,
    of_table: Vec<Vec<(u32, u32)>>,
    /// Results that each table has, and its block.
    alive: Vec<(u32, Block)>,
    /// When each table was changed last.
    changed: Vec<u64>,
    locks: Vec<u32>,
    /// Tables that the open transaction of each connection has locked.
    held: Vec<Vec<u32>>,
    /// When each transaction looked first.
    seen: Vec<Option<u64>>,
    /// Events above the limit, by key: whether one came before.
    oversize: std::collections::HashSet<u32, foldhash::fast::FixedState>,
    hit_micros: u64,
    now: u64,
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

/// Replays the log in the order of these points.
pub fn replay(log: &Log, points: &[Point], settings: &Settings, how: Replay) -> Outcome {
    let tables = log.tables.len();
    let room = u64::try_from(u128::from(capacity(how.size)) * u128::from(how.percent) / 100);
    let room = room.unwrap_or(u64::MAX) / 8 * 8;
    let mut cache = Cache {
        log,
        limit: settings.limit,
        unit: settings.min_res_unit,
        room,
        memory: Memory::new(room, how.in_blocks),
        results: 0,
        slots: vec![Slot::default(); log.keys],
        queue: Queue::new(log.keys),
        of_table: vec![Vec::new(); tables],
        alive: vec![(0, Block::default()); tables],
        changed: vec![0; tables],
        locks: vec![0; tables],
        held: vec![Vec::new(); log.threads],
        seen: vec![None; log.threads],
        oversize: Default::default(),
        hit_micros: hit_micros(log),
        now: 0,
        outcome: Outcome {
            size: how.size,
            classes: vec![(0, 0); log.classes.len()],
            tables: vec![(0, 0); tables],
            predictions: vec![Prediction::None; log.traces.len()],
            ..Outcome::default()
        },
    };
    for point in points {
        cache.now += 1;
        let Some(trace) = log.traces.get(point.event()) else { continue };
        match point.edge() {
            Edge::Begin => cache.begin(trace, point.event()),
            Edge::Middle => cache.middle(trace, point.event()),
            Edge::End => cache.end(trace, point.event()),
        }
    }
    if !how.predicts {
        cache.outcome.predictions = Vec::new();
    }
    cache.outcome
}

impl Cache<'_> {
    fn set(&self, trace: &Trace) -> &[u32] {
        self.log.sets.get(trace.tables as usize).map_or(&[], Vec::as_slice)
    }

    fn engine(&self, table: u32) -> Engine {
        self.log.tables.get(table as usize).map_or(Engine::InnoDb, |it| it.engine)
    }

    fn is_locked(&self, trace: &Trace) -> bool {
        self.set(trace).iter().any(|table| {
            self.engine(*table) == Engine::InnoDb
                && self.locks.get(*table as usize).is_some_and(|locks| *locks > 0)
        })
    }

    fn is_stale(&self, trace: &Trace) -> bool {
        let seen = self.seen.get(trace.thread as usize).copied().flatten();
        let Some(seen) = seen.filter(|_| trace.marks.has(Marks::IN_TRANSACTION)) else {
            return false;
        };
        self.set(trace).iter().any(|table| {
            self.engine(*table) == Engine::InnoDb
                && self.changed.get(*table as usize).is_some_and(|changed| *changed > seen)
        })
    }

    fn predict(&mut self, event: usize, prediction: Prediction) {
        if let Some(slot) = self.outcome.predictions.get_mut(event) {
            *slot = prediction;
        }
    }

    fn begin(&mut self, trace: &Trace, event: usize) {
        let marks = trace.marks;
        // What begins something else commits first; COMMIT itself has to be through.
        if marks.has(Marks::ENDS) && !is_commit(marks) {
            self.release(trace.thread);
        }
        if marks.has(Marks::SELECT) {
            self.outcome.selects += 1;
            self.ask(trace, event);
        }
        if marks.has(Marks::SEES) {
            self.see(trace);
        }
    }

    fn middle(&mut self, trace: &Trace, event: usize) {
        if self.outcome.predictions.get(event) == Some(&Prediction::Miss) {
            self.register(trace, event);
        }
        if trace.marks.has(Marks::LOCKS) {
            self.lock(trace);
        }
    }

    /// The first look of a transaction.
    fn see(&mut self, trace: &Trace) {
        let now = self.now;
        if let Some(seen) = self.seen.get_mut(trace.thread as usize) {
            seen.get_or_insert(now);
        }
    }

    fn ask(&mut self, trace: &Trace, event: usize) {
        let marks = trace.marks;
        if !marks.has(Marks::STORABLE) {
            let counts = marks.has(Marks::ASKED) && !marks.has(Marks::FAILED);
            self.outcome.not_cached += u64::from(counts);
            self.predict(event, Prediction::Uncacheable);
            return;
        }
        let key = trace.key as usize;
        let state = self.slots.get(key).map_or(State::Absent, |slot| slot.state);
        let is_refused = self.is_locked(trace) || self.is_stale(trace);
        if state == State::Whole && !(is_refused && marks.has(Marks::IN_TRANSACTION)) {
            self.hit(trace, event);
            return;
        }
        self.predict(event, Prediction::Miss);
    }

    /// A statement that has to run registers its result, if it may.
    fn register(&mut self, trace: &Trace, event: usize) {
        if trace.marks.has(Marks::FAILED) {
            return;
        }
        let key = trace.key as usize;
        let state = self.slots.get(key).map_or(State::Absent, |slot| slot.state);
        let is_refused = self.is_locked(trace) || self.is_stale(trace);
        if is_refused || state != State::Absent {
            self.outcome.not_cached += 1;
            return;
        }
        let set = self.set_of(trace);
        let Some(first) = self.take(statement(trace.text, set.len()), None) else {
            self.outcome.not_cached += 1;
            return;
        };
        self.outcome.inserts += 1;
        self.results += 1;
        let Some(slot) = self.slots.get_mut(key) else { return };
        slot.life = slot.life.wrapping_add(1);
        slot.state = State::Written(event as u32);
        slot.tables = trace.tables;
        slot.blocks.clear();
        slot.blocks.push(first);
        slot.hits = 0;
        let life = slot.life;
        for table in set {
            let is_new = self.alive.get(table as usize).is_some_and(|(alive, _)| *alive == 0);
            // Where even that finds no room, the cache is no larger than a few results.
            let block =
                if is_new { self.take(TABLE, None).unwrap_or_default() } else { Block::default() };
            let Some((alive, own)) = self.alive.get_mut(table as usize) else { continue };
            if *alive == 0 {
                *own = block;
            } else if is_new {
                self.memory.give_back(block);
            }
            *alive += 1;
            let alive = *alive as usize;
            if let Some(links) = self.of_table.get_mut(table as usize) {
                // Links to results that went otherwise are swept out before they outnumber others.
                if links.len() > 64 + 2 * alive {
                    let slots = &self.slots;
                    links.retain(|(key, life)| is_alive(slots, *key, *life));
                }
                links.push((trace.key, life));
            }
        }
        self.outcome.peak = self.outcome.peak.max(self.memory.used());
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

    fn hit(&mut self, trace: &Trace, event: usize) {
        self.outcome.hits += 1;
        self.predict(event, Prediction::Hit);
        self.queue.push(trace.key);
        if let Some(slot) = self.slots.get_mut(trace.key as usize) {
            slot.hits = slot.hits.saturating_add(1);
        }
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
        let marks = trace.marks;
        let key = trace.key as usize;
        let storing = marks.has(Marks::SELECT) && marks.has(Marks::STORABLE);
        if storing && self.slots.get(key).is_some_and(|it| it.state == State::Written(event as u32))
        {
            self.store(trace);
        }
        if marks.has(Marks::CHANGES) {
            self.change(trace);
        } else if marks.has(Marks::LOCKS) && !marks.has(Marks::SELECT) {
            self.change_of_myisam(trace);
        }
        if marks.has(Marks::ENDS) && is_commit(marks) {
            self.release(trace.thread);
        }
        if marks.has(Marks::LOCKS) && !marks.has(Marks::IN_TRANSACTION) {
            for table in self.set_of(trace) {
                if let Some(locks) = self.locks.get_mut(table as usize) {
                    *locks = locks.saturating_sub(1);
                }
            }
        }
    }

    fn set_of(&self, trace: &Trace) -> Vec<u32> {
        self.set(trace).to_vec()
    }

    /// Keeps a result that is whole now.
    fn store(&mut self, trace: &Trace) {
        let result = u64::from(trace.bytes);
        if trace.marks.has(Marks::SPOILT) {
            self.take_back(trace.key, 1);
            return;
        }
        if result > self.limit {
            // It grows to the limit before it is given up, and others go for that.
            self.write(trace.key, self.limit / PACKET * PACKET);
            self.take_back(trace.key, 2);
            self.outcome.oversize += 1;
            if !self.oversize.insert(trace.key) {
                self.outcome.lost_micros += self.saved(trace);
                self.outcome.oversize_bytes = self.outcome.oversize_bytes.max(result);
            }
            return;
        }
        if !self.write(trace.key, result) {
            self.take_back(trace.key, 1);
            return;
        }
        if let Some(slot) = self.slots.get_mut(trace.key as usize) {
            slot.state = State::Whole;
        }
        self.outcome.peak = self.outcome.peak.max(self.memory.used());
        self.queue.push(trace.key);
    }

    /// Writes a result, packet by packet; false if there is no room for it.
    fn write(&mut self, key: u32, result: u64) -> bool {
        let mut left = result;
        let mut last: Option<(Block, u64)> = None;
        loop {
            let packet = left.min(PACKET);
            left -= packet;
            let mut data = packet;
            if let Some((block, used)) = &mut last {
                let place = block.length.saturating_sub(*used);
                if place < data {
                    self.memory.lengthen(block, (data - place).max(self.unit));
                }
                let here = data.min(block.length.saturating_sub(*used));
                *used += here;
                data -= here;
            }
            let mut wanted = if last.is_none() { self.usual() } else { self.unit };
            while data > 0 || last.is_none() {
                if let Some((block, _)) = last.take() {
                    self.add_block(key, block);
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
            self.add_block(key, block);
        }
        true
    }

    /// Bytes that a result is given at first: as many as others take on average.
    fn usual(&self) -> u64 {
        const FEW: u64 = 10;
        let mean = self.memory.used().checked_div(self.results).unwrap_or(0);
        if self.results < FEW { self.unit } else { mean.min(self.limit).max(self.unit) }
    }

    fn add_block(&mut self, key: u32, block: Block) {
        if let Some(slot) = self.slots.get_mut(key as usize) {
            slot.blocks.push(block);
        }
    }

    /// A result that was counted as stored and is not.
    fn take_back(&mut self, key: u32, not_cached: u64) {
        self.drop_result(key);
        self.outcome.inserts = self.outcome.inserts.saturating_sub(1);
        self.outcome.not_cached += not_cached;
    }

    fn note_unused(&mut self, key: u32) {
        let is_unused = self.slots.get(key as usize).is_some_and(|slot| slot.hits == 0);
        self.outcome.unused += u64::from(is_unused);
    }

    /// Takes a result out.
    fn drop_result(&mut self, key: u32) {
        self.queue.remove(key);
        let Some(slot) = self.slots.get_mut(key as usize) else { return };
        if slot.state == State::Absent {
            return;
        }
        slot.state = State::Absent;
        self.results = self.results.saturating_sub(1);
        for block in slot.blocks.drain(..) {
            self.memory.give_back(block);
        }
        let set = slot.tables;
        for table in self.log.sets.get(set as usize).map_or(&[][..], Vec::as_slice) {
            if let Some((alive, block)) = self.alive.get_mut(*table as usize) {
                *alive = alive.saturating_sub(1);
                if *alive == 0 && block.length > 0 {
                    self.memory.give_back(std::mem::take(block));
                }
            }
        }
    }

    fn change(&mut self, trace: &Trace) {
        if trace.marks.has(Marks::CLEARS) {
            for key in 0..self.slots.len() as u32 {
                self.forget(key);
            }
            for links in &mut self.of_table {
                links.clear();
            }
            return;
        }
        for table in self.set_of(trace) {
            self.invalidate(table);
        }
    }

    /// A write that changes no row: MyISAM drops results all the same.
    fn change_of_myisam(&mut self, trace: &Trace) {
        for table in self.set_of(trace) {
            if self.engine(table) == Engine::MyIsam {
                self.invalidate(table);
            }
        }
    }

    fn invalidate(&mut self, table: u32) {
        let now = self.now;
        if let Some(changed) = self.changed.get_mut(table as usize) {
            *changed = now;
        }
        let Some(links) = self.of_table.get_mut(table as usize) else { return };
        let links = std::mem::take(links);
        let mut dropped = 0u64;
        for (key, life) in links {
            if is_alive(&self.slots, key, life) {
                dropped += u64::from(self.forget(key));
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
    fn forget(&mut self, key: u32) -> bool {
        let state = self.slots.get(key as usize).map_or(State::Absent, |slot| slot.state);
        match state {
            State::Absent => false,
            State::Written(_) => {
                self.take_back(key, 1);
                false
            }
            State::Whole => {
                self.note_unused(key);
                self.drop_result(key);
                true
            }
        }
    }

    fn lock(&mut self, trace: &Trace) {
        let in_transaction = trace.marks.has(Marks::IN_TRANSACTION);
        for table in self.set_of(trace) {
            if in_transaction {
                let Some(held) = self.held.get_mut(trace.thread as usize) else { return };
                if held.contains(&table) {
                    continue;
                }
                held.push(table);
            }
            if let Some(locks) = self.locks.get_mut(table as usize) {
                *locks += 1;
            }
        }
    }

    /// Ends the transaction of a connection.
    fn release(&mut self, thread: u32) {
        if let Some(held) = self.held.get_mut(thread as usize) {
            for table in std::mem::take(held) {
                if let Some(locks) = self.locks.get_mut(table as usize) {
                    *locks = locks.saturating_sub(1);
                }
            }
        }
        if let Some(seen) = self.seen.get_mut(thread as usize) {
            *seen = None;
        }
    }
}

/// Whether an event that ends a transaction does nothing else.
fn is_commit(marks: Marks) -> bool {
    !marks.has(Marks::CHANGES) && !marks.has(Marks::SEES)
}

fn is_alive(slots: &[Slot], key: u32, life: u32) -> bool {
    slots.get(key as usize).is_some_and(|slot| slot.state != State::Absent && slot.life == life)
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
}

/// Simulates a log, each size in turn.
#[derive(Debug)]
pub struct Simulator<'l> {
    log: &'l Log,
    settings: &'l Settings,
    order: Order,
    points: Vec<Point>,
}

impl<'l> Simulator<'l> {
    /// Puts the log in order.
    pub fn new(log: &'l Log, settings: &'l Settings) -> Simulator<'l> {
        let order = super::order::order_of(log);
        Simulator { log, settings, order, points: points(log, order) }
    }

    /// How the order was told.
    pub fn order(&self) -> Order {
        self.order
    }

    /// What a cache of this size does, without the bounds of the answer.
    pub fn once(&self, size: u64) -> Outcome {
        replay(
            self.log,
            &self.points,
            self.settings,
            Replay { size, percent: 100, in_blocks: false, predicts: false },
        )
    }

    /// What a cache of this size does.
    pub fn run(&self, size: u64, predicts: bool) -> Simulation {
        let how = Replay { size, percent: 100, in_blocks: true, predicts };
        let replay = |points: &[Point], how| replay(self.log, points, self.settings, how);
        let outcome = replay(&self.points, how);
        let mut bounds = vec![outcome.hits];
        let tight = Replay { percent: FRAGMENTED, ..how };
        // What fits into the smaller part goes alike in both.
        if outcome.prunes > 0 || outcome.peak > capacity(size) / 100 * FRAGMENTED {
            let fragmented = replay(&self.points, tight);
            bounds.push(fragmented.hits);
        }
        // The order of statements that ran at once is a guess, the better the finer the times; what goes
        // for want of memory hangs on each block.
        let percent = match self.order {
            Order::Serial if outcome.prunes > 0 => 2,
            Order::Serial => 0,
            Order::Timed => 3,
            Order::Rebuilt => 7,
        };
        let margin = (outcome.hits * percent).div_ceil(100);
        let least = bounds.iter().copied().min().unwrap_or(outcome.hits);
        let most = bounds.iter().copied().max().unwrap_or(outcome.hits);
        let hits_low = least.saturating_sub(margin);
        let hits_high = most.saturating_add(margin).min(outcome.selects);
        Simulation { outcome, hits_low, hits_high }
    }
}

/// Percent of the memory that fragments leave: the lower end of the bracket.
const FRAGMENTED: u64 = 90;

#[cfg(test)]
mod tests;
