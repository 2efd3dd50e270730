//! One logged execution with its attributes.

use crate::metric::MetricId;
use crate::time::Timestamp;

/// A piece of the buffer that an event was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte behind the last one.
    pub end: usize,
}

impl Span {
    /// The bytes themselves.
    pub fn of(self, buffer: &[u8]) -> &[u8] {
        buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// How many bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// The value of one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number in the unit of the attribute's [`Kind`](crate::metric::Kind).
    Number(i128),
    /// `Yes` or `No`.
    Flag(bool),
    /// Anything else, where it stands in [`Event::buffer`].
    Text(Span),
}

/// A named value of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute {
    /// Which one.
    pub metric: MetricId,
    /// What the log says.
    pub value: Value,
}

/// What kind of thing was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A statement, possibly an empty one.
    Query,
    /// `# administrator command: …`.
    Administrator,
}

/// One execution as a reader understood it. What the log does not say is `None`.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// Bytes that the spans of attributes point into.
    pub buffer: &'a [u8],
    /// Number of the input it came from, in the order given.
    pub source: u32,
    /// First byte of the event in that input.
    pub offset: u64,
    /// Length in bytes, header and statement.
    pub length: u64,
    /// When the statement ended.
    pub ts: Option<Timestamp>,
    /// When the statement began.
    pub start: Option<Timestamp>,
    /// Default database; empty is "none", `None` is "not known".
    pub database: Option<&'a [u8]>,
    /// Whether the database was carried over from an earlier event.
    pub database_inherited: bool,
    /// Account.
    pub user: Option<&'a [u8]>,
    /// Client host, or its address where there is no name.
    pub host: Option<&'a [u8]>,
    /// What stands in the brackets of `User@Host`.
    pub ip: Option<&'a [u8]>,
    /// Connection.
    pub thread_id: Option<&'a [u8]>,
    /// Statement or command.
    pub kind: Kind,
    /// The statement without the `;` that the log puts behind it.
    pub statement: &'a [u8],
    /// The [outline](crate::sql::outline) of the statement, if reading made one.
    pub outline: Option<&'a [u8]>,
    /// The statement and what the server wrote behind it, such as bound values.
    pub text: &'a [u8],
    /// `Query_time` in microseconds.
    pub query_time: Option<i128>,
    /// Which of the first 128 attributes there are, a bit for each.
    pub present: u128,
    /// Further attributes, in the order of the log. A name that comes twice counts once, last.
    pub attributes: &'a [Attribute],
    /// An execution plan that the server wrote into the log, if any.
    pub plan: Option<&'a [u8]>,
    /// Impossible values that were left out of `attributes`.
    pub anomalies: u32,
}

impl Event<'_> {
    /// Whether the event has an attribute; one beyond the first 128 may be there all the same.
    pub fn has(&self, metric: MetricId) -> bool {
        1u128.checked_shl(u32::from(metric.0)).is_some_and(|bit| self.present & bit != 0)
    }

    /// The value of a number, in the unit of its kind.
    pub fn number(&self, metric: MetricId) -> Option<i128> {
        self.attributes.iter().find(|attribute| attribute.metric == metric).and_then(|attribute| {
            match attribute.value {
                Value::Number(number) => Some(number),
                _ => None,
            }
        })
    }
}
