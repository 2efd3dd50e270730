//! The `select_type` column: which part of the statement a line of a plan belongs to.

use super::weight::{Scale, Size, Weight};

use Scale::{Always, Repeated, Worked};
use Weight::{Good, Neutral};

/// A select type.
#[derive(Debug)]
pub struct SelectType {
    /// As the servers print it; `…` stands for any words.
    pub name: &'static str,
    /// Which part of the statement it is, and how often it runs.
    pub meaning: &'static str,
    /// When it is right and when it is the finding.
    pub matters: &'static str,
    /// Which servers print it.
    pub printers: &'static str,
    scale: Scale,
}

impl SelectType {
    /// What it is worth, where `outer` of the size is how many rows the outer query has.
    pub fn weigh(&self, size: Size) -> Weight {
        self.scale.weigh(size)
    }
}

/// Reads a select type in any letter case; `None` if no server is known to print it.
pub fn look_up(name: &str) -> Option<&'static SelectType> {
    let name = name.trim();
    SELECT_TYPES.iter().find(|known| match known.name.strip_suffix('…') {
        Some(head) => name
            .get(..head.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(head) && name.len() > head.len()),
        None => known.name.eq_ignore_ascii_case(name),
    })
}

const fn row(
    name: &'static str,
    scale: Scale,
    printers: &'static str,
    meaning: &'static str,
    matters: &'static str,
) -> SelectType {
    SelectType { name, meaning, matters, printers, scale }
}

/// All select types.
///
/// Source: `Query_block::type_str` and the prefixes of `push_select_type` in MySQL 5.0 to 9.x,
/// `set_explain_type` in MariaDB 5.3 to 11.x, the manuals.
#[rustfmt::skip]
pub const SELECT_TYPES: &[SelectType] = &[
    row("SIMPLE", Always(Neutral), "all",
        "The only SELECT of a statement without UNION or subquery, or one whose subqueries were merged into joins.",
        "Never by itself."),
    row("PRIMARY", Always(Neutral), "all",
        "The outermost SELECT, or the first part of a UNION.",
        "Never by itself."),
    row("UNION", Always(Neutral), "all",
        "A further part of a UNION; it runs once.",
        "Never by itself."),
    row("DEPENDENT UNION", Repeated, "all",
        "A further part of a UNION in a subquery that uses columns of the outer query; it runs for each outer row (MariaDB's subquery cache spares repeats of the same values).",
        "When the outer query has many rows. `IN (SELECT … UNION …)` stays so in all versions; a join with a derived table runs once."),
    row("UNCACHEABLE UNION", Repeated, "all",
        "A further part of a UNION in a subquery whose result may not be kept (RAND(), user variables, UUID()); it runs for every outer row.",
        "When the outer query has many rows. Take the value that changes out of the subquery."),
    row("UNION RESULT", Always(Neutral), "all",
        "The temporary table in which the parts of a UNION meet.",
        "UNION without ALL looks for duplicates in it; where there can be none, UNION ALL needs no table (MySQL 5.7, MariaDB 10.1 and later). Type ALL here reads the result and lacks no index."),
    row("SUBQUERY", Always(Neutral), "all",
        "A subquery that does not use the outer query; it runs once.",
        "Never for how often it runs."),
    row("DEPENDENT SUBQUERY", Repeated, "all",
        "A subquery that uses columns of the outer query; it runs for each outer row (MariaDB's subquery cache spares repeats of the same values).",
        "When the outer query has many rows: then as a join or a derived table. Before MySQL 5.6 and MariaDB 5.3 every IN (SELECT …) became this, however independent it looks. Good with unique_subquery or index_subquery and few outer rows."),
    row("UNCACHEABLE SUBQUERY", Repeated, "all",
        "A subquery whose result may not be kept (RAND(), user variables, UUID()); it runs for every outer row.",
        "When the outer query has many rows. Take the value that changes out of the subquery."),
    row("DERIVED", Worked, "all",
        "A subquery in FROM, a view or a CTE that could not be merged; its result is stored in a temporary table before it is used.",
        "When many rows are stored and few are used. Before MySQL 5.6 and MariaDB 5.3 EXPLAIN itself ran it. GROUP BY, DISTINCT, LIMIT, UNION and aggregates prevent merging."),
    row("DEPENDENT DERIVED", Repeated, "MySQL 8.0.14 and later",
        "A LATERAL derived table: computed anew for each row of the tables it uses.",
        "When these tables give many rows; right for the few newest rows of each group, with an index that finds them."),
    row("UNCACHEABLE DERIVED", Repeated, "MySQL 8.0.14 and later",
        "A derived table whose result may not be kept (RAND(), user variables, UUID()).",
        "When it runs for many rows. Take the value that changes out of it."),
    row("LATERAL DERIVED", Always(Good), "MariaDB 10.3 and later",
        "A derived table with GROUP BY of which only the groups that the outer row asks for are computed, by an index.",
        "Good where the outer query asks for few groups. With most groups asked for, computing all at once is cheaper: optimizer_switch 'split_materialized=off' to compare."),
    row("MATERIALIZED", Worked, "MySQL 5.6, MariaDB 5.3 and later",
        "A subquery of IN or EXISTS whose result is stored once in a temporary table with an index.",
        "When the subquery gives many rows and the outer query few: then a lookup for each outer row would be cheaper."),
    row("DEPENDENT MATERIALIZED", Repeated, "MySQL 5.6 and later",
        "A stored subquery that uses the outer query; it is stored anew for each outer row.",
        "When the outer query has many rows."),
    row("UNCACHEABLE MATERIALIZED", Repeated, "MySQL 5.6 and later",
        "A stored subquery whose result may not be kept (RAND(), user variables, UUID()).",
        "When the outer query has many rows."),
    row("MATERIALIZED UNION", Worked, "MariaDB 5.5 and later",
        "A further part of a UNION in a subquery whose result is stored once.",
        "When it gives many rows and the outer query few."),
    row("RECURSIVE UNION", Always(Neutral), "MariaDB 10.2 and later",
        "The recursive part of a WITH RECURSIVE; it runs until a round adds no row.",
        "When the recursion goes deep or wide, and when the table it joins is scanned in each round: it needs an index on the join column."),
    row("INTERSECT", Always(Neutral), "MySQL 8.0.31, MariaDB 10.3 and later",
        "A further part of an INTERSECT; it runs once.",
        "Never by itself."),
    row("DEPENDENT INTERSECT", Repeated, "MySQL 8.0.31 and later",
        "A further part of an INTERSECT in a subquery that uses columns of the outer query.",
        "When the outer query has many rows."),
    row("UNCACHEABLE INTERSECT", Repeated, "MySQL 8.0.31 and later",
        "A further part of an INTERSECT in a subquery whose result may not be kept.",
        "When the outer query has many rows."),
    row("INTERSECT RESULT", Always(Neutral), "MySQL 8.0.31 and later",
        "The temporary table in which the parts of an INTERSECT meet.",
        "Type ALL here reads the result and lacks no index."),
    row("EXCEPT", Always(Neutral), "MySQL 8.0.31, MariaDB 10.3 and later",
        "A further part of an EXCEPT; it runs once.",
        "Never by itself."),
    row("DEPENDENT EXCEPT", Repeated, "MySQL 8.0.31 and later",
        "A further part of an EXCEPT in a subquery that uses columns of the outer query.",
        "When the outer query has many rows."),
    row("UNCACHEABLE EXCEPT", Repeated, "MySQL 8.0.31 and later",
        "A further part of an EXCEPT in a subquery whose result may not be kept.",
        "When the outer query has many rows."),
    row("EXCEPT RESULT", Always(Neutral), "MySQL 8.0.31 and later",
        "The temporary table in which the parts of an EXCEPT meet.",
        "Type ALL here reads the result and lacks no index."),
    row("UNIT RESULT", Always(Neutral), "MariaDB 10.3 and later",
        "The temporary table in which the parts of a mix of UNION, INTERSECT and EXCEPT meet.",
        "Type ALL here reads the result and lacks no index."),
    row("RESULT", Always(Neutral), "MySQL 8.0.31 and later",
        "The temporary table for an ORDER BY or LIMIT outside of the parentheses of a query.",
        "Type ALL here reads the result and lacks no index."),
    row("INSERT", Always(Neutral), "MySQL 5.6, MariaDB 10.0 and later",
        "The table that rows are inserted into.",
        "Never; type ALL here reads nothing."),
    row("REPLACE", Always(Neutral), "MySQL 5.6 and later",
        "The table that rows are replaced in.",
        "Never for what it reads; type ALL here reads nothing."),
    row("UPDATE", Always(Neutral), "MySQL 5.6 and later",
        "The table whose rows are updated.",
        "Without a good index InnoDB at REPEATABLE READ locks every row it reads, not only those it changes."),
    row("DELETE", Always(Neutral), "MySQL 5.6 and later",
        "The table whose rows are deleted.",
        "Without a good index InnoDB at REPEATABLE READ locks every row it reads, not only those it deletes."),
    row("NONE", Always(Neutral), "MySQL 8.0 with a secondary engine",
        "The statement is run by a secondary engine; this form does not show its plan.",
        "Never; FORMAT=TREE shows the plan."),
    row("PUSHED …", Always(Neutral), "MariaDB 10.4 and later, with ColumnStore, FederatedX and other engines that take whole queries",
        "The storage engine runs this whole part of the statement itself; the server has no plan of it.",
        "When it is slow, look for the plan in the engine."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_meaning_and_says_when_it_matters() {
        for known in SELECT_TYPES {
            assert!(known.meaning.ends_with('.'), "{}", known.name);
            assert!(known.matters.ends_with('.'), "{}", known.name);
            assert!(!known.printers.is_empty(), "{}", known.name);
        }
    }

    #[track_caller]
    fn check(name: &str, want: Option<&str>) {
        assert_eq!(look_up(name).map(|known| known.name), want, "{name:?}");
    }

    #[test]
    fn what_servers_print_is_known() {
        for name in [
            "SIMPLE",
            "PRIMARY",
            "UNION",
            "DEPENDENT UNION",
            "UNCACHEABLE UNION",
            "UNION RESULT",
            "SUBQUERY",
            "DEPENDENT SUBQUERY",
            "UNCACHEABLE SUBQUERY",
            "DERIVED",
            "DEPENDENT DERIVED",
            "LATERAL DERIVED",
            "MATERIALIZED",
            "RECURSIVE UNION",
            "INTERSECT",
            "INTERSECT RESULT",
            "EXCEPT",
            "EXCEPT RESULT",
            "UNIT RESULT",
            "INSERT",
            "UPDATE",
            "DELETE",
            "REPLACE",
        ] {
            check(name, Some(name));
        }
        check("dependent subquery", Some("DEPENDENT SUBQUERY"));
        check("PUSHED SELECT", Some("PUSHED …"));
        check("PUSHED DERIVED", Some("PUSHED …"));
    }

    #[test]
    fn what_no_server_prints_is_not_known() {
        check("", None);
        check("PUSHED ", None);
        check("PUSHÉD SELECT", None);
        check("SUBQUERY RESULT", None);
    }

    #[test]
    fn a_dependent_subquery_weighs_by_the_outer_rows() {
        let weigh = |outer| {
            look_up("DEPENDENT SUBQUERY")
                .map(|known| known.weigh(Size { outer, ..Size::default() }))
        };
        assert_eq!(weigh(Some(1)), Some(Neutral));
        assert_eq!(weigh(Some(50)), Some(Weight::Minor));
        assert_eq!(weigh(Some(100)), Some(Weight::Finding));
        assert_eq!(weigh(None), Some(Weight::Minor));
    }
}
