//! A cache that is too small.

use crate::advice::variables::query_cache::too_small::RULE;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, bytes, close, is_share, seen, set, shown};

/// Results that go for each hundred stored.
const MIN_PRUNES: u64 = 20;
/// Above this size more memory is no help.
const LARGE: u64 = 64 << 20;
pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let Some(size) = case.settings.present_size().filter(|size| *size < LARGE) else {
        return Vec::new();
    };
    let Some(mut finding) = replayed(case, size) else {
        return Vec::new();
    };
    let to = case.knee().map_or(size, |knee| knee.size).min(LARGE);
    finding.recommendation.text = format!(
        "Make it {}: the least size that saves 95 % of what any does for this log. Resizing empties the cache.",
        shown(to)
    );
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
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "hits", outcome.hits);
    seen(&mut finding, "hits_with_the_size_proposed", knee.hits);
    seen(&mut finding, "prunes", outcome.prunes);
    seen(&mut finding, "results_stored", outcome.inserts);
    let load = case.load()?;
    let gained = knee.saved_micros.saturating_sub(outcome.saved_micros);
    super::case::saves(&mut finding, gained, load);
    Some(finding)
}
