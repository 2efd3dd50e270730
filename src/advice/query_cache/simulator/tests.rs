//! Small loads with what the server makes of them. What is expected was measured on MariaDB 10.11
//! and 11.8, statement by statement, or is shown arithmetic.

use crate::advice::query_cache::recorder::Recorder;
use crate::advice::query_cache::trace::{Engine, Nothing, Tables};
use crate::event::{Attribute, Event, Kind, Value};
use crate::metric::{self, Registry};
use crate::server::Variables;

use super::*;

/// One line: the connection, a colon, the statement; `=N` before the colon rows affected, `!N` bytes
/// sent.
fn record(lines: &[&str], settings: Settings, known: &dyn Tables) -> (Log, Settings) {
    let registry = Registry::new();
    let mut recorder = Recorder::new(settings, known);
    for (number, line) in lines.iter().enumerate() {
        let (head, statement) = line.split_once(": ").unwrap();
        let end = head.find(['=', '!']).unwrap_or(head.len());
        let (thread, marks) = head.split_at(end);
        let mut attributes = vec![
            number_of("Rows_sent", 1),
            number_of("Rows_examined", 1),
            number_of("Lock_time", 10),
        ];
        for mark in marks
            .split_inclusive(|c: char| c.is_ascii_digit())
            .collect::<String>()
            .split_inclusive(' ')
        {
            let mark = mark.trim();
            match mark.chars().next() {
                Some('=') => {
                    attributes.push(number_of("Rows_affected", mark[1..].parse().unwrap()))
                }
                Some('!') => attributes.push(number_of("Bytes_sent", mark[1..].parse().unwrap())),
                _ => {}
            }
        }
        recorder.add(
            &Event {
                buffer: statement.as_bytes(),
                source: 0,
                offset: number as u64 * 100,
                length: 100,
                ts: None,
                start: None,
                database: Some(b"lib"),
                database_inherited: false,
                user: None,
                host: None,
                ip: None,
                thread_id: Some(thread.as_bytes()),
                kind: Kind::Query,
                statement: statement.as_bytes(),
                outline: None,
                text: statement.as_bytes(),
                query_time: Some(1_000),
                present: 0,
                attributes: &attributes,
                plan: None,
                anomalies: 0,
            },
            &registry,
        );
    }
    recorder.finish()
}

fn number_of(name: &str, number: i128) -> Attribute {
    let metric = metric::METRICS.iter().position(|row| row.name == name).unwrap();
    Attribute { metric: metric::MetricId(metric as u16), value: Value::Number(number) }
}

fn maria(pairs: &[(&str, &str)]) -> Settings {
    let given = [("version", "10.11.6-MariaDB"), ("query_cache_type", "ON")];
    let all = given.iter().chain(pairs);
    let variables: Variables =
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::of(&variables)
}

fn told_with(lines: &[&str], settings: Settings, known: &dyn Tables) -> (String, Outcome) {
    let (log, settings) = record(lines, settings, known);
    let steps = Steps::of(&log, Order::Serial);
    let how = Replay { size: 1 << 20, percent: 100, in_blocks: true, predicts: true };
    let outcome = replay(&log, &steps, &settings, how);
    let letter = |it: &Prediction| match it {
        Prediction::None => '.',
        Prediction::Hit => 'H',
        Prediction::Miss => 'm',
        Prediction::Uncacheable => 'u',
    };
    (outcome.predictions.iter().map(letter).collect(), outcome)
}

fn told(lines: &[&str]) -> String {
    told_with(lines, maria(&[]), &Nothing).0
}

const BOOK: &str = "1: SELECT title FROM book WHERE id = 7";
const BOOK_OF_2: &str = "2: SELECT title FROM book WHERE id = 7";

#[test]
fn the_key_is_the_text_byte_by_byte() {
    assert_eq!(told(&[BOOK, BOOK, BOOK_OF_2]), "mHH");
    assert_eq!(told(&[BOOK, "1: select title FROM book WHERE id = 7"]), "mm");
    assert_eq!(told(&[BOOK, "1: SELECT title  FROM book WHERE id = 7"]), "mm");
    assert_eq!(told(&[BOOK, "1: /* r1 */ SELECT title FROM book WHERE id = 7"]), "mm");
    assert_eq!(told(&[BOOK, "1:  SELECT title FROM book WHERE id = 7 ;"]), "mH");
}

#[test]
fn mariadb_may_leave_comments_out_of_the_key() {
    let lines = [BOOK, "1: /* r1 */ SELECT title /* x */ FROM book WHERE id = 7"];
    let strips = maria(&[("query_cache_strip_comments", "ON")]);
    assert_eq!(told_with(&lines, strips, &Nothing).0, "mH");
}

#[test]
fn what_a_session_sets_is_part_of_the_key() {
    let lines =
        [BOOK, "1: SET time_zone = '+02:00'", BOOK, BOOK, "1: SET time_zone = DEFAULT", BOOK];
    assert_eq!(told(&lines), "m.mH.H");
    assert_eq!(told(&[BOOK, "1: SET optimizer_switch = 'mrr=on'", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1: SET autocommit = 0", BOOK, BOOK, "1: COMMIT", BOOK]), "m.mH.H");
    assert_eq!(told(&[BOOK, "1: SET SESSION query_cache_type = OFF", BOOK]), "m.u");
}

#[test]
fn a_write_drops_what_reads_its_table_if_it_changes_a_row() {
    let write = "1=1: UPDATE book SET stock = stock - 1 WHERE id = 3";
    assert_eq!(told(&[BOOK, write, BOOK, BOOK]), "m.mH");
    assert_eq!(told(&[BOOK, "1=0: UPDATE book SET stock = 1 WHERE id = 3", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1=1: UPDATE shelf SET room = 1", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1: UPDATE book SET stock = 1", BOOK]), "m.m");
    assert_eq!(told(&[BOOK, "1=4: INSERT INTO loan SELECT id FROM book", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1=0: ALTER TABLE book COMMENT 'x'", BOOK]), "m.m");
    assert_eq!(told(&[BOOK, "1=0: ANALYZE TABLE book", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1=0: FLUSH TABLES", BOOK]), "m.m");
    assert_eq!(told(&[BOOK, "1=0: FLUSH QUERY CACHE", BOOK]), "m.H");
    assert_eq!(told(&[BOOK, "1=0: RESET QUERY CACHE", BOOK]), "m.m");
}

/// MyISAM drops results by every write.
#[test]
fn an_engine_without_rows_of_its_own_counts_each_write() {
    struct MyIsam;
    impl Tables for MyIsam {
        fn engine(&self, _: &str, _: &str) -> Option<Engine> {
            Some(Engine::MyIsam)
        }
        fn view(&self, _: &str, _: &str) -> Option<String> {
            None
        }
        fn is_partitioned(&self, _: &str, _: &str) -> bool {
            false
        }
        fn children(&self, _: &str, _: &str) -> Vec<(String, String)> {
            Vec::new()
        }
    }
    let lines = [BOOK, "1=0: UPDATE book SET stock = 1 WHERE id = 3", BOOK];
    assert_eq!(told_with(&lines, maria(&[]), &MyIsam).0, "m.m");
}

#[test]
fn a_view_goes_with_the_table_behind_it() {
    let read = "1: SELECT COUNT(*) FROM cheap";
    let lines = [
        "1: CREATE VIEW cheap AS SELECT id FROM book WHERE price < 5",
        read,
        read,
        "1=1: UPDATE book SET price = 1 WHERE id = 3",
        read,
    ];
    assert_eq!(told(&lines), ".mH.m");
}

/// A view is what its name stands for now, also behind another view.
#[test]
fn a_view_that_is_defined_anew_has_other_tables_behind_it() {
    let read = "1: SELECT COUNT(*) FROM few";
    let lines = [
        "1: CREATE VIEW cheap AS SELECT id FROM book WHERE price < 5",
        "1: CREATE VIEW few AS SELECT id FROM cheap LIMIT 3",
        read,
        read,
        "1: CREATE OR REPLACE VIEW cheap AS SELECT id FROM shelf",
        read,
        read,
        "1=1: UPDATE shelf SET room = 1",
        read,
        "1: CREATE VIEW late AS SELECT id FROM few",
        "1: CREATE OR REPLACE VIEW few AS SELECT id FROM loan",
        "1: SELECT COUNT(*) FROM late",
        "1=1: UPDATE loan SET due = 1",
        "1: SELECT COUNT(*) FROM late",
    ];
    assert_eq!(told(&lines), "..mH.mH.m..m.m");
}

/// A transaction has entries of its own; while it holds a lock nothing of the table is stored, and
/// it is not answered itself. Others are, as long as the result is there.
#[test]
fn locks_of_a_transaction_keep_results_out() {
    let write = "1=1: UPDATE book SET stock = 3 WHERE id = 9";
    let lines = [
        BOOK,
        "1: BEGIN",
        BOOK,
        BOOK,
        write,
        BOOK,
        BOOK,
        BOOK_OF_2,
        BOOK_OF_2,
        "1: COMMIT",
        BOOK_OF_2,
        BOOK,
    ];
    assert_eq!(told(&lines), "m.mH.mmmm.mH");
    let locking = "2: SELECT title FROM book WHERE id = 7 FOR UPDATE";
    let lines = ["2: BEGIN", locking, BOOK, BOOK, "2: ROLLBACK", BOOK, BOOK];
    assert_eq!(told(&lines), ".umm.mH");
}

/// A snapshot older than the last change of a table neither reads nor stores.
#[test]
fn an_old_snapshot_does_not_use_the_cache() {
    let write = "2=1: UPDATE book SET stock = 3 WHERE id = 9";
    let lines = ["1: BEGIN", BOOK, write, BOOK, BOOK, "1: COMMIT", BOOK];
    assert_eq!(told(&lines), ".m.mm.m");
    let lines = [
        "1: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
        "1: BEGIN",
        BOOK,
        write,
        BOOK,
        BOOK,
    ];
    assert_eq!(told(&lines), "..m.mH");
}

#[test]
fn nothing_is_stored_where_it_must_not() {
    let lines = ["1: LOCK TABLES book WRITE", BOOK, "1: UNLOCK TABLES", BOOK, BOOK];
    assert_eq!(told(&lines), ".u.mH");
    let lines =
        ["1: CREATE TEMPORARY TABLE t AS SELECT 1", "1: SELECT a FROM t", "2: SELECT a FROM t"];
    assert_eq!(told(&lines), ".um");
    assert_eq!(told(&["1: SELECT user FROM mysql.user", "1: SELECT NOW(), id FROM book"]), "uu");
    let demand = maria(&[("query_cache_type", "DEMAND")]);
    let yes = "1: SELECT SQL_CACHE title FROM book";
    let (told, outcome) = told_with(&[BOOK, BOOK, yes, yes], demand, &Nothing);
    assert_eq!((told.as_str(), outcome.not_cached, outcome.inserts), ("uumH", 2, 1));
}

/// As the server counts: a result above the limit twice, SQL_NO_CACHE not at all.
#[test]
fn counters_are_those_of_the_server() {
    let large = "1!70000: SELECT blurb FROM book";
    let no = "1: SELECT SQL_NO_CACHE title FROM book";
    let now = "1: SELECT NOW(), id FROM book";
    let settings = maria(&[("query_cache_limit", "65536")]);
    let (told, outcome) = told_with(&[large, large, no, now, BOOK, BOOK], settings, &Nothing);
    assert_eq!(told, "mmuumH");
    assert_eq!((outcome.not_cached, outcome.inserts, outcome.hits), (5, 1, 1));
    assert_eq!((outcome.selects, outcome.oversize), (6, 2));
}

/// SET TRANSACTION is meant for the next transaction and no other, measured on MariaDB 10.11.14: `u`
/// where Qcache_not_cached grows, `m` where Qcache_inserts does.
#[test]
fn the_isolation_of_the_next_transaction_lasts_until_that_ends() {
    const TITLE: &str = "1: SELECT title FROM book";
    const STOCK: &str = "1: SELECT stock FROM book";
    let behind = |lines: &[&str]| {
        let next = "1: SET TRANSACTION ISOLATION LEVEL SERIALIZABLE";
        told(&[&[next], lines].concat()).replace('.', "")
    };
    let (begin, commit) = ("1: BEGIN", "1: COMMIT");
    assert_eq!(behind(&[begin, TITLE, STOCK, commit, begin, TITLE]), "uum");
    assert_eq!(behind(&[begin, TITLE, begin, STOCK]), "um");
    assert_eq!(behind(&[begin, TITLE, "1: COMMIT AND CHAIN", STOCK]), "uu");
    assert_eq!(behind(&[commit, begin, STOCK]), "m");
    assert_eq!(behind(&["1: CREATE TABLE shelf (id INT)", begin, STOCK]), "m");
    assert_eq!(behind(&["1: UNLOCK TABLES", begin, STOCK]), "u");
    // A statement outside of a transaction is one itself.
    assert_eq!(behind(&[TITLE, begin, STOCK]), "mm");
    assert_eq!(behind(&["1=1: UPDATE book SET stock = 1", begin, STOCK]), "m");
    assert_eq!(behind(&["1: SELECT 1", begin, STOCK]), "uu");
    // Without autocommit the first statement begins one.
    let manual = "1: SET autocommit = 0";
    assert_eq!(behind(&[manual, begin, STOCK]), "u");
    assert_eq!(behind(&[manual, TITLE, begin, STOCK]), "um");
}

/// 1 MiB less 17,304 bytes are 1,031,272. A result of 100,000 bytes and 64 in one block, with 512 for
/// its statement and 512 once for its table: ten take 512 + 10 * 100,576 = 1,006,272, and the eleventh
/// pushes out the one used longest ago. It begins in what is free at the end and goes on where the other
/// was, so it has 64 more, and the one behind it has its statement (512) before another goes for it.
#[test]
fn what_was_used_longest_ago_goes_first() {
    let line = |id: usize| format!("1!100000: SELECT blurb FROM book WHERE id = {id}");
    let mut lines: Vec<String> = (0..10).map(line).collect();
    lines.extend([line(0), line(10), line(0), line(1)]);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (told, outcome) = told_with(&lines, maria(&[]), &Nothing);
    assert_eq!(told, "mmmmmmmmmmHmHm");
    assert_eq!(outcome.prunes, 2);
    assert_eq!(outcome.peak, 512 + 10 * 100_576 + 64 + 512);
}

/// Each hit saves the time the statement took less 50 µs, which a hit takes.
#[test]
fn what_a_hit_saves() {
    let (_, outcome) = told_with(&[BOOK, BOOK, BOOK], maria(&[]), &Nothing);
    assert_eq!((outcome.hits, outcome.saved_micros, outcome.unused), (2, 2 * 950, 0));
}

/// Statements that run at once both run: the first has not stored its result when the second asks.
#[test]
fn equal_statements_that_run_at_once_both_miss() {
    let (log, settings) = record(&[BOOK, BOOK_OF_2, BOOK], maria(&[]), &Nothing);
    let how = Replay { size: 1 << 20, percent: 100, in_blocks: true, predicts: true };
    let outcome = replay(&log, &Steps::of(&log, Order::Rebuilt), &settings, how);
    assert_eq!(outcome.predictions, [Prediction::Miss, Prediction::Miss, Prediction::Hit]);
    assert_eq!((outcome.inserts, outcome.not_cached), (1, 1));
}

/// The first two run at once, and one hit hangs on that; the others come one after the other.
/// One, and a hundredth of a hundred hits, is the margin.
#[test]
fn the_range_is_as_wide_as_what_hangs_on_the_order() {
    let lines: Vec<&str> = [BOOK, BOOK_OF_2].into_iter().cycle().take(102).collect();
    let (log, settings) = record(&lines, maria(&[]), &Nothing);
    let simulator = Simulator::new(&log, &settings);
    assert_eq!(simulator.order(), Order::Rebuilt);
    let told = simulator.run(1 << 20, false);
    assert_eq!((told.outcome.hits, told.contested), (100, 1));
    assert_eq!((told.hits_low, told.hits_high), (98, 102));
}

/// Twenty texts are asked for seven times each: twice at once and five times behind that. 20 hits hang
/// on what ran at once, and 100 do not; 7 % of these are 7.
#[test]
fn the_range_has_a_greatest_width() {
    let mut lines: Vec<String> = Vec::new();
    for number in 0..20 {
        for turn in 0..7 {
            lines.push(format!("{}: SELECT title FROM book WHERE id = {number}", 1 + turn % 2));
        }
        lines.push("2: SELECT NOW()".to_owned());
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (log, settings) = record(&lines, maria(&[]), &Nothing);
    let told = Simulator::new(&log, &settings).run(1 << 20, false);
    assert_eq!((told.outcome.hits, told.contested), (100, 20));
    assert_eq!((told.hits_low, told.hits_high), (93, 107));
}

#[test]
fn no_statement_panics() {
    let lines = [
        "1: ",
        "1: ((((",
        "1: SET",
        "1: SET ,,=",
        "1: SELECT",
        "1: WITH",
        "1: CREATE VIEW",
        "1: DROP DATABASE",
        "1: UPDATE",
        "1: FLUSH TABLES",
        "1: LOCK TABLES",
        "1: COMMIT",
        "1: SET NAMES",
        "1: CALL x",
        "1: SELECT `",
    ];
    let _ = told(&lines);
}
