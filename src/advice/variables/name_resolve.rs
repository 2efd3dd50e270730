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
    /// **Source.** MySQL manual, DNS lookups and the host cache. It takes ten connections a
    /// second, where counters tell, and either the state or a host cache of size 0, which asks for
    /// every login.
    Variables "VAR026" "name-resolve"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const MANY: u64 = 10;
    if case.flag("skip_name_resolve")? || case.provider.is_some() {
        return None;
    }
    let rates = case.rates().filter(|rates| rates.grown("connections").is_some());
    let many = rates.filter(|rates| !rates.is_short() && rates.is_per_second("connections", MANY));
    let sign = case.sign(RULE.code).filter(|_| rates.is_none() || many.is_some());
    let has_no_cache = many.is_some() && case.number("host_cache_size") == Some(0);
    let title = match sign {
        Some(_) => "logins wait for the names of their clients",
        None if has_no_cache => {
            "each login asks for the name of its client: the host cache is switched off"
        }
        None => return None,
    };
    let mut said =
        say(case, &RULE, Severity::Low, Confidence::Medium, title).about("skip_name_resolve");
    if let Some(sign) = sign {
        said = said.text("symptom", sign.text);
    }
    if has_no_cache {
        said = said.seen("host_cache_size", 0);
    }
    if let Some(rates) = many {
        let connections = rates.grown("connections").unwrap_or(0);
        said = said.seen("connections", connections).over(&rates);
    }
    Some(
        said.advise(
                "Look for grants with names of hosts first: SELECT user, host FROM mysql.user WHERE host RLIKE '[a-z]' AND host <> 'localhost'. \
                 Change these to addresses, or mend the DNS server and leave the setting.",
            )
            .set("skip_name_resolve", word("ON"), When::Restart)
            .verify("The time to connect falls; no `unauthenticated user` in SHOW PROCESSLIST.")
            .end(),
    )
}
