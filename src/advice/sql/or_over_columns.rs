//! OR over different columns.

use std::ops::Range;

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::sql::shape::{
    Block, Clause as In, Column, Condition, Conjunct, ItemKind, Op, Operand, Role, Test, ValueKind,
    Verb,
};

use super::statement::{At, Statement, in_title, is_search, recommend};
use super::words::{Edits, Words};

rule! {
    /// OR over different columns: no single index can be searched for all rows.
    ///
    /// **Costs.** Each arm could use an index of its own, but one search uses one: the table is read
    /// whole, or the lists of several indexes are merged.
    /// **Wrong when.** The arms test one column (that is IN), or share one that an index begins with; a
    /// further condition finds few rows; each arm has its index, so that the server merges them.
    /// **Verify.** EXPLAIN the UNION: each part by ref or range.
    /// **Source.** MySQL manual, index merge optimization.
    ///
    /// ```sql schema
    /// CREATE TABLE parcels (id int PRIMARY KEY, sender int, receiver int, depot int, state int, KEY ix_sender (sender),
    ///   KEY ix_depot (depot, state));
    /// CREATE TABLE people (id int PRIMARY KEY, phone varchar(20), mail varchar(40), town int, KEY ix_phone (phone),
    ///   KEY ix_mail (mail));
    /// ```
    /// ```sql finding
    /// SELECT id FROM parcels WHERE sender = 5 OR receiver = 5;
    /// ```
    /// ```sql finding
    /// SELECT c.id FROM parcels c JOIN people p ON p.id = c.sender WHERE c.sender = 7 OR p.mail = 'ann@example.org';
    /// ```
    /// ```sql clean
    /// SELECT id FROM people WHERE phone = '5550100' OR mail = 'ann@example.org';
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE sender = 5 OR sender = 7;
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE (depot = 1 AND state = 2) OR (depot = 3 AND receiver = 4);
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE depot = 5 AND (sender = 1 OR receiver = 2);
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE (? IS NULL OR receiver = ?);
    /// ```
    Sql "SQL007" "or-over-columns"
}

/// Rows from which on it costs.
const MIN_ROWS: u64 = 1_000;
/// Conditions in all arms that are compared, each with each.
const MOST_TESTS: usize = 500;
/// Arms that are written as parts of a UNION.
const MOST_ARMS: usize = 4;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut blocks = statement.blocks();
    blocks
        .find_map(|(place, block)| {
            let ors = block.conditions.iter().filter(|it| it.clause == In::Where);
            ors.filter_map(|conjunct| match &conjunct.condition {
                Condition::Any(arms) => Some((conjunct, arms)),
                _ => None,
            })
            .find_map(|(conjunct, arms)| finding(statement, (place, block), conjunct, arms))
        })
        .into_iter()
        .collect()
}

fn finding(
    statement: &Statement<'_>,
    (place, block): (usize, &Block),
    conjunct: &Conjunct,
    arms: &[Vec<Conjunct>],
) -> Option<Finding> {
    let count: usize = arms.iter().map(Vec::len).sum();
    if arms.len() < 2 || count > MOST_TESTS || conjunct.span.is_empty() {
        return None;
    }
    let tests: Vec<Vec<&Test>> = arms.iter().map(|arm| searches(place, arm)).collect();
    // An arm that nothing can be searched for reads the table in a UNION as well.
    if tests.iter().any(Vec::is_empty) {
        return None;
    }
    let first = tests.first()?;
    let is_shared =
        |test: &Test| tests.iter().all(|arm| arm.iter().any(|it| it.column == test.column));
    if first.iter().any(|test| is_shared(test)) {
        return None;
    }
    let at = first.first()?.column.of?;
    let sources: Vec<At> = {
        let mut all: Vec<At> = tests.iter().flatten().filter_map(|test| test.column.of).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let is_one = sources.len() == 1;
    let is_fast = sources.iter().any(|at| statement.is_narrowed(*at) || statement.fixes_row(*at));
    let is_small = sources.iter().all(|at| statement.is_below(*at, MIN_ROWS));
    if is_fast || is_small || statement.is_narrow(10) {
        return None;
    }
    let has_index = |arm: &Vec<&Test>| {
        arm.iter().any(|test| {
            test.column.of.is_some_and(|at| statement.index_for(at, &test.column.name).is_some())
        })
    };
    let are_indexed = tests.iter().all(has_index);
    match statement.is_scanned(at) {
        Some(false) => return None,
        // Then the server merges the indexes.
        None if is_one && are_indexed => return None,
        _ => {}
    }
    let columns: Vec<&Column> = tests.iter().filter_map(|arm| Some(&arm.first()?.column)).collect();
    let title = format!(
        "One of several columns has to match: {}",
        in_title(statement.quote(&conjunct.span))
    );
    let confidence = statement.confidence(Some(at));
    let mut finding =
        statement.of_source(&RULE, at, Severity::Medium, confidence, &title, &[&conjunct.span]);
    finding.subject.columns = columns.iter().map(|it| statement.column_name(it)).collect();
    finding.subject.columns.dedup();
    let missing: Vec<String> = tests
        .iter()
        .filter(|arm| statement.table(at).is_some() && !has_index(arm))
        .filter_map(|arm| Some(statement.column_name(&arm.first()?.column)))
        .collect();
    let wants = match missing.as_slice() {
        [] => String::new(),
        names => format!(" It needs an index that begins with {}.", names.join(", and one with ")),
    };
    if !missing.is_empty() {
        finding.evidence.push(Fact::list("without_index", missing.clone()));
    }
    let sql = union(statement, block, conjunct, arms.len());
    let text = match &sql {
        Some(_) => format!(
            "A UNION searches an index for each arm. UNION ALL keeps rows that are alike; each part leaves out what a part \
             before it gives, with IS NOT TRUE, so that NULL counts as no match and each row comes once.{wants}"
        ),
        None => format!(
            "Ask for each arm by itself and put the results together with UNION, or give each arm an index so that the \
             server can merge them.{wants}"
        ),
    };
    recommend(&mut finding, text, sql);
    finding.verify = "EXPLAIN: each part of the UNION is read by ref or range.".to_owned();
    Some(finding)
}

/// Tests of an arm that an index of this block can be searched for.
fn searches(place: usize, arm: &[Conjunct]) -> Vec<&Test> {
    let tests = arm.iter().filter_map(|it| match &it.condition {
        Condition::Test(test) => Some(test),
        _ => None,
    });
    tests
        .filter(|test| {
            is_search(&test.op)
                && !matches!(&test.op, Op::Equal(Operand::Value(value)) if value.kind == ValueKind::Null)
                && !matches!(
                    test.op,
                    Op::Equal(Operand::Column(_)) | Op::NullSafe(Operand::Column(_))
                )
                && test.column.of.is_some_and(|of| of.0 == place)
        })
        .collect()
}

/// The statement once for each arm.
fn union(
    statement: &Statement<'_>,
    block: &Block,
    conjunct: &Conjunct,
    arms: usize,
) -> Option<String> {
    let is_aggregate =
        |kind: &ItemKind| matches!(kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
    let is_plain = statement.is_alone(block)
        && block.role == Role::Statement
        && statement.shape.verb == Verb::Select
        && block.limit.is_none()
        && block.group.is_empty()
        && block.order.is_empty()
        && !block.is_distinct
        && !block.has_window
        && !statement.shape.is_locking
        && !statement.shape.is_into
        && !statement.shape.counts_found_rows
        && !block.conditions.iter().any(|it| it.clause == In::Having)
        && !block.items.iter().any(|item| is_aggregate(&item.kind))
        && !statement.text.trim_start().get(..4).is_some_and(|it| it.eq_ignore_ascii_case("WITH"))
        && arms <= MOST_ARMS;
    if !is_plain {
        return None;
    }
    let words = Words::of(statement.text, &conjunct.span)?;
    let places = words.inner();
    let is_or = |words: &Words<'_>, at: usize| words.is_word(at, "OR");
    let parts = words.split(places.clone(), is_or);
    let depth = words.depth(places.start);
    let has_xor = places
        .into_iter()
        .any(|at| words.depth(at) == depth && (words.is_word(at, "XOR") || words.at(at) == "||"));
    if parts.len() != arms || has_xor {
        return None;
    }
    let texts: Vec<&str> = parts.iter().map(|part: &Range<usize>| words.text(part)).collect();
    let mut made: Vec<String> = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let before: Vec<&str> = texts.iter().take(place).copied().collect();
        let condition = match before.as_slice() {
            [] => format!("({text})"),
            before => format!("(({text}) AND ({}) IS NOT TRUE)", before.join(" OR ")),
        };
        let mut edits = Edits::default();
        edits.replace(conjunct.span.clone(), condition);
        made.push(statement.rewritten(&edits)?);
    }
    Some(made.join("\nUNION ALL\n"))
}
