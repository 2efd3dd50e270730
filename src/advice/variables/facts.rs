//! What the rules measure, whether or not one speaks.

use crate::advice::Fact;
use crate::plan::Amount;

use super::case::{Case, HOUR};

/// Buffers that a connection may take, each at least once.
const PER_CONNECTION: &[&str] = &[
    "sort_buffer_size",
    "join_buffer_size",
    "read_buffer_size",
    "read_rnd_buffer_size",
    "thread_stack",
    "binlog_cache_size",
    "net_buffer_length",
];

/// Memory that the server takes once.
const ONCE: &[&str] =
    &["innodb_buffer_pool_size", "innodb_log_buffer_size", "key_buffer_size", "query_cache_size"];

/// Memory that a server may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// What it takes once.
    pub once: u64,
    /// What a connection may take.
    pub per_connection: u64,
    /// With all connections that are allowed.
    pub worst: Option<u64>,
    /// With as many connections as there have been.
    pub seen: Option<u64>,
}

/// Memory by the variables; `None` where no buffer of connections is printed.
pub fn memory(case: &Case<'_>) -> Option<Memory> {
    let sum = |names: &[&str]| {
        let sizes: Vec<u64> = names.iter().filter_map(|name| case.number(name)).collect();
        let sum = sizes.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
        (!sizes.is_empty()).then_some(sum)
    };
    let per_connection = sum(PER_CONNECTION)?;
    let once = sum(ONCE).unwrap_or(0);
    let with = |count: u64| once.saturating_add(per_connection.saturating_mul(count));
    Some(Memory {
        once,
        per_connection,
        worst: case.number("max_connections").map(with),
        seen: case.count("max_used_connections").map(with),
    })
}

/// Bytes that the redo log holds.
pub fn redo_capacity(case: &Case<'_>) -> Option<u64> {
    if case.is_mysql_from(8, 0, 30) {
        // The capacity in force, which the server makes from the size of old log files where they
        // are set and the capacity is not.
        let in_force = case.count("innodb_redo_log_capacity_resized").filter(|it| *it > 0);
        return in_force.or_else(|| case.number("innodb_redo_log_capacity"));
    }
    let size = case.number("innodb_log_file_size")?;
    let files = match case.number("innodb_log_files_in_group") {
        Some(files) => files,
        // MariaDB has one file since 10.5, and no longer the variable since 10.6.
        None if case.is_mariadb_from(10, 5, 0) => 1,
        None => return None,
    };
    size.checked_mul(files)
}

/// Bytes of redo an hour.
pub fn redo_per_hour(case: &Case<'_>) -> Option<u64> {
    let rates = case.rates()?;
    let grown = rates.grown("innodb_os_log_written")?;
    Some(rates.an_hour(grown))
}

/// Whether internal temporary tables in memory are those of the MEMORY engine.
pub fn is_memory_engine(case: &Case<'_>) -> Option<bool> {
    let version = case.version?;
    Some(match case.text("internal_tmp_mem_storage_engine") {
        Some(engine) => engine.eq_ignore_ascii_case("MEMORY"),
        None => version.is_mariadb() || version.is_mysql() && version.numbers < (8, 0, 0),
    })
}

/// Bytes from which on an internal temporary table goes to disk.
pub fn tmp_table_limit(case: &Case<'_>) -> Option<u64> {
    let own = case.number("tmp_table_size")?;
    match is_memory_engine(case)? {
        true => Some(own.min(case.number("max_heap_table_size")?)),
        // Before 8.0.28 TempTable knew a bound for all tables together only.
        false => case.is_mysql_from(8, 0, 28).then_some(own),
    }
}

/// Whether the query cache is there, on, and has a size.
pub fn has_query_cache(case: &Case<'_>) -> bool {
    let has =
        case.version.is_some_and(|it| it.is_mariadb() || it.is_mysql() && it.numbers < (8, 0, 0));
    let is_on = case
        .text("query_cache_type")
        .is_some_and(|it| !["OFF", "0"].iter().any(|off| it.eq_ignore_ascii_case(off)));
    has && is_on
        && case.flag("have_query_cache") != Some(false)
        && case.number("query_cache_size").is_some_and(|size| size > 0)
}

/// How often the query cache was asked and how often it answered.
pub fn lookups(case: &Case<'_>, grown: &dyn Fn(&str) -> Option<u64>) -> Option<(u64, u64)> {
    let (hits, selects) = (grown("qcache_hits")?, grown("com_select")?);
    // MySQL does not count a hit as a SELECT, MariaDB does (MDEV-4981).
    let asked = if case.is_mariadb() { selects } else { selects.saturating_add(hits) };
    (asked >= hits).then_some((hits, asked))
}

/// All of them, by the names of the contract.
pub fn facts(case: &Case<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |name: &'static str, amount: Option<Amount>| {
        facts.extend(amount.map(|amount| Fact::number(name, amount)));
    };
    let whole = |number: Option<u64>| number.map(Amount::whole);
    let ratio = |part: u64, of: u64| Amount::whole(part).ratio(Amount::whole(of));
    add("uptime_seconds", whole(case.facts.status.uptime()));
    let rates = case.rates();
    let grown = |name: &str| rates.as_ref()?.grown(name);
    add("redo_bytes_per_hour", whole(redo_per_hour(case)));
    add("redo_capacity_bytes", whole(redo_capacity(case)));
    if has_query_cache(case) {
        add("query_cache_hit_ratio", lookups(case, &grown).and_then(|(hits, of)| ratio(hits, of)));
        let prunes = rates.as_ref().and_then(|rates| {
            let day =
                Amount::whole(rates.grown("qcache_lowmem_prunes")?).times(Amount::whole(24 * HOUR));
            day.ratio(Amount::whole(rates.seconds()))
        });
        add("query_cache_prunes_per_day", prunes);
    }
    let memory = memory(case);
    add("memory_per_connection_bytes", whole(memory.map(|it| it.per_connection)));
    add("memory_worst_case_bytes", whole(memory.and_then(|it| it.worst)));
    add("memory_seen_bytes", whole(memory.and_then(|it| it.seen)));
    let join = case.number("join_buffer_size").zip(case.number("max_connections"));
    add(
        "join_buffer_worst_case_bytes",
        whole(join.and_then(|(size, most)| size.checked_mul(most))),
    );
    add("tmp_table_limit_bytes", whole(tmp_table_limit(case)));
    let tmp = grown("created_tmp_disk_tables").zip(grown("created_tmp_tables"));
    add("tmp_disk_ratio", tmp.and_then(|(disk, all)| ratio(disk, all)));
    facts
}
