//! Two plans step by step: which ones are the same, changed, gone or new, and what that does to
//! the rows that are read.
//!
//! Steps are the same if they are about the same table of the same SELECT; of several with one
//! name they are taken in order. Operations of TREE that read no table are the same if they say
//! the same. What only one of two forms of EXPLAIN tells is not compared.

use std::collections::{HashMap, VecDeque};

use crate::plan::{Amount, Node, Plan};

/// Whether two plans are of one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Statements {
    /// Statement for statement, but for blanks.
    Same,
    /// But for literals.
    SameClass,
    /// Not even that.
    Different,
    /// One of them, or both, are not known.
    #[default]
    Unknown,
}

/// What is compared of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The access type.
    Access,
    /// The index.
    Key,
    /// Columns of the index that are used.
    UsedKeyParts,
    /// Bytes of the index that are used.
    KeyLen,
    /// What the index is compared with.
    Reference,
    /// Partitions that are read.
    Partitions,
    /// Estimated rows of one run.
    Rows,
    /// Estimated rows of all runs.
    Read,
    /// Percent of the rows that conditions are expected to keep.
    Filtered,
    /// Extra values that came or went.
    Extra,
    /// Rows of all runs as measured.
    ActualRows,
    /// Milliseconds as measured.
    ActualMs,
}

impl Field {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Field::Access => "access_type",
            Field::Key => "key",
            Field::UsedKeyParts => "used_key_parts",
            Field::KeyLen => "key_len",
            Field::Reference => "ref",
            Field::Partitions => "partitions",
            Field::Rows => "rows",
            Field::Read => "rows_examined",
            Field::Filtered => "filtered",
            Field::Extra => "extra",
            Field::ActualRows => "actual_rows",
            Field::ActualMs => "actual_ms",
        }
    }

    /// Whether it says what the server does, and not how many rows or how much time that is.
    pub fn is_of_plan(self) -> bool {
        matches!(
            self,
            Field::Access
                | Field::Key
                | Field::UsedKeyParts
                | Field::KeyLen
                | Field::Reference
                | Field::Partitions
                | Field::Extra
        )
    }
}

/// A value of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// As the plan has it.
    Text(String),
    /// A number.
    Number(Amount),
}

/// What is different in a step. A value that is absent is none: no index, no such word in Extra.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which.
    pub field: Field,
    /// In the plan before.
    pub before: Option<Value>,
    /// In the plan after.
    pub after: Option<Value>,
}

/// A step of one plan, the other or both, by its place among all nodes of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Number of the SELECT, where both plans tell it.
    pub select: Option<u64>,
    /// Table, operation, or what stands for them.
    pub name: String,
    /// Its place in the plan before.
    pub before: Option<usize>,
    /// Its place in the plan after.
    pub after: Option<usize>,
    /// What is different, where it is in both.
    pub changes: Vec<Change>,
}

/// A figure of both plans; absent where a plan does not tell it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pair {
    /// Of the plan before.
    pub before: Option<Amount>,
    /// Of the plan after.
    pub after: Option<Amount>,
}

impl Pair {
    /// Both figures, where both are known.
    pub fn both(self) -> Option<(Amount, Amount)> {
        Some((self.before?, self.after?))
    }
}

/// What is to be thought of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No step, word or figure is different.
    Same,
    /// The server does the same; figures are different.
    SameSteps,
    /// Another plan that reads fewer rows.
    Fewer,
    /// Another plan that reads more rows.
    More,
    /// Another plan that reads as many rows.
    AsMany,
    /// Another plan, and one of the two does not tell its rows.
    NotKnown,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::SameSteps => "same steps",
            Verdict::Fewer => "fewer rows",
            Verdict::More => "more rows",
            Verdict::AsMany => "as many rows",
            Verdict::NotKnown => "not known",
        }
    }
}

/// Two plans compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Whether they are of one statement.
    pub statements: Statements,
    /// Whether no table is in both.
    pub shares_no_table: bool,
    /// Steps in the order of the plan before, then those that are new.
    pub steps: Vec<Step>,
    /// Tables in the order in which they are joined, where that is another one.
    pub order: Option<(Vec<String>, Vec<String>)>,
    /// Estimated rows that are read.
    pub read: Pair,
    /// Estimated rows that are sorted.
    pub sorted: Pair,
    /// Rows that were fetched from tables, as measured.
    pub fetched: Pair,
    /// Milliseconds of the whole, as measured.
    pub ms: Pair,
    /// What is to be thought of it.
    pub verdict: Verdict,
}

/// Compares two plans.
pub fn compare(before: &Plan, after: &Plan, statements: Statements) -> Compared {
    let same_form = before.format == after.format;
    let (old, new) = (Side::of(before), Side::of(after));
    let both_tell_ids = old.tells_ids && new.tells_ids;
    // Operations are in some forms only.
    let with_operations = before.blocks.is_empty() == after.blocks.is_empty();
    let old_names = old.names(both_tell_ids, with_operations);
    let new_names = new.names(both_tell_ids, with_operations);
    let steps = matched(&old_names, &new_names)
        .into_iter()
        .map(|(name, before, after)| {
            let changes = match (before, after) {
                (Some(before), Some(after)) => changes(&old, before, &new, after, same_form),
                _ => Vec::new(),
            };
            Step { select: name.select, name: name.text, before, after, changes }
        })
        .collect::<Vec<Step>>();
    let shares_no_table = !steps.iter().any(|step| {
        let is_table = |place: usize| old.nodes.get(place).is_some_and(|node| is_table(node));
        step.after.is_some() && step.before.is_some_and(is_table)
    });
    let order = order(&old, &new, &steps);
    let estimate = |of: fn(&crate::plan::Estimate) -> Amount| Pair {
        before: before.estimate().as_ref().map(of),
        after: after.estimate().as_ref().map(of),
    };
    let read = estimate(|estimate| estimate.rows_examined);
    let verdict = verdict(&steps, order.is_some(), read);
    Compared {
        statements,
        shares_no_table,
        steps,
        order,
        read,
        sorted: estimate(|estimate| estimate.rows_sorted),
        fetched: Pair { before: before.fetched(), after: after.fetched() },
        ms: Pair { before: before.actual_ms(), after: after.actual_ms() },
        verdict,
    }
}

fn verdict(steps: &[Step], is_reordered: bool, read: Pair) -> Verdict {
    let is_whole = |step: &Step| step.before.is_some() && step.after.is_some();
    let is_other = is_reordered
        || steps.iter().any(|step| {
            !is_whole(step) || step.changes.iter().any(|change| change.field.is_of_plan())
        });
    if !is_other {
        let is_same = steps.iter().all(|step| step.changes.is_empty());
        return if is_same { Verdict::Same } else { Verdict::SameSteps };
    }
    match read.both() {
        None => Verdict::NotKnown,
        Some((before, after)) if after < before => Verdict::Fewer,
        Some((before, after)) if after > before => Verdict::More,
        Some(_) => Verdict::AsMany,
    }
}

/// One of the plans.
struct Side<'p> {
    nodes: Vec<&'p Node>,
    read: Vec<Option<Amount>>,
    tells_ids: bool,
}

/// By what a step is known again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name {
    select: Option<u64>,
    text: String,
}

impl<'p> Side<'p> {
    fn of(plan: &'p Plan) -> Side<'p> {
        let nodes = plan.all_nodes();
        let read = plan.work().into_iter().map(|work| work.read).collect();
        // The line of a UNION RESULT has no number in any form.
        let tells_ids = nodes.iter().any(|node| node.id.is_some());
        Side { nodes, read, tells_ids }
    }

    /// Names of the nodes by their place; those that are not to be compared have none.
    fn names(&self, with_ids: bool, with_operations: bool) -> Vec<Option<Name>> {
        let name = |node: &&Node| {
            let text = match (&node.table, &node.operation) {
                (Some(table), _) if with_operations || !table.ends_with("temporary>") => {
                    table.clone()
                }
                (Some(_), _) => return None,
                (None, Some(operation)) if with_operations => operation.clone(),
                (None, None) => node.extra.join("; "),
                _ => return None,
            };
            Some(Name { select: node.id.filter(|_| with_ids), text })
        };
        self.nodes.iter().map(name).collect()
    }
}

/// A table of the statement, no temporary one.
fn is_table(node: &Node) -> bool {
    node.table.as_deref().is_some_and(|table| !table.starts_with('<'))
}

type Matched = (Name, Option<usize>, Option<usize>);

/// Pairs of places with one name; then of one text, whatever the SELECT; then what is left.
fn matched(before: &[Option<Name>], after: &[Option<Name>]) -> Vec<Matched> {
    let mut partners: Vec<Option<usize>> = vec![None; before.len()];
    let mut is_taken = vec![false; after.len()];
    let passes: [fn(&Name) -> Name; 2] =
        [Name::clone, |name| Name { select: None, text: name.text.clone() }];
    for key in passes {
        let mut free: HashMap<Name, VecDeque<usize>> = HashMap::new();
        for (place, name) in after.iter().enumerate().filter(|(place, _)| !is_taken[*place]) {
            if let Some(name) = name {
                free.entry(key(name)).or_default().push_back(place);
            }
        }
        for (partner, name) in partners.iter_mut().zip(before) {
            let Some(name) = name.as_ref().filter(|_| partner.is_none()) else { continue };
            *partner = free.get_mut(&key(name)).and_then(VecDeque::pop_front);
            if let Some(place) = *partner {
                is_taken[place] = true;
            }
        }
    }
    let old = before.iter().zip(partners).enumerate();
    let old =
        old.filter_map(|(place, (name, partner))| Some((name.clone()?, Some(place), partner)));
    let new = after.iter().enumerate().filter(|(place, _)| !is_taken[*place]);
    let new = new.filter_map(|(place, name)| Some((name.clone()?, None, Some(place))));
    old.chain(new).collect()
}

/// Tables of both plans in the order of each, if these are different; only tables that are in both
/// tell.
fn order(old: &Side<'_>, new: &Side<'_>, steps: &[Step]) -> Option<(Vec<String>, Vec<String>)> {
    let of_both = steps.iter().filter_map(|step| Some((step.before?, step.after?)));
    let is_table = |place: usize| old.nodes.get(place).is_some_and(|node| is_table(node));
    // Steps are in the order of the plan before.
    let places: Vec<usize> =
        of_both.filter(|(before, _)| is_table(*before)).map(|(_, after)| after).collect();
    if places.is_sorted() {
        return None;
    }
    let tables = |side: &Side<'_>| {
        let tables = side.nodes.iter().filter(|node| self::is_table(node));
        tables.filter_map(|node| node.table.clone()).collect::<Vec<String>>()
    };
    Some((tables(old), tables(new)))
}

/// What is different between two steps.
fn changes(
    old: &Side<'_>,
    before: usize,
    new: &Side<'_>,
    after: usize,
    same_form: bool,
) -> Vec<Change> {
    let (Some(a), Some(b)) = (old.nodes.get(before), new.nodes.get(after)) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    let mut note = |field, before: Option<Value>, after: Option<Value>| {
        if before != after {
            changes.push(Change { field, before, after });
        }
    };
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    let parts = |parts: &[String]| (!parts.is_empty()).then(|| Value::Text(parts.join(", ")));
    let number = |amount: Option<Amount>| amount.map(Value::Number);
    // Every form tells how a table is read; whether there is an index at all follows from it.
    if a.access_type.is_some() && b.access_type.is_some() || same_form {
        note(Field::Access, text(&a.access_type), text(&b.access_type));
        note(Field::Key, text(&a.key), text(&b.key));
    }
    if !a.used_key_parts.is_empty() && !b.used_key_parts.is_empty() {
        note(Field::UsedKeyParts, parts(&a.used_key_parts), parts(&b.used_key_parts));
    }
    let told = [
        (Field::KeyLen, &a.key_len, &b.key_len),
        (Field::Reference, &a.reference, &b.reference),
        (Field::Partitions, &a.partitions, &b.partitions),
    ];
    for (field, a, b) in told {
        if same_form || a.is_some() && b.is_some() {
            note(field, text(a), text(b));
        }
    }
    if same_form {
        for value in a.extra.iter().filter(|value| !b.extra.contains(value)) {
            note(Field::Extra, Some(Value::Text(value.clone())), None);
        }
        for value in b.extra.iter().filter(|value| !a.extra.contains(value)) {
            note(Field::Extra, None, Some(Value::Text(value.clone())));
        }
    }
    let read = |side: &Side<'_>, place: usize| side.read.get(place).copied().flatten();
    let ms = |node: &Node| node.actual.and_then(|actual| actual.ms);
    let figures = [
        (Field::Rows, a.rows, b.rows),
        (Field::Read, read(old, before), read(new, after)),
        (Field::Filtered, a.filtered, b.filtered),
        (Field::ActualRows, a.actual_rows(), b.actual_rows()),
        (Field::ActualMs, ms(a), ms(b)),
    ];
    for (field, a, b) in figures {
        if a.is_some() && b.is_some() {
            note(field, number(a), number(b));
        }
    }
    changes
}

#[cfg(test)]
mod tests;
