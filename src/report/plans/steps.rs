//! The steps of a plan, numbered in the order in which the server takes them, in rows from the top
//! of the tree.

use std::collections::HashMap;

use super::limit;
use crate::plan::{Amount, Node, Plan, Step, Tree, Work, nest};

/// What may end a step before its last row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Nothing that the plan shows.
    Never,
    /// A LIMIT above it; which part of the rows it is expected to let through, where that is known.
    Limit(Option<Amount>),
    /// The first row that fits.
    Match,
}

/// A row of the tree.
#[derive(Debug, Clone)]
pub struct Row<'p> {
    /// What it is.
    pub step: Step<'p>,
    /// For each level above, and for its own, whether it is the last one there.
    pub rails: Vec<bool>,
    /// Whether rows below belong to it.
    pub has_below: bool,
    /// What may end it early.
    pub stop: Stop,
}

impl<'p> Row<'p> {
    /// The node of the row, if it is one.
    pub fn node(&self) -> Option<&'p Node> {
        match self.step {
            Step::Node(node) | Step::Union(Some(node)) => Some(node),
            _ => None,
        }
    }
}

/// The steps of a plan.
#[derive(Debug)]
pub struct Steps<'p> {
    /// From the top of the tree.
    pub rows: Vec<Row<'p>>,
    /// Nodes in the order in which they are taken.
    pub order: Vec<&'p Node>,
    numbers: HashMap<*const Node, usize>,
    work: HashMap<*const Node, Work>,
}

impl<'p> Steps<'p> {
    /// Numbers the steps of a plan.
    pub fn of(plan: &'p Plan) -> Steps<'p> {
        let trees = nest(plan);
        let mut order = Vec::new();
        trees.iter().for_each(|tree| number(tree, &mut order));
        let mut rows = Vec::new();
        let stop = match limit::of(plan) {
            Some(most) => {
                let result = plan.estimate().map(|estimate| estimate.rows_result);
                Stop::Limit(most.and_then(|most| share(most, result?)))
            }
            None => Stop::Never,
        };
        for (place, tree) in trees.iter().enumerate() {
            let rails = if trees.len() > 1 { vec![place + 1 == trees.len()] } else { Vec::new() };
            draw(tree, &rails, stop, &mut rows);
        }
        let numbers = order.iter().zip(1..).map(|(node, number)| (address(node), number)).collect();
        let nodes = plan.all_nodes();
        let work = nodes.into_iter().map(address).zip(plan.work()).collect();
        Steps { rows, order, numbers, work }
    }

    /// The number of a node, from 1.
    pub fn number(&self, node: &Node) -> Option<usize> {
        self.numbers.get(&address(node)).copied()
    }

    /// What a node is expected to do.
    pub fn work(&self, node: &Node) -> Work {
        self.work.get(&address(node)).copied().unwrap_or_default()
    }
}

fn address(node: &Node) -> *const Node {
    std::ptr::from_ref(node)
}

/// Steps that hash their second input before they take the first one.
fn hashes(node: &Node) -> bool {
    node.operation.as_deref().is_some_and(|step| {
        let begin = step.split(' ').take(3).collect::<Vec<_>>().join(" ");
        begin.to_ascii_lowercase().contains("hash ")
    })
}

/// Puts the nodes of a tree in order: what a step takes its rows from comes before it. The depth
/// of a tree is bounded where it is made.
fn number<'p>(tree: &Tree<'p>, order: &mut Vec<&'p Node>) {
    let node = match tree.step {
        Step::Node(node) | Step::Union(Some(node)) => Some(node),
        _ => None,
    };
    if node.is_some_and(hashes) {
        tree.below.iter().rev().for_each(|below| number(below, order));
    } else {
        tree.below.iter().for_each(|below| number(below, order));
    }
    order.extend(node);
}

/// Steps that hand rows on as they come, so that a LIMIT above ends what is below.
const STREAMS: &[&str] = &["Limit", "Filter: ", "Nested loop", "Stream results", "Append"];

/// Joins whose second input is read up to the first row that fits.
const MATCHES: &[&str] = &["Nested loop semijoin", "Nested loop antijoin"];

/// Words of Extra of a table that is read up to the first row that fits.
const ENDS: &[&str] = &["FirstMatch", "Not exists", "Distinct"];

/// The part of so many rows that a LIMIT lets through.
fn share(most: Amount, rows: Amount) -> Option<Amount> {
    Some(most.ratio(rows)?.min(Amount::ONE))
}

/// Draws a tree. The depth of a tree is bounded where it is made.
fn draw<'p>(tree: &Tree<'p>, rails: &[bool], stop: Stop, rows: &mut Vec<Row<'p>>) {
    let node = match tree.step {
        Step::Node(node) => Some(node),
        _ => None,
    };
    let ends = node.is_some_and(|node| ENDS.iter().any(|words| node.says(words)));
    rows.push(Row {
        step: tree.step,
        rails: rails.to_vec(),
        has_below: !tree.below.is_empty(),
        stop: if ends { Stop::Match } else { stop },
    });
    let operation = node.and_then(|node| node.operation.as_deref()).unwrap_or_default();
    let below_stop = match node {
        Some(node) => stop_below(node, operation, stop),
        None => stop,
    };
    let is_match = MATCHES.iter().any(|words| operation.starts_with(words));
    for (place, below) in tree.below.iter().enumerate() {
        let mut rails = rails.to_vec();
        rails.push(place + 1 == tree.below.len());
        draw(below, &rails, if is_match && place > 0 { Stop::Match } else { below_stop }, rows);
    }
}

/// What may end the steps below an operation early.
fn stop_below(node: &Node, operation: &str, stop: Stop) -> Stop {
    if operation.starts_with("Limit") && !operation.starts_with("Limit table size") {
        let rows = node.children.first().and_then(|below| below.rows);
        let own = node.limit.and_then(|most| share(Amount::whole(most), rows?));
        return Stop::Limit(match stop {
            Stop::Limit(Some(above)) => own.map(|own| own.times(above)),
            _ => own,
        });
    }
    match STREAMS.iter().any(|words| operation.starts_with(words)) {
        true => stop,
        false => Stop::Never,
    }
}
