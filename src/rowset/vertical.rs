//! The print after `\G`: a line for each value.
//!
//! ```text
//! *************************** 1. row ***************************
//!            id: 1
//!   select_type: SIMPLE
//! ```
//!
//! Names end at the same column. A line of stars parts rows; where it is lost, a name that comes
//! again begins a row. A value may hold line ends: what is no `name:` goes on with it.

use super::lines::{Lines, ends_print, quote, quote_of_aligned};
use super::{Print, Row, RowSet, Wanted, value};

/// Columns of a print; a server has no more.
const MOST: usize = 4096;
/// Columns of a print without stars: any list of `name: value` looks like one, and is looked at
/// from each of its lines.
const MOST_BARE: usize = 64;

/// The print that begins at this line: a line of stars, or a first value without one.
pub fn read(lines: &Lines<'_>, at: usize, wanted: Wanted<'_>) -> Option<RowSet> {
    let first = lines.get(at)?;
    let stars = number(&first[quote(first).len()..]);
    let quote = match stars {
        Some(_) => quote(first),
        None => quote_of_aligned(first),
    };
    let start = if stars.is_some() { at + 1 } else { at };
    let colon = field(lines.unquoted(start, quote)?, None)?.colon;
    let mut reader = Reader { lines, quote, colon, has_stars: stars.is_some() };
    let (names, row, mut end) = reader.row(start, at)?;
    if !wanted(&names) {
        return None;
    }
    let mut rows = vec![row];
    loop {
        let next = lines.unquoted(end, quote);
        let begins = if reader.has_stars {
            next.and_then(number).filter(|number| *number != 1).map(|_| end + 1)
        } else {
            next.filter(|line| !ends_print(line)).map(|_| end)
        };
        let Some((again, row, behind)) = begins.and_then(|start| reader.row(start, end)) else {
            break;
        };
        // A cut row has fewer names; any other list of names is another print.
        if !names.starts_with(&again) {
            break;
        }
        rows.push(row);
        end = behind;
    }
    let cut = rows.last().filter(|row| row.cells.len() < names.len()).map(|row| row.line);
    // Stars with nothing below them, or a part of them, were to be another row.
    let is_begun = |line: &[u8]| match number(line) {
        Some(number) => number != 1,
        None => line.starts_with(b"*****"),
    };
    let begun = lines.unquoted(end, quote).filter(|line| reader.has_stars && is_begun(line));
    let cut = cut.or(begun.map(|_| end));
    Some(RowSet { print: Print::Vertical, columns: names, rows, line: at, end, cut })
}

/// The number of `***** 1. row *****`.
fn number(line: &[u8]) -> Option<u64> {
    let stars = line.iter().take_while(|b| **b == b'*').count();
    let rest = line.get(stars..).filter(|_| stars >= 5)?.strip_prefix(b" ")?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let behind = rest[digits..].strip_prefix(b". row")?;
    behind.trim_ascii().iter().all(|b| *b == b'*').then_some(())?;
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

/// The beginning of a line of stars, where a text is cut in it.
fn is_torn_number(line: &[u8]) -> bool {
    line.starts_with(b"*****") && line.iter().all(|b| b"*0123456789. row".contains(b))
}

/// `name: value`.
struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// Column of the colon.
    colon: usize,
}

/// Reads a line of a value. A name is a word, or anything that ends where the names of this
/// print end.
fn field(line: &[u8], colon: Option<usize>) -> Option<Field<'_>> {
    const LONGEST: usize = 256;
    let is_colon =
        |at: usize| line.get(at) == Some(&b':') && line.get(at + 1).is_none_or(|b| *b == b' ');
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
    let at = match colon.filter(|at| is_colon(*at)) {
        Some(at) => at,
        None => {
            let window = &line[..line.len().min(LONGEST)];
            let at = memchr::memchr(b':', window).filter(|at| is_colon(*at))?;
            line[..at].trim_ascii_start().iter().all(|b| is_part(b) || *b == b' ').then_some(at)?
        }
    };
    let name = line[..at].trim_ascii_start();
    // Lines of JSON and of a tree may have a colon in that column as well.
    let is_name = name.first().is_some_and(|b| !matches!(b, b'"' | b'-' | b'{' | b'}' | b'`'));
    let value = line.get(at + 1..).unwrap_or_default();
    let value = value.strip_prefix(b" ").unwrap_or(value);
    is_name.then_some(Field { name, value, colon: at })
}

struct Reader<'l, 't> {
    lines: &'l Lines<'t>,
    quote: &'l [u8],
    colon: usize,
    has_stars: bool,
}

impl Reader<'_, '_> {
    /// Reads the row whose first value is at a line: its names, its values, the line behind it.
    /// `line` is where the row is said to begin.
    fn row(&mut self, start: usize, line: usize) -> Option<(Vec<String>, Row, usize)> {
        let mut names: Vec<String> = Vec::new();
        let mut values: Vec<Vec<u8>> = Vec::new();
        let mut at = start;
        while let Some(text) = self.lines.unquoted(at, self.quote) {
            let is_last = at + 1 == self.lines.len() && !self.lines.ends_whole();
            if ends_print(text) || number(text).is_some() || is_last && is_torn_number(text) {
                break;
            }
            match field(text, Some(self.colon)) {
                Some(field) => {
                    let name = String::from_utf8_lossy(field.name).into_owned();
                    // Columns may share a name; without stars one that comes again is the next row.
                    if !self.has_stars && names.first() == Some(&name) {
                        break;
                    }
                    if names.len() == if self.has_stars { MOST } else { MOST_BARE } {
                        break;
                    }
                    names.push(name);
                    values.push(field.value.to_vec());
                }
                None => {
                    let Some(value) = values.last_mut().filter(|_| self.has_stars) else { break };
                    value.push(b'\n');
                    value.extend_from_slice(text);
                }
            }
            at += 1;
        }
        let cells = values.iter().map(|text| value(text.trim_ascii_end())).collect();
        (!names.is_empty()).then_some((names, Row { line, cells }, at))
    }
}
