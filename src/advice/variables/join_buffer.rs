//! The join buffer of each connection.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size};

rule! {
    /// The join buffer is large for every connection, as a rule in the place of an index.
    ///
    /// **Costs.** It is taken once for each join without an index, in each connection. A join
    /// that reads a whole table stays slow with any buffer.
    /// **Wrong when.** MySQL 8.0.18 or later hashes large tables in it on purpose: raise it in
    /// those sessions.
    /// **Verify.** Select_full_join a second falls with the new indexes.
    /// **Source.** MySQL manual, join_buffer_size.
    Variables "VAR012" "join-buffer-large"
}

const MIB: u64 = 1_024 * 1_024;
const DEFAULT: u64 = MIB / 4;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let buffer = case.number("join_buffer_size").filter(|buffer| *buffer > 8 * MIB)?;
    let most = case.number("max_connections");
    let worst = most.map(|most| buffer.saturating_mul(most));
    let memory = case.facts.machine.memory.or_else(|| case.number("innodb_buffer_pool_size"));
    // More than the machine has, or where that is not told more than its greatest buffer.
    let is_grave = worst.zip(memory).is_some_and(|(worst, memory)| worst > memory);
    let severity = if is_grave { Severity::Medium } else { Severity::Low };
    let title = match worst.zip(most) {
        Some((worst, most)) => format!(
            "join_buffer_size is {}: {most} connections may take {}",
            size(buffer),
            size(worst)
        ),
        None => format!("join_buffer_size is {} for every connection", size(buffer)),
    };
    let mut said = say(case, &RULE, severity, Confidence::High, title).about("join_buffer_size");
    if let Some(worst) = worst {
        said = said.seen("join_buffer_worst_case_bytes", worst);
    }
    let joins = case.rates().and_then(|it| Some((it.grown("select_full_join")?, it)));
    let joins = joins.filter(|(joins, rates)| *joins > 0 && !rates.is_short());
    let mut todo = String::new();
    if let Some((joins, rates)) = joins {
        let a_second = rates.a_second(joins);
        said = said.seen("select_full_join", joins).amount("full_joins_a_second", a_second);
        todo = format!(
            "{a_second} joins a second run without an index: find them in the slow log (Full_join: Yes, or \
             large Rows_examined) and give the joined columns an index; adagio advise --schema names them. "
        );
    }
    Some(
        said.advise(format!(
            "{todo}Set the buffer back to its default of {}: it is taken for each join of each connection. \
             Sessions that need more set it for themselves.",
            size(DEFAULT)
        ))
        .set("join_buffer_size", bytes(DEFAULT), When::Now)
        .verify("Select_full_join a second falls once the indexes are there; resident memory falls.")
        .end(),
    )
}
