//! The queue for new connections.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, count, say};

rule! {
    /// Requests for connections are dropped before the server takes them.
    ///
    /// **Costs.** Clients time out while the server is idle.
    /// **Wrong when.** The network loses them: then no counter of the host rises.
    /// **Verify.** ListenOverflows of the kernel.
    /// **Source.** MySQL manual, back_log. It is bounded by net.core.somaxconn. Defaults: 80 in
    /// MariaDB, 10,000 in MySQL 9.7.
    Variables "VAR023" "back-log-short"
}

const ENOUGH: u64 = 3_000;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let queue = case.number("back_log").filter(|queue| *queue < ENOUGH)?;
    let sign = case.sign(RULE.code);
    let storm = case.rates().and_then(|rates| {
        let (connections, aborted) =
            (rates.grown("connections")?, rates.grown("aborted_connects")?);
        let is_storm =
            rates.is_per_second("connections", 500) && is_percent(aborted, connections, 1);
        is_storm.then_some((connections, aborted, rates))
    });
    if sign.is_none() && storm.is_none() {
        return None;
    }
    let to = queue.saturating_mul(4).clamp(1_024, ENOUGH);
    let title = format!("requests for connections are lost: the queue holds {queue}");
    let mut said = say(case, &RULE, Severity::Medium, Confidence::Low, title).about("back_log");
    if let Some(sign) = sign {
        said = said.text("symptom", sign.text);
    }
    if let Some((connections, aborted, rates)) = storm {
        said = said.seen("connections", connections).seen("aborted_connects", aborted).over(&rates);
    }
    Some(
        said.advise(format!(
            "First see that the kernel counts overflows: nstat -az TcpExtListenOverflows. If it does, raise the queue, four times \
             {queue} between 1,024 and {ENOUGH} is {to}, and net.core.somaxconn with it; a pool of connections cures it. \
             If it does not, look at the network."
        ))
        .set("back_log", count(to), When::Restart)
        .verify("TcpExtListenOverflows stands still.")
        .end(),
    )
}
