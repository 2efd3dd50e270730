//! All that is said of the plans of a review, as a page.

use std::collections::HashSet;

use super::figures::{count, figure, kind, percent, rows, short, time};
use super::page::{Note, Piece, Row, Table, Tone};
use super::steps::{self, Steps};
use super::wrap::{cut, one_line};
use super::{Depth, Input, Review, Reviewed, words};
use crate::advice::{Fact, Finding, IndexProposal, Severity, Value};
use crate::plan::weight::Weight;
use crate::plan::{Amount, Node, Plan, Step};
use crate::report::cell::{seconds, shown};

/// Columns of a text of the input that is shown if not all is asked for.
const SHORT: usize = 240;
/// The same of a fact that a finding rests on.
const LONG: usize = 1_000;

/// The page of all plans.
pub fn page(review: &Review, depth: Depth) -> Vec<Piece> {
    let plans = review.plans.iter().enumerate();
    plans.flat_map(|(place, reviewed)| of_plan(review, place, reviewed, depth)).collect()
}

fn of_plan(review: &Review, place: usize, reviewed: &Reviewed, depth: Depth) -> Vec<Piece> {
    let plan = &reviewed.plan;
    let steps = Steps::of(plan);
    let mut page = vec![Piece::Title(title(review, place, reviewed))];
    page.extend(plan.query.clone().map(Piece::Statement));
    page.extend(sums(plan));
    page.push(verdict(reviewed, &steps));
    page.push(Piece::Tree(table(plan, &steps, &reviewed.findings)));
    let told = notes(plan, depth);
    if !reviewed.findings.is_empty() {
        let nodes = plan.all_nodes();
        page.push(Piece::Section("Findings"));
        page.extend(reviewed.findings.iter().map(|found| finding(found, &nodes, &steps, depth)));
    }
    if depth != Depth::Brief {
        page.push(Piece::Section("Step by step"));
        page.extend(words::tell(plan, &steps, &reviewed.findings, depth));
    }
    page.extend(told);
    page
}

/// Which plan it is, where it stands, in which form.
fn title(review: &Review, place: usize, reviewed: &Reviewed) -> String {
    let number = match review.plans.len() {
        1 => "Plan".to_owned(),
        all => format!("Plan {} of {all}", place + 1),
    };
    format!("{number}: {}", source(&review.inputs, reviewed))
}

/// File, line and form of a plan.
pub fn source(inputs: &[Input], reviewed: &Reviewed) -> String {
    let name = inputs.get(reviewed.input).map_or("-", |input| input.name.as_str());
    let name = if name == "-" { "standard input".to_owned() } else { one_line(name) };
    format!("{name}, line {}, {}", reviewed.plan.line, kind(&reviewed.plan))
}

/// Rows and time of the whole.
fn sums(plan: &Plan) -> Vec<Piece> {
    let mut page = Vec::new();
    if let Some(estimate) = plan.estimate() {
        let mut parts = vec![format!("{} read", rows(estimate.rows_examined))];
        // The rows of a tree are those of the result; lines of tables know nothing of GROUP BY.
        let left = if plan.blocks.is_empty() {
            "in the result"
        } else {
            "left after joins and conditions"
        };
        if plan.all_nodes().iter().any(|node| node.rows.is_some()) {
            parts.push(format!("{} {left}", count(estimate.rows_result)));
        }
        if estimate.rows_sorted > Amount::ZERO {
            // In lines of tables a sort of groups is told by the rows that are grouped.
            let is_both = |node: &Node| node.says("Using temporary") && node.says("Using filesort");
            let most = if !plan.blocks.is_empty() && plan.nodes.iter().any(is_both) {
                "up to "
            } else {
                ""
            };
            parts.push(format!("{most}{} sorted", count(estimate.rows_sorted)));
        }
        page.push(Piece::Words(Tone::Plain, format!("Estimate: {}.", parts.join(", "))));
    }
    page.extend(measured(plan).map(|text| Piece::Words(Tone::Plain, text)));
    page
}

/// What the whole took, where it was measured.
fn measured(plan: &Plan) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(plan.actual_ms().map(time));
    parts.extend(plan.fetched().map(|fetched| format!("{} fetched from tables", rows(fetched))));
    let result = plan.nodes.first().filter(|_| plan.blocks.is_empty());
    parts.extend(
        result.and_then(Node::actual_rows).map(|all| format!("{} in the result", count(all))),
    );
    if let Some(hottest) = plan.hottest() {
        let operation = cut(&one_line(&hottest.operation), 60);
        parts.push(format!("longest step: {operation} ({})", time(hottest.ms)));
    }
    (!parts.is_empty()).then(|| format!("Measured: {}.", parts.join(", ")))
}

/// What is to be thought of it, in a line.
fn verdict(reviewed: &Reviewed, steps: &Steps<'_>) -> Piece {
    let findings = &reviewed.findings;
    if let Some(worst) = findings.iter().map(|finding| finding.severity).max() {
        let all =
            [Severity::Critical, Severity::High, Severity::Medium, Severity::Low, Severity::Info];
        let counts = all.iter().filter_map(|severity| {
            let count = findings.iter().filter(|finding| finding.severity == *severity).count();
            (count > 0).then(|| format!("{count} {}", severity.word()))
        });
        let counts: Vec<String> = counts.collect();
        return Piece::Words(tone(worst), format!("Findings: {}.", counts.join(", ")));
    }
    if let Some(text) = not_judged(&reviewed.plan) {
        return Piece::Words(Tone::Warn, text);
    }
    let is_worth = |row: &&steps::Row<'_>| words::weight(row, steps) == Weight::Finding;
    let mut worth: Vec<usize> =
        steps.rows.iter().filter(is_worth).filter_map(|row| steps.number(row.node()?)).collect();
    worth.sort_unstable();
    if worth.is_empty() {
        if reviewed.plan.all_nodes().iter().any(|node| words::has_unknown(node)) {
            let text = "Findings: none; what is unknown to adagio was not judged.";
            return Piece::Words(Tone::Warn, text.to_owned());
        }
        return Piece::Words(Tone::Good, "Findings: none.".to_owned());
    }
    let noun = if worth.len() == 1 { "step" } else { "steps" };
    let numbers: Vec<String> = worth.iter().map(usize::to_string).collect();
    Piece::Words(Tone::Warn, format!("Findings: none, but look at {noun} {}.", numbers.join(", ")))
}

/// Why nothing is said against a plan, where that does not mean that there is nothing.
fn not_judged(plan: &Plan) -> Option<String> {
    match (plan.is_cut(), plan.missing_columns()) {
        (true, []) => Some("Not judged: the print is cut.".to_owned()),
        (true, [name]) => Some(format!("Not judged: the print lacks the column {name}.")),
        (true, names) => Some(format!("Not judged: the print lacks {}.", names.join(", "))),
        (false, _) if plan.estimate().is_none() => {
            Some("Not judged: the print does not tell the rows of its steps.".to_owned())
        }
        (false, _) => None,
    }
}

/// How a finding of a severity is shown.
pub(in crate::report) fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Critical | Severity::High => Tone::Bad,
        Severity::Medium | Severity::Low => Tone::Warn,
        Severity::Info => Tone::Dim,
    }
}

/// The figures of a row, by the head of their column.
type Figure = (&'static str, fn(&Node, &Steps<'_>) -> String);

/// All columns of figures; one that is empty throughout is left out.
const FIGURES: &[Figure] = &[
    ("rows", |node, _| node.rows.map_or(String::new(), short)),
    ("x runs", |node, steps| {
        steps.work(node).runs.filter(|_| node.rows.is_some()).map_or(String::new(), short)
    }),
    ("= read", |node, steps| steps.work(node).read.map_or(String::new(), short)),
    ("kept", |node, _| {
        let measured = node.actual.and_then(|actual| actual.filtered);
        measured.or(node.filtered).map_or(String::new(), percent)
    }),
    ("got", |node, _| node.actual_rows().map_or(String::new(), short)),
    ("time", |node, _| node.actual.and_then(|actual| actual.ms).map_or(String::new(), time)),
];

/// The tree with its figures.
pub fn table(plan: &Plan, steps: &Steps<'_>, findings: &[Finding]) -> Table {
    let nodes = plan.all_nodes();
    let named: HashSet<*const Node> = findings
        .iter()
        .filter_map(|finding| nodes.get(finding.subject.step?).copied())
        .map(std::ptr::from_ref)
        .collect();
    let used: Vec<&Figure> = FIGURES
        .iter()
        .filter(|(_, figure)| steps.order.iter().any(|node| !figure(node, steps).is_empty()))
        .collect();
    let rows = steps.rows.iter().map(|row| {
        let node = row.node();
        let is_named = node.is_some_and(|node| named.contains(&std::ptr::from_ref(node)));
        let is_worth = is_named || words::weight(row, steps) == Weight::Finding;
        let number =
            node.and_then(|node| steps.number(node)).map_or(String::new(), |n| n.to_string());
        Row {
            number: if is_worth { format!("!{number}") } else { number },
            rails: row.rails.clone(),
            has_below: row.has_below,
            step: step(row),
            place: node.map_or(String::new(), words::place),
            figures: used
                .iter()
                .map(|(_, figure)| node.map_or(String::new(), |node| figure(node, steps)))
                .collect(),
            tone: if is_worth { Tone::Warn } else { Tone::Plain },
        }
    });
    Table { rows: rows.collect(), heads: used.iter().map(|(head, _)| *head).collect() }
}

/// What a row of the tree does.
fn step(row: &steps::Row<'_>) -> String {
    match row.step {
        Step::Node(node) => words::short(node),
        Step::Join => "join".to_owned(),
        Step::Select(Some(id)) => format!("select {id}"),
        Step::Select(None) => "select".to_owned(),
        Step::Materialize => "temporary table of".to_owned(),
        Step::Union(Some(node)) => {
            let part = node.select_type.as_deref().unwrap_or("union");
            one_line(part).to_ascii_lowercase()
        }
        Step::Union(None) => "union".to_owned(),
        Step::Subquery { id, is_dependent } => {
            let id = id.map_or(String::new(), |id| format!(" {id}"));
            format!("subquery{id}, {}", if is_dependent { "for each row" } else { "once" })
        }
    }
}

/// What the server said about the plan.
fn notes(plan: &Plan, depth: Depth) -> Vec<Piece> {
    // The statement as the server has rewritten it is long and seldom asked for.
    let is_shown = |code: Option<u64>| code != Some(1003) || depth == Depth::Full;
    let told: Vec<Piece> = plan
        .notes
        .iter()
        .filter(|note| is_shown(note.code) && depth != Depth::Brief)
        .map(|note| {
            let message = one_line(&note.message);
            let message = if depth == Depth::Full { message } else { cut(&message, SHORT) };
            let code = note.code.map_or(String::new(), |code| format!(" {code}"));
            let text = format!("{}{code}: {message}", one_line(&note.level));
            Piece::Item { label: "-".to_owned(), tone: Tone::Plain, text, notes: Vec::new() }
        })
        .collect();
    match told.is_empty() {
        true => Vec::new(),
        false => std::iter::once(Piece::Section("The server says")).chain(told).collect(),
    }
}

/// A finding with all that it says.
fn finding(finding: &Finding, nodes: &[&Node], steps: &Steps<'_>, depth: Depth) -> Piece {
    let step =
        finding.subject.step.and_then(|step| nodes.get(step)).and_then(|node| steps.number(node));
    let step = step.map_or(String::new(), |step| format!(", step {step}"));
    let title = one_line(&finding.title);
    let end = if title.ends_with(['.', '!', '?']) { "" } else { "." };
    let text =
        format!("{title}{end} ({}{step}, confidence {})", finding.rule, finding.confidence.word());
    let mut notes = Vec::new();
    let mut say = |tone, head: &str, text: String| {
        if !text.is_empty() {
            notes.push(Note::Words(tone, format!("{head}: {text}")));
        }
    };
    let facts: Vec<String> = finding.evidence.iter().map(|fact| evidence(fact, depth)).collect();
    say(Tone::Dim, "seen", facts.join("; "));
    let todo = &finding.recommendation;
    say(Tone::Plain, "do", one_line(&todo.text));
    if todo.sql.is_empty() {
        say(Tone::Plain, "index", todo.index.as_ref().map_or(String::new(), index));
    }
    say(Tone::Plain, "instead of", todo.replaces.as_ref().map_or(String::new(), index));
    notes.extend(todo.sql.iter().map(|sql| Note::Code(shown(sql.as_bytes()))));
    notes.extend(finding.benefit.map(|benefit| {
        let part = |micros: u64| seconds(micros as f64 / 1e6);
        let text = format!("may save: {} of {}", part(benefit.micros), part(benefit.of_micros));
        Note::Words(Tone::Plain, text)
    }));
    notes.extend(verify(&finding.verify));
    let label = finding.severity.word().to_ascii_uppercase();
    Piece::Item { label, tone: tone(finding.severity), text, notes }
}

/// How to see that it helped. A statement stays as it is.
pub(in crate::report) fn verify(text: &str) -> Vec<Note> {
    const VERBS: &[&str] = &["EXPLAIN", "ANALYZE", "SELECT", "SHOW"];
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_statement =
        VERBS.contains(&first) && !text.trim_end().ends_with('.') && !text.contains(": ");
    match (text.is_empty(), is_statement) {
        (true, _) => Vec::new(),
        (false, true) => {
            vec![Note::Words(Tone::Plain, "verify:".to_owned()), Note::Code(shown(text.as_bytes()))]
        }
        (false, false) => vec![Note::Words(Tone::Plain, format!("verify: {}", one_line(text)))],
    }
}

/// What was seen, in words.
pub(in crate::report) fn evidence(fact: &Fact, depth: Depth) -> String {
    let value = match &fact.value {
        Value::Number(amount) => figure(*amount),
        Value::Text(text) => one_line(text),
        Value::List(texts) => {
            let texts: Vec<&str> = texts.iter().map(|text| text.trim_end_matches('.')).collect();
            one_line(&texts.join(", "))
        }
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
    };
    let value = if depth == Depth::Full { value } else { cut(&value, LONG) };
    // Facts stand in a row, parted by semicolons.
    format!("{} {}", fact.name.replace('_', " "), value.trim_end_matches('.'))
}

/// An index as it would be declared.
pub(in crate::report) fn index(proposal: &IndexProposal) -> String {
    let columns = proposal.columns.iter().map(|column| {
        let length = column.length.map_or(String::new(), |length| format!("({length})"));
        let order = if column.is_descending { " DESC" } else { "" };
        format!("{}{length}{order}", column.name)
    });
    let columns: Vec<String> = columns.collect();
    let name = proposal.name.as_ref().map_or(String::new(), |name| format!("{name} on "));
    one_line(&format!("{name}{} ({})", proposal.table, columns.join(", ")))
}
