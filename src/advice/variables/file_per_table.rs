//! Where tables are kept.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// New tables go into the shared tablespace.
    ///
    /// **Costs.** Its file never shrinks: space of dropped tables stays with it.
    /// **Wrong when.** There are tens of thousands of tiny tables.
    /// **Verify.** A new table has a file of its own.
    /// **Source.** MySQL manual, file-per-table tablespaces: ON by default from 5.6.6; deprecated
    /// in MariaDB 11.
    Variables "VAR018" "file-per-table-off"
}

pub fn read(case: &Case<'_>) -> Option<Finding> {
    if case.flag("innodb_file_per_table")? || case.is_mariadb_from(11, 0, 0) {
        return None;
    }
    // Before, OFF is the default.
    let is_chosen = case.is_mysql_from(5, 6, 6)
        || case.is_mariadb_from(5, 5, 0)
        || case.is_set("innodb_file_per_table");
    is_chosen.then(|| {
        say(case, &RULE, Severity::Low, Confidence::High, "new tables go into the shared tablespace, which never shrinks")
            .about("innodb_file_per_table")
            .advise("ON gives each new table a file of its own. Tables that are there move with ALTER TABLE … ENGINE=InnoDB.")
            // In 5.0 and 5.1 it is read at the start only.
            .set("innodb_file_per_table", word("ON"), When::now_if(!case.is_mysql_before(5, 5, 0)))
            .verify("A new table has an .ibd file.")
            .end()
    })
}
