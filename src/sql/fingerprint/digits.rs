//! `--collapse-digits`: tables that differ only in digits become one.
//!
//! ```text
//! select t1.c1 from db2.t3 t1   →   select t?.c1 from db?.t? t1
//! ```
//!
//! For sharded names such as `orders_2025` and `orders_2026`. Only names where a table or a
//! database stands are changed; columns and aliases keep their digits.

use crate::sql::distill::{places, push_folded};
use crate::sql::token::{Kind, tokens};

/// Folds every run of digits in the table and database names of a finished fingerprint.
pub fn collapse_digits(fingerprint: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(fingerprint.len());
    let mut places = places(fingerprint).peekable();
    let mut tokens = tokens(fingerprint);
    let mut copied = 0;
    while let Some(token) = tokens.next() {
        while places.next_if(|place| place.end <= token.start).is_some() {}
        if !matches!(token.kind, Kind::Word | Kind::Name | Kind::Quoted) {
            continue;
        }
        let is_table = places.peek().is_some_and(|place| place.start <= token.start);
        let before_dot = tokens.peek().is_some_and(|next| tokens.text(next) == b".");
        if is_table || before_dot {
            out.extend_from_slice(&fingerprint[copied..token.start]);
            push_folded(&mut out, tokens.text(token));
            copied = token.end;
        }
    }
    out.extend_from_slice(&fingerprint[copied..]);
    out
}
