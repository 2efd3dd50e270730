//! The print of the client on a terminal, and of `mysql -t`.
//!
//! ```text
//! +----+-------+
//! | id | Extra |
//! +----+-------+
//! |  1 | a | b |
//! +----+-------+
//! ```
//!
//! Cells are cut where the rule has its `+`, for a value may hold a bar. A value that outgrows its
//! column, as a rowid filter does on MariaDB, makes the line ragged; then ` | ` parts the cells.

use super::lines::{Lines, ends_print, quote};
use super::{Print, Row, RowSet, Wanted, value};

/// The print whose upper rule is this line.
pub fn read(lines: &Lines<'_>, at: usize, wanted: Wanted<'_>) -> Option<RowSet> {
    let first = lines.get(at)?;
    let quote = quote(first);
    let rule = Rule::new(&first[quote.len()..])?;
    let header = lines.unquoted(at + 1, quote)?;
    header.first().filter(|b| **b == b'|')?;
    let columns: Vec<String> = rule
        .cells(header)
        .unwrap_or_else(|| parted(header))
        .into_iter()
        .map(|cell| String::from_utf8_lossy(cell.trim_ascii()).into_owned())
        .collect();
    if !wanted(&columns) {
        return None;
    }
    let mut set = RowSet {
        print: Print::Boxed,
        columns,
        rows: Vec::new(),
        line: at,
        end: at + 2,
        cut: (!rule.is_whole).then_some(at),
    };
    match lines.unquoted(at + 2, quote).and_then(Rule::new) {
        Some(_) => body(lines, quote, &rule, &mut set),
        None => set.cut = set.cut.or(Some(at + 1)),
    }
    Some(set)
}

/// Reads the rows up to the lower rule.
fn body(lines: &Lines<'_>, quote: &[u8], rule: &Rule, set: &mut RowSet) {
    let mut at = set.end + 1;
    loop {
        let line = lines.unquoted(at, quote);
        match line {
            Some(line) if line.starts_with(b"|") => {
                let (row, end) = row(lines, quote, rule, at, set.columns.len());
                if row.cells.len() < set.columns.len() {
                    set.cut = set.cut.or(Some(at));
                }
                set.rows.push(row);
                at = end;
            }
            Some(line) if Rule::new(line).is_some() => {
                set.end = at + 1;
                return;
            }
            _ => {
                set.end = at;
                set.cut = set.cut.or(Some(at.saturating_sub(1)));
                return;
            }
        }
    }
}

/// A row, and the line behind it.
fn row(lines: &Lines<'_>, quote: &[u8], rule: &Rule, at: usize, columns: usize) -> (Row, usize) {
    let first = lines.unquoted(at, quote).unwrap_or_default();
    if let Some(cells) = rule.cells(first) {
        return (of_cells(at, cells), at + 1);
    }
    let goes_on = |at: usize| {
        lines.unquoted(at, quote).is_some_and(|line| !begins_anew(line))
            && !first.trim_ascii_end().ends_with(b"|")
    };
    let mut text = first.to_vec();
    let mut end = at + 1;
    while goes_on(end) {
        let line = lines.unquoted(end, quote).unwrap_or_default();
        // A print that has lost its end does not go on behind what the client says next.
        if ends_print(line) && !line.is_empty() {
            break;
        }
        text.push(b'\n');
        text.extend_from_slice(line);
        end += 1;
        let is_last = line.trim_ascii_end().ends_with(b"|")
            && lines.unquoted(end, quote).is_none_or(begins_anew);
        if is_last {
            break;
        }
    }
    let cells = if columns == 1 { vec![only(&text)] } else { some_parted(&text, columns) };
    (of_cells(at, cells), end)
}

/// Whether a line begins another row or ends the box.
fn begins_anew(line: &[u8]) -> bool {
    line.starts_with(b"|") || Rule::new(line).is_some()
}

fn of_cells(line: usize, cells: Vec<&[u8]>) -> Row {
    Row { line, cells: cells.into_iter().map(|cell| value(cell.trim_ascii())).collect() }
}

/// The value of a box of one column.
fn only(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_end();
    let text = text.strip_prefix(b"|").unwrap_or(text);
    text.strip_suffix(b"|").unwrap_or(text)
}

/// Cells by their bars, where a line does not keep to the rule.
fn parted(line: &[u8]) -> Vec<&[u8]> {
    some_parted(line, usize::MAX)
}

/// The same, not more than `most`: the last one keeps its bars.
fn some_parted(line: &[u8], most: usize) -> Vec<&[u8]> {
    let line = line.trim_ascii_end();
    let line = line.strip_prefix(b"|").unwrap_or(line);
    let mut rest = line.strip_suffix(b"|").unwrap_or(line);
    let mut cells = Vec::new();
    while cells.len() + 1 < most
        && let Some(at) = memchr::memmem::find(rest, b" | ")
    {
        cells.push(&rest[..at]);
        rest = &rest[at + 2..];
    }
    cells.push(rest);
    cells
}

/// The line `+----+-------+`.
#[derive(Debug)]
struct Rule {
    /// Columns of the screen at which it has a `+`.
    cuts: Vec<usize>,
    width: usize,
    /// Whether it ends with a `+`, as one does that is not cut.
    is_whole: bool,
}

impl Rule {
    fn new(line: &[u8]) -> Option<Rule> {
        let line = line.trim_ascii_end();
        let is_rule = line.starts_with(b"+-") && line.iter().all(|b| matches!(b, b'+' | b'-'));
        is_rule.then(|| Rule {
            cuts: memchr::memchr_iter(b'+', line).collect(),
            width: line.len(),
            is_whole: line.ends_with(b"+"),
        })
    }

    /// The cells of a line that keeps to the rule: letters may be one or two columns wide, or
    /// count as many as they have bytes, by what the client took the text for.
    fn cells<'a>(&self, line: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let line = line.trim_ascii_end();
        self.cut_by(line, wide)
            .or_else(|| self.cut_by(line, |_| 1))
            .or_else(|| self.cut_by(line, char::len_utf8))
    }

    fn cut_by<'a>(&self, line: &'a [u8], width: impl Fn(char) -> usize) -> Option<Vec<&'a [u8]>> {
        let mut bars = Vec::with_capacity(self.cuts.len());
        let mut cuts = self.cuts.iter().copied().peekable();
        let (mut column, mut at) = (0, 0);
        for chunk in line.utf8_chunks() {
            // A byte that is no letter stands for one.
            let invalid = (!chunk.invalid().is_empty()).then_some(('?', chunk.invalid().len()));
            let letters = chunk.valid().chars().map(|c| (c, c.len_utf8())).chain(invalid);
            for (c, length) in letters {
                if cuts.peek() == Some(&column) {
                    if c != '|' {
                        return None;
                    }
                    bars.push(at);
                    cuts.next();
                }
                column += if c.is_ascii() { 1 } else { width(c) };
                at += length;
            }
        }
        // Where the print is cut on the right, what is there of the last cell may be half a value.
        if self.is_whole && (cuts.peek().is_some() || column != self.width) {
            return None;
        }
        let cells = bars.windows(2).filter_map(|pair| line.get(pair[0] + 1..pair[1]));
        Some(cells.collect())
    }
}

/// Columns of the screen that a letter takes: two for those of East Asia.
fn wide(c: char) -> usize {
    const WIDE: [(u32, u32); 8] = [
        (0x1100, 0x115f),
        (0x2e80, 0x303e),
        (0x3041, 0xa4cf),
        (0xac00, 0xd7a3),
        (0xf900, 0xfaff),
        (0xfe30, 0xfe6f),
        (0xff00, 0xff60),
        (0x20000, 0x3fffd),
    ];
    let code = u32::from(c);
    1 + usize::from(WIDE.iter().any(|(first, last)| (*first..=*last).contains(&code)))
}
