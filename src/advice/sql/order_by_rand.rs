//! Rows are put in a random order.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::statement::{Statement, recommend};
use super::words::Words;

rule! {
    /// Rows are put in a random order to take some of them.
    ///
    /// **Costs.** A number is made for each row and all of them are sorted, to give one or ten.
    /// **Wrong when.** There are fewer than 1,000 rows.
    /// **Verify.** Rows_examined and the time of the statement that picks by key.
    /// **Source.** MySQL manual, RAND(); Percona, "ORDER BY RAND()".
    ///
    /// ```sql schema
    /// CREATE TABLE quotes (id int PRIMARY KEY, author varchar(20), line varchar(200));
    /// CREATE TABLE weekdays (id int PRIMARY KEY, name varchar(9));
    /// -- rows: quotes 40000, weekdays 7
    /// ```
    /// ```sql finding
    /// SELECT line FROM quotes ORDER BY RAND() LIMIT 1;
    /// ```
    /// ```sql finding
    /// SELECT line FROM quotes WHERE author = 'x' ORDER BY rand( 7 ) LIMIT 3;
    /// ```
    /// ```sql clean
    /// SELECT name FROM weekdays ORDER BY RAND() LIMIT 1;
    /// ```
    /// ```sql clean
    /// SELECT line FROM quotes WHERE id = 5 ORDER BY RAND();
    /// ```
    /// ```sql clean
    /// SELECT line FROM quotes WHERE id >= 4711 ORDER BY id LIMIT 1;
    /// ```
    Sql "SQL006" "order-by-rand"
}

/// Rows from which on it costs.
const MIN_ROWS: u64 = 1_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut blocks = statement.blocks();
    blocks.find_map(|(place, block)| {
        let key = block.order.iter().find(|key| {
            let words = Words::of(statement.text, &key.span);
            words.is_some_and(|it| it.is_word(0, "RAND") && it.at(1) == "(")
        })?;
        let sources: Vec<(usize, usize)> =
            (0..block.sources.len()).map(|source| (place, source)).collect();
        let is_small = |at: &(usize, usize)| statement.fixes_row(*at) || statement.is_below(*at, MIN_ROWS);
        if sources.is_empty() || sources.iter().all(is_small) {
            return None;
        }
        let confidence = match sources.first().and_then(|at| statement.rows(*at)) {
            Some(_) => Confidence::High,
            None => Confidence::Medium,
        };
        let first = *sources.first()?;
        let title = "All rows that match are sorted by a random number";
        let mut finding =
            statement.of_source(&RULE, first, Severity::Medium, confidence, title, &[&key.span]);
        recommend(
            &mut finding,
            "Pick by key: draw a number between the least and the greatest key in the application and take the first row \
             from there on, `WHERE id >= ? ORDER BY id LIMIT 1`, or keep a column of random numbers with an index and begin at \
             a random one. Where keys have gaps, rows behind a gap come up more often."
                .to_owned(),
            None,
        );
        finding.verify = "EXPLAIN the new statement: no filesort, rows about LIMIT.".to_owned();
        Some(finding)
    })
    .into_iter()
    .collect()
}
