//! What the client prints of SHOW CREATE TABLE, SHOW INDEX and information_schema: in boxes, with
//! `\G`, and separated by tabs.
//!
//! ```text
//! +-------+-------------------+    *************************** 1. row ***********
//! | Table | Create Table      |           Table: t
//! +-------+-------------------+    Create Table: CREATE TABLE `t` (
//! | t     | CREATE TABLE `t` (       `id` int NOT NULL
//!   `id` int NOT NULL              ) ENGINE=InnoDB
//! ) ENGINE=InnoDB     |
//! +-------+-------------------+    Table   Create Table
//!                                  t       CREATE TABLE `t` (\n  `id` int NOT NULL\n) …
//! ```
//!
//! Only as much as a schema needs: a definition may have many lines, all else is on one.

/// A print: the names of its columns, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Print {
    pub at: usize,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

/// A row of a print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub at: usize,
    pub cells: Vec<Option<String>>,
    /// Where the definition in it stands, if its text is that of the file, byte for byte.
    pub definition_at: Option<usize>,
}

/// Reads the print that begins at a place, if one does; gives the place behind it too.
pub(super) fn read(text: &[u8], at: usize) -> Option<(Print, usize)> {
    let rest = text.get(at..)?;
    // Asked of every statement of a file that may be one line: only the first bytes are looked
    // at before it is clear that this is a print.
    let head = &rest[..rest.len().min(FIRST_CELL)];
    if rest.starts_with(b"***") {
        return is_row_line(head).then(|| vertical(text, at)).flatten();
    }
    if rest.starts_with(b"+-") {
        let border = rest.iter().take_while(|byte| b"+-".contains(byte)).count();
        let is_alone = rest.get(border).is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
        return is_alone.then(|| boxed(text, at)).flatten();
    }
    memchr::memchr(b'\t', head).and_then(|tab| tabbed(text, at, tab))
}

/// Most bytes before the first tab of a print, and of a line of stars: a name has up to 64
/// characters of four bytes.
const FIRST_CELL: usize = 260;

/// The lines from a place on: where each begins, and its bytes without the line end.
fn lines(text: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let begin = at;
        at += length + 1;
        let line = &rest[..length];
        Some((begin, line.strip_suffix(b"\r").unwrap_or(line)))
    })
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn value(bytes: &[u8]) -> Option<String> {
    (bytes != b"NULL").then(|| lossy(bytes))
}

/// Whether a column holds definitions.
pub(super) fn holds_definition(name: &[u8]) -> bool {
    name.len() > 7 && name[..7].eq_ignore_ascii_case(b"create ")
}

// With `\G`.

/// `*************************** 1. row ***************************`
fn is_row_line(line: &[u8]) -> bool {
    line.starts_with(b"***") && memchr::memmem::find(line, b". row *").is_some()
}

/// What a client says when a result is over.
pub(super) fn is_footer(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let said = &line[digits..];
    (digits > 0 && (said.starts_with(b" row in set") || said.starts_with(b" rows in set")))
        || line.starts_with(b"Empty set")
        || line.starts_with(b"Query OK")
}

/// Where the client asks for more.
pub(super) fn is_prompt(line: &[u8]) -> bool {
    [&b"mysql> "[..], b"mysql [", b"MySQL [", b"MariaDB ["].iter().any(|it| line.starts_with(it))
}

/// One row; rows of one result may differ in their names, so each is a print of its own.
fn vertical(text: &[u8], at: usize) -> Option<(Print, usize)> {
    let mut lines = lines(text, at);
    lines.next().filter(|(_, line)| is_row_line(line))?;
    // Names are aligned at their right: the first colon tells where all of them end.
    let mut colon = None;
    let mut fields: Vec<(&[u8], usize, usize)> = Vec::new();
    let mut end = text.len();
    for (begin, line) in lines {
        if is_row_line(line) || is_footer(line) || is_prompt(line) {
            end = begin;
            break;
        }
        let here = colon.or_else(|| memchr::memchr(b':', line));
        match here.filter(|here| is_field(line, *here)) {
            Some(here) => {
                colon = Some(here);
                let from = begin + (here + 2).min(line.len());
                fields.push((line[..here].trim_ascii(), from, begin + line.len()));
            }
            None => match fields.last_mut() {
                Some((_, _, end)) => *end = begin + line.len(),
                None => return None,
            },
        }
    }
    let definition = fields.iter().find(|(name, ..)| holds_definition(name));
    let definition_at = definition.map(|(_, from, _)| *from);
    let (columns, cells) = fields
        .iter()
        .map(|(name, from, to)| (lossy(name), value(text.get(*from..*to).unwrap_or_default())))
        .unzip();
    Some((Print { at, columns, rows: vec![Row { at, cells, definition_at }] }, end))
}

fn is_field(line: &[u8], colon: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ');
    line.get(colon) == Some(&b':')
        && line[..colon].iter().all(is_part)
        && line.get(colon + 1).is_none_or(|byte| *byte == b' ')
}

// In boxes.

fn boxed(text: &[u8], at: usize) -> Option<(Print, usize)> {
    let mut lines = lines(text, at).peekable();
    let (_, border) = lines.next()?;
    let is_border = border.ends_with(b"+") && border.iter().all(|byte| b"+-".contains(byte));
    let (_, header) = lines.next().filter(|_| is_border)?;
    let names = cells(header, usize::MAX, 0)?;
    lines.next().filter(|(_, line)| *line == border)?;
    let columns: Vec<String> = names.iter().map(|name| lossy(name)).collect();
    // Only one cell may hold bars or lines of its own: the definition, else the last.
    let wide = names.iter().position(|name| holds_definition(name));
    let before = wide.unwrap_or(names.len().saturating_sub(1));
    let mut rows: Vec<Row> = Vec::new();
    let mut end = text.len();
    while let Some((begin, line)) = lines.next() {
        let mut row_end = begin + line.len();
        if line == border {
            end = row_end;
            break;
        }
        while !is_row_end(
            text.get(begin..row_end).unwrap_or_default(),
            lines.peek().map(|(_, line)| *line),
            border,
        ) {
            let Some((more, line)) = lines.next() else { break };
            row_end = more + line.len();
        }
        let row = text.get(begin..row_end).unwrap_or_default();
        let Some(parts) = cells(row, before, names.len() - 1 - before) else { continue };
        let definition_at = wide
            .and_then(|wide| parts.get(wide))
            .map(|part| begin + (part.as_ptr() as usize).saturating_sub(row.as_ptr() as usize));
        let cells = parts.iter().map(|part| value(part)).collect();
        rows.push(Row { at: begin, cells, definition_at });
    }
    Some((Print { at, columns, rows }, end))
}

/// A row is whole where it ends with a bar and the next line begins with one, or is the border.
fn is_row_end(row: &[u8], next: Option<&[u8]>, border: &[u8]) -> bool {
    row.ends_with(b"|") && next.is_none_or(|next| next.starts_with(b"|") || next == border)
}

/// The cells of `| a | b |`: so many from the left, so many from the right, one between.
fn cells(row: &[u8], left: usize, right: usize) -> Option<Vec<&[u8]>> {
    let mut rest = row.strip_prefix(b"|")?.strip_suffix(b"|")?;
    let mut cells = Vec::new();
    let mut behind = Vec::new();
    while cells.len() < left {
        let Some(bar) = memchr::memmem::find(rest, b" | ") else { break };
        cells.push(rest[..bar].trim_ascii());
        rest = &rest[bar + 2..];
    }
    while behind.len() < right {
        let Some(bar) = memchr::memmem::rfind(rest, b" | ") else { break };
        behind.push(rest[bar + 2..].trim_ascii());
        rest = &rest[..bar + 1];
    }
    cells.push(rest.trim_ascii());
    cells.extend(behind.into_iter().rev());
    Some(cells)
}

// With tabs.

/// First columns of the prints that a schema is read from.
const FIRST: [&[u8]; 8] = [
    b"Table",
    b"View",
    b"Database",
    b"Name",
    b"TABLE_CATALOG",
    b"TABLE_SCHEMA",
    b"TABLE_NAME",
    b"INDEX_SCHEMA",
];

/// A print whose first tab stands `tab` bytes behind its beginning.
fn tabbed(text: &[u8], at: usize, tab: usize) -> Option<(Print, usize)> {
    let rest = text.get(at..)?;
    let (name, behind) = (rest.get(..tab)?, rest.get(tab + 1..)?);
    // Without names, as `mysql -N` prints it.
    if behind.starts_with(b"CREATE ") && memchr::memchr(b'\n', name).is_none() {
        let columns = vec!["Table".to_owned(), "Create Table".to_owned()];
        return Some(definitions(text, at, at, columns));
    }
    if !FIRST.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return None;
    }
    let mut all = lines(text, at);
    let (_, header) = all.next()?;
    let body = all.next().map_or(text.len(), |(begin, _)| begin);
    let columns: Vec<String> = header.split(|byte| *byte == b'\t').map(lossy).collect();
    if columns.iter().any(|name| holds_definition(name.as_bytes())) {
        return Some(definitions(text, at, body, columns));
    }
    let mut rows = Vec::new();
    let mut end = text.len();
    for (begin, line) in lines(text, body) {
        let cells: Vec<_> =
            line.split(|byte| *byte == b'\t').map(|it| value(&unescaped(it))).collect();
        if cells.len() != columns.len() {
            end = begin;
            break;
        }
        rows.push(Row { at: begin, cells, definition_at: None });
    }
    Some((Print { at, columns, rows }, end))
}

/// Rows that hold definitions: on one line with escapes, or raw over several (`mysql --raw`).
fn definitions(text: &[u8], at: usize, body: usize, columns: Vec<String>) -> (Print, usize) {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut end = text.len();
    let mut is_raw = false;
    for (begin, line) in lines(text, body) {
        let tab = memchr::memmem::find(line, b"\tCREATE ");
        if let Some(tab) = tab {
            starts.push((begin, begin + tab + 1));
            is_raw = !line.ends_with(b")") && memchr::memmem::find(line, b"\\n").is_none();
        } else if starts.is_empty() || !is_raw || line.is_empty() || line.ends_with(b";") {
            end = begin;
            break;
        }
    }
    let ends = starts.iter().skip(1).map(|(begin, _)| *begin).chain([end]);
    let rows = starts.iter().zip(ends).map(|((begin, from), end)| {
        let raw = text.get(*from..end).unwrap_or_default().trim_ascii_end();
        let is_verbatim = memchr::memchr(b'\n', raw).is_some();
        let mut parts = raw.split(|byte| *byte == b'\t');
        let definition = parts.next().unwrap_or_default();
        let definition = if is_verbatim { definition.to_vec() } else { unescaped(definition) };
        let name = text.get(*begin..from.saturating_sub(1)).unwrap_or_default();
        let cells = [Some(lossy(name)), Some(lossy(&definition))].into_iter();
        let cells = cells.chain(parts.map(value)).collect();
        Row { at: *begin, cells, definition_at: is_verbatim.then_some(*from) }
    });
    let rows = rows.collect();
    (Print { at, columns, rows }, end)
}

/// Undoes the escapes of batch mode.
fn unescaped(cell: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(cell.len());
    let mut bytes = cell.iter();
    while let Some(&byte) = bytes.next() {
        text.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'0') => 0,
                Some(&other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns and rows, cells joined by `/`.
    #[track_caller]
    fn check(text: &str, want: &[&str], rest: &str) {
        let (print, end) = read(text.as_bytes(), 0).expect(text);
        let row = |row: &Row| {
            let cells = row.cells.iter().map(|cell| cell.as_deref().unwrap_or("~"));
            cells.collect::<Vec<_>>().join("/")
        };
        let mut got = vec![print.columns.join("/")];
        got.extend(print.rows.iter().map(row));
        assert_eq!(got, want, "{text}");
        assert_eq!(&text[end..], rest, "{text}");
        for row in print.rows.iter().filter(|row| row.definition_at.is_some()) {
            assert!(text[row.definition_at.unwrap()..].starts_with("CREATE "), "{text}");
        }
    }

    #[test]
    fn rows_with_g_end_at_the_next() {
        let row = "*************************** 1. row ***************************\n";
        let definition = "CREATE TABLE `t` (\n  `a` int COMMENT 'x: y'\n)";
        check(
            &format!("{row}       Table: t\nCreate Table: {definition}\n{row}"),
            &["Table/Create Table", &format!("t/{definition}")],
            row,
        );
        check(
            &format!("{row}Non_unique: 0\n  Key_name: NULL\n1 row in set (0.00 sec)\n\n"),
            &["Non_unique/Key_name", "0/~"],
            "1 row in set (0.00 sec)\n\n",
        );
    }

    #[test]
    fn boxes_hold_definitions_of_many_lines() {
        check(
            "+---+--------------+\n| T | Create Table |\n+---+--------------+\n\
             | t | CREATE TABLE `t` (\n  `a` int COMMENT ' | '\n) ENGINE=InnoDB |\n\
             | u | CREATE TABLE `u` (\n  `a` int\n) |\n+---+--------------+\n2 rows in set\n",
            &[
                "T/Create Table",
                "t/CREATE TABLE `t` (\n  `a` int COMMENT ' | '\n) ENGINE=InnoDB",
                "u/CREATE TABLE `u` (\n  `a` int\n)",
            ],
            "\n2 rows in set\n",
        );
        check(
            "+---+------+-------+\n| a | b    | c     |\n+---+------+-------+\n\
             | 1 | NULL |       |\n+---+------+-------+",
            &["a/b/c", "1/~/"],
            "",
        );
    }

    #[test]
    fn tabs_part_rows_of_one_line() {
        check(
            "Table\tCreate Table\nt\tCREATE TABLE `t` (\\n  `a` int\\n)\nu\tCREATE TABLE `u` (x int)\n",
            &[
                "Table/Create Table",
                "t/CREATE TABLE `t` (\n  `a` int\n)",
                "u/CREATE TABLE `u` (x int)",
            ],
            "",
        );
        check(
            "Table\tCreate Table\nt\tCREATE TABLE `t` (\n  `a` int\n)\nu\tCREATE TABLE `u` (\n  x int\n)\n",
            &[
                "Table/Create Table",
                "t/CREATE TABLE `t` (\n  `a` int\n)",
                "u/CREATE TABLE `u` (\n  x int\n)",
            ],
            "",
        );
        check(
            "TABLE_NAME\tTABLE_ROWS\nt\t5\nu\tNULL\n\nx",
            &["TABLE_NAME/TABLE_ROWS", "t/5", "u/~"],
            "\nx",
        );
    }

    #[test]
    fn what_is_no_print_is_left() {
        for text in ["CREATE\tTABLE", "*** hello", "+-5", "+--+\nx", "a\tb\nc\td", ""] {
            assert_eq!(read(text.as_bytes(), 0), None, "{text}");
        }
    }
}
