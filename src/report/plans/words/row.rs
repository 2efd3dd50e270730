//! A step in a row of the tree: what is done, and where.

use super::super::wrap::one_line;
use super::access;
use super::weigh::{is_target, is_temporary};
use crate::plan::Node;
use crate::plan::access as meanings;

/// The words for a step in a row of the tree.
pub fn short(node: &Node) -> String {
    let known = node.access_type.as_deref().map(|access| (access, meanings::look_up(access)));
    match (known, &node.operation) {
        _ if is_target(node) => {
            node.select_type.as_deref().unwrap_or_default().to_ascii_lowercase()
        }
        (Some((_, Some(found))), _) => {
            let words = access::look_up(found.access.name).map_or("", |words| words.short);
            let words = if is_temporary(node) {
                words.replace("table scan", "scan")
            } else {
                words.to_owned()
            };
            let filter = if found.has_rowid_filter || node.rowid_filter.is_some() {
                ", filtered"
            } else {
                ""
            };
            format!("{words}{filter}")
        }
        (Some((access, None)), _) => format!("{} (unknown to adagio)", one_line(access)),
        (None, Some(operation)) => one_line(operation),
        (None, None) if !node.extra.is_empty() => one_line(&node.extra.join("; ")),
        (None, None) => node.select_type.as_deref().unwrap_or("step").to_ascii_lowercase(),
    }
}

/// Table and index for a row of the tree.
pub fn place(node: &Node) -> String {
    let Some(table) = &node.table else { return String::new() };
    let mut text = one_line(table);
    if let Some(key) = &node.key {
        text.push_str(" by ");
        text.push_str(&one_line(key));
        let (used, all) = (node.used_key_parts.len(), node.key_parts.len());
        if used > 0 && all > 0 {
            text.push_str(&format!(" ({used} of {all})"));
        }
    }
    if let Some(key) = node.rowid_filter.as_ref().and_then(|filter| filter.key.as_deref()) {
        text.push_str(&format!(", filter {}", one_line(key)));
    }
    text
}
