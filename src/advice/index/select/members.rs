//! The indexes of the candidates taken, each once, and what each brings beside the others.

use std::collections::{BTreeSet, HashMap};

use crate::advice::index::cost::{Counter, Indexes};
use crate::advice::index::query::Written;
use crate::advice::index::tables::Key;

use super::{Candidate, Gain, Member, Selector, Weighed};

impl Selector<'_, '_> {
    /// The indexes of the candidates taken, each once: an arm of OR may be the index of another
    /// statement, or the beginning of one.
    pub fn members(&self, candidates: &[Candidate], taken: &[usize]) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for candidate in taken.iter().map(|at| &candidates[*at]) {
            for (at, (table, key)) in candidate.keys.iter().enumerate() {
                let begins = |long: &Key, short: &Key| {
                    long.written >= short.written
                        && long.parts[..short.written] == short.parts[..short.written]
                };
                let is_served =
                    members.iter().any(|own| own.table == *table && begins(&own.key, key));
                if is_served {
                    continue;
                }
                members.retain(|own| own.table != *table || !begins(key, &own.key));
                let purpose = candidate.purposes.get(at).copied().unwrap_or_default();
                members.push(Member {
                    table: *table,
                    key: key.clone(),
                    purpose,
                    form: candidate.forms.get(at).cloned().unwrap_or_default(),
                    replaces: Vec::new(),
                    is_bundled: candidate.keys.len() > 1,
                    gain: Gain::default(),
                });
            }
        }
        // An index goes once, with the first that begins as it does.
        let mut gone: BTreeSet<(usize, usize)> = BTreeSet::new();
        for member in &mut members {
            let replaced = self.replaced(member.table, &member.key).into_iter();
            member.replaces = replaced.filter(|it| gone.insert(*it)).map(|(_, at)| at).collect();
        }
        let mut kept: HashMap<usize, Vec<usize>> = HashMap::new();
        for (place, member) in members.iter().enumerate() {
            kept.entry(member.table).or_default().push(place);
        }
        let mut open: Vec<usize> = (0..members.len()).collect();
        loop {
            for place in open.drain(..) {
                let gain = self.share_of(&members, &kept, place);
                members[place].gain = gain;
            }
            // What brings nothing beside the others goes, one at a time: two may need each other.
            let present = kept.values().flatten().copied();
            let least = present.filter(|at| members[*at].gain.saved <= 0.0).min_by(|a, b| {
                members[*a].gain.saved.total_cmp(&members[*b].gain.saved).then(a.cmp(b))
            });
            let Some(least) = least else { break };
            let table = members[least].table;
            for own in kept.values_mut() {
                own.retain(|place| *place != least);
            }
            let near = self.near.get(&table).into_iter().flatten();
            open = near.filter_map(|table| kept.get(table)).flatten().copied().collect();
        }
        let present: BTreeSet<usize> = kept.into_values().flatten().collect();
        let mut place = 0;
        members.retain(|_| {
            place += 1;
            present.contains(&(place - 1))
        });
        members.sort_by(|a, b| {
            b.gain
                .saved
                .total_cmp(&a.gain.saved)
                .then_with(|| (a.table, &a.key).cmp(&(b.table, &b.key)))
        });
        members
    }

    /// What one member brings beside all others.
    fn share_of(
        &self,
        members: &[Member],
        kept: &HashMap<usize, Vec<usize>>,
        place: usize,
    ) -> Gain {
        let own = &members[place];
        let tables = self.near.get(&own.table).into_iter().flatten();
        let near: Vec<usize> =
            tables.filter_map(|table| kept.get(table)).flatten().copied().collect();
        let indexes = |with: bool| {
            let beside = near.iter().filter(|at| with || **at != place);
            let beside: Vec<&Member> = beside.filter_map(|at| members.get(*at)).collect();
            let mut indexes =
                Indexes::default().with(beside.iter().map(|member| (member.table, &member.key)));
            indexes.gone = beside
                .iter()
                .flat_map(|member| member.replaces.iter().map(|at| (member.table, *at)))
                .collect();
            indexes
        };
        let (without, with) = (indexes(false), indexes(true));
        let mut gain = Gain::default();
        for at in self.by_table.get(&own.table).into_iter().flatten() {
            let class = &self.classes[*at];
            let cost = |indexes: &Indexes<'_>| {
                Counter::new(&class.query, self.tables, indexes).statement()
            };
            let (before, then) = (cost(&without).reads, cost(&with));
            let after = then.reads;
            gain.saved += class.unit * (before - after);
            // Less is the rounding of sums.
            if before - after > before * 1e-3 {
                gain.classes.push((*at, before, after));
                gain.rows.push(class.scale * then.rows_read());
            }
            for written in &class.query.writes {
                let keys = [(own.table, &own.key)];
                gain.written += self.written(class, written, keys, own.replaces.len());
            }
        }
        gain.saved -= gain.written;
        gain
    }

    /// What a writing class pays for an index more: an entry for each row that it writes, four
    /// row-reads each, one where the first column is a counter.
    pub fn written<'k>(
        &self,
        class: &Weighed,
        written: &Written,
        keys: impl IntoIterator<Item = (usize, &'k Key)>,
        gone: usize,
    ) -> f64 {
        let new = keys.into_iter().filter(|(table, _)| *table == written.table);
        let mut entries = 0.0;
        let mut added = 0.0;
        for (table, key) in new {
            let known = self.tables.get(table);
            let columns = || key.parts[..key.written].iter().filter_map(|part| part.column);
            let is_set = columns().any(|column| written.columns.contains(&column));
            let rows = written.rows.unwrap_or(class.present.rows.max(1.0));
            // An index that takes the place of another costs no more than that.
            let each = match written.kind {
                crate::sql::shape::WriteKind::Update if is_set => 2.0,
                crate::sql::shape::WriteKind::Update => 0.0,
                _ => (1.0 - gone as f64).max(0.0),
            };
            let first = columns().next();
            let is_counter = first.and_then(|column| known.definition(column));
            let unit = if is_counter.is_some_and(|it| it.is_auto_increment) { 1.0 } else { 4.0 };
            added += rows * each * unit;
            entries += rows * (known.keys.len() as f64 + 1.0) * unit;
        }
        if added <= 0.0 {
            return 0.0;
        }
        let whole = class.present.reads.max(1.0) + entries;
        // The class's weight is spread over what it reads and what it writes.
        class.weight().max(class.unit) * added / whole
    }
}
