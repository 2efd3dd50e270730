//! COUNT(*) over a whole InnoDB table.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::shape::{ItemKind, SourceOf, Verb};

use super::statement::{Statement, recommend};

rule! {
    /// COUNT(*) walks through a whole InnoDB table.
    ///
    /// **Costs.** InnoDB keeps no count of rows, for each transaction may see others: the smallest index
    /// is read from end to end, each time.
    /// **Wrong when.** The table has less than a million rows, or MyISAM, which knows its count.
    /// **Verify.** Time of the statement against that of reading the counter.
    /// **Source.** MySQL manual, InnoDB limits; COUNT(expr).
    ///
    /// ```sql schema
    /// CREATE TABLE events (id bigint PRIMARY KEY, kind int, KEY ix_kind (kind));
    /// CREATE TABLE archive (id bigint PRIMARY KEY) ENGINE=MyISAM;
    /// CREATE TABLE kinds (id int PRIMARY KEY);
    /// -- rows: events 4000000, archive 9000000, kinds 30
    /// ```
    /// ```sql finding
    /// SELECT COUNT(*) FROM events;
    /// ```
    /// ```sql finding
    /// SELECT COUNT(*) AS n FROM events e;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM archive;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM events WHERE kind = 5;
    /// ```
    /// ```sql clean
    /// SELECT kind, COUNT(*) FROM events GROUP BY kind;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM kinds;
    /// ```
    Sql "SQL017" "count-whole-table"
}

/// Rows from which on it costs.
const MIN_ROWS: u64 = 1_000_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    finding(statement).into_iter().collect()
}

fn finding(statement: &Statement<'_>) -> Option<Finding> {
    if statement.shape.verb != Verb::Select || statement.shape.is_partial {
        return None;
    }
    let (place, block) = statement.blocks().find(|(_, block)| {
        let [item] = block.items.as_slice() else { return false };
        let counts = match &item.kind {
            ItemKind::Aggregate { name, is_distinct, column } => {
                name == "COUNT" && !is_distinct && column.is_none()
            }
            _ => false,
        };
        counts
            && block.conditions.is_empty()
            && block.group.is_empty()
            && matches!(block.sources.as_slice(), [only] if matches!(only.of, SourceOf::Table(_)))
    })?;
    let at = (place, 0);
    let is_known_engine = statement.table(at).is_some_and(|table| !table.is_innodb());
    if is_known_engine || statement.is_of_system(at) || statement.is_below(at, MIN_ROWS) {
        return None;
    }
    let rows = statement.rows(at);
    if rows.is_none() && !statement.is_review {
        return None;
    }
    let confidence = match (rows, statement.table(at)) {
        (Some(_), Some(_)) => Confidence::High,
        (Some(_), None) => Confidence::Medium,
        _ => Confidence::Low,
    };
    let name = statement.full_name(at)?;
    let title = format!("All of `{name}` is read to count its rows");
    let mut finding =
        statement.of_source(&RULE, at, Severity::Low, confidence, &title, &[&block.span]);
    recommend(
        &mut finding,
        "Keep the count in a table that writers or triggers update, or take the estimate of information_schema.TABLES \
         (TABLE_ROWS) where a few percent do not matter."
            .to_owned(),
        None,
    );
    finding.verify = "Rows_examined of the class falls to a few.".to_owned();
    Some(finding)
}
