//! A statement as advice sees it: query blocks with their tables, what conditions compare, what is
//! grouped, ordered, limited and read, and what is written.
//!
//! ```text
//! SELECT c.plate, (SELECT MAX(s.done_on) FROM services s WHERE s.car_id = c.id) FROM cars c
//!  WHERE c.fleet = 33 ORDER BY c.plate LIMIT 5
//!
//! block 0, the statement:  source cars AS c reads plate, id, fleet; test fleet = 33; order plate
//! block 1, a scalar in 0:  source services AS s reads done_on, car_id; test car_id = c.id (block 0)
//! ```
//!
//! All of it is our own: no type of a parser is in it. Ranges of bytes point into the statement
//! that was analyzed, so that text is quoted from there and never made up.

use std::ops::Range;

use super::distill::TableName;
pub use super::glance::Verb;

/// A statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// What it does.
    pub verb: Verb,
    /// Its query blocks: the statement's own first (the SELECT, or the tables and WHERE of UPDATE
    /// and DELETE), then the others in the order of the text. INSERT … VALUES has none.
    pub blocks: Vec<Block>,
    /// What it writes.
    pub writes: Vec<Write>,
    /// The statement was cut: there may be more conditions, tables or columns.
    pub is_partial: bool,
    /// FOR UPDATE, LOCK IN SHARE MODE, FOR SHARE.
    pub is_locking: bool,
    /// SQL_CALC_FOUND_ROWS.
    pub counts_found_rows: bool,
    /// INTO OUTFILE, DUMPFILE or variables.
    pub is_into: bool,
}

/// A SELECT, or what UPDATE and DELETE search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// What it is for.
    pub role: Role,
    /// The block that it stands in; none of the statement's own, and of arms beside it.
    pub parent: Option<usize>,
    /// Where it is an arm of UNION, EXCEPT or INTERSECT.
    pub arm: Option<Arm>,
    /// Tables and what stands for them, in the order of the text.
    pub sources: Vec<Source>,
    /// What WHERE, ON, USING and HAVING demand: all of these.
    pub conditions: Vec<Conjunct>,
    /// What it selects; empty of UPDATE and DELETE.
    pub items: Vec<Item>,
    /// GROUP BY.
    pub group: Vec<Key>,
    /// WITH ROLLUP.
    pub has_rollup: bool,
    /// ORDER BY.
    pub order: Vec<Key>,
    /// SELECT DISTINCT.
    pub is_distinct: bool,
    /// LIMIT.
    pub limit: Option<Limit>,
    /// Window functions are in it.
    pub has_window: bool,
    /// Where its text stands.
    pub span: Range<usize>,
}

/// What a block is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// The statement itself.
    #[default]
    Statement,
    /// A table in FROM of the parent, by place in its `sources`.
    Derived(usize),
    /// The body of a WITH; `is_recursive` is the arm that reads itself.
    Common {
        /// This arm reads the table that it makes.
        is_recursive: bool,
    },
    /// Behind IN, `= ANY` (or NOT IN, `<> ALL`).
    In {
        /// NOT IN.
        is_negated: bool,
    },
    /// Behind EXISTS.
    Exists {
        /// NOT EXISTS.
        is_negated: bool,
    },
    /// A value, in a condition or among what is selected.
    Scalar {
        /// Among what is selected: it runs for each row of the result.
        is_selected: bool,
    },
}

/// An arm of UNION, EXCEPT or INTERSECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// The block of the first arm.
    pub first: usize,
    /// How the whole is combined; the strictest where arms differ.
    pub kind: Combines,
    /// LIMIT of the whole.
    pub limit: Option<Limit>,
    /// ORDER BY of the whole.
    pub is_ordered: bool,
}

/// How arms are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combines {
    /// UNION ALL: rows are appended.
    UnionAll,
    /// UNION: rows that repeat go.
    Union,
    /// EXCEPT or INTERSECT.
    Other,
}

/// A table of FROM, or what stands for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub of: SourceOf,
    /// Its alias.
    pub alias: Option<String>,
    /// Sources of the block that must be read before it: the other side of an outer join, or of
    /// STRAIGHT_JOIN. RIGHT JOIN is mirrored.
    pub after: Vec<usize>,
    /// Rows without a partner here are kept: the inner side of an outer join.
    pub is_optional: bool,
    /// USE, FORCE and IGNORE INDEX.
    pub hints: Vec<IndexHint>,
    /// Columns of it that the statement reads, anywhere, in lower case, each once, sorted. Those
    /// that `*` stands for are listed only where the table is known.
    pub columns: Vec<String>,
    /// `*` stands for its columns, other than in COUNT(*) and EXISTS.
    pub is_star: bool,
    /// Where its name stands; empty of a table that only a view names.
    pub span: Range<usize>,
}

/// What a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceOf {
    /// A table, or a view that the catalog does not know as one.
    Table(TableName),
    /// A subquery in FROM, or a view: its blocks.
    Derived(Vec<usize>),
    /// A table of WITH: its blocks.
    Common(Vec<usize>),
    /// JSON_TABLE, VALUES, DUAL and others that no index helps.
    Other,
}

/// An index hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexHint {
    /// USE, FORCE or IGNORE.
    pub kind: HintKind,
    /// Names of indexes.
    pub indexes: Vec<String>,
    /// As written.
    pub span: Range<usize>,
}

/// What an index hint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the words of the hints")]
pub enum HintKind {
    Use,
    Force,
    Ignore,
}

/// A column of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Column {
    /// Block and source that it is of; none where it may be of several.
    pub of: Option<(usize, usize)>,
    /// Its name as the statement spells it, without quotes.
    pub name: String,
}

/// What must hold of each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conjunct {
    /// Which clause says so.
    pub clause: Clause,
    /// What must hold.
    pub condition: Condition,
    /// As written.
    pub span: Range<usize>,
}

/// A clause with conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clause {
    /// WHERE, and ON of inner joins.
    Where,
    /// ON of an outer join: it says which rows of this source match, and drops none of others.
    On(usize),
    /// HAVING.
    Having,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// A column that stands alone is tested.
    Test(Test),
    /// One of these arms, each a list of conditions that all hold. `a = 1 OR a = 2` over one column
    /// is a test instead: a list, like IN.
    Any(Vec<Vec<Conjunct>>),
    /// Something is done with a column before it is compared.
    Wrapped(Wrapped),
    /// EXISTS of a block.
    Exists {
        /// The block.
        block: usize,
        /// NOT EXISTS.
        is_negated: bool,
    },
    /// No column in it: `1 = 1`, `? IS NULL`. `Some(false)` where it is known never to hold.
    Constant(Option<bool>),
    /// Anything else, with the columns in it.
    Other(Vec<Column>),
}

/// A test of a column that an index on it can be searched for, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The column.
    pub column: Column,
    /// How it is tested.
    pub op: Op,
    /// Where the test stands.
    pub span: Range<usize>,
}

/// How a column is tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// `=`, IN of one value; a column of a row in `(a, b) = (1, 2)`.
    Equal(Operand),
    /// `<=>`.
    NullSafe(Operand),
    /// IS NULL.
    IsNull,
    /// IN of several values, `= … OR = …`; the values in the order of the text. NULL among them
    /// stands for `OR c IS NULL`, not for NULL in the list of IN.
    In(Vec<Value>),
    /// A column of a row in `(a, b) IN ((1, 2), (3, 4))`; the values of this column.
    InRows(Vec<Value>),
    /// `<`, `<=`, `>`, `>=`, BETWEEN.
    Range {
        /// From here on.
        low: Option<Bound>,
        /// Up to here.
        high: Option<Bound>,
    },
    /// LIKE whose pattern begins with a character that is no wildcard; the pattern.
    Prefix(Value),
    /// IN (SELECT …), `= ANY (SELECT …)`: the block.
    InBlock(usize),
    /// `!=`, NOT IN, NOT BETWEEN, NOT LIKE; the values.
    Differs(Vec<Value>),
    /// `!=` a column.
    DiffersFrom(Column),
    /// NOT IN (SELECT …): the block.
    NotInBlock(usize),
    /// IS NOT NULL.
    IsNotNull,
    /// `<`, `>` and the like against a column or a block.
    Compared(Operand),
}

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The value.
    pub value: Value,
    /// Whether the value itself is in.
    pub is_inclusive: bool,
}

/// What a column is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// What is the same for all rows of the block.
    Value(Value),
    /// A column of another source, or of a block around.
    Column(Column),
    /// A subquery that gives one value.
    Block(usize),
}

/// What is the same for all rows of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub kind: ValueKind,
    /// As written.
    pub text: String,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// A number, its sign included.
    Number,
    /// A string in quotes, also with an introducer; hexadecimal and bit literals.
    Text,
    /// NULL.
    Null,
    /// TRUE and FALSE.
    Truth,
    /// `?`, `:name`.
    Parameter,
    /// `@a`, `@@b`.
    Variable,
    /// A deterministic expression without columns: `CURDATE() - INTERVAL 1 DAY`, `DATE '2026-01-01'`.
    Expression,
}

/// A comparison for which no index on its columns can be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    /// Why not.
    pub why: Why,
    /// Its columns, each once.
    pub columns: Vec<Column>,
    /// How the two sides are compared: `=`, `<`, `LIKE`, `IN`, `BETWEEN`, `IS NULL`, …, in capitals.
    pub op: String,
    /// The side with the column.
    pub left: Expression,
    /// The other side: one value, those of a list, or the two of BETWEEN.
    pub right: Vec<Expression>,
    /// NOT stands before it, or in it.
    pub is_negated: bool,
    /// Where it stands.
    pub span: Range<usize>,
}

/// Why no index can be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A function of the column, in capitals; CAST(c AS DATE) is `DATE`, other casts are `CAST`.
    Function(String),
    /// Arithmetic, intervals and bit operators.
    Arithmetic,
    /// LIKE with a pattern that begins with a wildcard.
    Wildcard,
    /// REGEXP, RLIKE.
    Pattern,
    /// COLLATE or BINARY on the side of the column.
    Collation,
    /// `c IS TRUE` and its kin.
    Truth,
    /// `(a, b) > (1, 2)`.
    Rows,
    /// `->`, `->>`, JSON_EXTRACT, JSON_VALUE, MEMBER OF.
    Json,
    /// The other side changes from row to row: RAND(), SYSDATE(), UUID().
    NotConstant,
    /// MATCH … AGAINST.
    FullText,
}

/// An expression, as far as rules look into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A column.
    Column(Column),
    /// What is the same for all rows.
    Value(Value),
    /// A function, in capitals, with its arguments. CAST(x AS DATE) is `CAST AS DATE`.
    Call(String, Vec<Expression>),
    /// `left op right`: `+ - * / DIV % | & ^ << >>`, and `INTERVAL` arithmetic as `+ INTERVAL`.
    Arithmetic(Box<Expression>, String, Box<Expression>),
    /// Anything else, where it stands.
    Other(Range<usize>),
}

/// One of what a SELECT selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its alias.
    pub alias: Option<String>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// `*`, or `t.*` with the source.
    Star(Option<usize>),
    /// A column.
    Column(Column),
    /// An aggregate of a column, of `*`, or of something else.
    Aggregate {
        /// `COUNT`, `SUM`, `MIN`, … in capitals.
        name: String,
        /// DISTINCT stands in it.
        is_distinct: bool,
        /// The column, where it is a plain one.
        column: Option<Column>,
    },
    /// A subquery.
    Block(usize),
    /// An expression in which aggregates are.
    OfAggregates,
    /// Anything else.
    Other,
}

/// One of GROUP BY or ORDER BY. A position or an alias stands for what is selected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The column; none of an expression.
    pub column: Option<Column>,
    /// DESC.
    pub is_descending: bool,
    /// As written.
    pub span: Range<usize>,
}

/// LIMIT. What is a parameter or a variable is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Rows that are passed over; 0 where there is no OFFSET.
    pub offset: Option<u64>,
    /// Rows that are given.
    pub rows: Option<u64>,
}

/// A table that a statement writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The table.
    pub table: TableName,
    /// What is done to it.
    pub kind: WriteKind,
    /// Columns that are set, in lower case; those of ON DUPLICATE KEY UPDATE too. Empty where an
    /// INSERT names none.
    pub columns: Vec<String>,
    /// Rows behind VALUES, where they are written out.
    pub rows: Option<u64>,
    /// Block and source that it is, of UPDATE and DELETE.
    pub source: Option<(usize, usize)>,
}

/// What is done to a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are the verbs of SQL")]
pub enum WriteKind {
    Insert,
    Replace,
    Update,
    Delete,
}

/// What is known of tables while a statement is read: it tells which table a column is of. A long
/// statement is read on a thread of its own, so it can be asked from there.
pub trait Catalog: Sync {
    /// Names of the columns of a table, in order; none where the table is not known.
    fn columns(&self, table: &TableName) -> Option<Vec<&str>>;
    /// The SELECT of a view; none of what is not known to be one.
    fn view(&self, table: &TableName) -> Option<&str>;
}

/// Nothing is known of any table.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unknown;

impl Catalog for Unknown {
    fn columns(&self, _: &TableName) -> Option<Vec<&str>> {
        None
    }

    fn view(&self, _: &TableName) -> Option<&str> {
        None
    }
}
