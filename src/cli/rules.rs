//! `adagio rules`.

use adagio::advice;
use adagio::report::rules::{find, list, nearest, page};
use anyhow::bail;

use super::output;

/// Print the rules of the advice, or the page of one
///
/// A line for each rule: its code, its name, what it is about and what is wrong. With a code or a
/// name its page: what it costs, when the rule is wrong, how to verify it, and examples.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  adagio rules | grep join\n  adagio rules SQL001\n  adagio rules function-on-column"
)]
pub struct Args {
    /// Code or name of a rule, in any letter case: `SQL001`, `function-on-column`
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<u8> {
    let rules = advice::rules();
    let text = match &args.code {
        None => list(&rules),
        Some(called) => match find(&rules, called) {
            Some(rule) => page(rule),
            None => bail!(
                "no rule is called {called:?}; the nearest are {}",
                nearest(&rules, called).join(", ")
            ),
        },
    };
    output::write(None, |out| out.write_all(text.as_bytes()))?;
    Ok(super::DONE)
}
