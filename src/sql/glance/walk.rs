//! One walk over the tokens: clauses, comparisons, LIMIT.

use std::collections::HashSet;

use super::{ColumnName, Comparison, Glance, KEPT, Mention, Op, Operand, Verb, unquoted};
use crate::sql::token::{Kind, Token, tokens};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    /// In WHERE or ON.
    Condition,
    /// In the parentheses of a function within one.
    Function,
    Other,
}

/// Where the walk is.
pub(super) struct Look<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    clause: Clause,
    outer: Vec<Clause>,
    has_aggregate: bool,
    has_group: bool,
    counts_all: bool,
    pub(super) glance: Glance,
}

/// Tokens of a statement that are looked at. One longer is a load of rows.
const MOST: usize = 200_000;
/// Words behind which a parenthesis is no call.
const BEFORE_PARENTHESIS: &[&str] = &[
    "AND", "OR", "XOR", "NOT", "WHERE", "ON", "IN", "EXISTS", "ANY", "ALL", "SOME", "BETWEEN",
    "LIKE", "SELECT", "FROM", "JOIN", "USING", "VALUES", "UNION", "HAVING", "IS", "AS", "BY",
    "WHEN", "THEN", "ELSE",
];
/// Words that end a condition.
const ENDS: &[&str] = &[
    "SELECT",
    "FROM",
    "JOIN",
    "GROUP",
    "ORDER",
    "LIMIT",
    "SET",
    "VALUES",
    "WINDOW",
    "UNION",
    "HAVING",
    "UPDATE",
    "FOR",
    "INTO",
    "INNER",
    "LEFT",
    "RIGHT",
    "CROSS",
    "STRAIGHT_JOIN",
    "NATURAL",
    "PROCEDURE",
    "EXCEPT",
    "INTERSECT",
    "FETCH",
    "USING",
];
/// Aggregates, for which all rows are read whatever LIMIT says.
const AGGREGATES: &[&str] =
    &["COUNT", "SUM", "MIN", "MAX", "AVG", "GROUP_CONCAT", "STD", "STDDEV", "VARIANCE"];
/// Words of a condition that are no columns.
const NO_COLUMNS: &[&str] = &[
    "AND",
    "OR",
    "XOR",
    "NOT",
    "IN",
    "IS",
    "BETWEEN",
    "LIKE",
    "ESCAPE",
    "REGEXP",
    "RLIKE",
    "DIV",
    "MOD",
    "INTERVAL",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "EXISTS",
    "ANY",
    "ALL",
    "SOME",
    "WHERE",
    "ON",
    "BINARY",
    "COLLATE",
    "AS",
    "CURRENT_DATE",
    "CURRENT_TIMESTAMP",
    "SOUNDS",
    "MEMBER",
    "OF",
    "UNKNOWN",
    "ASC",
    "DESC",
    "WITH",
];

/// Words behind INTERVAL and its number, and before a literal, that may be columns elsewhere.
const UNITS: &[&str] =
    &["MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];
const TYPES: &[&str] = &["DATE", "TIME", "TIMESTAMP"];

/// Whether a text begins with the call of an aggregate.
pub(super) fn is_aggregate(text: &str) -> bool {
    let name = text.split('(').next().filter(|name| name.len() < text.len());
    name.is_some_and(|name| AGGREGATES.iter().any(|own| own.eq_ignore_ascii_case(name)))
}

impl<'a> Look<'a> {
    pub(super) fn new(text: &'a str, clause: Clause) -> Look<'a> {
        let tokens = tokens(text.as_bytes()).take(MOST).collect();
        Look {
            text,
            tokens,
            at: 0,
            clause,
            outer: Vec::new(),
            has_aggregate: false,
            has_group: false,
            counts_all: false,
            glance: Glance::default(),
        }
    }

    pub(super) fn bytes(&self, at: usize) -> &'a [u8] {
        self.tokens.get(at).map_or(&[][..], |token| token.of(self.text.as_bytes()))
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.kind(at) == Some(Kind::Word) && self.bytes(at).eq_ignore_ascii_case(word.as_bytes())
    }

    pub(super) fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(at, word))
    }

    pub(super) fn is_sign(&self, at: usize, sign: u8) -> bool {
        self.kind(at) == Some(Kind::Byte) && self.bytes(at) == [sign]
    }

    pub(super) fn run(&mut self) {
        self.glance.verb = self.verb();
        while self.at < self.tokens.len() {
            self.step();
            self.at += 1;
        }
        self.glance.orders_by_aggregate = self.orders_by_aggregate();
        self.glance.reads_all = self.counts_all || self.has_aggregate && !self.has_group;
    }

    /// What the first word says, past parentheses and hints.
    pub(super) fn verb(&self) -> Verb {
        let is_before = |at: usize| self.is_sign(at, b'(') || self.kind(at) == Some(Kind::HintOpen);
        let first = (0..self.tokens.len()).find(|at| !is_before(*at));
        const VERBS: &[(&str, Verb)] = &[
            ("SELECT", Verb::Select),
            ("WITH", Verb::Select),
            ("TABLE", Verb::Select),
            ("VALUES", Verb::Select),
            ("INSERT", Verb::Insert),
            ("REPLACE", Verb::Replace),
            ("UPDATE", Verb::Update),
            ("DELETE", Verb::Delete),
        ];
        let verb = VERBS.iter().find(|(word, _)| first.is_some_and(|at| self.is_word(at, word)));
        // A common table expression may stand before an UPDATE or DELETE.
        match verb.map(|(_, verb)| *verb) {
            Some(Verb::Select) if first.is_some_and(|at| self.is_word(at, "WITH")) => {
                self.behind_with()
            }
            Some(verb) => verb,
            None => Verb::Other,
        }
    }

    fn behind_with(&self) -> Verb {
        let mut depth = 0_usize;
        for at in 0..self.tokens.len() {
            match () {
                () if self.is_sign(at, b'(') => depth += 1,
                () if self.is_sign(at, b')') => depth = depth.saturating_sub(1),
                () if depth > 0 => {}
                () if self.is_word(at, "UPDATE") => return Verb::Update,
                () if self.is_word(at, "DELETE") => return Verb::Delete,
                () if self.is_word(at, "SELECT") => return Verb::Select,
                () => {}
            }
        }
        // WITH x AS (SELECT 1) (SELECT * FROM x)
        Verb::Select
    }

    fn step(&mut self) {
        let at = self.at;
        if self.is_sign(at, b'(') {
            let before = at.checked_sub(1);
            let is_call = before.is_some_and(|before| {
                matches!(self.kind(before), Some(Kind::Word | Kind::Name | Kind::Quoted))
                    && !self.is_one_of(before, BEFORE_PARENTHESIS)
            });
            self.outer.push(self.clause);
            if is_call && self.clause == Clause::Condition {
                self.clause = Clause::Function;
                self.function(at - 1);
            }
            return;
        }
        if self.is_sign(at, b')') {
            self.clause = self.outer.pop().unwrap_or(self.clause);
            return;
        }
        if self.kind(at) == Some(Kind::Word) && self.keyword(at) {
            return;
        }
        if self.clause != Clause::Other {
            self.glance.has_or |= self.is_word(at, "OR") || self.bytes(at) == b"||";
            self.condition(at);
        }
    }

    /// Takes a word that begins or ends a clause.
    fn keyword(&mut self, at: usize) -> bool {
        if self.outer.is_empty() {
            self.outermost(at);
        }
        if self.is_word(at, "SELECT") {
            self.glance.selects += 1;
        }
        self.glance.aggregates |= self.is_sign(at + 1, b'(') && self.is_one_of(at, AGGREGATES);
        self.glance.has_union |= self.is_word(at, "UNION");
        if self.is_word(at, "WHERE") || self.is_word(at, "ON") && !self.is_word(at + 1, "DUPLICATE")
        {
            self.clause = Clause::Condition;
            return true;
        }
        // LEFT( and VALUES( are functions too.
        if self.is_one_of(at, ENDS) && !self.is_sign(at + 1, b'(') {
            self.clause = Clause::Other;
            return true;
        }
        false
    }

    fn outermost(&mut self, at: usize) {
        if self.is_word(at, "GROUP") {
            self.has_group = true;
        }
        self.counts_all |= self.is_word(at, "SQL_CALC_FOUND_ROWS");
        if self.is_sign(at + 1, b'(') && self.is_one_of(at, AGGREGATES) {
            self.has_aggregate = true;
        }
        if self.is_word(at, "LIMIT") && self.clause_may_end(at) {
            self.glance.has_limit = true;
            self.glance.limit = self.limit(at + 1);
        }
    }

    /// Whether an ORDER BY begins with an aggregate, or with a name that a SELECT gives to one.
    fn orders_by_aggregate(&self) -> bool {
        let is_call = |at: usize| self.is_sign(at + 1, b'(') && self.is_one_of(at, AGGREGATES);
        let mut aliases: HashSet<String> = HashSet::new();
        let mut open: Vec<bool> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.is_sign(at, b'(') {
                open.push(at.checked_sub(1).is_some_and(is_call));
            } else if self.is_sign(at, b')') && open.pop() == Some(true) {
                let name = at + 1 + usize::from(self.is_word(at + 1, "AS"));
                let part = self.part(name, false).filter(|_| !self.is_word(name, "OVER"));
                aliases.extend(part.map(|part| part.to_lowercase()));
            } else if self.is_word(at, "ORDER") && self.is_word(at + 1, "BY") {
                let named = || self.part(at + 2, false).map(|part| part.to_lowercase());
                if is_call(at + 2) || named().is_some_and(|name| aliases.contains(&name)) {
                    return true;
                }
            }
        }
        false
    }

    /// A column may be named `limit`; a LIMIT has something before it that is no dot.
    fn clause_may_end(&self, at: usize) -> bool {
        at > 0 && !self.is_sign(at - 1, b'.')
    }

    /// `n`, `offset, n` or `n OFFSET offset`.
    fn limit(&self, at: usize) -> Option<u64> {
        let first = self.whole(at)?;
        if self.is_sign(at + 1, b',') || self.is_word(at + 1, "OFFSET") {
            return Some(first.saturating_add(self.whole(at + 2)?));
        }
        Some(first)
    }

    fn whole(&self, at: usize) -> Option<u64> {
        std::str::from_utf8(self.bytes(at)).ok()?.parse().ok()
    }

    /// Notes the column at `at`, if one begins there, and what it is compared with.
    fn condition(&mut self, at: usize) {
        if self.glance.mentions.len() >= KEPT || self.is_one_of(at, NO_COLUMNS) || self.is_unit(at)
        {
            return;
        }
        let begins = at.checked_sub(1).is_none_or(|before| !self.is_sign(before, b'.'));
        let Some((column, end)) = self.column(at).filter(|_| begins) else { return };
        if self.is_sign(end, b'(') {
            return;
        }
        let is_alone =
            self.clause == Clause::Condition && self.may_begin(at) && self.may_follow(end);
        let is_wrapped = self.clause == Clause::Function
            || at.checked_sub(1).is_some_and(|before| self.is_arithmetic(before))
            || self.is_arithmetic(end);
        if is_alone && let Some((op, with, last)) = self.behind(end) {
            self.compared(column.clone(), op, with, at, last);
            self.wildcard(&column, at, end);
        }
        if self.clause == Clause::Condition && self.may_begin(at) && self.is_arithmetic(end) {
            self.arithmetic(&column, at, end);
        }
        if self.clause == Clause::Condition && self.may_end(end) {
            self.before(column.clone(), at, end);
        }
        self.glance.mentions.push(Mention { column, is_wrapped });
    }

    /// `DAY` of `INTERVAL 1 DAY`, `DATE` of `DATE '2026-01-31'`.
    pub(super) fn is_unit(&self, at: usize) -> bool {
        let is_value = |at: usize| matches!(self.kind(at), Some(Kind::Literal | Kind::Variable));
        let before =
            at.checked_sub(1).is_some_and(|before| is_value(before) || self.is_sign(before, b')'));
        before && self.is_one_of(at, UNITS)
            || self.is_one_of(at, TYPES) && self.kind(at + 1) == Some(Kind::Literal)
    }

    fn compared(&mut self, column: ColumnName, op: Op, with: Operand, first: usize, last: usize) {
        let text = self.text_of(first, last);
        self.glance.comparisons.push(Comparison { column, op, with, text });
    }

    /// The text from one token to another.
    pub(super) fn text_of(&self, first: usize, last: usize) -> String {
        let start = self.tokens.get(first).map_or(0, |token| token.start);
        let end = self.tokens.get(last).map_or(start, |token| token.end);
        self.text.get(start..end).unwrap_or_default().to_owned()
    }

    /// A comparison that the column at `at` is the right side of: `5 = c`, `a.x = b.y`.
    fn before(&mut self, column: ColumnName, at: usize, end: usize) {
        let Some(sign) = at.checked_sub(1) else { return };
        let Some(op) = self.op(sign) else { return };
        let Some(last) = sign.checked_sub(1) else { return };
        if self.kind(last) == Some(Kind::Literal) {
            let first = if last > 0 && self.is_minus(last - 1) { last - 1 } else { last };
            if self.may_begin(first) {
                let with = self.number(last).map_or(Operand::Other, Operand::Number);
                self.compared(column, op, with, first, end - 1);
            }
            return;
        }
        // The last part of a column.
        let mut first = last;
        while first >= 2 && self.is_sign(first - 1, b'.') && last - first < 4 {
            first -= 2;
        }
        if let Some((other, other_end)) = self.column(first)
            && other_end == sign
            && self.may_begin(first)
        {
            self.compared(column, op, Operand::Column(other), first, end - 1);
        }
    }

    /// The comparison behind a column that ends before `at`, and its last token.
    pub(super) fn behind(&self, at: usize) -> Option<(Op, Operand, usize)> {
        if let Some(op) = self.op(at) {
            let (operand, end) = self.operand(at + 1);
            return Some((op, operand, end));
        }
        if self.is_word(at, "IS") {
            let is_null = self.bytes(at + 1).eq_ignore_ascii_case(b"NULL");
            return is_null.then_some((Op::IsNull, Operand::Other, at + 1));
        }
        let is_not = self.is_word(at, "NOT");
        let word = at + usize::from(is_not);
        let op = |op| if is_not { Op::Not } else { op };
        if self.is_word(word, "LIKE") {
            return Some((op(Op::Like), Operand::Other, word + 1));
        }
        if self.is_word(word, "BETWEEN") {
            let (first, end) = self.operand(word + 1);
            let with = match first {
                Operand::Number(number) => Operand::Number(number),
                _ if self.is_word(end + 1, "AND") => self.operand(end + 2).0,
                _ => Operand::Other,
            };
            let last = if self.is_word(end + 1, "AND") { self.operand(end + 2).1 } else { end };
            return Some((op(Op::Range), with, last));
        }
        if self.is_word(word, "IN") && self.is_sign(word + 1, b'(') {
            let (with, last) = self.list(word + 2);
            return Some((op(Op::Equal), with, last));
        }
        None
    }

    /// A list of IN, from behind its parenthesis: a number if one of its items is one.
    fn list(&self, from: usize) -> (Operand, usize) {
        let mut with = Operand::Other;
        let mut at = from;
        while at < self.tokens.len() && !self.is_sign(at, b')') {
            // An expression or a SELECT: nothing is known of it.
            if self.is_sign(at, b'(') {
                return (Operand::Other, at);
            }
            let is_item = at == from || self.is_sign(at - 1, b',');
            let ends = self.is_sign(at + 1, b',') || self.is_sign(at + 1, b')');
            if is_item
                && ends
                && with == Operand::Other
                && let Some(number) = self.number(at)
            {
                with = Operand::Number(number);
            }
            at += 1;
        }
        (with, at)
    }

    /// What stands behind a comparison sign, and its last token.
    fn operand(&self, at: usize) -> (Operand, usize) {
        let first = if self.is_minus(at) { at + 1 } else { at };
        if let Some(number) = self.number(first) {
            let is_all = self.may_end(first + 1);
            let sign = if first > at { "-" } else { "" };
            let number = format!("{sign}{number}");
            return (if is_all { Operand::Number(number) } else { Operand::Other }, first);
        }
        match self.column(at) {
            Some((column, end)) if self.may_end(end) => (Operand::Column(column), end - 1),
            _ => (Operand::Other, at),
        }
    }

    pub(super) fn is_minus(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Operator) && self.bytes(at) == b"-" || self.is_sign(at, b'-')
    }

    /// A number as written. Hexadecimal and binary ones are strings to a text column; TRUE and
    /// FALSE are numbers.
    fn number(&self, at: usize) -> Option<String> {
        let bytes = self.bytes(at);
        if self.kind(at) != Some(Kind::Literal) {
            return None;
        }
        let is_word = bytes.eq_ignore_ascii_case(b"TRUE") || bytes.eq_ignore_ascii_case(b"FALSE");
        let is_radix = matches!(bytes, [b'0', b'x' | b'X' | b'b' | b'B', ..]);
        let is_digits = bytes.first().is_some_and(|b| b.is_ascii_digit() || *b == b'.');
        let text = String::from_utf8_lossy(bytes).into_owned();
        (is_word || is_digits && !is_radix).then_some(text)
    }

    pub(super) fn op(&self, at: usize) -> Option<Op> {
        if !matches!(self.kind(at), Some(Kind::Operator | Kind::Byte)) {
            return None;
        }
        match self.bytes(at) {
            b"=" | b"<=>" => Some(Op::Equal),
            b"<" | b"<=" | b">" | b">=" => Some(Op::Range),
            b"!=" | b"<>" => Some(Op::Not),
            _ => None,
        }
    }

    fn is_arithmetic(&self, at: usize) -> bool {
        let is_sign = matches!(self.kind(at), Some(Kind::Operator | Kind::Byte))
            && matches!(
                self.bytes(at),
                b"+" | b"-"
                    | b"*"
                    | b"/"
                    | b"%"
                    | b"|"
                    | b"&"
                    | b"^"
                    | b"<<"
                    | b">>"
                    | b"->"
                    | b"->>"
                    | b"~"
            );
        is_sign || self.is_one_of(at, &["DIV", "MOD", "COLLATE", "BINARY"])
    }

    /// Whether a side of a comparison may begin at `at`: nothing before it belongs to it.
    pub(super) fn may_begin(&self, at: usize) -> bool {
        const BEFORE: &[&str] = &["WHERE", "ON", "AND", "OR", "XOR", "NOT"];
        let Some(before) = at.checked_sub(1) else { return true };
        self.is_sign(before, b'(')
            || self.is_one_of(before, BEFORE)
            || matches!(self.bytes(before), b"&&" | b"||" | b"!")
    }

    /// Whether a comparison goes on behind a column.
    fn may_follow(&self, at: usize) -> bool {
        !self.is_arithmetic(at)
    }

    /// Whether a side of a comparison ends before `at`.
    pub(super) fn may_end(&self, at: usize) -> bool {
        if at >= self.tokens.len() {
            return true;
        }
        const BEHIND: &[&str] = &["AND", "OR", "XOR"];
        self.is_sign(at, b')')
            || self.is_sign(at, b';')
            || self.is_sign(at, b',')
            || self.is_one_of(at, BEHIND)
            || self.is_one_of(at, ENDS)
            || matches!(self.bytes(at), b"&&" | b"||")
    }

    /// A column name of one to three parts, and the place behind it.
    pub(super) fn column(&self, at: usize) -> Option<(ColumnName, usize)> {
        let mut parts: Vec<String> = Vec::new();
        let mut at = at;
        loop {
            parts.push(self.part(at, !parts.is_empty())?);
            at += 1;
            if parts.len() == 3 || !self.is_sign(at, b'.') {
                break;
            }
            at += 1;
        }
        let name = parts.pop()?;
        Some((ColumnName { table: parts.pop(), name }, at))
    }

    fn part(&self, at: usize, is_behind_dot: bool) -> Option<String> {
        let text = String::from_utf8_lossy(self.bytes(at));
        match self.kind(at)? {
            Kind::Name => Some(text.into_owned()),
            Kind::Quoted => Some(unquoted(&text)),
            Kind::Word if is_behind_dot => Some(text.into_owned()),
            Kind::Word if !self.is_one_of(at, NO_COLUMNS) && !self.is_one_of(at, ENDS) => {
                Some(text.into_owned())
            }
            _ => None,
        }
    }
}
