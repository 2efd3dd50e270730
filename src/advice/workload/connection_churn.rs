//! WORK017.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::Case;
use super::case::{finding, percent, seconds};
use super::watch::traits::Talk;

rule! {
    /// Connections are opened and closed for a few statements each.
    ///
    /// **Costs.** Each one is a thread, a handshake of several ways over the network (with TLS
    /// some more), the look at the account, and memory that is asked for anew.
    /// **Wrong when.** Less than one connection a second, or fewer than 30 in all. A log with a threshold does not hold the
    /// commands Connect and Quit; two samples of SHOW GLOBAL STATUS tell it as well.
    /// **Verify.** Connections / Questions between two samples.
    /// **Source.** MySQL manual, how MySQL handles client connections; server status variables.
    Workload "WORK017" "connection-churn"
}

/// Percent of statements, and connections a second.
const PERCENT: u64 = 10;
const PER_SECOND: u64 = 1;
/// Connections, and microseconds over which they were counted: a deployment or a test is no habit.
const LEAST: u64 = 30;
const LEAST_MICROS: u64 = 10_000_000;

/// Connections, statements and seconds.
#[derive(Debug, Clone, Copy)]
struct Churn {
    connections: u64,
    statements: u64,
    micros: u64,
    source: &'static str,
}

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let found = of_status(case).and_then(told).or_else(|| of_log(case).and_then(told));
    found.into_iter().collect()
}

/// Between two samples of counters.
fn of_status(case: &Case<'_>) -> Option<Churn> {
    let window = case.facts.status.window().filter(|it| it.is_interval())?;
    Some(Churn {
        connections: window.grown("connections")?,
        statements: window.grown("questions")?,
        micros: window.seconds.saturating_mul(1_000_000),
        source: "Connections and Questions of two samples",
    })
}

/// By the commands that the log holds.
fn of_log(case: &Case<'_>) -> Option<Churn> {
    let talked = &case.seen?.talked;
    let (opened, closed) = (talked.count(Talk::Connect), talked.count(Talk::Quit));
    let connections = opened.max(closed);
    Some(Churn {
        connections,
        statements: case.whole.measured.events.saturating_sub(opened + closed),
        micros: case.whole.measured.window()?,
        source: "commands Connect and Quit of the log",
    })
}

fn told(churn: Churn) -> Option<Finding> {
    let share = percent(churn.connections, churn.statements)?;
    let rate = Amount::whole(churn.connections).ratio(seconds(churn.micros))?;
    let is_few = churn.connections < LEAST || churn.micros < LEAST_MICROS;
    if is_few || share <= Amount::whole(PERCENT) || rate < Amount::whole(PER_SECOND) {
        return None;
    }
    let each = Amount::whole(churn.statements).ratio(Amount::whole(churn.connections))?;
    let evidence = vec![
        Fact::number("connections", Amount::whole(churn.connections)),
        Fact::number("connections_per_second", rate),
        Fact::number("connections_percent_of_statements", share),
        Fact::number("statements_per_connection", each),
        Fact::text("told_by", churn.source),
    ];
    Some(finding(
        &RULE,
        (Severity::Low, Confidence::High),
        format!(
            "{} connections a second are opened, one for each {} statements",
            rate.grouped(),
            each.rounded()
        ),
        evidence,
        (
            "Keep connections: a pool in the application (a few for each core of the server), \
             persistent connections where each request is a process, or a proxy in between. Until \
             then let thread_cache_size hold as many threads as come at once, and skip_name_resolve \
             spare the look at names of hosts.",
            "Connections / Questions between two samples of SHOW GLOBAL STATUS",
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;
    use crate::server::ServerFacts;

    /// So many connections over ten seconds, each with so many statements.
    fn log(connections: i64, statements: i64) -> Log {
        let mut log = Log::default();
        for n in 0..connections {
            let at = n * 10_000_000 / connections;
            (0..statements).for_each(|_| log.add(entry("SELECT a FROM t").at(at)));
            log.add(entry("administrator command: Quit").command().at(at));
        }
        log.add(entry("SELECT a FROM t").at(10_000_000));
        log
    }

    #[test]
    fn connections_for_few_statements_are_told() {
        let found = log(50, 4).advise(look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "5 connections a second are opened, one for each 4 statements");
        assert_eq!(log(50, 20).advise(look), []);
        // Nine in ten seconds.
        assert_eq!(log(9, 4).advise(look), []);
    }

    #[test]
    fn two_samples_tell_it_too() {
        let sample = |uptime: u64, connections: u64, questions: u64| {
            [("Uptime", uptime), ("Connections", connections), ("Questions", questions)]
                .map(|(name, value)| (name.to_owned(), value.to_string()))
                .into_iter()
                .collect()
        };
        let mut facts = ServerFacts::default();
        facts.status.add(sample(1_000, 5_000, 90_000));
        // A single sample is of all the time since the start.
        assert_eq!(log(1, 4).advise_with(look, &facts), []);
        facts.status.add(sample(1_060, 5_600, 93_000));
        let found = log(1, 4).advise_with(look, &facts);
        // 600 of 3,000 in a minute.
        assert_eq!(found[0].title, "10 connections a second are opened, one for each 5 statements");
    }
}
