//! Temporary tables on disk.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, bytes, say, size, up_to};

rule! {
    /// Many temporary tables are written to disk.
    ///
    /// **Costs.** A temporary table on disk is written and read through files, and indexed there.
    /// **Wrong when.** The tables hold BLOB or TEXT columns, which went to disk at any size
    /// before MySQL 8.0.13 and still do in MariaDB: then a larger limit does not help.
    /// **Verify.** Created_tmp_disk_tables a second and its share of Created_tmp_tables.
    /// **Source.** MySQL manual, internal temporary tables.
    Variables "VAR009" "tmp-tables-on-disk"
}

const MIB: u64 = 1_024 * 1_024;
/// A temporary table in memory beyond this is a query to mend.
const MOST: u64 = 128 * MIB;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let rates = case.rates()?;
    let (disk, all) = (rates.grown("created_tmp_disk_tables")?, rates.grown("created_tmp_tables")?);
    if !(is_percent(disk, all, 25) && disk > rates.seconds()) {
        return None;
    }
    let title = format!(
        "{} % of the temporary tables go to disk, {} a second",
        percent(disk, all),
        rates.a_second(disk)
    );
    let limit = super::facts::tmp_table_limit(case);
    let said = say(case, &RULE, Severity::Medium, Confidence::Medium, title)
        .about("tmp_table_size")
        .seen("created_tmp_disk_tables", disk)
        .seen("created_tmp_tables", all)
        .over(&rates);
    let first = "First mend the statements that make them: an index that gives the order or the groups, \
                 no TEXT or BLOB columns in GROUP BY, DISTINCT and UNION.";
    let said = match (limit, super::facts::is_memory_engine(case)) {
        (Some(limit), Some(true)) if limit < MOST => {
            let to = up_to(limit.saturating_mul(2), 1_024).max(16 * MIB);
            said.advise(format!(
                "{first} Then raise both limits in one step, {} to {}, and see whether the share falls; \
                 if it does not, the cause is TEXT or BLOB, and the limits go back.",
                size(limit),
                size(to)
            ))
            .set("tmp_table_size", bytes(to), When::Now)
            .set("max_heap_table_size", bytes(case.number("max_heap_table_size").unwrap_or(0).max(to)), When::Now)
        }
        (Some(limit), Some(false)) if limit < MOST => {
            let to = up_to(limit.saturating_mul(2), 1_024).max(16 * MIB);
            said.advise(format!(
                "{first} Then raise tmp_table_size from {} to {}: TempTable takes so much for one table, \
                 and temptable_max_ram for all together.",
                size(limit),
                size(to)
            ))
            .set("tmp_table_size", bytes(to), When::Now)
        }
        (Some(limit), _) => said.advise(format!(
            "{first} The limit of {} is ample: raising it further would only hide them.",
            size(limit)
        )),
        (None, _) => said.advise(format!(
            "{first} Where TempTable is used, temptable_max_ram bounds all tables together."
        )),
    };
    Some(said.verify("Created_tmp_disk_tables a second falls under the same load.").end())
}
