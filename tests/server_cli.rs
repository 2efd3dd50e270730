//! `adagio advise` on what is known of a server, with the samples of `samples/server`.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/server").join(name);
    path.to_str().unwrap().to_owned()
}

/// Runs `advise`; an argument `@name` is a sample.
fn run(arguments: &str) -> Output {
    let arguments = arguments.split_whitespace().map(|it| match it.strip_prefix('@') {
        Some(name) => sample(name),
        None => it.to_owned(),
    });
    Command::cargo_bin("adagio").unwrap().arg("advise").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(arguments: &str) -> (Value, String) {
    let output = run(&format!("{arguments} -o json"));
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    (serde_json::from_slice(&output.stdout).unwrap(), error)
}

fn rules(advice: &Value) -> Vec<String> {
    let findings = advice["advice"].as_array().unwrap();
    findings.iter().map(|it| it["rule"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn check(arguments: &str, want: &[&str]) -> Value {
    let (advice, _) = json(arguments);
    assert_eq!(rules(&advice), want, "{arguments}: {advice}");
    advice
}

const MACHINE: &str = "--memory 16G --cores 8 --disk nvme";

#[test]
fn a_fresh_server_has_no_finding() {
    let mysql = "--variables @mysql-8.4-fresh-variables.txt --status @mysql-8.4-fresh-status.txt";
    let maria =
        "--variables @mariadb-11.4-fresh-variables.txt --status @mariadb-11.4-fresh-status.tsv";
    let old = "--variables @mysql-5.0-fresh-list.tsv";
    for server in [mysql, maria, old] {
        check(server, &[]);
        check(&format!("{server} {MACHINE}"), &[]);
    }
    // Nothing is lost behind the value over several lines.
    let advice = check(mysql, &[]);
    assert_eq!(advice["facts"]["uptime_seconds"], 190);
}

#[test]
fn two_samples_tell_what_happened_between() {
    let busy = "--variables @mysql-8.0-busy-variables.tsv";
    let advice = check(
        &format!("{busy} --status @mysql-8.0-busy-before.tsv --status @mysql-8.0-busy-after.tsv"),
        &["VAR014", "VAR016", "VAR012", "VAR030"],
    );
    // The slow log is off, and would tell which joins these are.
    assert_eq!(advice["advice"][3]["subject"]["variable"], "slow_query_log");
    // 3 MiB a second are 10,800 MiB an hour: 11 GiB.
    assert_eq!(advice["facts"]["redo_bytes_per_hour"], 10_800_u64 * 1_048_576);
    let change = &advice["advice"][0]["recommendation"]["variables"][0];
    assert_eq!(change["name"], "innodb_redo_log_capacity");
    assert_eq!(
        (&change["from"], &change["to"]),
        (&Value::from(104_857_600), &Value::from(11_811_160_064_u64))
    );
    assert_eq!(change["restart"], false);
    assert_eq!(advice["advice"][0]["recommendation"]["action"], "set");
    assert_eq!(advice["advice"][0]["subject"]["variable"], "innodb_redo_log_capacity");
    assert_eq!(advice["advice"][1]["recommendation"]["action"], "none");
    // 1,800 joins without an index in 600 s.
    assert_eq!(advice["advice"][2]["evidence"]["full_joins_a_second"], 3);
    // One text with all of it says the same.
    let (one, error) = json("--variables @mysql-8.0-busy-in-one.txt");
    assert_eq!(one["advice"], advice["advice"]);
    assert!(!error.contains("in-one"), "{error}");
    // Since the start of the server nine tenths of the temporary tables went to disk.
    let whole = check(
        &format!("{busy} --status @mysql-8.0-busy-before.tsv"),
        &["VAR014", "VAR016", "VAR009", "VAR012", "VAR030"],
    );
    assert_eq!(whole["facts"]["tmp_disk_ratio"], 0.875);
    let swapped = json(&format!(
        "{busy} --status @mysql-8.0-busy-after.tsv --status @mysql-8.0-busy-before.tsv"
    ));
    assert!(swapped.1.contains("swapped"), "{}", swapped.1);
}

#[test]
fn an_option_file_is_held_against_the_version() {
    let (advice, error) =
        json("--variables @mysql-8.4-fresh-variables.txt --config @old-options.cnf");
    assert_eq!(rules(&advice), ["QC009", "VAR034", "VAR034"]);
    let lines: Vec<&Value> =
        advice["advice"].as_array().unwrap().iter().map(|it| &it["evidence"]["line"]).collect();
    // The query cache and expire_logs_days stop the server; innodb_log_file_size is only deprecated.
    assert_eq!(lines, [&Value::from(9), &Value::from(14), &Value::from(8)]);
    assert!(
        error.contains("!includedir /etc/mysql/conf.d/") && error.contains("is not followed"),
        "{error}"
    );
}

#[test]
fn the_text_says_what_to_run_and_what_was_not_checked() {
    let output = run(
        "--variables @mysql-8.0-busy-variables.tsv --status @mysql-8.0-busy-before.tsv --status @mysql-8.0-busy-after.tsv",
    );
    let page = text(&output.stdout);
    for part in [
        "SET PERSIST innodb_redo_log_capacity = 11811160064;",
        "RESET PERSIST IF EXISTS innodb_redo_log_capacity;",
        "innodb_redo_log_capacity = 11G",
        "Not checked, and what would tell",
        "--memory SIZE of the machine: for VAR002",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn kinds_are_chosen_and_gates_hold() {
    let busy = "--variables @mysql-8.0-busy-variables.tsv";
    check(&format!("{busy} --only query-cache"), &[]);
    check(&format!("{busy} --only variables"), &["VAR016", "VAR012"]);
    assert_eq!(run(&format!("{busy} --fail-on high")).status.code(), Some(1));
    assert_eq!(run(&format!("{busy} --fail-on critical")).status.code(), Some(0));
}

#[test]
fn symptoms_need_no_other_evidence() {
    let output = Command::cargo_bin("adagio")
        .unwrap()
        .args(["advise", "-o", "json", "--symptom", "SQLSTATE[HY000] [2002] Connection timed out"])
        .output()
        .unwrap();
    let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rules(&advice), ["VAR023"]);
    assert_eq!(advice["advice"][0]["recommendation"]["action"], "none");
}

#[test]
fn a_symptom_that_no_rule_knows_is_told_in_a_line() {
    for (symptom, line) in [
        ("Sending data", "no rule knows this text: \"Sending data\""),
        ("数据库连接超时", "no rule knows this text: \"数据库连接超时\""),
        ("", "the text is empty"),
    ] {
        let output = Command::cargo_bin("adagio")
            .unwrap()
            .args(["advise", "-o", "json", "--symptom", symptom])
            .output()
            .unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{error}");
        assert!(error.contains(line), "{error}");
        let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(rules(&advice), [""; 0], "{symptom}");
    }
}

#[track_caller]
fn refused(arguments: &str, words: &[&str]) {
    let output = run(arguments);
    let error = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""), "{error}");
    assert!(words.iter().all(|word| error.contains(word)), "{arguments}: {error}");
    assert!(error.lines().count() <= 4, "{error}");
}

#[test]
fn what_is_no_server_is_refused_in_a_line() {
    refused("--variables @postgresql-settings.txt", &["no variable", "postgresql-settings.txt"]);
    refused("--status @postgresql-settings.txt", &["no counter", "postgresql-settings.txt"]);
    refused("--config @postgresql-settings.txt", &["no group of options"]);
    refused("--variables @mysql-8.0-busy-before.tsv", &["holds counters", "--status"]);
    refused("--status @mysql-8.0-busy-variables.tsv", &["holds variables", "--variables"]);
    refused("--variables nowhere.tsv", &["nowhere.tsv"]);
    refused("--memory 5X --variables @mysql-5.0-fresh-list.tsv", &["5X", "64G"]);
    refused("--disk tape --variables @mysql-5.0-fresh-list.tsv", &["tape", "nvme"]);
    let three = "--status @mysql-8.0-busy-before.tsv ".repeat(3);
    refused(&three, &["--status", "two"]);
}

/// Files of other kinds, by each of the options.
#[test]
fn files_of_other_kinds_are_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let utf16: Vec<u8> =
        "[mysqld]\nversion = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/slow/hash-comments.log");
    let log = std::fs::read(log).unwrap();
    let kinds: [(&str, &[u8], &str); 5] = [
        ("empty.txt", b"", "empty"),
        ("utf16.txt", &utf16, "UTF-16"),
        ("json.txt", b"{\"version\": \"8.0.36\"}\n", "JSON"),
        ("foreign.txt", "最大连接数\t151\n版本\t8.0\n".as_bytes(), "plain text"),
        ("log.txt", &log, "slow log"),
    ];
    for (name, bytes, word) in kinds {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        for option in ["--variables", "--status", "--config"] {
            if (name, option) != ("empty.txt", "--config") {
                refused(&format!("{option} {}", path.to_str().unwrap()), &[name, word]);
            }
        }
    }
}

/// What a log tells reaches the rules of variables: bytes sent, the longest call and statement, waits
/// for rows.
#[test]
fn a_log_speaks_of_variables() {
    let entry = |statement: &str, time: &str, bytes: u64, wait: &str| {
        format!(
            "# Time: 2026-03-06T11:00:01.000000Z\n# User@Host: a[a] @ h []  Id: 1\n\
             # Schema: shop  Last_errno: 0  Killed: 0\n\
             # Query_time: {time}  Lock_time: 0.000010  Rows_sent: 1  Rows_examined: 1  Rows_affected: 0\n\
             # Bytes_sent: {bytes}\n\
             #   InnoDB_IO_r_ops: 0  InnoDB_IO_r_bytes: 0  InnoDB_IO_r_wait: 0.000000\n\
             #   InnoDB_rec_lock_wait: {wait}  InnoDB_queue_wait: 0.000000\n\
             #   InnoDB_pages_distinct: 24\nSET timestamp=1772794801;\n{statement};\n"
        )
    };
    let long = format!("INSERT INTO pages (body) VALUES ('{}')", "x".repeat(1_048_576));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let variables = path(
        "v.tsv",
        "innodb_lock_wait_timeout\t300\nmax_allowed_packet\t4194304\nmax_execution_time\t0\n\
         net_write_timeout\t60\nversion\t5.7.44-48\nversion_comment\tPercona Server (GPL)\n",
    );
    let status = path("s.tsv", "Aborted_clients\t900\nConnections\t9000\nUptime\t90000\n");
    // 8 of 74 seconds are waits for rows, a tenth; one call sends 2 MiB and takes 65 s.
    let much = [
        entry("SELECT a FROM orders", "65.000000", 2_097_152, "0.000000"),
        entry("UPDATE orders SET a = 1 WHERE id = 7", "8.500000", 52, "8.000000"),
        entry(&long, "0.500000", 52, "0.000000"),
    ];
    let little = [
        entry("SELECT a FROM orders", "59.000000", 1_000_000, "0.000000"),
        entry("UPDATE orders SET a = 1 WHERE id = 7", "8.500000", 52, "0.100000"),
        entry("INSERT INTO pages (body) VALUES ('x')", "0.500000", 52, "0.000000"),
    ];
    for (log, want) in [(&much, &["VAR024", "VAR025", "VAR028", "VAR037"][..]), (&little, &[])] {
        let log = path("slow.log", &log.concat());
        let options = format!("--variables {variables} --status {status} --only variables");
        check(&format!("{log} {options}"), want);
    }
}

/// Half a print is read for what it is, and no rule speaks of what is lost.
#[test]
fn samples_cut_anywhere_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.txt");
    for name in [
        "mysql-8.4-fresh-variables.txt",
        "mariadb-11.4-fresh-variables.txt",
        "mysql-5.0-fresh-list.tsv",
    ] {
        let whole = std::fs::read(sample(name)).unwrap();
        for part in 1..12 {
            std::fs::write(&path, &whole[..whole.len() * part / 12]).unwrap();
            let output = Command::cargo_bin("adagio")
                .unwrap()
                .args(["advise", "-o", "json", "--variables", path.to_str().unwrap()])
                .output()
                .unwrap();
            match output.status.code() {
                Some(0) => {
                    let advice: Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert_eq!(rules(&advice), [""; 0], "{name} {part}");
                }
                code => assert_eq!(code, Some(2), "{name} {part}"),
            }
        }
    }
}
