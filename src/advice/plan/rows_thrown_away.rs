//! Most of the rows that a step reads are thrown away.

use crate::advice::rule::rule;
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
    finding.recommendation.text = "An index that has the column of the condition as well, behind those of equalities that it \
        begins with, reads the wanted rows alone. A histogram helps only where the estimate is what is wrong."
        .to_owned();
    finding.verify =
        format!("Measure again: `{}` reads about as many rows as it passes on.", seen.name);
    Some(finding)
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

    #[test]
    fn rows_read_for_nothing_are_found_where_they_take_the_time() {
        check(&Given::plan(&tree("90000", "400", "60")), "PLAN017", Some(Severity::Medium));
        check(&Given::plan(&tree("2000000", "400", "60")), "PLAN017", Some(Severity::High));
        check(&Given::plan(&tree("90000", "50000", "60")), "PLAN017", None);
        check(&Given::plan(&tree("9000", "400", "60")), "PLAN017", None);
        // 9 of 100 ms.
        check(&Given::plan(&tree("90000", "400", "9")), "PLAN017", None);
    }
}
