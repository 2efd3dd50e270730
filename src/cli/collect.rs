//! `adagio collect`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use adagio::digest::Group;
use adagio::report::collect::{self, Databases, Script, Target};
use adagio::report::profile::{Limit, Order};
use adagio::study::Study;
use adagio::study::collect::{OfLog, of_log};
use anyhow::anyhow;
use clap::ValueEnum;

use super::output::{self, warn};
use super::{inputs, values};

/// Servers that a script may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum For {
    /// MySQL, Percona Server, Aurora
    Mysql,
    /// MariaDB
    Mariadb,
}

/// Print the statements that gather evidence on a server, as one SQL script
///
/// Nothing is run: read the script, then run it by hand. It only reads. With a slow log it asks for
/// the tables of the log and for the plans of its worst statements, without one for the tables of
/// all databases. `adagio advise --collected` reads what the client prints.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
        adagio collect slow.log > collect.sql\n  \
        mariadb --force --table --default-character-set=utf8mb4 < collect.sql > collected.txt\n  \
        adagio advise slow.log --collected collected.txt\n\n\
        Exit status: 0 done, 2 wrong usage or nothing to read, 130 stopped by Ctrl-C.")]
pub struct Args {
    #[command(flatten)]
    inputs: inputs::Args,

    /// Leave out what the other family alone has [default: a script for both]
    #[arg(long = "for", value_enum, value_name = "SERVER")]
    target: Option<For>,

    /// How often to look at what runs
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    samples: u32,

    /// Seconds between the two looks at the counters
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    interval: u32,

    /// All tables of these databases, by information_schema; with commas between, or repeated
    ///
    /// Without it: the tables of the log, or where no log is given those of all databases.
    #[arg(long, value_name = "DB", value_delimiter = ',')]
    schema_of: Vec<String>,

    /// How many classes of the log are explained: `N`, `P%` of the time, `P%:N` at most N
    #[arg(long, value_parser = values::limit, default_value = "100%:20", value_name = "LIMIT")]
    limit: Limit,

    /// Write the script there; the file is whole or not there
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    threads: inputs::Threads,

    #[command(flatten)]
    manners: output::Manners,
}

/// Seconds below which the rules take no difference of counters for a rate.
const LEAST_INTERVAL: u32 = 10;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    args.inputs.refuse_statements()?;
    let warnings = args.manners.warnings(args.inputs.redact);
    let databases = args.schema_of.iter().map(|db| {
        collect::name(db.as_bytes()).ok_or_else(|| {
            anyhow!("--schema-of: {db:?} is no name without quotes and control characters")
        })
    });
    let databases = databases.collect::<anyhow::Result<Vec<String>>>()?;
    if args.interval < LEAST_INTERVAL && !warnings.quiet {
        warn(&format!("--interval: below {LEAST_INTERVAL} s counters tell no rates"));
    }
    let stop = output::stop_flag();
    let has_log = !args.inputs.files.is_empty();
    if !has_log && !warnings.quiet && inputs::is_piped() {
        warn("standard input is not read without FILE: give - to read it");
    }
    let OfLog { tables, statements, left_out } = if has_log {
        let mut request =
            args.inputs.request(Group::Fingerprint, Order::default(), args.limit, None)?;
        request.threads = args.threads.threads.map_or(0, usize::from);
        let study = Study::open(&args.inputs.files, request, Arc::clone(&stop))?;
        let shown = args.manners.show(study.progress());
        let report = study.run();
        drop(shown);
        let report = report?;
        args.manners.warn(&report, args.inputs.redact);
        // A statement cannot be explained without its literals.
        of_log(&report, !args.inputs.redact)
    } else {
        OfLog::default()
    };
    if stop.load(Ordering::Relaxed) {
        // Half a log names half of the tables: there is no script.
        return Ok(super::STOPPED);
    }
    let script = Script {
        target: match args.target {
            None => Target::Any,
            Some(For::Mysql) => Target::MySql,
            Some(For::Mariadb) => Target::MariaDb,
        },
        samples: args.samples,
        interval: args.interval,
        databases: match (databases.is_empty(), has_log) {
            (false, _) => Databases::These(databases),
            (true, true) => Databases::None,
            (true, false) => Databases::All,
        },
        tables,
        statements,
        left_out,
    };
    output::write(args.output_file.as_ref(), |out| collect::write(&script, out))?;
    Ok(super::DONE)
}
