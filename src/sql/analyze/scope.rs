//! Sources of a block and what names mean there.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, Join, JoinConstraint, JoinOperator, ObjectName, Query,
    Spanned, TableAlias, TableFactor, TableWithJoins,
};

use super::build::{Builder, Given, Naming, Place, bytes};
use super::condition::put_in;
use crate::sql::distill::TableName;
use crate::sql::shape::{
    Clause, Column, Condition, Conjunct, ItemKind, Op, Operand, Role, Source, SourceOf, Test,
};

/// What names mean in a block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) sources: Vec<Known>,
    /// The block around, whose names are seen here.
    pub(super) outer: Option<usize>,
    /// Columns of USING and NATURAL, with the source that stands for both.
    pub(super) shared: Vec<(String, usize)>,
    /// Places of what is selected, by alias in lower case.
    pub(super) aliases: HashMap<String, usize>,
    /// What is selected is read now.
    pub(super) is_selecting: bool,
}

/// What is known of a source.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The name that stands for it, in lower case.
    name: String,
    database: Option<String>,
    /// Its columns in lower case, if they are known.
    pub(super) columns: Option<Rc<[String]>>,
    /// Columns that are read.
    pub(super) reads: BTreeSet<String>,
}

/// A table of WITH.
#[derive(Debug, Default)]
pub(super) struct Common {
    pub(super) name: String,
    pub(super) blocks: Vec<usize>,
    pub(super) columns: Option<Rc<[String]>>,
    /// It is recursive, and read now.
    pub(super) is_open: bool,
}

/// A join whose condition is read when all sources are known.
pub(super) struct Joined<'q> {
    constraint: &'q JoinConstraint,
    left: Vec<usize>,
    right: Vec<usize>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inner,
    Left,
    Right,
}

/// What FROM leaves to be read later.
#[derive(Default)]
pub(super) struct Later<'q> {
    joins: Vec<Joined<'q>>,
    arguments: Vec<&'q Expr>,
}

/// Most sources of a block: servers take 61.
const MAX_SOURCES: usize = 1_000;

/// Views within views that are followed.
const MAX_VIEWS: usize = 8;

impl Builder<'_> {
    pub(super) fn from<'q>(&mut self, block: usize, from: &'q [TableWithJoins]) -> Later<'q> {
        let mut later = Later::default();
        for tables in from {
            self.tables(block, tables, &mut later);
            if self.is_too_large {
                break;
            }
        }
        later
    }

    fn tables<'q>(
        &mut self,
        block: usize,
        tables: &'q TableWithJoins,
        later: &mut Later<'q>,
    ) -> Vec<usize> {
        let mut left = self.table(block, &tables.relation, later);
        for Join { relation, join_operator, .. } in &tables.joins {
            if self.is_too_large {
                break;
            }
            let right = self.table(block, relation, later);
            let sources = &mut self.blocks[block].sources;
            let (kind, constraint) = match join_operator {
                JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => (Kind::Left, on),
                JoinOperator::Right(on) | JoinOperator::RightOuter(on) => (Kind::Right, on),
                JoinOperator::StraightJoin(on) => {
                    for &at in &right {
                        sources[at].after.extend(&left);
                    }
                    (Kind::Inner, on)
                }
                JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::CrossJoin(on) => {
                    (Kind::Inner, on)
                }
                _ => (Kind::Inner, &JoinConstraint::None),
            };
            let (optional, first) = match kind {
                Kind::Inner => (&[][..], &[][..]),
                Kind::Left => (&right[..], &left[..]),
                Kind::Right => (&left[..], &right[..]),
            };
            for &at in optional {
                sources[at].is_optional = true;
                sources[at].after.extend(first);
            }
            later.joins.push(Joined { constraint, left: left.clone(), right: right.clone(), kind });
            left.extend(right);
        }
        left
    }

    fn table<'q>(
        &mut self,
        block: usize,
        factor: &'q TableFactor,
        later: &mut Later<'q>,
    ) -> Vec<usize> {
        let other = |builder: &mut Self, alias: &Option<TableAlias>| {
            let known = Known::default();
            vec![builder.source(block, SourceOf::Other, alias, known, 0..0)]
        };
        match factor {
            TableFactor::Table { name, alias, args: Some(args), .. } => {
                let span = bytes(name.span()).unwrap_or(0..0);
                let columns = self.facts.json_tables.get(&span.start).cloned().map(Rc::from);
                later.arguments.extend(args.args.iter().filter_map(|arg| match arg {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                    _ => None,
                }));
                let known = Known { columns, ..Known::default() };
                vec![self.source(block, SourceOf::Other, alias, known, span)]
            }
            TableFactor::Table { name, alias, .. } => vec![self.named_table(block, name, alias)],
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                vec![self.derived(block, *lateral, subquery, alias)]
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                self.tables(block, table_with_joins, later)
            }
            TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::JsonTable { alias, .. } => other(self, alias),
            _ => other(self, &None),
        }
    }

    fn source(
        &mut self,
        block: usize,
        of: SourceOf,
        alias: &Option<TableAlias>,
        mut known: Known,
        span: std::ops::Range<usize>,
    ) -> usize {
        let name = alias.as_ref().map(|alias| self.name(&alias.name));
        if let Some(name) = &name {
            known.name = name.to_lowercase();
            known.database = None;
        }
        if let Some(alias) = alias.as_ref().filter(|alias| !alias.columns.is_empty()) {
            let columns: Vec<_> =
                alias.columns.iter().map(|column| self.name(&column.name).to_lowercase()).collect();
            known.columns = Some(Rc::from(columns));
        }
        let source = Source {
            of,
            alias: name,
            after: Vec::new(),
            is_optional: false,
            hints: Vec::new(),
            columns: Vec::new(),
            is_star: false,
            span,
        };
        self.blocks[block].sources.push(source);
        self.scopes[block].sources.push(known);
        self.is_too_large |= self.blocks[block].sources.len() > MAX_SOURCES;
        self.blocks[block].sources.len() - 1
    }

    fn derived(
        &mut self,
        block: usize,
        lateral: bool,
        query: &Query,
        alias: &Option<TableAlias>,
    ) -> usize {
        let at = self.blocks[block].sources.len();
        // LATERAL sees the sources before it, a plain one only what is around the block.
        let outer = if lateral { Some(block) } else { self.scopes[block].outer };
        let place = Place { role: Role::Derived(at), parent: Some(block), outer };
        let naming = std::mem::replace(&mut self.naming, Naming::Columns);
        let given = self.query(query, place);
        self.naming = naming;
        let Given { blocks, columns, is_values } = given;
        let begin = blocks
            .first()
            .and_then(|&first| self.blocks.get(first))
            .map(|block| block.span.clone());
        let of = match is_values {
            true => SourceOf::Other,
            false => SourceOf::Derived(blocks),
        };
        let span = begin.map_or(0..0, |span| self.parenthesis_around(span));
        let known = Known { columns, ..Known::default() };
        self.source(block, of, alias, known, span)
    }

    fn named_table(
        &mut self,
        block: usize,
        name: &ObjectName,
        alias: &Option<TableAlias>,
    ) -> usize {
        let span = bytes(name.span()).unwrap_or(0..0);
        let parts = self.names(name);
        let lower: Vec<_> = parts.iter().map(|part| part.to_lowercase()).collect();
        let (database, own) = match &lower[..] {
            [.., database, own] => (Some(database.clone()), own.clone()),
            [own] => (None, own.clone()),
            [] => (None, String::new()),
        };
        let mut known = Known { name: own.clone(), database: database.clone(), ..Known::default() };
        if database.is_none() {
            if own == "dual" {
                known.columns = Some(Rc::from(Vec::new()));
                return self.source(block, SourceOf::Other, alias, known, span);
            }
            let common = self.visible.iter().rev().copied();
            let common =
                common.filter(|&id| self.commons.get(id).is_some_and(|common| common.name == own));
            if let Some(id) = common.into_iter().next() {
                known.columns = self.commons.get(id).and_then(|common| common.columns.clone());
                let at = self.source(block, SourceOf::Common(Vec::new()), alias, known, span);
                self.uses.push((block, at, id));
                return at;
            }
        }
        let mut bytes = parts.into_iter().map(String::into_bytes).rev();
        let table = TableName { name: bytes.next().unwrap_or_default(), database: bytes.next() };
        if self.views < MAX_VIEWS
            && let Some(text) = self.catalog.view(&table)
        {
            let at = self.blocks[block].sources.len();
            let begin = span.start;
            if let Some((blocks, columns)) = self.view(text, &table, block, at, begin) {
                known.columns = columns;
                return self.source(block, SourceOf::Derived(blocks), alias, known, span);
            }
        }
        known.columns = self
            .catalog
            .columns(&table)
            .map(|columns| columns.into_iter().map(str::to_lowercase).collect::<Vec<_>>().into());
        self.source(block, SourceOf::Table(table), alias, known, span)
    }

    /// Reads what FROM left: conditions of joins, arguments of table functions.
    pub(super) fn joins(&mut self, block: usize, later: Later) {
        for argument in later.arguments {
            self.read(block, argument);
        }
        for joined in &later.joins {
            let optional = match joined.kind {
                Kind::Left => joined.right.clone(),
                Kind::Right => joined.left.clone(),
                // Within the inner side of an outer join a condition drops no row of the other.
                Kind::Inner => {
                    let all = joined.left.iter().chain(&joined.right).copied();
                    let sources = &self.blocks[block].sources;
                    match all.clone().all(|at| sources[at].is_optional) {
                        true => all.collect(),
                        false => Vec::new(),
                    }
                }
            };
            let clause = optional.last().map_or(Clause::Where, |&at| Clause::On(at));
            let from = self.blocks[block].conditions.len();
            match joined.constraint {
                JoinConstraint::On(condition) => self.conjuncts(block, condition, clause),
                JoinConstraint::Using(names) | JoinConstraint::UsingAlias(names, _) => {
                    for name in names {
                        let span = bytes(name.span()).unwrap_or(0..0);
                        if let Some(name) = self.names(name).pop() {
                            self.equal(block, joined, &name, clause, span);
                        }
                    }
                }
                JoinConstraint::Natural => {
                    for name in self.common_columns(block, joined) {
                        self.equal(block, joined, &name, clause, 0..0);
                    }
                }
                JoinConstraint::None => {}
            }
            if optional.len() > 1 {
                for conjunct in &mut self.blocks[block].conditions[from..] {
                    let named = columns_of(conjunct).into_iter().filter_map(|column| column.of);
                    let of =
                        named.filter(|of| of.0 == block && optional.contains(&of.1)).map(|of| of.1);
                    if let Some(at) = of.max() {
                        put_in(conjunct, Clause::On(at));
                    }
                }
            }
        }
    }

    fn common_columns(&self, block: usize, joined: &Joined) -> Vec<String> {
        let columns = |side: &[usize]| -> Option<Vec<String>> {
            let mut all = Vec::new();
            for &at in side {
                all.extend(self.scopes[block].sources.get(at)?.columns.as_ref()?.iter().cloned());
            }
            Some(all)
        };
        let (Some(left), Some(right)) = (columns(&joined.left), columns(&joined.right)) else {
            return Vec::new();
        };
        let mut both: Vec<_> = left.into_iter().filter(|name| right.contains(name)).collect();
        both.sort_unstable();
        both.dedup();
        both
    }

    /// A column of USING or NATURAL.
    fn equal(
        &mut self,
        block: usize,
        joined: &Joined,
        name: &str,
        clause: Clause,
        span: std::ops::Range<usize>,
    ) {
        let lower = name.to_lowercase();
        let scope = &self.scopes[block];
        let side = |side: &[usize]| {
            let shared =
                scope.shared.iter().find(|(shared, at)| *shared == lower && side.contains(at));
            if let Some((_, at)) = shared {
                return Some(*at);
            }
            let has = |at: &&usize| {
                let columns = scope.sources.get(**at).and_then(|known| known.columns.as_ref());
                columns.is_some_and(|columns| columns.contains(&lower))
            };
            let unknown =
                |at: &&usize| scope.sources.get(**at).is_some_and(|known| known.columns.is_none());
            side.iter().find(has).copied().or_else(|| {
                let mut open = side.iter().filter(unknown);
                match (open.next(), open.next()) {
                    (Some(&at), None) => Some(at),
                    _ => None,
                }
            })
        };
        let (left, right) = (side(&joined.left), side(&joined.right));
        let standing = if joined.kind == Kind::Right { right } else { left };
        if let Some(at) = standing {
            let shared = &mut self.scopes[block].shared;
            shared.retain(|(shared, _)| *shared != lower);
            shared.push((lower.clone(), at));
        }
        let mut column = |at: Option<usize>| {
            if let Some(at) = at {
                self.note(block, at, &lower);
            }
            Column { of: at.map(|at| (block, at)), name: name.to_owned() }
        };
        let (left, right) = (column(left), column(right));
        let test = Test { column: left, op: Op::Equal(Operand::Column(right)), span: span.clone() };
        self.blocks[block].conditions.push(Conjunct {
            clause,
            condition: Condition::Test(test),
            span,
        });
    }

    /// A column of a source is read.
    pub(super) fn note(&mut self, block: usize, source: usize, name: &str) {
        let known = self.scopes.get_mut(block).and_then(|scope| scope.sources.get_mut(source));
        if let Some(known) = known
            && !known.reads.contains(name)
        {
            known.reads.insert(name.to_owned());
        }
    }

    /// The source of a block that a name before a dot stands for.
    pub(super) fn source_named(&self, block: usize, parts: &[String]) -> Option<usize> {
        let (database, name) = match parts {
            [.., database, name] => (Some(database.to_lowercase()), name.to_lowercase()),
            [name] => (None, name.to_lowercase()),
            [] => return None,
        };
        self.scopes.get(block)?.sources.iter().position(|known| {
            let is_database = match (&database, &known.database) {
                (Some(named), Some(own)) => named == own,
                _ => true,
            };
            known.name == name && is_database
        })
    }

    /// Tells whose column a name is.
    pub(super) fn resolve(&self, block: usize, parts: &[String]) -> Column {
        let name = parts.last().cloned().unwrap_or_default();
        let before = &parts[..parts.len().saturating_sub(1)];
        let lower = name.to_lowercase();
        let mut at = Some(block);
        while let Some(block) = at {
            let Some(scope) = self.scopes.get(block) else { break };
            if !before.is_empty() {
                if let Some(source) = self.source_named(block, before) {
                    return Column { of: Some((block, source)), name };
                }
            } else {
                match self.among(scope, &lower) {
                    Among::One(source) => return Column { of: Some((block, source)), name },
                    Among::Several => return Column { of: None, name },
                    Among::None => {}
                }
            }
            at = scope.outer;
        }
        Column { of: None, name }
    }

    fn among(&self, scope: &Scope, name: &str) -> Among {
        if let Some((_, at)) = scope.shared.iter().find(|(shared, _)| shared == name) {
            return Among::One(*at);
        }
        let mut known = None;
        let mut unknown = None;
        for (at, source) in scope.sources.iter().enumerate() {
            match &source.columns {
                Some(columns) if columns.iter().any(|column| column == name) => match known {
                    None => known = Some(at),
                    Some(_) => return Among::Several,
                },
                Some(_) => {}
                None if unknown.is_none() => unknown = Some(Among::One(at)),
                None => unknown = Some(Among::Several),
            }
        }
        match (known, unknown) {
            (Some(at), _) => Among::One(at),
            (None, Some(unknown)) => unknown,
            (None, None) => Among::None,
        }
    }

    /// What is selected under a name.
    pub(super) fn selected(&self, block: usize, name: &str) -> Option<&ItemKind> {
        let lower = name.to_lowercase();
        // That it was read already tells of a column where its table is not known.
        let is_known = || {
            let mut sources = self.scopes[block].sources.iter();
            sources.any(|known| match &known.columns {
                Some(columns) => columns.contains(&lower),
                None => known.reads.contains(&lower),
            })
        };
        match self.naming {
            Naming::Columns => return None,
            Naming::ColumnsFirst if is_known() => return None,
            _ => {}
        }
        let at = self.scopes[block].aliases.get(&lower)?;
        self.blocks[block].items.get(*at).map(|item| &item.kind)
    }
}

enum Among {
    One(usize),
    Several,
    None,
}

/// The columns that a condition names.
fn columns_of(conjunct: &Conjunct) -> Vec<&Column> {
    match &conjunct.condition {
        Condition::Test(test) => {
            let mut columns = vec![&test.column];
            match &test.op {
                Op::Equal(Operand::Column(other))
                | Op::NullSafe(Operand::Column(other))
                | Op::Compared(Operand::Column(other))
                | Op::DiffersFrom(other) => columns.push(other),
                _ => {}
            }
            columns
        }
        Condition::Any(arms) => arms.iter().flatten().flat_map(columns_of).collect(),
        Condition::Wrapped(wrapped) => wrapped.columns.iter().collect(),
        Condition::Other(columns) => columns.iter().collect(),
        Condition::Exists { .. } | Condition::Constant(_) => Vec::new(),
    }
}
