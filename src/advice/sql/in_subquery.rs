//! IN (SELECT …) where the server runs the subquery anew for each row.

use std::ops::Range;

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::flavor::Family;
use crate::sql::shape::{
    Block, Clause as In, Column, Condition, Conjunct, ItemKind, Op, Operand, Role, Shape, Test,
    Verb, Wrapped,
};

use super::statement::{At, Statement, in_title, recommend};
use super::words::{Clause, Clauses, Edits, Words, quoted};

rule! {
    /// IN (SELECT …) is run anew for each row of the outer table.
    ///
    /// **Costs.** UPDATE and DELETE make no semijoin of it before MySQL 8.0.21 and MariaDB 11.1, SELECT
    /// none before MySQL 5.6 and MariaDB 5.3: the outer table is read whole, and for each of its rows
    /// the subquery runs.
    /// **Wrong when.** The server is newer, or the outer table has fewer than 1,000 rows.
    /// **Verify.** EXPLAIN: no DEPENDENT SUBQUERY; a handful of rows instead of the table.
    /// **Source.** MySQL manual, optimizing subqueries with semijoin; MariaDB's MDEV-16708.
    ///
    /// ```sql schema
    /// -- MySQL dump 10.13  Distrib 5.7.44, for Linux (x86_64)
    /// -- Server version	5.7.44
    /// CREATE TABLE carts (id int PRIMARY KEY, user int, made date, KEY ix_user (user));
    /// CREATE TABLE gone (user int, since date);
    /// CREATE TABLE countries (code char(2) PRIMARY KEY, gone int);
    /// -- rows: carts 90000, gone 50, countries 200
    /// ```
    /// ```sql finding
    /// DELETE FROM carts WHERE user IN (SELECT user FROM gone WHERE since < '2026-01-01') AND made < '2026-01-01';
    /// ```
    /// ```sql finding
    /// UPDATE carts SET made = NULL WHERE user IN (SELECT user FROM gone);
    /// ```
    /// ```sql clean
    /// SELECT id FROM carts WHERE user IN (SELECT user FROM gone);
    /// ```
    /// ```sql clean
    /// DELETE FROM countries WHERE gone IN (SELECT user FROM gone);
    /// ```
    /// ```sql clean
    /// DELETE carts FROM carts JOIN gone ON gone.user = carts.user;
    /// ```
    ///
    /// ```sql schema
    /// -- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
    /// -- Server version	8.0.36
    /// CREATE TABLE carts (id int PRIMARY KEY, user int, made date, KEY ix_user (user));
    /// CREATE TABLE gone (user int, since date);
    /// -- rows: carts 90000, gone 50
    /// ```
    /// ```sql clean
    /// DELETE FROM carts WHERE user IN (SELECT user FROM gone);
    /// ```
    Sql "SQL009" "in-subquery"
}

/// Rows of the outer table from which on it costs.
const MIN_ROWS: u64 = 1_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let met = statement.conditions();
    let found = met.iter().find_map(|met| {
        let Condition::Test(test) = &met.conjunct.condition else { return None };
        let Op::InBlock(inner) = test.op else { return None };
        let at = test.column.of?;
        let is_plain = met.conjunct.clause == In::Where && !met.is_in_or;
        (is_plain && is_dependent(statement, at)).then_some((at, inner, test))
    });
    found.and_then(|(at, inner, test)| finding(statement, at, inner, test)).into_iter().collect()
}

/// Whether the server is one that does not turn it round, or may be one.
fn is_dependent(statement: &Statement<'_>, at: At) -> bool {
    let is_write = matches!(statement.shape.verb, Verb::Update | Verb::Delete)
        && statement.block(at.0).is_some_and(|it| it.role == Role::Statement);
    if is_write {
        let is_new = statement.is_since(Family::MySql, (8, 0, 21))
            || statement.is_since(Family::MariaDb, (11, 1, 0));
        return !is_new;
    }
    statement.is_before(Family::MySql, (5, 6, 0)) || statement.is_before(Family::MariaDb, (5, 3, 0))
}

fn finding(statement: &Statement<'_>, at: At, inner: usize, test: &Test) -> Option<Finding> {
    if !statement.is_table(at)
        || statement.is_below(at, MIN_ROWS)
        || statement.fixes_row(at)
        || statement.is_narrow(10)
    {
        return None;
    }
    let block = statement.block(inner)?;
    let title = format!(
        "The subquery behind IN is run for each row: {}",
        in_title(statement.quote(&test.span))
    );
    let confidence = match statement.server() {
        Some(_) => statement.confidence(Some(at)),
        None => crate::advice::Confidence::Low,
    };
    let mut finding =
        statement.of_source(&RULE, at, Severity::High, confidence, &title, &[&test.span]);
    finding.subject.columns = vec![statement.column_name(&test.column)];
    let server = statement.schema.and_then(|schema| schema.server());
    finding.evidence.extend(server.map(|it| Fact::text("server", &it.version)));
    let sql = joined(statement, at, inner, block, test);
    let newer = match statement.server() {
        Some(_) => "",
        None => " MySQL 8.0.21 and MariaDB 11.1 do so themselves.",
    };
    recommend(
        &mut finding,
        format!(
            "Join the selected values instead. DISTINCT leaves each of them once, so each row is met once, as by IN.{newer}"
        ),
        sql,
    );
    finding.verify = "EXPLAIN: no DEPENDENT SUBQUERY, and the outer table is read by an index on the joined column."
        .to_owned();
    Some(finding)
}

/// The values joined as a derived table.
fn joined(
    statement: &Statement<'_>,
    at: At,
    inner: usize,
    block: &Block,
    test: &Test,
) -> Option<String> {
    let outer = statement.block(at.0)?;
    let [item] = block.items.as_slice() else { return None };
    let ItemKind::Column(_) = &item.kind else { return None };
    let is_write = matches!(statement.shape.verb, Verb::Update | Verb::Delete);
    let is_plain = outer.sources.len() == 1
        && outer.limit.is_none()
        && outer.order.is_empty()
        && block.limit.is_none()
        && block.arm.is_none()
        && item.alias.is_none()
        && outer.span.start < block.span.start
        // A star would take the joined column as well.
        && !outer.items.iter().any(|item| item.kind == ItemKind::Star(None))
        && !looks_out(statement.shape, inner)
        && statement.shape.writes.len() == usize::from(is_write);
    if !is_plain {
        return None;
    }
    let clauses = Clauses::of(statement.text, &outer.span)?;
    // A join of tables neither returns rows nor names its tables by USING.
    let has_using = clauses
        .places(Clause::From)
        .is_some_and(|mut from| from.any(|at| clauses.words.is(at, "USING")));
    if is_write && (has_using || clauses.span(Clause::Tail).is_some()) {
        return None;
    }
    let mut edits = Edits::default();
    clauses.drop_conditions(Clause::Where, std::slice::from_ref(&test.span), &mut edits)?;
    let own = Words::of(statement.text, &test.span)?;
    let written = own.text(&own.column(&test.column.name)?);
    let selected = statement.quote(&block.span);
    let start = block.span.start;
    let mut of_inner = Edits::default();
    if !block.is_distinct {
        let at = start + "SELECT".len();
        of_inner.replace(at - start..at - start, " DISTINCT");
    }
    let end = item.span.end.checked_sub(start)?;
    of_inner.replace(end..end, " AS value");
    let selected = match selected.get(..6)?.eq_ignore_ascii_case("SELECT") {
        true => of_inner.apply(selected)?,
        false => return None,
    };
    let called = quoted(&statement.called(at)?);
    let is_qualified = written.contains('.');
    let written = if is_qualified { written.to_owned() } else { format!("{called}.{written}") };
    let join = format!(" JOIN ({selected}) AS wanted ON wanted.value = {written}");
    // A column of this name would be ambiguous.
    if statement.table(at).is_some_and(|table| table.column("value").is_some()) {
        return None;
    }
    match statement.shape.verb {
        Verb::Delete => {
            let from = clauses.places(Clause::From)?;
            let verb = clauses.places(Clause::Verb)?;
            // `DELETE FROM t` names what it deletes from before FROM once there is a join.
            let is_modifier = |at: usize| {
                ["LOW_PRIORITY", "QUICK", "IGNORE"].iter().any(|it| clauses.words.is(at, it))
            };
            if (verb.start + 1..verb.end).all(is_modifier) {
                let at = clauses.words.span(verb)?.end;
                edits.replace(at..at, format!(" {called}"));
            }
            let end = clauses.words.span(from)?.end;
            edits.replace(end..end, join);
        }
        Verb::Update => {
            let verb: Range<usize> = clauses.span(Clause::Verb)?;
            edits.replace(verb.end..verb.end, join);
        }
        _ => {
            let end = clauses.span(Clause::From)?.end;
            edits.replace(end..end, join);
        }
    }
    statement.rewritten(&edits)
}

/// Whether a block, or one within it, speaks of columns of a block around it.
pub fn looks_out(shape: &Shape, place: usize) -> bool {
    // Blocks within one stand behind it.
    let mut is_inside = vec![false; shape.blocks.len()];
    for (at, block) in shape.blocks.iter().enumerate().skip(place) {
        let is_within =
            block.parent.is_some_and(|parent| is_inside.get(parent).copied().unwrap_or(false));
        if let Some(slot) = is_inside.get_mut(at) {
            *slot = at == place || is_within;
        }
    }
    let inside = |at: usize| is_inside.get(at).copied().unwrap_or(false);
    let blocks = shape.blocks.iter().enumerate().filter(|(at, _)| inside(*at));
    blocks.into_iter().any(|(_, block)| has_outer_columns(block, &inside))
}

/// Whether conditions of a block speak of a column that is of none of these blocks; one of which
/// that is not known counts as such.
fn has_outer_columns(block: &Block, inside: &impl Fn(usize) -> bool) -> bool {
    let mut open: Vec<&Conjunct> = block.conditions.iter().collect();
    while let Some(conjunct) = open.pop() {
        let is_outer = |column: &Column| column.of.is_none_or(|of| !inside(of.0));
        let is_found = match &conjunct.condition {
            Condition::Any(arms) => {
                open.extend(arms.iter().flatten());
                false
            }
            Condition::Test(test) => {
                is_outer(&test.column) || other_column(&test.op).is_some_and(is_outer)
            }
            Condition::Wrapped(Wrapped { columns, .. }) | Condition::Other(columns) => {
                columns.iter().any(is_outer)
            }
            _ => false,
        };
        if is_found {
            return true;
        }
    }
    false
}

/// The column that a test compares with.
pub fn other_column(op: &Op) -> Option<&Column> {
    match op {
        Op::Equal(Operand::Column(column))
        | Op::NullSafe(Operand::Column(column))
        | Op::Compared(Operand::Column(column))
        | Op::DiffersFrom(column) => Some(column),
        _ => None,
    }
}
