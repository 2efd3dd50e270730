//! How many of the rows a test keeps.
//!
//! First what is known of this very value or range, then distinct values, then a guess. A guess is
//! called one: no covering index and no drop rests on it.

use crate::schema::{Index, Op as FactOp, TypeName, Value as FactValue};
use crate::sql::shape::{Bound, Value, ValueKind};

use super::cost::ROWS_UNKNOWN;
use super::tables::{ColumnAt, Known};

/// The share of the rows that a test keeps, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    /// From 0 to 1.
    pub part: f64,
    /// Where it comes from.
    pub source: From,
}

/// Where a share comes from, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum From {
    /// Nothing is known: a usual value.
    Guess,
    /// Distinct values, evenly spread.
    Distinct,
    /// The rows of this very value or range.
    Counted,
}

/// What an equality keeps of which nothing is known.
const GUESS_EQUAL: f64 = 0.1;
/// What a range with one end keeps of which nothing is known, and one with two ends.
const GUESS_RANGE: f64 = 1.0 / 3.0;
const GUESS_BETWEEN: f64 = 1.0 / 9.0;

impl Share {
    pub fn new(part: f64, source: From) -> Share {
        Share { part: part.clamp(0.0, 1.0), source }
    }
}

/// How many distinct values a column has.
pub(super) fn distinct(known: &Known<'_>, column: ColumnAt) -> Option<f64> {
    let table = known.table?;
    let name = known.columns.get(column)?;
    let told = table.facts.column(name).and_then(|facts| facts.distinct);
    let leads = |index: &&Index| index.parts.first().is_some_and(|part| part.is_column(name));
    let counted = table.indexes.iter().filter(leads).filter_map(|index| {
        let first = index.parts.first()?;
        first.cardinality.filter(|_| first.prefix.is_none()).filter(|count| *count > 0)
    });
    let counted = counted.max();
    let is_key = |index: &Index| {
        index.is_unique() && index.parts.len() == 1 && index.parts[0].is_column(name)
    };
    if let Some(count) = told.or(counted) {
        return Some((count as f64).max(1.0));
    }
    if table.indexes.iter().any(is_key) {
        return Some(known.rows.unwrap_or(ROWS_UNKNOWN));
    }
    let data_type = known.data_type(column)?;
    match data_type.name {
        TypeName::Enum => Some((data_type.members.len() as f64).max(1.0)),
        TypeName::TinyInt if data_type.length == Some(1) => Some(2.0),
        TypeName::Bit if data_type.length == Some(1) => Some(2.0),
        _ => None,
    }
}

/// What `column = value` keeps; without a value, what it keeps on the average.
pub(super) fn equal(known: &Known<'_>, column: ColumnAt, value: Option<&Value>) -> Share {
    if let Some(part) = value.and_then(|value| counted(known, column, value)) {
        return Share::new(part, From::Counted);
    }
    if let Some(count) = distinct(known, column) {
        return Share::new(rest_of(known, column, count), From::Distinct);
    }
    Share::new(GUESS_EQUAL, From::Guess)
}

/// What a value keeps that is not among those counted: an even part of the rows, or of what the
/// counted ones leave.
fn rest_of(known: &Known<'_>, column: ColumnAt, count: f64) -> f64 {
    let even = 1.0 / count;
    let facts = known.table.zip(known.columns.get(column));
    let told = facts.and_then(|(table, name)| table.facts.column(name)).map(|it| &it.values);
    let (Some(values), Some(rows)) = (told.filter(|it| !it.is_empty()), known.rows) else {
        return even;
    };
    let taken: f64 = values.iter().map(|(_, rows)| *rows as f64).sum::<f64>() / rows.max(1.0);
    let left = count - values.len() as f64;
    if left >= 1.0 {
        ((1.0 - taken).max(0.0) / left).min(even.max(1.0 / rows.max(1.0)))
    } else {
        even
    }
}

/// The counted part of the rows with a value.
fn counted(known: &Known<'_>, column: ColumnAt, value: &Value) -> Option<f64> {
    let facts = known.table?.facts.column(known.columns.get(column)?)?;
    let rows = known.rows.filter(|rows| *rows > 0.0)?;
    let (_, count) = facts.values.iter().find(|(own, _)| is_same(own, value))?;
    Some(*count as f64 / rows)
}

/// What IS NULL keeps.
pub(super) fn null(known: &Known<'_>, column: ColumnAt) -> Share {
    let null = Value { kind: ValueKind::Null, text: "NULL".to_owned() };
    match counted(known, column, &null) {
        Some(part) => Share::new(part, From::Counted),
        None if known.definition(column).is_some_and(|it| !it.is_nullable) => {
            Share::new(0.0, From::Counted)
        }
        None => Share::new(GUESS_EQUAL, From::Guess),
    }
}

/// What a list keeps.
pub(super) fn list(known: &Known<'_>, column: ColumnAt, values: &[Value]) -> Share {
    let one = |value: &Value| match value.kind {
        ValueKind::Null => null(known, column),
        _ => equal(known, column, Some(value)),
    };
    // Of long lists the first tell enough.
    let looked: Vec<Share> = values.iter().take(64).map(one).collect();
    let sum: f64 = looked.iter().map(|share| share.part).sum();
    let scale = values.len() as f64 / (looked.len() as f64).max(1.0);
    let source = looked.iter().map(|share| share.source).min().unwrap_or(From::Guess);
    Share::new(sum * scale, source)
}

/// A range over one column: all the tests of it together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Range {
    pub low: Option<Bound>,
    pub high: Option<Bound>,
    /// The pattern of a LIKE.
    pub like: Option<Value>,
    /// Against something that is not known beforehand, with how many ends.
    pub unknown: usize,
}

/// What a range keeps.
pub(super) fn range(known: &Known<'_>, column: ColumnAt, range: &Range) -> Share {
    if let Some(part) = counted_range(known, column, range) {
        return Share::new(part, From::Counted);
    }
    if let Some(like) = &range.like {
        let text = unquoted(like);
        let fixed = text.chars().take_while(|it| !matches!(it, '%' | '_')).count();
        return Share::new(GUESS_RANGE.min(36_f64.powi(-(fixed.min(8) as i32))), From::Guess);
    }
    let ends = range.unknown + usize::from(range.low.is_some()) + usize::from(range.high.is_some());
    Share::new(if ends >= 2 { GUESS_BETWEEN } else { GUESS_RANGE }, From::Guess)
}

fn counted_range(known: &Known<'_>, column: ColumnAt, range: &Range) -> Option<f64> {
    let table = known.table?;
    let name = known.columns.get(column)?;
    let rows = known.rows.filter(|rows| *rows > 0.0)?;
    let mut wanted: Vec<(FactOp, &Value)> = Vec::new();
    if let Some(low) = &range.low {
        let op = if low.is_inclusive { FactOp::GreaterOrEqual } else { FactOp::Greater };
        wanted.push((op, &low.value));
    }
    if let Some(high) = &range.high {
        let op = if high.is_inclusive { FactOp::LessOrEqual } else { FactOp::Less };
        wanted.push((op, &high.value));
    }
    wanted.extend(range.like.iter().map(|like| (FactOp::Like, like)));
    if range.unknown > 0 {
        return None;
    }
    let is_of = |fact: &&crate::schema::RangeFact| {
        fact.tests.iter().all(|test| test.column.eq_ignore_ascii_case(name))
    };
    let has = |fact: &crate::schema::RangeFact, (op, value): &(FactOp, &Value)| {
        fact.tests.iter().any(|test| test.op == *op && is_same(&test.value, value))
    };
    let mut of_column = table.facts.ranges.iter().filter(is_of);
    let exact = of_column
        .clone()
        .find(|fact| fact.tests.len() == wanted.len() && wanted.iter().all(|it| has(fact, it)));
    if let Some(fact) = exact {
        return Some(fact.rows as f64 / rows);
    }
    // One end is counted: the other leaves less.
    let wider = of_column.find(|fact| {
        fact.tests.len() < wanted.len()
            && fact.tests.iter().all(|test| {
                wanted.iter().any(|(op, value)| *op == test.op && is_same(&test.value, value))
            })
    })?;
    Some(wider.rows as f64 / rows * GUESS_RANGE)
}

/// Whether a value of a fact is that of a statement. Numbers may stand in quotes on either side,
/// and letter case does not count, as with most collations.
fn is_same(fact: &FactValue, value: &Value) -> bool {
    let own = match fact {
        FactValue::Null => return value.kind == ValueKind::Null,
        FactValue::Number(text) | FactValue::Text(text) => text,
    };
    if value.kind == ValueKind::Null {
        return false;
    }
    let text = unquoted(value);
    own.eq_ignore_ascii_case(&text)
        || match (own.parse::<f64>(), text.parse::<f64>()) {
            (Ok(own), Ok(other)) => own == other,
            _ => false,
        }
}

/// The text of a value without its quotes and escapes.
pub(super) fn unquoted(value: &Value) -> String {
    let text = value.text.trim();
    let text = text.rsplit_once(['\'', '"']).map_or(text, |_| {
        // An introducer (`_utf8mb4'x'`) or the word of a literal (`DATE '2026-01-01'`) goes.
        text.find(['\'', '"']).map_or(text, |at| &text[at..])
    });
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'));
    let Some(quote) = quote else { return text.to_owned() };
    let inside = text.strip_prefix(quote).unwrap_or(text);
    let inside = inside.strip_suffix(quote).unwrap_or(inside);
    let doubled = format!("{quote}{quote}");
    let inside = inside.replace(&doubled, &quote.to_string());
    let mut plain = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.extend(letters.next()),
            other => plain.push(other),
        }
    }
    plain
}

/// What several tests keep together, if each keeps these parts: they are seldom independent, so
/// each further one counts half as much (exponential back-off).
pub(super) fn together(parts: &[f64]) -> f64 {
    let mut sorted = parts.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut product = 1.0;
    for (place, part) in sorted.iter().take(4).enumerate() {
        let exponent = 0.5_f64.powi(place as i32);
        product *= part.powf(exponent);
    }
    product
}
