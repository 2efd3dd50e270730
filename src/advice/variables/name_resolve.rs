//! Names of clients.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// The server asks a DNS server for the name of each client.
    ///
    /// **Costs.** A login waits for the answer, up to seconds where the DNS server is slow.
    /// **Wrong when.** Grants use names of hosts: those users could no longer log in.
    /// **Verify.** The time to connect; no `unauthenticated user` in the process list.
    /// **Source.** MySQL manual, DNS lookups and the host cache.
    Variables "VAR026" "name-resolve"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let sign = case.sign(RULE.code)?;
    if case.flag("skip_name_resolve")? || case.provider.is_some() {
        return None;
    }
    Some(
        say(case, &RULE, Severity::Low, Confidence::Medium, "logins wait for the names of their clients")
            .about("skip_name_resolve")
            .text("symptom", sign.text)
            .advise(
                "Look for grants with names of hosts first: SELECT user, host FROM mysql.user WHERE host RLIKE '[a-z]' AND host <> 'localhost'. \
                 Change these to addresses, or mend the DNS server and leave the setting.",
            )
            .set("skip_name_resolve", word("ON"), When::Restart)
            .verify("The time to connect falls; no `unauthenticated user` in SHOW PROCESSLIST.")
            .end(),
    )
}
