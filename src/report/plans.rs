//! What a reader may see of plans: unformatted here, one format a file below.
//!
//! `review` says all of a plan as a page; `text` and `markdown` write any page, so that both show
//! the same.

pub mod diff;
pub mod json;
pub mod markdown;
pub mod text;

pub(super) mod figures;
mod limit;
pub(super) mod page;
pub(super) mod review;
mod steps;
mod words;
pub(super) mod wrap;

use crate::advice::Finding;
use crate::plan::Plan;
use crate::problem::Problem;

/// How much is said of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// The tree, the sums and the findings.
    Brief,
    /// Each step in words, in proportion to its rows.
    #[default]
    Usual,
    /// All meanings, and texts of any length.
    Full,
}

/// How a review for people is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of a line; fewer than 80 are taken as 80.
    pub width: usize,
    /// Whether colour is used.
    pub colour: bool,
    /// How much is said.
    pub depth: Depth,
}

impl Default for Look {
    fn default() -> Look {
        Look { width: 80, colour: false, depth: Depth::Usual }
    }
}

/// An input that was read for plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// As the user gave it.
    pub name: String,
    /// How it was packed, if it was.
    pub compression: Option<String>,
    /// Bytes of its plain text.
    pub bytes: u64,
    /// Plans found in it.
    pub plans: usize,
    /// What could not be read, first ones first.
    pub problems: Vec<Problem>,
    /// What it looks like, for an input without a plan.
    pub looks: &'static str,
}

/// A plan and what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    /// The place of its input.
    pub input: usize,
    /// The plan.
    pub plan: Plan,
    /// What rules have to say, the most severe first.
    pub findings: Vec<Finding>,
}

impl Reviewed {
    /// Whether that there is no finding means something: the plan is whole and tells its rows.
    pub fn is_judged(&self) -> bool {
        !self.plan.is_cut() && (self.plan.estimate().is_some() || !self.findings.is_empty())
    }
}

/// A plan of a query class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassPlan {
    /// The place of the class.
    pub class: usize,
    /// The file that holds it.
    pub source: String,
    /// Where its event begins, if the server wrote it into the log.
    pub logged_at: Option<u64>,
    /// The plan.
    pub plan: Plan,
    /// What rules have to say.
    pub findings: Vec<Finding>,
}

/// A plan that belongs to no class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanWithoutClass {
    /// The file that holds it.
    pub source: String,
    /// The line at which it begins.
    pub line: usize,
    /// Why.
    pub reason: &'static str,
}

/// The plans of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// What was read.
    pub inputs: Vec<Input>,
    /// Plans in their order.
    pub plans: Vec<Reviewed>,
    /// Plans that no statement was given for, where statements were given.
    pub plans_without_statement: usize,
    /// Statements that name no table of their plan, and were not given to it.
    pub statements_of_others: usize,
    /// Statements given that there was no plan for.
    pub statements_without_plan: usize,
}
