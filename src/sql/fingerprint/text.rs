//! The text of a fingerprint: tokens, joined by one rule about blanks.
//!
//! ```text
//! INSERT INTO t(a) VALUES (-1),(2)   →   insert into t (a) values(?+)
//! ```
//!
//! One pass: a literal is written as `?` together with its signs, a list of literals as `(?+)`,
//! rows behind the first are passed over, a second operand of LIMIT and ASC are taken back.
//! Repeated arms of a UNION are left to `unions.rs`, on the finished text.

use crate::sql::fingerprint::unions;
use crate::sql::token::{Kind, Token, Tokens};

/// Writes the text of all tokens that are left.
pub(super) fn write(tokens: &mut Tokens<'_>) -> Vec<u8> {
    let mut writer = Writer {
        tokens,
        text: Vec::with_capacity(1024),
        last: Last::Start,
        names: Names::No,
        limit: Limit::No,
        signs: None,
        phrase: Phrase::No,
        open_parens: Vec::new(),
        row_opens: false,
        is_ordered: false,
        is_upsert: false,
        has_union: false,
    };
    while let Some(token) = writer.tokens.next() {
        writer.token(token);
    }
    writer.finish()
}

/// Writes a name in lower case; a control character within prints as a blank.
pub(super) fn push_name(text: &mut Vec<u8>, name: &[u8]) {
    let start = text.len();
    text.extend_from_slice(name);
    for byte in &mut text[start..] {
        *byte = match byte.is_ascii_control() {
            true => b' ',
            false => byte.to_ascii_lowercase(),
        };
    }
}

struct Writer<'t, 'a> {
    tokens: &'t mut Tokens<'a>,
    text: Vec<u8>,
    last: Last,
    names: Names,
    limit: Limit,
    /// Where the signs before the cursor began, and what stood before them.
    signs: Option<(usize, Last)>,
    phrase: Phrase,
    /// For every open parenthesis, whether it is the first row of VALUES.
    open_parens: Vec<bool>,
    /// The next parenthesis is the first row of VALUES.
    row_opens: bool,
    /// ORDER BY was seen: ASC says nothing new.
    is_ordered: bool,
    /// ON DUPLICATE KEY was seen: VALUES is a function.
    is_upsert: bool,
    has_union: bool,
}

/// What was written last, as far as blanks and signs depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Start,
    Open,
    Comma,
    Semicolon,
    Dot,
    Arrow,
    Operator,
    /// `+` or `-` before its operand.
    Sign,
    /// `!` or `~`.
    Prefix,
    At,
    Hint,
    /// A word behind which an operand or a condition begins.
    Clause,
    /// A word that takes a parenthesis as a function does.
    Word,
    /// A name or VALUES, behind which a parenthesis is not one of a function.
    Apart,
    Operand,
    Other,
}

impl Last {
    /// Whether `+` and `-` are signs here.
    fn expects_operand(self) -> bool {
        use Last::*;
        matches!(
            self,
            Start | Open | Comma | Semicolon | Arrow | Operator | Sign | Prefix | Hint | Clause
        )
    }

    /// Whether what follows is written without a blank.
    fn is_tight(self) -> bool {
        use Last::*;
        matches!(self, Start | Open | Dot | Arrow | Sign | Prefix | At)
    }
}

/// Whether the next name is one whose columns may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    No,
    Expected,
    /// Behind INSERT or REPLACE at the start, where INTO may be missing.
    Inserted,
    Given,
}

/// How much of `limit ?, ?` or `limit ? offset ?` was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    No,
    Word,
    /// The end of `limit ?`.
    One(usize),
    Separator(usize),
}

/// How much of ORDER BY or ON DUPLICATE KEY was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phrase {
    No,
    Order,
    On,
    OnDuplicate,
}

impl Writer<'_, '_> {
    fn token(&mut self, token: Token) {
        let bytes = self.tokens.text(token);
        let (limit, phrase) = (self.limit, self.phrase);
        (self.limit, self.phrase) = (Limit::No, Phrase::No);
        let names = self.names;
        if !matches!(token.kind, Kind::HintOpen | Kind::HintClose) {
            self.names = Names::No;
        }
        match token.kind {
            Kind::Literal => self.literal(limit),
            Kind::Word => self.word(bytes, names, limit, phrase),
            Kind::Name => self.dotted(bytes, names),
            Kind::Quoted => {
                self.blank();
                push_name(&mut self.text, bytes);
                self.name_given(names, Last::Operand);
            }
            Kind::Variable => {
                self.blank();
                push_name(&mut self.text, bytes);
                self.last = Last::Word;
            }
            Kind::HintOpen => self.hint(bytes),
            Kind::HintClose => self.plain(bytes, Last::Hint),
            Kind::Operator => self.operator(bytes, limit),
            Kind::At if self.last == Last::Clause => self.plain(bytes, Last::At),
            Kind::At => self.close_up(bytes, Last::At),
            Kind::Byte => self.byte(bytes, names, limit),
        }
    }

    fn blank(&mut self) {
        if !self.last.is_tight() {
            self.text.push(b' ');
        }
    }

    fn plain(&mut self, bytes: &[u8], last: Last) {
        self.blank();
        self.close_up(bytes, last);
    }

    fn close_up(&mut self, bytes: &[u8], last: Last) {
        self.text.extend_from_slice(bytes);
        self.last = last;
    }

    /// Writes `?`; signs before it are part of it, a second number of LIMIT is none.
    fn literal(&mut self, limit: Limit) {
        if let (Last::Sign, Some((start, last))) = (self.last, self.signs) {
            self.text.truncate(start);
            self.last = last;
        }
        self.plain(b"?", Last::Operand);
        match limit {
            Limit::Word => self.limit = Limit::One(self.text.len()),
            Limit::Separator(end) => self.text.truncate(end),
            Limit::No | Limit::One(_) => {}
        }
    }

    fn word(&mut self, bytes: &[u8], names: Names, limit: Limit, phrase: Phrase) {
        let is_first = matches!(self.last, Last::Start | Last::Semicolon);
        let (before, last) = (self.text.len(), self.last);
        self.blank();
        let start = self.text.len();
        push_name(&mut self.text, bytes);
        let role = role(&self.text[start..]);
        self.last = match role.is_clause() {
            true => Last::Clause,
            false => Last::Word,
        };
        match role {
            Role::Asc if self.is_ordered => {
                self.text.truncate(before);
                self.last = last;
                return;
            }
            Role::Insert if is_first => self.names = Names::Inserted,
            Role::Modifier if names == Names::Inserted => self.names = Names::Inserted,
            Role::Names | Role::ClauseNames | Role::Key => self.names = Names::Expected,
            _ => self.name_given(names, self.last),
        }
        match (role, phrase) {
            (Role::Order, _) => self.phrase = Phrase::Order,
            (Role::By, Phrase::Order) => self.is_ordered = true,
            (Role::On, _) => self.phrase = Phrase::On,
            (Role::Duplicate, Phrase::On) => self.phrase = Phrase::OnDuplicate,
            (Role::Key, Phrase::OnDuplicate) => self.is_upsert = true,
            (Role::Limit, _) => self.limit = Limit::Word,
            (Role::Union, _) => self.has_union = true,
            (Role::In, _) => self.values_of_in(),
            (Role::Values, _) => self.values(),
            (Role::Offset, _) => {
                if let Limit::One(end) = limit {
                    self.limit = Limit::Separator(end);
                }
            }
            _ => {}
        }
    }

    /// A word behind a dot. It is no keyword, but `x.values (1)` is folded as the peer does.
    fn dotted(&mut self, bytes: &[u8], names: Names) {
        self.blank();
        let start = self.text.len();
        push_name(&mut self.text, bytes);
        self.name_given(names, Last::Word);
        match role(&self.text[start..]) {
            Role::In => self.values_of_in(),
            Role::Values => self.values(),
            _ => {}
        }
    }

    fn name_given(&mut self, names: Names, last: Last) {
        self.last = last;
        if matches!(names, Names::Expected | Names::Inserted) {
            self.names = Names::Given;
            if last == Last::Word {
                self.last = Last::Apart;
            }
        }
    }

    fn values_of_in(&mut self) {
        if let Some(behind) = literal_list(self.tokens) {
            *self.tokens = behind;
            self.close_up(b"(?+)", Last::Operand);
        }
    }

    /// Behind VALUES: the first row stays, as `(?+)` if it is of literals only.
    fn values(&mut self) {
        if self.is_upsert {
            return;
        }
        let mut row = self.tokens.clone();
        let is_row_word = skip_row_word(&mut row);
        if row.peek().is_none_or(|token| row.text(token) != b"(") {
            return;
        }
        *self.tokens = row;
        self.last = Last::Apart;
        if is_row_word {
            self.plain(b"row", Last::Word);
        }
        match literal_list(self.tokens) {
            Some(behind) => {
                *self.tokens = behind;
                self.close_up(b"(?+)", Last::Operand);
                skip_rows(self.tokens);
            }
            None => self.row_opens = true,
        }
    }

    /// `/*!40001` prints as `/*!?`.
    fn hint(&mut self, bytes: &[u8]) {
        self.blank();
        let mark = bytes.iter().take_while(|byte| !byte.is_ascii_digit());
        let length = mark.count();
        push_name(&mut self.text, &bytes[..length]);
        if length < bytes.len() {
            self.text.push(b'?');
        }
        self.last = Last::Hint;
    }

    fn operator(&mut self, bytes: &[u8], limit: Limit) {
        match bytes {
            b"->" | b"->>" => self.close_up(bytes, Last::Arrow),
            b"+" | b"-" if self.last.expects_operand() => {
                if self.last != Last::Sign {
                    self.signs = Some((self.text.len(), self.last));
                }
                self.limit = limit;
                self.plain(bytes, Last::Sign);
            }
            _ => self.plain(bytes, Last::Operator),
        }
    }

    fn byte(&mut self, bytes: &[u8], names: Names, limit: Limit) {
        match bytes {
            b"(" => {
                if self.last != Last::Word {
                    self.blank();
                }
                self.close_up(bytes, Last::Open);
                self.open_parens.push(std::mem::take(&mut self.row_opens));
            }
            b")" => {
                self.close_up(bytes, Last::Operand);
                if self.open_parens.pop() == Some(true) {
                    skip_rows(self.tokens);
                }
            }
            b"," => {
                if let Limit::One(end) = limit {
                    self.limit = Limit::Separator(end);
                }
                self.close_up(bytes, Last::Comma);
            }
            b";" => {
                self.is_upsert = false;
                self.close_up(bytes, Last::Semicolon);
            }
            b"." => {
                if names == Names::Given {
                    self.names = Names::Expected;
                }
                self.close_up(bytes, Last::Dot);
            }
            b":" => self.close_up(bytes, Last::Other),
            b"!" | b"~" => self.plain(bytes, Last::Prefix),
            _ => self.plain(bytes, Last::Other),
        }
    }

    /// Drops semicolons that only comments followed, and repeated arms.
    fn finish(mut self) -> Vec<u8> {
        while self.last == Last::Semicolon && self.text.last() == Some(&b';') {
            self.text.pop();
        }
        match self.has_union {
            true => unions::collapse(self.text),
            false => self.text,
        }
    }
}

/// What a word does to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    Clause,
    /// A name whose columns may follow comes next.
    Names,
    /// The same, and a parenthesis stands apart.
    ClauseNames,
    Key,
    In,
    Values,
    Limit,
    Offset,
    Order,
    By,
    Asc,
    On,
    Duplicate,
    Union,
    Insert,
    /// May stand between INSERT and the table.
    Modifier,
}

impl Role {
    /// Whether an operand or a condition begins behind the word.
    fn is_clause(self) -> bool {
        use Role::*;
        matches!(self, Clause | ClauseNames | Key | In | Limit | Offset | By | On | Union)
    }
}

#[rustfmt::skip]
fn role(word: &[u8]) -> Role {
    match word {
        b"into" | b"table" | b"references" => Role::Names,
        b"exists" | b"index" => Role::ClauseNames,
        b"key" => Role::Key,
        b"in" => Role::In,
        b"value" | b"values" => Role::Values,
        b"limit" => Role::Limit,
        b"offset" => Role::Offset,
        b"order" => Role::Order,
        b"by" => Role::By,
        b"asc" => Role::Asc,
        b"on" => Role::On,
        b"duplicate" => Role::Duplicate,
        b"union" => Role::Union,
        b"insert" | b"replace" => Role::Insert,
        b"low_priority" | b"delayed" | b"high_priority" | b"ignore" => Role::Modifier,
        b"against" | b"all" | b"and" | b"any" | b"as" | b"between" | b"case" | b"check"
        | b"default" | b"distinct" | b"distinctrow" | b"div" | b"else" | b"except" | b"from"
        | b"having" | b"intersect" | b"interval" | b"is" | b"join" | b"lateral" | b"like"
        | b"match" | b"not" | b"or" | b"over" | b"partition" | b"regexp" | b"return" | b"rlike"
        | b"select" | b"some" | b"straight_join" | b"then" | b"unique" | b"using" | b"when"
        | b"where" | b"xor" => Role::Clause,
        _ => Role::Plain,
    }
}

/// The tokens behind a parenthesis that holds only literals, commas and parentheses of such.
///
/// `None` at the first token that is something else, so that looking ahead stays linear.
fn literal_list<'a>(tokens: &Tokens<'a>) -> Option<Tokens<'a>> {
    let mut ahead = tokens.clone();
    let (mut depth, mut expects_operand, mut signed) = (0_usize, false, false);
    loop {
        let token = ahead.next()?;
        match ahead.text(token) {
            _ if token.kind == Kind::Literal && depth > 0 => {
                (expects_operand, signed) = (false, false);
            }
            b"+" | b"-" if expects_operand => signed = true,
            b"(" if !signed => (depth, expects_operand) = (depth + 1, true),
            b"," if !signed && depth > 0 => expects_operand = true,
            b")" if !signed && depth > 0 => {
                (depth, expects_operand) = (depth - 1, false);
                if depth == 0 {
                    return Some(ahead);
                }
            }
            _ => return None,
        }
    }
}

/// Passes over rows, `, (…)` or `, ROW(…)`, as many as there are; one cut off counts.
fn skip_rows(tokens: &mut Tokens<'_>) {
    loop {
        let mut ahead = tokens.clone();
        if ahead.next().is_none_or(|token| ahead.text(token) != b",") {
            return;
        }
        skip_row_word(&mut ahead);
        if ahead.peek().is_none_or(|token| ahead.text(token) != b"(") {
            return;
        }
        let mut depth = 0_usize;
        while let Some(token) = ahead.next() {
            match ahead.text(token) {
                b"(" => depth += 1,
                b")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        *tokens = ahead;
    }
}

fn skip_row_word(tokens: &mut Tokens<'_>) -> bool {
    let is_row = tokens.peek().is_some_and(|token| {
        token.kind == Kind::Word && tokens.text(token).eq_ignore_ascii_case(b"row")
    });
    if is_row {
        tokens.next();
    }
    is_row
}
