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
use crate::rowset::{self, Lines, Print};

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
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut read = Read::default();
    let has = |columns: &[String], name: &str| {
        columns.iter().any(|column| column.eq_ignore_ascii_case(name))
    };
    let wanted =
        |columns: &[String]| NAMES.iter().any(|it| it.iter().all(|name| has(columns, name)));
    let sets = rowset::find(text, &wanted);
    let lines = Lines::new(text);
    for set in &sets {
        let pairs = set.rows.iter().take(MOST).filter_map(|row| {
            let [name, value] =
                NAMES.iter().find(|it| it.iter().all(|name| has(&set.columns, name)))?;
            // NULL is printed for what has no value.
            let value = set.cell(row, value).unwrap_or_default().to_owned();
            Some((set.cell(row, name)?.to_owned(), value))
        });
        let mut pairs: Vec<(String, String)> = pairs.collect();
        let mut is_cut = set.cut.is_some();
        if is_cut && set.print == Print::Boxed && set.columns.len() == 2 {
            // A value over several lines, such as a public key, may look like the end of the box.
            is_cut = !rest_of_box(&lines, set.end, &mut pairs);
        }
        read.is_cut |= is_cut;
        take(&mut read, pairs);
    }
    if sets.is_empty() {
        plain(text).into_iter().for_each(|pairs| take(&mut read, pairs));
    }
    read
}

/// Reads on behind a value over several lines, up to the lower rule of the box; whether it is there.
fn rest_of_box(lines: &Lines<'_>, from: usize, pairs: &mut Vec<(String, String)>) -> bool {
    for at in from..lines.len() {
        let line = lines.get(at).unwrap_or_default().trim_ascii();
        if line.starts_with(b"+-") && line.ends_with(b"+") {
            return true;
        }
        let Some(inner) = line.strip_prefix(b"|").and_then(|line| line.strip_suffix(b"|")) else {
            continue;
        };
        let Some(bar) = memchr::memchr(b'|', inner) else { continue };
        let (name, value) = inner.split_at(bar);
        let cell = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
        let name = cell(name);
        if is_name(&name) && pairs.len() < MOST {
            pairs.push((name, cell(value.get(1..).unwrap_or_default())));
        }
    }
    false
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

/// Lines of a name and a value with a tab between. The first name come again begins a further
/// print, so that two lists one behind the other are not mixed.
fn plain(text: &[u8]) -> Vec<Vec<(String, String)>> {
    let lines = text.split(|b| *b == b'\n').filter_map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let at = memchr::memchr(b'\t', line)?;
        let name = std::str::from_utf8(line.get(..at)?).ok()?.trim();
        let value = rowset::tsv::unescaped(line.get(at + 1..)?);
        let value = String::from_utf8_lossy(&value).into_owned();
        is_name(name).then(|| (name.to_owned(), value))
    });
    let mut prints: Vec<Vec<(String, String)>> = Vec::new();
    for pair in lines.take(MOST) {
        match prints.last_mut() {
            Some(print) if print.first().is_some_and(|first| first.0 != pair.0) => print.push(pair),
            _ => prints.push(vec![pair]),
        }
    }
    prints
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
    use proptest::collection::vec;
    use proptest::prelude::*;

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
    fn a_value_over_several_lines_ends_no_box() {
        let text = "+---------------+---------------+\n| Variable_name | Value         |\n\
                    +---------------+---------------+\n| Bytes_sent    | 7             |\n\
                    | Rsa_key       | ----BEGIN----\nMIIB\n----END----\n |\n\
                    | Uptime        | 900           |\n+---------------+---------------+\n";
        let read = read(text.as_bytes());
        let sample = read.samples.first().unwrap();
        assert_eq!((sample.count("bytes_sent"), sample.count("uptime")), (Some(7), Some(900)));
        assert!(!read.is_cut);
        let cut = super::read(text.trim_end_matches(['+', '-', '\n']).as_bytes());
        assert!(cut.is_cut);
    }

    #[test]
    fn two_lists_one_behind_the_other_are_two_samples() {
        let read = read(b"Bytes_sent\t1\nUptime\t60\nBytes_sent\t9\nUptime\t90\n");
        let uptimes: Vec<Option<u64>> = read.samples.iter().map(|it| it.count("uptime")).collect();
        assert_eq!(uptimes, [Some(60), Some(90)]);
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

    proptest! {
        /// Whatever is given, pieces of prints or not, is read without breaking.
        #[test]
        fn pieces_in_any_order_break_nothing(pieces in vec(0..PIECES.len(), 0..40)) {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            let _ = read(text.as_bytes());
            let _ = crate::server::Config::read(text.as_bytes(), None);
        }
    }

    const PIECES: &[&str] = &[
        "+---------------+-------+\n",
        "| Variable_name | Value |\n",
        "| Uptime | 9 |\n",
        "| a",
        "|",
        "\n",
        "\r\n",
        "Variable_name\tValue\n",
        "version\t8.0.1\n",
        "Uptime\t9\n",
        "\t",
        "\\",
        "é",
        "[mysqld]\n",
        "[",
        "]",
        "=",
        "skip-",
        "loose_",
        "set-variable",
        "'",
        "\"",
        "#",
        "!include x\n",
        "********** 1. row **********\n",
        "Variable_name: version\n",
        "        Value: 8.0.1\n",
        "4G",
        " ",
        "-----END-----\n",
    ];
}
