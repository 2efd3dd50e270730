//! `adagio digest`.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use adagio::digest::Group;
use adagio::report::profile::{Limit, Order, Outliers};
use adagio::report::{Look, json, text};
use adagio::study::Study;
use clap::ValueEnum;

use super::explain::FailOn;
use super::{inputs, output, values};

/// A format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal, in the layout of pt-query-digest
    Text,
    /// For programs
    Json,
}

/// Rank query classes by the time they took
///
/// Reads slow logs of MySQL, MariaDB, Percona Server, Aurora and TiDB, plain or packed, and prints
/// a ranked profile in the manner of pt-query-digest. The report opens with what was read and
/// what was not counted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 done, 1 a finding that --fail-on names, 2 wrong usage or nothing to read, 130 stopped by Ctrl-C."
)]
pub struct Args {
    #[command(flatten)]
    inputs: inputs::Args,

    /// How many classes to show: `N`, `P%` of the time, or `P%:N`; `100%` is all
    #[arg(long, value_parser = values::limit, default_value = "95%:20", value_name = "LIMIT")]
    limit: Limit,

    /// Show classes past the limit whose 95 % is this slow and that are this frequent
    #[arg(long, value_parser = values::outliers, default_value = "Query_time:1:10", value_name = "ATTR:P95[:COUNT]")]
    outliers: Outliers,

    /// What orders the classes: an attribute and `sum`, `min`, `max` or `cnt`
    #[arg(long, value_parser = values::order, default_value = "Query_time:sum", value_name = "ATTR:FUNCTION")]
    order_by: Order,

    /// What makes a class: `fingerprint`, `distill`, `tables`, `user`, `host`, `db` or an attribute
    #[arg(long, value_parser = values::group, default_value = "fingerprint", value_name = "WHAT")]
    group_by: Group,

    /// List the classes in the order in which they came, too
    #[arg(long)]
    timeline: bool,

    /// Show every class, as `--limit 100%` does
    #[arg(long)]
    report_all: bool,

    /// Show the plans in this file, of any form of EXPLAIN, with their classes; may be repeated
    ///
    /// A plan belongs to the class of the statement that stands above it, or of the query ID in
    /// a comment there: `-- query_id: 0x…`. Plans that MariaDB wrote into the log are shown anyway.
    #[arg(long, value_name = "FILE")]
    plans: Vec<PathBuf>,

    /// Tables: a dump without rows, SHOW CREATE TABLE or SHOW INDEX; may be repeated
    ///
    /// With it each class that is shown says what is to be done about it, and the report ends with
    /// the indexes that these classes need. `adagio advise` looks at all classes.
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,

    /// Exit with status 1 if a finding is at least so severe
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,

    /// Leave out the charts
    #[arg(long)]
    no_report_histogram: bool,

    /// Format of the report
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    output: Format,

    /// Write the report there; the file is whole or not there
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,

    /// Digits of the query ID to show: 32, or the last 16 as pt-query-digest 2 and PMM do
    #[arg(long, value_parser = ["32", "16"], default_value = "32", value_name = "N")]
    id_length: String,

    /// Use colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: output::When,

    #[command(flatten)]
    threads: inputs::Threads,

    #[command(flatten)]
    manners: output::Manners,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    args.inputs.refuse_statements()?;
    let everything = Limit { percent: Some(100.0), count: None };
    let limit = if args.report_all { everything } else { args.limit };
    let mut request = args.inputs.request(
        args.group_by.clone(),
        args.order_by.clone(),
        limit,
        Some(args.outliers.clone()),
    )?;
    request.options.timeline = args.timeline;
    request.plans = args.plans.clone();
    let warnings = args.manners.warnings(args.inputs.redact);
    request.schema = inputs::schema(&args.schema, warnings)?;
    request.advises = true;
    request.threads = args.threads.threads.map_or(0, usize::from);
    let look = Look {
        rules: args.inputs.rules(),
        redact: args.inputs.redact,
        id_length: if args.id_length == "16" { 16 } else { 32 },
        zone: args.inputs.zone()?,
        histogram: !args.no_report_histogram,
        colour: args.output == Format::Text
            && output::is_coloured(args.color, args.output_file.is_some()),
    };
    let stop = output::stop_flag();
    let study = Study::open(&args.inputs.files, request, Arc::clone(&stop))?;
    let shown = args.manners.show(study.progress());
    let report = study.run();
    drop(shown);
    // The program ends behind it: no need to give back each of its pieces.
    let report = ManuallyDrop::new(report?);
    args.manners.warn(&report, args.inputs.redact);
    output::write(args.output_file.as_ref(), |out| match args.output {
        Format::Text => text::write(&report, &look, out),
        Format::Json => json::write(&report, &look, out),
    })?;
    let of_plans = report.plans.iter().flat_map(|plan| &plan.findings);
    let worst = of_plans.chain(&report.counsel.advice.findings).map(|it| it.severity).max();
    let fails = args.fail_on.is_some_and(|least| worst >= Some(least.severity()));
    Ok(match stop.load(Ordering::Relaxed) {
        true => super::STOPPED,
        false if fails => super::FOUND,
        false => super::DONE,
    })
}
