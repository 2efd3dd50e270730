//! Advice as JSON, a finding at a time. Figures are exact; what is not known is absent.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Advised, Source, Statements, chain, query_cache};
use crate::advice::{NotChecked, Rejected, Unread};
use crate::digest::stat::Rules;
use crate::plan::Amount;
use crate::report::findings::{self, index, number};
use crate::report::json::{input, warnings};
use crate::report::{FINGERPRINT_RULES, PEER_RULES};

/// Version of the form of this document.
const SCHEMA: u32 = 1;

/// Writes the advice as one object.
pub fn write(advised: &Advised, redact: bool, out: &mut dyn Write) -> io::Result<()> {
    let fingerprint = match advised.rules {
        Rules::Default => FINGERPRINT_RULES,
        Rules::Peer => PEER_RULES,
    };
    let version = env!("CARGO_PKG_VERSION");
    let program = json!({ "version": version, "schema": SCHEMA, "fingerprint": fingerprint });
    let inputs: Vec<Value> = advised.inputs.iter().map(|it| source(it, redact)).collect();
    writeln!(out, "{{\n\"adagio\":{program},")?;
    writeln!(out, "\"partial\":{},", advised.partial)?;
    writeln!(out, "\"input\":{},", Value::Array(inputs))?;
    let advice = &advised.counsel.advice;
    if !advice.chain.is_empty() {
        list("chain", advice.chain.iter().map(chain::json), out)?;
        writeln!(out, ",")?;
    }
    list("advice", advice.findings.iter().map(findings::json), out)?;
    writeln!(out, ",")?;
    list("rejected", advice.rejected.iter().map(rejected), out)?;
    writeln!(out, ",")?;
    list("unread", advice.unread.iter().map(|it| unread(advised, it)), out)?;
    let known = advice.facts.iter();
    let known = known.map(|fact| (fact.name.to_owned(), findings::value(&fact.value)));
    let replayed = advised.query_cache.iter().flat_map(query_cache::facts);
    let facts: Map<String, Value> = known.chain(replayed).collect();
    if !facts.is_empty() {
        write!(out, ",\n\"facts\":{}", Value::Object(facts))?;
    }
    if !advice.not_checked.is_empty() {
        writeln!(out, ",")?;
        let lacks = |it: &NotChecked| json!({ "rule": it.rule, "wants": it.wants });
        list("not_checked", advice.not_checked.iter().map(lacks), out)?;
    }
    writeln!(out, "\n}}")
}

/// A list under a key, an element a line.
fn list(
    key: &str,
    values: impl ExactSizeIterator<Item = Value>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "\"{key}\":[")?;
    let count = values.len();
    for (place, value) in values.enumerate() {
        writeln!(out)?;
        serde_json::to_writer(&mut *out, &value)?;
        write!(out, "{}", if place + 1 < count { "," } else { "\n" })?;
    }
    write!(out, "]")
}

fn source(source: &Source, redact: bool) -> Value {
    match source {
        Source::Log(log) => input(log, redact),
        Source::Statements(statements) => of_statements(statements, redact),
    }
}

fn of_statements(statements: &Statements, redact: bool) -> Value {
    let mut object = Map::new();
    let mut set = |name: &str, value: Value| object.insert(name.to_owned(), value);
    set("name", json!(statements.name));
    set("type", json!("sql"));
    set("bytes", json!(statements.bytes));
    set("events", json!(statements.statements));
    if let Some(compression) = &statements.compression {
        set("compression", json!(compression));
    }
    set("warnings", warnings(&statements.problems, redact));
    Value::Object(object)
}

fn rejected(rejected: &Rejected) -> Value {
    let queries: Vec<String> = rejected.queries.iter().map(ToString::to_string).collect();
    json!({ "index": index(&rejected.index), "reason": rejected.reason, "queries": queries })
}

/// The share is a fraction, as that of a finding's benefit.
fn unread(advised: &Advised, unread: &Unread) -> Value {
    let share = advised.counsel.line(unread.query_id).and_then(|line| line.share);
    let share = share.and_then(|percent| percent.ratio(Amount::whole(100))).map(number);
    let mut told = json!({ "query_id": unread.query_id.to_string(), "reason": unread.reason });
    if let (Some(share), Some(object)) = (share, told.as_object_mut()) {
        object.insert("share".to_owned(), share);
    }
    told
}
