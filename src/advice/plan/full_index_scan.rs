//! An index is read whole.

use crate::advice::rule::rule;
use crate::advice::sql::hidden;
use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;

use super::full_table_scan;
use super::look::{Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// Every entry of an index is read.
    ///
    /// **Costs.** `index` is a full scan, of an index in the place of the table. `Using index` only
    /// says that the table itself is not touched.
    /// **Wrong when.** A LIMIT stops the walk after a few entries: then `rows` is the LIMIT. With a
    /// filter beside the LIMIT `rows` is no measure; only a log or a measured plan tells.
    /// **Verify.** EXPLAIN again: access type range or ref; Rows_examined in the log.
    /// **Source.** MySQL manual, EXPLAIN join types.
    Plan "PLAN002" "full-index-scan"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let scans = look.tables.iter().filter(|seen| {
        seen.is_index_scan() && !full_table_scan::is_scan(look, seen) && !is_small(look, seen)
    });
    scans.filter_map(|seen| finding(look, seen)).collect()
}

/// What a log or a measured plan shows to be small.
fn is_small(look: &Look<'_>, seen: &Seen<'_>) -> bool {
    let examined = look.case.load.and_then(|load| load.rows_examined);
    examined.is_some_and(|rows| rows.mean < Amount::whole(MEDIUM_ROWS)) || look.is_quick(seen)
}

/// Entries that are read: no more than a LIMIT asks for, those that it skips included. Beside a
/// filter the LIMIT tells nothing, and only a log what was read.
fn entries(look: &Look<'_>, seen: &Seen<'_>) -> Option<Amount> {
    if seen.is_measured || !seen.stops_early {
        return seen.read;
    }
    match seen.has_condition {
        true => {
            look.case.load.and_then(|load| load.rows_examined).map(|rows| rows.mean).or(seen.read)
        }
        false => Some(seen.read?.min(Amount::whole(look.names.glance.limit?))),
    }
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let read = entries(look, seen).filter(|read| *read >= Amount::whole(MEDIUM_ROWS))?;
    let severity = look.severity(read, Severity::Medium)?;
    let key = seen.node.key.as_deref().unwrap_or("an index");
    let how = if seen.is_measured { "" } else { "about " };
    let runs = match seen.runs >= Amount::whole(2) {
        true => format!(" in {} runs", count(seen.runs)),
        false => String::new(),
    };
    let is_skipped = seen.stops_early && !seen.has_condition;
    let what = if is_skipped { "is walked along up to the LIMIT" } else { "is read whole" };
    let title =
        format!("index `{key}` of `{}` {what}: {how}{} entries{runs}", seen.name, count(read));
    let mut finding = look.of_table(&RULE, seen, severity, title);
    // Beside a filter nobody knows where the LIMIT stops.
    if seen.stops_early && seen.has_condition && !seen.is_measured && look.case.load.is_none() {
        finding.confidence = Confidence::Low;
    }
    finding.evidence.extend(look.facts(seen));
    let covers = match seen.node.says("Using index") {
        _ if key == "PRIMARY" => {
            " With InnoDB the primary key is the table: its entries are the rows."
        }
        true => " `Using index` only spares the table itself.",
        false => " Each entry fetches its row of the table besides.",
    };
    let help = match seen.has_condition {
        _ if is_skipped => {
            "An offset reads all that it skips: remember the last key that was shown and go on from there \
             (WHERE key > ? ORDER BY key LIMIT n)."
        }
        true if !hidden::searchable(look, seen).is_empty() => {
            "An index that begins with the columns of the condition turns it into a lookup or a range."
        }
        true => {
            "No index turns this condition into a lookup or a range as it is written: compare a column as it is, with a value."
        }
        false if look.names.is_known && !look.names.glance.aggregates => {
            "If a few rows are wanted, say so by WHERE or LIMIT; if all are, the walk is right."
        }
        false => {
            "If all rows are counted or summed up each time, keep the sums in a table of their own; \
            if a few are wanted, say so by WHERE or LIMIT."
        }
    };
    finding.recommendation.text = format!("{help}{covers}");
    finding.verify =
        format!("EXPLAIN again: access type range or ref on `{}`; Rows_examined falls.", seen.name);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, load, tsv};
    use crate::advice::Severity;
    use crate::plan::Amount;

    #[test]
    fn a_walk_along_the_whole_index_is_found() {
        let plan = |rows: &str, extra: &str| {
            tsv(&[&line("visits", "index", "ix_at", rows, "100.00", extra)])
        };
        check(&Given::plan(&plan("4200000", "Using index")), "PLAN002", Some(Severity::High));
        check(
            &Given::plan(&plan("42000", "Using where; Using index")),
            "PLAN002",
            Some(Severity::Medium),
        );
    }

    #[test]
    fn a_walk_that_a_limit_stops_is_not() {
        let plan = |rows: &str, extra: &str| {
            tsv(&[&line("visits", "index", "PRIMARY", rows, "100.00", extra)])
        };
        // The server counts the LIMIT in.
        check(&Given::plan(&plan("20", "Backward index scan")), "PLAN002", None);
        let backward = plan("42000", "Backward index scan");
        let given = Given::plan(&backward);
        let limited = |query| given.clone().query(query);
        check(&limited("SELECT * FROM visits ORDER BY id DESC LIMIT 20"), "PLAN002", None);
        // What an offset skips is read.
        let deep = limited("SELECT * FROM visits ORDER BY id DESC LIMIT 40000, 20");
        let finding = check(&deep, "PLAN002", Some(Severity::Medium)).unwrap();
        assert!(finding.title.ends_with("is walked along up to the LIMIT: about 40,020 entries"));
        // With a filter `rows` says 20, and the log what was read.
        let filtered = plan("20", "Using where");
        let given = Given::plan(&filtered)
            .query("SELECT * FROM visits WHERE agent = 7 ORDER BY id LIMIT 20");
        check(&given, "PLAN002", None);
        let mut logged = load("12");
        let rows = Amount::whole(310_000);
        logged.rows_examined = Some(super::super::PerCall { mean: rows, most: rows });
        check(&given.load(logged), "PLAN002", Some(Severity::Medium));
    }

    #[test]
    fn the_primary_key_fetches_no_row_besides() {
        let said = |key: &str, extra: &str| {
            let plan = tsv(&[&line("visits", "index", key, "42000", "100.00", extra)]);
            let finding = check(&Given::plan(&plan), "PLAN002", Some(Severity::Medium)).unwrap();
            let text = finding.recommendation.text;
            (text.contains("fetches its row"), text.contains("only spares the table"))
        };
        assert_eq!(said("ix_at", "Using where"), (true, false));
        assert_eq!(said("ix_at", "Using where; Using index"), (false, true));
        assert_eq!(said("PRIMARY", "Using where"), (false, false));
        assert_eq!(said("PRIMARY", "Using where; Using index"), (false, false));
    }
}
