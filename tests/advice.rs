//! Laws of findings, over all plans of the samples, whole and cut anywhere.

use std::path::Path;

use adagio::advice::plan::{Case, key_parts, review, rules};
use adagio::plan;
use adagio::schema::Schema;

/// Tables by the names that the samples use, so that rules which need a schema look as well.
const SCHEMA: &str = "
CREATE TABLE loans (id int NOT NULL PRIMARY KEY, member_id int NOT NULL, book_id int, due date, state varchar(9),
    KEY by_member (member_id), KEY by_state (state, due)) DEFAULT CHARSET=utf8mb4;
CREATE TABLE members (id int NOT NULL PRIMARY KEY, town varchar(20), name varchar(40), KEY by_town (town));
CREATE TABLE books (id int NOT NULL PRIMARY KEY, title varchar(80));
";

fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<(String, Vec<u8>)> =
        files.map(|path| (path.display().to_string(), std::fs::read(&path).unwrap())).collect();
    samples.sort();
    assert!(samples.len() > 10);
    samples
}

/// Reviews all plans of a text, and holds what is said to what a reader may expect.
fn check(name: &str, text: &[u8], schema: Option<&Schema>) -> usize {
    let codes: Vec<&str> = rules().map(|rule| rule.code).collect();
    let mut count = 0;
    for mut plan in plan::read(text, 0).plans {
        if let Some(schema) = schema {
            let _ = key_parts::fill(&mut plan, schema);
        }
        let findings = review(&Case { schema, ..Case::new(&plan) });
        let steps = plan.all_nodes().len();
        assert!(findings.is_sorted_by(|a, b| a.severity >= b.severity), "{name}");
        for finding in &findings {
            assert!(codes.contains(&finding.rule), "{name}: {}", finding.rule);
            assert!(finding.subject.step.is_none_or(|step| step < steps), "{name}: {finding:?}");
            assert!(!finding.evidence.is_empty(), "{name}: {}", finding.title);
            let texts = [&finding.title, &finding.verify, &finding.recommendation.text];
            assert!(texts.iter().all(|text| !text.is_empty()), "{name}: {finding:?}");
            assert!(!finding.title.contains('\n'), "{name}: {}", finding.title);
            for text in texts {
                check_text(text, &format!("{name}: {}", finding.rule));
            }
        }
        // No step is told the same twice.
        let mut told: Vec<_> =
            findings.iter().map(|it| (it.rule, it.subject.step, &it.title)).collect();
        told.sort_unstable();
        told.dedup();
        assert_eq!(told.len(), findings.len(), "{name}");
        count += findings.len();
    }
    count
}

/// Lines of a text that was put together: no part is missing between two blanks or two full stops.
#[track_caller]
fn check_text(text: &str, what: &str) {
    for line in text.lines() {
        let line = line.trim();
        assert!(!line.contains("  "), "{what}: two blanks in {line:?}");
        assert!(!line.ends_with(".."), "{what}: two full stops in {line:?}");
    }
}

#[test]
fn rules_have_texts_without_gaps() {
    for rule in rules() {
        check_text(rule.doc, rule.code);
    }
}

#[test]
fn findings_of_samples_are_whole() {
    let (schema, problems) = Schema::read(SCHEMA.as_bytes(), "schema.sql");
    assert_eq!(problems, []);
    let found: usize = samples().iter().map(|(name, text)| check(name, text, None)).sum();
    assert!(found > 10, "{found}");
    for (name, text) in samples() {
        check(&name, &text, Some(&schema));
    }
}

#[test]
fn plans_cut_anywhere_are_looked_at() {
    let (schema, _) = Schema::read(SCHEMA.as_bytes(), "schema.sql");
    for (name, text) in samples() {
        let places = (0..text.len()).step_by(29);
        for place in places {
            check(&name, &text[..place], Some(&schema));
            check(&name, &text[place..], None);
        }
    }
}
