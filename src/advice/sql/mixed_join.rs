//! Joins that say something else than they seem to.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{
    Block, Clause as In, Condition, Expression, Op, Operand, Test, ValueKind, Why,
};

use super::statement::{Statement, in_title, recommend};
use super::words::{Clause, Clauses, Edits, Words};

rule! {
    /// A LEFT JOIN whose other side WHERE tests, or commas beside JOIN.
    ///
    /// **Costs.** WHERE drops the rows that LEFT JOIN has kept: it is an inner join that reads as an outer
    /// one. JOIN binds tighter than a comma, so a name in ON may not be known.
    /// **Wrong when.** WHERE asks for rows without a partner: IS NULL, <=>, COALESCE, OR … IS NULL.
    /// **Verify.** The rewritten statement gives the same rows.
    /// **Source.** MySQL manual, outer join simplification; JOIN clause.
    ///
    /// ```sql schema
    /// CREATE TABLE cities (id int PRIMARY KEY, name varchar(40), land int);
    /// CREATE TABLE fairs (id int PRIMARY KEY, city int, year int, KEY ix_city (city));
    /// CREATE TABLE lands (id int PRIMARY KEY, name varchar(40));
    /// ```
    /// ```sql finding
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE f.year = 2026;
    /// ```
    /// ```sql finding
    /// SELECT c.name FROM cities c, lands l JOIN fairs f ON f.year = l.id WHERE c.land = l.id;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id AND f.year = 2026;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE f.id IS NULL;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE COALESCE(f.year, 2026) = 2026;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE f.year = 2026 OR f.year IS NULL;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE c.land = 5;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c, lands l WHERE c.land = l.id;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE f.year <=> NULL;
    /// ```
    /// ```sql clean
    /// SELECT c.name FROM cities c LEFT JOIN fairs f ON f.city = c.id WHERE IFNULL(f.year, 0) < 2026;
    /// ```
    Sql "SQL024" "mixed-join"
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let blocks: Vec<(usize, &Block)> = statement.blocks().collect();
    let turned = blocks.iter().find_map(|(place, block)| turned(statement, *place, block));
    let mixed = || blocks.iter().find_map(|(place, block)| mixed(statement, *place, block));
    turned.or_else(mixed).into_iter().collect()
}

/// An outer join that WHERE makes an inner one.
fn turned(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    let mut edits = Edits::default();
    let mut found: Option<(usize, &std::ops::Range<usize>)> = None;
    for (source, it) in block.sources.iter().enumerate().filter(|(_, it)| it.is_optional) {
        let refuses = block.conditions.iter().find(|conjunct| {
            conjunct.clause == In::Where
                && !conjunct.span.is_empty()
                && refuses_null(&conjunct.condition, (place, source))
        });
        let Some(conjunct) = refuses else { continue };
        found.get_or_insert((source, &conjunct.span));
        if let Some(range) = left_before(statement, block, it.span.start) {
            edits.replace(range, "JOIN");
        }
    }
    let (source, span) = found?;
    let name = statement.called((place, source)).unwrap_or_default();
    let title = format!(
        "WHERE drops the rows without a partner in `{name}`, which the outer join keeps: {}",
        in_title(statement.quote(span))
    );
    let mut finding = statement.of_source(
        &RULE,
        (place, source),
        Severity::Low,
        Confidence::High,
        &title,
        &[span],
    );
    let sql = statement.rewritten(&edits);
    recommend(
        &mut finding,
        "Write JOIN: of a row without a partner all columns of that table are NULL, and the condition is not true of NULL, so \
         the rows are the same. Where rows without a partner are wanted, the condition belongs into ON."
            .to_owned(),
        sql,
    );
    finding.verify = "Both forms give the same rows.".to_owned();
    Some(finding)
}

/// Whether a condition is not true where all columns of a source are NULL.
fn refuses_null(condition: &Condition, at: (usize, usize)) -> bool {
    match condition {
        Condition::Test(test) => test.column.of == Some(at) && refuses(test),
        Condition::Wrapped(wrapped) => {
            let is_strict = matches!(wrapped.why, Why::Arithmetic | Why::Wildcard | Why::Pattern);
            is_strict
                && gives_null(&wrapped.left)
                && wrapped.right.iter().all(gives_null)
                && !wrapped.is_negated
                && wrapped.columns.iter().any(|it| it.of == Some(at))
                && wrapped.op != "<=>"
                && !wrapped.op.starts_with("IS")
        }
        _ => false,
    }
}

/// Whether an expression is NULL where a column in it is: a function may turn NULL into a value.
fn gives_null(expression: &Expression) -> bool {
    match expression {
        Expression::Column(_) | Expression::Value(_) => true,
        Expression::Arithmetic(left, _, right) => gives_null(left) && gives_null(right),
        Expression::Call(..) | Expression::Other(_) => false,
    }
}

fn refuses(test: &Test) -> bool {
    match &test.op {
        Op::Equal(Operand::Value(_)) | Op::Range { .. } | Op::Prefix(_) | Op::IsNotNull => true,
        Op::In(values) => values.iter().all(|value| value.kind != ValueKind::Null),
        Op::Differs(_) | Op::Compared(_) | Op::InBlock(_) => true,
        _ => false,
    }
}

/// Where LEFT JOIN stands before a table.
fn left_before(
    statement: &Statement<'_>,
    block: &Block,
    table: usize,
) -> Option<std::ops::Range<usize>> {
    let words = Words::of(statement.text, &block.span)?;
    let at = (0..words.len()).find(|at| words.range(*at).is_some_and(|it| it.start >= table))?;
    let join = at.checked_sub(1).filter(|it| words.is_word(*it, "JOIN"))?;
    let before = join.checked_sub(1)?;
    let left = match words.is_word(before, "OUTER") {
        true => before.checked_sub(1)?,
        false => before,
    };
    words.is_word(left, "LEFT").then(|| words.span(left..join + 1))?
}

/// Commas and JOIN in one FROM.
fn mixed(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    if block.sources.len() < 3 {
        return None;
    }
    let clauses = Clauses::of(statement.text, &block.span)?;
    let words = &clauses.words;
    let places = clauses.places(Clause::From)?;
    let is_outer = |at: &usize| words.depth(*at) == Some(0);
    let has_comma = places.clone().filter(is_outer).any(|at| words.at(at) == ",");
    let has_join = places.clone().filter(is_outer).any(|at| words.is(at, "JOIN"));
    if !(has_comma && has_join) {
        return None;
    }
    let span = words.span(places)?;
    let mut finding = statement.of_source(
        &RULE,
        (place, 0),
        Severity::Low,
        Confidence::High,
        "Commas and JOIN stand in one FROM",
        &[&span],
    );
    recommend(
        &mut finding,
        "Write each join with JOIN … ON. JOIN binds tighter than a comma: ON knows only the tables behind the last comma, and \
         which condition joins which tables is seen at a glance."
            .to_owned(),
        None,
    );
    finding.verify = "Both forms give the same rows.".to_owned();
    Some(finding)
}
