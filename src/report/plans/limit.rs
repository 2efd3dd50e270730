//! The LIMIT of a statement, which lines of tables do not show.

use crate::plan::{Amount, Plan};

/// Words of a statement that has read all rows before its LIMIT counts the first one, or may have.
const COLLECTS: &[&str] = &[
    "group",
    "distinct",
    "having",
    "union",
    "intersect",
    "except",
    "over",
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "group_concat",
    "std",
    "stddev",
    "variance",
    "json_arrayagg",
    "json_objectagg",
];

/// Words of Extra of steps that read all their rows before the first one comes out.
const BLOCKS: &[&str] = &["Using filesort", "Using temporary", "Using join buffer"];

/// Whether a LIMIT may end the steps of a plan of one SELECT early: rows of the result at which it
/// does, where they are known; `None` if it does not.
pub fn of(plan: &Plan) -> Option<Option<Amount>> {
    let collects = plan.nodes.iter().any(|node| BLOCKS.iter().any(|words| node.says(words)));
    if plan.blocks.len() != 1 || collects {
        return None;
    }
    of_statement(plan.query.as_deref()?)
}

/// The LIMIT at the end of a statement: `LIMIT 10`, `LIMIT 20, 10`, `LIMIT 10 OFFSET 20`, `LIMIT ?`.
fn of_statement(statement: &str) -> Option<Option<Amount>> {
    let lower = statement.to_ascii_lowercase();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '?' | ':' | '@');
    let words: Vec<&str> =
        lower.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let at = words.iter().rposition(|word| *word == "limit")?;
    if words.iter().any(|word| COLLECTS.contains(word)) {
        return None;
    }
    let numbers: Vec<Option<u64>> = match words.get(at + 1..)? {
        [rows] => vec![rows.parse().ok()],
        [rows, "offset", offset] | [offset, rows] => vec![rows.parse().ok(), offset.parse().ok()],
        _ => return None,
    };
    let sum = numbers.into_iter().try_fold(0_u64, |sum, number| sum.checked_add(number?));
    Some(sum.map(Amount::whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, want: Option<Option<u64>>) {
        assert_eq!(
            of_statement(statement),
            want.map(|rows| rows.map(Amount::whole)),
            "{statement}"
        );
    }

    #[test]
    fn a_limit_stands_at_the_end() {
        check("SELECT a FROM t LIMIT 10", Some(Some(10)));
        check("select a from t\nlimit 20, 10", Some(Some(30)));
        check("SELECT a FROM t LIMIT 10 OFFSET 20", Some(Some(30)));
        check("DELETE FROM t LIMIT 1000", Some(Some(1_000)));
        check("SELECT a FROM t LIMIT ?", Some(None));
        check("SELECT a FROM t LIMIT 18446744073709551615 OFFSET 1", Some(None));
        check("SELECT a FROM t", None);
        check("SELECT a FROM t WHERE b = 'limit of all that is'", None);
    }

    #[test]
    fn what_collects_its_rows_is_not_ended_by_a_limit() {
        check("SELECT COUNT(*) FROM t LIMIT 1", None);
        check("SELECT a, b FROM t GROUP BY a LIMIT 1", None);
        check("SELECT DISTINCT a FROM t LIMIT 1", None);
    }
}
