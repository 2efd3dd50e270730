//! What a plan shows of how its statement is written: comparisons that keep an index from use.

pub(super) mod collation_mismatch;
pub(super) mod implicit_conversion;
mod join;
mod note;
