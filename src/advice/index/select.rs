//! Which of the indexes that classes wish for are worth having, all together: a greedy choice with
//! look-back, after the AutoAdmin papers (VLDB 1997, ICDE 1999).
//!
//! Neither small pools are tried in full, nor are two wishes put together into one that neither
//! class has: the choice is greedy, and each taken one is tried against the others of its table.

mod greedy;
mod members;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::candidate::{Form, Look, Purpose, Reason, Wish};
use super::cost::Cost;
use super::query::Query;
use super::tables::{ColumnAt, Key, Tables};

/// A class as it is weighed.
#[derive(Debug)]
pub(super) struct Weighed {
    /// Its place in the workload.
    pub class: usize,
    /// The statement.
    pub query: Query,
    /// What a call costs now.
    pub present: Cost,
    /// What a row-read of one call counts in all: microseconds, or calls.
    pub unit: f64,
    /// Rows that the log says against rows of the model.
    pub scale: f64,
    /// What each table of it comes to.
    pub looks: Vec<Look>,
    /// Tables, each once.
    pub tables: Vec<usize>,
}

impl Weighed {
    /// Rows that a call reads now.
    pub fn rows_now(&self) -> f64 {
        self.scale * self.present.rows_read()
    }

    /// All that it costs now.
    pub fn weight(&self) -> f64 {
        self.unit * self.present.reads
    }
}

/// Indexes that are thought of together: one, or the arms of OR.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Tables and indexes.
    pub keys: Vec<(usize, Key)>,
    /// What each of them is for.
    pub purposes: Vec<Purpose>,
    /// Indexes that it makes needless: table and place in the definition.
    pub replaces: Vec<(usize, usize)>,
    /// It may only take the place of a shorter one.
    pub widens_only: bool,
    /// Classes, by place among those weighed, that wished for it.
    pub wishers: Vec<usize>,
    /// The forms of its indexes.
    forms: Vec<Form>,
}

/// Why a candidate was left out.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Left {
    /// Another one begins with it: by place among the candidates.
    Within(usize),
    /// It saves too little beside the others, in units of weight.
    SavesLittle,
    /// Writes pay more than reads gain.
    Writes,
    /// Its class reads too little for an index more, and none is there to be made longer.
    ReadsFew,
    /// The server would refuse it.
    Refused(String),
    /// There are four new ones on the table already.
    Enough,
}

/// What was chosen.
#[derive(Debug)]
pub(super) struct Chosen {
    /// All candidates.
    pub candidates: Vec<Candidate>,
    /// The indexes of those taken, in order of what they save.
    pub members: Vec<Member>,
    /// The others, and why.
    pub left: Vec<(usize, Left)>,
}

/// An index that is proposed.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The table.
    pub table: usize,
    /// The index.
    pub key: Key,
    /// What it is for.
    pub purpose: Purpose,
    /// What it was made of.
    pub form: Form,
    /// Indexes that go for it, by place in the definition.
    pub replaces: Vec<usize>,
    /// It is one of the arms of OR.
    pub is_bundled: bool,
    /// What it brings beside the others.
    pub gain: Gain,
}

/// What one index brings.
#[derive(Debug, Clone, Default)]
pub(super) struct Gain {
    /// Units of weight saved, writes taken off.
    pub saved: f64,
    /// Classes that gain, by place among those weighed, with what a call costs without it and with.
    pub classes: Vec<(usize, f64, f64)>,
    /// Rows that a call of each of these classes reads with all that is proposed.
    pub rows: Vec<f64>,
    /// Entries written a call, over all writing classes, in units of weight.
    pub written: f64,
}

/// New indexes of one table.
const MOST_NEW: usize = 4;
/// New indexes in all: nobody makes more in one step, and those that save most come first.
const MOST_IN_ALL: usize = 256;
/// Part of the whole weight from which on an index is worth it.
const LEAST: f64 = 0.005;
/// Part of what its classes cost that is enough, too, with so many row-reads a call.
const LEAST_OF_OWN: f64 = 0.3;
const LEAST_READS: f64 = 1_000.0;
/// An index that begins with another is taken in its place unless it is so many times as wide.
const TOO_WIDE: f64 = 3.0;
/// Candidates that are weighed for one table.
const MOST_OF_TABLE: usize = 24;

/// The least gain in all that a workload with times asks for: a second each hour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Floors {
    /// All weight.
    pub whole: f64,
    /// Units that must be saved whatever the whole.
    pub least: f64,
}

pub(super) struct Selector<'s, 'a> {
    tables: &'s Tables<'a>,
    classes: &'s [Weighed],
    floors: Floors,
    /// Names of indexes that hints name, in lower case.
    hinted: &'s BTreeSet<String>,
    /// Classes that read or write a table.
    by_table: HashMap<usize, Vec<usize>>,
    /// Tables that a class reads together with a table.
    near: HashMap<usize, BTreeSet<usize>>,
    /// What a class costs with the candidates taken that its tables have.
    costs: RefCell<HashMap<(usize, Vec<usize>), f64>>,
}

impl<'s, 'a> Selector<'s, 'a> {
    pub fn new(
        tables: &'s Tables<'a>,
        classes: &'s [Weighed],
        floors: Floors,
        hinted: &'s BTreeSet<String>,
    ) -> Selector<'s, 'a> {
        let mut by_table: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut near: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for (place, class) in classes.iter().enumerate() {
            let written = class.query.writes.iter().map(|it| it.table);
            let touched: BTreeSet<usize> = class.tables.iter().copied().chain(written).collect();
            for table in &touched {
                by_table.entry(*table).or_default().push(place);
                near.entry(*table).or_default().extend(&touched);
            }
        }
        let costs = RefCell::default();
        Selector { tables, classes, floors, hinted, by_table, near, costs }
    }

    /// Chooses.
    pub fn choose(&self) -> Chosen {
        let mut left = Vec::new();
        let candidates = self.candidates(&mut left);
        let taken = self.greedy(&candidates, &mut left);
        let members = self.members(&candidates, &taken);
        Chosen { candidates, members, left }
    }

    /// The wishes of all classes, equal ones once, each in the order that shares most.
    fn candidates(&self, left: &mut Vec<(usize, Left)>) -> Vec<Candidate> {
        let mut forms: BTreeMap<Sort, Wished> = BTreeMap::new();
        for (place, class) in self.classes.iter().enumerate() {
            for Wish { forms: own, widens_only } in class.looks.iter().flat_map(|it| &it.wishes) {
                let key: Sort = own.iter().map(|(table, form)| (*table, sort_key(form))).collect();
                let entry = forms.entry(key).or_insert_with(|| (own.clone(), true, Vec::new()));
                entry.1 &= widens_only;
                if !entry.2.contains(&place) {
                    entry.2.push(place);
                }
            }
        }
        let wished: Vec<_> = forms.into_values().collect();
        let mut by_table: HashMap<usize, Vec<(f64, &Form)>> = HashMap::new();
        for (own, _, wishers) in &wished {
            let weight: f64 = wishers.iter().map(|at| self.classes[*at].weight()).sum();
            for (table, form) in own {
                by_table.entry(*table).or_default().push((weight, form));
            }
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for (own, widens_only, wishers) in &wished {
            let keys: Vec<(usize, Key)> = own
                .iter()
                .map(|(table, form)| {
                    let others = by_table.get(table).map_or(&[][..], Vec::as_slice);
                    let equal = self.in_order(*table, form, others);
                    (*table, form.key(self.tables.get(*table), &equal))
                })
                .collect();
            let replaces =
                keys.iter().flat_map(|(table, key)| self.replaced(*table, key)).collect();
            candidates.push(Candidate {
                purposes: own.iter().map(|(_, form)| form.purpose).collect(),
                keys,
                replaces,
                widens_only: *widens_only,
                wishers: wishers.clone(),
                forms: own.iter().map(|(_, form)| form.clone()).collect(),
            });
        }
        self.absorb(&mut candidates, left);
        candidates
    }

    /// The equalities in the order that shares the longest prefix with the other forms and with
    /// the indexes that are there; then the one with more distinct values, the narrower, the first.
    fn in_order(&self, table: usize, form: &Form, others: &[(f64, &Form)]) -> Vec<ColumnAt> {
        let known = self.tables.get(table);
        let whole: f64 = others.iter().map(|(weight, _)| weight).sum::<f64>() + 1.0;
        // What is there is made longer before anything new is made.
        let present: Vec<Vec<ColumnAt>> = known
            .keys
            .iter()
            .filter(|key| !key.is_unique)
            .map(|key| key.parts[..key.written].iter().map_while(|part| part.column).collect())
            .filter(|columns: &Vec<ColumnAt>| columns.iter().all(|it| form.equal.contains(it)))
            .collect();
        let mut order: Vec<ColumnAt> = Vec::new();
        let mut rest = form.equal.clone();
        while !rest.is_empty() {
            let score = |column: ColumnAt| {
                let next: Vec<ColumnAt> = order.iter().copied().chain([column]).collect();
                let of_forms = others.iter().filter(|(_, other)| begins(other, &next));
                let shared: f64 = of_forms.map(|(weight, _)| weight).sum();
                let is_present = present.iter().any(|columns| columns.starts_with(&next));
                let alone = others.iter().filter(|(_, other)| other.equal == [column]);
                let alone: f64 = alone.map(|(weight, _)| weight).sum();
                let distinct = super::estimate::distinct(known, column).unwrap_or(0.0);
                let shared = shared + if is_present { whole } else { 0.0 };
                // What is appended anyway comes last, where it need not be written.
                let mut clustering = known.keys.iter().filter(|key| key.is_clustering);
                let is_appended = clustering
                    .any(|key| key.parts.first().is_some_and(|it| it.column == Some(column)));
                (shared, !is_appended, alone, distinct, -known.bytes(column))
            };
            let best = rest
                .iter()
                .copied()
                .max_by(|a, b| {
                    let (one, other) = (score(*a), score(*b));
                    one.0
                        .total_cmp(&other.0)
                        .then(one.1.cmp(&other.1))
                        .then(one.2.total_cmp(&other.2))
                        .then(one.3.total_cmp(&other.3))
                        .then(one.4.total_cmp(&other.4))
                        .then(b.cmp(a))
                })
                .unwrap_or_default();
            rest.retain(|column| *column != best);
            order.push(best);
        }
        order
    }

    /// Plain indexes that begin as this one does and are no longer: the new one serves for them.
    fn replaced(&self, table: usize, key: &Key) -> Vec<(usize, usize)> {
        let known = self.tables.get(table);
        let written = &key.parts[..key.written];
        let goes = |own: &&Key| {
            let parts = &own.parts[..own.written];
            // Its last part may be a shorter prefix of the same column.
            let is_same = parts.iter().zip(written).enumerate().all(|(at, (own, new))| {
                let is_last = at + 1 == parts.len();
                own.column == new.column
                    && own.column.is_some()
                    && (own.length == new.length
                        || is_last
                            && own
                                .length
                                .is_some_and(|own| new.length.is_none_or(|new| own <= new)))
            });
            let turned = parts
                .iter()
                .zip(written)
                .filter(|(own, new)| own.is_descending != new.is_descending);
            let turned = turned.count();
            let name = own.place.and_then(|place| known.table?.indexes.get(place));
            let is_hinted = name.is_some_and(|it| self.hinted.contains(&it.name.to_lowercase()));
            !own.is_unique
                && parts.len() <= written.len()
                && is_same
                && (turned == 0 || turned == parts.len())
                && !is_hinted
        };
        known.keys.iter().filter(goes).filter_map(|own| Some((table, own.place?))).collect()
    }

    /// Takes out what another candidate begins with.
    fn absorb(&self, candidates: &mut [Candidate], left: &mut Vec<(usize, Left)>) {
        let mut gone: Vec<Option<usize>> = vec![None; candidates.len()];
        let mut of_table: HashMap<usize, Vec<usize>> = HashMap::new();
        for (place, candidate) in candidates.iter().enumerate() {
            if let [(table, _)] = candidate.keys.as_slice() {
                of_table.entry(*table).or_default().push(place);
            }
        }
        for (table, places) in &of_table {
            let known = self.tables.get(*table);
            for one in places {
                // The longest takes it, of equals the first.
                let mut best: Option<usize> = None;
                for other in places.iter().filter(|other| *other != one) {
                    let (own, longer) = (&candidates[*one], &candidates[*other]);
                    let (key, by) = (&own.keys[0].1, &longer.keys[0].1);
                    let is_equal = key.written == by.written && other > one;
                    let begins = key.written <= by.written
                        && !is_equal
                        && by.parts[..key.written] == key.parts[..key.written];
                    let width = |key: &Key| -> f64 {
                        let parts = key.parts.iter().filter_map(|part| part.column);
                        parts.map(|column| known.bytes(column)).sum::<f64>().max(1.0)
                    };
                    // What one class wishes for in two ways competes.
                    let is_wished_by_more =
                        longer.wishers.iter().any(|it| !own.wishers.contains(it));
                    let may = is_wished_by_more
                        && longer.widens_only <= own.widens_only
                        && width(by) <= TOO_WIDE * width(key);
                    let is_longer =
                        best.is_none_or(|at| by.written > candidates[at].keys[0].1.written);
                    if begins && may && is_longer {
                        best = Some(*other);
                    }
                }
                gone[*one] = best;
            }
        }
        for place in 0..candidates.len() {
            // Whoever takes it may be taken itself.
            let mut top = gone[place];
            let mut steps = 0;
            while let Some(next) = top.and_then(|at| gone[at]) {
                top = Some(next);
                steps += 1;
                if steps > candidates.len() {
                    break;
                }
            }
            let Some(top) = top else { continue };
            left.push((place, Left::Within(top)));
            let wishers = candidates[place].wishers.clone();
            for wisher in wishers {
                if !candidates[top].wishers.contains(&wisher) {
                    candidates[top].wishers.push(wisher);
                }
            }
        }
    }
}

/// Forms that belong together, whether they only widen, and who wishes for them.
type Wished = (Vec<(usize, Form)>, bool, Vec<usize>);
type Sort = Vec<(usize, SortForm)>;
type SortForm = (Vec<ColumnAt>, Vec<(Option<ColumnAt>, bool)>, Vec<ColumnAt>);

/// Forms are equal if their equalities are, in whatever order.
fn sort_key(form: &Form) -> SortForm {
    let mut equal = form.equal.clone();
    equal.sort_unstable();
    let mut cover = form.cover.clone();
    cover.sort_unstable();
    let tail = form.tail.iter().map(|part| (part.column, part.is_descending)).collect();
    (equal, tail, cover)
}

/// Whether an index of a form can begin with these columns in this order.
fn begins(form: &Form, columns: &[ColumnAt]) -> bool {
    let count = form.equal.len();
    let (head, rest) = columns.split_at(count.min(columns.len()));
    let is_head = head.iter().all(|column| form.equal.contains(column));
    let tail = form.tail.iter().filter_map(|part| part.column);
    is_head
        && rest.iter().copied().eq(tail.take(rest.len()))
        && (rest.is_empty() || columns.len() > count)
}

/// Why a class gains nothing, where it does not.
pub(super) fn reason_of(class: &Weighed) -> Option<(usize, &Reason)> {
    let with = class.looks.iter().filter_map(|look| Some((look, look.reason.as_ref()?)));
    let most =
        with.max_by(|(a, _), (b, _)| a.reads.total_cmp(&b.reads).then(b.table.cmp(&a.table)));
    most.map(|(look, reason)| (look.table, reason))
}
