//! Where the time is, and what it is not.

use super::{Ground, Link, Verdict};
use crate::advice::workload::case::{percent, seconds, short};
use crate::advice::workload::concentration::Few;
use crate::advice::workload::coverage::Coverage;
use crate::advice::{Action, Fact};
use crate::plan::Amount;

/// Classes that are most of the time.
pub fn few_classes(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let few = Few::of(case)?;
    let whole = case.micros()?;
    let all = case.whole.classes;
    let logged = if Coverage::of(case).is_some_and(|it| it.hides_most()) { " logged" } else { "" };
    let claim = capital(&few.title(all, logged));
    let rest = all.saturating_sub(few.classes.len() as u64);
    let left = Amount::whole(100).minus(few.share);
    let ids: Vec<String> = few
        .classes
        .iter()
        .map(|(class, micros)| {
            let own = percent(*micros, whole).map_or(String::new(), short);
            format!("0x{} {own} %", class.id)
        })
        .collect();
    let mut link = Link::new(Verdict::Holds, claim, ids.join(", "))
        .ruling_out(format!(
            "the other {}: {} % together",
            Amount::whole(rest).grouped(),
            short(left)
        ))
        .by("WORK004")
        .with([Fact::number("time_percent", few.share), Fact::list("at_most", few.gains(whole))]);
    let own = |id| few.classes.iter().any(|(class, _)| class.id == id);
    let todo = ground.findings.iter().find(|finding| {
        finding.recommendation.action != Action::None && finding.queries.iter().any(|id| own(*id))
    });
    link.next = Some(match todo {
        Some(finding) => format!("{}: {}", finding.rule, finding.title),
        None => "EXPLAIN of these statements (--plans), and their tables (--schema)".to_owned(),
    });
    Some(link)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Whether locks are the time.
pub fn locks(ground: &Ground<'_>) -> Option<Link> {
    const RULED_OUT: u64 = 1;
    const BOUND: u64 = 10;
    let case = &ground.case;
    let (waited, whole) = (case.whole.measured.lock_micros?, case.micros().filter(|it| *it > 0)?);
    let share = percent(waited, whole)?;
    let because = format!(
        "Lock_time is {} s of {} s, {} %",
        short(seconds(waited)),
        short(seconds(whole)),
        short(share)
    );
    let facts = [Fact::number("lock_percent", share)];
    if share < Amount::whole(RULED_OUT) {
        let link = Link::new(Verdict::Fails, "Locks are the time", because)
            .ruling_out("shorter transactions, lock order, table locks as remedies");
        return Some(link.with(facts));
    }
    (share >= Amount::whole(BOUND)).then(|| {
        Link::new(Verdict::Holds, "Waiting for locks is a good part of the time", because)
            .then("who holds them: SELECT * FROM sys.innodb_lock_waits while it waits")
            .by("WORK006")
            .with(facts)
    })
}

/// Whether waiting for pages is the time.
pub fn reads(ground: &Ground<'_>) -> Option<Link> {
    const RULED_OUT: u64 = 1;
    const BOUND: u64 = 10;
    let case = &ground.case;
    let (waited, whole) =
        (case.whole.measured.read_wait_micros?, case.micros().filter(|it| *it > 0)?);
    let share = percent(waited, whole)?;
    let because = format!(
        "InnoDB waited {} s for pages, {} % of the time",
        short(seconds(waited)),
        short(share)
    );
    let facts = [Fact::number("read_wait_percent", share)];
    if share < Amount::whole(RULED_OUT) {
        let link = Link::new(Verdict::Fails, "Reading from disk is the time", because)
            .ruling_out("a greater buffer pool and faster disks as remedies");
        return Some(link.with(facts));
    }
    (share >= Amount::whole(BOUND)).then(|| {
        Link::new(Verdict::Holds, "Reading from disk is a good part of the time", because)
            .then("rows examined by the classes that wait, then the buffer pool (--variables, --status)")
            .with(facts)
    })
}

/// How many rows are read for each that is sent.
pub fn rows(ground: &Ground<'_>) -> Option<Link> {
    const MANY: u64 = 100;
    const LEAST: u64 = 1_000_000;
    let measured = &ground.case.whole.measured;
    let (examined, sent) = (measured.rows_examined.filter(|it| *it >= LEAST)?, measured.rows_sent?);
    let times = Amount::whole(examined).ratio(Amount::whole(sent));
    if times.is_some_and(|times| times < Amount::whole(MANY)) {
        return None;
    }
    let count = |rows| Amount::whole(rows).grouped();
    let each = times.map_or(String::new(), |times| format!(", {} for each", short(times)));
    let because = format!("{} rows were examined, {} sent{each}", count(examined), count(sent));
    let mut most: Vec<(u64, &crate::advice::Class<'_>)> = ground
        .case
        .classes()
        .filter_map(|(class, own)| Some((own.rows_examined?, class)))
        .collect();
    most.sort_by_key(|(rows, class)| (std::cmp::Reverse(*rows), class.id));
    let mut link = Link::new(Verdict::Holds, "Most rows are read to be thrown away", because)
        .by("WORK005")
        .with([
            Fact::number("rows_examined", Amount::whole(examined)),
            Fact::number("rows_sent", Amount::whole(sent)),
        ]);
    if let Some((rows, class)) = most.first() {
        let share = percent(*rows, examined).map_or(String::new(), short);
        link = link.then(format!("0x{}, which examines {share} % of them", class.id));
    }
    Some(link)
}

/// How many statements ran at once.
pub fn at_once(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let (micros, active) = (case.micros()?, case.active_micros()?);
    let at_once =
        Amount::whole(micros).ratio(Amount::whole(active)).filter(|it| *it >= Amount::whole(2))?;
    let claim = format!("{} statements ran at once on the average", short(at_once));
    let because = format!(
        "{} s of statements in {} s with events",
        short(seconds(micros)),
        short(seconds(active))
    );
    let mut link =
        Link::new(Verdict::Holds, claim, because).with([Fact::number("concurrency", at_once)]);
    if let Some(finding) = ground.finding("WORK015") {
        link = link.by(finding.rule);
        link.next = Some(finding.title.clone());
    } else if case.facts.machine.cores.is_none() {
        link = link.then("--cores N: whether they queue for processors");
    }
    Some(link)
}
