//! `adagio advise --only workload`: what the order of events tells, from a log to findings.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// An entry that ends so many microseconds behind the first one.
fn entry(micros: u64, thread: u64, took: u64, statement: &str) -> String {
    let (second, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let (minute, second) = (second / 60, second % 60);
    format!(
        "# Time: 2026-03-06T12:{minute:02}:{second:02}.{fraction:06}Z\n\
         # User@Host: app[app] @ web [10.0.0.1]  Id: {thread}\n\
         # Schema: shop  Last_errno: 0  Killed: 0\n\
         # Query_time: 0.{took:06}  Lock_time: 0.000001  Rows_sent: 1  Rows_examined: 1  Rows_affected: 1\n\
         {statement};\n"
    )
}

/// A minute: 20 times a second a row is written, seven times a page asks for each of its 25 rows,
/// and one answer is asked for each second.
fn entries() -> Vec<String> {
    let mut entries: Vec<(u64, String)> = Vec::new();
    let mut add = |micros, thread, took, statement: &str| {
        entries.push((micros, entry(micros, thread, took, statement)));
    };
    for n in 0..1_200 {
        add(n * 50_000, 1, 500, "UPDATE page SET hits = hits + 1 WHERE owner = 'ann-secret'");
    }
    for page in 0..7 {
        let start = page * 8_000_000 + 1_000;
        add(start, 2, 900, "SELECT id, buyer FROM orders WHERE day = 'monday-secret'");
        for n in 1..=25 {
            // The first page asks for one row again and again.
            let id = if page == 0 { 4_711 } else { 4_711 + page * 100 + n };
            let child = format!("SELECT name FROM buyers WHERE id = {id}");
            add(start + n * 1_000, 2, 800, &child);
        }
    }
    for second in 0..60 {
        let text = "SELECT COUNT(*) FROM stock WHERE shelf = 'blue-secret'";
        add(second * 1_000_000 + 7, 3, 900_000, text);
    }
    entries.sort();
    entries.into_iter().map(|(_, entry)| entry).collect()
}

fn advise(folder: &Path, arguments: &str) -> Vec<u8> {
    let output = Command::cargo_bin("adagio")
        .unwrap()
        .current_dir(folder)
        .arg("advise")
        .args(["--only", "workload"])
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn findings(output: &[u8]) -> Value {
    serde_json::from_slice::<Value>(output).unwrap()["advice"].clone()
}

fn codes(findings: &Value) -> Vec<&str> {
    findings.as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap()).collect()
}

fn of<'f>(findings: &'f Value, code: &str) -> &'f Value {
    findings.as_array().unwrap().iter().find(|it| it["rule"] == code).unwrap()
}

#[test]
fn a_log_in_two_files_tells_what_the_whole_tells() {
    let folder = tempfile::tempdir().unwrap();
    let entries = entries();
    let (one, other) = entries.split_at(entries.len() / 3);
    fs::write(folder.path().join("whole.log"), entries.concat()).unwrap();
    fs::write(folder.path().join("one.log"), one.concat()).unwrap();
    fs::write(folder.path().join("other.log"), other.concat()).unwrap();
    let whole = findings(&advise(folder.path(), "whole.log -o json"));
    assert_eq!(whole, findings(&advise(folder.path(), "one.log other.log -o json")));
    for code in ["WORK007", "WORK009", "WORK016"] {
        assert!(codes(&whole).contains(&code), "{:?}", codes(&whole));
    }
    let hot = &of(&whole, "WORK007")["evidence"];
    assert_eq!(
        (&hot["writes_of_row"], &hot["percent_of_all_writes"]),
        (&1_200.into(), &100.into())
    );
    assert_eq!(hot["row"], "owner = 'ann-secret'");
    // Six pages ask for 25 rows each.
    let pages = &of(&whole, "WORK009")["evidence"];
    assert_eq!((&pages["episodes"], &pages["calls"]), (&6.into(), &150.into()));
    // Nothing gets older than a minute: 59 × 0.9, 6 × 0.0009 of the parent, 24 × 0.0008 of one row.
    let repeated = of(&whole, "WORK016");
    assert_eq!(repeated["benefit"]["seconds"].to_string(), "53.1246");
}

#[test]
fn literals_stay_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("whole.log"), entries().concat()).unwrap();
    for format in ["text", "json", "markdown"] {
        let output = advise(folder.path(), &format!("whole.log --redact -o {format}"));
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains("WORK007") && output.contains("owner = ?"), "{output}");
        assert!(!output.contains("secret") && !output.contains("4711"), "{output}");
    }
}

#[test]
fn steady_loads_have_nothing_to_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let entries = (0..3_000_u64).map(|n| {
        let statement = match n % 5 {
            0 => format!("UPDATE page SET hits = hits + 1 WHERE id = {}", n * 7_919 % 1_000),
            1 => format!("INSERT INTO log (a) VALUES ({n})"),
            _ => format!("SELECT name FROM buyers WHERE id = {n}"),
        };
        entry(n * 100_000, n % 8, 300 + n % 17 * 40, &statement)
    });
    let log: String = entries.collect();
    fs::write(folder.path().join("steady.log"), log).unwrap();
    let found = findings(&advise(folder.path(), "steady.log -o json"));
    let own =
        ["WORK007", "WORK008", "WORK009", "WORK010", "WORK012", "WORK016", "WORK017", "WORK018"];
    assert!(codes(&found).iter().all(|code| !own.contains(code)), "{:?}", codes(&found));
}

/// 20 upserts a second, each of another hash, and a routine that asks for one row each second.
#[test]
fn rows_told_apart_within_functions_and_loops_of_routines_are_no_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let mut entries: Vec<(u64, String)> = Vec::new();
    for n in 0..1_200 {
        let statement = format!(
            "INSERT INTO hits (site, page, n) VALUES (1, UNHEX('{n:032x}'), 1) \
             ON DUPLICATE KEY UPDATE n = n + 1"
        );
        entries.push((n * 50_000, entry(n * 50_000, 1, 500, &statement)));
    }
    for second in 0..60 {
        let at = second * 1_000_000 + 7;
        let inside = entry(at, 3, 900_000, "SELECT COUNT(*) FROM stock WHERE shelf = 'blue'");
        let inside = inside.replace("# Query_time", "# Stored_routine: shop.fill\n# Query_time");
        entries.push((at, inside));
        entries.push((at + 1, entry(at + 1, 3, 900_000, "CALL fill(4)")));
    }
    entries.sort();
    let log: String = entries.into_iter().map(|(_, entry)| entry).collect();
    fs::write(folder.path().join("calls.log"), &log).unwrap();
    let found = findings(&advise(folder.path(), "calls.log -o json"));
    assert!(!codes(&found).contains(&"WORK007"), "{:?}", codes(&found));
    assert!(!codes(&found).contains(&"WORK016"), "{:?}", codes(&found));
    // The same outside of a routine, and of one hash.
    let plain = log.replace("# Stored_routine: shop.fill\n", "");
    let plain: String = plain.lines().map(|line| of_one_hash(line) + "\n").collect();
    fs::write(folder.path().join("plain.log"), plain).unwrap();
    let found = findings(&advise(folder.path(), "plain.log -o json"));
    assert!(codes(&found).contains(&"WORK007"), "{:?}", codes(&found));
    assert!(codes(&found).contains(&"WORK016"), "{:?}", codes(&found));
}

fn of_one_hash(line: &str) -> String {
    match line.split_once("UNHEX('").zip(line.split_once("')")) {
        Some(((before, _), (_, behind))) => format!("{before}UNHEX('07'){behind}"),
        None => line.to_owned(),
    }
}
