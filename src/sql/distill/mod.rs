//! The item of a statement: its verb and its tables, short enough for a profile.
//!
//! ```text
//! INSERT INTO shop.orders_2025 (id) SELECT id FROM cart   →   INSERT SELECT shop.orders_? cart
//! ```
//!
//! The same text as pt-query-digest 3.7.1 where that is right. It reads text by patterns, we read
//! tokens: words in strings, comments and names are neither verbs nor tables, nor are functions
//! and clauses (`REPLACE(…)`, `FOR UPDATE`, `EXTRACT(YEAR FROM x)`). A statement for which it
//! has no verb gets its first word.
//!
//! `places.rs` finds where tables are named, `tables.rs` says which of them a statement uses,
//! `verbs.rs` finds the verb.

mod places;
mod tables;
mod verbs;

pub use tables::{TableName, tables};

pub(crate) use places::{Place, places};

/// Makes the item of one statement, in time linear in its length; digits in table names are `?`.
///
/// A statement without a token has the empty item.
pub fn distill(statement: &[u8]) -> Vec<u8> {
    let (mut item, named) = verbs::verbs(statement);
    let tables = match named {
        verbs::Tables::Named => tables::uses(statement),
        verbs::Tables::None => Vec::new(),
        verbs::Tables::And(name) => {
            let mut tables = tables::uses(statement);
            tables.push(name);
            tables
        }
    };
    let mut last = Vec::new();
    for table in tables {
        let mut text = Vec::new();
        push_folded(&mut text, &table.dotted());
        if text != last {
            item.push(b' ');
            item.extend_from_slice(&text);
            last = text;
        }
    }
    item
}

/// Writes a name with every run of digits as one `?`.
pub(crate) fn push_folded(out: &mut Vec<u8>, name: &[u8]) {
    for run in name.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        match run[0].is_ascii_digit() {
            true => out.push(b'?'),
            false => out.extend_from_slice(run),
        }
    }
}

#[cfg(test)]
mod tests;
