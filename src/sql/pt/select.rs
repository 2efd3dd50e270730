//! The SELECT that reads the rows a write touches.
//!
//! Each form has a pattern that may begin anywhere in the text and must reach its end; the
//! first that fits rewrites the text. Then whatever precedes the first SELECT goes. What
//! comes out need not be SQL: the tool gives it to EXPLAIN and sees.

use super::scan::{
    find, find_byte, find_whole_word, find_word, is_boundary, is_end, is_space, run, some_spaces,
    spaces, spaces_before, whole_word, word,
};
use std::num::NonZeroUsize;
use std::ops::Range;

/// Rewrites UPDATE, INSERT, REPLACE or DELETE as a SELECT of the same rows.
///
/// Wants the shortened sample. `None` when nothing that begins with `select` comes out.
pub fn as_select(sample: &[u8]) -> Option<Vec<u8>> {
    if assigns_select(sample) {
        return None;
    }
    let mut text = update(sample)
        .or_else(|| insert_values(sample))
        .or_else(|| insert_set(sample))
        .or_else(|| delete(sample))
        .unwrap_or_else(|| sample.to_vec());
    if let Some(clause) = on_duplicate_key_update(&text) {
        text.truncate(clause);
    }
    if let Some(select) = find_whole_word(&text, 0, "SELECT") {
        text.drain(..select.start);
    }
    let start = run(&text, 0, |b| b == b'(' || is_space(b));
    word(&text, start, "select").map(|_| text)
}

/// Whether a subquery stands behind an equals sign.
fn assigns_select(text: &[u8]) -> bool {
    let subquery = |at: usize| {
        let open = spaces(text, at + 1);
        text.get(open) == Some(&b'(') && word(text, spaces(text, open + 1), "SELECT ").is_some()
    };
    (0..text.len()).filter(|&at| text[at] == b'=').any(subquery)
}

/// `UPDATE tables SET … WHERE … LIMIT …`
fn update(text: &[u8]) -> Option<Vec<u8>> {
    let (tables, set) = updated_tables(text)?;
    let end = assignments(text, set);
    let limit_end = text.len() - usize::from(text.ends_with(b"\n"));
    let condition = whole_word(text, spaces(text, end), "where");
    let limit = match condition {
        Some(condition) => {
            let at = (condition..text.len()).find(|&at| is_last_limit(text, at));
            at.unwrap_or(limit_end.max(condition))
        }
        None => end,
    };
    let mut out = [b"select ", &text[set..end], b" from ", &text[tables], b" "].concat();
    if let Some(condition) = condition.filter(|&condition| condition < limit) {
        out.extend_from_slice(b"where ");
        out.extend_from_slice(&text[condition..limit]);
    }
    let limit_end = limit_end.max(limit);
    if limit < limit_end {
        out.extend([b" ", &text[limit..limit_end], b" "].concat());
    }
    out.extend_from_slice(&text[limit_end..]);
    Some(out)
}

/// The tables of the first UPDATE that has a SET, and where its assignments begin.
fn updated_tables(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let mut from = 0;
    loop {
        let verb = find_word(text, from, "update")?.end;
        from = verb;
        let Some(start) = some_spaces(text, verb) else {
            continue;
        };
        let modifier = ["low_priority", "ignore"].iter().find_map(|w| word(text, start, w));
        let past_modifier = modifier.and_then(|end| Some((end, some_spaces(text, end)?)));
        // No later UPDATE has a SET behind it when the first has none.
        return past_modifier
            .into_iter()
            .chain([(verb, start)])
            .find_map(|(keyword, start)| set_behind(text, keyword, start));
    }
}

/// Looks for SET behind the tables, which begin at `start`, the white space before them
/// at `keyword`.
fn set_behind(text: &[u8], keyword: usize, start: usize) -> Option<(Range<usize>, usize)> {
    let mut from = start;
    while let Some(found) = find_word(text, from, "set") {
        from = found.end;
        let end = spaces_before(text, start, found.start);
        if end < found.start && is_boundary(text, found.end) {
            return Some((start..end, found.end));
        }
    }
    // With two blanks before SET, no table at all stands between them.
    let set = whole_word(text, start, "set").filter(|_| start - keyword > 1)?;
    Some((start - 1..start - 1, set))
}

/// Where the assignments end: at WHERE, at the LIMIT that ends the text, or at its end.
///
/// WHERE need not begin a word.
fn assignments(text: &[u8], set: usize) -> usize {
    let mut at = set;
    while at < text.len() {
        let solid = spaces(text, at);
        if whole_word(text, solid, "where").is_some() {
            return at;
        }
        // Within white space, only its end can be the end of the text.
        let last_feed = (at..solid).find(|&at| is_end(text, at));
        if let Some(end) = last_feed {
            return end;
        }
        if is_end(text, solid) || is_last_limit(text, solid) {
            return solid;
        }
        at = solid + 1;
    }
    text.len()
}

/// Whether `limit 5` or `limit 5, 6` stands at `at` and ends the text.
fn is_last_limit(text: &[u8], at: usize) -> bool {
    let number = |at: usize| {
        let start = spaces(text, at);
        Some(run(text, start, |b| b.is_ascii_digit())).filter(|&end| end > start)
    };
    word(text, at, "limit").and_then(number).is_some_and(|end| {
        let comma = spaces(text, end);
        let second = (text.get(comma) == Some(&b',')).then(|| number(comma + 1)).flatten();
        is_end(text, end) || second.is_some_and(|end| is_end(text, end))
    })
}

/// Where the text behind INSERT or REPLACE and the first INTO begins.
fn behind_into(text: &[u8]) -> Option<usize> {
    let verb = |at: usize| {
        let end = word(text, at, "insert").or_else(|| word(text, at, "replace"))?;
        some_spaces(text, end)
    };
    let start = (0..text.len()).find_map(verb)?;
    Some(find_whole_word(text, start, "into")?.end)
}

/// `INSERT INTO table (columns) VALUES (…)`
fn insert_values(text: &[u8]) -> Option<Vec<u8>> {
    let into = behind_into(text)?;
    let mut table_from = into;
    let (open, close, row) = loop {
        let close = find_byte(text, table_from, b')')?;
        let open = find_byte(&text[..close], table_from, b'(').filter(|&open| open + 1 < close);
        let values = word(text, spaces(text, close + 1), "value");
        let row = values.map(|end| spaces(text, word(text, end, "s").unwrap_or(end)));
        let row = row.filter(|&row| text.get(row) == Some(&b'('));
        if let (Some(open), Some(row)) = (open, row) {
            break (open, close, row);
        }
        table_from = close + 1;
    };
    let last = (row..text.len()).find(|&at| text[at] == b')' && is_tail(text, at + 1))?;
    let (table, columns) = (&text[into..open], &text[open + 1..close]);
    let columns: Vec<&[u8]> = split_columns(columns);
    let values = split_values(&text[row + 1..last]);
    let mut out = [b"select * from ", table].concat();
    if columns.len() == values.len() {
        let pairs =
            columns.iter().zip(values).map(|(column, value)| [column, &b"="[..], value].concat());
        out.extend_from_slice(b" where ");
        out.extend(pairs.collect::<Vec<_>>().join(&b" and "[..]));
    } else {
        out.extend_from_slice(b" limit 1");
    }
    Some(out)
}

/// Splits at commas; empty columns at the end do not count.
fn split_columns(columns: &[u8]) -> Vec<&[u8]> {
    let mut parts: Vec<&[u8]> = columns.split(|&b| b == b',').collect();
    while parts.pop_if(|part| part.is_empty()).is_some() {}
    parts
}

/// Splits values at commas outside quotes and parentheses, within limits.
///
/// Quotes protect commas only where the value begins with one; and of nested parentheses
/// those that open last before a comma do, so `f(g(1,2),3)` is two values.
fn split_values(text: &[u8]) -> Vec<&[u8]> {
    let closing = closing_parentheses(text);
    let mut values = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let comma = run(text, at, |b| b != b',');
        let group = (at..comma).rev().find_map(|open| closing[open]);
        let end = quoted(text, at).unwrap_or_else(|| match group {
            Some(close) => run(text, close.get(), |b| b != b','),
            None => comma,
        });
        if end > at {
            values.push(&text[at..end]);
        }
        at = end.max(at + 1);
    }
    values
}

/// The end of the string that begins at `at`, on one line: the first quote without a
/// backslash, or else the last with one.
fn quoted(text: &[u8], at: usize) -> Option<usize> {
    let quote = *text.get(at).filter(|b| matches!(b, b'\'' | b'"'))?;
    let line = run(text, at, |b| b != b'\n');
    let quotes = || (at + 1..line).filter(|&end| text[end] == quote);
    let end = quotes().find(|&end| text[end - 1] != b'\\').or_else(|| quotes().next_back());
    end.map(|end| end + 1)
}

/// For every opening parenthesis that is closed, where its group ends.
fn closing_parentheses(text: &[u8]) -> Vec<Option<NonZeroUsize>> {
    let mut ends = vec![None; text.len()];
    let mut open = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => {
                if let Some(start) = open.pop() {
                    ends[start] = NonZeroUsize::new(at + 1);
                }
            }
            _ => {}
        }
    }
    ends
}

/// `INSERT INTO table SET …`
fn insert_set(text: &[u8]) -> Option<Vec<u8>> {
    let into = behind_into(text)?;
    let mut from = into;
    let (table_end, start) = loop {
        let set = find_word(text, from, "set")?;
        if let Some(start) = some_spaces(text, set.end) {
            break (spaces_before(text, into, set.start), start);
        }
        from = set.end;
    };
    let mut at = start;
    while !is_tail(text, at) {
        at = spaces(text, at).max(at + 1);
    }
    let assignments = text[start..at].split(|&b| b == b',').collect::<Vec<_>>();
    let condition = assignments.join(&b" and "[..]);
    let table = &text[into..table_end];
    Some([b"select * from ", table, b" where ", &condition, b" "].concat())
}

/// Whether at `at` nothing is left but a bare `limit` or ON DUPLICATE KEY.
fn is_tail(text: &[u8], at: usize) -> bool {
    let start = spaces(text, at);
    let limit = whole_word(text, start, "limit").filter(|_| is_boundary(text, start));
    let ends = spaces(text, limit.unwrap_or(start)) == text.len();
    ends || on_duplicate_key(text, start).is_some()
}

/// `DELETE … FROM rest`
fn delete(text: &[u8]) -> Option<Vec<u8>> {
    let mut from = 0;
    let start = loop {
        let verb = find_word(text, from, "delete")?.end;
        if let Some(start) = some_spaces(text, verb) {
            break start;
        }
        from = verb;
    };
    let rest = &text[find_whole_word(text, start, "from")?.end..];
    let mut from = 0;
    let joins = loop {
        let Some(at) = find(rest, from, b"join") else {
            break false;
        };
        if is_boundary(rest, at) && is_boundary(rest, at + 4) {
            break true;
        }
        from = at + 1;
    };
    let columns: &[u8] = if joins { b"1" } else { b"*" };
    Some([b"select ", columns, b" from ", rest].concat())
}

/// The end of `on duplicate key` at `at`.
fn on_duplicate_key(text: &[u8], at: usize) -> Option<usize> {
    let duplicate = some_spaces(text, word(text, at, "on")?)?;
    word(text, some_spaces(text, word(text, duplicate, "duplicate")?)?, "key")
}

/// Where the clause begins, with the white space before it.
fn on_duplicate_key_update(text: &[u8]) -> Option<usize> {
    let clause = |&at: &usize| {
        let key = on_duplicate_key(text, at)?;
        word(text, some_spaces(text, key)?, "update")
    };
    let at = (0..text.len()).find(|at| clause(at).is_some())?;
    Some(spaces_before(text, 0, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sample: &str, want: Option<&str>) {
        let got = as_select(sample.as_bytes());
        let got = got.map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(got.as_deref(), want, "{sample:?}");
    }

    #[test]
    fn update_reads_what_it_assigns() {
        check(
            "UPDATE books SET a=1 WHERE id=3 LIMIT 5",
            Some("select  a=1 from books where  id=3  LIMIT 5 "),
        );
        check("UPDATE books SET a=1", Some("select  a=1 from books "));
        check("update ignore t set a=nowhere b", Some("select  a=no from t where  b"));
        check("update  set a", Some("select  a from  "));
        check("update t", None);
    }

    #[test]
    fn insert_reads_rows_with_these_values() {
        check(
            "INSERT INTO t (a, b) VALUES (1, f(2,3))",
            Some("select * from  t  where a=1 and  b= f(2,3)"),
        );
        check("insert into t (a) values (1,2)", Some("select * from  t  limit 1"));
        check("replace into t set a=1, b=2", Some("select * from  t where a=1 and  b=2 "));
        check("insert into t select 1", Some("select 1"));
        check("insert into t values (1)", None);
    }

    #[test]
    fn quotes_and_parentheses_protect_commas_by_halves() {
        let split = |text: &'static str| split_values(text.as_bytes()).len();
        assert_eq!(split("'a,b',2"), 2);
        assert_eq!(split("1, 'a,b'"), 3);
        assert_eq!(split("f(g(1,2),3)"), 2);
        assert_eq!(split("f(1,(2))"), 1);
        assert_eq!(split("((("), 1);
    }

    #[test]
    fn delete_reads_what_it_deletes() {
        check("DELETE FROM books WHERE id=1", Some("select * from  books WHERE id=1"));
        check("delete a from a join b", Some("select 1 from  a join b"));
        check("delete a from a JOIN b", Some("select * from  a JOIN b"));
    }

    #[test]
    fn subqueries_behind_an_equals_sign_are_not_tried() {
        check("update t set a = ( select 1 )", None);
    }
}
