//! MySQL's JSON of iterators, `explain_json_format_version = 2`, and its ANALYZE.
//!
//! ```text
//! { "query_plan": { "operation": "Limit: 20 row(s)", "estimated_rows": 20.0,
//!     "inputs": [ { "operation": "Index lookup on o using …", "actual_loops": 1, … } ] } }
//! ```
//!
//! The steps are those of TREE, with the same words and figures; a heading that TREE prints as a
//! line of its own is a key here.

use super::json::Json;
use super::json_blocks::texts;
use super::{Actual, Amount, Format, Node, Plan, tree};
use crate::flavor::Family;

/// Keys that hold the steps below, in the order in which TREE prints them.
const BELOW: &[&str] = &["inputs"];
/// Keys that hold subqueries, which TREE prints behind the step.
const BESIDE: &[&str] = &[
    "inputs_from_select_list",
    "inputs_from_condition",
    "inputs_from_having",
    "inputs_from_order_by",
    "inputs_from_group_by",
];

/// Reads the document.
pub fn read(value: &Json) -> Plan {
    let root = value.get("query_plan").unwrap_or(value);
    let mut nodes = Vec::new();
    step(root, &mut nodes);
    Plan {
        format: Format::JsonV2,
        flavor: Family::MySql,
        query: value.get("query").and_then(Json::text).map(str::to_owned),
        cost: nodes.first().and_then(|node| node.cost),
        nodes,
        ..Plan::default()
    }
}

/// Adds a step, and behind it the subqueries of its select list.
fn step(value: &Json, into: &mut Vec<Node>) {
    let mut node = described(value);
    for key in BELOW {
        for inner in value.get(key).map_or(&[][..], Json::each) {
            step(inner, &mut node.children);
        }
    }
    into.push(match value.get("heading").and_then(Json::text) {
        Some(heading) => {
            Node { operation: Some(heading.to_owned()), children: vec![node], ..Node::default() }
        }
        None => node,
    });
    for (_, inner) in value.pairs().filter(|(key, _)| BESIDE.contains(key)) {
        inner.each().iter().for_each(|inner| step(inner, into));
    }
}

fn described(value: &Json) -> Node {
    let amount = |key: &str| value.get(key).and_then(Json::amount);
    let mut node = Node::default();
    if let Some(operation) = value.get("operation").and_then(Json::text) {
        tree::describe(&mut node, operation);
    }
    let parts = texts(value, "key_columns");
    if !parts.is_empty() {
        node.used_key_parts = parts;
    }
    let references = texts(value, "lookup_references");
    node.reference = (!references.is_empty()).then(|| references.join(","));
    let partitions = texts(value, "partitions");
    node.partitions = (!partitions.is_empty()).then(|| partitions.join(","));
    node.rows = amount("estimated_rows");
    node.cost = amount("estimated_total_cost");
    node.limit = node.limit.or_else(|| value.get("limit").and_then(Json::whole));
    node.actual = actual(value);
    node
}

fn actual(value: &Json) -> Option<Actual> {
    let amount = |key: &str| value.get(key).and_then(Json::amount);
    let loops = amount("actual_loops")?;
    Some(Actual {
        loops: Some(loops),
        rows_per_loop: amount("actual_rows"),
        filtered: None,
        ms: amount("actual_last_row_ms").map(|ms: Amount| ms.times(loops)),
        own_ms: None,
    })
}
