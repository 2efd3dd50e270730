//! Text in lines of a width, counted in columns of a terminal.

use crate::report::cell::shown;

/// Columns of a character: none for marks that stand on another one, two for the wide ones of East
/// Asia and for emoji.
pub fn columns_of(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0xe31
        | 0xe34..=0xe3a
        | 0xe47..=0xe4e
        | 0x200b..=0x200f
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f
        | 0xfeff => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xa960..=0xa97f
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Columns of a text.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// A text on one line: control characters are spelled out, runs of blanks are one blank.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    shown(words.join(" ").as_bytes())
}

/// The beginning of a text, with `…` where it is cut to so many columns.
pub fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let (head, _) = split(text, most.saturating_sub(1));
    format!("{}…", head.trim_end())
}

/// Cuts a text into lines of at most so many columns, at blanks where there are any.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut rest = word;
        let wide = columns(rest);
        if used > 0 && used + 1 + wide <= width {
            line.push(' ');
            line.push_str(rest);
            used += 1 + wide;
            continue;
        }
        if used > 0 {
            lines.push(std::mem::take(&mut line));
        }
        while columns(rest) > width {
            let (head, tail) = split(rest, width);
            lines.push(head.to_owned());
            rest = tail;
        }
        line.push_str(rest);
        used = columns(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// A text cut behind so many columns, at least behind its first character.
fn split(text: &str, most: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += columns_of(c);
        if used > most && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_blanks_and_long_words_are_cut() {
        let check = |text: &str, width, want: &[&str]| assert_eq!(wrap(text, width), want);
        check("", 10, &[]);
        check("reads all rows", 10, &["reads all", "rows"]);
        check("a abcdefghij b", 4, &["a", "abcd", "efgh", "ij b"]);
        check("表名表名 x", 4, &["表名", "表名", "x"]);
    }

    #[test]
    fn no_line_is_wider_than_it_may_be() {
        let text = "ein Käse 表 名字很长的表 e\u{301}tat abcdefghijklmnopqrstuvwxyz 🐬🐬🐬";
        for width in 2..40 {
            assert!(wrap(text, width).iter().all(|line| columns(line) <= width), "{width}");
            assert!(columns(&cut(text, width)) <= width, "{width}");
        }
    }

    #[test]
    fn a_long_word_takes_no_more_than_its_length() {
        let text = "x".repeat(1 << 16);
        assert_eq!(wrap(&text, 80).len(), (1 << 16) / 80 + 1);
    }
}
