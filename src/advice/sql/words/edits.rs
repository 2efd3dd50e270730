//! Changes of a text.

use std::ops::Range;

/// Ranges of a text, and what stands there instead.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    changes: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Puts a text in the place of a range; an empty range inserts.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.changes.push((range, text.into()));
    }

    /// Takes a range away.
    pub fn remove(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// Whether something changes within a range.
    pub fn touches(&self, range: &Range<usize>) -> bool {
        self.changes.iter().any(|(own, _)| own.start < range.end && range.start < own.end)
    }

    /// The text with all changes, without a semicolon at its end. None where there are no changes,
    /// where two of them overlap or one is out of the text.
    pub fn apply(&self, text: &str) -> Option<String> {
        if self.changes.is_empty() {
            return None;
        }
        let mut changes: Vec<&(Range<usize>, String)> = self.changes.iter().collect();
        changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut made = String::with_capacity(text.len());
        let mut at = 0;
        for (range, new) in changes {
            if range.start < at {
                return None;
            }
            made.push_str(text.get(at..range.start)?);
            // A blank before what goes is not left beside the blank behind it.
            let rest = text.get(range.end..)?;
            let is_gap =
                new.is_empty() && (rest.is_empty() || rest.starts_with([' ', '\n', ')', ';']));
            if is_gap {
                made.truncate(made.trim_end().len());
            }
            made.push_str(new);
            at = range.end;
        }
        made.push_str(text.get(at..)?);
        let made = made.trim().trim_end_matches(';').trim_end();
        Some(made.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_made_in_the_order_of_the_text() {
        let mut edits = Edits::default();
        edits.replace(9..10, "x AND y");
        edits.remove(2..4);
        assert_eq!(edits.apply("a bb c = d ;").as_deref(), Some("a c = x AND y"));
        edits.replace(3..5, "z");
        assert_eq!(edits.apply("a bb c = d ;"), None);
        assert_eq!(Edits::default().apply("a"), None);
    }
}
