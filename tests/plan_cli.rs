//! `adagio explain` for people, from the command line: the README, comparisons, colour.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

fn run(arguments: &[&str]) -> Output {
    Command::cargo_bin("adagio").unwrap().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn plan_sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain").join(name);
    path.to_str().unwrap().to_owned()
}

/// A run that must be refused, with these words on standard error and nothing else.
#[track_caller]
fn check_refused(arguments: &[&str], words: &[&str]) {
    let output = run(arguments);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    let error = text(&output.stderr);
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
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
fn the_readme_shows_plans_as_they_are_printed() {
    let (table, index) =
        ("samples/explain/mysql-8.4-table.txt", "samples/explain/mysql-8.4-with-index.txt");
    for arguments in [&["explain", table][..], &["explain", "--diff", "--brief", table, index]] {
        let output = run(arguments);
        let command = format!("adagio {}", arguments.join(" "));
        assert_eq!(text(&output.stdout), shown_in_readme(&command), "{command}");
    }
}

#[test]
fn plans_are_compared_in_every_format() {
    let (table, index) =
        (plan_sample("mysql-8.4-table.txt"), plan_sample("mysql-8.4-with-index.txt"));
    // 88,000 / 13,000 is 6.77.
    for (format, want) in [
        ("text", "reads fewer rows: 88,000 -> 13,000 (6.8 times fewer)"),
        ("markdown", "reads fewer rows: 88,000 -\\> 13,000 (6.8 times fewer)"),
        ("json", "\"verdict\": \"fewer rows\""),
    ] {
        let output = run(&["explain", "--diff", "-o", format, &table, &index]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(want), "{format}: {}", text(&output.stdout));
    }
    check_refused(&["explain", "--diff", &table], &["--diff", "found 1 in one input"]);
    check_refused(&["explain", "--diff", &table, &index, &table], &["found 1 and 1 and 1 in 3"]);
}

#[test]
fn plans_are_coloured_where_it_is_asked_for() {
    let plan = plan_sample("mysql-8.4-table.txt");
    let escape = |arguments: &[&str]| {
        let all: Vec<&str> = ["explain", plan.as_str()].iter().chain(arguments).copied().collect();
        text(&run(&all).stdout).contains('\u{1b}')
    };
    assert!(escape(&["--color", "always"]));
    assert!(!escape(&["--color", "never"]));
    // Standard output is no terminal here.
    assert!(!escape(&[]));
    assert!(!escape(&["--color", "always", "-o", "markdown"]));
    assert!(!escape(&["--color", "always", "-o", "json"]));
}

/// A run on a text at standard input: exit status, standard output, standard error.
fn run_on(input: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("adagio").unwrap();
    let output = command.arg("explain").args(arguments).write_stdin(input).output().unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_gate_is_not_open_for_a_plan_that_is_cut() {
    let cut = "-> Nested loop inner join  (cost=31 rows=9)\n    -> Table scan on pens  (co";
    let (status, out, error) = run_on(cut, &["--fail-on", "critical"]);
    assert_eq!(status, Some(1));
    assert!(out.contains("Not judged: the print is cut.") && !out.contains("Findings"), "{out}");
    assert!(error.contains("line 2, column 31: expected the rest of the tree"), "{error}");
    assert!(error.contains("1 plan could not be judged"), "{error}");
    assert_eq!(run_on(cut, &[]).0, Some(0));
    let whole = "-> Table scan on pens  (cost=3 rows=4)\n";
    assert_eq!(run_on(whole, &["--fail-on", "info"]).0, Some(0));
}

#[test]
fn an_empty_input_is_told_and_opens_no_gate() {
    let told = "adagio: -: the input is empty\n";
    let (status, _, error) = run_on("", &[]);
    assert_eq!((status, error.as_str()), (Some(0), told));
    let (status, _, error) = run_on("", &["--fail-on", "low"]);
    assert_eq!((status, error.as_str()), (Some(2), told));
    let plan = plan_sample("mysql-8.4-with-index.txt");
    assert_eq!(run_on("", &["--fail-on", "critical", &plan, "-"]).0, Some(2));
    assert_eq!(run_on("", &["--fail-on", "critical", &plan]).0, Some(0));
}

#[test]
fn a_statement_that_names_no_table_of_its_plan_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("statement.sql");
    let plan = "-> Table scan on Pens  (cost=3 rows=4)\n";
    let check = |statement: &str, is_shown: bool| {
        std::fs::write(&file, statement).unwrap();
        let (status, out, error) = run_on(plan, &["--query", file.to_str().unwrap()]);
        assert_eq!(status, Some(0));
        assert_eq!(out.contains("  SELECT"), is_shown, "{out}");
        assert_eq!(error.is_empty(), is_shown, "{error}");
        assert_eq!(error.contains("names no table of its plan"), !is_shown, "{error}");
    };
    check("SELECT ink FROM `pens`;", true);
    check("SELECT ink FROM shop.stock AS pens;", true);
    check("SELECT pens_ink, 'pens' FROM inks;", false);
}
