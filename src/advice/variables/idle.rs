//! Connections that do nothing.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, count, say};

rule! {
    /// Most connections are idle and stay for hours.
    ///
    /// **Costs.** Each holds a thread, its buffers and a place below max_connections.
    /// **Wrong when.** A pool holds them on purpose and tests them before use.
    /// **Verify.** Threads_connected; errors of clients about lost connections.
    /// **Source.** MySQL manual, wait_timeout: 28,800 s by default.
    Variables "VAR027" "idle-connections"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const TO: u64 = 600;
    let timeout = case.number("wait_timeout").filter(|timeout| *timeout >= 28_800)?;
    let connected = case.count("threads_connected")?;
    let running = case.count("threads_running")?;
    let most = case.number("max_connections")?;
    if connected < running.saturating_mul(10) || !is_percent(connected, most, 70) {
        return None;
    }
    let title = format!(
        "{connected} of {most} connections are there and {running} of them run a statement"
    );
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("wait_timeout")
            .seen("threads_connected", connected)
            .seen("threads_running", running)
            .advise(format!(
                "Idle connections go after {timeout} s: {TO} s frees them. First make the pool of the application \
                 test or renew its connections within that time."
            ))
            .set("wait_timeout", count(TO), When::Now)
            .verify("Threads_connected falls; no errors about lost connections in the application.")
            .end(),
    )
}
