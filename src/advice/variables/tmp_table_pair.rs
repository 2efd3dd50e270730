//! Two limits of one thing.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, bytes, say, size};

rule! {
    /// tmp_table_size and max_heap_table_size differ, and the smaller one counts.
    ///
    /// **Costs.** Who raised tmp_table_size believes in a limit that is not in force: temporary
    /// tables go to disk earlier.
    /// **Wrong when.** MySQL 8.0 and later use TempTable, which asks tmp_table_size alone
    /// (8.0.28). A larger max_heap_table_size is for tables of the engine MEMORY, and takes
    /// nothing away.
    /// **Verify.** SHOW GLOBAL VARIABLES; Created_tmp_disk_tables a second.
    /// **Source.** MySQL manual, internal temporary tables.
    Variables "VAR008" "tmp-table-limits-differ"
}

const MIB: u64 = 1_024 * 1_024;
/// A temporary table in memory beyond this is a query to mend.
const MOST: u64 = 256 * MIB;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    if !super::facts::is_memory_engine(case)? {
        return None;
    }
    let (own, heap) = (case.number("tmp_table_size")?, case.number("max_heap_table_size")?);
    // The defaults of MySQL 5.0 and 5.1 differ by themselves.
    let is_default = own == 32 * MIB && heap == 16 * MIB && case.is_mysql_before(5, 5, 0);
    // Servers round max_heap_table_size down to whole KiB.
    let to = own / 1_024 * 1_024;
    if to <= heap || is_default {
        return None;
    }
    let title = format!(
        "temporary tables in memory end at {}, not at the {} of tmp_table_size",
        size(heap),
        size(own)
    );
    let said = say(case, &RULE, Severity::Low, Confidence::High, title)
        .about("tmp_table_size")
        .seen("max_heap_table_size", heap)
        .seen("tmp_table_limit_bytes", heap);
    let said = if own <= MOST {
        said.advise(format!(
            "The smaller of the two counts. If {} were meant, set both to it; else lower tmp_table_size to {}. \
             Each temporary table of each connection may take so much.",
            size(own),
            size(heap)
        ))
        .set("max_heap_table_size", bytes(to), When::Now)
    } else {
        said.advise(format!(
            "The smaller of the two counts. {} for each temporary table is more than a server should \
             give: let tmp_table_size say what holds.",
            size(own)
        ))
        .set("tmp_table_size", bytes(heap), When::Now)
    };
    Some(said.verify("SHOW GLOBAL VARIABLES LIKE '%table_size': both are equal. Running sessions keep their values.").end())
}
