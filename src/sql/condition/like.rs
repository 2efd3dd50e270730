//! Patterns of `LIKE`: `%` for any text, `_` for one character, an escape in front of either.

/// A pattern cut into its pieces. ASCII letters match in either case, as in MySQL's default
/// collation; a character is one of UTF-8 where the bytes are UTF-8, else one byte.
#[derive(Debug, Clone)]
pub(super) struct Like(Vec<Piece>);

#[derive(Debug, Clone, Copy)]
enum Piece {
    Byte(u8),
    One,
    Any,
}

impl Like {
    /// An escape at the very end stands for itself.
    pub(super) fn new(pattern: &[u8], escape: Option<u8>) -> Self {
        let mut bytes = pattern.iter().copied();
        let mut pieces = Vec::with_capacity(pattern.len());
        while let Some(byte) = bytes.next() {
            pieces.push(match byte {
                _ if Some(byte) == escape => Piece::Byte(bytes.next().unwrap_or(byte)),
                b'%' => Piece::Any,
                b'_' => Piece::One,
                _ => Piece::Byte(byte),
            });
        }
        Self(pieces)
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        let (mut piece, mut at) = (0, 0);
        // Where to go on when a match breaks: behind the last `%`, one character further.
        let mut retry = None;
        loop {
            match self.0.get(piece) {
                Some(Piece::Any) => {
                    piece += 1;
                    retry = Some((piece, at));
                    continue;
                }
                Some(Piece::One) if at < text.len() => {
                    at += width(&text[at..]);
                    piece += 1;
                    continue;
                }
                Some(Piece::Byte(byte))
                    if text.get(at).is_some_and(|it| it.eq_ignore_ascii_case(byte)) =>
                {
                    at += 1;
                    piece += 1;
                    continue;
                }
                None if at == text.len() => return true,
                _ => {}
            }
            match retry {
                Some((behind, from)) if from < text.len() => {
                    (piece, at) = (behind, from + width(&text[from..]));
                    retry = Some((piece, at));
                }
                _ => return false,
            }
        }
    }
}

/// Bytes of the character that the text, which is not empty, begins with.
fn width(text: &[u8]) -> usize {
    let length = match text[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    match text.get(1..length) {
        Some(rest) if rest.iter().all(|byte| matches!(byte, 0x80..=0xbf)) => length,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, want: bool) {
        let like = Like::new(pattern.as_bytes(), Some(b'\\'));
        assert_eq!(like.matches(text.as_bytes()), want, "{text:?} like {pattern:?}");
    }

    #[test]
    fn wildcards_match() {
        check("", "", true);
        check("", "a", false);
        check("%", "", true);
        check("_", "", false);
        check("select%", "SELECT 1", true);
        check("%from%orders", "select 1 from a from orders", true);
        check("%orders", "orders o", false);
        check("a_c", "abc", true);
        check("a_c", "ac", false);
        check("%b_", "abbbc", true);
    }

    #[test]
    fn a_character_may_be_several_bytes() {
        check("_", "é", true);
        check("__", "é", false);
        check("%_x", "ééx", true);
        assert!(Like::new(b"__", None).matches(b"\xff\xe9"));
    }

    #[test]
    fn escapes_take_the_meaning_away() {
        check(r"a\_c", "a_c", true);
        check(r"a\_c", "abc", false);
        check(r"100\%", "100%", true);
        check(r"a\", r"a\", true);
        assert!(Like::new(b"a|%", Some(b'|')).matches(b"a%"));
        assert!(Like::new(br"a\%", None).matches(br"a\b"));
    }

    #[test]
    fn many_wildcards_end_soon() {
        check(&"%a".repeat(50), &"a".repeat(10_000), true);
        check(&format!("{}b", "%a".repeat(50)), &"a".repeat(10_000), false);
    }
}
