//! The blocks of the rules' texts, run; and what is proposed for small workloads, each with the
//! reason why that is right.

use crate::advice::workload::{Class, Workload};
use crate::advice::{Action, Advice, advise};
use crate::plan::Amount;
use crate::plan::{self, Plan};
use crate::schema::Schema;
use crate::sql::fingerprint::{ClassId, fingerprint};

use super::catalogue::RULES;

/// Advice on statements, each with its weight.
#[track_caller]
fn advice(schema: &str, statements: &[(&str, &str)], plans: &str) -> Advice {
    let (schema, problems) = Schema::read(schema.as_bytes(), "schema.sql");
    assert_eq!(problems, []);
    let plans: Vec<Plan> = plan::read(plans.as_bytes(), 0).plans;
    let class = |(weight, text): &(&str, &str)| Class {
        id: ClassId::of(&fingerprint(text.as_bytes())),
        samples: vec![(*text).to_owned()],
        database: None,
        calls: 1,
        weight: Amount::parse(weight),
        micros: None,
        lock_micros: None,
        load: Default::default(),
        rows_affected: None,
        plans: plans.iter().collect(),
        measured: None,
    };
    let classes = statements.iter().map(class).collect();
    let workload = Workload { classes, ..Workload::default() };
    advise(&workload, Some(&schema))
}

/// The changes of indexes as `+t(a, b DESC)` and `-t(a)`, sorted.
fn changes(advice: &Advice) -> Vec<String> {
    let mut changes = Vec::new();
    for finding in &advice.findings {
        let list =
            |index: &crate::advice::IndexProposal| format!("{}({})", index.table, index.listed());
        let todo = &finding.recommendation;
        match (todo.action, &todo.index) {
            (Action::Create, Some(index)) => changes.push(format!("+{}", list(index))),
            (Action::Replace, Some(index)) => {
                changes.push(format!("+{}", list(index)));
                changes.extend(todo.replaces.iter().map(|old| format!("-{}", list(old))));
            }
            (Action::Drop, Some(index)) => changes.push(format!("-{}", list(index))),
            _ => {}
        }
    }
    changes.sort();
    changes
}

#[track_caller]
fn check(schema: &str, statements: &[&str], want: &[&str]) {
    let weighed: Vec<(&str, &str)> = statements.iter().map(|text| ("1", *text)).collect();
    let advice = advice(schema, &weighed, "");
    assert_eq!(changes(&advice), want, "{statements:?}");
    // Each class is answered.
    for text in statements {
        let id = ClassId::of(&fingerprint(text.as_bytes()));
        let is_told = advice.findings.iter().any(|finding| finding.queries.contains(&id));
        assert!(is_told, "nothing is said of {text}");
    }
}

/// Blocks of one kind in the text of a rule.
fn blocks(doc: &str, kind: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in doc.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(text), None) => *text += &format!("{line}\n"),
            (None, Some(info)) if info == format!("sql {kind}") => open = Some(String::new()),
            _ => {}
        }
    }
    found
}

#[test]
fn a_rule_speaks_of_its_finding_and_of_nothing_that_is_clean() {
    for rule in RULES {
        let schema = blocks(rule.doc, "schema").concat();
        let findings = blocks(rule.doc, "finding");
        assert!(!findings.is_empty(), "{} shows no finding", rule.code);
        let speaks = |text: &str| {
            let text = text.trim().trim_end_matches(';');
            let advice = advice(&schema, &[("1", text)], "");
            advice.findings.iter().any(|finding| {
                // An index finding that proposes nothing says that the rule is not broken.
                let is_alarm = finding.severity > crate::advice::Severity::Info
                    || matches!(rule.code, "IDX009" | "IDX020");
                finding.rule == rule.code && is_alarm
            })
        };
        for text in findings {
            assert!(speaks(&text), "{} is silent on {text}", rule.code);
        }
        for text in blocks(rule.doc, "clean") {
            assert!(!speaks(&text), "{} speaks of {text}", rule.code);
        }
    }
}

const PARCEL: &str = "CREATE TABLE parcel (id INT PRIMARY KEY AUTO_INCREMENT, sender INT NOT NULL,
    depot INT NOT NULL, state INT NOT NULL, sent DATETIME NOT NULL, weight INT NOT NULL,
    label VARCHAR(400) NOT NULL) ENGINE=InnoDB;
    -- rows: 100000; distinct: sender 2000, depot 50, state 5 (value 5: 95000 rows, value 1: 40 rows), sent 90000, weight 900
    -- ranges: sent >= '2026-01-01': 9000 rows, weight > 50: 60000 rows
";

#[test]
fn equalities_come_before_one_range() {
    // 40 rows of a depot and sender lie in the range of a tenth.
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE sent >= '2026-01-01' AND depot = 7"],
        &["+parcel(depot, sent)"],
    );
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE weight > 50 AND sent >= '2026-01-01' AND depot = 7"],
        &["+parcel(depot, sent)"],
    );
}

#[test]
fn a_value_that_most_rows_have_is_no_reason_for_an_index() {
    check(PARCEL, &["SELECT label FROM parcel WHERE state = 5"], &[]);
    check(PARCEL, &["SELECT label FROM parcel WHERE state = 1"], &["+parcel(state)"]);
    // The rare column carries it, the common one is left out.
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE state = 5 AND sender = 9"],
        &["+parcel(sender)"],
    );
}

#[test]
fn an_order_is_given_behind_equalities_but_not_behind_a_list() {
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE depot = 7 ORDER BY sent DESC LIMIT 10"],
        &["+parcel(depot, sent)"],
    );
    // Both directions: only a descending part gives the order.
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE depot = 7 ORDER BY weight, sent DESC LIMIT 10"],
        &["+parcel(depot, weight, sent DESC)"],
    );
    // The primary key is appended anyway.
    check(
        PARCEL,
        &["SELECT label FROM parcel WHERE sender = 7 AND depot = 3 ORDER BY id DESC LIMIT 10"],
        &["+parcel(sender, depot)"],
    );
}

#[test]
fn one_index_serves_several_statements() {
    check(
        PARCEL,
        &[
            "SELECT label FROM parcel WHERE sender = 9",
            "SELECT label FROM parcel WHERE sender = 9 AND depot = 7",
            "SELECT label, weight FROM parcel WHERE depot = 7 AND sender = 9 AND sent > '2026-02-01'",
        ],
        &["+parcel(sender, depot, sent)"],
    );
}

#[test]
fn either_side_of_or_has_its_own_index() {
    check(
        "CREATE TABLE note (id INT PRIMARY KEY, writer INT NOT NULL, reader INT NOT NULL, body VARCHAR(300));
         -- rows: 50000; distinct: writer 5000, reader 5000",
        &["SELECT body FROM note WHERE writer = 5 OR reader = 5"],
        &["+note(reader)", "+note(writer)"],
    );
    // Beside an equality OR adds nothing.
    check(
        "CREATE TABLE note (id INT PRIMARY KEY, writer INT NOT NULL, reader INT NOT NULL, box INT NOT NULL, body VARCHAR(300));
         -- rows: 50000; distinct: writer 5000, reader 5000, box 4000",
        &["SELECT body FROM note WHERE box = 3 AND (writer = 5 OR reader = 5)"],
        &["+note(box)"],
    );
}

#[test]
fn an_index_is_made_longer_before_another_one_is_made() {
    let schema = "CREATE TABLE loan (id INT PRIMARY KEY, member INT NOT NULL, due DATE NOT NULL,
        shelf INT NOT NULL, note VARCHAR(300) NOT NULL, KEY ix_member (member));
        -- rows: 90000; distinct: member 100, due 900, shelf 200
        -- ranges: due < '2026-01-01': 2000 rows";
    check(
        schema,
        &["SELECT note FROM loan WHERE member = 4 AND due < '2026-01-01'"],
        &["+loan(member, due)", "-loan(member)"],
    );
    // A hint that names the index keeps it. Of 40 members each has 2,250 loans, enough for an
    // index more.
    check(
        &schema.replace("member 100", "member 40"),
        &[
            "SELECT note FROM loan WHERE member = 4 AND due < '2026-01-01'",
            "SELECT note FROM loan FORCE INDEX (ix_member) WHERE member = 4",
        ],
        &["+loan(member, due)"],
    );
    // Of two that would be made out of one index the second, which saves less, reads too little
    // for one more: 900 loans of a member, 20 of them in the range, 45 on a shelf.
    check(
        schema,
        &[
            "SELECT note FROM loan WHERE member = 4 AND due < '2026-01-01'",
            "SELECT note FROM loan WHERE member = 4 AND shelf = 9",
        ],
        &["+loan(member, due)", "-loan(member)"],
    );
}

#[test]
fn a_join_is_helped_on_both_sides() {
    let schema = "CREATE TABLE crew (id INT PRIMARY KEY, port INT NOT NULL, name VARCHAR(300) NOT NULL);
        CREATE TABLE trip (id INT PRIMARY KEY, crew_id INT NOT NULL, day DATE NOT NULL, note VARCHAR(300) NOT NULL);
        -- rows: crew 3000, trip 90000; distinct: crew.port 600, trip.crew_id 3000, trip.day 900";
    check(
        schema,
        &["SELECT t.note FROM crew c JOIN trip t ON t.crew_id = c.id WHERE c.port = 5"],
        &["+crew(port)", "+trip(crew_id)"],
    );
    // The inner side of an outer join is never read first.
    check(
        schema,
        &["SELECT c.name, t.note FROM crew c LEFT JOIN trip t ON t.crew_id = c.id WHERE c.id = 7"],
        &["+trip(crew_id)"],
    );
    check(
        schema,
        &[
            "SELECT name FROM crew WHERE id = 4 AND NOT EXISTS (SELECT 1 FROM trip WHERE trip.crew_id = crew.id)",
        ],
        &["+trip(crew_id)"],
    );
}

#[test]
fn a_column_that_the_statement_hides_gets_no_index() {
    let schema = "CREATE TABLE bill (id INT PRIMARY KEY, made DATETIME NOT NULL, code VARCHAR(20) NOT NULL,
        cents INT NOT NULL, note VARCHAR(300) NOT NULL, KEY ix_made (made), KEY ix_code (code)) CHARSET=utf8mb4;
        -- rows: 90000; distinct: made 90000, code 90000, cents 9000";
    check(schema, &["SELECT note FROM bill WHERE DATE(made) = '2026-01-05' AND cents = 7"], &[]);
    check(schema, &["SELECT note FROM bill WHERE code = 123"], &[]);
    check(schema, &["SELECT note FROM bill WHERE cents + 1 = 7"], &[]);
}

#[test]
fn what_innodb_appends_is_not_written() {
    // (day) is (day, shop, no) in truth.
    check(
        "CREATE TABLE sale (shop INT NOT NULL, no INT NOT NULL, day DATE NOT NULL, note VARCHAR(300) NOT NULL,
           PRIMARY KEY (shop, no));
         -- rows: 90000; distinct: shop 30, no 90000, day 40",
        &["SELECT note FROM sale WHERE shop = 5 AND day = '2026-01-05'"],
        &["+sale(day)"],
    );
}

#[test]
fn what_never_holds_needs_no_index() {
    check(PARCEL, &["SELECT label FROM parcel WHERE sender = NULL"], &[]);
}

#[test]
fn long_text_is_indexed_by_a_prefix() {
    let schema = "CREATE TABLE page (id INT PRIMARY KEY, url VARCHAR(700) NOT NULL, title VARCHAR(300)) CHARSET=utf8mb4;
        -- rows: 90000; distinct: url 90000
        -- prefixes: url(20) 300, url(48) 88000, url(64) 90000";
    // The shortest prefix that tells 95 of 100 apart.
    check(
        schema,
        &["SELECT title FROM page WHERE url = 'https://example.com/a'"],
        &["+page(url(48))"],
    );
}

#[test]
fn small_tables_and_small_reads_are_left_alone() {
    check(
        "CREATE TABLE rate (id INT PRIMARY KEY, zone INT NOT NULL, pct INT);
         -- rows: 90; distinct: zone 9",
        &["SELECT pct FROM rate WHERE zone = 4"],
        &[],
    );
    check(PARCEL, &["SELECT label FROM parcel WHERE id = 4"], &[]);
}

#[test]
fn writes_are_weighed_against_reads() {
    let read = ("1", "SELECT weight FROM parcel WHERE sender = 9 AND sent > '2026-03-01'");
    let write = "INSERT INTO parcel (sender, depot, state, sent, weight, label) VALUES (1, 2, 3, NOW(), 4, 'x')";
    assert_eq!(changes(&advice(PARCEL, &[read, ("10", write)], "")), ["+parcel(sender, sent)"]);
    // A million inserts for each search that reads 100,000 rows: four row-reads an entry.
    let advice = advice(PARCEL, &[read, ("1000000", write)], "");
    assert_eq!(changes(&advice), [""; 0]);
    assert!(advice.rejected.iter().any(|it| it.reason.contains("Writes")), "{:?}", advice.rejected);
}

#[test]
fn nothing_is_created_that_the_server_refuses() {
    // Four columns of 250 characters of four bytes are 4,000 bytes; 3,072 are allowed.
    let schema =
        "CREATE TABLE place (id INT PRIMARY KEY, a CHAR(250) NOT NULL, b CHAR(250) NOT NULL,
        c CHAR(250) NOT NULL, d CHAR(250) NOT NULL, note VARCHAR(300)) CHARSET=utf8mb4;
        -- rows: 90000; distinct: a 20, b 20, c 20, d 20";
    let text = "SELECT note FROM place WHERE a = 'x' AND b = 'y' AND c = 'z' AND d = 'w'";
    let advice = advice(schema, &[("1", text)], "");
    assert_eq!(changes(&advice), [""; 0]);
    assert!(advice.findings.iter().any(|it| it.rule == "IDX020"), "{:?}", advice.findings);
}

#[test]
fn without_a_schema_nothing_is_written_down_as_a_statement() {
    let class = Class {
        id: ClassId::of(&fingerprint(b"SELECT label FROM parcel WHERE sender = 9")),
        samples: vec!["SELECT label FROM parcel WHERE sender = 9".to_owned()],
        database: None,
        calls: 1,
        weight: None,
        micros: None,
        lock_micros: None,
        load: Default::default(),
        rows_affected: None,
        plans: Vec::new(),
        measured: None,
    };
    let workload = Workload { classes: vec![class], ..Workload::default() };
    let advice = advise(&workload, None);
    let finding = advice.findings.iter().find(|it| it.recommendation.index.is_some()).unwrap();
    assert_eq!(finding.recommendation.action, Action::None);
    assert_eq!(finding.recommendation.sql, [""; 0]);
    assert_eq!(finding.confidence, crate::advice::Confidence::Low);
    assert!(
        finding.recommendation.text.contains("should exist"),
        "{}",
        finding.recommendation.text
    );
}
