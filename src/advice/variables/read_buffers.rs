//! Read buffers of each connection.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size};

rule! {
    /// A read buffer is large for every connection.
    ///
    /// **Costs.** It is taken in full for each scan, or for each sort that reads rows; InnoDB
    /// does not gain by it.
    /// **Wrong when.** Scans of MyISAM tables are most of the load, or Multi-Range Read is in
    /// use.
    /// **Verify.** Times of the statements stay as they are; resident memory falls.
    /// **Source.** MySQL manual, read_buffer_size, read_rnd_buffer_size.
    Variables "VAR013" "read-buffers-large"
}

const MIB: u64 = 1_024 * 1_024;
const BUFFERS: [(&str, u64); 2] =
    [("read_buffer_size", MIB / 8), ("read_rnd_buffer_size", MIB / 4)];

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    if case.has_engine("MyISAM") == Some(true) {
        return Vec::new();
    }
    let large = BUFFERS.into_iter().filter_map(|(name, default)| {
        let buffer = case.number(name).filter(|buffer| *buffer > 2 * MIB)?;
        let title = format!("{name} is {} for every connection", size(buffer));
        let mut said = say(case, &RULE, Severity::Low, Confidence::Medium, title).about(name);
        if let Some(most) = case.number("max_connections") {
            said = said.seen("worst_case_bytes", buffer.saturating_mul(most));
        }
        Some(
            said.advise(format!(
                "The default of {} serves InnoDB; raise it in single sessions only.",
                size(default)
            ))
            .set(name, bytes(default), When::Now)
            .verify("Times of scans and sorts stay as they are; resident memory falls.")
            .end(),
        )
    });
    large.collect()
}
