//! A server that has not run for long.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::say;

rule! {
    /// The server has not run long enough for its counters to tell.
    ///
    /// **Costs.** A server that has just started opens its tables and reads its pages for the
    /// first time: counters look worse than they are, and no rule of rates speaks.
    /// **Wrong when.** Two samples of the counters under load are given: these are used.
    /// **Verify.** A second sample, ten seconds later or more, or one after an hour.
    /// **Source.** Our choice: an hour for rates, a day for what is little used.
    Variables "VAR000" "uptime-short"
}

/// Statements from which on there was a load that rules would have judged.
const LOAD: u64 = 1_000;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let rates = case.rates().filter(|rates| rates.is_short())?;
    let statements = rates.grown("questions").or_else(|| rates.grown("queries"))?;
    if statements < LOAD {
        return None;
    }
    let title =
        format!("The uptime of {} s is too short for rates: they are not judged", rates.seconds());
    Some(
        say(case, &RULE, Severity::Info, Confidence::Low, title)
            .seen("questions", statements)
            .over(&rates)
            .verify("Run again with two --status files, or an hour after the start.")
            .end(),
    )
}
