//! One statement changes all rows, or very many.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::schema::TableKind;
use crate::sql::shape::{Clause, Condition, Op, Operand, Verb};

use super::statement::{Statement, recommend};

rule! {
    /// One UPDATE or DELETE changes all rows, or tens of thousands of them.
    ///
    /// **Costs.** All rows stay locked to the end, the undo log keeps each of them, a replica repeats
    /// it in one piece, and a failure rolls all of it back.
    /// **Wrong when.** The table is small or temporary, LIMIT cuts it into pieces already, or a join
    /// stands for the condition.
    /// **Verify.** Rows_affected and Lock_time of the class fall to those of a piece.
    /// **Source.** MySQL manual, optimizing InnoDB transaction management; TRUNCATE TABLE.
    ///
    /// ```sql schema
    /// CREATE TABLE sessions (id int PRIMARY KEY, user int, seen datetime, KEY ix_seen (seen));
    /// CREATE TABLE flags (id int PRIMARY KEY, flag int);
    /// CREATE TABLE users (id int PRIMARY KEY, flag int);
    /// -- rows: sessions 700000, flags 12, users 50000
    /// ```
    /// ```sql finding
    /// DELETE FROM sessions;
    /// ```
    /// ```sql finding
    /// UPDATE sessions SET user = NULL;
    /// ```
    /// ```sql finding
    /// DELETE FROM sessions WHERE 1 = 1;
    /// ```
    /// ```sql clean
    /// DELETE FROM sessions WHERE seen < '2026-01-01';
    /// ```
    /// ```sql clean
    /// DELETE FROM sessions LIMIT 5000;
    /// ```
    /// ```sql clean
    /// UPDATE flags SET flag = 0;
    /// ```
    /// ```sql clean
    /// UPDATE users JOIN sessions ON sessions.user = users.id SET users.flag = 1;
    /// ```
    /// ```sql schema
    /// CREATE TEMPORARY TABLE picked (id int PRIMARY KEY);
    /// ```
    /// ```sql clean
    /// DELETE FROM picked;
    /// ```
    Sql "SQL015" "write-without-where"
}

/// Rows changed by a call from which on it is told.
const MANY: u64 = 10_000;
/// Rows of a table that are no matter.
const FEW: u64 = 1_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    finding(statement).into_iter().collect()
}

fn finding(statement: &Statement<'_>) -> Option<Finding> {
    let shape = statement.shape;
    if !matches!(shape.verb, Verb::Update | Verb::Delete) || shape.is_partial {
        return None;
    }
    let at = shape.writes.iter().find_map(|write| write.source)?;
    let block = statement.block(at.0)?;
    let is_joined = block.sources.len() > 1;
    let is_demand = |condition: &Condition| !matches!(condition, Condition::Constant(_));
    let is_free = !is_joined
        && !block
            .conditions
            .iter()
            .any(|it| it.clause == Clause::Where && is_demand(&it.condition));
    let is_never = block
        .conditions
        .iter()
        .any(|it| matches!(it.condition, Condition::Constant(Some(false) | None)) && !is_joined);
    let affected = statement.affected();
    let is_many = affected.is_some_and(|rows| rows >= MANY);
    let is_chunk = block.limit.is_some_and(|it| it.rows.is_none_or(|rows| rows <= MANY));
    let table = statement.table(at);
    let is_temporary = table.is_some_and(|table| table.kind == TableKind::Temporary);
    let is_small = table.and_then(|it| it.facts.rows).is_some_and(|rows| rows < FEW)
        || is_free && affected.is_some_and(|rows| rows < FEW);
    if !(is_free && !is_never || is_many)
        || is_chunk
        || is_temporary
        || is_small
        || statement.is_of_system(at)
    {
        return None;
    }
    let name = statement.full_name(at)?;
    let verb = if shape.verb == Verb::Delete { "deletes" } else { "updates" };
    let title = match affected.filter(|_| is_many) {
        Some(rows) => {
            format!("One call {verb} {} rows of `{name}`", Amount::whole(rows).grouped())
        }
        None => format!("The statement {verb} all rows of `{name}`"),
    };
    let confidence = if is_many || is_free { Confidence::High } else { Confidence::Medium };
    let mut finding =
        statement.of_source(&RULE, at, Severity::Medium, confidence, &title, &[&block.span]);
    finding
        .evidence
        .extend(affected.map(|rows| Fact::number("rows_affected_avg", Amount::whole(rows))));
    let key = table.and_then(|table| table.primary_key());
    let key = key.and_then(|key| key.parts.first()?.column_name()).unwrap_or("id");
    let whole = match (shape.verb, is_free) {
        (Verb::Delete, true) => {
            " Where all rows are to go, TRUNCATE TABLE makes the table anew; it commits, fires no trigger, and fails where \
             a foreign key refers to the table."
        }
        _ => "",
    };
    recommend(
        &mut finding,
        format!(
            "Change a few thousand rows at a time, by ranges of the primary key (`{key}` > ? AND `{key}` <= ?), and commit \
             each piece.{whole}"
        ),
        None,
    );
    finding.verify = "Rows_affected of the class: a few thousand a call.".to_owned();
    // A key of an index that one value fixes changes few rows whatever the log says of others.
    let is_key = statement.tests(at).any(|test| matches!(test.op, Op::Equal(Operand::Value(_))));
    (is_many || !is_key).then_some(finding)
}
