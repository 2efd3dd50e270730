//! A place among the tokens of a statement.

use super::super::token::{Kind, Token};
use super::Refusal;

/// The tokens from a place on. A copy looks ahead.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    text: &'a [u8],
    tokens: &'a [Token],
    /// Where something stood that is missing: behind the last token.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// At the first of these tokens of a text.
    #[must_use]
    pub fn new(text: &'a [u8], tokens: &'a [Token]) -> Cursor<'a> {
        Cursor { text, tokens, end: tokens.last().map_or(0, |token| token.end) }
    }

    /// Whether no token is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Offset of the next token, or behind the last one.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.tokens.first().map_or(self.end, |token| token.start)
    }

    /// The next token, without taking it.
    #[must_use]
    pub fn peek(&self) -> Option<Token> {
        self.tokens.first().copied()
    }

    /// The bytes of the next token; none at the end.
    #[must_use]
    pub fn peek_bytes(&self) -> &'a [u8] {
        self.tokens.first().map_or(&[], |token| self.bytes_of(*token))
    }

    /// The bytes of a token.
    #[must_use]
    pub fn bytes_of(&self, token: Token) -> &'a [u8] {
        self.text.get(token.range()).unwrap_or_default()
    }

    /// Takes the next token.
    pub fn take(&mut self) -> Option<Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// Says what was expected here.
    #[must_use]
    pub fn refusal(&self, expected: &str) -> Refusal {
        Refusal { at: self.offset(), expected: format!("{expected} expected") }
    }

    /// Whether this keyword is next. Quoted names are no keywords.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        let is_bare = |token: &Token| matches!(token.kind, Kind::Word | Kind::Literal);
        self.tokens.first().is_some_and(is_bare)
            && self.peek_bytes().eq_ignore_ascii_case(word.as_bytes())
    }

    /// Takes this keyword, if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let is_next = self.is_word(word);
        if is_next {
            self.take();
        }
        is_next
    }

    /// Takes these keywords, parted by one blank each, if all of them are next.
    pub fn words(&mut self, words: &str) -> bool {
        let mut ahead = *self;
        let all = words.split(' ').all(|word| ahead.word(word));
        if all {
            *self = ahead;
        }
        all
    }

    /// Whether this sign is next.
    #[must_use]
    pub fn is_byte(&self, byte: u8) -> bool {
        self.peek_bytes() == [byte]
    }

    /// Takes this sign, if it is next.
    pub fn byte(&mut self, byte: u8) -> bool {
        let is_next = self.is_byte(byte);
        if is_next {
            self.take();
        }
        is_next
    }

    /// Takes a bare word, as written.
    pub fn bare(&mut self) -> Option<String> {
        let token = self.peek().filter(|token| token.kind == Kind::Word)?;
        self.take();
        Some(lossy(self.bytes_of(token)))
    }

    /// Takes a name: bare, in back quotes, or in double quotes as ANSI_QUOTES has them.
    pub fn name(&mut self) -> Option<String> {
        let token = self.peek()?;
        let bytes = self.bytes_of(token);
        let name = match (token.kind, bytes.first()) {
            (Kind::Word | Kind::Name, _) => lossy(bytes),
            (Kind::Quoted, _) => unquoted(bytes, b'`'),
            (Kind::Literal, Some(b'"')) => unquoted(bytes, b'"'),
            _ => return None,
        };
        self.take();
        Some(name)
    }

    /// Takes `name` or `db.name`.
    pub fn qualified(&mut self) -> Option<(Option<String>, String)> {
        let first = self.name()?;
        if self.byte(b'.') {
            return Some((Some(first), self.name()?));
        }
        Some((None, first))
    }

    /// Takes a string and gives what it stands for.
    pub fn string(&mut self) -> Option<String> {
        let token = self.peek().filter(|token| token.kind == Kind::Literal)?;
        let bytes = self.bytes_of(token);
        let bytes = match bytes {
            [b'n' | b'N', rest @ ..] if rest.first() == Some(&b'\'') => rest,
            bytes => bytes,
        };
        let quote = *bytes.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        self.take();
        Some(lossy(&unescaped(bytes, quote)))
    }

    /// Takes a whole number.
    pub fn number(&mut self) -> Option<u64> {
        let number = std::str::from_utf8(self.peek_bytes()).ok()?.parse().ok()?;
        self.take();
        Some(number)
    }

    /// Takes what stands between parentheses and gives the inside. Without a closing one it
    /// reaches to the end.
    pub fn parenthesized(&mut self) -> Option<Cursor<'a>> {
        if !self.byte(b'(') {
            return None;
        }
        let inside = self.tokens;
        let mut depth = 1_usize;
        let mut length = 0;
        while let Some(token) = self.take() {
            match self.bytes_of(token) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(self.part(&inside[..length], token.start));
            }
            length += 1;
        }
        Some(self.part(inside, self.end))
    }

    /// Takes what stands before the next of these signs outside of parentheses, and the sign.
    pub fn until(&mut self, sign: u8) -> Cursor<'a> {
        self.item(sign).0
    }

    /// What is left, cut at these signs outside of parentheses. Nothing gives no item; a sign at
    /// the end promises one more, which is then empty.
    pub fn items(mut self, sign: u8) -> impl Iterator<Item = Cursor<'a>> {
        let mut is_promised = !self.is_empty();
        std::iter::from_fn(move || {
            if !is_promised {
                return None;
            }
            let (item, had_sign) = self.item(sign);
            is_promised = had_sign;
            Some(item)
        })
    }

    fn item(&mut self, sign: u8) -> (Cursor<'a>, bool) {
        let from = self.tokens;
        let mut depth = 0_usize;
        let mut length = 0;
        while let Some(token) = self.take() {
            match self.bytes_of(token) {
                b"(" => depth += 1,
                b")" => depth = depth.saturating_sub(1),
                [byte] if *byte == sign && depth == 0 => {
                    return (self.part(&from[..length], token.start), true);
                }
                _ => {}
            }
            length += 1;
        }
        (self.part(from, self.end), false)
    }

    /// The tokens from here to where another cursor over the same tokens stands.
    #[must_use]
    pub fn up_to(&self, later: &Cursor<'a>) -> Cursor<'a> {
        let length = self.tokens.len().saturating_sub(later.tokens.len());
        self.part(&self.tokens[..length], later.offset())
    }

    fn part(&self, tokens: &'a [Token], end: usize) -> Cursor<'a> {
        Cursor { text: self.text, tokens, end }
    }

    /// What is left, as written.
    #[must_use]
    pub fn source(&self) -> String {
        let (Some(first), Some(last)) = (self.tokens.first(), self.tokens.last()) else {
            return String::new();
        };
        lossy(self.text.get(first.start..last.end).unwrap_or_default())
    }

    /// The tokens that are left.
    #[must_use]
    pub fn rest(&self) -> &'a [Token] {
        self.tokens
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A name without the quotes around it, doubled ones single.
fn unquoted(bytes: &[u8], quote: u8) -> String {
    let inside = bytes.get(1..).unwrap_or_default();
    let inside = inside.strip_suffix(&[quote]).unwrap_or(inside);
    let mut name = Vec::with_capacity(inside.len());
    let mut bytes = inside.iter().peekable();
    while let Some(&byte) = bytes.next() {
        name.push(byte);
        if byte == quote {
            bytes.next_if(|next| **next == quote);
        }
    }
    lossy(&name)
}

/// What a string literal stands for.
fn unescaped(literal: &[u8], quote: u8) -> Vec<u8> {
    let mut text = Vec::with_capacity(literal.len());
    let mut bytes = literal.iter().skip(1).copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(escaped) => text.extend_from_slice(meaning(escaped).as_slice()),
                None => text.push(b'\\'),
            },
            byte if byte == quote => match bytes.next_if_eq(&quote) {
                Some(_) => text.push(quote),
                None => break,
            },
            byte => text.push(byte),
        }
    }
    text
}

/// What a byte behind a backslash stands for. `\%` and `\_` keep theirs, for LIKE.
fn meaning(escaped: u8) -> Vec<u8> {
    match escaped {
        b'0' => vec![0],
        b'b' => vec![8],
        b'n' => vec![b'\n'],
        b'r' => vec![b'\r'],
        b't' => vec![b'\t'],
        b'Z' => vec![26],
        b'%' | b'_' => vec![b'\\', escaped],
        other => vec![other],
    }
}
