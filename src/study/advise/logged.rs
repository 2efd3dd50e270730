//! The workload of a slow log: what its digest knows of each class.

use std::collections::HashMap;

use crate::advice::workload::{Measured, Times, Whole, busy};
use crate::advice::{Class, Workload, load};
use crate::digest::class::ClassDigest;
use crate::metric::{self, MetricId};
use crate::report::advice::Line;
use crate::report::{Input, Report};
use crate::schema::Server;
use crate::sql::fingerprint::ClassId;

const ROWS_AFFECTED: MetricId = metric::known("Rows_affected");

/// The classes of a report that are asked for, by their places; rows of events of many classes are
/// none.
pub fn workload<'a>(
    report: &'a Report,
    places: impl Iterator<Item = usize>,
    server: Option<Server>,
) -> Workload<'a> {
    let window = report.range().and_then(|(first, last)| u64::try_from(last.0 - first.0).ok());
    let mut classes: Vec<Class<'a>> = places.filter_map(|place| class(report, place)).collect();
    classes.sort_by_key(|class| class.id);
    Workload {
        classes,
        is_timed: true,
        window_micros: window,
        server,
        is_review: false,
        whole: Some(whole(report)),
        seen: None,
    }
}

/// The greatest limit of sampling, and the statements that all inputs stand for: those of an input
/// that was logged whole are as many as its events.
fn sampled(report: &Report) -> Option<(u64, u64)> {
    let limits = report.inputs.iter().filter_map(Input::sampling).map(|it| it.limit);
    let limit = u64::try_from(limits.max()?).ok()?;
    let events = report.inputs.iter().map(|input| {
        let logged = u128::from(input.events.events);
        input.sampling().map_or(logged, |it| it.estimated_events)
    });
    let events = events.fold(0, u128::saturating_add);
    Some((limit, u64::try_from(events).unwrap_or(u64::MAX)))
}

fn whole(report: &Report) -> Whole {
    let digest = &report.digest;
    let sampled = sampled(report);
    let figures = Measured::of(digest, &digest.total);
    // Whole seconds are divided by a million without a rest, each of them.
    let is_whole = |times: &Times| {
        times.sum.is_multiple_of(1_000_000)
            && times.least.is_multiple_of(1_000_000)
            && times.most.is_multiple_of(1_000_000)
    };
    let busy_micros = figures
        .time
        .as_ref()
        .and_then(|times| busy(times, digest.active_seconds(), &digest.idle_seconds()));
    Whole {
        is_fine: figures.time.as_ref().is_some_and(|times| !is_whole(times)),
        measured: figures,
        classes: digest.kept_classes() as u64,
        active_seconds: digest.active_seconds(),
        busy_micros,
        sampled,
    }
}

/// The server that the log names.
pub fn server(report: &Report) -> Option<Server> {
    let mut versions = report.inputs.iter().filter_map(|input| {
        let server = Server::of_version(input.tally.version.as_deref()?)?;
        Some((server, input.tally.family))
    });
    let (mut server, family) = versions.next_back()?;
    // The banner knows MariaDB by more than its version.
    if family == crate::flavor::Family::MariaDb {
        server.family = family;
    }
    Some(server)
}

fn class(report: &Report, place: usize) -> Option<Class<'_>> {
    if !report.has_statement(place) {
        return None;
    }
    let digest = report.digest.classes.get(place)?;
    let samples = samples(report, digest);
    if samples.is_empty() {
        return None;
    }
    let sum = |metric| {
        let totals = digest.totals(&report.digest.places, metric)?;
        u64::try_from(totals.sum.max(0)).ok()
    };
    Some(Class {
        id: report.id_of(place),
        samples,
        database: database(report, digest),
        calls: digest.count,
        weight: None,
        micros: sum(metric::QUERY_TIME),
        lock_micros: sum(metric::LOCK_TIME),
        load: load::of_class(&report.digest, place),
        rows_affected: sum(ROWS_AFFECTED),
        plans: report.plans_of(place).map(|of| &of.plan).collect(),
        measured: Some(Measured::of(&report.digest, digest)),
    })
}

/// The worst statement, whatever is left of it, then whole ones near the median and the 95 %.
fn samples(report: &Report, class: &ClassDigest) -> Vec<String> {
    let figures = report.order_figures(class, report.rules);
    let near = figures.map(|figures| [figures.median, figures.pct_95]).into_iter().flatten();
    let near = near.filter_map(|value| class.samples.near(value)).filter(|it| !it.is_cut());
    let mut samples: Vec<String> = Vec::new();
    for sample in class.samples.worst.clone().into_iter().chain(near) {
        let text = String::from_utf8_lossy(sample.statement.trim_ascii()).into_owned();
        if !text.is_empty() && !samples.contains(&text) {
            samples.push(text);
        }
    }
    samples
}

/// The database of the worst event, or else the one that other events name most.
fn database(report: &Report, class: &ClassDigest) -> Option<String> {
    let own = class.samples.worst.as_ref().and_then(|sample| sample.database.as_deref());
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    own.map(text).or_else(|| {
        let tally = report.digest.tally(class, metric::DATABASE)?;
        let (ranked, _) = tally.ranked();
        ranked.first().map(|(name, _)| text(name))
    })
}

/// What a reader is told of a class.
pub fn line(report: &Report, class: &Class<'_>, place: usize) -> Line {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Line {
        id: class.id,
        item: text(&report.item_of(place, report.rules)),
        calls: class.calls,
        share: class.load.share,
        micros: class.micros,
    }
}

/// The places in the digest of the first classes that are shown.
pub fn places(report: &Report, most: usize) -> HashMap<ClassId, usize> {
    let shown = report.profile.shown.iter().map(|ranked| ranked.class).take(most);
    shown.map(|place| (report.id_of(place), place)).collect()
}
