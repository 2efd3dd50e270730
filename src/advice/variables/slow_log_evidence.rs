//! What the slow log tells of a statement.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// The slow log does not tell how a statement was run, though the server could.
    ///
    /// **Costs.** Advice must guess at scans, sorts and temporary tables.
    /// **Wrong when.** The disk of the log is nearly full: lines get longer.
    /// **Verify.** The next log has the attributes.
    /// **Source.** MySQL manual, log_slow_extra (8.0.14); MariaDB and Percona Server,
    /// log_slow_verbosity.
    Variables "VAR031" "slow-log-poor"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    if !case.has_log() {
        return None;
    }
    let verify = "The next log tells rows read, sorts and temporary tables of each statement.";
    let told = |name, to, text: &str| {
        say(
            case,
            &RULE,
            Severity::Info,
            Confidence::High,
            "the slow log could tell how statements were run",
        )
        .about(name)
        .advise(text)
        .set(name, to, When::Now)
        .verify(verify)
        .end()
    };
    if let Some(verbosity) = case.text("log_slow_verbosity") {
        let parts: Vec<String> =
            verbosity.split(',').map(|it| it.trim().to_ascii_lowercase()).collect();
        let has = |word: &str| parts.iter().any(|part| part == word);
        if has("query_plan") || has("full") || has("standard") {
            return None;
        }
        let to = if case.is_mariadb() {
            "query_plan,innodb,explain"
        } else {
            "microtime,query_plan,innodb"
        };
        return Some(told(
            "log_slow_verbosity",
            word(to),
            "query_plan adds a line with scans, sorts and temporary tables.",
        ));
    }
    let is_off = case.flag("log_slow_extra") == Some(false) && case.is_mysql_from(8, 0, 14);
    is_off.then(|| {
        told(
            "log_slow_extra",
            word("ON"),
            "It adds rows read, sorts and temporary tables to each entry; the log file only.",
        )
    })
}
