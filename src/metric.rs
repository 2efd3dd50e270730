//! The attributes of an event: how the log spells them, what they measure, who writes them.
//!
//! Every server writes `Name: value` pairs, so one table serves all of them. A name that is not
//! in the table is kept by its own spelling: see [`Registry`].

use hashbrown::HashMap;

use Kind::{Bytes, Code, Count, Flag, Identifier, Millis, Number, Text, Time};

/// What a value of an attribute is, and in which unit it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Seconds in the log, whole microseconds here.
    Time,
    /// Milliseconds with decimals in the log, whole nanoseconds here.
    Millis,
    /// A whole number of things: rows, calls, passes.
    Count,
    /// A whole number of bytes.
    Bytes,
    /// Any other number, in billionths.
    Number,
    /// `Yes` or `No`.
    Flag,
    /// A name or another text: counted by value.
    Text,
    /// A code such as an error number: counted by value, zero means none.
    Code,
    /// Names one thing only (a thread, a transaction, an instant): kept for the event, never
    /// added up.
    Identifier,
}

impl Kind {
    /// Units that make one whole printed number: microseconds of a second and so on.
    pub fn scale(self) -> i128 {
        match self {
            Time | Millis => 1_000_000,
            Number => 1_000_000_000,
            _ => 1,
        }
    }

    /// Whether values of this kind are added up.
    pub fn is_quantity(self) -> bool {
        matches!(self, Time | Millis | Count | Bytes | Number)
    }
}

/// One attribute that servers are known to write.
#[derive(Debug)]
pub struct Row {
    /// As the log spells it.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Which servers write it.
    pub writers: &'static str,
}

const fn row(name: &'static str, kind: Kind, writers: &'static str) -> Row {
    Row { name, kind, writers }
}

/// Number of an attribute: its place in [`METRICS`], or behind it for names met in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricId(pub u16);

/// `Query_time`, the time a statement took.
pub const QUERY_TIME: MetricId = MetricId(0);
/// What `Query_time` is.
pub const QUERY_TIME_KIND: Kind = Time;
/// `Lock_time`.
pub const LOCK_TIME: MetricId = MetricId(1);
/// `Rows_sent`.
pub const ROWS_SENT: MetricId = MetricId(2);
/// `Rows_examined`.
pub const ROWS_EXAMINED: MetricId = MetricId(3);
/// Length of the statement in bytes; the log does not write it, we count.
pub const QUERY_LENGTH: MetricId = MetricId(4);
/// Account name.
pub const USER: MetricId = MetricId(5);
/// Client host.
pub const HOST: MetricId = MetricId(6);
/// Default database.
pub const DATABASE: MetricId = MetricId(7);

/// Everything that MySQL 5.0 to 9.x, Percona Server, MariaDB, Aurora and TiDB are known to
/// write. Order of the first eight: the constants above.
#[rustfmt::skip]
pub const METRICS: &[Row] = &[
    row("Query_time",            Time,       "all; whole seconds before 5.1"),
    row("Lock_time",             Time,       "all"),
    row("Rows_sent",             Count,      "all"),
    row("Rows_examined",         Count,      "all"),
    row("bytes",                 Bytes,      "counted here: length of the statement"),
    row("user",                  Text,       "User@Host line"),
    row("host",                  Text,       "User@Host line"),
    row("db",                    Text,       "use line, Schema, DB"),
    row("Rows_affected",         Count,      "Percona, MariaDB, MySQL 5.7 clouds"),
    row("Rows_read",             Count,      "Percona 5.0 to 5.5"),
    row("Bytes_sent",            Bytes,      "Percona, MariaDB, log_slow_extra"),
    row("Bytes_received",        Bytes,      "log_slow_extra"),
    row("Merge_passes",          Count,      "Percona, MariaDB"),
    row("Tmp_tables",            Count,      "Percona, MariaDB"),
    row("Tmp_disk_tables",       Count,      "Percona, MariaDB"),
    row("Tmp_table_sizes",       Bytes,      "Percona, MariaDB"),
    row("Exec_orig_time",        Time,       "network capture"),
    row("Transmit_time",         Time,       "network capture"),
    row("QC_Hit",                Flag,       "Percona"),
    row("QC_hit",                Flag,       "MariaDB"),
    row("Full_scan",             Flag,       "Percona, MariaDB: query_plan"),
    row("Full_join",             Flag,       "Percona, MariaDB: query_plan"),
    row("Tmp_table",             Flag,       "Percona, MariaDB: query_plan"),
    row("Tmp_table_on_disk",     Flag,       "Percona, MariaDB: query_plan"),
    row("Filesort",              Flag,       "Percona, MariaDB: query_plan"),
    row("Filesort_on_disk",      Flag,       "Percona, MariaDB: query_plan"),
    row("Priority_queue",        Flag,       "MariaDB"),
    row("InnoDB_IO_r_ops",       Count,      "Percona: innodb"),
    row("InnoDB_IO_r_bytes",     Bytes,      "Percona: innodb"),
    row("InnoDB_IO_r_wait",      Time,       "Percona: innodb"),
    row("InnoDB_rec_lock_wait",  Time,       "Percona: innodb"),
    row("InnoDB_queue_wait",     Time,       "Percona: innodb"),
    row("InnoDB_pages_distinct", Count,      "Percona: innodb"),
    row("InnoDB_trx_id",         Identifier, "Percona"),
    row("Pages_accessed",        Count,      "MariaDB: engine"),
    row("Pages_read",            Count,      "MariaDB: engine"),
    row("Pages_prefetched",      Count,      "MariaDB: engine"),
    row("Pages_updated",         Count,      "MariaDB: engine"),
    row("Old_rows_read",         Count,      "MariaDB: engine"),
    row("Pages_read_time",       Millis,     "MariaDB: engine"),
    row("Engine_time",           Millis,     "MariaDB: engine"),
    row("Read_first",            Count,      "log_slow_extra"),
    row("Read_last",             Count,      "log_slow_extra"),
    row("Read_key",              Count,      "log_slow_extra"),
    row("Read_next",             Count,      "log_slow_extra"),
    row("Read_prev",             Count,      "log_slow_extra"),
    row("Read_rnd",              Count,      "log_slow_extra"),
    row("Read_rnd_next",         Count,      "log_slow_extra"),
    row("Sort_merge_passes",     Count,      "log_slow_extra"),
    row("Sort_range_count",      Count,      "log_slow_extra"),
    row("Sort_rows",             Count,      "log_slow_extra"),
    row("Sort_scan_count",       Count,      "log_slow_extra"),
    row("Created_tmp_disk_tables", Count,    "log_slow_extra"),
    row("Created_tmp_tables",    Count,      "log_slow_extra"),
    row("Start",                 Identifier, "log_slow_extra: start of the statement"),
    row("End",                   Identifier, "log_slow_extra: end of the statement"),
    row("Errno",                 Code,       "log_slow_extra"),
    row("Last_errno",            Code,       "Percona"),
    row("Killed",                Code,       "Percona, log_slow_extra"),
    row("Thread_id",             Identifier, "Percona, MariaDB, log_slow_extra"),
    row("Id",                    Identifier, "User@Host line of MySQL"),
    row("Conn_ID",               Identifier, "TiDB"),
    row("Txn_start_ts",          Identifier, "TiDB"),
    row("Digest",                Identifier, "TiDB"),
    row("Plan",                  Identifier, "TiDB"),
    row("Plan_digest",           Identifier, "TiDB"),
    row("Binary_plan",           Identifier, "TiDB"),
    row("Prev_stmt",             Identifier, "TiDB"),
    row("Query_id",              Identifier, "Percona"),
    row("Statement_id",          Identifier, "network capture"),
    row("timestamp",             Identifier, "SET line"),
    row("insert_id",             Identifier, "SET line"),
    row("last_insert_id",        Identifier, "SET line"),
    row("Log_slow_rate_type",    Text,       "Percona: sampling"),
    row("Log_slow_rate_limit",   Count,      "Percona: sampling"),
    row("ip",                    Identifier, "User@Host line"),
    row("Mem_max",               Bytes,      "TiDB"),
    row("Disk_max",              Bytes,      "TiDB"),
    row("Logical_reads",         Count,      "clouds"),
    row("Cpu_time",              Number,     "clouds: the unit differs"),
];

/// Names of attributes by number: the table, and behind it what a log brought.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    further: Vec<Box<[u8]>>,
    by_name: HashMap<Box<[u8]>, MetricId, foldhash::fast::FixedState>,
}

/// Names beyond the table that one run keeps apart; a log with more of them is no slow log.
const FURTHER_MOST: usize = 20_000;

impl Registry {
    /// A registry that knows the table.
    pub fn new() -> Registry {
        let mut registry = Registry::default();
        for (place, row) in METRICS.iter().enumerate() {
            registry.by_name.insert(row.name.as_bytes().into(), MetricId(place as u16));
        }
        registry
    }

    /// The number of a name, given when it is met for the first time. `None` past the bound on
    /// names.
    pub fn id(&mut self, name: &[u8]) -> Option<MetricId> {
        if let Some(id) = self.by_name.get(name) {
            return Some(*id);
        }
        if self.further.len() >= FURTHER_MOST {
            return None;
        }
        let id = MetricId((METRICS.len() + self.further.len()) as u16);
        self.further.push(name.into());
        self.by_name.insert(name.into(), id);
        Some(id)
    }

    /// Whether a name that a user typed means this attribute: as the log spells it in any letter
    /// case, or as the column of the `events` table is called.
    pub fn is_meant(&self, id: MetricId, typed: &str) -> bool {
        let name = self.name(id);
        name.eq_ignore_ascii_case(typed.as_bytes()) || column(name).eq_ignore_ascii_case(typed)
    }

    /// Whether a name that a user typed means any attribute that is known.
    pub fn knows(&self, typed: &str) -> bool {
        (0..self.len() as u16).any(|id| self.is_meant(MetricId(id), typed))
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        METRICS.len() + self.further.len()
    }

    /// Never: the table is always in it.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// As the log spells it.
    pub fn name(&self, id: MetricId) -> &[u8] {
        match METRICS.get(usize::from(id.0)) {
            Some(row) => row.name.as_bytes(),
            None => &self.further[usize::from(id.0) - METRICS.len()],
        }
    }

    /// What its values are; `None` for a name outside the table, whose values tell.
    pub fn kind(id: MetricId) -> Option<Kind> {
        METRICS.get(usize::from(id.0)).map(|row| row.kind)
    }
}

/// A name that a user typed, and which attributes it means.
#[derive(Debug, Clone, Default)]
pub struct Named {
    typed: String,
    /// By number of the attribute, as far as asked.
    known: Vec<Option<bool>>,
}

impl Named {
    /// The name as typed.
    pub fn new(typed: &str) -> Named {
        Named { typed: typed.to_owned(), known: Vec::new() }
    }

    /// Whether the attribute is meant.
    pub fn means(&mut self, registry: &Registry, id: MetricId) -> bool {
        let place = usize::from(id.0);
        if place >= self.known.len() {
            self.known.resize(place + 1, None);
        }
        *self.known[place].get_or_insert_with(|| registry.is_meant(id, &self.typed))
    }
}

/// Name of the column in the `events` table: lower case, one name for one thing.
pub fn column(name: &[u8]) -> String {
    match name {
        b"Errno" | b"Last_errno" => "errno".to_owned(),
        b"Id" | b"Conn_ID" | b"Thread_id" => "thread_id".to_owned(),
        b"bytes" => "query_length".to_owned(),
        _ => String::from_utf8_lossy(name).to_ascii_lowercase(),
    }
}

/// Whether a name by itself promises seconds, as pt-query-digest takes it: it contains `time` or
/// ends in `wait`.
pub fn names_a_time(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"time").is_some() || name.ends_with(b"wait")
}

/// The number of a name of the table, which must be in it.
pub const fn known(name: &str) -> MetricId {
    let mut place = 0;
    while place < METRICS.len() {
        let known = METRICS[place].name.as_bytes();
        let name = name.as_bytes();
        let mut same = known.len() == name.len();
        let mut at = 0;
        while same && at < name.len() {
            same = known[at] == name[at];
            at += 1;
        }
        if same {
            return MetricId(place as u16);
        }
        place += 1;
    }
    panic!("not in the table of attributes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_places_in_the_table() {
        let mut registry = Registry::new();
        for (name, id) in [
            ("Query_time", QUERY_TIME),
            ("Lock_time", LOCK_TIME),
            ("Rows_sent", ROWS_SENT),
            ("Rows_examined", ROWS_EXAMINED),
            ("bytes", QUERY_LENGTH),
            ("user", USER),
            ("host", HOST),
            ("db", DATABASE),
        ] {
            assert_eq!(registry.id(name.as_bytes()), Some(id), "{name}");
        }
    }

    #[test]
    fn no_name_stands_twice_in_the_table() {
        let mut names: Vec<_> = METRICS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len());
    }

    #[test]
    fn unknown_names_are_kept_by_spelling_up_to_a_bound() {
        let mut registry = Registry::new();
        let id = registry.id(b"Foo_bar").unwrap();
        assert_eq!(registry.id(b"Foo_bar"), Some(id));
        assert_eq!(registry.name(id), b"Foo_bar");
        assert!(registry.is_meant(id, "FOO_BAR") && registry.knows("foo_bar"));
        for n in 0..2 * FURTHER_MOST {
            registry.id(format!("n{n}").as_bytes());
        }
        assert_eq!(registry.len(), METRICS.len() + FURTHER_MOST);
    }
}
