//! Statements of every kind give a shape: those of our samples, and those of the corpus beside the
//! project where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::{Path, PathBuf};

mod common;

use adagio::logs::frame::Batch;
use adagio::logs::slow::Framer;
use adagio::logs::slow::read::{Reader, Reading};
use adagio::logs::statements::statements;
use adagio::source::blocks::Blocks;
use adagio::sql::analyze::{Refused, analyze};
use adagio::sql::fingerprint::fingerprint;
use adagio::sql::shape::Unknown;
use adagio::sql::token::tokens;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
    found.sort();
}

/// Whether a statement reads or writes rows, by its first word.
fn is_of_rows(statement: &[u8]) -> bool {
    let first = tokens(statement).find(|token| token.of(statement) != b"(");
    let first = first.map(|token| token.of(statement).to_ascii_uppercase()).unwrap_or_default();
    matches!(&first[..], b"SELECT" | b"WITH" | b"INSERT" | b"REPLACE" | b"UPDATE" | b"DELETE")
}

/// The statements of a slow log.
fn logged(log: Vec<u8>, mut show: impl FnMut(&[u8])) {
    let mut framer = Framer::new(0, Blocks::new(Box::new(Cursor::new(log))), None);
    let mut reader = Reader::new(Reading::default());
    let mut batch = Batch::default();
    while framer.next(&mut batch) {
        for frame in &batch.frames {
            let said = reader.read(&batch, frame);
            show(reader.event(&batch, frame, &said).statement);
        }
    }
}

#[test]
fn the_corpus_gives_shapes() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if !shared.is_dir() {
        return;
    }
    let mut paths = Vec::new();
    files(&shared, &mut paths);
    let mut seen = BTreeMap::new();
    let mut take = |statement: &[u8], path: &Path| {
        if is_of_rows(statement) {
            let print = String::from_utf8_lossy(&fingerprint(statement)).into_owned();
            seen.entry(print).or_insert_with(|| {
                (String::from_utf8_lossy(statement).into_owned(), path.to_owned())
            });
        }
    };
    for path in &paths {
        let is_golden = path.components().any(|part| part.as_os_str() == "golden");
        let Ok(text) = std::fs::read(path) else { continue };
        if is_golden || text.len() > 64 << 20 {
            continue;
        }
        let is_sql = path.extension().is_some_and(|it| it == "sql");
        let has = |what: &[u8]| text.windows(what.len()).any(|it| it == what);
        if is_sql {
            statements(&text).for_each(|statement| take(statement, path));
        } else if text.starts_with(b"query\t") {
            // A table of statements and their fingerprints.
            for line in String::from_utf8_lossy(&text).lines().skip(1) {
                let cell = line.split('\t').next().unwrap_or_default();
                take(common::unescaped(cell).as_bytes(), path);
            }
        } else if path.ends_with("index.json") {
            let index: serde_json::Value = serde_json::from_slice(&text).unwrap();
            for query in index["queries"].as_object().into_iter().flat_map(|all| all.values()) {
                take(query["sql"].as_str().unwrap_or_default().as_bytes(), path);
            }
        } else if has(b"# Query_time") || has(b"# Time:") {
            logged(text, |statement| take(statement, path));
        }
    }
    let mut unread = BTreeSet::new();
    for (print, (statement, path)) in &seen {
        if let Err(refused) = analyze(statement, &Unknown) {
            if std::env::var_os("ADAGIO_TELL").is_some() {
                let start: String = statement.chars().take(3000).collect();
                println!("{}\n{refused}\n{start}\n", path.display());
            }
            if refused != Refused::NotOfRows {
                unread.insert(print.as_str());
            } else {
                unread.insert(print.as_str());
            }
        }
    }
    println!("{} statements, {} unread", seen.len(), unread.len());
    assert!(unread.len() * 100 <= seen.len(), "{unread:#?}");
}
