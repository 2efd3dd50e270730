//! Files that may be open.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent};
use super::say::{When, count, say, up_to};

rule! {
    /// The server is near the number of files that it may have open.
    ///
    /// **Costs.** Tables cannot be opened: errno 24, and statements fail.
    /// **Wrong when.** The peak came from a single ALTER of a table with thousands of partitions.
    /// **Verify.** Open_files.
    /// **Source.** MySQL manual, file not found and similar errors.
    Variables "VAR007" "open-files-limit"
}

/// What a process may have open on Linux, unless fs.nr_open is raised.
const MOST: u64 = 1_048_576;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let limit = case.number("open_files_limit").filter(|limit| *limit > 0)?;
    let open = case.count("open_files")?;
    if !is_percent(open, limit, 85) {
        return None;
    }
    let tables =
        case.number("table_open_cache").or_else(|| case.number("table_cache")).unwrap_or(0);
    let connections = case.number("max_connections").unwrap_or(0);
    let asked = tables.saturating_mul(2).saturating_add(connections).saturating_add(10);
    let to = up_to(asked.max(limit.saturating_mul(2)), 1_024).min(MOST);
    let title = format!("{open} of {limit} files are open");
    let said = say(case, &RULE, Severity::Medium, Confidence::High, title)
        .about("open_files_limit")
        .seen("open_files", open)
        .seen("asked_by_table_open_cache", asked);
    if to <= limit {
        return Some(
            said.advise("A higher limit is no answer any more: look for tables with very many partitions, and lower table_open_cache.")
                .verify("Open_files falls.")
                .end(),
        );
    }
    Some(
        said.advise(format!(
                "Twice the limit, and at least table_open_cache × 2 + max_connections + 10 = {asked}, is {to}. \
                 Raise LimitNOFILE of the service as well: the server gets no more than that."
            ))
            .set("open_files_limit", count(to), When::Restart)
            .verify("SHOW GLOBAL VARIABLES LIKE 'open_files_limit' shows the new value; Open_files stays below 85 % of it.")
            .end(),
    )
}
