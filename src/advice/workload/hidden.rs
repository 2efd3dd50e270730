//! How much of the time of a class may lie below the threshold of a log.
//!
//! Times of a class are taken to be log-normal, cut off below the threshold: of all such
//! distributions those are kept that explain the logged times nearly as well as the best one does.
//! What they have below the threshold is the range. It is wide, and a guess: a class that is not
//! logged at all is not in it.

use super::Times;

/// Events, and different times, without which nothing is guessed.
const LEAST_EVENTS: u64 = 100;
const LEAST_BUCKETS: usize = 8;
/// The middle of a distribution lies no further below the threshold than this part of a natural
/// logarithm, a factor of seven: beyond, any tail could be anything.
const DEEPEST: f64 = 2.0;
/// How much less likely a distribution may be than the best one, as a logarithm: within 2, some 95
/// of 100 samples have the true one.
const WITHIN: f64 = 2.0;
/// Steps of the two parameters, as parts of a natural logarithm.
const STEP: f64 = 0.1;
/// The widest spread that is tried: a factor of 20 either way for two thirds of the events.
const WIDEST: f64 = 3.0;
/// Of a share that is nearly all nothing more is known than that.
const MOST: f64 = 0.99;

/// The part of the time of all events, logged or not, that is below the threshold: least and
/// greatest guess. `None` with too few events.
pub fn share(times: &Times, threshold: u64) -> Option<(f64, f64)> {
    if times.count < LEAST_EVENTS || times.buckets.len() < LEAST_BUCKETS || threshold == 0 {
        return None;
    }
    let edge = (threshold as f64).ln();
    // The middle of a bucket that is a twentieth wide.
    let middle = |low: u64| (low.max(1) as f64 * 1.025).ln().max(edge);
    let points: Vec<(f64, f64)> =
        times.buckets.iter().map(|(low, count)| (middle(*low), *count as f64)).collect();
    let highest = points.last()?.0;
    let mut tried: Vec<(f64, f64)> = Vec::new();
    let (mut spread, mut best) = (STEP, f64::NEG_INFINITY);
    while spread <= WIDEST {
        let mut center = edge - DEEPEST;
        while center <= highest {
            let fit = likelihood(&points, edge, center, spread);
            if fit.is_finite() {
                best = best.max(fit);
                tried.push((fit, below(edge, center, spread)));
            }
            center += STEP;
        }
        spread += STEP;
    }
    let near = tried.iter().filter(|(fit, _)| *fit >= best - WITHIN).map(|(_, share)| *share);
    let (low, high) =
        near.fold((1.0, 0.0), |(low, high): (f64, f64), share| (low.min(share), high.max(share)));
    (low <= high).then_some((low.min(MOST), high.min(MOST)))
}

/// The logarithm of the likelihood of points above an edge, up to a constant.
fn likelihood(points: &[(f64, f64)], edge: f64, center: f64, spread: f64) -> f64 {
    let above = upper((edge - center) / spread);
    let one = |x: f64| -0.5 * ((x - center) / spread).powi(2) - spread.ln() - above.ln();
    points.iter().map(|(x, count)| count * one(*x)).sum()
}

/// The part of the sum of a log-normal distribution that is of values below an edge.
fn below(edge: f64, center: f64, spread: f64) -> f64 {
    1.0 - upper((edge - center - spread * spread) / spread)
}

/// The part of a normal distribution above `z`.
fn upper(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// The complementary error function, to a relative error of 1.2e-7.
///
/// Source: Chebyshev fit of Numerical Recipes, section 6.2.
fn erfc(x: f64) -> f64 {
    #[rustfmt::skip]
    const FIT: [f64; 10] = [
        -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
        1.48851587, -0.82215223, 0.17087277,
    ];
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let power = FIT.iter().rev().fold(0.0, |sum, factor| sum * t + factor);
    let own = t * (power - x * x).exp();
    if x >= 0.0 { own } else { 2.0 - own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::spread;

    /// 20,000 log-normal times with this median and spread, those below the threshold left out,
    /// and the part of the time that they were.
    fn logged(median: f64, spread: f64, threshold: u64) -> (Times, f64) {
        let mut state = 9_u64;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 40) as f64 + 0.5) / (1_u64 << 24) as f64
        };
        let mut counts = std::collections::BTreeMap::new();
        let (mut times, mut hidden) = (Times { least: u64::MAX, ..Times::default() }, 0.0);
        for _ in 0..20_000 {
            // Box and Muller.
            let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
            let micros = (median * (spread * normal).exp()) as u64;
            if micros < threshold {
                hidden += micros as f64;
                continue;
            }
            *counts.entry(spread::narrow_bucket(micros)).or_insert(0) += 1;
            times.count += 1;
            times.sum += micros;
            times.least = times.least.min(micros);
            times.most = times.most.max(micros);
        }
        let bucket = |(bucket, count)| (u64::try_from(spread::range(bucket).0).unwrap(), count);
        times.buckets = counts.into_iter().map(bucket).collect();
        let part = hidden / (hidden + times.sum as f64);
        (times, part)
    }

    #[test]
    fn what_is_below_the_threshold_lies_within_the_range() {
        for (median, spread, threshold) in [
            // Half of the statements are hidden, most, hardly any.
            (1e6, 0.8, 1_000_000),
            (2e5, 1.2, 1_000_000),
            (1.6e7, 0.1, 10_000_000),
        ] {
            let (times, part) = logged(median, spread, threshold);
            let (low, high) = share(&times, threshold).unwrap();
            assert!(low <= part + 0.01 && part - 0.01 <= high, "{low} {part} {high}");
        }
    }

    #[test]
    fn far_from_the_threshold_nothing_is_hidden() {
        let (times, _) = logged(1.6e7, 0.1, 10_000_000);
        assert!(share(&times, 10_000_000).unwrap().1 < 0.01);
    }

    #[test]
    fn few_events_tell_nothing() {
        let (mut times, _) = logged(1e6, 0.8, 1_000_000);
        times.count = 99;
        assert_eq!(share(&times, 1_000_000), None);
        // Many events of one time have no tail to tell from.
        let times = Times { count: 9_000, buckets: vec![(1_000_000, 9_000)], ..Times::default() };
        assert_eq!(share(&times, 1_000_000), None);
    }

    #[test]
    fn the_error_function_is_that_of_tables() {
        for (x, want) in
            [(0.0, 1.0), (1.0, 0.157_299_207), (-1.0, 1.842_700_793), (4.0, 1.541_725_8e-8)]
        {
            assert!((erfc(x) / want - 1.0).abs() < 2e-7, "{x}");
        }
    }
}
