//! Comments as the tool sees them, which is not how the server sees them.

use super::scan::{find, replace_all, run};

/// Deletes `/* … */`, then one-line comments.
pub(super) fn delete_comments(text: Vec<u8>) -> Vec<u8> {
    delete_line_comments(delete_block_comments(text))
}

/// Deletes every `/* … */` that is not `/*! … */`.
///
/// The byte after `/*` is never part of the end, so `/**/` runs on to the next `*/`.
fn delete_block_comments(text: Vec<u8>) -> Vec<u8> {
    let mut open_ended = false;
    replace_all(
        text,
        |b| b == b'/',
        |text, at, _| {
            let opens = text[at..].starts_with(b"/*") && *text.get(at + 2)? != b'!';
            if !opens || open_ended {
                return None;
            }
            let close = find(text, at + 3, b"*/");
            // Where this one has no end, none that begins later has.
            open_ended = close.is_none();
            Some(close? + 2)
        },
    )
}

/// Deletes `--` and `#` with the rest of their line, unless a quote stands in it.
fn delete_line_comments(text: Vec<u8>) -> Vec<u8> {
    let mut quoted_until = 0;
    replace_all(
        text,
        |b| b == b'-' || b == b'#',
        |text, at, _| {
            let opens = text[at] == b'#' || text[at..].starts_with(b"--");
            if !opens || at < quoted_until {
                return None;
            }
            let end = run(text, at, |b| !matches!(b, b'\'' | b'"' | b'\r' | b'\n'));
            let quote = matches!(text.get(end), Some(b'\'' | b'"'));
            if quote {
                quoted_until = end;
            }
            (!quote).then_some(end)
        },
    )
}
