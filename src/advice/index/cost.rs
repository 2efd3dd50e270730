//! What a statement costs with given indexes, in rows that are read.
//!
//! Entries of an index that are passed, rows that are looked up from there, and what a sort or a
//! temporary table adds. Joins are tried in every order up to six tables, else the smallest next.
//! The figures were held against Handler_read counters of MySQL 9.7, MariaDB 10.11 and 11.8.

use std::cell::RefCell;
use std::collections::HashMap;

use super::estimate;
use super::query::{At, Query, SubKind, Test, TestKind, Use};
use super::tables::{ColumnAt, Key, Known, Part, Tables};

mod join;

use self::join::Plan;

/// Rows of a table of which nothing tells how many it has.
pub(super) const ROWS_UNKNOWN: f64 = 100_000.0;
/// Rows of a derived table of which nothing is known.
const DERIVED_ROWS: f64 = 100.0;
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

impl Cost {
    /// Rows and entries that are read, each once.
    pub fn rows_read(&self) -> f64 {
        self.of_use.iter().map(|(_, entries)| entries).sum()
    }
}

/// Counts.
pub(super) struct Counter<'c, 'a, 'k> {
    pub query: &'c Query,
    pub tables: &'c Tables<'a>,
    pub indexes: &'c Indexes<'k>,
    /// What was counted: subqueries in subqueries would be counted again and again.
    known: RefCell<HashMap<(usize, Run), Cost>>,
}

/// In which state a block is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
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
    /// It is searched anew for each row read before.
    pub is_by_row: bool,
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
    /// The column that IN around the block asks for, where it is one of this use.
    pub key: Option<ColumnAt>,
}

impl Given {
    /// Whether a use was read before; of those past the bits none was.
    pub fn is_before(&self, of: usize) -> bool {
        1_u64.checked_shl(of as u32).is_some_and(|bit| self.before & bit != 0)
    }

    fn has(&self, test: &Test) -> bool {
        match test.kind {
            TestKind::Equal | TestKind::In(_) | TestKind::Range => true,
            TestKind::Join(at) => self.is_before(at.of),
            TestKind::Outer => self.run.is_dependent,
            TestKind::Given(number) => self.sub == Some(number),
            TestKind::Weak => false,
        }
    }
}

impl<'c, 'a, 'k> Counter<'c, 'a, 'k>
where
    'k: 'c,
{
    pub fn new(query: &'c Query, tables: &'c Tables<'a>, indexes: &'c Indexes<'k>) -> Self {
        Counter { query, tables, indexes, known: RefCell::default() }
    }

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
        if let Some(cost) = self.known.borrow().get(&(place, run)) {
            return cost.clone();
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
        let cost = best.unwrap_or_default();
        self.known.borrow_mut().insert((place, run), cost.clone());
        cost
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
                    let is_by_row = self.is_by_row(read, column, given);
                    if is_by_row && access.is_multiple {
                        break;
                    }
                    access.is_by_row |= is_by_row;
                    shares.push(share);
                    columns.push(column);
                    if !access.is_multiple && part.length.is_none() {
                        access.equal += 1;
                    }
                }
                // A look-up for each row searches equalities alone; the rest only filters.
                Some(Found::In(_) | Found::Range(_)) if access.is_by_row => break,
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

    /// Whether the value of a column is that of a row read before, and of nothing else.
    fn is_by_row(&self, read: &Use, column: ColumnAt, given: Given) -> bool {
        let mut own = read.tests.iter().filter(|test| test.column == column && given.has(test));
        !own.any(|test| test.kind == TestKind::Equal)
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
        if found.as_ref().is_none_or(|it| it.rank() > 0) && given.key == Some(column) {
            let known = read.table.map(|table| self.tables.get(table));
            let share = known.map_or(0.1, |known| estimate::equal(known, column, None).part);
            return Some(Found::Equal(share));
        }
        found
    }

    /// The part of a use that all conditions keep.
    pub fn kept(&self, read: &Use, given: Given) -> f64 {
        let mut columns: Vec<ColumnAt> = read.tests.iter().map(|test| test.column).collect();
        columns.extend(given.key);
        columns.sort_unstable();
        columns.dedup();
        let (mut equal, mut of_equal, mut kept) = (Vec::new(), Vec::new(), read.rest);
        for column in columns {
            match self.best_test(read, column, given) {
                Some(Found::Equal(share)) => {
                    equal.push(share);
                    of_equal.push(column);
                }
                Some(Found::In(share)) => {
                    equal.push(share);
                    of_equal.push(ColumnAt::MAX);
                }
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
        let is_in = |key: &Key, column: &ColumnAt| {
            key.parts[..key.written].iter().any(|part| part.column == Some(*column))
        };
        let unique = known.and_then(|known| {
            let mut keys = known.keys.iter().filter(|key| key.is_unique);
            let key = keys.find(|key| {
                let own = &key.parts[..key.written];
                own.iter().all(|it| it.column.is_some_and(|it| of_equal.contains(&it)))
            })?;
            Some((key, known.rows.unwrap_or(ROWS_UNKNOWN)))
        });
        match unique {
            Some((key, all)) => {
                // What is asked besides of the one row it may fail.
                let besides = equal.iter().zip(&of_equal).filter(|(_, column)| !is_in(key, column));
                kept.min(1.0) * besides.map(|(share, _)| share).product::<f64>() / all.max(1.0)
            }
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
