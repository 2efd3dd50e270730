//! Functions around a column, and intervals beside it.

use std::ops::Range;

use crate::schema::TypeName;
use crate::sql::shape::Wrapped;

use super::super::statement::{Known, Statement};
use super::super::words::{Constant, Words};
use super::{Bare, Cut, DAYS, Period, TEXTS, bounds};

/// A comparison of a function of the column, without the function.
pub fn without(cut: &Cut<'_, '_>, known: Option<Known<'_>>) -> Option<Bare> {
    let words = &cut.words;
    let (name, arguments) = words.call(cut.own())?;
    if matches!(name.as_str(), "DATEDIFF") {
        return days_between(cut, &arguments);
    }
    if name == "TIMESTAMPDIFF" {
        return units_between(cut, &arguments);
    }
    let first = arguments.first()?;
    if name == "CAST" {
        let is_as = |word: &str| {
            first.len() > 2
                && words.is_word(first.end - 1, word)
                && words.is_word(first.end - 2, "AS")
                && words.is_column(&(first.start..first.end - 2))
        };
        return match (is_as("DATE"), is_as("CHAR")) {
            (true, _) => day(cut),
            (_, true) => whole_number(cut),
            _ => None,
        };
    }
    // `EXTRACT(YEAR FROM c)`, `SUBSTRING(c FROM 1 FOR 3)`.
    if name == "EXTRACT" && words.is_word(first.start + 1, "FROM") {
        let is_column = words.is_column(&(first.start + 2..first.end));
        let unit = words.at(first.start).to_ascii_uppercase();
        return match unit.as_str() {
            "YEAR" if is_column => year(cut),
            "YEAR_MONTH" if is_column => stretches(cut, "%Y%m"),
            _ => None,
        };
    }
    if matches!(name.as_str(), "SUBSTR" | "SUBSTRING" | "MID") && arguments.len() == 1 {
        let from = first.clone().find(|at| words.is_word(*at, "FROM"))?;
        let is_whole = words.is_column(&(first.start..from))
            && words.constant(&(from + 1..from + 2)) == Constant::Whole(1)
            && words.is_word(from + 2, "FOR");
        return is_whole.then(|| beginning(cut, &(from + 3..first.end)))?;
    }
    if !words.is_column(first) {
        return None;
    }
    match (name.as_str(), arguments.len()) {
        ("DATE", 1) => day(cut),
        ("CONVERT", 2) if words.text(arguments.get(1)?).eq_ignore_ascii_case("DATE") => day(cut),
        ("YEAR", 1) => year(cut),
        ("TO_DAYS", 1) => number_of_day(cut),
        ("UNIX_TIMESTAMP", 1) => seconds(cut),
        ("FROM_UNIXTIME", 1) => moment_of_seconds(cut),
        ("DATE_FORMAT", 2) => formatted(cut, arguments.get(1)?),
        ("LEFT", 2) => beginning(cut, arguments.get(1)?),
        ("SUBSTR" | "SUBSTRING" | "MID", 3)
            if words.constant(arguments.get(1)?) == Constant::Whole(1) =>
        {
            beginning(cut, arguments.get(2)?)
        }
        ("LOWER" | "UPPER" | "LCASE" | "UCASE", 1) => any_case(cut, known?),
        ("IFNULL" | "COALESCE", 2) => or_else(cut, known, arguments.get(1)?),
        ("DATE_ADD" | "ADDDATE", 2) => shifted(cut, arguments.get(1)?, "-"),
        ("DATE_SUB" | "SUBDATE", 2) => shifted(cut, arguments.get(1)?, "+"),
        _ => None,
    }
}

const OF_DAYS: &str = "A day is all moments from its midnight on, up to and without the next one";

/// `DATE(c) = '2026-02-01'`.
fn day(cut: &Cut<'_, '_>) -> Option<Bare> {
    if cut.type_name == Some(TypeName::Date) {
        let condition = cut.with_own(cut.column)?;
        return Bare::new(condition, "The column is a DATE already: the function changes nothing.");
    }
    if !cut.is_type(DAYS) {
        return None;
    }
    let mut is_bound = false;
    let mut days = Vec::new();
    for other in &cut.sides.others {
        days.push(day_of(&cut.words, other)?);
        is_bound |= cut.words.constant(other) == Constant::Unknown;
    }
    let condition = bounds(cut.column, cut.op(), &days)?;
    let bound = if is_bound { ", where what is bound is a day without a time" } else { "" };
    Bare::new(condition, format!("{OF_DAYS}{bound}."))
}

/// The first moment of a day and that of the next one, of what is known to be a day.
fn day_of(words: &Words<'_>, places: &Range<usize>) -> Option<(String, String)> {
    let period = match words.constant(places) {
        Constant::Text(text) => Period::of_day(&text)?,
        Constant::Whole(number) => Period::of_day(&number.to_string())?,
        Constant::Unknown | Constant::Day => {
            let text = words.text(places);
            return Some((text.to_owned(), format!("{text} + INTERVAL 1 DAY")));
        }
        Constant::Other => return None,
    };
    Some((period.first(), period.next()))
}

/// `YEAR(c) = 2012`.
fn year(cut: &Cut<'_, '_>) -> Option<Bare> {
    if !cut.is_type(DAYS) {
        return None;
    }
    let words = &cut.words;
    let mut years = Vec::new();
    for other in &cut.sides.others {
        let first = |text: &str| (format!("MAKEDATE({text}, 1)"), text.to_owned());
        let year = match words.constant(other) {
            Constant::Whole(year) => Period::year(year),
            Constant::Text(year) => Period::by_format("%Y", &year),
            _ => None,
        };
        let is_year = || words.call(other).is_some_and(|it| it.0 == "YEAR");
        years.push(match year {
            Some(year) => (year.first(), year.next()),
            None if is_year() || words.constant(other) == Constant::Unknown => {
                let (start, _) = first(words.text(other));
                (start.clone(), format!("{start} + INTERVAL 1 YEAR"))
            }
            None => return None,
        });
    }
    let condition = bounds(cut.column, cut.op(), &years)?;
    Bare::new(
        condition,
        "A year is all moments from its first of January on, up to and without the next one.",
    )
}

/// `TO_DAYS(c) = TO_DAYS('2026-02-01 10:00:00')`.
fn number_of_day(cut: &Cut<'_, '_>) -> Option<Bare> {
    if !cut.is_type(DAYS) {
        return None;
    }
    let words = &cut.words;
    let mut days = Vec::new();
    for other in &cut.sides.others {
        if let Constant::Whole(number) = words.constant(other) {
            days.push((format!("FROM_DAYS({number})"), format!("FROM_DAYS({})", number + 1)));
            continue;
        }
        let (name, arguments) = words.call(other)?;
        let [argument] = arguments.as_slice() else { return None };
        if name != "TO_DAYS" {
            return None;
        }
        days.push(day_of(words, argument).unwrap_or_else(|| {
            let day = format!("DATE({})", words.text(argument));
            (day.clone(), format!("{day} + INTERVAL 1 DAY"))
        }));
    }
    let condition = bounds(cut.column, cut.op(), &days)?;
    Bare::new(condition, format!("{OF_DAYS}."))
}

/// `DATEDIFF(CURDATE(), c) <= 7`.
fn days_between(cut: &Cut<'_, '_>, arguments: &[Range<usize>]) -> Option<Bare> {
    let [first, second] = arguments else { return None };
    if !cut.is_type(DAYS) {
        return None;
    }
    let words = &cut.words;
    let (other, is_first) = match (words.is_column(first), words.is_column(second)) {
        (true, false) => (second, true),
        (false, true) => (first, false),
        _ => return None,
    };
    let base = match words.constant(other) {
        Constant::Text(text) => Period::of_day(&text)?.first(),
        Constant::Day => words.text(other).to_owned(),
        _ => format!("DATE({})", words.text(other)),
    };
    let shifted = |by: i128| match by {
        0 => base.clone(),
        1.. => format!("{base} + INTERVAL {by} DAY"),
        _ => format!("{base} - INTERVAL {} DAY", -by),
    };
    let mut days = Vec::new();
    for number in &cut.sides.others {
        let Constant::Whole(number) = words.constant(number) else { return None };
        let number = Some(number).filter(|it| it.abs() < 1_000_000)?;
        let by = if is_first { number } else { -number };
        days.push((shifted(by), shifted(by + 1)));
    }
    let op = match (is_first, cut.op()) {
        (true, op) => op,
        (false, "<") => ">",
        (false, "<=") => ">=",
        (false, ">") => "<",
        (false, ">=") => "<=",
        (false, "BETWEEN") => {
            days.reverse();
            "BETWEEN"
        }
        (false, op) => op,
    };
    let condition = bounds(cut.column, op, &days)?;
    Bare::new(
        condition,
        "DATEDIFF() counts days without their times, so the days that pass are those from one midnight to another.",
    )
}

/// `UNIX_TIMESTAMP(c) > 1767225600`.
fn seconds(cut: &Cut<'_, '_>) -> Option<Bare> {
    if !cut.is_type(DAYS) {
        return None;
    }
    let words = &cut.words;
    let mut moments = Vec::new();
    for other in &cut.sides.others {
        let own = words.call(other).filter(|it| it.0 == "UNIX_TIMESTAMP");
        let own = own.and_then(|it| it.1.first().cloned());
        moments.push(match (words.constant(other), own) {
            (_, Some(moment)) => words.text(&moment).to_owned(),
            (Constant::Whole(1..=2_147_483_647) | Constant::Unknown | Constant::Other, None) => {
                format!("FROM_UNIXTIME({})", words.text(other))
            }
            _ => return None,
        });
    }
    let condition = compared(cut.column, cut.op(), &moments)?;
    Bare::new(
        condition,
        "FROM_UNIXTIME() is the inverse for the moments that UNIX_TIMESTAMP() knows, those from 1970 on, but for the hour \
         by which clocks are set back.",
    )
}

/// `FROM_UNIXTIME(c) >= '2026-01-01'`.
fn moment_of_seconds(cut: &Cut<'_, '_>) -> Option<Bare> {
    use TypeName::{BigInt, Int};
    if !cut.is_type(&[Int, BigInt]) || !matches!(cut.op(), "<" | "<=" | ">" | ">=") {
        return None;
    }
    let other = cut.other()?;
    let text = cut.words.text(other);
    let condition = format!("{} {} UNIX_TIMESTAMP({text})", cut.column, cut.op());
    Bare::new(
        condition,
        "UNIX_TIMESTAMP() is the inverse, but for the hour by which clocks are set back.",
    )
}

/// `TIMESTAMPDIFF(HOUR, c, NOW()) < 24`: whole units between, what is left of one is dropped.
fn units_between(cut: &Cut<'_, '_>, arguments: &[Range<usize>]) -> Option<Bare> {
    let [unit, first, second] = arguments else { return None };
    let words = &cut.words;
    let fixed = ["MINUTE", "HOUR", "DAY", "WEEK"];
    let is_fixed = unit.len() == 1 && fixed.iter().any(|it| words.is_word(unit.start, it));
    if !is_fixed || !words.is_column(first) || !cut.is_type(DAYS) {
        return None;
    }
    let Constant::Whole(number @ 0..=1_000_000) = words.constant(cut.other()?) else { return None };
    // Below one unit all differences to both sides of 0 count as 0.
    let (sign, number) = match (cut.op(), number) {
        ("<", 1..) => (">", number),
        ("<=", 0..) => (">", number + 1),
        (">", 0..) => ("<=", number + 1),
        (">=", 1..) => ("<=", number),
        _ => return None,
    };
    let (unit, until) = (words.text(unit), words.text(second));
    Bare::new(
        format!("{} {sign} {until} - INTERVAL {number} {unit}", cut.column),
        "TIMESTAMPDIFF() counts whole units, so it stays below a number until so many of them are full.",
    )
}

/// `CAST(c AS CHAR) = '5'` of whole numbers, each of which has one spelling.
fn whole_number(cut: &Cut<'_, '_>) -> Option<Bare> {
    use TypeName::{BigInt, Int, MediumInt, SmallInt, TinyInt};
    if ![TinyInt, SmallInt, MediumInt, Int, BigInt].contains(&cut.type_name?) {
        return None;
    }
    let texts = cut.sides.others.iter().map(|other| match cut.words.constant(other) {
        Constant::Text(text) => Some(text),
        _ => None,
    });
    let texts = texts.collect::<Option<Vec<String>>>()?;
    let is_spelt = |text: &String| {
        let is_digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        is_digits && text.len() < 18 && (!text.starts_with('0') || text == "0")
    };
    if !matches!(cut.op(), "=" | "IN") || !texts.iter().all(is_spelt) {
        return None;
    }
    Bare::new(
        compared(cut.column, cut.op(), &texts)?,
        "A whole number is written in one way, so the texts are equal where the numbers are.",
    )
}

/// Comparisons of what a format writes of a moment.
fn stretches(cut: &Cut<'_, '_>, format: &str) -> Option<Bare> {
    if !cut.is_type(DAYS) {
        return None;
    }
    let mut periods = Vec::new();
    for other in &cut.sides.others {
        let text = match cut.words.constant(other) {
            Constant::Text(text) => text,
            Constant::Whole(number) => number.to_string(),
            _ => return None,
        };
        let period = Period::by_format(format, &text)?;
        let is_in_hours = period.unit() > super::period::Unit::Day;
        if is_in_hours && cut.type_name == Some(TypeName::Date) {
            return None;
        }
        periods.push((period.first(), period.next()));
    }
    Bare::new(bounds(cut.column, cut.op(), &periods)?, OF_FORMAT)
}

const OF_FORMAT: &str =
    "The same is written of all moments of that stretch of time, and of no others.";

/// A comparison of the column with values that need no more than to be put there.
fn compared(column: &str, op: &str, values: &[String]) -> Option<String> {
    match (op, values) {
        ("=" | "<" | "<=" | ">" | ">=", [value]) => Some(format!("{column} {op} {value}")),
        ("BETWEEN", [low, high]) => Some(format!("{column} BETWEEN {low} AND {high}")),
        ("IN", [_, ..]) => Some(format!("{column} IN ({})", values.join(", "))),
        _ => None,
    }
}

/// `DATE_FORMAT(c, '%Y-%m') = '2026-02'`.
fn formatted(cut: &Cut<'_, '_>, format: &Range<usize>) -> Option<Bare> {
    let words = &cut.words;
    let Constant::Text(format) = words.constant(format) else { return None };
    if !cut.is_type(DAYS) {
        return None;
    }
    if let Some((start, unit)) = cut.other().and_then(|it| same_format(words, it, &format)) {
        let days = vec![(start.clone(), format!("{start} + INTERVAL 1 {unit}"))];
        let condition = bounds(cut.column, cut.op(), &days)?;
        return Bare::new(condition, OF_FORMAT);
    }
    // Texts have the order of time only where the year is written first, then the month.
    let is_ordered = || {
        let places = "YmdHis".chars().filter_map(|sign| format.find(&format!("%{sign}")));
        format.starts_with("%Y") && places.is_sorted()
    };
    if !matches!(cut.op(), "=" | "IN") && !is_ordered() {
        return None;
    }
    stretches(cut, &format)
}

/// The first day of the month that `DATE_FORMAT(NOW(), '%Y-%m')` writes, or the day.
fn same_format(
    words: &Words<'_>,
    other: &Range<usize>,
    format: &str,
) -> Option<(String, &'static str)> {
    let (name, arguments) = words.call(other)?;
    let [moment, own] = arguments.as_slice() else { return None };
    if name != "DATE_FORMAT" || words.constant(own) != Constant::Text(format.to_owned()) {
        return None;
    }
    let moment = words.text(moment);
    match format {
        "%Y" => Some((format!("DATE_FORMAT({moment}, '%Y-01-01')"), "YEAR")),
        "%Y-%m" | "%Y%m" => Some((format!("DATE_FORMAT({moment}, '%Y-%m-01')"), "MONTH")),
        "%Y-%m-%d" | "%Y%m%d" => Some((format!("DATE({moment})"), "DAY")),
        _ => None,
    }
}

/// `LEFT(c, 3) = 'abc'`.
fn beginning(cut: &Cut<'_, '_>, length: &Range<usize>) -> Option<Bare> {
    let words = &cut.words;
    let Constant::Whole(length) = words.constant(length) else { return None };
    // A moment as a text: `LEFT(c, 10)` is its day.
    if cut.type_name.is_some_and(|own| DAYS.contains(&own)) {
        let format = match length {
            4 => "%Y",
            7 => "%Y-%m",
            10 => "%Y-%m-%d",
            13 => "%Y-%m-%d %H",
            16 => "%Y-%m-%d %H:%i",
            _ => return None,
        };
        return stretches(cut, format);
    }
    let Constant::Text(text) = words.constant(cut.other()?) else { return None };
    let count = i128::try_from(text.chars().count()).ok()?;
    // A blank at the end may be one that is not compared.
    if cut.op() != "=" || count != length || text.is_empty() || text.ends_with(' ') {
        return None;
    }
    if !cut.is_type(TEXTS) {
        return None;
    }
    Bare::new(
        format!("{} LIKE '{}%'", cut.column, escaped(&text)),
        format!("Texts whose first {length} characters are these are those that begin so."),
    )
}

/// A text as the beginning of a pattern of LIKE.
pub fn escaped(text: &str) -> String {
    text.replace('\'', "''").replace('%', "\\%").replace('_', "\\_")
}

/// `LOWER(c) = 'x'`, of a collation that ignores case.
fn any_case(cut: &Cut<'_, '_>, known: Known<'_>) -> Option<Bare> {
    let collation = known.table.collation_of(known.column)?;
    let is_text = known.data_type().is_some_and(|it| TEXTS.contains(&it.name));
    let is_own = !(0..cut.words.len())
        .any(|at| cut.words.is_word(at, "COLLATE") || cut.words.is_word(at, "BINARY"));
    if !is_text || !collation.ends_with("_ci") || !is_own {
        return None;
    }
    Bare::new(
        cut.with_own(cut.column)?,
        format!("The column has collation {collation}, which ignores case as it is."),
    )
}

/// `IFNULL(c, 0) = 0`.
fn or_else(cut: &Cut<'_, '_>, known: Option<Known<'_>>, default: &Range<usize>) -> Option<Bare> {
    let words = &cut.words;
    let plain = cut.with_own(cut.column)?;
    let column = cut.wrapped.columns.first()?;
    let is_optional = column
        .of
        .and_then(|at| cut.statement.block(at.0)?.sources.get(at.1))
        .is_none_or(|source| source.is_optional);
    if known.is_some_and(|it| !it.column.is_nullable) && !is_optional {
        return Bare::new(plain, "The column is never NULL: the function changes nothing.");
    }
    let others: Vec<Constant> = cut.sides.others.iter().map(|it| words.constant(it)).collect();
    let is_number = known.and_then(|it| it.data_type()).map(|it| it.is_numeric());
    let holds = match words.constant(default) {
        Constant::Whole(default) if is_number != Some(false) => {
            let wholes = others.iter().map(|it| match it {
                Constant::Whole(number) => Some(*number),
                _ => None,
            });
            holds(default, cut.op(), &wholes.collect::<Option<Vec<i128>>>()?)?
        }
        Constant::Text(default) if is_number != Some(true) => {
            let texts = others.iter().map(|it| match it {
                Constant::Text(text) => Some(text.clone()),
                _ => None,
            });
            let texts = texts.collect::<Option<Vec<String>>>()?;
            let is_day = cut.type_name.is_some_and(|own| DAYS.contains(&own))
                && std::iter::once(&default).chain(&texts).all(|it| Period::of_day(it).is_some());
            match is_day {
                true => holds(default, cut.op(), &texts)?,
                false => equals_text(&default, cut.op(), &texts)?,
            }
        }
        _ => return None,
    };
    match holds {
        true => Bare::new(
            format!("({plain} OR {} IS NULL)", cut.column),
            "A row without a value counts as one that passes, which IS NULL says.",
        ),
        false => Bare::new(
            plain,
            "The value that stands for NULL does not pass, and neither does NULL itself.",
        ),
    }
}

/// Whether a comparison of constants holds; none of operators that are not known.
fn holds<T: PartialOrd>(own: T, op: &str, others: &[T]) -> Option<bool> {
    match (op, others) {
        ("=" | "IN", [_, ..]) => Some(others.contains(&own)),
        ("<", [other]) => Some(own < *other),
        ("<=", [other]) => Some(own <= *other),
        (">", [other]) => Some(own > *other),
        (">=", [other]) => Some(own >= *other),
        ("BETWEEN", [low, high]) => Some(*low <= own && own <= *high),
        _ => None,
    }
}

/// Whether a text equals another, where that does not depend on the collation.
fn equals_text(own: &str, op: &str, others: &[String]) -> Option<bool> {
    if !matches!(op, "=" | "IN") || others.is_empty() {
        return None;
    }
    if others.iter().any(|it| it == own) {
        return Some(true);
    }
    let is_ascii = own.is_ascii() && others.iter().all(|it| it.is_ascii());
    let folded = |text: &str| text.trim_end().to_ascii_lowercase();
    let differs = others.iter().all(|it| folded(it) != folded(own));
    (is_ascii && differs).then_some(false)
}

/// `c - INTERVAL 1 DAY > x`.
pub fn interval(cut: &Cut<'_, '_>) -> Option<Bare> {
    let words = &cut.words;
    let own = cut.own();
    let sign = (own.start..own.end).find(|at| {
        matches!(words.at(*at), "+" | "-") && words.depth(*at) == words.depth(own.start)
    })?;
    if !words.is_column(&(own.start..sign)) {
        return None;
    }
    let back = if words.at(sign) == "+" { "-" } else { "+" };
    shifted(cut, &(sign + 1..own.end), back)
}

/// A column that is shifted by an interval of a fixed length: the other side is shifted back.
fn shifted(cut: &Cut<'_, '_>, interval: &Range<usize>, back: &str) -> Option<Bare> {
    let words = &cut.words;
    let fixed = ["SECOND", "MINUTE", "HOUR", "DAY", "WEEK"];
    let is_fixed = interval.len() >= 3
        && words.is_word(interval.start, "INTERVAL")
        && fixed.iter().any(|unit| words.is_word(interval.end - 1, unit))
        && matches!(
            words.constant(&(interval.start + 1..interval.end - 1)),
            Constant::Whole(_) | Constant::Unknown
        );
    if !is_fixed || !cut.is_type(DAYS) {
        return None;
    }
    let interval = words.text(interval);
    let values: Vec<String> = cut
        .sides
        .others
        .iter()
        .map(|other| format!("{} {back} {interval}", words.text(other)))
        .collect();
    Bare::new(
        compared(cut.column, cut.op(), &values)?,
        "An interval of a fixed length is taken from one side as well as added to the other.",
    )
}

/// `DATE(a.c) = b.day`: a day of one table, the moments of another one.
pub fn of_two_tables(statement: &Statement<'_>, wrapped: &Wrapped) -> Option<Bare> {
    let [_, _] = wrapped.columns.as_slice() else { return None };
    if wrapped.op != "=" {
        return None;
    }
    let words = Words::of(statement.text, &wrapped.span)?;
    wrapped.columns.iter().find_map(|column| {
        let type_of = |column| Some(statement.column(column)?.data_type()?.name);
        let sides = words.sides(&column.name)?;
        let [other] = sides.others.as_slice() else { return None };
        let pairs = [(sides.own.clone(), other.clone()), (other.clone(), sides.own.clone())];
        pairs.into_iter().find_map(|(own, other)| {
            let (name, arguments) = words.call(&own)?;
            let [argument] = arguments.as_slice() else { return None };
            let of_other = wrapped.columns.iter().find(|it| it.of != column.of)?;
            let is_day = words.constant(&other) == Constant::Day
                || words.is_column(&other) && type_of(of_other) == Some(TypeName::Date);
            let is_own = type_of(column).is_none_or(|own| DAYS.contains(&own));
            // Of two columns of one name the table before it tells which one it is.
            let written = words.text(argument).replace('`', "").to_ascii_lowercase();
            let called = statement.called(column.of?)?.to_ascii_lowercase();
            let name_of_it = column.name.to_ascii_lowercase();
            let is_it = name == "DATE"
                && words.is_column(argument)
                && (written == format!("{called}.{name_of_it}")
                    || written == name_of_it && of_other.name != column.name);
            if !is_it || !is_day || !is_own {
                return None;
            }
            let (column, day) = (words.text(argument), words.text(&other));
            Bare::new(
                format!("{column} >= {day} AND {column} < {day} + INTERVAL 1 DAY"),
                format!("{OF_DAYS}."),
            )
        })
    })
}
