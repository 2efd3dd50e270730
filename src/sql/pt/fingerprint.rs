//! The fingerprint, rule by rule in the tool's order.

use super::comments::delete_comments;
use super::scan::{
    any_word, find, find_word, is_boundary, is_end, is_space, is_word, replace_all, run,
    some_spaces, spaces, whole_word, word,
};
use super::strings::replace_literals;
use super::union::fold_unions;

/// The switches of the fingerprint program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Leave digits inside names alone; `--preserve-embedded-numbers` of the digest program.
    pub match_embedded_numbers: bool,
    /// Take 32 hexadecimal digits behind `.`, `_` or `-` for a checksum.
    pub match_md5_checksums: bool,
}

/// The fingerprint with default options.
pub fn fingerprint(statement: &[u8]) -> Vec<u8> {
    fingerprint_with(statement, &Options::default())
}

/// The fingerprint: the statement with its literals as `?`, lists folded, in lower case.
pub fn fingerprint_with(statement: &[u8], options: &Options) -> Vec<u8> {
    if let Some(whole) = special(statement) {
        return whole;
    }
    let text = delete_comments(first_row(statement).to_vec());
    if is_use(&text) {
        return b"use ?".to_vec();
    }
    let text = replace_literals(text);
    let text = replace_booleans(text);
    let text = if options.match_md5_checksums { replace_checksums(text) } else { text };
    let text = replace_numbers(text, options.match_embedded_numbers);
    let text = drop_prefixes(text, options.match_md5_checksums);
    let mut text = fold_blanks(text);
    text.make_ascii_lowercase();
    let text = replace_nulls(text);
    let text = fold_lists(text);
    let text = fold_unions(text);
    let text = fold_limit(text);
    delete_ascending(text)
}

/// Statements that get a name instead of a normal form.
fn special(text: &[u8]) -> Option<Vec<u8>> {
    if text.starts_with(b"SELECT /*!40001 SQL_NO_CACHE */ * FROM `") {
        Some(b"mysqldump".to_vec())
    } else if has_checksum_marker(text) {
        Some(b"percona-toolkit".to_vec())
    } else if text.starts_with(b"administrator command: ") {
        Some(text.to_vec())
    } else {
        call(text)
    }
}

/// Whether `/*db.table:1/4*/` stands anywhere.
fn has_checksum_marker(text: &[u8]) -> bool {
    let name = |at: usize| Some(run(text, at, is_word)).filter(|&end| end > at);
    let marker = |database: usize| {
        let dot = name(database)?;
        let table = (text.get(dot) == Some(&b'.')).then_some(dot + 1)?;
        let colon = name(table)?;
        text.get(colon..colon + 6)
    };
    let mut from = 0;
    while let Some(comment) = find(text, from, b"/*") {
        from = comment + 2;
        if let Some([b':', b'0'..=b'9', b'/', b'0'..=b'9', b'*', b'/']) = marker(from) {
            return true;
        }
    }
    false
}

/// `call` and the procedure's name, when a parenthesis is attached to it.
///
/// The name runs up to the last parenthesis before white space: `p(f(1))` is `p(f`.
fn call(text: &[u8]) -> Option<Vec<u8>> {
    let start = spaces(text, 0);
    let name = some_spaces(text, word(text, start, "call")?)?;
    let end = run(text, name, |b| !is_space(b));
    let parenthesis = text[name..end].iter().rposition(|&b| b == b'(')?;
    (parenthesis > 0).then(|| text[start..name + parenthesis].to_ascii_lowercase())
}

/// The statement up to the first row of a multi-row INSERT or REPLACE.
///
/// Everything behind that row is dropped, `ON DUPLICATE KEY UPDATE` too.
fn first_row(text: &[u8]) -> &[u8] {
    let end = || {
        let verb = any_word(text, 0, &["INSERT", "REPLACE"])?;
        let verb = word(text, verb, " IGNORE").unwrap_or(verb);
        let into = word(text, some_spaces(text, verb)?, "INTO")?;
        let mut from = into + 1;
        let row = loop {
            let values = find_word(text, from, "VALUES")?.end;
            let open = spaces(text, values);
            if text.get(open) == Some(&b'(') {
                break open + 1;
            }
            from = values;
        };
        (row..text.len()).filter(|&at| text[at] == b')').map(|at| at + 1).find(|&end| {
            let comma = spaces(text, end);
            text.get(comma) == Some(&b',') && text.get(spaces(text, comma + 1)) == Some(&b'(')
        })
    };
    end().map_or(text, |end| &text[..end])
}

/// Whether this is `use` and one word, a line feed may follow.
fn is_use(text: &[u8]) -> bool {
    word(text, 0, "use ").is_some_and(|name| {
        let end = run(text, name, |b| !is_space(b));
        end > name && is_end(text, end)
    })
}

fn replace_booleans(text: Vec<u8>) -> Vec<u8> {
    replace_whole_words(text, b"fFtT", &["false", "true"])
}

fn replace_nulls(text: Vec<u8>) -> Vec<u8> {
    replace_whole_words(text, b"n", &["null"])
}

/// Replaces `words`, which begin with one of `initials`, by `?`.
fn replace_whole_words(text: Vec<u8>, initials: &[u8], words: &[&str]) -> Vec<u8> {
    replace_all(
        text,
        |b| initials.contains(&b),
        |text, at, out| {
            let end = words.iter().find_map(|w| whole_word(text, at, w))?;
            is_boundary(text, at).then(|| {
                out.push(b'?');
                end
            })
        },
    )
}

/// Replaces 32 lower-case hexadecimal digits behind `.`, `_` or `-`.
fn replace_checksums(text: Vec<u8>) -> Vec<u8> {
    let is_digit = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    replace_all(
        text,
        |b| matches!(b, b'.' | b'_' | b'-'),
        |text, at, out| {
            let digits = text.get(at + 1..at + 33)?;
            digits.iter().all(is_digit).then(|| {
                out.extend([text[at], b'?']);
                at + 33
            })
        },
    )
}

/// Replaces whatever begins with a digit or a sign and goes on like a number of any kind.
fn replace_numbers(text: Vec<u8>, whole_only: bool) -> Vec<u8> {
    let goes_on = |b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'.' | b'x' | b'+' | b'-');
    replace_all(
        text,
        |b| matches!(b, b'0'..=b'9' | b'+' | b'-'),
        |text, at, out| {
            if whole_only && !is_boundary(text, at) {
                return None;
            }
            out.push(b'?');
            Some(run(text, at + 1, goes_on))
        },
    )
}

/// Deletes one `x`, `b`, `.` or sign before a `?`; the dot stays with checksums.
fn drop_prefixes(text: Vec<u8>, keep_dot: bool) -> Vec<u8> {
    let is_prefix = |b| matches!(b, b'x' | b'b' | b'+' | b'-') || (b == b'.' && !keep_dot);
    replace_all(text, is_prefix, |text, at, out| {
        (text.get(at + 1) == Some(&b'?')).then(|| {
            out.push(b'?');
            at + 2
        })
    })
}

/// Folds white space into blanks. One blank stays at the end, none at the start.
///
/// The vertical tab is white space only at the start.
fn fold_blanks(mut text: Vec<u8>) -> Vec<u8> {
    text.drain(..spaces(&text, 0));
    text.pop_if(|last| *last == b'\n');
    let is_blank = |b| matches!(b, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c');
    let mut after_blank = false;
    text.retain_mut(|byte| {
        let blank = is_blank(*byte);
        if blank {
            *byte = b' ';
        }
        let keep = !(blank && after_blank);
        after_blank = blank;
        keep
    });
    text
}

/// Replaces the lists behind `in`, `value` and `values` by `(?+)`.
///
/// A list holds nothing but `?`, commas and blanks.
fn fold_lists(text: Vec<u8>) -> Vec<u8> {
    replace_all(
        text,
        |b| b == b'i' || b == b'v',
        |text, at, out| {
            if !is_boundary(text, at) {
                return None;
            }
            let keyword = any_word(text, at, &["in", "values", "value"])?;
            let mut end = list(text, keyword)?;
            while let Some(next) = list(text, end) {
                end = next;
            }
            out.extend_from_slice(&text[at..keyword]);
            out.extend_from_slice(b"(?+)");
            Some(end)
        },
    )
}

/// The end of a list of placeholders; commas and blanks may precede it.
fn list(text: &[u8], at: usize) -> Option<usize> {
    let open = run(text, at, |b| is_space(b) || b == b',');
    if text.get(open) != Some(&b'(') {
        return None;
    }
    let close = run(text, open + 1, |b| is_space(b) || b == b',' || b == b'?');
    (text.get(close) == Some(&b')')).then_some(close + 1)
}

/// Reduces the first LIMIT to `limit ?`.
fn fold_limit(mut text: Vec<u8>) -> Vec<u8> {
    let mut from = 0;
    while let Some(at) = find(&text, from, b"limit ?") {
        from = at + 7;
        if is_boundary(&text, at) {
            let more = any_word(&text, from, &[",?", ", ?", " offset ?"]);
            text.drain(from..more.unwrap_or(from));
            break;
        }
    }
    text
}

/// Deletes `asc` and the white space before it, everywhere behind the first ORDER BY.
///
/// No word boundary is asked for behind `asc`, and between two of them, or between
/// `order by ` and the first, at least one byte must stand.
fn delete_ascending(mut text: Vec<u8>) -> Vec<u8> {
    let mut from = 0;
    let start = loop {
        let Some(at) = find(&text, from, b"order by ") else {
            return text;
        };
        if is_boundary(&text, at) {
            break at + 9;
        }
        from = at + 1;
    };
    let behind = text.split_off(start);
    let mut free = 1;
    let behind = replace_all(behind, is_space, |text, at, _| {
        let inside = at > free && is_space(text[at - 1]);
        if at < free || inside {
            return None;
        }
        let end = word(text, spaces(text, at), "asc")?;
        free = end + 1;
        Some(end)
    });
    text.extend_from_slice(&behind);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, want: &str) {
        let got = fingerprint(statement.as_bytes());
        assert_eq!(String::from_utf8_lossy(&got), want, "{statement:?}");
    }

    #[test]
    fn special_statements_get_a_name() {
        check("SELECT /*!40001 SQL_NO_CACHE */ * FROM `a`", "mysqldump");
        check("x /*db.t:1/4*/", "percona-toolkit");
        check("/* /*db.t:12/4*/", "");
        check("administrator command: Quit", "administrator command: Quit");
        check(" CALL p(f(1))", "call p(f");
        check("CALL (1)", "call (?)");
    }

    #[test]
    fn rows_behind_the_first_are_dropped_with_all_that_follows() {
        check(
            "insert into t values (1), (2) on duplicate key update a=1",
            "insert into t values(?+)",
        );
        check("insert into t values ('a),(b')", "insert into t values ('a)");
        check("insert t values (now()), (2)", "insert t values (now()), (?)");
    }

    #[test]
    fn comments_end_where_the_tool_thinks() {
        check("a /**/ b /* c */ d", "a d");
        check("a -- b\nc # d", "a c ");
        check("a # it's", "a # it's");
        check("a /* b", "a /* b");
    }

    #[test]
    fn digits_and_signs_merge_with_what_follows() {
        check("a.b+c.d, e-f", "a.?, e?");
        check("0xFF 2E+7 x'ff'", "?ff ?e? ?");
        check("9\x0b9", "?\x0b?");
    }

    #[test]
    fn lists_hold_only_placeholders() {
        check("a in ( 1 , null ), (2)", "a in(?+)");
        check("a in (1, now())", "a in (?, now())");
        check("in()", "in(?+)");
        check("in (1", "in (?");
    }

    #[test]
    fn equal_selects_fold() {
        check("select a union select ab", "select a /*repeat union*/b");
        check("select 1 union all select 2 union select 3", "select ? /*repeat union*/");
        check(
            "select a union select b union select a union select b",
            "select a union select b /*repeat union*/",
        );
        check("(select a union select a)", "(select a /*repeat union*/)");
        check("selects union selects", "selects union selects");
    }

    #[test]
    fn asc_goes_wherever_it_begins_a_word_behind_order_by() {
        check("a asc order by b asc, ascii asc asc", "a asc order by b,ii asc");
        check("order by  asc", "order by asc");
    }

    #[test]
    fn only_the_first_limit_is_reduced() {
        check("limit 1, 2 limit 3, 4", "limit ? limit ?, ?");
        check("limit 1 offset 2", "limit ?");
    }
}
