//! How statements are written: the rules SQL001 to SQL026, one a file.
//!
//! [`read`] runs all of them over one [`Statement`]; four also look at a plan, which shows
//! comparisons that keep an index from use. Rules of statements look at a shape and quote from the
//! text; a rewrite is made by edits of that text, never printed from a tree.

mod always_false;
mod bare;
mod calc_found_rows;
mod cartesian_join;
pub(super) mod collation_mismatch;
mod count_whole_table;
mod deep_offset;
mod distinct_over_join;
pub(super) mod function_on_column;
mod having_as_where;
pub(super) mod hidden;
mod huge_in_list;
pub(super) mod implicit_conversion;
mod implicit_group_sort;
mod in_subquery;
mod index_hint;
mod join;
pub(super) mod leading_wildcard;
mod limit_without_order;
mod locking_insert_select;
mod mixed_join;
mod negative_predicate;
mod note;
mod or_over_columns;
mod order_by_rand;
mod select_star;
mod statement;
mod subquery_per_row;
mod unbounded_result;
mod union_without_all;
mod words;
mod write_without_where;

use crate::plan::Amount;

pub(super) use self::join::{is_lookup, led_by};
pub use self::statement::Statement;
use super::{Finding, Rule};

/// A rule, and how it reads a statement.
type Entry = (&'static Rule, fn(&Statement<'_>) -> Vec<Finding>);

/// All rules of statements.
#[rustfmt::skip]
const RULES: &[Entry] = &[
    (&function_on_column::RULE,    function_on_column::read),
    (&implicit_conversion::RULE,   implicit_conversion::read),
    (&leading_wildcard::RULE,      leading_wildcard::read),
    (&deep_offset::RULE,           deep_offset::read),
    (&select_star::RULE,           select_star::read),
    (&order_by_rand::RULE,         order_by_rand::read),
    (&or_over_columns::RULE,       or_over_columns::read),
    (&negative_predicate::RULE,    negative_predicate::read),
    (&in_subquery::RULE,           in_subquery::read),
    (&union_without_all::RULE,     union_without_all::read),
    (&huge_in_list::RULE,          huge_in_list::read),
    (&unbounded_result::RULE,      unbounded_result::read),
    (&distinct_over_join::RULE,    distinct_over_join::read),
    (&implicit_group_sort::RULE,   implicit_group_sort::read),
    (&write_without_where::RULE,   write_without_where::read),
    (&locking_insert_select::RULE, locking_insert_select::read),
    (&count_whole_table::RULE,     count_whole_table::read),
    (&limit_without_order::RULE,   limit_without_order::read),
    (&calc_found_rows::RULE,       calc_found_rows::read),
    (&cartesian_join::RULE,        cartesian_join::read),
    (&always_false::RULE,          always_false::read),
    (&having_as_where::RULE,       having_as_where::read),
    (&index_hint::RULE,            index_hint::read),
    (&mixed_join::RULE,            mixed_join::read),
    (&collation_mismatch::RULE,    collation_mismatch::read),
    (&subquery_per_row::RULE,      subquery_per_row::read),
];

/// All rules that [`read`] runs, with the texts that people read.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|(rule, _)| *rule)
}

/// Least share of the time that a statement of a log is read for, in percent: what takes less is
/// not worth a change of code. We chose it; a log in which such a change paid would change it.
const MIN_SHARE: &str = "0.5";

/// What there is to say on how a statement is written: each rule once.
#[must_use]
pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let least = Amount::parse(MIN_SHARE).unwrap_or_default();
    if !statement.is_review && statement.share.is_some_and(|share| share < least) {
        return Vec::new();
    }
    RULES.iter().flat_map(|(_, rule)| rule(statement)).collect()
}

#[cfg(test)]
mod tests;
