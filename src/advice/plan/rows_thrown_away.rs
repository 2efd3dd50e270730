//! Most of the rows that a step reads are thrown away.

use crate::advice::rule::rule;
use crate::advice::sql::hidden;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::Amount;

use super::look::{Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// A measured step reads many rows and passes on no more than half of them.
    ///
    /// **Costs.** Rows are read, and locked by a write, for nothing.
    /// **Wrong when.** The step takes less than a tenth of the time of the plan. Silent without
    /// measured rows.
    /// **Verify.** Measure again: the step reads about as many rows as it passes on.
    /// **Source.** EXPLAIN ANALYZE; r_rows and r_filtered of ANALYZE.
    Plan "PLAN017" "rows-read-and-thrown-away"
}

/// Percent of the rows read that a step may pass on.
const HALF: u64 = 50;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables.iter().filter_map(|seen| finding(look, seen)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let read =
        seen.read.filter(|read| seen.is_kept_measured && *read >= Amount::whole(MEDIUM_ROWS))?;
    let kept = seen.kept.filter(|_| seen.has_condition)?;
    let percent = seen.kept_percent().filter(|percent| *percent <= Amount::whole(HALF))?;
    let time = look.time_percent(seen);
    if look.is_quick(seen) {
        return None;
    }
    let severity = look.severity(read, Severity::Medium)?;
    let title = format!(
        "`{}`: {} rows are read and {} kept ({} %)",
        seen.name,
        count(read),
        count(kept),
        count(percent)
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.evidence.extend(look.facts(seen));
    finding.evidence.extend(time.map(|time| Fact::number("time_percent", time)));
    finding.recommendation.text = advice(look, seen);
    finding.verify =
        format!("Measure again: `{}` reads about as many rows as it passes on.", seen.name);
    Some(finding)
}

fn advice(look: &Look<'_>, seen: &Seen<'_>) -> String {
    let searched = hidden::searchable(look, seen).into_iter().map(|it| it.column.name);
    let is_used =
        |name: &String| seen.node.used_key_parts.iter().any(|own| own.eq_ignore_ascii_case(name));
    let mut names: Vec<String> =
        searched.filter(|name| !is_used(name)).map(|name| format!("`{name}`")).collect();
    names.sort();
    names.dedup();
    let key = seen.node.key.as_deref().filter(|_| !seen.is_scan() && !seen.is_index_scan());
    let what = match (key, names.is_empty()) {
        (None, true) => {
            "No index is searched by, and nothing in the condition can be as it is written."
                .to_owned()
        }
        (None, false) => format!(
            "No index is searched by: one that begins with what the condition compares ({}), equalities first, then one \
             range, reads the wanted rows alone.",
            names.join(", ")
        ),
        (Some(key), true) => format!(
            "What is searched by in index `{key}` does not narrow enough, and the rest of the condition cannot be searched \
             by as it is written."
        ),
        (Some(key), false) => format!(
            "Index `{key}` finds too many rows: one that has the rest of the condition ({}) behind the columns of equalities \
             reads the wanted rows alone.",
            names.join(", ")
        ),
    };
    format!("{what} A histogram helps only where the estimate is what is wrong.")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check};
    use crate::advice::Severity;

    fn tree(read: &str, kept: &str, ms: &str) -> String {
        format!(
            "-> Sort: o.at  (cost=900 rows=300) (actual time=1..100 rows={kept} loops=1)\n    \
             -> Filter: (o.state = 3)  (cost=500 rows=300) (actual time=0.1..{ms} rows={kept} loops=1)\n        \
             -> Table scan on o  (cost=500 rows=90000) (actual time=0.1..{ms} rows={read} loops=1)\n"
        )
    }

    /// The filter takes 100 ms, 95 of them in its subquery: 9,500 runs of 0.01 ms.
    #[test]
    fn the_time_of_a_subquery_is_not_that_of_the_table() {
        let plan = "-> Filter: (<in_optimizer>(o.a,<exists>(select #2)) and (o.b > 5))  (cost=900 rows=300) (actual time=1..100 rows=400 loops=1)\n    \
             -> Table scan on o  (cost=500 rows=90000) (actual time=0.1..5 rows=90000 loops=1)\n    \
             -> Select #2 (subquery in condition; dependent)\n        \
             -> Limit: 1 row(s)  (cost=1 rows=1) (actual time=0.01..0.01 rows=1 loops=9500)\n            \
             -> Single-row index lookup on c using PRIMARY (id=o.a)  (cost=0.2 rows=1) (actual time=0.005..0.005 rows=1 loops=9500)\n";
        check(&Given::plan(plan), "PLAN017", None);
    }

    #[test]
    fn rows_read_for_nothing_are_found_where_they_take_the_time() {
        check(&Given::plan(&tree("90000", "400", "60")), "PLAN017", Some(Severity::Medium));
        check(&Given::plan(&tree("2000000", "400", "60")), "PLAN017", Some(Severity::High));
        check(&Given::plan(&tree("90000", "50000", "60")), "PLAN017", None);
        check(&Given::plan(&tree("9000", "400", "60")), "PLAN017", None);
        let text =
            check(&Given::plan(&tree("90000", "400", "60")), "PLAN017", Some(Severity::Medium));
        let text = text.unwrap().recommendation.text;
        assert!(
            text.starts_with("No index is searched by") && text.contains("(`state`)"),
            "{text}"
        );
        // 9 of 100 ms.
        check(&Given::plan(&tree("90000", "400", "9")), "PLAN017", None);
    }
}
