//! Loads that show what a rule speaks of, and such that it must keep still at.

use super::*;
use crate::event::{Attribute, Event, Kind, Value};
use crate::metric::{self, Registry};
use crate::server::Variables;
use crate::time::Timestamp;

/// A statement, how often it comes one after the other, microseconds, bytes sent.
type Line<'a> = (&'a str, usize, i128, i128);

fn log_of(lines: &[Line<'_>], variables: &[(&str, &str)], rounds: usize) -> (Log, Settings) {
    let variables: Variables =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut recorder = Recorder::new(Settings::of(&variables), &Nothing);
    let registry = Registry::new();
    let id = |name: &str| {
        metric::MetricId(metric::METRICS.iter().position(|it| it.name == name).unwrap() as u16)
    };
    let mut time = 0i64;
    for round in 0..rounds {
        for (text, count, micros, bytes) in lines {
            for _ in 0..*count {
                let text = text.replace("{round}", &round.to_string());
                let number =
                    |name, number| Attribute { metric: id(name), value: Value::Number(number) };
                let attributes = [
                    number("Rows_sent", 1),
                    number("Rows_examined", 1),
                    number("Rows_affected", 1),
                    number("Bytes_sent", *bytes),
                ];
                time += 1_000_000;
                recorder.add(
                    &Event {
                        buffer: text.as_bytes(),
                        source: 0,
                        offset: 0,
                        length: 0,
                        ts: Some(Timestamp(time)),
                        start: None,
                        database: Some(b"lib"),
                        database_inherited: false,
                        user: None,
                        host: None,
                        ip: None,
                        thread_id: Some(b"1"),
                        kind: Kind::Query,
                        statement: text.as_bytes(),
                        outline: None,
                        text: text.as_bytes(),
                        query_time: Some(*micros),
                        present: 0,
                        attributes: &attributes,
                        plan: None,
                        anomalies: 0,
                    },
                    &registry,
                );
            }
        }
    }
    recorder.finish()
}

fn rules_of(lines: &[Line<'_>], variables: &[(&str, &str)], rounds: usize) -> Vec<Finding> {
    let (log, settings) = log_of(lines, variables, rounds);
    let simulated = simulate(log, settings.clone(), &[], false);
    advise(&Case { settings: &settings, simulated: &simulated, cores: None })
}

fn codes(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|it| it.rule).collect()
}

const OFF: &[(&str, &str)] = &[
    ("version", "10.11.6-MariaDB"),
    ("query_cache_type", "OFF"),
    ("query_cache_size", "1048576"),
    ("long_query_time", "0.000000"),
];
const ON: &[(&str, &str)] = &[
    ("version", "10.11.6-MariaDB"),
    ("query_cache_type", "ON"),
    ("query_cache_size", "1048576"),
    ("long_query_time", "0.000000"),
];

fn value_set(findings: &[Finding], name: &str) -> Option<String> {
    let changes = findings.iter().flat_map(|it| &it.recommendation.variables);
    let mut of_name = changes.filter(|it| it.name == name);
    of_name.next().map(|it| it.to.sql())
}

/// Each of a hundred rounds asks the same five statements: 495 of 500 are answered.
#[test]
fn a_cache_that_would_pay_is_switched_on() {
    let texts: Vec<String> =
        (0..5).map(|it| format!("SELECT a FROM book WHERE id = {it}")).collect();
    let lines: Vec<Line<'_>> = texts.iter().map(|text| (text.as_str(), 1, 5_000, 300)).collect();
    let found = rules_of(&lines, OFF, 100);
    assert_eq!(codes(&found), ["QC001"]);
    assert_eq!(value_set(&found, "query_cache_type"), Some("ON".to_owned()));
    assert_eq!(value_set(&found, "query_cache_size"), None, "1 MiB is what it has already");
    let benefit = found[0].benefit.unwrap();
    // 495 hits of 5,000 µs less 50 µs each, of 500 times 5,000 µs.
    assert_eq!((benefit.micros, benefit.of_micros), (495 * 4_950, 500 * 5_000));
    assert_eq!(found[0].recommendation.undo, ["SET GLOBAL query_cache_type = OFF"]);
}

#[test]
fn a_cache_that_would_not_pay_is_left_off() {
    let lines = [("SELECT a FROM book WHERE id = {round}", 1, 5_000, 300)];
    assert_eq!(codes(&rules_of(&lines, OFF, 500)), Vec::<&str>::new());
    let lines = [
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
        ("UPDATE book SET stock = stock - 1 WHERE id = 2", 1, 900, 11),
    ];
    assert_eq!(codes(&rules_of(&lines, OFF, 500)), Vec::<&str>::new());
}

/// Five statements come again in each of a hundred rounds; twelve others of classes of their own never
/// do, and 1,200 results of 400,000 bytes are more than any cache holds: most go unused.
#[test]
fn a_cache_that_pays_for_a_few_classes_is_for_these_alone() {
    let hot = (0..5).map(|it| (format!("SELECT a FROM book WHERE id = {it}"), 50_000));
    let cold = (0..12).map(|it| (format!("SELECT c{it} FROM book WHERE id = {{round}}"), 50));
    let texts: Vec<(String, i128)> = hot.chain(cold).collect();
    let bytes = |micros: i128| if micros == 50 { 400_000 } else { 300 };
    let lines: Vec<Line<'_>> =
        texts.iter().map(|(text, micros)| (text.as_str(), 1, *micros, bytes(*micros))).collect();
    let found = rules_of(&lines, OFF, 100);
    assert_eq!(codes(&found), ["QC002"]);
    assert_eq!(found[0].severity, crate::advice::Severity::Medium);
    assert_eq!(value_set(&found, "query_cache_type"), Some("'DEMAND'".to_owned()));
    let benefit = found[0].benefit.unwrap();
    // 495 hits of 50,000 µs less 50 µs each, of 500 times 50,000 µs and 1,200 times 50 µs.
    let of_all = 500 * 50_000 + 1_200 * 50;
    assert_eq!((benefit.micros, benefit.of_micros), (495 * 49_950, of_all));
    assert_eq!(found[0].queries.len(), 1);
    // What is left out of the log may spoil it: no variable is set then, as by QC001.
    let (mut log, settings) = log_of(&lines, OFF, 100);
    log.left_out = 1;
    let simulated = simulate(log, settings.clone(), &[], false);
    let found = advise(&Case { settings: &settings, simulated: &simulated, cores: None });
    assert_eq!(codes(&found), ["QC002"]);
    assert!(found[0].recommendation.variables.is_empty() && found[0].recommendation.sql.is_empty());
    // Where the others come again too, a cache for all pays.
    let all: Vec<Line<'_>> = lines.iter().take(5).copied().collect();
    assert_eq!(codes(&rules_of(&all, OFF, 100)), ["QC001"]);
}

/// Whoever changes the table between two reads gets nothing from a cache that is on.
#[test]
fn a_cache_that_seldom_answers_is_switched_off() {
    let lines = [
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
        ("UPDATE book SET stock = stock - 1 WHERE id = 2", 1, 900, 11),
    ];
    let found = rules_of(&lines, ON, 2_000);
    assert_eq!(codes(&found), ["QC003"]);
    assert_eq!(value_set(&found, "query_cache_type"), Some("OFF".to_owned()));
    assert_eq!(value_set(&found, "query_cache_size"), Some("0".to_owned()));
    assert_eq!(codes(&rules_of(&lines, ON, 200)), Vec::<&str>::new(), "too few to tell");
}

#[test]
fn a_log_that_cannot_tell_is_refused() {
    let refused = |variables: &[(&str, &str)], lines: &[Line<'_>]| {
        let (log, settings) = log_of(lines, variables, 50);
        simulate(log, settings, &[1 << 20], false).refused
    };
    let line = [("SELECT a FROM book WHERE id = 1", 1, 5_000, 300)];
    let slow = [("SELECT a FROM book WHERE id = 1", 1, 50_000, 300)];
    assert_eq!(refused(ON, &line), None);
    let above = [ON[0], ON[1], ON[2], ("long_query_time", "0.100000")];
    let long = [("SELECT a FROM book WHERE id = 1", 1, 200_000, 300)];
    assert!(refused(&above, &long).unwrap().contains("below 0.1 s"));
    // A log of shorter statements was not written with that threshold, unless for want of indexes.
    assert_eq!(refused(&above, &line), None);
    let unindexed =
        [above[0], above[1], above[2], above[3], ("log_queries_not_using_indexes", "ON")];
    assert!(refused(&unindexed, &line).unwrap().contains("below 0.1 s"));
    assert!(refused(&ON[..3], &slow).unwrap().contains("threshold"));
    let mysql = [("version", "5.7.44"), ON[1], ON[2], ON[3]];
    assert!(refused(&mysql, &line).unwrap().contains("misses only"));
    let mysql_off = [("version", "5.7.44"), OFF[1], OFF[2], OFF[3]];
    assert_eq!(refused(&mysql_off, &line), None);
    let eight = [("version", "8.0.36"), ("long_query_time", "0.000000")];
    assert!(refused(&eight, &line).unwrap().contains("no query cache"));
    let sampled = [ON[0], ON[1], ON[2], ON[3], ("log_slow_rate_limit", "10")];
    assert!(refused(&sampled, &line).is_some());
}

/// Three kilobytes each: 1 MiB holds about 280 of 500 that come round and round.
#[test]
fn a_cache_that_is_too_small_grows() {
    let texts: Vec<String> =
        (0..500).map(|it| format!("SELECT a FROM book WHERE id = {it}")).collect();
    let lines: Vec<Line<'_>> = texts.iter().map(|text| (text.as_str(), 1, 5_000, 3_000)).collect();
    let found = rules_of(&lines, ON, 5);
    assert_eq!(codes(&found), ["QC006"]);
    assert_eq!(value_set(&found, "query_cache_size"), Some((4u64 << 20).to_string()));
    let few: Vec<Line<'_>> = lines.into_iter().take(100).collect();
    assert_eq!(codes(&rules_of(&few, ON, 5)), Vec::<&str>::new());
}

#[test]
fn repeats_that_are_not_stored_are_named() {
    let lines = [
        ("SELECT a FROM book WHERE due < NOW()", 1, 5_000, 300),
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
    ];
    let found = rules_of(&lines, ON, 150);
    assert_eq!(codes(&found), ["QC010"]);
    assert_eq!(codes(&rules_of(&lines, OFF, 150)), ["QC001"], "without a cache it is all one");
    let lines = [
        ("SELECT a FROM book WHERE id = 9 FOR UPDATE", 1, 5_000, 300),
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
    ];
    assert_eq!(codes(&rules_of(&lines, ON, 150)), Vec::<&str>::new());
}

#[test]
fn comments_that_split_results_are_named() {
    let lines = [
        ("SELECT a /* {round} */ FROM book WHERE id = 1", 1, 5_000, 300),
        ("SELECT a FROM book WHERE id = 2", 1, 5_000, 300),
    ];
    let found = rules_of(&lines, ON, 150);
    assert!(codes(&found).contains(&"QC011"), "{:?}", codes(&found));
    let lines = [("SELECT a FROM book WHERE id = 1", 1, 5_000, 300)];
    assert_eq!(codes(&rules_of(&lines, ON, 150)), Vec::<&str>::new());
}

#[test]
fn a_table_that_empties_the_cache_is_named() {
    let lines = [
        ("SELECT a FROM book WHERE id = 1", 3, 5_000, 300),
        ("SELECT a FROM shelf WHERE id = 1", 3, 5_000, 300),
        ("UPDATE book SET views = views + 1 WHERE id = 1", 1, 900, 11),
    ];
    let found = rules_of(&lines, ON, 30);
    assert_eq!(codes(&found), ["QC012"]);
    assert_eq!(found[0].subject.table.as_deref(), Some("lib.book"));
    let both = [lines[0], lines[1], lines[2], ("UPDATE shelf SET n = n + 1", 1, 900, 11)];
    assert!(!codes(&rules_of(&both, ON, 30)).contains(&"QC012"));
}

/// Results of 100,000 bytes with a limit of 64 KiB: the server runs each of them anew. 128 KiB take
/// them in.
#[test]
fn results_above_the_limit_are_named() {
    let lines = [
        ("SELECT blurb FROM book WHERE id = 1", 1, 5_000, 100_000),
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
    ];
    let limited = [ON[0], ON[1], ON[2], ON[3], ("query_cache_limit", "65536")];
    let found = rules_of(&lines, &limited, 50);
    assert_eq!(codes(&found), ["QC008"]);
    assert_eq!(value_set(&found, "query_cache_limit"), Some("131072".to_owned()));
    assert_eq!(codes(&rules_of(&lines, ON, 50)), Vec::<&str>::new());
}

/// Twelve classes come again, and one of them takes nearly all the time.
#[test]
fn a_cache_that_few_classes_gain_from_is_told() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let texts: Vec<String> = names.iter().map(|it| format!("SELECT {it} FROM book")).collect();
    let mut lines: Vec<Line<'_>> = texts.iter().map(|text| (text.as_str(), 1, 500, 300)).collect();
    assert_eq!(codes(&rules_of(&lines, ON, 50)), Vec::<&str>::new());
    lines[0].2 = 50_000;
    let found = rules_of(&lines, ON, 50);
    assert_eq!(codes(&found), ["QC002"]);
    assert_eq!(found[0].severity, crate::advice::Severity::Medium);
    assert_eq!(codes(&rules_of(&lines[..5], ON, 50)), Vec::<&str>::new());
}

/// MySQL 8 has nothing to set; the repeats are there all the same.
#[test]
fn a_server_without_a_cache_is_told_of_repeats_and_of_no_variable() {
    let eight = [("version", "8.0.36"), ("long_query_time", "0.000000")];
    let lines = [("SELECT a FROM book WHERE id = 1", 1, 5_000, 300)];
    let found = rules_of(&lines, &eight, 50);
    assert_eq!(codes(&found), ["QC001"]);
    assert!(found[0].recommendation.variables.is_empty() && found[0].recommendation.sql.is_empty());
    assert_eq!(found[0].severity, crate::advice::Severity::Info);
    let (log, settings) = log_of(&lines, &eight, 50);
    assert!(simulate(log, settings, &[], false).sizes.is_empty());
    let lines = [("SELECT a FROM book WHERE id = {round}", 1, 5_000, 300)];
    assert_eq!(codes(&rules_of(&lines, &eight, 50)), Vec::<&str>::new());
}
