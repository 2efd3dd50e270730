//! How many statements run at once.

use crate::advice::Finding;
use crate::advice::rule::rule;

use super::case::Case;

rule! {
    /// Far more statements run at once than there are cores, again and again.
    ///
    /// **Costs.** They hinder each other: throughput falls as load rises.
    /// **Wrong when.** They wait for locks, not for processors.
    /// **Verify.** Threads_running over time.
    /// **Source.** MariaDB, thread pool; providers have a mark of their own
    /// (rds_threads_running_high_watermark).
    Variables "VAR035" "too-many-run-at-once"
}

/// A pair of samples of the counters shows two moments; the rule asks for ten.
pub fn read(_: &Case<'_>) -> Option<Finding> {
    None
}
