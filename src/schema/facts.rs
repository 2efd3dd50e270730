//! Table facts: what a user knows of the rows, in comments behind the tables.
//!
//! ```text
//! -- rows: stores 2000, sales 100000; distinct: stores.id 2000, sales.state 3 (value 'new': 12 rows)
//! -- ranges: sold_on >= '2024-12-01' AND sold_on < '2025-01-01': 8551 rows, price < 10: 9 rows
//! -- prefixes: url(20) 4100, url(40) 9800
//! ```
//!
//! A name without its table is one of the table created last.

use crate::sql::definition::{Cursor, Live, Refusal};
use crate::sql::token::{Kind, Token};

/// What is known of the rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// How many rows it has.
    pub rows: Option<u64>,
    /// The server estimated `rows`; else the user told it.
    pub is_estimate: bool,
    /// By column, in the order told.
    pub columns: Vec<ColumnFacts>,
    /// How many rows a range holds.
    pub ranges: Vec<RangeFact>,
    /// How many distinct values a prefix has.
    pub prefixes: Vec<PrefixFact>,
}

impl Facts {
    /// What is known of a column, letter case aside.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnFacts> {
        self.columns.iter().find(|it| crate::sql::definition::same_name(&it.column, name))
    }
}

/// What is known of the values of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnFacts {
    /// As the table spells it.
    pub column: String,
    /// How many distinct values it has.
    pub distinct: Option<u64>,
    /// Values with their rows.
    pub values: Vec<(Value, u64)>,
}

/// A value in a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// NULL.
    Null,
    /// A number as written.
    Number(String),
    /// A string without its quotes and escapes.
    Text(String),
}

/// How many rows a condition keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeFact {
    /// The condition as written.
    pub text: String,
    /// Its comparisons, joined by AND; BETWEEN is two of them.
    pub tests: Vec<Test>,
    /// Rows for which it holds.
    pub rows: u64,
}

/// A comparison of a column with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The column, without its table.
    pub column: String,
    /// How it is compared.
    pub op: Op,
    /// With what.
    pub value: Value,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are the names of the operators")]
pub enum Op {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
}

/// How many distinct values the prefix of a column has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixFact {
    /// The column.
    pub column: String,
    /// Length of the prefix.
    pub length: u32,
    /// Distinct values.
    pub distinct: u64,
}

/// The table that a fact is of, where it says so: database and name.
pub(super) type Of = Option<(Option<String>, String)>;

/// A fact as told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    Rows(u64),
    Column(ColumnFacts),
    Range(RangeFact),
    Prefix(PrefixFact),
}

/// A fact with its table and its place in the comment.
pub(super) type Told = (Of, Fact, usize);

/// Stands for a colon outside of quotes: to the lexer `:5` is a placeholder.
const COLON: u8 = 1;

/// Reads the facts in a comment; `None` where it holds none.
///
/// - Grammar: `head ":" item *( "," item ) *( ";" head … )`; heads are `rows`, `distinct` or
///   `distinct values`, `ranges`, `prefixes`.
/// - Errors: an item that is not understood is refused, the others hold.
pub(super) fn read(comment: &[u8]) -> Option<(Vec<Told>, Vec<Refusal>)> {
    if !begins_facts(comment) {
        return None;
    }
    let text = without_colons(comment);
    let tokens: Vec<Token> = Live::of(&text).collect();
    let mut line = Cursor::new(&text, &tokens);
    let (mut told, mut refusals) = (Vec::new(), Vec::new());
    while !line.is_empty() {
        let mut section = line.until(b';');
        let Some(read) = head(&mut section) else {
            // Words behind the last fact may be anything.
            if !section.is_empty() {
                refusals.push(section.refusal("rows:, distinct:, ranges: or prefixes:"));
            }
            continue;
        };
        for item in section.items(b',') {
            match read(item) {
                Ok(fact) => told.push(fact),
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    Some((told, refusals))
}

type Read = for<'a> fn(Cursor<'a>) -> Result<Told, Refusal>;

const HEADS: [(&str, Read); 5] = [
    ("rows", rows),
    ("distinct values", distinct),
    ("distinct", distinct),
    ("ranges", range),
    ("prefixes", prefix),
];

fn head(section: &mut Cursor<'_>) -> Option<Read> {
    HEADS.iter().find_map(|(words, read)| {
        let mut ahead = *section;
        (ahead.words(words) && ahead.byte(COLON)).then(|| {
            *section = ahead;
            *read
        })
    })
}

/// Asked of every comment of a dump, so it looks at the first bytes alone.
fn begins_facts(comment: &[u8]) -> bool {
    let comment = comment.trim_ascii_start();
    HEADS.iter().any(|(words, _)| {
        comment.split_at_checked(words.len()).is_some_and(|(head, rest)| {
            head.eq_ignore_ascii_case(words.as_bytes()) && rest.trim_ascii_start().starts_with(b":")
        })
    })
}

fn without_colons(comment: &[u8]) -> Vec<u8> {
    let mut text = comment.to_vec();
    let mut quote = None;
    for byte in &mut text {
        match (quote, *byte) {
            (None, b'\'' | b'"' | b'`') => quote = Some(*byte),
            (Some(open), closing) if open == closing => quote = None,
            (None, b':') => *byte = COLON,
            _ => {}
        }
    }
    text
}

/// `a`, `t.a`, `db.t.a`: the names in order.
fn path(cursor: &mut Cursor<'_>) -> Option<Vec<String>> {
    let mut names = vec![cursor.name()?];
    while names.len() < 3 && cursor.byte(b'.') {
        names.push(cursor.name()?);
    }
    Some(names)
}

/// A column with its table, where it has one.
fn column(cursor: &mut Cursor<'_>) -> Result<(Of, String), Refusal> {
    let refusal = cursor.refusal("a column");
    let mut names = path(cursor).ok_or_else(|| refusal.clone())?;
    let column = names.pop().ok_or(refusal)?;
    let table = names.pop();
    Ok((table.map(|table| (names.pop(), table)), column))
}

/// A count, with `rows` behind it or not.
fn count(cursor: &mut Cursor<'_>) -> Result<u64, Refusal> {
    let count = cursor.number().ok_or_else(|| cursor.refusal("a number"))?;
    let _ = cursor.word("rows") || cursor.word("row");
    Ok(count)
}

fn done(cursor: &Cursor<'_>) -> Result<(), Refusal> {
    if cursor.is_empty() { Ok(()) } else { Err(cursor.refusal("`,` or `;`")) }
}

fn rows(mut item: Cursor<'_>) -> Result<Told, Refusal> {
    let at = item.offset();
    let mut of = None;
    if item.peek().is_some_and(|token| token.kind != Kind::Literal) {
        let (db, table) = item.qualified().ok_or_else(|| item.refusal("a table"))?;
        of = Some((db, table));
    }
    let rows = count(&mut item)?;
    done(&item)?;
    Ok((of, Fact::Rows(rows), at))
}

fn distinct(mut item: Cursor<'_>) -> Result<Told, Refusal> {
    let at = item.offset();
    let (of, column) = column(&mut item)?;
    let mut facts = ColumnFacts { column, distinct: Some(count(&mut item)?), values: Vec::new() };
    if let Some(list) = item.parenthesized() {
        for mut entry in list.items(b',') {
            if !entry.word("value") {
                return Err(entry.refusal("value"));
            }
            let value = value(&mut entry)?;
            if !entry.byte(COLON) {
                return Err(entry.refusal("`:`"));
            }
            facts.values.push((value, count(&mut entry)?));
            done(&entry)?;
        }
    }
    done(&item)?;
    Ok((of, Fact::Column(facts), at))
}

fn value(cursor: &mut Cursor<'_>) -> Result<Value, Refusal> {
    if cursor.word("NULL") {
        return Ok(Value::Null);
    }
    if let Some(text) = cursor.string() {
        return Ok(Value::Text(text));
    }
    let start = *cursor;
    let _ = cursor.byte(b'-') || cursor.byte(b'+');
    match cursor.take() {
        Some(token) if token.kind == Kind::Literal => {
            let text = start.up_to(cursor).source();
            Ok(Value::Number(text.chars().filter(|c| !c.is_whitespace()).collect()))
        }
        _ => Err(start.refusal("a number, a quoted string or NULL")),
    }
}

const OPERATORS: [(&[u8], Op); 7] = [
    (b"=", Op::Equal),
    (b"<>", Op::NotEqual),
    (b"!=", Op::NotEqual),
    (b"<=", Op::LessOrEqual),
    (b">=", Op::GreaterOrEqual),
    (b"<", Op::Less),
    (b">", Op::Greater),
];

fn range(mut item: Cursor<'_>) -> Result<Told, Refusal> {
    let at = item.offset();
    let start = item;
    let mut fact = RangeFact { text: String::new(), tests: Vec::new(), rows: 0 };
    let mut of: Of = None;
    loop {
        let place = item.refusal("a column of the same table");
        let table = tests(&mut item, &mut fact.tests)?;
        match (&of, table) {
            (None, table) => of = table,
            (Some(one), Some(other)) if *one != other => return Err(place),
            _ => {}
        }
        if !item.word("AND") {
            break;
        }
    }
    fact.text = start.up_to(&item).source();
    if !item.byte(COLON) {
        return Err(item.refusal("AND or `:`"));
    }
    fact.rows = count(&mut item)?;
    done(&item)?;
    Ok((of, Fact::Range(fact), at))
}

/// Takes one comparison.
fn tests(item: &mut Cursor<'_>, tests: &mut Vec<Test>) -> Result<Of, Refusal> {
    let (of, column) = column(item)?;
    let mut test = |op: Op, value: Value| tests.push(Test { column: column.clone(), op, value });
    if item.word("BETWEEN") {
        test(Op::GreaterOrEqual, value(item)?);
        if !item.word("AND") {
            return Err(item.refusal("AND"));
        }
        test(Op::LessOrEqual, value(item)?);
    } else if item.word("LIKE") {
        test(Op::Like, value(item)?);
    } else {
        let known = OPERATORS.iter().find(|(sign, _)| item.peek_bytes() == *sign);
        let (_, op) = known.ok_or_else(|| item.refusal("a comparison, BETWEEN or LIKE"))?;
        item.take();
        test(*op, value(item)?);
    }
    Ok(of)
}

fn prefix(mut item: Cursor<'_>) -> Result<Told, Refusal> {
    let at = item.offset();
    let (of, column) = column(&mut item)?;
    let mut inside = item.parenthesized().ok_or_else(|| item.refusal("`(`"))?;
    let length = inside.number().and_then(|number| u32::try_from(number).ok());
    let length = length.ok_or_else(|| inside.refusal("the length of a prefix"))?;
    let distinct = count(&mut item)?;
    done(&item)?;
    Ok((of, Fact::Prefix(PrefixFact { column, length, distinct }), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each fact as a short text, then what was refused.
    #[track_caller]
    fn check(comment: &str, want: &[&str]) {
        let (told, refusals) = read(comment.as_bytes()).expect(comment);
        let line = |(of, fact, _): &Told| {
            let of = of.as_ref().map_or(String::new(), |(db, table)| {
                db.as_ref().map_or(format!("{table}."), |db| format!("{db}.{table}."))
            });
            match fact {
                Fact::Rows(rows) => format!("{of}rows {rows}"),
                Fact::Column(it) => {
                    format!("{of}{} {} {:?}", it.column, it.distinct.unwrap(), it.values)
                }
                Fact::Range(it) => {
                    let tests = it.tests.iter();
                    let tests = tests.map(|it| format!("{} {:?} {:?}", it.column, it.op, it.value));
                    format!("{of}[{}] {}", tests.collect::<Vec<_>>().join(", "), it.rows)
                }
                Fact::Prefix(it) => format!("{of}{}({}) {}", it.column, it.length, it.distinct),
            }
        };
        let mut got: Vec<String> = told.iter().map(line).collect();
        got.extend(refusals.iter().map(|it| format!("{}: {}", it.at, it.expected)));
        assert_eq!(got, want, "{comment}");
    }

    #[test]
    fn rows_and_distinct_values() {
        check(" rows: 800000", &["rows 800000"]);
        check(
            " rows: 80000; distinct: a 40, `b c` 5 (value 4: 162 rows, value -2: 1 row), d 7",
            &[
                "rows 80000",
                "a 40 []",
                "b c 5 [(Number(\"4\"), 162), (Number(\"-2\"), 1)]",
                "d 7 []",
            ],
        );
        check(" Distinct values:a 9", &["a 9 []"]);
        check(
            " distinct: state 3 (value 'a: b, c': 120 rows, value NULL: 5 rows)",
            &["state 3 [(Text(\"a: b, c\"), 120), (Null, 5)]"],
        );
    }

    #[test]
    fn names_may_have_their_table_and_database() {
        check(
            " rows: t 5, `crm-eu`.`u` 6; distinct: t.a 3, d.u.`order` 4 (value 'x':1 rows)",
            &["t.rows 5", "crm-eu.u.rows 6", "t.a 3 []", "d.u.order 4 [(Text(\"x\"), 1)]"],
        );
    }

    #[test]
    fn ranges_are_comparisons() {
        check(
            " ranges: t.at >= '2024-01-01 10:00' AND t.at < '2024-02-01': 12 rows, p < 3.5: 30 rows",
            &[
                "t.[at GreaterOrEqual Text(\"2024-01-01 10:00\"), at Less Text(\"2024-02-01\")] 12",
                "[p Less Number(\"3.5\")] 30",
            ],
        );
        check(
            " ranges: d BETWEEN 1 AND 2: 7 rows, c LIKE 'Q%': 9",
            &[
                "[d GreaterOrEqual Number(\"1\"), d LessOrEqual Number(\"2\")] 7",
                "[c Like Text(\"Q%\")] 9",
            ],
        );
    }

    #[test]
    fn prefixes_have_lengths() {
        check(" prefixes: url(20) 4100, t.url(40) 9800", &["url(20) 4100", "t.url(40) 9800"]);
    }

    #[test]
    fn an_item_that_is_not_understood_costs_itself() {
        check(" rows: many, t 5", &["t.rows 5", "11: a number expected"]);
        check(
            " rows: 5; columns: 7",
            &["rows 5", "10: rows:, distinct:, ranges: or prefixes: expected"],
        );
        check(" distinct: a 5 (worth 3: 2 rows), b 6", &["b 6 []", "16: value expected"]);
        check(" ranges: a ~ 5: 3 rows", &["11: a comparison, BETWEEN or LIKE expected"]);
        check(" ranges: a.x > 5 AND b.x > 6: 3", &["21: a column of the same table expected"]);
        check(" prefixes: a 5", &["13: `(` expected"]);
    }

    #[test]
    fn other_comments_hold_no_facts() {
        for text in [" distinct over a join", " rows of t", "", " Table structure for table `rows`"]
        {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
