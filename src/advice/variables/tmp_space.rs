//! The space of temporary files.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{say, size};

rule! {
    /// A temporary table or file fills the space that it may take.
    ///
    /// **Costs.** The statement fails.
    /// **Wrong when.** The disk itself is full: then no setting helps.
    /// **Verify.** The statement runs; the space in use.
    /// **Source.** MySQL manual, innodb_temp_data_file_path; MariaDB 11.5,
    /// max_tmp_session_space_usage.
    Variables "VAR038" "tmp-space-full"
}

/// Caps that servers and providers know, and what is said of each.
const CAPS: &[&str] =
    &["rds_max_tmp_disk_space", "max_tmp_session_space_usage", "max_tmp_total_space_usage"];

pub fn read(case: &Case<'_>) -> Option<Finding> {
    let sign = case.sign(RULE.code)?;
    let (name, cap) = CAPS.iter().find_map(|name| Some((*name, case.number(name)?)))?;
    let title =
        format!("A statement needs more than the {} that temporary files may take", size(cap));
    Some(
        say(case, &RULE, Severity::Medium, Confidence::Medium, title)
            .about(name)
            .text("symptom", sign.text)
            .advise(
                "Mend the statement first, by an index or by fewer columns: its plan has a temporary table \
                 or a large sort. Raise the cap only then, and only as far as the disk allows.",
            )
            .verify("The text does not come again; the space of temporary files in use.")
            .end(),
    )
}
