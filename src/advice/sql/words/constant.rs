//! What a column is compared with, as it is written.

use std::ops::Range;

use crate::sql::token::Kind;

use super::super::bare::Period;
use super::Words;

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// A string; without its quotes.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// `?`, `:name`, `@variable`.
    Unknown,
    /// An expression that is a date without a time: `CURDATE() - INTERVAL 7 DAY`.
    Day,
    /// Anything else.
    Other,
}

impl Words<'_> {
    /// What some tokens are.
    pub fn constant(&self, places: &Range<usize>) -> Constant {
        let first = places.start;
        match (places.len(), self.kind(first)) {
            (1, Some(Kind::Variable)) => Constant::Unknown,
            (1, Some(Kind::Literal)) => literal(self.at(first)),
            (2, Some(Kind::Operator)) if self.at(first) == "-" => match literal(self.at(first + 1))
            {
                Constant::Whole(number) => Constant::Whole(-number),
                _ => Constant::Other,
            },
            (2, Some(Kind::Word)) if self.is_word(first, "DATE") => {
                match literal(self.at(first + 1)) {
                    Constant::Text(text) => Constant::Text(text),
                    _ => Constant::Other,
                }
            }
            _ if self.is_day(places, 0) => Constant::Day,
            _ => Constant::Other,
        }
    }

    /// Whether an expression is a date without a time.
    fn is_day(&self, places: &Range<usize>, depth: usize) -> bool {
        if depth > MOST_DEPTH {
            return false;
        }
        if places.len() == 1 {
            // A day as a text is one where an interval is added to it.
            let is_day = |text: &str| depth > 0 && Period::of_day(text).is_some();
            return match literal(self.at(places.start)) {
                Constant::Text(text) => is_day(&text),
                _ => self.is_word(places.start, "CURRENT_DATE"),
            };
        }
        if let Some((name, arguments)) = self.call(places) {
            let first = arguments.first();
            return match name.as_str() {
                "CURDATE" | "CURRENT_DATE" | "UTC_DATE" | "DATE" | "LAST_DAY" | "MAKEDATE"
                | "FROM_DAYS" => true,
                "CAST" | "CONVERT" => first.is_some_and(|it| self.ends_as_date(it)),
                "DATE_ADD" | "DATE_SUB" | "ADDDATE" | "SUBDATE" => {
                    let by_days = arguments.get(1).is_some_and(|it| self.is_interval_of_days(it));
                    by_days && first.is_some_and(|it| self.is_day(it, depth + 1))
                }
                _ => false,
            };
        }
        // `day - INTERVAL 7 DAY`
        let Some(sign) = places.end.checked_sub(4) else { return false };
        matches!(self.at(sign), "+" | "-")
            && self.depth(sign) == self.depth(places.start)
            && self.is_interval_of_days(&(sign + 1..places.end))
            && self.is_day(&(places.start..sign), depth + 1)
    }

    fn ends_as_date(&self, argument: &Range<usize>) -> bool {
        argument.len() > 2
            && self.is_word(argument.end - 1, "DATE")
            && self.is_word(argument.end - 2, "AS")
    }

    fn is_interval_of_days(&self, places: &Range<usize>) -> bool {
        let units = ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"];
        places.len() == 3
            && self.is_word(places.start, "INTERVAL")
            && units.iter().any(|unit| self.is_word(places.end - 1, unit))
    }
}

/// Nesting of expressions that are looked into.
const MOST_DEPTH: usize = 8;

fn literal(text: &str) -> Constant {
    if text == "?" {
        return Constant::Unknown;
    }
    for quote in ['\'', '"'] {
        let inside = text.strip_prefix(quote).and_then(|it| it.strip_suffix(quote));
        if let Some(inside) = inside {
            // What a backslash means depends on the sql_mode.
            let is_plain = !inside.contains('\\');
            let twice = format!("{quote}{quote}");
            return match is_plain {
                true => Constant::Text(inside.replace(&twice, &quote.to_string())),
                false => Constant::Other,
            };
        }
    }
    let is_whole = !text.is_empty() && text.len() <= 30 && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(number) if is_whole => Constant::Whole(number),
        _ => Constant::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_told_apart() {
        for (text, want) in [
            ("'it''s'", Constant::Text("it's".to_owned())),
            ("'a\\'b'", Constant::Other),
            ("42", Constant::Whole(42)),
            ("-42", Constant::Whole(-42)),
            ("4.2", Constant::Other),
            ("?", Constant::Unknown),
            ("@day", Constant::Unknown),
            ("DATE '2026-01-02'", Constant::Text("2026-01-02".to_owned())),
            ("CURRENT_DATE", Constant::Day),
            ("CURDATE() - INTERVAL 7 DAY", Constant::Day),
            ("DATE_SUB(CURDATE(), INTERVAL 1 MONTH)", Constant::Day),
            ("CAST('x' AS DATE)", Constant::Day),
            ("NOW()", Constant::Other),
            ("'2026-02-01' + INTERVAL 1 DAY", Constant::Day),
            ("'x' + INTERVAL 1 DAY", Constant::Other),
            ("CURDATE() - INTERVAL 3 HOUR", Constant::Other),
            ("NOW() - INTERVAL 1 DAY", Constant::Other),
        ] {
            let words = Words::of(text, &(0..text.len())).unwrap();
            assert_eq!(words.constant(&(0..words.len())), want, "{text}");
        }
    }
}
