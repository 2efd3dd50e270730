//! A large table is joined without an index.

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::Amount;
use crate::plan::weight::{INNER_ROWS, OUTER_ROWS};

use super::look::{Buffer, Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// A large table is joined without an index, by way of a join buffer.
    ///
    /// **Costs.** With a block nested loop each pair of rows is compared; a hash join reads both
    /// tables whole, each time.
    /// **Wrong when.** A report that has to read both tables anyway is well served by a hash join.
    /// Silent where the inner table has fewer than 1,000 rows or the outer side fewer than 100.
    /// **Verify.** EXPLAIN again: the inner table is read by ref or eq_ref; Full_join is No.
    /// **Source.** MySQL manual, nested-loop and hash joins.
    Plan "PLAN006" "join-without-index"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables.iter().filter_map(|seen| finding(look, seen, seen.buffer?)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>, buffer: Buffer) -> Option<Finding> {
    let inner = match (seen.is_measured, seen.node.rows) {
        (true, _) => seen.read?,
        (false, rows) => rows?,
    };
    if inner < Amount::whole(INNER_ROWS) || seen.outer < Amount::whole(OUTER_ROWS) {
        return None;
    }
    let (touched, what) = match buffer {
        Buffer::Loop => (inner.times(seen.outer), "pairs of rows are compared"),
        Buffer::Hash => (inner.plus(seen.outer), "rows go through a hash"),
    };
    // Small sides of a hash are read in no time.
    if buffer == Buffer::Hash && touched < Amount::whole(MEDIUM_ROWS) {
        return None;
    }
    let severity = look.severity(touched, Severity::High)?;
    let up_to = if seen.is_measured { "" } else { "up to " };
    let title =
        format!("`{}` is joined without an index: {up_to}{} {what}", seen.name, count(touched));
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.evidence.extend(look.facts(seen));
    finding.evidence.push(Fact::number("rows_before", seen.outer));
    let word = if buffer == Buffer::Hash { "hash join" } else { "block nested loop" };
    finding.evidence.push(Fact::text("join", word));
    finding.recommendation.text = format!(
        "Give `{}` an index on the columns it is joined by, then those of its equalities. A larger join_buffer_size \
         comes after that, if at all.{}",
        seen.name,
        if buffer == Buffer::Hash {
            " If both tables are wanted whole, the hash join is right."
        } else {
            ""
        }
    );
    finding.verify =
        format!("EXPLAIN again: `{}` is read by ref or eq_ref, without a join buffer.", seen.name);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, tsv};
    use crate::advice::Severity;

    fn plan(outer: &str, inner: &str, extra: &str) -> String {
        tsv(&[
            &line("drivers", "ALL", "-", outer, "100.00", "-"),
            &line("tours", "ALL", "-", inner, "10.00", extra),
        ])
    }

    #[test]
    fn pairs_count_in_a_loop_and_rows_in_a_hash() {
        let nested = "Using where; Using join buffer (Block Nested Loop)";
        // 200 × 5,000 = 1,000,000 pairs.
        check(&Given::plan(&plan("200", "5000", nested)), "PLAN006", Some(Severity::High));
        check(&Given::plan(&plan("100", "1000", nested)), "PLAN006", Some(Severity::Medium));
        check(&Given::plan(&plan("99", "5000", nested)), "PLAN006", None);
        check(&Given::plan(&plan("200", "999", nested)), "PLAN006", None);
        let hash = "Using where; Using join buffer (hash join)";
        // 200 + 5,000 rows are hashed in no time.
        check(&Given::plan(&plan("200", "5000", hash)), "PLAN006", None);
        check(&Given::plan(&plan("20000", "50000", hash)), "PLAN006", Some(Severity::Medium));
    }

    #[test]
    fn a_lookup_for_many_keys_has_its_index() {
        let plan = tsv(&[
            &line("drivers", "ALL", "-", "5000", "100.00", "-"),
            &line("tours", "ref", "ix", "2000", "100.00", "Using join buffer (Batched Key Access)"),
        ]);
        check(&Given::plan(&plan), "PLAN006", None);
    }
}
