//! MySQL's lexical rules: a statement, cut into tokens.
//!
//! ```text
//! SELECT t.5, N'it''s' /* why */ FROM `my t` -- end
//! ^Word  ^ ^Name ^Literal        ^    ^Quoted
//! ```
//!
//! White space and plain comments lie between tokens and are not reported; hints and version
//! comments (`/*+`, `/*!`, `/*M!`) are, because they change what the server does. Nothing is
//! refused: a literal, a quoted name or a comment without an end goes to the end of the text,
//! and a byte no rule knows is a token of its own. What a word means is left to the reader.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A string with its `x`, `b` or `n`, a number, TRUE, FALSE, NULL, `\N` or the placeholder `?`.
    Literal,
    /// A bare word: a keyword or a name. Bytes from 0x80 on are letters.
    Word,
    /// A bare word directly behind a name and its dot: never a keyword, never a number.
    Name,
    /// A back-quoted name, quotes included.
    Quoted,
    /// `@x`, `@@x`, `` @`x` `` or `:x`, signs included.
    Variable,
    /// `/*+`, `/*!` or `/*M!`, with the version's digits if any.
    HintOpen,
    /// The `*/` of a hint or version comment.
    HintClose,
    /// An operator, the longest that fits.
    Operator,
    /// An `@` directly behind a name or literal, as in `root@localhost`.
    At,
    /// Any other byte: parentheses, comma, dot, semicolon, …
    Byte,
}

/// One token; its bytes are `statement[start..end]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset behind its last byte.
    pub end: usize,
}

impl Token {
    /// Where the token stands.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The token's bytes in the statement it came from.
    pub fn of(self, statement: &[u8]) -> &[u8] {
        &statement[self.range()]
    }
}

/// Cuts a statement into tokens, lazily.
pub fn tokens(statement: &[u8]) -> Tokens<'_> {
    Tokens { text: statement, at: 0, last: Last::Other, open_hints: 0, toolkit: false }
}

/// Iterator over the tokens of a statement. A clone looks ahead.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    last: Last,
    open_hints: usize,
    toolkit: bool,
}

/// What the last token was, for rules that say "directly behind".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// A word, a name, a quoted name or a variable.
    Name,
    /// The dot directly behind a name.
    NameDot,
    Literal,
    Other,
}

impl<'a> Tokens<'a> {
    /// Whether a comment passed so far is the mark of percona-toolkit, `/*db.table:1/40*/`.
    pub fn toolkit_comment_seen(&self) -> bool {
        self.toolkit
    }

    /// The bytes of a token this iterator gave.
    pub fn text(&self, token: Token) -> &'a [u8] {
        &self.text[token.range()]
    }

    /// The bytes of a stretch of tokens.
    pub fn bytes(&self, range: Range<usize>) -> &'a [u8] {
        &self.text[range]
    }

    /// The next token, without taking it.
    pub fn peek(&self) -> Option<Token> {
        self.clone().next()
    }

    fn byte(&self, at: usize) -> u8 {
        // NUL is neither a name, a digit nor the second byte of anything.
        self.text.get(at).copied().unwrap_or(0)
    }

    fn run(&self, from: usize, class: u8) -> usize {
        let mut at = from;
        while self.text.get(at).is_some_and(|&byte| is(byte, class)) {
            at += 1;
        }
        at
    }

    /// Passes white space and comments; nothing is then directly behind the last token.
    fn skip_blanks(&mut self) {
        loop {
            let byte = self.byte(self.at);
            let end = if is(byte, SPACE) {
                self.run(self.at + 1, SPACE)
            } else if is(byte, NAME) {
                return;
            } else if byte == b'#' || (byte == b'-' && self.opens_dash_comment()) {
                self.line_end()
            } else if byte == b'/' && self.byte(self.at + 1) == b'*' && hint_mark(self.rest()) == 0
            {
                self.comment_end()
            } else {
                return;
            };
            self.at = end;
            self.last = Last::Other;
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at.min(self.text.len())..]
    }

    /// `--` is a comment only before white space, a control byte or the end.
    fn opens_dash_comment(&self) -> bool {
        self.byte(self.at + 1) == b'-'
            && self
                .text
                .get(self.at + 2)
                .is_none_or(|byte| is(*byte, SPACE) || byte.is_ascii_control())
    }

    fn line_end(&self) -> usize {
        let end = self.rest().iter().position(|&byte| byte == b'\n');
        end.map_or(self.text.len(), |length| self.at + length)
    }

    fn comment_end(&mut self) -> usize {
        let inside = self.at + 2;
        let rest = self.text.get(inside..).unwrap_or_default();
        match rest.windows(2).position(|pair| pair == b"*/") {
            Some(length) => {
                self.toolkit |= is_toolkit_mark(&rest[..length]);
                inside + length + 2
            }
            None => self.text.len(),
        }
    }

    /// End of a literal or quoted name that opens at `open`.
    fn quoted_end(&self, open: usize) -> usize {
        let quote = self.text[open];
        let escapes = quote != b'`';
        let mut at = open + 1;
        while let Some(&byte) = self.text.get(at) {
            at += 1;
            if byte == quote {
                if self.text.get(at) != Some(&quote) {
                    return at;
                }
                at += 1;
            } else if byte == b'\\' && escapes {
                at += 1;
            }
        }
        self.text.len()
    }

    /// A token that begins with a digit: a number, or a name like `2024_05`.
    fn number_or_name(&self) -> (Kind, usize) {
        let run = self.run(self.at, NAME);
        let radix = match self.byte(self.at + 1) | 0x20 {
            b'x' if self.byte(self.at) == b'0' => HEX,
            b'b' if self.byte(self.at) == b'0' => BIT,
            _ => 0,
        };
        if radix != 0 && run > self.at + 2 && self.run(self.at + 2, radix) == run {
            return (Kind::Literal, run);
        }
        let digits = self.run(self.at, DIGIT);
        if let Some(end) = self.exponent(digits) {
            return (Kind::Literal, end);
        }
        match digits == run {
            true if self.byte(digits) == b'.' => (Kind::Literal, self.fraction(digits)),
            true => (Kind::Literal, digits),
            false => (Kind::Word, run),
        }
    }

    /// End of a number whose dot is at `dot`.
    fn fraction(&self, dot: usize) -> usize {
        let digits = self.run(dot + 1, DIGIT);
        self.exponent(digits).unwrap_or(digits)
    }

    /// End of the exponent at `at`, if there is one.
    fn exponent(&self, at: usize) -> Option<usize> {
        let signed = usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
        let digits = at + 1 + signed;
        let is_exponent = self.byte(at) | 0x20 == b'e' && self.byte(digits).is_ascii_digit();
        is_exponent.then(|| self.run(digits, DIGIT))
    }

    fn word(&self) -> (Kind, usize) {
        let end = self.run(self.at, NAME);
        let word = &self.text[self.at..end];
        match word {
            [b'x' | b'X' | b'b' | b'B' | b'n' | b'N'] if self.byte(end) == b'\'' => {
                (Kind::Literal, self.quoted_end(end))
            }
            [b't' | b'T' | b'f' | b'F' | b'n' | b'N', ..] if is_constant(word) => {
                (Kind::Literal, end)
            }
            _ => (Kind::Word, end),
        }
    }

    fn variable(&self) -> (Kind, usize) {
        let name = self.at + 1 + usize::from(self.byte(self.at + 1) == b'@');
        match self.byte(name) {
            b'`' => (Kind::Variable, self.quoted_end(name)),
            byte if is(byte, NAME) => (Kind::Variable, self.run(name, NAME)),
            _ => (Kind::Byte, self.at + 1),
        }
    }

    fn operator(&self) -> (Kind, usize) {
        let ahead = [self.byte(self.at), self.byte(self.at + 1), self.byte(self.at + 2)];
        let length = match ahead {
            [b'<', b'=', b'>'] | [b'-', b'>', b'>'] => 3,
            [b'-' | b'<', b'>', _]
            | [b'<' | b'>' | b'!' | b':', b'=', _]
            | [b'|', b'|', _]
            | [b'&', b'&', _]
            | [b'<', b'<', _]
            | [b'>', b'>', _] => 2,
            [b'=' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'|' | b'&' | b'^', ..] => 1,
            _ => return (Kind::Byte, self.at + 1),
        };
        (Kind::Operator, self.at + length)
    }

    /// Kind and end of the token at the cursor.
    fn lex(&mut self, byte: u8) -> (Kind, usize) {
        let behind_name = self.last == Last::Name;
        if is(byte, NAME) {
            return match self.last {
                Last::NameDot => (Kind::Name, self.run(self.at, NAME)),
                _ if byte.is_ascii_digit() => self.number_or_name(),
                _ => self.word(),
            };
        }
        let next = self.byte(self.at + 1);
        match byte {
            b'\'' | b'"' => (Kind::Literal, self.quoted_end(self.at)),
            b'`' => (Kind::Quoted, self.quoted_end(self.at)),
            b'?' => (Kind::Literal, self.at + 1),
            b'\\' if next == b'N' => (Kind::Literal, self.at + 2),
            b'.' if next.is_ascii_digit() && !behind_name => {
                (Kind::Literal, self.fraction(self.at))
            }
            b'@' if behind_name || self.last == Last::Literal => (Kind::At, self.at + 1),
            b'@' => self.variable(),
            b':' if is(next, NAME) => (Kind::Variable, self.run(self.at + 1, NAME)),
            b'/' if next == b'*' => {
                self.open_hints += 1;
                (Kind::HintOpen, self.at + hint_mark(self.rest()))
            }
            b'*' if next == b'/' && self.open_hints > 0 => {
                self.open_hints -= 1;
                (Kind::HintClose, self.at + 2)
            }
            _ => self.operator(),
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let byte = *self.text.get(start)?;
        let (kind, end) = self.lex(byte);
        self.last = match kind {
            Kind::Literal => Last::Literal,
            Kind::Word | Kind::Name | Kind::Quoted | Kind::Variable => Last::Name,
            Kind::Byte if byte == b'.' && self.last == Last::Name => Last::NameDot,
            _ => Last::Other,
        };
        self.at = end;
        Some(Token { kind, start, end })
    }
}

/// Length of `/*+`, `/*!` or `/*M!` with its five or six digits; 0 for a plain comment.
fn hint_mark(text: &[u8]) -> usize {
    let mark = match text {
        [b'/', b'*', b'+', ..] => return 3,
        [b'/', b'*', b'!', ..] => 3,
        [b'/', b'*', b'M', b'!', ..] => 4,
        _ => return 0,
    };
    let digits = text[mark..].iter().take(6);
    match digits.take_while(|byte| byte.is_ascii_digit()).count() {
        version @ 5..=6 => mark + version,
        _ => mark,
    }
}

/// Whether a comment holds `db.table:1/40`, as tools of percona-toolkit mark their chunks.
fn is_toolkit_mark(comment: &[u8]) -> bool {
    fn part(text: &[u8], class: u8) -> Option<&[u8]> {
        let length = text.iter().take_while(|&&byte| is(byte, class)).count();
        (length > 0).then(|| &text[length..])
    }
    fn parts(comment: &[u8]) -> Option<&[u8]> {
        let table = part(comment, NAME)?.strip_prefix(b".")?;
        let chunk = part(table, NAME)?.strip_prefix(b":")?;
        let chunks = part(chunk, DIGIT)?.strip_prefix(b"/")?;
        part(chunks, DIGIT)
    }
    parts(comment).is_some_and(<[u8]>::is_empty)
}

fn is_constant(word: &[u8]) -> bool {
    [&b"true"[..], b"false", b"null"].iter().any(|constant| word.eq_ignore_ascii_case(constant))
}

const SPACE: u8 = 1;
const NAME: u8 = 2;
const DIGIT: u8 = 4;
const HEX: u8 = 8;
const BIT: u8 = 16;

/// The classes of every byte.
static CLASS: [u8; 256] = classes();

fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        classes[index] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            b'0' | b'1' => NAME | DIGIT | HEX | BIT,
            b'2'..=b'9' => NAME | DIGIT | HEX,
            b'a'..=b'f' | b'A'..=b'F' => NAME | HEX,
            b'g'..=b'z' | b'G'..=b'Z' | b'_' | b'$' | 0x80.. => NAME,
            _ => 0,
        };
        index += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens joined by `|`, those of one kind only if a kind is given.
    #[track_caller]
    fn check(text: &str, kind: Option<Kind>, want: &str) {
        let got: Vec<_> = tokens(text.as_bytes())
            .filter(|token| kind.is_none_or(|kind| token.kind == kind))
            .map(|token| String::from_utf8_lossy(token.of(text.as_bytes())).into_owned())
            .collect();
        assert_eq!(got.join("|"), want, "{text:?}");
    }

    #[test]
    fn strings_end_at_their_own_quote() {
        let literals = Some(Kind::Literal);
        check(
            "'it''s', \"a\"\"b\", 'x\\\\', 'y\\'z' 'a'",
            literals,
            "'it''s'|\"a\"\"b\"|'x\\\\'|'y\\'z'|'a'",
        );
        check("X'1f' b'01' N'a' _utf8'x' xx'y'", literals, "X'1f'|b'01'|N'a'|'x'|'y'");
        check("'no end ; --", literals, "'no end ; --");
        check("'\\", literals, "'\\");
    }

    #[test]
    fn numbers_are_not_names() {
        let literals = Some(Kind::Literal);
        check("5 5. .5 5e3 1.5E-3 1e+2 0xFf 0b01", literals, "5|5.|.5|5e3|1.5E-3|1e+2|0xFf|0b01");
        check("1f 2024_05 0xg 0b2 0x a.5 a.1e5 `a`.5 1e t.true", literals, "");
        check("5.e 1.5.5 \\N true Null falsehood ?", literals, "5.|1.5|.5|\\N|true|Null|?");
        check("a .5", literals, ".5");
    }

    #[test]
    fn comments_are_blanks_and_hints_are_not() {
        check("a/**/b/* c */d # e\nf -- g\nh", None, "a|b|d|f|h");
        check("a--1 --", None, "a|-|-|1");
        check(
            "/*+ x */ /*!40001 y*/ /*M!100100 z*/ a*/b",
            None,
            "/*+|x|*/|/*!40001|y|*/|/*M!100100|z|*/|a|*|/|b",
        );
        check("a /* no end", None, "a");
        check("/*!400 a*/ /*!1234567*/", None, "/*!|400|a|*/|/*!123456|7|*/");
    }

    #[test]
    fn signs_of_variables_belong_to_them() {
        check("@a @@b.c @`d e` :f := $1 'u'@'h' r@l", Some(Kind::Variable), "@a|@@b|@`d e`|:f");
        check("'u'@'h' r@l a @b @", Some(Kind::At), "@|@");
    }

    #[test]
    fn operators_are_as_long_as_they_can() {
        check("a<=>b->>c->d<=e:=f||g<<-h!=!i", Some(Kind::Operator), "<=>|->>|->|<=|:=||||<<|-|!=");
    }

    #[test]
    fn the_toolkit_mark_is_exact() {
        for (text, want) in [
            ("a /*shop.books:1/40*/ b", true),
            ("a /*shop.books:1/40 */ b", false),
            ("a '/*shop.books:1/40*/' b", false),
            ("a /*shop.books:1/40", false),
        ] {
            let mut tokens = tokens(text.as_bytes());
            tokens.by_ref().for_each(drop);
            assert_eq!(tokens.toolkit_comment_seen(), want, "{text:?}");
        }
    }
}
