//! A cache that a few classes gain from.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};

use super::Simulated;
use super::case::{Case, bytes, close, is_share, percent, saves, seconds, seen, set, shown, word};
use super::off::{pays, top_classes};
use super::settings::Type;
use super::simulator::Outcome;
use super::trace::{Class, Log};

rule! {
    /// Nearly all that the query cache saves it saves for a few classes.
    ///
    /// **Costs.** Every other SELECT is looked up, stored and dropped for nothing, under the one lock of
    /// the cache.
    /// Where that is most of what it does, a cache for all does not pay, and one for a few may.
    /// **Wrong when.** The text of the statements is out of reach: SQL_CACHE has to stand in them.
    /// **Verify.** Qcache_inserts falls and Qcache_hits stays.
    /// **Source.** MySQL 5.7 manual, query_cache_type = DEMAND.
    QueryCache "QC002" "query-cache-for-all"
}

/// Classes that are few.
const FEW: usize = 5;
/// Share of what is saved that they have to have, in percent.
const MOST_OF_IT: u64 = 80;
/// Share of it that is nearly all.
const NEARLY_ALL: u64 = 95;
/// Classes of SELECTs from which on it is worth a change of their texts.
const MANY: usize = 10;

/// The few classes that have most of what a cache saves, most first; `None` where they are not few
/// among many.
pub fn few_classes(log: &Log, outcome: &Outcome) -> Option<Vec<usize>> {
    let is_cached = |it: &&Class| it.is_select && it.refusal.is_none();
    if log.classes.iter().filter(is_cached).count() < MANY {
        return None;
    }
    let saved = outcome.classes.iter().enumerate().map(|(class, (_, micros))| (class, *micros));
    let mut saved: Vec<(usize, u64)> = saved.filter(|(_, micros)| *micros > 0).collect();
    saved.sort_by_key(|(class, micros)| (std::cmp::Reverse(*micros), *class));
    // Classes beyond those that have nearly all would only fill the cache.
    let mut sum = 0_u64;
    let enough = saved.iter().position(|(_, micros)| {
        sum = sum.saturating_add(*micros);
        is_share(sum, outcome.saved_micros, NEARLY_ALL)
    });
    saved.truncate(enough.map_or(FEW, |last| last + 1).min(FEW));
    let few: u64 = saved.iter().map(|(_, micros)| micros).sum();
    is_share(few, outcome.saved_micros, MOST_OF_IT)
        .then(|| saved.into_iter().map(|(class, _)| class).collect())
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(simulated), Some(outcome)) = (case.replayed(), case.any()) else { return Vec::new() };
    let settings = case.settings;
    let may_be_on = settings.has_cache() && settings.kind.is_some_and(|kind| kind != Type::Demand);
    if !may_be_on || outcome.saved_micros == 0 {
        return Vec::new();
    }
    let told = match pays(case, outcome) {
        Ok(()) => rather(case, outcome),
        Err(_) => alone(case, simulated),
    };
    told.into_iter().collect()
}

/// A cache that pays for all classes would pay as well for a few.
fn rather(case: &Case<'_>, outcome: &Outcome) -> Option<Finding> {
    let log = &case.replayed()?.log;
    let few = few_classes(log, outcome)?;
    let classes = log.classes.iter().filter(|it| it.is_select && it.refusal.is_none()).count();
    let saved = few.iter().filter_map(|class| outcome.classes.get(*class)).map(|(_, it)| *it);
    let title = format!(
        "{} of {classes} classes of SELECTs have {} % of what the query cache saves",
        few.len(),
        percent(saved.sum(), outcome.saved_micros)
    );
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "classes", classes as u64);
    seen(&mut finding, "results_stored", outcome.inserts);
    seen(&mut finding, "results_gone_unused", outcome.unused);
    finding.recommendation.text = format!("{HOW} Change the statements first, the variable then.");
    finding.verify = VERIFY.to_owned();
    finding.queries = top_classes(case, outcome, FEW);
    Some(finding)
}

const HOW: &str = "Where the statements can be changed: write SELECT SQL_CACHE in these classes and set \
                   query_cache_type = DEMAND, so that all others pass the cache by.";
const VERIFY: &str = "Qcache_inserts a second falls, Qcache_hits a second stays.";

/// A cache for all classes does not pay, and one for a few does.
fn alone(case: &Case<'_>, simulated: &Simulated) -> Option<Finding> {
    let on_demand = simulated.pays_on_demand()?;
    let (outcome, load) = (&on_demand.outcome, case.load()?);
    let count = on_demand.classes.len();
    let title = format!(
        "a query cache for {count} {} would answer {} % of the SELECTs, with {} % of their time; the others \
         would only fill it",
        if count == 1 { "class" } else { "classes" },
        percent(outcome.hits, load.selects),
        percent(outcome.saved_micros, load.read_micros)
    );
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "hits", outcome.hits);
    finding.evidence.push(Fact::number("seconds_saved", seconds(outcome.saved_micros)));
    seen(&mut finding, "results_stored", outcome.inserts);
    seen(&mut finding, "results_gone_unused", outcome.unused);
    saves(&mut finding, outcome.saved_micros, load);
    finding.verify = VERIFY.to_owned();
    let ids = on_demand.classes.iter().filter_map(|class| simulated.log.classes.get(*class));
    finding.queries = ids.map(|class| class.id).collect();
    if simulated.log.left_out > 0 {
        finding.recommendation.text = format!(
            "{HOW} The log has more than is kept for a replay, and what is left out may drop these results: replay \
             another part of it before anything is changed."
        );
        return Some(finding);
    }
    let settings = case.settings;
    finding.recommendation.text = format!(
        "{HOW} {} holds nearly all of it. Change the statements first, the variables then; an index that makes \
         them fast is the better remedy where there is one.",
        shown(outcome.size)
    );
    // MySQL takes no memory or lock for a cache that it was started without.
    let restart = !settings.is_mariadb() && !settings.is_on();
    if !settings.is_on() {
        let size = settings.size.map(bytes);
        set(&mut finding, "query_cache_size", size, bytes(outcome.size), restart);
    }
    set(&mut finding, "query_cache_type", settings.kind_word(), word("DEMAND"), restart);
    Some(close(finding))
}
