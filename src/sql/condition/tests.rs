//! Conditions told of one event, and texts that are refused.

use proptest::prelude::*;

use super::*;

/// An event: `Query_time` 0.5, `rows_sent` 0, and so on; what is not named here is NULL.
fn value_of(name: &str) -> Value<'static> {
    let text = |text: &'static str| Value::Text(Cow::Borrowed(text.as_bytes()));
    match name {
        "query_time" => Value::Number(500_000),
        "lock_time" => Value::Number(1),
        "rows_sent" => Value::Number(0),
        "rows_examined" => Value::Number(90_210_000_000),
        "bytes" => Value::Number(i128::from(u64::MAX) * 1_000_000),
        "full_scan" | "true_column" => Value::Bool(true),
        "tmp_table" => Value::Bool(false),
        "db" => text("Shop"),
        "user" => text("app_rw"),
        "query" => text("SELECT * FROM orders WHERE note = '100%'"),
        "version" => text("8.0"),
        "port" => text("3306"),
        "answer" => text("Yes"),
        "when" => text("2026-03-06 17:01:40"),
        // 2026-03-06T17:01:40.000000Z
        "ts" => Value::Time(1_772_816_500_000_000),
        _ => Value::Null,
    }
}

fn parse(text: &str) -> Condition {
    Condition::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn truth(text: &str) -> Option<bool> {
    let condition = parse(text);
    let value = |index: usize| value_of(&condition.columns()[index]);
    let truth = condition.root.truth(&value);
    assert_eq!(condition.holds(&value), truth == Some(true), "{text:?}");
    truth
}

#[track_caller]
fn check(text: &str, want: impl Into<Option<bool>>) {
    assert_eq!(truth(text), want.into(), "{text}");
}

#[track_caller]
fn check_refused(text: &str, want: &str) {
    let error = Condition::parse(text).expect_err(text);
    assert_eq!(error.to_string(), format!("read the condition{want}"), "{text:?}");
}

#[test]
fn columns_are_named_once_in_order() {
    let condition = parse("Query_time > 1 and `DB` = 'x' and query_TIME < 2 or `a b` is null");
    assert_eq!(condition.columns(), ["query_time", "db", "a b"]);
    assert!(parse("1 = \"text\"").columns().is_empty());
}

#[test]
fn names_of_events_are_no_keywords() {
    let names = "source offset ts start_ts db user host thread_id query_id fingerprint item query \
                 query_time lock_time rows_sent killed errno db_inherited ip server date time \
                 timestamp schema id rows timestamp year bytes count version";
    for name in names.split_whitespace() {
        assert_eq!(parse(&format!("{name} = 1")).columns(), [name]);
        assert_eq!(parse(&format!("1 < {name} and not {name} is null")).columns(), [name]);
    }
    assert_eq!(parse("`interval` > 1").columns(), ["interval"]);
}

#[test]
fn numbers_are_exact() {
    check("query_time = 0.5", true);
    check("Query_time = .50", true);
    check("query_time = 5e-1", true);
    check("query_time > 0.4999999999", true);
    check("lock_time > 0.0000005", true);
    check("lock_time < 0.0000015", true);
    check("lock_time = 0.000001", true);
    check("bytes = 18446744073709551615", true);
    check("bytes < 18446744073709551615.0000001", true);
    check("query_time = -0.5", false);
    check("-query_time = -0.5", true);
}

#[test]
fn null_is_not_true() {
    check("missing = 1", None);
    check("missing <> 1", None);
    check("missing = NULL", None);
    check("not missing = 1", None);
    check("missing = 1 or rows_sent = 0", true);
    check("missing = 1 and rows_sent = 0", None);
    check("missing = 1 and rows_sent = 1", false);
    check("missing = 1 xor rows_sent = 0", None);
    check("missing is null", true);
    check("missing is not null", false);
    check("db is null", false);
    check("missing <=> null", true);
    check("missing <=> 1", false);
    check("db <=> 'shop'", true);
    check("null", None);
}

#[test]
fn truth_can_be_asked_for() {
    check("full_scan", true);
    check("tmp_table", false);
    check("full_scan is true", true);
    check("missing is true", false);
    check("missing is not true", true);
    check("tmp_table is false", true);
    check("missing is not false", true);
    check("missing is unknown", true);
    check("(missing = 1) is null", true);
    check("db is true", false);
    check("rows_sent", false);
    check("rows_examined", true);
    check("true", true);
    check("FALSE", false);
}

#[test]
fn operators_bind_as_in_mysql() {
    // OR < XOR < AND < NOT < comparison < LIKE, IN, BETWEEN.
    check("1 or 1 xor 1", true);
    check("1 xor 1 or 1", true);
    check("1 xor 0 and 0", true);
    check("0 and 0 xor 1", true);
    check("1 xor 1 xor 1", true);
    check("1 || 1 && 0", true);
    check("0 && 0 || 1", true);
    check("1 || 1 xor 1", true);
    check("rows_sent = 0 || query_time = 9", true);
    check("db = 'x' || db = 'shop'", true);
    check("not 1 = 2", true);
    check("!1 = 0", true);
    check("not 0 and 0", false);
    check("!(rows_sent = 0)", false);
    check("! full_scan or 1", true);
    check("3 = 1 + 2", true);
    check("1 = 2 is null", false);
    check("0 = 'a' like 'b'", true);
    check("'a' like 'b' = 0", true);
    check("0 = 1 in (2, 3)", true);
    check("0 = 5 between 1 and 2", true);
    check("query_time between 0 and 1 and rows_sent = 0", true);
    check("2 + 3 * 4 - 1 = 13", true);
    check("10 - 3 - 2 = 5", true);
    check("100 / 10 / 2 = 5", true);
    check("- 2 * 3 = -6", true);
    check("1 - -1 = 2", true);
}

#[test]
fn texts_compare_without_case() {
    check("db = 'SHOP'", true);
    check("db = \"shop\"", true);
    check("db <> 'shop'", false);
    check("db < 'shopping'", true);
    check("db > 'a'", true);
    check("db = 'shop '", false);
    check("'it''s' = \"it's\"", true);
    check(r"'a\'b' = 'a''b'", true);
    check("'a' 'b' = 'ab'", true);
}

#[test]
fn a_text_is_a_number_if_it_is_one_wholly() {
    check("port = 3306", true);
    check("port > 3305.5", true);
    check("version = 8", true);
    check("version = '8'", false);
    check("db = 0", None);
    check("query_time > '0.4'", true);
    check("query_time > '0.4s'", None);
    check("query_time = ''", None);
    check("port + 1 = 3307", true);
}

#[test]
fn booleans_compare_with_their_spellings() {
    check("full_scan = 1", true);
    check("full_scan = 0", false);
    check("full_scan = 'Yes'", true);
    check("full_scan = 'no'", false);
    check("'TRUE' = full_scan", true);
    check("full_scan = 'perhaps'", None);
    check("full_scan = true", true);
    check("full_scan <> tmp_table", true);
    check("full_scan > tmp_table", true);
    check("answer = true", true);
    check("tmp_table in ('no')", true);
}

#[test]
fn times_compare_with_their_spellings() {
    check("ts = '2026-03-06T17:01:40Z'", true);
    check("ts = '2026-03-06 18:01:40+01:00'", true);
    check("ts >= '2026-03-06'", true);
    check("'2026-03-07' > ts", true);
    check("ts between '2026-03-06 17:00' and '2026-03-06 17:01:40.000000'", true);
    check("ts < '2026-03-06 17:01:40.000001'", true);
    check("ts >= '2026-03-06 17:01' and ts < '2026-03-06T17:02Z'", true);
    check("ts > '2026-03-06 17:02+00:01'", true);
    check("ts > '2026-02-30'", None);
    check("ts > '2026-03-06 25:00'", None);
    check("ts > DATE '2026-01-01'", true);
    check("ts > timestamp '2026-03-06 17:01:40'", false);
    check("ts = `when`", true);
    check("ts > 'yesterday'", None);
    check("ts > 5", None);
    check("ts like '2026-03-06T17:%'", true);
}

#[test]
fn lists_and_ranges() {
    check("db in ('a', 'shop')", true);
    check("db not in ('a', 'b')", true);
    check("db in ('a', null)", None);
    check("db in ('shop', null)", true);
    check("db not in ('a', null)", None);
    check("missing in (1)", None);
    check("query_time in (1, 0.5)", true);
    check("rows_sent between 0 and 0", true);
    check("rows_sent not between 1 and 2", true);
    check("rows_sent between missing and -1", false);
    check("rows_sent between missing and 1", None);
}

#[test]
fn patterns() {
    check("query like 'select%orders%'", true);
    check("query not like 'update%'", true);
    check("user like 'app_rw'", true);
    check(r"user like 'app\_rw'", true);
    check(r"db like 'sh\_p'", false);
    check("user like 'app|_%' escape '|'", true);
    check(r"query like '%100\%%'", true);
    check("db like user", false);
    check("db like lower(db)", true);
    check("missing like '%'", None);
    check("query_time like '0.5'", true);
    check("full_scan like 'y%'", true);
    check("query regexp '^select .* from ORDERS'", true);
    check("query rlike 'customers|orders'", true);
    check("query not regexp 'delete'", true);
    check("missing regexp '.'", None);
    // A backslash is for the string first, as in MySQL.
    check(r"port regexp '^\\d+$'", true);
    check(r"port regexp '^\d+$'", false);
}

#[test]
fn arithmetic_gives_null_where_there_is_no_number() {
    check("rows_examined / rows_sent > 1000", None);
    check("rows_examined % rows_sent = 1", None);
    check("rows_examined / 3 * 3 = rows_examined", true);
    check("rows_examined % 100 = 10", true);
    check("-7 % 3 = -1", true);
    check("7.5 % 2 = 1.5", true);
    check("db + 1 = 1", None);
    check("missing + 1 = 1", None);
    check("full_scan + full_scan = 2", true);
    check("bytes * bytes * bytes > 0", None);
}

#[test]
fn functions() {
    check("lower(db) = 'shop' and upper(db) like 'SHOP'", true);
    check("length(db) = 4", true);
    check("LENGTH('é') = 2 and char_length('é') = 1", true);
    check("abs(-1.5) = 1.5", true);
    check("coalesce(missing, null, db) = 'shop'", true);
    check("ifnull(missing, 7) = 7", true);
    check("if(full_scan, 1, 2) = 1", true);
    check("if(missing, 1, 2) = 2", true);
    check("rows_examined / nullif(rows_sent, 0) is null", true);
    check("length(missing) is null", true);
}

#[test]
fn what_is_not_understood_is_named() {
    check_refused("", ": it is empty");
    check_refused(" -- nothing", ": it is empty");
    check_refused("db = ", ": expected an expression, found the end");
    check_refused("db = 'shop", " at column 6: unterminated string literal");
    check_refused("db == 'a' x", " at column 11: expected an operator or the end, found x");
    check_refused("a = 1;", " at column 6: expected an operator or the end, found ;");
    check_refused("(a = 1", ": expected ), found the end");
    check_refused(
        "a = 1 and\n and b",
        " at line 2, column 2: expected a column or a value, found and",
    );
    check_refused("a in (select 1)", " at column 1: a subquery has no place in it");
    check_refused("a in ()", " at column 7: expected an expression, found )");
    check_refused("a = (select 1)", " at column 6: a subquery has no place in it");
    check_refused("exists (select 1)", " at column 9: a subquery has no place in it");
    check_refused(
        "a = 1 and sum(b) > 1",
        " at column 11: sum is an aggregate, and a condition is told of one event",
    );
    check_refused(
        "count(*) > 1",
        " at column 1: count is an aggregate, and a condition is told of one event",
    );
    check_refused(
        "sleep(1)",
        " at column 1: the function sleep is not known; known are abs, char_length, coalesce, if, \
         ifnull, lcase, length, lower, nullif, ucase, upper",
    );
    check_refused("length(a, b) = 1", " at column 1: length takes 1, not 2 arguments");
    check_refused("coalesce() = 1", " at column 1: coalesce takes at least one, not 0 arguments");
    check_refused("e.db = 'a'", " at column 1: a name with a dot has no place in it");
    check_refused("a & 1", " at column 5: the operator & is not understood");
    check_refused("a -> '$.b'", " at column 6: the operator -> is not understood");
    check_refused("~a", " at column 2: the operator ~ is not understood");
    check_refused("a = ?", " at column 5: the placeholder ? has no value");
    check_refused("a = x'41'", " at column 5: the literal X'41' is not understood");
    check_refused("@a = 1", " at column 1: the variable @a is not known");
    check_refused("(a, b) = (1, 2)", " at column 2: a row of several values has no place in it");
    check_refused("case a when 1 then 2 end", " at column 1: CASE has no place in it");
    check_refused("a regexp b", " at column 10: REGEXP takes its pattern as a text");
    check_refused(
        "a regexp '('",
        " at column 10: the pattern '(' is not understood: unclosed group",
    );
    check_refused(
        "a like 'b' escape 'cd'",
        " at column 19: ESCAPE takes a text of one ASCII character",
    );
    check_refused(
        "ts > date '2024-02-30'",
        " at column 11: no such time; write it as '2024-05-01 17:30:00'",
    );
    let digits = "9".repeat(50);
    let want = format!(" at column 5: the number {digits} has too many digits");
    check_refused(&format!("a = {digits}"), &want);
}

#[test]
fn long_lists_and_chains_are_read() {
    let list = vec!["'0123456789'"; 4_000].join(",");
    check(&format!("db in ({list}, 'shop')"), true);
    let chain = vec!["db = 'shop'"; 2_500].join(" and ");
    check(&chain, true);
    let chain = vec!["rows_sent"; 5_000].join("||");
    check(&chain, false);
}

/// The parser would overflow its stack on these.
#[test]
fn no_text_overflows_the_stack() {
    let too_long = Condition::parse(&"a or ".repeat(20_000)).unwrap_err();
    assert_eq!(too_long.to_string(), "read the condition: 100000 bytes are more than 65536");
    let texts = ["a or ", "a||", "1+", "1=", "- ", "-", "!", "not ", "(", "((a or ", "abs(", "if("];
    let tails = [" is null", " in (1)", " like 1", " between 1 and 2", " is not true", "->1", ")"];
    let more =
        ["case ", "case when ", "a in (", "a in ((", "a between ", "interval ", "date ", "a."];
    for text in texts.iter().chain(&more) {
        for count in [40, 120, 7_990, MAX_BYTES / text.len() - 1] {
            _ = Condition::parse(&format!("{}1", text.repeat(count)));
        }
    }
    for text in tails {
        for count in [40, 120, 7_990, (MAX_BYTES - 1) / text.len()] {
            _ = Condition::parse(&format!("1{}", text.repeat(count)));
        }
    }
    check_refused(&format!("{}1", "1+".repeat(200)), " at column 1: it is nested too deeply");
    check_refused(&format!("{}1{}", "(".repeat(60), ")".repeat(60)), ": it is nested too deeply");
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,200}") {
        _ = Condition::parse(&text);
    }

    /// Words of the language in any order: some are conditions, and those can be told.
    #[test]
    fn no_sentence_panics(words in prop::collection::vec(word(), 0..30)) {
        if let Ok(condition) = Condition::parse(&words.join(" ")) {
            let values = [
                Value::Null,
                Value::Number(i128::MIN),
                Value::Number(0),
                Value::Bool(true),
                Value::Time(i64::MIN),
                Value::Time(i64::MAX),
                Value::Text(Cow::Borrowed(b"\xff%")),
            ];
            for value in values {
                condition.holds(&|_| value.clone());
            }
        }
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    let words = "a b `c` 1 -2.5 0 'x' '2024-01-01' '%' \"y\" null true = <> < >= <=> and or xor not ! \
                 && || ( ) ( ) , is in (1,a) between like regexp escape + - * / % lower( if( \
                 coalesce( 1e9 0.0000001";
    prop::sample::select(words.split_whitespace().collect::<Vec<_>>())
}
