//! Names and values in whatever form the client or a tool printed them.
//!
//! ```text
//! +---------------+--------+     Variable_name: back_log      back_log\t80
//! | Variable_name | Value  |             Value: 80
//! +---------------+--------+
//! | back_log      | 80     |
//! +---------------+--------+
//! ```
//!
//! Batch prints may lack their header, as the lists that pt-mysql-summary collects do. Variables
//! and counters may stand in one text: they are told apart print by print.

use super::Variables;
use super::status::Sample;
use crate::rowset;

/// What a text holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// Its variables.
    pub variables: Variables,
    /// Its counters, a sample for each print of them.
    pub samples: Vec<Sample>,
    /// Whether a print ends before its end.
    pub is_cut: bool,
}

/// Names that every print of variables has one of, whole or of a part such as `LIKE 'innodb%'`.
const VARIABLES: &[&str] = &[
    "version",
    "version_comment",
    "max_connections",
    "innodb_buffer_pool_size",
    "sort_buffer_size",
    "join_buffer_size",
    "key_buffer_size",
    "tmp_table_size",
    "max_heap_table_size",
    "long_query_time",
    "query_cache_size",
    "query_cache_type",
    "thread_cache_size",
    "table_open_cache",
    "wait_timeout",
    "sql_mode",
    "basedir",
    "datadir",
    "log_bin",
    "sync_binlog",
    "innodb_flush_log_at_trx_commit",
    "innodb_log_file_size",
    "innodb_file_per_table",
    "innodb_doublewrite",
];

/// Names that every print of counters has one of.
const COUNTERS: &[&str] = &[
    "uptime",
    "questions",
    "queries",
    "connections",
    "threads_connected",
    "threads_running",
    "com_select",
    "bytes_sent",
    "aborted_clients",
    "max_used_connections",
    "created_tmp_tables",
    "opened_tables",
    "handler_read_first",
    "innodb_buffer_pool_reads",
    "innodb_buffer_pool_read_requests",
    "innodb_os_log_written",
    "qcache_hits",
    "select_full_join",
    "slow_queries",
];

/// Pairs of a text that are kept: a server has some thousand.
const MOST: usize = 100_000;

/// Reads a text.
#[must_use]
pub fn read(text: &[u8]) -> Read {
    const NAMES: [[&str; 2]; 2] = [["Variable_name", "Value"], ["VARIABLE_NAME", "VARIABLE_VALUE"]];
    let mut read = Read::default();
    let has = |columns: &[String], name: &str| {
        columns.iter().any(|column| column.eq_ignore_ascii_case(name))
    };
    let wanted =
        |columns: &[String]| NAMES.iter().any(|it| it.iter().all(|name| has(columns, name)));
    let sets = rowset::find(text, &wanted);
    for set in &sets {
        let pairs = set.rows.iter().take(MOST).filter_map(|row| {
            let [name, value] =
                NAMES.iter().find(|it| it.iter().all(|name| has(&set.columns, name)))?;
            // NULL is printed for what has no value.
            let value = set.cell(row, value).unwrap_or_default().to_owned();
            Some((set.cell(row, name)?.to_owned(), value))
        });
        read.is_cut |= set.cut.is_some();
        take(&mut read, pairs.collect());
    }
    if sets.is_empty() {
        take(&mut read, plain(text));
    }
    read
}

/// Keeps the pairs of one print, if it is one of a server.
fn take(read: &mut Read, pairs: Vec<(String, String)>) {
    let knows = |list: &[&str]| {
        pairs.iter().filter(|(name, _)| list.iter().any(|it| name.eq_ignore_ascii_case(it))).count()
    };
    let (variables, counters) = (knows(VARIABLES), knows(COUNTERS));
    // SHOW STATUS begins its names with a capital, SHOW VARIABLES does not; tables of the
    // information schema print both in capitals.
    let small = pairs.iter().filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_lowercase()));
    let is_small = small.count() * 2 > pairs.len();
    let is_shouted = pairs.iter().all(|(name, _)| !name.bytes().any(|b| b.is_ascii_lowercase()));
    if variables > counters || variables > 0 && is_small && !is_shouted {
        for (name, value) in pairs {
            read.variables.set(&name, value);
        }
    } else if counters > 0 {
        read.samples.push(pairs.into_iter().collect());
    }
}

/// Lines of a name and a value with a tab between. A name that comes again begins a further
/// print, so lists put one behind the other are not mixed; the pairs of the first one are given.
fn plain(text: &[u8]) -> Vec<(String, String)> {
    let lines = text.split(|b| *b == b'\n').filter_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let at = memchr::memchr(b'\t', line)?;
        let name = std::str::from_utf8(line.get(..at)?).ok()?.trim();
        let value = rowset::tsv::unescaped(line.get(at + 1..)?);
        let value = String::from_utf8_lossy(&value).into_owned();
        is_name(name).then(|| (name.to_owned(), value))
    });
    lines.take(MOST).collect()
}

/// Whether it may be the name of a variable or of a counter.
fn is_name(text: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 128
        && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_print_of_the_client_is_read() {
        for text in [
            "Variable_name\tValue\nport\t3306\nversion\t10.11.6-MariaDB-log\n",
            "port\t3306\r\nversion\t10.11.6-MariaDB-log\r\nsocket\t\r\n",
            "+---------------+---------------------+\n| Variable_name | Value               |\n\
             +---------------+---------------------+\n| port          | 3306                |\n\
             | version       | 10.11.6-MariaDB-log |\n+---------------+---------------------+\n",
            "******** 1. row ********\nVariable_name: port\n        Value: 3306\n\
             ******** 2. row ********\nVariable_name: version\n        Value: 10.11.6-MariaDB-log\n",
            "VARIABLE_NAME\tVARIABLE_VALUE\nPORT\t3306\nVERSION\t10.11.6-MariaDB-log\n",
        ] {
            let read = read(text.as_bytes());
            assert_eq!(read.variables.text("version"), Some("10.11.6-MariaDB-log"), "{text}");
            assert_eq!(read.variables.number("port"), Some(3306), "{text}");
            assert!(read.samples.is_empty(), "{text}");
        }
    }

    #[test]
    fn counters_and_variables_are_told_apart() {
        let text = "Variable_name\tValue\nversion\t8.4.2\nmax_connections\t151\n\n\
                    Variable_name\tValue\nUptime\t900\nThreads_connected\t2\n";
        let both = read(text.as_bytes());
        assert_eq!(both.variables.len(), 2);
        assert_eq!(both.samples.len(), 1);
        assert_eq!(both.samples.first().and_then(|it| it.count("uptime")), Some(900));
        let shouted = read(b"VARIABLE_NAME\tVARIABLE_VALUE\nUPTIME\t900\nCOM_SELECT\t7\n");
        assert_eq!((shouted.variables.len(), shouted.samples.len()), (0, 1));
    }

    #[test]
    fn other_texts_hold_neither() {
        for text in [
            &b""[..],
            b"\x00\xff\xfe\t\x01\n",
            b"name\tsetting\nshared_buffers\t128MB\nwork_mem\t4MB\n",
            b"id\tname\n1\tversion\n",
            b"# Query_time: 1.5\nSELECT 1;\n",
            b"Variable_name\tValue\n",
        ] {
            assert_eq!(read(text), Read::default(), "{}", String::from_utf8_lossy(text));
        }
    }
}
