//! A table is read whole.

use crate::advice::rule::rule;
use crate::advice::sql::hidden;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::look::{Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// A table is read whole though most of its rows are not wanted.
    ///
    /// **Costs.** Each row of the table is read and tested, each time; it gets slower as the table
    /// grows. An UPDATE or DELETE locks every row that it reads.
    /// **Wrong when.** Most rows are wanted: then no index is faster. So it is silent on the first
    /// table of a statement without a condition, and where the condition keeps 30 % of the rows.
    /// **Verify.** EXPLAIN again: the access type is no longer ALL, `rows` is far lower.
    /// **Source.** MySQL manual, avoiding full table scans.
    Plan "PLAN001" "full-table-scan"
}

/// Percent of the rows read from which reading all of them is right.
const MOST_KEPT: u64 = 30;
/// Percent of the time of a log from which a scan is high.
const HIGH_SHARE: u64 = 10;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables
        .iter()
        .filter(|seen| is_scan(look, seen))
        .filter_map(|seen| finding(look, seen))
        .collect()
}

/// A write that walks along the primary key reads the table as well.
pub fn is_scan(look: &Look<'_>, seen: &Seen<'_>) -> bool {
    let node = seen.node;
    let walks = seen.is_index_scan()
        && node.key.as_deref() == Some("PRIMARY")
        && node.possible_keys.is_none();
    seen.is_scan() || walks && look.is_write
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let read = seen.read.filter(|read| *read >= Amount::whole(MEDIUM_ROWS))?;
    if is_wanted(look, seen) || look.is_quick(seen) {
        return None;
    }
    let is_high = look.share().is_some_and(|share| share >= Amount::whole(HIGH_SHARE));
    let severity = look.severity(read, if is_high { Severity::High } else { Severity::Medium })?;
    let runs = match seen.runs >= Amount::whole(2) {
        true => format!(" in {} runs", count(seen.runs)),
        false => String::new(),
    };
    let how = match seen.is_measured {
        true => "",
        false if seen.stops_early => "up to ",
        false => "about ",
    };
    let title = format!("`{}` is read whole: {how}{} rows{runs}", seen.name, count(read));
    let mut finding = look.of_table(&RULE, seen, severity, title);
    // Nobody knows how far a LIMIT lets it read.
    if seen.stops_early && !seen.is_measured && look.case.load.is_none() {
        finding.confidence = Confidence::Low;
    }
    finding.evidence.extend(look.facts(seen));
    if look.is_write {
        finding.evidence.push(Fact::flag("locks_all_rows", true));
    }
    finding.recommendation.text = advice(look, seen);
    finding.verify = format!(
        "EXPLAIN again: access type of `{}` is no longer {} and rows is far below {}.",
        seen.name,
        seen.node.access_type.as_deref().unwrap_or("ALL"),
        count(read)
    );
    Some(finding)
}

/// Whether the statement asks for most of the rows.
fn is_wanted(look: &Look<'_>, seen: &Seen<'_>) -> bool {
    // Without a condition the first rows are the wanted ones.
    if seen.stops_early && !seen.is_measured && !seen.has_condition {
        return true;
    }
    let has_limit =
        look.names.glance.has_limit || look.sorts.iter().any(|sort| sort.limit.is_some());
    if seen.is_first && !seen.has_condition && !has_limit {
        return true;
    }
    // What a log says of all calls goes before a plan.
    if let Some(load) = look.case.load
        && let (Some(sent), Some(examined)) = (load.rows_sent, load.rows_examined)
    {
        return sent.mean >= examined.mean.percent(Amount::whole(MOST_KEPT))
            && !examined.mean.rounded().eq(&Amount::ZERO);
    }
    seen.is_kept_measured
        && seen.has_condition
        && seen.kept_percent().is_some_and(|percent| percent >= Amount::whole(MOST_KEPT))
}

fn advice(look: &Look<'_>, seen: &Seen<'_>) -> String {
    let columns: Vec<String> = {
        let mut names: Vec<String> = hidden::searchable(look, seen)
            .into_iter()
            .map(|it| format!("`{}`", it.column.name))
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let mut text = match (seen.is_first, columns.is_empty()) {
        (false, _) => "Give the table an index on the columns it is joined by.".to_owned(),
        (true, false) => format!("An index that begins with what the condition compares ({}) would let the server \
            read the wanted rows alone; equalities first, then one range.", columns.join(", ")),
        (true, true) if seen.has_condition => {
            "An index on the columns of the condition would let the server read the wanted rows alone.".to_owned()
        }
        (true, true) => "An index in the order of ORDER BY would let LIMIT stop the reading.".to_owned(),
    };
    if seen.node.possible_keys.is_some() {
        text.push_str(" Indexes were thought of and not chosen: too many rows match, types differ, or statistics are old.");
    }
    text.push_str(" If most rows are wanted, the scan is right.");
    text
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, tsv};
    use crate::advice::Severity;

    #[test]
    fn a_scan_with_a_condition_is_found_by_its_rows() {
        let plan = |rows: &str| tsv(&[&line("parcels", "ALL", "-", rows, "5.43", "Using where")]);
        // 300,000 rows are read for 5.43 % of them.
        check(&Given::plan(&plan("300000")), "PLAN001", Some(Severity::Medium));
        check(&Given::plan(&plan("3000000")), "PLAN001", Some(Severity::High));
        check(&Given::plan(&plan("9999")), "PLAN001", None);
        // 300,000 × 5.43 % = 16,290 are kept; 100.00 beside a condition tells nothing.
        let kept = |filtered: &str| {
            let text = tsv(&[&line("parcels", "ALL", "-", "300000", filtered, "Using where")]);
            let finding = check(&Given::plan(&text), "PLAN001", Some(Severity::Medium)).unwrap();
            finding.evidence.into_iter().find(|fact| fact.name == "rows_kept_estimated")
        };
        let want =
            crate::advice::Fact::number("rows_kept_estimated", crate::plan::Amount::whole(16_290));
        assert_eq!(kept("5.43"), Some(want));
        assert_eq!(kept("100.00"), None);
    }

    #[test]
    fn what_is_wanted_whole_is_no_finding() {
        let plan = tsv(&[&line("parcels", "ALL", "-", "300000", "100.00", "-")]);
        check(&Given::plan(&plan), "PLAN001", None);
        // With a LIMIT and a sort it is not wanted whole.
        let sorted = tsv(&[&line("parcels", "ALL", "-", "300000", "100.00", "Using filesort")]);
        let given = Given::plan(&sorted).query("SELECT id FROM parcels ORDER BY seen LIMIT 10");
        check(&given, "PLAN001", Some(Severity::Medium));
        // A LIMIT alone stops after 10 rows.
        check(&Given::plan(&plan).query("SELECT id FROM parcels LIMIT 10"), "PLAN001", None);
        let joined = tsv(&[
            &line("parcels", "ALL", "-", "300000", "100.00", "-"),
            &line("d", "eq_ref", "PRIMARY", "1", "100.00", "-"),
        ]);
        let given =
            Given::plan(&joined).query("SELECT 1 FROM parcels JOIN d ON d.id = parcels.d LIMIT 10");
        check(&given, "PLAN001", None);
        // With a condition nobody knows how far it reads.
        let tested = tsv(&[&line("parcels", "ALL", "-", "300000", "5.43", "Using where")]);
        let given = Given::plan(&tested).query("SELECT id FROM parcels WHERE weight = 5 LIMIT 10");
        let finding = check(&given, "PLAN001", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.confidence, crate::advice::Confidence::Low);
        // The rows of a UNION's temporary table are no table.
        let union = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
            NULL\tUNION RESULT\t<union1,2>\tALL\tNULL\tNULL\tNULL\tNULL\t500000\tUsing where\n";
        check(&Given::plan(union), "PLAN001", None);
    }

    #[test]
    fn a_write_along_the_primary_key_is_a_scan_that_locks() {
        let plan = tsv(&[&line("parcels", "index", "PRIMARY", "300000", "100.00", "Using where")]);
        let given = Given::plan(&plan).query("UPDATE parcels SET state = 2 WHERE weight = 5");
        let finding = check(&given, "PLAN001", Some(Severity::Medium)).unwrap();
        assert!(finding.evidence.contains(&crate::advice::Fact::flag("locks_all_rows", true)));
    }
}
