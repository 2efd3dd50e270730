//! Which events count: a window of time and a condition.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::event::{Attribute, Event, Value as EventValue};
use crate::metric::{Kind, Named, Registry};
use crate::sql::condition::{Condition, Value};
use crate::sql::fingerprint::ClassId;
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
    /// Names of the inputs, for a condition that asks for them.
    pub sources: Vec<String>,
}

/// Where a name of a condition is looked up.
#[derive(Debug, Clone)]
enum Field {
    Source,
    Offset,
    Ts,
    Start,
    Database,
    Inherited,
    User,
    Host,
    Ip,
    Thread,
    Statement,
    Fingerprint,
    Id,
    Item,
    /// Known as a column, and never told by a slow log.
    Server,
    Attribute(Named),
}

/// The names of a condition, and where the event at hand has them.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<Field>,
    /// For each field that is an attribute, its place in the event.
    places: Vec<Option<usize>>,
}

/// Texts that are only made if a condition asks for them.
pub struct Derived<'a> {
    /// Makes the fingerprint.
    pub fingerprint: &'a dyn Fn() -> Vec<u8>,
    /// Makes the distilled item.
    pub item: &'a dyn Fn() -> Vec<u8>,
}

impl Filter {
    /// Whether it asks for nothing.
    pub fn keeps_all(&self) -> bool {
        self.since.is_none() && self.until.is_none() && self.condition.is_none()
    }

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
        fields.look_up(condition, event, registry);
        let fingerprint = OnceCell::new();
        let fingerprint = || fingerprint.get_or_init(|| (derived.fingerprint)()).as_slice();
        let item = OnceCell::new();
        let id = OnceCell::new();
        let id = || id.get_or_init(|| ClassId::of(fingerprint()).to_string()).as_bytes();
        let source = self.sources.get(event.source as usize);
        condition.holds(&|place| match &fields.fields[place] {
            Field::Source => text(source.map(String::as_bytes)),
            Field::Offset => Value::Number(i128::from(event.offset) * 1_000_000),
            Field::Ts => time(event.ts),
            Field::Start => time(event.start),
            Field::Database => text(event.database.filter(|name| !name.is_empty())),
            Field::Inherited => Value::Bool(event.database_inherited),
            Field::User => text(event.user),
            Field::Host => text(event.host),
            Field::Ip => text(event.ip),
            Field::Thread => text(event.thread_id),
            Field::Statement => text(Some(event.statement)),
            Field::Fingerprint => text(Some(fingerprint())),
            Field::Id => text(Some(id())),
            Field::Item => text(Some(item.get_or_init(|| (derived.item)()).as_slice())),
            Field::Server => Value::Null,
            Field::Attribute(_) => match fields.places[place].map(|at| event.attributes[at]) {
                Some(attribute) => value_of(event, attribute),
                None => Value::Null,
            },
        })
    }

    /// A name of the condition that neither is a column nor known as an attribute.
    pub fn unknown_name(&self, registry: &Registry) -> Option<&str> {
        let columns = self.condition.as_ref()?.columns();
        let is_unknown =
            |name: &&String| matches!(field(name), Field::Attribute(_)) && !registry.knows(name);
        columns.iter().find(is_unknown).map(String::as_str)
    }
}

impl Fields {
    fn look_up(&mut self, condition: &Condition, event: &Event<'_>, registry: &Registry) {
        if self.fields.len() != condition.columns().len() {
            self.fields = condition.columns().iter().map(|name| field(name)).collect();
        }
        self.places.clear();
        self.places.extend(self.fields.iter_mut().map(|field| match field {
            Field::Attribute(named) => {
                event.attributes.iter().position(|a| named.means(registry, a.metric))
            }
            _ => None,
        }));
    }
}

fn field(name: &str) -> Field {
    match name {
        "source" => Field::Source,
        "offset" | "pos_in_log" => Field::Offset,
        "ts" => Field::Ts,
        "start_ts" => Field::Start,
        "db" | "schema" => Field::Database,
        "db_inherited" => Field::Inherited,
        "user" => Field::User,
        "host" => Field::Host,
        "ip" => Field::Ip,
        "thread_id" => Field::Thread,
        "query" | "arg" => Field::Statement,
        "fingerprint" => Field::Fingerprint,
        "query_id" => Field::Id,
        "item" => Field::Item,
        "server" => Field::Server,
        _ => Field::Attribute(Named::new(name)),
    }
}

fn time(ts: Option<Timestamp>) -> Value<'static> {
    ts.map_or(Value::Null, |ts| Value::Time(ts.0))
}

fn text(text: Option<&[u8]>) -> Value<'_> {
    text.map_or(Value::Null, |text| Value::Text(Cow::Borrowed(text)))
}

fn value_of<'a>(event: &Event<'a>, attribute: Attribute) -> Value<'a> {
    match attribute.value {
        EventValue::Flag(flag) => Value::Bool(flag),
        EventValue::Text(span) => Value::Text(Cow::Borrowed(span.of(event.buffer))),
        EventValue::Number(number) => {
            let kind = Registry::kind(attribute.metric).unwrap_or(Kind::Number);
            // Billionths lose their last three digits here; a condition counts in millionths.
            Value::Number(number.saturating_mul(1_000_000) / kind.scale())
        }
    }
}
