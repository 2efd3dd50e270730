//! Indexes worth thinking of for one class: what it compares for equality, then one of order,
//! group or range, then columns that cover.

use crate::sql::shape::Why;

use super::cost::{Access, Counter, Given, Indexes, MOST, Run, covers};
use super::estimate::From;
use super::query::{At, Block, Cause, Query, SubKind, TestKind, Use};
use super::tables::{ColumnAt, Key, Known, Part, Tables};

/// An index, as far as a class minds its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Form {
    /// Columns that come first, in whatever order.
    pub equal: Vec<ColumnAt>,
    /// What follows, in this order.
    pub tail: Vec<Part>,
    /// What only spares the look-up of rows, in whatever order, last.
    pub cover: Vec<ColumnAt>,
    /// What the tail is for.
    pub purpose: Purpose,
}

/// What an index is for, beside its equalities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Purpose {
    /// To find rows.
    #[default]
    Filter,
    /// To find the partners of rows read before.
    Join,
    /// To find a range of rows.
    Range,
    /// To give their order.
    Order,
    /// To give an order of mixed directions.
    MixedOrder,
    /// To give groups.
    Group,
    /// To spare looking rows up.
    Cover,
    /// One arm of OR.
    Arm,
}

/// What a class would like to have.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wish {
    /// Indexes that belong together: one, or one for each arm of OR.
    pub forms: Vec<(usize, Form)>,
    /// The class reads too little for an index more: it may only take the place of a shorter one.
    pub widens_only: bool,
}

/// Why a use gets no wish.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reason {
    /// The table is small: so many rows.
    Tiny(f64),
    /// So few rows are read a call.
    ReadsFew(f64),
    /// An index that is there does it, by its place in the definition.
    Served(usize),
    /// The statement hides the column, by its number, that an index is on.
    Rewrite(ColumnAt, Cause),
    /// Nothing in the statement narrows the table by a plain column.
    NothingToSearch,
    /// What narrows it keeps this part of the rows: too many.
    KeepsMany(f64),
    /// MATCH … AGAINST searches it.
    FullText,
    /// Nothing that an index could do is cheaper.
    NotCheaper,
}

/// What one use of a class comes to.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// The table.
    pub table: usize,
    /// Entries that are read of it a call, now.
    pub reads: f64,
    /// What would help.
    pub wishes: Vec<Wish>,
    /// Why nothing would.
    pub reason: Option<Reason>,
}

/// Rows below which a table needs no index, and rows read in all from which on it does.
const TINY_ROWS: f64 = 1_000.0;
const TINY_READS: f64 = 100_000.0;
/// Rows a call from which on a new index is thought of, and an index is made longer.
const NEW_READS: f64 = 1_000.0;
const WIDER_READS: f64 = 100.0;
/// IDX006: columns, bytes of one, columns added, part of a row, rows looked up.
const COVER_COLUMNS: usize = 6;
const COVER_BYTES: f64 = 64.0;
const COVER_ADDED: usize = 4;
const COVER_OF_ROW: f64 = 0.3;
const COVER_LOOKUPS: f64 = 1_000.0;
/// Columns of an index that is proposed; MySQL allows 16.
pub(super) const MOST_COLUMNS: usize = 16;

/// A class while wishes are looked for.
pub(super) struct Seeker<'c, 'a> {
    pub query: &'c Query,
    pub tables: &'c Tables<'a>,
    /// What one call reads of a use now, times what the log says against the model.
    pub reads: &'c dyn Fn(usize, usize) -> f64,
    /// Columns that are set so often that no index should hold them for covering alone.
    pub is_set: &'c dyn Fn(usize, ColumnAt) -> bool,
    /// Whether parts of mixed directions can be had.
    pub may_mix: bool,
    /// Whether little read a call is much in all.
    pub is_large_in_all: bool,
}

/// A use of a table, with all that is asked of it.
#[derive(Clone, Copy)]
struct Spot<'c, 'a> {
    place: usize,
    block: &'c Block,
    of: usize,
    read: &'c Use,
    table: usize,
    known: &'c Known<'a>,
}

/// What a use is searched by, in one role.
#[derive(Debug, Clone, Default, PartialEq)]
struct Searched {
    equal: Vec<ColumnAt>,
    lists: Vec<ColumnAt>,
    ranges: Vec<ColumnAt>,
}

impl<'c, 'a> Seeker<'c, 'a> {
    /// Looks at every use of a table.
    pub fn looks(&self) -> Vec<Look> {
        let mut looks = Vec::new();
        for (place, block) in self.query.blocks.iter().enumerate() {
            if block.is_impossible || block.uses.len() > MOST {
                continue;
            }
            for (of, read) in block.uses.iter().enumerate() {
                if let Some(table) = read.table {
                    let known = self.tables.get(table);
                    looks.push(self.look(Spot { place, block, of, read, table, known }));
                }
            }
        }
        looks
    }

    fn look(&self, spot: Spot<'_, 'a>) -> Look {
        let Spot { place, of, read, table, known, .. } = spot;
        let reads = (self.reads)(place, of);
        let without =
            |reason: Reason| Look { table, reads, wishes: Vec::new(), reason: Some(reason) };
        if read.is_full_text {
            return without(Reason::FullText);
        }
        if let Some(rows) = known.rows
            && rows < TINY_ROWS
            && reads < TINY_READS
        {
            return without(Reason::Tiny(rows));
        }
        if let Some((column, cause)) = self.rewritten(known, read) {
            return without(Reason::Rewrite(column, cause));
        }
        let served = self.served(spot);
        if reads < WIDER_READS {
            return without(served.map_or(Reason::ReadsFew(reads), Reason::Served));
        }
        let mut wishes = Vec::new();
        let mut is_searched = false;
        let mut is_given = None;
        for (given, purpose) in self.roles(spot) {
            let searched = self.searched(known, read, given);
            let forms = self.forms(spot, &searched, given, purpose);
            is_searched |= !forms.is_empty();
            match self.base(spot, forms, given) {
                Based::Forms(forms) => {
                    wishes.extend(forms.into_iter().map(|form| vec![(table, form)]));
                }
                Based::Existing(key) => is_given = is_given.or(Some(key)),
                Based::None => {}
            }
        }
        for arms in self.arms(read, known) {
            is_searched = true;
            wishes.push(arms.into_iter().map(|form| (table, form)).collect());
        }
        wishes.dedup();
        let widens_only = reads < NEW_READS && !self.is_large_in_all;
        let mut kept: Vec<Wish> = Vec::new();
        for forms in wishes {
            let wish = Wish { forms, widens_only };
            if !kept.contains(&wish) {
                kept.push(wish);
            }
        }
        kept.truncate(12);
        let reason = kept.is_empty().then(|| {
            let keeps = self.part_kept(read);
            match (is_given.or(served), is_searched) {
                (Some(key), _) => Reason::Served(key),
                (None, false) => Reason::NothingToSearch,
                (None, true) if keeps > 0.2 => Reason::KeepsMany(keeps),
                (None, true) => Reason::NotCheaper,
            }
        });
        Look { table, reads, wishes: kept, reason }
    }

    fn counter<'x>(&'x self, indexes: &'x Indexes<'x>) -> Counter<'x, 'x, 'x> {
        Counter::new(self.query, self.tables, indexes)
    }

    fn part_kept(&self, read: &Use) -> f64 {
        let indexes = Indexes::default();
        self.counter(&indexes).kept(read, Given::default())
    }

    /// The index that the use is searched by now.
    fn served(&self, spot: Spot<'_, 'a>) -> Option<usize> {
        let Spot { read, known, .. } = spot;
        let indexes = Indexes::default();
        let counter = self.counter(&indexes);
        let roles = self.roles(spot);
        let accesses = roles.into_iter().flat_map(|(given, _)| counter.accesses(read, given, 0));
        let used = accesses.filter(|access| access.searched > 0);
        // Of equals the longer one: the shorter may be on its way out.
        let written = |access: &Access<'_>| access.key.map_or(0, |key| key.written);
        let best =
            used.min_by(|a, b| a.cost().total_cmp(&b.cost()).then(written(b).cmp(&written(a))))?;
        let place = best.key?.place?;
        known.table.map(|_| place)
    }

    /// A hidden column with an index that would serve it, were the statement written otherwise.
    fn rewritten(&self, known: &Known<'_>, read: &Use) -> Option<(ColumnAt, Cause)> {
        // A look-up for each row searches no range behind it, so a join leads to none.
        let is_searched = |column: ColumnAt| {
            read.tests.iter().any(|test| {
                test.column == column && matches!(test.kind, TestKind::Equal | TestKind::In(_))
            })
        };
        read.hidden.iter().find_map(|hidden| {
            // A pattern in the middle and its kin are served by no tree, however they are written.
            let may_be_written = !matches!(
                hidden.cause,
                Cause::Written(Why::Wildcard | Why::Pattern | Why::FullText | Why::Json)
            );
            let column = *hidden.columns.first().filter(|_| may_be_written)?;
            let serves = known.keys.iter().any(|key| {
                let mut parts = key.parts[..key.written].iter();
                // It leads, or what is before it is searched already.
                let before = parts.by_ref().take_while(|part| part.column != Some(column));
                let is_reached =
                    before.into_iter().all(|part| part.column.is_some_and(is_searched));
                let has_it = key.parts[..key.written].iter().any(|it| it.column == Some(column));
                has_it && is_reached
            });
            serves.then(|| (column, hidden.cause.clone()))
        })
    }

    /// What may be known when the use is read.
    fn roles(&self, spot: Spot<'_, 'a>) -> Vec<(Given, Purpose)> {
        let Spot { place, block, of, read, .. } = spot;
        let mut runs = vec![Run::default()];
        for outer in &self.query.blocks {
            for sub in outer.subs.iter().filter(|sub| sub.block == place) {
                let key = match sub.kind {
                    SubKind::Semi { inner, .. } => inner.filter(|at| at.of == of),
                    _ => None,
                };
                if sub.is_correlated || key.is_some() {
                    runs.push(Run { is_dependent: true, key, is_first: false });
                }
            }
        }
        let mut partners: Vec<usize> = read
            .tests
            .iter()
            .filter_map(|test| match test.kind {
                TestKind::Join(at) => Some(at.of),
                _ => None,
            })
            .collect();
        partners.sort_unstable();
        partners.dedup();
        let mut befores: Vec<u64> = vec![0];
        befores.extend(partners.iter().map(|of| 1_u64 << of));
        let all = partners.iter().fold(0_u64, |bits, of| bits | 1 << of);
        if partners.len() > 1 {
            befores.push(all);
        }
        if !read.after.is_empty() {
            // It is never the first.
            befores.retain(|bits| *bits != 0);
        }
        let mut roles = Vec::new();
        for run in runs {
            for before in &befores {
                let is_inner = *before != 0 || run.is_dependent;
                let purpose = if is_inner { Purpose::Join } else { Purpose::Filter };
                let key = run.key.filter(|at| at.of == of).map(|at| at.column);
                roles.push((Given { before: *before, run, sub: None, key }, purpose));
            }
        }
        for (number, _) in block.subs.iter().enumerate() {
            let is_given = read.tests.iter().any(|test| test.kind == TestKind::Given(number));
            if is_given {
                let given = Given { sub: Some(number), ..Given::default() };
                roles.push((given, Purpose::Join));
            }
        }
        roles
    }

    fn searched(&self, known: &Known<'_>, read: &Use, given: Given) -> Searched {
        let mut searched = Searched::default();
        for column in 0..known.columns.len() {
            let of_column = read.tests.iter().filter(|test| test.column == column);
            let kinds = of_column.map(|test| match test.kind {
                TestKind::Equal => Some(0),
                TestKind::Outer if given.run.is_dependent => Some(0),
                TestKind::Join(at) if given.is_before(at.of) => Some(0),
                TestKind::Given(number) if given.sub == Some(number) => Some(0),
                TestKind::In(_) => Some(1),
                TestKind::Range => Some(2),
                _ => None,
            });
            let mut best: Option<usize> = None;
            for kind in kinds {
                best = match (best, kind) {
                    (Some(own), Some(kind)) => Some(own.min(kind)),
                    (own, kind) => own.or(kind),
                };
            }
            if given.key == Some(column) {
                best = Some(0);
            }
            match best {
                Some(0) => searched.equal.push(column),
                Some(1) => searched.lists.push(column),
                Some(_) => searched.ranges.push(column),
                None => {}
            }
        }
        searched
    }

    fn forms(
        &self,
        spot: Spot<'_, 'a>,
        searched: &Searched,
        given: Given,
        purpose: Purpose,
    ) -> Vec<Form> {
        let Spot { block, of, read, known, .. } = spot;
        let Searched { equal, lists, ranges } = searched;
        // Rows that one unique value finds are found.
        let is_found = known.keys.iter().any(|key| {
            key.is_unique
                && key.parts[..key.written]
                    .iter()
                    .all(|part| part.column.is_some_and(|it| equal.contains(&it)))
        });
        if is_found {
            return Vec::new();
        }
        let mut forms: Vec<Form> = Vec::new();
        let mut add = |equal: &[ColumnAt], tail: Vec<Part>, purpose: Purpose| {
            let mut form =
                Form { equal: equal.to_vec(), tail: Vec::new(), cover: Vec::new(), purpose };
            for part in tail {
                // What has one value needs no place of its own, and no column two.
                let is_there = part.column.is_some_and(|column| form.equal.contains(&column))
                    || form.tail.iter().any(|own| own.column == part.column);
                if !is_there {
                    form.tail.push(part);
                }
            }
            self.strip(known, &mut form);
            let count = form.equal.len() + form.tail.len();
            if count > 0 && count <= MOST_COLUMNS && !forms.iter().any(|own| same(own, &form)) {
                forms.push(form);
            }
        };
        let ascending = |columns: &[ColumnAt]| -> Vec<Part> {
            columns.iter().map(|column| Part::of(*column, false)).collect()
        };
        let is_leading = given.before == 0;
        if let Some((order, purpose)) = self.ordered(block, of, equal).filter(|_| is_leading) {
            let keeps = self.part_kept(read);
            // Alone it gives nothing but the order, which is worth it only where few rows are wanted.
            if !equal.is_empty() || block.limit.is_some() {
                add(equal, order.clone(), purpose);
            }
            // What filters keeps so much that walking in order meets enough soon.
            if block.limit.is_some() && keeps >= 0.1 && !equal.is_empty() {
                add(&[], order, purpose);
            }
        }
        if let Some(group) = self.grouped(block, of, equal).filter(|_| is_leading) {
            let extreme = block.extreme.filter(|at| at.of == of && !equal.contains(&at.column));
            let mut tail = ascending(&group);
            add(equal, tail.clone(), Purpose::Group);
            if let Some(extreme) = extreme.filter(|at| !group.contains(&at.column)) {
                tail.push(Part::of(extreme.column, false));
                add(equal, tail, Purpose::Group);
            }
        }
        if let (Some(extreme), None) = (block.extreme.filter(|at| at.of == of), &block.group) {
            add(equal, ascending(&[extreme.column]), Purpose::Group);
        }
        for range in ranges.iter().chain(lists) {
            add(equal, ascending(&[*range]), Purpose::Range);
        }
        for list in lists {
            for range in ranges.iter().chain(lists).filter(|it| *it != list) {
                add(equal, ascending(&[*list, *range]), Purpose::Range);
            }
        }
        if !equal.is_empty() {
            add(equal, Vec::new(), purpose);
        }
        forms
    }

    /// Columns of the order behind the equalities, if the use can give all of it.
    fn ordered(
        &self,
        block: &Block,
        of: usize,
        equal: &[ColumnAt],
    ) -> Option<(Vec<Part>, Purpose)> {
        let order = &block.order;
        if order.has_expression || order.keys.is_empty() || block.group.is_some() {
            return None;
        }
        if block.aggregates || order.keys.iter().any(|(at, _)| at.of != of) {
            return None;
        }
        let mut parts: Vec<Part> = Vec::new();
        for (at, is_descending) in &order.keys {
            let is_there = parts.iter().any(|part| part.column == Some(at.column));
            if !equal.contains(&at.column) && !is_there {
                parts.push(Part::of(at.column, *is_descending));
            }
        }
        let is_mixed = parts.iter().any(|part| part.is_descending)
            && parts.iter().any(|part| !part.is_descending);
        if parts.is_empty() || (is_mixed && !self.may_mix) {
            return None;
        }
        if !is_mixed {
            // An index is read backwards as well.
            parts.iter_mut().for_each(|part| part.is_descending = false);
        }
        Some((parts, if is_mixed { Purpose::MixedOrder } else { Purpose::Order }))
    }

    /// Columns of the groups behind the equalities, if the use has all of them.
    fn grouped(&self, block: &Block, of: usize, equal: &[ColumnAt]) -> Option<Vec<ColumnAt>> {
        let group = block.group.as_ref()?;
        if group.has_expression || group.keys.iter().any(|(at, _)| at.of != of) {
            return None;
        }
        let mut columns = Vec::new();
        // An order by the same columns says in which order they come.
        let in_order = block.order.keys.iter().map(|(at, _)| at);
        let is_same = block.order.keys.iter().all(|key| group.keys.iter().any(|it| it.0 == key.0));
        let lead: Vec<At> = if is_same { in_order.copied().collect() } else { Vec::new() };
        for at in lead.iter().chain(group.keys.iter().map(|(at, _)| at)) {
            if !equal.contains(&at.column) && !columns.contains(&at.column) {
                columns.push(at.column);
            }
        }
        (!columns.is_empty()).then_some(columns)
    }

    /// Takes off what InnoDB appends anyway.
    fn strip(&self, known: &Known<'_>, form: &mut Form) {
        let Some(primary) = known.keys.iter().find(|key| key.is_clustering) else { return };
        let parts = &primary.parts[..primary.written];
        let is_tail = |tail: &[Part]| {
            tail.len() == parts.len()
                && tail.iter().zip(parts).all(|(own, other)| own.column == other.column)
                && tail.windows(2).all(|two| two[0].is_descending == two[1].is_descending)
        };
        let at = form.tail.len().saturating_sub(parts.len());
        if !form.tail.is_empty() && is_tail(&form.tail[at..]) {
            let before = &form.tail[..at];
            // Appended parts are read in the direction of the part before them.
            let goes_on =
                before.last().is_none_or(|last| last.is_descending == form.tail[at].is_descending);
            if goes_on && !(form.equal.is_empty() && at == 0) {
                form.tail.truncate(at);
            }
        }
    }

    /// The best of the forms in a role, and a second one that is not far from it.
    fn base(&self, spot: Spot<'_, 'a>, forms: Vec<Form>, given: Given) -> Based {
        let known = spot.known;
        if forms.is_empty() {
            return Based::None;
        }
        let mut priced: Vec<(f64, Form)> =
            forms.into_iter().map(|form| (self.price(spot, &form, given), form)).collect();
        priced.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = priced.first().map_or(0.0, |it| it.0);
        let rank = |form: &Form| {
            let count = form.equal.len() + form.tail.len();
            // Columns that answer nothing more are not wanted: a longer form wins by its order.
            (form.purpose >= Purpose::Order, form.purpose >= Purpose::Range, count)
        };
        let near = priced.iter().enumerate().filter(|(_, it)| it.0 <= least * 1.1 + 1.0);
        let best = near.max_by_key(|(at, it)| (rank(&it.1), std::cmp::Reverse(*at)));
        let Some(best) = best.map(|(at, _)| at) else { return Based::None };
        let (cost, form) = priced.remove(best);
        if let Some(key) = existing(known, &form) {
            // What is there may still be made to cover.
            return match self.covering(spot, &form, given) {
                Some(form) => Based::Forms(vec![form]),
                None => Based::Existing(key),
            };
        }
        let second = priced.into_iter().find(|(own, other)| {
            *own <= cost * 2.0 + 1.0 && existing(known, other).is_none() && !is_within(other, &form)
        });
        let mut found = Vec::new();
        match self.covering(spot, &form, given) {
            Some(covering) => found.push(covering),
            None => found.push(form),
        }
        found.extend(second.map(|(_, form)| form));
        Based::Forms(found)
    }

    /// What the block costs with a form in this role.
    fn price(&self, spot: Spot<'_, 'a>, form: &Form, given: Given) -> f64 {
        let Spot { place, of, read, table, known, .. } = spot;
        let key = form.key(known, &form.equal);
        if given.before != 0 || given.sub.is_some() {
            let indexes = Indexes::default();
            let counter = self.counter(&indexes);
            let all = counter.rows_of(read, 0);
            let rows = all * counter.kept(read, given);
            return counter.access(read, known, &key, given, all, rows).cost();
        }
        // Other tables have what they need, so that only this one counts.
        let others = self.ideal(place, of);
        let added = others.iter().map(|(number, key)| (*number, key));
        let indexes = Indexes::default().with(added.chain([(table, &key)]));
        self.counter(&indexes).block(place, given.run, 0).reads
    }

    /// The form with what it lacks to spare the look-up of rows, where that is worth it.
    fn covering(&self, spot: Spot<'_, 'a>, form: &Form, given: Given) -> Option<Form> {
        let Spot { place, block, of, read, known, .. } = spot;
        if read.is_star || block.writes_back || read.columns.len() > COVER_COLUMNS {
            return None;
        }
        let key = form.key(known, &form.equal);
        if covers(known, &key, read) {
            return None;
        }
        let stops_early = block.limit.is_some() && form.purpose >= Purpose::Order;
        let is_guess = !known.are_rows_told
            || read.tests.iter().any(|test| {
                test.share.source == From::Guess
                    && test.kind != TestKind::Weak
                    && (form.equal.contains(&test.column)
                        || form.tail.iter().any(|part| part.column == Some(test.column)))
            });
        if stops_early || is_guess {
            return None;
        }
        let indexes = Indexes::default();
        let counter = self.counter(&indexes);
        let all = counter.rows_of(read, 0);
        let rows = all * counter.kept(read, given);
        let access: Access<'_> = counter.access(read, known, &key, given, all, rows);
        let outer = self.loops(place, of, &access);
        let is_looked_up = access.searched > 0 || form.purpose == Purpose::Group;
        if !is_looked_up || access.lookups * outer < COVER_LOOKUPS {
            return None;
        }
        let primary = known.keys.iter().find(|key| key.is_clustering);
        let is_held = |column: &ColumnAt| {
            key.parts.iter().any(|part| part.column == Some(*column))
                || primary.is_some_and(|key| {
                    key.parts[..key.written].iter().any(|it| it.column == Some(*column))
                })
        };
        let added: Vec<ColumnAt> =
            read.columns.iter().copied().filter(|column| !is_held(column)).collect();
        let is_narrow = |column: &ColumnAt| {
            known.bytes(*column) <= COVER_BYTES
                && known.data_type(*column).is_some_and(|it| !it.is_large())
        };
        let table = read.table?;
        let bytes: f64 = key
            .parts
            .iter()
            .filter_map(|part| part.column)
            .chain(added.iter().copied())
            .map(|column| known.bytes(column))
            .sum();
        let may = added.len() <= COVER_ADDED
            && !added.is_empty()
            && read.columns.iter().all(is_narrow)
            && added.iter().all(|column| !(self.is_set)(table, *column))
            && bytes <= known.row_bytes() * COVER_OF_ROW
            && form.equal.len() + form.tail.len() + added.len() <= MOST_COLUMNS;
        may.then(|| Form { cover: added, purpose: Purpose::Cover, ..form.clone() })
    }

    /// How often a use is read where all others have what they need.
    fn loops(&self, place: usize, of: usize, access: &Access<'_>) -> f64 {
        let mut added = self.ideal(place, of);
        let table = self.query.blocks[place].uses[of].table;
        added.extend(table.zip(access.key.cloned()));
        let indexes = Indexes::default().with(added.iter().map(|(table, key)| (*table, key)));
        let cost = self.counter(&indexes).statement();
        let own = cost.of_use.iter().filter(|(at, _)| *at == (place, of));
        let entries: f64 = own.map(|(_, entries)| entries).sum();
        entries / access.entries.max(1.0)
    }

    /// An index for all that each use can be searched by, but for one of them.
    fn ideal(&self, place: usize, of: usize) -> Vec<(usize, Key)> {
        let mut keys = Vec::new();
        let small = self.query.blocks.iter().enumerate();
        for (at, block) in small.filter(|(_, block)| block.uses.len() <= MOST) {
            for (other, read) in block.uses.iter().enumerate() {
                let Some(table) = read.table.filter(|_| (at, other) != (place, of)) else {
                    continue;
                };
                let known = self.tables.get(table);
                let run = Run { is_dependent: true, ..Run::default() };
                let before = !1_u64.checked_shl(other as u32).unwrap_or(0);
                for before in [0, before] {
                    let given = Given { before, run, ..Given::default() };
                    let equal = self.searched(known, read, given).equal;
                    if !equal.is_empty() {
                        let form = Form { equal, ..Form::default() };
                        keys.push((table, form.key(known, &form.equal)));
                    }
                }
            }
        }
        keys
    }

    /// An index for each arm of OR, where every arm can have one.
    fn arms(&self, read: &Use, known: &Known<'_>) -> Vec<Vec<Form>> {
        // Beside an equality OR adds nothing.
        if read.tests.iter().any(|test| test.kind == TestKind::Equal) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for alternatives in &read.alternatives {
            if alternatives.arms.len() > 4 || alternatives.part > 0.2 {
                continue;
            }
            let mut forms: Vec<Form> = Vec::new();
            let mut is_whole = true;
            for arm in &alternatives.arms {
                let equal: Vec<ColumnAt> = arm
                    .iter()
                    .filter(|test| test.kind == TestKind::Equal)
                    .map(|test| test.column)
                    .collect();
                let range = arm
                    .iter()
                    .filter(|test| matches!(test.kind, TestKind::In(_) | TestKind::Range))
                    .min_by(|a, b| a.share.part.total_cmp(&b.share.part));
                let tail = range.map(|test| Part::of(test.column, false)).into_iter().collect();
                let form = Form { equal, tail, cover: Vec::new(), purpose: Purpose::Arm };
                if form.equal.is_empty() && form.tail.is_empty() {
                    is_whole = false;
                } else if existing(known, &form).is_none() && !is_unique(known, &form) {
                    forms.push(form);
                }
            }
            if is_whole && !forms.is_empty() {
                found.push(forms);
            }
        }
        found
    }
}

/// What the search for a base came to.
enum Based {
    Forms(Vec<Form>),
    Existing(usize),
    None,
}

impl Form {
    /// The index, its equalities in this order.
    pub fn key(&self, known: &Known<'_>, equal: &[ColumnAt]) -> Key {
        let mut parts: Vec<Part> = equal.iter().map(|column| Part::of(*column, false)).collect();
        parts.extend(self.tail.iter().copied());
        parts.extend(self.cover.iter().map(|column| Part::of(*column, false)));
        for part in &mut parts {
            part.length = part.column.and_then(|column| super::limit::prefix(known, column));
        }
        // What InnoDB appends in the same place need not be written.
        while let Some((last, before)) = parts.split_last()
            && !before.is_empty()
            && known.appended(before).first() == Some(last)
        {
            parts.pop();
        }
        let written = parts.len();
        let appended = known.appended(&parts);
        parts.extend(appended);
        Key { parts, written, is_unique: false, is_clustering: false, place: None }
    }
}

fn same(one: &Form, other: &Form) -> bool {
    one.equal == other.equal && one.tail == other.tail
}

/// Whether a form is served by another one as it is.
fn is_within(form: &Form, other: &Form) -> bool {
    form.tail.is_empty() && form.equal.iter().all(|column| other.equal.contains(column))
}

fn is_unique(known: &Known<'_>, form: &Form) -> bool {
    known.keys.iter().any(|key| {
        key.is_unique
            && key.parts[..key.written]
                .iter()
                .all(|part| part.column.is_some_and(|column| form.equal.contains(&column)))
    })
}

/// An index that is there and serves all of a form, by its place in the definition.
pub(super) fn existing(known: &Known<'_>, form: &Form) -> Option<usize> {
    let serves = |key: &&Key| {
        let count = form.equal.len();
        let parts = &key.parts;
        if parts.len() < count + form.tail.len() {
            return false;
        }
        let is_equal = parts[..count]
            .iter()
            .all(|part| part.column.is_some_and(|column| form.equal.contains(&column)));
        let tail = &parts[count..count + form.tail.len()];
        let reversed =
            tail.first().zip(form.tail.first()).map(|(a, b)| a.is_descending != b.is_descending);
        let is_tail = tail.iter().zip(&form.tail).all(|(own, wanted)| {
            own.column == wanted.column
                && own.length.is_none()
                && Some(own.is_descending != wanted.is_descending) == reversed
        });
        let covered = form.cover.iter().all(|column| {
            parts.iter().any(|part| part.column == Some(*column) && part.length.is_none())
        });
        is_equal && is_tail && covered
    };
    known.keys.iter().find(serves).and_then(|key| key.place)
}
