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
use nom::bytes::complete::{tag, take_until, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, digit1, one_of, space1};
use nom::combinator::{eof, opt, recognize};
use nom::multi::many1_count;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use crate::time;

/// What stands in front of each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    /// `name  | `.
    Compose,
    /// `name  | ` and a time.
    TimedCompose,
    /// `[pod/name/container] `.
    Pod,
    /// An RFC 3339 time, possibly with stream and completeness behind it.
    Container,
    Syslog,
    Syslog5424,
}

const PREFIXES: [Prefix; 6] = [
    Prefix::Compose,
    Prefix::TimedCompose,
    Prefix::Pod,
    Prefix::Container,
    Prefix::Syslog,
    Prefix::Syslog5424,
];

/// The longest line that is waited for; a longer one is handed on in pieces.
const LONGEST_LINE: usize = 1024 * 1024;
/// Names of services and programs that are told apart.
const MOST_SPEAKERS: usize = 100;

/// Header lines that tell where the text of the log begins in a line.
const HEADS: [&[u8]; 3] = [b"# Time: ", b"# User@Host: ", b"# Query_time: "];

/// What a line's prefix says.
#[derive(Debug, PartialEq, Eq)]
struct Cut<'a> {
    /// Bytes of the prefix.
    length: usize,
    /// The runtime cut the line here; the next one goes on.
    partial: bool,
    /// Who wrote the line: the service, the stream, the program.
    speaker: &'a [u8],
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
    /// In a line of which the beginning was handed on already.
    mid_line: bool,
    /// Whose lines hold headers; lines of all others are dropped.
    speakers: Vec<Vec<u8>>,
    dropped: u64,
}

impl Unwrap {
    /// Looks at the beginning of an input; `None` if its lines are the log's own.
    pub fn detect(beginning: &[u8]) -> Option<Unwrap> {
        let lines = || beginning.split(|b| *b == b'\n');
        let is_head = |line: &[u8]| HEADS.iter().any(|head| line.starts_with(head));
        let wrapped =
            |prefix: Prefix| lines().filter_map(move |line| Some((line, cut(prefix, line)?)));
        let heads = |prefix: Prefix| {
            wrapped(prefix).filter(|(line, cut)| is_head(&line[cut.length..])).count()
        };
        // The first line of a piece may have lost its prefix, so the greater number decides.
        let bare = lines().filter(|line| is_head(line)).count();
        let most = PREFIXES.iter().map(|prefix| (heads(*prefix), *prefix));
        let (count, prefix) = most.rev().max_by_key(|(count, _)| *count)?;
        let prefix = if count > bare { prefix } else { Prefix::None };
        let head = match prefix {
            Prefix::None => lines().find(|line| is_head(line)),
            prefix => wrapped(prefix).map(|(line, cut)| &line[cut.length..]).find(|l| is_head(l)),
        }?;
        let carriage_returns = head.ends_with(b"\r");
        if prefix == Prefix::None && !carriage_returns {
            return None;
        }
        let mut speakers: Vec<Vec<u8>> = wrapped(prefix)
            .filter(|(line, cut)| is_head(&line[cut.length..]))
            .map(|(_, cut)| cut.speaker.to_vec())
            .collect();
        speakers.sort_unstable();
        speakers.dedup();
        speakers.truncate(MOST_SPEAKERS);
        Some(Unwrap {
            prefix,
            carriage_returns,
            lines: VecDeque::new(),
            raw: 0,
            clean: 0,
            tail: Vec::new(),
            mid_line: false,
            speakers,
            dropped: 0,
        })
    }

    /// Whether there is a header in `beginning`, so that [`detect`](Unwrap::detect) has something to
    /// go by.
    pub fn has_head(beginning: &[u8]) -> bool {
        HEADS.iter().any(|head| memchr::memmem::find(beginning, head).is_some())
    }

    /// Lines of other programs that were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Bytes of the input so far.
    pub fn raw(&self) -> u64 {
        self.raw
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
        if self.tail.len() > LONGEST_LINE {
            let piece = std::mem::take(&mut self.tail);
            self.line(&piece, text);
        }
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
        let ends = line.ends_with(b"\n");
        let goes_on = std::mem::replace(&mut self.mid_line, !ends);
        let cut = if goes_on { None } else { cut(self.prefix, line) };
        if cut.as_ref().is_some_and(|cut| !self.speakers.iter().any(|s| s == cut.speaker)) {
            self.dropped += 1;
            return;
        }
        let cut = cut.unwrap_or(Cut { length: 0, partial: false, speaker: b"" });
        let mut own = &line[cut.length..];
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

fn cut(prefix: Prefix, line: &[u8]) -> Option<Cut<'_>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let whole = |(rest, speaker): (&[u8], _)| Cut {
        length: line.len() - rest.len(),
        partial: false,
        speaker,
    };
    match prefix {
        Prefix::None => None,
        Prefix::Compose => compose(line).ok().map(whole),
        Prefix::TimedCompose => {
            let (rest, name) = compose(line).ok()?;
            let timed: IResult<_, _> = terminated(time::log_time, char(' ')).parse(rest);
            timed.ok().map(|(rest, _)| whole((rest, name)))
        }
        Prefix::Pod => pod(line).ok().map(whole),
        Prefix::Container => {
            let (rest, (stream, partial)) = container(line).ok()?;
            Some(Cut { length: line.len() - rest.len(), partial, speaker: stream })
        }
        Prefix::Syslog => syslog(line).ok().map(whole),
        Prefix::Syslog5424 => syslog_5424(line).ok().map(whole),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@')
}

fn colour(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let codes = take_while(|b: u8| b.is_ascii_digit() || b == b';');
    recognize((tag("\x1b["), codes, char('m'))).parse(input)
}

fn compose(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let name = preceded(opt(colour), take_while1(is_name));
    let bar = (delimited(space1, char('|'), opt(colour)), opt(char(' ')));
    terminated(name, bar).parse(input)
}

fn pod(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let name = take_while1(|b: u8| is_name(b) || b == b'/');
    terminated(delimited(tag("[pod/"), name, char(']')), opt(char(' '))).parse(input)
}

/// A time, and perhaps the stream and whether the line is whole.
fn container(input: &[u8]) -> IResult<&[u8], (&[u8], bool)> {
    let (rest, _) = terminated(time::log_time, alt((tag(" "), eof))).parse(input)?;
    let stream = terminated(alt((tag("stdout"), tag("stderr"))), char(' '));
    let whole = terminated(one_of("FP"), alt((tag(" "), eof)));
    let (rest, said) = opt((stream, whole)).parse(rest)?;
    let (stream, whole) = said.unwrap_or((b"", 'F'));
    Ok((rest, (stream, whole == 'P')))
}

fn priority(input: &[u8]) -> IResult<&[u8], &[u8]> {
    delimited(char('<'), digit1, char('>')).parse(input)
}

fn syslog(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let word = || take_while1(|b: u8| !b.is_ascii_whitespace());
    let month = take_while_m_n(3, 3, |b: u8| b.is_ascii_alphabetic());
    let classic = recognize((month, space1, digit1, char(' '), word(), char(' ')));
    let modern = recognize(terminated(time::log_time, char(' ')));
    let process = terminated(
        take_while1(|b| is_name(b) || b == b'/'),
        (opt(delimited(char('['), digit1, char(']'))), char(':'), opt(char(' '))),
    );
    preceded((opt(priority), alt((modern, classic)), word(), char(' ')), process).parse(input)
}

fn syslog_5424(input: &[u8]) -> IResult<&[u8], &[u8]> {
    let word = || terminated(take_while1(|b: u8| !b.is_ascii_whitespace()), char(' '));
    let head = (priority, tag("1 "), word(), word());
    let (rest, program) = preceded(head, word()).parse(input)?;
    let structured = recognize(many1_count(delimited(char('['), take_until("]"), char(']'))));
    let (rest, _) = (word(), word(), alt((tag("-"), structured)), opt(char(' '))).parse(rest)?;
    let mark: IResult<_, _> = tag(&b"\xef\xbb\xbf"[..])(rest);
    Ok((mark.map_or(rest, |(rest, _)| rest), program))
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
        check("<13>1 2026-03-06T13:11:54Z db1 mysqld 812 ID47 [ex@1 a=\"b c\"] ");
        check("[pod/mysql-0/mysql] ");
        check("db.1.abc@node1    | ");
    }

    #[test]
    fn a_plain_log_is_left_alone() {
        assert!(
            Unwrap::detect(b"# Time: 2026-03-06T13:11:54Z\nSELECT 'x | # Time: ';\n").is_none()
        );
        assert!(Unwrap::detect(b"").is_none());
    }

    #[test]
    fn lines_of_other_speakers_are_dropped_and_counted() {
        let raw = "# User@Host: a[a] @ h []\ndb-1  | # Time: 2026-03-06T13:11:54Z\n\
                   db-1  | # Query_time: 1\ndb-1  | SELECT\nweb-1 | it's 200\ndb-1  | 1;\n";
        let (text, unwrap) = unwrapped(raw).unwrap();
        let want = "# User@Host: a[a] @ h []\n# Time: 2026-03-06T13:11:54Z\n# Query_time: 1\n\
                    SELECT\n1;\n";
        assert_eq!((text.as_str(), unwrap.dropped()), (want, 1));
        assert_eq!(unwrap.raw(), raw.len() as u64);
    }

    #[test]
    fn a_line_without_an_end_is_not_kept() {
        let mut unwrap = Unwrap::detect(b"# Time: 2026-03-06T13:11:54Z\r\n").unwrap();
        let mut text = Vec::new();
        for _ in 0..8 {
            unwrap.push(&[0; 1 << 19], false, &mut text);
        }
        assert!(unwrap.tail.len() <= LONGEST_LINE);
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
