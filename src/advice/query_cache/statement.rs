//! What a statement is to the query cache: asked for, refused, a write, the end of a transaction.
//!
//! Read once for each query class: literals decide nothing here. A statement that sets session
//! variables is the exception, see [`session`](super::session).

use crate::sql::analyze::analyze;
use crate::sql::distill::{TableName, tables};
use crate::sql::shape::Unknown;
use crate::sql::token::{Kind, Token, Tokens, tokens};

use super::functions::{Function, function, is_bare_call};

/// What a class of statements does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Does {
    /// Reads rows.
    Select(Select),
    /// INSERT, UPDATE, DELETE, REPLACE, LOAD DATA: changes rows of the tables, if any.
    Write,
    /// A definition, or what rewrites a table whole: TRUNCATE, OPTIMIZE, REPAIR.
    Define,
    /// CREATE VIEW: the name, and the tables behind it in [`Statement::tables`].
    DefineView(Option<TableName>),
    /// DROP DATABASE, with its name.
    DropDatabase(Vec<u8>),
    /// CREATE TEMPORARY TABLE.
    CreateTemporary,
    /// DROP TABLE, of temporary tables where the session has such.
    Drop {
        /// Only of temporary tables.
        is_temporary: bool,
    },
    /// FLUSH TABLES: of these, or of all.
    FlushTables,
    /// RESET QUERY CACHE.
    Reset,
    /// LOCK TABLES.
    LockTables,
    /// UNLOCK TABLES.
    UnlockTables,
    /// BEGIN, START TRANSACTION.
    Begin {
        /// WITH CONSISTENT SNAPSHOT.
        has_snapshot: bool,
    },
    /// COMMIT, ROLLBACK.
    End {
        /// AND CHAIN.
        begins: bool,
    },
    /// SET.
    Set,
    /// CALL: its statements are logged for themselves.
    Call,
    /// Anything else.
    Other,
}

/// A SELECT as the cache sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Select {
    /// SQL_NO_CACHE right behind SELECT: the cache is not even asked.
    pub says_no: bool,
    /// SQL_CACHE.
    pub says_yes: bool,
    /// Rows are locked.
    pub locks: bool,
    /// Why the result is never stored.
    pub refusal: Option<Refusal>,
}

/// Why a result is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// FOR UPDATE, LOCK IN SHARE MODE.
    Locks,
    /// SQL_NO_CACHE.
    SaysNo,
    /// INTO OUTFILE, DUMPFILE or variables.
    Into,
    /// `@a`, `@@a`.
    Variable,
    /// NOW(), RAND(), …
    Unsteady,
    /// A function that is none of the server's own.
    Foreign,
    /// No table.
    NoTable,
    /// A table of the server itself.
    SystemTable,
    /// A table in partitions, which MySQL does not store.
    Partitioned,
}

impl Refusal {
    /// What keeps the result out.
    pub fn word(self) -> &'static str {
        match self {
            Refusal::Locks => "it locks rows",
            Refusal::SaysNo => "it says SQL_NO_CACHE",
            Refusal::Into => "it writes its rows elsewhere (INTO)",
            Refusal::Variable => "it reads a variable",
            Refusal::Unsteady => "it calls a function that gives another value each time",
            Refusal::Foreign => "it calls a stored or loadable function",
            Refusal::NoTable => "it reads no table",
            Refusal::SystemTable => "it reads a table of the server itself",
            Refusal::Partitioned => "it reads a table in partitions",
        }
    }
}

/// A statement of one class.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Statement {
    /// What it does.
    pub does: Does,
    /// The tables it reads, or of a write and a definition those that change.
    pub tables: Vec<TableName>,
}

/// Reads a statement.
pub fn read(text: &[u8], is_mariadb: bool) -> Statement {
    let mut ahead = tokens(text);
    let mut next = || {
        ahead.find(|token| {
            !matches!(token.kind, Kind::HintOpen | Kind::HintClose) && token.of(text) != b"("
        })
    };
    let words: Vec<&[u8]> = std::iter::from_fn(&mut next).take(6).map(|it| it.of(text)).collect();
    let word = |place: usize| -> &[u8] { words.get(place).copied().unwrap_or_default() };
    let is = |place: usize, want: &str| word(place).eq_ignore_ascii_case(want.as_bytes());
    let does_of =
        |place: usize| words.iter().skip(place).any(|it| it.eq_ignore_ascii_case(b"temporary"));
    let plain = |does| Statement { does, tables: Vec::new() };
    let with = |does| Statement { does, tables: tables(text) };
    let lower = word(0).to_ascii_lowercase();
    match lower.as_slice() {
        b"select" => select(text, is_mariadb),
        b"with" if is_mariadb => select(text, is_mariadb),
        b"insert" | b"replace" | b"load" => {
            let mut tables = tables(text);
            tables.truncate(1);
            Statement { does: Does::Write, tables }
        }
        b"update" | b"delete" => Statement { does: Does::Write, tables: changed(text) },
        b"begin" if !is(1, "not") => plain(Does::Begin { has_snapshot: false }),
        b"start" if is(1, "transaction") => {
            plain(Does::Begin { has_snapshot: is(2, "with") && is(3, "consistent") })
        }
        b"xa" => match word(1).to_ascii_lowercase().as_slice() {
            b"start" | b"begin" => plain(Does::Begin { has_snapshot: false }),
            b"commit" | b"rollback" => plain(Does::End { begins: false }),
            _ => plain(Does::Other),
        },
        b"rollback" if is(1, "to") || (is(1, "work") && is(2, "to")) => plain(Does::Other),
        b"commit" | b"rollback" => {
            let chain = words.iter().position(|it| it.eq_ignore_ascii_case(b"chain"));
            let begins = chain.is_some_and(|at| at > 0 && !is(at - 1, "no"));
            plain(Does::End { begins })
        }
        b"set" if is(1, "statement") => plain(Does::Other),
        b"set" => plain(Does::Set),
        b"call" => plain(Does::Call),
        b"lock" if is(1, "table") || is(1, "tables") => plain(Does::LockTables),
        b"unlock" => plain(Does::UnlockTables),
        b"reset" if is(1, "query") => plain(Does::Reset),
        b"flush" => flush(text),
        b"create" if is_view(&words) => {
            let name = view_name(text);
            let mut read = tables(behind(text, b"as"));
            read.retain(|table| Some(table) != name.as_ref());
            Statement { does: Does::DefineView(name), tables: read }
        }
        b"create" if does_of(1) => Statement { does: Does::CreateTemporary, tables: defined(text) },
        b"drop" if is(1, "database") || is(1, "schema") => {
            let place = if is(2, "if") { 4 } else { 2 };
            let name = word(place).to_vec();
            plain(Does::DropDatabase(unquoted(&name)))
        }
        b"drop" if is(1, "index") => {
            Statement { does: Does::Define, tables: listed(text, &[b"on"]) }
        }
        b"drop" => Statement {
            does: Does::Drop { is_temporary: is(1, "temporary") },
            tables: listed(text, &[b"table", b"tables", b"view"]),
        },
        b"create" | b"alter" | b"truncate" => {
            Statement { does: Does::Define, tables: defined(text) }
        }
        b"rename" | b"optimize" | b"repair" => {
            let found = listed(text, &[b"table", b"tables"]);
            Statement { does: Does::Define, tables: found }
        }
        b"handler" => with(Does::Other),
        _ => plain(Does::Other),
    }
}

/// `CREATE [OR REPLACE] [ALGORITHM = …] [DEFINER = …] VIEW`: the word comes early, before AS.
fn is_view(words: &[&[u8]]) -> bool {
    let definer = |it: &&&[u8]| {
        it.eq_ignore_ascii_case(b"view")
            || it.eq_ignore_ascii_case(b"algorithm")
            || it.eq_ignore_ascii_case(b"sql")
    };
    let at = words.iter().position(|it| definer(&it));
    let table = words.iter().position(|it| it.eq_ignore_ascii_case(b"table"));
    at.is_some() && table.is_none()
}

/// The tokens that are no marks of hints.
fn plain<'a>(text: &'a [u8]) -> impl Iterator<Item = Token> + Clone + use<'a> {
    tokens(text).filter(|token| !matches!(token.kind, Kind::HintOpen | Kind::HintClose))
}

fn is_word(text: &[u8], token: Token, word: &[u8]) -> bool {
    token.kind == Kind::Word && token.of(text).eq_ignore_ascii_case(word)
}

/// What stands behind a word.
fn behind<'a>(text: &'a [u8], word: &[u8]) -> &'a [u8] {
    let found = plain(text).find(|token| is_word(text, *token, word));
    found.and_then(|token| text.get(token.end..)).unwrap_or_default()
}

fn unquoted(name: &[u8]) -> Vec<u8> {
    let bare = name.strip_prefix(b"`").and_then(|it| it.strip_suffix(b"`"));
    bare.unwrap_or(name).to_vec()
}

/// The dotted names behind one of these words, with commas between.
fn listed(text: &[u8], words: &[&[u8]]) -> Vec<TableName> {
    let mut tokens = plain(text)
        .skip_while(|token| !words.iter().any(|word| is_word(text, *token, word)))
        .skip(1);
    let mut names: Vec<TableName> = Vec::new();
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut take = |parts: &mut Vec<Vec<u8>>| {
        let name = parts.pop();
        let database = parts.pop();
        parts.clear();
        names.extend(name.map(|name| TableName { database, name }));
    };
    let mut expects = true;
    for token in tokens.by_ref() {
        let word = token.of(text);
        match token.kind {
            Kind::Word | Kind::Name | Kind::Quoted if expects => {
                let is_noise = [&b"if"[..], b"exists", b"not"];
                if token.kind == Kind::Word
                    && is_noise.iter().any(|it| word.eq_ignore_ascii_case(it))
                {
                    continue;
                }
                parts.push(unquoted(word));
                expects = false;
            }
            _ if word == b"." => expects = true,
            _ if word == b"," || word.eq_ignore_ascii_case(b"to") => {
                take(&mut parts);
                expects = true;
            }
            _ => break,
        }
    }
    take(&mut parts);
    names
}

/// The table that a definition is about: of an index the table it is on.
fn defined(text: &[u8]) -> Vec<TableName> {
    let words: Vec<Token> = plain(text).take(8).collect();
    let is = |token: &Token, word: &[u8]| is_word(text, *token, word);
    let on_index = words.iter().take(5).any(|it| is(it, b"index"))
        && !words.iter().take(5).any(|it| is(it, b"table"));
    let mut found = match on_index {
        true => listed(text, &[b"on"]),
        false if words.iter().any(|it| is(it, b"table") || is(it, b"view")) => {
            listed(text, &[b"table", b"view"])
        }
        // TRUNCATE t.
        false if words.first().is_some_and(|it| is(it, b"truncate")) => {
            listed(text, &[b"truncate"])
        }
        false => Vec::new(),
    };
    // CREATE TABLE (a, b): one table; behind the name all else is about columns.
    found.truncate(1);
    found
}

/// FLUSH, as far as it closes tables.
fn flush(text: &[u8]) -> Statement {
    let mut words = plain(text).skip(1).filter(|token| {
        !is_word(text, *token, b"local") && !is_word(text, *token, b"no_write_to_binlog")
    });
    let first = words.next();
    let is_tables =
        first.is_some_and(|it| is_word(text, it, b"table") || is_word(text, it, b"tables"));
    if !is_tables {
        return Statement { does: Does::Other, tables: Vec::new() };
    }
    let mut tables = listed(text, &[b"table", b"tables"]);
    // FLUSH TABLES WITH READ LOCK.
    if words.next().is_some_and(|it| is_word(text, it, b"with")) {
        tables.clear();
    }
    Statement { does: Does::FlushTables, tables }
}

/// The name of the view that is created.
fn view_name(text: &[u8]) -> Option<TableName> {
    listed(text, &[b"view"]).into_iter().next()
}

/// The tables that UPDATE or DELETE changes.
fn changed(text: &[u8]) -> Vec<TableName> {
    let mut named = tables(text);
    if named.len() < 2 {
        return named;
    }
    // Several: those that it reads only stay as they are. Told by the shape of the statement.
    let shape = std::str::from_utf8(text).ok().and_then(|text| analyze(text, &Unknown).ok());
    if let Some(shape) = shape.filter(|shape| !shape.writes.is_empty()) {
        let mut written: Vec<TableName> = shape.writes.into_iter().map(|it| it.table).collect();
        written.dedup();
        return written;
    }
    named.dedup();
    named
}

/// A SELECT: what keeps its result out of the cache.
fn select(text: &[u8], is_mariadb: bool) -> Statement {
    let tables = tables(text);
    let mut select = Select::default();
    let mut refuse = |refusal: Refusal| {
        select.refusal.get_or_insert(refusal);
    };
    let mut says_yes = false;
    let mut locks = false;
    let mut says_no = false;
    let mut depth = 0usize;
    let mut is_with = false;
    let mut before: Option<Token> = None;
    let mut place = 0usize;
    let mut stream: Tokens<'_> = tokens(text);
    while let Some(token) = stream.next() {
        let word = token.of(text);
        let behind = before.map_or(&b""[..], |it| it.of(text));
        match token.kind {
            Kind::HintOpen | Kind::HintClose => continue,
            Kind::Variable if word.starts_with(b"@") => refuse(Refusal::Variable),
            Kind::Byte if word == b"(" => depth += 1,
            Kind::Byte if word == b")" => depth = depth.saturating_sub(1),
            Kind::Word => {
                let is = |want: &str| word.eq_ignore_ascii_case(want.as_bytes());
                let next = stream.peek();
                let calls = next.is_some_and(|next| next.of(text) == b"(");
                match () {
                    () if place == 0 && is("with") => is_with = true,
                    () if is("sql_no_cache") => {
                        says_no = place == 1;
                        refuse(Refusal::SaysNo);
                    }
                    () if is("sql_cache") => says_yes = true,
                    () if is("into") => refuse(Refusal::Into),
                    () if (is("update") || is("share")) && behind.eq_ignore_ascii_case(b"for") => {
                        locks = true;
                        refuse(Refusal::Locks);
                    }
                    () if is("share") && behind.eq_ignore_ascii_case(b"in") => {
                        locks = true;
                        refuse(Refusal::Locks);
                    }
                    () if is("value") && behind.eq_ignore_ascii_case(b"next") => {
                        refuse(Refusal::Unsteady);
                    }
                    () if calls && !names_a_thing(text, before, is_with && depth == 0) => {
                        match function(word, is_mariadb) {
                            Function::Harmless => {}
                            Function::Unsteady => refuse(Refusal::Unsteady),
                            Function::Foreign => refuse(Refusal::Foreign),
                            Function::UnsteadyWithoutArgument => {
                                let mut ahead = stream.clone();
                                ahead.next();
                                if ahead.next().is_some_and(|it| it.of(text) == b")") {
                                    refuse(Refusal::Unsteady);
                                }
                            }
                        }
                    }
                    () if is_bare_call(word) => refuse(Refusal::Unsteady),
                    () => {}
                }
            }
            // `db.f(…)`: a function of a database, unless a table: `FROM db.t (…)` is none either.
            Kind::Name | Kind::Quoted
                if behind == b"."
                    && stream
                        .peek()
                        .is_some_and(|next| next.of(text) == b"(" && next.start == token.end) =>
            {
                refuse(Refusal::Foreign);
            }
            _ => {}
        }
        if token.of(text) != b"(" || place > 0 {
            place += 1;
        }
        before = Some(token);
    }
    if tables.is_empty() {
        refuse(Refusal::NoTable);
    }
    select.says_no = says_no;
    select.says_yes = says_yes;
    select.locks = locks;
    Statement { does: Does::Select(select), tables }
}

/// Whether a word before a parenthesis names something: a common table, the columns of an alias,
/// an index behind AS.
fn names_a_thing(text: &[u8], before: Option<Token>, may_be_common: bool) -> bool {
    let Some(before) = before else { return false };
    let word = before.of(text);
    let is_one = |words: &[&[u8]]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    match before.kind {
        Kind::Word => is_one(&[b"as", b"with", b"recursive", b"join", b"from", b"window"]),
        Kind::Byte => word == b")" || (may_be_common && word == b","),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Option<Refusal> {
        match read(text.as_bytes(), true).does {
            Does::Select(select) => select.refusal,
            does => panic!("{text}: {does:?}"),
        }
    }

    fn names(text: &str) -> Vec<String> {
        let of = |it: &TableName| String::from_utf8_lossy(&it.name).into_owned();
        read(text.as_bytes(), true).tables.iter().map(of).collect()
    }

    /// Section 9.1 of the rules, statement by statement.
    #[test]
    fn what_keeps_a_result_out() {
        for (text, want) in [
            ("SELECT a FROM t WHERE b = 1", None),
            ("SELECT a, VERSION() FROM t", None),
            ("SELECT UNIX_TIMESTAMP('2024-01-01'), a FROM t", None),
            ("SELECT UNIX_TIMESTAMP(), a FROM t", Some(Refusal::Unsteady)),
            ("SELECT a FROM t WHERE d < CURRENT_DATE", Some(Refusal::Unsteady)),
            ("SELECT a, now() FROM t", Some(Refusal::Unsteady)),
            ("SELECT a, 'now()' FROM t", None),
            ("SELECT t.user, `sleep` FROM t", None),
            ("SELECT @n, a FROM t", Some(Refusal::Variable)),
            ("SELECT @@sql_mode, a FROM t", Some(Refusal::Variable)),
            ("SELECT a FROM t FOR UPDATE", Some(Refusal::Locks)),
            ("SELECT a FROM t LOCK IN SHARE MODE", Some(Refusal::Locks)),
            ("SELECT a INTO OUTFILE '/tmp/x' FROM t", Some(Refusal::Into)),
            ("SELECT 1 + 1", Some(Refusal::NoTable)),
            ("SELECT price_of(7), a FROM t", Some(Refusal::Foreign)),
            ("SELECT shop.price_of(7), a FROM t", Some(Refusal::Foreign)),
            ("WITH c (x) AS (SELECT a FROM t), d (y) AS (SELECT x FROM c) SELECT * FROM d", None),
            ("SELECT * FROM (SELECT a FROM t) d (x)", None),
            ("(SELECT a FROM t) UNION (SELECT a FROM u)", None),
            ("SELECT a FROM t USE INDEX (i) WHERE b IN (1, 2) AND (c OR d)", None),
            ("SELECT a FROM t WHERE MATCH (b) AGAINST ('x' IN BOOLEAN MODE)", None),
            ("SELECT CAST(a AS DECIMAL(10, 2)), CAST(b AS CHAR(3)) FROM t", None),
            ("SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) FROM t", None),
            ("SELECT SQL_NO_CACHE a FROM t", Some(Refusal::SaysNo)),
            ("SELECT NEXT VALUE FOR s, a FROM t", Some(Refusal::Unsteady)),
        ] {
            assert_eq!(refusal(text), want, "{text}");
        }
    }

    #[test]
    fn a_write_names_the_tables_that_change() {
        assert_eq!(names("INSERT INTO t (a) SELECT b FROM u"), ["t"]);
        assert_eq!(names("UPDATE t SET a = (SELECT max(b) FROM u)"), ["t"]);
        assert_eq!(names("UPDATE t JOIN u ON t.i = u.i SET t.a = u.b"), ["t"]);
        assert_eq!(names("DELETE t FROM t JOIN u ON t.i = u.i"), ["t"]);
        assert_eq!(names("ALTER TABLE t ADD KEY (a)"), ["t"]);
        assert_eq!(names("CREATE INDEX i ON t (a)"), ["t"]);
        assert_eq!(names("DROP INDEX i ON t"), ["t"]);
        assert_eq!(names("TRUNCATE t"), ["t"]);
        assert_eq!(names("RENAME TABLE t TO u, v TO w"), ["t", "u", "v", "w"]);
        assert_eq!(names("DROP TABLE IF EXISTS t, s.u"), ["t", "u"]);
        assert_eq!(names("FLUSH TABLES t, u"), ["t", "u"]);
        assert_eq!(names("FLUSH TABLES WITH READ LOCK"), Vec::<String>::new());
    }

    #[test]
    fn verbs_are_told_apart() {
        let does = |text: &str| read(text.as_bytes(), true).does;
        assert_eq!(does("begin"), Does::Begin { has_snapshot: false });
        assert_eq!(
            does("START TRANSACTION WITH CONSISTENT SNAPSHOT"),
            Does::Begin { has_snapshot: true }
        );
        assert_eq!(does("ROLLBACK TO SAVEPOINT a"), Does::Other);
        assert_eq!(does("COMMIT AND NO CHAIN"), Does::End { begins: false });
        assert_eq!(does("COMMIT AND CHAIN"), Does::End { begins: true });
        assert_eq!(does("RESET QUERY CACHE"), Does::Reset);
        assert_eq!(does("FLUSH QUERY CACHE"), Does::Other);
        assert_eq!(does("CREATE TEMPORARY TABLE a AS SELECT 1"), Does::CreateTemporary);
        assert_eq!(does("DROP TEMPORARY TABLE a"), Does::Drop { is_temporary: true });
        let view = read(b"CREATE OR REPLACE VIEW v AS SELECT a FROM t JOIN u", true);
        let name = TableName { database: None, name: b"v".to_vec() };
        assert_eq!(view.does, Does::DefineView(Some(name)));
        assert_eq!(view.tables.len(), 2);
        assert_eq!(read(b"WITH c AS (SELECT 1) SELECT * FROM c", false).does, Does::Other);
    }
}
