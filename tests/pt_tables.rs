//! What pt-query-digest 3.7.1 was seen to print, row by row.
//!
//! The tables are tab-separated; the first column is a statement with `\n`, `\t`, `\r` and
//! `\\` for the bytes that a row cannot hold.

mod common;

use adagio::sql::pt::{self, Options};
use common::unescaped;
use md5::{Digest, Md5};
use proptest::prelude::*;
use std::thread;
use std::time::{Duration, Instant};

const FINGERPRINTS: &str = include_str!("tables/fingerprints.tsv");
const BY_VERSION: &str = include_str!("tables/fingerprints-by-version.tsv");
const OPTIONS: &str = include_str!("tables/fingerprints-options.tsv");
const DISTILL: &str = include_str!("tables/distill.tsv");

/// The rows of a table, each a statement and the other columns.
fn rows(table: &'static str) -> Vec<(String, Vec<&'static str>)> {
    let lines = table.lines().skip(1);
    lines
        .map(|line| {
            let mut columns = line.split('\t');
            (unescaped(columns.next().unwrap()), columns.collect())
        })
        .collect()
}

#[track_caller]
fn check(statement: &str, options: &Options, want: &str, id: &str) {
    let got = pt::fingerprint_with(statement.as_bytes(), options);
    assert_eq!(String::from_utf8_lossy(&got), want, "{statement:?} {options:?}");
    let sum = Md5::digest(&got);
    let sum: String = sum.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(sum, id, "{statement:?} {options:?}");
}

#[test]
fn fingerprints_and_their_ids_are_those_of_the_tool() {
    let rows = rows(FINGERPRINTS);
    assert_eq!(rows.len(), 175);
    for (statement, columns) in rows {
        check(&statement, &Options::default(), columns[0], columns[1]);
    }
}

#[test]
fn quotes_are_read_as_release_3_7_1_reads_them() {
    let rows = rows(BY_VERSION);
    assert_eq!(rows.len(), 27);
    for (statement, columns) in rows {
        check(&statement, &Options::default(), columns[2], columns[3]);
    }
}

#[test]
fn options_change_what_a_number_is() {
    let rows = rows(OPTIONS);
    assert_eq!(rows.len(), 72);
    for (statement, columns) in rows {
        let options = Options {
            match_embedded_numbers: columns[0].contains("match-embedded-numbers"),
            match_md5_checksums: columns[0].contains("match-md5-checksums"),
        };
        check(&statement, &options, columns[1], columns[2]);
    }
}

#[test]
fn items_are_those_of_the_tool() {
    let rows = rows(DISTILL);
    assert_eq!(rows.len(), 146);
    for (statement, columns) in rows {
        let got = pt::distill(statement.as_bytes());
        assert_eq!(String::from_utf8_lossy(&got), columns[0], "{statement:?}");
    }
}

/// Statements that make a careless scanner go back over what it has read.
#[test]
fn hostile_statements_take_linear_time() {
    let pieces = [
        "/*",
        "/*!",
        "/*!1 */ /* ",
        "--",
        "# ",
        "'",
        "\\'",
        "\"a",
        "`",
        "``",
        "(",
        "()",
        ")",
        ",",
        " ",
        "\n",
        "\x0b",
        "in (",
        "in(?,",
        "values (",
        ") , ",
        "select a ",
        "union select a ",
        "select a union select b ",
        "from `",
        "from a,",
        "table ",
        "order by asc ",
        "limit ?",
        "in (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,",
        "update set ",
        "if not exists ",
        "=(",
        "on duplicate key ",
        "'a\\',",
        "(a) values (",
        "into ",
        "count ",
        "-1",
        "a.b:1/",
    ];
    let heads = [
        "",
        "insert into t values (1),",
        "SHOW /*!1*/",
        "create table a ",
        "lock tables ",
        "select /*!1 1 union ",
        "explain insert into a (b) values ('",
        "update t set ",
    ];
    let run = |head: &str| {
        for piece in pieces {
            let text = format!("{head}{}", piece.repeat((1 << 15) / piece.len()));
            let start = Instant::now();
            all(text.as_bytes());
            // Going back once for every byte would take minutes.
            assert!(start.elapsed() < Duration::from_secs(5), "{head:?} {piece:?}");
        }
    };
    thread::scope(|scope| {
        for head in heads {
            scope.spawn(move || run(head));
        }
    });
}

fn all(text: &[u8]) {
    pt::fingerprint(text);
    let options = Options { match_embedded_numbers: true, match_md5_checksums: true };
    pt::fingerprint_with(text, &options);
    pt::distill(text);
    pt::tables(text);
    pt::as_select(text);
    pt::as_select(&pt::shorten_sample(text));
}

/// Bytes that mean something to some rule, and others.
fn statement() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "select ",
        "SHOW ",
        "create ",
        "table ",
        "insert ",
        "into ",
        "values",
        "update ",
        " set ",
        " where ",
        "limit ",
        "in",
        "(",
        ")",
        ",",
        "'",
        "\"",
        "\\",
        "`",
        "/*",
        "*/",
        "!",
        "--",
        "#",
        "?",
        "1",
        "x",
        ".",
        "union ",
        "order by ",
        " asc",
        "\n",
        " ",
        "call ",
        "lock tables ",
        "count",
        "if exists ",
        "delete ",
        "from ",
        "on duplicate key ",
        "load data into table ",
    ]);
    let word = word.prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![8 => word, 1 => prop::collection::vec(any::<u8>(), 0..4)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic(text in statement()) {
        all(&text);
    }
}
