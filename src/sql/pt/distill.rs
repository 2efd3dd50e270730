//! Verb and tables of a statement: the `Item` column.

use super::comments::delete_comments;
use super::scan::{
    find, find_byte, find_word, is_space, is_word, replace_all, run, some_spaces, spaces,
    whole_word, word,
};
use super::tables::{definition_verb, loaded, name_behind, table_names};

/// The verbs of a statement and the tables it names, joined by blanks.
pub fn distill(statement: &[u8]) -> Vec<u8> {
    let verbs = verbs(statement);
    if !verbs.tables {
        return verbs.text;
    }
    let names = table_names(statement).into_iter().map(fold_digits);
    let mut parts = vec![verbs.text];
    for name in names.chain(verbs.object) {
        if parts.len() == 1 || parts.last() != Some(&name) {
            parts.push(name);
        }
    }
    parts.join(&b' ')
}

/// What a statement does, and to what.
struct Verbs {
    text: Vec<u8>,
    /// The table or database a data definition is about.
    object: Option<Vec<u8>>,
    /// Whether the tables the statement names belong to the item.
    tables: bool,
}

impl Verbs {
    fn new(text: impl Into<Vec<u8>>) -> Verbs {
        Verbs { text: text.into(), object: None, tables: true }
    }

    fn alone(text: impl Into<Vec<u8>>) -> Verbs {
        Verbs { tables: false, ..Verbs::new(text) }
    }
}

/// Takes the back-quotes off a name and turns its digits into `?`.
fn fold_digits(mut name: Vec<u8>) -> Vec<u8> {
    name.retain(|&b| b != b'`');
    replace_all(
        name,
        |b| b.is_ascii_digit(),
        |text, at, out| {
            out.push(b'?');
            Some(run(text, at, |b| b.is_ascii_digit()))
        },
    )
}

fn verbs(statement: &[u8]) -> Verbs {
    const ADMINISTRATOR: &[u8] = b"administrator command:";
    let start = spaces(statement, 0);
    if let Some(verb) = word_behind(statement, start, "call").and_then(call) {
        return verb;
    }
    if statement[start..].starts_with(b"use") && some_spaces(statement, start + 3).is_some() {
        return Verbs::new("USE");
    }
    if word(statement, start, "UNLOCK TABLES").is_some() {
        return Verbs::new("UNLOCK");
    }
    if let Some(command) = word_behind(statement, start, "xa") {
        return Verbs::new([b"XA_", command].concat());
    }
    if word(statement, start, "LOAD").is_some() {
        let mut table = loaded(statement).unwrap_or_default().to_vec();
        table.retain(|&b| b != b'`');
        return Verbs::alone([b"LOAD DATA ".to_vec(), table].concat());
    }
    if let Some(command) = statement.strip_prefix(ADMINISTRATOR) {
        return Verbs::new([b"ADMIN", command].concat().to_ascii_uppercase());
    }
    let text = show_versions(delete_comments(statement.to_vec()));
    if word(&text, spaces(&text, 0), "SHOW").and_then(|end| some_spaces(&text, end)).is_some() {
        let text = alias(show(&text.to_ascii_uppercase()));
        let tables = !text.starts_with(b"SHOW");
        return Verbs { tables, ..Verbs::new(text) };
    }
    if let Some(verb) = definition_verb(&text) {
        return definition(&text, verb);
    }
    manipulation(&text)
}

/// The word behind `keyword` at `at`.
fn word_behind<'a>(text: &'a [u8], at: usize, keyword: &str) -> Option<&'a [u8]> {
    let start = some_spaces(text, word(text, at, keyword)?)?;
    let end = run(text, start, |b| !is_space(b));
    (end > start).then(|| &text[start..end])
}

/// `CALL` and the procedure, if a parenthesis is attached to its name.
fn call(procedure: &[u8]) -> Option<Verbs> {
    let end = procedure.iter().rposition(|&b| b == b'(').filter(|&end| end > 0)?;
    Some(Verbs::new([b"CALL ", &procedure[..end]].concat()))
}

/// Opens the version comments of a SHOW: all become what the first holds.
fn show_versions(text: Vec<u8>) -> Vec<u8> {
    let qualifier = || {
        text.starts_with(b"SHOW").then_some(())?;
        let mut from = 0;
        loop {
            let open = find(&text, from, b"/*!")? + 3;
            let inside = run(&text, open, |b| b.is_ascii_digit());
            if inside > open {
                return Some(text[inside..find(&text, inside, b"*/")?].to_vec());
            }
            from = open;
        }
    };
    let Some(qualifier) = qualifier() else {
        return text;
    };
    let mut open_ended = false;
    replace_all(
        text,
        |b| b == b'/',
        |text, at, out| {
            let opens = text[at..].starts_with(b"/*") && !open_ended;
            let open = opens.then_some(at + 2)?;
            let digit = text[open..].iter().position(u8::is_ascii_digit);
            let close = digit.and_then(|digit| find(text, open + digit + 1, b"*/"));
            // Where this one has no end, none that begins later has.
            open_ended = close.is_none();
            let close = close?;
            out.extend_from_slice(&qualifier);
            Some(close + 2)
        },
    )
}

/// What is shown: `SHOW` and at most two words. Expects upper case.
fn show(text: &[u8]) -> Vec<u8> {
    let text = drop_show_words(text.to_vec());
    let text = drop_count(text);
    let end = filter(&text).unwrap_or(text.len());
    let text = two_words(&text[..end]);
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        let blank = is_space(byte);
        if !(blank && out.last() == Some(&b' ')) {
            out.push(if blank { b' ' } else { byte });
        }
    }
    out
}

fn drop_show_words(text: Vec<u8>) -> Vec<u8> {
    const WORDS: &[&str] = &["SESSION", "FULL", "STORAGE", "ENGINE"];
    let mut free = 0;
    replace_all(text, is_space, |text, at, out| {
        if at > free && is_space(text[at - 1]) {
            return None;
        }
        let start = spaces(text, at);
        let end = WORDS.iter().find_map(|w| whole_word(text, start, w))?;
        out.push(b' ');
        free = end;
        Some(end)
    })
}

/// Deletes `COUNT(*)`, and anything else from `COUNT` to the next closing parenthesis.
fn drop_count(text: Vec<u8>) -> Vec<u8> {
    let mut free = 0;
    let mut open_ended = false;
    replace_all(text, is_space, |text, at, _| {
        if open_ended || (at > free && is_space(text[at - 1])) {
            return None;
        }
        let count = word(text, spaces(text, at), "COUNT")?;
        let close = find_byte(text, count, b')');
        open_ended = close.is_none();
        let close = close.filter(|&close| close > count)?;
        free = close + 1;
        Some(free)
    })
}

/// Where the part of a SHOW begins that says which rows to show.
fn filter(text: &[u8]) -> Option<usize> {
    const WORDS: &[&str] = &["FOR", "FROM", "LIKE", "WHERE", "LIMIT", "IN"];
    let mut at = 0;
    while at < text.len() {
        let start = spaces(text, at);
        if start > at {
            let end = WORDS.iter().find_map(|w| whole_word(text, start, w));
            if end.is_some_and(|end| end < text.len()) {
                return Some(at);
            }
        }
        at = start + 1;
    }
    None
}

/// Cuts behind the second word after `SHOW`, if nothing stands before it.
fn two_words(text: &[u8]) -> &[u8] {
    let Some(show) = word(text, 0, "SHOW") else {
        return text;
    };
    let mut end = show;
    for _ in 0..2 {
        let Some(start) = some_spaces(text, end).filter(|&start| start < text.len()) else {
            break;
        };
        end = run(text, start, |b| !is_space(b));
    }
    if end == show { text } else { &text[..end] }
}

/// Gives things that have two names the one.
fn alias(mut text: Vec<u8>) -> Vec<u8> {
    for (other, name) in [("SCHEMA", "DATABASE"), ("INDEXES", "INDEX"), ("KEYS", "INDEX")] {
        if let Some(found) = find_word(&text, 0, other) {
            text.splice(found, name.bytes());
        }
    }
    text
}

/// The verb of a data definition, with what kind of thing it defines and its name.
fn definition(text: &[u8], verb: &[u8]) -> Verbs {
    let text = without_exists(text);
    let kind = text.split(|&b| b == b'\n').find_map(|line| kind(line, verb));
    let verb = verb.to_ascii_uppercase();
    let object = name_behind(&text, &["TABLE", "DATABASE"]);
    let text = kind.map_or(verb.clone(), |kind| [&verb[..], kind.as_bytes()].join(&b' '));
    Verbs { object, ..Verbs::new(text) }
}

/// The last kind of thing on a line, somewhere behind the verb.
fn kind(line: &[u8], verb: &[u8]) -> Option<&'static str> {
    let verb = find_word(line, 0, &String::from_utf8_lossy(verb))?;
    let kinds = ["DATABASE", "TABLE"];
    let at = |at| kinds.into_iter().find(|kind| whole_word(line, at, kind).is_some());
    (verb.end + 1..line.len()).rev().find_map(at)
}

/// Replaces the first `IF EXISTS` or `IF NOT EXISTS`, with what precedes it, by a blank.
fn without_exists(text: &[u8]) -> Vec<u8> {
    let mut done = false;
    replace_all(text.to_vec(), is_space, |text, at, out| {
        if done || (at > 0 && is_space(text[at - 1])) {
            return None;
        }
        let after = word(text, spaces(text, at), "IF")?;
        let not = some_spaces(text, after).and_then(|at| word(text, at, "NOT"));
        let exists = some_spaces(text, not.unwrap_or(after))?;
        let end = word(text, exists, "EXISTS")?;
        done = true;
        out.push(b' ');
        Some(end)
    })
}

/// The verbs of a statement that is no data definition, wherever they stand.
fn manipulation(text: &[u8]) -> Verbs {
    const ANYWHERE: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "UNION"];
    const AT_START: &[&str] =
        &["SHOW", "FLUSH", "COMMIT", "ROLLBACK", "BEGIN", "SET", "START", "LOCK"];
    let mut verbs: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = run(text, at, is_word);
        let is = |verb: &&&str| text[at..end].eq_ignore_ascii_case(verb.as_bytes());
        let at_start = if at == 0 { AT_START } else { &[] };
        if let Some(verb) = ANYWHERE.iter().chain(at_start).find(is)
            && verbs.last() != Some(verb)
        {
            verbs.push(verb);
        }
        at = end + 1;
    }
    if verbs.len() > 1 && verbs[0] == "SELECT" {
        let union = verbs.contains(&"UNION");
        verbs = if union { vec!["SELECT", "UNION"] } else { vec!["SELECT"] };
    }
    let tables = verbs.first() != Some(&"SHOW");
    Verbs { tables, ..Verbs::new(verbs.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, want: &str) {
        let got = distill(statement.as_bytes());
        assert_eq!(String::from_utf8_lossy(&got), want, "{statement:?}");
    }

    #[test]
    fn use_counts_only_in_lower_case() {
        check("use shop", "USE");
        check("USE shop", "");
    }

    #[test]
    fn show_keeps_two_words() {
        check("show full tables from a", "SHOW TABLES");
        check("SHOW COUNT(*) WARNINGS LIMIT 5", "SHOW WARNINGS");
        check("SHOW /*!50002 FULL */ TABLES", "SHOW TABLES");
        check("SHOW TABLES FROM", "SHOW TABLES FROM");
        check("SHOW", "SHOW");
    }

    #[test]
    fn definitions_name_their_object_as_it_is() {
        check("create table if not exists t5 (a int)", "CREATE TABLE t? t5");
        check("create\ntable t", "CREATE t");
        check("drop database `a`", "DROP DATABASE `a`");
    }

    #[test]
    fn words_in_strings_are_verbs() {
        check("insert into a values ('select from b')", "INSERT SELECT a");
        check(" begin", "");
        check("select a union select b", "SELECT UNION");
        check("set a = replace(b, c)", "SET REPLACE");
    }
}
