//! The only place where a quantity becomes text for people.

use crate::digest::stat::Rules;
use crate::metric::{Kind, names_a_time};
use crate::plan::Amount;

/// What a number is, and so how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Things, in powers of 1000.
    Things,
    /// Bytes, in powers of 1024.
    Bytes,
    /// As pt-query-digest prints all that is no time: in powers of 1024.
    PeerThings,
}

/// The unit in which an attribute is printed.
pub fn unit(name: &[u8], kind: Kind, rules: Rules) -> Unit {
    match (rules, kind) {
        (Rules::Peer, _) if names_a_time(name) => Unit::Seconds,
        (Rules::Peer, _) => Unit::PeerThings,
        (Rules::Default, Kind::Time | Kind::Millis) => Unit::Seconds,
        (Rules::Default, Kind::Bytes) => Unit::Bytes,
        (Rules::Default, Kind::Number) if names_a_time(name) => Unit::Seconds,
        (Rules::Default, _) => Unit::Things,
    }
}

/// Whole units of a kind as the number that is printed: seconds for times, and as the log has
/// it for all others. Milliseconds become seconds, but not for the peer, which takes them as
/// they are.
pub fn printed(value: f64, kind: Kind, rules: Rules) -> f64 {
    match kind {
        Kind::Millis if rules == Rules::Default => value / 1e9,
        kind => value / kind.scale() as f64,
    }
}

/// A quantity in a cell of a table.
pub fn quantity(value: f64, unit: Unit, rules: Rules) -> String {
    match (rules, unit) {
        (Rules::Peer, Unit::Seconds) => peer_time(value),
        (Rules::Peer, _) => shorten(value, 1024.0),
        (Rules::Default, Unit::Seconds) => seconds(value),
        (Rules::Default, Unit::Bytes) => three_digits(value, 1024.0),
        (Rules::Default, _) => three_digits(value, 1000.0),
    }
}

/// Seconds with about three digits that count, at most six characters up to a year.
pub fn seconds(value: f64) -> String {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 86_400.0;
    if value <= 0.0 {
        "0".to_owned()
    } else if value < 0.999_5e-3 {
        decimals(value * 1e6, "us")
    } else if value < 0.999_5 {
        decimals(value * 1e3, "ms")
    } else if value < 9_999.5 {
        decimals(value, "s")
    } else if value < 100.0 * HOUR {
        decimals(value / HOUR, "h")
    } else {
        decimals(value / DAY, "d")
    }
}

/// Two decimals below ten, one below a hundred, none from there on; zeros behind the point go.
fn decimals(value: f64, unit: &str) -> String {
    let text = if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        return format!("{value:.0}{unit}");
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{unit}")
}

/// A count with about three digits that count: `999`, `1.23k`, `12.3k`, `123k`, `25.0G`.
pub fn three_digits(value: f64, power: f64) -> String {
    const UNITS: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
    let mut scaled = value.abs();
    let mut unit = 0;
    // A number that would round to the next power is one.
    while scaled >= power - 0.5 && unit + 1 < UNITS.len() {
        scaled /= power;
        unit += 1;
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let whole = unit == 0 && scaled.fract() == 0.0;
    let text = if whole || scaled >= 99.95 {
        format!("{scaled:.0}")
    } else if scaled >= 9.995 {
        format!("{scaled:.1}")
    } else {
        format!("{scaled:.2}")
    };
    format!("{sign}{text}{}", UNITS[unit])
}

/// A time as pt-query-digest prints it: cut to microseconds, whole units, seconds without end.
pub fn peer_time(value: f64) -> String {
    let value = cut_to_micros(value);
    if value <= 0.0 {
        "0".to_owned()
    } else if value <= 0.000_999 {
        format!("{:.0}us", value * 1e6)
    } else if value < 1.0 {
        format!("{:.0}ms", value * 1e3)
    } else {
        format!("{value:.0}s")
    }
}

/// Cuts what is behind the sixth decimal of a number of fifteen digits.
fn cut_to_micros(value: f64) -> f64 {
    if !(1e-15..1e15).contains(&value) {
        return value.max(0.0);
    }
    // Digits behind the point, so that fifteen of them count; then all but six are dropped.
    let places = (14 - value.log10().floor() as i32).clamp(0, 30) as usize;
    let text = format!("{value:.places$}");
    match text.split_once('.') {
        Some((whole, decimals)) if decimals.len() > 6 => {
            format!("{whole}.{}", &decimals[..6]).parse().unwrap_or(value)
        }
        _ => value,
    }
}

/// A number as pt-query-digest shortens it: two decimals once it was divided or has a point.
pub fn shorten(value: f64, power: f64) -> String {
    const UNITS: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
    let text = fifteen_digits(value);
    let mut scaled: f64 = text.parse().unwrap_or(value);
    let mut unit = 0;
    while scaled >= power && unit + 1 < UNITS.len() {
        scaled /= power;
        unit += 1;
    }
    if unit == 0 && !text.contains('.') && !text.contains('e') {
        return text;
    }
    format!("{scaled:.2}{}", UNITS[unit])
}

/// C's `%.15g`, by which the peer turns numbers into text.
pub fn fifteen_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.14e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..15).contains(&exponent) {
        let mantissa = if mantissa.contains('.') {
            mantissa.trim_end_matches('0').trim_end_matches('.')
        } else {
            mantissa
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let places = (14 - exponent).max(0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A whole number with a comma between thousands.
pub fn thousands(value: u64) -> String {
    Amount::whole(value).grouped()
}

/// A share in whole percent. The peer cuts, we round.
pub fn percent(part: f64, whole: f64, rules: Rules) -> u64 {
    let whole = if whole == 0.0 { 1.0 } else { whole };
    let percent = part * 100.0 / whole;
    match rules {
        Rules::Peer => percent as u64,
        Rules::Default => percent.round() as u64,
    }
}

/// Bytes of a log as text for people: what is not UTF-8 is replaced, and control characters are
/// spelled out, for a terminal would obey them.
pub fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_odd) {
        return text.into_owned();
    }
    let spelled = text.chars().map(|c| match c {
        '\r' => "\\r".to_owned(),
        c if is_odd(c) => format!("\\x{:02x}", u32::from(c)),
        c => c.to_string(),
    });
    spelled.collect()
}

/// Bytes of a log as text: what is not UTF-8 is replaced.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (value, want) in [
            (0.0, "0"),
            (0.33, "0.33"),
            (999.0, "999"),
            (999.6, "1.00k"),
            (1000.0, "1.00k"),
            (12_345.0, "12.3k"),
            (123_456.0, "123k"),
            (999_999.0, "1.00M"),
            (25e9, "25.0G"),
            (-5.0, "-5"),
        ] {
            assert_eq!(three_digits(value, 1000.0), want, "{value}");
        }
    }

    #[test]
    fn seconds_fit_six_characters() {
        for (value, want) in [
            (0.0, "0"),
            (0.000_012, "12us"),
            (0.001_5, "1.5ms"),
            (0.033_384, "33.4ms"),
            (0.726_052, "726ms"),
            (0.999_6, "1s"),
            (1.5, "1.5s"),
            (12.34, "12.3s"),
            (1349.4, "1349s"),
            (86_400.5, "24h"),
            (1e6, "11.6d"),
        ] {
            assert_eq!(seconds(value), want, "{value}");
            assert!(seconds(value).len() <= 6, "{value}");
        }
    }

    #[test]
    fn fifteen_digits_are_those_of_c() {
        for (value, want) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333333333333"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (0.000_01, "1e-05"),
            (2.5, "2.5"),
            (100.0, "100"),
        ] {
            assert_eq!(fifteen_digits(value), want);
        }
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(shown(b"a\x1b[31m\0\tb\n"), "a\\x1b[31m\\x00\tb\n");
        assert_eq!(shown(b"caf\xc3\xa9 \xff"), "caf\u{e9} \u{fffd}");
    }

    #[test]
    fn thousands_are_parted() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(123), "123");
    }
}
