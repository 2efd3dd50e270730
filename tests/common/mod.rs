//! How the tables beside the tests are read.
#![allow(dead_code, reason = "each test file takes what it needs")]

use std::path::Path;

pub mod server;

/// The rows of a table, without its header.
pub fn rows(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name);
    let table = std::fs::read_to_string(path).unwrap();
    let rows = table.lines().skip(1);
    rows.map(|row| row.split('\t').map(str::to_owned).collect()).collect()
}

/// Undoes `\n`, `\t`, `\r` and `\\` in a cell.
pub fn unescaped(cell: &str) -> String {
    let mut out = String::new();
    let mut chars = cell.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some('\\') => '\\',
                other => panic!("escape {other:?} in {cell:?}"),
            },
            c => c,
        });
    }
    out
}
