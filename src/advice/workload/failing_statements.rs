//! WORK018.

use std::cmp::Reverse;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;

use super::Case;
use super::case::{finding, percent, seconds};
use super::watch::Observed;
use super::watch::failures::Failed;

rule! {
    /// A good part of the calls of a statement fails, or is killed.
    ///
    /// **Costs.** The work is done for nothing, and often done again; users see errors.
    /// **Wrong when.** The failure is meant: an INSERT that asks by its unique key whether a row is
    /// there (1062). Last_errno of Percona Server holds warnings of some statements too. MariaDB's
    /// log has no numbers of errors.
    /// **Verify.** Failures of the class in a log of the same length.
    /// **Source.** MySQL and MariaDB, server error reference.
    Workload "WORK018" "failing-statements"
}

/// Percent of the calls of a class, and how many.
const PERCENT: u64 = 1;
const LEAST: u64 = 5;
/// Classes that are told, those with most failures.
const MOST: usize = 10;
/// Numbers that are told of a class.
const NUMBERS: usize = 5;
const DUPLICATE: u32 = 1062;

/// Number, what it says, and what to do.
type Error = (u32, &'static str, &'static str);

#[rustfmt::skip]
const ERRORS: &[Error] = &[
    (1040, "too many connections", "Keep fewer connections in pools, or raise max_connections."),
    (1044, "access to the database denied", "The account lacks a right: see its grants."),
    (1045, "access denied", "Password or account are wrong: look for a job with old ones."),
    (1048, "a column must not be NULL", "The application sends rows that cannot be stored."),
    (1053, "the server is shut down", "It was stopped meanwhile."),
    (1054, "unknown column", "Application and schema differ: one of them was not rolled out."),
    (1062, "duplicate key", "If it asks whether the row is there, INSERT … ON DUPLICATE KEY UPDATE or INSERT IGNORE says so without an error; else two writers make the same key."),
    (1064, "syntax error", "The statement is put together wrongly: see who sends it."),
    (1104, "too many rows to join", "sql_big_selects and max_join_size forbid it: it lacks an index or a condition."),
    (1114, "the table is full", "A temporary table in memory or the tablespace has reached its bound."),
    (1142, "a right on the table is missing", "The account lacks a right: see its grants."),
    (1146, "no such table", "Application and schema differ: one of them was not rolled out."),
    (1153, "packet too large", "Send smaller batches, or raise max_allowed_packet on both sides."),
    (1159, "timeout while reading from the client", "See net_read_timeout, and the network."),
    (1161, "timeout while writing to the client", "The client takes rows too slowly: see net_write_timeout, and ask for fewer rows."),
    (1205, "lock wait timeout", "Another transaction holds the lock for longer than innodb_lock_wait_timeout: find what keeps it open, and commit earlier."),
    (1206, "the table of locks is full", "The statement locks too many rows: smaller batches, an index for its condition."),
    (1213, "deadlock", "Lock rows in the same order everywhere, keep transactions short, index what the statement searches by; and repeat the transaction. SHOW ENGINE INNODB STATUS has the last one."),
    (1264, "a value is out of range", "The type of a column is too small for what comes."),
    (1290, "the server runs read-only", "Writes are sent to a replica, or the server was just switched."),
    (1292, "a value is wrong for its type", "The application sends text where a date or number is wanted."),
    (1317, "interrupted", "Somebody killed it, or the client gave up: see what kills (pt-kill, a timeout of the application) and make the statement shorter."),
    (1366, "a value is wrong for its column", "Character sets differ, or text comes where a number is wanted."),
    (1406, "a text is too long for its column", "The application sends more than the column holds."),
    (1451, "a row has children", "A foreign key forbids it: delete the children first."),
    (1452, "a row has no parent", "A foreign key forbids it: write the parent first."),
    (1836, "the server runs read-only", "Writes are sent to a replica, or the server was just switched."),
    (1927, "the connection was killed", "Somebody killed it: see what kills (pt-kill, a timeout of the application)."),
    (1969, "max_statement_time is over", "The statement takes longer than it may: see its plan, then the bound."),
    (2006, "the server has gone away", "The connection was closed while idle (wait_timeout), or the packet was too large."),
    (2013, "the connection was lost", "The client or the network gave up while the statement ran: see timeouts of the application."),
    (3024, "max_execution_time is over", "The statement takes longer than it may: see its plan, then the bound."),
    (3572, "NOWAIT found a lock", "It is told so on purpose: see that the application tries again later."),
];

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some(seen) = case.seen else { return Vec::new() };
    let same = |one: &Failed, other: &Failed| one.class == other.class;
    let mut classes: Vec<&[Failed]> = seen.failed.chunk_by(same).collect();
    classes.sort_by_key(|of| Reverse(all(of)));
    classes.into_iter().filter_map(|of| of_class(case, seen, of)).take(MOST).collect()
}

fn all(failed: &[Failed]) -> u64 {
    failed.iter().map(|it| it.events).sum()
}

fn of_class(case: &Case<'_>, seen: &Observed, failed: &[Failed]) -> Option<Finding> {
    let id = seen.id(failed.first()?.class)?;
    let class = case.class(id)?;
    let events = all(failed);
    let share = percent(events, class.calls)?;
    if events < LEAST || share < Amount::whole(PERCENT) {
        return None;
    }
    let told = |it: &Failed| {
        let count = Amount::whole(it.events).grouped();
        match it.number {
            Some(number) => format!("{} ({count})", named(number)),
            None => format!("killed, or another error ({count})"),
        }
    };
    let mut evidence = vec![
        Fact::number("failed", Amount::whole(events)),
        Fact::number("calls", Amount::whole(class.calls)),
        Fact::number("failed_percent", share),
        Fact::list("errors", failed.iter().take(NUMBERS).map(told).collect()),
    ];
    evidence.extend(class.micros.map(|it| Fact::number("query_time_seconds", seconds(it))));
    let is_meant = failed.iter().all(|it| it.number == Some(DUPLICATE));
    let severity = if is_meant { Severity::Low } else { Severity::Medium };
    let first = failed.first().and_then(|it| it.number);
    let most = first.map_or("they are killed".to_owned(), named);
    let advices = failed.iter().take(NUMBERS).filter_map(|it| known(it.number?));
    let mut advices: Vec<&str> = advices.map(|(.., advice)| *advice).collect();
    advices.dedup();
    if advices.is_empty() {
        advices.push(
            "Look the number up in the error reference of the server, and in the log of \
                      the application.",
        );
    }
    let mut finding = finding(
        &RULE,
        (severity, Confidence::High),
        format!("{} % of the calls fail, most by: {most}", share.rounded()),
        evidence,
        (&advices.join(" "), "Failures of the class, in a log of the same length"),
    );
    finding.subject = Subject { query_id: Some(id), ..Subject::default() };
    finding.queries = vec![id];
    Some(finding)
}

fn known(number: u32) -> Option<&'static Error> {
    ERRORS.iter().find(|(known, ..)| *known == number)
}

fn named(number: u32) -> String {
    match known(number) {
        Some((_, name, _)) => format!("{number} {name}"),
        None => format!("error {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    fn log(calls: u64, errors: &[(i128, u64)]) -> Log {
        let mut log = Log::default();
        let failed: u64 = errors.iter().map(|(_, count)| count).sum();
        for (number, count) in errors.iter().copied().chain([(0, calls - failed)]) {
            (0..count).for_each(|_| log.add(entry("UPDATE t SET a = 1 WHERE b = 2").errno(number)));
        }
        log
    }

    #[test]
    fn failures_are_told_by_their_numbers() {
        let found = log(500, &[(1205, 2), (1213, 7), (1789, 1)]).advise(look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "2 % of the calls fail, most by: 1213 deadlock");
        let errors = ["1213 deadlock (7)", "1205 lock wait timeout (2)", "error 1789 (1)"];
        let errors = Fact::list("errors", errors.map(str::to_owned).to_vec());
        assert!(found[0].evidence.contains(&errors), "{:?}", found[0].evidence);
        assert_eq!(found[0].severity, Severity::Medium);
        assert_eq!(log(500, &[(1062, 50)]).advise(look)[0].severity, Severity::Low);
    }

    #[test]
    fn few_failures_are_not() {
        assert_eq!(log(100, &[(1213, 4)]).advise(look), []);
        assert_eq!(log(1_000, &[(1213, 9)]).advise(look), []);
        assert_eq!(log(1_000, &[]).advise(look), []);
    }

    #[test]
    fn numbers_stand_in_order_once() {
        assert!(ERRORS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
