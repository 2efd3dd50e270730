//! Statements as rules would write them. That they give the same rows was checked on MariaDB 10.11
//! with made-up tables; what is asserted here is what was run there.

use super::Given;

const SCHEMA: &str = "CREATE TABLE t (id int PRIMARY KEY, n int, s varchar(40), k varchar(9) NOT NULL, g int NOT NULL, \
    w int NOT NULL, dt datetime, txt text, KEY (n), KEY (s), KEY (k), KEY (g, id), KEY (dt)); \
    CREATE TABLE p (id int PRIMARY KEY, n int, k varchar(9), x int, KEY (n));";

/// What a rule writes for a statement; none where it writes nothing, or says nothing.
#[track_caller]
fn check(rule: &str, text: &str, want: Option<&str>) {
    let got = Given::text(text).schema(SCHEMA).rewritten(rule);
    assert_eq!(got.as_deref(), want, "{text}");
}

#[test]
fn numbers_are_quoted_where_a_text_is_meant() {
    let rule = "SQL002";
    check(
        rule,
        "SELECT id FROM t WHERE k = 5550012345",
        Some("SELECT id FROM t WHERE k = '5550012345'"),
    );
    check(
        rule,
        "SELECT id FROM t WHERE k IN (5, 'a', 7)",
        Some("SELECT id FROM t WHERE k IN ('5', 'a', '7')"),
    );
    check(
        rule,
        "SELECT id FROM t WHERE k = 5 OR k = 7",
        Some("SELECT id FROM t WHERE k = '5' OR k = '7'"),
    );
    check(
        rule,
        "SELECT t.id FROM p JOIN t ON t.k = p.x WHERE p.id = 5",
        Some("SELECT t.id FROM p JOIN t ON t.k = CAST(p.x AS CHAR) WHERE p.id = 5"),
    );
    // Another spelling, another order, any text at all.
    check(rule, "SELECT id FROM t WHERE k = 05", None);
    check(rule, "SELECT id FROM t WHERE k > 5", None);
    check(rule, "SELECT id FROM t WHERE k = 0", None);
    check(rule, "SELECT id FROM t WHERE k = -5", None);
}

#[test]
fn pages_are_found_by_keys() {
    let rule = "SQL004";
    check(
        rule,
        "SELECT id, n FROM t WHERE g = 3 OR g = 4 ORDER BY id DESC LIMIT 2000, 10;",
        Some("SELECT id, n FROM t WHERE (g = 3 OR g = 4) AND id < ? ORDER BY id DESC LIMIT 10"),
    );
    check(
        rule,
        "SELECT * FROM t ORDER BY k, id LIMIT 10 OFFSET 2000",
        Some("SELECT * FROM t WHERE (k > ? OR (k = ? AND id > ?)) ORDER BY k, id LIMIT 10"),
    );
    check(
        rule,
        "SELECT id, s FROM t AS a WHERE w > 1 ORDER BY dt LIMIT 2000, 10",
        Some(
            "SELECT id, s FROM t AS a JOIN (SELECT a.id AS page_id FROM t AS a WHERE w > 1 ORDER BY dt LIMIT 2000, 10) \
             AS page ON page.page_id = a.id ORDER BY dt",
        ),
    );
    // The key alone is in any index.
    check(
        rule,
        "SELECT id FROM t ORDER BY s LIMIT 2000, 10",
        Some(
            "SELECT id FROM t JOIN (SELECT t.id AS page_id FROM t ORDER BY s LIMIT 2000, 10) AS page ON page.page_id = t.id ORDER BY s",
        ),
    );
    check(rule, "SELECT t.id FROM t JOIN p ON p.n = t.n ORDER BY t.id LIMIT 2000, 10", None);
    // Neither an alias nor a position is known in a subquery.
    check(rule, "SELECT id, dt AS made FROM t ORDER BY made LIMIT 2000, 10", None);
    check(rule, "SELECT id, dt FROM t ORDER BY 2 LIMIT 2000, 10", None);
    check(rule, "SELECT id, n * 2 AS twice FROM t ORDER BY twice LIMIT 2000, 10", None);
    check(
        rule,
        "SELECT id FROM t WHERE (g, id) > (2, 1500) LIMIT 10",
        Some("SELECT id FROM t WHERE (g > 2 OR (g = 2 AND id > 1500)) LIMIT 10"),
    );
    check(
        rule,
        "SELECT id FROM t WHERE (2, 1500) >= (g, id)",
        Some("SELECT id FROM t WHERE (g < 2 OR (g = 2 AND id <= 1500))"),
    );
}

#[test]
fn arms_of_or_become_parts_of_a_union() {
    let rule = "SQL007";
    check(
        rule,
        "SELECT s FROM t WHERE w > 1 AND (s = 'x' OR g = 2 AND n = 1 OR txt = 'q')",
        Some(
            "SELECT s FROM t WHERE w > 1 AND ((s = 'x'))\nUNION ALL\n\
             SELECT s FROM t WHERE w > 1 AND (((g = 2 AND n = 1) AND (s = 'x') IS NOT TRUE))\nUNION ALL\n\
             SELECT s FROM t WHERE w > 1 AND (((txt = 'q') AND (s = 'x' OR g = 2 AND n = 1) IS NOT TRUE))",
        ),
    );
    for text in [
        "SELECT s FROM t WHERE s = 'x' OR txt = 'q' LIMIT 5",
        "SELECT s FROM t WHERE s = 'x' OR txt = 'q' ORDER BY s",
        "SELECT COUNT(*) FROM t WHERE s = 'x' OR txt = 'q'",
        "SELECT s FROM t WHERE s = 'x' OR txt = 'q' GROUP BY s",
        "SELECT DISTINCT s FROM t WHERE s = 'x' OR txt = 'q'",
        "SELECT s FROM t WHERE s = 'x' OR txt = 'q' FOR UPDATE",
    ] {
        check(rule, text, None);
    }
}

#[test]
fn null_is_asked_for_with_is() {
    let rule = "SQL021";
    check(
        rule,
        "SELECT id FROM t WHERE dt = NULL AND w = 3",
        Some("SELECT id FROM t WHERE dt IS NULL AND w = 3"),
    );
    check(rule, "SELECT id FROM t WHERE NULL <> dt", Some("SELECT id FROM t WHERE dt IS NOT NULL"));
    check(
        rule,
        "SELECT id FROM t WHERE n NOT IN (1, NULL, 3)",
        Some("SELECT id FROM t WHERE n NOT IN (1, 3)"),
    );
    check(
        "SQL008",
        "SELECT id FROM p WHERE id NOT IN (SELECT t.n FROM t WHERE t.w = 3 OR t.w = 4)",
        Some(
            "SELECT id FROM p WHERE id NOT IN (SELECT t.n FROM t WHERE (t.w = 3 OR t.w = 4) AND t.n IS NOT NULL)",
        ),
    );
}

#[test]
fn subqueries_become_joins() {
    let rule = "SQL009";
    check(
        rule,
        "DELETE FROM t WHERE w > 3 AND n IN (SELECT n FROM p WHERE x = 3)",
        Some(
            "DELETE t FROM t JOIN (SELECT DISTINCT n AS value FROM p WHERE x = 3) AS wanted ON wanted.value = t.n WHERE w > 3",
        ),
    );
    check(
        rule,
        "UPDATE t a SET a.s = 'z' WHERE a.n IN (SELECT DISTINCT q.n FROM p q)",
        Some(
            "UPDATE t a JOIN (SELECT DISTINCT q.n AS value FROM p q) AS wanted ON wanted.value = a.n SET a.s = 'z'",
        ),
    );
    check(
        rule,
        "DELETE LOW_PRIORITY FROM t WHERE n IN (SELECT n FROM p)",
        Some(
            "DELETE LOW_PRIORITY t FROM t JOIN (SELECT DISTINCT n AS value FROM p) AS wanted ON wanted.value = t.n",
        ),
    );
    check(rule, "DELETE FROM t USING t WHERE n IN (SELECT n FROM p)", None);
    let old = format!("-- Server version\t5.5.62\n{SCHEMA}");
    assert_eq!(
        Given::text("SELECT id FROM t WHERE n IN (SELECT x FROM p) AND w = 3")
            .schema(&old)
            .rewritten(rule)
            .as_deref(),
        Some(
            "SELECT id FROM t JOIN (SELECT DISTINCT x AS value FROM p) AS wanted ON wanted.value = t.n WHERE w = 3"
        )
    );
    let all = Given::text("SELECT * FROM t WHERE n IN (SELECT x FROM p)");
    assert_eq!(all.schema(&old).rewritten(rule), None);
    // It looks at the row outside; it takes some rows only.
    check(rule, "DELETE FROM t WHERE n IN (SELECT n FROM p WHERE p.x = t.w)", None);
    check(rule, "DELETE FROM t WHERE n IN (SELECT n FROM p) LIMIT 5", None);
    check(
        "SQL026",
        "SELECT p.id, (SELECT COUNT(*) FROM t b WHERE b.n = p.n AND b.w > 3) c FROM p WHERE p.id < 90",
        Some(
            "SELECT p.id, COALESCE(groups_of_it.group_value, 0) c FROM p LEFT JOIN (SELECT b.n AS group_key, COUNT(*) AS \
             group_value FROM t b WHERE b.w > 3 GROUP BY b.n) AS groups_of_it ON groups_of_it.group_key = p.n WHERE p.id < 90",
        ),
    );
    check("SQL026", "SELECT p.id, (SELECT t.s FROM t WHERE t.g = p.x LIMIT 1) FROM p", None);
    check("SQL026", "SELECT p.id, (SELECT MAX(t.s) FROM t WHERE t.g = p.x) FROM p, t b", None);
    check(
        "SQL013",
        "SELECT DISTINCT p.id, p.k FROM p JOIN t ON t.n = p.n WHERE (t.w = 3 OR t.g = 2) AND p.x = 2",
        Some(
            "SELECT p.id, p.k FROM p WHERE p.x = 2 AND EXISTS (SELECT 1 FROM t WHERE t.n = p.n AND (t.w = 3 OR t.g = 2))",
        ),
    );
    // What is selected may repeat; what stands under NOT is not what its words say.
    check(
        "SQL013",
        "SELECT DISTINCT p.k FROM p, t WHERE t.n = p.n",
        Some("SELECT DISTINCT p.k FROM p WHERE EXISTS (SELECT 1 FROM t WHERE t.n = p.n)"),
    );
    check(
        "SQL013",
        "SELECT DISTINCT p.k FROM p, t WHERE t.n = p.n AND NOT (t.w = 3 OR t.g = 2)",
        None,
    );
}

#[test]
fn clauses_go_where_they_belong() {
    check(
        "SQL022",
        "SELECT g, COUNT(*) FROM t WHERE w = 3 OR w = 4 GROUP BY g HAVING (g = 3 OR g = 4) AND COUNT(*) > 3",
        Some(
            "SELECT g, COUNT(*) FROM t WHERE (w = 3 OR w = 4) AND (g = 3 OR g = 4) GROUP BY g HAVING COUNT(*) > 3",
        ),
    );
    check(
        "SQL022",
        "SELECT id, g FROM t HAVING g = 3 ORDER BY id",
        Some("SELECT id, g FROM t WHERE g = 3 ORDER BY id"),
    );
    check("SQL022", "SELECT g, COUNT(*) FROM t GROUP BY g HAVING NOT (g = 3)", None);
    check("SQL022", "SELECT g AS grp, COUNT(*) FROM t GROUP BY g HAVING grp = 3", None);
    check("SQL022", "SELECT n AS g, COUNT(*) FROM t GROUP BY n HAVING g = 3", None);
    check(
        "SQL024",
        "SELECT p.id FROM p LEFT OUTER JOIN t AS b ON b.n = p.n WHERE b.w = 3",
        Some("SELECT p.id FROM p JOIN t AS b ON b.n = p.n WHERE b.w = 3"),
    );
    check("SQL024", "SELECT p.id FROM t RIGHT JOIN p ON t.n = p.n WHERE t.w = 3", None);
    check(
        "SQL010",
        "(SELECT id FROM t WHERE w = 3) UNION DISTINCT (SELECT id FROM t WHERE w = 4) ORDER BY id",
        Some("(SELECT id FROM t WHERE w = 3) UNION ALL (SELECT id FROM t WHERE w = 4) ORDER BY id"),
    );
    check(
        "SQL014",
        "SELECT txt, COUNT(*) FROM t GROUP BY txt HAVING COUNT(*) > 2 LIMIT 5",
        Some("SELECT txt, COUNT(*) FROM t GROUP BY txt HAVING COUNT(*) > 2 ORDER BY NULL LIMIT 5"),
    );
}

#[test]
fn the_count_is_a_statement_of_its_own() {
    let sql = |text: &str| {
        let finding = Given::text(text).schema(SCHEMA).by("SQL019").unwrap();
        finding.recommendation.sql
    };
    assert_eq!(
        sql("SELECT SQL_CALC_FOUND_ROWS id, s FROM t WHERE w = 3 ORDER BY dt LIMIT 5;"),
        [
            "SELECT id, s FROM t WHERE w = 3 ORDER BY dt LIMIT 5",
            "SELECT COUNT(*) FROM t WHERE w = 3"
        ]
    );
    assert_eq!(
        sql("SELECT SQL_NO_CACHE SQL_CALC_FOUND_ROWS DISTINCT s FROM t LIMIT 5"),
        [
            "SELECT SQL_NO_CACHE DISTINCT s FROM t LIMIT 5",
            "SELECT COUNT(*) FROM (SELECT DISTINCT s FROM t) AS found"
        ]
    );
}
