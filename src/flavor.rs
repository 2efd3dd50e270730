//! Which server wrote a log, and what follows from it.

use std::fmt;

/// The family of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    /// Not told by the log so far.
    #[default]
    Unknown,
    /// MySQL of Oracle and its kin in the clouds.
    MySql,
    /// MariaDB.
    MariaDb,
    /// Percona Server.
    Percona,
    /// Amazon Aurora MySQL.
    Aurora,
    /// TiDB.
    TiDb,
}

impl Family {
    /// Whether `# Time:` and `SET timestamp` are the start of the statement. Checked on MariaDB
    /// 10.11 with `SLEEP`; everywhere else they are its end (`SET timestamp` the start since
    /// MySQL 8.0.14, where `# Time:` has microseconds and is better anyway).
    pub fn stamps_the_start(self) -> bool {
        self == Family::MariaDb
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Unknown => "unknown",
            Family::MySql => "mysql",
            Family::MariaDb => "mariadb",
            Family::Percona => "percona",
            Family::Aurora => "aurora",
            Family::TiDb => "tidb",
        })
    }
}

/// What a server banner tells:
/// `/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banner {
    /// Family by path, version and comment.
    pub family: Family,
    /// Version as printed: `8.0.36`, `10.11.19-MariaDB-log`.
    pub version: String,
}

/// Reads the first line of a banner; `None` if it is none.
///
/// A path and name of any spelling, then `, Version: `, and at the end `started with:` or
/// `embedded library`.
pub fn banner(line: &[u8]) -> Option<Banner> {
    // Asked of every line that is no header: the ends are cheaper to look at than the middle.
    let line = line.trim_ascii_end();
    if !line.ends_with(b"started with:") && !line.ends_with(b"embedded library") {
        return None;
    }
    let at = memchr::memmem::find(line, b", Version: ")?;
    let (path, rest) = (&line[..at], &line[at + b", Version: ".len()..]);
    // A statement may quote a banner.
    if path.iter().any(|b| matches!(b, b'\'' | b'"' | b'`' | b'(' | b',')) {
        return None;
    }
    let version = rest.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    let has = |text: &str| {
        let text = text.as_bytes();
        rest.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text))
            || path.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text))
    };
    let family = if has("mariadb") {
        Family::MariaDb
    } else if has("percona") {
        Family::Percona
    } else if has("/oscar/") || has("aurora") {
        Family::Aurora
    } else {
        Family::MySql
    };
    Some(Banner { family, version: String::from_utf8_lossy(version).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, want: Option<(Family, &str)>) {
        let got = banner(line.as_bytes());
        assert_eq!(got.as_ref().map(|b| (b.family, b.version.as_str())), want, "{line}");
    }

    #[test]
    fn banners_of_all_servers_are_known() {
        check(
            "/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:",
            Some((Family::MySql, "8.0.36")),
        );
        check(
            "/usr/sbin/mariadbd, Version: 10.11.19-MariaDB-log (MariaDB Server). started with:",
            Some((Family::MariaDb, "10.11.19-MariaDB-log")),
        );
        check(
            "/usr/sbin/mysqld, Version: 5.5.62-38.14-log (Percona Server (GPL), Release 38.14). started with:",
            Some((Family::Percona, "5.5.62-38.14-log")),
        );
        check(
            "/rdsdbbin/oscar/bin/mysqld, Version: 8.0.28 (Source distribution). started with:",
            Some((Family::Aurora, "8.0.28")),
        );
        check("mysqld, Version: 8.0.28 (x). started with:", Some((Family::MySql, "8.0.28")));
        check(
            "C:\\Program Files\\MySQL\\bin\\mysqld.exe, Version: 5.1.30-community-log (MySQL). started with:",
            Some((Family::MySql, "5.1.30-community-log")),
        );
    }

    #[test]
    fn a_statement_is_no_banner() {
        check("SELECT ', Version: 8.0';", None);
        check("SELECT '/usr/sbin/mysqld, Version: 5.7.1-log. started with:", None);
        check("/usr/sbin/mysqld, Version: 8.0.36", None);
    }
}
