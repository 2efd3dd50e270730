//! What a statement costs with given indexes, in rows that are read.
//!
//! Entries of an index that are passed, rows that are looked up from there, and what a sort or a
//! temporary table adds, as `rules.md` has it, section 8.6. Joins are tried in every order up to
//! six tables, else the smallest next.

use std::collections::HashMap;

use super::estimate;
use super::query::{At, Block, Query, Sorting, SubKind, Test, TestKind, Use};
use super::tables::{ColumnAt, Key, Known, Part, Tables};

/// Rows of a table of which nothing tells how many it has.
pub(super) const ROWS_UNKNOWN: f64 = 100_000.0;
/// Rows of a derived table of which nothing is known.
const DERIVED_ROWS: f64 = 100.0;
/// Part of a table from which on looking rows up costs more than reading all of it, IDX001.
const LOOKED_UP: f64 = 0.2;
/// Part of a table up to which LIMIT is served by an index that covers nothing, IDX004.
const LIMITED: f64 = 0.005;
/// Tables that are tried in every order.
const EVERY_ORDER: usize = 6;
/// Uses of a block that are looked at: they are bits of a word.
pub(super) const MOST: usize = 64;

/// Which indexes there are: those of the tables, some of them gone, others added.
#[derive(Debug, Clone, Default)]
pub(super) struct Indexes<'k> {
    /// Added ones by table.
    pub added: HashMap<usize, Vec<&'k Key>>,
    /// Indexes that go, by table and place in the definition.
    pub gone: Vec<(usize, usize)>,
}

impl<'k> Indexes<'k> {
    /// With one more.
    pub fn with(&self, keys: impl IntoIterator<Item = (usize, &'k Key)>) -> Indexes<'k> {
        let mut more = self.clone();
        for (table, key) in keys {
            more.added.entry(table).or_default().push(key);
        }
        more
    }

    fn of<'s>(
        &'s self,
        tables: &'s Tables<'_>,
        table: usize,
    ) -> impl Iterator<Item = &'s Key> + use<'s, 'k> {
        let stays =
            move |key: &&Key| key.place.is_none_or(|place| !self.gone.contains(&(table, place)));
        let own = tables.get(table).keys.iter().filter(stays);
        own.chain(self.added.get(&table).into_iter().flatten().copied())
    }
}

/// What a statement reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Cost {
    /// Row-reads of one call.
    pub reads: f64,
    /// Rows that come out.
    pub rows: f64,
    /// Entries read of each use, by block and use.
    pub of_use: Vec<((usize, usize), f64)>,
    /// Rows that are sorted or put into a temporary table.
    pub sorted: f64,
}

/// Counts.
pub(super) struct Counter<'c, 'a, 'k> {
    pub query: &'c Query,
    pub tables: &'c Tables<'a>,
    pub indexes: &'c Indexes<'k>,
}

/// In which state a block is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// Once for each row around: columns of outer blocks are known.
    pub is_dependent: bool,
    /// The selected column is asked for, as behind IN.
    pub key: Option<At>,
    /// It stops at the first row.
    pub is_first: bool,
}

/// One way to read a use.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Access<'k> {
    /// The index; none of a scan of the table.
    pub key: Option<&'k Key>,
    /// Entries of the index, or rows of the table, that are read.
    pub entries: f64,
    /// Rows that are looked up from there.
    pub lookups: f64,
    /// Rows that are left.
    pub rows: f64,
    /// Leading parts that are searched, the range included.
    pub searched: usize,
    /// Leading parts that have one value.
    pub equal: usize,
    /// A list of values is among those searched: no order.
    pub is_multiple: bool,
    /// A range is.
    pub has_range: bool,
    /// The index holds all that is read.
    pub is_covering: bool,
}

impl Access<'_> {
    pub fn cost(&self) -> f64 {
        self.entries + self.lookups
    }
}

/// What is known while a use is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Given {
    /// Uses that were read before, as bits.
    pub before: u64,
    /// All uses are taken for read before.
    pub run: Run,
    /// The subquery whose values are at hand.
    pub sub: Option<usize>,
}

impl Given {
    fn has(&self, test: &Test) -> bool {
        match test.kind {
            TestKind::Equal | TestKind::In(_) | TestKind::Range => true,
            TestKind::Join(at) => self.before & (1 << at.of) != 0,
            TestKind::Outer => self.run.is_dependent,
            TestKind::Given(number) => self.sub == Some(number),
            TestKind::Weak => false,
        }
    }
}

impl<'c, 'k> Counter<'c, '_, 'k>
where
    'k: 'c,
{
    /// What the whole statement costs.
    pub fn statement(&self) -> Cost {
        let mut cost = Cost::default();
        for root in &self.query.roots {
            let own = self.block(*root, Run::default(), 0);
            cost.reads += own.reads;
            cost.rows += own.rows;
            cost.sorted += own.sorted;
            cost.of_use.extend(own.of_use);
        }
        cost
    }

    /// How many rows a use can give.
    pub fn rows_of(&self, read: &Use, depth: usize) -> f64 {
        match read.table {
            Some(table) => self.tables.get(table).rows.unwrap_or(ROWS_UNKNOWN),
            None if read.filled_by.is_empty() || depth > 16 => DERIVED_ROWS,
            None => {
                let fill = |block: &usize| self.block(*block, Run::default(), depth + 1).rows;
                read.filled_by.iter().map(fill).sum()
            }
        }
    }

    /// What a block costs, run once.
    pub fn block(&self, place: usize, run: Run, depth: usize) -> Cost {
        let Some(block) = self.query.blocks.get(place) else { return Cost::default() };
        if block.is_impossible || depth > 16 {
            return Cost::default();
        }
        if block.uses.is_empty() || block.uses.len() > MOST {
            return Cost { rows: 1.0, ..Cost::default() };
        }
        let mut best: Option<Cost> = None;
        let mut drives: Vec<Option<usize>> = vec![None];
        for (number, sub) in block.subs.iter().enumerate() {
            let is_driving =
                matches!(sub.kind, SubKind::Semi { outer: Some(_), is_negated: false, .. });
            if is_driving && !sub.is_correlated {
                drives.push(Some(number));
            }
        }
        for sub in drives {
            let plan = Plan { counter: self, block, place, run, sub, depth };
            let cost = plan.best();
            if let Some(cost) = cost
                && best.as_ref().is_none_or(|own| cost.reads < own.reads)
            {
                best = Some(cost);
            }
        }
        best.unwrap_or_default()
    }

    /// The ways to read a use, a scan first.
    pub fn accesses(&self, read: &'c Use, given: Given, depth: usize) -> Vec<Access<'c>> {
        let all = self.rows_of(read, depth);
        let kept = self.kept(read, given);
        let rows = all * kept;
        let mut found = Vec::new();
        let Some(table) = read.table else {
            // The server makes a key of its own for what it joins by.
            let is_joined = read.tests.iter().any(|test| given.has(test));
            let entries = if is_joined { rows.max(1.0) } else { all };
            found.push(Access {
                entries,
                rows,
                searched: usize::from(is_joined),
                ..Access::default()
            });
            return found;
        };
        let known = self.tables.get(table);
        found.push(Access { entries: all, rows, ..Access::default() });
        for key in self.indexes.of(self.tables, table) {
            if is_hinted_away(read, known, key) {
                continue;
            }
            found.push(self.access(read, known, key, given, all, rows));
        }
        found
    }

    /// How an index reads a use.
    pub fn access<'x>(
        &self,
        read: &Use,
        known: &Known<'_>,
        key: &'x Key,
        given: Given,
        all: f64,
        rows: f64,
    ) -> Access<'x> {
        let mut shares = Vec::new();
        let mut columns = Vec::new();
        let mut between = 1.0;
        let mut access = Access { key: Some(key), rows, ..Access::default() };
        for part in &key.parts {
            let Some(column) = part.column else { break };
            match self.best_test(read, column, given) {
                Some(Found::Equal(share)) => {
                    shares.push(share);
                    columns.push(column);
                    if !access.is_multiple && part.length.is_none() {
                        access.equal += 1;
                    }
                }
                Some(Found::In(share)) => {
                    shares.push(share);
                    access.is_multiple = true;
                }
                Some(Found::Range(share)) => {
                    between = share;
                    access.has_range = true;
                    access.searched += 1;
                    break;
                }
                None => break,
            }
            access.searched += 1;
        }
        let is_whole = key.is_unique && access.equal >= key.written;
        let part = match access.is_multiple {
            false => composite(known, &columns).unwrap_or_else(|| estimate::together(&shares)),
            true => estimate::together(&shares),
        };
        access.entries = match (access.searched, is_whole) {
            (_, true) => 1.0,
            (0, _) => all,
            _ => (all * part * between).max(1.0),
        };
        access.is_covering = key.is_clustering || covers(known, key, read);
        if !access.is_covering {
            let pushed = self.pushed(read, key, &access, given);
            access.lookups = (access.entries * pushed).max(rows.min(access.entries));
        }
        access
    }

    /// What the conditions keep that the index itself can test behind those it is searched for.
    fn pushed(&self, read: &Use, key: &Key, access: &Access<'_>, given: Given) -> f64 {
        let behind = key.parts.get(access.searched..).unwrap_or_default();
        let is_in = |column: ColumnAt| {
            behind.iter().any(|part| part.column == Some(column) && part.length.is_none())
        };
        let mut kept = 1.0;
        for part in behind {
            let Some(column) = part.column.filter(|_| part.length.is_none()) else { continue };
            kept *= match self.best_test(read, column, given) {
                Some(Found::Equal(share) | Found::In(share) | Found::Range(share)) => share,
                None => 1.0,
            };
        }
        let all_in = |column: &ColumnAt| {
            key.parts.iter().any(|part| part.column == Some(*column) && part.length.is_none())
        };
        for hidden in &read.hidden {
            if hidden.columns.iter().all(all_in) && hidden.columns.iter().any(|it| is_in(*it)) {
                kept *= hidden.part;
            }
        }
        kept
    }

    /// The test of a column that narrows most.
    fn best_test(&self, read: &Use, column: ColumnAt, given: Given) -> Option<Found> {
        let own = read.tests.iter().filter(|test| test.column == column && given.has(test));
        let mut found: Option<Found> = None;
        for test in own {
            let share = test.share.part;
            let next = match test.kind {
                TestKind::In(_) => Found::In(share),
                TestKind::Range => Found::Range(share),
                _ => Found::Equal(share),
            };
            found = Some(match found {
                Some(best) if best.rank() < next.rank() => best,
                Some(best) if best.rank() == next.rank() && best.share() <= share => best,
                _ => next,
            });
        }
        if found.as_ref().is_none_or(|it| it.rank() > 0) && self.is_key(read, column, given) {
            let known = read.table.map(|table| self.tables.get(table));
            let share = known.map_or(0.1, |known| estimate::equal(known, column, None).part);
            return Some(Found::Equal(share));
        }
        found
    }

    /// Whether IN asks for this column.
    fn is_key(&self, read: &Use, column: ColumnAt, given: Given) -> bool {
        given.run.key.is_some_and(|at| {
            at.column == column
                && self
                    .query
                    .blocks
                    .iter()
                    .any(|block| block.uses.get(at.of).is_some_and(|own| std::ptr::eq(own, read)))
        })
    }

    /// The part of a use that all conditions keep.
    pub fn kept(&self, read: &Use, given: Given) -> f64 {
        let mut columns: Vec<ColumnAt> = read.tests.iter().map(|test| test.column).collect();
        columns.extend(given.run.key.iter().map(|at| at.column));
        columns.sort_unstable();
        columns.dedup();
        let (mut equal, mut of_equal, mut kept) = (Vec::new(), Vec::new(), read.rest);
        for column in columns {
            match self.best_test(read, column, given) {
                Some(Found::Equal(share)) => {
                    equal.push(share);
                    of_equal.push(column);
                }
                Some(Found::In(share)) => equal.push(share),
                Some(Found::Range(share)) => kept *= share,
                None => {}
            }
        }
        for test in read.tests.iter().filter(|test| test.kind == TestKind::Weak) {
            kept *= test.share.part;
        }
        kept *= read.hidden.iter().map(|hidden| hidden.part).product::<f64>();
        kept *= read.alternatives.iter().map(|it| it.part).product::<f64>();
        let known = read.table.map(|table| self.tables.get(table));
        let unique = known.filter(|known| {
            known.keys.iter().any(|key| {
                let own = &key.parts[..key.written];
                key.is_unique
                    && own.iter().all(|it| it.column.is_some_and(|it| of_equal.contains(&it)))
            })
        });
        match unique.and_then(|known| known.rows) {
            Some(rows) => kept.min(1.0) / rows.max(1.0),
            None => kept * estimate::together(&equal),
        }
    }

    /// What OR over several columns costs, if each of its arms has an index.
    fn merged(&self, read: &Use, known: &Known<'_>, all: f64) -> Option<f64> {
        let mut least: Option<f64> = None;
        for alternatives in &read.alternatives {
            let mut sum = 0.0;
            for arm in &alternatives.arms {
                sum += self.arm(read, known, arm, all)?;
            }
            least = Some(least.map_or(sum, |own| own.min(sum)));
        }
        least
    }

    /// Entries that an arm reads by the best index for it; none without.
    fn arm(&self, read: &Use, known: &Known<'_>, arm: &[Test], all: f64) -> Option<f64> {
        let own = Use { tests: arm.to_vec(), rest: 1.0, table: read.table, ..Use::default() };
        let table = read.table?;
        let keys = self.indexes.of(self.tables, table);
        let reads = keys.filter(|key| !is_hinted_away(read, known, key)).filter_map(|key| {
            let access = self.access(&own, known, key, Given::default(), all, 0.0);
            (access.searched > 0).then_some(access.entries)
        });
        reads.min_by(f64::total_cmp)
    }
}

/// How a column is tested.
#[derive(Debug, Clone, Copy)]
enum Found {
    Equal(f64),
    In(f64),
    Range(f64),
}

impl Found {
    fn rank(self) -> usize {
        match self {
            Found::Equal(_) => 0,
            Found::In(_) => 1,
            Found::Range(_) => 2,
        }
    }

    fn share(self) -> f64 {
        match self {
            Found::Equal(share) | Found::In(share) | Found::Range(share) => share,
        }
    }
}

/// How many rows have equal values in these columns, by an index that begins with just them.
fn composite(known: &Known<'_>, columns: &[ColumnAt]) -> Option<f64> {
    let table = known.table.filter(|_| columns.len() > 1)?;
    let of_index = |key: &Key| {
        let parts = key.parts.get(..columns.len()).filter(|_| columns.len() <= key.written)?;
        let is_same = parts.iter().all(|part| {
            part.length.is_none() && part.column.is_some_and(|it| columns.contains(&it))
        });
        let index = table.indexes.get(key.place?).filter(|_| is_same)?;
        index.parts.get(columns.len() - 1)?.cardinality.filter(|count| *count > 0)
    };
    let count = known.keys.iter().filter_map(of_index).max()?;
    Some(1.0 / count as f64)
}

/// Whether an index holds all columns that are read.
pub(super) fn covers(known: &Known<'_>, key: &Key, read: &Use) -> bool {
    let holds = |column: &ColumnAt| {
        let is_whole = |part: &Part| part.column == Some(*column) && part.length.is_none();
        key.parts.iter().any(is_whole)
            || known
                .keys
                .iter()
                .any(|own| own.is_clustering && own.parts[..own.written].iter().any(is_whole))
    };
    !read.is_star && read.columns.iter().all(holds)
}

/// Whether a hint keeps the server from an index. One that is not there yet is in no hint.
fn is_hinted_away(read: &Use, known: &Known<'_>, key: &Key) -> bool {
    use crate::sql::shape::HintKind;
    let name = key
        .place
        .and_then(|place| known.table?.indexes.get(place))
        .map(|index| index.name.as_str());
    read.hints.iter().any(|(kind, names)| {
        let is_named =
            name.is_some_and(|name| names.iter().any(|own| own.eq_ignore_ascii_case(name)));
        match kind {
            HintKind::Ignore => is_named,
            HintKind::Use | HintKind::Force => !is_named,
        }
    })
}

/// One block while its cheapest order is looked for.
struct Plan<'p, 'c, 'a, 'k> {
    counter: &'p Counter<'c, 'a, 'k>,
    block: &'c Block,
    place: usize,
    run: Run,
    /// The subquery whose values come first.
    sub: Option<usize>,
    depth: usize,
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
    fn given(&self, before: u64) -> Given {
        Given { before, run: self.run, sub: self.sub }
    }

    fn best(&self) -> Option<Cost> {
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
            0..=EVERY_ORDER => self.every(&start, &mut best),
            _ => self.greedy(&start, &mut best),
        }
        best
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

    fn every(&self, path: &Path<'c>, best: &mut Option<Cost>) {
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
        for of in (0..count).filter(|of| self.may_come(*of, path.before)) {
            for next in self.steps(path, of) {
                self.every(&next, best);
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
        let accesses = self.counter.accesses(read, self.given(path.before), self.depth);
        let step = |access: Access<'c>, reads: f64, is_buffered: bool| {
            let mut next = path.clone();
            next.before |= 1 << of;
            next.reads += reads;
            next.of_use.push((of, reads));
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
        let mut best: Option<(f64, bool, Access<'c>)> = None;
        for access in accesses {
            let is_scan = access.searched == 0;
            let each = if access.lookups > 0.0 && is_scan {
                // Nobody scans an index to look all rows up.
                continue;
            } else {
                access.cost()
            };
            // A join buffer, or a hash, reads the table once.
            let reads = if is_scan { each } else { path.rows.max(1.0) * each };
            if best.as_ref().is_none_or(|(least, ..)| reads < *least) {
                best = Some((reads, is_scan, access));
            }
        }
        best.into_iter()
            .map(|(reads, is_buffered, access)| step(access, reads, is_buffered && path.rows > 1.0))
            .collect()
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
                if !self.block.order.is_empty() && !(is_ordered && gives(&self.block.order)) {
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
            if may_stop && rows > limit {
                factor = (limit / rows).clamp(0.0, 1.0);
            }
            rows = rows.min(limit);
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
        Some(Way { reads, rows, factor, sorted, found })
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
        let given = self.given(0);
        let tested: Vec<&Test> = read.tests.iter().filter(|test| given.has(test)).collect();
        let has_weak = read.tests.iter().any(|test| test.kind == TestKind::Weak);
        let is_fixed = |column: ColumnAt| {
            tested.iter().any(|test| {
                test.column == column
                    && matches!(test.kind, TestKind::Equal | TestKind::Outer | TestKind::Join(_))
            })
        };
        let is_fixed =
            |column: ColumnAt| is_fixed(column) || self.counter.is_key(read, column, given);
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
        Some(self.usual(&other, of, &access))
    }

    /// Whether rows come sorted, or grouped, out of the index of the first use.
    fn is_ordered(&self, of: usize, access: &Access<'_>, sorting: &Sorting) -> bool {
        let Some(key) = access.key else { return sorting.keys.is_empty() };
        let fixed: Vec<ColumnAt> = key.parts[..access.equal.min(key.parts.len())]
            .iter()
            .filter_map(|part| part.column)
            .collect();
        let read = &self.block.uses[of];
        let given = self.given(0);
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
}

/// What sorting so many rows costs.
fn sort(rows: f64) -> f64 {
    if rows < 2.0 { 0.0 } else { rows * rows.log2() / 20.0 }
}
