//! What a condition says of one event: values, comparison and three-valued logic.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::like::Like;
use super::ratio::Ratio;
use super::{Arithmetic, Comparison, Function, Literal, Node, Pattern, Value, time_of};
use crate::time::Timestamp;

/// A value on the way up the expression.
#[derive(Debug, Clone)]
enum Operand<'a> {
    Null,
    Number(Ratio),
    Bool(bool),
    Text(Cow<'a, [u8]>),
    /// A text of the condition itself: what it means is known.
    Literal(&'a Literal),
    Time(Timestamp),
}

type Values<'v, 'a> = &'v dyn Fn(usize) -> Value<'a>;

impl Node {
    /// Whether it is true; `None` is SQL's NULL.
    pub(super) fn truth<'a>(&'a self, values: Values<'_, 'a>) -> Option<bool> {
        match self {
            Self::And(all) => decided_by(false, all.iter().map(|node| node.truth(values))),
            Self::Or(any) => decided_by(true, any.iter().map(|node| node.truth(values))),
            Self::Xor(all) => {
                all.iter().try_fold(false, |odd, node| Some(odd ^ node.truth(values)?))
            }
            Self::Not(node) => node.truth(values).map(|truth| !truth),
            Self::Compare(comparison, pair) => {
                let [left, right] = pair.each_ref().map(|node| node.operand(values));
                comparison.holds(&left, &right)
            }
            Self::In(all) => {
                let (sought, list) = all.split_first()?;
                let sought = sought.operand(values);
                let is = |node: &'a Node| Some(sought.compare(&node.operand(values))?.is_eq());
                decided_by(true, list.iter().map(is))
            }
            Self::Between(three) => {
                let [it, low, high] = three.each_ref().map(|node| node.operand(values));
                let above = it.compare(&low).map(Ordering::is_ge);
                let below = it.compare(&high).map(Ordering::is_le);
                decided_by(false, [above, below])
            }
            Self::Like(text, pattern) => {
                let text = text.operand(values).text()?;
                match pattern {
                    Pattern::Fixed(like) => Some(like.matches(&text)),
                    Pattern::Varying(pattern, escape) => {
                        let pattern = pattern.operand(values).text()?;
                        Some(Like::new(&pattern, *escape).matches(&text))
                    }
                }
            }
            Self::Regexp(text, regex) => Some(regex.is_match(&text.operand(values).text()?)),
            Self::IsNull(node) => Some(matches!(node.operand(values), Operand::Null)),
            Self::IsUnknown(node) => Some(node.truth(values).is_none()),
            Self::IsTruth(node, wanted) => Some(node.truth(values) == Some(*wanted)),
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Column(_)
            | Self::Negative(_)
            | Self::Arithmetic(..)
            | Self::Call(..) => self.operand(values).truth(),
        }
    }

    fn operand<'a>(&'a self, values: Values<'_, 'a>) -> Operand<'a> {
        match self {
            Self::Null => Operand::Null,
            Self::Bool(truth) => Operand::Bool(*truth),
            Self::Number(number) => Operand::Number(*number),
            Self::Text(literal) => Operand::Literal(literal),
            Self::Column(index) => match values(*index) {
                Value::Null => Operand::Null,
                Value::Number(millionths) => Operand::Number(Ratio::millionths(millionths)),
                Value::Bool(truth) => Operand::Bool(truth),
                Value::Text(text) => Operand::Text(text),
                Value::Time(micros) => Operand::Time(Timestamp(micros)),
            },
            Self::Negative(node) => {
                Operand::number_or_null(node.operand(values).number().and_then(Ratio::negative))
            }
            Self::Arithmetic(operation, pair) => {
                let [left, right] = pair.each_ref().map(|node| node.operand(values).number());
                let result = left.zip(right).and_then(|(left, right)| operation.of(left, right));
                Operand::number_or_null(result)
            }
            Self::Call(function, arguments) => function.of(arguments, values),
            Self::And(_)
            | Self::Or(_)
            | Self::Xor(_)
            | Self::Not(_)
            | Self::Compare(..)
            | Self::In(_)
            | Self::Between(_)
            | Self::Like(..)
            | Self::Regexp(..)
            | Self::IsNull(_)
            | Self::IsUnknown(_)
            | Self::IsTruth(..) => self.truth(values).map_or(Operand::Null, Operand::Bool),
        }
    }
}

/// The truth that decides if any operand has it; else NULL if one is NULL; else its opposite.
fn decided_by(decisive: bool, all: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut rest = Some(!decisive);
    for truth in all {
        match truth {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => rest = None,
        }
    }
    rest
}

impl Operand<'_> {
    fn number_or_null(number: Option<Ratio>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }

    /// As a number: a truth is 1 or 0, a text is one if it is one wholly, a time is none.
    fn number(&self) -> Option<Ratio> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Bool(truth) => Some(Ratio::whole(i128::from(*truth))),
            Self::Text(text) => Ratio::read(text),
            Self::Literal(literal) => literal.number,
            Self::Null | Self::Time(_) => None,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Self::Null => None,
            Self::Bool(truth) => Some(*truth),
            Self::Number(number) => Some(!number.is_zero()),
            Self::Text(text) => truth_of(text),
            Self::Literal(literal) => truth_of(&literal.bytes),
            Self::Time(_) => Some(true),
        }
    }

    /// The bytes, if it is a text.
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            Self::Literal(literal) => Some(&literal.bytes),
            _ => None,
        }
    }

    /// How the two lie to each other; `None` where one is NULL or they have nothing in common.
    fn compare(&self, other: &Operand<'_>) -> Option<Ordering> {
        if let (Some(left), Some(right)) = (self.bytes(), other.bytes()) {
            return Some(folded(left).cmp(folded(right)));
        }
        match (self, other) {
            (Self::Null, _) | (_, Operand::Null) => None,
            (Self::Time(left), Operand::Time(right)) => Some(left.cmp(right)),
            (Self::Time(left), right) => Some(left.cmp(&right.time()?)),
            (left, Operand::Time(right)) => Some(left.time()?.cmp(right)),
            (Self::Bool(left), right) if right.bytes().is_some() => Some(left.cmp(&right.truth()?)),
            (left, Operand::Bool(right)) if left.bytes().is_some() => {
                Some(left.truth()?.cmp(right))
            }
            (left, right) => Some(left.number()?.cmp(&right.number()?)),
        }
    }

    fn time(&self) -> Option<Timestamp> {
        match self {
            Self::Literal(literal) => literal.time,
            Self::Text(text) => time_of(text),
            Self::Time(time) => Some(*time),
            Self::Null | Self::Number(_) | Self::Bool(_) => None,
        }
    }
}

impl<'a> Operand<'a> {
    /// As a text, spelt as logs and reports spell it; NULL has none.
    fn text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(text),
            Self::Literal(literal) => Some(Cow::Borrowed(&literal.bytes)),
            Self::Number(number) => Some(Cow::Owned(number.to_string().into_bytes())),
            Self::Bool(true) => Some(Cow::Borrowed(b"Yes")),
            Self::Bool(false) => Some(Cow::Borrowed(b"No")),
            Self::Time(time) => Some(Cow::Owned(time.to_string().into_bytes())),
        }
    }
}

/// Yes and no as logs spell them, or a number.
fn truth_of(text: &[u8]) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word.as_bytes());
    if is("yes") || is("true") {
        Some(true)
    } else if is("no") || is("false") {
        Some(false)
    } else {
        Ratio::read(text).map(|number| !number.is_zero())
    }
}

fn folded(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().map(u8::to_ascii_lowercase)
}

impl Comparison {
    fn holds(self, left: &Operand<'_>, right: &Operand<'_>) -> Option<bool> {
        let order = left.compare(right);
        match self {
            Self::Equal => order.map(Ordering::is_eq),
            Self::NotEqual => order.map(Ordering::is_ne),
            Self::Less => order.map(Ordering::is_lt),
            Self::LessOrEqual => order.map(Ordering::is_le),
            Self::Greater => order.map(Ordering::is_gt),
            Self::GreaterOrEqual => order.map(Ordering::is_ge),
            Self::NullSafeEqual => Some(match (left, right) {
                (Operand::Null, Operand::Null) => true,
                _ => order == Some(Ordering::Equal),
            }),
        }
    }
}

impl Arithmetic {
    fn of(self, left: Ratio, right: Ratio) -> Option<Ratio> {
        match self {
            Self::Add => left.plus(right),
            Self::Subtract => left.minus(right),
            Self::Multiply => left.times(right),
            Self::Divide => left.divided_by(right),
            Self::Modulo => left.modulo(right),
        }
    }
}

impl Function {
    /// The number of arguments was checked when the condition was read.
    fn of<'a>(self, arguments: &'a [Node], values: Values<'_, 'a>) -> Operand<'a> {
        let argument =
            |index: usize| arguments.get(index).map_or(Operand::Null, |node| node.operand(values));
        let text = |change: fn(&[u8]) -> Vec<u8>| {
            let text = argument(0).text();
            text.map_or(Operand::Null, |text| Operand::Text(Cow::Owned(change(&text))))
        };
        let count = |length: fn(&[u8]) -> usize| {
            let count = argument(0).text().and_then(|text| i128::try_from(length(&text)).ok());
            Operand::number_or_null(count.map(Ratio::whole))
        };
        match self {
            Self::Lower => text(<[u8]>::to_ascii_lowercase),
            Self::Upper => text(<[u8]>::to_ascii_uppercase),
            Self::Length => count(<[u8]>::len),
            Self::CharLength => count(|text| String::from_utf8_lossy(text).chars().count()),
            Self::Abs => Operand::number_or_null(argument(0).number().and_then(Ratio::absolute)),
            Self::Coalesce | Self::IfNull => {
                let mut operands = arguments.iter().map(|node| node.operand(values));
                operands.find(|it| !matches!(it, Operand::Null)).unwrap_or(Operand::Null)
            }
            Self::If => {
                let holds = arguments.first().and_then(|node| node.truth(values)) == Some(true);
                argument(if holds { 1 } else { 2 })
            }
            Self::NullIf => match (argument(0), argument(1)) {
                (left, right) if left.compare(&right) == Some(Ordering::Equal) => Operand::Null,
                (left, _) => left,
            },
        }
    }
}
