//! WORK001.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::amount::Amount;
use crate::server::monitor::{Figure, Range};

use super::case::{Case, finding, ranged, seconds, short, time};
use super::hidden;

rule! {
    /// The log hides most of the load: what ran faster than its threshold is not in it.
    ///
    /// **Costs.** What a digest calls the worst statement may be a small part of what the server
    /// does, and a remedy for it changes little.
    /// **Wrong when.** The log is for alarms only. The figures compared are of other hours than the
    /// log, or of several servers. A sampled log, whose rate is known, is no hiding.
    /// **Verify.** Log all statements of a few minutes: events of the log by Questions of the same
    /// stretch at least 90 %.
    /// **Source.** MySQL manual, slow query log; seconds between two SHOW GLOBAL STATUS. Without
    /// either the part below the threshold is guessed from the times above it.
    Workload "WORK001" "log-hides-load"
}

/// Percent of the statements below which the log hides most.
const MOST_SHOWN: u64 = 50;
/// Percent of the time that has to be hidden by the least guess.
const LEAST_GUESSED: f64 = 30.0;
/// Events without which the shortest one says nothing.
const LEAST_EVENTS: u64 = 30;
/// Percent by which the two stretches that are compared may differ.
const MOST_APART: u64 = 10;

/// Who tells how many statements ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Two samples of the counters, as far apart as the log is long.
    Counters,
    /// Statements a second that a monitor showed.
    Statements,
    /// Transactions a second that a monitor showed: each has a statement at least.
    Transactions,
}

/// How much of what ran is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// Events a second.
    pub logged: Amount,
    /// What ran a second.
    pub ran: Range,
    /// Who tells so.
    pub source: Source,
    /// Percent of the statements at most, and at least where that is known.
    pub most: Amount,
    /// The least.
    pub least: Option<Amount>,
}

impl Coverage {
    /// What is known; `None` where nothing but the log is, or where the log is a sample.
    pub fn of(case: &Case<'_>) -> Option<Coverage> {
        if case.whole.sampled.is_some() {
            return None;
        }
        let events = case.whole.measured.events;
        let told = |figure| case.facts.monitor.get(figure);
        let (ran, source) = told(Figure::Statements)
            .map(|range| (range, Source::Statements))
            .or_else(|| Some((counted(case)?, Source::Counters)))
            .or_else(|| Some((told(Figure::Transactions)?, Source::Transactions)))?;
        // Counters go on while nothing is logged; what a monitor shows is of the load.
        let logged = match source {
            Source::Counters => Amount::whole(events).ratio(seconds(case.whole.measured.window()?)),
            _ => case.per_second(events),
        }?;
        let hundred = Amount::whole(100);
        let part = |whole| Some(logged.ratio(whole)?.times(hundred).min(hundred));
        let least = part(ran.high).filter(|_| source != Source::Transactions);
        Some(Coverage { logged, ran, source, most: part(ran.low)?, least })
    }

    /// Whether most of what ran is not in the log.
    pub fn hides_most(&self) -> bool {
        self.most < Amount::whole(MOST_SHOWN)
    }

    /// What ran, in words.
    pub fn ran(&self) -> String {
        match self.source {
            Source::Transactions => {
                format!(
                    "{} transactions a second ran, each of a statement at least",
                    ranged(self.ran)
                )
            }
            _ => format!("{} statements a second ran", ranged(self.ran)),
        }
    }

    /// The part that is logged, in words.
    pub fn part(&self) -> String {
        match self.least.filter(|least| *least != self.most) {
            Some(least) => format!("{} to {} %", short(least), short(self.most)),
            None if self.source == Source::Transactions => {
                format!("{} % at most", short(self.most))
            }
            None => format!("{} %", short(self.most)),
        }
    }
}

/// Whether counters tell of the time of the log, as far as its length and its events show.
pub fn are_of_log(case: &Case<'_>) -> bool {
    counted(case).is_some()
}

/// Statements a second between two samples that are as far apart as the log is long.
fn counted(case: &Case<'_>) -> Option<Range> {
    let window = case.facts.status.window().filter(|window| window.is_interval())?;
    let (length, own) = (window.seconds.saturating_mul(1_000_000), case.whole.measured.window()?);
    let apart = length.abs_diff(own);
    (apart.saturating_mul(100) <= length.saturating_mul(MOST_APART)).then_some(())?;
    let questions = Amount::whole(window.grown("questions")?);
    let ran = questions.ratio(Amount::whole(window.seconds))?;
    // Fewer statements than the log has: the counters are of another time.
    let logged = Amount::whole(case.whole.measured.events).ratio(seconds(own))?;
    (ran.times(Amount::whole(100 + MOST_APART)) >= logged.times(Amount::whole(100)))
        .then(|| Range::of(ran))
}

/// Microseconds from which on statements seem to be logged; `None` where that is all of them.
pub fn threshold(case: &Case<'_>) -> Option<u64> {
    let times = case.whole.measured.time.as_ref()?;
    case.floor().filter(|_| times.count >= LEAST_EVENTS && case.whole.is_fine)
}

/// Percent of the time that is hidden, by the logged classes alone: least and greatest guess.
pub fn guessed(case: &Case<'_>) -> Option<(f64, f64)> {
    /// Classes with most time that are looked at: a guess is no better with more.
    const CLASSES: usize = 20;
    let threshold = threshold(case).filter(|_| case.whole.sampled.is_none())?;
    let mut times: Vec<_> = case.classes().filter_map(|(_, own)| own.time.as_ref()).collect();
    times.sort_by_key(|times| std::cmp::Reverse((times.sum, times.count, times.least)));
    let (mut low, mut high, mut is_told) = (0.0, 0.0, false);
    for times in times.into_iter().take(CLASSES) {
        let Some(share) = hidden::share(times, threshold) else { continue };
        let micros = |share: f64| times.sum as f64 * share / (1.0 - share);
        low += micros(share.0);
        high += micros(share.1);
        is_told = true;
    }
    let logged = case.micros()? as f64;
    let percent = |hidden: f64| hidden / (hidden + logged) * 100.0;
    is_told.then(|| (percent(low), percent(high)))
}

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let told = match Coverage::of(case) {
        Some(coverage) => coverage.hides_most().then(|| measured(case, &coverage)),
        None => {
            guessed(case).filter(|(least, _)| *least >= LEAST_GUESSED).map(|it| guess(case, it))
        }
    };
    told.into_iter().collect()
}

fn measured(case: &Case<'_>, coverage: &Coverage) -> Finding {
    let title = format!(
        "the log hides most of the load: {} events a second are in it, {}: {}",
        short(coverage.logged),
        coverage.ran(),
        coverage.part()
    );
    let confidence = match coverage.source {
        Source::Counters => Confidence::High,
        _ => Confidence::Medium,
    };
    let mut evidence = vec![
        Fact::number("events", Amount::whole(case.whole.measured.events)),
        Fact::number("events_per_second", coverage.logged),
        Fact::number("coverage_percent_most", coverage.most),
    ];
    evidence.extend(coverage.least.map(|it| Fact::number("coverage_percent_least", it)));
    let name = match coverage.source {
        Source::Transactions => ["transactions_per_second_least", "transactions_per_second_most"],
        _ => ["statements_per_second_least", "statements_per_second_most"],
    };
    evidence.push(Fact::number(name[0], coverage.ran.low));
    evidence.push(Fact::number(name[1], coverage.ran.high));
    lower(case, finding(&RULE, (Severity::High, confidence), title, evidence, TEXTS))
}

fn guess(case: &Case<'_>, (least, most): (f64, f64)) -> Finding {
    let title = format!(
        "statements below {} are not in the log; by the times above it they are {least:.0} to \
         {most:.0} % of the time",
        threshold(case).map_or(String::new(), time)
    );
    let number = |percent: f64| Amount::whole(percent.round() as u64);
    let evidence = vec![
        Fact::number("hidden_percent_least", number(least)),
        Fact::number("hidden_percent_most", number(most)),
        Fact::text("wants", "--observed qps=N, or --status before and after the log, to know it"),
    ];
    lower(case, finding(&RULE, (Severity::Medium, Confidence::Low), title, evidence, TEXTS))
}

/// Advice and the way to check it.
const TEXTS: (&str, &str) = (
    "Log all statements of a few minutes under the same load, then read that log. Sessions that are \
     open keep the value they began with: connect anew, or wait until pools have. A statement takes \
     300 to 1,000 bytes of log: see that the disk has room. Set the old value again afterwards.",
    "Events of the next log by Questions of the same stretch: 90 % or more.",
);

/// Adds how a threshold is lowered.
fn lower(case: &Case<'_>, mut finding: Finding) -> Finding {
    finding
        .evidence
        .extend(threshold(case).map(|it| Fact::number("effective_threshold_seconds", seconds(it))));
    let stated = case.stated_threshold();
    let Some(micros) = stated.filter(|micros| *micros > 0) else {
        // Without the present value there is no way back to tell.
        if stated.is_none() {
            finding.recommendation.sql = vec![
                "SELECT @@GLOBAL.long_query_time".to_owned(),
                "SET GLOBAL long_query_time = 0".to_owned(),
            ];
        }
        return finding;
    };
    finding.evidence.push(Fact::number("long_query_time_seconds", seconds(micros)));
    let todo = &mut finding.recommendation;
    todo.sql = vec!["SET GLOBAL long_query_time = 0".to_owned()];
    todo.undo = vec![format!("SET GLOBAL long_query_time = {}", seconds(micros))];
    finding
}

/// A fraction, as `facts` tell it.
pub fn fact(case: &Case<'_>) -> Option<Fact> {
    let coverage = Coverage::of(case)?;
    let part = coverage.least.unwrap_or(coverage.most);
    Some(Fact::number("coverage", part.ratio(Amount::whole(100))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::fixture::Load;

    /// 600 events of 12 s within 600 s: one a second.
    fn load() -> Load {
        Load::new(&[(600, 12_000_000)], 600)
    }

    #[track_caller]
    fn check(load: &Load, want: Option<(Severity, Confidence)>) {
        let told = look(&load.case());
        assert_eq!(told.first().map(|it| (it.severity, it.confidence)), want, "{told:?}");
    }

    #[test]
    fn statements_of_a_monitor_or_of_counters_show_what_is_hidden() {
        check(&load().seen("qps=2"), None);
        // A second of 2.5 is 40 %.
        check(&load().seen("qps=2.5"), Some((Severity::High, Confidence::Medium)));
        // At least 40 %, at most 50 %: it may be half.
        check(&load().seen("qps=2..2.5"), None);
        check(&load().counted("Questions", 60_000, 600), Some((Severity::High, Confidence::High)));
        check(&load().counted("Questions", 660, 600), None);
        // The log has 600 events; whoever counted 60 did so at another time.
        let load_of_other_time = load().counted("Questions", 60, 600);
        assert_eq!(Coverage::of(&load_of_other_time.case()), None);
        // Counters of another hour: the log is of ten minutes.
        check(&load().counted("Questions", 60_000, 3_600), None);
    }

    #[test]
    fn a_transaction_has_a_statement_at_least() {
        check(&load().seen("tps=1"), None);
        check(&load().seen("tps=3"), Some((Severity::High, Confidence::Medium)));
        let load = load().seen("tps=100");
        let coverage = Coverage::of(&load.case()).unwrap();
        assert_eq!((coverage.most, coverage.least), (Amount::ONE, None));
        assert_eq!(coverage.part(), "1 % at most");
    }

    #[test]
    fn a_sample_hides_nothing() {
        check(&load().seen("qps=1000").with(|it| it.sampled = Some((100, 60_000))), None);
    }

    #[test]
    fn the_old_threshold_is_the_way_back() {
        let load = load().seen("qps=100").set("long_query_time", "10.000000");
        let told = look(&load.case()).remove(0).recommendation;
        assert_eq!(told.sql, ["SET GLOBAL long_query_time = 0"]);
        assert_eq!(told.undo, ["SET GLOBAL long_query_time = 10"]);
    }

    #[test]
    fn times_that_press_against_the_threshold_let_guess() {
        // Half of the events in the first bucket, then ever fewer: most are below a second.
        let micros = |step: u32| (1_000_000.0 * 1.1_f64.powi(step as i32)) as u64;
        let classes: Vec<(u64, u64)> = (0..20).map(|step| (8_000 >> step, micros(step))).collect();
        let pressed = Load::new(&classes, 600).with_class(0, |class| {
            let times = class.measured.as_mut().and_then(|own| own.time.as_mut()).unwrap();
            times.buckets = classes.iter().map(|(count, low)| (*low, *count)).collect();
            times.count = classes.iter().map(|(count, _)| count).sum();
        });
        check(&pressed, Some((Severity::Medium, Confidence::Low)));
        // All events near 16 s, far above the shortest: nothing presses.
        check(&Load::new(&[(1, 10_000_000), (5_000, 16_000_000)], 600), None);
    }
}
