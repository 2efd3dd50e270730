//! Steps that a narrow terminal or a mail has put into several lines.
//!
//! ```text
//! -> Table scan on pens  (cost=3 rows=4) (actual time=0.5..0.7 ro
//! ws=4 loops=1)
//! ```
//!
//! A terminal breaks a line where it is full, within a word too; a mail breaks it at a blank, which
//! is lost. Pieces are joined where only one way gives the figures at the end of a step, or the
//! widths of the lines tell which of both it was.

use super::super::Amount;
use super::{actual, figures, figures_of_rows, level};
use crate::rowset::lines::ends_print;

/// Lines that are looked at for their widths.
const NEAR: usize = 2000;
/// Bytes of a step that is joined.
const LONGEST: usize = 64 * 1024;

/// The width of the widest lines of a print.
#[derive(Debug, Clone, Copy)]
pub struct Widest {
    width: usize,
    /// How many are so wide.
    lines: usize,
    /// Blanks before each step, which pieces do not have.
    indent: usize,
}

impl Widest {
    /// Looks at the lines of a tree.
    pub fn of<'a>(
        line: usize,
        line_of: impl Fn(usize) -> Option<&'a [u8]>,
        indent: usize,
    ) -> Widest {
        let lines = (line..line.saturating_add(NEAR)).map_while(line_of);
        let widths = lines
            .take_while(|text| !ends_print(text))
            .map(|text| width(text) + if level(text).is_some() { indent } else { 0 });
        widths.fold(Widest { width: 0, lines: 0, indent }, |widest, width| match width {
            _ if width > widest.width => Widest { width, lines: 1, indent },
            _ if width == widest.width => Widest { lines: widest.lines + 1, ..widest },
            _ => widest,
        })
    }
}

fn width(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

/// The whole line of a step, of its first line and those behind it; `None` if it is whole already
/// or if it is not certain how they belong together.
pub fn joined(first: &[u8], pieces: &[&[u8]], widest: Widest) -> Option<String> {
    let first = String::from_utf8_lossy(first);
    let length = pieces.iter().fold(first.len(), |sum, piece| sum.saturating_add(piece.len()));
    let second = pieces.first()?.trim_ascii_start();
    let is_measured = second.starts_with(b"(actual ") || second == b"(never executed)";
    if length > LONGEST || is_read(&first) && !is_measured {
        return None;
    }
    let (mut filled, mut parted) = (first.to_string(), first.trim_end().to_owned());
    for piece in pieces {
        let piece = String::from_utf8_lossy(piece);
        filled.push_str(&piece);
        parted.push(' ');
        parted.push_str(piece.trim());
    }
    let (_, before) = pieces.split_last()?;
    let is_full = |text: &&[u8]| width(text) == widest.width;
    let are_full =
        before.iter().all(is_full) && width(first.as_bytes()) + widest.indent == widest.width;
    match (is_read(&filled), is_read(&parted)) {
        (true, false) => Some(filled),
        (true, true) if filled == parted => Some(filled),
        (false, true) => Some(parted),
        // One line that is the widest may be broken either way.
        (true, true) if are_full && widest.lines > 1 => Some(filled),
        (true, true) if !are_full || is_measured => Some(parted),
        _ => None,
    }
}

/// Whether a step has figures at its end that can be read.
pub fn is_read(text: &str) -> bool {
    let text = text.trim_end();
    if let Some((_, measured)) = figures(text, "(actual ") {
        return actual(measured).is_some();
    }
    let is_figure = |pair: &str| {
        pair.split_once('=').is_some_and(|(_, value)| {
            value.split("..").all(|amount| Amount::parse(amount).is_some())
        })
    };
    let expected = figures(text, "(cost=").or_else(|| figures_of_rows(text));
    text.ends_with("(never executed)")
        || expected.is_some_and(|(_, figures)| figures.split(' ').all(is_figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of one step, with how wide the widest lines are and how many.
    #[track_caller]
    fn check(lines: &[&str], (width, count): (usize, usize), want: Option<&str>) {
        let pieces: Vec<&[u8]> = lines[1..].iter().map(|line| line.as_bytes()).collect();
        let got = joined(lines[0].as_bytes(), &pieces, Widest { width, lines: count, indent: 0 });
        assert_eq!(got.as_deref(), want, "{lines:?}");
    }

    #[test]
    fn figures_tell_how_pieces_belong_together() {
        let scan = "-> Table scan on pens  (cost=3 rows=41)";
        check(&["-> Table scan on pens  (cost=3 rows=4", "1)"], (37, 1), Some(scan));
        check(&["-> Table scan on pens  (cost=3", "rows=41)"], (30, 1), Some(scan));
        check(&["-> Table scan on pens  (cost=3 ", "rows=41)"], (31, 1), Some(scan));
        check(&["-> Table scan on pens  (co", "st=3 ro", "ws=41)"], (26, 1), Some(scan));
        let never = format!("{scan} (never executed)");
        check(&[scan, "(never executed)"], (39, 1), Some(&never));
        check(&[scan, "is what takes the time (cost=9)"], (39, 1), None);
        check(
            &[scan, "(actual time=1..2 rows=3 loops=1)"],
            (60, 1),
            Some("-> Table scan on pens  (cost=3 rows=41) (actual time=1..2 rows=3 loops=1)"),
        );
    }

    #[test]
    fn widths_tell_where_figures_do_not() {
        // `pens`, or two words.
        let lines = ["-> Table scan on pe", "ns  (cost=3 rows=4)"];
        check(&lines, (19, 2), Some("-> Table scan on pens  (cost=3 rows=4)"));
        check(&lines, (19, 1), None);
        let lines = ["-> Filter: (a and", "b)  (cost=3 rows=4)"];
        check(&lines, (30, 1), Some("-> Filter: (a and b)  (cost=3 rows=4)"));
    }
}
