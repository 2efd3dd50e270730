//! Plain SQL: statements that end in `;`, the last one possibly without it.

use super::slow::quotes::{Stop, Walk};

/// The statements of a text, without their `;` and what is blank around them. Empty ones and
/// ones that are comments only are left out.
///
/// `delimiter` lines of the client are honoured: `DELIMITER //` changes what ends a statement.
pub fn statements(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    let mut delimiter: &[u8] = b";";
    std::iter::from_fn(move || {
        while at < text.len() {
            if let Some((new, next)) = delimiter_line(text, at) {
                (delimiter, at) = (new, next);
                continue;
            }
            let end = find_end(text, at, delimiter);
            let statement = text[at..end].trim_ascii();
            at = (end + delimiter.len()).min(text.len()).max(end);
            if end == text.len() {
                at = end;
            }
            if !is_comment_only(statement) {
                return Some(statement);
            }
        }
        None
    })
}

/// `DELIMITER x` at the beginning of a line: the new delimiter and the place behind the line.
fn delimiter_line(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let blanks = text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let start = at + blanks;
    let word = b"delimiter";
    let rest = text.get(start..)?;
    if rest.len() <= word.len() || !rest[..word.len()].eq_ignore_ascii_case(word) {
        return None;
    }
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let value = rest[word.len()..end].trim_ascii();
    let blank = rest[word.len()].is_ascii_whitespace();
    (blank && !value.is_empty()).then_some((value, start + end))
}

/// The place of the delimiter that ends the statement at `at`.
fn find_end(text: &[u8], at: usize, delimiter: &[u8]) -> usize {
    let mut walk = Walk::default();
    if delimiter == b";" {
        let mut place = at;
        loop {
            place = match walk.step(text, place) {
                Stop::End => return text.len(),
                Stop::Semicolon(behind) => return behind - 1,
                Stop::Opened(quote) => quote + 1,
                Stop::Closed(behind) => behind,
            };
        }
    }
    memchr::memmem::find(&text[at..], delimiter).map_or(text.len(), |found| at + found)
}

fn is_comment_only(statement: &[u8]) -> bool {
    let mut rest = statement;
    loop {
        rest = rest.trim_ascii_start();
        let line = rest.starts_with(b"#")
            || (rest.starts_with(b"--") && rest.get(2).is_none_or(|b| *b <= b' '));
        if rest.is_empty() {
            return true;
        } else if line {
            rest = memchr::memchr(b'\n', rest).map_or(&rest[..0], |end| &rest[end..]);
        } else if rest.starts_with(b"/*") && !rest.starts_with(b"/*!") {
            let Some(end) = memchr::memmem::find(&rest[2..], b"*/") else { return true };
            rest = &rest[2 + end + 2..];
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        let got: Vec<_> = statements(text.as_bytes()).map(String::from_utf8_lossy).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn statements_end_outside_of_quotes() {
        check("SELECT 1; SELECT ';';\nSELECT 2", &["SELECT 1", "SELECT ';'", "SELECT 2"]);
        check("SELECT 1 -- a;b\n;", &["SELECT 1 -- a;b"]);
        check(";;\n-- nothing\n;", &[]);
        check("-- why\nSELECT 1;", &["-- why\nSELECT 1"]);
        check("SELECT 'open", &["SELECT 'open"]);
    }

    #[test]
    fn the_client_may_change_the_delimiter() {
        check(
            "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END//\nDELIMITER ;\nSELECT 2;",
            &["CREATE PROCEDURE p() BEGIN SELECT 1; END", "SELECT 2"],
        );
    }
}
