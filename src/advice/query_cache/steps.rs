//! The steps of a replay: what statements do to each other, whatever the cache has.
//!
//! Which tables are locked when a statement asks, and which snapshots are old by then, hangs on the
//! order of the log alone. It is settled here once, and each replay only asks, stores and drops.

use std::collections::HashSet;

use foldhash::fast::FixedState as Fast;

use super::order::{Edge, Order, points};
use super::trace::{Engine, Log, Marks, Trace};

/// What locks and snapshots keep a statement from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused(u8);

impl Refused {
    const LOOK: u8 = 1;
    const STORE: u8 = 1 << 1;

    /// A result that is there is not given out.
    pub fn look(self) -> bool {
        self.0 & Refused::LOOK != 0
    }

    /// A result is not registered.
    pub fn store(self) -> bool {
        self.0 & Refused::STORE != 0
    }
}

/// A log in the order of time: 4 bytes for each step, at most three of an event, and 1 for the event.
#[derive(Debug)]
pub struct Steps {
    /// Four times the event, and its edge.
    order: Vec<u32>,
    refused: Vec<Refused>,
    /// Statements that ask the cache, or would if they did not refuse it.
    pub selects: u64,
    /// Those that ask it and are never stored.
    pub uncacheable: u64,
}

impl Steps {
    /// The steps of a log.
    pub fn of(log: &Log, order: Order) -> Steps {
        let points = points(log, order);
        let mut state = State::new(log);
        let mut steps = Steps {
            order: Vec::with_capacity(points.len()),
            refused: vec![Refused::default(); log.traces.len()],
            selects: 0,
            uncacheable: 0,
        };
        for trace in log.traces.iter().filter(|it| it.marks.has(Marks::SELECT)) {
            steps.selects += 1;
            let marks = trace.marks;
            let is_counted = marks.has(Marks::ASKED) && !marks.has(Marks::FAILED);
            steps.uncacheable += u64::from(is_counted && !marks.has(Marks::STORABLE));
        }
        for point in points {
            let event = point.event();
            let Some(trace) = log.traces.get(event) else { continue };
            state.now += 1;
            let edge = point.edge();
            let is_step = match edge {
                Edge::Begin => state.begin(trace, steps.refused.get_mut(event)),
                Edge::Middle => state.middle(trace, steps.refused.get_mut(event)),
                Edge::End => state.end(trace),
            };
            if is_step {
                steps.order.push((event as u32) << 2 | edge as u32);
            }
        }
        steps
    }

    /// The same, with these classes of SELECTs alone asking the cache.
    pub fn only(&self, log: &Log, classes: &[bool]) -> Steps {
        let is_kept = |event: usize, edge: Edge| {
            let Some(trace) = log.traces.get(event) else { return false };
            let is_asked = classes.get(trace.class as usize).copied().unwrap_or(false);
            // The end of any statement drops results and gives locks back.
            is_asked || edge == Edge::End || !trace.marks.has(Marks::SELECT)
        };
        let steps = self.iter().filter(|(event, edge)| is_kept(*event, *edge));
        Steps {
            order: steps.map(|(event, edge)| (event as u32) << 2 | edge as u32).collect(),
            refused: self.refused.clone(),
            selects: self.selects,
            uncacheable: self.uncacheable,
        }
    }

    /// Events and what of them comes next.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Edge)> {
        self.order.iter().map(|step| {
            let edge = match step & 3 {
                0 => Edge::Begin,
                1 => Edge::Middle,
                _ => Edge::End,
            };
            ((step >> 2) as usize, edge)
        })
    }

    /// What an event is kept from.
    pub fn refused(&self, event: usize) -> Refused {
        self.refused.get(event).copied().unwrap_or_default()
    }
}

/// Locks and snapshots at one moment.
struct State<'l> {
    log: &'l Log,
    now: u64,
    /// When each table was changed last.
    changed: Vec<u64>,
    locks: Vec<u32>,
    /// Tables that the open transaction of each connection has locked.
    held: Vec<Vec<u32>>,
    is_held: HashSet<(u32, u32), Fast>,
    /// When each transaction looked first.
    seen: Vec<Option<u64>>,
}

impl<'l> State<'l> {
    fn new(log: &'l Log) -> State<'l> {
        State {
            log,
            now: 0,
            changed: vec![0; log.tables.len()],
            locks: vec![0; log.tables.len()],
            held: vec![Vec::new(); log.threads],
            is_held: HashSet::default(),
            seen: vec![None; log.threads],
        }
    }

    fn tables(&self, trace: &Trace) -> &'l [u32] {
        self.log.sets.get(trace.tables)
    }

    /// Whether a lock or an old snapshot stands against a statement.
    fn is_refused(&self, trace: &Trace) -> bool {
        let seen = self.seen.get(trace.thread as usize).copied().flatten();
        let seen = seen.filter(|_| trace.marks.has(Marks::IN_TRANSACTION));
        self.tables(trace).iter().any(|table| {
            let place = *table as usize;
            let is_locked = self.locks.get(place).is_some_and(|locks| *locks > 0);
            let is_stale = seen
                .is_some_and(|seen| self.changed.get(place).is_some_and(|changed| *changed > seen));
            (is_locked || is_stale) && self.log.engine(*table) == Engine::InnoDb
        })
    }

    /// True if the cache is asked.
    fn begin(&mut self, trace: &Trace, refused: Option<&mut Refused>) -> bool {
        let marks = trace.marks;
        // What begins something else commits first; COMMIT itself has to be through.
        if marks.has(Marks::ENDS) && !is_commit(marks) {
            self.release(trace.thread);
        }
        let asks = marks.has(Marks::SELECT) && marks.has(Marks::STORABLE);
        if asks
            && marks.has(Marks::IN_TRANSACTION)
            && self.is_refused(trace)
            && let Some(refused) = refused
        {
            refused.0 |= Refused::LOOK;
        }
        if marks.has(Marks::SEES) {
            let now = self.now;
            if let Some(seen) = self.seen.get_mut(trace.thread as usize) {
                seen.get_or_insert(now);
            }
        }
        asks
    }

    /// True if a result may be registered.
    fn middle(&mut self, trace: &Trace, refused: Option<&mut Refused>) -> bool {
        let marks = trace.marks;
        let asks = marks.has(Marks::SELECT) && marks.has(Marks::STORABLE);
        let registers = asks && !marks.has(Marks::FAILED);
        if registers
            && self.is_refused(trace)
            && let Some(refused) = refused
        {
            refused.0 |= Refused::STORE;
        }
        if marks.has(Marks::LOCKS) {
            self.lock(trace);
        }
        registers
    }

    /// True if a result is there, or results go.
    fn end(&mut self, trace: &Trace) -> bool {
        let marks = trace.marks;
        let mut is_step =
            marks.has(Marks::SELECT) && marks.has(Marks::STORABLE) && !marks.has(Marks::FAILED);
        for table in self.log.changed_by(trace) {
            is_step = true;
            if let Some(changed) = self.changed.get_mut(table as usize) {
                *changed = self.now;
            }
        }
        is_step |= marks.has(Marks::CLEARS);
        if marks.has(Marks::ENDS) && is_commit(marks) {
            self.release(trace.thread);
        }
        if marks.has(Marks::LOCKS) && !marks.has(Marks::IN_TRANSACTION) {
            for table in self.tables(trace) {
                self.unlock(*table);
            }
        }
        is_step
    }

    fn lock(&mut self, trace: &Trace) {
        let in_transaction = trace.marks.has(Marks::IN_TRANSACTION);
        for table in self.tables(trace) {
            if in_transaction {
                let Some(held) = self.held.get_mut(trace.thread as usize) else { return };
                if !self.is_held.insert((trace.thread, *table)) {
                    continue;
                }
                held.push(*table);
            }
            if let Some(locks) = self.locks.get_mut(*table as usize) {
                *locks += 1;
            }
        }
    }

    fn unlock(&mut self, table: u32) {
        if let Some(locks) = self.locks.get_mut(table as usize) {
            *locks = locks.saturating_sub(1);
        }
    }

    /// Ends the transaction of a connection.
    fn release(&mut self, thread: u32) {
        let held = self.held.get_mut(thread as usize).map(std::mem::take).unwrap_or_default();
        for table in held {
            self.is_held.remove(&(thread, table));
            self.unlock(table);
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
