//! Whether `filtered` is a guess of MySQL's optimizer.
//!
//! For a column without an index and without a histogram MySQL 5.7 and later assumes a fixed
//! share of rows for each kind of predicate, multiplies the shares, and keeps at least one row.
//! Such a `filtered` says nothing of the data. MariaDB has other ways and is never judged here.
//!
//! Measured on MySQL 9.7; the constants are `COND_FILTER_EQUALITY`, `_INEQUALITY` and `_BETWEEN`
//! of the server: 0.1, 0.3333, 0.1111.

use std::fmt;

use crate::flavor::Family;

/// Hundredths of a percent: 3,333 is the 33.33 of the column.
pub type Hundredths = u32;

/// All rows.
const ALL: Hundredths = 10_000;

/// A predicate on a column that has neither an index nor a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    /// `= const`, `<=>`, `IS NULL`, `NOT c`, `= (scalar subquery)`.
    Equal,
    /// `<`, `<=`, `>`, `>=`, also between two columns, also with NOT.
    Range,
    /// `BETWEEN`.
    Between,
    /// `LIKE`, whatever the pattern.
    Like,
    /// `IN` of so many values.
    In(u32),
    /// `!=`, `IS NOT NULL`, a bare column, `<>` between two columns.
    NotEqual,
    /// `NOT IN` of so many values.
    NotIn(u32),
    /// `NOT BETWEEN`.
    NotBetween,
    /// `NOT LIKE`.
    NotLike,
    /// `= const` or `IN` of a column that has few possible values: an enum, or a bit(1) with 2.
    Members {
        /// How many values the predicate names.
        of: u32,
        /// How many the column can have.
        all: u32,
    },
    /// `!=` of such a column, with the number of its values.
    NotMember(u32),
    /// `> ANY (subquery)` and its kin.
    Any,
    /// A function of the column, REGEXP, IS TRUE, `(a, b) > (1, 2)`, column = column.
    Opaque,
}

/// What is known of one `filtered`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Case<'a> {
    /// The value of the column.
    pub filtered: Hundredths,
    /// Rows of the table: `rows` of a full scan.
    pub table_rows: Option<u64>,
    /// The server.
    pub family: Family,
    /// Its version, major and minor number.
    pub version: Option<(u32, u32)>,
    /// Predicates on columns of the table without an index, if they are known: all of the
    /// groups must hold, and of each group any.
    pub predicates: Option<&'a [&'a [Predicate]]>,
    /// Whether the columns have histograms. Then only LIKE is guessed.
    pub has_histogram: bool,
}

/// Predicates whose shares make a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The predicates; shares multiply.
    pub predicates: Vec<Predicate>,
    /// Whether one of them is enough (OR): then shares add up, less what both keep.
    pub any: bool,
}

/// What a `filtered` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The predicates of the statement make this value by guesses alone.
    Guess(Hundredths),
    /// Guesses for these predicates would make this value; the statement is not known.
    CouldBe(Hundredths, Vec<Reading>),
    /// One row of the table, the least the optimizer assumes; and what could make it besides.
    OneRow(u64, Vec<Reading>),
    /// 100.00, which proves nothing.
    Everything,
    /// Not a guess that is known here: from an index, a histogram, or by a way of its own.
    NotKnown,
    /// The server does not guess so: MariaDB, TiDB, MySQL before 5.7.
    OtherServer,
}

impl Verdict {
    /// Whether the value may well be no measure of the data.
    pub fn is_guess(&self) -> bool {
        matches!(self, Verdict::Guess(_) | Verdict::CouldBe(..) | Verdict::OneRow(..))
    }
}

/// A share in parts of [`ONE`]: fine enough that products round as the server prints them.
type Share = u64;
const ONE: Share = 1_000_000_000_000;

impl Predicate {
    /// The share of rows that is assumed; `None` for numbers that cannot be.
    fn share(self) -> Option<Share> {
        let part = |share: u64| share.min(10_000) * (ONE / 10_000);
        let members = |of: u32, all: u32| {
            (all > 0 && of <= all).then(|| ONE * u64::from(of) / u64::from(all))
        };
        // IN adds up equalities, up to half of the rows.
        let list = |values: u32| part(u64::from(values.min(5)) * 1_000);
        match self {
            Predicate::Equal => Some(part(1_000)),
            Predicate::Range => Some(part(3_333)),
            Predicate::Between | Predicate::Like => Some(part(1_111)),
            Predicate::In(values) => (values > 0).then(|| list(values)),
            Predicate::NotEqual => Some(part(9_000)),
            Predicate::NotIn(values) => (values > 0).then(|| ONE - list(values)),
            Predicate::NotBetween | Predicate::NotLike => Some(part(8_889)),
            Predicate::Members { of, all } => members(of, all),
            Predicate::NotMember(all) => members(all.checked_sub(1)?, all),
            Predicate::Any => Some(part(6_667)),
            Predicate::Opaque => Some(ONE),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Equal => f.write_str("an equality"),
            Predicate::Range => f.write_str("a comparison by < or >"),
            // Two comparisons have the same share.
            Predicate::Between => f.write_str("a BETWEEN (or a LIKE, or two comparisons)"),
            Predicate::Like => f.write_str("a LIKE"),
            Predicate::In(values @ 0..=4) => write!(f, "an IN of {values} values"),
            Predicate::In(_) => f.write_str("an IN of 5 or more values"),
            Predicate::NotEqual => f.write_str("a != or IS NOT NULL"),
            Predicate::NotIn(values @ 0..=4) => write!(f, "a NOT IN of {values} values"),
            Predicate::NotIn(_) => f.write_str("a NOT IN of 5 or more values"),
            Predicate::NotBetween | Predicate::NotLike => f.write_str("a NOT BETWEEN or NOT LIKE"),
            Predicate::Members { of: 1, all: 2 } => {
                f.write_str("an equality with a BIT(1) or an ENUM of 2 members")
            }
            Predicate::Members { of: 1, all } => {
                write!(f, "an equality with an ENUM of {all} members")
            }
            Predicate::Members { of, all } => {
                write!(f, "an IN of {of} with an ENUM of {all} members")
            }
            Predicate::NotMember(all) => write!(f, "a != with an ENUM of {all} members"),
            Predicate::Any => f.write_str("a comparison with ANY (subquery)"),
            Predicate::Opaque => f.write_str("a function of a column"),
        }
    }
}

/// Tells what a `filtered` is.
pub fn judge(case: &Case<'_>) -> Verdict {
    let is_old = case.version.is_some_and(|version| version < (5, 7));
    if is_old || matches!(case.family, Family::MariaDb | Family::TiDb) {
        return Verdict::OtherServer;
    }
    if case.filtered == ALL {
        return Verdict::Everything;
    }
    match case.predicates {
        Some(predicates) => by_predicates(case, predicates),
        None => by_value(case),
    }
}

/// With the predicates known there is one value that guesses can make.
fn by_predicates(case: &Case<'_>, groups: &[&[Predicate]]) -> Verdict {
    let guessed = groups.iter().map(|group| {
        let shares = group.iter().map(|predicate| {
            let is_guess = !case.has_histogram
                || matches!(predicate, Predicate::Like | Predicate::NotLike | Predicate::Opaque);
            predicate.share().filter(|_| is_guess)
        });
        shares.reduce(|sum, share| Some(either(sum?, share?))).flatten()
    });
    let product = guessed.reduce(|product, share| Some(both(product?, share?))).flatten();
    let Some(product) = product else { return Verdict::NotKnown };
    match case.table_rows {
        Some(rows) if rows > 0 && product < ONE / rows && is_one_row(case.filtered, rows) => {
            Verdict::OneRow(rows, Vec::new())
        }
        _ if printed(product).abs_diff(case.filtered) <= 1 => Verdict::Guess(case.filtered),
        _ => Verdict::NotKnown,
    }
}

/// Without the predicates a value can only be known again.
fn by_value(case: &Case<'_>) -> Verdict {
    let readings = readings(case.filtered, case.has_histogram);
    match case.table_rows {
        Some(rows) if !case.has_histogram && is_one_row(case.filtered, rows) => {
            Verdict::OneRow(rows, readings)
        }
        _ if readings.is_empty() => Verdict::NotKnown,
        _ => Verdict::CouldBe(case.filtered, readings),
    }
}

/// Whether a value is 100 / rows, for a table of more than one row.
fn is_one_row(filtered: Hundredths, rows: u64) -> bool {
    rows > 1 && printed(ONE / rows) == filtered
}

/// A share as the server prints it, with two decimals of a percent.
fn printed(share: Share) -> Hundredths {
    let unit = ONE / u64::from(ALL);
    u32::try_from((share + unit / 2) / unit).unwrap_or(ALL).min(ALL)
}

fn both(a: Share, b: Share) -> Share {
    let product = u128::from(a) * u128::from(b) / u128::from(ONE);
    Share::try_from(product).unwrap_or(ONE)
}

fn either(a: Share, b: Share) -> Share {
    (a + b).saturating_sub(both(a, b)).min(ONE)
}

/// What single predicates are looked for without the statement.
const SINGLE: &[Predicate] = &[
    Predicate::Equal,
    Predicate::Range,
    Predicate::Between,
    Predicate::In(2),
    Predicate::In(3),
    Predicate::In(4),
    Predicate::In(5),
    Predicate::NotEqual,
    Predicate::NotIn(2),
    Predicate::NotIn(3),
    Predicate::NotBetween,
    Predicate::Any,
    Predicate::Members { of: 1, all: 2 },
    Predicate::Members { of: 1, all: 3 },
    Predicate::NotMember(3),
];
/// What is combined.
const COMBINED: &[Predicate] = &[
    Predicate::Equal,
    Predicate::Range,
    Predicate::Between,
    Predicate::NotEqual,
    Predicate::In(2),
    Predicate::In(3),
    Predicate::In(4),
];

/// Predicates whose guesses make a value: single ones, if there are none two, if there are none
/// three. The more are allowed, the more values can be made and the less it says.
fn readings(filtered: Hundredths, has_histogram: bool) -> Vec<Reading> {
    if has_histogram {
        let likes = [Predicate::Like, Predicate::NotLike].map(|like| reading(&[like], false));
        return likes.into_iter().filter(|like| like.makes(filtered)).collect();
    }
    let singles = SINGLE.iter().map(|single| reading(&[*single], false));
    let pairs =
        || COMBINED.iter().enumerate().flat_map(|(at, a)| COMBINED[at..].iter().map(|b| [*a, *b]));
    let found: Vec<Reading> = singles.filter(|reading| reading.makes(filtered)).collect();
    if !found.is_empty() {
        return found;
    }
    let twos = pairs().flat_map(|pair| [reading(&pair, false), reading(&pair, true)]);
    let found: Vec<Reading> = twos.filter(|reading| reading.makes(filtered)).collect();
    if !found.is_empty() {
        return found;
    }
    let threes = pairs().flat_map(|[a, b]| {
        let not_before = COMBINED.iter().skip_while(move |c| **c != b);
        not_before.map(move |c| reading(&[a, b, *c], false))
    });
    threes.filter(|reading| reading.makes(filtered)).collect()
}

fn reading(predicates: &[Predicate], any: bool) -> Reading {
    Reading { predicates: predicates.to_vec(), any }
}

impl Reading {
    fn share(&self) -> Option<Share> {
        let shares = self.predicates.iter().map(|predicate| predicate.share());
        let join = if self.any { either } else { both };
        shares.reduce(|a, b| Some(join(a?, b?))).flatten()
    }

    /// Whether these guesses make a value. Below 1 % a hundredth more or less is another value.
    fn makes(&self, filtered: Hundredths) -> bool {
        let tolerance = u32::from(filtered >= 100);
        self.share().is_some_and(|share| printed(share).abs_diff(filtered) <= tolerance)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = if self.any { " OR " } else { " AND " };
        for (at, predicate) in self.predicates.iter().enumerate() {
            write!(f, "{}{predicate}", if at == 0 { "" } else { join })?;
        }
        Ok(())
    }
}

/// A value as the column has it: `33.33`.
struct Percent(Hundredths);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Readings told at most.
const TOLD: usize = 3;

fn tell(f: &mut fmt::Formatter<'_>, readings: &[Reading]) -> fmt::Result {
    for (at, reading) in readings.iter().take(TOLD).enumerate() {
        write!(f, "{}{reading}", if at == 0 { "" } else { "; or for " })?;
    }
    Ok(())
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Guess(filtered) => write!(
                f,
                "{} is what MySQL assumes for such predicates on columns without an index or a histogram; \
                 it was not measured.",
                Percent(*filtered)
            ),
            Verdict::CouldBe(filtered, readings) => {
                write!(f, "{} is what MySQL assumes, without looking at the data, for ", Percent(*filtered))?;
                tell(f, readings)?;
                f.write_str(", where the columns have no index and no histogram.")
            }
            Verdict::OneRow(rows, readings) => {
                write!(
                    f,
                    "{} is one row of {rows}, the least that MySQL assumes; it was not measured.",
                    Percent(printed(ONE / (*rows).max(1)))
                )?;
                if !readings.is_empty() {
                    f.write_str(" It is also what MySQL assumes for ")?;
                    tell(f, readings)?;
                    f.write_str(".")?;
                }
                Ok(())
            }
            Verdict::Everything => f.write_str(
                "100.00 does not prove that the condition keeps every row: MySQL assumes it for functions of a column, \
                 REGEXP, comparisons of rows and equality of two columns.",
            ),
            Verdict::NotKnown => f.write_str(
                "No default of MySQL makes this value: it comes from an index, a histogram or another estimate.",
            ),
            Verdict::OtherServer => {
                f.write_str("The defaults of MySQL 5.7 and later do not apply to this server.")
            }
        }
    }
}

#[cfg(test)]
mod tests;
