//! What the server expects a plan to cost: rows read, rows sorted, rows of the result.

use std::collections::HashMap;

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

/// What the server is expected to do in one step, in all its runs. What is not told is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// How often it is run.
    pub runs: Option<Amount>,
    /// Rows that the steps before it leave, each of which it is for.
    pub before: Option<Amount>,
    /// Rows that it reads from a table.
    pub read: Option<Amount>,
    /// Rows that are left behind it; of joined tables those of all of them so far.
    pub left: Option<Amount>,
    /// Rows that it sorts.
    pub sorted: Option<Amount>,
    /// Rows that it puts into a temporary table.
    pub stored: Option<Amount>,
}

impl Work {
    /// The same, so many times.
    fn times(self, times: Amount) -> Work {
        let all = |rows: Option<Amount>| rows.map(|rows| rows.times(times));
        Work {
            runs: all(self.runs),
            before: all(self.before),
            read: all(self.read),
            left: all(self.left),
            sorted: all(self.sorted),
            stored: all(self.stored),
        }
    }
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
    /// some UPDATEs and DELETEs, and of a print that is cut before its rows.
    pub fn estimate(&self) -> Option<Estimate> {
        self.is_told().then(|| self.sum().estimate)
    }

    /// What each step is expected to do, in the order of [`all_nodes`](Plan::all_nodes). What they
    /// read adds up to the rows of [`estimate`](Plan::estimate).
    pub fn work(&self) -> Vec<Work> {
        let sum = if self.is_told() { self.sum() } else { Sum::default() };
        let of = |node: &Node| sum.work.get(&std::ptr::from_ref(node)).copied();
        self.all_nodes().into_iter().map(|node| of(node).unwrap_or_default()).collect()
    }

    fn is_told(&self) -> bool {
        let is_step = |node: &Node| {
            !node.operation.as_deref().is_some_and(|step| step.starts_with("<not exec"))
        };
        !self.is_without_rows && self.nodes.first().is_some_and(is_step)
    }

    fn sum(&self) -> Sum {
        if self.blocks.is_empty() { of_tree(&self.nodes) } else { of_blocks(self) }
    }
}

/// The sums of a plan, and what each of its nodes adds to them, by where the node stands in memory.
#[derive(Default)]
struct Sum {
    estimate: Estimate,
    work: HashMap<*const Node, Work>,
}

impl Sum {
    fn note(&mut self, node: &Node, work: Work) {
        self.work.insert(std::ptr::from_ref(node), work);
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
    examined: Amount,
    sorted: Amount,
    result: Amount,
    /// The rows of the result with those of the further parts of a UNION.
    joined: Amount,
    /// Its nodes by their place.
    steps: Vec<(usize, Work)>,
}

/// Runs a block; `before` gets for each of its nodes the rows that those before it leave.
fn run_of(plan: &Plan, block: &Block, before: &mut [Amount]) -> Run {
    let mut examined = Amount::ZERO;
    let mut sorted = Amount::ZERO;
    let mut result = Amount::ONE;
    let mut sorts_all = false;
    let mut steps = Vec::new();
    for (place, at) in block.nodes.iter().enumerate() {
        let Some(node) = plan.nodes.get(*at) else { continue };
        if let Some(rows) = before.get_mut(*at) {
            *rows = result;
        }
        let Some(rows) = node.rows else {
            let is_empty = EMPTY.iter().any(|words| node.says(words));
            let runs = if place == 0 { Amount::ONE } else { result };
            steps.push((*at, Work { runs: Some(runs), ..Work::default() }));
            result = if is_empty { Amount::ZERO } else { result };
            continue;
        };
        let loops = if place == 0 || is_buffered(node) { Amount::ONE } else { result };
        let read = rows.times(loops);
        examined = examined.plus(read);
        let before = (place > 0).then_some(result);
        result = result.times(kept(node, rows));
        let work = Work {
            runs: Some(loops),
            before,
            read: Some(read),
            left: Some(result),
            sorted: node.says("Using filesort").then_some(result),
            stored: None,
        };
        steps.push((*at, work));
        if node.says("Using filesort") {
            // A sort of a temporary table gets the rows of all tables.
            sorts_all |= node.says("Using temporary");
            sorted = if sorts_all { sorted } else { sorted.plus(result) };
        }
    }
    sorted = if sorts_all { sorted.plus(result) } else { sorted };
    for (at, work) in &mut steps {
        let Some(node) = plan.nodes.get(*at).filter(|node| node.says("Using temporary")) else {
            continue;
        };
        // What is collected are the rows of all tables, and so is what is sorted of it.
        work.stored = Some(result);
        work.sorted = node.says("Using filesort").then_some(result);
    }
    Run { examined, sorted, result, joined: result, steps }
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

fn of_blocks(plan: &Plan) -> Sum {
    let mut before = vec![Amount::ONE; plan.nodes.len()];
    let mut runs: Vec<Run> =
        plan.blocks.iter().map(|block| run_of(plan, block, &mut before)).collect();
    join_parts(plan, &mut runs);
    let mut all = Sum::default();
    for (place, (block, run)) in plan.blocks.iter().zip(&runs).enumerate() {
        let times = times_of(plan, &runs, &before, place);
        for (at, work) in &run.steps {
            if let Some(node) = plan.nodes.get(*at) {
                all.note(node, work.times(times));
            }
        }
        let sum = &mut all.estimate;
        sum.rows_examined = sum.rows_examined.plus(run.examined.times(times));
        sum.rows_sorted = sum.rows_sorted.plus(run.sorted.times(times));
        let result = block.nodes.first().filter(|_| block.role == Role::Result);
        let result = result.and_then(|place| plan.nodes.get(*place));
        let joined = block.first_part.and_then(|first| runs.get(first)).map(|run| run.joined);
        if let (Some(node), Some(rows)) = (result, joined)
            && node.says("Using filesort")
        {
            let rows = rows.times(times);
            sum.rows_sorted = sum.rows_sorted.plus(rows);
            all.note(node, Work { sorted: Some(rows), ..Work::default() });
        }
    }
    let main = plan.blocks.iter().position(|block| block.role == Role::Main);
    all.estimate.rows_result =
        main.and_then(|main| runs.get(main)).map_or(Amount::ZERO, |run| run.joined);
    all
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
fn of_tree(nodes: &[Node]) -> Sum {
    let mut sum = Sum::default();
    let Some((main, others)) = nodes.split_first() else { return sum };
    sum.estimate.rows_result = out(main).unwrap_or(Amount::ZERO);
    step(main, Amount::ONE, &mut sum);
    for other in others {
        step(other, times_of_subquery(other, sum.estimate.rows_result), &mut sum);
    }
    sum
}

/// Rows that a step gives, by its own figure or else by that of the first step below it that has
/// one.
fn out(node: &Node) -> Option<Amount> {
    let rows = match node.rows {
        Some(rows) => rows,
        None if node.operation.as_deref().is_some_and(|step| step.starts_with("Aggregate: ")) => {
            Amount::ONE
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

/// Steps that read rows without an access type.
const READS: &[&str] = &["Count rows in", "Scan new records", "Materialize table function"];
/// Steps of an index merge: the rows are those left of the scans below, as in a line `index_merge`.
const MERGES: &[&str] =
    &["Intersect rows sorted", "Deduplicate rows sorted", "Sort-deduplicate by row ID"];

/// Steps that put what is below them into a temporary table.
const STORES: &[&str] = &[
    "Materialize",
    "Union materialize",
    "Intersect materialize",
    "Except materialize",
    "Temporary table",
    "Aggregate using temporary",
];

fn step(node: &Node, times: Amount, sum: &mut Sum) {
    let operation = node.operation.as_deref().unwrap_or_default();
    let begins = |words: &[&str]| words.iter().any(|words| operation.starts_with(words));
    let is_merge = begins(MERGES);
    // What the server puts into a temporary table of its own is not read from a table.
    let is_own = node.table.as_deref().is_some_and(|table| table.ends_with("temporary>"));
    let reads = !is_own && (is_merge || node.access_type.is_some() || begins(READS));
    let mut work = Work { runs: Some(times), ..Work::default() };
    work.read = node.rows.filter(|_| reads).map(|rows| rows.times(times));
    work.left = out(node).map(|rows| rows.times(times));
    let below = || node.children.first().and_then(out);
    let taken = |times: Amount| below().map(|rows| rows.times(times));
    work.sorted = taken(times).filter(|_| !is_merge && node.says("Using filesort"));
    work.stored = taken(times).filter(|_| begins(STORES));
    let estimate = &mut sum.estimate;
    estimate.rows_examined = estimate.rows_examined.plus(work.read.unwrap_or_default());
    estimate.rows_sorted = estimate.rows_sorted.plus(work.sorted.unwrap_or_default());
    sum.note(node, work);
    if is_merge {
        return;
    }
    let is_loop = begins(&["Nested loop", "Batched key access"]);
    let is_choice = begins(&["Alternative plans"]);
    let is_filled_once = begins(&[
        "Materialize",
        "Union materialize",
        "Intersect materialize",
        "Except materialize",
    ]) && !operation.contains("invalidate on row");
    let times =
        if is_filled_once && !operation.contains("LATERAL") { once(node, times) } else { times };
    if is_filled_once && let Some(work) = sum.work.get_mut(&std::ptr::from_ref(node)) {
        work.stored = taken(times);
        work.runs = Some(times);
    }
    let mut rows = times;
    for (place, child) in node.children.iter().enumerate() {
        let is_subquery =
            child.operation.as_deref().is_some_and(|step| step.starts_with("Select #"));
        let child_times = if is_subquery {
            times_of_subquery(child, times.times(out(node).unwrap_or(Amount::ONE)))
        } else if is_loop && place > 0 {
            rows
        } else {
            times
        };
        if place == 0 || !is_choice || is_subquery {
            step(child, child_times, sum);
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
