//! Numbers that people read: rows, percentages, costs, milliseconds. Exact decimals, never floats.

use std::fmt;

/// A decimal that is not negative, in whole billionths. What is past the greatest one stays there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Amount(u128);

impl Amount {
    /// Billionths of one.
    const UNIT: u128 = 1_000_000_000;
    /// Nothing.
    pub const ZERO: Amount = Amount(0);
    /// One.
    pub const ONE: Amount = Amount(Amount::UNIT);

    /// A whole number.
    pub fn whole(number: u64) -> Amount {
        Amount(u128::from(number) * Amount::UNIT)
    }

    /// Reads a number as servers print it.
    ///
    /// - Grammar: `1*DIGIT [ "." *DIGIT ] [ "e" [ "+" / "-" ] 1*DIGIT ]`
    /// - Unit: that of the number; what is behind the ninth decimal is rounded, half up.
    /// - Errors: anything else, a sign, a number past the greatest amount.
    /// - Source: `14.7e+6` is how MySQL 8.0.30 and later shorten, `9.420683e-4` is MariaDB's.
    pub fn parse(text: &str) -> Option<Amount> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent_of(exponent)?),
            None => (text, 0),
        };
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(decimals) {
            return None;
        }
        let mut sum: u128 = 0;
        // Digits that no longer fit are behind the last one that counts, if they are decimals.
        let mut places: i64 = 9 + exponent;
        for digit in whole.bytes() {
            sum = sum.checked_mul(10)?.checked_add(u128::from(digit - b'0'))?;
        }
        for digit in decimals.bytes().take(30) {
            let Some(longer) =
                sum.checked_mul(10).and_then(|sum| sum.checked_add(u128::from(digit - b'0')))
            else {
                break;
            };
            sum = longer;
            places -= 1;
        }
        scaled(sum, places).map(Amount)
    }

    /// Both together.
    pub fn plus(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }

    /// What is left, at least nothing.
    pub fn minus(self, other: Amount) -> Amount {
        Amount(self.0.saturating_sub(other.0))
    }

    /// The product, cut behind the ninth decimal.
    pub fn times(self, other: Amount) -> Amount {
        Amount(product(self.0, other.0, Amount::UNIT))
    }

    /// So many percent of it.
    pub fn percent(self, percent: Amount) -> Amount {
        Amount(product(self.0, percent.0, 100 * Amount::UNIT))
    }

    /// The whole part.
    pub fn floor(self) -> u128 {
        self.0 / Amount::UNIT
    }

    /// The nearest whole number for people, with a comma between thousands.
    pub fn grouped(self) -> String {
        let digits = self.rounded().floor().to_string();
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    }

    /// The nearest whole number, half up.
    pub fn rounded(self) -> Amount {
        let whole = self.0.saturating_add(Amount::UNIT / 2) / Amount::UNIT;
        Amount(whole.saturating_mul(Amount::UNIT))
    }

    /// Rounded to three digits that count, or to a whole number from 100 on.
    pub fn short(self) -> Amount {
        let (mut scaled, mut power) = (self, Amount::ONE);
        let ten = Amount::whole(10);
        while scaled < Amount::whole(100) && power.0 < Amount::UNIT * Amount::UNIT {
            (scaled, power) = (scaled.times(ten), power.times(ten));
        }
        scaled.rounded().ratio(power).unwrap_or(self)
    }

    /// How many times `other` it is; `None` of nothing.
    pub fn ratio(self, other: Amount) -> Option<Amount> {
        (other.0 > 0).then(|| Amount(product(self.0, Amount::UNIT, other.0)))
    }
}

impl fmt::Display for Amount {
    /// All decimals that are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / Amount::UNIT, self.0 % Amount::UNIT);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:09}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

/// `a × b ÷ c`, with the product where it fits and else with less precision.
fn product(a: u128, b: u128, c: u128) -> u128 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None if a >= b => (a / c).saturating_mul(b),
        None => (b / c).saturating_mul(a),
    }
}

/// The number behind `e`. One past a thousand is as good as a thousand.
fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let size = digits.trim_start_matches('0');
    let size = if size.len() > 3 { 1000 } else { size.parse().unwrap_or(0) };
    is_number.then_some(if text.starts_with('-') { -size } else { size })
}

/// A number times a power of ten, rounded half up.
fn scaled(number: u128, places: i64) -> Option<u128> {
    let power = |places: i64| 10u128.checked_pow(u32::try_from(places).ok()?);
    if number == 0 {
        return Some(0);
    }
    if places >= 0 {
        return number.checked_mul(power(places)?);
    }
    match power(-places) {
        Some(power) => Some(number / power + u128::from(number % power >= power.div_ceil(2))),
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        assert_eq!(Amount::parse(text).map(|amount| amount.to_string()).as_deref(), want, "{text}");
    }

    #[test]
    fn numbers_of_all_servers_are_read() {
        check("0", Some("0"));
        check("239620", Some("239620"));
        check("10.00", Some("10"));
        check("0.333", Some("0.333"));
        check("14.7e+6", Some("14700000"));
        check("9.420683e-4", Some("0.000942068"));
        check("0.954884794", Some("0.954884794"));
        check("3.3398529999999997", Some("3.339853"));
        check("18446744073709551615", Some("18446744073709551615"));
        check("2e18", Some("2000000000000000000"));
        check("1e-400", Some("0"));
        check("0e999", Some("0"));
        check("1.", Some("1"));
        check(&format!("0.{}", "3".repeat(1000)), Some("0.333333333"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in
            ["", "-1", "+1", ".5", "1e", "1e+", "x", "1x", "1.2.3", "NULL", "nan", "1e30", "1e999"]
        {
            check(text, None);
        }
        check(&"9".repeat(60), None);
    }

    #[test]
    fn three_digits_count() {
        for (text, want) in [
            ("0", "0"),
            ("0.000088", "0.000088"),
            ("0.0012345", "0.00123"),
            ("0.99951", "1"),
            ("12.345", "12.3"),
            ("1234.5", "1235"),
        ] {
            assert_eq!(Amount::parse(text).unwrap().short().to_string(), want);
        }
    }

    #[test]
    fn arithmetic_stays_within_what_a_number_can_be() {
        let of = |text| Amount::parse(text).unwrap();
        assert_eq!(of("239620").percent(of("10.00")), of("23962"));
        assert_eq!(of("0.5").times(of("3")), of("1.5"));
        assert_eq!(of("1").minus(of("2")), Amount::ZERO);
        assert_eq!(of("51200").ratio(of("51000")).unwrap().to_string(), "1.003921568");
        assert_eq!(of("1").ratio(Amount::ZERO), None);
        assert_eq!(of("1599.5").rounded(), of("1600"));
        assert_eq!(of("1599.499999").rounded(), of("1599"));
        let most = Amount(u128::MAX);
        assert_eq!(most.plus(Amount::ONE), most);
        assert_eq!(most.times(most), most);
        assert_eq!(of("1e20").times(of("1e5")).to_string(), format!("1{}", "0".repeat(25)));
    }
}
