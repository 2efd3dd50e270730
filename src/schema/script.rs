//! A schema file, cut into statements, comments and prints of a client.
//!
//! ```text
//! -- Host: localhost    Database: shop          a comment
//! CREATE TABLE `t` ( … ) ENGINE=InnoDB;         a definition: its tokens are kept
//! INSERT INTO `t` VALUES (1,'a'),(2,';'), …;    anything else is passed at speed
//! *************************** 1. row *********  a print
//! ```
//!
//! A definition ends at its `;`, or where a line outside of parentheses begins with the next
//! CREATE: files of SHOW CREATE TABLE often have no `;`. A string that never ends would take the
//! rest of the file with it; the statement is then cut at the end of a line with a `;`.

use crate::scan::{ByteSet, Hits, literal_end};
use crate::sql::definition::{Live, is_executed};
use crate::sql::token::{Kind, Token};

use super::prints::{self, Print};

/// A piece of a schema file.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A statement that may change the schema.
    Definition(Definition<'a>),
    /// A comment line, without its mark.
    Comment { text: &'a [u8], at: usize },
    /// What a client printed.
    Print(Print),
    /// A quoted text that began there has no end.
    OpenQuote { at: usize },
}

/// A statement with its tokens; their offsets are those of `text`.
#[derive(Debug)]
pub(super) struct Definition<'a> {
    pub text: &'a [u8],
    pub at: usize,
    pub tokens: Vec<Token>,
    /// Whether it stands in a version comment as a whole, as mysqldump writes the tables that
    /// stand in for views.
    pub is_in_comment: bool,
    /// Where a quote opened in it that has no end.
    pub open_quote: Option<usize>,
}

/// Words that begin what is of interest here.
const VERBS: [&[u8]; 5] = [b"CREATE", b"ALTER", b"DROP", b"USE", b"RENAME"];

/// Longest statement that is read. The largest table that a server can hold, 4,096 columns with
/// comments of 1,024 characters, has about half as much.
const LONGEST: usize = 32 << 20;

/// How many open quotes are mended: each may cost a look at the whole rest of the file.
const MOST_MENDED: u32 = 50;

/// What may end a statement, or hide its end.
static STOPS: ByteSet = ByteSet::of(b"'\"`;#-/\\");

/// The pieces of a file, one after the other.
#[derive(Debug)]
pub(super) struct Script<'a> {
    text: &'a [u8],
    at: usize,
    delimiter: &'a [u8],
    mended: u32,
    /// An open quote that is still to be told.
    open_quote: Option<usize>,
}

impl<'a> Script<'a> {
    pub fn new(text: &'a [u8]) -> Script<'a> {
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Script { text, at, delimiter: b";", mended: 0, open_quote: None }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The place behind the line that holds this one.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |length| from + length + 1)
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// A line that is no statement: a comment, the client's own, a print.
    fn odd_line(&mut self) -> Option<Option<Piece<'a>>> {
        let rest = self.rest();
        // No line of these kinds is longer, and statements may all stand on one.
        let head = &rest[..rest.len().min(512)];
        let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
        let dashes = rest.starts_with(b"--")
            && rest.get(2).is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'-');
        if dashes || rest.starts_with(b"#") {
            let at = self.at + if dashes { 2 } else { 1 };
            self.at = self.line_end(self.at);
            let text = self.text.get(at..self.at).unwrap_or_default().trim_ascii_end();
            return Some(Some(Piece::Comment { text, at }));
        }
        if rest.starts_with(b"/*") && !is_executable(rest) {
            let length = memchr::memmem::find(&rest[2..], b"*/");
            self.at += length.map_or(rest.len(), |length| length + 4);
            return Some(None);
        }
        if let Some(delimiter) = delimiter_line(line) {
            self.delimiter = delimiter;
            self.at = self.line_end(self.at);
            return Some(None);
        }
        if prints::is_footer(line) {
            self.at = self.line_end(self.at);
            return Some(None);
        }
        if let Some(length) = prompt(line) {
            self.at += length;
            return Some(None);
        }
        if let Some((print, end)) = prints::read(self.text, self.at) {
            self.at = end;
            return Some(Some(Piece::Print(print)));
        }
        None
    }

    /// Passes a statement that is not of interest.
    fn pass(&mut self) {
        let from = self.at;
        if self.delimiter != b";" {
            let found = memchr::memmem::find(self.rest(), self.delimiter);
            self.at += found.map_or(self.rest().len(), |at| at + self.delimiter.len());
            return;
        }
        let mut hits = Hits::new(self.text, &STOPS);
        loop {
            let at = hits.next(self.at);
            let next = self.text.get(at + 1).copied();
            self.at = match self.text.get(at) {
                None => return self.at = self.text.len(),
                Some(b';') => return self.at = at + 1,
                Some(b'\\') if matches!(next, Some(b'G' | b'g')) => return self.at = at + 2,
                Some(b'\'' | b'"') => match literal_end(&mut hits, at) {
                    Some(end) => end,
                    None => return self.at = self.mend(from, at),
                },
                Some(b'`') => match memchr::memchr(b'`', &self.text[at + 1..]) {
                    Some(length) => at + length + 2,
                    None => return self.at = self.mend(from, at),
                },
                Some(b'#') => self.line_end(at),
                Some(b'-') if next == Some(b'-') && self.is_blank(at + 2) => self.line_end(at),
                Some(b'/') if next == Some(b'*') && !is_executable(&self.text[at..]) => {
                    let length = memchr::memmem::find(&self.text[at + 2..], b"*/");
                    length.map_or(self.text.len(), |length| at + length + 4)
                }
                Some(_) => at + 1,
            };
        }
    }

    fn is_blank(&self, at: usize) -> bool {
        self.text.get(at).is_none_or(u8::is_ascii_whitespace)
    }

    /// A quote at `open` has no end: where the statement ends all the same.
    fn mend(&mut self, from: usize, open: usize) -> usize {
        self.open_quote = Some(open);
        self.mended += 1;
        if self.mended > MOST_MENDED {
            return self.text.len();
        }
        let from = open.max(from);
        let rest = self.text.get(from..).unwrap_or_default();
        let is_line_end = |at: &usize| matches!(rest.get(at + 1), Some(b'\n' | b'\r'));
        let end = memchr::memchr_iter(b';', rest).find(is_line_end);
        end.map_or(self.text.len(), |at| from + at + 1)
    }

    /// Takes a statement of interest.
    fn definition(&mut self, is_in_comment: bool) -> Definition<'a> {
        let from = self.at;
        // A routine under another delimiter has statements of its own inside.
        let is_plain = self.delimiter == b";";
        let limit = match self.delimiter {
            b";" => self.text.len(),
            other => from + memchr::memmem::find(self.rest(), other).unwrap_or(self.rest().len()),
        };
        let text = self.text.get(from..limit).unwrap_or_default();
        let mut tokens: Vec<Token> = Vec::new();
        let mut depth = 0_usize;
        let mut end = text.len();
        let mut open_quote = None;
        for token in Live::of(text) {
            let bytes = token.of(text);
            match bytes {
                b"(" => depth += 1,
                b")" => depth = depth.saturating_sub(1),
                b";" if is_plain => {
                    end = token.start;
                    break;
                }
                b"\\" if text.get(token.end).is_some_and(|next| matches!(next, b'G' | b'g')) => {
                    end = token.start;
                    break;
                }
                _ if is_plain && !tokens.is_empty() && begins_next(text, token, depth) => {
                    end = token.start;
                    break;
                }
                _ if is_open(token, bytes, text.len()) => {
                    open_quote = Some(token.start);
                    end = self.mend(from, from + token.start).saturating_sub(from).min(text.len());
                    break;
                }
                _ => {}
            }
            if token.end > LONGEST {
                self.at = from + token.end;
                self.pass();
                end = (self.at - from).min(text.len());
                break;
            }
            tokens.push(token);
        }
        self.at = from + end;
        let text = text.get(..end).unwrap_or_default();
        Definition { text, at: from, tokens, is_in_comment, open_quote }
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        loop {
            if let Some(at) = self.open_quote.take() {
                return Some(Piece::OpenQuote { at });
            }
            self.skip_blanks();
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with(self.delimiter) || rest.starts_with(b";") {
                self.at += if rest.starts_with(self.delimiter) { self.delimiter.len() } else { 1 };
                continue;
            }
            if let Some(piece) = self.odd_line() {
                match piece {
                    Some(piece) => return Some(piece),
                    None => continue,
                }
            }
            let (word, is_in_comment) = first_word(rest);
            if VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)) {
                return Some(Piece::Definition(self.definition(is_in_comment)));
            }
            self.pass();
        }
    }
}

/// Whether a comment begins whose text the server executes.
fn is_executable(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"/*!").or_else(|| text.strip_prefix(b"/*M!")) else {
        return false;
    };
    let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    is_executed(&rest[..digits])
}

/// The first word of a statement, and whether it stands in a version comment.
fn first_word(text: &[u8]) -> (&[u8], bool) {
    let mut rest = text;
    let mut is_in_comment = false;
    while is_executable(rest) {
        is_in_comment = true;
        let mark = rest.iter().position(|byte| *byte == b'!').map_or(0, |at| at + 1);
        let digits = rest[mark..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        rest = rest[mark + digits..].trim_ascii_start();
    }
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    (&rest[..length], is_in_comment)
}

/// Whether the next statement begins here, at the head of a line, though no `;` ended this one.
/// CREATE is a reserved word and ends the statement inside of parentheses too.
fn begins_next(text: &[u8], token: Token, depth: usize) -> bool {
    const NEXT: [(&[u8], &[u8]); 6] = [
        (b"INSERT", b"INTO"),
        (b"DROP", b"TABLE"),
        (b"DROP", b"VIEW"),
        (b"ALTER", b"TABLE"),
        (b"LOCK", b"TABLES"),
        (b"SHOW", b"CREATE"),
    ];
    let before = token.start.checked_sub(1).and_then(|at| text.get(at));
    if token.kind != Kind::Word || before != Some(&b'\n') {
        return false;
    }
    let word = token.of(text);
    if word.eq_ignore_ascii_case(b"CREATE") {
        return true;
    }
    let behind = text.get(token.end..).unwrap_or_default().trim_ascii_start();
    let second = &behind[..behind.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()];
    depth == 0
        && NEXT.iter().any(|(first, next)| {
            word.eq_ignore_ascii_case(first) && second.eq_ignore_ascii_case(next)
        })
}

/// Whether a quoted text reaches the end without its closing quote.
fn is_open(token: Token, bytes: &[u8], length: usize) -> bool {
    if token.end < length || !matches!(token.kind, Kind::Literal | Kind::Quoted) {
        return false;
    }
    let Some(open) = bytes.iter().position(|byte| matches!(byte, b'\'' | b'"' | b'`')) else {
        return false;
    };
    let quote = bytes[open];
    let inside = &bytes[open + 1..];
    let quotes = inside.iter().rev().take_while(|byte| **byte == quote).count();
    let before = &inside[..inside.len() - quotes];
    let escapes = match quote {
        b'`' => 0,
        _ => before.iter().rev().take_while(|byte| **byte == b'\\').count(),
    };
    // A backslash takes the first of the quotes with it; the others must leave one over.
    (quotes - (escapes % 2).min(quotes)).is_multiple_of(2)
}

/// `DELIMITER x`: the new delimiter.
fn delimiter_line(line: &[u8]) -> Option<&[u8]> {
    let (word, value) = line.split_at_checked(b"delimiter".len())?;
    let value_begins = value.first().is_some_and(u8::is_ascii_whitespace);
    let value = value.trim_ascii();
    (word.eq_ignore_ascii_case(b"delimiter") && value_begins && !value.is_empty()).then_some(value)
}

/// Length of the client's prompt, `mysql> ` or `MariaDB [shop]> `, before what was typed.
fn prompt(line: &[u8]) -> Option<usize> {
    let end = memchr::memmem::find(line, b"> ")?;
    prints::is_prompt(line).then_some(end + 2)
}
