//! Where a statement names tables.
//!
//! ```text
//! with c as (select * from shop.a) update b join c set x = extract(year from y)
//!                          ^^^^^^         ^      ^ a common table expression
//! ```
//!
//! A place is a dotted name behind FROM, JOIN, INTO, UPDATE, TABLE, TABLES, INSERT or REPLACE,
//! and behind the commas of such a list. FROM inside a function is none, nor is INTO behind a
//! SELECT (files and variables), nor UPDATE in FOR UPDATE. One pass, an explicit stack.

use std::collections::HashMap;
use std::ops::Range;

use crate::sql::distill::tables::TableName;
use crate::sql::token::{Kind, Token, Tokens, tokens};

/// The tokens the server runs: what is in version comments, but not hints.
pub(super) fn executed(statement: &[u8]) -> Executed<'_> {
    Executed { tokens: tokens(statement) }
}

#[derive(Debug, Clone)]
pub(super) struct Executed<'a> {
    tokens: Tokens<'a>,
}

impl<'a> Executed<'a> {
    pub fn text(&self, token: Token) -> &'a [u8] {
        self.tokens.text(token)
    }

    pub fn peek(&self) -> Option<Token> {
        self.clone().next()
    }

    /// Whether the next token is this byte or operator.
    pub fn next_is(&self, text: &[u8]) -> bool {
        self.peek().is_some_and(|token| self.text(token) == text)
    }

    /// Takes the rest of a dotted name that begins with `first`; gives the whole.
    pub fn dotted(&mut self, first: Token) -> Range<usize> {
        let mut name = first.range();
        while self.next_is(b".") {
            let mut ahead = self.clone();
            ahead.next();
            match ahead.next() {
                Some(part) if is_name(part.kind) => {
                    *self = ahead;
                    name.end = part.end;
                }
                _ => break,
            }
        }
        name
    }

    /// The same as a table's name.
    pub fn name(&mut self, first: Token) -> TableName {
        let name = self.dotted(first);
        TableName::read(self.tokens.bytes(name))
    }
}

impl Iterator for Executed<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.tokens.next()?;
            match token.kind {
                Kind::HintOpen if self.text(token) == b"/*+" => {
                    self.tokens.find(|token| token.kind == Kind::HintClose);
                }
                Kind::HintOpen | Kind::HintClose => {}
                _ => return Some(token),
            }
        }
    }
}

pub(super) fn is_name(kind: Kind) -> bool {
    matches!(kind, Kind::Word | Kind::Name | Kind::Quoted)
}

/// A word in lower case, for comparing with keywords; empty if it is too long to be one.
pub(super) struct Lower([u8; 16], usize);

impl Lower {
    pub fn of(word: &[u8]) -> Self {
        let mut lower = [0; 16];
        match lower.get_mut(..word.len()) {
            Some(start) => {
                start.copy_from_slice(word);
                start.make_ascii_lowercase();
                Self(lower, word.len())
            }
            None => Self(lower, 0),
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

/// Bytes of a name without its back-quotes.
pub(super) fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inside) = name.strip_prefix(b"`") else {
        return name.to_vec();
    };
    let inside = inside.strip_suffix(b"`").unwrap_or(inside);
    let mut out = Vec::with_capacity(inside.len());
    let mut bytes = inside.iter().peekable();
    while let Some(&byte) = bytes.next() {
        out.push(byte);
        if byte == b'`' {
            bytes.next_if(|&&next| next == b'`');
        }
    }
    out
}

/// The dotted name of a table, where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub start: usize,
    pub end: usize,
    /// The name is a common table expression, not a table.
    pub is_common: bool,
}

/// All places of a statement, in order.
pub(crate) fn places(statement: &[u8]) -> Places<'_> {
    Places {
        tokens: executed(statement),
        outer: Vec::new(),
        frame: Frame::default(),
        before: None,
        common: Common::default(),
    }
}

pub(crate) struct Places<'a> {
    tokens: Executed<'a>,
    outer: Vec<Frame>,
    frame: Frame,
    before: Option<Token>,
    common: Common,
}

/// What one pair of parentheses holds, as far as it was read.
#[derive(Debug, Default)]
struct Frame {
    list: List,
    with: With,
    is_recursive: bool,
    /// SELECT was seen: FROM names tables, INTO does not.
    is_query: bool,
    /// The common table expression that is defined here.
    defines: Option<Vec<u8>>,
    /// Number of definitions made outside.
    scope: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum List {
    #[default]
    No,
    /// A table comes next; columns may follow it if so.
    Expected { columns: bool },
    /// A table was named; a comma brings the next.
    Named { columns: bool },
}

/// How far `WITH [RECURSIVE] name [(columns)] AS (…)` was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum With {
    #[default]
    No,
    Word,
    Name(Token),
    As(Token),
    Defined,
}

/// Common table expressions in scope.
#[derive(Debug, Default)]
struct Common {
    stack: Vec<Vec<u8>>,
    count: HashMap<Vec<u8>, usize>,
}

impl Common {
    fn define(&mut self, name: Vec<u8>) {
        *self.count.entry(name.clone()).or_default() += 1;
        self.stack.push(name);
    }

    fn leave(&mut self, scope: usize) {
        for name in self.stack.drain(scope.min(self.stack.len())..) {
            if let Some(count) = self.count.get_mut(&name) {
                *count -= 1;
            }
        }
    }

    fn contains(&self, name: &[u8]) -> bool {
        let count = self.count.get(&folded(name));
        count.is_some_and(|count| *count > 0)
    }
}

/// A name as common table expressions are compared.
fn folded(name: &[u8]) -> Vec<u8> {
    unquoted(name).to_ascii_lowercase()
}

impl Iterator for Places<'_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        while let Some(token) = self.tokens.next() {
            let place = self.token(token);
            self.before = Some(token);
            if place.is_some() {
                return place;
            }
        }
        None
    }
}

impl Places<'_> {
    fn token(&mut self, token: Token) -> Option<Place> {
        if self.is_of_with(token) {
            return None;
        }
        if let List::Expected { columns } = self.frame.list {
            let lower = Lower::of(self.tokens.text(token));
            match token.kind {
                Kind::Word if is_modifier(lower.as_bytes()) => return None,
                Kind::Word if !is_keyword(lower.as_bytes()) => return self.named(token, columns),
                Kind::Name | Kind::Quoted => return self.named(token, columns),
                Kind::Byte if self.tokens.text(token) == b"(" => {
                    self.frame.list = List::Named { columns };
                    self.open(List::Expected { columns }, None);
                    return None;
                }
                _ => self.frame.list = List::No,
            }
        }
        match token.kind {
            Kind::Word => self.word(token),
            Kind::Byte => match (self.tokens.text(token), self.frame.list) {
                (b",", List::Named { columns }) => self.frame.list = List::Expected { columns },
                (b"(", _) => self.open(List::No, None),
                (b")", _) => self.close(),
                (b";", _) => {
                    let scope = self.frame.scope;
                    self.frame = Frame { scope, ..Frame::default() };
                }
                _ => {}
            },
            _ => {}
        }
        None
    }

    fn named(&mut self, first: Token, columns: bool) -> Option<Place> {
        let name = self.tokens.dotted(first);
        self.frame.list = List::Named { columns };
        if !columns && self.tokens.next_is(b"(") {
            return None; // a table function: JSON_TABLE(…)
        }
        let is_bare = name == first.range();
        let is_common = is_bare && self.common.contains(self.tokens.text(first));
        Some(Place { start: name.start, end: name.end, is_common })
    }

    fn word(&mut self, token: Token) {
        let lower = Lower::of(self.tokens.text(token));
        let behind = |word: &[u8]| {
            self.before.is_some_and(|before| {
                before.kind == Kind::Word && self.tokens.text(before).eq_ignore_ascii_case(word)
            })
        };
        let list = match lower.as_bytes() {
            b"from" if behind(b"distinct") => return, // IS DISTINCT FROM
            b"from" if self.outer.is_empty() || self.frame.is_query => {
                List::Expected { columns: false }
            }
            // FORCE INDEX FOR JOIN (…), FOR ORDER BY, FOR GROUP BY
            b"join" | b"order" | b"group" if behind(b"for") => return,
            b"join" => List::Expected { columns: false },
            b"straight_join" if self.frame.list != List::No => List::Expected { columns: false },
            b"update" if !(behind(b"for") || behind(b"key") || behind(b"on")) => {
                List::Expected { columns: false }
            }
            b"insert" | b"replace" if !behind(b"or") && !self.tokens.next_is(b"(") => {
                List::Expected { columns: true }
            }
            b"into" if !self.frame.is_query => List::Expected { columns: true },
            b"table" | b"tables" => List::Expected { columns: true },
            b"select" => {
                self.frame.is_query = true;
                List::No
            }
            b"with" => {
                self.frame.with = With::Word;
                self.frame.is_recursive = false;
                return;
            }
            word if ends_list(word) => List::No,
            _ => return,
        };
        self.frame.list = list;
    }

    /// Takes the token if it belongs to the definition of common table expressions.
    fn is_of_with(&mut self, token: Token) -> bool {
        let text = self.tokens.text(token);
        let is_open = text == b"(";
        let next = match self.frame.with {
            With::No => return false,
            With::Word if text.eq_ignore_ascii_case(b"recursive") => {
                self.frame.is_recursive = true;
                With::Word
            }
            With::Word if is_name(token.kind) => With::Name(token),
            With::Name(name) if text.eq_ignore_ascii_case(b"as") => With::As(name),
            With::Name(_) if is_open => {
                self.open(List::No, None);
                return true;
            }
            With::As(name) if is_open => {
                let name = folded(self.tokens.text(name));
                self.frame.with = With::Defined;
                self.open(List::No, Some(name));
                return true;
            }
            With::Defined if text == b"," => With::Word,
            _ => With::No,
        };
        self.frame.with = next;
        next != With::No
    }

    fn open(&mut self, list: List, defines: Option<Vec<u8>>) {
        let scope = self.common.stack.len();
        if let Some(name) = &defines
            && self.frame.is_recursive
        {
            self.common.define(name.clone());
        }
        let inner = Frame { list, defines, scope, ..Frame::default() };
        self.outer.push(std::mem::replace(&mut self.frame, inner));
    }

    fn close(&mut self) {
        let Some(outer) = self.outer.pop() else {
            return;
        };
        let inner = std::mem::replace(&mut self.frame, outer);
        self.common.leave(inner.scope);
        if let Some(name) = inner.defines {
            self.common.define(name);
        }
    }
}

/// Words that may stand before the first table of a list.
fn is_modifier(word: &[u8]) -> bool {
    #[rustfmt::skip]
    let is = matches!(
        word,
        b"low_priority" | b"high_priority" | b"delayed" | b"quick" | b"ignore" | b"into"
        | b"table" | b"lateral" | b"if" | b"not" | b"exists" | b"temporary"
    );
    is
}

/// Words that cannot be the name of a table.
fn is_keyword(word: &[u8]) -> bool {
    #[rustfmt::skip]
    let is = matches!(word, b"on" | b"from" | b"like" | b"for" | b"join" | b"outfile" | b"dumpfile");
    is || ends_list(word)
}

/// Words behind which a comma brings no further table.
fn ends_list(word: &[u8]) -> bool {
    #[rustfmt::skip]
    let is = matches!(
        word,
        b"select" | b"with" | b"set" | b"where" | b"values" | b"value" | b"group" | b"order"
        | b"having" | b"limit" | b"union" | b"except" | b"intersect" | b"window" | b"procedure"
        | b"returning" | b"lock" | b"share" | b"update" | b"into"
    );
    is
}
