//! Figures and printed numbers against the agreed tables.
//!
//! `tables/stats.tsv` is what pt-query-digest 3.7.1 computes of a list of values,
//! `tables/stats-default.tsv` what is right; `tables/numbers.tsv` is how the tool prints numbers.

mod common;

use adagio::digest::stat::{Figures, Rules, Stat};
use adagio::metric::Kind;
use adagio::report::cell;
use common::rows;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Seconds as the table prints them, in microseconds.
fn micros(seconds: &str) -> i128 {
    let (whole, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));
    assert!(decimals.len() <= 6, "{seconds}");
    format!("{whole}{decimals:0<6}").parse().unwrap()
}

fn stat(rules: Rules, values: &[i128]) -> Stat {
    let mut stat = Stat::new(rules);
    values.iter().for_each(|value| stat.add(*value, Kind::Time));
    stat
}

/// Whether two figures agree to nine digits.
fn is_near(got: f64, want: f64) -> bool {
    (got - want).abs() <= want.abs() * 1e-9
}

/// Checks one row: its values, what it says of them, and what we compute in seconds.
#[track_caller]
fn check(rules: Rules, row: &[String], of: impl Fn(&Figures) -> Vec<f64>) {
    let values: Vec<i128> = row[0].split(' ').map(micros).collect();
    let stat = stat(rules, &values);
    assert_eq!(stat.count.to_string(), row[1], "n of {}", row[0]);
    for (name, got, want) in
        [("sum", stat.sum, &row[2]), ("min", stat.min, &row[3]), ("max", stat.max, &row[4])]
    {
        // Some columns are printed as powers of ten.
        let want: f64 = want.parse().unwrap();
        assert!(is_near(got as f64 / 1e6, want), "{name} of {}: {got} µs, not {want} s", row[0]);
    }
    let figures = stat.figures(rules, Kind::Time).unwrap();
    let got = of(&figures);
    assert_eq!(got.len(), row.len() - 5);
    for (got, want) in got.iter().zip(&row[5..]) {
        let want: f64 = want.parse().unwrap();
        assert!(is_near(got / 1e6, want), "{}: {} s, not {want} s", row[0], got / 1e6);
    }
}

#[test]
fn figures_of_the_peer_are_those_it_computes() {
    let rows = rows("stats.tsv");
    assert_eq!(rows.len(), 32);
    for row in &rows {
        check(Rules::Peer, row, |f| vec![f.pct_95, f.stddev, f.median]);
    }
}

#[test]
fn figures_of_our_own_are_the_right_ones() {
    let rows = rows("stats-default.tsv");
    assert_eq!(rows.len(), 32);
    for row in &rows {
        check(Rules::Default, row, |f| vec![f.pct_95, f.pct_99, f.stddev, f.median]);
    }
}

/// Rows of `numbers.tsv` whose text a number cannot hold: value, what we print for the number by
/// powers of 1024 and of 1000, why.
#[rustfmt::skip]
const OTHER_NUMBERS: &[(&str, &str, &str)] = &[
    ("0.000000", "0", "the peer sees the point in the text; 0 as a number has none"),
];

#[test]
fn numbers_are_printed_as_the_peer_prints_them() {
    let rows = rows("numbers.tsv");
    assert_eq!(rows.len(), 49);
    let mut others = 0;
    for row in &rows {
        let value: f64 = row[0].parse().unwrap();
        let other = OTHER_NUMBERS.iter().find(|other| other.0 == row[0]);
        others += usize::from(other.is_some());
        let want = |column: usize| other.map_or(row[column].as_str(), |other| other.1);
        assert_eq!(cell::peer_time(value), row[1], "a time of {}", row[0]);
        assert_eq!(cell::shorten(value, 1024.0), want(2), "{} in powers of 1024", row[0]);
        assert_eq!(cell::shorten(value, 1000.0), want(3), "{} in powers of 1000", row[0]);
    }
    assert_eq!(others, OTHER_NUMBERS.len());
}

/// Times from nothing to years, many of them equal.
fn times() -> impl Strategy<Value = Vec<i128>> {
    let time = (0u32..50, any::<u64>()).prop_map(|(bits, value)| i128::from(value >> (63 - bits)));
    let few = prop::sample::select(vec![0i128, 1, 1_000, 1_000_000, 1_000_001]);
    let one = prop_oneof![3 => time, 1 => few];
    // Up to 32 values are kept as they are, so both sides of that are wanted.
    prop_oneof![prop::collection::vec(one.clone(), 1..8), prop::collection::vec(one, 20..80)]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(20_260_306),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Figures depend on the values, not on how they were split nor on the order of merging.
    #[test]
    fn merge_is_splitting_undone(
        values in times(),
        parts in prop::collection::vec(0usize..5, 80),
        order in Just(vec![0usize, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        for rules in [Rules::Default, Rules::Peer] {
            let whole = stat(rules, &values);
            let mut merged = Stat::new(rules);
            for part in &order {
                let of_part = |place: &usize| parts[*place] == *part;
                let part: Vec<i128> =
                    (0..values.len()).filter(of_part).map(|place| values[place]).collect();
                merged.merge(&stat(rules, &part), Kind::Time);
            }
            prop_assert_eq!(&merged, &whole);
            prop_assert_eq!(merged.figures(rules, Kind::Time), whole.figures(rules, Kind::Time));
        }
    }

    /// No figure of our own is below the least value or above the greatest, and the median, 95 %
    /// and 99 % are within half a bucket of the value of that rank.
    #[test]
    fn quantiles_are_within_half_a_bucket(values in times()) {
        let figures = stat(Rules::Default, &values).figures(Rules::Default, Kind::Time).unwrap();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let (n, greatest) = (sorted.len(), sorted[sorted.len() - 1] as f64);
        let rank = |percent: usize| sorted[(percent * n).div_ceil(100) - 1] as f64;
        let median = (sorted[(n - 1) / 2] as f64 + sorted[n / 2] as f64) / 2.0;
        for (got, want) in
            [(figures.median, median), (figures.pct_95, rank(95)), (figures.pct_99, rank(99))]
        {
            prop_assert!((sorted[0] as f64..=greatest).contains(&got), "{}", got);
            // Half the width of a bucket, 2.5 %, and half a microsecond where units are coarse.
            prop_assert!((got - want).abs() <= want * 0.025 + 0.5, "{} {}", got, want);
        }
    }
}
