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
use crate::sql::outline::{Mode, Sketch, sketch};
use crate::time::{self, SECOND, Timestamp};

/// Entries of the usual form in a block, found before what comes before the block is framed.
///
/// An entry of the usual form is told by its own text alone. So looking for such entries can be
/// done by many threads at once, each with a block of its own; framing, which must go block by
/// block, then only has to take the ones that begin where it arrives.
#[derive(Debug)]
pub struct Ahead {
    usual: Usual,
    found: Vec<Found>,
    line_ends: Vec<u32>,
    outlines: Vec<u8>,
}

#[derive(Debug)]
struct Found {
    start: usize,
    end: usize,
    entry: Entry,
    /// Its part of `line_ends`.
    lines: Span,
}

impl Ahead {
    /// Nothing found yet; outlines as [`Framer::with_outlines`](super::Framer::with_outlines).
    pub fn new(mode: Option<Mode>) -> Ahead {
        let usual = Usual::new(mode);
        Ahead { usual, found: Vec::new(), line_ends: Vec::new(), outlines: Vec::new() }
    }

    /// Looks through a block.
    pub fn look(&mut self, block: &[u8]) {
        self.found.clear();
        self.line_ends.clear();
        self.outlines.clear();
        let mut at = 0;
        while let Some(next) = self.usual.header_end.find(&block[at..]) {
            at += next + 1;
            // One entry behind the other, until something else comes.
            loop {
                let first = self.line_ends.len();
                let found = self.usual.entry(block, at, &mut self.line_ends, &mut self.outlines);
                let Some((entry, end)) = found else { break };
                let lines = Span { start: first, end: self.line_ends.len() };
                self.found.push(Found { start: at, end, entry, lines });
                at = end;
            }
        }
    }

    /// Outlines of the statements that were found.
    pub(super) fn outlines(&self) -> &[u8] {
        &self.outlines
    }

    /// Goes through the entries; the block begins at byte `block` of the text.
    pub(super) fn cursor(&self, block: usize) -> Cursor<'_> {
        Cursor { ahead: self, next: 0, block }
    }
}

/// Entries that were found ahead, from one on.
pub(super) struct Cursor<'a> {
    ahead: &'a Ahead,
    next: usize,
    block: usize,
}

impl Cursor<'_> {
    /// As [`Usual::entry`], if that was looked for.
    pub(super) fn entry(&mut self, at: usize, ends: &mut Vec<u32>) -> Option<(Entry, usize)> {
        let wanted = at.checked_sub(self.block)?;
        while self.ahead.found.get(self.next)?.start < wanted {
            self.next += 1;
        }
        let found = &self.ahead.found[self.next];
        if found.start != wanted {
            return None;
        }
        self.next += 1;
        let lines = &self.ahead.line_ends[found.lines.start..found.lines.end];
        ends.extend(lines.iter().map(|end| end + self.block as u32));
        let moved = |span: Span| match span.is_empty() {
            true => span,
            false => Span { start: span.start + self.block, end: span.end + self.block },
        };
        let entry = Entry {
            header: moved(found.entry.header),
            statement: moved(found.entry.statement),
            database: moved(found.entry.database),
            schema: moved(found.entry.schema),
            ..found.entry
        };
        Some((entry, found.end + self.block))
    }
}

/// Reads entries of the usual form.
#[derive(Debug)]
pub(super) struct Usual {
    /// Finds where a header may begin: its `\n# `.
    pub(super) header_end: Finder<'static>,
    mode: Option<Mode>,
    outline: Vec<u8>,
}

impl Usual {
    /// Makes outlines if a mode for them is given.
    pub(super) fn new(mode: Option<Mode>) -> Usual {
        Usual { header_end: Finder::new(b"\n# "), mode, outline: Vec::new() }
    }

    /// The entry at `at`, the beginning of a line, and the place behind it; `None` if it has
    /// another form, or does not end in `text`. Adds the ends of the lines of its header to `ends`
    /// and its outline to `outlines`.
    pub(super) fn entry(
        &mut self,
        text: &[u8],
        at: usize,
        ends: &mut Vec<u32>,
        outlines: &mut Vec<u8>,
    ) -> Option<(Entry, usize)> {
        let first = ends.len();
        let found = header(text, at, ends).and_then(|header| {
            let end = statement_end(text, header.end, &self.header_end)?;
            let statement = Span { start: header.end, end: end - b";\n".len() };
            let outline = self.closed(text, statement, outlines)?;
            let entry = header.entry(at, statement, Kind::Query);
            Some((Entry { is_usual: true, outline, ..entry }, end))
        });
        if found.is_none() {
            ends.truncate(first);
        }
        found
    }

    /// Whether the `;` behind a statement is the first one outside of quotes and comments, which
    /// its outline may tell; if so, gives that.
    fn closed(
        &mut self,
        text: &[u8],
        statement: Span,
        outlines: &mut Vec<u8>,
    ) -> Option<Option<Span>> {
        if let Some(mode) = self.mode
            && sketch(statement.of(text), mode, &mut self.outline) == Sketch::Whole
        {
            let start = outlines.len();
            outlines.extend_from_slice(&self.outline);
            return Some(Some(Span { start, end: outlines.len() }));
        }
        // A few bytes more than the statement: what ends behind it did not end where it should,
        // and most blocks of it are whole.
        const BEYOND: usize = 64;
        let piece = &text[..text.len().min(statement.end + BEYOND)];
        let mut hits = Hits::new(piece, &quotes::SPECIAL);
        let semicolon = Walk::default().to_semicolon(&mut hits, statement.start);
        (semicolon == Some(statement.end + 1)).then_some(None)
    }
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

/// The place behind the statement at `start`, if it is the first `;` in front of a header.
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
    (text[start..place].ends_with(b";\n") && begins_usually(&text[place..])).then_some(place)
}

/// Whether a text begins with the first line of an entry of the usual form.
fn begins_usually(text: &[u8]) -> bool {
    match text.strip_prefix(b"# Time: ") {
        Some(value) => time::is_log_time(value),
        None => text.starts_with(b"# User@Host:"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Framer, Gap, Step};
    use super::*;
    use crate::source::blocks::Blocks;
    use proptest::prelude::*;

    /// Says of each place where an entry of the usual form is found what the careful functions
    /// say of it; gives how many there were.
    #[track_caller]
    fn check(log: &[u8]) -> usize {
        let counts =
            [None, Some(Mode::Default), Some(Mode::Peer)].map(|mode| check_mode(log, mode));
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        counts[0]
    }

    #[track_caller]
    fn check_mode(log: &[u8], mode: Option<Mode>) -> usize {
        let mut usual = Usual::new(mode);
        let (mut ends, mut outlines, mut made) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        let mut at = 0;
        while at < log.len() {
            let shown = || String::from_utf8_lossy(&log[at..]);
            let found = usual.entry(log, at, &mut ends, &mut outlines);
            let line = at + memchr(b'\n', &log[at..]).map_or(log.len() - at, |end| end + 1);
            let Some((got, end)) = found else {
                at = line;
                continue;
            };
            let mut framer = Framer::new(0, Blocks::new(Box::new(&b""[..])), None);
            framer.gap = Gap::BEHIND_ENTRY;
            let Step::Entry { end: careful_end, entry: want } = framer.step(log, at) else {
                panic!("the careful way finds no entry in {}", shown());
            };
            let want = Entry { is_usual: true, outline: got.outline, ..want };
            assert_eq!((end, got), (careful_end, want), "{}", shown());
            if let Some((mode, outline)) = mode.zip(got.outline) {
                assert!(sketch(got.statement.of(log), mode, &mut made) == Sketch::Whole);
                assert_eq!(outline.of(&outlines), made, "{}", shown());
            }
            let Span { start, end: header } = got.header;
            let want: Vec<u32> = memchr::memchr_iter(b'\n', &log[start..header])
                .map(|end| (start + end) as u32)
                .collect();
            assert_eq!(ends, want, "{}", shown());
            ends.clear();
            count += 1;
            at = end;
        }
        count
    }

    #[test]
    fn entries_of_all_servers_are_usual() {
        let percona =
            include_bytes!("../../../samples/slow/percona-8.0-full-verbosity-sampled.log");
        let shop = include_bytes!("../../../samples/slow/shop.log");
        assert!(check(percona) > 0);
        assert!(check(shop) > 100);
    }

    #[rustfmt::skip]
    const PIECES: &[&str] = &[
        "# Time: 2026-03-06T17:01:40.250000Z\n", "# Time: 260306 17:01:40\n", "# Time: 260306  7:01:40\n",
        "# User@Host: app[app] @ web1 [192.0.2.1]  Id:     7\n", "# User@Host: app[app] @ web1 []\n",
        "# Query_time: 1.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 9\n",
        "# Thread_id: 7  Schema: shop  QC_hit: No\n", "# Schema: shop  Last_errno: 0  Killed: 0\n",
        "# Schema: a\nb  Last_errno: 0\n", "#   InnoDB_IO_r_ops: 1\n", "# Query_time: x\n", "# Txn_start_ts: 4\n",
        "# explain: id select_type\n", "# No InnoDB statistics\n", "# administrator command: Quit;\n", "#\n", "#x\n",
        "use shop;\n", "use `a;b`;\n", "use x; \n", "SET timestamp=1772816400;\n", "SET timestamp=1.5;\n",
        "SET insert_id=5;\n", "SELECT 1;\n", "SELECT 'a;\n# Time: b', `c'`;\n", "SELECT \"it's\"\n FROM t;\n",
        "SELECT 'open;\n", "UPDATE t SET a = 1; SELECT 2;\n", "BEGIN /* ; ' */;\n", "SELECT 1 -- it's\n;\n",
        "SELECT 1\n# comment\n, 2;\n", "\n", " ", ";\n", "'", "\\", "mysqld, Version: 8.0.1 (x). started with:\n",
        "2026-03-06T11:00:01.000000Z 0 [System] x\n", "SELECT 'it\\'s', 'x\\\\';\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn the_careful_way_agrees(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..40)) {
            check(pieces.concat().as_bytes());
        }

        #[test]
        fn the_careful_way_agrees_on_entries_with_a_change(
            statements in prop::collection::vec((0..PIECES.len(), any::<bool>()), 2..6),
            change in (any::<prop::sample::Index>(), prop::sample::select(PIECES)),
        ) {
            let mut pieces = Vec::new();
            for (statement, has_time) in statements {
                if has_time {
                    pieces.push(PIECES[0]);
                }
                pieces.extend([PIECES[3], PIECES[5], PIECES[17], PIECES[20], PIECES[statement]]);
            }
            check(pieces.concat().as_bytes());
            pieces.insert(change.0.index(pieces.len()), change.1);
            check(pieces.concat().as_bytes());
        }
    }
}
