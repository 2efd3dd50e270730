//! GROUP BY sorts its groups though no order is asked for.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::schema::Index;
use crate::sql::shape::{Block, Role};

use super::statement::{At, Statement, recommend};
use super::words::{Clause, Clauses, Edits};

rule! {
    /// GROUP BY sorts its groups, though no order is asked for.
    ///
    /// **Costs.** MySQL to 5.7 and MariaDB sort the groups by the columns of GROUP BY: a filesort of as
    /// many rows as there are groups.
    /// **Wrong when.** MySQL 8.0 or later, an index that gives the groups in order, fewer than 1,000
    /// groups, or an application that relies on the order without saying so.
    /// **Verify.** EXPLAIN: no Using filesort; Sort_rows of the statement.
    /// **Source.** MySQL 5.7 manual, ORDER BY optimization; MariaDB 11.8 measured: Sort_rows = groups.
    ///
    /// ```sql schema
    /// -- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for Linux (x86_64)
    /// -- Server version	10.11.6-MariaDB
    /// CREATE TABLE hits (id int PRIMARY KEY, page int, agent varchar(90), KEY ix_page (page));
    /// -- rows: hits 900000; distinct: hits.agent 30000
    /// ```
    /// ```sql finding
    /// SELECT agent, COUNT(*) FROM hits GROUP BY agent LIMIT 100;
    /// ```
    /// ```sql clean
    /// SELECT agent, COUNT(*) FROM hits GROUP BY agent ORDER BY NULL;
    /// ```
    /// ```sql clean
    /// SELECT page, COUNT(*) FROM hits GROUP BY page;
    /// ```
    ///
    /// ```sql schema
    /// -- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
    /// -- Server version	8.0.36
    /// CREATE TABLE hits (id int PRIMARY KEY, page int, agent varchar(90));
    /// ```
    /// ```sql clean
    /// SELECT agent, COUNT(*) FROM hits GROUP BY agent;
    /// ```
    Sql "SQL014" "implicit-group-sort"
}

/// Groups from which on the sort costs.
const MIN_GROUPS: u64 = 1_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let is_new = statement.is_since(Family::MySql, (8, 0, 0));
    let mut blocks = statement
        .blocks()
        .filter(|(_, block)| block.role == Role::Statement && block.arm.is_none());
    let found = blocks.find_map(|(place, block)| finding(statement, place, block));
    found.filter(|_| !is_new && !statement.shape.is_partial).into_iter().collect()
}

fn finding(statement: &Statement<'_>, place: usize, block: &Block) -> Option<Finding> {
    if block.group.is_empty() || !block.order.is_empty() || block.has_rollup {
        return None;
    }
    let clauses = Clauses::of(statement.text, &block.span)?;
    // `ORDER BY NULL` sorts by nothing.
    if clauses.span(Clause::Order).is_some() || gives_groups(statement, place, block) {
        return None;
    }
    let groups = groups(statement, block);
    if groups.is_some_and(|groups| groups < MIN_GROUPS) {
        return None;
    }
    let is_known = statement.family() == Some(Family::MariaDb)
        || statement.is_before(Family::MySql, (8, 0, 0));
    let at = (place, 0);
    let confidence = match (is_known, groups) {
        (true, Some(_)) => Confidence::High,
        (true, None) => Confidence::Medium,
        (false, _) => Confidence::Low,
    };
    let span = clauses.span(Clause::Group)?;
    let title = "GROUP BY sorts its groups, though no order is asked for";
    let mut finding = statement.of_source(&RULE, at, Severity::Low, confidence, title, &[&span]);
    finding
        .evidence
        .extend(groups.map(|groups| Fact::number("groups", crate::plan::Amount::whole(groups))));
    let end = match clauses.span(Clause::Having) {
        Some(having) => having.end,
        None => span.end,
    };
    let mut edits = Edits::default();
    edits.replace(end..end, " ORDER BY NULL");
    let sql = statement.rewritten(&edits).filter(|_| statement.is_alone(block));
    let versions = match is_known {
        true => "",
        false => " MySQL 8.0 and later do not sort them; MySQL to 5.7 and MariaDB do.",
    };
    recommend(
        &mut finding,
        format!(
            "Say ORDER BY NULL: the groups are the same, and no order was asked for. Where the application relies on the \
             order, say which.{versions}"
        ),
        sql,
    );
    finding.verify = "EXPLAIN: no Using filesort.".to_owned();
    Some(finding)
}

/// How many groups there are, as far as that is known.
fn groups(statement: &Statement<'_>, block: &Block) -> Option<u64> {
    let load = &statement.class.load;
    let sorted = load.sort_rows.and_then(|rows| u64::try_from(rows.rounded().floor()).ok());
    if sorted.is_some() {
        return sorted;
    }
    if let (Some(sent), None) = (statement.sent(), block.limit) {
        return Some(sent);
    }
    let [key] = block.group.as_slice() else { return None };
    let column = key.column.as_ref()?;
    let table = statement.table(column.of?)?;
    table.facts.column(&column.name)?.distinct
}

/// Whether an index has the groups in order: behind columns that equal something its first parts
/// are those of GROUP BY.
fn gives_groups(statement: &Statement<'_>, place: usize, block: &Block) -> bool {
    let at: At = (place, 0);
    let Some(table) = statement.table(at) else { return false };
    let names: Option<Vec<&str>> = block
        .group
        .iter()
        .map(|key| key.column.as_ref().filter(|it| it.of == Some(at)).map(|it| it.name.as_str()))
        .collect();
    let Some(names) = names else { return false };
    let is_equal = |name: &str| {
        statement.tests(at).any(|test| {
            matches!(test.op, crate::sql::shape::Op::Equal(_))
                && test.column.name.eq_ignore_ascii_case(name)
        })
    };
    let gives = |index: &Index| {
        let mut parts =
            index.parts.iter().filter_map(|part| part.column_name()).skip_while(|name| {
                is_equal(name) && !names.iter().any(|own| own.eq_ignore_ascii_case(name))
            });
        names.iter().all(|name| parts.next().is_some_and(|part| part.eq_ignore_ascii_case(name)))
    };
    table.indexes.iter().filter(|index| index.is_visible).any(gives)
}
