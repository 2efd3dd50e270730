//! Load that comes again and again at the same second of a minute, or minute of an hour or day.
//!
//! Events are counted in bins of time, in a [`Series`] of all events and one of each class. A series
//! has a bound: where it has too many bins they are joined to wider ones.

use std::cmp::Reverse;

use crate::time::SECOND;

use super::Sighting;

/// Seconds of a bin, each a multiple of the one before.
const WIDTHS: [i64; 8] = [1, 5, 10, 30, 60, 300, 3_600, 86_400];
/// Bins of the series of all events, and of one of a class.
const BINS: usize = 20_000;
const BINS_OF_CLASS: usize = 512;
/// Classes with a series: some 25 kB each.
const MOST_CLASSES: usize = 1_024;

/// Periods in seconds; the width of a phase in seconds, and the widest that still tells.
const PERIODS: [(i64, i64, i64); 4] =
    [(60, 5, 10), (300, 10, 30), (3_600, 60, 300), (86_400, 300, 3_600)];
/// How many times the mean makes a burst, in how many periods at least, and in how many of a hundred.
const TIMES: u128 = 5;
const LEAST_PERIODS: u64 = 3;
const PERCENT: u64 = 75;
/// Events in a burst, microseconds in all bursts, and percent of the time: less is no load.
const EVENTS: u64 = 10;
const MICROS: u64 = 10_000_000;
const TIME_PERCENT: u128 = 5;
/// Periods from which on autocorrelation counts, what it must be in percent, and by how much less it
/// must be at half the period.
const PERIODS_OF_CORRELATION: u64 = 5;
const CORRELATION: f64 = 0.5;
const LESS: f64 = 0.3;
/// How many times the mean the load must be at its most.
const TIMES_OF_CORRELATION: u128 = 2;
/// Bins over which it is reckoned.
const MOST_CORRELATED: usize = 200_000;
/// By chance no more than one of so many looks may find something.
const CHANCE: f64 = 100.0;

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    /// Its number: seconds since 1970 by its width.
    at: i64,
    events: u64,
    micros: u64,
}

/// Counts by time.
#[derive(Debug, Default)]
struct Series {
    width: usize,
    current: Bin,
    bins: Vec<Bin>,
    /// Its events are of more days than there are bins.
    is_broken: bool,
}

/// Counts all events by time, and those of classes.
#[derive(Debug, Default)]
pub struct Bursts {
    all: Series,
    classes: Vec<Option<Box<Series>>>,
    begun: usize,
}

/// Load that comes in bursts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Periodic {
    /// The class: a number of [`super::Observed::classes`]; none is all events.
    pub class: Option<u32>,
    /// Seconds from one burst to the next.
    pub period: u64,
    /// Where in it the burst begins, in seconds, by UTC.
    pub phase: u64,
    /// Seconds that are looked at from there on.
    pub width: u64,
    /// Periods that the log covers.
    pub periods: u64,
    /// Periods with a burst; none where bursts are told by autocorrelation.
    pub bursts: Option<u64>,
    /// The load in the phase by the mean load, in tenths.
    pub tenths_of_mean: u64,
    /// It is the time of statements that comes in bursts, not their number.
    pub is_time: bool,
    /// Events in the phase, and of the series.
    pub events: (u64, u64),
    /// Microseconds in the phase, and of the series.
    pub micros: (u64, u64),
    /// Percent of autocorrelation at the period, where it tells.
    pub autocorrelation_percent: Option<u64>,
}

impl Bursts {
    /// Takes an event that may have no class.
    pub fn add_any(&mut self, span: Option<(i64, i64)>, micros: Option<u64>) {
        if let Some(second) = begun(span, micros) {
            self.all.add(second, micros.unwrap_or(0), BINS);
        }
    }

    /// Takes an event of a class.
    pub fn add(&mut self, sighting: &Sighting<'_>) {
        let Some(second) = begun(sighting.span, sighting.micros) else { return };
        let class = sighting.class as usize;
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, || None);
        }
        let Some(slot) = self.classes.get_mut(class) else { return };
        if slot.is_none() {
            if self.begun >= MOST_CLASSES {
                return;
            }
            self.begun += 1;
        }
        let series = slot.get_or_insert_default();
        series.add(second, sighting.micros.unwrap_or(0), BINS_OF_CLASS);
    }

    /// What comes in bursts: all events first, then classes, those with most time first.
    pub fn finish(mut self) -> Vec<Periodic> {
        let Some(all) = self.all.finish(BINS) else { return Vec::new() };
        let range = all.range();
        let all_covered = PERIODS.map(|(period, ..)| all.periods(period));
        let look = |class, series: &Finished| series.periodic(class, range, &all_covered);
        let mut found: Vec<Periodic> = look(None, &all).into_iter().collect();
        let of_classes = self.classes.iter_mut().zip(0..).filter_map(|(series, class)| {
            look(Some(class), &series.as_mut()?.finish(BINS_OF_CLASS)?)
        });
        found.extend(of_classes);
        found.sort_by_key(|it| (it.class.is_some(), Reverse(it.micros.1), it.class));
        found
    }
}

/// The second in which a statement began. Where its end is known by the second only, so is what it
/// took.
fn begun(span: Option<(i64, i64)>, micros: Option<u64>) -> Option<i64> {
    let (start, end) = span?;
    if end.rem_euclid(SECOND) != 0 {
        return Some(start.div_euclid(SECOND));
    }
    let seconds = micros.and_then(|it| i64::try_from(it).ok()).unwrap_or(0) / SECOND;
    Some(end.div_euclid(SECOND).saturating_sub(seconds))
}

impl Series {
    fn add(&mut self, second: i64, micros: u64, most: usize) {
        let width = WIDTHS.get(self.width).copied().unwrap_or(1);
        let at = second.div_euclid(width);
        if at != self.current.at || self.current.events == 0 {
            self.keep();
            if self.bins.len() >= 2 * most {
                self.join(most);
                return self.add(second, micros, most);
            }
            self.current = Bin { at, ..Bin::default() };
        }
        self.current.events += 1;
        self.current.micros = self.current.micros.saturating_add(micros);
    }

    fn keep(&mut self) {
        if self.current.events > 0 && !self.is_broken {
            self.bins.push(self.current);
        }
        self.current = Bin::default();
    }

    /// Joins equal bins, and makes them wider until there are no more than the bound.
    fn join(&mut self, most: usize) {
        self.bins.sort_unstable_by_key(|bin| bin.at);
        self.bins = joined(&self.bins, 1);
        while self.bins.len() > most {
            let Some(wider) = WIDTHS.get(self.width + 1) else {
                self.is_broken = true;
                self.bins = Vec::new();
                return;
            };
            let ratio = wider / WIDTHS.get(self.width).copied().unwrap_or(1);
            self.bins = joined(&self.bins, ratio);
            self.width += 1;
        }
    }

    fn finish(&mut self, most: usize) -> Option<Finished> {
        self.keep();
        self.join(most);
        let width = WIDTHS.get(self.width).copied()?;
        let bins = std::mem::take(&mut self.bins);
        (!self.is_broken && !bins.is_empty()).then_some(Finished { width, bins })
    }
}

/// Bins in order, with so many in one.
fn joined(bins: &[Bin], ratio: i64) -> Vec<Bin> {
    let mut joined: Vec<Bin> = Vec::with_capacity(bins.len());
    for bin in bins {
        let at = bin.at.div_euclid(ratio);
        match joined.last_mut() {
            Some(last) if last.at == at => {
                last.events += bin.events;
                last.micros = last.micros.saturating_add(bin.micros);
            }
            _ => joined.push(Bin { at, ..*bin }),
        }
    }
    joined
}

/// Bins in order of time, each once.
struct Finished {
    width: i64,
    bins: Vec<Bin>,
}

/// A period as a series shows it.
struct Fold<'c> {
    period: i64,
    width: i64,
    /// Bins as wide as a phase.
    bins: Vec<Bin>,
    /// The periods that the log covers, in order.
    covered: &'c [i64],
    /// Seconds of the first and behind the last bin of the log.
    range: (i64, i64),
}

impl Finished {
    /// Seconds of the first bin and behind the last one.
    fn range(&self) -> (i64, i64) {
        let first = self.bins.first().map_or(0, |bin| bin.at);
        let last = self.bins.last().map_or(0, |bin| bin.at);
        (first.saturating_mul(self.width), last.saturating_add(1).saturating_mul(self.width))
    }

    /// The periods in which something happened; none where bins are wider.
    fn periods(&self, period: i64) -> Option<Vec<i64>> {
        if period < self.width {
            return None;
        }
        let periods = self.bins.iter().map(|bin| bin.at.div_euclid(period / self.width));
        let mut periods: Vec<i64> = periods.collect();
        periods.dedup();
        Some(periods)
    }

    /// The shortest period with a burst.
    fn periodic(
        &self,
        class: Option<u32>,
        range: (i64, i64),
        all_covered: &[Option<Vec<i64>>],
    ) -> Option<Periodic> {
        PERIODS.iter().zip(all_covered).find_map(|((period, narrow, wide), covered)| {
            let width = self.width.max(*narrow);
            let covered = covered.as_deref()?;
            if width > *wide || covered.len() < LEAST_PERIODS as usize {
                return None;
            }
            let bins = joined(&self.bins, width / self.width);
            let fold = Fold { period: *period, width, bins, covered, range };
            fold.burst(class, false)
                .or_else(|| fold.burst(class, true))
                .or_else(|| fold.correlated(class))
        })
    }
}

impl Fold<'_> {
    fn phases(&self) -> usize {
        (self.period / self.width).max(1) as usize
    }

    fn phase(&self, bin: &Bin) -> usize {
        bin.at.rem_euclid(self.period / self.width) as usize
    }

    /// Periods in which a phase lies within the log.
    fn periods_of(&self, phase: usize) -> u64 {
        let start = phase as i64 * self.width;
        let is_in = |period: Option<&i64>| {
            period.is_some_and(|it| {
                let from = it.saturating_mul(self.period).saturating_add(start);
                from.saturating_add(self.width) > self.range.0 && from < self.range.1
            })
        };
        let whole = self.covered.len() as u64;
        let ends = u64::from(!is_in(self.covered.first())) + u64::from(!is_in(self.covered.last()));
        whole.saturating_sub(ends)
    }

    /// All events and microseconds.
    fn whole(&self) -> (u64, u64) {
        sum(self.bins.iter())
    }

    /// Whether a phase has five times the mean in three of four periods, more than chance would give.
    fn burst(&self, class: Option<u32>, is_time: bool) -> Option<Periodic> {
        let measure = |bin: &Bin| if is_time { bin.micros } else { bin.events };
        let phases = self.phases();
        let all: u64 = (0..phases).map(|phase| self.periods_of(phase)).sum();
        let whole = self.whole();
        let total = u128::from(if is_time { whole.1 } else { whole.0 });
        let is_high = |bin: &&Bin| {
            let least = if is_time { 1 } else { EVENTS };
            let value = measure(bin);
            value >= least && u128::from(value) * u128::from(all) >= TIMES * total
        };
        let mut high = vec![0_u64; phases];
        let mut amounts = vec![0_u128; phases];
        for bin in self.bins.iter().filter(is_high) {
            let phase = self.phase(bin);
            if let (Some(count), Some(amount)) = (high.get_mut(phase), amounts.get_mut(phase)) {
                *count += 1;
                *amount += u128::from(measure(bin));
            }
        }
        let phase = (0..phases).max_by_key(|it| (high[*it], amounts[*it], Reverse(*it)))?;
        let (bursts, periods) = (high[phase], self.periods_of(phase));
        // A burst may spill over to its neighbours.
        let beside = [(phase + 1) % phases, (phase + phases - 1) % phases];
        let others: u64 = high.iter().sum::<u64>() - bursts - high[beside[0]] - high[beside[1]];
        let other_bins =
            all.saturating_sub(periods + beside.map(|it| self.periods_of(it)).iter().sum::<u64>());
        let is_often = bursts >= LEAST_PERIODS && bursts * 100 >= periods * PERCENT;
        if !is_often || !is_no_chance((bursts, periods), (others, other_bins), phases) {
            return None;
        }
        let of_phase = || self.bins.iter().filter(|bin| self.phase(bin) == phase);
        let own = sum(of_phase());
        let is_load = match is_time {
            false => own.0 >= EVENTS * bursts,
            true => {
                own.1 >= MICROS && u128::from(own.1) * 100 >= TIME_PERCENT * u128::from(whole.1)
            }
        };
        is_load.then(|| self.told(class, is_time, phase, Some(bursts), None))
    }

    /// Whether the number of events is alike a period later, and not half a period later.
    fn correlated(&self, class: Option<u32>) -> Option<Periodic> {
        let (first, last) = (*self.covered.first()?, *self.covered.last()?);
        let count = u64::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
        let is_whole = count == self.covered.len() as u64;
        // Every load has its day.
        let is_day = self.period == 86_400;
        let phases = self.phases();
        let length = usize::try_from(count).ok()?.checked_mul(phases)?;
        if is_day || !is_whole || count < PERIODS_OF_CORRELATION || length > MOST_CORRELATED {
            return None;
        }
        let (events, _) = self.whole();
        if events < EVENTS * count {
            return None;
        }
        let mut values = vec![0_f64; length];
        let start = first.checked_mul(phases as i64)?;
        for bin in &self.bins {
            let place = usize::try_from(bin.at.checked_sub(start)?).ok()?;
            *values.get_mut(place)? = bin.events as f64;
        }
        // What lies outside of the log is not silence.
        let head = (self.range.0.div_euclid(self.width) - start).max(0) as usize;
        let tail = (self.range.1.div_euclid(self.width) - start).max(0) as usize;
        let values = values.get(head..tail.min(length))?;
        let whole = autocorrelation(values, phases)?;
        let half = autocorrelation(values, phases / 2)?;
        if whole < CORRELATION || half > whole - LESS {
            return None;
        }
        let mut loads = vec![0_u128; phases];
        for bin in &self.bins {
            *loads.get_mut(self.phase(bin))? += u128::from(bin.events);
        }
        let phase = (0..phases).max_by_key(|phase| (loads[*phase], Reverse(*phase)))?;
        let mean = u128::from(events) / phases as u128;
        let percent = (whole.min(1.0) * 100.0) as u64;
        (loads[phase] >= TIMES_OF_CORRELATION * mean)
            .then(|| self.told(class, false, phase, None, Some(percent)))
    }

    fn told(
        &self,
        class: Option<u32>,
        is_time: bool,
        phase: usize,
        bursts: Option<u64>,
        autocorrelation_percent: Option<u64>,
    ) -> Periodic {
        let of_phase = self.bins.iter().filter(|bin| self.phase(bin) == phase);
        let (own, whole) = (sum(of_phase), self.whole());
        let periods = self.periods_of(phase);
        let all: u64 = (0..self.phases()).map(|phase| self.periods_of(phase)).sum();
        let (part, total) = if is_time { (own.1, whole.1) } else { (own.0, whole.0) };
        let (part, total) = (u128::from(part), u128::from(total));
        let tenths = part * u128::from(all) * 10 / (total * u128::from(periods)).max(1);
        Periodic {
            class,
            period: self.period.unsigned_abs(),
            phase: phase as u64 * self.width.unsigned_abs(),
            width: self.width.unsigned_abs(),
            periods,
            bursts,
            tenths_of_mean: u64::try_from(tenths).unwrap_or(u64::MAX),
            is_time,
            events: (own.0, whole.0),
            micros: (own.1, whole.1),
            autocorrelation_percent,
        }
    }
}

fn sum<'b>(bins: impl Iterator<Item = &'b Bin>) -> (u64, u64) {
    bins.fold((0, 0), |sum, bin| (sum.0 + bin.events, u64::saturating_add(sum.1, bin.micros)))
}

/// Whether bins that are high would hardly fall on one phase by chance, given how many others are.
///
/// The bound of Chernoff and Hoeffding: `h` of `n` with the chance `q` each is less likely than
/// `exp(-n D)`, where `D` is the divergence of `h / n` from `q`. All phases of all periods, by number
/// and by time, are looks.
fn is_no_chance((bursts, periods): (u64, u64), (others, bins): (u64, u64), phases: usize) -> bool {
    let (n, p) = (periods as f64, bursts as f64 / periods.max(1) as f64);
    let q = (others + 1) as f64 / (bins + 1) as f64;
    if p <= q {
        return false;
    }
    let part = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    let divergence = part(p, q) + part(1.0 - p, 1.0 - q);
    let looks = (phases * PERIODS.len() * 2) as f64;
    n * divergence > (looks * CHANCE).ln()
}

/// Pearson's correlation of a series with itself, so many bins later.
fn autocorrelation(values: &[f64], lag: usize) -> Option<f64> {
    let late = values.get(lag..)?;
    let early = values.get(..late.len())?;
    let n = late.len() as f64;
    let mean = |of: &[f64]| of.iter().sum::<f64>() / n;
    let (one, other) = (mean(early), mean(late));
    let pairs = || early.iter().zip(late).map(|(a, b)| (a - one, b - other));
    let covariance: f64 = pairs().map(|(a, b)| a * b).sum();
    let squares = pairs().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a * a, sum.1 + b * b));
    let scale: f64 = (squares.0 * squares.1).sqrt();
    (scale > 0.0).then(|| covariance / scale)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};
    use super::*;

    const START: i64 = 1_772_800_000 / 86_400 * 86_400;

    /// A statement in each of some seconds from midnight on.
    fn log(seconds: impl Iterator<Item = (i64, u64)>) -> Log {
        let mut log = Log::default();
        for (second, micros) in seconds {
            let end = (START + second) * SECOND + 1;
            log.add(entry("SELECT a FROM t").micros(micros).at(end));
        }
        log
    }

    fn found(log: &Log) -> Vec<Periodic> {
        log.watch().finish().periodic
    }

    fn steady(seconds: i64) -> impl Iterator<Item = (i64, u64)> {
        (0..seconds).map(|second| (second, 0))
    }

    #[test]
    fn a_burst_each_minute_is_told_with_its_second() {
        // One a second, and 100 more in the second 17 of each of ten minutes.
        let bursts = (0..10).flat_map(|minute| (0..100).map(move |_| (minute * 60 + 17, 0)));
        let found = found(&log(steady(600).chain(bursts)));
        let all = found.first().unwrap();
        assert_eq!((all.class, all.period, all.phase, all.width), (None, 60, 15, 5));
        assert_eq!((all.periods, all.bursts, all.is_time), (10, Some(10), false));
        // 105 of these 5 seconds by 160 a minute, so 160 / 12 in 5 seconds: 7.875.
        assert_eq!(all.tenths_of_mean, 78);
        assert_eq!(all.events, (1_050, 1_600));
        assert_eq!(found.get(1).map(|it| (it.class, it.phase)), Some((Some(0), 15)));
    }

    #[test]
    fn a_burst_each_hour_or_day_is_told_with_its_minute() {
        let bursts =
            (0..6).flat_map(|hour| (0..900).map(move |n| (hour * 3_600 + 420 + n % 60, 0)));
        let hourly = found(&log((0..6 * 360).map(|it| (it * 10, 0)).chain(bursts)));
        assert_eq!((hourly[0].period, hourly[0].phase, hourly[0].width), (3_600, 420, 60));
        let bursts =
            (0..4).flat_map(|day| (0..900).map(move |n| (day * 86_400 + 10_800 + n / 4, 0)));
        let daily = found(&log((0..4 * 1_440).map(|it| (it * 60, 0)).chain(bursts)));
        assert_eq!((daily[0].period, daily[0].phase, daily[0].width), (86_400, 10_800, 300));
        assert_eq!(daily[0].bursts, Some(4));
    }

    #[test]
    fn time_counts_where_numbers_do_not() {
        // One statement of 20 seconds each five minutes among short ones.
        let long = (0..6).map(|it| (it * 300 + 45 + 20, 20_000_000));
        let short = (0..1_800).map(|second| (second, 1_000));
        let mut all: Vec<(i64, u64)> = short.chain(long).collect();
        all.sort_unstable();
        let found = found(&log(all.into_iter()));
        assert_eq!((found[0].period, found[0].phase, found[0].is_time), (300, 40, true));
        assert_eq!(found[0].micros.0, 6 * 20_000_000 + 60 * 1_000);
    }

    #[test]
    fn steady_and_irregular_loads_have_no_period() {
        assert_eq!(found(&log(steady(7_200))), []);
        // One burst; two bursts at one second of two minutes; bursts at other seconds.
        for bursts in [&[100][..], &[100, 160], &[3, 81, 142, 199, 277, 310, 401, 449, 520]] {
            let bursts = bursts.iter().flat_map(|second| (0..200).map(move |_| (*second, 0)));
            assert_eq!(found(&log(steady(600).chain(bursts))), []);
        }
        let mut seed = 7_u64;
        let chance = (0..20_000).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Times as uneven as those of a log: most short, a few very long.
            let micros = 1_000 << ((seed >> 50) % 1_000 / (1 + (seed >> 20) % 60)).min(14);
            ((seed >> 33) as i64 % 7_200, micros)
        });
        assert_eq!(found(&log(chance)), []);
    }

    #[test]
    fn a_wave_is_told_by_autocorrelation() {
        // In 20 of 60 seconds ten a second, else one: no bin has five times the mean of 4.
        let wave = (0..900).flat_map(|second| {
            (0..if second % 60 < 20 { 10 } else { 1 }).map(move |_| (second, 0))
        });
        let found = found(&log(wave));
        assert_eq!((found[0].period, found[0].phase, found[0].bursts), (60, 0, None));
        assert_eq!(found[0].autocorrelation_percent, Some(100));
    }

    #[test]
    fn bins_get_wider_whatever_the_order() {
        let seconds: Vec<i64> = (0..5_000).map(|n| n * 7_919 % 5_000 * 3).collect();
        let finished = |seconds: &[i64]| {
            let mut series = Series::default();
            seconds.iter().for_each(|second| series.add(*second, 1, BINS_OF_CLASS));
            let finished = series.finish(BINS_OF_CLASS).unwrap();
            let bins: Vec<_> = finished.bins.iter().map(|it| (it.at, it.events)).collect();
            (finished.width, bins)
        };
        let mut sorted = seconds.clone();
        sorted.sort_unstable();
        assert_eq!(finished(&seconds), finished(&sorted));
        // 15,000 seconds in at most 512 bins.
        assert_eq!(finished(&seconds).0, 30);
        let mut wild = Series::default();
        for n in 0..1_000_i64 {
            wild.add(n.wrapping_mul(6_364_136_223_846_793_005) / 1_000_000, 1, BINS_OF_CLASS);
        }
        assert!(wild.finish(BINS_OF_CLASS).is_none());
    }
}
