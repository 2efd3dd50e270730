//! Whether a query cache pays for this log.

use super::{Ground, Link, Verdict};
use crate::advice::Fact;
use crate::advice::query_cache::{OnDemand, Simulated};
use crate::advice::workload::case::{percent, seconds, short};
use crate::amount::Amount;

/// Whether it pays, or would.
pub fn pays(ground: &Ground<'_>) -> Option<Link> {
    let replayed = ground.replayed.filter(|it| it.settings.has_cache())?;
    if let Some(reason) = &replayed.refused {
        let claim = "Whether the query cache pays cannot be told from this log";
        return Some(Link::new(Verdict::Open, claim, reason.clone()));
    }
    let (outcome, hits) = match replayed.sizes.first() {
        Some(it) if it.hits_low < it.hits_high => {
            let count = |hits| Amount::whole(hits).grouped();
            let range = format!("{} to {}", count(it.hits_low), count(it.hits_high));
            (&it.outcome, range)
        }
        Some(it) => (&it.outcome, Amount::whole(it.outcome.hits).grouped()),
        None => {
            let widest = replayed.widest.as_ref()?;
            (widest, Amount::whole(widest.hits).grouped())
        }
    };
    let (reads, would) = (replayed.read_micros(), if replayed.has_present { "" } else { "would " });
    let saved = percent(outcome.saved_micros, reads);
    let because = format!(
        "of {} SELECTs {hits} {would}hit a cache of {} MiB: {} s of {} s{}",
        Amount::whole(outcome.selects).grouped(),
        short(Amount::whole(outcome.size).ratio(Amount::whole(1 << 20))?),
        short(seconds(outcome.saved_micros)),
        short(seconds(reads)),
        saved.map_or(String::new(), |it| format!(", {} %", short(it)))
    );
    if let Some(on_demand) = replayed.pays_on_demand() {
        return for_a_few(replayed, on_demand);
    }
    let verb = if replayed.has_present { "pays" } else { "would pay" };
    let claim = format!("The query cache {verb} for this log");
    let link = match replayed.verdict() {
        Ok(()) => Link::new(Verdict::Holds, claim, because).then(
            "indexes and rewrites of the same classes first; then replay the log of that load",
        ),
        Err(reason) => Link::new(Verdict::Fails, claim, format!("{because}; {reason}"))
            .ruling_out("switching it on as a remedy"),
    };
    let rule =
        ground.findings.iter().find(|finding| ["QC001", "QC002", "QC003"].contains(&finding.rule));
    Some(Link { rule: rule.map(|it| it.rule), ..link }.with([
        Fact::number("selects", Amount::whole(outcome.selects)),
        Fact::number("hits", Amount::whole(outcome.hits)),
        Fact::number("seconds_saved", seconds(outcome.saved_micros)),
    ]))
}

/// A cache for a few classes.
fn for_a_few(replayed: &Simulated, on_demand: &OnDemand) -> Option<Link> {
    let outcome = &on_demand.outcome;
    let ids = on_demand.classes.iter().filter_map(|class| replayed.log.classes.get(*class));
    let ids: Vec<String> = ids.map(|class| format!("0x{}", class.id)).collect();
    let reads = replayed.read_micros();
    let because = format!(
        "{}: {} hits, {} s of {} s, {} %; {}",
        ids.join(", "),
        Amount::whole(outcome.hits).grouped(),
        short(seconds(outcome.saved_micros)),
        short(seconds(reads)),
        percent(outcome.saved_micros, reads).map_or(String::new(), short),
        replayed.verdict().err().unwrap_or_default()
    );
    let link =
        Link::new(Verdict::Holds, "The query cache would pay for a few classes alone", because)
            .ruling_out("switching it on for all statements")
            .then("indexes and rewrites of these classes first; then replay the log of that load")
            .by("QC002");
    Some(link.with([
        Fact::number("hits", Amount::whole(outcome.hits)),
        Fact::number("seconds_saved", seconds(outcome.saved_micros)),
    ]))
}
