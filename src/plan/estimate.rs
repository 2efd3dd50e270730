//! What the server expects a plan to cost: rows read, rows sorted, rows of the result.

use super::work::{NEVER, READS_MERGED, Work};
use super::{Amount, Block, Node, Plan, Role};

/// The estimates of a plan added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Rows of each step times how often it is run.
    pub rows_examined: Amount,
    /// Rows that go through a sort.
    pub rows_sorted: Amount,
    /// Rows that the statement gives, before a LIMIT that the plan does not show.
    pub rows_result: Amount,
}

/// A plan followed from step to step: what it expects of each, and of all together.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub sum: Estimate,
    /// By the place of the step in [`all_nodes`](Plan::all_nodes).
    pub steps: Vec<Work>,
}

impl Plan {
    /// Adds up what the plan expects. A row estimate that is not told counts as none; a condition
    /// without an estimate as one that keeps all rows.
    ///
    /// A step is run once where it is the first one, reads for a join buffer or fills a hash or
    /// temporary table; else once for each row that the steps before it leave. A dependent
    /// subquery is run once for each row of the SELECT around it.
    ///
    /// `None` of a plan that tells no step, as MySQL says `<not executable by iterator executor>` of
    /// some UPDATEs and DELETEs, and of a print that is cut: what is missing is not known.
    pub fn estimate(&self) -> Option<Estimate> {
        (self.is_told() && self.tells_rows()).then(|| self.walk().sum)
    }

    /// Whether the print tells the rows of any step, if there is one that reads a table.
    fn tells_rows(&self) -> bool {
        let nodes = self.all_nodes();
        let reads = |node: &&Node| node.access_type.is_some() && node.table.is_some();
        let has_rows = |node: &&Node| node.rows.is_some();
        nodes.iter().any(has_rows) || !nodes.iter().any(reads)
    }

    /// Whether the print tells all steps.
    pub(super) fn is_told(&self) -> bool {
        let is_step = |node: &Node| {
            !node.operation.as_deref().is_some_and(|step| step.starts_with("<not exec"))
        };
        !self.is_cut && self.nodes.first().is_some_and(is_step)
    }

    /// Follows the steps, as far as the print goes.
    pub(super) fn walk(&self) -> Walk {
        match self.blocks.is_empty() {
            true => of_tree(&self.nodes),
            false => of_blocks(self),
        }
    }
}

/// Words of Extra of a SELECT that has no row.
const EMPTY: &[&str] = &[
    "Impossible",
    "no matching row",
    "No matching",
    "Const row not found",
    "Zero limit",
    "const row not found",
];

/// What a block does when it is run once.
struct Run {
    result: Amount,
    /// The rows of the result with those of the further parts of a UNION.
    joined: Amount,
    /// Rows that each of its nodes sorts.
    sorts: Vec<Amount>,
}

/// Runs a block; `before` gets for each of its nodes the rows that those before it leave.
fn run_of(plan: &Plan, block: &Block, before: &mut [Amount]) -> Run {
    let mut result = Amount::ONE;
    let mut sorts_all = None;
    let mut sorts = vec![Amount::ZERO; block.nodes.len()];
    for (order, at) in block.nodes.iter().enumerate() {
        let Some(node) = plan.nodes.get(*at) else { continue };
        if let Some(rows) = before.get_mut(*at) {
            *rows = result;
        }
        let Some(rows) = node.rows else {
            let is_empty = EMPTY.iter().any(|words| node.says(words));
            result = if is_empty { Amount::ZERO } else { result };
            continue;
        };
        result = result.times(kept(node, rows));
        if node.says("Using filesort") {
            // A sort of a temporary table gets the rows of all tables.
            if node.says("Using temporary") {
                sorts_all.get_or_insert(order);
            }
            if let (None, Some(sorted)) = (sorts_all, sorts.get_mut(order)) {
                *sorted = result;
            }
        }
    }
    if let Some(sorted) = sorts_all.and_then(|order| sorts.get_mut(order)) {
        *sorted = result;
    }
    Run { result, joined: result, sorts }
}

/// Rows that a table leaves of those read. A table of one row that is not there leaves NULLs of an
/// outer join, or else the server would say so of the whole.
fn kept(node: &Node, rows: Amount) -> Amount {
    match node.access_type.as_deref() {
        Some("const" | "system") => Amount::ONE,
        _ => rows.percent(node.filtered.unwrap_or(Amount::whole(100))),
    }
}

/// Whether a table is read for many rows at once. Batched key access collects the keys of many
/// rows and still looks up each of them.
fn is_buffered(node: &Node) -> bool {
    let is_scan =
        matches!(node.access_type.as_deref(), Some("ALL" | "index" | "range" | "index_merge"));
    let is_hashed = node.access_type.as_deref().is_some_and(|access| access.starts_with("hash_"));
    node.says("Using join buffer") && (is_scan || is_hashed)
}

/// Runs all blocks; with it the rows that the nodes before each node leave.
fn runs_of(plan: &Plan) -> (Vec<Run>, Vec<Amount>) {
    let mut before = vec![Amount::ONE; plan.nodes.len()];
    let mut runs: Vec<Run> =
        plan.blocks.iter().map(|block| run_of(plan, block, &mut before)).collect();
    join_parts(plan, &mut runs);
    (runs, before)
}

fn of_blocks(plan: &Plan) -> Walk {
    let (runs, before) = runs_of(plan);
    let mut walk = Walk { steps: vec![NEVER; plan.nodes.len()], ..Walk::default() };
    for (place, (block, run)) in plan.blocks.iter().zip(&runs).enumerate() {
        let times = times_of(plan, &runs, &before, place);
        steps_of_block(plan, block, run, &before, times, &mut walk);
        let result = block.nodes.first().filter(|_| block.role == Role::Result);
        let result = result.and_then(|place| plan.nodes.get(*place));
        let joined = block.first_part.and_then(|first| runs.get(first)).map(|run| run.joined);
        if let (Some(node), Some(rows)) = (result, joined)
            && node.says("Using filesort")
        {
            walk.sum.rows_sorted = walk.sum.rows_sorted.plus(rows.times(times));
        }
    }
    let main = plan.blocks.iter().position(|block| block.role == Role::Main);
    let main = main.and_then(|main| runs.get(main));
    walk.sum.rows_result = main.map_or(Amount::ZERO, |run| run.joined);
    walk
}

/// What is expected of the nodes of a block that is run so many times.
fn steps_of_block(
    plan: &Plan,
    block: &Block,
    run: &Run,
    before: &[Amount],
    times: Amount,
    walk: &mut Walk,
) {
    let mut stores = None;
    let mut stored = None;
    for (order, at) in block.nodes.iter().enumerate() {
        let (Some(step), Some(node)) = (walk.steps.get_mut(*at), plan.nodes.get(*at)) else {
            continue;
        };
        let outer = before.get(*at).copied().unwrap_or(Amount::ONE);
        let loops = if order == 0 || is_buffered(node) { Amount::ONE } else { outer };
        let (runs, outer) = (times.times(loops), times.times(outer));
        let sorted = run.sorts.get(order).copied().unwrap_or_default().times(times);
        *step = Work::of(node, runs, outer, sorted);
        walk.sum.add(step);
        if node.says("Using temporary") {
            stores.get_or_insert(*at);
        }
        stored = node.rows.map(|rows| kept(node, rows).times(outer));
    }
    // The rows of all tables of a SELECT are what its temporary table gets.
    if let Some(step) = stores.and_then(|at| walk.steps.get_mut(at)) {
        step.stored = stored;
    }
}

/// Adds the rows of further parts of a UNION to those of its first part; duplicates are not known.
fn join_parts(plan: &Plan, runs: &mut [Run]) {
    for (place, block) in plan.blocks.iter().enumerate() {
        let rows = runs.get(place).map_or(Amount::ZERO, |run| run.result);
        let Some(run) = block.first_part.and_then(|first| runs.get_mut(first)) else { continue };
        match block.role {
            Role::Union => run.joined = run.joined.plus(rows),
            Role::Intersect => run.joined = run.joined.min(rows),
            _ => {}
        }
    }
}

/// Levels of dependent subqueries that are followed.
const DEEPEST: usize = 100;

/// How often a block is run; `before` are the rows that the nodes before each node leave.
fn times_of(plan: &Plan, runs: &[Run], before: &[Amount], place: usize) -> Amount {
    let mut times = Amount::ONE;
    let mut at = place;
    for _ in 0..DEEPEST {
        let Some(block) = plan.blocks.get(at) else { break };
        let Some(around) = block.under else { break };
        // What depends on nothing is run once, wherever its rows are read.
        if !block.is_dependent {
            break;
        }
        let rows = block.reader.and_then(|reader| before.get(reader).copied());
        let rows = rows.or_else(|| runs.get(around).map(|run| run.result));
        times = times.times(rows.unwrap_or(Amount::ONE));
        at = around;
    }
    times
}

/// The same for operations that hold each other. Their depth is bounded where they are read.
fn of_tree(nodes: &[Node]) -> Walk {
    let mut walk = Walk::default();
    let Some((main, others)) = nodes.split_first() else { return walk };
    walk.sum.rows_result = out(main).unwrap_or(Amount::ZERO);
    step(main, Amount::ONE, Amount::ONE, &mut walk);
    for other in others {
        let times = times_of_subquery(other, walk.sum.rows_result);
        step(other, times, times, &mut walk);
    }
    walk
}

/// Passes over steps that are not taken.
fn skip(nodes: &[Node], walk: &mut Walk) {
    for node in nodes {
        walk.steps.push(NEVER);
        skip(&node.children, walk);
    }
}

/// Whether the second step below is taken once for each row of the first, and all rows count.
fn is_loop(node: &Node) -> bool {
    const JOINS: &[&str] = &["Nested loop inner join", "Batched key access inner join"];
    let operation = node.operation.as_deref().unwrap_or_default();
    JOINS.iter().any(|words| operation.starts_with(words))
}

/// Rows that a step gives, by its own figure or else by those of the steps below it.
fn out(node: &Node) -> Option<Amount> {
    let rows = match node.rows {
        Some(rows) => rows,
        None if node.operation.as_deref().is_some_and(|step| step.starts_with("Aggregate: ")) => {
            Amount::ONE
        }
        None if is_loop(node) && node.children.len() > 1 => {
            let each: Option<Vec<Amount>> = node.children.iter().map(out).collect();
            each?.into_iter().fold(Amount::ONE, Amount::times)
        }
        None => out(node.children.first()?)?,
    };
    let is_limit = node.operation.as_deref().is_some_and(|step| step.starts_with("Limit"));
    let most = node.limit.filter(|_| is_limit).map(Amount::whole);
    Some(most.map_or(rows, |most| rows.min(most)))
}

fn times_of_subquery(node: &Node, rows: Amount) -> Amount {
    let heading = node.operation.as_deref().unwrap_or_default();
    let is_dependent = heading.contains("dependent") || heading.contains("uncacheable");
    if heading.starts_with("Select #") && is_dependent { rows } else { Amount::ONE }
}

/// Operations that put what is below them into a temporary table.
const STORES: &[&str] = &[
    "Materialize",
    "Union materialize",
    "Intersect materialize",
    "Except materialize",
    "Temporary table",
    "Aggregate using temporary",
];

fn step(node: &Node, times: Amount, outer: Amount, walk: &mut Walk) {
    let operation = node.operation.as_deref().unwrap_or_default();
    let begins = |words: &[&str]| words.iter().any(|words| operation.starts_with(words));
    let is_merge = begins(READS_MERGED);
    let sorted = match node.children.first() {
        Some(below) if node.says("Using filesort") && !is_merge => {
            out(below).unwrap_or_default().times(times)
        }
        _ => Amount::ZERO,
    };
    let place = walk.steps.len();
    let told = Work::of(node, times, outer, sorted);
    walk.sum.add(&told);
    walk.steps.push(told);
    // The rows of an index merge are those left of the scans below.
    if is_merge {
        return skip(&node.children, walk);
    }
    let is_loop = begins(&["Nested loop", "Batched key access"]);
    let is_hash = operation.contains("hash ") && node.says("Using join buffer");
    let is_choice = begins(&["Alternative plans"]);
    let is_filled_once = begins(&[
        "Materialize",
        "Union materialize",
        "Intersect materialize",
        "Except materialize",
    ]) && !operation.contains("invalidate on row");
    let times =
        if is_filled_once && !operation.contains("LATERAL") { once(node, times) } else { times };
    let mut rows = times;
    for (order, child) in node.children.iter().enumerate() {
        let is_subquery =
            child.operation.as_deref().is_some_and(|step| step.starts_with("Select #"));
        let child_times = if is_subquery {
            times_of_subquery(child, times.times(out(node).unwrap_or(Amount::ONE)))
        } else if is_loop && order > 0 {
            rows
        } else {
            times
        };
        // The first step below a hash join is probed with the rows of the second one.
        let built = || node.children.get(1).and_then(out).unwrap_or(Amount::ONE);
        let child_outer = match order {
            0 if is_hash => child_times.times(built()),
            0 if !is_subquery && child_times == times => outer,
            _ => child_times,
        };
        // A table that is filled once serves any number of runs of what reads it.
        if order == 0
            && begins(STORES)
            && let Some(told) = walk.steps.get_mut(place)
        {
            told.runs = told.runs.map(|_| child_times);
            told.stored = child.rows.map(|rows| rows.times(child_times));
        }
        if order == 0 || !is_choice || is_subquery {
            step(child, child_times, child_outer, walk);
        } else {
            skip(std::slice::from_ref(child), walk);
        }
        rows = rows.times(out(child).unwrap_or(Amount::ONE));
    }
}

/// A temporary table is filled once, unless what fills it depends on the rows around: then its
/// conditions hold values of these rows.
fn once(node: &Node, times: Amount) -> Amount {
    let mut rest: Vec<&Node> = node.children.iter().collect();
    while let Some(node) = rest.pop() {
        if node.operation.as_deref().is_some_and(|step| step.contains("<cache>(")) {
            return times;
        }
        rest.extend(&node.children);
    }
    Amount::ONE
}
