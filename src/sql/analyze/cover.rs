//! Where an expression stands in the text. The parser tells where its names and literals are; the
//! signs and words around those are found among our tokens.

use std::ops::Range;

use sqlparser::ast::{Expr, Function, Query, SetExpr, Spanned};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Span;

use super::build::{Builder, bytes};
use super::words::{NONE, Tok};
use crate::sql::token::Kind;

/// What an expression is a part of, which tells where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Of a list of conditions.
    Condition,
    /// Of a comparison.
    Operand,
    /// Of a sum or a product.
    Term,
}

impl Builder<'_> {
    /// The bytes of an expression.
    pub(super) fn cover(&self, expr: &Expr) -> Range<usize> {
        let part = match expr {
            Expr::BinaryOp { op, .. } if is_logical(op) => Part::Condition,
            Expr::BinaryOp { op, .. } if super::condition::comparison(op).is_some() => {
                Part::Condition
            }
            Expr::Exists { .. }
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_) => Part::Condition,
            Expr::Like { .. }
            | Expr::RLike { .. }
            | Expr::Between { .. }
            | Expr::In { .. }
            | Expr::AnyOp { .. }
            | Expr::AllOp { .. }
            | Expr::MemberOf(_)
            | Expr::BinaryOp { .. } => Part::Operand,
            _ => Part::Term,
        };
        self.cover_as(expr, part)
    }

    pub(super) fn cover_as(&self, expr: &Expr, part: Part) -> Range<usize> {
        let Some((first, last)) = self.extended(expr, part) else { return 0..0 };
        let tokens = &self.words.tokens;
        match (tokens.get(first), tokens.get(last)) {
            (Some(first), Some(last)) if first.start <= last.end => first.start..last.end,
            _ => 0..0,
        }
    }

    /// The parentheses around a query.
    pub(super) fn parenthesis_around(&self, range: Range<usize>) -> Range<usize> {
        let first = self.token_at(range.start);
        let tokens = &self.words.tokens;
        let around = self.words.around.get(first).copied().unwrap_or(NONE);
        let Some(open) = tokens.get(around) else { return range };
        let close = self.words.pair.get(around).and_then(|&close| tokens.get(close));
        open.start..close.map_or(range.end, |close| close.end)
    }

    /// The token that stands at a byte.
    fn token_at(&self, byte: usize) -> usize {
        self.words.tokens.partition_point(|tok| tok.end <= byte)
    }

    fn extended(&self, expr: &Expr, part: Part) -> Option<(usize, usize)> {
        match expr {
            Expr::Nested(inner) => {
                let (mut first, _) = self.extended(inner, Part::Condition)?;
                first = self.words.around.get(first).copied().filter(|&open| open != NONE)?;
                Some((first, self.close_of(first)))
            }
            Expr::UnaryOp { expr: inner, .. } => {
                let (mut first, last) = self.extended(inner, part.max(Part::Operand))?;
                if part < Part::Term {
                    return Some(self.grown(first, last, part));
                }
                first = first.saturating_sub(1);
                Some((first, last))
            }
            Expr::Subquery(query) | Expr::Exists { subquery: query, .. } => {
                let start = bytes(query_start(query)?)?.start;
                let first = self.token_at(start);
                let open = self.words.around.get(first).copied().filter(|&open| open != NONE)?;
                let (first, last) = (open, self.close_of(open));
                match expr {
                    Expr::Subquery(_) => Some((first, last)),
                    _ => Some(self.grown(first, last, part)),
                }
            }
            Expr::Function(Function { name, .. }) => {
                let span = bytes(name.span())?;
                let first = self.token_at(span.start);
                let mut last = self.token_at(span.end.saturating_sub(1));
                if self.says_token(last + 1, "(") {
                    last = self.close_of(last + 1);
                }
                Some(self.grown(first, last, part))
            }
            _ => {
                let span = bytes(span_of(expr))?;
                let (first, last) =
                    (self.token_at(span.start), self.token_at(span.end.saturating_sub(1)));
                Some(self.grown(first, last, part))
            }
        }
    }

    fn close_of(&self, open: usize) -> usize {
        match self.words.pair.get(open) {
            Some(&close) if close != NONE => close,
            _ => self.words.tokens.len().saturating_sub(1),
        }
    }

    fn says_token(&self, at: usize, text: &str) -> bool {
        self.words.tokens.get(at).is_some_and(|tok| tok.sign(self.text) == text)
    }

    /// Takes in what belongs to an expression on both sides.
    fn grown(&self, mut first: usize, mut last: usize, part: Part) -> (usize, usize) {
        let around = |at: usize| self.words.around.get(at).copied().unwrap_or(NONE);
        let depth = |mut at: usize| {
            let mut depth = 0_usize;
            while around(at) != NONE {
                at = around(at);
                depth += 1;
            }
            depth
        };
        // Both ends on one level.
        let (mut first_depth, mut last_depth) = (depth(first), depth(last));
        while around(first) != around(last) {
            if first_depth >= last_depth && first_depth > 0 {
                first = around(first);
                first_depth -= 1;
            } else if last_depth > 0 {
                last = self.close_of(around(last));
                last_depth -= 1;
            } else {
                break;
            }
        }
        while let Some(before) = first.checked_sub(1) {
            let Some(&tok) = self.words.tokens.get(before) else { break };
            if self.says_token(before, ")") {
                match self.words.pair.get(before) {
                    Some(&open) if open != NONE => first = open,
                    _ => break,
                }
            } else if self.ends_part(tok, part) {
                break;
            } else {
                first = before;
            }
        }
        while let Some(&tok) = self.words.tokens.get(last + 1) {
            if self.says_token(last + 1, "(") {
                last = self.close_of(last + 1);
            } else if self.ends_part(tok, part) {
                break;
            } else {
                last += 1;
            }
        }
        (first, last)
    }

    /// Whether a token cannot be in an expression that is such a part.
    fn ends_part(&self, tok: Tok, part: Part) -> bool {
        use Keyword as K;
        let text = tok.sign(self.text);
        match tok.kind {
            Kind::HintOpen | Kind::HintClose => return true,
            Kind::Byte => return matches!(text, "(" | ")" | "," | ";" | "{" | "}"),
            Kind::Operator => {
                return match text {
                    "&&" | "||" | ":=" => true,
                    "=" | "<=>" | "<" | "<=" | ">" | ">=" | "<>" | "!=" => part >= Part::Operand,
                    "->" | "->>" => false,
                    _ => part >= Part::Term,
                };
            }
            Kind::Word => {}
            _ => return false,
        }
        match tok.word {
            K::AND
            | K::OR
            | K::XOR
            | K::WHERE
            | K::ON
            | K::HAVING
            | K::SELECT
            | K::FROM
            | K::GROUP
            | K::ORDER
            | K::BY
            | K::LIMIT
            | K::UNION
            | K::EXCEPT
            | K::INTERSECT
            | K::JOIN
            | K::INNER
            | K::LEFT
            | K::RIGHT
            | K::CROSS
            | K::STRAIGHT_JOIN
            | K::NATURAL
            | K::SET
            | K::VALUES
            | K::WHEN
            | K::THEN
            | K::ELSE
            | K::CASE
            | K::END
            | K::WITH
            | K::WINDOW
            | K::FOR
            | K::LOCK
            | K::INTO
            | K::RETURNING
            | K::AS
            | K::ASC
            | K::DESC
            | K::USING
            | K::DISTINCT
            | K::PROCEDURE
            | K::SEPARATOR
            | K::OFFSET => true,
            K::NOT
            | K::BETWEEN
            | K::LIKE
            | K::IN
            | K::IS
            | K::REGEXP
            | K::RLIKE
            | K::ESCAPE
            | K::EXISTS
            | K::MEMBER
            | K::ANY
            | K::SOME
            | K::ALL => part >= Part::Operand,
            K::DIV | K::MOD => part >= Part::Term,
            // An alias, or the words of a modifier.
            K::NoKeyword => !self.belongs(tok),
            _ => false,
        }
    }

    /// Whether a name before or behind an expression belongs to it: that of a function before a
    /// parenthesis, an introducer, a unit, a collation.
    fn belongs(&self, tok: Tok) -> bool {
        let at = self.token_at(tok.start);
        let before = at.checked_sub(1).and_then(|at| self.words.tokens.get(at));
        if before.is_some_and(|before| before.is(Keyword::COLLATE)) || self.says_token(at + 1, "(")
        {
            return true;
        }
        let text = tok.sign(self.text);
        let next = self.words.tokens.get(at + 1);
        if next.is_some_and(|next| next.kind == Kind::Literal) {
            return text.starts_with('_')
                || ["DATE", "TIME", "TIMESTAMP"].iter().any(|it| text.eq_ignore_ascii_case(it));
        }
        super::edit::is_unit(text) && self.follows_interval(at)
            || text.eq_ignore_ascii_case("UNKNOWN")
            || text.eq_ignore_ascii_case("SOUNDS")
            || self.says_token(at + 1, ".")
            || before
                .is_some_and(|before| before.sign(self.text) == "." || before.is(Keyword::OVER))
    }

    fn follows_interval(&self, at: usize) -> bool {
        let around = self.words.around.get(at).copied();
        let mut before = at;
        for _ in 0..16 {
            let Some(tok) = before.checked_sub(1) else { return false };
            before = match self.words.pair.get(tok) {
                Some(&open) if open != NONE && open < tok => open,
                _ => tok,
            };
            if self.words.around.get(before).copied() != around {
                return false;
            }
            if self.words.tokens.get(before).is_some_and(|tok| tok.is(Keyword::INTERVAL)) {
                return true;
            }
        }
        false
    }
}

fn is_logical(op: &sqlparser::ast::BinaryOperator) -> bool {
    use sqlparser::ast::BinaryOperator as B;
    matches!(op, B::And | B::Or | B::Xor)
}

/// The span of an expression, also of those that the parser does not tell.
fn span_of(expr: &Expr) -> Span {
    match expr {
        Expr::RLike { expr, pattern, .. } => expr.span().union(&pattern.span()),
        other => other.span(),
    }
}

fn query_start(query: &Query) -> Option<Span> {
    if let Some(with) = &query.with {
        return Some(with.with_token.0.span);
    }
    let mut body = &*query.body;
    loop {
        match body {
            SetExpr::SetOperation { left, .. } => body = left,
            SetExpr::Query(query) => body = &query.body,
            SetExpr::Select(select) => return Some(select.select_token.0.span),
            other => return Some(other.span()),
        }
    }
}
