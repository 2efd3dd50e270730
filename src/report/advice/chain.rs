//! The chain of evidence, as it opens a page.

use serde_json::{Map, Value, json};

use super::Advised;
use crate::advice::chain::{Link, Verdict};
use crate::report::findings;
use crate::report::plans::page::{Note, Piece, Tone};
use crate::report::plans::wrap::one_line;

/// The links, each an item.
pub(super) fn pieces(advised: &Advised) -> Vec<Piece> {
    let links = &advised.counsel.advice.chain;
    if links.is_empty() {
        return Vec::new();
    }
    let heading = std::iter::once(Piece::Section("What the evidence supports"));
    heading.chain(links.iter().zip(1..).map(|(link, number)| item(link, number))).collect()
}

fn item(link: &Link, number: usize) -> Piece {
    let (tone, head) = match link.verdict {
        Verdict::Holds => (Tone::Plain, ""),
        Verdict::Fails => (Tone::Warn, "NO: "),
        Verdict::Open => (Tone::Dim, "OPEN: "),
    };
    let rule = link.rule.map_or(String::new(), |rule| format!(" ({rule})"));
    let text =
        format!("{head}{}. {}.{rule}", one_line(&link.claim), capital(&one_line(&link.because)));
    let note = |head: &str, text: &Option<String>| {
        let text = one_line(text.as_deref()?);
        Some(Note::Words(Tone::Plain, format!("{head}: {text}")))
    };
    let notes = [note("rules out", &link.rules_out), note("next", &link.next)];
    Piece::Item {
        label: format!("{number}."),
        tone,
        text,
        notes: notes.into_iter().flatten().collect(),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A link as JSON.
pub(super) fn json(link: &Link) -> Value {
    let evidence = link.evidence.iter();
    let evidence: Map<String, Value> =
        evidence.map(|fact| (fact.name.to_owned(), findings::value(&fact.value))).collect();
    let mut object = Map::new();
    object.insert("verdict".to_owned(), json!(link.verdict.word()));
    object.insert("claim".to_owned(), json!(link.claim));
    object.insert("because".to_owned(), json!(link.because));
    let texts = [("rules_out", &link.rules_out), ("next", &link.next)];
    for (name, text) in texts {
        if let Some(text) = text {
            object.insert(name.to_owned(), json!(text));
        }
    }
    if let Some(rule) = link.rule {
        object.insert("rule".to_owned(), json!(rule));
    }
    object.insert("evidence".to_owned(), Value::Object(evidence));
    Value::Object(object)
}
