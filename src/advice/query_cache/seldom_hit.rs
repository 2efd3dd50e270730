//! A cache that seldom answers.

use crate::advice::variables::query_cache::seldom_hit::RULE;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::case::{Case, bytes, close, is_share, percent, seconds, seen, set, word};
use super::off::pays;

/// Least share of lookups that has to be answered, in percent.
const MIN_HITS: u64 = 20;
/// Lookups of a replayed log below which a share says little.
const MIN_SELECTS: u64 = 1_000;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let settings = case.settings;
    if !settings.is_on() {
        return Vec::new();
    }
    if case.saves_much() || pays_when_larger(case) {
        return Vec::new();
    }
    let found = replayed(case);
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
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "selects", load.selects);
    seen(&mut finding, "hits", outcome.hits);
    seen(&mut finding, "results_stored", outcome.inserts);
    seen(&mut finding, "results_dropped", outcome.dropped);
    finding.evidence.push(Fact::number("seconds_saved", seconds(outcome.saved_micros)));
    Some(finding)
}
