//! What a plan shows of how its statement is written: comparisons that keep an index from use.

pub(super) mod collation_mismatch;
pub(super) mod function_on_column;
pub(super) mod hidden;
pub(super) mod implicit_conversion;
mod join;
pub(super) mod leading_wildcard;
mod note;

pub(super) use self::join::{is_lookup, led_by};
