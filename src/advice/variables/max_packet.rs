//! The longest statement or row.

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Finding, Severity};
use crate::sql::fingerprint::ClassId;
use crate::sql::glance::{Verb, statement};

use super::case::Case;
use super::say::{When, bytes, say, size};
use super::symptom::Sign;

rule! {
    /// A statement or a value is longer than the server takes, or near to it.
    ///
    /// **Costs.** It fails with error 1153, or gives NULL with warning 1301.
    /// **Wrong when.** The statement is a mistake: a list of a million numbers belongs into a
    /// table.
    /// **Verify.** The statement runs. Replicas need the same value.
    /// **Source.** MySQL manual, packet too large: 64 MiB by default in MySQL 8.0, 16 MiB in
    /// MariaDB. Without an error it takes less than 16 MiB and writes of 1 MiB in the log.
    Variables "VAR028" "max-allowed-packet"
}

const MIB: u64 = 1_024 * 1_024;
const ENOUGH: u64 = 64 * MIB;

/// Classes that write statements of a MiB and more, and the longest of these.
fn long_writes(case: &Case<'_>) -> Option<(Vec<ClassId>, u64)> {
    let is_write = |class: &&Class<'_>| {
        matches!(statement(class.sample()).verb, Verb::Insert | Verb::Replace | Verb::Update)
    };
    let long = case.workload.classes.iter().filter(|class| case.has_log() && is_write(class));
    let long = long.filter_map(|class| {
        class.load.longest_statement.filter(|bytes| *bytes >= MIB).map(|bytes| (class.id, bytes))
    });
    let long: Vec<(ClassId, u64)> = long.collect();
    let most = long.iter().map(|(_, bytes)| *bytes).max()?;
    Some((long.into_iter().map(|(id, _)| id).collect(), most))
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    match case.sign(RULE.code) {
        Some(sign) => by_error(case, sign),
        None => by_length(case),
    }
}

fn by_length(case: &Case<'_>) -> Option<Finding> {
    let present = case.number("max_allowed_packet").filter(|present| *present < 16 * MIB)?;
    let (classes, most) = long_writes(case)?;
    let title = format!(
        "statements of {} are written, and max_allowed_packet is {}",
        size(most),
        size(present)
    );
    let mut finding = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about("max_allowed_packet")
        .seen("longest_statement_bytes", most)
        .advise(format!(
            "A row or a batch that is somewhat longer fails with error 1153. {} is what servers of today begin with; \
             clients and replicas have a limit of their own.",
            size(ENOUGH)
        ))
        .set("max_allowed_packet", bytes(ENOUGH), When::Now)
        .verify("No error 1153 in the application.")
        .end();
    finding.queries = classes;
    Some(finding)
}

fn by_error(case: &Case<'_>, sign: &Sign<'_>) -> Option<Finding> {
    let present = case.number("max_allowed_packet").filter(|present| *present < 1_024 * MIB)?;
    // Servers take whole KiB.
    let to = present.saturating_mul(2).clamp(ENOUGH, 1_024 * MIB) / 1_024 * 1_024;
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
