//! From what was typed to what is meant: commands, their options, exit status.

mod advise;
mod collect;
mod digest;
mod explain;
mod export;
mod fingerprint;
mod inputs;
mod output;
mod rules;
mod shell;
mod values;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

/// Rank the queries of MySQL and MariaDB slow logs by the time they took
#[derive(Debug, Parser)]
#[command(name = "adagio", version, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true, args_override_self = true)]
#[command(after_help = "Examples:\n  \
    adagio digest /var/log/mysql/slow.log\n  \
    adagio digest slow.log.*.gz --since 2026-03-06 --where \"db = 'shop'\"\n  \
    tail -n 100000 slow.log | adagio digest -o json | jq '.classes[0]'")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Advise(Box<advise::Args>),
    Collect(Box<collect::Args>),
    Digest(Box<digest::Args>),
    Explain(explain::Args),
    Export(export::Args),
    Fingerprint(fingerprint::Args),
    Rules(rules::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// The run went well.
const DONE: u8 = 0;
/// The run went well and found what `--fail-on` names.
const FOUND: u8 = 1;
/// The run failed: wrong usage, or the input cannot be read at all.
const FAILED: u8 = 2;
/// The run was stopped by Ctrl-C.
const STOPPED: u8 = 130;

/// Parses the arguments and runs.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let done = match &arguments.command {
        Command::Advise(args) => advise::run(args),
        Command::Collect(args) => collect::run(args),
        Command::Digest(args) => digest::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Export(args) => export::run(args),
        Command::Fingerprint(args) => fingerprint::run(args),
        Command::Rules(args) => rules::run(args),
        Command::Completions(args) => shell::completions(args, &mut Arguments::command()),
        Command::Man(_) => shell::man(Arguments::command()),
    };
    match done {
        Ok(status) => ExitCode::from(status),
        Err(error) if is_closed_pipe(&error) => ExitCode::from(DONE),
        Err(error) => {
            eprintln!("adagio: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

/// Prints help, or what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    // Printing fails only if nobody reads.
    let _ = error.print();
    if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name))) =
        (error.kind(), error.get(ContextKind::InvalidSubcommand))
        && Path::new(name).exists()
    {
        eprintln!("\n  tip: to digest a slow log: adagio digest {name}");
    }
    ExitCode::from(error.exit_code() as u8)
}

/// `| head` is not an error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind).or_else(|| {
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
        });
        io == Some(io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
