//! Whether the server counts the use of indexes.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// The server does not count which indexes are used.
    ///
    /// **Costs.** An index that nobody reads cannot be told from one that is read once a month.
    /// **Wrong when.** Memory is very short: performance_schema takes some hundred MiB.
    /// **Verify.** sys.schema_unused_indexes, or INDEX_STATISTICS, after a month.
    /// **Source.** MySQL manual, performance_schema (ON by default; OFF in MariaDB); MariaDB and
    /// Percona Server, userstat.
    Variables "VAR041" "index-use-not-counted"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    // Who gives tables and a log asks which indexes are needed.
    case.schema.filter(|schema| case.has_log() && schema.tables().len() > 0)?;
    if case.flag("performance_schema")? || case.flag("userstat") == Some(true) {
        return None;
    }
    let said = say(
        case,
        &RULE,
        Severity::Info,
        Confidence::High,
        "the server does not count the use of indexes",
    )
    .about("performance_schema");
    let said = match case.flag("userstat") {
        Some(false) => said
            .advise("userstat counts it at little cost and without a restart: INDEX_STATISTICS. Indexes without a line there after a month are candidates to drop.")
            .set("userstat", word("ON"), When::Now),
        _ => said
            .advise("performance_schema counts it: sys.schema_unused_indexes after a month names candidates to drop.")
            .set("performance_schema", word("ON"), When::Restart),
    };
    Some(said.verify("Counters of indexes grow.").end())
}
