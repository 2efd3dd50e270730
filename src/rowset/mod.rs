//! What a client of the server printed: column names and rows, found inside any text.
//!
//! ```text
//! mysql> SHOW WARNINGS;            *************** 1. row ***************      Level\tCode
//! +-------+------+                  Level: Note                                Note\t1003
//! | Level | Code |                   Code: 1003
//! +-------+------+
//! | Note  | 1003 |
//! +-------+------+
//! ```
//!
//! Above and below there may be anything: prompts, statements, `1 row in set`, other prints. A
//! print may be indented, or quoted by `> ` as in a mail or by `# ` as in a report. Which columns
//! are of use is told by the caller; what the rows mean is left to other rooms.

pub mod boxed;
pub mod lines;
pub mod tsv;
pub mod vertical;

pub use lines::Lines;

/// How a client prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Print {
    /// Boxes of `+---+`, as on a terminal.
    Boxed,
    /// A line for each value, as after `\G`.
    Vertical,
    /// Columns parted by tabs, as in batch mode.
    Tabs,
}

/// A row: the line it begins at, counted from 0, and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line of the text.
    pub line: usize,
    /// As many as there are columns, or fewer where the print is cut; `None` is NULL. Of a print
    /// that is cut on the right the column at the cut is left out: it may hold half of a value.
    pub cells: Vec<Option<String>>,
}

/// One print: names of its columns, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSet {
    /// How it is printed.
    pub print: Print,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Line of the text that it begins at, counted from 0.
    pub line: usize,
    /// Line behind it.
    pub end: usize,
    /// The line where the print is cut on the right or at the end, if it is.
    pub cut: Option<usize>,
}

impl RowSet {
    /// The place of a column, by its name in any case of letters.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// A value by row and column; `None` also where the row is cut before it.
    pub fn cell<'a>(&self, row: &'a Row, name: &str) -> Option<&'a str> {
        row.cells.get(self.column(name)?)?.as_deref()
    }
}

/// Whether the columns of a print are of use to the caller.
pub type Wanted<'a> = &'a dyn Fn(&[String]) -> bool;

/// The print that begins at a line, if one does.
///
/// Prints in boxes and with tabs are told by their header, vertical ones by the names of their
/// first row.
pub fn begins(lines: &Lines<'_>, at: usize, wanted: Wanted<'_>) -> Option<RowSet> {
    boxed::read(lines, at, wanted)
        .or_else(|| vertical::read(lines, at, wanted))
        .or_else(|| tsv::read(lines, at, wanted))
}

/// All prints of a text whose columns are of use.
pub fn find(text: &[u8], wanted: Wanted<'_>) -> Vec<RowSet> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        match begins(&lines, at, wanted) {
            Some(set) => {
                at = set.end.max(at + 1);
                found.push(set);
            }
            None => at += 1,
        }
    }
    found
}

/// Whether a text has such a print.
pub fn detect(text: &[u8], wanted: Wanted<'_>) -> bool {
    let lines = Lines::new(text);
    (0..lines.len()).any(|at| begins(&lines, at, wanted).is_some())
}

/// A value as the client prints it: NULL is a word of its own.
fn value(text: &[u8]) -> Option<String> {
    (text != b"NULL").then(|| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A print in short: its columns, its rows with NULL as `~`, where it is cut.
    #[track_caller]
    fn check(text: &str, want: &str) {
        let short = |set: &RowSet| {
            let rows: Vec<String> = set
                .rows
                .iter()
                .map(|row| {
                    let cells: Vec<&str> =
                        row.cells.iter().map(|cell| cell.as_deref().unwrap_or("~")).collect();
                    format!("{}:{}", row.line, cells.join(","))
                })
                .collect();
            let cut = set.cut.map_or(String::new(), |line| format!(" cut {line}"));
            format!("{} {}{cut}", set.columns.join(","), rows.join(" "))
        };
        let wanted = |columns: &[String]| columns.iter().any(|name| name == "b");
        let got: Vec<String> = find(text.as_bytes(), &wanted).iter().map(short).collect();
        assert_eq!(got.join(" / "), want, "{text}");
        let other = text.replace('\n', "\r\n");
        let got: Vec<String> = find(other.as_bytes(), &wanted).iter().map(short).collect();
        assert_eq!(got.join(" / "), want, "{text}");
        assert_eq!(detect(text.as_bytes(), &wanted), !want.is_empty());
    }

    #[test]
    fn prints_are_found_among_other_text() {
        let boxed = "mysql> SELECT a, b FROM t;\n+------+---+\n| a    | b |\n+------+---+\n\
                     | NULL |   |\n| 1    | x |\n+------+---+\n2 rows in set (0.00 sec)\n\n";
        check(boxed, "a,b 4:~, 5:1,x");
        check(&boxed.repeat(2), "a,b 4:~, 5:1,x / a,b 13:~, 14:1,x");
        check("a\tb\n1\tNULL\n\tx\\ty\\nz\n\nother\n", "a,b 1:1,~ 2:,x\ty\nz");
        let stars = "*************************** ";
        let vertical = format!(
            "{stars}1. row {stars}\n a: NULL\nb2: \n b: x: y\n{stars}2. row {stars}\n a: 1\nb2: q\n b: \n2 rows in set\n"
        );
        check(&vertical, "a,b2,b 0:~,,x: y 4:1,q,");
        check(" a: 1\nbb: 2\n b: 3\n", "a,bb,b 0:1,2,3");
        check("+---+\n| c |\n+---+\n| 1 |\n+---+\nc\td\n1\t2\n", "");
    }

    #[test]
    fn quoted_prints_are_read_as_well() {
        let boxed = "+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n+---+---+\n";
        let vertical = "********** 1. row **********\n  a: 1\nb_b: 2\n  b: x\n";
        for quote in ["> ", "    ", "# ", "> > ", "\t"] {
            let quoted = |text: &str| {
                text.lines().map(|line| format!("{quote}{line}\n")).collect::<String>()
            };
            check(&quoted(boxed), "a,b 3:1,x");
            check(&quoted(vertical), "a,b_b,b 0:1,2,x");
        }
        check("> a\tb\n> 1\tx\nno\n", "a,b 1:1,x");
    }

    #[test]
    fn a_bar_or_a_wide_letter_in_a_value_parts_nothing() {
        check("+-----+---+\n| a   | b |\n+-----+---+\n| x|y | é |\n+-----+---+\n", "a,b 3:x|y,é");
        check(
            "+------+---+\n| a    | b |\n+------+---+\n| 表 x | y |\n+------+---+\n",
            "a,b 3:表 x,y",
        );
        // Values that outgrow the width of their column, as MariaDB prints a rowid filter.
        check(
            "+-----+---+\n| a   | b |\n+-----+---+\n| ref|filter | y |\n+-----+---+\n",
            "a,b 3:ref|filter,y",
        );
    }

    #[test]
    fn a_value_may_hold_several_lines() {
        check("+---+\n| b |\n+---+\n| {\n  \"x\": 1\n} |\n+---+\n", "b 3:{\n  \"x\": 1\n}");
        check(
            "+---+-------+\n| a | b     |\n+---+-------+\n| t | one (\n two | x\n) |\n| u | v     |\n+---+-------+\n",
            "a,b 3:t,one (\n two | x\n) 6:u,v",
        );
        let stars = "***************************";
        check(
            &format!("{stars} 1. row {stars}\nb: {{\n  \"x\": 1\n}}\n\nafter: 1\n"),
            "b 0:{\n  \"x\": 1\n}",
        );
    }

    #[test]
    fn a_cut_print_gives_what_is_there() {
        check(
            "+---+---+-----\n| a | b | cc \n+---+---+-----\n| 1 | x | yyyy\n| 2 | z |\n",
            "a,b 3:1,x 4:2,z cut 0",
        );
        check("+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n", "a,b 3:1,x cut 3");
        check("+---+---+\n| a | b |\n+---+---+\n| 1 ", "a,b 3:1 cut 3");
        check("+---+---+\n| a | b |\n", "a,b  cut 1");
        check("a\tb\tc\n1\t2\t3\n1\t2", "a,b,c 1:1,2,3 2:1,2 cut 2");
    }
}
