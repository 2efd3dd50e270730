//! How data files are written.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, size, word};

rule! {
    /// Pages are kept twice: in the buffer pool and in the cache of the system.
    ///
    /// **Costs.** Memory for the second copy, and a stretch of slow writes when the system
    /// flushes it.
    /// **Wrong when.** The files lie on ZFS or on a network file system, which do not take direct
    /// reads well.
    /// **Verify.** The page cache of the host shrinks; writes stay even.
    /// **Source.** MySQL manual, innodb_flush_method: O_DIRECT is the default from MySQL 8.4 and
    /// MariaDB 10.6 on.
    Variables "VAR017" "flush-method"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const GIB: u64 = 1_024 * 1_024 * 1_024;
    case.version?;
    let method = case.text("innodb_flush_method")?;
    let is_buffered = method.is_empty() || method.eq_ignore_ascii_case("fsync");
    let is_windows =
        case.text("version_compile_os").is_some_and(|os| os.to_ascii_lowercase().contains("win"));
    let pool = case.number("innodb_buffer_pool_size").filter(|pool| *pool >= GIB)?;
    let knows_better = case.is_mysql_from(8, 4, 0) || case.is_mariadb_from(10, 6, 0);
    if !is_buffered || is_windows || knows_better || case.provider.is_some() {
        return None;
    }
    let title =
        format!("a buffer pool of {} and the cache of the system hold the same pages", size(pool));
    Some(
        say(case, &RULE, Severity::Low, Confidence::Low, title)
            .about("innodb_flush_method")
            .seen("innodb_buffer_pool_size", pool)
            .advise(
                "O_DIRECT passes the cache of the system by. Not on ZFS or a network file system.",
            )
            .set("innodb_flush_method", word("O_DIRECT"), When::Restart)
            .verify("free shows less memory in buff/cache; the time of writes stays even.")
            .end(),
    )
}
