//! Plans as JSON. Figures are exact: they are printed from whole billionths, never through a
//! float. What a plan does not tell is absent.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{ClassPlan, Input, Review};
use crate::advice::Finding;
use crate::flavor::Family;
use crate::plan::{Node, Plan};
use crate::report::findings::{self, number};
use crate::report::json::warnings;

/// Version of the form of this document.
const SCHEMA: u32 = 1;

/// Writes the review as one object, a plan at a time.
pub fn write(review: &Review, out: &mut dyn Write) -> io::Result<()> {
    let inputs: Vec<Value> = review.inputs.iter().map(input).collect();
    let program = json!({ "version": env!("CARGO_PKG_VERSION"), "schema": SCHEMA });
    writeln!(out, "{{\n\"adagio\":{program},\n\"input\":{},", Value::Array(inputs))?;
    writeln!(out, "\"plans\":[")?;
    for (place, reviewed) in review.plans.iter().enumerate() {
        let name = review.inputs.get(reviewed.input).map(|input| input.name.as_str());
        serde_json::to_writer(&mut *out, &plan(name, &reviewed.plan, &reviewed.findings))?;
        writeln!(out, "{}", if place + 1 < review.plans.len() { "," } else { "" })?;
    }
    writeln!(out, "]\n}}")
}

fn input(input: &Input) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(input.name));
    object.insert("type".to_owned(), json!("explain"));
    object.insert("bytes".to_owned(), json!(input.bytes));
    object.insert("plans".to_owned(), json!(input.plans));
    put(&mut object, "compression", input.compression.as_deref().map(Value::from));
    object.insert("warnings".to_owned(), warnings(&input.problems, false));
    Value::Object(object)
}

/// A plan of a class: findings stand with the class.
pub fn of_class(of: &ClassPlan) -> Value {
    let mut object = plan(Some(&of.source), &of.plan, &[]);
    if let Value::Object(object) = &mut object {
        object.remove("findings");
        if let Some(offset) = of.logged_at {
            object.remove("line");
            object.insert("offset".to_owned(), json!(offset));
        }
    }
    object
}

/// A plan of a source.
pub fn plan(source: Option<&str>, plan: &Plan, findings: &[Finding]) -> Value {
    let mut object = Map::new();
    object.insert("format".to_owned(), json!(plan.format.word()));
    let family = (plan.flavor != Family::Unknown).then(|| json!(plan.flavor.to_string()));
    put(&mut object, "flavor", family);
    put(&mut object, "query", plan.query.as_deref().map(Value::from));
    put(&mut object, "source", source.map(Value::from));
    object.insert("line".to_owned(), json!(plan.line));
    put(&mut object, "cost", plan.cost.map(number));
    let estimate = plan.estimate().map(|estimate| {
        json!({
            "rows_examined": number(estimate.rows_examined),
            "rows_sorted": number(estimate.rows_sorted),
            "rows_result": number(estimate.rows_result),
        })
    });
    put(&mut object, "estimate", estimate);
    put(&mut object, "actual_ms", plan.actual_ms().map(number));
    if let Some(step) = plan.hottest() {
        let mut hottest = Map::new();
        hottest.insert("operation".to_owned(), json!(step.operation));
        hottest.insert("actual_ms".to_owned(), number(step.ms));
        put(&mut hottest, "actual_rows", step.rows.map(number));
        object.insert("hottest".to_owned(), Value::Object(hottest));
    }
    object.insert("nodes".to_owned(), nodes(&plan.nodes));
    let notes: Vec<Value> = plan
        .notes
        .iter()
        .map(|note| json!({ "level": note.level, "code": note.code, "message": note.message }))
        .collect();
    put(&mut object, "notes", (!notes.is_empty()).then_some(Value::Array(notes)));
    object.insert("findings".to_owned(), findings.iter().map(findings::json).collect());
    Value::Object(object)
}

/// The depth of nodes is bounded where they are read.
fn nodes(nodes: &[Node]) -> Value {
    Value::Array(nodes.iter().map(node).collect())
}

fn node(node: &Node) -> Value {
    let mut object = Map::new();
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let list = |texts: &[String]| (!texts.is_empty()).then(|| json!(texts));
    put(&mut object, "id", node.id.map(Value::from));
    put(&mut object, "select_type", text(&node.select_type));
    put(&mut object, "operation", text(&node.operation));
    put(&mut object, "table", text(&node.table));
    put(&mut object, "partitions", text(&node.partitions));
    put(&mut object, "access_type", text(&node.access_type));
    put(&mut object, "possible_keys", text(&node.possible_keys));
    put(&mut object, "key", text(&node.key));
    put(&mut object, "key_len", text(&node.key_len));
    put(&mut object, "ref", text(&node.reference));
    put(&mut object, "used_key_parts", list(&node.used_key_parts));
    put(&mut object, "key_parts", list(&node.key_parts));
    put(&mut object, "rows", node.rows.map(number));
    put(&mut object, "filtered", node.filtered.map(number));
    object.insert("extra".to_owned(), json!(node.extra));
    put(&mut object, "condition", text(&node.condition));
    if let Some(filter) = &node.rowid_filter {
        let mut inner = Map::new();
        put(&mut inner, "key", text(&filter.key));
        put(&mut inner, "key_len", text(&filter.key_len));
        put(&mut inner, "rows", filter.rows.map(number));
        put(&mut inner, "percent", filter.percent.map(number));
        object.insert("rowid_filter".to_owned(), Value::Object(inner));
    }
    put(&mut object, "cost", node.cost.map(number));
    put(&mut object, "limit", node.limit.map(Value::from));
    if let Some(actual) = node.actual {
        put(&mut object, "actual_rows", actual.rows().map(number));
        put(&mut object, "actual_rows_per_loop", actual.rows_per_loop.map(number));
        put(&mut object, "loops", actual.loops.map(number));
        put(&mut object, "actual_filtered", actual.filtered.map(number));
        put(&mut object, "actual_ms", actual.ms.map(number));
    }
    if !node.children.is_empty() {
        object.insert("children".to_owned(), nodes(&node.children));
    }
    Value::Object(object)
}

fn put(object: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value);
    }
}
