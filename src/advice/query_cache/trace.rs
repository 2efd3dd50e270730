//! The log as the query cache sees it: a few numbers for each event, in the order of the log.
//!
//! Texts are kept as hashes of 128 bits, tables and keys as numbers. What depends on the connection
//! alone (its transaction, what it has set) is resolved here; what depends on the others is left to
//! the [`simulator`](super::simulator).

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState as Fast;
use foldhash::quality::FixedState as Quality;

use crate::event::{Event, Kind, Value};
use crate::metric::{self, MetricId, Registry};
use crate::sql::distill::TableName;
use crate::sql::fingerprint::{ClassId, fingerprint};
use crate::sql::token::{Kind as Piece, tokens};
use crate::time::SECOND;

use super::session::{Isolation, Session};
use super::settings::{Settings, Type};
use super::statement::{Does, Refusal, Select, Statement, read};

/// Most events that are kept: 72 bytes each.
pub const MOST_EVENTS: usize = 5_000_000;

const BYTES_SENT: MetricId = metric::known("Bytes_sent");
const ROWS_AFFECTED: MetricId = metric::known("Rows_affected");
const RATE_LIMIT: MetricId = metric::known("Log_slow_rate_limit");
const QC_HIT: MetricId = metric::known("QC_hit");
const QC_HIT_OF_PERCONA: MetricId = metric::known("QC_Hit");
const ERRNO: MetricId = metric::known("Errno");
const LAST_ERRNO: MetricId = metric::known("Last_errno");

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

    fn set(&mut self, other: Marks, is: bool) {
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
    /// The result it asks for; a number of [`Log::keys`].
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
    statement: Statement,
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
    pub sets: Vec<Vec<u32>>,
    /// Connections.
    pub threads: usize,
    /// Events that were not kept because there are too many.
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

/// Makes a [`Log`] of events.
pub struct Recorder<'t> {
    settings: Settings,
    known: &'t dyn Tables,
    log: Log,
    texts: HashMap<u128, u32, Fast>,
    plain: HashSet<u128, Fast>,
    classes: HashMap<[u8; 16], u32, Fast>,
    tables: HashMap<(Vec<u8>, Vec<u8>), u32, Fast>,
    sets: HashMap<Vec<u32>, u32, Fast>,
    keys: HashMap<u128, u32, Fast>,
    databases: HashMap<Vec<u8>, u32, Fast>,
    flags: HashMap<String, u32, Fast>,
    threads: HashMap<Vec<u8>, u32, Fast>,
    sessions: Vec<Session>,
    resolved: HashMap<(u32, u32), Resolved, Fast>,
    views: HashMap<u32, Vec<u32>, Fast>,
    hashers: [Quality; 2],
    routine: Option<MetricId>,
    last_in_routine: Option<(u32, u128)>,
    last_thread: Option<u32>,
    has_plans: bool,
}

/// The tables of a class in one database.
#[derive(Debug, Clone, Copy)]
struct Resolved {
    set: u32,
    refusal: Option<Refusal>,
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("events", &self.log.traces.len()).finish_non_exhaustive()
    }
}

impl<'t> Recorder<'t> {
    /// An empty log of a server with these settings.
    pub fn new(settings: Settings, known: &'t dyn Tables) -> Recorder<'t> {
        let hashers = [0x71_63_61, 0x71_63_62].map(Quality::with_seed);
        let mut log = Log::default();
        log.sets.push(Vec::new());
        Recorder {
            settings,
            known,
            log,
            texts: HashMap::default(),
            plain: HashSet::default(),
            classes: HashMap::default(),
            tables: HashMap::default(),
            sets: HashMap::from_iter([(Vec::new(), 0)]),
            keys: HashMap::default(),
            databases: HashMap::default(),
            flags: HashMap::from_iter([(String::new(), 0)]),
            threads: HashMap::default(),
            sessions: Vec::new(),
            resolved: HashMap::default(),
            views: HashMap::default(),
            hashers,
            routine: None,
            last_in_routine: None,
            last_thread: None,
            has_plans: false,
        }
    }

    /// Takes in what the banner of the log says of the server, where no variables do.
    pub fn server(&mut self, version: &str) {
        if self.settings.version.is_none() {
            self.settings.set_version(version);
        }
    }

    /// Takes in the next event.
    pub fn add(&mut self, event: &Event<'_>, registry: &Registry) {
        if self.log.traces.len() >= MOST_EVENTS {
            self.log.left_out += 1;
            return;
        }
        let thread = self.thread(event.thread_id.unwrap_or_default());
        let micros = event.query_time.and_then(|it| u64::try_from(it).ok()).unwrap_or(0);
        self.note_times(event, micros);
        if self.last_thread.is_some_and(|last| last != thread) {
            self.log.turns += 1;
        }
        self.last_thread = Some(thread);
        let mut trace = Trace {
            source: event.source,
            offset: event.offset,
            end: event.ts.map_or(i64::MIN, |ts| ts.0),
            micros,
            lock: event
                .number(metric::LOCK_TIME)
                .map_or(0, |it| u32::try_from(it.max(0)).unwrap_or(u32::MAX)),
            thread,
            marks: Marks::default(),
            key: 0,
            class: u32::MAX,
            tables: 0,
            bytes: 0,
            text: 0,
        };
        if event.kind == Kind::Administrator {
            if event.statement.ends_with(b"Quit") {
                trace.marks.set(Marks::ENDS, true);
                self.sessions[thread as usize] = Session::new(&self.settings);
            }
            self.log.traces.push(trace);
            return;
        }
        let (text, has_comments) = trimmed(event.statement);
        let text: &[u8] = text;
        let stripped;
        let keyed = match self.settings.strips_comments && has_comments {
            true => {
                stripped = without_comments(text);
                &stripped
            }
            false => text,
        };
        let hash = self.hash(&[keyed]);
        let in_routine = self.is_in_routine(event, registry);
        // A statement that a routine executes by PREPARE is logged twice.
        let is_again = in_routine && self.last_in_routine == Some((thread, hash));
        self.last_in_routine = (in_routine && !is_again).then_some((thread, hash));
        if is_again {
            self.log.traces.push(trace);
            return;
        }
        trace.class = self.class(text, hash);
        self.log.tells_bytes |= event.number(BYTES_SENT).is_some();
        let rows_affected = event.number(ROWS_AFFECTED);
        self.log.tells_rows |= rows_affected.is_some();
        let was_hit = self.was_hit(event);
        let bytes = result_bytes(event);
        if let Some(class) = self.log.classes.get_mut(trace.class as usize) {
            class.calls += 1;
            class.micros += micros;
            if was_hit != Some(true) {
                class.computed.0 += 1;
                class.computed.1 += micros;
            }
            class.results.0 += 1;
            class.results.1 += u64::from(bytes);
        }
        trace.marks.set(Marks::WAS_HIT, was_hit == Some(true));
        trace.bytes = bytes;
        self.act(event, &mut trace, keyed, hash);
        self.log.traces.push(trace);
    }

    /// The log.
    pub fn finish(mut self) -> (Log, Settings) {
        self.log.keys = self.keys.len();
        self.log.threads = self.sessions.len();
        (self.log, self.settings)
    }

    fn note_times(&mut self, event: &Event<'_>, micros: u64) {
        let log = &mut self.log;
        log.least_micros = Some(log.least_micros.map_or(micros, |least| least.min(micros)));
        let is_fine = |time: Option<crate::time::Timestamp>| {
            time.is_some_and(|time| time.0.rem_euclid(SECOND) != 0)
        };
        log.is_fine |= is_fine(event.ts) && is_fine(event.start);
        if let Some(ts) = event.ts {
            let (first, last) = log.window.unwrap_or((ts.0, ts.0));
            log.window = Some((first.min(ts.0), last.max(ts.0)));
        }
        if let Some(limit) = event.number(RATE_LIMIT).and_then(|it| u64::try_from(it).ok()) {
            log.rate_limit = log.rate_limit.max(Some(limit));
        }
        self.has_plans |= event.plan.is_some();
    }

    fn was_hit(&mut self, event: &Event<'_>) -> Option<bool> {
        let said = event.attributes.iter().find_map(|it| match it.value {
            Value::Flag(is) if it.metric == QC_HIT || it.metric == QC_HIT_OF_PERCONA => Some(is),
            _ => None,
        });
        if said == Some(true) {
            self.log.tells_hits = true;
            const MOST_TIMES: usize = 10_000;
            if self.log.hit_micros.len() < MOST_TIMES {
                let micros = event.query_time.unwrap_or(0);
                self.log.hit_micros.push(u32::try_from(micros).unwrap_or(u32::MAX));
            }
        }
        said
    }

    fn is_in_routine(&mut self, event: &Event<'_>, registry: &Registry) -> bool {
        if let Some(known) = self.routine {
            return event.attributes.iter().any(|it| it.metric == known);
        }
        let is = |id: MetricId| registry.name(id).eq_ignore_ascii_case(b"Stored_routine");
        let found = event.attributes.iter().find(|it| is(it.metric)).map(|it| it.metric);
        self.routine = found;
        found.is_some()
    }

    fn thread(&mut self, id: &[u8]) -> u32 {
        if let Some(number) = self.threads.get(id) {
            return *number;
        }
        let number = self.sessions.len() as u32;
        self.threads.insert(id.to_vec(), number);
        self.sessions.push(Session::new(&self.settings));
        number
    }

    fn hash(&self, parts: &[&[u8]]) -> u128 {
        let of = |state: &Quality| {
            let mut hasher = state.build_hasher();
            for part in parts {
                hasher.write(part);
                hasher.write_usize(part.len());
            }
            u128::from(hasher.finish())
        };
        let [one, other] = &self.hashers;
        of(one) << 64 | of(other)
    }

    /// The class of a statement; a text that comes again is not read again.
    fn class(&mut self, text: &[u8], hash: u128) -> u32 {
        if let Some(class) = self.texts.get(&hash) {
            return *class;
        }
        let id = ClassId::of(&fingerprint(text));
        let number = match self.classes.get(&id.0) {
            Some(number) => *number,
            None => {
                let number = self.log.classes.len() as u32;
                self.log.classes.push(class_of(id, text, self.settings.is_mariadb()));
                self.classes.insert(id.0, number);
                number
            }
        };
        self.texts.insert(hash, number);
        let is_select = self.log.classes.get(number as usize).is_some_and(|it| it.is_select);
        let is_new = is_select && {
            let plain = self.hash_of_tokens(text);
            self.plain.insert(plain)
        };
        if let Some(class) = self.log.classes.get_mut(number as usize) {
            class.texts += 1;
            class.plain_texts += u64::from(is_new);
        }
        number
    }

    /// A statement without comments, blanks and the case of its words.
    fn hash_of_tokens(&self, text: &[u8]) -> u128 {
        let [one, other] = &self.hashers;
        let mut hashers = [one.build_hasher(), other.build_hasher()];
        let mut lower = Vec::new();
        for token in tokens(text) {
            lower.clear();
            lower.extend_from_slice(token.of(text));
            if token.kind == Piece::Word {
                lower.make_ascii_lowercase();
            }
            for hasher in &mut hashers {
                hasher.write(&lower);
                hasher.write_usize(lower.len());
            }
        }
        let [one, other] = hashers;
        u128::from(one.finish()) << 64 | u128::from(other.finish())
    }

    /// What an event does, in the state that its connection is in.
    fn act(&mut self, event: &Event<'_>, trace: &mut Trace, keyed: &[u8], hash: u128) {
        let Some(class) = self.log.classes.get(trace.class as usize) else { return };
        let does = class.statement.does.clone();
        let database = event.database.unwrap_or_default();
        let place = trace.thread as usize;
        let marks = &mut trace.marks;
        match does {
            Does::Select(select) => self.select(event, trace, select, keyed, hash),
            Does::Write => {
                let resolved = self.resolve(trace.class, database);
                let is_temporary = self.is_temporary(trace.class, place);
                let marks = &mut trace.marks;
                let rows = event.number(ROWS_AFFECTED);
                let is_tables_locked = self.sessions[place].holds_tables;
                marks.set(Marks::IN_TRANSACTION, self.sessions[place].is_in_transaction());
                if !is_temporary {
                    trace.tables = resolved.set;
                    marks.set(Marks::LOCKS, true);
                    let failed = has_failed(event);
                    marks.set(Marks::CHANGES, !failed && rows != Some(0));
                }
                if is_tables_locked {
                    marks.set(Marks::IN_TRANSACTION, false);
                }
            }
            Does::Define | Does::DefineView(_) | Does::FlushTables => {
                trace.tables = self.resolve(trace.class, database).set;
                let is_flush = does == Does::FlushTables;
                let is_all = is_flush && trace.tables == 0;
                let marks = &mut trace.marks;
                marks.set(Marks::ENDS, !is_flush);
                marks.set(Marks::CLEARS, is_all);
                marks.set(Marks::CHANGES, true);
                marks.set(Marks::DEFINES, true);
                if let Does::DefineView(Some(name)) = &does {
                    let view = self.table(name, database);
                    let behind = self.log.sets.get(trace.tables as usize).cloned();
                    self.views.insert(view, behind.unwrap_or_default());
                    self.resolved.clear();
                    trace.tables = self.set_of(vec![view]);
                }
                if !is_flush {
                    self.sessions[place].end(false);
                }
            }
            Does::Drop { is_temporary } => {
                let names = class.statement.tables.clone();
                let session = &mut self.sessions[place];
                let dropped = names.iter().filter(|it| session.temporary.remove(&lower(&it.name)));
                let own = dropped.count();
                if !is_temporary && own < names.len() {
                    trace.tables = self.resolve(trace.class, database).set;
                    trace.marks.set(Marks::ENDS, true);
                    trace.marks.set(Marks::CHANGES, true);
                    trace.marks.set(Marks::DEFINES, true);
                    self.sessions[place].end(false);
                }
            }
            Does::DropDatabase(name) => {
                let prefix = format!("{}.", String::from_utf8_lossy(&name));
                let tables = self.log.tables.iter().enumerate();
                let gone = tables.filter(|(_, it)| it.name.starts_with(&prefix));
                let gone = gone.map(|(number, _)| number as u32).collect();
                trace.tables = self.set_of(gone);
                trace.marks.set(Marks::ENDS, true);
                trace.marks.set(Marks::CHANGES, true);
                trace.marks.set(Marks::DEFINES, true);
                self.sessions[place].end(false);
            }
            Does::CreateTemporary => {
                let names = class.statement.tables.iter().map(|it| lower(&it.name));
                let names: Vec<Vec<u8>> = names.collect();
                const MOST_TEMPORARY: usize = 10_000;
                let session = &mut self.sessions[place];
                if session.temporary.len() < MOST_TEMPORARY {
                    session.temporary.extend(names);
                }
            }
            Does::Reset => {
                marks.set(Marks::CLEARS, true);
                marks.set(Marks::CHANGES, true);
            }
            Does::LockTables => {
                marks.set(Marks::ENDS, true);
                self.sessions[place].end(false);
                self.sessions[place].holds_tables = true;
            }
            Does::UnlockTables => {
                let session = &mut self.sessions[place];
                marks.set(Marks::ENDS, session.holds_tables);
                session.holds_tables = false;
            }
            Does::Begin { has_snapshot } => {
                let session = &mut self.sessions[place];
                marks.set(Marks::ENDS, true);
                marks.set(Marks::SEES, has_snapshot);
                marks.set(Marks::IN_TRANSACTION, has_snapshot);
                session.end(true);
                session.holds_tables = false;
            }
            Does::End { begins } => {
                marks.set(Marks::ENDS, true);
                self.sessions[place].end(begins);
            }
            Does::Set => {
                let session = &mut self.sessions[place];
                let effect = session.set(event.statement, &self.settings);
                marks.set(Marks::ENDS, effect.commits);
                if effect.commits {
                    session.end(false);
                }
                if effect.changes_key {
                    let keyed = session.keyed();
                    let next = self.flags.len() as u32;
                    session.flags = *self.flags.entry(keyed).or_insert(next);
                }
            }
            Does::Call | Does::Other => {}
        }
    }

    fn select(
        &mut self,
        event: &Event<'_>,
        trace: &mut Trace,
        select: Select,
        keyed: &[u8],
        hash: u128,
    ) {
        let database = event.database.unwrap_or_default();
        let resolved = self.resolve(trace.class, database);
        let is_temporary = self.is_temporary(trace.class, trace.thread as usize);
        let session = &self.sessions[trace.thread as usize];
        let in_transaction = session.is_in_transaction() && !session.holds_tables;
        let isolation = session.isolation();
        let is_asked = session.kind != Type::Off && !select.says_no && !session.holds_tables;
        let is_wanted = session.kind != Type::Demand || select.says_yes;
        let is_kept = resolved.refusal.is_none()
            && !is_temporary
            && is_wanted
            && !(in_transaction && isolation == Isolation::Serializable);
        let flags = session.flags;
        let transaction =
            u8::from(session.is_in_transaction()) | u8::from(session.is_autocommit) << 1;
        let marks = &mut trace.marks;
        marks.set(Marks::SELECT, true);
        marks.set(Marks::ASKED, is_asked);
        marks.set(Marks::STORABLE, is_asked && is_kept);
        marks.set(Marks::IN_TRANSACTION, in_transaction);
        let has_tables = resolved.set != 0;
        marks.set(
            Marks::SEES,
            in_transaction && isolation == Isolation::Repeatable && !select.locks && has_tables,
        );
        marks.set(
            Marks::LOCKS,
            select.locks || (in_transaction && isolation == Isolation::Serializable),
        );
        // Where the log has plans, what has neither plan nor rows came to nothing.
        let is_nothing = [metric::ROWS_SENT, metric::ROWS_EXAMINED]
            .iter()
            .all(|metric| event.number(*metric) == Some(0));
        let failed = has_failed(event) || (self.has_plans && event.plan.is_none() && is_nothing);
        marks.set(Marks::FAILED, failed);
        marks.set(Marks::SPOILT, failed || has_warnings(event));
        trace.tables = resolved.set;
        let number = self.database(database);
        trace.text = u32::try_from(keyed.len() + database.len()).unwrap_or(u32::MAX);
        if trace.marks.has(Marks::STORABLE) {
            let key = self.hash(&[
                &hash.to_le_bytes(),
                &number.to_le_bytes(),
                &flags.to_le_bytes(),
                &[transaction],
            ]);
            let next = self.keys.len() as u32;
            trace.key = *self.keys.entry(key).or_insert(next);
        }
    }

    fn database(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.databases.get(name) {
            return *number;
        }
        let number = self.databases.len() as u32;
        self.databases.insert(name.to_vec(), number);
        number
    }

    /// Whether a class of statements reads or writes a temporary table of a connection.
    fn is_temporary(&self, class: u32, thread: usize) -> bool {
        let temporary = match self.sessions.get(thread) {
            Some(session) if !session.temporary.is_empty() => &session.temporary,
            _ => return false,
        };
        let class = self.log.classes.get(class as usize);
        class.is_some_and(|it| {
            it.statement.tables.iter().any(|it| temporary.contains(&lower(&it.name)))
        })
    }

    /// The tables of a class in a database, and what the tables keep out of the cache.
    fn resolve(&mut self, class: u32, database: &[u8]) -> Resolved {
        let number = self.database(database);
        if let Some(resolved) = self.resolved.get(&(class, number)) {
            return *resolved;
        }
        let Some(of) = self.log.classes.get(class as usize) else {
            return Resolved { set: 0, refusal: Some(Refusal::NoTable) };
        };
        let (mut refusal, is_select) = (of.refusal, of.is_select);
        let names = of.statement.tables.clone();
        let mut tables = Vec::new();
        let mut open: Vec<u32> = names.iter().map(|name| self.table(name, database)).collect();
        let is_system =
            names.iter().any(|name| is_system(name.database.as_deref().unwrap_or(database)));
        if is_system && is_select {
            refusal.get_or_insert(Refusal::SystemTable);
        }
        let is_partitioned = |table: &u32| {
            let name = self.log.tables.get(*table as usize).map_or("", |it| it.name.as_str());
            let (database, name) = name.split_once('.').unwrap_or(("", name));
            self.known.is_partitioned(database, name)
        };
        if is_select && !self.settings.is_mariadb() && open.iter().any(is_partitioned) {
            refusal.get_or_insert(Refusal::Partitioned);
        }
        // A view stands for itself and for what is behind it; a name is taken once.
        while let Some(table) = open.pop() {
            if tables.contains(&table) {
                continue;
            }
            tables.push(table);
            const MOST_TABLES: usize = 1_000;
            if tables.len() > MOST_TABLES {
                break;
            }
            open.extend(self.behind(table, is_select));
        }
        tables.sort_unstable();
        let set = self.set_of(tables);
        let resolved = Resolved { set, refusal };
        const MOST_RESOLVED: usize = 1_000_000;
        if self.resolved.len() < MOST_RESOLVED {
            self.resolved.insert((class, number), resolved);
        }
        resolved
    }

    /// The tables behind a view; of a write those that change with a table.
    fn behind(&mut self, table: u32, is_select: bool) -> Vec<u32> {
        if let Some(behind) = self.views.get(&table) {
            return behind.clone();
        }
        let Some(of) = self.log.tables.get(table as usize) else { return Vec::new() };
        let (database, name) = match of.name.split_once('.') {
            Some((database, name)) => (database.to_owned(), name.to_owned()),
            None => (String::new(), of.name.clone()),
        };
        if let Some(query) = self.known.view(&database, &name) {
            let names = crate::sql::distill::tables(query.as_bytes());
            let tables = names.iter().map(|it| self.table(it, database.as_bytes())).collect();
            self.views.insert(table, tables);
            return self.views.get(&table).cloned().unwrap_or_default();
        }
        if is_select {
            return Vec::new();
        }
        let children = self.known.children(&database, &name);
        let named = children.into_iter().map(|(database, name)| TableName {
            database: (!database.is_empty()).then(|| database.into_bytes()),
            name: name.into_bytes(),
        });
        let named: Vec<TableName> = named.collect();
        named.iter().map(|it| self.table(it, database.as_bytes())).collect()
    }

    fn table(&mut self, name: &TableName, database: &[u8]) -> u32 {
        let database = name.database.as_deref().unwrap_or(database);
        let key = (database.to_vec(), name.name.clone());
        if let Some(number) = self.tables.get(&key) {
            return *number;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (database, own) = (text(database), text(&name.name));
        let engine = self.known.engine(&database, &own).unwrap_or_default();
        let full = if database.is_empty() { own } else { format!("{database}.{own}") };
        let number = self.log.tables.len() as u32;
        self.log.tables.push(Table { name: full, engine });
        self.tables.insert(key, number);
        number
    }

    fn set_of(&mut self, tables: Vec<u32>) -> u32 {
        if let Some(number) = self.sets.get(&tables) {
            return *number;
        }
        let number = self.log.sets.len() as u32;
        self.log.sets.push(tables.clone());
        self.sets.insert(tables, number);
        number
    }
}

fn class_of(id: ClassId, text: &[u8], is_mariadb: bool) -> Class {
    let statement = read(text, is_mariadb);
    let (is_select, refusal) = match &statement.does {
        Does::Select(select) => (true, select.refusal),
        _ => (false, None),
    };
    Class {
        id,
        refusal,
        is_select,
        calls: 0,
        micros: 0,
        texts: 0,
        plain_texts: 0,
        computed: (0, 0),
        results: (0, 0),
        statement,
    }
}

fn lower(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

/// The databases of the server itself.
fn is_system(database: &[u8]) -> bool {
    const OWN: &[&[u8]] = &[b"mysql", b"information_schema", b"performance_schema", b"sys"];
    OWN.iter().any(|own| database.eq_ignore_ascii_case(own))
}

/// Whether the log says that a statement failed.
fn has_failed(event: &Event<'_>) -> bool {
    [ERRNO, LAST_ERRNO].iter().any(|code| event.number(*code).is_some_and(|it| it != 0))
}

/// Bytes of a result: as sent, or 100 a row and 80 besides.
fn result_bytes(event: &Event<'_>) -> u32 {
    let sent = event.number(BYTES_SENT);
    let guess =
        || event.number(metric::ROWS_SENT).unwrap_or(0).saturating_mul(100).saturating_add(80);
    u32::try_from(sent.unwrap_or_else(guess).max(0)).unwrap_or(u32::MAX)
}

/// Whether the server wrote warnings above the statement: they stand right before its SET lines.
///
/// ```text
/// # Warnings
/// # Warning 1365 Division by 0
/// SET timestamp=1714550400;
/// ```
fn has_warnings(event: &Event<'_>) -> bool {
    let start = (event.statement.as_ptr() as usize).wrapping_sub(event.buffer.as_ptr() as usize);
    let Some(mut head) = event.buffer.get(..start) else { return false };
    // `use`, SET timestamp, SET insert_id and the like.
    for _ in 0..4 {
        let line_end = head.strip_suffix(b"\n").unwrap_or(head);
        let line_start = memchr::memrchr(b'\n', line_end).map_or(0, |at| at + 1);
        let line = line_end.get(line_start..).unwrap_or_default();
        if line.starts_with(b"#") {
            let levels = [&b"# Warning "[..], b"# Error ", b"# Note "];
            return levels.iter().any(|level| line.starts_with(level));
        }
        head = head.get(..line_start).unwrap_or_default();
    }
    false
}

/// A statement as the server makes a key of it: without blanks and `;` at its ends; and whether it
/// may hold comments.
fn trimmed(statement: &[u8]) -> (&[u8], bool) {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';' || *byte == 0;
    let end = statement.iter().rposition(|byte| !is_end(byte)).map_or(0, |at| at + 1);
    let text = statement.get(..end).unwrap_or_default().trim_ascii_start();
    (text, memchr::memchr3(b'/', b'#', b'-', text).is_some())
}

/// A statement without its comments, as `query_cache_strip_comments` makes it.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(text) {
        let between = text.get(end..token.start).unwrap_or_default();
        if between.iter().any(u8::is_ascii_whitespace) && !out.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(token.of(text));
        end = token.end;
    }
    out
}
