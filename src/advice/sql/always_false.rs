//! A condition that no row can meet.

use std::ops::Range;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;
use crate::sql::shape::{Clause, Column, Op, Operand, Test, Value, ValueKind};

use super::statement::{Statement, in_title, recommend};
use super::words::{Edits, Words};

rule! {
    /// A condition that no row can meet.
    ///
    /// **Costs.** Nothing is found, whatever is stored: `= NULL` is never true, NOT IN with a NULL in its
    /// list neither, and one column cannot equal two values.
    /// **Wrong when.** It is meant to find nothing, as `1 = 0` of a tool that asks for column names;
    /// that is not told.
    /// **Verify.** The statement gives rows again.
    /// **Source.** MySQL manual, working with NULL values; NOT IN.
    ///
    /// ```sql schema
    /// CREATE TABLE loans (id int PRIMARY KEY, back date, reader int, state varchar(9));
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE back = NULL;
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE reader = 5 AND back != NULL;
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE reader NOT IN (1, 2, NULL);
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE state = 'late' AND state = 'back';
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE reader > 90 AND reader < 10;
    /// ```
    /// ```sql finding
    /// SELECT id FROM loans WHERE reader BETWEEN 90 AND 10;
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE back IS NULL AND 1 = 1;
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE 1 = 0;
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE back <=> NULL;
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE reader = ? AND state IN ('late', 'back');
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE state = 'late' OR state = 'back';
    /// ```
    /// ```sql clean
    /// UPDATE loans SET back = NULL WHERE id = 5;
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE reader IN (1, NULL);
    /// ```
    /// ```sql clean
    /// SELECT id FROM loans WHERE reader >= 5 AND reader <= 5 AND state >= 'a';
    /// ```
    /// ```sql clean
    /// SELECT l.id FROM loans l LEFT JOIN loans m ON m.id = l.reader AND m.state = 'late' WHERE l.state = 'back';
    /// ```
    Sql "SQL021" "always-false"
}

/// A condition that cannot hold, and what was meant.
struct Found {
    spans: Vec<Range<usize>>,
    column: Column,
    title: String,
    text: String,
    sql: Option<String>,
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let Some(found) = with_null(statement).or_else(|| contradiction(statement)) else {
        return Vec::new();
    };
    let spans: Vec<&Range<usize>> = found.spans.iter().collect();
    let (severity, confidence) = (Severity::Medium, Confidence::High);
    let at = found.column.of.filter(|at| statement.is_table(*at));
    let mut finding = match at {
        Some(at) => statement.of_source(&RULE, at, severity, confidence, &found.title, &spans),
        None => statement.finding(&RULE, severity, confidence, &found.title, &spans),
    };
    finding.subject.columns = vec![statement.column_name(&found.column)];
    recommend(&mut finding, found.text, found.sql);
    finding.verify = "The statement gives the rows that are wanted.".to_owned();
    vec![finding]
}

/// `c = NULL`, `c <> NULL`, `c NOT IN (1, NULL)`: as they are written.
fn with_null(statement: &Statement<'_>) -> Option<Found> {
    let mut edits = Edits::default();
    let mut first: Option<Found> = None;
    for met in statement.conditions() {
        let crate::sql::shape::Condition::Test(test) = &met.conjunct.condition else { continue };
        let Some((range, meant, is_list)) = nulls(statement, test) else { continue };
        edits.replace(range, meant);
        match &mut first {
            Some(found) => found.spans.push(test.span.clone()),
            None => {
                let (title, text) = match is_list {
                    true => (
                        "NOT IN with a NULL in its list is never true",
                        "Leave NULL out of the list: a value could equal the unknown one, so no row passes.",
                    ),
                    false => (
                        "A comparison with NULL is never true",
                        "Ask with IS NULL or IS NOT NULL: nothing equals NULL, nor differs from it. The rewritten statement \
                         finds what was meant, and so more than this one, which finds nothing there.",
                    ),
                };
                first = Some(Found {
                    spans: vec![test.span.clone()],
                    column: test.column.clone(),
                    title: format!("{title}: {}", in_title(statement.quote(&test.span))),
                    text: text.to_owned(),
                    sql: None,
                });
            }
        }
    }
    let mut found = first?;
    found.sql = statement.rewritten(&edits);
    Some(found)
}

/// Where NULL stands in a test that is never true for it, what was meant, and whether it is a list.
fn nulls(statement: &Statement<'_>, test: &Test) -> Option<(Range<usize>, String, bool)> {
    let is_null = |value: &Value| value.kind == ValueKind::Null;
    let is_candidate = match &test.op {
        Op::Equal(Operand::Value(value)) | Op::Compared(Operand::Value(value)) => is_null(value),
        Op::Differs(values) => values.iter().any(is_null),
        Op::Range { low, high } => low.iter().chain(high).any(|bound| is_null(&bound.value)),
        _ => false,
    };
    let words = Words::of(statement.text, &test.span).filter(|_| is_candidate)?;
    let sides = words.sides(&test.column.name)?;
    let column = words.text(&sides.own);
    let span = words.span(words.inner())?;
    match (sides.op.as_str(), sides.others.as_slice()) {
        ("=", [_]) => Some((span, format!("{column} IS NULL"), false)),
        ("<>" | "!=", [_]) => Some((span, format!("{column} IS NOT NULL"), false)),
        ("IN", [_]) => Some((span, format!("{column} IS NULL"), false)),
        ("NOT IN", others) => {
            let kept: Vec<&str> = others
                .iter()
                .map(|it| words.text(it))
                .filter(|it| !it.eq_ignore_ascii_case("NULL"))
                .collect();
            let meant = match kept.is_empty() {
                true => format!("{column} IS NOT NULL"),
                false => format!("{column} NOT IN ({})", kept.join(", ")),
            };
            Some((span, meant, true))
        }
        _ => None,
    }
}

/// Two tests of one column that cannot both hold, or one range that is empty.
fn contradiction(statement: &Statement<'_>) -> Option<Found> {
    for (_, block) in statement.blocks() {
        let tests: Vec<(&Test, Clause)> = block
            .conditions
            .iter()
            .filter(|it| it.clause != Clause::Having && !it.span.is_empty())
            .filter_map(|it| match &it.condition {
                crate::sql::shape::Condition::Test(test) if test.column.of.is_some() => {
                    Some((test, it.clause))
                }
                _ => None,
            })
            .take(MOST)
            .collect();
        for (place, (test, clause)) in tests.iter().enumerate() {
            let others = tests.iter().skip(place + 1);
            let mut same =
                others.filter(|(it, of)| it.column == test.column && of == clause).map(|it| it.0);
            let pair = same.find(|other| cannot_both(test, other));
            if pair.is_none() && !is_empty(&[test]) {
                continue;
            }
            let spans: Vec<Range<usize>> =
                std::iter::once(*test).chain(pair).map(|it| it.span.clone()).collect();
            let texts: Vec<String> = spans.iter().map(|it| in_title(statement.quote(it))).collect();
            return Some(Found {
                title: format!("No row can meet this: {}", texts.join(" and ")),
                column: test.column.clone(),
                spans,
                text: "One column has one value: ask for one of the two with IN or OR, turn the bounds round, or do not send \
                    the statement at all."
                    .to_owned(),
                sql: None,
            });
        }
    }
    None
}

/// Tests of a block that are compared with each other.
const MOST: usize = 200;

fn cannot_both(one: &Test, other: &Test) -> bool {
    let values = |test: &Test| match &test.op {
        Op::Equal(Operand::Value(value)) => Some(value.clone()),
        _ => None,
    };
    match (values(one), values(other)) {
        (Some(a), Some(b)) => differ(&a, &b),
        _ => is_empty(&[one, other]),
    }
}

/// Whether two constants are surely not equal, in any collation.
fn differ(a: &Value, b: &Value) -> bool {
    match (a.kind, b.kind) {
        (ValueKind::Number, ValueKind::Number) => {
            number(a).zip(number(b)).is_some_and(|(a, b)| a != b)
        }
        (ValueKind::Text, ValueKind::Text) => {
            let plain = |value: &Value| {
                let text = value.text.strip_prefix('\'')?.strip_suffix('\'')?;
                let is_plain =
                    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
                is_plain.then(|| text.to_ascii_lowercase())
            };
            plain(a).zip(plain(b)).is_some_and(|(a, b)| a != b)
        }
        _ => false,
    }
}

/// A number with its sign: whether it is less than nothing, and how large.
fn number(value: &Value) -> Option<i128> {
    if value.kind != ValueKind::Number {
        return None;
    }
    let digits = value.text.trim_start_matches(['-', '+']).trim();
    let amount = Amount::parse(digits)?.times(Amount::whole(1_000_000)).rounded().floor();
    let amount = i128::try_from(amount).ok()?;
    Some(if value.text.trim_start().starts_with('-') { -amount } else { amount })
}

/// Whether the bounds of tests of one column leave no number between them.
fn is_empty(tests: &[&Test]) -> bool {
    let mut lowest: Option<(i128, bool)> = None;
    let mut highest: Option<(i128, bool)> = None;
    for test in tests {
        let (low, high) = match &test.op {
            Op::Range { low, high } => (low.clone(), high.clone()),
            Op::Equal(Operand::Value(value)) => {
                let bound = crate::sql::shape::Bound { value: value.clone(), is_inclusive: true };
                (Some(bound.clone()), Some(bound))
            }
            _ => return false,
        };
        let told = |bound: &Option<crate::sql::shape::Bound>| {
            bound.as_ref().and_then(|it| Some((number(&it.value)?, it.is_inclusive)))
        };
        if let Some(new) = told(&low) {
            let is_closer = lowest.is_none_or(|own| new.0 > own.0 || new.0 == own.0 && !new.1);
            lowest = if is_closer { Some(new) } else { lowest };
        }
        if let Some(new) = told(&high) {
            let is_closer = highest.is_none_or(|own| new.0 < own.0 || new.0 == own.0 && !new.1);
            highest = if is_closer { Some(new) } else { highest };
        }
    }
    lowest
        .zip(highest)
        .is_some_and(|(low, high)| low.0 > high.0 || low.0 == high.0 && !(low.1 && high.1))
}
