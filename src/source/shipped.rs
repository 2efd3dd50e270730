//! Takes off what a container runtime or a syslog daemon puts in front of each line, and the
//! carriage returns of a Windows log, so that log readers never see them.
//!
//! ```text
//! db-1  | # Time: 2026-03-06T13:11:54.389753Z                       docker compose
//! 2026-03-06T13:11:54.389753123Z # Time: 2026-03-06T13:11:54.38Z    docker logs --timestamps
//! 2026-03-06T13:11:54.389753123Z stdout F # Time: 2026-03-06T…      containerd, CRI-O
//! Mar  6 13:11:54 db1 mysqld[812]: # Time: 2026-03-06T13:11:54Z     syslog, RFC 3164
//! <13>1 2026-03-06T13:11:54Z db1 mysqld 812 - - # Time: 2026-…      syslog, RFC 5424
//! ```
//!
//! Offsets stay those of the file: [`Unwrap::origin`].

use std::collections::VecDeque;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, one_of, space1};
use nom::combinator::{opt, recognize};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::time;

/// What stands in front of each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    /// `name  | `, possibly with a time behind it.
    Compose,
    /// An RFC 3339 time, possibly with stream and completeness behind it.
    Container,
    Syslog,
    Syslog5424,
}

const PREFIXES: [Prefix; 4] =
    [Prefix::Compose, Prefix::Container, Prefix::Syslog, Prefix::Syslog5424];

/// Header lines that tell where the text of the log begins in a line.
const HEADS: [&[u8]; 3] = [b"# Time: ", b"# User@Host: ", b"# Query_time: "];

/// What a line's prefix says.
struct Cut {
    /// Bytes of the prefix.
    length: usize,
    /// The runtime cut the line here; the next one goes on.
    partial: bool,
}

/// Turns raw lines into lines of the log, and remembers where each came from.
#[derive(Debug)]
pub struct Unwrap {
    prefix: Prefix,
    carriage_returns: bool,
    /// For each line that is still of interest: its first byte in the text, in the file.
    lines: VecDeque<(u64, u64)>,
    raw: u64,
    clean: u64,
    tail: Vec<u8>,
}

impl Unwrap {
    /// Looks at the beginning of an input; `None` if its lines are the log's own.
    pub fn detect(beginning: &[u8]) -> Option<Unwrap> {
        let lines = || beginning.split(|b| *b == b'\n');
        let is_head = |line: &[u8]| HEADS.iter().any(|head| line.starts_with(head));
        let bare = lines().find(|line| is_head(line));
        let wrapped = |prefix: Prefix| {
            lines().find(|line| cut(prefix, line).is_some_and(|cut| is_head(&line[cut.length..])))
        };
        let found = match bare {
            Some(line) => Some((Prefix::None, line)),
            None => PREFIXES.iter().find_map(|prefix| Some((*prefix, wrapped(*prefix)?))),
        };
        let (prefix, line) = found?;
        let carriage_returns = line.ends_with(b"\r");
        if prefix == Prefix::None && !carriage_returns {
            return None;
        }
        Some(Unwrap {
            prefix,
            carriage_returns,
            lines: VecDeque::new(),
            raw: 0,
            clean: 0,
            tail: Vec::new(),
        })
    }

    /// Adds raw bytes; whole lines are written to `text`. With `end` the last line is whole even
    /// without a line end.
    pub fn push(&mut self, raw: &[u8], end: bool, text: &mut Vec<u8>) {
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(at + 1);
            if self.tail.is_empty() {
                self.line(line, text);
            } else {
                let mut whole = std::mem::take(&mut self.tail);
                whole.extend_from_slice(line);
                self.line(&whole, text);
                whole.clear();
                self.tail = whole;
            }
            rest = after;
        }
        self.tail.extend_from_slice(rest);
        if end {
            if !self.tail.is_empty() {
                let last = std::mem::take(&mut self.tail);
                self.line(&last, text);
            }
            self.lines.push_back((self.clean, self.raw));
        }
    }

    /// One raw line, with its line end if it has one.
    fn line(&mut self, line: &[u8], text: &mut Vec<u8>) {
        self.lines.push_back((self.clean, self.raw));
        self.raw += line.len() as u64;
        let before = text.len();
        let cut = cut(self.prefix, line).unwrap_or(Cut { length: 0, partial: false });
        let mut own = &line[cut.length..];
        let ends = own.ends_with(b"\n");
        if ends {
            own = &own[..own.len() - 1];
        }
        if self.carriage_returns && own.ends_with(b"\r") {
            own = &own[..own.len() - 1];
        }
        text.extend_from_slice(own);
        if ends && !cut.partial {
            text.push(b'\n');
        }
        self.clean += (text.len() - before) as u64;
    }

    /// The byte of the file at which the line that begins at byte `clean` of the text begins;
    /// inside a line, as near as can be told.
    pub fn origin(&self, clean: u64) -> u64 {
        let place = self.lines.partition_point(|(start, _)| *start <= clean);
        let Some((start, raw)) = place.checked_sub(1).and_then(|place| self.lines.get(place))
        else {
            return clean;
        };
        // Several raw lines may begin at one byte of the text, if some were empty: the first.
        let first = self.lines.partition_point(|(other, _)| other < start);
        let raw = self.lines.get(first).map_or(*raw, |(_, raw)| *raw);
        raw + (clean - start)
    }

    /// Forgets the lines before byte `clean` of the text.
    pub fn forget(&mut self, clean: u64) {
        while self.lines.get(1).is_some_and(|(start, _)| *start < clean) {
            self.lines.pop_front();
        }
    }
}

fn cut(prefix: Prefix, line: &[u8]) -> Option<Cut> {
    let whole = |rest: &[u8]| Cut { length: line.len() - rest.len(), partial: false };
    match prefix {
        Prefix::None => None,
        Prefix::Compose => {
            let (rest, _) = compose(line).ok()?;
            let timed: IResult<_, _> = terminated(time::log_time, char(' ')).parse(rest);
            Some(whole(timed.map_or(rest, |(rest, _)| rest)))
        }
        Prefix::Container => {
            let (rest, partial) = container(line).ok()?;
            Some(Cut { length: line.len() - rest.len(), partial })
        }
        Prefix::Syslog => syslog(line).ok().map(|(rest, _)| whole(rest)),
        Prefix::Syslog5424 => syslog_5424(line).ok().map(|(rest, _)| whole(rest)),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn colour(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let codes = take_while(|b: u8| b.is_ascii_digit() || b == b';');
    recognize((tag("\x1b["), codes, char('m'))).parse(input)
}

fn compose(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let name = preceded(opt(colour), take_while1(is_name));
    let bar = delimited(space1, char('|'), opt(colour));
    recognize((name, bar, opt(char(' ')))).parse(input)
}

fn container(input: &[u8]) -> IResult<&[u8], bool> {
    let (rest, _) = terminated(time::log_time, char(' ')).parse(input)?;
    let stream = alt((tag("stdout "), tag("stderr ")));
    let (rest, completeness) =
        opt(preceded(stream, terminated(one_of("FP"), char(' ')))).parse(rest)?;
    Ok((rest, completeness == Some('P')))
}

fn priority(input: &[u8]) -> IResult<&[u8], &[u8]> {
    delimited(char('<'), digit1, char('>')).parse(input)
}

fn syslog(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let word = || take_while1(|b: u8| !b.is_ascii_whitespace());
    let month = take_while_m_n(3, 3, |b: u8| b.is_ascii_alphabetic());
    let classic = recognize((month, space1, digit1, char(' '), word(), char(' ')));
    let modern = recognize(terminated(time::log_time, char(' ')));
    let process = recognize((
        take_while1(|b| is_name(b) || b == b'/'),
        opt(delimited(char('['), digit1, char(']'))),
        tag(": "),
    ));
    recognize((opt(priority), alt((modern, classic)), word(), char(' '), process)).parse(input)
}

fn syslog_5424(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let word = || terminated(take_while1(|b: u8| !b.is_ascii_whitespace()), char(' '));
    let (rest, _) =
        (priority, tag("1 "), word(), word(), word(), word(), word(), tag("- ")).parse(input)?;
    let mark: IResult<_, _> = tag(&b"\xef\xbb\xbf"[..])(rest);
    Ok((mark.map_or(rest, |(rest, _)| rest), input))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrapped(raw: &str) -> Option<(String, Unwrap)> {
        let mut unwrap = Unwrap::detect(raw.as_bytes())?;
        let mut text = Vec::new();
        unwrap.push(raw.as_bytes(), true, &mut text);
        Some((String::from_utf8(text).unwrap(), unwrap))
    }

    #[track_caller]
    fn check(prefix: &str) {
        let lines = ["# Time: 2026-03-06T13:11:54Z", "# User@Host: a[a] @ h []", "SELECT 1;", ""];
        let raw: String = lines.iter().map(|line| format!("{prefix}{line}\n")).collect();
        let (text, unwrap) = unwrapped(&raw).unwrap();
        assert_eq!(text, lines.join("\n") + "\n", "{prefix}");
        let second = (lines[0].len() + 1) as u64;
        assert_eq!(unwrap.origin(second), (prefix.len() + lines[0].len() + 1) as u64, "{prefix}");
        assert_eq!(unwrap.origin(text.len() as u64), raw.len() as u64, "{prefix}");
    }

    #[test]
    fn prefixes_of_runtimes_and_syslog_are_taken_off() {
        check("db-1  | ");
        check("\u{1b}[36mdb_1   |\u{1b}[0m ");
        check("db-1  | 2026-03-06T13:11:54.389753123Z ");
        check("2026-03-06T13:11:54.389753123Z ");
        check("2026-03-06T13:11:54.389753123+01:00 stdout F ");
        check("Mar  6 13:11:54 db1 mysqld[812]: ");
        check("<29>Mar 16 13:11:54 db1 mariadbd: ");
        check("2026-03-06T13:11:54.389753+00:00 db1 mysqld[812]: ");
        check("<13>1 2026-03-06T13:11:54Z db1 mysqld 812 - - ");
    }

    #[test]
    fn a_plain_log_is_left_alone() {
        assert!(
            Unwrap::detect(b"# Time: 2026-03-06T13:11:54Z\nSELECT 'x | # Time: ';\n").is_none()
        );
        assert!(Unwrap::detect(b"").is_none());
    }

    #[test]
    fn partial_lines_are_joined() {
        let raw = "2026-03-06T13:11:54Z stdout F # Time: 2026-03-06T13:11:54Z\n\
                   2026-03-06T13:11:54Z stdout P SELECT \n\
                   2026-03-06T13:11:54Z stdout F 1;\n";
        assert_eq!(unwrapped(raw).unwrap().0, "# Time: 2026-03-06T13:11:54Z\nSELECT 1;\n");
    }

    #[test]
    fn carriage_returns_go_and_offsets_stay() {
        let raw = "# Time: 2026-03-06T13:11:54Z\r\nSELECT\r\n1;\r\n";
        let (text, unwrap) = unwrapped(raw).unwrap();
        assert_eq!(text, "# Time: 2026-03-06T13:11:54Z\nSELECT\n1;\n");
        assert_eq!(unwrap.origin(29), 30);
        assert_eq!(unwrap.origin(text.len() as u64), raw.len() as u64);
    }

    #[test]
    fn pieces_of_any_size_give_the_same_text() {
        let raw = b"db-1  | # Time: 2026-03-06T13:11:54Z\r\ndb-1  | SELECT 1;\r\n";
        let mut whole = Vec::new();
        Unwrap::detect(raw).unwrap().push(raw, true, &mut whole);
        for size in 1..raw.len() {
            let mut unwrap = Unwrap::detect(raw).unwrap();
            let mut text = Vec::new();
            raw.chunks(size).for_each(|piece| unwrap.push(piece, false, &mut text));
            unwrap.push(b"", true, &mut text);
            assert_eq!(text, whole, "{size}");
        }
    }
}
