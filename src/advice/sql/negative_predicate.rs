//! Rows are found only by what they are not.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::schema;
use crate::sql::shape::{
    Block, Clause as In, Condition, Conjunct, ItemKind, Op, Operand, Test, Value, ValueKind,
    Wrapped,
};

use super::statement::{At, Statement, in_title, recommend};
use super::words::{Clauses, Edits};

rule! {
    /// Rows are found only by what they are not.
    ///
    /// **Costs.** !=, NOT IN and NOT LIKE keep most rows: an index is of no use, and the table is read
    /// whole. NOT IN (SELECT …) gives no row at all once a NULL is among what is selected.
    /// **Wrong when.** What is left is rare; an index holds all columns that are read; the table has
    /// fewer than 10,000 rows; another condition finds few rows.
    /// **Verify.** Count the rows that are left; EXPLAIN with the wanted values listed.
    /// **Source.** MySQL manual, range optimization; ALL, ANY and NOT IN subqueries.
    ///
    /// ```sql schema
    /// CREATE TABLE jobs (id int PRIMARY KEY, state varchar(9), owner int, note varchar(90), KEY ix_state (state));
    /// CREATE TABLE owners (id int PRIMARY KEY, boss int, name varchar(20) NOT NULL, KEY ix_boss (boss));
    /// -- rows: jobs 50000, owners 400; distinct: jobs.state 3 (value 'done': 49900 rows, value 'new': 60 rows)
    /// ```
    /// ```sql finding
    /// SELECT note FROM jobs WHERE state <> 'new';
    /// ```
    /// ```sql finding
    /// SELECT note FROM jobs WHERE note NOT LIKE '%test%';
    /// ```
    /// ```sql finding
    /// SELECT name FROM owners WHERE id NOT IN (SELECT boss FROM owners);
    /// ```
    /// ```sql clean
    /// SELECT name FROM owners WHERE id NOT IN (SELECT boss FROM owners WHERE boss IS NOT NULL);
    /// ```
    /// ```sql clean
    /// SELECT note FROM jobs WHERE state <> 'done';
    /// ```
    /// ```sql clean
    /// SELECT note FROM jobs WHERE state <> 'new' AND id BETWEEN 5 AND 90;
    /// ```
    /// ```sql clean
    /// SELECT state FROM jobs WHERE state <> 'new';
    /// ```
    /// ```sql clean
    /// SELECT name FROM owners WHERE name <> 'Ann';
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM owners WHERE id NOT IN (SELECT id FROM jobs);
    /// ```
    Sql "SQL008" "negative-predicate"
}

/// Rows from which on it costs.
const MIN_ROWS: u64 = 10_000;
/// Percent of the rows that is rare.
const RARE: u64 = 10;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let trap = statement.conditions().iter().find_map(|met| match &met.conjunct.condition {
        Condition::Test(test) => trap(statement, test),
        _ => None,
    });
    let finding = trap.or_else(|| {
        let mut blocks = statement.blocks();
        blocks.find_map(|(place, block)| {
            (0..block.sources.len()).find_map(|source| alone(statement, (place, source), block))
        })
    });
    finding.into_iter().collect()
}

/// NOT IN of a column that may be NULL.
fn trap(statement: &Statement<'_>, test: &Test) -> Option<Finding> {
    let Op::NotInBlock(place) = test.op else { return None };
    let block = statement.block(place)?;
    let [item] = block.items.as_slice() else { return None };
    let ItemKind::Column(column) = &item.kind else { return None };
    let known = statement.column(column)?;
    let at = column.of?;
    let is_optional = block.sources.get(at.1)?.is_optional;
    // What is compared in WHERE is not NULL any more.
    let is_tested = statement
        .tests(at)
        .any(|it| it.column == *column && !matches!(it.op, Op::IsNull | Op::NullSafe(_)));
    if is_tested || at.0 != place || !(known.column.is_nullable || is_optional) {
        return None;
    }
    let name = statement.column_name(column);
    let title = format!("NOT IN gives no row once `{name}` is NULL in one of those selected");
    let mut finding =
        statement.of_source(&RULE, at, Severity::Medium, Confidence::Medium, &title, &[&test.span]);
    finding.subject.columns = vec![name];
    finding.evidence.push(Fact::flag("is_nullable", true));
    let sql = Clauses::of(statement.text, &block.span).and_then(|clauses| {
        let mut edits = Edits::default();
        clauses.demand(&format!("{} IS NOT NULL", statement.quote(&item.span)), &mut edits)?;
        (item.alias.is_none() && block.group.is_empty() && block.arm.is_none())
            .then(|| statement.rewritten(&edits))?
    });
    recommend(
        &mut finding,
        "Leave NULL out of what is selected, or ask with NOT EXISTS. Where no NULL is among it the result is the same; where \
         one is, NOT IN is never true, for the value could equal the unknown one."
            .to_owned(),
        sql,
    );
    finding.verify = "Count the rows of the subquery whose column IS NULL.".to_owned();
    Some(finding)
}

/// What a condition says no to.
enum No<'a> {
    Test(&'a Test),
    Wrapped(&'a Wrapped),
}

/// A source of which all that is known is what its rows are not.
fn alone(statement: &Statement<'_>, at: At, block: &Block) -> Option<Finding> {
    let mut found: Option<No<'_>> = None;
    for conjunct in &block.conditions {
        let is_here = conjunct.clause == In::Where || conjunct.clause == In::On(at.1);
        match &conjunct.condition {
            _ if !is_here => {}
            Condition::Test(test) if test.column.of == Some(at) => match &test.op {
                Op::Differs(values) if values.iter().all(|it| it.kind != ValueKind::Null) => {
                    found.get_or_insert(No::Test(test));
                }
                Op::NotInBlock(_) | Op::DiffersFrom(_) | Op::IsNotNull => {}
                _ => return None,
            },
            Condition::Wrapped(wrapped) if wrapped.columns.iter().any(|it| it.of == Some(at)) => {
                if !wrapped.is_negated {
                    return None;
                }
                found.get_or_insert(No::Wrapped(wrapped));
            }
            Condition::Test(_) | Condition::Wrapped(_) | Condition::Constant(_) => {}
            // What is not understood may narrow.
            _ => return None,
        }
    }
    let found = found?;
    let (column, span) = match &found {
        No::Test(test) => (&test.column, &test.span),
        No::Wrapped(wrapped) => (wrapped.columns.first()?, &wrapped.span),
    };
    let joins = |conjunct: &Conjunct| match &conjunct.condition {
        Condition::Test(test) => match &test.op {
            Op::Equal(Operand::Column(other)) => other.of == Some(at) && test.column.of != Some(at),
            _ => false,
        },
        _ => false,
    };
    let is_joined = block.conditions.iter().any(joins);
    let is_small = statement.is_below(at, MIN_ROWS);
    let is_limited = block.limit.is_some_and(|limit| limit.rows.is_some_and(|rows| rows < 1_000))
        && block.order.is_empty();
    if !statement.is_table(at)
        || statement.shape.is_partial
        || is_joined
        || is_small
        || is_limited
        || statement.is_scanned(at) == Some(false)
        || statement.is_covered(at)
        || statement.is_narrow(10)
    {
        return None;
    }
    // Without a word on how many rows there are, nothing says that it matters.
    if statement.rows(at).is_none() && !statement.is_review {
        return None;
    }
    if let No::Test(test) = &found
        && is_rest_rare(statement, at, test)
    {
        return None;
    }
    let title =
        format!("Rows are found only by what they are not: {}", in_title(statement.quote(span)));
    let confidence = statement.confidence(Some(at)).min(match statement.rows(at) {
        Some(_) => Confidence::Medium,
        None => Confidence::Low,
    });
    let mut finding = statement.of_source(&RULE, at, Severity::Low, confidence, &title, &[span]);
    finding.subject.columns = vec![statement.column_name(column)];
    recommend(
        &mut finding,
        "Say what is wanted instead: a list of the wanted values, or a range, can be searched for. Where few rows are wanted, \
         a column that marks them, with an index."
            .to_owned(),
        None,
    );
    finding.verify = "EXPLAIN with the wanted values listed: access type ref or range.".to_owned();
    Some(finding)
}

/// Whether few rows are left, as the schema's facts tell of the values that are left out.
fn is_rest_rare(statement: &Statement<'_>, at: At, test: &Test) -> bool {
    let Op::Differs(values) = &test.op else { return false };
    let Some(table) = statement.table(at) else { return false };
    let (Some(rows), Some(facts)) = (table.facts.rows, table.facts.column(&test.column.name))
    else {
        return false;
    };
    let is_left_out = |own: &schema::Value| values.iter().any(|value| is_same(value, own));
    let gone: u64 =
        facts.values.iter().filter(|(own, _)| is_left_out(own)).map(|(_, rows)| rows).sum();
    rows.saturating_sub(gone).saturating_mul(100) <= rows.saturating_mul(RARE)
}

fn is_same(value: &Value, own: &schema::Value) -> bool {
    let text = value.text.trim_matches(['\'', '"']);
    match own {
        schema::Value::Null => value.kind == ValueKind::Null,
        schema::Value::Number(number) | schema::Value::Text(number) => text == number,
    }
}
