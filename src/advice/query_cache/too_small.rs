//! A cache that is too small.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, bytes, close, finding, is_share, percent, seen, set, shown};

rule! {
    /// The query cache drops results for want of memory that would have been asked for.
    ///
    /// **Costs.** A small result takes a kilobyte at least: 1 MiB holds about a thousand of them. What is
    /// pruned is run again.
    /// **Wrong when.** Memory is free and in fragments (query-cache-fragmented), or the results that
    /// go are never asked for.
    /// **Verify.** Qcache_lowmem_prunes a second falls, Qcache_hits a second rises.
    /// **Source.** MySQL 5.7 manual, query cache status and maintenance; measured on MariaDB 10.11.
    QueryCache "QC006" "query-cache-too-small"
}

/// Results that go for each hundred stored.
const MIN_PRUNES: u64 = 20;
/// Memory that is free where it is not too small, in percent.
const FREE: u64 = 20;
/// Above this size more memory is no help.
const LARGE: u64 = 64 << 20;
/// Share of lookups that has to be answered for the cache to be worth more memory, in percent.
const MIN_HITS: u64 = 20;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let Some(size) = case.settings.present_size().filter(|size| *size < LARGE) else {
        return Vec::new();
    };
    let Some(mut finding) = replayed(case, size).or_else(|| counted(case, size)) else {
        return Vec::new();
    };
    let knee = case.knee().map(|it| it.size).filter(|knee| *knee > size);
    let to = knee.unwrap_or(size.saturating_mul(4)).min(LARGE);
    finding.recommendation.text = match knee {
        Some(_) => format!(
            "Make it {}: the least size that saves 95 % of what any does for this log. Resizing empties the cache.",
            shown(to)
        ),
        None => format!(
            "Make it {}, four times as much, and look again after an hour. Resizing empties the cache.",
            shown(to)
        ),
    };
    set(&mut finding, "query_cache_size", Some(bytes(size)), bytes(to), false);
    finding.verify =
        "Qcache_lowmem_prunes a second falls and Qcache_hits a second rises.".to_owned();
    vec![close(finding)]
}

/// By the replay of a log: a larger one saves a fifth more.
fn replayed(case: &Case<'_>, size: u64) -> Option<Finding> {
    let (outcome, knee) = (case.present()?, case.knee()?);
    let is_pruned = is_share(outcome.prunes, outcome.inserts, MIN_PRUNES);
    let saves_more = u128::from(knee.saved_micros) * 5 >= u128::from(outcome.saved_micros) * 6;
    if !is_pruned || !saves_more || knee.size <= size {
        return None;
    }
    let title = format!(
        "the query cache of {} drops {} of {} results for want of memory",
        shown(size),
        outcome.prunes,
        outcome.inserts
    );
    let mut finding = finding(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "hits", outcome.hits);
    seen(&mut finding, "hits_with_the_size_proposed", knee.hits);
    seen(&mut finding, "prunes", outcome.prunes);
    seen(&mut finding, "results_stored", outcome.inserts);
    let load = case.load()?;
    let gained = knee.saved_micros.saturating_sub(outcome.saved_micros);
    super::case::saves(&mut finding, gained, load.read_micros);
    Some(finding)
}

/// By the counters of the server.
fn counted(case: &Case<'_>, size: u64) -> Option<Finding> {
    let window = case.window()?;
    let prunes = window.grown("qcache_lowmem_prunes")?;
    let inserts = window.grown("qcache_inserts")?;
    let free = case.status.count("qcache_free_memory")?;
    let (hits, lookups) = case.lookups(&window)?;
    let is_full = !is_share(free, size, FREE);
    if !is_full || !is_share(prunes, inserts, MIN_PRUNES) || !is_share(hits, lookups, MIN_HITS) {
        return None;
    }
    let title = format!(
        "the query cache of {} drops {} results for want of memory for each 100 that it stores",
        shown(size),
        percent(prunes, inserts)
    );
    let mut finding = finding(&RULE, Severity::Medium, Confidence::High, title);
    seen(&mut finding, "qcache_lowmem_prunes", prunes);
    seen(&mut finding, "qcache_inserts", inserts);
    seen(&mut finding, "qcache_free_memory", free);
    seen(&mut finding, "qcache_hits", hits);
    seen(&mut finding, "window_seconds", window.seconds);
    Some(finding)
}
