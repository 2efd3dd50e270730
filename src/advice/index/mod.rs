//! Which indexes a workload needs: candidates of each class, chosen together by what they save
//! less what writes pay.
//!
//! ```text
//! Shape ─► query (tests and their shares) ─► cost (rows read now)
//!                    └─► candidate (wishes of a class) ─► select (a set) ─► verdict (findings)
//! ```
//!
//! Costs are estimates, so they are counted in floats here and rounded where a finding tells them.

mod calibrate;
mod candidate;
pub(super) mod catalogue;
mod cost;
mod estimate;
mod expression;
mod limit;
mod mismatch;
mod query;
mod redundant;
mod select;
mod tables;
mod verdict;

use std::collections::BTreeSet;

use crate::schema::Schema;
use crate::sql::shape::{Shape, SourceOf, WriteKind};

use self::candidate::Seeker;
use self::cost::{Counter, Indexes};
use self::select::{Floors, Selector, Weighed};
use self::tables::{ColumnAt, Tables};
use super::{Class, Finding, Rejected, Unread, Workload};

pub(super) use self::tables::Names;

/// A class whose statement was read.
#[derive(Debug)]
pub(super) struct Analysed<'w> {
    /// The class.
    pub class: &'w Class<'w>,
    /// The statement that was read.
    pub text: &'w str,
    /// What was read.
    pub shape: Shape,
}

/// Findings about indexes, what was thought of and not proposed, and classes that were too large.
pub(super) fn advise(
    classes: &[Analysed<'_>],
    workload: &Workload<'_>,
    schema: Option<&Schema>,
) -> (Vec<Finding>, Vec<Rejected>, Vec<Unread>) {
    let mut tables = Tables::new(schema);
    learn(classes, &mut tables);
    let queries: Vec<Option<query::Query>> = classes
        .iter()
        .map(|it| {
            let mut query = query::build(&it.shape, &mut tables, it.class.database.as_deref())?;
            calibrate::calibrate(&mut query, it, &tables);
            Some(query)
        })
        .collect();
    let set = often_set(&queries, classes);
    let may_mix = may_mix(workload, schema);
    let all_examined = examined_in_all(workload);
    let mut weighed = Vec::new();
    let mut unread = Vec::new();
    for (place, query) in queries.into_iter().enumerate() {
        let class = classes[place].class;
        let Some(query) = query else {
            let reason = "too many tables to be weighed".to_owned();
            unread.push(Unread { query_id: class.id, reason });
            continue;
        };
        let indexes = Indexes::default();
        let present = Counter::new(&query, &tables, &indexes).statement();
        let unit = unit(class, workload, present.reads);
        let examined = class.load.rows_examined.map(|it| rows(it.mean));
        let model = present.rows_read();
        // Where the log says less, the log is right; where it says far more, it counts what the
        // model does not, as temporary tables.
        let scale = examined.map_or(1.0, |examined| (examined / model.max(1.0)).min(10.0));
        let looks = match query.is_ambiguous {
            true => Vec::new(),
            false => {
                let reads = |block: usize, of: usize| -> f64 {
                    let own = present.of_use.iter().filter(|(at, _)| *at == (block, of));
                    own.map(|(_, reads)| reads * scale).sum()
                };
                let sent = class.load.rows_sent.map_or(0.0, |it| rows(it.mean));
                let is_large_in_all = match (examined, all_examined) {
                    (Some(own), Some(all)) => {
                        own * class.calls as f64 >= all * 0.05 && own >= 100.0 && own >= 10.0 * sent
                    }
                    _ => false,
                };
                let seeker = Seeker {
                    query: &query,
                    tables: &tables,
                    reads: &reads,
                    is_set: &|table, column| set.contains(&(table, column)),
                    may_mix,
                    is_large_in_all,
                };
                seeker.looks()
            }
        };
        let mut of_class: BTreeSet<usize> = BTreeSet::new();
        of_class
            .extend(query.blocks.iter().flat_map(|it| it.uses.iter().filter_map(|it| it.table)));
        let tables = of_class.into_iter().collect();
        weighed.push(Weighed { class: place, query, present, unit, scale, looks, tables });
    }
    let hinted = hinted(classes);
    let whole: f64 = weighed.iter().map(Weighed::weight).sum();
    let hours = workload.window_micros.map(|micros| micros as f64 / 3.6e9);
    let least = match workload.is_timed {
        true => hours.map_or(0.0, |hours| (hours * 1e6).max(whole * LEAST_OF_LOG)),
        false => 0.0,
    };
    let floors = Floors { whole, least };
    let chosen = Selector::new(&tables, &weighed, floors, &hinted).choose();
    let judge = verdict::Judge {
        tables: &tables,
        analysed: classes,
        weighed: &weighed,
        chosen: &chosen,
        workload,
        server: workload.server.as_ref().or_else(|| schema.and_then(Schema::server)),
    };
    let (mut findings, rejected) = judge.findings();
    findings.extend(expression::findings(&weighed, classes, &tables, workload, schema));
    if let Some(schema) = schema {
        let replaced = judge.replaced();
        // Under review are statements, not what the tables had before.
        if !workload.is_review {
            findings.extend(redundant::findings(schema, &replaced, &hinted, &judge));
        }
    }
    (findings, rejected, unread)
}

/// A number of rows as a float.
fn rows(amount: crate::plan::Amount) -> f64 {
    amount.to_string().parse().unwrap_or(0.0)
}

/// What a row-read of one call counts in all.
fn unit(class: &Class<'_>, workload: &Workload<'_>, reads: f64) -> f64 {
    if workload.is_timed {
        let micros = class.micros.unwrap_or(0).saturating_sub(class.lock_micros.unwrap_or(0));
        return micros as f64 / reads.max(1.0);
    }
    class.weight.map_or(class.calls as f64, rows)
}

/// Rows examined by all classes, where the log tells it.
fn examined_in_all(workload: &Workload<'_>) -> Option<f64> {
    let own = workload
        .classes
        .iter()
        .filter_map(|class| Some(rows(class.load.rows_examined?.mean) * class.calls as f64));
    let sum: f64 = own.sum();
    (sum > 0.0).then_some(sum)
}

/// Part of the time of a log that an index must save, beside a second of each hour.
const LEAST_OF_LOG: f64 = 0.001;

/// Rows examined from which on a table is at least so large.
const MANY: f64 = 1_000.0;

/// How many rows tables have of which the schema does not tell it: what a plan says of a scan, or
/// what a scan without conditions examined.
fn learn(classes: &[Analysed<'_>], tables: &mut Tables<'_>) {
    for it in classes {
        let database = it.class.database.as_deref();
        let blocks = &it.shape.blocks;
        for source in blocks.iter().flat_map(|block| &block.sources) {
            let SourceOf::Table(name) = &source.of else { continue };
            let Some(number) = tables.of(name, database) else { continue };
            if tables.get(number).are_rows_told {
                continue;
            }
            let called = source
                .alias
                .clone()
                .unwrap_or_else(|| String::from_utf8_lossy(&name.name).into_owned());
            let mut seen: Option<f64> = None;
            for node in it.class.plans.iter().flat_map(|plan| plan.all_nodes()) {
                let is_own =
                    node.table.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(&called));
                if is_own && node.access_type.as_deref() == Some("ALL") {
                    let own = node.rows.map(rows);
                    seen = seen.into_iter().chain(own).reduce(f64::max);
                }
            }
            if let [block] = blocks.as_slice()
                && block.sources.len() == 1
            {
                // Without a condition all rows are examined; with one as many or fewer, which
                // tells nothing where it is few.
                let most = it.class.load.rows_examined.map(|own| rows(own.most));
                let is_whole = block.conditions.is_empty()
                    && block.limit.is_none()
                    && it.shape.writes.is_empty();
                let own = most.filter(|most| (is_whole && *most >= 1.0) || *most >= MANY);
                seen = seen.into_iter().chain(own).reduce(f64::max);
            }
            let known = tables.get_mut(number);
            known.rows = known.rows.into_iter().chain(seen).reduce(f64::max);
        }
    }
}

/// Columns that updates set in more calls than a tenth of those that read the table.
fn often_set(
    queries: &[Option<query::Query>],
    classes: &[Analysed<'_>],
) -> BTreeSet<(usize, ColumnAt)> {
    let mut set: std::collections::BTreeMap<(usize, ColumnAt), u64> = Default::default();
    let mut read: std::collections::BTreeMap<usize, u64> = Default::default();
    for (query, it) in queries.iter().zip(classes) {
        let Some(query) = query else { continue };
        let calls = it.class.calls;
        for written in query.writes.iter().filter(|it| it.kind == WriteKind::Update) {
            for column in &written.columns {
                let count = set.entry((written.table, *column)).or_default();
                *count = count.saturating_add(calls);
            }
        }
        for table in query.blocks.iter().flat_map(|it| it.uses.iter().filter_map(|it| it.table)) {
            let count = read.entry(table).or_default();
            *count = count.saturating_add(calls);
        }
    }
    let is_often = |((table, _), count): &(&(usize, ColumnAt), &u64)| {
        count.saturating_mul(10) > read.get(table).copied().unwrap_or(0)
    };
    set.iter().filter(is_often).map(|(at, _)| *at).collect()
}

/// Whether the server can have parts of mixed directions: MySQL 8.0, MariaDB 10.8. One that is not
/// known may.
fn may_mix(workload: &Workload<'_>, schema: Option<&Schema>) -> bool {
    let server = workload.server.as_ref().or_else(|| schema.and_then(Schema::server));
    server.is_none_or(|server| match server.family {
        crate::flavor::Family::MariaDb => (server.major, server.minor) >= (10, 8),
        _ => server.major >= 8,
    })
}

/// Names of indexes that the statements name in hints.
fn hinted(classes: &[Analysed<'_>]) -> BTreeSet<String> {
    let sources = classes.iter().flat_map(|it| it.shape.blocks.iter().flat_map(|it| &it.sources));
    let names = sources.flat_map(|source| source.hints.iter().flat_map(|hint| &hint.indexes));
    names.map(|name| name.to_lowercase()).collect()
}

#[cfg(test)]
mod tests;
