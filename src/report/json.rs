//! The report as JSON: the keys that pt-query-digest has, and ours beside them.
//!
//! Numbers are numbers and exact: times are printed from whole microseconds, never through a
//! float. Text is valid UTF-8; what a log has else is replaced, and counted in
//! `replaced_bytes`.

use std::cell::Cell;
use std::io::{self, Write};

use serde_json::{Map, Number, Value, json};

use crate::advice::Finding;
use crate::digest::Group;
use crate::digest::class::ClassDigest;
use crate::digest::decimal;
use crate::digest::sample::Sample;
use crate::digest::stat::{Figures, Rules, Stat, factor};
use crate::metric::Kind;
use crate::problem::Problem;
use crate::report::findings;
use crate::report::plans::{self, ClassPlan};
use crate::report::profile::{Ranked, Rates, scores};
use crate::report::text::{peer_chart, shown_id, table_statements};
use crate::report::{FINGERPRINT_RULES, Input, Look, PEER_RULES, Report, Sampling, as_select};
use crate::time::{Timestamp, Zone};

/// Version of the form of this document.
const SCHEMA: u32 = 1;
/// Bytes of a statement that are printed.
const LONGEST_QUERY: usize = 10_000;
/// Bytes of a fingerprint that are printed.
const LONGEST_FINGERPRINT: usize = 5_000;
/// Values of a text attribute that are listed.
const MOST_VALUES: usize = 100;

/// Writes the report as one object, a class at a time.
pub fn write(report: &Report, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    let zone = match look.rules {
        Rules::Default => Zone::UTC,
        Rules::Peer => report.zone(look),
    };
    let json = Json { report, look, zone, replaced: Cell::new(0) };
    let line = |out: &mut dyn Write, key: &str, value: &Value, end: &str| -> io::Result<()> {
        write!(out, "\"{key}\":")?;
        serde_json::to_writer(&mut *out, value)?;
        writeln!(out, "{end}")
    };
    writeln!(out, "{{")?;
    line(out, "adagio", &json.program(), ",")?;
    line(out, "partial", &json!(report.partial), ",")?;
    let inputs: Vec<Value> = report.inputs.iter().map(|it| input(it, look.redact)).collect();
    line(out, "input", &Value::Array(inputs), ",")?;
    line(out, "global", &json.global(), ",")?;
    writeln!(out, "\"classes\":[")?;
    for (place, ranked) in report.profile.shown.iter().enumerate() {
        serde_json::to_writer(&mut *out, &json.class(ranked))?;
        writeln!(out, "{}", if place + 1 < report.profile.shown.len() { "," } else { "" })?;
    }
    writeln!(out, "],")?;
    line(out, "misc", &json.misc(), ",")?;
    if report.timeline {
        line(out, "timeline", &json.timeline(), ",")?;
    }
    if report.forgotten_names > 0 {
        line(out, "attributes_left_out", &json!(report.forgotten_names), ",")?;
    }
    let shared = report.counsel.advice.findings.iter().filter(|it| !of_one_class(it));
    line(out, "advice", &shared.map(findings::json).collect(), ",")?;
    line(out, "replaced_bytes", &json!(json.replaced.get()), "")?;
    writeln!(out, "}}")
}

/// Whether a finding is about a single class.
fn of_one_class(finding: &Finding) -> bool {
    finding.subject.query_id.is_some_and(|id| finding.queries.iter().all(|other| *other == id))
}

struct Json<'a> {
    report: &'a Report,
    look: &'a Look,
    zone: Zone,
    replaced: Cell<u64>,
}

impl Json<'_> {
    fn rules(&self) -> Rules {
        self.look.rules
    }

    /// Bytes of the log as text.
    fn text(&self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                self.replaced.set(self.replaced.get() + chunk.invalid().len() as u64);
            }
        }
        text
    }

    /// UTC, or for the peer's figures the log's own zone, with its mark.
    fn time(&self, ts: Timestamp) -> Value {
        Value::String(self.zone.print_marked(ts))
    }

    fn program(&self) -> Value {
        let fingerprint = match self.rules() {
            Rules::Default => FINGERPRINT_RULES,
            Rules::Peer => PEER_RULES,
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "schema": SCHEMA,
            "fingerprint": fingerprint,
        })
    }

    fn global(&self) -> Value {
        let report = self.report;
        let rates = report.rates_of(&report.digest.total);
        let files: Vec<Value> = report
            .inputs
            .iter()
            .map(|input| json!({ "name": input.name, "size": input.tally.bytes }))
            .collect();
        let mut object = object(json!({
            "files": files,
            "query_count": report.digest.total.count,
            "unique_query_count": report.digest.kept_classes(),
        }));
        insert_rates(&mut object, rates);
        let active = report.digest.active_seconds();
        object.insert("active_seconds".to_owned(), json!(active));
        let active_rate = (active > 0).then(|| report.digest.total.count as f64 / active as f64);
        object.insert("queries_per_active_second".to_owned(), json!(active_rate));
        self.insert_range(&mut object, &report.digest.total);
        if let Some(threshold) = report.threshold() {
            object.insert("effective_threshold".to_owned(), exact(threshold, Kind::Time));
        }
        if report.digest.further_events > 0 {
            object.insert("further_classes_events".to_owned(), json!(report.digest.further_events));
        }
        if let Some(folded) = report.folded.filter(|_| report.digest.further_events == 0) {
            object.insert("unique_with_collapse_digits".to_owned(), json!(folded));
        }
        if let Some(rate) = report.inputs.iter().find_map(|input| input.rate()) {
            let mut limit =
                object_of([("type", json!(self.text(&rate.0))), ("limit", json!(rate.1 as u64))]);
            if rate.2 {
                limit.insert("diff".to_owned(), json!(1));
            }
            object.insert("rate_limit".to_owned(), Value::Object(limit));
        }
        object.insert("metrics".to_owned(), self.metrics(&report.digest.total, true));
        Value::Object(object)
    }

    fn insert_range(&self, object: &mut Map<String, Value>, class: &ClassDigest) {
        for (key, ts) in [("ts_min", class.first()), ("ts_max", class.last())] {
            if let Some(ts) = ts {
                object.insert(key.to_owned(), self.time(ts));
            }
        }
    }

    fn class(&self, ranked: &Ranked) -> Value {
        let report = self.report;
        let class = &report.digest.classes[ranked.class];
        let id = report.id_of(ranked.class).to_string();
        let key = &report.digest.keys[ranked.class];
        let by_fingerprint = report.group == Group::Fingerprint;
        let peer = report.peer_id_of(ranked.class, self.rules());
        let item = by_fingerprint.then(|| self.text(&report.item_of(ranked.class, self.rules())));
        let mut object = object(json!({
            "id": id,
            "checksum": &shown_id(&id, self.look.id_length)[2..],
            "compat_id": peer.map(|id| id.to_string()),
            "fingerprint": self.text(cut(key, LONGEST_FINGERPRINT)),
            "distillate": item,
            "attribute": report.group.word(),
            "rank": ranked.rank,
            "why": ranked.why.word(),
            "query_count": class.count,
        }));
        if report.digest.is_further(ranked.class) {
            object.insert("further_classes".to_owned(), json!(true));
        }
        self.insert_range(&mut object, class);
        insert_rates(&mut object, report.rates_of(class));
        if let Some(stat) = report.time_of(class) {
            let scores = scores(&stat, self.rules());
            object.insert("variance_to_mean".to_owned(), json!(scores.map(|s| s.0)));
            object.insert("coefficient_of_variation".to_owned(), json!(scores.map(|s| s.1)));
        }
        if let Some(estimate) = report.estimate_of(class) {
            object.insert(
                "estimate".to_owned(),
                json!({
                    "query_count": estimate.events as u64,
                    "query_time": exact(estimate.query_time, Kind::Time),
                }),
            );
        }
        if let Some(worst) = &class.samples.worst {
            object.insert(
                "example".to_owned(),
                self.example(worst, key, report.has_statement(ranked.class)),
            );
            let order = report.order_figures(class, self.rules());
            if let Some(figures) = order {
                for (name, value) in [("median", figures.median), ("pct_95", figures.pct_95)] {
                    if let Some(sample) = class.samples.near(value) {
                        let example = self.example(&sample, key, false);
                        object.insert(format!("example_{name}"), example);
                    }
                }
            }
        }
        if let Some(stat) = report.time_of(class) {
            object.insert("histograms".to_owned(), self.histograms(class, &stat));
        }
        object.insert("metrics".to_owned(), self.metrics(class, false));
        if by_fingerprint {
            let tables = report.tables_of(ranked.class, self.rules());
            let tables: Vec<Value> = tables
                .iter()
                .map(|table| {
                    let [status, create] = table_statements(table);
                    json!({ "status": status, "create": create })
                })
                .collect();
            if !tables.is_empty() {
                object.insert("tables".to_owned(), Value::Array(tables));
            }
        }
        // Conditions and operations of a plan have the literals of the statement.
        let plans = report.plans_of(ranked.class).filter(|_| !self.look.redact);
        let plans: Vec<&ClassPlan> = plans.collect();
        if !plans.is_empty() {
            let shown = plans.iter().map(|plan| plans::json::of_class(plan)).collect();
            object.insert("plans".to_owned(), shown);
        }
        let own = report.advice_of(ranked.class).filter(|it| of_one_class(it));
        object.insert("advice".to_owned(), own.map(findings::json).collect());
        Value::Object(object)
    }

    fn example(&self, sample: &Sample, key: &[u8], with_select: bool) -> Value {
        let statement = if self.look.redact { key } else { sample.statement.trim_ascii_end() };
        let source = self.report.inputs.get(sample.origin.source as usize);
        let mut object = object(json!({
            "query": self.text(cut(statement, LONGEST_QUERY)),
            "ts": sample.ts.map(|ts| self.time(ts)),
            "Query_time": sample.query_time.map(|time| exact(time, Kind::Time)),
            "source": source.map(|input| input.name.as_str()),
            "offset": sample.origin.offset,
            "query_length": sample.length,
        }));
        if !self.look.redact && (sample.is_cut() || statement.len() > LONGEST_QUERY) {
            object.insert("query_is_cut".to_owned(), json!(true));
        }
        if with_select
            && !self.look.redact
            && let Some(select) = as_select(&sample.statement, key, self.rules())
        {
            let select = self.text(cut(&select, LONGEST_QUERY));
            object.insert("as_select".to_owned(), json!(select));
        }
        Value::Object(object)
    }

    fn histograms(&self, class: &ClassDigest, stat: &Stat) -> Value {
        let rows = match self.rules() {
            Rules::Default => class.decades,
            Rules::Peer => peer_chart(&stat.spread.buckets(factor(Kind::Time))),
        };
        json!({ "Query_time": rows })
    }

    fn misc(&self) -> Value {
        let rest = self.report.rest();
        let mut object = object(json!({
            "query_count": rest.count,
            "unique_query_count": self.report.profile.rest.len(),
        }));
        self.insert_range(&mut object, &rest);
        insert_rates(&mut object, self.report.rates_of(&rest));
        if let Some(stat) = self.report.time_of(&rest) {
            object.insert("histograms".to_owned(), self.histograms(&rest, &stat));
        }
        object.insert("metrics".to_owned(), self.metrics(&rest, false));
        Value::Object(object)
    }

    fn metrics(&self, class: &ClassDigest, is_global: bool) -> Value {
        let report = self.report;
        let mut object = Map::new();
        for row in report.quantities(class, self.rules()) {
            let mut figures = Map::new();
            if !is_global {
                let whole = report.total_of(row.metric);
                let share = if whole == 0 { 0.0 } else { row.stat.sum as f64 / whole as f64 };
                figures.insert("pct".to_owned(), json!(share));
            }
            self.insert_figures(&mut figures, &row.stat, &row.figures, row.kind);
            let name = match row.name {
                b"bytes" => "Query_length".to_owned(),
                name => self.text(name),
            };
            object.insert(name, Value::Object(figures));
        }
        for row in report.flags(class) {
            let key = if is_global { "cnt" } else { "yes" };
            let entry = object.entry(self.text(row.name)).or_insert_with(|| json!({}));
            if let Value::Object(entry) = entry {
                entry.insert(key.to_owned(), json!(row.yes));
                entry.insert("no".to_owned(), json!(row.no));
            }
        }
        for row in report.texts(class) {
            let (values, unlisted) = row.tally.ranked();
            let greatest = values.iter().map(|(value, _)| *value).max();
            let listed: Vec<Value> = values
                .iter()
                .take(MOST_VALUES)
                .map(|(value, count)| json!({ "value": self.text(value), "count": count }))
                .collect();
            let entry = object.entry(self.text(row.name)).or_insert_with(|| json!({}));
            if let Value::Object(entry) = entry {
                entry.insert("value".to_owned(), json!(greatest.map(|value| self.text(value))));
                entry.insert("values".to_owned(), Value::Array(listed));
                entry.insert("distinct".to_owned(), json!(values.len()));
                if unlisted > 0 {
                    entry.insert("unlisted".to_owned(), json!(unlisted));
                }
            }
        }
        Value::Object(object)
    }

    fn insert_figures(
        &self,
        object: &mut Map<String, Value>,
        stat: &Stat,
        figures: &Figures,
        kind: Kind,
    ) {
        let whole =
            |value: i128| self.wrapped(value as f64, kind).unwrap_or_else(|| exact(value, kind));
        let part = |value: f64| {
            self.wrapped(value, kind).unwrap_or_else(|| json!(value / kind.scale() as f64))
        };
        object.insert("sum".to_owned(), whole(stat.sum));
        object.insert("min".to_owned(), whole(stat.min));
        object.insert("max".to_owned(), whole(stat.max));
        object.insert("avg".to_owned(), part(figures.avg));
        object.insert("median".to_owned(), part(figures.median));
        object.insert("pct_95".to_owned(), part(figures.pct_95));
        object.insert("pct_99".to_owned(), part(figures.pct_99));
        object.insert("stddev".to_owned(), part(figures.stddev));
    }

    /// A count past 63 bits as the peer prints it: wrapped around, as C's `%d` does.
    fn wrapped(&self, value: f64, kind: Kind) -> Option<Value> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0;
        if self.rules() != Rules::Peer || kind.scale() != 1 || value < LIMIT {
            return None;
        }
        let wrapped = if value >= 2.0 * LIMIT { -1 } else { value as u64 as i64 };
        Some(json!(wrapped))
    }

    fn timeline(&self) -> Value {
        let timeline = self.report.digest.timeline();
        let runs: Vec<Value> = timeline
            .runs
            .iter()
            .map(|run| {
                json!({
                    "id": self.report.id_of(run.class as usize).to_string(),
                    "count": run.count,
                    "ts_min": run.first.map(|ts| self.time(ts)),
                    "ts_max": run.last.map(|ts| self.time(ts)),
                })
            })
            .collect();
        json!({ "runs": runs, "more": timeline.more })
    }
}

/// What an input held.
pub(super) fn input(input: &Input, redact: bool) -> Value {
    let tally = &input.tally;
    let mut object = object(json!({
        "name": input.name,
        "type": input.kind,
        "flavor": tally.family.to_string(),
        "bytes": tally.bytes,
        "events": tally.events,
        "event_bytes": tally.event_bytes,
        "header_bytes": tally.header_bytes,
        "skipped_bytes": tally.skipped_bytes,
        "fragments": tally.fragments,
        "anomalies": input.events.anomalies,
        "foreign_lines": tally.foreign_lines,
        "filtered_events": input.events.filtered,
        "embedded_plans": tally.embedded_plans,
    }));
    if let Some(version) = &tally.version {
        object.insert("server_version".to_owned(), json!(version));
    }
    if let Some(compression) = &input.compression {
        object.insert("compression".to_owned(), json!(compression));
    }
    if let Some(sampling) = input.sampling() {
        object.insert("sampling".to_owned(), sampled(&sampling));
    }
    object.insert("warnings".to_owned(), warnings(&input.problems, redact));
    Value::Object(object)
}

fn sampled(sampling: &Sampling) -> Value {
    json!({
        // `query` or `session`: what is else is told as it stands.
        "type": String::from_utf8_lossy(&sampling.kind),
        "limit": sampling.limit as u64,
        "estimated_events": sampling.estimated_events as u64,
        "estimated_query_time": exact(sampling.estimated_query_time, Kind::Time),
    })
}

impl Input {
    /// Type and limit of the rate limit that the log names, and whether others were met.
    fn rate(&self) -> Option<(Vec<u8>, i128, bool)> {
        let rates = &self.events.rates;
        let most = rates.iter().max_by_key(|(_, (events, _))| *events)?;
        let (kind, limit) = most.0;
        Some((kind.clone(), *limit, rates.len() > 1))
    }
}

/// A whole number in the unit of its kind, as a decimal number of what the log prints.
fn exact(value: i128, kind: Kind) -> Value {
    let text = decimal(value, kind);
    text.parse::<Number>().map_or(Value::Null, Value::Number)
}

fn insert_rates(object: &mut Map<String, Value>, rates: Option<Rates>) {
    let rate = rates.map(|rates| rates.queries_per_second);
    object.insert("queries_per_second".to_owned(), json!(rate));
    object.insert("concurrency".to_owned(), json!(rates.map(|rates| rates.concurrency)));
}

/// What could not be read of an input.
pub(super) fn warnings(problems: &[Problem], redact: bool) -> Value {
    let told = problems.iter().map(|problem| {
        json!({
            "offset": problem.origin.offset,
            "kind": problem.kind.word(),
            "detail": problem.told(redact),
        })
    });
    Value::Array(told.collect())
}

/// The beginning of a text, not cut inside of a character.
fn cut(text: &[u8], longest: usize) -> &[u8] {
    if text.len() <= longest {
        return text;
    }
    let begins = |at: &usize| text[*at] & 0xc0 != 0x80;
    let end = (longest - 3..=longest).rev().find(begins).unwrap_or(longest);
    &text[..end]
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn object_of<const N: usize>(pairs: [(&str, Value); N]) -> Map<String, Value> {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
