//! What the rules of the workload look at.

use crate::advice::query_cache::Settings;
use crate::advice::variables::keeps_some_kinds;
use crate::advice::{Class, Confidence, Fact, Finding, Recommendation, Rule, Severity, Workload};
use crate::amount::Amount;
use crate::schema::Schema;
use crate::server::monitor::Range;
use crate::server::{ServerFacts, Version};
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

    /// Classes with events inside of stored routines. Their times are those of the routine, and the
    /// CALL has them too.
    pub fn in_routines(&self) -> impl Iterator<Item = &'a Class<'a>> {
        self.classes().filter(|(_, measured)| measured.in_routines > 0).map(|(class, _)| class)
    }

    /// Microseconds of all events.
    pub fn micros(&self) -> Option<u64> {
        Some(self.whole.measured.time.as_ref()?.sum)
    }

    /// Microseconds of all events outside of stored routines, which would count twice.
    pub fn micros_outside_routines(&self) -> Option<u64> {
        let inside = self.in_routines().map(|class| class.micros.unwrap_or(0));
        Some(self.micros()?.saturating_sub(inside.fold(0, u64::saturating_add)))
    }

    /// Microseconds of the shortest event, where that is so long that shorter ones were not logged.
    pub fn floor(&self) -> Option<u64> {
        let is_short = self.stated_threshold() == Some(0);
        let least = self.whole.measured.time.as_ref()?.least;
        Some(least).filter(|least| *least >= SHORT && !is_short)
    }

    /// The server, by the variables, the schema or the log.
    pub fn version(&self) -> Option<Version> {
        let server = || {
            let server = self.workload.server.as_ref()?;
            Some(Version { family: server.family, ..Version::parse(&server.version)? })
        };
        self.facts.version().or_else(server)
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

    /// Whether the server says that it leaves statements out for another reason than their time.
    pub fn leaves_out(&self) -> bool {
        let variables = &self.facts.variables;
        let filter = variables.text("log_slow_filter");
        Settings::of(variables).is_filtered.is_some() || filter.is_some_and(keeps_some_kinds)
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

/// No server is so busy that none of its statements takes less: microseconds.
const SHORT: u64 = 1_000;

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

/// To two decimals, cut.
pub fn hundredths(amount: Amount) -> Amount {
    let hundred = Amount::whole(100);
    let whole = u64::try_from(amount.times(hundred).floor()).unwrap_or(u64::MAX);
    Amount::whole(whole).ratio(hundred).unwrap_or(amount)
}

/// A percentage as people say it: `34 %`, `4.2 %`, `0.15 %`.
pub fn percentage(percent: Amount) -> String {
    let hundredths = percent.times(Amount::whole(100)).rounded().floor();
    match hundredths {
        0 if percent == Amount::ZERO => "0 %".to_owned(),
        0 => "below 0.01 %".to_owned(),
        1..100 => format!("0.{hundredths:02} %"),
        100..1_000 => format!("{}.{} %", hundredths / 100, hundredths % 100 / 10),
        _ => format!("{} %", percent.rounded()),
    }
}

/// Microseconds as people say them: `350 us`, `12.4 ms`, `7.1 s`; cut behind the first decimal.
pub fn time(micros: u64) -> String {
    let (unit, whole) = match micros {
        0..1_000 => return format!("{micros} us"),
        1_000..1_000_000 => ("ms", 1_000),
        _ => ("s", 1_000_000),
    };
    match (micros / whole, micros % whole * 10 / whole) {
        (units, 1..) if units < 100 => format!("{units}.{} {unit}", micros % whole * 10 / whole),
        (units, _) => format!("{} {unit}", Amount::whole(units).grouped()),
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
        evidence,
        recommendation: Recommendation { text: advice.to_owned(), ..Recommendation::default() },
        verify: verify.to_owned(),
        ..Finding::new(rule, severity, confidence, title)
    }
}
