//! A cheap normal form of a statement, made for every event so that the exact fingerprint is
//! made once for each new form.
//!
//! The law that makes it right: **equal outlines have equal fingerprints**, in both modes. An
//! outline may split a class, it never joins two; so only what is certain is replaced: plain
//! numbers, plain strings, plain comments, and lists of plain literals behind IN and VALUES.
//! Everything else is copied, or the outline is refused and the exact function asked.

use memchr::memchr;

use crate::scan::{ByteSet, Hits, literal_end};

/// Which fingerprint the law is kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// [`fingerprint`](crate::sql::fingerprint::fingerprint).
    Default,
    /// [`pt::fingerprint`](crate::sql::pt::fingerprint), which looks into strings for comments,
    /// parentheses and the like, so that fewer strings are plain.
    Peer,
}

const PLAIN: u8 = 0;
const DIGIT: u8 = 1;
const STRING: u8 = 2;
const NAME: u8 = 3;
const OPEN: u8 = 4;
const SLASH: u8 = 5;
const DASH: u8 = 6;
const HASH: u8 = 7;
const BACKSLASH: u8 = 8;
const SEMICOLON: u8 = 9;

const CLASSES: [u8; 256] = {
    let mut classes = [PLAIN; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        classes[digit as usize] = DIGIT;
        digit += 1;
    }
    classes[b'\'' as usize] = STRING;
    classes[b'"' as usize] = STRING;
    classes[b'`' as usize] = NAME;
    classes[b'(' as usize] = OPEN;
    classes[b'/' as usize] = SLASH;
    classes[b'-' as usize] = DASH;
    classes[b'#' as usize] = HASH;
    classes[b'\\' as usize] = BACKSLASH;
    classes[b';' as usize] = SEMICOLON;
    classes
};

/// Bytes that are not [`PLAIN`].
static SPECIAL: ByteSet = ByteSet::of(b"0123456789'\"`(/-#\\;");

/// Bytes that matter where the end of a row is sought.
static BRACKETS: ByteSet = ByteSet::of(b"()'\"`#-/\\;");

/// Bytes of a string that no rule of the peer looks at.
const QUIET: [bool; 256] = {
    let mut quiet = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        quiet[byte] = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b" _.:@%+!?&$=,;~^[]{}|<>";
    let mut place = 0;
    while place < others.len() {
        quiet[others[place] as usize] = true;
        place += 1;
    }
    quiet
};

/// Writes the outline of `statement` to `out`, which is emptied first. False: there is none, ask
/// the exact function.
pub fn outline(statement: &[u8], mode: Mode, out: &mut Vec<u8>) -> bool {
    sketch(statement, mode, out) != Sketch::Refused
}

/// What a text showed itself to be when its outline was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sketch {
    /// It has no outline.
    Refused,
    /// It has one, and it may have a `;` outside of quotes or end within a quote or a comment.
    Odd,
    /// It has one; all quotes and comments in it are closed, and no `;` is outside of them.
    Whole,
}

/// Writes the outline of `statement` to `out`, which is emptied first.
pub fn sketch(statement: &[u8], mode: Mode, out: &mut Vec<u8>) -> Sketch {
    out.clear();
    if is_named_by_its_text(statement, mode) {
        return Sketch::Refused;
    }
    let mut sketch = Sketch::Whole;
    let mut lists = Lists::default();
    let mut hits = Hits::new(statement, &SPECIAL);
    let mut copied = 0;
    let mut at = 0;
    loop {
        at = hits.next(at);
        let Some(byte) = statement.get(at) else { break };
        let class = CLASSES[usize::from(*byte)];
        let replaced = match class {
            DIGIT => digits(statement, at, mode),
            STRING => match string(&mut hits, statement, at, mode) {
                Some(end) => Some((end, if *byte == b'"' { &b"\"a\""[..] } else { b"'a'" })),
                None if mode == Mode::Peer => return Sketch::Refused,
                None => {
                    // Without an end: one literal to the end of the text.
                    out.extend_from_slice(&statement[copied..at]);
                    out.extend_from_slice(&[*byte, b'a']);
                    return Sketch::Odd;
                }
            },
            NAME => match memchr(b'`', &statement[at + 1..]) {
                // The peer knows no quoted names: a quote in one opens a string.
                Some(length)
                    if mode == Mode::Peer && !is_quiet(&statement[at + 1..at + 1 + length]) =>
                {
                    return Sketch::Refused;
                }
                Some(length) => {
                    at += length + 2;
                    continue;
                }
                None => {
                    sketch = Sketch::Odd;
                    break;
                }
            },
            SEMICOLON => {
                sketch = Sketch::Odd;
                None
            }
            OPEN => {
                out.extend_from_slice(&statement[copied..at]);
                copied = at;
                list(&mut hits, statement, at, mode, out, &mut lists)
            }
            BACKSLASH if mode == Mode::Peer => return Sketch::Refused,
            SLASH | DASH | HASH if is_unsure(statement, at, mode) => return Sketch::Refused,
            SLASH | DASH | HASH => match comment(statement, at) {
                Some(end) => {
                    // A `;` behind the statement may be in the comment.
                    if end == statement.len() {
                        sketch = Sketch::Odd;
                    }
                    if is_marker(&statement[at..end]) {
                        at = end;
                        continue;
                    }
                    Some((end, &b" "[..]))
                }
                // A hint is read as what is executed, and framing takes it for a comment.
                None if statement[at..].starts_with(b"/*") => {
                    sketch = Sketch::Odd;
                    None
                }
                None => None,
            },
            _ => None,
        };
        match replaced {
            Some((end, text)) => {
                out.extend_from_slice(&statement[copied..at]);
                out.extend_from_slice(text);
                at = end;
                copied = end;
            }
            None if class == DIGIT => {
                at += statement[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
            }
            None => at += 1,
        }
    }
    out.extend_from_slice(&statement[copied..]);
    sketch
}

/// Whether literals belong to the name of the class: in commands of the protocol, and for the
/// peer in a CALL, which it names by the text in front of a parenthesis.
fn is_named_by_its_text(statement: &[u8], mode: Mode) -> bool {
    let starts_with = |word: &[u8]| {
        let start = statement.trim_ascii_start();
        start.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    starts_with(b"administrator") || (mode == Mode::Peer && starts_with(b"call"))
}

/// Whether it takes more than the next bytes to tell what the `/`, `-` or `#` at `at` is: it may
/// close a hint in front of a `*`, or the end of the statement may make a comment of it. The peer
/// has comments of its own.
fn is_unsure(statement: &[u8], at: usize, mode: Mode) -> bool {
    match (statement[at], statement.get(at + 1)) {
        (b'/', Some(b'*')) => mode == Mode::Peer || statement[..at].ends_with(b"*"),
        (b'-', Some(b'-')) => mode == Mode::Peer || statement.get(at + 2) == Some(&b';'),
        (b'#', _) => mode == Mode::Peer,
        _ => false,
    }
}

/// A plain number at `at`: digits, perhaps a point and digits, between bytes that cannot belong
/// to it.
fn digits(statement: &[u8], at: usize, mode: Mode) -> Option<(usize, &'static [u8])> {
    let before = at.checked_sub(1).map(|before| statement[before])?;
    if !matches!(
        before,
        b' ' | b'\n' | b'\t' | b'\r' | b'(' | b',' | b'=' | b'<' | b'>' | b'-' | b'+'
    ) {
        return None;
    }
    let is_exponent = matches!(before, b'-' | b'+')
        && at.checked_sub(2).is_some_and(|place| statement[place].eq_ignore_ascii_case(&b'e'));
    if is_exponent || behind_a_dot(&statement[..at]) {
        return None;
    }
    let end = match statement[at..] {
        [b'0', b'x', ..] => hex_end(statement, at, mode)?,
        _ => number_end(statement, at)?,
    };
    match statement.get(end) {
        None | Some(b' ' | b'\n' | b'\t' | b'\r' | b',' | b')' | b';') => Some((end, b"0")),
        Some(_) => None,
    }
}

/// Whether a dot stands in front, blanks or not: then what follows is a name.
fn behind_a_dot(before: &[u8]) -> bool {
    before.last().is_some_and(|b| b.is_ascii_whitespace())
        && before.trim_ascii_end().ends_with(b".")
}

/// The end of a number that begins with `0x`.
fn hex_end(statement: &[u8], at: usize, mode: Mode) -> Option<usize> {
    // The peer knows digits of one case only.
    let digit = |b: &u8| match mode {
        Mode::Default => b.is_ascii_hexdigit(),
        Mode::Peer => matches!(b, b'0'..=b'9' | b'a'..=b'f'),
    };
    let length = statement[at + 2..].iter().take_while(|b| digit(b)).count();
    (length > 0).then_some(at + 2 + length)
}

fn number_end(statement: &[u8], at: usize) -> Option<usize> {
    let run = |from: usize| statement[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = run(at);
    let end = at + whole;
    if whole == 0 {
        return None;
    }
    if statement.get(end) != Some(&b'.') {
        return Some(end);
    }
    match run(end + 1) {
        0 => None,
        decimals => Some(end + 1 + decimals),
    }
}

/// The end of the string that opens at `at`; `None` if it has none or, for the peer, if anything
/// in or behind it is not plain.
fn string(hits: &mut Hits<'_>, statement: &[u8], at: usize, mode: Mode) -> Option<usize> {
    if mode == Mode::Default {
        return literal_end(hits, at);
    }
    let quote = statement[at];
    let length = memchr(quote, &statement[at + 1..])?;
    let inner = &statement[at + 1..at + 1 + length];
    let end = at + length + 2;
    let alone = at > 0 && length > 0 && statement.get(end).is_none_or(|b| *b != quote);
    (alone && is_quiet(inner)).then_some(end)
}

/// Whether no rule of the peer looks at anything in a quoted text.
fn is_quiet(inner: &[u8]) -> bool {
    inner.iter().enumerate().all(|(place, byte)| {
        QUIET[usize::from(*byte)]
            || (*byte == b'-' && inner.get(place + 1).is_some_and(|next| *next != b'-'))
    })
}

/// The end of the plain comment that opens at `at`, if one does.
fn comment(statement: &[u8], at: usize) -> Option<usize> {
    let rest = &statement[at..];
    let line = || at + memchr(b'\n', rest).unwrap_or(rest.len());
    match rest {
        [b'#', ..] => Some(line()),
        [b'-', b'-'] => Some(line()),
        [b'-', b'-', b, ..] if *b == b' ' || b.is_ascii_control() => Some(line()),
        [b'/', b'*', b'!' | b'+', ..] | [b'/', b'*', b'M', b'!', ..] => None,
        [b'/', b'*', ..] => {
            let end = memchr::memmem::find(&rest[2..], b"*/");
            Some(end.map_or(statement.len(), |end| at + 2 + end + 2))
        }
        _ => None,
    }
}

/// Whether a comment could be the marker of Percona Toolkit, `/*db.table:1/40*/`.
fn is_marker(comment: &[u8]) -> bool {
    comment.starts_with(b"/*")
        && comment.contains(&b':')
        && comment[2..].contains(&b'/')
        && !comment.contains(&b' ')
}

/// What is remembered of a statement from list to list, so that no text is searched twice.
#[derive(Debug, Default)]
struct Lists {
    /// Bytes of the outline that were searched for the word DUPLICATE, and whether it was there.
    searched: usize,
    duplicate: bool,
    /// A row was met that has no end.
    open_ended: bool,
}

impl Lists {
    fn has_duplicate(&mut self, outline: &[u8]) -> bool {
        const WORD: &[u8] = b"duplicate";
        let from = self.searched.saturating_sub(WORD.len() - 1).min(outline.len());
        let mut windows = outline[from..].windows(WORD.len());
        self.duplicate |= windows.any(|window| window.eq_ignore_ascii_case(WORD));
        self.searched = outline.len();
        self.duplicate
    }
}

/// A list of plain literals that opens at `at`, behind IN, VALUES or the row before.
fn list(
    hits: &mut Hits<'_>,
    statement: &[u8],
    at: usize,
    mode: Mode,
    out: &[u8],
    lists: &mut Lists,
) -> Option<(usize, &'static [u8])> {
    let before = out.trim_ascii_end();
    let word = before.len() - before.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
    let is_word_alone = match word.checked_sub(1).map(|place| before[place]) {
        None => true,
        Some(byte) => !(byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_$.@`:".contains(&byte)),
    };
    if !is_word_alone || behind_a_dot(&before[..word]) {
        return None;
    }
    let word = &before[word..];
    if word.eq_ignore_ascii_case(b"in") {
        return row(hits, statement, at, mode).map(|end| (end, &b"(0)"[..]));
    }
    if !word.eq_ignore_ascii_case(b"values") && !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    // Behind ON DUPLICATE KEY UPDATE it is a function.
    if lists.has_duplicate(before) {
        return None;
    }
    let mut end = row(hits, statement, at, mode)?;
    if mode == Mode::Default {
        // The first row stands for all of them, whatever is in the others.
        return Some((further_rows(statement, end, lists), b"(0)"));
    }
    let mut rows = 1;
    while let Some(next) =
        next_row(statement, end).and_then(|open| row(hits, statement, open, mode))
    {
        end = next;
        rows += 1;
    }
    // The peer drops what stands behind the first of several rows, so their number counts.
    Some((end, if rows > 1 { b"(0), (0)" } else { b"(0)" }))
}

/// The place behind the rows that follow `at`, as far as they are plain to the eye: quotes and
/// parentheses in pairs, no comment, nothing escaped outside of a string.
fn further_rows(statement: &[u8], at: usize, lists: &mut Lists) -> usize {
    let mut hits = Hits::new(statement, &BRACKETS);
    let mut end = at;
    loop {
        let open = match statement.get(end..end + 2) {
            Some(b",(") => Some(end + 1),
            _ => next_row(statement, end),
        };
        // A row without an end would be looked for again behind each VALUES in it.
        let open = open.filter(|_| !lists.open_ended);
        match open.and_then(|open| row_end(statement, open, &mut hits, lists)) {
            Some(behind) => end = behind,
            None => return end,
        }
    }
}

#[inline]
fn row_end(statement: &[u8], open: usize, hits: &mut Hits<'_>, lists: &mut Lists) -> Option<usize> {
    let mut depth = 1usize;
    let mut at = open + 1;
    loop {
        at = hits.next(at);
        lists.open_ended |= at >= statement.len();
        match statement.get(at)? {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'\'' | b'"' => {
                let end = literal_end(hits, at);
                lists.open_ended |= end.is_none();
                at = end?;
                continue;
            }
            // A sign or a quotient; a comment takes more care than this.
            b'-' if statement.get(at + 1) != Some(&b'-') => {}
            b'/' if statement.get(at + 1) != Some(&b'*') => {}
            _ => return None,
        }
        at += 1;
    }
}

/// The `(` behind the comma at `at`.
fn next_row(statement: &[u8], at: usize) -> Option<usize> {
    let comma = at + blanks(statement, at);
    if statement.get(comma) != Some(&b',') {
        return None;
    }
    let open = comma + 1 + blanks(statement, comma + 1);
    (statement.get(open) == Some(&b'(')).then_some(open)
}

fn blanks(statement: &[u8], at: usize) -> usize {
    statement[at..].iter().take_while(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r')).count()
}

/// The end of a parenthesis of plain literals, commas and, but for the peer, parentheses of
/// such; at least one literal in each.
fn row(hits: &mut Hits<'_>, statement: &[u8], open: usize, mode: Mode) -> Option<usize> {
    let mut at = open + 1;
    let mut depth = 1;
    loop {
        at += blanks(statement, at);
        if statement.get(at) == Some(&b'(') && mode == Mode::Default {
            depth += 1;
            at += 1;
            continue;
        }
        at = literal(hits, statement, at, mode)?;
        loop {
            at += blanks(statement, at);
            match statement.get(at)? {
                b',' => break,
                b')' if depth == 1 => return Some(at + 1),
                b')' => depth -= 1,
                _ => return None,
            }
            at += 1;
        }
        at += 1;
    }
}

/// The end of a plain literal.
fn literal(hits: &mut Hits<'_>, statement: &[u8], at: usize, mode: Mode) -> Option<usize> {
    match statement.get(at)? {
        b'0' if statement.get(at + 1) == Some(&b'x') => hex_end(statement, at, mode),
        b'0'..=b'9' => number_end(statement, at),
        b'-' => number_end(statement, at + 1),
        b'\'' | b'"' => string(hits, statement, at, mode),
        b'n' | b'N' => {
            let word = statement.get(at..at + 4)?;
            word.eq_ignore_ascii_case(b"null").then_some(at + 4)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, want: &str) {
        let mut out = Vec::new();
        let made = outline(statement.as_bytes(), Mode::Default, &mut out);
        assert_eq!((made, String::from_utf8_lossy(&out).as_ref()), (true, want), "{statement}");
    }

    #[test]
    fn plain_literals_and_lists_of_them_are_replaced() {
        check("SELECT a FROM t WHERE b = 12 AND c='x'", "SELECT a FROM t WHERE b = 0 AND c='a'");
        check(
            "SELECT a FROM t1 WHERE b IN (1, 2,3) LIMIT 5",
            "SELECT a FROM t1 WHERE b IN (0) LIMIT 0",
        );
        check("INSERT INTO t VALUES (1,'a'), (2, NULL),(3,'),(')", "INSERT INTO t VALUES (0)");
        check("SELECT 'it''s', 'x\\\\', 'a\\'b'", "SELECT 'a', 'a', 'a'");
        check("SELECT 0x1F, a - 0xab", "SELECT 0, a - 0");
        check("SELECT x\"1f\", \"b\"", "SELECT x\"a\", \"a\"");
        check("SELECT a /* id 7 */ FROM t -- it's\n", "SELECT a   FROM t  \n");
    }

    #[test]
    fn what_is_not_certain_is_left() {
        for statement in [
            "SELECT a1, 1f, 0x1G, 0x, 1e5 FROM db2.t3",
            "SELECT f(a, b) FROM `it's 5`",
            "SELECT /*!40001 SQL_NO_CACHE */ a",
            "SELECT 2E-7.5, 1e+7",
            "REPLACE /*shop.books:1/40*/ INTO checks SELECT a",
        ] {
            check(statement, statement);
        }
        check("SELECT f(1, 2)", "SELECT f(0, 0)");
        check("SELECT a IN (1, b)", "SELECT a IN (0, b)");
        check("SELECT begin(1, 2)", "SELECT begin(0, 0)");
    }

    #[test]
    fn the_peer_looks_into_strings() {
        let mut out = Vec::new();
        let mut made = |statement: &str| outline(statement.as_bytes(), Mode::Peer, &mut out);
        assert!(made("SELECT a FROM t WHERE b = '2024-01-01 x'"));
        for statement in
            ["SELECT 'a--b'", "SELECT 'a(b'", "SELECT 'a''b'", "SELECT 'a\\'b'", "SELECT 1 -- x"]
        {
            assert!(!made(statement), "{statement}");
        }
    }
}
