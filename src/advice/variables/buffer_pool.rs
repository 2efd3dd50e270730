//! The buffer pool of InnoDB.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, bytes, say, size, up_to};

rule! {
    /// The buffer pool does not hold the pages that the load reads.
    ///
    /// **Costs.** A page that is not in the pool is read from disk, at a thousand times the
    /// price.
    /// **Wrong when.** The misses are first reads after a start; the host is shared; all data fit
    /// in the pool. Free pages while nobody waits for one show first reads.
    /// **Verify.** Innodb_buffer_pool_reads a second, before and after, under the same load.
    /// **Source.** MySQL manual, buffer pool configuration. 60 % of the memory of a dedicated
    /// host is a start, bounded by the data and a fifth.
    Variables "VAR001" "buffer-pool-small"
}

const MIB: u64 = 1_024 * 1_024;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let pool = case.number("innodb_buffer_pool_size")?;
    if case.flag("innodb_dedicated_server") == Some(true) {
        return None;
    }
    let data = case.data_bytes();
    if data.is_some_and(|data| data <= pool) {
        return None;
    }
    let by_counters = by_counters(case);
    let default = if case.is_mysql_before(5, 5, 0) { 8 * MIB } else { 128 * MIB };
    let memory = case.facts.machine.memory;
    let is_default =
        pool == default && data.is_some() && memory.is_some_and(|it| it >= 2_048 * MIB);
    if by_counters.is_none() && !is_default {
        return None;
    }
    // The pool grows in whole chunks for each of its instances.
    let chunk =
        case.number("innodb_buffer_pool_chunk_size").filter(|it| *it > 0).unwrap_or(128 * MIB);
    let step =
        chunk.saturating_mul(case.number("innodb_buffer_pool_instances").unwrap_or(1).max(1));
    let wanted = memory.map(|memory| {
        let most = memory / 100 * 60;
        data.map_or(most, |data| most.min(data / 100 * 120))
    });
    let to =
        wanted.map(|wanted| up_to(wanted.saturating_sub(step) + 1, step)).filter(|to| *to > pool);
    let title = match by_counters {
        Some((reads, requests, rates)) => format!(
            "{} % of the reads of pages go to disk, {} a second: the buffer pool of {} is too small",
            percent(reads, requests),
            rates.a_second(reads),
            size(pool)
        ),
        None => {
            format!("the buffer pool has its default of {} and the data are larger", size(pool))
        }
    };
    let confidence =
        if by_counters.is_some() && data.is_some() { Confidence::High } else { Confidence::Medium };
    let mut said =
        say(case, &RULE, Severity::High, confidence, title).about("innodb_buffer_pool_size");
    if let Some((reads, requests, rates)) = by_counters {
        said = said
            .seen("innodb_buffer_pool_reads", reads)
            .seen("innodb_buffer_pool_read_requests", requests)
            .over(&rates);
    }
    if let Some(data) = data {
        said = said.seen("data_and_index_bytes", data);
    }
    if let Some(memory) = memory {
        said = said.seen("memory_bytes", memory);
    }
    let largest = case.number("innodb_buffer_pool_size_max").filter(|it| *it > 0);
    let is_dynamic = (case.is_mysql_from(5, 7, 5) || case.is_mariadb_from(10, 2, 2))
        && largest.is_none_or(|most| to.is_some_and(|to| to <= most));
    said = match (to, memory) {
        (Some(to), Some(memory)) => said
            .advise(format!(
                "60 % of {} of memory is {}{}. This holds for a host that runs nothing else; leave room \
                 for the buffers of connections (VAR002).",
                size(memory),
                size(memory / 100 * 60),
                data.map_or(String::new(), |data| format!("; data and indexes and a fifth are {}", size(data / 100 * 120)))
            ))
            .set("innodb_buffer_pool_size", bytes(to), When::now_if(is_dynamic)),
        (None, Some(_)) => said.advise(
            "The pool has its share of the memory already: fewer pages must be read (indexes), or \
             the host needs more memory.",
        ),
        (_, None) => said.advise(
            "How much memory there is decides on the size: give --memory SIZE. Tables with their \
             sizes (--schema with SHOW TABLE STATUS) bound it.",
        ),
    };
    Some(
        said.verify("Innodb_buffer_pool_reads a second falls under the same load; no swapping.")
            .end(),
    )
}

/// Reads from disk and reads in all, where the former are more than 1 % and 100 a second.
fn by_counters<'a>(case: &Case<'a>) -> Option<(u64, u64, super::case::Rates<'a>)> {
    let rates = case.rates()?;
    let reads = rates.grown("innodb_buffer_pool_reads")?;
    let requests = rates.grown("innodb_buffer_pool_read_requests")?;
    let free = case
        .count("innodb_buffer_pool_pages_free")
        .zip(case.count("innodb_buffer_pool_pages_total"));
    let has_room = free.is_some_and(|(free, total)| is_percent(free, total, 10))
        && rates.grown("innodb_buffer_pool_wait_free") == Some(0);
    let is_much =
        is_percent(reads, requests, 1) && rates.is_per_second("innodb_buffer_pool_reads", 100);
    (is_much && !has_room).then_some((reads, requests, rates))
}
