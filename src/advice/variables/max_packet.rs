//! The longest statement or row.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size};

rule! {
    /// A statement or a value is longer than the server takes.
    ///
    /// **Costs.** It fails with error 1153, or gives NULL with warning 1301.
    /// **Wrong when.** The statement is a mistake: a list of a million numbers belongs into a
    /// table.
    /// **Verify.** The statement runs. Replicas need the same value.
    /// **Source.** MySQL manual, packet too large.
    Variables "VAR028" "max-allowed-packet"
}

const MIB: u64 = 1_024 * 1_024;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let sign = case.sign(RULE.code)?;
    let present = case.number("max_allowed_packet").filter(|present| *present < 1_024 * MIB)?;
    let to = present.saturating_mul(2).clamp(64 * MIB, 1_024 * MIB);
    let title = format!("something is longer than max_allowed_packet of {}", size(present));
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("max_allowed_packet")
            .text("symptom", sign.text)
            .advise(format!("Twice {}, between 64 MiB and 1 GiB, is {}. Clients and replicas have a limit of their own.", size(present), size(to)))
            .set("max_allowed_packet", bytes(to), When::Now)
            .verify("The statement runs in a new session.")
            .end(),
    )
}
