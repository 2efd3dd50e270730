//! Whether a place in a statement lies inside a string, a quoted name or a comment. A line that
//! looks like a header is one only outside of them.

use memchr::memchr2;

use crate::scan::{ByteSet, Hits, literal_end};

/// What is open at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Open {
    /// Nothing.
    #[default]
    Nothing,
    /// A literal or name in this quote character.
    Quote(u8),
    /// A `/* … */` comment.
    Comment,
}

/// Bytes that can open a quote or a comment, or end a statement.
pub static SPECIAL: ByteSet = ByteSet::of(b"'\"`;#-/\\");

/// Walks over a statement piece by piece. Pieces end at line ends.
#[derive(Debug, Clone, Copy, Default)]
pub struct Walk {
    /// What is open behind the last piece.
    pub open: Open,
    escaped: bool,
}

/// What ended a step of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The end of the piece.
    End,
    /// A `;` outside of quotes; the place behind it.
    Semicolon(usize),
    /// A quote was opened; the place of the quote character.
    Opened(usize),
    /// A quote was closed; the place behind the quote character.
    Closed(usize),
}

impl Walk {
    /// Goes on from byte `at` of `text` to the next thing worth a look.
    pub fn step(&mut self, text: &[u8], mut at: usize) -> Stop {
        if self.escaped && at < text.len() {
            at += 1;
            self.escaped = false;
        }
        match self.open {
            Open::Quote(quote) => self.close_quote(text, at, quote),
            Open::Comment => match memchr::memmem::find(&text[at..], b"*/") {
                Some(found) => {
                    self.open = Open::Nothing;
                    self.plain(text, at + found + 2)
                }
                None => Stop::End,
            },
            Open::Nothing => self.plain(text, at),
        }
    }

    fn close_quote(&mut self, text: &[u8], mut at: usize, quote: u8) -> Stop {
        while let Some(found) = memchr2(quote, b'\\', &text[at..]) {
            let place = at + found;
            if text[place] == quote {
                self.open = Open::Nothing;
                return Stop::Closed(place + 1);
            }
            // A backslash escapes in strings, not in names.
            at = if quote == b'`' { place + 1 } else { place + 2 };
            if at > text.len() {
                self.escaped = true;
                return Stop::End;
            }
        }
        Stop::End
    }

    fn plain(&mut self, text: &[u8], at: usize) -> Stop {
        self.opening(text, &mut Hits::new(text, &SPECIAL), at)
    }

    /// Goes on outside of quotes.
    fn opening(&mut self, text: &[u8], hits: &mut Hits<'_>, mut at: usize) -> Stop {
        loop {
            at = hits.next(at);
            let Some(byte) = text.get(at) else { return Stop::End };
            if let quote @ (b'\'' | b'"' | b'`') = byte {
                self.open = Open::Quote(*quote);
                return Stop::Opened(at);
            }
            let next = text.get(at + 1).copied();
            match byte {
                b';' => return Stop::Semicolon(at + 1),
                b'#' => at = line_end(text, at),
                b'-' if next == Some(b'-') && text.get(at + 2).is_none_or(|b| *b <= b' ') => {
                    at = line_end(text, at + 2);
                }
                // What stands in a version comment is executed, so its quotes are quotes.
                b'/' if next == Some(b'*') && text.get(at + 2) != Some(&b'!') => {
                    match memchr::memmem::find(&text[at + 2..], b"*/") {
                        Some(found) => at += found + 4,
                        None => {
                            self.open = Open::Comment;
                            return Stop::End;
                        }
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// Goes on from byte `at` to the next `;` outside of quotes and gives the place behind it;
    /// `None` at the end of the text. `hits` goes through the same text by [`SPECIAL`].
    pub fn to_semicolon(&mut self, hits: &mut Hits<'_>, mut at: usize) -> Option<usize> {
        let text = hits.text();
        loop {
            let stop = match self.open {
                Open::Nothing if !self.escaped => self.opening(text, hits, at),
                _ => self.step(text, at),
            };
            at = match stop {
                Stop::End => return None,
                Stop::Semicolon(place) => return Some(place),
                Stop::Closed(place) => place,
                Stop::Opened(place) => {
                    // Nearly every literal ends; if not, the careful way notes what is open.
                    let end = (text[place] != b'`').then(|| literal_end(hits, place)).flatten();
                    if end.is_some() {
                        self.open = Open::Nothing;
                    }
                    end.unwrap_or(place + 1)
                }
            };
        }
    }

    /// Walks over a whole piece.
    pub fn over(&mut self, text: &[u8]) {
        let mut hits = Hits::new(text, &SPECIAL);
        let mut at = 0;
        while let Some(behind) = self.to_semicolon(&mut hits, at) {
            at = behind;
        }
    }
}

fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at.min(text.len())..]).map_or(text.len(), |found| at + found)
}

/// The place behind the string, name or comment that is open at the beginning of `text`, if the
/// header-like line there belongs to it; `None` if it does not. `ends` tells whether a statement
/// may end behind the `;` at a place: a header, a banner or the end of the log follows. `is_last`
/// says that the log ends with the text; then the last statement may lack its `;`.
///
/// Strings that a client never closed are logged too, and then everything behind looks quoted.
/// So the text is read on: quotes must close and open where SQL has them close and open, and a
/// statement must end outside of quotes. In the wrong reading of an unclosed string each literal
/// is taken for SQL and each piece of SQL for a literal, which soon shows.
pub fn closing(
    text: &[u8],
    mut walk: Walk,
    is_last: bool,
    ends: impl Fn(usize) -> bool,
) -> Option<usize> {
    let mut at = 0;
    let mut closed = None;
    loop {
        at = match walk.step(text, at) {
            Stop::End => return closed.filter(|_| is_last && walk.open == Open::Nothing),
            Stop::Semicolon(place) if ends(place) => return closed.or(Some(place)),
            Stop::Semicolon(place) => place,
            Stop::Opened(place) if may_open(text, place) => place + 1,
            Stop::Closed(place) if may_close(text, place) => {
                closed = closed.or(Some(place));
                place
            }
            Stop::Opened(_) | Stop::Closed(_) => return None,
        }
    }
}

/// Whether SQL can go on like this behind a closing quote.
fn may_close(text: &[u8], behind: usize) -> bool {
    match text.get(behind) {
        None => true,
        Some(byte) => byte.is_ascii_whitespace() || b",);'\"`.=<>!+-*/|&^%@".contains(byte),
    }
}

/// Whether an opening quote can stand behind what is in front of it.
fn may_open(text: &[u8], place: usize) -> bool {
    let word_start = text[..place]
        .iter()
        .rposition(|b| !(b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80))
        .map_or(0, |before| before + 1);
    let word = &text[word_start..place];
    word.is_empty()
        || word.starts_with(b"_")
        || [&b"x"[..], b"n", b"b", b"date", b"time", b"timestamp", b"in", b"like", b"select"]
            .iter()
            .any(|prefix| word.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Open) {
        let mut walk = Walk::default();
        walk.over(text.as_bytes());
        assert_eq!(walk.open, want, "{text}");
        // Cut into lines, the walk comes to the same end.
        let mut pieces = Walk::default();
        text.split_inclusive('\n').for_each(|line| pieces.over(line.as_bytes()));
        assert_eq!(pieces.open, want, "{text} in pieces");
    }

    #[test]
    fn quotes_close_by_their_own_kind() {
        check("SELECT 'a', \"b\", `c`", Open::Nothing);
        check("SELECT 'it''s', 'it\\'s', 'say \"hi\"'", Open::Nothing);
        check("SELECT 'x\\\\'", Open::Nothing);
        check("SELECT `a\\`", Open::Nothing);
        check("SELECT 'abc", Open::Quote(b'\''));
        check("SELECT \"it's", Open::Quote(b'"'));
        check("SELECT 'a\\\n' b", Open::Nothing);
    }

    #[test]
    fn quotes_in_comments_are_text() {
        check("SELECT 1 -- it's\n+ 2", Open::Nothing);
        check("SELECT 1 # it's\n+ 2", Open::Nothing);
        check("SELECT 1 /* it's */ + 2", Open::Nothing);
        check("SELECT a--'b'\n", Open::Nothing);
        check("SELECT a--1, 'b\n", Open::Quote(b'\''));
        check("SELECT /*! 'a */ b", Open::Quote(b'\''));
        check("SELECT /* open\n it's", Open::Comment);
    }

    #[test]
    fn a_header_in_a_string_is_told_from_an_unclosed_string() {
        let inside = "# Time: x\nSELECT 1;\nend' AS tricky;\n# Time: y\n";
        let ends = |text: &'static str| move |at: usize| text[at..].starts_with("\n# Time: y");
        let walk = Walk { open: Open::Quote(b'\''), escaped: false };
        assert_eq!(closing(inside.as_bytes(), walk, false, ends(inside)), Some(24));
        let outside = "# Time: x\nSELECT * FROM a WHERE name = 'abc';\n# Time: y\n";
        assert_eq!(closing(outside.as_bytes(), walk, false, ends(outside)), None);
        let last = "# Time: x\nSELECT 1;\nend')\n";
        assert_eq!(closing(last.as_bytes(), walk, true, |_| false), Some(24));
        assert_eq!(closing(last.as_bytes(), walk, false, |_| false), None);
    }
}
