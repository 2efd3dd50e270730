//! `adagio export`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use adagio::digest::Group;
use adagio::report::profile::{Limit, Order};
use adagio::study::Study;
use anyhow::Context;
use clap::ValueEnum;

use super::{inputs, output};

/// A format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object a line
    Ndjson,
}

/// Write events and classes as tables
///
/// Writes the tables `events` and `classes` to a folder, as `events.ndjson` and `classes.ndjson`:
/// one JSON object a line, streamed, so that a log of any size can be exported.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    inputs: inputs::Args,

    /// The folder; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    to: PathBuf,

    /// Format of the tables
    #[arg(long, value_enum, default_value = "ndjson", value_name = "FORMAT")]
    format: Format,

    #[command(flatten)]
    threads: inputs::Threads,

    #[command(flatten)]
    manners: output::Manners,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    args.inputs.refuse_statements()?;
    let Format::Ndjson = args.format;
    // Lines come in the order of the log, so one thread writes them whatever is asked for.
    let _ = args.threads.threads;
    let everything = Limit { percent: Some(100.0), count: None };
    let mut request =
        args.inputs.request(Group::Fingerprint, Order::default(), everything, None)?;
    let stop = output::stop_flag();
    // Events are written in order, so one thread reads them.
    request.threads = 1;
    let study = Study::open(&args.inputs.files, request, Arc::clone(&stop))?;
    std::fs::create_dir_all(&args.to)
        .with_context(|| format!("cannot make the folder {}", args.to.display()))?;
    let mut events = output::Pending::create(&args.to.join("events.ndjson"))?;
    let mut classes = output::Pending::create(&args.to.join("classes.ndjson"))?;
    let shown = args.manners.show(study.progress());
    let report = study.export(&mut events.out, &mut classes.out, args.inputs.redact);
    drop(shown);
    let report = report?;
    args.manners.warn(&report, args.inputs.redact);
    events.keep()?;
    classes.keep()?;
    Ok(if stop.load(Ordering::Relaxed) { super::STOPPED } else { super::DONE })
}
