//! From the text of a statement to its [`Shape`].
//!
//! ```text
//! text ── words ──> tokens ── statement ──> those of a query ── edit ──> the parser's ──> tree ── build ──> Shape
//! ```
//!
//! The parser is sqlparser, which reads one query for each statement: what UPDATE, DELETE and INSERT
//! search for is put to it as a SELECT, and what MySQL and MariaDB know and it does not is put into
//! other words on the tokens. A statement that was cut gives what is there.

mod build;
mod condition;
mod cover;
mod cut;
mod dialect;
mod edit;
mod expression;
mod finish;
mod scope;
mod statement;
#[cfg(test)]
mod tests;
mod words;

use std::cell::Cell;

use sqlparser::ast::Query;
use sqlparser::dialect::MySqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use self::build::{Builder, Place};
use self::edit::Facts;
use self::words::{Tok, Words};
use super::shape::{Catalog, Role, Shape};

/// Why a statement has no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Not one of SELECT, INSERT, REPLACE, UPDATE, DELETE, or those behind EXPLAIN: nothing that
    /// an index could help.
    #[error("no statement that reads or writes rows of tables")]
    NotOfRows,
    /// The parser did not understand it; what it said, with the place in the statement.
    #[error("not understood: {0}")]
    NotUnderstood(String),
    /// Too long or too deep to be read.
    #[error("too long or too deep to be read")]
    TooLarge,
}

/// Deepest nesting of parentheses that is read.
const MAX_DEPTH: usize = 200;

/// Most tokens that are given to the parser.
const MAX_TOKENS: usize = 400_000;

/// Levels of the parser: a pair of parentheses takes up to three.
const LEVELS: usize = 1_000;

/// Stack of the thread that reads deep statements.
const STACK: usize = 64 * 1024 * 1024;

/// Reads a statement.
///
/// # Errors
///
/// See [`Refused`].
pub fn analyze(text: &str, catalog: &dyn Catalog) -> Result<Shape, Refused> {
    let words = Words::of(text);
    if is_too_large(&words) {
        return Err(Refused::TooLarge);
    }
    if words.is_shallow(text) {
        let limits = Limits::default();
        let shape = read(text, &words, catalog, &limits);
        if !limits.wants_stack.get() {
            return shape;
        }
    }
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let read = || {
            let limits = Limits { is_deep: true, ..Limits::default() };
            read(text, &words, catalog, &limits)
        };
        match reader.spawn_scoped(scope, read) {
            Ok(thread) => thread.join().unwrap_or_else(|it| std::panic::resume_unwind(it)),
            Err(_) => Err(Refused::TooLarge),
        }
    })
}

/// What the views in a statement may still ask for.
#[derive(Debug, Default)]
struct Limits {
    /// Views that were read.
    views: Cell<usize>,
    /// The stack is large.
    is_deep: bool,
    /// A view needs a large one.
    wants_stack: Cell<bool>,
}

fn is_too_large(words: &Words) -> bool {
    words.depth > MAX_DEPTH
}

/// Reads a statement; of one that was cut, what can be.
fn read(
    text: &str,
    words: &Words,
    catalog: &dyn Catalog,
    limits: &Limits,
) -> Result<Shape, Refused> {
    let refused = match shape(text, words, catalog, limits) {
        Ok(shape) if !cut::ends_in_name(text, words) => return Ok(shape),
        // The last condition is a part of one.
        Ok(_) => Refused::NotUnderstood(THE_END.to_owned()),
        Err(refused) => refused,
    };
    if refused == Refused::NotOfRows {
        return Err(refused);
    }
    let is_cut =
        words.is_cut || matches!(&refused, Refused::NotUnderstood(what) if what.ends_with(THE_END));
    if !is_cut {
        return Err(refused);
    }
    let shorter = cut::lengths(text, words).into_iter().map(|length| words.cut(text, length));
    let shape = shorter.into_iter().find_map(|words| shape(text, &words, catalog, limits).ok());
    shape.ok_or(refused)
}

fn shape(
    text: &str,
    words: &Words,
    catalog: &dyn Catalog,
    limits: &Limits,
) -> Result<Shape, Refused> {
    let statement = statement::statement(text, words)?;
    if statement.query.is_empty() {
        let facts = Facts::default();
        return Ok(Builder::new(text, words, &facts, catalog, limits).finish(&statement));
    }
    let Parsed { query, facts } = parse(text, &statement.query)?;
    let mut builder = Builder {
        assignments: statement.assignments,
        ..Builder::new(text, words, &facts, catalog, limits)
    };
    builder.query(&query, Place { role: Role::Statement, parent: None, outer: None });
    if builder.is_too_large {
        return Err(Refused::TooLarge);
    }
    Ok(builder.finish(&statement))
}

/// The tree of a query, and what was taken out of its tokens.
struct Parsed {
    query: Box<Query>,
    facts: Facts,
}

fn parse(text: &str, tokens: &[Tok]) -> Result<Parsed, Refused> {
    let (mut tokens, mut facts) = edit::edit(text, tokens);
    let size = cut::trim(&mut tokens);
    if tokens.len() > MAX_TOKENS || size == cut::Size::TooLarge {
        return Err(Refused::TooLarge);
    }
    facts.is_partial |= size == cut::Size::Trimmed;
    let dialect = dialect::Server(MySqlDialect {});
    let mut parser =
        Parser::new(&dialect).with_recursion_limit(LEVELS).with_tokens_with_locations(tokens);
    let is_open = facts.has_open_case;
    let query = parser.parse_query().map_err(|error| refused(text, &error, is_open))?;
    let next = parser.peek_token_ref();
    if next.token != Token::EOF {
        let at = build::bytes(next.span).map(|range| range.start);
        let at = at.filter(|_| !is_open);
        return Err(Refused::NotUnderstood(message(text, "expected the end", at)));
    }
    Ok(Parsed { query, facts })
}

/// What the parser refused; the end of a CASE that has none is where the text ends.
fn refused(text: &str, error: &ParserError, is_open: bool) -> Refused {
    match error {
        ParserError::RecursionLimitExceeded => Refused::TooLarge,
        ParserError::TokenizerError(message_of) | ParserError::ParserError(message_of) => {
            let (what, at) = place_of(message_of);
            let at = at.filter(|_| !is_open);
            let what =
                what.split(", found:").next().unwrap_or(what).replace("Expected: ", "expected ");
            Refused::NotUnderstood(message(text, &what, at))
        }
    }
}

/// What a message of the parser says, and the byte that it is about.
fn place_of(message: &str) -> (&str, Option<usize>) {
    let (what, place) = message.rsplit_once(" at Line: ").unwrap_or((message, ""));
    let column = place.split_once(", Column: ").and_then(|(_, column)| column.parse().ok());
    (what, column.and_then(|column: usize| column.checked_sub(1)))
}

/// How a message ends where the statement did too early.
const THE_END: &str = "found the end";

fn message(text: &str, what: &str, at: Option<usize>) -> String {
    let rest = at.and_then(|at| text.get(at..)).unwrap_or_default();
    match (at, rest.is_empty()) {
        (Some(at), false) => {
            let found: String = rest.chars().take(24).collect();
            format!("{what} at byte {at}, found `{}`", found.trim_end())
        }
        _ => format!("{what}, {THE_END}"),
    }
}

/// A name without its quotes.
fn unquoted(text: &str) -> String {
    for quote in ['`', '"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            let inside = inside.strip_suffix(quote).unwrap_or(inside);
            return inside.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    text.to_owned()
}
