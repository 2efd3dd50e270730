//! Reads a log event by event, in its order: for the rules of the load, and for the query cache.

use crate::advice::query_cache::trace::MOST_EVENTS;
use crate::advice::query_cache::{Engine, Log, Recorder, Settings, Tables};
use crate::advice::workload::watch::{Observed, Watch};
use crate::digest::Sorted;
use crate::digest::run::{self, Outcome};
use crate::error::Error;
use crate::event::Event;
use crate::metric::Registry;
use crate::report::Report;
use crate::schema::{Schema, TableKind};
use crate::server::Variables;

use super::super::{Request, Study};

/// What is asked of the query cache.
#[derive(Debug, Clone, Default)]
pub struct Cached {
    /// Whether it is asked for at all.
    pub is_wanted: bool,
    /// Sizes to replay besides the present one.
    pub sizes: Vec<u64>,
    /// Whether each statement is told.
    pub traces: bool,
}

/// The schema as the cache asks it.
struct Known<'s>(Option<&'s Schema>);

impl Known<'_> {
    fn table(&self, database: &str, table: &str) -> Option<&crate::schema::Table> {
        self.0?.table((!database.is_empty()).then_some(database), table)
    }
}

impl Tables for Known<'_> {
    fn engine(&self, database: &str, table: &str) -> Option<Engine> {
        let engine = self.table(database, table)?.engine.as_deref()?.to_ascii_lowercase();
        Some(match engine.as_str() {
            "innodb" | "xtradb" => Engine::InnoDb,
            "myisam" | "mrg_myisam" | "merge" => Engine::MyIsam,
            _ => Engine::Other,
        })
    }

    fn view(&self, database: &str, table: &str) -> Option<String> {
        let table = self.table(database, table)?;
        table.query.clone().filter(|_| table.kind == TableKind::View)
    }

    fn is_partitioned(&self, database: &str, table: &str) -> bool {
        self.table(database, table).is_some_and(|table| table.partitions.is_some())
    }

    fn children(&self, database: &str, table: &str) -> Vec<(String, String)> {
        let Some(schema) = self.0 else { return Vec::new() };
        let changes = |action: &Option<String>| {
            action.as_deref().is_some_and(|it| it == "CASCADE" || it.starts_with("SET"))
        };
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let is_child = |child: &&crate::schema::Table| {
            child.foreign_keys.iter().any(|key| {
                let parent_db =
                    key.parent_db.as_deref().or(child.db.as_deref()).unwrap_or(database);
                same(&key.parent, table)
                    && same(parent_db, database)
                    && (changes(&key.on_delete) || changes(&key.on_update))
            })
        };
        let named = |child: &crate::schema::Table| {
            (child.db.clone().unwrap_or_else(|| database.to_owned()), child.name.clone())
        };
        schema.tables().filter(is_child).map(named).collect()
    }
}

/// What a log tells event by event, besides its digest.
pub(super) struct Replayed {
    /// For the rules of the load.
    pub seen: Observed,
    /// For the query cache, where that is asked for.
    pub cached: Option<(Log, Settings)>,
}

/// Reads a log once, in its order: for its digest, for the rules of the load, and for the query
/// cache where `variables` are given.
pub(super) fn read(
    mut study: Study,
    variables: Option<&Variables>,
) -> Result<(Report, Request, Replayed), Error> {
    let framers = study.framers();
    let reading = study.reading();
    let schema = study.request.schema.take();
    let known = Known(schema.as_ref());
    let mut recorder = variables.map(|it| Recorder::new(Settings::of(it), &known));
    let mut watch = Watch::default();
    let show = |event: &Event<'_>, registry: &Registry, sorted: &Sorted<'_, '_>| {
        watch.add(event, registry, sorted);
        if let Some(recorder) = &mut recorder {
            recorder.add(event, registry);
        }
        Ok(())
    };
    let options = &study.request.options;
    let failed = |source| Error::Write { name: "the trace".to_owned(), source };
    let outcome: Outcome =
        run::each(framers, options, &reading, &study.stop, show).map_err(failed)?;
    let versions = outcome.framers.iter().filter_map(|it| it.tally().version.as_deref());
    if let Some(recorder) = &mut recorder {
        versions.for_each(|version| recorder.server(version));
    }
    let cached = recorder.map(Recorder::finish);
    debug_assert!(cached.as_ref().is_none_or(|(log, _)| log.traces.len() <= MOST_EVENTS));
    study.request.schema = schema;
    let (report, request) = study.report(outcome)?;
    Ok((report, request, Replayed { seen: watch.finish(), cached }))
}
