//! The plan of the house: which room may use which, and where heavy crates live.
//!
//! Read from the sources: every `crate::…` path of the library, every `adagio::…` and crate name
//! of the binary. Comments and strings do not count.

use std::path::{Path, PathBuf};

/// Rooms that any other may use.
const WORDS: &[&str] = &["time", "metric", "event", "problem", "flavor", "error", "scan", "amount"];

/// A room and what it may use besides the words: rooms, or single paths of a room.
#[rustfmt::skip]
const FLOORS: &[(&str, &[&str])] = &[
    ("source", &[]),
    ("rowset", &[]),
    ("sql", &[]),
    // Where a statement ends is found in the walk that makes its outline.
    ("logs", &["source", "sql::outline"]),
    ("plan", &["rowset"]),
    ("schema", &["sql"]),
    ("server", &["rowset"]),
    ("digest", &["source", "logs", "sql"]),
    // Of a log a report shows only what its bytes were.
    ("advice", &["sql", "schema", "server", "plan", "digest"]),
    ("compare", &["plan", "digest", "advice"]),
    (
        "report",
        &["logs::slow::Tally", "logs::slow::Offsets", "sql", "schema", "plan", "digest", "advice", "compare"],
    ),
    ("study", &["source", "rowset", "logs", "sql", "schema", "server", "plan", "digest", "advice", "compare", "report"]),
];

/// Crates that have one home: the crate, and the files or folders that may name it.
#[rustfmt::skip]
const HOMES: &[(&str, &[&str])] = &[
    ("nom", &["time", "logs", "source"]),
    ("sqlparser", &["sql/condition", "sql/analyze"]),
    ("clap", &["main", "cli"]),
    ("clap_complete", &["main", "cli"]),
    ("clap_mangen", &["main", "cli"]),
    ("anyhow", &["main", "cli"]),
    ("indicatif", &["main", "cli"]),
    ("ctrlc", &["main", "cli"]),
    ("tabled", &["report/text"]),
    ("flate2", &["source"]),
    ("zstd", &["source"]),
    ("liblzma", &["source"]),
    ("bzip2", &["source"]),
];

/// A source file: its path below `src` without `.rs` and `/mod`, and its code.
struct File {
    name: String,
    code: String,
}

impl File {
    /// The room it is in.
    fn room(&self) -> &str {
        self.name.split('/').next().unwrap()
    }

    fn is_in(&self, home: &str) -> bool {
        self.name == home || self.name.starts_with(&format!("{home}/"))
    }

    fn is_of_binary(&self) -> bool {
        self.is_in("main") || self.is_in("cli")
    }
}

fn files() -> Vec<File> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => walk(&path, found),
                false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
                false => {}
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    paths.sort();
    let files = paths.iter().map(|path| {
        let name = path.strip_prefix(&src).unwrap().with_extension("");
        let name = name.to_str().unwrap().replace('\\', "/");
        let name = name.strip_suffix("/mod").unwrap_or(&name).to_owned();
        File { name, code: code_of(&std::fs::read_to_string(path).unwrap()) }
    });
    files.collect()
}

/// The text of a file with comments, strings and characters as blanks.
fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let begins_word = at == 0 || !is_part(bytes[at - 1]);
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_string(rest).filter(|_| begins_word) {
            let open = rest.find('"').unwrap() + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if rest.starts_with('"') {
            quoted(rest, '"')
        } else if rest.starts_with('\'') && is_character(rest) {
            quoted(rest, '\'')
        } else {
            let length = rest.chars().next().map_or(1, char::len_utf8);
            code.push_str(&rest[..length]);
            at += length;
            continue;
        };
        code.push(' ');
        at += end;
    }
    code
}

/// The number of `#` of the raw string that opens here.
fn raw_string(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let behind = rest.trim_start_matches('#');
    behind.starts_with('"').then_some(rest.len() - behind.len())
}

fn is_character(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    matches!((chars.next(), chars.next()), (Some('\\'), _) | (Some(_), Some('\'')))
}

/// The length of a literal with escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Every path of `code` that begins with `root::`, groups in braces taken apart.
fn paths_of(code: &str, root: &str) -> Vec<String> {
    let start = format!("{root}::");
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(&start) {
        let before = code[..at].chars().next_back();
        let alone = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':'));
        if alone {
            expand(&code[at + start.len()..], "", &mut paths);
        }
    }
    paths
}

/// Writes the paths that begin at `rest`, each behind `prefix`; gives what follows them.
fn expand<'a>(rest: &'a str, prefix: &str, paths: &mut Vec<String>) -> &'a str {
    let rest = rest.trim_start();
    if let Some(mut inner) = rest.strip_prefix('{') {
        loop {
            inner = inner.trim_start();
            if let Some(behind) = inner.strip_prefix('}') {
                return behind;
            }
            let behind = expand(inner, prefix, paths).trim_start();
            // Behind the path there may be a new name for it.
            let end = behind.find([',', '}']).expect("a group has an end");
            inner = behind[end..].strip_prefix(',').unwrap_or(&behind[end..]);
        }
    }
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let path = match (prefix, &rest[..length]) {
        ("", name) => name.to_owned(),
        (prefix, "self") => prefix.to_owned(),
        (prefix, name) => format!("{prefix}::{name}"),
    };
    match rest[length..].strip_prefix("::") {
        Some(more) if more.starts_with(|c: char| c == '{' || c == '_' || c.is_alphabetic()) => {
            expand(more, &path, paths)
        }
        _ => {
            paths.push(path);
            &rest[length..]
        }
    }
}

#[test]
fn a_room_uses_only_the_rooms_of_its_line() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files().iter().filter(|file| !file.is_of_binary() && file.name != "lib") {
        let own = file.room();
        let floor = FLOORS.iter().find(|(room, _)| *room == own).map(|(_, uses)| *uses);
        assert!(floor.is_some() || WORDS.contains(&own), "{own} has no line in the table");
        for path in paths_of(&file.code, "crate") {
            seen += 1;
            let room = path.split("::").next().unwrap();
            let uses = floor.unwrap_or_default();
            let listed = uses.iter().any(|used| {
                path == *used || path.strip_prefix(used).is_some_and(|more| more.starts_with("::"))
            });
            if room != own && !WORDS.contains(&room) && !listed {
                wrong.push(format!("{} uses {path}", file.name));
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_module_is_on_a_floor_and_the_library_knows_no_binary() {
    let mut rooms: Vec<String> = files().iter().map(|file| file.room().to_owned()).collect();
    rooms.dedup();
    let known = |room: &&String| {
        let room = room.as_str();
        WORDS.contains(&room)
            || FLOORS.iter().any(|(known, _)| *known == room)
            || ["lib", "main", "cli"].contains(&room)
    };
    let unknown: Vec<&String> = rooms.iter().filter(|room| !known(room)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    for file in files().iter().filter(|file| !file.is_of_binary()) {
        assert_eq!(paths_of(&file.code, "adagio"), Vec::<String>::new(), "{}", file.name);
    }
}

#[test]
fn the_binary_uses_only_the_public_library() {
    let mut seen = 0;
    for file in files().iter().filter(|file| file.is_of_binary()) {
        seen += paths_of(&file.code, "adagio").len();
        for path in paths_of(&file.code, "crate") {
            assert!(path.starts_with("cli"), "{} uses crate::{path}", file.name);
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn a_heavy_crate_has_one_home() {
    let files = files();
    let mut wrong = Vec::new();
    for (name, homes) in HOMES {
        let mut at_home = 0;
        for file in &files {
            let named = paths_of(&file.code, name).len();
            if homes.iter().any(|home| file.is_in(home)) {
                at_home += named;
            } else if named > 0 {
                wrong.push(format!("{} uses {name}", file.name));
            }
        }
        assert!(at_home > 0, "{name} is used nowhere");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_scan_is_unsafe() {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let unsafe_files: Vec<String> = files()
        .into_iter()
        .filter(|file| file.code.split(|c| !is_part(c)).any(|word| word == "unsafe"))
        .map(|file| file.name)
        .collect();
    assert_eq!(unsafe_files, ["scan"]);
}

#[test]
fn paths_are_found_where_code_is_and_nowhere_else() {
    let code = code_of(
        "use crate::a::{self, B, c::{D, E as F}};\n//! crate::no\n/* crate::no */ \
         let x = \"crate::no\\\" crate::no\"; let y = '\"'; fn f<'a>(z: &'a crate::g::H) {} \
         r#\"crate::no\"# xcrate::no::p crate::q::r()",
    );
    assert_eq!(paths_of(&code, "crate"), ["a", "a::B", "a::c::D", "a::c::E", "g::H", "q::r"]);
}
