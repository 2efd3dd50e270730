//! `adagio advise`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use adagio::advice::Category;
use adagio::advice::query_cache::settings as query_cache_rules;
use adagio::digest::Group;
use adagio::report::advice::{Advised, Source, json, markdown, query_cache, text};
use adagio::report::plans::{Depth, Look};
use adagio::report::profile::{Limit, Order};
use adagio::server::monitor::{self, Figure, Range};
use adagio::server::{Disk, Machine, Monitor, ServerFacts, machine};
use adagio::study::Request;
use adagio::study::advise::{Ask, Cached, Consultation, Kind};
use adagio::study::collected::{self, Collected};
use adagio::study::server_facts::{self, Given, Text};
use anyhow::bail;
use clap::ValueEnum;

use super::explain::FailOn;
use super::output::{self, Warnings, warn};
use super::{inputs, inputs::Type};

/// Formats of the advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For programs
    Json,
    /// For a ticket
    Markdown,
}

/// Kinds of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    Index,
    Plan,
    QueryCache,
    Variables,
    Workload,
    Sql,
    Schema,
}

impl Only {
    fn category(self) -> Category {
        match self {
            Only::Index => Category::Index,
            Only::Plan => Category::Plan,
            Only::QueryCache => Category::QueryCache,
            Only::Variables => Category::Variables,
            Only::Workload => Category::Workload,
            Only::Sql => Category::Sql,
            Only::Schema => Category::Schema,
        }
    }
}

/// Advise on a whole workload: indexes, statements, the load, the server
///
/// Reads a slow log, or plain statements, and says which few indexes the workload needs, what each
/// is worth and what it costs, which indexes are not needed, and how statements should be written.
/// Of a log it says first what its numbers force and what they rule out. With --variables, --status
/// or --collected it advises on the server too. The tables come by --schema, plans by --plans; with either and without FILE no log is read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Plain statements end in `;`. Each counts once, or as a comment in the line before it says:\n  \
        -- calls: 1200, total seconds: 36\n  \
        SELECT total FROM orders WHERE customer_id = 7;\n  \
        -- weight: 12.5\n  \
        SELECT COUNT(*) FROM orders;\n\n\
        Exit status: 0 done, 1 a finding that --fail-on names, 2 wrong usage or nothing to read, 130 stopped by Ctrl-C."
)]
pub struct Args {
    #[command(flatten)]
    inputs: inputs::Args,

    /// Tables: a dump without rows, SHOW CREATE TABLE or SHOW INDEX; may be repeated
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,

    /// Plans of the statements, of any form of EXPLAIN; may be repeated
    ///
    /// A plan belongs to the statement that stands above it, or to the query ID in a comment there:
    /// `-- query_id: 0x…`. Without either, plans belong to statements in order if there are as many.
    #[arg(long, value_name = "FILE")]
    plans: Vec<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

    /// Replay the log through a query cache of this size as well, such as 16M; may be repeated
    #[arg(long, value_name = "SIZE", value_parser = cache_size)]
    query_cache_size: Vec<u64>,

    /// Write there what the query cache does with each statement: source, offset, prediction
    ///
    /// At the present size, or at the first --query-cache-size where the cache is off.
    #[arg(long, value_name = "FILE")]
    query_cache_trace: Option<PathBuf>,

    /// Kinds of advice, with commas between [default: all]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    only: Vec<Only>,

    /// Review statements that have not run yet: nothing is too small to be told
    #[arg(long)]
    review: bool,

    /// Exit with status 1 if a finding is at least so severe
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,

    /// How many blocks are shown in full; what is beyond is a line each
    #[arg(long, default_value = "10", value_name = "N")]
    limit: NonZeroUsize,

    /// Format of the advice
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    output: Format,

    /// Write the advice there; the file is whole or not there
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,

    /// Use colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: output::When,

    #[command(flatten)]
    threads: inputs::Threads,

    #[command(flatten)]
    manners: output::Manners,
}

/// What is known of the server.
#[derive(Debug, clap::Args)]
#[group(skip)]
struct ServerArgs {
    /// What SHOW GLOBAL VARIABLES printed, in any form of the client
    #[arg(long, value_name = "FILE")]
    variables: Option<PathBuf>,

    /// What SHOW GLOBAL STATUS printed; given twice, before and after, their difference is used
    #[arg(long, value_name = "FILE")]
    status: Vec<PathBuf>,

    /// The option file of the server, my.cnf; files that it includes are given the same way
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,

    /// Memory of the machine, such as 64G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,

    /// Processor cores of the machine
    #[arg(long, value_name = "N")]
    cores: Option<NonZeroUsize>,

    /// Disk of the data
    #[arg(long, value_enum, value_name = "KIND")]
    disk: Option<DiskKind>,

    /// What a monitor showed while the load ran, such as tps=259,qps=2500..3000
    ///
    /// Figures a second: tps (transactions), qps (statements), sorts, sorted-rows; cpu in percent of
    /// all cores. They test what the log claims.
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE", value_parser = monitor::parse)]
    observed: Vec<(Figure, Range)>,

    /// What the script of `adagio collect` printed: used where nothing is given by itself
    ///
    /// Variables, two looks at the counters, samples of Threads_running, process states, tables and
    /// plans. The options for one of these, such as --schema, go before it.
    #[arg(long, value_name = "FILE")]
    collected: Option<PathBuf>,

    /// An error text or process state to explain, or a file of such; may be repeated
    #[arg(long, value_name = "TEXT")]
    symptom: Vec<String>,
}

/// Kinds of disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiskKind {
    Hdd,
    Ssd,
    Nvme,
}

/// Reads `--memory`.
fn size(text: &str) -> Result<u64, String> {
    let expected = || format!("\"{text}\" is no size; expected bytes or a unit, such as 64G");
    machine::size(text).filter(|size| *size > 0).ok_or_else(expected)
}

impl ServerArgs {
    fn is_empty(&self) -> bool {
        self.variables.is_none()
            && self.status.is_empty()
            && self.config.is_empty()
            && self.symptom.is_empty()
            && self.collected.is_none()
    }

    /// Reads what was collected, if the user gives it.
    fn collected(&self, redact: bool) -> anyhow::Result<Option<(String, Collected)>> {
        let Some(path) = &self.collected else { return Ok(None) };
        let text = Text { name: path.display().to_string(), bytes: inputs::read_whole(path)? };
        match collected::read(&text, redact) {
            Ok(collected) => Ok(Some((text.name, collected))),
            Err(looks) => bail!(
                "--collected: no mark of `adagio collect`, such as `adagio: variables`, in {}: {looks}",
                text.name
            ),
        }
    }

    /// Reads the files and says what is odd in them.
    fn facts(
        &self,
        collected: Option<(String, Collected)>,
        warnings: Warnings,
    ) -> anyhow::Result<ServerFacts> {
        if self.status.len() > 2 {
            bail!("--status: two files at most, before and after");
        }
        let text = |path: &PathBuf| -> anyhow::Result<Text> {
            Ok(Text { name: path.display().to_string(), bytes: inputs::read_whole(path)? })
        };
        let texts = |paths: &[PathBuf]| paths.iter().map(text).collect::<anyhow::Result<Vec<_>>>();
        let symptom = |given: &String| -> anyhow::Result<String> {
            let path = PathBuf::from(given);
            Ok(match path.is_file() {
                true => String::from_utf8_lossy(&inputs::read_whole(&path)?).into_owned(),
                false => given.clone(),
            })
        };
        let disk = self.disk.map(|disk| match disk {
            DiskKind::Hdd => Disk::Hdd,
            DiskKind::Ssd => Disk::Ssd,
            DiskKind::Nvme => Disk::Nvme,
        });
        let given = Given {
            variables: self.variables.as_ref().map(text).transpose()?,
            status: texts(&self.status)?,
            config: texts(&self.config)?,
            machine: Machine {
                memory: self.memory,
                cores: self.cores.map(|cores| cores.get() as u64),
                disk,
            },
            monitor: self.observed.iter().fold(
                Monitor::default(),
                |mut monitor, (figure, range)| {
                    monitor.set(*figure, *range);
                    monitor
                },
            ),
            symptoms: self.symptom.iter().map(symptom).collect::<anyhow::Result<Vec<_>>>()?,
            collected,
            redact: warnings.redact,
        };
        let (facts, told) = server_facts::read(given)?;
        warn_of(&told, warnings);
        Ok(facts)
    }
}

/// Says what is odd about evidence: some of it, or all.
fn warn_of(told: &[String], warnings: Warnings) {
    let most = if warnings.verbose { told.len() } else { 5 };
    if warnings.quiet {
        return;
    }
    told.iter().take(most).for_each(|it| warn(it));
    if told.len() > most {
        warn(&format!("{} more of the kind (-v tells all)", told.len() - most));
    }
}

/// Reads `--query-cache-size`.
fn cache_size(text: &str) -> Result<u64, String> {
    match size(text)? {
        bytes if bytes < query_cache_rules::LEAST => {
            Err("the server makes anything below 50K a cache of size 0".to_owned())
        }
        bytes => Ok(bytes),
    }
}

impl Args {
    /// What is asked of the query cache. Replaying a log takes a single thread, so it has to be
    /// asked for, or the variables have to tell that there is such a cache.
    fn cached(&self, facts: &ServerFacts) -> Cached {
        let is_named = self.only.contains(&Only::QueryCache)
            || !self.query_cache_size.is_empty()
            || self.query_cache_trace.is_some();
        let is_there = facts.variables.has("query_cache_size") && self.only.is_empty();
        Cached {
            is_wanted: is_named || is_there,
            sizes: self.query_cache_size.clone(),
            traces: self.query_cache_trace.is_some(),
        }
    }

    /// Takes tables and plans out of what was collected, where none are given by themselves.
    fn take_collected(
        &self,
        name: &str,
        collected: &mut Collected,
        request: &mut Request,
        has_input: bool,
        warnings: Warnings,
    ) {
        if self.schema.is_empty() {
            inputs::warn_of_schema(name, &collected.schema_problems, warnings);
            request.schema = collected.schema.take();
        }
        match collected.plans.take().filter(|_| self.plans.is_empty()) {
            Some(_) if !has_input && !warnings.quiet => {
                warn(&format!("{name}: its plans belong to classes of a log, which is not given"));
            }
            plans => request.plan_text = plans.filter(|_| has_input),
        }
    }

    /// Whether what is given besides takes the place of an input.
    fn has_evidence(&self) -> bool {
        !self.schema.is_empty() || !self.plans.is_empty() || !self.server.is_empty()
    }

    fn kind(&self) -> anyhow::Result<Kind> {
        match (self.inputs.kind, self.review) {
            (Type::Slowlog, true) => bail!("--review is for statements without a log: --type sql"),
            (Type::Sql, _) | (Type::Auto, true) => Ok(Kind::Statements),
            (Type::Slowlog, false) => Ok(Kind::SlowLog),
            (Type::Auto, false) => Ok(Kind::Auto),
        }
    }

    fn look(&self) -> Look {
        let is_terminal = self.output_file.is_none() && self.output == Format::Text;
        Look {
            width: output::width().filter(|_| is_terminal).unwrap_or(80),
            colour: self.output == Format::Text
                && output::is_coloured(self.color, self.output_file.is_some()),
            depth: if self.manners.is_verbose() { Depth::Full } else { Depth::Usual },
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let warnings = args.manners.warnings(args.inputs.redact);
    let kind = args.kind()?;
    let paths = args.inputs.files.as_slice();
    let paths = (!paths.is_empty() || !args.has_evidence()).then_some(paths);
    if args.review && paths.is_none() {
        bail!("--review: no statements: give FILE, or - for standard input");
    }
    if paths.is_none() && inputs::is_piped() {
        warn("standard input is not read beside evidence: give - to read it");
    }
    let everything = Limit { percent: Some(100.0), count: None };
    let mut request =
        args.inputs.request(Group::Fingerprint, Order::default(), everything, None)?;
    request.plans = args.plans.clone();
    request.threads = args.threads.threads.map_or(0, usize::from);
    request.schema = inputs::schema(&args.schema, warnings)?;
    let mut collected = args.server.collected(warnings.redact)?;
    if let Some((name, collected)) = &mut collected {
        warn_of(&collected.told, warnings);
        args.take_collected(name, collected, &mut request, paths.is_some(), warnings);
    }
    let judging = Arc::new(AtomicBool::new(false));
    let facts = args.server.facts(collected, warnings)?;
    let ask = Ask {
        request,
        judging: Arc::clone(&judging),
        kind,
        cached: args.cached(&facts),
        facts,
        is_review: args.review,
        only: args.only.iter().map(|only| only.category()).collect(),
    };
    let stop = output::stop_flag_until(judging);
    let consultation = Consultation::open(paths, ask, Arc::clone(&stop))?;
    let shown = args.manners.show(consultation.progress());
    let advised = consultation.run();
    drop(shown);
    let advised = advised?;
    let is_empty = tell(&advised, warnings);
    let look = args.look();
    output::write(args.output_file.as_ref(), |out| match args.output {
        Format::Text => text::write(&advised, args.limit.get(), &look, out),
        Format::Markdown => markdown::write(&advised, args.limit.get(), &look, out),
        Format::Json => json::write(&advised, args.inputs.redact, out),
    })?;
    if let Some(path) = &args.query_cache_trace {
        write_trace(&advised, path)?;
    }
    let fails = args.fail_on.is_some_and(|least| fails(&advised, least));
    Ok(match stop.load(Ordering::Relaxed) {
        true => super::STOPPED,
        // Whoever was to write the statements has failed.
        false if args.fail_on.is_some() && is_empty => super::FAILED,
        false if fails => super::FOUND,
        false => super::DONE,
    })
}

/// Writes what the query cache does with each statement.
fn write_trace(advised: &Advised, path: &PathBuf) -> anyhow::Result<()> {
    let Some(simulated) = &advised.query_cache else {
        bail!("--query-cache-trace: no log was read");
    };
    if let Some(reason) = &simulated.refused {
        bail!("--query-cache-trace: {reason}");
    }
    anyhow::ensure!(
        !simulated.sizes.is_empty(),
        "--query-cache-trace: the cache is off; name a size with --query-cache-size"
    );
    let names: Vec<&str> = advised.inputs.iter().map(Source::name).collect();
    output::write(Some(path), |out| query_cache::write_trace(simulated, &names, out))
}

/// Whether a gate stays shut: a finding is severe, or a statement under review could not be read.
fn fails(advised: &Advised, least: FailOn) -> bool {
    let unread = advised.counsel.advice.unread.len();
    let is_blind = advised.is_review && unread > 0;
    if is_blind {
        let noun = if unread == 1 { "statement" } else { "statements" };
        warn(&format!("--fail-on: {unread} {noun} could not be read"));
    }
    let worst = advised.counsel.advice.findings.iter().map(|it| it.severity).max();
    is_blind || worst >= Some(least.severity())
}

/// Says on standard error what is odd about the inputs; true if one of them is empty.
fn tell(advised: &Advised, warnings: Warnings) -> bool {
    let empty = advised.inputs.iter().filter(|input| input.bytes() == 0);
    let is_empty =
        empty.map(|input| warn(&format!("{}: the input is empty", input.name()))).count() > 0;
    if warnings.quiet {
        return is_empty;
    }
    for input in &advised.inputs {
        match input {
            Source::Log(log) => output::warn_of_log(log, warnings),
            Source::Statements(statements) => {
                let name = &statements.name;
                output::warn_of_problems(name, &statements.problems, warnings);
            }
        }
    }
    output::warn_of_plans(&advised.plan_inputs, warnings);
    output::warn_of_lost_plans(&advised.plans_without_class);
    is_empty
}
