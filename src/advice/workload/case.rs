//! What the rules of the workload look at.

use crate::advice::{
    Class, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject, Workload,
};
use crate::plan::Amount;
use crate::schema::Schema;
use crate::server::ServerFacts;
use crate::server::monitor::Range;
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
    /// A load; `None` without a log.
    pub fn of(
        workload: &'a Workload<'a>,
        facts: &'a ServerFacts,
        schema: Option<&'a Schema>,
    ) -> Option<Case<'a>> {
        let whole = workload.whole.as_ref()?;
        Some(Case { workload, whole, seen: workload.seen.as_ref(), facts, schema })
    }

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

    /// Microseconds in which something was logged, long pauses left out; `None` where that is less
    /// than a second, over which no rate is told.
    pub fn active_micros(&self) -> Option<u64> {
        let active = self.seen.map(|seen| seen.regimes.active_micros());
        active.or_else(|| self.whole.measured.window()).filter(|micros| *micros >= 1_000_000)
    }

    /// How often something that was counted came in a second in which something was logged.
    pub fn per_second(&self, count: u64) -> Option<Amount> {
        Amount::whole(count).ratio(seconds(self.active_micros()?))
    }

    /// Microseconds from which on statements are logged, as the server says.
    pub fn stated_threshold(&self) -> Option<u64> {
        const NAMES: [&str; 2] = ["long_query_time", "log_slow_query_time"];
        let config = self.facts.config.as_ref().map(|config| config.values());
        let tell = [Some(&self.facts.variables), config];
        let mut told = tell.into_iter().flatten();
        told.find_map(|it| NAMES.iter().find_map(|name| it.micros(name)))
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

/// A number for people: whole from 100 on, else three digits that count.
pub fn short(amount: Amount) -> String {
    if amount >= Amount::whole(100) {
        return amount.grouped();
    }
    amount.short().to_string()
}

/// A range for people.
pub fn ranged(range: Range) -> String {
    match range.low == range.high {
        true => short(range.low),
        false => format!("{} to {}", short(range.low), short(range.high)),
    }
}

/// Microseconds for people: `12 s`, `88 us`.
pub fn lasting(micros: u64) -> String {
    let of = |parts| Amount::whole(micros).ratio(Amount::whole(parts)).unwrap_or(Amount::ZERO);
    match micros {
        1_000_000.. => format!("{} s", short(of(1_000_000))),
        1_000.. => format!("{} ms", short(of(1_000))),
        _ => format!("{micros} us"),
    }
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
