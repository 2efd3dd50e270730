//! LIMIT without ORDER BY.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{Block, ItemKind, Role, Verb};

use super::statement::{Statement, recommend};
use super::words::{Clause, Clauses, Words};

rule! {
    /// LIMIT without ORDER BY: which rows come is not said.
    ///
    /// **Costs.** Another plan, version or replica gives other rows; pages overlap or leave rows out.
    /// **Wrong when.** Any row will do: it is a test whether there is one (SELECT 1), one row by its
    /// unique key, an aggregate, or a piece of an UPDATE or DELETE.
    /// **Verify.** Run it after ANALYZE TABLE, or with another index: the rows stay the same.
    /// **Source.** MySQL manual, LIMIT query optimization.
    ///
    /// ```sql schema
    /// CREATE TABLE notes (id int PRIMARY KEY, owner int, line varchar(90), KEY ix_owner (owner));
    /// ```
    /// ```sql finding
    /// SELECT line FROM notes WHERE owner = 5 LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT line FROM notes WHERE owner = 5 ORDER BY id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT line FROM notes WHERE id = 5 LIMIT 1;
    /// ```
    /// ```sql clean
    /// SELECT 1 FROM notes WHERE owner = 5 LIMIT 1;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM notes WHERE owner = 5 LIMIT 1;
    /// ```
    /// ```sql clean
    /// SELECT * FROM notes LIMIT 0;
    /// ```
    /// ```sql clean
    /// DELETE FROM notes WHERE owner = 5 LIMIT 500;
    /// ```
    /// ```sql clean
    /// SELECT line FROM notes n WHERE EXISTS (SELECT 1 FROM notes m WHERE m.owner = n.id LIMIT 1);
    /// ```
    /// ```sql clean
    /// UPDATE notes SET line = '' WHERE owner = 5 LIMIT 500;
    /// ```
    Sql "SQL018" "limit-without-order"
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    finding(statement).into_iter().collect()
}

fn finding(statement: &Statement<'_>) -> Option<Finding> {
    if statement.shape.verb != Verb::Select || statement.shape.is_partial {
        return None;
    }
    let (place, block) = statement.blocks().find(|(place, block)| {
        block.role == Role::Statement && is_loose(statement, *place, block)
    })?;
    let clauses = Clauses::of(statement.text, &block.span);
    let span = clauses.and_then(|it| it.span(Clause::Limit)).unwrap_or(block.span.clone());
    let title = "LIMIT without ORDER BY: which rows come is not said";
    let at = (place, 0);
    // Without a schema a unique key may be among what is tested.
    let confidence = match statement.table(at).is_some() || block.conditions.is_empty() {
        true => Confidence::Medium,
        false => Confidence::Low,
    };
    let mut finding = statement.of_source(&RULE, at, Severity::Info, confidence, title, &[&span]);
    recommend(
        &mut finding,
        "Say in which order, down to a unique column, by columns that an index has in this order behind those that are \
         compared. Where any rows will do, leave it as it is."
            .to_owned(),
        None,
    );
    finding.verify = "The same call gives the same rows.".to_owned();
    Some(finding)
}

fn is_loose(statement: &Statement<'_>, place: usize, block: &Block) -> bool {
    let limit = block.limit.filter(|limit| limit.rows != Some(0));
    let is_aggregate =
        |kind: &ItemKind| matches!(kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
    let is_one = block.group.is_empty() && block.items.iter().any(|it| is_aggregate(&it.kind));
    // `SELECT 1`, `SELECT 'x'`: whether there is a row.
    let is_literal = |span| {
        let words = Words::of(statement.text, span);
        words.is_some_and(|it| matches!(it.kind(0), Some(crate::sql::token::Kind::Literal)))
    };
    let is_test = block.items.iter().all(|it| it.kind == ItemKind::Other && is_literal(&it.span));
    let is_fixed = !block.sources.is_empty()
        && (0..block.sources.len()).all(|it| statement.fixes_row((place, it)));
    let has_order = !block.order.is_empty()
        || Clauses::of(statement.text, &block.span)
            .is_some_and(|it| it.span(Clause::Order).is_some());
    limit.is_some()
        && !has_order
        && !block.sources.is_empty()
        && block.arm.is_none()
        && !is_one
        && !is_test
        && !is_fixed
}
