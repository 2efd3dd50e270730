//! What is told of a log that was replayed through a query cache.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::advice::query_cache::{Prediction, Simulated, Simulation};
use crate::plan::Amount;
use crate::report::findings::number;

/// The facts of JSON.
pub fn facts(simulated: &Simulated) -> Map<String, Value> {
    let mut facts = Map::new();
    if let Some(reason) = &simulated.refused {
        facts.insert("query_cache_not_simulated".to_owned(), json!(reason));
        return facts;
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

/// Writes what became of each statement: a line each, in the order of the log.
pub fn write_trace(
    simulated: &Simulated,
    names: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
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
