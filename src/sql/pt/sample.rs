//! The sample of a class, its long lists cut.

use super::scan::{
    any_word, find_word, is_boundary, is_space, is_word, run, some_spaces, spaces, word,
};

/// Statements up to this many bytes keep their IN lists.
const LENGTH: usize = 1024;

/// So many items of a longer IN list are kept.
const ITEMS: usize = 20;

/// The sample with its rows but the first left out, and its IN lists cut if it is long.
pub fn shorten_sample(sample: &[u8]) -> Vec<u8> {
    let mut text = omit_rows(sample);
    if !has_list(&text) {
        return text;
    }
    while text.len() > LENGTH {
        let shorter = omit_items(&text);
        let done = shorter.len() >= text.len();
        text = shorter;
        if done {
            break;
        }
    }
    text
}

/// Replaces all rows of an INSERT or REPLACE but the first.
///
/// Between the verb and `VALUES` only words may stand, one byte of white space before each,
/// and last one thing of any kind; so a list of columns with a blank in it protects its rows.
fn omit_rows(text: &[u8]) -> Vec<u8> {
    let Some(verb) = any_word(text, 0, &["INSERT", "REPLACE"]) else {
        return text.to_vec();
    };
    let low = some_spaces(text, verb).and_then(|at| word(text, at, "LOW_PRIORITY"));
    let option = low.or_else(|| any_word(text, verb, &["DELAYED", "HIGH_PRIORITY"]));
    let end = option.into_iter().chain([verb]).find_map(|start| rest_of_rows(text, start));
    let Some((first, rest)) = end else {
        return text.to_vec();
    };
    let kept = (rest..text.len()).find(|&at| {
        let on = word(text, at, "ON").and_then(|end| some_spaces(text, end));
        on.and_then(|at| word(text, at, "DUPLICATE")).is_some()
    });
    // A line feed at the very end is behind the end.
    let end = text.len() - usize::from(text[rest..].ends_with(b"\n"));
    let kept = kept.unwrap_or(end);
    [&text[..first], b" /*... omitted ...*/", &text[kept..]].concat()
}

/// Where the first row ends, and where the inside of the second begins.
fn rest_of_rows(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut candidates = Vec::new();
    let mut at = start;
    // The table comes last before VALUES; what precedes it are words.
    while let Some(table) = some_spaces(text, at) {
        let table_end = run(text, table, |b| !is_space(b));
        if let Some(values) = some_spaces(text, table_end)
            && table_end > table
            && let Some(values) = word(text, values, "VALUES")
            && let open = spaces(text, values)
            && text.get(open) == Some(&b'(')
        {
            candidates.push(open + 1);
        }
        let is_word = table == at + 1 && run(text, table, is_word) == table_end;
        if !is_word || table_end == table {
            break;
        }
        at = table_end;
    }
    candidates.into_iter().rev().find_map(|row| {
        (row..text.len()).filter(|&at| text[at] == b')').find_map(|at| {
            let comma = spaces(text, at + 1);
            let open = (text.get(comma) == Some(&b',')).then(|| spaces(text, comma + 1))?;
            (text.get(open) == Some(&b'(')).then_some((at + 1, open + 1))
        })
    })
}

/// Whether there is a list, not a select, behind some `in`.
fn has_list(text: &[u8]) -> bool {
    let mut from = 0;
    while let Some(found) = find_word(text, from, "IN") {
        from = found.end;
        let open = spaces(text, from);
        if text.get(open) == Some(&b'(') {
            let inside = spaces(text, open + 1);
            // White space in front of a select already makes it none.
            if inside > open + 1 || word(text, inside, "select").is_none() {
                return true;
            }
        }
    }
    false
}

/// Cuts every IN list once.
fn omit_items(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    let mut from = 0;
    while let Some(found) = find_word(text, from, "IN") {
        from = found.end;
        let open = spaces(text, from);
        if !is_boundary(text, found.start) || text.get(open) != Some(&b'(') {
            continue;
        }
        let close = run(text, open + 1, |b| b != b')');
        if close == text.len() {
            break;
        }
        if close == open + 1 {
            continue;
        }
        out.extend_from_slice(&text[copied..=open]);
        omit_items_of(&text[open + 1..close], &mut out);
        (copied, from) = (close, close);
    }
    out.extend_from_slice(&text[copied..]);
    out
}

fn omit_items_of(list: &[u8], out: &mut Vec<u8>) {
    // Empty items at the end do not count.
    let trimmed = list.len() - list.iter().rev().take_while(|&&b| b == b',').count();
    let commas = list[..trimmed].iter().enumerate().filter(|&(_, &b)| b == b',');
    let mut commas = commas.map(|(at, _)| at);
    match commas.nth(ITEMS - 1) {
        None => out.extend_from_slice(list),
        Some(cut) => {
            let omitted = commas.count() + 1;
            out.extend_from_slice(&list[..cut]);
            out.extend_from_slice(format!("/*... omitted {omitted} items ...*/").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sample: &str, want: &str) {
        let got = shorten_sample(sample.as_bytes());
        assert_eq!(String::from_utf8_lossy(&got), want, "{sample:?}");
    }

    #[test]
    fn rows_but_the_first_are_omitted() {
        check("insert into t values (1), (2)", "insert into t values (1) /*... omitted ...*/");
        check(
            "INSERT INTO t (a,b) VALUES (1,2),(3,4) ON DUPLICATE KEY UPDATE a=1",
            "INSERT INTO t (a,b) VALUES (1,2) /*... omitted ...*/ON DUPLICATE KEY UPDATE a=1",
        );
        check("insert into t (a, b) values (1), (2)", "insert into t (a, b) values (1), (2)");
    }

    #[test]
    fn long_lists_are_cut_in_long_samples_only() {
        let list = |items: usize| vec!["1"; items].join(",");
        let sample = |list: &str| format!("{} a in ({list})", "x".repeat(1000));
        let short = format!("a in ({})", list(30));
        check(&short, &short);
        check(&sample(&list(20)), &sample(&list(20)));
        let cut = format!("{}/*... omitted 10 items ...*/", list(20));
        check(&sample(&list(30)), &sample(&cut));
    }
}
