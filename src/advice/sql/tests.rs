//! The blocks of the rules' texts, run: a rule speaks of its findings and of nothing that is clean.

use crate::advice::index::Names;
use crate::advice::plan::Load;
use crate::advice::workload::Class;
use crate::advice::{Action, Finding};
use crate::plan::{self, Plan};
use crate::schema::Schema;
use crate::sql::analyze::{Refused, analyze};
use crate::sql::fingerprint::{ClassId, fingerprint};

mod guards;
mod rewrites;

use super::statement::Statement;
use super::{read, rules};

/// A statement to be read, and what is known of it.
#[derive(Clone, Default)]
pub struct Given<'a> {
    pub text: &'a str,
    pub schema: Option<&'a str>,
    pub plan: Option<&'a str>,
    pub load: Load,
    pub calls: u64,
    pub rows_affected: Option<u64>,
    pub share: Option<&'a str>,
    pub is_log: bool,
}

impl<'a> Given<'a> {
    pub fn text(text: &'a str) -> Given<'a> {
        Given { text, calls: 1, ..Given::default() }
    }

    pub fn schema(self, schema: &'a str) -> Given<'a> {
        Given { schema: Some(schema), ..self }
    }

    /// What all rules say.
    #[track_caller]
    pub fn read(&self) -> Vec<Finding> {
        match self.try_read() {
            Ok(findings) => findings,
            Err(refused) => panic!("{refused}: {}", self.text),
        }
    }

    /// The same; why the statement is not read, where it is not.
    #[track_caller]
    pub fn try_read(&self) -> Result<Vec<Finding>, Refused> {
        let schema = self.schema.map(|text| {
            let (schema, problems) = Schema::read(text.as_bytes(), "schema.sql");
            assert_eq!(problems, [], "{text}");
            schema
        });
        let names = Names { schema: schema.as_ref(), database: None };
        let shape = analyze(self.text, &names)?;
        let plans: Vec<Plan> =
            self.plan.map(|text| plan::read(text.as_bytes(), 0).plans).unwrap_or_default();
        let class = Class {
            id: ClassId::of(&fingerprint(self.text.as_bytes())),
            samples: vec![self.text.to_owned()],
            database: None,
            calls: self.calls,
            weight: None,
            micros: None,
            lock_micros: None,
            load: self.load,
            rows_affected: self.rows_affected,
            plans: plans.iter().collect(),
            measured: None,
        };
        let findings = read(&Statement {
            class: &class,
            shape: &shape,
            text: self.text,
            schema: schema.as_ref(),
            share: self.share.and_then(plan::Amount::parse),
            is_review: !self.is_log,
        });
        for finding in &findings {
            sound(finding, self.text);
        }
        Ok(findings)
    }

    /// What one rule says.
    #[track_caller]
    pub fn by(&self, rule: &str) -> Option<Finding> {
        let found: Vec<Finding> = self.read().into_iter().filter(|it| it.rule == rule).collect();
        assert!(found.len() <= 1, "{rule} speaks {} times of {}", found.len(), self.text);
        found.into_iter().next()
    }

    /// The statement as a rule would write it.
    #[track_caller]
    pub fn rewritten(&self, rule: &str) -> Option<String> {
        self.by(rule)?.recommendation.sql.into_iter().next()
    }
}

/// What holds of each finding.
#[track_caller]
fn sound(finding: &Finding, statement: &str) {
    let rule = finding.rule;
    assert!(rules().any(|it| it.code == rule), "{rule}");
    let texts = [&finding.title, &finding.recommendation.text, &finding.verify];
    for text in texts {
        let is_whole = !text.is_empty()
            && !text.contains("  ")
            && !text.contains('\n')
            && !text.ends_with("..")
            && !text.ends_with(' ');
        assert!(is_whole, "{rule}: {text:?} of {statement}");
    }
    for text in [&finding.recommendation.text, &finding.verify] {
        assert!(text.ends_with('.'), "{rule}: {text:?}");
    }
    assert!(!finding.evidence.is_empty(), "{rule} of {statement}");
    assert!(finding.subject.query_id.is_some() && !finding.queries.is_empty(), "{rule}");
    for sql in &finding.recommendation.sql {
        assert_ne!(sql, statement, "{rule}");
        assert_eq!(finding.recommendation.action, Action::Rewrite, "{rule}");
        if let Err(refused) = analyze(sql, &Names { schema: None, database: None }) {
            panic!("{rule} writes what is not understood, {refused}: {sql}");
        }
    }
}

/// A block of a rule's text: what it is, and its text.
fn blocks(doc: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in doc.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => open = Some((kind.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert_eq!(open, None, "a block has no end: {doc}");
    found
}

#[test]
fn rules_speak_of_their_findings_and_not_of_what_is_clean() {
    let mut failures = Vec::new();
    for rule in rules() {
        let (mut schema, mut found, mut clean) = (None, 0, 0);
        for (kind, text) in blocks(rule.doc) {
            let statement = text.trim().to_owned();
            let speaks = |schema: &Option<String>| {
                let given = Given { schema: schema.as_deref(), ..Given::text(&statement) };
                given.by(rule.code).is_some()
            };
            match kind.as_str() {
                "sql schema" => schema = Some(text),
                "sql finding" => {
                    found += 1;
                    if !speaks(&schema) {
                        failures.push(format!("{} is silent: {statement}", rule.code));
                    }
                }
                "sql clean" => {
                    clean += 1;
                    if speaks(&schema) {
                        failures.push(format!("{} speaks: {statement}", rule.code));
                    }
                }
                other => panic!("{}: a block of {other:?}", rule.code),
            }
        }
        // A list of two hundred values is made in a test of its own.
        if clean == 0 || found == 0 && rule.code != "SQL011" {
            failures.push(format!("{} has no block of each", rule.code));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn codes_are_those_of_the_catalogue_each_once() {
    let codes: Vec<String> = rules().map(|rule| rule.code.to_owned()).collect();
    let want: Vec<String> = (1..=26).map(|number| format!("SQL{number:03}")).collect();
    assert_eq!(codes, want);
}

#[test]
fn statements_of_any_size_are_read_soon() {
    const TABLES: &str = "CREATE TABLE t (id int PRIMARY KEY, a int, b int, c varchar(9), d datetime, KEY (a), KEY (c), KEY (d)); \
        CREATE TABLE u (id int PRIMARY KEY, a int, x varchar(9));";
    let many = |head: &str, item: fn(usize) -> String, between: &str, count: usize| {
        let items: Vec<String> = (0..count).map(item).collect();
        format!("{head}{}", items.join(between))
    };
    let texts = [
        many("SELECT id FROM t WHERE ", |it| format!("a = {it} OR b = {it}"), " OR ", 20_000),
        many(
            "SELECT id FROM t WHERE ",
            |it| format!("(a = {it} AND YEAR(d) = {it})"),
            " OR ",
            10_000,
        ),
        many("SELECT id FROM t WHERE ", |it| format!("c = {it}"), " AND ", 20_000),
        many("SELECT id FROM t WHERE ", |it| format!("a + {it} > 7"), " AND ", 20_000),
        many("SELECT t.id FROM t, u WHERE ", |it| format!("t.b = {it}"), " AND ", 20_000),
        many("SELECT id FROM t WHERE c NOT IN (", |it| it.to_string(), ", ", 50_000) + ")",
        many("SELECT ", |it| format!("(SELECT MAX(a) FROM u WHERE u.a = t.a + {it})"), ", ", 500)
            + " FROM t",
        many("", |it| format!("SELECT id FROM t WHERE a = {it}"), " UNION ", 500),
        many("SELECT 1 FROM ", |it| format!("t t{it}"), ", ", 200),
        many(
            "SELECT id FROM t WHERE a IN (SELECT a FROM u WHERE ",
            |_| "x LIKE '%a%'".to_owned(),
            " OR ",
            5_000,
        ) + ")",
        format!("SELECT id FROM t WHERE {}a + 1 = 5{}", "(".repeat(90), ")".repeat(90)),
        format!("SELECT id FROM t WHERE c = '{}' AND DATE(d) = '2026-02-01'", "x".repeat(1 << 20)),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let _ = Given::text(&text).schema(TABLES).read();
        let taken = start.elapsed();
        let head: String = text.chars().take(60).collect();
        assert!(taken.as_secs() < 20, "{taken:?} for {head}");
    }
}

/// Every statement of the rules' texts, with the tables that it stands under.
fn statements() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for rule in rules() {
        let mut schema = String::new();
        for (kind, text) in blocks(rule.doc) {
            match kind.as_str() {
                "sql schema" => schema = text,
                _ => found.push((schema.clone(), text.trim().to_owned())),
            }
        }
    }
    found
}

#[test]
fn statements_cut_anywhere_are_read() {
    for (schema, text) in statements() {
        let places = (1..text.len()).step_by(5).filter(|at| text.is_char_boundary(*at));
        for place in places {
            for part in [&text[..place], &text[place..]] {
                let _ = Given::text(part).schema(&schema).try_read();
            }
        }
    }
}

#[test]
fn every_rule_is_at_ease_with_the_statements_of_the_others() {
    let all = statements();
    let schemas: Vec<&str> = all.iter().map(|(schema, _)| schema.as_str()).step_by(23).collect();
    for (_, text) in &all {
        for schema in &schemas {
            // Tables that are not known, and columns that are not there.
            let _ = Given::text(text).schema(schema).try_read();
        }
        let _ = Given { is_log: true, ..Given::text(text) }.try_read();
    }
}
