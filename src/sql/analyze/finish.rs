//! Blocks put in the order of the text, the blocks of views among them, and what a statement
//! writes.

use std::rc::Rc;

use super::build::{Builder, Naming, Place};
use super::statement::{Statement, Target};
use super::words::Words;
use super::{Limits, Parsed, parse};
use crate::sql::distill::TableName;
use crate::sql::shape::{
    Block, Column, Condition, Conjunct, Expression, Item, ItemKind, Key, Op, Operand, Role, Shape,
    SourceOf, Verb, Write, WriteKind,
};

/// Most views that are read for one statement, those within views among them.
const MAX_VIEWS: usize = 256;

/// The blocks of a view and the names of its columns.
type View = (Vec<usize>, Option<Rc<[String]>>);

impl Builder<'_> {
    /// Reads a view as a derived table of a block; none where its text is not understood.
    pub(super) fn view(
        &mut self,
        text: &str,
        table: &TableName,
        block: usize,
        at: usize,
        begin: usize,
    ) -> Option<View> {
        let read = self.limits.views.get();
        if read >= MAX_VIEWS {
            return None;
        }
        self.limits.views.set(read + 1);
        let words = Words::of(text);
        if !self.limits.is_deep && !words.is_shallow(text) {
            self.limits.wants_stack.set(true);
            return None;
        }
        let statement = super::statement::statement(text, &words).ok()?;
        if statement.verb != Verb::Select || super::is_too_large(&words) {
            return None;
        }
        let Parsed { query, facts, .. } = parse(text, &statement.query).ok()?;
        let mut inner = Builder {
            views: self.views + 1,
            ..Builder::new(text, &words, &facts, self.catalog, self.limits)
        };
        let place = Place { role: Role::Derived(at), parent: None, outer: None };
        let given = inner.query(&query, place);
        inner.settle();
        let base = self.blocks.len();
        for (mut inner_block, scope) in inner.blocks.into_iter().zip(inner.scopes) {
            renumber(&mut inner_block, &|at| at + base);
            erase(&mut inner_block);
            if inner_block.parent.is_none() {
                inner_block.parent = Some(block);
            }
            for source in &mut inner_block.sources {
                if let SourceOf::Table(named) = &mut source.of
                    && named.database.is_none()
                {
                    named.database.clone_from(&table.database);
                }
            }
            self.blocks.push(inner_block);
            self.scopes.push(scope);
            self.begins.push(begin);
        }
        Some((given.blocks.into_iter().map(|at| at + base).collect(), given.columns))
    }

    /// Fills in what was found after a block was read.
    fn settle(&mut self) {
        for (block, source, common) in std::mem::take(&mut self.uses) {
            let blocks = self.commons.get(common).map(|common| common.blocks.clone());
            let source = self.blocks.get_mut(block).and_then(|block| block.sources.get_mut(source));
            if let (Some(source), Some(blocks)) = (source, blocks) {
                source.of = SourceOf::Common(blocks);
            }
        }
        for (block, scope) in self.blocks.iter_mut().zip(&mut self.scopes) {
            for (source, known) in block.sources.iter_mut().zip(&mut scope.sources) {
                if source.columns.is_empty() {
                    source.columns = std::mem::take(&mut known.reads).into_iter().collect();
                }
                source.after.sort_unstable();
                source.after.dedup();
            }
        }
        for hint in &self.facts.hints {
            let sources = self.blocks.iter_mut().flat_map(|block| &mut block.sources);
            let named = sources
                .filter(|source| !source.span.is_empty() && source.span.start < hint.span.start);
            if let Some(source) = named.max_by_key(|source| source.span.start) {
                source.hints.push(hint.clone());
            }
        }
    }

    /// The shape of a statement whose query was read, or that has none.
    pub(super) fn finish(mut self, statement: &Statement) -> Shape {
        self.settle();
        let assigned = std::mem::take(&mut self.assigned);
        let writes = self.writes(statement, &assigned);
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|&at| (at != 0, self.begins.get(at).copied()));
        let mut places = vec![0; order.len()];
        for (place, &at) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(at) {
                *slot = place;
            }
        }
        let mut blocks: Vec<Option<Block>> = self.blocks.into_iter().map(Some).collect();
        let mut sorted = Vec::with_capacity(blocks.len());
        let to = |at: usize| places.get(at).copied().unwrap_or(at);
        for at in order {
            if let Some(mut block) = blocks.get_mut(at).and_then(Option::take) {
                renumber(&mut block, &to);
                sorted.push(block);
            }
        }
        if matches!(statement.verb, Verb::Update | Verb::Delete)
            && let Some(first) = sorted.first_mut()
        {
            first.items.clear();
        }
        let writes = writes.into_iter().map(|mut write| {
            write.source = write.source.map(|(block, source)| (to(block), source));
            write
        });
        Shape {
            verb: statement.verb,
            writes: writes.collect(),
            blocks: sorted,
            is_partial: self.facts.is_partial || self.words.is_cut,
            is_locking: self.facts.is_locking,
            counts_found_rows: self.facts.counts_found_rows,
            is_into: self.facts.is_into,
        }
    }

    fn writes(&self, statement: &Statement, assigned: &[Column]) -> Vec<Write> {
        let named = statement.writes.iter().map(|target| self.write(target));
        let mut writes: Vec<Write> = named.collect();
        let Some(block) = self.blocks.first() else { return writes };
        let table = |source: usize| match &block.sources.get(source)?.of {
            SourceOf::Table(table) => Some(table.clone()),
            _ => None,
        };
        let write = |source: usize, kind| {
            let source_of = Some((0, source));
            let columns = Vec::new();
            Some(Write { table: table(source)?, kind, columns, rows: None, source: source_of })
        };
        match statement.verb {
            Verb::Update => {
                for column in assigned {
                    let Some((0, source)) = column.of else { continue };
                    if !writes.iter().any(|write| write.source == Some((0, source))) {
                        writes.extend(write(source, WriteKind::Update));
                    }
                    let written = writes.iter_mut().find(|write| write.source == Some((0, source)));
                    if let Some(written) = written {
                        written.columns.push(column.name.to_lowercase());
                    }
                }
                if writes.is_empty() {
                    writes.extend(write(0, WriteKind::Update));
                }
            }
            Verb::Delete if writes.is_empty() => writes.extend(write(0, WriteKind::Delete)),
            Verb::Delete => {
                for (deleted, target) in writes.iter_mut().zip(&statement.writes) {
                    let parts = self.parts(target);
                    let source = self.source_named(0, &parts);
                    deleted.source = source.map(|source| (0, source));
                    if let Some(table) = source.and_then(table) {
                        deleted.table = table;
                    }
                }
            }
            _ => {}
        }
        for write in &mut writes {
            write.columns.sort_unstable();
            write.columns.dedup();
        }
        writes
    }

    fn parts(&self, target: &Target) -> Vec<String> {
        let tokens = self.words.tokens.get(target.name.clone()).unwrap_or_default();
        let texts = tokens.iter().map(|tok| tok.sign(self.text));
        texts.filter(|text| *text != ".").map(super::unquoted).collect()
    }

    fn write(&self, target: &Target) -> Write {
        let mut parts = self.parts(target).into_iter().map(String::into_bytes).rev();
        let table = TableName { name: parts.next().unwrap_or_default(), database: parts.next() };
        let columns = target.columns.iter();
        let mut columns: Vec<_> =
            columns.map(|tok| super::unquoted(tok.sign(self.text)).to_lowercase()).collect();
        columns.sort_unstable();
        columns.dedup();
        Write { table, kind: target.kind, columns, rows: target.rows, source: None }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        text: &'a str,
        words: &'a Words,
        facts: &'a super::edit::Facts,
        catalog: &'a dyn crate::sql::shape::Catalog,
        limits: &'a Limits,
    ) -> Self {
        Self {
            text,
            words,
            facts,
            catalog,
            limits,
            views: 0,
            blocks: Vec::new(),
            scopes: Vec::new(),
            begins: Vec::new(),
            commons: Vec::new(),
            visible: Vec::new(),
            uses: Vec::new(),
            naming: Naming::Columns,
            assignments: 0,
            assigned: Vec::new(),
            is_for_exists: false,
            is_too_large: false,
        }
    }
}

/// Gives the blocks that are named in a block their new numbers.
fn renumber(block: &mut Block, to: &dyn Fn(usize) -> usize) {
    block.parent = block.parent.map(to);
    if let Some(arm) = &mut block.arm {
        arm.first = to(arm.first);
    }
    for source in &mut block.sources {
        if let SourceOf::Derived(blocks) | SourceOf::Common(blocks) = &mut source.of {
            blocks.iter_mut().for_each(|block| *block = to(*block));
        }
    }
    block.conditions.iter_mut().for_each(|conjunct| renumber_conjunct(conjunct, to));
    for Item { kind, .. } in &mut block.items {
        match kind {
            ItemKind::Column(column) | ItemKind::Aggregate { column: Some(column), .. } => {
                renumber_column(column, to);
            }
            ItemKind::Block(block) => *block = to(*block),
            _ => {}
        }
    }
    for Key { column, .. } in block.group.iter_mut().chain(&mut block.order) {
        if let Some(column) = column {
            renumber_column(column, to);
        }
    }
}

fn renumber_column(column: &mut Column, to: &dyn Fn(usize) -> usize) {
    if let Some((block, _)) = &mut column.of {
        *block = to(*block);
    }
}

fn renumber_conjunct(conjunct: &mut Conjunct, to: &dyn Fn(usize) -> usize) {
    match &mut conjunct.condition {
        Condition::Test(test) => {
            renumber_column(&mut test.column, to);
            match &mut test.op {
                Op::Equal(operand) | Op::NullSafe(operand) | Op::Compared(operand) => match operand
                {
                    Operand::Column(column) => renumber_column(column, to),
                    Operand::Block(block) => *block = to(*block),
                    Operand::Value(_) => {}
                },
                Op::InBlock(block) | Op::NotInBlock(block) => *block = to(*block),
                Op::DiffersFrom(column) => renumber_column(column, to),
                _ => {}
            }
        }
        Condition::Any(arms) => {
            arms.iter_mut().flatten().for_each(|conjunct| renumber_conjunct(conjunct, to));
        }
        Condition::Wrapped(wrapped) => {
            wrapped.columns.iter_mut().for_each(|column| renumber_column(column, to));
            renumber_expression(&mut wrapped.left, to);
            wrapped.right.iter_mut().for_each(|right| renumber_expression(right, to));
        }
        Condition::Exists { block, .. } => *block = to(*block),
        Condition::Other(columns) => {
            columns.iter_mut().for_each(|column| renumber_column(column, to));
        }
        Condition::Constant(_) => {}
    }
}

fn renumber_expression(expression: &mut Expression, to: &dyn Fn(usize) -> usize) {
    match expression {
        Expression::Column(column) => renumber_column(column, to),
        Expression::Call(_, arguments) => {
            arguments.iter_mut().for_each(|argument| renumber_expression(argument, to));
        }
        Expression::Arithmetic(left, _, right) => {
            renumber_expression(left, to);
            renumber_expression(right, to);
        }
        Expression::Value(_) | Expression::Other(_) => {}
    }
}

/// Takes the places out of a block that is of another text.
fn erase(block: &mut Block) {
    fn conjunct(of: &mut Conjunct) {
        of.span = 0..0;
        match &mut of.condition {
            Condition::Test(test) => test.span = 0..0,
            Condition::Any(arms) => arms.iter_mut().flatten().for_each(conjunct),
            Condition::Wrapped(wrapped) => {
                wrapped.span = 0..0;
                expression(&mut wrapped.left);
                wrapped.right.iter_mut().for_each(expression);
            }
            _ => {}
        }
    }
    fn expression(of: &mut Expression) {
        match of {
            Expression::Other(range) => *range = 0..0,
            Expression::Call(_, arguments) => arguments.iter_mut().for_each(expression),
            Expression::Arithmetic(left, _, right) => {
                expression(left);
                expression(right);
            }
            Expression::Column(_) | Expression::Value(_) => {}
        }
    }
    block.span = 0..0;
    block.conditions.iter_mut().for_each(conjunct);
    block.items.iter_mut().for_each(|item| item.span = 0..0);
    block.group.iter_mut().chain(&mut block.order).for_each(|key| key.span = 0..0);
    for source in &mut block.sources {
        source.span = 0..0;
        source.hints.iter_mut().for_each(|hint| hint.span = 0..0);
    }
}
