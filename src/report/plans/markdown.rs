//! Pages for a ticket or a merge request.

use std::io::{self, Write};

use super::page::{Note, Piece, Tone};
use super::text::lines;
use super::wrap::{cut, one_line};
use super::{Depth, Look, Review, review};

/// Columns of a statement that are shown if not all is asked for.
const STATEMENT: usize = 400;

/// Writes all plans.
pub fn write(review: &Review, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    write_page(&review::page(review, look.depth), look, out)
}

/// Writes a page.
pub(in crate::report) fn write_page(
    page: &[Piece],
    look: &Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut was_item = false;
    for (place, piece) in page.iter().enumerate() {
        let is_item = matches!(piece, Piece::Item { .. });
        if place > 0 && !(is_item && was_item) {
            writeln!(out)?;
        }
        was_item = is_item;
        match piece {
            Piece::Title(text) => writeln!(out, "## {}", plain(text))?,
            Piece::Section(text) => writeln!(out, "### {text}")?,
            Piece::Statement(text) => {
                let text = one_line(text);
                let text = if look.depth == Depth::Full { text } else { cut(&text, STATEMENT) };
                fenced("sql", "", &text, out)?;
            }
            Piece::Words(Tone::Plain | Tone::Dim, text) => writeln!(out, "{}", plain(text))?,
            Piece::Words(_, text) => writeln!(out, "**{}**", plain(text))?,
            Piece::Item { label, text, notes, .. } => item(label, text, notes, out)?,
            Piece::Tree(table) => {
                let lines: Vec<String> =
                    lines(table, look.width.max(80)).into_iter().map(|(_, line)| line).collect();
                fenced("text", "", &lines.join("\n"), out)?;
            }
            Piece::Script(text) => fenced("sql", "", text, out)?,
        }
    }
    Ok(())
}

fn item(label: &str, text: &str, notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    // A number is written as it is: the list may be in parts.
    let (head, indent) = match label {
        "-" => ("- ".to_owned(), "  ".to_owned()),
        label if label.ends_with('.') => {
            (format!("{label} "), " ".repeat(label.chars().count() + 1))
        }
        label => (format!("- **{label}** "), "  ".to_owned()),
    };
    writeln!(out, "{head}{}", plain(text))?;
    for note in notes {
        match note {
            Note::Words(tone, text) => {
                let text = plain(text);
                let text = if *tone == Tone::Warn { format!("**{text}**") } else { text };
                writeln!(out, "{indent}- {text}")?;
            }
            Note::Code(text) => fenced("sql", &format!("{indent}  "), text, out)?,
        }
    }
    Ok(())
}

/// A block that is shown as it stands, behind a fence longer than any run of backquotes in it.
fn fenced(language: &str, indent: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    writeln!(out, "{indent}{fence}{language}")?;
    for line in text.lines() {
        writeln!(out, "{indent}{line}")?;
    }
    writeln!(out, "{indent}{fence}")
}

/// Text whose characters mean nothing to Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '~' | '&') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_taken_for_markup() {
        assert_eq!(plain("<derived2> a_b `c` 2 * 3"), "\\<derived2\\> a\\_b \\`c\\` 2 \\* 3");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        let mut out = Vec::new();
        fenced("sql", "", "SELECT '````'", &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "`````sql\nSELECT '````'\n`````\n");
    }
}
