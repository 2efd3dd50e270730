//! Conditions: what each of them is to the tables it speaks of.

use crate::advice::index::estimate::{self, From, Range, Share};
use crate::advice::index::mismatch;
use crate::sql::shape::{
    Clause, Column, Condition, Conjunct, Item, ItemKind, Op, Operand, Test as ShapeTest, Value,
    ValueKind, Why, Wrapped,
};

use super::build::{Builder, Found, MOST_DEPTH};
use super::*;

impl Builder<'_, '_, '_> {
    pub(super) fn conjunct(
        &mut self,
        scope: usize,
        conjunct: &Conjunct,
        depth: usize,
    ) -> Option<()> {
        let block = self.scopes[scope].block;
        match &conjunct.condition {
            _ if conjunct.clause == Clause::Having => {
                self.blocks_in(scope, &conjunct.condition, depth)?
            }
            Condition::Test(test) => self.test(scope, conjunct.clause, test, depth)?,
            Condition::Any(arms) => {
                self.any(scope, arms);
                for inner in arms.iter().flatten() {
                    self.blocks_in(scope, &inner.condition, depth)?;
                }
            }
            Condition::Wrapped(wrapped) => self.wrapped(scope, conjunct.clause, wrapped),
            Condition::Exists { block: inner, is_negated } => {
                let inner = self.block(*inner, Some(scope), depth + 1)?;
                let kind = SubKind::Semi { outer: None, inner: None, is_negated: *is_negated };
                self.query.blocks[block].subs.push(Sub {
                    block: inner,
                    kind,
                    is_correlated: false,
                });
            }
            Condition::Constant(known) => {
                self.query.blocks[block].is_impossible |= *known == Some(false);
            }
            Condition::Other(columns) => {
                let found: Vec<Found> =
                    columns.iter().filter_map(|column| self.find(scope, column)).collect();
                self.note_correlation(scope, &found);
                let of_block = found.iter().filter(|it| it.block == block);
                let mut uses: Vec<usize> = of_block.map(|it| it.at.of).collect();
                uses.dedup();
                if let ([only], Clause::Where) = (uses.as_slice(), conjunct.clause) {
                    self.query.blocks[block].uses[*only].rest *= 1.0 / 3.0;
                }
            }
        }
        Some(())
    }

    /// Subqueries in conditions that are no test of their own.
    pub(super) fn blocks_in(
        &mut self,
        scope: usize,
        condition: &Condition,
        depth: usize,
    ) -> Option<()> {
        let block = self.scopes[scope].block;
        let inner = match condition {
            Condition::Exists { block, .. } => Some(*block),
            Condition::Test(test) => match &test.op {
                Op::InBlock(block) | Op::NotInBlock(block) => Some(*block),
                Op::Equal(Operand::Block(block))
                | Op::NullSafe(Operand::Block(block))
                | Op::Compared(Operand::Block(block)) => Some(*block),
                _ => None,
            },
            Condition::Any(arms) => {
                for inner in arms.iter().flatten() {
                    self.blocks_in(scope, &inner.condition, depth + 1)?;
                }
                None
            }
            _ => None,
        };
        if depth > MOST_DEPTH {
            return None;
        }
        if let Some(inner) = inner {
            let inner = self.block(inner, Some(scope), depth + 1)?;
            let sub = Sub { block: inner, kind: SubKind::Value, is_correlated: false };
            self.query.blocks[block].subs.push(sub);
        }
        Some(())
    }

    /// Marks the subqueries on the way out to what they depend on.
    pub(super) fn note_correlation(&mut self, scope: usize, found: &[Found]) {
        for it in found {
            let mut at = scope;
            while self.scopes[at].block != it.block {
                let inner = self.scopes[at].block;
                let Some(parent) = self.scopes[at].parent else { break };
                let outer = self.scopes[parent].block;
                if let Some(block) = self.query.blocks.get_mut(outer) {
                    // The subquery is entered when it is complete.
                    block.pending.push(inner);
                }
                at = parent;
            }
        }
    }

    pub(super) fn test(
        &mut self,
        scope: usize,
        clause: Clause,
        test: &ShapeTest,
        depth: usize,
    ) -> Option<()> {
        let own = self.find(scope, &test.column);
        if own.is_none() && test.column.of.is_none() {
            self.query.is_ambiguous = true;
        }
        if let Op::Equal(Operand::Column(other)) | Op::NullSafe(Operand::Column(other)) = &test.op {
            let other = self.find(scope, other);
            self.query.is_ambiguous |= other.is_none();
            if let (Some(own), Some(other)) = (own, other) {
                self.pair(scope, clause, own, other);
            }
            return Some(());
        }
        let inner = match &test.op {
            Op::InBlock(inner) | Op::NotInBlock(inner) => Some(*inner),
            Op::Equal(Operand::Block(inner))
            | Op::NullSafe(Operand::Block(inner))
            | Op::Compared(Operand::Block(inner)) => Some(*inner),
            _ => None,
        };
        let inner = match inner {
            Some(inner) => Some((self.block(inner, Some(scope), depth + 1)?, inner)),
            None => None,
        };
        let block = self.scopes[scope].block;
        let Some(own) = own else {
            if let Some((inner, _)) = inner {
                let sub = Sub { block: inner, kind: SubKind::Value, is_correlated: false };
                self.query.blocks[block].subs.push(sub);
            }
            return Some(());
        };
        self.note_correlation(scope, &[own]);
        if let Some((inner, place)) = inner {
            self.subquery(scope, own, &test.op, inner, place);
            return Some(());
        }
        if own.block != block || !self.narrows(scope, clause, own) {
            return Some(());
        }
        let is_strict = !matches!(&test.op, Op::IsNull | Op::NullSafe(_))
            && !matches!(&test.op, Op::In(values) if values.iter().any(is_null));
        self.make_inner(clause, own, is_strict);
        if !is_strict && clause == Clause::Where && self.use_of(own).is_optional {
            return Some(());
        }
        if let Op::Compared(Operand::Column(other)) = &test.op {
            let other = self.find(scope, other);
            self.note_correlation(scope, other.as_slice());
            self.use_mut(own).rest *= 1.0 / 3.0;
            return Some(());
        }
        self.own_test(own, &test.op);
        Some(())
    }

    /// Whether a condition of a clause drops or finds rows of a use.
    pub(super) fn narrows(&self, scope: usize, clause: Clause, own: Found) -> bool {
        match clause {
            Clause::Where => true,
            Clause::On(source) => self.uses_of(scope, source).contains(&own.at.of),
            Clause::Having => false,
        }
    }

    pub(super) fn use_of(&self, found: Found) -> &Use {
        &self.query.blocks[found.block].uses[found.at.of]
    }

    pub(super) fn use_mut(&mut self, found: Found) -> &mut Use {
        &mut self.query.blocks[found.block].uses[found.at.of]
    }

    /// A test in WHERE that NULL does not pass makes an outer join an inner one.
    pub(super) fn make_inner(&mut self, clause: Clause, own: Found, is_strict: bool) {
        if clause == Clause::Where && is_strict {
            let read = self.use_mut(own);
            if read.is_optional {
                read.is_optional = false;
                read.after.clear();
            }
        }
    }

    pub(super) fn own_test(&mut self, own: Found, op: &Op) {
        let column = own.at.column;
        let Some(table) = self.use_of(own).table else {
            return;
        };
        let known = self.tables.get(table);
        if let Some(part) = mismatch::of_literals(known, column, op) {
            let hidden =
                Hidden { columns: vec![column], cause: Cause::Literal, part, is_equal: true };
            self.use_mut(own).hidden.push(hidden);
            return;
        }
        if matches!(op, Op::Equal(Operand::Value(value)) if is_null(value)) {
            // `c = NULL` never holds.
            self.query.blocks[own.block].is_impossible = true;
            return;
        }
        let (kind, share) = match op {
            Op::Equal(Operand::Value(value)) | Op::NullSafe(Operand::Value(value)) => {
                match value.kind {
                    ValueKind::Null if matches!(op, Op::NullSafe(_)) => {
                        (TestKind::Equal, estimate::null(known, column))
                    }
                    _ => (TestKind::Equal, estimate::equal(known, column, Some(value))),
                }
            }
            Op::IsNull => (TestKind::Equal, estimate::null(known, column)),
            Op::In(values) | Op::InRows(values) => match values.as_slice() {
                [only] => (TestKind::Equal, estimate::equal(known, column, Some(only))),
                _ => (TestKind::In(values.len()), estimate::list(known, column, values)),
            },
            Op::Range { .. } | Op::Prefix(_) | Op::Compared(_) => {
                let key = (own.block, own.at.of, column);
                let range = self.ranges.entry(key).or_default();
                match op {
                    Op::Range { low, high } => {
                        // Of two ends of one kind the later one is as good as the first.
                        range.low = low.clone().or(range.low.take());
                        range.high = high.clone().or(range.high.take());
                    }
                    Op::Prefix(pattern) => range.like = Some(pattern.clone()),
                    _ => range.unknown += 1,
                }
                return;
            }
            Op::Differs(values) => {
                let kept = 1.0 - estimate::list(known, column, values).part;
                (TestKind::Weak, Share::new(kept, From::Guess))
            }
            Op::IsNotNull => {
                let kept = 1.0 - estimate::null(known, column).part;
                (TestKind::Weak, Share::new(kept, From::Guess))
            }
            Op::DiffersFrom(_)
            | Op::Equal(_)
            | Op::NullSafe(_)
            | Op::InBlock(_)
            | Op::NotInBlock(_) => return,
        };
        let test = Test { column, kind: weak_if_common(kind, share), share };
        self.use_mut(own).tests.push(test);
    }

    /// An equality of two columns.
    pub(super) fn pair(&mut self, scope: usize, clause: Clause, one: Found, other: Found) {
        let block = self.scopes[scope].block;
        if one.block != block && other.block != block {
            self.note_correlation(scope, &[one, other]);
            return;
        }
        if one.block != other.block {
            let (own, outer) = if one.block == block { (one, other) } else { (other, one) };
            self.note_correlation(scope, &[outer]);
            if self.narrows(scope, clause, own) {
                self.join_test(own, outer, TestKind::Outer);
            }
            return;
        }
        if one.at.of == other.at.of {
            self.use_mut(one).rest *= 0.1;
            return;
        }
        let is_outer = matches!(clause, Clause::On(_));
        for (own, partner) in [(one, other), (other, one)] {
            if is_outer && !self.narrows(scope, clause, own) {
                continue;
            }
            if clause == Clause::Where {
                self.make_inner(clause, own, true);
            }
            self.join_test(own, partner, TestKind::Join(partner.at));
        }
        if !is_outer {
            self.pairs.push((block, one.at, other.at));
        }
    }

    /// The test of a column against one of another row.
    pub(super) fn join_test(&mut self, own: Found, partner: Found, kind: TestKind) {
        let partner_table = self.use_of(partner).table;
        let Some(table) = self.use_of(own).table else {
            let share = Share::new(0.1, From::Guess);
            self.use_mut(own).tests.push(Test { column: own.at.column, kind, share });
            return;
        };
        let known = self.tables.get(table);
        let other = partner_table.map(|other| (self.tables.get(other), partner.at.column));
        let mut share = estimate::equal(known, own.at.column, None);
        if share.source == From::Guess
            && let Some((other, column)) = other
            && let Some(count) = estimate::distinct(other, column)
        {
            // A child has about as many parents as there are.
            share = Share::new(1.0 / count.max(1.0), From::Guess);
        }
        if let Some((other, column)) = other
            && mismatch::hides(known, own.at.column, other, column)
        {
            let name =
                format!("{}.{}", other.name, other.columns.get(column).map_or("", String::as_str));
            let hidden = Hidden {
                columns: vec![own.at.column],
                cause: Cause::Partner(name),
                part: share.part,
                is_equal: true,
            };
            self.use_mut(own).hidden.push(hidden);
            return;
        }
        let test = Test { column: own.at.column, kind, share };
        let tests = &mut self.use_mut(own).tests;
        if !tests.contains(&test) {
            tests.push(test);
        }
    }

    pub(super) fn subquery(
        &mut self,
        scope: usize,
        own: Found,
        op: &Op,
        inner: usize,
        place: usize,
    ) {
        let block = self.scopes[scope].block;
        let selected = self.selected(inner, place);
        let is_own = own.block == block;
        let kind = match op {
            Op::InBlock(_) | Op::NotInBlock(_) => SubKind::Semi {
                outer: Some(own.at).filter(|_| is_own),
                inner: selected,
                is_negated: matches!(op, Op::NotInBlock(_)),
            },
            _ => SubKind::Value,
        };
        let number = self.query.blocks[block].subs.len();
        self.query.blocks[block].subs.push(Sub { block: inner, kind, is_correlated: false });
        if !is_own {
            return;
        }
        let Some(table) = self.use_of(own).table else { return };
        let share = estimate::equal(self.tables.get(table), own.at.column, None);
        let test = match op {
            Op::InBlock(_) => Some((TestKind::Given(number), share)),
            Op::Equal(_) | Op::NullSafe(_) => Some((TestKind::Equal, share)),
            Op::Compared(_) => Some((TestKind::Range, Share::new(1.0 / 3.0, From::Guess))),
            _ => None,
        };
        if let Some((kind, share)) = test {
            self.use_mut(own).tests.push(Test { column: own.at.column, kind, share });
        }
    }

    /// The column that the block of a subquery selects, where it selects one plain column.
    pub(super) fn selected(&mut self, block: usize, place: usize) -> Option<At> {
        let shape = self.shape;
        let items = &shape.blocks.get(place)?.items;
        let [Item { kind: ItemKind::Column(column), .. }] = items.as_slice() else { return None };
        let scope = self.scopes.iter().position(|it| it.block == block && it.shape == place)?;
        let found = self.find(scope, column)?;
        (found.block == block).then_some(found.at)
    }

    pub(super) fn wrapped(&mut self, scope: usize, clause: Clause, wrapped: &Wrapped) {
        let block = self.scopes[scope].block;
        let found: Vec<Found> =
            wrapped.columns.iter().filter_map(|column| self.find(scope, column)).collect();
        self.note_correlation(scope, &found);
        let of_block: Vec<Found> = found.into_iter().filter(|it| it.block == block).collect();
        let Some(first) = of_block.first().copied() else { return };
        let is_one = of_block.iter().all(|it| it.at.of == first.at.of);
        if !is_one || !self.narrows(scope, clause, first) {
            return;
        }
        let is_equal = wrapped.op == "=" && !wrapped.is_negated;
        let part = match &wrapped.why {
            Why::FullText => 0.01,
            _ if is_equal => 0.1,
            _ => 1.0 / 3.0,
        };
        let columns = of_block.iter().map(|it| it.at.column).collect();
        let read = self.use_mut(first);
        read.is_full_text |= wrapped.why == Why::FullText;
        read.hidden.push(Hidden {
            columns,
            cause: Cause::Written(wrapped.why.clone()),
            part,
            is_equal,
        });
    }

    /// OR over several columns.
    pub(super) fn any(&mut self, scope: usize, arms: &[Vec<Conjunct>]) {
        let block = self.scopes[scope].block;
        let mut of = None;
        let mut told: Vec<Vec<Test>> = Vec::new();
        for arm in arms {
            let mut tests = Vec::new();
            for conjunct in arm {
                let mut columns = Vec::new();
                columns_of(&conjunct.condition, &mut columns, 0);
                for column in &columns {
                    let Some(found) = self.find(scope, column) else { continue };
                    self.note_correlation(scope, &[found]);
                    if found.block == block && *of.get_or_insert(found.at.of) != found.at.of {
                        return;
                    }
                }
                let Condition::Test(test) = &conjunct.condition else { continue };
                let Some(own) = self.find(scope, &test.column).filter(|it| it.block == block)
                else {
                    continue;
                };
                tests.extend(self.arm_test(own, &test.op));
            }
            told.push(tests);
        }
        let Some(of) = of else { return };
        let kept = |tests: &Vec<Test>| {
            let parts: Vec<f64> = tests.iter().map(|test| test.share.part).collect();
            if parts.is_empty() { 1.0 / 3.0 } else { estimate::together(&parts) }
        };
        let part = told.iter().map(kept).sum::<f64>().min(1.0);
        if let Some(column) = one_column(&told) {
            // Alternatives of one column are ranges of it.
            let source = told.iter().flatten().map(|test| test.share.source).min();
            let share = Share::new(part, source.unwrap_or(From::Guess));
            let kind = weak_if_common(TestKind::Range, share);
            self.query.blocks[block].uses[of].tests.push(Test { column, kind, share });
            return;
        }
        let read = &mut self.query.blocks[block].uses[of];
        read.alternatives.push(Alternatives { arms: told, part });
    }

    pub(super) fn arm_test(&mut self, own: Found, op: &Op) -> Option<Test> {
        let table = self.use_of(own).table?;
        let known = self.tables.get(table);
        let column = own.at.column;
        if mismatch::of_literals(known, column, op).is_some() {
            return None;
        }
        let (kind, share) = match op {
            Op::Equal(Operand::Value(value)) => {
                (TestKind::Equal, estimate::equal(known, column, Some(value)))
            }
            Op::IsNull => (TestKind::Equal, estimate::null(known, column)),
            Op::In(values) => (TestKind::In(values.len()), estimate::list(known, column, values)),
            Op::Range { low, high } => {
                let range = Range { low: low.clone(), high: high.clone(), ..Range::default() };
                (TestKind::Range, estimate::range(known, column, &range))
            }
            Op::Prefix(pattern) => {
                let range = Range { like: Some(pattern.clone()), ..Range::default() };
                (TestKind::Range, estimate::range(known, column, &range))
            }
            _ => return None,
        };
        Some(Test { column, kind: weak_if_common(kind, share), share })
    }
}

/// A test that is counted to keep nearly all rows narrows nothing.
pub(super) fn weak_if_common(kind: TestKind, share: Share) -> TestKind {
    /// Rows kept from which on an index is not searched for a test. We chose it: servers leave
    /// an index at 15 to 60 percent of the rows.
    const COMMON: f64 = 0.8;
    if share.source == From::Counted && share.part >= COMMON { TestKind::Weak } else { kind }
}

fn is_null(value: &Value) -> bool {
    value.kind == ValueKind::Null
}

/// All columns of a condition.
fn columns_of(condition: &Condition, columns: &mut Vec<Column>, depth: usize) {
    match condition {
        Condition::Test(test) => {
            columns.push(test.column.clone());
            match &test.op {
                Op::Equal(Operand::Column(other))
                | Op::NullSafe(Operand::Column(other))
                | Op::Compared(Operand::Column(other))
                | Op::DiffersFrom(other) => columns.push(other.clone()),
                _ => {}
            }
        }
        Condition::Any(arms) if depth < MOST_DEPTH => {
            for inner in arms.iter().flatten() {
                columns_of(&inner.condition, columns, depth + 1);
            }
        }
        Condition::Wrapped(wrapped) => columns.extend(wrapped.columns.iter().cloned()),
        Condition::Other(own) => columns.extend(own.iter().cloned()),
        Condition::Any(_) | Condition::Exists { .. } | Condition::Constant(_) => {}
    }
}

/// The column that each arm tests, and nothing else.
fn one_column(arms: &[Vec<Test>]) -> Option<ColumnAt> {
    let column = arms.first()?.first()?.column;
    arms.iter()
        .all(|arm| matches!(arm.as_slice(), [test] if test.column == column))
        .then_some(column)
}
