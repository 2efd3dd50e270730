//! Lists that are too long for the parser: `IN (1, 2, …)` and `a = 1 OR a = 2 OR …`. The first value
//! stands for all in the tree; the others wait beside it.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::super::expression::literal;
use super::super::words::Tok;
use super::Editor;
use crate::sql::token::Kind;

/// Lists and chains of OR with more values than this are not given to the parser.
const LONG: usize = 256;

impl Editor<'_> {
    /// A list of IN that is long, of values only: the first stands for all.
    pub(super) fn long_list(&mut self, open: usize, tok: Tok) -> Option<usize> {
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
                    values.push(literal(&self.text[first.start..last.end]));
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
    pub(super) fn or_chain(&mut self, at: usize, end: usize) -> Option<usize> {
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
            Some(literal(value.sign(self.text)))
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
}
