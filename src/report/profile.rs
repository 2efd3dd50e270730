//! Which classes are shown, in which order, and their shares: the only place where shares are
//! computed.

use crate::digest::Digest;
use crate::digest::class::{ClassDigest, quantity_kind};
use crate::digest::stat::{Rules, Stat, Totals};
use crate::metric::{self, MetricId};
use crate::sql::fingerprint::ClassId;
use crate::time::SECOND;

/// What of an attribute orders the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Function {
    /// Sum of its values.
    #[default]
    Sum,
    /// Its smallest value.
    Min,
    /// Its greatest value.
    Max,
    /// How often it came.
    Count,
}

/// `--order-by`: an attribute and what of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Name of the attribute, as the log spells it up to letter case.
    pub attribute: String,
    /// What of it.
    pub function: Function,
}

impl Default for Order {
    fn default() -> Order {
        Order { attribute: "Query_time".to_owned(), function: Function::Sum }
    }
}

/// `--limit`: how many classes are shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Until they make up this many percent of the ordered statistic.
    pub percent: Option<f64>,
    /// No more than this many.
    pub count: Option<usize>,
}

impl Default for Limit {
    fn default() -> Limit {
        Limit { percent: Some(95.0), count: Some(20) }
    }
}

/// `--outliers`: classes that are shown although they are past the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Outliers {
    /// Name of the attribute.
    pub attribute: String,
    /// Its 95 % is at least this many units as the log prints them.
    pub at_least: f64,
    /// It came at least this often.
    pub count: u64,
}

impl Default for Outliers {
    fn default() -> Outliers {
        Outliers { attribute: "Query_time".to_owned(), at_least: 1.0, count: 10 }
    }
}

/// Why a class is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It is within the limit.
    Top,
    /// It is past the limit, but slow and frequent.
    Outlier,
}

impl Why {
    /// One word for a narrow column.
    pub fn word(self) -> &'static str {
        match self {
            Why::Top => "top",
            Why::Outlier => "outlier",
        }
    }
}

/// A class that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its place in the digest.
    pub class: usize,
    /// Its rank among all classes, from 1.
    pub rank: usize,
    /// Why it is shown.
    pub why: Why,
}

/// Classes in order.
#[derive(Debug)]
pub struct Profile {
    /// Those that are shown.
    pub shown: Vec<Ranked>,
    /// Places of the others.
    pub rest: Vec<usize>,
}

/// Orders the classes and chooses those to show.
///
/// Greatest statistic first; ties by count, greatest first, then by query ID, least first, so
/// that neither threads nor the order of the input matter.
pub fn profile(
    digest: &Digest,
    order: &Order,
    limit: Limit,
    outliers: Option<&Outliers>,
    rules: Rules,
) -> Profile {
    let attribute = metric_of(digest, &order.attribute);
    let statistic = |class: &ClassDigest| {
        let totals = class.totals(&digest.places, attribute?)?;
        Some(match order.function {
            Function::Sum => totals.sum,
            Function::Min => totals.min,
            Function::Max => totals.max,
            Function::Count => i128::from(totals.count),
        })
    };
    let mut ranking: Vec<_> = digest
        .classes
        .iter()
        .enumerate()
        .map(|(place, class)| {
            (statistic(class), class.count, ClassId::of(&digest.keys[place]), place)
        })
        .collect();
    ranking.sort_unstable_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.cmp(&b.2)));
    let whole: i128 = ranking.iter().filter_map(|(value, ..)| *value).sum();
    let outlier =
        outliers.and_then(|outliers| Some((metric_of(digest, &outliers.attribute)?, outliers)));
    let mut profile = Profile { shown: Vec::new(), rest: Vec::new() };
    let mut running = 0;
    let mut within = true;
    for (place, (value, _, _, class)) in ranking.iter().enumerate() {
        let below = limit.percent.is_none_or(|percent| {
            // Where all times are zero no share says more than another.
            percent >= 100.0 || whole == 0 || (running as f64) < whole as f64 * percent / 100.0
        });
        within = within && below && limit.count.is_none_or(|count| place < count);
        running += value.unwrap_or(0);
        let is_outlier = || {
            outlier.as_ref().is_some_and(|(metric, outliers)| {
                is_outlier(digest, &digest.classes[*class], *metric, outliers, rules)
            })
        };
        let why = if within {
            Why::Top
        } else if is_outlier() {
            Why::Outlier
        } else {
            profile.rest.push(*class);
            continue;
        };
        profile.shown.push(Ranked { class: *class, rank: place + 1, why });
    }
    profile
}

fn is_outlier(
    digest: &Digest,
    class: &ClassDigest,
    metric: MetricId,
    outliers: &Outliers,
    rules: Rules,
) -> bool {
    let Some(totals) = class.totals(&digest.places, metric) else { return false };
    let kind = quantity_kind(metric);
    let scale = kind.scale() as f64;
    // No figure of ours is past the greatest value.
    let is_low = rules == Rules::Default && totals.max as f64 / scale < outliers.at_least;
    let figures = || class.stat(&digest.places, metric)?.figures(rules, kind);
    totals.count >= outliers.count
        && !is_low
        && figures().is_some_and(|figures| figures.pct_95 / scale >= outliers.at_least)
}

/// The attribute that a name means, among those with numbers.
pub fn metric_of(digest: &Digest, name: &str) -> Option<MetricId> {
    let metrics = digest.places.metrics().iter().copied();
    let mut meant = metrics.filter(|metric| digest.registry.is_meant(*metric, name));
    meant.find(|metric| digest.total.totals(&digest.places, *metric).is_some())
}

/// Events a second, and how many ran at once on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Events / length of the time range.
    pub queries_per_second: f64,
    /// Sum of their time / length of the time range.
    pub concurrency: f64,
}

/// Rates over the time from the first to the last end of a statement; `None` where that has no
/// length, and by our own rules where it is shorter than a second: many servers tell no more.
pub fn rates(class: &ClassDigest, time: Option<Totals>, rules: Rules) -> Option<Rates> {
    let length = class.last()?.0 as f64 - class.first()?.0 as f64;
    let least = if rules == Rules::Default { SECOND as f64 } else { 1.0 };
    (length >= least).then(|| Rates {
        queries_per_second: class.count as f64 * 1e6 / length,
        concurrency: time.map_or(0.0, |time| time.sum as f64) / length,
    })
}

/// Variance-to-mean ratio and coefficient of variation of a class's time, in seconds; `None`
/// where the average is zero.
pub fn scores(stat: &Stat, rules: Rules) -> Option<(f64, f64)> {
    let figures = stat.figures(rules, metric::QUERY_TIME_KIND)?;
    let (stddev, avg) = (figures.stddev / 1e6, figures.avg / 1e6);
    match rules {
        Rules::Peer => {
            let avg = if avg == 0.0 { 1.0 } else { avg };
            Some((stddev * stddev / avg, stddev / avg))
        }
        Rules::Default if avg == 0.0 => None,
        Rules::Default => Some((stddev * stddev / avg, stddev / avg)),
    }
}
