//! Loads that show what a rule speaks of, and such that it must keep still at.

use super::*;
use crate::event::{Attribute, Event, Kind, Value};
use crate::metric::{self, Registry};
use crate::server::{Status, Variables, read};
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
    let status = Status::default();
    let simulated = Some(&simulated);
    advise(&Case {
        settings: &settings,
        simulated,
        status: &status,
        config: None,
        cores: None,
        states: &[],
    })
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
    assert_eq!(value_set(&found, "query_cache_type"), Some("'ON'".to_owned()));
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

/// Whoever changes the table between two reads gets nothing from a cache that is on.
#[test]
fn a_cache_that_seldom_answers_is_switched_off() {
    let lines = [
        ("SELECT a FROM book WHERE id = 1", 1, 5_000, 300),
        ("UPDATE book SET stock = stock - 1 WHERE id = 2", 1, 900, 11),
    ];
    let found = rules_of(&lines, ON, 2_000);
    assert_eq!(codes(&found), ["QC003"]);
    assert_eq!(value_set(&found, "query_cache_type"), Some("'OFF'".to_owned()));
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
    assert!(refused(&above, &line).unwrap().contains("below 0.1 s"));
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

fn by_counters(variables: &[(&str, &str)], status: &[&str], states: &[String]) -> Vec<Finding> {
    let variables: Variables =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = Settings::of(&variables);
    let mut samples = Status::default();
    for text in status {
        read(text.as_bytes()).samples.into_iter().for_each(|it| samples.add(it));
    }
    let status = &samples;
    advise(&Case {
        settings: &settings,
        simulated: None,
        status,
        config: None,
        cores: None,
        states,
    })
}

#[test]
fn counters_tell_of_a_cache_that_seldom_answers() {
    // 90,000 of 1,000,000 lookups: 9 %.
    let status = "Variable_name\tValue\nUptime\t172800\nQcache_hits\t90000\nQcache_inserts\t800000\n\
                  Com_select\t1000000\nQcache_lowmem_prunes\t0\n";
    let found = by_counters(ON, &[status], &[]);
    assert_eq!(codes(&found), ["QC003"]);
    assert_eq!(found[0].confidence, crate::advice::Confidence::High);
    let young = status.replace("172800", "7200");
    assert_eq!(codes(&by_counters(ON, &[&young], &[])), Vec::<&str>::new());
    let good = status.replace("90000\n", "900000\n").replace("800000", "90000");
    assert_eq!(codes(&by_counters(ON, &[&good], &[])), Vec::<&str>::new());
    assert_eq!(codes(&by_counters(OFF, &[status], &[])), Vec::<&str>::new());
}

#[test]
fn sizes_that_are_too_large_are_named() {
    let size = |size: &str| {
        let pairs = [ON[0], ON[1], ("query_cache_size", size)];
        codes(&by_counters(&pairs, &[], &[])).join(" ")
    };
    assert_eq!(size("1073741824"), "QC005");
    assert_eq!(size("67108864"), "");
    let off = [OFF[0], OFF[1], ("query_cache_size", "1073741824")];
    assert_eq!(codes(&by_counters(&off, &[], &[])), ["QC009"]);
    assert_eq!(codes(&by_counters(OFF, &[], &[])), Vec::<&str>::new(), "that is the default");
    assert_eq!(codes(&by_counters(&[("version", "8.0.36")], &[], &[])), Vec::<&str>::new());
}

#[test]
fn memory_in_pieces_is_told_from_memory_that_is_short() {
    let status = |free: &str, blocks: &str| {
        format!(
            "Variable_name\tValue\nUptime\t90000\nQcache_hits\t900000\nQcache_inserts\t300000\nCom_select\t1300000\n\
             Qcache_lowmem_prunes\t100000\nQcache_free_memory\t{free}\nQcache_free_blocks\t{blocks}\n\
             Qcache_total_blocks\t1000\nQcache_queries_in_cache\t400\n"
        )
    };
    let of = |free, blocks| codes(&by_counters(ON, &[&status(free, blocks)], &[])).join(" ");
    assert_eq!(of("500000", "600"), "QC007");
    assert_eq!(of("20000", "10"), "QC006");
    assert_eq!(of("500000", "10"), "");
}

#[test]
fn threads_that_wait_for_the_cache_are_told() {
    let states = |count: usize| vec!["Waiting for query cache lock".to_owned(); count];
    assert_eq!(codes(&by_counters(ON, &[], &states(3))), ["QC004"]);
    assert_eq!(codes(&by_counters(ON, &[], &states(1))), Vec::<&str>::new());
    assert_eq!(codes(&by_counters(OFF, &[], &states(3))), Vec::<&str>::new());
}

/// No two findings set one variable to two values.
#[test]
fn findings_do_not_contradict() {
    let states = vec!["storing result in query cache".to_owned(); 9];
    let large = [ON[0], ON[1], ("query_cache_size", "1073741824")];
    let status = "Variable_name\tValue\nUptime\t172800\nQcache_hits\t90000\nQcache_inserts\t800000\n\
                  Com_select\t1000000\n";
    let found = by_counters(&large, &[status], &states);
    let mut names: Vec<&String> =
        found.iter().flat_map(|it| &it.recommendation.variables).map(|it| &it.name).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
