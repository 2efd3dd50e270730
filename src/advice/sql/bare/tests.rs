//! Conditions and what is written for them. What is wanted follows from what the functions mean:
//! `rewrites_keep_the_rows` of the head of the room was checked on MariaDB 10.11 with random rows.

use super::super::tests::Given;

const SCHEMA: &str = "CREATE TABLE t (id int PRIMARY KEY, d date, dt datetime, ts timestamp NULL, n int, u int unsigned, \
    f double, m decimal(9,2), s varchar(40), b varchar(40) COLLATE utf8mb4_bin, w int NOT NULL, k varchar(9) NOT NULL, \
    KEY (d), KEY (dt), KEY (ts), KEY (n), KEY (u), KEY (f), KEY (m), KEY (s), KEY (b), KEY (w), KEY (k)) \
    DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;";

/// The condition as it is written anew: none where there is a finding without another statement.
#[track_caller]
fn check(condition: &str, want: Option<&str>) {
    let text = format!("SELECT id FROM t WHERE {condition}");
    let finding = Given::text(&text).schema(SCHEMA).by("SQL001");
    let finding = finding.unwrap_or_else(|| panic!("silent: {condition}"));
    let got = finding.recommendation.sql.first();
    let got = got.map(|sql| sql.strip_prefix("SELECT id FROM t WHERE ").unwrap());
    assert_eq!(got, want, "{condition}");
}

#[test]
fn days_become_ranges() {
    check("DATE(dt) = '2026-02-01'", Some("dt >= '2026-02-01' AND dt < '2026-02-02'"));
    check("DATE(t.dt) = '2024-02-28'", Some("t.dt >= '2024-02-28' AND t.dt < '2024-02-29'"));
    check("DATE(`dt`) = '2026-12-31'", Some("`dt` >= '2026-12-31' AND `dt` < '2027-01-01'"));
    check("DATE(ts) < '2026-02-01'", Some("ts < '2026-02-01'"));
    check("DATE(ts) <= '2026-02-01'", Some("ts < '2026-02-02'"));
    check("DATE(ts) > '2026-02-01'", Some("ts >= '2026-02-02'"));
    check("'2026-02-01' <= DATE(ts)", Some("ts >= '2026-02-01'"));
    check(
        "DATE(dt) BETWEEN '2026-02-01' AND '2026-02-28'",
        Some("dt >= '2026-02-01' AND dt < '2026-03-01'"),
    );
    check(
        "DATE(dt) IN ('2026-02-01', '2026-02-05')",
        Some(
            "(dt >= '2026-02-01' AND dt < '2026-02-02' OR dt >= '2026-02-05' AND dt < '2026-02-06')",
        ),
    );
    check("CAST(dt AS DATE) = '2026-02-01'", Some("dt >= '2026-02-01' AND dt < '2026-02-02'"));
    check("CAST(dt AS date) >= DATE '2026-02-01'", Some("dt >= '2026-02-01'"));
    check("DATE(dt) = ?", Some("dt >= ? AND dt < ? + INTERVAL 1 DAY"));
    check("DATE(dt) = CURDATE()", Some("dt >= CURDATE() AND dt < CURDATE() + INTERVAL 1 DAY"));
    check("DATE(dt) >= CURDATE() - INTERVAL 7 DAY", Some("dt >= CURDATE() - INTERVAL 7 DAY"));
    check("DATE(d) = '2026-02-01'", Some("d = '2026-02-01'"));
    check("TO_DAYS(dt) = TO_DAYS('2026-02-01')", Some("dt >= '2026-02-01' AND dt < '2026-02-02'"));
    check("TO_DAYS(dt) >= TO_DAYS(NOW())", Some("dt >= DATE(NOW())"));
    check("DATEDIFF(CURDATE(), dt) <= 7", Some("dt >= CURDATE() - INTERVAL 7 DAY"));
    check("DATEDIFF(NOW(), dt) > 30", Some("dt < DATE(NOW()) - INTERVAL 30 DAY"));
    check(
        "DATEDIFF(dt, '2026-02-01') = 0",
        Some("dt >= '2026-02-01' AND dt < '2026-02-01' + INTERVAL 1 DAY"),
    );
    check("LEFT(dt, 10) = '2026-02-28'", Some("dt >= '2026-02-28' AND dt < '2026-03-01'"));
    check("SUBSTRING(dt, 1, 7) = '2026-02'", Some("dt >= '2026-02-01' AND dt < '2026-03-01'"));
    check(
        "DATE(dt) = '2026-02-01' + INTERVAL 1 DAY",
        Some(
            "dt >= '2026-02-01' + INTERVAL 1 DAY AND dt < '2026-02-01' + INTERVAL 1 DAY + INTERVAL 1 DAY",
        ),
    );
    check("LEFT(d, 13) = '2026-02-28 10'", None);
    // A time on the other side, no date at all, a text that is compared by its letters.
    check("DATE(dt) = '2026-02-01 10:00:00'", None);
    check("DATE(dt) = NOW()", None);
    check("DATE(dt) = '2026-02-30'", None);
    check("DATE(s) = '2026-02-01'", None);
}

#[test]
fn years_and_months_become_ranges() {
    check("YEAR(d) = 2012", Some("d >= '2012-01-01' AND d < '2013-01-01'"));
    check("YEAR(dt) > '2012'", Some("dt >= '2013-01-01'"));
    check("YEAR(dt) BETWEEN 2012 AND 2014", Some("dt >= '2012-01-01' AND dt < '2015-01-01'"));
    check(
        "YEAR(dt) = YEAR(CURDATE())",
        Some(
            "dt >= MAKEDATE(YEAR(CURDATE()), 1) AND dt < MAKEDATE(YEAR(CURDATE()), 1) + INTERVAL 1 YEAR",
        ),
    );
    check("YEAR(d) = 2012 AND MONTH(d) = 7", Some("d >= '2012-07-01' AND d < '2012-08-01'"));
    check(
        "n = 1 AND MONTH(d) = 12 AND YEAR(d) = 2012 AND u = 2",
        Some("n = 1 AND d >= '2012-12-01' AND d < '2013-01-01' AND u = 2"),
    );
    check(
        "YEAR(d) = 2024 AND MONTH(d) = 2 AND DAY(d) = 29",
        Some("d >= '2024-02-29' AND d < '2024-03-01'"),
    );
    check(
        "YEAR(dt) = YEAR(NOW()) AND MONTH(dt) = MONTH(NOW())",
        Some(
            "dt >= DATE_FORMAT(NOW(), '%Y-%m-01') AND dt < DATE_FORMAT(NOW(), '%Y-%m-01') + INTERVAL 1 MONTH",
        ),
    );
    check("EXTRACT(YEAR FROM dt) = 2012", Some("dt >= '2012-01-01' AND dt < '2013-01-01'"));
    check("EXTRACT(YEAR_MONTH FROM dt) > 201207", Some("dt >= '2012-08-01'"));
    check("EXTRACT(MONTH FROM dt) = 7", None);
    // No such day: what is left is tested as it is.
    check(
        "YEAR(d) = 2023 AND MONTH(d) = 2 AND DAY(d) = 29",
        Some("d >= '2023-01-01' AND d < '2024-01-01' AND MONTH(d) = 2 AND DAY(d) = 29"),
    );
    check(
        "YEAR(d) = 2012 OR YEAR(d) = 2014",
        Some("d >= '2012-01-01' AND d < '2013-01-01' OR d >= '2014-01-01' AND d < '2015-01-01'"),
    );
    check("MONTH(d) = 7", None);
    check("YEAR(d) = 12", None);
    check("DATE_FORMAT(dt, '%Y-%m') = '2026-02'", Some("dt >= '2026-02-01' AND dt < '2026-03-01'"));
    check("DATE_FORMAT(dt, '%Y%m') >= 202602", Some("dt >= '2026-02-01'"));
    check(
        "DATE_FORMAT(dt, '%d.%m.%Y') = '28.02.2026'",
        Some("dt >= '2026-02-28' AND dt < '2026-03-01'"),
    );
    check(
        "DATE_FORMAT(dt, '%Y-%m-%d %H') = '2026-02-28 23'",
        Some("dt >= '2026-02-28 23:00:00' AND dt < '2026-03-01 00:00:00'"),
    );
    check(
        "DATE_FORMAT(dt, '%Y-%m') = DATE_FORMAT(NOW(), '%Y-%m')",
        Some(
            "dt >= DATE_FORMAT(NOW(), '%Y-%m-01') AND dt < DATE_FORMAT(NOW(), '%Y-%m-01') + INTERVAL 1 MONTH",
        ),
    );
    // Texts in that order are not in the order of time.
    check("DATE_FORMAT(dt, '%d.%m.%Y') > '28.02.2026'", None);
    check("DATE_FORMAT(dt, '%m') = '02'", None);
    check("dt LIKE '2026-02%'", Some("dt >= '2026-02-01' AND dt < '2026-03-01'"));
    check("d LIKE '2026-%'", Some("d >= '2026-01-01' AND d < '2027-01-01'"));
    check("dt LIKE '2026-02-28 1%'", None);
    check("n LIKE '12%'", None);
}

#[test]
fn seconds_and_intervals_are_moved() {
    check("UNIX_TIMESTAMP(ts) > 1767225600", Some("ts > FROM_UNIXTIME(1767225600)"));
    check(
        "UNIX_TIMESTAMP(ts) >= UNIX_TIMESTAMP() - 3600",
        Some("ts >= FROM_UNIXTIME(UNIX_TIMESTAMP() - 3600)"),
    );
    check("UNIX_TIMESTAMP(ts) = UNIX_TIMESTAMP('2026-02-01')", Some("ts = '2026-02-01'"));
    check("FROM_UNIXTIME(n) >= '2026-02-01'", Some("n >= UNIX_TIMESTAMP('2026-02-01')"));
    check("dt - INTERVAL 1 DAY > NOW()", Some("dt > NOW() + INTERVAL 1 DAY"));
    check("dt + INTERVAL 3 HOUR <= ?", Some("dt <= ? - INTERVAL 3 HOUR"));
    check("DATE_SUB(dt, INTERVAL 2 WEEK) > NOW()", Some("dt > NOW() + INTERVAL 2 WEEK"));
    check("DATE_ADD(dt, INTERVAL 30 DAY) < NOW()", Some("dt < NOW() - INTERVAL 30 DAY"));
    check("TIMESTAMPDIFF(HOUR, dt, NOW()) < 24", Some("dt > NOW() - INTERVAL 24 HOUR"));
    check(
        "TIMESTAMPDIFF(DAY, dt, '2024-01-01') >= 30",
        Some("dt <= '2024-01-01' - INTERVAL 30 DAY"),
    );
    check(
        "TIMESTAMPDIFF(DAY, dt, '2024-01-01') <= 30",
        Some("dt > '2024-01-01' - INTERVAL 31 DAY"),
    );
    check(
        "TIMESTAMPDIFF(MINUTE, dt, '2024-01-01') > 0",
        Some("dt <= '2024-01-01' - INTERVAL 1 MINUTE"),
    );
    check("TIMESTAMPDIFF(DAY, dt, NOW()) < 0", None);
    check("TIMESTAMPDIFF(MONTH, dt, NOW()) < 3", None);
    // The 31st has no month before.
    check("dt - INTERVAL 1 MONTH > NOW()", None);
    check("dt > SYSDATE()", Some("dt > NOW()"));
    check("dt > SYSDATE() - INTERVAL 1 DAY", Some("dt > NOW() - INTERVAL 1 DAY"));
    check("n = FLOOR(RAND() * 10)", None);
}

#[test]
fn arithmetic_is_moved_where_it_is_exact() {
    check("n + 5 > 100", Some("n > 95"));
    check("5 + n > 100", Some("n > 95"));
    check("100 < n + 5", Some("n > 95"));
    check("n - 5 <= 100", Some("n <= 105"));
    check("5 - n > 2", Some("n < 3"));
    check("n * 2 = 2468", Some("n = 1234"));
    check("n * -2 < 10", Some("n > -5"));
    check("n / 4 >= 10", Some("n >= 40"));
    check("n / -4 >= 10", Some("n <= -40"));
    check("n + 1 IN (5, 6)", Some("n IN (4, 5)"));
    check("n + 1 BETWEEN 5 AND 9", Some("n BETWEEN 4 AND 8"));
    check("10 - n BETWEEN 5 AND 9", Some("n BETWEEN 1 AND 5"));
    check("m + 5 > 100", Some("m > 95"));
    check("u + 5 > 100", Some("u > 95"));
    // No row, no whole number, floats, what fails below nothing, and what is not one step.
    check("n * 2 = 7", None);
    check("n * 0 = 0", None);
    check("f + 5 > 100", None);
    check("u - 5 > 100", None);
    check("5 - u > 2", None);
    check("n * 2 + 1 > 9", None);
    check("n % 2 = 0", None);
    check("n & 4 = 4", None);
    check("n + 0.5 > 9", None);
}

#[test]
fn functions_of_texts_go_where_they_change_nothing() {
    check("LOWER(s) = 'ann'", Some("s = 'ann'"));
    check("UPPER(t.s) LIKE 'AN%'", Some("t.s LIKE 'AN%'"));
    check("UPPER(s) IN ('ANN', 'BOB')", Some("s IN ('ANN', 'BOB')"));
    check("'ann' = lcase(s)", Some("'ann' = s"));
    check("LOWER(b) = 'ann'", None);
    check("LOWER(s) = 'ann' COLLATE utf8mb4_bin", None);
    check("LEFT(s, 3) = 'abc'", Some("s LIKE 'abc%'"));
    check("SUBSTRING(s, 1, 4) = '10%_'", Some("s LIKE '10\\%\\_%'"));
    check("SUBSTRING(s FROM 1 FOR 3) = 'abc'", Some("s LIKE 'abc%'"));
    check("CAST(n AS CHAR) = '5'", Some("n = 5"));
    check("CAST(n AS CHAR) IN ('5', '0')", Some("n IN (5, 0)"));
    check("CAST(n AS CHAR) = '05'", None);
    check("CAST(n AS CHAR) = 'x'", None);
    check("CAST(s AS CHAR) = '5'", None);
    check("LEFT(s, 3) = 'ab'", None);
    check("LEFT(s, 3) = 'ab '", None);
    check("SUBSTR(s, 2, 3) = 'abc'", None);
    check("s REGEXP '^abc'", Some("s LIKE 'abc%'"));
    check("s RLIKE '^a.c'", None);
    check("TRIM(s) = 'abc'", None);
    check("BINARY s = 'Ann'", Some("s = 'Ann' AND BINARY s = 'Ann'"));
    check("s COLLATE utf8mb4_bin = 'Ann'", Some("s = 'Ann' AND s COLLATE utf8mb4_bin = 'Ann'"));
    check("s COLLATE utf8mb4_general_ci = 'Ann'", Some("s = 'Ann'"));
    check("b COLLATE utf8mb4_general_ci = 'Ann'", None);
}

#[test]
fn values_for_null_are_told_by_is_null() {
    check("IFNULL(n, 0) = 0", Some("(n = 0 OR n IS NULL)"));
    check("COALESCE(n, 0) = 5", Some("n = 5"));
    check("IFNULL(n, 0) < 5", Some("(n < 5 OR n IS NULL)"));
    check("IFNULL(n, 0) > 5", Some("n > 5"));
    check("IFNULL(n, 3) BETWEEN 1 AND 5", Some("(n BETWEEN 1 AND 5 OR n IS NULL)"));
    check("IFNULL(s, '') = ''", Some("(s = '' OR s IS NULL)"));
    check("IFNULL(s, '') = 'x'", Some("s = 'x'"));
    check("IFNULL(d, '1970-01-01') < '2026-01-01'", Some("(d < '2026-01-01' OR d IS NULL)"));
    check("IFNULL(w, 0) = 7", Some("w = 7"));
    // The collation tells whether these are equal.
    check("IFNULL(s, 'A') = 'a'", None);
    check("COALESCE(n, u, 0) = 5", None);
    check("IFNULL(n, ?) = 5", None);
    check("n IS TRUE", Some("n <> 0"));
    check("n IS FALSE", Some("n = 0"));
    check("n IS NOT TRUE", Some("(n = 0 OR n IS NULL)"));
}

#[test]
fn what_stands_beside_stays() {
    check(
        "n = 1 AND (DATE(dt) = '2026-02-01' /* the day */ OR s = 'x') -- end",
        Some(
            "n = 1 AND (dt >= '2026-02-01' AND dt < '2026-02-02' /* the day */ OR s = 'x') -- end",
        ),
    );
    check("(((YEAR(d) = 2012)))", Some("(((d >= '2012-01-01' AND d < '2013-01-01')))"));
}

#[test]
fn under_not_nothing_is_said() {
    for condition in [
        "NOT DATE(dt) = '2026-02-01'",
        "DATE(dt) <> '2026-02-01'",
        "YEAR(d) NOT IN (2012, 2013)",
        "NOT (n + 5 > 100)",
        "d NOT LIKE '2026-%'",
        "NOT (d LIKE '2026-%')",
    ] {
        let text = format!("SELECT id FROM t WHERE {condition}");
        assert_eq!(Given::text(&text).schema(SCHEMA).rewritten("SQL001"), None, "{condition}");
    }
}
