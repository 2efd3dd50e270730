//! Comparisons for which the server converts a column, so that its index cannot be searched.

use crate::schema::DataType;
use crate::schema::TypeName;
use crate::sql::shape::{Op, Operand, Value, ValueKind};

use super::estimate;
use super::tables::{ColumnAt, Known};

/// What a test keeps whose literal is a number, but whose column is text: one number is enough.
pub(super) fn of_literals(known: &Known<'_>, column: ColumnAt, op: &Op) -> Option<f64> {
    let data_type = known.data_type(column)?;
    let is_number = |value: &Value| value.kind == ValueKind::Number;
    let is_text =
        data_type.has_charset() && !matches!(data_type.name, TypeName::Enum | TypeName::Set);
    if !is_text {
        // A pattern over numbers or times compares them as text.
        let is_number_or_time = data_type.is_numeric() || is_time(data_type);
        return match op {
            Op::Prefix(_) if is_number_or_time => Some(1.0 / 3.0),
            _ => None,
        };
    }
    let bounds = |op: &Op| match op {
        Op::Range { low, high } => {
            [low, high].into_iter().flatten().any(|bound| is_number(&bound.value))
        }
        _ => false,
    };
    match op {
        Op::Equal(Operand::Value(value)) | Op::NullSafe(Operand::Value(value))
            if is_number(value) =>
        {
            Some(estimate::equal(known, column, Some(value)).part)
        }
        Op::In(values) | Op::InRows(values) if values.iter().any(is_number) => {
            Some(estimate::list(known, column, values).part)
        }
        _ if bounds(op) => Some(1.0 / 3.0),
        _ => None,
    }
}

fn is_time(data_type: &DataType) -> bool {
    matches!(
        data_type.name,
        TypeName::Date | TypeName::DateTime | TypeName::Timestamp | TypeName::Time
    )
}

/// Whether a column is converted where it is compared with another one.
///
/// Text against numbers: the text. Two character sets: the narrower one. One character set, `_bin`
/// against another collation: the other one; MariaDB 11 searches it all the same, others do not.
pub(super) fn hides(
    known: &Known<'_>,
    column: ColumnAt,
    other: &Known<'_>,
    other_column: ColumnAt,
) -> bool {
    let (Some(own), Some(their)) = (known.data_type(column), other.data_type(other_column)) else {
        return false;
    };
    if own.has_charset() && (their.is_numeric() || is_time(their)) {
        return !matches!(own.name, TypeName::Enum | TypeName::Set);
    }
    if !own.has_charset() || !their.has_charset() {
        return false;
    }
    let of = |known: &Known<'_>, column| {
        let table = known.table?;
        let definition = known.definition(column)?;
        let charset = table.charset_of(definition).map(str::to_owned);
        Some((charset, table.collation_of(definition).map(str::to_owned)))
    };
    let (Some((Some(charset), collation)), Some((Some(their_charset), their_collation))) =
        (of(known, column), of(other, other_column))
    else {
        return false;
    };
    if charset != their_charset {
        return width(&charset) < width(&their_charset);
    }
    let is_bin =
        |collation: &Option<String>| collation.as_ref().is_some_and(|it| it.ends_with("_bin"));
    !is_bin(&collation) && collation.is_some() && is_bin(&their_collation)
}

/// The order in which character sets are converted: into the one that holds more.
fn width(charset: &str) -> usize {
    match charset {
        "utf8mb4" | "utf16" | "utf16le" | "utf32" => 3,
        "utf8" | "utf8mb3" | "ucs2" => 2,
        _ => 1,
    }
}
