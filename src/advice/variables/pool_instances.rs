//! Parts of the buffer pool.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, count, say, size};

rule! {
    /// The number of parts of the buffer pool does not fit its size.
    ///
    /// **Costs.** One part has one mutex for all sessions; many parts of a small pool leave each
    /// too small.
    /// **Wrong when.** The server has one or two cores.
    /// **Verify.** Waits for the buffer pool in SHOW ENGINE INNODB STATUS, SEMAPHORES.
    /// **Source.** MySQL manual, innodb_buffer_pool_instances; computed by itself from 8.4 on,
    /// gone in MariaDB 10.6.
    Variables "VAR019" "buffer-pool-instances"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const GIB: u64 = 1_024 * 1_024 * 1_024;
    const NAME: &str = "innodb_buffer_pool_instances";
    let instances = case.number(NAME)?;
    let pool = case.number("innodb_buffer_pool_size")?;
    let is_asked =
        case.is_mysql_from(5, 5, 4) && (!case.is_mysql_from(8, 4, 0) || case.is_set(NAME));
    let to = match () {
        () if pool < GIB && instances > 1 => 1,
        () if pool >= 8 * GIB && instances == 1 => 8,
        () => return None,
    };
    is_asked.then(|| {
        let title = format!(
            "a buffer pool of {} in {instances} {}",
            size(pool),
            if instances == 1 { "part" } else { "parts" }
        );
        say(case, &RULE, Severity::Low, Confidence::Medium, title)
            .about(NAME)
            .seen("innodb_buffer_pool_size", pool)
            .advise(match to {
                1 => "Below 1 GiB one part is best: the server itself takes one by default.",
                _ => "8 parts, of 1 GiB or more each, part the mutex.",
            })
            .set(NAME, count(to), When::Restart)
            .verify("SHOW ENGINE INNODB STATUS, SEMAPHORES: fewer waits for buf0buf.")
            .end()
    })
}
