//! HAVING tests what WHERE could.

use std::ops::Range;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::flavor::Family;
use crate::sql::shape::{Block, Clause as In, Column, Condition, Conjunct, ItemKind, SourceOf};

use super::in_subquery::other_column;
use super::statement::{At, Statement, in_title, recommend};
use super::words::{Clause, Clauses, Edits, Words, as_part};

rule! {
    /// HAVING tests a plain column, which WHERE could do before groups are made.
    ///
    /// **Costs.** All rows are read and grouped, and the groups dropped then; no index is searched.
    /// MariaDB moves a condition on a column of GROUP BY itself, MySQL does not.
    /// **Wrong when.** What is tested is an aggregate, an alias of an expression, or a window function.
    /// **Verify.** EXPLAIN: access type ref or range; far fewer rows.
    /// **Source.** MySQL manual, SELECT: HAVING; MariaDB, condition pushdown from HAVING.
    ///
    /// ```sql schema
    /// CREATE TABLE trades (id int PRIMARY KEY, desk int, day date, total int, KEY ix_desk (desk));
    /// ```
    /// ```sql finding
    /// SELECT desk, SUM(total) FROM trades GROUP BY desk HAVING desk = 5;
    /// ```
    /// ```sql finding
    /// SELECT desk, SUM(total) FROM trades WHERE day > '2026-01-01' GROUP BY desk HAVING desk IN (5, 6) AND SUM(total) > 10;
    /// ```
    /// ```sql finding
    /// SELECT id, desk FROM trades HAVING desk = 5;
    /// ```
    /// ```sql clean
    /// SELECT desk, SUM(total) FROM trades GROUP BY desk HAVING SUM(total) > 10;
    /// ```
    /// ```sql clean
    /// SELECT desk, SUM(total) AS desk_total FROM trades GROUP BY desk HAVING desk_total > 10;
    /// ```
    /// ```sql clean
    /// SELECT id, total * 2 AS twice FROM trades HAVING twice > 10;
    /// ```
    /// ```sql clean
    /// SELECT desk, SUM(total) FROM trades WHERE desk = 5 GROUP BY desk;
    /// ```
    /// ```sql clean
    /// SELECT desk, SUM(total) FROM trades GROUP BY desk WITH ROLLUP HAVING desk = 5;
    /// ```
    /// ```sql clean
    /// SELECT desk, MAX(total) AS desk FROM trades GROUP BY day HAVING desk > 5;
    /// ```
    Sql "SQL022" "having-as-where"
}

/// Rows from which on it costs more than a little, on MySQL.
const MANY: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut blocks = statement.blocks();
    blocks.find_map(|(place, block)| finding(statement, place, block)).into_iter().collect()
}

fn finding(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    let is_aggregate =
        |kind: &ItemKind| matches!(kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
    let has_aggregates = block.items.iter().any(|it| is_aggregate(&it.kind));
    if block.has_rollup || block.has_window || block.group.is_empty() && has_aggregates {
        return None;
    }
    let having: Vec<&Conjunct> =
        block.conditions.iter().filter(|it| it.clause == In::Having).collect();
    let movable: Vec<&Conjunct> =
        having.iter().copied().filter(|it| is_movable(statement, place, block, it)).collect();
    let first = movable.first()?;
    let column = tested(first)?;
    let at: At = column.of?;
    let is_large = statement.rows(at).is_some_and(|rows| rows >= MANY);
    let severity = match statement.family() {
        Some(Family::MariaDb) => Severity::Low,
        _ if is_large => Severity::Medium,
        _ => Severity::Low,
    };
    let confidence = match statement.table(at) {
        Some(_) => Confidence::High,
        None => Confidence::Medium,
    };
    let title = format!(
        "HAVING tests a plain column, after all groups are made: {}",
        in_title(statement.quote(&first.span))
    );
    let spans: Vec<&Range<usize>> = movable.iter().map(|it| &it.span).collect();
    let mut finding = statement.of_source(&RULE, at, severity, confidence, &title, &spans);
    finding.subject.columns = vec![statement.column_name(column)];
    let sql = moved(statement, block, &movable);
    recommend(
        &mut finding,
        "Test it in WHERE: all rows of a group have the same value in it, so whole groups stay or go, and rows that go are \
         not read at all where an index serves."
            .to_owned(),
        sql,
    );
    finding.verify = "EXPLAIN: the table is read by ref or range, with fewer rows.".to_owned();
    Some(finding)
}

fn tested(conjunct: &Conjunct) -> Option<&Column> {
    match &conjunct.condition {
        Condition::Test(test) => Some(&test.column),
        Condition::Wrapped(wrapped) => match wrapped.columns.as_slice() {
            [column] => Some(column),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a condition of HAVING says the same in WHERE.
fn is_movable(statement: &Statement<'_>, place: usize, block: &Block, conjunct: &Conjunct) -> bool {
    let Some(column) = tested(conjunct) else { return false };
    let other = match &conjunct.condition {
        Condition::Test(test) => other_column(&test.op),
        _ => None,
    };
    // A name in HAVING is that of what is selected first, an alias too.
    let is_alias = block.items.iter().any(|item| {
        let is_named =
            item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&column.name));
        let is_it = matches!(&item.kind, ItemKind::Column(own) if own.name.eq_ignore_ascii_case(&column.name));
        is_named && !is_it
    });
    // Nor does WHERE know what a column is called among what is selected.
    let is_named = Words::of(statement.text, &conjunct.span)
        .is_some_and(|words| words.column(&column.name).is_some());
    let is_own = column.of.is_some_and(|of| of.0 == place && is_base(statement, of));
    let is_grouped = block.group.is_empty()
        || block.group.iter().any(|key| key.column.as_ref().is_some_and(|own| own == column));
    is_own && is_named && !is_alias && is_grouped && other.is_none() && !conjunct.span.is_empty()
}

fn is_base(statement: &Statement<'_>, at: At) -> bool {
    let source = statement.block(at.0).and_then(|block| block.sources.get(at.1));
    source.is_some_and(|source| matches!(source.of, SourceOf::Table(_)))
}

fn moved(statement: &Statement<'_>, block: &Block, movable: &[&Conjunct]) -> Option<String> {
    let clauses = Clauses::of(statement.text, &block.span)?;
    let spans: Vec<Range<usize>> = movable.iter().map(|it| it.span.clone()).collect();
    let texts: Vec<String> = spans.iter().map(|it| as_part(statement.quote(it))).collect();
    let mut edits = Edits::default();
    clauses.demand(&texts.join(" AND "), &mut edits)?;
    clauses.drop_conditions(Clause::Having, &spans, &mut edits)?;
    statement.rewritten(&edits)
}
