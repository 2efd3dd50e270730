//! What a single line of a slow log is.

use crate::time::{self, LogTime};

/// The value of a `# Time:` line; `None` if the line is none or tells no time.
pub fn time_line(line: &[u8]) -> Option<LogTime> {
    let value = named(line, b"Time:")?.trim_ascii_start();
    time::log_time(value).ok().map(|(_, time)| time)
}

/// Whether the line is `# Time: …`, whatever it tells.
pub fn is_time(line: &[u8]) -> bool {
    named(line, b"Time: ").is_some()
}

/// Whether a `# Time:` line goes on with the account, as some servers print it.
pub fn has_user(line: &[u8]) -> bool {
    memchr::memchr(b'@', line).is_some() && memchr::memmem::find(line, b"# User@Host:").is_some()
}

/// Whether pt-query-digest reads the time of the line: 15 or 19 characters of the right kind.
pub fn is_time_of_peer(line: &[u8]) -> bool {
    let Some(value) = line.strip_prefix(b"# Time: ") else { return false };
    let short = |b: &u8| b.is_ascii_digit() || matches!(b, b':' | b' ');
    let long = |b: &u8| short(b) || matches!(b, b'-' | b'T');
    value.get(..15).is_some_and(|text| text.iter().all(short))
        || value.get(..19).is_some_and(|text| text.iter().all(long))
}

/// Whether the line is `# User@Host: …`.
pub fn is_user(line: &[u8]) -> bool {
    named(line, b"User@Host:").is_some()
}

/// Whether the line is `# Query_time: <number> …`.
pub fn is_query_time(line: &[u8]) -> bool {
    named(line, b"Query_time:").is_some_and(|value| {
        let value = value.trim_ascii_start();
        let digits = value.strip_prefix(b"-").unwrap_or(value);
        digits.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.')
    })
}

/// The text of `# administrator command: …`, without the `#`.
pub fn administrator(line: &[u8]) -> Option<&[u8]> {
    let text = line.strip_prefix(b"#")?.trim_ascii_start();
    text.starts_with(b"administrator command:").then_some(text)
}

/// Whether an entry begins here, if the statement before it has ended.
pub fn begins_entry(line: &[u8]) -> bool {
    // The letter a name begins with rules out nearly everything else.
    if !matches!(
        line,
        [b'#', b' ', b'T' | b'U' | b'Q' | b'a' | b'C' | b'S', ..]
            | [b'#', b'T' | b'U' | b'Q' | b'a' | b'C' | b'S', ..]
    ) && administrator(line).is_none()
    {
        return false;
    }
    named(line, b"Time:").is_some_and(|value| time::is_log_time(value.trim_ascii_start()))
        || is_user(line)
        || is_query_time(line)
        || administrator(line).is_some()
        || named(line, b"Thread_id:").is_some_and(starts_with_digit)
        || named(line, b"Conn_ID:").is_some_and(starts_with_digit)
        || named(line, b"Txn_start_ts:").is_some_and(starts_with_digit)
        || named(line, b"Schema:").is_some_and(|rest| {
            [&b"Last_errno:"[..], b"QC_hit:", b"QC_Hit:"]
                .iter()
                .any(|name| memchr::memmem::find(rest, name).is_some())
        })
}

/// Whether the line is a header line of some kind: `# Name: …`, a bare `#`, a plan, a note.
pub fn is_header(line: &[u8]) -> bool {
    line.first() == Some(&b'#')
}

fn starts_with_digit(value: &[u8]) -> bool {
    value.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}

/// What stands behind `# NAME`.
#[inline]
fn named<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(b"#")?;
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    rest.strip_prefix(name)
}

/// The text behind `use `, if the line begins like the line by which the server tells the
/// database. Servers write it in lower case; `USE` in upper case is a statement.
pub fn use_line(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"use ")
}

/// Reads `SET timestamp=1700000000.25;` and its kin. Gives the time if the line names one.
pub fn set_line(line: &[u8]) -> Option<Option<time::Timestamp>> {
    let list = line.strip_prefix(b"SET ")?;
    // Nearly every one: whole seconds and nothing else.
    if let Some(value) = list.strip_prefix(b"timestamp=")
        && let Some(seconds) = value.strip_suffix(b";")
        && seconds.len() <= 12
        && let Some(seconds) = whole_seconds(seconds)
    {
        return Some(Some(time::Timestamp(seconds * time::SECOND)));
    }
    let list = list.trim_ascii_end().strip_suffix(b";")?;
    let mut timestamp = None;
    for pair in list.split(|b| *b == b',') {
        let at = memchr::memchr(b'=', pair)?;
        let (name, value) = (pair[..at].trim_ascii(), pair[at + 1..].trim_ascii());
        match name {
            b"timestamp" => timestamp = Some(epoch(value)?),
            b"insert_id" | b"last_insert_id" => {}
            _ => return None,
        }
    }
    Some(timestamp)
}

fn whole_seconds(digits: &[u8]) -> Option<i64> {
    let number = digits
        .iter()
        .try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')));
    number.filter(|_| !digits.is_empty())
}

/// Seconds since 1970 with an optional fraction.
fn epoch(value: &[u8]) -> Option<time::Timestamp> {
    let (whole, fraction) = match memchr::memchr(b'.', value) {
        Some(at) => (&value[..at], &value[at + 1..]),
        None => (value, &b""[..]),
    };
    let digits = |text: &[u8]| {
        let mut digits = text.iter().copied();
        digits.try_fold(0i64, |sum, b| {
            let digit = b.is_ascii_digit().then(|| i64::from(b - b'0'))?;
            sum.checked_mul(10)?.checked_add(digit)
        })
    };
    if whole.is_empty() {
        return None;
    }
    let mut padded = *b"000000";
    padded.iter_mut().zip(fraction).for_each(|(padded, digit)| *padded = *digit);
    let micros = digits(whole)?.checked_mul(time::SECOND)?.checked_add(digits(&padded)?)?;
    Some(time::Timestamp(micros))
}

/// Whether a line behind a banner belongs to it.
pub fn follows_banner(line: &[u8]) -> bool {
    let lower =
        |text: &[u8]| line.len() >= text.len() && line[..text.len()].eq_ignore_ascii_case(text);
    lower(b"tcp port:")
        || (line.starts_with(b"Time")
            && memchr::memmem::find(line, b"Id").is_some()
            && memchr::memmem::find(line, b"Command").is_some())
}

/// Words that a statement, or a line of a stored program, begins with.
#[rustfmt::skip]
const STATEMENT_WORDS: &[&str] = &[
    "alter", "analyze", "backup", "begin", "binlog", "call", "case", "change", "check", "checksum",
    "close", "commit", "continue", "create", "cursor", "deallocate", "declare", "delete", "delimiter", "desc", "describe", "do",
    "drop", "else", "elseif", "elsif", "end", "exception", "execute", "exit", "explain", "fetch", "flush", "for", "get", "goto",
    "grant", "handler", "help", "if", "import", "insert", "install", "iterate", "kill", "leave",
    "load", "lock", "loop", "null", "open", "optimize", "pragma", "prepare", "procedure", "purge", "raise", "release",
    "rename", "repair", "repeat", "replace", "reset", "resignal", "restart", "return", "revoke",
    "rollback", "savepoint", "select", "set", "show", "shutdown", "signal", "start", "stop",
    "table", "truncate", "uninstall", "union", "unlock", "until", "update", "use", "values",
    "when", "while", "with", "xa",
];

/// Whether a line behind a `;` can go on with the same text: another statement, a line of a
/// stored program, a comment.
pub fn continues_statement(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let signs = [&b"#"[..], b"/*", b"(", b"@", b";", b"*/", b"}", b"//", b"$$", b"<<"];
    let is_comment = line.starts_with(b"--") && line.get(2).is_none_or(|b| *b <= b' ');
    if is_comment || signs.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let length =
        line.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).unwrap_or(line.len());
    let (word, rest) = line.split_at(length);
    let behind = rest.trim_ascii_start();
    // `x := 5;` is a line of a program, `x: …` a label or a message.
    if !word.is_empty() && behind.starts_with(b":=") {
        return true;
    }
    let label = !word.is_empty() && behind.starts_with(b":");
    let statement = STATEMENT_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    // `Check out: …`, `[Note] …` and the like are no SQL; a label is followed by a loop word.
    let ends_word = rest.first().is_none_or(|b| b" \t\r;(`'\"@*".contains(b));
    (statement && ends_word)
        || (label && {
            let body = rest.trim_ascii_start()[1..].trim_ascii_start();
            [&b"begin"[..], b"loop", b"while", b"repeat", b"for"].iter().any(|word| {
                body.len() >= word.len() && body[..word.len()].eq_ignore_ascii_case(word)
            })
        })
}

/// Whether a line is surely of another program: the error log, or `tail -f` of several files.
pub fn is_foreign(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    (text.starts_with(b"==>") && text.ends_with(b"<=="))
        || text.starts_with(b"InnoDB: ")
        || bracketed_level(text)
        || time::log_time(text)
            .is_ok_and(|(rest, _)| rest.first().is_some_and(|b| b.is_ascii_whitespace()))
}

fn bracketed_level(text: &[u8]) -> bool {
    [&b"[Note]"[..], b"[Warning]", b"[ERROR]", b"[System]", b"[Error]"]
        .iter()
        .any(|level| text.starts_with(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_an_entry() {
        for line in [
            "# Time: 071015 21:43:52",
            "# Time: 100518 5:11:01",
            "# User@Host: a[a] @ h []",
            "# Query_time: 0.5  Lock_time: 0",
            "# Query_time: -0.000012  Lock_time: 0",
            "# administrator command: Quit;",
            "# Thread_id: 5  Schema: x",
            "# Schema: x  Last_errno: 0  Killed: 0",
        ] {
            assert!(begins_entry(line.as_bytes()), "{line}");
        }
        for line in
            ["# not a header", "#", "# Time: flies", "### Users ###", "# Query_time: x", "SELECT 1"]
        {
            assert!(!begins_entry(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn set_lines_give_the_time_they_name() {
        let read = |line: &str| set_line(line.as_bytes()).map(|t| t.map(|t| t.0));
        assert_eq!(read("SET timestamp=1700000000;"), Some(Some(1_700_000_000_000_000)));
        assert_eq!(read("SET timestamp=1700000000.123456;"), Some(Some(1_700_000_000_123_456)));
        assert_eq!(
            read("SET last_insert_id=7,insert_id=8,timestamp=1700000002;"),
            Some(Some(1_700_000_002_000_000))
        );
        assert_eq!(read("SET insert_id=5;"), Some(None));
        assert_eq!(read("SET NAMES utf8;"), None);
        assert_eq!(read("SET timestamp=@@x;"), None);
        assert_eq!(read("SET timestamp=1700000000"), None);
    }

    #[test]
    fn statements_go_on_and_noise_does_not() {
        for line in
            ["SELECT 2;", "  UPDATE t SET a = 1;", "END;", "# comment", "l1: LOOP", "(SELECT 1);"]
        {
            assert!(continues_statement(line.as_bytes()), "{line}");
        }
        for line in [
            "==> /data/logs/mysqld.log <==",
            "2026-03-06T13:12:00.224997-00:00 3414 [Note] x",
            "mysqld: ready",
            "[Note] x",
            "Killed",
            "INSERTED: 5",
        ] {
            assert!(!continues_statement(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn error_log_lines_are_foreign() {
        assert!(is_foreign(b"2026-03-06T11:00:01.000000Z 0 [System] [MY-010116] [Server] x"));
        assert!(is_foreign(b"2026-03-06 11:00:01 140 [Note] InnoDB: x"));
        assert!(is_foreign(b"260306 11:00:01 mysqld_safe Starting"));
        assert!(!is_foreign(b"  AND o.state = 'x'"));
    }
}
