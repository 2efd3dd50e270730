//! The words of a statement, as far as rules cut into it: its clauses, the two sides of a
//! comparison, the arguments of a function, and a list of edits.
//!
//! A rewrite replaces ranges of bytes and leaves all others as they stand, comments and line ends
//! included. Where words are not as a rule expects them it gives none.

mod clauses;
mod constant;
mod edits;

use std::ops::Range;

use crate::sql::definition::{Live, same_name};
use crate::sql::token::{Kind, Token};

pub use self::clauses::{Clause, Clauses};
pub use self::constant::Constant;
pub use self::edits::Edits;

/// Longest stretch that is cut into: rewrites of longer ones nobody reads.
const MOST_BYTES: usize = 65_536;

/// Tokens of a stretch of a text, each with how many parentheses are open around it.
pub struct Words<'t> {
    text: &'t str,
    tokens: Vec<(Token, usize)>,
    /// Each parenthesis has its other one.
    is_whole: bool,
}

impl<'t> Words<'t> {
    /// The tokens of a stretch; none where it is too long or no stretch of the text.
    pub fn of(text: &'t str, range: &Range<usize>) -> Option<Words<'t>> {
        Words::of_any(text, range).filter(|words| words.is_whole)
    }

    /// The same of a stretch whose parentheses need not match.
    pub fn of_any(text: &'t str, range: &Range<usize>) -> Option<Words<'t>> {
        let bytes = text.get(range.clone()).filter(|it| it.len() <= MOST_BYTES)?.as_bytes();
        let (mut depth, mut is_whole) = (0_usize, true);
        let mut tokens = Vec::new();
        for token in Live::of(bytes) {
            let sign = bytes.get(token.range()).unwrap_or_default();
            if sign == b")" {
                is_whole &= depth > 0;
                depth = depth.saturating_sub(1);
            }
            let moved = Token {
                kind: token.kind,
                start: token.start + range.start,
                end: token.end + range.start,
            };
            tokens.push((moved, depth));
            if sign == b"(" {
                depth += 1;
            }
        }
        is_whole &= depth == 0;
        Some(Words { text, tokens, is_whole })
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The text of a token; empty behind the last.
    pub fn at(&self, place: usize) -> &'t str {
        self.tokens.get(place).and_then(|it| self.text.get(it.0.range())).unwrap_or_default()
    }

    /// The kind of a token.
    pub fn kind(&self, place: usize) -> Option<Kind> {
        self.tokens.get(place).map(|it| it.0.kind)
    }

    /// Where a token stands.
    pub fn range(&self, place: usize) -> Option<Range<usize>> {
        self.tokens.get(place).map(|it| it.0.range())
    }

    /// From the first of these tokens to the last one; none where there are none.
    pub fn span(&self, places: Range<usize>) -> Option<Range<usize>> {
        let first = self.range(places.start)?;
        let last = self.range(places.end.checked_sub(1)?)?;
        (first.start < last.end).then_some(first.start..last.end)
    }

    /// Whether a token is a bare word, letter case aside, outside of all parentheses.
    pub fn is(&self, place: usize, word: &str) -> bool {
        self.is_word(place, word) && self.depth(place) == Some(0)
    }

    /// Whether a token is a bare word, letter case aside.
    pub fn is_word(&self, place: usize, word: &str) -> bool {
        matches!(self.kind(place), Some(Kind::Word | Kind::Literal))
            && self.at(place).eq_ignore_ascii_case(word)
    }

    /// How many parentheses are open around a token.
    pub fn depth(&self, place: usize) -> Option<usize> {
        self.tokens.get(place).map(|it| it.1)
    }

    /// The place of the parenthesis that closes the one at a place.
    pub fn closing(&self, open: usize) -> Option<usize> {
        let depth = self.depth(open)?;
        (open + 1..self.len())
            .find(|place| self.at(*place) == ")" && self.depth(*place) == Some(depth))
    }

    /// The stretches between commas outside of parentheses, of some tokens.
    pub fn parts(&self, places: Range<usize>) -> Vec<Range<usize>> {
        self.split(places, |words, place| words.at(place) == ",")
    }

    /// The stretches between tokens at the depth of the first one.
    pub fn split(
        &self,
        places: Range<usize>,
        is_between: impl Fn(&Words<'t>, usize) -> bool,
    ) -> Vec<Range<usize>> {
        let Some(depth) = self.depth(places.start) else { return Vec::new() };
        let mut parts = Vec::new();
        let mut start = places.start;
        for place in places.clone() {
            if self.depth(place) == Some(depth) && is_between(self, place) {
                parts.push(start..place);
                start = place + 1;
            }
        }
        parts.push(start..places.end);
        parts
    }

    /// All tokens without the parentheses that stand around all of them.
    pub fn inner(&self) -> Range<usize> {
        let mut places = 0..self.len();
        while places.len() > 2
            && self.at(places.start) == "("
            && self.closing(places.start) == Some(places.end - 1)
        {
            places = places.start + 1..places.end - 1;
        }
        places
    }

    /// Whether a token is a name, quoted or not, and this one; a function is none.
    fn is_name(&self, place: usize, name: &str) -> bool {
        match self.kind(place) {
            Some(Kind::Word) => same_name(self.at(place), name) && self.at(place + 1) != "(",
            Some(Kind::Name) => same_name(self.at(place), name),
            Some(Kind::Quoted) => same_name(&unquoted(self.at(place)), name),
            _ => false,
        }
    }

    /// The places of all columns of this name.
    pub fn columns(&self, name: &str) -> Vec<Range<usize>> {
        let ends =
            (0..self.len()).filter(|place| self.is_name(*place, name) && self.at(place + 1) != ".");
        ends.map(|last| self.qualified(last)).collect()
    }

    /// A name with those before it.
    fn qualified(&self, last: usize) -> Range<usize> {
        let mut first = last;
        while first >= 2 && self.at(first - 1) == "." {
            first -= 2;
        }
        first..last + 1
    }

    /// The places of a column by its name: with the names of its table and database before it.
    pub fn column(&self, name: &str) -> Option<Range<usize>> {
        let last = (0..self.len())
            .find(|place| self.is_name(*place, name) && self.at(place + 1) != ".")?;
        Some(self.qualified(last))
    }

    /// Whether some tokens are a column and nothing else.
    pub fn is_column(&self, places: &Range<usize>) -> bool {
        let is_part = |place: usize| match (place - places.start) % 2 {
            0 => matches!(self.kind(place), Some(Kind::Word | Kind::Name | Kind::Quoted)),
            _ => self.at(place) == ".",
        };
        places.len() % 2 == 1 && places.len() <= 5 && places.clone().all(is_part)
    }

    /// The function that some tokens are a call of, in capitals, and its arguments.
    pub fn call(&self, places: &Range<usize>) -> Option<(String, Vec<Range<usize>>)> {
        let open = places.start + 1;
        let is_call = self.kind(places.start) == Some(Kind::Word)
            && self.at(open) == "("
            && self.closing(open) == places.end.checked_sub(1);
        let inside = open + 1..places.end.saturating_sub(1);
        let arguments = if inside.is_empty() { Vec::new() } else { self.parts(inside) };
        is_call.then(|| (self.at(places.start).to_ascii_uppercase(), arguments))
    }

    /// The text of some tokens, as it stands.
    pub fn text(&self, places: &Range<usize>) -> &'t str {
        self.span(places.clone()).and_then(|span| self.text.get(span)).unwrap_or_default()
    }
}

/// The two sides of a comparison, as places of tokens.
pub struct Sides {
    /// The side with the column.
    pub own: Range<usize>,
    /// The other: one, those of a list, or the two of BETWEEN.
    pub others: Vec<Range<usize>>,
    /// The side with the column stands on the right.
    pub is_turned: bool,
    /// The operator as it reads with the column on the left, in capitals.
    pub op: String,
}

impl Words<'_> {
    /// The sides of a comparison; `column` is on the own one.
    ///
    /// Grammar: `x op y`, `x [NOT] IN (…)`, `x [NOT] BETWEEN a AND b`, `x [NOT] LIKE y`.
    pub fn sides(&self, column: &str) -> Option<Sides> {
        let places = self.inner();
        let depth = self.depth(places.start)?;
        let outer = |place: &usize| self.depth(*place) == Some(depth);
        // What stands in a CASE is no side.
        if places.clone().any(|place| self.is_word(place, "CASE")) {
            return None;
        }
        let is_op = |place: &usize| {
            let sign = self.at(*place);
            let word = |names: &[&str]| names.iter().any(|name| self.is_word(*place, name));
            COMPARE.contains(&sign) || word(&["IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE", "NOT"])
        };
        let op = places.clone().filter(outer).find(is_op)?;
        let left = places.start..op;
        let is_not = self.is_word(op, "NOT");
        let op = if is_not { op + 1 } else { op };
        let rest = op + 1..places.end;
        let word = self.at(op).to_ascii_uppercase();
        let word = if is_not { format!("NOT {word}") } else { word };
        if left.is_empty() || rest.is_empty() {
            return None;
        }
        if self.is_word(op, "IN") {
            let is_list = self.at(rest.start) == "(" && self.closing(rest.start)? + 1 == rest.end;
            let others = self.parts(rest.start + 1..rest.end - 1);
            return is_list.then_some(Sides { own: left, others, is_turned: false, op: word });
        }
        if self.is_word(op, "BETWEEN") {
            let and = rest.clone().filter(outer).find(|place| self.is_word(*place, "AND"))?;
            let others = vec![rest.start..and, and + 1..rest.end];
            return others.iter().all(|it| !it.is_empty()).then_some(Sides {
                own: left,
                others,
                is_turned: false,
                op: word,
            });
        }
        let has_more = rest
            .clone()
            .filter(outer)
            .any(|place| COMPARE.contains(&self.at(place)) || self.is_word(place, "ESCAPE"));
        if has_more {
            return None;
        }
        let holds = |side: &Range<usize>| side.clone().any(|place| self.is_name(place, column));
        match (holds(&left), holds(&rest)) {
            (true, _) => Some(Sides { own: left, others: vec![rest], is_turned: false, op: word }),
            (false, true) => {
                let op = turned(&word).to_owned();
                Some(Sides { own: rest, others: vec![left], is_turned: true, op })
            }
            (false, false) => None,
        }
    }
}

/// A comparison with its sides changed.
pub fn turned(op: &str) -> &str {
    match op {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

const COMPARE: &[&str] = &["=", "<=>", "<>", "!=", "<", "<=", ">", ">="];

/// A name without its back-quotes.
fn unquoted(name: &str) -> String {
    name.trim_matches('`').replace("``", "`")
}

/// A condition as one part of an AND: in parentheses where OR or XOR stands in it.
pub fn as_part(condition: &str) -> String {
    let words = Words::of(condition, &(0..condition.len()));
    let is_loose = |words: &Words<'_>, at: usize| {
        words.is(at, "OR")
            || words.is(at, "XOR")
            || words.at(at) == "||" && words.depth(at) == Some(0)
    };
    match words.is_some_and(|words| !(0..words.len()).any(|at| is_loose(&words, at))) {
        true => condition.to_owned(),
        false => format!("({condition})"),
    }
}

/// A name as SQL has it, in back-quotes where it needs them.
pub fn quoted(name: &str) -> String {
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && !RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name));
    if is_plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

/// Reserved words that columns are called by.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "by", "call", "change", "check", "column", "condition", "database", "default", "desc", "div",
    "exists", "for", "from", "function", "group", "groups", "having", "if", "in", "index", "int",
    "interval", "is", "join", "key", "keys", "kill", "lead", "left", "like", "limit", "lines",
    "load", "lock", "long", "match", "mod", "not", "null", "of", "offset", "on", "option", "or",
    "order", "out", "over", "partition", "range", "rank", "read", "recursive", "release", "rename",
    "repeat", "replace", "require", "return", "right", "row", "row_number", "rows", "schema",
    "select", "set", "show", "sql", "system", "table", "then", "to", "trigger", "union", "unique",
    "update", "usage", "use", "using", "values", "when", "where", "while", "window", "with", "write",
    "xor",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn sides(text: &str, column: &str, want: Option<(&str, &[&str], bool)>) {
        let words = Words::of(text, &(0..text.len())).unwrap();
        let got = words.sides(column).map(|it| {
            let others: Vec<&str> = it.others.iter().map(|it| words.text(it)).collect();
            (words.text(&it.own), others, it.is_turned)
        });
        assert_eq!(got, want.map(|(own, others, turned)| (own, others.to_vec(), turned)), "{text}");
    }

    #[test]
    fn comparisons_have_two_sides() {
        sides("DATE(t.c) = '2026-01-02'", "c", Some(("DATE(t.c)", &["'2026-01-02'"], false)));
        sides("( 5 < c + 1 )", "c", Some(("c + 1", &["5"], true)));
        sides(
            "YEAR(c) IN (1, (2), f(3, 4))",
            "c",
            Some(("YEAR(c)", &["1", "(2)", "f(3, 4)"], false)),
        );
        sides("f(c) NOT BETWEEN 1 AND 2", "c", Some(("f(c)", &["1", "2"], false)));
        sides("c = 1 = 2", "c", None);
        sides("c LIKE 'a' ESCAPE '!'", "c", None);
        sides("CASE WHEN c = 1 THEN 2 END = 3", "c", None);
        sides("c", "c", None);
    }

    #[test]
    fn columns_are_found_by_name_and_functions_are_not() {
        let text = "date(s . `date`) = date";
        let words = Words::of(text, &(0..text.len())).unwrap();
        assert_eq!(words.text(&words.column("date").unwrap()), "s . `date`");
        assert!(words.column("day").is_none());
        let call = words.call(&(0..6)).unwrap();
        assert_eq!(call.0, "DATE");
        assert!(words.is_column(&call.1[0]));
    }

    #[test]
    fn parentheses_that_do_not_match_give_no_words() {
        for text in ["a)", "(a", "a)("] {
            assert!(Words::of(text, &(0..text.len())).is_none(), "{text}");
        }
        assert!(Words::of("é", &(1..2)).is_none());
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(quoted("total"), "total");
        assert_eq!(quoted("order"), "`order`");
        assert_eq!(quoted("2nd"), "`2nd`");
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
