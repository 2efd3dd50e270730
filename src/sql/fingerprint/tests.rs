use proptest::prelude::*;

use super::*;

fn text(statement: &str) -> String {
    String::from_utf8_lossy(&fingerprint(statement.as_bytes())).into_owned()
}

#[track_caller]
fn check(statement: &str, want: &str) {
    assert_eq!(text(statement), want, "{statement:?}");
}

/// Statements of one class.
#[track_caller]
fn check_same(statements: &[&str], want: &str) {
    for statement in statements {
        check(statement, want);
    }
}

#[test]
fn whole_statements_have_their_own_forms() {
    check("SELECT /*!40001 SQL_NO_CACHE */ * FROM `shop`.`books`", "mysqldump");
    check("REPLACE /*shop.books:1/40*/ INTO checks SELECT 1", "percona-toolkit");
    check("CALL p(1) /*shop.books:1/40*/", "percona-toolkit");
    check("SELECT '/*shop.books:1/40*/'", "select ?");
    check("administrator command: Init DB", "administrator command: Init DB");
    check("administrator command: Quit; ", "administrator command: Quit");
    check("CALL shop.Make_Report (5, 'x')", "call shop.make_report");
    check("call `A b` . p(f(1))", "call `a b`.p");
    check("CALL", "call");
    check("USE `my shop` ;", "use ?");
    check("USE shop -- now", "use ?");
    check("USE shop ; /* now */ ; ", "use ?");
    check("use a b", "use a b");
    check("use a; select 1", "use a; select ?");
    check("/* No query */", "");
    check(" ;\n; ", "");
}

#[test]
fn tokens_print_as_themselves_and_literals_as_one_mark() {
    check(r#"SELECT 'it''s', "a""b", 'x\\', 'y\'z', 'a' 'b'"#, "select ?, ?, ?, ?, ? ?");
    check(
        "SELECT id FROM t WHERE h = 0xAB AND x = X'1F' AND b = b'01' AND e = 1.5E-3 AND f = .5",
        "select id from t where h = ? and x = ? and b = ? and e = ? and f = ?",
    );
    check(
        "SELECT _utf8mb4'x' COLLATE utf8mb4_bin, N'y', DATE '2024-01-01'",
        "select _utf8mb4 ? collate utf8mb4_bin, ?, date ?",
    );
    check(
        r"SELECT \N, t.true FROM t WHERE a IS NULL AND b IS NOT NULL AND c = TRUE AND d = ?",
        "select ?, t.true from t where a is ? and b is not ? and c = ? and d = ?",
    );
    check("SELECT * FROM t WHERE a = 'unterminated", "select * from t where a = ?");
    check("SELECT t1.c1 FROM db7.logs_2024_05 t1", "select t1.c1 from db7.logs_2024_05 t1");
    check("SELECT 1f, 9x, 2024_05, a.5 FROM `12`", "select 1f, 9x, 2024_05, a.5 from `12`");
    check(
        "SELECT `Order 66`, `a``b`, `it's` FROM `T-1` WHERE n = 'x'",
        "select `order 66`, `a``b`, `it's` from `t-1` where n = ?",
    );
    check("SELECT `a\nb`", "select `a b`");
    check(
        "SELECT @a, @@global.max_connections, :p1, $1 FROM t",
        "select @a, @@global.max_connections, :p1, $1 from t",
    );
    check(
        "GRANT SELECT ON shop.* TO 'bob'@'10.0.0.%', root@localhost",
        "grant select on shop.* to ?@?, root@localhost",
    );
    check("SELECT@a, @b", "select @a, @b");
}

#[test]
fn comments_vanish_and_hints_stay() {
    check_same(
        &[
            "SELECT /* why */ a/**/FROM/**/t -- it's all",
            "SELECT a FROM t # app=cart",
            "SELECT a FROM t; -- done",
            "-- first\nSELECT a\r\nFROM t;;\n",
            "SELECT a FROM t /* no end",
        ],
        "select a from t",
    );
    check(
        "SELECT /*+ MAX_EXECUTION_TIME(1000) */ a FROM t",
        "select /*+ max_execution_time(?) */ a from t",
    );
    check("SELECT /*!40001 SQL_NO_CACHE */ a FROM t", "select /*!? sql_no_cache */ a from t");
    check("SELECT /*!STRAIGHT_JOIN*/ a FROM t", "select /*! straight_join */ a from t");
    check("SELECT /*M!100100 x*/ -1", "select /*m!? x */ ?");
}

#[test]
fn signs_belong_to_literals_where_an_operand_is_expected() {
    check("SELECT a-1, a - 1, a -1 FROM t", "select a - ?, a - ?, a - ? from t");
    check("SELECT a--1, -1, - 1, 5 * -3 FROM t", "select a - ?, ?, ?, ? * ? from t");
    check("SELECT -a, -(a+b), !c FROM t", "select -a, -(a + b), !c from t");
    check("SELECT - + - 1, -+-b, !-1, ~a", "select ?, -+-b, !?, ~a");
    check(
        "UPDATE stock SET qty = qty - 1 WHERE sku BETWEEN -5 AND +5 LIMIT 10",
        "update stock set qty = qty - ? where sku between ? and ? limit ?",
    );
    check("SELECT t.key - 1, (a) - 1, 'x' - 1", "select t.key - ?, (a) - ?, ? - ?");
}

#[test]
fn blanks_do_not_depend_on_the_source() {
    check_same(
        &["select id,title from books where id=17", "SELECT id , title FROM books WHERE id = -3"],
        "select id, title from books where id = ?",
    );
    check(
        "SELECT COUNT( * ), nullif(a,b), COUNT (*) FROM books",
        "select count(*), nullif(a, b), count(*) from books",
    );
    check(
        "SELECT a&&b, a<=>b, doc ->> '$.b', @x:=5 FROM t",
        "select a && b, a <=> b, doc->>?, @x := ? from t",
    );
    check("SELECT shop . books . id FROM shop.books", "select shop.books.id from shop.books");
    check("INSERT INTO books(id,title) VALUES(1,'a')", "insert into books (id, title) values(?+)");
    check("INSERT INTO `books`(`id`) VALUES (1)", "insert into `books` (`id`) values(?+)");
    check("INSERT IGNORE a.books(id) SELECT 1", "insert ignore a.books (id) select ?");
    check("SELECT INSERT(a,1,2,b)", "select insert(a, ?, ?, b)");
    check(
        "SELECT id FROM a JOIN b USING(id) WHERE a.x IN(SELECT x FROM c)",
        "select id from a join b using (id) where a.x in (select x from c)",
    );
    check(
        "CREATE TABLE t5(id INT(11) NOT NULL, p DECIMAL(10,2), KEY k2(id))",
        "create table t5 (id int(?) not ?, p decimal(?, ?), key k2 (id))",
    );
    check("SELECT 1; SELECT 2;", "select ?; select ?");
    check("l: LOOP", "l: loop");
}

#[test]
fn lists_of_literals_are_one() {
    check_same(
        &[
            "SELECT id FROM t WHERE a NOT IN (-1, +2, 0x1F, NULL)",
            "SELECT id FROM t WHERE a NOT IN ()",
            "SELECT id FROM t WHERE a NOT IN((1,2),(3,'x)'))",
            "SELECT id FROM t WHERE a NOT IN (1, /* in () */ 2)",
        ],
        "select id from t where a not in(?+)",
    );
    check("SELECT a IN (1, b, NOW())", "select a in (?, b, now())");
    check("SELECT a IN (1 - 1)", "select a in (? - ?)");
    check("SELECT a IN (_utf8'x')", "select a in (_utf8 ?)");
    check("SELECT a IN (1, 2", "select a in (?, ?");
}

#[test]
fn the_first_row_stands_for_all() {
    check_same(
        &[
            "INSERT INTO t (a, b) VALUES (1,'a'), (2,'),('), (3,NOW())",
            "INSERT INTO t (a, b) VALUES (1,'a'), (3,NO",
            "INSERT INTO t (a, b) VALUES ()",
        ],
        "insert into t (a, b) values(?+)",
    );
    check_same(
        &[
            "INSERT INTO t (a, b) VALUES (1, NOW()), (2, NOW())",
            "INSERT INTO t (a, b) VALUES(1, NOW())",
        ],
        "insert into t (a, b) values (?, now())",
    );
    check_same(
        &[
            "INSERT INTO t (a) VALUES (1),(2) ON DUPLICATE KEY UPDATE b = VALUES (b), n = n + 1",
            "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = VALUES(b), n = n+7",
        ],
        "insert into t (a) values(?+) on duplicate key update b = values(b), n = n + ?",
    );
    check("INSERT INTO t VALUES ROW(1,2), ROW(3,4)", "insert into t values row(?+)");
    check("INSERT INTO t VALUES ROW(a(),2), ROW(3,4) x", "insert into t values row(a(), ?) x");
    check(
        "INSERT INTO t VALUES ((SELECT 1 FROM (VALUES ROW(1),ROW(2)) v)), (3) AS n",
        "insert into t values ((select ? from (values row(?+)) v)) as n",
    );
    check("INSERT INTO t SET a = 1, b = 'x'", "insert into t set a = ?, b = ?");
}

#[test]
fn limit_is_one_number_and_asc_is_nothing() {
    check(
        "SELECT id FROM (SELECT id FROM a LIMIT 5 OFFSET 10) x LIMIT 20, 10",
        "select id from (select id from a limit ?) x limit ?",
    );
    check("SELECT a LIMIT @a, 5", "select a limit @a, ?");
    check(
        "SELECT id FROM a ORDER BY b ASC, ascii ASC, c DESC LIMIT 3",
        "select id from a order by b, ascii, c desc limit ?",
    );
    check(
        "SELECT a FROM t GROUP BY a ASC ORDER BY b ASC",
        "select a from t group by a asc order by b",
    );
}

#[test]
fn repeated_arms_are_dropped_at_every_depth() {
    check(
        "SELECT a FROM t WHERE b = 1 UNION ALL SELECT a FROM t WHERE b = 2 ORDER BY a LIMIT 5",
        "select a from t where b = ? /*repeat union all*/ order by a limit ?",
    );
    check(
        "(SELECT a FROM t WHERE b = 1) UNION (SELECT a FROM t WHERE b = 2)",
        "(select a from t where b = ?) /*repeat union*/",
    );
    check(
        "SELECT a FROM t UNION SELECT a FROM t2 UNION SELECT a FROM t2",
        "select a from t union select a from t2 /*repeat union*/",
    );
    check(
        "SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3 UNION SELECT a",
        "select ? /*repeat union distinct*/ union select a",
    );
    check(
        "SELECT * FROM ((SELECT 1 UNION SELECT 2) UNION ALL (SELECT 3 UNION SELECT 4)) x FOR UPDATE",
        "select * from ((select ? /*repeat union*/) /*repeat union all*/) x for update",
    );
    check(
        "INSERT INTO t (a) (SELECT 1) UNION (SELECT 2); SELECT 1 UNION SELECT 2",
        "insert into t (a) (select ?) /*repeat union*/; select ? /*repeat union*/",
    );
    check(
        "WITH c AS (SELECT 1) SELECT 2 UNION SELECT 3 INTO @a",
        "with c as (select ?) select ? /*repeat union*/ into @a",
    );
    check(
        "SELECT a FROM t FOR UPDATE UNION SELECT a FROM t",
        "select a from t for update union select a from t",
    );
    check(
        "SELECT a FROM t WHERE b = 1 UNION SELECT a FROM u WHERE b = 1",
        "select a from t where b = ? union select a from u where b = ?",
    );
    check(
        "SELECT 1 UNION VALUES ROW(1) UNION SELECT 1",
        "select ? union values row(?+) union select ?",
    );
}

#[test]
fn digits_collapse_in_tables_only() {
    for (text, want) in [
        ("select t1.c1 from db2.t3 t1", "select t?.c1 from db?.t? t1"),
        ("select * from orders_2025", "select * from orders_?"),
        (
            "select c1 from a1 x1, b_2_3 join `c 4` on c5 = d6, e7",
            "select c1 from a? x1, b_?_? join `c ?` on c5 = d6, e?",
        ),
        ("insert into t1 (c1) values(?+)", "insert into t? (c1) values(?+)"),
        (
            "update t1 set c1 = ?, c2 = extract(year from c3)",
            "update t? set c1 = ?, c2 = extract(year from c3)",
        ),
        ("select c1 in(?+) from t1 for update", "select c1 in(?+) from t? for update"),
        ("lock tables t1 read, t2 write", "lock tables t? read, t? write"),
        ("call db1.p2", "call db?.p2"),
    ] {
        let got = collapse_digits(text.as_bytes());
        assert_eq!(String::from_utf8_lossy(&got), want);
    }
}

#[test]
fn ids_are_the_md5_in_upper_case() {
    assert_eq!(ClassId::of(b"").to_string(), "D41D8CD98F00B204E9800998ECF8427E");
}

/// Each takes minutes if anything is quadratic, or overflows the stack if anything recurses.
#[test]
fn depth_and_length_cost_linear_time() {
    let n = 100_000;
    let around = |open: &str, middle: &str, close: &str| {
        [&open.repeat(n), middle, &close.repeat(n)].concat()
    };
    fingerprint(around("(", "SELECT 1", ")").as_bytes());
    fingerprint("(".repeat(n).as_bytes());
    fingerprint("(SELECT 1 UNION ".repeat(n).as_bytes());
    fingerprint(around("(SELECT 1 UNION SELECT 2 UNION ", "SELECT 3", ")").as_bytes());
    fingerprint(around("(", "SELECT 3", " UNION SELECT 1 LIMIT 1)").as_bytes());
    fingerprint(around("x IN (1, ", "2", ")").as_bytes());
    fingerprint(around("VALUES (1, ", "a()", "), (2)").as_bytes());
    fingerprint("x IN (1,2,3, ".repeat(n).as_bytes());
    fingerprint("/*! /*+ ".repeat(n).as_bytes());
    fingerprint("- ".repeat(n).as_bytes());
    fingerprint("SELECT 1 UNION ".repeat(n).as_bytes());
    fingerprint(["INSERT INTO t VALUES ", &"(1,'a'), ".repeat(n)].concat().as_bytes());
    collapse_digits("from (t1, ".repeat(n).as_bytes());
}

/// Pieces of statements that do not run into each other when blanks stand between.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "SELECT",
        "FROM",
        "WHERE",
        "t",
        "a.b",
        "`Q x`",
        "IN",
        "(",
        ")",
        ",",
        "=",
        "-",
        "+",
        "*",
        "INSERT INTO",
        "VALUES",
        "ROW",
        "UNION",
        "UNION ALL",
        "ORDER BY",
        "ASC",
        "LIMIT",
        "OFFSET",
        "ON DUPLICATE KEY UPDATE",
        "!",
        "->",
        ".",
        ";",
        "@v",
        "KEY",
        "count",
        "/*!40001",
        "/*+",
        "*/",
        "CALL",
        "USE",
        "é",
    ])
}

/// A literal, and another in its place.
fn literals() -> impl Strategy<Value = (&'static str, &'static str)> {
    let all = ["1", "0xFF", "1e5", ".5", "'it''s'", "'\\'; -- x'", "\"/*\"", "NULL", "?", "x'1f'"];
    (prop::sample::select(all.to_vec()), prop::sample::select(all.to_vec()))
}

/// A blank, and another in its place.
fn blanks() -> impl Strategy<Value = (&'static str, &'static str)> {
    let all = [" ", "\n", "\t  ", " /**/ ", " /* it's */ ", " -- x'\n", " #y\"\r\n"];
    (prop::sample::select(all.to_vec()), prop::sample::select(all.to_vec()))
}

/// Two statements that differ only in letter case, blanks, comments and literals.
fn twins() -> impl Strategy<Value = (String, String)> {
    let piece = prop_oneof![
        3 => piece().prop_map(|piece| (piece.to_owned(), piece.to_ascii_lowercase())),
        1 => literals().prop_map(|(a, b)| (a.to_owned(), b.to_owned())),
    ];
    prop::collection::vec((piece, blanks()), 0..40).prop_map(|pieces| {
        let mut twins = (String::new(), String::new());
        for ((a, b), (blank, other)) in pieces {
            twins.0.extend([a.as_str(), blank]);
            twins.1.extend([b.as_str(), other]);
        }
        twins
    })
}

proptest! {
    #[test]
    fn no_bytes_panic(statement in prop::collection::vec(any::<u8>(), 0..200)) {
        collapse_digits(&fingerprint(&statement));
    }

    #[test]
    fn no_syntax_panics(statement in "[-a'\"`(),;.*/!+ 0-9eENUIOSLCT@:#\\\\\n?x]{0,80}") {
        collapse_digits(&fingerprint(statement.as_bytes()));
    }

    #[test]
    fn case_blanks_comments_and_literals_split_no_class((a, b) in twins()) {
        prop_assert_eq!(text(&a), text(&b));
    }

    #[test]
    fn an_end_of_blanks_and_semicolons_is_nothing(
        statement in "[-a'`(),;./*!# 0-9SELECT\n]{0,60}",
        end in "[; \n\t]{0,5}",
    ) {
        prop_assert_eq!(text(&statement), text(&[statement.as_str(), end.as_str()].concat()));
    }
}
