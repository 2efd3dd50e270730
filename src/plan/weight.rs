//! How much a word of a plan matters, given the rows it is about.
//!
//! No word of EXPLAIN is bad by itself: a sort of 12 rows takes microseconds, the same word over
//! 2,000,000 rows is the finding. Each word has a [`Scale`]; the rows make a [`Weight`] of it.

/// What a word of a plan is worth to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The server does this step well.
    Good,
    /// Neither good nor bad: so the plan is made.
    Neutral,
    /// Worth a look, or not to be judged because the rows are not known.
    Minor,
    /// What makes the statement slow, if anything does.
    Finding,
}

/// Rows sorted, stored or read from which a step is worth a look.
///
/// The floor of index advice as well: with fewer rows an index saves nothing that anyone would
/// notice.
pub const NOTABLE_ROWS: u64 = 1_000;
/// Rows sorted, stored or read from which a step is a finding.
pub const MANY_ROWS: u64 = 10_000;
/// Rows of the inner table from which a join without an index is a finding, where the outer
/// side has [`OUTER_ROWS`].
pub const INNER_ROWS: u64 = 1_000;
/// Rows of the outer side from which what is done for each of them is a finding.
pub const OUTER_ROWS: u64 = 100;

/// The rows that a step of a plan handles, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Rows read each time the step runs: `rows` of the tabular form.
    pub rows: Option<u64>,
    /// How often the step runs, or for how many rows of the tables before it: 1 for a first table.
    pub outer: Option<u64>,
    /// Rows that are sorted or put into a temporary table, after filters; without it what is read.
    pub kept: Option<u64>,
}

impl Size {
    /// Rows read over all runs of the step.
    pub fn read(self) -> Option<u64> {
        Some(self.rows?.saturating_mul(self.outer?))
    }

    /// Rows that reach a sort or a temporary table.
    pub fn worked(self) -> Option<u64> {
        self.kept.or_else(|| self.read())
    }
}

/// How the weight of a word follows from rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The same for any number of rows.
    Always(Weight),
    /// Rows read in all: from [`NOTABLE_ROWS`] worth a look, from [`MANY_ROWS`] a finding.
    Read,
    /// Good as long as fewer than [`MANY_ROWS`] are read in all; then worth a look.
    Lookup,
    /// Rows sorted or stored: bounds as of [`Scale::Read`].
    Worked,
    /// Pairs of rows that are compared, since no index joins them.
    Joined,
    /// Runs for each outer row: a finding from [`OUTER_ROWS`] on.
    Repeated,
}

impl Scale {
    /// The weight of a word for a step of this size.
    pub fn weigh(self, size: Size) -> Weight {
        match self {
            Scale::Always(weight) => weight,
            Scale::Read => by_rows(size.read()),
            Scale::Worked => by_rows(size.worked()),
            Scale::Lookup => match size.read() {
                Some(rows) if rows >= MANY_ROWS => Weight::Minor,
                _ => Weight::Good,
            },
            Scale::Joined => joined(size),
            Scale::Repeated => match size.outer {
                None => Weight::Minor,
                Some(0..=1) => Weight::Neutral,
                Some(outer) if outer >= OUTER_ROWS => Weight::Finding,
                Some(_) => Weight::Minor,
            },
        }
    }
}

fn by_rows(rows: Option<u64>) -> Weight {
    match rows {
        None => Weight::Minor,
        Some(rows) if rows >= MANY_ROWS => Weight::Finding,
        Some(rows) if rows >= NOTABLE_ROWS => Weight::Minor,
        Some(_) => Weight::Neutral,
    }
}

/// A side that is known to be small clears the join, whatever the other one is.
fn joined(size: Size) -> Weight {
    let is_small = |rows: Option<u64>, bound| rows.is_some_and(|rows| rows < bound);
    if is_small(size.rows, INNER_ROWS) || is_small(size.outer, OUTER_ROWS) {
        return match size.read() {
            Some(pairs) if pairs >= MANY_ROWS => Weight::Minor,
            _ => Weight::Neutral,
        };
    }
    match size.read() {
        Some(_) => Weight::Finding,
        None => Weight::Minor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(rows: u64, outer: u64) -> Size {
        Size { rows: Some(rows), outer: Some(outer), kept: None }
    }

    #[test]
    fn rows_decide_what_a_word_is_worth() {
        for (scale, size, want) in [
            (Scale::Worked, size(12, 1), Weight::Neutral),
            (Scale::Worked, size(999, 1), Weight::Neutral),
            (Scale::Worked, size(1_000, 1), Weight::Minor),
            (Scale::Worked, size(9_999, 1), Weight::Minor),
            (Scale::Worked, size(10_000, 1), Weight::Finding),
            (Scale::Worked, size(2_000_000, 1), Weight::Finding),
            // 2,000,000 are read, 40 are sorted.
            (Scale::Worked, Size { kept: Some(40), ..size(2_000_000, 1) }, Weight::Neutral),
            (Scale::Worked, Size::default(), Weight::Minor),
            (Scale::Read, size(500, 2), Weight::Minor),
            (Scale::Read, size(500, 20), Weight::Finding),
            (Scale::Read, size(u64::MAX, u64::MAX), Weight::Finding),
            (Scale::Lookup, size(1, 5_000), Weight::Good),
            (Scale::Lookup, size(10, 1_000), Weight::Minor),
            (Scale::Lookup, Size::default(), Weight::Good),
            (Scale::Repeated, size(1, 1), Weight::Neutral),
            (Scale::Repeated, size(1, 99), Weight::Minor),
            (Scale::Repeated, size(1, 100), Weight::Finding),
            (Scale::Repeated, Size::default(), Weight::Minor),
            (Scale::Always(Weight::Good), size(1 << 40, 1), Weight::Good),
        ] {
            assert_eq!(scale.weigh(size), want, "{scale:?} {size:?}");
        }
    }

    #[test]
    fn a_join_without_an_index_needs_two_large_sides() {
        for (size, want) in [
            (size(1_000, 100), Weight::Finding),
            (size(999, 10), Weight::Neutral),
            (size(999, 1_000_000), Weight::Minor),
            (size(1_000_000, 99), Weight::Minor),
            (Size { rows: Some(5), ..Size::default() }, Weight::Neutral),
            (Size { rows: Some(5_000), ..Size::default() }, Weight::Minor),
        ] {
            assert_eq!(Scale::Joined.weigh(size), want, "{size:?}");
        }
    }
}
