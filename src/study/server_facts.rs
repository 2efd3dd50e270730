//! What is known of a server, out of the texts that the user gives.

use crate::error::Error;
use crate::logs::guess;
use crate::server::{self, Config, Machine, ServerFacts, Version};

use super::collected::Collected;

/// A text and the name that the user gave it by.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// The name of its file.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// All that is given on a server.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// What SHOW GLOBAL VARIABLES printed.
    pub variables: Option<Text>,
    /// What SHOW GLOBAL STATUS printed, before and after.
    pub status: Vec<Text>,
    /// Option files, as one in this order.
    pub config: Vec<Text>,
    /// The machine.
    pub machine: Machine,
    /// Error texts and process states.
    pub symptoms: Vec<String>,
    /// What the script of `adagio collect` printed: used where nothing is given by itself.
    pub collected: Option<(String, Collected)>,
}

/// Reads what is given. Besides the facts there are messages on what is odd in it.
///
/// Errors: a text that holds nothing of what it was given for.
pub fn read(given: Given) -> Result<(ServerFacts, Vec<String>), Error> {
    let mut facts =
        ServerFacts { machine: given.machine, symptoms: given.symptoms, ..ServerFacts::default() };
    let mut told = Vec::new();
    let mut samples = Vec::new();
    if let Some(text) = &given.variables {
        let read = server::read(&text.bytes);
        if read.variables.is_empty() {
            return Err(Error::Usage(match read.samples.is_empty() {
                false => format!("--variables: {} holds counters: give it by --status", text.name),
                true => format!(
                    "--variables: no variable, such as version, in {}: {}",
                    text.name,
                    guess::looks(&text.bytes)
                ),
            }));
        }
        if read.is_cut {
            told.push(format!("{}: the print is cut: what is missing is not known", text.name));
        }
        facts.variables = read.variables;
        if given.status.is_empty() {
            samples = read.samples;
        }
        tell_version(&text.name, &facts, &mut told);
    }
    if let Some((name, collected)) = given.collected {
        let Collected { variables, status, running, process_lists, states, .. } = collected;
        if given.variables.is_none() && !variables.is_empty() {
            facts.variables = variables;
            tell_version(&name, &facts, &mut told);
        }
        if given.status.is_empty() && samples.is_empty() {
            samples = status;
        }
        facts.running = running;
        facts.process_lists = process_lists;
        facts.symptoms.extend(states);
    }
    for text in &given.status {
        let read = server::read(&text.bytes);
        if read.samples.is_empty() {
            return Err(Error::Usage(match read.variables.is_empty() {
                false => format!("--status: {} holds variables: give it by --variables", text.name),
                true => format!(
                    "--status: no counter, such as Uptime, in {}: {}",
                    text.name,
                    guess::looks(&text.bytes)
                ),
            }));
        }
        if read.is_cut {
            told.push(format!("{}: the print is cut: what is missing is not known", text.name));
        }
        samples.extend(read.samples);
    }
    if samples.len() > 2 {
        told.push(format!("{} samples of the counters: the last two are used", samples.len()));
    }
    samples.into_iter().for_each(|sample| facts.status.add(sample));
    if !facts.status.is_empty() && facts.status.uptime().is_none() {
        told.push("no counter Uptime: there are no rates".to_owned());
    }
    if facts.status.is_out_of_order() {
        told.push(
            "the second sample of the counters is of a shorter uptime: the server was started \
             between, or they are swapped; the second alone is used, since the start"
                .to_owned(),
        );
    }
    if !given.config.is_empty() {
        facts.config = Some(config(&given.config, &facts, &mut told)?);
    }
    Ok((facts, told))
}

/// Says what the version of the variables means for the rules.
fn tell_version(name: &str, facts: &ServerFacts, told: &mut Vec<String>) {
    match facts.version() {
        None => {
            told.push(format!("{name}: no variable `version`: rules that depend on it stay silent"))
        }
        Some(Version { family: crate::flavor::Family::TiDb, .. }) => {
            told.push(format!("{name}: these are variables of TiDB, for which there are no rules"))
        }
        Some(_) => {}
    }
}

fn config(texts: &[Text], facts: &ServerFacts, told: &mut Vec<String>) -> Result<Config, Error> {
    let mut whole = Vec::new();
    for text in texts {
        let config = Config::read(&text.bytes, facts.version().as_ref());
        let is_variables = !server::read(&text.bytes).variables.is_empty();
        if config.options.is_empty() && is_variables {
            return Err(Error::Usage(format!(
                "--config: {} is a print of variables: give it by --variables",
                text.name
            )));
        }
        if config.options.is_empty() && config.problems.is_empty() {
            told.push(format!("{}: no option for the server in it", text.name));
        } else if config.options.is_empty() {
            return Err(Error::Usage(format!(
                "--config: no group of options, such as [mysqld], in {}: {}",
                text.name,
                guess::looks(&text.bytes)
            )));
        }
        told.extend(config.problems.iter().map(|problem| format!("{}: {problem}", text.name)));
        whole.extend_from_slice(&text.bytes);
        whole.push(b'\n');
    }
    Ok(Config::read(&whole, facts.version().as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, bytes: &str) -> Text {
        Text { name: name.to_owned(), bytes: bytes.as_bytes().to_vec() }
    }

    const VARIABLES: &str = "version\t8.4.2\nmax_connections\t151\n";
    const STATUS: &str = "Uptime\t7200\nQuestions\t90\n";

    #[track_caller]
    fn refused(given: Given, words: &[&str]) {
        let error = read(given).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }

    #[test]
    fn what_is_given_for_the_wrong_thing_is_refused() {
        let given = Given { variables: Some(text("s.tsv", STATUS)), ..Given::default() };
        refused(given, &["s.tsv holds counters", "--status"]);
        let given = Given { status: vec![text("v.tsv", VARIABLES)], ..Given::default() };
        refused(given, &["v.tsv holds variables", "--variables"]);
        let given = Given { config: vec![text("v.tsv", VARIABLES)], ..Given::default() };
        refused(given, &["v.tsv is a print of variables"]);
        let noise = || text("n.bin", "\u{0}\u{1}GIF89a\t\t\n");
        refused(Given { variables: Some(noise()), ..Given::default() }, &["n.bin"]);
        refused(Given { status: vec![noise()], ..Given::default() }, &["n.bin"]);
        refused(Given { config: vec![noise()], ..Given::default() }, &["n.bin"]);
    }

    #[test]
    fn one_text_may_hold_both() {
        let both = format!("Variable_name\tValue\n{VARIABLES}\nVariable_name\tValue\n{STATUS}");
        let given = Given { variables: Some(text("all.tsv", &both)), ..Given::default() };
        let (facts, told) = read(given).unwrap();
        assert_eq!((facts.variables.len(), facts.status.uptime()), (2, Some(7_200)));
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn what_is_odd_is_told() {
        let given = Given {
            variables: Some(text("v.tsv", "max_connections\t151\n")),
            status: vec![text("a", STATUS), text("b", "Uptime\t60\nQuestions\t1\n")],
            config: vec![text("my.cnf", "[mysqld]\nport=1\n!include x\n")],
            ..Given::default()
        };
        let (_, told) = read(given).unwrap();
        let words = ["no variable `version`", "shorter uptime", "!include x"];
        assert!(words.iter().zip(&told).all(|(word, it)| it.contains(word)), "{told:?}");
        assert_eq!(told.len(), words.len());
    }
}
