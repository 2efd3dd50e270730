//! Arithmetic on the side of the column, with whole numbers on both sides.

use crate::schema::TypeName;

use super::super::statement::Known;
use super::super::words::{Constant, turned};
use super::{Bare, Cut};

/// `c + 5 > 100` as `c > 95`.
///
/// Only where it is exact: whole numbers, and what is left is a whole number too. A column of
/// floats is rounded otherwise; an unsigned one that something is taken from fails where it would
/// fall below nothing.
pub fn moved(cut: &Cut<'_, '_>, known: Option<Known<'_>>) -> Option<Bare> {
    let words = &cut.words;
    let data_type = known.and_then(|it| it.data_type());
    let is_exact = data_type.is_none_or(|it| {
        use TypeName::{BigInt, Decimal, Int, MediumInt, SmallInt, TinyInt};
        matches!(it.name, TinyInt | SmallInt | MediumInt | Int | BigInt | Decimal)
    });
    let is_unsigned = data_type.is_some_and(|it| it.is_unsigned);
    if !is_exact {
        return None;
    }
    let mut own = cut.own().clone();
    while own.len() > 2 && words.at(own.start) == "(" && words.closing(own.start)? + 1 == own.end {
        own = own.start + 1..own.end - 1;
    }
    let depth = words.depth(own.start);
    // A sign directly behind an operator is that of the number.
    let is_sign = |at: usize| matches!(words.at(at), "+" | "-" | "*" | "/");
    let is_op = |at: &usize| {
        let is_behind = at.checked_sub(1).is_some_and(is_sign);
        words.depth(*at) == depth && is_sign(*at) && *at > own.start && !is_behind
    };
    let mut ops = own.clone().filter(is_op);
    let (at, None) = (ops.next()?, ops.next()) else { return None };
    let (left, right) = (own.start..at, at + 1..own.end);
    let (number, is_first) = match (words.is_column(&left), words.is_column(&right)) {
        (true, false) => (words.constant(&right), true),
        (false, true) => (words.constant(&left), false),
        _ => return None,
    };
    let Constant::Whole(number) = number else { return None };
    let sign = words.at(at);
    if is_unsigned && (sign == "-" || number < 0) {
        return None;
    }
    let mut values = Vec::new();
    for other in &cut.sides.others {
        let Constant::Whole(value) = words.constant(other) else { return None };
        values.push(solved(sign, is_first, number, value)?);
    }
    // What is multiplied by less than nothing, or taken from something, falls where the column
    // rises.
    let is_turned = matches!(sign, "*" | "/") && number < 0 || sign == "-" && !is_first;
    let column = cut.column;
    let condition = match (cut.op(), values.as_slice()) {
        (op @ ("=" | "<=>"), [value]) => format!("{column} {op} {value}"),
        (op @ ("<" | "<=" | ">" | ">="), [value]) => {
            let op = if is_turned { turned(op) } else { op };
            format!("{column} {op} {value}")
        }
        ("BETWEEN", [low, high]) => {
            let (low, high) = if is_turned { (high, low) } else { (low, high) };
            format!("{column} BETWEEN {low} AND {high}")
        }
        ("IN", [_, ..]) => {
            let list: Vec<String> = values.iter().map(i128::to_string).collect();
            format!("{column} IN ({})", list.join(", "))
        }
        _ => return None,
    };
    Bare::new(
        condition,
        "The same is computed once on the side of the constant; of whole numbers nothing is rounded.",
    )
}

/// The value of the column for which the expression has a value; none where it is no whole number.
fn solved(sign: &str, is_first: bool, number: i128, value: i128) -> Option<i128> {
    match (sign, is_first) {
        ("+", _) => value.checked_sub(number),
        ("-", true) => value.checked_add(number),
        ("-", false) => number.checked_sub(value),
        ("*", _) if number != 0 && value % number == 0 => Some(value / number),
        // A quotient has four more decimals than the column: small divisors lose nothing in them.
        ("/", true) if number != 0 && number.abs() <= 1_000 => value.checked_mul(number),
        _ => None,
    }
}
