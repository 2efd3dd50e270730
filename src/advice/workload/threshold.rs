//! WORK002.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::amount::Amount;

use super::case::{Case, finding, percent, seconds, short, time};

rule! {
    /// The threshold that the server states is not the one that the log was written with.
    ///
    /// **Costs.** Whoever reads the log takes it for all statements of that time and more, and it is
    /// something else: two runs in one file, one session's log, statements without an index.
    /// **Wrong when.** The variables are of another day than the log. Logs of whole seconds cannot
    /// tell.
    /// **Verify.** SHOW GLOBAL VARIABLES and SHOW SESSION VARIABLES LIKE 'long_query_time' in the
    /// sessions of the application; the shortest event of a fresh log.
    /// **Source.** MySQL manual: a session takes the global value when it connects.
    Workload "WORK002" "threshold-differs"
}

/// An event is below the threshold with less than so many percent of it.
const BELOW: u64 = 98;
/// One in so many events is more than chance and statements of the server itself.
const ONE_IN: u64 = 1_000;
/// So many events have one near the threshold, if it is the one stated.
const MANY: u64 = 1_000;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    compare(case).into_iter().collect()
}

fn compare(case: &Case<'_>) -> Option<Finding> {
    let stated = case.stated_threshold().filter(|_| case.whole.is_fine)?;
    let times = case.whole.measured.time.as_ref()?;
    let edge = stated.saturating_mul(BELOW) / 100;
    let below = times.below(edge);
    let is_below = stated > 0 && below.saturating_mul(ONE_IN) > times.count;
    let is_above = times.count >= MANY && times.least >= stated.saturating_mul(2) && stated > 0;
    if !is_below && !is_above {
        return None;
    }
    let mut evidence = vec![
        Fact::number("long_query_time_seconds", seconds(stated)),
        Fact::number("shortest_event_seconds", seconds(times.least)),
        Fact::number("events", Amount::whole(times.count)),
    ];
    let title = if is_below {
        evidence.push(Fact::number("events_below_at_least", Amount::whole(below)));
        let part = percent(below, times.count).unwrap_or_default();
        format!(
            "the server logs from {} on, and {} % of the events are shorter, down to {}",
            time(stated),
            short(part),
            time(times.least)
        )
    } else {
        format!(
            "the server logs from {} on, and no event is shorter than {}",
            time(stated),
            time(times.least)
        )
    };
    let causes = causes(case, is_below);
    evidence.push(Fact::list("may_be", causes.iter().map(|it| (*it).to_owned()).collect()));
    let advice = "Find out which of these it is before the log is taken for the load: ask the global \
                  and the session value, and look when each was set.";
    let verify =
        "The shortest event of a fresh log, and long_query_time of the sessions that wrote it";
    let graded = (Severity::Medium, Confidence::High);
    Some(finding(&RULE, graded, title, evidence, (advice, verify)))
}

/// What explains it; a setting that is there comes first.
fn causes(case: &Case<'_>, is_below: bool) -> Vec<&'static str> {
    if !is_below {
        return vec![
            "sessions that were open when the threshold was lowered keep theirs",
            "the log is older than the variables",
        ];
    }
    let flag = |name| case.facts.variables.flag(name);
    let mut causes = Vec::new();
    let parted = case.seen.is_some_and(|seen| seen.regimes.change.is_some());
    if parted {
        causes.push("two runs with different thresholds in one log (WORK003)");
    }
    let unindexed = flag("log_queries_not_using_indexes");
    match unindexed {
        Some(true) => causes
            .insert(0, "log_queries_not_using_indexes is on: those are logged whatever they take"),
        Some(false) => {}
        None => causes.push("log_queries_not_using_indexes"),
    }
    if !parted {
        causes.push("it was lowered for this log, and set back before the variables were read");
    }
    causes.push("a session or an account with a lower value of its own");
    causes.push("the global value was raised, and open sessions keep the old one");
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::fixture::Load;

    #[track_caller]
    fn check(load: &Load, is_told: bool) {
        assert_eq!(!look(&load.case()).is_empty(), is_told);
    }

    #[test]
    fn events_below_contradict_if_they_are_more_than_chance() {
        let load = |short| Load::new(&[(short, 300), (10_000, 2_000_000)], 600);
        check(&load(100).set("long_query_time", "1"), true);
        // Ten of 10,010 are less than one in a thousand.
        check(&load(10).set("long_query_time", "1"), false);
        check(&load(100), false);
        check(&load(100).set("long_query_time", "0"), false);
    }

    #[test]
    fn none_near_it_contradicts_too() {
        let load = |calls| Load::new(&[(calls, 5_000_000)], 600).set("long_query_time", "1");
        check(&load(1_000), true);
        check(&load(999), false);
        check(&load(1_000).set("long_query_time", "4"), false);
    }

    #[test]
    fn whole_seconds_tell_nothing() {
        let load = Load::new(&[(5_000, 1_000_000)], 600).set("long_query_time", "2");
        check(&load, true);
        check(&load.with(|it| it.is_fine = false), false);
    }

    #[test]
    fn a_setting_that_explains_it_comes_first() {
        let load = Load::new(&[(100, 300), (1_000, 2_000_000)], 600)
            .set("long_query_time", "1")
            .set("log_queries_not_using_indexes", "ON");
        assert!(causes(&load.case(), true)[0].starts_with("log_queries_not_using_indexes is on"));
        let load = load.set("log_queries_not_using_indexes", "OFF");
        assert!(causes(&load.case(), true).iter().all(|it| !it.contains("indexes")));
    }
}
