//! Quoted strings: once as fingerprints lose them, once as the search for tables does.

use super::scan::{find_byte, replace_all};

/// Replaces strings by `?` the way fingerprints do.
///
/// Seven substitutions in a row: quotes behind a backslash vanish, then pairs of
/// backslashes, then what is left between quotes. A doubled quote ends a string half-way,
/// and a string at the very start stays.
pub(super) fn replace_literals(text: Vec<u8>) -> Vec<u8> {
    let text = delete_escaped_after_other(text, b'\'');
    let text = delete_escaped_after_other(text, b'"');
    let text = delete_pair(text, b'\\');
    let text = delete_pair(text, b'\'');
    let text = delete_pair(text, b'"');
    let text = replace_quoted_after_other(text, b'"');
    replace_quoted_after_other(text, b'\'')
}

/// Replaces strings by `?` the way the search for tables does: an escaped quote vanishes,
/// then whatever stands between two quotes.
pub(super) fn blank_literals(text: Vec<u8>) -> Vec<u8> {
    let text = replace_all(
        text,
        |b| b == b'\\',
        |text, at, _| matches!(text.get(at + 1), Some(b'\'' | b'"')).then_some(at + 2),
    );
    replace_quoted(replace_quoted(text, b'"'), b'\'')
}

/// Deletes a backslash and `quote` wherever a byte other than a backslash precedes them.
///
/// That byte is part of the match, so of two such pairs in a row the second stays.
fn delete_escaped_after_other(text: Vec<u8>, quote: u8) -> Vec<u8> {
    let mut free = 0;
    replace_all(
        text,
        |b| b == b'\\',
        |text, at, _| {
            let before = at.checked_sub(1).filter(|&i| i >= free)?;
            let found = text[before] != b'\\' && text.get(at + 1) == Some(&quote);
            if found {
                free = at + 2;
            }
            found.then_some(at + 2)
        },
    )
}

/// Deletes every backslash that `byte` follows, together with it.
fn delete_pair(text: Vec<u8>, byte: u8) -> Vec<u8> {
    replace_all(
        text,
        |b| b == b'\\',
        |text, at, _| (text.get(at + 1) == Some(&byte)).then_some(at + 2),
    )
}

/// Replaces strings that a byte other than a backslash precedes.
///
/// A string ends at the first quote, or, when that quote is the first byte inside or
/// follows a backslash, at one more quote right behind it.
fn replace_quoted_after_other(text: Vec<u8>, quote: u8) -> Vec<u8> {
    let mut free = 0;
    replace_all(
        text,
        |b| b == quote,
        |text, at, out| {
            let before = at.checked_sub(1).filter(|&i| i >= free)?;
            if text[before] == b'\\' {
                return None;
            }
            let close = find_byte(text, at + 1, quote)?;
            let half_way = close == at + 1 || text[close - 1] == b'\\';
            let doubled = half_way && text.get(close + 1) == Some(&quote);
            let end = close + 1 + usize::from(doubled);
            free = end;
            out.push(b'?');
            Some(end)
        },
    )
}

/// Replaces everything from a quote to the next.
fn replace_quoted(text: Vec<u8>, quote: u8) -> Vec<u8> {
    replace_all(
        text,
        |b| b == quote,
        |text, at, out| {
            let close = find_byte(text, at + 1, quote)?;
            out.push(b'?');
            Some(close + 1)
        },
    )
}
