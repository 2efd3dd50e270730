//! The verb of a statement, and whether its tables follow it.
//!
//! ```text
//! UPDATE a SET b = (SELECT …)      →   UPDATE SELECT
//! SHOW FULL TABLES FROM shop       →   SHOW TABLES
//! CREATE TEMPORARY TABLE t5 (…)    →   CREATE TABLE, and the name t5
//! ```

use crate::sql::distill::places::{Executed, Lower, executed, is_name};
use crate::sql::distill::tables::{TableName, defined, loaded};
use crate::sql::token::{Kind, Token};

/// Which table names follow the verb.
pub(super) enum Tables {
    None,
    /// Those the statement uses.
    Named,
    /// Those the statement uses, and what it defines.
    And(TableName),
}

const ADMINISTRATOR: &[u8] = b"administrator command:";

/// The verb of a statement, empty if it has no token.
pub(super) fn verbs(statement: &[u8]) -> (Vec<u8>, Tables) {
    if let Some(command) = statement.strip_prefix(ADMINISTRATOR) {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
        let length = command.iter().rposition(|byte| !is_end(byte));
        let command = command[..length.map_or(0, |last| last + 1)].trim_ascii();
        let item = [b"ADMIN ", command].concat().to_ascii_uppercase();
        return (item, Tables::None);
    }
    let mut tokens = executed(statement);
    let Some(first) = tokens.next() else {
        return (Vec::new(), Tables::None);
    };
    let word = match first.kind {
        Kind::Word => Lower::of(tokens.text(first)),
        _ => Lower::of(b""),
    };
    match word.as_bytes() {
        b"call" => (called(tokens), Tables::None),
        b"use" => (b"USE".to_vec(), Tables::None),
        b"unlock" => (b"UNLOCK".to_vec(), Tables::None),
        b"xa" => (xa(tokens), Tables::None),
        b"load" => (load(tokens), Tables::None),
        b"show" => (show(tokens), Tables::None),
        verb @ (b"create" | b"alter" | b"truncate" | b"drop" | b"rename") => {
            define(verb.to_ascii_uppercase(), tokens)
        }
        b"grant" | b"revoke" => (word.as_bytes().to_ascii_uppercase(), Tables::None),
        _ => (manipulate(statement), Tables::Named),
    }
}

/// `CALL` and the name as it is spelt.
fn called(mut tokens: Executed<'_>) -> Vec<u8> {
    let mut text = b"CALL".to_vec();
    let mut separator = b' ';
    while let Some(name) = tokens.next().filter(|token| is_name(token.kind)) {
        text.push(separator);
        text.extend_from_slice(tokens.text(name));
        separator = b'.';
        if !tokens.next_is(b".") {
            break;
        }
        tokens.next();
    }
    text
}

/// `XA_` and the second word as it is spelt, as pt-query-digest has it.
fn xa(mut tokens: Executed<'_>) -> Vec<u8> {
    let mut text = b"XA".to_vec();
    if let Some(verb) = tokens.next() {
        text.push(b'_');
        text.extend_from_slice(tokens.text(verb));
    }
    text
}

/// `LOAD DATA` and the table, whose digits stay; LOAD XML counts as data.
fn load(mut tokens: Executed<'_>) -> Vec<u8> {
    let what = tokens.peek().map(|token| tokens.text(token));
    let mut text = match what {
        Some(what) if what.eq_ignore_ascii_case(b"index") => b"LOAD INDEX".to_vec(),
        _ => b"LOAD DATA".to_vec(),
    };
    if let Some(table) = loaded(&mut tokens) {
        text.push(b' ');
        text.extend_from_slice(&table.dotted());
    }
    text
}

/// `SHOW` and at most two words that say what.
fn show(mut tokens: Executed<'_>) -> Vec<u8> {
    let mut text = b"SHOW".to_vec();
    let mut words = 0;
    while let Some(token) = tokens.next().filter(|token| token.kind == Kind::Word)
        && words < 2
    {
        let lower = Lower::of(tokens.text(token));
        let word = match lower.as_bytes() {
            b"for" | b"from" | b"like" | b"where" | b"limit" | b"in" => break,
            b"session" | b"full" | b"storage" | b"engine" => continue,
            b"count" => {
                // SHOW COUNT(*) WARNINGS
                let mut rest = tokens.clone();
                rest.find(|token| tokens.text(*token) == b")");
                tokens = rest;
                continue;
            }
            b"schema" => b"DATABASE".to_vec(),
            b"schemas" => b"DATABASES".to_vec(),
            b"keys" | b"indexes" => b"INDEX".to_vec(),
            _ => tokens.text(token).to_ascii_uppercase(),
        };
        text.push(b' ');
        text.extend_from_slice(&word);
        words += 1;
    }
    text
}

/// The verb, TABLE or DATABASE, and the name.
fn define(mut text: Vec<u8>, mut tokens: Executed<'_>) -> (Vec<u8>, Tables) {
    match defined(&mut tokens) {
        None => (text, Tables::Named),
        Some(defined) => {
            text.push(b' ');
            text.extend_from_slice(defined.object.as_bytes());
            let tables = defined.name.map_or(Tables::Named, Tables::And);
            (text, tables)
        }
    }
}

/// The verbs of all parts, or the first word if there is none.
fn manipulate(statement: &[u8]) -> Vec<u8> {
    let mut verbs: Vec<&'static str> = Vec::new();
    let mut tokens = executed(statement);
    let mut before: Option<Token> = None;
    let mut position = 0_usize;
    while let Some(token) = tokens.next() {
        let verb = verb(&tokens, before, token, position == 0);
        if let Some(verb) = verb
            && verbs.last() != Some(&verb)
        {
            verbs.push(verb);
        }
        before = Some(token);
        position += 1;
    }
    match verbs.first() {
        None => first_word(statement),
        Some(&"SELECT") if verbs.contains(&"UNION") => b"SELECT UNION".to_vec(),
        Some(&"SELECT") => b"SELECT".to_vec(),
        Some(_) => verbs.join(" ").into_bytes(),
    }
}

/// The verb that a word is where it stands; words of clauses and functions are none.
fn verb(
    tokens: &Executed<'_>,
    before: Option<Token>,
    token: Token,
    is_first: bool,
) -> Option<&'static str> {
    if token.kind != Kind::Word {
        return None;
    }
    let behind =
        |word: &[u8]| before.is_some_and(|before| tokens.text(before).eq_ignore_ascii_case(word));
    match Lower::of(tokens.text(token)).as_bytes() {
        b"select" => Some("SELECT"),
        b"union" => Some("UNION"),
        b"insert" if !tokens.next_is(b"(") => Some("INSERT"),
        b"replace" if !tokens.next_is(b"(") => Some("REPLACE"),
        // The UPDATE of ON DUPLICATE KEY UPDATE is one: an upsert both inserts and updates.
        b"update" if !behind(b"for") && !behind(b"on") => Some("UPDATE"),
        b"delete" if !behind(b"on") => Some("DELETE"),
        b"flush" if is_first => Some("FLUSH"),
        b"commit" if is_first => Some("COMMIT"),
        b"rollback" if is_first => Some("ROLLBACK"),
        b"begin" if is_first => Some("BEGIN"),
        b"set" if is_first => Some("SET"),
        b"start" if is_first => Some("START"),
        b"lock" if is_first => Some("LOCK"),
        _ => None,
    }
}

/// The first word in upper case, with TABLE for maintenance (`OPTIMIZE TABLE`).
fn first_word(statement: &[u8]) -> Vec<u8> {
    let mut tokens = executed(statement);
    let Some(first) = tokens.next().filter(|token| token.kind == Kind::Word) else {
        return Vec::new();
    };
    let mut text = tokens.text(first).to_ascii_uppercase();
    if let b"ANALYZE" | b"CHECK" | b"CHECKSUM" | b"OPTIMIZE" | b"REPAIR" = text.as_slice() {
        let mut ahead = tokens.clone().take(2);
        if ahead
            .any(|token| matches!(Lower::of(tokens.text(token)).as_bytes(), b"table" | b"tables"))
        {
            text.extend_from_slice(b" TABLE");
        }
    }
    text
}
