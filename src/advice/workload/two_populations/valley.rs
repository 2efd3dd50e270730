//! Whether times have two modes with a valley between: a test of counts in buckets.
//!
//! ```text
//!      ##                                       counts by the logarithm of the time
//!     ####                          ####
//!    ######          .        .   ########
//!    [left]   [---- valley ----]    [right]
//! ```
//!
//! Of a density with one mode, the mean over a stretch is at least that over one of the two
//! stretches beside it, wherever the three lie: up to the mode it grows, behind it it falls. So if
//! fewer events than that are in the valley, beyond chance, against the left stretch *and* against
//! the right one, there are two modes.
//!
//! Given how many events are in a valley and a side together, those in the valley are binomial, and
//! the chance of so few is at most `exp(-n · KL)` (Chernoff), for any number of events. All
//! stretches are tried; the chance that any pair of them misleads is at most the number of pairs
//! times that ([`BEYOND_CHANCE`]). Normal, exponential, uniform and Pareto times have one mode each
//! in the logarithm.

/// Buckets of ten times: 1.05^47 = 9.9, 1.05^48 = 10.4.
const APART: usize = 48;
/// Buckets of a side. Narrower ones would take ticks of a coarse clock for modes.
const SIDES: &[usize] = &[8, 12, 16, 24, 32];
/// Buckets of a valley. A valley of three times holds at least one tick between two of its ends.
const VALLEYS: &[usize] = &[24, 32, 40, 48, 64, 80, 96, 128, 192, 256];
/// The logarithm of how unlikely it is to be chance: up to 1,000 × 1,000 places of a side and a
/// valley in 5 × 10 widths, and one false alarm in 20,000 classes, `ln(5e7 · 2e4) = 27.6`.
const BEYOND_CHANCE: f64 = 27.7;
/// The valley is so many times lower than either side. A clock with ticks makes stretches up to 3.8
/// times lower than they are.
const DEEP: f64 = 5.0;

/// Two modes and what parts them, in buckets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valley {
    /// The median of the densest stretch on the left.
    pub left: usize,
    /// The middle of the valley.
    pub middle: usize,
    /// The median of the densest stretch on the right.
    pub right: usize,
    /// The logarithm of how unlikely it is to be chance.
    surprise: f64,
}

/// A stretch of buckets, and the events in it.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: usize,
    width: usize,
    events: u64,
}

impl Stretch {
    fn density(&self) -> f64 {
        self.events as f64 / self.width as f64
    }

    /// The bucket of its median, of these counts.
    fn median(&self, counts: &[u64]) -> usize {
        let mut below = 0;
        let own = counts.iter().skip(self.start).take(self.width);
        let reached = own.take_while(|count| {
            below += **count;
            below * 2 < self.events
        });
        self.start + reached.count()
    }
}

/// The valley that is least likely to be chance, of counts by bucket, the first one of which has the
/// number `first`.
pub fn valley(first: usize, counts: &[u64]) -> Option<Valley> {
    let mut sums = vec![0_u64];
    for count in counts {
        sums.push(sums.last().copied().unwrap_or(0) + count);
    }
    let within = |start: usize, width: usize| -> Option<Stretch> {
        let events = sums.get(start + width)? - sums.get(start)?;
        Some(Stretch { start, width, events })
    };
    // The stretch with most events of each width that ends at a bucket or before it, and that begins
    // there or behind it.
    let mut before: Vec<Vec<Option<Stretch>>> = Vec::new();
    let mut behind: Vec<Vec<Option<Stretch>>> = Vec::new();
    for width in SIDES {
        let more = |best: Option<Stretch>, next: Option<Stretch>| match (best, next) {
            (Some(best), Some(next)) if next.events > best.events => Some(next),
            (best, next) => best.or(next),
        };
        let mut best = None;
        before.push(
            (0..=counts.len())
                .map(|end| {
                    best = more(best, end.checked_sub(*width).and_then(|at| within(at, *width)));
                    best
                })
                .collect(),
        );
        let mut best = None;
        let mut from_end: Vec<Option<Stretch>> = (0..=counts.len())
            .rev()
            .map(|start| {
                best = more(best, within(start, *width));
                best
            })
            .collect();
        from_end.reverse();
        behind.push(from_end);
    }
    let mut deepest: Option<Valley> = None;
    for width in VALLEYS {
        for start in 0..counts.len() {
            let Some(valley) = within(start, *width) else { break };
            let side = |sides: &[Vec<Option<Stretch>>], at: usize| {
                let of_width = sides.iter().filter_map(|of| *of.get(at)?);
                of_width
                    .map(|side| (surprise(valley, side), side))
                    .max_by(|a, b| a.0.total_cmp(&b.0))
            };
            let Some((of_left, left)) = side(&before, start) else { continue };
            let Some((of_right, right)) = side(&behind, start + width) else { continue };
            let surprise = of_left.min(of_right);
            let is_deep = valley.density() * DEEP <= left.density().min(right.density());
            let is_new = deepest.is_none_or(|best| surprise > best.surprise);
            if surprise < BEYOND_CHANCE || !is_deep || !is_new {
                continue;
            }
            let (left, right) = (left.median(counts), right.median(counts));
            if right - left >= APART {
                let middle = start + width / 2;
                deepest = Some(Valley {
                    left: first + left,
                    middle: first + middle,
                    right: first + right,
                    surprise,
                });
            }
        }
    }
    deepest
}

/// How unlikely it is that a valley has so few events beside a side, were it as dense: a logarithm.
fn surprise(valley: Stretch, side: Stretch) -> f64 {
    let all = (valley.events + side.events) as f64;
    let expected = valley.width as f64 / (valley.width + side.width) as f64;
    let part = valley.events as f64 / all;
    if all == 0.0 || part >= expected {
        return 0.0;
    }
    let low = if part > 0.0 { part * (part / expected).ln() } else { 0.0 };
    all * (low + (1.0 - part) * ((1.0 - part) / (1.0 - expected)).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::spread::narrow_bucket;

    /// Numbers between 0 and 1 that are the same in each run (xorshift64*).
    struct Chance(u64);

    impl Chance {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
            (bits as f64 + 0.5) / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.next().ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
        }

        fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
            median * (sigma * self.normal()).exp()
        }

        fn exponential(&mut self, mean: f64) -> f64 {
            -mean * self.next().ln()
        }

        fn uniform(&mut self, low: f64, high: f64) -> f64 {
            low + (high - low) * self.next()
        }

        fn pareto(&mut self, least: f64, alpha: f64) -> f64 {
            least * self.next().powf(-1.0 / alpha)
        }
    }

    /// The valley of so many times in microseconds, of a clock with ticks of so many.
    fn of(count: usize, tick: f64, mut time: impl FnMut() -> f64) -> Option<Valley> {
        let mut counts = vec![0_u64; 1_000];
        for _ in 0..count {
            let micros = ((time() / tick).floor() * tick) as u64;
            // What takes no tick has no place in a logarithm.
            if micros > 0 {
                counts[narrow_bucket(micros)] += 1;
            }
        }
        let first = counts.iter().position(|count| *count > 0)?;
        let last = counts.iter().rposition(|count| *count > 0)?;
        valley(first, &counts[first..=last])
    }

    const SIZES: [(usize, usize); 5] =
        [(100, 100), (300, 60), (1_000, 40), (10_000, 6), (100_000, 2)];

    #[track_caller]
    fn has_one_mode(name: &str, tick: f64, time: impl Fn(&mut Chance) -> f64) {
        for (count, runs) in SIZES {
            for run in 1..=runs {
                let mut chance =
                    Chance(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul((count * 1_000 + run) as u64));
                let found = of(count, tick, || time(&mut chance));
                assert_eq!(found, None, "{name}: run {run} of {count}");
            }
        }
    }

    #[test]
    fn one_mode_is_no_alarm() {
        has_one_mode("log-normal, narrow", 1.0, |chance| chance.log_normal(350.0, 0.1));
        has_one_mode("log-normal", 1.0, |chance| chance.log_normal(12_000.0, 1.0));
        has_one_mode("log-normal, wide", 1.0, |chance| chance.log_normal(900.0, 3.0));
        has_one_mode("exponential", 1.0, |chance| chance.exponential(20_000.0));
        has_one_mode("exponential, short", 1.0, |chance| chance.exponential(8.0));
        has_one_mode("uniform", 1.0, |chance| chance.uniform(0.0, 5e6));
        has_one_mode("uniform from 10 ms on", 1.0, |chance| chance.uniform(10_000.0, 5e6));
        has_one_mode("Pareto", 1.0, |chance| chance.pareto(100.0, 1.0));
        has_one_mode("Pareto, heavy", 1.0, |chance| chance.pareto(100.0, 0.4));
        has_one_mode("Pareto, light", 1.0, |chance| chance.pareto(1e6, 4.0));
    }

    #[test]
    fn ticks_of_a_clock_are_no_modes() {
        for tick in [1_000.0, 10_000.0, 15_600.0] {
            has_one_mode("exponential", tick, |chance| chance.exponential(20_000.0));
            has_one_mode("log-normal", tick, |chance| chance.log_normal(12_000.0, 1.5));
            has_one_mode("uniform", tick, |chance| chance.uniform(0.0, 200_000.0));
            has_one_mode("Pareto", tick, |chance| chance.pareto(1_000.0, 0.7));
        }
    }

    #[test]
    fn two_populations_are_found_where_they_are() {
        for (count, share, apart) in
            [(200, 0.2, 100.0), (1_000, 0.15, 30.0), (10_000, 0.1, 30.0), (100_000, 0.5, 20.0)]
        {
            let mut chance = Chance(7);
            let found = of(count, 1.0, || {
                let median = if chance.next() < share { 500.0 * apart } else { 500.0 };
                chance.log_normal(median, 0.3)
            });
            let found = found.unwrap_or_else(|| panic!("{count} events, {apart} times apart"));
            // A standard deviation is 0.3 / ln(1.05) = 6 buckets.
            let is_near =
                |place: usize, micros: f64| place.abs_diff(narrow_bucket(micros as u64)) <= 6;
            assert!(is_near(found.left, 500.0), "{found:?}");
            assert!(is_near(found.right, 500.0 * apart), "{found:?}");
            assert!(found.left < found.middle && found.middle < found.right);
        }
    }

    #[test]
    fn a_few_events_prove_nothing() {
        // 90 and 5: (8/(8+48))^5 is 6 in 100,000, and there are thousands of places to look.
        let mut chance = Chance(11);
        let mut left = 5;
        let found = of(95, 1.0, || {
            left -= 1;
            chance.log_normal(if left >= 0 { 50_000.0 } else { 500.0 }, 0.1)
        });
        assert_eq!(found, None);
        assert_eq!(valley(0, &[]), None);
        assert_eq!(valley(3, &[7]), None);
    }
}
