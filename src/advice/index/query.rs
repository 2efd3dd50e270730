//! A statement as the cost of it is counted: which tables are read, which tests narrow each of
//! them, what is sorted, grouped and limited behind.
//!
//! Made from a [`Shape`]: derived tables and tables of WITH that the server merges stand in the
//! block around them, every equality of two columns is a test of both, what follows from chains of
//! equalities is added, and each test has the share of the rows that it keeps.

use std::collections::{BTreeMap, HashMap};

use crate::sql::shape::{
    Clause, Column, Condition, Conjunct, HintKind, Item, ItemKind, Key, Op, Operand, Role, Shape,
    SourceOf, Test as ShapeTest, Value, ValueKind, Why, Wrapped, WriteKind,
};

use super::estimate::{self, From, Range, Share};
use super::mismatch;
use super::tables::{ColumnAt, Tables};

/// A statement.
#[derive(Debug, Default)]
pub(super) struct Query {
    /// Its query blocks; what a block depends on stands behind it.
    pub blocks: Vec<Block>,
    /// Blocks that are run for themselves, once.
    pub roots: Vec<usize>,
    /// What it writes.
    pub writes: Vec<Written>,
    /// A column could not be told to be of one table.
    pub is_ambiguous: bool,
}

/// A query block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Readings of tables.
    pub uses: Vec<Use>,
    /// Subqueries in its conditions and among what it selects.
    pub subs: Vec<Sub>,
    /// ORDER BY.
    pub order: Sorting,
    /// GROUP BY, or the columns of DISTINCT.
    pub group: Option<Sorting>,
    /// DISTINCT, in the place of GROUP BY.
    pub is_distinct: bool,
    /// Aggregates are among what it selects.
    pub aggregates: bool,
    /// What it selects beside group columns is MIN or MAX of this column alone.
    pub extreme: Option<At>,
    /// Nothing is selected but columns and `extreme`.
    pub is_plain: bool,
    /// Rows behind which it may stop.
    pub limit: Option<f64>,
    /// A condition can never hold.
    pub is_impossible: bool,
    /// What it writes back to: the rows themselves are wanted.
    pub writes_back: bool,
    /// Subqueries that were seen to depend on it before they were entered.
    pending: Vec<usize>,
}

/// Columns to sort or to group by.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sorting {
    /// The columns; only those before the first expression.
    pub keys: Vec<(At, bool)>,
    /// There is an expression, or a column of nobody knows what.
    pub has_expression: bool,
}

impl Sorting {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.has_expression
    }
}

/// A column of one of the uses of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct At {
    /// The use.
    pub of: usize,
    /// The column.
    pub column: ColumnAt,
}

/// A table that is read in a block.
#[derive(Debug, Default)]
pub(super) struct Use {
    /// Its number; none of a derived table and the like.
    pub table: Option<usize>,
    /// The blocks that fill a derived table.
    pub filled_by: Vec<usize>,
    /// Names of columns of what is no table.
    pub names: Vec<String>,
    /// Tests that an index may be searched for.
    pub tests: Vec<Test>,
    /// Alternatives over several columns.
    pub alternatives: Vec<Alternatives>,
    /// Tests that no index on a plain column helps.
    pub hidden: Vec<Hidden>,
    /// The part that other conditions keep.
    pub rest: f64,
    /// Columns that are read, sorted.
    pub columns: Vec<ColumnAt>,
    /// All columns are.
    pub is_star: bool,
    /// Uses that are read before it.
    pub after: Vec<usize>,
    /// It is the inner side of an outer join.
    pub is_optional: bool,
    /// Names of indexes in its hints.
    pub hints: Vec<(HintKind, Vec<String>)>,
    /// MATCH … AGAINST searches it.
    pub is_full_text: bool,
}

/// A test of one column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Test {
    /// The column.
    pub column: ColumnAt,
    /// How an index is searched for it.
    pub kind: TestKind,
    /// What it keeps.
    pub share: Share,
}

/// How an index is searched for a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestKind {
    /// One value.
    Equal,
    /// The value of a row read before.
    Join(At),
    /// The value of a row of a block around.
    Outer,
    /// The values that a subquery gave before (by number of the subquery).
    Given(usize),
    /// So many values.
    In(usize),
    /// From here to there.
    Range,
    /// Not at all: most rows pass.
    Weak,
}

/// `a = 1 OR b = 2`: one arm holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alternatives {
    /// Tests of each arm; an arm without one is not narrowed by any index.
    pub arms: Vec<Vec<Test>>,
    /// What it keeps.
    pub part: f64,
}

/// A test that hides its columns from an index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hidden {
    /// The columns.
    pub columns: Vec<ColumnAt>,
    /// What hides them.
    pub cause: Cause,
    /// What it keeps.
    pub part: f64,
    /// An equality.
    pub is_equal: bool,
}

/// What hides a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cause {
    /// The statement: a function, arithmetic, a pattern.
    Written(Why),
    /// The literal is of another type.
    Literal,
    /// The column of the other side has another type or collation; with its name.
    Partner(String),
}

/// A subquery.
#[derive(Debug)]
pub(super) struct Sub {
    /// Its block.
    pub block: usize,
    /// What it is for.
    pub kind: SubKind,
    /// It depends on rows of the block that it stands in.
    pub is_correlated: bool,
}

/// What a subquery is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SubKind {
    /// IN or EXISTS; the column that is compared with what it selects.
    Semi {
        /// In the block around.
        outer: Option<At>,
        /// What it selects.
        inner: Option<At>,
        /// NOT.
        is_negated: bool,
    },
    /// One value for a condition.
    Value,
    /// One value for each row of the result.
    Selected,
}

/// What is written to a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    /// The table.
    pub table: usize,
    /// Columns that are set.
    pub columns: Vec<ColumnAt>,
    /// What is done.
    pub kind: WriteKind,
    /// Rows, where the statement tells them.
    pub rows: Option<f64>,
    /// The use that they come from.
    pub at: Option<(usize, usize)>,
}

/// A block of the shape where it is used: a table of WITH is used more than once.
struct Scope {
    shape: usize,
    block: usize,
    parent: Option<usize>,
    entities: Vec<Entity>,
}

/// What a source became.
#[derive(Debug, Clone, Copy)]
enum Entity {
    Use(usize),
    Merged(usize),
}

/// A column with the block that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    block: usize,
    at: At,
}

/// Uses of one statement: beyond, WITH upon WITH would double them each time.
const MOST_USES: usize = 256;
/// Depth of blocks in blocks.
const MOST_DEPTH: usize = 32;

struct Builder<'s, 't, 'a> {
    shape: &'s Shape,
    tables: &'t mut Tables<'a>,
    database: Option<&'s str>,
    scopes: Vec<Scope>,
    query: Query,
    /// Pairs of columns that are equal, by block.
    pairs: Vec<(usize, At, At)>,
    /// Ranges by use and column, put together before they are tests.
    ranges: BTreeMap<(usize, usize, ColumnAt), Range>,
    uses: usize,
}

/// Makes the query of a statement. None where it is too large to be counted.
pub(super) fn build(
    shape: &Shape,
    tables: &mut Tables<'_>,
    database: Option<&str>,
) -> Option<Query> {
    let mut builder = Builder {
        shape,
        tables,
        database,
        scopes: Vec::new(),
        query: Query::default(),
        pairs: Vec::new(),
        ranges: BTreeMap::new(),
        uses: 0,
    };
    let of_statement = shape
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.role == Role::Statement && block.parent.is_none());
    let roots: Vec<usize> = of_statement.map(|(place, _)| place).collect();
    for root in roots {
        let block = builder.block(root, None, 0)?;
        builder.query.roots.push(block);
    }
    builder.writes();
    builder.finish();
    (builder.uses <= MOST_USES).then_some(builder.query)
}

impl Builder<'_, '_, '_> {
    /// A block of its own.
    fn block(&mut self, shape: usize, parent: Option<usize>, depth: usize) -> Option<usize> {
        let block = self.query.blocks.len();
        self.query.blocks.push(Block::default());
        self.scope(shape, block, parent, depth)?;
        Some(block)
    }

    /// The sources and conditions of a block of the shape, in a block of the query.
    fn scope(
        &mut self,
        place: usize,
        block: usize,
        parent: Option<usize>,
        depth: usize,
    ) -> Option<usize> {
        if depth > MOST_DEPTH || self.uses > MOST_USES {
            return None;
        }
        let shape = self.shape;
        let own = shape.blocks.get(place)?;
        let scope = self.scopes.len();
        self.scopes.push(Scope { shape: place, block, parent, entities: Vec::new() });
        for source in &own.sources {
            let entity = match &source.of {
                SourceOf::Table(name) => match self.tables.of(name, self.database) {
                    Some(table) => Entity::Use(self.table(block, table, source)),
                    None => Entity::Use(self.other(block, Vec::new())),
                },
                SourceOf::Derived(blocks) | SourceOf::Common(blocks) => {
                    self.derived(blocks, block, scope, depth)?
                }
                SourceOf::Other => Entity::Use(self.other(block, Vec::new())),
            };
            self.scopes[scope].entities.push(entity);
        }
        for (at, source) in own.sources.iter().enumerate() {
            let before: Vec<usize> =
                source.after.iter().flat_map(|other| self.uses_of(scope, *other)).collect();
            for of in self.uses_of(scope, at) {
                let read = &mut self.query.blocks[block].uses[of];
                read.after.extend(before.iter().filter(|other| **other != of));
                read.is_optional |= source.is_optional;
            }
        }
        for conjunct in &own.conditions {
            self.conjunct(scope, conjunct, depth)?;
        }
        self.clauses(scope, depth)?;
        Some(scope)
    }

    fn table(&mut self, block: usize, table: usize, source: &crate::sql::shape::Source) -> usize {
        let known = self.tables.get_mut(table);
        let mut columns: Vec<ColumnAt> =
            source.columns.iter().map(|name| known.column(name)).collect();
        columns.sort_unstable();
        columns.dedup();
        self.uses += 1;
        let uses = &mut self.query.blocks[block].uses;
        uses.push(Use {
            table: Some(table),
            columns,
            is_star: source.is_star,
            rest: 1.0,
            hints: source.hints.iter().map(|hint| (hint.kind, hint.indexes.clone())).collect(),
            ..Use::default()
        });
        uses.len() - 1
    }

    fn other(&mut self, block: usize, filled_by: Vec<usize>) -> usize {
        self.uses += 1;
        let uses = &mut self.query.blocks[block].uses;
        uses.push(Use { filled_by, rest: 1.0, ..Use::default() });
        uses.len() - 1
    }

    fn derived(
        &mut self,
        blocks: &[usize],
        block: usize,
        scope: usize,
        depth: usize,
    ) -> Option<Entity> {
        let shape = self.shape;
        // The arm that reads itself: it is on the way already.
        let mut up = Some(scope);
        while let Some(at) = up {
            if blocks.contains(&self.scopes[at].shape) {
                return Some(Entity::Use(self.other(block, Vec::new())));
            }
            up = self.scopes[at].parent;
        }
        if let [only] = blocks
            && shape.blocks.get(*only).is_some_and(is_merged)
        {
            return self.scope(*only, block, Some(scope), depth + 1).map(Entity::Merged);
        }
        let mut filled_by = Vec::new();
        for inner in blocks {
            let filling = self.block(*inner, Some(scope), depth + 1)?;
            self.query.roots.push(filling);
            filled_by.push(filling);
        }
        Some(Entity::Use(self.other(block, filled_by)))
    }

    /// The uses that a source became.
    fn uses_of(&self, scope: usize, source: usize) -> Vec<usize> {
        match self.scopes[scope].entities.get(source) {
            Some(Entity::Use(of)) => vec![*of],
            Some(Entity::Merged(inner)) => {
                let count = self.scopes[*inner].entities.len();
                (0..count).flat_map(|source| self.uses_of(*inner, source)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a column is a column of.
    fn find(&mut self, scope: usize, column: &Column) -> Option<Found> {
        let (of, source) = column.of?;
        let mut at = scope;
        while self.scopes[at].shape != of {
            at = self.scopes[at].parent?;
        }
        match *self.scopes[at].entities.get(source)? {
            Entity::Use(place) => {
                let block = self.scopes[at].block;
                let read = self.query.blocks.get_mut(block)?.uses.get_mut(place)?;
                let column = match read.table {
                    Some(table) => self.tables.get_mut(table).column(&column.name),
                    None => read.named(&column.name),
                };
                Some(Found { block, at: At { of: place, column } })
            }
            Entity::Merged(inner) => {
                let shape = self.shape;
                let items = &shape.blocks.get(self.scopes[inner].shape)?.items;
                let is_called = |item: &&Item| match (&item.alias, &item.kind) {
                    (Some(alias), _) => alias.eq_ignore_ascii_case(&column.name),
                    (None, ItemKind::Column(own)) => own.name.eq_ignore_ascii_case(&column.name),
                    _ => false,
                };
                if let Some(item) = items.iter().find(is_called) {
                    let ItemKind::Column(own) = &item.kind else { return None };
                    return self.find(inner, own);
                }
                let star = items.iter().find_map(|item| match item.kind {
                    ItemKind::Star(source) => Some(source),
                    _ => None,
                })?;
                let source = match star {
                    Some(source) => source,
                    None => self.having(inner, &column.name)?,
                };
                let own = Column {
                    of: Some((self.scopes[inner].shape, source)),
                    name: column.name.clone(),
                };
                self.find(inner, &own)
            }
        }
    }

    /// The source behind `*` that has a column.
    fn having(&self, scope: usize, name: &str) -> Option<usize> {
        let sources = &self.shape.blocks.get(self.scopes[scope].shape)?.sources;
        if sources.len() == 1 {
            return Some(0);
        }
        sources
            .iter()
            .position(|source| source.columns.iter().any(|own| own.eq_ignore_ascii_case(name)))
    }

    fn conjunct(&mut self, scope: usize, conjunct: &Conjunct, depth: usize) -> Option<()> {
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
    fn blocks_in(&mut self, scope: usize, condition: &Condition, depth: usize) -> Option<()> {
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
    fn note_correlation(&mut self, scope: usize, found: &[Found]) {
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

    fn test(&mut self, scope: usize, clause: Clause, test: &ShapeTest, depth: usize) -> Option<()> {
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
    fn narrows(&self, scope: usize, clause: Clause, own: Found) -> bool {
        match clause {
            Clause::Where => true,
            Clause::On(source) => self.uses_of(scope, source).contains(&own.at.of),
            Clause::Having => false,
        }
    }

    fn use_of(&self, found: Found) -> &Use {
        &self.query.blocks[found.block].uses[found.at.of]
    }

    fn use_mut(&mut self, found: Found) -> &mut Use {
        &mut self.query.blocks[found.block].uses[found.at.of]
    }

    /// A test in WHERE that NULL does not pass makes an outer join an inner one.
    fn make_inner(&mut self, clause: Clause, own: Found, is_strict: bool) {
        if clause == Clause::Where && is_strict {
            let read = self.use_mut(own);
            if read.is_optional {
                read.is_optional = false;
                read.after.clear();
            }
        }
    }

    fn own_test(&mut self, own: Found, op: &Op) {
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
    fn pair(&mut self, scope: usize, clause: Clause, one: Found, other: Found) {
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
    fn join_test(&mut self, own: Found, partner: Found, kind: TestKind) {
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
            && let (Some(count), Some(_)) = (estimate::distinct(other, column), known.rows)
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

    fn subquery(&mut self, scope: usize, own: Found, op: &Op, inner: usize, place: usize) {
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
    fn selected(&mut self, block: usize, place: usize) -> Option<At> {
        let shape = self.shape;
        let items = &shape.blocks.get(place)?.items;
        let [Item { kind: ItemKind::Column(column), .. }] = items.as_slice() else { return None };
        let scope = self.scopes.iter().position(|it| it.block == block && it.shape == place)?;
        let found = self.find(scope, column)?;
        (found.block == block).then_some(found.at)
    }

    fn wrapped(&mut self, scope: usize, clause: Clause, wrapped: &Wrapped) {
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
    fn any(&mut self, scope: usize, arms: &[Vec<Conjunct>]) {
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
        let read = &mut self.query.blocks[block].uses[of];
        read.alternatives.push(Alternatives { arms: told, part });
    }

    fn arm_test(&mut self, own: Found, op: &Op) -> Option<Test> {
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

    /// What is grouped, ordered, limited and selected.
    fn clauses(&mut self, scope: usize, depth: usize) -> Option<()> {
        let shape = self.shape;
        let place = self.scopes[scope].shape;
        let own = &shape.blocks[place];
        let block = self.scopes[scope].block;
        for item in &own.items {
            if let ItemKind::Block(inner) = item.kind {
                let inner = self.block(inner, Some(scope), depth + 1)?;
                let sub = Sub { block: inner, kind: SubKind::Selected, is_correlated: false };
                self.query.blocks[block].subs.push(sub);
            }
        }
        // What a merged block orders or limits is its own no more.
        let is_outermost = self.scopes.iter().position(|it| it.block == block) == Some(scope);
        if !is_outermost {
            return Some(());
        }
        let order = self.sorting(scope, &own.order);
        let mut group = (!own.group.is_empty()).then(|| self.sorting(scope, &own.group));
        let aggregate =
            |item: &Item| matches!(item.kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates);
        let aggregates = own.items.iter().any(aggregate);
        let is_distinct = own.is_distinct && group.is_none() && !aggregates;
        if is_distinct {
            let keys: Vec<Key> = own
                .items
                .iter()
                .map(|item| Key {
                    column: match &item.kind {
                        ItemKind::Column(column) => Some(column.clone()),
                        _ => None,
                    },
                    is_descending: false,
                    span: item.span.clone(),
                })
                .collect();
            group = Some(self.sorting(scope, &keys));
        }
        let mut extreme = None;
        let mut is_plain = true;
        for item in &own.items {
            match &item.kind {
                ItemKind::Column(_) => {}
                ItemKind::Aggregate { name, column: Some(column), .. }
                    if name == "MIN" || name == "MAX" =>
                {
                    let at = self.find(scope, column).filter(|it| it.block == block);
                    match at {
                        Some(found) if extreme.is_none_or(|it| it == found.at) => {
                            extreme = Some(found.at);
                        }
                        _ => is_plain = false,
                    }
                }
                _ => is_plain = false,
            }
        }
        let limit = own.limit.and_then(|limit| {
            let rows = limit.rows? as f64;
            Some(rows + limit.offset.unwrap_or(0) as f64)
        });
        let target = &mut self.query.blocks[block];
        target.order = order;
        target.group = group;
        target.is_distinct = is_distinct;
        target.aggregates = aggregates;
        target.extreme = extreme.filter(|_| is_plain);
        target.is_plain = is_plain;
        target.limit = limit.filter(|_| !shape.counts_found_rows && !own.has_window);
        if own.has_window {
            target.order.has_expression = true;
        }
        Some(())
    }

    fn sorting(&mut self, scope: usize, keys: &[Key]) -> Sorting {
        let block = self.scopes[scope].block;
        let mut sorting = Sorting::default();
        for key in keys {
            let found = key.column.as_ref().and_then(|column| self.find(scope, column));
            match found.filter(|it| it.block == block) {
                Some(found) if !sorting.has_expression => {
                    sorting.keys.push((found.at, key.is_descending));
                }
                Some(_) => {}
                None => sorting.has_expression = true,
            }
        }
        sorting
    }

    fn writes(&mut self) {
        let shape = self.shape;
        for write in &shape.writes {
            let Some(table) = self.tables.of(&write.table, self.database) else { continue };
            let known = self.tables.get_mut(table);
            let columns = write.columns.iter().map(|name| known.column(name)).collect();
            let at = write.source.and_then(|(block, source)| {
                let scope = self.scopes.iter().position(|it| it.shape == block)?;
                let of = self.uses_of(scope, source).first().copied()?;
                Some((self.scopes[scope].block, of))
            });
            let writes_rows = matches!(write.kind, WriteKind::Update | WriteKind::Delete);
            if let Some((block, of)) = at.filter(|_| writes_rows) {
                self.query.blocks[block].writes_back = true;
                self.query.blocks[block].uses[of].is_star = true;
            }
            self.query.writes.push(Written {
                table,
                columns,
                kind: write.kind,
                rows: write.rows.map(|rows| rows as f64),
                at,
            });
        }
    }

    /// Puts ranges together, follows chains of equalities, and tells subqueries what they depend on.
    fn finish(&mut self) {
        for ((block, of, column), range) in std::mem::take(&mut self.ranges) {
            let read = &mut self.query.blocks[block].uses[of];
            let Some(table) = read.table else { continue };
            let share = estimate::range(self.tables.get(table), column, &range);
            let kind = weak_if_common(TestKind::Range, share);
            read.tests.push(Test { column, kind, share });
        }
        self.follow();
        for at in 0..self.query.blocks.len() {
            let pending = std::mem::take(&mut self.query.blocks[at].pending);
            for sub in &mut self.query.blocks[at].subs {
                sub.is_correlated |= pending.contains(&sub.block);
            }
            self.query.blocks[at].uses.iter_mut().for_each(settle);
        }
    }

    /// `a.x = b.x AND b.x = c.x` is `a.x = c.x`, and `a.x = 5` is `b.x = 5`.
    fn follow(&mut self) {
        let mut class: HashMap<(usize, At), usize> = HashMap::new();
        let mut members: Vec<Vec<(usize, At)>> = Vec::new();
        for (block, one, other) in std::mem::take(&mut self.pairs) {
            let (one, other) = ((block, one), (block, other));
            let of_one = *class.entry(one).or_insert_with(|| {
                members.push(vec![one]);
                members.len() - 1
            });
            let of_other = *class.entry(other).or_insert_with(|| {
                members.push(vec![other]);
                members.len() - 1
            });
            if of_one != of_other {
                let moved = std::mem::take(&mut members[of_other]);
                for it in &moved {
                    class.insert(*it, of_one);
                }
                members[of_one].extend(moved);
            }
        }
        for set in members.iter().filter(|set| (2..=16).contains(&set.len())) {
            let tests_of = |(block, at): &(usize, At)| {
                let read = &self.query.blocks[*block].uses[at.of];
                let own = read.tests.iter().filter(|test| test.column == at.column);
                own.filter(|test| matches!(test.kind, TestKind::Equal | TestKind::Outer))
                    .map(|test| test.kind)
                    .next()
            };
            let fixed = set.iter().find_map(tests_of);
            for (block, at) in set {
                let (block, at) = (*block, *at);
                let Some(table) = self.query.blocks[block].uses[at.of].table else { continue };
                let share = estimate::equal(self.tables.get(table), at.column, None);
                let hides = self.query.blocks[block].uses[at.of]
                    .hidden
                    .iter()
                    .any(|hidden| hidden.columns.contains(&at.column));
                if hides {
                    continue;
                }
                let partners =
                    set.iter().filter(|(_, other)| other.of != at.of).map(|(_, other)| *other);
                let wanted = partners.map(TestKind::Join).chain(fixed);
                let tests = &mut self.query.blocks[block].uses[at.of].tests;
                for kind in wanted {
                    let is_there = |test: &Test| test.column == at.column && test.kind == kind;
                    if !tests.iter().any(is_there) {
                        // What a join guessed of its partner holds for the others too.
                        let own = tests.iter().find(|test| test.column == at.column);
                        let share = own.map_or(share, |test| test.share);
                        tests.push(Test { column: at.column, kind, share });
                    }
                }
            }
        }
    }
}

/// A test that is counted to keep nearly all rows narrows nothing.
fn weak_if_common(kind: TestKind, share: Share) -> TestKind {
    /// Rows kept from which on an index is not searched for a test, rules.md section 8.2.
    const COMMON: f64 = 0.8;
    if share.source == From::Counted && share.part >= COMMON { TestKind::Weak } else { kind }
}

fn is_null(value: &Value) -> bool {
    value.kind == ValueKind::Null
}

/// A fixed order of tests, whatever the order in the text.
fn settle(read: &mut Use) {
    read.tests.sort_by(|a, b| {
        let key = |it: &Test| (it.column, rank(it.kind));
        key(a).cmp(&key(b)).then(a.share.part.total_cmp(&b.share.part))
    });
    read.after.sort_unstable();
    read.after.dedup();
    read.alternatives.iter_mut().for_each(|it| {
        for arm in &mut it.arms {
            arm.sort_by_key(|test| (test.column, rank(test.kind)));
        }
        it.arms.sort_by_key(|arm| arm.first().map(|test| (test.column, rank(test.kind))));
    });
}

fn rank(kind: TestKind) -> (usize, usize, usize) {
    match kind {
        TestKind::Equal => (0, 0, 0),
        TestKind::Outer => (1, 0, 0),
        TestKind::Join(at) => (2, at.of, at.column),
        TestKind::Given(number) => (3, number, 0),
        TestKind::In(count) => (4, count, 0),
        TestKind::Range => (5, 0, 0),
        TestKind::Weak => (6, 0, 0),
    }
}

/// Whether the server puts a derived table into the block around it.
fn is_merged(block: &crate::sql::shape::Block) -> bool {
    let aggregates = block
        .items
        .iter()
        .any(|item| matches!(item.kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates));
    block.group.is_empty()
        && !block.is_distinct
        && block.limit.is_none()
        && !block.has_window
        && block.arm.is_none()
        && !aggregates
        && !block.sources.is_empty()
        && block.conditions.iter().all(|it| it.clause != Clause::Having)
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

impl Use {
    /// The number of a column of what is no table.
    fn named(&mut self, name: &str) -> ColumnAt {
        let place = self.names.iter().position(|own| own.eq_ignore_ascii_case(name));
        place.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}
