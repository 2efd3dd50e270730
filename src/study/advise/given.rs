//! The workload of plain statements: each counts once, or as the comment before it says.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::advice::plan::Load;
use crate::advice::{Class, Workload};
use crate::digest::stat::Rules;
use crate::digest::{Options, fingerprint_of, item_of};
use crate::logs::weights::{Weighed, weighed};
use crate::plan::{self, Amount, Plan};
use crate::problem::{Kind, Origin, Problem, Problems};
use crate::report::advice::Line;
use crate::sql::fingerprint::ClassId;
use crate::sql::token::{Kind as TokenKind, Tokens, tokens};

/// Statements of a class that are kept.
const SAMPLES: usize = 3;

/// Statements in classes.
#[derive(Debug, Default)]
pub struct Pile {
    classes: HashMap<ClassId, Heap>,
    /// The class of each statement that has one, in order.
    order: Vec<ClassId>,
    /// Statements that say seconds, that say a weight only, and that say neither.
    timed: u64,
    weighed: u64,
    plain: u64,
}

/// The statements of a class.
#[derive(Debug)]
struct Heap {
    samples: Vec<Sample>,
    calls: u64,
    micros: Option<u64>,
    weight: Option<Amount>,
}

#[derive(Debug, Clone)]
struct Sample {
    micros: Option<u64>,
    weight: Option<Amount>,
    text: String,
    database: Option<String>,
}

impl Sample {
    /// Those first that weigh most; then by text, so that the order of a file does not matter.
    fn is_before(&self, other: &Sample) -> bool {
        let rank = |it: &Sample| (Reverse(it.micros), Reverse(it.weight));
        (rank(self), &self.text, &self.database) < (rank(other), &other.text, &other.database)
    }
}

impl Pile {
    /// Adds the statements of a text. Gives how many there are, and what could not be read.
    pub fn add(&mut self, text: &[u8], source: u32, options: &Options) -> (u64, Problems) {
        let mut problems = Problems::default();
        let mut database = None;
        let mut count = 0;
        for weighed in weighed(text) {
            count += 1;
            if let Some(odd) = weighed.odd {
                let origin = Origin { source, offset: weighed.offset as u64 };
                problems.add(Problem {
                    origin,
                    kind: Kind::UnreadValue,
                    detail: "the weight before this statement is no number".to_owned(),
                    text: String::from_utf8_lossy(odd).chars().take(100).collect(),
                });
            }
            match own_kind(weighed.statement) {
                Own::Use(name) => database = Some(name),
                Own::Session => {}
                Own::Class => self.put(&weighed, database.clone(), options),
            }
        }
        (count, problems)
    }

    /// Adds a statement that stands with a plan.
    pub fn add_explained(&mut self, statement: &str, options: &Options) {
        let weighed = Weighed { statement: statement.as_bytes(), ..Weighed::default() };
        if matches!(own_kind(weighed.statement), Own::Class) {
            self.put(&weighed, None, options);
        }
    }

    fn put(&mut self, weighed: &Weighed<'_>, database: Option<String>, options: &Options) {
        let statement = plan::without_explain(weighed.statement);
        let id = ClassId::of(&fingerprint_of(statement, options));
        let weight = weighed.weight.and_then(Amount::parse);
        match (weighed.micros, weight, weighed.calls) {
            (Some(_), _, _) => self.timed += 1,
            (None, Some(_), _) | (None, None, Some(_)) => self.weighed += 1,
            (None, None, None) => self.plain += 1,
        }
        self.order.push(id);
        let calls = weighed.calls.unwrap_or(1);
        let text = String::from_utf8_lossy(statement).into_owned();
        let sample = Sample { micros: weighed.micros, weight, text, database };
        let heap = self.classes.entry(id).or_insert_with(|| Heap {
            samples: Vec::new(),
            calls: 0,
            micros: None,
            weight: None,
        });
        heap.calls = heap.calls.saturating_add(calls);
        if let Some(micros) = sample.micros {
            heap.micros = Some(heap.micros.unwrap_or(0).saturating_add(micros));
        }
        if let Some(weight) = sample.weight {
            heap.weight = Some(heap.weight.unwrap_or(Amount::ZERO).plus(weight));
        }
        heap.keep(sample);
    }

    /// Whether the statements say how long they take: all of those that say anything.
    pub fn is_timed(&self) -> bool {
        self.timed > 0 && self.weighed == 0
    }

    /// What is odd about the weights of a file: some say seconds and others do not.
    pub fn is_mixed(&self) -> Option<String> {
        let count = |count: u64| match count {
            1 => "1 statement has".to_owned(),
            count => format!("{count} statements have"),
        };
        match (self.timed, self.weighed, self.plain) {
            (0, _, _) | (_, 0, 0) => None,
            (_, 0, plain) => Some(format!(
                "{} no weight and {} nothing: others say total seconds",
                count(plain),
                if plain == 1 { "counts" } else { "count" }
            )),
            (timed, weighed, _) => Some(format!(
                "{} total seconds and {} none: seconds are not used, weights are",
                count(timed),
                weighed
            )),
        }
    }

    /// Statements that have a class.
    pub fn statements(&self) -> usize {
        self.order.len()
    }

    /// The class of a plan: by the ID or the statement that stands with it.
    pub fn class_of(&self, plan: &Plan, options: &Options) -> Result<ClassId, &'static str> {
        if let Some(id) = &plan.query_id {
            let named = self.classes.keys().find(|own| own.to_string().ends_with(id.as_str()));
            return named.copied().ok_or("no class has its query ID");
        }
        let Some(query) = &plan.query else { return Err(WITHOUT_STATEMENT) };
        let id = ClassId::of(&fingerprint_of(query.as_bytes(), options));
        match self.classes.contains_key(&id) {
            true => Ok(id),
            false => Err("no statement of the input is its statement"),
        }
    }

    /// The class of the statement at a place, counted from 0.
    pub fn class_at(&self, place: usize) -> Option<ClassId> {
        self.order.get(place).copied()
    }

    /// The classes, each with its plans.
    pub fn workload<'a>(&self, plans: &[(ClassId, &'a Plan)], is_review: bool) -> Workload<'a> {
        let is_timed = self.is_timed();
        let mut plans_of: HashMap<ClassId, Vec<&'a Plan>> = HashMap::new();
        for (id, plan) in plans {
            plans_of.entry(*id).or_default().push(plan);
        }
        let whole = self.whole();
        let class = |(id, heap): (&ClassId, &Heap)| {
            let load = Load {
                query_id: Some(*id),
                calls: (!is_review).then_some(heap.calls),
                share: whole.filter(|_| !is_review).and_then(|whole| self.share(heap, whole)),
                ..Load::default()
            };
            Class {
                id: *id,
                samples: heap.samples.iter().map(|sample| sample.text.clone()).collect(),
                database: heap.samples.first().and_then(|sample| sample.database.clone()),
                calls: heap.calls,
                weight: heap.weight,
                micros: heap.micros.filter(|_| is_timed),
                lock_micros: None,
                load,
                rows_affected: None,
                plans: plans_of.remove(id).unwrap_or_default(),
                measured: None,
            }
        };
        let mut classes: Vec<Class<'a>> = self.classes.iter().map(class).collect();
        classes.sort_by_key(|class| class.id);
        Workload { classes, is_timed, is_review, ..Workload::default() }
    }

    /// What all classes weigh, where any says a time or a weight.
    fn whole(&self) -> Option<Amount> {
        let says = if self.is_timed() { self.timed } else { self.weighed };
        let sum = |sum: Amount, heap| sum.plus(self.weight_of(heap));
        (says > 0).then(|| self.classes.values().fold(Amount::ZERO, sum))
    }

    fn weight_of(&self, heap: &Heap) -> Amount {
        match self.is_timed() {
            true => Amount::whole(heap.micros.unwrap_or(0)),
            false => heap.weight.unwrap_or(Amount::whole(heap.calls)),
        }
    }

    /// Percent that a class is of the whole.
    fn share(&self, heap: &Heap, whole: Amount) -> Option<Amount> {
        Some(self.weight_of(heap).ratio(whole)?.times(Amount::whole(100)))
    }

    /// What a reader is told of the classes. What has not run yet has no share.
    pub fn lines(&self, rules: Rules, is_review: bool) -> Vec<Line> {
        let whole =
            self.classes.values().fold(Amount::ZERO, |sum, heap| sum.plus(self.weight_of(heap)));
        let line = |(id, heap): (&ClassId, &Heap)| {
            let sample = heap.samples.first().map_or(&[][..], |sample| sample.text.as_bytes());
            Line {
                id: *id,
                item: String::from_utf8_lossy(&item_of(sample, rules)).into_owned(),
                calls: heap.calls,
                share: self.share(heap, whole).filter(|_| !is_review),
                micros: heap.micros.filter(|_| self.is_timed()),
            }
        };
        let mut lines: Vec<Line> = self.classes.iter().map(line).collect();
        lines.sort_by_key(|line| line.id);
        lines
    }
}

/// Why a plan belongs to no class.
pub const WITHOUT_STATEMENT: &str = "no statement or query ID stands with it";

impl Heap {
    /// Keeps a statement if it is among the first ones.
    fn keep(&mut self, sample: Sample) {
        if self.samples.iter().any(|kept| kept.text == sample.text && !sample.is_before(kept)) {
            return;
        }
        self.samples.retain(|kept| kept.text != sample.text);
        let place = self.samples.partition_point(|kept| kept.is_before(&sample));
        self.samples.insert(place, sample);
        self.samples.truncate(SAMPLES);
    }
}

/// What a statement is for the workload.
enum Own {
    /// One that has a class.
    Class,
    /// USE of a database.
    Use(String),
    /// One that changes the session only.
    Session,
}

fn own_kind(statement: &[u8]) -> Own {
    let mut tokens = tokens(statement);
    let Some(first) = tokens.next() else { return Own::Session };
    let word = first.of(statement);
    if word.eq_ignore_ascii_case(b"use") {
        return name(&mut tokens).map_or(Own::Class, Own::Use);
    }
    // MariaDB: SET STATEMENT max_statement_time = 1 FOR SELECT …
    let is_set = word.eq_ignore_ascii_case(b"set");
    let is_statement = || {
        tokens.clone().next().is_some_and(|it| it.of(statement).eq_ignore_ascii_case(b"statement"))
    };
    if is_set && !is_statement() { Own::Session } else { Own::Class }
}

/// The name of USE.
fn name(tokens: &mut Tokens<'_>) -> Option<String> {
    let token = tokens.next()?;
    let text = String::from_utf8_lossy(tokens.text(token)).into_owned();
    match token.kind {
        TokenKind::Quoted => Some(text.trim_matches('`').replace("``", "`")),
        TokenKind::Word | TokenKind::Name => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pile(text: &str) -> Pile {
        let mut pile = Pile::default();
        pile.add(text.as_bytes(), 0, &Options::default());
        pile
    }

    const FIRST: &str = "USE `depot`;\n-- calls: 2, total seconds: 3\nSELECT a FROM t WHERE b = 1;";
    const SECOND: &str =
        "USE yard;\n-- calls: 5, total seconds: 4.5\nselect a\nfrom t where b = 2;";

    #[test]
    fn statements_of_one_class_add_up_in_any_order() {
        for text in [format!("{FIRST}\n{SECOND}"), format!("{SECOND}\n{FIRST}")] {
            let pile = pile(&text);
            let workload = pile.workload(&[], false);
            let [class] = workload.classes.as_slice() else { panic!("{workload:?}") };
            assert_eq!((class.calls, class.micros), (7, Some(7_500_000)));
            assert!(workload.is_timed);
            // The statement that takes longest stands for the class, with its database.
            assert_eq!(
                class.samples,
                ["select a\nfrom t where b = 2", "SELECT a FROM t WHERE b = 1"]
            );
            assert_eq!(class.database.as_deref(), Some("yard"));
            assert_eq!(class.load.share, Some(Amount::whole(100)));
            assert_eq!(pile.statements(), 2);
        }
    }

    #[test]
    fn weights_are_no_times() {
        let pile = pile(
            "-- weight: 1.5\nSELECT a FROM t;\n-- weight: 2\nSELECT a FROM t;\nSELECT b FROM u",
        );
        let workload = pile.workload(&[], false);
        assert!(!workload.is_timed);
        let mut told: Vec<(u64, Option<Amount>, Option<u64>)> =
            workload.classes.iter().map(|it| (it.calls, it.weight, it.micros)).collect();
        told.sort();
        assert_eq!(told, [(1, None, None), (2, Amount::parse("3.5"), None)]);
        assert_eq!(pile.is_mixed(), None);
    }

    #[test]
    fn no_more_statements_of_a_class_are_kept_than_are_looked_at() {
        let text: String = (0..50).map(|n| format!("SELECT a FROM t WHERE b = {n};\n")).collect();
        let workload = pile(&text).workload(&[], true);
        assert_eq!((workload.classes[0].samples.len(), workload.classes[0].calls), (SAMPLES, 50));
        // Under review nothing has a share.
        assert_eq!(workload.classes[0].load.share, None);
    }

    #[test]
    fn what_only_changes_the_session_has_no_class() {
        let pile = pile(
            "SET NAMES utf8; USE depot; SET STATEMENT max_statement_time = 1 FOR SELECT 1; EXPLAIN SELECT 2",
        );
        let mut samples: Vec<String> = Vec::new();
        for class in pile.workload(&[], false).classes {
            samples.extend(class.samples);
        }
        samples.sort();
        assert_eq!(samples, ["SELECT 2", "SET STATEMENT max_statement_time = 1 FOR SELECT 1"]);
    }
}
