//! Whether EXPLAIN of a logged statement may be put into a script, and how it is written there.
//!
//! The script runs on a server that people depend on, and the text of a statement is whatever
//! somebody once sent. So nothing but one statement may come out of it, whatever the client and the
//! server take a backslash for: outside of quotes there is neither `;` nor `\`, and no backslash
//! stands before a quote. `'it\'s'` is written `'it''s'`.
//!
//! EXPLAIN runs nothing, but the optimizer works out what is constant: functions that wait, lock or
//! read files, and those that are none of the server's own, keep a statement out.

use crate::advice::query_cache::functions::{Function, function};
use crate::sql::distill::tables;
use crate::sql::token::{Kind, Token, tokens};

/// Why a statement is left out.
pub type Refusal = &'static str;

/// Functions of the server that do something, take long or read what is no table.
const HARMFUL: &[&str] = &[
    "benchmark",
    "get_lock",
    "is_free_lock",
    "is_used_lock",
    "load_file",
    "master_gtid_wait",
    "master_pos_wait",
    "nextval",
    "release_all_locks",
    "release_lock",
    "setval",
    "sleep",
    "source_pos_wait",
    "wait_for_executed_gtid_set",
    "wait_until_sql_thread_after_gtids",
];

const TWO: Refusal = "it may be more than one statement";
const COMMENT: Refusal = "it has a comment that only some servers run";
const CUT: Refusal = "it is cut";

/// The statement as it may stand behind EXPLAIN, without its comments and on one line, but for line
/// ends in literals.
pub fn explainable(statement: &[u8]) -> Result<String, Refusal> {
    let statement = without_end(statement);
    let text = std::str::from_utf8(statement).map_err(|_| "it is not UTF-8")?;
    if text.contains('\0') {
        return Err("it has a zero byte");
    }
    if text.ends_with("...") {
        return Err(CUT);
    }
    let tokens: Vec<Token> = tokens(statement).collect();
    check_words(statement, &tokens)?;
    let kept = tokens.len() - locking_clause(statement, &tokens)?;
    let mut out = String::with_capacity(text.len());
    let mut end = None;
    for token in tokens.iter().take(kept) {
        if end.is_some_and(|end| end < token.start) {
            out.push(' ');
        }
        end = Some(token.end);
        let piece = text.get(token.range()).ok_or("it is not UTF-8")?;
        match token.kind {
            Kind::Literal => push_literal(&mut out, piece),
            _ => out.push_str(piece),
        }
    }
    check_bytes(out.as_bytes())?;
    Ok(out)
}

/// A statement without the `;` and blanks at its end.
fn without_end(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii();
        match text.strip_suffix(b";") {
            Some(shorter) => text = shorter,
            None => return text,
        }
    }
}

/// Refuses what EXPLAIN does not take, and what it might do more for than plan.
fn check_words(statement: &[u8], tokens: &[Token]) -> Result<(), Refusal> {
    let is = |token: &Token, word: &str| {
        token.kind == Kind::Word && token.of(statement).eq_ignore_ascii_case(word.as_bytes())
    };
    let has = |word: &str| tokens.iter().any(|token| is(token, word));
    let first = tokens.iter().find(|token| token.of(statement) != b"(").ok_or("it is empty")?;
    let is_insert = is(first, "insert") || is(first, "replace");
    if is_insert && !has("select") {
        return Err("a plan of it tells nothing");
    }
    if !is_insert && !["select", "with", "update", "delete"].iter().any(|verb| is(first, verb)) {
        return Err("EXPLAIN does not take it");
    }
    if !is_insert && has("into") {
        return Err("it writes its result somewhere");
    }
    if has("delimiter") {
        return Err("a word of it is a command of the client");
    }
    let names = tables(statement);
    if names.is_empty() {
        return Err("it reads no table");
    }
    let mut is_hint = false;
    for pair in tokens.windows(2) {
        let [word, open] = pair else { continue };
        is_hint = word.kind == Kind::HintOpen || is_hint && word.kind != Kind::HintClose;
        if is_hint
            || open.of(statement) != b"("
            || !matches!(word.kind, Kind::Word | Kind::Name | Kind::Quoted)
        {
            continue;
        }
        let name = word.of(statement);
        let name = name.strip_prefix(b"`").and_then(|it| it.strip_suffix(b"`")).unwrap_or(name);
        let is_harmful = HARMFUL.iter().any(|it| name.eq_ignore_ascii_case(it.as_bytes()));
        let is_foreign = function(name, true) == Function::Foreign
            && names.iter().all(|table| table.name != name);
        if is_harmful || is_foreign {
            return Err("it calls a function that EXPLAIN might run");
        }
    }
    let depth = tokens.iter().try_fold(0_usize, |depth, token| match token.of(statement) {
        b"(" => Some(depth + 1),
        b")" => depth.checked_sub(1),
        _ => Some(depth),
    });
    if depth == Some(0) { Ok(()) } else { Err(CUT) }
}

/// How many tokens at the end lock the rows that are read: the plan is the same without them, and
/// the optimizer reads rows that it finds by a unique key.
fn locking_clause(statement: &[u8], tokens: &[Token]) -> Result<usize, Refusal> {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate() {
        let word = |ahead: usize| {
            let token = tokens.get(place + ahead).filter(|token| token.kind == Kind::Word);
            token.map(|token| token.of(statement).to_ascii_lowercase()).unwrap_or_default()
        };
        match token.of(statement) {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let locks = match word(0).as_slice() {
            b"for" => matches!(word(1).as_slice(), b"update" | b"share"),
            b"lock" => word(1) == b"in",
            _ => false,
        };
        if locks {
            return if depth == 0 { Ok(tokens.len() - place) } else { Err("it locks rows") };
        }
    }
    Ok(0)
}

/// Writes a literal without a backslash before a quote.
fn push_literal(out: &mut String, literal: &str) {
    let Some(open) = literal.find(['\'', '"']) else { return out.push_str(literal) };
    let (head, body) = literal.split_at(open + 1);
    let quote = head.chars().next_back();
    out.push_str(head);
    let mut letters = body.chars();
    while let Some(letter) = letters.next() {
        let escaped = if letter == '\\' { letters.next() } else { None };
        match escaped {
            Some(letter @ ('\'' | '"')) => {
                out.push(letter);
                if Some(letter) == quote {
                    out.push(letter);
                }
            }
            Some(other) => out.extend(['\\', other]),
            None => out.push(letter),
        }
    }
}

/// Whether a text is one statement, whatever a backslash is taken for.
fn check_bytes(text: &[u8]) -> Result<(), Refusal> {
    const QUOTES: &[u8] = b"'\"`";
    let mut open: Option<u8> = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied();
        if byte == b'\\' && (open.is_none() || next.is_none_or(|next| QUOTES.contains(&next))) {
            return Err(TWO);
        }
        match (open, byte) {
            (Some(quote), _) if byte == quote && next == Some(quote) => at += 1,
            (Some(quote), _) if byte == quote => open = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => open = Some(byte),
            (None, b';') => return Err(TWO),
            (None, b'#') => return Err(COMMENT),
            (None, b'-') if next == Some(b'-') => return Err(COMMENT),
            (None, b'/') if next == Some(b'*') => at = hint_end(text, at).ok_or(COMMENT)?,
            (None, _) => {}
        }
        at += 1;
    }
    if open.is_none() { Ok(()) } else { Err(CUT) }
}

/// The last byte of the hint that begins at a place, if it is one and quotes nothing.
fn hint_end(text: &[u8], at: usize) -> Option<usize> {
    let inside = text.get(at..)?.strip_prefix(b"/*+")?;
    let length = memchr::memmem::find(inside, b"*/")?;
    let is_plain = !inside[..length].iter().any(|byte| b"'\"`;\\#".contains(byte));
    is_plain.then_some(at + 3 + length + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(statement: &str, want: &str) {
        assert_eq!(explainable(statement.as_bytes()).as_deref(), Ok(want), "{statement}");
    }

    #[track_caller]
    fn refused(statement: &str, want: Refusal) {
        assert_eq!(explainable(statement.as_bytes()), Err(want), "{statement}");
    }

    #[test]
    fn a_statement_stands_on_one_line_without_comments() {
        check("select a -- why\n from  t\n where b=1 /* x; */;\n", "select a from t where b=1");
        check(
            "SELECT /*+ MAX_EXECUTION_TIME(9) */ a FROM t",
            "SELECT /*+ MAX_EXECUTION_TIME(9) */ a FROM t",
        );
        check("UPDATE `my t` SET a = 'x;y' WHERE b = 2", "UPDATE `my t` SET a = 'x;y' WHERE b = 2");
        check("INSERT INTO u (a, b) SELECT a, b FROM t", "INSERT INTO u (a, b) SELECT a, b FROM t");
        check(
            "SELECT a FROM t WHERE b IN (1) AND c->>'$.x' <= NOW()",
            "SELECT a FROM t WHERE b IN (1) AND c->>'$.x' <= NOW()",
        );
    }

    #[test]
    fn escapes_hide_no_quote() {
        check(
            r#"SELECT a FROM t WHERE b = 'it\'s \"x\"'"#,
            "SELECT a FROM t WHERE b = 'it''s \"x\"'",
        );
        check(r#"SELECT a FROM t WHERE b = "\"\'""#, "SELECT a FROM t WHERE b = \"\"\"'\"");
        check(r"SELECT a FROM t WHERE b LIKE '100\%\n'", r"SELECT a FROM t WHERE b LIKE '100\%\n'");
        // A server without escapes takes what is behind the first literal for a statement.
        refused(r"SELECT a FROM t WHERE b = 'x\\' AND c = '; DROP TABLE t -- '", TWO);
        refused(r"SELECT a FROM t WHERE b = 'x\' AND c = '; DROP TABLE t; -- '", TWO);
        refused(r"SELECT a FROM t \! id", TWO);
        refused(r"SELECT a FROM t WHERE b = \N", TWO);
    }

    #[test]
    fn what_might_do_more_than_plan_is_left_out() {
        refused("SELECT a FROM t; DROP TABLE t", TWO);
        refused("SELECT a FROM t WHERE SLEEP(9)", "it calls a function that EXPLAIN might run");
        refused("SELECT shop.price_of(7), a FROM t", "it calls a function that EXPLAIN might run");
        refused("SELECT `price_of` (7), a FROM t", "it calls a function that EXPLAIN might run");
        refused("SELECT a INTO OUTFILE '/x' FROM t", "it writes its result somewhere");
        refused("SELECT a FROM t /*!50000 WHERE b */", COMMENT);
        refused("SELECT delimiter FROM t", "a word of it is a command of the client");
        refused("CALL p()", "EXPLAIN does not take it");
        refused("DROP TABLE t", "EXPLAIN does not take it");
        refused("SELECT 1", "it reads no table");
        refused("INSERT INTO t VALUES (1)", "a plan of it tells nothing");
    }

    #[test]
    fn rows_are_not_locked() {
        check("SELECT a FROM t WHERE id = 7 FOR UPDATE", "SELECT a FROM t WHERE id = 7");
        check("SELECT a FROM t LOCK IN SHARE MODE", "SELECT a FROM t");
        refused("SELECT a FROM (SELECT a FROM t FOR UPDATE) d", "it locks rows");
    }

    #[test]
    fn what_is_cut_is_left_out() {
        refused("SELECT a FROM t WHERE b IN (1, 2", CUT);
        refused("SELECT a FROM t WHERE b = 'abc", CUT);
        refused("SELECT a FROM t WHERE b = 1 AND ...", CUT);
    }

    proptest! {
        /// Whatever is made of it, a server or client that honours escapes and one that does not
        /// see one statement, and the same quotes.
        #[test]
        fn what_comes_out_is_one_statement(pieces in proptest::collection::vec(0..PIECES.len(), 0..24)) {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            if let Ok(out) = explainable(format!("SELECT a FROM t {text}").as_bytes()) {
                for escapes in [true, false] {
                    prop_assert!(is_one(&out, escapes), "{out} {escapes}");
                }
            }
        }
    }

    const PIECES: &[&str] = &[
        "'",
        "\"",
        "`",
        "\\",
        ";",
        "--",
        " ",
        "\n",
        "#",
        "/*",
        "*/",
        "/*!",
        "/*+",
        "a",
        "x(",
        "(",
        ")",
        "\\'",
        "\\\\",
        "''",
        "é",
        "N'",
        "1",
        "FOR UPDATE",
    ];

    /// One statement, told as plainly as can be.
    fn is_one(text: &str, escapes: bool) -> bool {
        let mut open = None;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match (open, letter) {
                (Some(quote), '\\') if escapes && quote != '`' => drop(letters.next()),
                (Some(quote), letter) if letter == quote => open = None,
                (Some(_), _) => {}
                (None, '\'' | '"' | '`') => open = Some(letter),
                (None, ';' | '\\' | '#') => return false,
                (None, _) => {}
            }
        }
        open.is_none()
    }
}
