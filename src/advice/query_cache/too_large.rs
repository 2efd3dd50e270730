//! A cache that is too large.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, bytes, close, finding, seen, set, shown};

rule! {
    /// The query cache is so large that its lock is held long.
    ///
    /// **Costs.** Dropping and pruning results holds the lock for as long as there are results, and
    /// a large cache breaks into fragments.
    /// **Wrong when.** The cache is off: the size takes no lock then.
    /// **Verify.** The states of the query cache in SHOW PROCESSLIST, Qcache_hits a second.
    /// **Source.** MySQL 5.7 manual, query cache configuration: be cautious about sizes of more than tens of megabytes.
    QueryCache "QC005" "query-cache-too-large"
}

/// Bytes from which on it is too large, and much too large.
const LARGE: u64 = 128 << 20;
const HUGE: u64 = 256 << 20;
/// What is enough.
const ENOUGH: u64 = 64 << 20;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let Some(size) = case.settings.present_size().filter(|size| *size > LARGE) else {
        return Vec::new();
    };
    let severity = if size > HUGE { Severity::High } else { Severity::Medium };
    let title = format!("the query cache has {}", shown(size));
    let mut finding = finding(&RULE, severity, Confidence::High, title);
    seen(&mut finding, "query_cache_size", size);
    let knee = case.knee().map(|point| point.size).filter(|knee| *knee < ENOUGH);
    let to = knee.unwrap_or(ENOUGH);
    finding.recommendation.text = match knee {
        Some(knee) => format!(
            "Make it {}: that saves at least 95 % of what any size does for this log.",
            shown(knee)
        ),
        None => format!("Make it {} at most.", shown(ENOUGH)),
    };
    finding.recommendation.text.push_str(" Resizing empties the cache: do it at a quiet hour.");
    set(&mut finding, "query_cache_size", Some(bytes(size)), bytes(to), false);
    finding.verify =
        "Qcache_hits a second stays, and SHOW PROCESSLIST shows fewer states of the query cache."
            .to_owned();
    vec![close(finding)]
}
