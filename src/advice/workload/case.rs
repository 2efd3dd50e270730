//! What the rules of the workload look at.

use crate::advice::{
    Class, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject, Workload,
};
use crate::plan::Amount;
use crate::schema::Schema;
use crate::server::ServerFacts;
use crate::sql::fingerprint::ClassId;

use super::watch::Observed;
use super::{Measured, Whole};

/// A load, and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The classes, by ID.
    pub workload: &'a Workload<'a>,
    /// The log as a whole.
    pub whole: &'a Whole,
    /// What it tells event by event.
    pub seen: Option<&'a Observed>,
    /// What is known of the server.
    pub facts: &'a ServerFacts,
    /// The tables.
    pub schema: Option<&'a Schema>,
}

impl<'a> Case<'a> {
    /// The class with this ID; `None` for one that is not looked at.
    pub fn class(&self, id: ClassId) -> Option<&'a Class<'a>> {
        let classes = &self.workload.classes;
        let place = classes.binary_search_by_key(&id, |class| class.id).ok()?;
        classes.get(place)
    }

    /// Classes with what the log measured of each.
    pub fn classes(&self) -> impl Iterator<Item = (&'a Class<'a>, &'a Measured)> {
        self.workload.classes.iter().filter_map(|class| Some((class, class.measured.as_ref()?)))
    }

    /// Microseconds of all events.
    pub fn micros(&self) -> Option<u64> {
        Some(self.whole.measured.time.as_ref()?.sum)
    }

    /// Percent that some microseconds are of all.
    pub fn share(&self, micros: u64) -> Option<Amount> {
        percent(micros, self.micros()?)
    }
}

/// Percent that a part is of a whole; `None` of nothing.
pub fn percent(part: u64, whole: u64) -> Option<Amount> {
    Some(Amount::whole(part).ratio(Amount::whole(whole))?.times(Amount::whole(100)))
}

/// Microseconds as seconds.
pub fn seconds(micros: u64) -> Amount {
    Amount::whole(micros).ratio(Amount::whole(1_000_000)).unwrap_or(Amount::ZERO)
}

/// A finding of a rule, with evidence and advice; what it is about is added by the rule.
pub fn finding(
    rule: &Rule,
    (severity, confidence): (Severity, Confidence),
    title: String,
    evidence: Vec<Fact>,
    (advice, verify): (&str, &str),
) -> Finding {
    Finding {
        rule: rule.code,
        category: rule.category,
        severity,
        confidence,
        title,
        subject: Subject::default(),
        evidence,
        recommendation: Recommendation { text: advice.to_owned(), ..Recommendation::default() },
        benefit: None,
        verify: verify.to_owned(),
        queries: Vec::new(),
    }
}
