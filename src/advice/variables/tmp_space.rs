//! The space of temporary files.

use crate::advice::Finding;
use crate::advice::rule::rule;

use super::case::Case;

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

/// The symptom is explained by its own row; how much space there is no variable tells.
pub fn read(_: &Case<'_>) -> Option<Finding> {
    None
}
