//! Where the slow log goes.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// The slow log goes into a table.
    ///
    /// **Costs.** Each entry takes a lock on a CSV table, which has no microseconds in old
    /// versions and no index.
    /// **Wrong when.** A provider gives no access to files.
    /// **Verify.** Entries come in the file.
    /// **Source.** MySQL manual, selecting log output destinations.
    Variables "VAR032" "slow-log-in-table"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let output = case.text("log_output")?;
    let is_table = output.split(',').any(|it| it.trim().eq_ignore_ascii_case("TABLE"));
    let is_on = ["slow_query_log", "log_slow_query", "log_slow_queries"]
        .iter()
        .find_map(|it| case.flag(it));
    if !is_table || is_on != Some(true) || case.provider.is_some() {
        return None;
    }
    Some(
        say(case, &RULE, Severity::Low, Confidence::High, "the slow log goes into a table")
            .about("log_output")
            .advise(
                "FILE costs less and keeps what the table leaves out (log_slow_extra, sampling).",
            )
            .set("log_output", word("FILE"), When::Now)
            .verify("Entries come in the file that slow_query_log_file names.")
            .end(),
    )
}
