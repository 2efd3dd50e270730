//! The print of batch mode (`mysql -B`, or into a pipe): columns parted by tabs under one header.
//!
//! ```text
//! id\tselect_type\ttable
//! 1\tSIMPLE\tt
//! ```
//!
//! (`\t` stands for the tab.) A tab, a line end, a zero byte and a backslash in a value are `\t`, `\n`, `\0`, `\\`.

use super::lines::{Lines, quote};
use super::{Print, Row, RowSet, Wanted};

/// The print whose header is this line.
pub fn read(lines: &Lines<'_>, at: usize, wanted: Wanted<'_>) -> Option<RowSet> {
    let first = lines.get(at)?;
    memchr::memchr(b'\t', first)?;
    let quote = quote_of_header(first);
    let header = &first[quote.len()..];
    let columns: Vec<String> =
        cells(header).map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
    if columns.len() < 2 || !wanted(&columns) {
        return None;
    }
    let mut set =
        RowSet { print: Print::Tabs, columns, rows: Vec::new(), line: at, end: at + 1, cut: None };
    while let Some(line) = lines.unquoted(set.end, quote) {
        let count = cells(line).count();
        // An editor may have taken the tab before an empty last value.
        let is_row = count > 1 && (count == set.columns.len() || count + 1 == set.columns.len());
        let is_last = set.end + 1 == lines.len() && !lines.ends_whole();
        let is_cut = is_last && count > 1 && count < set.columns.len();
        if !is_row && !is_cut || line == header {
            break;
        }
        let mut values: Vec<Option<String>> = cells(line).map(value).collect();
        if is_cut {
            set.cut = Some(set.end);
        } else {
            values.resize(set.columns.len(), Some(String::new()));
        }
        set.rows.push(Row { line: set.end, cells: values });
        set.end += 1;
    }
    Some(set)
}

/// What quotes a header, the `# explain: ` of a MariaDB log included. A tab is not part of it.
fn quote_of_header(line: &[u8]) -> &[u8] {
    let whole = quote(line);
    let whole = &whole[..memchr::memchr(b'\t', whole).unwrap_or(whole.len())];
    let word = b"explain: ";
    let is_logged = whole.ends_with(b"# ") && line[whole.len()..].starts_with(word);
    &line[..whole.len() + if is_logged { word.len() } else { 0 }]
}

fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| *b == b'\t')
}

fn value(cell: &[u8]) -> Option<String> {
    if cell == b"NULL" || cell == b"\\N" {
        return None;
    }
    Some(String::from_utf8_lossy(&unescaped(cell)).into_owned())
}

/// A value without its escapes.
pub fn unescaped(cell: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(cell.len());
    let mut bytes = cell.iter().copied();
    while let Some(byte) = bytes.next() {
        text.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'0') => 0,
                Some(other) => other,
                None => b'\\',
            },
            byte => byte,
        });
    }
    text
}
