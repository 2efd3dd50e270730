//! What a comment before a plain statement says of how often it runs and how long that takes.
//!
//! ```text
//! -- calls: 1200, total seconds: 36
//! SELECT fee FROM berths WHERE pier = 3;
//! # weight: 12.5
//! SELECT 1;
//! ```
//!
//! Only lines of comment between the statement before and this one count; of two that say the same
//! the later one does. A comment that stands on the line of the statement before belongs to nobody.

use super::statements::statements;

/// A statement with what is said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Weighed<'a> {
    /// The statement, without the comments before it.
    pub statement: &'a [u8],
    /// Byte of the text at which it begins.
    pub offset: usize,
    /// How many times it runs.
    pub calls: Option<u64>,
    /// Microseconds of all calls.
    pub micros: Option<u64>,
    /// A weight that is no time: digits, perhaps with a point.
    pub weight: Option<&'a str>,
    /// A line that names one of these and could not be read.
    pub odd: Option<&'a [u8]>,
}

/// The statements of a text, as [`statements`] finds them, with their weights.
pub fn weighed(text: &[u8]) -> impl Iterator<Item = Weighed<'_>> {
    statements(text).map(|piece| {
        // Each piece is a part of the text.
        let at = (piece.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        let before = text.get(..at).unwrap_or_default();
        let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
        without_comments(piece, at, line.trim_ascii().is_empty())
    })
}

/// Takes the comments off the beginning of a statement; `is_own_line` tells whether it begins a line.
fn without_comments(piece: &[u8], at: usize, mut is_own_line: bool) -> Weighed<'_> {
    let mut weighed = Weighed::default();
    let mut rest = piece;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = line_comment(rest) {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            if is_own_line {
                weighed.read(rest[..end].get(comment..).unwrap_or_default());
            }
            rest = &rest[end..];
            is_own_line = true;
        } else if is_plain_comment(rest) {
            // What has no end was left out with all that is behind it.
            let Some(end) = memchr::memmem::find(&rest[2..], b"*/") else { break };
            rest = &rest[end + 4..];
        } else {
            break;
        }
    }
    weighed.offset = at + (piece.len() - rest.len());
    weighed.statement = rest;
    weighed
}

/// Bytes of the mark of a comment that goes to the end of the line.
fn line_comment(text: &[u8]) -> Option<usize> {
    match text {
        [b'#', ..] => Some(1),
        [b'-', b'-'] => Some(2),
        [b'-', b'-', blank, ..] if *blank <= b' ' => Some(2),
        _ => None,
    }
}

fn is_plain_comment(text: &[u8]) -> bool {
    text.starts_with(b"/*")
        && !text.starts_with(b"/*!")
        && !text.starts_with(b"/*+")
        && !text.starts_with(b"/*M!")
}

impl<'a> Weighed<'a> {
    /// Reads the text of a comment.
    ///
    /// - Grammar: `item *( "," item )`; an item is `weight: DECIMAL`, `calls: DIGITS` or
    ///   `total seconds: DECIMAL`, in any letter case.
    /// - Unit: seconds in the comment, microseconds here; a seventh decimal is cut.
    /// - Errors: a comment that begins with one of the names and goes on otherwise is odd; any
    ///   other comment says nothing.
    fn read(&mut self, comment: &'a [u8]) {
        let Ok(text) = std::str::from_utf8(comment) else { return };
        let name = |item: &str| {
            let (name, _) = item.split_once(':')?;
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
            matches!(name.as_str(), "weight" | "calls" | "total seconds").then_some(name)
        };
        if name(text).is_none() {
            return;
        }
        let mut read = (None, None, None);
        for item in text.split(',') {
            let value = item.split_once(':').map_or("", |(_, value)| value.trim());
            let is_known = match name(item).as_deref() {
                Some("calls") => {
                    read.0 = value.parse::<u64>().ok();
                    read.0.is_some()
                }
                Some("total seconds") => {
                    read.1 = micros(value);
                    read.1.is_some()
                }
                Some("weight") => {
                    read.2 = decimal(value).map(|_| value);
                    read.2.is_some()
                }
                _ => false,
            };
            if !is_known {
                self.odd = self.odd.or(Some(comment.trim_ascii()));
                return;
            }
        }
        self.calls = read.0.or(self.calls);
        self.micros = read.1.or(self.micros);
        self.weight = read.2.or(self.weight);
    }
}

/// The digits before and behind the point.
fn decimal(text: &str) -> Option<(&str, &str)> {
    const MOST: usize = 18;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_number = (1..=MOST).contains(&whole.len()) && is_digits(whole) && is_digits(decimals);
    is_number.then_some((whole, decimals))
}

/// Seconds as microseconds.
fn micros(text: &str) -> Option<u64> {
    let (whole, decimals) = decimal(text)?;
    let digits = decimals.bytes().chain(std::iter::repeat(b'0')).take(6);
    let part = digits.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each statement with calls, microseconds and weight; `-` is what is not said.
    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let told = |it: Weighed<'_>| {
            let said = |value: Option<String>| value.unwrap_or("-".to_owned());
            let odd = it
                .odd
                .map_or(String::new(), |odd| format!(" odd {}", String::from_utf8_lossy(odd)));
            assert!(text.as_bytes()[it.offset..].starts_with(it.statement), "{text}");
            format!(
                "{} {} {} {}{odd}",
                String::from_utf8_lossy(it.statement),
                said(it.calls.map(|it| it.to_string())),
                said(it.micros.map(|it| it.to_string())),
                said(it.weight.map(str::to_owned)),
            )
        };
        let got: Vec<String> = weighed(text.as_bytes()).map(told).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn a_comment_before_a_statement_weighs_it() {
        check(
            "-- calls: 50, total seconds: 3.25\nSELECT 1;\n# Weight: 12.5\r\nSELECT 2;\nSELECT 3",
            &["SELECT 1 50 3250000 -", "SELECT 2 - - 12.5", "SELECT 3 - - -"],
        );
        check("-- weight: 1\n-- why\n/* x */\n-- weight: 2\nSELECT 1", &["SELECT 1 - - 2"]);
        check("--\n#calls: 7\nSELECT 1", &["SELECT 1 7 - -"]);
        check("/*! SELECT */ 1", &["/*! SELECT */ 1 - - -"]);
    }

    #[test]
    fn a_comment_behind_a_statement_weighs_nothing() {
        check("SELECT 1; -- weight: 5\nSELECT 2;", &["SELECT 1 - - -", "SELECT 2 - - -"]);
        check(
            "SELECT 1; -- weight: 5\n-- weight: 6\nSELECT 2;",
            &["SELECT 1 - - -", "SELECT 2 - - 6"],
        );
        check("SELECT 1 -- weight: 5\n;", &["SELECT 1 -- weight: 5 - - -"]);
    }

    #[test]
    fn what_is_no_number_is_told() {
        check("-- weight: 12,5\nSELECT 1", &["SELECT 1 - - - odd weight: 12,5"]);
        check("-- calls: -3\nSELECT 1", &["SELECT 1 - - - odd calls: -3"]);
        check("-- weight: many\nSELECT 1", &["SELECT 1 - - - odd weight: many"]);
        check("-- total seconds: 1e9\nSELECT 1", &["SELECT 1 - - - odd total seconds: 1e9"]);
        check(
            "-- total seconds: 18446744073710\nSELECT 1",
            &["SELECT 1 - - - odd total seconds: 18446744073710"],
        );
        check("-- the weight: heavy\nSELECT 1", &["SELECT 1 - - -"]);
    }
}
