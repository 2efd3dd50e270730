//! Indexes could serve, and none is used.

use crate::advice::rule::rule;
use crate::advice::{Finding, Severity};
use crate::plan::Amount;

use super::look::{Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// `possible_keys` has indexes and `key` has none.
    ///
    /// **Costs.** The table is read whole. Too many rows match, or the types differ, or the
    /// statistics are old.
    /// **Wrong when.** The condition keeps more than a fifth of the rows: then the scan is faster. The
    /// first table of a join that has no condition shows the indexes that it could be joined by; there
    /// it is silent.
    /// **Verify.** FORCE INDEX on a scratch server, timed against the scan.
    /// **Source.** MySQL manual, EXPLAIN output columns.
    Plan "PLAN010" "possible-keys-not-chosen"
}

/// Percent of the rows from which no index pays.
const MANY_KEPT: u64 = 20;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables.iter().filter_map(|seen| finding(look, seen)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let node = seen.node;
    let possible = node.possible_keys.as_ref().filter(|_| node.key.is_none())?;
    let read = seen.read.filter(|read| *read >= Amount::whole(MEDIUM_ROWS))?;
    let is_kept = seen.kept_percent().is_some_and(|percent| percent > Amount::whole(MANY_KEPT));
    // Indexes that the first table could be joined by were not refused.
    let is_wanted_whole = seen.is_first && !seen.has_condition;
    if is_wanted_whole || seen.is_kept_measured && is_kept || look.is_quick(seen) {
        return None;
    }
    let severity = look.severity(read, Severity::Medium)?;
    let title = format!(
        "none of the possible indexes of `{}` ({possible}) is used: {} rows are read",
        seen.name,
        count(read)
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.text = "Look how many rows the condition keeps (a fifth of the table is too many for an index), \
        whether value and column have the same type and collation, and run ANALYZE TABLE. A hint comes last."
        .to_owned();
    finding.verify =
        "Time the statement with FORCE INDEX on a scratch server against the scan.".to_owned();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, alone, line, tsv};
    use crate::advice::Severity;

    fn plan(possible: &str, key: &str, rows: &str) -> String {
        format!(
            "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
             1\tSIMPLE\tcalls\tNULL\tALL\t{possible}\t{key}\tNULL\tNULL\t{rows}\t45.20\tUsing where\n"
        )
    }

    #[test]
    fn possible_keys_without_a_key_are_found() {
        let found =
            |text: &str| alone(&Given::plan(text), super::look).first().map(|it| it.severity);
        assert_eq!(found(&plan("ix_kind", "NULL", "70000")), Some(Severity::Medium));
        assert_eq!(found(&plan("NULL", "NULL", "70000")), None);
        assert_eq!(found(&plan("ix_kind", "ix_kind", "70000")), None);
        assert_eq!(found(&plan("ix_kind", "NULL", "700")), None);
    }

    /// `o JOIN c ON c.id = o.customer`, all rows: the index of the join is possible on both sides.
    #[test]
    fn a_first_table_that_is_wanted_whole_did_not_refuse_the_index_of_its_join() {
        let first = |extra: &str| {
            let scan = line("o", "ALL", "-", "70000", "100.00", extra)
                .replace("\tALL\tNULL\tNULL\tNULL\t", "\tALL\tix_customer\tNULL\tNULL\t");
            tsv(&[&scan, &line("c", "eq_ref", "PRIMARY", "1", "100.00", "-")])
        };
        let found = |text: &str| alone(&Given::plan(text), super::look).len();
        assert_eq!(found(&first("-")), 0);
        assert_eq!(found(&first("Using where")), 1);
        let second = tsv(&[
            &line("c", "ref", "ix", "10", "100.00", "-"),
            &line("o", "ALL", "-", "70000", "100.00", "-")
                .replace("\tALL\tNULL\tNULL\tNULL\t", "\tALL\tix_customer\tNULL\tNULL\t"),
        ]);
        assert_eq!(found(&second), 1);
    }
}
