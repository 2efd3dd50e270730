//! In which order statements began and ended.
//!
//! A log has them in the order of their ends. Where its times have fractions of a second, a start is
//! the end less the time taken. Else the timeline is rebuilt: a statement ends no earlier than the
//! one before it in the log, and no earlier than the last one of its own connection and the time
//! that it takes itself.

use super::trace::{Log, Marks, Trace};

/// A beginning, a middle or an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    time: i64,
    /// Four times the number of the event, 1 more for its middle and 2 for its end: what ended
    /// before in the log ended before, and nothing ends before it begins.
    place: u32,
}

/// What of an event a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It asks the cache.
    Begin,
    /// It has its tables.
    Middle,
    /// It is through.
    End,
}

impl Point {
    /// Number of the event.
    pub fn event(self) -> usize {
        (self.place >> 2) as usize
    }

    /// What of the event.
    pub fn edge(self) -> Edge {
        match self.place & 3 {
            0 => Edge::Begin,
            1 => Edge::Middle,
            _ => Edge::End,
        }
    }
}

/// How the order is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// One statement behind the other, as in the log.
    Serial,
    /// By the times in the log.
    Timed,
    /// By a timeline that is rebuilt.
    Rebuilt,
}

/// How the order of a log is told.
pub fn order_of(log: &Log) -> Order {
    // Connections that run at once take turns at every few statements. One client that drives
    // several, or a pool that hands them round, stays long with one.
    let takes_turns = log.turns.saturating_mul(10) >= log.traces.len() as u64;
    match (takes_turns, log.is_fine) {
        (false, _) => Order::Serial,
        (true, true) => Order::Timed,
        (true, false) => Order::Rebuilt,
    }
}

/// Beginnings, middles and ends in the order of time.
pub fn points(log: &Log, order: Order) -> Vec<Point> {
    let mut points = Vec::new();
    let mut own = vec![i64::MIN; log.threads];
    let mut last = 0i64;
    for (number, trace) in log.traces.iter().enumerate() {
        let number = u32::try_from(number).unwrap_or(u32::MAX >> 2);
        let (start, end) = match order {
            Order::Serial => (i64::from(number), i64::from(number)),
            Order::Timed => timed(trace, &mut last),
            Order::Rebuilt => rebuilt(trace, &mut last, &mut own),
        };
        let marks = trace.marks;
        // Points at which nothing happens need no place.
        let may_store = marks.intersects(Marks::STORABLE, Marks::LOCKS);
        if may_store || marks.intersects(Marks::ENDS, Marks::SEES) {
            points.push(Point { time: start, place: number << 2 });
        }
        if may_store {
            let middle = start.saturating_add(i64::from(trace.lock)).min(end);
            points.push(Point { time: middle, place: number << 2 | 1 });
        }
        if may_store || marks.intersects(Marks::ENDS, Marks::CHANGES) {
            points.push(Point { time: end, place: number << 2 | 2 });
        }
    }
    if order == Order::Serial {
        return points;
    }
    points.sort_unstable();
    points
}

fn taken(trace: &Trace) -> i64 {
    // A century at most: sums stay in range.
    const MOST: u64 = 3_000_000_000_000_000;
    trace.micros.min(MOST) as i64
}

fn timed(trace: &Trace, last: &mut i64) -> (i64, i64) {
    let end = if trace.end == i64::MIN { *last } else { trace.end };
    *last = end;
    (end.saturating_sub(taken(trace)), end)
}

fn rebuilt(trace: &Trace, last: &mut i64, own: &mut [i64]) -> (i64, i64) {
    let taken = taken(trace);
    let before = own.get(trace.thread as usize).copied().unwrap_or(i64::MIN);
    let end = (*last).max(before.saturating_add(taken));
    *last = end;
    if let Some(own) = own.get_mut(trace.thread as usize) {
        *own = end;
    }
    (end.saturating_sub(taken), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(events: &[(u32, u64)]) -> Log {
        let trace = |(thread, micros): &(u32, u64)| Trace {
            source: 0,
            offset: 0,
            end: i64::MIN,
            micros: *micros,
            lock: 0,
            thread: *thread,
            marks: Marks::STORABLE,
            key: 0,
            class: 0,
            tables: 0,
            bytes: 0,
            text: 0,
        };
        Log { traces: events.iter().map(trace).collect(), threads: 2, ..Log::default() }
    }

    fn told(events: &[(u32, u64)], order: Order) -> String {
        let points = points(&log(events), order);
        let one = |it: &Point| {
            let edge = if it.edge() == Edge::End { ')' } else { '(' };
            format!("{}{edge}", it.event())
        };
        let told = points.iter().filter(|it| it.edge() != Edge::Middle).map(one);
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_connection_is_never_beside_itself() {
        assert_eq!(told(&[(0, 5), (0, 7), (0, 0)], Order::Rebuilt), "0( 0) 1( 1) 2( 2)");
    }

    /// The second ends behind the first, took longer, so it began before.
    #[test]
    fn two_connections_overlap() {
        assert_eq!(told(&[(0, 10), (1, 20)], Order::Rebuilt), "1( 0( 0) 1)");
        assert_eq!(told(&[(0, 10), (1, 20)], Order::Serial), "0( 0) 1( 1)");
    }

    /// The own connection was busy until 30: the third ends at 40 and begins at 30.
    #[test]
    fn a_statement_waits_for_the_one_before_on_its_connection() {
        assert_eq!(told(&[(0, 30), (1, 5), (0, 10)], Order::Rebuilt), "0( 1( 0) 1) 2( 2)");
    }
}
