//! Plans as a tree for people, a line for each step, 80 columns wide.

use std::io::{self, Write};

use super::{Review, Reviewed};
use crate::flavor::Family;
use crate::plan::{Amount, Node, Plan, Step, Tree, nest};
use crate::report::cell::{seconds, shown, thousands};

/// Columns of the screen.
const WIDTH: usize = 80;

/// Writes all plans.
pub fn write(review: &Review, out: &mut dyn Write) -> io::Result<()> {
    let inputs = review.inputs.len();
    for (place, Reviewed { input, plan, .. }) in review.plans.iter().enumerate() {
        let name = review.inputs.get(*input).map_or("", |input| input.name.as_str());
        if place > 0 {
            writeln!(out)?;
        }
        let place =
            if review.plans.len() > 1 { format!("Plan {}", place + 1) } else { "Plan".to_owned() };
        let file = if inputs > 1 || name != "-" { format!(", in {name}") } else { String::new() };
        line(out, &format!("# {place}, line {}, {}{file}", plan.line, kind(plan)))?;
        if let Some(query) = &plan.query {
            line(
                out,
                &format!("# Query: {}", query.split_whitespace().collect::<Vec<_>>().join(" ")),
            )?;
        }
        for note in &plan.notes {
            line(out, &format!("# {}: {}", note.level, note.message.replace('\n', " ")))?;
        }
        for tree in nest(plan) {
            write_tree(out, &tree, 0)?;
        }
        totals(out, plan)?;
    }
    Ok(())
}

fn kind(plan: &Plan) -> String {
    match plan.flavor {
        Family::Unknown => plan.format.to_string(),
        family => format!("{} of {family}", plan.format),
    }
}

/// What the plan adds up to.
fn totals(out: &mut dyn Write, plan: &Plan) -> io::Result<()> {
    if let Some(estimate) = plan.estimate() {
        let mut parts = vec![format!("{} rows examined", count(estimate.rows_examined))];
        if estimate.rows_sorted > Amount::ZERO {
            parts.push(format!("{} sorted", count(estimate.rows_sorted)));
        }
        parts.push(format!("{} in the result", count(estimate.rows_result)));
        line(out, &format!("# Estimate: {}", parts.join(", ")))?;
    }
    let Some(ms) = plan.actual_ms() else { return Ok(()) };
    let hottest = plan.hottest().map(|step| format!("; {} in {}", time(step.ms), step.operation));
    line(out, &format!("# Measured: {}{}", time(ms), hottest.unwrap_or_default()))
}

/// The steps of a plan for the block of its class, each in a line of its own.
pub fn lines_of(plan: &Plan) -> io::Result<Vec<String>> {
    let mut out = Vec::new();
    nest(plan).iter().try_for_each(|tree| write_tree(&mut out, tree, 0))?;
    Ok(String::from_utf8_lossy(&out).lines().map(str::to_owned).collect())
}

/// The depth of a tree is bounded where it is made.
fn write_tree(out: &mut dyn Write, tree: &Tree<'_>, depth: usize) -> io::Result<()> {
    // Beyond half of the screen nothing is left to say a step in.
    let indent = "  ".repeat(depth.min(WIDTH / 4));
    line(out, &format!("{indent}{}", step(&tree.step)))?;
    tree.below.iter().try_for_each(|below| write_tree(out, below, depth + 1))
}

fn step(step: &Step<'_>) -> String {
    match step {
        Step::Node(node) => of_node(node),
        Step::Join => "join".to_owned(),
        Step::Select(Some(id)) => format!("select {id}"),
        Step::Select(None) => "select".to_owned(),
        Step::Materialize => "temporary table of".to_owned(),
        Step::Union(Some(node)) => format!("union {}", of_node(node)),
        Step::Union(None) => "union".to_owned(),
        Step::Subquery { id, is_dependent } => {
            let id = id.map_or(String::new(), |id| format!(" {id}"));
            format!("subquery{id}, {}", if *is_dependent { "for each row" } else { "once" })
        }
    }
}

/// Access, table, index, rows, Extra; of TREE the operation.
fn of_node(node: &Node) -> String {
    let mut words: Vec<String> = Vec::new();
    if let Some(operation) = &node.operation {
        words.push(operation.replace('\n', " "));
    } else {
        words.extend(node.access_type.clone());
        words.extend(node.table.clone());
        words.extend(node.key.as_ref().map(|key| format!("key={key}")));
    }
    words.extend(node.rows.map(|rows| format!("rows={rows}")));
    words.extend(node.filtered.map(|filtered| format!("filtered={filtered}%")));
    words.extend(node.actual_rows().map(|rows| format!("actual={rows}")));
    let said = node.extra.join("; ");
    if !said.is_empty() && node.operation.is_none() {
        words.push(format!("[{said}]"));
    }
    words.join(" ")
}

/// A number of rows, without what is behind the point.
pub fn count(amount: Amount) -> String {
    let whole = u64::try_from(amount.floor());
    whole.map_or_else(|_| amount.floor().to_string(), thousands)
}

fn time(ms: Amount) -> String {
    // Three digits are shown: a float has more.
    seconds(ms.to_string().parse::<f64>().unwrap_or(0.0) / 1000.0)
}

/// A line that is not wider than the screen.
fn line(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let text = shown(text.as_bytes()).replace(['\n', '\t'], " ");
    match text.char_indices().nth(WIDTH) {
        Some(_) => {
            let end = text.char_indices().nth(WIDTH - 3).map_or(text.len(), |(end, _)| end);
            writeln!(out, "{}...", &text[..end])
        }
        None => writeln!(out, "{text}"),
    }
}
