//! Two plans step by step: which ones are the same, changed, gone or new, and what that does to
//! the rows that are read.
//!
//! Steps are the same if they are about the same table of the same SELECT; of several with one
//! name those that read it alike, then in order. Derived tables have other names in other forms and
//! are known by the tables inside. Operations of TREE that read no table are the same if they do
//! the same. What only one of two forms of EXPLAIN tells is not compared, and what the forms or
//! servers have different words for is compared by what it is ([`words`]).

use std::collections::{HashMap, VecDeque};

use crate::flavor::Family;
use crate::plan::{Amount, Node, Plan};

mod side;
mod words;

use side::{Kind, Name, Side};

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
    /// What an operation says, where it does the same.
    Operation,
    /// The algorithm by which a table is joined.
    Join,
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
            Field::Operation => "operation",
            Field::Join => "join",
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
            Field::Join
                | Field::Access
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
    /// Another plan that reads as many rows, give or take a tenth.
    AsMany,
    /// Another plan, and one of the two does not tell its rows.
    NotKnown,
    /// One of the two says nothing of its steps.
    NotTold,
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
            Verdict::NotTold => "not comparable",
        }
    }
}

/// Two plans compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Whether they are of one statement.
    pub statements: Statements,
    /// Whether they have different forms, of which each tells other things.
    pub forms_differ: bool,
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
    let estimate = |of: fn(&crate::plan::Estimate) -> Amount| Pair {
        before: before.estimate().as_ref().map(of),
        after: after.estimate().as_ref().map(of),
    };
    let read = estimate(|estimate| estimate.rows_examined);
    let mut compared = Compared {
        statements,
        forms_differ: before.format != after.format,
        shares_no_table: false,
        steps: Vec::new(),
        order: None,
        read,
        sorted: estimate(|estimate| estimate.rows_sorted),
        fetched: Pair { before: before.fetched(), after: after.fetched() },
        ms: Pair { before: before.actual_ms(), after: after.actual_ms() },
        verdict: Verdict::NotTold,
    };
    if tells_nothing(before) || tells_nothing(after) {
        return compared;
    }
    // Operations are in some forms only.
    let as_lines = before.blocks.is_empty() != after.blocks.is_empty();
    let (old, new) = (Side::of(before, as_lines), Side::of(after, as_lines));
    let both_tell_ids = old.tells_ids && new.tells_ids;
    let how = How::of(before, after);
    let (old_names, new_names) = (old.names(both_tell_ids), new.names(both_tell_ids));
    let is_told = |(_, before, after): &Matched| match (before, after) {
        (Some(place), None) => !as_lines || !old.may_be_left_out(*place),
        (None, Some(place)) => !as_lines || !new.may_be_left_out(*place),
        _ => true,
    };
    compared.steps = matched((&old, &old_names), (&new, &new_names))
        .into_iter()
        .filter(is_told)
        .map(|(name, before, after)| {
            let changes = match (before, after) {
                (Some(before), Some(after)) => changes(&old, before, &new, after, how),
                _ => Vec::new(),
            };
            Step { select: name.select, name: name.text, before, after, changes }
        })
        .collect();
    let has_tables = |side: &Side<'_>| (0..side.nodes.len()).any(|place| side.is_table(place));
    compared.shares_no_table = has_tables(&old)
        && has_tables(&new)
        && !compared.steps.iter().any(|step| {
            step.after.is_some() && step.before.is_some_and(|place| old.is_table(place))
        });
    compared.order = order(&old, &new, &compared.steps);
    compared.verdict = verdict(&compared.steps, compared.order.is_some(), read);
    compared
}

/// Whether a plan says that it says nothing: `<not executable by iterator executor>`.
fn tells_nothing(plan: &Plan) -> bool {
    let first = plan.nodes.first().and_then(|node| node.operation.as_deref());
    first.is_some_and(|operation| operation.starts_with("<not exec"))
}

/// Whether an amount is less than a tenth off the one before: estimates are no nearer to the truth.
pub fn is_near(before: Amount, after: Amount) -> bool {
    let off = if after > before { after.minus(before) } else { before.minus(after) };
    off == Amount::ZERO || off.times(Amount::whole(10)) < before
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
        Some((before, after)) if is_near(before, after) => Verdict::AsMany,
        Some((before, after)) if after < before => Verdict::Fewer,
        Some(_) => Verdict::More,
    }
}

/// What both prints tell in the same words.
#[derive(Debug, Clone, Copy)]
struct How {
    /// They have one form.
    same_form: bool,
    /// No two servers wrote them, as far as is known.
    same_server: bool,
}

impl How {
    fn of(before: &Plan, after: &Plan) -> How {
        // MariaDB's lines have a column less, by which MySQL's are known: unknown is not MySQL.
        let is_mysql = |plan: &Plan| !matches!(plan.flavor, Family::Unknown | Family::MariaDb);
        let same_server = before.flavor == after.flavor || is_mysql(before) && is_mysql(after);
        How { same_form: before.format == after.format, same_server }
    }
}

type Matched = (Name, Option<usize>, Option<usize>);

/// By what steps are matched, the surest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key<'p> {
    /// A name, and how its table is read.
    Read(Name, Option<&'p str>, Vec<&'p str>),
    /// A name.
    Name(Name),
    /// A derived table by the tables inside.
    Inside(Vec<&'p str>),
    /// A derived table.
    Derived,
    /// What an operation does.
    Head(String),
}

impl<'p> Side<'p> {
    /// Keys of a step, from the surest; `None` where it has none of that kind.
    fn key(&self, place: usize, name: &Name, pass: usize) -> Option<Key<'p>> {
        let kind = *self.kinds.get(place)?;
        let any = || Name { select: None, text: name.text.clone() };
        let read = |name| {
            Key::Read(
                name,
                self.access_of(place),
                self.keys.get(place).cloned().unwrap_or_default(),
            )
        };
        match (pass, kind) {
            (0, _) => Some(read(name.clone())),
            (1, _) => Some(Key::Name(name.clone())),
            (2, _) => Some(read(any())),
            (3, _) => Some(Key::Name(any())),
            (4, Kind::Derived) => {
                let inside = self.inside.get(place).filter(|inside| !inside.is_empty())?;
                Some(Key::Inside(inside.clone()))
            }
            (5, Kind::Derived) => Some(Key::Derived),
            (6, Kind::Operation) => Some(Key::Head(words::head(&name.text).to_owned())),
            _ => None,
        }
    }
}

/// Kinds of keys.
const PASSES: usize = 7;

/// Pairs of places by each kind of key in turn; then what is left.
fn matched(
    (old, before): (&Side<'_>, &[Option<Name>]),
    (new, after): (&Side<'_>, &[Option<Name>]),
) -> Vec<Matched> {
    let mut partners: Vec<Option<usize>> = vec![None; before.len()];
    let mut is_taken = vec![false; after.len()];
    for pass in 0..PASSES {
        let mut free: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
        for (place, name) in after.iter().enumerate().filter(|(place, _)| !is_taken[*place]) {
            if let Some(key) = name.as_ref().and_then(|name| new.key(place, name, pass)) {
                free.entry(key).or_default().push_back(place);
            }
        }
        for (place, (partner, name)) in partners.iter_mut().zip(before).enumerate() {
            let Some(name) = name.as_ref().filter(|_| partner.is_none()) else { continue };
            let Some(key) = old.key(place, name, pass) else { continue };
            *partner = free.get_mut(&key).and_then(VecDeque::pop_front);
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

/// Tables of both plans in the order of each, if these are different; only tables of one SELECT
/// that are in both tell.
fn order(old: &Side<'_>, new: &Side<'_>, steps: &[Step]) -> Option<(Vec<String>, Vec<String>)> {
    let is_read = |side: &Side<'_>, place: usize| {
        matches!(side.kinds.get(place), Some(Kind::Table | Kind::Derived))
    };
    let rank = |side: &Side<'_>, place: usize| side.ranks.get(place).copied().unwrap_or(place);
    let mut places: Vec<(usize, usize)> = steps
        .iter()
        .filter_map(|step| Some((step.before?, step.after?)))
        .filter(|(before, after)| is_read(old, *before) && is_read(new, *after))
        .collect();
    places.sort_by_key(|(before, _)| rank(old, *before));
    let mut last: HashMap<(usize, usize), usize> = HashMap::new();
    let is_sorted = places.iter().all(|(before, after)| {
        let select = |side: &Side<'_>, place: usize| side.selects.get(place).copied().unwrap_or(0);
        let rank = rank(new, *after);
        let last = last.insert((select(old, *before), select(new, *after)), rank);
        last.is_none_or(|last| last <= rank)
    });
    if is_sorted {
        return None;
    }
    let tables = |side: &Side<'_>| {
        let mut places: Vec<usize> =
            (0..side.nodes.len()).filter(|place| is_read(side, *place)).collect();
        places.sort_by_key(|place| rank(side, *place));
        let names = places.iter().filter_map(|place| side.nodes.get(*place)?.table.clone());
        names.collect::<Vec<String>>()
    };
    Some((tables(old), tables(new)))
}

/// What is different between two steps.
fn changes(old: &Side<'_>, before: usize, new: &Side<'_>, after: usize, how: How) -> Vec<Change> {
    let (Some(a), Some(b)) = (old.nodes.get(before), new.nodes.get(after)) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    let mut note = |field, before: Option<Value>, after: Option<Value>| {
        if before != after {
            changes.push(Change { field, before, after });
        }
    };
    let How { same_form, same_server } = how;
    let same_words = same_form && same_server;
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    let word = |word: Option<&str>| word.map(|word| Value::Text(word.to_owned()));
    let parts = |parts: &[String]| (!parts.is_empty()).then(|| Value::Text(parts.join(", ")));
    let number = |amount: Option<Amount>| amount.map(Value::Number);
    if is_operation(old, before) && is_operation(new, after) {
        let words = |node: &Node| node.operation.as_deref().map(|text| text.replace('`', ""));
        note(Field::Operation, text(&words(a)), text(&words(b)));
    }
    let join = |side: &Side<'_>, place: usize| side.joins.get(place).copied().flatten();
    let (old_join, new_join) = (join(old, before), join(new, after));
    let tells_join =
        old_join.is_some() && new_join.is_some() && a.table.is_some() && b.table.is_some();
    let is_plain = |join: Option<&str>| join.is_some_and(words::is_plain_join);
    if tells_join && !(is_plain(old_join) && is_plain(new_join)) {
        note(Field::Join, word(old_join), word(new_join));
    }
    // Every form tells how a table is read; whether there is an index at all follows from it.
    if same_words {
        note(Field::Access, text(&a.access_type), text(&b.access_type));
        note(Field::Key, text(&a.key), text(&b.key));
    } else if a.access_type.is_some() && b.access_type.is_some() {
        let (old_access, new_access) = (old.access_of(before), new.access_of(after));
        let is_alike = match (old_access, new_access) {
            (Some(a), Some(b)) => words::is_alike(a, b),
            _ => old_access == new_access,
        };
        if !is_alike {
            note(Field::Access, word(old_access), word(new_access));
        }
        // The index of a temporary table is made for the join; each server has a name of its own.
        let is_made = !same_server && old.kinds.get(before) == Some(&Kind::Derived);
        let keys = |side: &Side<'_>, place: usize| {
            side.keys
                .get(place)
                .filter(|_| !is_made)
                .filter(|keys| !keys.is_empty())
                .map(|keys| keys.join(","))
        };
        note(Field::Key, text(&keys(old, before)), text(&keys(new, after)));
    }
    if !a.used_key_parts.is_empty() && !b.used_key_parts.is_empty() {
        note(Field::UsedKeyParts, parts(&a.used_key_parts), parts(&b.used_key_parts));
    }
    let told = [
        (Field::KeyLen, &a.key_len, &b.key_len),
        (Field::Reference, &a.reference, &b.reference),
        (Field::Partitions, &a.partitions, &b.partitions),
    ];
    let is_told = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    for (field, a, b) in told {
        // Names of tables in it are spelt out in other ways.
        if field == Field::Reference && !same_server {
            continue;
        }
        if same_words || is_told(a) && is_told(b) {
            note(field, text(a), text(b));
        }
    }
    // The name of a line is what Extra says.
    if same_form && old.kinds.get(before) != Some(&Kind::Line) {
        let joins_differ = tells_join && old_join != new_join;
        let counts = |value: &str| {
            let is_join = value.starts_with("Using join buffer");
            !(is_join && joins_differ) && (same_server || is_of_all_servers(value, a, b))
        };
        for value in a.extra.iter().filter(|value| !b.extra.contains(value) && counts(value)) {
            note(Field::Extra, Some(Value::Text(value.clone())), None);
        }
        for value in b.extra.iter().filter(|value| !a.extra.contains(value) && counts(value)) {
            note(Field::Extra, None, Some(Value::Text(value.clone())));
        }
    }
    let read = |side: &Side<'_>, place: usize| side.read.get(place).copied().flatten();
    let ms = |node: &Node| node.actual.and_then(|actual| actual.ms);
    // Forms round estimates, and each has its own place for the conditions.
    let is_merge = |side: &Side<'_>, place: usize| {
        side.is_tree && side.access_of(place) == Some("index_merge")
    };
    let tells_rows = !is_merge(old, before) && !is_merge(new, after);
    let rows = |node: &Node| node.rows.filter(|_| tells_rows);
    let figures = [
        (Field::Rows, rows(a), rows(b)),
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

fn is_operation(side: &Side<'_>, place: usize) -> bool {
    side.kinds.get(place) == Some(&Kind::Operation)
}

/// Whether MySQL and MariaDB say a word of Extra of the same. MariaDB does not say that the result
/// of a UNION is a temporary table, nor that the clustering index holds all columns.
fn is_of_all_servers(value: &str, a: &Node, b: &Node) -> bool {
    let is_clustering = |node: &Node| node.key.as_deref() == Some("PRIMARY");
    match value {
        "Using filesort" => true,
        "Using temporary" => !side::is_of_server(a) && !side::is_of_server(b),
        "Using index" => !is_clustering(a) && !is_clustering(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
