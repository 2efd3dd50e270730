//! Tables that stay open.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, count, say};

rule! {
    /// Tables are opened again and again, since too few may stay open.
    ///
    /// **Costs.** Opening a table takes locks and reads its definition.
    /// **Wrong when.** A backup or FLUSH TABLES ran in the stretch; the server has just started.
    /// **Verify.** Table_open_cache_overflows or Opened_tables a second.
    /// **Source.** MySQL manual, how MySQL opens and closes tables. The variable is table_cache
    /// before 5.1.3.
    Variables "VAR005" "table-open-cache-small"
}

/// What servers of today begin with at least.
const LEAST: u64 = 400;
/// What every server takes: MySQL manual, table_open_cache.
const MOST: u64 = 524_288;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let name =
        if case.text("table_open_cache").is_some() { "table_open_cache" } else { "table_cache" };
    let cache = case.number(name)?;
    let rates = case.rates()?;
    let opened = rates.grown("opened_tables");
    let lookups = rates.grown("table_open_cache_hits").zip(rates.grown("table_open_cache_misses"));
    let (is_small, title) = match (lookups, rates.grown("table_open_cache_overflows")) {
        (Some((hits, misses)), Some(overflows)) => {
            let all = hits.saturating_add(misses);
            let title =
                format!("{} % of the look-ups found their table closed", percent(misses, all));
            (is_percent(misses, all, 5) && overflows > 0, title)
        }
        _ => {
            let opened = opened?;
            // Tables that were flushed leave room; then the cache is not what is short.
            let is_full = case.count("open_tables").is_none_or(|open| is_percent(open, cache, 90));
            let title = format!("{} tables are opened a second", rates.a_second(opened));
            (opened > rates.seconds().saturating_mul(5) && is_full, title)
        }
    };
    if !is_small {
        return None;
    }
    let wanted = cache.saturating_mul(2).clamp(LEAST, MOST);
    let files = case.number("open_files_limit").filter(|files| *files > 0);
    let connections = case.number("max_connections").unwrap_or(0);
    // The server asks for two files a table, one a connection, and some.
    let most = files.map(|files| files.saturating_sub(connections.saturating_add(10)) / 2);
    let to = most.map_or(wanted, |most| most.min(wanted));
    let mut said = say(case, &RULE, Severity::Medium, Confidence::Medium, title).about(name);
    for (counter, value) in [
        ("opened_tables", opened),
        ("table_open_cache_misses", lookups.map(|it| it.1)),
        ("table_open_cache_hits", lookups.map(|it| it.0)),
        ("table_open_cache_overflows", rates.grown("table_open_cache_overflows")),
        ("open_tables", case.count("open_tables")),
    ] {
        if let Some(value) = value {
            said = said.seen(counter, value);
        }
    }
    said = said.over(&rates);
    let said = if to > cache {
        said.advise(format!(
            "Twice {cache}, at least {LEAST}{}, is {to}; go on while the rate falls.",
            files.map_or(String::new(), |files| format!(", within open_files_limit {files}"))
        ))
        .set(name, count(to), When::Now)
    } else if cache >= MOST {
        said.advise(format!(
            "{cache} is more than enough: look for tables with very many partitions."
        ))
    } else {
        said.advise(format!(
            "open_files_limit of {} allows no more: raise it first, in the service as well (VAR007).",
            files.unwrap_or(0)
        ))
    };
    Some(
        said.verify("Opened_tables a second falls; Table_open_cache_overflows stands still.").end(),
    )
}
