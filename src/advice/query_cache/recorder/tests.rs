//! What is kept of a log, and how much of it.

use super::*;
use crate::advice::query_cache::{Nothing, Simulator};
use crate::event::Attribute;
use crate::server::Variables;

fn settings() -> Settings {
    let pairs = [("version", "10.11.6-MariaDB"), ("query_cache_type", "ON")];
    let variables: Variables =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::of(&variables)
}

fn add(recorder: &mut Recorder<'_>, thread: &str, statement: &str) {
    add_timed(recorder, thread, statement, 1_000, None);
}

/// An event of so many microseconds, with what the log says of `QC_hit`.
fn add_timed(
    recorder: &mut Recorder<'_>,
    thread: &str,
    statement: &str,
    micros: i128,
    was_hit: Option<bool>,
) {
    let mut attributes = vec![
        Attribute { metric: BYTES_SENT, value: Value::Number(300) },
        Attribute { metric: ROWS_AFFECTED, value: Value::Number(1) },
    ];
    let flag = |is| Attribute { metric: QC_HIT, value: Value::Flag(is) };
    attributes.extend(was_hit.map(flag));
    let kind = match statement {
        "Quit" => Kind::Administrator,
        _ => Kind::Query,
    };
    let event = Event {
        buffer: statement.as_bytes(),
        source: 0,
        offset: 0,
        length: 0,
        ts: None,
        start: None,
        database: Some(b"lib"),
        database_inherited: false,
        user: None,
        host: None,
        ip: None,
        thread_id: Some(thread.as_bytes()),
        kind,
        statement: statement.as_bytes(),
        outline: None,
        text: statement.as_bytes(),
        query_time: Some(micros),
        present: 0,
        attributes: &attributes,
        plan: None,
        anomalies: 0,
    };
    recorder.add(&event, &Registry::new());
}

fn within<'t>(events: usize, bytes: usize) -> Recorder<'t> {
    let mut recorder = Recorder::new(settings(), &Nothing);
    recorder.most_events = events;
    recorder.budget = Budget::of(bytes);
    recorder
}

#[test]
fn events_behind_the_last_that_is_kept_are_counted() {
    let mut recorder = within(5, MOST_BYTES);
    for number in 0..8 {
        add(&mut recorder, "1", &format!("SELECT a FROM book WHERE id = {number}"));
    }
    let (log, _) = recorder.finish();
    assert_eq!((log.traces.len(), log.left_out, log.keys, log.classes.len()), (5, 3, 5, 1));
}

/// Each event has a table of its own: a class (224 bytes), a statement (160, and 96 for its table), a
/// table (320) and a set (28), and names of three to five bytes in each. Some 828 bytes: 100,000 hold
/// 115 to 121 of them.
#[test]
fn names_are_kept_within_a_budget() {
    let mut recorder = within(MOST_EVENTS, 100_000);
    for number in 0..300 {
        add(&mut recorder, "1", &format!("SELECT a FROM t{number}x"));
    }
    let (log, _) = recorder.finish();
    assert!((115..=121).contains(&log.traces.len()), "{}", log.traces.len());
    assert_eq!(log.traces.len() as u64 + log.left_out, 300);
    assert_eq!((log.tables.len(), log.classes.len()), (log.traces.len(), log.traces.len()));
}

/// Texts, connections and keys take a fixed part of what each event may take, and none of the budget.
#[test]
fn different_texts_and_connections_cost_no_budget() {
    let mut recorder = within(MOST_EVENTS, MOST_BYTES);
    add(&mut recorder, "0", "SET NAMES utf8");
    add(&mut recorder, "0", "SELECT a FROM book WHERE id = 0");
    let before = format!("{:?}", recorder.budget);
    for number in 1..500 {
        let thread = number.to_string();
        add(&mut recorder, &thread, "SET NAMES utf8");
        add(&mut recorder, &thread, &format!("SELECT a FROM book WHERE id = {number}"));
    }
    assert_eq!(format!("{:?}", recorder.budget), before);
    let (log, _) = recorder.finish();
    assert_eq!((log.keys, log.threads, log.left_out), (500, 500, 0));
}

/// What sessions set apart from each other is charged, and temporary tables as long as they live.
#[test]
fn what_sessions_keep_is_charged() {
    let mut recorder = within(MOST_EVENTS, 1_000_000);
    for number in 0..5_000 {
        add(&mut recorder, &number.to_string(), &format!("SET time_zone = '+{number}'"));
    }
    let (log, _) = recorder.finish();
    // 640 for each and 64 for its one variable with a name of two bytes or more.
    assert!((1_000..1_500).contains(&log.traces.len()), "{}", log.traces.len());

    let mut recorder = within(MOST_EVENTS, 50_000);
    for number in 0..5_000 {
        add(&mut recorder, "1", &format!("CREATE TEMPORARY TABLE t{} AS SELECT 1", number % 100));
        add(&mut recorder, "1", "Quit");
    }
    assert_eq!(recorder.finish().0.left_out, 0);
}

/// DROP DATABASE takes along what was used since the last one, also if it was used before that.
#[test]
fn a_database_is_dropped_with_its_tables() {
    let mut recorder = within(MOST_EVENTS, MOST_BYTES);
    let read = "SELECT a FROM book";
    for statement in [read, "SELECT a FROM shelf", "DROP DATABASE lib", "DROP DATABASE lib", read] {
        add(&mut recorder, "1", statement);
    }
    add(&mut recorder, "1", "DROP DATABASE `lib`");
    let (log, _) = recorder.finish();
    let sets: Vec<&[u32]> = log.traces.iter().map(|it| log.sets.get(it.tables)).collect();
    assert_eq!(sets, [&[0][..], &[1], &[0, 1], &[], &[0], &[0]]);
}

/// A CALL has the flag of its last statement and the time of all: 20 ms are no time of a hit, which
/// takes 40 µs. 399 hits of a statement of 5 ms save 4,960 µs each, with the CALLs and without.
#[test]
fn a_call_is_no_hit() {
    let saved = |calls: usize| {
        let mut recorder = within(MOST_EVENTS, MOST_BYTES);
        for number in 0..400 {
            let (micros, was_hit) = if number == 0 { (5_000, false) } else { (40, true) };
            add_timed(&mut recorder, "1", "SELECT a FROM book", micros, Some(was_hit));
        }
        for _ in 0..calls {
            add_timed(&mut recorder, "1", "CALL p()", 20_000, Some(true));
        }
        let (log, settings) = recorder.finish();
        let outcome = Simulator::new(&log, &settings).once(1 << 20);
        (outcome.hits, outcome.saved_micros)
    };
    assert_eq!(saved(0), (399, 399 * 4_960));
    assert_eq!(saved(600), saved(0));
}

/// What a statement comes to holds until a view of its own is defined anew.
#[test]
fn a_view_leaves_statements_alone_that_do_not_name_it() {
    let mut recorder = within(MOST_EVENTS, MOST_BYTES);
    let kept = |recorder: &mut Recorder<'_>| {
        let numbers = recorder.resolved.keys().copied().collect::<Vec<_>>();
        let mut held = |it: &(u32, u32)| recorder.still_resolved(it.0, it.1).is_some();
        numbers.iter().filter(|it| held(it)).count()
    };
    add(&mut recorder, "1", "CREATE VIEW cheap AS SELECT id FROM book");
    add(&mut recorder, "1", "CREATE VIEW few AS SELECT id FROM cheap");
    add(&mut recorder, "1", "SELECT a FROM few");
    add(&mut recorder, "1", "SELECT a FROM book");
    // Two definitions and two SELECTs.
    assert_eq!(kept(&mut recorder), 4);
    add(&mut recorder, "1", "CREATE VIEW other AS SELECT id FROM shelf");
    assert_eq!(kept(&mut recorder), 5);
    // The definition of `few` and the SELECT of it go, and the new definition comes.
    add(&mut recorder, "1", "CREATE OR REPLACE VIEW cheap AS SELECT id FROM loan");
    assert_eq!(kept(&mut recorder), 4);
}
