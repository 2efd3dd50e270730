//! MySQL as sqlparser knows it, with the order of operators put right.

use std::any::TypeId;

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, ObjectName, UnaryOperator, Value, ValueWithSpan, WindowType,
};
use sqlparser::dialect::{Dialect, MySqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// MySQL's grammar has, from loose to tight: OR; XOR; AND; NOT; comparisons and IS; IN, BETWEEN,
/// LIKE and REGEXP; `|`; `&`; shifts; `+ -`; `* / DIV %`; `^`; unary minus; `!`, COLLATE and `->`.
///
/// Only what the parser of a query asks for is here: tokens are ours, and statements other than
/// queries are never given to it.
#[derive(Debug)]
pub(super) struct Server(pub(super) MySqlDialect);

/// How tight operators bind that sqlparser has no place for.
const SHIFT: u8 = 28;
const POWER: u8 = 44;
const ARROW: u8 = 60;

impl Server {
    /// A literal, a column, a function, or BINARY before an operand. The parser would try each word
    /// as the name of a type first.
    fn operand(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        let TokenWithSpan { token, span } = parser.peek_token_ref();
        let span = *span;
        let value = match token {
            Token::SingleQuotedString(_) => Value::SingleQuotedString(String::new()),
            Token::Placeholder(_) => Value::Placeholder(String::new()),
            Token::Number(number, _) => Value::Number(number.clone(), false),
            Token::Word(word) => match word.keyword {
                Keyword::NoKeyword => return Some(self.name(parser)),
                Keyword::BINARY => {
                    parser.advance_token();
                    return Some(parser.parse_subexpr(ARROW - 1).map(|expr| Expr::Collate {
                        expr: Box::new(expr),
                        collation: ObjectName(Vec::new()),
                    }));
                }
                Keyword::NULL => Value::Null,
                Keyword::TRUE => Value::Boolean(true),
                Keyword::FALSE => Value::Boolean(false),
                keyword => return Some(self.phrase(parser, keyword)),
            },
            _ => return None,
        };
        parser.advance_token();
        Some(Ok(Expr::Value(ValueWithSpan { value, span })))
    }

    /// An operand that begins with a keyword. Any other keyword ends one: it is never a name, since
    /// the tokens that are names carry none.
    fn phrase(&self, parser: &mut Parser, keyword: Keyword) -> Result<Expr, ParserError> {
        match keyword {
            Keyword::CASE => {
                parser.advance_token();
                parser.parse_case_expr()
            }
            Keyword::NOT => {
                parser.advance_token();
                parser.parse_not()
            }
            Keyword::EXISTS => {
                parser.advance_token();
                parser.parse_exists_expr(false)
            }
            Keyword::INTERVAL => {
                parser.advance_token();
                parser.parse_interval()
            }
            _ => parser.expected_ref("an expression", parser.peek_token_ref()),
        }
    }

    fn name(&self, parser: &mut Parser) -> Result<Expr, ParserError> {
        let mut parts = vec![parser.parse_identifier()?];
        while parser.peek_token_ref().token == Token::Period
            && parser.peek_nth_token_ref(1).token != Token::Mul
        {
            parser.advance_token();
            parts.push(parser.parse_identifier()?);
        }
        if parser.peek_token_ref().token == Token::LParen {
            return self.call(parser, ObjectName::from(parts));
        }
        match <[_; 1]>::try_from(parts) {
            Ok([name]) => Ok(Expr::Identifier(name)),
            Err(parts) => Ok(Expr::CompoundIdentifier(parts)),
        }
    }
}

impl Server {
    /// A function: its arguments are plain ones, since the rest was edited. The parser would try
    /// each as a named one first.
    fn call(&self, parser: &mut Parser, name: ObjectName) -> Result<Expr, ParserError> {
        parser.expect_token(&Token::LParen)?;
        let is_distinct = parser.parse_keyword(Keyword::DISTINCT);
        // `COUNT(ALL a)`.
        let _ = !is_distinct && parser.parse_keyword(Keyword::ALL);
        let mut args = Vec::new();
        if !parser.consume_token(&Token::RParen) {
            loop {
                let argument = match parser.parse_wildcard_expr()? {
                    Expr::Wildcard(_) => FunctionArgExpr::Wildcard,
                    Expr::QualifiedWildcard(name, _) => FunctionArgExpr::QualifiedWildcard(name),
                    argument => FunctionArgExpr::Expr(argument),
                };
                args.push(FunctionArg::Unnamed(argument));
                if !parser.consume_token(&Token::Comma) {
                    break;
                }
            }
            parser.expect_token(&Token::RParen)?;
        }
        let over = match parser.parse_keyword(Keyword::OVER) {
            true if parser.consume_token(&Token::LParen) => {
                Some(WindowType::WindowSpec(parser.parse_window_spec()?))
            }
            true => Some(WindowType::NamedWindow(parser.parse_identifier()?)),
            false => None,
        };
        Ok(Expr::Function(Function {
            name,
            uses_odbc_syntax: false,
            parameters: FunctionArguments::None,
            args: FunctionArguments::List(FunctionArgumentList {
                duplicate_treatment: is_distinct.then_some(DuplicateTreatment::Distinct),
                args,
                clauses: Vec::new(),
            }),
            within_group: Vec::new(),
            filter: None,
            null_treatment: None,
            over,
        }))
    }
}

impl Dialect for Server {
    fn prec_value(&self, operator: Precedence) -> u8 {
        match operator {
            Precedence::Or => 5,
            Precedence::Xor => 7,
            Precedence::And => 10,
            Precedence::UnaryNot => 15,
            Precedence::Is | Precedence::Eq => 20,
            Precedence::Between | Precedence::Like => 21,
            Precedence::Pipe => 24,
            Precedence::Ampersand => 26,
            Precedence::PlusMinus => 30,
            _ => self.0.prec_value(operator),
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match &parser.peek_token_ref().token {
            Token::Caret => Some(Ok(POWER)),
            Token::ShiftLeft | Token::ShiftRight => Some(Ok(SHIFT)),
            Token::Arrow | Token::LongArrow => Some(Ok(ARROW)),
            // The `=` of SET: looser than all, `SET a = b OR c` sets `a` to the whole.
            Token::Assignment => Some(Ok(3)),
            // DIV, and `:=`.
            Token::CustomBinaryOperator(sign) if sign == "DIV" => {
                Some(Ok(self.prec_value(Precedence::MulDivModOp)))
            }
            Token::CustomBinaryOperator(_) => Some(Ok(4)),
            // `~` stands before its operand only.
            Token::Tilde => Some(Ok(0)),
            _ => None,
        }
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        if let Some(operand) = self.operand(parser) {
            return Some(operand);
        }
        let (op, tight) = match &parser.peek_token_ref().token {
            Token::ExclamationMark => (UnaryOperator::Not, ARROW - 1),
            Token::Tilde => (UnaryOperator::BitwiseNot, POWER + 1),
            Token::Minus => (UnaryOperator::Minus, POWER + 1),
            Token::Plus => (UnaryOperator::Plus, POWER + 1),
            _ => return None,
        };
        parser.advance_token();
        let operand = parser.parse_subexpr(tight);
        Some(operand.map(|expr| Expr::UnaryOp { op, expr: Box::new(expr) }))
    }

    fn dialect(&self) -> TypeId {
        self.0.dialect()
    }

    fn is_identifier_start(&self, letter: char) -> bool {
        self.0.is_identifier_start(letter)
    }

    fn is_identifier_part(&self, letter: char) -> bool {
        self.0.is_identifier_part(letter)
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_binary_kw_as_cast(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        // `a JOIN b JOIN c` is read from left to right.
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn is_table_factor_alias(&self, explicit: bool, word: &Keyword, parser: &mut Parser) -> bool {
        self.0.is_table_factor_alias(explicit, word, parser)
    }
}
