//! Temporary tables go to disk.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::look::{LEAST_SHARE, Look, count};

rule! {
    /// Temporary tables of the statement go to disk.
    ///
    /// **Costs.** Rows are written and read back. A BLOB or TEXT column does that with the MEMORY engine
    /// (MariaDB; MySQL unless it is 8.0.13 or later with TempTable), else a table that outgrows memory:
    /// the smaller of tmp_table_size and max_heap_table_size with MEMORY; with TempTable
    /// temptable_max_ram for all tables and, from 8.0.28, tmp_table_size for each.
    /// **Wrong when.** The class takes less than 1 % of the time. Silent without a log.
    /// **Verify.** Created_tmp_disk_tables (Tmp_table_on_disk) of the class is 0.
    /// **Source.** MySQL manual, internal temporary table use.
    Plan "PLAN005" "temporary-table-on-disk"
}

/// Percent of the calls.
const MANY_CALLS: u64 = 10;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let Some(load) = look.case.load else { return Vec::new() };
    let many = load.disk_tables.filter(|percent| *percent >= Amount::whole(MANY_CALLS));
    let Some(percent) = many else { return Vec::new() };
    if load.share.is_some_and(|share| share < Amount::whole(LEAST_SHARE)) {
        return Vec::new();
    }
    let title = format!("{} % of the calls write a temporary table to disk", count(percent));
    let mut finding = look.finding(&RULE, Severity::Medium, title);
    finding.confidence = Confidence::High;
    finding.evidence.push(Fact::number("calls_with_disk_tables_percent", percent));
    finding
        .evidence
        .extend(load.temporary_bytes.map(|bytes| Fact::number("temporary_table_bytes", bytes)));
    let makers = look.nodes.iter().position(|node| node.says("Using temporary"));
    finding.subject.step = makers;
    finding.recommendation.text = "Look which columns make the table: BLOB or TEXT go to disk at once with the MEMORY engine \
        (MariaDB, MySQL before 8.0.13), and wide columns in GROUP BY, DISTINCT or UNION fill it. An index in the order of \
        GROUP BY spares the table. Only then raise tmp_table_size and max_heap_table_size together, for the smaller one \
        counts; with TempTable (MySQL 8.0 and later) temptable_max_ram, and from 8.0.28 tmp_table_size."
        .to_owned();
    finding.verify = "Created_tmp_disk_tables of the class falls to 0 in the log.".to_owned();
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, load, tsv};
    use crate::advice::Severity;
    use crate::plan::Amount;

    #[test]
    fn a_tenth_of_the_calls_is_many() {
        let plan = tsv(&[&line("events", "ref", "ix", "500", "100.00", "Using temporary")]);
        let given = |share: &str, percent: u64| {
            let mut load = load(share);
            load.disk_tables = Some(Amount::whole(percent));
            Given::plan(&plan).load(load)
        };
        let finding = check(&given("8", 40), "PLAN005", Some(Severity::Medium)).unwrap();
        // A MEMORY table may take the smaller of both.
        for name in ["tmp_table_size", "max_heap_table_size", "temptable_max_ram"] {
            assert!(finding.recommendation.text.contains(name), "{name}");
        }
        check(&given("8", 9), "PLAN005", None);
        check(&given("0.5", 40), "PLAN005", None);
        check(&Given::plan(&plan), "PLAN005", None);
    }
}
