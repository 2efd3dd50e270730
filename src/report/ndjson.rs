//! The tables `events` and `classes` as JSON lines: one object a line, streamed.

use std::io::{self, Write};

use hashbrown::HashMap;
use serde_json::{Map, Value, json};

use crate::digest::stat::Rules;
use crate::digest::{Options, decimal, fingerprint_of, item_of};
use crate::event::{Event, Value as EventValue};
use crate::metric::{self, Kind, MetricId, Registry, column};
use crate::report::{Report, cell};
use crate::sql::fingerprint::ClassId;
use crate::sql::outline::{Mode, outline};
use crate::time::Timestamp;

/// Bytes of texts that are remembered for the next statement of the same outline.
const REMEMBERED: usize = 16 * 1024 * 1024;

/// Writes events as they are read.
#[derive(Debug)]
pub struct Events<'o> {
    options: &'o Options,
    names: Vec<String>,
    redact: bool,
    known: HashMap<Vec<u8>, Texts, foldhash::fast::FixedState>,
    known_bytes: usize,
    outline: Vec<u8>,
}

/// What is made of a statement.
#[derive(Debug, Clone)]
struct Texts {
    id: String,
    fingerprint: String,
    item: String,
}

/// Columns that every event has, known or null, in this order.
const COLUMNS: [&str; 23] = [
    "source",
    "offset",
    "ts",
    "start_ts",
    "db",
    "user",
    "host",
    "thread_id",
    "query_id",
    "fingerprint",
    "item",
    "query",
    "query_time",
    "lock_time",
    "rows_sent",
    "rows_examined",
    "rows_affected",
    "bytes_sent",
    "killed",
    "errno",
    "db_inherited",
    "ip",
    "server",
];

/// Columns that no attribute of a log fills.
const OURS: [&str; 14] = [
    "source",
    "offset",
    "ts",
    "start_ts",
    "db",
    "user",
    "host",
    "query_id",
    "fingerprint",
    "item",
    "query",
    "db_inherited",
    "ip",
    "server",
];

impl<'o> Events<'o> {
    /// Events of inputs with these names.
    pub fn new(options: &'o Options, names: Vec<String>, redact: bool) -> Events<'o> {
        Events {
            options,
            names,
            redact,
            known: HashMap::default(),
            known_bytes: 0,
            outline: Vec::new(),
        }
    }

    /// Writes an event as one line.
    pub fn write(
        &mut self,
        event: &Event<'_>,
        registry: &Registry,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let object = self.event(event, registry);
        serde_json::to_writer(&mut *out, &object)?;
        out.write_all(b"\n")
    }

    fn event(&mut self, event: &Event<'_>, registry: &Registry) -> Value {
        let texts = self.texts(event);
        let mut object = Map::new();
        for name in COLUMNS {
            object.insert(name.to_owned(), Value::Null);
        }
        let mut set = |name: &str, value: Value| {
            object.insert(name.to_owned(), value);
        };
        set("source", json!(self.names.get(event.source as usize)));
        set("offset", json!(event.offset));
        set("ts", time(event.ts));
        set("start_ts", time(event.start));
        set("db", text(event.database.filter(|name| !name.is_empty())));
        set("user", text(event.user.filter(|name| !name.is_empty())));
        set("host", text(event.host.filter(|name| !name.is_empty())));
        set("ip", text(event.ip.filter(|name| !name.is_empty())));
        set("thread_id", event.thread_id.map_or(Value::Null, number_or_text));
        set("query_id", json!(texts.id));
        set("fingerprint", json!(texts.fingerprint));
        set("item", json!(texts.item));
        let query =
            if self.redact { texts.fingerprint } else { cell::text(event.text.trim_ascii_end()) };
        set("query", json!(query));
        set("db_inherited", json!(event.database_inherited));
        for attribute in event.attributes {
            let name = registry.name(attribute.metric);
            let column = column(name);
            if column == "thread_id" {
                continue;
            }
            // A name that the log gives to something else does not take the place of ours.
            let column =
                if OURS.contains(&column.as_str()) { format!("log_{column}") } else { column };
            let value = match attribute.value {
                EventValue::Number(number) => number_of(attribute.metric, number),
                EventValue::Flag(flag) => json!(flag),
                EventValue::Text(span) => {
                    let bytes = span.of(event.buffer);
                    if bytes.is_empty() { Value::Null } else { json!(cell::text(bytes)) }
                }
            };
            object.insert(column, value);
        }
        Value::Object(object)
    }

    fn texts(&mut self, event: &Event<'_>) -> Texts {
        let mode = match self.options.rules {
            Rules::Default => Mode::Default,
            Rules::Peer => Mode::Peer,
        };
        // The peer's item depends on words in strings, so only the default has one an outline.
        let has_outline =
            mode == Mode::Default && outline(event.statement, mode, &mut self.outline);
        if has_outline && let Some(texts) = self.known.get(&self.outline) {
            return texts.clone();
        }
        let fingerprint = fingerprint_of(event.statement, self.options);
        let texts = Texts {
            id: ClassId::of(&fingerprint).to_string(),
            fingerprint: cell::text(&fingerprint),
            item: cell::text(&item_of(event.statement, self.options.rules)),
        };
        let bytes = self.outline.len() + texts.fingerprint.len() + texts.item.len();
        if has_outline && self.known_bytes + bytes < REMEMBERED {
            self.known_bytes += bytes;
            self.known.insert(self.outline.clone(), texts.clone());
        }
        texts
    }
}

/// Writes the classes, in the order of the report.
pub fn classes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for ranked in &report.profile.shown {
        let class = &report.digest.classes[ranked.class];
        let rules = report.rules;
        let names = |metric: MetricId| {
            let tally = report.digest.tally(class, metric);
            let values = tally.as_deref().map(|tally| tally.ranked().0).unwrap_or_default();
            Value::Array(values.iter().map(|(name, _)| json!(cell::text(name))).collect())
        };
        let tables: Vec<Value> = report
            .tables_of(ranked.class, rules)
            .into_iter()
            .map(|table| {
                let name = cell::text(&table.name);
                match table.database {
                    Some(database) => json!(format!("{}.{name}", cell::text(&database))),
                    None => json!(name),
                }
            })
            .collect();
        let mut object = Map::new();
        let mut set = |name: &str, value: Value| {
            object.insert(name.to_owned(), value);
        };
        set("query_id", json!(report.id_of(ranked.class).to_string()));
        set("fingerprint", json!(cell::text(&report.digest.keys[ranked.class])));
        set("item", json!(cell::text(&report.item_of(ranked.class, rules))));
        set("count", json!(class.count));
        for row in report.quantities(class, rules) {
            let name = column(row.name);
            let scale = row.kind.scale() as f64;
            for (part, value) in [
                ("sum", number_of(row.metric, row.stat.sum)),
                ("min", number_of(row.metric, row.stat.min)),
                ("max", number_of(row.metric, row.stat.max)),
                ("avg", json!(row.figures.avg / scale)),
                ("median", json!(row.figures.median / scale)),
                ("p95", json!(row.figures.pct_95 / scale)),
                ("p99", json!(row.figures.pct_99 / scale)),
                ("stddev", json!(row.figures.stddev / scale)),
            ] {
                set(&format!("{name}_{part}"), value);
            }
        }
        set("first_seen", time(class.first()));
        set("last_seen", time(class.last()));
        set("databases", names(metric::DATABASE));
        set("users", names(metric::USER));
        set("hosts", names(metric::HOST));
        set("tables", Value::Array(tables));
        serde_json::to_writer(&mut *out, &Value::Object(object))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn time(ts: Option<Timestamp>) -> Value {
    ts.map_or(Value::Null, |ts| Value::String(ts.to_string()))
}

fn text(text: Option<&[u8]>) -> Value {
    text.map_or(Value::Null, |text| Value::String(cell::text(text)))
}

fn number_or_text(bytes: &[u8]) -> Value {
    let text = cell::text(bytes);
    text.parse::<u64>().map_or(Value::String(text), |number| json!(number))
}

fn number_of(metric: MetricId, number: i128) -> Value {
    let kind = Registry::kind(metric).filter(|kind| *kind != Kind::Identifier);
    let text = decimal(number, kind.unwrap_or(Kind::Number));
    text.parse::<serde_json::Number>().map_or(Value::Null, Value::Number)
}
