//! MySQL's JSON of query blocks, `explain_json_format_version = 1`.
//!
//! ```text
//! { "query_block": { "select_id": 1, "ordering_operation": { "using_filesort": true,
//!     "nested_loop": [ { "table": { "table_name": "l", "access_type": "ALL", … } } ] } } }
//! ```
//!
//! Operations wrap what they work on. What they say of sorting and temporary tables is said of the
//! first table, as plain EXPLAIN does.

use super::json::Json;
use super::json_blocks::Words::{Are, With};
use super::json_blocks::{self, Builder, Fact, Place};
use super::{Amount, Format, Node, Plan, Role};
use crate::flavor::Family;

/// Keys of a table and their words in Extra, in the server's order.
#[rustfmt::skip]
const FACTS: &[Fact] = &[
    ("message",                       With("{}", "")),
    ("const_row_not_found",           Are("const row not found")),
    ("unique_row_not_found",          Are("unique row not found")),
    ("impossible_on_condition",       Are("Impossible ON condition")),
    ("index_condition",               Are("Using index condition")),
    ("range_checked_for_each_record", With("Range checked for each record ({})", "Range checked for each record")),
    ("pushed_condition",              Are("Using pushed condition")),
    ("attached_condition",            Are("Using where")),
    ("not_exists",                    Are("Not exists")),
    ("using_MRR",                     Are("Using MRR")),
    ("using_index_for_group_by",      With("Using index for group-by ({})", "Using index for group-by")),
    ("using_index_for_skip_scan",     Are("Using index for skip scan")),
    ("using_index",                   Are("Using index")),
    ("backward_index_scan",           Are("Backward index scan")),
    ("ft_hints",                      With("Ft_hints: {}", "Ft_hints")),
    ("distinct",                      Are("Distinct")),
    ("table_function",                With("Table function: {}", "Table function")),
    ("using_temporary_table",         Are("Using temporary")),
    ("using_filesort",                Are("Using filesort")),
    ("start_temporary",               Are("Start temporary")),
    ("end_temporary",                 Are("End temporary")),
    ("loosescan",                     Are("LooseScan")),
    ("first_match",                   With("FirstMatch({})", "FirstMatch")),
    ("using_join_buffer",             With("Using join buffer ({})", "Using join buffer")),
    ("full_scan_on_NULL_key",         Are("Full scan on NULL key")),
    ("rematerialize",                 With("Rematerialize ({})", "Rematerialize")),
];

/// Keys that hold steps of the same block.
const WRAPPERS: &[&str] = &[
    "ordering_operation",
    "grouping_operation",
    "duplicates_removal",
    "windowing",
    "buffer_result",
    "insert_from",
    "nested_loop",
];

/// Keys that hold the parts of a UNION and the like, and what a further part is.
const UNIONS: &[(&str, Role)] = &[
    ("union_result", Role::Union),
    ("intersect_result", Role::Intersect),
    ("except_result", Role::Except),
];

/// Reads the document.
pub fn read(value: &Json) -> Plan {
    let mut walk = Walk { builder: Builder::default() };
    let block = value.get("query_block").unwrap_or(&Json::Null);
    walk.block(block, Place::MAIN);
    let cost = block.get("cost_info").and_then(|cost| cost.get("query_cost"));
    let cost = cost.and_then(Json::amount);
    let mut plan = walk.builder.plan(Format::JsonV1, Family::MySql);
    plan.cost = cost;
    plan
}

struct Walk {
    builder: Builder,
}

impl Walk {
    fn block(&mut self, value: &Json, place: Place) -> usize {
        let id = value.get("select_id").and_then(Json::whole);
        let block = self.builder.block(id, place);
        self.steps(value, block);
        block
    }

    /// The steps under an object or a list.
    fn steps(&mut self, value: &Json, block: usize) {
        if let Json::List(values) = value {
            return values.iter().for_each(|value| self.steps(value, block));
        }
        let from = self.builder.count();
        self.inside(value, block);
        if value.get("recursive").is_some_and(Json::holds) {
            self.builder.say_of_first(block, from, "Recursive");
        }
        // In the order of Extra: the sort works on the temporary table.
        let windows = value.get("windows").map_or(&[][..], Json::each);
        for (key, words) in
            [("using_temporary_table", "Using temporary"), ("using_filesort", "Using filesort")]
        {
            let holds = |value: &Json| value.get(key).is_some_and(Json::holds);
            if holds(value) || windows.iter().any(holds) {
                self.builder.say_of_first(block, from, words);
            }
        }
    }

    /// The steps that the keys of an object hold.
    fn inside(&mut self, value: &Json, block: usize) {
        for (key, inner) in value.pairs() {
            if key == "table" {
                self.table(inner, block);
            } else if key == "duplicates_removal" && inner.get("using_filesort").is_none() {
                self.weedout(inner, block);
            } else if WRAPPERS.contains(&key) {
                self.steps(inner, block);
            } else if key == "query_block" {
                // The SELECT of an INSERT.
                self.steps(inner, block);
            } else if key == "message" {
                self.builder.message(block, inner);
            } else if let Some((_, role)) = UNIONS.iter().find(|(name, _)| *name == key) {
                self.union(inner, block, *role);
            } else if key.ends_with("_subqueries") {
                self.subqueries(inner, block, key);
            }
        }
    }

    /// The tables of a semijoin whose duplicates a temporary table keeps out. Of DISTINCT, which has
    /// the same key, it is always told whether it sorts.
    fn weedout(&mut self, value: &Json, block: usize) {
        let from = self.builder.count();
        self.inside(value, block);
        self.builder.say_of_ends(from);
    }

    fn table(&mut self, value: &Json, block: usize) {
        let mut node = json_blocks::table(value);
        node.rows = json_blocks::amount(value, &["rows_examined_per_scan", "rows"]);
        node.cost = value.get("cost_info").and_then(cost);
        node.extra = json_blocks::facts(value, FACTS);
        if node.says("Range checked") {
            node.extra.retain(|fact| fact != "Using where");
        }
        index_merge(&mut node);
        node.select_type = ["insert", "replace", "update", "delete"]
            .iter()
            .find(|word| value.get(word).is_some_and(Json::holds))
            .map(|word| word.to_ascii_uppercase());
        let node = self.builder.push(block, node);
        if let Some(from) = value.get("materialized_from_subquery") {
            self.materialized(from, block, node, value);
        }
        for (key, inner) in value.pairs().filter(|(key, _)| key.ends_with("_subqueries")) {
            self.subqueries(inner, block, key);
        }
    }

    /// The block that fills a table.
    fn materialized(&mut self, value: &Json, block: usize, node: usize, table: &Json) {
        let name = table.get("table_name").and_then(Json::text).unwrap_or_default();
        let role = if name.starts_with("<subquery") { Role::Materialized } else { Role::Derived };
        let is_dependent = value.get("dependent").is_some_and(Json::holds);
        let place = Place {
            role,
            prefix: is_dependent.then_some("DEPENDENT"),
            under: Some(block),
            reader: Some(node),
            first_part: None,
        };
        if let Some(inner) = value.get("query_block") {
            // The block of a semijoin has no number of its own: it is in the name.
            let inner = self.block(inner, place);
            if let (Role::Materialized, Some(id)) = (role, number_in(name)) {
                self.builder.name(inner, Some(id));
            }
        }
    }

    /// Subqueries under a key that says where they stand. One that was optimized away is not run
    /// for each row.
    fn subqueries(&mut self, value: &Json, block: usize, key: &str) {
        let is_run = !key.starts_with("optimized_away");
        for subquery in value.each() {
            let place = Place {
                role: Role::Subquery,
                prefix: prefix(subquery).filter(|_| is_run),
                under: Some(block),
                reader: None,
                first_part: None,
            };
            if let Some(inner) = subquery.get("query_block") {
                self.block(inner, place);
            }
        }
    }

    /// Parts of a UNION and the like.
    fn union(&mut self, value: &Json, around: usize, role: Role) {
        let parts = value.get("query_specifications").map_or(&[][..], Json::each).iter();
        let parts = parts.map(|part| (part, Place { role, prefix: prefix(part), ..Place::MAIN }));
        self.builder.union(parts, around, |builder, part, place| {
            let mut walk = Walk { builder: std::mem::take(builder) };
            let block = match part.get("query_block") {
                Some(inner) => walk.block(inner, place),
                // A UNION within a UNION.
                None => {
                    let block = walk.builder.block(None, place);
                    walk.steps(part, block);
                    block
                }
            };
            *builder = walk.builder;
            block
        });
        self.builder.name(around, value.get("select_id").and_then(Json::whole));
        let mut result = json_blocks::table(value);
        result.extra = json_blocks::facts(value, FACTS);
        if result.table.is_some() {
            self.builder.push(around, result);
        }
    }
}

/// How the `select_type` of a subquery or a part begins.
fn prefix(value: &Json) -> Option<&'static str> {
    if value.get("dependent").is_some_and(Json::holds) {
        Some("DEPENDENT")
    } else {
        (value.get("cacheable") == Some(&Json::Truth(false))).then_some("UNCACHEABLE")
    }
}

/// `read_cost` and `eval_cost` add up over the tables; `prefix_cost` is the sum so far.
fn cost(info: &Json) -> Option<Amount> {
    json_blocks::amount(info, &["prefix_cost", "query_cost"])
}

fn number_in(table: &str) -> Option<u64> {
    table.strip_prefix("<subquery")?.strip_suffix('>')?.parse().ok()
}

/// `union(a,intersect(b,c))` as the key of an index merge: Extra says it so, the key lists names.
fn index_merge(node: &mut Node) {
    let Some(key) = node.key.take() else { return };
    if node.access_type.as_deref() != Some("index_merge") || !key.contains('(') {
        node.key = Some(key);
        return;
    }
    let names: Vec<&str> = key
        .split(['(', ')', ','])
        .filter(|part| !matches!(*part, "" | "union" | "sort_union" | "intersect"))
        .collect();
    node.key = Some(names.join(","));
    node.extra.insert(0, format!("Using {key}"));
}
