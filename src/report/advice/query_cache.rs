//! What is told of a log that was replayed through a query cache.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::advice::query_cache::simulator::MOST_REBUILT;
use crate::advice::query_cache::{Order, Prediction, Simulated, Simulation};
use crate::plan::Amount;
use crate::report::findings::number;
use crate::report::plans::page::{Piece, Tone};

/// The facts of JSON.
pub fn facts(simulated: &Simulated) -> Map<String, Value> {
    let mut facts = Map::new();
    if let Some(reason) = &simulated.refused {
        facts.insert("query_cache_not_simulated".to_owned(), json!(reason));
        return facts;
    }
    if simulated.log.left_out > 0 {
        facts.insert("query_cache_events_left_out".to_owned(), json!(simulated.log.left_out));
    }
    let sizes: Vec<Value> = simulated.sizes.iter().map(simulation).collect();
    if !sizes.is_empty() {
        facts.insert("query_cache_simulation".to_owned(), Value::Array(sizes));
    }
    let curve = simulated.curve.iter().map(|point| {
        json!({
            "size": point.size,
            "hits": point.hits,
            "prunes": point.prunes,
            "seconds_saved": seconds(point.saved_micros),
        })
    });
    facts.insert("query_cache_curve".to_owned(), curve.collect());
    facts
}

fn simulation(simulation: &Simulation) -> Value {
    let outcome = &simulation.outcome;
    json!({
        "size": outcome.size,
        "selects": outcome.selects,
        "hits": outcome.hits,
        "hits_low": simulation.hits_low,
        "hits_high": simulation.hits_high,
        "inserts": outcome.inserts,
        "not_cached": outcome.not_cached,
        "prunes": outcome.prunes,
        "invalidations": outcome.invalidations,
        "seconds_saved": seconds(outcome.saved_micros),
    })
}

fn seconds(micros: u64) -> Option<Value> {
    Amount::whole(micros).ratio(Amount::whole(1_000_000)).map(number)
}

/// What a reader is told: the settings, what the cache does at each size, which table kills most,
/// and whether it pays.
pub(super) fn pieces(simulated: &Simulated) -> Vec<Piece> {
    let mut pieces = vec![Piece::Section("Query cache")];
    let mut say = |tone, text: String| pieces.push(Piece::Words(tone, text));
    if let Some(reason) = &simulated.refused {
        say(Tone::Plain, format!("Not replayed: {reason}."));
        return pieces;
    }
    say(Tone::Plain, present(simulated));
    if let Some(told) = how(simulated) {
        say(Tone::Dim, told);
    }
    let reads = simulated.read_micros();
    for simulation in &simulated.sizes {
        say(Tone::Plain, at_size(simulation, reads));
    }
    if let Some(told) = by_size(simulated) {
        say(Tone::Plain, told);
    }
    if let Some(told) = worst_table(simulated) {
        say(Tone::Plain, told);
    }
    let verdict = match (simulated.verdict(), simulated.pays_on_demand()) {
        (Ok(()), _) => "For this log the cache pays.".to_owned(),
        (Err(reason), Some(on_demand)) => format!(
            "For this log the cache pays for {} of its classes (QC002), not for all: {reason}.",
            on_demand.classes.len()
        ),
        (Err(reason), None) => format!("For this log the cache does not pay: {reason}."),
    };
    say(Tone::Plain, verdict);
    pieces
}

fn present(simulated: &Simulated) -> String {
    let settings = &simulated.settings;
    let (limit, unit) = (size(settings.limit), settings.min_res_unit);
    match settings.present_size() {
        Some(present) => {
            format!("It is on: {}, results up to {limit}, in units of {unit} bytes.", size(present))
        }
        None if settings.kind.is_some() => "It is off.".to_owned(),
        None => format!(
            "Whether it is on is not known (--variables tells); results up to {limit} are taken as stored."
        ),
    }
}

/// What the answer rests on, where it is not the log alone.
fn how(simulated: &Simulated) -> Option<String> {
    let mut parts = Vec::new();
    let is_range = |it: &Simulation| it.hits_low != it.hits_high;
    match simulated.order {
        Order::Rebuilt => parts.push(
            "the log has whole seconds and its connections run at once: which statements overlapped is rebuilt from \
             their order and duration, so hits are a range, which held for 60 of 72 loads of two to eight connections \
             measured on MariaDB 10.11",
        ),
        Order::Timed => parts.push("connections run at once: hits are a range"),
        Order::Serial if simulated.sizes.iter().any(is_range) => parts.push(
            "what goes for want of memory hangs on each block, so hits are a range, which held for all loads without \
             statements that run at once that were measured on MariaDB 10.11",
        ),
        Order::Serial => {}
    }
    if !simulated.log.tells_bytes {
        parts.push("the log has no Bytes_sent: a result counts 100 bytes a row");
    }
    if !simulated.log.tells_rows {
        parts.push("the log has no Rows_affected: each write counts as one that changes rows");
    }
    if simulated.contradicts_threshold() {
        parts.push(
            "most statements are below the threshold that the server states: the log is taken as one of all of them",
        );
    }
    let contested = simulated.sizes.first().and_then(contested);
    parts.extend(contested.as_deref());
    let left_out = left_out(simulated);
    parts.extend(left_out.as_deref());
    (!parts.is_empty()).then(|| format!("How sure: {}.", parts.join("; ")))
}

/// Hits that hang on the order of statements, where they are more than a range is wide.
fn contested(simulation: &Simulation) -> Option<String> {
    let (contested, hits) = (simulation.contested, simulation.outcome.hits);
    (contested * 100 > hits * MOST_REBUILT).then(|| {
        format!(
            "{contested} hits hang on which statements ran at once, so that the real number may lie outside of the \
             range"
        )
    })
}

/// What of the log was not replayed.
fn left_out(simulated: &Simulated) -> Option<String> {
    let (kept, left_out) = (simulated.log.traces.len() as u64, simulated.log.left_out);
    (left_out > 0).then(|| {
        format!(
            "there is more in the log than is kept for a replay: this is of the first {kept} events, {left_out} behind \
             them are left out"
        )
    })
}

fn at_size(simulation: &Simulation, read_micros: u64) -> String {
    let outcome = &simulation.outcome;
    let range = match simulation.hits_low == simulation.hits_high {
        true => String::new(),
        false => format!(", between {} and {}", simulation.hits_low, simulation.hits_high),
    };
    format!(
        "At {}: {} of {} SELECTs answered ({} %{range}), {} s saved of {} s ({} %); {} stored, {} of these gone \
         before anybody asked for them; {} not stored; {} dropped for want of memory; {} writes dropped {} results.",
        size(outcome.size),
        outcome.hits,
        outcome.selects,
        percent(outcome.hits, outcome.selects),
        saved(outcome.saved_micros),
        saved(read_micros),
        percent(outcome.saved_micros, read_micros),
        outcome.inserts,
        outcome.unused,
        outcome.not_cached,
        outcome.prunes,
        outcome.invalidations,
        outcome.dropped,
    )
}

/// What each size gives, in a line.
fn by_size(simulated: &Simulated) -> Option<String> {
    let (first, last) = (simulated.curve.first()?, simulated.curve.last()?);
    if first.saved_micros == last.saved_micros {
        return Some(format!(
            "Any size from {} to {} gives the same: {} hits, {} s saved.",
            size(first.size),
            size(last.size),
            first.hits,
            saved(first.saved_micros)
        ));
    }
    let told = simulated.curve.iter().map(|point| {
        format!("{} {} hits, {} s", size(point.size), point.hits, saved(point.saved_micros))
    });
    Some(format!("Answered and saved by size: {}.", told.collect::<Vec<_>>().join("; ")))
}

fn worst_table(simulated: &Simulated) -> Option<String> {
    let outcome = simulated.sizes.first().map(|it| &it.outcome).or(simulated.widest.as_ref())?;
    let ranked = outcome.tables.iter().zip(&simulated.log.tables);
    let ((writes, results), table) = ranked.max_by_key(|((_, results), _)| *results)?;
    let share = percent(*results, outcome.dropped);
    (*results > 0).then(|| {
        format!(
            "Most results are dropped by writes to {}: {results} ({share} %) by {writes} writes.",
            table.name
        )
    })
}

fn percent(part: u64, whole: u64) -> u128 {
    (u128::from(part) * 100).checked_div(u128::from(whole)).unwrap_or(0)
}

fn saved(micros: u64) -> String {
    let millis = micros / 1_000;
    format!("{}.{:03}", millis / 1_000, millis % 1_000)
}

fn size(bytes: u64) -> String {
    match bytes {
        it if it >= 1 << 20 => format!("{} MiB", it >> 20),
        it => format!("{} KiB", it >> 10),
    }
}

/// Writes what became of each statement: a line each, in the order of the log.
pub fn write_trace(simulated: &Simulated, names: &[&str], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "source\toffset\tprediction")?;
    let Some(first) = simulated.sizes.first() else { return Ok(()) };
    for (trace, prediction) in simulated.log.traces.iter().zip(&first.outcome.predictions) {
        let word = match prediction {
            Prediction::None => continue,
            Prediction::Hit => "hit",
            Prediction::Miss => "miss",
            Prediction::Uncacheable => "uncacheable",
        };
        let name = names.get(trace.source as usize).copied().unwrap_or_default();
        let name = name.replace(['\t', '\n'], " ");
        writeln!(out, "{name}\t{}\t{word}", trace.offset)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::query_cache::{Log, Settings, simulate};

    /// What was measured of a range is told where one is printed.
    #[test]
    fn how_often_a_range_held_is_told() {
        let mut simulated = simulate(Log::default(), Settings::default(), &[1 << 20], false);
        simulated.order = Order::Serial;
        let told = |simulated: &Simulated| how(simulated).unwrap_or_default();
        assert!(!told(&simulated).contains("held for"), "{}", told(&simulated));
        simulated.sizes.iter_mut().for_each(|it| it.hits_high = 1);
        assert!(told(&simulated).contains("held for all loads"), "{}", told(&simulated));
        simulated.order = Order::Rebuilt;
        assert!(told(&simulated).contains("held for 60 of 72 loads"), "{}", told(&simulated));
    }

    #[test]
    fn what_is_left_out_is_told() {
        let told = |left_out| {
            let log = Log { left_out, ..Log::default() };
            let simulated = simulate(log, Settings::default(), &[1 << 20], false);
            (how(&simulated).unwrap_or_default(), facts(&simulated))
        };
        let (words, facts) = told(7);
        assert!(words.contains("first 0 events, 7 behind them are left out"), "{words}");
        assert_eq!(facts["query_cache_events_left_out"], 7);
        let (words, facts) = told(0);
        assert!(!words.contains("left out"), "{words}");
        assert!(!facts.contains_key("query_cache_events_left_out"));
    }
}
