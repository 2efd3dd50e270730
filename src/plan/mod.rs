//! EXPLAIN output of any form: what the server means to do, or did, step by step.
//!
//! [`read`] finds the plans in a text and reads them; [`Plan::estimate`] says what they cost in
//! rows, [`nest`] puts their steps in the order in which the server takes them. What the words and
//! numbers mean is in [`access`], [`extra`], [`select_type`], [`key_len`] and [`guess`]; how much
//! they weigh, given the rows they are about, in [`weight`].

pub mod access;
pub mod extra;
pub mod guess;
pub mod key_len;
pub mod select_type;
pub mod weight;

mod blocks;
mod estimate;
mod find;
mod json;
mod json_blocks;
mod json_maria;
mod json_v1;
mod json_v2;
mod measure;
mod nest;
mod query;
mod tabular;
mod tree;
mod work;

pub use crate::amount::Amount;
pub use blocks::{Block, Role};
pub use estimate::Estimate;
pub use find::{Found, looks_like_plan, of_log_lines, read};
pub use measure::Hottest;
pub use nest::{Step, Tree, nest};
pub use query::without_explain;
pub use work::Work;

use crate::flavor::Family;

/// The form in which a plan was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// Rows in a box, vertical or parted by tabs.
    #[default]
    Table,
    /// MySQL's JSON of query blocks (version 1).
    JsonV1,
    /// MySQL's JSON of iterators (version 2).
    JsonV2,
    /// MariaDB's JSON.
    JsonMariaDb,
    /// `FORMAT=TREE` and `EXPLAIN ANALYZE`.
    Tree,
}

impl Format {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::JsonV1 => "json_v1",
            Format::JsonV2 => "json_v2",
            Format::JsonMariaDb => "json_mariadb",
            Format::Tree => "tree",
        }
    }
}

/// What was measured of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Actual {
    /// How often the step was run; 0 if never.
    pub loops: Option<Amount>,
    /// Rows of one run, on average.
    pub rows_per_loop: Option<Amount>,
    /// Percent of these rows that a condition kept.
    pub filtered: Option<Amount>,
    /// Milliseconds of all runs, with those of the steps below where the server counts them in.
    pub ms: Option<Amount>,
    /// Milliseconds of all runs without those of the steps below, where the server tells them.
    pub own_ms: Option<Amount>,
}

impl Actual {
    /// Rows of all runs.
    pub fn rows(&self) -> Option<Amount> {
        if self.loops == Some(Amount::ZERO) {
            return Some(Amount::ZERO);
        }
        // Averages are rounded in print; what they add up to is a whole number of rows.
        Some(self.rows_per_loop?.times(self.loops?).rounded())
    }
}

/// The second index of a `ref|filter` on MariaDB: its rows decide which rows are fetched at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowidFilter {
    /// The index.
    pub key: Option<String>,
    /// Bytes of it that are used.
    pub key_len: Option<String>,
    /// Entries in the range.
    pub rows: Option<Amount>,
    /// Percent of the rows that pass.
    pub percent: Option<Amount>,
}

/// A step of a plan: a line of tabular EXPLAIN, a table of JSON, an operation of TREE.
///
/// Texts are as printed; what the form does not tell is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// Line of the input, from 1; in JSON that of the document.
    pub line: usize,
    /// Number of the SELECT.
    pub id: Option<u64>,
    /// `SIMPLE`, `DERIVED`, … From JSON it is told by where the block stands.
    pub select_type: Option<String>,
    /// The step in the words of TREE.
    pub operation: Option<String>,
    /// The table by its name in the statement; `<derived2>` and the like.
    pub table: Option<String>,
    /// Partitions read, parted by commas.
    pub partitions: Option<String>,
    /// `ALL`, `ref`, …
    pub access_type: Option<String>,
    /// Indexes that were thought of, parted by commas.
    pub possible_keys: Option<String>,
    /// The index used; several of an index merge are parted by commas.
    pub key: Option<String>,
    /// Bytes of the index that are used.
    pub key_len: Option<String>,
    /// What the index is compared with, parted by commas.
    pub reference: Option<String>,
    /// Columns of the index that are used.
    pub used_key_parts: Vec<String>,
    /// All columns of the index, where a schema is known.
    pub key_parts: Vec<String>,
    /// Estimated rows of one run.
    pub rows: Option<Amount>,
    /// Percent of the rows that conditions are expected to keep.
    pub filtered: Option<Amount>,
    /// Further facts in the words of the column Extra.
    pub extra: Vec<String>,
    /// Cost in the server's units.
    pub cost: Option<Amount>,
    /// Rows after which a sort or a scan stops.
    pub limit: Option<u64>,
    /// Whether its sort was done in a priority queue, where that was measured.
    pub in_queue: Option<bool>,
    /// The condition that is tested here.
    pub condition: Option<String>,
    /// The second index that filters.
    pub rowid_filter: Option<RowidFilter>,
    /// What was measured.
    pub actual: Option<Actual>,
    /// Steps that this one takes its rows from.
    pub children: Vec<Node>,
}

impl Node {
    /// Whether Extra says something, by how it begins: `Using join buffer`.
    pub fn says(&self, words: &str) -> bool {
        self.extra.iter().any(|extra| extra.starts_with(words))
    }

    /// Rows that all runs gave.
    pub fn actual_rows(&self) -> Option<Amount> {
        self.actual?.rows()
    }

    /// Notes a fact once.
    fn say(&mut self, words: impl Into<String>) {
        let words = words.into();
        if !self.extra.contains(&words) {
            self.extra.push(words);
        }
    }

    /// What was measured, to be filled in.
    fn measured(&mut self) -> &mut Actual {
        self.actual.get_or_insert_default()
    }
}

/// A step with time of its own that is no node: a sort of MariaDB.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    operation: String,
    ms: Amount,
    rows: Option<Amount>,
}

/// A message of the server below the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// `Note`, `Warning` or `Error`.
    pub level: String,
    /// Its number.
    pub code: Option<u64>,
    /// Its text.
    pub message: String,
}

/// One plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// How it was printed.
    pub format: Format,
    /// The server, as far as the print gives it away.
    pub flavor: Family,
    /// Line of the input at which it begins, from 1.
    pub line: usize,
    /// The statement, where it stands with the plan.
    pub query: Option<String>,
    /// The SET of `optimizer_switch` that stands above the statement, where one does.
    pub set_switch: Option<String>,
    /// The query ID that a comment above the plan names, `-- query_id: …`: 32 or 16 digits.
    pub query_id: Option<String>,
    /// The steps. Lines and tables are one list; operations of TREE hold each other.
    pub nodes: Vec<Node>,
    /// What the server said about it.
    pub notes: Vec<Note>,
    /// Cost of all in the server's units.
    pub cost: Option<Amount>,
    /// Which nodes are one SELECT and how these hang together; empty where nodes hold each other.
    pub blocks: Vec<Block>,
    /// Milliseconds of the whole, where the print says so apart from its steps.
    whole_ms: Option<Amount>,
    /// Whether the print is cut, so that steps or their rows are missing.
    is_cut: bool,
    /// Columns that every server prints and that are not there.
    missing: Vec<&'static str>,
    asides: Vec<Aside>,
}

impl Plan {
    /// Whether the print is cut, so that what is missing is not known.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Columns that every server prints of a table and that are not there.
    pub fn missing_columns(&self) -> &[&'static str] {
        &self.missing
    }

    /// All nodes, each before those below it.
    pub fn all_nodes(&self) -> Vec<&Node> {
        let mut all = Vec::new();
        let mut rest: Vec<&Node> = self.nodes.iter().rev().collect();
        while let Some(node) = rest.pop() {
            all.push(node);
            rest.extend(node.children.iter().rev());
        }
        all
    }
}
