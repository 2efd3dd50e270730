//! Where an event stands in a piece of log, and what it inherits from the ones before.

use crate::event::{Kind, Span};
use crate::flavor::Family;
use crate::time::{LogTime, Timestamp};

/// What earlier entries of the same log say about this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carry {
    /// The database written last: a place in [`Batch::databases`].
    pub database: Option<usize>,
    /// The last `# Time:`.
    pub time: Option<LogTime>,
    /// Seconds east of UTC of the server's clock, as far as the log lets it be known.
    pub offset: Option<i32>,
    /// The server.
    pub family: Family,
}

/// One entry of a log.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// First byte in the input.
    pub offset: u64,
    /// Bytes in the input.
    pub length: u64,
    /// The `#` lines and the `use` and `SET` lines behind them.
    pub header: Span,
    /// Its outline, if one was made: a part of [`Batch::outlines`].
    pub outline: Option<Span>,
    /// Whether each line of the header is a `#`, `use` or `SET` line.
    pub is_usual: bool,
    /// Which of [`Batch::line_ends`] are the ends of the header's lines, from the first one on.
    pub lines: Span,
    /// The statement, or the command in the words `administrator command: …`.
    pub statement: Span,
    /// Statement or command.
    pub kind: Kind,
    /// Whether it has a `# Time:` line of its own.
    pub own_time: bool,
    /// Whether a `# Time:` line follows.
    pub before_time: bool,
    /// Whether the log ends behind it with one blank line.
    pub before_last_blank: bool,
    /// What `use` says, if there is such a line: a place in [`Batch::databases`].
    pub database: Option<usize>,
    /// The time of `SET timestamp`, if there is such a line.
    pub set_timestamp: Option<Timestamp>,
    /// What it inherits.
    pub carry: Carry,
}

/// A block of text, and the entries that end in it. Buffers are used again and again.
#[derive(Debug, Default)]
pub struct Batch {
    /// Number of the input.
    pub source: u32,
    /// Place of this batch among those of the input.
    pub number: u64,
    /// Room for text.
    pub buffer: Vec<u8>,
    /// Where in `buffer` the text stands: the block that was read, and in front of it what was
    /// left of the one before.
    pub filled: Span,
    /// Whether the input ends with it.
    pub is_last: bool,
    /// The entries, in order.
    pub frames: Vec<Frame>,
    /// Where lines of headers end.
    pub line_ends: Vec<u32>,
    /// Outlines of statements.
    pub outlines: Vec<u8>,
    /// Databases that entries inherit.
    pub databases: Names,
}

impl Batch {
    /// The text that frames are of.
    pub fn text(&self) -> &[u8] {
        self.filled.of(&self.buffer)
    }
}

/// Names one behind the other in one piece of memory, each with its place.
#[derive(Debug, Default)]
pub struct Names {
    text: Vec<u8>,
    spans: Vec<Span>,
}

impl Names {
    /// Forgets all names.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }

    /// Adds a name and gives its place.
    pub fn push(&mut self, name: &[u8]) -> usize {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        self.spans.push(Span { start, end: self.text.len() });
        self.spans.len() - 1
    }

    /// The name at a place.
    pub fn get(&self, place: usize) -> Option<&[u8]> {
        self.spans.get(place).map(|span| span.of(&self.text))
    }
}
