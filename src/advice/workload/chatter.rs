//! WORK010.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::Case;
use super::case::{finding, percent, seconds};
use super::watch::traits::Talk;

rule! {
    /// A good part of the statements is about the connection, not about data.
    ///
    /// **Costs.** Little in the server; but each is a way over the network that the user waits for.
    /// **Wrong when.** Fewer than 1,000 events. COMMIT and ROLLBACK count only as far as there are
    /// more of them than of statements that write: those end nothing.
    /// **Verify.** Statements of these kinds for each statement that reads or writes data.
    /// **Source.** MySQL Connector/J, performance extensions: useLocalSessionState,
    /// useLocalTransactionState, cacheServerConfiguration, cachePrepStmts.
    Workload "WORK010" "chatter"
}

const EVENTS: u64 = 1_000;
const PERCENT: u64 = 20;
/// A kind with less of the events than this is not worth a sentence.
const WORTH_PERCENT: u64 = 2;

/// A kind, the name of its count, and what to do about it.
type Kind = (Talk, &'static str, &'static str);

const KINDS: &[Kind] = &[
    (
        Talk::Ping,
        "pings",
        "Let the pool test a connection only after it was idle (keepaliveTime of HikariCP, \
         testWhileIdle of DBCP and Tomcat), not each time it is borrowed.",
    ),
    (
        Talk::Constant,
        "selects_of_constants",
        "SELECT 1 is the test of a pool: take away its test query, so that the driver sends a ping, \
         and test only after a connection was idle.",
    ),
    (
        Talk::Set,
        "sets",
        "Let the driver remember what the session has (useLocalSessionState and elideSetAutoCommits \
         of Connector/J), and set what all sessions share in the options of the server or once a \
         connection, not once a request.",
    ),
    (
        Talk::Variable,
        "selects_of_variables",
        "cacheServerConfiguration of Connector/J asks for variables once and not for each \
         connection; useLocalSessionState answers for autocommit and isolation.",
    ),
    (
        Talk::Show,
        "shows",
        "SHOW comes from monitors and from mappers that ask for columns: let these keep what they \
         know of tables, and monitors ask less often.",
    ),
    (
        Talk::Commit,
        "commits_of_nothing",
        "COMMIT without a write before it: useLocalTransactionState of Connector/J leaves it out; or \
         read with autocommit on.",
    ),
    (
        Talk::Prepare,
        "prepares",
        "Statements are prepared and closed again: keep them (cachePrepStmts with a large \
         prepStmtCacheSize), or set useServerPrepStmts=false.",
    ),
];

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    of_load(case).into_iter().collect()
}

fn of_load(case: &Case<'_>) -> Option<Finding> {
    let talked = &case.seen?.talked;
    let events = case.whole.measured.events;
    let count = |kind: Talk| match kind {
        Talk::Commit => talked.count(kind).saturating_sub(talked.writes),
        _ => talked.count(kind),
    };
    let all = KINDS.iter().map(|(kind, ..)| count(*kind)).sum();
    let share = percent(all, events)?;
    if events < EVENTS || share < Amount::whole(PERCENT) {
        return None;
    }
    let mut kinds: Vec<&Kind> = KINDS.iter().filter(|(kind, ..)| count(*kind) > 0).collect();
    kinds.sort_by_key(|(kind, ..)| std::cmp::Reverse(count(*kind)));
    let mut evidence = vec![
        Fact::number("percent_of_events", share),
        Fact::number("events", Amount::whole(events)),
    ];
    let fact = |(kind, name, _): &&Kind| Fact::number(name, Amount::whole(count(*kind)));
    evidence.extend(kinds.iter().map(fact));
    // Of COMMIT some are work.
    let others = kinds.iter().filter(|(kind, ..)| *kind != Talk::Commit);
    let micros = others.map(|(kind, ..)| talked.micros(*kind)).fold(0, u64::saturating_add);
    evidence.push(Fact::number("query_time_seconds", seconds(micros)));
    let is_worth = |kind: Talk| count(kind) * 100 >= events * WORTH_PERCENT;
    let worth = kinds.iter().filter(|(kind, ..)| is_worth(*kind));
    let advice = worth.map(|(.., advice)| *advice).collect::<Vec<_>>().join(" ");
    Some(finding(
        &RULE,
        (Severity::Low, Confidence::High),
        format!("{} % of the statements are about the connection, not about data", share.rounded()),
        evidence,
        (&advice, "Their part of all statements falls below a twentieth"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::watch::fixture::{Log, entry};
    use super::*;

    fn log(counts: &[(&str, u64)]) -> Log {
        let mut log = Log::default();
        for (text, count) in counts {
            (0..*count).for_each(|_| log.add(entry(text)));
        }
        log
    }

    #[test]
    fn a_fifth_of_a_thousand_is_chatter() {
        let found = log(&[
            ("SET autocommit=1", 120),
            ("SELECT 1", 70),
            ("SELECT @@tx_isolation", 10),
            ("SELECT a FROM t WHERE id = 1", 800),
        ])
        .advise(look);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Low);
        // 200 of 1,000.
        assert!(found[0].title.starts_with("20 % "), "{}", found[0].title);
        let text = &found[0].recommendation.text;
        assert!(text.contains("useLocalSessionState and") && text.contains("SELECT 1"));
        // A hundredth is told as a number only.
        assert!(!text.contains("cacheServerConfiguration"));
    }

    #[test]
    fn few_events_and_commits_of_writes_are_none() {
        assert_eq!(log(&[("SELECT 1", 500), ("SELECT a FROM t", 499)]).advise(look), []);
        let found =
            log(&[("BEGIN", 500), ("UPDATE t SET a = 1", 500), ("COMMIT", 500)]).advise(look);
        assert_eq!(found, []);
        let found = log(&[("SELECT a FROM t", 800), ("COMMIT", 800)]).advise(look);
        assert_eq!(found.len(), 1);
    }
}
