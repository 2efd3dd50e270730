//! What was measured of a step, and how far the estimate was off.

use super::super::figures::{count, percent, ratio, rows, time};
use super::super::steps::{Row, Stop};
use super::weigh::is_checked;
use crate::plan::{Amount, Node};

/// An estimate that is so many times off is told.
const FAR_OFF: u64 = 10;

/// What was measured of a step, and how far the estimate was off.
pub fn measured(node: &Node, row: &Row<'_>) -> String {
    let Some(actual) = node.actual else { return String::new() };
    if actual.loops == Some(Amount::ZERO) {
        return " Measured: never run.".to_owned();
    }
    let mut parts = Vec::new();
    match (actual.rows(), actual.rows_per_loop, actual.loops) {
        (Some(all), _, Some(Amount::ONE)) => parts.push(rows(all)),
        (Some(all), _, Some(loops)) => {
            parts.push(format!("{} in {} runs", rows(all), count(loops)));
        }
        (_, Some(each), _) => parts.push(format!("{} a run", rows(each))),
        _ => {}
    }
    let all = Some(Amount::whole(100));
    let is_told = node.filtered.is_some() && (node.filtered != all || actual.filtered != all);
    if let Some(filtered) = actual.filtered.filter(|_| is_told) {
        parts.push(format!("conditions kept {}", percent(filtered)));
    }
    if let Some(ms) = actual.ms {
        let with =
            if node.children.is_empty() { "" } else { " with the steps it takes its rows from" };
        parts.push(format!("{}{with}", time(ms)));
    }
    if parts.is_empty() {
        return String::new();
    }
    if actual.loops.is_none() && actual.rows_per_loop.is_none() && actual.ms.is_some() {
        let parts = parts.join(", ");
        return format!(" Measured: {parts}; the server does not count the runs of this step.");
    }
    format!(" Measured: {}.{}", parts.join(", "), misestimate(node, row).unwrap_or_default())
}

/// How far the estimate of a run was off, where that is [`FAR_OFF`] times or more.
fn misestimate(node: &Node, row: &Row<'_>) -> Option<String> {
    let (expected, found) = (node.rows?, node.actual?.rows_per_loop?);
    let (more, less, word) =
        if found > expected { (found, expected, "few") } else { (expected, found, "many") };
    // What ends early has not read what it was expected to.
    let ends = row.stop != Stop::Never || is_checked(node) || node.says("LooseScan");
    if ends && word == "many" {
        return None;
    }
    // Less than one row a run is as good as one, but of nothing nothing is so many times as much.
    let least = less.max(Amount::ONE);
    let is_far = more.ratio(least).is_some_and(|ratio| ratio >= Amount::whole(FAR_OFF));
    let ratio = ratio(more, least).filter(|_| is_far)?;
    let far = if less < Amount::ONE { "far".to_owned() } else { format!("{ratio} times") };
    let (expected, found) = (rows(expected), rows(found));
    Some(format!(" The estimate was {far} too {word}: {expected} a run, measured {found}."))
}
