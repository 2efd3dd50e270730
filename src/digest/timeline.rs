//! The order in which classes came: one line for each run of events of one class.

use crate::time::Timestamp;

/// Runs that are kept; behind them only their number.
pub const MOST: usize = 1_000_000;

/// What stands for all classes past the bound: their runs are counted, not kept.
pub const FURTHER: u32 = u32::MAX;

/// Events of one class without another class between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The class, by its place.
    pub class: u32,
    /// Events.
    pub count: u64,
    /// The first known end of a statement.
    pub first: Option<Timestamp>,
    /// The last one.
    pub last: Option<Timestamp>,
}

/// Runs of one piece of the log, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The runs.
    pub runs: Vec<Run>,
    /// Runs that were not kept.
    pub more: u64,
}

impl Timeline {
    /// Adds an event behind the others.
    pub fn add(&mut self, class: u32, ts: Option<Timestamp>) {
        self.push(Run { class, count: 1, first: ts, last: ts });
    }

    /// Adds a run behind the others; it joins the last one if the class is the same.
    pub fn push(&mut self, run: Run) {
        let is_full = self.runs.len() >= MOST;
        match self.runs.last_mut() {
            Some(last) if last.class == run.class && self.more == 0 => {
                last.count += run.count;
                last.first = last.first.or(run.first);
                last.last = run.last.or(last.last);
            }
            _ if is_full => self.more += 1,
            _ => self.runs.push(run),
        }
    }
}
