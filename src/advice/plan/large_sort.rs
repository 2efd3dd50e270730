//! Many rows are sorted.

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::Amount;

use super::look::{Look, MEDIUM_ROWS, Sort, count};

rule! {
    /// Many rows are sorted.
    ///
    /// **Costs.** `Using filesort` says that no index gives the order, not that a file is written: a
    /// few rows are sorted in memory in microseconds. Rows beyond sort_buffer_size are merged on
    /// disk; rows of a temporary table beyond tmp_table_size go there as well.
    /// **Wrong when.** A small LIMIT keeps only the first rows in a priority queue.
    /// **Verify.** EXPLAIN again: no `Using filesort`; Sort_merge_passes in the log.
    /// **Source.** MySQL manual, ORDER BY optimization.
    Plan "PLAN004" "large-sort"
}

/// Rows of a LIMIT that a priority queue keeps without spilling.
const SMALL_LIMIT: u64 = 1_000;
/// Percent of the calls from which a class is taken to sort in a priority queue.
const MOSTLY: u64 = 90;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.sorts.iter().filter_map(|sort| finding(look, sort)).collect()
}

fn finding(look: &Look<'_>, sort: &Sort<'_>) -> Option<Finding> {
    let load = look.case.load;
    let merges = load.and_then(|load| load.merge_passes).filter(|merges| *merges > 0);
    let logged = load.and_then(|load| load.sort_rows).filter(|_| look.sorts.len() == 1);
    let rows = if sort.is_measured { sort.rows } else { logged.unwrap_or(sort.rows) };
    let in_queue =
        load.and_then(|load| load.priority_queue).is_some_and(|it| it >= Amount::whole(MOSTLY));
    let is_small = sort.limit.is_some_and(|limit| limit <= SMALL_LIMIT);
    let is_queue = (in_queue || is_small) && !sort.has_temporary;
    if merges.is_none() && (rows < Amount::whole(MEDIUM_ROWS) || is_queue) {
        return None;
    }
    let severity = look.severity(rows, Severity::Medium)?;
    let how = if sort.is_measured { "" } else { "about " };
    let through =
        if sort.has_temporary { "put into a temporary table and sorted" } else { "sorted" };
    let mut finding =
        look.finding(&RULE, severity, format!("{how}{} rows are {through}", count(rows)));
    finding.subject.step = Some(sort.place);
    finding.subject.table =
        sort.name.filter(|it| !it.starts_with('<')).map(|name| look.names.full_name(name));
    if sort.is_measured {
        finding.confidence = crate::advice::Confidence::High;
    }
    let name = if sort.is_measured { "rows_sorted_measured" } else { "rows_sorted_estimated" };
    finding.evidence.push(Fact::number(name, rows));
    finding.evidence.push(Fact::flag("temporary_table", sort.has_temporary));
    finding
        .evidence
        .extend(merges.map(|merges| Fact::number("merge_passes", Amount::whole(merges))));
    finding.recommendation.text = advice(sort);
    finding.verify =
        "EXPLAIN again: no `Using filesort`; Sort_merge_passes of the statement are 0.".to_owned();
    Some(finding)
}

fn advice(sort: &Sort<'_>) -> String {
    let disk = match sort.has_temporary {
        true => {
            "Whether this goes to disk depends on tmp_table_size (and max_heap_table_size) for the temporary table \
            and on sort_buffer_size for the sort."
        }
        false => "Whether this goes to disk depends on sort_buffer_size.",
    };
    format!(
        "First an index that gives the order: the columns of equalities, then those of {}. Then sort fewer rows and \
         fewer, narrower columns. Only then a larger sort_buffer_size, for this session. {disk}",
        if sort.has_temporary { "GROUP BY or ORDER BY" } else { "ORDER BY" }
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, load, tsv};
    use crate::advice::Severity;

    #[test]
    fn rows_that_are_sorted_decide() {
        let plan = |rows: &str, filtered: &str, extra: &str| {
            tsv(&[&line("events", "ref", "ix", rows, filtered, extra)])
        };
        check(&Given::plan(&plan("14", "100.00", "Using filesort")), "PLAN004", None);
        check(
            &Given::plan(&plan("50000", "100.00", "Using filesort")),
            "PLAN004",
            Some(Severity::Medium),
        );
        let both = "Using temporary; Using filesort";
        check(&Given::plan(&plan("3000000", "100.00", both)), "PLAN004", Some(Severity::High));
        // 50,000 × 10 % = 5,000 reach the sort.
        check(
            &Given::plan(&plan("50000", "10.00", "Using where; Using filesort")),
            "PLAN004",
            None,
        );
    }

    #[test]
    fn a_small_limit_is_a_priority_queue() {
        let plan = tsv(&[&line("events", "ref", "ix", "50000", "100.00", "Using filesort")]);
        let given =
            Given::plan(&plan).query("SELECT a FROM events WHERE b = 1 ORDER BY c LIMIT 20");
        check(&given, "PLAN004", None);
        // Merge passes show that it does go to disk.
        let mut logged = load("5");
        logged.merge_passes = Some(12);
        check(&given.load(logged), "PLAN004", Some(Severity::Medium));
    }
}
