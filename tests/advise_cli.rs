//! `adagio advise` as users meet it: what is read, what is refused, exit status, the forms of the
//! advice; and the advice in `adagio digest`.

use std::path::Path;
use std::process::{Output, Stdio};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_adagio");

/// A table on which every plain question wants one index.
const SCHEMA: &str = "CREATE TABLE `depot`.`vans` (
  `id` INT NOT NULL, `yard` INT NOT NULL, `plate` VARCHAR(20) NOT NULL, `built` DATETIME NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
-- rows: 200000; distinct: yard 20000, plate 200000, built 150000
";
/// Two classes, of which one is there twice.
const STATEMENTS: &str = "-- calls: 900, total seconds: 90
SELECT plate FROM depot.vans WHERE yard = 7;
# calls: 100, total seconds: 10
SELECT plate FROM depot.vans WHERE yard = 8;
-- total seconds: 2.5
SELECT id FROM depot.vans WHERE plate = 'K 12';
";

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name).display().to_string()
}

fn run_on(input: &str, arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).write_stdin(input).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Files in a folder of their own.
fn files(contents: &[(&str, &str)]) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let paths = contents.iter().map(|(name, content)| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    });
    let paths = paths.collect();
    (folder, paths)
}

/// The JSON of a run that must go well, and what it said beside.
#[track_caller]
fn advice_on(input: &str, arguments: &[&str]) -> (Value, String) {
    let output = run_on(input, &[&["advise", "-o", "json"], arguments].concat());
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    (serde_json::from_slice(&output.stdout).unwrap(), error)
}

/// Rules of the findings that change an index, with what they do.
fn changes(advice: &Value) -> Vec<(String, String)> {
    let findings = advice["advice"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings
        .filter(|it| it["category"] == "index" && it["recommendation"]["action"] != "none")
        .map(|it| (text(&it["rule"]), text(&it["recommendation"]["action"])))
        .collect()
}

/// A run that must be refused with these words, and no report.
#[track_caller]
fn check_refused(input: &str, arguments: &[&str], words: &[&str]) {
    let output = run_on(input, &[&["advise"], arguments].concat());
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    let error = text(&output.stderr);
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn wrong_usage_is_refused_by_name() {
    check_refused("", &["--shema", "x"], &["--shema", "--schema"]);
    check_refused("", &["--only", "index,indices"], &["indices", "query-cache"]);
    check_refused("", &["--type", "genlog"], &["genlog", "slowlog", "sql"]);
    check_refused("", &["--limit", "0"], &["--limit", "0"]);
    check_refused("", &["--fail-on", "worst"], &["worst", "critical"]);
    check_refused("", &["--review", "--type", "slowlog", "-"], &["--review", "--type sql"]);
    check_refused("", &["nowhere.sql"], &["cannot open nowhere.sql"]);
    check_refused("", &["--schema", "nowhere.sql"], &["nowhere.sql"]);
    let (_folder, paths) = files(&[("v.tsv", "port\t3306\n"), ("s.sql", SCHEMA)]);
    check_refused("", &["--variables", &paths[0]], &["--variables", "version"]);
    check_refused("", &["--review", "--schema", &paths[1]], &["no statements"]);
}

#[test]
fn digest_and_export_refuse_statements_without_times() {
    for command in [&["digest"][..], &["export", "--to", "nowhere"]] {
        let output = run_on("SELECT 1;", &[command, &["--type", "sql"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("adagio advise"), "{}", text(&output.stderr));
    }
}

#[test]
fn statements_are_weighed_by_their_comments() {
    let (_folder, paths) = files(&[("schema.sql", SCHEMA), ("vans.sql", STATEMENTS)]);
    let (advice, error) =
        advice_on("", &["--type", "sql", "--schema", &paths[0], "--only", "index", &paths[1]]);
    assert_eq!(error, "");
    let input = &advice["input"][0];
    assert_eq!((&input["type"], &input["events"]), (&"sql".into(), &3.into()));
    assert_eq!(input["bytes"], STATEMENTS.len());
    assert_eq!(input["name"], *paths[1]);
    assert_eq!(changes(&advice).len(), 2, "{advice}");
    // The first index is for the class with the most time: 90 s and 10 s.
    let first = &advice["advice"][0];
    assert_eq!(first["recommendation"]["index"]["columns"][0]["name"], "yard");
    assert_eq!(first["benefit"]["of_seconds"].to_string(), "100");
    let second = &advice["advice"][1];
    assert_eq!(second["recommendation"]["index"]["columns"][0]["name"], "plate");
    assert_eq!(second["benefit"]["of_seconds"].to_string(), "2.5");
    assert_eq!(advice["unread"], Value::Array(Vec::new()));
    assert!(advice["rejected"].is_array());
}

#[test]
fn mixed_and_odd_weights_are_told() {
    let (advice, error) = advice_on(
        "-- total seconds: 5\nSELECT 1 FROM a;\nUSE depot;\nSET x = 1;\nSELECT 2 FROM b;",
        &["--type", "sql"],
    );
    assert_eq!(advice["input"][0]["events"], 4);
    assert!(error.contains("1 statement has no weight and counts nothing"), "{error}");
    let (_, error) = advice_on("-- weight: 12,5\nSELECT 1 FROM a;", &["--type", "sql"]);
    assert!(error.contains("is no number: weight: 12,5"), "{error}");
    let (_, error) = advice_on("-- weight: 12,5\nSELECT 1 FROM a;", &["--type", "sql", "--redact"]);
    assert!(!error.contains("12,5"), "{error}");
    let mixed = "-- weight: 1\nSELECT 1 FROM a;\n-- total seconds: 5\nSELECT 2 FROM b;";
    let (_, error) = advice_on(mixed, &["--type", "sql"]);
    assert!(error.contains("seconds are not used"), "{error}");
    assert_eq!(advice_on(mixed, &["--type", "sql", "-q"]).1, "");
}

#[test]
fn an_input_is_told_by_its_content() {
    let kind = |input: &str| advice_on(input, &["-"]).0["input"][0]["type"].clone();
    assert_eq!(kind("SELECT 1;"), "sql");
    assert_eq!(kind("-- why\n(SELECT a FROM b) UNION (SELECT 2);"), "sql");
    assert_eq!(kind("\u{feff}with x AS (SELECT 1) SELECT * FROM x"), "sql");
    let log = std::fs::read_to_string(sample("slow/hash-comments.log")).unwrap();
    assert_eq!(kind(&log), "slowlog");
    check_refused("hello world\n", &["-"], &["no slow-log entry", "plain text"]);
    check_refused("setting: 5\n", &[], &["no slow-log entry"]);
    check_refused("-- nothing\n", &["--type", "sql"], &["no statement in -"]);
    let (_folder, paths) = files(&[("a.sql", "SELECT 1;"), ("b.log", &log)]);
    check_refused("", &[&paths[0], &paths[1]], &["one kind at a time", "a.sql", "b.log"]);
}

#[test]
fn with_evidence_and_without_a_file_no_log_is_read() {
    let schema = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, KEY a (a), KEY ab (a, b));";
    let (_folder, paths) = files(&[("schema.sql", schema)]);
    // What is at standard input is no statement: reading it would fail.
    let (advice, _) = advice_on("hello", &["--schema", &paths[0]]);
    assert_eq!(advice["input"], Value::Array(Vec::new()));
    assert_eq!(changes(&advice), [("IDX007".to_owned(), "drop".to_owned())], "{advice}");
    let sql = advice["advice"][0]["recommendation"]["sql"][0].as_str().unwrap();
    assert!(sql.contains("DROP INDEX `a`"), "{sql}");
}

#[test]
fn an_empty_input_is_told_and_opens_no_gate() {
    for arguments in [&["advise"][..], &["advise", "--type", "sql", "-"], &["advise", "--review"]] {
        let output = run_on("", arguments);
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stderr), "adagio: -: the input is empty\n");
        let output = run_on("", &[arguments, &["--fail-on", "critical"]].concat());
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_gate_is_shut_by_what_is_severe() {
    let (_folder, paths) = files(&[("schema.sql", SCHEMA), ("vans.sql", STATEMENTS)]);
    let status = |more: &[&str]| {
        let all = ["advise", "--schema", &paths[0], "--type", "sql", &paths[1]];
        run_on("", &[&all[..], more].concat()).status.code()
    };
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on", "info"]), Some(1));
    // The first index saves nearly all of the time.
    assert_eq!(status(&["--fail-on", "high"]), Some(1));
    assert_eq!(status(&["--fail-on", "critical"]), Some(0));
    assert_eq!(status(&["--fail-on", "info", "--only", "query-cache"]), Some(0));
}

#[test]
fn kinds_of_advice_are_chosen() {
    let (_folder, paths) = files(&[("schema.sql", SCHEMA), ("vans.sql", STATEMENTS)]);
    let common = ["--schema", paths[0].as_str(), "--type", "sql", paths[1].as_str()];
    let (advice, error) = advice_on("", &[&["--only", "index"][..], &common].concat());
    let findings = advice["advice"].as_array().unwrap();
    assert!(!findings.is_empty() && findings.iter().all(|it| it["category"] == "index"));
    assert_eq!(error, "");
    let (advice, error) =
        advice_on("", &[&["-v", "--only", "variables,workload"], &common[..]].concat());
    assert_eq!(
        (&advice["advice"], &advice["rejected"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    assert_eq!(error, "");
    // Statements without times are no load: whoever asks for it is told what is missing.
    let wanting = advice["not_checked"].as_array().unwrap().iter();
    let wanting = wanting.filter(|it| it["rule"].as_str().unwrap().starts_with("WORK"));
    assert!(wanting.clone().count() > 0);
    assert!(wanting.clone().all(|it| it["wants"] == "a slow log of the server"));
}

#[test]
fn plans_belong_to_statements_by_text_or_by_place() {
    let plan = "+----+-------------+-------+------+---------------+------+---------+------+--------+-------------+\n\
                | id | select_type | table | type | possible_keys | key  | key_len | ref  | rows   | Extra       |\n\
                +----+-------------+-------+------+---------------+------+---------+------+--------+-------------+\n\
                |  1 | SIMPLE      | vans  | ALL  | NULL          | NULL | NULL    | NULL | 198400 | Using where |\n\
                +----+-------------+-------+------+---------------+------+---------+------+--------+-------------+\n";
    let named = format!("EXPLAIN SELECT plate FROM vans WHERE yard = 99;\n{plan}");
    let lost = format!("EXPLAIN SELECT nothing FROM vans;\n{plan}");
    let (_folder, paths) =
        files(&[("named.txt", &named), ("place.txt", plan), ("lost.txt", &lost)]);
    let statement = "SELECT plate FROM vans WHERE yard = 7;";
    let (want, _) = advice_on(statement, &["--type", "sql", "--plans", &paths[0], "-"]);
    let plans = |advice: &Value| {
        let findings = advice["advice"].as_array().unwrap().clone();
        findings.iter().any(|it| it.to_string().contains("PLAN001"))
    };
    assert!(plans(&want), "{want}");
    let (by_place, error) = advice_on(statement, &["--type", "sql", "--plans", &paths[1], "-"]);
    assert_eq!((&by_place["advice"], error.as_str()), (&want["advice"], ""));
    // Two statements and one plan: whose is it?
    let two = format!("{statement}\nSELECT id FROM vans WHERE id = 1;");
    let (_, error) = advice_on(&two, &["--type", "sql", "--plans", &paths[1], "-"]);
    assert!(error.contains("no statement or query ID stands with it"), "{error}");
    let (_, error) = advice_on(statement, &["--type", "sql", "--plans", &paths[2], "-"]);
    assert!(error.contains("no statement of the input is its statement"), "{error}");
    // Without an input the statements are those of the plans.
    let (alone, error) = advice_on("hello", &["--plans", &paths[0]]);
    assert!(plans(&alone), "{alone}");
    assert!(error.contains("standard input is not read"), "{error}");
}

#[test]
fn variables_tell_what_the_server_can_do() {
    let (_folder, paths) = files(&[
        ("schema.sql", SCHEMA),
        ("old.tsv", "version\t5.5.62-log\n"),
        (
            "new.txt",
            "+---------------+--------+\n| Variable_name | Value  |\n+---------------+--------+\n| version       | 8.0.36 |\n+---------------+--------+\n",
        ),
    ]);
    let descending = |variables: &str| {
        let statement = "SELECT id FROM depot.vans ORDER BY yard, built DESC LIMIT 5;";
        let arguments = [
            "--type",
            "sql",
            "--schema",
            &paths[0],
            "--variables",
            variables,
            "--only",
            "index",
            "-",
        ];
        let (advice, _) = advice_on(statement, &arguments);
        let findings = advice["advice"].as_array().unwrap().clone();
        findings.iter().any(|it| {
            let columns = it["recommendation"]["index"]["columns"].as_array();
            columns.is_some_and(|columns| columns.iter().any(|column| column["desc"] == true))
        })
    };
    // Descending parts came with 8.0: before, they are read and not kept.
    assert!(descending(&paths[2]));
    assert!(!descending(&paths[1]));
}

#[test]
fn no_literal_leaves_where_none_may() {
    let secret = "SELECT plate FROM depot.vans WHERE plate = 'K-SECRET-1' AND DATE(built) = '2031-04-05' AND yard = 909091;";
    let (_folder, paths) =
        files(&[("schema.sql", SCHEMA), ("odd.sql", "SELECT FROM 'K-SECRET-2' 909092")]);
    for format in ["text", "json", "markdown"] {
        let arguments = ["advise", "--review", "-o", format, "-v", "--schema", &paths[0], "-"];
        let shown = |input: &str, more: &[&str]| {
            let output = run_on(input, &[&arguments[..], more].concat());
            text(&output.stdout) + &text(&output.stderr)
        };
        let redacted = shown(secret, &["--redact"]);
        for literal in ["SECRET", "2031", "909091"] {
            assert!(shown(secret, &[]).contains(literal) || literal != "SECRET", "{format}");
            assert!(!redacted.contains(literal), "{format}: {redacted}");
        }
        let odd = std::fs::read_to_string(&paths[1]).unwrap();
        let redacted = shown(&odd, &["--redact"]);
        assert!(!redacted.contains("SECRET") && !redacted.contains("909092"), "{redacted}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = std::process::Command::new(PROGRAM)
        .args(["advise", "-v", &sample("slow/shop.log"), "--schema", &sample("schema/shop.sql")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn advice_is_written_whole_into_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("advice.md");
    let name = file.display().to_string();
    let arguments = ["advise", &sample("slow/shop.log"), "--schema", &sample("schema/shop.sql")];
    let output =
        run_on("", &[&arguments[..], &["-o", "markdown", "--output-file", &name]].concat());
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""));
    let written = std::fs::read_to_string(file).unwrap();
    assert!(written.starts_with("## Advice: "), "{written}");
    let plain = text(&run_on("", &arguments).stdout);
    assert!(plain.starts_with("# Advice: ") && !plain.contains('\u{1b}'), "{plain}");
    let coloured = text(&run_on("", &[&arguments[..], &["--color", "always"]].concat()).stdout);
    assert!(coloured.contains('\u{1b}'));
}

#[test]
fn a_log_is_advised_on_with_its_times() {
    let (advice, _) =
        advice_on("", &[&sample("slow/shop.log"), "--schema", &sample("schema/shop.sql")]);
    let input = &advice["input"][0];
    assert_eq!((&input["type"], &input["events"]), (&"slowlog".into(), &301.into()));
    assert_eq!(input["server_version"], "8.0.40");
    let findings = advice["advice"].as_array().unwrap();
    let products = findings.iter().find(|it| {
        it["category"] == "index" && it["recommendation"]["index"]["table"] == "shop.products"
    });
    // Query_time of the products of a category, the fourth class of the digest.
    let of_seconds = &products.unwrap()["benefit"]["of_seconds"];
    assert_eq!(of_seconds.to_string(), "11.464003");
    // None of the events is left.
    let (advice, _) = advice_on("", &[&sample("slow/shop.log"), "--where", "db = 'nowhere'"]);
    assert_eq!(advice["advice"], Value::Array(Vec::new()));
    assert_eq!(advice["input"][0]["filtered_events"], 301);
}

#[test]
fn a_log_tells_its_load_at_large_and_what_is_not_checked() {
    let log = sample("slow/shop.log");
    let (advice, _) = advice_on("", &[&log, "--only", "workload"]);
    // Each statement of the sample is one line.
    let text = std::fs::read_to_string(&log).unwrap();
    let lines_of = |verbs: &[&str]| {
        let is = |line: &&str| verbs.iter().any(|verb| line.starts_with(verb));
        text.lines().filter(is).count() as f64
    };
    let (reads, writes) =
        (lines_of(&["SELECT "]), lines_of(&["INSERT ", "UPDATE ", "DELETE ", "REPLACE "]));
    assert_eq!(reads + writes, 301.0);
    let share = advice["facts"]["read_share"].as_f64().unwrap();
    assert!((share - reads / (reads + writes)).abs() < 1e-8, "{share}");
    let findings = advice["advice"].as_array().unwrap();
    let class = findings.iter().find(|it| it["rule"] == "WORK014").unwrap();
    assert_eq!((&class["severity"], &class["subject"]), (&"info".into(), &serde_json::json!({})));
    // What is good to know stands behind what is to be done.
    assert_eq!(
        (&findings[0]["rule"], &findings[0]["severity"]),
        (&"WORK006".into(), &"high".into())
    );
    let wants = |more: &[&str]| {
        let (advice, _) = advice_on("", &[&[log.as_str()][..], more].concat());
        let lost = advice["not_checked"].as_array().cloned().unwrap_or_default();
        lost.into_iter().find(|it| it["rule"] == "WORK015").map(|it| it["wants"].clone())
    };
    assert_eq!(wants(&[]), Some("--cores N of the machine".into()));
    assert_eq!(wants(&["--cores", "8"]), None);
    assert_eq!(wants(&["--only", "index"]), None);
}

#[test]
fn statements_at_once_are_told_by_the_time_in_which_any_ran() {
    let event = |hour: usize, second: usize| {
        format!(
            "# Time: 2026-03-06T{hour:02}:00:{second:02}.000000Z\n# User@Host: a[a] @ h []  Id: 7\n\
             # Query_time: 10.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 9\n\
             SELECT a FROM depot.vans WHERE yard = 7;\n"
        )
    };
    // Twelve end in each of five seconds in a row, and once more an hour later.
    let heap = |hour| (20..25).flat_map(move |second| (0..12).map(move |_| event(hour, second)));
    let log: String = heap(10).chain(heap(11)).collect();
    let told = |cores: &str| {
        let (advice, _) =
            advice_on(&log, &["--only", "workload", "--type", "slowlog", "--cores", cores, "-"]);
        let findings = advice["advice"].as_array().unwrap().clone();
        findings.into_iter().find(|it| it["rule"] == "WORK015").map(|it| it["evidence"].clone())
    };
    // 120 of 10 s, in 10 seconds and at most 10 s before each heap: 1,200 s of 30.
    let evidence = told("20").unwrap();
    assert_eq!(evidence["busy_seconds_at_most"], 30);
    assert_eq!(evidence["statements_at_once_at_least"], 40);
    assert_eq!(told("21"), None);
}

/// What stands in the block behind a command of the README.
fn shown_in_readme(command: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let (_, behind) = readme.split_once(&format!("\n{command}\n```\n")).unwrap();
    let (_, block) = behind.split_once("```text\n").unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_readme_shows_advice_as_it_is_printed() {
    let arguments = ["advise", "samples/slow/shop.log", "--schema", "samples/schema/shop.sql"];
    let output = run_on("", &arguments);
    let command = format!("adagio {}", arguments.join(" "));
    assert_eq!(text(&output.stdout), shown_in_readme(&command));
}

#[test]
fn the_digest_tells_advice_by_class_and_the_changes_at_its_end() {
    let arguments = ["digest", &sample("slow/shop.log"), "--schema", &sample("schema/shop.sql")];
    let shown = text(&run_on("", &arguments).stdout);
    let (_, class) = shown.split_once("\n# Query 4: ").unwrap();
    assert!(class.contains("\n# Advice: IDX004 (medium): Index shop.products "), "{class}");
    let (_, page) = shown.split_once("\n# Indexes for the classes above: ").unwrap();
    assert!(page.lines().skip(1).all(|line| line.starts_with('#')), "{page}");
    assert!(page.contains("\n# ALTER TABLE `shop`.`products` ADD INDEX "), "{page}");
    let output = run_on("", &[&arguments[..], &["-o", "json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = |advice: &Value| {
        let findings = advice.as_array().unwrap().iter();
        findings.map(|it| it["rule"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    assert!(rules(&report["classes"][3]["advice"]).contains(&"IDX004".to_owned()));
    // A redundant index is of no class.
    assert!(rules(&report["advice"]).contains(&"IDX007".to_owned()));
    let status =
        |least: &str| run_on("", &[&arguments[..], &["--fail-on", least]].concat()).status.code();
    assert_eq!((status("low"), status("critical")), (Some(1), Some(0)));
}

#[test]
fn without_a_schema_the_digest_advises_on_no_index() {
    let shown = text(&run_on("", &["digest", &sample("slow/shop.log")]).stdout);
    assert!(!shown.contains("IDX0") && !shown.contains("# Indexes for"), "{shown}");
    let peer = [
        "digest",
        "--compat",
        "pt",
        &sample("slow/shop.log"),
        "--schema",
        &sample("schema/shop.sql"),
    ];
    assert!(!text(&run_on("", &peer).stdout).contains("# Advice"));
}
