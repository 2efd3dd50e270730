//! One schema file from its first byte to its last: what each statement, comment and print of it
//! does to the schema.
//!
//! ```text
//! -- Host: localhost    Database: shop     the database of what follows
//! -- Server version  8.0.40                which collations are the default ones
//! CREATE TABLE …                           see `ddl`; ALTER TABLE see `alter`, views see `view`
//! -- rows: 5000                            a fact, of the table above
//! ```
//!
//! Routines, triggers, users and rows are none of our business and passed without a word.

use std::collections::HashSet;

use crate::sql::definition::{Column, Cursor, Live, Refusal, same_name};
use crate::sql::token::Token;

use super::facts::{self, ColumnFacts, Fact, Of, Told};
use super::options::{CharsetOption, charset_of, charset_option};
use super::prints::{self, Print};
use super::script::{Definition, Piece, Script};
use super::table::{Table, TableKind};
use super::{Found, Key, Schema, Server, alter, info_schema};

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

    /// `[IF [NOT] EXISTS] name [DEFAULT] [CHARACTER SET x] [COLLATE y]`
    pub fn database(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
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
            table.indexes.retain(|index| !same_name(&index.name, &name));
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

    /// Puts a new table into the schema.
    pub fn keep_created(&mut self, table: Table) {
        self.filled.extend(table.db.clone());
        self.created.push(Key::of(table.db.as_deref(), &table.name));
        self.schema.insert(table);
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
            self.schema.server = Server::of_version(version.trim_start_matches(':').trim());
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
        // Routines too: they are passed like those of a dump.
        let definition =
            print.columns.iter().position(|name| prints::holds_definition(name.as_bytes()));
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
