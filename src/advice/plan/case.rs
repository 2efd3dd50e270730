//! What the rules of plans know: the plan, the schema, and what a log says of the query class.

use crate::plan::{Amount, Plan};
use crate::schema::Schema;
use crate::sql::fingerprint::ClassId;

/// One plan with all that is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The tables, where a schema was given.
    pub schema: Option<&'a Schema>,
    /// What the log says of the statement, where one was read.
    pub load: Option<&'a Load>,
    /// The value of `optimizer_switch`, where variables were given.
    pub optimizer_switch: Option<&'a str>,
}

impl<'a> Case<'a> {
    /// A plan of which nothing else is known.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Case<'a> {
        Case { plan, schema: None, load: None, optimizer_switch: None }
    }
}

/// What a log knows of a query class. What it did not log is absent, and rules that need it are
/// silent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// The class.
    pub query_id: Option<ClassId>,
    /// Executions.
    pub calls: Option<u64>,
    /// Percent of the time of the whole log.
    pub share: Option<Amount>,
    /// Rows examined by a call.
    pub rows_examined: Option<PerCall>,
    /// Rows sent by a call.
    pub rows_sent: Option<PerCall>,
    /// Rows sorted by a call, on average.
    pub sort_rows: Option<Amount>,
    /// Merge passes of sorts, of all calls.
    pub merge_passes: Option<u64>,
    /// Percent of the calls that sorted in a priority queue.
    pub priority_queue: Option<Amount>,
    /// Percent of the calls that had a temporary table on disk.
    pub disk_tables: Option<Amount>,
    /// Bytes of temporary tables of a call, on average.
    pub temporary_bytes: Option<Amount>,
    /// Microseconds of the call that took longest.
    pub longest_micros: Option<u64>,
    /// Bytes of the longest statement, also of one that was cut.
    pub longest_statement: Option<u64>,
    /// Bytes sent by a call.
    pub bytes_sent: Option<PerCall>,
    /// Microseconds that all calls waited for rows.
    pub row_lock_micros: Option<u64>,
    /// Rows examined before and after a point in time from which on they are others.
    pub shift: Option<Shift>,
}

/// An attribute of the calls of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerCall {
    /// On average.
    pub mean: Amount,
    /// At most.
    pub most: Amount,
}

/// Two spans of time in which a class examined other numbers of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// Rows examined by a call before, on average.
    pub before: Amount,
    /// Rows examined by a call after, on average.
    pub after: Amount,
    /// The chance, in percent, that values in random order are parted as well as these.
    pub chance: Amount,
    /// Whether the statements hold lists of varying length, which other numbers of rows follow.
    pub has_lists: bool,
}
