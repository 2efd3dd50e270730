//! A composite index is used in part.

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::glance::Op;

use super::look::{LOW_ROWS, Look, Seen, count};

rule! {
    /// A lookup uses only the first columns of an index though conditions name later ones.
    ///
    /// **Costs.** All entries that agree in the first columns are read; `Using index condition` tests
    /// the later ones there, after they are read.
    /// **Wrong when.** The first columns leave few rows. In access type range nothing is said: there
    /// key_len does not tell what narrows the search.
    /// **Verify.** EXPLAIN again: key_len has grown by the bytes of the column.
    /// **Source.** MySQL manual, multiple-column indexes; the arithmetic of key_len.
    Plan "PLAN009" "composite-index-used-in-part"
}

/// Access types whose key_len says how far the search goes.
const LOOKUPS: &[&str] = &["const", "eq_ref", "ref", "ref_or_null"];

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.tables.iter().filter_map(|seen| finding(look, seen)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let node = seen.node;
    let is_lookup = node.access_type.as_deref().is_some_and(|access| LOOKUPS.contains(&access));
    let used = node.used_key_parts.len();
    let read = seen.read.filter(|read| is_lookup && *read >= Amount::whole(LOW_ROWS))?;
    let later = node.key_parts.get(used..).filter(|later| used > 0 && !later.is_empty())?;
    let comparisons = look.comparisons(seen);
    let is_compared = |column: &String, is_wanted: fn(Op) -> bool| {
        comparisons.iter().any(|it| it.column.name.eq_ignore_ascii_case(column) && is_wanted(it.op))
    };
    let narrows = |op: Op| matches!(op, Op::Equal | Op::IsNull | Op::Range);
    let wanted: Vec<String> =
        later.iter().filter(|column| is_compared(column, narrows)).cloned().collect();
    let next = later.first()?;
    // A range right behind the used columns is for the optimizer to weigh: it chose ref.
    let is_range_next =
        is_compared(next, |op| op == Op::Range) && !is_compared(next, |op| op == Op::Equal);
    if wanted.is_empty() || is_range_next && wanted.len() == 1 {
        return None;
    }
    let severity = look.severity(read, Severity::Medium)?;
    let key = node.key.as_deref().unwrap_or_default();
    let title = format!(
        "index `{key}` of `{}` is used by {used} of {} columns, {} rows a time",
        seen.name,
        node.key_parts.len(),
        count(node.rows.unwrap_or(read))
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.subject.columns = wanted
        .iter()
        .map(|column| format!("{}.{column}", look.names.full_name(seen.name)))
        .collect();
    finding.evidence.extend(look.facts(seen));
    finding.evidence.extend(node.key_len.as_ref().map(|length| Fact::text("key_len", length)));
    finding.evidence.push(Fact::list("used_key_parts", node.used_key_parts.clone()));
    finding.evidence.push(Fact::list("key_parts", node.key_parts.clone()));
    finding.evidence.push(Fact::list("compared_and_unused", wanted.clone()));
    let is_gap = !is_compared(next, narrows);
    finding.recommendation.text = match is_gap {
        true => format!(
            "`{next}` stands before {} in the index and no condition compares it: an index without it, or with \
            it behind, searches by all of them.",
            list(&wanted)
        ),
        false => format!(
            "`{next}` is compared but not searched by: look whether the value has the type and collation of the \
            column, and whether an OR stands in the way."
        ),
    };
    finding.verify = format!(
        "EXPLAIN again: key_len of `{}` grows by the bytes of {}.",
        seen.name,
        list(&wanted)
    );
    Some(finding)
}

fn list(columns: &[String]) -> String {
    let quoted: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check};
    use crate::advice::Severity;

    const SCHEMA: &str = "CREATE TABLE calls (id int PRIMARY KEY, desk int NOT NULL, kind int NOT NULL, at datetime NOT NULL, \
        KEY ix (desk, kind, at));";

    fn plan(access: &str, length: &str, rows: &str) -> String {
        format!(
            "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
             1\tSIMPLE\tcalls\tNULL\t{access}\tix\tix\t{length}\tconst\t{rows}\t100.00\tUsing index condition\n"
        )
    }

    #[test]
    fn a_gap_in_the_columns_is_found() {
        let gap = "SELECT * FROM calls WHERE desk = 5 AND at > '2026-01-01'";
        let plan_of = |rows: &str| plan("ref", "4", rows);
        let given = |rows: &str, query: &str| {
            let plan = plan_of(rows);
            check(&Given::plan(&plan).schema(SCHEMA).query(query), "PLAN009", None).is_none()
        };
        let text = plan_of("20000");
        let finding =
            check(&Given::plan(&text).schema(SCHEMA).query(gap), "PLAN009", Some(Severity::Medium))
                .unwrap();
        assert!(finding.recommendation.text.starts_with("`kind` stands before `at`"));
        assert!(given("40", gap), "40 rows are few");
        assert!(
            given("20000", "SELECT * FROM calls WHERE desk = 5"),
            "no condition on later columns"
        );
        assert!(
            given("20000", "SELECT * FROM calls WHERE desk = 5 AND kind > 3"),
            "a range on the next column"
        );
    }

    #[test]
    fn a_range_says_nothing_of_its_length() {
        let text = plan("range", "4", "20000");
        let query = "SELECT * FROM calls WHERE desk > 5 AND kind = 3";
        check(&Given::plan(&text).schema(SCHEMA).query(query), "PLAN009", None);
    }
}
