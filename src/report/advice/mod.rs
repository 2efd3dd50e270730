//! What a reader may see of a run of advice: complete and unformatted here, one format a file.

pub mod json;
pub mod markdown;
pub mod text;

mod chain;
mod page;
pub mod query_cache;
pub(super) mod script;

use crate::advice::Advice;
use crate::advice::query_cache::Simulated;
use crate::digest::stat::Rules;
use crate::plan::Amount;
use crate::problem::Problem;
use crate::report::plans::{self, PlanWithoutClass};
use crate::sql::fingerprint::ClassId;

use super::Input;

/// What a run of advice found.
#[derive(Debug)]
pub struct Advised {
    /// What was read.
    pub inputs: Vec<Source>,
    /// Files that plans were read from.
    pub plan_inputs: Vec<plans::Input>,
    /// Plans that belong to no statement.
    pub plans_without_class: Vec<PlanWithoutClass>,
    /// What there is to say.
    pub counsel: Counsel,
    /// What was given.
    pub evidence: Evidence,
    /// Microseconds of all statements, where times are known.
    pub whole_micros: Option<u64>,
    /// Microseconds from the first to the last event.
    pub window_micros: Option<u64>,
    /// How fingerprints are made.
    pub rules: Rules,
    /// Statements are reviewed that have not run yet.
    pub is_review: bool,
    /// The run was stopped before its end.
    pub partial: bool,
    /// The log, replayed through a query cache, where that was asked for.
    pub query_cache: Option<Simulated>,
}

/// Advice with what a reader needs to follow it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counsel {
    /// What there is to say.
    pub advice: Advice,
    /// The classes, by ID.
    pub classes: Vec<Line>,
}

/// An input.
#[derive(Debug)]
pub enum Source {
    /// A slow log.
    Log(Box<Input>),
    /// Plain statements.
    Statements(Statements),
}

/// An input of plain statements.
#[derive(Debug)]
pub struct Statements {
    /// As the user gave it.
    pub name: String,
    /// How it was packed, if it was.
    pub compression: Option<String>,
    /// Bytes of its plain text.
    pub bytes: u64,
    /// Statements in it.
    pub statements: u64,
    /// What could not be read, first ones first.
    pub problems: Vec<Problem>,
}

/// A class in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its ID.
    pub id: ClassId,
    /// Verb and tables.
    pub item: String,
    /// How many times it ran.
    pub calls: u64,
    /// Percent of the time, or of the weight, of all.
    pub share: Option<Amount>,
    /// Microseconds of all calls, where times are known.
    pub micros: Option<u64>,
}

/// What was given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    /// A log or statements.
    pub has_input: bool,
    /// The tables.
    pub has_schema: bool,
    /// How many rows a table of these has.
    pub has_rows: bool,
    /// Plans.
    pub has_plans: bool,
}

impl Source {
    /// As the user gave it.
    pub fn name(&self) -> &str {
        match self {
            Source::Log(input) => &input.name,
            Source::Statements(input) => &input.name,
        }
    }

    /// Events or statements in it.
    pub fn events(&self) -> u64 {
        match self {
            Source::Log(input) => input.tally.events,
            Source::Statements(input) => input.statements,
        }
    }

    /// Bytes of its plain text.
    pub fn bytes(&self) -> u64 {
        match self {
            Source::Log(input) => input.tally.bytes,
            Source::Statements(input) => input.bytes,
        }
    }
}

impl Counsel {
    /// Advice on classes.
    pub fn new(advice: Advice, mut classes: Vec<Line>) -> Counsel {
        classes.sort_by_key(|line| line.id);
        Counsel { advice, classes }
    }

    /// The class with this ID.
    pub fn line(&self, id: ClassId) -> Option<&Line> {
        let place = self.classes.binary_search_by_key(&id, |line| line.id).ok()?;
        self.classes.get(place)
    }
}

#[cfg(test)]
mod tests;
