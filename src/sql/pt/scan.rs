//! Looking at bytes: classes, words, and the one loop all substitutions share.

use memchr::{memchr, memchr2_iter, memmem};
use std::ops::Range;

/// A letter, a digit or `_`: what makes up words.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Blank, tab, line feed, carriage return, form feed or vertical tab.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a word starts or ends just before `at`.
pub(super) fn is_boundary(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|i| text.get(i));
    before.is_some_and(|&b| is_word(b)) != text.get(at).is_some_and(|&b| is_word(b))
}

/// Where the run of bytes of one class that begins at `at` ends; `at` when it is empty.
pub(super) fn run(text: &[u8], at: usize, class: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|&b| !class(b)).unwrap_or(rest.len())
}

/// Where the white space that begins at `at` ends; `at` when there is none.
pub(super) fn spaces(text: &[u8], at: usize) -> usize {
    run(text, at, is_space)
}

/// Where white space that must be there ends.
pub(super) fn some_spaces(text: &[u8], at: usize) -> Option<usize> {
    Some(spaces(text, at)).filter(|&end| end > at)
}

/// Where the white space that ends at `at` begins, not before `floor`.
pub(super) fn spaces_before(text: &[u8], floor: usize, at: usize) -> usize {
    let run = text[floor..at].iter().rev().take_while(|&&b| is_space(b)).count();
    at - run
}

/// The end of `wanted` if it stands at `at`, upper or lower case.
pub(super) fn word(text: &[u8], at: usize, wanted: &str) -> Option<usize> {
    let end = at + wanted.len();
    let found = text.get(at..end)?;
    found.eq_ignore_ascii_case(wanted.as_bytes()).then_some(end)
}

/// [`word`], and the word ends there.
pub(super) fn whole_word(text: &[u8], at: usize, wanted: &str) -> Option<usize> {
    word(text, at, wanted).filter(|&end| is_boundary(text, end))
}

/// The first of `wanted` that stands at `at`.
pub(super) fn any_word(text: &[u8], at: usize, wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|w| word(text, at, w))
}

/// Where `wanted` first stands at or after `from`, upper or lower case.
pub(super) fn find_word(text: &[u8], from: usize, wanted: &str) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let initial = *wanted.as_bytes().first()?;
    memchr2_iter(initial.to_ascii_lowercase(), initial.to_ascii_uppercase(), rest)
        .find_map(|at| Some(from + at..word(text, from + at, wanted)?))
}

/// [`find_word`] with word boundaries at both ends.
pub(super) fn find_whole_word(text: &[u8], from: usize, wanted: &str) -> Option<Range<usize>> {
    let mut from = from;
    loop {
        let found = find_word(text, from, wanted)?;
        if is_boundary(text, found.start) && is_boundary(text, found.end) {
            return Some(found);
        }
        from = found.start + 1;
    }
}

/// Where the bytes `wanted` first stand at or after `from`.
pub(super) fn find(text: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    memmem::find(text.get(from..)?, wanted).map(|at| from + at)
}

/// Where `byte` first stands at or after `from`.
pub(super) fn find_byte(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    memchr(byte, text.get(from..)?).map(|at| from + at)
}

/// Whether `at` is the end of the text, or the line feed that closes it.
pub(super) fn is_end(text: &[u8], at: usize) -> bool {
    matches!(text.get(at..), Some([] | [b'\n']))
}

/// Substitutes all matches, left to right, that do not overlap.
///
/// `first` says which bytes can begin a match; only there is `replace` asked. It either
/// writes the replacement and returns where the match ended, which must be past `at`, or
/// writes nothing and returns `None`.
pub(super) fn replace_all(
    text: Vec<u8>,
    first: impl Fn(u8) -> bool,
    mut replace: impl FnMut(&[u8], usize, &mut Vec<u8>) -> Option<usize>,
) -> Vec<u8> {
    let next = |from: usize| text[from..].iter().position(|&b| first(b)).map(|at| from + at);
    let Some(mut at) = next(0) else { return text };
    let mut out = Vec::with_capacity(text.len() + 8);
    let mut copied = 0;
    loop {
        out.extend_from_slice(&text[copied..at]);
        (copied, at) = match replace(&text, at, &mut out) {
            Some(end) => (end, end),
            None => (at, at + 1),
        };
        match next(at) {
            Some(found) => at = found,
            None => break,
        }
    }
    out.extend_from_slice(&text[copied..]);
    out
}
