//! What a look at the tokens tells of a statement: which name stands for which table, what
//! conditions compare, where it stops.
//!
//! ```text
//! SELECT o.id FROM shop.orders AS o WHERE o.ref = 12345 AND DATE(o.placed) = '2026-01-02' LIMIT 5, 10
//!                  source          alias  comparison         mention in a function          15 rows
//! ```
//!
//! No grammar: what is not seen for sure is not told. It takes conditions alone too, as plans print
//! them. A comparison counts only where both of its sides stand alone: `ref + 0 = 5` has none.

mod hidden;
mod sources;
mod walk;

use std::borrow::Cow;

use self::sources::sources;
use self::walk::{Clause, Look};
use super::distill::TableName;

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verb {
    /// SELECT, WITH, TABLE, VALUES.
    Select,
    /// INSERT.
    Insert,
    /// REPLACE.
    Replace,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Anything else, or not known.
    #[default]
    Other,
}

/// A table that a statement names, and the name that stands for it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The table.
    pub table: TableName,
    /// Its alias.
    pub alias: Option<String>,
}

impl Source {
    /// The name that stands for it, as EXPLAIN prints it.
    #[must_use]
    pub fn called(&self) -> Cow<'_, str> {
        match &self.alias {
            Some(alias) => Cow::Borrowed(alias),
            None => String::from_utf8_lossy(&self.table.name),
        }
    }

    /// Whether this name stands for it.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.called().eq_ignore_ascii_case(name)
    }
}

/// A column as written: `t.c` or `c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnName {
    /// The table or alias before the dot.
    pub table: Option<String>,
    /// The column.
    pub name: String,
}

/// How two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `=`, `<=>`, IN.
    Equal,
    /// `<`, `<=`, `>`, `>=`, BETWEEN.
    Range,
    /// LIKE.
    Like,
    /// `!=`, `<>`, NOT IN, NOT BETWEEN, NOT LIKE.
    Not,
    /// IS NULL.
    IsNull,
}

/// What a column is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A number, or a list or range with one, as written.
    Number(String),
    /// Another column.
    Column(ColumnName),
    /// Anything else: strings, variables, placeholders, expressions.
    Other,
}

/// A column that stands alone on a side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The column.
    pub column: ColumnName,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub with: Operand,
    /// As written.
    pub text: String,
}

/// A column in a condition, whatever is done with it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The column.
    pub column: ColumnName,
    /// Whether it stands in the parentheses of a function or beside an arithmetic operator.
    pub is_wrapped: bool,
}

/// What keeps an index on a column from being searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hides {
    /// A function, in capitals. CAST(… AS DATE) is DATE.
    Function(String),
    /// Numbers or intervals that are added to it, or the like.
    Arithmetic,
    /// A pattern of LIKE that begins with a wildcard.
    Wildcard,
}

/// A comparison for which no index on its column can be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The only column in it.
    pub column: ColumnName,
    /// Why.
    pub hides: Hides,
    /// How it is compared.
    pub op: Op,
    /// The one literal that it is compared with, as written.
    pub value: Option<String>,
    /// As written.
    pub text: String,
}

/// What was seen of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Glance {
    /// What it does.
    pub verb: Verb,
    /// Its tables in order, each time it is named.
    pub sources: Vec<Source>,
    /// Comparisons in WHERE and ON.
    pub comparisons: Vec<Comparison>,
    /// Comparisons in WHERE and ON that keep a column from its index.
    pub hidden: Vec<Hidden>,
    /// Whether a condition has an OR.
    pub has_or: bool,
    /// All columns in WHERE and ON.
    pub mentions: Vec<Mention>,
    /// Rows after which the outermost LIMIT stops, those of the offset included.
    pub limit: Option<u64>,
    /// Whether there is an outermost LIMIT, whatever it says.
    pub has_limit: bool,
    /// Whether no LIMIT stops the reading: aggregates without GROUP BY, SQL_CALC_FOUND_ROWS.
    pub reads_all: bool,
    /// Whether an ORDER BY begins with an aggregate, or with the alias of one.
    pub orders_by_aggregate: bool,
    /// Whether an aggregate is called anywhere.
    pub aggregates: bool,
    /// Whether a UNION is in it.
    pub has_union: bool,
    /// Number of SELECTs.
    pub selects: usize,
}

/// Comparisons and mentions kept.
const KEPT: usize = 4_096;

/// Looks at a statement.
#[must_use]
pub fn statement(text: &str) -> Glance {
    let mut look = Look::new(text, Clause::Other);
    look.run();
    let mut glance = look.glance;
    glance.sources = sources(text);
    glance
}

/// What a statement does, without a look at the rest.
#[must_use]
pub fn verb(text: &str) -> Verb {
    Look::new(text, Clause::Other).verb()
}

/// Looks at a condition that stands alone, as plans print it.
#[must_use]
pub fn condition(text: &str) -> Glance {
    let mut look = Look::new(text, Clause::Condition);
    look.run();
    look.glance
}

/// Whether a sort as TREE prints it, `Sort: sum(o.total) DESC`, is by an aggregate.
#[must_use]
pub fn sorts_by_aggregate(operation: &str) -> bool {
    let Some(key) = operation.strip_prefix("Sort: ") else { return false };
    walk::is_aggregate(key.trim_start_matches('`'))
}

fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('`').unwrap_or(text);
    inside.strip_suffix('`').unwrap_or(inside).replace("``", "`")
}

#[cfg(test)]
mod tests;
