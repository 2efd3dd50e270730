//! What the tables are like: columns, indexes, keys, partitions, and how many rows they have.
//!
//! Read from dumps (`mysqldump --no-data`, phpMyAdmin), files of SHOW CREATE TABLE in every print
//! of the client, SHOW INDEX and prints of information_schema. A clause that nobody understands
//! costs only itself: it is named as a [`Problem`] and the rest is read.
//!
//! Indexes stand in the order of the server, whatever the order of the file: PRIMARY, then UNIQUE
//! ones that cannot be NULL, then other UNIQUE ones, then the rest as written, FULLTEXT last.
//! That is the order of SHOW CREATE TABLE, and of the bits of `index map` in EXPLAIN.

mod alter;
mod charset;
mod ddl;
mod facts;
mod info_schema;
mod options;
mod partition;
pub mod prefix;
mod prints;
mod reader;
mod script;
mod table;
mod view;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::flavor::Family;

pub use self::facts::{ColumnFacts, Facts, Op, PrefixFact, RangeFact, Test, Value};
pub use self::partition::{Partition, PartitionBy, Partitions};
pub use self::table::{KeyPart, Table, TableKind};
pub use crate::sql::definition::{
    Check, Column, DataType, DefaultValue, ForeignKey, Generated, Index, IndexKind, Method, Part,
    PartOf, TypeName,
};

/// A piece of a schema file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Name of the file.
    pub source: String,
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// What was expected there.
    pub detail: String,
    /// The beginning of the text in question; it may hold literals.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(false))
    }
}

impl Problem {
    /// Where and what; without the text itself where no literal may be shown.
    pub fn told(&self, redact: bool) -> String {
        let Problem { source, line, column, detail, text } = self;
        let place = format!("{source}, line {line}, column {column}: {detail}");
        if redact || text.is_empty() { place } else { format!("{place}: {text}") }
    }
}

/// A problem while the file is read: by its offset.
#[derive(Debug, Clone)]
struct Found {
    at: usize,
    detail: String,
    text: String,
}

/// The server that a dump says it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// MySQL or MariaDB; Percona Server and Aurora are MySQL here.
    pub family: Family,
    /// First number of the version.
    pub major: u32,
    /// Second number of the version.
    pub minor: u32,
    /// The version as printed.
    pub version: String,
}

impl Server {
    /// Reads the version as servers print it: `8.0.40`, `11.8.3-MariaDB-log`,
    /// `5.5.5-10.4.32-MariaDB`. `None` if it does not begin with two numbers.
    #[must_use]
    pub fn of_version(version: &str) -> Option<Server> {
        let family = match version.to_ascii_lowercase().contains("mariadb") {
            true => Family::MariaDb,
            false => Family::MySql,
        };
        // MariaDB tells old replicas that it is 5.5.5.
        let plain = version.strip_prefix("5.5.5-").filter(|_| family == Family::MariaDb);
        let mut numbers = plain.unwrap_or(version).split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Server { family, major, minor, version: version.to_owned() })
    }
}

/// A database, as far as CREATE DATABASE tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Database {
    /// Default character set.
    pub charset: Option<String>,
    /// Default collation.
    pub collation: Option<String>,
}

/// Order and identity of tables: name without case, then as written, then the database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    folded: String,
    name: String,
    db: Option<String>,
}

impl Key {
    fn of(db: Option<&str>, name: &str) -> Key {
        let db = db.map(str::to_owned);
        Key { folded: name.to_lowercase(), name: name.to_owned(), db }
    }
}

/// What is known of the tables of one or more databases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schema {
    tables: BTreeMap<Key, Table>,
    databases: BTreeMap<String, Database>,
    server: Option<Server>,
}

impl Schema {
    /// Reads a file; see [`Schema::add`].
    #[must_use]
    pub fn read(text: &[u8], source: &str) -> (Schema, Vec<Problem>) {
        let mut schema = Schema::default();
        let problems = schema.add(text, source);
        (schema, problems)
    }

    /// Reads a further file into the schema: definitions replace those of the same name, prints
    /// of indexes and tables add their counts to them. Gives what could not be read, in order.
    pub fn add(&mut self, text: &[u8], source: &str) -> Vec<Problem> {
        let text = plain(text);
        let found = reader::read(self, &text);
        self.settle();
        located(found, &text, source)
    }

    /// Adds the rows of a print of SHOW INDEX, SHOW TABLE STATUS, or information_schema's COLUMNS,
    /// STATISTICS or TABLES; `db` is the database of prints that do not name one. Gives what was
    /// expected and missing, by number of the row.
    pub fn add_rows(
        &mut self,
        db: Option<&str>,
        columns: &[String],
        rows: &[Vec<Option<String>>],
    ) -> Vec<(usize, String)> {
        let problems = info_schema::add(self, db, columns, rows);
        self.settle();
        problems
    }

    /// All tables and views, by name.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = &Table> {
        self.tables.values()
    }

    /// The server that the dump says it is of.
    #[must_use]
    pub fn server(&self) -> Option<&Server> {
        self.server.as_ref()
    }

    /// What CREATE DATABASE said.
    #[must_use]
    pub fn database(&self, name: &str) -> Option<&Database> {
        self.databases.get(name)
    }

    /// The table of this name.
    ///
    /// With a database: its table, or else a table whose database no file told. Without: the
    /// table of that name if there is but one. A name in exactly this letter case goes first;
    /// where several match no better, none is given.
    #[must_use]
    pub fn table(&self, db: Option<&str>, name: &str) -> Option<&Table> {
        self.key_of(db, name).and_then(|key| self.tables.get(&key))
    }

    fn key_of(&self, db: Option<&str>, name: &str) -> Option<Key> {
        let folded = name.to_lowercase();
        let from = Key { folded: folded.clone(), name: String::new(), db: None };
        let named = || self.tables.range(from.clone()..).map(|(key, _)| key);
        let named = || named().take_while(|key| key.folded == folded);
        let same_db = |key: &&Key| match (db, key.db.as_deref()) {
            (None, _) => true,
            (Some(db), Some(own)) => own == db,
            (Some(_), None) => false,
        };
        let folded_db = |key: &&Key| match (db, key.db.as_deref()) {
            (Some(db), Some(own)) => own.to_lowercase() == db.to_lowercase(),
            _ => false,
        };
        let unknown_db = |key: &&Key| db.is_some() && key.db.is_none();
        let exact = |key: &&Key| key.name == name;
        only(named().filter(same_db).filter(exact))
            .or_else(|| only(named().filter(same_db)))
            .or_else(|| only(named().filter(folded_db)))
            .or_else(|| only(named().filter(unknown_db).filter(exact)))
            .or_else(|| only(named().filter(unknown_db)))
            .cloned()
    }

    fn table_mut(&mut self, db: Option<&str>, name: &str) -> Option<&mut Table> {
        let key = self.key_of(db, name)?;
        self.tables.get_mut(&key)
    }

    fn insert(&mut self, table: Table) {
        self.tables.insert(Key::of(table.db.as_deref(), &table.name), table);
    }

    fn remove(&mut self, db: Option<&str>, name: &str) -> Option<Table> {
        let key = self.key_of(db, name)?;
        self.tables.remove(&key)
    }

    /// Takes out the table of this name if only prints speak of it.
    fn take_undefined(&mut self, db: Option<&str>, name: &str) -> Option<Table> {
        let key = self
            .key_of(db, name)
            .filter(|key| self.tables.get(key).is_some_and(|it| !it.is_defined))?;
        self.tables.remove(&key)
    }

    /// Fills in what follows from other parts once a file is read.
    fn settle(&mut self) {
        for table in self.tables.values_mut() {
            let database = table.db.as_ref().and_then(|db| self.databases.get(db));
            table.settle(database, self.server.as_ref());
        }
    }
}

/// The text in UTF-8: what a shell of Windows redirects into a file is UTF-16.
fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    let unit = match text {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Cow::Borrowed(text),
    };
    let units = text[2..].as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let chars = char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER));
    Cow::Owned(chars.collect::<String>().into_bytes())
}

/// The only one, if there is one and no other.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Problems with their lines and columns, in the order of the file.
fn located(mut found: Vec<Found>, text: &[u8], source: &str) -> Vec<Problem> {
    found.sort_by_key(|found| found.at);
    let (mut line, mut line_start, mut seen) = (1, 0, 0);
    let mut problems = Vec::with_capacity(found.len());
    for Found { at, detail, text: said } in found {
        let at = at.min(text.len());
        for end in memchr::memchr_iter(b'\n', &text[seen..at]) {
            line += 1;
            line_start = seen + end + 1;
        }
        seen = at;
        // Far into a line of megabytes the bytes are counted: characters would take too long.
        let before = &text[line_start..at];
        let is_inside = |byte: &&u8| **byte & 0xc0 == 0x80;
        let inside = match before.len() {
            0..4096 => before.iter().filter(is_inside).count(),
            _ => 0,
        };
        let column = (before.len() - inside) as u64 + 1;
        let source = source.to_owned();
        problems.push(Problem { source, line, column, detail, text: said });
    }
    problems
}

#[cfg(test)]
mod tests;
