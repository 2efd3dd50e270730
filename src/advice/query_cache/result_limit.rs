//! Results that the limit keeps out.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::case::{Case, bytes, close, is_share, saves, seconds, seen, set, shown};

rule! {
    /// Results above query_cache_limit come again and again and are run each time.
    ///
    /// **Costs.** The result is written into the cache up to the limit, others go for it, and then it is
    /// given up: worse than no cache.
    /// **Wrong when.** The results have megabytes: a narrower SELECT or a LIMIT helps more than memory.
    /// **Verify.** Qcache_not_cached a second falls.
    /// **Source.** MySQL 5.7 manual, query_cache_limit; measured on MariaDB 10.11.
    QueryCache "QC008" "results-above-cache-limit"
}

/// Share of what could be saved that is lost, in percent.
const MIN_LOST: u64 = 10;
/// The greatest limit that is proposed.
const MOST: u64 = 4 << 20;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(outcome), Some(load)) = (case.present(), case.load()) else { return Vec::new() };
    let whole = outcome.saved_micros.saturating_add(outcome.lost_micros);
    let limit = case.settings.limit;
    let to = outcome.oversize_bytes.checked_next_power_of_two().unwrap_or(u64::MAX);
    let fits = to > limit && to <= MOST && to < outcome.size / 4;
    if !fits || !is_share(outcome.lost_micros, whole, MIN_LOST) {
        return Vec::new();
    }
    let title = format!(
        "{} results are above query_cache_limit of {} and were run again",
        outcome.oversize,
        shown(limit)
    );
    let mut finding = Finding::new(&RULE, Severity::Low, Confidence::Medium, title);
    seen(&mut finding, "results_above_limit", outcome.oversize);
    seen(&mut finding, "largest_bytes", outcome.oversize_bytes);
    finding.evidence.push(Fact::number("seconds_lost", seconds(outcome.lost_micros)));
    saves(&mut finding, outcome.lost_micros, load);
    finding.recommendation.text = format!(
        "Raise the limit to {}, or let these statements send fewer columns and rows, which helps without a cache too.",
        shown(to)
    );
    set(&mut finding, "query_cache_limit", Some(bytes(limit)), bytes(to), false);
    finding.verify =
        "Qcache_not_cached a second falls; replay a log with the new limit.".to_owned();
    vec![close(finding)]
}
