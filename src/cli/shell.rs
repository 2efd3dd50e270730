//! `adagio completions` and `adagio man`.

use std::io::{self, Write};

use clap_complete::Shell;

/// Print completions for a shell
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual pages, one behind the other
#[derive(Debug, clap::Args)]
pub struct Man {}

/// Runs `completions`.
pub fn completions(args: &Completions, command: &mut clap::Command) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, command, "adagio", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(super::DONE)
}

/// Runs `man`.
pub fn man(mut command: clap::Command) -> anyhow::Result<u8> {
    command.build();
    let mut out = io::stdout().lock();
    clap_mangen::Man::new(command.clone()).render(&mut out)?;
    for subcommand in command.get_subcommands().filter(|c| c.get_name() != "help") {
        clap_mangen::Man::new(subcommand.clone()).render(&mut out)?;
    }
    Ok(super::DONE)
}
