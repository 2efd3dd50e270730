//! What changed between two plans, for people; [`json`] is for programs.

pub mod json;

use std::io::{self, Write};

use super::figures::{count, percent, ratio, rows, time};
use super::page::{Note, Piece, Tone};
use super::review;
use super::steps::Steps;
use super::words::words_of;
use super::wrap::{cut, one_line};
use super::{Depth, Input, Look, Reviewed, markdown, text};
use crate::compare::plans::{
    Change, Compared, Field, Pair, Statements, Step, Value, Verdict, is_near,
};
use crate::plan::access as meanings;
use crate::plan::{Amount, Node, Plan};

/// Columns of a text of the input that is shown if not all is asked for.
const SHORT: usize = 160;

/// Two plans and what changed from one to the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The plan before.
    pub before: Reviewed,
    /// The plan after.
    pub after: Reviewed,
    /// What changed.
    pub compared: Compared,
}

/// Pairs of plans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What was read.
    pub inputs: Vec<Input>,
    /// Pairs in their order.
    pub pairs: Vec<Difference>,
}

/// Writes the comparison for a terminal.
pub fn write_text(comparison: &Comparison, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    text::write_page(&page(comparison, look.depth), look, out)
}

/// Writes the comparison for a ticket or a merge request.
pub fn write_markdown(comparison: &Comparison, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    markdown::write_page(&page(comparison, look.depth), look, out)
}

fn page(comparison: &Comparison, depth: Depth) -> Vec<Piece> {
    let all = comparison.pairs.len();
    let pairs = comparison.pairs.iter().enumerate();
    let of_pair = |(place, pair): (usize, &Difference)| {
        let number = if all > 1 {
            format!("Comparison {} of {all}", place + 1)
        } else {
            "Comparison".to_owned()
        };
        of_pair(comparison, &number, pair, depth)
    };
    pairs.flat_map(of_pair).collect()
}

fn of_pair(comparison: &Comparison, number: &str, pair: &Difference, depth: Depth) -> Vec<Piece> {
    let Difference { before, after, compared } = pair;
    let source = |reviewed: &Reviewed| review::source(&comparison.inputs, reviewed);
    let (old, new) = (source(before), source(after));
    let mut page = vec![Piece::Title(format!("{number}: {old} -> {new}"))];
    page.extend(statements(pair));
    page.extend(warning(pair).map(|text| Piece::Words(Tone::Warn, text)));
    page.push(verdict(pair));
    page.extend(forms(compared).map(|text| Piece::Words(Tone::Plain, text)));
    page.extend(sums(compared).into_iter().map(|text| Piece::Words(Tone::Plain, text)));
    let (old, new) = (Side::of(&before.plan), Side::of(&after.plan));
    if let Some((old, new)) = &compared.order {
        let text = format!(
            "Order of the tables: {} -> {}.",
            one_line(&old.join(", ")),
            one_line(&new.join(", "))
        );
        page.push(Piece::Words(Tone::Plain, text));
    }
    let items: Vec<Piece> = compared
        .steps
        .iter()
        .filter(|step| !is_same(step) || depth == Depth::Full)
        .map(|step| item(step, (&old, &new), depth))
        .collect();
    if !items.is_empty() {
        page.push(Piece::Section("What changed"));
        page.extend(items);
    }
    if depth != Depth::Brief && compared.verdict != Verdict::Same {
        for (head, side, numbered) in [("Before", before, &old), ("After", after, &new)] {
            page.push(Piece::Section(head));
            page.push(Piece::Tree(review::table(&side.plan, &numbered.steps, &side.findings)));
        }
    }
    page
}

fn is_same(step: &Step) -> bool {
    step.before.is_some() && step.after.is_some() && step.changes.is_empty()
}

/// A plan with its steps numbered.
struct Side<'p> {
    nodes: Vec<&'p Node>,
    steps: Steps<'p>,
}

impl<'p> Side<'p> {
    fn of(plan: &'p Plan) -> Side<'p> {
        Side { nodes: plan.all_nodes(), steps: Steps::of(plan) }
    }
}

/// The statement, or both if they are different ones.
fn statements(pair: &Difference) -> Vec<Piece> {
    let (old, new) = (&pair.before.plan.query, &pair.after.plan.query);
    let both = match pair.compared.statements {
        Statements::Same => vec![old.clone()],
        _ => vec![old.clone(), new.clone()],
    };
    both.into_iter().flatten().map(Piece::Statement).collect()
}

/// What speaks against comparing these two.
fn warning(pair: &Difference) -> Option<String> {
    let compared = &pair.compared;
    match compared.statements {
        Statements::Different => Some(
            "The plans are of different statements: what changed may be the statement.".to_owned(),
        ),
        Statements::Unknown if compared.shares_no_table => Some(
            "The plans share no table: they look like plans of different statements.".to_owned(),
        ),
        Statements::SameClass if pair.before.plan.query != pair.after.plan.query => {
            Some("The statements differ in literals, which alone can change a plan.".to_owned())
        }
        _ => None,
    }
}

fn verdict(pair: &Difference) -> Piece {
    let compared = &pair.compared;
    // Of two statements neither plan is better.
    let is_one = match compared.statements {
        Statements::Same | Statements::SameClass => true,
        Statements::Different => false,
        Statements::Unknown => !compared.shares_no_table,
    };
    // What was measured is nearer to the truth than what was expected.
    let judged = |tone: Tone| match compared.ms.both() {
        _ if !is_one => Tone::Plain,
        Some((before, after)) if is_near(before, after) => Tone::Plain,
        Some((before, after)) if after < before => Tone::Good,
        Some(_) => Tone::Bad,
        None => tone,
    };
    let another = format!("Another plan{}", joins(compared));

    let (tone, text) = match compared.verdict {
        Verdict::Same if is_paired(compared) || !compared.forms_differ => {
            (Tone::Good, "The same plan.".to_owned())
        }
        Verdict::Same => (Tone::Plain, "The same plan, as far as both tell.".to_owned()),
        Verdict::SameSteps => (Tone::Plain, same_steps(compared)),
        Verdict::Fewer => {
            (judged(Tone::Good), format!("{another}, which reads fewer rows: {}.", read(compared)))
        }
        Verdict::More => {
            (judged(Tone::Bad), format!("{another}, which reads more rows: {}.", read(compared)))
        }
        Verdict::AsMany => {
            let is_equal = compared.read.before == compared.read.after;
            let about = if is_equal { "" } else { "about " };
            let text = format!("{another}, which reads {about}as many rows: {}.", read(compared));
            (judged(Tone::Plain), text)
        }
        Verdict::NotKnown => {
            let text = format!("{another}. How many rows it reads is not told by both.");
            (judged(Tone::Warn), text)
        }
        Verdict::NotTold => {
            let text = match compared.read {
                Pair { before: None, after: None } => {
                    "The plans cannot be compared: neither tells its steps."
                }
                _ => "The plans cannot be compared: one of them tells no step.",
            };
            (Tone::Warn, text.to_owned())
        }
    };
    Piece::Words(tone, text)
}

/// Joins that are named in the verdict; the others are in the list of changes.
const JOINS: usize = 3;

/// Tables that are joined by another algorithm.
fn joins(compared: &Compared) -> String {
    let text = |value: &Option<Value>| match value {
        Some(Value::Text(text)) => one_line(text),
        _ => "not told".to_owned(),
    };
    let joins: Vec<String> = compared
        .steps
        .iter()
        .flat_map(|step| step.changes.iter().map(move |change| (step, change)))
        .filter(|(_, change)| change.field == Field::Join)
        .map(|(step, change)| {
            let name = cut(&one_line(&step.name), SHORT);
            format!("{name}: {} -> {}", text(&change.before), text(&change.after))
        })
        .take(JOINS)
        .collect();
    if joins.is_empty() { String::new() } else { format!(" ({})", joins.join("; ")) }
}

/// What is to be said where the server does the same: only a tenth and more of the rows counts.
fn same_steps(compared: &Compared) -> String {
    let fields = || compared.steps.iter().flat_map(|step| &step.changes);
    let is_estimate = |field: Field| matches!(field, Field::Rows | Field::Read | Field::Filtered);
    let is_measure = |field: Field| matches!(field, Field::ActualRows | Field::ActualMs);
    let what = if compared.forms_differ { "The same plan" } else { "The same steps" };
    match compared.read.both() {
        // Each form has its own way to count, of which neither is fewer.
        Some((before, after)) if !is_near(before, after) && compared.forms_differ => {
            format!("{what}; estimates differ: {} -> {} rows read.", count(before), count(after))
        }
        Some((before, after)) if !is_near(before, after) => {
            let which = if after < before { "fewer" } else { "more" };
            format!("{what}, expected to read {which} rows: {}.", read(compared))
        }
        _ if fields().any(|change| is_estimate(change.field)) => {
            format!("{what}; estimates differ a little.")
        }
        _ if fields().any(|change| is_measure(change.field)) => {
            format!("{what}; what was measured differs.")
        }
        _ => format!("{what}, told in other words."),
    }
}

/// What two forms were compared by.
fn forms(compared: &Compared) -> Option<String> {
    if !compared.forms_differ || compared.verdict == Verdict::NotTold {
        return None;
    }
    // TREE says no more of tables that the optimizer itself has read.
    let text = match compared.verdict {
        Verdict::Same if !is_paired(compared) => {
            "The forms differ, and no step is told by both: TREE does not say which rows were \
             fetched before execution."
        }
        _ => "The forms differ: compared by tables, access, index and join.",
    };
    Some(text.to_owned())
}

fn is_paired(compared: &Compared) -> bool {
    compared.steps.iter().any(|step| step.before.is_some() && step.after.is_some())
}

/// Rows read before and after, by the estimate.
fn read(compared: &Compared) -> String {
    let pair = compared.read.both();
    pair.map_or(String::new(), |(before, after)| {
        format!("{} by the estimate", with_ratio(count, before, after, ("many", "fewer")))
    })
}

/// `5,120,000 -> 10 (512,000 times fewer)`.
fn with_ratio(
    show: fn(Amount) -> String,
    before: Amount,
    after: Amount,
    (more, less): (&str, &str),
) -> String {
    let ratio = if is_near(before, after) {
        None
    } else if after > before {
        ratio(after, before).map(|ratio| format!(" ({ratio} times as {more})"))
    } else {
        ratio(before, after).map(|ratio| format!(" ({ratio} times {less})"))
    };
    format!("{} -> {}{}", show(before), show(after), ratio.unwrap_or_default())
}

/// The figures of the whole that are in both plans.
fn sums(compared: &Compared) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |pair: Pair, show: fn(Amount) -> String, what: &str, words: (&str, &str)| {
        let Some((before, after)) = pair.both() else { return };
        if before != after {
            lines.push(format!("{what}: {}.", with_ratio(show, before, after, words)));
        }
    };
    say(compared.ms, time, "Time as measured", ("long", "faster"));
    say(compared.fetched, count, "Rows fetched from tables as measured", ("many", "fewer"));
    let is_near = compared.read.both().is_some_and(|(before, after)| is_near(before, after));
    if compared.verdict == Verdict::SameSteps && is_near {
        say(compared.read, count, "Rows read by the estimate", ("many", "fewer"));
    }
    say(compared.sorted, count, "Rows sorted by the estimate", ("many", "fewer"));
    let is_measured = compared.ms.both().is_some() || compared.fetched.both().is_some();
    if !is_measured && !matches!(compared.verdict, Verdict::Same | Verdict::NotTold) {
        let what = match (compared.ms.before.is_some(), compared.ms.after.is_some()) {
            (false, false) => "Estimates are compared; neither plan was measured.",
            _ => "Estimates are compared; only one of the plans was measured.",
        };
        lines.push(what.to_owned());
    }
    lines
}

/// A step that changed, is gone or new.
fn item(step: &Step, (old, new): (&Side<'_>, &Side<'_>), depth: Depth) -> Piece {
    let short = |text: &str| {
        let text = one_line(text);
        if depth == Depth::Full { text } else { cut(&text, SHORT) }
    };
    let number =
        |side: &Side<'_>, place: Option<usize>| side.steps.number(side.nodes.get(place?).copied()?);
    let (before, after) = (number(old, step.before), number(new, step.after));
    let select = step.select.filter(|select| *select > 1);
    let select = select.map_or(String::new(), |select| format!(" of select {select}"));
    let name = short(&step.name);
    let (label, tone, text) = match (before, after) {
        (Some(before), Some(after)) if step.changes.is_empty() => {
            ("SAME", Tone::Dim, format!("{name}{select}, {}", places(before, after)))
        }
        (Some(before), Some(after))
            if !step.changes.iter().any(|change| change.field.is_of_plan()) =>
        {
            (
                "SAME",
                Tone::Plain,
                format!("{name}{select}, {}, with other figures", places(before, after)),
            )
        }
        (Some(before), Some(after)) => {
            ("CHANGED", Tone::Plain, format!("{name}{select}, {}", places(before, after)))
        }
        (Some(before), None) => ("GONE", Tone::Plain, format!("{name}{select}, was step {before}")),
        (_, after) => {
            let place = after.map_or(String::new(), |after| format!(", step {after}"));
            ("NEW", Tone::Plain, format!("{name}{select}{place}"))
        }
    };
    let notes = step.changes.iter().filter_map(|change| changed(change, depth));
    let notes = notes.map(|text| Note::Words(Tone::Plain, text));
    Piece::Item { label: label.to_owned(), tone, text, notes: notes.collect() }
}

fn places(before: usize, after: usize) -> String {
    match before == after {
        true => format!("step {before}"),
        false => format!("step {before} before, {after} after"),
    }
}

/// What a field is called.
fn name(field: Field) -> &'static str {
    match field {
        Field::Operation => "said as",
        Field::Join => "joined by",
        Field::Access => "access",
        Field::Key => "index",
        Field::UsedKeyParts => "columns used of the index",
        Field::KeyLen => "key_len",
        Field::Reference => "compared with",
        Field::Partitions => "partitions",
        Field::Rows => "rows a run",
        Field::Read => "rows read in all",
        Field::Filtered => "conditions keep",
        Field::Extra => "Extra",
        Field::ActualRows => "rows as measured",
        Field::ActualMs => "time as measured",
    }
}

/// What is different; `None` of figures that are rounded to the same.
fn changed(change: &Change, depth: Depth) -> Option<String> {
    let show = |value: &Option<Value>| match (value, change.field) {
        (None, _) => "none".to_owned(),
        (Some(Value::Text(text)), Field::Access) => in_words(text),
        (Some(Value::Text(text)), _) if depth == Depth::Full => one_line(text),
        (Some(Value::Text(text)), _) => cut(&one_line(text), SHORT),
        (Some(Value::Number(amount)), Field::Filtered) => percent(*amount),
        (Some(Value::Number(amount)), Field::ActualMs) => time(*amount),
        (Some(Value::Number(amount)), Field::Rows) => count(*amount),
        (Some(Value::Number(amount)), _) => rows(*amount),
    };
    let (before, after) = (show(&change.before), show(&change.after));
    match (change.field, &change.before, &change.after) {
        (Field::Extra, Some(_), None) => Some(format!("Extra, gone: {before}")),
        (Field::Extra, None, Some(_)) => Some(format!("Extra, new: {after}")),
        (_, Some(Value::Number(_)), Some(Value::Number(_))) if before == after => None,
        (field, _, _) => Some(format!("{}: {before} -> {after}", name(field))),
    }
}

/// An access type as it is printed, and in words.
fn in_words(access_type: &str) -> String {
    let known = meanings::look_up(access_type);
    let words = known.and_then(|found| words_of(found.access.name));
    match words {
        Some(words) => format!("{} ({})", one_line(access_type), words.short),
        None => format!("{} (unknown to adagio)", one_line(access_type)),
    }
}
