use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(statement: &str, want: &str) {
    let got = distill(statement.as_bytes());
    assert_eq!(String::from_utf8_lossy(&got), want, "{statement:?}");
}

#[track_caller]
fn check_tables(statement: &str, want: &[&str]) {
    let tables = tables(statement.as_bytes());
    let got: Vec<_> =
        tables.iter().map(|table| String::from_utf8_lossy(&table.dotted()).into_owned()).collect();
    assert_eq!(got, want, "{statement:?}");
}

#[test]
fn words_of_clauses_and_functions_are_no_verbs() {
    check("INSERT INTO t SELECT REPLACE(a, 'x', 'y') FROM u FOR UPDATE", "INSERT SELECT t u");
    check("SET @a = INSERT('a', 1, 1, 'b')", "SET");
    check("UPDATE t SET a = REPLACE(a, 'delete from x', '')", "UPDATE t");
    check("UPDATE t SET `select` = x.union", "UPDATE t");
    check("UPDATE /* delete */ t SET a = 1 -- insert", "UPDATE t");
    check("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2", "INSERT UPDATE t");
    check("GRANT SELECT, UPDATE ON a.b TO c", "GRANT");
}

#[test]
fn statements_without_a_verb_of_the_peer_get_their_first_word() {
    check("optimize local table a, b7", "OPTIMIZE TABLE a b?");
    check("REPAIR TABLE a", "REPAIR TABLE a");
    check("desc shop.t5", "DESC shop.t?");
    check("EXPLAIN FORMAT=JSON UPDATE t SET a = 1", "UPDATE t");
    check("TABLE t", "TABLE t");
    check("kill query 5", "KILL");
    check("CALL shop . p9 (1)", "CALL shop.p9");
    check("administrator command: Init DB;\n", "ADMIN INIT DB");
    check("", "");
    check("-- nothing", "");
    check("'a'", "");
}

#[test]
fn definitions_name_their_object_once() {
    check("CREATE TABLE t5 (id INT)", "CREATE TABLE t?");
    check("CREATE TABLE IF NOT EXISTS `a b`.`t``5` (id INT)", "CREATE TABLE a b.t`?");
    check("CREATE TABLE a1 SELECT * FROM b2, a3", "CREATE TABLE b? a?");
    check("CREATE TABLE a1 SELECT * FROM a2", "CREATE TABLE a?");
    check("CREATE OR REPLACE VIEW v AS SELECT * FROM t", "CREATE t");
    check("DROP TEMPORARY TABLE IF EXISTS a, b", "DROP TABLE a");
    check("CREATE DATABASE shop2", "CREATE DATABASE shop?");
    check("ALTER TABLE t ADD a INT, ADD b INT", "ALTER TABLE t");
}

#[test]
fn shows_are_two_words() {
    check("show full tables from shop", "SHOW TABLES");
    check("SHOW COUNT(*) ERRORS", "SHOW ERRORS");
    check("show create schema x", "SHOW CREATE DATABASE");
    check("SHOW SCHEMAS", "SHOW DATABASES");
    check("SHOW", "SHOW");
}

#[test]
fn tables_are_what_the_statement_uses() {
    check_tables("SELECT * FROM a JOIN `b`.`c``d` x ON 1, A, a", &["a", "b.c`d", "A"]);
    check_tables("SELECT * FROM (a, (b)) LEFT JOIN c USING (x), d", &["a", "b", "c", "d"]);
    check_tables("SELECT * FROM a USE INDEX (i, j), b PARTITION (p, q), c", &["a", "b", "c"]);
    check_tables("SELECT * FROM a ORDER BY b, c", &["a"]);
    check_tables("DELETE a FROM a, b WHERE a.x IN (SELECT y FROM c, d)", &["a", "b", "c", "d"]);
    check_tables("INSERT IGNORE t(a, b) VALUES (1, 2)", &["t"]);
    check_tables("REPLACE INTO t SET a = 1, b = 2", &["t"]);
    check_tables("LOCK TABLES a READ, b AS c WRITE", &["a", "b"]);
    check_tables("SHOW INDEX FROM a", &["a"]);
    check_tables("SHOW TABLES FROM a", &[]);
    check_tables("SHOW CREATE TABLE a.b", &["a.b"]);
    check_tables("SELECT /*+ BKA(from x) */ * /*!40001 FROM y */", &["y"]);
}

#[test]
fn what_only_looks_like_a_table_is_none() {
    check_tables(
        "SELECT EXTRACT(YEAR FROM x), TRIM('a' FROM y), SUBSTRING(z FROM 2) FROM t",
        &["t"],
    );
    check_tables("SELECT OVERLAY(a PLACING b FROM c) FROM t", &["t"]);
    check_tables("SELECT a IS NOT DISTINCT FROM b FROM t", &["t"]);
    check_tables("SELECT TRIM('a' FROM (SELECT b FROM u)) FROM t", &["u", "t"]);
    check_tables("SELECT a INTO OUTFILE 'x' FROM t", &["t"]);
    check_tables("SELECT a FROM t INTO DUMPFILE 'x'", &["t"]);
    check_tables("SELECT a, b INTO @a, @b FROM t", &["t"]);
    check_tables("SELECT a FROM t FOR UPDATE OF t NOWAIT", &["t"]);
    check_tables("SELECT * FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$')) j, t", &["t"]);
    check_tables("SELECT ' from x', `from y` FROM t -- from z", &["t"]);
}

#[test]
fn common_table_expressions_are_no_tables() {
    check_tables(
        "WITH c AS (SELECT * FROM t), d (x) AS (SELECT * FROM C) SELECT * FROM d, u",
        &["t", "u"],
    );
    check_tables("WITH RECURSIVE c AS (SELECT 1 UNION SELECT n FROM c) SELECT * FROM c", &[]);
    check_tables("WITH t AS (SELECT * FROM t) SELECT * FROM `T`, s.t", &["t", "s.t"]);
    check_tables("SELECT * FROM (WITH c AS (SELECT 1) SELECT * FROM c) x, c", &["c"]);
    check_tables("SELECT a FROM t GROUP BY a WITH ROLLUP", &["t"]);
    check_tables("WITH c AS (SELECT 1) UPDATE t JOIN c SET a = 1", &["t"]);
}

/// Takes minutes if anything is quadratic, or overflows the stack if anything recurses.
#[test]
fn depth_costs_linear_time() {
    let n = 100_000;
    for statement in [
        "(".repeat(n),
        "SELECT * FROM (".repeat(n),
        "WITH c AS (".repeat(n),
        "SELECT * FROM a, ".repeat(n),
        "INSERT SELECT ".repeat(n),
        ["WITH ", &"c AS (SELECT 1), ".repeat(n)].concat(),
        "SHOW COUNT(".repeat(n),
        "FROM a.".repeat(n),
    ] {
        distill(statement.as_bytes());
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(statement in prop::collection::vec(any::<u8>(), 0..200)) {
        distill(&statement);
        tables(&statement);
    }

    #[test]
    fn no_words_panic(words in prop::collection::vec(prop::sample::select(vec![
        "SELECT", "FROM", "a", "`b", "`c`", ".", ",", "(", ")", "WITH", "AS", "RECURSIVE", "JOIN",
        "INTO", "TABLE", "SHOW", "COUNT", "LOAD", "CREATE", "IF", "UPDATE", "XA", "CALL", ";",
        "/*!", "/*+", "*/", "USE", "EXPLAIN", "INSERT", "5", "'x'",
    ]), 0..20)) {
        let statement = words.join(" ");
        distill(statement.as_bytes());
        tables(statement.as_bytes());
    }
}
