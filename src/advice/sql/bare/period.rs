//! Stretches of time: a year, a month, a day, an hour, by their first moment and the first one
//! behind them.

/// How long a stretch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

/// Year, month, day, hour, minute, second.
type Moment = [u32; 6];

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    start: Moment,
    unit: Unit,
}

impl Period {
    /// A year, from 1000 to 9998: the years that dates can have, and the next one too.
    pub fn year(year: i128) -> Option<Period> {
        let year = u32::try_from(year).ok().filter(|year| (1_000..=9_998).contains(year))?;
        Some(Period { start: [year, 1, 1, 0, 0, 0], unit: Unit::Year })
    }

    /// A month of a year.
    pub fn month(self, month: i128) -> Option<Period> {
        let month = u32::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
        let mut start = self.start;
        start[1] = month;
        (self.unit == Unit::Year).then_some(Period { start, unit: Unit::Month })
    }

    /// A day of a month.
    pub fn day(self, day: i128) -> Option<Period> {
        let [year, month, ..] = self.start;
        let day = u32::try_from(day).ok().filter(|day| (1..=days(year, month)).contains(day))?;
        let mut start = self.start;
        start[2] = day;
        (self.unit == Unit::Month).then_some(Period { start, unit: Unit::Day })
    }

    /// A day as it is written: `2026-02-01`, `20260201`; a time behind it must be midnight.
    pub fn of_day(text: &str) -> Option<Period> {
        let day = text
            .strip_suffix(" 00:00:00")
            .or_else(|| text.strip_suffix("T00:00:00"))
            .unwrap_or(text);
        let format = if day.len() == 8 { "%Y%m%d" } else { "%Y-%m-%d" };
        Period::by_format(format, day).filter(|it| it.unit == Unit::Day)
    }

    /// The stretch whose moments a format of DATE_FORMAT() writes as this text. None where the
    /// format leaves out a unit between others, or the text is none that it writes.
    pub fn by_format(format: &str, text: &str) -> Option<Period> {
        let mut found: [Option<u32>; 6] = [None; 6];
        let mut rest = text;
        let mut signs = format.chars();
        while let Some(sign) = signs.next() {
            if sign != '%' {
                rest = rest.strip_prefix(sign)?;
                continue;
            }
            let (place, length) = match signs.next()? {
                'Y' => (0, 4),
                'm' => (1, 2),
                'd' => (2, 2),
                'H' => (3, 2),
                'i' => (4, 2),
                's' | 'S' => (5, 2),
                _ => return None,
            };
            let (digits, behind) = rest.split_at_checked(length)?;
            if !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let value = digits.parse().ok()?;
            let slot = found.get_mut(place)?;
            if slot.replace(value).is_some_and(|own| own != value) {
                return None;
            }
            rest = behind;
        }
        if !rest.is_empty() {
            return None;
        }
        let known = found.iter().take_while(|it| it.is_some()).count();
        if found.iter().skip(known).any(Option::is_some) {
            return None;
        }
        let mut values = found.iter().flatten().map(|value| i128::from(*value));
        let mut period = Period::year(values.next()?)?;
        if let Some(month) = values.next() {
            period = period.month(month)?;
        }
        if let Some(day) = values.next() {
            period = period.day(day)?;
        }
        let times = [(Unit::Hour, 23), (Unit::Minute, 59), (Unit::Second, 59)];
        for ((unit, most), (place, value)) in times.into_iter().zip((3..).zip(values)) {
            let value = u32::try_from(value).ok().filter(|value| *value <= most)?;
            *period.start.get_mut(place)? = value;
            period.unit = unit;
        }
        Some(period)
    }

    /// How long it is.
    pub fn unit(self) -> Unit {
        self.unit
    }

    /// Its first moment, in quotes.
    pub fn first(self) -> String {
        self.written(self.start)
    }

    /// The first moment behind it, in quotes.
    pub fn next(self) -> String {
        let [mut year, mut month, mut day, mut hour, mut minute, mut second] = self.start;
        match self.unit {
            Unit::Year => year += 1,
            Unit::Month => month += 1,
            Unit::Day => day += 1,
            Unit::Hour => hour += 1,
            Unit::Minute => minute += 1,
            Unit::Second => second += 1,
        }
        if second > 59 {
            second = 0;
            minute += 1;
        }
        if minute > 59 {
            minute = 0;
            hour += 1;
        }
        if hour > 23 {
            hour = 0;
            day += 1;
        }
        if day > days(year, month.min(12)) {
            day = 1;
            month += 1;
        }
        if month > 12 {
            month = 1;
            year += 1;
        }
        self.written([year, month, day, hour, minute, second])
    }

    fn written(self, moment: Moment) -> String {
        let [year, month, day, hour, minute, second] = moment;
        match self.unit {
            Unit::Year | Unit::Month | Unit::Day => format!("'{year:04}-{month:02}-{day:02}'"),
            _ => format!("'{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}'"),
        }
    }
}

/// Days of a month.
fn days(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    }
}

/// The condition on a bare column that says what a comparison of its stretch says: each stretch by
/// its first moment and the first one behind it. `=`, IN, BETWEEN, `<` and its kin.
pub fn bounds(column: &str, op: &str, periods: &[(String, String)]) -> Option<String> {
    let within =
        |(start, end): &(String, String)| format!("{column} >= {start} AND {column} < {end}");
    match (op, periods) {
        ("=" | "IN", [one]) => Some(within(one)),
        ("IN", several) if (2..=MOST_PERIODS).contains(&several.len()) => {
            let ranges: Vec<String> = several.iter().map(within).collect();
            Some(format!("({})", ranges.join(" OR ")))
        }
        ("BETWEEN", [(start, _), (_, end)]) => Some(within(&(start.clone(), end.clone()))),
        ("<", [(start, _)]) => Some(format!("{column} < {start}")),
        ("<=", [(_, end)]) => Some(format!("{column} < {end}")),
        (">", [(_, end)]) => Some(format!("{column} >= {end}")),
        (">=", [(start, _)]) => Some(format!("{column} >= {start}")),
        _ => None,
    }
}

/// Ranges that stand for one list.
const MOST_PERIODS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(period: Option<Period>, want: Option<(&str, &str)>) {
        let got = period.map(|it| (it.first(), it.next()));
        assert_eq!(got, want.map(|(first, next)| (first.to_owned(), next.to_owned())));
    }

    #[test]
    fn stretches_end_where_the_next_one_begins() {
        check(Period::year(2012), Some(("'2012-01-01'", "'2013-01-01'")));
        let month = |year, month| Period::year(year).and_then(|it| it.month(month));
        check(month(2012, 7), Some(("'2012-07-01'", "'2012-08-01'")));
        check(month(2026, 12), Some(("'2026-12-01'", "'2027-01-01'")));
        check(month(2026, 13), None);
        check(Period::year(12), None);
        check(Period::year(9_999), None);
    }

    #[test]
    fn days_know_leap_years() {
        let day = Period::of_day;
        check(day("2024-02-28"), Some(("'2024-02-28'", "'2024-02-29'")));
        check(day("2024-02-29"), Some(("'2024-02-29'", "'2024-03-01'")));
        check(day("2023-02-28"), Some(("'2023-02-28'", "'2023-03-01'")));
        check(day("2000-02-29"), Some(("'2000-02-29'", "'2000-03-01'")));
        check(day("1900-02-29"), None);
        check(day("2026-12-31"), Some(("'2026-12-31'", "'2027-01-01'")));
        check(day("20260430"), Some(("'2026-04-30'", "'2026-05-01'")));
        check(day("2026-02-01 00:00:00"), Some(("'2026-02-01'", "'2026-02-02'")));
        for text in ["2026-02-30", "2026-2-1", "2026-02-01 10:00:00", "x", "", "éééé"] {
            check(day(text), None);
        }
    }

    #[test]
    fn formats_give_the_stretch_that_they_write() {
        let of = Period::by_format;
        check(of("%Y-%m", "2026-02"), Some(("'2026-02-01'", "'2026-03-01'")));
        check(of("%d.%m.%Y", "31.01.2026"), Some(("'2026-01-31'", "'2026-02-01'")));
        check(
            of("%Y-%m-%d %H", "2026-12-31 23"),
            Some(("'2026-12-31 23:00:00'", "'2027-01-01 00:00:00'")),
        );
        check(
            of("%Y-%m-%d %H:%i", "2024-02-28 23:59"),
            Some(("'2024-02-28 23:59:00'", "'2024-02-29 00:00:00'")),
        );
        check(of("%Y-%d", "2026-02"), None);
        check(of("%m", "02"), None);
        check(of("%Y-%m", "2026-2"), None);
        check(of("%y", "26"), None);
        check(of("%Y-%m", "2026-02-01"), None);
        check(of("%", "2026"), None);
    }

    #[test]
    fn comparisons_of_stretches_become_ranges() {
        let day = |text: &str| (format!("'{text}a'"), format!("'{text}b'"));
        let of = |op: &str, days: &[&str]| {
            bounds("c", op, &days.iter().map(|it| day(it)).collect::<Vec<_>>())
        };
        assert_eq!(of("=", &["1"]).as_deref(), Some("c >= '1a' AND c < '1b'"));
        assert_eq!(of("<", &["1"]).as_deref(), Some("c < '1a'"));
        assert_eq!(of("<=", &["1"]).as_deref(), Some("c < '1b'"));
        assert_eq!(of(">", &["1"]).as_deref(), Some("c >= '1b'"));
        assert_eq!(of(">=", &["1"]).as_deref(), Some("c >= '1a'"));
        assert_eq!(of("BETWEEN", &["1", "2"]).as_deref(), Some("c >= '1a' AND c < '2b'"));
        assert_eq!(
            of("IN", &["1", "2"]).as_deref(),
            Some("(c >= '1a' AND c < '1b' OR c >= '2a' AND c < '2b')")
        );
        assert_eq!(of("<>", &["1"]), None);
    }
}
