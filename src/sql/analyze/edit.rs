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

mod clauses;
mod functions;
mod lists;

use std::collections::HashMap;
use std::ops::Range;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Word};

use super::words::{NONE, Tok, ends_operand, pairs};
use crate::sql::shape::{IndexHint, Value};
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

/// Whether a word is a unit of INTERVAL.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word))
}

/// Units of INTERVAL.
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

fn span_of(range: Range<usize>) -> Span {
    let place = |at: usize| Location::new(1, at as u64 + 1);
    Span::new(place(range.start), place(range.end))
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
        if self.says(at, "RESPECT") && self.says(at + 1, "NULLS") {
            return at + 2;
        }
        if self.says(at, "WITHIN") && self.is(at + 1, Keyword::GROUP) {
            return self.next(at + 2);
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

    fn says_at_last(&self, text: &str) -> bool {
        self.last.is_some_and(|last| last.sign(self.text) == text)
    }
}
