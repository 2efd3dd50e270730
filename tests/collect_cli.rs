//! `adagio collect`, and `adagio advise --collected`: the script is run on a real MariaDB in every
//! form of the client, and what it printed is read back.
//!
//! Where there is no MariaDB the test says so and passes; in CI (`CI` is set) it fails.

use std::collections::BTreeSet;
use std::process::Output;

use adagio::advice;
use adagio::schema::Schema;
use adagio::server::{self, Variables};
use adagio::study::collected::{self, Collected};
use adagio::study::server_facts::Text;
use serde_json::Value;

mod common;

use common::server::{Programs, Server, told};

const PROGRAM: &str = env!("CARGO_BIN_EXE_adagio");

/// The forms in which a client may print.
const FORMS: [&[&str]; 6] = [
    &["--table"],
    &["--batch"],
    &["--vertical"],
    &["--table", "-vvv"],
    &["--batch", "-vvv"],
    &["--vertical", "-vvv"],
];

/// 2,000 orders of 50 customers, 40 each.
const TABLES: &str = "
    CREATE DATABASE depot; CREATE DATABASE `far yard`;
    USE depot;
    CREATE TABLE customers (id int NOT NULL PRIMARY KEY, name varchar(40) NOT NULL) ENGINE=InnoDB;
    CREATE TABLE orders (
      id int NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id int NOT NULL,
      note varchar(80) NOT NULL DEFAULT 'it''s | a' COMMENT 'x: y;',
      kind enum('a','b|c') NOT NULL, KEY by_customer (customer_id), KEY by_kind (kind, note(8)),
      CONSTRAINT of_customer FOREIGN KEY (customer_id) REFERENCES customers (id)
    ) ENGINE=InnoDB;
    CREATE VIEW recent AS SELECT id, note FROM orders WHERE id > 1900;
    INSERT INTO customers SELECT seq, CONCAT('customer ', seq) FROM seq_1_to_50;
    INSERT INTO orders (customer_id, note, kind)
      SELECT 1 + seq MOD 50, CONCAT('it''s ', seq), IF(seq MOD 2, 'a', 'b|c') FROM seq_1_to_2000;
    CREATE TABLE `far yard`.vans (id int NOT NULL PRIMARY KEY, plate varchar(9)) ENGINE=InnoDB;
    ANALYZE TABLE customers, orders, `far yard`.vans;";

/// What is run under the eyes of the slow log.
const STATEMENTS: &str = r"
    SELECT note FROM orders WHERE customer_id = 7;
    SELECT id FROM orders WHERE note LIKE '%it\'s 17%' ORDER BY note;
    SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE c.name = 'customer 9';
    UPDATE orders SET note = 'x;y' WHERE customer_id = 8 AND kind = 'a';
    SELECT id FROM orders WHERE id = 9 FOR UPDATE;
    SELECT note FROM recent;
    SELECT plate FROM `far yard`.vans WHERE plate = 'AB-1';
    SELECT id FROM orders WHERE id = 3 AND SLEEP(0) = 0;";

/// A server with tables and a slow log of a few statements; its log.
fn prepared(programs: Programs) -> (Server, String) {
    let server = Server::start(programs);
    server.rows("", TABLES);
    let log = server.path("slow.log").display().to_string();
    server
        .rows("", &format!("SET GLOBAL slow_query_log_file = '{log}', GLOBAL slow_query_log = 1;"));
    server.rows(
        "depot",
        &format!(
            "SET SESSION long_query_time = 0;\n{STATEMENTS}\nSET SESSION long_query_time = 10;"
        ),
    );
    server.rows("", "SET GLOBAL slow_query_log = 0;");
    (server, log)
}

fn adagio(arguments: &[&str]) -> Output {
    assert_cmd::Command::new(PROGRAM).args(arguments).output().unwrap()
}

#[track_caller]
fn printed(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", told(output));
    // A test's standard input is a pipe, of which `advise` says that it is not read.
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.lines().all(|line| line.contains("standard input is not read")), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The statements of a script, without its comments.
fn statements(script: &str) -> Vec<String> {
    let lines = script.lines().filter(|line| !line.starts_with("--"));
    let text = lines.collect::<Vec<_>>().join("\n");
    let cut = text.split(";\n").map(|it| it.trim().trim_end_matches(';').to_owned());
    cut.filter(|it| !it.is_empty()).collect()
}

fn is_read_only(statement: &str) -> bool {
    let word = statement.split_whitespace().next().unwrap();
    ["SHOW", "SELECT", "EXPLAIN", "USE"].contains(&word) && !statement.contains("FOR UPDATE")
}

fn read(name: &str, bytes: &[u8]) -> Collected {
    collected::read(&Text { name: name.to_owned(), bytes: bytes.to_vec() }, false).unwrap()
}

/// Variables that are what they are when somebody looks.
fn steady(variables: &Variables) -> Vec<(String, String)> {
    let names = variables.names().filter(|name| !name.contains("timestamp"));
    names.map(|it| (it.to_owned(), variables.text(it).unwrap().to_owned())).collect()
}

/// The classes of a digest that have a plan, by ID.
fn explained(log: &str, plans: &str) -> BTreeSet<String> {
    let output = adagio(&["digest", log, "--limit", "100%", "--plans", plans, "-o", "json"]);
    let report: Value = serde_json::from_str(&printed(&output)).unwrap();
    let classes = report["classes"].as_array().unwrap().iter();
    let with_plan =
        classes.filter(|class| class["plans"].as_array().is_some_and(|it| !it.is_empty()));
    with_plan.map(|class| class["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_script_gathers_on_a_server_is_read_back_in_every_form() {
    let Some(programs) = Programs::or_skip() else { return };
    let (server, log) = prepared(programs);
    let output = adagio(&["collect", &log, "--interval", "1", "--limit", "100%", "-q"]);
    let script = printed(&output);
    let given = statements(&script);
    assert!(given.iter().all(|it| is_read_only(it)), "{given:#?}");
    assert_eq!(given.iter().filter(|it| it.starts_with("EXPLAIN ")).count(), 7, "{script}");
    // SLEEP might be run by EXPLAIN, and SET is nothing to explain.
    assert!(script.contains("it calls a function that EXPLAIN might run (1)"), "{script}");
    for form in FORMS {
        let path = gathered(&server, &script, form);
        let text = std::fs::read(&path).unwrap();
        let collected = read("collected.txt", &text);
        assert_eq!(collected.told, [""; 0], "{form:?}");
        assert_eq!(collected.schema_problems, [], "{form:?}");
        check_server(&server, &collected, form);
        check_tables(&server, collected.schema.as_ref().unwrap(), form);
        let ids: BTreeSet<String> = script
            .lines()
            .filter_map(|line| line.strip_prefix("SELECT '-- query_id: 0x"))
            .map(|rest| rest[..32].to_owned())
            .collect();
        // The file as it is, for `digest` too.
        assert_eq!(explained(&log, &path), ids, "{form:?}");
        check_advice(&log, &path, form);
    }
    a_script_without_a_log(&server);
    a_statement_that_fails_costs_itself(&server, &log, &script);
    what_is_cut_or_garbled_costs_itself(&server, &log);
}

/// Runs a script and keeps what the client prints.
fn gathered(server: &Server, script: &str, form: &[&str]) -> String {
    let arguments = [&["--force"], form].concat();
    let output = server.run(&arguments, script);
    assert!(output.status.success(), "{form:?}: {}", told(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{form:?}");
    let path = server.path("collected.txt");
    std::fs::write(&path, &output.stdout).unwrap();
    path.display().to_string()
}

fn check_server(server: &Server, collected: &Collected, form: &[&str]) {
    let shown = server.run(&["--batch"], "SHOW GLOBAL VARIABLES;");
    let shown = server::read(&shown.stdout).variables;
    assert!(shown.len() > 500, "{}", shown.len());
    assert_eq!(steady(&collected.variables), steady(&shown), "{form:?}");
    let uptimes: Vec<u64> =
        collected.status.iter().map(|sample| sample.count("uptime").unwrap()).collect();
    assert!(
        matches!(uptimes.as_slice(), [before, after] if after > before),
        "{form:?} {uptimes:?}"
    );
    assert_eq!(collected.running.len(), 10, "{form:?}");
    // The connection that looks is one of them.
    assert!(collected.running.iter().all(|running| *running >= 1), "{form:?}");
    assert_eq!(collected.process_lists, 10, "{form:?}");
    // Nobody else does anything.
    assert_eq!(collected.states, [""; 0], "{form:?}");
}

fn check_tables(server: &Server, schema: &Schema, form: &[&str]) {
    let names: Vec<String> = schema
        .tables()
        .map(|table| format!("{}.{}", table.db.as_deref().unwrap(), table.name))
        .collect();
    let want = ["depot.customers", "depot.orders", "depot.recent", "far yard.vans"];
    assert_eq!(names, want, "{form:?}");
    for table in schema.tables().filter(|table| table.name != "recent") {
        let db = table.db.as_deref().unwrap();
        // What the server says of the table when it is asked by itself.
        let output = server.run(&["--batch", db], &format!("SHOW CREATE TABLE `{}`;", table.name));
        let text = [format!("-- Database: `{db}`\n").as_bytes(), &output.stdout].concat();
        let (own, problems) = Schema::read(&text, "show");
        assert_eq!(problems, []);
        let own = own.table(Some(db), &table.name).unwrap();
        assert_eq!((&table.columns, &table.foreign_keys), (&own.columns, &own.foreign_keys));
        let query = format!(
            "SELECT TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = '{db}' AND TABLE_NAME = '{}';",
            table.name
        );
        let rows: u64 = server.rows("", &query)[0][0].parse().unwrap();
        assert_eq!(table.facts.rows, Some(rows), "{form:?} {}", table.name);
        assert_eq!(table.indexes.len(), own.indexes.len(), "{form:?} {}", table.name);
    }
    let orders = schema.table(Some("depot"), "orders").unwrap();
    let index = orders.index("by_customer").unwrap();
    let counts: Vec<Option<u64>> = index.parts.iter().map(|part| part.cardinality).collect();
    let query =
        "SELECT CARDINALITY FROM information_schema.STATISTICS WHERE INDEX_NAME = 'by_customer';";
    let want: u64 = server.rows("", query)[0][0].parse().unwrap();
    assert_eq!(counts, [Some(want)], "{form:?}");
    let view = schema.table(Some("depot"), "recent").unwrap();
    let query = view.query.as_deref().unwrap();
    assert!(query.contains("1900") && !query.contains("TABLE_SCHEMA"), "{form:?}: {query}");
}

/// Advice on the log with what was collected: nothing that can be gathered is asked for again.
fn check_advice(log: &str, path: &str, form: &[&str]) {
    let output = adagio(&["advise", log, "--collected", path, "-o", "json"]);
    let report: Value = serde_json::from_str(&printed(&output)).unwrap();
    assert!(report["facts"]["uptime_seconds"].as_u64().is_some(), "{form:?}: {report}");
    let wants: Vec<&str> = report["not_checked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["wants"].as_str().unwrap())
        .collect();
    for option in ["--variables", "--schema", "--collected", "process list"] {
        assert!(wants.iter().all(|it| !it.contains(option)), "{form:?}: {wants:?}");
    }
    // One second between the counters is too little for rates.
    assert!(wants.iter().any(|it| it.starts_with("a second --status FILE")), "{wants:?}");
}

/// The tables of all databases, by information_schema.
fn a_script_without_a_log(server: &Server) {
    let script = printed(&adagio(&["collect", "--interval", "10", "--samples", "0"]));
    assert!(statements(&script).iter().all(|it| is_read_only(it)), "{script}");
    let script = script.replace("SLEEP(10)", "SLEEP(0)");
    for form in FORMS {
        let path = gathered(server, &script, form);
        let collected = read(&path, &std::fs::read(&path).unwrap());
        assert_eq!(
            (collected.told.as_slice(), collected.schema_problems.as_slice()),
            (&[][..], &[][..]),
            "{form:?}"
        );
        let schema = collected.schema.unwrap();
        assert_eq!(schema.tables().len(), 4, "{form:?}");
        let orders = schema.table(Some("depot"), "orders").unwrap();
        let columns: Vec<&str> = orders.columns.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(columns, ["id", "customer_id", "note", "kind"], "{form:?}");
        assert!(orders.facts.rows.is_some() && orders.index("by_kind").unwrap().parts.len() == 2);
    }
    let one = printed(&adagio(&["collect", "--schema-of", "far yard", "--samples", "0"]));
    assert!(one.contains("WHERE TABLE_SCHEMA IN ('far yard')"), "{one}");
    let collected = read(
        "one",
        &std::fs::read(gathered(server, &one.replace("SLEEP(60)", "SLEEP(0)"), &["--batch"]))
            .unwrap(),
    );
    assert_eq!(collected.schema.unwrap().tables().len(), 1);
    let maria = printed(&adagio(&["collect", "--for", "mariadb"]));
    assert!(!maria.contains("/*!") && maria.contains("/*M!100600"), "{maria}");
    let mysql = printed(&adagio(&["collect", "--for", "mysql"]));
    assert!(mysql.contains("/*!80013") && !mysql.contains("/*M!"), "{mysql}");
}

/// A table is dropped between the two steps: its part is told, all others are there.
fn a_statement_that_fails_costs_itself(server: &Server, log: &str, script: &str) {
    server.rows("", "DROP TABLE `far yard`.vans;");
    let output = server.run(&["--force", "--table"], script);
    let path = server.path("collected.txt");
    std::fs::write(&path, &output.stdout).unwrap();
    let collected = read("c", &output.stdout);
    let [table, plan] = collected.told.as_slice() else { panic!("{:?}", collected.told) };
    assert!(table.ends_with("a print of SHOW CREATE TABLE `far yard`.`vans` expected"), "{table}");
    assert!(plan.contains("a print of EXPLAIN for query ID 0x"), "{plan}");
    // The line is that of the mark.
    let text = String::from_utf8(output.stdout).unwrap();
    let line: usize =
        table.strip_prefix("c, line ").unwrap().split(':').next().unwrap().parse().unwrap();
    assert_eq!(text.lines().nth(line - 1), Some("| adagio: table `far yard`.`vans` |"));
    assert_eq!(collected.schema.unwrap().tables().len(), 3);
    let output = adagio(&["advise", log, "--collected", path.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), error.lines().count()), (Some(0), 2), "{error}");
    // Without --force nothing behind the failure is there.
    let output = server.run(&["--table"], script);
    let collected = read("c", &output.stdout);
    assert!(collected.told[0].contains("--force"), "{:?}", collected.told);
    assert_eq!(collected.status.len(), 2);
}

/// Wherever a file ends, what is left of it is read, and the end is missed.
fn what_is_cut_or_garbled_costs_itself(server: &Server, log: &str) {
    let short = printed(&adagio(&["collect", log, "--interval", "10", "--samples", "1"]));
    let short = short.replace("SLEEP(10.000)", "SLEEP(0)");
    // In boxes the widest value makes a file of megabytes.
    for (form, step) in [(FORMS[0], 9_970), (FORMS[1], 997), (FORMS[2], 997)] {
        let whole = server.run(&[&["--force"], form].concat(), &short).stdout;
        let all = read("whole", &whole);
        for length in (0..whole.len() - 997).step_by(step) {
            let text = Text { name: "cut".to_owned(), bytes: whole[..length].to_vec() };
            // Before the first mark there is nothing to say what the file is.
            let Ok(cut) = collected::read(&text, false) else {
                assert!(length < 997, "{form:?} {length}");
                continue;
            };
            assert!(
                cut.told.iter().any(|it| it.contains("`adagio: end` expected")),
                "{form:?} {length}"
            );
            // A part is there whole or not at all.
            assert!(
                cut.variables.is_empty() || cut.variables == all.variables,
                "{form:?} {length}"
            );
            assert!(all.status.starts_with(&cut.status), "{form:?} {length}");
            let tables = cut.schema.iter().flat_map(Schema::tables);
            for table in tables {
                let own = all.schema.as_ref().unwrap().table(table.db.as_deref(), &table.name);
                assert_eq!(Some(table), own, "{form:?} {length}");
            }
            let garbled: Vec<u8> = whole
                .iter()
                .enumerate()
                .map(|(at, byte)| if at % 997 == length % 997 { b'|' } else { *byte })
                .collect();
            let _ = collected::read(&Text { name: "garbled".to_owned(), bytes: garbled }, false);
        }
    }
    let path = server.path("garbage.txt");
    std::fs::write(&path, b"\x00\xff| adagio |\n+--\nadagio: nothing\n***\n").unwrap();
    let output = adagio(&["advise", log, "--collected", path.to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("no mark of `adagio collect`") && error.contains("garbage.txt"),
        "{error}"
    );
}

/// No server is needed: the script is made of what is typed and of what the log holds.
#[test]
fn a_log_puts_nothing_but_its_statement_into_a_script() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.log");
    let entry = |statement: &str| {
        format!(
            "# Time: 2026-03-06T17:01:40.000000Z\n# User@Host: a[a] @ h []\n# Query_time: 1.5  Lock_time: 0 Rows_sent: 1  Rows_examined: 1\nuse shop;\nSET timestamp=1772816500;\n{statement};\n"
        )
    };
    let log: String = [
        "SELECT a FROM t WHERE b = 'it\\'s'",
        "SELECT b FROM t WHERE b = 'x\\\\' AND c = '; DROP TABLE t; -- '",
        "SELECT c FROM `t'; DROP TABLE x; -- ` WHERE a = 1",
        "SELECT d FROM t INTO OUTFILE '/x'",
        "DELETE FROM t WHERE a = 3",
        "SELECT e FROM `a``b`.t",
    ]
    .map(entry)
    .concat();
    std::fs::write(&path, log).unwrap();
    let script = printed(&adagio(&["collect", path.to_str().unwrap(), "--limit", "100%"]));
    let explained: Vec<&str> = script.lines().filter(|line| line.starts_with("EXPLAIN ")).collect();
    let want = [
        "EXPLAIN SELECT a FROM t WHERE b = 'it''s';",
        // A name in quotes, whatever it is made of.
        "EXPLAIN SELECT c FROM `t'; DROP TABLE x; -- ` WHERE a = 1;",
        "EXPLAIN DELETE FROM t WHERE a = 3;",
        "EXPLAIN SELECT e FROM `a``b`.t;",
    ];
    assert_eq!(explained.iter().copied().collect::<BTreeSet<_>>(), want.into_iter().collect());
    assert_eq!(script.matches("DROP").count(), 1, "{script}");
    assert!(!script.contains("OUTFILE") && !script.contains("SHOW CREATE TABLE `a`"), "{script}");
    assert!(
        script.contains("tables: their names have quotes or control characters (2)"),
        "{script}"
    );
    assert!(script.contains("plans: it writes its result somewhere (1)"), "{script}");
    // Without literals there is nothing to explain.
    let script = printed(&adagio(&["collect", path.to_str().unwrap(), "--redact"]));
    assert!(
        !script.contains("EXPLAIN ") && script.contains("SHOW CREATE TABLE `shop`.`t`;"),
        "{script}"
    );
    let refused = adagio(&["collect", "--schema-of", "a'b"]);
    assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
}

/// The rules that comments name are there, and each that can be helped is named.
#[test]
fn a_script_names_rules_that_there_are() {
    let script = printed(&adagio(&["collect"]));
    let codes: BTreeSet<&str> = advice::rules().into_iter().map(|rule| rule.code).collect();
    let words = script.split(|c: char| !c.is_ascii_alphanumeric());
    let named: BTreeSet<&str> = words
        .filter(|it| it.len() >= 5 && it.ends_with(|c: char| c.is_ascii_digit()))
        .filter(|it| it.starts_with("VAR") || it.starts_with("QC"))
        .collect();
    assert!(named.len() > 30 && named.is_subset(&codes), "{named:?}");
    assert!(
        ["VAR035", "VAR026", "QC004", "VAR001"].iter().all(|it| named.contains(it)),
        "{named:?}"
    );
}

#[test]
fn a_log_on_standard_input_is_not_passed_by_in_silence() {
    let told_of = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(PROGRAM);
        let output = command.args(arguments).write_stdin("").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let told = told_of(&["collect"]);
    assert!(told.contains("standard input is not read") && told.contains("give -"), "{told}");
    assert_eq!(told_of(&["collect", "-q"]), "");
    assert!(!told_of(&["collect", "-"]).contains("is not read"));
}

/// The example of the help and the head of the script name the same command.
#[test]
fn the_help_runs_a_script_as_its_head_says() {
    let line = "--force --table --default-character-set=utf8mb4 < collect.sql > collected.txt";
    for arguments in [&["collect", "--help"][..], &["collect"]] {
        let text = printed(&adagio(arguments));
        assert!(text.contains(line), "{text}");
    }
}

/// The options by themselves go before what was collected.
#[test]
fn what_is_given_by_itself_goes_before() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let collected = write(
        "collected.txt",
        "adagio\nadagio: variables\nVariable_name\tValue\nversion\t8.4.2\nmax_connections\t151\n\
         adagio\nadagio: status before\nVariable_name\tValue\nUptime\t7200\nQuestions\t9\n\
         adagio\nadagio: status after\nVariable_name\tValue\nUptime\t7260\nQuestions\t99\n\
         adagio\nadagio: end\n",
    );
    let status = write("status.tsv", "Variable_name\tValue\nUptime\t9000\nQuestions\t9\n");
    let uptime = |arguments: &[&str]| {
        let output =
            adagio(&[&["advise", "-o", "json", "--collected", &collected], arguments].concat());
        let report: Value = serde_json::from_str(&printed(&output)).unwrap();
        report["facts"]["uptime_seconds"].as_u64()
    };
    assert_eq!(uptime(&[]), Some(7_260));
    assert_eq!(uptime(&["--status", &status]), Some(9_000));
    let output = adagio(&["advise", "--collected", &collected]);
    let page = printed(&output);
    // Only what no statement tells is left to ask for.
    assert!(page.contains("--memory SIZE of the machine: for VAR002"), "{page}");
    // The tables were not collected.
    assert_eq!(page.matches("adagio collect > collect.sql").count(), 1, "{page}");
}
