//! Columns of a step that no index can be searched by, and those that one can.

use crate::advice::Finding;
use crate::advice::plan::look::{Look, MEDIUM_ROWS, Seen};
use crate::plan::Amount;
use crate::schema::{PartOf, Table};
use crate::sql::glance::{Comparison, Hidden, Hides, Op};

use super::join;

/// What a rule finds at the steps that read much.
pub fn each<'a>(
    look: &Look<'a>,
    finding: impl Fn(&Look<'a>, &Seen<'a>) -> Option<Finding>,
) -> Vec<Finding> {
    /// Findings of one plan.
    const MOST: usize = 32;
    let large = look.tables.iter().filter(|seen| matters(seen));
    large.filter_map(|seen| finding(look, seen)).take(MOST).collect()
}

/// Comparisons that hide a column of a step from its index, each column and way once.
pub fn of(look: &Look<'_>, seen: &Seen<'_>) -> Vec<Hidden> {
    let mut found: Vec<Hidden> = Vec::new();
    for hidden in look.hidden(seen) {
        let is_same = |own: &Hidden| {
            own.hides == hidden.hides && own.column.name.eq_ignore_ascii_case(&hidden.column.name)
        };
        if found.len() < MOST && !found.iter().any(is_same) && !is_searched(look, seen, &hidden) {
            found.push(hidden);
        }
    }
    found
}

/// Comparisons of one step that are looked at.
const MOST: usize = 16;

/// Whether the step searches by the column all the same, or by the expression.
fn is_searched(look: &Look<'_>, seen: &Seen<'_>, hidden: &Hidden) -> bool {
    join::is_searched(seen, &hidden.column.name)
        || hidden.hides != Hides::Wildcard
            && look.table(seen).is_some_and(|table| has_expression(table, &hidden.column.name))
}

/// Whether an index on an expression of a column, or on a column computed from it, may serve.
fn has_expression(table: &Table, column: &str) -> bool {
    let names = |expression: &str| {
        let mut words = expression.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        words.any(|word| word.eq_ignore_ascii_case(column))
    };
    let is_computed = |name: &str| {
        let generated = table.column(name).and_then(|own| own.generated.as_ref());
        generated.is_some_and(|own| names(&own.expression))
    };
    let leads = table.indexes.iter().filter_map(|index| index.parts.first());
    leads.map(|part| &part.on).any(|key| match key {
        PartOf::Expression(expression) => names(expression),
        PartOf::Column(name) => is_computed(name),
    })
}

/// Comparisons of a step that an index can be searched by.
pub fn searchable(look: &Look<'_>, seen: &Seen<'_>) -> Vec<Comparison> {
    let hidden = look.hidden(seen);
    let is_hidden = |it: &Comparison| {
        it.op == Op::Like
            && hidden.iter().any(|own| {
                own.hides == Hides::Wildcard
                    && own.column.name.eq_ignore_ascii_case(&it.column.name)
            })
    };
    // What IN compares with anew for each row is no value to search by.
    let is_tied = |it: &Comparison| {
        let text = it.text.to_ascii_uppercase();
        let list = text.split_once(" IN").map(|(_, rest)| rest.trim_start_matches([' ', '(']));
        !look.repeated.is_empty() && list.is_some_and(|list| list.starts_with("SELECT"))
    };
    let all = look.comparisons(seen).into_iter();
    all.filter(|it| it.op != Op::Not && !is_hidden(it) && !is_tied(it)).collect()
}

/// Whether a step reads enough for a comparison to matter: all rows, or many for few.
pub fn matters(seen: &Seen<'_>) -> bool {
    let is_wasteful = seen.is_kept_measured
        && seen.read >= Some(Amount::whole(MEDIUM_ROWS))
        && seen.kept_percent().is_some_and(|percent| percent <= Amount::whole(50));
    seen.is_scan() || seen.is_index_scan() || is_wasteful
}
