//! A cache that seldom answers.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::case::{Case, bytes, close, finding, is_share, percent, seconds, seen, set, word};
use super::off::pays;

rule! {
    /// The query cache is on and seldom answers.
    ///
    /// **Costs.** Each SELECT is looked up and stored, and each write looks for results to drop, all
    /// under one lock. What is stored and dropped before anyone asks for it is work for nothing.
    /// **Wrong when.** The few hits are of statements that take long; a replay of a log shows it.
    /// **Verify.** Statements a second and CPU, before and after.
    /// **Source.** MySQL 5.7 manual, query cache status and maintenance.
    QueryCache "QC003" "query-cache-seldom-hits"
}

/// Least share of lookups that has to be answered, in percent.
const MIN_HITS: u64 = 20;
/// Share of the time of reading that makes up for it, in percent.
const MIN_SAVED: u64 = 20;
/// Lookups below which a share says little.
const MIN_LOOKUPS: u64 = 100_000;
/// A day: what came before may be the start of the server.
const MIN_UPTIME: u64 = 86_400;
/// Lookups of a replayed log below which a share says little.
const MIN_SELECTS: u64 = 1_000;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let settings = case.settings;
    if !settings.is_on() {
        return Vec::new();
    }
    let saves_much = match (case.present(), case.load()) {
        (Some(outcome), Some(load)) => is_share(outcome.saved_micros, load.read_micros, MIN_SAVED),
        _ => false,
    };
    if saves_much || pays_when_larger(case) {
        return Vec::new();
    }
    let found = counted(case).or_else(|| replayed(case));
    let Some(mut finding) = found else { return Vec::new() };
    finding.recommendation.text = "Switch the query cache off, by both variables: with the type OFF from the start the server \
         does not even take its lock. If a few statements are worth it, let the application keep their results."
        .to_owned();
    set(&mut finding, "query_cache_type", settings.kind_word(), word("OFF"), false);
    set(&mut finding, "query_cache_size", settings.size.map(bytes), bytes(0), false);
    finding.verify =
        "Statements a second and CPU at the same hour of the day, before and after.".to_owned();
    vec![close(finding)]
}

/// Whether a larger one would be worth keeping: then it is too small, which is another rule's.
fn pays_when_larger(case: &Case<'_>) -> bool {
    let Some(simulated) = case.replayed() else { return false };
    let is_small = case.knee().map(|it| it.size) > case.settings.present_size();
    is_small && simulated.widest.as_ref().is_some_and(|outcome| pays(case, outcome).is_ok())
}

/// By the counters of the server.
fn counted(case: &Case<'_>) -> Option<Finding> {
    let window = case.window()?;
    let (hits, lookups) = case.lookups(&window)?;
    let inserts = window.grown("qcache_inserts")?;
    if case.status.uptime()? < MIN_UPTIME || lookups < MIN_LOOKUPS {
        return None;
    }
    if is_share(hits, lookups, MIN_HITS) && inserts <= hits {
        return None;
    }
    let title = format!(
        "the query cache answers {} % of the SELECTs and stores {inserts} results for {hits} hits",
        percent(hits, lookups)
    );
    let mut finding = finding(&RULE, Severity::Medium, Confidence::High, title);
    seen(&mut finding, "qcache_hits", hits);
    seen(&mut finding, "lookups", lookups);
    seen(&mut finding, "qcache_inserts", inserts);
    seen(&mut finding, "window_seconds", window.seconds);
    Some(finding)
}

/// By the replay of a log, at the present size.
fn replayed(case: &Case<'_>) -> Option<Finding> {
    let (outcome, load) = (case.present()?, case.load()?);
    let simulated = case.replayed()?;
    let most = simulated.sizes.first()?.hits_high;
    if load.selects < MIN_SELECTS || is_share(most, load.selects, MIN_HITS) {
        return None;
    }
    let title = format!(
        "the query cache answers {} % of the SELECTs of this log and saves {} % of their time",
        percent(outcome.hits, load.selects),
        percent(outcome.saved_micros, load.read_micros)
    );
    let mut finding = finding(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "selects", load.selects);
    seen(&mut finding, "hits", outcome.hits);
    seen(&mut finding, "results_stored", outcome.inserts);
    seen(&mut finding, "results_dropped", outcome.dropped);
    finding.evidence.push(Fact::number("seconds_saved", seconds(outcome.saved_micros)));
    Some(finding)
}
