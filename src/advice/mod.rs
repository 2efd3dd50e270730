//! Judgement: what is wrong, what shows it, what to do about it and how to see that it helped.
//!
//! Rules look; they do not print, connect or apply. [`plan::review`] has the rules of plans.

pub mod finding;
mod index;
pub mod load;
pub mod mask;
pub mod plan;
pub mod query_cache;
mod rule;
mod sql;
pub mod workload;

pub use finding::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal,
    Recommendation, Setting, Severity, Subject, Value, VariableChange,
};
pub use rule::Rule;
pub use workload::{Class, Workload};

use std::cmp::Reverse;

use crate::plan::Amount;
use crate::schema::Schema;
use crate::sql::analyze::{Refused, analyze};
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

/// All rules, by code, with the texts that people read.
#[must_use]
pub fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&Rule> =
        plan::rules().chain(sql::rules()).chain(index::catalogue::RULES.iter().copied()).collect();
    rules.extend(query_cache::rules());
    rules.sort_by_key(|rule| rule.code);
    rules.dedup_by_key(|rule| rule.code);
    rules
}

/// Looks at a workload as a whole: which indexes it needs, and how its statements are written.
#[must_use]
pub fn advise(workload: &Workload<'_>, schema: Option<&Schema>) -> Advice {
    let mut advice = Advice::default();
    // A fixed order, whatever that of the input.
    let mut classes: Vec<&Class<'_>> = workload.classes.iter().collect();
    classes.sort_by_key(|class| class.id.0);
    let mut analysed = Vec::new();
    for class in classes {
        let names = index::Names { schema, database: class.database.as_deref() };
        let mut refused = None;
        let read = class.samples.iter().find_map(|text| match analyze(text, &names) {
            Ok(shape) => Some(index::Analysed { class, text, shape }),
            Err(reason) => {
                refused.get_or_insert(reason);
                None
            }
        });
        match (read, refused) {
            (Some(read), _) => analysed.push(read),
            (None, Some(Refused::NotOfRows) | None) => {}
            (None, Some(reason)) => {
                let reason = reason.to_string();
                advice.unread.push(Unread { query_id: class.id, reason });
            }
        }
    }
    let (findings, rejected, unread) = index::advise(&analysed, workload, schema);
    advice.unread.extend(unread);
    advice.findings = findings;
    let whole: u64 = workload.classes.iter().filter_map(|class| class.micros).sum();
    for it in &analysed {
        let share = it.class.micros.filter(|_| workload.is_timed).and_then(|micros| {
            let share = Amount::whole(micros).ratio(Amount::whole(whole))?;
            Some(share.times(Amount::whole(100)))
        });
        advice.findings.extend(sql::read(&sql::Statement {
            class: it.class,
            shape: &it.shape,
            text: it.text,
            schema,
            share,
            is_review: workload.is_review,
        }));
    }
    advice.rejected = rejected;
    advice.findings.sort_by_key(|finding| {
        let micros = finding.benefit.map(|benefit| benefit.micros);
        (Reverse(micros), Reverse(finding.severity))
    });
    advice
}
