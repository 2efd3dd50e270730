//! Judgement: what is wrong, what shows it, what to do about it and how to see that it helped.
//!
//! Rules look; they do not print, connect or apply. [`plan::review`] has the rules of plans.

pub mod finding;
pub mod load;
pub mod plan;
mod rule;
mod sql;

pub use finding::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal,
    Recommendation, Severity, Subject, Value,
};
pub use rule::Rule;
