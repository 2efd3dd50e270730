//! `adagio explain`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adagio::report::plans::{Depth, Look, Review, diff, json, markdown, text};
use adagio::study::plan_diff;
use adagio::study::plans::review;
use clap::ValueEnum;

use super::{inputs, output};

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
    let review = review(&args.files, statements.as_deref(), &stop)?;
    if !args.quiet {
        warn(&review, args.verbose);
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
    Ok(super::DONE)
}

/// Says on standard error what is odd about the inputs.
fn warn(review: &Review, verbose: bool) {
    for input in &review.inputs {
        let name = &input.name;
        if input.plans == 0 && input.bytes > 0 {
            eprintln!("adagio: {name}: no EXPLAIN output: {}", input.looks);
        }
        let most = if verbose { input.problems.len() } else { 1 };
        for problem in input.problems.iter().take(most) {
            eprintln!("adagio: {name}: {}", problem.told(false));
        }
        let more = input.problems.len().saturating_sub(most);
        if more > 0 {
            eprintln!("adagio: {name}: {more} more of the kind (-v tells where)");
        }
    }
    match review.plans_without_statement {
        0 => {}
        1 => eprintln!("adagio: 1 plan has no statement in --query"),
        plans => eprintln!("adagio: {plans} plans have no statement in --query"),
    }
    match review.statements_without_plan {
        0 => {}
        1 => eprintln!("adagio: 1 statement of --query has no plan"),
        statements => eprintln!("adagio: {statements} statements of --query have no plan"),
    }
}
