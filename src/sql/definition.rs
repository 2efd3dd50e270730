//! Definitions of columns, keys and constraints, as CREATE TABLE and ALTER TABLE spell them.
//!
//! ```text
//! `email` varchar(120) COLLATE utf8mb4_bin DEFAULT NULL
//! UNIQUE KEY `ux_email` (`email`(20) DESC) /*!80000 INVISIBLE */
//! CONSTRAINT `fk` FOREIGN KEY (`a`) REFERENCES `t` (`id`) ON DELETE CASCADE
//! ```
//!
//! Read on our own tokens alone: sqlparser refuses a whole element for one word that it does not
//! know, and servers add such words with each release. Here such a word costs itself: it is named
//! as a [`Refusal`] and reading goes on behind it. What stands in a version comment counts, as it
//! does on the server.

mod column;
mod cursor;
mod key;
mod types;

pub use self::column::{charset_of_collation, column};
pub use self::cursor::Cursor;
pub use self::key::{constraint, element, key, key_parts};
pub use self::types::{DataType, TypeName};

use super::token::{Kind, Token, Tokens, tokens};

/// What could not be read, and what was expected in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Offset in the text that the tokens came from.
    pub at: usize,
    /// What was expected there.
    pub expected: String,
}

/// A column of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// As written, without quotes.
    pub name: String,
    /// Absent where it is not known, as of views in a dump.
    pub data_type: Option<DataType>,
    /// Whether it may be NULL. A `timestamp` that says neither counts as nullable, as servers
    /// since 8.0 have it; dumps of older ones always say it.
    pub is_nullable: bool,
    /// Character set of its own, in lower case: written, or implied by its own collation.
    pub charset: Option<String>,
    /// Collation of its own, in lower case; `_bin` of BINARY until the character set is known.
    pub collation: Option<String>,
    /// Value of a row that gives none.
    pub default: Option<DefaultValue>,
    /// Expression that an UPDATE of the row sets it to.
    pub on_update: Option<String>,
    /// How it is computed, of a generated column.
    pub generated: Option<Generated>,
    /// Whether the server counts it up.
    pub is_auto_increment: bool,
    /// Whether `SELECT *` leaves it out.
    pub is_invisible: bool,
    /// COMMENT, where there is one.
    pub comment: Option<String>,
}

/// Value behind DEFAULT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefaultValue {
    /// NULL.
    Null,
    /// A string without its quotes and escapes, or a number as written.
    Literal(String),
    /// A function or an expression, as written.
    Expression(String),
}

/// A generated column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The expression, as written; `ROW START` and `ROW END` of system-versioned tables too.
    pub expression: String,
    /// STORED or PERSISTENT; else it is computed when read.
    pub is_stored: bool,
}

/// A column's definition, with what it says of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnElement {
    /// The column itself.
    pub column: Column,
    /// `PRIMARY KEY` or `KEY` in the column.
    pub is_primary: bool,
    /// `UNIQUE` in the column.
    pub is_unique: bool,
    /// `REFERENCES` in the column.
    pub references: Option<ForeignKey>,
    /// `CHECK` in the column.
    pub checks: Vec<Check>,
    /// Where ALTER TABLE puts it.
    pub place: Option<Place>,
}

/// Where ALTER TABLE puts a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Before all others.
    First,
    /// Behind the column named.
    After(String),
}

/// What an index is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// PRIMARY KEY.
    Primary,
    /// UNIQUE.
    Unique,
    /// KEY.
    Plain,
    /// FULLTEXT.
    FullText,
    /// SPATIAL.
    Spatial,
    /// VECTOR, MariaDB 11.7 and later.
    Vector,
}

/// How an index is kept, as far as it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// BTREE.
    BTree,
    /// HASH.
    Hash,
    /// RTREE.
    RTree,
}

/// An index of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// `PRIMARY` of a primary key; empty where none is written, until the table is complete.
    pub name: String,
    /// What it is for.
    pub kind: IndexKind,
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// What USING says. Not every engine heeds it: see `Table::method`.
    pub using: Option<Method>,
    /// Neither INVISIBLE (MySQL) nor IGNORED (MariaDB).
    pub is_visible: bool,
    /// Made by the server for a foreign key that no written index supports.
    pub is_implied: bool,
    /// COMMENT, where there is one.
    pub comment: Option<String>,
}

impl Index {
    /// An index without parts.
    #[must_use]
    pub fn new(kind: IndexKind, name: String) -> Index {
        let name = if kind == IndexKind::Primary { "PRIMARY".to_owned() } else { name };
        Index {
            name,
            kind,
            parts: Vec::new(),
            using: None,
            is_visible: true,
            is_implied: false,
            comment: None,
        }
    }

    /// Whether no two rows may agree on all of its parts (NULL apart).
    #[must_use]
    pub fn is_unique(&self) -> bool {
        matches!(self.kind, IndexKind::Primary | IndexKind::Unique)
    }
}

/// A part of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What is indexed.
    pub on: PartOf,
    /// Length of a prefix: characters of texts, bytes of binary columns.
    pub prefix: Option<u32>,
    /// DESC.
    pub is_descending: bool,
    /// Distinct values of the index up to this part, where an index print told it.
    pub cardinality: Option<u64>,
}

/// What a part of an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartOf {
    /// A column by its name.
    Column(String),
    /// An expression as written, without the parentheses around it.
    Expression(String),
}

impl Part {
    /// The whole column, ascending.
    #[must_use]
    pub fn column(name: impl Into<String>) -> Part {
        let on = PartOf::Column(name.into());
        Part { on, prefix: None, is_descending: false, cardinality: None }
    }

    /// Name of the column, unless the part is an expression.
    #[must_use]
    pub fn column_name(&self) -> Option<&str> {
        match &self.on {
            PartOf::Column(name) => Some(name),
            PartOf::Expression(_) => None,
        }
    }

    /// Whether it is this column, letter case aside.
    #[must_use]
    pub fn is_column(&self, name: &str) -> bool {
        self.column_name().is_some_and(|own| same_name(own, name))
    }
}

/// A foreign key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignKey {
    /// Name of the constraint.
    pub name: Option<String>,
    /// Columns of this table.
    pub columns: Vec<String>,
    /// Database of the parent, if written.
    pub parent_db: Option<String>,
    /// The parent.
    pub parent: String,
    /// Columns of the parent.
    pub parent_columns: Vec<String>,
    /// `CASCADE`, `SET NULL`, … in upper case, if written.
    pub on_delete: Option<String>,
    /// The same of updates.
    pub on_update: Option<String>,
    /// How many indexes were defined before it: where the one that it implies has its place.
    pub(crate) indexes_before: usize,
}

/// A CHECK constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Name of the constraint, if written.
    pub name: Option<String>,
    /// What must hold, as written.
    pub expression: String,
    /// Unless NOT ENFORCED.
    pub is_enforced: bool,
}

/// One element between the parentheses of CREATE TABLE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// A column.
    Column(Box<ColumnElement>),
    /// An index.
    Key(Index),
    /// A foreign key.
    ForeignKey(ForeignKey),
    /// A check of the table.
    Check(Check),
    /// `LIKE other`: database and name.
    Like(Option<String>, String),
    /// `PERIOD FOR …` of a versioned table: nothing that we keep.
    Period,
}

/// Whether two names of columns or indexes are the same: letter case does not count.
#[must_use]
pub fn same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || (!(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase())
}

/// The tokens that a server acts on: those of version comments too, but not what stands in
/// hints, or in a comment for a version that no server has (`/*M!999999 … */`).
#[derive(Debug, Clone)]
pub struct Live<'a> {
    tokens: Tokens<'a>,
    /// One entry for each comment that is open: whether its text counts.
    open: Vec<bool>,
}

impl<'a> Live<'a> {
    /// The live tokens of a text.
    #[must_use]
    pub fn of(text: &'a [u8]) -> Live<'a> {
        Live { tokens: tokens(text), open: Vec::new() }
    }
}

impl Iterator for Live<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.tokens.next()?;
            match token.kind {
                Kind::HintOpen => self.open.push(is_executed(self.tokens.text(token))),
                Kind::HintClose => drop(self.open.pop()),
                _ if self.open.last() != Some(&false) => return Some(token),
                _ => {}
            }
        }
    }
}

/// Whether a comment that begins so is executed by some server.
#[must_use]
pub fn is_executed(mark: &[u8]) -> bool {
    let version: u32 = mark.iter().filter(|byte| byte.is_ascii_digit()).fold(0, |sum, digit| {
        let digit = u32::from(digit - b'0');
        u32::saturating_add(u32::saturating_mul(sum, 10), digit)
    });
    mark != b"/*+" && !(99_990..100_000).contains(&version) && version < 990_000
}
