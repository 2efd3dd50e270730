//! Threads that wait for the cache.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::case::{Case, bytes, close, finding, seen, set, word};

rule! {
    /// Threads wait for the lock of the query cache.
    ///
    /// **Costs.** One lock guards the whole cache. Under many connections with reads and writes on the
    /// same tables the waiting is longer than the statements.
    /// **Wrong when.** It was seen once: a state of a moment says nothing.
    /// **Verify.** The states are gone from SHOW PROCESSLIST.
    /// **Source.** MySQL 5.7 manual, query cache thread states.
    QueryCache "QC004" "query-cache-lock"
}

/// States that tell of work or waiting in the cache.
const STATES: &[&str] = &[
    "waiting for query cache lock",
    "checking query cache for query",
    "storing result in query cache",
    "invalidating query cache entries",
];
/// Samples below which they are chance.
const MIN_SAMPLES: usize = 3;
/// Share of the threads, in percent.
const MIN_SHARE: usize = 5;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let settings = case.settings;
    let is_on = settings.is_on() || (settings.kind.is_none() && settings.has_cache());
    let is_state = |state: &&String| {
        let lower = state.to_lowercase();
        STATES.iter().any(|it| lower.contains(it))
    };
    let met: Vec<&String> = case.states.iter().filter(is_state).collect();
    if !is_on || met.len() < MIN_SAMPLES || met.len() * 100 < case.states.len() * MIN_SHARE {
        return Vec::new();
    }
    let title =
        format!("{} of {} threads are busy with the query cache", met.len(), case.states.len());
    let mut finding = finding(&RULE, Severity::High, Confidence::High, title);
    let mut states: Vec<String> = met.into_iter().cloned().collect();
    seen(&mut finding, "threads", states.len() as u64);
    states.sort();
    states.dedup();
    states.truncate(STATES.len());
    finding.evidence.push(Fact::list("states", states));
    finding.recommendation.text =
        "Switch the query cache off; if a log shows that a few statements gain, set DEMAND and write SQL_CACHE in these."
            .to_owned();
    set(&mut finding, "query_cache_type", settings.kind_word(), word("OFF"), false);
    set(&mut finding, "query_cache_size", settings.size.map(bytes), bytes(0), false);
    finding.verify = "SHOW PROCESSLIST at the busy hour: none of these states.".to_owned();
    vec![close(finding)]
}
