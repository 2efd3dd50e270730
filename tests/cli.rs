//! The program as users meet it: exit status, messages, files it writes.

use std::io::Write;
use std::path::Path;
use std::process::{ChildStdin, Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_adagio");

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/slow").join(name);
    path.to_str().unwrap().to_owned()
}

/// Runs the program.
fn run(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).write_stdin("").output().unwrap()
}

fn run_with_input(arguments: &[&str], input: &str) -> Output {
    Command::new(PROGRAM).args(arguments).write_stdin(input).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The JSON report of a run that must go well.
#[track_caller]
fn report(arguments: &[&str]) -> Value {
    let output = run(&[&["digest", "-o", "json"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with one file in it.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Names of what is in a folder.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// An entry of a log; `second` is that of 2026-03-06 10:00 at which the statement ended.
fn entry(second: u32, user: &str, statement: &str) -> String {
    format!(
        "# Time: 2026-03-06T10:00:{second:02}.000000Z\n\
         # User@Host: {user}[{user}] @ app.example.com [192.0.2.7]  Id:    11\n\
         # Query_time: 0.500000  Lock_time: 0.000010 Rows_sent: 1  Rows_examined: 100\n\
         SET timestamp={};\n{statement};\n",
        1_772_791_200 + second
    )
}

/// Checks that the program refuses: status 2, nothing on standard output, one line that holds
/// all of `told`.
#[track_caller]
fn check_refused(arguments: &[&str], told: &[&str]) {
    let output = run(arguments);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("adagio: "), "{errors}");
    for part in told {
        assert!(errors.contains(part), "{part:?} is not in {errors}");
    }
}

#[test]
fn an_input_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.log");
    check_refused(&["digest", missing.to_str().unwrap()], &["missing.log"]);
    check_refused(&["fingerprint", missing.to_str().unwrap()], &["missing.log"]);
    let directory = folder.path().to_str().unwrap();
    check_refused(&["digest", directory], &[directory, "directory"]);
    check_refused(&["fingerprint", directory], &[directory, "directory"]);
    // The second of two counts as well.
    check_refused(&["digest", &sample("bom.log"), missing.to_str().unwrap()], &["missing.log"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = file("locked.log", entry(0, "app", "SELECT 1"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything, so there is nothing to see.
    if std::fs::File::open(&path).is_err() {
        check_refused(&["digest", &path], &["locked.log", "ermission"]);
    }
}

#[test]
fn what_is_no_slow_log_is_named_with_a_guess_what_it_is() {
    for (name, content, guess) in [
        (
            "mysqld.err",
            &b"2026-03-06T11:00:01.000000Z 0 [System] [MY-010116] [Server] mysqld: starting\n\
               2026-03-06T11:00:02.000000Z 0 [Warning] [MY-010068] [Server] CA is self signed\n"[..],
            "error log",
        ),
        ("core", b"\x00\x01\x02\x03\x04\x05\x06\x07\x00\x01\x02\xff\xfe", "binary"),
        ("shop.sql", b"SELECT 1;\nUPDATE stock SET n = 2 WHERE id = 3;\n", "SQL"),
        ("notes.txt", b"buy milk\n", "plain text"),
    ] {
        let (_folder, path) = file(name, content);
        check_refused(&["digest", &path], &[name, guess]);
    }
}

#[test]
fn an_empty_log_is_no_failure() {
    let (_folder, path) = file("empty.log", "");
    let report = report(&[&path]);
    assert_eq!(report["global"]["query_count"], 0);
    assert_eq!(report["input"][0]["bytes"], 0);
    assert_eq!(report["classes"], Value::Array(Vec::new()));
    let output = run(&["digest", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Checks that an option is refused: status 2, nothing on standard output, the option named.
#[track_caller]
fn check_usage(arguments: &[&str], option: &str) {
    let output = run(&[&["digest", &sample("bom.log")], arguments].concat());
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    assert!(errors.contains(option), "{arguments:?}: {option} is not in {errors}");
}

#[test]
fn a_typing_error_in_an_option_gets_the_right_one() {
    check_usage(&["--limt", "5"], "'--limit'");
    check_usage(&["--order-bye", "Query_time"], "'--order-by'");
    check_usage(&["--output", "jsn"], "json");
    let output = run(&["digset"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("'digest'"), "{}", text(&output.stderr));
}

#[test]
fn a_value_that_makes_no_sense_is_refused_and_its_option_named() {
    for (option, values) in [
        ("--limit", &["x", "", "101%", "95%:x", "-1", "5:5:5"][..]),
        ("--since", &["yesterdayish", "2026-13-01", "2026-03-06 25:00"]),
        ("--until", &["", "2026-02-30", "12x"]),
        ("--where", &["db =", "", "Query_time >> 1", "db = 'shop", "sleep(5)"]),
        ("--order-by", &["Query_time:avg", "", ":sum", "a,b", "Query_time:sum:max"]),
        ("--group-by", &["", "user,host"]),
        ("--tz", &["Mars/Olympus", "", "+26:00", "+02:60"]),
        ("--log-tz", &["Mars/Olympus"]),
        ("--id-length", &["8", "x"]),
        ("--outliers", &["Query_time", "a:b"]),
        ("--threads", &["0", "x"]),
    ] {
        for value in values {
            check_usage(&[&format!("{option}={value}")], option);
        }
    }
}

#[test]
fn an_attribute_that_no_event_has_is_refused_and_named() {
    let log = sample("bom.log");
    check_refused(&["digest", &log, "--order-by", "Nothing:sum"], &["Nothing", "order"]);
    check_refused(&["digest", &log, "--group-by", "Nothing"], &["Nothing", "group"]);
    check_refused(&["digest", &log, "--where", "Nothing > 1"], &["nothing", "--where"]);
    check_refused(&["digest", &log, "--where", "not Nothing = 'x'"], &["nothing", "--where"]);
}

#[test]
fn an_output_file_is_what_standard_output_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    for content in ["", "an older report, longer than the new one".repeat(10_000).as_str()] {
        std::fs::write(&path, content).unwrap();
        let arguments = ["digest", "-o", "json", &sample("shop.log")];
        let to_file = [&arguments[..], &["--output-file", path.to_str().unwrap()]].concat();
        let output = run(&to_file);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "");
        assert!(std::fs::read(&path).unwrap() == run(&arguments).stdout);
        assert_eq!(names_in(folder.path()), ["report.json"]);
    }
}

#[test]
fn an_output_file_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let log = sample("bom.log");
    // Where there is no folder none is made.
    let lost = folder.path().join("none/report.txt");
    check_refused(&["digest", &log, "--output-file", lost.to_str().unwrap()], &["report.txt"]);
    assert_eq!(names_in(folder.path()), Vec::<String>::new());
    // A run that fails leaves the report of an earlier one.
    let kept = folder.path().join("kept.txt");
    std::fs::write(&kept, "earlier").unwrap();
    let missing = folder.path().join("missing.log");
    let arguments = ["digest", missing.to_str().unwrap(), "--output-file", kept.to_str().unwrap()];
    check_refused(&arguments, &["missing.log"]);
    assert_eq!(std::fs::read(&kept).unwrap(), b"earlier");
    // A folder is no file to write.
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    check_refused(&["digest", &log, "--output-file", inner.to_str().unwrap()], &["inner"]);
    assert_eq!(names_in(folder.path()), ["inner", "kept.txt"]);
    assert_eq!(names_in(&inner), Vec::<String>::new());
}

/// Starts the program with pipes; the caller writes its input.
fn start(arguments: &[&str]) -> (std::process::Child, ChildStdin) {
    let mut child = std::process::Command::new(PROGRAM)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    (child, input)
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let log = std::fs::read(sample("shop.log")).unwrap();
    let statements = b"SELECT 1;\n".repeat(10_000);
    for (arguments, input) in [
        (&["digest", "--report-all"][..], &log),
        (&["digest", "-o", "json"], &log),
        (&["fingerprint"], &statements),
    ] {
        let (mut child, mut stdin) = start(arguments);
        // Nobody reads before the first byte is written.
        drop(child.stdout.take());
        stdin.write_all(input).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
}

const STATEMENTS: &str = "SELECT a FROM t WHERE b = 1;\nuse shop;\nSELECT a -- ;\nFROM t\n\
                          WHERE b IN (1, 'x;y')";
const PRINTS: [&str; 3] =
    ["select a from t where b = ?", "use ?", "select a from t where b in(?+)"];

/// The ID that a fingerprint must have.
fn id_of(fingerprint: &str) -> String {
    use md5::{Digest, Md5};
    Md5::digest(fingerprint).iter().map(|byte| format!("{byte:02X}")).collect()
}

#[test]
fn fingerprints_are_printed_of_a_file_and_of_standard_input() {
    // IDs are the MD5 of the texts.
    let want: String = PRINTS.iter().map(|text| format!("{}\t{text}\n", id_of(text))).collect();
    assert!(want.starts_with("AAF5C8A1B0F5F52105E7465FD18D02CD\t"));
    let (_folder, path) = file("shop.sql", STATEMENTS);
    let of_file = run(&["fingerprint", &path]);
    assert_eq!(text(&of_file.stdout), want);
    assert_eq!((of_file.status.code(), text(&of_file.stderr)), (Some(0), String::new()));
    for arguments in [&["fingerprint"][..], &["fingerprint", "-"]] {
        assert_eq!(text(&run_with_input(arguments, STATEMENTS).stdout), want, "{arguments:?}");
    }
    let short = text(&run(&["fingerprint", "--id-length", "16", &path]).stdout);
    let of_short: String = want.lines().map(|line| format!("{}\n", &line[16..])).collect();
    assert_eq!(short, of_short);
}

#[test]
fn fingerprints_of_the_peer_keep_its_faults() {
    // A doubled quote leaks what is behind it, and digits of names vanish.
    let statement = "SELECT id FROM books1 WHERE title = 'it''s'";
    let output = run_with_input(&["fingerprint", "--compat", "pt"], statement);
    let print = "select id from books? where title = ?'s'";
    assert_eq!(text(&output.stdout), format!("{}\t{print}\n", id_of(print)));
}

fn lines_of(path: &Path) -> Vec<Value> {
    let lines = std::fs::read_to_string(path).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_export_is_two_tables_of_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("to/tables");
    let output = run(&["export", &sample("shop.log"), "--to", tables.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names_in(&tables), ["classes.ndjson", "events.ndjson"]);
    let events = lines_of(&tables.join("events.ndjson"));
    let classes = lines_of(&tables.join("classes.ndjson"));
    // The counts and the sum are those of `samples/README.md`.
    assert_eq!((events.len(), classes.len()), (301, 12));
    let micros = |value: &Value| (value.as_f64().unwrap() * 1e6).round() as i64;
    assert_eq!(events.iter().map(|event| micros(&event["query_time"])).sum::<i64>(), 210_181_801);
    let sum = classes.iter().map(|class| micros(&class["query_time_sum"])).sum::<i64>();
    assert_eq!(sum, 210_181_801);
    for class in &classes {
        let of_class = events.iter().filter(|event| event["query_id"] == class["query_id"]);
        assert_eq!(class["count"], of_class.count(), "{class}");
    }
    for event in &events {
        assert_eq!(event["query_id"], id_of(event["fingerprint"].as_str().unwrap()).as_str());
        assert!(event["ts"].as_str().is_some_and(|ts| ts.ends_with('Z')), "{event}");
    }
}

#[test]
fn an_export_that_fails_leaves_no_table() {
    let (folder, path) = file("notes.txt", "buy milk\n");
    let tables = folder.path().join("tables");
    check_refused(&["export", &path, "--to", tables.to_str().unwrap()], &["notes.txt"]);
    assert!(!tables.exists() || names_in(&tables).is_empty());
}

/// Literals of every form, in places where a log can have them; each holds `SECRET` or 424242.
fn log_of_secrets() -> String {
    let mut log = "WHERE card = 'SECRET-head' AND pin = 424242;\n".to_owned();
    for (second, statement) in [
        "SELECT a FROM t WHERE b = 'SECRET' AND c = 424242",
        "SELECT a FROM t WHERE b = 'it''s SECRET' AND c = -424242.424242",
        "SELECT a FROM t WHERE b = \"SECRET \\\" SECRET\" AND c IN (424242, 'SECRET')",
        "INSERT INTO t (a, b) VALUES ('SECRET', 424242), ('x', NOW()), (424242, 'SECRET')",
        "UPDATE t SET a = 'SECRET' WHERE b = 424242 LIMIT 424242",
        "DELETE FROM t WHERE b = 'SECRET'",
        "CALL p('SECRET', 424242)",
        "SELECT /* SECRET */ a FROM t -- SECRET\nWHERE b = 1 # SECRET",
        "SELECT a FROM t WHERE b LIKE '%SECRET%' UNION SELECT a FROM t WHERE b LIKE 'SECRET%'",
        "SET @a = 'SECRET'",
        "SELECT a FROM t WHERE b = 'SECRET",
    ]
    .iter()
    .enumerate()
    {
        log.push_str(&entry(second as u32, "app", statement));
    }
    // An entry without a Query_time is no event, and neither is a foreign line.
    log.push_str("# Time: 2026-03-06T10:01:00.000000Z\n");
    log.push_str("# User@Host: app[app] @ app.example.com [192.0.2.7]  Id:    11\n");
    log.push_str("SELECT a FROM t WHERE b = 'SECRET' AND c = 424242;\n");
    log
}

#[test]
fn a_redacted_report_holds_no_literal() {
    let (folder, path) = file("slow.log", log_of_secrets());
    let tables = folder.path().join("tables");
    let tables = tables.to_str().unwrap();
    let mut leaks = Vec::new();
    for arguments in [
        &["digest", "--report-all"][..],
        &["digest", "--report-all", "-v"],
        &["digest", "--report-all", "-v", "-o", "json"],
        &["digest", "--report-all", "--timeline", "--group-by", "tables"],
        &["digest", "--report-all", "--group-by", "user", "-o", "json"],
        &["export", "-v", "--to", tables],
    ] {
        let open = run(&[arguments, &[path.as_str()]].concat());
        let output = run(&[arguments, &["--redact", &path]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let mut printed = text(&output.stdout) + &text(&output.stderr);
        if arguments[0] == "export" {
            printed.push_str(&std::fs::read_to_string(format!("{tables}/events.ndjson")).unwrap());
            printed.push_str(&std::fs::read_to_string(format!("{tables}/classes.ndjson")).unwrap());
        } else if !arguments.contains(&"--group-by") {
            // Without the option they are shown, so there is something to hide.
            assert!(text(&open.stdout).contains("SECRET"), "{arguments:?}");
        }
        let leaked =
            printed.lines().filter(|line| line.contains("SECRET") || line.contains("424242"));
        leaks.extend(leaked.map(|line| format!("{arguments:?}: {line}")));
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn a_short_query_id_is_the_end_of_the_long_one() {
    let log = sample("shop.log");
    let (long, short) = (report(&[&log]), report(&[&log, "--id-length", "16"]));
    let profile = text(&run(&["digest", &log, "--id-length", "16"]).stdout);
    let classes =
        long["classes"].as_array().unwrap().iter().zip(short["classes"].as_array().unwrap());
    let mut seen = 0;
    for (long, short) in classes {
        let id = long["id"].as_str().unwrap();
        assert_eq!(id.len(), 32);
        assert_eq!(long["checksum"], id);
        assert_eq!(short["id"], id);
        assert_eq!(short["checksum"], &id[16..]);
        assert!(profile.contains(&format!("0x{}", &id[16..])), "{id}");
        assert!(!profile.contains(&id[..16]), "{id}");
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn a_window_holds_its_beginning_and_not_its_end() {
    let mut log = "# User@Host: app[app] @ app.example.com [192.0.2.7]  Id:    11\n\
                   # Query_time: 0.500000  Lock_time: 0.000010 Rows_sent: 1  Rows_examined: 100\n\
                   SELECT 'no time is known';\n"
        .to_owned();
    for second in 1..=4 {
        log.push_str(&entry(second, "app", "SELECT 1"));
    }
    let (_folder, path) = file("slow.log", log);
    let check = |arguments: &[&str], count: u64, range: Option<(&str, &str)>| {
        let report = report(&[arguments, &[path.as_str()]].concat());
        assert_eq!(report["global"]["query_count"], count, "{arguments:?}");
        assert_eq!(report["input"][0]["filtered_events"], 5 - count, "{arguments:?}");
        assert_eq!(report["input"][0]["events"], 5);
        if let Some((first, last)) = range {
            assert_eq!(report["global"]["ts_min"], format!("2026-03-06T{first}.000000Z"));
            assert_eq!(report["global"]["ts_max"], format!("2026-03-06T{last}.000000Z"));
        }
    };
    check(&[], 5, Some(("10:00:01", "10:00:04")));
    check(&["--since", "2026-03-06 10:00:02"], 3, Some(("10:00:02", "10:00:04")));
    check(&["--until", "2026-03-06 10:00:03"], 2, Some(("10:00:01", "10:00:02")));
    let window = ["--since", "2026-03-06 10:00:02", "--until", "2026-03-06 10:00:03"];
    check(&window, 1, Some(("10:00:02", "10:00:02")));
    // As seconds since 1970 and in a zone of one's own.
    check(&["--since", "1772791203"], 2, Some(("10:00:03", "10:00:04")));
    let zone = ["--tz", "+02:00", "--since", "2026-03-06 12:00:04"];
    check(&zone, 1, Some(("10:00:04", "10:00:04")));
    check(&["--since", "2026-03-06 10:00:05"], 0, None);
}

#[test]
fn a_condition_keeps_the_events_for_which_it_holds() {
    let log = sample("shop.log");
    let all = report(&[&log, "--limit", "100%"]);
    let some = report(&[&log, "--limit", "100%", "--where", "Query_time >= 1"]);
    let rest = report(&[&log, "--limit", "100%", "--where", "NOT Query_time >= 1"]);
    let count = |report: &Value| report["global"]["query_count"].as_u64().unwrap();
    assert_eq!(count(&all), 301);
    assert!(count(&some) > 0 && count(&rest) > 0);
    assert_eq!(count(&some) + count(&rest), 301);
    assert_eq!(some["input"][0]["filtered_events"], count(&rest));
}

#[test]
fn classes_can_be_users() {
    let log = [
        entry(0, "app", "SELECT 1"),
        entry(1, "report", "SELECT a FROM t"),
        entry(2, "app", "SELECT a FROM t"),
    ];
    let (_folder, path) = file("slow.log", log.concat());
    let report = report(&[&path, "--group-by", "user", "--limit", "100%"]);
    let classes = report["classes"].as_array().unwrap();
    let got: Vec<_> = classes
        .iter()
        .map(|class| {
            (class["fingerprint"].as_str().unwrap(), class["query_count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(got, [("app", 2), ("report", 1)]);
    assert!(classes.iter().all(|class| class["attribute"] == "user"));
    let profile = text(&run(&["digest", &path, "--group-by", "user"]).stdout);
    assert!(
        profile.lines().any(|line| line.starts_with('#') && line.ends_with("app")),
        "{profile}"
    );
}

#[test]
fn several_files_and_standard_input_are_one_log() {
    let log = sample("shop.log");
    let twice = report(&[&log, &log, "--limit", "100%"]);
    assert_eq!(twice["global"]["query_count"], 602);
    let input = std::fs::read_to_string(&log).unwrap();
    let piped = run_with_input(&["digest", "-o", "json", "-", &log], &input);
    let piped: Value = serde_json::from_slice(&piped.stdout).unwrap();
    assert_eq!(piped["global"]["query_count"], 602);
    assert_eq!(piped["input"][0]["name"], "-");
}

/// Sends Ctrl-C to a run that waits for more input; gives what it printed.
#[cfg(unix)]
fn interrupted(arguments: &[&str], input: &str) -> Output {
    let (child, mut stdin) = start(arguments);
    // More than a pipe holds, so the program reads by now and minds the signal.
    assert!(input.len() > 128 * 1024);
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.flush().unwrap();
    let interrupt = format!("kill -INT {}", child.id());
    assert!(std::process::Command::new("sh").args(["-c", &interrupt]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    output
}

/// Stops a run behind so many entries.
#[cfg(unix)]
#[track_caller]
fn check_stopped(count: u32) {
    let log: String = (0..count).map(|second| entry(second % 60, "app", "SELECT 1")).collect();
    let output = interrupted(&["digest", "-o", "json"], &log);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["partial"], true);
    let read = report["global"]["query_count"].as_u64().unwrap();
    assert!(read > 0 && read <= u64::from(count), "{read} of {count}");
    let output = interrupted(&["digest"], &log);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(report.contains("PARTIAL") && report.contains("SELECT 1"), "{report}");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_early_reports_what_was_read() {
    check_stopped(1_000);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_late_reports_what_was_read() {
    check_stopped(20_000);
}

#[test]
fn a_run_to_the_end_is_not_partial() {
    let output = run(&["digest", "-o", "json", &sample("bom.log")]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["partial"], false);
}

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in [&["--help"][..], &["--version"], &["digest", "--help"], &["man"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    }
}

/// A sample of EXPLAIN output.
fn plan_sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain").join(name);
    path.to_str().unwrap().to_owned()
}

/// The plans of a run that must go well.
#[track_caller]
fn plans(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    review["plans"].clone()
}

#[test]
fn plans_are_printed_as_json() {
    let output = run(&["explain", "-o", "json", &plan_sample("mysql-8.4-table.txt")]);
    let plans = plans(&output);
    let plan = &plans[0];
    assert_eq!(plans.as_array().unwrap().len(), 1);
    assert_eq!((&plan["format"], &plan["flavor"]), (&"table".into(), &"mysql".into()));
    let node = &plan["nodes"][0];
    // Keys that the form does not tell are absent, and so are those that are NULL.
    let keys: Vec<&String> = node.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["id", "select_type", "table", "access_type", "possible_keys", "rows", "filtered", "extra"]
    );
    assert_eq!(node["rows"].to_string(), "80000");
    assert_eq!(node["filtered"].to_string(), "10");
    assert_eq!(node["extra"][1], "Using filesort");
    assert_eq!(plan["nodes"][1]["ref"], "library.l.book_id");
    assert_eq!(plan["nodes"][1]["key_len"], "4");
    let estimate: Vec<String> =
        plan["estimate"].as_object().unwrap().values().map(Value::to_string).collect();
    assert_eq!(estimate, ["88000", "8000", "2000"]);
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn measured_plans_say_where_the_time_went() {
    let plans = plans(&run(&["explain", "-o", "json", &plan_sample("mysql-8.4-analyze.txt")]));
    let plan = &plans[0];
    assert_eq!(plan["actual_ms"].to_string(), "96.5");
    assert_eq!(plan["hottest"]["actual_ms"].to_string(), "39");
    assert_eq!(plan["hottest"]["actual_rows"].to_string(), "6500");
    let scan = &plan["nodes"][0]["children"][0]["children"][0]["children"][0];
    assert_eq!(scan["operation"], "Table scan on l");
    assert_eq!(
        (scan["actual_rows"].to_string(), scan["loops"].to_string()),
        ("81250".into(), "1".into())
    );
}

#[test]
fn plans_come_from_files_in_order_packed_or_not_and_from_standard_input() {
    let tree = std::fs::read_to_string(plan_sample("mysql-9.4-tree.txt")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(tree.as_bytes()).unwrap();
    let (_folder, gz) = file("plan", packed.finish().unwrap());
    let batch = plan_sample("mysql-8.4-batch.tsv");
    let plans_of_files = plans(&run(&["explain", "-o", "json", &gz, &batch]));
    let formats: Vec<&Value> =
        plans_of_files.as_array().unwrap().iter().map(|plan| &plan["format"]).collect();
    assert_eq!(formats, ["tree", "table"]);
    assert_eq!(
        (&plans_of_files[0]["source"], &plans_of_files[1]["source"]),
        (&gz.into(), &batch.into())
    );
    for arguments in [&["explain", "-o", "json"][..], &["explain", "-o", "json", "-"]] {
        let of_input = plans(&run_with_input(arguments, &tree));
        assert_eq!(of_input[0]["nodes"], plans_of_files[0]["nodes"]);
    }
}

#[test]
fn statements_are_given_to_plans_in_order() {
    let statements =
        "USE library;\nEXPLAIN DELETE FROM loans LIMIT 1;\nDELETE FROM loans LIMIT 2;\nSELECT 3;\n";
    let (_folder, path) = file("queries.sql", statements);
    let plan = plan_sample("delete-range.txt");
    let output = run(&["explain", "-o", "json", "--query", &path, &plan, &plan]);
    let plans = plans(&output);
    assert_eq!(
        (&plans[0]["query"], &plans[1]["query"]),
        (&"DELETE FROM loans LIMIT 1".into(), &"DELETE FROM loans LIMIT 2".into())
    );
    assert_eq!(text(&output.stderr), "adagio: 1 statement of --query has no plan\n");
}

#[test]
fn comments_before_a_statement_do_not_count() {
    let (_folder, path) =
        file("queries.sql", "-- which one is it?\nUSE library;\n/* this */ DELETE FROM loans;\n");
    let output =
        run(&["explain", "-o", "json", "--query", &path, &plan_sample("delete-range.txt")]);
    assert_eq!(plans(&output)[0]["query"], "/* this */ DELETE FROM loans");
    assert_eq!(text(&output.stderr), "");
}

/// A text column against a number, with and without what tells it.
#[test]
fn a_schema_tells_columns_and_types() {
    let plan = "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
        1\tSIMPLE\tm\tNULL\tindex\tby_card\tby_card\t87\tNULL\t64000\t10.00\tUsing where; Using index\n";
    let (_plan, plan) = file("plan.tsv", plan);
    let (_query, query) = file("query.sql", "SELECT m.id FROM members AS m WHERE m.card = 4711;");
    // varchar(20) of 4 bytes a character, 2 for its length, 1 for NULL, and 4 of the int: 87.
    let schema = "CREATE TABLE members (id int NOT NULL PRIMARY KEY, card varchar(20), town int NOT NULL,\n\
        KEY by_card (card, town)) DEFAULT CHARSET=utf8mb4;\nCREATE TABLE (;\n";
    let (_schema, schema) = file("schema.sql", schema);
    let output = run(&["explain", "-o", "json", "--schema", &schema, "--query", &query, &plan]);
    assert!(text(&output.stderr).contains("schema.sql, line 3"), "{}", text(&output.stderr));
    let plan_of = plans(&output);
    let node = &plan_of[0]["nodes"][0];
    assert_eq!(node["used_key_parts"], serde_json::json!(["card", "town"]));
    assert_eq!(node["key_parts"], serde_json::json!(["card", "town"]));
    let finding = &plan_of[0]["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&"SQL002".into(), &"medium".into()));
    assert_eq!(finding["subject"]["columns"], serde_json::json!(["members.card"]));
    assert_eq!(finding["recommendation"]["sql"], serde_json::json!(["m.card = '4711'"]));
    // Without the schema it is a full scan of an index, no more can be known.
    let bare = plans(&run(&["explain", "-o", "json", "--query", &query, &plan]));
    assert_eq!(bare[0]["findings"][0]["rule"], "PLAN002");
}

#[test]
fn findings_fail_the_run_only_if_asked_to() {
    let plan = plan_sample("mysql-8.4-table.txt");
    let status =
        |arguments: &[&str]| run(&[&["explain", &plan][..], arguments].concat()).status.code();
    // 80,000 rows are read whole: medium.
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on", "high"]), Some(0));
    assert_eq!(status(&["--fail-on", "medium"]), Some(1));
    assert_eq!(status(&["--fail-on", "info"]), Some(1));
    let good = plan_sample("pt-query-digest-report.txt");
    assert_eq!(run(&["explain", &good, "--fail-on", "info"]).status.code(), Some(0));
    let cut = plan_sample("cut-on-the-right.txt");
    assert_eq!(run(&["explain", &cut, "--fail-on", "critical"]).status.code(), Some(1));
}

#[test]
fn inputs_without_a_plan_are_refused_and_odd_ones_are_told() {
    check_refused(&["explain", &sample("mysql-5.7.log")], &["no EXPLAIN output", "mysql-5.7.log"]);
    check_refused(&["explain", "/nowhere/plan.txt"], &["/nowhere/plan.txt"]);
    let empty = run_with_input(&["explain", "-o", "json"], "");
    assert_eq!(plans(&empty), Value::Array(Vec::new()));
    // One input of several may have none.
    let (log, plan) = (sample("mysql-5.7.log"), plan_sample("delete-range.txt"));
    let output = run(&["explain", &log, &plan]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("mysql-5.7.log: no EXPLAIN output"));
    let output = run(&["explain", &plan_sample("cut-on-the-right.txt")]);
    assert_eq!(output.status.code(), Some(0));
    let told = "line 1, column 95: expected the columns ref, rows, Extra\n";
    assert!(text(&output.stderr).ends_with(told));
}

#[test]
fn plans_for_people_fit_the_screen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let output = run_with_input(&["explain", "-q"], &std::fs::read_to_string(&path).unwrap());
        assert_eq!(output.status.code(), Some(0), "{path:?}");
        let text = text(&output.stdout);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let lookup = std::fs::read_to_string(plan_sample("pt-query-digest-report.txt")).unwrap();
    let output = run_with_input(&["explain", "--brief"], &lookup);
    let want = "\
# Plan: standard input, line 7, table of MySQL
  SELECT due FROM loans WHERE member_id = 17
Estimate: 6 rows read, 6 left after joins and conditions.
Findings: none.

#  step             table, index        rows  x runs  = read  kept
1  lookup by index  loans by by_member     6       1       6  100%
";
    assert_eq!(text(&output.stdout), want);
}

#[test]
fn plans_stand_with_their_classes() {
    let plans = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/explain/shop.txt")
        .display()
        .to_string();
    let log = sample("shop.log");
    let arguments = ["digest", "-o", "json", &log, "--plans", &plans];
    let output = run(&arguments);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = |class: usize| {
        let plans = report["classes"][class]["plans"].as_array();
        plans.map(|plans| {
            plans.iter().map(|plan| plan["line"].as_u64().unwrap()).collect::<Vec<_>>()
        })
    };
    // By the statement above it, whose literals differ; by the query ID above it; none.
    assert_eq!((told(0), told(1), told(2)), (Some(vec![2]), Some(vec![11]), None));
    let first = &report["classes"][0]["plans"][0];
    assert_eq!(first["nodes"][1]["ref"], "shop.o.customer_id");
    // 1,094,321 orders, and a customer for each tenth of them: 109,432.1.
    assert_eq!(first["estimate"]["rows_examined"].as_f64(), Some(1_203_753.1));
    let wanted =
        format!("adagio: {plans}: line 27: this plan is not shown: no event has its statement\n");
    assert_eq!(text(&output.stderr), wanted);
    // What the log says of the class is with the finding.
    let advice = &report["classes"][0]["advice"][0];
    assert_eq!((&advice["rule"], &advice["severity"]), (&"SQL001".into(), &"high".into()));
    assert_eq!(advice["subject"]["query_id"], report["classes"][0]["id"]);
    let shown = text(&run(&["digest", &log, "--plans", &plans]).stdout);
    assert!(shown.contains("# Advice: SQL001 (high): "), "{shown}");
    assert!(
        shown.contains("the plan expects 1,203,753, the log has 1,204,462 on average"),
        "{shown}"
    );
}

#[test]
fn literals_of_plans_are_not_shown_where_none_are() {
    let plan = "EXPLAIN SELECT a FROM t WHERE b = 4711;\n\
                -> Filter: (t.b = 4711)  (cost=1.5 rows=3)\n    -> Table scan on t  (cost=1.5 rows=30)\n";
    let (_folder, plans) = file("plans.txt", plan);
    let log = entry(7, "app", "SELECT a FROM t WHERE b = 12");
    let (_log_folder, log) = file("slow.log", log);
    for format in ["text", "json"] {
        let shown = |more: &[&str]| {
            text(&run(&[&["digest", "-o", format, &log, "--plans", &plans], more].concat()).stdout)
        };
        assert!(shown(&[]).contains("4711"), "{format}");
        assert!(!shown(&["--redact"]).contains("4711"), "{format}");
    }
}

#[test]
fn the_plan_that_the_server_wrote_stands_with_its_class() {
    let report = report(&[&sample("mariadb-10.11-explain.log")]);
    let class = &report["classes"][0];
    assert_eq!(class["plans"][0]["offset"], class["example"]["offset"]);
    assert_eq!(class["plans"][0]["nodes"][0]["access_type"], "range");
}

#[test]
fn plans_need_classes_of_statements() {
    let log = sample("shop.log");
    let output = run(&["digest", "--group-by", "user", "--plans", &log, &log]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--plans needs --group-by fingerprint"));
    // A log given by mistake says so before the log is read.
    let output = run(&["digest", "--plans", &log, &log]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no EXPLAIN output in"), "{}", text(&output.stderr));
}

#[test]
fn a_log_without_a_command_gets_a_hint() {
    let log = sample("shop.log");
    let output = run(&[&log]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains(&format!("adagio digest {log}")),
        "{}",
        text(&output.stderr)
    );
    assert!(!text(&run(&["digset"]).stderr).contains("adagio digest"));
    let output = run(&["explain", &log]);
    assert!(text(&output.stderr).contains("slow query log; see `adagio digest`"));
}

#[test]
fn a_query_with_a_with_clause_is_explained_as_it_stands() {
    let log = entry(7, "app", "WITH x AS (SELECT 1 AS a) SELECT * FROM x WHERE a = 5")
        + &entry(8, "app", "WITH x AS (SELECT 1 AS a) DELETE FROM t WHERE b IN (SELECT a FROM x)");
    let (_folder, log) = file("slow.log", log);
    let shown = text(&run(&["digest", &log]).stdout);
    assert!(shown.contains("# EXPLAIN\nWITH x AS (SELECT 1 AS a) SELECT"), "{shown}");
    // It writes: nothing to be explained is made of it.
    assert!(shown.contains("\nWITH x AS (SELECT 1 AS a) DELETE"), "{shown}");
    assert!(!shown.contains("Converted for EXPLAIN"), "{shown}");
}

#[test]
fn a_schema_tells_of_the_indexes_in_plans_of_classes() {
    let schema = "CREATE TABLE stock (product_id INT NOT NULL, qty INT, PRIMARY KEY (product_id)) ENGINE=InnoDB;\n\
                  CREATE TABLE counters (id INT NOT NULL, hits INT, PRIMARY KEY (id)) ENGINE=InnoDB;\n";
    let (_folder, schema) = file("schema.sql", schema);
    let plans = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/explain/shop.txt")
        .display()
        .to_string();
    let of_files = report(&[&sample("shop.log"), "--plans", &plans, "--schema", &schema]);
    let node = &of_files["classes"][1]["plans"][0]["nodes"][0];
    // An INT that may not be NULL takes the 4 bytes of key_len.
    assert_eq!(node["used_key_parts"], serde_json::json!(["product_id"]));
    let of_log = report(&[&sample("mariadb-10.11-explain.log"), "--schema", &schema]);
    assert_eq!(
        of_log["classes"][0]["plans"][0]["nodes"][0]["key_parts"],
        serde_json::json!(["id"])
    );
}

#[test]
fn no_literal_reaches_standard_error_where_none_may_be_shown() {
    let plan = "EXPLAIN SELECT a FROM t WHERE b = 4711;\n{ \"query_block\": { \"table\": { \"rows\": \"SECRET1\", \
                \"table_name\": \"t\", \"access_type\": \"ALL\", \"attached_condition\": \"(ssn = 424242)\"\n";
    let (_plans, plans) = file("plans.txt", plan);
    let (_schema, schema) = file("schema.sql", "CREATE TABLE t (a INT foo 'SECRET2', b INT);\n");
    let (_log, log) = file("slow.log", entry(7, "app", "SELECT a FROM t WHERE b = 12"));
    let told = |more: &[&str]| {
        let arguments = ["digest", "-v", &log, "--plans", &plans, "--schema", &schema];
        text(&run(&[&arguments[..], more].concat()).stderr)
    };
    let secrets = ["SECRET1", "SECRET2"];
    assert!(secrets.iter().all(|secret| told(&[]).contains(secret)), "{}", told(&[]));
    let told = told(&["--redact"]);
    assert!(!["SECRET1", "SECRET2", "424242", "4711"].iter().any(|it| told.contains(it)), "{told}");
    assert!(told.contains("plans.txt") && told.contains("schema.sql"), "{told}");
}

#[test]
fn a_digest_can_fail_on_findings() {
    let plans = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/explain/shop.txt")
        .display()
        .to_string();
    let status = |severity: &str| {
        let log = sample("shop.log");
        run(&["digest", "--plans", &plans, "--fail-on", severity, &log]).status.code()
    };
    assert_eq!((status("high"), status("critical")), (Some(1), Some(0)));
    let output = run(&["explain", "--diff", "--fail-on", "low", &plans, &plans]);
    assert_eq!(output.status.code(), Some(2));
}
