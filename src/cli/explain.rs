//! `adagio explain`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adagio::advice::Severity;
use adagio::report::plans::{Depth, Look, Review, diff, json, markdown, text};
use adagio::study::plan_diff;
use adagio::study::plans::{Given, review};
use clap::ValueEnum;

use super::inputs;
use super::output::{self, Warnings};

/// Formats of the review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// For a ticket or a merge request
    Markdown,
    /// For programs
    Json,
}

/// From which severity on a finding fails the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

impl FailOn {
    /// The least severity that fails.
    pub fn severity(self) -> Severity {
        match self {
            FailOn::Info => Severity::Info,
            FailOn::Low => Severity::Low,
            FailOn::Medium => Severity::Medium,
            FailOn::High => Severity::High,
            FailOn::Critical => Severity::Critical,
        }
    }
}

/// Review the plans in EXPLAIN output
///
/// Reads what EXPLAIN and ANALYZE print in any form, with anything around it: tables, `\G`, batch
/// mode, JSON of MySQL and MariaDB, TREE, the `# explain:` lines of a MariaDB slow log.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files with plans; `-` or none is standard input
    ///
    /// Files packed by gzip, zstd, xz or bzip2 are read as they are.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Statements that the plans belong to, in order
    #[arg(long, value_name = "FILE")]
    query: Option<PathBuf>,

    /// Tables of the plans: a dump without rows, SHOW CREATE TABLE or SHOW INDEX; repeatable
    ///
    /// With it findings name the columns of indexes, and comparisons of text with numbers are seen.
    #[arg(long, value_name = "FILE")]
    schema: Vec<PathBuf>,

    /// Exit with status 1 if a finding is at least so severe
    #[arg(long, value_enum, value_name = "SEVERITY", conflicts_with = "diff")]
    fail_on: Option<FailOn>,

    /// Format of the review
    #[arg(short, long, value_enum, default_value = "text", value_name = "FORMAT")]
    output: Format,

    /// Write the review there; the file is whole or not there
    #[arg(long, value_name = "FILE")]
    output_file: Option<PathBuf>,

    /// What changed between two plans: one in each of two files, or two in one
    #[arg(long)]
    diff: bool,

    /// The tree, its sums and the findings, without the steps in words
    #[arg(long, conflicts_with = "verbose")]
    brief: bool,

    /// Use colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: output::When,

    /// No warnings
    #[arg(short, long)]
    quiet: bool,

    /// What every value means, also where it does not matter; each warning in full
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,
}

impl Args {
    fn look(&self) -> Look {
        let is_terminal = self.output_file.is_none() && self.output == Format::Text;
        Look {
            width: output::width().filter(|_| is_terminal).unwrap_or(80),
            colour: self.output == Format::Text
                && output::is_coloured(self.color, self.output_file.is_some()),
            depth: match (self.brief, self.verbose) {
                (true, _) => Depth::Brief,
                (false, true) => Depth::Full,
                (false, false) => Depth::Usual,
            },
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let statements = args.query.as_deref().map(inputs::read_whole).transpose()?;
    // Nothing is kept of a run that is stopped: Ctrl-C ends it.
    let stop = Arc::new(AtomicBool::new(false));
    let warnings = Warnings { quiet: args.quiet, verbose: args.verbose, redact: false };
    let schema = inputs::schema(&args.schema, warnings)?;
    let given = Given { statements: statements.as_deref(), schema: schema.as_ref() };
    let review = review(&args.files, given, &stop)?;
    let empty = review.inputs.iter().filter(|input| input.bytes == 0);
    let is_empty =
        empty.map(|input| eprintln!("adagio: {}: the input is empty", input.name)).count() > 0;
    if !args.quiet {
        warn(&review, warnings);
    }
    let look = args.look();
    if args.diff {
        let comparison = plan_diff::diff(review)?;
        output::write(args.output_file.as_ref(), |out| match args.output {
            Format::Text => diff::write_text(&comparison, &look, out),
            Format::Markdown => diff::write_markdown(&comparison, &look, out),
            Format::Json => diff::json::write(&comparison, out),
        })?;
        return Ok(super::DONE);
    }
    output::write(args.output_file.as_ref(), |out| match args.output {
        Format::Text => text::write(&review, &look, out),
        Format::Markdown => markdown::write(&review, &look, out),
        Format::Json => json::write(&review, out),
    })?;
    Ok(match args.fail_on {
        // Whoever was to print the plan has failed.
        Some(_) if is_empty => super::FAILED,
        Some(least) if fails(&review, least) => super::FOUND,
        _ => super::DONE,
    })
}

/// Whether a gate stays shut: a finding is severe, or a plan could not be judged.
fn fails(review: &Review, least: FailOn) -> bool {
    let not_judged = review.plans.iter().filter(|plan| !plan.is_judged()).count();
    match not_judged {
        0 => {}
        1 => eprintln!("adagio: --fail-on: 1 plan could not be judged"),
        plans => eprintln!("adagio: --fail-on: {plans} plans could not be judged"),
    }
    let worst = review.plans.iter().flat_map(|plan| &plan.findings).map(|it| it.severity).max();
    not_judged > 0 || worst >= Some(least.severity())
}

/// Says on standard error what is odd about the inputs.
fn warn(review: &Review, warnings: Warnings) {
    output::warn_of_plans(&review.inputs, warnings);
    match review.plans_without_statement {
        0 => {}
        1 => eprintln!("adagio: 1 plan has no statement in --query"),
        plans => eprintln!("adagio: {plans} plans have no statement in --query"),
    }
    match review.statements_of_others {
        0 => {}
        1 => eprintln!("adagio: 1 statement of --query names no table of its plan: left out"),
        statements => {
            eprintln!(
                "adagio: {statements} statements of --query name no table of their plans: left out"
            );
        }
    }
    match review.statements_without_plan {
        0 => {}
        1 => eprintln!("adagio: 1 statement of --query has no plan"),
        statements => eprintln!("adagio: {statements} statements of --query have no plan"),
    }
}
