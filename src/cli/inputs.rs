//! Options of every command that reads a log.

use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use adagio::digest::filter::Filter;
use adagio::digest::stat::Rules;
use adagio::digest::{Group, Options};
use adagio::report::profile::{Limit, Order, Outliers};
use adagio::schema::{Problem, Schema};
use adagio::source::compressed;
use adagio::sql::condition::Condition;
use adagio::study::Request;
use adagio::time::{Timestamp, Zone, typed};
use anyhow::{Context, anyhow};
use clap::ValueEnum;

use super::output::{Warnings, warn};

/// Which tool's figures and IDs are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// pt-query-digest 3.7.1
    Pt,
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Type {
    /// Told by content
    Auto,
    /// Slow query log file
    Slowlog,
    /// Plain statements, for `advise`
    Sql,
}

/// Inputs and which of their events count.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Args {
    /// Logs to read, as one log in the order given; `-` or none is standard input
    ///
    /// Files packed by gzip, zstd, xz or bzip2 are read as they are.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What the input is
    #[arg(long = "type", value_enum, default_value = "auto", value_name = "TYPE")]
    pub kind: Type,

    /// Keep events from this time on: `2026-03-06 17:00`, `1700000000`, or an age like `12h`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,

    /// Keep events before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,

    /// Keep events for which a SQL condition holds, such as `db = 'shop' AND Query_time > 0.5`
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,

    /// Zone of printed times and of typed ones without a zone: `UTC`, `+02:00`, `Europe/Berlin`
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    tz: String,

    /// Zone in which a log without zone marks was written [default: told by SET timestamp]
    #[arg(long, value_name = "ZONE")]
    log_tz: Option<String>,

    /// Fold digits in table and database names, so that shards fall into one class
    #[arg(long)]
    collapse_digits: bool,

    /// Fingerprints, IDs and figures exactly as pt-query-digest 3.7.1 makes them
    #[arg(long, value_enum, value_name = "TOOL")]
    compat: Option<Compat>,

    /// Never print a literal: statements are shown as fingerprints
    ///
    /// Not with `--compat pt`, whose fingerprints may hold pieces of literals.
    #[arg(long, conflicts_with = "compat")]
    pub redact: bool,
}

/// Threads; only where a command uses more than one.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Threads {
    /// Threads; the result never depends on it [default: one for each core]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

impl Args {
    /// How figures and fingerprints are made.
    pub fn rules(&self) -> Rules {
        match self.compat {
            Some(Compat::Pt) => Rules::Peer,
            None => Rules::Default,
        }
    }

    /// Names of the inputs.
    fn names(&self) -> Vec<String> {
        match self.files.as_slice() {
            [] => vec!["-".to_owned()],
            files => files.iter().map(|file| file.display().to_string()).collect(),
        }
    }

    /// The zone of printed times.
    pub fn zone(&self) -> anyhow::Result<Zone> {
        Zone::named(&self.tz).map_err(|error| anyhow!("--tz: {error}"))
    }

    /// Refuses an input that has no events.
    pub fn refuse_statements(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.kind != Type::Sql,
            "--type sql: plain statements have no times; see `adagio advise`"
        );
        Ok(())
    }

    /// What is meant.
    pub fn request(
        &self,
        group: Group,
        order: Order,
        limit: Limit,
        outliers: Option<Outliers>,
    ) -> anyhow::Result<Request> {
        let zone = self.zone()?;
        let time = |option: &str, text: &Option<String>| {
            let typed = text.as_ref().map(|text| typed(text, &zone, now()));
            typed.transpose().map_err(|error| anyhow!("{option}: {error}"))
        };
        let log_zone = self.log_tz.as_deref().map(Zone::named).transpose();
        let condition = self.condition.as_deref().map(Condition::parse).transpose();
        let filter = Filter {
            since: time("--since", &self.since)?,
            until: time("--until", &self.until)?,
            condition: condition.context("--where")?,
            sources: self.names(),
        };
        let options = Options {
            rules: self.rules(),
            group,
            order: order.attribute.clone(),
            collapse_digits: self.collapse_digits,
            filter,
            timeline: false,
            most_classes: None,
        };
        Ok(Request {
            options,
            order,
            limit,
            outliers,
            log_zone: log_zone.map_err(|error| anyhow!("--log-tz: {error}"))?,
            threads: 0,
            plans: Vec::new(),
            plan_text: None,
            schema: None,
            redact: self.redact,
            advises: false,
        })
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(since.as_micros() as i64)
}

/// The plain text of a file, or of standard input for `-`; a byte order mark is taken off.
pub fn read_whole(path: &Path) -> anyhow::Result<Vec<u8>> {
    let failed = || format!("cannot read {}", path.display());
    let reader: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        anyhow::ensure!(!path.is_dir(), "{} is a directory", path.display());
        Box::new(std::fs::File::open(path).with_context(failed)?)
    };
    let (_, mut reader) = compressed::open(reader).with_context(failed)?;
    let mut text = Vec::new();
    reader.read_to_end(&mut text).with_context(failed)?;
    let mark = text.starts_with(b"\xef\xbb\xbf");
    if mark {
        text.drain(..3);
    }
    Ok(text)
}

/// Reads the schema, and says what could not be read.
pub fn schema(paths: &[PathBuf], manners: Warnings) -> anyhow::Result<Option<Schema>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let mut schema = Schema::default();
    for path in paths {
        let text = read_whole(path)?;
        let name = path.display().to_string();
        let problems = schema.add(&text, &name);
        warn_of_schema(&name, &problems, manners);
    }
    if schema.tables().len() == 0 && !manners.quiet {
        warn("no table in --schema");
    }
    Ok(Some(schema))
}

/// Says what could not be read of tables: the first piece, or all of them.
pub fn warn_of_schema(name: &str, problems: &[Problem], manners: Warnings) {
    let Warnings { quiet, verbose, redact } = manners;
    if quiet {
        return;
    }
    let most = if verbose { problems.len() } else { 1 };
    for problem in problems.iter().take(most) {
        warn(&problem.told(redact));
    }
    let more = problems.len().saturating_sub(most);
    if more > 0 {
        warn(&format!("{name}: {more} more of the kind (-v tells where)"));
    }
}

/// Whether something is piped or redirected into standard input.
pub fn is_piped() -> bool {
    use std::os::fd::AsFd;
    let Ok(copy) = std::io::stdin().as_fd().try_clone_to_owned() else { return false };
    let kind = std::fs::File::from(copy).metadata().map(|it| it.file_type());
    kind.is_ok_and(|kind| kind.is_file() || std::os::unix::fs::FileTypeExt::is_fifo(&kind))
}
