//! A text as lines, and what quotes them.

/// The lines of a text, without their ends.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    text: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// Cuts a text at its line ends, `\n` or `\r\n`.
    pub fn new(text: &'a [u8]) -> Lines<'a> {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Lines { text, starts }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The byte of the text at which a line begins; behind the last line the end of the text.
    pub fn offset(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line; `None` behind the last one.
    pub fn get(&self, line: usize) -> Option<&'a [u8]> {
        let start = *self.starts.get(line)?;
        let text = self.text.get(start..self.offset(line + 1))?;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        Some(text.strip_suffix(b"\r").unwrap_or(text))
    }

    /// A line without what quotes it; `None` behind the last one, and where it is not quoted so.
    pub fn unquoted(&self, line: usize, quote: &[u8]) -> Option<&'a [u8]> {
        unquoted(self.get(line)?, quote)
    }

    /// Whether the text ends with a line end.
    pub fn ends_whole(&self) -> bool {
        self.text.ends_with(b"\n")
    }
}

/// A line without its quoting. Blanks at the end of a quote may be lost where nothing follows.
pub fn unquoted<'a>(line: &'a [u8], quote: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(quote)
        .or_else(|| (line == quote.trim_ascii_end()).then_some(&line[line.len()..]))
}

/// What quotes a line: `> `, `# ` and blanks at its beginning.
pub fn quote(line: &[u8]) -> &[u8] {
    let is_quote = |b: &u8| matches!(b, b' ' | b'\t' | b'>' | b'#');
    let length = line.iter().take_while(|b| is_quote(b)).count();
    &line[..length]
}

/// The same without the blanks that are part of what is quoted: `# ` of `#            id: 1`.
pub fn quote_of_aligned(line: &[u8]) -> &[u8] {
    let whole = quote(line);
    match whole.iter().rposition(|b| matches!(b, b'>' | b'#')) {
        None => &line[..0],
        Some(at) => {
            let blank = usize::from(whole.get(at + 1) == Some(&b' '));
            &line[..at + 1 + blank]
        }
    }
}

/// Whether a line ends what was printed above it: the count of rows, a prompt, a message.
pub fn ends_print(line: &[u8]) -> bool {
    let begins = |word: &[u8]| line.starts_with(word);
    line.trim_ascii().is_empty()
        || begins(b"+--")
        || begins(b"----")
        || begins(b"mysql>")
        || begins(b"MariaDB [")
        || begins(b"Query OK")
        || begins(b"Empty set")
        || begins(b"ERROR ")
        || is_count(line)
}

/// `2 rows in set (0.00 sec)`.
fn is_count(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = &line[digits..];
    digits > 0 && (rest.starts_with(b" row in set") || rest.starts_with(b" rows in set"))
}
