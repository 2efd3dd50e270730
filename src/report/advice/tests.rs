//! Advice made by hand, in every format.

use super::*;
use crate::advice::{
    Action, Benefit, Category, Fact, Finding, IndexColumn, IndexProposal, Rejected, Severity,
    Unread,
};
use crate::report::plans::{Depth, Look};

const EARLY: ClassId = ClassId([0x11; 16]);
const LATE: ClassId = ClassId([0x22; 16]);
const ODD: ClassId = ClassId([0x33; 16]);

fn line(id: ClassId, item: &str, calls: u64, share: u64) -> Line {
    let micros = Some(share * 10_000_000);
    Line { id, item: item.to_owned(), calls, share: Some(Amount::whole(share)), micros }
}

fn index(columns: &[&str]) -> IndexProposal {
    let column = |name: &&str| IndexColumn { name: (*name).to_owned(), ..IndexColumn::default() };
    let columns = columns.iter().map(column).collect();
    IndexProposal { table: "depot.vans".to_owned(), name: None, columns }
}

fn finding(rule: &'static str, title: &str, queries: &[ClassId]) -> Finding {
    let mut finding = crate::advice::finding::fixture(rule);
    finding.title = title.to_owned();
    finding.queries = queries.to_vec();
    finding.subject.query_id = queries.first().copied();
    finding
}

/// An index for two classes, a rewrite and a plan of one of them, an index to drop, and a class
/// that needs nothing.
fn findings() -> Vec<Finding> {
    let mut create =
        finding("IDX001", "rows of depot.vans are read to be thrown away", &[EARLY, LATE]);
    create.category = Category::Index;
    create.severity = Severity::High;
    create.subject.table = Some("depot.vans".to_owned());
    create.evidence = vec![
        Fact::number("rows_examined_avg", Amount::whole(112_690)),
        Fact::number("rows_read_now", Amount::whole(112_690)),
        Fact::number("rows_read_then", Amount::whole(12)),
        Fact::number("index_bytes_about", Amount::whole(4_096)),
    ];
    create.recommendation.action = Action::Create;
    create.recommendation.text = "Search by yard, then in the order of built.".to_owned();
    create.recommendation.index = Some(index(&["yard", "built"]));
    create.recommendation.sql =
        vec!["ALTER TABLE `depot`.`vans` ADD INDEX `yard_built` (`yard`, `built`)".to_owned()];
    create.recommendation.undo =
        vec!["ALTER TABLE `depot`.`vans` DROP INDEX `yard_built`".to_owned()];
    create.benefit =
        Some(Benefit { micros: 600_000_000, of_micros: 900_000_000, whole_micros: 1_000_000_000 });
    create.verify = "EXPLAIN SELECT id FROM vans WHERE yard = 7 ORDER BY built".to_owned();
    let mut plan = finding("PLAN001", "`vans` is read whole: about 112,690 rows", &[EARLY]);
    plan.category = Category::Plan;
    plan.severity = Severity::High;
    plan.subject.table = Some("vans".to_owned());
    let mut rewrite = finding("SQL001", "DATE(built) hides the column", &[LATE]);
    rewrite.recommendation.action = Action::Rewrite;
    rewrite.recommendation.sql =
        vec!["SELECT id FROM vans WHERE built >= '2026-02-01' -- day".to_owned()];
    let mut drop = finding("IDX007", "`yard` is the beginning of `yard_plate`", &[]);
    drop.category = Category::Index;
    drop.recommendation.action = Action::Drop;
    drop.recommendation.text = "Another index serves the same.".to_owned();
    drop.recommendation.index =
        Some(IndexProposal { name: Some("yard".to_owned()), ..index(&["yard"]) });
    drop.recommendation.sql = vec!["ALTER TABLE `depot`.`vans` DROP INDEX `yard`".to_owned()];
    drop.recommendation.undo =
        vec!["ALTER TABLE `depot`.`vans` ADD INDEX `yard` (`yard`)".to_owned()];
    // It is of a table, whoever reads that.
    drop.queries = vec![LATE, ODD];
    let mut none = finding("IDX001", "no new index helps", &[ODD]);
    none.category = Category::Index;
    none.severity = Severity::Info;
    none.recommendation.text = "PRIMARY serves it.".to_owned();
    vec![create, drop, rewrite, none, plan]
}

fn advised(findings: Vec<Finding>) -> Advised {
    let advice = Advice {
        findings,
        rejected: vec![Rejected {
            index: index(&["built"]),
            reason: "It keeps 60 % of the rows.".to_owned(),
            queries: vec![LATE],
        }],
        unread: vec![Unread {
            query_id: ODD,
            reason: "not understood: MATCH_RECOGNIZE".to_owned(),
        }],
        ..Advice::default()
    };
    let classes = vec![
        line(LATE, "SELECT depot.vans", 12, 30),
        line(EARLY, "SELECT depot.vans", 5_000, 60),
        line(ODD, "SELECT depot.oddities", 1, 10),
    ];
    let statements = Statements {
        name: "vans.sql".to_owned(),
        compression: None,
        bytes: 2048,
        statements: 4,
        problems: Vec::new(),
    };
    Advised {
        inputs: vec![Source::Statements(statements)],
        plan_inputs: Vec::new(),
        plans_without_class: Vec::new(),
        counsel: Counsel::new(advice, classes),
        evidence: Evidence { has_input: true, ..Evidence::default() },
        whole_micros: Some(1_000_000_000),
        window_micros: None,
        rules: Rules::Default,
        is_review: false,
        partial: false,
        query_cache: None,
    }
}

fn written(advised: &Advised, limit: usize, depth: Depth) -> String {
    let mut out = Vec::new();
    text::write(advised, limit, &Look { depth, ..Look::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The part of a text from one line to the next one, which is not in it.
#[track_caller]
fn part<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let at = text.find(from).unwrap_or_else(|| panic!("no {from} in {text}"));
    let end = text[at..].find(to).unwrap_or_else(|| panic!("no {to} behind {from} in {text}"));
    &text[at..at + end]
}

#[test]
fn a_block_is_one_cause_with_all_that_was_found_on_its_classes() {
    let text = written(&advised(findings()), 10, Depth::Usual);
    assert!(
        text.starts_with("# Advice: 1 new index, 1 index to drop, 1 rewrite, 1 other finding\n")
    );
    // 10 of 100 percent are of a class that is not understood.
    assert!(text.contains("\nNot understood: 1 class, 10% of the time\n"), "{text}");
    let block = part(&text, "1.  HIGH IDX001", "2.  MEDIUM IDX007");
    for line in [
        "\n    run:\n      ALTER TABLE `depot`.`vans` ADD INDEX `yard_built` (`yard`, `built`);\n",
        "\n    undo:\n      ALTER TABLE `depot`.`vans` DROP INDEX `yard_built`;\n",
        "\n    serves: 0x11111111111111111111111111111111 SELECT depot.vans, 60.0%, 5,000\n",
        "\n    and 0x22222222222222222222222222222222 SELECT depot.vans, 30.0%, 12 calls\n",
        // Medium confidence is worth half: 300 s of 600 s; 600 of 900 are 67 %.
        "\n    effect: saves ~300s to ~600s of 900s (up to 67%)\n",
        "\n    costs: index bytes about 4,096\n",
        "\n    verify:\n      EXPLAIN SELECT id FROM vans WHERE yard = 7 ORDER BY built;\n",
        "\n    also MEDIUM SQL001: ",
        "\n    instead:\n      SELECT id FROM vans WHERE built >= '2026-02-01' -- day\n      ;\n",
        "\n    also HIGH PLAN001: ",
    ] {
        assert!(block.contains(line), "{line}: {block}");
    }
    assert!(!text.contains("Thought of"));
    assert!(written(&advised(findings()), 10, Depth::Full).contains(
        "Thought of and not proposed\n-   depot.vans (built): It keeps 60 % of the rows.\n"
    ));
    let quiet = part(&text, "Nothing to do", "Not understood\n");
    assert!(quiet.contains("no new\n    index helps\n") && !quiet.contains("PRIMARY"), "{quiet}");
    let full = written(&advised(findings()), 10, Depth::Full);
    assert!(part(&full, "Nothing to do", "Thought of").contains("helps. PRIMARY serves it."));
    let end = part(&text, "To get more\n", ".\n");
    assert!(end.contains("--schema FILE") && end.contains("--plans\n"), "{end}");
}

#[test]
fn no_line_but_a_statement_is_wider_than_80_columns() {
    let mut findings = findings();
    let long = "a_rather_long_name ".repeat(30);
    findings[0].title = long.clone();
    findings[0].recommendation.text = long.clone();
    findings[3].recommendation.text = long;
    let statement = format!("SELECT {} FROM vans", "a_column, ".repeat(40));
    findings[2].recommendation.sql = vec![statement.clone()];
    let text = written(&advised(findings), 10, Depth::Full);
    for line in text.lines().filter(|line| !line.contains("SELECT a_column")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains(&format!("{statement};\n")));
}

#[test]
fn the_script_can_be_pasted() {
    let counsel = advised(findings()).counsel;
    let script = script::of(&counsel).unwrap();
    let statements: Vec<&str> = script.lines().filter(|line| !line.starts_with("--")).collect();
    assert_eq!(
        statements,
        [
            "ALTER TABLE `depot`.`vans` ADD INDEX `yard_built` (`yard`, `built`);",
            "",
            "ALTER TABLE `depot`.`vans` DROP INDEX `yard`;",
        ]
    );
    let comments = [
        "-- check: EXPLAIN SELECT id FROM vans WHERE yard = 7 ORDER BY built;\n",
        "-- undo: ALTER TABLE `depot`.`vans` DROP INDEX `yard_built`;\n",
        "-- effect: saves ~300s to ~600s of 900s (up to 67%)\n",
    ];
    assert!(comments.iter().all(|comment| script.contains(comment)), "{script}");
    let none = Counsel::default();
    assert_eq!((script::of(&none), script::changes(&none)), (None, 0));
}

#[test]
fn findings_beyond_the_limit_are_a_line_each() {
    let text = written(&advised(findings()), 1, Depth::Usual);
    let further = part(&text, "Further findings\n", "\n\n");
    assert_eq!(
        further,
        "Further findings\n-   MEDIUM IDX007: `yard` is the beginning of `yard_plate`"
    );
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let many = |count: usize| {
        let one = |number: usize| {
            let mut finding = finding("SQL015", &format!("finding {number}"), &[]);
            let number = number as u8;
            finding.subject.query_id = Some(ClassId([number; 16]));
            finding
        };
        (0..count).map(one).collect::<Vec<Finding>>()
    };
    let text = written(&advised(many(60)), 10, Depth::Usual);
    // 60 without the 10 blocks are 50, of which 40 are listed.
    assert!(text.contains("-   and 10 more (-v shows all)\n"), "{text}");
    let text = written(&advised(many(60)), 10, Depth::Full);
    assert!(text.contains("finding 59") && !text.contains("more (-v"), "{text}");
}

#[test]
fn without_findings_there_is_nothing_to_change() {
    let text = written(&advised(Vec::new()), 10, Depth::Usual);
    assert!(text.starts_with("# Advice: nothing to change\nRead: vans.sql"), "{text}");
    assert!(!text.contains("What to do") && !text.contains("script"), "{text}");
}

#[test]
fn markdown_puts_statements_behind_fences() {
    let mut out = Vec::new();
    markdown::write(&advised(findings()), 1, &Look::default(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let want = "   - run:\n     ```sql\n     ALTER TABLE `depot`.`vans` ADD INDEX `yard_built` \
                (`yard`, `built`);\n     ```\n";
    assert!(text.contains(want), "{text}");
    assert!(text.contains("### Further findings\n\n- MEDIUM IDX007: \\`yard\\` is"), "{text}");
}

#[test]
fn json_has_findings_rejected_ideas_and_what_is_unread() {
    let mut out = Vec::new();
    json::write(&advised(findings()), false, &mut out).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["adagio"]["schema"], 1);
    assert_eq!(value["input"][0]["type"], "sql");
    assert_eq!(value["input"][0]["events"], 4);
    let rules: Vec<&str> =
        value["advice"].as_array().unwrap().iter().filter_map(|it| it["rule"].as_str()).collect();
    assert_eq!(rules, ["IDX001", "IDX007", "SQL001", "IDX001", "PLAN001"]);
    assert_eq!(value["rejected"][0]["index"]["table"], "depot.vans");
    assert_eq!(value["rejected"][0]["reason"], "It keeps 60 % of the rows.");
    assert_eq!(value["rejected"][0]["queries"][0], LATE.to_string());
    assert_eq!(value["unread"][0]["query_id"], ODD.to_string());
    // 10 percent as a fraction.
    assert_eq!(value["unread"][0]["share"].to_string(), "0.1");
}
