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
        load.and_then(|load| load.priority_queue).is_some_and(|it| it >= Amount::whole(MOSTLY))
            || sort.in_queue;
    let is_small = sort.limit.is_some_and(|limit| limit <= SMALL_LIMIT);
    let is_queue = (in_queue || is_small) && !sort.has_temporary;
    if merges.is_none() && (rows < Amount::whole(MEDIUM_ROWS) || is_queue) {
        return None;
    }
    let severity = look.severity(rows, Severity::Medium)?;
    let how = if sort.is_measured { "" } else { "about " };
    let through = match (sort.is_before_temporary, sort.has_temporary) {
        (true, _) => "put into a temporary table, which is then sorted",
        (false, true) => "of a temporary table are sorted",
        (false, false) => "are sorted",
    };
    let through =
        if sort.is_before_temporary { format!("are {through}") } else { through.to_owned() };
    let mut finding = look.finding(&RULE, severity, format!("{how}{} rows {through}", count(rows)));
    finding.subject.step = Some(sort.place);
    finding.subject.table =
        sort.name.filter(|it| !it.starts_with('<')).map(|name| look.names.full_name(name));
    if sort.is_measured {
        finding.confidence = crate::advice::Confidence::High;
    }
    // What GROUP BY leaves of them is what is sorted.
    let name = match (sort.is_before_temporary, sort.is_measured) {
        (true, true) => "rows_into_temporary_table_measured",
        (true, false) => "rows_into_temporary_table_estimated",
        (false, true) => "rows_sorted_measured",
        (false, false) => "rows_sorted_estimated",
    };
    finding.evidence.push(Fact::number(name, rows));
    finding.evidence.push(Fact::flag("temporary_table", sort.has_temporary));
    finding
        .evidence
        .extend(merges.map(|merges| Fact::number("merge_passes", Amount::whole(merges))));
    finding.evidence.extend(sort.in_queue.then(|| Fact::flag("priority_queue", true)));
    finding.recommendation.text = advice(sort);
    finding.verify = match sort.by_aggregate {
        true => {
            "Measure again: fewer rows reach the sort; Sort_merge_passes of the statement are 0."
        }
        false => "EXPLAIN again: no `Using filesort`; Sort_merge_passes of the statement are 0.",
    }
    .to_owned();
    Some(finding)
}

fn advice(sort: &Sort<'_>) -> String {
    let disk = match (sort.in_queue, sort.has_temporary) {
        (true, true) => {
            "The sort itself was done in memory, in a priority queue; whether the temporary table goes to disk depends on \
            tmp_table_size (and max_heap_table_size)."
        }
        (true, false) => "The sort was done in memory, in a priority queue.",
        (false, true) => {
            "Whether this goes to disk depends on tmp_table_size (and max_heap_table_size) for the temporary table \
            and on sort_buffer_size for the sort."
        }
        (false, false) => "Whether this goes to disk depends on sort_buffer_size.",
    };
    if sort.by_aggregate {
        return format!(
            "No index can give the order of an aggregate: the groups have to be computed first. Let fewer rows reach \
             GROUP BY, by an index for the condition; an index in the order of GROUP BY spares the temporary table; \
             or keep the sums in a table of their own. {disk}"
        );
    }
    if sort.in_queue {
        return format!(
            "First an index that gives the order: the columns of equalities, then those of {}. Then fewer rows. {disk}",
            if sort.has_temporary { "GROUP BY or ORDER BY" } else { "ORDER BY" }
        );
    }
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
    fn what_grouping_leaves_is_what_is_sorted() {
        let plan = tsv(&[&line(
            "events",
            "ALL",
            "-",
            "50000",
            "100.00",
            "Using temporary; Using filesort",
        )]);
        let of = |query: &'static str| {
            check(&Given::plan(&plan).query(query), "PLAN004", Some(Severity::Medium)).unwrap()
        };
        let plain = of("SELECT kind, COUNT(*) n FROM events GROUP BY kind ORDER BY kind");
        assert!(plain.title.ends_with("are put into a temporary table, which is then sorted"));
        assert!(plain.evidence.iter().any(|it| it.name == "rows_into_temporary_table_estimated"));
        assert!(plain.recommendation.text.contains("an index that gives the order"));
        for query in [
            "SELECT kind, COUNT(*) n FROM events GROUP BY kind ORDER BY n DESC",
            "SELECT kind, SUM(size) AS `all` FROM events GROUP BY kind ORDER BY `all`",
            "SELECT kind FROM events GROUP BY kind ORDER BY MAX(size)",
        ] {
            let finding = of(query);
            assert!(finding.recommendation.text.starts_with("No index can give"), "{query}");
            assert!(!finding.verify.contains("filesort"), "{query}");
        }
    }

    /// 60,000 rows grouped, and the first 10 groups kept in a queue.
    #[test]
    fn a_queue_that_was_measured_needs_no_disk() {
        let plan = |queue: bool| {
            format!(
                r#"{{"query_block": {{"select_id": 1, "r_loops": 1, "filesort": {{"sort_key": "e.kind", "r_loops": 1, "r_limit": 10, "r_used_priority_queue": {queue}, "r_output_rows": 10, "temporary_table": {{"nested_loop": [{{"table": {{"table_name": "e", "access_type": "ALL", "r_loops": 1, "rows": 60000, "r_rows": 60000, "filtered": 100, "r_filtered": 100}}}}]}}}}}}}}"#
            )
        };
        let text = |queue| {
            let plan = plan(queue);
            check(&Given::plan(&plan), "PLAN004", Some(Severity::Medium))
                .unwrap()
                .recommendation
                .text
        };
        assert!(text(false).contains("sort_buffer_size"));
        assert!(!text(true).contains("sort_buffer_size") && text(true).contains("in memory"));
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
