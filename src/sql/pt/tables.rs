//! The tables a statement names, found by the words that precede them.
//!
//! There is no grammar here: whatever follows `from`, `join`, `update` or `into` and looks
//! like a name is a table, so `extract(year from added)` names one too.

use super::scan::{
    any_word, find_byte, find_whole_word, find_word, is_boundary, is_space, is_word, replace_all,
    run, some_spaces, spaces, whole_word, word,
};
use super::strings::blank_literals;
use crate::sql::distill::TableName;
use std::collections::HashSet;

/// The tables of a class: no name twice, in the order of their first appearance.
pub fn tables(statement: &[u8]) -> Vec<TableName> {
    let mut seen = HashSet::new();
    let names = table_names(statement).into_iter();
    names.filter(|name| seen.insert(name.clone())).filter_map(|name| split(&name)).collect()
}

/// Splits a name at its dot; what a second dot separates is lost.
///
/// An empty part, and one that is just `0`, counts as missing.
fn split(name: &[u8]) -> Option<TableName> {
    let mut parts = name.split(|&b| b == b'.').map(unquote);
    let mut part = || parts.next().filter(|part| !matches!(&part[..], b"" | b"0"));
    match (part(), part()) {
        (database, Some(name)) => Some(TableName { database, name }),
        (name, None) => name.map(|name| TableName { database: None, name }),
    }
}

/// Takes one back-quote off each end, and turns doubled ones inside into one.
fn unquote(part: &[u8]) -> Vec<u8> {
    let part = part.strip_prefix(b"`").unwrap_or(part);
    let part = part.strip_suffix(b"`").unwrap_or(part);
    replace_all(
        part.to_vec(),
        |b| b == b'`',
        |text, at, out| {
            text[at..].starts_with(b"``").then(|| {
                out.push(b'`');
                at + 2
            })
        },
    )
}

/// The tables a statement names, as it spells them and as often.
pub fn table_names(statement: &[u8]) -> Vec<Vec<u8>> {
    match definition_verb(statement) {
        Some(verb) => defined(statement, verb),
        None => manipulated(statement),
    }
}

/// The verb of a data definition statement, if it is one.
pub(super) fn definition_verb(text: &[u8]) -> Option<&[u8]> {
    let start = spaces(text, 0);
    ["CREATE", "ALTER", "TRUNCATE", "DROP", "RENAME"]
        .iter()
        .find_map(|verb| whole_word(text, start, verb))
        .map(|end| &text[start..end])
}

/// The end of the name at `at`, with its database: `` `shop`.books ``.
pub(super) fn name(text: &[u8], at: usize) -> Option<usize> {
    let end = name_part(text, at)?;
    let dotted = (text.get(end) == Some(&b'.')).then(|| name_part(text, end + 1));
    Some(dotted.flatten().unwrap_or(end))
}

fn name_part(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) == Some(&b'`') {
        find_byte(text, at + 1, b'`').filter(|&close| close > at + 1).map(|close| close + 1)
    } else {
        Some(run(text, at, is_word)).filter(|&end| end > at)
    }
}

/// The first name behind one of `keywords` and white space.
pub(super) fn name_behind(text: &[u8], keywords: &[&str]) -> Option<Vec<u8>> {
    (0..text.len()).find_map(|at| {
        let start = some_spaces(text, any_word(text, at, keywords)?)?;
        Some(text[start..name(text, start)?].to_vec())
    })
}

/// The word behind `INTO TABLE`, whatever it is made of.
pub(super) fn loaded(text: &[u8]) -> Option<&[u8]> {
    let mut from = 0;
    loop {
        let keyword = find_word(text, from, "INTO TABLE")?;
        let start = spaces(text, keyword.end);
        let end = run(text, start, |b| !is_space(b));
        if start > keyword.end && end > start {
            return Some(&text[start..end]);
        }
        from = keyword.end;
    }
}

/// The one table of a data definition, or those it selects from.
fn defined(statement: &[u8], verb: &[u8]) -> Vec<Vec<u8>> {
    let text = without_exists(statement);
    let database = [verb, b" DATABASE"].concat();
    let database = String::from_utf8_lossy(&database);
    let mut from = 0;
    while let Some(found) = find_word(&text, from, &database) {
        if is_boundary(&text, found.end) {
            return Vec::new();
        }
        from = found.end;
    }
    if verb.eq_ignore_ascii_case(b"CREATE")
        && let Some(select) = selected(&text)
    {
        return manipulated(select);
    }
    name_behind(&text, &["TABLE"]).into_iter().collect()
}

/// Deletes the first `IF EXISTS` or `IF NOT EXISTS`.
fn without_exists(text: &[u8]) -> Vec<u8> {
    let condition = (0..text.len()).find_map(|at| {
        let after = some_spaces(text, word(text, at, "IF")?)?;
        let not = word(text, after, "NOT").and_then(|end| some_spaces(text, end));
        Some(at..word(text, not.unwrap_or(after), "EXISTS")?)
    });
    let mut text = text.to_vec();
    text.drain(condition.unwrap_or(0..0));
    text
}

/// The SELECT that a CREATE is filled from; it begins on the line of `create`.
fn selected(text: &[u8]) -> Option<&[u8]> {
    let on_create_line = text.split(|&b| b == b'\n').any(|line| {
        let mut from = 0;
        while let Some(create) = find_word(line, from, "CREATE") {
            if is_boundary(line, create.end) {
                return find_whole_word(line, create.end + 1, "SELECT").is_some();
            }
            from = create.end;
        }
        false
    });
    if !on_create_line {
        return None;
    }
    find_whole_word(text, 0, "SELECT").map(|select| &text[select.start..])
}

/// The tables of a statement that is no data definition.
fn manipulated(statement: &[u8]) -> Vec<Vec<u8>> {
    let text = without_modifiers(statement.to_vec());
    let text = locked(&text).unwrap_or(text);
    let text = blank_literals(text);
    let text = with_into(text);
    if word(&text, spaces(&text, 0), "LOAD DATA").is_some() {
        return loaded(&text).map(<[u8]>::to_vec).into_iter().collect();
    }
    let mut names = Vec::new();
    let mut at = 0;
    while at < text.len() {
        at = match list(&text, at) {
            Some((start, end)) => {
                let list = &text[start..end];
                if whole_word(list, 0, "SELECT").is_none() {
                    let pieces = list.split(|&b| b == b',').map(without_alias);
                    names.extend(pieces.filter(|n| n.iter().any(u8::is_ascii_alphabetic)));
                }
                end
            }
            None => at + 1,
        };
    }
    names
}

fn without_modifiers(text: Vec<u8>) -> Vec<u8> {
    const MODIFIERS: &[&str] = &["LOW_PRIORITY", "IGNORE", "STRAIGHT_JOIN", "DELAYED"];
    replace_all(
        text,
        |b| matches!(b.to_ascii_uppercase(), b'L' | b'I' | b'S' | b'D'),
        |text, at, out| {
            let end = some_spaces(text, any_word(text, at, MODIFIERS)?)?;
            out.push(b' ');
            Some(end)
        },
    )
}

/// Turns `LOCK TABLES a READ, b WRITE` into `FROM a, b`.
fn locked(text: &[u8]) -> Option<Vec<u8>> {
    let tables = some_spaces(text, word(text, spaces(text, 0), "LOCK TABLES")?)?;
    let list = [b"FROM ", &text[tables..]].concat();
    let mut free = 5;
    Some(replace_all(list, is_space, |text, at, _| {
        if at < free || (at > free && is_space(text[at - 1])) {
            return None;
        }
        let mode = any_word(text, spaces(text, at), &["READ", "WRITE"])?;
        let local = some_spaces(text, mode).and_then(|at| word(text, at, "LOCAL"));
        free = spaces(text, local.unwrap_or(mode));
        Some(free)
    }))
}

/// Gives INSERT and REPLACE the INTO they lack.
fn with_into(mut text: Vec<u8>) -> Vec<u8> {
    let gap = || {
        let verb = any_word(&text, spaces(&text, 0), &["INSERT", "REPLACE"])?;
        let table = some_spaces(&text, verb)?;
        word(&text, table, "INTO").is_none().then_some(verb..table)
    };
    if let Some(gap) = gap() {
        text.splice(gap, *b" INTO ");
    }
    text
}

/// Where the list of tables behind the keyword at `at` begins and ends.
fn list(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let may_begin = matches!(text[at].to_ascii_uppercase(), b'F' | b'J' | b'U' | b'I');
    if !may_begin || !is_boundary(text, at) {
        return None;
    }
    let keyword = any_word(text, at, &["FROM", "JOIN", "UPDATE", "INTO"])?;
    let for_key = |at: usize| {
        at.checked_sub(4)
            .is_some_and(|key| word(text, key, "KEY").is_some() && is_space(text[at - 1]))
    };
    let is_update = text[at].eq_ignore_ascii_case(&b'U');
    if !is_boundary(text, keyword) || (is_update && for_key(at)) {
        return None;
    }
    let open = spaces(text, keyword);
    let start = if text.get(open) == Some(&b'(') { open + 1 } else { open };
    let mut end = name(text, start)?;
    while let Some(next) = next_name(text, end) {
        end = next;
    }
    Some((start, end))
}

/// The end of the name behind an alias, if any, and a comma.
fn next_name(text: &[u8], at: usize) -> Option<usize> {
    let comma = |at: usize| (text.get(at) == Some(&b',')).then_some(at + 1);
    let alias = |at: usize| Some(run(text, at, is_word)).filter(|&end| end > at);
    let spaced = some_spaces(text, at);
    let with_as = || {
        let start = some_spaces(text, word(text, spaced?, "AS")?)?;
        comma(alias(start)?)
    };
    let without_as = || comma(alias(spaced?)?);
    let after = with_as().or_else(without_as).or_else(|| comma(at))?;
    name(text, spaces(text, after))
}

/// Reduces every name in a piece of a list to itself: what follows it on its line is its
/// alias.
fn without_alias(piece: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(piece.len());
    let mut at = 0;
    while at < piece.len() {
        let start = spaces(piece, at);
        if let Some(end) = name(piece, start) {
            out.extend_from_slice(&piece[start..end]);
            let alias = spaces(piece, end);
            at = if alias > end { run(piece, alias, |b| b != b'\n') } else { end };
        } else {
            // Nothing begins within this white space either.
            let next = (start + 1).min(piece.len());
            out.extend_from_slice(&piece[at..next]);
            at = next;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, want: &[&str]) {
        let got = table_names(statement.as_bytes());
        let got: Vec<_> = got.iter().map(|name| String::from_utf8_lossy(name)).collect();
        assert_eq!(got, want, "{statement:?}");
    }

    #[test]
    fn lists_lose_their_aliases() {
        check("select * from a as x, `b c`.d y, e", &["a", "`b c`.d", "e"]);
        check("select * from a force index (i), b", &["a"]);
        check("update a join b join a", &["a", "b", "a"]);
        check("select * from a as\nb, c", &["ab", "c"]);
    }

    #[test]
    fn words_that_precede_no_table_are_skipped() {
        check("insert into a values (1) on duplicate key update b = 1", &["a"]);
        check("select * from 123, 'x'", &[]);
        check("select * from (select 1)", &[]);
    }

    #[test]
    fn statements_of_other_kinds_have_their_own_rule() {
        check("insert a values (1)", &["a"]);
        check("lock tables a read local, b write", &["a", "b"]);
        check("load data infile 'x' into table `a`.b", &["`a`.b"]);
        check("create table a select * from b", &["b"]);
        check("drop table if exists a, b", &["a"]);
        check("drop database a", &[]);
    }

    #[test]
    fn classes_list_each_table_once() {
        let table = |database: Option<&str>, name: &str| TableName {
            database: database.map(Into::into),
            name: name.into(),
        };
        let got = tables(b"select * from `a`.b, c, `a`.b, d.0");
        assert_eq!(got, [table(Some("a"), "b"), table(None, "c"), table(None, "d")]);
    }
}
