//! Threads kept for the next connection.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, count, say};

rule! {
    /// Threads are made anew for connections that come and go.
    ///
    /// **Costs.** A thread for each connection costs some 100 µs and memory.
    /// **Wrong when.** The server runs a thread pool; connections are pooled in the application
    /// already.
    /// **Verify.** Threads_created a second.
    /// **Source.** MySQL manual, thread_cache_size.
    Variables "VAR004" "thread-cache-small"
}

/// More threads than these are seldom worth their memory.
const MOST: u64 = 100;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let size = case.number("thread_cache_size")?;
    if case.text("thread_handling").is_some_and(|it| it.eq_ignore_ascii_case("pool-of-threads")) {
        return None;
    }
    let rates = case.rates()?;
    let (created, connections) = (rates.grown("threads_created")?, rates.grown("connections")?);
    let is_much = is_percent(created, connections, 10) && created > rates.seconds();
    if !is_much || size >= MOST {
        return None;
    }
    let peak = case.count("max_used_connections").unwrap_or(MOST);
    let usual = case.count("threads_connected").unwrap_or(0);
    let to = peak.saturating_sub(usual).max(size.saturating_mul(2)).clamp(16, MOST);
    let title = format!(
        "{} % of the connections needed a new thread, {} a second",
        percent(created, connections),
        rates.a_second(created)
    );
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("thread_cache_size")
            .seen("threads_created", created)
            .seen("connections", connections)
            .over(&rates)
            .advise(format!(
                "Keep as many threads as come and go: a peak of {peak} connections less {usual} that \
                 are there now, between 16 and {MOST}, is {to}. Pooled connections help more."
            ))
            .set("thread_cache_size", count(to), When::Now)
            .verify("Threads_created grows by less than one a second.")
            .end(),
    )
}
