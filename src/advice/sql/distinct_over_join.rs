//! DISTINCT takes back what a join has multiplied.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::schema::Part;
use crate::sql::shape::{
    Block, Clause as In, Column, Condition, Conjunct, ItemKind, Op, Operand, SourceOf, Verb,
};

use super::in_subquery::other_column;
use super::statement::{At, Statement, recommend};
use super::words::{Clause, Clauses, Edits, as_part};

rule! {
    /// DISTINCT takes back what a join has multiplied.
    ///
    /// **Costs.** Each row is made once for each partner, and all of them go through a temporary table
    /// to leave one.
    /// **Wrong when.** The other table has one partner at most (then DISTINCT has another reason), or
    /// columns of both are selected.
    /// **Verify.** EXPLAIN: no Using temporary; FirstMatch or a subquery by ref.
    /// **Source.** MySQL manual, DISTINCT optimization and semijoin strategies.
    ///
    /// ```sql schema
    /// CREATE TABLE makers (id int PRIMARY KEY, name varchar(40), land char(2));
    /// CREATE TABLE models (id int PRIMARY KEY, maker int NOT NULL, year int, KEY ix_maker (maker));
    /// ```
    /// ```sql finding
    /// SELECT DISTINCT k.id, k.name FROM makers k JOIN models m ON m.maker = k.id WHERE m.year = 2026;
    /// ```
    /// ```sql finding
    /// SELECT DISTINCT makers.name FROM makers, models WHERE models.maker = makers.id AND makers.land = 'it';
    /// ```
    /// ```sql clean
    /// SELECT DISTINCT m.year FROM models m JOIN makers k ON k.id = m.maker WHERE k.land = 'it';
    /// ```
    /// ```sql clean
    /// SELECT DISTINCT k.name, m.year FROM makers k JOIN models m ON m.maker = k.id;
    /// ```
    /// ```sql clean
    /// SELECT DISTINCT land FROM makers;
    /// ```
    /// ```sql clean
    /// SELECT k.name FROM makers k WHERE EXISTS (SELECT 1 FROM models m WHERE m.maker = k.id);
    /// ```
    Sql "SQL013" "distinct-over-join"
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut blocks = statement.blocks();
    blocks.find_map(|(place, block)| finding(statement, place, block)).into_iter().collect()
}

fn finding(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    let is_candidate = block.is_distinct
        && block.sources.len() >= 2
        && block.group.is_empty()
        && !block.has_window
        && block.sources.iter().all(|source| matches!(source.of, SourceOf::Table(_)))
        && !block.items.is_empty();
    if !is_candidate {
        return None;
    }
    // All that is selected, and sorted by, is of one table.
    let mut of = block.items.iter().map(|item| match &item.kind {
        ItemKind::Column(column) => column.of,
        ItemKind::Star(Some(source)) => Some((place, *source)),
        _ => None,
    });
    let own = of.next()??;
    let is_one = of.all(|it| it == Some(own))
        && block.order.iter().all(|key| key.column.as_ref().is_none_or(|it| it.of == Some(own)));
    if !is_one {
        return None;
    }
    let others: Vec<At> =
        (0..block.sources.len()).map(|source| (place, source)).filter(|at| *at != own).collect();
    // A partner by its unique key is one at most: the join multiplies nothing.
    if others.iter().all(|at| is_by_unique_key(statement, *at, block)) {
        return None;
    }
    let title = "DISTINCT takes back the rows that a join has multiplied";
    let head = Clauses::of(statement.text, &block.span)
        .and_then(|clauses| {
            let (verb, from) = (clauses.span(Clause::Verb)?, clauses.span(Clause::From)?);
            Some(verb.start..from.end)
        })
        .unwrap_or(block.span.clone());
    let confidence = match others.iter().all(|at| statement.table(*at).is_some()) {
        true => Confidence::Medium,
        false => Confidence::Low,
    };
    let mut finding = statement.of_source(&RULE, own, Severity::Low, confidence, title, &[&head]);
    let sql = exists(statement, own, &others, block);
    recommend(
        &mut finding,
        "Ask with EXISTS whether there is a partner: the first one found is enough, and no row is made twice. Each row of \
         the table comes as often as it is there; DISTINCT stays where what is selected is not unique."
            .to_owned(),
        sql,
    );
    finding.verify = "EXPLAIN: no Using temporary, and the result has the same rows.".to_owned();
    Some(finding)
}

/// Whether all columns of a unique index of a source equal something.
fn is_by_unique_key(statement: &Statement<'_>, at: At, block: &Block) -> bool {
    let Some(table) = statement.table(at) else { return false };
    let is_equal = |part: &Part| {
        block.conditions.iter().any(|conjunct| {
            let Condition::Test(test) = &conjunct.condition else { return false };
            let is_own = |column: &Column| column.of == Some(at) && part.is_column(&column.name);
            match &test.op {
                Op::Equal(Operand::Column(other)) => is_own(&test.column) || is_own(other),
                Op::Equal(_) => is_own(&test.column),
                _ => false,
            }
        })
    };
    let mut unique = table.indexes.iter().filter(|index| index.is_unique());
    unique.any(|index| index.parts.iter().all(is_equal))
}

/// The statement with the one other table in EXISTS.
fn exists(statement: &Statement<'_>, own: At, others: &[At], block: &Block) -> Option<String> {
    let [other] = others else { return None };
    let (source, partner) = (block.sources.get(own.1)?, block.sources.get(other.1)?);
    let is_plain = statement.is_alone(block)
        && statement.shape.verb == Verb::Select
        && !statement.shape.is_locking
        && !source.is_optional
        && !partner.is_optional
        && source.hints.is_empty()
        && partner.hints.is_empty()
        && !source.span.is_empty()
        && !partner.span.is_empty();
    if !is_plain {
        return None;
    }
    let mut outer: Vec<String> = Vec::new();
    let mut inner: Vec<String> = Vec::new();
    let mut spans: Vec<&std::ops::Range<usize>> = Vec::new();
    for conjunct in &block.conditions {
        let span = &conjunct.span;
        let is_demand = conjunct.clause == In::Where && !span.is_empty();
        if !is_demand || !statement.is_as_written(block, span) {
            return None;
        }
        // `(a, b) = (1, 2)` tests twice what is written once.
        if spans.contains(&span) {
            continue;
        }
        spans.push(span);
        let mut same = block.conditions.iter().filter(|it| it.span == *span);
        let is_inner = same.try_fold(false, |any, it| Some(any | speaks_of(it, *other)?))?;
        let text = as_part(statement.quote(span));
        if is_inner { inner.push(text) } else { outer.push(text) }
    }
    if inner.is_empty() {
        return None;
    }
    let clauses = Clauses::of(statement.text, &block.span)?;
    // What USING and NATURAL say stands nowhere as a condition.
    let has_using = clauses
        .places(Clause::From)?
        .any(|at| ["USING", "NATURAL"].iter().any(|word| clauses.words.is_word(at, word)));
    if has_using {
        return None;
    }
    let named = |source: &crate::sql::shape::Source| match &source.alias {
        Some(alias) => {
            format!("{} {}", statement.quote(&source.span), super::words::quoted(alias))
        }
        None => statement.quote(&source.span).to_owned(),
    };
    // A span may hold the alias as well.
    let bare = |source: &crate::sql::shape::Source| {
        let text = statement.quote(&source.span);
        match text.contains(char::is_whitespace) {
            true => text.to_owned(),
            false => named(source),
        }
    };
    outer.push(format!("EXISTS (SELECT 1 FROM {} WHERE {})", bare(partner), inner.join(" AND ")));
    let mut edits = Edits::default();
    let from = clauses.span(Clause::From)?;
    let end = clauses.behind_where()?;
    edits.replace(from.start..end, format!("FROM {} WHERE {}", bare(source), outer.join(" AND ")));
    if is_unique(statement, own, block) {
        let verb = clauses.places(Clause::Verb)?;
        let distinct = verb.clone().find(|at| clauses.words.is(*at, "DISTINCT"))?;
        let next = clauses.words.range(distinct + 1)?;
        edits.remove(clauses.words.range(distinct)?.start..next.start);
    }
    statement.rewritten(&edits)
}

/// Whether what is selected has a unique key of its table.
fn is_unique(statement: &Statement<'_>, own: At, block: &Block) -> bool {
    let is_selected = |part: &Part| {
        part.prefix.is_none()
            && block.items.iter().any(|item| match &item.kind {
                ItemKind::Column(column) => part.is_column(&column.name),
                ItemKind::Star(_) => true,
                _ => false,
            })
    };
    let is_never_null = |part: &Part| {
        let column = part.column_name().and_then(|name| statement.table(own)?.column(name));
        column.is_some_and(|column| !column.is_nullable)
    };
    statement.table(own).is_some_and(|table| {
        let mut unique = table.indexes.iter().filter(|index| index.is_unique());
        unique.any(|index| index.parts.iter().all(|it| is_selected(it) && is_never_null(it)))
    })
}

/// Whether a condition speaks of a source; none where that is not known.
fn speaks_of(conjunct: &Conjunct, at: At) -> Option<bool> {
    let columns: Vec<&Column> = match &conjunct.condition {
        Condition::Test(test) => {
            if matches!(test.op, Op::InBlock(_) | Op::NotInBlock(_))
                || matches!(
                    &test.op,
                    Op::Equal(Operand::Block(_)) | Op::Compared(Operand::Block(_))
                )
            {
                return None;
            }
            std::iter::once(&test.column).chain(other_column(&test.op)).collect()
        }
        Condition::Wrapped(wrapped) => wrapped.columns.iter().collect(),
        Condition::Constant(_) => Vec::new(),
        Condition::Any(arms) => {
            let mut any = false;
            for conjunct in arms.iter().flatten() {
                if matches!(conjunct.condition, Condition::Any(_)) {
                    return None;
                }
                any |= speaks_of(conjunct, at)?;
            }
            return Some(any);
        }
        Condition::Exists { .. } | Condition::Other(_) => return None,
    };
    let known: Option<Vec<At>> = columns.iter().map(|column| column.of).collect();
    Some(known?.contains(&at))
}
