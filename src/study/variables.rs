//! What SHOW VARIABLES printed, as far as advice asks for it.

use crate::rowset;
use crate::schema::Server;

/// The server by its variable `version`, in any print of the client or as `version` and its value
/// with a tab between.
pub fn server(text: &[u8]) -> Option<Server> {
    let names = |columns: &[String], name: &str| {
        columns.iter().any(|column| column.eq_ignore_ascii_case(name))
    };
    let wanted = |columns: &[String]| names(columns, "Variable_name") && names(columns, "Value");
    let sets = rowset::find(text, &wanted);
    let rows = sets.iter().flat_map(|set| set.rows.iter().map(move |row| (set, row)));
    let mut printed = rows.filter_map(|(set, row)| {
        let is_version = set.cell(row, "Variable_name")?.eq_ignore_ascii_case("version");
        set.cell(row, "Value").filter(|_| is_version).map(str::to_owned)
    });
    let plain = || {
        let lines = text.split(|b| *b == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        let mut pairs = lines.filter_map(|line| line.trim_end().split_once('\t'));
        pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("version")).map(|(_, value)| value)
    };
    let version = printed.next().or_else(|| plain().map(str::to_owned))?;
    Server::of_version(version.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flavor::Family;

    #[test]
    fn the_version_is_found_in_every_print() {
        for text in [
            "version\t10.11.6-MariaDB-log\n",
            "port\t3306\r\nversion\t10.11.6-MariaDB-log\r\nversion_comment\tx\r\n",
            "Variable_name\tValue\nport\t3306\nversion\t10.11.6-MariaDB-log\n",
            "+---------------+---------------------+\n| Variable_name | Value               |\n\
             +---------------+---------------------+\n| version       | 10.11.6-MariaDB-log |\n\
             +---------------+---------------------+\n",
            "*************************** 1. row ***************************\n\
             Variable_name: version\n        Value: 10.11.6-MariaDB-log\n",
        ] {
            let server = server(text.as_bytes()).unwrap();
            assert_eq!((server.family, server.major, server.minor), (Family::MariaDb, 10, 11));
            assert_eq!(server.version, "10.11.6-MariaDB-log");
        }
        assert_eq!(server(b"version_comment\tMySQL 8\n"), None);
        assert_eq!(server(b"version\tunknown\n"), None);
        assert_eq!(server(b""), None);
    }
}
