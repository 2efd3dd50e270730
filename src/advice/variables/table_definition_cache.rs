//! Definitions of tables that are kept.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, count, say, up_to};

rule! {
    /// Definitions of tables are read again and again.
    ///
    /// **Costs.** Each reading parses a file or asks the dictionary.
    /// **Wrong when.** A tool walks through the information schema now and then.
    /// **Verify.** Opened_table_definitions a second.
    /// **Source.** MySQL manual, table_definition_cache.
    Variables "VAR006" "table-definition-cache-small"
}

/// What every server takes: MySQL manual, table_definition_cache.
const LEAST: u64 = 400;
const MOST: u64 = 524_288;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let cache = case.number("table_definition_cache")?;
    let rates = case.rates()?;
    let opened =
        rates.grown("opened_table_definitions").filter(|opened| *opened > rates.seconds())?;
    let tables = case.schema.map(|schema| schema.tables().len() as u64);
    // Without the tables the cache must at least be full.
    let open = case.count("open_table_definitions");
    let is_short =
        tables.is_some_and(|tables| tables > cache) || open.is_some_and(|open| open >= cache);
    if !is_short {
        return None;
    }
    let to = cache.saturating_mul(2).max(up_to(tables.unwrap_or(0), 100)).clamp(LEAST, MOST);
    if to <= cache {
        return None;
    }
    let title = format!("{} definitions of tables are read a second", rates.a_second(opened));
    let mut said = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about("table_definition_cache")
        .seen("opened_table_definitions", opened);
    if let Some(open) = open {
        said = said.seen("open_table_definitions", open);
    }
    Some(
        said.over(&rates)
            .advise(format!("Twice {cache}, or one for each table, is {to}."))
            .set("table_definition_cache", count(to), When::Now)
            .verify("Opened_table_definitions grows by less than one a second.")
            .end(),
    )
}
