//! How long the server waits for a client in the midst of a result.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::plan::Amount;
use crate::sql::fingerprint::ClassId;

use super::case::{Case, Rates, is_percent, percent};
use super::say::{When, count, say};
use super::symptom::Sign;

rule! {
    /// Clients that read slowly are cut off in the midst of a result.
    ///
    /// **Costs.** The statement ran, and its result is lost.
    /// **Wrong when.** The gap in the message is near wait_timeout: then the client was idle
    /// (VAR027). Clients that end without a goodbye count as aborted too.
    /// **Verify.** Aborted_clients.
    /// **Source.** MySQL manual, communication errors and aborted connections. Without a message
    /// it takes 3 % of the connections aborted and a class that sends 1 MiB: what is less fits in
    /// the buffers of the network.
    Variables "VAR024" "net-write-timeout"
}

/// The gap that a connector tells, in seconds: `… 28,812,345 milliseconds ago`.
fn gap(text: &str) -> Option<u64> {
    let head = text.split(" milliseconds").next()?;
    let number = head.rsplit(' ').next()?.replace([',', '.'], "");
    number.parse::<u64>().ok().map(|millis| millis / 1_000)
}

/// Bytes of a result that the buffers of a network do not hold.
const LARGE: u64 = 1_024 * 1_024;

/// Connections, and how many of them ended without a goodbye, where these are many and a class of
/// the log sends much; with the classes that do.
struct Aborted<'a> {
    connections: u64,
    aborted: u64,
    rates: Rates<'a>,
    classes: Vec<ClassId>,
    most: Amount,
}

fn aborted<'a>(case: &Case<'a>) -> Option<Aborted<'a>> {
    let rates = case.rates().filter(|rates| !rates.is_short() && case.has_log())?;
    let (aborted, connections) = (rates.grown("aborted_clients")?, rates.grown("connections")?);
    if !is_percent(aborted, connections, 3) {
        return None;
    }
    let large: Vec<(ClassId, Amount)> = case
        .workload
        .classes
        .iter()
        .filter_map(|class| Some((class.id, class.load.bytes_sent?.most)))
        .filter(|(_, bytes)| *bytes >= Amount::whole(LARGE))
        .collect();
    let most = large.iter().map(|(_, bytes)| *bytes).max()?;
    let classes = large.into_iter().map(|(id, _)| id).collect();
    Some(Aborted { connections, aborted, rates, classes, most })
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    match case.sign(RULE.code) {
        Some(sign) => by_message(case, sign),
        None => by_counters(case, aborted(case)?),
    }
}

fn by_counters(case: &Case<'_>, seen: Aborted<'_>) -> Option<Finding> {
    let present = case.number("net_write_timeout").filter(|present| *present < MOST)?;
    let to = longer(present);
    let title = format!(
        "{} % of the connections end without a goodbye, and results are large",
        percent(seen.aborted, seen.connections)
    );
    let mut said = say(case, &RULE, Severity::Low, Confidence::Low, title)
        .about("net_write_timeout")
        .seen("aborted_clients", seen.aborted)
        .seen("connections", seen.connections)
        .amount("bytes_sent_most", seen.most)
        .over(&seen.rates);
    if let Some(idle) = case.number("wait_timeout") {
        said = said.seen("wait_timeout", idle);
    }
    let mut finding = said
        .advise(format!(
            "Ask first whether clients close their connections, and whether they are idle for longer than wait_timeout: \
             both count as aborted. If they are cut off in the midst of a result: twice {present} s, between 120 and {MOST}, \
             is {to} s. Fetching in smaller parts helps more."
        ))
        .set("net_write_timeout", count(to), When::Now)
        .verify("Aborted_clients against Connections; the error log with log_warnings 2 or log_error_verbosity 3 tells why.")
        .end();
    finding.queries = seen.classes;
    Some(finding)
}

/// Seconds beyond which a client that takes nothing is gone.
const MOST: u64 = 600;

fn longer(seconds: u64) -> u64 {
    seconds.saturating_mul(2).clamp(120, MOST)
}

fn by_message(case: &Case<'_>, sign: &Sign<'_>) -> Option<Finding> {
    let idle = case.number("wait_timeout");
    let gap = gap(sign.text);
    // Nine tenths of the time after which idle clients are cut off.
    if let Some((gap, idle)) = gap.zip(idle).filter(|(gap, idle)| is_percent(*gap, *idle, 90)) {
        let title = format!("the client was idle for {gap} s and wait_timeout is {idle} s");
        return Some(
            say(case, &RULE, Severity::Low, Confidence::Medium, title)
                .about("wait_timeout")
                .text("symptom", sign.text)
                .seen("gap_seconds", gap)
                .advise("No timeout of the network is to blame: let the pool of the application test a connection before use, or close it sooner than wait_timeout.")
                .verify("Aborted_clients stands still.")
                .end(),
        );
    }
    let present = case.number("net_write_timeout").filter(|present| *present < MOST)?;
    let to = longer(present);
    let title = format!("clients are cut off after {present} s without progress");
    let mut said = say(case, &RULE, Severity::Low, Confidence::Low, title)
        .about("net_write_timeout")
        .text("symptom", sign.text);
    if let Some(gap) = gap {
        said = said.seen("gap_seconds", gap);
    }
    Some(
        said.advise(format!(
            "Where clients read results slowly, or the network is poor: twice {present} s, between 120 and {MOST}, is {to} s. \
             Fetching in smaller parts helps more."
        ))
        .set("net_write_timeout", count(to), When::Now)
        .verify("Aborted_clients stands still.")
        .end(),
    )
}
