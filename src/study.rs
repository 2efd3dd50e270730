//! One run: inputs and options in, a report out. The front door of the library.

pub mod advise;
pub mod collect;
pub mod collected;
pub mod plan_diff;
pub mod plans;
pub mod server_facts;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::digest::run::{self, Outcome};
use crate::digest::stat::Rules;
use crate::digest::{Digest, Group, Options, Sorted, SourceTally};
use crate::error::Error;
use crate::event::Event;
use crate::logs::guess;
use crate::logs::slow::Framer;
use crate::logs::slow::read::Reading;
use crate::metric::Registry;
use crate::report::ndjson::Events;
use crate::report::plans::Review;
use crate::report::profile::{Limit, Order, Outliers, metric_of, profile};
use crate::report::{Input, Report};
use crate::schema::Schema;
use crate::source::blocks::Blocks;
use crate::source::{self, Compression};
use crate::time::Zone;

/// What is asked of a run.
#[derive(Debug, Default)]
pub struct Request {
    /// What makes a class, which events count, how figures are computed.
    pub options: Options,
    /// By what classes are ordered.
    pub order: Order,
    /// How many are shown.
    pub limit: Limit,
    /// Which are shown beyond.
    pub outliers: Option<Outliers>,
    /// The zone of times without a mark, if the user names it.
    pub log_zone: Option<Zone>,
    /// Threads; 0 is one for each core.
    pub threads: usize,
    /// Files with plans of the statements.
    pub plans: Vec<PathBuf>,
    /// Plans of the statements that were read already; used where there are no files.
    pub plan_text: Option<server_facts::Text>,
    /// The tables.
    pub schema: Option<Schema>,
    /// Advice tells no literal of a statement.
    pub redact: bool,
    /// Classes that are shown get advice.
    pub advises: bool,
}

impl Request {
    /// Whether plans are given beside the inputs.
    fn has_plans(&self) -> bool {
        !self.plans.is_empty() || self.plan_text.is_some()
    }

    /// How many threads read.
    fn readers(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// Inputs that are open and what is asked of them.
#[derive(Debug)]
pub struct Study {
    request: Request,
    inputs: Vec<Opened>,
    plans: Review,
    stop: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Opened {
    name: String,
    size: Option<u64>,
    compression: Compression,
    taken: Arc<AtomicU64>,
    looks: &'static str,
    framer: Option<Framer>,
}

/// An input whose beginning is known, and nothing of it taken.
#[derive(Debug)]
struct Looked {
    name: String,
    size: Option<u64>,
    compression: Compression,
    taken: Arc<AtomicU64>,
    blocks: Blocks,
}

/// Opens inputs; none is standard input.
fn look_at(
    paths: &[PathBuf],
    readers: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Looked>, Error> {
    let standard_input = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &standard_input } else { paths };
    let looked = paths.iter().map(|path| {
        let source = source::open(path, stop, readers)?;
        let blocks = Blocks::new(source.reader);
        if let (Some(failure), true) = (blocks.failure(), blocks.beginning().is_empty()) {
            let failure = std::io::Error::new(failure.kind(), failure.to_string());
            return Err(Error::Read { name: source.name, offset: 0, source: failure });
        }
        let source::Source { name, size, compression, taken, .. } = source;
        Ok(Looked { name, size, compression, taken, blocks })
    });
    looked.collect()
}

/// Reads the plans that are asked for.
fn plans_of(request: &Request, stop: &Arc<AtomicBool>) -> Result<Review, Error> {
    let given = plans::Given { statements: None, schema: request.schema.as_ref() };
    match request.plans.as_slice() {
        [] => match &request.plan_text {
            Some(text) => Ok(plans::review_text(text, given)),
            None => Ok(Review::default()),
        },
        _ if request.options.group != Group::Fingerprint => {
            let told = "plans belong to statements: --plans needs --group-by fingerprint";
            Err(Error::Usage(told.to_owned()))
        }
        files => plans::review(files, given, stop),
    }
}

/// How far a run has come.
#[derive(Debug, Clone)]
pub struct Progress {
    taken: Vec<Arc<AtomicU64>>,
    /// Bytes of all inputs, if all of them are files.
    pub total: Option<u64>,
}

impl Progress {
    /// Bytes taken from the inputs so far.
    pub fn taken(&self) -> u64 {
        self.taken.iter().map(|taken| taken.load(Ordering::Relaxed)).sum()
    }
}

impl Study {
    /// Opens the inputs; none is standard input. Once `stop` is set, [`run`](Study::run) ends
    /// with what was read.
    ///
    /// Errors: an input that is not there, not readable or a directory.
    pub fn open(
        paths: &[PathBuf],
        request: Request,
        stop: Arc<AtomicBool>,
    ) -> Result<Study, Error> {
        // First what is small: a mistake there is told before gigabytes are read.
        let plans = plans_of(&request, &stop)?;
        let inputs = look_at(paths, request.readers(), &stop)?;
        Ok(Study::of(inputs, request, plans, stop))
    }

    /// A study of inputs that were looked at.
    fn of(inputs: Vec<Looked>, request: Request, plans: Review, stop: Arc<AtomicBool>) -> Study {
        let readers = request.readers();
        let opened = |(number, looked): (usize, Looked)| {
            let Looked { name, size, compression, taken, blocks } = looked;
            let looks = guess::looks(blocks.beginning());
            let (number, zone) = (number as u32, request.log_zone.clone());
            let framer = match compression {
                Compression::None => Framer::new(number, blocks, zone),
                _ => Framer::unpacking(readers, number, blocks, zone),
            };
            let framer = Some(framer.with_outlines(request.options.outlines()));
            Opened { name, size, compression, taken, looks, framer }
        };
        let inputs = inputs.into_iter().enumerate().map(opened).collect();
        Study { request, inputs, plans, stop }
    }

    /// How far the run has come; valid while it runs.
    pub fn progress(&self) -> Progress {
        Progress {
            taken: self.inputs.iter().map(|input| Arc::clone(&input.taken)).collect(),
            total: self.inputs.iter().map(|input| input.size).sum(),
        }
    }

    fn framers(&mut self) -> Vec<Framer> {
        self.inputs.iter_mut().filter_map(|input| input.framer.take()).collect()
    }

    fn reading(&self) -> Reading {
        Reading {
            as_peer: self.request.options.rules == Rules::Peer,
            zone: self.request.log_zone.clone(),
        }
    }

    /// Reads the inputs and reports.
    ///
    /// Errors: not one event in inputs that are not empty; an attribute to order or group by
    /// that no event has.
    pub fn run(self) -> Result<Report, Error> {
        Ok(self.run_with_request()?.0)
    }

    /// The report, and the request with what it held.
    fn run_with_request(mut self) -> Result<(Report, Request), Error> {
        let threads = self.request.readers();
        let packed = self.inputs.iter().map(|input| input.compression != Compression::None);
        let packed: Vec<bool> = packed.collect();
        let inputs = self.framers().into_iter().zip(packed);
        let inputs = inputs.map(|(framer, is_packed)| run::Input { framer, is_packed }).collect();
        let reading = self.reading();
        let outcome = run::run(inputs, &self.request.options, &reading, threads, &self.stop);
        self.report(outcome)
    }

    /// Reads the inputs and writes their events, one a line, and then their classes.
    ///
    /// Errors: as [`run`](Study::run), and what writing brings.
    pub fn export(
        mut self,
        events: &mut dyn Write,
        classes: &mut dyn Write,
        redact: bool,
    ) -> Result<Report, Error> {
        let framers = self.framers();
        let names: Vec<String> = self.inputs.iter().map(|input| input.name.clone()).collect();
        let failed = |source| Error::Write { name: "the export".to_owned(), source };
        let reading = self.reading();
        let options = &self.request.options;
        let mut lines = Events::new(options, names, redact);
        let show = |event: &Event<'_>, registry: &Registry, _: &Sorted<'_, '_>| {
            lines.write(event, registry, events)
        };
        let outcome = run::each(framers, options, &reading, &self.stop, show).map_err(failed)?;
        let (report, _) = self.report(outcome)?;
        crate::report::ndjson::classes(&report, classes).map_err(failed)?;
        Ok(report)
    }

    fn report(self, outcome: Outcome) -> Result<(Report, Request), Error> {
        let Outcome { mut digest, framers, problems } = outcome;
        let forgotten_names = digest.forget_names();
        let stopped = self.stop.load(Ordering::Relaxed);
        let events: u64 = framers.iter().map(|framer| framer.tally().events).sum();
        let bytes: u64 = framers.iter().map(|framer| framer.tally().bytes).sum();
        if events == 0 && bytes > 0 && !stopped {
            let held = self.inputs.iter().zip(&framers);
            let said: Vec<String> = held
                .filter(|(_, framer)| framer.tally().bytes > 0)
                .map(|(input, framer)| {
                    let failure = framer.tally().failure.as_ref();
                    let failure = failure.map_or(String::new(), |text| format!(", and {text}"));
                    format!("no slow-log entry in {}: {}{failure}", input.name, input.looks)
                })
                .collect();
            return Err(Error::NoEvent(said.join("; ")));
        }
        let mut sources = digest.sources.clone();
        sources.resize_with(framers.len(), Default::default);
        let inputs: Vec<Input> = self
            .inputs
            .into_iter()
            .zip(&framers)
            .zip(sources)
            .enumerate()
            .map(|(number, ((opened, framer), events))| Input {
                name: opened.name,
                kind: "slowlog",
                compression: (opened.compression != Compression::None)
                    .then(|| opened.compression.to_string()),
                tally: framer.tally().clone(),
                looks: opened.looks,
                events,
                problems: Input::problems_of(number as u32, framer.problems(), &problems),
            })
            .collect();
        let request = self.request;
        check_names(&request, &digest)?;
        let group = request.options.group.clone();
        let rules = request.options.rules;
        let mut report =
            Report::new(digest, inputs, group, request.order.clone(), rules, |digest| {
                profile(digest, &request.order, request.limit, request.outliers.as_ref(), rules)
            });
        report.partial = stopped;
        report.forgotten_names = forgotten_names;
        report.timeline = request.options.timeline;
        let names_matter = report.group == Group::Fingerprint
            && rules == Rules::Default
            && !request.options.collapse_digits;
        if names_matter {
            report.count_folded();
        }
        if report.group == Group::Fingerprint {
            let schema = request.schema.as_ref();
            plans::attach(&mut report, self.plans, &request.options, schema);
            if request.advises {
                report.counsel = advise::of_digest(&report, &request);
            }
        }
        Ok((report, request))
    }
}

/// Refuses to order or group by what no event has.
fn check_names(request: &Request, digest: &Digest) -> Result<(), Error> {
    let has =
        |count: fn(&SourceTally) -> u64| digest.sources.iter().any(|source| count(source) > 0);
    if !has(|source| source.events + source.filtered) {
        return Ok(());
    }
    // A name that no event has lets none pass, so this cannot wait for events that passed.
    if let Some(name) = request.options.filter.unknown_name(&digest.registry) {
        return Err(Error::Usage(format!("--where: no event has the attribute {name}")));
    }
    if !has(|source| source.events) {
        return Ok(());
    }
    if let Group::Attribute(name) = &request.options.group
        && digest.classes.is_empty()
    {
        return Err(Error::Usage(format!("no event has the attribute {name} to group by")));
    }
    let found = metric_of(digest, &request.order.attribute).is_some();
    // A log whose every time is impossible is still a log.
    if found || digest.classes.is_empty() || request.order == Order::default() {
        return Ok(());
    }
    let metrics = digest.places.metrics().iter().copied();
    let mut names: Vec<String> = metrics
        .filter(|metric| digest.total.totals(&digest.places, *metric).is_some())
        .map(|metric| String::from_utf8_lossy(digest.registry.name(metric)).into_owned())
        .collect();
    names.sort();
    Err(Error::Usage(format!(
        "no event has a number {} to order by; the log has {}",
        request.order.attribute,
        names.join(", ")
    )))
}
