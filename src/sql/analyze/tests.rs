//! Statements and what is read of them. The values are those that the manuals of MySQL and MariaDB
//! give the statements; a column is told as `name@block.source`, without the place where it is of
//! the only source.

use super::{Refused, analyze};
use crate::sql::distill::TableName;
use crate::sql::shape::*;

/// A garage.
struct Garage;

impl Catalog for Garage {
    fn columns(&self, table: &TableName) -> Option<Vec<&str>> {
        Some(match table.name.to_ascii_lowercase().as_slice() {
            b"cars" => vec!["id", "plate", "fleet_id", "state", "Made_on", "odometer"],
            b"fleets" => vec!["id", "name", "city"],
            b"services" => vec!["id", "car_id", "kind", "done_on"],
            _ => return None,
        })
    }

    fn view(&self, table: &TableName) -> Option<&str> {
        Some(match table.name.as_slice() {
            b"parked" => {
                "select `c`.`id` AS `id`,`c`.`plate` AS `number` from `cars` `c` where (`c`.`state` = 'parked')"
            }
            b"twice" => {
                "select `p`.`id` AS `a`,`f`.`city` AS `b` from (`parked` `p` join `fleets` `f` on((`f`.`id` = `p`.`id`)))"
            }
            b"endless" => "select 1 AS `a` from `endless`",
            _ => return None,
        })
    }
}

fn read(text: &str) -> Shape {
    analyze(text, &Unknown).unwrap_or_else(|refused| panic!("{refused}: {text}"))
}

fn known(text: &str) -> Shape {
    analyze(text, &Garage).unwrap_or_else(|refused| panic!("{refused}: {text}"))
}

fn column(of: &Column) -> String {
    match of.of {
        Some((0, 0)) => of.name.clone(),
        Some((block, source)) => format!("{}@{block}.{source}", of.name),
        None => format!("{}@?", of.name),
    }
}

fn columns(of: &[Column]) -> String {
    of.iter().map(column).collect::<Vec<_>>().join(", ")
}

fn values(of: &[Value]) -> String {
    let texts: Vec<_> = of.iter().map(|value| value.text.as_str()).collect();
    format!("({})", texts.join(", "))
}

fn operand(of: &Operand) -> String {
    match of {
        Operand::Value(value) => value.text.clone(),
        Operand::Column(other) => column(other),
        Operand::Block(block) => format!("block {block}"),
    }
}

fn expression(of: &Expression) -> String {
    match of {
        Expression::Column(of) => column(of),
        Expression::Value(value) => value.text.clone(),
        Expression::Call(name, arguments) => {
            format!("{name}({})", arguments.iter().map(expression).collect::<Vec<_>>().join(", "))
        }
        Expression::Arithmetic(left, op, right) => {
            format!("[{} {op} {}]", expression(left), expression(right))
        }
        Expression::Other(_) => "…".to_owned(),
    }
}

fn test(of: &Test) -> String {
    let name = column(&of.column);
    match &of.op {
        Op::Equal(other) => format!("{name} = {}", operand(other)),
        Op::NullSafe(other) => format!("{name} <=> {}", operand(other)),
        Op::IsNull => format!("{name} is null"),
        Op::IsNotNull => format!("{name} is not null"),
        Op::In(list) => format!("{name} in {}", values(list)),
        Op::InRows(list) => format!("{name} in rows {}", values(list)),
        Op::Range { low, high } => {
            let sign = |bound: &Bound, sign: &str| {
                format!("{sign}{} {}", if bound.is_inclusive { "=" } else { "" }, bound.value.text)
            };
            let low = low.iter().map(|low| sign(low, ">"));
            let ends: Vec<_> = low.chain(high.iter().map(|high| sign(high, "<"))).collect();
            format!("{name} {}", ends.join(" "))
        }
        Op::Prefix(value) => format!("{name} begins {}", value.text),
        Op::InBlock(block) => format!("{name} in block {block}"),
        Op::NotInBlock(block) => format!("{name} not in block {block}"),
        Op::Differs(list) => format!("{name} <> {}", values(list)),
        Op::DiffersFrom(other) => format!("{name} <> {}", column(other)),
        Op::Compared(other) => format!("{name} ~ {}", operand(other)),
    }
}

fn conjunct(of: &Conjunct) -> String {
    let told = match &of.condition {
        Condition::Test(of) => test(of),
        Condition::Any(arms) => {
            let arms =
                arms.iter().map(|arm| arm.iter().map(conjunct).collect::<Vec<_>>().join(" & "));
            format!("({})", arms.collect::<Vec<_>>().join(" | "))
        }
        Condition::Wrapped(of) => {
            let not = if of.is_negated { "not " } else { "" };
            let right = of.right.iter().map(expression).collect::<Vec<_>>().join(", ");
            let left = expression(&of.left);
            format!("{:?}[{not}{left} {} {right}]", of.why, of.op).replace(" ]", "]")
        }
        Condition::Exists { block, is_negated } => {
            format!("{}exists block {block}", if *is_negated { "not " } else { "" })
        }
        Condition::Constant(Some(holds)) => holds.to_string(),
        Condition::Constant(None) => "constant".to_owned(),
        Condition::Other(of) => format!("other [{}]", columns(of)),
    };
    match of.clause {
        Clause::Where => told,
        Clause::On(source) => format!("on {source}: {told}"),
        Clause::Having => format!("having: {told}"),
    }
}

fn conditions(block: &Block) -> String {
    block.conditions.iter().map(conjunct).collect::<Vec<_>>().join("; ")
}

/// What a condition over one table asks.
#[track_caller]
fn asks(condition: &str, want: &str) {
    let text = format!("SELECT id FROM cars WHERE {condition}");
    let shape = read(&text);
    assert_eq!(conditions(&shape.blocks[0]), want, "{condition}");
    assert!(!shape.is_partial, "{condition}");
}

#[test]
fn comparisons_are_tests_of_columns() {
    asks("fleet_id = 3", "fleet_id = 3");
    asks("3 = cars.fleet_id", "fleet_id = 3");
    asks("5 < odometer AND 7 >= odometer", "odometer > 5; odometer <= 7");
    asks("a <> 'x' AND b != 1", "a <> ('x'); b <> (1)");
    asks("a <=> 5 AND b <=> NULL", "a <=> 5; b is null");
    asks("a IS NULL AND b IS NOT NULL AND ISNULL(c)", "a is null; b is not null; c is null");
    asks("a BETWEEN 1 AND 5 AND b NOT BETWEEN 1 AND 5", "a >= 1 <= 5; b <> (1, 5)");
    asks("5 BETWEEN low AND high", "low <= 5; high >= 5");
    asks("a = -5 AND b = +5 AND c = - 5", "a = -5; b = +5; c = - 5");
    asks("a = b AND a < b AND a <> b AND a <=> b", "a = b; a ~ b; a <> b; a <=> b");
    asks("a = NULL", "a = NULL");
    asks(
        "`a` = 'it''s' 'so' AND b = \"x\" AND c = _latin1'x'",
        "a = 'it''s' 'so'; b = \"x\"; c = _latin1'x'",
    );
    asks(
        "a = ? AND b = :b AND c = @c AND d = @@session.d",
        "a = ?; b = :b; c = @c; d = @@session.d",
    );
    asks("c AND NOT d", "c <> (0); d = 0");
}

#[test]
fn values_are_what_is_the_same_for_all_rows() {
    asks("a > NOW() - INTERVAL 1 DAY", "a > NOW() - INTERVAL 1 DAY");
    asks("a > CURRENT_TIMESTAMP AND b = UTC_DATE", "a > CURRENT_TIMESTAMP; b = UTC_DATE");
    asks(
        "a >= DATE '2026-01-01' AND b = CAST('5' AS UNSIGNED)",
        "a >= DATE '2026-01-01'; b = CAST('5' AS UNSIGNED)",
    );
    asks(
        "a = LEFT(SHA2(4, 256), 32) AND b = my_own(5)",
        "a = LEFT(SHA2(4, 256), 32); b = my_own(5)",
    );
    asks(
        "a = 'x' COLLATE utf8mb4_bin AND b = (1 + 2) * 3",
        "a = 'x' COLLATE utf8mb4_bin; b = (1 + 2) * 3",
    );
    asks("a = CASE WHEN 1 THEN 2 END", "a = CASE WHEN 1 THEN 2 END");
    let kind = |text: &str| match &read(&format!("SELECT 1 FROM t WHERE a = {text}")).blocks[0]
        .conditions[0]
        .condition
    {
        Condition::Test(Test { op: Op::Equal(Operand::Value(value)), .. }) => value.kind,
        other => panic!("{other:?}"),
    };
    for (text, want) in [
        ("5", ValueKind::Number),
        ("-1.5e3", ValueKind::Number),
        ("'x'", ValueKind::Text),
        ("\"x\"", ValueKind::Text),
        ("_utf8mb4'x'", ValueKind::Text),
        ("N'x'", ValueKind::Text),
        ("0x4D", ValueKind::Text),
        ("x'4D'", ValueKind::Text),
        ("b'1'", ValueKind::Text),
        ("NULL", ValueKind::Null),
        ("\\N", ValueKind::Null),
        ("true", ValueKind::Truth),
        ("?", ValueKind::Parameter),
        (":x", ValueKind::Parameter),
        ("@x", ValueKind::Variable),
        ("@@x", ValueKind::Variable),
        ("NOW()", ValueKind::Expression),
        ("1 + 1", ValueKind::Expression),
        ("DATE '2026-01-01'", ValueKind::Expression),
    ] {
        assert_eq!(kind(text), want, "{text}");
    }
}

#[test]
fn lists_and_alternatives_on_one_column_are_one_list() {
    asks(
        "a IN (1, 2, 3) AND b IN (1) AND c NOT IN (1, NULL)",
        "a in (1, 2, 3); b = 1; c <> (1, NULL)",
    );
    asks("a IN (1, NULL, 2) AND b IN (1, NULL)", "a in (1, 2); b = 1");
    asks("a = 1 OR a = 2 OR a IN (3, 4)", "a in (1, 2, 3, 4)");
    asks("a = 1 OR a IS NULL", "a in (1, NULL)");
    asks("(a = 1 OR (a = 2)) AND b = 3", "a in (1, 2); b = 3");
    asks("a = 1 OR b = 2 OR a = 3", "(a in (1, 3) | b = 2)");
    asks("a = 1 AND b = 2 OR a = 3 AND b = 4", "(a = 1 & b = 2 | a = 3 & b = 4)");
    asks("5 IN (a, b)", "(a = 5 | b = 5)");
    asks("a in(?+)", "a = ?");
}

#[test]
fn not_is_taken_inwards() {
    asks("NOT a = 1 AND NOT a < 5 AND NOT a IS NULL", "a <> (1); a >= 5; a is not null");
    asks("NOT (a = 1 OR b IN (2, 3))", "a <> (1); b <> (2, 3)");
    asks("NOT (a = 1 AND b = 2)", "(a <> (1) | b <> (2))");
    asks("NOT NOT a = 1 AND ! (a <> 2)", "a = 1; a = 2");
    asks("NOT a BETWEEN 1 AND 2 AND NOT a LIKE 'x%'", "a <> (1, 2); a <> ('x%')");
    asks("NOT EXISTS (SELECT 1 FROM b)", "not exists block 1");
    asks("NOT a IN (SELECT x FROM b)", "a not in block 1");
}

#[test]
fn operators_bind_as_on_the_server() {
    asks("a || b && c", "(a <> (0) | b <> (0) & c <> (0))");
    asks("a = 1 OR b = 2 XOR c = 3 AND d = 4", "(a = 1 | other [b, c, d])");
    asks("a ^ b * c = 1", "Arithmetic[[[a ^ b] * c] = 1]");
    asks("a | b & c << d + e * f = 1", "Arithmetic[[a | [b & [c << [d + [e * f]]]]] = 1]");
    asks("a MOD 2 = 1 AND b DIV 2 = 1", "Arithmetic[[a % 2] = 1]; Arithmetic[[b DIV 2] = 1]");
    asks("a = 1 = 0", "Arithmetic[… = 0]");
}

#[test]
fn patterns_are_told_by_how_they_begin() {
    asks("a LIKE 'x%' AND b LIKE 'x_y' AND c LIKE 'xy'", "a begins 'x%'; b begins 'x_y'; c = 'xy'");
    asks("a LIKE '%x'", "Wildcard[a LIKE '%x']");
    asks("a LIKE '_x'", "Wildcard[a LIKE '_x']");
    asks("a LIKE '%'", "a is not null");
    asks("a LIKE 'x\\%' AND b LIKE 'x|%y' ESCAPE '|'", "a = 'x\\%'; b = 'x|%y'");
    asks("a LIKE CONCAT('x', ?, '%')", "a begins CONCAT('x', ?, '%')");
    asks("a LIKE CONCAT('%', ?)", "Wildcard[a LIKE CONCAT('%', ?)]");
    asks("a REGEXP '^x' AND b NOT RLIKE 'y'", "Pattern[a REGEXP '^x']; Pattern[not b REGEXP 'y']");
}

#[test]
fn what_is_done_with_a_column_is_told() {
    asks("DATE(a) = '2026-01-01'", "Function(\"DATE\")[DATE(a) = '2026-01-01']");
    asks("5 > YEAR(a)", "Function(\"YEAR\")[YEAR(a) < 5]");
    asks("CAST(a AS DATE) = 1", "Function(\"DATE\")[CAST AS DATE(a) = 1]");
    asks("CONVERT(a, DATE) = 1", "Function(\"DATE\")[CAST AS DATE(a) = 1]");
    asks("CAST(a AS CHAR(9) CHARACTER SET utf8) = 1", "Function(\"CAST\")[CAST(a) = 1]");
    asks("LOWER(a) IN ('x', 'y')", "Function(\"LOWER\")[LOWER(a) IN 'x', 'y']");
    asks("DATE(a) BETWEEN 1 AND 2", "Function(\"DATE\")[DATE(a) BETWEEN 1, 2]");
    asks("IFNULL(a, 0) IS NULL", "Function(\"IFNULL\")[IFNULL(a, 0) IS NULL]");
    asks("a + 1 > 5", "Arithmetic[[a + 1] > 5]");
    asks("a + INTERVAL 1 DAY > 5", "Arithmetic[[a + INTERVAL INTERVAL 1 DAY] > 5]");
    asks("BINARY a = 'x'", "Collation[… = 'x']");
    asks("a COLLATE utf8mb4_bin = 'x'", "Collation[… = 'x']");
    asks("a IS TRUE AND b IS NOT FALSE", "Truth[a IS TRUE]; Truth[not b IS FALSE]");
    asks("(a, b) > (1, 2)", "Rows[… > …]");
    asks(
        "doc->'$.x' = 5 AND JSON_EXTRACT(doc, '$.y') = 5",
        "Json[… = 5]; Json[JSON_EXTRACT(doc, '$.y') = 5]",
    );
    asks("a = RAND() AND b < SYSDATE()", "NotConstant[a = RAND()]; NotConstant[b < SYSDATE()]");
    asks(
        "MATCH (a, b) AGAINST ('x' IN BOOLEAN MODE)",
        "FullText[MATCH AGAINST(a, b, 'x') MATCH 0]",
    );
    asks("FIND_IN_SET('x', a)", "Function(\"FIND_IN_SET\")[FIND_IN_SET('x', a) <> 0]");
    asks(
        "TRIM(LEADING 'x' FROM a) = SUBSTRING('abc' FROM 2)",
        "Function(\"TRIM\")[TRIM(a, 'x') = SUBSTRING('abc' FROM 2)]",
    );
}

#[test]
fn rows_are_compared_column_by_column() {
    asks("(a, b) = (1, 2)", "a = 1; b = 2");
    asks("ROW(a, b) = ROW(1, c)", "a = 1; b = c");
    asks("(a, b) IN ((1, 2), (3, 4))", "a in rows (1, 3); b in rows (2, 4)");
    asks("(a, b) IN ((1, 2))", "a = 1; b = 2");
    asks("(a, b) NOT IN ((1, 2), (3, 4))", "other [a, b]");
    asks("(a, b) IN (SELECT x, y FROM c)", "a in block 1; b in block 1");
}

#[test]
fn constants_are_told_where_they_are_plain() {
    asks("1 = 1 AND 1 = 0 AND TRUE AND 0", "true; false; true; false");
    asks("? IS NULL OR a = ?", "(constant | a = ?)");
    asks("1 = 0 OR a = 5", "a = 5");
    asks("1 = 1 OR a = 5", "true");
    asks("NULL = 1 AND NOT (NULL = 1)", "false; false");
}

#[test]
fn a_subquery_is_a_block() {
    asks("a IN (SELECT x FROM b) AND c = (SELECT MAX(y) FROM b)", "a in block 1; c = block 2");
    asks(
        "a = ANY (SELECT x FROM b) AND a <> ALL (SELECT x FROM b)",
        "a in block 1; a not in block 2",
    );
    asks("a > ALL (SELECT x FROM b)", "a ~ block 1");
    asks("EXISTS (SELECT * FROM b)", "exists block 1");
    let shape =
        read("SELECT (SELECT n FROM b WHERE b.x = c.x) FROM c WHERE c.a > 2 * (SELECT m FROM d)");
    let roles: Vec<_> = shape.blocks.iter().map(|block| block.role).collect();
    let scalar = |is_selected| Role::Scalar { is_selected };
    assert_eq!(roles, [Role::Statement, scalar(true), scalar(false)]);
    assert_eq!(shape.blocks[0].items[0].kind, ItemKind::Block(1));
    assert_eq!(conditions(&shape.blocks[1]), "x@1.0 = x");
    assert_eq!(conditions(&shape.blocks[0]), "a > 2 * (SELECT m FROM d)");
}

#[test]
fn names_are_looked_for_from_the_inside_out() {
    // Without a catalog the only source of a block is taken.
    let shape = read("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.x = y AND T.z = 1)");
    assert_eq!(conditions(&shape.blocks[1]), "x@1.0 = y@1.0; z = 1");
    // With one, a name that the inner table does not have is of the outer.
    let shape =
        known("SELECT 1 FROM cars WHERE EXISTS (SELECT 1 FROM services WHERE car_id = odometer)");
    assert_eq!(conditions(&shape.blocks[1]), "car_id@1.0 = odometer");
    // The column of the block stands on the left, whichever way it is written.
    let shape =
        known("SELECT 1 FROM cars c WHERE EXISTS (SELECT 1 FROM services s WHERE c.id = s.car_id)");
    assert_eq!(conditions(&shape.blocks[1]), "car_id@1.0 = id");
    // Several tables.
    let shape = known(
        "SELECT 1 FROM cars, fleets WHERE plate = 'x' AND city = 'y' AND id = 5 AND nobody = 1",
    );
    assert_eq!(conditions(&shape.blocks[0]), "plate = 'x'; city@0.1 = 'y'; id@? = 5; nobody@? = 1");
    let shape = read("SELECT 1 FROM cars, fleets WHERE plate = 'x'");
    assert_eq!(conditions(&shape.blocks[0]), "plate@? = 'x'");
    // Databases and letter case.
    let shape =
        read("SELECT 1 FROM g.cars, a.Cars AS old WHERE g.CARS.plate = 1 AND OLD.plate = 2");
    assert_eq!(conditions(&shape.blocks[0]), "plate = 1; plate@0.1 = 2");
    // A derived table is known by its items.
    let shape =
        read("SELECT 1 FROM (SELECT a, b + 1 AS c FROM t) d, u WHERE a = 1 AND c = 2 AND e = 3");
    assert_eq!(conditions(&shape.blocks[0]), "a = 1; c = 2; e@0.1 = 3");
}

#[test]
fn columns_that_are_read_are_noted() {
    let reads = |shape: &Shape, block: usize, source: usize| {
        shape.blocks[block].sources[source].columns.join(",")
    };
    let shape = read(
        "SELECT c.B, MAX(c.e) FROM t c WHERE c.a = 1 AND EXISTS (SELECT 1 FROM u WHERE u.x = c.D) GROUP BY c.f ORDER BY c.g",
    );
    assert_eq!(reads(&shape, 0, 0), "a,b,d,e,f,g");
    assert_eq!(reads(&shape, 1, 0), "x");
    let shape = known("SELECT * FROM fleets");
    assert_eq!(reads(&shape, 0, 0), "city,id,name");
    assert!(shape.blocks[0].sources[0].is_star);
    let shape = known("SELECT f.*, c.plate FROM fleets f JOIN cars c ON c.fleet_id = f.id");
    assert_eq!(reads(&shape, 0, 0), "city,id,name");
    assert_eq!(reads(&shape, 0, 1), "fleet_id,plate");
    for text in
        ["SELECT COUNT(*) FROM fleets", "SELECT 1 FROM cars WHERE EXISTS (SELECT * FROM fleets)"]
    {
        let shape = known(text);
        let last = shape.blocks.last().unwrap();
        assert!(!last.sources[0].is_star && last.sources[0].columns.is_empty(), "{text}");
    }
}

/// The sources of the first block: `name after … optional`, and the conditions.
#[track_caller]
fn joins(from: &str, want_sources: &str, want: &str) {
    let shape = known(&format!("SELECT 1 FROM {from}"));
    let block = &shape.blocks[0];
    let sources = block.sources.iter().map(|source| {
        let name = source.alias.clone().unwrap_or_else(|| match &source.of {
            SourceOf::Table(table) => String::from_utf8_lossy(&table.name).into_owned(),
            other => format!("{other:?}"),
        });
        let after =
            if source.after.is_empty() { String::new() } else { format!("{:?}", source.after) };
        format!("{name}{after}{}", if source.is_optional { "?" } else { "" })
    });
    assert_eq!(sources.collect::<Vec<_>>().join(" "), want_sources, "{from}");
    assert_eq!(conditions(block), want, "{from}");
}

#[test]
fn joins_tell_which_side_comes_first() {
    joins("a, b WHERE a.x = b.x", "a b", "x = x@0.1");
    joins("a JOIN b ON a.x = b.x AND b.y = 1", "a b", "x = x@0.1; y@0.1 = 1");
    joins(
        "a LEFT JOIN b ON a.x = b.x WHERE b.y IS NULL",
        "a b[0]?",
        "on 1: x = x@0.1; y@0.1 is null",
    );
    joins("a RIGHT JOIN b ON a.x = b.x", "a[1]? b", "on 0: x = x@0.1");
    joins("a STRAIGHT_JOIN b ON a.x = b.x", "a b[0]", "x = x@0.1");
    joins(
        "a LEFT JOIN (b JOIN c ON b.y = c.y) ON a.x = b.x",
        "a b[0]? c[0]?",
        "on 2: y@0.1 = y@0.2; on 1: x = x@0.1",
    );
    joins(
        "a LEFT JOIN (b, c) ON a.x = b.x AND c.z = 1",
        "a b[0]? c[0]?",
        "on 1: x = x@0.1; on 2: z@0.2 = 1",
    );
    joins(
        "a LEFT JOIN b LEFT JOIN c ON b.y = c.y ON a.x = b.x",
        "a b[0]? c[0, 1]?",
        "on 2: y@0.1 = y@0.2; on 1: x = x@0.1",
    );
    joins("a JOIN b JOIN c ON a.x = c.x", "a b c", "x = x@0.2");
    joins(
        "a LEFT JOIN b ON a.x = b.x AND (b.y = 1 OR 5 IN (b.z, a.z))",
        "a b[0]?",
        "on 1: x = x@0.1; on 1: (on 1: y@0.1 = 1 | on 1: (on 1: z@0.1 = 5 | on 1: z = 5))",
    );
    joins("{ OJ a LEFT OUTER JOIN b ON a.x = b.x }", "a b[0]?", "on 1: x = x@0.1");
    joins("(a, b) JOIN (c) ON c.x = a.x", "a b c", "x@0.2 = x");
    joins("cars JOIN services USING (id)", "cars services", "id = id@0.1");
    joins("cars NATURAL JOIN fleets", "cars fleets", "id = id@0.1");
    joins(
        "cars NATURAL LEFT JOIN fleets WHERE id = 5",
        "cars fleets[0]?",
        "on 1: id = id@0.1; id = 5",
    );
}

#[test]
fn keys_are_columns_positions_or_aliases() {
    let keys = |text: &str| {
        let shape = known(text);
        let block = &shape.blocks[0];
        let told = |key: &Key| {
            let name = key.column.as_ref().map_or("-".to_owned(), column);
            format!("{name}{}", if key.is_descending { " desc" } else { "" })
        };
        let join = |keys: &[Key]| keys.iter().map(told).collect::<Vec<_>>().join(", ");
        format!("{} | {}", join(&block.group), join(&block.order))
    };
    assert_eq!(
        keys("SELECT plate FROM cars GROUP BY state, fleet_id DESC ORDER BY plate DESC, 1"),
        "state, fleet_id desc | plate desc, plate"
    );
    assert_eq!(
        keys("SELECT plate AS state, odometer AS o FROM cars GROUP BY state, o ORDER BY state, o"),
        "state, odometer | plate, odometer"
    );
    assert_eq!(
        keys("SELECT YEAR(made_on) AS y FROM cars GROUP BY y ORDER BY y, YEAR(made_on), NULL"),
        "- | -, -, -"
    );
    // Without a catalog a column of that name is known by being read.
    let shape =
        read("SELECT DATE(made) AS made, YEAR(sold) AS y FROM t GROUP BY made, y ORDER BY made");
    let told: Vec<_> = shape.blocks[0].group.iter().map(|key| key.column.is_some()).collect();
    assert_eq!(told, [true, false]);
    assert_eq!(shape.blocks[0].order[0].column, None);
    assert_eq!(keys("SELECT *, plate FROM cars ORDER BY 2"), " | -");
    let shape = read(
        "SELECT state, COUNT(*) n FROM cars GROUP BY state WITH ROLLUP HAVING n > 5 AND state = 'x' AND MAX(k) > 1 LIMIT 5, 10",
    );
    let block = &shape.blocks[0];
    assert!(block.has_rollup);
    assert_eq!(conditions(block), "having: other []; having: state = 'x'; having: other [k]");
    assert_eq!(block.limit, Some(Limit { offset: Some(5), rows: Some(10) }));
}

#[test]
fn limits() {
    let limit = |tail: &str| read(&format!("SELECT a FROM t {tail}")).blocks[0].limit;
    let some = |offset, rows| Some(Limit { offset, rows });
    assert_eq!(limit(""), None);
    assert_eq!(limit("LIMIT 10"), some(Some(0), Some(10)));
    assert_eq!(limit("LIMIT 10 OFFSET 20"), some(Some(20), Some(10)));
    assert_eq!(limit("LIMIT 20, 10"), some(Some(20), Some(10)));
    assert_eq!(limit("LIMIT ?, @n"), some(None, None));
    assert_eq!(limit("LIMIT 10 ROWS EXAMINED 500"), some(Some(0), Some(10)));
    assert_eq!(limit("LIMIT ROWS EXAMINED 500"), None);
    assert_eq!(limit("ORDER BY a OFFSET 5 ROWS FETCH NEXT 3 ROWS ONLY"), some(Some(5), Some(3)));
    assert_eq!(limit("FETCH FIRST ROW ONLY"), some(Some(0), Some(1)));
}

#[test]
fn arms_of_a_union_stand_side_by_side() {
    let shape =
        read("(SELECT a FROM t ORDER BY a LIMIT 5) UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 3");
    let arm = |kind| {
        Some(Arm {
            first: 0,
            kind,
            limit: Some(Limit { offset: Some(0), rows: Some(3) }),
            is_ordered: true,
        })
    };
    let arms: Vec<_> = shape.blocks.iter().map(|block| block.arm.clone()).collect();
    assert_eq!(arms, [arm(Combines::UnionAll), arm(Combines::UnionAll)]);
    assert_eq!(shape.blocks[0].limit, Some(Limit { offset: Some(0), rows: Some(5) }));
    assert_eq!(shape.blocks[1].limit, None);
    for (between, want) in [
        ("UNION", Combines::Union),
        ("UNION DISTINCT", Combines::Union),
        ("UNION ALL", Combines::UnionAll),
        ("EXCEPT", Combines::Other),
        ("INTERSECT", Combines::Other),
    ] {
        let shape =
            read(&format!("SELECT a FROM t UNION ALL SELECT b FROM u {between} SELECT c FROM v"));
        assert_eq!(shape.blocks.len(), 3);
        assert!(
            shape.blocks.iter().all(|block| block.arm.as_ref().unwrap().kind == want),
            "{between}"
        );
    }
}

#[test]
fn tables_of_with_are_blocks_of_their_own() {
    let shape = read(
        "WITH b AS (SELECT car_id, COUNT(*) n FROM services GROUP BY car_id) SELECT plate FROM cars JOIN b ON id = car_id",
    );
    assert_eq!(shape.blocks[0].sources[1].of, SourceOf::Common(vec![1]));
    assert_eq!(shape.blocks[1].role, Role::Common { is_recursive: false });
    assert_eq!(conditions(&shape.blocks[0]), "id = car_id@0.1");
    let shape = read(
        "WITH RECURSIVE t AS (SELECT id, up FROM n WHERE up IS NULL UNION ALL SELECT n.id, n.up FROM n JOIN t ON n.up = t.id) SELECT id FROM t",
    );
    let roles: Vec<_> = shape.blocks.iter().map(|block| block.role).collect();
    assert_eq!(
        roles,
        [
            Role::Statement,
            Role::Common { is_recursive: false },
            Role::Common { is_recursive: true }
        ]
    );
    assert_eq!(shape.blocks[2].sources[1].of, SourceOf::Common(vec![1, 2]));
    assert_eq!(conditions(&shape.blocks[2]), "up@2.0 = id@2.1");
}

#[test]
fn views_are_read_as_derived_tables() {
    let shape = known("SELECT number FROM parked WHERE id = 5");
    assert_eq!(shape.blocks[0].sources[0].of, SourceOf::Derived(vec![1]));
    assert_eq!(conditions(&shape.blocks[1]), "state@1.0 = 'parked'");
    assert_eq!(shape.blocks[1].span, 0..0);
    assert_eq!(shape.blocks[1].sources[0].columns, ["id", "plate", "state"]);
    let shape = known("SELECT b FROM g.twice, cars WHERE a = plate");
    assert_eq!(conditions(&shape.blocks[0]), "a = plate@0.1");
    assert_eq!(shape.blocks[0].sources[0].of, SourceOf::Derived(vec![1]));
    assert_eq!(shape.blocks[1].sources[0].of, SourceOf::Derived(vec![2]));
    assert_eq!(conditions(&shape.blocks[1]), "id@1.1 = id@1.0");
    let table = TableName { database: Some(b"g".to_vec()), name: b"fleets".to_vec() };
    assert_eq!(shape.blocks[1].sources[1].of, SourceOf::Table(table));
    assert!(known("SELECT a FROM endless").blocks.len() <= 10);
}

#[test]
fn writes_are_told() {
    let writes = |text: &str| {
        let shape = read(text);
        let each = shape.writes.iter().map(|write| {
            let name = String::from_utf8_lossy(&write.table.name);
            format!(
                "{:?} {name}({}) {:?} {:?}",
                write.kind,
                write.columns.join(","),
                write.rows,
                write.source
            )
        });
        format!("{:?}: {}", shape.verb, each.collect::<Vec<_>>().join("; "))
    };
    for (text, want) in [
        (
            "INSERT INTO g.cars (`Plate`, state) VALUES (1, 2), (3, 4)",
            "Insert: Insert cars(plate,state) Some(2) None",
        ),
        ("INSERT INTO cars VALUES (1), (2), (3)", "Insert: Insert cars() Some(3) None"),
        ("INSERT cars SET a = 1, b = (2 = 3)", "Insert: Insert cars(a,b) Some(1) None"),
        (
            "INSERT INTO cars (a) VALUES (1) ON DUPLICATE KEY UPDATE n = n + VALUES(n), cars.m = 1",
            "Insert: Insert cars(a,m,n) Some(1) None",
        ),
        ("INSERT INTO cars (a) SELECT b FROM old", "Insert: Insert cars(a) None None"),
        ("REPLACE INTO cars VALUES (1)", "Replace: Replace cars() Some(1) None"),
        (
            "UPDATE cars SET A = 1, b = a = 2 WHERE id = 5",
            "Update: Update cars(a,b) None Some((0, 0))",
        ),
        (
            "UPDATE cars c, fleets f SET c.a = 1, f.b = c.d WHERE c.f = f.id",
            "Update: Update cars(a) None Some((0, 0)); Update fleets(b) None Some((0, 1))",
        ),
        (
            "UPDATE fleets f JOIN cars c ON c.f = f.id SET c.a = 1",
            "Update: Update cars(a) None Some((0, 1))",
        ),
        ("DELETE FROM cars WHERE id = 5", "Delete: Delete cars() None Some((0, 0))"),
        (
            "DELETE f, c.* FROM cars c JOIN fleets f ON c.f = f.id",
            "Delete: Delete fleets() None Some((0, 1)); Delete cars() None Some((0, 0))",
        ),
        (
            "DELETE FROM c USING cars c, fleets f WHERE c.f = f.id",
            "Delete: Delete cars() None Some((0, 0))",
        ),
        ("CREATE TABLE copy AS SELECT a FROM cars", "Other: Insert copy() None None"),
        (
            "WITH o AS (SELECT id FROM old) UPDATE cars JOIN o USING (id) SET a = 1",
            "Update: Update cars(a) None Some((0, 0))",
        ),
        ("SELECT a FROM cars", "Select: "),
    ] {
        assert_eq!(writes(text), want, "{text}");
    }
    let shape = read("UPDATE cars SET a = b + 1, c = 5 WHERE d = 2 ORDER BY e LIMIT 3");
    assert_eq!(shape.blocks[0].sources[0].columns, ["b", "d", "e"]);
    assert!(shape.blocks[0].items.is_empty());
    assert_eq!(shape.blocks[0].limit, Some(Limit { offset: Some(0), rows: Some(3) }));
    assert!(read("INSERT INTO t VALUES (1)").blocks.is_empty());
}

#[test]
fn marks_of_a_statement() {
    assert!(read("SELECT a FROM t FOR UPDATE SKIP LOCKED").is_locking);
    assert!(read("SELECT a FROM t LOCK IN SHARE MODE").is_locking);
    assert!(read("SELECT SQL_CALC_FOUND_ROWS a FROM t LIMIT 1").counts_found_rows);
    assert!(read("SELECT a FROM t INTO OUTFILE '/x' LINES TERMINATED BY 'y'").is_into);
    assert!(read("SELECT a INTO @a FROM t").is_into);
    let shape = read(
        "SELECT STRAIGHT_JOIN a FROM t, u FORCE INDEX FOR ORDER BY (`i`, PRIMARY) WHERE t.x = u.x",
    );
    assert_eq!(shape.blocks[0].sources[1].after, [0]);
    let hint = &shape.blocks[0].sources[1].hints[0];
    assert_eq!((hint.kind, hint.indexes.join(",")), (HintKind::Force, "i,PRIMARY".to_owned()));
    let shape = read("SELECT DISTINCT SUM(a) OVER w FROM t WINDOW w AS (ORDER BY b)");
    assert!(shape.blocks[0].is_distinct && shape.blocks[0].has_window);
}

#[test]
fn places_point_into_the_text() {
    let text = "SELECT a, MAX(b) AS m, (SELECT 1) FROM t AS x USE INDEX (i) WHERE NOT a = 1 AND (b IN (2, 3) OR DATE(c) = '4') GROUP BY a ORDER BY MAX(b) DESC";
    let shape = read(text);
    let block = &shape.blocks[0];
    let at = |range: &std::ops::Range<usize>| &text[range.clone()];
    assert_eq!(at(&block.span), text);
    assert_eq!(at(&block.sources[0].span), "t");
    assert_eq!(at(&block.sources[0].hints[0].span), "USE INDEX (i)");
    let spans: Vec<_> = block.items.iter().map(|item| at(&item.span)).collect();
    assert_eq!(spans, ["a", "MAX(b)", "(SELECT 1)"]);
    let spans: Vec<_> = block.conditions.iter().map(|conjunct| at(&conjunct.span)).collect();
    assert_eq!(spans, ["NOT a = 1", "b IN (2, 3) OR DATE(c) = '4'"]);
    assert_eq!(at(&block.order[0].span), "MAX(b)");
    assert_eq!(at(&shape.blocks[1].span), "SELECT 1");
}

#[test]
fn items_are_told_by_kind() {
    let shape = read(
        "SELECT *, t.*, a AS x, COUNT(*), COUNT(DISTINCT a), MIN(b), SUM(a + b), MAX(a) - MIN(a), a + b, (SELECT 1) FROM t",
    );
    let a = || Column { of: Some((0, 0)), name: "a".to_owned() };
    let b = Column { of: Some((0, 0)), name: "b".to_owned() };
    let aggregate = |name: &str, is_distinct, column| ItemKind::Aggregate {
        name: name.to_owned(),
        is_distinct,
        column,
    };
    let kinds: Vec<_> = shape.blocks[0].items.iter().map(|item| item.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            ItemKind::Star(None),
            ItemKind::Star(Some(0)),
            ItemKind::Column(a()),
            aggregate("COUNT", false, None),
            aggregate("COUNT", true, Some(a())),
            aggregate("MIN", false, Some(b)),
            aggregate("SUM", false, None),
            ItemKind::OfAggregates,
            ItemKind::Other,
            ItemKind::Block(1),
        ]
    );
}

#[test]
fn what_was_cut_gives_what_it_can() {
    for (text, want) in [
        ("SELECT a FROM t WHERE b = 1 AND c = 'ab", "b = 1; c = 'ab"),
        ("SELECT a FROM t WHERE b = 1 AND c <", "b = 1"),
        ("SELECT a FROM t WHERE b = 1 AND", "b = 1"),
        ("SELECT a FROM t WHERE b IN (1, 2", "b in (1, 2)"),
        ("SELECT a FROM t WHERE (b = 1 AND c", "b = 1"),
        ("SELECT a FROM t WHERE b = 1 ORDER BY", "b = 1"),
        ("SELECT a FROM t WHERE b = 1 /* end", "b = 1"),
        ("SELECT a FROM t WHERE b = 1 AND CASE WHEN c TH", "b = 1"),
        ("SELECT a FROM t WHERE b = 1 AND c = 2...", "b = 1; c = 2"),
        ("UPDATE t SET a = 1, b = (SELECT", ""),
        ("SELECT a FROM", ""),
    ] {
        let shape = read(text);
        assert!(shape.is_partial, "{text}");
        assert_eq!(conditions(&shape.blocks[0]), want, "{text}");
    }
}

#[test]
fn what_is_not_of_rows_is_refused() {
    for text in [
        "",
        ";",
        "-- only",
        "BEGIN",
        "COMMIT",
        "SET a = 1",
        "SHOW TABLES",
        "CALL p(1)",
        "DO 1",
        "USE g",
        "DESC t",
        "DESCRIBE t c",
        "CREATE TABLE t (id INT)",
        "DROP TABLE t",
        "ALTER TABLE t ENGINE=InnoDB",
        "LOAD DATA INFILE 'x' INTO TABLE t",
        "ANALYZE TABLE t",
        "EXPLAIN FOR CONNECTION 5",
        "EXPLAIN t",
        "administrator command: Ping",
        "PREPARE s FROM 'x'",
        "TRUNCATE t",
        "LOCK TABLES t READ",
        "HANDLER t OPEN",
        "CREATE VIEW v AS SELECT 1",
    ] {
        assert_eq!(analyze(text, &Unknown), Err(Refused::NotOfRows), "{text}");
    }
    let Err(Refused::NotUnderstood(what)) = analyze("SELECT a FROM t WHERE b = = 1", &Unknown)
    else {
        panic!()
    };
    assert_eq!(what, "expected an expression at byte 26, found `= 1`");
}

#[test]
fn long_lists_are_kept_whole() {
    let list: Vec<_> = (0..5_000).map(|number| number.to_string()).collect();
    let count = |text: String| match &read(&text).blocks[0].conditions[0].condition {
        Condition::Test(Test { op: Op::In(values), .. }) => values.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(count(format!("SELECT a FROM t WHERE b IN ({})", list.join(", "))), 5_000);
    let ors: Vec<_> = list.iter().map(|number| format!("t.b = {number}")).collect();
    assert_eq!(count(format!("SELECT a FROM t WHERE {}", ors.join(" OR "))), 5_000);
    assert_eq!(count(format!("SELECT a FROM t WHERE ({}) AND c = 1", ors.join(" OR "))), 5_000);
}
