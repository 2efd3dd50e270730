//! A cache in fragments.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, bytes, close, finding, is_share, seen, set};

rule! {
    /// The query cache drops results though it has memory: it is in pieces too small.
    ///
    /// **Costs.** Results go that would fit, and each search for a piece takes longer.
    /// **Wrong when.** The cache is younger than an hour.
    /// **Verify.** Qcache_free_blocks falls, and Qcache_lowmem_prunes a second.
    /// **Source.** MySQL 5.7 manual, query_cache_min_res_unit, FLUSH QUERY CACHE.
    QueryCache "QC007" "query-cache-fragmented"
}

/// Memory that is free, in percent.
const FREE: u64 = 20;
/// The server's own value.
const UNIT: u64 = 4096;
const HOUR: u64 = 3600;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    fragments(case).into_iter().collect()
}

fn fragments(case: &Case<'_>) -> Option<Finding> {
    let size = case.settings.present_size()?;
    let window = case.window()?;
    let prunes = window.grown("qcache_lowmem_prunes")?;
    let count = |name| case.status.count(name);
    let free = count("qcache_free_memory")?;
    let (free_blocks, blocks) = (count("qcache_free_blocks")?, count("qcache_total_blocks")?);
    let is_old = case.status.uptime()? >= HOUR;
    let is_pruned = prunes >= window.seconds;
    if !is_old || !is_pruned || !is_share(free, size, FREE) || free_blocks <= blocks / 4 {
        return None;
    }
    let title = format!(
        "the query cache drops {} results a second with {} of {} bytes free, in {free_blocks} pieces",
        prunes / window.seconds,
        free,
        size
    );
    let mut finding = finding(&RULE, Severity::Low, Confidence::High, title);
    seen(&mut finding, "qcache_free_memory", free);
    seen(&mut finding, "qcache_free_blocks", free_blocks);
    seen(&mut finding, "qcache_total_blocks", blocks);
    seen(&mut finding, "qcache_lowmem_prunes", prunes);
    seen(&mut finding, "window_seconds", window.seconds);
    finding.recommendation.text =
        "Run FLUSH QUERY CACHE at a quiet hour: it joins the pieces and keeps the results."
            .to_owned();
    let mean = size.saturating_sub(free).checked_div(count("qcache_queries_in_cache")?)?;
    let unit = mean.next_power_of_two().clamp(512, UNIT);
    if unit < case.settings.min_res_unit {
        finding.recommendation.text.push_str(&format!(
            " A result takes {mean} bytes on average, so ask for memory in smaller units."
        ));
        let from = Some(bytes(case.settings.min_res_unit));
        set(&mut finding, "query_cache_min_res_unit", from, bytes(unit), false);
    }
    finding.verify = "Qcache_free_blocks falls, and Qcache_lowmem_prunes a second.".to_owned();
    Some(close(finding))
}
