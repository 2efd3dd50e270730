//! Makes the [`Log`] of a query cache of events.
//!
//! What depends on a connection alone, its transaction and what it has set, is resolved here. What
//! an outline or a text came to before is not read again.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState as Fast;
use hashbrown::HashTable;

use crate::event::{Event, Kind, Value};
use crate::metric::{self, MetricId, Registry};
use crate::sql::distill::TableName;
use crate::sql::fingerprint::{ClassId, fingerprint};
use crate::sql::outline::{Mode, outline};
use crate::sql::token::{Kind as Piece, tokens};
use crate::time::SECOND;

use super::numbers::{Budget, Print, Printer, SetNumbers, Texts};
use super::session::{Isolation, Keyed, Session};
use super::settings::{Settings, Type};
use super::statement::{Does, Refusal, Select, Statement, read};
use super::trace::{Class, Log, MOST_BYTES, MOST_EVENTS, Marks, Table, Tables, Trace};

const BYTES_SENT: MetricId = metric::known("Bytes_sent");
const ROWS_AFFECTED: MetricId = metric::known("Rows_affected");
const RATE_LIMIT: MetricId = metric::known("Log_slow_rate_limit");
const QC_HIT: MetricId = metric::known("QC_hit");
const QC_HIT_OF_PERCONA: MetricId = metric::known("QC_Hit");
const ERRNO: MetricId = metric::known("Errno");
const LAST_ERRNO: MetricId = metric::known("Last_errno");

/// Tables of a statement that are looked at.
const MOST_TABLES: usize = 1_000;

/// Makes a [`Log`] of events.
pub struct Recorder<'t> {
    settings: Settings,
    known: &'t dyn Tables,
    log: Log,
    budget: Budget,
    most_events: usize,
    printer: Printer,
    texts: Texts,
    plain: HashSet<u64, Fast>,
    outlines: HashMap<Print, u32, Fast>,
    outline: Vec<u8>,
    classes: HashMap<[u8; 16], u32, Fast>,
    statements: Statements,
    tables: HashMap<(u32, Vec<u8>), u32, Fast>,
    homes: Vec<Home>,
    sets: SetNumbers,
    databases: Databases,
    /// What is set besides the text, by database, [`Session::flags`] and state of the transaction.
    contexts: HashMap<(u32, u32, u8), u32, Fast>,
    flags: HashMap<Arc<Keyed>, u32, Fast>,
    threads: HashMap<u64, u32, Fast>,
    sessions: Vec<Session>,
    /// A connection as it begins.
    fresh: Session,
    resolved: HashMap<(u32, u32), Resolved, Fast>,
    views: HashMap<u32, View, Fast>,
    /// How often a view was defined or a database dropped.
    changes: u32,
    routine: Option<MetricId>,
    last_in_routine: Option<(u32, Print)>,
    last_thread: Option<u32>,
    has_plans: bool,
}

/// The tables of a statement in one database.
#[derive(Debug, Clone, Copy)]
struct Resolved {
    set: u32,
    refusal: Option<Refusal>,
    /// The [`Recorder::changes`] up to which it is known to hold.
    as_of: u32,
}

/// What is behind a view.
#[derive(Debug, Clone)]
struct View {
    tables: Arc<[u32]>,
    /// The [`Recorder::changes`] when the log defined it: its tables are all that was behind it then,
    /// views behind views too. 0 for one of the schema: its tables are those that its text names.
    made: u32,
}

/// The database of a table.
#[derive(Debug, Clone, Copy)]
struct Home {
    database: u32,
    /// Whether it stands among the tables of its database, which DROP DATABASE takes along.
    is_listed: bool,
    /// The [`Recorder::changes`] when it was defined as a view or dropped with its database.
    changed: u32,
}

/// What statements say, each once: classes differ in more than that.
#[derive(Debug, Default)]
struct Statements {
    read: Vec<Statement>,
    numbers: HashTable<u32>,
    hasher: Fast,
}

impl Statements {
    fn get(&self, number: u32) -> Option<&Statement> {
        self.read.get(number as usize)
    }

    fn number(&mut self, statement: Statement, budget: &mut Budget) -> u32 {
        let hash = self.hasher.hash_one(&statement);
        let read = &self.read;
        let is_it = |it: &u32| read.get(*it as usize) == Some(&statement);
        if let Some(number) = self.numbers.find(hash, is_it) {
            return *number;
        }
        let bytes_of = |it: &TableName| it.name.len() + it.database.as_ref().map_or(0, Vec::len);
        let names: usize = statement.tables.iter().map(|it| 96 + bytes_of(it)).sum();
        budget.charge(160 + names);
        let number = self.read.len() as u32;
        self.read.push(statement);
        let (read, hasher) = (&self.read, &self.hasher);
        let again = |it: &u32| read.get(*it as usize).map_or(0, |it| hasher.hash_one(it));
        self.numbers.insert_unique(hash, number, again);
        number
    }
}

/// Names of databases, and the tables of each.
#[derive(Debug, Default)]
struct Databases {
    numbers: HashMap<Vec<u8>, u32, Fast>,
    tables: Vec<Vec<u32>>,
    /// The one asked for last, which the next event is most likely of.
    last: Option<(Vec<u8>, u32)>,
}

impl Databases {
    fn number(&mut self, name: &[u8], budget: &mut Budget) -> u32 {
        if let Some((_, number)) = self.last.as_ref().filter(|(last, _)| last == name) {
            return *number;
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                budget.charge(160 + name.len());
                let number = self.tables.len() as u32;
                self.numbers.insert(name.to_vec(), number);
                self.tables.push(Vec::new());
                number
            }
        };
        self.last = Some((name.to_vec(), number));
        number
    }
}

/// The attributes of an event that matter here.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    lock: i128,
    bytes_sent: Option<i128>,
    rows_affected: Option<i128>,
    rows_sent: Option<i128>,
    rows_examined: Option<i128>,
    rate_limit: Option<i128>,
    was_hit: Option<bool>,
    has_failed: bool,
}

impl Figures {
    fn of(event: &Event<'_>) -> Figures {
        let mut figures = Figures::default();
        for attribute in event.attributes {
            match (attribute.metric, attribute.value) {
                (metric::LOCK_TIME, Value::Number(it)) => figures.lock = it,
                (metric::ROWS_SENT, Value::Number(it)) => figures.rows_sent = Some(it),
                (metric::ROWS_EXAMINED, Value::Number(it)) => figures.rows_examined = Some(it),
                (BYTES_SENT, Value::Number(it)) => figures.bytes_sent = Some(it),
                (ROWS_AFFECTED, Value::Number(it)) => figures.rows_affected = Some(it),
                (RATE_LIMIT, Value::Number(it)) => figures.rate_limit = Some(it),
                (ERRNO | LAST_ERRNO, Value::Number(it)) => figures.has_failed |= it != 0,
                (QC_HIT | QC_HIT_OF_PERCONA, Value::Flag(is)) => figures.was_hit = Some(is),
                _ => {}
            }
        }
        figures
    }

    /// Bytes of a result: as sent, or 100 a row and 80 besides.
    fn result_bytes(&self) -> u32 {
        let guess = || self.rows_sent.unwrap_or(0).saturating_mul(100).saturating_add(80);
        u32::try_from(self.bytes_sent.unwrap_or_else(guess).max(0)).unwrap_or(u32::MAX)
    }
}

impl std::fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("events", &self.log.traces.len()).finish_non_exhaustive()
    }
}

impl<'t> Recorder<'t> {
    /// An empty log of a server with these settings.
    pub fn new(settings: Settings, known: &'t dyn Tables) -> Recorder<'t> {
        let fresh = Session::new(&settings);
        Recorder {
            settings,
            known,
            log: Log::default(),
            budget: Budget::of(MOST_BYTES),
            most_events: MOST_EVENTS,
            printer: Printer::default(),
            texts: Texts::default(),
            plain: HashSet::default(),
            outlines: HashMap::default(),
            outline: Vec::new(),
            classes: HashMap::default(),
            statements: Statements::default(),
            tables: HashMap::default(),
            homes: Vec::new(),
            sets: SetNumbers::default(),
            databases: Databases::default(),
            contexts: HashMap::default(),
            flags: HashMap::from_iter([(Arc::default(), 0)]),
            threads: HashMap::default(),
            sessions: Vec::new(),
            fresh,
            resolved: HashMap::default(),
            views: HashMap::default(),
            changes: 0,
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
        // What comes behind is left out whole: the log is replayed to a point, and right up to it.
        if self.log.left_out > 0
            || self.log.traces.len() >= self.most_events
            || self.budget.is_spent()
        {
            self.log.left_out += 1;
            return;
        }
        let thread = self.thread(event.thread_id.unwrap_or_default());
        let micros = event.query_time.and_then(|it| u64::try_from(it).ok()).unwrap_or(0);
        let figures = Figures::of(event);
        self.note_times(event, &figures, micros);
        if self.last_thread.is_some_and(|last| last != thread) {
            self.log.turns += 1;
        }
        self.last_thread = Some(thread);
        let mut trace = Trace {
            source: event.source,
            offset: event.offset,
            end: event.ts.map_or(i64::MIN, |ts| ts.0),
            micros,
            lock: u32::try_from(figures.lock.max(0)).unwrap_or(u32::MAX),
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
                self.close(thread);
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
        let print = self.printer.print(keyed);
        let in_routine = self.is_in_routine(event, registry);
        // A statement that a routine executes by PREPARE is logged twice.
        let is_again = in_routine && self.last_in_routine == Some((thread, print));
        self.last_in_routine = (in_routine && !is_again).then_some((thread, print));
        if is_again {
            self.log.traces.push(trace);
            return;
        }
        trace.class = self.class(text, print);
        self.log.tells_bytes |= figures.bytes_sent.is_some();
        self.log.tells_rows |= figures.rows_affected.is_some();
        let is_hit = figures.was_hit == Some(true);
        let bytes = figures.result_bytes();
        let mut statement = 0;
        if let Some(class) = self.log.classes.get_mut(trace.class as usize) {
            class.calls += 1;
            class.micros += micros;
            if !is_hit {
                class.computed.0 += 1;
                class.computed.1 += micros;
            }
            class.results.0 += 1;
            class.results.1 += u64::from(bytes);
            statement = class.statement;
        }
        trace.marks.set(Marks::WAS_HIT, is_hit);
        trace.bytes = bytes;
        self.act(event, &figures, &mut trace, statement, Keying { print, length: keyed.len() });
        self.log.traces.push(trace);
    }

    /// The log.
    pub fn finish(mut self) -> (Log, Settings) {
        self.log.keys = self.texts.keys();
        self.log.threads = self.sessions.len();
        (self.log, self.settings)
    }

    fn note_times(&mut self, event: &Event<'_>, figures: &Figures, micros: u64) {
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
        if let Some(limit) = figures.rate_limit.and_then(|it| u64::try_from(it).ok()) {
            log.rate_limit = log.rate_limit.max(Some(limit));
        }
        self.has_plans |= event.plan.is_some();
    }

    /// Of SELECTs alone: a CALL has the flag of its last statement, and the time of all of them.
    fn note_hit(&mut self, figures: &Figures, micros: u64) {
        const MOST_TIMES: usize = 10_000;
        if figures.was_hit == Some(true) {
            self.log.tells_hits = true;
            if self.log.hit_micros.len() < MOST_TIMES {
                self.log.hit_micros.push(u32::try_from(micros).unwrap_or(u32::MAX));
            }
        }
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
        let id = self.printer.thread(id);
        let next = self.sessions.len() as u32;
        let number = *self.threads.entry(id).or_insert(next);
        if number == next {
            self.sessions.push(self.fresh.clone());
        }
        number
    }

    /// A connection is gone; one that has its ID later begins anew.
    fn close(&mut self, thread: u32) {
        if let Some(session) = self.sessions.get_mut(thread as usize) {
            let old = std::mem::replace(session, self.fresh.clone());
            self.budget
                .give_back(old.temporary.iter().map(|name| PER_TEMPORARY + name.len()).sum());
        }
    }

    /// The class of a statement; a text that comes again is not read again.
    fn class(&mut self, text: &[u8], print: Print) -> u32 {
        if let Some(class) = self.texts.class(print) {
            return class;
        }
        let number = self.class_of_new(text);
        self.texts.add(print, number);
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

    /// The class of a text that was not there before: that of its outline, if there is one.
    fn class_of_new(&mut self, text: &[u8]) -> u32 {
        const MOST_OUTLINES: usize = 65_536;
        let mut sketch = std::mem::take(&mut self.outline);
        let drawn = outline(text, Mode::Default, &mut sketch).then(|| self.printer.print(&sketch));
        self.outline = sketch;
        if let Some(class) = drawn.and_then(|drawn| self.outlines.get(&drawn)) {
            return *class;
        }
        let id = ClassId::of(&fingerprint(text));
        let number = match self.classes.get(&id.0) {
            Some(number) => *number,
            None => {
                const PER_CLASS: usize = 224;
                self.budget.charge(PER_CLASS);
                let number = self.log.classes.len() as u32;
                let class = self.new_class(id, text);
                self.log.classes.push(class);
                self.classes.insert(id.0, number);
                number
            }
        };
        if let Some(drawn) = drawn.filter(|_| self.outlines.len() < MOST_OUTLINES) {
            self.outlines.insert(drawn, number);
        }
        number
    }

    fn new_class(&mut self, id: ClassId, text: &[u8]) -> Class {
        let mut statement = read(text, self.settings.is_mariadb());
        statement.tables.truncate(MOST_TABLES);
        statement.tables.shrink_to_fit();
        let (is_select, refusal) = match &statement.does {
            Does::Select(select) => (true, select.refusal),
            _ => (false, None),
        };
        let statement = self.statements.number(statement, &mut self.budget);
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

    /// A statement without comments, blanks and the case of its words.
    fn hash_of_tokens(&self, text: &[u8]) -> u64 {
        let mut hasher = self.printer.hasher();
        let mut lower = Vec::new();
        for token in tokens(text) {
            let mut piece = token.of(text);
            if token.kind == Piece::Word {
                lower.clear();
                lower.extend_from_slice(piece);
                lower.make_ascii_lowercase();
                piece = &lower;
            }
            hasher.write(piece);
            hasher.write_usize(piece.len());
        }
        hasher.finish()
    }

    /// What an event does, in the state that its connection is in.
    fn act(
        &mut self,
        event: &Event<'_>,
        figures: &Figures,
        trace: &mut Trace,
        statement: u32,
        keying: Keying,
    ) {
        let Some(read) = self.statements.get(statement) else { return };
        if let Does::Select(select) = read.does {
            self.select(event, figures, trace, (statement, select), keying);
            return;
        }
        if read.does == Does::Write {
            self.write(event, figures, trace, statement);
            return;
        }
        let does = read.does.clone();
        let database = event.database.unwrap_or_default();
        let place = trace.thread as usize;
        let marks = &mut trace.marks;
        match does {
            Does::Define | Does::DefineView(_) | Does::FlushTables => {
                trace.tables = self.resolve(statement, database).set;
                let is_flush = does == Does::FlushTables;
                let is_all = is_flush && trace.tables == 0;
                marks.set(Marks::ENDS, !is_flush);
                marks.set(Marks::CLEARS, is_all);
                marks.set(Marks::CHANGES, true);
                marks.set(Marks::DEFINES, true);
                if let Does::DefineView(Some(name)) = &does {
                    let view = self.table(name, database);
                    let behind = Arc::from(self.log.sets.get(trace.tables));
                    self.changes += 1;
                    self.keep_view(view, behind, self.changes);
                    self.mark_changed(view);
                    trace.tables = self.set_of(&[view]);
                }
                if !is_flush {
                    self.sessions[place].end(false);
                }
            }
            Does::Drop { is_temporary } => {
                let names = read.tables.clone();
                let session = &mut self.sessions[place];
                let mut own = 0;
                for name in names.iter().map(|it| lower(&it.name)) {
                    if session.temporary.remove(&name) {
                        self.budget.give_back(PER_TEMPORARY + name.len());
                        own += 1;
                    }
                }
                if !is_temporary && own < names.len() {
                    trace.tables = self.resolve(statement, database).set;
                    trace.marks.set(Marks::ENDS, true);
                    trace.marks.set(Marks::CHANGES, true);
                    trace.marks.set(Marks::DEFINES, true);
                    self.sessions[place].end(false);
                }
            }
            Does::DropDatabase(name) => {
                let gone = self.drop_database(&name);
                trace.tables = self.set_of(&gone);
                trace.marks.set(Marks::ENDS, true);
                trace.marks.set(Marks::CHANGES, true);
                trace.marks.set(Marks::DEFINES, true);
                self.sessions[place].end(false);
            }
            Does::CreateTemporary => {
                const MOST_TEMPORARY: usize = 10_000;
                let names = read.tables.iter().map(|it| lower(&it.name));
                let session = &mut self.sessions[place];
                for name in names {
                    let length = name.len();
                    if session.temporary.len() < MOST_TEMPORARY && session.temporary.insert(name) {
                        self.budget.charge(PER_TEMPORARY + length);
                    }
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
                session.begin();
                session.holds_tables = false;
            }
            Does::End { begins } => {
                marks.set(Marks::ENDS, true);
                self.sessions[place].end(begins);
            }
            Does::Set => self.set(event, trace),
            Does::Select(_) | Does::Write | Does::Call | Does::Other => {}
        }
    }

    fn set(&mut self, event: &Event<'_>, trace: &mut Trace) {
        let session = &mut self.sessions[trace.thread as usize];
        let effect = session.set(event.statement, &self.settings);
        trace.marks.set(Marks::ENDS, effect.commits);
        if effect.commits {
            session.end(false);
        }
        if !effect.changes_key {
            return;
        }
        // Connections that have set the same share it.
        match self.flags.get_key_value(&session.keyed) {
            Some((keyed, number)) => {
                session.keyed = Arc::clone(keyed);
                session.flags = *number;
            }
            None => {
                let bytes: usize = session.keyed.values().map(|it| 64 + it.len()).sum();
                self.budget.charge(640 + bytes);
                session.flags = self.flags.len() as u32;
                self.flags.insert(Arc::clone(&session.keyed), session.flags);
            }
        }
    }

    fn write(&mut self, event: &Event<'_>, figures: &Figures, trace: &mut Trace, statement: u32) {
        let resolved = self.resolve(statement, event.database.unwrap_or_default());
        let is_temporary = self.is_temporary(statement, trace.thread);
        let session = &self.sessions[trace.thread as usize];
        let marks = &mut trace.marks;
        let in_transaction = session.is_in_transaction() && !session.holds_tables;
        marks.set(Marks::IN_TRANSACTION, in_transaction);
        if !is_temporary {
            trace.tables = resolved.set;
            marks.set(Marks::LOCKS, true);
            let changes = !figures.has_failed && figures.rows_affected != Some(0);
            marks.set(Marks::CHANGES, changes);
        }
        self.reach(trace);
    }

    fn select(
        &mut self,
        event: &Event<'_>,
        figures: &Figures,
        trace: &mut Trace,
        (statement, select): (u32, Select),
        keying: Keying,
    ) {
        self.note_hit(figures, trace.micros);
        let database = event.database.unwrap_or_default();
        let resolved = self.resolve(statement, database);
        let is_temporary = self.is_temporary(statement, trace.thread);
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
        let is_nothing = figures.rows_sent == Some(0) && figures.rows_examined == Some(0);
        let came_to_nothing = self.has_plans && event.plan.is_none() && is_nothing;
        let failed = figures.has_failed || (came_to_nothing && !marks.has(Marks::WAS_HIT));
        marks.set(Marks::FAILED, failed);
        trace.tables = resolved.set;
        trace.text = u32::try_from(keying.length + database.len()).unwrap_or(u32::MAX);
        if marks.has(Marks::STORABLE) {
            marks.set(Marks::SPOILT, failed || has_warnings(event));
            let number = self.databases.number(database, &mut self.budget);
            let next = self.contexts.len() as u32;
            let context = *self.contexts.entry((number, flags, transaction)).or_insert(next);
            if context == next {
                self.budget.charge(40);
            }
            trace.key = self.texts.key(keying.print, context);
        }
        self.reach(trace);
    }

    /// What the cache answers does not reach the tables; where the log does not tell, all do.
    fn reach(&mut self, trace: &Trace) {
        let session = self.sessions.get_mut(trace.thread as usize);
        if let Some(session) =
            session.filter(|_| trace.tables != 0 && !trace.marks.has(Marks::WAS_HIT))
        {
            session.reach();
        }
    }

    /// Whether a statement reads or writes a temporary table of a connection.
    fn is_temporary(&self, statement: u32, thread: u32) -> bool {
        let temporary = match self.sessions.get(thread as usize) {
            Some(session) if !session.temporary.is_empty() => &session.temporary,
            _ => return false,
        };
        let read = self.statements.get(statement);
        read.is_some_and(|it| it.tables.iter().any(|it| temporary.contains(&lower(&it.name))))
    }

    /// The tables of a statement in a database, and what the tables keep out of the cache.
    fn resolve(&mut self, statement: u32, database: &[u8]) -> Resolved {
        let number = self.databases.number(database, &mut self.budget);
        if let Some(resolved) = self.still_resolved(statement, number) {
            return resolved;
        }
        let as_of = self.changes;
        let Some(of) = self.statements.get(statement) else {
            return Resolved { set: 0, refusal: Some(Refusal::NoTable), as_of };
        };
        let (is_select, mut refusal) = match &of.does {
            Does::Select(select) => (true, select.refusal),
            _ => (false, None),
        };
        let names = of.tables.clone();
        let open: Vec<u32> = names.iter().map(|name| self.table(name, database)).collect();
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
        let tables = self.with_what_is_behind(open, is_select);
        let set = self.set_of(&tables);
        let resolved = Resolved { set, refusal, as_of };
        const MOST_RESOLVED: usize = 1_000_000;
        if self.resolved.len() < MOST_RESOLVED {
            self.resolved.insert((statement, number), resolved);
        }
        resolved
    }

    /// What a statement was resolved to, if none of its tables was defined anew or dropped since.
    fn still_resolved(&mut self, statement: u32, database: u32) -> Option<Resolved> {
        let resolved = self.resolved.get_mut(&(statement, database))?;
        let holds = |table: &u32| {
            self.homes.get(*table as usize).is_some_and(|home| home.changed <= resolved.as_of)
        };
        let is_so =
            resolved.as_of == self.changes || self.log.sets.get(resolved.set).iter().all(holds);
        if is_so {
            resolved.as_of = self.changes;
            return Some(*resolved);
        }
        self.resolved.remove(&(statement, database));
        None
    }

    /// Tables, what is behind those that are views, and of a write what changes with them; sorted.
    fn with_what_is_behind(&mut self, mut named: Vec<u32>, is_select: bool) -> Vec<u32> {
        let mut tables = Vec::new();
        let mut taken: HashSet<u32, Fast> = HashSet::default();
        // The view with most behind it is taken first: others are often among that.
        named.sort_by_cached_key(|table| self.views.get(table).map_or(0, |it| it.tables.len()));
        // Each with when the view was made that it is behind, 0 if there is none.
        let mut open: Vec<(u32, u32)> = named.into_iter().map(|table| (table, 0)).collect();
        while let Some((table, made)) = open.pop() {
            if !taken.insert(table) {
                continue;
            }
            tables.push(table);
            self.list(table);
            if tables.len() > MOST_TABLES {
                break;
            }
            match self.view(table) {
                // What was behind it then is there with it.
                Some(view) if view.made < made => {}
                Some(view) => open.extend(view.tables.iter().map(|it| (*it, view.made))),
                None if is_select => {}
                None => open.extend(self.children(table).into_iter().map(|it| (it, 0))),
            }
        }
        tables.sort_unstable();
        tables
    }

    /// Database and name of a table.
    fn names_of(&self, table: u32) -> Option<(String, String)> {
        let name = &self.log.tables.get(table as usize)?.name;
        let (database, name) = name.split_once('.').unwrap_or(("", name));
        Some((database.to_owned(), name.to_owned()))
    }

    /// A table that is a view, by the log or the schema.
    fn view(&mut self, table: u32) -> Option<View> {
        if let Some(view) = self.views.get(&table) {
            return Some(view.clone());
        }
        let (database, name) = self.names_of(table)?;
        let query = self.known.view(&database, &name)?;
        let names = crate::sql::distill::tables(query.as_bytes());
        let names = names.iter().take(MOST_TABLES);
        let tables: Vec<u32> = names.map(|it| self.table(it, database.as_bytes())).collect();
        Some(self.keep_view(table, Arc::from(tables), 0))
    }

    /// The tables that change with a table.
    fn children(&mut self, table: u32) -> Vec<u32> {
        let Some((database, name)) = self.names_of(table) else { return Vec::new() };
        let children = self.known.children(&database, &name);
        let named = children.into_iter().map(|(database, name)| TableName {
            database: (!database.is_empty()).then(|| database.into_bytes()),
            name: name.into_bytes(),
        });
        let named: Vec<TableName> = named.collect();
        named.iter().map(|it| self.table(it, database.as_bytes())).collect()
    }

    fn keep_view(&mut self, view: u32, tables: Arc<[u32]>, made: u32) -> View {
        self.budget.charge(96 + 4 * tables.len());
        let kept = View { tables, made };
        self.views.insert(view, kept.clone());
        kept
    }

    fn mark_changed(&mut self, table: u32) {
        if let Some(home) = self.homes.get_mut(table as usize) {
            home.changed = self.changes;
        }
    }

    fn table(&mut self, name: &TableName, database: &[u8]) -> u32 {
        let database = name.database.as_deref().unwrap_or(database);
        let home = self.databases.number(database, &mut self.budget);
        let key = (home, name.name.clone());
        if let Some(number) = self.tables.get(&key) {
            return *number;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (database, own) = (text(database), text(&name.name));
        let engine = self.known.engine(&database, &own).unwrap_or_default();
        let full = if database.is_empty() { own } else { format!("{database}.{own}") };
        const PER_TABLE: usize = 320;
        self.budget.charge(PER_TABLE + full.len() + name.name.len());
        let number = self.log.tables.len() as u32;
        self.log.tables.push(Table { name: full, engine });
        self.homes.push(Home { database: home, is_listed: false, changed: 0 });
        self.tables.insert(key, number);
        self.list(number);
        number
    }

    /// Puts a table to those of its database.
    fn list(&mut self, table: u32) {
        let Some(home) = self.homes.get_mut(table as usize).filter(|home| !home.is_listed) else {
            return;
        };
        home.is_listed = true;
        if let Some(tables) = self.databases.tables.get_mut(home.database as usize) {
            tables.push(table);
        }
    }

    /// The tables of a database that were used since it was dropped last.
    fn drop_database(&mut self, name: &[u8]) -> Vec<u32> {
        let number = self.databases.number(name, &mut self.budget);
        let listed = self.databases.tables.get_mut(number as usize);
        let mut gone = listed.map(std::mem::take).unwrap_or_default();
        // A statement that names one of them puts it there again.
        self.changes += u32::from(!gone.is_empty());
        for table in &gone {
            if let Some(home) = self.homes.get_mut(*table as usize) {
                home.is_listed = false;
                home.changed = self.changes;
            }
        }
        gone.sort_unstable();
        gone
    }

    fn set_of(&mut self, tables: &[u32]) -> u32 {
        self.sets.number(&mut self.log.sets, tables, &mut self.budget)
    }
}

/// What a temporary table takes besides its name.
const PER_TEMPORARY: usize = 64;

/// What of its text a statement is known by.
#[derive(Debug, Clone, Copy)]
struct Keying {
    print: Print,
    /// Bytes.
    length: usize,
}

fn lower(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

/// The databases of the server itself.
fn is_system(database: &[u8]) -> bool {
    const OWN: &[&[u8]] = &[b"mysql", b"information_schema", b"performance_schema", b"sys"];
    OWN.iter().any(|own| database.eq_ignore_ascii_case(own))
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

#[cfg(test)]
mod tests;
