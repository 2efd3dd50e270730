//! Where the time is, and what it is not.

use super::{Ground, Link, Verdict};
use crate::advice::workload::case::{percent, seconds, short};
use crate::advice::workload::concentration::Few;
use crate::advice::workload::coverage::Coverage;
use crate::advice::workload::lock_bound::ROWS_COUNTED;
use crate::advice::{Action, Fact, Finding, Severity};
use crate::amount::Amount;

/// Classes that are most of the time.
pub fn few_classes(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let few = Few::of(case)?;
    let whole = case.micros()?;
    let all = case.whole.classes;
    let logged = if Coverage::of(case).is_some_and(|it| it.hides_most()) { " logged" } else { "" };
    let claim = few.title(all, logged);
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

/// Whether locks are the time, by the rule about them.
pub fn locks(ground: &Ground<'_>) -> Option<Link> {
    let of_load = |finding: &&Finding| finding.subject.query_id.is_none();
    let mut found = ground.findings.iter().filter(|finding| finding.rule == "WORK006");
    let finding = found.clone().find(of_load).or_else(|| found.next())?;
    let link = match (finding.severity, finding.subject.query_id) {
        (Severity::Info, _) => {
            let link = match counts_rows(finding) {
                true => Link::new(Verdict::Fails, "Locks are the time", lower(&finding.title))
                    .ruling_out("shorter transactions and the order of locks as remedies"),
                false => {
                    let claim = "Locks of tables are the time";
                    Link::new(Verdict::Fails, claim, lower(&finding.title)).ruling_out(
                        "DDL, LOCK TABLES and engines that lock tables; not waits for rows",
                    )
                }
            };
            // What Lock_time does not count on this server.
            let caveat = Some(finding.recommendation.text.clone()).filter(|it| !it.is_empty());
            Link { next: caveat, ..link }
        }
        (_, None) => {
            let claim = "Waiting for locks is a good part of the time";
            Link::new(Verdict::Holds, claim, finding.title.clone())
                .then("who holds them: SELECT * FROM sys.innodb_lock_waits while it waits")
        }
        (_, Some(id)) => {
            let share = ground.case.class(id).and_then(|class| ground.case.share(class.micros?));
            let share = share.map_or(String::new(), |it| format!(", {} % of all time", short(it)));
            let because = format!("0x{id}{share}: {}", finding.title);
            Link::new(Verdict::Holds, "A class waits for locks", because)
                .then("who holds them: SELECT * FROM sys.innodb_lock_waits while it waits")
        }
    };
    Some(link.by(finding.rule).with(finding.evidence.clone()))
}

/// Whether waits for rows would be seen in what a finding on locks rests on.
pub fn counts_rows(finding: &Finding) -> bool {
    finding.evidence.contains(&Fact::flag(ROWS_COUNTED, true))
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
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

/// How many rows are read for each that is sent, by the rule about it.
pub fn rows(ground: &Ground<'_>) -> Option<Link> {
    let finding = ground.finding("WORK005")?;
    let claim = "Most rows are read to be thrown away";
    let link = Link::new(Verdict::Holds, claim, finding.title.clone()).by(finding.rule);
    let first = finding.queries.first().map(|id| format!("0x{id}, which reads most of them"));
    Some(Link { next: first, ..link }.with(finding.evidence.clone()))
}

/// How many statements ran at once.
pub fn at_once(ground: &Ground<'_>) -> Option<Link> {
    let case = &ground.case;
    let (micros, active) = (case.micros_outside_routines()?, case.active_micros()?);
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
