//! How a rule of variables says what it found.

use crate::advice::{
    Action, Confidence, Fact, Finding, Recommendation, Rule, Setting, Severity, Subject,
    VariableChange,
};
use crate::plan::Amount;

use super::case::{Case, Rates};

const KIB: u64 = 1_024;
const MIB: u64 = 1_024 * KIB;
const GIB: u64 = 1_024 * MIB;

/// A finding in the making.
#[derive(Debug)]
pub struct Say<'a> {
    case: &'a Case<'a>,
    finding: Finding,
    /// Seconds of a stretch too short to rest on.
    short: Option<u64>,
}

/// What a variable is to be.
#[derive(Debug, Clone)]
pub struct To {
    value: Setting,
    /// As the option file takes it.
    line: String,
}

/// A size in bytes.
pub fn bytes(number: u64) -> To {
    To { value: Setting::Number(Amount::whole(number)), line: short_bytes(number) }
}

/// A number without unit.
pub fn count(number: u64) -> To {
    To { value: Setting::Number(Amount::whole(number)), line: number.to_string() }
}

/// Anything else.
pub fn word(text: &str) -> To {
    To { value: Setting::Word(text.to_owned()), line: text.to_owned() }
}

/// When a change takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// While the server runs.
    Now,
    /// When it starts the next time.
    Restart,
}

impl When {
    /// While the server runs, if so.
    pub fn now_if(is_dynamic: bool) -> When {
        if is_dynamic { When::Now } else { When::Restart }
    }
}

/// Begins a finding.
pub fn say<'a>(
    case: &'a Case<'a>,
    rule: &Rule,
    severity: Severity,
    confidence: Confidence,
    title: impl Into<String>,
) -> Say<'a> {
    let finding = Finding {
        rule: rule.code,
        category: rule.category,
        severity,
        confidence,
        title: sentence(title.into()),
        subject: Subject::default(),
        evidence: Vec::new(),
        recommendation: Recommendation::default(),
        benefit: None,
        verify: String::new(),
        queries: Vec::new(),
    };
    Say { case, finding, short: None }
}

/// A text with a capital at its head, unless that is the name of a variable.
fn sentence(text: String) -> String {
    let head = text.split(' ').next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !head.contains('_') => first.to_uppercase().chain(letters).collect(),
        _ => text,
    }
}

impl Say<'_> {
    /// The variable it is about, with its present value as evidence.
    pub fn about(mut self, name: &'static str) -> Self {
        self.finding.subject.variable = Some(name.to_owned());
        if let Some(value) = self.case.text(name) {
            let fact = match self.case.number(name) {
                Some(number) => Fact::number(name, Amount::whole(number)),
                None => Fact::text(name, value),
            };
            self.finding.evidence.push(fact);
        }
        self
    }

    /// A number that was seen.
    pub fn seen(self, name: &'static str, number: u64) -> Self {
        self.amount(name, Amount::whole(number))
    }

    /// A number that was computed.
    pub fn amount(mut self, name: &'static str, amount: Amount) -> Self {
        self.finding.evidence.push(Fact::number(name, amount));
        self
    }

    /// A text that was seen.
    pub fn text(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.finding.evidence.push(Fact::text(name, text));
        self
    }

    /// Several texts that were seen.
    pub fn list(mut self, name: &'static str, texts: Vec<String>) -> Self {
        self.finding.evidence.push(Fact::list(name, texts));
        self
    }

    /// The stretch that the counters are of.
    pub fn over(mut self, rates: &Rates<'_>) -> Self {
        let stretch = match rates.window.is_interval() {
            true => "between two samples",
            false => "since the start of the server",
        };
        self.finding.evidence.push(Fact::text("counted", stretch));
        self.finding.evidence.push(Fact::number("window_seconds", Amount::whole(rates.seconds())));
        self.short = rates.is_short().then(|| rates.seconds());
        self
    }

    /// What to do, in whole sentences.
    pub fn advise(mut self, text: impl Into<String>) -> Self {
        self.finding.recommendation.text = text.into();
        self
    }

    /// How to see that it helped.
    pub fn verify(mut self, text: impl Into<String>) -> Self {
        self.finding.verify = text.into();
        self
    }

    /// A value to set. Nothing is said where it is that already, or where the server does not have
    /// the variable.
    pub fn set(mut self, name: &str, to: To, when: When) -> Self {
        let from = self.case.text(name).map(|text| match self.case.number(name) {
            Some(number) => Setting::Number(Amount::whole(number)),
            None => Setting::Word(text.to_owned()),
        });
        let is_so = match (&from, &to.value) {
            (Some(Setting::Word(from)), Setting::Word(to)) => from.eq_ignore_ascii_case(to),
            (from, to) => from.as_ref() == Some(to),
        };
        let is_lacking = from.is_none() && !self.case.facts.variables.is_empty();
        if is_so || is_lacking {
            return self;
        }
        let todo = &mut self.finding.recommendation;
        todo.action = Action::Set;
        todo.variables.push(VariableChange {
            name: name.to_owned(),
            from,
            to: to.value,
            option_line: format!("{name} = {}", to.line),
            restart: when == When::Restart,
        });
        self
    }

    /// The finding.
    pub fn end(self) -> Finding {
        let Say { case, mut finding, short } = self;
        if let Some(seconds) = short {
            // A server that has just started reads its tables and opens its files.
            finding.severity = Severity::Info;
            finding.confidence = Confidence::Low;
            let todo = &mut finding.recommendation;
            todo.action = Action::None;
            todo.variables.clear();
            todo.text = format!(
                "No change yet: the uptime of {seconds} s is too short for counters to tell. Give \
                 two samples of SHOW GLOBAL STATUS, or one after an hour of the usual load."
            );
        } else if case.version.is_some_and(|it| it.family == crate::flavor::Family::TiDb) {
            finding.recommendation = Recommendation::default();
        }
        finding
    }
}

/// What is set for a stretch of time and then set back: a restart should not find it.
const FOR_A_WHILE: &[&str] = &[
    "long_query_time",
    "log_slow_query_time",
    "slow_query_log",
    "log_slow_query",
    "log_slow_queries",
    "min_examined_row_limit",
    "log_slow_min_examined_row_limit",
    "log_slow_rate_limit",
    "log_slow_filter",
    "log_slow_disabled_statements",
    "log_throttle_queries_not_using_indexes",
];

/// Writes the changes of a finding as statements and lines of the option file: once, when no
/// change will be taken back any more.
pub fn write_down(case: &Case<'_>, finding: &mut Finding) {
    let todo = &mut finding.recommendation;
    if todo.variables.is_empty() {
        return;
    }
    let needs_restart = todo.variables.iter().any(|it| it.restart);
    let effect = match needs_restart {
        true => "It takes effect with a restart.",
        false => "No restart is needed.",
    };
    if let Some(provider) = case.provider {
        let lines: Vec<&str> = todo.variables.iter().map(|it| it.option_line.as_str()).collect();
        let text = format!(" Set it in {}: {}. {effect}", provider.place(), lines.join("; "));
        todo.text.push_str(&text);
        return;
    }
    todo.text.push_str(&format!(" {effect}"));
    for change in todo.variables.iter().filter(|it| !it.restart) {
        let name = &change.name;
        let persists = case.is_mysql_from(8, 0, 0) && !FOR_A_WHILE.contains(&name.as_str());
        let verb = if persists { "PERSIST" } else { "GLOBAL" };
        todo.sql.push(format!("SET {verb} {name} = {}", change.to.sql()));
        let back = change.from.as_ref().map_or("DEFAULT".to_owned(), Setting::sql);
        todo.undo.push(format!("SET GLOBAL {name} = {back}"));
        if persists {
            todo.undo.push(format!("RESET PERSIST IF EXISTS {name}"));
        }
    }
    // Nor does it belong into the option file.
    for change in &mut todo.variables {
        if FOR_A_WHILE.contains(&change.name.as_str()) {
            change.option_line.clear();
        }
    }
    if needs_restart {
        todo.text.push_str(" To undo it, take the line out again and restart.");
    }
}

/// Takes the changes back that a finding proposes, and says why.
pub fn withdraw(finding: &mut Finding, is_out: impl Fn(&VariableChange) -> bool, why: &str) {
    let todo = &mut finding.recommendation;
    let before = todo.variables.len();
    todo.variables.retain(|it| !is_out(it));
    if todo.variables.len() == before {
        return;
    }
    if todo.variables.is_empty() {
        todo.action = Action::None;
    }
    todo.text = format!("{why} {}", todo.text);
}

/// A size for people: `6.0 GiB`, `512 MiB`, `16 kB` is `16.0 KiB`.
pub fn size(number: u64) -> String {
    let (unit, name) = match number {
        GIB.. => (GIB, "GiB"),
        MIB.. => (MIB, "MiB"),
        KIB.. => (KIB, "KiB"),
        _ => return format!("{number} bytes"),
    };
    let tenths = (u128::from(number) * 10 + u128::from(unit) / 2) / u128::from(unit);
    match tenths % 10 {
        0 => format!("{} {name}", tenths / 10),
        rest => format!("{}.{rest} {name}", tenths / 10),
    }
}

/// A size as the option file takes it: with a unit where that is exact.
fn short_bytes(number: u64) -> String {
    match number {
        0 => "0".to_owned(),
        it if it % GIB == 0 => format!("{}G", it / GIB),
        it if it % MIB == 0 => format!("{}M", it / MIB),
        it if it % KIB == 0 => format!("{}K", it / KIB),
        it => it.to_string(),
    }
}

/// The next multiple of a step.
pub fn up_to(number: u64, step: u64) -> u64 {
    number.div_ceil(step.max(1)).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_with_a_unit() {
        assert_eq!(size(6 * GIB), "6 GiB");
        assert_eq!(size(GIB + GIB / 2), "1.5 GiB");
        assert_eq!(size(314_572_800), "300 MiB");
        assert_eq!(size(16_384), "16 KiB");
        assert_eq!(size(128), "128 bytes");
        assert_eq!(short_bytes(6 * GIB), "6G");
        assert_eq!(short_bytes(262_144), "256K");
        assert_eq!(short_bytes(999_999), "999999");
        assert_eq!(up_to(7, 4), 8);
        assert_eq!(up_to(8, 4), 8);
    }
}
