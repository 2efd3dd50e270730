//! How fast pages are written back.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::{Case, is_percent, percent};
use super::say::{When, count, say};

rule! {
    /// Pages are written back more slowly than the disk could, and changed pages pile up.
    ///
    /// **Costs.** When too many pages are changed, statements wait for them to be written.
    /// **Wrong when.** The disk is shared or billed by the operation.
    /// **Verify.** The share of changed pages in the buffer pool.
    /// **Source.** MySQL manual, innodb_io_capacity: 200 by default in MariaDB and before MySQL
    /// 8.4, 10,000 since.
    Variables "VAR020" "io-capacity-low"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    const TO: u64 = 1_000;
    let disk = case.facts.machine.disk.filter(|disk| disk.is_flash())?;
    let capacity = case.number("innodb_io_capacity").filter(|capacity| *capacity <= 200)?;
    let dirty = case.count("innodb_buffer_pool_pages_dirty")?;
    let total = case.count("innodb_buffer_pool_pages_total")?;
    let most = case.micros("innodb_max_dirty_pages_pct")? / 1_000_000;
    // 75 % of the share that may be changed.
    if !is_percent(dirty.saturating_mul(100), total, most.saturating_mul(75)) {
        return None;
    }
    let title = format!(
        "{} % of the pages are changed and not written, on a disk that writes faster than {capacity} a second",
        percent(dirty, total)
    );
    let mut said = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about("innodb_io_capacity")
        .text("disk", disk.word())
        .seen("innodb_buffer_pool_pages_dirty", dirty)
        .seen("innodb_buffer_pool_pages_total", total)
        .advise("Go up step by step, 1,000 and then 2,000, while the share of changed pages falls and reads are not slower.");
    if case.number("innodb_io_capacity_max").is_some_and(|most| most < 2 * TO) {
        said = said.set("innodb_io_capacity_max", count(2 * TO), When::Now);
    }
    Some(
        said.set("innodb_io_capacity", count(TO), When::Now)
            .verify("Innodb_buffer_pool_pages_dirty falls; the time of reads stays.")
            .end(),
    )
}
