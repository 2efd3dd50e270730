//! JSON as servers print it: order and repeated keys are kept, for MariaDB says `"table"` as often
//! as it has tables. A document that is cut gives what is there, and where it ends.
//!
//! Lines may be quoted as in a mail: the reader goes over lines, not over one piece of text.

use crate::amount::Amount;

/// Levels of nesting that are read. A join of 61 tables, the most that a server allows, has some
/// 150.
const DEEPEST: usize = 400;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Truth(bool),
    /// A number as it is spelled.
    Number(String),
    /// A text without its quotes and escapes.
    Text(String),
    /// `[…]`.
    List(Vec<Json>),
    /// `{…}`: pairs in their order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The first value under a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.pairs().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// All pairs of an object.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &Json)> {
        let pairs = match self {
            Json::Object(pairs) => pairs.as_slice(),
            _ => &[],
        };
        pairs.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The values of a list; of anything else the value itself.
    pub fn each(&self) -> &[Json] {
        match self {
            Json::List(values) => values,
            other => std::slice::from_ref(other),
        }
    }

    /// A text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, in quotes or not.
    pub fn amount(&self) -> Option<Amount> {
        match self {
            Json::Text(text) | Json::Number(text) => Amount::parse(text),
            _ => None,
        }
    }

    /// A whole number.
    pub fn whole(&self) -> Option<u64> {
        match self {
            Json::Text(text) | Json::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `true`, or a number other than zero, as MariaDB says it of some keys.
    pub fn holds(&self) -> bool {
        match self {
            Json::Truth(truth) => *truth,
            Json::Number(number) => number != "0",
            _ => false,
        }
    }
}

/// Where a document is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Line, counted from 0.
    pub line: usize,
    /// Byte of that line, counted from 0.
    pub column: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// Whether the text has ended.
    pub is_end: bool,
}

/// A document: what was read of it, the line behind it, and where it is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The value, as far as it could be read.
    pub value: Json,
    /// The line in which it ends.
    pub line: usize,
    /// Where reading stopped short.
    pub wrong: Option<Wrong>,
}

/// Reads the document that begins at a byte of a line. `line_of` gives lines without their
/// quoting, `None` where the text ends.
pub fn read<'a>(line: usize, column: usize, line_of: impl Fn(usize) -> Option<&'a [u8]>) -> Read {
    let text = line_of(line).unwrap_or_default();
    let mut reader = Reader { line_of, text, line, column, depth: 0, wrong: None };
    let value = reader.value().unwrap_or(Json::Null);
    Read { value, line: reader.line, wrong: reader.wrong }
}

struct Reader<'a, F> {
    line_of: F,
    text: &'a [u8],
    line: usize,
    column: usize,
    depth: usize,
    wrong: Option<Wrong>,
}

impl<'a, F: Fn(usize) -> Option<&'a [u8]>> Reader<'a, F> {
    /// The next byte; a line ends with `\n`. `None` at the end of the text.
    fn peek(&mut self) -> Option<u8> {
        match self.text.get(self.column) {
            Some(byte) => Some(*byte),
            None => (self.line_of)(self.line + 1).map(|_| b'\n'),
        }
    }

    fn step(&mut self) {
        if self.column < self.text.len() {
            self.column += 1;
        } else if let Some(text) = (self.line_of)(self.line + 1) {
            self.text = text;
            self.line += 1;
            self.column = 0;
        }
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.step();
        }
    }

    /// Notes what was expected here, the first time.
    fn expect<T>(&mut self, expected: &'static str) -> Option<T> {
        let is_end = self.peek().is_none();
        let (line, column) = (self.line, self.column);
        self.wrong.get_or_insert(Wrong { line, column, expected, is_end });
        None
    }

    fn value(&mut self) -> Option<Json> {
        self.blanks();
        match self.peek() {
            Some(b'{' | b'[') if self.depth == DEEPEST => {
                self.expect("a value that is nested less deep")
            }
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'0'..=b'9' | b'-') => Some(Json::Number(self.word())),
            Some(b'a'..=b'z') => {
                let start = (self.line, self.column);
                match self.word().as_str() {
                    "null" => Some(Json::Null),
                    "true" => Some(Json::Truth(true)),
                    "false" => Some(Json::Truth(false)),
                    _ => {
                        self.column = if self.line == start.0 { start.1 } else { self.column };
                        self.expect("a value")
                    }
                }
            }
            _ => self.expect("a value"),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Json) -> Option<Json> {
        self.depth += 1;
        self.step();
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    /// What is behind `{`, as far as it goes.
    fn object(&mut self) -> Json {
        let mut pairs = Vec::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.step();
            return Json::Object(pairs);
        }
        while self.wrong.is_none() {
            self.blanks();
            if self.peek() != Some(b'"') {
                self.expect::<()>("a key in double quotes");
                break;
            }
            let Some(key) = self.string() else { break };
            self.blanks();
            if self.peek() != Some(b':') {
                self.expect::<()>("a colon behind the key");
                break;
            }
            self.step();
            let Some(value) = self.value() else { break };
            pairs.push((key, value));
            if self.wrong.is_some() || !self.goes_on(b'}', "a comma or the end of the object") {
                break;
            }
        }
        Json::Object(pairs)
    }

    /// What is behind `[`, as far as it goes.
    fn list(&mut self) -> Json {
        let mut values = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.step();
            return Json::List(values);
        }
        while self.wrong.is_none() {
            let Some(value) = self.value() else { break };
            values.push(value);
            if self.wrong.is_some() || !self.goes_on(b']', "a comma or the end of the list") {
                break;
            }
        }
        Json::List(values)
    }

    /// Steps over a comma, or over the end.
    fn goes_on(&mut self, end: u8, expected: &'static str) -> bool {
        self.blanks();
        match self.peek() {
            Some(b',') => {
                self.step();
                true
            }
            Some(byte) if byte == end => {
                self.step();
                false
            }
            _ => self.expect::<()>(expected).is_some(),
        }
    }

    fn word(&mut self) -> String {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let rest = self.text.get(self.column..).unwrap_or_default();
        let length = rest.iter().take_while(|b| is_part(b)).count();
        self.column += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    fn string(&mut self) -> Option<String> {
        self.step();
        let mut text = Vec::new();
        loop {
            // What needs no second look, in one piece.
            let rest = self.text.get(self.column..).unwrap_or_default();
            let plain = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            text.extend_from_slice(&rest[..plain]);
            self.column += plain;
            match self.peek() {
                None => return self.expect("the end of a string"),
                Some(b'"') => {
                    self.step();
                    return Some(String::from_utf8_lossy(&text).into_owned());
                }
                Some(b'\\') => {
                    self.step();
                    self.escape(&mut text)?;
                }
                // MariaDB leaves line ends in strings as they are.
                Some(byte) => {
                    text.push(byte);
                    self.step();
                }
            }
        }
    }

    /// What is behind a backslash.
    fn escape(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let byte = match self.peek() {
            None => return self.expect("the rest of a string"),
            Some(b'u') => {
                self.step();
                return self.unicode(text);
            }
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            // MariaDB writes some characters behind a backslash that need none.
            Some(other) => other,
        };
        self.step();
        text.push(byte);
        Some(())
    }

    fn unicode(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let mut code = self.four_digits()?;
        if (0xd800..0xdc00).contains(&code)
            && let Some(low) = self.low_surrogate()
        {
            // Their backslash, letter and digits.
            self.column += 6;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        Some(())
    }

    /// The second half of a letter, if it stands here: any other escape is one by itself.
    fn low_surrogate(&self) -> Option<u32> {
        let rest = self.text.get(self.column..)?;
        let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
        hexadecimal(digits).filter(|code| (0xdc00..0xe000).contains(code))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.column..self.column + 4);
        match digits.and_then(hexadecimal) {
            Some(code) => {
                self.column += 4;
                Some(code)
            }
            None => self.expect("four hexadecimal digits"),
        }
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_all = digits.bytes().all(|b| b.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Read {
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        read(0, 0, |line| lines.get(line).copied())
    }

    #[test]
    fn repeated_keys_and_order_are_kept() {
        let got = read_all(
            "{\"b\": 1,\n \"a\": [true, null, \"x\\n\\u00e9\\ud83d\\ude00\"],\n \"b\": {}}\nrest",
        );
        let text = |text: &str| text.to_owned();
        let list = vec![Json::Truth(true), Json::Null, Json::Text(text("x\né😀"))];
        let want = vec![
            (text("b"), Json::Number(text("1"))),
            (text("a"), Json::List(list)),
            (text("b"), Json::Object(Vec::new())),
        ];
        assert_eq!(got, Read { value: Json::Object(want), line: 2, wrong: None });
    }

    #[test]
    fn half_a_letter_is_replaced_and_what_follows_is_read() {
        for (text, want) in [
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\u0041""#, "\u{fffd}A"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
            (r#""\ud83d\n""#, "\u{fffd}\n"),
            (r#""\ude00x""#, "\u{fffd}x"),
            (r#""\ud83d""#, "\u{fffd}"),
        ] {
            assert_eq!(read_all(text).value, Json::Text(want.to_owned()), "{text}");
        }
        check(r#"["\ud83d\u00"]"#, (0, 10, "four hexadecimal digits"));
    }

    /// What is wrong: line, column and what was expected there.
    #[track_caller]
    fn check(text: &str, want: (usize, usize, &str)) {
        let wrong = read_all(text).wrong.unwrap();
        assert_eq!((wrong.line, wrong.column, wrong.expected), want, "{text}");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        check("{\"a\": 1", (0, 7, "a comma or the end of the object"));
        check("{\n \"a\" 1}", (1, 5, "a colon behind the key"));
        check("{\n a: 1}", (1, 1, "a key in double quotes"));
        check("[1,\n 2\n x]", (2, 1, "a comma or the end of the list"));
        check("[1, nil]", (0, 4, "a value"));
        check("[\"abc", (0, 5, "the end of a string"));
        check("[\"\\u12", (0, 4, "four hexadecimal digits"));
        check(&"[".repeat(100_000), (0, DEEPEST, "a value that is nested less deep"));
        check("", (0, 0, "a value"));
    }

    #[test]
    fn what_is_there_of_a_cut_document_is_given() {
        let got = read_all("{\"a\": [1, {\"b\": 2, \"c");
        let inner = got.value.get("a").map(|list| list.each().to_vec()).unwrap();
        assert_eq!(inner[1].get("b").and_then(Json::whole), Some(2));
        assert!(got.wrong.unwrap().is_end);
    }
}
