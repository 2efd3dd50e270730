//! From the tree of a query to blocks: what each SELECT reads, and from where.

use std::ops::Range;
use std::rc::Rc;

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, ObjectName, ObjectNamePart, OrderBy, OrderByExpr,
    OrderByKind, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator,
    SetQuantifier, Spanned, Values,
};
use sqlparser::tokenizer::Span;

use super::edit::Facts;
use super::expression::Read;
use super::scope::{Common, Scope};
use super::words::Words;
use crate::sql::shape::{
    Arm, Block, Catalog, Clause, Column, Combines, Item, ItemKind, Key, Limit, Role,
};

/// What is made of a query.
///
/// Numbers of blocks are made by [`block`](Self::block) alone, which gives each a scope and a
/// beginning too, and numbers of sources by `source`, which gives each what is known of it; none is
/// ever taken away. So what has a number is there, and is taken by index.
pub(super) struct Builder<'a> {
    pub(super) text: &'a str,
    pub(super) words: &'a Words,
    pub(super) facts: &'a Facts,
    pub(super) catalog: &'a dyn Catalog,
    pub(super) limits: &'a super::Limits,
    /// How many views this text stands in.
    pub(super) views: usize,
    pub(super) blocks: Vec<Block>,
    /// Of each block: what its names mean.
    pub(super) scopes: Vec<Scope>,
    /// Of each block: where it begins, to put them in the order of the text.
    pub(super) begins: Vec<usize>,
    pub(super) commons: Vec<Common>,
    /// Those of `commons` that may be named here, the nearest last.
    pub(super) visible: Vec<usize>,
    /// Sources that are tables of WITH: block, source, which of `commons`.
    pub(super) uses: Vec<(usize, usize, usize)>,
    /// Where names are read: GROUP BY, ORDER BY and HAVING know aliases.
    pub(super) naming: Naming,
    /// The statement's own first items that are assignments.
    pub(super) assignments: usize,
    /// Columns that are set: the source, if it is known, and the name.
    pub(super) assigned: Vec<Column>,
    /// `*` selects nothing here: the block is that of EXISTS.
    pub(super) is_for_exists: bool,
    /// A block has more sources than we read.
    pub(super) is_too_large: bool,
}

/// What an alias is against a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// There are no aliases.
    Columns,
    /// A column of a table goes before an alias: GROUP BY.
    ColumnsFirst,
    /// An alias goes before a column: ORDER BY and HAVING.
    AliasesFirst,
}

/// What a query gives.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) blocks: Vec<usize>,
    /// Names of its columns, in lower case; none where `*` stands for what is not known.
    pub(super) columns: Option<Rc<[String]>>,
    /// It is VALUES and nothing else.
    pub(super) is_values: bool,
}

/// Where a query stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) role: Role,
    pub(super) parent: Option<usize>,
    /// The block whose names are seen in it.
    pub(super) outer: Option<usize>,
}

/// ORDER BY and LIMIT of a query.
#[derive(Clone, Copy, Default)]
struct Tail<'q> {
    order: Option<&'q OrderBy>,
    limit: Option<Limit>,
}

/// Bytes of the text that a span stands for.
pub(super) fn bytes(span: Span) -> Option<Range<usize>> {
    let at = |column: u64| usize::try_from(column).ok()?.checked_sub(1);
    let range = at(span.start.column)?..at(span.end.column)?;
    (range.start <= range.end).then_some(range)
}

impl<'a> Builder<'a> {
    /// The name that stands in the text, without quotes.
    pub(super) fn name(&self, name: &Ident) -> String {
        if !name.value.is_empty() {
            return name.value.clone();
        }
        let text = bytes(name.span).and_then(|range| self.text.get(range)).unwrap_or_default();
        super::unquoted(text)
    }

    pub(super) fn names(&self, name: &ObjectName) -> Vec<String> {
        let parts = name.0.iter().filter_map(ObjectNamePart::as_ident);
        parts.map(|part| self.name(part)).collect()
    }

    pub(super) fn block(&mut self, place: Place, begin: usize) -> usize {
        self.blocks.push(Block { role: place.role, parent: place.parent, ..Block::default() });
        self.scopes.push(Scope { outer: place.outer, ..Scope::default() });
        self.begins.push(begin);
        self.blocks.len() - 1
    }

    /// Reads a query with all its arms.
    pub(super) fn query(&mut self, query: &Query, place: Place) -> Given {
        let begin = first_of(&query.body).unwrap_or(0);
        let first = self.block(place, begin);
        let seen = self.visible.len();
        self.with(query, first);
        let mut arms = Vec::new();
        let mut kind = None;
        self.arms(query, Tail::default(), &mut arms, &mut kind);
        let whole = arms.len() > 1;
        let combined =
            whole.then(|| Tail { order: query.order_by.as_ref(), limit: self.limit(query) });
        let is_values = arms.iter().all(|(arm, _)| matches!(arm, SetExpr::Values(_)));
        let mut given = Given { is_values, ..Given::default() };
        let is_for_exists = std::mem::take(&mut self.is_for_exists);
        for (index, (arm, tail)) in arms.iter().enumerate() {
            let block = match index {
                0 => first,
                _ => self.block(place, first_of(arm).unwrap_or(begin)),
            };
            let uses = self.uses.len();
            self.is_for_exists = is_for_exists;
            let columns = match arm {
                SetExpr::Select(select) => self.select(block, select, *tail),
                SetExpr::Values(values) => Some(self.values(block, values)),
                _ => None,
            };
            self.is_for_exists = false;
            if let Role::Common { is_recursive } = &mut self.blocks[block].role {
                let own = self.commons.len().checked_sub(1);
                let reads_itself = |used: &(usize, usize, usize)| {
                    self.commons.get(used.2).is_some_and(|common| common.is_open) && own.is_some()
                };
                *is_recursive = self.uses.get(uses..).unwrap_or_default().iter().any(reads_itself);
            }
            if let Some(tail) = combined {
                let kind = kind.unwrap_or(Combines::Union);
                self.blocks[block].arm =
                    Some(Arm { first, kind, limit: tail.limit, is_ordered: tail.order.is_some() });
            }
            if index == 0 {
                given.columns = columns.map(Rc::from);
            }
            given.blocks.push(block);
        }
        self.visible.truncate(seen);
        given
    }

    /// The tables of WITH.
    fn with(&mut self, query: &Query, first: usize) {
        let Some(with) = &query.with else { return };
        for table in &with.cte_tables {
            let name = self.name(&table.alias.name).to_lowercase();
            let id = self.commons.len();
            let listed: Vec<String> = table
                .alias
                .columns
                .iter()
                .map(|column| self.name(&column.name).to_lowercase())
                .collect();
            let listed = (!listed.is_empty()).then(|| Rc::from(listed));
            let mut common = Common { name, is_open: with.recursive, ..Common::default() };
            common.columns = match (&listed, with.recursive) {
                (Some(listed), _) => Some(Rc::clone(listed)),
                (None, true) => self.first_columns(&table.query),
                (None, false) => None,
            };
            self.commons.push(common);
            if with.recursive {
                self.visible.push(id);
            }
            let outer = self.scopes[first].outer;
            let place =
                Place { role: Role::Common { is_recursive: false }, parent: Some(first), outer };
            let given = self.query(&table.query, place);
            if let Some(common) = self.commons.get_mut(id) {
                common.is_open = false;
                common.blocks = given.blocks;
                common.columns = listed.or(given.columns);
            }
            if !with.recursive {
                self.visible.push(id);
            }
        }
    }

    /// The names of the first arm of a recursive table, told without its FROM.
    fn first_columns(&self, query: &Query) -> Option<Rc<[String]>> {
        let mut body = &*query.body;
        let select = loop {
            match body {
                SetExpr::SetOperation { left, .. } => body = left,
                SetExpr::Query(query) => body = &query.body,
                SetExpr::Select(select) => break select,
                _ => return None,
            }
        };
        let names = select.projection.iter().map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(self.name(alias).to_lowercase()),
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(self.name(name).to_lowercase()),
            SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
                parts.last().map(|name| self.name(name).to_lowercase())
            }
            SelectItem::UnnamedExpr(expr) => Some(self.text[self.cover(expr)].to_lowercase()),
            _ => None,
        });
        names.collect::<Option<Vec<_>>>().map(Rc::from)
    }

    /// The SELECTs of a query, left to right, with what orders and limits each.
    fn arms<'q>(
        &self,
        query: &'q Query,
        around: Tail<'q>,
        arms: &mut Vec<(&'q SetExpr, Tail<'q>)>,
        kind: &mut Option<Combines>,
    ) {
        let own = Tail { order: query.order_by.as_ref(), limit: self.limit(query) };
        let is_alone = !matches!(&*query.body, SetExpr::SetOperation { .. });
        let tail = match is_alone {
            true => Tail { order: own.order.or(around.order), limit: own.limit.or(around.limit) },
            false => Tail::default(),
        };
        let mut open = vec![&*query.body];
        while let Some(body) = open.pop() {
            match body {
                SetExpr::SetOperation { left, op, set_quantifier, right } => {
                    let this = match (op, set_quantifier) {
                        (SetOperator::Union, SetQuantifier::All) => Combines::UnionAll,
                        (SetOperator::Union, _) => Combines::Union,
                        _ => Combines::Other,
                    };
                    *kind = Some(match (*kind, this) {
                        (Some(Combines::Other), _) | (_, Combines::Other) => Combines::Other,
                        (Some(Combines::Union), _) | (_, Combines::Union) => Combines::Union,
                        _ => Combines::UnionAll,
                    });
                    open.push(right);
                    open.push(left);
                }
                SetExpr::Query(inner) => self.arms(inner, tail, arms, kind),
                leaf => arms.push((leaf, tail)),
            }
        }
    }

    fn values(&mut self, block: usize, values: &Values) -> Vec<String> {
        let width = values.rows.first().map_or(0, |row| row.content.len());
        for expr in values.rows.iter().flat_map(|row| &row.content) {
            self.read(block, expr);
        }
        let range = self.begins.get(block).copied().unwrap_or(0);
        self.blocks[block].span = self.extent(range);
        (0..width).map(|at| format!("column_{at}")).collect()
    }

    /// From a token that begins a query to where it ends.
    fn extent(&self, begin: usize) -> Range<usize> {
        use sqlparser::keywords::Keyword as K;
        let tokens = &self.words.tokens;
        let first = tokens.partition_point(|tok| tok.start < begin);
        let around = self.words.around.get(first).copied();
        let mut at = first + 1;
        let mut end = tokens.get(first).map_or(begin, |tok| tok.end);
        while let Some(tok) = tokens.get(at) {
            let is_end = match self.words.pair.get(at) {
                Some(&open) if open < at => Some(open) == around || open < first,
                _ => false,
            };
            let is_here = self.words.around.get(at).copied() == around;
            if is_end || (is_here && matches!(tok.word, K::UNION | K::EXCEPT | K::INTERSECT)) {
                break;
            }
            end = tok.end;
            at += 1;
        }
        begin..end.max(begin)
    }

    fn select(&mut self, block: usize, select: &Select, tail: Tail) -> Option<Vec<String>> {
        let is_for_exists = std::mem::take(&mut self.is_for_exists);
        let begin = bytes(select.select_token.0.span).map_or(0, |range| range.start);
        self.begins[block] = begin;
        self.blocks[block].span = self.extent(begin);
        self.blocks[block].is_distinct = select.distinct.is_some();
        let joined = self.from(block, &select.from);
        if self.facts.straight.contains(&begin) {
            let sources = &mut self.blocks[block].sources;
            for (at, source) in sources.iter_mut().enumerate() {
                source.after = (0..at).collect();
            }
        }
        let columns = self.items(block, select, is_for_exists);
        self.joins(block, joined);
        if let Some(condition) = &select.selection {
            self.conjuncts(block, condition, Clause::Where);
        }
        self.naming = Naming::ColumnsFirst;
        if let GroupByExpr::Expressions(keys, modifiers) = &select.group_by {
            for key in keys {
                let key = self.key(block, key, false);
                self.blocks[block].group.push(key);
            }
            self.blocks[block].has_rollup = !modifiers.is_empty();
        }
        self.naming = Naming::AliasesFirst;
        if let Some(condition) = &select.having {
            self.conjuncts(block, condition, Clause::Having);
        }
        if let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = tail.order {
            for key in keys {
                let is_descending =
                    matches!(key.options.sort, Some(sqlparser::ast::OrderBySort::Desc));
                let key = self.key(block, &key.expr, is_descending);
                self.blocks[block].order.push(key);
            }
        }
        self.naming = Naming::Columns;
        for window in &select.named_window {
            if let sqlparser::ast::NamedWindowExpr::WindowSpec(spec) = &window.1 {
                self.window(block, spec);
            }
        }
        self.blocks[block].limit = tail.limit;
        columns
    }

    pub(super) fn window(&mut self, block: usize, window: &sqlparser::ast::WindowSpec) {
        self.blocks[block].has_window = true;
        for expr in &window.partition_by {
            self.read(block, expr);
        }
        self.read_keys(block, &window.order_by);
    }

    pub(super) fn read_keys(&mut self, block: usize, keys: &[OrderByExpr]) {
        for key in keys {
            self.read(block, &key.expr);
        }
    }

    fn items(&mut self, block: usize, select: &Select, is_for_exists: bool) -> Option<Vec<String>> {
        let is_statement = block == 0 && self.assignments > 0;
        let mut names: Option<Vec<String>> = Some(Vec::new());
        for (at, item) in select.projection.iter().enumerate() {
            let (expr, alias) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, None),
                SelectItem::ExprWithAlias { expr, alias } => (expr, Some(self.name(alias))),
                SelectItem::ExprWithAliases { expr, .. } => (expr, None),
                SelectItem::Wildcard(options) => {
                    let span = bytes(options.wildcard_token.0.span).unwrap_or(0..0);
                    let given = self.star(block, None, is_for_exists);
                    names = names.zip(given).map(|(mut names, given)| {
                        names.extend(given);
                        names
                    });
                    self.item(block, ItemKind::Star(None), None, span);
                    continue;
                }
                SelectItem::QualifiedWildcard(kind, options) => {
                    let SelectItemQualifiedWildcardKind::ObjectName(name) = kind else { continue };
                    let source = self.source_named(block, &self.names(name));
                    let start = bytes(name.span()).unwrap_or(0..0).start;
                    let end = bytes(options.wildcard_token.0.span).unwrap_or(0..0).end;
                    let given = match source {
                        Some(source) => self.star(block, Some(source), is_for_exists),
                        None => None,
                    };
                    names = names.zip(given).map(|(mut names, given)| {
                        names.extend(given);
                        names
                    });
                    self.item(block, ItemKind::Star(source), None, start..end.max(start));
                    continue;
                }
            };
            if is_statement && at < self.assignments {
                self.assignment(block, expr);
                continue;
            }
            let span = self.cover(expr);
            let kind = self.item_kind(block, expr);
            if let Some(names) = &mut names {
                names.push(match (&alias, &kind) {
                    (Some(alias), _) => alias.to_lowercase(),
                    (None, ItemKind::Column(column)) => column.name.to_lowercase(),
                    // The text is the name.
                    _ => self.text.get(span.clone()).unwrap_or_default().to_lowercase(),
                });
            }
            self.item(block, kind, alias, span);
        }
        names
    }

    fn item(&mut self, block: usize, kind: ItemKind, alias: Option<String>, span: Range<usize>) {
        if let Some(alias) = &alias {
            let at = self.blocks[block].items.len();
            self.scopes[block].aliases.entry(alias.to_lowercase()).or_insert(at);
        }
        self.blocks[block].items.push(Item { kind, alias, span });
    }

    /// `*`: the columns that it stands for, if they are known.
    fn star(
        &mut self,
        block: usize,
        source: Option<usize>,
        is_for_exists: bool,
    ) -> Option<Vec<String>> {
        let all = match source {
            Some(source) => source..source + 1,
            None => 0..self.blocks[block].sources.len(),
        };
        let mut names = Some(Vec::new());
        for source in all {
            if !is_for_exists {
                self.blocks[block].sources[source].is_star = true;
            }
            let columns =
                self.scopes[block].sources.get(source).and_then(|known| known.columns.clone());
            match columns {
                Some(columns) => {
                    if !is_for_exists {
                        for column in columns.iter() {
                            self.note(block, source, column);
                        }
                    }
                    if let Some(names) = &mut names {
                        names.extend(columns.iter().cloned());
                    }
                }
                None => names = None,
            }
        }
        names
    }

    fn item_kind(&mut self, block: usize, expr: &Expr) -> ItemKind {
        if let Some((name, is_distinct, argument)) = self.aggregate(expr) {
            let column = match argument {
                Some(argument) => {
                    let read = self.read(block, argument);
                    read.column()
                }
                None => {
                    self.read(block, expr);
                    None
                }
            };
            return ItemKind::Aggregate { name, is_distinct, column };
        }
        if let Expr::Subquery(query) = super::expression::inside(expr) {
            let role = Role::Scalar { is_selected: true };
            return ItemKind::Block(self.subquery(block, query, role));
        }
        let is_selecting = std::mem::replace(&mut self.scopes[block].is_selecting, true);
        let read = self.read(block, expr);
        self.scopes[block].is_selecting = is_selecting;
        match read.column() {
            Some(column) => ItemKind::Column(column),
            None if read.has_aggregate => ItemKind::OfAggregates,
            None => ItemKind::Other,
        }
    }

    /// `column = value` of SET.
    fn assignment(&mut self, block: usize, expr: &Expr) {
        let Expr::BinaryOp { left, right, .. } = expr else {
            self.read(block, expr);
            return;
        };
        let parts = match &**left {
            Expr::Identifier(name) => vec![self.name(name)],
            Expr::CompoundIdentifier(parts) => parts.iter().map(|part| self.name(part)).collect(),
            _ => Vec::new(),
        };
        if !parts.is_empty() {
            let column = self.resolve(block, &parts);
            self.assigned.push(column);
        }
        self.read(block, right);
    }

    /// One of GROUP BY or ORDER BY.
    fn key(&mut self, block: usize, expr: &Expr, is_descending: bool) -> Key {
        let span = self.cover(expr);
        let is_descending = is_descending || self.says_behind(span.end, "DESC");
        // A position is a number alone.
        if let Some(position) = number(expr).and_then(|number| usize::try_from(number).ok()) {
            let items = &self.blocks[block].items;
            let has_star =
                items.iter().take(position).any(|item| matches!(item.kind, ItemKind::Star(_)));
            let item = position.checked_sub(1).and_then(|at| items.get(at)).filter(|_| !has_star);
            let column = item.and_then(|item| match &item.kind {
                ItemKind::Column(column) => Some(column.clone()),
                _ => None,
            });
            return Key { column, is_descending, span };
        }
        let read: Read = self.read(block, expr);
        Key { column: read.column(), is_descending, span }
    }

    fn says_behind(&self, end: usize, word: &str) -> bool {
        let at = self.words.tokens.partition_point(|tok| tok.start < end);
        self.words
            .tokens
            .get(at)
            .is_some_and(|tok| self.text[tok.range()].eq_ignore_ascii_case(word))
    }

    fn limit(&self, query: &Query) -> Option<Limit> {
        match query.limit_clause.as_ref()? {
            LimitClause::LimitOffset { limit, offset, .. } => Some(Limit {
                offset: offset.as_ref().map_or(Some(0), |offset| number(&offset.value)),
                rows: limit.as_ref().and_then(number),
            }),
            LimitClause::OffsetCommaLimit { offset, limit } => {
                Some(Limit { offset: number(offset), rows: number(limit) })
            }
        }
    }
}

/// The number that an expression is, if it is written out.
fn number(expr: &Expr) -> Option<u64> {
    let Expr::Value(value) = expr else { return None };
    match &value.value {
        sqlparser::ast::Value::Number(number, _) => number.parse().ok(),
        _ => None,
    }
}

/// Where the first SELECT or VALUES of a query stands.
fn first_of(mut body: &SetExpr) -> Option<usize> {
    loop {
        body = match body {
            SetExpr::SetOperation { left, .. } => left,
            SetExpr::Query(query) => &query.body,
            SetExpr::Select(select) => {
                return bytes(select.select_token.0.span).map(|range| range.start);
            }
            other => return bytes(other.span()).map(|range| range.start),
        };
    }
}
