//! The slow query log: where an entry begins and ends, and what it inherits.
//!
//! ```text
//! /usr/sbin/mysqld, Version: 8.0.36 (…). started with:          banner, three lines
//! # Time: 2026-03-06T17:01:40.000000Z                           header: `#` lines, then
//! # User@Host: app[app] @  [192.0.2.1]  Id:     7               `use` and `SET` lines
//! # Query_time: 100.000000  Lock_time: 0.000000 Rows_sent: 1 …
//! SET timestamp=1772816400;
//! SELECT SLEEP(100);                                            statement, up to the `;`
//! ```                                                           before the next entry
//!
//! Framing is cheap and in order; what the header says is read by [`read`], event by event.

pub mod header;
mod intake;
pub mod lines;
pub mod quotes;
pub mod read;
mod usual;

use crate::event::{Kind, Span};
use crate::flavor::{self, Family};
use crate::logs::frame::{Batch, Carry, Frame};
use crate::problem::{self, Origin, Problem, Problems};
use crate::scan::{ByteSet, Hits};
use crate::source::blocks::Blocks;
use crate::sql::outline::Mode;
use crate::time::{LogTime, SECOND, Timestamp, Zone};

pub use intake::Intake;
use quotes::{Open, Walk};
pub use usual::Ahead;
use usual::Usual;

/// Text that is read at once: little enough to stay in a processor's own cache with the classes.
pub const BLOCK: usize = 256 * 1024;
/// The same, where several threads unpack in turn: a decoder looks back at megabytes of text, which
/// have to be near again each time. In all for so many bytes, and for one no more than half of it.
pub const UNPACKED: usize = 8 * 1024 * 1024;
/// The longest entry that is surely kept whole; of a longer one the statement is cut.
pub const LONGEST: usize = 256 * 1024 * 1024;
/// How far is looked to tell a header in a string from one behind an unclosed string.
const LOOKAHEAD: usize = 1024 * 1024;
/// A line without an end that is taken off piece by piece instead of waiting for the end.
const LONG_LINE: usize = 64 * 1024;

/// What the bytes of an input were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All bytes of the (decompressed) input.
    pub bytes: u64,
    /// In entries that are events.
    pub event_bytes: u64,
    /// In banners, lone time lines, blank lines, a byte-order mark.
    pub header_bytes: u64,
    /// In everything else.
    pub skipped_bytes: u64,
    /// Entries that are events.
    pub events: u64,
    /// Entries that are cut, and statements or commands without a `Query_time`.
    pub fragments: u64,
    /// Lines of other programs.
    pub foreign_lines: u64,
    /// Events into which the server wrote an execution plan.
    pub embedded_plans: u64,
    /// The server, by banner or by the manner of its header lines.
    pub family: Family,
    /// Version in the last banner.
    pub version: Option<String>,
    /// Which zones its times are marked with.
    pub offsets: Offsets,
    /// What broke reading off, if anything did.
    pub failure: Option<String>,
}

/// The zone marks of a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Offsets {
    /// No time so far.
    #[default]
    None,
    /// All times have this mark, in seconds east of UTC, or none has any.
    One(Option<i32>),
    /// They differ.
    Several,
}

impl Offsets {
    fn note(&mut self, offset: Option<i32>) {
        *self = match *self {
            Offsets::None => Offsets::One(offset),
            Offsets::One(known) if known == offset => Offsets::One(known),
            Offsets::One(_) | Offsets::Several => Offsets::Several,
        };
    }

    /// The one mark of two logs.
    pub fn join(self, other: Offsets) -> Offsets {
        match (self, other) {
            (Offsets::None, known) | (known, Offsets::None) => known,
            (Offsets::One(a), Offsets::One(b)) if a == b => Offsets::One(a),
            _ => Offsets::Several,
        }
    }
}

/// Cuts one input into entries.
pub struct Framer {
    source: u32,
    intake: Intake,
    /// Whether its text stands at other bytes than the input's.
    is_wrapped: bool,
    /// Bytes of a block.
    block: usize,
    /// Text that was framed and is not whole.
    pending: Vec<u8>,
    /// How much text is waited for before it is looked at again.
    wanted: usize,
    /// Byte of the text at which `pending` begins.
    base: u64,
    /// Whether the text at hand is the last.
    ended: bool,
    carry: Carry,
    database: Option<Vec<u8>>,
    /// The same as the log said it, perhaps in quotes.
    said: Vec<u8>,
    zone: Option<Zone>,
    gap: Gap,
    usual: Usual,
    tally: Tally,
    problems: Problems,
}

impl std::fmt::Debug for Framer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Framer").field("base", &self.base).field("tally", &self.tally).finish()
    }
}

/// What lies between entries here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Gap {
    /// An entry was met.
    after_entry: bool,
    /// A head without its beginning was counted.
    cut_head: bool,
    /// The last line was the rest of a header line, so the lines behind it are of the same entry.
    cut_header: bool,
    /// Behind a statement that was cut for its length.
    overlong: bool,
    /// In the middle of a line without an end.
    mid_line: bool,
}

impl Gap {
    /// Nothing since the last entry.
    const BEHIND_ENTRY: Gap = Gap {
        after_entry: true,
        cut_head: false,
        cut_header: false,
        overlong: false,
        mid_line: false,
    };
}

/// What a look at the text found.
enum Step {
    /// The text ends too early to tell.
    More,
    /// Bytes of a banner and the like, up to `end`.
    Header { end: usize },
    /// A header line that tells a time and no more.
    LoneTime { end: usize, time: LogTime },
    /// Bytes that are nothing we know, up to `end`.
    Skipped { end: usize, why: Why },
    /// An entry up to `end`.
    Entry { end: usize, entry: Entry },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Foreign,
    /// The rest of an entry whose beginning is not there.
    CutHead,
    /// A header without a statement at the end of the log.
    CutTail,
    NoQueryTime,
    /// More of what was counted already.
    Rest,
}

/// An entry as its lines show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    header: Span,
    statement: Span,
    kind: Kind,
    time: Option<LogTime>,
    database: Span,
    schema: Span,
    set_timestamp: Option<Timestamp>,
    plan: bool,
    maria: bool,
    tidb: bool,
    foreign: u64,
    is_usual: bool,
    outline: Option<Span>,
}

impl Framer {
    /// A framer of an input; `zone` is that of times without a mark, where the user names it.
    pub fn new(source: u32, blocks: Blocks, zone: Option<Zone>) -> Framer {
        Framer::with_blocks_of(BLOCK, source, blocks, zone)
    }

    /// The same for a packed input that has so many readers.
    pub fn unpacking(readers: usize, source: u32, blocks: Blocks, zone: Option<Zone>) -> Framer {
        let size = if readers > 1 { (UNPACKED / readers).max(BLOCK) } else { BLOCK };
        Framer::with_blocks_of(size, source, blocks, zone)
    }

    fn with_blocks_of(block: usize, source: u32, blocks: Blocks, zone: Option<Zone>) -> Framer {
        Framer {
            source,
            is_wrapped: blocks.is_wrapped(),
            intake: Intake::new(source, blocks, block),
            block,
            pending: Vec::new(),
            wanted: 0,
            base: 0,
            ended: false,
            carry: Carry::default(),
            database: None,
            said: Vec::new(),
            zone,
            gap: Gap::default(),
            usual: Usual::new(None),
            tally: Tally::default(),
            problems: Problems::default(),
        }
    }

    /// Makes outlines of statements where that tells where they end.
    pub fn with_outlines(self, mode: Option<Mode>) -> Framer {
        Framer { usual: Usual::new(mode), ..self }
    }

    /// Where its blocks come from. Each block that is taken there must be [framed](Self::frame),
    /// one after the other.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    /// What the bytes read so far were.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What could not be read so far.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// Reads and frames the next block; false at the end.
    pub fn next(&mut self, batch: &mut Batch) -> bool {
        let more = self.intake.read(batch);
        if more {
            self.frame(batch, &Ahead::new(None));
        }
        more
    }

    /// Frames what a block completes. `ahead` may tell entries of that block.
    pub fn frame(&mut self, batch: &mut Batch, ahead: &Ahead) {
        batch.frames.clear();
        batch.databases.clear();
        batch.line_ends.clear();
        batch.outlines.clear();
        // What held a long entry is not kept for ever.
        batch.outlines.shrink_to(4 * self.block);
        batch.line_ends.shrink_to(4 * self.block);
        batch.outlines.extend_from_slice(ahead.outlines());
        self.ended = batch.is_last;
        let before = self.pending.len();
        if before <= batch.filled.start && before + batch.filled.len() >= self.wanted {
            let start = batch.filled.start - before;
            batch.buffer[start..batch.filled.start].copy_from_slice(&self.pending);
            batch.filled.start = start;
        } else {
            self.pending.extend_from_slice(batch.text());
            if self.pending.len() < self.wanted && !self.ended {
                batch.filled = Span::default();
                return;
            }
            std::mem::swap(&mut self.pending, &mut batch.buffer);
            batch.filled = Span { start: 0, end: batch.buffer.len() };
        }
        self.carry.database = self.database.as_ref().map(|name| batch.databases.push(name));
        let buffer = std::mem::take(&mut batch.buffer);
        let text = batch.filled.of(&buffer);
        let at = self.entries(text, batch, ahead, before);
        self.pending.clear();
        self.pending.extend_from_slice(&text[at..]);
        if self.pending.capacity() > 16 * self.block && self.pending.len() < self.block {
            self.pending.shrink_to(self.block);
        }
        // Looking at a long entry again for each block would take the square of its length.
        self.wanted = if at == 0 { (2 * text.len()).min(LONGEST + self.block) } else { 0 };
        batch.buffer = buffer;
        self.base += at as u64;
        if self.is_wrapped {
            self.intake.ask(|blocks| blocks.forget(self.base));
        }
        self.tally.bytes = self.offset(0);
        if self.ended {
            self.end();
        }
    }

    fn end(&mut self) {
        // A last line of nothing but a prefix has no text of its own.
        let (total, dropped, failure) = self.intake.ask(|blocks| {
            let failure = blocks.failure().map(ToString::to_string);
            (blocks.total(self.base), blocks.dropped_lines(), failure)
        });
        self.tally.header_bytes += total - self.offset(0);
        self.tally.bytes = total;
        self.tally.foreign_lines += dropped;
        if let Some(failure) = failure {
            self.tally.failure = Some(format!("byte {}: {failure}", self.tally.bytes));
            let detail = format!("the input could not be read further: {failure}");
            self.problems.add(Problem {
                origin: Origin { source: self.source, offset: self.tally.bytes },
                kind: problem::Kind::Unreadable,
                detail,
                text: String::new(),
            });
        }
    }

    /// Frames what is whole in `text`; gives the place behind it. The block that was looked at
    /// `ahead` begins at byte `block`.
    fn entries(&mut self, text: &[u8], batch: &mut Batch, ahead: &Ahead, block: usize) -> usize {
        let mut at = 0;
        let mut ahead = ahead.cursor(block);
        while at < text.len() {
            if self.gap == Gap::BEHIND_ENTRY {
                let first = batch.line_ends.len();
                let found = ahead.entry(at, &mut batch.line_ends).or_else(|| {
                    self.usual.entry(text, at, &mut batch.line_ends, &mut batch.outlines)
                });
                if let Some((entry, end)) = found {
                    self.take(text, at, end, entry, first, batch);
                    at = end;
                    continue;
                }
            }
            let end = match self.step(text, at) {
                Step::More if text.len() - at >= LONGEST => self.cut(text, at, batch),
                Step::More => break,
                Step::Header { end } => {
                    self.tally.header_bytes += self.raw(at, end);
                    end
                }
                Step::LoneTime { end, time } => {
                    self.tally.header_bytes += self.raw(at, end);
                    self.carry.time = Some(time);
                    end
                }
                Step::Skipped { end, why } => {
                    self.skip(text, at, end, why);
                    end
                }
                Step::Entry { end, entry } => {
                    self.take_careful(text, at, end, entry, batch);
                    end
                }
            };
            at = end;
        }
        at
    }

    /// Bytes of the input between two places of the text at hand.
    fn raw(&self, from: usize, to: usize) -> u64 {
        self.offset(to).saturating_sub(self.offset(from))
    }

    fn offset(&self, at: usize) -> u64 {
        let place = self.base + at as u64;
        if self.is_wrapped { self.intake.ask(|blocks| blocks.origin(place)) } else { place }
    }

    fn skip(&mut self, text: &[u8], at: usize, end: usize, why: Why) {
        let bytes = self.raw(at, end);
        self.tally.skipped_bytes += bytes;
        let (kind, detail) = match why {
            Why::Rest => return,
            Why::Foreign => {
                self.tally.foreign_lines += 1;
                (problem::Kind::ForeignLines, "a line that is not of a slow log")
            }
            Why::CutHead => {
                self.tally.fragments += 1;
                (problem::Kind::CutHead, "the rest of an entry whose beginning is not in the log")
            }
            Why::CutTail => {
                self.tally.fragments += 1;
                (problem::Kind::CutTail, "an entry whose statement is not in the log")
            }
            Why::NoQueryTime => {
                self.tally.fragments += 1;
                (problem::Kind::NoQueryTime, "an entry without a Query_time")
            }
        };
        let origin = Origin { source: self.source, offset: self.offset(at) };
        if self.problems.wants(origin) {
            let start = String::from_utf8_lossy(&text[at..end.min(at + 60)]);
            let text = start.lines().next().unwrap_or_default().trim_end().to_owned();
            self.problems.add(Problem { origin, kind, detail: detail.to_owned(), text });
        }
    }

    /// Takes an entry whose header lines are not known.
    fn take_careful(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        entry: Entry,
        batch: &mut Batch,
    ) {
        let first = batch.line_ends.len();
        let Span { start, end: header_end } = entry.header;
        let ends = memchr::memchr_iter(b'\n', &text[start..header_end]);
        batch.line_ends.extend(ends.map(|end| (start + end) as u32));
        if !text[start..header_end].ends_with(b"\n") {
            batch.line_ends.push(header_end as u32);
        }
        self.take(text, at, end, entry, first, batch);
    }

    /// Takes an entry as an event; the ends of its header's lines are those from `first` on.
    fn take(
        &mut self,
        text: &[u8],
        at: usize,
        end: usize,
        entry: Entry,
        first: usize,
        batch: &mut Batch,
    ) {
        self.gap = Gap::BEHIND_ENTRY;
        if entry.maria && self.carry.family == Family::Unknown {
            self.carry.family = Family::MariaDb;
        }
        if entry.tidb {
            self.carry.family = Family::TiDb;
        }
        self.tally.family = self.carry.family;
        if let Some(time) = entry.time {
            self.tally.offsets.note(time.offset);
            self.carry.time = Some(time);
            self.note_offset(time, entry.set_timestamp);
        }
        let length = self.raw(at, end);
        self.tally.events += 1;
        self.tally.event_bytes += length;
        self.tally.embedded_plans += u64::from(entry.plan);
        self.tally.foreign_lines += entry.foreign;
        let carry = self.carry;
        let said = if entry.database.is_empty() { entry.schema } else { entry.database };
        if !said.is_empty() {
            self.note_database(said.of(text), batch);
        }
        batch.frames.push(Frame {
            offset: self.offset(at),
            length,
            header: entry.header,
            outline: entry.outline,
            is_usual: entry.is_usual,
            lines: Span { start: first, end: batch.line_ends.len() },
            statement: entry.statement,
            kind: entry.kind,
            database: self.carry.database.filter(|_| !entry.database.is_empty()),
            own_time: entry.time.is_some(),
            before_time: text[end..].starts_with(b"# Time: "),
            before_last_blank: self.ended && text[entry.statement.end..] == *b";\n\n",
            set_timestamp: entry.set_timestamp,
            carry,
        });
    }

    /// Remembers a database for the entries that follow.
    fn note_database(&mut self, said: &[u8], batch: &mut Batch) {
        if self.said != said || self.database.is_none() {
            let name = header::database_name(said);
            self.carry.database = Some(batch.databases.push(&name));
            let known = self.database.get_or_insert_default();
            known.clear();
            known.extend_from_slice(&name);
            self.said.clear();
            self.said.extend_from_slice(said);
        }
    }

    /// Learns the distance of the server's clock to UTC from a time without a mark and the
    /// `SET timestamp` beside it, which is UTC.
    fn note_offset(&mut self, time: LogTime, set: Option<Timestamp>) {
        if time.offset.is_some() {
            return;
        }
        if let Some(zone) = &self.zone {
            let instant = zone.instant_of(time.civil);
            self.carry.offset = Some(((time.civil.0 - instant.0) / SECOND) as i32);
        } else if let Some(offset) = set.and_then(|set| clock_offset(time.civil, set)) {
            self.carry.offset = Some(offset);
        }
    }

    /// Cuts a statement that is longer than what is kept.
    fn cut(&mut self, text: &[u8], at: usize, batch: &mut Batch) -> usize {
        let origin = Origin { source: self.source, offset: self.offset(at) };
        let detail = format!("an entry of more than {LONGEST} bytes: the rest of it is left out");
        let kind = problem::Kind::TooLong;
        self.problems.add(Problem { origin, kind, detail, text: String::new() });
        let end = text.len();
        match Header::read(text, at, true) {
            HeaderEnd::Statement(header) if header.query_time => {
                let statement = Span { start: header.end, end };
                let entry = header.entry(at, statement, Kind::Query);
                self.take_careful(text, at, end, entry, batch);
            }
            _ => self.skip(text, at, end, Why::NoQueryTime),
        }
        self.gap.overlong = true;
        self.gap.mid_line = text.last() != Some(&b'\n');
        end
    }

    /// Looks at what begins at `at`, the beginning of a line between entries.
    fn step(&mut self, text: &[u8], at: usize) -> Step {
        if text[at..].starts_with(b"\xef\xbb\xbf") {
            return Step::Header { end: at + 3 };
        }
        // A log that was truncated while the server wrote on begins with a hole.
        let hole = text[at..].iter().take_while(|b| **b == 0).count();
        if hole > 0 {
            return Step::Skipped { end: at + hole, why: Why::Rest };
        }
        let Some((line, next)) = line_at(text, at, self.ended) else {
            if text.len() - at < LONG_LINE || text[at] == b'#' {
                return Step::More;
            }
            let why = if self.gap.mid_line { Why::Rest } else { self.stray(&text[at..]) };
            self.gap.mid_line = true;
            return Step::Skipped { end: text.len(), why };
        };
        if self.gap.mid_line {
            self.gap.mid_line = false;
            return Step::Skipped { end: next, why: Why::Rest };
        }
        if lines::begins_entry(line) || (lines::is_header(line) && header::is_attributes(line)) {
            return self.entry(text, at);
        }
        if line.starts_with(b"#") && self.ended && next == text.len() && !text.ends_with(b"\n") {
            return Step::Skipped { end: next, why: Why::CutTail };
        }
        // A time that cannot be read is still the first line of an entry.
        if lines::is_time(line) {
            match line_at(text, next, self.ended) {
                None => return Step::More,
                Some((line, _)) if lines::begins_entry(line) => return self.entry(text, at),
                Some(_) => {}
            }
        }
        if let Some(banner) = flavor::banner(line) {
            self.carry = Carry { family: banner.family, ..Carry::default() };
            self.database = None;
            self.tally.family = banner.family;
            self.tally.version = Some(banner.version);
            return Step::Header { end: next };
        }
        if line.trim_ascii().is_empty() || lines::follows_banner(line) {
            return Step::Header { end: next };
        }
        self.gap.cut_header = self.cuts_header(text, line, next);
        match self.stray(line) {
            Why::NoQueryTime => match self.statement_end(text, at) {
                Some((_, end)) => Step::Skipped { end, why: Why::NoQueryTime },
                None => Step::More,
            },
            why => Step::Skipped { end: next, why },
        }
    }

    /// Whether a line at the head is what is left of a header line: it ends no statement, and
    /// lines of a header follow that do not begin one.
    fn cuts_header(&self, text: &[u8], line: &[u8], next: usize) -> bool {
        let follows = line_at(text, next, true).map_or(&b""[..], |(line, _)| line);
        !self.gap.after_entry
            && !line.trim_ascii_end().ends_with(b";")
            && header::is_attributes(follows)
            && !lines::is_time(follows)
            && !lines::is_user(follows)
    }

    /// What a line between entries is that is no header, no banner and not blank.
    fn stray(&mut self, line: &[u8]) -> Why {
        if self.gap.overlong {
            Why::Rest
        } else if lines::is_foreign(line) {
            Why::Foreign
        } else if self.gap.after_entry {
            if lines::is_header(line) || !lines::continues_statement(line) {
                Why::Foreign
            } else {
                Why::NoQueryTime
            }
        } else if std::mem::replace(&mut self.gap.cut_head, true) {
            Why::Rest
        } else {
            Why::CutHead
        }
    }

    /// Reads an entry that begins at `at`.
    fn entry(&mut self, text: &[u8], at: usize) -> Step {
        let gap = self.gap;
        let fragment = |end, cut_tail| {
            let why = match (cut_tail, gap.after_entry) {
                (true, _) => Why::CutTail,
                (false, false) if gap.cut_header => Why::Rest,
                (false, false) => Why::CutHead,
                (false, true) => Why::NoQueryTime,
            };
            Step::Skipped { end, why }
        };
        let step = match Header::read(text, at, self.ended) {
            HeaderEnd::More => return Step::More,
            HeaderEnd::Nothing(header) => {
                let nothing = Span { start: header.end, end: header.end };
                match header.time {
                    Some(time) if header.is_lone_time => Step::LoneTime { end: header.end, time },
                    _ if header.end == text.len() && self.ended => fragment(header.end, true),
                    _ if header.query_time => {
                        let entry = header.entry(at, nothing, Kind::Query);
                        Step::Entry { end: header.end, entry }
                    }
                    _ => fragment(header.end, false),
                }
            }
            HeaderEnd::Administrator(header, command, end) if header.query_time => {
                Step::Entry { end, entry: header.entry(at, command, Kind::Administrator) }
            }
            HeaderEnd::Administrator(_, _, end) => fragment(end, false),
            HeaderEnd::Statement(header) => match self.statement_end(text, header.end) {
                None => return Step::More,
                Some((statement, end)) if header.query_time => {
                    Step::Entry { end, entry: header.entry(at, statement, Kind::Query) }
                }
                Some((_, end)) => fragment(end, false),
            },
        };
        self.gap = Gap::BEHIND_ENTRY;
        match step {
            Step::Entry { end, .. } if gap.cut_header => Step::Skipped { end, why: Why::Rest },
            step => step,
        }
    }

    /// The statement that begins at `start`, and the place behind it; `None` if the text ends
    /// too early to tell.
    fn statement_end(&self, text: &[u8], start: usize) -> Option<(Span, usize)> {
        let mut walk = Walk::default();
        let mut walked = start;
        let mut from = start.saturating_sub(1);
        loop {
            let found = self.usual.header_end.find(&text[from..]).map(|found| from + found + 1);
            let place = match found {
                Some(place) => {
                    let (line, next) = line_at(text, place, self.ended)?;
                    let begins = lines::begins_entry(line)
                        || (lines::is_time(line) && is_strong_behind(text, next, self.ended)?);
                    if place == start || !begins {
                        from = place;
                        continue;
                    }
                    place
                }
                None if self.ended => text.len(),
                None => return self.early_end(text, start),
            };
            if let Some((semicolon, end)) =
                inner_end(text, place, &mut walk, &mut walked, found.is_none())
            {
                return Some((Span { start, end: semicolon }, end));
            }
            if found.is_none() {
                return Some((without_semicolon(text, start, place), place));
            }
            // A `;` in a line comment or in a string ends the statement too, if an entry follows.
            let ended = text[start..place].trim_ascii_end().ends_with(b";");
            let is_end = match walk.open {
                Open::Nothing if ended => true,
                Open::Nothing => is_strong(text, place, self.ended)?,
                Open::Quote(_) | Open::Comment => {
                    let limit = place + LOOKAHEAD;
                    if text.len() < limit && !self.ended {
                        return None;
                    }
                    let slice = &text[place..limit.min(text.len())];
                    let to_the_end = self.ended && text.len() <= limit;
                    let closing = quotes::closing(slice, walk, to_the_end, |semicolon| {
                        may_end(slice, semicolon, to_the_end)
                    });
                    if let Some(closing) = closing {
                        // All that looks like a header up to there is in the same string.
                        from = place + closing;
                        continue;
                    }
                    ended || is_strong(text, place, self.ended)?
                }
            };
            if is_end {
                let is_open = walk.open != Open::Nothing;
                let cut_short = if ended { None } else { banner_in(text, start, place, is_open) };
                let end = cut_short.unwrap_or(place);
                return Some((without_semicolon(text, start, end), end));
            }
            from = place;
        }
    }
}

impl Framer {
    /// The end of a statement behind which no header has come for long: where it surely ended, the
    /// rest need not be kept until one comes.
    fn early_end(&self, text: &[u8], start: usize) -> Option<(Span, usize)> {
        if text.len() - start < LOOKAHEAD {
            return None;
        }
        let (semicolon, end) =
            inner_end(text, text.len(), &mut Walk::default(), &mut start.clone(), false)?;
        (end < text.len()).then_some((Span { start, end: semicolon }, end))
    }
}

/// Offset of a clock from UTC if `shown` and `utc` are the same second and some quarter hours
/// apart, as zones are.
fn clock_offset(shown: Timestamp, utc: Timestamp) -> Option<i32> {
    const QUARTER: i64 = 900;
    let distance = (shown.0.checked_sub(utc.0)?).div_euclid(SECOND);
    let quarters = (distance + QUARTER / 2).div_euclid(QUARTER);
    let offset = quarters * QUARTER;
    ((distance - offset).abs() <= 2 && offset.abs() <= 15 * 3600).then_some(offset as i32)
}

/// Whether `SET timestamp` names the time that the log shows, and not one that a session set.
pub(crate) fn names_the_time(shown: LogTime, set: Timestamp) -> bool {
    shown.offset.is_some() || clock_offset(shown.civil, set).is_some()
}

/// The line at `at` without its line end, and the place behind it; `None` if its end is not
/// there and more may come.
fn line_at(text: &[u8], at: usize, ended: bool) -> Option<(&[u8], usize)> {
    match memchr::memchr(b'\n', &text[at..]) {
        Some(length) => Some((&text[at..at + length], at + length + 1)),
        None if ended => Some((&text[at..], text.len())),
        None => None,
    }
}

/// Walks on to `place`. If the statement ends there or before, at a `;` behind which no statement
/// goes on, gives the place of the `;` and the place behind the statement's last line. `is_last`
/// says that the log ends at `place`.
fn inner_end(
    text: &[u8],
    place: usize,
    walk: &mut Walk,
    walked: &mut usize,
    is_last: bool,
) -> Option<(usize, usize)> {
    let piece = &text[..place];
    let mut hits = Hits::new(piece, &quotes::SPECIAL);
    while let Some(at) = walk.to_semicolon(&mut hits, *walked) {
        *walked = at;
        let Some(line) = next_line(piece, at) else { continue };
        let behind = &piece[line..];
        let first = behind.iter().position(|b| !b.is_ascii_whitespace());
        // Blank lines up to the next entry go with this one.
        let Some(first) = first else { return Some((at - 1, place)) };
        let start = behind[..first].iter().rposition(|b| *b == b'\n').map_or(0, |b| b + 1);
        let (behind, _) = line_at(&behind[start..], 0, true)?;
        // The last line of a log without a line end is a header cut short rather than a comment.
        let is_cut = behind.starts_with(b"#") && is_last && piece.ends_with(behind);
        if is_cut || !lines::continues_statement(behind) {
            return Some((at - 1, line));
        }
    }
    *walked = place;
    None
}

/// The place of the next line if nothing but blanks is left of this one.
fn next_line(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let end = rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r'));
    match end {
        Some(end) if rest[end] == b'\n' => Some(at + end + 1),
        Some(_) => None,
        None => Some(text.len()),
    }
}

/// Whether the log goes on with an entry or a banner, or ends, behind the `;` before `at`.
fn may_end(text: &[u8], at: usize, to_the_end: bool) -> bool {
    let Some(line) = next_line(text, at) else { return false };
    let rest = &text[line..];
    let Some(first) = rest.iter().position(|b| !b.is_ascii_whitespace()) else { return to_the_end };
    line_at(rest, first, to_the_end)
        .is_some_and(|(line, _)| lines::begins_entry(line) || flavor::banner(line).is_some())
}

/// Whether two header lines begin at `place`: then an entry does, even if the statement before
/// it lacks its `;`.
fn is_strong(text: &[u8], place: usize, ended: bool) -> Option<bool> {
    let (line, next) = line_at(text, place, ended)?;
    let first = lines::is_time(line) || lines::is_user(line) || lines::is_query_time(line);
    Some(first && is_strong_behind(text, next, ended)?)
}

/// Whether the line at `next`, behind what may be the first line of an entry, is a header too.
fn is_strong_behind(text: &[u8], next: usize, ended: bool) -> Option<bool> {
    if next >= text.len() && ended {
        return Some(false);
    }
    let (line, _) = line_at(text, next, ended)?;
    Some(lines::begins_entry(line) || (lines::is_header(line) && header::is_attributes(line)))
}

/// The place of a banner in a statement that a crash cut short. `is_open`: in the middle of a
/// string, which then hides nothing.
fn banner_in(text: &[u8], start: usize, place: usize, is_open: bool) -> Option<usize> {
    let (mut walk, mut walked) = (Walk::default(), start);
    memchr::memmem::find_iter(&text[start..place], b", Version: ").find_map(|found| {
        let at = start + found;
        let line = text[start..at].iter().rposition(|b| *b == b'\n').map(|b| start + b + 1)?;
        let (whole, _) = line_at(text, line, true)?;
        flavor::banner(whole)?;
        walk.over(&text[walked..line]);
        walked = line;
        (walk.open == Open::Nothing || is_open).then_some(line)
    })
}

/// Whether a line behind `SET timestamp` could be anything but the beginning of a statement: a
/// blank line, a banner, a line of another program.
fn is_odd(line: &[u8]) -> bool {
    !line.first().is_some_and(u8::is_ascii_alphabetic) || flavor::banner(line).is_some()
}

/// A statement up to `end`, without its `;` and what is blank behind it. Without a `;` it stays
/// as it is.
fn without_semicolon(text: &[u8], start: usize, end: usize) -> Span {
    let body = text[start..end].trim_ascii_end();
    match body.strip_suffix(b";") {
        Some(body) => Span { start, end: start + body.len() },
        None => Span { start, end },
    }
}

/// The `;` that ends a `use` line; a quoted name may hold one itself.
fn use_end(text: &[u8]) -> Option<usize> {
    let quoted = text.strip_prefix(b"use `");
    let mut at = match quoted {
        None => 0,
        Some(_) => 5,
    };
    while quoted.is_some() {
        at += memchr::memchr(b'`', text.get(at..)?)? + 1;
        if text.get(at) != Some(&b'`') {
            break;
        }
        at += 1;
    }
    memchr::memchr(b';', text.get(at..)?).map(|found| at + found)
}

/// The header of an entry.
#[derive(Debug, Clone, Copy, Default)]
struct Header {
    end: usize,
    time: Option<LogTime>,
    is_lone_time: bool,
    query_time: bool,
    user: bool,
    database: Span,
    schema: Span,
    set_timestamp: Option<Timestamp>,
    /// Only a statement can follow.
    closed: bool,
    plan: bool,
    maria: bool,
    tidb: bool,
    foreign: u64,
}

/// What follows a header.
enum HeaderEnd {
    More,
    /// Another entry, a banner or the end.
    Nothing(Header),
    /// A command, and the place behind its line.
    Administrator(Header, Span, usize),
    /// A statement, which begins at the end of the header.
    Statement(Header),
}

impl Header {
    fn entry(&self, start: usize, statement: Span, kind: Kind) -> Entry {
        Entry {
            header: Span { start, end: self.end },
            statement,
            kind,
            time: self.time,
            database: self.database,
            schema: self.schema,
            set_timestamp: self.set_timestamp,
            plan: self.plan,
            maria: self.maria,
            tidb: self.tidb,
            foreign: self.foreign,
            is_usual: false,
            outline: None,
        }
    }

    fn read(text: &[u8], start: usize, ended: bool) -> HeaderEnd {
        let mut header = Header { end: start, is_lone_time: true, ..Header::default() };
        loop {
            if header.end >= text.len() {
                return if ended { HeaderEnd::Nothing(header) } else { HeaderEnd::More };
            }
            let at = header.end;
            let Some((line, next)) = line_at(text, at, ended) else { return HeaderEnd::More };
            if lines::is_header(line) {
                if let Some(command) = lines::administrator(line) {
                    let from = at + line.len() - command.len();
                    let command = without_semicolon(text, from, at + line.trim_ascii_end().len());
                    return HeaderEnd::Administrator(header, command, next);
                }
                if header.closed {
                    // A `#` line here is a comment, unless an entry begins or the log is cut.
                    let is_cut = ended && next == text.len() && !text.ends_with(b"\n");
                    return if lines::begins_entry(line) {
                        HeaderEnd::Nothing(header)
                    } else if is_cut {
                        header.cut_short(text)
                    } else {
                        HeaderEnd::Statement(header)
                    };
                }
                if !header.note(line, at) {
                    return HeaderEnd::Nothing(header);
                }
                header.end = next;
            } else if header.set_timestamp.is_some() && !is_odd(line) {
                return HeaderEnd::Statement(header);
            } else if line.trim_ascii().is_empty() {
                header.end = next;
            } else if flavor::banner(line).is_some() {
                return HeaderEnd::Nothing(header);
            } else if let Some(set) = lines::set_line(line).filter(|_| header.may_set()) {
                header.set_timestamp = set.or(header.set_timestamp);
                header.closed = true;
                header.is_lone_time = false;
                header.end = next;
            } else if header.may_set() && lines::use_line(line).is_some() {
                let Some(semicolon) = use_end(&text[at..]) else {
                    return if ended { header.cut_short(text) } else { HeaderEnd::More };
                };
                let Some((rest, next)) = line_at(text, at + semicolon + 1, ended) else {
                    return HeaderEnd::More;
                };
                if !rest.trim_ascii().is_empty() {
                    return HeaderEnd::Statement(header);
                }
                header.database = Span { start: at + b"use ".len(), end: at + semicolon };
                header.closed = true;
                header.is_lone_time = false;
                header.end = next;
            } else if ended && next == text.len() && header.is_cut_line(line) {
                return header.cut_short(text);
            } else if lines::is_foreign(line) {
                header.foreign += 1;
                header.end = next;
            } else if header.may_go_on(line, at) && next >= text.len() && !ended {
                return HeaderEnd::More;
            } else if header.may_go_on(line, at) && text.get(next) == Some(&b'#') {
                // A name with a line end in it: `# Schema: two` and `lines  QC_hit: No`.
                let start = header.schema.start;
                let value = header::schema_value(&text[start..at + line.len()]);
                header.schema = Span { start: start + value.start, end: start + value.end };
                header.maria |= memchr::memmem::find(line, b"QC_hit:").is_some();
                header.end = next;
            } else {
                return HeaderEnd::Statement(header);
            }
        }
    }

    /// The log ends inside the header.
    fn cut_short(mut self, text: &[u8]) -> HeaderEnd {
        self.end = text.len();
        self.is_lone_time = false;
        HeaderEnd::Nothing(self)
    }

    /// Whether a line can be the rest of the database's name on the line before.
    fn may_go_on(&self, line: &[u8], at: usize) -> bool {
        !self.query_time && self.schema.end + 1 == at && !line.trim_ascii_end().ends_with(b";")
    }

    /// Whether a `SET timestamp` line still belongs to the header.
    fn may_set(&self) -> bool {
        self.set_timestamp.is_none()
    }

    /// Whether the last line of a log is the beginning of a `SET` line.
    fn is_cut_line(&self, line: &[u8]) -> bool {
        self.may_set()
            && [&b"SET timestamp="[..], b"use "]
                .iter()
                .any(|start| start.starts_with(line) || line.starts_with(start))
    }

    /// Notes a `#` line; false if it begins another entry.
    fn note(&mut self, line: &[u8], at: usize) -> bool {
        if lines::is_time(line) {
            if self.query_time {
                return false;
            }
            let time = lines::time_line(line);
            self.is_lone_time &= time.is_some();
            self.time = time.or(self.time);
            self.user |= lines::has_user(line);
            self.is_lone_time &= !self.user;
            return true;
        }
        self.is_lone_time = false;
        if lines::is_user(line) {
            if self.query_time {
                return false;
            }
            self.user = true;
        } else if lines::is_query_time(line) {
            if self.query_time {
                return false;
            }
            self.query_time = true;
        } else if line.starts_with(b"# explain:") {
            self.plan = true;
        } else {
            self.note_further(line, at);
        }
        true
    }

    fn note_further(&mut self, line: &[u8], at: usize) {
        static INITIALS: ByteSet = ByteSet::of(b"SQ");
        let mut hits = Hits::new(line, &INITIALS);
        let mut schema = line.starts_with(b"# DB: ").then_some(b"# DB:".len());
        let mut place = hits.next(0);
        while place < line.len() {
            let rest = &line[place..];
            if rest.starts_with(b"Schema:") {
                schema = schema.or(Some(place + b"Schema:".len()));
            } else if rest.starts_with(b"QC_hit:") {
                self.maria = true;
            } else if rest.starts_with(b"Query_time: ") && line[..place].ends_with(b" ") {
                self.query_time = true;
            }
            place = hits.next(place + 1);
        }
        if let Some(behind) = schema {
            let start = at + behind;
            let value = header::schema_value(&line[behind..]);
            self.schema = Span { start: start + value.start, end: start + value.end };
        }
        self.tidb |= line.starts_with(b"# Txn_start_ts:");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// What framing with blocks of this size tells: entries with what they inherit, and the tally.
    fn framed(log: &[u8], block: usize, look_ahead: bool) -> (Vec<String>, Tally) {
        let blocks = Blocks::new(Box::new(Cursor::new(log.to_vec())));
        let mut framer = Framer::with_blocks_of(block, 0, blocks, None);
        let (mut batch, mut ahead) = (Batch::default(), Ahead::new(None));
        let mut entries = Vec::new();
        while framer.intake.read(&mut batch) {
            if look_ahead {
                ahead.look(batch.text());
            }
            framer.frame(&mut batch, &ahead);
            let text = batch.text();
            for frame in &batch.frames {
                let ends = &batch.line_ends[frame.lines.start..frame.lines.end];
                let lines: Vec<usize> =
                    ends.iter().map(|end| *end as usize - frame.header.start).collect();
                entries.push(format!(
                    "{} {} {:?} {:?} {:?} {lines:?} {:?} {:?} {:?} {:?} {} {}",
                    frame.offset,
                    frame.length,
                    String::from_utf8_lossy(frame.header.of(text)),
                    String::from_utf8_lossy(frame.statement.of(text)),
                    frame.kind,
                    frame.database.and_then(|place| batch.databases.get(place)),
                    frame.carry.database.and_then(|place| batch.databases.get(place)),
                    frame.carry.time,
                    frame.set_timestamp,
                    frame.own_time,
                    frame.before_last_blank,
                ));
            }
        }
        (entries, framer.tally().clone())
    }

    #[test]
    fn entries_are_the_same_wherever_a_block_ends() {
        let samples = [
            &include_bytes!("../../../samples/slow/header-inside-string.log")[..],
            include_bytes!("../../../samples/slow/mariadb-10.11-explain.log"),
            include_bytes!("../../../samples/slow/percona-8.0-full-verbosity-sampled.log"),
            include_bytes!("../../../samples/slow/mysql-8.0-log-slow-extra.log"),
            include_bytes!("../../../samples/slow/cut-head-and-tail.log"),
            include_bytes!("../../../samples/slow/foreign-lines.log"),
            include_bytes!("../../../samples/slow/unterminated-string.log"),
        ];
        for sample in samples {
            let want = framed(sample, BLOCK, false);
            for block in [64, 97, 256, 1000, 4096, sample.len(), sample.len() + 1] {
                for look_ahead in [false, true] {
                    assert_eq!(framed(sample, block, look_ahead), want, "blocks of {block}");
                }
            }
        }
    }
}
