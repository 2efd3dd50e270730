//! What the rules of the query cache look at, and how they say what they saw.

use crate::advice::{Action, Benefit, Fact, Finding, Setting, VariableChange};
use crate::plan::Amount;

use super::settings::Settings;
use super::simulator::Outcome;
use super::{Point, Simulated};

/// Everything that is known.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The settings of the server.
    pub settings: &'a Settings,
    /// The log, replayed.
    pub simulated: &'a Simulated,
    /// Cores of the machine.
    pub cores: Option<u64>,
}

/// What a replayed log adds up to.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Microseconds that all SELECTs took, or would have taken without a cache.
    pub read_micros: u64,
    /// Microseconds of all statements, counted so.
    pub whole_micros: u64,
    /// SELECTs.
    pub selects: u64,
    /// Seconds from the first to the last event, at least one.
    pub seconds: u64,
}

impl<'a> Case<'a> {
    /// The replayed log, unless it tells nothing.
    pub fn replayed(&self) -> Option<&'a Simulated> {
        Some(self.simulated).filter(|it| it.refused.is_none())
    }

    /// What the cache in use does by the replay.
    pub fn present(&self) -> Option<&'a Outcome> {
        let simulated = self.replayed().filter(|it| it.has_present)?;
        simulated.sizes.first().map(|it| &it.outcome)
    }

    /// What the cache does by the replay: that in use, or one with room for all.
    pub fn any(&self) -> Option<&'a Outcome> {
        let simulated = self.replayed()?;
        simulated.sizes.first().map(|it| &it.outcome).or(simulated.widest.as_ref())
    }

    /// The load of the replayed log.
    pub fn load(&self) -> Option<Load> {
        self.replayed().map(load_of)
    }

    /// The smallest size of the curve that saves nearly all that any does: 95 of 100.
    pub fn knee(&self) -> Option<Point> {
        let curve = &self.replayed()?.curve;
        let most = curve.iter().map(|it| it.saved_micros).max().filter(|it| *it > 0)?;
        let enough = |it: &&Point| u128::from(it.saved_micros) * 100 >= u128::from(most) * 95;
        curve.iter().find(enough).copied()
    }

    /// Whether the cache in use saves so much that few hits do not matter: a fifth of the time.
    #[must_use]
    pub fn saves_much(&self) -> bool {
        match (self.present(), self.load()) {
            (Some(outcome), Some(load)) => is_share(outcome.saved_micros, load.read_micros, 20),
            _ => false,
        }
    }
}

/// The load of a log.
pub fn load_of(simulated: &Simulated) -> Load {
    let log = &simulated.log;
    let reads = log.classes.iter().filter(|class| class.is_select);
    let mut load = Load { read_micros: 0, whole_micros: 0, selects: 0, seconds: 1 };
    for class in reads {
        let (calls, micros) = class.computed;
        // Hits are counted with what they would have taken.
        let mean = micros.checked_div(calls).unwrap_or(0);
        let hits = class.calls.saturating_sub(calls);
        load.read_micros += micros.saturating_add(mean.saturating_mul(hits));
        load.selects += class.calls;
    }
    let others = log.classes.iter().filter(|class| !class.is_select).map(|class| class.micros);
    load.whole_micros = others.fold(load.read_micros, u64::saturating_add);
    if let Some((first, last)) = log.window {
        let seconds = last.saturating_sub(first) / crate::time::SECOND;
        load.seconds = u64::try_from(seconds).unwrap_or(1).max(1);
    }
    load
}

/// Whether one number is at least so many hundredths of another.
pub fn is_share(part: u64, whole: u64, percent: u64) -> bool {
    whole > 0 && u128::from(part) * 100 >= u128::from(whole) * u128::from(percent)
}

/// One number in hundredths of another, rounded down.
pub fn percent(part: u64, whole: u64) -> u64 {
    let percent = (u128::from(part) * 100).checked_div(u128::from(whole)).unwrap_or(0);
    u64::try_from(percent).unwrap_or(u64::MAX)
}

/// Microseconds as seconds.
pub fn seconds(micros: u64) -> Amount {
    Amount::whole(micros).ratio(Amount::whole(1_000_000)).unwrap_or_default()
}

/// A size in a unit people read.
pub fn shown(bytes: u64) -> String {
    match bytes {
        it if it >= 1 << 30 && it % (1 << 30) == 0 => format!("{} GiB", it >> 30),
        it if it >= 1 << 20 => format!("{} MiB", it >> 20),
        it if it >= 1 << 10 => format!("{} KiB", it >> 10),
        it => format!("{it} bytes"),
    }
}

/// A number that was seen.
pub fn seen(finding: &mut Finding, name: &'static str, number: u64) {
    finding.evidence.push(Fact::number(name, Amount::whole(number)));
}

/// What may be saved of the time of reading.
pub fn saves(finding: &mut Finding, micros: u64, load: Load) {
    let Load { read_micros: of_micros, whole_micros, .. } = load;
    finding.benefit = Some(Benefit { micros: micros.min(of_micros), of_micros, whole_micros });
}

/// A variable of the cache that is set: how it is done and undone. Nothing where it is so already.
pub fn set(finding: &mut Finding, name: &str, from: Option<Setting>, to: Setting, restart: bool) {
    if from.as_ref() == Some(&to) {
        return;
    }
    let todo = &mut finding.recommendation;
    todo.action = Action::Set;
    if finding.subject.variable.is_none() {
        finding.subject.variable = Some(name.to_owned());
    }
    let plain = match &to {
        Setting::Number(number) => number.to_string(),
        Setting::Word(word) => word.clone(),
    };
    let option_line = format!("{name} = {plain}");
    if !restart {
        todo.sql.push(format!("SET GLOBAL {name} = {plain}"));
        let back = match &from {
            Some(Setting::Number(number)) => number.to_string(),
            Some(Setting::Word(word)) => word.clone(),
            None => "DEFAULT".to_owned(),
        };
        // What was set last is taken back first.
        todo.undo.insert(0, format!("SET GLOBAL {name} = {back}"));
    }
    todo.variables.push(VariableChange { name: name.to_owned(), from, to, option_line, restart });
}

/// The lines of the option file, and whether a restart is needed, behind the advice.
pub fn close(mut finding: Finding) -> Finding {
    let todo = &mut finding.recommendation;
    if !todo.variables.is_empty() {
        let lines: Vec<&str> = todo.variables.iter().map(|it| it.option_line.as_str()).collect();
        let effect = match todo.variables.iter().any(|it| it.restart) {
            true => "It takes effect with a restart.",
            false => "No restart is needed.",
        };
        let lines = lines.join("; ");
        todo.text.push_str(&format!(" In the option file, below [mysqld]: {lines}. {effect}"));
    }
    finding
}

/// A size as a value of a variable.
pub fn bytes(number: u64) -> Setting {
    Setting::Number(Amount::whole(number))
}

/// A word as a value of a variable.
pub fn word(text: &str) -> Setting {
    Setting::Word(text.to_owned())
}

impl Settings {
    /// `query_cache_type` as it is printed.
    pub fn kind_word(&self) -> Option<Setting> {
        use super::settings::Type;
        self.kind.map(|kind| {
            word(match kind {
                Type::Off => "OFF",
                Type::On => "ON",
                Type::Demand => "DEMAND",
            })
        })
    }
}
