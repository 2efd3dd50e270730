//! Logs of tests.

use std::collections::BTreeMap;

use crate::advice::plan::Load;
use crate::advice::{Class, Finding, Workload};
use crate::event::{Attribute, Event, Kind, Span, Value};
use crate::metric::{self, METRICS, MetricId, Registry};
use crate::server::ServerFacts;
use crate::sql::fingerprint::{ClassId, fingerprint};
use crate::time::Timestamp;

use super::super::{Case, Measured, Times, Whole};
use super::Watch;

/// One event of a test.
#[derive(Debug, Clone)]
pub struct Entry {
    text: String,
    kind: Kind,
    at: Option<i64>,
    micros: u64,
    thread: Option<i64>,
    database: String,
    attributes: Vec<Attribute>,
}

/// An event of a thousandth of a second.
pub fn entry(text: &str) -> Entry {
    Entry {
        text: text.to_owned(),
        kind: Kind::Query,
        at: None,
        micros: 1_000,
        thread: None,
        database: "lib".to_owned(),
        attributes: Vec::new(),
    }
}

impl Entry {
    /// It ends so many microseconds behind the first one.
    pub fn at(self, micros: i64) -> Entry {
        Entry { at: Some(micros), ..self }
    }

    pub fn micros(self, micros: u64) -> Entry {
        Entry { micros, ..self }
    }

    pub fn thread(self, thread: i64) -> Entry {
        Entry { thread: Some(thread), ..self }
    }

    pub fn database(self, name: &str) -> Entry {
        Entry { database: name.to_owned(), ..self }
    }

    pub fn command(self) -> Entry {
        Entry { kind: Kind::Administrator, ..self }
    }

    fn attribute(mut self, metric: MetricId, value: Value) -> Entry {
        self.attributes.push(Attribute { metric, value });
        self
    }

    pub fn rows_affected(self, rows: i128) -> Entry {
        self.attribute(metric::known("Rows_affected"), Value::Number(rows))
    }

    pub fn errno(self, errno: i128) -> Entry {
        self.attribute(metric::known("Last_errno"), Value::Number(errno))
    }

    pub fn hit(self, is_hit: bool) -> Entry {
        self.attribute(metric::known("QC_hit"), Value::Flag(is_hit))
    }

    /// It runs inside of a stored routine.
    pub fn routine(self) -> Entry {
        self.attribute(MetricId(METRICS.len() as u16), Value::Text(Span::default()))
    }

    /// The event itself.
    pub fn with<T>(&self, look: impl FnOnce(&Event<'_>) -> T) -> T {
        let thread = self.thread.map(|thread| thread.to_string());
        let bits = self.attributes.iter().map(|it| 1_u128 << it.metric.0);
        look(&Event {
            buffer: self.text.as_bytes(),
            source: 0,
            offset: 0,
            length: 0,
            ts: self.at.map(Timestamp),
            start: None,
            database: Some(self.database.as_bytes()),
            database_inherited: false,
            user: None,
            host: None,
            ip: None,
            thread_id: thread.as_deref().map(str::as_bytes),
            kind: self.kind,
            statement: self.text.as_bytes(),
            outline: None,
            text: self.text.as_bytes(),
            query_time: Some(i128::from(self.micros)),
            present: bits.fold(0, |all, bit| all | bit),
            attributes: &self.attributes,
            plan: None,
            anomalies: 0,
        })
    }

    fn number(&self, name: &str) -> Option<u64> {
        let metric = metric::known(match name {
            "Rows_affected" => "Rows_affected",
            _ => "Last_errno",
        });
        self.with(|event| event.number(metric)).and_then(|it| u64::try_from(it).ok())
    }
}

/// Events in the order of the log.
#[derive(Debug, Default)]
pub struct Log(Vec<Entry>);

impl Log {
    pub fn add(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    /// All of them seen.
    pub fn watch(&self) -> Watch {
        let mut watch = Watch::default();
        let mut registry = Registry::new();
        registry.id(b"Stored_routine");
        let mut numbers = BTreeMap::new();
        for entry in &self.0 {
            let id = entry.id();
            let next = numbers.len() as u32;
            let class = *numbers.entry(id).or_insert(next);
            entry.with(|event| watch.see(event, &registry, Some((class, id))));
        }
        watch
    }

    /// What a rule says of them.
    pub fn advise(&self, look: fn(&Case<'_>) -> Vec<Finding>) -> Vec<Finding> {
        self.advise_with(look, &ServerFacts::default())
    }

    pub fn advise_with(
        &self,
        look: fn(&Case<'_>) -> Vec<Finding>,
        facts: &ServerFacts,
    ) -> Vec<Finding> {
        let mut by_class: BTreeMap<ClassId, Vec<&Entry>> = BTreeMap::new();
        self.0.iter().for_each(|entry| by_class.entry(entry.id()).or_default().push(entry));
        let classes = by_class.iter().map(|(id, entries)| class(*id, entries)).collect();
        let all: Vec<&Entry> = self.0.iter().collect();
        let whole = Whole {
            measured: measured(&all),
            classes: by_class.len() as u64,
            active_seconds: 0,
            busy_micros: None,
            sampled: None,
            is_fine: true,
        };
        let workload = Workload { classes, is_timed: true, ..Workload::default() };
        let seen = self.watch().finish();
        let case =
            Case { workload: &workload, whole: &whole, seen: Some(&seen), facts, schema: None };
        look(&case)
    }
}

impl Entry {
    /// The ID of its class.
    pub fn id(&self) -> ClassId {
        ClassId::of(&fingerprint(self.text.as_bytes()))
    }
}

fn class(id: ClassId, entries: &[&Entry]) -> Class<'static> {
    let measured = measured(entries);
    let rows = entries.iter().map(|it| it.number("Rows_affected"));
    Class {
        id,
        samples: entries.first().map(|it| it.text.clone()).into_iter().collect(),
        database: None,
        calls: entries.len() as u64,
        weight: None,
        micros: measured.time.as_ref().map(|it| it.sum),
        lock_micros: None,
        load: Load::default(),
        rows_affected: rows.sum(),
        plans: Vec::new(),
        measured: Some(measured),
    }
}

fn measured(entries: &[&Entry]) -> Measured {
    let times = || entries.iter().map(|it| it.micros);
    let ends = || entries.iter().filter_map(|it| it.at);
    let failed = entries.iter().filter(|it| it.number("Last_errno").is_some_and(|it| it > 0));
    let failed = failed.count() as u64;
    Measured {
        events: entries.len() as u64,
        range: ends().min().zip(ends().max()).map(|it| (Timestamp(it.0), Timestamp(it.1))),
        time: Some(Times {
            count: entries.len() as u64,
            sum: times().sum(),
            least: times().min().unwrap_or(0),
            most: times().max().unwrap_or(0),
            buckets: Vec::new(),
        }),
        errors: Some((failed, entries.len() as u64 - failed)),
        ..Measured::default()
    }
}
