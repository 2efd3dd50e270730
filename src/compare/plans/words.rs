//! What one thing is called in different forms of EXPLAIN, and by different servers.

use crate::plan::Node;

/// Access types that are one in two forms: TREE has no word of its own for the lookups of
/// subqueries, nor for a table that one row is known of.
#[rustfmt::skip]
const ALIKE: &[(&str, &str)] = &[
    ("eq_ref",      "unique_subquery"),
    ("eq_ref",      "const"),
    ("eq_ref",      "system"),
    ("ref",         "index_subquery"),
    ("ref_or_null", "index_subquery"),
];

/// Whether two forms may call one access so.
pub fn is_alike(a: &str, b: &str) -> bool {
    a == b || ALIKE.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
}

/// The access type without what other words say: MariaDB puts the hash join into it.
pub fn access(node: &Node) -> Option<&str> {
    // Plain EXPLAIN says ALL of it, TREE a range scan.
    if node.says("Range checked for each record") {
        return Some("range checked for each record");
    }
    Some(node.access_type.as_deref()?.trim_start_matches("hash_"))
}

/// The index without the mark of a hash join on MariaDB: `#hash#$hj`, `#hash#$hj:by_date`.
pub fn key(node: &Node) -> Option<&str> {
    let key = node.key.as_deref()?;
    match key.strip_prefix("#hash#") {
        Some(hashed) => hashed.split_once(':').map(|(_, key)| key),
        None => Some(key),
    }
}

/// How a table is joined to those before it where nothing else is said.
pub const NESTED_LOOP: &str = "nested loop";

/// The table that a join begins with.
pub const FIRST: &str = "first table";

/// Whether it is no more than the order that two such joins differ in.
pub fn is_plain_join(join: &str) -> bool {
    join == NESTED_LOOP || join == FIRST
}

/// Algorithms by a word in the parentheses of `Using join buffer`; the first that fits counts.
/// MariaDB's BNLH looks rows up in a hash of the buffer, which MySQL calls a hash join.
#[rustfmt::skip]
const JOINS: &[(&str, &str)] = &[
    ("hash join",          "hash join"),
    ("BNLH",               "hash join"),
    ("BNL",                "block nested loop"),
    ("Block Nested Loop",  "block nested loop"),
    ("BKA",                "batched key access"),
    ("Batched Key Access", "batched key access"),
];

/// The algorithm that Extra tells; `None` if there is a buffer and no word for what it is used for.
pub fn join(node: &Node) -> Option<&'static str> {
    let buffer = node.extra.iter().find(|extra| extra.starts_with("Using join buffer"));
    let Some(buffer) = buffer else { return Some(NESTED_LOOP) };
    JOINS.iter().find(|(word, _)| buffer.contains(word)).map(|(_, join)| *join)
}

/// What stands for a SELECT that reads no table, in the words of Extra.
///
/// TREE has it in parentheses: `Zero rows (Impossible WHERE)`. MariaDB's ANALYZE says `no matching
/// row in const table` of what its EXPLAIN calls impossible after such tables were read.
pub fn line(text: &str) -> &str {
    const EMPTY: &str = "Impossible WHERE noticed after reading const tables";
    let is_zero = text.starts_with("Zero rows (") || text.starts_with("Zero input rows (");
    let inner = text.split_once('(').filter(|_| is_zero).map(|(_, rest)| rest);
    let inner = inner.and_then(|rest| rest.split(')').next()).unwrap_or(text);
    if inner == EMPTY { "no matching row in const table" } else { inner }
}

/// Whether a text stands for rows that the optimizer itself has fetched, or for no table at all:
/// TREE says `Rows fetched before execution` of both, or nothing.
pub fn is_fetched_before(text: &str) -> bool {
    const WORDS: &[&str] =
        &["Rows fetched before execution", "No tables used", "Select tables optimized away"];
    WORDS.iter().any(|words| text.starts_with(words))
}

/// What an operation does, without what it does it to: `Sort`.
pub fn head(operation: &str) -> &str {
    let ends = [": ", " (", " on ", " in "];
    let end = ends.iter().filter_map(|end| operation.find(end)).min();
    operation.get(..end.unwrap_or(operation.len())).unwrap_or(operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_buffers_are_told_by_their_algorithm() {
        let check = |extra: &str, want: Option<&str>| {
            let node = Node { extra: vec![extra.to_owned()], ..Node::default() };
            assert_eq!(join(&node), want, "{extra}");
        };
        check("Using where", Some("nested loop"));
        check("Using join buffer (hash join)", Some("hash join"));
        check("Using join buffer (flat, BNLH join)", Some("hash join"));
        check("Using join buffer (incremental, BNL join)", Some("block nested loop"));
        check("Using join buffer (Block Nested Loop)", Some("block nested loop"));
        check("Using join buffer (flat, BKAH join)", Some("batched key access"));
        check("Using join buffer (Batched Key Access)", Some("batched key access"));
        check("Using join buffer", None);
    }

    #[test]
    fn words_of_two_forms_are_one() {
        assert!(is_alike("unique_subquery", "eq_ref") && is_alike("ref", "index_subquery"));
        assert!(!is_alike("ref", "ref_or_null") && !is_alike("ref", "eq_ref"));
        assert_eq!(line("Zero rows (Impossible HAVING)"), "Impossible HAVING");
        assert_eq!(
            line("Zero input rows (No matching min/max row), aggregated into one output row"),
            "No matching min/max row"
        );
        assert_eq!(head("Sort: t.a DESC, limit input to 3 row(s) per chunk"), "Sort");
        assert_eq!(head("Inner hash join (a.x = b.y)"), "Inner hash join");
    }

    #[test]
    fn the_mark_of_a_hash_is_no_index() {
        let check = |text: &str, want: Option<&str>| {
            let node = Node { key: Some(text.to_owned()), ..Node::default() };
            assert_eq!(key(&node), want, "{text}");
        };
        check("#hash#$hj", None);
        check("#hash#$hj:by_date", Some("by_date"));
        check("by_date", Some("by_date"));
    }
}
