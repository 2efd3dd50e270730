//! Functions with words among their arguments, put into plain calls: CAST, TRIM, EXTRACT, MATCH …
//! AGAINST, JSON_TABLE and others; and INTERVAL, which is one or is none.

use std::ops::Range;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token};

use super::super::unquoted;
use super::super::words::Tok;
use super::{CAST, Call, Editor, FrameKind, MATCH, TO_DATE, UNITS, span_of};
use crate::sql::token::Kind;

impl Editor<'_> {
    /// A function; those with words among their arguments are put into plain ones.
    pub(super) fn function(&mut self, at: usize, tok: Tok, end: usize) -> usize {
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
    pub(super) fn arguments(&mut self, open: usize, parts: Vec<Range<usize>>, close: usize) {
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

    pub(super) fn cast(
        &mut self,
        tok: Tok,
        open: usize,
        value: Range<usize>,
        to: usize,
        close: usize,
    ) {
        let is_date = self.says(to, "DATE");
        self.named(tok, if is_date { TO_DATE } else { CAST });
        self.arguments(open, one(value), close);
    }

    /// Names behind COLUMNS of a JSON_TABLE: each stands behind a parenthesis or a comma.
    pub(super) fn json_columns(&self, range: Range<usize>) -> Vec<String> {
        let mut columns = Vec::new();
        let start = range.clone().find(|&at| self.says(at, "COLUMNS")).unwrap_or(range.end);
        for at in start + 1..range.end {
            let is_first = self.says_any(at - 1, &["(", ","]);
            let is_name =
                self.tok(at).is_some_and(|tok| matches!(tok.kind, Kind::Word | Kind::Quoted));
            if is_first && is_name && !self.says(at, "NESTED") {
                columns.push(unquoted(self.text(at)).to_lowercase());
            }
        }
        columns
    }

    pub(super) fn is_unit(&self, at: usize) -> bool {
        self.tok(at).is_some_and(|tok| tok.kind == Kind::Word) && self.says_any(at, UNITS)
    }

    pub(super) fn interval(&mut self, at: usize, tok: Tok, end: usize) -> usize {
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
    pub(super) fn full_text(&mut self, at: usize, tok: Tok, end: usize) -> usize {
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

/// A function's only argument.
fn one(argument: Range<usize>) -> Vec<Range<usize>> {
    std::iter::once(argument).collect()
}
