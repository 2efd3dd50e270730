//! The tables a statement uses.
//!
//! Mostly all [`places`]; some statements have words of their own around a name
//! (`DESCRIBE t`, `SHOW INDEX FROM t`), and data definition counts only what it defines, or
//! what it reads if it has a SELECT. That is how pt-query-digest counts.

use std::collections::HashSet;

use crate::sql::distill::places::{Executed, Lower, executed, is_name, places, unquoted};
use crate::sql::token::{Kind, Token, tokens};

/// A table as a statement names it, without back-quotes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableName {
    /// The database before the dot, if the statement names one.
    pub database: Option<Vec<u8>>,
    /// The table's own name.
    pub name: Vec<u8>,
}

impl TableName {
    /// Reads `db.name` or `name`, quoted or not.
    pub(in crate::sql) fn read(dotted: &[u8]) -> Self {
        let mut parts = tokens(dotted)
            .filter(|token| is_name(token.kind))
            .map(|token| unquoted(token.of(dotted)));
        let first = parts.next().unwrap_or_default();
        match parts.next() {
            Some(name) => Self { database: Some(first), name },
            None => Self { database: None, name: first },
        }
    }

    pub(super) fn dotted(&self) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some(database) = &self.database {
            text.extend_from_slice(database);
            text.push(b'.');
        }
        text.extend_from_slice(&self.name);
        text
    }
}

/// The tables a statement uses, each once, in order of first appearance.
///
/// Common table expressions, files and variables are none.
pub fn tables(statement: &[u8]) -> Vec<TableName> {
    let mut seen = HashSet::new();
    let mut tables = uses(statement);
    tables.retain(|table| seen.insert(table.clone()));
    tables
}

/// Every use of a table, in order; repeats stay.
pub(super) fn uses(statement: &[u8]) -> Vec<TableName> {
    let mut tokens = executed(statement);
    let Some(first) = tokens.next() else {
        return Vec::new();
    };
    let lower = Lower::of(tokens.text(first));
    match lower.as_bytes() {
        b"create" | b"alter" | b"truncate" | b"drop" | b"rename" => {
            let select = (lower.as_bytes() == b"create")
                .then(|| tokens.clone().find(|token| is_word(&tokens, *token, b"select")))
                .flatten();
            match (select, defined(&mut tokens)) {
                (Some(select), _) => named_behind(statement, select.start),
                (None, Some(Defined { object: "TABLE", name })) => name.into_iter().collect(),
                (None, _) => Vec::new(),
            }
        }
        b"show" => shown(&mut tokens).into_iter().collect(),
        b"load" => loaded(&mut tokens).into_iter().collect(),
        b"describe" | b"desc" | b"explain" | b"handler" => match described(tokens) {
            Some(table) => vec![table],
            None => named_behind(statement, 0),
        },
        b"administrator" | b"flush" | b"grant" | b"revoke" | b"prepare" | b"use" => Vec::new(),
        _ => named_behind(statement, 0),
    }
}

fn is_word(tokens: &Executed<'_>, token: Token, word: &[u8]) -> bool {
    token.kind == Kind::Word && tokens.text(token).eq_ignore_ascii_case(word)
}

/// The tables at all places from `start` on.
fn named_behind(statement: &[u8], start: usize) -> Vec<TableName> {
    places(statement)
        .filter(|place| place.start >= start && !place.is_common)
        .map(|place| TableName::read(&statement[place.start..place.end]))
        .collect()
}

/// What data definition defines: `TABLE` or `DATABASE`, and its first name.
pub(super) struct Defined {
    pub object: &'static str,
    pub name: Option<TableName>,
}

/// Reads on behind CREATE, ALTER, TRUNCATE, DROP or RENAME.
pub(super) fn defined(tokens: &mut Executed<'_>) -> Option<Defined> {
    let object = loop {
        let token = tokens.next().filter(|token| token.kind == Kind::Word)?;
        match Lower::of(tokens.text(token)).as_bytes() {
            b"table" | b"tables" => break "TABLE",
            b"database" => break "DATABASE",
            b"or" | b"replace" | b"temporary" | b"online" | b"offline" | b"ignore" => {}
            _ => return None,
        }
    };
    let mut next = tokens.next();
    while let Some(token) = next
        && matches!(Lower::of(tokens.text(token)).as_bytes(), b"if" | b"not" | b"exists")
    {
        next = tokens.next();
    }
    let first = next.filter(|token| is_name(token.kind));
    let name = first.map(|first| tokens.name(first));
    Some(Defined { object, name })
}

/// The table of `DESCRIBE t`, `EXPLAIN t` or `HANDLER t …`; a statement explained is none.
fn described(mut tokens: Executed<'_>) -> Option<TableName> {
    let first = tokens.next().filter(|token| is_name(token.kind))?;
    match Lower::of(tokens.text(first)).as_bytes() {
        b"select" | b"insert" | b"replace" | b"update" | b"delete" | b"with" | b"table"
        | b"values" | b"format" | b"extended" | b"partitions" | b"analyze" | b"for" => None,
        _ => Some(tokens.name(first)),
    }
}

/// The table of `SHOW COLUMNS FROM t`, `SHOW INDEX IN t` or `SHOW CREATE TABLE t`.
fn shown(tokens: &mut Executed<'_>) -> Option<TableName> {
    let mut of_table = false;
    while let Some(token) = tokens.next() {
        match Lower::of(tokens.text(token)).as_bytes() {
            b"columns" | b"fields" | b"index" | b"indexes" | b"keys" => of_table = true,
            b"from" | b"in" if of_table => break,
            b"table" if !of_table => {
                let name = tokens.next().filter(|token| is_name(token.kind))?;
                let is_status = is_word(tokens, name, b"status");
                return (!is_status).then(|| tokens.name(name));
            }
            b"full" | b"extended" | b"create" => {}
            _ => return None,
        }
    }
    let name = tokens.next().filter(|token| is_name(token.kind))?;
    Some(tokens.name(name))
}

/// The table of `LOAD DATA … INTO TABLE t` or `LOAD INDEX INTO CACHE t`.
pub(super) fn loaded(tokens: &mut Executed<'_>) -> Option<TableName> {
    let mut behind_into = false;
    while let Some(token) = tokens.next() {
        if behind_into && (is_word(tokens, token, b"table") || is_word(tokens, token, b"cache")) {
            let name = tokens.next().filter(|token| is_name(token.kind))?;
            return Some(tokens.name(name));
        }
        behind_into = is_word(tokens, token, b"into");
    }
    None
}
