//! All partitions are read though a condition names their column.

use std::collections::HashSet;

use crate::advice::rule::rule;
use crate::advice::{Action, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::schema::{Partition, Partitions, Table, TypeName};

use super::look::{LOW_ROWS, Look, Seen, count};

rule! {
    /// Every partition is read though a condition names the partitioning column.
    ///
    /// **Costs.** Partitions that cannot hold a wanted row are searched as well.
    /// **Wrong when.** No condition names the column, or the range really covers all partitions: on a
    /// bare column that RANGE or LIST partitions by, the server has seen to that. Needs the schema.
    /// **Verify.** EXPLAIN again: `partitions` names fewer.
    /// **Source.** MySQL manual, partition pruning.
    Plan "PLAN016" "partitions-not-pruned"
}

/// Percent of the partitions from which all are taken to be read.
const MOST: u64 = 80;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables.iter().filter_map(|seen| finding(look, seen)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let table = look.table(seen)?;
    let partitions = table.partitions.as_ref()?;
    let read_of = partitions_read(seen, partitions)?;
    let all = number(partitions)?;
    let rows = seen.read.filter(|rows| *rows >= Amount::whole(LOW_ROWS))?;
    let is_most = u128::from(read_of) * 100 >= u128::from(all) * u128::from(MOST);
    if all < 2 || !is_most {
        return None;
    }
    let mentions = look.mentions(seen);
    let is_by =
        |name: &str| partitions.by.columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    let mut named = mentions.iter().filter(|it| is_by(&it.column.name)).peekable();
    let column = named.peek()?.column.name.clone();
    let is_wrapped = named.all(|it| it.is_wrapped);
    let method = partitions.by.method.to_ascii_uppercase();
    let is_sorted = method.starts_with("RANGE") || method.starts_with("LIST");
    // The server prunes by a bare column where it can: then the condition covers them all.
    let is_equal = look
        .comparisons(seen)
        .iter()
        .any(|it| is_by(&it.column.name) && it.op == crate::sql::glance::Op::Equal);
    if !is_wrapped && (is_sorted || is_equal) {
        return None;
    }
    let severity = look.severity(rows, Severity::Medium)?;
    let title = format!(
        "{read_of} of {all} partitions of `{}` are read though the condition names `{column}`",
        seen.name
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.subject.columns = vec![format!("{}.{column}", look.names.full_name(seen.name))];
    finding.evidence.extend(look.facts(seen));
    finding.evidence.push(Fact::number("partitions_read", Amount::whole(read_of)));
    finding.evidence.push(Fact::number("partitions", Amount::whole(all)));
    finding.evidence.push(Fact::text(
        "partitioned_by",
        format!("{} ({})", partitions.by.method, partitions.by.expression),
    ));
    if is_wrapped {
        finding.recommendation.action = Action::Rewrite;
    }
    finding.recommendation.text =
        advice(table, partitions, &column, is_sorted, is_wrapped, &count(rows));
    finding.verify = "EXPLAIN again: `partitions` names fewer.".to_owned();
    Some(finding)
}

/// What lets the server leave partitions out. RANGE and LIST find those of a range, HASH and KEY
/// those of single values.
fn advice(
    table: &Table,
    partitions: &Partitions,
    column: &str,
    is_sorted: bool,
    is_wrapped: bool,
    rows: &str,
) -> String {
    let method = partitions.by.method.to_ascii_uppercase();
    let alone = format!("Compare `{column}` itself, without a function or arithmetic");
    let ranges = ranges_of(table, partitions);
    match (is_wrapped, is_sorted) {
        (true, true) => format!(
            "{alone}, with a range: then only the partitions of that range are read ({rows} rows now)."
        ),
        (true, false) => format!(
            "{alone}, with single values (= or IN): then only their partitions are read ({rows} rows now). {ranges}"
        ),
        (false, _) => format!(
            "{method} finds the partitions of single values (= or IN). {ranges} For ranges: an index that begins with \
             `{column}`, or RANGE partitions."
        ),
    }
}

/// What a range is to HASH and KEY: of one integer column it may be taken value by value. The text
/// holds where the type is not known.
fn ranges_of(table: &Table, partitions: &Partitions) -> &'static str {
    use TypeName::{BigInt, Int, MediumInt, SmallInt, TinyInt};
    let is_integer = |name: &String| {
        let data_type = table.column(name).and_then(|column| column.data_type.as_ref());
        data_type.is_none_or(|it| matches!(it.name, TinyInt | SmallInt | MediumInt | Int | BigInt))
    };
    match partitions.by.columns.as_slice() {
        [column] if is_integer(column) => {
            "A range counts only where it is one of integers, fewer of them than there are partitions."
        }
        _ => "A range leaves no partition out.",
    }
}

/// How many partitions are named; `p0_p0sp1` is a part of p0.
fn partitions_read(seen: &Seen<'_>, partitions: &Partitions) -> Option<u64> {
    let names = seen.node.partitions.as_deref()?.split(',').map(str::trim);
    // Partitions without a list have the names p0, p1, …, in which there is no `_`.
    let is_listed = |name: &str| {
        let is_same = |it: &Partition| it.name.eq_ignore_ascii_case(name);
        partitions.listed.is_empty() || partitions.listed.iter().any(is_same)
    };
    let whole = |name: &'_ str| match partitions.sub.is_some() {
        true => name
            .match_indices('_')
            .map(|(at, _)| &name[..at])
            .find(|it| is_listed(it))
            .unwrap_or(name)
            .to_lowercase(),
        false => name.to_lowercase(),
    };
    let read: HashSet<String> = names.map(whole).collect();
    u64::try_from(read.len()).ok()
}

fn number(partitions: &Partitions) -> Option<u64> {
    match partitions.listed.len() {
        0 => partitions.count,
        listed => u64::try_from(listed).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check};
    use crate::advice::Severity;

    const SCHEMA: &str = "CREATE TABLE visits (id int NOT NULL, day date NOT NULL, PRIMARY KEY (id, day)) \
        PARTITION BY RANGE COLUMNS(day) (PARTITION p1 VALUES LESS THAN ('2026-02-01'), \
        PARTITION p2 VALUES LESS THAN ('2026-03-01'), PARTITION p3 VALUES LESS THAN (MAXVALUE));";

    fn plan(partitions: &str) -> String {
        format!(
            "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
             1\tSIMPLE\tvisits\t{partitions}\tALL\tNULL\tNULL\tNULL\tNULL\t60000\t100.00\tUsing where\n"
        )
    }

    #[test]
    fn a_function_around_the_column_keeps_partitions_from_being_left_out() {
        let wrapped = "SELECT COUNT(*) FROM visits WHERE YEAR(day) = 2026";
        let text = plan("p1,p2,p3");
        let given = |query| Given::plan(&text).schema(SCHEMA).query(query);
        check(&given(wrapped), "PLAN016", Some(Severity::Medium));
        // All of them hold such days.
        check(&given("SELECT COUNT(*) FROM visits WHERE day > '2020-01-01'"), "PLAN016", None);
        check(&given("SELECT COUNT(*) FROM visits WHERE id > 5"), "PLAN016", None);
        let one = plan("p2");
        check(&Given::plan(&one).schema(SCHEMA).query(wrapped), "PLAN016", None);
        check(&Given::plan(&text).query(wrapped), "PLAN016", None);
    }

    #[test]
    fn parts_of_a_partition_count_as_one() {
        let schema = "CREATE TABLE visits (id int NOT NULL, day date NOT NULL) PARTITION BY RANGE (YEAR(day)) \
            SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION p_a VALUES LESS THAN (2025), \
            PARTITION p_b VALUES LESS THAN (2026), PARTITION p_c VALUES LESS THAN MAXVALUE);";
        let query = "SELECT COUNT(*) FROM visits WHERE MONTH(day) = 5";
        let all = plan("p_a_p_asp0,p_a_p_asp1,p_b_p_bsp0,p_b_p_bsp1,p_c_p_csp0,p_c_p_csp1");
        let given = Given::plan(&all).schema(schema).query(query);
        let finding = check(&given, "PLAN016", Some(Severity::Medium)).unwrap();
        assert!(finding.title.starts_with("3 of 3 partitions"), "{}", finding.title);
        let some = plan("p_a_p_asp0,p_a_p_asp1,p_b_p_bsp0");
        check(&Given::plan(&some).schema(schema).query(query), "PLAN016", None);
    }

    /// What is advised for partitions by `by`, of a plan that reads all four.
    #[track_caller]
    fn advises(by: &str, query: &str, want: &[&str]) {
        let schema = format!(
            "CREATE TABLE visits (id int NOT NULL, n int NOT NULL, day date NOT NULL) PARTITION BY {by} PARTITIONS 4;"
        );
        let text = plan("p0,p1,p2,p3");
        let given = Given::plan(&text).schema(&schema).query(query);
        let finding = check(&given, "PLAN016", Some(Severity::Medium)).unwrap();
        let text = finding.recommendation.text;
        assert!(want.iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("with a range"), "{text}");
    }

    #[test]
    fn hash_and_key_are_not_told_to_be_searched_by_ranges() {
        let wrapped = "SELECT COUNT(*) FROM visits WHERE n + 1 = 6";
        let range = "SELECT COUNT(*) FROM visits WHERE n > 6";
        let short = "one of integers, fewer of them than there are partitions";
        let none = "A range leaves no partition out.";
        advises("HASH (n)", wrapped, &["single values (= or IN)", short]);
        advises("LINEAR HASH (n)", range, &["LINEAR HASH finds", short, "RANGE partitions"]);
        advises("KEY (n)", wrapped, &["single values (= or IN)", short]);
        advises("KEY (n)", range, &["KEY finds", short]);
        advises("KEY (n, id)", range, &["KEY finds", none]);
        let by_month = "SELECT COUNT(*) FROM visits WHERE day > '2026-01-01'";
        advises("HASH (MONTH(day))", by_month, &["HASH finds", none]);
    }
}
