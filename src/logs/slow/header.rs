//! The `#` lines above a statement in a slow log.
//!
//! ```text
//! # User@Host: app[app] @ web1 [192.0.2.10]  Id:    12
//! # Query_time: 1.500213  Lock_time: 0.000081  Rows_sent: 1  Rows_examined: 90210
//! # Schema: shop  Last_errno: 0  Killed: 0
//! ```
//!
//! Every line is `# ` and then `Name: value` pairs, so one grammar serves all servers; which
//! names exist, in which unit, is a row of [`METRICS`](crate::metric::METRICS). What stands in a
//! value that is not a number is left as it is.

use std::borrow::Cow;

use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::combinator::{opt, recognize, verify};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use crate::event::Span;
use crate::metric::Kind;
use crate::scan::{ByteSet, Hits};

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// A name and the colon behind it.
///
/// - Grammar: letters, digits and `_`, not a digit first; `Stored routine` of Percona Server 5.5
///   is the one name with a blank.
fn name(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let word = verify(take_while1(is_word), |word: &[u8]| !word[0].is_ascii_digit());
    let (rest, name) = recognize((opt(tag("Stored ")), word)).parse(input)?;
    let (rest, _) = tag(":")(rest)?;
    Ok((rest, name))
}

/// A value: up to the next blank, or to the `]` of a list, or nothing if the next word is a name.
fn value(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let (rest, _) = take_while(is_blank)(input)?;
    // `Schema:   Last_errno: 0`: the value is empty.
    if let Ok((behind, _)) = name(rest)
        && behind.first().is_none_or(|b| is_blank(*b))
    {
        return Ok((rest, &rest[..0]));
    }
    if rest.first() == Some(&b'[')
        && let Ok((behind, list)) = bracketed(rest)
        && behind.first().is_none_or(|b| is_blank(*b))
    {
        return Ok((behind, list));
    }
    take_till(is_blank)(rest)
}

/// A list in brackets, not a long one: a line of open brackets must not be read again for each.
fn bracketed(input: &[u8]) -> IResult<&[u8], &[u8]> {
    const LONGEST: usize = 2048;
    let end = input.len().min(LONGEST);
    if memchr::memchr(b']', &input[..end]).is_none() {
        return Err(nom::Err::Error(nom::error::Error::new(
            input,
            nom::error::ErrorKind::TakeTill1,
        )));
    }
    recognize(delimited(tag("["), take_till(|b| b == b']'), tag("]"))).parse(input)
}

/// One `Name: value` pair, as spans of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Where the name stands.
    pub name: Span,
    /// Where the value stands; empty if there is none.
    pub value: Span,
}

/// Whether a `#` line has pairs at all. Notes such as `# No InnoDB statistics available for this
/// query` have none.
pub fn is_attributes(line: &[u8]) -> bool {
    start(line).is_ok_and(|(rest, _)| name(rest).is_ok())
}

fn start(line: &[u8]) -> IResult<&[u8], &[u8]> {
    preceded(tag("#"), take_while(is_blank)).parse(line)
}

/// Reads the pairs of a `#` line, left to right. A line that does not begin with a pair has
/// none; words between pairs are passed over.
pub fn pairs(line: &[u8]) -> impl Iterator<Item = Pair> {
    let mut rest = match start(line) {
        Ok((rest, _)) if name(rest).is_ok() => rest,
        _ => &line[..0],
    };
    let span = move |part: &[u8]| {
        let start = part.as_ptr() as usize - line.as_ptr() as usize;
        Span { start, end: start + part.len() }
    };
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                return None;
            }
            let Ok((behind, name)) = name(rest) else {
                let skipped = rest.iter().position(|b| is_blank(*b)).unwrap_or(rest.len());
                rest = &rest[skipped..];
                continue;
            };
            if name == b"Schema" || name == b"DB" {
                let start = span(behind).start;
                let value = schema_value(behind);
                let value = Span { start: start + value.start, end: start + value.end };
                rest = &line[value.end..];
                return Some(Pair { name: span(name), value });
            }
            // `value` takes every input.
            let (behind, value) = value(behind).unwrap_or((&behind[..0], &behind[..0]));
            rest = behind;
            return Some(Pair { name: span(name), value: span(value) });
        }
    })
}

/// The value behind `Schema:`, which may have blanks and line ends in it: it goes on to two
/// blanks and a name, or to the end.
pub fn schema_value(text: &[u8]) -> Span {
    let begin = text.iter().position(|b| !is_blank(*b)).unwrap_or(text.len());
    if begin >= 2 && name(&text[begin..]).is_ok() {
        return Span { start: begin, end: begin };
    }
    let mut from = begin;
    let end = loop {
        match memchr::memmem::find(&text[from..], b"  ") {
            Some(found) => {
                let at = from + found;
                let next = at + text[at..].iter().take_while(|b| is_blank(**b)).count();
                if name(&text[next..]).is_ok() {
                    break at;
                }
                from = next;
            }
            None => break text.len(),
        }
    };
    // One blank is enough in front of a name where the schema has none of its own.
    let value = &text[begin..end];
    let single = value.iter().position(|b| *b == b' ').filter(|at| name(&value[at + 1..]).is_ok());
    let value = value[..single.unwrap_or(value.len())].trim_ascii_end();
    Span { start: begin, end: begin + value.len() }
}

/// The name of a database without its back-quotes.
pub fn database_name(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.trim_ascii();
    match text.strip_prefix(b"`").and_then(|text| text.strip_suffix(b"`")) {
        Some(quoted) if !quoted.contains(&b'`') => Cow::Borrowed(quoted),
        Some(quoted) => {
            let mut name = Vec::with_capacity(quoted.len());
            let mut bytes = quoted.iter().copied().peekable();
            while let Some(byte) = bytes.next() {
                name.push(byte);
                if byte == b'`' {
                    bytes.next_if_eq(&b'`');
                }
            }
            Cow::Owned(name)
        }
        None => Cow::Borrowed(text),
    }
}

/// Who sent a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// Account name.
    pub user: Span,
    /// Client host as the server knows it.
    pub host: Span,
    /// What stands in the last brackets.
    pub ip: Span,
    /// Connection, behind `Id:`.
    pub id: Span,
    /// What stands behind all that on the same line.
    pub rest: Span,
}

/// Reads a `# User@Host:` line.
///
/// - Grammar: `user[priv_user] @ host [ip]` and an optional `Id: n`; the user may be `[name]`
///   for threads of the server (`[SQL_SLAVE]`), or empty.
/// - Errors: no `@`.
pub fn account(line: &[u8]) -> Option<Account> {
    let mark = b"User@Host:";
    let begin = match line.strip_prefix(b"# User@Host:") {
        Some(rest) => line.len() - rest.len(),
        None => memchr::memmem::find(line, mark)? + mark.len(),
    };
    let begin = begin + line[begin..].iter().take_while(|b| is_blank(**b)).count();
    let text = &line[begin..];
    if let Some(account) = usual_account(text, begin) {
        return Some(account);
    }
    // The mark between account and host: `@` and a blank, in front of a word and a bracket.
    let at = memchr::memchr_iter(b'@', text).find(|at| {
        let Some(host) = text[at + 1..].strip_prefix(b" ") else { return false };
        let length = host.iter().take_while(|b| !b.is_ascii_whitespace()).count();
        host[length..].starts_with(b" [")
            || host[length..].trim_ascii().is_empty()
            || (host.starts_with(b"[") && host[..length].ends_with(b"]"))
    })?;
    let user = match text[..at].iter().position(|b| *b == b'[') {
        Some(0) => text[..at].iter().position(|b| *b == b']').map_or(0, |close| close + 1),
        Some(open) => open,
        None => text[..at].trim_ascii_end().len(),
    };
    // `[] @ host []` is an empty name, `[SQL_SLAVE] @  []` a thread of the server.
    let user = if user <= 2 && text.starts_with(b"[") { 0 } else { user };
    let host_start = at + 2;
    let host = text[host_start..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    let host_end = host_start + host;
    // `user[user] @ [192.0.2.1]`: the name of the host is left out with its blank.
    if text[host_start..].starts_with(b"[") && text[..host_end].ends_with(b"]") {
        let ip = shift(host_start + 1, host_end - 1, begin);
        let rest = shift(host_end, text.len(), begin);
        return Some(Account { user: shift(0, user, begin), ip, rest, ..Account::default() });
    }
    let brackets = text[host_end..].strip_prefix(b" [");
    let (ip, behind) = match brackets {
        None => (Span::default(), host_end),
        Some(inner) => {
            let open = host_end + 2;
            let length = memchr::memchr(b']', inner).unwrap_or(inner.len());
            (shift(open, open + length, begin), (open + length + 1).min(text.len()))
        }
    };
    let tail = &text[behind..];
    let blanks = tail.iter().take_while(|b| is_blank(**b)).count();
    let (id, behind) = match tail[blanks..].strip_prefix(b"Id:") {
        None => (Span::default(), behind),
        Some(id) => {
            let digits = id.trim_ascii_start();
            let from = text.len() - digits.len();
            let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
            (shift(from, from + length, begin), from + length)
        }
    };
    Some(Account {
        user: shift(0, user, begin),
        host: shift(host_start, host_end, begin),
        ip,
        id,
        rest: shift(behind, text.len(), begin),
    })
}

/// `user[priv_user] @ host [ip]` and perhaps `  Id: n`, with nothing odd about any name; `None`
/// where the grammar has to be asked.
fn usual_account(text: &[u8], begin: usize) -> Option<Account> {
    static MARKS: ByteSet = ByteSet::of(b"[]@ ");
    let mut marks = Hits::new(text, &MARKS);
    // A name of several words has blanks, a name with an `@` that sign: neither is usual.
    let open = marks.next(0);
    let close = marks.next(open + 1);
    let host = close + b"] @ ".len();
    if open == 0 || text.get(open) != Some(&b'[') || text.get(close..host)? != b"] @ " {
        return None;
    }
    let host_end = marks.next(host);
    let ip = host_end + b" [".len();
    if text.get(host_end..ip)? != b" [" {
        return None;
    }
    let ip_end = marks.next(ip);
    if text.get(ip_end) != Some(&b']') {
        return None;
    }
    let tail = &text[ip_end + 1..];
    let id = match tail.strip_prefix(b"  Id:") {
        None if tail.is_empty() => text.len(),
        None => return None,
        Some(id) => text.len() - id.trim_ascii_start().len(),
    };
    let digits = &text[id..];
    digits.iter().all(u8::is_ascii_digit).then(|| Account {
        user: shift(0, open, begin),
        host: shift(host, host_end, begin),
        ip: shift(ip, ip_end, begin),
        id: shift(id, text.len(), begin),
        rest: shift(text.len(), text.len(), begin),
    })
}

fn shift(start: usize, end: usize, by: usize) -> Span {
    Span { start: start + by, end: end + by }
}

/// Reads a number in the unit of `kind`.
///
/// - Grammar: `["-"] *DIGIT ["." *DIGIT]`, at least one digit; for times what stands behind a
///   second point is ignored (`18446744073708.796870.000036`, a fault of old servers).
/// - Unit: that of `kind`; exact, never through a float; decimals past the unit round.
/// - Errors: no digit, a letter, a fraction of a whole thing, more than 20 digits.
pub fn number(kind: Kind, text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix(b"+").unwrap_or(text)),
    };
    let whole = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let (whole, rest) = digits.split_at(whole);
    let (decimals, rest) = match rest.strip_prefix(b".") {
        Some(decimals) => {
            decimals.split_at(decimals.iter().take_while(|b| b.is_ascii_digit()).count())
        }
        None => (&rest[..0], rest),
    };
    let readable = match kind {
        Kind::Time => rest.is_empty() || rest[0] == b'.',
        _ => rest.is_empty(),
    };
    if !readable || whole.len() + decimals.len() == 0 || whole.len() > 20 {
        return None;
    }
    let scale = kind.scale();
    if scale == 1 && decimals.iter().any(|b| *b != b'0') {
        return None;
    }
    let digits = |sum: i128, b: &u8| sum * 10 + i128::from(b - b'0');
    let mut value = whole.iter().fold(0, digits) * scale;
    if scale > 1 {
        let places = scale.ilog10() as usize;
        let padded = decimals.iter().chain(std::iter::repeat(&b'0')).take(places);
        value += padded.fold(0, digits);
        value += i128::from(decimals.get(places).is_some_and(|b| *b >= b'5'));
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, want: &[(&str, &str)]) {
        let text = |span: Span| std::str::from_utf8(span.of(line.as_bytes())).unwrap();
        let got: Vec<_> =
            pairs(line.as_bytes()).map(|pair| (text(pair.name), text(pair.value))).collect();
        assert_eq!(got, want, "{line}");
    }

    #[test]
    fn pairs_of_every_spacing_are_read() {
        check(
            "# Query_time: 2  Lock_time: 0.5 Rows_sent: 1  Rows_examined:40",
            &[
                ("Query_time", "2"),
                ("Lock_time", "0.5"),
                ("Rows_sent", "1"),
                ("Rows_examined", "40"),
            ],
        );
        check("#Nospace: 4", &[("Nospace", "4")]);
        check("#   InnoDB_IO_r_ops: 12", &[("InnoDB_IO_r_ops", "12")]);
        check("# lower_case_first: 5", &[("lower_case_first", "5")]);
        check("# Stored routine: shop.get_cart", &[("Stored routine", "shop.get_cart")]);
    }

    #[test]
    fn values_may_be_empty_lists_or_hold_colons() {
        check("# Empty_attr: ", &[("Empty_attr", "")]);
        check(
            "# Schema:   Last_errno: 0  Killed: 0",
            &[("Schema", ""), ("Last_errno", "0"), ("Killed", "0")],
        );
        check(
            "# Thread_id: 7  Schema: my shop  QC_hit: No",
            &[("Thread_id", "7"), ("Schema", "my shop"), ("QC_hit", "No")],
        );
        check(
            "# Thread_id: 7 Schema: shop QC_Hit: No",
            &[("Thread_id", "7"), ("Schema", "shop"), ("QC_Hit", "No")],
        );
        check("# Schema: ", &[("Schema", "")]);
        check(
            "# Backoff_types: [tikvRPC regionMiss] Write_keys: 624",
            &[("Backoff_types", "[tikvRPC regionMiss]"), ("Write_keys", "624")],
        );
        check("# Trace: a:b=c;d  Read_only: true", &[("Trace", "a:b=c;d"), ("Read_only", "true")]);
        check(
            "# Start: 2026-03-06T07:30:10.000000Z End: 2026-03-06T07:30:12.345678Z",
            &[("Start", "2026-03-06T07:30:10.000000Z"), ("End", "2026-03-06T07:30:12.345678Z")],
        );
    }

    #[test]
    fn notes_have_no_pairs() {
        check("# No InnoDB statistics available for this query", &[]);
        check("# Warning 1292 Truncated incorrect DECIMAL value: 'SKU-0000000'", &[]);
        check("# X-Cloud: {\"node\":\"n1\"}", &[]);
        check("#", &[]);
        check("### Users ###", &[]);
    }

    #[track_caller]
    fn check_account(line: &str, want: Option<[&str; 4]>) {
        let text = |span: Span| std::str::from_utf8(span.of(line.as_bytes())).unwrap();
        let got =
            account(line.as_bytes()).map(|a| [text(a.user), text(a.host), text(a.ip), text(a.id)]);
        assert_eq!(got, want, "{line}");
    }

    #[test]
    fn accounts_of_all_kinds_are_read() {
        let check = check_account;
        check("# User@Host: root[root] @ localhost []", Some(["root", "localhost", "", ""]));
        check("# User@Host: meow[meow] @  [1.2.3.8]", Some(["meow", "", "1.2.3.8", ""]));
        check("# User@Host: a[b] @ h [::1]  Id:    69194", Some(["a", "h", "::1", "69194"]));
        check("# User@Host: [SQL_SLAVE] @  []", Some(["[SQL_SLAVE]", "", "", ""]));
        check("# User@Host: system user[] @  []  Id: 6", Some(["system user", "", "", "6"]));
        check("# User@Host: [] @ localhost []  Id: 5", Some(["", "localhost", "", "5"]));
        check("# User@Host: a@b[a@b] @ web [203.0.113.5]", Some(["a@b", "web", "203.0.113.5", ""]));
        check("# User@Host: we ird[we ird] @ localhost []", Some(["we ird", "localhost", "", ""]));
        check("# Time: 1 # User@Host: u[u] @ h []", Some(["u", "h", "", ""]));
        check("# User@Host: broken", None);
    }

    #[track_caller]
    fn check_number(kind: Kind, text: &str, want: Option<i128>) {
        assert_eq!(number(kind, text.as_bytes()), want, "{text}");
    }

    #[test]
    fn numbers_are_exact() {
        check_number(Kind::Time, "1.500213", Some(1_500_213));
        check_number(Kind::Time, "12", Some(12_000_000));
        check_number(Kind::Time, ".5", Some(500_000));
        check_number(Kind::Time, "-0.000012", Some(-12));
        check_number(Kind::Time, "25.571605962", Some(25_571_606));
        check_number(Kind::Time, "18446744073709.550781", Some(18_446_744_073_709_550_781));
        check_number(Kind::Time, "18446744073708.796870.000036", Some(18_446_744_073_708_796_870));
        check_number(Kind::Count, "18446744073709551615", Some(18_446_744_073_709_551_615));
        check_number(Kind::Number, "12.5", Some(12_500_000_000));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "abc", "12.5%", "0xFF", "1e5", "1-2"] {
            check_number(Kind::Number, text, None);
        }
        check_number(Kind::Count, "1.5", None);
        check_number(Kind::Count, &"9".repeat(21), None);
    }

    #[test]
    fn database_names_lose_their_quotes() {
        assert_eq!(&*database_name(b"`crm-eu`"), b"crm-eu");
        assert_eq!(&*database_name(b"`a``b`"), b"a`b");
        assert_eq!(&*database_name(b" shop "), b"shop");
    }
}
