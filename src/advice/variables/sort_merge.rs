//! Sorts that do not fit.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, bytes, say, size};

rule! {
    /// Sorts do not fit in their buffer and are merged on disk.
    ///
    /// **Costs.** Each pass writes the rows to a file and reads them again.
    /// **Wrong when.** One nightly report makes all of them: raise the buffer for its session.
    /// **Verify.** Sort_merge_passes a second.
    /// **Source.** MySQL manual, ORDER BY optimization.
    Variables "VAR011" "sort-merge-passes"
}

const MIB: u64 = 1_024 * 1_024;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let rates = case.rates()?;
    let buffer = case.number("sort_buffer_size")?;
    let passes = rates.grown("sort_merge_passes")?;
    let sorts = rates.grown("sort_scan")?.saturating_add(rates.grown("sort_range")?);
    if !(is_percent(passes, sorts, 10) && passes > rates.seconds()) {
        return None;
    }
    let most = if case.is_mysql_from(5, 6, 0) { 2 * MIB } else { 4 * MIB };
    let title = format!(
        "{} passes to merge sorts on disk a second, for {} sorts a second",
        rates.a_second(passes),
        rates.a_second(sorts)
    );
    let said = say(case, &RULE, Severity::Medium, Confidence::Medium, title)
        .about("sort_buffer_size")
        .seen("sort_merge_passes", passes)
        .seen("sorts", sorts)
        .over(&rates);
    let first = "An index in the order of the sort saves it (see the index advice on a slow log).";
    let said = if buffer < most {
        let to = buffer.saturating_mul(2).clamp(MIB / 4, most);
        said.advise(format!(
            "{first} Else raise the buffer step by step, {} to {}, at most {}.",
            size(buffer),
            size(to),
            size(most)
        ))
        .set("sort_buffer_size", bytes(to), When::Now)
    } else {
        said.advise(format!(
            "{first} The buffer of {} is ample for all; raise it in single sessions only.",
            size(buffer)
        ))
    };
    Some(said.verify("Sort_merge_passes a second falls under the same load.").end())
}
