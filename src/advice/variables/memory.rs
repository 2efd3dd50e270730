//! All buffers together against the memory of the machine.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{say, size};

rule! {
    /// The buffers of the server together are larger than the memory of the machine.
    ///
    /// **Costs.** The machine swaps, or the system kills the server.
    /// **Wrong when.** The sum with max_connections is a bound, no forecast: each connection
    /// would have to sort, join and scan at once. What counts more is the sum with
    /// Max_used_connections.
    /// **Verify.** Resident memory of the server; si and so of vmstat stay 0.
    /// **Source.** MySQL manual, how MySQL uses memory.
    Variables "VAR002" "memory-overcommitted"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let memory = case.facts.machine.memory?;
    let sums = super::facts::memory(case)?;
    let is_over =
        |sum: Option<u64>| sum.filter(|sum| u128::from(*sum) * 100 > u128::from(memory) * 95);
    let (sum, severity, whose) = match (is_over(sums.seen), is_over(sums.worst)) {
        (Some(sum), _) => (sum, Severity::High, "as many connections as there have been"),
        (None, Some(sum)) => (sum, Severity::Medium, "all connections that are allowed"),
        (None, None) => return None,
    };
    let title =
        format!("with {whose} the buffers may take {} of {} of memory", size(sum), size(memory));
    let mut said = say(case, &RULE, severity, Confidence::Medium, title)
        .about("max_connections")
        .seen("memory_bytes", memory)
        .seen("buffers_taken_once_bytes", sums.once)
        .seen("memory_per_connection_bytes", sums.per_connection);
    if let Some(seen) = sums.seen {
        said = said
            .seen("max_used_connections", case.count("max_used_connections").unwrap_or(0))
            .seen("memory_seen_bytes", seen);
    }
    if let Some(worst) = sums.worst {
        said = said.seen("memory_worst_case_bytes", worst);
    }
    let shares = format!(
        "{} are taken once and {} by each connection at worst. ",
        size(sums.once),
        size(sums.per_connection)
    );
    let todo = if sums.once > memory / 100 * 95 {
        "Lower what is taken once first, the buffer pool above all."
    } else {
        "Lower the buffers of connections first (sort, join, read: VAR010, VAR012, VAR013), then \
         max_connections (VAR003). In-memory temporary tables come on top. No other advice here \
         raises a buffer while this holds."
    };
    Some(
        said.advise(format!("{shares}{todo}"))
            .verify("Resident memory of mysqld stays below the memory of the host; si and so of vmstat are 0.")
            .end(),
    )
}
