//! Tables without a condition between them.

use std::collections::HashMap;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::shape::{
    Block, Column, Condition, Conjunct, ItemKind, Op, Operand, Role, Shape, SourceOf,
};

use super::in_subquery::other_column;
use super::statement::{At, Statement, recommend};
use super::words::Words;

rule! {
    /// Tables are joined without a condition between them: each row with each.
    ///
    /// **Costs.** The product of their rows is made, of two times 10,000 rows a hundred million.
    /// **Wrong when.** One side is one row, or CROSS JOIN is written and means it, as with a table of
    /// numbers. A condition may stand in WHERE, ON or USING, or lead through a third table.
    /// **Verify.** EXPLAIN: no Using join buffer without a condition; Rows_sent as expected.
    /// **Source.** MySQL manual, JOIN clause.
    ///
    /// ```sql schema
    /// CREATE TABLE rooms (id int PRIMARY KEY, house int, name varchar(20), KEY ix_house (house));
    /// CREATE TABLE guests (id int PRIMARY KEY, room int, name varchar(20), KEY ix_room (room));
    /// CREATE TABLE houses (id int PRIMARY KEY, name varchar(20));
    /// CREATE TABLE floors (n int PRIMARY KEY);
    /// -- rows: rooms 4000, guests 90000, houses 60, floors 12
    /// ```
    /// ```sql finding
    /// SELECT r.name, g.name FROM rooms r, guests g WHERE r.house = 5;
    /// ```
    /// ```sql finding
    /// SELECT COUNT(*) FROM rooms JOIN guests;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r, guests g WHERE g.room = r.id;
    /// ```
    /// ```sql clean
    /// SELECT h.name, g.name FROM houses h JOIN guests g JOIN rooms r ON r.house = h.id AND g.room = r.id;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r, guests g WHERE r.id = 5;
    /// ```
    /// ```sql clean
    /// SELECT r.name, f.n FROM rooms r CROSS JOIN floors f;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r JOIN guests g USING (id);
    /// ```
    /// ```sql clean
    /// SELECT r.name FROM rooms r NATURAL JOIN guests g;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r, guests g WHERE CONCAT(r.name, g.name) = 'ab';
    /// ```
    /// ```sql clean
    /// SELECT h.name, f.n FROM houses h, floors f;
    /// ```
    /// ```sql clean
    /// SELECT g.name, t.n FROM guests g, (SELECT COUNT(*) AS n FROM rooms) t;
    /// ```
    /// ```sql clean
    /// SELECT r.name, j.n FROM rooms r, JSON_TABLE('[1, 2]', '$[*]' COLUMNS (n int PATH '$')) AS j;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r, LATERAL (SELECT name FROM guests WHERE guests.room = r.id LIMIT 2) g;
    /// ```
    /// ```sql clean
    /// SELECT r.name, g.name FROM rooms r, guests g WHERE r.house = 5 AND g.room = 5;
    /// ```
    Sql "SQL020" "cartesian-join"
}

/// Pairs of rows from which on it costs.
const MIN_PAIRS: u64 = 10_000;
/// Rows of each side from which on a CROSS JOIN that is written out is told all the same.
const LARGE: u64 = 10_000;
/// Sources of a block that are looked at: a join has no more.
const MOST_SOURCES: usize = 64;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if statement.shape.is_partial {
        return Vec::new();
    }
    let mut blocks = statement.blocks();
    blocks.find_map(|(place, block)| finding(statement, place, block)).into_iter().collect()
}

fn finding(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    let count = block.sources.len();
    if !(2..=MOST_SOURCES).contains(&count) {
        return None;
    }
    let mut groups = Groups((0..count).collect());
    join_all(statement, place, block, &mut groups)?;
    // One row at most, what a function makes, or what looks at the others: no product.
    let is_free = |source: usize| {
        let at = (place, source);
        statement.fixes_row(at) || !is_rows(statement, at, block)
    };
    let roots: Vec<usize> = {
        let mut roots: Vec<usize> =
            (0..count).filter(|it| !is_free(*it)).map(|it| groups.root(it)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    };
    let [one, .., other] = roots.as_slice() else { return None };
    let most = |root: usize, groups: &Groups| {
        (0..count)
            .filter(|it| groups.root(*it) == root)
            .map(|it| statement.rows((place, it)))
            .try_fold(0, |most: u64, rows| Some(most.max(rows?)))
    };
    let rows: Option<Vec<u64>> = roots.iter().map(|root| most(*root, &groups)).collect();
    let pairs =
        rows.as_ref().map(|rows| rows.iter().fold(1_u64, |all, rows| all.saturating_mul(*rows)));
    if pairs.is_some_and(|pairs| pairs < MIN_PAIRS) {
        return None;
    }
    // A call that examines few rows makes few pairs.
    if statement.examined().is_some_and(|rows| rows < MIN_PAIRS) {
        return None;
    }
    let is_meant = has_word(statement, block, "CROSS");
    let are_large = rows.as_ref().is_some_and(|rows| rows.iter().all(|rows| *rows >= LARGE));
    if is_meant && !are_large {
        return None;
    }
    let name = |source: usize| statement.called((place, source)).unwrap_or_default();
    let (one, other) = (*one, *other);
    let title = format!(
        "`{}` and `{}` are joined without a condition between them: each row with each",
        name(one),
        name(other)
    );
    let confidence =
        match (pairs, statement.table((place, one)).zip(statement.table((place, other)))) {
            (Some(_), Some(_)) => Confidence::High,
            (_, Some(_)) => Confidence::Medium,
            _ => Confidence::Low,
        };
    let first = &block.sources.get(one)?.span;
    let last = &block.sources.get(other)?.span;
    let span = first.start.min(last.start)..first.end.max(last.end);
    let severity = if pairs.is_some() { Severity::High } else { Severity::Medium };
    let mut finding =
        statement.of_source(&RULE, (place, one), severity, confidence, &title, &[&span]);
    finding.evidence.extend(pairs.map(|pairs| Fact::number("pairs", Amount::whole(pairs))));
    recommend(
        &mut finding,
        format!(
            "Say which rows of `{}` belong to a row of `{}`, in ON or WHERE. Where all pairs are wanted write CROSS JOIN, so \
             that the next reader knows.",
            name(other),
            name(one)
        ),
        None,
    );
    finding.verify = "EXPLAIN: the second table is read by ref or eq_ref.".to_owned();
    Some(finding)
}

/// Whether a source may have several rows that nothing ties to the others.
fn is_rows(statement: &Statement<'_>, at: At, block: &Block) -> bool {
    let Some(source) = block.sources.get(at.1) else { return false };
    let blocks = match &source.of {
        SourceOf::Table(_) => return true,
        SourceOf::Other => return false,
        SourceOf::Derived(blocks) | SourceOf::Common(blocks) => blocks,
    };
    // One that looks at tables beside it is LATERAL.
    let is_lateral =
        blocks.iter().any(|inner| super::in_subquery::looks_out(statement.shape, *inner));
    let is_one_row = |inner: &Block| {
        let is_aggregate =
            |kind: &ItemKind| matches!(kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
        inner.limit.is_some_and(|limit| limit.rows == Some(1))
            || inner.sources.is_empty()
            || inner.group.is_empty() && inner.items.iter().any(|item| is_aggregate(&item.kind))
    };
    let is_single = match blocks.as_slice() {
        [only] => statement.block(*only).is_some_and(is_one_row),
        // A few rows written out one by one.
        several => several.iter().all(|it| statement.block(*it).is_some_and(is_one_row)),
    };
    !is_lateral && !is_single
}

/// Sources that conditions tie together.
struct Groups(Vec<usize>);

impl Groups {
    fn root(&self, mut at: usize) -> usize {
        while let Some(above) = self.0.get(at).copied().filter(|above| *above != at) {
            at = above;
        }
        at
    }

    fn join(&mut self, sources: &[usize]) {
        let Some(first) = sources.first().map(|it| self.root(*it)) else { return };
        for source in sources {
            let root = self.root(*source);
            if let Some(slot) = self.0.get_mut(root) {
                *slot = first;
            }
        }
    }
}

/// Ties the sources of a block by its conditions and those of blocks within it. None where it is
/// not known which of them a column is of: then nothing is known to be without a condition.
fn join_all(
    statement: &Statement<'_>,
    place: usize,
    block: &Block,
    groups: &mut Groups,
) -> Option<()> {
    if has_word(statement, block, "NATURAL") || has_word(statement, block, "USING") {
        // What these say may stand nowhere else.
        let all: Vec<usize> = (0..block.sources.len()).collect();
        groups.join(&all);
    }
    let mut constants: HashMap<&str, usize> = HashMap::new();
    for conjunct in &block.conditions {
        let sources = sources_of(statement.shape, place, conjunct)?;
        groups.join(&sources);
        if let Condition::Test(test) = &conjunct.condition
            && let Op::Equal(Operand::Value(value)) = &test.op
            && let Some(of) = test.column.of.filter(|of| of.0 == place)
        {
            // Two columns that equal one constant equal each other.
            let first = *constants.entry(&value.text).or_insert(of.1);
            groups.join(&[first, of.1]);
        }
        // ON says what is meant to join, even where it says `1 = 1`.
        if let crate::sql::shape::Clause::On(source) = conjunct.clause
            && sources.is_empty()
        {
            let before = source.checked_sub(1)?;
            groups.join(&[before, source]);
        }
    }
    // A subquery that looks at several of them ties them.
    let mut is_inside = vec![false; statement.shape.blocks.len()];
    for (at, inner) in statement.shape.blocks.iter().enumerate().skip(place + 1) {
        let is_within =
            |parent: usize| parent == place || is_inside.get(parent).copied().unwrap_or(false);
        if !inner.parent.is_some_and(is_within) {
            continue;
        }
        if let Some(slot) = is_inside.get_mut(at) {
            *slot = true;
        }
        let mut all: Vec<usize> = Vec::new();
        for conjunct in &inner.conditions {
            all.extend(sources_of(statement.shape, place, conjunct)?);
        }
        if let Role::Derived(source) = inner.role
            && inner.parent == Some(place)
            && !all.is_empty()
        {
            all.push(source);
        }
        groups.join(&all);
    }
    Some(())
}

/// Sources of a block in a condition; none where a column is of no known source.
fn sources_of(shape: &Shape, place: usize, conjunct: &Conjunct) -> Option<Vec<usize>> {
    let mut found: Vec<usize> = Vec::new();
    let mut open = vec![conjunct];
    while let Some(conjunct) = open.pop() {
        let columns: Vec<&Column> = match &conjunct.condition {
            Condition::Any(arms) => {
                open.extend(arms.iter().flatten());
                Vec::new()
            }
            Condition::Test(test) => {
                std::iter::once(&test.column).chain(other_column(&test.op)).collect()
            }
            Condition::Wrapped(wrapped) => wrapped.columns.iter().collect(),
            Condition::Other(columns) => columns.iter().collect(),
            Condition::Exists { block, .. } => {
                // Its own conditions are looked at by themselves.
                let _ = shape.blocks.get(*block);
                Vec::new()
            }
            Condition::Constant(_) => Vec::new(),
        };
        for column in columns {
            let of = column.of?;
            if of.0 == place {
                found.push(of.1);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Whether a word stands in the FROM of a block.
fn has_word(statement: &Statement<'_>, block: &Block, word: &str) -> bool {
    Words::of_any(statement.text, &block.span)
        .is_none_or(|words| (0..words.len()).any(|at| words.is_word(at, word)))
}
