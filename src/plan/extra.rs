//! The Extra column: what the server does beside reading the table.
//!
//! ```text
//! Using where; Using join buffer (flat, BNL join); Using rowid filter
//! ^value       ^value, its parameter in parentheses
//! ```
//!
//! [`values`] takes a cell apart and reads each value: what it means, when it matters, what its
//! parameter says. A value that no server is known to print stays as it stands. JSON formats tell
//! the same by keys of their own; whoever reads them puts them into these words.

use super::weight::{Size, Weight};

mod entries;

pub use entries::{ENTRIES, Entry};

/// One value of an Extra cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<'a> {
    /// As it stands in the cell, without blanks around it.
    pub text: &'a str,
    /// What is known of it; `None` if no server is known to print it.
    pub entry: Option<&'static Entry>,
    /// What the value says beyond its words.
    pub parameter: Parameter<'a>,
}

impl Value<'_> {
    /// What it is worth for a step of this size; `None` for a value that is not known.
    pub fn weigh(&self, size: Size) -> Option<Weight> {
        self.entry.map(|entry| entry.weigh(size))
    }
}

/// The variable part of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameter<'a> {
    /// There is none.
    None,
    /// Indexes by their place in SHOW CREATE TABLE, the primary key first, from 0; ascending.
    Indexes(Vec<u16>),
    /// Names of the indexes that are merged, in printed order.
    Merge(Vec<&'a str>),
    /// Columns of the index, first and last, from 0.
    KeyParts(u32, u32),
    /// A name: of a table, a table function, an engine.
    Name(&'a str),
    /// Any other text.
    Text(&'a str),
}

/// What the variable part of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    IndexMap,
    Merge,
    KeyParts,
    Name,
    Text,
}

/// The values of an Extra cell, in order.
pub fn values(cell: &str) -> Vec<Value<'_>> {
    split(cell).into_iter().map(read).collect()
}

/// Cuts an Extra cell at each `;` that stands outside of parentheses and quotes.
///
/// A parenthesis or a quote without an end is a character like any other: names may hold them,
/// and the server does not escape them.
pub fn split(cell: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let cuts = marks(cell).filter_map(|(at, mark)| {
        match mark {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => return Some(at),
            _ => {}
        }
        None
    });
    let cuts: Vec<usize> = cuts.collect();
    let cuts = match depth {
        0 => cuts,
        _ => marks(cell).filter(|(_, mark)| *mark == b';').map(|(at, _)| at).collect(),
    };
    let starts = std::iter::once(0).chain(cuts.iter().map(|at| at + 1));
    let ends = cuts.iter().copied().chain([cell.len()]);
    let pieces = starts.zip(ends).filter_map(|(start, end)| cell.get(start..end));
    pieces.map(str::trim).filter(|piece| !piece.is_empty()).collect()
}

/// Parentheses and semicolons outside of quotes, with their places.
fn marks(cell: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = cell.as_bytes();
    let mut at = 0;
    // A quote that was looked for in vain is not looked for again: all of its kind are characters.
    let mut unclosed: Vec<u8> = Vec::new();
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            let place = at;
            at += 1;
            match byte {
                b'(' | b')' | b';' => return Some((place, byte)),
                b'\'' | b'"' | b'`' if opens(bytes, place) && !unclosed.contains(&byte) => {
                    match closing(bytes, place) {
                        Some(end) => at = end + 1,
                        None => unclosed.push(byte),
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// Whether a quote begins something quoted: the one of `isn't` does not, the one of `_latin1'a'`
/// does.
fn opens(bytes: &[u8], place: usize) -> bool {
    let before = bytes.get(..place).unwrap_or_default();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let word = before.iter().rev().take_while(is_part).last();
    word.is_none_or(|first| *first == b'_')
}

/// The place of the quote that closes the one at `open`. Doubled quotes and, but in names,
/// backslashes escape.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let quote = *bytes.get(open)?;
    let mut at = open + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote != b'`' => at += 2,
            byte if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// Reads one value.
pub fn read(text: &str) -> Value<'_> {
    let text = text.trim();
    let found = ENTRIES.iter().find_map(|entry| Some((entry, captured(entry.name, text)?)));
    match found {
        Some((entry, captured)) => {
            Value { text, entry: Some(entry), parameter: parameter(entry.takes, captured) }
        }
        None => Value { text, entry: None, parameter: Parameter::None },
    }
}

/// What stands for the first `…` of a pattern; "" if it has none. Letter case does not count:
/// MariaDB 10.3 began to write `Const row not found`.
fn captured<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    let Some((head, rest)) = pattern.split_once('…') else {
        return pattern.eq_ignore_ascii_case(text).then_some("");
    };
    let behind = strip_head(text, head)?;
    let (middle, tail) = match rest.split_once('…') {
        // A second one takes what is left; it is at the end of a pattern.
        Some((middle, _)) => {
            let at = behind.rfind(middle)?;
            (behind.get(..at)?, behind.get(at + middle.len()..)?)
        }
        None => (strip_tail(behind, rest)?, "-"),
    };
    (!middle.is_empty() && !tail.is_empty()).then_some(middle)
}

fn strip_head<'a>(text: &'a str, head: &str) -> Option<&'a str> {
    let start = text.get(..head.len())?;
    start.eq_ignore_ascii_case(head).then(|| &text[head.len()..])
}

fn strip_tail<'a>(text: &'a str, tail: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(tail.len())?;
    let end = text.get(at..)?;
    end.eq_ignore_ascii_case(tail).then(|| &text[..at])
}

fn parameter(takes: Takes, text: &str) -> Parameter<'_> {
    let read = match takes {
        Takes::Nothing => return Parameter::None,
        Takes::IndexMap => index_map(text).map(Parameter::Indexes),
        Takes::Merge => Some(Parameter::Merge(merged(text))),
        Takes::KeyParts => key_parts(text).map(|(first, last)| Parameter::KeyParts(first, last)),
        Takes::Name => Some(Parameter::Name(text)),
        Takes::Text => None,
    };
    read.unwrap_or(Parameter::Text(text))
}

/// Reads `0xC`: the bits that are set, the lowest first. A table has at most 255 indexes, as
/// servers are built; most have 64.
fn index_map(text: &str) -> Option<Vec<u16>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let digits = digits.trim_start_matches('0');
    if digits.len() > 64 {
        return None;
    }
    let mut indexes = Vec::new();
    for (place, digit) in (0_u16..).zip(digits.chars().rev()) {
        let bits = digit.to_digit(16)?;
        let set = (0..4_u16).filter(|bit| bits & (1 << bit) != 0);
        indexes.extend(set.map(|bit| place * 4 + bit));
    }
    Some(indexes)
}

/// The index names of `a,intersect(b,c)`: what is no operator before a parenthesis.
fn merged(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate().filter(|(_, b)| matches!(b, b'(' | b')' | b',')) {
        let name = text.get(start..at).unwrap_or_default().trim();
        start = at + 1;
        if byte != b'(' && !name.is_empty() {
            names.push(name);
        }
    }
    let last = text.get(start..).unwrap_or_default().trim();
    names.extend((!last.is_empty()).then_some(last));
    names
}

/// Reads `0..1` of `LooseScan(0..1)`.
fn key_parts(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once("..")?;
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

#[cfg(test)]
mod tests;
