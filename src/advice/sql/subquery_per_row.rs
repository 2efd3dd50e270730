//! A subquery among what is selected runs for each row.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::shape::{
    Block, Clause as In, Column, Condition, ItemKind, Op, Operand, Role, SourceOf,
};

use super::in_subquery::looks_out;
use super::statement::{At, Statement, in_title, recommend};
use super::words::{Clause, Clauses, Edits, quoted};

rule! {
    /// A subquery among what is selected runs for each row of the result.
    ///
    /// **Costs.** A look-up for each row: of 10,000 rows 10,000 look-ups, each by itself.
    /// **Wrong when.** The result has few rows, as behind a LIMIT: then a look-up for each is the best way.
    /// **Verify.** EXPLAIN: no DEPENDENT SUBQUERY; Rows_examined of both forms.
    /// **Source.** MySQL manual, correlated subqueries; lateral derived tables (8.0.14).
    ///
    /// ```sql schema
    /// CREATE TABLE shops (id int PRIMARY KEY, name varchar(40));
    /// CREATE TABLE orders (id int PRIMARY KEY, shop int NOT NULL, total int, KEY ix_shop (shop));
    /// -- rows: shops 30000, orders 900000
    /// ```
    /// ```sql finding
    /// SELECT s.name, (SELECT SUM(o.total) FROM orders o WHERE o.shop = s.id) AS turnover FROM shops s;
    /// ```
    /// ```sql finding
    /// SELECT s.name, (SELECT COUNT(*) FROM orders o WHERE o.shop = s.id) FROM shops s WHERE s.name > 'm';
    /// ```
    /// ```sql clean
    /// SELECT s.name, (SELECT SUM(o.total) FROM orders o WHERE o.shop = s.id) FROM shops s WHERE s.id = 5;
    /// ```
    /// ```sql clean
    /// SELECT s.name, (SELECT SUM(o.total) FROM orders o WHERE o.shop = s.id) FROM shops s ORDER BY s.id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT s.name, (SELECT MAX(total) FROM orders) FROM shops s;
    /// ```
    /// ```sql clean
    /// SELECT s.name, t.turnover FROM shops s LEFT JOIN (SELECT shop, SUM(total) AS turnover FROM orders GROUP BY shop) t
    ///   ON t.shop = s.id;
    /// ```
    Sql "SQL026" "subquery-per-row"
}

/// Rows, over all calls, from which on it costs.
const MIN_RUNS: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut blocks = statement.blocks();
    blocks.find_map(|(place, block)| finding(statement, place, block)).into_iter().collect()
}

fn finding(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    let is_selected = block.role == Role::Scalar { is_selected: true };
    if !is_selected || !looks_out(statement.shape, place) {
        return None;
    }
    let parent = block.parent?;
    let outer = statement.block(parent)?;
    // More than one row: not by a unique key, not behind an aggregate.
    let is_one = outer.sources.is_empty()
        || (0..outer.sources.len()).all(|source| statement.fixes_row((parent, source)));
    let runs = runs(statement, parent, outer);
    if is_one || runs.is_some_and(|runs| runs < MIN_RUNS) {
        return None;
    }
    if runs.is_none() && !statement.is_review {
        return None;
    }
    let title = format!(
        "A subquery runs for each row of the result: {}",
        in_title(statement.quote(&block.span))
    );
    let confidence = match (runs, statement.sent()) {
        (Some(_), Some(_)) => Confidence::High,
        (Some(_), None) => Confidence::Medium,
        (None, _) => Confidence::Low,
    };
    let mut finding = statement.of_source(
        &RULE,
        (place, 0),
        Severity::Medium,
        confidence,
        &title,
        &[&block.span],
    );
    finding.evidence.extend(runs.map(|runs| Fact::number("runs", Amount::whole(runs))));
    let sql = joined(statement, place, block, parent, outer);
    let text = match &sql {
        Some(_) => {
            "Make the sums of all groups once and join them: one row for each value, so no row is doubled, and a row without \
             any keeps NULL, or 0 of COUNT. It pays where most groups are wanted; for a few rows the look-ups are cheaper."
        }
        None => {
            "Join the table, grouped where needed, or a LATERAL derived table (MySQL 8.0.14): then rows are found in one go."
        }
    };
    recommend(&mut finding, text.to_owned(), sql);
    finding.verify = "EXPLAIN: no DEPENDENT SUBQUERY; Rows_examined of both forms.".to_owned();
    Some(finding)
}

/// How often it runs, over all calls.
fn runs(statement: &Statement<'_>, parent: usize, outer: &Block) -> Option<u64> {
    let calls = if statement.is_review { 1 } else { statement.class.calls.max(1) };
    let limit = outer.limit.and_then(|limit| limit.rows);
    let all = match outer.sources.as_slice() {
        [_] => statement.rows((parent, 0)),
        _ => None,
    };
    let rows = statement.sent().or(match (limit, all) {
        (Some(limit), Some(all)) => Some(limit.min(all)),
        (limit, all) => limit.or(all),
    })?;
    Some(rows.saturating_mul(calls))
}

/// The sums of all groups, joined.
fn joined(
    statement: &Statement<'_>,
    place: usize,
    block: &Block,
    parent: usize,
    outer: &Block,
) -> Option<String> {
    let [item] = block.items.as_slice() else { return None };
    let ItemKind::Aggregate { name, .. } = &item.kind else { return None };
    let [source] = block.sources.as_slice() else { return None };
    let is_plain = statement.is_alone(outer)
        && block.group.is_empty()
        && block.order.is_empty()
        && block.limit.is_none()
        && outer.group.is_empty()
        && !outer.has_window
        && matches!(source.of, SourceOf::Table(_))
        && ["COUNT", "SUM", "MIN", "MAX", "AVG"].contains(&name.as_str())
        && item.alias.is_none()
        // A star would take the joined columns as well.
        && !outer.items.iter().any(|item| item.kind == ItemKind::Star(None));
    let own: At = (place, 0);
    let mut link: Option<(&Column, &Column, &std::ops::Range<usize>)> = None;
    for conjunct in &block.conditions {
        if conjunct.clause != In::Where || conjunct.span.is_empty() {
            return None;
        }
        let Condition::Test(test) = &conjunct.condition else { return None };
        let columns = match &test.op {
            Op::Equal(Operand::Column(other)) => (&test.column, other),
            Op::Equal(Operand::Block(_)) | Op::InBlock(_) | Op::NotInBlock(_) => return None,
            Op::Compared(Operand::Value(_)) if test.column.of == Some(own) => continue,
            Op::Compared(_) | Op::DiffersFrom(_) | Op::NullSafe(Operand::Column(_)) => return None,
            _ if test.column.of == Some(own) => continue,
            _ => return None,
        };
        let (inner, out) = match (columns.0.of, columns.1.of) {
            (Some(a), Some(b)) if a == own && b.0 == parent => (columns.0, columns.1),
            (Some(a), Some(b)) if b == own && a.0 == parent => (columns.1, columns.0),
            _ => return None,
        };
        if link.replace((inner, out, &conjunct.span)).is_some() {
            return None;
        }
    }
    let (inner, out, span) = link.filter(|_| is_plain)?;
    let written = |column: &Column| {
        let called = statement.called(column.of?)?;
        Some(format!("{}.{}", quoted(&called), quoted(&column.name)))
    };
    let (key, out) = (written(inner)?, written(out)?);
    let clauses = Clauses::of(statement.text, &block.span)?;
    let of_outer = Clauses::of(statement.text, &outer.span)?;
    // JOIN binds tighter than a comma: the table on its other side would not be known.
    let from = of_outer.places(Clause::From)?;
    let words = &of_outer.words;
    if from.into_iter().any(|at| words.depth(at) == Some(0) && words.at(at) == ",") {
        return None;
    }
    // The condition that ties it goes; the others stay.
    let mut within = Edits::default();
    clauses.drop_conditions(Clause::Where, std::slice::from_ref(span), &mut within)?;
    let head = clauses.span(Clause::Verb)?;
    let aggregate = statement.quote(&item.span);
    within.replace(head, format!("SELECT {key} AS group_key, {aggregate} AS group_value"));
    let end = clauses.behind_where()?;
    within.replace(end..end, format!(" GROUP BY {key}"));
    let all = within.apply(statement.text)?;
    // The block with its edits, cut out of the text with them.
    let tail = statement.text.len().checked_sub(block.span.end)?;
    let trimmed = statement.text.trim_end().trim_end_matches(';').trim_end().len();
    let tail = tail.checked_sub(statement.text.len() - trimmed)?;
    let lead = statement.text.len() - statement.text.trim_start().len();
    let derived = all.get(block.span.start.checked_sub(lead)?..all.len().checked_sub(tail)?)?;
    let value = match name.as_str() {
        "COUNT" => "COALESCE(groups_of_it.group_value, 0)",
        _ => "groups_of_it.group_value",
    };
    // The parentheses around the subquery go with it.
    let text = statement.text;
    let open = text.get(..block.span.start)?.trim_end();
    let close = text.get(block.span.end..)?;
    let gap = close.len() - close.trim_start().len();
    if !open.ends_with('(') || !close.trim_start().starts_with(')') {
        return None;
    }
    let mut edits = Edits::default();
    edits.replace(open.len() - 1..block.span.end + gap + 1, value);
    let end = of_outer.span(Clause::From)?.end;
    edits.replace(
        end..end,
        format!(" LEFT JOIN ({derived}) AS groups_of_it ON groups_of_it.group_key = {out}"),
    );
    statement.rewritten(&edits)
}
