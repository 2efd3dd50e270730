//! `adagio fingerprint`.

use std::path::PathBuf;

use adagio::digest::fingerprint_as_peer;
use adagio::logs::statements::statements;
use adagio::sql::fingerprint::{ClassId, collapse_digits, fingerprint};
use clap::ValueEnum;

use super::inputs::{Compat, read_whole};
use super::output;

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Type {
    /// Plain statements
    Auto,
    /// Plain statements
    Sql,
}

/// Print the query ID and the fingerprint of each statement
///
/// Reads statements that end in `;` (the last one may lack it) and prints a line for each: the
/// ID, a tab, the fingerprint. `DELIMITER` lines of the client are honoured.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files of statements; `-` or none is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// What the input is
    #[arg(long = "type", value_enum, default_value = "auto", value_name = "TYPE")]
    kind: Type,

    /// Fingerprints and IDs exactly as pt-query-digest 3.7.1 makes them
    #[arg(long, value_enum, value_name = "TOOL")]
    compat: Option<Compat>,

    /// Fold digits in table and database names
    #[arg(long)]
    collapse_digits: bool,

    /// Digits of the query ID: 32, or the last 16
    #[arg(long, value_parser = ["32", "16"], default_value = "32", value_name = "N")]
    id_length: String,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let texts = files.iter().map(|file| read_whole(file)).collect::<anyhow::Result<Vec<_>>>()?;
    output::write(None, |out| {
        for statement in texts.iter().flat_map(|text| statements(text)) {
            let text = match args.compat {
                Some(Compat::Pt) => fingerprint_as_peer(statement),
                None => fingerprint(statement),
            };
            let text = if args.collapse_digits { collapse_digits(&text) } else { text };
            let id = ClassId::of(&text).to_string();
            let id = if args.id_length == "16" { &id[16..] } else { &id };
            write!(out, "{id}\t")?;
            out.write_all(&text)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })?;
    Ok(super::DONE)
}
