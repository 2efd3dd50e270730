//! A plan in words: for each step a sentence that says what it does, then what its values mean
//! here, at length where the rows make it matter and in few words where they do not.

pub mod access;
pub mod operation;

use std::collections::HashMap;

use super::Depth;
use super::figures::{count, hundredths, percent, ratio, rows, time};
use super::page::{Note, Piece, Tone};
use super::steps::{Row, Steps, Stop};
use super::wrap::{cut, one_line};
use crate::flavor::Family;
use crate::plan::access as meanings;
use crate::plan::extra::{self, Parameter};
use crate::plan::guess::{self, Verdict};
use crate::plan::select_type;
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS, Size, Weight};
use crate::plan::{Amount, Node, Plan, RowidFilter, Work};

/// Columns of a condition or an operation that are shown if not all is asked for.
const SHORT: usize = 160;
/// An estimate that is so many times off is told.
const FAR_OFF: u64 = 10;

/// Whole rows, as far as they are known.
fn whole(amount: Option<Amount>) -> Option<u64> {
    amount.map(|amount| u64::try_from(amount.rounded().floor()).unwrap_or(u64::MAX))
}

/// The size of a step for the weight of how it reads.
fn size_of_access(node: &Node, work: Work) -> Size {
    Size { rows: whole(node.rows), outer: whole(work.runs), kept: None }
}

/// The size of a step for the weight of what Extra says.
fn size_of_extra(node: &Node, work: Work, words: &str) -> Size {
    let kept = if words.starts_with("Using temporary") {
        work.stored.or(work.sorted)
    } else if words.starts_with("Using filesort") {
        work.sorted
    } else {
        None
    };
    // A hash join of TREE: rows of the hashed side for those of the other one.
    let hashed = node.children.get(1).filter(|_| node.table.is_none()).map(|second| second.rows);
    let outer = match hashed {
        Some(_) => node.children.first().and_then(|first| first.rows),
        None => work.before.or(work.runs),
    };
    Size { rows: whole(hashed.unwrap_or(node.rows)), outer: whole(outer), kept: whole(kept) }
}

/// Whether a table is a temporary one, which lacks no index.
fn is_temporary(node: &Node) -> bool {
    node.table.as_deref().is_some_and(|table| table.starts_with('<'))
}

/// Whether an index is chosen anew for each row of the tables before.
fn is_checked(node: &Node) -> bool {
    node.says("Range checked for each record")
}

/// Whether a table is read from one end to the other.
fn is_scan(node: &Node) -> bool {
    node.access_type.as_deref().is_some_and(|access| access.eq_ignore_ascii_case("ALL"))
}

/// A line that says which table rows are put into, and reads nothing.
fn is_target(node: &Node) -> bool {
    matches!(node.select_type.as_deref(), Some("INSERT" | "REPLACE"))
}

/// Extra values of a node, with what is known of each.
fn values(node: &Node) -> impl Iterator<Item = extra::Value<'_>> {
    // Operations are told by their own sentence; what was made of them into Extra is for rules.
    let is_told = node.operation.is_some() && node.access_type.is_none();
    node.extra.iter().filter(move |_| !is_told).map(|text| extra::read(text))
}

fn weight_of_access(node: &Node, row: &Row<'_>, work: Work) -> Weight {
    let known = node.access_type.as_deref().and_then(meanings::look_up);
    let Some(known) = known.filter(|_| !is_target(node)) else {
        return Weight::Neutral;
    };
    let size = size_of_access(node, work);
    if is_temporary(node) {
        // A temporary table lacks an index only where it is read again and again.
        let is_again = is_scan(node) && work.runs.is_some_and(|runs| runs > Amount::ONE);
        return if is_again { by_read(work.read) } else { Weight::Neutral };
    }
    if size.read().is_none() {
        return Weight::Neutral;
    }
    match known.access.weigh(size) {
        Weight::Finding => match row.stop {
            // Which rows fit is a guess, so it stays worth a look.
            Stop::Limit(Some(share)) => {
                by_read(work.read.map(|read| read.times(share))).max(Weight::Minor)
            }
            _ => Weight::Finding,
        },
        weight => weight,
    }
}

/// How much a step matters: the most of what its words weigh.
pub fn weight(row: &Row<'_>, steps: &Steps<'_>) -> Weight {
    let Some(node) = row.node() else { return Weight::Neutral };
    let work = steps.work(node);
    let of_words = node.extra.iter().filter_map(|text| {
        let value = extra::read(text);
        let size = size_of_extra(node, work, value.text);
        value.weigh(size).filter(|_| size.worked().is_some() || size.outer.is_some())
    });
    let others = [weight_of_access(node, row, work), weight_of_part(node, work)];
    of_words.chain(others).max().unwrap_or(Weight::Neutral)
}

/// What it is worth that a step belongs to a part of the statement that runs so often.
fn weight_of_part(node: &Node, work: Work) -> Weight {
    let known = node.select_type.as_deref().and_then(select_type::look_up);
    let (Some(known), Some(_)) = (known, work.runs) else { return Weight::Neutral };
    let size = Size { rows: None, outer: whole(work.runs), kept: whole(work.left) };
    match known.weigh(size) {
        // Many runs that read little are no finding; nor is a table that is filled once, for it may
        // get few groups of the many rows that are read.
        Weight::Finding
            if work.read.is_none_or(|read| read < Amount::whole(MANY_ROWS))
                || work.runs.is_some_and(|runs| runs <= Amount::ONE) =>
        {
            Weight::Minor
        }
        weight => weight,
    }
}

/// The words for a step in a row of the tree.
pub fn short(node: &Node) -> String {
    let known = node.access_type.as_deref().map(|access| (access, meanings::look_up(access)));
    match (known, &node.operation) {
        _ if is_target(node) => {
            node.select_type.as_deref().unwrap_or_default().to_ascii_lowercase()
        }
        (Some((_, Some(found))), _) => {
            let words = access::look_up(found.access.name).map_or("", |words| words.short);
            let words = if is_temporary(node) {
                words.replace("table scan", "scan")
            } else {
                words.to_owned()
            };
            let filter = if found.has_rowid_filter || node.rowid_filter.is_some() {
                ", filtered"
            } else {
                ""
            };
            format!("{words}{filter}")
        }
        (Some((access, None)), _) => format!("{} (unknown to adagio)", one_line(access)),
        (None, Some(operation)) => one_line(operation),
        (None, None) if !node.extra.is_empty() => one_line(&node.extra.join("; ")),
        (None, None) => node.select_type.as_deref().unwrap_or("step").to_ascii_lowercase(),
    }
}

/// Table and index for a row of the tree.
pub fn place(node: &Node) -> String {
    let Some(table) = &node.table else { return String::new() };
    let mut text = one_line(table);
    if let Some(key) = &node.key {
        text.push_str(" by ");
        text.push_str(&one_line(key));
        let (used, all) = (node.used_key_parts.len(), node.key_parts.len());
        if used > 0 && all > 0 {
            text.push_str(&format!(" ({used} of {all})"));
        }
    }
    if let Some(key) = node.rowid_filter.as_ref().and_then(|filter| filter.key.as_deref()) {
        text.push_str(&format!(", filter {}", one_line(key)));
    }
    text
}

/// Tells the steps of a plan.
pub fn tell(plan: &Plan, steps: &Steps<'_>, depth: Depth) -> Vec<Piece> {
    let mut teller = Teller { plan, steps, depth, said: HashMap::new(), part: None };
    let rows: HashMap<usize, &Row<'_>> =
        steps.rows.iter().filter_map(|row| Some((steps.number(row.node()?)?, row))).collect();
    let in_order = (1..=steps.order.len()).filter_map(|number| rows.get(&number).copied());
    in_order.filter_map(|row| teller.step(row)).collect()
}

struct Teller<'a, 'p> {
    plan: &'p Plan,
    steps: &'a Steps<'p>,
    depth: Depth,
    /// What was explained already, and at which step.
    said: HashMap<String, usize>,
    /// The SELECT of the step before.
    part: Option<(Option<u64>, &'p str)>,
}

impl<'p> Teller<'_, 'p> {
    fn step(&mut self, row: &Row<'p>) -> Option<Piece> {
        let node = row.node()?;
        let number = self.steps.number(node)?;
        let work = self.steps.work(node);
        let weight = weight(row, self.steps);
        let mut notes = Vec::new();
        self.part(node, number, work, &mut notes);
        let text = match (&node.access_type, &node.operation) {
            (Some(_), _) => self.reading(row, node, work),
            (None, Some(operation)) => self.operation(row, node, operation, work),
            (None, None) => self.line(node),
        };
        self.guess(node, number, work, &mut notes);
        self.access(row, node, number, work, &mut notes);
        let is_told = |value: &extra::Value<'_>| {
            node.rowid_filter.is_some() && value.text == "Using rowid filter"
        };
        for value in values(node).filter(|value| !is_told(value)) {
            notes.push(self.extra(node, number, work, &value));
        }
        self.details(node, &mut notes);
        let tone = if weight == Weight::Finding { Tone::Warn } else { Tone::Plain };
        Some(Piece::Item { label: format!("{number}."), tone, text, notes })
    }

    /// Which SELECT a step belongs to, where that is not the whole statement.
    fn part(&mut self, node: &'p Node, number: usize, work: Work, notes: &mut Vec<Note>) {
        let Some(name) = node.select_type.as_deref() else { return };
        if self.part.replace((node.id, name)) == Some((node.id, name)) {
            return;
        }
        let Some(known) = select_type::look_up(name) else {
            notes.push(words(Tone::Plain, format!("{}: unknown to adagio.", one_line(name))));
            return;
        };
        let weight = weight_of_part(node, work);
        let is_usual =
            matches!(known.name, "SIMPLE" | "PRIMARY" | "UPDATE" | "DELETE" | "INSERT" | "REPLACE");
        let reads_much = work.read.is_some_and(|read| read >= Amount::whole(NOTABLE_ROWS));
        let is_changed = matches!(known.name, "UPDATE" | "DELETE");
        if is_usual && self.depth != Depth::Full && !(is_changed && reads_much) {
            return;
        }
        let id = node.id.map_or(String::new(), |id| format!(" {id}"));
        let label = format!("{}{id}", one_line(name));
        let matters = is_changed || weight >= Weight::Minor;
        notes.push(self.explained(
            &label,
            "",
            weight,
            (known.meaning, known.matters),
            matters,
            number,
        ));
    }

    /// A meaning, once at length and from then on by the step where it stands.
    fn explained(
        &mut self,
        label: &str,
        over: &str,
        weight: Weight,
        (meaning, matters): (&str, &str),
        with_matters: bool,
        number: usize,
    ) -> Note {
        let tone = match weight {
            Weight::Finding => Tone::Warn,
            Weight::Minor => Tone::Plain,
            _ => Tone::Dim,
        };
        let mark = if weight == Weight::Finding { "! " } else { "" };
        let with_matters = with_matters || self.depth == Depth::Full;
        let is_whole = weight == Weight::Finding || self.depth == Depth::Full;
        let key = format!("{with_matters}{is_whole}{meaning}");
        match self.said.get(&key) {
            Some(step) if *step != number => {
                words(tone, format!("{mark}{label}{over}: see step {step}."))
            }
            _ => {
                self.said.insert(key, number);
                let matters = match (with_matters, is_whole) {
                    (false, _) => String::new(),
                    (true, false) => format!(" {}", told(matters, weight)),
                    (true, true) => format!(" {}", sentence(matters)),
                };
                words(tone, format!("{mark}{label}{over}: {meaning}{matters}"))
            }
        }
    }

    /// How a table is read, how often, and what is left.
    fn reading(&self, row: &Row<'_>, node: &Node, work: Work) -> String {
        let kind = if is_temporary(node) { "the temporary table " } else { "" };
        let table = node.table.as_deref().map_or("no table".to_owned(), one_line);
        let table = format!("{kind}{table}");
        if is_target(node) {
            return format!("Puts rows into {table}.");
        }
        let name = node.access_type.as_deref().unwrap_or_default();
        let Some(found) = meanings::look_up(name) else {
            return format!(
                "Reads {table} by access type {}, which is unknown to adagio{}.",
                one_line(name),
                about(node.rows),
            );
        };
        if node.operation.as_deref().is_some_and(|step| step.starts_with("Multi-range")) {
            let key = node.key.as_deref().map_or("an index".to_owned(), one_line);
            let often = self.runs(node, work);
            let rows = about(node.rows);
            let measured = measured(node, row);
            return format!(
                "Looks up many values of the index {key} of {table} in one go{rows}.{often}{measured}"
            );
        }
        if is_checked(node) {
            return self.checked(&table, row, node, work);
        }
        let said = access::look_up(found.access.name);
        let doing = said.map_or("Reads {table}", |words| words.doing);
        let mut text = operation::fill(doing, &[("table", &table)]);
        if let Some(key) = &node.key {
            let by = said.map_or("by", |words| words.by);
            let key = one_line(key);
            text.push_str(&match by {
                // Columns by which a table of INFORMATION_SCHEMA is looked up.
                "" => format!(" ({key})"),
                by => format!(" {by} {key}"),
            });
        }
        text = text.trim_end_matches([',', ':']).to_owned();
        text.push_str(&about(node.rows.filter(|_| !is_single(node))));
        text.push_str(match row.stop {
            _ if is_single(node) => "",
            Stop::Never => "",
            Stop::Limit(_) => ", unless the LIMIT is reached before",
            Stop::Match => ", up to the first one that fits",
        });
        text.push('.');
        text.push_str(&self.runs(node, work));
        let is_one = matches!(found.access.name, "system" | "const");
        let filtered = node.filtered.filter(|filtered| !is_one && *filtered < Amount::whole(100));
        if let Some(filtered) = filtered {
            let left = node.rows.filter(|_| work.read.is_some()).map(|_| {
                let read = work.read.unwrap_or_default();
                format!(", {} of {}", count(read.percent(filtered)), count(read))
            });
            let left = left.unwrap_or_default();
            text.push_str(&format!(" Conditions keep an estimated {}{left}.", percent(filtered)));
        }
        text.push_str(&measured(node, row));
        text
    }

    /// A table whose index is chosen anew for each row: what is told are bounds.
    fn checked(&self, table: &str, row: &Row<'_>, node: &Node, work: Work) -> String {
        let most = node.rows.map_or(String::new(), |most| format!(", up to about {}", rows(most)));
        let all = match (work.runs, work.read) {
            (Some(runs), Some(read)) if runs > Amount::ONE => {
                format!(
                    " For {} of the steps before, that is up to {} in all.",
                    rows(runs),
                    rows(read)
                )
            }
            _ => String::new(),
        };
        let measured = measured(node, row);
        format!(
            "Tries for each row of the steps before which index has a narrow range of {table}, \
             and reads it from one end to the other if none has{most}.{all}{measured}"
        )
    }

    /// How often a step is run, where that is not once.
    fn runs(&self, node: &Node, work: Work) -> String {
        let Some(runs) = work.runs else { return String::new() };
        let is_buffered = node.says("Using join buffer") && work.before.is_some();
        let all = match work.read {
            Some(read) if !is_single(node) => format!(", {} in all", rows(read)),
            _ => String::new(),
        };
        match often(runs) {
            _ if is_buffered && node.says("Using join buffer (hash join)") => {
                " Read once, for all rows of the steps before.".to_owned()
            }
            _ if is_buffered && runs == Amount::ONE => {
                " Read once for each filling of the join buffer.".to_owned()
            }
            Some(often) if runs > Amount::ONE => format!("{often}{all}."),
            Some(often) => format!("{often}."),
            None => String::new(),
        }
    }

    /// An operation that reads no table itself.
    fn operation(&self, row: &Row<'_>, node: &Node, operation: &str, work: Work) -> String {
        let step = |node: Option<&Node>| {
            let number = node.and_then(|node| self.steps.number(node));
            number.map_or("another step".to_owned(), |number| format!("step {number}"))
        };
        let (first, second) = (step(node.children.first()), step(node.children.get(1)));
        let shown = self.cut(operation);
        let mut text = match operation::sentence(&shown, &first, &second) {
            Some(sentence) => sentence,
            None => format!("{shown}: unknown to adagio"),
        };
        if let Some(sorted) = work.sorted {
            text.push_str(&format!("; an estimated {} are sorted", rows(sorted)));
        } else if let Some(left) = node.rows {
            let each = if work.runs.is_some_and(|runs| runs > Amount::ONE) { " a run" } else { "" };
            text.push_str(&format!("; an estimated {} out{each}", rows(left)));
        }
        text.push('.');
        if let Some(often) = work.runs.and_then(often) {
            text.push_str(&format!("{often}."));
        }
        text.push_str(&measured(node, row));
        text
    }

    /// A line without an access type: Extra says why nothing is read.
    fn line(&self, node: &Node) -> String {
        match (&node.table, node.extra.is_empty()) {
            (Some(table), _) => {
                format!("{}: how it is read is not told{}.", one_line(table), about(node.rows))
            }
            (None, false) => "No table is named here; the server says why.".to_owned(),
            (None, true) => "Nothing is told of this step.".to_owned(),
        }
    }

    /// Whether `filtered` was measured at all.
    fn guess(&mut self, node: &Node, number: usize, work: Work, notes: &mut Vec<Note>) {
        let Some(filtered) = node.filtered else { return };
        let Ok(filtered) = u32::try_from(hundredths(filtered)) else { return };
        let is_scan = matches!(node.access_type.as_deref(), Some("ALL" | "index"));
        let case = guess::Case {
            filtered,
            table_rows: whole(node.rows).filter(|_| is_scan),
            family: self.plan.flavor,
            ..guess::Case::default()
        };
        let verdict = guess::judge(&case);
        let reads_much = work.read.is_some_and(|read| read >= Amount::whole(NOTABLE_ROWS));
        let is_worth = match verdict {
            Verdict::Everything => {
                reads_much && node.says("Using where") || self.depth == Depth::Full
            }
            Verdict::OtherServer | Verdict::NotKnown => false,
            _ => true,
        };
        if !is_worth {
            return;
        }
        let told = verdict.to_string();
        if let Some(step) = self.said.get(&told).filter(|step| **step != number) {
            notes.push(words(Tone::Dim, format!("filtered: see step {step}.")));
            return;
        }
        let doubt = match self.plan.flavor {
            Family::Unknown => "if the server is MySQL 5.7 or later: ",
            _ => "",
        };
        let label = match verdict {
            Verdict::Guess(_) | Verdict::OneRow(..) => "filtered is a guess",
            Verdict::CouldBe(..) => "filtered looks like a guess",
            _ => "filtered",
        };
        notes.push(words(Tone::Plain, format!("{label}: {doubt}{told}")));
        self.said.insert(told, number);
    }

    /// What the access type is worth here.
    fn access(
        &mut self,
        row: &Row<'_>,
        node: &Node,
        number: usize,
        work: Work,
        notes: &mut Vec<Note>,
    ) {
        let Some(name) = node.access_type.as_deref().filter(|_| !is_target(node)) else { return };
        let Some(found) = meanings::look_up(name) else { return };
        let known = found.access;
        let weight = weight_of_access(node, row, work);
        let is_full = self.depth == Depth::Full;
        if weight >= Weight::Minor && is_temporary(node) {
            let text = format!(
                "{}{}{}: The temporary table is read whole for each row of the steps before.",
                if weight == Weight::Finding { "! " } else { "" },
                known.name,
                over(work.read),
            );
            notes.push(words(Tone::Warn, text));
            return;
        }
        if weight >= Weight::Minor && !is_full && !is_checked(node) {
            // What it does is said already; here is what that means.
            let over = over(work.read);
            let key = format!("{}{}", weight == Weight::Finding, known.matters);
            let mark = if weight == Weight::Finding { "! " } else { "" };
            let tone = if weight == Weight::Finding { Tone::Warn } else { Tone::Plain };
            let text = match self.said.get(&key).filter(|step| **step != number) {
                Some(step) => format!("{mark}{}{over}: see step {step}.", known.name),
                None => format!("{mark}{}{over}: {}", known.name, told(known.matters, weight)),
            };
            self.said.entry(key).or_insert(number);
            notes.push(words(tone, text));
        } else if is_full {
            let label = known.name.to_owned();
            let told = (known.meaning, known.matters);
            notes.push(self.explained(&label, &over(work.read), weight, told, true, number));
        }
        notes.extend(
            node.rowid_filter.as_ref().map(|filter| words(Tone::Plain, filtered_by(filter))),
        );
    }

    fn extra(&mut self, node: &Node, number: usize, work: Work, value: &extra::Value<'_>) -> Note {
        let text = self.cut(value.text);
        let Some(entry) = value.entry else {
            return words(Tone::Plain, format!("{text}: unknown to adagio."));
        };
        let size = size_of_extra(node, work, value.text);
        let mut weight = entry.weigh(size);
        if is_checked(node) && value.text.starts_with("Range checked") {
            weight = weight.max(by_read(work.read));
        }
        let depends = entry.weigh(Size::default()) == Weight::Minor && weight == Weight::Neutral;
        if depends && self.depth != Depth::Full {
            let rows = size.kept.or(size.read()).map(Amount::whole);
            return words(
                Tone::Dim,
                format!("{text}{}: nothing to care about, with so few.", over(rows)),
            );
        }
        let nothing = Size { rows: Some(0), outer: Some(0), kept: Some(0) };
        let is_constant = entry.weigh(nothing) == entry.weigh(Size::default());
        let both = node.says("Using filesort") && node.says("Using temporary");
        let worked = match (size.kept, entry.weigh(Size::default())) {
            // Groups are sorted, of which nobody knows how many there are.
            (Some(kept), _) if both && value.text.starts_with("Using filesort") => {
                format!(" over up to {}", rows(Amount::whole(kept)))
            }
            (Some(kept), _) => over(Some(Amount::whole(kept))),
            (None, Weight::Minor) if weight >= Weight::Minor && !is_constant => self.pairs(size),
            _ => String::new(),
        };
        let label = match &value.parameter {
            Parameter::Indexes(indexes) if !indexes.is_empty() => {
                format!("{text}{}", indexes_of(indexes))
            }
            _ => text,
        };
        let told = (entry.meaning, entry.matters);
        self.explained(&label, &worked, weight, told, weight >= Weight::Minor, number)
    }

    fn pairs(&self, size: Size) -> String {
        match (size.rows, size.outer) {
            (Some(rows), Some(outer)) if outer > 1 => {
                format!(", {} x {} rows", count(Amount::whole(outer)), count(Amount::whole(rows)))
            }
            (Some(rows), _) => over(Some(Amount::whole(rows))),
            _ => String::new(),
        }
    }

    /// Columns of the index, conditions, partitions and what else is told.
    fn details(&self, node: &Node, notes: &mut Vec<Note>) {
        let mut dim = |text: String| notes.push(words(Tone::Dim, text));
        if let Some(text) = index_use(node, self.depth) {
            dim(text);
        }
        let is_unused = node.key.is_none() && node.access_type.is_some() && !is_checked(node);
        if let (true, Some(possible)) = (is_unused, &node.possible_keys) {
            dim(format!("possible_keys: {}; none is used.", one_line(possible)));
        } else if let (Some(possible), Depth::Full) = (&node.possible_keys, self.depth) {
            dim(format!("possible_keys: {}.", one_line(possible)));
        }
        if let Some(partitions) = &node.partitions {
            dim(format!("partitions: {}.", self.cut(partitions)));
        }
        let is_told = node.operation.as_deref().is_some_and(|step| step.starts_with("Filter: "));
        if let Some(condition) = node.condition.as_deref().filter(|_| !is_told) {
            dim(format!("condition: {}", self.cut(condition)));
        }
        if let (Some(cost), Depth::Full) = (node.cost, self.depth) {
            dim(format!("cost: {cost} in the server's units."));
        }
    }

    /// A text of the input, as much of it as is asked for.
    fn cut(&self, text: &str) -> String {
        let text = one_line(text);
        if self.depth == Depth::Full { text } else { cut(&text, SHORT) }
    }
}

/// How the catalogues begin to say when a word matters, and a whole sentence for it.
const BEGINNINGS: &[(&str, &str)] = &[
    ("When ", "It matters when "),
    ("Never", "It never matters"),
    ("Not ", "It does not matter "),
    ("Nothing for ", "It does not matter for "),
];

/// When a word matters, as a sentence.
fn sentence(matters: &str) -> String {
    let known = BEGINNINGS.iter().find_map(|(begin, whole)| {
        matters.strip_prefix(begin).map(|rest| format!("{whole}{rest}"))
    });
    known.unwrap_or_else(|| matters.to_owned())
}

/// When a word matters: all of it where it does, its first sentence where it may.
fn told(matters: &str, weight: Weight) -> String {
    let whole = sentence(matters);
    if weight >= Weight::Finding {
        return whole;
    }
    // `Best kind of join.` alone says nothing.
    const LEAST: usize = 25;
    let ends = whole.match_indices(". ").map(|(at, _)| at);
    match ends.into_iter().find(|at| *at >= LEAST).and_then(|at| whole.get(..=at)) {
        Some(first) => first.to_owned(),
        None => whole,
    }
}

fn words(tone: Tone, text: String) -> Note {
    Note::Words(tone, text)
}

/// How often a step is run by the estimate, where that is not once; without a full stop.
fn often(runs: Amount) -> Option<String> {
    match runs.rounded() {
        _ if runs == Amount::ZERO => Some(
            " By the estimate it is never run, for no row comes from the steps before".to_owned(),
        ),
        Amount::ZERO => Some(" By the estimate it is seldom run at all".to_owned()),
        Amount::ONE => None,
        _ => Some(format!(" Run an estimated {} times", count(runs))),
    }
}

/// `: about 80,000 rows`.
fn about(amount: Option<Amount>) -> String {
    amount.map_or(String::new(), |amount| format!(": about {}", rows(amount)))
}

/// What it weighs to read so many rows.
fn by_read(read: Option<Amount>) -> Weight {
    match read {
        Some(read) if read >= Amount::whole(MANY_ROWS) => Weight::Finding,
        Some(read) if read >= Amount::whole(NOTABLE_ROWS) => Weight::Minor,
        _ => Weight::Neutral,
    }
}

/// ` over 80,000 rows`.
fn over(amount: Option<Amount>) -> String {
    amount.map_or(String::new(), |amount| format!(" over {}", rows(amount)))
}

/// Whether an access finds one row at most.
fn is_single(node: &Node) -> bool {
    let access = node.access_type.as_deref().unwrap_or_default();
    ["system", "const", "eq_ref", "unique_subquery"].contains(&access)
}

/// What was measured of a step, and how far the estimate was off.
fn measured(node: &Node, row: &Row<'_>) -> String {
    let Some(actual) = node.actual else { return String::new() };
    if actual.loops == Some(Amount::ZERO) {
        return " Measured: never run.".to_owned();
    }
    let mut parts = Vec::new();
    match (actual.rows(), actual.rows_per_loop, actual.loops) {
        (Some(all), _, Some(Amount::ONE)) => parts.push(rows(all)),
        (Some(all), _, Some(loops)) => {
            parts.push(format!("{} in {} runs", rows(all), count(loops)));
        }
        (_, Some(each), _) => parts.push(format!("{} a run", rows(each))),
        _ => {}
    }
    let all = Some(Amount::whole(100));
    let is_told = node.filtered.is_some() && (node.filtered != all || actual.filtered != all);
    if let Some(filtered) = actual.filtered.filter(|_| is_told) {
        parts.push(format!("conditions kept {}", percent(filtered)));
    }
    if let Some(ms) = actual.ms {
        let with =
            if node.children.is_empty() { "" } else { " with the steps it takes its rows from" };
        parts.push(format!("{}{with}", time(ms)));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!(" Measured: {}.{}", parts.join(", "), misestimate(node, row).unwrap_or_default())
}

/// How far the estimate of a run was off, where that is [`FAR_OFF`] times or more.
fn misestimate(node: &Node, row: &Row<'_>) -> Option<String> {
    let (expected, found) = (node.rows?, node.actual?.rows_per_loop?);
    let (more, less, word) =
        if found > expected { (found, expected, "few") } else { (expected, found, "many") };
    // What ends early has not read what it was expected to.
    let ends = row.stop != Stop::Never || is_checked(node) || node.says("LooseScan");
    if ends && word == "many" {
        return None;
    }
    // Less than one row a run is as good as one.
    let less = less.max(Amount::ONE);
    let is_far = more.ratio(less).is_some_and(|ratio| ratio >= Amount::whole(FAR_OFF));
    let ratio = ratio(more, less).filter(|_| is_far)?;
    Some(format!(" The estimate was {ratio} times too {word}: {} a run.", rows(expected)))
}

/// Which columns of the index are used, by what they are compared with.
fn index_use(node: &Node, depth: Depth) -> Option<String> {
    let access = node.access_type.as_deref()?;
    let base = access.split('|').next().unwrap_or_default();
    if base == "fulltext" {
        return None;
    }
    let is_lookup = ["const", "eq_ref", "ref", "ref_or_null", "unique_subquery", "index_subquery"]
        .contains(&base);
    let references: Vec<String> = node
        .reference
        .as_deref()
        .filter(|_| is_lookup)
        .map(|reference| reference.split(',').map(|part| compared(part.trim())).collect())
        .unwrap_or_default();
    let used = match (node.used_key_parts.len(), references.len()) {
        (0, 0) => None,
        (0, count) => Some(count),
        (count, _) => Some(count),
    };
    let mut parts = Vec::new();
    if let Some(used) = used.filter(|_| node.key.is_some()) {
        let all = match node.key_parts.len() {
            0 => String::new(),
            all => format!(" of {all}"),
        };
        let noun = if used == 1 && all.is_empty() { "column" } else { "columns" };
        let names = match node.used_key_parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", one_line(&node.used_key_parts.join(", "))),
        };
        parts.push(format!("{used}{all} {noun} of the index{names}"));
    }
    if !references.is_empty() {
        parts.push(format!("compared with {}", references.join(", ")));
    }
    if let Some(length) = node.key_len.as_deref().filter(|_| node.key.is_some()) {
        let length = one_line(length);
        match (used, depth) {
            (None, Depth::Full) => parts.push(format!(
                "key_len {length} bytes; how many columns these are, the definition of the table tells"
            )),
            (None, _) => {}
            _ => parts.push(format!("key_len {length}")),
        }
    }
    (!parts.is_empty()).then(|| format!("index: {}.", parts.join(", ")))
}

/// What a column of an index is compared with.
fn compared(reference: &str) -> String {
    match reference {
        "const" => "a constant".to_owned(),
        "func" => "a computed value".to_owned(),
        other => one_line(other),
    }
}

/// The index of a rowid filter, and what it lets pass.
fn filtered_by(filter: &RowidFilter) -> String {
    let key = filter.key.as_deref().map_or("a second index".to_owned(), one_line);
    let entries =
        filter.rows.map_or(String::new(), |entries| format!(", about {} entries", count(entries)));
    let share = filter.percent.map_or(String::new(), |share| {
        format!("; an estimated {} of the rows pass", percent(share))
    });
    format!("filter by {key}{entries}{share}. {}", meanings::ROWID_FILTER)
}

/// Indexes by their place in SHOW CREATE TABLE.
fn indexes_of(indexes: &[u16]) -> String {
    let places: Vec<String> = indexes.iter().map(|place| (place + 1).to_string()).collect();
    let noun = if places.len() == 1 { "index" } else { "indexes" };
    format!(", {noun} {} of SHOW CREATE TABLE", places.join(", "))
}
