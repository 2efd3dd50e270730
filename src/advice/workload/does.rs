//! What the statement of a class does, as far as its words tell it without a grammar.

use crate::sql::glance::{Glance, Verb, statement};
use crate::sql::token::{Kind, tokens};

use super::Class;

/// What a statement does with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// It reads rows of tables.
    Read,
    /// It writes rows, whether or not it reads others.
    Write,
    /// Neither: SET, COMMIT, definitions of tables, `SELECT 1`, administrator commands, CALL.
    Other,
}

/// A statement at a glance.
#[derive(Debug)]
pub struct Seen {
    /// What it does.
    pub does: Does,
    /// The words that it begins with, in capitals: two, or fewer where something else follows.
    pub begins: Vec<String>,
    /// Its tables, aggregates and the like.
    pub glance: Glance,
    /// DISTINCT or GROUP BY stands in it, or an aggregate.
    pub sums_up: bool,
    /// It locks the rows that it reads: FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE.
    pub is_locking: bool,
}

impl Seen {
    /// Looks at the statement that stands for a class.
    pub fn of(class: &Class<'_>) -> Seen {
        let text = class.sample();
        let glance = statement(text);
        let words: Vec<Vec<u8>> = tokens(text.as_bytes())
            .filter(|token| token.kind == Kind::Word)
            .take(MOST)
            .map(|token| token.of(text.as_bytes()).to_ascii_uppercase())
            .collect();
        let has = |word: &[u8]| words.iter().any(|own| own == word);
        let follows = |first: &[u8], second: &[&[u8]]| {
            let pairs = words.iter().zip(words.iter().skip(1));
            pairs.into_iter().any(|(one, next)| one == first && second.contains(&next.as_slice()))
        };
        let does = match glance.verb {
            Verb::Select if glance.sources.is_empty() => Does::Other,
            Verb::Select => Does::Read,
            Verb::Other if words.first().is_some_and(|word| word == b"LOAD") => Does::Write,
            Verb::Other => Does::Other,
            _ => Does::Write,
        };
        Seen {
            does,
            begins: begins(text),
            sums_up: glance.aggregates || has(b"DISTINCT") || has(b"GROUP"),
            is_locking: follows(b"FOR", &[b"UPDATE", b"SHARE"]) || follows(b"LOCK", &[b"IN"]),
            glance,
        }
    }

    /// The table that it writes, with its database where that is known.
    pub fn written(&self, class: &Class<'_>) -> Option<String> {
        let first = self.glance.sources.first().filter(|_| self.does == Does::Write)?;
        Some(named(&first.table, class))
    }

    /// All its tables, each once, with their databases where these are known.
    pub fn tables(&self, class: &Class<'_>) -> Vec<String> {
        let mut tables: Vec<String> =
            self.glance.sources.iter().map(|source| named(&source.table, class)).collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }
}

/// The first two words, past comments.
fn begins(text: &str) -> Vec<String> {
    let is_mark = |kind| matches!(kind, Kind::HintOpen | Kind::HintClose);
    let first = tokens(text.as_bytes()).filter(|token| !is_mark(token.kind)).take(2);
    let words = first.take_while(|token| token.kind == Kind::Word);
    words.filter_map(|word| Some(text.get(word.range())?.to_ascii_uppercase())).collect()
}

/// Words that are looked at.
const MOST: usize = 10_000;

fn named(table: &crate::sql::distill::TableName, class: &Class<'_>) -> String {
    let name = String::from_utf8_lossy(&table.name);
    let own = table.database.as_deref().map(String::from_utf8_lossy);
    match own.as_deref().or(class.database.as_deref()) {
        Some(database) => format!("{database}.{name}"),
        None => name.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::fixture;

    #[track_caller]
    fn check(text: &str, does: Does, written: Option<&str>) {
        let class = fixture(text);
        let seen = Seen::of(&class);
        assert_eq!((seen.does, seen.written(&class).as_deref()), (does, written), "{text}");
    }

    #[test]
    fn writes_are_told_from_reads() {
        check("SELECT a FROM t WHERE b = 1", Does::Read, None);
        check("/* app */ (SELECT a FROM t) UNION (SELECT a FROM u)", Does::Read, None);
        check("INSERT INTO shop.t (a) SELECT a FROM u", Does::Write, Some("shop.t"));
        check("REPLACE INTO t VALUES (1)", Does::Write, Some("t"));
        check("UPDATE t SET a = a + 1 WHERE b = 2", Does::Write, Some("t"));
        check("DELETE FROM t WHERE b = 2", Does::Write, Some("t"));
        check(
            "WITH x AS (SELECT 1 AS a) UPDATE t JOIN x USING (a) SET b = 2",
            Does::Write,
            Some("t"),
        );
        check("LOAD DATA INFILE 'f' INTO TABLE t", Does::Write, Some("t"));
    }

    #[test]
    fn what_touches_no_rows_is_neither() {
        check("SELECT 1", Does::Other, None);
        check("SELECT SLEEP(2)", Does::Other, None);
        check("COMMIT", Does::Other, None);
        check("SET NAMES utf8mb4", Does::Other, None);
        check("ALTER TABLE t ADD COLUMN b INT", Does::Other, None);
    }

    #[test]
    fn a_statement_begins_behind_its_comments() {
        let begins = |text: &str| Seen::of(&fixture(text)).begins;
        assert_eq!(begins("/* deploy */ alter /*uid:8812*/ table t ADD a INT"), ["ALTER", "TABLE"]);
        assert_eq!(begins("-- why\nALTER\nTABLE t"), ["ALTER", "TABLE"]);
        assert_eq!(begins("/*!40000 ALTER TABLE t DISABLE KEYS */"), ["ALTER", "TABLE"]);
        assert_eq!(begins("TRUNCATE `secret`"), ["TRUNCATE"]);
        assert_eq!(begins("DO 'secret'"), ["DO"]);
        assert!(begins("").is_empty());
    }

    #[test]
    fn locks_and_sums_are_seen() {
        let seen = |text: &str| {
            let seen = Seen::of(&fixture(text));
            (seen.is_locking, seen.sums_up)
        };
        assert_eq!(seen("SELECT a FROM t WHERE b = 1 FOR UPDATE"), (true, false));
        assert_eq!(seen("SELECT a FROM t LOCK IN SHARE MODE"), (true, false));
        assert_eq!(seen("SELECT COUNT(*) FROM t"), (false, true));
        assert_eq!(seen("SELECT a FROM t GROUP BY a"), (false, true));
        assert_eq!(seen("SELECT a FROM t"), (false, false));
    }
}
