//! What a statement is, and the query that advice reads of it.
//!
//! ```text
//! UPDATE cars c, fleets f SET c.state = f.state WHERE c.fleet = f.id
//! SELECT c.state := f.state FROM cars c, fleets f WHERE c.fleet = f.id     and cars is written
//! ```
//!
//! UPDATE and DELETE search as SELECT does, so their tokens are put in the order of one, and the
//! parser has to know queries only. Each token keeps its place in the text.

use std::ops::Range;

use sqlparser::keywords::Keyword;

use super::Refused;
use super::words::{NONE, Tok, Words};
use crate::sql::shape::{Verb, WriteKind};
use crate::sql::token::Kind;

/// A statement, cut into what the parser reads and what it writes.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) verb: Verb,
    /// Tokens of its query, in the order of a SELECT; none of INSERT … VALUES.
    pub(super) query: Vec<Tok>,
    /// How many of the items that are selected are the assignments of SET.
    pub(super) assignments: usize,
    /// The first block is not of the text: it holds the values of an INSERT.
    pub(super) is_of_values: bool,
    pub(super) writes: Vec<Target>,
}

/// What is written, as named.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) kind: WriteKind,
    /// Tokens of the name.
    pub(super) name: Range<usize>,
    /// Columns, each a token.
    pub(super) columns: Vec<Tok>,
    pub(super) rows: Option<u64>,
}

/// Tells what a statement is.
pub(super) fn statement(text: &str, words: &Words) -> Result<Statement, Refused> {
    let reader = Reader { text, words };
    reader.at(0).ok_or(Refused::NotOfRows)
}

struct Reader<'a> {
    text: &'a str,
    words: &'a Words,
}

/// Where a clause ends.
const TAIL: &[Keyword] = &[Keyword::WHERE, Keyword::ORDER, Keyword::LIMIT, Keyword::RETURNING];

impl Reader<'_> {
    fn tok(&self, at: usize) -> Option<Tok> {
        self.words.tokens.get(at).copied()
    }

    fn is(&self, at: usize, word: Keyword) -> bool {
        self.tok(at).is_some_and(|tok| tok.is(word))
    }

    fn is_any(&self, at: usize, words: &[Keyword]) -> bool {
        self.tok(at).is_some_and(|tok| words.contains(&tok.word))
    }

    fn text(&self, at: usize) -> &str {
        self.tok(at).map_or("", |tok| tok.sign(self.text))
    }

    fn says(&self, at: usize, text: &str) -> bool {
        self.text(at).eq_ignore_ascii_case(text)
    }

    fn len(&self) -> usize {
        self.words.tokens.len()
    }

    /// The token behind this one, or behind the parenthesis that it opens.
    fn next(&self, at: usize) -> usize {
        match self.says(at, "(") {
            true => match self.words.pair.get(at) {
                Some(&close) if close != NONE => close + 1,
                _ => self.len(),
            },
            false => at + 1,
        }
    }

    /// The first of these words from here on, outside of parentheses; else the end.
    fn find(&self, mut at: usize, found: impl Fn(usize) -> bool) -> usize {
        while at < self.len() && !found(at) {
            at = self.next(at);
        }
        at.min(self.len())
    }

    fn copy(&self, range: Range<usize>) -> &[Tok] {
        self.words.tokens.get(range).unwrap_or_default()
    }

    /// The statement that begins at a token.
    fn at(&self, at: usize) -> Option<Statement> {
        let first = self.tok(at)?;
        match first.word {
            Keyword::SELECT | Keyword::VALUES | Keyword::TABLE => Some(self.select(at)),
            Keyword::WITH => self.with(at),
            Keyword::INSERT => self.insert(at, WriteKind::Insert),
            Keyword::REPLACE => self.insert(at, WriteKind::Replace),
            Keyword::UPDATE => Some(self.update(at, &[])),
            Keyword::DELETE => Some(self.delete(at, &[])),
            Keyword::DESC | Keyword::ANALYZE => self.explained(at),
            Keyword::SET if self.says(at + 1, "STATEMENT") => {
                let behind = self.find(at, |at| self.is(at, Keyword::FOR)) + 1;
                if self.is(behind, Keyword::SET) { None } else { self.at(behind) }
            }
            _ if self.says(at, "(") => {
                let inside = (at..self.len()).find(|&at| !self.says(at, "("))?;
                let is_query = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::TABLE];
                self.is_any(inside, &is_query).then(|| self.select(at))
            }
            _ if self.says(at, "EXPLAIN") || self.says(at, "DESCRIBE") => self.explained(at),
            _ if self.says(at, "CREATE") => self.created(at),
            _ => None,
        }
    }

    fn select(&self, at: usize) -> Statement {
        Statement {
            verb: Verb::Select,
            query: self.copy(at..self.len()).to_vec(),
            ..Statement::default()
        }
    }

    /// Passes EXPLAIN and its options.
    fn explained(&self, at: usize) -> Option<Statement> {
        let verbs = [
            Keyword::SELECT,
            Keyword::WITH,
            Keyword::INSERT,
            Keyword::REPLACE,
            Keyword::UPDATE,
            Keyword::DELETE,
            Keyword::VALUES,
        ];
        let mut behind = at + 1;
        while behind < self.len().min(at + 8) {
            let is_of_table = self.is(behind, Keyword::TABLE) && !self.is(at, Keyword::ANALYZE);
            if self.is_any(behind, &verbs) || is_of_table || self.says(behind, "(") {
                return self.at(behind);
            }
            let tok = self.tok(behind)?;
            let is_option = matches!(tok.kind, Kind::Operator | Kind::Literal | Kind::Variable)
                || self.is_any(behind, &[Keyword::ANALYZE, Keyword::INTO, Keyword::FOR])
                || ["EXTENDED", "PARTITIONS", "FORMAT", "JSON", "TRADITIONAL", "TREE", "STATEMENT"]
                    .iter()
                    .any(|option| self.says(behind, option));
            if !is_option {
                return None;
            }
            behind += 1;
        }
        None
    }

    /// CREATE TABLE … SELECT.
    fn created(&self, at: usize) -> Option<Statement> {
        let table = (at..self.len().min(at + 5)).find(|&at| self.is(at, Keyword::TABLE))?;
        let mut name = table + 1;
        if self.says(name, "IF") {
            name += 3;
        }
        let name_end = self.name_end(name);
        let query = self.find(name_end, |at| {
            let opens = self.says(at, "(")
                && self.is_any(at + 1, &[Keyword::SELECT, Keyword::WITH, Keyword::VALUES]);
            let is_with = self.is(at, Keyword::WITH)
                && (self.is(at + 1, Keyword::RECURSIVE) || self.is(at + 2, Keyword::AS));
            opens || is_with || self.is_any(at, &[Keyword::SELECT, Keyword::VALUES])
        });
        let mut statement = self.at(query)?;
        statement.verb = Verb::Other;
        let target = Target {
            kind: WriteKind::Insert,
            name: name..name_end,
            columns: Vec::new(),
            rows: None,
        };
        statement.writes = vec![target];
        Some(statement)
    }

    /// Where a name that may have dots ends.
    fn name_end(&self, mut at: usize) -> usize {
        at += usize::from(self.says(at, "."));
        while self.says(at + 1, ".") {
            at += 2;
        }
        (at + 1).min(self.len())
    }

    /// WITH, then the statement that it is for.
    fn with(&self, at: usize) -> Option<Statement> {
        let mut behind = at + 1 + usize::from(self.is(at + 1, Keyword::RECURSIVE));
        loop {
            behind = self.find(behind, |at| self.is(at, Keyword::AS)) + 1;
            behind = self.next(behind);
            if !self.says(behind, ",") {
                break;
            }
            behind += 1;
        }
        let with = self.copy(at..behind);
        match self.tok(behind).map(|tok| tok.word) {
            Some(Keyword::UPDATE) => Some(self.update(behind, with)),
            Some(Keyword::DELETE) => Some(self.delete(behind, with)),
            _ => Some(self.select(at)),
        }
    }

    fn modifiers(&self, mut at: usize) -> usize {
        let words = [Keyword::LOW_PRIORITY, Keyword::HIGH_PRIORITY, Keyword::IGNORE];
        while self.is_any(at, &words) || self.says(at, "QUICK") || self.says(at, "DELAYED") {
            at += 1;
        }
        at
    }

    fn update(&self, at: usize, with: &[Tok]) -> Statement {
        let verb = self.tok(at).unwrap_or(EMPTY);
        let tables = self.modifiers(at + 1);
        let set = self.find(tables, |at| self.is(at, Keyword::SET));
        let tail = self.find(set, |at| self.is_any(at, TAIL));
        let mut assigned = Vec::new();
        let mut assignments = 0;
        let mut is_target = true;
        let mut each = set + 1;
        while each < tail {
            let end = self.next(each).min(tail);
            match self.text(each) {
                "=" | ":=" if is_target => {
                    is_target = false;
                    assignments += 1;
                    // The `=` of SET is marked, so that it binds looser than all else.
                    let tok = self.tok(each).unwrap_or(EMPTY);
                    assigned.push(Tok { kind: Kind::At, ..tok });
                }
                "," => {
                    is_target = true;
                    assigned.extend(self.copy(each..end));
                }
                _ => assigned.extend(self.copy(each..end)),
            }
            each = end;
        }
        self.searching(verb, with, (assigned, assignments), tables..set, tail, Verb::Update)
    }

    /// A query for the tables and the tail of UPDATE and DELETE.
    fn searching(
        &self,
        verb: Tok,
        with: &[Tok],
        (mut items, assignments): (Vec<Tok>, usize),
        tables: Range<usize>,
        tail: usize,
        is: Verb,
    ) -> Statement {
        let returning = self.find(tail, |at| self.is(at, Keyword::RETURNING));
        let returned = self.copy(returning + 1..self.len());
        if !returned.is_empty() {
            if !items.is_empty() {
                items.push(verb.as_comma());
            }
            items.extend(returned);
        }
        let mut query = with.to_vec();
        query.push(verb.as_word(Keyword::SELECT));
        if items.is_empty() {
            query.push(Tok { kind: Kind::Literal, start: verb.end, end: verb.end, ..verb });
        }
        query.extend(items);
        query.push(verb.as_word(Keyword::FROM));
        query.extend(self.copy(tables));
        query.extend(self.copy(tail..returning));
        Statement { verb: is, query, assignments, ..Statement::default() }
    }

    fn delete(&self, at: usize, with: &[Tok]) -> Statement {
        let verb = self.tok(at).unwrap_or(EMPTY);
        let first = self.modifiers(at + 1);
        let ends = |at: usize| self.is_any(at, TAIL);
        let from = self.find(first, |at| self.is(at, Keyword::FROM) || ends(at));
        let (targets, tables) = match from == first {
            true => {
                let using = self.find(from, |at| self.is(at, Keyword::USING) || ends(at));
                match self.is(using, Keyword::USING) {
                    true => (from + 1..using, using + 1),
                    false => (0..0, from + 1),
                }
            }
            false => (first..from, from + 1),
        };
        let tail = self.find(tables, ends);
        let items = (Vec::new(), 0);
        let mut statement = self.searching(verb, with, items, tables..tail, tail, Verb::Delete);
        let mut name = targets.start;
        while name < targets.end {
            let end = self.find(name, |at| self.says(at, ",")).min(targets.end);
            let is_star = self.says(end.saturating_sub(1), "*");
            let name_end = if is_star { end.saturating_sub(2) } else { end };
            if name < name_end {
                statement.writes.push(Target {
                    kind: WriteKind::Delete,
                    name: name..name_end,
                    columns: Vec::new(),
                    rows: None,
                });
            }
            name = end + 1;
        }
        statement
    }

    fn insert(&self, at: usize, kind: WriteKind) -> Option<Statement> {
        let verb = self.tok(at)?;
        let mut name = self.modifiers(at + 1);
        name += usize::from(self.is(name, Keyword::INTO));
        let mut behind = self.name_end(name);
        let mut target = Target { kind, name: name..behind, columns: Vec::new(), rows: None };
        if self.is(behind, Keyword::PARTITION) {
            behind = self.next(behind + 1);
        }
        let opens_query = [Keyword::SELECT, Keyword::WITH, Keyword::VALUES, Keyword::TABLE];
        if self.says(behind, "(")
            && !self.is_any(behind + 1, &opens_query)
            && !self.says(behind + 1, "(")
        {
            let end = self.next(behind);
            target.columns = (behind + 1..end)
                .filter(|&at| self.names_column(at))
                .filter_map(|at| self.tok(at))
                .collect();
            behind = end;
        }
        let mut statement = Statement {
            verb: if kind == WriteKind::Insert { Verb::Insert } else { Verb::Replace },
            ..Statement::default()
        };
        let is_tail = |at: usize| {
            self.is(at, Keyword::RETURNING)
                || (self.is(at, Keyword::ON) && self.is(at + 1, Keyword::DUPLICATE))
        };
        let tail = self.find(behind, is_tail);
        match self.tok(behind).map(|tok| tok.word) {
            Some(Keyword::VALUES | Keyword::VALUE) => {
                let mut rows = 0;
                let mut row = behind + 1;
                while row < tail {
                    if self.says(row, "(") {
                        rows += 1;
                    } else if self.is(row, Keyword::AS) {
                        break;
                    }
                    row = self.next(row);
                }
                target.rows = Some(rows);
                self.values(verb, behind + 1..row.min(tail), &mut statement);
            }
            Some(Keyword::SET) => {
                target.rows = Some(1);
                target.columns = self.assigned(behind + 1, tail);
                self.values(verb, behind + 1..tail, &mut statement);
            }
            Some(_) => statement.query = self.copy(behind..tail).to_vec(),
            None => {}
        }
        if self.is(tail, Keyword::ON) {
            let end = self.find(tail, |at| self.is(at, Keyword::RETURNING));
            let set = self.find(tail, |at| self.is(at, Keyword::UPDATE));
            target.columns.extend(self.assigned(set + 1, end));
        }
        statement.writes.push(target);
        Some(statement)
    }

    /// Whether a token of a list of columns is the last part of a name.
    fn names_column(&self, at: usize) -> bool {
        let ends = self.says(at + 1, ",") || self.says(at + 1, ")");
        let is_name = self
            .tok(at)
            .is_some_and(|tok| matches!(tok.kind, Kind::Word | Kind::Name | Kind::Quoted));
        ends && is_name
    }

    /// The columns that are set between two tokens.
    fn assigned(&self, from: usize, to: usize) -> Vec<Tok> {
        let mut columns = Vec::new();
        let mut at = from;
        let mut is_target = true;
        while at < to {
            match self.text(at) {
                "=" | ":=" if is_target => {
                    is_target = false;
                    columns.extend(at.checked_sub(1).and_then(|at| self.tok(at)));
                }
                "," => is_target = true,
                _ => {}
            }
            at = self.next(at);
        }
        columns
    }

    /// Subqueries among the values of an INSERT: a query that selects them.
    fn values(&self, verb: Tok, range: Range<usize>, statement: &mut Statement) {
        let opens = |at: usize| {
            self.says(at, "(") && self.is_any(at + 1, &[Keyword::SELECT, Keyword::WITH])
        };
        let mut at = range.start;
        while at < range.end {
            if opens(at) {
                let end = self.next(at).min(range.end);
                statement.query.push(match statement.query.is_empty() {
                    true => verb.as_word(Keyword::SELECT),
                    false => verb.as_comma(),
                });
                statement.query.extend(self.copy(at..end));
                at = end;
            } else {
                at += 1;
            }
        }
        statement.is_of_values = !statement.query.is_empty();
    }
}

const EMPTY: Tok = Tok { kind: Kind::Word, start: 0, end: 0, word: Keyword::NoKeyword };
