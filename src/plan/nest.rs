//! A plan in the order in which the server takes its steps.

use std::collections::HashMap;

use super::blocks::numbers_in;
use super::{Node, Plan, Role};

/// What a place in the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'p> {
    /// A node of the plan.
    Node(&'p Node),
    /// Tables that are joined, in the order in which they are read.
    Join,
    /// A SELECT with its subqueries.
    Select(Option<u64>),
    /// A temporary table, filled by what is below.
    Materialize,
    /// SELECTs whose rows are put together; the node is the line of the result.
    Union(Option<&'p Node>),
    /// A subquery, and whether it is run anew for each row around it.
    Subquery {
        /// Number of the SELECT.
        id: Option<u64>,
        /// Run anew for each row.
        is_dependent: bool,
    },
}

/// A step and those below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree<'p> {
    /// The step.
    pub step: Step<'p>,
    /// Steps that it takes its rows or values from.
    pub below: Vec<Tree<'p>>,
}

/// Levels of nesting that are shown; what is deeper stands at the end.
const DEEPEST: usize = 200;

/// Nests the steps of a plan.
pub fn nest(plan: &Plan) -> Vec<Tree<'_>> {
    if plan.blocks.is_empty() {
        return plan.nodes.iter().map(of_node).collect();
    }
    let mut nester = Nester::new(plan);
    let mut trees: Vec<Tree<'_>> = Vec::new();
    for place in 0..plan.blocks.len() {
        // First what belongs to nothing; then what is left, such as a part whose whole is cut off.
        if plan.blocks[place].under.is_none() && plan.blocks[place].first_part.is_none() {
            trees.extend(nester.block(place, 0));
        }
    }
    for place in 0..plan.blocks.len() {
        trees.extend(nester.block(place, 0));
    }
    trees
}

/// The depth of nodes is bounded where they are read.
fn of_node(node: &Node) -> Tree<'_> {
    Tree { step: Step::Node(node), below: node.children.iter().map(of_node).collect() }
}

struct Nester<'p> {
    plan: &'p Plan,
    /// Blocks that fill the table of a node.
    fills: Vec<Vec<usize>>,
    /// Subqueries of a block.
    subqueries: Vec<Vec<usize>>,
    /// Further parts of a block, its result among them.
    parts: Vec<Vec<usize>>,
    is_done: Vec<bool>,
    /// Blocks by their numbers.
    places: HashMap<u64, usize>,
}

/// Parts of a UNION, INTERSECT or EXCEPT, of which results take some together.
struct Joined<'p> {
    /// Each tree until a result takes it.
    trees: Vec<Option<Tree<'p>>>,
    /// In which of the trees a block is.
    tree_of: HashMap<usize, usize>,
}

impl<'p> Joined<'p> {
    fn new(block: usize, tree: Tree<'p>) -> Joined<'p> {
        Joined { trees: vec![Some(tree)], tree_of: HashMap::from([(block, 0)]) }
    }

    fn add(&mut self, block: usize, tree: Tree<'p>) {
        self.tree_of.insert(block, self.trees.len());
        self.trees.push(Some(tree));
    }

    /// Puts those below a result that it names; all where it does not name two of them, as the
    /// server shortens a long list.
    fn close(&mut self, result: Option<&'p Node>, members: &[usize]) {
        let is_shortened =
            result.and_then(|node| node.table.as_deref()).is_some_and(|name| name.contains("..."));
        let mut named: Vec<usize> =
            members.iter().filter_map(|block| self.tree_of.get(block).copied()).collect();
        // A result keeps the place of its first part.
        named.sort_unstable();
        named.dedup();
        if named.len() < 2 || is_shortened {
            named = (0..self.trees.len()).collect();
        }
        let take = |at: usize| self.trees.get_mut(at).and_then(Option::take);
        let slot = named.first().copied().unwrap_or(0);
        let below: Vec<Tree<'p>> = named.into_iter().filter_map(take).collect();
        for block in members {
            self.tree_of.insert(*block, slot);
        }
        if let Some(tree) = self.trees.get_mut(slot) {
            *tree = Some(Tree { step: Step::Union(result), below });
        }
    }

    /// The one tree that is left; a UNION ALL has no result that takes its parts together.
    fn whole(self) -> Tree<'p> {
        let mut below: Vec<Tree<'p>> = self.trees.into_iter().flatten().collect();
        match below.len() {
            1 => below.remove(0),
            _ => Tree { step: Step::Union(None), below },
        }
    }
}

impl<'p> Nester<'p> {
    fn new(plan: &'p Plan) -> Nester<'p> {
        let count = plan.blocks.len();
        let mut nester = Nester {
            plan,
            fills: vec![Vec::new(); plan.nodes.len()],
            subqueries: vec![Vec::new(); count],
            parts: vec![Vec::new(); count],
            is_done: vec![false; count],
            places: HashMap::new(),
        };
        for (place, block) in plan.blocks.iter().enumerate() {
            if let Some(id) = block.id {
                nester.places.entry(id).or_insert(place);
            }
            let list = match (block.first_part, block.reader, block.under) {
                (Some(first), _, _) => nester.parts.get_mut(first),
                (None, Some(reader), _) => nester.fills.get_mut(reader),
                (None, None, Some(under)) => nester.subqueries.get_mut(under),
                (None, None, None) => None,
            };
            if let Some(list) = list {
                list.push(place);
            }
        }
        nester
    }

    /// A block with all that belongs to it; `None` if it was shown already.
    fn block(&mut self, place: usize, depth: usize) -> Option<Tree<'p>> {
        if depth > DEEPEST || std::mem::replace(self.is_done.get_mut(place)?, true) {
            return None;
        }
        let parts = std::mem::take(self.parts.get_mut(place)?);
        let first = self.select(place, depth);
        if parts.is_empty() {
            return Some(first);
        }
        let mut joined = Joined::new(place, first);
        let is_result =
            |part: &usize| self.plan.blocks.get(*part).is_some_and(|it| it.role == Role::Result);
        let (mut results, parts): (Vec<usize>, Vec<usize>) = parts.into_iter().partition(is_result);
        for part in parts {
            if let Some(tree) = self.block(part, depth + 1) {
                joined.add(part, tree);
            }
        }
        // JSON names a result before its parts; an inner one has the lesser number.
        results.sort_by_key(|result| self.plan.blocks.get(*result).and_then(|block| block.id));
        for result in results {
            let block = self.plan.blocks.get(result)?;
            let node = block.nodes.first().and_then(|node| self.plan.nodes.get(*node));
            *self.is_done.get_mut(result)? = true;
            joined.close(node, &self.members(node));
        }
        Some(joined.whole())
    }

    /// The blocks that a result names, each by the first SELECT of it.
    fn members(&self, result: Option<&Node>) -> Vec<usize> {
        let numbers = numbers_in(result.and_then(|node| node.table.as_deref()).unwrap_or_default());
        let place_of = |id| self.places.get(&id).copied();
        let first_of = |place: usize| {
            let block = self.plan.blocks.get(place)?;
            if block.role == Role::Result { block.first_part } else { Some(place) }
        };
        numbers.into_iter().filter_map(place_of).filter_map(first_of).collect()
    }

    /// The tables of a block, and its subqueries.
    fn select(&mut self, place: usize, depth: usize) -> Tree<'p> {
        let plan = self.plan;
        let block = plan.blocks.get(place);
        let mut tables: Vec<Tree<'p>> = Vec::new();
        for node in block.map_or(&[][..], |block| &block.nodes) {
            let fills = self.fills.get_mut(*node).map(std::mem::take).unwrap_or_default();
            let filled = fills.into_iter().filter_map(|fill| self.block(fill, depth + 1));
            let below: Vec<Tree<'p>> =
                filled.map(|tree| Tree { step: Step::Materialize, below: vec![tree] }).collect();
            tables.extend(plan.nodes.get(*node).map(|node| Tree { step: Step::Node(node), below }));
        }
        let subqueries = self.subqueries.get_mut(place).map(std::mem::take).unwrap_or_default();
        let subqueries: Vec<Tree<'p>> = subqueries
            .into_iter()
            .filter_map(|inner| {
                let block = plan.blocks.get(inner)?;
                let tree = self.block(inner, depth + 1)?;
                let step = Step::Subquery { id: block.id, is_dependent: block.is_dependent };
                Some(Tree { step, below: vec![tree] })
            })
            .collect();
        let main = match tables.len() {
            1 => tables.remove(0),
            _ => Tree { step: Step::Join, below: tables },
        };
        if subqueries.is_empty() {
            return main;
        }
        let below = std::iter::once(main).chain(subqueries).collect();
        Tree { step: Step::Select(block.and_then(|block| block.id)), below }
    }
}
