//! An index hint in the text of a statement.

use std::ops::Range;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::statement::{Statement, recommend};

rule! {
    /// An index hint may outlive its reason.
    ///
    /// **Costs.** A better index that comes later is not used, and the index cannot be dropped: the
    /// statement fails then.
    /// **Wrong when.** It was measured lately that the server chooses worse without it.
    /// **Verify.** EXPLAIN without the hint, after ANALYZE TABLE.
    /// **Source.** MySQL manual, index hints.
    ///
    /// ```sql schema
    /// CREATE TABLE seats (id int PRIMARY KEY, hall int, line int, KEY ix_hall (hall));
    /// ```
    /// ```sql finding
    /// SELECT id FROM seats FORCE INDEX (ix_hall) WHERE hall = 5;
    /// ```
    /// ```sql finding
    /// SELECT id FROM seats s IGNORE INDEX (ix_hall) WHERE s.hall = 5;
    /// ```
    /// ```sql finding
    /// SELECT id FROM seats USE INDEX (ix_gone) WHERE hall = 5;
    /// ```
    /// ```sql clean
    /// SELECT id FROM seats WHERE hall = 5;
    /// ```
    Sql "SQL023" "index-hint"
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut spans: Vec<&Range<usize>> = Vec::new();
    let mut first = None;
    let mut gone: Vec<String> = Vec::new();
    for (place, block) in statement.blocks() {
        for (source, it) in block.sources.iter().enumerate() {
            for hint in &it.hints {
                spans.push(&hint.span);
                first.get_or_insert((place, source));
                let Some(table) = statement.table((place, source)) else { continue };
                let missing = hint.indexes.iter().filter(|name| table.index(name).is_none());
                gone.extend(missing.cloned());
            }
        }
    }
    let Some(at) = first else { return Vec::new() };
    gone.sort();
    gone.dedup();
    let (severity, title) = match gone.first() {
        Some(name) => (
            Severity::Medium,
            format!(
                "The hint names index `{name}`, which the table does not have: the statement fails"
            ),
        ),
        None => (Severity::Info, "The statement tells the server which index to use".to_owned()),
    };
    let mut finding = statement.of_source(&RULE, at, severity, Confidence::High, &title, &spans);
    if !gone.is_empty() {
        finding.evidence.push(Fact::list("missing_indexes", gone));
    }
    recommend(
        &mut finding,
        "See with EXPLAIN what the server chooses without the hint, after ANALYZE TABLE; where that is no worse, take the \
         hint out. Until then neither drop nor rename the index, and expect no use of another one."
            .to_owned(),
        None,
    );
    finding.verify = "EXPLAIN without the hint: the same index or a better one.".to_owned();
    vec![finding]
}
