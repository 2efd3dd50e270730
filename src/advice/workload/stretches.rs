//! WORK003.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::amount::Amount;
use crate::time::{Timestamp, Zone};

use super::case::{Case, finding, seconds, short, time};
use super::watch::regimes::{Change, Regimes, Stretch};

rule! {
    /// The log is of several stretches: long pauses, or another threshold from some event on.
    ///
    /// **Costs.** Rates over the whole range count the pauses in, and figures of a test run are
    /// mixed with those of the run before it.
    /// **Wrong when.** The load itself comes in such stretches, as jobs of the night do. Fewer than
    /// 30 events have no usual pause.
    /// **Verify.** Digest each stretch by itself with --since and --until.
    /// **Source.** Pauses of a minute and 20 times the median at least; a least time that 30 events
    /// keep to which others would have broken.
    Workload "WORK003" "several-stretches"
}

/// Stretches that are told one by one.
const TOLD: usize = 6;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    case.seen.and_then(|seen| told(case, &seen.regimes)).into_iter().collect()
}

fn told(case: &Case<'_>, regimes: &Regimes) -> Option<Finding> {
    let count = regimes.stretches.len();
    if count < 2 && regimes.change.is_none() {
        return None;
    }
    let events = Amount::whole(case.whole.measured.events);
    let mut evidence = Vec::new();
    let rate = |micros: Option<u64>| events.ratio(seconds(micros.filter(|it| *it > 0)?));
    evidence
        .extend(rate(case.whole.measured.window()).map(|it| Fact::number("events_per_second", it)));
    evidence
        .extend(rate(case.active_micros()).map(|it| Fact::number("events_per_second_active", it)));
    let listed = regimes.stretches.iter().take(TOLD).map(stretch);
    let more = count.saturating_sub(TOLD);
    let rest = (more > 0).then(|| format!("{more} more"));
    evidence.push(Fact::list("stretches", listed.chain(rest).collect()));
    let title = match &regimes.change {
        Some(change) => changed(change),
        None => format!("the log is of {count} stretches with pauses between"),
    };
    let severity = if regimes.change.is_some() { Severity::Medium } else { Severity::Info };
    let advice = "Read each stretch by itself: figures over all of them are of no load that ran.";
    let verify = "Events a second and the shortest event of each stretch.";
    let mut finding =
        finding(&RULE, (severity, Confidence::High), title, evidence, (advice, verify));
    let at = regimes.change.and_then(|change| change.at);
    let at = at.or_else(|| regimes.stretches.get(1).map(|it| it.start));
    if let Some(at) = at {
        let at = Zone::UTC.print_marked(Timestamp(at));
        finding.recommendation.text.push_str(&format!(" The later part: --since {at}."));
    }
    Some(finding)
}

/// Which events keep to another least time.
pub fn changed(change: &Change) -> String {
    let (which, other, others) = match change.is_lowered {
        true => ("first", "later", change.after),
        false => ("last", "earlier", change.before),
    };
    let silent = if change.is_lowered { change.before } else { change.after };
    format!(
        "none of the {which} {} events is shorter than {}, {} of the {} {other} ones are",
        Amount::whole(silent).grouped(),
        time(change.least),
        Amount::whole(change.shorter).grouped(),
        Amount::whole(others).grouped()
    )
}

/// One stretch in words.
pub fn stretch(stretch: &Stretch) -> String {
    let print = |micros: i64| Zone::UTC.print(Timestamp(micros - micros.rem_euclid(1_000_000)));
    let length = u64::try_from(stretch.end.saturating_sub(stretch.start)).unwrap_or(0);
    let events = Amount::whole(stretch.events);
    let rate = (length >= 1_000_000).then(|| events.ratio(seconds(length))).flatten();
    let rate = rate.map_or(String::new(), |rate| format!(", {} a second", short(rate)));
    let least = stretch.least.map_or(String::new(), |it| format!(", from {} on", time(it)));
    format!(
        "{} to {} UTC: {} events{rate}{least}",
        print(stretch.start),
        print(stretch.end),
        events.grouped()
    )
}
