//! Statements that were cut, and those that are too long to be read whole.
//!
//! ```text
//! SELECT a FROM t WHERE b IN (1, 2) AND c = 'abc        the log ends here
//! SELECT a FROM t WHERE b IN (1, 2) AND c <             or here: AND c < is dropped
//! ```

use std::ops::Range;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::words::Words;
use crate::sql::token::Kind;

/// How often a statement is read again with less of its end, and how many tokens that may be.
const TRIES: usize = 40;
const TRIED_TOKENS: usize = 400_000;

/// AND and OR side by side that are given to the parser.
const CONNECTIVES: usize = 4_000;

/// Other operators side by side, and UNIONs.
const OPERATORS: usize = 4_000;
const UNIONS: usize = 20_000;

/// Lengths that a statement that was cut may be read with: before the last of its clauses,
/// conditions and items, and before those before.
pub(super) fn lengths(text: &str, words: &Words) -> Vec<usize> {
    use Keyword as K;
    let length = words.tokens.iter().take_while(|tok| tok.kind != Kind::HintOpen).count();
    let tokens = words.tokens.get(..length).unwrap_or_default();
    let begins = |tok: &super::words::Tok| match tok.word {
        K::NoKeyword => matches!(tok.sign(text), "," | "("),
        K::AND
        | K::OR
        | K::XOR
        | K::WHERE
        | K::ON
        | K::HAVING
        | K::GROUP
        | K::ORDER
        | K::LIMIT
        | K::UNION
        | K::EXCEPT
        | K::INTERSECT
        | K::JOIN
        | K::INNER
        | K::LEFT
        | K::RIGHT
        | K::CROSS
        | K::STRAIGHT_JOIN
        | K::NATURAL
        | K::FROM
        | K::SET
        | K::FOR
        | K::LOCK
        | K::INTO
        | K::USING
        | K::WITH
        | K::SELECT
        | K::CASE
        | K::NOT
        | K::INTERVAL => true,
        _ => false,
    };
    let places = tokens.iter().enumerate().rev().filter(|(_, tok)| begins(tok)).map(|(at, _)| at);
    let mut lengths: Vec<_> = places.filter(|&at| at > 0).collect();
    lengths.truncate(TRIES.min(1 + TRIED_TOKENS / length.max(1)));
    lengths
}

/// Whether a statement that was cut ends in a name where a condition begins: `AND sta`.
pub(super) fn ends_in_name(text: &str, words: &Words) -> bool {
    use Keyword as K;
    let mut tokens = words.tokens.iter().rev().skip_while(|tok| tok.kind == Kind::HintOpen);
    let is_name = |tok: &&super::words::Tok| {
        matches!(tok.kind, Kind::Word | Kind::Name | Kind::Quoted) && tok.is(K::NoKeyword)
    };
    if !words.is_cut || tokens.next().filter(is_name).is_none() {
        return false;
    }
    let before = tokens.find(|tok| !is_name(tok) && tok.sign(text) != ".");
    before.is_some_and(|tok| {
        matches!(tok.word, K::AND | K::OR | K::XOR | K::NOT | K::WHERE | K::ON | K::HAVING)
    })
}

/// What the tokens of a statement are in number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// All can be read.
    Fits,
    /// Arms and conditions were left out.
    Trimmed,
    TooLarge,
}

/// A level of parentheses, or of CASE.
#[derive(Debug, Default)]
struct Level {
    connectives: usize,
    operators: usize,
    /// The next AND is that of BETWEEN.
    is_between: bool,
}

/// Leaves out conditions where there are more side by side than the parser can take.
pub(super) fn trim(tokens: &mut Vec<TokenWithSpan>) -> Size {
    use Keyword as K;
    if tokens.len() < OPERATORS {
        return Size::Fits;
    }
    let mut levels = vec![Level::default()];
    let mut dropped: Vec<Range<usize>> = Vec::new();
    // Where what is left out begins, and on which level.
    let mut drops: Option<(usize, usize)> = None;
    let mut unions = 0;
    for (at, TokenWithSpan { token, .. }) in tokens.iter().enumerate() {
        let keyword = match token {
            Token::Word(word) => word.keyword,
            _ => K::NoKeyword,
        };
        let depth = levels.len();
        let closes = depth > 1 && (*token == Token::RParen || keyword == K::END);
        let separates = *token == Token::Comma || separates(keyword);
        if let Some((from, level)) = drops
            && level == depth
            && (closes || separates)
        {
            dropped.push(from..at);
            drops = None;
        }
        if *token == Token::LParen || keyword == K::CASE {
            levels.push(Level::default());
            continue;
        }
        if closes {
            levels.pop();
            continue;
        }
        let Some(level) = levels.last_mut() else { break };
        if separates {
            unions += usize::from(matches!(keyword, K::UNION | K::EXCEPT | K::INTERSECT));
            *level = Level::default();
        } else if keyword == K::BETWEEN {
            level.is_between = true;
        } else if keyword == K::AND && level.is_between {
            level.is_between = false;
        } else if matches!(keyword, K::AND | K::OR | K::XOR) {
            level.operators = 0;
            level.connectives += 1;
            if level.connectives > CONNECTIVES && drops.is_none() {
                drops = Some((at, depth));
            }
        } else if keyword != K::NoKeyword || is_operator(token) {
            level.operators += 1;
            if level.operators > OPERATORS {
                return Size::TooLarge;
            }
        }
    }
    if unions > UNIONS {
        return Size::TooLarge;
    }
    if let Some((from, _)) = drops {
        dropped.push(from..tokens.len());
    }
    if dropped.is_empty() {
        return Size::Fits;
    }
    let mut at = 0;
    let mut ranges = dropped.iter().peekable();
    tokens.retain(|_| {
        let here = at;
        at += 1;
        while ranges.peek().is_some_and(|range| range.end <= here) {
            ranges.next();
        }
        !ranges.peek().is_some_and(|range| range.contains(&here))
    });
    Size::Trimmed
}

/// Whether a chain of operators ends with a word.
fn separates(word: Keyword) -> bool {
    use Keyword as K;
    matches!(
        word,
        K::SELECT
            | K::FROM
            | K::WHERE
            | K::ON
            | K::HAVING
            | K::GROUP
            | K::ORDER
            | K::LIMIT
            | K::UNION
            | K::EXCEPT
            | K::INTERSECT
            | K::WINDOW
            | K::WHEN
            | K::THEN
            | K::ELSE
            | K::JOIN
            | K::LEFT
            | K::RIGHT
            | K::INNER
            | K::CROSS
            | K::STRAIGHT_JOIN
            | K::NATURAL
    )
}

fn is_operator(token: &Token) -> bool {
    !matches!(
        token,
        Token::Word(_)
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Placeholder(_)
            | Token::Period
    )
}
