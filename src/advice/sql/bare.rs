//! Conditions in which the column stands bare: what is done with it is done to the other side.
//!
//! ```text
//! YEAR(c) = 2012   →   c >= '2012-01-01' AND c < '2013-01-01'
//! c * 2 = 14       →   c = 7
//! LOWER(c) = 'x'   →   c = 'x'              where the collation ignores case
//! ```
//!
//! Each way gives the new condition with the reason why it keeps the same rows, or nothing.

mod call;
mod number;
mod pattern;
mod period;

use std::ops::Range;

use crate::schema::TypeName;
use crate::sql::shape::{Why, Wrapped};

use super::statement::Statement;
use super::words::{Sides, Words};

pub use self::pattern::{dates_like, keyset, row_by_row};
pub use self::period::{Period, bounds};

/// A condition in other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bare {
    /// The condition.
    pub condition: String,
    /// Why the same rows pass: a sentence.
    pub reason: String,
}

impl Bare {
    fn new(condition: String, reason: impl Into<String>) -> Option<Bare> {
        Some(Bare { condition, reason: reason.into() })
    }
}

/// A comparison cut into its words.
struct Cut<'s, 't> {
    statement: &'s Statement<'t>,
    wrapped: &'s Wrapped,
    words: Words<'t>,
    sides: Sides,
    /// The column as it is written.
    column: &'t str,
    /// Its type, where it is known.
    type_name: Option<TypeName>,
}

impl Cut<'_, '_> {
    /// The operator as if the column stood on the left.
    fn op(&self) -> &str {
        &self.wrapped.op
    }

    fn own(&self) -> &Range<usize> {
        &self.sides.own
    }

    /// The other side, where it is one.
    fn other(&self) -> Option<&Range<usize>> {
        match self.sides.others.as_slice() {
            [other] => Some(other),
            _ => None,
        }
    }

    /// The whole condition with its own side written anew.
    fn with_own(&self, own: &str) -> Option<String> {
        let range = self.words.span(self.sides.own.clone())?;
        let span = &self.wrapped.span;
        let text = self.statement.text;
        let (head, tail) = (text.get(span.start..range.start)?, text.get(range.end..span.end)?);
        Some(format!("{head}{own}{tail}"))
    }

    fn is_type(&self, names: &[TypeName]) -> bool {
        self.type_name.is_none_or(|own| names.contains(&own))
    }
}

/// A condition with its column bare; none where nobody can write it so.
pub fn bare(statement: &Statement<'_>, wrapped: &Wrapped) -> Option<Bare> {
    if let (Why::Truth, [column]) = (&wrapped.why, wrapped.columns.as_slice()) {
        return pattern::truth(statement, wrapped, column);
    }
    if wrapped.is_negated {
        return None;
    }
    let [column] = wrapped.columns.as_slice() else {
        return call::of_two_tables(statement, wrapped);
    };
    let words = Words::of(statement.text, &wrapped.span)?;
    let sides = words.sides(&column.name)?;
    // Under a NOT that was read into it the words say something else.
    let is_alias = |one: &str, other: &str| one == other || one == "RLIKE" && other == "REGEXP";
    if !is_alias(&sides.op, &wrapped.op) && !is_alias(&wrapped.op, &sides.op) {
        return None;
    }
    let places = words.column(&column.name)?;
    let known = statement.column(column);
    let type_name = known.and_then(|it| Some(it.data_type()?.name));
    let column = words.text(&places);
    let cut = Cut { statement, wrapped, words, sides, column, type_name };
    match &wrapped.why {
        Why::Arithmetic => number::moved(&cut, known).or_else(|| call::interval(&cut)),
        Why::Function(_) => call::without(&cut, known),
        Why::Collation => pattern::collated(&cut, known),
        Why::Pattern => pattern::anchored(&cut),
        Why::NotConstant => pattern::of_one_moment(&cut),
        _ => None,
    }
}

/// Types that are days, with a time or without.
const DAYS: &[TypeName] = &[TypeName::Date, TypeName::DateTime, TypeName::Timestamp];
/// Types that are texts, and no lists of them.
const TEXTS: &[TypeName] = &[
    TypeName::Char,
    TypeName::VarChar,
    TypeName::TinyText,
    TypeName::Text,
    TypeName::MediumText,
    TypeName::LongText,
];

#[cfg(test)]
mod tests;
