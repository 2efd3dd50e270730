//! A statement as the cost of it is counted: which tables are read, which tests narrow each of
//! them, what is sorted, grouped and limited behind.
//!
//! Made from a [`Shape`]: derived tables and tables of WITH that the server merges stand in the
//! block around them, every equality of two columns is a test of both, what follows from chains of
//! equalities is added, and each test has the share of the rows that it keeps.

mod build;
mod conditions;

use crate::sql::shape::{HintKind, Why, WriteKind};

use super::estimate::Share;
use super::tables::ColumnAt;

pub(super) use self::build::build;

/// A statement.
#[derive(Debug, Default)]
pub(super) struct Query {
    /// Its query blocks; what a block depends on stands behind it.
    pub blocks: Vec<Block>,
    /// Blocks that are run for themselves, once.
    pub roots: Vec<usize>,
    /// What it writes.
    pub writes: Vec<Written>,
    /// A column could not be told to be of one table.
    pub is_ambiguous: bool,
}

/// A query block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Readings of tables.
    pub uses: Vec<Use>,
    /// Subqueries in its conditions and among what it selects.
    pub subs: Vec<Sub>,
    /// ORDER BY.
    pub order: Sorting,
    /// GROUP BY, or the columns of DISTINCT.
    pub group: Option<Sorting>,
    /// DISTINCT, in the place of GROUP BY.
    pub is_distinct: bool,
    /// Aggregates are among what it selects.
    pub aggregates: bool,
    /// What it selects beside group columns is MIN or MAX of this column alone.
    pub extreme: Option<At>,
    /// Nothing is selected but columns and `extreme`.
    pub is_plain: bool,
    /// Rows behind which it may stop.
    pub limit: Option<f64>,
    /// A condition can never hold.
    pub is_impossible: bool,
    /// What it writes back to: the rows themselves are wanted.
    pub writes_back: bool,
    /// Subqueries that were seen to depend on it before they were entered.
    pending: Vec<usize>,
}

/// Columns to sort or to group by.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sorting {
    /// The columns; only those before the first expression.
    pub keys: Vec<(At, bool)>,
    /// There is an expression, or a column of nobody knows what.
    pub has_expression: bool,
}

impl Sorting {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.has_expression
    }
}

/// A column of one of the uses of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    /// The use.
    pub of: usize,
    /// The column.
    pub column: ColumnAt,
}

/// A table that is read in a block.
#[derive(Debug, Default)]
pub(super) struct Use {
    /// The name that stands for it in the statement, as EXPLAIN prints it.
    pub called: String,
    /// Its number; none of a derived table and the like.
    pub table: Option<usize>,
    /// The blocks that fill a derived table.
    pub filled_by: Vec<usize>,
    /// Names of columns of what is no table.
    pub names: Vec<String>,
    /// Tests that an index may be searched for.
    pub tests: Vec<Test>,
    /// Alternatives over several columns.
    pub alternatives: Vec<Alternatives>,
    /// Tests that no index on a plain column helps.
    pub hidden: Vec<Hidden>,
    /// The part that other conditions keep.
    pub rest: f64,
    /// Columns that are read, sorted.
    pub columns: Vec<ColumnAt>,
    /// All columns are.
    pub is_star: bool,
    /// Uses that are read before it.
    pub after: Vec<usize>,
    /// It is the inner side of an outer join.
    pub is_optional: bool,
    /// Names of indexes in its hints.
    pub hints: Vec<(HintKind, Vec<String>)>,
    /// MATCH … AGAINST searches it.
    pub is_full_text: bool,
}

/// A test of one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Test {
    /// The column.
    pub column: ColumnAt,
    /// How an index is searched for it.
    pub kind: TestKind,
    /// What it keeps.
    pub share: Share,
}

/// How an index is searched for a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestKind {
    /// One value.
    Equal,
    /// The value of a row read before.
    Join(At),
    /// The value of a row of a block around.
    Outer,
    /// The values that a subquery gave before (by number of the subquery).
    Given(usize),
    /// So many values.
    In(usize),
    /// From here to there.
    Range,
    /// Not at all: most rows pass.
    Weak,
}

/// `a = 1 OR b = 2`: one arm holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alternatives {
    /// Tests of each arm; an arm without one is not narrowed by any index.
    pub arms: Vec<Vec<Test>>,
    /// What it keeps.
    pub part: f64,
}

/// A test that hides its columns from an index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hidden {
    /// The columns.
    pub columns: Vec<ColumnAt>,
    /// What hides them.
    pub cause: Cause,
    /// What it keeps.
    pub part: f64,
    /// An equality.
    pub is_equal: bool,
}

/// What hides a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cause {
    /// The statement: a function, arithmetic, a pattern.
    Written(Why),
    /// The literal is of another type.
    Literal,
    /// The column of the other side has another type or collation; with its name.
    Partner(String),
}

/// A subquery.
#[derive(Debug)]
pub(super) struct Sub {
    /// Its block.
    pub block: usize,
    /// What it is for.
    pub kind: SubKind,
    /// It depends on rows of the block that it stands in.
    pub is_correlated: bool,
}

/// What a subquery is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubKind {
    /// IN or EXISTS; the column that is compared with what it selects.
    Semi {
        /// In the block around.
        outer: Option<At>,
        /// What it selects.
        inner: Option<At>,
        /// NOT.
        is_negated: bool,
    },
    /// One value for a condition.
    Value,
    /// One value for each row of the result.
    Selected,
}

/// What is written to a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    /// The table.
    pub table: usize,
    /// Columns that are set.
    pub columns: Vec<ColumnAt>,
    /// What is done.
    pub kind: WriteKind,
    /// Rows, where the statement tells them.
    pub rows: Option<f64>,
    /// The use that they come from.
    pub at: Option<(usize, usize)>,
}

impl Use {
    /// The number of a column of what is no table.
    fn named(&mut self, name: &str) -> ColumnAt {
        let place = self.names.iter().position(|own| own.eq_ignore_ascii_case(name));
        place.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}
