//! A list of IN with hundreds of values.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::shape::{Condition, Op};

use super::statement::{Statement, recommend};

rule! {
    /// A list of IN has hundreds of values.
    ///
    /// **Costs.** From 200 values on (eq_range_index_dive_limit; 10 in MySQL 5.6) the server no longer
    /// looks into the index for each, but guesses from averages; thousands may exceed
    /// range_optimizer_max_mem_size, and the table is read whole. Each list is parsed anew.
    /// **Wrong when.** Each value finds its row: about as many rows are examined as are sent.
    /// **Verify.** EXPLAIN: rows against what the statement examines; SHOW WARNINGS.
    /// **Source.** MySQL manual, range optimization of many-valued comparisons, limiting memory use.
    ///
    /// ```sql schema
    /// CREATE TABLE parts (id int PRIMARY KEY, kind int, KEY ix_kind (kind));
    /// ```
    /// ```sql clean
    /// SELECT id FROM parts WHERE kind IN (1, 2, 3, 5, 8, 13);
    /// ```
    Sql "SQL011" "huge-in-list"
}

/// Values from which on the server guesses: eq_range_index_dive_limit of MySQL 5.7 and later.
const MANY: usize = 200;
/// Values from which on the list itself is a burden. We chose it.
const TOO_MANY: usize = 1_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if statement.is_narrow(2) {
        return Vec::new();
    }
    let met = statement.conditions();
    let lists = met.iter().filter_map(|met| match &met.conjunct.condition {
        Condition::Test(test) => match &test.op {
            Op::In(values) | Op::InRows(values) if values.len() >= MANY => {
                Some((test, values.len()))
            }
            _ => None,
        },
        _ => None,
    });
    let Some((test, count)) = lists.max_by_key(|(_, count)| *count) else { return Vec::new() };
    let severity = if count > TOO_MANY { Severity::Medium } else { Severity::Low };
    let count = Amount::whole(u64::try_from(count).unwrap_or(u64::MAX));
    let column = statement.column_name(&test.column);
    let title = format!("`{column}` is looked for in a list of {} values", count.grouped());
    let spans = [&test.span];
    let at = test.column.of.filter(|at| statement.is_table(*at));
    let mut finding = match at {
        Some(at) => statement.of_source(&RULE, at, severity, Confidence::Medium, &title, &spans),
        None => statement.finding(&RULE, severity, Confidence::Medium, &title, &spans),
    };
    finding.subject.columns = vec![column];
    finding.evidence.push(Fact::number("values", count));
    recommend(
        &mut finding,
        "Put the values into a temporary table with a primary key and join it, or ask in batches of a hundred. Where the list \
         comes from a query, join that query instead."
            .to_owned(),
        None,
    );
    finding.verify =
        "EXPLAIN the join: the temporary table first, then the other one by ref or eq_ref."
            .to_owned();
    vec![finding]
}
