//! The fingerprint: one text for all statements that differ only in literals and layout.
//!
//! ```text
//! SELECT a FROM t WHERE b IN (1,2) AND c='x'   →   select a from t where b in(?+) and c = ?
//! ```
//!
//! Rules version 1: those of pt-query-digest 3.7.1 with its known faults mended. The text is a
//! contract, because query IDs are its MD5. Letter case, blanks, comments, the number of values
//! and rows, and literals never split a class; digits in names, hints and operators do.
//!
//! Here are the forms of whole statements; everything else is text of tokens (`text.rs`), then
//! repeated arms of a UNION (`unions.rs`). `digits.rs` is the option that folds table names.

mod digits;
mod text;
mod unions;

use std::fmt;

use md5::{Digest, Md5};

use crate::sql::token::{Kind, Tokens, tokens};

pub use digits::collapse_digits;

/// MD5 of a fingerprint: the identity of a query class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub [u8; 16]);

impl ClassId {
    /// The class of all statements with this fingerprint.
    pub fn of(fingerprint: &[u8]) -> Self {
        Self(Md5::digest(fingerprint).into())
    }
}

/// 32 upper-case hexadecimal digits, without `0x`.
impl fmt::Display for ClassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

const MYSQLDUMP: &[u8] = b"SELECT /*!40001 SQL_NO_CACHE */ * FROM `";
const ADMINISTRATOR: &[u8] = b"administrator command: ";

/// Makes the fingerprint of one statement, in time linear in its length.
///
/// A statement without a token (only comments, or nothing) has the empty fingerprint.
pub fn fingerprint(statement: &[u8]) -> Vec<u8> {
    let statement = cut_end(statement);
    if statement.starts_with(MYSQLDUMP) {
        return b"mysqldump".to_vec();
    }
    let mut tokens = tokens(statement);
    let text = match whole(statement, &mut tokens) {
        Some(text) => {
            // A mark of percona-toolkit may still come.
            tokens.by_ref().for_each(drop);
            text
        }
        None => text::write(&mut tokens),
    };
    match tokens.toolkit_comment_seen() {
        true => b"percona-toolkit".to_vec(),
        false => text,
    }
}

/// The fingerprint of a statement that has a form of its own; else `tokens` stays at the start.
fn whole(statement: &[u8], tokens: &mut Tokens<'_>) -> Option<Vec<u8>> {
    if statement.starts_with(ADMINISTRATOR) {
        return Some(statement.to_vec());
    }
    let mut ahead = tokens.clone();
    let verb = ahead.next().filter(|token| token.kind == Kind::Word)?;
    let text = match ahead.text(verb) {
        verb if verb.eq_ignore_ascii_case(b"call") => called(&mut ahead),
        verb if verb.eq_ignore_ascii_case(b"use") => {
            let name = ahead.next()?;
            let is_name = matches!(name.kind, Kind::Word | Kind::Quoted);
            // The end may stand before a comment, where it is not cut off.
            let is_alone = ahead.clone().all(|token| token.of(statement) == b";");
            (is_name && is_alone).then(|| b"use ?".to_vec())?
        }
        _ => return None,
    };
    *tokens = ahead;
    Some(text)
}

/// `call` and the dotted name; arguments are dropped.
fn called(tokens: &mut Tokens<'_>) -> Vec<u8> {
    let mut text = b"call".to_vec();
    let mut separator = b' ';
    while let Some(name) = tokens.peek() {
        if !matches!(name.kind, Kind::Word | Kind::Name | Kind::Quoted) {
            break;
        }
        text.push(separator);
        text::push_name(&mut text, tokens.text(name));
        tokens.next();
        separator = b'.';
        match tokens.peek() {
            Some(dot) if tokens.text(dot) == b"." => tokens.next(),
            _ => break,
        };
    }
    text
}

/// Cuts white space and semicolons from the end.
fn cut_end(statement: &[u8]) -> &[u8] {
    let is_end = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b';');
    let end = statement.iter().rposition(|&byte| !is_end(byte));
    &statement[..end.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests;
