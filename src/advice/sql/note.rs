//! Notes of the server about an index that a comparison keeps from use.
//!
//! ```text
//! Cannot use ref access on index 'ix_ref' due to type or collation conversion on field 'ref'     MySQL, 1739
//! Cannot use key `ix_ref` part[0] for lookup: `shop`.`orders`.`ref` of type `varchar` = "5" of type `int`
//! Cannot use key `ix_ref` part[0] for lookup: `shop`.`o`.`ref` of collation `a` = `x`.`y` of collation `b`
//!                                                                                              MariaDB, 1105
//! ```

use crate::advice::Severity;
use crate::advice::plan::look::{LOW_ROWS, Look, Seen};
use crate::plan::{Amount, Plan};

/// What such a note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The index.
    pub key: String,
    /// The table, where the note names it.
    pub table: Option<String>,
    /// The column.
    pub column: String,
    /// Whether types, or collations, are what differs; MySQL does not tell which.
    pub why: Why,
    /// The note as it stands.
    pub message: String,
}

/// What differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Type,
    Collation,
    Either,
}

/// All such notes of a plan, each once.
pub fn refused(plan: &Plan) -> Vec<Refused> {
    let mut found: Vec<Refused> = Vec::new();
    for message in plan.notes.iter().map(|note| note.message.as_str()) {
        let Some(refused) = of_mysql(message).or_else(|| of_mariadb(message)) else { continue };
        // Ref and range access are refused one by one.
        let is_same = |it: &Refused| {
            it.key == refused.key && it.column == refused.column && it.table == refused.table
        };
        if found.len() < MOST && !found.iter().any(is_same) {
            found.push(refused);
        }
    }
    found
}

/// Whether a step finds its few rows by another index: then nothing is lost.
pub fn is_served(seen: &Seen<'_>, key: &str) -> bool {
    let is_lookup = matches!(
        seen.node.access_type.as_deref(),
        Some("const" | "eq_ref" | "ref" | "range" | "ref_or_null")
    );
    let is_other = seen.node.key.as_deref().is_some_and(|own| own != key);
    is_lookup && is_other && seen.read.is_some_and(|rows| rows < Amount::whole(LOW_ROWS))
}

/// How much a lost index matters: the mistake stays one where the table is small today.
pub fn severity(look: &Look<'_>, seen: &Seen<'_>) -> Severity {
    look.severity(seen.read.unwrap_or_default(), Severity::High).unwrap_or(Severity::Low)
}

/// Notes that are read.
const MOST: usize = 64;

fn of_mysql(message: &str) -> Option<Refused> {
    let rest = message.strip_prefix("Cannot use ")?;
    let (_, rest) = rest.split_once(" access on index '")?;
    let (key, rest) = rest.split_once("' due to type or collation conversion on field '")?;
    let column = rest.split('\'').next()?;
    Some(Refused {
        key: key.to_owned(),
        table: None,
        column: column.to_owned(),
        why: Why::Either,
        message: message.to_owned(),
    })
}

fn of_mariadb(message: &str) -> Option<Refused> {
    let rest = message.strip_prefix("Cannot use key ")?;
    let (key, rest) = rest.split_once(" part[")?;
    let (_, rest) = rest.split_once("] for lookup: ")?;
    let (column, rest) = rest.split_once(" of ")?;
    let why = if rest.starts_with("collation ") { Why::Collation } else { Why::Type };
    let mut parts: Vec<String> =
        column.split("`.`").map(|part| part.trim_matches('`').to_owned()).collect();
    let column = parts.pop()?;
    Some(Refused {
        key: key.trim_matches('`').to_owned(),
        table: parts.pop(),
        column,
        why,
        message: message.to_owned(),
    })
}
