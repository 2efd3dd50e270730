//! Fingerprints and items against the agreed tables of statements.
//!
//! `tables/fingerprints-default.tsv` is the contract of our own rules: text and query ID.
//! `tables/distill.tsv` is what pt-query-digest 3.7.1 prints as the item; rows that we print
//! otherwise are listed here, each with the reason.

mod common;

use adagio::sql::distill::distill;
use adagio::sql::fingerprint::{ClassId, fingerprint};
use common::{rows, unescaped};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_row_has_its_fingerprint_and_query_id() {
    let rows = rows("fingerprints-default.tsv");
    assert_eq!(rows.len(), 269);
    let mut wrong = Vec::new();
    for row in &rows {
        let got = fingerprint(unescaped(&row[0]).as_bytes());
        let id = ClassId::of(&got).to_string();
        if (text(&got), &id) != (unescaped(&row[1]), &row[2]) {
            wrong.push(format!("{}\n  got  {}\n  want {}", row[0], text(&got), row[1]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rows of `distill.tsv` that we print otherwise: statement, our item, why.
#[rustfmt::skip]
const OTHER_ITEMS: &[(&str, &str, &str)] = &[
    ("INSERT INTO books VALUES ('select from me')", "INSERT books", "F12: a word in a string"),
    ("PREPARE s FROM 'SELECT 1'", "PREPARE", "F12: a word in a string"),
    ("GRANT SELECT ON shop.* TO bob", "GRANT", "F12: a privilege is no verb"),
    ("SELECT * FROM books WHERE EXTRACT(YEAR FROM added) = 2024", "SELECT books", "F12: FROM in a function"),
    ("SELECT TRIM(BOTH 'x' FROM name) FROM books", "SELECT books", "F12: FROM in a function"),
    ("SELECT id INTO OUTFILE '/data/o' FROM books", "SELECT books", "F12: a file"),
    ("WITH c AS (SELECT * FROM books) SELECT * FROM c", "SELECT books", "F12: a common table expression"),
    ("SELECT * FROM books FORCE INDEX FOR JOIN (i1), authors", "SELECT books authors", "F12: an index, and the list behind it"),
    ("SELECT STRAIGHT_JOIN * FROM a STRAIGHT_JOIN b", "SELECT a b", "F12: the second table was lost"),
    ("USE shop", "USE", "F12: upper-case USE"),
    ("show /*!50002 GLOBAL */ status", "SHOW GLOBAL STATUS", "F12: lower-case show"),
    ("CREATE TEMPORARY TABLE tmp5 (id INT)", "CREATE TABLE tmp?", "F11: the name twice"),
    ("CALL make_report", "CALL make_report", "empty in the peer"),
    ("SAVEPOINT x", "SAVEPOINT", "empty in the peer"),
    ("OPTIMIZE TABLE books", "OPTIMIZE TABLE books", "empty in the peer"),
    ("ANALYZE TABLE books", "ANALYZE TABLE books", "empty in the peer"),
    ("DESCRIBE books", "DESCRIBE books", "empty in the peer"),
    ("KILL 5", "KILL", "empty in the peer"),
    ("EXECUTE s", "EXECUTE", "empty in the peer"),
    ("DEALLOCATE PREPARE s", "DEALLOCATE", "empty in the peer"),
    ("DO SLEEP(1)", "DO", "empty in the peer"),
    ("HANDLER books OPEN", "HANDLER books", "empty in the peer"),
    ("VALUES ROW(1)", "VALUES", "empty in the peer"),
    ("RESET MASTER", "RESET", "empty in the peer"),
    ("CHANGE MASTER TO MASTER_HOST='x'", "CHANGE", "empty in the peer"),
    ("STOP SLAVE", "STOP", "empty in the peer"),
    ("BINLOG 'abc'", "BINLOG", "empty in the peer"),
    ("LOAD INDEX INTO CACHE books", "LOAD INDEX books", "no data is loaded"),
];

#[test]
fn items_are_those_of_the_peer_or_a_listed_other() {
    let rows = rows("distill.tsv");
    assert_eq!(rows.len(), 146);
    let mut wrong = Vec::new();
    let mut others = 0;
    for row in &rows {
        let statement = unescaped(&row[0]);
        let other = OTHER_ITEMS.iter().find(|other| other.0 == statement);
        let want = other.map_or(row[1].as_str(), |other| other.1);
        others += usize::from(other.is_some());
        let got = text(&distill(statement.as_bytes()));
        if got != want {
            wrong.push(format!("{statement}\n  got  {got}\n  want {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(others, OTHER_ITEMS.len());
}

/// Checks which statements share a class, by number from 1, and the text of some.
#[track_caller]
fn check_groups(statements: &str, groups: &[&[usize]], texts: &[(usize, &str, &str)]) {
    let prints: Vec<_> =
        statements.lines().map(|statement| fingerprint(statement.as_bytes())).collect();
    let first = |print: &Vec<u8>| prints.iter().position(|other| other == print);
    for group in groups {
        for number in *group {
            let print = &prints[number - 1];
            assert_eq!(first(print), Some(group[0] - 1), "{}", text(print));
        }
    }
    assert_eq!(groups.iter().map(|group| group.len()).sum::<usize>(), prints.len());
    for (number, want, id) in texts {
        let print = &prints[number - 1];
        assert_eq!((text(print).as_str(), ClassId::of(print).to_string().as_str()), (*want, *id));
    }
}

#[test]
fn digits_in_names_tell_classes_apart() {
    check_groups(
        "SELECT c1 FROM db2.t3 WHERE id = 5\n\
         SELECT c2 FROM db2.t3 WHERE id = 5\n\
         SELECT c1 FROM db2.t4 WHERE id = 6\n\
         SELECT c1 FROM db2.t3 WHERE id = 77\n\
         SELECT * FROM orders_2025 WHERE id = 1\n\
         SELECT * FROM orders_2026 WHERE id = 1\n\
         SELECT x FROM md5_9f86d081 WHERE a1b2 = 3\n\
         SELECT t1.x FROM t1 JOIN t2 ON t1.id = t2.id WHERE t1.y = 9",
        &[&[1, 4], &[2], &[3], &[5], &[6], &[7], &[8]],
        &[
            (1, "select c1 from db2.t3 where id = ?", "C971C95D7412EEF82A1880EF77910550"),
            (3, "select c1 from db2.t4 where id = ?", "5195E0A360036A3159DBBFE8EDB91B26"),
            (5, "select * from orders_2025 where id = ?", "512D81A65802AF8FCDA187B2C5FD6E86"),
            (7, "select x from md5_9f86d081 where a1b2 = ?", "3EF4D9801235190036FD49C5C9EB3E49"),
            (
                8,
                "select t1.x from t1 join t2 on t1.id = t2.id where t1.y = ?",
                "96A39AD5FFEF9F8BE9EBBE56E62DFD5B",
            ),
        ],
    );
}

#[test]
fn nothing_of_a_literal_is_left() {
    check_groups(
        r#"SELECT * FROM u WHERE n = 'O''Brien' AND p = 'secret-77'
SELECT * FROM u WHERE n = 'Smith' AND p = 'other-88'
SELECT * FROM u WHERE n = 'x\\' AND p = 'secret-99'
SELECT * FROM u WHERE n = 'it\'s' AND p = 'secret-11'
SELECT * FROM u WHERE n = "a""b" AND p = "secret-22"
SELECT * FROM u WHERE n = '' AND p = ''
SELECT * FROM u WHERE n = 'say "hi"' AND p = '-- no comment /* nor this'"#,
        &[&[1, 2, 3, 4, 5, 6, 7]],
        &[(1, "select * from u where n = ? and p = ?", "EC918573A161C5F0E6007C2E7AB552EB")],
    );
}

#[test]
fn the_number_of_values_splits_no_class() {
    check_groups(
        "SELECT * FROM t WHERE a IN (1)\n\
         SELECT * FROM t WHERE a IN (1,2 , 3,  4)\n\
         SELECT * FROM t WHERE a IN ('x)', 'y(')\n\
         SELECT * FROM t WHERE (a, b) IN ((1,2),(3,4))\n\
         SELECT * FROM t WHERE (a, b) IN ((1,2),(3,4),(5,6))\n\
         SELECT * FROM t WHERE a IN (SELECT id FROM u WHERE b IN (1,2))\n\
         SELECT * FROM t WHERE a NOT IN (7,8)\n\
         SELECT * FROM t WHERE a IN (?, ?, ?)\n\
         SELECT * FROM t WHERE a IN (-1, +2, 0x1F, NULL)",
        &[&[1, 2, 3, 8, 9], &[4, 5], &[6], &[7]],
        &[
            (1, "select * from t where a in(?+)", "B90D1BE128AC178FE9C1637F37F97167"),
            (
                6,
                "select * from t where a in (select id from u where b in(?+))",
                "578FF087DD700884A4F9D5E2FBCBE48E",
            ),
            (7, "select * from t where a not in(?+)", "BC03A519C7FA608749D4B9E812F3A0BD"),
        ],
    );
}

#[test]
fn an_upsert_is_another_class_than_an_insert() {
    check_groups(
        "INSERT INTO t (a, b) VALUES (1, 'a')\n\
         INSERT INTO t (a, b) VALUES (1,'a'), (2,'b'),(3,NOW())\n\
         INSERT INTO t (a, b) VALUES (1,'a'),(2,'b') ON DUPLICATE KEY UPDATE b = VALUES(b)\n\
         INSERT INTO t (a, b) VALUES (9,'z') ON DUPLICATE KEY UPDATE b = VALUES(b)\n\
         INSERT INTO t (a, b) SELECT 1, c FROM u WHERE d = 4\n\
         REPLACE INTO t (a, b) VALUES (1, 'a')\n\
         INSERT INTO t VALUES ROW(1,2), ROW(3,4)\n\
         INSERT INTO t VALUES ROW(5,6)\n\
         INSERT IGNORE INTO t (a, b) VALUES (1, 'a')",
        &[&[1, 2], &[3, 4], &[5], &[6], &[7, 8], &[9]],
        &[
            (1, "insert into t (a, b) values(?+)", "8888B738690000778A1971675757BAE0"),
            (
                3,
                "insert into t (a, b) values(?+) on duplicate key update b = values(b)",
                "73B12B077B457A7544B714F72408C65E",
            ),
            (
                5,
                "insert into t (a, b) select ?, c from u where d = ?",
                "98FC677F01D55017983301A13DEC8743",
            ),
            (6, "replace into t (a, b) values(?+)", "60D335D40AE573B954528BDED1ECA6AA"),
        ],
    );
}

#[test]
fn comments_split_no_class_and_hints_do() {
    check_groups(
        "/* route:/cart,trace:123 */ SELECT a FROM t WHERE b = 1\n\
         SELECT a FROM t WHERE b = 2 /* controller='x',action='y',traceparent='00-aa-bb-01' */\n\
         SELECT a FROM t WHERE b = 3 -- trailing words\n\
         SELECT a FROM t WHERE b = 4 # trailing words\n\
         SELECT a /* in */ FROM t WHERE b = 5;\n\
         SELECT a FROM t WHERE b = 6\n\
         SELECT /*+ MAX_EXECUTION_TIME(1000) */ a FROM t WHERE b = 7\n\
         SELECT a FROM t USE INDEX (ix_b) WHERE b = 8\n\
         SELECT /*!40001 SQL_NO_CACHE */ a FROM t WHERE b = 9",
        &[&[1, 2, 3, 4, 5, 6], &[7], &[8], &[9]],
        &[
            (6, "select a from t where b = ?", "AAF5C8A1B0F5F52105E7465FD18D02CD"),
            (8, "select a from t use index (ix_b) where b = ?", "82F52A97A50AE3ECE444E0F178A4BFFE"),
        ],
    );
}
