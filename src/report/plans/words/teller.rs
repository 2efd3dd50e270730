//! What is said of each step beside its sentence: what its values mean, and what is worth a look.

use std::collections::HashMap;

use super::super::figures::{count, hundredths, rows};
use super::super::page::{Note, Piece, Tone};
use super::super::steps::{Row, Steps};
use super::super::wrap::{cut, one_line};
use super::index_use::{filtered_by, index_use, indexes_of};
use super::matters::{sentence, told};
use super::sentence::over;
use super::weigh::{
    by_read, is_checked, is_target, is_temporary, size_of_extra, weight, weight_of_access,
    weight_of_part, whole,
};
use crate::advice::Finding;
use crate::flavor::Family;
use crate::plan::access as meanings;
use crate::plan::extra::{self, Parameter};
use crate::plan::guess::{self, Verdict};
use crate::plan::select_type;
use crate::plan::weight::{NOTABLE_ROWS, Size, Weight};
use crate::plan::{Amount, Node, Plan, Work};
use crate::report::plans::Depth;

/// Columns of a condition or an operation that are shown if not all is asked for.
const SHORT: usize = 160;

/// Rules that say why the way to a table is a bad one.
const OF_ACCESS: &[&str] = &[
    "PLAN001", "PLAN002", "PLAN003", "PLAN006", "PLAN010", "PLAN011", "PLAN016", "PLAN017",
    "SQL002", "SQL025",
];
/// Rules that say why a value of Extra matters.
const OF_EXTRA: &[&str] = &["PLAN003", "PLAN004", "PLAN005", "PLAN006", "PLAN012"];

/// Extra values of a node, with what is known of each.
fn values(node: &Node) -> impl Iterator<Item = extra::Value<'_>> {
    // Operations are told by their own sentence; what was made of them into Extra is for rules.
    let is_told = node.operation.is_some() && node.access_type.is_none();
    node.extra.iter().filter(move |_| !is_told).map(|text| extra::read(text))
}

/// Tells the steps of a plan.
pub fn tell(plan: &Plan, steps: &Steps<'_>, findings: &[Finding], depth: Depth) -> Vec<Piece> {
    let nodes = plan.all_nodes();
    let place_of = |finding: &Finding| {
        let number = steps.number(nodes.get(finding.subject.step?)?)?;
        Some((number, finding.rule))
    };
    let judged = findings.iter().filter_map(place_of).collect();
    let mut teller = Teller { plan, steps, depth, judged, said: HashMap::new(), part: None };
    let rows: HashMap<usize, &Row<'_>> =
        steps.rows.iter().filter_map(|row| Some((steps.number(row.node()?)?, row))).collect();
    let in_order = (1..=steps.order.len()).filter_map(|number| rows.get(&number).copied());
    in_order.filter_map(|row| teller.step(row)).collect()
}

/// Tells one step after the other.
pub(super) struct Teller<'a, 'p> {
    plan: &'p Plan,
    pub(super) steps: &'a Steps<'p>,
    depth: Depth,
    /// Steps that rules have something to say about, and which: that stands with the findings.
    judged: Vec<(usize, &'static str)>,
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

    /// Whether a finding tells already what is to be said of a step.
    fn is_judged(&self, number: usize, rules: &[&str]) -> bool {
        let tells = |(step, rule): &(usize, &str)| *step == number && rules.contains(rule);
        self.depth != Depth::Full && self.judged.iter().any(tells)
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
        // Of a table that is changed MySQL always prints 100; a range or a lookup may be all that
        // the condition asks for.
        let is_changed = matches!(node.select_type.as_deref(), Some("UPDATE" | "DELETE"));
        let is_doubtful = is_scan && reads_much && node.says("Using where");
        let is_worth = match verdict {
            Verdict::Everything => !is_changed && (is_doubtful || self.depth == Depth::Full),
            Verdict::OtherServer | Verdict::NotKnown => false,
            _ => true,
        };
        if !is_worth || self.is_judged(number, &["PLAN007"]) {
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
        let is_told = self.is_judged(number, OF_ACCESS);
        if weight >= Weight::Minor && !is_full && !is_told && !is_checked(node) {
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
        let is_told = self.is_judged(number, OF_EXTRA);
        self.explained(&label, &worked, weight, told, weight >= Weight::Minor && !is_told, number)
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
        let is_unused = is_unused && !self.plan.is_cut();
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
    pub(super) fn cut(&self, text: &str) -> String {
        let text = one_line(text);
        if self.depth == Depth::Full { text } else { cut(&text, SHORT) }
    }
}

fn words(tone: Tone, text: String) -> Note {
    Note::Words(tone, text)
}
