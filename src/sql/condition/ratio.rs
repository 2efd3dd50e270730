//! Exact fractions: what numbers of a condition are, so that nothing in it is rounded.

use std::cmp::Ordering;
use std::fmt;

/// A fraction of integers. What leaves 128 bits gives `None`, never a wrong number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ratio {
    over: i128,
    /// Always positive.
    under: i128,
}

/// Parts of a whole in the numbers that events carry.
const MILLION: i128 = 1_000_000;

impl Ratio {
    pub(super) fn whole(number: i128) -> Self {
        Self { over: number, under: 1 }
    }

    pub(super) fn millionths(number: i128) -> Self {
        Self { over: number, under: MILLION }
    }

    /// Reads a number that fills the text wholly.
    ///
    /// - Grammar: `["+" / "-"] (1*DIGIT ["." *DIGIT] / "." 1*DIGIT) ["e" ["+" / "-"] 1*DIGIT]`
    /// - Errors: anything else, and what has more digits than 128 bits hold.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => (&text[..at], exponent(&text[at + 1..])?),
            None => (text, 0),
        };
        let (whole, decimals) = match mantissa.iter().position(|byte| *byte == b'.') {
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
            None => (mantissa, &b""[..]),
        };
        if whole.is_empty() && decimals.is_empty() {
            return None;
        }
        let zeros = decimals.iter().rev().take_while(|byte| **byte == b'0').count();
        let decimals = &decimals[..decimals.len() - zeros];
        let mut over = 0_i128;
        for byte in whole.iter().chain(decimals) {
            let digit = byte.is_ascii_digit().then(|| i128::from(byte - b'0'))?;
            over = over.checked_mul(10)?.checked_add(digit)?;
        }
        let shift = exponent - i64::try_from(decimals.len()).ok()?;
        let power = 10_i128.checked_pow(u32::try_from(shift.unsigned_abs()).ok()?);
        let (over, under) = match (shift < 0, power) {
            _ if over == 0 => (0, 1),
            (true, power) => (over, power?),
            (false, power) => (over.checked_mul(power?)?, 1),
        };
        Some(Self { over: if negative { -over } else { over }, under })
    }

    pub(super) fn is_zero(self) -> bool {
        self.over == 0
    }

    pub(super) fn negative(self) -> Option<Self> {
        Some(Self { over: self.over.checked_neg()?, under: self.under })
    }

    pub(super) fn absolute(self) -> Option<Self> {
        Some(Self { over: self.over.checked_abs()?, under: self.under })
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (left, right, under) = self.beside(other)?;
        Some(Self { over: left.checked_add(right)?, under })
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        let (left, right, under) = self.beside(other)?;
        Some(Self { over: left.checked_sub(right)?, under })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        // Cut across first: the product then is reduced and as small as can be.
        let (left, right) = (reduced(self.over, other.under)?, reduced(other.over, self.under)?);
        Some(Self {
            over: left.over.checked_mul(right.over)?,
            under: left.under.checked_mul(right.under)?,
        })
    }

    /// `None` also where `other` is 0.
    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        let sign = other.over.signum();
        if sign == 0 {
            return None;
        }
        let over = other.under.checked_mul(sign)?;
        self.times(Self { over, under: other.over.checked_abs()? })
    }

    /// The rest of a division towards zero: it has the sign of `self`, as in MySQL.
    pub(super) fn modulo(self, other: Self) -> Option<Self> {
        let (left, right, under) = self.beside(other)?;
        Some(Self { over: left.checked_rem(right)?, under })
    }

    /// Both numerators over one denominator.
    fn beside(self, other: Self) -> Option<(i128, i128, i128)> {
        if self.under == other.under {
            return Some((self.over, other.over, self.under));
        }
        let (left, right) = (reduced(self.over, self.under)?, reduced(other.over, other.under)?);
        let (scale_left, scale_right) = {
            let common = reduced(right.under, left.under)?;
            (common.over, common.under)
        };
        Some((
            left.over.checked_mul(scale_left)?,
            right.over.checked_mul(scale_right)?,
            left.under.checked_mul(scale_left)?,
        ))
    }
}

/// `over` / `under` in lowest terms; `under` is positive.
fn reduced(over: i128, under: i128) -> Option<Ratio> {
    let (mut a, mut b) = (over.checked_abs()?, under);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Some(Ratio { over: over / a, under: under / a })
}

fn exponent(text: &[u8]) -> Option<i64> {
    // Longer ones are past any number here, but for 0 and leading zeros, which nobody types.
    if text.len() > 6 {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut left, mut right) = (*self, *other);
        if left.under == right.under {
            return left.over.cmp(&right.over);
        }
        // As continued fractions, so that no product can overflow: equal whole parts are
        // taken away, and of what is left the reciprocals compare the other way round.
        loop {
            let wholes = (left.over.div_euclid(left.under), right.over.div_euclid(right.under));
            let rests = (left.over.rem_euclid(left.under), right.over.rem_euclid(right.under));
            if wholes.0 != wholes.1 || rests.0 == 0 || rests.1 == 0 {
                return wholes.0.cmp(&wholes.1).then(rests.0.cmp(&rests.1));
            }
            let reciprocal = Self { over: left.under, under: rests.0 };
            left = Self { over: right.under, under: rests.1 };
            right = reciprocal;
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

/// At most six decimals, those behind them cut off: `1.5`, `0.333333`, `2`.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, under) = (self.over.unsigned_abs(), self.under.unsigned_abs());
        let sign = if self.over < 0 { "-" } else { "" };
        let mut text = format!("{sign}{}", rest / under);
        rest %= under;
        let mut decimals = String::new();
        for _ in 0..6 {
            // A denominator past a tenth of 128 bits: the digits from there on are left out.
            let Some(tenfold) = rest.checked_mul(10) else {
                break;
            };
            decimals.push_str(&(tenfold / under).to_string());
            rest = tenfold % under;
        }
        let decimals = decimals.trim_end_matches('0');
        if !decimals.is_empty() {
            text.push('.');
            text.push_str(decimals);
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Ratio {
        Ratio::read(text.as_bytes()).unwrap_or_else(|| panic!("{text:?} is a number"))
    }

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        let got = Ratio::read(text.as_bytes()).map(|number| number.to_string());
        assert_eq!(got.as_deref(), want, "{text:?}");
    }

    #[test]
    fn decimals_and_exponents_are_read() {
        check("0", Some("0"));
        check("-1.500213", Some("-1.500213"));
        check(".5", Some("0.5"));
        check("5.", Some("5"));
        check("1.5e3", Some("1500"));
        check("15E-1", Some("1.5"));
        check("1.00000000000000000000000000000000000000000000", Some("1"));
        check("0.0000005", Some("0"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".", "-", "1.5s", "1 ", " 1", "0x1f", "1e", "1e+", "e3", "1.2.3", "1e99"] {
            check(text, None);
        }
        check(&"9".repeat(40), None);
    }

    #[test]
    fn order_needs_no_common_denominator() {
        assert!(number("0.0000005") < number("0.000001"));
        assert!(number("0.0000005") > number("0"));
        assert!(number("-0.0000005") < number("0"));
        assert_eq!(number("1.50"), number("1.5"));
        let large = number("170141183460469231731687303715884105727");
        let small = number("0.00000000000000000000000000000000000001");
        assert!(large > small);
        assert!(small < large);
        assert_eq!(large, large);
        assert!(large.negative() < small.negative());
    }

    #[test]
    fn arithmetic_is_exact() {
        let third = number("1").divided_by(number("-3")).unwrap();
        assert_eq!(third.times(number("3")), Some(number("-1")));
        assert_eq!(number("0.1").plus(number("0.2")), Some(number("0.3")));
        assert_eq!(number("1").minus(number("0.9")), Some(number("0.1")));
        assert_eq!(number("-7.5").modulo(number("2")), Some(number("-1.5")));
        assert_eq!(number("1").divided_by(number("0")), None);
        assert_eq!(number("1").modulo(number("0")), None);
        assert_eq!(number("9e37").times(number("9e37")), None);
        assert_eq!(third.to_string(), "-0.333333");
    }
}
