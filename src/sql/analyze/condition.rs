//! Conditions: what WHERE, ON and HAVING demand, test by test.

use std::ops::Range;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator};

use super::build::{Builder, bytes};
use super::cover::Part;
use super::expression::{Read, add, inside};
use crate::sql::shape::{
    Bound, Clause, Column, Condition, Conjunct, Expression, Op, Operand, Role, Test, Value,
    ValueKind, Why, Wrapped,
};

/// How two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NullSafe,
    Differs,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

pub(super) fn comparison(op: &BinaryOperator) -> Option<Comparison> {
    Some(match op {
        BinaryOperator::Eq => Comparison::Equal,
        BinaryOperator::Spaceship => Comparison::NullSafe,
        BinaryOperator::NotEq => Comparison::Differs,
        BinaryOperator::Lt => Comparison::Less,
        BinaryOperator::LtEq => Comparison::LessOrEqual,
        BinaryOperator::Gt => Comparison::Greater,
        BinaryOperator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

impl Comparison {
    fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NullSafe => "<=>",
            Self::Differs => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// What holds where this does not, for values that are not NULL; none of `<=>`.
    fn negated(self) -> Option<Self> {
        Some(match self {
            Self::Equal => Self::Differs,
            Self::Differs => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
            Self::NullSafe => return None,
        })
    }
}

/// A side of a comparison.
#[derive(Debug)]
enum Side {
    Column(Column),
    /// The same for all rows.
    Value(Value),
    Block(usize),
    /// Something that is done with columns, or that changes from row to row.
    Other(Why, Expression, Vec<Column>, Form),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Columns,
    /// RAND() and its kin, no column.
    Changing,
    Aggregate,
}

impl Side {
    fn told(&self, builder: &Builder) -> Expression {
        match self {
            Self::Column(column) => Expression::Column(column.clone()),
            Self::Value(value) => Expression::Value(value.clone()),
            Self::Block(block) => {
                let span = builder.blocks.get(*block).map_or(0..0, |block| block.span.clone());
                Expression::Other(span)
            }
            Self::Other(_, expression, ..) => expression.clone(),
        }
    }

    fn columns(&self) -> Vec<Column> {
        match self {
            Self::Column(column) => vec![column.clone()],
            Self::Other(_, _, columns, _) => columns.clone(),
            Self::Value(_) | Self::Block(_) => Vec::new(),
        }
    }
}

/// Whether the values of a literal are a list that was too long for the parser.
type Long = Option<Vec<Value>>;

impl Builder<'_> {
    /// Adds what a condition demands.
    pub(super) fn conjuncts(&mut self, block: usize, expr: &Expr, clause: Clause) {
        let mut found = Vec::new();
        self.conditions(block, expr, false, clause, &mut found);
        self.blocks[block].conditions.extend(found);
    }

    fn conditions(
        &mut self,
        block: usize,
        expr: &Expr,
        negated: bool,
        clause: Clause,
        out: &mut Vec<Conjunct>,
    ) {
        let (mut expr, mut negated) = (expr, negated);
        loop {
            match expr {
                Expr::Nested(inner) => expr = inner,
                Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                    negated = !negated;
                    expr = inner;
                }
                _ => break,
            }
        }
        let logical = match expr {
            Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => op,
            _ => {
                let span = self.cover_as(expr, Part::Condition);
                for condition in self.leaf(block, expr, negated, &span) {
                    let mut conjunct = Conjunct { clause, condition, span: span.clone() };
                    put_in(&mut conjunct, clause);
                    out.push(conjunct);
                }
                return;
            }
        };
        // A chain leans to the left: it is walked, not descended.
        let mut operands = Vec::new();
        let mut left = expr;
        while let Expr::BinaryOp { left: inner, op, right } = left {
            if op != logical {
                break;
            }
            operands.push(&**right);
            left = inner;
        }
        operands.push(left);
        operands.reverse();
        let all_hold = (*logical == BinaryOperator::And) != negated;
        if all_hold {
            for operand in operands {
                self.conditions(block, operand, negated, clause, out);
            }
            return;
        }
        let span = self.cover_as(expr, Part::Condition);
        let mut arms = Vec::with_capacity(operands.len());
        for operand in operands {
            let mut arm = Vec::new();
            self.conditions(block, operand, negated, clause, &mut arm);
            arms.push(arm);
        }
        if let Some(condition) = any(arms, &span) {
            out.push(Conjunct { clause, condition, span });
        }
    }

    /// A condition that is no AND, OR or NOT: it may demand several things.
    fn leaf(
        &mut self,
        block: usize,
        expr: &Expr,
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        match expr {
            Expr::BinaryOp { left, op, right } if comparison(op).is_some() => {
                let Some(op) = comparison(op) else { return Vec::new() };
                if let (Expr::Tuple(left), Expr::Tuple(right)) = (inside(left), inside(right))
                    && left.len() == right.len()
                {
                    return self.rows(block, expr, left, op, right, negated, span);
                }
                if let (Expr::Tuple(left), Expr::Subquery(query)) = (inside(left), inside(right))
                    && op == Comparison::Equal
                    && !negated
                {
                    let sides: Vec<_> = left.iter().map(|each| self.side(block, each)).collect();
                    let found = self.subquery(block, query, Role::Scalar { is_selected: false });
                    return self.each_column(sides, span, |_| Op::Equal(Operand::Block(found)));
                }
                let long = self.long(right);
                let (left, right) = (self.side(block, left), self.side(block, right));
                if let (Some(values), Side::Column(column)) = (&long, &left)
                    && op == Comparison::Equal
                {
                    let op = listed(values.clone(), negated);
                    return vec![Condition::Test(Test {
                        column: column.clone(),
                        op,
                        span: span.clone(),
                    })];
                }
                vec![self.compared(block, left, op, right, negated, span)]
            }
            Expr::IsNull(tested) => vec![self.is_null(block, tested, negated, span)],
            Expr::IsNotNull(tested) => vec![self.is_null(block, tested, !negated, span)],
            Expr::IsUnknown(tested) => vec![self.truth(block, tested, "IS UNKNOWN", negated, span)],
            Expr::IsNotUnknown(tested) => {
                vec![self.truth(block, tested, "IS UNKNOWN", !negated, span)]
            }
            Expr::IsTrue(tested) => vec![self.truth(block, tested, "IS TRUE", negated, span)],
            Expr::IsNotTrue(tested) => vec![self.truth(block, tested, "IS TRUE", !negated, span)],
            Expr::IsFalse(tested) => vec![self.truth(block, tested, "IS FALSE", negated, span)],
            Expr::IsNotFalse(tested) => vec![self.truth(block, tested, "IS FALSE", !negated, span)],
            Expr::Between { expr: tested, negated: not, low, high } => {
                self.between(block, tested, low, high, negated != *not, span)
            }
            Expr::In { expr: tested, target: InTarget::List(list), negated: not, .. } => {
                self.in_list(block, expr, tested, list, negated != *not, span)
            }
            Expr::In { expr: tested, target: InTarget::Subquery(query), negated: not, .. } => {
                let is_negated = negated != *not;
                let sides: Vec<_> = match inside(tested) {
                    Expr::Tuple(tested) => {
                        tested.iter().map(|each| self.side(block, each)).collect()
                    }
                    one => vec![self.side(block, one)],
                };
                let found = self.subquery(block, query, Role::In { is_negated });
                if is_negated && sides.len() > 1 {
                    let columns = sides.iter().flat_map(Side::columns).collect();
                    return vec![Condition::Other(columns)];
                }
                self.each_column(sides, span, |_| match is_negated {
                    true => Op::NotInBlock(found),
                    false => Op::InBlock(found),
                })
            }
            Expr::AnyOp { left, compare_op, right, .. }
            | Expr::AllOp { left, compare_op, right } => {
                self.quantified(block, expr, left, compare_op, right, negated, span)
            }
            Expr::Exists { subquery, negated: not } => {
                let is_negated = negated != *not;
                self.is_for_exists = true;
                let found = self.subquery(block, subquery, Role::Exists { is_negated });
                vec![Condition::Exists { block: found, is_negated }]
            }
            Expr::Like { expr: tested, pattern, escape_char, negated: not, .. } => {
                let escape = escape_char.as_deref();
                vec![self.like(block, tested, pattern, escape, negated != *not, span)]
            }
            Expr::RLike { expr: tested, pattern, negated: not, .. } => {
                let (tested, pattern) = (self.side(block, tested), self.side(block, pattern));
                let is_negated = negated != *not;
                vec![self.wrapped(Why::Pattern, "REGEXP", tested, vec![pattern], is_negated, span)]
            }
            Expr::BinaryOp { op: BinaryOperator::Xor, .. } => {
                let read = self.read(block, expr);
                vec![Condition::Other(read.columns)]
            }
            _ => vec![self.bare(block, expr, negated, span)],
        }
    }

    /// An expression that is a condition by itself.
    fn bare(&mut self, block: usize, expr: &Expr, negated: bool, span: &Range<usize>) -> Condition {
        if let Expr::Function(function) = expr
            && self.function_name(function) == "ISNULL"
            && let sqlparser::ast::FunctionArguments::List(list) = &function.args
            && let [
                sqlparser::ast::FunctionArg::Unnamed(sqlparser::ast::FunctionArgExpr::Expr(tested)),
            ] = &list.args[..]
        {
            return self.is_null(block, tested, negated, span);
        }
        let side = self.side(block, expr);
        let zero = Value { kind: ValueKind::Number, text: "0".to_owned() };
        match side {
            Side::Column(column) => {
                let op = match negated {
                    true => Op::Equal(Operand::Value(zero)),
                    false => Op::Differs(vec![zero]),
                };
                Condition::Test(Test { column, op, span: span.clone() })
            }
            Side::Value(value) => {
                let is_null = value.kind == ValueKind::Null;
                Condition::Constant(truth_of(&value).map(|truth| truth != negated && !is_null))
            }
            Side::Block(_) => Condition::Other(Vec::new()),
            Side::Other(_, _, columns, Form::Aggregate) => Condition::Other(columns),
            Side::Other(ref why, ..) => {
                let op = if *why == Why::FullText { "MATCH" } else { "<>" };
                let why = why.clone();
                self.wrapped(why, op, side, vec![Side::Value(zero)], negated, span)
            }
        }
    }

    fn wrapped(
        &self,
        why: Why,
        op: &str,
        left: Side,
        right: Vec<Side>,
        is_negated: bool,
        span: &Range<usize>,
    ) -> Condition {
        let mut columns = left.columns();
        add(&mut columns, right.iter().flat_map(Side::columns));
        let is_aggregate = |side: &Side| matches!(side, Side::Other(.., Form::Aggregate));
        if is_aggregate(&left) || right.iter().any(is_aggregate) {
            return Condition::Other(columns);
        }
        if columns.is_empty() {
            return Condition::Constant(None);
        }
        Condition::Wrapped(Wrapped {
            why,
            columns,
            op: op.to_owned(),
            left: left.told(self),
            right: right.iter().map(|side| side.told(self)).collect(),
            is_negated,
            span: span.clone(),
        })
    }

    /// What a side of a comparison is.
    fn side(&mut self, block: usize, expr: &Expr) -> Side {
        let expr = inside(expr);
        if let Expr::Subquery(query) = expr {
            return Side::Block(self.subquery(block, query, Role::Scalar { is_selected: false }));
        }
        let read: Read = self.read(block, expr);
        if let Some(column) = read.column() {
            return Side::Column(column);
        }
        if read.has_aggregate {
            let expression = self.told(expr, &read);
            return Side::Other(Why::Arithmetic, expression, read.columns, Form::Aggregate);
        }
        if let Some(Expression::Value(value)) = read.expression {
            return Side::Value(value);
        }
        if read.is_not_constant && read.columns.is_empty() {
            let expression = self.told(expr, &read);
            return Side::Other(Why::NotConstant, expression, Vec::new(), Form::Changing);
        }
        // Columns of blocks around are the same for all rows of this one.
        let is_outer = |column: &Column| column.of.is_some_and(|of| of.0 != block);
        if !read.is_not_constant && read.columns.iter().all(is_outer) {
            let text = self.text_of(self.cover(expr));
            return Side::Value(Value { kind: ValueKind::Expression, text });
        }
        let expression = self.told(expr, &read);
        Side::Other(self.why(expr), expression, read.columns, Form::Columns)
    }

    fn is_outer(&self, block: usize, column: &Column) -> bool {
        column.of.is_some_and(|of| of.0 != block)
    }

    fn compared(
        &mut self,
        block: usize,
        left: Side,
        op: Comparison,
        right: Side,
        negated: bool,
        span: &Range<usize>,
    ) -> Condition {
        // The side whose columns are searched for stands on the left.
        let swaps = match (&left, &right) {
            (Side::Column(left), Side::Column(right)) => {
                self.is_outer(block, left) && !self.is_outer(block, right)
            }
            (Side::Other(.., Form::Aggregate), _) => false,
            (Side::Value(_) | Side::Block(_), Side::Column(_) | Side::Other(..)) => true,
            (Side::Column(_), Side::Other(.., Form::Columns)) => true,
            (Side::Other(.., Form::Changing), Side::Column(_) | Side::Other(.., Form::Columns)) => {
                true
            }
            _ => false,
        };
        let (left, op, right) = match swaps {
            true => (right, op.mirrored(), left),
            false => (left, op, right),
        };
        let column = match left {
            Side::Column(column) => column,
            Side::Value(left) => {
                let Side::Value(right) = right else { return Condition::Constant(None) };
                return Condition::Constant(compare_values(&left, op, &right, negated));
            }
            Side::Block(_) => return Condition::Other(right.columns()),
            Side::Other(ref why, ..) => {
                let why = why.clone();
                return self.wrapped(why, op.sign(), left, vec![right], negated, span);
            }
        };
        let other = match right {
            Side::Value(value) => Operand::Value(value),
            Side::Column(other) => Operand::Column(other),
            Side::Block(found) => Operand::Block(found),
            other => {
                let why = Why::NotConstant;
                return self.wrapped(
                    why,
                    op.sign(),
                    Side::Column(column),
                    vec![other],
                    negated,
                    span,
                );
            }
        };
        match tested(op, other, negated) {
            Some(op) => Condition::Test(Test { column, op, span: span.clone() }),
            None => Condition::Other(vec![column]),
        }
    }

    /// `(a, b) = (1, 2)` and the like.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one comparison")]
    fn rows(
        &mut self,
        block: usize,
        expr: &Expr,
        left: &[Expr],
        op: Comparison,
        right: &[Expr],
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        let lefts: Vec<_> = left.iter().map(|each| self.side(block, each)).collect();
        let rights: Vec<_> = right.iter().map(|each| self.side(block, each)).collect();
        let is_equal = match op {
            Comparison::Equal | Comparison::NullSafe => !negated,
            Comparison::Differs => negated,
            _ => {
                let mut each = Vec::new();
                add(&mut each, lefts.iter().chain(&rights).flat_map(Side::columns));
                if each.is_empty() {
                    return vec![Condition::Constant(None)];
                }
                let (left, right) = match expr {
                    Expr::BinaryOp { left, right, .. } => (self.cover(left), self.cover(right)),
                    _ => (0..0, 0..0),
                };
                return vec![Condition::Wrapped(Wrapped {
                    why: Why::Rows,
                    columns: each,
                    op: op.sign().to_owned(),
                    left: Expression::Other(left),
                    right: vec![Expression::Other(right)],
                    is_negated: negated,
                    span: span.clone(),
                })];
            }
        };
        let same = if op == Comparison::NullSafe { op } else { Comparison::Equal };
        let pairs = lefts.into_iter().zip(rights);
        if is_equal {
            return pairs
                .map(|(left, right)| self.compared(block, left, same, right, false, span))
                .collect();
        }
        let columns = pairs.flat_map(|(left, right)| [left.columns(), right.columns()]).flatten();
        vec![Condition::Other(columns.collect())]
    }

    fn each_column(
        &self,
        sides: Vec<Side>,
        span: &Range<usize>,
        op: impl Fn(usize) -> Op,
    ) -> Vec<Condition> {
        let each = sides.into_iter().enumerate().map(|(at, side)| match side {
            Side::Column(column) => {
                Condition::Test(Test { column, op: op(at), span: span.clone() })
            }
            Side::Other(.., Form::Aggregate) | Side::Value(_) | Side::Block(_) => {
                Condition::Other(side.columns())
            }
            Side::Other(ref why, ..) => {
                let (why, is_negated) = (why.clone(), matches!(op(at), Op::NotInBlock(_)));
                self.wrapped(why, "IN", side, Vec::new(), is_negated, span)
            }
        });
        each.collect()
    }

    fn is_null(
        &mut self,
        block: usize,
        tested: &Expr,
        negated: bool,
        span: &Range<usize>,
    ) -> Condition {
        let side = self.side(block, tested);
        match side {
            Side::Column(column) => {
                let op = if negated { Op::IsNotNull } else { Op::IsNull };
                Condition::Test(Test { column, op, span: span.clone() })
            }
            Side::Value(value) => {
                let is_known = matches!(
                    value.kind,
                    ValueKind::Null | ValueKind::Number | ValueKind::Text | ValueKind::Truth
                );
                Condition::Constant(is_known.then_some((value.kind == ValueKind::Null) != negated))
            }
            Side::Block(_) => Condition::Other(Vec::new()),
            Side::Other(ref why, ..) => {
                let why = why.clone();
                self.wrapped(why, "IS NULL", side, Vec::new(), negated, span)
            }
        }
    }

    fn truth(
        &mut self,
        block: usize,
        tested: &Expr,
        op: &str,
        negated: bool,
        span: &Range<usize>,
    ) -> Condition {
        let side = self.side(block, tested);
        match &side {
            Side::Value(_) | Side::Block(_) => Condition::Constant(None),
            _ => self.wrapped(Why::Truth, op, side, Vec::new(), negated, span),
        }
    }

    fn between(
        &mut self,
        block: usize,
        tested: &Expr,
        low: &Expr,
        high: &Expr,
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        let tested = self.side(block, tested);
        let (low, high) = (self.side(block, low), self.side(block, high));
        match (tested, low, high) {
            (Side::Column(column), Side::Value(low), Side::Value(high)) => {
                let op = match negated {
                    true => Op::Differs(vec![low, high]),
                    false => {
                        let bound = |value| Some(Bound { value, is_inclusive: true });
                        Op::Range { low: bound(low), high: bound(high) }
                    }
                };
                vec![Condition::Test(Test { column, op, span: span.clone() })]
            }
            // `5 BETWEEN a AND b`, and a column between columns.
            (tested @ (Side::Value(_) | Side::Column(_)), low, high)
                if !negated
                    && !matches!((&low, &high), (Side::Other(..), _) | (_, Side::Other(..))) =>
            {
                let again = match &tested {
                    Side::Value(value) => Side::Value(value.clone()),
                    Side::Column(column) => Side::Column(column.clone()),
                    _ => return Vec::new(),
                };
                vec![
                    self.compared(block, tested, Comparison::GreaterOrEqual, low, false, span),
                    self.compared(block, again, Comparison::LessOrEqual, high, false, span),
                ]
            }
            (Side::Other(Why::NotConstant, ..), low, high) => {
                vec![Condition::Other([low.columns(), high.columns()].concat())]
            }
            (tested @ Side::Other(..), low, high) => {
                let why = match &tested {
                    Side::Other(why, ..) => why.clone(),
                    _ => Why::Arithmetic,
                };
                vec![self.wrapped(why, "BETWEEN", tested, vec![low, high], negated, span)]
            }
            (Side::Column(column), low, high)
                if [&low, &high].iter().any(|it| matches!(it, Side::Other(.., Form::Changing))) =>
            {
                vec![self.wrapped(
                    Why::NotConstant,
                    "BETWEEN",
                    Side::Column(column),
                    vec![low, high],
                    negated,
                    span,
                )]
            }
            (tested, low, high) => {
                vec![Condition::Other([tested.columns(), low.columns(), high.columns()].concat())]
            }
        }
    }

    fn long(&self, expr: &Expr) -> Long {
        let Expr::Value(value) = expr else { return None };
        let start = bytes(value.span)?.start;
        self.facts.lists.get(&start).cloned()
    }

    fn in_list(
        &mut self,
        block: usize,
        expr: &Expr,
        tested: &Expr,
        list: &[Expr],
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        if let Expr::Tuple(columns) = inside(tested) {
            return self.in_rows(block, expr, columns, list, negated, span);
        }
        let tested = self.side(block, tested);
        if let [one] = list
            && let Some(values) = self.long(one)
        {
            return vec![match tested {
                Side::Column(column) => Condition::Test(Test {
                    column,
                    op: listed(values, negated),
                    span: span.clone(),
                }),
                Side::Other(ref why, ..) => {
                    let why = why.clone();
                    let right = values.into_iter().map(Side::Value).collect();
                    self.wrapped(why, "IN", tested, right, negated, span)
                }
                Side::Value(_) | Side::Block(_) => Condition::Constant(None),
            }];
        }
        let sides: Vec<_> = list.iter().map(|each| self.side(block, each)).collect();
        let are_values = sides.iter().all(|side| matches!(side, Side::Value(_)));
        match tested {
            Side::Column(column) if are_values => {
                let values = sides.into_iter().filter_map(|side| match side {
                    Side::Value(value) => Some(value),
                    _ => None,
                });
                let op = listed(values.collect(), negated);
                vec![Condition::Test(Test { column, op, span: span.clone() })]
            }
            Side::Column(column) if sides.len() == 1 => {
                let op = if negated { Comparison::Differs } else { Comparison::Equal };
                let Some(side) = sides.into_iter().next() else { return Vec::new() };
                vec![self.compared(block, Side::Column(column), op, side, false, span)]
            }
            Side::Value(value) => {
                // `5 IN (a, b)`.
                let op = if negated { Comparison::Differs } else { Comparison::Equal };
                let each = sides.into_iter().map(|side| {
                    self.compared(block, Side::Value(value.clone()), op, side, false, span)
                });
                let each: Vec<_> = each.collect();
                if negated {
                    return each;
                }
                let arm = |condition| {
                    vec![Conjunct { clause: Clause::Where, condition, span: span.clone() }]
                };
                any(each.into_iter().map(arm).collect(), span).into_iter().collect()
            }
            Side::Other(ref why, ..) => {
                let why = why.clone();
                vec![self.wrapped(why, "IN", tested, sides, negated, span)]
            }
            Side::Column(_) | Side::Block(_) => {
                let columns = sides.iter().flat_map(Side::columns);
                vec![Condition::Other(tested.columns().into_iter().chain(columns).collect())]
            }
        }
    }

    /// `(a, b) IN ((1, 2), (3, 4))`.
    fn in_rows(
        &mut self,
        block: usize,
        expr: &Expr,
        columns: &[Expr],
        list: &[Expr],
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        let sides: Vec<_> = columns.iter().map(|each| self.side(block, each)).collect();
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); columns.len()];
        let mut are_values = true;
        for row in list {
            let Expr::Tuple(row) = inside(row) else {
                are_values = false;
                self.read(block, row);
                continue;
            };
            for (at, each) in row.iter().enumerate() {
                match (self.side(block, each), values.get_mut(at)) {
                    (Side::Value(value), Some(values)) => values.push(value),
                    _ => are_values = false,
                }
            }
        }
        if negated || !are_values {
            let columns = sides.iter().flat_map(Side::columns).collect::<Vec<_>>();
            return match columns.is_empty() {
                true => vec![Condition::Other(self.read(block, expr).columns)],
                false => vec![Condition::Other(columns)],
            };
        }
        let is_one = list.len() == 1;
        self.each_column(sides, span, |at| {
            let values = values.get(at).cloned().unwrap_or_default();
            match values.first() {
                Some(value) if is_one => Op::Equal(Operand::Value(value.clone())),
                _ => Op::InRows(values),
            }
        })
    }

    /// `= ANY (SELECT …)` and the like.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of one comparison")]
    fn quantified(
        &mut self,
        block: usize,
        expr: &Expr,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
        negated: bool,
        span: &Range<usize>,
    ) -> Vec<Condition> {
        let side = self.side(block, left);
        let Expr::Subquery(query) = inside(right) else {
            let read = self.read(block, right);
            return vec![Condition::Other([side.columns(), read.columns].concat())];
        };
        let is_all = matches!(expr, Expr::AllOp { .. });
        let is_in = *op == BinaryOperator::Eq && !is_all;
        let is_not_in = *op == BinaryOperator::NotEq && is_all;
        let is_negated = match is_in || is_not_in {
            true => is_not_in != negated,
            false => is_all,
        };
        let role = match is_in || is_not_in {
            true => Role::In { is_negated },
            false => Role::Scalar { is_selected: false },
        };
        let found = self.subquery(block, query, role);
        self.each_column(vec![side], span, |_| match (is_in || is_not_in, is_negated) {
            (true, true) => Op::NotInBlock(found),
            (true, false) => Op::InBlock(found),
            (false, _) => Op::Compared(Operand::Block(found)),
        })
    }

    fn like(
        &mut self,
        block: usize,
        tested: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
        negated: bool,
        span: &Range<usize>,
    ) -> Condition {
        let escape = escape.and_then(|escape| match escape {
            Expr::Value(value) => bytes(value.span).and_then(|range| self.text.get(range)),
            _ => None,
        });
        let escape =
            escape.map_or(Some('\\'), |text| text.trim_matches(['\'', '"']).chars().next());
        let begins = self.pattern_begins(pattern, escape);
        let (tested, pattern) = (self.side(block, tested), self.side(block, pattern));
        let (column, value) = match (tested, pattern) {
            (Side::Column(column), Side::Value(value)) => (column, value),
            (tested @ Side::Other(..), pattern) => {
                let why = match &tested {
                    Side::Other(why, ..) => why.clone(),
                    _ => Why::Arithmetic,
                };
                return self.wrapped(why, "LIKE", tested, vec![pattern], negated, span);
            }
            (Side::Value(_), Side::Value(_)) => return Condition::Constant(None),
            // A pattern that is in a column, on either side.
            (tested, pattern) => {
                return Condition::Other([tested.columns(), pattern.columns()].concat());
            }
        };
        let op = match (begins, negated) {
            (Pattern::All, false) => Op::IsNotNull,
            (Pattern::All, true) => Op::Differs(vec![value]),
            (Pattern::Wildcard, false) => {
                let pattern = vec![Side::Value(value)];
                return self.wrapped(
                    Why::Wildcard,
                    "LIKE",
                    Side::Column(column),
                    pattern,
                    false,
                    span,
                );
            }
            (_, true) => Op::Differs(vec![value]),
            (Pattern::Whole, false) => Op::Equal(Operand::Value(value)),
            (Pattern::Letter, false) => Op::Prefix(value),
        };
        Condition::Test(Test { column, op, span: span.clone() })
    }

    /// How a pattern begins, as far as it is written out.
    fn pattern_begins(&self, pattern: &Expr, escape: Option<char>) -> Pattern {
        match inside(pattern) {
            Expr::Value(value) => {
                let text =
                    bytes(value.span).and_then(|range| self.text.get(range)).unwrap_or_default();
                let Some(open) = text.find(['\'', '"']) else { return Pattern::Letter };
                let inside = text.get(open + 1..).unwrap_or_default();
                let inside = inside.strip_suffix(['\'', '"']).unwrap_or(inside);
                Pattern::of(inside, escape)
            }
            // CONCAT('%', …).
            Expr::Function(function) if self.function_name(function) == "CONCAT" => {
                let first = match &function.args {
                    sqlparser::ast::FunctionArguments::List(list) => list.args.first(),
                    _ => None,
                };
                match first {
                    Some(sqlparser::ast::FunctionArg::Unnamed(
                        sqlparser::ast::FunctionArgExpr::Expr(first),
                    )) => match self.pattern_begins(first, escape) {
                        Pattern::All | Pattern::Wildcard => Pattern::Wildcard,
                        Pattern::Whole | Pattern::Letter => Pattern::Letter,
                    },
                    _ => Pattern::Letter,
                }
            }
            _ => Pattern::Letter,
        }
    }
}

/// What a pattern of LIKE asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// `%`: anything.
    All,
    /// A wildcard first.
    Wildcard,
    /// A letter first; also what is not written out.
    Letter,
    /// No wildcard at all.
    Whole,
}

impl Pattern {
    fn of(text: &str, escape: Option<char>) -> Self {
        if !text.is_empty() && text.bytes().all(|byte| byte == b'%') {
            return Self::All;
        }
        if text.starts_with(['%', '_']) {
            return Self::Wildcard;
        }
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if Some(letter) == escape {
                letters.next();
            } else if letter == '%' || letter == '_' {
                return Self::Letter;
            }
        }
        Self::Whole
    }
}

/// Says which clause a condition is of, and all that is in it.
pub(super) fn put_in(conjunct: &mut Conjunct, clause: Clause) {
    conjunct.clause = clause;
    if let Condition::Any(arms) = &mut conjunct.condition {
        arms.iter_mut().flatten().for_each(|conjunct| put_in(conjunct, clause));
    }
}

/// A test against the values of a list.
fn listed(mut values: Vec<Value>, negated: bool) -> Op {
    if negated {
        return Op::Differs(values);
    }
    // NULL in a list matches nothing.
    if values.iter().any(|value| value.kind != ValueKind::Null) {
        values.retain(|value| value.kind != ValueKind::Null);
    } else {
        values.truncate(1);
    }
    match <[Value; 1]>::try_from(values) {
        Ok([value]) => Op::Equal(Operand::Value(value)),
        Err(values) => Op::In(values),
    }
}

/// The test of a column against an operand.
fn tested(op: Comparison, other: Operand, negated: bool) -> Option<Op> {
    let is_null = matches!(&other, Operand::Value(value) if value.kind == ValueKind::Null);
    if op == Comparison::NullSafe {
        return match (other, negated) {
            (_, false) if is_null => Some(Op::IsNull),
            (_, true) if is_null => Some(Op::IsNotNull),
            (other, false) => Some(Op::NullSafe(other)),
            (Operand::Value(value), true) => Some(Op::Differs(vec![value])),
            (Operand::Column(column), true) => Some(Op::DiffersFrom(column)),
            (Operand::Block(_), true) => None,
        };
    }
    let op = if negated { op.negated()? } else { op };
    let bound = |value, is_inclusive| Some(Bound { value, is_inclusive });
    Some(match (op, other) {
        (Comparison::Equal, other) => Op::Equal(other),
        (Comparison::Differs, Operand::Value(value)) => Op::Differs(vec![value]),
        (Comparison::Differs, Operand::Column(column)) => Op::DiffersFrom(column),
        (Comparison::Differs, Operand::Block(_)) => return None,
        (Comparison::Less, Operand::Value(value)) => {
            Op::Range { low: None, high: bound(value, false) }
        }
        (Comparison::LessOrEqual, Operand::Value(value)) => {
            Op::Range { low: None, high: bound(value, true) }
        }
        (Comparison::Greater, Operand::Value(value)) => {
            Op::Range { low: bound(value, false), high: None }
        }
        (Comparison::GreaterOrEqual, Operand::Value(value)) => {
            Op::Range { low: bound(value, true), high: None }
        }
        (_, other) => Op::Compared(other),
    })
}

/// One of several arms. Arms that ask one column for values are one list.
fn any(mut arms: Vec<Vec<Conjunct>>, span: &Range<usize>) -> Option<Condition> {
    let holds = |arm: &Vec<Conjunct>| {
        !arm.is_empty()
            && arm.iter().all(|it| matches!(it.condition, Condition::Constant(Some(true))))
    };
    if arms.iter().any(holds) {
        return Some(Condition::Constant(Some(true)));
    }
    // What never holds adds nothing.
    let fails = |arm: &Vec<Conjunct>| {
        arm.iter().any(|it| matches!(it.condition, Condition::Constant(Some(false))))
    };
    arms.retain(|arm| !fails(arm));
    let mut merged: Vec<Vec<Conjunct>> = Vec::with_capacity(arms.len());
    let mut places = std::collections::HashMap::new();
    for arm in arms {
        let values = match &arm[..] {
            [Conjunct { condition: Condition::Test(test), .. }] => {
                values_of(&test.op).map(|values| (test.column.clone(), values))
            }
            _ => None,
        };
        let Some((column, values)) = values else {
            merged.push(arm);
            continue;
        };
        match places.get(&column).and_then(|&at: &usize| merged.get_mut(at)) {
            Some(first) => {
                if let [Conjunct { condition: Condition::Test(test), span: of, .. }] =
                    &mut first[..]
                {
                    if !matches!(test.op, Op::In(_)) {
                        test.op = Op::In(values_of(&test.op).unwrap_or_default());
                    }
                    if let Op::In(list) = &mut test.op {
                        list.extend(values);
                    }
                    // The test stands where its first and its last arm do.
                    let end = arm.first().map_or(of.end, |arm| arm.span.end);
                    *of = of.start..end.max(of.end);
                    test.span = of.clone();
                }
            }
            None => {
                places.insert(column, merged.len());
                merged.push(arm);
            }
        }
    }
    if let [only] = &mut merged[..] {
        return match &mut only[..] {
            [one] => {
                if let Condition::Test(test) = &mut one.condition {
                    test.span = span.clone();
                }
                Some(one.condition.clone())
            }
            _ => Some(Condition::Any(merged)),
        };
    }
    match merged.is_empty() {
        true => Some(Condition::Constant(Some(false))),
        false => Some(Condition::Any(merged)),
    }
}

/// The values that a test asks for: those of a list. IS NULL is NULL among them.
fn values_of(op: &Op) -> Option<Vec<Value>> {
    let null = || Value { kind: ValueKind::Null, text: "NULL".to_owned() };
    match op {
        Op::Equal(Operand::Value(value)) if value.kind != ValueKind::Null => {
            Some(vec![value.clone()])
        }
        Op::NullSafe(Operand::Value(value)) => Some(vec![value.clone()]),
        Op::In(values) => Some(values.clone()),
        Op::IsNull => Some(vec![null()]),
        _ => None,
    }
}

/// Whether a literal is true, where that is plain.
fn truth_of(value: &Value) -> Option<bool> {
    match value.kind {
        ValueKind::Null => Some(false),
        ValueKind::Truth => Some(value.text.eq_ignore_ascii_case("TRUE")),
        ValueKind::Number => value.text.parse::<i64>().ok().map(|number| number != 0),
        _ => None,
    }
}

/// Compares two literals, where the result is plain.
fn compare_values(left: &Value, op: Comparison, right: &Value, negated: bool) -> Option<bool> {
    if op != Comparison::NullSafe && [left, right].iter().any(|it| it.kind == ValueKind::Null) {
        return Some(false);
    }
    let number = |value: &Value| match value.kind {
        ValueKind::Number => value.text.parse::<i64>().ok(),
        ValueKind::Truth => Some(i64::from(value.text.eq_ignore_ascii_case("TRUE"))),
        _ => None,
    };
    let order = match (number(left), number(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ if left.kind == ValueKind::Text
            && right.kind == ValueKind::Text
            && left.text == right.text =>
        {
            std::cmp::Ordering::Equal
        }
        _ => return None,
    };
    let holds = match op {
        Comparison::Equal | Comparison::NullSafe => order.is_eq(),
        Comparison::Differs => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    };
    Some(holds != negated)
}
