//! Access types: how a table is reached.
//!
//! Two vocabularies share the name. The `type` column of the tabular form and `access_type` of
//! MySQL's first JSON format and of MariaDB's JSON speak of tables ([`ACCESS`]). `access_type` of
//! MySQL's JSON format 2 speaks of steps, of which few reach a table ([`STEPS`]). `index` is in both
//! and means two things: a full scan of an index in the first, any use of an index in the second.

use super::weight::{Scale, Size, Weight};

use Scale::{Always, Joined, Lookup, Read, Worked};
use Weight::{Good, Neutral};

/// An access type of the `type` column.
#[derive(Debug)]
pub struct Access {
    /// As the servers print it.
    pub name: &'static str,
    /// Place from best, 0, to worst. It is about one row of the outer table: many runs of a good
    /// one can cost more than one run of a bad one.
    pub rank: u8,
    /// What the server does.
    pub meaning: &'static str,
    /// When it is right and when it is the finding.
    pub matters: &'static str,
    /// Which servers print it.
    pub printers: &'static str,
    scale: Scale,
}

/// An `access_type` or `index_access_type` of MySQL's JSON format 2.
#[derive(Debug)]
pub struct Step {
    /// As the server prints it.
    pub name: &'static str,
    /// The access type of [`ACCESS`] that comes nearest, where the step reaches a table and the
    /// name alone tells which.
    pub like: Option<&'static str>,
    /// What the server does.
    pub meaning: &'static str,
    /// When it is right and when it is the finding.
    pub matters: &'static str,
    scale: Scale,
}

/// A spelling of the `type` column, read.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The access type.
    pub access: &'static Access,
    /// Whether MariaDB first collects row ids from a second index: `ref|filter`.
    pub has_rowid_filter: bool,
}

/// What `|filter` behind an access type means.
pub const ROWID_FILTER: &str = "Row ids of a second index are collected first; \
    rows whose id is not among them are not fetched.";

impl Access {
    /// What it is worth for a step of this size.
    pub fn weigh(&self, size: Size) -> Weight {
        self.scale.weigh(size)
    }
}

impl Step {
    /// What it is worth for a step of this size.
    pub fn weigh(&self, size: Size) -> Weight {
        self.scale.weigh(size)
    }
}

/// Reads an access type of the `type` column, in any letter case; `None` if no server is known
/// to print it.
pub fn look_up(name: &str) -> Option<Found> {
    let name = name.trim();
    let (base, has_rowid_filter) = match name.split_once('|') {
        Some((base, filter)) if filter.eq_ignore_ascii_case("filter") => (base, true),
        Some(_) => return None,
        None => (name, false),
    };
    let access = ACCESS.iter().find(|access| access.name.eq_ignore_ascii_case(base))?;
    Some(Found { access, has_rowid_filter })
}

/// Reads an `access_type` of MySQL's JSON format 2.
pub fn step(name: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.name == name)
}

const fn access(
    name: &'static str,
    rank: u8,
    scale: Scale,
    printers: &'static str,
    meaning: &'static str,
    matters: &'static str,
) -> Access {
    Access { name, rank, meaning, matters, printers, scale }
}

const fn row(
    name: &'static str,
    like: Option<&'static str>,
    scale: Scale,
    meaning: &'static str,
    matters: &'static str,
) -> Step {
    Step { name, like, meaning, matters, scale }
}

/// All access types, best first. The order is that of the manuals; MariaDB's hash joins stand
/// directly before the access type that they make quicker.
///
/// Source: `join_type_str` in the servers' sources, MySQL 5.0 to 9.x and MariaDB 5.3 to 11.x.
#[rustfmt::skip]
pub const ACCESS: &[Access] = &[
    access("NULL", 0, Always(Good), "all",
        "No table is read in this line.",
        "Never for its cost; Extra says why nothing is read."),
    access("system", 1, Always(Good), "all",
        "The table has one row, or none; it is read once, before the rest is planned.",
        "Never; nothing is quicker."),
    access("const", 2, Always(Good), "all",
        "At most one row, found by a whole primary or unique key with constants, and read before the rest is planned.",
        "Never for its cost. A statement that takes long all the same waits for something else: locks, the disk, other tables."),
    access("eq_ref", 3, Lookup, "all",
        "At most one row for each row of the tables before it, found by a whole primary or unique key.",
        "Best kind of join. It runs once for each row before it: if those are many, they are the problem, not this table."),
    access("ref", 4, Lookup, "all",
        "All rows of one value of an index, or of its leading columns, for each row of the tables before it.",
        "Good while few rows have the value. With many rows the leading columns do not narrow enough: see rows, and key_len for how many columns are used."),
    access("fulltext", 5, Lookup, "all",
        "Rows that a FULLTEXT index finds for MATCH … AGAINST.",
        "Right for searching words. Other conditions are tested on each row it finds, so a common word with a narrow condition reads many rows for little. rows says 1 or 0 for any word, so it is no measure."),
    access("ref_or_null", 6, Lookup, "all",
        "As ref, and the rows whose column is NULL as well: `c = … OR c IS NULL`.",
        "When many rows are NULL, or when an order by the next column of the index was wanted: it is lost. A column that may not be NULL needs no second search."),
    access("index_merge", 7, Read, "MySQL 5.0 and later; MariaDB",
        "Several indexes are searched and the rows they find are combined; Extra names them and says how.",
        "An intersect means that one index over all these columns is missing. A union or sort_union for OR is the right use, as long as each part finds few rows."),
    access("unique_subquery", 8, Lookup, "all",
        "For each row of the outer query one row is looked for by a primary or unique key, instead of running an IN subquery.",
        "When the outer query has many rows: it runs for each of them. As a join the server could begin with the other table."),
    access("index_subquery", 9, Lookup, "all",
        "As unique_subquery, by an index that is not unique.",
        "When the outer query has many rows: it runs for each of them. As a join the server could begin with the other table."),
    access("range", 10, Lookup, "all",
        "The rows between bounds, or of several values, read from one index.",
        "Good while the bounds are narrow. Index columns behind the first one that is compared by a range do not narrow the search. From about a fifth of the table on a full scan can be as quick."),
    access("hash_range", 11, Joined, "MariaDB 5.3 and later",
        "Rows of an index range are read once for each filling of the join buffer and matched with it by a hash table.",
        "It replaces a join by index: with many rows on both sides an index on the join column is missing."),
    access("hash_index_merge", 12, Joined, "MariaDB 5.3 and later",
        "Rows of several merged indexes are read once for each filling of the join buffer and matched with it by a hash table.",
        "It replaces a join by index: with many rows on both sides an index on the join column is missing."),
    access("hash_index", 13, Joined, "MariaDB 5.3 and later",
        "A whole index is read once for each filling of the join buffer and matched with it by a hash table.",
        "It replaces a join by index: with many rows on both sides an index on the join column is missing."),
    access("index", 14, Read, "all",
        "Every entry of an index is read, from one end to the other: a full scan, of the index instead of the table.",
        "With many rows as much as ALL; `Using index` beside it says only that the table is not touched as well. Harmless where a LIMIT stops it early, which an ORDER BY along the index allows: then rows says the LIMIT."),
    access("hash_ALL", 15, Joined, "MariaDB 5.3 and later",
        "The whole table is read once for each filling of the join buffer and matched with it by a hash table.",
        "It replaces a join by index: with many rows on both sides an index on the join column is missing. For a report that reads most of both tables it is right."),
    access("ALL", 16, Read, "all",
        "Every row of the table is read.",
        "When the table is large and few rows are wanted, or when it stands behind another table and is read again and again: an index for its conditions is missing. Right for a small table, and for a query that needs most rows."),
    access("UNKNOWN", 17, Always(Neutral), "all, in plans shown before they are made",
        "The optimizer has not decided yet how to reach the table.",
        "Never; take the plan again with EXPLAIN of the statement."),
];

/// `access_type` of MySQL's JSON format 2 (`explain_json_format_version = 2`, 8.3 and later).
///
/// Source: `explain_access_path.cc` of MySQL 8.0 to 9.x.
#[rustfmt::skip]
pub const STEPS: &[Step] = &[
    row("table", Some("ALL"), Read,
        "Every row of the table, or of a temporary result, is read.",
        "When the table is large and few rows are wanted. The scan of a temporary result, `<temporary>` or the name of a derived table, lacks no index."),
    row("index", None, Lookup,
        "The table is reached by an index; index_access_type says how.",
        "Depends on index_access_type: a lookup and a full scan of an index both stand here."),
    row("constant_row", Some("const"), Always(Good),
        "One row, found by a whole primary or unique key, or the only row of the table, read before the rest is planned.",
        "Never for its cost."),
    row("rows_fetched_before_execution", Some("const"), Always(Good),
        "All that this part needs was read while the plan was made, or stands in the statement itself.",
        "Never for its cost."),
    row("zero_rows", None, Always(Neutral),
        "The optimizer knows that no row can come out; zero_rows_cause says why.",
        "Not for its cost. If the application sends it often, it asks for nothing: find out why."),
    row("zero_rows_aggregated", None, Always(Neutral),
        "No row can come in, so COUNT is 0 and other aggregates are NULL; zero_rows_cause says why.",
        "Not for its cost. If the application sends it often, it asks for nothing: find out why."),
    row("count_rows", None, Read,
        "The engine is asked for the number of rows of the table. InnoDB counts by reading a whole index, possibly with several threads.",
        "On a large InnoDB table it reads every row each time. A total that may be a little old can be kept elsewhere."),
    row("scan_new_records", None, Always(Neutral),
        "The recursive part of a WITH RECURSIVE reads the rows that its last round added.",
        "When the recursion goes deep or wide: each round reads what the one before it made."),
    row("index_merge", Some("index_merge"), Read,
        "Ranges of several indexes are read, rows found twice are dropped by sorting row ids, then the rows are fetched (sort_union).",
        "Right for OR over several columns while each part finds few rows."),
    row("rowid_intersection", Some("index_merge"), Read,
        "Only rows that several indexes find are fetched (intersect).",
        "One index over all these columns would find them at once."),
    row("rowid_union", Some("index_merge"), Read,
        "Rows that one or another of several indexes finds are fetched once (union).",
        "Right for OR over several columns while each part finds few rows."),
    row("filter", None, Always(Neutral),
        "Rows are tested against a condition that the access to the table does not guarantee.",
        "When many rows come in and few go out: then they were read to be thrown away, and an index should hold the condition."),
    row("join", None, Always(Neutral),
        "Two inputs are joined; join_algorithm says whether by nested loop, hash table or batches of keys.",
        "A nested loop runs its second input once for each row of the first. A hash join reads both once; over many rows on an equality it often means that an index on the join column is missing."),
    row("sort", None, Worked,
        "Rows are sorted: `Using filesort` of the tabular form. It can happen in memory or with files.",
        "When many rows are sorted, most of all with a small LIMIT: an index in that order would stop early."),
    row("aggregate", None, Always(Neutral),
        "Rows that arrive in groups, or as one group, are summed up on the way.",
        "Never by itself; what delivers the rows costs."),
    row("temp_table_aggregate", None, Worked,
        "Groups are kept in a temporary table while all rows are read.",
        "When many rows come in: an index in the order of the groups needs no table."),
    row("limit", None, Always(Neutral),
        "Reading stops after LIMIT rows; rows of the OFFSET are read and dropped.",
        "With a large OFFSET: all rows before it are read each time. Go on from the last key seen instead."),
    row("stream", None, Always(Neutral),
        "Rows are handed on without being stored.",
        "Never."),
    row("materialize", None, Worked,
        "The result of a derived table, CTE, union or subquery is stored in a temporary table first.",
        "When many rows are stored and few are then used: conditions should be inside, or the derived table merged."),
    row("materialize_information_schema", None, Always(Neutral),
        "A table of INFORMATION_SCHEMA is filled when it is read.",
        "On servers with many tables: name schema and table in the condition."),
    row("materialized_table_function", None, Always(Neutral),
        "A table function such as JSON_TABLE makes rows of its argument and stores them.",
        "When it runs for each row of another table."),
    row("append", None, Always(Neutral),
        "The results of the parts of a UNION ALL follow each other without a temporary table.",
        "Never."),
    row("window", None, Always(Neutral),
        "Window functions are computed; with buffering, rows of a frame are kept.",
        "The sort before it costs; no index avoids that sort. `multi_pass` reads the frame again for each row."),
    row("remove_duplicates_from_groups", None, Always(Neutral),
        "Of rows that arrive in order, one of each kind is kept.",
        "Never by itself."),
    row("remove_duplicates_on_index", None, Always(Neutral),
        "Of rows that arrive in index order, one of each key is kept (LooseScan).",
        "Never by itself."),
    row("alternative_plans_for_in_subquery", None, Always(Neutral),
        "For a NOT NULL value the subquery is searched by index, for NULL it is scanned (`Full scan on NULL key`).",
        "When the outer column is often NULL; one declared NOT NULL, or IS NOT NULL in the condition, avoids the scan."),
    row("invalidate_materialized_tables", None, Always(Neutral),
        "A lateral derived table is computed again for each row from here (`Rematerialize`).",
        "When many rows come from here."),
    row("insert_values", None, Always(Neutral), "Rows are inserted.", "Never by itself."),
    row("replace_values", None, Always(Neutral),
        "Rows are inserted; a row with the same unique key is deleted first.",
        "A REPLACE deletes and inserts, and touches every index twice; INSERT … ON DUPLICATE KEY UPDATE touches what changes."),
    row("delete_rows", None, Always(Neutral),
        "Rows are deleted, at once or, where the plan still reads the table, after their ids were stored.",
        "Never by itself."),
    row("update_rows", None, Always(Neutral),
        "Rows are updated, at once or, where the plan still reads the table, after their ids were stored.",
        "Never by itself."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_types_are_ranked_from_best_to_worst() {
        let names: Vec<&str> = ACCESS.iter().map(|access| access.name).collect();
        assert_eq!(
            names,
            [
                "NULL",
                "system",
                "const",
                "eq_ref",
                "ref",
                "fulltext",
                "ref_or_null",
                "index_merge",
                "unique_subquery",
                "index_subquery",
                "range",
                "hash_range",
                "hash_index_merge",
                "hash_index",
                "index",
                "hash_ALL",
                "ALL",
                "UNKNOWN"
            ]
        );
        assert!(ACCESS.windows(2).all(|pair| pair[0].rank < pair[1].rank));
    }

    #[test]
    fn each_has_a_meaning_and_says_when_it_matters() {
        for access in ACCESS {
            assert!(access.meaning.ends_with('.'), "{}", access.name);
            assert!(access.matters.ends_with('.'), "{}", access.name);
            assert!(!access.printers.is_empty(), "{}", access.name);
        }
        for step in STEPS {
            assert!(step.meaning.ends_with('.'), "{}", step.name);
            assert!(step.matters.ends_with('.'), "{}", step.name);
            assert!(step.like.is_none_or(|like| look_up(like).is_some()), "{}", step.name);
        }
    }

    #[test]
    fn names_are_there_once() {
        for names in [
            ACCESS.iter().map(|access| access.name).collect::<Vec<_>>(),
            STEPS.iter().map(|step| step.name).collect(),
        ] {
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), names.len());
        }
    }

    #[track_caller]
    fn check(name: &str, want: Option<(&str, bool)>) {
        let got = look_up(name).map(|found| (found.access.name, found.has_rowid_filter));
        assert_eq!(got, want, "{name:?}");
    }

    #[test]
    fn a_rowid_filter_is_told_apart_from_the_access() {
        check("ref|filter", Some(("ref", true)));
        check("range|filter", Some(("range", true)));
        check("eq_ref|filter", Some(("eq_ref", true)));
        check("hash_ALL", Some(("hash_ALL", false)));
        check("all", Some(("ALL", false)));
        check(" ref ", Some(("ref", false)));
    }

    #[test]
    fn what_no_server_prints_is_not_known() {
        check("", None);
        check("|filter", None);
        check("ref|other", None);
        check("reference", None);
        check("ref|filter|filter", None);
        assert!(step("ALL").is_none());
    }

    #[test]
    fn index_means_two_things() {
        let scan = look_up("index").map(|found| found.access);
        let many = Size { rows: Some(5_120_000), outer: Some(1), kept: None };
        let ten = Size { rows: Some(10), outer: Some(1), kept: None };
        assert_eq!(scan.map(|scan| scan.weigh(many)), Some(Weight::Finding));
        assert_eq!(scan.map(|scan| scan.weigh(ten)), Some(Neutral));
        assert_eq!(step("index").and_then(|step| step.like), None);
    }
}
