//! A cache that a few classes gain from.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, finding, is_share, percent, seen};
use super::off::{pays, top_classes};
use super::settings::Type;

rule! {
    /// Nearly all that the query cache saves it saves for a few classes.
    ///
    /// **Costs.** Every other SELECT is looked up, stored and dropped for nothing, under the one lock of
    /// the cache.
    /// **Wrong when.** The text of the statements is out of reach: SQL_CACHE has to stand in them.
    /// **Verify.** Qcache_inserts falls and Qcache_hits stays.
    /// **Source.** MySQL 5.7 manual, query_cache_type = DEMAND.
    QueryCache "QC002" "query-cache-for-all"
}

/// Classes that are few.
const FEW: usize = 5;
/// Share of what is saved that they have to have, in percent.
const MOST_OF_IT: u64 = 80;
/// Classes of SELECTs from which on it is worth a change of their texts.
const MANY: usize = 10;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(simulated), Some(outcome)) = (case.replayed(), case.any()) else { return Vec::new() };
    let settings = case.settings;
    let may_be_on = settings.has_cache() && settings.kind.is_some_and(|kind| kind != Type::Demand);
    if !may_be_on || outcome.saved_micros == 0 || pays(case, outcome).is_err() {
        return Vec::new();
    }
    let classes = simulated.log.classes.iter().filter(|it| it.is_select && it.refusal.is_none());
    let classes = classes.count();
    let mut saved: Vec<u64> = outcome.classes.iter().map(|(_, micros)| *micros).collect();
    saved.sort_unstable_by_key(|micros| std::cmp::Reverse(*micros));
    let few: u64 = saved.iter().take(FEW).sum();
    if classes < MANY || !is_share(few, outcome.saved_micros, MOST_OF_IT) {
        return Vec::new();
    }
    let title = format!(
        "{FEW} of {classes} classes of SELECTs have {} % of what the query cache saves",
        percent(few, outcome.saved_micros)
    );
    let mut finding = finding(&RULE, Severity::Low, Confidence::Medium, title);
    seen(&mut finding, "classes", classes as u64);
    seen(&mut finding, "results_stored", outcome.inserts);
    seen(&mut finding, "results_gone_unused", outcome.unused);
    finding.recommendation.text =
        "Where the statements can be changed: write SELECT SQL_CACHE in these classes and set query_cache_type = DEMAND, so \
         that all others pass the cache by. Change the statements first, the variable then."
            .to_owned();
    finding.verify = "Qcache_inserts a second falls, Qcache_hits a second stays.".to_owned();
    finding.queries = top_classes(case, outcome, FEW);
    vec![finding]
}
