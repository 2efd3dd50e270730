use super::*;

#[track_caller]
fn check(text: &str, want: &[(&str, &str, Op, &str)]) {
    let glance = statement(text);
    let name = |column: &ColumnName| match &column.table {
        Some(table) => format!("{table}.{}", column.name),
        None => column.name.clone(),
    };
    let got: Vec<(String, String, Op, String)> = glance
        .comparisons
        .iter()
        .map(|it| {
            let with = match &it.with {
                Operand::Number(number) => number.clone(),
                Operand::Column(column) => name(column),
                Operand::Other => "…".to_owned(),
            };
            (name(&it.column), it.text.clone(), it.op, with)
        })
        .collect();
    let want: Vec<(String, String, Op, String)> = want
        .iter()
        .map(|(column, text, op, with)| {
            ((*column).to_owned(), (*text).to_owned(), *op, (*with).to_owned())
        })
        .collect();
    assert_eq!(got, want, "{text}");
}

#[test]
fn what_a_statement_does_is_told_past_parentheses_hints_and_common_tables() {
    for (text, want) in [
        ("((SELECT a FROM t) UNION (SELECT a FROM u))", Verb::Select),
        ("/* c */ /*!40101 INSERT INTO t VALUES (1) */", Verb::Insert),
        ("WITH x AS (SELECT 1) SELECT a FROM x FOR UPDATE", Verb::Select),
        ("WITH x AS (SELECT 1) (SELECT a FROM x)", Verb::Select),
        ("WITH x AS (SELECT 1) UPDATE t JOIN x SET a = 1", Verb::Update),
        ("WITH x AS (SELECT 1) DELETE FROM t", Verb::Delete),
        ("LOAD DATA INFILE 'f' REPLACE INTO TABLE t", Verb::Other),
        ("", Verb::Other),
    ] {
        assert_eq!((verb(text), statement(text).verb), (want, want), "{text}");
    }
}

#[test]
fn comparisons_of_columns_that_stand_alone_are_seen() {
    check("SELECT 1 FROM t WHERE ref = 12345", &[("ref", "ref = 12345", Op::Equal, "12345")]);
    check("SELECT 1 FROM t WHERE 7 = t.ref;", &[("t.ref", "7 = t.ref", Op::Equal, "7")]);
    check(
        "SELECT 1 FROM t WHERE a = -5 AND b = 'x'",
        &[("a", "a = -5", Op::Equal, "-5"), ("b", "b = 'x'", Op::Equal, "…")],
    );
    check(
        "SELECT 1 FROM t WHERE c IN ('1', 2) OR c BETWEEN 3 AND 4",
        &[("c", "c IN ('1', 2)", Op::Equal, "2"), ("c", "c BETWEEN 3 AND 4", Op::Range, "3")],
    );
    check(
        "SELECT 1 FROM t WHERE c NOT LIKE 'a%' AND d IS NULL",
        &[("c", "c NOT LIKE 'a%'", Op::Not, "…"), ("d", "d IS NULL", Op::IsNull, "…")],
    );
    // Either side of a join is a column that is compared.
    check(
        "SELECT 1 FROM a JOIN b ON a.x = b.y",
        &[("a.x", "a.x = b.y", Op::Equal, "b.y"), ("b.y", "a.x = b.y", Op::Equal, "a.x")],
    );
    check("SELECT 1 FROM t WHERE c = TRUE", &[("c", "c = TRUE", Op::Equal, "TRUE")]);
}

#[test]
fn what_is_no_number_against_a_bare_column_is_not_told_as_one() {
    for text in [
        "SELECT 1 FROM t WHERE c + 0 = 5",
        "SELECT 1 FROM t WHERE LOWER(c) = 5",
        "SELECT 1 FROM t WHERE c = 5 + d",
        "SELECT 1 FROM t WHERE c = '5'",
        "SELECT 1 FROM t WHERE c = 0x35",
        "SELECT 1 FROM t WHERE c = CAST(5 AS CHAR)",
        "SELECT 1 FROM t WHERE c = ?",
        "SELECT 1 FROM t WHERE c = @v",
        "UPDATE t SET c = 5",
        "SELECT c = 5 FROM t",
        "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE c = 5",
        "SELECT 1 FROM t WHERE IF(c = 5, 1, 2)",
        "SELECT 1 FROM t WHERE a = 'x' ORDER BY c = 5",
    ] {
        let glance = statement(text);
        let numbers = glance.comparisons.iter().filter(|it| matches!(it.with, Operand::Number(_)));
        assert_eq!(numbers.count(), 0, "{text}");
    }
}

#[test]
fn names_stand_for_tables() {
    let check = |text: &str, want: &[(&str, Option<&str>)]| {
        let got = statement(text).sources;
        let got: Vec<(String, Option<String>)> = got
            .into_iter()
            .map(|it| (String::from_utf8(it.table.name).unwrap(), it.alias))
            .collect();
        let want: Vec<(String, Option<String>)> = want
            .iter()
            .map(|(name, alias)| ((*name).to_owned(), alias.map(str::to_owned)))
            .collect();
        assert_eq!(got, want, "{text}");
    };
    check(
        "SELECT * FROM shop.orders AS o, items i WHERE 1",
        &[("orders", Some("o")), ("items", Some("i"))],
    );
    check(
        "SELECT * FROM a LEFT JOIN `b` `x y` ON a.i = `x y`.i",
        &[("a", None), ("b", Some("x y"))],
    );
    check("SELECT * FROM t PARTITION (p1) AS q FORCE INDEX (k)", &[("t", Some("q"))]);
    check("UPDATE t SET a = 1", &[("t", None)]);
}

#[test]
fn limits_count_what_is_skipped() {
    let check = |text: &str, want| {
        let glance = statement(text);
        assert_eq!((glance.has_limit, glance.limit, glance.reads_all), want, "{text}");
    };
    check("SELECT a FROM t LIMIT 10", (true, Some(10), false));
    check("SELECT a FROM t WHERE b LIMIT 5, 10", (true, Some(15), false));
    check("SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 100", (true, Some(110), false));
    check("SELECT a FROM (SELECT COUNT(b) FROM u LIMIT 3) v", (false, None, false));
    check("SELECT a FROM t LIMIT ?", (true, None, false));
    check("SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 9", (true, Some(9), false));
    check("SELECT COUNT(*) FROM t LIMIT 1", (true, Some(1), true));
    check("SELECT SQL_CALC_FOUND_ROWS a FROM t LIMIT 1", (true, Some(1), true));
}

#[test]
fn columns_in_functions_are_mentioned_as_wrapped() {
    let check = |text: &str, want: &[(&str, bool)]| {
        let got: Vec<(String, bool)> = condition(text)
            .mentions
            .into_iter()
            .map(|it| (it.column.name, it.is_wrapped))
            .collect();
        let want: Vec<(String, bool)> =
            want.iter().map(|(name, is)| ((*name).to_owned(), *is)).collect();
        assert_eq!(got, want, "{text}");
    };
    check(
        "((`s`.`t`.`d` >= '2026-01-01') and (year(`s`.`t`.`e`) = 2026))",
        &[("d", false), ("e", true)],
    );
    check("t.a + 1 = 5 and b = 3", &[("a", true), ("b", false)]);
    check("exists(select 1)", &[]);
    check(
        "day < now() - interval 3 day and date = DATE '2026-01-31'",
        &[("day", false), ("date", false)],
    );
}

#[test]
fn any_text_is_looked_at_without_harm() {
    for text in [
        "",
        "(",
        ")))",
        "WHERE",
        "a.",
        "a = ",
        "WHERE a IN (",
        "WHERE a BETWEEN 1 AND",
        "LIMIT",
        "WHERE = 5",
        "WHERE 5 = ",
        "WHERE a.b.c.d = 5",
        "SELECT . FROM . WHERE .=.",
        "'",
    ] {
        let _ = (statement(text), condition(text));
    }
    let deep = format!("SELECT 1 WHERE {}a = 5{}", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(statement(&deep).comparisons.len(), 1);
}

#[track_caller]
fn check_hidden(text: &str, want: &[(&str, Hides, Option<&str>, &str)]) {
    let glance = condition(text);
    let got: Vec<_> = glance.hidden.into_iter().collect();
    let got: Vec<(&str, Hides, Option<&str>, &str)> = got
        .iter()
        .map(|it| {
            (it.column.name.as_str(), it.hides.clone(), it.value.as_deref(), it.text.as_str())
        })
        .collect();
    assert_eq!(got, want, "{text}");
}

#[test]
fn comparisons_that_hide_a_column_are_seen() {
    let function = |name: &str| Hides::Function(name.to_owned());
    check_hidden(
        "DATE(o.at) = '2026-01-02' AND x = 1",
        &[("at", function("DATE"), Some("'2026-01-02'"), "DATE(o.at) = '2026-01-02'")],
    );
    check_hidden(
        "(cast(o.at as date) = DATE'2026-01-02')",
        &[("at", function("DATE"), Some("'2026-01-02'"), "cast(o.at as date) = DATE'2026-01-02'")],
    );
    check_hidden(
        "((o.id + 0) = 5) and ((o.at + interval 1 day) > now())",
        &[
            ("id", Hides::Arithmetic, Some("5"), "(o.id + 0) = 5"),
            ("at", Hides::Arithmetic, None, "(o.at + interval 1 day) > now"),
        ],
    );
    check_hidden(
        "lower(trim(name)) IN ('a', 'b')",
        &[("name", function("LOWER"), None, "lower(trim(name)) IN ('a', 'b')")],
    );
    check_hidden(
        "name LIKE '%x' OR name LIKE '_y'",
        &[
            ("name", Hides::Wildcard, None, "name LIKE '%x'"),
            ("name", Hides::Wildcard, None, "name LIKE '_y'"),
        ],
    );
}

#[test]
fn what_does_not_hide_a_column_is_not() {
    for text in [
        "at >= DATE('2026-01-02')",
        "at > NOW() - INTERVAL 1 DAY",
        "COALESCE(a, b) = 5",
        "ABS(a) = b",
        "a + b = 5",
        "a = 5 + 1",
        "name LIKE 'x%' AND name NOT LIKE '%x' AND name LIKE '%'",
        "DATE(at) != '2026-01-02'",
        "ST_Contains(area, spot) = 1",
        "f((SELECT a FROM t)) = 1",
        "f(a",
        "",
    ] {
        check_hidden(text, &[]);
    }
}
