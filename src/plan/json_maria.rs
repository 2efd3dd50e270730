//! MariaDB's JSON, and that of its `ANALYZE FORMAT=JSON`.
//!
//! ```text
//! { "query_block": { "select_id": 1, "r_loops": 1, "r_total_time_ms": 12.5,
//!     "nested_loop": [ { "table": { "table_name": "l", "rows": 10, "r_rows": 12, … } } ] } }
//! ```
//!
//! Until 10.8 a join has no list: the key `"table"` comes again for each table. Times are
//! milliseconds of all runs; rows are of one run on average.

use std::collections::HashSet;

use super::json::Json;
use super::json_blocks::Words::{Are, With};
use super::json_blocks::{self, Builder, Fact, Place};
use super::{Actual, Amount, Aside, Format, Node, Plan, Role, RowidFilter};
use crate::flavor::Family;

/// Keys of a table and their words in Extra.
#[rustfmt::skip]
const FACTS: &[Fact] = &[
    ("message",                  With("{}", "")),
    ("const_row_not_found",      Are("Const row not found")),
    ("unique_row_not_found",     Are("Unique row not found")),
    ("impossible_on_condition",  Are("Impossible ON condition")),
    ("index_condition",          Are("Using index condition")),
    ("index_condition_bka",      Are("Using index condition(BKA)")),
    ("attached_condition",       Are("Using where")),
    ("not_exists",               Are("Not exists")),
    ("using_index",              Are("Using index")),
    ("using_index_for_group_by", With("Using index for group-by ({})", "Using index for group-by")),
    ("distinct",                 Are("Distinct")),
    ("loose_scan",               Are("LooseScan")),
    ("first_match",              With("FirstMatch({})", "FirstMatch")),
    ("mrr_type",                 With("{}", "Using MRR")),
    ("table_function",           With("Table function: {}", "Table function")),
    ("open_frm_only",            Are("Open_frm_only")),
    ("open_full_table",          Are("Open_full_table")),
    ("skip_open_table",          Are("Skip_open_table")),
    ("scanned_databases",        With("Scanned {} databases", "Scanned databases")),
];

/// Keys that hold steps of the same block.
const WRAPPERS: &[&str] = &[
    "nested_loop",
    "read_sorted_file",
    "temporary_table",
    "buffer_result",
    "window_functions_computation",
    "insert_from",
];

/// Keys that only MariaDB writes.
const MARIAS: &[&str] = &[
    "query_optimization",
    "block-nl-join",
    "filesort",
    "temporary_table",
    "read_sorted_file",
    "materialized",
    "subqueries",
    "recursive_union",
    "range-checked-for-each-record",
    "full-scan-on-null_key",
    "mrr_type",
    "loops",
    "open_frm_only",
    "open_full_table",
];

/// Keys that only MySQL writes.
const MYSQLS: &[&str] = &[
    "cost_info",
    "rows_examined_per_scan",
    "ordering_operation",
    "grouping_operation",
    "using_join_buffer",
    "using_temporary_table",
    "materialized_from_subquery",
    "insert_from",
];

/// The server that wrote a document of query blocks. What neither gives away, such as one table by
/// MySQL 5.6 or MariaDB 10.1, is the same on both.
pub fn writer(value: &Json) -> Family {
    let mut has_loop = false;
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        for (key, inner) in value.pairs() {
            has_loop |= key == "nested_loop";
            // A flag of a table that is written is `true` on MySQL and 1 on MariaDB.
            let is_written = matches!(key, "insert" | "replace" | "update" | "delete");
            if MYSQLS.contains(&key) || is_written && *inner == Json::Truth(true) {
                return Family::MySql;
            }
            // Of a SELECT without tables MariaDB tells why in the place of the table.
            let is_lone = key == "table"
                && inner.pairs().all(|(key, _)| matches!(key, "message" | "table_name"));
            if MARIAS.contains(&key) || key.starts_with("r_") || is_lone {
                return Family::MariaDb;
            }
            rest.push(inner);
        }
        if let Json::List(values) = value {
            rest.extend(values);
        }
    }
    // MySQL, which has the list too, has told costs since 5.7.
    if has_loop { Family::MariaDb } else { Family::Unknown }
}

/// Reads the document; `writer` is who wrote it.
pub fn read(value: &Json, writer: Family) -> Plan {
    let mut walk = Walk { builder: Builder::default() };
    let block = value.get("query_block").unwrap_or(&Json::Null);
    walk.block(block, Place::MAIN);
    let mut plan = walk.builder.plan(Format::JsonMariaDb, writer);
    plan.cost = block.get("cost").and_then(Json::amount);
    plan.whole_ms = amount(block, "r_total_time_ms").or_else(|| time_of_parts(block));
    plan
}

/// Time of a UNION: only its parts tell theirs.
fn time_of_parts(block: &Json) -> Option<Amount> {
    let (_, union) =
        block.pairs().find(|(key, _)| matches!(*key, "union_result" | "unit_result"))?;
    let parts = union.get("query_specifications")?.each().iter();
    parts
        .filter_map(|part| amount(part.get("query_block")?, "r_total_time_ms"))
        .reduce(Amount::plus)
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

    fn steps(&mut self, value: &Json, block: usize) {
        if let Json::List(values) = value {
            return values.iter().for_each(|value| self.steps(value, block));
        }
        for (key, inner) in value.pairs() {
            let from = self.builder.count();
            match key {
                "table" => drop(self.table(inner, block)),
                "block-nl-join" => self.join_buffer(inner, block),
                "range-checked-for-each-record" => {
                    self.wrapped(inner, block, "Range checked for each record");
                }
                "full-scan-on-null_key" => self.wrapped(inner, block, "Full scan on NULL key"),
                "filesort" => self.sort(inner, block),
                "sorts" => inner.each().iter().for_each(|sort| self.steps(sort, block)),
                "duplicates_removal" => {
                    self.steps(inner, block);
                    self.builder.say_of_ends(from);
                }
                "recursive_union" => self.union(inner, block, Some("RECURSIVE")),
                "union_result" | "unit_result" => self.union(inner, block, None),
                "subqueries" => self.subqueries(inner, block),
                "message" => self.builder.message(block, inner),
                key if WRAPPERS.contains(&key) => {
                    self.steps(inner, block);
                    if key == "temporary_table" {
                        self.builder.say_of_first(block, from, "Using temporary");
                    }
                }
                _ => {}
            }
        }
    }

    fn table(&mut self, value: &Json, block: usize) -> usize {
        let mut node = json_blocks::table(value);
        node.rows = value.get("rows").and_then(Json::amount);
        node.cost = value.get("cost").and_then(Json::amount);
        node.extra = json_blocks::facts(value, FACTS);
        node.actual = actual(value);
        if let Some(filter) = value.get("rowid_filter") {
            node.rowid_filter = Some(rowid_filter(filter));
            node.say("Using rowid filter");
        }
        if let Some(merge) = value.get("index_merge") {
            index_merge(&mut node, merge);
        }
        node.select_type = written(value).map(str::to_owned);
        let node = self.builder.push(block, node);
        if let Some(materialized) = value.get("materialized") {
            self.materialized(materialized, block, node, value);
        }
        node
    }

    /// The block that fills a table.
    fn materialized(&mut self, value: &Json, block: usize, node: usize, table: &Json) {
        let name = table.get("table_name").and_then(Json::text).unwrap_or_default();
        let role = if name.starts_with("<subquery") { Role::Materialized } else { Role::Derived };
        let place = Place {
            role,
            prefix: value.get("lateral").is_some_and(Json::holds).then_some("LATERAL"),
            under: Some(block),
            reader: Some(node),
            first_part: None,
        };
        if let Some(inner) = value.get("query_block") {
            self.block(inner, place);
        }
    }

    /// A table that is read for a buffer of rows at once.
    fn join_buffer(&mut self, value: &Json, block: usize) {
        let from = self.builder.count();
        self.steps(value, block);
        let text = |key: &str| value.get(key).and_then(Json::text);
        let words = match (text("buffer_type"), text("join_type")) {
            (Some(buffer), Some(join)) => format!("Using join buffer ({buffer}, {join} join)"),
            _ => "Using join buffer".to_owned(),
        };
        let time = [amount(value, "r_unpack_time_ms"), amount(value, "r_other_time_ms")];
        let Some(node) = self.builder.node(from) else { return };
        if value.get("attached_condition").is_some() {
            node.say("Using where");
        }
        node.condition =
            node.condition.take().or_else(|| text("attached_condition").map(str::to_owned));
        node.say(words);
        if let Some(order) = text("mrr_type") {
            node.say(order);
        }
        // Rows are compared outside of the table: its own figures do not hold that time.
        for ms in time.into_iter().flatten() {
            let actual = node.measured();
            actual.ms = Some(actual.ms.unwrap_or_default().plus(ms));
            actual.own_ms = actual.ms;
        }
    }

    fn wrapped(&mut self, value: &Json, block: usize, words: &str) {
        let from = self.builder.count();
        self.steps(value, block);
        if let Some(node) = self.builder.node(from) {
            node.extra.retain(|fact| !words.starts_with("Range") || fact != "Using where");
            node.say(words);
        }
    }

    /// A sort, of a table or of what a temporary table holds.
    fn sort(&mut self, value: &Json, block: usize) {
        let from = self.builder.count();
        self.steps(value, block);
        self.builder.say_of_first(block, from, "Using filesort");
        let limit = value.get("r_limit").and_then(Json::whole);
        let in_queue = value.get("r_used_priority_queue").map(Json::holds);
        let mut below = Amount::ZERO;
        for place in from..self.builder.count() {
            let Some(node) = self.builder.node(place) else { continue };
            below = below.plus(node.actual.and_then(|actual| actual.own_ms).unwrap_or_default());
            if node.says("Using filesort") && node.limit.is_none() {
                node.limit = limit;
                node.in_queue = in_queue;
            }
        }
        let Some(ms) = amount(value, "r_total_time_ms") else { return };
        let key = value.get("sort_key").and_then(Json::text).unwrap_or_default();
        let loops = amount(value, "r_loops").unwrap_or(Amount::ONE);
        self.builder.asides.push(Aside {
            operation: format!("Sort: {key}"),
            ms: ms.minus(below),
            rows: amount(value, "r_output_rows").map(|rows| rows.times(loops)),
        });
    }

    /// Subqueries. Whether one depends on the rows around it is told by a cache for its results, by
    /// a lookup of what a row gives (`func`), or by a column of these rows in a condition.
    fn subqueries(&mut self, value: &Json, block: usize) {
        for subquery in value.each() {
            let (inner, is_cached) = match subquery.get("query_block") {
                Some(inner) => (Some(inner), false),
                None => {
                    let inner = subquery.pairs().find_map(|(_, cache)| cache.get("query_block"));
                    (inner, subquery.pairs().any(|(key, _)| key.ends_with("_cache")))
                }
            };
            let Some(inner) = inner else { continue };
            // A table of the same name inside hides the one around.
            let own = names_in(inner);
            let around = self.builder.tables_of(block).into_iter();
            let names: HashSet<&str> = around.filter(|name| !own.contains(name)).collect();
            let is_dependent = is_cached || refers(inner, &names);
            let place = Place {
                role: Role::Subquery,
                prefix: is_dependent.then_some("DEPENDENT"),
                under: Some(block),
                reader: None,
                first_part: None,
            };
            self.block(inner, place);
        }
    }

    fn union(&mut self, value: &Json, around: usize, prefix: Option<&'static str>) {
        let parts = value.get("query_specifications").map_or(&[][..], Json::each).iter();
        let parts = parts.filter_map(|part| part.get("query_block")).map(|part| {
            let role = match part.get("operation").and_then(Json::text) {
                Some("INTERSECT" | "INTERSECT ALL") => Role::Intersect,
                Some("EXCEPT" | "EXCEPT ALL") => Role::Except,
                _ => Role::Union,
            };
            // Only what is joined to the first part reads it again.
            let prefix = prefix.filter(|_| part.get("operation").is_some());
            (part, Place { role, prefix, ..Place::MAIN })
        });
        self.builder.union(parts, around, |builder, part, place| {
            let mut walk = Walk { builder: std::mem::take(builder) };
            let block = walk.block(part, place);
            *builder = walk.builder;
            block
        });
        let mut result = json_blocks::table(value);
        result.actual = actual(value);
        if result.table.is_some() {
            self.builder.push(around, result);
        }
    }
}

/// What a table that is written has under `select_type`. Of the table of an INSERT or REPLACE only
/// the name is told.
fn written(value: &Json) -> Option<&'static str> {
    let is_changed = ["update", "delete"].iter().any(|key| value.get(key).is_some_and(Json::holds));
    let is_filled = value.get("table_name").is_some() && value.get("access_type").is_none();
    if is_changed { Some("SIMPLE") } else { is_filled.then_some("INSERT") }
}

fn amount(value: &Json, key: &str) -> Option<Amount> {
    value.get(key).and_then(Json::amount)
}

/// What ANALYZE measured of a table.
fn actual(value: &Json) -> Option<Actual> {
    let loops = amount(value, "r_loops")?;
    // Until 10.5 one figure, then that of the engine and that of the conditions.
    let parts = [amount(value, "r_table_time_ms"), amount(value, "r_other_time_ms")];
    let split = parts.into_iter().flatten().reduce(Amount::plus);
    let ms = split.or_else(|| amount(value, "r_total_time_ms"));
    // The runs of `unique_subquery` and `index_subquery` are not counted, their time is.
    let is_counted = loops > Amount::ZERO || ms.unwrap_or_default() == Amount::ZERO;
    Some(Actual {
        loops: is_counted.then_some(loops),
        rows_per_loop: amount(value, "r_rows"),
        filtered: amount(value, "r_total_filtered").or_else(|| amount(value, "r_filtered")),
        ms,
        own_ms: ms,
    })
}

fn rowid_filter(value: &Json) -> RowidFilter {
    let range = value.get("range");
    let text = |key: &str| range.and_then(|range| range.get(key)).and_then(Json::text);
    RowidFilter {
        key: text("key").map(str::to_owned),
        key_len: text("key_length").map(str::to_owned),
        rows: amount(value, "rows"),
        percent: amount(value, "selectivity_pct"),
    }
}

/// `{ "union": [ { "range": { "key": "a" } }, { "intersect": [ … ] } ] }`: the key lists the names,
/// Extra says `Using union(a,intersect(…))`.
fn index_merge(node: &mut Node, value: &Json) {
    let mut names = Vec::new();
    let words = merged(value, &mut names);
    if node.key.is_none() && !names.is_empty() {
        node.key = Some(names.join(","));
    }
    if !words.is_empty() {
        node.extra.insert(0, format!("Using {words}"));
    }
}

fn merged(value: &Json, names: &mut Vec<String>) -> String {
    let mut parts = Vec::new();
    for (key, inner) in value.pairs() {
        if key == "range" {
            let name = inner.get("key").and_then(Json::text).unwrap_or_default();
            names.push(name.to_owned());
            parts.push(name.to_owned());
        } else if matches!(inner, Json::List(_)) {
            let inner: Vec<String> = inner.each().iter().map(|part| merged(part, names)).collect();
            parts.push(format!("{}({})", key.strip_prefix("r_").unwrap_or(key), inner.join(",")));
        }
    }
    parts.join(",")
}

/// Names of the tables under a value.
fn names_in(value: &Json) -> HashSet<&str> {
    let mut names = HashSet::new();
    each_text(value, |key, text| {
        if key == "table_name" {
            names.insert(text);
        }
        false
    });
    names
}

/// Whether a text under a value names a column of one of these tables.
fn refers(value: &Json, tables: &HashSet<&str>) -> bool {
    each_text(value, |key, text| key == "ref" && text == "func" || names_one(text, tables))
}

/// Goes over the texts under a value, each with its key, until one is the one looked for.
fn each_text<'a>(value: &'a Json, mut is_found: impl FnMut(&'a str, &'a str) -> bool) -> bool {
    let mut rest = vec![("", value)];
    while let Some((key, value)) = rest.pop() {
        match value {
            Json::Text(text) if is_found(key, text) => return true,
            Json::List(values) => rest.extend(values.iter().map(|value| (key, value))),
            Json::Object(_) => rest.extend(value.pairs()),
            _ => {}
        }
    }
    false
}

fn names_one(text: &str, tables: &HashSet<&str>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.match_indices('.').any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let name = match before.strip_suffix('`') {
            Some(quoted) => quoted.rsplit('`').next(),
            None => {
                let start = before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last();
                start.and_then(|(start, _)| before.get(start..))
            }
        };
        name.is_some_and(|name| tables.contains(name))
    })
}
