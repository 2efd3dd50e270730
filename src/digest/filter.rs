//! Which events count: a window of time and a condition.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::event::{Event, Value as EventValue};
use crate::metric::{Kind, MetricId, Registry, column};
use crate::sql::condition::{Condition, Value};
use crate::time::Timestamp;

/// What an event must fulfil.
#[derive(Debug, Default)]
pub struct Filter {
    /// Kept from this instant on.
    pub since: Option<Timestamp>,
    /// Kept before this instant.
    pub until: Option<Timestamp>,
    /// Kept if this is true.
    pub condition: Option<Condition>,
}

/// Where a name of a condition is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Ts,
    Start,
    Database,
    User,
    Host,
    Ip,
    Thread,
    Statement,
    Fingerprint,
    Item,
    Offset,
    Attribute(Option<MetricId>),
}

/// The names of a condition, looked up among the attributes met so far.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<Field>,
    known: usize,
}

/// Texts that are only made if a condition asks for them.
pub struct Derived<'a> {
    /// Makes the fingerprint.
    pub fingerprint: &'a dyn Fn() -> Vec<u8>,
    /// Makes the distilled item.
    pub item: &'a dyn Fn() -> Vec<u8>,
}

impl Filter {
    /// Whether an event counts. An event without a known time is in no window.
    pub fn keeps(
        &self,
        event: &Event<'_>,
        registry: &Registry,
        fields: &mut Fields,
        derived: &Derived<'_>,
    ) -> bool {
        if self.since.is_some() || self.until.is_some() {
            let Some(ts) = event.ts else { return false };
            if self.since.is_some_and(|since| ts < since)
                || self.until.is_some_and(|until| ts >= until)
            {
                return false;
            }
        }
        let Some(condition) = &self.condition else { return true };
        fields.look_up(condition, registry);
        let fingerprint = OnceCell::new();
        let item = OnceCell::new();
        condition.holds(&|place| match fields.fields[place] {
            Field::Ts => time(event.ts),
            Field::Start => time(event.start),
            Field::Database => text(event.database.filter(|name| !name.is_empty())),
            Field::User => text(event.user),
            Field::Host => text(event.host),
            Field::Ip => text(event.ip),
            Field::Thread => text(event.thread_id),
            Field::Statement => text(Some(event.statement)),
            Field::Fingerprint => {
                text(Some(fingerprint.get_or_init(|| (derived.fingerprint)()).as_slice()))
            }
            Field::Item => text(Some(item.get_or_init(|| (derived.item)()).as_slice())),
            Field::Offset => Value::Number(i128::from(event.offset) * 1_000_000),
            Field::Attribute(metric) => {
                metric.map_or(Value::Null, |metric| attribute(event, metric))
            }
        })
    }
}

impl Fields {
    fn look_up(&mut self, condition: &Condition, registry: &Registry) {
        if self.known == registry.len() && self.fields.len() == condition.columns().len() {
            return;
        }
        self.known = registry.len();
        self.fields = condition.columns().iter().map(|name| field(name, registry)).collect();
    }
}

fn field(name: &str, registry: &Registry) -> Field {
    match name {
        "ts" => Field::Ts,
        "start_ts" => Field::Start,
        "db" | "schema" => Field::Database,
        "user" => Field::User,
        "host" => Field::Host,
        "ip" => Field::Ip,
        "thread_id" => Field::Thread,
        "query" | "arg" => Field::Statement,
        "fingerprint" => Field::Fingerprint,
        "item" => Field::Item,
        "offset" | "pos_in_log" => Field::Offset,
        _ => Field::Attribute(registry.find(name.as_bytes()).or_else(|| {
            let ids = (0..registry.len() as u16).map(MetricId);
            ids.into_iter().find(|id| column(registry.name(*id)) == name)
        })),
    }
}

fn time(ts: Option<Timestamp>) -> Value<'static> {
    ts.map_or(Value::Null, |ts| Value::Time(ts.0))
}

fn text(text: Option<&[u8]>) -> Value<'_> {
    text.map_or(Value::Null, |text| Value::Text(Cow::Borrowed(text)))
}

fn attribute<'a>(event: &Event<'a>, metric: MetricId) -> Value<'a> {
    // `Errno` and `Last_errno` are one column.
    let same = |other: MetricId| other == metric || (errno(metric) && errno(other));
    let found = event.attributes.iter().find(|attribute| same(attribute.metric));
    match found.map(|attribute| attribute.value) {
        None => Value::Null,
        Some(EventValue::Flag(flag)) => Value::Bool(flag),
        Some(EventValue::Text(span)) => Value::Text(Cow::Borrowed(span.of(event.buffer))),
        Some(EventValue::Number(number)) => {
            let kind = Registry::kind(metric).unwrap_or(Kind::Number);
            let millionths =
                if kind.scale() == 1 { number.saturating_mul(1_000_000) } else { number };
            Value::Number(millionths)
        }
    }
}

fn errno(metric: MetricId) -> bool {
    use crate::metric::METRICS;
    METRICS.get(usize::from(metric.0)).is_some_and(|row| matches!(row.name, "Errno" | "Last_errno"))
}
