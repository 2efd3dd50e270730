//! A table whose writes empty the cache.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, percent, seen};

rule! {
    /// Nearly all results that are dropped are dropped by writes to one table.
    ///
    /// **Costs.** A write drops every result that reads its table, whatever row it changes. A counter in a table
    /// that everyone reads (`views = views + 1`) keeps the cache empty.
    /// **Wrong when.** The results of that table are seldom asked for: then it does not matter.
    /// **Verify.** Replay a log without the writes to that table: `--where`.
    /// **Source.** MySQL 5.7 manual, how the query cache operates; measured on MariaDB 10.11.
    QueryCache "QC012" "one-table-kills-cache"
}

/// Share of the writes that drop results, in percent.
const MIN_SHARE: u64 = 80;
/// Writes below which it is chance.
const MIN_WRITES: u64 = 20;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(simulated), Some(outcome)) = (case.replayed(), case.any()) else { return Vec::new() };
    if !simulated.has_present && simulated.sizes.is_empty() {
        return Vec::new();
    }
    let worst = outcome
        .tables
        .iter()
        .enumerate()
        .max_by_key(|(at, (writes, _))| (*writes, std::cmp::Reverse(*at)));
    let Some((at, (writes, dropped))) = worst else { return Vec::new() };
    let share = percent(*writes, outcome.invalidations);
    let reads_others = simulated.log.tables.len() > 1;
    if *writes < MIN_WRITES || share < MIN_SHARE || !reads_others || outcome.hits == 0 {
        return Vec::new();
    }
    let name = simulated.log.tables.get(at).map(|it| it.name.clone()).unwrap_or_default();
    let title =
        format!("{writes} of {} writes that drop results are to {name}", outcome.invalidations);
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    finding.subject.table = Some(name);
    seen(&mut finding, "writes_that_drop_results", *writes);
    seen(&mut finding, "results_dropped", *dropped);
    seen(&mut finding, "percent_of_all_such_writes", share);
    finding.recommendation.text =
        "Move the column that changes so often into a table of its own, so that results of the rest live on, or gather \
         the changes and write them together every few seconds."
            .to_owned();
    finding.verify = "Replay a log without the writes to that table: --where.".to_owned();
    vec![finding]
}
