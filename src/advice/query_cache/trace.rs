//! The log as the query cache sees it: a few numbers for each event, in the order of the log.
//!
//! Texts are kept as hashes, tables and keys as numbers. The [`Recorder`](super::Recorder) makes it;
//! what depends on other connections is left to the [`simulator`](super::simulator).

use crate::sql::fingerprint::ClassId;

use super::numbers::Sets;
use super::statement::Refusal;

/// Most events that are kept. Each takes 64 bytes; what else is kept of it, if no other has the same
/// text or connection, and what a replay adds make that 250 at most.
pub const MOST_EVENTS: usize = 5_000_000;

/// Most bytes that are kept besides: of classes, of tables and sets of them, of what sessions have set.
/// Half a million tables with a class each take 400 MB.
pub const MOST_BYTES: usize = 512 << 20;

/// What is said of an event by a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks(u16);

impl Marks {
    /// A SELECT: it stands in the trace.
    pub const SELECT: Marks = Marks(1);
    /// The cache is asked, and counts what becomes of it.
    pub const ASKED: Marks = Marks(1 << 1);
    /// The result may be stored.
    pub const STORABLE: Marks = Marks(1 << 2);
    /// Part of a transaction of several statements.
    pub const IN_TRANSACTION: Marks = Marks(1 << 3);
    /// A consistent read: from here on the transaction sees what is committed now.
    pub const SEES: Marks = Marks(1 << 4);
    /// The tables are changed.
    pub const CHANGES: Marks = Marks(1 << 5);
    /// Rows of the tables are locked.
    pub const LOCKS: Marks = Marks(1 << 6);
    /// The transaction before ends here.
    pub const ENDS: Marks = Marks(1 << 7);
    /// All results go.
    pub const CLEARS: Marks = Marks(1 << 8);
    /// The result had warnings, or there was none: nothing is kept of it.
    pub const SPOILT: Marks = Marks(1 << 9);
    /// It failed before the cache was asked to store it.
    pub const FAILED: Marks = Marks(1 << 10);
    /// The log says that the server had it in its cache.
    pub const WAS_HIT: Marks = Marks(1 << 11);
    /// A definition: it changes engines without transactions and with, and never fails to.
    pub const DEFINES: Marks = Marks(1 << 12);

    /// Whether it has all these.
    pub fn has(self, other: Marks) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it has one of these.
    pub fn intersects(self, one: Marks, other: Marks) -> bool {
        self.0 & (one.0 | other.0) != 0
    }

    /// Adds these where it is so.
    pub fn set(&mut self, other: Marks, is: bool) {
        if is {
            self.0 |= other.0;
        }
    }
}

/// One event.
#[derive(Debug, Clone, Copy)]
pub struct Trace {
    /// Number of the input.
    pub source: u32,
    /// First byte of the event in it.
    pub offset: u64,
    /// When it ended, in microseconds; `None` is the least.
    pub end: i64,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// How long until it had its tables, in microseconds.
    pub lock: u32,
    /// The connection.
    pub thread: u32,
    /// What is so.
    pub marks: Marks,
    /// The result it asks for; a number below [`Log::keys`].
    pub key: u32,
    /// Its class in [`Log::classes`].
    pub class: u32,
    /// Its tables in [`Log::sets`].
    pub tables: u32,
    /// Bytes of the result.
    pub bytes: u32,
    /// Bytes of the statement and of the name of its database.
    pub text: u32,
}

/// A class of statements, and what its events add up to.
#[derive(Debug, Clone)]
pub struct Class {
    /// Its ID.
    pub id: ClassId,
    /// What the cache does not store it for.
    pub refusal: Option<Refusal>,
    /// Whether it is a SELECT.
    pub is_select: bool,
    /// Events.
    pub calls: u64,
    /// Microseconds of them.
    pub micros: u64,
    /// Different statements among them.
    pub texts: u64,
    /// Different ones without comments, case of words and blanks.
    pub plain_texts: u64,
    /// Events that the log does not call hits, and their microseconds.
    pub computed: (u64, u64),
    /// Events with a result that is known.
    pub results: (u64, u64),
    /// Its statement, by number.
    pub(super) statement: u32,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Database and name, as far as known.
    pub name: String,
    /// Whether changes follow the rules of InnoDB: no effect of a write that changes no row.
    pub engine: Engine,
}

/// What is asked of the engine of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// Locks and versions of rows.
    #[default]
    InnoDb,
    /// Each write counts, also one that changes nothing.
    MyIsam,
    /// Aria, MEMORY and others: neither.
    Other,
}

/// What is known of tables besides the log.
pub trait Tables {
    /// The engine of a table; `None` where nothing is known.
    fn engine(&self, database: &str, table: &str) -> Option<Engine>;
    /// The SELECT of a view.
    fn view(&self, database: &str, table: &str) -> Option<String>;
    /// Whether it is divided into partitions.
    fn is_partitioned(&self, database: &str, table: &str) -> bool;
    /// Tables that change with it: children of foreign keys that cascade.
    fn children(&self, database: &str, table: &str) -> Vec<(String, String)>;
}

/// Nothing is known of any table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Tables for Nothing {
    fn engine(&self, _: &str, _: &str) -> Option<Engine> {
        None
    }
    fn view(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn is_partitioned(&self, _: &str, _: &str) -> bool {
        false
    }
    fn children(&self, _: &str, _: &str) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The log, ready to be replayed.
#[derive(Debug, Default)]
pub struct Log {
    /// Events in the order of the log.
    pub traces: Vec<Trace>,
    /// How many different results are asked for.
    pub keys: usize,
    /// Classes.
    pub classes: Vec<Class>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Sets of tables.
    pub sets: Sets,
    /// Connections.
    pub threads: usize,
    /// Events that were not kept: those behind the first ones that fill [`MOST_EVENTS`] or [`MOST_BYTES`].
    pub left_out: u64,
    /// Whether times are known to fractions of a second.
    pub is_fine: bool,
    /// Whether the log says what the cache did.
    pub tells_hits: bool,
    /// Whether `Bytes_sent` is logged.
    pub tells_bytes: bool,
    /// Whether `Rows_affected` is logged.
    pub tells_rows: bool,
    /// Least time of an event, in microseconds.
    pub least_micros: Option<u64>,
    /// The server logged one of so many statements.
    pub rate_limit: Option<u64>,
    /// Changes of the connection between neighbours.
    pub turns: u64,
    /// Microseconds of events that were served from the cache, as the log says; a sample.
    pub hit_micros: Vec<u32>,
    /// First and last time.
    pub window: Option<(i64, i64)>,
}

impl Log {
    /// The engine of a table.
    pub fn engine(&self, table: u32) -> Engine {
        self.tables.get(table as usize).map_or(Engine::InnoDb, |it| it.engine)
    }

    /// The tables that lose their results by an event, if it is no SELECT: those that it changes,
    /// and of MyISAM those that it would have changed.
    pub fn changed_by(&self, trace: &Trace) -> impl Iterator<Item = u32> {
        let marks = trace.marks;
        let all = marks.has(Marks::CHANGES) && !marks.has(Marks::CLEARS);
        let writes = marks.has(Marks::LOCKS) && !marks.intersects(Marks::SELECT, Marks::CHANGES);
        let tables = if all || writes { self.sets.get(trace.tables) } else { &[] };
        let of_myisam = move |table: &u32| all || self.engine(*table) == Engine::MyIsam;
        tables.iter().copied().filter(of_myisam)
    }
}
