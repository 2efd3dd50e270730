//! What the server is expected to do in each step, for those who tell it.

use super::{Amount, Block, Node, Plan, StepEstimate};

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

/// Operations that read rows without an access type, or are an index merge as a whole.
const READS: &[&str] = &[
    "Count rows in",
    "Scan new records",
    "Materialize table function",
    "Intersect rows sorted",
    "Deduplicate rows sorted",
    "Sort-deduplicate by row ID",
];

/// Operations that put what is below them into a temporary table.
const STORES: &[&str] = &[
    "Materialize",
    "Union materialize",
    "Intersect materialize",
    "Except materialize",
    "Temporary table",
    "Aggregate using temporary",
];

impl Plan {
    /// What each step is expected to do, in the order of [`all_nodes`](Plan::all_nodes). What they
    /// read adds up to the rows of [`estimate`](Plan::estimate).
    pub fn work(&self) -> Vec<Work> {
        let nodes = self.all_nodes();
        if self.estimate().is_none() {
            return vec![Work::default(); nodes.len()];
        }
        let steps = self.step_estimates();
        let mut work: Vec<Work> = nodes
            .iter()
            .zip(&steps)
            .enumerate()
            .map(|(place, (node, step))| of_node(node, step, steps.get(place + 1)))
            .collect();
        for block in &self.blocks {
            fill(block, &nodes, &steps, &mut work);
        }
        work
    }
}

/// The work of a node; its first child is the node behind it.
fn of_node(node: &Node, step: &StepEstimate, below: Option<&StepEstimate>) -> Work {
    let operation = node.operation.as_deref().unwrap_or_default();
    let begins = |words: &[&str]| words.iter().any(|words| operation.starts_with(words));
    // What the server puts into a temporary table of its own is not read from a table.
    let is_own = node.table.as_deref().is_some_and(|table| table.ends_with("temporary>"));
    let is_read = node.operation.is_none() || node.access_type.is_some() || begins(READS);
    let read = step.rows.filter(|_| is_read && !is_own);
    // A step that is never taken expects nothing; one that is taken and tells no rows has runs.
    let is_taken = step.rows.is_some() || step.runs > Amount::ZERO;
    let below = below.filter(|_| !node.children.is_empty());
    // A table that is filled once serves any number of runs of what reads it.
    let filled = below.filter(|_| begins(STORES));
    // The line of a UNION's result tells no rows.
    let is_sorted =
        node.says("Using filesort") && (node.rows.is_some() || step.sorted > Amount::ZERO);
    Work {
        runs: is_taken.then_some(filled.map_or(step.runs, |below| below.runs)),
        before: (step.outer != Amount::ONE).then_some(step.outer),
        read,
        left: step.rows.map(|rows| kept(node, rows)),
        sorted: is_sorted.then_some(step.sorted).filter(|_| is_taken || step.sorted > Amount::ZERO),
        stored: filled.and_then(|below| below.rows),
    }
}

/// The rows of all tables of a SELECT are what its temporary table gets.
fn fill(block: &Block, nodes: &[&Node], steps: &[StepEstimate], work: &mut [Work]) {
    let stores = |at: &&usize| nodes.get(**at).is_some_and(|node| node.says("Using temporary"));
    let Some(at) = block.nodes.iter().find(stores) else { return };
    let last = block.nodes.last().and_then(|last| Some((nodes.get(*last)?, steps.get(*last)?)));
    let Some((node, step)) = last else { return };
    if let (Some(rows), Some(work)) = (node.rows, work.get_mut(*at)) {
        work.stored = Some(match node.access_type.as_deref() {
            Some("const" | "system") => step.outer,
            _ => kept(node, rows).times(step.outer),
        });
    }
}

fn kept(node: &Node, rows: Amount) -> Amount {
    rows.percent(node.filtered.unwrap_or(Amount::whole(100)))
}
