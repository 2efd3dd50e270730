//! A table is read whole.

use std::collections::BTreeSet;

use crate::advice::rule::rule;
use crate::advice::sql::{hidden, led_by};
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
    let columns = Columns::of(look, seen);
    let none = || columns.bare.is_empty() && columns.indexed.is_empty();
    let mut text = match () {
        () if !seen.is_first => {
            "Give the table an index on the columns it is joined by.".to_owned()
        }
        () if !columns.bare.is_empty() && columns.are_alternatives => format!(
            "The condition has an OR, and one index serves it only where all of its arms compare one column ({}): \
             either each arm has an index of its own (index_merge), or write it as a UNION of one SELECT for each arm.",
            columns.bare.join(", ")
        ),
        () if !columns.bare.is_empty() => format!(
            "An index that begins with what the condition compares ({}) would let the server read the wanted rows alone; \
             equalities first, then one range.",
            columns.bare.join(", ")
        ),
        () if none() && seen.has_condition && is_conditional(look) => {
            "An index on a column of the condition helps only where the column is compared as it is, with a value.".to_owned()
        }
        () if none() => {
            "An index in the order of ORDER BY would let LIMIT stop the reading.".to_owned()
        }
        () => String::new(),
    };
    let mut say = |more: &str| {
        let gap = if text.is_empty() { "" } else { " " };
        text = format!("{text}{gap}{more}");
    };
    if !columns.indexed.is_empty() {
        say(&format!("There is an index already: {}.", columns.indexed.join(", ")));
    }
    if let Some(hint) = hint(look) {
        say(&format!(
            "The statement has a hint ({hint}) that keeps indexes from use: EXPLAIN without it first."
        ));
    }
    if seen.node.possible_keys.is_some() {
        say(
            "Indexes were thought of and not chosen: too many rows match, types differ, or statistics are old.",
        );
    }
    say("If most rows are wanted, the scan is right.");
    text
}

/// Whether the statement has a condition, as far as it is known.
fn is_conditional(look: &Look<'_>) -> bool {
    !look.names.is_known || !look.names.glance.mentions.is_empty()
}

/// What the condition compares that an index can be searched by.
struct Columns {
    /// Columns that no index begins with, or of which that is not known.
    bare: Vec<String>,
    /// `ix_state` (`state`), of columns that one begins with.
    indexed: Vec<String>,
    /// Whether an OR stands between several of them.
    are_alternatives: bool,
}

impl Columns {
    fn of(look: &Look<'_>, seen: &Seen<'_>) -> Columns {
        let all = hidden::searchable(look, seen).into_iter().map(|it| it.column.name);
        let names: BTreeSet<String> = all.collect();
        let table = look.table(seen);
        let mut columns = Columns {
            bare: Vec::new(),
            indexed: Vec::new(),
            are_alternatives: look.names.glance.has_or && names.len() > 1,
        };
        for name in &names {
            match table.and_then(|table| led_by(table, name)) {
                Some(index) => columns.indexed.push(format!("`{}` (`{name}`)", index.name)),
                None => columns.bare.push(format!("`{name}`")),
            }
        }
        columns
    }
}

/// A hint of the statement that keeps an index from use.
pub fn hint(look: &Look<'_>) -> Option<&'static str> {
    const HINTS: &[&str] =
        &["NO_INDEX", "NO_JOIN_INDEX", "IGNORE INDEX", "IGNORE KEY", "USE INDEX", "USE KEY"];
    let query = look.case.plan.query.as_deref()?.to_ascii_uppercase();
    HINTS.iter().find(|words| query.contains(*words)).copied()
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
    fn advice_heeds_the_schema_hints_and_an_or() {
        let plan = tsv(&[&line("parcels", "ALL", "-", "300000", "100.00", "Using where")]);
        let schema = "CREATE TABLE parcels (id int PRIMARY KEY, depot int, weight int, KEY ix_depot (depot));";
        let text = |query: &'static str| {
            let given = Given::plan(&plan).query(query).schema(schema);
            let finding = check(&given, "PLAN001", Some(Severity::Medium)).unwrap();
            finding.recommendation.text
        };
        let forbidden = text("SELECT id FROM parcels IGNORE INDEX (ix_depot) WHERE depot = 5");
        assert!(
            forbidden.starts_with("There is an index already: `ix_depot` (`depot`)."),
            "{forbidden}"
        );
        assert!(forbidden.contains("a hint (IGNORE INDEX)"), "{forbidden}");
        let either = text("SELECT id FROM parcels WHERE weight = 5 OR depot = 7");
        assert!(either.starts_with("The condition has an OR"), "{either}");
        let plain = text("SELECT id FROM parcels WHERE weight = 5");
        assert!(plain.contains("(`weight`)") && !plain.contains("already"), "{plain}");
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
