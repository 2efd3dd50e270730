//! Columns of two tables that are compared, where the index of one of them is wanted for the join.

use crate::advice::plan::look::{Look, Seen};
use crate::schema::{Column, Index, Table};
use crate::sql::glance::{Comparison, Op, Operand};

/// One side of a comparison: a column with its table.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub table: &'a Table,
    pub column: &'a Column,
}

/// A column whose index would find the partners of a row read before, with the one it is compared
/// with.
pub struct Wanted<'a> {
    pub own: Side<'a>,
    pub other: Side<'a>,
    pub index: &'a Index,
    pub comparison: Comparison,
}

/// The joins of a table by columns that an index begins with, and that the step does not search by.
pub fn wanted<'a>(look: &Look<'a>, seen: &Seen<'_>) -> Vec<Wanted<'a>> {
    let joins = look.comparisons(seen).into_iter().filter(|it| it.op == Op::Equal);
    joins.filter_map(|comparison| of_comparison(look, seen, comparison)).collect()
}

fn of_comparison<'a>(
    look: &Look<'a>,
    seen: &Seen<'_>,
    comparison: Comparison,
) -> Option<Wanted<'a>> {
    let Operand::Column(other) = &comparison.with else { return None };
    let called = other.table.as_deref()?;
    let partner = look.tables.iter().find(|it| it.name.eq_ignore_ascii_case(called))?;
    // The partner must be read before; in TREE the side of a hash join that is probed stands first.
    let is_inner = partner.place < seen.place || seen.buffer.is_some();
    let table = look.table(seen).filter(|_| is_inner)?;
    let own = Side { table, column: table.column(&comparison.column.name)? };
    let partner = look.table(partner)?;
    let other = Side { table: partner, column: partner.column(&other.name)? };
    if is_searched(seen, &own.column.name) {
        return None;
    }
    let index = led_by(table, &own.column.name)?;
    Some(Wanted { own, other, index, comparison })
}

/// Whether a step searches an index by a column.
pub fn is_searched(seen: &Seen<'_>, column: &str) -> bool {
    let node = seen.node;
    is_lookup(seen) && node.used_key_parts.iter().any(|part| part.eq_ignore_ascii_case(column))
}

/// Whether a step searches an index at all.
pub fn is_lookup(seen: &Seen<'_>) -> bool {
    let access = seen.node.access_type.as_deref();
    matches!(access, Some("const" | "eq_ref" | "ref" | "range" | "ref_or_null"))
}

/// An index that begins with a column, and that the server may use.
pub fn led_by<'a>(table: &'a Table, column: &str) -> Option<&'a Index> {
    let mut visible = table.indexes.iter().filter(|index| index.is_visible);
    visible.find(|index| index.parts.first().is_some_and(|part| part.is_column(column)))
}
