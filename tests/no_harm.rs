//! The advice on indexes, tried on a real server.
//!
//! A private MariaDB gets the tables and rows of each case; each statement is run and its reads
//! are counted; the advice is applied; each statement is run again. None may read more than
//! before, and every index that was advised must be in the plan of the statements it was advised
//! for. The cases are `samples/truth` and, where they lie beside the project, those shared.
//!
//! Where there is no MariaDB the test says so and passes; in CI (`CI` is set) it fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

mod common;

use common::server::{Programs, Server, told};

const PROGRAM: &str = env!("CARGO_BIN_EXE_adagio");

/// Reads that a statement may have more of than before.
///
/// A look-up in an index that ends between two keys reads the entry past the last, and an OR makes
/// one look-up for each arm; a scan of few rows has neither. No plan that is worse in earnest
/// differs by so little.
const SLACK: u64 = 4;

/// One case: a folder.
struct Case {
    name: String,
    folder: PathBuf,
}

impl Case {
    fn text(&self, file: &str) -> String {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Tables without the comments that tell the answer, then what is known of their rows.
    fn schema(&self) -> String {
        uncommented(&self.text("schema.sql")) + &self.text("facts.sql")
    }

    /// The statements; none of a case has a `;` inside.
    fn statements(&self) -> Vec<String> {
        let text = uncommented(&self.text("query.sql"));
        let statements = text.split(';').map(|s| s.trim().to_owned());
        statements.filter(|s| !s.is_empty()).collect()
    }
}

fn uncommented(sql: &str) -> String {
    sql.lines().filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect()
}

/// The cases in a folder, by name.
fn cases_in(folder: &Path) -> Vec<Case> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.map(|entry| entry.unwrap().path());
    let mut cases: Vec<Case> = folders
        .filter(|path| path.join("query.sql").is_file() && path.join("data.sql").is_file())
        .map(|folder| Case {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            folder,
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn own_cases() -> Vec<Case> {
    cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/truth"))
}

fn shared_cases() -> Vec<Case> {
    cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/real/index_truth"))
}

impl Server {
    fn load(&self, case: &Case, database: &str) {
        let script = format!(
            "DROP DATABASE IF EXISTS `{database}`; CREATE DATABASE `{database}`; USE `{database}`;\n{}\n{}",
            case.text("schema.sql"),
            case.text("data.sql")
        );
        self.rows("", &script);
        self.analyze(database);
    }

    fn tables(&self, database: &str) -> Vec<String> {
        self.rows(database, "SHOW TABLES;").into_iter().flatten().collect()
    }

    fn analyze(&self, database: &str) {
        for table in self.tables(database) {
            self.rows(database, &format!("ANALYZE TABLE `{table}`;"));
        }
    }

    /// Rows that a statement reads, when it is run for the second time: the first after a change
    /// also reads what the server keeps of the tables. What it writes is rolled back.
    fn reads(&self, database: &str, statement: &str) -> u64 {
        const COUNTERS: &str = "SHOW SESSION STATUS LIKE 'Handler_read\\_%'";
        let once = format!("START TRANSACTION;\n{statement};\n");
        // FLUSH commits, so it stands before the transaction.
        let script = format!("{once}ROLLBACK;\nFLUSH STATUS;\n{once}{COUNTERS};\nROLLBACK;\n");
        let rows = self.rows(database, &script);
        let counters = rows.iter().filter(|row| row[0].starts_with("Handler_read_"));
        counters.map(|row| row[1].parse::<u64>().unwrap()).sum()
    }

    /// The indexes in the plan of a statement, and whether it was answered without a plan: a MIN
    /// or MAX that is one look-up, which may find no row.
    fn plan(&self, database: &str, statement: &str) -> (BTreeSet<String>, bool) {
        const KEY: usize = 5;
        let rows = self.rows(database, &format!("EXPLAIN {statement};\n"));
        let keys = rows.iter().filter_map(|row| row.get(KEY));
        // `ref|filter` names two, as `a|b`; a merge names them with commas.
        let keys = keys.flat_map(|cell| cell.split([',', '|']).map(str::to_owned)).collect();
        let looked_up = ["Select tables optimized away", "No matching min/max row"];
        let is_looked_up =
            rows.iter().flatten().any(|cell| looked_up.iter().any(|said| cell.contains(said)));
        (keys, is_looked_up)
    }

    /// EXPLAIN of the statements as the client prints it.
    fn explained(&self, database: &str, statements: &[String]) -> String {
        let script: String = statements.iter().map(|s| format!("EXPLAIN {s};\n")).collect();
        let output = self.run(&["-t", "-v", database], &script);
        assert!(output.status.success(), "{}", told(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// What the program finds in a case; `plans` is EXPLAIN output.
fn advice(case: &Case, plans: Option<&str>) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("schema.sql", &case.schema());
    write("query.sql", &case.text("query.sql"));
    let mut command = assert_cmd::Command::new(PROGRAM);
    command.current_dir(folder.path()).args(["advise", "--only", "index,sql,schema"]);
    command.args(["--type", "sql", "--schema", "schema.sql", "-o", "json"]);
    if let Some(plans) = plans {
        write("explain.txt", plans);
        command.args(["--plans", "explain.txt"]);
    }
    let output = command.arg("query.sql").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}: {}", case.name, told(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["advice"].as_array().unwrap().clone()
}

/// The query ID of each statement.
fn ids(statements: &[String]) -> Vec<String> {
    let text: String = statements.iter().map(|s| format!("{s};\n")).collect();
    let mut command = assert_cmd::Command::new(PROGRAM);
    let output = command.args(["fingerprint", "--type", "sql"]).write_stdin(text).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn action(finding: &Value) -> &str {
    finding["recommendation"]["action"].as_str().unwrap_or_default()
}

/// The findings that change indexes.
fn changes(findings: &[Value]) -> impl Iterator<Item = &Value> {
    findings.iter().filter(|f| matches!(action(f), "create" | "drop" | "replace"))
}

fn statements_of(finding: &Value) -> Vec<String> {
    let sql = finding["recommendation"]["sql"].as_array().unwrap();
    sql.iter().map(|s| s.as_str().unwrap().trim_end_matches(';').to_owned()).collect()
}

/// The name that a statement gives to the index it adds.
fn added(statement: &str) -> Option<String> {
    let (_, rest) = statement.split_once("ADD INDEX `")?;
    rest.split_once('`').map(|(name, _)| name.to_owned())
}

/// What is wrong with the advice on a case, once it is applied.
fn harm(server: &Server, case: &Case, number: usize) -> Vec<String> {
    let database = format!("case{number}");
    server.load(case, &database);
    let statements = case.statements();
    let findings = advice(case, Some(&server.explained(&database, &statements)));
    let reads = |statement: &String| server.reads(&database, statement);
    let before: Vec<u64> = statements.iter().map(reads).collect();
    let mut wrong = Vec::new();
    let mut indexes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in changes(&findings) {
        let queries = finding["queries"].as_array().unwrap().iter();
        let queries: Vec<String> = queries.map(|q| q.as_str().unwrap().to_owned()).collect();
        for statement in statements_of(finding) {
            let output = server.run(&[&database], &format!("{statement};\n"));
            if !output.status.success() {
                wrong.push(format!("{statement}: {}", told(&output).trim()));
            } else if let Some(name) = added(&statement) {
                indexes.insert(name, queries.clone());
            }
        }
        if matches!(action(finding), "create" | "replace") && queries.is_empty() {
            wrong.push(format!("serves nothing: {}", finding["title"]));
        }
    }
    server.analyze(&database);
    for (statement, before) in statements.iter().zip(&before) {
        let after = reads(statement);
        if after > before + SLACK {
            wrong.push(format!("reads {after} rows, {before} before: {statement}"));
        }
    }
    let ids = ids(&statements);
    assert_eq!(ids.len(), statements.len(), "{}: one fingerprint a statement", case.name);
    let plans: Vec<_> = statements.iter().map(|s| server.plan(&database, s)).collect();
    for (index, queries) in &indexes {
        for query in queries {
            let mut of_query = ids.iter().zip(&plans).filter(|(id, _)| *id == query);
            if !of_query.any(|(_, (keys, is_looked_up))| keys.contains(index) || *is_looked_up) {
                wrong.push(format!("the index {index} is not used by query {query}"));
            }
        }
    }
    server.rows("", &format!("DROP DATABASE `{database}`;"));
    wrong
}

#[test]
fn no_statement_reads_more_and_every_index_is_used() {
    let Some(programs) = Programs::or_skip() else { return };
    let server = Server::start(programs);
    let cases: Vec<Case> = own_cases().into_iter().chain(shared_cases()).collect();
    assert!(cases.len() >= 12, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let found = harm(&server, case, number);
        println!("{}: {}", case.name, if found.is_empty() { "ok" } else { "HARM" });
        wrong.extend(found.into_iter().map(|what| format!("{}: {what}", case.name)));
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// The index changes of findings in the words of `wanted.txt`, in the order of the alphabet.
fn told_changes(findings: &[Value]) -> Vec<String> {
    let index = |proposal: &Value| {
        let table = proposal["table"].as_str().unwrap().rsplit('.').next().unwrap().to_owned();
        let column = |c: &Value| {
            let length = c["length"].as_u64().map_or_else(String::new, |n| format!("({n})"));
            let direction = if c["desc"] == true { " DESC" } else { "" };
            format!("{}{length}{direction}", c["name"].as_str().unwrap())
        };
        let columns = proposal["columns"].as_array().unwrap().iter().map(column);
        format!("{table} ({})", columns.collect::<Vec<_>>().join(", "))
    };
    let mut told = Vec::new();
    for finding in changes(findings) {
        let recommendation = &finding["recommendation"];
        match action(finding) {
            "create" => told.push(format!("add {}", index(&recommendation["index"]))),
            "drop" => told.push(format!("drop {}", index(&recommendation["index"]))),
            _ => {
                told.push(format!("add {}", index(&recommendation["index"])));
                told.push(format!("drop {}", index(&recommendation["replaces"])));
            }
        }
    }
    told.sort();
    told
}

/// `wanted.txt`: a comment, then one alternative a line, changes with `; ` between.
fn wanted(case: &Case) -> Vec<Vec<String>> {
    let text = case.text("wanted.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let alternative = |line: &str| {
        let changes = line.split("; ").filter(|change| *change != "nothing");
        let mut changes: Vec<String> = changes.map(str::to_owned).collect();
        changes.sort();
        changes
    };
    lines.map(alternative).collect()
}

#[test]
fn samples_get_the_indexes_that_were_measured_to_be_the_best() {
    let mut wrong = Vec::new();
    for case in own_cases() {
        let got = told_changes(&advice(&case, None));
        let wanted = wanted(&case);
        if !wanted.contains(&got) {
            wrong.push(format!("{}: got {got:?}, want one of {wanted:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
