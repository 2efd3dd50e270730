//! Whether the log shows the load.

use super::{Ground, Link, Verdict};
use crate::advice::Fact;
use crate::advice::workload::case::{percent, ranged, seconds, short, time};
use crate::advice::workload::coverage::{self, Coverage, Source};
use crate::advice::workload::stretches;
use crate::amount::Amount;
use crate::server::monitor::Figure;
use crate::time::{Timestamp, Zone};

/// How much of the load is in the log.
pub fn shown(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let events = case.whole.measured.events;
    if let Some((limit, all)) = case.whole.sampled {
        let because = format!(
            "up to one in {} statements was logged: {} events stand for {}",
            Amount::whole(limit).grouped(),
            Amount::whole(events).grouped(),
            Amount::whole(all).grouped()
        );
        return Some(Link::new(Verdict::Holds, "The log is a sample", because).by("WORK013"));
    }
    let Some(coverage) = Coverage::of(case) else { return by_threshold(ground) };
    let because = format!(
        "{} events a second are logged, {}: {}",
        short(coverage.logged),
        coverage.ran(),
        coverage.part()
    );
    let facts = [
        Fact::number("events_per_second", coverage.logged),
        Fact::number("coverage_percent_most", coverage.most),
    ];
    let sorts = super::cause::sorts(ground).filter(|link| link.verdict == Verdict::Fails);
    if let Some(sorts) = sorts.filter(|_| !coverage.hides_most()) {
        let claim = "Statements that ran are not in the log: it lacks sorts that were seen";
        let link = Link::new(Verdict::Holds, claim, format!("{because}; but {}", sorts.because))
            .ruling_out("that the log is the whole load, whatever its number of events says")
            .then("log all statements of a few minutes under the same load (long_query_time = 0)");
        return Some(link.with(facts));
    }
    if coverage.hides_most() {
        let link = Link::new(Verdict::Holds, "The log hides the load", because)
            .ruling_out("that the statements of this log are what the server does")
            .then(
                "log all statements of a few minutes under the same load and read that log: what \
                   follows is about the logged part alone",
            )
            .by("WORK001");
        return Some(link.with(facts));
    }
    let link = match coverage.source {
        Source::Transactions => Link::new(
            Verdict::Open,
            "Nothing shows that the log hides load",
            format!("{because}; how many statements a transaction has is not known"),
        )
        .then("--observed qps=N, or --status before and after the log"),
        _ => Link::new(Verdict::Holds, "The log shows the load", because)
            .ruling_out("that what is not logged matters more"),
    };
    Some(link.with(facts))
}

/// What the log alone tells.
fn by_threshold(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let times = case.whole.measured.time.as_ref()?;
    let (events, least) = (Amount::whole(times.count).grouped(), time(times.least));
    let because = format!("the shortest of {events} events takes {least}");
    let logs_all = case.stated_threshold() == Some(0) && !case.leaves_out();
    let link = match coverage::threshold(case) {
        None if logs_all => {
            let claim = "The server logs all statements: its threshold is 0";
            return Some(Link::new(Verdict::Holds, claim, because).ruling_out(
                "that much of the load is missing, but for sessions with a threshold of their own",
            ));
        }
        Some(_) => {
            Link::new(Verdict::Open, "How many faster statements ran is not in the log", because)
        }
        None if case.whole.is_fine => Link::new(
            Verdict::Open,
            "No threshold is seen; whether all statements are logged is not known",
            because,
        ),
        None => return None,
    };
    let link = link.then(
        "--status before and after the log, or --observed qps=N: statements a second of the server",
    );
    let rule = ground.finding("WORK001").map(|finding| finding.rule);
    Some(Link { rule, ..link }.with([Fact::number("shortest_event_seconds", seconds(times.least))]))
}

/// The threshold that the server states.
pub fn threshold(ground: &Ground<'_>) -> Option<Link> {
    let finding = ground.finding("WORK002")?;
    let stated = ground.case.stated_threshold().map(time)?;
    let claim = format!("The log was written with a threshold of {stated}");
    let link = Link::new(Verdict::Fails, claim, finding.title.clone())
        .ruling_out("that the log is all statements of that time and more, and no others")
        .then("the global and the session value of long_query_time, log_queries_not_using_indexes")
        .by("WORK002");
    Some(link.with(finding.evidence.iter().filter(|fact| fact.name != "may_be").cloned()))
}

/// Runs that were put into one file, and pauses.
pub fn stretches(ground: &Ground<'_>) -> Option<Link> {
    /// Percent of the range without an event from which on rates over all of it mislead.
    const IDLE: u64 = 10;
    let finding = ground.finding("WORK003")?;
    let regimes = &ground.case.seen?.regimes;
    let (whole, active) = (ground.case.whole.measured.window()?, ground.case.active_micros()?);
    let idle = whole.saturating_sub(active);
    let has_pauses = regimes.stretches.len() > 1
        && percent(idle, whole).is_some_and(|it| it >= Amount::whole(IDLE));
    let events = Amount::whole(ground.case.whole.measured.events);
    let (of_all, of_active) = (events.ratio(seconds(whole))?, events.ratio(seconds(active))?);
    let pauses = format!("in {} of {} nothing was logged", time(idle), time(whole));
    let rates = format!(
        "{} events a second over all of it, {} while something was logged",
        short(of_all),
        short(of_active)
    );
    let link = match &regimes.change {
        Some(change) => {
            let because = match has_pauses {
                true => format!("{}; {pauses}", stretches::changed(change)),
                false => stretches::changed(change),
            };
            let at = change.at.map_or(String::new(), |at| {
                format!("; the later begins at {}", Zone::UTC.print_marked(Timestamp(at)))
            });
            Link::new(Verdict::Fails, "The log is of one run", because)
                .then(format!("each part by itself, with --since and --until{at}"))
        }
        None if has_pauses => {
            let claim = "Rates over the whole range are those of the load";
            Link::new(Verdict::Fails, claim, format!("{pauses}: {rates}"))
                .then("whether the load pauses, or the log does")
        }
        None => return None,
    };
    let link = match regimes.change.is_some() && has_pauses {
        true => link.ruling_out(format!("rates over the whole range: {rates}")),
        false => link,
    };
    Some(link.by("WORK003").with(finding.evidence.clone()))
}

/// Events a second that look like transactions a second.
pub fn transactions(ground: &Ground<'_>) -> Option<Link> {
    /// Percent by which two rates differ that look alike.
    const ALIKE: u64 = 10;
    let case = &ground.case;
    let told = case.facts.monitor.get(Figure::Transactions)?;
    let rate =
        Amount::whole(case.whole.measured.events).ratio(seconds(case.whole.measured.window()?))?;
    let near = told.low.percent(Amount::whole(100 - ALIKE));
    let far = told.high.percent(Amount::whole(100 + ALIKE));
    if rate < near || rate > far {
        return None;
    }
    let ran = case.facts.monitor.get(Figure::Statements);
    let mut because = format!(
        "{} events a second are statements, {} a second are transactions: units of their own",
        short(rate),
        ranged(told)
    );
    if let Some(ran) = ran {
        let times = ran.low.ratio(rate).map_or(String::new(), short);
        because
            .push_str(&format!("; {} statements a second ran, {times} times as many", ranged(ran)));
    }
    if let Some(active) = case.active_micros() {
        let whole = case.whole.measured.window()?;
        let idle = whole.saturating_sub(active);
        if percent(idle, whole).is_some_and(|it| it >= Amount::ONE) {
            because.push_str(&format!("; {} of the range have no event", time(idle)));
        }
    }
    let claim = "That events and transactions a second agree shows that the log is whole";
    let link = Link::new(Verdict::Fails, claim, because)
        .then("Questions a second of the server, from two SHOW GLOBAL STATUS");
    Some(link.with([
        Fact::number("events_per_second", rate),
        Fact::number("transactions_per_second_most", told.high),
    ]))
}
