//! PARTITION BY: the method, what it is computed from, and the partitions by name.
//!
//! ```text
//! /*!50500 PARTITION BY RANGE  COLUMNS(seen_at)
//! (PARTITION p2025 VALUES LESS THAN ('2026-01-01') ENGINE = InnoDB,
//!  PARTITION pmax VALUES LESS THAN (MAXVALUE) ENGINE = InnoDB) */
//! ```

use crate::sql::definition::{Cursor, Refusal};
use crate::sql::token::Kind;

/// How a table is divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitions {
    /// By what, and over which columns.
    pub by: PartitionBy,
    /// By what each partition is divided again.
    pub sub: Option<PartitionBy>,
    /// How many there are, of methods that say only that.
    pub count: Option<u64>,
    /// The partitions that are listed, in order.
    pub listed: Vec<Partition>,
}

/// What decides the partition of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionBy {
    /// `RANGE`, `RANGE COLUMNS`, `LIST`, `LIST COLUMNS`, `HASH`, `LINEAR HASH`, `KEY`,
    /// `LINEAR KEY`, `SYSTEM_TIME`.
    pub method: String,
    /// What stands in the parentheses, as written; empty for `KEY ()`: the primary key.
    pub expression: String,
    /// The columns in it, in order of first use.
    pub columns: Vec<String>,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: String,
    /// What its rows have: `LESS THAN (…)`, `IN (…)`, `CURRENT`; as written.
    pub values: Option<String>,
}

/// Methods, of more words before fewer.
const METHODS: [&str; 9] = [
    "RANGE COLUMNS",
    "LIST COLUMNS",
    "LINEAR HASH",
    "LINEAR KEY",
    "RANGE",
    "LIST",
    "HASH",
    "KEY",
    "SYSTEM_TIME",
];

/// Reads what follows `PARTITION BY`.
///
/// - Grammar: `method "(" expression ")" [PARTITIONS n] [SUBPARTITION BY …] ["(" list ")"]`
/// - Errors: no method that we know, or no parentheses behind it. Of a partition in the list
///   what is not understood is refused, the others are read.
pub(super) fn partitions(
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<Partitions, Refusal> {
    let by = partition_by(cursor)?;
    let mut partitions = Partitions { by, sub: None, count: None, listed: Vec::new() };
    if cursor.word("PARTITIONS") {
        partitions.count = Some(cursor.number().ok_or_else(|| cursor.refusal("a number"))?);
    }
    if cursor.words("SUBPARTITION BY") {
        partitions.sub = Some(partition_by(cursor)?);
        if cursor.word("SUBPARTITIONS") && cursor.number().is_none() {
            refusals.push(cursor.refusal("a number"));
        }
    }
    if let Some(list) = cursor.parenthesized() {
        for item in list.items(b',') {
            match partition(item) {
                Ok(partition) => partitions.listed.push(partition),
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    Ok(partitions)
}

fn partition_by(cursor: &mut Cursor<'_>) -> Result<PartitionBy, Refusal> {
    let method = METHODS.into_iter().find(|method| cursor.words(method));
    let method = method.ok_or_else(|| cursor.refusal("a method of partitioning"))?;
    if cursor.word("ALGORITHM") {
        let _ = cursor.byte(b'=') && cursor.take().is_some();
    }
    if method == "SYSTEM_TIME" {
        return Ok(system_time(cursor));
    }
    let inside = cursor.parenthesized().ok_or_else(|| cursor.refusal("`(`"))?;
    Ok(PartitionBy {
        method: method.to_owned(),
        expression: inside.source(),
        columns: columns_of(inside),
    })
}

/// `INTERVAL 1 MONTH`, `LIMIT 1000`, `STARTS …`, `AUTO`, up to the list of partitions.
fn system_time(cursor: &mut Cursor<'_>) -> PartitionBy {
    let start = *cursor;
    while !cursor.is_empty() && !cursor.is_byte(b'(') && !cursor.is_word("PARTITIONS") {
        cursor.take();
    }
    let expression = start.up_to(cursor).source();
    PartitionBy { method: "SYSTEM_TIME".to_owned(), expression, columns: Vec::new() }
}

/// The names in an expression that are no functions.
fn columns_of(mut expression: Cursor<'_>) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    while let Some(token) = expression.peek() {
        let is_quoted = token.kind == Kind::Quoted;
        let name = expression.name();
        if name.is_none() {
            expression.take();
        }
        if let Some(name) = name.filter(|_| is_quoted || !expression.is_byte(b'('))
            // A partitioning expression has few columns; a list beyond that is no list of them.
            && columns.len() < 64
            && !columns.contains(&name)
        {
            columns.push(name);
        }
    }
    columns
}

fn partition(mut cursor: Cursor<'_>) -> Result<Partition, Refusal> {
    if !cursor.word("PARTITION") {
        return Err(cursor.refusal("PARTITION"));
    }
    let name = cursor.name().ok_or_else(|| cursor.refusal("a partition name"))?;
    let mut values = None;
    let start = cursor;
    if cursor.word("VALUES") {
        let _ = cursor.words("LESS THAN") || cursor.word("IN");
        let from = {
            let mut behind = start;
            behind.word("VALUES");
            behind
        };
        if cursor.parenthesized().is_none() && cursor.take().is_none() {
            return Err(cursor.refusal("`(`"));
        }
        values = Some(from.up_to(&cursor).source());
    } else if cursor.word("CURRENT") || cursor.word("HISTORY") {
        values = Some(start.up_to(&cursor).source());
    }
    // What follows is storage, and the names of subpartitions.
    Ok(Partition { name, values })
}
