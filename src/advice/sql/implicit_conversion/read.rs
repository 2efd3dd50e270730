//! The same of a statement, where the schema tells the type of the column.

use std::ops::Range;

use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::sql::shape::{Clause, Column, Condition, Op, Operand, Test, Value, ValueKind};
use crate::sql::token::Kind;

use super::super::statement::{At, Known, Statement, in_title, recommend};
use super::super::words::{Edits, Words};
use super::{RULE, is_text};

/// A column of texts whose index is lost.
struct Lost<'a> {
    at: At,
    column: &'a Column,
    span: &'a Range<usize>,
    with: With<'a>,
}

/// What it is compared with.
enum With<'a> {
    /// Numbers that it equals.
    Numbers(Vec<&'a Value>),
    /// A bound, or what is no literal.
    Bound,
    /// A column of numbers.
    Column(&'a Column),
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let met = statement.conditions();
    let lost: Vec<Lost<'_>> = met
        .iter()
        .filter(|met| met.conjunct.clause != Clause::Having)
        .filter_map(|met| match &met.conjunct.condition {
            Condition::Test(test) => {
                of_values(statement, test).or_else(|| of_join(statement, test))
            }
            _ => None,
        })
        .take(MOST)
        .collect();
    finding(statement, &lost).into_iter().collect()
}

/// Comparisons of one finding.
const MOST: usize = 32;

fn text_column<'a>(statement: &Statement<'a>, column: &Column) -> Option<Known<'a>> {
    let known = statement.column(column)?;
    known.data_type().is_some_and(is_text).then_some(known)
}

fn of_values<'a>(statement: &Statement<'_>, test: &'a Test) -> Option<Lost<'a>> {
    let at = test.column.of?;
    text_column(statement, &test.column)?;
    let is_number = |value: &&Value| matches!(value.kind, ValueKind::Number | ValueKind::Truth);
    let with = match &test.op {
        Op::Equal(Operand::Value(value)) | Op::NullSafe(Operand::Value(value))
            if is_number(&value) =>
        {
            With::Numbers(vec![value])
        }
        Op::In(values) | Op::InRows(values) => {
            let numbers: Vec<&Value> = values.iter().filter(is_number).collect();
            if numbers.is_empty() {
                return None;
            }
            With::Numbers(numbers)
        }
        Op::Range { low, high } => {
            let mut bounds = low.iter().chain(high);
            bounds.any(|bound| is_number(&&bound.value)).then_some(With::Bound)?
        }
        _ => return None,
    };
    Some(Lost { at, column: &test.column, span: &test.span, with })
}

/// A join in which the texts are searched for a number.
fn of_join<'a>(statement: &Statement<'_>, test: &'a Test) -> Option<Lost<'a>> {
    let Op::Equal(Operand::Column(other)) = &test.op else { return None };
    let is_number = |column: &Column| {
        let known = statement.column(column);
        known.and_then(|it| it.data_type()).is_some_and(|it| it.is_numeric())
    };
    let pairs = [(&test.column, other), (other, &test.column)];
    pairs.into_iter().find_map(|(own, number)| {
        text_column(statement, own).filter(|_| is_number(number))?;
        let (at, other) = (own.of?, number.of?);
        // The other way round an index on numbers serves.
        let is_wanted = statement.index_for(at, &own.name).is_some()
            && (statement.index_for(other, &number.name).is_none()
                || is_after(statement, at, other));
        is_wanted.then_some(Lost { at, column: own, span: &test.span, with: With::Column(number) })
    })
}

/// Whether a source can only be read behind another one.
fn is_after(statement: &Statement<'_>, at: At, other: At) -> bool {
    let source = statement.block(at.0).and_then(|block| block.sources.get(at.1));
    at.0 != other.0 || source.is_some_and(|source| source.after.contains(&other.1))
}

fn finding(statement: &Statement<'_>, lost: &[Lost<'_>]) -> Option<Finding> {
    let index_of = |lost: &Lost<'_>| statement.index_for(lost.at, &lost.column.name);
    let first = lost.iter().find(|it| index_of(it).is_some()).or(lost.first())?;
    let index = index_of(first);
    if statement.fixes_row_besides(first.at, first.column) {
        return None;
    }
    let with = match &first.with {
        With::Column(other) => format!("`{}`, which is a number", statement.column_name(other)),
        _ => "a number".to_owned(),
    };
    let title = format!(
        "`{}` is a text and is compared with {with}, so each value is converted: {}",
        statement.column_name(first.column),
        in_title(statement.quote(first.span))
    );
    let severity = if index.is_some() { Severity::High } else { Severity::Medium };
    let confidence = if index.is_some() { Confidence::High } else { Confidence::Medium };
    let spans: Vec<&Range<usize>> = lost.iter().map(|it| it.span).collect();
    let mut finding = statement.of_source(&RULE, first.at, severity, confidence, &title, &spans);
    finding.subject.columns = lost.iter().map(|it| statement.column_name(it.column)).collect();
    finding.subject.columns.dedup();
    finding.evidence.extend(index.map(|index| Fact::text("index", &index.name)));
    let data_type = statement.column(first.column).and_then(|it| it.data_type());
    finding
        .evidence
        .extend(data_type.map(|it| Fact::text("type", format!("{:?}", it.name).to_lowercase())));
    let mut edits = Edits::default();
    for it in lost {
        let _ = rewrite(statement, it, &mut edits);
    }
    let sql = statement.rewritten(&edits);
    let advice = match (&first.with, sql.is_some()) {
        (With::Column(_), true) => {
            "Compare texts with texts: CAST the number to CHAR, so that the index on the texts is searched for it. Equal as \
             long as each number is stored in one spelling ('5', not '05', and no other text for 0); better still, make both columns one type."
        }
        (With::Column(_), false) => {
            "Make both columns the same type, or CAST the number to CHAR in the comparison."
        }
        (With::Bound, _) => {
            "Change the column to a number type. Quotes around the constant would change the result: texts have another \
             order, '10' stands before '9'."
        }
        (With::Numbers(_), true) => {
            "Quote the constant, or bind it as a string. Equal as long as each number is stored in one spelling: '5' is, '05' \
             and '5.0' equal the number 5 and not the text."
        }
        (With::Numbers(_), false) => {
            "Quote the constant, or bind it as a string; where a number is stored in several spellings ('5', '05'), change \
             the column to a number type."
        }
    };
    let then = match index {
        Some(index) => format!("Index `{}` is there; a new one would not help.", index.name),
        None => "An index on the column could not be searched before that.".to_owned(),
    };
    recommend(&mut finding, format!("{advice} {then}"), sql);
    finding.verify =
        "EXPLAIN again with values of one type: the table is read by ref or range.".to_owned();
    Some(finding)
}

/// The comparison with values of one type; none where that may be another one.
fn rewrite(statement: &Statement<'_>, lost: &Lost<'_>, edits: &mut Edits) -> Option<()> {
    let words = Words::of(statement.text, lost.span)?;
    match &lost.with {
        With::Bound => None,
        With::Numbers(numbers) => {
            // What is written in another way than it is stored would no longer be found.
            let is_canonical = |value: &&&Value| {
                value.kind == ValueKind::Number
                    && value.text.bytes().all(|b| b.is_ascii_digit())
                    && !value.text.starts_with('0')
            };
            if !numbers.iter().all(|value| is_canonical(&value)) {
                return None;
            }
            let is_it = |at: &usize| {
                words.kind(*at) == Some(Kind::Literal)
                    && numbers.iter().any(|value| value.text == words.at(*at))
            };
            for at in (0..words.len()).filter(is_it) {
                edits.replace(words.range(at)?, format!("'{}'", words.at(at)));
            }
            Some(())
        }
        With::Column(number) => {
            let own = words.column(&lost.column.name)?;
            // Of two columns of one name the second one may be meant.
            let mut places = words.columns(&number.name).into_iter();
            let range = match number.name.eq_ignore_ascii_case(&lost.column.name) {
                true => {
                    let called = statement.called(number.of?)?;
                    let names = words.columns(&number.name);
                    names.into_iter().find(|it| {
                        words
                            .text(it)
                            .to_ascii_lowercase()
                            .trim_start_matches('`')
                            .starts_with(&called.to_ascii_lowercase())
                    })?
                }
                false => places.find(|it| *it != own)?,
            };
            let span = words.span(range)?;
            let text = statement.quote(&span).to_owned();
            edits.replace(span, format!("CAST({text} AS CHAR)"));
            Some(())
        }
    }
}
