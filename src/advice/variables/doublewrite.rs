//! Protection against pages half written.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// Pages half written at a crash, or damaged by the disk, are not found or not mended.
    ///
    /// **Costs.** A crash in the midst of a write destroys a page for good; a damaged page is
    /// read as if it were whole.
    /// **Wrong when.** The file system writes pages as a whole (ZFS; a device with atomic writes,
    /// where MariaDB switches it off by itself).
    /// **Verify.** SHOW GLOBAL VARIABLES after the restart.
    /// **Source.** MySQL manual, doublewrite buffer, innodb_checksum_algorithm.
    Variables "VAR021" "page-protection-off"
}

const CHECKS: &str = "SHOW GLOBAL VARIABLES shows the new value; the time of writes under load.";

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    [doublewrite(case), algorithm(case), checksums(case)].into_iter().flatten().collect()
}

fn doublewrite(case: &Case<'_>) -> Option<Finding> {
    const NAME: &str = "innodb_doublewrite";
    let text = case.text(NAME)?;
    let detects = text.eq_ignore_ascii_case("DETECT_ONLY");
    if !detects && case.flag(NAME) != Some(false) {
        return None;
    }
    let title = if detects {
        "pages half written at a crash are found, and cannot be mended"
    } else {
        "a crash in the midst of a write destroys a page for good"
    };
    Some(
        say(case, &RULE, Severity::Critical, Confidence::High, title)
            .about(NAME)
            .advise("Switch it on, unless the file system is known to write a page as a whole (ZFS, a device with atomic writes).")
            // From DETECT_ONLY there is a way back while the server runs.
            .set(NAME, word("ON"), When::now_if(detects))
            .verify(CHECKS)
            .end(),
    )
}

fn algorithm(case: &Case<'_>) -> Option<Finding> {
    const NAME: &str = "innodb_checksum_algorithm";
    let text = case.text(NAME)?;
    let is_none = ["none", "strict_none"].iter().any(|it| text.eq_ignore_ascii_case(it));
    is_none.then(|| {
        say(case, &RULE, Severity::Critical, Confidence::High, "pages are written without a checksum: damage is not seen")
            .about(NAME)
            .advise("crc32 costs next to nothing on processors of today. Pages get it as they are written again.")
            .set(NAME, word("crc32"), When::Now)
            .verify(CHECKS)
            .end()
    })
}

fn checksums(case: &Case<'_>) -> Option<Finding> {
    const NAME: &str = "innodb_checksums";
    // Where there is an algorithm, it is what counts.
    if case.flag(NAME)? || case.text("innodb_checksum_algorithm").is_some() {
        return None;
    }
    Some(
        say(
            case,
            &RULE,
            Severity::Critical,
            Confidence::High,
            "pages are written without a checksum: damage is not seen",
        )
        .about(NAME)
        .advise("Switch it on. Pages get a checksum as they are written again.")
        .set(NAME, word("ON"), When::Restart)
        .verify(CHECKS)
        .end(),
    )
}
