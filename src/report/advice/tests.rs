//! Advice made by hand, in every format.

use super::*;
use crate::advice::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal, Rejected,
    Severity, Unread,
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
    finding.subject.query_id = queries.first().copied().filter(|_| queries.len() == 1);
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
        Fact::number("write_entries_per_second", Amount::whole(3)),
    ];
    create.recommendation.action = Action::Create;
    create.recommendation.text = "Search by yard, then in the order of built.".to_owned();
    create.recommendation.index = Some(index(&["yard", "built"]));
    create.recommendation.sql =
        vec!["ALTER TABLE `depot`.`vans` ADD INDEX `yard_built` (`yard`, `built`)".to_owned()];
    create.benefit = Some(Benefit { micros: 600_000_000, of_micros: 900_000_000 });
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
        counsel: Counsel::new(advice, classes, None),
        evidence: Evidence { has_input: true, ..Evidence::default() },
        whole_micros: Some(1_000_000_000),
        window_micros: None,
        rules: Rules::Default,
        is_review: false,
        partial: false,
    }
}

fn written(advised: &Advised, limit: usize, depth: Depth) -> String {
    let mut out = Vec::new();
    text::write(advised, limit, &Look { depth, ..Look::default() }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn look_at_it() {
    let advised = advised(findings());
    println!("{}", written(&advised, 10, Depth::Full));
    let mut out = Vec::new();
    markdown::write(&advised, 1, &Look::default(), &mut out).unwrap();
    println!("{}", String::from_utf8(out).unwrap());
}
