//! A SELECT gives as many rows as there are.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;
use crate::sql::shape::{Clause, ItemKind, SourceOf, Verb};

use super::statement::{Statement, recommend};
use super::words::Words;

rule! {
    /// A SELECT without LIMIT gives ten thousands of rows.
    ///
    /// **Costs.** They are read, sent, and kept by the client; the result grows with the table.
    /// **Wrong when.** It is an export, a dump or a load into another store. Silent where SQL_NO_CACHE,
    /// INTO OUTFILE or INSERT … SELECT says so, and where fewer than 10,000 rows are sent.
    /// **Verify.** Rows_sent in the log.
    /// **Source.** MySQL manual, LIMIT query optimization.
    ///
    /// ```sql schema
    /// CREATE TABLE visits (id int PRIMARY KEY, page int, seen datetime);
    /// CREATE TABLE pages (id int PRIMARY KEY, path varchar(90));
    /// -- rows: visits 800000, pages 300
    /// ```
    /// ```sql finding
    /// SELECT id, page, seen FROM visits;
    /// ```
    /// ```sql clean
    /// SELECT id, page, seen FROM visits LIMIT 500;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*), MAX(seen) FROM visits;
    /// ```
    /// ```sql clean
    /// SELECT path FROM pages;
    /// ```
    /// ```sql clean
    /// SELECT /*!40001 SQL_NO_CACHE */ * FROM visits;
    /// ```
    /// ```sql clean
    /// INSERT INTO pages SELECT page, 'x' FROM visits;
    /// ```
    Sql "SQL012" "unbounded-result"
}

/// Rows sent from which on it is told.
const MIN_SENT: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    finding(statement).into_iter().collect()
}

fn finding(statement: &Statement<'_>) -> Option<Finding> {
    let shape = statement.shape;
    if shape.verb != Verb::Select || shape.is_into || shape.is_partial {
        return None;
    }
    let (place, block) = statement.blocks().find(|(_, block)| statement.is_alone(block))?;
    let aggregates =
        |kind: &ItemKind| matches!(kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
    let is_one_row = block.group.is_empty() && block.items.iter().any(|it| aggregates(&it.kind));
    if block.limit.is_some() || is_one_row || block.sources.is_empty() || is_dump(statement) {
        return None;
    }
    let sent = match statement.sent() {
        Some(sent) => Some(sent).filter(|sent| *sent >= MIN_SENT)?,
        // Without a log only a table that is given whole tells how many rows there are.
        None => {
            let is_whole = block.sources.len() == 1
                && block.group.is_empty()
                && !block.is_distinct
                && matches!(block.sources.first()?.of, SourceOf::Table(_))
                && !block.conditions.iter().any(|it| it.clause != Clause::Having);
            let rows = statement.table((place, 0))?.facts.rows.filter(|_| is_whole)?;
            Some(rows).filter(|rows| *rows >= MIN_SENT)?
        }
    };
    let is_measured = statement.sent().is_some();
    let confidence = if is_measured { Confidence::High } else { Confidence::Medium };
    let title = format!("{} rows are sent by one call", Amount::whole(sent).grouped());
    let mut finding = statement.of_source(
        &RULE,
        (place, 0),
        Severity::Medium,
        confidence,
        &title,
        &[&block.span],
    );
    recommend(
        &mut finding,
        "Ask for what is shown, with LIMIT, and page by the values of the last row. Where sums are wanted let the server add \
         up; where all rows are wanted, read them in batches by primary key."
            .to_owned(),
        None,
    );
    finding.verify = "Rows_sent of the class falls to what is used.".to_owned();
    Some(finding)
}

/// Whether it is what dump tools send.
fn is_dump(statement: &Statement<'_>) -> bool {
    let head = 0..statement.text.len().min(400);
    let words = (0..=3)
        .find_map(|cut| Words::of_any(statement.text, &(head.start..head.end - cut.min(head.end))));
    words.is_some_and(|words| (0..words.len()).any(|at| words.is_word(at, "SQL_NO_CACHE")))
}
