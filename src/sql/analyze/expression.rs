//! Expressions: the columns and subqueries in them, and as much of their form as rules look into.

use std::ops::Range;

use sqlparser::ast::{
    BinaryOperator, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, InTarget, Query, UnaryOperator, WindowType,
};

use super::build::{Builder, Naming, Place, bytes};
use super::edit::{CAST, MATCH, TO_DATE};
use crate::sql::shape::{Column, Expression, ItemKind, Role, Value, ValueKind, Why};

/// What an expression was found to be.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Its form; none of what is the same for all rows and is no plain value.
    pub(super) expression: Option<Expression>,
    /// Its columns, each once.
    pub(super) columns: Vec<Column>,
    /// RAND() and its kin are in it.
    pub(super) is_not_constant: bool,
    pub(super) has_aggregate: bool,
    /// Levels of `expression`.
    depth: usize,
}

/// Levels of an expression that are told; what is deeper is text.
const MAX_DEPTH: usize = 64;

const AGGREGATES: &[&str] = &[
    "AVG",
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "COUNT",
    "GROUP_CONCAT",
    "JSON_ARRAYAGG",
    "JSON_OBJECTAGG",
    "MAX",
    "MIN",
    "STD",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "SUM",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
];

/// Functions that are called without parentheses.
const BARE: &[&str] = &[
    "CURRENT_DATE",
    "CURRENT_ROLE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "DEFAULT",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
    "MAXVALUE",
];

/// Functions whose value changes from row to row.
const CHANGING: &[&str] = &["RAND", "SYSDATE", "UUID", "UUID_SHORT", "UUID_V4", "UUID_V7"];

const JSON: &[&str] =
    &["JSON_EXTRACT", "JSON_UNQUOTE", "JSON_VALUE", "JSON_CONTAINS", "JSON_OVERLAPS"];

/// What stands in parentheses.
pub(super) fn inside(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

/// A literal as written.
pub(super) fn literal(text: &str) -> Value {
    let kind = match text.as_bytes() {
        [b'?', ..] | [b':', ..] => ValueKind::Parameter,
        [b'@', ..] => ValueKind::Variable,
        [b'\\', b'N'] => ValueKind::Null,
        [b'0', b'x' | b'X' | b'b' | b'B', ..] => ValueKind::Text,
        [b'\'' | b'"' | b'_', ..] => ValueKind::Text,
        [b'x' | b'X' | b'b' | b'B' | b'n' | b'N', b'\'', ..] => ValueKind::Text,
        [b'0'..=b'9' | b'.' | b'-' | b'+', ..] => ValueKind::Number,
        _ if text.eq_ignore_ascii_case("NULL") => ValueKind::Null,
        _ if text.eq_ignore_ascii_case("TRUE") || text.eq_ignore_ascii_case("FALSE") => {
            ValueKind::Truth
        }
        _ => ValueKind::Expression,
    };
    Value { kind, text: text.to_owned() }
}

/// Most columns that are told of one expression.
const MAX_COLUMNS: usize = 256;

/// Adds columns that are not there yet.
pub(super) fn add(columns: &mut Vec<Column>, others: impl IntoIterator<Item = Column>) {
    for column in others {
        if columns.len() < MAX_COLUMNS && !columns.contains(&column) {
            columns.push(column);
        }
    }
}

impl Read {
    /// The column that it is, and nothing else.
    pub(super) fn column(&self) -> Option<Column> {
        match &self.expression {
            Some(Expression::Column(column)) => Some(column.clone()),
            _ => None,
        }
    }

    fn of(expression: Expression) -> Self {
        Self { expression: Some(expression), ..Self::default() }
    }

    fn take(&mut self, other: Self) {
        add(&mut self.columns, other.columns);
        self.is_not_constant |= other.is_not_constant;
        self.has_aggregate |= other.has_aggregate;
        self.depth = self.depth.max(other.depth + 1);
    }
}

impl Builder<'_> {
    /// The text of an expression.
    pub(super) fn text_of(&self, range: Range<usize>) -> String {
        self.text.get(range).unwrap_or_default().to_owned()
    }

    /// Reads an expression: notes its columns, makes blocks of its subqueries.
    pub(super) fn read(&mut self, block: usize, expr: &Expr) -> Read {
        match expr {
            Expr::Nested(inner) => self.read(block, inner),
            Expr::Identifier(name) => {
                let is_bare = name.quote_style.is_none();
                let name = self.name(name);
                let is_function =
                    is_bare && BARE.iter().any(|bare| bare.eq_ignore_ascii_case(&name));
                if is_function {
                    return Read::default();
                }
                self.named(block, &[name])
            }
            Expr::CompoundIdentifier(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.name(part)).collect();
                self.named(block, &parts)
            }
            Expr::Value(value) => {
                let text = bytes(value.span).map_or(String::new(), |range| self.text_of(range));
                Read::of(Expression::Value(literal(&text)))
            }
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inner }
                if matches!(&**inner, Expr::Value(_)) =>
            {
                let text = self.text_of(self.cover(expr));
                let mut value = literal(&text);
                if value.kind != ValueKind::Number {
                    value.kind = ValueKind::Expression;
                }
                Read::of(Expression::Value(value))
            }
            Expr::BinaryOp { left, op, right } => self.binary(block, expr, left, op, right),
            Expr::Function(function) => self.function(block, expr, function),
            Expr::Subquery(query) => {
                let is_selected = self.scopes[block].is_selecting;
                self.subquery(block, query, Role::Scalar { is_selected });
                Read::default()
            }
            Expr::Exists { subquery, negated } => {
                self.is_for_exists = true;
                self.subquery(block, subquery, Role::Exists { is_negated: *negated });
                Read::default()
            }
            Expr::In { expr: tested, target: InTarget::Subquery(query), negated, .. } => {
                let tested = self.read(block, tested);
                self.subquery(block, query, Role::In { is_negated: *negated });
                self.whole(expr, vec![tested])
            }
            Expr::AnyOp { left, right, .. } | Expr::AllOp { left, right, .. } => {
                let tested = self.read(block, left);
                let is_negated = matches!(expr, Expr::AllOp { .. });
                let right = match inside(right) {
                    Expr::Subquery(query) => {
                        self.subquery(block, query, Role::In { is_negated });
                        Read::default()
                    }
                    other => self.read(block, other),
                };
                self.whole(expr, vec![tested, right])
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                let mut parts = Vec::new();
                parts.extend(operand.as_deref());
                for when in conditions {
                    parts.extend([&when.condition, &when.result]);
                }
                parts.extend(else_result.as_deref());
                self.all(block, expr, &parts)
            }
            Expr::UnaryOp { expr: inner, .. }
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner)
            | Expr::IsUnknown(inner)
            | Expr::IsNotUnknown(inner)
            | Expr::Collate { expr: inner, .. }
            | Expr::Cast { expr: inner, .. } => self.all(block, expr, &[inner]),
            Expr::Interval(interval) => self.all(block, expr, &[&interval.value]),
            Expr::Between { expr: tested, low, high, .. } => {
                self.all(block, expr, &[tested, low, high])
            }
            Expr::Like { expr: tested, pattern, .. }
            | Expr::RLike { expr: tested, pattern, .. } => {
                self.all(block, expr, &[tested, pattern])
            }
            Expr::In { expr: tested, target: InTarget::List(list), .. } => {
                let mut parts = vec![&**tested];
                parts.extend(list);
                self.all(block, expr, &parts)
            }
            Expr::Tuple(parts) => self.all(block, expr, &parts.iter().collect::<Vec<_>>()),
            Expr::MemberOf(member) => self.all(block, expr, &[&member.value, &member.array]),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.all(block, expr, &[left, right])
            }
            // Nothing else comes of the tokens that are given to the parser.
            _ => Read::default(),
        }
    }

    /// A column by its name, or an alias.
    fn named(&mut self, block: usize, parts: &[String]) -> Read {
        if let [name] = parts
            && let Some(kind) = self.selected(block, name)
        {
            return match kind {
                ItemKind::Column(column) => {
                    let column = column.clone();
                    Read { columns: vec![column.clone()], ..Read::of(Expression::Column(column)) }
                }
                _ => Read { has_aggregate: true, ..Read::of(Expression::Other(0..0)) },
            };
        }
        let column = self.resolve(block, parts);
        if let Some((block, source)) = column.of {
            self.note(block, source, &column.name.to_lowercase());
        }
        Read { columns: vec![column.clone()], ..Read::of(Expression::Column(column)) }
    }

    /// Reads the parts of what is told as text only.
    fn all(&mut self, block: usize, expr: &Expr, parts: &[&Expr]) -> Read {
        let reads = parts.iter().map(|part| self.read(block, part)).collect();
        self.whole(expr, reads)
    }

    fn whole(&self, expr: &Expr, parts: Vec<Read>) -> Read {
        let mut whole = Read::default();
        for part in parts {
            whole.take(part);
        }
        whole.depth = 0;
        let varies = !whole.columns.is_empty() || whole.is_not_constant || whole.has_aggregate;
        whole.expression = varies.then(|| Expression::Other(self.cover(expr)));
        whole
    }

    fn binary(
        &mut self,
        block: usize,
        expr: &Expr,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> Read {
        let is_interval = matches!(right, Expr::Interval(_));
        let name = match op {
            BinaryOperator::Plus if is_interval => "+ INTERVAL",
            BinaryOperator::Minus if is_interval => "- INTERVAL",
            BinaryOperator::Plus => "+",
            BinaryOperator::Minus => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Custom(sign) if sign == "DIV" => "DIV",
            BinaryOperator::Modulo => "%",
            BinaryOperator::BitwiseOr => "|",
            BinaryOperator::BitwiseAnd => "&",
            BinaryOperator::BitwiseXor => "^",
            BinaryOperator::PGBitwiseShiftLeft => "<<",
            BinaryOperator::PGBitwiseShiftRight => ">>",
            _ => "",
        };
        if name.is_empty() {
            return self.chain(block, expr);
        }
        let (left_read, right_read) = (self.read(block, left), self.read(block, right));
        let is_constant =
            |read: &Read| read.columns.is_empty() && !read.is_not_constant && !read.has_aggregate;
        let mut whole = Read::default();
        if is_constant(&left_read) && is_constant(&right_read) {
            return whole;
        }
        let is_deep = left_read.depth.max(right_read.depth) >= MAX_DEPTH;
        let expression = match is_deep {
            true => Expression::Other(self.cover(expr)),
            false => {
                let left = self.told(left, &left_read);
                let right = self.told(right, &right_read);
                Expression::Arithmetic(Box::new(left), name.to_owned(), Box::new(right))
            }
        };
        whole.take(left_read);
        whole.take(right_read);
        if is_deep {
            whole.depth = 0;
        }
        whole.expression = Some(expression);
        whole
    }

    /// Operators of one kind after another are read from left to right without going deep.
    fn chain(&mut self, block: usize, expr: &Expr) -> Read {
        let mut parts = Vec::new();
        let mut left = expr;
        while let Expr::BinaryOp { left: inner, op, right } = left {
            if is_arithmetic(op) {
                break;
            }
            parts.push(&**right);
            left = inner;
        }
        parts.push(left);
        parts.reverse();
        self.all(block, expr, &parts)
    }

    /// An expression with its form, or as a value.
    pub(super) fn told(&self, expr: &Expr, read: &Read) -> Expression {
        match &read.expression {
            Some(expression) => expression.clone(),
            None => Expression::Value(Value {
                kind: ValueKind::Expression,
                text: self.text_of(self.cover(expr)),
            }),
        }
    }

    pub(super) fn function_name(&self, function: &Function) -> String {
        self.names(&function.name).pop().unwrap_or_default().to_ascii_uppercase()
    }

    fn function(&mut self, block: usize, expr: &Expr, function: &Function) -> Read {
        let name = self.function_name(function);
        let mut reads = Vec::new();
        let mut told = Vec::new();
        let mut queries = false;
        match &function.args {
            FunctionArguments::List(list) => {
                // VALUES(c) of ON DUPLICATE KEY UPDATE is what would have been inserted.
                let arguments = if name == "VALUES" { &[] } else { &list.args[..] };
                for argument in arguments {
                    let (FunctionArg::Unnamed(argument)
                    | FunctionArg::Named { arg: argument, .. }
                    | FunctionArg::ExprNamed { arg: argument, .. }) = argument;
                    if let FunctionArgExpr::Expr(argument) = argument {
                        let read = self.read(block, argument);
                        told.push(self.told(argument, &read));
                        reads.push(read);
                    }
                }
            }
            FunctionArguments::Subquery(query) => {
                queries = true;
                self.subquery(block, query, Role::Scalar { is_selected: false });
            }
            FunctionArguments::None => {}
        }
        let mut whole = Read::default();
        for read in reads {
            whole.take(read);
        }
        let is_window = function.over.is_some();
        match &function.over {
            Some(WindowType::WindowSpec(spec)) => self.window(block, spec),
            Some(WindowType::NamedWindow(_)) => self.blocks[block].has_window = true,
            None => {}
        }
        whole.has_aggregate |= AGGREGATES.contains(&name.as_str()) || is_window;
        whole.is_not_constant |= CHANGING.contains(&name.as_str()) && !queries;
        let varies = !whole.columns.is_empty() || whole.is_not_constant || whole.has_aggregate;
        if varies {
            let is_deep = whole.depth >= MAX_DEPTH;
            whole.expression = Some(match is_deep {
                true => Expression::Other(self.cover(expr)),
                false => Expression::Call(name, told),
            });
            if is_deep {
                whole.depth = 0;
            }
        }
        whole
    }

    /// An aggregate of SELECT: its name, whether it is DISTINCT, its only argument.
    pub(super) fn aggregate<'q>(&self, expr: &'q Expr) -> Option<(String, bool, Option<&'q Expr>)> {
        let Expr::Function(function) = inside(expr) else { return None };
        let name = self.function_name(function);
        if !AGGREGATES.contains(&name.as_str()) || function.over.is_some() {
            return None;
        }
        let FunctionArguments::List(list) = &function.args else { return None };
        let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        let argument = match &list.args[..] {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] => Some(argument),
            _ => None,
        };
        Some((name, is_distinct, argument))
    }

    /// A subquery in an expression.
    pub(super) fn subquery(&mut self, block: usize, query: &Query, role: Role) -> usize {
        let naming = std::mem::replace(&mut self.naming, Naming::Columns);
        let place = Place { role, parent: Some(block), outer: Some(block) };
        let at = self.blocks.len();
        self.query(query, place);
        self.is_for_exists = false;
        self.naming = naming;
        at
    }

    /// Why no index on the columns of an expression can be searched.
    pub(super) fn why(&self, expr: &Expr) -> Why {
        match inside(expr) {
            Expr::Function(function) => {
                let name = self.function_name(function);
                match name.as_str() {
                    TO_DATE => Why::Function("DATE".to_owned()),
                    CAST | "CONVERT" => Why::Function("CAST".to_owned()),
                    MATCH => Why::FullText,
                    json if JSON.contains(&json) => Why::Json,
                    _ => Why::Function(name),
                }
            }
            Expr::BinaryOp { op: BinaryOperator::Arrow | BinaryOperator::LongArrow, .. }
            | Expr::MemberOf(_) => Why::Json,
            Expr::Collate { .. } => Why::Collation,
            Expr::Case { .. } => Why::Function("CASE".to_owned()),
            Expr::Tuple(_) => Why::Rows,
            Expr::Like { .. } | Expr::RLike { .. } => Why::Pattern,
            Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::IsTrue(_) | Expr::IsFalse(_) => Why::Truth,
            _ => Why::Arithmetic,
        }
    }
}

fn is_arithmetic(op: &BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(op, B::Custom(sign) if sign == "DIV")
        || matches!(
            op,
            B::Plus
                | B::Minus
                | B::Multiply
                | B::Divide
                | B::Modulo
                | B::BitwiseOr
                | B::BitwiseAnd
                | B::BitwiseXor
                | B::PGBitwiseShiftLeft
                | B::PGBitwiseShiftRight
        )
}
