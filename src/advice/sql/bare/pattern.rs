//! Patterns, collations, truth values, rows and functions that change from row to row.

use crate::schema::TypeName;
use crate::sql::shape::{Column, Op, Test, ValueKind, Wrapped};

use super::super::statement::{Known, Statement};
use super::super::words::{Constant, Words};
use super::call::escaped;
use super::{Bare, Cut, Period, TEXTS, bounds};

/// `c IS FALSE` as `c = 0`.
pub fn truth(statement: &Statement<'_>, wrapped: &Wrapped, column: &Column) -> Option<Bare> {
    let words = Words::of(statement.text, &wrapped.span)?;
    let places = words.inner();
    let own = words.column(&column.name)?;
    let rest = own.end..places.end;
    if own.start != places.start {
        return None;
    }
    let name = words.text(&own);
    let said: Vec<String> = rest.map(|at| words.at(at).to_ascii_uppercase()).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    // Under a NOT the rows without a value would change sides.
    if said.contains(&"NOT") != wrapped.is_negated {
        return None;
    }
    let condition = match said.as_slice() {
        ["IS", "TRUE"] => format!("{name} <> 0"),
        ["IS", "FALSE"] => format!("{name} = 0"),
        ["IS", "NOT", "TRUE"] => format!("({name} = 0 OR {name} IS NULL)"),
        ["IS", "NOT", "FALSE"] => format!("({name} <> 0 OR {name} IS NULL)"),
        _ => return None,
    };
    Bare::new(condition, "What is not 0 is true, what is 0 is false, and NULL is neither.")
}

/// `BINARY c = 'x'` with `c = 'x'` before it, which an index is searched for.
pub fn collated(cut: &Cut<'_, '_>, known: Option<Known<'_>>) -> Option<Bare> {
    let known = known?;
    let words = &cut.words;
    let charset = known.table.charset_of(known.column)?;
    let collation = known.table.collation_of(known.column)?;
    let own = cut.own();
    let Constant::Text(text) = words.constant(cut.other()?) else { return None };
    let is_wide = ["ucs2", "utf16", "utf16le", "utf32"].contains(&charset);
    if cut.op() != "=" || cut.sides.is_turned || !text.is_ascii() || is_wide {
        return None;
    }
    let span = cut.statement.quote(&cut.wrapped.span);
    let plain = format!("{} = {}", cut.column, words.text(cut.other()?));
    let is_binary =
        words.is_word(own.start, "BINARY") && words.is_column(&(own.start + 1..own.end));
    let collate = (own.start..own.end).find(|at| words.is_word(*at, "COLLATE"));
    let named = collate.filter(|at| at + 2 == own.end).map(|at| words.at(at + 1));
    if named.is_some_and(|name| name.eq_ignore_ascii_case(collation)) {
        return Bare::new(plain, format!("The column has collation {collation} as it is."));
    }
    // Blanks at the end count in some collations and not in others.
    let is_padded = !collation.contains("0900") && !collation.contains("nopad");
    let is_exact = named.is_some_and(|name| name.to_ascii_lowercase().ends_with("_bin"));
    let is_finer = is_binary || is_exact && is_padded;
    if !is_finer {
        return None;
    }
    Bare::new(
        format!("{plain} AND {span}"),
        "What is the same byte by byte is equal in the collation of the column too, so the first comparison loses no row, \
         and the second one is still made.",
    )
}

/// `c REGEXP '^abc'` as `c LIKE 'abc%'`.
pub fn anchored(cut: &Cut<'_, '_>) -> Option<Bare> {
    let Constant::Text(text) = cut.words.constant(cut.other()?) else { return None };
    let text = text.strip_prefix('^')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | ':');
    if text.is_empty() || !text.chars().all(is_plain) || !cut.is_type(TEXTS) {
        return None;
    }
    Bare::new(
        format!("{} LIKE '{}%'", cut.column, escaped(text)),
        "The expression only says how the text begins.",
    )
}

/// `c > SYSDATE()` as `c > NOW()`.
pub fn of_one_moment(cut: &Cut<'_, '_>) -> Option<Bare> {
    let words = &cut.words;
    let mut edits = super::super::words::Edits::default();
    let start = cut.wrapped.span.start;
    for at in (0..words.len()).filter(|at| words.is_word(*at, "SYSDATE") && words.at(at + 1) == "(")
    {
        let range = words.range(at)?;
        edits.replace(range.start.checked_sub(start)?..range.end.checked_sub(start)?, "NOW");
    }
    let others = ["RAND", "UUID", "UUID_SHORT"];
    if (0..words.len()).any(|at| others.iter().any(|name| words.is_word(at, name))) {
        return None;
    }
    let condition = edits.apply(cut.statement.quote(&cut.wrapped.span))?;
    Bare::new(
        condition,
        "NOW() is the time at which the statement began, one constant for all rows; SYSDATE() is read anew for each row and \
         differs from it only by how long the statement has run.",
    )
}

/// `c LIKE '2026-02%'` of a date: the month.
pub fn dates_like(statement: &Statement<'_>, test: &Test, type_name: TypeName) -> Option<Bare> {
    let Op::Prefix(value) = &test.op else { return None };
    if value.kind != ValueKind::Text {
        return None;
    }
    let words = Words::of(statement.text, &test.span)?;
    let sides = words.sides(&test.column.name)?;
    let column = words.is_column(&sides.own).then(|| words.text(&sides.own))?;
    if sides.op != "LIKE" {
        return None;
    }
    let [other] = sides.others.as_slice() else { return None };
    let Constant::Text(pattern) = words.constant(other) else { return None };
    let start = pattern.strip_suffix('%')?;
    let formats: &[&str] = match type_name {
        TypeName::Date => &["%Y", "%Y-", "%Y-%m", "%Y-%m-", "%Y-%m-%d"],
        TypeName::DateTime | TypeName::Timestamp => &[
            "%Y",
            "%Y-",
            "%Y-%m",
            "%Y-%m-",
            "%Y-%m-%d",
            "%Y-%m-%d ",
            "%Y-%m-%d %H",
            "%Y-%m-%d %H:",
            "%Y-%m-%d %H:%i",
            "%Y-%m-%d %H:%i:",
        ],
        _ => return None,
    };
    let period = formats.iter().find_map(|format| Period::by_format(format, start))?;
    Bare::new(
        bounds(column, "=", &[(period.first(), period.next())])?,
        "A date is written with its year first: the texts that begin so are the moments of that stretch.",
    )
}

/// `(a, b) > (1, 2)` as `(a > 1 OR (a = 1 AND b > 2))`.
pub fn row_by_row(statement: &Statement<'_>, wrapped: &Wrapped) -> Option<Bare> {
    let words = Words::of(statement.text, &wrapped.span)?;
    let places = words.inner();
    let depth = words.depth(places.start)?;
    let is_op = |at: &usize| {
        words.depth(*at) == Some(depth) && matches!(words.at(*at), "<" | "<=" | ">" | ">=")
    };
    let op = places.clone().find(is_op)?;
    let list = |places: std::ops::Range<usize>| {
        let places =
            if words.is_word(places.start, "ROW") { places.start + 1..places.end } else { places };
        let is_list = words.at(places.start) == "("
            && words.closing(places.start) == places.end.checked_sub(1);
        is_list.then(|| words.parts(places.start + 1..places.end - 1))
    };
    let (left, right) = (list(places.start..op)?, list(op + 1..places.end)?);
    if left.len() != right.len() || !(2..=4).contains(&left.len()) || wrapped.is_negated {
        return None;
    }
    let is_turned = !left.iter().all(|it| words.is_column(it));
    let (columns, values) = if is_turned { (right, left) } else { (left, right) };
    if !columns.iter().all(|it| words.is_column(it)) {
        return None;
    }
    let sign = match (words.at(op), is_turned) {
        ("<", true) => ">",
        ("<=", true) => ">=",
        (">", true) => "<",
        (">=", true) => "<=",
        (sign, _) => sign,
    };
    let pairs: Vec<(&str, &str, &str)> = columns
        .iter()
        .zip(&values)
        .map(|(column, value)| (words.text(column), sign, words.text(value)))
        .collect();
    Bare::new(
        keyset(&pairs)?,
        "A row is greater where its first column is, or where that is equal and the next one is greater.",
    )
}

/// Rows behind one in an order: of each column its name, how the next ones compare, and its value
/// in that row. Only the last comparison may hold for equal values.
pub fn keyset(columns: &[(&str, &str, &str)]) -> Option<String> {
    let mut made: Option<String> = None;
    for (column, sign, value) in columns.iter().rev() {
        made = Some(match made {
            None => format!("{column} {sign} {value}"),
            Some(rest) => {
                let strict = sign.trim_end_matches('=');
                format!("({column} {strict} {value} OR ({column} = {value} AND {rest}))")
            }
        });
    }
    made
}
