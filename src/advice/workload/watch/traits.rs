//! What is asked of a class once, of the first of its statements: all of them are alike but for
//! their literals.

use crate::advice::query_cache::statement::{Does, read};
use crate::event::{Event, Kind};
use crate::sql::glance::{self, Verb};
use crate::sql::token::{Kind as TokenKind, Token, Tokens, tokens};

/// Of a longer statement only what it does is asked.
pub const LONGEST: usize = 64 * 1024;

/// What is so of all statements of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// What it does.
    pub verb: Verb,
    /// What it is to the connection, where it reads and writes no data.
    pub talk: Option<Talk>,
    /// One table, searched by columns that equal literals and by nothing else.
    pub is_point: bool,
    /// A SELECT of a table.
    pub reads_table: bool,
    /// Asked again soon it gives the same rows unless these have changed, and the server may be
    /// spared the asking.
    pub is_steady: bool,
    /// INSERT or REPLACE with VALUES or SET.
    pub has_rows: bool,
    /// INSERT … ON DUPLICATE KEY UPDATE: the columns whose values are no part of the key, a bit for
    /// each of the first 64.
    pub updates: Option<u64>,
    /// LOAD DATA, LOAD XML.
    pub loads: bool,
    /// `SET c = c + 1`.
    pub counts: bool,
    /// It sets what looks like an account of money, which must be right at each moment.
    pub is_money: bool,
}

/// A statement that is about the connection, not about data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Talk {
    /// The command Ping.
    Ping,
    /// SET.
    Set,
    /// SELECT of variables of the server: `SELECT @@x`.
    Variable,
    /// SELECT of constants: `SELECT 1`.
    Constant,
    /// SHOW.
    Show,
    /// COMMIT and ROLLBACK.
    Commit,
    /// The commands Prepare, Close stmt, Reset stmt.
    Prepare,
    /// The command Connect.
    Connect,
    /// The command Quit.
    Quit,
}

impl Talk {
    /// How many kinds there are.
    pub const COUNT: usize = 9;
}

impl Traits {
    /// What is so of a class with this event.
    pub fn of(event: &Event<'_>) -> Traits {
        let text = event.statement;
        if event.kind == Kind::Administrator {
            return Traits { talk: command(text), ..Traits::of_verb(Verb::Other) };
        }
        let first = first_word(text);
        let mut traits = Traits::of_verb(glance::verb(&String::from_utf8_lossy(text)));
        traits.loads = first == b"load";
        if text.len() > LONGEST {
            return traits;
        }
        match traits.verb {
            Verb::Select => {
                let words = || tokens(text).filter(|token| token.kind == TokenKind::Word);
                traits.reads_table = words().any(|token| is(text, token, b"from"));
                traits.talk = (!traits.reads_table).then(|| of_constants(text)).flatten();
                traits.is_point = traits.reads_table && is_point(text);
                // MariaDB takes WITH for a SELECT, and so do we.
                traits.is_steady = traits.reads_table
                    && matches!(read(text, true).does, Does::Select(it) if it.refusal.is_none());
            }
            Verb::Update => {
                traits.is_point = is_point(text);
                traits.counts = counts(text);
                traits.is_money = sets_money(text);
            }
            Verb::Insert | Verb::Replace => {
                traits.has_rows = has_rows(text);
                traits.updates = updates(text).filter(|_| traits.has_rows);
                traits.counts = traits.updates.is_some() && counts(text);
                traits.is_money = traits.updates.is_some() && sets_money(text);
            }
            Verb::Delete => {}
            Verb::Other => {
                traits.talk = match first.as_slice() {
                    // SET STATEMENT … FOR SELECT … is the statement behind it.
                    b"set" if !tokens(text).take(64).any(|it| is(text, it, b"statement")) => {
                        Some(Talk::Set)
                    }
                    b"show" => Some(Talk::Show),
                    b"commit" | b"rollback" => Some(Talk::Commit),
                    _ => None,
                };
            }
        }
        traits
    }

    fn of_verb(verb: Verb) -> Traits {
        Traits {
            verb,
            talk: None,
            is_point: false,
            reads_table: false,
            is_steady: false,
            has_rows: false,
            updates: None,
            loads: false,
            counts: false,
            is_money: false,
        }
    }

    /// Whether it changes rows.
    pub fn writes(&self) -> bool {
        self.loads || !matches!(self.verb, Verb::Select | Verb::Other)
    }
}

/// Whether a token is this word, which is in small letters.
pub fn is(text: &[u8], token: Token, word: &[u8]) -> bool {
    token.kind == TokenKind::Word && token.of(text).eq_ignore_ascii_case(word)
}

fn first_word(text: &[u8]) -> Vec<u8> {
    let first = tokens(text).take(64).find(|token| token.kind == TokenKind::Word);
    first.map_or(Vec::new(), |token| token.of(text).to_ascii_lowercase())
}

fn command(text: &[u8]) -> Option<Talk> {
    let name = text.split(|byte| *byte == b':').nth(1)?;
    let name = name.trim_ascii();
    let name = name.strip_suffix(b";").unwrap_or(name).to_ascii_lowercase();
    Some(match name.as_slice() {
        b"ping" => Talk::Ping,
        b"prepare" | b"close stmt" | b"reset stmt" => Talk::Prepare,
        b"connect" => Talk::Connect,
        b"quit" => Talk::Quit,
        _ => return None,
    })
}

/// A SELECT without a table: of constants, or of variables of the server. Functions and variables of
/// the session do work.
fn of_constants(text: &[u8]) -> Option<Talk> {
    let mut has_variable = false;
    for (place, token) in tokens(text).enumerate() {
        let word = token.of(text);
        match token.kind {
            TokenKind::Variable if word.starts_with(b"@@") => has_variable = true,
            TokenKind::Variable => return None,
            TokenKind::Byte if word == b"(" => return None,
            TokenKind::Word if place == 0 && !is(text, token, b"select") => return None,
            _ => {}
        }
    }
    Some(if has_variable { Talk::Variable } else { Talk::Constant })
}

/// Whether a statement searches one table by columns that equal literals, and by nothing else.
fn is_point(text: &[u8]) -> bool {
    const DENIED: &[&[u8]] = &[
        b"or",
        b"xor",
        b"in",
        b"like",
        b"between",
        b"not",
        b"is",
        b"regexp",
        b"rlike",
        b"exists",
        b"match",
        b"join",
        b"union",
        b"straight_join",
        b"group",
        b"having",
    ];
    let mut verbs = 0;
    let (mut in_from, mut behind_where) = (false, false);
    let (mut equals, mut depth) = (0, 0_usize);
    let mut ahead = tokens(text);
    while let Some(token) = ahead.next() {
        let word = token.of(text);
        match token.kind {
            TokenKind::Byte if word == b"(" => depth += 1,
            TokenKind::Byte if word == b")" => depth = depth.saturating_sub(1),
            TokenKind::Byte if word == b"," && in_from && depth == 0 => return false,
            TokenKind::Word => {
                let is_one = |words: &[&[u8]]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
                if is_one(&[b"select"]) {
                    verbs += 1;
                    if verbs > 1 {
                        return false;
                    }
                } else if is_one(&[b"from", b"update"]) {
                    in_from = !behind_where;
                } else if is_one(&[b"set"]) {
                    in_from = false;
                } else if is_one(&[b"where"]) {
                    (in_from, behind_where) = (false, true);
                } else if is_one(&[b"join", b"union", b"straight_join", b"with"])
                    || behind_where && is_one(DENIED)
                {
                    return false;
                } else if behind_where && is_one(&[b"limit"]) && verbs == 0 {
                    // UPDATE … LIMIT 1 takes any row: a queue.
                    return false;
                }
            }
            TokenKind::Operator if behind_where => {
                if word != b"=" || !takes_literal(text, &mut ahead) {
                    return false;
                }
                equals += 1;
            }
            _ => {}
        }
    }
    // A subquery of UPDATE has the word too.
    equals > 0 && depth == 0 && (verbs == 1 || first_word(text) == b"update")
}

/// Passes a literal with its sign; false where something else stands there.
fn takes_literal(text: &[u8], ahead: &mut Tokens<'_>) -> bool {
    if ahead.peek().is_some_and(|next| next.of(text) == b"-") {
        ahead.next();
    }
    ahead.next().is_some_and(|value| value.kind == TokenKind::Literal)
}

/// Whether it sets a column to itself and something: `n = n + 1`, `n = t.n - 2`.
fn counts(text: &[u8]) -> bool {
    let all: Vec<Token> = tokens(text).take(4_096).collect();
    let start =
        all.iter().position(|token| is(text, *token, b"set") || is(text, *token, b"duplicate"));
    let behind = start.and_then(|at| all.get(at..)).unwrap_or_default();
    let end = behind.iter().position(|token| is(text, *token, b"where"));
    let sets = behind.get(..end.unwrap_or(behind.len())).unwrap_or_default();
    let same = |one: &Token, other: &Token| one.of(text).eq_ignore_ascii_case(other.of(text));
    let is_sign = |token: &Token| matches!(token.of(text), b"+" | b"-");
    sets.windows(4).any(|it| match it {
        [name, equals, again, sign] => {
            equals.of(text) == b"=" && same(name, again) && is_sign(sign)
        }
        _ => false,
    })
}

/// Whether it sets a column whose name is that of an account of money.
fn sets_money(text: &[u8]) -> bool {
    const MONEY: &[&[u8]] = &[b"balance", b"credit", b"debit", b"wallet", b"saldo"];
    let mut before: Option<Token> = None;
    for token in tokens(text).take(4_096) {
        if is(text, token, b"where") {
            return false;
        }
        if token.of(text) == b"="
            && let Some(name) = before
        {
            let name = name.of(text).to_ascii_lowercase();
            if MONEY.iter().any(|it| memchr::memmem::find(&name, it).is_some()) {
                return true;
            }
        }
        before = Some(token);
    }
    false
}

/// Whether INSERT or REPLACE brings its rows along.
fn has_rows(text: &[u8]) -> bool {
    let is_query = |it: &Token| is(text, *it, b"select") || is(text, *it, b"with");
    behind_rows(text).is_some_and(|(word, _)| {
        !tokens(text).take_while(|it| it.start < word.start).any(|it| is_query(&it))
    })
}

/// The word before the rows of INSERT or REPLACE, VALUES, VALUE or SET, and what is behind it. A
/// column may be named `value`.
pub fn behind_rows(text: &[u8]) -> Option<(Token, Tokens<'_>)> {
    let mut ahead = tokens(text);
    let mut depth = 0_usize;
    while let Some(token) = ahead.next() {
        match token.of(text) {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_one = || [&b"values"[..], b"value", b"set"].iter().any(|it| is(text, token, it));
        if depth == 0 && is_one() {
            return Some((token, ahead));
        }
    }
    None
}

/// The columns of INSERT … ON DUPLICATE KEY UPDATE that it sets where the key is there; none where
/// it does not say that, or names no columns.
fn updates(text: &[u8]) -> Option<u64> {
    let all: Vec<Token> = tokens(text).take(4_096).collect();
    let at = all.iter().position(|token| is(text, *token, b"duplicate"))?;
    let open = all.iter().position(|token| token.of(text) == b"(")?;
    let (word, _) = behind_rows(text)?;
    let rows = all.iter().position(|it| it.start == word.start)?;
    if rows < open {
        return None;
    }
    let name = |token: &Token| {
        let mut name = token.of(text).to_ascii_lowercase();
        name.retain(|byte| *byte != b'`');
        name
    };
    let columns = all.get(open + 1..rows)?.iter().filter(|it| it.kind != TokenKind::Byte);
    let columns: Vec<Vec<u8>> = columns.take(64).map(name).collect();
    let (mut set, mut depth) = (0, 0_usize);
    for pair in all.get(at..)?.windows(2) {
        let [column, equals] = pair else { continue };
        match column.of(text) {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0
            && equals.of(text) == b"="
            && let Some(place) = columns.iter().position(|it| *it == name(column))
        {
            set |= 1 << place;
        }
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::entry;
    use super::*;

    fn traits(text: &str) -> Traits {
        entry(text).with(Traits::of)
    }

    #[test]
    fn inserts_bring_rows_or_ask_for_them() {
        assert!(traits("INSERT INTO cfg (name, value) VALUES ('a', 1)").has_rows);
        assert!(traits("REPLACE cfg SET name = 'a'").has_rows);
        assert!(!traits("INSERT INTO cfg (name, value) SELECT a, b FROM c").has_rows);
        assert!(!traits("INSERT INTO cfg SELECT a FROM (VALUES ROW(1)) v WHERE b = 2").has_rows);
    }

    #[test]
    fn columns_that_an_upsert_sets_are_told_by_their_place() {
        let updates = |text: &str| traits(text).updates;
        let text = "INSERT INTO cfg (name, value, at) VALUES ('a', 1, 2) ON DUPLICATE KEY UPDATE \
                    `value` = VALUES(value), at = IF(name = 'b', 1, 2)";
        assert_eq!(updates(text), Some(0b110));
        assert_eq!(updates("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1"), None);
        assert_eq!(updates("INSERT INTO t (a) VALUES (1)"), None);
    }

    #[test]
    fn writes_are_told_by_what_the_whole_statement_does() {
        for text in [
            "WITH x AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (SELECT a FROM x)",
            "WITH x AS (SELECT 1 AS a) UPDATE t JOIN x USING (a) SET b = 2",
            "LOAD DATA INFILE 'f' INTO TABLE t",
            "/* c */ load data local infile 'f' into table t",
            "/*!40101 INSERT INTO t VALUES (1) */",
        ] {
            assert!(traits(text).writes(), "{text}");
        }
        for text in [
            "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
            "WITH x AS (SELECT 1 AS a) (SELECT a FROM x)",
            "(SELECT a FROM t)",
            "TABLE t",
            "administrator command: Ping",
        ] {
            assert!(!traits(text).writes(), "{text}");
        }
        let queue = "WITH x AS (TABLE u) UPDATE t SET a = 1 WHERE state = 'new' LIMIT 1";
        assert!(!traits(queue).is_point);
    }

    #[test]
    fn counters_and_accounts_are_told_by_what_they_set() {
        let text = "UPDATE t SET a = 1, n = n - 1 WHERE id = 2";
        assert!(traits(text).counts && !traits(text).is_money);
        assert!(!traits("UPDATE t SET a = b + 1 WHERE a = a + 1").counts);
        assert!(traits("UPDATE t SET user_balance = 5 WHERE id = 2").is_money);
        assert!(!traits("UPDATE t SET a = 5 WHERE balance = 2").is_money);
    }

    #[test]
    fn statements_of_a_session_are_told_from_work() {
        let talk = |text: &str| traits(text).talk;
        assert_eq!(talk("SET STATEMENT max_statement_time = 1 FOR SELECT a FROM t"), None);
        assert_eq!(talk("SELECT @n := 1"), None);
        assert_eq!(talk("SELECT @@version_comment LIMIT 1"), Some(Talk::Variable));
        assert_eq!(talk("SELECT a FROM t"), None);
    }
}
