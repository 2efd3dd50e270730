//! INSERT … SELECT locks what it reads.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{Role, SourceOf, Verb, WriteKind};

use super::statement::{At, Statement, recommend};

rule! {
    /// INSERT … SELECT locks all rows that it reads.
    ///
    /// **Costs.** At isolation REPEATABLE READ, the default, InnoDB sets shared locks on what the SELECT
    /// reads, and on the gaps between: writers of that table wait to the end.
    /// **Wrong when.** Few rows are read, or isolation is READ COMMITTED and the binary log has rows.
    /// **Verify.** SHOW ENGINE INNODB STATUS: row locks of the transaction; Lock_time of writers.
    /// **Source.** MySQL manual, locks set by different SQL statements in InnoDB.
    ///
    /// ```sql schema
    /// CREATE TABLE sales (id int PRIMARY KEY, day date, total int, KEY ix_day (day));
    /// CREATE TABLE sums (day date PRIMARY KEY, total int);
    /// CREATE TABLE rates (id int PRIMARY KEY, rate int);
    /// -- rows: sales 600000, sums 900, rates 40
    /// ```
    /// ```sql finding
    /// INSERT INTO sums SELECT day, SUM(total) FROM sales GROUP BY day;
    /// ```
    /// ```sql clean
    /// INSERT INTO sums VALUES ('2026-02-01', 5);
    /// ```
    /// ```sql clean
    /// INSERT INTO sums SELECT '2026-02-01', rate FROM rates;
    /// ```
    /// ```sql clean
    /// INSERT INTO sums SELECT day, total FROM sales WHERE id = 5;
    /// ```
    Sql "SQL016" "locking-insert-select"
}

/// Rows read from which on the locks matter.
const MIN_ROWS: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    finding(statement).into_iter().collect()
}

fn finding(statement: &Statement<'_>) -> Option<Finding> {
    let shape = statement.shape;
    let writes = |kind| matches!(kind, WriteKind::Insert | WriteKind::Replace);
    if !matches!(shape.verb, Verb::Insert | Verb::Replace)
        || !shape.writes.iter().any(|write| writes(write.kind))
    {
        return None;
    }
    let block = shape.blocks.iter().position(|block| block.role == Role::Statement)?;
    let sources = 0..statement.block(block)?.sources.len();
    let tables: Vec<At> = sources.map(|source| (block, source)).collect();
    let tables = tables.into_iter().filter(|at| {
        let is_table = statement
            .block(at.0)
            .and_then(|block| block.sources.get(at.1))
            .is_some_and(|source| matches!(source.of, SourceOf::Table(_)));
        let is_other_engine = statement.table(*at).is_some_and(|table| !table.is_innodb());
        is_table && !is_other_engine && !statement.fixes_row(*at)
    });
    // What the log says was examined is more telling than how large a table is.
    let examined = statement.examined();
    if examined.is_some_and(|rows| rows < MIN_ROWS) {
        return None;
    }
    let rows = |at: &At| statement.rows(*at).unwrap_or(0);
    let at = tables.max_by_key(rows)?;
    let known = statement.rows(at).or(examined);
    if known.is_some_and(|rows| rows < MIN_ROWS) || known.is_none() && !statement.is_review {
        return None;
    }
    let name = statement.full_name(at)?;
    let title = format!(
        "The SELECT locks the rows of `{name}` that it reads until the INSERT is committed"
    );
    let confidence = match (examined, known) {
        (Some(_), _) => Confidence::Medium,
        _ => Confidence::Low,
    };
    let span = &statement.block(block)?.span;
    let mut finding = statement.of_source(&RULE, at, Severity::Low, confidence, &title, &[span]);
    recommend(
        &mut finding,
        "Run it at isolation READ COMMITTED with binlog_format = ROW: then its SELECT reads without locks. Else copy in \
         batches by primary key, each committed by itself. Which isolation is set SHOW VARIABLES tells; at READ COMMITTED \
         there is nothing to do."
            .to_owned(),
        None,
    );
    finding.verify = "While it runs, an UPDATE of a row that it reads does not wait.".to_owned();
    Some(finding)
}
