//! The same of a statement: what is done with columns, and the statement with bare ones.

use std::ops::Range;

use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::schema::{Index, PartOf, TypeName};
use crate::sql::shape::{Clause, Column, Condition, Expression, Op, Test, Why, Wrapped};

use super::super::bare::{Bare, Period, bare, bounds, dates_like};
use super::super::statement::{At, Met, Statement, in_title, recommend};
use super::super::words::{self, Clauses, Constant, Edits, Words};
use super::RULE;

/// What is done with a column.
struct Hit<'a> {
    at: Option<At>,
    block: usize,
    column: &'a Column,
    columns: usize,
    span: &'a Range<usize>,
    /// In words of a title.
    what: String,
    wrapped: Option<&'a Wrapped>,
    bare: Option<Bare>,
    index: Option<&'a Index>,
    is_in_or: bool,
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    if statement.is_narrow(10) {
        return Vec::new();
    }
    let met = statement.conditions();
    let mut hits: Vec<Hit<'_>> = met.iter().filter_map(|met| hit(statement, met)).collect();
    hits.truncate(MOST);
    finding(statement, &hits).into_iter().collect()
}

/// Conditions of one finding.
const MOST: usize = 32;

fn hit<'a>(statement: &Statement<'a>, met: &Met<'a>) -> Option<Hit<'a>> {
    if met.conjunct.clause == Clause::Having {
        return None;
    }
    match &met.conjunct.condition {
        Condition::Wrapped(wrapped) => of_wrapped(statement, met, wrapped),
        Condition::Test(test) => of_pattern(statement, met, test),
        _ => None,
    }
}

fn of_wrapped<'a>(
    statement: &Statement<'a>,
    met: &Met<'a>,
    wrapped: &'a Wrapped,
) -> Option<Hit<'a>> {
    let column = wrapped.columns.first()?;
    let what = match &wrapped.why {
        Why::Function(name) if name == "CASE" => "stands in a CASE".to_owned(),
        Why::Function(name) => format!("stands in {name}()"),
        Why::Arithmetic => "is computed with".to_owned(),
        Why::Collation => "is compared in another collation".to_owned(),
        Why::Pattern => "is compared with a regular expression".to_owned(),
        Why::Truth => "is tested for being true or false".to_owned(),
        Why::NotConstant => "is compared with what changes from row to row".to_owned(),
        Why::Wildcard | Why::Rows | Why::Json | Why::FullText => return None,
    };
    // No index is searched for what is not equal, whatever stands around the column.
    let is_search = match wrapped.why {
        Why::Truth => true,
        _ => !wrapped.is_negated && SEARCHED.contains(&wrapped.op.as_str()),
    };
    // Of a sum of two columns nothing can be moved to the other side.
    let is_one = wrapped.columns.len() == 1 || matches!(wrapped.why, Why::Function(_));
    if !is_search || !is_one || is_never_searched(wrapped) {
        return None;
    }
    let at = column.of;
    if at.is_some_and(|at| !statement.is_table(at) || statement.fixes_row(at)) {
        return None;
    }
    if is_done_by_server(statement, wrapped)
        || is_indexed(statement, at, wrapped)
        || is_joined_from_here(statement, wrapped)
    {
        return None;
    }
    Some(Hit {
        at,
        block: met.block,
        column,
        columns: wrapped.columns.len(),
        span: &wrapped.span,
        what,
        wrapped: Some(wrapped),
        bare: by_generated_column(statement, at, wrapped).or_else(|| bare(statement, wrapped)),
        index: at.and_then(|at| statement.index_for(at, &column.name)),
        is_in_or: met.is_in_or,
    })
}

const SEARCHED: &[&str] =
    &["=", "<=>", "<", "<=", ">", ">=", "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE", "IS TRUE"];

/// Whether a bare column of another table stands on the other side and has an index: then that
/// table is searched for what the function gives, and the function does no harm.
fn is_joined_from_here(statement: &Statement<'_>, wrapped: &Wrapped) -> bool {
    let [Expression::Column(other)] = wrapped.right.as_slice() else { return false };
    let (Some(own), Some(at)) = (wrapped.columns.first().and_then(|it| it.of), other.of) else {
        return false;
    };
    let source = statement.block(own.0).and_then(|block| block.sources.get(own.1));
    let is_behind = source.is_some_and(|source| source.after.contains(&at.1));
    at != own && !is_behind && statement.index_for(at, &other.name).is_some()
}

/// A pattern with a wildcard in front is not searched for without the function either.
fn is_never_searched(wrapped: &Wrapped) -> bool {
    let starts_wild = |it: &Expression| match it {
        Expression::Value(value) => {
            let inside = value.text.trim_start_matches(['\'', '"']);
            inside.starts_with(['%', '_'])
        }
        _ => false,
    };
    wrapped.op == "LIKE" && wrapped.right.iter().any(starts_wild)
}

/// LIKE on a column of numbers or dates: each of them is written as a text first.
fn of_pattern<'a>(statement: &Statement<'a>, met: &Met<'a>, test: &'a Test) -> Option<Hit<'a>> {
    if !matches!(test.op, Op::Prefix(_)) {
        return None;
    }
    let at = test.column.of?;
    let data_type = statement.column(&test.column)?.data_type()?;
    let is_day = matches!(
        data_type.name,
        TypeName::Date | TypeName::DateTime | TypeName::Timestamp | TypeName::Time
    );
    if !is_day && !data_type.is_numeric() || statement.fixes_row(at) {
        return None;
    }
    let kind = if is_day { "a date" } else { "a number" };
    Some(Hit {
        at: Some(at),
        block: met.block,
        column: &test.column,
        columns: 1,
        span: &test.span,
        what: format!("is {kind} and is compared with a pattern of texts"),
        wrapped: None,
        bare: dates_like(statement, test, data_type.name),
        index: statement.index_for(at, &test.column.name),
        is_in_or: met.is_in_or,
    })
}

/// Comparisons that the server is known to make searchable itself. Measured on MariaDB 11.8.
fn is_done_by_server(statement: &Statement<'_>, wrapped: &Wrapped) -> bool {
    let Why::Function(name) = &wrapped.why else { return false };
    let since = |version| statement.is_since(Family::MariaDb, version);
    let is_range = matches!(wrapped.op.as_str(), "=" | "<" | "<=" | ">" | ">=" | "BETWEEN");
    match name.as_str() {
        "DATE" | "YEAR" => is_range && since((11, 1, 0)),
        "UPPER" | "UCASE" => {
            let known = wrapped.columns.first().and_then(|column| statement.column(column));
            let collation = known.and_then(|it| it.table.collation_of(it.column));
            let is_general =
                collation.is_some_and(|it| it.starts_with("utf8mb") && it.ends_with("_general_ci"));
            wrapped.op == "=" && is_general && since((11, 3, 0))
        }
        "LEFT" | "SUBSTR" | "SUBSTRING" => wrapped.op == "=" && since((11, 8, 0)),
        _ => false,
    }
}

/// The side of the column, as it is compared with expressions of the schema.
fn own_text(statement: &Statement<'_>, wrapped: &Wrapped) -> Option<String> {
    let column = wrapped.columns.first()?;
    let words = Words::of(statement.text, &wrapped.span)?;
    let sides = words.sides(&column.name)?;
    canonical(words.text(&sides.own))
}

/// An expression without blanks, quotes of names, names of tables and outer parentheses.
fn canonical(text: &str) -> Option<String> {
    let words = Words::of(text, &(0..text.len()))?;
    let mut made = String::new();
    for at in words.inner() {
        // `t.` before a column, and the character set before a string.
        let is_table = words.at(at + 1) == "." || words.at(at) == ".";
        let is_charset = words.at(at).starts_with('_') && words.at(at + 1).starts_with('\'');
        if !is_table && !is_charset {
            made.push_str(&words.at(at).replace('`', "").to_ascii_lowercase());
            made.push(' ');
        }
    }
    // MySQL prints DATE(c) of an index as a cast.
    let cast = made.strip_prefix("cast ( ").and_then(|it| it.strip_suffix("as date ) "));
    Some(match cast {
        Some(column) => format!("date ( {column}) "),
        None => made,
    })
}

/// Whether an index on the expression itself serves, or on a column that is computed by it.
fn is_indexed(statement: &Statement<'_>, at: Option<At>, wrapped: &Wrapped) -> bool {
    let Some(table) = at.and_then(|at| statement.table(at)) else { return false };
    let own = own_text(statement, wrapped);
    let leads = table.indexes.iter().filter(|it| it.is_visible).filter_map(|it| it.parts.first());
    let is_functional = leads.clone().any(|part| match &part.on {
        PartOf::Expression(expression) => canonical(expression) == own,
        PartOf::Column(_) => false,
    });
    let must_name = statement.is_before(Family::MariaDb, (11, 8, 0));
    own.is_some()
        && (is_functional || !must_name && generated_column(statement, at, wrapped).is_some())
}

/// The column that is computed by the very expression and leads an index.
fn generated_column<'a>(
    statement: &Statement<'a>,
    at: Option<At>,
    wrapped: &Wrapped,
) -> Option<&'a str> {
    let table = statement.table(at?)?;
    let own = own_text(statement, wrapped)?;
    let is_it = |name: &str| {
        let generated = table.column(name).and_then(|it| it.generated.as_ref());
        generated.is_some_and(|it| canonical(&it.expression).as_ref() == Some(&own))
    };
    let leads = table.indexes.iter().filter(|it| it.is_visible).filter_map(|it| it.parts.first());
    leads.filter_map(|part| part.column_name()).find(|name| is_it(name))
}

/// Before 11.8 MariaDB searches an index on a computed column only where the statement names it.
fn by_generated_column(
    statement: &Statement<'_>,
    at: Option<At>,
    wrapped: &Wrapped,
) -> Option<Bare> {
    let name = generated_column(statement, at, wrapped)?;
    let words = Words::of(statement.text, &wrapped.span)?;
    let column = wrapped.columns.first()?;
    let own = words.span(words.sides(&column.name)?.own)?;
    let written = words.text(&words.column(&column.name)?);
    let table = written.rfind('.').and_then(|dot| written.get(..=dot)).unwrap_or_default();
    let text = statement.text;
    let (head, tail) =
        (text.get(wrapped.span.start..own.start)?, text.get(own.end..wrapped.span.end)?);
    Some(Bare {
        condition: format!("{head}{table}{}{tail}", words::quoted(name)),
        reason: format!("Column `{name}` is computed by this very expression and is indexed."),
    })
}

/// YEAR(), MONTH() and DAY() of one column that all rows must match: the stretch of time, the
/// condition that tells the year, and those that tell the rest.
fn one_stretch<'h>(
    statement: &Statement<'_>,
    hits: &'h [Hit<'_>],
    year: &Hit<'_>,
) -> Option<(String, Vec<&'h Hit<'h>>)> {
    let part = |hit: &Hit<'_>, name: &str| {
        let wrapped = hit.wrapped?;
        let is_it = wrapped.why == Why::Function(name.to_owned()) && wrapped.op == "=";
        let words = Words::of(statement.text, &wrapped.span).filter(|_| is_it)?;
        let sides = words.sides(&hit.column.name)?;
        let (_, arguments) = words.call(&sides.own)?;
        let [argument] = arguments.as_slice() else { return None };
        let [other] = sides.others.as_slice() else { return None };
        let part = match (words.constant(other), words.call(other)) {
            (Constant::Whole(number), _) => Part::Number(number),
            // The same part of another moment.
            (_, Some((own, of))) if own == name => Part::Of(words.text(of.first()?).to_owned()),
            _ => return None,
        };
        words.is_column(argument).then(|| (part, words.text(argument).to_owned()))
    };
    let type_name = statement.column(year.column).and_then(|it| Some(it.data_type()?.name));
    if type_name
        .is_some_and(|it| !matches!(it, TypeName::Date | TypeName::DateTime | TypeName::Timestamp))
    {
        return None;
    }
    let same = |hit: &&Hit<'_>| {
        hit.column == year.column && hit.block == year.block && !hit.is_in_or && !year.is_in_or
    };
    let find = |names: &[&str]| {
        hits.iter()
            .filter(same)
            .find_map(|hit| names.iter().find_map(|name| Some((part(hit, name)?.0, hit))))
    };
    let (of_year, column) = part(year, "YEAR")?;
    let (month, of_month) = find(&["MONTH"])?;
    let day = find(&["DAY", "DAYOFMONTH"]);
    match (of_year, month, day) {
        (Part::Number(of_year), Part::Number(month), Some((Part::Number(day), of_day))) => {
            let period = Period::year(of_year)?.month(month)?.day(day)?;
            let range = bounds(&column, "=", &[(period.first(), period.next())])?;
            Some((range, vec![of_month, of_day]))
        }
        (Part::Number(of_year), Part::Number(month), _) => {
            let period = Period::year(of_year)?.month(month)?;
            let range = bounds(&column, "=", &[(period.first(), period.next())])?;
            Some((range, vec![of_month]))
        }
        (Part::Of(moment), Part::Of(same), _) if moment == same => {
            let first = format!("DATE_FORMAT({moment}, '%Y-%m-01')");
            let next = format!("{first} + INTERVAL 1 MONTH");
            Some((bounds(&column, "=", &[(first, next)])?, vec![of_month]))
        }
        _ => None,
    }
}

/// What YEAR() or MONTH() equals.
enum Part {
    Number(i128),
    /// The same part of this moment.
    Of(String),
}

fn finding(statement: &Statement<'_>, hits: &[Hit<'_>]) -> Option<Finding> {
    // The one with an index is the one to tell of.
    let first = hits.iter().find(|hit| hit.index.is_some()).or(hits.first())?;
    let mut edits = Edits::default();
    let mut reasons: Vec<String> = Vec::new();
    let mut done: Vec<&Range<usize>> = Vec::new();
    for hit in hits {
        let Some((range, others)) = one_stretch(statement, hits, hit) else { continue };
        let spans: Vec<Range<usize>> = others.iter().map(|it| it.span.clone()).collect();
        let mut trial = edits.clone();
        let clauses =
            statement.block(hit.block).and_then(|block| Clauses::of(statement.text, &block.span));
        let dropped =
            clauses.and_then(|it| it.drop_conditions(words::Clause::Where, &spans, &mut trial));
        if dropped.is_some() {
            trial.replace(hit.span.clone(), range);
            edits = trial;
            done.push(hit.span);
            done.extend(others.iter().map(|it| it.span));
            reasons.push(
                "YEAR() and MONTH() of one moment tell the same as one range from its first day to the first day behind it."
                    .to_owned(),
            );
        }
    }
    for hit in hits.iter().filter(|hit| !done.contains(&hit.span)) {
        if let Some(bare) = hit.bare.as_ref().filter(|_| !edits.touches(hit.span)) {
            edits.replace(hit.span.clone(), bare.condition.clone());
            if !reasons.contains(&bare.reason) {
                reasons.push(bare.reason.clone());
            }
        }
    }
    let sql = statement.rewritten(&edits);
    Some(told(statement, hits, first, sql, &reasons))
}

fn told(
    statement: &Statement<'_>,
    hits: &[Hit<'_>],
    first: &Hit<'_>,
    sql: Option<String>,
    reasons: &[String],
) -> Finding {
    let name = first.at.and_then(|at| statement.called(at));
    let column = &first.column.name;
    let column = match name {
        Some(name) => format!("`{name}`.`{column}`"),
        None => format!("`{column}`"),
    };
    let title = format!(
        "{column} {}, so no index on it can be searched: {}",
        first.what,
        in_title(statement.quote(first.span))
    );
    let table = first.at.and_then(|at| statement.table(at));
    let is_scanned = first.at.and_then(|at| statement.is_scanned(at));
    let severity = match (first.index, is_scanned) {
        (Some(_), Some(true)) => Severity::High,
        (Some(_), _) => Severity::Medium,
        (None, Some(true)) => Severity::Medium,
        (None, _) if table.is_some() => Severity::Low,
        (None, _) => Severity::Medium,
    };
    let is_narrowed = first.at.is_some_and(|at| statement.is_narrowed(at)) && first.index.is_none();
    let severity = if is_narrowed { severity.min(Severity::Low) } else { severity };
    let confidence = match (first.index, table) {
        (Some(_), _) => Confidence::High,
        (None, Some(_)) => Confidence::Medium,
        (None, None) => Confidence::Low,
    };
    let spans: Vec<&Range<usize>> = hits.iter().map(|hit| hit.span).collect();
    let mut finding = match first.at {
        Some(at) => statement.of_source(&RULE, at, severity, confidence, &title, &spans),
        None => statement.finding(&RULE, severity, confidence, &title, &spans),
    };
    let mut columns: Vec<String> =
        hits.iter().map(|hit| statement.column_name(hit.column)).collect();
    columns.dedup();
    finding.subject.columns = columns;
    finding.evidence.extend(first.index.map(|index| Fact::text("index", &index.name)));
    let then = match (first.index, table) {
        (Some(index), _) => format!("Index `{}` is there and can then be searched.", index.name),
        (None, Some(_)) => format!(
            "No index serves `{}` yet: the bare column opens the way to one.",
            first.column.name
        ),
        (None, None) => format!(
            "An index that begins with `{}` can then be searched; SHOW CREATE TABLE tells whether there is one.",
            first.column.name
        ),
    };
    let head = match &sql {
        Some(_) => format!("Compare the column itself. {}", reasons.join(" ")),
        None => in_words(first),
    };
    recommend(&mut finding, format!("{head} {then}{}", exceptions(statement, hits)), sql);
    finding.verify =
        "EXPLAIN the rewritten statement: the table is read by range or ref, with far fewer rows."
            .to_owned();
    finding
}

/// What to do where the statement cannot be written anew by rules alone.
fn in_words(hit: &Hit<'_>) -> String {
    let column = &hit.column.name;
    let why = hit.wrapped.map(|it| &it.why);
    match why {
        Some(Why::Function(name)) if CASES.contains(&name.as_str()) => format!(
            "With a collation that ignores case (_ci) {name}() changes nothing: compare `{column}` itself. Else an index on \
             the expression (MySQL 8.0.13) or on a column computed from it."
        ),
        Some(Why::Function(_)) if hit.columns > 1 => {
            "Compare each column by itself, or keep the whole text in a column of its own.".to_owned()
        }
        Some(Why::Function(_)) => {
            "Compare the column itself and compute on the side of the constant; where that cannot be, an index on the \
             expression (MySQL 8.0.13) or on a column computed from it."
                .to_owned()
        }
        Some(Why::Collation) => format!(
            "Give `{column}` the collation that is wanted, or put COLLATE on the side of the constant."
        ),
        Some(Why::Pattern) => {
            "Where the beginning of the text is known, LIKE 'abc%' can be searched for; no index serves a regular expression."
                .to_owned()
        }
        Some(Why::NotConstant) => {
            "Compute the value once, before the statement or in a subquery, and compare with that.".to_owned()
        }
        Some(_) => format!("Leave `{column}` alone on its side, and compute on the side of the constant."),
        None => format!("Compare `{column}` with values of its own type."),
    }
}

const CASES: &[&str] = &["LOWER", "UPPER", "LCASE", "UCASE"];

/// Servers that do it themselves, where it is not known which one it is.
fn exceptions(statement: &Statement<'_>, hits: &[Hit<'_>]) -> &'static str {
    let is_of = |names: &[&str]| {
        hits.iter().filter_map(|hit| hit.wrapped).any(|it| match &it.why {
            Why::Function(name) => names.contains(&name.as_str()),
            _ => false,
        })
    };
    if statement.server().is_some() {
        ""
    } else if is_of(&["DATE", "YEAR"]) {
        " MariaDB 11.1 and later make ranges of DATE() and YEAR() themselves."
    } else if is_of(&["LEFT", "SUBSTR", "SUBSTRING"]) {
        " MariaDB 11.8 makes a range of it itself."
    } else if is_of(&["UPPER", "UCASE"]) {
        " MariaDB 11.3 and later do so themselves for utf8mb3_general_ci and utf8mb4_general_ci."
    } else {
        ""
    }
}
