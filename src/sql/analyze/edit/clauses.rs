//! Words that the grammar knows: most go to the parser as they are, some clauses are taken out.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token};

use super::super::unquoted;
use super::super::words::Tok;
use super::{Clause, Editor, Frame, FrameKind};
use crate::sql::shape::{HintKind, IndexHint};
use crate::sql::token::Kind;

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

/// Index hints that are kept.
const MAX_HINTS: usize = 1_000;

/// Joins that are looked through for the condition of the first: servers take 61 tables.
const MAX_JOINS: usize = 64;

impl Editor<'_> {
    /// A word that the grammar knows.
    pub(super) fn reserved(&mut self, at: usize, tok: Tok, end: usize) -> usize {
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
            // `FIRST_VALUE(a) IGNORE NULLS OVER …`.
            K::IGNORE if self.says(at + 1, "NULLS") => return at + 2,
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
            K::OVER if self.says_at_last(")") || self.says(at + 1, "(") => {}
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
    pub(super) fn late_condition(&self, join: usize, end: usize) -> Option<usize> {
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

    /// VALUES(c) of ON DUPLICATE KEY UPDATE is a function.
    pub(super) fn is_call_of_values(&self, at: usize) -> bool {
        at > 0 && self.says_any(at - 1, &["=", ",", "+", "-", "*", "/"])
    }

    pub(super) fn select(&mut self, at: usize, tok: Tok) -> usize {
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
    pub(super) fn fetch(&mut self, at: usize, tok: Tok) -> usize {
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
    pub(super) fn for_what(&mut self, at: usize, tok: Tok) -> usize {
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
    pub(super) fn moment(&self, mut at: usize) -> usize {
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
    pub(super) fn into(&mut self, at: usize, end: usize) -> usize {
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

    pub(super) fn hint(&mut self, at: usize, tok: Tok) -> usize {
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
        let indexes = names.map(|at| unquoted(self.text(at))).collect();
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
}
