//! Before and after: what changed, and whether it helped.

pub mod plans;
