//! Plans for the tests of the rules: made up, with arithmetic that a reader can follow.

use crate::advice::{Finding, Severity};
use crate::plan;
use crate::schema::Schema;

use super::key_parts;
use super::look::Look;
use super::{Case, Load};

/// What a rule is given.
#[derive(Clone)]
pub struct Given<'a> {
    plan: &'a str,
    query: Option<&'a str>,
    schema: Option<&'a str>,
    load: Option<Load>,
    switch: Option<&'a str>,
}

impl<'a> Given<'a> {
    pub fn plan(plan: &'a str) -> Given<'a> {
        Given { plan, query: None, schema: None, load: None, switch: None }
    }

    pub fn query(self, query: &'a str) -> Given<'a> {
        Given { query: Some(query), ..self }
    }

    pub fn schema(self, schema: &'a str) -> Given<'a> {
        Given { schema: Some(schema), ..self }
    }

    pub fn load(self, load: Load) -> Given<'a> {
        Given { load: Some(load), ..self }
    }

    pub fn switch(self, switch: &'a str) -> Given<'a> {
        Given { switch: Some(switch), ..self }
    }

    fn with<T>(&self, run: impl FnOnce(&Case<'_>) -> T) -> T {
        let found = plan::read(self.plan.as_bytes(), 0);
        assert_eq!(found.plans.len(), 1, "{}", self.plan);
        let mut plan = found.plans.into_iter().next().unwrap();
        if let Some(query) = self.query {
            plan.query = Some(query.to_owned());
        }
        let schema = self.schema.map(|text| {
            let (schema, problems) = Schema::read(text.as_bytes(), "schema.sql");
            assert_eq!(problems, []);
            schema
        });
        if let Some(schema) = &schema {
            assert_eq!(key_parts::fill(&mut plan, schema), []);
        }
        let mut case = Case::new(&plan);
        case.schema = schema.as_ref();
        case.load = self.load.as_ref();
        case.optimizer_switch = self.switch;
        run(&case)
    }
}

/// What all rules say, in texts without gaps: each plan of a test is one for the texts as well.
#[track_caller]
pub fn review(given: &Given<'_>) -> Vec<Finding> {
    let findings = given.with(super::review);
    for finding in &findings {
        let texts = [&finding.title, &finding.recommendation.text, &finding.verify];
        for text in texts {
            assert!(!text.contains("  ") && !text.ends_with(".."), "{}: {text:?}", finding.rule);
        }
    }
    findings
}

/// What one rule says by itself.
pub fn alone(given: &Given<'_>, rule: fn(&Look<'_>) -> Vec<Finding>) -> Vec<Finding> {
    given.with(|case| rule(&Look::new(*case)))
}

/// Asserts that a rule speaks with this severity, or not at all.
#[track_caller]
pub fn check(given: &Given<'_>, rule: &str, want: Option<Severity>) -> Option<Finding> {
    let findings = review(given);
    let found = findings.iter().find(|finding| finding.rule == rule);
    let titles: Vec<&str> = findings.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(found.map(|it| it.severity), want, "{rule} of {titles:?} for\n{}", given.plan);
    found.cloned()
}

/// A line of a table that one SELECT reads, as MySQL 5.7 and later print it.
pub fn line(
    table: &str,
    access: &str,
    key: &str,
    rows: &str,
    filtered: &str,
    extra: &str,
) -> String {
    let null = |text: &str| if text == "-" { "NULL".to_owned() } else { text.to_owned() };
    let possible = if access == "index" { "NULL".to_owned() } else { null(key) };
    let length = if key == "-" { "NULL" } else { "4" };
    format!(
        "1\tSIMPLE\t{table}\tNULL\t{access}\t{possible}\t{}\t{length}\tNULL\t{rows}\t{filtered}\t{}\n",
        null(key),
        null(extra)
    )
}

/// Lines below the names of the columns.
pub fn tsv(lines: &[&String]) -> String {
    let head = "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n";
    std::iter::once(head).chain(lines.iter().map(|line| line.as_str())).collect()
}

/// A class that takes so many percent of the time.
pub fn load(share: &str) -> Load {
    Load { share: plan::Amount::parse(share), ..Load::default() }
}
