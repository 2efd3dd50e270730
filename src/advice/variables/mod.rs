//! Rules of server variables: each rests on a counter, on a fact of the machine, or on a value that
//! somebody set. A default is never wrong by itself.
//!
//! Where two findings would set one variable, the graver one does; where the memory of the machine
//! does not suffice, nothing is raised.

mod autoinc;
mod back_log;
mod binlog_purge;
mod buffer_pool;
mod case;
mod doublewrite;
mod durability;
mod engine_cache;
mod facts;
mod file_per_table;
mod flush_method;
mod idle;
mod index_use;
mod io_capacity;
mod join_buffer;
mod key_buffer;
mod lock_wait;
mod log_buffer;
mod log_output;
mod max_connections;
mod max_packet;
mod memory;
mod name_resolve;
mod net_timeouts;
mod open_files;
mod pool_instances;
pub(super) mod query_cache;
mod read_buffers;
mod redo_log;
mod removed;
mod say;
mod slow_log_evidence;
mod slow_log_hides;
mod sort_buffer;
mod sort_merge;
mod statement_time;
mod stats_on_metadata;
mod swap;
mod symptom;
mod table_definition_cache;
mod table_open_cache;
mod thread_cache;
mod thread_concurrency;
mod tmp_disk;
mod tmp_space;
mod tmp_table_pair;
mod uptime;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub(super) use slow_log_hides::keeps_some_kinds;

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::advice::{Fact, Finding, NotChecked, Rule, Setting, Severity, Workload};
use crate::flavor::Family;
use crate::schema::Schema;
use crate::server::ServerFacts;

use case::Case;

/// What there is to say on a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnServer {
    /// Findings, the graver first.
    pub findings: Vec<Finding>,
    /// What was measured, whether or not a rule spoke.
    pub facts: Vec<Fact>,
    /// Rules without evidence.
    pub not_checked: Vec<NotChecked>,
}

/// What a rule cannot do without.
#[derive(Debug, Clone, Copy)]
enum Need {
    Variables,
    /// Counters as they stand, by their names in small letters.
    Counters(&'static [&'static str]),
    /// Counters that grow, over a stretch of time.
    Rates(&'static [&'static str]),
    Memory,
    Disk,
    Tables,
    OptionFile,
    Version,
    Log,
    Symptom(&'static str),
    /// States of sessions, out of process lists or as a symptom.
    States,
    /// Ten samples of Threads_running.
    Running,
    Cores,
}

/// What of a server can be gathered by statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gathered {
    /// SHOW GLOBAL VARIABLES.
    Variables,
    /// SHOW GLOBAL STATUS, twice.
    Status,
    /// Threads_running, again and again.
    Running,
    /// States in process lists.
    States,
    /// The tables.
    Tables,
}

impl Need {
    /// The part that meets it, if statements can.
    fn gathered(&self) -> Option<Gathered> {
        match self {
            Variables | Version => Some(Gathered::Variables),
            Counters(_) | Rates(_) => Some(Gathered::Status),
            Running => Some(Gathered::Running),
            States => Some(Gathered::States),
            Tables => Some(Gathered::Tables),
            Memory | Disk | OptionFile | Log | Symptom(_) | Cores => None,
        }
    }
}

/// The rules that want what is gathered.
pub fn wanting(part: Gathered) -> impl Iterator<Item = &'static str> {
    let wants = move |entry: &&Entry| entry.needs.iter().any(|it| it.gathered() == Some(part));
    let of_state = (part == Gathered::States).then_some(query_cache::lock_states::RULE.code);
    ENTRIES.iter().filter(wants).map(|entry| entry.rule.code).chain(of_state)
}

/// How a rule is asked.
enum Look {
    One(fn(&Case<'_>) -> Option<Finding>),
    Many(fn(&Case<'_>) -> Vec<Finding>),
}

struct Entry {
    rule: &'static Rule,
    needs: &'static [Need],
    look: Look,
}

const fn one(
    rule: &'static Rule,
    look: fn(&Case<'_>) -> Option<Finding>,
    needs: &'static [Need],
) -> Entry {
    Entry { rule, needs, look: Look::One(look) }
}

const fn many(
    rule: &'static Rule,
    look: fn(&Case<'_>) -> Vec<Finding>,
    needs: &'static [Need],
) -> Entry {
    Entry { rule, needs, look: Look::Many(look) }
}

use Need::{
    Cores, Counters, Disk, Log, Memory, OptionFile, Rates, Running, States, Symptom, Tables,
    Variables, Version,
};

#[rustfmt::skip]
const ENTRIES: &[Entry] = &[
    one(&buffer_pool::RULE, buffer_pool::read, &[Variables, Rates(&["innodb_buffer_pool_reads", "innodb_buffer_pool_read_requests"])]),
    one(&memory::RULE, memory::read, &[Variables, Memory]),
    one(&max_connections::RULE, max_connections::read, &[Variables, Counters(&["max_used_connections"])]),
    one(&thread_cache::RULE, thread_cache::read, &[Variables, Rates(&["threads_created", "connections"])]),
    one(&table_open_cache::RULE, table_open_cache::read, &[Variables, Rates(&["opened_tables"])]),
    one(&table_definition_cache::RULE, table_definition_cache::read, &[Variables, Rates(&["opened_table_definitions"])]),
    one(&open_files::RULE, open_files::read, &[Variables, Counters(&["open_files"])]),
    one(&tmp_table_pair::RULE, tmp_table_pair::read, &[Variables]),
    one(&tmp_disk::RULE, tmp_disk::read, &[Variables, Rates(&["created_tmp_disk_tables", "created_tmp_tables"])]),
    one(&sort_buffer::RULE, sort_buffer::read, &[Variables]),
    one(&sort_merge::RULE, sort_merge::read, &[Variables, Rates(&["sort_merge_passes", "sort_scan", "sort_range"])]),
    one(&join_buffer::RULE, join_buffer::read, &[Variables]),
    many(&read_buffers::RULE, read_buffers::read, &[Variables]),
    one(&redo_log::RULE, redo_log::read, &[Variables, Rates(&["innodb_os_log_written"])]),
    one(&log_buffer::RULE, log_buffer::read, &[Variables, Rates(&["innodb_log_waits"])]),
    many(&durability::RULE, durability::read, &[Variables]),
    one(&flush_method::RULE, flush_method::read, &[Variables]),
    one(&file_per_table::RULE, file_per_table::read, &[Variables]),
    one(&pool_instances::RULE, pool_instances::read, &[Variables]),
    one(&io_capacity::RULE, io_capacity::read, &[Variables, Disk, Counters(&["innodb_buffer_pool_pages_dirty"])]),
    many(&doublewrite::RULE, doublewrite::read, &[Variables]),
    one(&autoinc::RULE, autoinc::read, &[Variables]),
    one(&back_log::RULE, back_log::read, &[Variables, Rates(&["connections", "aborted_connects"])]),
    one(&net_timeouts::RULE, net_timeouts::read, &[Variables, Symptom("the message of the connector")]),
    one(&statement_time::RULE, statement_time::read, &[Variables]),
    one(&name_resolve::RULE, name_resolve::read, &[Variables, States]),
    one(&idle::RULE, idle::read, &[Variables, Counters(&["threads_connected", "threads_running"])]),
    one(&max_packet::RULE, max_packet::read, &[Variables, Symptom("error 1153 or warning 1301")]),
    one(&key_buffer::RULE, key_buffer::read, &[Variables, Rates(&["key_reads", "key_read_requests"])]),
    many(&slow_log_hides::RULE, slow_log_hides::read, &[Variables]),
    one(&slow_log_evidence::RULE, slow_log_evidence::read, &[Variables, Log]),
    one(&log_output::RULE, log_output::read, &[Variables]),
    one(&binlog_purge::RULE, binlog_purge::read, &[Variables]),
    many(&removed::RULE, removed::read, &[OptionFile, Version]),
    one(&thread_concurrency::RULE, thread_concurrency::read, &[Running, Cores, Log]),
    many(&stats_on_metadata::RULE, stats_on_metadata::read, &[Variables, Rates(&["com_show_table_status"])]),
    one(&lock_wait::RULE, lock_wait::read, &[Variables, Rates(&["innodb_row_lock_time"])]),
    one(&tmp_space::RULE, tmp_space::read, &[Symptom("the text of the error")]),
    one(&swap::RULE, swap::read, &[Symptom("a print of vmstat 1, of four lines or more")]),
    many(&engine_cache::RULE, engine_cache::read, &[Variables, Tables]),
    one(&index_use::RULE, index_use::read, &[Variables, Tables]),
    many(&query_cache::seldom_hit::RULE, query_cache::read, &[Variables, Rates(&["qcache_hits", "com_select", "qcache_inserts"])]),
    many(&query_cache::setting::RULE, query_cache::settings, &[OptionFile, Version]),
];

/// Rules that share the reader of another one, or speak of symptoms only.
const FURTHER: &[&Rule] = &[
    &uptime::RULE,
    &query_cache::lock_states::RULE,
    &query_cache::too_large::RULE,
    &query_cache::too_small::RULE,
    &query_cache::fragmented::RULE,
];

/// The rules, with the texts that people read.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    ENTRIES.iter().map(|entry| entry.rule).chain(FURTHER.iter().copied())
}

/// Looks at a server, with what is known of its load and its tables, and what other rules said of
/// its statements and their plans.
#[must_use]
pub fn advise(
    facts: &ServerFacts,
    workload: &Workload<'_>,
    schema: Option<&Schema>,
    said: &[Finding],
) -> OnServer {
    let case = Case::new(facts, workload, schema, said);
    let is_foreign = case.version.is_some_and(|it| it.family == Family::TiDb);
    let mut on_server = OnServer { facts: facts::facts(&case), ..OnServer::default() };
    for entry in ENTRIES {
        let found = match entry.look {
            _ if is_foreign => Vec::new(),
            Look::One(look) => look(&case).into_iter().collect(),
            Look::Many(look) => look(&case),
        };
        let lacks = if is_foreign {
            let wants = "TiDB is not MySQL: rules of its variables do not hold".to_owned();
            Some(Lack { wants, is_gathered: false })
        } else {
            lacks(&case, entry.needs).filter(|_| is_possible(&case, entry.rule))
        };
        if let Some(lacks) = lacks.filter(|_| found.is_empty()) {
            let Lack { wants, is_gathered } = lacks;
            on_server.not_checked.push(NotChecked { rule: entry.rule.code, wants, is_gathered });
        }
        on_server.findings.extend(found);
    }
    let is_told = |finding: &Finding| finding.recommendation.text.contains("uptime");
    if !is_foreign && !on_server.findings.iter().any(is_told) {
        on_server.findings.extend(uptime::read(&case));
    }
    // Findings whose statements only a log can name.
    const OF_STATEMENTS: [&str; 3] = ["VAR009", "VAR011", "VAR012"];
    let wanting: Vec<&'static str> = OF_STATEMENTS
        .into_iter()
        .filter(|code| {
            on_server.findings.iter().any(|it| {
                it.rule == *code
                    && it.severity > Severity::Info
                    && it.evidence.iter().any(|fact| {
                        fact.name == "window_seconds" || fact.name == "select_full_join"
                    })
            })
        })
        .collect();
    on_server.findings.extend(slow_log_hides::off(&case, &wanting));
    let explained = case
        .signs
        .iter()
        .filter(|sign| on_server.findings.iter().all(|finding| finding.rule != sign.row.rule));
    let explained: Vec<Finding> = explained
        .map(|sign| {
            let rule = rules().find(|rule| rule.code == sign.row.rule);
            let category = rule.map_or(super::Category::Variables, |rule| rule.category);
            let counted = (sign.row.rule == query_cache::lock_states::RULE.code)
                .then(|| query_cache::waits(&case))
                .flatten();
            counted.unwrap_or_else(|| symptom::explain(&case, sign, category))
        })
        .collect();
    let is_told = |rule: &str| explained.iter().any(|finding| finding.rule == rule);
    on_server.not_checked.retain(|it| !is_told(it.rule));
    on_server.findings.extend(explained);
    on_server.findings.sort_by_key(|it| (Reverse(it.severity), it.rule));
    settle(&case, &mut on_server.findings);
    on_server.findings.iter_mut().for_each(|finding| say::write_down(&case, finding));
    on_server
}

/// Whether evidence could make a rule speak: the counters of a query cache that is off, or that the
/// server does not have, tell nothing.
fn is_possible(case: &Case<'_>, rule: &Rule) -> bool {
    let is_known = !case.facts.variables.is_empty() && case.version.is_some();
    rule.code != query_cache::seldom_hit::RULE.code || !is_known || facts::has_query_cache(case)
}

/// Whether a rule knows an error text, a process state or a print given as a symptom.
#[must_use]
pub fn knows_symptom(text: &str) -> bool {
    !symptom::read(&[text.to_owned()]).is_empty() || swap::knows(text)
}

/// The code of the rule that explains an error text or a process state.
#[must_use]
pub fn rule_of_symptom(text: &str) -> Option<&'static str> {
    symptom::read(&[text.to_owned()]).first().map(|sign| sign.row.rule)
}

/// What a rule lacks, and whether statements can gather some of it.
struct Lack {
    wants: String,
    is_gathered: bool,
}

/// What evidence a rule lacks.
fn lacks(case: &Case<'_>, needs: &[Need]) -> Option<Lack> {
    let facts = case.facts;
    let told = |need: &Need| {
        let text = match need {
            Variables if facts.variables.is_empty() && facts.config.is_none() => {
                "--variables FILE: SHOW GLOBAL VARIABLES".to_owned()
            }
            Counters(_) | Rates(_) if facts.status.is_empty() => {
                "--status FILE: SHOW GLOBAL STATUS, best twice under load".to_owned()
            }
            Rates(_) if case.rates().is_none_or(|rates| rates.is_short()) => {
                "a second --status FILE taken 10 s later or more, or one after an hour".to_owned()
            }
            Counters(names) | Rates(names) => {
                let lost: Vec<&str> =
                    names.iter().copied().filter(|name| case.count(name).is_none()).collect();
                if lost.is_empty() {
                    return None;
                }
                format!("--status FILE with {}", lost.join(", "))
            }
            Memory if facts.machine.memory.is_none() => "--memory SIZE of the machine".to_owned(),
            Disk if facts.machine.disk.is_none() => "--disk hdd|ssd|nvme".to_owned(),
            Tables if case.schema.is_none() => "--schema FILE: the tables".to_owned(),
            OptionFile if facts.config.is_none() => "--config FILE: the option file".to_owned(),
            Version if case.version.is_none() => "--variables FILE with version".to_owned(),
            Log if !case.has_log() => "a slow log of the server".to_owned(),
            Symptom(what) => format!("--symptom: {what}"),
            States if facts.process_lists == 0 => {
                "--symptom: states of the process list".to_owned()
            }
            Running if facts.running.len() < thread_concurrency::SAMPLES => {
                format!(
                    "--collected FILE with {} samples of Threads_running",
                    thread_concurrency::SAMPLES
                )
            }
            Cores if facts.machine.cores.is_none() => "--cores N of the machine".to_owned(),
            _ => return None,
        };
        Some((text, need.gathered().is_some()))
    };
    let (lost, gathered): (Vec<String>, Vec<bool>) = needs.iter().filter_map(told).unzip();
    (!lost.is_empty())
        .then(|| Lack { wants: lost.join("; "), is_gathered: gathered.contains(&true) })
}

/// Variables that take memory once, for each connection, and in number of connections.
fn memory_of(case: &Case<'_>, name: &str, by: u64) -> u64 {
    let connections = case.count("max_used_connections").or_else(|| case.number("max_connections"));
    match name {
        "innodb_buffer_pool_size"
        | "innodb_log_buffer_size"
        | "key_buffer_size"
        | "query_cache_size" => by,
        "sort_buffer_size"
        | "join_buffer_size"
        | "read_buffer_size"
        | "read_rnd_buffer_size"
        | "tmp_table_size" => by.saturating_mul(connections.unwrap_or(1).max(1)),
        "max_connections" => {
            by.saturating_mul(facts::memory(case).map_or(0, |memory| memory.per_connection).max(1))
        }
        _ => 0,
    }
}

/// Lets no two findings contradict each other. They stand in the order of their weight.
fn settle(case: &Case<'_>, findings: &mut [Finding]) {
    let raised = |name: &str, from: &Option<Setting>, to: &Setting| {
        let (Some(Setting::Number(from)), Setting::Number(to)) = (from, to) else { return 0 };
        let by = u64::try_from(to.minus(*from).floor()).unwrap_or(u64::MAX);
        memory_of(case, name, by)
    };
    let is_over = findings.iter().any(|finding| finding.rule == memory::RULE.code);
    let room = case.facts.machine.memory.zip(facts::memory(case)).map(|(memory, sums)| {
        let taken = sums.seen.or(sums.worst).unwrap_or(sums.once);
        (memory / 100 * 95).saturating_sub(taken)
    });
    let mut room = room;
    for finding in findings.iter_mut() {
        let takes =
            finding.recommendation.variables.iter().map(|it| raised(&it.name, &it.from, &it.to));
        let takes = takes.fold(0_u64, u64::saturating_add);
        let why = match room {
            _ if is_over => {
                "The memory of the machine is taken already (VAR002): raise nothing before that is mended."
            }
            Some(room) if takes > room => {
                "It does not fit in the memory of the machine with what is taken already."
            }
            _ => {
                // What a graver finding takes is no longer there for the next one.
                room = room.map(|room| room - takes);
                continue;
            }
        };
        say::withdraw(
            finding,
            |it| raised(&it.name, &it.from, &it.to) > 0 || it.name == "max_heap_table_size",
            why,
        );
    }
    let mut set: HashMap<String, (Setting, &'static str)> = HashMap::new();
    for finding in findings.iter_mut() {
        let rule = finding.rule;
        let others: Vec<String> = finding
            .recommendation
            .variables
            .iter()
            .filter_map(|it| {
                set.get(&it.name).filter(|(to, _)| *to != it.to).map(|_| it.name.clone())
            })
            .collect();
        if let Some((_, by)) = others.first().and_then(|name| set.get(name)) {
            let why = format!("{by} sets the value.");
            say::withdraw(finding, |it| others.contains(&it.name), &why);
        }
        for it in &finding.recommendation.variables {
            set.entry(it.name.clone()).or_insert((it.to.clone(), rule));
        }
    }
}
