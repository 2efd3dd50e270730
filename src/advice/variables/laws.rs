//! What holds of findings on any server: no two contradict each other, none proposes what is there
//! already, what the server lacks or does not take, and none takes memory that is not there.
//!
//! Which server has which variable, and what it takes, is of the manuals of MySQL and MariaDB.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::advice::plan::{Load, PerCall};
use crate::plan::Amount;
use crate::server::{Config, Disk, Version};
use crate::sql::fingerprint::ClassId;

type Numbers = (u32, u32, u32);

/// Versions that have a variable: from one, up to another that has it no longer.
type Has = Option<(Numbers, Numbers)>;

enum Takes {
    /// Least, most, and the step that values are rounded to.
    Whole(u64, u64, u64),
    Words(&'static [&'static str]),
}

use Takes::{Whole, Words};

const END: Numbers = (99, 0, 0);
const ALL: Has = Some(((0, 0, 0), END));
const NONE: Has = None;
const SWITCH: Takes = Words(&["ON", "OFF"]);
const G: u64 = 1 << 30;
const M: u64 = 1 << 20;

const fn from(a: u32, b: u32, c: u32) -> Has {
    Some(((a, b, c), END))
}

const fn until(a: u32, b: u32, c: u32) -> Has {
    Some(((0, 0, 0), (a, b, c)))
}

#[rustfmt::skip]
const VARIABLES: &[(&str, Has, Has, Takes)] = &[
    ("aria_pagecache_buffer_size", NONE, from(5, 1, 0), Whole(131_072, 64 * G, 1)),
    ("back_log", ALL, ALL, Whole(1, 65_535, 1)),
    ("binlog_cache_size", ALL, ALL, Whole(4_096, 4 * G, 4_096)),
    ("binlog_expire_logs_seconds", from(8, 0, 1), from(10, 6, 1), Whole(0, 4_294_967_295, 1)),
    ("binlog_format", from(5, 1, 5), ALL, Words(&["ROW", "MIXED", "STATEMENT"])),
    ("expire_logs_days", until(8, 4, 0), ALL, Whole(0, 99, 1)),
    ("host_cache_size", from(5, 6, 5), from(10, 0, 8), Whole(0, 65_536, 1)),
    ("innodb_autoinc_lock_mode", from(5, 1, 22), ALL, Whole(0, 2, 1)),
    ("innodb_buffer_pool_chunk_size", from(5, 7, 5), from(10, 2, 2), Whole(M, G, M)),
    ("innodb_buffer_pool_instances", from(5, 5, 4), until(10, 6, 0), Whole(1, 64, 1)),
    ("innodb_buffer_pool_size", ALL, ALL, Whole(5 * M, 1 << 44, 1)),
    ("innodb_checksum_algorithm", from(5, 6, 3), from(10, 0, 0), Words(&["crc32", "strict_crc32", "none"])),
    ("innodb_checksums", until(8, 0, 0), until(10, 6, 0), SWITCH),
    ("innodb_dedicated_server", from(8, 0, 3), NONE, Words(&["OFF", "OFF", "OFF", "ON"])),
    ("innodb_doublewrite", ALL, ALL, SWITCH),
    ("innodb_file_per_table", ALL, ALL, SWITCH),
    ("innodb_flush_log_at_trx_commit", ALL, ALL, Whole(0, 2, 1)),
    ("innodb_flush_method", ALL, ALL, Words(&["", "fsync", "O_DIRECT"])),
    ("innodb_io_capacity", from(5, 5, 0), ALL, Whole(100, 4_294_967_295, 1)),
    ("innodb_io_capacity_max", from(5, 6, 0), from(10, 0, 0), Whole(100, 4_294_967_295, 1)),
    ("innodb_lock_wait_timeout", ALL, ALL, Whole(1, 100_000_000, 1)),
    ("innodb_log_buffer_size", ALL, ALL, Whole(262_144, 4 * G - 1, 1)),
    ("innodb_log_file_size", until(9, 7, 0), ALL, Whole(4 * M, 16 * G, M)),
    ("innodb_log_files_in_group", until(9, 7, 0), until(10, 6, 0), Whole(2, 100, 1)),
    ("innodb_max_dirty_pages_pct", ALL, ALL, Whole(0, 99, 1)),
    ("innodb_redo_log_capacity", from(8, 0, 30), NONE, Whole(8 * M, 128 * G, M)),
    ("innodb_stats_on_metadata", from(5, 1, 17), ALL, SWITCH),
    ("innodb_stats_persistent", from(5, 6, 2), from(10, 0, 0), SWITCH),
    ("internal_tmp_mem_storage_engine", from(8, 0, 2), NONE, Words(&["TempTable", "MEMORY"])),
    ("join_buffer_size", ALL, ALL, Whole(128, 1 << 40, 128)),
    ("key_buffer_size", ALL, ALL, Whole(8, 1 << 42, 1)),
    ("log_bin", ALL, ALL, SWITCH),
    ("log_output", from(5, 1, 6), ALL, Words(&["FILE", "TABLE", "FILE,TABLE", "NONE"])),
    ("log_queries_not_using_indexes", ALL, ALL, SWITCH),
    ("log_slow_disabled_statements", NONE, from(10, 3, 1), Words(&["sp", "", "admin,call,slave,sp"])),
    ("log_slow_extra", from(8, 0, 14), NONE, SWITCH),
    ("log_slow_filter", NONE, ALL, Words(&["", "full_scan", "admin,filesort,filesort_on_disk,filesort_priority_queue,full_join,full_scan,query_cache,query_cache_miss,tmp_table,tmp_table_on_disk"])),
    ("log_slow_query", NONE, from(10, 11, 0), SWITCH),
    ("log_slow_query_time", NONE, from(10, 11, 0), Whole(0, 31_536_000, 1)),
    ("log_slow_rate_limit", NONE, ALL, Whole(1, 4_294_967_295, 1)),
    ("log_slow_verbosity", NONE, ALL, Words(&["", "query_plan", "innodb", "query_plan,innodb,explain"])),
    ("log_throttle_queries_not_using_indexes", from(5, 6, 5), NONE, Whole(0, 4_294_967_295, 1)),
    ("long_query_time", ALL, ALL, Whole(0, 31_536_000, 1)),
    ("max_allowed_packet", ALL, ALL, Whole(1_024, G, 1_024)),
    ("max_connections", ALL, ALL, Whole(10, 100_000, 1)),
    ("max_execution_time", from(5, 7, 8), NONE, Whole(0, 4_294_967_295, 1)),
    ("max_heap_table_size", ALL, ALL, Whole(16_384, 1 << 40, 1_024)),
    ("max_statement_time", NONE, from(10, 1, 1), Whole(0, 31_536_000, 1)),
    ("min_examined_row_limit", from(5, 1, 21), ALL, Whole(0, 4_294_967_295, 1)),
    ("net_write_timeout", ALL, ALL, Whole(1, 31_536_000, 1)),
    ("open_files_limit", ALL, ALL, Whole(0, 1_048_576, 1)),
    ("performance_schema", from(5, 5, 3), ALL, SWITCH),
    ("query_cache_min_res_unit", until(8, 0, 0), ALL, Whole(512, G, 8)),
    ("query_cache_size", until(8, 0, 0), ALL, Whole(0, 64 * G, 1_024)),
    ("query_cache_type", until(8, 0, 0), ALL, Words(&["ON", "OFF", "DEMAND"])),
    ("read_buffer_size", ALL, ALL, Whole(8_192, 2_147_479_552, 4_096)),
    ("read_rnd_buffer_size", ALL, ALL, Whole(8_192, 2_147_483_647, 1)),
    ("skip_name_resolve", ALL, ALL, SWITCH),
    ("slow_query_log", from(5, 1, 6), ALL, SWITCH),
    ("sort_buffer_size", ALL, ALL, Whole(32_768, 1 << 40, 1)),
    ("sync_binlog", ALL, ALL, Whole(0, 4_294_967_295, 1)),
    ("table_cache", until(5, 1, 3), NONE, Whole(1, 524_288, 1)),
    ("table_definition_cache", from(5, 1, 3), ALL, Whole(400, 524_288, 1)),
    ("table_open_cache", from(5, 1, 3), ALL, Whole(1, 524_288, 1)),
    ("thread_cache_size", ALL, ALL, Whole(0, 16_384, 1)),
    ("tmp_table_size", ALL, ALL, Whole(1_024, 1 << 40, 1)),
    ("userstat", NONE, from(5, 2, 0), SWITCH),
    ("wait_timeout", ALL, ALL, Whole(1, 31_536_000, 1)),
];

const VERSIONS: &[&str] = &[
    "5.0.95",
    "5.1.73-log",
    "5.5.62",
    "5.6.51",
    "5.7.44",
    "8.0.29",
    "8.0.36",
    "8.4.2",
    "9.7.0",
    "5.5.68-MariaDB",
    "10.4.32-MariaDB",
    "10.6.16-MariaDB",
    "10.11.9-MariaDB",
    "11.8.3-MariaDB",
];

const COUNTERS: &[&str] = &[
    "aborted_clients",
    "aborted_connects",
    "com_select",
    "com_show_table_status",
    "connection_errors_max_connections",
    "connections",
    "created_tmp_disk_tables",
    "created_tmp_tables",
    "innodb_buffer_pool_pages_dirty",
    "innodb_buffer_pool_pages_free",
    "innodb_buffer_pool_pages_total",
    "innodb_buffer_pool_read_requests",
    "innodb_buffer_pool_reads",
    "innodb_buffer_pool_wait_free",
    "innodb_checkpoint_age",
    "innodb_checkpoint_max_age",
    "innodb_log_waits",
    "innodb_os_log_written",
    "innodb_row_lock_time",
    "key_read_requests",
    "key_reads",
    "max_used_connections",
    "open_files",
    "open_table_definitions",
    "open_tables",
    "opened_table_definitions",
    "opened_tables",
    "qcache_free_blocks",
    "qcache_free_memory",
    "qcache_hits",
    "qcache_inserts",
    "qcache_lowmem_prunes",
    "qcache_queries_in_cache",
    "qcache_total_blocks",
    "questions",
    "select_full_join",
    "slow_queries",
    "sort_merge_passes",
    "sort_range",
    "sort_scan",
    "table_open_cache_hits",
    "table_open_cache_misses",
    "table_open_cache_overflows",
    "threads_connected",
    "threads_created",
    "threads_running",
];

const SYMPTOMS: &[&str] = &[
    "SQLSTATE[HY000] [2002] Connection timed out",
    "Too many connections",
    "lock mode AUTO-INC waiting",
    "The last packet successfully received from the server was 61,000 milliseconds ago",
    "Waiting for query cache lock",
    "maximum statement execution time exceeded",
    "unauthenticated user",
    "Got a packet bigger than 'max_allowed_packet' bytes",
    "Lock wait timeout exceeded",
    "Too many open files",
];

/// Seeds in the order in which they are asked for; past the end each is 0.
struct Seeds<'a>(std::slice::Iter<'a, u64>);

impl Seeds<'_> {
    fn next(&mut self) -> u64 {
        self.0.next().copied().unwrap_or(0)
    }

    /// Any magnitude is as likely as any other.
    fn up_to(&mut self, most: u64) -> u64 {
        let seed = self.next();
        let bits = u64::BITS - most.leading_zeros() + 1;
        let mask = (1_u64 << (seed % u64::from(bits)).min(63)) - 1;
        ((seed >> 8) & mask).min(most)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.next() % all.len() as u64).unwrap()]
    }

    fn is_one_in(&mut self, many: u64) -> bool {
        self.next().is_multiple_of(many)
    }
}

fn has(row: &(&str, Has, Has, Takes), version: &Version) -> bool {
    let span = if version.is_mariadb() { row.1.and(row.2).or(row.2) } else { row.1 };
    span.is_some_and(|(first, last)| version.numbers >= first && version.numbers < last)
}

/// A server with values that it takes, and counters of any size.
fn server(seeds: &mut Seeds<'_>) -> ServerFacts {
    let text = seeds.of(VERSIONS);
    let version = Version::parse(text).unwrap();
    let mut facts = ServerFacts::default();
    facts.variables.set("version", text.to_owned());
    for row in VARIABLES.iter().filter(|row| has(row, &version)) {
        if seeds.is_one_in(12) {
            continue;
        }
        let value = match &row.3 {
            Whole(least, most, step) => {
                let value = least.saturating_add(seeds.up_to(most - least)) / step * step;
                value.max(least.next_multiple_of(*step)).to_string()
            }
            Words(words) => seeds.of(words).to_owned(),
        };
        facts.variables.set(row.0, value);
    }
    let samples = seeds.next() % 3;
    let mut at: BTreeMap<String, u64> = BTreeMap::new();
    let mut uptime = 0;
    for _ in 0..samples {
        uptime += seeds.of(&[30, 600, 7_200, 90_000, 8_640_000]);
        for name in COUNTERS {
            if !seeds.is_one_in(12) {
                let counter = at.entry((*name).to_owned()).or_default();
                *counter = counter.saturating_add(seeds.up_to(1 << 50));
            }
        }
        at.insert("uptime".to_owned(), uptime);
        let pairs = at.iter().map(|(name, value)| (name.clone(), value.to_string()));
        facts.status.add(pairs.collect());
    }
    if !seeds.is_one_in(3) {
        facts.machine.memory = Some((256 * M).saturating_add(seeds.up_to(1 << 42)));
    }
    if seeds.is_one_in(3) {
        // An option file that somebody has changed since the start.
        let mut text = "[mysqld]\n".to_owned();
        for row in VARIABLES.iter().filter(|row| has(row, &version)) {
            if let (Words(words), true) = (&row.3, seeds.is_one_in(2)) {
                text.push_str(&format!("{} = {}\n", row.0, seeds.of(words)));
            } else if let Some(value) = facts.variables.text(row.0).filter(|_| seeds.is_one_in(2)) {
                text.push_str(&format!("{} = {value}\n", row.0));
            }
        }
        facts.config = Some(Config::read(text.as_bytes(), Some(&version)));
    }
    facts.machine.disk = seeds.is_one_in(2).then_some(Disk::Nvme);
    for text in SYMPTOMS {
        if seeds.is_one_in(4) {
            facts.symptoms.push((*text).to_owned());
        }
    }
    facts
}

fn workload(seeds: &mut Seeds<'_>) -> Workload<'static> {
    let each = |number| Some(PerCall { mean: Amount::whole(number), most: Amount::whole(number) });
    let samples = [
        "INSERT INTO a SELECT b FROM c",
        "INSERT INTO a VALUES (1)",
        "SELECT a FROM b",
        "SHOW TABLE STATUS",
    ];
    let classes = samples.iter().enumerate().map(|(at, sample)| crate::advice::Class {
        id: ClassId([u8::try_from(at).unwrap(); 16]),
        samples: vec![(*sample).to_owned()],
        database: None,
        calls: seeds.up_to(1_000_000) + 1,
        weight: None,
        micros: Some(seeds.up_to(1 << 50)),
        lock_micros: None,
        load: Load {
            longest_micros: Some(seeds.up_to(1 << 40)),
            longest_statement: Some(seeds.up_to(1 << 30)),
            bytes_sent: each(seeds.up_to(1 << 30)),
            row_lock_micros: Some(seeds.up_to(1 << 50)),
            ..Load::default()
        },
        rows_affected: None,
        plans: Vec::new(),
        measured: None,
    });
    Workload {
        classes: classes.collect(),
        is_timed: true,
        window_micros: Some(600_000_000),
        ..Workload::default()
    }
}

fn whole(value: &Setting) -> Option<u64> {
    match value {
        Setting::Number(amount) => u64::try_from(amount.floor()).ok(),
        Setting::Word(_) => None,
    }
}

/// Whether a variable is set while the server runs.
fn is_dynamic(name: &str, version: &Version) -> bool {
    match name {
        "aria_pagecache_buffer_size"
        | "back_log"
        | "innodb_autoinc_lock_mode"
        | "innodb_buffer_pool_instances"
        | "innodb_checksums"
        | "innodb_doublewrite"
        | "innodb_flush_method"
        | "open_files_limit"
        | "performance_schema"
        | "skip_name_resolve" => false,
        "innodb_buffer_pool_size" => {
            version.is_mysql_from(5, 7, 5) || version.is_mariadb_from(10, 2, 2)
        }
        "innodb_file_per_table" => version.numbers >= (5, 5, 0),
        "innodb_log_buffer_size" => version.is_mysql_from(8, 0, 0),
        "innodb_log_file_size" => version.is_mariadb_from(10, 9, 0),
        _ => true,
    }
}

/// Memory by variable: what the server takes once or a connection may take.
const ONCE: [&str; 4] =
    ["innodb_buffer_pool_size", "innodb_log_buffer_size", "key_buffer_size", "query_cache_size"];
const EACH: [&str; 5] = [
    "sort_buffer_size",
    "join_buffer_size",
    "read_buffer_size",
    "read_rnd_buffer_size",
    "binlog_cache_size",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn findings_hold_together_on_any_server(seeds in vec(any::<u64>(), 600)) {
        let mut seeds = Seeds(seeds.iter());
        let facts = server(&mut seeds);
        let workload = workload(&mut seeds);
        let workload = if seeds.is_one_in(2) { workload } else { Workload::default() };
        let version = facts.version().unwrap();
        let tables = Schema::read(b"CREATE TABLE a (id INT PRIMARY KEY) ENGINE=InnoDB;\n", "x").0;
        let schema = seeds.is_one_in(2).then_some(&tables);
        let on_server = advise(&facts, &workload, schema, &[]);
        let changes: Vec<(&'static str, &crate::advice::VariableChange)> = on_server
            .findings
            .iter()
            .flat_map(|it| it.recommendation.variables.iter().map(|change| (it.rule, change)))
            .collect();
        let mut set: BTreeMap<&str, &Setting> = BTreeMap::new();
        for (rule, change) in &changes {
            let name = change.name.as_str();
            let row = VARIABLES.iter().find(|row| row.0 == name);
            prop_assert!(row.is_some(), "{rule} sets {name}, of which the manuals tell nothing");
            let row = row.unwrap();
            prop_assert!(has(row, &version), "{rule} sets {name} on {version:?}");
            let present = facts.variables.text(name);
            prop_assert!(present.is_some(), "{rule} sets {name}, which is not there");
            prop_assert_ne!(change.from.as_ref(), Some(&change.to), "{} {}", rule, name);
            match (&row.3, &change.to) {
                (Whole(least, most, step), to) => {
                    let to = whole(to).unwrap();
                    prop_assert!(to >= *least && to <= *most, "{rule} sets {name} to {to}");
                    prop_assert_eq!(to % step, 0, "{} sets {} to {}", rule, name, to);
                    prop_assert_ne!(Some(to), facts.variables.number(name));
                }
                (Words(words), Setting::Word(to)) => {
                    let is_known = words.iter().any(|word| word.eq_ignore_ascii_case(to));
                    prop_assert!(is_known, "{rule} sets {name} to {to}");
                    prop_assert!(!present.unwrap().eq_ignore_ascii_case(to));
                }
                (Words(_), to) => prop_assert!(false, "{rule} sets {name} to {to:?}"),
            }
            prop_assert_eq!(change.restart, !is_dynamic(name, &version), "{} {}", rule, name);
            let told = set.entry(name).or_insert(&change.to);
            prop_assert_eq!(*told, &change.to, "{} is set twice", name);
        }
        // A capacity stays below the most that goes with it.
        let after = |name: &str| match set.get(name) {
            Some(to) => whole(to),
            None => facts.variables.number(name),
        };
        let most = after("innodb_io_capacity_max");
        if let (Some(_), Some(most)) = (set.get("innodb_io_capacity"), most) {
            prop_assert!(after("innodb_io_capacity").unwrap() <= most);
        }
        // Memory wins: where it does not suffice nothing is raised, else what is raised fits.
        let Some(memory) = facts.machine.memory else { return Ok(()) };
        let raised = |name: &str| {
            let from = facts.variables.number(name).unwrap_or(0);
            set.get(name).and_then(|to| whole(to)).map_or(0, |to| to.saturating_sub(from))
        };
        let is_over = on_server.findings.iter().any(|it| it.rule == "VAR002");
        let sums: u128 = ONCE.iter().map(|name| u128::from(raised(name))).sum();
        let each: u128 = EACH.iter().map(|name| u128::from(raised(name))).sum();
        if is_over {
            prop_assert_eq!(sums + each + u128::from(raised("max_connections")), 0);
        } else if sums + each > 0 {
            let of = |names: &[&str]| -> u128 {
                names.iter().map(|name| u128::from(after(name).unwrap_or(0))).sum()
            };
            let used = facts.status.count("max_used_connections");
            let connections = used.or(after("max_connections"));
            if let Some(connections) = connections {
                let needs = of(&ONCE) + of(&EACH) * u128::from(connections);
                // What is lowered elsewhere makes room too, so this is no more than needed.
                prop_assert!(needs <= u128::from(memory), "{needs} of {memory}");
            }
        }
    }
}
