//! The query cache: what it would do, or does, for a log, and what that says of its settings.
//!
//! [`Recorder`] makes a [`trace`] of the events of a log, [`order`](self) puts it in the order of time, and
//! [`simulator`] replays it at any size. The rules of the outcome are a file each.

mod case;
pub(crate) mod functions;
mod memory;
mod not_cacheable;
mod numbers;
mod off;
mod on_demand;
mod one_table_kills;
mod order;
mod recorder;
mod result_limit;
mod seldom_hit;
mod session;
pub mod settings;
pub mod simulator;
pub(super) mod statement;
mod steps;
mod text_variants;
mod too_small;
pub mod trace;

pub use case::Case;
pub use order::Order;
pub use recorder::Recorder;
pub use settings::{Settings, Type};
pub use simulator::{Outcome, Prediction, Simulation, Simulator};
pub use trace::{Engine, Log, Nothing, Tables};

use super::variables::query_cache as counted;
use super::{Finding, Rule};

/// A rule, and how it looks.
type Entry = (&'static Rule, fn(&Case<'_>) -> Vec<Finding>);

/// All rules of the query cache.
#[rustfmt::skip]
const RULES: &[Entry] = &[
    (&off::RULE,             off::read),
    (&on_demand::RULE,       on_demand::read),
    (&counted::seldom_hit::RULE, seldom_hit::read),
    (&counted::too_small::RULE,  too_small::read),
    (&result_limit::RULE,    result_limit::read),
    (&not_cacheable::RULE,   not_cacheable::read),
    (&text_variants::RULE,   text_variants::read),
    (&one_table_kills::RULE, one_table_kills::read),
];

/// All rules of the query cache, with the texts that people read.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|(rule, _)| *rule)
}

/// What a replayed log says of the query cache. What counters and variables say is told by the rules
/// of variables.
#[must_use]
pub fn advise(case: &Case<'_>) -> Vec<Finding> {
    RULES.iter().flat_map(|(_, rule)| rule(case)).collect()
}

/// Sizes of the curve, in mebibytes.
const CURVE: &[u64] = &[1, 4, 16, 64, 128];
/// The greatest of them, in bytes.
const WIDEST: u64 = 128 << 20;

/// What is said of a server without a query cache.
const REMOVED: &str = "this server has no query cache (MySQL removed it in 8.0); what stands in its place is a cache in \
                       the application";

/// What the replay of a log gives.
#[derive(Debug)]
pub struct Simulated {
    /// The settings of the server.
    pub settings: Settings,
    /// The log.
    pub log: Log,
    /// How the order of statements was told.
    pub order: Order,
    /// Whether what follows is known; else why not.
    pub refused: Option<String>,
    /// The sizes asked for; the present one first, where the cache is on.
    pub sizes: Vec<Simulation>,
    /// What other sizes would give, smallest first.
    pub curve: Vec<Point>,
    /// What the greatest of these gives, whole.
    pub widest: Option<Outcome>,
    /// Which of `sizes` is the present one.
    pub has_present: bool,
    /// What the cache gives if a few classes alone use it, where the others spoil it.
    pub on_demand: Option<OnDemand>,
}

/// A cache that a few classes use.
#[derive(Debug)]
pub struct OnDemand {
    /// Their places among the classes of the log, those first that save most.
    pub classes: Vec<usize>,
    /// What they get at the least size that gives nearly all.
    pub outcome: Outcome,
}

impl Simulated {
    /// Microseconds that the SELECTs took, or would have taken without a cache.
    #[must_use]
    pub fn read_micros(&self) -> u64 {
        self.with_case(|case| case.load().map_or(0, |load| load.read_micros))
    }

    /// Whether the log has most statements below the threshold that the server states: it is taken
    /// as one of all statements.
    #[must_use]
    pub fn contradicts_threshold(&self) -> bool {
        let threshold = self.settings.threshold.filter(|it| *it > 0);
        threshold.is_some_and(|it| is_contradicted(&self.log, &self.settings, it))
    }

    /// Whether the cache pays, or would; else why not.
    pub fn verdict(&self) -> Result<(), String> {
        self.with_case(|case| match case.any() {
            Some(outcome) => off::pays(case, outcome),
            None => Err("nothing was replayed".to_owned()),
        })
    }

    /// What a few classes get of the cache, where that pays and a cache for all does not.
    #[must_use]
    pub fn pays_on_demand(&self) -> Option<&OnDemand> {
        let on_demand = self.on_demand.as_ref()?;
        let pays = self.with_case(|case| off::pays(case, &on_demand.outcome).is_ok());
        (pays && self.verdict().is_err()).then_some(on_demand)
    }

    fn with_case<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> T {
        look(&Case { settings: &self.settings, simulated: self, cores: None })
    }
}

/// One size of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Bytes of the cache.
    pub size: u64,
    /// Answered by the cache.
    pub hits: u64,
    /// Results that went for want of memory.
    pub prunes: u64,
    /// Microseconds saved.
    pub saved_micros: u64,
}

/// Replays a log at the present size, where the cache is on, and at those asked for.
pub fn simulate(log: Log, settings: Settings, asked: &[u64], predicts: bool) -> Simulated {
    let mut sizes: Vec<u64> = settings.present_size().into_iter().collect();
    let has_present = !sizes.is_empty();
    for size in asked {
        if !sizes.contains(size) {
            sizes.push(*size);
        }
    }
    let refused = refusal(&log, &settings);
    if refused.is_some() || !settings.has_cache() {
        // A server without such a cache may still have repeats that another one would answer.
        let widest = refused.is_none().then(|| Simulator::new(&log, &settings).once(WIDEST));
        let refused = refused.or_else(|| Some(REMOVED.to_owned()));
        let order = Order::Serial;
        let (sizes, curve) = (Vec::new(), Vec::new());
        return Simulated {
            settings,
            log,
            order,
            refused,
            sizes,
            curve,
            widest,
            has_present: false,
            on_demand: None,
        };
    }
    let simulator = Simulator::new(&log, &settings);
    let order = simulator.order();
    let mut predicts = predicts;
    let runs: Vec<Simulation> =
        sizes.iter().map(|size| simulator.run(*size, std::mem::take(&mut predicts))).collect();
    let (curve, widest) = curve(&simulator);
    let on_demand = widest.as_ref().and_then(|widest| on_demand(&simulator, &log, widest));
    drop(simulator);
    Simulated { settings, log, order, refused, sizes: runs, curve, widest, has_present, on_demand }
}

/// What a cache for a few classes gives, where most results of all classes go unused and a few
/// classes have nearly all that it saves.
fn on_demand(simulator: &Simulator<'_>, log: &Log, widest: &Outcome) -> Option<OnDemand> {
    if !case::is_share(widest.unused, widest.inserts, off::MOST_UNUSED) {
        return None;
    }
    let classes = on_demand::few_classes(log, widest)?;
    let mut asks = vec![false; log.classes.len()];
    classes.iter().for_each(|class| {
        asks.iter_mut().skip(*class).take(1).for_each(|asks| *asks = true);
    });
    let sizes: Vec<u64> = CURVE.iter().map(|mebibytes| mebibytes << 20).collect();
    let outcomes = simulator.on_demand(&asks, &sizes);
    let most = outcomes.iter().map(|it| it.saved_micros).max()?;
    let is_enough = |it: &Outcome| case::is_share(it.saved_micros, most, 95);
    let outcome = outcomes.into_iter().find(is_enough)?;
    Some(OnDemand { classes, outcome })
}

/// The greatest size is replayed first: smaller ones that hold all of it give the same.
fn curve(simulator: &Simulator<'_>) -> (Vec<Point>, Option<Outcome>) {
    let mut points: Vec<Point> = Vec::new();
    let mut whole: Option<Outcome> = None;
    let mut widest = None;
    for mebibytes in CURVE.iter().rev() {
        let size = mebibytes << 20;
        let fits = whole.as_ref().filter(|it| it.prunes == 0 && it.peak + (1 << 16) < size);
        let outcome = match fits {
            Some(same) => same.clone(),
            None => simulator.once(size),
        };
        points.push(Point {
            size,
            hits: outcome.hits,
            prunes: outcome.prunes,
            saved_micros: outcome.saved_micros,
        });
        if widest.is_none() {
            widest = Some(outcome.clone());
        }
        whole = Some(outcome);
    }
    points.reverse();
    (points, widest)
}

/// Why a log does not tell what the cache does.
fn refusal(log: &Log, settings: &Settings) -> Option<String> {
    /// Microseconds that a log without threshold has statements below.
    const QUICK: u64 = 10_000;
    const FEW: usize = 20;
    let is_kept = |threshold: &u64| *threshold > 0 && !is_contradicted(log, settings, *threshold);
    if let Some(threshold) = settings.threshold.filter(is_kept) {
        return Some(format!(
            "statements below {} s are not in the log, and the hits and writes that decide are mostly such; \
             set long_query_time = 0 for a while",
            seconds(threshold)
        ));
    }
    if let Some(reason) = settings.is_filtered {
        return Some(reason.to_owned());
    }
    if let Some(rate) = log.rate_limit.filter(|rate| *rate > 1) {
        return Some(format!(
            "the log has one of {rate} statements: repeats and writes are missing"
        ));
    }
    let is_cut = settings.threshold.is_none()
        && log.traces.len() >= FEW
        && log.least_micros.is_some_and(|least| least >= QUICK);
    if is_cut {
        return Some(format!(
            "no statement below {} s is in the log: it was written above a threshold, and the hits and writes that \
             decide are mostly below",
            seconds(log.least_micros.unwrap_or(0))
        ));
    }
    if settings.is_on() && !settings.is_mariadb() && !log.tells_hits {
        return Some(
            "the cache was on, and MySQL does not log what it answers: the log shows misses only; log with \
             query_cache_type = 0 for a while"
                .to_owned(),
        );
    }
    None
}

/// Whether a log contradicts the threshold that the server states: most of its statements are below,
/// and not because those without an index are logged whatever they take.
fn is_contradicted(log: &Log, settings: &Settings, threshold: u64) -> bool {
    let below = log.traces.iter().filter(|trace| trace.micros < threshold).count();
    settings.logs_unindexed != Some(true) && below > log.traces.len() / 2
}

/// Microseconds as seconds, without zeros at the end.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
