//! A large table is joined without an index.

use crate::advice::rule::rule;
use crate::advice::sql::led_by;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::weight::{INNER_ROWS, OUTER_ROWS};
use crate::plan::{Amount, Format};
use crate::sql::glance::{Op, Operand};

use super::full_table_scan;
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
    let is_parted = tests_before_buffer(look, seen, buffer);
    let inner = match (seen.is_measured, seen.node.rows) {
        (true, _) if is_parted => seen.kept?,
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
    // The tabular form does not tell what is left before the pairs.
    let is_exact = seen.is_measured && (is_parted || buffer == Buffer::Hash || !seen.has_condition);
    let up_to = if is_exact { "" } else { "up to " };
    let title =
        format!("`{}` is joined without an index: {up_to}{} {what}", seen.name, count(touched));
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.evidence.extend(look.facts(seen));
    finding.evidence.push(Fact::number("rows_before", seen.outer));
    let word = if buffer == Buffer::Hash { "hash join" } else { "block nested loop" };
    finding.evidence.push(Fact::text("join", word));
    let index = match joined_by(look, seen) {
        Some(index) => format!(
            "`{}` has index `{index}` on a column it is joined by, and it was not used: {}",
            seen.name,
            match full_table_scan::hint(look) {
                Some(hint) =>
                    format!("the statement has a hint ({hint}); EXPLAIN without it first."),
                None =>
                    "compare types and collations of both columns, and ANALYZE TABLE.".to_owned(),
            }
        ),
        None => format!(
            "Give `{}` an index on the columns it is joined by, then those of its equalities.",
            seen.name
        ),
    };
    finding.recommendation.text = format!(
        "{index} A larger join_buffer_size comes after that, if at all.{}",
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

/// The index that begins with a column that the table is joined by, where the schema tells one.
fn joined_by<'a>(look: &Look<'a>, seen: &Seen<'_>) -> Option<&'a str> {
    let table = look.table(seen)?;
    let comparisons = look.comparisons(seen).into_iter();
    let mut joins =
        comparisons.filter(|it| it.op == Op::Equal && matches!(&it.with, Operand::Column(_)));
    joins.find_map(|it| led_by(table, &it.column.name)).map(|index| index.name.as_str())
}

/// Whether it is measured how many rows a condition leaves before they meet the buffer: MariaDB
/// prints in JSON what the table itself is tested for apart from what each pair is.
fn tests_before_buffer(look: &Look<'_>, seen: &Seen<'_>, buffer: Buffer) -> bool {
    buffer == Buffer::Loop && look.case.plan.format == Format::JsonMariaDb && seen.is_kept_measured
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

    /// 4,000 rows meet the 2,500 of 20,000 (12.5 %) that the table itself is tested for.
    #[test]
    fn rows_that_never_meet_the_buffer_make_no_pairs() {
        let table = |name: &str, rows: u64, filtered: &str| {
            format!(
                r#""table": {{"table_name": "{name}", "access_type": "ALL", "r_loops": 1, "rows": {rows}, "r_rows": {rows}, "filtered": 100, "r_filtered": {filtered}}}"#
            )
        };
        let plan = format!(
            r#"{{"query_block": {{"select_id": 1, "r_loops": 1, "nested_loop": [{{{}}}, {{"block-nl-join": {{{}, "buffer_type": "flat", "buffer_size": "256KiB", "join_type": "BNL", "attached_condition": "d.n = s.n", "r_loops": 4000, "r_filtered": 0}}}}]}}}}"#,
            table("d", 4_000, "100"),
            table("s", 20_000, "12.5")
        );
        let finding = check(&Given::plan(&plan), "PLAN006", Some(Severity::High)).unwrap();
        assert!(finding.title.contains(": 10,000,000 pairs"), "{}", finding.title);
    }

    #[test]
    fn a_step_that_never_ran_has_no_finding() {
        let plan = |before: &str, rows: &str, kept: &str| {
            format!(
                "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n\
                 1\tSIMPLE\td\tALL\tNULL\tNULL\tNULL\tNULL\t4000\t4000.00\t100.00\t{before}\tUsing where\n\
                 1\tSIMPLE\ts\tALL\tNULL\tNULL\tNULL\tNULL\t20000\t{rows}\t100.00\t{kept}\tUsing where; Using join buffer (flat, BNL join)\n"
            )
        };
        check(&Given::plan(&plan("100.00", "20000.00", "5.00")), "PLAN006", Some(Severity::High));
        let never = plan("0.00", "NULL", "NULL");
        let findings = super::super::fixture::review(&Given::plan(&never));
        assert!(findings.iter().all(|it| it.subject.step != Some(1)), "{findings:#?}");
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
