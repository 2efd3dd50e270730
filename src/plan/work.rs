//! What the server is expected to do in each step, for those who tell it.

use super::{Amount, Estimate, Node, Plan};

/// What the server is expected to do in one step, in all its runs. What is not told is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// How often it is run.
    pub runs: Option<Amount>,
    /// Rows that the steps before it leave, where it is run once for all of them or for each.
    pub before: Option<Amount>,
    /// Rows that it reads from a table.
    pub read: Option<Amount>,
    /// Rows that conditions leave of those.
    pub left: Option<Amount>,
    /// Rows that it sorts.
    pub sorted: Option<Amount>,
    /// Rows that it puts into a temporary table.
    pub stored: Option<Amount>,
}

/// The work of a step that is not taken, such as the second of two alternatives.
pub(super) const NEVER: Work = Work {
    runs: None,
    before: Some(Amount::ZERO),
    read: None,
    left: None,
    sorted: None,
    stored: None,
};

/// Operations that read rows without an access type.
const READS: &[&str] = &["Count rows in", "Scan new records", "Materialize table function"];
/// Those that are an index merge as a whole.
pub(super) const READS_MERGED: &[&str] =
    &["Intersect rows sorted", "Deduplicate rows sorted", "Sort-deduplicate by row ID"];

impl Plan {
    /// What each step is expected to do, in the order of [`all_nodes`](Plan::all_nodes). What they
    /// read adds up to the rows of [`estimate`](Plan::estimate), where there is one.
    pub fn work(&self) -> Vec<Work> {
        match self.is_told() {
            true => self.walk().steps,
            false => vec![Work::default(); self.all_nodes().len()],
        }
    }

    /// The same, also of a print that is cut, as far as it goes: what is read of a table follows
    /// from the tables before it, which are there. Rows of the whole are not to be told by it.
    pub(crate) fn work_so_far(&self) -> Vec<Work> {
        self.walk().steps
    }
}

impl Work {
    /// The work of a node, given how often it is run, the rows before it and those that it sorts.
    pub(super) fn of(node: &Node, runs: Amount, outer: Amount, sorted: Amount) -> Work {
        let rows = node.rows.map(|rows| rows.times(runs));
        // A step that is never taken expects nothing; one that is taken and tells no rows has runs.
        let is_taken = rows.is_some() || runs > Amount::ZERO;
        // The line of a UNION's result tells no rows.
        let is_sorted = node.says("Using filesort") && (rows.is_some() || sorted > Amount::ZERO);
        let percent = node.filtered.unwrap_or(Amount::whole(100));
        Work {
            runs: is_taken.then_some(runs),
            before: (outer != Amount::ONE).then_some(outer),
            read: rows.filter(|_| is_read(node)),
            left: rows.map(|rows| rows.percent(percent)),
            sorted: is_sorted.then_some(sorted),
            stored: None,
        }
    }

    /// Rows for which it is taken: those before it, for which a join buffer and a hash are read at
    /// once; else its runs.
    pub fn outer(self) -> Option<Amount> {
        self.before.or(self.runs)
    }
}

impl Estimate {
    /// Adds what a step reads and sorts.
    pub(super) fn add(&mut self, work: &Work) {
        self.rows_examined = self.rows_examined.plus(work.read.unwrap_or_default());
        self.rows_sorted = self.rows_sorted.plus(work.sorted.unwrap_or_default());
    }
}

/// Whether the rows of a node are read from a table.
fn is_read(node: &Node) -> bool {
    // What the server puts into a temporary table of its own is not.
    let is_own = node.table.as_deref().is_some_and(|table| table.ends_with("temporary>"));
    let begins = |operation: &str| {
        READS.iter().chain(READS_MERGED).any(|words| operation.starts_with(words))
    };
    !is_own && (node.access_type.is_some() || node.operation.as_deref().is_none_or(begins))
}
