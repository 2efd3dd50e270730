//! The same workload gives the same advice, in whatever order its statements stand and however
//! they are written: other aliases, letter case, blanks, comments.

use assert_cmd::Command;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::{Map, Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_adagio");

/// A sailing club.
const SCHEMA: &str = "
CREATE TABLE boats (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, sail_no varchar(20) NOT NULL, class_id smallint NOT NULL,
  owner_id int unsigned NOT NULL, built smallint NOT NULL, retired date NULL, notes varchar(300) NOT NULL,
  UNIQUE KEY ux_sail (sail_no), KEY ix_owner (owner_id)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE members (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, email varchar(80) NOT NULL, town varchar(40) NOT NULL,
  joined date NOT NULL, phone varchar(20) NOT NULL, is_active tinyint NOT NULL, KEY ix_phone (phone)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE outings (
  id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, boat_id int unsigned NOT NULL, skipper_id int unsigned NOT NULL,
  left_at datetime NOT NULL, back_at datetime NULL, miles int NOT NULL, wind tinyint NOT NULL, remark varchar(200) NOT NULL,
  KEY ix_left (left_at), KEY ix_boat (boat_id), KEY ix_boat_left (boat_id, left_at)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE fees (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, member_id int unsigned NOT NULL, due date NOT NULL,
  paid date NULL, cents int NOT NULL, kind varchar(20) NOT NULL, KEY ix_member (member_id)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
CREATE TABLE berths (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, pier char(1) NOT NULL, nr smallint NOT NULL, boat_id int unsigned NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
-- rows: boats 20000, members 30000, outings 400000, fees 90000, berths 60
-- distinct: boats.sail_no 20000, boats.class_id 120, boats.owner_id 9000, boats.built 90, boats.retired 3000
-- distinct: members.email 30000, members.town 700, members.joined 8000, members.phone 30000, members.is_active 2
-- distinct: outings.boat_id 18000, outings.skipper_id 12000, outings.left_at 390000, outings.miles 200, outings.wind 12
-- distinct: fees.member_id 30000, fees.due 60, fees.paid 2500, fees.kind 9, berths.pier 4, berths.nr 20, berths.boat_id 50
";

/// Statements; `{a}` and `{b}` are aliases. Of no two the answer may hang on which stands first.
#[rustfmt::skip]
const STATEMENTS: &[(&str, u32)] = &[
    ("SELECT {a}.id, {a}.notes FROM boats {a} WHERE {a}.class_id = 14 ORDER BY {a}.built DESC LIMIT 10", 7),
    ("SELECT {a}.id FROM boats {a} WHERE {a}.sail_no = 'NED 77'", 30),
    ("SELECT {a}.id, {a}.sail_no FROM boats {a} WHERE {a}.owner_id = 5 AND {a}.retired IS NULL", 9),
    ("SELECT {a}.built, COUNT(*) FROM boats {a} WHERE {a}.class_id = 15 GROUP BY {a}.built", 2),
    ("SELECT {a}.id FROM boats {a} WHERE {a}.class_id IN (3, 4) AND {a}.built > 1999", 3),
    ("SELECT {a}.id, {a}.town FROM members {a} WHERE {a}.email = 'kim@example.org'", 40),
    ("SELECT {a}.id FROM members {a} WHERE {a}.phone = 5550123", 6),
    ("SELECT {a}.id FROM members {a} WHERE {a}.is_active = 1", 4),
    ("SELECT {a}.id FROM members {a} WHERE YEAR({a}.joined) = 2019", 5),
    ("SELECT {a}.id FROM members {a} WHERE {a}.town = 'Hoorn' AND {a}.joined >= '2024-06-01'", 8),
    ("SELECT DISTINCT {a}.town FROM members {a}", 3),
    ("SELECT {a}.id FROM members {a} WHERE {a}.town LIKE '%dam%'", 2),
    ("SELECT {a}.remark FROM outings {a} WHERE {a}.boat_id = 31 ORDER BY {a}.left_at DESC LIMIT 5", 25),
    ("SELECT {a}.miles FROM outings {a} WHERE {a}.skipper_id = 31 AND {a}.left_at BETWEEN '2025-04-01' AND '2025-06-01'", 12),
    ("SELECT SUM({a}.miles) FROM outings {a} WHERE {a}.skipper_id = 32", 11),
    ("SELECT {a}.wind, MAX({a}.miles) FROM outings {a} GROUP BY {a}.wind", 2),
    ("SELECT {a}.id FROM outings {a} WHERE {a}.back_at IS NULL AND {a}.wind > 8", 4),
    ("SELECT {a}.id, {a}.remark FROM outings {a} ORDER BY {a}.id LIMIT 20 OFFSET 50000", 3),
    ("SELECT {a}.sail_no, {b}.miles FROM boats {a} JOIN outings {b} ON {b}.boat_id = {a}.id WHERE {a}.class_id = 16 AND {b}.left_at >= '2025-08-01'", 6),
    ("SELECT {a}.town, {b}.cents FROM members {a} JOIN fees {b} ON {b}.member_id = {a}.id WHERE {b}.due = '2025-01-01' AND {b}.kind = 'winter'", 7),
    ("SELECT {a}.email FROM members {a} LEFT JOIN fees {b} ON {b}.member_id = {a}.id AND {b}.paid IS NULL WHERE {a}.town = 'Enkhuizen'", 5),
    ("SELECT {a}.email FROM members {a} WHERE {a}.town = 'Medemblik' AND NOT EXISTS (SELECT 1 FROM outings {b} WHERE {b}.skipper_id = {a}.id AND {b}.left_at > '2025-01-01')", 4),
    ("SELECT {a}.id FROM boats {a} WHERE {a}.owner_id IN (SELECT {b}.id FROM members {b} WHERE {b}.town = 'Edam')", 3),
    ("SELECT {a}.id FROM fees {a} WHERE {a}.member_id = 9 AND {a}.paid IS NULL", 20),
    ("SELECT {a}.kind, SUM({a}.cents) FROM fees {a} WHERE {a}.due = '2025-02-01' GROUP BY {a}.kind", 3),
    ("SELECT {a}.id FROM fees {a} WHERE {a}.due = '2025-03-01' OR {a}.paid = '2025-03-01'", 2),
    ("SELECT {a}.nr FROM berths {a} WHERE {a}.pier = 'B'", 9),
    ("UPDATE fees {a} SET {a}.paid = '2025-03-03' WHERE {a}.member_id = 10 AND {a}.due = '2025-03-01'", 15),
    ("DELETE FROM outings WHERE left_at < '2009-01-01' LIMIT 500", 2),
    ("INSERT INTO fees (member_id, due, paid, cents, kind) VALUES (9, '2026-01-01', NULL, 9900, 'berth')", 50),
];

/// How a statement is written.
#[derive(Debug, Clone)]
struct Hand {
    aliases: [&'static str; 2],
    /// For words and gaps, in turn: what is done with them.
    turns: Vec<u8>,
}

const PLAIN: [&str; 2] = ["a", "b"];

/// Names of tables, which servers on Unix tell apart by their letters' case; so with aliases.
const TABLES: &[&str] = &["boats", "members", "outings", "fees", "berths"];

/// Writes a statement so.
fn written(template: &str, hand: &Hand) -> String {
    let mut turns = hand.turns.iter().cycle().copied();
    let mut text = String::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
            '{' => 3,
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        match first {
            '{' => text.push_str(hand.aliases[usize::from(piece == "{b}")]),
            ' ' => text.push_str(match turns.next().unwrap_or(0) % 8 {
                5 => "\n    ",
                6 => " \t ",
                7 => " /* as the form says */ ",
                _ => " ",
            }),
            c if c.is_ascii_alphabetic() && !TABLES.contains(&piece) => {
                match turns.next().unwrap_or(0) % 4 {
                    2 => text.push_str(&piece.to_ascii_lowercase()),
                    3 => text.push_str(&piece.to_ascii_uppercase()),
                    _ => text.push_str(piece),
                }
            }
            _ => text.push_str(piece),
        }
        rest = after;
    }
    text
}

/// The workload as a file of statements, in this order.
fn file(order: &[usize], hands: &[Hand]) -> String {
    let mut text = String::new();
    for &number in order {
        let (template, weight) = STATEMENTS[number];
        let statement = written(template, &hands[number % hands.len()]);
        text.push_str(&format!("-- weight: {weight}\n{statement};\n"));
    }
    text
}

fn run(arguments: &[&str], input: &str) -> String {
    let output = Command::new(PROGRAM).args(arguments).write_stdin(input).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The findings as far as they hang on what is asked, not on how: query IDs are the number of the
/// statement, since an alias is part of them; what quotes a statement is left out.
fn advice(order: &[usize], hands: &[Hand]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.sql");
    std::fs::write(&schema, SCHEMA).unwrap();
    let text = file(order, hands);
    let ids = run(&["fingerprint", "--type", "sql", "-"], &text);
    let ids: Vec<&str> = ids.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(ids.len(), order.len(), "{ids:?}");
    let number = |id: &Value| {
        let place = ids.iter().position(|other| id == other);
        json!(place.map(|place| order[place]))
    };
    let schema = schema.to_str().unwrap();
    let report = run(
        &[
            "advise",
            "--only",
            "index,sql,schema",
            "--type",
            "sql",
            "--schema",
            schema,
            "-o",
            "json",
            "-",
        ],
        &text,
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    let findings = report["advice"].as_array().unwrap().iter();
    findings.map(|finding| kept(finding, &number)).collect()
}

fn kept(finding: &Value, number: &dyn Fn(&Value) -> Value) -> Value {
    let mut kept = Map::new();
    for key in ["rule", "category", "severity", "confidence", "benefit"] {
        kept.insert(key.to_owned(), finding[key].clone());
    }
    let mut subject = finding["subject"].clone();
    if subject["query_id"].is_string() {
        subject["query_id"] = number(&subject["query_id"]);
    }
    kept.insert("subject".to_owned(), folded(&subject));
    let recommendation = &finding["recommendation"];
    for key in ["action", "index", "replaces"] {
        kept.insert(key.to_owned(), recommendation[key].clone());
    }
    if matches!(recommendation["action"].as_str(), Some("create" | "drop" | "replace")) {
        kept.insert("sql".to_owned(), recommendation["sql"].clone());
    }
    let numbers = finding["evidence"].as_object().into_iter().flatten();
    let numbers = numbers.filter(|(_, value)| value.is_number() || value.is_boolean());
    kept.insert("evidence".to_owned(), numbers.map(|(k, v)| (k.clone(), v.clone())).collect());
    let mut queries: Vec<Value> =
        finding["queries"].as_array().into_iter().flatten().map(number).collect();
    queries.sort_by_key(Value::as_u64);
    kept.insert("queries".to_owned(), json!(queries));
    Value::Object(kept)
}

/// Texts in lower case: a column is named as the statement spells it.
fn folded(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.to_lowercase()),
        Value::Array(values) => values.iter().map(folded).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), folded(v))).collect(),
        other => other.clone(),
    }
}

fn sorted(mut findings: Vec<Value>) -> Vec<Value> {
    findings.sort_by_key(ToString::to_string);
    findings
}

fn in_order() -> Vec<usize> {
    (0..STATEMENTS.len()).collect()
}

/// The advice as it should be: statements in order, written plainly.
fn plain() -> &'static [Value] {
    static PLAINLY: std::sync::LazyLock<Vec<Value>> = std::sync::LazyLock::new(|| {
        advice(&in_order(), &[Hand { aliases: PLAIN, turns: Vec::new() }])
    });
    &PLAINLY
}

/// Says the first finding that is in one and not in the other.
fn same(got: &[Value], want: &[Value]) -> Result<(), TestCaseError> {
    let extra = got.iter().find(|finding| !want.contains(finding));
    let missing = want.iter().find(|finding| !got.contains(finding));
    prop_assert!(extra.is_none() && missing.is_none(), "extra: {extra:?}\nmissing: {missing:?}");
    prop_assert_eq!(got.len(), want.len());
    Ok(())
}

fn hand(aliases: impl Strategy<Value = [&'static str; 2]>) -> impl Strategy<Value = Hand> {
    (aliases, prop::collection::vec(any::<u8>(), 1..40))
        .prop_map(|(aliases, turns)| Hand { aliases, turns })
}

#[test]
fn there_is_advice_to_compare() {
    let count = |action: &str| plain().iter().filter(|f| f["action"] == action).count();
    assert!(count("create") + count("replace") >= 4, "{:#?}", plain());
    assert!(count("drop") >= 1 && count("rewrite") >= 2 && count("none") >= 3, "{:#?}", plain());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// The order of the statements says nothing; the findings even keep theirs.
    #[test]
    fn another_order_gives_the_same_report(order in Just(in_order()).prop_shuffle()) {
        let got = advice(&order, &[Hand { aliases: PLAIN, turns: Vec::new() }]);
        prop_assert_eq!(got.as_slice(), plain());
    }

    /// Letter case, blanks and comments say nothing either; the query IDs are the same, so is the order.
    #[test]
    fn another_hand_gives_the_same_report(
        order in Just(in_order()).prop_shuffle(),
        hands in prop::collection::vec(hand(Just(PLAIN)), 1..8),
    ) {
        let got = advice(&order, &hands);
        prop_assert_eq!(got.as_slice(), plain());
    }

    /// Other aliases are other classes, so findings of equal worth may change places.
    #[test]
    fn other_aliases_give_the_same_advice(
        order in Just(in_order()).prop_shuffle(),
        hands in prop::collection::vec(
            hand(prop::sample::select(vec![["x", "y"], ["b", "a"], ["t1", "t2"], ["alpha", "omega"], ["Zeta", "A1"]])),
            1..8,
        ),
    ) {
        same(&sorted(advice(&order, &hands)), &sorted(plain().to_vec()))?;
    }
}
