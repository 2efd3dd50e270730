//! Figures that a monitor showed while the load ran, as the user tells them: they test what a log
//! claims.

use std::collections::BTreeMap;

use crate::amount::Amount;

/// What a monitor shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// Transactions a second.
    Transactions,
    /// Statements a second.
    Statements,
    /// Sorts a second.
    Sorts,
    /// Rows sorted a second.
    SortedRows,
    /// Percent of the processor time that is used, of all cores.
    Cpu,
}

impl Figure {
    /// All of them.
    pub const ALL: [Figure; 5] =
        [Figure::Transactions, Figure::Statements, Figure::Sorts, Figure::SortedRows, Figure::Cpu];

    /// As users type it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Figure::Transactions => "tps",
            Figure::Statements => "qps",
            Figure::Sorts => "sorts",
            Figure::SortedRows => "sorted-rows",
            Figure::Cpu => "cpu",
        }
    }
}

/// From the least to the greatest figure that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least one.
    pub low: Amount,
    /// The greatest one.
    pub high: Amount,
}

impl Range {
    /// One figure.
    #[must_use]
    pub fn of(amount: Amount) -> Range {
        Range { low: amount, high: amount }
    }
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Monitor {
    figures: BTreeMap<Figure, Range>,
}

impl Monitor {
    /// A figure, if it was told.
    #[must_use]
    pub fn get(&self, figure: Figure) -> Option<Range> {
        self.figures.get(&figure).copied()
    }

    /// Whether nothing was told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// Takes a figure; one told before is forgotten.
    pub fn set(&mut self, figure: Figure, range: Range) {
        self.figures.insert(figure, range);
    }
}

/// Reads a figure as users type it.
///
/// - Grammar: `NAME "=" NUMBER [ ".." NUMBER ]`; `NAME` is a [word](Figure::word), any letter case,
///   `_` for `-`
/// - Unit: per second; `cpu` in percent of all cores
/// - Errors: another name, what is no decimal number, a range that falls, more than 100 percent
pub fn parse(text: &str) -> Result<(Figure, Range), String> {
    let names = || Figure::ALL.map(Figure::word).join(", ");
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("expected NAME=VALUE, NAME one of {}", names()))?;
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    let figure = Figure::ALL.into_iter().find(|it| it.word() == name);
    let figure =
        figure.ok_or_else(|| format!("no figure is called {name:?}; there are {}", names()))?;
    let number = |text: &str| {
        let expected = || format!("{text:?} is no number; expected such as 259.2 or 2500..3000");
        Amount::parse(text.trim()).ok_or_else(expected)
    };
    let range = match value.split_once("..") {
        Some((low, high)) => Range { low: number(low)?, high: number(high)? },
        None => Range::of(number(value)?),
    };
    if range.low > range.high {
        return Err(format!("{value:?} falls; expected the least figure first"));
    }
    if figure == Figure::Cpu && range.high > Amount::whole(100) {
        return Err("cpu is in percent of all cores, at most 100".to_owned());
    }
    Ok((figure, range))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    #[test]
    fn figures_are_numbers_or_ranges() {
        assert_eq!(parse("tps=259.2"), Ok((Figure::Transactions, Range::of(amount("259.2")))));
        let range = Range { low: amount("8000"), high: amount("10000") };
        assert_eq!(parse("Sorted_Rows= 8000 .. 10000"), Ok((Figure::SortedRows, range)));
        assert_eq!(parse("cpu=100"), Ok((Figure::Cpu, Range::of(amount("100")))));
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        for text in
            ["", "tps", "tps=", "tps=x", "tps=-1", "load=3", "qps=3..2", "cpu=101", "qps=1..2..3"]
        {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
