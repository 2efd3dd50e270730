//! One block: in which order its tables are read, what a LIMIT, an order or groups make of it, and
//! what its subqueries add.

use super::{Access, Cost, Counter, Given, Run, covers};
use crate::advice::index::estimate::{self, From};
use crate::advice::index::query::{Block, Sorting, SubKind, Test, TestKind};
use crate::advice::index::tables::ColumnAt;

/// Part of a table from which on looking rows up costs more than reading all of it, IDX001.
const LOOKED_UP: f64 = 0.2;
/// Part of a table up to which LIMIT is served by an index that covers nothing, IDX004.
const LIMITED: f64 = 0.005;
/// Part of the rows that match from which on a walk in order meets them soon.
const SOON: f64 = 0.1;
/// Tables that are tried in every order.
const EVERY_ORDER: usize = 6;

/// One block while its cheapest order is looked for.
pub(super) struct Plan<'p, 'c, 'a, 'k> {
    pub counter: &'p Counter<'c, 'a, 'k>,
    pub block: &'c Block,
    pub place: usize,
    pub run: Run,
    /// The subquery whose values come first.
    pub sub: Option<usize>,
    pub depth: usize,
}

/// A join in the making.
#[derive(Debug, Clone)]
struct Path<'k> {
    before: u64,
    reads: f64,
    rows: f64,
    first: Option<(usize, Access<'k>)>,
    of_use: Vec<(usize, f64)>,
    /// A join buffer mixes the rows.
    is_mixed: bool,
}

impl<'c, 'k> Plan<'_, 'c, '_, 'k>
where
    'k: 'c,
{
    fn given(&self, before: u64, of: usize) -> Given {
        let key = self.run.key.filter(|at| at.of == of).map(|at| at.column);
        Given { before, run: self.run, sub: self.sub, key }
    }

    /// The cheapest way; none where no order of the tables is allowed.
    pub fn best(&self) -> Option<Cost> {
        let start = match self.sub {
            None => Path {
                before: 0,
                reads: 0.0,
                rows: 1.0,
                first: None,
                of_use: Vec::new(),
                is_mixed: false,
            },
            Some(number) => {
                let sub = self.block.subs.get(number)?;
                let inner = self.counter.block(sub.block, Run::default(), self.depth + 1);
                Path {
                    before: 0,
                    reads: 0.0,
                    rows: inner.rows.max(1.0),
                    first: None,
                    of_use: Vec::new(),
                    // Rows come in the order of the subquery.
                    is_mixed: true,
                }
            }
        };
        let mut best = None;
        match self.block.uses.len() {
            0 | 1 => self.every(&start, &[], &mut best),
            2..=EVERY_ORDER => {
                let mut order = None;
                if self.block.limit.is_some() && !self.block.order.is_empty() {
                    self.cheapest(&start, &mut order);
                }
                let order = order.map_or(Vec::new(), |(_, order)| order);
                self.every(&start, &order, &mut best);
            }
            _ => self.greedy(&start, &mut best),
        }
        best
    }

    /// The order of the join that reads least, LIMIT and ORDER BY aside: a server chooses it so,
    /// and only then looks for an index that gives the order.
    fn cheapest(&self, path: &Path<'c>, best: &mut Option<(f64, Vec<usize>)>) {
        let count = self.block.uses.len();
        if path.before.count_ones() as usize == count {
            *best = Some((path.reads, path.of_use.iter().map(|(of, _)| *of).collect()));
            return;
        }
        for of in (0..count).filter(|of| self.may_come(*of, path.before)) {
            let steps = self.steps(path, of).into_iter();
            let Some(next) = steps.min_by(|a, b| a.reads.total_cmp(&b.reads)) else { continue };
            if best.as_ref().is_none_or(|(least, _)| next.reads < *least) {
                self.cheapest(&next, best);
            }
        }
    }

    fn may_come(&self, of: usize, before: u64) -> bool {
        let is_new = before & (1 << of) == 0;
        let use_of = &self.block.uses[of];
        // A subquery that gives its values gives them to the first use.
        let is_driven = self.sub.is_none_or(|number| {
            before != 0 || use_of.tests.iter().any(|test| test.kind == TestKind::Given(number))
        });
        is_new && is_driven && use_of.after.iter().all(|other| before & (1 << other) != 0)
    }

    /// Every order of the uses, or the one given.
    fn every(&self, path: &Path<'c>, order: &[usize], best: &mut Option<Cost>) {
        let count = self.block.uses.len();
        if path.before.count_ones() as usize == count {
            self.close(path, best);
            return;
        }
        // What is read can only grow, unless a LIMIT takes part of it.
        let is_hopeless = self.block.limit.is_none()
            && !self.run.is_first
            && best.as_ref().is_some_and(|own| path.reads >= own.reads);
        if is_hopeless {
            return;
        }
        let given = order.get(path.before.count_ones() as usize);
        let is_next = |of: &usize| given.is_none_or(|given| given == of);
        for of in (0..count).filter(|of| is_next(of) && self.may_come(*of, path.before)) {
            for next in self.steps(path, of) {
                self.every(&next, order, best);
            }
        }
    }

    fn greedy(&self, start: &Path<'c>, best: &mut Option<Cost>) {
        let count = self.block.uses.len();
        for first in (0..count).filter(|of| self.may_come(*of, 0)) {
            for mut path in self.steps(start, first) {
                while (path.before.count_ones() as usize) < count {
                    let may = (0..count).filter(|of| self.may_come(*of, path.before));
                    let next = may.filter_map(|of| self.steps(&path, of).into_iter().next());
                    let key = |path: &Path<'_>| (path.reads, path.rows);
                    let least = next.min_by(|a, b| {
                        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
                    });
                    let Some(least) = least else { return };
                    path = least;
                }
                self.close(&path, best);
            }
        }
    }

    /// The path with one use more. The first use may be read in several ways worth trying, since
    /// order and LIMIT count only at the end; of others the cheapest is best.
    fn steps(&self, path: &Path<'c>, of: usize) -> Vec<Path<'c>> {
        let read = &self.block.uses[of];
        let accesses = self.counter.accesses(read, self.given(path.before, of), self.depth);
        let step = |access: Access<'c>, reads: f64, is_buffered: bool| {
            let mut next = path.clone();
            next.before |= 1 << of;
            next.reads += reads;
            // What is looked up is told by the entries already: rows are counted once.
            let entries = reads * access.entries / access.cost().max(f64::MIN_POSITIVE);
            next.of_use.push((of, entries));
            let rows = path.rows * access.rows;
            next.rows = if read.is_optional { rows.max(path.rows) } else { rows };
            next.is_mixed |= is_buffered;
            if path.first.is_none() {
                next.first = Some((of, access));
            }
            next
        };
        if path.before == 0 && self.sub.is_none() {
            return accesses.into_iter().map(|it| step(it, it.cost(), false)).collect();
        }
        let chosen = self.by_row(&accesses).map(|access| (access, false));
        let chosen = chosen.or_else(|| {
            // A join buffer, or a hash, reads the table once. Nobody scans an index to look all
            // rows up.
            let all = self.counter.rows_of(read, self.depth);
            let once = accesses.iter().filter(|it| match it.searched {
                0 => it.lookups == 0.0,
                _ => it.lookups <= LOOKED_UP * all,
            });
            let least = once.min_by(|a, b| a.cost().total_cmp(&b.cost()))?;
            Some((*least, true))
        });
        let next = chosen.map(|(access, is_buffered)| {
            let times = if is_buffered { 1.0 } else { path.rows.max(1.0) };
            step(access, times * access.cost(), is_buffered && path.rows > 1.0)
        });
        next.into_iter().collect()
    }

    /// The look-up that a server takes where it can take one: the fewest entries. Of several that
    /// it cannot tell apart, since only what is behind the equalities differs, it may take any: the
    /// worst counts, unless one covers.
    fn by_row(&self, accesses: &[Access<'c>]) -> Option<Access<'c>> {
        let looks_up = accesses.iter().filter(|access| access.is_by_row);
        let least = looks_up.clone().map(|access| access.entries).min_by(f64::total_cmp)?;
        let mut same = looks_up.filter(|access| access.entries <= least * 1.01);
        let covering = same.clone().find(|access| access.is_covering);
        covering.or_else(|| same.by_ref().max_by(|a, b| a.cost().total_cmp(&b.cost()))).copied()
    }

    /// What is behind the join: grouping, order, LIMIT, subqueries.
    fn close(&self, path: &Path<'c>, best: &mut Option<Cost>) {
        let Some((of, access)) = &path.first else { return };
        let mut ways = vec![self.usual(path, *of, access)];
        ways.extend(self.short(*of, access));
        if path.before.count_ones() == 1 && access.key.is_none() {
            ways.extend(self.union(path, *of));
        }
        for way in ways.into_iter().flatten() {
            let cost = self.with_subqueries(path, way);
            if best.as_ref().is_none_or(|own| cost.reads < own.reads) {
                *best = Some(cost);
            }
        }
    }

    fn usual(&self, path: &Path<'c>, of: usize, access: &Access<'c>) -> Option<Way> {
        let read = &self.block.uses[of];
        let all = self.counter.rows_of(read, self.depth).max(1.0);
        let gives = |sorting: &Sorting| {
            !path.is_mixed && !sorting.has_expression && self.is_ordered(of, access, sorting)
        };
        let found = path.rows;
        let (mut extra, mut sorted, mut rows, mut may_stop) = (0.0, 0.0, found, true);
        let is_grouped = match &self.block.group {
            Some(group) => {
                let groups = self.groups(group, found);
                rows = groups;
                let is_ordered = gives(group);
                if !is_ordered {
                    extra += found + groups;
                    sorted += found;
                    may_stop = false;
                }
                let is_given = is_ordered && gives(&self.block.order);
                if !self.block.order.is_empty() && !is_given {
                    extra += sort(groups) + if is_ordered { groups } else { 0.0 };
                    may_stop = false;
                }
                true
            }
            None => {
                if self.block.aggregates {
                    rows = 1.0;
                    may_stop = false;
                } else if !self.block.order.is_empty() && !gives(&self.block.order) {
                    extra += sort(found);
                    sorted += found;
                    may_stop = false;
                }
                false
            }
        };
        let limit = match (self.block.limit, self.run.is_first) {
            (Some(limit), true) => Some(limit.min(1.0)),
            (None, true) if !self.block.aggregates && !is_grouped => Some(1.0),
            (limit, _) => limit,
        };
        let mut factor = 1.0;
        if let Some(limit) = limit {
            // Rows that match may lie together, and at the far end: what walks over many to find
            // few, or nobody knows how many, is not taken to find them soon.
            let is_guess = read
                .tests
                .iter()
                .any(|test| test.share.source == From::Guess && test.kind != TestKind::Weak);
            let is_lucky =
                access.searched == 0 && (is_guess || access.rows < SOON * all * (1.0 - 1e-9));
            if may_stop && rows > limit && !is_lucky {
                factor = (limit / rows).clamp(0.0, 1.0);
            }
            rows = rows.min(limit);
        }
        // In a join each row costs a look-up in the next table, also out of an index that covers.
        let is_wide = self.block.uses.len() > 1
            && access.searched > 0
            && access.key.is_some_and(|key| !key.is_clustering)
            && access.entries * factor > LOOKED_UP * all;
        if is_wide {
            return None;
        }
        if access.key.is_some() && access.lookups > 0.0 {
            let looked_up = access.lookups * factor;
            let is_walk = access.searched == 0;
            // Nobody walks an index for its order alone to look many rows up.
            let is_far =
                is_walk && limit.is_none_or(|limit| limit > LIMITED * all && limit > 100.0);
            if looked_up > LOOKED_UP * all || is_far {
                return None;
            }
        }
        let reads = (path.reads * factor).max(1.0) + extra;
        Some(Way { reads, rows, factor, sorted, found, entries: None })
    }

    /// A loose scan, or the one entry that has the least or greatest value.
    fn short(&self, of: usize, access: &Access<'c>) -> Option<Option<Way>> {
        let key = access.key?;
        let read = &self.block.uses[of];
        let table = read.table?;
        let is_alone = self.block.uses.len() == 1
            && read.hidden.is_empty()
            && read.alternatives.is_empty()
            && read.rest >= 1.0
            && self.block.subs.is_empty();
        if !is_alone || !self.block.is_plain {
            return None;
        }
        let known = self.counter.tables.get(table);
        let given = self.given(0, of);
        let tested: Vec<&Test> = read.tests.iter().filter(|test| given.has(test)).collect();
        let has_weak = read.tests.iter().any(|test| test.kind == TestKind::Weak);
        let is_fixed = |column: ColumnAt| {
            tested.iter().any(|test| {
                test.column == column
                    && matches!(test.kind, TestKind::Equal | TestKind::Outer | TestKind::Join(_))
            })
        };
        let is_fixed = |column: ColumnAt| is_fixed(column) || given.key == Some(column);
        let mut parts = key.parts.iter().filter(|part| part.length.is_none()).peekable();
        let mut fixed = Vec::new();
        while let Some(column) =
            parts.peek().and_then(|part| part.column).filter(|it| is_fixed(*it))
        {
            fixed.push(column);
            parts.next();
        }
        let others = tested.iter().filter(|test| !fixed.contains(&test.column));
        match &self.block.group {
            None => {
                let extreme = self.block.extreme.filter(|at| at.of == of)?;
                let next = parts.next()?;
                let is_next = next.column == Some(extreme.column) && !next.is_descending;
                let is_rest = others.clone().all(|test| test.column == extreme.column);
                (is_next && is_rest && !has_weak).then_some(Some(Way {
                    reads: 1.0,
                    entries: Some(1.0),
                    rows: 1.0,
                    factor: 1.0,
                    sorted: 0.0,
                    found: 1.0,
                }))
            }
            Some(group) => {
                if group.has_expression || has_weak || !covers(known, key, read) {
                    return None;
                }
                let mut left: Vec<ColumnAt> = group
                    .keys
                    .iter()
                    .map(|(at, _)| at.column)
                    .filter(|it| !fixed.contains(it))
                    .collect();
                left.sort_unstable();
                left.dedup();
                let mut grouped = Vec::new();
                while !left.is_empty() {
                    let column = parts.next()?.column?;
                    let at = left.iter().position(|own| *own == column)?;
                    grouped.push(left.remove(at));
                }
                let mut last = None;
                if let Some(extreme) = self.block.extreme
                    && !grouped.contains(&extreme.column)
                    && !fixed.contains(&extreme.column)
                {
                    let next = parts.next().filter(|part| !part.is_descending)?;
                    if next.column != Some(extreme.column) {
                        return None;
                    }
                    last = next.column;
                }
                let may_test = |column: ColumnAt| grouped.contains(&column) || last == Some(column);
                if !others.clone().all(|test| may_test(test.column)) {
                    return None;
                }
                let all = self.counter.rows_of(read, self.depth);
                let found = all * self.counter.kept(read, given);
                let groups = self.groups(group, found);
                let each = if self.block.extreme.is_some() { 2.0 } else { 1.0 };
                let is_sorted = self.block.order.is_empty()
                    || !self.block.order.has_expression
                        && self.is_ordered(of, access, &self.block.order);
                let extra = if is_sorted { 0.0 } else { groups + sort(groups) };
                Some(Some(Way {
                    entries: Some((groups * each).max(1.0)),
                    reads: (groups * each).min(found + groups).max(1.0) + extra,
                    rows: groups,
                    factor: 1.0,
                    sorted: 0.0,
                    found: groups,
                }))
            }
        }
    }

    /// Index merge: the arms of OR by an index each.
    fn union(&self, path: &Path<'c>, of: usize) -> Option<Option<Way>> {
        let read = &self.block.uses[of];
        let table = read.table?;
        let known = self.counter.tables.get(table);
        let all = self.counter.rows_of(read, self.depth);
        let entries = self.counter.merged(read, known, all)?;
        let found = path.rows;
        if entries > LOOKED_UP * all {
            return None;
        }
        let mut other = path.clone();
        other.reads = 2.0 * entries;
        other.is_mixed = true;
        let access = Access { entries, lookups: entries, rows: found, ..Access::default() };
        let way = self.usual(&other, of, &access);
        Some(way.map(|way| Way { entries: Some(entries), ..way }))
    }

    /// Whether rows come sorted, or grouped, out of the index of the first use.
    fn is_ordered(&self, of: usize, access: &Access<'_>, sorting: &Sorting) -> bool {
        let Some(key) = access.key else { return sorting.keys.is_empty() };
        let fixed: Vec<ColumnAt> = key.parts[..access.equal.min(key.parts.len())]
            .iter()
            .filter_map(|part| part.column)
            .collect();
        let read = &self.block.uses[of];
        let given = self.given(0, of);
        let has_one_value = |column: ColumnAt| {
            fixed.contains(&column)
                || read.tests.iter().any(|test| {
                    test.column == column
                        && given.has(test)
                        && matches!(test.kind, TestKind::Equal | TestKind::Outer)
                })
        };
        let mut wanted = sorting
            .keys
            .iter()
            .filter(|(at, _)| at.of != of || !has_one_value(at.column))
            .peekable();
        if wanted.peek().is_none() {
            return true;
        }
        if access.is_multiple {
            return false;
        }
        let mut is_reversed = None;
        for part in &key.parts[access.equal.min(key.parts.len())..] {
            let Some((at, is_descending)) = wanted.peek().copied() else { break };
            let Some(column) = part.column.filter(|_| part.length.is_none()) else { return false };
            if at.of == of && at.column == column {
                let reversed = part.is_descending != *is_descending;
                if *is_reversed.get_or_insert(reversed) != reversed {
                    return false;
                }
                wanted.next();
            } else if !has_one_value(column) {
                return false;
            }
        }
        wanted.next().is_none()
    }

    /// How many groups there are.
    fn groups(&self, group: &Sorting, found: f64) -> f64 {
        let mut product = 1.0;
        let mut seen = Vec::new();
        for (at, _) in &group.keys {
            let read = &self.block.uses[at.of];
            let fixed = |test: &Test| test.column == at.column && test.kind == TestKind::Equal;
            if seen.contains(at) || read.tests.iter().any(fixed) {
                continue;
            }
            seen.push(*at);
            let known = read.table.map(|table| self.counter.tables.get(table));
            let count = known.and_then(|known| estimate::distinct(known, at.column));
            product *= count.unwrap_or((found / 10.0).max(1.0));
        }
        if group.has_expression {
            product *= (found / 10.0).max(1.0);
        }
        product.min(found).max(1.0)
    }

    fn with_subqueries(&self, path: &Path<'_>, way: Way) -> Cost {
        let mut cost =
            Cost { reads: way.reads, rows: way.rows, sorted: way.sorted, of_use: Vec::new() };
        cost.of_use =
            path.of_use.iter().map(|(of, reads)| ((self.place, *of), reads * way.factor)).collect();
        if let (Some(entries), Some((_, first))) = (way.entries, cost.of_use.first_mut()) {
            *first = entries;
        }
        let mut add = |block: usize, run: Run, times: f64| {
            let own = self.counter.block(block, run, self.depth + 1);
            cost.reads += own.reads * times;
            cost.of_use.extend(own.of_use.into_iter().map(|(at, reads)| (at, reads * times)));
        };
        // Rows that are tested: those that come out, and some that do not.
        let tested = (way.found * way.factor).max(1.0);
        for (number, sub) in self.block.subs.iter().enumerate() {
            match sub.kind {
                SubKind::Semi { inner, .. } if self.sub != Some(number) => {
                    let asked = Run { is_dependent: true, key: inner, is_first: true };
                    let each = self.counter.block(sub.block, asked, self.depth + 1).reads;
                    let once = self.counter.block(sub.block, Run::default(), self.depth + 1).reads;
                    match each * tested <= once {
                        true => add(sub.block, asked, tested),
                        false => add(sub.block, Run::default(), 1.0),
                    }
                }
                SubKind::Semi { .. } => add(sub.block, Run::default(), 1.0),
                SubKind::Value | SubKind::Selected if !sub.is_correlated => {
                    add(sub.block, Run::default(), 1.0);
                }
                SubKind::Value | SubKind::Selected => {
                    let run = Run { is_dependent: true, ..Run::default() };
                    let times = if sub.kind == SubKind::Selected { way.rows } else { tested };
                    add(sub.block, run, times.max(1.0));
                }
            }
        }
        cost
    }
}

/// How a block may end.
#[derive(Debug, Clone, Copy)]
struct Way {
    reads: f64,
    rows: f64,
    /// Part of the join that is run until LIMIT is met.
    factor: f64,
    sorted: f64,
    /// Rows before grouping and LIMIT.
    found: f64,
    /// Entries that the first use reads, where that is not what its access says.
    entries: Option<f64>,
}

/// What sorting so many rows costs.
fn sort(rows: f64) -> f64 {
    if rows < 2.0 { 0.0 } else { rows * rows.log2() / 20.0 }
}
