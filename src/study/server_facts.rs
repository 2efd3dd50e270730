//! What is known of a server, out of the texts that the user gives.

use crate::advice;
use crate::error::Error;
use crate::logs::guess;
use crate::server::{self, Config, Machine, Monitor, ServerFacts, Version};

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
    /// What a monitor showed.
    pub monitor: Monitor,
    /// Error texts and process states.
    pub symptoms: Vec<String>,
    /// What the script of `adagio collect` printed: used where nothing is given by itself.
    pub collected: Option<(String, Collected)>,
    /// Whether no message may hold what the texts say.
    pub redact: bool,
}

/// Reads what is given. Besides the facts there are messages on what is odd in it.
///
/// Errors: a text that holds nothing of what it was given for.
pub fn read(given: Given) -> Result<(ServerFacts, Vec<String>), Error> {
    let mut facts = ServerFacts {
        machine: given.machine,
        monitor: given.monitor,
        symptoms: given.symptoms,
        ..ServerFacts::default()
    };
    let mut told: Vec<String> =
        facts.symptoms.iter().filter_map(|text| unknown_symptom(text, given.redact)).collect();
    let mut samples = Vec::new();
    if let Some(text) = &given.variables {
        let read = server::read(ended(text, &mut told));
        if read.variables.is_empty() {
            return Err(Error::Usage(match read.samples.is_empty() {
                false => format!("--variables: {} holds counters: give it by --status", text.name),
                true => format!(
                    "--variables: no variable, such as version, in {}: {}",
                    text.name,
                    looks_else(&text.bytes)
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
        let Collected { variables, status, running, process_lists, states, seen, .. } = collected;
        if given.variables.is_none() && !variables.is_empty() {
            facts.variables = variables;
            tell_version(&name, &facts, &mut told);
        }
        if given.status.is_empty() && samples.is_empty() {
            samples = status;
        }
        facts.running = running;
        facts.process_lists = process_lists;
        facts.states = seen;
        facts.symptoms.extend(states);
    }
    for text in &given.status {
        let read = server::read(ended(text, &mut told));
        if read.samples.is_empty() {
            return Err(Error::Usage(match read.variables.is_empty() {
                false => format!("--status: {} holds variables: give it by --variables", text.name),
                true => format!(
                    "--status: no counter, such as Uptime, in {}: {}",
                    text.name,
                    looks_else(&text.bytes)
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

const JSON: &str = "it looks like JSON; give what the client prints, in a table or by tabs";
const UTF16: &str = "it looks like UTF-16 text; save it as UTF-8";

/// What a text looks like that is not what it was given for.
fn looks(text: &[u8]) -> &'static str {
    let body = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let head = body.get(..64 * 1024).unwrap_or(body);
    let has = |part: &[u8]| memchr::memmem::find(head, part).is_some();
    // Without a mark UTF-16 of Latin letters is a zero beside each of them.
    let zeros = head.iter().filter(|b| **b == 0).count();
    if head.len() > 1 && zeros * 10 > head.len() * 4 && zeros * 10 < head.len() * 6 {
        return UTF16;
    }
    if has(b"# Query_time: ") || has(b"# User@Host: ") {
        return "it looks like a slow log; give it as an input, without an option";
    }
    if head.starts_with(b"{") && !has(b"\"query_block\"")
        || [&b"[{"[..], b"[\n", b"[\r", b"[ "].iter().any(|it| head.starts_with(it))
    {
        return JSON;
    }
    guess::looks(text)
}

/// The same of a text that is no option file.
fn looks_else(text: &[u8]) -> &'static str {
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    match [&b"[mysqld]"[..], b"[mariadb]", b"[server]"].iter().any(|group| has(group)) {
        true => "it looks like an option file; give it by --config",
        false => looks(text),
    }
}

/// A text without a last line that has no end: of a file that was cut a number may have lost its
/// last digits, and a name its last letters.
fn ended<'a>(text: &'a Text, told: &mut Vec<String>) -> &'a [u8] {
    let bytes = &text.bytes;
    let at = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let (lines, last) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let shown = last.trim_ascii();
    // The end of a box is its end, and a comment says nothing.
    let is_told = |head: u8| matches!(head, b'|' | b'+');
    let is_whole = shown.first().is_none_or(|head| matches!(head, b'#' | b';' | b'['))
        || shown.first().copied().is_some_and(is_told)
            && shown.last().copied().is_some_and(is_told)
            && shown.len() > 1;
    if is_whole {
        return bytes;
    }
    // A text of one line that is nothing is refused for what it is.
    if !lines.is_empty() {
        told.push(format!(
            "{}: the last line has no end: it may be cut, and does not count",
            text.name
        ));
    }
    lines
}

/// A message on a symptom that no rule knows: it is passed over.
fn unknown_symptom(text: &str, redact: bool) -> Option<String> {
    const MOST: usize = 80;
    if advice::knows_symptom(text) {
        return None;
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let Some(line) = line else {
        return Some("--symptom: the text is empty".to_owned());
    };
    if redact {
        return Some("--symptom: no rule knows this text (not shown: --redact)".to_owned());
    }
    let shown = line.chars().map(|c| if c.is_control() { '?' } else { c });
    let head: String = shown.take(MOST).collect();
    let more = if line.chars().nth(MOST).is_some() { "…" } else { "" };
    Some(format!("--symptom: no rule knows this text: \"{head}{more}\""))
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
        // People end a file without a line end; a client never does.
        let lines = &text.bytes[..];
        if ended(text, &mut Vec::new()).len() < lines.len() {
            told.push(format!(
                "{}: the last line has no end: if the file was cut there, its last option is not the whole",
                text.name
            ));
        }
        let unmarked = lines.strip_prefix(b"\xef\xbb\xbf");
        if unmarked.is_some() {
            told.push(format!(
                "{}: it begins with a byte order mark, which a server takes for an option before \
                 the first group: it refuses the file",
                text.name
            ));
        }
        let lines = unmarked.unwrap_or(lines);
        let config = Config::read(lines, facts.version().as_ref());
        let is_variables = !server::read(&text.bytes).variables.is_empty();
        if config.options.is_empty() && is_variables {
            return Err(Error::Usage(format!(
                "--config: {} is a print of variables: give it by --variables",
                text.name
            )));
        }
        // A list in JSON and UTF-16 begin as a group does.
        let is_other = [JSON, UTF16].contains(&looks(&text.bytes));
        if config.options.is_empty() && config.problems.is_empty() && !is_other {
            told.push(format!("{}: no option for the server in it", text.name));
        } else if config.options.is_empty() {
            return Err(Error::Usage(format!(
                "--config: no group of options, such as [mysqld], in {}: {}",
                text.name,
                looks(&text.bytes)
            )));
        }
        told.extend(config.problems.iter().map(|problem| format!("{}: {problem}", text.name)));
        whole.extend_from_slice(lines);
        whole.push(b'\n');
    }
    Ok(Config::read(&whole, facts.version().as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Confidence, Fact, Severity};
    use crate::plan::Amount;
    use crate::study::collected;

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

    /// What people give by mistake: each is refused in one line that says what it is.
    #[test]
    fn garbage_is_refused_for_what_it_is() {
        let utf16 = |text: &str, mark: &[u8]| {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            mark.iter().copied().chain(units).collect::<Vec<u8>>()
        };
        let log = "# Time: 2026-03-06T11:00:01.000000Z\n# User@Host: a[a] @ h []  Id: 1\n\
                   # Query_time: 2.5  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 9\nSET timestamp=1772794801;\nSELECT 1;\n";
        for (bytes, word) in [
            (Vec::new(), "empty"),
            (b" \n\t\n".to_vec(), "empty"),
            (utf16(VARIABLES, b"\xff\xfe"), "UTF-16"),
            (utf16(VARIABLES, b""), "UTF-16"),
            (b"{\"version\": \"8.0.36\", \"max_connections\": 151}\n".to_vec(), "JSON"),
            (b"[{\"Variable_name\": \"version\", \"Value\": \"8.0.36\"}]\n".to_vec(), "JSON"),
            (log.as_bytes().to_vec(), "slow log"),
            ("数据库的变量\n最大连接数\t151\n缓冲池\t1G\n".as_bytes().to_vec(), "text"),
            ("Переменная\tЗначение\nверсия\t8.0\n".as_bytes().to_vec(), "text"),
            ((0..=255_u8).cycle().take(5_000).collect(), "binary"),
        ] {
            let given = || Text { name: "x.txt".to_owned(), bytes: bytes.clone() };
            refused(Given { variables: Some(given()), ..Given::default() }, &["x.txt", word]);
            refused(Given { status: vec![given()], ..Given::default() }, &["x.txt", word]);
            // An option file without an option is odd, and no error.
            if word != "empty" {
                refused(Given { config: vec![given()], ..Given::default() }, &["x.txt", word]);
            }
        }
        let file = || text("my.cnf", "[mysqld]\nmax_connections = 9\n");
        refused(
            Given { variables: Some(file()), ..Given::default() },
            &["option file", "--config"],
        );
    }

    #[test]
    fn a_byte_order_mark_changes_nothing() {
        let marked = |text: &str| format!("\u{feff}{text}");
        let given = Given {
            variables: Some(text("v.tsv", &marked(VARIABLES))),
            status: vec![text("s.tsv", &marked(&format!("Variable_name\tValue\n{STATUS}")))],
            config: vec![text("my.cnf", &marked("[mysqld]\nport = 7\n"))],
            ..Given::default()
        };
        let (facts, told) = read(given).unwrap();
        // MySQL ends its start: "Found option without preceding group".
        assert!(told.len() == 1 && told[0].contains("byte order mark"), "{told:?}");
        assert_eq!(facts.variables.text("version"), Some("8.4.2"));
        assert_eq!(facts.status.uptime(), Some(7_200));
        assert_eq!(facts.config.unwrap().values().number("port"), Some(7));
    }

    #[test]
    fn symptoms_that_no_rule_knows_are_told() {
        let given = |symptom: &str| {
            let symptoms = vec![symptom.to_owned()];
            read(Given { symptoms, ..Given::default() }).unwrap().1
        };
        assert!(given("Too many connections").is_empty());
        assert_eq!(given("Sending data"), ["--symptom: no rule knows this text: \"Sending data\""]);
        assert_eq!(given("连接超时"), ["--symptom: no rule knows this text: \"连接超时\""]);
        assert_eq!(given(" \n"), ["--symptom: the text is empty"]);
        let symptoms = vec!["Duplicate entry 'secret' for key 'PRIMARY'".to_owned()];
        let hidden = read(Given { symptoms, redact: true, ..Given::default() }).unwrap().1;
        assert_eq!(hidden, ["--symptom: no rule knows this text (not shown: --redact)"]);
        let long = given(&format!("\u{1b}{}", "é".repeat(500_000)));
        assert!(long[0].len() < 250 && !long[0].contains('\u{1b}'), "{}", long[0]);
    }

    /// 10 of 100 active sessions at the lock in each list: 30 of 300 in three, and in two nothing.
    #[test]
    fn states_of_several_process_lists_are_proof() {
        let found = |lists: usize, symptom: &str| {
            let list = "adagio\nadagio: sample 1\nVariable_name\tValue\nThreads_running\t7\n\
                state\tsessions\nWaiting for query cache lock\t6\nchecking query cache for query\t4\n\
                executing\t90\n";
            let text = text("c", &format!("{}adagio\nadagio: end\n", list.repeat(lists)));
            let collected = Some(("c".to_owned(), collected::read(&text, false).unwrap()));
            let symptoms = vec![symptom.to_owned()];
            let (facts, _) = read(Given { collected, symptoms, ..Given::default() }).unwrap();
            let load = advice::Workload::default();
            let findings = advice::advise_on_server(&facts, &load, None, &[]).findings;
            let found = findings.into_iter().find(|it| it.rule == "QC004")?;
            let numbers = |name| found.evidence.iter().find(|fact| fact.name == name).cloned();
            let facts = ["sessions_in_states", "active_sessions", "process_lists"].map(numbers);
            Some((found.severity, found.confidence, facts))
        };
        let fact = |name, number| Some(Fact::number(name, Amount::whole(number)));
        let proof = (
            Severity::High,
            Confidence::High,
            [
                fact("sessions_in_states", 30),
                fact("active_sessions", 300),
                fact("process_lists", 3),
            ],
        );
        assert_eq!(found(3, ""), Some(proof.clone()));
        assert_eq!(found(3, "Waiting for query cache lock"), Some(proof));
        assert_eq!(found(2, ""), None);
        let guess = (Severity::Medium, Confidence::Low, [None, None, None]);
        assert_eq!(found(2, "Waiting for query cache lock"), Some(guess));
    }

    /// A sound server, in each print of the client, cut at every byte: what is left never makes a
    /// rule speak.
    #[test]
    fn a_print_that_is_cut_anywhere_makes_no_rule_speak() {
        let forms = |pairs: &[(&str, &str)]| {
            let tabs: String =
                pairs.iter().map(|(name, value)| format!("{name}\t{value}\n")).collect();
            let rule = format!("+-{}-+-{}-+\n", "-".repeat(32), "-".repeat(32));
            let row = |name: &str, value: &str| format!("| {name:<32} | {value:<32} |\n");
            let boxed: String = pairs.iter().map(|(name, value)| row(name, value)).collect();
            let upright: String = pairs
                .iter()
                .enumerate()
                .map(|(at, (name, value))| {
                    let stars = "*".repeat(27);
                    format!(
                        "{stars} {}. row {stars}\nVariable_name: {name}\n        Value: {value}\n",
                        at + 1
                    )
                })
                .collect();
            [
                format!("Variable_name\tValue\n{tabs}"),
                tabs,
                format!("{rule}{}{rule}{boxed}{rule}", row("Variable_name", "Value")),
                upright,
            ]
        };
        let variables = forms(&[
            ("back_log", "151"),
            ("binlog_expire_logs_seconds", "2592000"),
            ("innodb_buffer_pool_instances", "8"),
            ("innodb_buffer_pool_size", "12884901888"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("innodb_flush_method", "O_DIRECT"),
            ("innodb_log_buffer_size", "16777216"),
            ("innodb_redo_log_capacity", "8589934592"),
            ("join_buffer_size", "262144"),
            ("log_bin", "ON"),
            ("max_allowed_packet", "67108864"),
            ("max_connections", "1500"),
            ("max_execution_time", "30000"),
            ("max_heap_table_size", "33554432"),
            ("open_files_limit", "20000"),
            ("sync_binlog", "1"),
            ("table_open_cache", "4000"),
            ("thread_cache_size", "100"),
            ("tmp_table_size", "33554432"),
            ("version", "8.0.36"),
            ("wait_timeout", "600"),
        ]);
        let status = forms(&[
            ("Aborted_clients", "90"),
            ("Connections", "900000"),
            ("Created_tmp_disk_tables", "120000"),
            ("Created_tmp_tables", "9000000"),
            ("Innodb_buffer_pool_read_requests", "900000000000"),
            ("Innodb_buffer_pool_reads", "90000000"),
            ("Innodb_os_log_written", "1200000000"),
            ("Max_used_connections", "900"),
            ("Open_files", "9000"),
            ("Questions", "900000000"),
            ("Sort_merge_passes", "90000"),
            ("Sort_range", "9000000"),
            ("Sort_scan", "9000000"),
            ("Table_open_cache_hits", "900000000"),
            ("Table_open_cache_misses", "900000"),
            ("Table_open_cache_overflows", "900"),
            ("Threads_connected", "900"),
            ("Threads_created", "9000"),
            ("Threads_running", "90"),
            ("Uptime", "864000"),
        ]);
        let said = |variables: &str, status: &str| {
            let given = Given {
                variables: Some(text("v", variables)),
                status: vec![text("s", status)],
                machine: Machine { memory: Some(64 << 30), ..Machine::default() },
                ..Given::default()
            };
            let Ok((facts, _)) = read(given) else { return Vec::new() };
            let on_server =
                advice::advise_on_server(&facts, &advice::Workload::default(), None, &[]);
            on_server.findings.iter().map(|it| format!("{} {}", it.rule, it.title)).collect()
        };
        let none: Vec<String> = Vec::new();
        for (variables, status) in variables.iter().zip(&status) {
            for cut in 0..=variables.len() {
                assert_eq!(said(&variables[..cut], status), none, "{}", &variables[..cut]);
            }
            for cut in 0..=status.len() {
                assert_eq!(said(variables, &status[..cut]), none, "{}", &status[..cut]);
            }
        }
    }

    #[test]
    fn an_option_file_that_is_cut_behind_a_line_makes_no_rule_speak() {
        let whole = "[mysqld]\nlog_error = /var/log/e\nskip-name-resolve\nlog_bin_index = x\n\
                     innodb_log_group_home_dir = /x\nlog_bin = x\nold_alter_table = 1\n\
                     ssl_ca = /x\ninnodb_checksum_algorithm = crc32\nmax_connections = 4000\n";
        let ends = whole.match_indices('\n').map(|(at, _)| at + 1);
        for cut in [0].into_iter().chain(ends) {
            let given = Given {
                variables: Some(text("v", "version\t9.7.0\nmax_connections\t4000\n")),
                config: vec![text("my.cnf", &whole[..cut])],
                ..Given::default()
            };
            let Ok((facts, _)) = read(given) else { continue };
            let on_server =
                advice::advise_on_server(&facts, &advice::Workload::default(), None, &[]);
            let rules: Vec<&str> = on_server.findings.iter().map(|it| it.rule).collect();
            assert_eq!(rules, [""; 0], "{}", &whole[..cut]);
        }
    }

    #[test]
    fn an_option_file_may_end_without_a_line_end() {
        let given = Given {
            config: vec![text("my.cnf", "[mysqld]\nmax_connections = 400")],
            ..Given::default()
        };
        let (facts, told) = read(given).unwrap();
        assert_eq!(facts.config.unwrap().values().number("max_connections"), Some(400));
        assert!(told.iter().any(|it| it.contains("has no end")), "{told:?}");
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
