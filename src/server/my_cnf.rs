//! Option files of a server.
//!
//! ```text
//! [mysqld]                     # groups of clients are passed over
//! innodb-buffer-pool-size = 8G # dashes, units, comments
//! skip-log-bin                 # log_bin = OFF
//! loose_rds_max_tmp_disk_space = 10G
//! !includedir /etc/mysql/conf.d/
//! ```
//!
//! Of an option that stands twice the last one counts, as for the server. Nothing is opened: an
//! `!include` is a problem that is told.

use super::{Provider, Variables, Version};
use crate::server::variables::canonical;

/// What an option file sets for the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// Its options in order, also those that a later one overrides.
    pub options: Vec<Setting>,
    /// What could not be read, by line: whole messages.
    pub problems: Vec<String>,
    values: Variables,
}

/// An option as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The name without prefixes, as SHOW VARIABLES prints it.
    pub name: String,
    /// The name as written.
    pub written: String,
    /// The value; `None` for a bare option.
    pub value: Option<String>,
    /// Whether an unknown name is passed over by the server.
    pub is_loose: bool,
    /// Line, counted from 1.
    pub line: usize,
}

/// Options whose own name begins like a prefix.
const OWN: &[&str] = &[
    "skip_name_resolve",
    "skip_networking",
    "skip_external_locking",
    "skip_locking",
    "skip_show_database",
    "skip_slave_start",
    "skip_replica_start",
    "skip_host_cache",
    "skip_grant_tables",
    "skip_symbolic_links",
    "skip_character_set_client_handshake",
    "skip_stack_trace",
    "skip_bdb",
];

/// Beginnings of names that servers have taken for the whole, and that people write.
const SHORT: &[(&str, &str)] = &[
    ("key_buffer", "key_buffer_size"),
    ("thread_cache", "thread_cache_size"),
    ("sort_buffer", "sort_buffer_size"),
    ("join_buffer", "join_buffer_size"),
    ("read_buffer", "read_buffer_size"),
    ("read_rnd_buffer", "read_rnd_buffer_size"),
    ("myisam_sort_buffer", "myisam_sort_buffer_size"),
    ("innodb_buffer_pool", "innodb_buffer_pool_size"),
];

/// Problems that are kept.
const MOST_PROBLEMS: usize = 100;
/// Options that are kept.
const MOST: usize = 100_000;

impl Config {
    /// Reads a file for a server of a version, where that is known: groups such as `[mysqld-8.0]`
    /// and `[mariadb]` count for those servers only.
    #[must_use]
    pub fn read(text: &[u8], version: Option<&Version>) -> Config {
        let mut config = Config::default();
        let mut counts = false;
        let mut has_group = false;
        for (place, line) in text.split(|b| *b == b'\n').enumerate() {
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            let number = place + 1;
            match line.chars().next() {
                None | Some('#' | ';') => {}
                Some('!') => config.problem(
                    number,
                    format!("{} is not followed: give that file by --config", shortened(line)),
                ),
                Some('[') => {
                    has_group = true;
                    match line.split_once(']') {
                        Some((group, _)) => counts = is_of_server(&group[1..], version),
                        None => config.problem(number, "a group without ]".to_owned()),
                    }
                }
                Some(_) if counts => config.option(line, number),
                Some(_) if !has_group => {
                    config.problem(number, "stands before the first group".to_owned());
                }
                Some(_) => {}
            }
        }
        config
    }

    fn problem(&mut self, line: usize, text: String) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(format!("line {line}: {text}"));
        }
    }

    fn option(&mut self, line: &str, number: usize) {
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), Some(unquoted(value.trim()))),
            None => (without_comment(line), None),
        };
        // The form of MySQL up to 5.5: set-variable = name=value.
        let inner = value.clone().filter(|_| canonical(name) == "set_variable");
        let (name, value) = match inner.as_deref().and_then(|inner| inner.split_once('=')) {
            Some((name, value)) => (name.trim(), Some(unquoted(value.trim()))),
            None => (name, value),
        };
        let name = name.trim_start_matches("--");
        let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
        if name.is_empty() || name.len() > 128 || !name.bytes().all(is_name) {
            return self.problem(number, format!("{} is no option", shortened(line)));
        }
        if self.options.len() >= MOST {
            return;
        }
        let written = name.to_owned();
        let mut name = canonical(name);
        let loose = name.strip_prefix("loose_").map(str::to_owned);
        let is_loose = loose.is_some();
        name = loose.unwrap_or(name);
        let mut value = value;
        if name.starts_with("maximum_") {
            // A bound for what sessions may set, not a value.
            return;
        }
        if !OWN.contains(&name.as_str()) {
            let negative = name.strip_prefix("skip_").or_else(|| name.strip_prefix("disable_"));
            if let Some(rest) = negative {
                value = Some("OFF".to_owned());
                name = rest.to_owned();
            } else if let Some(rest) = name.strip_prefix("enable_") {
                value = Some("ON".to_owned());
                name = rest.to_owned();
            }
        }
        let whole = SHORT.iter().find(|(short, _)| *short == name).map(|(_, whole)| *whole);
        // A bare option is switched on.
        let told = value.clone().unwrap_or_else(|| "ON".to_owned());
        self.values.set(whole.unwrap_or(&name), told);
        self.options.push(Setting { name, written, value, is_loose, line: number });
    }

    /// What counts of the file, by the names that SHOW VARIABLES prints.
    #[must_use]
    pub fn values(&self) -> &Variables {
        &self.values
    }

    /// Whether an option is set, by its name without prefixes.
    #[must_use]
    pub fn sets(&self, name: &str) -> bool {
        self.values.has(name)
    }

    pub(super) fn provider(&self) -> Option<Provider> {
        let begins = |head: &str| self.options.iter().any(|it| it.name.starts_with(head));
        match () {
            () if begins("aurora_") => Some(Provider::Aurora),
            () if begins("cloudsql_") => Some(Provider::CloudSql),
            () if begins("rds_") => Some(Provider::Alibaba),
            () => None,
        }
    }
}

/// Whether a server of this version reads a group.
fn is_of_server(group: &str, version: Option<&Version>) -> bool {
    let group = group.trim().to_ascii_lowercase();
    let (name, of_version) = match group.split_once('-') {
        Some((name, rest)) => (name, Some(rest)),
        None => (group.as_str(), None),
    };
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = match digits {
        // [mysqld1] is one of several servers of mysqld_multi.
        "mysqld" | "server" => true,
        "mariadb" | "mariadbd" | "galera" => version.is_none_or(Version::is_mariadb),
        _ => false,
    };
    let is_version = match (of_version, version) {
        (None, _) | (_, None) => true,
        (Some(text), Some(version)) => {
            let (major, minor, _) = version.numbers;
            text == format!("{major}.{minor}") || text == major.to_string()
        }
    };
    is_name && is_version
}

/// A value without its quotes, and without a comment behind it.
fn unquoted(value: &str) -> String {
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let inner = quote.and_then(|quote| value.get(1..)?.split_once(quote));
    match inner {
        Some((inner, _)) => inner.to_owned(),
        None => without_comment(value).to_owned(),
    }
}

fn without_comment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(text, _)| text).trim()
}

fn shortened(text: &str) -> String {
    let head: String = text.chars().take(60).collect();
    if head.len() < text.len() { format!("\"{head}…\"") } else { format!("\"{head}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, String)> {
        let config = Config::read(text.as_bytes(), None);
        let values = config.values();
        values.names().map(|it| (it.to_owned(), values.text(it).unwrap().to_owned())).collect()
    }

    #[track_caller]
    fn check(text: &str, want: &[(&str, &str)]) {
        let want: Vec<(String, String)> =
            want.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        assert_eq!(values(text), want, "{text}");
    }

    #[test]
    fn names_are_told_whatever_their_spelling() {
        check(
            "[mysqld]\nInnoDB-Buffer-Pool-Size = 8G # most\n",
            &[("innodb_buffer_pool_size", "8G")],
        );
        check(
            "[mysqld]\nskip-log-bin\nskip-name-resolve\n",
            &[("log_bin", "OFF"), ("skip_name_resolve", "ON")],
        );
        check(
            "[mysqld]\nloose_rds_audit = 1\n--enable-local-infile\n",
            &[("local_infile", "ON"), ("rds_audit", "1")],
        );
        check(
            "[mysqld]\nkey_buffer=16M\nset-variable = thread_cache=8\n",
            &[("key_buffer_size", "16M"), ("thread_cache_size", "8")],
        );
        check(
            "[mysqld]\nsql-mode=\"A,B # C\"\nmaximum-sort-buffer-size=1M\n",
            &[("sql_mode", "A,B # C")],
        );
        check("[mysqld]\nport=1\nport=2\r\n; x\n", &[("port", "2")]);
    }

    #[test]
    fn groups_of_others_do_not_count() {
        check(
            "[client]\nport=1\n[mysqldump]\nport=2\n[server]\nback_log=3\n[mysqld_safe]\nnice=4\n",
            &[("back_log", "3")],
        );
        let text = b"[mysqld-8.0]\na=1\n[mysqld-5.7]\nb=1\n[mariadb]\nc=1\n";
        let version = Version::parse("8.0.36");
        let config = Config::read(text, version.as_ref());
        assert_eq!(config.values().names().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn what_is_not_read_is_told() {
        let text = "loose\n[mysqld]\n!includedir /etc/mysql/conf.d/\n<b>x</b>\n[mysqld\n";
        let config = Config::read(text.as_bytes(), None);
        assert_eq!(
            config.problems,
            [
                "line 1: stands before the first group",
                "line 3: \"!includedir /etc/mysql/conf.d/\" is not followed: give that file by --config",
                "line 4: \"<b>x</b>\" is no option",
                "line 5: a group without ]",
            ]
        );
        assert_eq!(Config::read(b"[mysqld]\n=\n", None).problems.len(), 1);
        assert!(
            Config::read("[mysqld]\n\u{1F600}=\u{1F600}\n[\u{1F600}]\n".as_bytes(), None)
                .options
                .is_empty()
        );
    }
}
