//! Options that a version does not know.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::say;
use crate::flavor::Family;
use crate::server::Config;
use crate::server::my_cnf::Setting;

rule! {
    /// The option file sets what this version does not know, or passes over.
    ///
    /// **Costs.** The server does not start; or a setting that somebody relies on does nothing.
    /// **Wrong when.** The option is written `loose_…`. A plugin brings it.
    /// **Verify.** mysqld --validate-config from MySQL 8.0.16 on; mysqld --verbose --help before,
    /// and in MariaDB.
    /// **Source.** Release notes; measured on MySQL 9.7, MariaDB 10.11 and 11.8.
    Variables "VAR034" "option-removed"
}

/// What a server does with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It does not start.
    Fatal,
    /// It starts, and the option does nothing.
    Ignored,
    /// It takes it, and warns that it will go.
    Deprecated,
    /// It takes it.
    Taken,
}

use Fate::{Deprecated, Fatal, Ignored, Taken};

type Since = &'static [((u32, u32, u32), Fate)];

/// Options that share their fate: from which version on, in MySQL and in MariaDB. Before the
/// first version they are taken; what is new is not known before its first version.
struct Row {
    names: &'static [&'static str],
    mysql: Since,
    mariadb: Since,
}

const ANY: (u32, u32, u32) = (0, 0, 0);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { names: &["innodb_log_file_size"], mysql: &[((8, 0, 30), Deprecated), ((9, 7, 0), Fatal)], mariadb: &[] },
    Row { names: &["innodb_log_files_in_group"], mysql: &[((8, 0, 30), Deprecated), ((9, 7, 0), Fatal)], mariadb: &[((10, 6, 0), Ignored)] },
    Row { names: &["innodb_large_prefix", "innodb_file_format", "innodb_undo_logs", "innodb_stats_sample_pages", "innodb_locks_unsafe_for_binlog", "thread_concurrency", "multi_range_count", "timed_mutexes", "max_long_data_size"], mysql: &[((8, 0, 0), Fatal)], mariadb: &[((10, 6, 0), Ignored)] },
    Row { names: &["innodb_support_xa", "innodb_checksums", "innodb_mirrored_log_groups", "innodb_file_format_max"], mysql: &[((8, 0, 0), Fatal)], mariadb: &[((10, 11, 0), Fatal)] },
    Row { names: &["innodb_additional_mem_pool_size", "innodb_use_sys_malloc", "storage_engine"], mysql: &[((5, 7, 5), Fatal)], mariadb: &[((10, 11, 0), Fatal)] },
    Row { names: &["log_slow_queries", "log"], mysql: &[((5, 6, 1), Fatal)], mariadb: &[((10, 11, 0), Fatal)] },
    Row { names: &["skip_locking", "default_character_set"], mysql: &[((5, 5, 3), Fatal)], mariadb: &[((5, 5, 0), Fatal)] },
    Row { names: &["innodb_buffer_pool_instances", "innodb_page_cleaners", "innodb_thread_concurrency", "innodb_concurrency_tickets", "innodb_commit_concurrency", "innodb_sync_array_size"], mysql: &[], mariadb: &[((10, 6, 0), Ignored)] },
    Row { names: &["innodb_change_buffering"], mysql: &[], mariadb: &[((11, 8, 0), Ignored)] },
    Row { names: &["innodb_defragment"], mysql: &[(ANY, Fatal)], mariadb: &[((11, 8, 0), Ignored)] },
    Row { names: &["innodb_flush_method", "innodb_file_per_table"], mysql: &[], mariadb: &[((11, 8, 0), Deprecated)] },
    Row { names: &["max_tmp_tables"], mysql: &[((8, 0, 3), Fatal)], mariadb: &[((11, 8, 0), Fatal)] },
    Row { names: &["table_cache"], mysql: &[((8, 0, 0), Fatal)], mariadb: &[] },
    Row { names: &["expire_logs_days"], mysql: &[((8, 4, 0), Fatal)], mariadb: &[] },
    Row { names: &["log_warnings", "old_passwords", "secure_auth", "sync_frm"], mysql: &[((8, 0, 3), Fatal)], mariadb: &[] },
    Row { names: &["tx_isolation", "tx_read_only"], mysql: &[(ANY, Fatal)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["default_authentication_plugin", "master_info_repository", "relay_log_info_repository", "transaction_write_set_extraction", "binlog_transaction_dependency_tracking"], mysql: &[((8, 4, 0), Fatal)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["internal_tmp_disk_storage_engine"], mysql: &[((8, 0, 16), Fatal)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["mysql_native_password", "temptable_use_mmap"], mysql: &[((9, 7, 0), Fatal)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["skip_host_cache", "innodb_undo_tablespaces", "ssl", "old", "new", "character_set_client_handshake", "skip_character_set_client_handshake"], mysql: &[((9, 7, 0), Fatal)], mariadb: &[] },
    Row { names: &["log_slave_updates", "slave_parallel_workers", "slave_parallel_type", "slave_preserve_commit_order", "slave_net_timeout", "slave_compressed_protocol", "slave_load_tmpdir", "slave_skip_errors", "slave_type_conversions"], mysql: &[((8, 0, 26), Deprecated)], mariadb: &[] },
    Row { names: &["log_replica_updates", "replica_parallel_workers", "replica_parallel_type", "replica_preserve_commit_order", "replica_net_timeout"], mysql: &[(ANY, Fatal), ((8, 0, 26), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["innodb_redo_log_capacity"], mysql: &[(ANY, Fatal), ((8, 0, 30), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["innodb_doublewrite_files"], mysql: &[(ANY, Fatal), ((8, 0, 20), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["temptable_max_ram", "internal_tmp_mem_storage_engine"], mysql: &[(ANY, Fatal), ((8, 0, 2), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["innodb_dedicated_server"], mysql: &[(ANY, Fatal), ((8, 0, 3), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["log_slow_extra"], mysql: &[(ANY, Fatal), ((8, 0, 14), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["authentication_policy"], mysql: &[(ANY, Fatal), ((8, 0, 27), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["max_execution_time"], mysql: &[(ANY, Fatal), ((5, 7, 8), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["log_error_verbosity"], mysql: &[(ANY, Fatal), ((5, 7, 2), Taken)], mariadb: &[(ANY, Fatal)] },
    Row { names: &["innodb_data_file_buffering"], mysql: &[(ANY, Fatal)], mariadb: &[(ANY, Fatal), ((11, 0, 0), Taken)] },
    Row { names: &["innodb_log_file_buffering"], mysql: &[(ANY, Fatal)], mariadb: &[] },
];

/// Options of MariaDB and Percona Server that MySQL itself does not know.
const NOT_MYSQL: &[&str] =
    &["log_slow_verbosity", "log_slow_rate_limit", "log_slow_filter", "userstat", "extra_port"];

/// Engines that a plugin brings, with the beginning of their options and the name of the plugin.
const ENGINES: &[(&str, &str, &str)] =
    &[("TokuDB", "tokudb_", "ha_tokudb"), ("RocksDB", "rocksdb_", "ha_rocksdb")];

/// Options of an engine whose plugin is not there: the server does not know them.
fn of_engines(case: &Case<'_>, config: &Config) -> Vec<Finding> {
    let Some(version) = case.version.filter(|it| it.is_mysql() || it.is_mariadb()) else {
        return Vec::new();
    };
    let told = ENGINES.iter().filter_map(|(engine, head, plugin)| {
        let options: Vec<&Setting> = config
            .options
            .iter()
            .filter(|it| it.name.starts_with(head) && !it.is_loose)
            .collect();
        let first = *options.first()?;
        // A server that has the plugin shows its variables; an option file may load it.
        let is_loaded = case.facts.variables.names().any(|name| name.starts_with(head))
            || config.options.iter().any(|it| {
                it.name.starts_with("plugin_load")
                    && it.value.as_ref().is_some_and(|value| value.contains(plugin))
            });
        let is_known = !case.facts.variables.is_empty();
        if is_loaded || !is_known {
            return None;
        }
        let others = match options.len() {
            1 => String::new(),
            many => format!(" and {} more of {engine}", many - 1),
        };
        let title = format!(
            "line {} sets {}{others}, which this version does not know without the plugin {plugin}: it will not start",
            first.line, first.written
        );
        let has_gone = match *engine {
            "TokuDB" => version.numbers >= if version.is_mariadb() { (10, 6, 0) } else { (8, 0, 28) },
            _ => version.family == Family::MySql,
        };
        let todo = if has_gone {
            format!("This version has no {engine}: take the lines out, once no table is of it.")
        } else {
            format!("Load the plugin in the option file (plugin_load_add = {plugin}), write loose_ before the names, or take the lines out.")
        };
        let lines: Vec<String> = options.iter().take(20).map(|it| it.line.to_string()).collect();
        Some(
            say(case, &RULE, Severity::High, Confidence::Medium, title)
                .text("option", first.written.as_str())
                .seen("line", first.line as u64)
                .text("lines", lines.join(", "))
                .text("version", case.text("version").unwrap_or_default())
                .advise(todo)
                .verify("SHOW PLUGINS; mysqld --verbose --help tells what is wrong with the file.")
                .end(),
        )
    });
    told.collect()
}

/// Another name that does the same.
const INSTEAD: &[(&str, &str)] = &[
    ("innodb_log_file_size", "innodb_redo_log_capacity"),
    ("innodb_log_files_in_group", "innodb_redo_log_capacity"),
    ("table_cache", "table_open_cache"),
    ("expire_logs_days", "binlog_expire_logs_seconds"),
    ("log_warnings", "log_error_verbosity"),
    ("tx_isolation", "transaction-isolation"),
    ("tx_read_only", "transaction-read-only"),
    ("storage_engine", "default_storage_engine"),
    ("default_character_set", "character_set_server"),
    ("log_slow_queries", "slow_query_log"),
    ("log", "general_log"),
    ("skip_locking", "skip_external_locking"),
    ("default_authentication_plugin", "authentication_policy"),
    ("log_slave_updates", "log_replica_updates"),
    ("max_statement_time", "max_execution_time, in milliseconds"),
];

fn fate(case: &Case<'_>, name: &str) -> Option<Fate> {
    let version = case.version?;
    if version.family == Family::MySql && NOT_MYSQL.contains(&name) {
        return Some(Fatal);
    }
    // MySQL had it for four versions only. Providers had it in 5.6, Percona Server too.
    let is_gone = version.family == Family::MySql
        && case.provider.is_none()
        && !((5, 7, 4)..(5, 7, 8)).contains(&version.numbers);
    if name == "max_statement_time" && is_gone {
        return Some(Fatal);
    }
    let row = ROWS.iter().find(|row| row.names.contains(&name))?;
    let since = match () {
        () if version.is_mysql() => row.mysql,
        () if version.is_mariadb() => row.mariadb,
        () => return None,
    };
    let fate = since.iter().rev().find(|(from, _)| version.numbers >= *from);
    fate.map(|(_, fate)| *fate).filter(|fate| *fate != Taken)
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let Some(config) = &case.facts.config else { return Vec::new() };
    let version = case.text("version").unwrap_or_default();
    let found = config.options.iter().filter(|option| !option.is_loose).filter_map(|option| {
        let (written, line) = (&option.written, option.line);
        let (severity, what) = match fate(case, &option.name)? {
            Taken => return None,
            Fatal => (Severity::High, "this version does not know: it will not start"),
            Ignored => (Severity::Info, "this version passes over"),
            Deprecated => (Severity::Info, "this version still takes, with a warning"),
        };
        let instead = INSTEAD.iter().find(|(old, _)| *old == option.name).map(|(_, new)| *new);
        // The new name is one of MySQL where the old one has gone from MySQL only.
        let instead = instead.filter(|new| {
            fate_of_new(case, new) && !(case.is_mariadb() && new.starts_with("innodb_redo"))
        });
        let todo = instead.map_or(String::new(), |new| format!(" Its place is taken by {new}."));
        Some(
            say(case, &RULE, severity, Confidence::High, format!("line {line} sets {written}, which {what}"))
                .text("option", written.as_str())
                .seen("line", line as u64)
                .text("version", version)
                .advise(format!("Take line {line} out.{todo}"))
                .verify("mysqld --validate-config (8.0.16 and later), or mysqld --verbose --help, tells what is wrong with the file.")
                .end(),
        )
    });
    found.chain(of_engines(case, config)).collect()
}

/// Whether the server takes the new name.
fn fate_of_new(case: &Case<'_>, name: &str) -> bool {
    fate(case, name).is_none()
}
