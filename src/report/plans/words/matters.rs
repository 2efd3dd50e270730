//! When a word matters, as the catalogues say it, in sentences.

use crate::plan::weight::Weight;

/// How the catalogues begin to say when a word matters, and a whole sentence for it.
const BEGINNINGS: &[(&str, &str)] = &[
    ("When ", "It matters when "),
    ("Never", "It never matters"),
    ("Not ", "It does not matter "),
    ("Nothing for ", "It does not matter for "),
];

/// When a word matters, as a sentence.
pub fn sentence(matters: &str) -> String {
    let known = BEGINNINGS.iter().find_map(|(begin, whole)| {
        matters.strip_prefix(begin).map(|rest| format!("{whole}{rest}"))
    });
    known.unwrap_or_else(|| matters.to_owned())
}

/// When a word matters: all of it where it does, its first sentence where it may.
pub fn told(matters: &str, weight: Weight) -> String {
    let whole = sentence(matters);
    if weight >= Weight::Finding {
        return whole;
    }
    // `Best kind of join.` alone says nothing.
    const LEAST: usize = 25;
    let ends = whole.match_indices(". ").map(|(at, _)| at);
    match ends.into_iter().find(|at| *at >= LEAST).and_then(|at| whole.get(..=at)) {
        Some(first) => first.to_owned(),
        None => whole,
    }
}
