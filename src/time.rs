//! Instants, the spellings of `# Time:` in a slow log, and the zone a log was written in.
//!
//! ```text
//! # Time: 071015  9:43:52                      MySQL 5.0 to 5.6, MariaDB: server's zone, unmarked
//! # Time: 2026-03-06T17:01:40.250000Z          MySQL 5.7 and later
//! # Time: 2026-03-06T18:01:40.250000+01:00     log_timestamps=SYSTEM
//! # Time: 2026-03-06T17:52:20.969326790+08:00  TiDB
//! ```

use std::fmt;

use nom::bytes::complete::{tag, take_while_m_n};
use nom::character::complete::one_of;
use nom::combinator::{map_opt, opt, value, verify};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser, branch::alt};

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// An instant: microseconds since 1970-01-01 00:00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The instant this many microseconds later (earlier when negative); `None` past the range.
    pub fn plus(self, micros: i64) -> Option<Timestamp> {
        self.0.checked_add(micros).map(Timestamp)
    }

    /// Civil date and time of day in UTC.
    pub fn civil(self) -> Civil {
        let days = self.0.div_euclid(DAY);
        let (year, month, day) = civil_from_days(days);
        Civil { year, month, day, micros: self.0.rem_euclid(DAY) }
    }
}

/// Prints `2026-03-06T17:01:40.250000Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.civil();
        let (hour, minute, second, micros) = civil.clock();
        let Civil { year, month, day, .. } = civil;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
    }
}

/// A date and a time of day, in no particular zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Year of the Gregorian calendar.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// Microseconds since midnight.
    pub micros: i64,
}

impl Civil {
    /// The time as if it were UTC.
    pub fn as_utc(self) -> Timestamp {
        Timestamp(days_from_civil(self.year, self.month, self.day) * DAY + self.micros)
    }

    /// Hour, minute, second and microsecond of the day.
    pub fn clock(self) -> (i64, i64, i64, i64) {
        let seconds = self.micros / SECOND;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, self.micros % SECOND)
    }
}

/// Days since 1970-01-01, proleptic Gregorian.
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = i64::from(month);
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse of [`days_from_civil`], from the same source.
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// A time as a log prints it: a civil time, and the distance to UTC where the log marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogTime {
    /// What was printed, taken as UTC.
    pub civil: Timestamp,
    /// Seconds east of UTC; `None` where the log does not say.
    pub offset: Option<i32>,
}

impl LogTime {
    /// The instant, where the log marks its zone.
    pub fn instant(self) -> Option<Timestamp> {
        self.offset.and_then(|offset| self.civil.plus(-i64::from(offset) * SECOND))
    }
}

/// Reads the value of `# Time:`, `Start:` or `End:`.
///
/// - Grammar: `yymmdd` 1*2" " `h:mm:ss`, or `yyyy-mm-dd` ("T" / " ") `hh:mm:ss`; each with an
///   optional fraction of any length, and `Z` or `±hh:mm` behind it.
/// - Unit: microseconds; further decimals are cut.
/// - Errors: a month, day, hour, minute or second that no calendar has.
/// - Source: MySQL 5.0 to 5.6 and MariaDB print the short form, MySQL since 5.7 the long one.
pub fn log_time(input: &[u8]) -> IResult<&[u8], LogTime> {
    if let Some((time, rest)) = fixed_time(input) {
        return Ok((rest, time));
    }
    let (rest, (year, month, day)) = alt((long_date, short_date)).parse(input)?;
    let (rest, micros) = clock(rest)?;
    let (rest, offset) = opt(zone_mark).parse(rest)?;
    let civil = Civil { year, month, day, micros };
    if !valid(civil) {
        return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Verify)));
    }
    Ok((rest, LogTime { civil: civil.as_utc(), offset }))
}

/// Whether a text begins like a time. Where it has the usual form, the calendar is not asked:
/// `2026-13-01T…` passes here and is refused by [`log_time`].
pub fn is_log_time(input: &[u8]) -> bool {
    let hour = |text: &[u8; 27]| is_fixed(text) && text[11..13] < b"24"[..];
    input.first_chunk().is_some_and(hour) || log_time(input).is_ok()
}

/// The one form that nearly every line of a modern log has, `2026-03-06T17:01:40.250000Z`, read
/// without the grammar; `None` for any other.
pub(crate) fn fixed_time(input: &[u8]) -> Option<(LogTime, &[u8])> {
    let (text, rest) = input.split_first_chunk::<27>()?;
    if !is_fixed(text) {
        return None;
    }
    let two = |at: usize| i64::from(text[at] - b'0') * 10 + i64::from(text[at + 1] - b'0');
    let (hour, minute, second) = (two(11), two(14), two(17));
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let micros = two(20) * 10_000 + two(22) * 100 + two(24);
    let civil = Civil {
        year: two(0) * 100 + two(2),
        month: two(5) as u32,
        day: two(8) as u32,
        micros: (hour * 3600 + minute * 60 + second) * SECOND + micros,
    };
    valid(civil).then(|| (LogTime { civil: civil.as_utc(), offset: Some(0) }, rest))
}

/// Whether all marks and digits stand where the fixed form has them.
#[inline]
fn is_fixed(text: &[u8; 27]) -> bool {
    const FORM: [u8; 27] = *b"0000-00-00T00:00:00.000000Z";
    // What carries into the top bit of a byte: for a digit more than 9, for a mark any difference.
    const CARRY: [u8; 27] = {
        let mut carry = [0x7f; 27];
        let mut place = 0;
        while place < carry.len() {
            if FORM[place] == b'0' {
                carry[place] -= 9;
            }
            place += 1;
        }
        carry
    };
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let word = |bytes: &[u8; 27], at: usize| {
        bytes[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word))
    };
    let odd = |at: usize| {
        let difference = word(text, at) ^ word(&FORM, at);
        (difference | ((difference & LOW) + word(&CARRY, at))) & !LOW
    };
    odd(0) | odd(8) | odd(16) | odd(19) == 0
}

fn valid(civil: Civil) -> bool {
    let leap = civil.year % 4 == 0 && (civil.year % 100 != 0 || civil.year % 400 == 0);
    let days = match civil.month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&civil.day)
}

fn digits(min: usize, max: usize) -> impl Fn(&[u8]) -> IResult<&[u8], u32> {
    move |input| {
        map_opt(take_while_m_n(min, max, |b: u8| b.is_ascii_digit()), |digits: &[u8]| {
            digits.iter().try_fold(0u32, |sum, digit| {
                sum.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
            })
        })
        .parse(input)
    }
}

fn long_date(input: &[u8]) -> IResult<&[u8], (i64, u32, u32)> {
    let (rest, year) = terminated(digits(4, 4), tag("-")).parse(input)?;
    let (rest, month) = terminated(digits(1, 2), tag("-")).parse(rest)?;
    let (rest, day) = terminated(digits(1, 2), one_of("T ")).parse(rest)?;
    Ok((rest, (i64::from(year), month, day)))
}

fn short_date(input: &[u8]) -> IResult<&[u8], (i64, u32, u32)> {
    let (rest, date) = digits(6, 6)(input)?;
    let (rest, _) = take_while_m_n(1, 2, |b| b == b' ')(rest)?;
    Ok((rest, (2000 + i64::from(date / 10_000), date / 100 % 100, date % 100)))
}

fn clock(input: &[u8]) -> IResult<&[u8], i64> {
    let (rest, hour) = terminated(digits(1, 2), tag(":")).parse(input)?;
    let (rest, minute) = terminated(digits(1, 2), tag(":")).parse(rest)?;
    let (rest, second) = digits(1, 2)(rest)?;
    let fraction = preceded(tag("."), take_while_m_n(1, 32, |b: u8| b.is_ascii_digit()));
    let (rest, fraction) = opt(fraction).parse(rest)?;
    if hour > 23 || minute > 59 || second > 60 {
        return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Verify)));
    }
    let seconds = i64::from(hour * 3600 + minute * 60 + second);
    Ok((rest, seconds * SECOND + fraction.map_or(0, micros_of)))
}

/// Scales decimals to microseconds: `5` is 500,000; digits past the sixth are cut.
fn micros_of(decimals: &[u8]) -> i64 {
    let padded = decimals.iter().chain(std::iter::repeat(&b'0')).take(6);
    padded.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))
}

fn zone_mark(input: &[u8]) -> IResult<&[u8], i32> {
    alt((value(0, tag("Z")), signed_offset)).parse(input)
}

fn signed_offset(input: &[u8]) -> IResult<&[u8], i32> {
    let (rest, sign) = one_of("+-")(input)?;
    let (rest, hours) = digits(2, 2)(rest)?;
    let (rest, _) = opt(tag(":")).parse(rest)?;
    let (rest, minutes) = verify(digits(2, 2), |minutes| *minutes < 60).parse(rest)?;
    let seconds = (hours * 3600 + minutes * 60) as i32;
    Ok((rest, if sign == '-' { -seconds } else { seconds }))
}

/// A time zone that a user named, or UTC.
#[derive(Debug, Clone)]
pub struct Zone(jiff::tz::TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Zone = Zone(jiff::tz::TimeZone::UTC);

    /// Reads `UTC`, `Z`, `local`, an offset such as `+02:00`, or an IANA name such as
    /// `Europe/Berlin`.
    ///
    /// Errors: a name that the zone database does not have; the message says so.
    pub fn named(name: &str) -> Result<Zone, String> {
        if name.eq_ignore_ascii_case("utc") || name == "Z" {
            return Ok(Zone::UTC);
        }
        if let Ok((rest, offset)) = signed_offset(name.as_bytes())
            && rest.is_empty()
        {
            let offset = jiff::tz::Offset::from_seconds(offset)
                .map_err(|_| format!("offset {name} is out of range"))?;
            return Ok(Zone(offset.to_time_zone()));
        }
        if name.eq_ignore_ascii_case("local") || name.eq_ignore_ascii_case("system") {
            return Ok(Zone(jiff::tz::TimeZone::system()));
        }
        jiff::tz::TimeZone::get(name).map(Zone).map_err(|_| {
            format!("unknown time zone \"{name}\"; give UTC, +02:00 or a name like Europe/Berlin")
        })
    }

    /// The zone whose clocks are so many seconds ahead of UTC; UTC past a day.
    pub fn of_offset(seconds: i32) -> Zone {
        let offset = jiff::tz::Offset::from_seconds(seconds);
        offset.map_or(Zone::UTC, |offset| Zone(offset.to_time_zone()))
    }

    /// Prints an instant with its zone mark: `2026-03-06T18:01:40.250000+01:00`, `Z` for UTC.
    pub fn print_marked(&self, instant: Timestamp) -> String {
        let (civil, offset) = self.shown_at(instant);
        let text = civil.to_string();
        if offset == 0 {
            return text;
        }
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 3600, offset.abs() / 60 % 60);
        format!("{}{sign}{hours:02}:{minutes:02}", text.trim_end_matches('Z'))
    }

    /// The instant at which a clock in this zone shows `civil`. In the hour that a clock change
    /// repeats the earlier instant is taken, in the one it skips the later reading.
    pub fn instant_of(&self, civil: Timestamp) -> Timestamp {
        let shown = jiff::Timestamp::from_microsecond(civil.0)
            .map(|time| jiff::tz::TimeZone::UTC.to_datetime(time));
        let instant = shown.and_then(|shown| self.0.to_timestamp(shown));
        instant.map_or(civil, |instant| Timestamp(instant.as_microsecond()))
    }

    /// What a clock in this zone shows at `instant`, as a civil time taken as UTC, and the
    /// offset in seconds.
    pub fn shown_at(&self, instant: Timestamp) -> (Timestamp, i32) {
        let Ok(time) = jiff::Timestamp::from_microsecond(instant.0) else { return (instant, 0) };
        let seconds = self.0.to_offset(time).seconds();
        (Timestamp(instant.0 + i64::from(seconds) * SECOND), seconds)
    }

    /// Prints an instant as a clock in this zone shows it: `2026-03-06 18:01:40`, with
    /// microseconds if they are not zero.
    pub fn print(&self, instant: Timestamp) -> String {
        let civil = self.shown_at(instant).0.civil();
        let (hour, minute, second, micros) = civil.clock();
        let Civil { year, month, day, .. } = civil;
        let head = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
        if micros == 0 { head } else { format!("{head}.{micros:06}") }
    }
}

/// Reads a time that a user typed for `--since` or `--until`.
///
/// - Grammar: the spellings of [`log_time`], a date alone (midnight), seconds since 1970 (nine
///   digits or more), or `N` and one of `s m h d`: that long before `now`.
/// - A time without a zone mark is in `zone`.
/// - Errors: anything else, with what was expected.
pub fn typed(text: &str, zone: &Zone, now: Timestamp) -> Result<Timestamp, String> {
    let bytes = text.trim().as_bytes();
    let expected = || {
        format!(
            "\"{text}\" is no time; expected 2026-03-06, 2026-03-06 17:01:40, 260306 17:01:40, \
             seconds since 1970, or an age like 90m, 12h, 7d"
        )
    };
    if let Some((number, unit)) = text.trim().split_at_checked(bytes.len().saturating_sub(1))
        && let Some(seconds) = unit_seconds(unit)
        && let Ok(count) = number.parse::<i64>()
        && !number.starts_with(['+', '-'])
    {
        let age = count.checked_mul(seconds).and_then(|s| s.checked_mul(SECOND));
        return age.and_then(|age| now.plus(-age)).ok_or_else(expected);
    }
    if bytes.len() >= 9 && bytes.iter().all(u8::is_ascii_digit) {
        let seconds = text.trim().parse::<i64>().ok();
        return seconds.and_then(|s| s.checked_mul(SECOND)).map(Timestamp).ok_or_else(expected);
    }
    let midnight = [bytes, b" 00:00:00"].concat();
    let minute = [bytes, b":00"].concat();
    let read = [bytes, &minute, &midnight].into_iter().find_map(|text| {
        log_time(text).ok().filter(|(rest, _)| rest.is_empty()).map(|(_, time)| time)
    });
    let time = read.ok_or_else(expected)?;
    Ok(time.instant().unwrap_or_else(|| zone.instant_of(time.civil)))
}

fn unit_seconds(unit: &str) -> Option<i64> {
    match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        "d" => Some(86_400),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        let got = log_time(text.as_bytes()).ok().map(|(rest, time)| {
            let zone = time.offset.map_or("unmarked".to_owned(), |o| o.to_string());
            format!("{} {zone} {:?}", time.civil, String::from_utf8_lossy(rest))
        });
        assert_eq!(got.as_deref(), want, "{text:?}");
    }

    #[test]
    fn short_form_takes_one_or_two_blanks() {
        check("071015 21:43:52", Some("2007-10-15T21:43:52.000000Z unmarked \"\""));
        check("081127  8:51:20", Some("2008-11-27T08:51:20.000000Z unmarked \"\""));
        check("100518 5:11:01", Some("2010-05-18T05:11:01.000000Z unmarked \"\""));
        check("121123 19:56:06.0000001967", Some("2012-11-23T19:56:06.000000Z unmarked \"\""));
    }

    #[test]
    fn long_form_keeps_fraction_and_zone() {
        check("2016-07-20T18:13:25.698433Z", Some("2016-07-20T18:13:25.698433Z 0 \"\""));
        check("2023-11-15T06:14:20.000005+08:00", Some("2023-11-15T06:14:20.000005Z 28800 \"\""));
        check("2023-11-14T18:42:20-03:30", Some("2023-11-14T18:42:20.000000Z -12600 \"\""));
        check(
            "2026-03-06T17:52:20.969326790+08:00 x",
            Some("2026-03-06T17:52:20.969326Z 28800 \" x\""),
        );
    }

    #[test]
    fn the_short_way_and_the_grammar_agree() {
        for text in [
            "2016-07-20T18:13:25.698433Z",
            "2016-02-29T23:59:60.000000Z# x",
            "2016-02-30T18:13:25.698433Z",
            "2016-07-20T24:13:25.698433Z",
            "2016-07-20T18:13:25.69843xZ",
            "2016-07-20 18:13:25.698433Z",
        ] {
            // One decimal more keeps a text off the short way and changes nothing else.
            let longer = text.replacen('Z', "0Z", 1);
            let short = log_time(text.as_bytes()).ok().map(|(_, time)| time);
            let long = log_time(longer.as_bytes()).ok().map(|(_, time)| time);
            assert_eq!(short, long, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        check("margdl 11:48:27", None);
        check("2026-02-30T00:00:00Z", None);
        check("2026-13-01T00:00:00Z", None);
        check("260306 24:00:00", None);
        check("260306 1:60:00", None);
        check("", None);
    }

    #[test]
    fn instants_and_civil_times_are_inverse() {
        for days in (-800_000..800_000).step_by(97) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Timestamp(951_782_400 * SECOND).to_string(), "2000-02-29T00:00:00.000000Z");
        assert_eq!(Timestamp(-1).to_string(), "1969-12-31T23:59:59.999999Z");
    }

    #[test]
    fn users_may_type_times_in_several_ways() {
        let now = Timestamp(1_700_000_000 * SECOND);
        let berlin = Zone::named("Europe/Berlin").unwrap();
        let read = |text: &str| typed(text, &Zone::UTC, now).map(|t| t.to_string());
        assert_eq!(read("2026-03-06").unwrap(), "2026-03-06T00:00:00.000000Z");
        assert_eq!(read("2026-03-06 17:01").unwrap(), "2026-03-06T17:01:00.000000Z");
        assert_eq!(read("2026-03-06T17:01:40+01:00").unwrap(), "2026-03-06T16:01:40.000000Z");
        assert_eq!(read("260306 17:01:40").unwrap(), "2026-03-06T17:01:40.000000Z");
        assert_eq!(read("1700000000").unwrap(), "2023-11-14T22:13:20.000000Z");
        assert_eq!(read("90m").unwrap(), "2023-11-14T20:43:20.000000Z");
        assert_eq!(
            typed("2026-07-01 12:00:00", &berlin, now).unwrap().to_string(),
            "2026-07-01T10:00:00.000000Z"
        );
        assert!(read("yesterday").unwrap_err().contains("is no time"));
        assert!(read("-5m").is_err());
        assert!(read("99999999999999999999").is_err());
    }

    #[test]
    fn zones_are_named_or_offsets() {
        assert!(Zone::named("Mars/Olympus").unwrap_err().contains("unknown time zone"));
        let zone = Zone::named("+05:30").unwrap();
        assert_eq!(zone.print(Timestamp(0)), "1970-01-01 05:30:00");
        assert_eq!(zone.instant_of(Timestamp(0)).0, -19_800 * SECOND);
    }
}
