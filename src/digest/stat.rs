//! Statistics of one attribute of one class: whole numbers only, so that merging is exact.

use crate::digest::spread::{self, Factor, Spread};
use crate::digest::wide::Squares;
use crate::metric::Kind;

/// How figures are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// Nearest rank, true median, one standard deviation, never outside of minimum and maximum.
    #[default]
    Default,
    /// As pt-query-digest 3.7.1 computes them from its buckets.
    Peer,
}

/// What is kept of the values of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Stat {
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// The sum of their squares.
    pub squares: Squares,
    /// The smallest one.
    pub min: i128,
    /// The greatest one.
    pub max: i128,
    /// How they are spread.
    pub spread: Spread,
}

/// What a [`Stat`] tells without its spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// The smallest one.
    pub min: i128,
    /// The greatest one.
    pub max: i128,
}

/// Figures of a [`Stat`], in its own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// sum / count.
    pub avg: f64,
    /// Value that 95 % do not exceed.
    pub pct_95: f64,
    /// Value that 99 % do not exceed.
    pub pct_99: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// The middle.
    pub median: f64,
}

/// Millionths in one unit of a kind.
#[inline]
pub fn factor(kind: Kind) -> Factor {
    match kind.scale() {
        1 => Factor { times: 1_000_000, parts: 1 },
        1_000_000_000 => Factor { times: 1, parts: 1_000 },
        _ => Factor { times: 1, parts: 1 },
    }
}

impl Stat {
    /// No value yet.
    pub fn new(rules: Rules) -> Stat {
        Stat {
            count: 0,
            sum: 0,
            squares: Squares::default(),
            min: i128::MAX,
            max: i128::MIN,
            spread: Spread::new(rules == Rules::Default),
        }
    }

    /// Adds a value.
    pub fn add(&mut self, value: i128, kind: Kind) {
        self.count += 1;
        self.sum += value;
        self.squares.add(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.spread.add(value, factor(kind));
    }

    /// Count, sum and extremes.
    pub fn totals(&self) -> Totals {
        Totals { count: self.count, sum: self.sum, min: self.min, max: self.max }
    }

    /// Adds so many zeros.
    pub fn add_zeros(&mut self, times: u64, kind: Kind) {
        self.count += times;
        self.min = self.min.min(0);
        self.max = self.max.max(0);
        self.spread.add_times(0, factor(kind), times);
    }

    /// Joins the values of another part of the run.
    pub fn merge(&mut self, other: &Stat, kind: Kind) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares.merge(other.squares);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.spread.merge(&other.spread, factor(kind));
    }

    /// Average, quantiles and deviation; `None` without a value.
    pub fn figures(&self, rules: Rules, kind: Kind) -> Option<Figures> {
        if self.count == 0 {
            return None;
        }
        let avg = self.sum as f64 / self.count as f64;
        let ranks = Ranks::of(self, kind);
        let figures = match rules {
            Rules::Default => {
                let n = self.count;
                let median = if n % 2 == 1 {
                    ranks.value(n.div_ceil(2))
                } else {
                    (ranks.value(n / 2) + ranks.value(n / 2 + 1)) / 2.0
                };
                Figures {
                    avg,
                    pct_95: ranks.value(rank(n, 95)),
                    pct_99: ranks.value(rank(n, 99)),
                    stddev: self.squares.spread(n, self.sum).sqrt() / n as f64,
                    median,
                }
            }
            Rules::Peer => {
                let (pct_95, stddev, median) = self.as_peer(kind);
                Figures { avg, pct_95, pct_99: ranks.value(rank(self.count, 99)), stddev, median }
            }
        };
        Some(figures)
    }

    /// 95 %, standard deviation and median as pt-query-digest 3.7.1 has them, with its ways for
    /// one, two and few values.
    fn as_peer(&self, kind: Kind) -> (f64, f64, f64) {
        let (min, max) = (self.min as f64, self.max as f64);
        if self.count == 1 || self.min == self.max {
            return (max, 0.0, max);
        }
        if self.count == 2 {
            let mean = (min + max) / 2.0;
            return (max, (2.0 * (max - mean).powi(2)).sqrt(), mean);
        }
        // Bucket edges are in millionths of what the log prints.
        let unit = kind.scale() as f64 / 1e6;
        let edge = |bucket: usize| match bucket {
            0 => 0.0,
            bucket => 1.05f64.powi(bucket as i32 - 1) * unit,
        };
        let n = self.count as f64;
        let cutoff = if self.count >= 10 { (n * 0.95) as u64 } else { self.count };
        let top = self.count - cutoff;
        let middle = self.count / 2;
        let buckets = self.spread.buckets(factor(kind));
        let (mut sum, mut squares, mut running) = (0.0, 0.0, 0);
        let (mut pct_95, mut median) = (None, None);
        let mut higher = 0.0;
        for (bucket, count) in buckets.iter().rev() {
            let value = edge(*bucket);
            running += count;
            sum += value * *count as f64;
            squares += value * value * *count as f64;
            if pct_95.is_none() && running > top {
                pct_95 = Some(value);
            }
            if median.is_none() && self.count - running <= middle {
                let alone = cutoff % 2 == 1 || *count > 1;
                median = Some(if alone { value } else { (value + higher) / 2.0 });
            }
            higher = value;
        }
        let variance = (squares / n - (sum / n).powi(2)).max(0.0);
        let stddev = variance.sqrt().min((max - min) / 2.0);
        (pct_95.unwrap_or(max), stddev, median.unwrap_or(max))
    }
}

/// ceil(percent % of n), by whole numbers.
fn rank(n: u64, percent: u64) -> u64 {
    ((u128::from(percent) * u128::from(n)).div_ceil(100)) as u64
}

/// Values by rank.
enum Ranks<'a> {
    Values(Vec<i128>),
    Buckets { counts: Vec<(usize, u64)>, stat: &'a Stat, factor: Factor },
}

impl Ranks<'_> {
    fn of(stat: &Stat, kind: Kind) -> Ranks<'_> {
        match stat.spread.values() {
            Some(values) => Ranks::Values(values),
            None => {
                let factor = factor(kind);
                Ranks::Buckets { counts: stat.spread.buckets(factor), stat, factor }
            }
        }
    }

    /// Value number `rank` from the smallest, counted from 1.
    fn value(&self, rank: u64) -> f64 {
        match self {
            Ranks::Values(values) => {
                let place = (rank as usize).clamp(1, values.len().max(1)) - 1;
                values.get(place).map_or(0.0, |value| *value as f64)
            }
            Ranks::Buckets { counts, stat, factor } => {
                let mut running = 0;
                let found = counts.iter().find(|(_, count)| {
                    running += count;
                    running >= rank
                });
                let bucket = found.or(counts.last()).map_or(0, |(bucket, _)| *bucket);
                middle(bucket, stat, *factor)
            }
        }
    }
}

/// Half the sum of the smallest and the greatest whole unit of a bucket, within the values seen.
fn middle(bucket: usize, stat: &Stat, factor: Factor) -> f64 {
    if bucket == 0 {
        return (stat.min.max(0).min(stat.max)) as f64;
    }
    let (low, behind) = spread::range(bucket);
    // In whole things, or in whole millionths of what has decimals.
    let smallest = low.div_ceil(factor.times) * factor.parts;
    let greatest = match behind {
        Some(behind) => (behind - 1) / factor.times * factor.parts,
        None => u128::try_from(stat.max).unwrap_or(smallest),
    };
    let half = (smallest + greatest) as f64 / 2.0;
    half.max(stat.min as f64).min(stat.max as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(rules: Rules, kind: Kind, values: &[i128]) -> Stat {
        let mut stat = Stat::new(rules);
        values.iter().for_each(|value| stat.add(*value, kind));
        stat
    }

    #[test]
    fn figures_of_known_lists() {
        // By hand: {1,2,3,4} has median 2.5, deviation sqrt(1.25).
        let few = stat(Rules::Default, Kind::Count, &[4, 1, 3, 2]);
        let figures = few.figures(Rules::Default, Kind::Count).unwrap();
        assert_eq!((figures.median, figures.pct_95, figures.avg), (2.5, 4.0, 2.5));
        assert!((figures.stddev - 1.25f64.sqrt()).abs() < 1e-12);
        // 90 runs of 10 ms and 10 of 5 s: no figure lies between.
        let humps: Vec<i128> = [10_000; 90].into_iter().chain([5_000_000; 10]).collect();
        let humps = stat(Rules::Default, Kind::Time, &humps);
        let figures = humps.figures(Rules::Default, Kind::Time).unwrap();
        assert!((figures.median - 10_000.0).abs() <= 250.0, "{figures:?}");
        assert_eq!(figures.pct_95, 5_000_000.0);
        // Σx = 50.9 s, Σx² = 250.009 s²: variance 2.50009 − 0.509² = 2.241009.
        assert!((figures.stddev / 1e6 - 2.241009f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(Stat::new(Rules::Default).figures(Rules::Default, Kind::Time), None);
    }
}
