//! A SQL condition that a user types, as for `--where`, told of one event at a time.
//!
//! ```text
//! db = 'shop' and (Query_time > 0.5 or rows_examined / rows_sent >= 1000) and not full_scan
//! ```
//!
//! The text is read by sqlparser once and becomes a small expression of our own; what has no
//! place in it (subqueries, aggregates, functions that `FUNCTIONS` does not list) is refused by
//! name. The meaning is MySQL's: three-valued logic, a double-quoted text is a string, `||` is
//! OR, texts compare without regard to ASCII case, division by zero is NULL. Where MySQL would
//! guess we do not: a text compares with a number only if it is one wholly, else the result is
//! NULL; numbers are exact fractions, and what leaves 128 bits is NULL.
//!
//! Which names are columns, and what an event has under them, is the caller's to say.

mod evaluate;
mod like;
mod ratio;
#[cfg(test)]
mod tests;

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;

use regex::bytes::{Regex, RegexBuilder};
use sqlparser::ast::{self, BinaryOperator, Expr, Spanned, UnaryOperator};
use sqlparser::dialect::{Dialect, MySqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use self::like::Like;
use self::ratio::Ratio;
use crate::time::{Timestamp, log_time};

/// What an event has under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// The event does not have it.
    Null,
    /// Millionths of the unit: exact decimals, never through a float.
    Number(i128),
    /// `Yes` and `No` of a log.
    Bool(bool),
    /// In whatever character set the log is.
    Text(Cow<'a, [u8]>),
    /// Microseconds since 1970 UTC.
    Time(i64),
}

/// A condition over the attributes of an event.
#[derive(Debug, Clone)]
pub struct Condition {
    columns: Vec<String>,
    root: Node,
}

/// Why a text is no condition, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("read the condition{place}: {what}")]
pub struct ConditionError {
    /// Where the trouble begins.
    pub place: Place,
    /// What it is.
    pub what: String,
}

/// Line and column of a text, in characters from 1; both 0 where the whole text is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// 1 for the first line.
    pub line: u64,
    /// 1 for the first character.
    pub column: u64,
}

/// Longest text that is read.
const MAX_BYTES: usize = 64 * 1024;

/// Most words and signs that are no operand: each may be a level of the parser's tree. We chose
/// it; 2,000 terms `query_id = '…' or` pass.
const MAX_SIGNS: usize = 8_000;

/// Deepest nesting of our own expression, which is told of by recursion. Chains of AND, OR
/// and XOR are one level, however long.
const MAX_DEPTH: usize = 128;

/// Stack of the thread that parses. sqlparser builds, and drops, a chain of operators as a
/// tree of that depth; with `MAX_SIGNS` levels this is 8 KiB for each.
const STACK: usize = 64 * 1024 * 1024;

/// Largest compiled pattern of REGEXP, so that a short text cannot ask for much memory.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    ///
    /// A text that is no SQL condition, has something in it that we do not tell of an event,
    /// or is too long or too deep.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        if text.len() > MAX_BYTES {
            let what = format!("{} bytes are more than {MAX_BYTES}", text.len());
            return Err(refused(Place::default(), what));
        }
        std::thread::scope(|scope| {
            let parser = std::thread::Builder::new().stack_size(STACK);
            match parser.spawn_scoped(scope, || read(text)) {
                Ok(thread) => thread.join().unwrap_or_else(|it| std::panic::resume_unwind(it)),
                Err(error) => Err(refused(Place::default(), format!("no thread: {error}"))),
            }
        })
    }

    /// The names used, each once, in lower case and without quotes, in order of first use.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Whether the condition is true; false and NULL are not.
    ///
    /// `value_of` gives what the event has under the name at an index of
    /// [`columns`](Self::columns). It may be asked more than once, or not at all.
    pub fn holds<'a>(&'a self, value_of: &dyn Fn(usize) -> Value<'a>) -> bool {
        self.root.truth(value_of) == Some(true)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => Ok(()),
            (1, column) => write!(f, " at column {column}"),
            (line, column) => write!(f, " at line {line}, column {column}"),
        }
    }
}

impl From<Location> for Place {
    fn from(at: Location) -> Self {
        Self { line: at.line, column: at.column }
    }
}

fn refused(place: impl Into<Place>, what: impl Into<String>) -> ConditionError {
    ConditionError { place: place.into(), what: what.into() }
}

/// Our expression. `AND`, `OR` and `XOR` have all operands of a chain side by side.
#[derive(Debug, Clone)]
enum Node {
    Null,
    Bool(bool),
    Number(Ratio),
    Text(Literal),
    Column(usize),
    And(Vec<Node>),
    Or(Vec<Node>),
    Xor(Vec<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    Compare(Comparison, Box<[Node; 2]>),
    Arithmetic(Arithmetic, Box<[Node; 2]>),
    /// The first is looked for among the others.
    In(Vec<Node>),
    /// The first lies between the others.
    Between(Box<[Node; 3]>),
    Like(Box<Node>, Pattern),
    Regexp(Box<Node>, Regex),
    IsNull(Box<Node>),
    IsUnknown(Box<Node>),
    IsTruth(Box<Node>, bool),
    Call(Function, Vec<Node>),
}

/// A text of the condition, read once as what it may be compared with.
#[derive(Debug, Clone)]
struct Literal {
    bytes: Vec<u8>,
    number: Option<Ratio>,
    time: Option<Timestamp>,
}

#[derive(Debug, Clone)]
enum Pattern {
    Fixed(Like),
    /// Told anew for each event, with the escape to use.
    Varying(Box<Node>, Option<u8>),
}

#[derive(Debug, Clone, Copy)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// `<=>`: NULL equals NULL.
    NullSafeEqual,
}

#[derive(Debug, Clone, Copy)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Debug, Clone, Copy)]
enum Function {
    Lower,
    Upper,
    Length,
    CharLength,
    Abs,
    Coalesce,
    If,
    IfNull,
    NullIf,
}

/// Name, function, and how many arguments it takes at least and at most.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("abs",         Function::Abs,        1, 1),
    ("char_length", Function::CharLength, 1, 1),
    ("coalesce",    Function::Coalesce,   1, usize::MAX),
    ("if",          Function::If,         3, 3),
    ("ifnull",      Function::IfNull,     2, 2),
    ("lcase",       Function::Lower,      1, 1),
    ("length",      Function::Length,     1, 1),
    ("lower",       Function::Lower,      1, 1),
    ("nullif",      Function::NullIf,     2, 2),
    ("ucase",       Function::Upper,      1, 1),
    ("upper",       Function::Upper,      1, 1),
];

/// Named as what they are, since they look as if they should work.
const AGGREGATES: &[&str] =
    &["avg", "bit_and", "bit_or", "bit_xor", "count", "group_concat", "max", "min", "std", "sum"];

/// Words that sqlparser takes for columns where an operand is missing.
const RESERVED: &[&str] = &[
    "and", "between", "div", "escape", "from", "group", "having", "in", "is", "like", "limit",
    "mod", "not", "or", "order", "regexp", "rlike", "select", "where", "xor",
];

impl Literal {
    fn new(text: String) -> Self {
        let bytes = text.into_bytes();
        Self { number: Ratio::read(&bytes), time: time_of(&bytes), bytes }
    }
}

/// Reads a time that fills the text wholly: as [`log_time`] does, without seconds, or a date
/// alone, its first instant. Without a zone mark it is UTC.
fn time_of(text: &[u8]) -> Option<Timestamp> {
    let minute = text.split_at_checked("yyyy-mm-dd hh:mm".len());
    let minute = minute.map(|(minute, zone)| [minute, b":00", zone].concat());
    let midnight = [text, b" 00:00:00"].concat();
    [Some(text), minute.as_deref(), Some(&midnight)].into_iter().flatten().find_map(|text| {
        let (rest, time) = log_time(text).ok()?;
        rest.is_empty().then(|| time.instant().unwrap_or(time.civil))
    })
}

/// MySQL as sqlparser knows it, with the order of operators put right.
///
/// MySQL's grammar has, from loose to tight: OR and `||`; XOR; AND and `&&`; NOT; comparisons
/// and IS; IN, BETWEEN, LIKE and REGEXP; arithmetic; unary minus; `!`. sqlparser 0.64 has XOR
/// above comparisons, `||` as concatenation and no `!`.
#[derive(Debug)]
struct Operators(MySqlDialect);

impl Dialect for Operators {
    fn prec_value(&self, operator: Precedence) -> u8 {
        let (or, and) = (self.0.prec_value(Precedence::Or), self.0.prec_value(Precedence::And));
        let comparison = self.0.prec_value(Precedence::Eq);
        match operator {
            Precedence::Xor => u8::midpoint(or, and),
            Precedence::Is => comparison,
            Precedence::Between | Precedence::Like => comparison + 1,
            _ => self.0.prec_value(operator),
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match parser.peek_token_ref().token {
            Token::StringConcat => Some(Ok(self.prec_value(Precedence::Or))),
            Token::Overlap => Some(Ok(self.prec_value(Precedence::And))),
            _ => None,
        }
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if !parser.consume_token(&Token::ExclamationMark) {
            return None;
        }
        let operand = parser.parse_subexpr(self.prec_value(Precedence::DoubleColon));
        let not = |expr| Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(expr) };
        Some(operand.map(not))
    }

    fn dialect(&self) -> TypeId {
        self.0.dialect()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        self.0.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.0.is_identifier_part(ch)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        self.0.is_delimited_identifier_start(ch)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        self.0.supports_string_literal_backslash_escape()
    }

    fn supports_string_literal_concatenation(&self) -> bool {
        self.0.supports_string_literal_concatenation()
    }

    fn ignores_wildcard_escapes(&self) -> bool {
        self.0.ignores_wildcard_escapes()
    }

    fn supports_numeric_prefix(&self) -> bool {
        self.0.supports_numeric_prefix()
    }

    fn supports_double_ampersand_operator(&self) -> bool {
        self.0.supports_double_ampersand_operator()
    }

    fn requires_single_line_comment_whitespace(&self) -> bool {
        self.0.requires_single_line_comment_whitespace()
    }

    fn supports_hash_comment(&self) -> bool {
        self.0.supports_hash_comment()
    }
}

/// Parses on a stack that is large enough.
fn read(text: &str) -> Result<Condition, ConditionError> {
    let dialect = Operators(MySqlDialect {});
    let tokens = Tokenizer::new(&dialect, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| refused(error.location, in_our_words(&error.message)))?;
    if let Some(token) = tokens.iter().filter(|token| is_sign(token)).nth(MAX_SIGNS) {
        let what = format!("more than {MAX_SIGNS} operators; IN (…) takes a list of any length");
        return Err(refused(token.span.start, what));
    }
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
    if parser.peek_token_ref().token == Token::EOF {
        return Err(refused(Place::default(), "it is empty"));
    }
    let tree = parser.parse_expr().map_err(|error| translate(&error))?;
    let mut builder = Builder { columns: Vec::new() };
    let root = builder.node(tree, MAX_DEPTH)?;
    let next = parser.peek_token_ref();
    if next.token != Token::EOF {
        let what = format!("expected an operator or the end, found {}", next.token);
        return Err(refused(next.span.start, what));
    }
    Ok(Condition { columns: builder.columns, root })
}

/// Whether a token may add a level to the parser's tree.
fn is_sign(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_)
        | Token::Comma
        | Token::Whitespace(_)
        | Token::EOF => false,
        _ => true,
    }
}

/// Takes the place out of sqlparser's message.
fn translate(error: &ParserError) -> ConditionError {
    let message = match error {
        ParserError::RecursionLimitExceeded => {
            return refused(Place::default(), "it is nested too deeply");
        }
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
    };
    let (what, place) = message.rsplit_once(" at Line: ").unwrap_or((message, ""));
    let place = place.split_once(", Column: ").and_then(|(line, column)| {
        Some(Place { line: line.parse().ok()?, column: column.parse().ok()? })
    });
    refused(place.unwrap_or_default(), in_our_words(what))
}

fn in_our_words(message: &str) -> String {
    let message = match message.strip_prefix("Expected: ") {
        Some(expected) => format!("expected {}", expected.replacen(", found: ", ", found ", 1)),
        None => {
            let mut letters = message.chars();
            let first = letters.next().map(|letter| letter.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
    };
    match message.strip_suffix("EOF") {
        Some(before) => format!("{before}the end"),
        None => message,
    }
}

/// Turns sqlparser's tree into ours and collects the names.
struct Builder {
    columns: Vec<String>,
}

type Built = Result<Node, ConditionError>;

impl Builder {
    /// `room` is how many levels there may still be.
    fn node(&mut self, expr: Expr, room: usize) -> Built {
        let Some(room) = room.checked_sub(1) else {
            return Err(refused(expr.span().start, "it is nested too deeply"));
        };
        let place = expr.span().start;
        match expr {
            Expr::Nested(inner) => self.node(*inner, room),
            Expr::Identifier(name) => self.column(name),
            Expr::Value(value) => literal(value),
            Expr::TypedString(typed) => time(typed),
            Expr::BinaryOp { left, op, right } => self.binary(*left, op, *right, room),
            Expr::UnaryOp { op, expr } => {
                let operand = self.boxed(*expr, room)?;
                match op {
                    UnaryOperator::Not => Ok(Node::Not(operand)),
                    UnaryOperator::Minus => Ok(Node::Negative(operand)),
                    UnaryOperator::Plus => Ok(*operand),
                    _ => Err(refused(place, format!("the operator {op} is not understood"))),
                }
            }
            Expr::IsNull(operand) => Ok(Node::IsNull(self.boxed(*operand, room)?)),
            Expr::IsNotNull(operand) => Ok(not(Node::IsNull(self.boxed(*operand, room)?))),
            Expr::IsUnknown(operand) => Ok(Node::IsUnknown(self.boxed(*operand, room)?)),
            Expr::IsNotUnknown(operand) => Ok(not(Node::IsUnknown(self.boxed(*operand, room)?))),
            Expr::IsTrue(operand) => Ok(Node::IsTruth(self.boxed(*operand, room)?, true)),
            Expr::IsNotTrue(operand) => Ok(not(Node::IsTruth(self.boxed(*operand, room)?, true))),
            Expr::IsFalse(operand) => Ok(Node::IsTruth(self.boxed(*operand, room)?, false)),
            Expr::IsNotFalse(operand) => Ok(not(Node::IsTruth(self.boxed(*operand, room)?, false))),
            Expr::In { expr, target: ast::InTarget::List(list), negated, global: false } => {
                let all = std::iter::once(*expr).chain(list);
                Ok(negated_if(negated, Node::In(self.nodes(all, room)?)))
            }
            Expr::Between { expr, negated, low, high } => {
                let three =
                    [self.node(*expr, room)?, self.node(*low, room)?, self.node(*high, room)?];
                Ok(negated_if(negated, Node::Between(Box::new(three))))
            }
            Expr::Like { negated, any: false, expr, pattern, escape_char } => {
                let text = self.boxed(*expr, room)?;
                let escape = escape(escape_char)?;
                let pattern = match self.node(*pattern, room)? {
                    Node::Text(text) => Pattern::Fixed(Like::new(&text.bytes, escape)),
                    varying => Pattern::Varying(Box::new(varying), escape),
                };
                Ok(negated_if(negated, Node::Like(text, pattern)))
            }
            Expr::RLike { negated, expr, pattern, .. } => {
                let text = self.boxed(*expr, room)?;
                Ok(negated_if(negated, Node::Regexp(text, regex(*pattern)?)))
            }
            Expr::Function(call) => self.call(call, place, room),
            other => Err(refused(place, format!("{} has no place in it", name_of(&other)))),
        }
    }

    fn boxed(&mut self, expr: Expr, room: usize) -> Result<Box<Node>, ConditionError> {
        self.node(expr, room).map(Box::new)
    }

    fn nodes(
        &mut self,
        all: impl IntoIterator<Item = Expr>,
        room: usize,
    ) -> Result<Vec<Node>, ConditionError> {
        all.into_iter().map(|expr| self.node(expr, room)).collect()
    }

    fn column(&mut self, name: ast::Ident) -> Built {
        if name.quote_style.is_none() && name.value.starts_with('@') {
            return Err(refused(name.span.start, format!("the variable {name} is not known")));
        }
        let place = name.span.start;
        let quoted = name.quote_style.is_some();
        let name = name.value.to_lowercase();
        if !quoted && RESERVED.contains(&name.as_str()) {
            return Err(refused(place, format!("expected a column or a value, found {name}")));
        }
        let known = self.columns.iter().position(|column| *column == name);
        Ok(Node::Column(known.unwrap_or_else(|| {
            self.columns.push(name);
            self.columns.len() - 1
        })))
    }

    fn binary(&mut self, left: Expr, op: BinaryOperator, right: Expr, room: usize) -> Built {
        let chain: Option<fn(Vec<Node>) -> Node> = match op {
            BinaryOperator::And => Some(Node::And),
            BinaryOperator::Or | BinaryOperator::StringConcat => Some(Node::Or),
            BinaryOperator::Xor => Some(Node::Xor),
            _ => None,
        };
        if let Some(node) = chain {
            return Ok(node(self.nodes(operands(left, &op, right), room)?));
        }
        // What stands right of the operator is the nearest place the tree still knows.
        let place = right.span().start;
        let pair = Box::new([self.node(left, room)?, self.node(right, room)?]);
        let compare = |comparison, pair| Ok(Node::Compare(comparison, pair));
        let arithmetic = |operation, pair| Ok(Node::Arithmetic(operation, pair));
        match op {
            BinaryOperator::Eq => compare(Comparison::Equal, pair),
            BinaryOperator::NotEq => compare(Comparison::NotEqual, pair),
            BinaryOperator::Lt => compare(Comparison::Less, pair),
            BinaryOperator::LtEq => compare(Comparison::LessOrEqual, pair),
            BinaryOperator::Gt => compare(Comparison::Greater, pair),
            BinaryOperator::GtEq => compare(Comparison::GreaterOrEqual, pair),
            BinaryOperator::Spaceship => compare(Comparison::NullSafeEqual, pair),
            BinaryOperator::Plus => arithmetic(Arithmetic::Add, pair),
            BinaryOperator::Minus => arithmetic(Arithmetic::Subtract, pair),
            BinaryOperator::Multiply => arithmetic(Arithmetic::Multiply, pair),
            BinaryOperator::Divide => arithmetic(Arithmetic::Divide, pair),
            BinaryOperator::Modulo => arithmetic(Arithmetic::Modulo, pair),
            _ => Err(refused(place, format!("the operator {op} is not understood"))),
        }
    }

    fn call(&mut self, call: ast::Function, place: Location, room: usize) -> Built {
        let name = call.name.to_string().to_lowercase();
        if AGGREGATES.contains(&name.as_str()) {
            let what = format!("{name} is an aggregate, and a condition is told of one event");
            return Err(refused(place, what));
        }
        let Some((_, function, least, most)) = FUNCTIONS.iter().find(|row| row.0 == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|row| row.0).collect();
            let what = format!("the function {name} is not known; known are {}", known.join(", "));
            return Err(refused(place, what));
        };
        let arguments = plain_arguments(call).ok_or_else(|| {
            refused(place, format!("{name} takes plain arguments between parentheses"))
        })?;
        if !(*least..=*most).contains(&arguments.len()) {
            let wanted = if least < most { "at least one" } else { &least.to_string() };
            let what = format!("{name} takes {wanted}, not {} arguments", arguments.len());
            return Err(refused(place, what));
        }
        Ok(Node::Call(*function, self.nodes(arguments, room)?))
    }
}

/// The operands of a chain of one operator, first to last. No recursion: a chain may be long.
fn operands(left: Expr, op: &BinaryOperator, right: Expr) -> Vec<Expr> {
    let same = |other: &BinaryOperator| {
        let is_or = |op| matches!(op, &(BinaryOperator::Or | BinaryOperator::StringConcat));
        other == op || (is_or(op) && is_or(other))
    };
    let (mut rest, mut backwards) = (left, vec![right]);
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if same(&op) => {
                backwards.push(*right);
                rest = *left;
            }
            first => {
                backwards.push(first);
                backwards.reverse();
                return backwards;
            }
        }
    }
}

/// The arguments, if there is nothing but expressions.
fn plain_arguments(call: ast::Function) -> Option<Vec<Expr>> {
    let extra = call.over.is_some() || call.filter.is_some() || call.null_treatment.is_some();
    let ast::FunctionArguments::List(list) = call.args else {
        return None;
    };
    if extra
        || !call.within_group.is_empty()
        || list.duplicate_treatment.is_some()
        || !list.clauses.is_empty()
    {
        return None;
    }
    let plain = |argument| match argument {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    };
    list.args.into_iter().map(plain).collect()
}

fn not(node: Node) -> Node {
    Node::Not(Box::new(node))
}

fn negated_if(negated: bool, node: Node) -> Node {
    if negated { not(node) } else { node }
}

fn literal(value: ast::ValueWithSpan) -> Built {
    let place = value.span.start;
    match value.value {
        ast::Value::Null => Ok(Node::Null),
        ast::Value::Boolean(truth) => Ok(Node::Bool(truth)),
        ast::Value::Number(number, _) => match Ratio::read(number.as_bytes()) {
            Some(ratio) => Ok(Node::Number(ratio)),
            None => Err(refused(place, format!("the number {number} has too many digits"))),
        },
        ast::Value::SingleQuotedString(text) | ast::Value::DoubleQuotedString(text) => {
            Ok(Node::Text(Literal::new(text)))
        }
        ast::Value::Placeholder(mark) => {
            Err(refused(place, format!("the placeholder {mark} has no value")))
        }
        other => Err(refused(place, format!("the literal {other} is not understood"))),
    }
}

/// `DATE '2024-05-01'`, `TIMESTAMP '2024-05-01 12:00'`.
fn time(typed: ast::TypedString) -> Built {
    let place = typed.value.span.start;
    let text = typed.value.value.into_string().unwrap_or_default();
    let is_time = matches!(
        typed.data_type,
        ast::DataType::Date | ast::DataType::Datetime(_) | ast::DataType::Timestamp(..)
    );
    if !is_time {
        let what = format!("a literal of type {} has no place in it", typed.data_type);
        return Err(refused(place, what));
    }
    match Literal::new(text) {
        literal if literal.time.is_some() => Ok(Node::Text(literal)),
        _ => Err(refused(place, "no such time; write it as '2024-05-01 17:30:00'")),
    }
}

/// The escape of a LIKE: a backslash, or what ESCAPE says.
fn escape(clause: Option<Box<Expr>>) -> Result<Option<u8>, ConditionError> {
    let Some(clause) = clause else {
        return Ok(Some(b'\\'));
    };
    let place = clause.span().start;
    if let Expr::Value(value) = *clause
        && let Some(text) = value.value.into_string()
    {
        match text.as_bytes() {
            [] => return Ok(None),
            [byte] => return Ok(Some(*byte)),
            _ => {}
        }
    }
    Err(refused(place, "ESCAPE takes a text of one ASCII character"))
}

fn regex(pattern: Expr) -> Result<Regex, ConditionError> {
    let place = pattern.span().start;
    let text = match pattern {
        Expr::Value(value) => value.value.into_string(),
        _ => None,
    };
    let Some(text) = text else {
        return Err(refused(place, "REGEXP takes its pattern as a text"));
    };
    let regex = RegexBuilder::new(&text).case_insensitive(true).size_limit(MAX_REGEX_BYTES).build();
    regex.map_err(|error| {
        // The last line says what is wrong; those before it draw where.
        let error = error.to_string();
        let why = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        refused(place, format!("the pattern '{text}' is not understood: {}", in_our_words(why)))
    })
}

/// What a user would call an expression that has no place in a condition.
fn name_of(expr: &Expr) -> &'static str {
    match expr {
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::In { .. } => "a subquery",
        Expr::AnyOp { .. } | Expr::AllOp { .. } => "ANY, SOME or ALL",
        Expr::CompoundIdentifier(_) | Expr::CompoundFieldAccess { .. } => "a name with a dot",
        Expr::Case { .. } => "CASE",
        Expr::Cast { .. } | Expr::Convert { .. } => "CAST, CONVERT or BINARY",
        Expr::Collate { .. } => "COLLATE",
        Expr::Interval(_) => "INTERVAL",
        Expr::Tuple(_) => "a row of several values",
        Expr::Prefixed { .. } => "a character set before a text",
        Expr::Extract { .. } => "the function EXTRACT",
        Expr::Ceil { .. } => "the function CEIL",
        Expr::Floor { .. } => "the function FLOOR",
        Expr::Position { .. } => "the function POSITION",
        Expr::Substring { .. } => "the function SUBSTRING",
        Expr::Trim { .. } => "the function TRIM",
        Expr::MatchAgainst { .. } => "MATCH … AGAINST",
        Expr::MemberOf(_) => "MEMBER OF",
        _ => "this",
    }
}
