//! From our tokens to those that sqlparser reads: what MySQL and MariaDB accept and it does not is
//! put into other words here.
//!
//! ```text
//! WHERE a || CAST(b AS CHAR(9) CHARACTER SET utf8) = 'x' LOCK IN SHARE MODE
//! WHERE a OR CAST(b)                               = 'x'
//! ```
//!
//! Nothing of the text is lost by it: each token carries its bytes in the text as its span (line 1,
//! the offset from 1 as the column), and names and literals are read from there.

use std::collections::HashMap;
use std::ops::Range;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Word};

use super::words::{NONE, Tok, ends_operand, pairs};
use crate::sql::shape::{HintKind, IndexHint, Value};
use crate::sql::token::Kind;

/// What was taken out of the tokens.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) is_locking: bool,
    pub(super) counts_found_rows: bool,
    pub(super) is_into: bool,
    /// Where a SELECT STRAIGHT_JOIN stands.
    pub(super) straight: Vec<usize>,
    /// Index hints, in the order of the text.
    pub(super) hints: Vec<IndexHint>,
    /// Long lists by their first value, which is all that was left of them.
    pub(super) lists: HashMap<usize, Vec<Value>>,
    /// Columns of a JSON_TABLE, by where it stands.
    pub(super) json_tables: HashMap<usize, Vec<String>>,
    /// Conditions were left out.
    pub(super) is_partial: bool,
    /// A CASE has no END.
    pub(super) has_open_case: bool,
}

/// The name under which MATCH … AGAINST is a function.
pub(super) const MATCH: &str = "MATCH AGAINST";
/// The name of a cast to DATE.
pub(super) const TO_DATE: &str = "CAST AS DATE";
/// The name of any other cast.
pub(super) const CAST: &str = "CAST";

/// Puts the tokens of a query into those of the parser.
pub(super) fn edit(text: &str, tokens: &[Tok]) -> (Vec<TokenWithSpan>, Facts) {
    let pair = pairs(text, tokens);
    let mut editor = Editor {
        text,
        tokens,
        pair,
        out: Vec::with_capacity(tokens.len() + 8),
        facts: Facts::default(),
        frames: vec![Frame::default()],
        units: Vec::new(),
        joined: Vec::new(),
        call: None,
        expects_table: false,
        last: None,
    };
    editor.range(0..tokens.len());
    editor.facts.has_open_case |= editor.frames.iter().any(|frame| frame.cases > 0);
    while editor.frames.len() > 1 {
        editor.close(Span::empty());
    }
    (editor.out, editor.facts)
}

struct Editor<'a> {
    text: &'a str,
    tokens: &'a [Tok],
    pair: Vec<usize>,
    out: Vec<TokenWithSpan>,
    facts: Facts,
    frames: Vec<Frame>,
    /// Units of intervals to come, the nearest last.
    units: Vec<usize>,
    /// Where parentheses end that were put around joins, the nearest last.
    joined: Vec<usize>,
    /// The parenthesis that comes next is that of a function.
    call: Option<Call>,
    /// A table, or tables in parentheses, may come next.
    expects_table: bool,
    /// The token before, as it is in the text.
    last: Option<Tok>,
}

/// A level of parentheses.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    kind: FrameKind,
    clause: Clause,
    /// CASEs without their END.
    cases: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FrameKind {
    #[default]
    Query,
    /// Tables, joined.
    Tables,
    /// Arguments of a function.
    Call,
    /// OVER (…).
    Window,
    Plain,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Clause {
    #[default]
    Other,
    From,
    On,
    Group,
    Order,
    Limit,
}

/// A function whose arguments are read as they are.
#[derive(Debug, Clone, Copy)]
struct Call;

/// Units of INTERVAL.
/// Whether a word is a unit of INTERVAL.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word))
}

const UNITS: &[&str] = &[
    "DAY",
    "DAY_HOUR",
    "DAY_MICROSECOND",
    "DAY_MINUTE",
    "DAY_SECOND",
    "HOUR",
    "HOUR_MICROSECOND",
    "HOUR_MINUTE",
    "HOUR_SECOND",
    "MICROSECOND",
    "MINUTE",
    "MINUTE_MICROSECOND",
    "MINUTE_SECOND",
    "MONTH",
    "QUARTER",
    "SECOND",
    "SECOND_MICROSECOND",
    "WEEK",
    "YEAR",
    "YEAR_MONTH",
    "SQL_TSI_DAY",
    "SQL_TSI_HOUR",
    "SQL_TSI_MINUTE",
    "SQL_TSI_MONTH",
    "SQL_TSI_QUARTER",
    "SQL_TSI_SECOND",
    "SQL_TSI_WEEK",
    "SQL_TSI_YEAR",
];

/// What may stand between SELECT and what it selects.
const MODIFIERS: &[&str] = &[
    "ALL",
    "DISTINCT",
    "DISTINCTROW",
    "HIGH_PRIORITY",
    "STRAIGHT_JOIN",
    "SQL_SMALL_RESULT",
    "SQL_BIG_RESULT",
    "SQL_BUFFER_RESULT",
    "SQL_NO_CACHE",
    "SQL_CACHE",
    "SQL_CALC_FOUND_ROWS",
];

/// Lists and chains of OR with more values than this are not given to the parser.
const LONG: usize = 256;

/// Index hints that are kept.
const MAX_HINTS: usize = 1_000;

/// Joins that are looked through for the condition of the first: servers take 61 tables.
const MAX_JOINS: usize = 64;

fn span_of(range: Range<usize>) -> Span {
    let place = |at: usize| Location::new(1, at as u64 + 1);
    Span::new(place(range.start), place(range.end))
}

/// A function's only argument.
fn one(argument: Range<usize>) -> Vec<Range<usize>> {
    std::iter::once(argument).collect()
}

fn word(keyword: Keyword) -> Token {
    Token::Word(Word { value: String::new(), quote_style: None, keyword })
}

impl<'a> Editor<'a> {
    fn tok(&self, at: usize) -> Option<Tok> {
        self.tokens.get(at).copied()
    }

    fn text(&self, at: usize) -> &'a str {
        self.tok(at).map_or("", |tok| tok.sign(self.text))
    }

    fn says(&self, at: usize, text: &str) -> bool {
        self.tok(at).is_some_and(|tok| {
            !matches!(tok.kind, Kind::Quoted | Kind::Name | Kind::Variable)
                && tok.sign(self.text).eq_ignore_ascii_case(text)
        })
    }

    fn says_any(&self, at: usize, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.says(at, text))
    }

    fn is(&self, at: usize, word: Keyword) -> bool {
        self.tok(at).is_some_and(|tok| tok.is(word))
    }

    fn is_any(&self, at: usize, words: &[Keyword]) -> bool {
        self.tok(at).is_some_and(|tok| words.contains(&tok.word))
    }

    fn opens_query(&self, at: usize) -> bool {
        self.is_any(at, &[Keyword::SELECT, Keyword::WITH, Keyword::TABLE])
            || (self.is(at, Keyword::VALUES) && self.says_any(at + 1, &["ROW", "("]))
    }

    /// The place behind a token, or behind the parenthesis that it opens.
    fn next(&self, at: usize) -> usize {
        match self.pair.get(at) {
            Some(&close) if close != NONE && close > at => close + 1,
            _ if self.says(at, "(") => self.tokens.len(),
            _ => at + 1,
        }
    }

    /// Where the parenthesis at `open` closes; the end, if it does not.
    fn closes(&self, open: usize) -> usize {
        match self.pair.get(open) {
            Some(&close) if close != NONE => close,
            _ => self.tokens.len(),
        }
    }

    /// The first place that is told, outside of parentheses.
    fn find(&self, range: Range<usize>, found: impl Fn(usize) -> bool) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            if found(at) {
                return Some(at);
            }
            at = self.next(at);
        }
        None
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        // There is one, and this is its place.
        &mut self.frames[last]
    }

    fn push(&mut self, token: Token, range: Range<usize>) {
        self.out.push(TokenWithSpan::new(token, span_of(range)));
        self.expects_table = false;
    }

    /// Gives a keyword in the place of a token.
    fn keyword(&mut self, tok: Tok, keyword: Keyword) {
        self.push(word(keyword), tok.range());
    }

    /// Gives a name.
    fn name(&mut self, tok: Tok) {
        self.keyword(tok, Keyword::NoKeyword);
    }

    fn named(&mut self, tok: Tok, name: &str) {
        let word =
            Word { value: name.to_owned(), quote_style: Some('`'), keyword: Keyword::NoKeyword };
        self.push(Token::Word(word), tok.range());
    }

    fn open(&mut self, range: Range<usize>, kind: FrameKind) {
        self.push(Token::LParen, range);
        self.frames.push(Frame { kind, ..Frame::default() });
    }

    fn close(&mut self, span: Span) {
        self.out.push(TokenWithSpan::new(Token::RParen, span));
        let closed = self.frames.pop();
        self.facts.has_open_case |= closed.is_some_and(|frame| frame.cases > 0);
        self.expects_table = false;
    }

    /// Whether an operand ends with the token before.
    fn is_behind_operand(&self) -> bool {
        self.last.is_some_and(|last| ends_operand(self.text, last))
    }

    fn is_behind(&self, keyword: Keyword) -> bool {
        self.last.is_some_and(|last| last.is(keyword))
    }

    fn range(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let next = self.token(at, range.end).max(at + 1);
            self.last = self.tok(next - 1).or(self.last);
            at = next;
        }
    }

    /// Reads a token, and gives the place of the next.
    fn token(&mut self, at: usize, end: usize) -> usize {
        let Some(tok) = self.tok(at) else { return at + 1 };
        match tok.kind {
            Kind::Literal => self.literal(at, tok),
            Kind::Quoted | Kind::Name => {
                if let Some(behind) = self.or_chain(at, end) {
                    return behind;
                }
                self.name(tok);
                if self.says(at + 1, "(") {
                    self.call = Some(Call);
                }
                at + 1
            }
            Kind::Variable => {
                let mut end = at + 1;
                while self.says(end, ".") && self.tok(end + 1).is_some() {
                    end += 2;
                }
                let last = self.tok(end - 1).unwrap_or(tok);
                self.push(Token::Placeholder(String::new()), tok.start..last.end);
                end
            }
            Kind::Word if tok.is(Keyword::NoKeyword) => {
                if let Some(behind) = self.or_chain(at, end) {
                    return behind;
                }
                self.bare(at, tok, end)
            }
            Kind::Word => self.reserved(at, tok, end),
            // A mark of ours: the `=` of SET.
            Kind::At if self.says_at(tok, "=") || self.says_at(tok, ":=") => {
                self.push(Token::Assignment, tok.range());
                at + 1
            }
            Kind::At => {
                self.push(Token::AtSign, tok.range());
                at + 1
            }
            Kind::Operator | Kind::Byte | Kind::HintOpen | Kind::HintClose => self.sign(at, tok),
        }
    }

    fn says_at(&self, tok: Tok, text: &str) -> bool {
        tok.sign(self.text) == text
    }

    fn literal(&mut self, at: usize, tok: Tok) -> usize {
        let text = tok.sign(self.text);
        let token = match text.as_bytes() {
            // Ours, where UPDATE sets nothing yet.
            [] => Token::Number("1".to_owned(), false),
            [b'?'] => {
                // `(?+)` is a list in a fingerprint.
                let is_list = self.says(at + 1, "+") && self.says(at + 2, ")");
                self.push(Token::Placeholder(String::new()), tok.range());
                return at + 1 + usize::from(is_list);
            }
            [b'\\', b'N'] => word(Keyword::NULL),
            [b't' | b'T', b'r' | b'R', ..] => word(Keyword::TRUE),
            [b'f' | b'F', ..] => word(Keyword::FALSE),
            [b'n' | b'N', b'u' | b'U', ..] => word(Keyword::NULL),
            [b'0', b'x' | b'b' | b'X' | b'B', ..] => Token::SingleQuotedString(String::new()),
            [b'0'..=b'9' | b'.', ..] => Token::Number(text.to_owned(), false),
            _ => {
                let end = self.strings_end(at);
                let last = self.tok(end - 1).unwrap_or(tok);
                self.push(Token::SingleQuotedString(String::new()), tok.start..last.end);
                return end;
            }
        };
        self.push(token, tok.range());
        at + 1
    }

    fn is_string(&self, at: usize) -> bool {
        let is_quoted = matches!(self.text(at).as_bytes().first(), Some(b'\'' | b'"'));
        is_quoted && self.tok(at).is_some_and(|tok| tok.kind == Kind::Literal)
    }

    /// Strings side by side are one.
    fn strings_end(&self, mut at: usize) -> usize {
        at += 1;
        while self.is_string(at) {
            at += 1;
        }
        at
    }

    fn sign(&mut self, at: usize, tok: Tok) -> usize {
        let clause = self.frame().clause;
        let token = match tok.sign(self.text) {
            "(" => return self.parenthesis(at, tok),
            ")" => {
                if self.frames.len() > 1 {
                    self.close(span_of(tok.range()));
                }
                return at + 1;
            }
            "," => {
                let is_of_tables = matches!(clause, Clause::From | Clause::On);
                if is_of_tables && self.frame().kind == FrameKind::Tables {
                    self.keyword(tok, Keyword::CROSS);
                    self.keyword(tok, Keyword::JOIN);
                } else {
                    self.push(Token::Comma, tok.range());
                }
                if is_of_tables {
                    self.frame().clause = Clause::From;
                    self.expects_table = true;
                }
                return at + 1;
            }
            "." => {
                // `FROM .t`.
                if !self.is_behind_operand() {
                    return at + 1;
                }
                Token::Period
            }
            // ODBC: `{fn NOW()}`, `{d '2026-01-01'}`, `{oj a LEFT JOIN b}`.
            "{" => {
                let is_tables = self.expects_table;
                let is_word = self.tok(at + 1).is_some_and(|tok| tok.kind == Kind::Word);
                self.expects_table = is_tables;
                return at + 1 + usize::from(is_word);
            }
            "}" => return at + 1,
            "!" => Token::ExclamationMark,
            "~" => Token::Tilde,
            "=" => Token::Eq,
            "<=>" => Token::Spaceship,
            "<>" | "!=" => Token::Neq,
            "<" => Token::Lt,
            "<=" => Token::LtEq,
            ">" => Token::Gt,
            ">=" => Token::GtEq,
            "+" => Token::Plus,
            "-" => Token::Minus,
            "*" => Token::Mul,
            "/" => Token::Div,
            "%" => Token::Mod,
            "^" => Token::Caret,
            "&" => Token::Ampersand,
            "|" => Token::Pipe,
            "<<" => Token::ShiftLeft,
            ">>" => Token::ShiftRight,
            "->" => Token::Arrow,
            "->>" => Token::LongArrow,
            ":=" => Token::CustomBinaryOperator(":=".to_owned()),
            "&&" => word(Keyword::AND),
            "||" => word(Keyword::OR),
            ":" => Token::Colon,
            "[" => Token::LBracket,
            "]" => Token::RBracket,
            ";" => Token::SemiColon,
            "@" => Token::AtSign,
            _ => Token::Backslash,
        };
        self.push(token, tok.range());
        at + 1
    }

    fn parenthesis(&mut self, at: usize, tok: Tok) -> usize {
        let expects_table = self.expects_table;
        let is_call = self.call.take().is_some();
        let opens_query = self.opens_query(at + 1);
        if self.is_behind(Keyword::IN)
            && !opens_query
            && let Some(behind) = self.long_list(at, tok)
        {
            return behind;
        }
        let kind = if is_call {
            FrameKind::Call
        } else if opens_query {
            FrameKind::Query
        } else if self.is_behind(Keyword::OVER) {
            FrameKind::Window
        } else if expects_table {
            FrameKind::Tables
        } else {
            FrameKind::Plain
        };
        self.open(tok.range(), kind);
        if kind == FrameKind::Tables {
            self.frame().clause = Clause::From;
            self.expects_table = true;
        }
        at + 1
    }

    /// A list of IN that is long, of values only: the first stands for all.
    fn long_list(&mut self, open: usize, tok: Tok) -> Option<usize> {
        let close = self.closes(open);
        if close - open < 2 * LONG || close >= self.tokens.len() {
            return None;
        }
        let inside = open + 1..close;
        let is_value = |at: usize| {
            self.says_any(at, &[",", "-", "+"])
                || self.tok(at).is_some_and(|tok| tok.kind == Kind::Literal)
        };
        if !inside.clone().all(is_value) {
            return None;
        }
        let mut values = Vec::new();
        let mut start = inside.start;
        for at in inside.start..=close {
            if at == close || self.says(at, ",") {
                let (first, last) = (self.tok(start)?, self.tok(at.checked_sub(1)?)?);
                if start < at {
                    values.push(super::expression::literal(&self.text[first.start..last.end]));
                }
                start = at + 1;
            }
        }
        let first = self.tok(inside.start)?;
        self.facts.lists.insert(first.start, values);
        self.push(Token::LParen, tok.range());
        self.push(Token::SingleQuotedString(String::new()), first.range());
        let closing = self.tok(close)?;
        self.push(Token::RParen, closing.range());
        Some(close + 1)
    }

    /// `a = 1 OR a = 2 OR …`, if it is long: the first test stands for all.
    fn or_chain(&mut self, at: usize, end: usize) -> Option<usize> {
        let is_or = |at: usize| self.is(at, Keyword::OR) || self.says(at, "||");
        let mut name_end = at + 1;
        while self.says(name_end, ".") && name_end < at + 5 {
            name_end += 2;
        }
        let is_test = |at: usize| {
            self.says(at, "=") && self.tok(at + 1).is_some_and(|tok| tok.kind == Kind::Literal)
        };
        if !(is_test(name_end) && is_or(name_end + 2)) {
            return None;
        }
        let is_first = at == 0
            || self.says(at - 1, "(")
            || is_or(at - 1)
            || self.is_any(at - 1, &[Keyword::WHERE, Keyword::ON, Keyword::HAVING]);
        if !is_first {
            return None;
        }
        let length = name_end - at;
        let is_same = |other: usize| {
            (0..length).all(|of| self.text(at + of).eq_ignore_ascii_case(self.text(other + of)))
                && is_test(other + length)
        };
        let mut terms = 1;
        let step = length + 3;
        while at + (terms + 1) * step <= end + 1
            && is_or(at + terms * step - 1)
            && is_same(at + terms * step)
        {
            terms += 1;
        }
        let behind = |terms: usize| at + terms * step - 1;
        let ends = |at: usize| {
            at >= end
                || is_or(at)
                || self.says_any(at, &[")", ";"])
                || self
                    .is_any(at, &[Keyword::GROUP, Keyword::ORDER, Keyword::LIMIT, Keyword::HAVING])
        };
        if !ends(behind(terms)) {
            terms -= 1;
        }
        if terms < LONG {
            return None;
        }
        let values = (0..terms).filter_map(|term| {
            let value = self.tok(at + term * step + length + 1)?;
            Some(super::expression::literal(value.sign(self.text)))
        });
        let values: Vec<_> = values.collect();
        let first = self.tok(name_end + 1)?;
        self.facts.lists.insert(first.start, values);
        for each in at..name_end {
            let tok = self.tok(each)?;
            match self.says(each, ".") {
                true => self.push(Token::Period, tok.range()),
                false => self.name(tok),
            }
        }
        let equals = self.tok(name_end)?;
        self.push(Token::Eq, equals.range());
        self.push(Token::SingleQuotedString(String::new()), first.range());
        Some(behind(terms))
    }

    /// A word that is a name or a function, or that a clause knows.
    fn bare(&mut self, at: usize, tok: Tok, end: usize) -> usize {
        if self.units.last() == Some(&at) {
            self.units.pop();
            self.keyword(tok, Keyword::SECOND);
            return at + 1;
        }
        let text = self.text(at);
        let clause = self.frame().clause;
        // `_utf8mb4'x'`, `DATE '2026-01-01'`.
        if self.is_string(at + 1) && !self.is_behind(Keyword::AS) {
            let is_typed =
                ["DATE", "TIME", "TIMESTAMP"].iter().any(|it| text.eq_ignore_ascii_case(it));
            if text.starts_with('_') || is_typed {
                let end = self.strings_end(at + 1);
                let last = self.tok(end - 1).unwrap_or(tok);
                self.push(Token::SingleQuotedString(String::new()), tok.start..last.end);
                return end;
            }
        }
        if text.starts_with('_')
            && self.text(at + 1).starts_with(['x', 'X', 'b', 'B', '0'])
            && self.tok(at + 1).is_some_and(|tok| tok.kind == Kind::Literal)
        {
            return at + 1;
        }
        // The next value of a sequence.
        if self.says_any(at, &["NEXT", "PREVIOUS"])
            && self.is(at + 1, Keyword::VALUE)
            && self.is(at + 2, Keyword::FOR)
        {
            let mut behind = at + 4;
            while self.says(behind, ".") {
                behind += 2;
            }
            let last = self.tok(behind - 1).unwrap_or(tok);
            self.push(Token::Placeholder(String::new()), tok.start..last.end);
            return behind;
        }
        if self.says(at, "SOUNDS") && self.is(at + 1, Keyword::LIKE) && self.is_behind_operand() {
            self.keyword(tok, Keyword::RLIKE);
            return at + 2;
        }
        if clause == Clause::Limit && self.says_any(at, &["ROWS", "ROW"]) {
            return at + if self.says(at + 1, "EXAMINED") { 3 } else { 1 };
        }
        if self.frame().kind == FrameKind::Window && self.says_any(at, &["ROWS", "RANGE", "GROUPS"])
        {
            let closes = self.find(at..end, |at| self.says(at, ")"));
            return closes.unwrap_or(end);
        }
        if self.says(at + 1, "(") {
            return self.function(at, tok, end);
        }
        self.name(tok);
        at + 1
    }

    /// A function; those with words among their arguments are put into plain ones.
    fn function(&mut self, at: usize, tok: Tok, end: usize) -> usize {
        let (open, close) = (at + 1, self.closes(at + 1).min(end));
        let inside = open + 1..close;
        let behind = (close + 1).min(end.max(close));
        let upper = self.text(at).to_ascii_uppercase();
        let comma = |editor: &Self| editor.find(inside.clone(), |at| editor.says(at, ","));
        let parts: Vec<Range<usize>> = match upper.as_str() {
            "CAST" => {
                let mut is_as = None;
                let mut from = inside.start;
                while let Some(found) = self.find(from..close, |at| self.is(at, Keyword::AS)) {
                    is_as = Some(found);
                    from = found + 1;
                }
                let is_as = is_as.unwrap_or(close);
                self.cast(tok, open, inside.start..is_as, is_as + 1, close);
                return behind;
            }
            "CONVERT" => {
                if let Some(using) = self.find(inside.clone(), |at| self.is(at, Keyword::USING)) {
                    one(inside.start..using)
                } else {
                    let to = comma(self).unwrap_or(close);
                    self.cast(tok, open, inside.start..to, to + 1, close);
                    return behind;
                }
            }
            "EXTRACT" => {
                let from = self.find(inside.clone(), |at| self.is(at, Keyword::FROM));
                one(from.map_or(inside.start, |from| from + 1)..close)
            }
            "TRIM" => {
                let skip =
                    usize::from(self.says_any(inside.start, &["LEADING", "TRAILING", "BOTH"]));
                let start = inside.start + skip;
                match self.find(start..close, |at| self.is(at, Keyword::FROM)) {
                    Some(from) => vec![from + 1..close, start..from],
                    None => one(start..close),
                }
            }
            "SUBSTRING" | "SUBSTR" | "MID" | "POSITION" | "LOCATE" => {
                let separates = |at: usize| {
                    self.is_any(at, &[Keyword::FROM, Keyword::FOR])
                        || (upper == "POSITION" && self.is(at, Keyword::IN))
                };
                let mut parts = Vec::new();
                let mut start = inside.start;
                while let Some(found) = self.find(start..close, separates) {
                    parts.push(start..found);
                    start = found + 1;
                }
                parts.push(start..close);
                parts
            }
            "CHAR" => {
                let using = self.find(inside.clone(), |at| self.is(at, Keyword::USING));
                one(inside.start..using.unwrap_or(close))
            }
            "WEIGHT_STRING" => {
                let ends = |at: usize| self.is(at, Keyword::AS) || self.says(at, "LEVEL");
                one(inside.start..self.find(inside.clone(), ends).unwrap_or(close))
            }
            "JSON_VALUE" => {
                let ends = |at: usize| {
                    self.is(at, Keyword::RETURNING)
                        || self.says_any(at, &["DEFAULT"])
                        || (self.says_any(at, &["NULL", "ERROR"]) && self.is(at + 1, Keyword::ON))
                };
                one(inside.start..self.find(inside.clone(), ends).unwrap_or(close))
            }
            "TIMESTAMPDIFF" | "TIMESTAMPADD" | "GET_FORMAT" => {
                one(comma(self).map_or(inside.start, |comma| comma + 1)..close)
            }
            "JSON_TABLE" => {
                let path = comma(self).unwrap_or(close);
                let columns = self.json_columns(path..close);
                self.facts.json_tables.insert(tok.start, columns);
                one(inside.start..path)
            }
            _ => {
                self.name(tok);
                self.call = Some(Call);
                return at + 1;
            }
        };
        self.name(tok);
        self.arguments(open, parts, close);
        behind
    }

    /// Writes arguments anew, in this order.
    fn arguments(&mut self, open: usize, parts: Vec<Range<usize>>, close: usize) {
        let opening = self.tok(open).map_or(0..0, Tok::range);
        self.open(opening.clone(), FrameKind::Call);
        let level = self.frames.len();
        let mut is_first = true;
        for part in parts {
            if part.is_empty() {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                self.push(Token::Comma, opening.clone());
            }
            self.last = None;
            self.range(part);
            while self.frames.len() > level {
                self.close(Span::empty());
            }
        }
        let closing = self.tok(close).map_or(Span::empty(), |tok| span_of(tok.range()));
        self.close(closing);
    }

    fn cast(&mut self, tok: Tok, open: usize, value: Range<usize>, to: usize, close: usize) {
        let is_date = self.says(to, "DATE");
        self.named(tok, if is_date { TO_DATE } else { CAST });
        self.arguments(open, one(value), close);
    }

    /// Names behind COLUMNS of a JSON_TABLE: each stands behind a parenthesis or a comma.
    fn json_columns(&self, range: Range<usize>) -> Vec<String> {
        let mut columns = Vec::new();
        let start = range.clone().find(|&at| self.says(at, "COLUMNS")).unwrap_or(range.end);
        for at in start + 1..range.end {
            let is_first = self.says_any(at - 1, &["(", ","]);
            let is_name =
                self.tok(at).is_some_and(|tok| matches!(tok.kind, Kind::Word | Kind::Quoted));
            if is_first && is_name && !self.says(at, "NESTED") {
                columns.push(super::unquoted(self.text(at)).to_lowercase());
            }
        }
        columns
    }

    /// A word that the grammar knows.
    fn reserved(&mut self, at: usize, tok: Tok, end: usize) -> usize {
        use Keyword as K;
        let clause = self.frame().clause;
        let kind = self.frame().kind;
        // Behind AS any word is a name.
        if self.is_behind(K::AS) && !self.opens_query(at) && !tok.is(K::OF) {
            self.name(tok);
            return at + 1;
        }
        match tok.word {
            K::SELECT => return self.select(at, tok),
            K::TABLE
                if at == 0
                    || self.says(at - 1, "(")
                    || self.is_any(
                        at - 1,
                        &[K::UNION, K::ALL, K::EXCEPT, K::INTERSECT, K::DISTINCT],
                    ) =>
            {
                self.keyword(tok, K::SELECT);
                self.push(Token::Mul, tok.range());
                self.keyword(tok, K::FROM);
                self.frame().clause = Clause::From;
                self.expects_table = true;
                return at + 1;
            }
            K::FROM | K::JOIN | K::STRAIGHT_JOIN => {
                self.keyword(tok, tok.word);
                self.frame().clause = Clause::From;
                if let Some(on) = self.late_condition(at, end) {
                    self.joined.push(on);
                    self.open(tok.range(), FrameKind::Tables);
                    self.frame().clause = Clause::From;
                }
                self.expects_table = true;
                return at + 1;
            }
            K::ON | K::USING => {
                while self.joined.last() == Some(&at) {
                    self.joined.pop();
                    self.close(Span::empty());
                }
                if tok.is(K::ON) {
                    self.frame().clause = Clause::On;
                }
            }
            K::WHERE | K::HAVING | K::UNION | K::EXCEPT | K::INTERSECT | K::WINDOW => {
                self.frame().clause = Clause::Other;
            }
            K::GROUP => self.frame().clause = Clause::Group,
            K::ORDER if kind == FrameKind::Call => {
                // GROUP_CONCAT(a ORDER BY b): its arguments.
                self.push(Token::Comma, tok.range());
                return at + 1 + usize::from(self.is(at + 1, K::BY));
            }
            K::ORDER => self.frame().clause = Clause::Order,
            K::ASC | K::DESC if clause == Clause::Group || kind == FrameKind::Call => {
                return at + 1;
            }
            K::LIMIT => {
                let is_examined = self.says(at + 1, "ROWS") && self.says(at + 2, "EXAMINED");
                if kind == FrameKind::Call {
                    return self.find(at..end, |at| self.says(at, ")")).unwrap_or(end);
                }
                self.frame().clause = Clause::Limit;
                if is_examined {
                    return at + 4;
                }
            }
            K::SEPARATOR if kind == FrameKind::Call => return at + 2,
            K::OFFSET => {
                let counts = self
                    .tok(at + 1)
                    .is_some_and(|tok| matches!(tok.kind, Kind::Literal | Kind::Variable));
                if !counts || !self.is_behind_operand() {
                    self.name(tok);
                    return at + 1;
                }
                self.frame().clause = Clause::Limit;
            }
            K::FETCH if self.says_any(at + 1, &["FIRST", "NEXT"]) => return self.fetch(at, tok),
            K::LOCK if self.is(at + 1, K::IN) => {
                self.facts.is_locking = true;
                return (at + 4).min(end);
            }
            K::FOR => return self.for_what(at, tok),
            K::INTO => return self.into(at, end),
            K::PROCEDURE => {
                if self.says(at + 2, "(") {
                    return self.next(at + 2);
                }
                return at + 2;
            }
            K::PARTITION if self.says(at + 1, "(") => return self.next(at + 1),
            K::USE | K::FORCE | K::IGNORE if self.says_any(at + 1, &["INDEX", "KEY"]) => {
                return self.hint(at, tok);
            }
            K::INTERVAL => return self.interval(at, tok, end),
            K::MATCH => return self.full_text(at, tok, end),
            K::CASE => self.frame().cases += 1,
            K::END if self.frame().cases > 0 => self.frame().cases -= 1,
            K::WHEN | K::THEN | K::ELSE if self.frame().cases > 0 => {}
            K::ANY | K::SOME if self.says(at + 1, "(") => {}
            K::MEMBER if self.is(at + 1, K::OF) => {}
            K::OF if self.is_behind(K::MEMBER) => {}
            K::OF if self.is_behind(K::AS) => {
                // `AS OF TIMESTAMP …`.
                self.out.pop();
                return self.moment(at + 1);
            }
            K::UNKNOWN if self.is_behind(K::IS) || self.is_behind(K::NOT) => {}
            K::ESCAPE
                if self.is_behind_operand()
                    && self.tok(at + 1).is_some_and(|tok| tok.kind == Kind::Literal) => {}
            K::MOD if self.is_behind_operand() => {
                self.push(Token::Mod, tok.range());
                return at + 1;
            }
            K::DIV => {
                self.push(Token::CustomBinaryOperator("DIV".to_owned()), tok.range());
                return at + 1;
            }
            K::OVER if self.says_at_last(")") => {}
            K::RECURSIVE if self.is_behind(K::WITH) => {}
            K::ROLLUP if self.is_behind(K::WITH) => {}
            K::VALUES
                if self.opens_query(at)
                    && (at == 0 || !self.is_behind_operand())
                    && kind == FrameKind::Query
                    && !self.is_call_of_values(at) => {}
            K::ROW if self.says(at + 1, "(") => return at + 1,
            K::COLLATE => {
                self.keyword(tok, K::COLLATE);
                if let Some(name) = self.tok(at + 1) {
                    self.name(name);
                }
                return at + 2;
            }
            K::AS
            | K::BY
            | K::ALL
            | K::AND
            | K::ASC
            | K::DESC
            | K::BETWEEN
            | K::BINARY
            | K::CROSS
            | K::DISTINCT
            | K::EXISTS
            | K::IN
            | K::INNER
            | K::IS
            | K::LATERAL
            | K::LEFT
            | K::LIKE
            | K::NATURAL
            | K::NOT
            | K::OR
            | K::OUTER
            | K::PARTITION
            | K::REGEXP
            | K::RIGHT
            | K::RLIKE
            | K::WITH
            | K::XOR => {}
            _ => {
                // Not a keyword here: a column may be called `value` or `end`.
                if self.says(at + 1, "(") {
                    return self.function(at, tok, end);
                }
                self.name(tok);
                return at + 1;
            }
        }
        self.keyword(tok, tok.word);
        at + 1
    }

    /// Where the condition of a join stands if other joins stand before it, as in
    /// `a JOIN b JOIN c ON … ON …`: it is that of the first.
    fn late_condition(&self, join: usize, end: usize) -> Option<usize> {
        if self.is(join, Keyword::FROM) {
            return None;
        }
        let (mut open, mut joins) = (1_usize, 0);
        let mut at = join + 1;
        while at < end && joins < MAX_JOINS {
            match self.tok(at)?.word {
                Keyword::JOIN | Keyword::STRAIGHT_JOIN => {
                    let has_none = [Keyword::NATURAL, Keyword::CROSS, Keyword::FOR];
                    let is_natural = (1..=3)
                        .any(|back| at >= join + back && self.is(at - back, Keyword::NATURAL));
                    if !is_natural && !self.is_any(at - 1, &has_none) {
                        open += 1;
                        joins += 1;
                    }
                }
                Keyword::ON | Keyword::USING => {
                    open -= 1;
                    if open == 0 {
                        return (joins > 0).then_some(at);
                    }
                }
                Keyword::WHERE
                | Keyword::SET
                | Keyword::GROUP
                | Keyword::ORDER
                | Keyword::HAVING
                | Keyword::LIMIT
                | Keyword::UNION => return None,
                _ if self.says_any(at, &[",", ")"]) => return None,
                _ => {}
            }
            at = self.next(at);
        }
        None
    }

    fn says_at_last(&self, text: &str) -> bool {
        self.last.is_some_and(|last| last.sign(self.text) == text)
    }

    /// VALUES(c) of ON DUPLICATE KEY UPDATE is a function.
    fn is_call_of_values(&self, at: usize) -> bool {
        at > 0 && self.says_any(at - 1, &["=", ",", "+", "-", "*", "/"])
    }

    fn select(&mut self, at: usize, tok: Tok) -> usize {
        self.keyword(tok, Keyword::SELECT);
        *self.frame() = Frame { kind: self.frame().kind, ..Frame::default() };
        let mut behind = at + 1;
        let mut distinct = None;
        while self.says_any(behind, MODIFIERS) {
            let Some(modifier) = self.tok(behind) else { break };
            match self.text(behind).to_ascii_uppercase().as_str() {
                "DISTINCT" | "DISTINCTROW" => distinct = Some(modifier),
                "STRAIGHT_JOIN" => self.facts.straight.push(tok.start),
                "SQL_CALC_FOUND_ROWS" => self.facts.counts_found_rows = true,
                _ => {}
            }
            behind += 1;
        }
        if let Some(distinct) = distinct {
            self.keyword(distinct, Keyword::DISTINCT);
        }
        behind
    }

    /// FETCH FIRST n ROWS ONLY is a LIMIT.
    fn fetch(&mut self, at: usize, tok: Tok) -> usize {
        self.keyword(tok, Keyword::LIMIT);
        let mut behind = at + 2;
        match self.tok(behind).filter(|tok| matches!(tok.kind, Kind::Literal | Kind::Variable)) {
            Some(_) => behind = self.token(behind, behind + 1),
            None => self.push(Token::Number("1".to_owned(), false), tok.range()),
        }
        while self.says_any(behind, &["ROW", "ROWS", "ONLY", "WITH", "TIES"]) {
            behind += 1;
        }
        self.frame().clause = Clause::Limit;
        behind
    }

    /// FOR UPDATE, FOR SHARE, FOR SYSTEM_TIME.
    fn for_what(&mut self, at: usize, tok: Tok) -> usize {
        if self.is(at + 1, Keyword::UPDATE) || self.says(at + 1, "SHARE") {
            self.facts.is_locking = true;
            let mut behind = at + 2;
            if self.is(behind, Keyword::OF) {
                behind += 2;
                while self.says_any(behind, &[",", "."]) {
                    behind += 2;
                }
            }
            if self.says_any(behind, &["SKIP", "WAIT"]) {
                behind += 2;
            } else if self.says(behind, "NOWAIT") {
                behind += 1;
            }
            return behind;
        }
        if self.says(at + 1, "SYSTEM_TIME") {
            let behind = at + 2;
            return if self.is(behind, Keyword::ALL) {
                behind + 1
            } else if self.is(behind, Keyword::AS) {
                self.moment(behind + 2)
            } else {
                // FROM a TO b, BETWEEN a AND b.
                self.moment(self.moment(behind + 1) + 1)
            };
        }
        if self.says(at + 1, "PORTION") {
            return self.moment(self.moment(at + 5) + 1);
        }
        self.keyword(tok, Keyword::FOR);
        at + 1
    }

    /// Passes a point in time.
    fn moment(&self, mut at: usize) -> usize {
        loop {
            if self.says_any(at, &["TIMESTAMP", "TRANSACTION", "DATE"]) && !self.says(at + 1, "(") {
                at += 1;
            }
            if self.is(at, Keyword::INTERVAL) {
                at += 1;
                at = self.next(at);
                at += 1;
            } else {
                at = match self.says(at + 1, "(") && !self.says(at, "(") {
                    true => self.next(at + 1),
                    false => self.next(at),
                };
            }
            if !self.says_any(at, &["+", "-"]) {
                return at;
            }
            at += 1;
        }
    }

    /// INTO OUTFILE, INTO DUMPFILE, INTO variables.
    fn into(&mut self, at: usize, end: usize) -> usize {
        self.facts.is_into = true;
        let mut behind = at + 1;
        if self.says_any(behind, &["OUTFILE", "DUMPFILE"]) {
            behind += 2;
            const OPTIONS: &[&str] = &[
                "CHARACTER",
                "CHARSET",
                "FIELDS",
                "COLUMNS",
                "LINES",
                "TERMINATED",
                "OPTIONALLY",
                "ENCLOSED",
                "ESCAPED",
                "STARTING",
                "BY",
            ];
            while self.says_any(behind, OPTIONS) || (self.is_string(behind) && behind < end) {
                behind += match self.says_any(behind, &["CHARACTER", "CHARSET"]) {
                    true if self.is(behind + 1, Keyword::SET) => 3,
                    true => 2,
                    false if self.says(behind, "CHARACTER") => 3,
                    false => 1,
                };
            }
            return behind;
        }
        loop {
            behind += 1;
            while self.says(behind, ".") {
                behind += 2;
            }
            if !self.says(behind, ",") {
                return behind.min(end);
            }
            behind += 1;
        }
    }

    fn hint(&mut self, at: usize, tok: Tok) -> usize {
        let kind = match tok.word {
            Keyword::FORCE => HintKind::Force,
            Keyword::IGNORE => HintKind::Ignore,
            _ => HintKind::Use,
        };
        let mut open = at + 2;
        if self.is(open, Keyword::FOR) {
            open += if self.is(open + 1, Keyword::JOIN) { 2 } else { 3 };
        }
        if !self.says(open, "(") {
            return open;
        }
        let close = self.closes(open);
        let names = (open + 1..close).filter(|&at| !self.says(at, ","));
        let indexes = names.map(|at| super::unquoted(self.text(at))).collect();
        let last = self.tok(close.min(self.tokens.len() - 1)).unwrap_or(tok);
        if self.facts.hints.len() < MAX_HINTS {
            self.facts.hints.push(IndexHint { kind, indexes, span: tok.start..last.end });
        }
        let behind = close + 1;
        // `USE INDEX (a), IGNORE INDEX (b)`.
        let continues = self.says(behind, ",")
            && self.is_any(behind + 1, &[Keyword::USE, Keyword::FORCE, Keyword::IGNORE])
            && self.says_any(behind + 2, &["INDEX", "KEY"]);
        behind + usize::from(continues)
    }

    fn is_unit(&self, at: usize) -> bool {
        self.tok(at).is_some_and(|tok| tok.kind == Kind::Word) && self.says_any(at, UNITS)
    }

    fn interval(&mut self, at: usize, tok: Tok, end: usize) -> usize {
        if self.says(at + 1, "(") {
            let behind = self.next(at + 1);
            // A value in parentheses, or the function INTERVAL(a, b, …).
            let is_value = self.is_unit(behind)
                || self.text(behind).starts_with(['+', '-', '*', '/', '%', '^', '|', '&']);
            if !is_value && behind <= end {
                self.name(tok);
                self.call = Some(Call);
                return at + 1;
            }
        }
        let mut unit = at + 1;
        let mut found = None;
        while unit < end && !self.says_any(unit, &[",", ")", ";", "=", "<", ">"]) {
            if self.is_unit(unit)
                && unit > at + 1
                && !self.says(unit + 1, "(")
                && !self.says(unit + 1, ".")
            {
                found = Some(unit);
                break;
            }
            if self.is_any(
                unit,
                &[Keyword::FROM, Keyword::AND, Keyword::OR, Keyword::WHERE, Keyword::INTERVAL],
            ) {
                break;
            }
            unit = self.next(unit);
        }
        match found {
            Some(unit) => {
                self.keyword(tok, Keyword::INTERVAL);
                self.units.push(unit);
            }
            None => self.name(tok),
        }
        at + 1
    }

    /// MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE) becomes a function.
    fn full_text(&mut self, at: usize, tok: Tok, end: usize) -> usize {
        let against = self.find(at + 1..end, |at| self.says(at, "AGAINST"));
        let Some(against) = against.filter(|&against| self.says(against + 1, "(")) else {
            if self.says(at + 1, "(") {
                self.call = Some(Call);
            }
            self.name(tok);
            return at + 1;
        };
        let is_in = self.says(at + 1, "(");
        let columns = match is_in {
            true => at + 2..self.closes(at + 1).min(against),
            false => at + 1..against,
        };
        let is_list = |at: usize| {
            self.tok(at)
                .is_some_and(|tok| !matches!(tok.kind, Kind::Word) || tok.is(Keyword::NoKeyword))
        };
        if !is_in && !columns.clone().all(is_list) {
            self.name(tok);
            return at + 1;
        }
        let (open, close) = (against + 1, self.closes(against + 1).min(end));
        let mode = self.find(open + 1..close, |at| self.is_any(at, &[Keyword::IN, Keyword::WITH]));
        self.named(tok, MATCH);
        self.arguments(open, vec![columns, open + 1..mode.unwrap_or(close)], close);
        (close + 1).min(end.max(close))
    }
}
