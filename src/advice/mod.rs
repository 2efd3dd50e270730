//! Judgement: what is wrong, what shows it, what to do about it and how to see that it helped.
//!
//! Rules look; they do not print, connect or apply. [`plan::review`] has the rules of plans.

pub mod finding;
pub mod load;
pub mod mask;
pub mod plan;
mod rule;
mod sql;
pub mod undo;
pub mod workload;

pub use finding::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal,
    Recommendation, Severity, Subject, Value,
};
pub use rule::Rule;
pub use workload::{Class, Workload};

use crate::schema::Schema;
use crate::sql::fingerprint::ClassId;

/// What there is to say on a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// Findings, those first that may save most.
    pub findings: Vec<Finding>,
    /// Indexes that were thought of and not proposed.
    pub rejected: Vec<Rejected>,
    /// Classes that no statement of which could be read.
    pub unread: Vec<Unread>,
}

/// An index that is not proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The index.
    pub index: IndexProposal,
    /// Why not: a whole sentence.
    pub reason: String,
    /// Query classes that it was thought of for.
    pub queries: Vec<ClassId>,
}

/// A class that is not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The class.
    pub query_id: ClassId,
    /// Why.
    pub reason: String,
}

/// Looks at a workload as a whole: which indexes it needs, and how its statements are written.
#[must_use]
pub fn advise(workload: &Workload<'_>, schema: Option<&Schema>) -> Advice {
    let _ = (workload, schema);
    Advice::default()
}
