//! The cache of MyISAM indexes.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, bytes, say, size};

rule! {
    /// The cache of MyISAM indexes is large without use, or too small for its use.
    ///
    /// **Costs.** Memory that InnoDB would use; or index blocks read from disk.
    /// **Wrong when.** MyISAM tables are used at month's end only.
    /// **Verify.** Key_reads against Key_read_requests.
    /// **Source.** MySQL manual, MyISAM key cache: 8 MiB by default, 128 MiB in MariaDB.
    Variables "VAR029" "key-buffer-size"
}

const MIB: u64 = 1_024 * 1_024;
const NAME: &str = "key_buffer_size";

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let buffer = case.number(NAME)?;
    too_small(case, buffer).or_else(|| without_use(case, buffer))
}

fn too_small(case: &Case<'_>, buffer: u64) -> Option<Finding> {
    let rates = case.rates()?;
    let (reads, requests) = (rates.grown("key_reads")?, rates.grown("key_read_requests")?);
    if !(is_percent(reads, requests, 1) && rates.is_per_second("key_reads", 100)) {
        return None;
    }
    let title =
        format!("{} % of the index blocks of MyISAM are read from disk", percent(reads, requests));
    let said = say(case, &RULE, Severity::Medium, Confidence::Medium, title)
        .about(NAME)
        .seen("key_reads", reads)
        .seen("key_read_requests", requests)
        .over(&rates);
    let most = case.facts.machine.memory.map(|memory| memory / 4);
    let to =
        most.map(|most| buffer.saturating_mul(2).min(most) / MIB * MIB).filter(|to| *to > buffer);
    let said = match to {
        Some(to) => said
            .advise(format!(
                "Twice {}, at most a quarter of the memory, is {}. Better still: InnoDB.",
                size(buffer),
                size(to)
            ))
            .set(NAME, bytes(to), When::Now),
        None => said.advise(
            "Up to a quarter of the memory may go there: give --memory SIZE. Better still: InnoDB.",
        ),
    };
    Some(said.verify("Key_reads a second falls.").end())
}

fn without_use(case: &Case<'_>, buffer: u64) -> Option<Finding> {
    let default = if case.is_mariadb() { 128 * MIB } else { 8 * MIB };
    let rates = case.long_rates()?;
    let requests =
        rates.grown("key_read_requests").filter(|requests| *requests < rates.seconds())?;
    // Unless the tables are known, MyISAM may be there for a use that this stretch did not see.
    if buffer <= default.max(32 * MIB) || case.has_engine("MyISAM") != Some(false) {
        return None;
    }
    let title = format!("{} are kept for MyISAM indexes and no table is of MyISAM", size(buffer));
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about(NAME)
            .seen("key_read_requests", requests)
            .over(&rates)
            .advise(format!("The default of {} is enough.", size(default)))
            .set(NAME, bytes(default), When::Now)
            .verify("Key_reads a second stays near 0.")
            .end(),
    )
}
