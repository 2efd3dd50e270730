//! What an input looks like that has no slow-log entry, for a message that helps.

use super::weights::weighed;
use crate::time;

const PLAIN_SQL: &str = "it looks like plain SQL statements";
const PLAIN_TEXT: &str = "it looks like plain text";

/// A guess in words, such as `it looks like a server error log`.
pub fn looks(beginning: &[u8]) -> &'static str {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    by_magic(text).unwrap_or_else(|| by_lines(text))
}

/// Whether an input is plain statements: it has no header line of a slow log, and its first word
/// that is no comment begins a statement.
pub fn is_sql(beginning: &[u8]) -> bool {
    const VERBS: &[&[u8]] = &[
        b"SELECT", b"INSERT", b"REPLACE", b"UPDATE", b"DELETE", b"WITH", b"EXPLAIN", b"CALL",
        b"USE", b"SET",
    ];
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
    let of_others = || {
        let looks = looks(text);
        looks != PLAIN_SQL && looks != PLAIN_TEXT
    };
    if [&b"# Time: "[..], b"# User@Host: ", b"# Query_time: "].iter().any(|head| has(head)) {
        return false;
    }
    let first = weighed(text).next().map_or(&[][..], |it| it.statement);
    let first = without_parentheses(first);
    let length = first.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (word, behind) = first.split_at(length);
    let is_verb = VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb));
    let is_alone =
        behind.first().is_none_or(|b| b.is_ascii_whitespace() || b"(*'\"`/@".contains(b));
    is_verb && is_alone && !of_others()
}

/// A SELECT of a UNION may stand in parentheses.
fn without_parentheses(mut text: &[u8]) -> &[u8] {
    while let [b'(' | b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = text {
        text = rest;
    }
    text
}

fn by_magic(text: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\xfebin", "it looks like a binary log; mysqlbinlog prints those"),
        (b"\xff\xfe", "it looks like UTF-16 text; save it as UTF-8"),
        (b"\xfe\xff", "it looks like UTF-16 text; save it as UTF-8"),
        (b"PK\x03\x04", "it looks like a zip archive; unpack it first"),
        (b"\x7fELF", "it looks like a program"),
        (b"PAR1", "it looks like a Parquet file"),
        (b"SQLite format 3", "it looks like an SQLite database"),
    ];
    if let Some((_, looks)) = MAGIC.iter().find(|(magic, _)| text.starts_with(magic)) {
        return Some(looks);
    }
    if text.get(257..262) == Some(b"ustar") {
        return Some("it looks like a tar archive; unpack it first");
    }
    let sample = &text[..text.len().min(8192)];
    let controls = sample.iter().filter(|b| **b < 9 || (14..32).contains(*b)).count();
    (controls * 20 > sample.len()).then_some("it looks like a binary file")
}

fn by_lines(text: &[u8]) -> &'static str {
    let head = &text[..text.len().min(64 * 1024)];
    let has = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    let lines = || head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let any = |test: fn(&[u8]) -> bool| lines().any(test);
    if lines().next().is_none() {
        return "it is empty but for blanks";
    }
    let first = lines().next().unwrap_or_default().trim_ascii();
    if first.starts_with(b"-- MySQL dump")
        || first.starts_with(b"-- MariaDB dump")
        || has(b"-- Dump completed")
    {
        return "it looks like a mysqldump file";
    }
    if first.starts_with(b"start_time\tuser_host") || has(b"user_host: ") {
        return "it looks like rows of the table mysql.slow_log";
    }
    if first.starts_with(b"{") && has(b"\"query_block\"")
        || has(b"| select_type |")
        || first.starts_with(b"-> ") && (has(b"(cost=") || has(b"(actual time="))
        || first.starts_with(b"id\tselect_type")
    {
        return "it looks like EXPLAIN output; see `adagio explain`";
    }
    if first.starts_with(b"{") {
        return "it looks like JSON lines of a log shipper";
    }
    if any(is_general_entry) {
        return "it looks like a general query log";
    }
    if has(b"# at ") && has(b"end_log_pos") {
        return "it looks like the text of a binary log, made by mysqlbinlog";
    }
    if any(is_error_entry) {
        return "it looks like a server error log";
    }
    if has(b"# Time: ") || has(b"# User@Host: ") {
        return "it has header lines of a slow log, but no whole entry";
    }
    if has(b", Version: ") && has(b"started with:") {
        return "it holds a server banner and no entry: nothing was slow, or the log is switched off";
    }
    if any(is_statement) {
        return PLAIN_SQL;
    }
    PLAIN_TEXT
}

/// `2026-03-06T11:00:01.000000Z     7 Query SELECT 1`.
fn is_general_entry(line: &[u8]) -> bool {
    let rest = time::log_time(line).map_or(line, |(rest, _)| rest);
    let rest = rest.trim_ascii_start();
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let words: [&[u8]; 6] =
        [b" Query", b" Connect", b" Quit", b" Prepare", b" Execute", b" Init DB"];
    digits > 0 && words.iter().any(|word| rest[digits..].starts_with(word))
}

fn is_error_entry(line: &[u8]) -> bool {
    let levels: [&[u8]; 6] =
        [b"[Note]", b"[Warning]", b"[ERROR]", b"[System]", b"[Error]", b"mysqld_safe"];
    levels.iter().any(|level| memchr::memmem::find(line, level).is_some())
}

fn is_statement(line: &[u8]) -> bool {
    let words: [&[u8]; 8] =
        [b"select", b"insert", b"update", b"delete", b"create", b"replace", b"set", b"use"];
    words.iter().any(|word| {
        line.len() > word.len()
            && line[..word.len()].eq_ignore_ascii_case(word)
            && line[word.len()].is_ascii_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], want: &str) {
        let got = looks(text);
        assert!(got.contains(want), "{got}");
    }

    #[test]
    fn common_mistakes_are_named() {
        check(
            b"2026-03-06T11:00:01.000000Z 0 [System] [MY-010116] [Server] starting\n",
            "error log",
        );
        check(b"260306 11:00:01 mysqld_safe Starting mysqld daemon\n", "error log");
        check(b"2026-03-06T11:00:01.000000Z\t    7 Query\tSELECT 1\n", "general query log");
        check(b"\t\t    7 Query\tSELECT 1\n", "general query log");
        check(b"\xfebin\x00\x00", "binary log");
        check(b"\x00\x01\x02\x03", "binary file");
        check(b"-- MySQL dump 10.13\n", "mysqldump");
        check(b"SELECT 1;\n", "SQL statements");
        check(b"{\"message\":\"x\"}\n", "JSON lines");
        check(b"hello\n", "plain text");
        check(b"\n\n", "empty");
    }
}
