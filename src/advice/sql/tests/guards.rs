//! What a log, a plan or a version says, and when rules are silent for it.

use crate::advice::plan::{Load, PerCall};
use crate::advice::{Confidence, Severity};
use crate::plan::Amount;

use super::Given;

const SCHEMA: &str = "CREATE TABLE t (id int PRIMARY KEY, n int, s varchar(40), dt datetime, b int, txt text, KEY (n), KEY (s), \
    KEY (dt)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci; CREATE TABLE p (id int PRIMARY KEY, n int);";

fn load(examined: u64, sent: u64) -> Load {
    let each = |rows| Some(PerCall { mean: Amount::whole(rows), most: Amount::whole(rows) });
    Load { rows_examined: each(examined), rows_sent: each(sent), ..Load::default() }
}

fn log(text: &str, examined: u64, sent: u64) -> Given<'_> {
    Given {
        load: load(examined, sent),
        is_log: true,
        calls: 50,
        ..Given::text(text).schema(SCHEMA)
    }
}

fn scan(table: &str, access: &str, rows: &str) -> String {
    use crate::advice::plan::fixture::{line, tsv};
    tsv(&[&line(table, access, "-", rows, "100.00", "Using where")])
}

const BY_DAY: &str = "SELECT id FROM t WHERE DATE(dt) = '2026-02-01'";

#[test]
fn small_shares_of_a_log_are_left_alone() {
    let given = log(BY_DAY, 90_000, 3);
    assert!(given.by("SQL001").is_some());
    assert!(Given { share: Some("0.4"), ..given.clone() }.by("SQL001").is_none());
    assert!(Given { share: Some("0.5"), ..given.clone() }.by("SQL001").is_some());
    // A review has no log to take a share of.
    assert!(Given { share: Some("0.4"), is_log: false, ..given }.by("SQL001").is_some());
}

#[test]
fn what_examines_little_for_what_it_sends_is_fast() {
    assert!(log(BY_DAY, 30, 3).by("SQL001").is_none());
    assert!(log(BY_DAY, 31, 3).by("SQL001").is_some());
    let like = "SELECT id FROM t WHERE txt LIKE '%x%'";
    assert!(log(like, 90_000, 9_000).by("SQL003").is_none());
    assert!(log(like, 90_001, 9_000).by("SQL003").is_some());
}

#[test]
fn a_plan_tells_how_much_it_matters() {
    let all = scan("t", "ALL", "90000");
    let finding =
        Given { plan: Some(&all), ..Given::text(BY_DAY).schema(SCHEMA) }.by("SQL001").unwrap();
    assert_eq!((finding.severity, finding.confidence), (Severity::High, Confidence::High));
    let finding = Given::text(BY_DAY).schema(SCHEMA).by("SQL001").unwrap();
    assert_eq!((finding.severity, finding.confidence), (Severity::Medium, Confidence::High));
    let finding = Given::text(BY_DAY).by("SQL001").unwrap();
    assert_eq!((finding.severity, finding.confidence), (Severity::Medium, Confidence::Low));
    let no_index = "SELECT id FROM t WHERE b + 1 = 5";
    let finding = Given::text(no_index).schema(SCHEMA).by("SQL001").unwrap();
    assert_eq!((finding.severity, finding.confidence), (Severity::Low, Confidence::Medium));
    // An index merge answers OR.
    let either = "SELECT id FROM t WHERE n = 5 OR s = 'x'";
    let merged = scan("t", "index_merge", "7");
    assert!(
        Given { plan: Some(&all), ..Given::text(either).schema(SCHEMA) }.by("SQL007").is_some()
    );
    assert!(
        Given { plan: Some(&merged), ..Given::text(either).schema(SCHEMA) }.by("SQL007").is_none()
    );
    assert!(Given::text(either).schema(SCHEMA).by("SQL007").is_none());
    let by_range = scan("t", "range", "90000");
    let differs = "SELECT txt FROM t WHERE n <> 5";
    assert!(
        Given { plan: Some(&all), ..Given::text(differs).schema(SCHEMA) }.by("SQL008").is_some()
    );
    assert!(
        Given { plan: Some(&by_range), ..Given::text(differs).schema(SCHEMA) }
            .by("SQL008")
            .is_none()
    );
}

/// The schema as a server of this version dumps it.
fn dumped(version: &str) -> String {
    format!("-- Server version\t{version}\n{SCHEMA}")
}

#[test]
fn servers_that_rewrite_themselves_need_no_advice() {
    let says = |version: &str, condition: &str| {
        let text = format!("SELECT id FROM t WHERE {condition}");
        Given::text(&text).schema(&dumped(version)).by("SQL001").is_some()
    };
    let day = "DATE(dt) = '2026-02-01'";
    assert!(says("10.11.6-MariaDB", day) && says("9.1.0", day) && says("11.0.2-MariaDB", day));
    assert!(!says("11.1.2-MariaDB", day) && !says("11.8.2-MariaDB", "YEAR(dt) = 2026"));
    assert!(says("11.8.2-MariaDB", "MONTH(dt) = 2"));
    let upper = "UPPER(s) = 'X'";
    assert!(says("11.2.2-MariaDB", upper) && !says("11.3.2-MariaDB", upper));
    assert!(says("11.8.2-MariaDB", "LOWER(s) = 'x'"));
    let left = "LEFT(s, 2) = 'ab'";
    assert!(says("11.4.2-MariaDB", left) && !says("11.8.2-MariaDB", left));
}

#[test]
fn versions_decide_of_subqueries_in_writes() {
    let says = |version: &str, text: &str| {
        Given::text(text).schema(&dumped(version)).by("SQL009").is_some()
    };
    let delete = "DELETE FROM t WHERE n IN (SELECT n FROM p)";
    assert!(says("8.0.20", delete) && !says("8.0.21", delete));
    assert!(says("10.11.6-MariaDB", delete) && !says("11.1.2-MariaDB", delete));
    let select = "SELECT id FROM t WHERE n IN (SELECT n FROM p)";
    assert!(says("5.5.62", select) && !says("5.6.10", select));
    assert!(Given::text(select).schema(SCHEMA).by("SQL009").is_none());
    let unknown = Given::text(delete).schema(SCHEMA).by("SQL009").unwrap();
    assert_eq!(unknown.confidence, Confidence::Low);
    assert!(unknown.recommendation.text.contains("MySQL 8.0.21"));
}

#[test]
fn groups_are_sorted_by_some_servers() {
    let text = "SELECT b, COUNT(*) FROM t GROUP BY b";
    let by = |version: &str| Given::text(text).schema(&dumped(version)).by("SQL014");
    assert!(by("5.7.44").is_some() && by("11.8.2-MariaDB").is_some());
    assert!(by("8.0.11").is_none());
    let old = dumped("5.7.44");
    let of_log = |sent| Given { schema: Some(&old), ..log(text, 90_000, sent) };
    assert!(of_log(999).by("SQL014").is_none());
    assert_eq!(of_log(1_000).by("SQL014").unwrap().confidence, Confidence::High);
}

#[test]
fn hidden_and_computed_indexes_are_told_by_version() {
    let schema = "CREATE TABLE c (id int PRIMARY KEY, rung datetime, day date AS (cast(rung as date)), KEY (day));";
    let text = "SELECT x.id FROM c x WHERE DATE(x.rung) = '2026-02-01'";
    assert!(Given::text(text).schema(schema).by("SQL001").is_none());
    let old = format!("-- Server version\t10.11.6-MariaDB\n{schema}");
    assert_eq!(
        Given::text(text).schema(&old).rewritten("SQL001").as_deref(),
        Some("SELECT x.id FROM c x WHERE x.day = '2026-02-01'")
    );
}

#[test]
fn many_values_are_counted() {
    let of = |count: usize| {
        let values: Vec<String> = (0..count).map(|it| it.to_string()).collect();
        format!("SELECT id FROM t WHERE b IN ({})", values.join(", "))
    };
    let says =
        |count: usize| Given::text(&of(count)).schema(SCHEMA).by("SQL011").map(|it| it.severity);
    assert_eq!(says(199), None);
    assert_eq!(says(200), Some(Severity::Low));
    assert_eq!(says(1_000), Some(Severity::Low));
    assert_eq!(says(1_001), Some(Severity::Medium));
    // Each value finds its row.
    let text = of(500);
    assert!(log(&text, 1_000, 500).by("SQL011").is_none());
    assert!(log(&text, 1_001, 500).by("SQL011").is_some());
}

#[test]
fn rows_of_the_log_count() {
    let all = "SELECT id, n FROM t WHERE n > 5";
    assert!(log(all, 90_000, 9_999).by("SQL012").is_none());
    assert_eq!(log(all, 90_000, 10_000).by("SQL012").unwrap().confidence, Confidence::High);
    let update = "UPDATE t SET b = 1 WHERE n > 5";
    let given = Given { rows_affected: Some(499_999), ..log(update, 10_000, 0) };
    assert!(given.by("SQL015").is_none());
    // 500,000 rows of 50 calls.
    let given = Given { rows_affected: Some(500_000), ..log(update, 10_000, 0) };
    let finding = given.by("SQL015").unwrap();
    assert_eq!((finding.severity, finding.confidence), (Severity::Medium, Confidence::High));
    let page = "SELECT id, txt FROM t ORDER BY id LIMIT 5000, 10";
    assert!(log(page, 5_010, 10).by("SQL004").is_some());
    assert!(log(page, 40, 10).by("SQL004").is_none());
    // A dump by pages is done once.
    assert!(Given { calls: 1, ..log(page, 5_010, 10) }.by("SQL004").is_none());
    let scalar = "SELECT id, (SELECT MAX(p.n) FROM p WHERE p.id = t.n) FROM t WHERE b > 3";
    // 50 calls of 199 rows are 9,950 runs, of 200 rows 10,000.
    assert!(log(scalar, 90_000, 199).by("SQL026").is_none());
    assert!(log(scalar, 90_000, 200).by("SQL026").is_some());
    let insert = "INSERT INTO p SELECT id, n FROM t WHERE b > 3";
    assert!(log(insert, 9_999, 0).by("SQL016").is_none());
    assert!(log(insert, 10_000, 0).by("SQL016").is_some());
    let count = "SELECT COUNT(*) FROM t";
    assert!(log(count, 999_999, 1).by("SQL017").is_none());
    assert!(log(count, 1_000_000, 1).by("SQL017").is_some());
}

#[test]
fn statements_that_were_cut_are_told_little() {
    for text in [
        "DELETE FROM t WHERE n IN (SELECT n FROM p WHERE id > 5 AND",
        "UPDATE t SET b = 5",
        "SELECT id FROM t WHERE DATE(dt) = '2026-02-01' AND txt = 'abc",
    ] {
        let findings = Given::text(text).schema(SCHEMA).try_read();
        for finding in findings.into_iter().flatten() {
            assert!(text.ends_with("= 5") || finding.recommendation.sql.is_empty(), "{finding:?}");
        }
    }
}

#[test]
fn names_of_a_statement_are_in_its_findings() {
    let text = "SELECT x.id FROM shop.t x WHERE YEAR(x.dt) = 2026";
    let finding = Given::text(text).by("SQL001").unwrap();
    assert_eq!(finding.subject.table.as_deref(), Some("shop.t"));
    assert_eq!(finding.subject.columns, ["shop.t.dt"]);
    assert!(finding.title.starts_with("`x`.`dt` stands in YEAR()"), "{}", finding.title);
}

#[test]
fn a_function_of_the_row_before_does_no_harm() {
    let schema = "CREATE TABLE a (id int PRIMARY KEY, mail varchar(40), KEY (mail)); \
        CREATE TABLE b (id int PRIMARY KEY, mail varchar(40), KEY (mail));";
    let says = |text: &str| Given::text(text).schema(schema).by("SQL001").is_some();
    // b is searched for what TRIM() gives.
    assert!(!says("SELECT b.id FROM a JOIN b ON b.mail = TRIM(a.mail)"));
    assert!(!says("SELECT b.id FROM a JOIN b ON TRIM(a.mail) = b.mail"));
    // a comes second and cannot be searched.
    assert!(says("SELECT b.id FROM b LEFT JOIN a ON b.mail = TRIM(a.mail)"));
    assert!(says("SELECT b.id FROM b STRAIGHT_JOIN a ON b.mail = TRIM(a.mail)"));
}

#[test]
fn spelling_does_not_matter() {
    let said = |text: &str| -> Vec<(&'static str, Severity, Confidence)> {
        let findings = Given::text(text).schema(SCHEMA).read();
        findings.iter().map(|it| (it.rule, it.severity, it.confidence)).collect()
    };
    for (one, other) in [
        (
            "SELECT x.id FROM t x WHERE DATE(x.dt) = '2026-02-01' AND x.n + 1 > 5 LIMIT 3",
            "select `y`.`ID`\nfrom T as `y` -- all\nwhere ( 5 < `Y`.N+1 ) and '2026-02-01'=date( y.DT )\nlimit 3",
        ),
        (
            "SELECT t.id FROM t LEFT JOIN p ON p.id = t.n WHERE p.n = 5 AND t.s = 7",
            "SELECT/* here */t.id FROM t LEFT OUTER JOIN p ON t.n = p.id WHERE 7 = t.s AND (p.n = 5)",
        ),
        (
            "SELECT id FROM t WHERE n NOT IN (SELECT n FROM p) OR s LIKE '%x%'",
            "SELECT id FROM t WHERE s like '%x%' OR n not in (select n from p)",
        ),
    ] {
        assert!(!said(one).is_empty(), "{one}");
        assert_eq!(said(one), said(other), "{one}");
    }
}
