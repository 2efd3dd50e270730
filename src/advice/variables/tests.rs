//! Each rule where it speaks and where it is silent.
//!
//! What is given stands in one line: `v` variables, `s` counters (`t` a second sample), `m` the
//! machine, `c` lines of the option file, `x` a symptom. What is said is `RULE variable from>to`,
//! with `!` where a restart is needed, and `RULE` alone where nothing is to be set.

mod logged;

use super::*;
use crate::advice::{Action, Class, Confidence, Severity};
use crate::server::{Config, Disk, machine};
use crate::sql::fingerprint::ClassId;

fn facts(given: &str) -> ServerFacts {
    let mut facts = ServerFacts::default();
    for part in given.split(" | ") {
        let (kind, rest) = part.trim().split_once(' ').unwrap();
        let pairs = || {
            let pairs = rest.split_whitespace().map(|it| it.split_once('=').unwrap());
            pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        match kind {
            "v" => facts.variables = pairs().collect(),
            "s" | "t" => facts.status.add(pairs().collect()),
            "c" => {
                let text = format!("[mysqld]\n{}", rest.replace(';', "\n"));
                facts.config = Some(Config::read(text.as_bytes(), facts.version().as_ref()));
            }
            "x" => facts.symptoms.push(rest.to_owned()),
            "m" => {
                for (name, value) in pairs() {
                    match name.as_str() {
                        "memory" => facts.machine.memory = machine::size(&value),
                        "disk" => facts.machine.disk = Some(Disk::Ssd),
                        other => panic!("{other}"),
                    }
                }
            }
            other => panic!("{other}"),
        }
    }
    facts
}

fn all(given: &str) -> OnServer {
    advise(&facts(given), &Workload::default(), None, &[])
}

fn shown(findings: &[Finding]) -> String {
    let value = |value: &Setting| match value {
        Setting::Number(amount) => amount.to_string(),
        Setting::Word(word) => word.clone(),
    };
    let one = |finding: &Finding| {
        let changes = finding.recommendation.variables.iter().map(|it| {
            let from = it.from.as_ref().map_or("?".to_owned(), value);
            let restart = if it.restart { "!" } else { "" };
            format!(" {} {from}>{}{restart}", it.name, value(&it.to))
        });
        format!("{}{}", finding.rule, changes.collect::<String>())
    };
    findings.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(given: &str, want: &str) {
    let on_server = all(given);
    assert_eq!(shown(&on_server.findings), want, "{given}");
    for finding in &on_server.findings {
        let todo = &finding.recommendation;
        assert_eq!(todo.variables.is_empty(), todo.action != Action::Set, "{given}");
        assert!(!finding.title.is_empty() && !finding.verify.is_empty(), "{given}");
        assert!(!todo.text.is_empty() && !finding.evidence.is_empty(), "{given}: {finding:?}");
        assert!(todo.variables.iter().all(|it| it.from.as_ref() != Some(&it.to)), "{given}");
    }
}

const M8: &str = "v version=8.0.36";
const M57: &str = "v version=5.7.44";
const MARIA: &str = "v version=10.6.16-MariaDB";

#[track_caller]
fn of(server: &str, rest: &str, want: &str) {
    check(&format!("{server} {rest}"), want);
}

#[test]
fn the_buffer_pool_grows_by_misses_and_memory() {
    // 2,000,000 of 100,000,000 are 2 %, 200 a second. 60 % of 16 GiB are 9.6 GiB: 76 whole parts of 128 MiB.
    let load = "| s Uptime=10000 Innodb_buffer_pool_reads=2000000 Innodb_buffer_pool_read_requests=100000000";
    let pool = "innodb_buffer_pool_size=1073741824";
    of(
        M8,
        &format!("{pool} {load} | m memory=16G"),
        "VAR001 innodb_buffer_pool_size 1073741824>10200547328",
    );
    of(
        M57,
        &format!("{pool} {load} | m memory=16G"),
        "VAR001 innodb_buffer_pool_size 1073741824>10200547328",
    );
    of(
        "v version=5.6.51",
        &format!("{pool} {load} | m memory=16G"),
        "VAR001 innodb_buffer_pool_size 1073741824>10200547328!",
    );
    of(M8, &format!("{pool} {load}"), "VAR001");
    // Free pages and nobody waits: first reads.
    let free = "Innodb_buffer_pool_pages_free=20 Innodb_buffer_pool_pages_total=100 Innodb_buffer_pool_wait_free=0";
    of(M8, &format!("{pool} {load} {free} | m memory=16G"), "");
    of(M8, &format!("{pool} innodb_dedicated_server=ON {load} | m memory=16G"), "");
    // 99 a second.
    of(
        M8,
        &format!(
            "{pool} | s Uptime=10000 Innodb_buffer_pool_reads=990000 Innodb_buffer_pool_read_requests=10000000"
        ),
        "",
    );
    // Half a percent.
    of(
        M8,
        &format!(
            "{pool} | s Uptime=10000 Innodb_buffer_pool_reads=2000000 Innodb_buffer_pool_read_requests=400000000"
        ),
        "",
    );
}

#[test]
fn buffers_are_held_against_the_memory() {
    // 4 GiB once; 100 × 8 MiB are 800 MiB and 400 × 8 MiB 3,200 MiB.
    let given = "innodb_buffer_pool_size=4294967296 sort_buffer_size=4194304 join_buffer_size=4194304 max_connections=400";
    of(MARIA, &format!("{given} | s Uptime=9 Max_used_connections=100 | m memory=16G"), "");
    of(MARIA, &format!("{given} | s Uptime=9 Max_used_connections=100 | m memory=6G"), "VAR002");
    let bound =
        all(&format!("{MARIA} {given} | s Uptime=9 Max_used_connections=100 | m memory=6G"));
    assert_eq!(bound.findings[0].severity, Severity::Medium);
    let seen = all(&format!("{MARIA} {given} | s Uptime=9 Max_used_connections=300 | m memory=6G"));
    assert_eq!(seen.findings[0].severity, Severity::High);
    of(MARIA, given, "");
}

#[test]
fn memory_wins_over_what_would_be_raised() {
    // 99 of 100 connections; 1 GiB and 99 × 8 MiB do not fit in 1 GiB.
    let given = "innodb_buffer_pool_size=1073741824 sort_buffer_size=4194304 join_buffer_size=4194304 max_connections=100";
    let used = "| s Uptime=9 Max_used_connections=99";
    of(MARIA, &format!("{given} {used} | m memory=64G"), "VAR003 max_connections 100>150");
    of(MARIA, &format!("{given} {used} | m memory=1G"), "VAR002; VAR003");
    // 1,816 MiB are in use of 1,945; 50 more would take 400.
    of(MARIA, &format!("{given} {used} | m memory=2G"), "VAR003");
}

#[test]
fn connections() {
    of(M8, "max_connections=200 | s Uptime=50 Max_used_connections=169", "");
    of(
        M8,
        "max_connections=200 | s Uptime=50 Max_used_connections=170",
        "VAR003 max_connections 200>300",
    );
    of(
        M8,
        "max_connections=200 | s Uptime=7200 Max_used_connections=90 Connection_errors_max_connections=4",
        "VAR003 max_connections 200>300",
    );
    of(
        M8,
        "max_connections=5000 | s Uptime=86400 Max_used_connections=300",
        "VAR003 max_connections 5000>900",
    );
    of(M8, "max_connections=5000 | s Uptime=80000 Max_used_connections=300", "");
    of(M8, "max_connections=1000 | s Uptime=86400 Max_used_connections=30", "");
    of(M8, "max_connections=200", "");
}

#[test]
fn threads_and_tables() {
    // 2 new threads a second.
    let threads = "| s Uptime=10000 Threads_created=20000 Connections=100000 Max_used_connections=80 Threads_connected=30";
    of(M8, &format!("thread_cache_size=9 {threads}"), "VAR004 thread_cache_size 9>50");
    of(M8, &format!("thread_cache_size=100 {threads}"), "");
    of(MARIA, &format!("thread_cache_size=9 thread_handling=pool-of-threads {threads}"), "");
    of(M8, "thread_cache_size=9 | s Uptime=10000 Threads_created=9000 Connections=20000", "");
    let misses = "| s Uptime=10000 Opened_tables=60000 Table_open_cache_hits=900000 Table_open_cache_misses=60000 Table_open_cache_overflows=50000";
    of(
        M8,
        &format!("table_open_cache=2000 open_files_limit=20000 max_connections=100 {misses}"),
        "VAR005 table_open_cache 2000>4000",
    );
    of(
        M8,
        &format!("table_open_cache=2000 open_files_limit=5000 max_connections=100 {misses}"),
        "VAR005 table_open_cache 2000>2445",
    );
    of(
        M8,
        &format!("table_open_cache=2000 open_files_limit=4000 max_connections=100 {misses}"),
        "VAR005",
    );
    of(
        "v version=5.0.95",
        "table_cache=64 | s Uptime=10000 Opened_tables=60000 Open_tables=64",
        "VAR005 table_cache 64>400",
    );
    of(
        "v version=5.0.95",
        "table_cache=64 | s Uptime=10000 Opened_tables=60000 Open_tables=20",
        "",
    );
    of(
        "v version=5.0.95",
        "table_cache=64 | s Uptime=10000 Opened_tables=50000 Open_tables=64",
        "",
    );
    of(
        M8,
        "table_definition_cache=400 | s Uptime=10000 Opened_table_definitions=20000 Open_table_definitions=400",
        "VAR006 table_definition_cache 400>800",
    );
    of(
        M8,
        "table_definition_cache=400 | s Uptime=10000 Opened_table_definitions=20000 Open_table_definitions=90",
        "",
    );
    of(
        M8,
        "open_files_limit=5000 table_open_cache=2000 max_connections=100 | s Uptime=9 Open_files=4300",
        "VAR007 open_files_limit 5000>10240!",
    );
    of(M8, "open_files_limit=5000 table_open_cache=2000 | s Uptime=9 Open_files=4200", "");
}

#[test]
fn temporary_tables() {
    of(
        M57,
        "tmp_table_size=67108864 max_heap_table_size=16777216",
        "VAR008 max_heap_table_size 16777216>67108864",
    );
    of(
        M57,
        "tmp_table_size=1073741824 max_heap_table_size=16777216",
        "VAR008 tmp_table_size 1073741824>16777216",
    );
    of(M57, "tmp_table_size=16777216 max_heap_table_size=67108864", "");
    of(M8, "tmp_table_size=67108864 max_heap_table_size=16777216", "");
    of(
        M8,
        "internal_tmp_mem_storage_engine=MEMORY tmp_table_size=67108864 max_heap_table_size=16777216",
        "VAR008 max_heap_table_size 16777216>67108864",
    );
    of("v version=5.0.95", "tmp_table_size=33554432 max_heap_table_size=16777216", "");
    let disk = "| s Uptime=10000 Created_tmp_tables=60000 Created_tmp_disk_tables=20000";
    of(
        M57,
        &format!("tmp_table_size=16777216 max_heap_table_size=16777216 {disk}"),
        "VAR009 tmp_table_size 16777216>33554432 max_heap_table_size 16777216>33554432",
    );
    of(M57, &format!("tmp_table_size=134217728 max_heap_table_size=134217728 {disk}"), "VAR009");
    of(
        M8,
        &format!("tmp_table_size=16777216 max_heap_table_size=16777216 {disk}"),
        "VAR009 tmp_table_size 16777216>33554432",
    );
    of(
        M57,
        "tmp_table_size=16777216 max_heap_table_size=16777216 | s Uptime=10000 Created_tmp_tables=90000 Created_tmp_disk_tables=20000",
        "",
    );
    // Both rules would set one variable: the graver does.
    of(
        M57,
        &format!("tmp_table_size=67108864 max_heap_table_size=16777216 {disk}"),
        "VAR009 tmp_table_size 67108864>33554432 max_heap_table_size 16777216>33554432; VAR008",
    );
}

#[test]
fn buffers_of_connections() {
    of(M8, "sort_buffer_size=4194304", "VAR010 sort_buffer_size 4194304>262144");
    of(MARIA, "sort_buffer_size=4194304", "");
    of(MARIA, "sort_buffer_size=8388608", "VAR010 sort_buffer_size 8388608>2097152");
    let sorts = "| s Uptime=10000 Sort_merge_passes=20000 Sort_scan=50000 Sort_range=50000";
    of(M8, &format!("sort_buffer_size=262144 {sorts}"), "VAR011 sort_buffer_size 262144>524288");
    of(M8, &format!("sort_buffer_size=4194304 {sorts}"), "VAR011");
    of(
        M8,
        "sort_buffer_size=262144 | s Uptime=10000 Sort_merge_passes=9000 Sort_scan=20000 Sort_range=0",
        "",
    );
    of(M8, "join_buffer_size=16777216", "VAR012 join_buffer_size 16777216>262144");
    of(M8, "join_buffer_size=8388608", "");
    of(
        M8,
        "read_buffer_size=4194304 read_rnd_buffer_size=2097152",
        "VAR013 read_buffer_size 4194304>131072",
    );
}

#[test]
fn the_redo_log_holds_an_hour() {
    // 2 MiB a second are 7,200 MiB an hour: 8 GiB.
    let two = "| s Uptime=36000 Innodb_os_log_written=75497472000";
    of(
        M8,
        &format!("innodb_redo_log_capacity=104857600 innodb_log_file_size=50331648 {two}"),
        "VAR014 innodb_redo_log_capacity 104857600>8589934592",
    );
    of(M8, &format!("innodb_redo_log_capacity=8589934592 {two}"), "");
    of(M8, &format!("innodb_redo_log_capacity=104857600 innodb_dedicated_server=ON {two}"), "");
    // The capacity in force counts.
    of(
        M8,
        &format!(
            "innodb_redo_log_capacity=104857600 {two} Innodb_redo_log_capacity_resized=8589934592"
        ),
        "",
    );
    of(
        M57,
        &format!("innodb_log_file_size=50331648 innodb_log_files_in_group=2 {two}"),
        "VAR014 innodb_log_file_size 50331648>4294967296!",
    );
    of(
        MARIA,
        &format!("innodb_log_file_size=100663296 {two}"),
        "VAR014 innodb_log_file_size 100663296>8589934592!",
    );
    of(
        "v version=11.4.2-MariaDB",
        &format!("innodb_log_file_size=100663296 {two}"),
        "VAR014 innodb_log_file_size 100663296>8589934592",
    );
    // 10 MiB a second: 16 GiB is the most.
    of(
        M8,
        "innodb_redo_log_capacity=104857600 | s Uptime=36000 Innodb_os_log_written=377487360000",
        "VAR014 innodb_redo_log_capacity 104857600>17179869184",
    );
    // Half a MiB a second.
    of(
        M8,
        "innodb_redo_log_capacity=104857600 | s Uptime=36000 Innodb_os_log_written=18874368000",
        "",
    );
    // Little is written, and the log is full nevertheless.
    of(
        MARIA,
        "innodb_log_file_size=100663296 | s Uptime=36000 Innodb_os_log_written=1887436800 Innodb_checkpoint_age=80000000 Innodb_checkpoint_max_age=81000000",
        "VAR014 innodb_log_file_size 100663296>201326592!",
    );
    of(
        MARIA,
        "innodb_log_buffer_size=8388608 | s Uptime=10000 Innodb_log_waits=1500",
        "VAR015 innodb_log_buffer_size 8388608>16777216!",
    );
    of(
        M8,
        "innodb_log_buffer_size=16777216 | s Uptime=10000 Innodb_log_waits=1500",
        "VAR015 innodb_log_buffer_size 16777216>33554432",
    );
    of(M8, "innodb_log_buffer_size=16777216 | s Uptime=10000 Innodb_log_waits=1000", "");
}

#[test]
fn what_a_crash_loses() {
    of(M8, "innodb_flush_log_at_trx_commit=2 sync_binlog=1 log_bin=ON", "VAR016");
    of(M8, "innodb_flush_log_at_trx_commit=1 sync_binlog=0 log_bin=ON", "VAR016");
    of(MARIA, "innodb_flush_log_at_trx_commit=1 sync_binlog=0 log_bin=OFF", "");
    of(
        MARIA,
        "innodb_flush_log_at_trx_commit=0 sync_binlog=0 log_bin=ON wsrep_on=ON wsrep_provider=/lib/galera.so",
        "",
    );
    of(M8, "innodb_doublewrite=OFF", "VAR021 innodb_doublewrite OFF>ON!");
    of(M8, "innodb_doublewrite=DETECT_ONLY", "VAR021 innodb_doublewrite DETECT_ONLY>ON");
    of(
        M8,
        "innodb_doublewrite=ON innodb_checksum_algorithm=none",
        "VAR021 innodb_checksum_algorithm none>crc32",
    );
    of("v version=5.1.73", "innodb_checksums=OFF", "VAR021 innodb_checksums OFF>ON!");
    of(M57, "innodb_checksums=ON innodb_checksum_algorithm=crc32", "");
}

#[test]
fn files_and_pages() {
    of(
        M8,
        "innodb_flush_method=fsync innodb_buffer_pool_size=2147483648",
        "VAR017 innodb_flush_method fsync>O_DIRECT!",
    );
    of("v version=8.4.2", "innodb_flush_method=fsync innodb_buffer_pool_size=2147483648", "");
    of(M8, "innodb_flush_method=fsync innodb_buffer_pool_size=134217728", "");
    of(M57, "innodb_file_per_table=OFF", "VAR018 innodb_file_per_table OFF>ON");
    of("v version=5.5.62", "innodb_file_per_table=OFF", "");
    of(
        M8,
        "innodb_buffer_pool_size=17179869184 innodb_buffer_pool_instances=1",
        "VAR019 innodb_buffer_pool_instances 1>8!",
    );
    of(M8, "innodb_buffer_pool_size=17179869184 innodb_buffer_pool_instances=8", "");
    of(MARIA, "innodb_buffer_pool_size=17179869184 innodb_buffer_pool_instances=1", "");
    let dirty =
        "| s Uptime=9 Innodb_buffer_pool_pages_dirty=600 Innodb_buffer_pool_pages_total=1000";
    of(
        MARIA,
        &format!(
            "innodb_io_capacity=200 innodb_max_dirty_pages_pct=75.000000 {dirty} | m disk=ssd"
        ),
        "VAR020 innodb_io_capacity 200>1000",
    );
    of(
        MARIA,
        &format!(
            "innodb_io_capacity=200 innodb_max_dirty_pages_pct=90.000000 {dirty} | m disk=ssd"
        ),
        "",
    );
    of(MARIA, &format!("innodb_io_capacity=200 innodb_max_dirty_pages_pct=75.000000 {dirty}"), "");
}

#[test]
fn symptoms_lead_to_rules() {
    of(
        MARIA,
        "innodb_autoinc_lock_mode=1 log_bin=OFF | x lock mode AUTO-INC waiting",
        "VAR022 innodb_autoinc_lock_mode 1>2!",
    );
    of(MARIA, "innodb_autoinc_lock_mode=1 log_bin=OFF", "");
    of(
        MARIA,
        "innodb_autoinc_lock_mode=0 log_bin=ON binlog_format=ROW",
        "VAR022 innodb_autoinc_lock_mode 0>2!",
    );
    // Statements in the binary log forbid it; the symptom is explained all the same.
    of(
        MARIA,
        "innodb_autoinc_lock_mode=1 log_bin=ON binlog_format=MIXED | x lock mode AUTO-INC waiting",
        "VAR022",
    );
    of(
        MARIA,
        "back_log=80 | x SQLSTATE[HY000] [2002] Connection timed out",
        "VAR023 back_log 80>1024!",
    );
    of(
        M8,
        "net_write_timeout=60 wait_timeout=28800 | x The last packet successfully received from the server was 61,000 milliseconds ago.",
        "VAR024 net_write_timeout 60>120",
    );
    of(
        M8,
        "net_write_timeout=60 wait_timeout=600 | x The last packet successfully received from the server was 600,512 milliseconds ago.",
        "VAR024",
    );
    of(MARIA, "skip_name_resolve=OFF | x unauthenticated user", "VAR026 skip_name_resolve OFF>ON!");
    // Nine logins a second wait for nobody; the state is explained all the same.
    let logins = |count: u64| format!("| s Uptime=10000 Connections={count}");
    of(
        MARIA,
        &format!("skip_name_resolve=OFF {} | x unauthenticated user", logins(90_000)),
        "VAR026",
    );
    of(
        MARIA,
        &format!("skip_name_resolve=OFF host_cache_size=0 {}", logins(100_000)),
        "VAR026 skip_name_resolve OFF>ON!",
    );
    of(MARIA, &format!("skip_name_resolve=OFF host_cache_size=0 {}", logins(90_000)), "");
    of(MARIA, &format!("skip_name_resolve=OFF host_cache_size=279 {}", logins(100_000)), "");
    of(MARIA, &format!("skip_name_resolve=ON host_cache_size=0 {}", logins(100_000)), "");
    of(
        MARIA,
        "max_allowed_packet=16777216 | x ERROR 1153: Got a packet bigger than 'max_allowed_packet' bytes",
        "VAR028 max_allowed_packet 16777216>67108864",
    );
    check("x The table '/tmp/#sql_1_0' is full", "VAR038");
    check(
        "v version=5.6.16 rds_max_tmp_disk_space=10737418240 | x The table '/tmp/#sql_1_0' is full",
        "VAR038",
    );
    check("x Waiting for query cache lock", "QC004");
    check("x Sending data", "");
    let header = " r b swpd free buff cache si so bi bo\n";
    let print = |lines: &[(u64, u64)]| {
        let line = |(into, out): &(u64, u64)| format!(" 1 0 9 9 9 9 {into} {out} 1 1\n");
        format!("{header}{}", lines.iter().map(line).collect::<String>())
    };
    let prints = |texts: &[String]| {
        let facts = ServerFacts { symptoms: texts.to_vec(), ..ServerFacts::default() };
        shown(&advise(&facts, &Workload::default(), None, &[]).findings)
    };
    // The first line is the mean since the host started.
    let swaps = print(&[(0, 0), (40, 0), (40, 12), (0, 8)]);
    assert_eq!(prints(std::slice::from_ref(&swaps)), "VAR039");
    assert_eq!(prints(&[print(&[(40, 0), (40, 0), (40, 12)])]), "");
    assert_eq!(prints(&[print(&[(40, 0), (40, 0), (40, 12), (0, 0)])]), "");
    assert_eq!(prints(&[print(&[(0, 0), (40, 0), (0, 0), (0, 8)])]), "");
    // A header again is no new print; two prints have a first line each.
    assert_eq!(prints(&[format!("{swaps}{header} 1 0 9 9 9 9 0 0 1 1\n")]), "VAR039");
    assert_eq!(prints(&[print(&[(9, 9), (9, 9), (9, 9)]), print(&[(0, 0), (9, 9)])]), "VAR039");
    assert_eq!(prints(&[print(&[(9, 9), (9, 9)]), print(&[(9, 9), (9, 9)])]), "");
    assert!(knows_symptom(&print(&[(0, 0)])));
    let pool = "v innodb_buffer_pool_size=5368709120 version=8.0.36 | m memory=8G";
    check(&format!("{pool} | x vm.swappiness = 60"), "VAR039");
    check(&format!("{pool} | x vm.swappiness = 10"), "");
    check("v innodb_buffer_pool_size=134217728 | m memory=8G | x vm.swappiness = 60", "");
    assert!(knows_symptom("vm.swappiness = 10") && !knows_symptom("swappiness is high"));
}

#[test]
fn limits_of_time() {
    of(MARIA, "max_statement_time=30000.000000", "VAR025 max_statement_time 30000>30");
    of(MARIA, "max_statement_time=3600.000000", "");
    of(MARIA, "max_statement_time=0.000000", "");
    of(M8, "max_execution_time=30", "VAR025 max_execution_time 30>30000");
    of(M8, "max_execution_time=30000", "");
    of("v version=5.6.51", "max_statement_time=10", "VAR025 max_statement_time 10>10000");
    let idle = "| s Uptime=9 Threads_connected=80 Threads_running=2";
    of(
        M8,
        &format!("wait_timeout=28800 max_connections=100 {idle}"),
        "VAR027 wait_timeout 28800>600",
    );
    of(M8, &format!("wait_timeout=28800 max_connections=200 {idle}"), "");
    of(
        M8,
        "innodb_lock_wait_timeout=300 | s Uptime=10000 Innodb_row_lock_time=600000",
        "VAR037 innodb_lock_wait_timeout 300>50",
    );
    of(M8, "innodb_lock_wait_timeout=300 | s Uptime=10000 Innodb_row_lock_time=400000", "");
}

#[test]
fn logs() {
    of(
        MARIA,
        "slow_query_log=ON min_examined_row_limit=1000",
        "VAR030 min_examined_row_limit 1000>0",
    );
    of(
        MARIA,
        "slow_query_log=ON min_examined_row_limit=1000 log_slow_rate_limit=1",
        "VAR030 min_examined_row_limit 1000>0",
    );
    of(MARIA, "slow_query_log=OFF min_examined_row_limit=1000", "");
    of(
        MARIA,
        "slow_query_log=ON log_slow_filter=full_scan log_slow_disabled_statements=sp",
        "VAR030 log_slow_filter full_scan>",
    );
    let whole = "admin,filesort,filesort_on_disk,filesort_priority_queue,full_join,full_scan,query_cache,query_cache_miss,tmp_table,tmp_table_on_disk";
    of(MARIA, &format!("slow_query_log=ON log_slow_filter={whole}"), "");
    of(M8, "slow_query_log=ON log_output=FILE,TABLE", "VAR032 log_output FILE,TABLE>FILE");
    of(M8, "slow_query_log=ON log_output=TABLE basedir=/rdsdbbin/mysql", "");
    of(
        M8,
        "log_bin=ON sync_binlog=1 binlog_expire_logs_seconds=0 expire_logs_days=0",
        "VAR033 binlog_expire_logs_seconds 0>604800",
    );
    of(M8, "log_bin=ON sync_binlog=1 binlog_expire_logs_seconds=2592000 expire_logs_days=0", "");
    of(M57, "log_bin=ON sync_binlog=1 expire_logs_days=0", "VAR033 expire_logs_days 0>7");
    of(M57, "log_bin=ON sync_binlog=1", "");
    of(
        "v version=5.5.62",
        "innodb_stats_on_metadata=ON | s Uptime=10000 Com_show_table_status=20000",
        "VAR036 innodb_stats_on_metadata ON>OFF",
    );
    of(
        "v version=5.5.62",
        "innodb_stats_on_metadata=ON | s Uptime=10000 Com_show_table_status=20",
        "",
    );
    // Lasting statistics are not made anew by a look.
    of(
        M57,
        "innodb_stats_on_metadata=ON innodb_stats_persistent=ON | s Uptime=10000 Com_show_table_status=20000",
        "",
    );
    of(
        M8,
        "key_buffer_size=8388608 | s Uptime=10000 Key_reads=2000000 Key_read_requests=20000000 | m memory=8G",
        "VAR029 key_buffer_size 8388608>16777216",
    );
    // No table is known: MyISAM may be there.
    of(M8, "key_buffer_size=268435456 | s Uptime=90000 Key_reads=0 Key_read_requests=9", "");
}

#[test]
fn options_that_are_gone() {
    of(M8, "| c query_cache_size=16M;loose_query_cache_type=1", "QC009");
    of(M8, "| c innodb_checksums=1", "VAR034");
    of(M8, "| c innodb_log_file_size=1G", "VAR034");
    of(M57, "| c innodb_log_file_size=1G;query_cache_type=1;query_cache_size=8M", "");
    of("v version=9.7.0", "| c innodb-log-file-size=1G", "VAR034");
    of(MARIA, "| c innodb_redo_log_capacity=1G;loose_max_execution_time=1", "VAR034");
    of(MARIA, "| c query_cache_type=0;query_cache_size=8M", "QC009");
    of(MARIA, "| c query_cache_type=1;query_cache_size=40000", "QC009");
    of(MARIA, "| c slave_net_timeout=9;log_slow_verbosity=full", "");
    of(MARIA, "| c rocksdb_block_cache_size=1G;rocksdb_max_open_files=9", "VAR034");
    of(MARIA, "| c loose_rocksdb_block_cache_size=1G", "");
    of(MARIA, "| c plugin_load_add=ha_rocksdb;rocksdb_block_cache_size=1G", "");
    of(MARIA, "rocksdb_block_cache_size=1073741824 | c rocksdb_block_cache_size=1G", "");
    of(MARIA, "| c tokudb_cache_size=1G;rocksdb_max_open_files=9", "VAR034; VAR034");
    let gone = all("v version=11.4.2-MariaDB | c tokudb_cache_size=1G");
    assert!(gone.findings[0].recommendation.text.contains("has no TokuDB"));
    assert_eq!(gone.findings[0].severity, Severity::High);
    of(M8, "| c max_statement_time=1000", "VAR034");
    of("v version=5.6.16 rds_x=1", "| c max_statement_time=1000", "");
    // What is new stops an older server.
    of(M57, "| c innodb_redo_log_capacity=1G", "VAR034");
    of("v version=8.0.29", "| c innodb_redo_log_capacity=1G;log_slow_extra=1", "VAR034");
    of("v version=8.0.30", "| c innodb_redo_log_capacity=1G;log_slow_extra=1", "");
    // The manual, options added in MySQL 8.0: temptable_max_ram in 8.0.2.
    of("v version=8.0.1", "| c temptable_max_ram=1G", "VAR034");
    of("v version=8.0.2", "| c temptable_max_ram=1G;internal_tmp_mem_storage_engine=TempTable", "");
    of("v version=8.0.2", "| c innodb_dedicated_server=1", "VAR034");
    of(MARIA, "| c innodb_data_file_buffering=0", "VAR034");
    of("v version=11.4.2-MariaDB", "| c innodb_data_file_buffering=0", "");
    of(MARIA, "| c max_statement_time=30", "");
    let fatal = all("v version=9.7.0 | c innodb-log-file-size=1G");
    assert_eq!(fatal.findings[0].severity, Severity::High);
    assert!(fatal.findings[0].recommendation.text.contains("innodb_redo_log_capacity"));
}

#[test]
fn the_query_cache() {
    let on = "query_cache_type=ON query_cache_size=33554432";
    // 100,000 of 1,000,000 look-ups: MariaDB counts hits as SELECT, MySQL does not.
    let seldom = "| s Uptime=90000 Qcache_hits=100000 Com_select=1000000 Qcache_inserts=90000";
    let off = "QC003 query_cache_size 33554432>0 query_cache_type ON>OFF";
    of(MARIA, &format!("{on} {seldom}"), off);
    of(M57, &format!("{on} {seldom}"), off);
    of(
        MARIA,
        "query_cache_type=OFF query_cache_size=33554432 | s Uptime=90000 Qcache_hits=0 Com_select=1000000 Qcache_inserts=0",
        "",
    );
    // 200,000 of 900,000 are 22 % on MariaDB; with 750,000 SELECTs besides 21 % on MySQL.
    of(
        MARIA,
        &format!("{on} | s Uptime=90000 Qcache_hits=200000 Com_select=900000 Qcache_inserts=90000"),
        "QC003",
    );
    of(
        M57,
        &format!("{on} | s Uptime=90000 Qcache_hits=200000 Com_select=750000 Qcache_inserts=90000"),
        "QC003",
    );
    of(
        M57,
        &format!("{on} | s Uptime=90000 Qcache_hits=200000 Com_select=900000 Qcache_inserts=90000"),
        off,
    );
    of(
        MARIA,
        &format!(
            "{on} | s Uptime=80000 Qcache_hits=100000 Com_select=1000000 Qcache_inserts=90000"
        ),
        "",
    );
    of(
        MARIA,
        "query_cache_type=ON query_cache_size=268435456",
        "QC005 query_cache_size 268435456>67108864",
    );
    of(MARIA, "query_cache_type=OFF query_cache_size=268435456", "");
    of(
        MARIA,
        &format!(
            "{on} | s Uptime=90000 Qcache_hits=900000 Com_select=1000000 Qcache_inserts=90000 Qcache_lowmem_prunes=40000 Qcache_free_memory=1000000"
        ),
        "QC006 query_cache_size 33554432>67108864",
    );
    of(
        MARIA,
        &format!(
            "{on} | s Uptime=5000 Qcache_lowmem_prunes=9000 Qcache_free_memory=16777216 Qcache_free_blocks=900 Qcache_total_blocks=3000 Qcache_queries_in_cache=1000"
        ),
        "QC007",
    );
    of(M8, on, "");
}

#[test]
fn counters_of_a_young_server_change_nothing() {
    // Two a second, three quarters on disk, ten minutes after the start.
    let young = "tmp_table_size=16777216 max_heap_table_size=16777216 | s Uptime=600 Created_tmp_tables=1600 Created_tmp_disk_tables=1200";
    of(M57, young, "VAR009");
    let finding = &all(&format!("{M57} {young}")).findings[0];
    assert_eq!((finding.severity, finding.recommendation.action), (Severity::Info, Action::None));
    assert!(finding.recommendation.text.contains("uptime of 600 s"));
    // A second sample a minute later tells.
    of(
        M57,
        &format!("{young} | t Uptime=660 Created_tmp_tables=1760 Created_tmp_disk_tables=1320"),
        "VAR009 tmp_table_size 16777216>33554432 max_heap_table_size 16777216>33554432",
    );
    of(M57, "key_buffer_size=8388608 | s Uptime=600 Questions=90000", "VAR000");
    of(M57, "key_buffer_size=8388608 | s Uptime=600 Questions=90", "");
}

/// A load of so many seconds, of which so many are locks, in which statements ran for 100 s.
fn load_of(seconds: u64, locked: Option<u64>, window: u64) -> Workload<'static> {
    use crate::advice::workload::{Measured, Times, Whole, fixture};
    const SECOND: u64 = 1_000_000;
    let measured = Measured {
        time: Some(Times { sum: seconds * SECOND, ..Times::default() }),
        row_lock_micros: locked.map(|locked| locked * SECOND),
        ..Measured::default()
    };
    let whole = Whole { measured, busy_micros: Some(100 * SECOND), ..Whole::default() };
    Workload {
        classes: vec![Class {
            micros: Some(seconds * SECOND),
            ..fixture("SELECT a FROM t WHERE b = 1")
        }],
        is_timed: true,
        window_micros: Some(window * SECOND),
        whole: Some(whole),
        ..Workload::default()
    }
}

/// 16 statements at once on 4 cores, and a log in which statements ran for 100 s.
#[test]
fn that_too_many_run_at_once_is_told_by_samples_and_the_log() {
    let of = |given: &str, running: &[u64], cores, workload: Workload<'_>| {
        let mut facts = facts(given);
        facts.running = running.to_vec();
        facts.machine.cores = cores;
        let on_server = advise(&facts, &workload, None, &[]);
        let found = on_server.findings.into_iter().find(|it| it.rule == "VAR035");
        let wants = on_server.not_checked.into_iter().find(|it| it.rule == "VAR035");
        assert!(found.is_none() || wants.is_none());
        (found, wants.map(|it| it.wants))
    };
    // One of ten is a tenth; 1,600 s in 100 s are 16 at once, 4 for each core.
    let running = [2, 2, 2, 2, 16, 2, 2, 2, 2, 2];
    let is_said = |given: &str, running: &[u64], load| {
        let (found, wants) = of(given, running, Some(4), load);
        assert_eq!(wants, None);
        found.is_some()
    };
    assert!(is_said(M8, &running, load_of(1_600, Some(0), 100)));
    assert!(is_said(MARIA, &running, load_of(1_600, Some(79), 100)));
    let calm = [2, 2, 2, 2, 15, 2, 2, 2, 2, 2];
    assert!(!is_said(M8, &calm, load_of(1_600, Some(0), 100)));
    assert!(!is_said(M8, &running, load_of(1_599, Some(0), 100)));
    // A twentieth of the time is spent on locks of rows.
    assert!(!is_said(M8, &running, load_of(1_600, Some(80), 100)));
    // An hour without a statement lies between two busy stretches.
    assert!(is_said(M8, &running, load_of(1_600, Some(0), 3_700)));
    let (found, wants) = of(M8, &running[1..], None, load_of(1_600, Some(0), 100));
    assert_eq!(found, None);
    assert_eq!(
        wants.as_deref(),
        Some("--collected FILE with 10 samples of Threads_running; --cores N of the machine")
    );
    let told =
        |given: &str, locked| of(given, &running, Some(4), load_of(1_600, locked, 100)).0.unwrap();
    let has_locks = |found: &Finding| found.evidence.iter().any(|it| it.name == "lock_percent");
    let (known, unknown) = (told(M8, Some(0)), told(M8, None));
    assert_eq!((known.confidence, has_locks(&known)), (Confidence::Medium, true));
    assert_eq!((unknown.confidence, has_locks(&unknown)), (Confidence::Low, false));
    // MariaDB 10.6 has the variable no more.
    const NAME: &str = "innodb_thread_concurrency";
    let has = told(&format!("{M8} {NAME}=0"), Some(0));
    assert!(has.recommendation.text.contains(NAME));
    assert_eq!(has.subject.variable.as_deref(), Some(NAME));
    let has_not = told(&format!("{MARIA} {NAME}=0"), Some(0));
    assert!(!has_not.recommendation.text.contains(NAME));
    assert_eq!(has_not.subject.variable, None);
    assert!(told(MARIA, Some(0)).recommendation.text.contains("pool-of-threads"));
}

#[test]
fn what_is_not_known_is_not_checked() {
    let on_server = all("v version=8.0.36 max_connections=100");
    let wants = |rule: &str| {
        on_server.not_checked.iter().find(|it| it.rule == rule).map(|it| it.wants.as_str())
    };
    assert!(wants("VAR003").unwrap().starts_with("--status FILE"));
    assert_eq!(wants("VAR002"), Some("--memory SIZE of the machine"));
    assert_eq!(wants("VAR016"), None);
    // MySQL 8.0 has no query cache to count hits of.
    assert_eq!(wants("QC003"), None);
    let maria = all("v version=10.6.16-MariaDB query_cache_type=ON query_cache_size=1048576");
    assert!(maria.not_checked.iter().any(|it| it.rule == "QC003"));
    assert!(on_server.facts.is_empty());
    let tidb = all("v version=8.0.11-TiDB-v7.5.0 join_buffer_size=999999999");
    assert_eq!(shown(&tidb.findings), "");
    assert!(tidb.not_checked.iter().all(|it| it.wants.contains("TiDB")));
}

#[test]
fn statements_and_lines_fit_the_server() {
    let todo = |given: &str| all(given).findings[0].recommendation.clone();
    let persisted = todo("v version=8.0.36 join_buffer_size=16777216");
    assert_eq!(persisted.sql, ["SET PERSIST join_buffer_size = 262144"]);
    assert_eq!(
        persisted.undo,
        ["SET GLOBAL join_buffer_size = 16777216", "RESET PERSIST IF EXISTS join_buffer_size"]
    );
    assert!(persisted.text.ends_with("No restart is needed."), "{}", persisted.text);
    assert_eq!(persisted.variables[0].option_line, "join_buffer_size = 256K");
    let global = todo("v version=11.4.2-MariaDB join_buffer_size=16777216");
    assert_eq!(global.sql, ["SET GLOBAL join_buffer_size = 262144"]);
    let restart = todo("v version=8.0.36 innodb_doublewrite=OFF");
    assert!(restart.sql.is_empty() && restart.text.contains("with a restart"), "{}", restart.text);
    let managed = todo("v version=8.0.36 basedir=/rdsdbbin/mysql join_buffer_size=16777216");
    assert!(
        managed.sql.is_empty()
            && managed.text.contains("DB parameter group: join_buffer_size = 256K"),
        "{}",
        managed.text
    );
}

/// A bounded stretch is logged whole and then no more: nothing of it outlasts a restart.
#[test]
fn what_the_log_leaves_out_is_logged_for_a_while() {
    let m8 = "v version=8.0.36 slow_query_log=ON";
    let maria = "v version=11.4.2-MariaDB slow_query_log=ON";
    let check = |given: &str, name: &str, from: &str, to: &str| {
        let found = all(given).findings;
        let todo = &found.iter().find(|it| it.rule == "VAR030").unwrap().recommendation;
        assert!(todo.text.contains("Log all of a bounded stretch"), "{}", todo.text);
        assert_eq!(todo.sql, [format!("SET GLOBAL {name} = {to}")], "{given}");
        assert_eq!(todo.undo, [format!("SET GLOBAL {name} = {from}")], "{given}");
        assert_eq!(todo.variables[0].option_line, "", "{given}");
    };
    for (server, name, from, to) in [
        (m8, "min_examined_row_limit", "1000", "0"),
        (m8, "log_slow_rate_limit", "10", "1"),
        (maria, "log_slow_min_examined_row_limit", "1000", "0"),
    ] {
        check(&format!("{server} {name}={from}"), name, from, to);
    }
    for (name, from, to) in [
        ("log_slow_filter", "full_scan", "''"),
        ("log_slow_disabled_statements", "admin,call", "'sp'"),
    ] {
        check(&format!("{maria} {name}={from}"), name, &format!("'{from}'"), to);
    }
    let name = "log_throttle_queries_not_using_indexes";
    check(&format!("{m8} log_queries_not_using_indexes=ON {name}=10"), name, "10", "0");
}

#[test]
fn facts_have_their_names_and_units() {
    let given = "v version=10.6.16-MariaDB query_cache_type=ON query_cache_size=1048576 sort_buffer_size=1000 join_buffer_size=200 \
                 max_connections=10 innodb_buffer_pool_size=5000 innodb_log_file_size=1048576 tmp_table_size=300 max_heap_table_size=200 \
                 | s Uptime=43200 Max_used_connections=4 Qcache_hits=30 Com_select=40 Qcache_lowmem_prunes=100 \
                 Created_tmp_tables=8 Created_tmp_disk_tables=2 Innodb_os_log_written=86400";
    let shown: Vec<String> = all(given)
        .facts
        .iter()
        .map(|fact| match &fact.value {
            crate::advice::Value::Number(amount) => format!("{}={amount}", fact.name),
            other => panic!("{other:?}"),
        })
        .collect();
    // 1,048,576 + 5,000 once; 1,200 for each of 10 or of 4 connections.
    assert_eq!(
        shown,
        [
            "uptime_seconds=43200",
            "redo_bytes_per_hour=7200",
            "redo_capacity_bytes=1048576",
            "query_cache_hit_ratio=0.75",
            "query_cache_prunes_per_day=200",
            "memory_per_connection_bytes=1200",
            "memory_worst_case_bytes=1065576",
            "memory_seen_bytes=1058376",
            "join_buffer_worst_case_bytes=2000",
            "tmp_table_limit_bytes=200",
            "tmp_disk_ratio=0.25",
        ]
    );
}

#[test]
fn extreme_values_break_nothing() {
    let most = u64::MAX;
    let names = [
        "innodb_buffer_pool_size",
        "sort_buffer_size",
        "join_buffer_size",
        "max_connections",
        "tmp_table_size",
        "max_heap_table_size",
        "innodb_log_file_size",
        "innodb_log_files_in_group",
        "table_open_cache",
        "open_files_limit",
        "query_cache_size",
        "key_buffer_size",
        "thread_cache_size",
        "innodb_buffer_pool_chunk_size",
        "innodb_buffer_pool_instances",
        "wait_timeout",
        "max_statement_time",
        "innodb_log_buffer_size",
    ];
    let counters = [
        "Innodb_buffer_pool_reads",
        "Innodb_buffer_pool_read_requests",
        "Max_used_connections",
        "Threads_created",
        "Connections",
        "Opened_tables",
        "Open_tables",
        "Open_files",
        "Created_tmp_tables",
        "Created_tmp_disk_tables",
        "Sort_merge_passes",
        "Sort_scan",
        "Sort_range",
        "Innodb_os_log_written",
        "Innodb_log_waits",
        "Qcache_hits",
        "Com_select",
        "Qcache_inserts",
        "Qcache_lowmem_prunes",
        "Qcache_free_memory",
        "Key_reads",
        "Key_read_requests",
        "Questions",
    ];
    for version in ["5.0.95", "5.7.44", "8.0.36", "9.7.0", "10.6.16-MariaDB", "11.8.1-MariaDB"] {
        for value in [0, 1, most] {
            for uptime in [0, 1, 60, 90_000, most] {
                let variables: Vec<String> =
                    names.iter().map(|it| format!("{it}={value}")).collect();
                let status: Vec<String> =
                    counters.iter().map(|it| format!("{it}={value}")).collect();
                let given = format!(
                    "v version={version} query_cache_type=ON {} | s Uptime={uptime} {} | m memory={value}",
                    variables.join(" "),
                    status.join(" ")
                );
                all(&given);
            }
        }
    }
}

#[test]
fn caches_without_tables_are_told_where_the_tables_are_known() {
    let tables = |engine: &str| {
        Schema::read(
            format!("CREATE TABLE crate (id INT PRIMARY KEY) ENGINE={engine};").as_bytes(),
            "x.sql",
        )
        .0
    };
    let said = |given: &str, engine: &str| {
        shown(&advise(&facts(given), &Workload::default(), Some(&tables(engine)), &[]).findings)
    };
    let aria = "v version=11.4.2-MariaDB aria_pagecache_buffer_size=1073741824";
    assert_eq!(said(aria, "InnoDB"), "VAR040 aria_pagecache_buffer_size 1073741824>134217728!");
    assert_eq!(said(aria, "Aria"), "");
    let ratio = "v version=5.6.16 rds_x=1 tokudb_buffer_pool_ratio=50";
    assert_eq!(said(ratio, "InnoDB"), "VAR040 tokudb_buffer_pool_ratio 50>0!");
    assert_eq!(said(ratio, "TokuDB"), "");
    let keys = "v version=8.0.36 key_buffer_size=268435456 | s Uptime=90000 Key_reads=0 Key_read_requests=9";
    assert_eq!(said(keys, "InnoDB"), "VAR029 key_buffer_size 268435456>8388608");
    assert_eq!(said(keys, "MyISAM"), "");
}

/// The parameters of the table of a provider (MySQL 5.6), each with the rule that speaks of it.
#[test]
fn every_parameter_of_a_provider_has_its_rule() {
    let rds = "v version=5.6.16-log rds_sql_log=OFF";
    for (parameter, rule, rest, want) in [
        (
            "back_log",
            "VAR023",
            "back_log=80 | x SQLSTATE[HY000] [2002] Connection timed out",
            "VAR023 back_log 80>1024!",
        ),
        (
            "back_log",
            "VAR023",
            "back_log=3000 | x SQLSTATE[HY000] [2002] Connection timed out",
            "VAR023",
        ),
        (
            "innodb_autoinc_lock_mode",
            "VAR022",
            "innodb_autoinc_lock_mode=1 binlog_format=ROW | x TABLE LOCK table `a`.`b` trx id 7 lock mode AUTO-INC waiting",
            "VAR022 innodb_autoinc_lock_mode 1>2!",
        ),
        (
            "innodb_autoinc_lock_mode",
            "VAR022",
            "innodb_autoinc_lock_mode=1 binlog_format=STATEMENT | x lock_mode X insert intention waiting",
            "VAR022",
        ),
        (
            "query_cache_size",
            "QC004",
            "query_cache_size=3145728 query_cache_type=ON | x Waiting for query cache lock",
            "QC004",
        ),
        (
            "query_cache_size",
            "QC003",
            "query_cache_size=3145728 query_cache_type=ON | s Uptime=90000 Qcache_hits=10000 Com_select=1000000 Qcache_inserts=900000",
            "QC003 query_cache_size 3145728>0 query_cache_type ON>OFF",
        ),
        (
            "net_write_timeout",
            "VAR024",
            "net_write_timeout=60 wait_timeout=86400 | x The last packet sent successfully to the server was 61,204 milliseconds ago.",
            "VAR024 net_write_timeout 60>120",
        ),
        (
            "tmp_table_size",
            "VAR009",
            "tmp_table_size=2097152 max_heap_table_size=67108864 | s Uptime=10000 Created_tmp_tables=60000 Created_tmp_disk_tables=20000",
            "VAR009 tmp_table_size 2097152>16777216",
        ),
        (
            "tmp_table_size",
            "VAR008",
            "tmp_table_size=67108864 max_heap_table_size=16777216",
            "VAR008 max_heap_table_size 16777216>67108864",
        ),
        (
            "rds_max_tmp_disk_space",
            "VAR038",
            "rds_max_tmp_disk_space=10737418240 | x The table '/home/mysql/data1/tmp/#sql_2db3_1' is full",
            "VAR038",
        ),
        (
            "max_statement_time",
            "VAR025",
            "max_statement_time=30",
            "VAR025 max_statement_time 30>30000",
        ),
        (
            "max_statement_time",
            "VAR025",
            "max_statement_time=0 | x ERROR 3006 (HY000): Query execution was interrupted, max_statement_time exceeded",
            "VAR025",
        ),
    ] {
        let given = format!("{rds} {rest}");
        check(&given, want);
        let finding = &all(&given).findings[0];
        assert_eq!(finding.rule, rule, "{parameter}");
        let told = format!("{finding:?}");
        assert!(told.contains(parameter) || rule == "QC004", "{parameter}: {told}");
    }
    // As the option file of a provider spells them.
    check(
        "c loose_rds_max_tmp_disk_space=10737418240 | x The table '/t/#sql_2db3_1' is full",
        "VAR038",
    );
    // Two need tables or samples of their own: `caches_without_tables_are_told…` has the first.
    for (parameter, rule) in
        [("tokudb", "VAR040"), ("rds_threads_running_high_watermark", "VAR035")]
    {
        let rule = rules().find(|it| it.code == rule).unwrap();
        assert!(rule.doc.to_ascii_lowercase().contains(parameter), "{parameter}");
    }
}
