//! The form that nearly every entry has, read without a look at anything else that might be there.
//!
//! ```text
//! # Time: …                      may be missing
//! # User@Host: …
//! # Query_time: …                among other lines with a word behind `# `
//! use shop;                      may be missing
//! SET timestamp=1772816400;
//! SELECT …;                      quotes in pairs, no other `;` outside of them,
//! # Time: … or # User@Host: …    and then the next entry
//! ```
//!
//! What is read here is read the same way by the careful functions of [`slow`](super), which are
//! the oracle of the tests; whatever looks different is left to them.

use memchr::memchr;
use memchr::memmem::Finder;

use super::quotes::{self, Walk};
use super::{Entry, Header, lines, use_end};
use crate::event::{Kind, Span};
use crate::flavor;
use crate::scan::Hits;
use crate::time::{self, SECOND, Timestamp};

/// The entry at `at`, the beginning of a line, and the place behind it; `None` if it has another
/// form, or does not end in `text`. Adds the ends of the lines of its header to `ends`.
pub fn entry(
    text: &[u8],
    at: usize,
    header_end: &Finder<'_>,
    ends: &mut Vec<u32>,
) -> Option<(Entry, usize)> {
    let first = ends.len();
    let found = header(text, at, ends).and_then(|header| {
        let end = statement_end(text, header.end, header_end)?;
        let statement = Span { start: header.end, end: end - b";\n".len() };
        Some((Entry { is_usual: true, ..header.entry(at, statement, Kind::Query) }, end))
    });
    if found.is_none() {
        ends.truncate(first);
    }
    found
}

fn header(text: &[u8], start: usize, ends: &mut Vec<u32>) -> Option<Header> {
    let mut header = Header::default();
    let mut at = start;
    let mut take = |from: usize| {
        let end = from + memchr(b'\n', text.get(from..)?)?;
        ends.push(end as u32);
        Some(end)
    };
    if let Some(value) = text[at..].strip_prefix(b"# Time: ") {
        let end = match time::fixed_time(value) {
            Some((time, [b'\n', ..])) => {
                header.time = Some(time);
                take(at + b"# Time: 2026-03-06T17:01:40.250000Z".len())?
            }
            _ => {
                let end = take(at)?;
                let value = &text[at + b"# Time: ".len()..end];
                let (rest, time) = time::log_time(value).ok()?;
                header.time = Some(time).filter(|_| rest.is_empty());
                header.time.map(|_| end)?
            }
        };
        at = end + 1;
    }
    if !text[at..].starts_with(b"# User@Host: ") {
        return None;
    }
    at = take(at)? + 1;
    header.user = true;
    while let [b'#', b' ', initial, second, ..] = text[at..] {
        let end = take(at)?;
        let initial = match (initial, second) {
            // Percona indents what InnoDB counted.
            (b' ', b' ') if text.get(at + 4).is_some_and(u8::is_ascii_uppercase) => b'I',
            _ => initial,
        };
        match initial {
            b'Q' if text[at..].starts_with(b"# Query_time: ") => {
                if header.query_time || !lines::is_query_time(&text[at..end]) {
                    return None;
                }
                header.query_time = true;
            }
            // Another entry begins with a time or an account, a command with a small letter.
            b'T' if second == b'i' => return None,
            b'U' | b'a'..=b'z' => return None,
            b'A'..=b'Z' => {
                let had = header.query_time;
                header.note_further(&text[at..end], at);
                if header.tidb || had != header.query_time {
                    return None;
                }
            }
            _ => return None,
        }
        at = end + 1;
    }
    if text[at..].starts_with(b"use ") {
        let semicolon = at + use_end(&text[at..])?;
        if text.get(semicolon + 1) != Some(&b'\n') {
            return None;
        }
        header.database = Span { start: at + b"use ".len(), end: semicolon };
        ends.push(semicolon as u32 + 1);
        at = semicolon + 2;
    }
    let (seconds, length) = set_timestamp(text.get(at..)?)?;
    ends.push((at + length) as u32);
    header.set_timestamp = Some(Timestamp(seconds * SECOND));
    header.end = at + length + 1;
    header.query_time.then_some(header)
}

/// Reads `SET timestamp=1772816400;` and a line end: the seconds and the length of the line.
fn set_timestamp(text: &[u8]) -> Option<(i64, usize)> {
    let digits = text.strip_prefix(b"SET timestamp=")?;
    let mut seconds = 0;
    for (place, byte) in digits.iter().take(13).enumerate() {
        if byte.is_ascii_digit() {
            seconds = seconds * 10 + i64::from(byte - b'0');
            continue;
        }
        let ends = place > 0 && digits[place..].starts_with(b";\n");
        return ends.then_some((seconds, b"SET timestamp=".len() + place + 1));
    }
    None
}

/// The place behind the statement at `start`.
fn statement_end(text: &[u8], start: usize, header_end: &Finder<'_>) -> Option<usize> {
    if !text.get(start)?.is_ascii_alphabetic() {
        return None;
    }
    let line_end = start + memchr(b'\n', &text[start..])?;
    let place = if text.get(line_end + 1) == Some(&b'#') {
        line_end + 1
    } else if flavor::banner(&text[start..line_end]).is_some() {
        return None;
    } else {
        line_end + header_end.find(&text[line_end..])? + 1
    };
    // A few bytes more than the statement: what ends behind it did not end where it should.
    const BEYOND: usize = 64;
    let mut hits = Hits::new(&text[..text.len().min(place + BEYOND)], &quotes::SPECIAL);
    let ends = text[start..place].ends_with(b";\n")
        && begins_entry(&text[place..])
        && Walk::default().to_semicolon(&mut hits, start) == Some(place - 1);
    ends.then_some(place)
}

/// Whether a text begins with the first line of an entry of the usual form.
fn begins_entry(text: &[u8]) -> bool {
    match text.strip_prefix(b"# Time: ") {
        Some(value) => time::is_log_time(value),
        None => text.starts_with(b"# User@Host:"),
    }
}
