//! A tuning story, replayed: a log above ten seconds that hides the load, then a log of everything in
//! which two classes are nearly all of the time; and what somebody concludes from both.
//!
//! The logs are made here. The second one is an eighth of a real one in length and in events, so that
//! each rate is as it was: 259 events a second, 99 in 100 of them far below a second.

use std::fmt::Write as _;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::Value;

/// What a monitor showed: transactions, sorts and sorted rows a second, all processors busy.
const SEEN: &str = "tps=259.2,sorts=800..1000,sorted-rows=8000..10000,cpu=100";

/// 2019-09-26 13:44:08 UTC.
const BEGIN: i64 = 1_569_505_448;

/// Knuth's generator.
struct Dice(u64);

impl Dice {
    /// A number from 0 up to 1.
    fn part(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }

    fn below(&mut self, sides: u32) -> u32 {
        (self.part() * f64::from(sides)) as u32
    }
}

/// One event.
struct Event {
    /// Seconds from the begin of the log to its end.
    end: f64,
    seconds: f64,
    rows_sent: u32,
    rows_examined: u32,
    thread: u32,
    statement: String,
}

const RANGES: &str = "SELECT a.id, a.name, b.rate FROM test1 a JOIN rates b ON b.low <= a.weight AND \
                      b.high > a.weight WHERE a.zone = ";

/// The statement that sorts.
fn sorting(shop: u32) -> String {
    format!(
        "SELECT o.id, o.total, p.name FROM test2 o JOIN part p ON p.order_id = o.id WHERE o.shop_id = \
         {shop} AND o.state = 'open' AND o.created > '2019-09-01' ORDER BY o.created DESC, o.id LIMIT 20"
    )
}

/// So many runs of the statement that sorts, 12 to 20 seconds each, 16.2 on the average.
fn slow(count: u32, dice: &mut Dice) -> Vec<Event> {
    let event = |number| Event {
        end: 0.0,
        seconds: 12.4 + 7.6 * dice.part(),
        rows_sent: 0,
        rows_examined: 115_395,
        thread: 100 + number % 9,
        statement: sorting(number % 5),
    };
    (0..count).map(event).collect()
}

/// Spreads the ends of events evenly over a stretch.
fn spread(events: &mut [Event], from: f64, to: f64) {
    let count = events.len() as f64;
    for (place, event) in events.iter_mut().enumerate() {
        event.end = from + (to - from) * (place as f64 + 1.0) / count;
    }
}

fn text(events: &[Event]) -> String {
    let mut log =
        "/usr/sbin/mysqld, Version: 5.7.27-log (MySQL Community Server (GPL)). started with:\n\
                   Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\n\
                   Time                 Id Command    Argument\n"
            .to_owned();
    for event in events {
        let micros = (event.end * 1e6) as i64;
        let second = micros / 1_000_000;
        let (minute, rest) = ((44 * 60 + 8 + second) / 60, (8 + second) % 60);
        writeln!(
            log,
            "# Time: 2019-09-26T{:02}:{:02}:{rest:02}.{:06}Z\n\
             # User@Host: app[app] @ web1 [10.0.0.7]  Id: {:5}\n\
             # Query_time: {:.6}  Lock_time: 0.000100 Rows_sent: {}  Rows_examined: {}\n\
             SET timestamp={};\n{};",
            13 + minute / 60,
            minute % 60,
            micros % 1_000_000,
            event.thread,
            event.seconds,
            event.rows_sent,
            event.rows_examined,
            BEGIN + second,
            event.statement
        )
        .unwrap();
    }
    log
}

/// The log above ten seconds: one class, 280 events; with the seconds it is long.
fn first() -> (String, f64) {
    let mut events = slow(280, &mut Dice(3));
    spread(&mut events, 20.0, 480.0);
    (text(&events), 480.0 - begin(&events))
}

/// When the first of some events began.
fn begin(events: &[Event]) -> f64 {
    events.iter().map(|event| event.end - event.seconds).fold(f64::INFINITY, f64::min)
}

/// The log of everything, behind a minute of the one above; the percent of its time that the two
/// classes have; the seconds in which it has events.
fn second() -> (String, f64, f64) {
    let mut dice = Dice(5);
    let mut before = slow(35, &mut dice);
    spread(&mut before, 20.0, 60.0);
    let mut events = slow(88, &mut dice);
    for number in 0..8_169 {
        events.push(Event {
            end: 0.0,
            seconds: 0.1 + 0.5 * dice.part(),
            rows_sent: 3,
            rows_examined: 14_000,
            thread: 200 + number % 90,
            statement: format!("{RANGES}{}", dice.below(400)),
        });
    }
    // 25 classes of 2,767 events that take 1.67 ms on the average, and 3 that are rare.
    for class in 0..25_u32 {
        let letter = char::from(b'a' + class as u8);
        for number in 0..2_767 {
            let statement = match class {
                22.. => format!(
                    "UPDATE visit{letter} SET seen = {number} WHERE id = {}",
                    dice.below(90)
                ),
                _ => format!("SELECT id, name FROM item{letter} WHERE id = {}", dice.below(90)),
            };
            events.push(Event {
                end: 0.0,
                seconds: 0.000_088 + 0.003_164 * dice.part(),
                rows_sent: u32::from(class < 22),
                rows_examined: 1,
                thread: 200 + number % 90,
                statement,
            });
        }
    }
    for (table, count, seconds) in [("test3", 22, 1.4), ("test4", 10, 1.26), ("test5", 2, 0.63)] {
        for day in 1..=count {
            events.push(Event {
                end: 0.0,
                seconds,
                rows_sent: 1,
                rows_examined: 60_000,
                thread: 200 + day,
                statement: format!("SELECT COUNT(*) FROM {table} WHERE day = '2019-09-{day:02}'"),
            });
        }
    }
    // Fisher and Yates.
    for place in (1..events.len()).rev() {
        let other = dice.below(place as u32 + 1) as usize;
        events.swap(place, other);
    }
    spread(&mut events, 142.0, 320.0);
    let active = 320.0 - begin(&events) + 60.0 - begin(&before);
    let all: Vec<Event> = before.into_iter().chain(events).collect();
    let whole: f64 = all.iter().map(|event| event.seconds).sum();
    let is_one =
        |event: &&Event| event.statement.contains("test1") || event.statement.contains("test2");
    let two: f64 = all.iter().filter(is_one).map(|event| event.seconds).sum();
    (text(&all), two / whole * 100.0, active)
}

/// EXPLAIN of both: whole scans with a range checked for each record, and a sort behind an index.
fn plans() -> String {
    let table = |rows: [&str; 2]| {
        let head = "| id | select_type | table | partitions | type | possible_keys | key | key_len | ref | rows | filtered | Extra |";
        let line = "+----+-------------+-------+------------+------+---------------+-----+---------+-----+------+----------+-------+";
        format!("{line}\n{head}\n{line}\n{}\n{}\n{line}\n", rows[0], rows[1])
    };
    let ranges = table([
        "| 1 | SIMPLE | a | NULL | ALL | NULL | NULL | NULL | NULL | 70 | 1.43 | Using where |",
        "| 1 | SIMPLE | b | NULL | ALL | PRIMARY | NULL | NULL | NULL | 631 | 0.16 | Range checked for each record (index map: 0x1) |",
    ]);
    let sort = table([
        "| 1 | SIMPLE | o | NULL | ref | shop | shop | 4 | const | 102570 | 3.33 | Using index condition; Using where; Using filesort |",
        "| 1 | SIMPLE | p | NULL | ref | by_order | by_order | 8 | shop.o.id | 118 | 100.00 | Using where |",
    ]);
    format!("EXPLAIN {RANGES}7;\n{ranges}\nEXPLAIN {};\n{sort}\n", sorting(3))
}

fn variables(long_query_time: &str) -> String {
    format!(
        "Variable_name\tValue\nversion\t5.7.27-log\nhave_query_cache\tYES\nquery_cache_type\tOFF\n\
         query_cache_size\t1048576\nquery_cache_limit\t1048576\nquery_cache_min_res_unit\t4096\n\
         long_query_time\t{long_query_time}\nslow_query_log\tON\n"
    )
}

fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("story");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn advise(arguments: &[&str]) -> Value {
    let mut command = Command::cargo_bin("adagio").unwrap();
    let output = command.arg("advise").args(arguments).args(["-o", "json"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert_eq!(error, "");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Verdict, claim and reason of each link.
fn links(advice: &Value) -> Vec<(String, String, String)> {
    let links = advice["chain"].as_array().unwrap();
    let text = |link: &Value, key: &str| link[key].as_str().unwrap().to_owned();
    links.iter().map(|it| (text(it, "verdict"), text(it, "claim"), text(it, "because"))).collect()
}

/// The place of the link with a claim, its verdict and its reason.
fn link(links: &[(String, String, String)], claim: &str) -> (usize, String, String) {
    let found = links.iter().enumerate().find(|(_, link)| link.1 == claim);
    let (place, (verdict, _, because)) =
        found.unwrap_or_else(|| panic!("no link {claim:?} in {links:#?}"));
    (place, verdict.clone(), because.clone())
}

#[test]
fn a_log_above_ten_seconds_hides_the_load() {
    let (log, seconds) = first();
    let (log, variables) = (file("first.log", &log), file("first.txt", &variables("10.000000")));
    let advice = advise(&[&log, "--variables", &variables, "--observed", SEEN]);
    let links = links(&advice);
    let (place, verdict, because) = link(&links, "The log hides the load");
    // 280 events in some 480 s.
    assert_eq!((place, verdict.as_str()), (0, "holds"));
    let rate = 280.0 / seconds;
    let want = format!(
        "{rate:.3} events a second are logged, 259 transactions a second ran, each of a statement at \
         least: {:.3} % at most",
        rate / 259.2 * 100.0
    );
    assert_eq!(because, want);
    let findings = advice["advice"].as_array().unwrap();
    assert_eq!(findings[0]["rule"], "WORK001");
    assert_eq!(findings[0]["severity"], "high");
    let sql = findings[0]["recommendation"]["sql"].as_array().unwrap();
    assert_eq!(sql, &["SET GLOBAL long_query_time = 0"]);
    // Of one class nothing is concentrated, and of a part of the load nothing is said by share.
    assert!(findings.iter().all(|it| it["rule"] != "WORK004"));
    // Whether a cache pays is no question for such a log.
    let cache = links.iter().find(|link| link.1.contains("query cache")).unwrap();
    assert_eq!(cache.0, "open");
    let coverage = advice["facts"]["coverage"].as_f64().unwrap();
    assert!((coverage - rate / 259.2).abs() < 1e-4, "{coverage}");
    assert!(advice["facts"]["effective_threshold"].as_f64().unwrap() >= 12.0);
}

#[test]
fn a_log_of_everything_is_tested_link_by_link() {
    let (log, share, active) = second();
    // By construction the two classes are what they were: 96.8 %.
    assert!((96.7..97.0).contains(&share), "{share}");
    let (log, variables) = (file("second.log", &log), file("second.txt", &variables("1.000000")));
    let plans = file("plans.txt", &plans());
    let known = ["--variables", &variables, "--plans", &plans, "--observed", SEEN];
    let advice = advise(&[&[log.as_str()], &known[..]].concat());
    let links = links(&advice);

    // The threshold of one second is not the one of this log, and it is of two runs.
    let (threshold, verdict, because) = link(&links, "The log was written with a threshold of 1 s");
    assert_eq!(verdict, "does-not-hold");
    assert!(because.contains("of the events are shorter, down to 88 us"), "{because}");
    let (runs, verdict, because) = link(&links, "The log is of one run");
    assert_eq!(verdict, "does-not-hold");
    assert!(because.starts_with("none of the first 35 events is shorter than"), "{because}");

    let claim = format!("2 of 30 classes are {share:.1} % of the time");
    let (few, verdict, _) = link(&links, &claim);
    assert_eq!(verdict, "holds");
    let (locks, verdict, _) = link(&links, "Locks are the time");
    assert_eq!(verdict, "does-not-hold");

    let (cache, verdict, because) = link(&links, "The query cache would pay for this log");
    assert_eq!(verdict, "holds", "{because}");

    let (sorts, verdict, because) = link(&links, "The log explains 800 to 1,000 sorts a second");
    assert_eq!(verdict, "does-not-hold");
    // 123 runs in some 250 s with events.
    let rate = 123.0 / active;
    let want = format!("the classes that sort do so {rate:.3} times a second");
    assert!(because.starts_with(&want), "{want} {because}");
    let (rows, verdict, _) = link(&links, "The log explains 8,000 to 10,000 sorted rows a second");
    assert_eq!(verdict, "does-not-hold");
    // 102,570 rows of which 3.33 % stay, half a time a second.
    let sorted = advice["chain"][rows]["evidence"]["sorted_rows_per_second_of_log"].as_f64();
    assert!((sorted.unwrap() - rate * 102_570.0 * 0.033_3).abs() < 1.0, "{sorted:?}");
    let claim = "That events and transactions a second agree shows that the log is whole";
    let (transactions, verdict, _) = link(&links, claim);
    assert_eq!(verdict, "does-not-hold");

    let order = [threshold, runs, few, locks, cache, transactions, sorts, rows];
    assert!(order.is_sorted(), "{order:?} {links:#?}");
    // What is said of the log comes before what it shows.
    let rules: Vec<&str> =
        advice["advice"].as_array().unwrap().iter().filter_map(|it| it["rule"].as_str()).collect();
    assert_eq!(&rules[..2], ["WORK002", "WORK003"]);
    assert!(rules.contains(&"WORK004") && rules.contains(&"QC001"), "{rules:?}");
}

#[test]
fn statements_a_second_show_what_the_log_lacks() {
    let (log, _, active) = second();
    let log = file("second-again.log", &log);
    let advice = advise(&[&log, "--observed", "qps=2500..3000"]);
    let (place, verdict, because) = link(&links(&advice), "The log hides the load");
    assert_eq!((place, verdict.as_str()), (0, "holds"));
    // 77,501 events: 35, 88, 8,169, 25 times 2,767, 22, 10 and 2.
    let rate = 77_501.0 / active;
    let want = format!(
        "{rate:.0} events a second are logged, 2,500 to 3,000 statements a second ran: {:.1} to {:.1} %",
        rate / 30.0,
        rate / 25.0
    );
    assert_eq!(because, want);
    let advice = advise(&[&log, "--observed", "qps=330"]);
    let (_, verdict, _) = link(&links(&advice), "The log shows the load");
    assert_eq!(verdict, "holds");
}
