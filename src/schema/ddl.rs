//! CREATE and its kin: what each statement of a schema file does to the schema.
//!
//! ```text
//! CREATE TABLE `t` (
//!   `id` int NOT NULL AUTO_INCREMENT,        cut at commas outside of parentheses;
//!   `x` int SHINY,                           an element that nobody understands costs itself
//!   PRIMARY KEY (`id`)
//! ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*!50500 PARTITION BY … */;
//! ```
//!
//! Elements are read by [`crate::sql::definition`]. Routines, triggers, users and rows are none
//! of our business and passed without a word.

use std::collections::HashSet;

use crate::flavor::Family;
use crate::sql::definition::{
    Column, ColumnElement, Cursor, Element, ForeignKey, Index, IndexKind, Live, Part, Refusal,
    element, key,
};
use crate::sql::token::Token;

use super::facts::{self, ColumnFacts, Fact, Of, Told};
use super::partition::partitions;
use super::prints::Print;
use super::script::{Definition, Piece, Script};
use super::table::{Table, TableKind};
use super::{Found, Key, Schema, Server, alter, info_schema, view};

/// Most columns of a table, as many as a server allows.
pub(super) const MOST_COLUMNS: usize = 4_096;
/// Most indexes of a table, and most foreign keys; servers allow 64 or 128 indexes.
pub(super) const MOST_INDEXES: usize = 256;
/// Most problems of a file that are told one by one.
const MOST_PROBLEMS: usize = 1_000;

/// Reads a file into a schema.
pub(super) fn read(schema: &mut Schema, text: &[u8]) -> Vec<Found> {
    let had = schema.tables.len();
    let mut reader = Reader {
        schema,
        db: None,
        created: Vec::new(),
        dropped: None,
        found: Vec::new(),
        base: Base::File(0),
        end: None,
        untold: 0,
        filled: HashSet::new(),
    };
    let mut understood = 0_usize;
    for piece in Script::new(text) {
        match piece {
            Piece::Definition(definition) => {
                reader.base = Base::File(definition.at);
                reader.end = definition.open_quote;
                understood += usize::from(reader.definition(&definition));
            }
            Piece::Comment { text, at } => reader.comment(text, at),
            Piece::Print(print) => {
                understood += 1;
                reader.print(&print);
            }
            Piece::OpenQuote { at } => {
                (reader.base, reader.end) = (Base::File(0), None);
                reader.refuse(text, Refusal { at, expected: "a closing quote expected".into() });
            }
        }
    }
    if understood == 0 && reader.schema.tables.len() == had && !text.trim_ascii().is_empty() {
        reader.base = Base::File(0);
        reader.refuse(text, Refusal { at: 0, expected: "CREATE TABLE expected".into() });
    }
    if reader.untold > 0 {
        let at = reader.found.iter().map(|found| found.at).max().unwrap_or_default();
        let detail = format!("{} more problems from here on", reader.untold);
        reader.found.push(Found { at, detail, text: String::new() });
    }
    reader.found
}

/// Where the text stands that is being read.
#[derive(Debug, Clone, Copy)]
enum Base {
    /// In the file from this offset on.
    File(usize),
    /// In a cell of a print whose escapes are undone: all of it counts as being here.
    Cell(usize),
}

/// What is carried from statement to statement.
pub(super) struct Reader<'s> {
    pub schema: &'s mut Schema,
    /// The current database.
    pub db: Option<String>,
    /// Tables in the order of creation, for facts.
    created: Vec<Key>,
    /// The table or view that the last DROP took away: mysqldump drops what stood in for a view
    /// right before it creates the view.
    dropped: Option<Table>,
    found: Vec<Found>,
    base: Base,
    /// Where a quote opened that has no end: what is missing from there on has that one reason.
    end: Option<usize>,
    /// How many problems there were beyond those in `found`.
    untold: u64,
    /// Databases that tables were created in, so that DROP DATABASE of others costs nothing.
    filled: HashSet<String>,
}

impl Reader<'_> {
    /// Notes what could not be read of `text`.
    pub fn refuse(&mut self, text: &[u8], refusal: Refusal) {
        if self.end.is_some_and(|end| refusal.at + 1 >= end) {
            return;
        }
        let at = match self.base {
            Base::File(base) => base + refusal.at,
            Base::Cell(base) => base,
        };
        if self.found.len() >= MOST_PROBLEMS {
            self.untold += 1;
            return;
        }
        let said = text.get(refusal.at..).unwrap_or_default();
        let said = &said[..said.len().min(240)];
        let line = &said[..memchr::memchr(b'\n', said).unwrap_or(said.len())];
        let said: String =
            String::from_utf8_lossy(line).trim_ascii_end().chars().take(60).collect();
        self.found.push(Found { at, detail: refusal.expected, text: said });
    }

    pub fn refuse_all(&mut self, text: &[u8], refusals: Vec<Refusal>) {
        for refusal in refusals {
            self.refuse(text, refusal);
        }
    }

    /// The database that a name is in.
    pub fn db_of(&self, written: Option<String>) -> Option<String> {
        written.or_else(|| self.db.clone())
    }

    /// Reads one statement; false where it is none that we know.
    fn definition(&mut self, definition: &Definition<'_>) -> bool {
        let text = definition.text;
        let mut cursor = Cursor::new(text, &definition.tokens);
        let read = if cursor.word("CREATE") {
            self.create(&mut cursor, text, definition.is_in_comment)
        } else if cursor.words("ALTER TABLE") || cursor.words("ALTER IGNORE TABLE") {
            alter::alter_table(self, &mut cursor, text).map(|()| true)
        } else if cursor.words("ALTER DATABASE") || cursor.words("ALTER SCHEMA") {
            self.database(&mut cursor).map(|()| true)
        } else if cursor.word("DROP") {
            self.drop(&mut cursor, text)
        } else if cursor.words("RENAME TABLE") || cursor.words("RENAME TABLES") {
            alter::rename_tables(self, &mut cursor).map(|()| true)
        } else if cursor.word("USE") {
            self.db = cursor.name().or(self.db.take());
            Ok(true)
        } else {
            Ok(false)
        };
        read.unwrap_or_else(|refusal| {
            self.refuse(text, refusal);
            true
        })
    }

    /// What follows CREATE.
    fn create(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        is_in_comment: bool,
    ) -> Result<bool, Refusal> {
        const OTHERS: [&str; 14] = [
            "PROCEDURE",
            "FUNCTION",
            "TRIGGER",
            "EVENT",
            "USER",
            "ROLE",
            "SERVER",
            "SEQUENCE",
            "PACKAGE",
            "TABLESPACE",
            "LOGFILE",
            "RESOURCE",
            "LIBRARY",
            "CATALOG",
        ];
        let mut kind = TableKind::Base;
        let mut index = IndexKind::Plain;
        loop {
            if cursor.word("TABLE") {
                return self.create_table(cursor, text, kind, is_in_comment).map(|()| true);
            } else if cursor.word("VIEW") {
                return view::create_view(self, cursor).map(|()| true);
            } else if cursor.word("INDEX") || cursor.word("KEY") {
                return self.create_index(cursor, text, index).map(|()| true);
            } else if cursor.word("DATABASE") || cursor.word("SCHEMA") {
                return self.database(cursor).map(|()| true);
            } else if cursor.word("TEMPORARY") {
                kind = TableKind::Temporary;
            } else if cursor.word("UNIQUE") {
                index = IndexKind::Unique;
            } else if cursor.word("FULLTEXT") {
                index = IndexKind::FullText;
            } else if cursor.word("SPATIAL") {
                index = IndexKind::Spatial;
            } else if cursor.word("VECTOR") {
                index = IndexKind::Vector;
            } else if OTHERS.iter().any(|word| cursor.is_word(word)) || cursor.take().is_none() {
                // Words like OR REPLACE and DEFINER = … are passed one by one.
                return Ok(false);
            }
        }
    }

    /// `[IF [NOT] EXISTS] name [DEFAULT] [CHARACTER SET x] [COLLATE y]`
    fn database(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
        let _ = cursor.words("IF NOT EXISTS");
        let name = match cursor.name() {
            Some(name) => name,
            None => self.db.clone().ok_or_else(|| cursor.refusal("a database name"))?,
        };
        let mut database = self.schema.databases.remove(&name).unwrap_or_default();
        while !cursor.is_empty() {
            match charset_option(cursor) {
                Some(CharsetOption::Charset(charset)) => {
                    database.charset = Some(charset);
                    database.collation = None;
                }
                Some(CharsetOption::Collation(collation)) => {
                    database.charset = charset_of(&collation).or(database.charset);
                    database.collation = Some(collation);
                }
                None => drop(cursor.take()),
            }
        }
        self.schema.databases.insert(name, database);
        Ok(())
    }

    fn drop(&mut self, cursor: &mut Cursor<'_>, text: &[u8]) -> Result<bool, Refusal> {
        if cursor.word("INDEX") {
            let _ = cursor.words("IF EXISTS");
            let name = cursor.name().ok_or_else(|| cursor.refusal("an index name"))?;
            if !cursor.word("ON") {
                return Err(cursor.refusal("ON"));
            }
            let table = self.table_of(cursor)?;
            table.indexes.retain(|index| !crate::sql::definition::same_name(&index.name, &name));
            return Ok(true);
        }
        if cursor.word("DATABASE") || cursor.word("SCHEMA") {
            let _ = cursor.words("IF EXISTS");
            let name = cursor.name().ok_or_else(|| cursor.refusal("a database name"))?;
            if self.filled.remove(&name) {
                self.schema.tables.retain(|key, _| key.db.as_ref() != Some(&name));
            }
            self.schema.databases.remove(&name);
            return Ok(true);
        }
        cursor.word("TEMPORARY");
        if !(cursor.word("TABLE") || cursor.word("TABLES") || cursor.word("VIEW")) {
            return Ok(false);
        }
        let _ = cursor.words("IF EXISTS");
        loop {
            let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a table name"))?;
            let db = self.db_of(db);
            if let Some(table) = self.take_exact(db.as_deref(), &name) {
                self.dropped = Some(table);
            }
            if !cursor.byte(b',') {
                break;
            }
        }
        let _ = cursor.word("CASCADE") || cursor.word("RESTRICT");
        if !cursor.is_empty() {
            self.refuse(text, cursor.refusal("`,` or `;`"));
        }
        Ok(true)
    }

    /// Takes the table of exactly this database and name out of the schema.
    pub fn take_exact(&mut self, db: Option<&str>, name: &str) -> Option<Table> {
        self.schema.tables.remove(&Key::of(db, name))
    }

    /// The table or view of this name that was dropped last, if it was this one.
    pub fn last_dropped(&mut self, db: Option<&str>, name: &str) -> Option<Table> {
        self.dropped.take().filter(|table| table.db.as_deref() == db && table.name == name)
    }

    /// The table named next, which must be there.
    pub fn table_of(&mut self, cursor: &mut Cursor<'_>) -> Result<&mut Table, Refusal> {
        let refusal = cursor.refusal("a table that was created above");
        let (db, name) = cursor.qualified().ok_or_else(|| refusal.clone())?;
        let db = self.db_of(db);
        self.schema.table_mut(db.as_deref(), &name).ok_or(refusal)
    }

    fn create_table(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        kind: TableKind,
        is_in_comment: bool,
    ) -> Result<(), Refusal> {
        let if_not_exists = cursor.words("IF NOT EXISTS");
        let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a table name"))?;
        let db = self.db_of(db);
        let key = Key::of(db.as_deref(), &name);
        let mut table = Table { db, name, kind, ..Table::default() };
        table.is_defined = true;
        table.is_index_order_known = true;
        let mut refusals = Vec::new();
        if cursor.word("LIKE") {
            let refusal = cursor.refusal("a table that was created above");
            let (db, name) = cursor.qualified().ok_or_else(|| refusal.clone())?;
            self.like(&mut table, db, &name).ok_or(refusal)?;
        } else {
            if cursor.is_byte(b'(') && !begins_select(cursor) {
                self.elements(cursor, &mut table, &mut refusals);
            }
            options(cursor, &mut table, &mut refusals);
        }
        table.name_indexes();
        self.refuse_all(text, refusals);
        // mysqldump makes tables that stand in for views; their types mean nothing.
        if is_in_comment && text.starts_with(b"/*!50001") {
            view::stand_in(&mut table);
        }
        match self.schema.tables.get(&key) {
            Some(old) if if_not_exists && old.is_defined => return Ok(()),
            Some(old) if !old.is_defined => info_schema::keep_counts(&mut table, old),
            _ => {}
        }
        self.filled.extend(key.db.clone());
        self.created.push(key);
        self.schema.insert(table);
        Ok(())
    }

    /// Columns and indexes of another table; its foreign keys are not copied.
    fn like(&self, table: &mut Table, db: Option<String>, name: &str) -> Option<()> {
        let db = self.db_of(db);
        let other = self.schema.table(db.as_deref(), name)?;
        table.columns.clone_from(&other.columns);
        table.indexes.clone_from(&other.indexes);
        table.indexes.retain(|index| !index.is_implied);
        for part in table.indexes.iter_mut().flat_map(|index| &mut index.parts) {
            part.cardinality = None;
        }
        table.checks.clone_from(&other.checks);
        table.partitions.clone_from(&other.partitions);
        table.engine.clone_from(&other.engine);
        table.charset.clone_from(&other.charset);
        table.collation.clone_from(&other.collation);
        table.row_format.clone_from(&other.row_format);
        table.comment.clone_from(&other.comment);
        Some(())
    }

    /// The list between the parentheses.
    fn elements(
        &mut self,
        cursor: &mut Cursor<'_>,
        table: &mut Table,
        refusals: &mut Vec<Refusal>,
    ) {
        let start = *cursor;
        let Some(list) = cursor.parenthesized() else { return };
        let consumed = start.rest().len() - cursor.rest().len();
        let has_end = consumed == list.rest().len() + 2;
        let mut names: HashSet<String> = HashSet::new();
        if list.is_empty() {
            refusals.push(list.refusal("a column"));
        }
        for mut one in list.items(b',') {
            let at = one;
            if one.is_empty() {
                refusals.push(one.refusal("a column or key"));
                continue;
            }
            match element(&mut one, refusals) {
                Ok(Element::Column(column)) => {
                    if names.insert(column.column.name.to_lowercase())
                        && table.columns.len() < MOST_COLUMNS
                    {
                        self.add_column(table, *column);
                    } else {
                        refusals.push(at.refusal("a column of another name"));
                    }
                }
                Ok(Element::Like(db, name)) => {
                    if self.like(table, db, &name).is_none() {
                        refusals.push(at.refusal("a table that was created above"));
                    }
                }
                Ok(other) => {
                    if !add_element(table, other) {
                        refusals.push(at.refusal("fewer indexes"));
                    }
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        if !has_end {
            refusals.push(cursor.refusal("`)`"));
        }
    }

    /// Adds a column with what it says of the table.
    pub fn add_column(&self, table: &mut Table, element: ColumnElement) {
        self.add_constraints(table, &element);
        table.columns.push(element.column);
    }

    /// Adds the keys and checks that stand in a column's definition.
    pub fn add_constraints(&self, table: &mut Table, element: &ColumnElement) {
        let name = &element.column.name;
        let mut add = |kind: IndexKind| {
            let mut index = Index::new(kind, String::new());
            index.parts.push(Part::column(name.clone()));
            add_index(table, index)
        };
        if element.is_primary {
            add(IndexKind::Primary);
        }
        if element.is_unique {
            add(IndexKind::Unique);
        }
        table.checks.extend(element.checks.iter().cloned());
        if let Some(key) = element.references.clone().filter(|_| self.heeds_references()) {
            add_foreign_key(table, key);
        }
    }

    /// REFERENCES in a column makes a foreign key in MariaDB and since MySQL 9.0; before, the
    /// server reads it and forgets it.
    fn heeds_references(&self) -> bool {
        self.schema.server.as_ref().is_some_and(|server| match server.family {
            Family::MariaDb => (server.major, server.minor) >= (10, 5),
            _ => server.major >= 9,
        })
    }

    /// `CREATE INDEX name [USING x] ON table (parts) …`, from the name on.
    fn create_index(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        kind: IndexKind,
    ) -> Result<(), Refusal> {
        let _ = cursor.words("IF NOT EXISTS");
        let name = cursor.name().ok_or_else(|| cursor.refusal("an index name"))?;
        while !cursor.is_word("ON") {
            if cursor.take().is_none() {
                return Err(cursor.refusal("ON"));
            }
        }
        cursor.word("ON");
        let mut ahead = *cursor;
        ahead.qualified();
        let mut refusals = Vec::new();
        let mut index = key(&mut ahead, kind, None, &mut refusals)?;
        index.name = name;
        let table = self.table_of(cursor)?;
        add_index(table, index);
        self.refuse_all(text, refusals);
        Ok(())
    }

    /// Comments tell the database, the server, and facts.
    fn comment(&mut self, text: &[u8], at: usize) {
        (self.base, self.end) = (Base::File(at), None);
        if let Some((told, refusals)) = facts::read(text) {
            self.refuse_all(text, refusals);
            for fact in told {
                self.fact(text, fact);
            }
            return;
        }
        let line = String::from_utf8_lossy(&text[..text.len().min(512)]);
        let line = line.trim();
        if let Some(version) = line.strip_prefix("Server version") {
            self.schema.server = server(version.trim_start_matches(':').trim());
        } else if line.starts_with("Host: ") {
            let db = line.split_once("Database: ").map(|(_, db)| db.trim());
            self.db = db.filter(|db| !db.is_empty()).map(str::to_owned).or(self.db.take());
        } else if let Some(quoted) =
            line.strip_prefix("Current Database: ").or_else(|| line.strip_prefix("Database: "))
        {
            let tokens: Vec<Token> = Live::of(quoted.as_bytes()).collect();
            let db = Cursor::new(quoted.as_bytes(), &tokens).name();
            self.db = db.or(self.db.take());
        }
    }

    /// Puts a fact to its table.
    fn fact(&mut self, text: &[u8], (of, fact, at): Told) {
        let Some(key) = self.table_of_fact(of) else {
            let expected = "a table that was created above expected".to_owned();
            return self.refuse(text, Refusal { at, expected });
        };
        let Some(table) = self.schema.tables.get_mut(&key) else { return };
        if !add_fact(table, fact) {
            let expected = format!("a column of {} expected", table.name);
            self.refuse(text, Refusal { at, expected });
        }
    }

    fn table_of_fact(&mut self, of: Of) -> Option<Key> {
        if let Some((db, name)) = of {
            let db = self.db_of(db);
            let key = self.schema.key_of(db.as_deref(), &name);
            return key.or_else(|| self.schema.key_of(None, &name));
        }
        // Tables that are gone again are forgotten here, each once.
        while let Some(last) = self.created.last() {
            match self.schema.tables.get(last) {
                Some(table) if table.kind != TableKind::View => return Some(last.clone()),
                _ => self.created.pop(),
            };
        }
        None
    }

    /// Reads what a client printed.
    fn print(&mut self, print: &Print) {
        let definition = print.columns.iter().position(|name| {
            ["Create Table", "Create View"].iter().any(|known| name.eq_ignore_ascii_case(known))
        });
        self.end = None;
        let Some(column) = definition else {
            let rows: Vec<_> = print.rows.iter().map(|row| row.cells.clone()).collect();
            let db = self.db.clone();
            let problems = info_schema::add(self.schema, db.as_deref(), &print.columns, &rows);
            for (row, detail) in problems {
                let at = print.rows.get(row).map_or(print.at, |row| row.at);
                self.base = Base::Cell(at);
                self.refuse(b"", Refusal { at: 0, expected: detail });
            }
            return;
        };
        for row in &print.rows {
            let Some(Some(cell)) = row.cells.get(column) else { continue };
            self.base = row.definition_at.map_or(Base::Cell(row.at), Base::File);
            let text = cell.as_bytes();
            let tokens = Live::of(text).collect();
            self.definition(&Definition {
                text,
                at: row.at,
                tokens,
                is_in_comment: false,
                open_quote: None,
            });
        }
    }
}

/// Adds what is no column; false where there is no room for it.
pub(super) fn add_element(table: &mut Table, element: Element) -> bool {
    match element {
        Element::Key(index) => return add_index(table, index),
        Element::ForeignKey(key) => return add_foreign_key(table, key),
        Element::Check(check) => table.checks.push(check),
        Element::Column(_) | Element::Like(..) | Element::Period => {}
    }
    true
}

pub(super) fn add_index(table: &mut Table, index: Index) -> bool {
    let has_room = table.indexes.len() < MOST_INDEXES;
    if has_room {
        table.indexes.push(index);
    }
    has_room
}

fn add_foreign_key(table: &mut Table, mut key: ForeignKey) -> bool {
    let has_room = table.foreign_keys.len() < MOST_INDEXES;
    if has_room {
        key.indexes_before = table.indexes.len();
        table.foreign_keys.push(key);
    }
    has_room
}

/// Adds a fact; false where its column is not one of the table's.
fn add_fact(table: &mut Table, fact: Fact) -> bool {
    match fact {
        Fact::Rows(rows) => {
            table.facts.rows = Some(rows);
            table.facts.is_estimate = false;
        }
        Fact::Column(mut told) => {
            let Some(name) = own_name(table, &told.column) else { return false };
            told.column = name;
            replace(&mut table.facts.columns, told, |one: &ColumnFacts, other| {
                one.column == other.column
            });
        }
        Fact::Prefix(mut told) => {
            let Some(name) = own_name(table, &told.column) else { return false };
            told.column = name;
            table.facts.prefixes.push(told);
        }
        Fact::Range(mut told) => {
            for test in &mut told.tests {
                let Some(name) = own_name(table, &test.column) else { return false };
                test.column = name;
            }
            table.facts.ranges.push(told);
        }
    }
    true
}

fn own_name(table: &Table, column: &str) -> Option<String> {
    table.column(column).map(|column: &Column| column.name.clone())
}

/// The later word of the same thing holds.
fn replace<T>(list: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) {
    match list.iter_mut().find(|own| is_same(own, &item)) {
        Some(own) => *own = item,
        None => list.push(item),
    }
}

/// `8.0.40`, `11.8.3-MariaDB-log`, `5.5.5-10.4.32-MariaDB`
fn server(version: &str) -> Option<Server> {
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

/// `CREATE TABLE t (SELECT …)` has no elements.
fn begins_select(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    while ahead.byte(b'(') {}
    ahead.is_word("SELECT") || ahead.is_word("WITH")
}

/// A character set or collation among the options of a table or database.
pub(super) enum CharsetOption {
    Charset(String),
    Collation(String),
}

pub(super) fn charset_option(cursor: &mut Cursor<'_>) -> Option<CharsetOption> {
    let mut ahead = *cursor;
    ahead.word("DEFAULT");
    let is_charset = ahead.words("CHARACTER SET") || ahead.word("CHARSET");
    if !is_charset && !ahead.word("COLLATE") {
        return None;
    }
    ahead.byte(b'=');
    let name = ahead.name().or_else(|| ahead.string())?.to_ascii_lowercase();
    *cursor = ahead;
    Some(if is_charset { CharsetOption::Charset(name) } else { CharsetOption::Collation(name) })
}

/// The character set that a collation is of, where its name says it.
pub(super) fn charset_of(collation: &str) -> Option<String> {
    crate::sql::definition::charset_of_collation(collation)
}

/// Reads the options behind the parentheses, up to the end of the tokens.
fn options(cursor: &mut Cursor<'_>, table: &mut Table, refusals: &mut Vec<Refusal>) {
    while !cursor.is_empty() {
        if cursor.words("PARTITION BY") {
            match partitions(cursor, refusals) {
                Ok(partitions) => table.partitions = Some(partitions),
                Err(refusal) => refusals.push(refusal),
            }
        } else if begins_rows(cursor) {
            // Its columns are not known.
            return;
        } else if !option(cursor, table) {
            refusals.push(cursor.refusal("a table option"));
            pass_unknown(cursor);
        }
    }
}

/// `[IGNORE | REPLACE] [AS] SELECT …`: the rows of a table, and maybe columns.
fn begins_rows(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    let _ = ahead.word("IGNORE") || ahead.word("REPLACE");
    ahead.word("AS");
    while ahead.byte(b'(') {}
    ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| ahead.is_word(word))
        && !{
            let mut system = *cursor;
            system.words("WITH SYSTEM VERSIONING")
        }
}

/// Passes what nobody knows, up to the next option that somebody does.
fn pass_unknown(cursor: &mut Cursor<'_>) {
    while cursor.parenthesized().is_some() || cursor.take().is_some() {
        let is_partition = cursor.clone().words("PARTITION BY");
        if is_partition || option(&mut cursor.clone(), &mut Table::default()) {
            return;
        }
    }
}

/// Takes one option of a table. False, and nothing taken, where none that we know is next.
pub(super) fn option(cursor: &mut Cursor<'_>, table: &mut Table) -> bool {
    if let Some(option) = charset_option(cursor) {
        match option {
            CharsetOption::Charset(charset) => {
                // A collation may stand before its character set.
                let fits = table.collation.as_deref().and_then(charset_of) == Some(charset.clone());
                table.collation = table.collation.take().filter(|_| fits);
                table.charset = Some(charset);
            }
            CharsetOption::Collation(collation) => {
                table.charset = charset_of(&collation).or(table.charset.take());
                table.collation = Some(collation);
            }
        }
        return true;
    }
    let mut ahead = *cursor;
    let is_known = if ahead.word("ENGINE") || ahead.word("TYPE") {
        ahead.byte(b'=');
        let name = ahead.name().or_else(|| ahead.string());
        let has_name = name.is_some();
        table.engine = name.or(table.engine.take());
        has_name
    } else if ahead.word("AUTO_INCREMENT") {
        ahead.byte(b'=');
        table.auto_increment = ahead.number();
        table.auto_increment.is_some()
    } else if ahead.word("ROW_FORMAT") {
        ahead.byte(b'=');
        table.row_format = ahead.name().map(|name| name.to_ascii_uppercase());
        table.row_format.is_some()
    } else if ahead.word("COMMENT") {
        ahead.byte(b'=');
        let comment = ahead.string();
        let has_text = comment.is_some();
        table.comment = comment.filter(|text| !text.is_empty());
        has_text
    } else {
        plain_option(&mut ahead)
    };
    if is_known {
        *cursor = ahead;
    }
    is_known
}

/// Options of storage: nothing that an index or a plan depends on.
fn plain_option(ahead: &mut Cursor<'_>) -> bool {
    if ahead.byte(b',')
        || ahead.words("WITH SYSTEM VERSIONING")
        || ahead.words("START TRANSACTION")
        || ahead.words("STORAGE DISK")
        || ahead.words("STORAGE MEMORY")
    {
        return true;
    }
    let directory = ahead.words("DATA DIRECTORY") || ahead.words("INDEX DIRECTORY");
    let is_listed = directory
        || [
            "UNION",
            "TABLESPACE",
            "CONNECTION",
            "KEY_BLOCK_SIZE",
            "COMPRESSION",
            "ENCRYPTION",
            "AVG_ROW_LENGTH",
            "MAX_ROWS",
            "MIN_ROWS",
            "CHECKSUM",
            "PACK_KEYS",
            "DELAY_KEY_WRITE",
            "STATS_PERSISTENT",
            "STATS_AUTO_RECALC",
            "STATS_SAMPLE_PAGES",
            "INSERT_METHOD",
            "PASSWORD",
            "ENGINE_ATTRIBUTE",
            "SECONDARY_ENGINE",
            "SECONDARY_ENGINE_ATTRIBUTE",
            "AUTOEXTEND_SIZE",
            "TRANSACTIONAL",
            "PAGE_CHECKSUM",
            "TABLE_CHECKSUM",
        ]
        .iter()
        .any(|word| ahead.word(word));
    if is_listed {
        ahead.byte(b'=');
        return ahead.parenthesized().is_some() || ahead.take().is_some();
    }
    // Each engine of MariaDB may have options of its own: `name = value`.
    ahead.name().is_some() && ahead.byte(b'=') && ahead.take().is_some()
}
