//! How a table is reached, in words.

/// The words for an access type.
#[derive(Debug)]
pub struct Words {
    /// As the servers print it.
    pub name: &'static str,
    /// In a row of the tree.
    pub short: &'static str,
    /// The beginning of a sentence; `{table}` stands for the table.
    pub doing: &'static str,
    /// What stands before the name of the index.
    pub by: &'static str,
}

const fn row(
    name: &'static str,
    short: &'static str,
    doing: &'static str,
    by: &'static str,
) -> Words {
    Words { name, short, doing, by }
}

/// All access types.
#[rustfmt::skip]
pub const WORDS: &[Words] = &[
    row("NULL",            "no table",                "Reads nothing of {table}", ""),
    row("system",          "the only row",            "Reads {table}, which has one row or none, while the plan is made", ""),
    row("const",           "one row by unique key",   "Finds at most one row of {table} while the plan is made,", "by the unique index"),
    row("eq_ref",          "lookup by unique key",    "Looks up at most one row of {table}", "by the unique index"),
    row("ref",             "lookup by index",         "Looks up the rows of {table} with one value", "of the index"),
    row("fulltext",        "full-text search",        "Searches {table} for words", "by the full-text index"),
    row("ref_or_null",     "lookup by index or NULL", "Looks up the rows of {table} with one value, and those with NULL,", "of the index"),
    row("index_merge",     "several indexes",         "Combines the rows of {table} that several indexes find", ""),
    row("unique_subquery", "lookup by unique key",    "Looks up whether {table} has such a row, instead of running an IN subquery,", "by the unique index"),
    row("index_subquery",  "lookup by index",         "Looks up whether {table} has such a row, instead of running an IN subquery,", "by the index"),
    row("range",           "index range",             "Reads one or more ranges of {table}", "along the index"),
    row("hash_range",      "index range, hashed",     "Reads ranges of {table} and matches them with the join buffer by a hash table,", "along the index"),
    row("hash_index_merge", "indexes, hashed",        "Combines the rows of {table} that several indexes find and matches them with the join buffer by a hash table", ""),
    row("hash_index",      "full index scan, hashed", "Reads {table} from one end and matches its rows with the join buffer by a hash table,", "along the index"),
    row("index",           "full index scan",         "Reads {table} from one end", "along the index"),
    row("hash_ALL",        "full table scan, hashed", "Reads {table} from one end to the other and matches its rows with the join buffer by a hash table", ""),
    row("ALL",             "full table scan",         "Reads {table} from one end to the other", ""),
    row("UNKNOWN",         "not decided yet",         "It is not decided yet how {table} is reached", ""),
];

/// The words for an access type, in any letter case.
pub fn look_up(name: &str) -> Option<&'static Words> {
    WORDS.iter().find(|words| words.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::access::ACCESS;

    #[test]
    fn every_access_type_has_words() {
        let known: Vec<&str> = ACCESS.iter().map(|access| access.name).collect();
        let said: Vec<&str> = WORDS.iter().map(|words| words.name).collect();
        assert_eq!(said, known);
        assert!(WORDS.iter().all(|words| words.doing.contains("{table}")));
    }
}
