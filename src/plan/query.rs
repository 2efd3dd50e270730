//! The statement that a plan belongs to, where it stands above the plan.

use crate::rowset::Lines;
use crate::rowset::lines::quote_of_aligned;

/// Lines above a plan that are looked at.
const NEAR: usize = 2000;

/// Bytes of a text in which it has to show that it is a statement.
const HEAD: usize = 16 * 1024;

/// The statement in the lines from `from` up to the plan at `print`: behind the last `EXPLAIN`
/// that begins a line, or else the one that ends right above.
pub fn above(lines: &Lines<'_>, from: usize, print: usize) -> Option<String> {
    let from = from.max(print.saturating_sub(NEAR));
    let text = |at: usize| {
        let line = lines.get(at).unwrap_or_default();
        without_prompt(&line[quote_of_aligned(line).len()..])
    };
    let Some(start) = (from..print).rev().find(|at| explained(text(*at)).is_some()) else {
        return bare(from, print, text);
    };
    let mut statement = explained(text(start))?.to_vec();
    for at in start + 1..print {
        let line = text(at);
        if line.starts_with(b"----") {
            break;
        }
        statement.push(b'\n');
        statement.extend_from_slice(line);
    }
    let statement = without_end(&statement);
    is_statement(statement).then(|| String::from_utf8_lossy(statement).into_owned())
}

/// The statement, without EXPLAIN before it, that ends in the last line that is not blank. Its end has
/// to be marked, for prose ends there as well.
fn bare<'a>(from: usize, print: usize, text: impl Fn(usize) -> &'a [u8]) -> Option<String> {
    let is_end = |line: &[u8]| {
        let line = line.trim_ascii_end();
        line.ends_with(b";") || line.ends_with(b"\\G") || line.ends_with(b"\\g")
    };
    let last = (from..print).rev().find(|at| !text(*at).trim_ascii().is_empty())?;
    is_end(text(last)).then_some(())?;
    let before = (from..last).rev().find(|at| is_end(text(*at)));
    let first = before.map_or(from, |at| at + 1);
    let lines: Vec<&[u8]> = (first..=last).map(text).collect();
    let whole = lines.join(&b'\n');
    let mut start = 0;
    for line in lines {
        let statement = whole.get(start..)?;
        if is_bare_statement(statement) {
            return Some(String::from_utf8_lossy(without_end(statement)).into_owned());
        }
        start += line.len() + 1;
    }
    None
}

/// Whether a text without EXPLAIN before it is a statement: but for SELECT its first word begins
/// sentences as well, so a second sign is asked for.
fn is_bare_statement(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.get(..HEAD).unwrap_or(text);
    if let Some(behind) = text.strip_prefix(b"(") {
        let inner = behind.iter().position(|b| *b != b'(' && !b.is_ascii_whitespace());
        return inner
            .and_then(|at| behind.get(at..))
            .is_some_and(|it| after(it, b"SELECT").is_some());
    }
    let words = || text.split(|b| !b.is_ascii_alphanumeric() && *b != b'_');
    let has = |sign: &[u8]| words().any(|word| word.eq_ignore_ascii_case(sign));
    // What stands behind SELECT may be of the statement below a sentence.
    let has_soon = |signs: &[&[u8]]| {
        let mut before = words().take_while(|word| !word.eq_ignore_ascii_case(b"SELECT"));
        before.any(|word| signs.iter().any(|sign| word.eq_ignore_ascii_case(sign)))
    };
    let begins = |verb: &[u8]| after(text, verb).is_some();
    begins(b"SELECT")
        || begins(b"UPDATE") && has(b"SET")
        || begins(b"DELETE") && has_soon(&[b"FROM"])
        || (begins(b"INSERT") || begins(b"REPLACE")) && has_soon(&[b"INTO", b"VALUES"])
        || after(text, b"VALUES")
            .and_then(|it| after(it, b"ROW"))
            .is_some_and(|it| blank(it).starts_with(b"("))
        || after(text, b"WITH").is_some_and(names_a_table)
}

/// Whether what is behind WITH is `[RECURSIVE] name [(columns)] AS (`.
fn names_a_table(text: &[u8]) -> bool {
    let text = blank(after(text, b"RECURSIVE").unwrap_or(text));
    let behind = match text.strip_prefix(b"`") {
        Some(quoted) => memchr::memchr(b'`', quoted).and_then(|at| quoted.get(at + 1..)),
        None => {
            let end = text.iter().position(|b| b.is_ascii_whitespace() || *b == b'(');
            end.filter(|end| *end > 0).and_then(|end| text.get(end..))
        }
    };
    let Some(behind) = behind.map(blank) else { return false };
    let behind = match behind.strip_prefix(b"(") {
        Some(columns) => memchr::memchr(b')', columns).and_then(|at| columns.get(at + 1..)),
        None => Some(behind),
    };
    behind.and_then(|it| after(it, b"AS")).is_some_and(|it| blank(it).starts_with(b"("))
}

/// What is behind a word that a text begins with.
fn after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (first, behind) = word(blank(text));
    first.eq_ignore_ascii_case(name).then_some(behind)
}

/// A text without the blanks and comments at its head.
fn blank(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let comment = text.strip_prefix(b"/*");
        let end = comment.and_then(|comment| memchr::memmem::find(comment, b"*/"));
        match end.and_then(|end| text.get(end + 4..)) {
            Some(behind) => text = behind,
            None => return text,
        }
    }
}

/// The query ID in the last comment `-- query_id: …` of the lines from `from` up to the plan at
/// `print`, in capitals and without `0x`.
pub fn id_above(lines: &Lines<'_>, from: usize, print: usize) -> Option<String> {
    let from = from.max(print.saturating_sub(NEAR));
    (from..print).rev().find_map(|at| {
        let line = lines.get(at).unwrap_or_default();
        let text = without_prompt(&line[quote_of_aligned(line).len()..]).trim_ascii_start();
        let text = printed(text);
        let text = text.strip_prefix(b"--").or(text.strip_prefix(b"#"))?.trim_ascii_start();
        let (name, value) = text.split_at_checked(b"query_id:".len())?;
        if !name.eq_ignore_ascii_case(b"query_id:") {
            return None;
        }
        let value = value.trim_ascii();
        let value = value.strip_prefix(b"0x").unwrap_or(value);
        let is_id = matches!(value.len(), 16 | 32) && value.iter().all(u8::is_ascii_hexdigit);
        is_id.then(|| String::from_utf8_lossy(value).to_ascii_uppercase())
    })
}

/// A comment without the box or the name before it, where it is a value that the client printed.
fn printed(text: &[u8]) -> &[u8] {
    let cell = text.strip_prefix(b"|").and_then(|cell| cell.trim_ascii().strip_suffix(b"|"));
    cell.or(text.strip_prefix(b"adagio:")).map_or(text, <[u8]>::trim_ascii)
}

/// Whether a text begins as what can be explained: prose may have a line that begins with
/// "explain".
fn is_statement(text: &[u8]) -> bool {
    const VERBS: &[&str] =
        &["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "TABLE", "VALUES"];
    let (first, _) = word(text.trim_ascii_start());
    text.starts_with(b"(") || VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb.as_bytes()))
}

/// Whether a line begins with the prompt of a client.
pub fn has_prompt(line: &[u8]) -> bool {
    prompt(line) > 0 && !line.starts_with(b"-> ")
}

/// The length of `mysql> `, `MariaDB [shop]> ` or, where a statement goes on, `-> `.
fn prompt(line: &[u8]) -> usize {
    let begins = |word: &[u8]| line.starts_with(word);
    if begins(b"mysql> ") {
        7
    } else if begins(b"-> ") || begins(b"'> ") || begins(b"\"> ") || begins(b"`> ") {
        3
    } else if begins(b"mysql>") || begins(b"MariaDB [") {
        let window = &line[..line.len().min(200)];
        let end = memchr::memchr(b'>', window);
        end.map_or(0, |end| end + 1 + usize::from(line.get(end + 1) == Some(&b' ')))
    } else {
        0
    }
}

fn without_prompt(line: &[u8]) -> &[u8] {
    let text = line.trim_ascii_start();
    match prompt(text) {
        0 => line,
        length => &text[length..],
    }
}

/// What is behind `EXPLAIN` and its options.
fn explained(line: &[u8]) -> Option<&[u8]> {
    let (word, mut rest) = word(line.trim_ascii_start());
    let is_verb = [&b"EXPLAIN"[..], b"DESCRIBE", b"DESC", b"ANALYZE"]
        .iter()
        .any(|verb| word.eq_ignore_ascii_case(verb));
    if !is_verb {
        return None;
    }
    loop {
        let text = rest.trim_ascii_start();
        if text.starts_with(b"/*!") {
            let end = memchr::memmem::find(text, b"*/")?;
            rest = &text[end + 2..];
            continue;
        }
        let (option, behind) = self::word(text);
        let is = |name: &[u8]| option.eq_ignore_ascii_case(name);
        if is(b"EXTENDED") || is(b"PARTITIONS") || is(b"ANALYZE") {
            rest = behind;
        } else if is(b"FORMAT") {
            let behind = behind.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
            rest = self::word(behind).1;
        } else {
            return Some(text);
        }
    }
}

/// A statement without the `EXPLAIN` before it.
pub fn without_explain(statement: &[u8]) -> &[u8] {
    without_end(explained(statement).unwrap_or(statement))
}

/// The first word of a line, and what is behind it.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
    line.split_at(line.iter().take_while(is_part).count())
}

/// A statement without `;`, `\G` and blanks at its end.
fn without_end(mut text: &[u8]) -> &[u8] {
    loop {
        let shorter = text.trim_ascii();
        let shorter = [&b";"[..], b"\\G", b"\\g"]
            .iter()
            .find_map(|end| shorter.strip_suffix(*end))
            .unwrap_or(shorter);
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        let lines = Lines::new(text.as_bytes());
        assert_eq!(above(&lines, 0, lines.len()).as_deref(), want, "{text}");
    }

    #[test]
    fn an_id_may_be_a_value_that_the_client_printed() {
        let id = "0123456789ABCDEF0123456789ABCDEF";
        for text in [
            format!("-- query_id: 0x{id}\n"),
            format!("| -- query_id: 0x{id} |\n"),
            format!("adagio: -- query_id: 0x{id}\n"),
        ] {
            let lines = Lines::new(text.as_bytes());
            assert_eq!(id_above(&lines, 0, lines.len()).as_deref(), Some(id), "{text}");
        }
    }

    #[test]
    fn the_statement_is_what_is_behind_explain() {
        check("mysql> EXPLAIN SELECT 1;\n", Some("SELECT 1"));
        check("mysql> explain extended select *\n    -> from t\\G\n", Some("select *\nfrom t"));
        check(
            "MariaDB [shop]> ANALYZE FORMAT=JSON UPDATE t SET a = 1;\n",
            Some("UPDATE t SET a = 1"),
        );
        check("--------------\nEXPLAIN FORMAT=TREE SELECT 1\n--------------\n\n", Some("SELECT 1"));
        check("# EXPLAIN /*!50100 PARTITIONS*/\nSELECT a FROM t\\G\n", Some("SELECT a FROM t"));
        check("EXPLAIN SELECT 1;\nEXPLAIN SELECT 2;\n", Some("SELECT 2"));
        check("the plan of the query explained above\n", None);
        check("EXPLAIN\n", None);
        check("SELECT a\nFROM t\nWHERE b = 1;\n\n", Some("SELECT a\nFROM t\nWHERE b = 1"));
        check("SELECT 1;\nmysql> UPDATE t SET a = 1\\G\n", Some("UPDATE t SET a = 1"));
        check("SELECT a FROM t\n", None);
        check("The plan of it;\n", None);
        check("explain is slow here:\n", None);
    }

    #[test]
    fn a_sentence_above_a_plan_is_no_statement() {
        for prose in [
            "With the old index;",
            "With recursive queries;",
            "With index as before;",
            "Table of orders;",
            "Values as of today;",
            "Update of the statistics is done;",
            "Delete the index afterwards;",
            "Insert as before;",
            "Replace the index;",
            "(the plan of today);",
            "(;",
            "With `;",
            "With t (;",
        ] {
            check(&format!("{prose}\n"), None);
            let above = prose.trim_end_matches(';');
            check(&format!("{above}:\nSELECT a FROM t;\n"), Some("SELECT a FROM t"));
        }
        for statement in [
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "with recursive a (n, m) as (\n  select 1, 2\n)\nselect * from a",
            "WITH\n  `a b` AS (SELECT 1)\nSELECT * FROM `a b`",
            "WITH /* of today */ a AS (\nSELECT 1\n)\nSELECT * FROM a",
            "VALUES ROW(1, 2)",
            "UPDATE t\nSET a = 1",
            "DELETE a FROM a JOIN b USING (id)",
            "INSERT IGNORE INTO t SELECT 1",
            "REPLACE t VALUES (1)",
            "(SELECT 1)\nUNION\n(SELECT 2)",
            "(\n(SELECT 1) UNION (SELECT 2)\n)",
        ] {
            check(&format!("The plan of it:\n{statement};\n\n"), Some(statement));
        }
    }

    #[test]
    fn explain_goes_before_the_statement() {
        check("EXPLAIN\nSELECT a,\n  b FROM t;\n\n", Some("SELECT a,\n  b FROM t"));
    }
}
