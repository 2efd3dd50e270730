//! The tokens of a statement with what they are to its grammar: which words are keywords here, and
//! which parentheses belong together.

use std::ops::Range;

use sqlparser::keywords::Keyword;

use crate::sql::token::{Kind, tokens};

/// A token of the statement, or one that was put in (then it stands where its cause stands).
///
/// Hints and the marks of comments are none of them; their kinds stand for signs that were put in:
/// `HintOpen` is a closing parenthesis, `HintClose` a comma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tok {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// What the word is to the grammar; `NoKeyword` of names and of all that is no word.
    pub(super) word: Keyword,
}

impl Tok {
    pub(super) fn is(self, word: Keyword) -> bool {
        self.word == word
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The token as it is read: in the text, or what was put in for it.
    pub(super) fn sign(self, text: &str) -> &str {
        match self.kind {
            Kind::HintOpen => ")",
            Kind::HintClose => ",",
            _ => text.get(self.range()).unwrap_or_default(),
        }
    }

    /// A comma that is not in the text, in the place of this token.
    pub(super) fn as_comma(self) -> Self {
        Self { kind: Kind::HintClose, word: Keyword::NoKeyword, ..self }
    }

    /// A keyword that is not in the text, in the place of this token.
    pub(super) fn as_word(self, word: Keyword) -> Self {
        Self { kind: Kind::Word, word, ..self }
    }
}

/// No token.
pub(super) const NONE: usize = usize::MAX;

/// The tokens of a statement up to its end.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) tokens: Vec<Tok>,
    /// Of each token: the open parenthesis around it.
    pub(super) around: Vec<usize>,
    /// Of each parenthesis: its other one. `NONE` of one without.
    pub(super) pair: Vec<usize>,
    /// The text ends within a literal, a quoted name, a comment or a parenthesis.
    pub(super) is_cut: bool,
    /// Deepest nesting of parentheses.
    pub(super) depth: usize,
    /// Bytes of the text that the statement has.
    pub(super) end: usize,
}

/// Words that the grammar of statements knows, in order. Any other word is a name, so that a column
/// may be called `final` or `sample`.
#[rustfmt::skip]
const KEYWORDS: &[(&str, Keyword)] = &[
    ("ALL", Keyword::ALL), ("ANALYZE", Keyword::ANALYZE), ("AND", Keyword::AND), ("ANY", Keyword::ANY), ("AS", Keyword::AS),
    ("ASC", Keyword::ASC), ("BETWEEN", Keyword::BETWEEN), ("BINARY", Keyword::BINARY),
    ("BY", Keyword::BY), ("CASE", Keyword::CASE), ("COLLATE", Keyword::COLLATE),
    ("CROSS", Keyword::CROSS), ("DELETE", Keyword::DELETE), ("DESC", Keyword::DESC),
    ("DISTINCT", Keyword::DISTINCT), ("DISTINCTROW", Keyword::DISTINCTROW), ("DIV", Keyword::DIV),
    ("DUPLICATE", Keyword::DUPLICATE), ("ELSE", Keyword::ELSE), ("END", Keyword::END),
    ("ESCAPE", Keyword::ESCAPE), ("EXCEPT", Keyword::EXCEPT), ("EXISTS", Keyword::EXISTS),
    ("FETCH", Keyword::FETCH), ("FOR", Keyword::FOR), ("FORCE", Keyword::FORCE),
    ("FROM", Keyword::FROM), ("GROUP", Keyword::GROUP), ("HAVING", Keyword::HAVING),
    ("HIGH_PRIORITY", Keyword::HIGH_PRIORITY), ("IGNORE", Keyword::IGNORE), ("IN", Keyword::IN),
    ("INNER", Keyword::INNER), ("INSERT", Keyword::INSERT), ("INTERSECT", Keyword::INTERSECT),
    ("INTERVAL", Keyword::INTERVAL), ("INTO", Keyword::INTO), ("IS", Keyword::IS),
    ("JOIN", Keyword::JOIN), ("LATERAL", Keyword::LATERAL), ("LEFT", Keyword::LEFT),
    ("LIKE", Keyword::LIKE), ("LIMIT", Keyword::LIMIT), ("LOCK", Keyword::LOCK),
    ("LOW_PRIORITY", Keyword::LOW_PRIORITY), ("MATCH", Keyword::MATCH), ("MEMBER", Keyword::MEMBER),
    ("MOD", Keyword::MOD), ("NATURAL", Keyword::NATURAL), ("NOT", Keyword::NOT), ("OF", Keyword::OF),
    ("OFFSET", Keyword::OFFSET), ("ON", Keyword::ON), ("OR", Keyword::OR),
    ("ORDER", Keyword::ORDER), ("OUTER", Keyword::OUTER), ("OVER", Keyword::OVER),
    ("PARTITION", Keyword::PARTITION), ("PROCEDURE", Keyword::PROCEDURE),
    ("RECURSIVE", Keyword::RECURSIVE), ("REGEXP", Keyword::REGEXP), ("REPLACE", Keyword::REPLACE),
    ("RETURNING", Keyword::RETURNING), ("RIGHT", Keyword::RIGHT), ("RLIKE", Keyword::RLIKE),
    ("ROLLUP", Keyword::ROLLUP), ("ROW", Keyword::ROW), ("SELECT", Keyword::SELECT),
    ("SEPARATOR", Keyword::SEPARATOR), ("SET", Keyword::SET), ("SOME", Keyword::SOME),
    ("STRAIGHT_JOIN", Keyword::STRAIGHT_JOIN), ("TABLE", Keyword::TABLE), ("THEN", Keyword::THEN),
    ("UNION", Keyword::UNION), ("UNKNOWN", Keyword::UNKNOWN), ("UPDATE", Keyword::UPDATE),
    ("USE", Keyword::USE), ("USING", Keyword::USING), ("VALUE", Keyword::VALUE),
    ("VALUES", Keyword::VALUES), ("WHEN", Keyword::WHEN), ("WHERE", Keyword::WHERE),
    ("WINDOW", Keyword::WINDOW), ("WITH", Keyword::WITH), ("XOR", Keyword::XOR),
];

/// Where the keywords with each first letter begin in the table, and where the last ones end.
const FIRST: [usize; 27] = {
    let mut first = [KEYWORDS.len(); 27];
    let mut at = KEYWORDS.len();
    while at > 0 {
        at -= 1;
        first[(KEYWORDS[at].0.as_bytes()[0] - b'A') as usize] = at;
    }
    let mut letter = 26;
    while letter > 0 {
        letter -= 1;
        if first[letter] > first[letter + 1] {
            first[letter] = first[letter + 1];
        }
    }
    first
};

/// The keyword that a word is, whatever its letters' case.
fn keyword(word: &[u8]) -> Keyword {
    let letter = match word.first() {
        Some(first @ b'a'..=b'z') => first - b'a',
        Some(first @ b'A'..=b'Z') => first - b'A',
        _ => return Keyword::NoKeyword,
    };
    let letter = usize::from(letter);
    let from = FIRST.get(letter).copied().unwrap_or(0);
    let to = FIRST.get(letter + 1).copied().unwrap_or(0);
    let names = KEYWORDS.get(from..to).unwrap_or_default();
    let found = names.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(word));
    found.map_or(Keyword::NoKeyword, |(_, keyword)| *keyword)
}

/// Keywords that are functions before a parenthesis.
const FUNCTIONS: &[Keyword] =
    &[Keyword::LEFT, Keyword::RIGHT, Keyword::REPLACE, Keyword::INSERT, Keyword::MOD];

impl Words {
    /// Cuts a text into tokens, up to its end or the first `;` that something stands before.
    pub(super) fn of(text: &str) -> Self {
        // `...` at the end is how performance_schema marks what it has cut.
        let uncut = text.trim_end().strip_suffix("...");
        let text = uncut.unwrap_or(text);
        let bytes = text.as_bytes();
        let mut words = Self { end: bytes.len(), is_cut: uncut.is_some(), ..Self::default() };
        let mut is_hint = false;
        let mut open_comments = 0_usize;
        for token in tokens(bytes) {
            match token.kind {
                Kind::HintOpen => {
                    is_hint = token.of(bytes) == b"/*+";
                    open_comments += 1;
                }
                Kind::HintClose => {
                    is_hint = false;
                    open_comments = open_comments.saturating_sub(1);
                }
                _ if is_hint => {}
                Kind::Byte if token.of(bytes) == b";" => {
                    if !words.tokens.is_empty() {
                        words.end = token.start;
                        break;
                    }
                }
                kind => {
                    let word = match kind {
                        Kind::Word => keyword(token.of(bytes)),
                        _ => Keyword::NoKeyword,
                    };
                    words.tokens.push(Tok { kind, start: token.start, end: token.end, word });
                }
            }
        }
        if words.end == bytes.len() {
            words.is_cut |= open_comments > 0 || ends_in_comment(text, words.last_end());
            words.is_cut |= words.tokens.last().is_some_and(|last| is_open(text, *last));
        }
        words.end = words.last_end();
        words.tell_functions(text);
        words.pair_parentheses(text);
        words
    }

    /// The first tokens of these, as those of a text that was cut behind them.
    pub(super) fn cut(&self, text: &str, length: usize) -> Self {
        let tokens = self.tokens.get(..length).unwrap_or_default().to_vec();
        let mut words = Self { tokens, is_cut: true, ..Self::default() };
        words.end = words.last_end();
        words.pair_parentheses(text);
        words
    }

    fn last_end(&self) -> usize {
        self.tokens.last().map_or(0, |last| last.end)
    }

    fn tell_functions(&mut self, text: &str) {
        for at in 0..self.tokens.len() {
            let next = self.tokens.get(at + 1).map(|next| next.sign(text));
            let previous = at.checked_sub(1).and_then(|at| self.tokens.get(at)).copied();
            let Some(tok) = self.tokens.get_mut(at) else { continue };
            let opens = next == Some("(");
            if opens && FUNCTIONS.contains(&tok.word) && previous.is_some() {
                // `a MOD (b)` is the operator: something stands before it.
                let is_operator =
                    tok.is(Keyword::MOD) && previous.is_some_and(|it| ends_operand(text, it));
                if !is_operator {
                    tok.word = Keyword::NoKeyword;
                }
            }
        }
    }

    fn pair_parentheses(&mut self, text: &str) {
        self.pair = pairs(text, &self.tokens);
        self.around = vec![NONE; self.tokens.len()];
        let mut open = Vec::new();
        for (at, &pair) in self.pair.iter().enumerate() {
            let is_paren = self.tokens.get(at).is_some_and(|tok| is_byte(text, *tok, b')'));
            if is_paren && pair != NONE {
                open.pop();
            }
            if let Some(around) = self.around.get_mut(at) {
                *around = open.last().copied().unwrap_or(NONE);
            }
            if self.tokens.get(at).is_some_and(|tok| is_byte(text, *tok, b'(')) {
                open.push(at);
                self.depth = self.depth.max(open.len());
            }
        }
        if open.is_empty() {
            return;
        }
        // Those without an end are closed at the end of the text.
        self.is_cut = true;
        while let Some(opened) = open.pop() {
            let at = self.tokens.len();
            let (start, end) = (self.end, self.end);
            self.tokens.push(Tok { kind: Kind::HintOpen, start, end, word: Keyword::NoKeyword });
            self.pair.push(opened);
            self.around.push(open.last().copied().unwrap_or(NONE));
            if let Some(pair) = self.pair.get_mut(opened) {
                *pair = at;
            }
        }
    }

    /// Whether the caller's stack will do for the parser.
    pub(super) fn is_shallow(&self, text: &str) -> bool {
        self.levels(text).is_within(SHALLOW)
    }

    fn levels(&self, text: &str) -> Levels {
        use Keyword as K;
        let mut deepest = Levels::default();
        let mut here = Levels::default();
        let mut behind_operand = false;
        for &tok in &self.tokens {
            match tok.kind {
                Kind::Operator => {
                    here.before += usize::from(!behind_operand);
                    here.between += 1;
                }
                Kind::Word => match tok.word {
                    K::NoKeyword => {}
                    K::CASE => here.nested += 1,
                    K::END => here.nested = here.nested.saturating_sub(1),
                    K::NOT | K::BINARY | K::INTERVAL => here.before += 1,
                    K::AND | K::OR | K::XOR => {
                        here = Levels { connectives: here.connectives + 1, ..here.kept() };
                    }
                    K::UNION | K::EXCEPT | K::INTERSECT => {
                        here = Levels { unions: here.unions + 1, ..here.kept() };
                        here.connectives = 0;
                    }
                    K::SELECT
                    | K::FROM
                    | K::WHERE
                    | K::ON
                    | K::GROUP
                    | K::HAVING
                    | K::ORDER
                    | K::LIMIT
                    | K::SET => here = Levels { connectives: 0, ..here.kept() },
                    K::WHEN | K::THEN | K::ELSE => here = here.kept(),
                    _ => here.between += 1,
                },
                _ if is_byte(text, tok, b',') => here = here.kept(),
                _ if is_byte(text, tok, b'(') => here.nested += 1,
                _ if is_byte(text, tok, b')') => here.nested = here.nested.saturating_sub(1),
                _ if is_byte(text, tok, b'!') || is_byte(text, tok, b'~') => here.before += 1,
                _ => {}
            }
            behind_operand = ends_operand(text, tok);
            deepest = deepest.max(here);
        }
        deepest
    }
}

/// How deep the parser may go: by parentheses and CASE; by operators before an operand, and by those
/// between two, as far as they may be of one expression; by AND and OR of one condition; by UNION.
#[derive(Debug, Clone, Copy, Default)]
struct Levels {
    nested: usize,
    before: usize,
    between: usize,
    connectives: usize,
    unions: usize,
}

/// Levels of each kind up to which the caller's stack will do: 2 MiB, not optimized.
const SHALLOW: Levels = Levels { nested: 8, before: 8, between: 60, connectives: 160, unions: 160 };

impl Levels {
    /// What goes on where an expression ends.
    fn kept(self) -> Self {
        Self { before: 0, between: 0, ..self }
    }

    fn max(self, other: Self) -> Self {
        Self {
            nested: self.nested.max(other.nested),
            before: self.before.max(other.before),
            between: self.between.max(other.between),
            connectives: self.connectives.max(other.connectives),
            unions: self.unions.max(other.unions),
        }
    }

    fn is_within(self, most: Self) -> bool {
        self.nested <= most.nested
            && self.before <= most.before
            && self.between <= most.between
            && self.connectives <= most.connectives
            && self.unions <= most.unions
    }
}

fn is_byte(text: &str, tok: Tok, byte: u8) -> bool {
    match tok.kind {
        Kind::Byte => text.as_bytes().get(tok.start) == Some(&byte),
        Kind::HintOpen => byte == b')',
        _ => false,
    }
}

/// Of each parenthesis: its other one.
pub(super) fn pairs(text: &str, tokens: &[Tok]) -> Vec<usize> {
    let mut pair = vec![NONE; tokens.len()];
    let mut open = Vec::new();
    for (at, tok) in tokens.iter().enumerate() {
        if is_byte(text, *tok, b'(') {
            open.push(at);
        } else if is_byte(text, *tok, b')')
            && let Some(opened) = open.pop()
        {
            // Both are places of tokens.
            pair[at] = opened;
            pair[opened] = at;
        }
    }
    pair
}

/// Whether an operand may end with this token.
pub(super) fn ends_operand(text: &str, tok: Tok) -> bool {
    match tok.kind {
        Kind::Literal | Kind::Name | Kind::Quoted | Kind::Variable => true,
        Kind::Word => matches!(tok.word, Keyword::NoKeyword | Keyword::END),
        _ => tok.sign(text) == ")",
    }
}

/// Whether a literal or quoted name has no end.
fn is_open(text: &str, tok: Tok) -> bool {
    let bytes = &text.as_bytes()[tok.range()];
    let open = match (tok.kind, bytes) {
        (Kind::Literal, [b'x' | b'X' | b'b' | b'B' | b'n' | b'N', b'\'', ..]) => 1,
        (Kind::Literal, [b'\'' | b'"', ..]) | (Kind::Quoted, _) => 0,
        _ => return false,
    };
    let (quote, mut at) = (bytes[open], open + 1);
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && quote != b'`' {
            at += 2;
        } else if byte != quote {
            at += 1;
        } else if bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return false;
        }
    }
    true
}

/// Whether a comment behind the last token has no end.
fn ends_in_comment(text: &str, from: usize) -> bool {
    let mut rest = text.as_bytes().get(from..).unwrap_or_default();
    loop {
        rest = rest.trim_ascii_start();
        if let Some(comment) = rest.strip_prefix(b"/*") {
            match comment.windows(2).position(|pair| pair == b"*/") {
                Some(end) => rest = &comment[end + 2..],
                None => return true,
            }
        } else if rest.starts_with(b"#") || rest.starts_with(b"--") {
            match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => rest = &rest[end..],
                None => return false,
            }
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(KEYWORDS.is_sorted_by(|a, b| a.0 < b.0));
        for (name, word) in KEYWORDS {
            assert_eq!(keyword(name.to_lowercase().as_bytes()), *word);
        }
        assert_eq!(keyword(b"straight_JOIN"), Keyword::STRAIGHT_JOIN);
        assert_eq!(keyword(b"zone"), Keyword::NoKeyword);
        assert_eq!(keyword(b"straight_joins_and_more"), Keyword::NoKeyword);
    }
}
