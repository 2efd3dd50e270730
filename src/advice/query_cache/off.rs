//! A cache that is off and would pay.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::Simulated;
use super::case::{
    Case, bytes, close, is_share, load_of, percent, saves, seconds, seen, set, shown, word,
};
use super::settings::LEAST;
use super::simulator::Outcome;

rule! {
    /// The query cache is off, and for this load it would save much of the time of reading.
    ///
    /// **Costs.** Statements that come again word for word are run again, though no table of theirs
    /// changed since. The log was replayed: what would have been answered from memory is known
    /// statement by statement.
    /// **Wrong when.** Many cores ask at once: one lock guards the cache, and beyond some thousands of
    /// lookups a second it costs more than it saves. The log is of a benchmark, or of a night without writes.
    /// MySQL 8 has no such cache.
    /// **Verify.** After an hour: Qcache_hits by Qcache_hits + Com_select (MariaDB: by Com_select),
    /// CPU and transactions a second before and after.
    /// **Source.** MySQL 5.7 manual, the query cache; measured on MariaDB 10.11 and 11.8.
    QueryCache "QC001" "query-cache-off"
}

/// Least share of the time of reading that has to be saved, in percent.
const MIN_SAVED: u64 = 20;
/// Most results that go before anybody asks for them again, in percent of those stored.
pub const MOST_UNUSED: u64 = 50;
/// Hits for each write that drops results, where such writes come more than once a second.
const HITS_PER_WRITE: u64 = 10;
/// The greatest size that is proposed.
const MOST: u64 = 128 << 20;

/// Whether a cache would pay, and why not.
pub fn pays(case: &Case<'_>, outcome: &Outcome) -> Result<(), String> {
    let load = case.load().ok_or("nothing was read")?;
    if !is_share(outcome.saved_micros, load.read_micros, MIN_SAVED) {
        return Err(format!(
            "it would save {} % of the time of reading, less than {MIN_SAVED} %",
            percent(outcome.saved_micros, load.read_micros)
        ));
    }
    if outcome.unused > 0 && !is_share(outcome.inserts, outcome.unused, 10_000 / MOST_UNUSED) {
        return Err(format!(
            "{} of {} results stored would go before anybody asks for them again",
            outcome.unused, outcome.inserts
        ));
    }
    let is_calm = outcome.invalidations <= load.seconds;
    if !is_calm && outcome.hits < outcome.invalidations.saturating_mul(HITS_PER_WRITE) {
        return Err(format!(
            "{} writes would drop results, {} hits for each",
            outcome.invalidations,
            outcome.hits / outcome.invalidations.max(1)
        ));
    }
    const MANY_CORES: u64 = 8;
    const MANY_LOOKUPS: u64 = 5_000;
    if case.cores.is_some_and(|cores| cores > MANY_CORES)
        && load.selects / load.seconds > MANY_LOOKUPS
    {
        return Err(format!(
            "{} lookups a second on more than {MANY_CORES} cores would wait for the one lock of the cache",
            load.selects / load.seconds
        ));
    }
    Ok(())
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let settings = case.settings;
    if !settings.has_cache() {
        return in_its_place(case).into_iter().collect();
    }
    let is_known_off = settings.kind.is_some() && !settings.is_on() && settings.has_cache();
    let Some(simulated) = case.replayed().filter(|it| is_known_off && !it.log.tells_hits) else {
        return Vec::new();
    };
    let (Some(outcome), Some(load), Some(knee)) = (&simulated.widest, case.load(), case.knee())
    else {
        return Vec::new();
    };
    if pays(case, outcome).is_err() || simulated.log.left_out > 0 {
        return Vec::new();
    }
    let size = knee.size.clamp(LEAST, MOST);
    let title = format!(
        "the query cache is off and would have answered {} % of the SELECTs, with {} % of their time",
        percent(knee.hits, load.selects),
        percent(knee.saved_micros, load.read_micros)
    );
    let mut finding = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
    seen(&mut finding, "selects", load.selects);
    seen(&mut finding, "hits", knee.hits);
    finding.evidence.push(crate::advice::Fact::number("seconds_saved", seconds(knee.saved_micros)));
    seen(&mut finding, "writes_that_drop_results", outcome.invalidations);
    seen(&mut finding, "results_dropped", outcome.dropped);
    seen(&mut finding, "results_gone_unused", outcome.unused);
    seen(&mut finding, "most_bytes_in_use", outcome.peak);
    saves(&mut finding, knee.saved_micros, load);
    finding.recommendation.text = format!(
        "Switch the query cache on with {}: that is the least size of 1, 4, 16, 64 and 128 MiB that gives 95 % of \
         what any gives for this log. Sessions that connect from then on use it.",
        shown(size)
    );
    // MySQL takes no memory or lock for a cache that it was started without.
    let restart = !settings.is_mariadb();
    if restart {
        finding.recommendation.text.push_str(
            " MySQL started with query_cache_type = 0 has to be started anew; from 5.7.20 on the cache is deprecated, so \
             plan for what follows it: a cache in the application.",
        );
    }
    set(&mut finding, "query_cache_size", settings.size.map(bytes), bytes(size), restart);
    set(&mut finding, "query_cache_type", settings.kind_word(), word("ON"), restart);
    finding.verify =
        "After an hour: Qcache_hits by Com_select (MySQL: by Qcache_hits + Com_select), and CPU and statements a second \
         against before."
            .to_owned();
    finding.queries = top_classes(case, outcome, 5);
    vec![close(finding)]
}

/// A server without a query cache: which repeats a cache in the application would answer.
fn in_its_place(case: &Case<'_>) -> Option<Finding> {
    let simulated = case.simulated;
    let outcome = simulated.widest.as_ref()?;
    let load = load_of(simulated);
    if !is_share(outcome.saved_micros, load.read_micros, MIN_SAVED) {
        return None;
    }
    let title = format!(
        "{} % of the SELECTs, with {} % of their time, repeat a statement whose tables did not change since",
        percent(outcome.hits, load.selects),
        percent(outcome.saved_micros, load.read_micros)
    );
    let mut finding = Finding::new(&RULE, Severity::Info, Confidence::Medium, title);
    seen(&mut finding, "selects", load.selects);
    seen(&mut finding, "repeats_without_a_change", outcome.hits);
    let saved = seconds(outcome.saved_micros);
    finding.evidence.push(crate::advice::Fact::number("seconds_saved", saved));
    finding.recommendation.text = "The server has no cache of results. A cache in the application, or a proxy with one, would \
         answer these: keep the results of the classes named, and let them go when their tables are written or after \
         some seconds."
        .to_owned();
    finding.verify = "Calls of these classes in a log taken afterwards.".to_owned();
    finding.queries = ranked(simulated, outcome, 5);
    Some(finding)
}

/// The classes that save most.
pub fn top_classes(
    case: &Case<'_>,
    outcome: &Outcome,
    most: usize,
) -> Vec<crate::sql::fingerprint::ClassId> {
    case.replayed().map_or_else(Vec::new, |simulated| ranked(simulated, outcome, most))
}

fn ranked(
    simulated: &Simulated,
    outcome: &Outcome,
    most: usize,
) -> Vec<crate::sql::fingerprint::ClassId> {
    let mut ranked: Vec<(u64, usize)> =
        outcome.classes.iter().enumerate().map(|(at, (_, micros))| (*micros, at)).collect();
    ranked.sort_by_key(|(micros, at)| (std::cmp::Reverse(*micros), *at));
    let saving = ranked.into_iter().filter(|(micros, _)| *micros > 0).take(most);
    saving.filter_map(|(_, at)| simulated.log.classes.get(at).map(|it| it.id)).collect()
}
