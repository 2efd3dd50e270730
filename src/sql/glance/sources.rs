//! The tables of a statement with their aliases.

use super::{KEPT, Source, unquoted};
use crate::sql::distill::{Place, TableName, places};
use crate::sql::token::{Kind, Token, tokens};

/// Tables with their aliases.
pub(super) fn sources(text: &str) -> Vec<Source> {
    let bytes = text.as_bytes();
    let of_place = |place: Place| {
        let table = TableName::read(bytes.get(place.start..place.end)?);
        let alias = alias(text.get(place.end..)?);
        Some(Source { table, alias })
    };
    places(bytes).filter(|place| !place.is_common).take(KEPT).filter_map(of_place).collect()
}

/// The alias that a text begins with.
fn alias(behind: &str) -> Option<String> {
    /// Words that may follow a table and are no alias without AS.
    const NO_ALIAS: &[&str] = &[
        "WHERE",
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "CROSS",
        "STRAIGHT_JOIN",
        "NATURAL",
        "ON",
        "USING",
        "GROUP",
        "ORDER",
        "LIMIT",
        "SET",
        "UNION",
        "HAVING",
        "FOR",
        "PARTITION",
        "USE",
        "FORCE",
        "IGNORE",
        "VALUES",
        "VALUE",
        "SELECT",
        "LOCK",
        "INTO",
        "WINDOW",
        "PROCEDURE",
        "EXCEPT",
        "INTERSECT",
        "FROM",
        "AS",
        "TABLESAMPLE",
        "FULL",
    ];
    // A list of partitions has at most 8,192 names.
    let mut tokens = tokens(behind.as_bytes()).take(20_000);
    let mut token = tokens.next()?;
    let is = |token: Token, word: &str| {
        token.kind == Kind::Word
            && token.of(behind.as_bytes()).eq_ignore_ascii_case(word.as_bytes())
    };
    if is(token, "PARTITION") {
        // PARTITION (p0, p1) stands between the table and its alias.
        tokens.find(|token| token.of(behind.as_bytes()) == b")")?;
        token = tokens.next()?;
    }
    let has_as = is(token, "AS");
    if has_as {
        token = tokens.next()?;
    }
    let text = behind.get(token.range())?;
    match token.kind {
        Kind::Quoted => Some(unquoted(text)),
        Kind::Word if has_as || !NO_ALIAS.iter().any(|word| is(token, word)) => {
            Some(text.to_owned())
        }
        _ => None,
    }
}
