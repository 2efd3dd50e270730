//! The chain of evidence: what the numbers of a load force, link by link, what each rules out, and
//! what to look at next. A link is a claim that somebody could make, tested by arithmetic; one that
//! does not hold is told with what it falls short by.
//!
//! The order is that of an investigation: whether the log shows the load at all, where its time is,
//! what that time is not, and then what else was seen while it ran.

mod cache;
mod cause;
mod time;
mod validity;

use crate::advice::query_cache::Simulated;
use crate::advice::workload::Case;
use crate::advice::{Fact, Finding};

/// What arithmetic says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Holds,
    /// The numbers contradict it, or it explains too little.
    Fails,
    /// A number is missing.
    Open,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "does-not-hold",
            Verdict::Open => "open",
        }
    }
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What arithmetic says of the claim.
    pub verdict: Verdict,
    /// The claim: a sentence without its stop.
    pub claim: String,
    /// The numbers that force it, in words.
    pub because: String,
    /// What is no longer to be looked at.
    pub rules_out: Option<String>,
    /// What to look at next.
    pub next: Option<String>,
    /// The rule that says more.
    pub rule: Option<&'static str>,
    /// The numbers.
    pub evidence: Vec<Fact>,
}

impl Link {
    fn new(verdict: Verdict, claim: impl Into<String>, because: impl Into<String>) -> Link {
        Link {
            verdict,
            claim: claim.into(),
            because: because.into(),
            rules_out: None,
            next: None,
            rule: None,
            evidence: Vec::new(),
        }
    }

    fn ruling_out(mut self, what: impl Into<String>) -> Link {
        self.rules_out = Some(what.into());
        self
    }

    fn then(mut self, next: impl Into<String>) -> Link {
        self.next = Some(next.into());
        self
    }

    fn by(mut self, rule: &'static str) -> Link {
        self.rule = Some(rule);
        self
    }

    fn with(mut self, facts: impl IntoIterator<Item = Fact>) -> Link {
        self.evidence.extend(facts);
        self
    }
}

/// What links are made of.
pub(super) struct Ground<'a> {
    /// The load.
    pub case: Case<'a>,
    /// What there is to say on it.
    pub findings: &'a [Finding],
    /// The log, replayed through a query cache.
    pub replayed: Option<&'a Simulated>,
}

impl Ground<'_> {
    fn finding(&self, rule: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.rule == rule)
    }
}

/// The links of a load. `findings` are those that are told of it.
#[must_use]
pub fn chain(case: Case<'_>, findings: &[Finding], replayed: Option<&Simulated>) -> Vec<Link> {
    let ground = Ground { case, findings, replayed };
    let links: [fn(&Ground<'_>) -> Option<Link>; 13] = [
        validity::shown,
        validity::threshold,
        validity::stretches,
        time::few_classes,
        time::locks,
        time::reads,
        time::rows,
        cache::pays,
        time::at_once,
        validity::transactions,
        cause::sorts,
        cause::sorted_rows,
        cause::processors,
    ];
    links.iter().filter_map(|link| link(&ground)).collect()
}

#[cfg(test)]
mod tests;
