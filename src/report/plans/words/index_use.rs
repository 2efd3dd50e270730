//! How an index is used: its columns, what they are compared with, a second one that filters.

use super::super::figures::{count, percent};
use super::super::wrap::one_line;
use crate::plan::access as meanings;
use crate::plan::{Node, RowidFilter};
use crate::report::plans::Depth;

/// Which columns of the index are used, by what they are compared with.
pub fn index_use(node: &Node, depth: Depth) -> Option<String> {
    let access = node.access_type.as_deref()?;
    let base = access.split('|').next().unwrap_or_default();
    if base == "fulltext" {
        return None;
    }
    let is_lookup = ["const", "eq_ref", "ref", "ref_or_null", "unique_subquery", "index_subquery"]
        .contains(&base);
    let references: Vec<String> = node
        .reference
        .as_deref()
        .filter(|_| is_lookup)
        .map(|reference| reference.split(',').map(|part| compared(part.trim())).collect())
        .unwrap_or_default();
    let used = match (node.used_key_parts.len(), references.len()) {
        (0, 0) => None,
        (0, count) => Some(count),
        (count, _) => Some(count),
    };
    let mut parts = Vec::new();
    if let Some(used) = used.filter(|_| node.key.is_some()) {
        let all = match node.key_parts.len() {
            0 => String::new(),
            all => format!(" of {all}"),
        };
        let noun = if used == 1 && all.is_empty() { "column" } else { "columns" };
        let names = match node.used_key_parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", one_line(&node.used_key_parts.join(", "))),
        };
        parts.push(format!("{used}{all} {noun} of the index{names}"));
    }
    if !references.is_empty() {
        parts.push(format!("compared with {}", references.join(", ")));
    }
    if let Some(length) = node.key_len.as_deref().filter(|_| node.key.is_some()) {
        let length = one_line(length);
        match (used, depth) {
            (None, Depth::Full) => parts.push(format!(
                "key_len {length} bytes; how many columns these are, the definition of the table tells"
            )),
            (None, _) => {}
            _ => parts.push(format!("key_len {length}")),
        }
    }
    (!parts.is_empty()).then(|| format!("index: {}.", parts.join(", ")))
}

/// What a column of an index is compared with.
fn compared(reference: &str) -> String {
    match reference {
        "const" => "a constant".to_owned(),
        "func" => "a computed value".to_owned(),
        other => one_line(other),
    }
}

/// The index of a rowid filter, and what it lets pass.
pub fn filtered_by(filter: &RowidFilter) -> String {
    let key = filter.key.as_deref().map_or("a second index".to_owned(), one_line);
    let entries =
        filter.rows.map_or(String::new(), |entries| format!(", about {} entries", count(entries)));
    let share = filter.percent.map_or(String::new(), |share| {
        format!("; an estimated {} of the rows pass", percent(share))
    });
    format!("filter by {key}{entries}{share}. {}", meanings::ROWID_FILTER)
}

/// Indexes by their place in SHOW CREATE TABLE.
pub fn indexes_of(indexes: &[u16]) -> String {
    let places: Vec<String> = indexes.iter().map(|place| (place + 1).to_string()).collect();
    let noun = if places.len() == 1 { "index" } else { "indexes" };
    format!(", {noun} {} of SHOW CREATE TABLE", places.join(", "))
}
