//! The same of a statement.

use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{Clause, Condition, Expression, Why, Wrapped};

use super::super::statement::{Met, Statement, in_title, recommend};
use super::RULE;

/// Rows of a table from which on it costs.
const MIN_ROWS: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if statement.is_narrow(10) {
        return Vec::new();
    }
    let met = statement.conditions();
    let found: Vec<&Wrapped> =
        met.iter().filter_map(|met| wildcard(statement, met)).take(MOST).collect();
    let Some(first) = found.first() else { return Vec::new() };
    let Some(column) = first.columns.first() else { return Vec::new() };
    let at = column.of;
    let title = format!(
        "`{}` is compared with a pattern that begins with a wildcard: {}",
        statement.column_name(column),
        in_title(statement.quote(&first.span))
    );
    let confidence = match at.and_then(|at| statement.rows(at)) {
        Some(_) => Confidence::High,
        None => statement.confidence(at).max(Confidence::Low),
    };
    let spans: Vec<_> = found.iter().map(|it| &it.span).collect();
    let severity = Severity::Medium;
    let mut finding = match at {
        Some(at) => statement.of_source(&RULE, at, severity, confidence, &title, &spans),
        None => statement.finding(&RULE, severity, confidence, &title, &spans),
    };
    let mut columns: Vec<String> = found
        .iter()
        .filter_map(|it| it.columns.first())
        .map(|column| statement.column_name(column))
        .collect();
    columns.dedup();
    finding.subject.columns = columns;
    recommend(
        &mut finding,
        format!(
            "No index on `{}` can be searched for it. Where words are wanted, a FULLTEXT index with MATCH … AGAINST; where \
             ends are wanted, an indexed column with the text reversed and LIKE 'x%'; else a search engine, or a further \
             condition that an index can be searched by.",
            column.name
        ),
        None,
    );
    finding.verify = "EXPLAIN again: the table is read by fulltext, ref or range.".to_owned();
    vec![finding]
}

/// Comparisons of one finding.
const MOST: usize = 32;

fn wildcard<'a>(statement: &Statement<'_>, met: &Met<'a>) -> Option<&'a Wrapped> {
    let Condition::Wrapped(wrapped) = &met.conjunct.condition else { return None };
    let is_it = wrapped.why == Why::Wildcard
        && !wrapped.is_negated
        && met.conjunct.clause != Clause::Having
        && !wrapped.right.iter().any(is_anything);
    let column = wrapped.columns.first().filter(|_| is_it)?;
    let Some(at) = column.of else { return Some(wrapped) };
    let is_silent = !statement.is_table(at)
        || statement.is_below(at, MIN_ROWS)
        || statement.is_covered(at)
        || statement.fixes_row(at)
        || statement.is_narrowed(at)
        || statement.is_scanned(at) == Some(false);
    (!is_silent).then_some(wrapped)
}

/// `'%'`: any text passes.
fn is_anything(pattern: &Expression) -> bool {
    match pattern {
        Expression::Value(value) => {
            let inside = value.text.trim_matches(['\'', '"']);
            inside.bytes().all(|b| b == b'%')
        }
        _ => false,
    }
}
