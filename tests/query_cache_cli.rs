//! `adagio advise` with a query cache to replay: from a log to facts, trace and words.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

const VARIABLES: &str = "version\t10.11.6-MariaDB-log\nquery_cache_type\tON\nquery_cache_size\t1048576\n\
                         query_cache_limit\t1048576\nlong_query_time\t0.000000\n";

/// An entry of one connection, a thousandth of a second each.
fn entry(statement: &str, rows_affected: u32) -> String {
    format!(
        "# User@Host: app[app] @ localhost []\n# Thread_id: 7  Schema: lib  QC_hit: No\n\
         # Query_time: 0.001000  Lock_time: 0.000010  Rows_sent: 1  Rows_examined: 1\n\
         # Rows_affected: {rows_affected}  Bytes_sent: 120\nSET timestamp=1714550400;\n{statement};\n"
    )
}

fn log() -> String {
    let read = entry("SELECT title FROM book WHERE id = 7", 0);
    let write = entry("UPDATE book SET stock = 3 WHERE id = 9", 1);
    let idle = entry("UPDATE book SET stock = 3 WHERE id = 9", 0);
    let now = entry("SELECT NOW(), id FROM book", 0);
    [read.clone(), read.clone(), write, read.clone(), idle, read, now].concat()
}

fn run(folder: &Path, variables: &str, arguments: &str) -> Output {
    fs::write(folder.join("slow.log"), log()).unwrap();
    fs::write(folder.join("variables.tsv"), variables).unwrap();
    Command::cargo_bin("adagio")
        .unwrap()
        .current_dir(folder)
        .args(["advise", "slow.log", "--variables", "variables.tsv", "--only", "query-cache"])
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

#[test]
fn each_statement_is_told_and_the_facts_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        folder.path(),
        VARIABLES,
        "-o json --query-cache-trace trace.tsv --query-cache-size 4M",
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
    let simulated = advice["facts"]["query_cache_simulation"].as_array().unwrap();
    let sizes: Vec<u64> = simulated.iter().map(|it| it["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [1 << 20, 4 << 20]);
    let present = &simulated[0];
    let count = |name: &str| present[name].as_u64().unwrap();
    // Read, hit, write, read, no row changed, hit; and NOW() is not stored.
    assert_eq!(
        (count("selects"), count("hits"), count("inserts"), count("not_cached")),
        (5, 2, 2, 1)
    );
    assert_eq!((count("invalidations"), count("prunes")), (1, 0));
    // Two hits of 1,000 microseconds less 50 each.
    assert_eq!(present["seconds_saved"].to_string(), "0.0019");
    let trace = fs::read_to_string(folder.path().join("trace.tsv")).unwrap();
    let told: Vec<&str> = trace.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(told, ["prediction", "miss", "hit", "miss", "hit", "uncacheable"]);
    let second = trace.lines().nth(2).unwrap();
    let offset = entry("SELECT title FROM book WHERE id = 7", 0).len();
    assert_eq!(second, format!("slow.log\t{offset}\thit"));
}

#[test]
fn a_log_that_cannot_tell_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    // Without an index a statement is logged whatever it takes: nothing contradicts the threshold.
    let above = VARIABLES.replace("0.000000", "0.500000");
    let above = format!("{above}log_queries_not_using_indexes\tON\n");
    let output = run(folder.path(), &above, "-o json");
    let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(advice["facts"]["query_cache_simulation"].is_null());
    let reason = advice["facts"]["query_cache_not_simulated"].as_str().unwrap();
    assert!(reason.contains("below 0.5 s"), "{reason}");
    let off = VARIABLES.replace("ON", "OFF");
    let output = run(folder.path(), &off, "--query-cache-trace trace.tsv");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--query-cache-size"));
    let output = run(folder.path(), VARIABLES, "--query-cache-size 40000");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_text_says_what_was_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), VARIABLES, "");
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["Query cache", "It is on: 1 MiB", "2 of 5 SELECTs", "lib.book"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
