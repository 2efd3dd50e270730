//! The sort buffer of each connection.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size};

rule! {
    /// The sort buffer is large for every connection.
    ///
    /// **Costs.** Each sort may take it, several at once in a statement; a large one costs time
    /// to get, also where ten rows are sorted.
    /// **Wrong when.** Sorts do spill to disk again and again and memory is ample.
    /// **Verify.** Sort_merge_passes a second does not rise.
    /// **Source.** MySQL manual, ORDER BY optimization. Defaults: 256 KiB from MySQL 5.6, 2 MiB
    /// in MariaDB and before.
    Variables "VAR010" "sort-buffer-large"
}

const MIB: u64 = 1_024 * 1_024;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let version = case.version?;
    let buffer = case.number("sort_buffer_size")?;
    let (most, default) = match version.is_mysql() && version.numbers >= (5, 6, 0) {
        true => (2 * MIB, MIB / 4),
        false => (4 * MIB, 2 * MIB),
    };
    if buffer <= most {
        return None;
    }
    let passes = case.rates().and_then(|rates| Some((rates.grown("sort_merge_passes")?, rates)));
    // VAR011 speaks of sorts that spill.
    if passes.is_some_and(|(passes, rates)| passes > rates.seconds()) {
        return None;
    }
    let title = format!("sort_buffer_size is {} for every connection", size(buffer));
    let mut said =
        say(case, &RULE, Severity::Low, Confidence::Medium, title).about("sort_buffer_size");
    if let Some(most) = case.number("max_connections") {
        said = said.seen("worst_case_bytes", buffer.saturating_mul(most));
    }
    if let Some((passes, rates)) = passes {
        said = said
            .seen("sort_merge_passes", passes)
            .amount("merge_passes_a_second", rates.a_second(passes));
    }
    Some(
        said.advise(format!(
            "Let the default of {} hold for all, and raise it in the sessions whose statements sort much: \
             SET SESSION sort_buffer_size.",
            size(default)
        ))
        .set("sort_buffer_size", bytes(default), When::Now)
        .verify("Sort_merge_passes a second stays as it is.")
        .end(),
    )
}
