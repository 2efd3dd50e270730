//! How many connections are allowed.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, DAY, is_percent};
use super::say::{When, count, say, up_to};

rule! {
    /// Connections are nearly used up, or ten times as many are allowed as ever came.
    ///
    /// **Costs.** Clients are refused with error 1040; or a storm of clients brings the server
    /// down before the limit protects it.
    /// **Wrong when.** A single storm made the peak; a spare is kept for a known event.
    /// **Verify.** Max_used_connections and Connection_errors_max_connections after a week.
    /// **Source.** MySQL manual, too many connections.
    Variables "VAR003" "max-connections"
}

/// Connections from which on a limit is far from what comes.
const MANY: u64 = 1_000;
/// What servers take: MySQL manual and MariaDB, max_connections; 16,384 in MySQL 5.0.
const MOST: u64 = 100_000;
const MOST_OF_OLD: u64 = 16_384;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let most = case.number("max_connections").filter(|most| *most > 0)?;
    let used = case.count("max_used_connections")?;
    let refused = case.rates().and_then(|it| it.grown("connection_errors_max_connections"));
    let is_refused = refused.is_some_and(|refused| refused > 0);
    if is_percent(used, most, 85) || is_refused {
        let (severity, title) = match refused.filter(|_| is_refused) {
            Some(refused) => (
                Severity::High,
                format!("{refused} connections were refused: all {most} were taken"),
            ),
            None => {
                (Severity::Medium, format!("{used} of {most} connections have been in use at once"))
            }
        };
        let bound = if case.is_mysql_before(5, 1, 17) { MOST_OF_OLD } else { MOST };
        let peak = used.max(most);
        let to = up_to(peak.saturating_mul(3) / 2, 10).min(bound);
        let mut said = say(case, &RULE, severity, Confidence::High, title)
            .about("max_connections")
            .seen("max_used_connections", used);
        if let Some(refused) = refused {
            said = said.seen("connection_errors_max_connections", refused);
        }
        let first = "Look first whether statements pile up behind a lock or a slow query, and pool connections \
                     in the application.";
        let said = if to > most {
            said.advise(format!(
                "{first} If they are truly needed, allow half as many again: {peak} × 1.5, in tens and at most {bound}, is {to}. \
                 Each may take its buffers (VAR002), and open_files_limit has to follow."
            ))
            .set("max_connections", count(to), When::Now)
        } else {
            said.advise(format!("{first} No server takes more than {bound}."))
        };
        return Some(
            said.verify("Max_used_connections stays below 85 % of max_connections.").end(),
        );
    }
    let rates = case.long_rates().filter(|_| case.facts.status.uptime() >= Some(DAY))?;
    if most <= MANY || used.saturating_mul(10) >= most {
        return None;
    }
    let to = up_to(used.saturating_mul(3), 50).max(151);
    let title = format!("{most} connections are allowed and at most {used} were in use at once");
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about("max_connections")
            .seen("max_used_connections", used)
            .over(&rates)
            .advise(format!(
                "A limit near to what comes protects the server from a storm of clients and bounds its \
                 memory (VAR002). Three times the peak: {used} × 3, at least the default of 151, is {to}."
            ))
            .set("max_connections", count(to), When::Now)
            .verify("Connection_errors_max_connections stays 0.")
            .end(),
    )
}
