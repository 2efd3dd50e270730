//! How long the server waits for a client in the midst of a result.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, count, say};

rule! {
    /// Clients that read slowly are cut off in the midst of a result.
    ///
    /// **Costs.** The statement ran, and its result is lost.
    /// **Wrong when.** The gap in the message is near wait_timeout: then the client was idle
    /// (VAR027).
    /// **Verify.** Aborted_clients.
    /// **Source.** MySQL manual, communication errors and aborted connections.
    Variables "VAR024" "net-write-timeout"
}

/// The gap that a connector tells, in seconds: `… 28,812,345 milliseconds ago`.
fn gap(text: &str) -> Option<u64> {
    let head = text.split(" milliseconds").next()?;
    let number = head.rsplit(' ').next()?.replace([',', '.'], "");
    number.parse::<u64>().ok().map(|millis| millis / 1_000)
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let sign = case.sign(RULE.code)?;
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
    let present = case.number("net_write_timeout").filter(|present| *present < 600)?;
    let to = present.saturating_mul(2).clamp(120, 600);
    let title = format!("clients are cut off after {present} s without progress");
    let mut said = say(case, &RULE, Severity::Low, Confidence::Low, title)
        .about("net_write_timeout")
        .text("symptom", sign.text);
    if let Some(gap) = gap {
        said = said.seen("gap_seconds", gap);
    }
    Some(
        said.advise(format!(
            "Where clients read results slowly, or the network is poor: twice {present} s, between 120 and 600, is {to} s. \
             Fetching in smaller parts helps more."
        ))
        .set("net_write_timeout", count(to), When::Now)
        .verify("Aborted_clients stands still.")
        .end(),
    )
}
