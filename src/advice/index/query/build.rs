//! From a shape to a query: sources, clauses, what is written, and what follows from all of it.

use std::collections::{BTreeMap, HashMap};

use crate::advice::index::estimate::{self, Range};
use crate::advice::index::tables::{ColumnAt, Tables};
use crate::sql::shape::{Clause, Column, Item, ItemKind, Key, Role, Shape, SourceOf, WriteKind};

use super::conditions::weak_if_common;
use super::*;

/// A block of the shape where it is used: a table of WITH is used more than once.
pub(super) struct Scope {
    pub shape: usize,
    pub block: usize,
    pub parent: Option<usize>,
    pub entities: Vec<Entity>,
}

/// What a source became.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entity {
    Use(usize),
    Merged(usize),
}

/// A column with the block that it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub block: usize,
    pub at: At,
}

/// Uses of one statement: beyond, WITH upon WITH would double them each time.
const MOST_USES: usize = 256;
/// Depth of blocks in blocks.
pub(super) const MOST_DEPTH: usize = 32;

pub(super) struct Builder<'s, 't, 'a> {
    pub shape: &'s Shape,
    pub tables: &'t mut Tables<'a>,
    pub database: Option<&'s str>,
    pub scopes: Vec<Scope>,
    pub query: Query,
    /// Pairs of columns that are equal, by block.
    pub pairs: Vec<(usize, At, At)>,
    /// Ranges by use and column, put together before they are tests.
    pub ranges: BTreeMap<(usize, usize, ColumnAt), Range>,
    pub uses: usize,
}

/// Makes the query of a statement. None where it is too large to be counted.
pub(in crate::advice::index) fn build(
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
    pub(super) fn block(
        &mut self,
        shape: usize,
        parent: Option<usize>,
        depth: usize,
    ) -> Option<usize> {
        let block = self.query.blocks.len();
        self.query.blocks.push(Block::default());
        self.scope(shape, block, parent, depth)?;
        Some(block)
    }

    /// The sources and conditions of a block of the shape, in a block of the query.
    pub(super) fn scope(
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

    pub(super) fn table(
        &mut self,
        block: usize,
        table: usize,
        source: &crate::sql::shape::Source,
    ) -> usize {
        let known = self.tables.get_mut(table);
        let mut columns: Vec<ColumnAt> =
            source.columns.iter().map(|name| known.column(name)).collect();
        columns.sort_unstable();
        columns.dedup();
        self.uses += 1;
        let uses = &mut self.query.blocks[block].uses;
        uses.push(Use {
            called: source.alias.clone().unwrap_or_else(|| known.name.clone()),
            table: Some(table),
            columns,
            is_star: source.is_star,
            rest: 1.0,
            hints: source.hints.iter().map(|hint| (hint.kind, hint.indexes.clone())).collect(),
            ..Use::default()
        });
        uses.len() - 1
    }

    pub(super) fn other(&mut self, block: usize, filled_by: Vec<usize>) -> usize {
        self.uses += 1;
        let uses = &mut self.query.blocks[block].uses;
        uses.push(Use { filled_by, rest: 1.0, ..Use::default() });
        uses.len() - 1
    }

    pub(super) fn derived(
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
    pub(super) fn uses_of(&self, scope: usize, source: usize) -> Vec<usize> {
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
    pub(super) fn find(&mut self, scope: usize, column: &Column) -> Option<Found> {
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
    pub(super) fn having(&self, scope: usize, name: &str) -> Option<usize> {
        let sources = &self.shape.blocks.get(self.scopes[scope].shape)?.sources;
        if sources.len() == 1 {
            return Some(0);
        }
        sources
            .iter()
            .position(|source| source.columns.iter().any(|own| own.eq_ignore_ascii_case(name)))
    }

    /// What is grouped, ordered, limited and selected.
    pub(super) fn clauses(&mut self, scope: usize, depth: usize) -> Option<()> {
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

    pub(super) fn sorting(&mut self, scope: usize, keys: &[Key]) -> Sorting {
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

    pub(super) fn writes(&mut self) {
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
    pub(super) fn finish(&mut self) {
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
    pub(super) fn follow(&mut self) {
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
