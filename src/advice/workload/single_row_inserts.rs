//! WORK008.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::case::finding;
use super::watch::inserts::Inserted;
use super::watch::traits::Talk;
use super::watch::{Observed, WINDOW};
use super::{Case, floor};

rule! {
    /// Rows are inserted one by one, many a second.
    ///
    /// **Costs.** Each statement is sent, parsed and, without a transaction around, written to disk
    /// for itself. Some hundred rows in one statement take hardly longer than one.
    /// **Wrong when.** Each row must be there before the next thing happens, and comes from another
    /// user; or many of them share a transaction already, so that only sending and parsing is left:
    /// where the log has a COMMIT for 20 writes or more the severity is low. Rows are those of
    /// Rows_affected, or those behind VALUES where that is not logged.
    /// **Verify.** Statements per second of the class fall, rows per second do not.
    /// **Source.** MySQL manual, optimizing INSERT statements.
    Workload "WORK008" "single-row-inserts"
}

/// Rows of a statement on the average, in tenths.
const TENTHS: u64 = 12;
/// Windows of ten seconds that are storms.
const WINDOWS: u32 = 2;
/// Writes for each COMMIT from which on the disk is not waited for each time.
const SHARED: u64 = 20;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some(seen) = case.seen else { return Vec::new() };
    let mut storms: Vec<&Inserted> = seen.inserted.iter().collect();
    storms.sort_by_key(|it| (std::cmp::Reverse(it.most_in_window), it.class));
    storms.into_iter().filter_map(|it| of_class(case, seen, it)).collect()
}

fn of_class(case: &Case<'_>, seen: &Observed, inserted: &Inserted) -> Option<Finding> {
    let id = seen.id(inserted.class)?;
    let class = case.class(id)?;
    let Inserted { statements, rows, storms, storms_of_one, .. } = *inserted;
    // Of most statements the rows must be known.
    let is_known = statements > 0 && statements.saturating_mul(2) >= class.calls;
    let are_single = u128::from(rows) * 10 <= u128::from(statements) * u128::from(TENTHS);
    let is_storm = storms >= WINDOWS || storms_of_one >= WINDOWS;
    if !is_known || !are_single || !is_storm || !floor::reaches(case, class) {
        return None;
    }
    let per_second =
        |count: u32| Amount::whole(u64::from(count)).ratio(Amount::whole(WINDOW.unsigned_abs()));
    let most = per_second(inserted.most_in_window)?;
    let mut evidence = vec![
        Fact::number("rows_per_statement", Amount::whole(rows).ratio(Amount::whole(statements))?),
        Fact::text("rows_by", if inserted.is_counted { "Rows_affected" } else { "VALUES" }),
        Fact::number("statements", Amount::whole(class.calls)),
        Fact::number("most_statements_per_second", most),
        Fact::number("windows_of_10_seconds", Amount::whole(u64::from(storms.max(storms_of_one)))),
    ];
    if inserted.most_of_one > 0 {
        let of_one = per_second(inserted.most_of_one)?;
        evidence.push(Fact::number("most_of_one_connection_per_second", of_one));
    }
    let commits = seen.talked.count(Talk::Commit);
    let writes_per_commit = Amount::whole(seen.talked.writes).ratio(Amount::whole(commits));
    evidence.extend(writes_per_commit.map(|it| Fact::number("writes_per_commit", it)));
    let is_shared = writes_per_commit.is_some_and(|it| it >= Amount::whole(SHARED));
    let severity = if is_shared { Severity::Low } else { Severity::Medium };
    let from = if storms >= WINDOWS { "" } else { ", from one connection" };
    let mut finding = finding(
        &RULE,
        (severity, Confidence::Medium),
        format!("Rows are inserted one by one, up to {} a second{from}", most.grouped()),
        evidence,
        (
            "Send 100 to 1,000 rows in one INSERT … VALUES (…), (…), up to a quarter of \
             max_allowed_packet; drivers do it when told so (rewriteBatchedStatements of Connector/J \
             with executeBatch). Whole files go faster by LOAD DATA. Where rows must stay single, put \
             many into one transaction: each commit waits for the disk.",
            "Statements per second of the class fall while rows per second stay",
        ),
    );
    finding.subject = Subject { query_id: Some(id), ..Subject::default() };
    finding.queries = vec![id];
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    fn log(text: &str, per_second: i64, seconds: i64) -> Log {
        let mut log = Log::default();
        for n in 0..per_second * seconds {
            log.add(entry(text).thread(n % 3).at(n * 1_000_000 / per_second));
        }
        log
    }

    #[test]
    fn a_storm_of_single_rows_is_told() {
        let found = log("INSERT INTO tick (a, b) VALUES (1, 'x')", 250, 40).advise(look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "Rows are inserted one by one, up to 250 a second");
        // 180 a second are no storm of all, but 60 of each of three connections are.
        let found = log("INSERT INTO tick (a, b) VALUES (1, 'x')", 180, 40).advise(look);
        assert!(found[0].title.ends_with("a second, from one connection"), "{}", found[0].title);
    }

    #[test]
    fn rows_that_share_a_transaction_cost_less() {
        let mut log = log("INSERT INTO tick (a, b) VALUES (1, 'x')", 250, 40);
        // 10,000 rows in 100 transactions.
        (0..100).for_each(|_| log.add(entry("COMMIT").micros(0)));
        assert_eq!(log.advise(look)[0].severity, Severity::Low);
    }

    #[test]
    fn batches_few_inserts_and_a_spike_are_not() {
        assert_eq!(log("INSERT INTO tick (a) VALUES (1), (2)", 250, 40).advise(look), []);
        assert_eq!(log("INSERT INTO tick (a) SELECT a FROM t", 250, 40).advise(look), []);
        assert_eq!(log("INSERT INTO tick (a) VALUES (1)", 100, 40).advise(look), []);
        assert_eq!(log("INSERT INTO tick (a) VALUES (1)", 6_000, 1).advise(look), []);
    }
}
