//! A function or arithmetic stands around a column that is compared.

use crate::advice::plan::look::{Look, OF_TITLE, Seen, shortened};
use crate::advice::rule::rule;
use crate::advice::{Action, Confidence, Fact, Finding, Severity};
use crate::sql::glance::{Hidden, Hides, Op};

use super::hidden;
use super::join::led_by;

mod read;

pub use self::read::read;

rule! {
    /// A function or arithmetic around a column keeps it from its index.
    ///
    /// **Costs.** An index is ordered by the column, not by DATE(column): every entry is read and
    /// computed with. The same holds for a COLLATE beside the column, a regular expression, LIKE on
    /// a number or a date, and for SYSDATE() or RAND() on the other side.
    /// **Wrong when.** An index on that very expression, or on a column computed from it, is there;
    /// MariaDB 11.1 and later rewrite DATE() and YEAR() themselves, 11.3 UPPER(), 11.8 LEFT(). A
    /// function on the side of the constant is harmless. Of a plan it speaks only of steps that
    /// read everything, or much for little; without a schema the confidence is low.
    /// **Verify.** EXPLAIN the rewritten statement: access type range or ref, far fewer rows.
    /// Dates with a month or a day of 00 are of no range.
    /// **Source.** MySQL manual, range optimization and functional key parts.
    ///
    /// ```sql schema
    /// CREATE TABLE trips (id int PRIMARY KEY, began datetime NOT NULL, zone int, rider varchar(40),
    ///   fare int, KEY ix_began (began), KEY ix_zone (zone), KEY ix_rider (rider), KEY ix_fare (fare))
    ///   DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE DATE(began) = '2026-02-28';
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE YEAR(began) = 2026 AND MONTH(began) = 7;
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE fare * 2 > 90;
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE LOWER(rider) = 'ann';
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE began LIKE '2026-02%';
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE rider REGEXP '^an';
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE began > SYSDATE();
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE rider COLLATE utf8mb4_bin = 'Ann';
    /// ```
    /// ```sql finding
    /// SELECT id FROM trips WHERE zone IS TRUE;
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE began >= '2026-02-28' AND began < '2026-03-01';
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE began > CURDATE() - INTERVAL 7 DAY;
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE fare > ABS(-5) AND zone = CAST('5' AS SIGNED);
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE rider = 'Ann' COLLATE utf8mb4_bin;
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE zone;
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE NOT zone;
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE began > NOW() AND (zone, fare) = (1, 2);
    /// ```
    /// ```sql clean
    /// SELECT id FROM trips WHERE id = 5 AND DATE(began) = '2026-02-28';
    /// ```
    ///
    /// An index on the expression, or on a column that is computed by it, serves:
    ///
    /// ```sql schema
    /// CREATE TABLE calls (id int PRIMARY KEY, rung datetime, day date GENERATED ALWAYS AS (cast(rung as date)) STORED,
    ///   name varchar(20), KEY ix_low ((lower(`name`))), KEY ix_day (day));
    /// ```
    /// ```sql clean
    /// SELECT id FROM calls WHERE LOWER(name) = 'ann';
    /// ```
    /// ```sql clean
    /// SELECT c.id FROM calls c WHERE DATE(c.rung) = '2026-02-28';
    /// ```
    /// ```sql finding
    /// SELECT id FROM calls WHERE UPPER(name) = 'ANN';
    /// ```
    Sql "SQL001" "function-on-column"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    hidden::each(look, finding)
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let all = hidden::of(look, seen);
    let hidden = all.iter().find(|it| it.hides != Hides::Wildcard)?;
    let severity = look.severity(seen.read?, Severity::High)?;
    let column = &hidden.column.name;
    let what = match &hidden.hides {
        Hides::Function(name) => format!("stands in {name}()"),
        _ => "is computed with".to_owned(),
    };
    let title = format!(
        "`{}`.`{column}` {what}, so no index on it can be searched: {}",
        seen.name,
        shortened(&hidden.text, OF_TITLE)
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    let index = look.table(seen).and_then(|table| led_by(table, column));
    finding.confidence = if index.is_some() { Confidence::High } else { Confidence::Medium };
    finding.subject.columns = vec![format!("{}.{column}", look.names.full_name(seen.name))];
    finding.evidence.push(Fact::text("comparison", &hidden.text));
    finding.evidence.extend(index.map(|index| Fact::text("index", &index.name)));
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.action = Action::Rewrite;
    let then = match (index, look.table(seen)) {
        (Some(index), _) => format!("Index `{}` is there and can then be searched.", index.name),
        (None, Some(_)) => {
            format!("No index begins with `{column}` yet: the rewritten condition needs one.")
        }
        (None, None) => format!(
            "An index that begins with `{column}` can then be searched; SHOW CREATE TABLE tells whether there is one."
        ),
    };
    // In words: it takes the place of one condition, and is no statement.
    let range = range(hidden).map(|range| format!(" Here: {range}.")).unwrap_or_default();
    finding.recommendation.text =
        format!("{}{range} {then}{}", rewrite(hidden), others(look, seen, column));
    finding.verify = format!(
        "EXPLAIN the rewritten statement: `{}` is read by range or ref, with far fewer rows.",
        seen.name
    );
    Some(finding)
}

/// Columns of the same step that an index can be searched by as they are.
fn others(look: &Look<'_>, seen: &Seen<'_>, hidden: &str) -> String {
    let all = hidden::searchable(look, seen).into_iter().map(|it| it.column.name);
    let mut names: Vec<String> =
        all.filter(|name| !name.eq_ignore_ascii_case(hidden)).map(|it| format!("`{it}`")).collect();
    names.sort();
    names.dedup();
    match names.is_empty() {
        true => String::new(),
        false => {
            format!(" What it compares besides can be searched as it is: {}.", names.join(", "))
        }
    }
}

fn rewrite(hidden: &Hidden) -> String {
    let column = &hidden.column.name;
    match &hidden.hides {
        Hides::Function(name) if PERIODS.contains(&name.as_str()) => format!(
            "Compare the column itself, with a half-open range: `{column}` >= the first moment that is wanted AND \
             `{column}` < the first one that is not."
        ),
        Hides::Function(name) if CASES.contains(&name.as_str()) => format!(
            "With a collation that ignores case (_ci) {name}() changes nothing: compare `{column}` itself. Else an \
             index on the expression (MySQL 8.0.13) or on a column computed from it."
        ),
        Hides::Function(_) => "Compare the column itself and compute on the side of the constant; where that cannot be, \
            an index on the expression (MySQL 8.0.13) or on a column computed from it."
            .to_owned(),
        _ => format!("Leave `{column}` alone on its side, and compute on the side of the constant."),
    }
}

/// Functions that cut a moment down to a period.
const PERIODS: &[&str] = &["DATE", "YEAR", "DATE_FORMAT", "TO_DAYS", "UNIX_TIMESTAMP", "LAST_DAY"];
const CASES: &[&str] = &["LOWER", "UPPER", "LCASE", "UCASE"];

/// The condition as a range, where one day or one year is wanted.
fn range(hidden: &Hidden) -> Option<String> {
    let Hides::Function(name) = &hidden.hides else { return None };
    let value = hidden.value.as_deref().filter(|_| hidden.op == Op::Equal)?;
    let column = match &hidden.column.table {
        Some(table) => format!("{table}.{}", hidden.column.name),
        None => hidden.column.name.clone(),
    };
    let digits =
        |text: &str, most: usize| text.len() == most && text.bytes().all(|b| b.is_ascii_digit());
    match name.as_str() {
        "DATE" => {
            let day = value.trim_matches(['\'', '"']);
            let parts: Vec<&str> = day.split('-').collect();
            let [year, month, of_month] = parts.as_slice() else { return None };
            let is_day = digits(year, 4) && digits(month, 2) && digits(of_month, 2);
            is_day.then(|| format!("{column} >= '{day}' AND {column} < '{day}' + INTERVAL 1 DAY"))
        }
        "YEAR" => {
            let year: u16 = value.parse().ok().filter(|_| digits(value, 4))?;
            let next = year.checked_add(1).filter(|next| *next <= 9_999)?;
            Some(format!("{column} >= '{year:04}-01-01' AND {column} < '{next:04}-01-01'"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::advice::plan::fixture::{Given, check, line, review, tsv};
    use crate::advice::{Confidence, Severity};

    const SCHEMA: &str = "CREATE TABLE trips (id int PRIMARY KEY, began timestamp NOT NULL, zone int, KEY ix_began (began));";

    #[test]
    fn a_function_is_the_cause_of_the_scan() {
        let plan = tsv(&[&line(
            "trips",
            "index",
            "ix_began",
            "42000",
            "100.00",
            "Using where; Using index",
        )]);
        let query = "SELECT COUNT(*) FROM trips WHERE DATE(began) = '2026-02-28'";
        let given = Given::plan(&plan).query(query);
        let finding = check(&given, "SQL001", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.confidence, Confidence::Medium);
        assert!(
            finding
                .recommendation
                .text
                .contains("began >= '2026-02-28' AND began < '2026-02-28' + INTERVAL 1 DAY")
        );
        check(&given, "PLAN002", None);
        let finding = check(&given.schema(SCHEMA), "SQL001", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.confidence, Confidence::High);
        assert!(finding.recommendation.text.contains("Index `ix_began` is there"));
        let scan = tsv(&[&line("trips", "ALL", "-", "42000", "100.00", "Using where")]);
        let year =
            Given::plan(&scan).query("SELECT id FROM trips WHERE 2 > 1 AND YEAR(began) = 2025");
        let finding = check(&year, "SQL001", Some(Severity::Medium)).unwrap();
        assert!(
            finding.recommendation.text.contains("began >= '2025-01-01' AND began < '2026-01-01'")
        );
        check(&year, "PLAN001", None);
        let sum = Given::plan(&scan).query("SELECT id FROM trips WHERE id + 0 = 5");
        let finding = check(&sum, "SQL001", Some(Severity::Medium)).unwrap();
        assert!(!finding.recommendation.text.contains("Here:"));
    }

    #[test]
    fn in_tree_the_filter_and_its_estimate_go_under_the_cause() {
        let plan = "-> Filter: (cast(trips.began as date) = '2026-02-28')  (cost=90 rows=42000) (actual time=0.1..18 rows=96 loops=1)\n    \
            -> Covering index scan on trips using ix_began  (cost=90 rows=42000) (actual time=0.1..15 rows=42000 loops=1)\n";
        let rules: Vec<&str> =
            review(&Given::plan(plan).schema(SCHEMA)).iter().map(|it| it.rule).collect();
        assert_eq!(rules, ["SQL001"]);
    }

    #[test]
    fn what_can_be_searched_is_none() {
        let plan = tsv(&[&line("trips", "ALL", "-", "42000", "100.00", "Using where")]);
        for query in [
            "SELECT id FROM trips WHERE began >= DATE('2026-02-28')",
            "SELECT id FROM trips WHERE began > NOW() - INTERVAL 1 DAY",
            "SELECT id FROM trips WHERE ABS(zone) > id",
            "SELECT DATE(began) FROM trips WHERE zone = 4",
            "SELECT zone FROM trips GROUP BY zone HAVING MAX(began) > '2026-01-01'",
        ] {
            check(&Given::plan(&plan).query(query), "SQL001", None);
        }
        // An index on the expression itself.
        let schema =
            "CREATE TABLE trips (id int PRIMARY KEY, began datetime, KEY k ((DATE(began))));";
        let query = "SELECT id FROM trips WHERE DATE(began) = '2026-02-28'";
        check(&Given::plan(&plan).query(query).schema(schema), "SQL001", None);
        let few = tsv(&[&line("trips", "ALL", "-", "420", "100.00", "Using where")]);
        check(&Given::plan(&few).query(query), "SQL001", None);
    }
}
