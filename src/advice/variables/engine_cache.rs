//! Caches of engines without tables.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, count, say, size};

rule! {
    /// Memory is kept for an engine that no table uses.
    ///
    /// **Costs.** The memory is missing elsewhere.
    /// **Wrong when.** Tables of it come and go. MariaDB keeps its own temporary tables on disk
    /// in Aria: 128 MiB stay for these.
    /// **Verify.** SHOW ENGINES; ENGINE in information_schema.TABLES.
    /// **Source.** MariaDB, aria_pagecache_buffer_size; MyRocks; TokuDB.
    Variables "VAR040" "engine-cache-unused"
}

const MIB: u64 = 1_024 * 1_024;
/// Cache, engine, and what stays.
const CACHES: &[(&str, &str, u64)] = &[
    ("tokudb_cache_size", "TokuDB", 0),
    ("rocksdb_block_cache_size", "ROCKSDB", 0),
    ("aria_pagecache_buffer_size", "Aria", 128 * MIB),
];

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let idle = CACHES.iter().filter_map(|(name, engine, stays)| {
        let cache = case.number(name).filter(|cache| cache > stays)?;
        if case.has_engine(engine)? {
            return None;
        }
        let title = format!("{} are kept for {engine} and no table is of it", size(cache));
        let said = say(case, &RULE, Severity::Low, Confidence::Medium, title).about(name);
        let said = if *stays > 0 {
            said.advise(format!("{} serve the temporary tables of the server.", size(*stays)))
                .set(name, bytes(*stays), When::Restart)
        } else {
            said.advise(format!("Take the plugin of {engine} out, or make its cache small; a restart frees the memory."))
        };
        Some(said.verify("ENGINE in information_schema.TABLES; resident memory after the restart.").end())
    });
    idle.chain(ratio(case)).collect()
}

/// A share of the buffer pool that a provider gives to TokuDB.
fn ratio(case: &Case<'_>) -> Option<Finding> {
    const NAME: &str = "tokudb_buffer_pool_ratio";
    let percent = case.number(NAME).filter(|percent| *percent > 0)?;
    if case.has_engine("TokuDB")? {
        return None;
    }
    let title = format!("{percent} % of the buffer pool are kept for TokuDB and no table is of it");
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about(NAME)
            .advise("0 gives the memory back to InnoDB.")
            .set(NAME, count(0), When::Restart)
            .verify("ENGINE in information_schema.TABLES; the size of the buffer pool after the restart.")
            .end(),
    )
}
