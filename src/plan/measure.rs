//! What a measured plan took: the whole time, and the step with the most time of its own.

use super::{Amount, Node, Plan};

/// The step with the most time of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hottest {
    /// In the words of TREE.
    pub operation: String,
    /// Milliseconds without those of the steps below it.
    pub ms: Amount,
    /// Rows that it gave.
    pub rows: Option<Amount>,
}

impl Plan {
    /// Milliseconds of the whole.
    ///
    /// MySQL runs the subqueries of a select list once the first step has given its row: their time
    /// is not in that of the first step, beside which they stand.
    pub fn actual_ms(&self) -> Option<Amount> {
        let is_tree = self.blocks.is_empty();
        let first = self.nodes.first().filter(|_| is_tree).and_then(|node| node.actual?.ms);
        let others = || below(self.nodes.get(1..).unwrap_or_default());
        self.whole_ms.or_else(|| Some(first?.plus(others())))
    }

    /// Rows that all steps fetched from tables; `None` if that of one is not known.
    pub fn fetched(&self) -> Option<Amount> {
        let nodes = self.all_nodes();
        let is_measured = nodes.iter().any(|node| node.actual.is_some());
        let work = self.work();
        let readers = nodes.iter().zip(&work).filter(|(_, work)| work.read.is_some());
        let mut fetched = readers.map(|(node, _)| node.actual_rows()).peekable();
        fetched.peek().filter(|_| is_measured)?;
        fetched.try_fold(Amount::ZERO, |sum, rows| Some(sum.plus(rows?)))
    }

    /// The step with the most time of its own, of a plan whose steps were timed.
    pub fn hottest(&self) -> Option<Hottest> {
        let mut hottest: Option<Hottest> = None;
        let mut keep = |candidate: Hottest| {
            if hottest.as_ref().is_none_or(|hottest| candidate.ms > hottest.ms) {
                hottest = Some(candidate);
            }
        };
        for node in self.all_nodes() {
            if let Some(ms) = own_ms(node) {
                keep(Hottest { operation: step(node), ms, rows: node.actual_rows() });
            }
        }
        for aside in &self.asides {
            keep(Hottest { operation: aside.operation.clone(), ms: aside.ms, rows: aside.rows });
        }
        hottest
    }
}

/// Time of a step without that of the steps below.
fn own_ms(node: &Node) -> Option<Amount> {
    let actual = node.actual?;
    actual.own_ms.or_else(|| Some(actual.ms?.minus(below(&node.children))))
}

/// Time of steps; of one that is not timed, that of those below it.
fn below(nodes: &[Node]) -> Amount {
    let mut sum = Amount::ZERO;
    let mut rest: Vec<&Node> = nodes.iter().collect();
    while let Some(node) = rest.pop() {
        match node.actual.and_then(|actual| actual.ms) {
            Some(ms) => sum = sum.plus(ms),
            None => rest.extend(&node.children),
        }
    }
    sum
}

/// How TREE would name the reading of a table, by its access type.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
    ("ALL",             "Table scan"),
    ("index",           "Index scan"),
    ("range",           "Index range scan"),
    ("index_merge",     "Index range scan"),
    ("ref",             "Index lookup"),
    ("ref_or_null",     "Index lookup"),
    ("index_subquery",  "Index lookup"),
    ("eq_ref",          "Single-row index lookup"),
    ("const",           "Single-row index lookup"),
    ("system",          "Single-row index lookup"),
    ("unique_subquery", "Single-row index lookup"),
    ("fulltext",        "Full-text index search"),
];

/// A step in the words of TREE.
pub fn step(node: &Node) -> String {
    if let Some(operation) = &node.operation {
        return operation.clone();
    }
    let access = node.access_type.as_deref().unwrap_or_default();
    let word = STEPS.iter().find(|(name, _)| *name == access.trim_start_matches("hash_"));
    let word = word.map_or(access, |(_, word)| word);
    match (&node.table, &node.key) {
        (Some(table), Some(key)) => format!("{word} on {table} using {key}"),
        (Some(table), None) if word.is_empty() => table.clone(),
        (Some(table), None) => format!("{word} on {table}"),
        (None, _) => node.extra.join("; "),
    }
}
