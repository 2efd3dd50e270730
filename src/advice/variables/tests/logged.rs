//! What rules of variables see in a log.

use super::*;

/// A log of one class beside another that takes the rest of 1,000,000 µs.
fn on_log(given: &str, sample: &str, micros: u64, load: crate::advice::plan::Load) -> String {
    let class = |id: u8, sample: &str, micros, load| Class {
        id: ClassId([id; 16]),
        samples: vec![sample.to_owned()],
        database: None,
        calls: 10,
        weight: None,
        micros: Some(micros),
        lock_micros: None,
        load,
        rows_affected: None,
        plans: Vec::new(),
        measured: None,
    };
    let rest = 1_000_000_u64.saturating_sub(micros);
    let workload = Workload {
        classes: vec![
            class(1, sample, micros, load),
            class(2, "SELECT 1", rest, crate::advice::plan::Load::default()),
        ],
        is_timed: true,
        window_micros: Some(60_000_000),
        ..Workload::default()
    };
    shown(&advise(&facts(given), &workload, None, &[]).findings)
}

#[test]
fn clients_that_are_cut_off_are_told_by_counters_and_a_log() {
    let sends = |bytes: u64| crate::advice::plan::Load {
        bytes_sent: Some(crate::advice::plan::PerCall {
            mean: crate::plan::Amount::whole(bytes / 2),
            most: crate::plan::Amount::whole(bytes),
        }),
        ..crate::advice::plan::Load::default()
    };
    let aborted = |clients: u64| {
        format!(
            "{M8} net_write_timeout=60 wait_timeout=28800 | s Uptime=10000 Connections=1000 Aborted_clients={clients}"
        )
    };
    let said = |clients, bytes| on_log(&aborted(clients), "SELECT a FROM t", 1, sends(bytes));
    // 30 of 1,000 are 3 %; 1 MiB is 1,048,576 bytes.
    assert_eq!(said(30, 1_048_576), "VAR024 net_write_timeout 60>120");
    assert_eq!(said(29, 1_048_576), "");
    assert_eq!(said(30, 1_048_575), "");
    let quiet = on_log(&aborted(900), "SELECT a FROM t", 1, crate::advice::plan::Load::default());
    assert_eq!(quiet, "");
    check(&aborted(900), "");
}

#[test]
fn statements_without_a_limit_are_told_by_the_longest_call() {
    let said = |given: &str, sample: &str, micros: u64| {
        let load = crate::advice::plan::Load {
            longest_micros: Some(micros),
            ..crate::advice::plan::Load::default()
        };
        on_log(given, sample, 900_000, load)
    };
    let m8 = format!("{M8} max_execution_time=0");
    let maria = format!("{MARIA} max_statement_time=0.000000");
    let minute = 60_000_000;
    assert_eq!(said(&m8, "SELECT a FROM t", minute), "VAR025");
    assert_eq!(said(&m8, "(SELECT a FROM t) UNION (SELECT 1)", minute), "VAR025");
    assert_eq!(said(&m8, "SELECT a FROM t", minute - 1), "");
    assert_eq!(said(&m8, "/* app */ SELECT a FROM t", minute), "VAR025");
    // MySQL ends a SELECT only.
    assert_eq!(said(&m8, "UPDATE t SET a = 1", minute), "");
    let update = "WITH x AS (SELECT 1 AS a) UPDATE t JOIN x USING (a) SET b = 2";
    assert_eq!(said(&m8, update, minute), "");
    assert_eq!(said(&maria, "UPDATE t SET a = 1", minute), "VAR025");
    assert_eq!(said(&maria, "SELECT /*!40001 SQL_NO_CACHE */ * FROM t", minute), "");
    assert_eq!(said(&maria, "select sql_no_cache * from t", minute), "");
    // Behind 39 bytes letters of two bytes each: byte 64 lies inside of the 13th.
    let dump = format!("SELECT /*!40001 SQL_NO_CACHE */ * FROM {}", "é".repeat(20));
    assert!(!dump.is_char_boundary(64));
    assert_eq!(said(&maria, &dump, minute), "");
    assert_eq!(said(&maria, "SELECT a FROM t WHERE b = 'SQL_NO_CACHE'", minute), "VAR025");
    assert_eq!(said(&format!("{MARIA} max_statement_time=30.5"), "SELECT a FROM t", minute), "");
    assert_eq!(said(&format!("{MARIA} port=3306"), "SELECT a FROM t", minute), "");
}

#[test]
fn long_writes_ask_for_a_longer_packet() {
    let said = |packet: u64, sample: &str, bytes: u64| {
        let load = crate::advice::plan::Load {
            longest_statement: Some(bytes),
            ..crate::advice::plan::Load::default()
        };
        on_log(&format!("{MARIA} max_allowed_packet={packet}"), sample, 1, load)
    };
    let speaks = "VAR028 max_allowed_packet 4194304>67108864";
    assert_eq!(said(4_194_304, "INSERT INTO t VALUES ('x')", 1_048_576), speaks);
    assert_eq!(said(4_194_304, "INSERT INTO t VALUES ('x')", 1_048_575), "");
    assert_eq!(said(16_777_216, "INSERT INTO t VALUES ('x')", 1_048_576), "");
    assert_eq!(said(4_194_304, "SELECT a FROM t WHERE b IN (1)", 1_048_576), "");
    assert_eq!(said(4_194_304, "/* app */ INSERT INTO t VALUES ('x')", 1_048_576), speaks);
}

#[test]
fn waits_for_rows_are_told_by_their_share_of_the_log() {
    let said = |timeout: u64, waits: Option<u64>, counters: &str| {
        let load = crate::advice::plan::Load {
            row_lock_micros: waits,
            ..crate::advice::plan::Load::default()
        };
        let given = format!("{M57} innodb_lock_wait_timeout={timeout}{counters}");
        on_log(&given, "UPDATE t SET a = 1 WHERE id = 7", 200_000, load)
    };
    let speaks = "VAR037 innodb_lock_wait_timeout 120>50";
    // 50,000 of 1,000,000 µs are 5 %.
    assert_eq!(said(120, Some(50_000), ""), speaks);
    assert_eq!(said(120, Some(49_999), ""), "");
    assert_eq!(said(100, Some(900_000), ""), "");
    // The log tells of its own time; counters only where it does not.
    let counters = " | s Uptime=10000 Innodb_row_lock_time=600000";
    assert_eq!(said(120, Some(0), counters), "");
    assert_eq!(said(120, None, counters), speaks);
}

#[test]
fn statistics_that_do_not_last_are_told_where_plans_went_wrong() {
    let said = |given: &str, rule: &'static str| {
        let wrong = Finding {
            rule,
            category: crate::advice::Category::Plan,
            severity: Severity::Medium,
            confidence: Confidence::High,
            title: "10 rows were expected and 90,000 came".to_owned(),
            subject: crate::advice::Subject::default(),
            evidence: Vec::new(),
            recommendation: crate::advice::Recommendation::default(),
            benefit: None,
            verify: String::new(),
            queries: Vec::new(),
        };
        shown(&advise(&facts(given), &Workload::default(), None, &[wrong]).findings)
    };
    let off = format!("{M57} innodb_stats_persistent=OFF");
    let speaks = "VAR036 innodb_stats_persistent OFF>ON";
    assert_eq!(said(&off, "PLAN008"), speaks);
    assert_eq!(said(&off, "PLAN014"), speaks);
    assert_eq!(said(&off, "PLAN001"), "");
    assert_eq!(said(&format!("{M57} innodb_stats_persistent=ON"), "PLAN008"), "");
    check(&off, "");
    let looks = "v version=5.5.62 innodb_stats_on_metadata=ON";
    let load = crate::advice::plan::Load::default();
    let speaks = "VAR036 innodb_stats_on_metadata ON>OFF";
    assert_eq!(on_log(looks, "SHOW TABLE STATUS LIKE 'a%'", 1, load), speaks);
    let read = "SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = 'a'";
    assert_eq!(on_log(looks, read, 1, load), speaks);
    assert_eq!(on_log(looks, "SELECT 'information_schema.tables' FROM t", 1, load), "");
}

#[test]
fn a_threshold_hides_what_is_fast() {
    let said = |seconds: &str, slow: u64, micros: u64| {
        let given = format!(
            "{M57} slow_query_log=ON long_query_time={seconds} | s Uptime=10000 Questions=1000000 Slow_queries={slow}"
        );
        on_log(&given, "SELECT a FROM t", micros, crate::advice::plan::Load::default())
    };
    // Ten calls of each class: means of 60,000,000 and, of the other one, none at all.
    assert_eq!(said("1.000000", 900, 600_000_000), "");
    let given = |counters: &str| {
        facts(&format!("{M57} slow_query_log=ON long_query_time=1.000000 {counters}"))
    };
    let class = Class {
        id: ClassId([1; 16]),
        samples: vec!["SELECT a FROM t".to_owned()],
        database: None,
        calls: 10,
        weight: None,
        micros: Some(20_000_000),
        lock_micros: None,
        load: crate::advice::plan::Load::default(),
        rows_affected: None,
        plans: Vec::new(),
        measured: None,
    };
    let workload = Workload {
        classes: vec![class],
        is_timed: true,
        window_micros: Some(60_000_000),
        ..Workload::default()
    };
    let said = |counters: &str| shown(&advise(&given(counters), &workload, None, &[]).findings);
    let few = "| s Uptime=10000 Questions=1000000 Slow_queries=900";
    assert_eq!(said(few), "VAR030 long_query_time 1>0");
    assert_eq!(said("| s Uptime=10000 Questions=1000 Slow_queries=500"), "");
    assert_eq!(said(""), "");
    let found = advise(&given(few), &workload, None, &[]).findings;
    // Nothing that is to be set back stays beyond a restart.
    assert_eq!(found[0].recommendation.sql, ["SET GLOBAL long_query_time = 0"]);
    assert_eq!(found[0].recommendation.undo, ["SET GLOBAL long_query_time = 1"]);
    assert_eq!(found[0].recommendation.variables[0].option_line, "");
}

#[test]
fn a_log_that_is_off_is_told_where_advice_wants_one() {
    let joins = "join_buffer_size=16777216 slow_query_log=OFF long_query_time=10.000000";
    let some = "| s Uptime=10000 Select_full_join=90000";
    of(
        M57,
        &format!("{joins} {some}"),
        "VAR012 join_buffer_size 16777216>262144; VAR030 slow_query_log OFF>ON",
    );
    of(M57, joins, "VAR012 join_buffer_size 16777216>262144");
    of(M57, "slow_query_log=OFF", "");
}

#[test]
fn bulk_inserts_of_a_log_ask_for_another_lock_mode() {
    let said = |variables: &str, statement: &str, micros: u64| {
        let class = |id: u8, sample: &str, micros| Class {
            id: ClassId([id; 16]),
            samples: vec![sample.to_owned()],
            database: None,
            calls: 10,
            weight: None,
            micros: Some(micros),
            lock_micros: None,
            load: crate::advice::plan::Load::default(),
            rows_affected: None,
            plans: Vec::new(),
            measured: None,
        };
        let workload = Workload {
            classes: vec![class(1, statement, micros), class(2, "SELECT 1", 1_000 - micros)],
            is_timed: true,
            window_micros: Some(60_000_000),
            ..Workload::default()
        };
        shown(
            &advise(
                &facts(&format!(
                    "v version=10.6.16-MariaDB innodb_autoinc_lock_mode=1 {variables}"
                )),
                &workload,
                None,
                &[],
            )
            .findings,
        )
    };
    let speaks = "VAR022 innodb_autoinc_lock_mode 1>2!";
    let row = "log_bin=ON sync_binlog=1 binlog_format=ROW";
    assert_eq!(said(row, "INSERT INTO a (b) SELECT c FROM d", 50), speaks);
    assert_eq!(said(row, "insert into a (b) select c from d", 49), "");
    assert_eq!(said("log_bin=OFF", "LOAD DATA INFILE 'x' INTO TABLE a", 900), speaks);
    assert_eq!(said(row, "/* app */ INSERT INTO a (b) SELECT c FROM d", 50), speaks);
    assert_eq!(said(row, "/* app */ load  data infile 'x' into table a", 50), speaks);
    assert_eq!(
        said("log_bin=ON sync_binlog=1 binlog_format=MIXED", "INSERT INTO a SELECT c FROM d", 900),
        ""
    );
    assert_eq!(said(row, "INSERT INTO a (b) VALUES (' select ')", 900), "");
    assert_eq!(said(row, "INSERT INTO a (b) VALUES ((SELECT MAX(c) FROM d))", 900), "");
}
