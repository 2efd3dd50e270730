//! SQL_CALC_FOUND_ROWS.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{Block, Clause as In};

use super::statement::{Statement, recommend};
use super::words::{Clause, Clauses, Edits};

rule! {
    /// SQL_CALC_FOUND_ROWS finds all rows to count them, though LIMIT asks for a few.
    ///
    /// **Costs.** LIMIT no longer stops the statement: all rows that match are read and often sorted.
    /// **Wrong when.** Never for long: it is deprecated since MySQL 8.0.17.
    /// **Verify.** Rows_examined of the page falls to about LIMIT.
    /// **Source.** MySQL manual, FOUND_ROWS().
    ///
    /// ```sql schema
    /// CREATE TABLE songs (id int PRIMARY KEY, band int, title varchar(90), KEY ix_band (band));
    /// ```
    /// ```sql finding
    /// SELECT SQL_CALC_FOUND_ROWS id, title FROM songs WHERE band = 5 ORDER BY id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT id, title FROM songs WHERE band = 5 ORDER BY id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT id, 'SQL_CALC_FOUND_ROWS' FROM songs WHERE band = 5 ORDER BY id LIMIT 10;
    /// ```
    Sql "SQL019" "calc-found-rows"
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if !statement.shape.counts_found_rows {
        return Vec::new();
    }
    let block = statement.blocks().next();
    let title = "SQL_CALC_FOUND_ROWS reads all rows that match, though LIMIT asks for a few";
    let (severity, confidence) = (Severity::Medium, Confidence::High);
    let mut finding = match block {
        Some((at, block)) if block.sources.len() == 1 => {
            statement.of_source(&RULE, (at, 0), severity, confidence, title, &[&block.span])
        }
        _ => statement.finding(&RULE, severity, confidence, title, &[]),
    };
    let sql = block.and_then(|(_, block)| two(statement, block));
    let has_sql = sql.is_some();
    recommend(
        &mut finding,
        "Ask for the page, and count in a statement of its own where the number is shown at all: COUNT(*) reads no columns \
         and sorts nothing, and the page stops at its LIMIT. FOUND_ROWS() gives what that COUNT(*) gives."
            .to_owned(),
        None,
    );
    if has_sql {
        finding.recommendation.action = crate::advice::Action::Rewrite;
        finding.recommendation.sql = sql.into_iter().flatten().collect();
    }
    finding.verify = "Rows_examined of the page falls to about LIMIT.".to_owned();
    vec![finding]
}

/// The page, and the count of all.
fn two(statement: &Statement<'_>, block: &Block) -> Option<Vec<String>> {
    let clauses = Clauses::of(statement.text, &block.span).filter(|_| statement.is_alone(block))?;
    let verb = clauses.places(Clause::Verb)?;
    let word = verb.clone().find(|at| clauses.words.is(*at, "SQL_CALC_FOUND_ROWS"))?;
    let range = clauses.words.range(word)?;
    let next = clauses.words.range(word + 1)?.start;
    let mut page = Edits::default();
    page.remove(range.start..next);
    let mut count = Edits::default();
    for clause in [Clause::Order, Clause::Limit] {
        if let Some(span) = clauses.span(clause) {
            count.remove(span);
        }
    }
    let is_plain = block.group.is_empty()
        && !block.is_distinct
        && !block.has_window
        && !block.conditions.iter().any(|it| it.clause == In::Having)
        && clauses.span(Clause::Having).is_none();
    let words = clauses.words.span(verb.start + 1..verb.end)?;
    if is_plain {
        count.replace(words, "COUNT(*)");
        return Some(vec![statement.rewritten(&page)?, statement.rewritten(&count)?]);
    }
    count.remove(range.start..next);
    // These stand only in a SELECT of their own.
    for at in
        verb.filter(|at| ["SQL_NO_CACHE", "SQL_CACHE"].iter().any(|it| clauses.words.is(*at, it)))
    {
        count.remove(clauses.words.range(at)?.start..clauses.words.range(at + 1)?.start);
    }
    let inner = statement.rewritten(&count)?;
    Some(vec![statement.rewritten(&page)?, format!("SELECT COUNT(*) FROM ({inner}) AS found")])
}
