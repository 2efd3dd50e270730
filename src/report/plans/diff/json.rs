//! A comparison as JSON. Figures are exact; what a plan does not tell is absent.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::{Comparison, Difference};
use crate::compare::plans::{Pair, Statements, Step, Value};
use crate::report::findings::number;
use crate::report::plans::{Input, Reviewed};

/// Version of the form of this document.
const SCHEMA: u32 = 1;

/// Writes the comparison as one object.
pub fn write(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let program = json!({ "version": env!("CARGO_PKG_VERSION"), "schema": SCHEMA });
    let inputs: Vec<Json> = comparison
        .inputs
        .iter()
        .map(|input| json!({ "name": input.name, "type": "explain", "bytes": input.bytes, "plans": input.plans }))
        .collect();
    let pairs: Vec<Json> =
        comparison.pairs.iter().map(|pair| of_pair(&comparison.inputs, pair)).collect();
    let document = json!({ "adagio": program, "input": inputs, "comparisons": pairs });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn of_pair(inputs: &[Input], pair: &Difference) -> Json {
    let compared = &pair.compared;
    let mut object = Map::new();
    object.insert("before".to_owned(), side(inputs, &pair.before));
    object.insert("after".to_owned(), side(inputs, &pair.after));
    let statements = match compared.statements {
        Statements::Same => "same",
        Statements::SameClass => "same class",
        Statements::Different => "different",
        Statements::Unknown => "unknown",
    };
    object.insert("statements".to_owned(), json!(statements));
    object.insert("forms_differ".to_owned(), json!(compared.forms_differ));
    object.insert("shares_no_table".to_owned(), json!(compared.shares_no_table));
    object.insert("verdict".to_owned(), json!(compared.verdict.word()));
    for (name, pair) in [
        ("rows_examined", compared.read),
        ("rows_sorted", compared.sorted),
        ("actual_rows_fetched", compared.fetched),
        ("actual_ms", compared.ms),
    ] {
        object.extend(figures(pair).map(|figures| (name.to_owned(), figures)));
    }
    if let Some((before, after)) = &compared.order {
        object.insert("order".to_owned(), json!({ "before": before, "after": after }));
    }
    object.insert("steps".to_owned(), compared.steps.iter().map(step).collect());
    Json::Object(object)
}

fn side(inputs: &[Input], reviewed: &Reviewed) -> Json {
    let plan = &reviewed.plan;
    let mut object = Map::new();
    let source = inputs.get(reviewed.input).map(|input| json!(input.name));
    object.extend(source.map(|source| ("source".to_owned(), source)));
    object.insert("line".to_owned(), json!(plan.line));
    object.insert("format".to_owned(), json!(plan.format.word()));
    object.extend(plan.query.as_ref().map(|query| ("query".to_owned(), json!(query))));
    Json::Object(object)
}

/// Both figures, and how many times the one before is the one after.
fn figures(pair: Pair) -> Option<Json> {
    let mut object = Map::new();
    let mut put = |name: &str, amount| {
        object.extend(Option::map(amount, |amount| (name.to_owned(), number(amount))));
    };
    put("before", pair.before);
    put("after", pair.after);
    put("ratio", pair.both().and_then(|(before, after)| before.ratio(after)));
    (!object.is_empty()).then_some(Json::Object(object))
}

fn step(step: &Step) -> Json {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(step.name));
    object.extend(step.select.map(|select| ("select_id".to_owned(), json!(select))));
    let change = match (step.before, step.after) {
        (Some(_), Some(_)) if step.changes.is_empty() => "same",
        (Some(_), Some(_)) => "changed",
        (Some(_), None) => "gone",
        (None, _) => "new",
    };
    object.insert("change".to_owned(), json!(change));
    let value = |value: &Value| match value {
        Value::Text(text) => json!(text),
        Value::Number(amount) => number(*amount),
    };
    let changes = step.changes.iter().map(|change| {
        let mut object = Map::new();
        object.insert("field".to_owned(), json!(change.field.word()));
        object.extend(change.before.as_ref().map(|before| ("before".to_owned(), value(before))));
        object.extend(change.after.as_ref().map(|after| ("after".to_owned(), value(after))));
        Json::Object(object)
    });
    object.insert("changes".to_owned(), changes.collect());
    Json::Object(object)
}
