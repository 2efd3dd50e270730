//! Figures of plans as text for people.

use crate::flavor::Family;
use crate::plan::{Amount, Format, Plan};
use crate::report::cell::{seconds, three_digits};

/// A count in full, with a comma between thousands; a part of one is `<1`.
pub fn count(amount: Amount) -> String {
    if amount.rounded() == Amount::ZERO && amount > Amount::ZERO {
        return "<1".to_owned();
    }
    amount.grouped()
}

/// A count in at most five characters: `12`, `80k`, `5.12M`.
pub fn short(amount: Amount) -> String {
    if amount.rounded() < Amount::whole(1_000) {
        return count(amount);
    }
    let text = three_digits(float(amount), 1000.0);
    match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((number, unit)) if number.contains('.') => {
            format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// So many rows: `1 row`, `80,000 rows`; few of them with decimals, for averages are of many runs.
pub fn rows(amount: Amount) -> String {
    let noun = if amount == Amount::ONE { "row" } else { "rows" };
    let hundredths = hundredths(amount);
    match (hundredths / 100, hundredths % 100) {
        (0, 0) if amount > Amount::ZERO => "less than 0.01 rows".to_owned(),
        (whole @ 0..=9, rest @ 1..=99) => {
            let text = format!("{whole}.{rest:02}");
            format!("{} rows", text.trim_end_matches('0'))
        }
        _ => format!("{} {noun}", count(amount)),
    }
}

/// A number that may be a count or a share: in full from 100 on, with two decimals below.
pub fn figure(amount: Amount) -> String {
    if amount >= Amount::whole(100) {
        return count(amount);
    }
    // A small number is not nothing.
    if amount < Amount::parse("0.1").unwrap_or_default() {
        return amount.short().to_string();
    }
    percent(amount).trim_end_matches('%').to_owned()
}

/// A percentage with at most two decimals.
pub fn percent(amount: Amount) -> String {
    let hundredths = hundredths(amount);
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    let text = format!("{whole}.{rest:02}");
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Hundredths of a number, rounded.
pub fn hundredths(amount: Amount) -> u128 {
    amount.times(Amount::whole(100)).rounded().floor()
}

/// Milliseconds as a time.
pub fn time(ms: Amount) -> String {
    seconds(float(ms) / 1000.0)
}

/// How many times as much one of two amounts is, the greater one first: `512,000`, `2.5`. `None`
/// if they are near each other or one is nothing.
pub fn ratio(more: Amount, less: Amount) -> Option<String> {
    let ratio = more.ratio(less).filter(|ratio| *ratio > Amount::ONE)?;
    if ratio >= Amount::whole(10) {
        return Some(count(ratio));
    }
    let tenths = ratio.times(Amount::whole(10)).rounded().floor();
    match (tenths / 10, tenths % 10) {
        (1, 0) => None,
        (whole, 0) => Some(whole.to_string()),
        (whole, tenth) => Some(format!("{whole}.{tenth}")),
    }
}

/// A float has more digits than are shown of it.
fn float(amount: Amount) -> f64 {
    amount.to_string().parse().unwrap_or(0.0)
}

/// The form of a plan and its server: `table of MySQL`.
pub fn kind(plan: &Plan) -> String {
    let format = match plan.format {
        Format::Table => "table",
        Format::JsonV1 => "JSON version 1",
        Format::JsonV2 => "JSON version 2",
        Format::JsonMariaDb => "JSON",
        Format::Tree => "tree",
    };
    match server(plan.flavor) {
        Some(server) => format!("{format} of {server}"),
        None => format.to_owned(),
    }
}

fn server(family: Family) -> Option<&'static str> {
    match family {
        Family::Unknown => None,
        Family::MySql => Some("MySQL"),
        Family::MariaDb => Some("MariaDB"),
        Family::Percona => Some("Percona Server"),
        Family::Aurora => Some("Aurora"),
        Family::TiDb => Some("TiDB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    #[test]
    fn counts_are_in_full_or_in_five_characters() {
        for (amount, full, few) in [
            ("0", "0", "0"),
            ("0.25", "<1", "<1"),
            ("0.5", "1", "1"),
            ("999", "999", "999"),
            ("1000", "1,000", "1k"),
            ("80000", "80,000", "80k"),
            ("81250", "81,250", "81.2k"),
            ("5120000", "5,120,000", "5.12M"),
            ("18446744073709551615", "18,446,744,073,709,551,615", "18.4E"),
        ] {
            assert_eq!(count(of(amount)), full);
            assert_eq!(short(of(amount)), few);
        }
    }

    #[test]
    fn small_figures_have_decimals() {
        for (amount, want) in [
            ("331.6014", "332"),
            ("13102.6896", "13,103"),
            ("3.33", "3.33"),
            ("0.5", "0.5"),
            ("39", "39"),
        ] {
            assert_eq!(figure(of(amount)), want);
        }
    }

    #[test]
    fn ratios_below_ten_have_a_decimal() {
        let check = |more, less, want: Option<&str>| {
            assert_eq!(ratio(of(more), of(less)).as_deref(), want, "{more} {less}");
        };
        check("5120000", "10", Some("512,000"));
        check("5", "2", Some("2.5"));
        check("4", "2", Some("2"));
        check("1.01", "1", None);
        check("1", "1", None);
        check("1", "2", None);
        check("7", "0", None);
    }

    #[test]
    fn percentages_and_times() {
        assert_eq!(percent(of("10.00")), "10%");
        assert_eq!(percent(of("33.33")), "33.33%");
        assert_eq!(percent(of("0.019230769")), "0.02%");
        assert_eq!(time(of("96.5")), "96.5ms");
        assert_eq!(rows(of("1")), "1 row");
        assert_eq!(rows(of("1.04")), "1.04 rows");
        assert_eq!(rows(of("0.5")), "0.5 rows");
        assert_eq!(rows(of("0.001")), "less than 0.01 rows");
        assert_eq!(rows(of("12.4")), "12 rows");
    }
}
