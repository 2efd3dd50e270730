//! What the forms say whose steps hold each other: filters, sorts and joins are steps of their own.

use std::collections::HashMap;

use crate::plan::{Amount, Node};
use crate::sql::glance;

use super::{Buffer, Look, Repeated, Seen, Sort, is_real, operation};

impl<'a> Look<'a> {
    pub(super) fn see_tree(&mut self) {
        for place in 0..self.nodes.len() {
            if let Some(node) = self.nodes.get(place).copied() {
                self.see_step(place, node);
            }
        }
        self.tables_of_repeated();
    }

    fn see_step(&mut self, place: usize, node: &'a Node) {
        let operation = node.operation.as_deref().unwrap_or_default();
        if node.says("Using filesort") {
            self.sort_of_step(place, node);
        }
        let is_repeated = operation.starts_with("Select #")
            && (operation.contains("dependent") || operation.contains("uncacheable"));
        if is_repeated {
            let runs = node.children.first().and_then(|child| child.actual?.loops);
            let id = operation.trim_start_matches("Select #");
            let id = id.split(|c: char| !c.is_ascii_digit()).next().and_then(|id| id.parse().ok());
            let is_measured = runs.is_some();
            let runs = runs.unwrap_or(self.work(place).runs.unwrap_or_default());
            self.repeated.push(Repeated { place, id, runs, is_measured, tables: Vec::new() });
        }
        let Some(name) = node.table.as_deref() else { return };
        if node.access_type.is_some() && node.children.is_empty() && is_real(name) {
            let seen = self.seen_of_step(place, node, name);
            self.tables.push(seen);
        }
    }

    fn seen_of_step(&self, place: usize, node: &'a Node, name: &'a str) -> Seen<'a> {
        let work = self.work(place);
        let filter = self.above(place).next().and_then(|it| self.nodes.get(it.place));
        let filter = filter.filter(|it| operation(it).starts_with("Filter: "));
        let measured = node.actual_rows();
        let read = measured.or(work.read);
        let kept = match (filter, measured) {
            (None, _) => read,
            (Some(filter), Some(_)) => filter.actual_rows(),
            (Some(filter), None) => {
                filter.rows.map(|rows| rows.times(work.runs.unwrap_or_default()))
            }
        };
        let mut buffer = None;
        let mut outer = work.outer().unwrap_or_default();
        let mut is_first = true;
        let mut stops_early = false;
        let mut is_open = true;
        for above in self.above(place) {
            let order = above.order;
            let Some(it) = self.nodes.get(above.place) else { continue };
            let operation = operation(it);
            let is_hash = it.says("Using join buffer (hash");
            let keeps_first = KEEPS_FIRST.iter().any(|words| operation.starts_with(words));
            match order {
                0 if is_hash && keeps_first && is_first => outer = work.runs.unwrap_or_default(),
                1 if is_hash && keeps_first && is_first => {
                    outer = self.rows_of(above.place + 1, measured.is_some()).unwrap_or(outer);
                    buffer = Some(Buffer::Hash);
                    is_first = false;
                }
                0 if is_hash && is_first => {
                    buffer = Some(Buffer::Hash);
                    is_first = false;
                }
                _ => {}
            }
            // What fills the hash is read whole, whatever stops the join.
            if is_hash && order == 1 {
                break;
            }
            let is_loop = operation.starts_with("Nested loop");
            is_first &= !(is_loop && order > 0);
            is_open &= !READS_ALL.iter().any(|words| operation.starts_with(words));
            let is_semi = is_loop
                && order > 0
                && (operation.contains("semijoin") || operation.contains("antijoin"));
            stops_early |= is_open && (operation.starts_with("Limit") || is_semi);
            if operation.starts_with("Select #") || operation.starts_with("Materialize") {
                break;
            }
        }
        Seen {
            place,
            node,
            name,
            runs: node.actual.and_then(|it| it.loops).unwrap_or(work.runs.unwrap_or_default()),
            outer,
            read,
            kept,
            is_measured: measured.is_some(),
            is_kept_measured: filter.is_some_and(|it| it.actual.is_some()),
            is_kept_told: filter.is_some() && (measured.is_some() || kept < read),
            has_condition: filter.is_some() || node.condition.is_some(),
            condition: filter.and_then(|it| it.condition.as_deref()).or(node.condition.as_deref()),
            is_first,
            buffer,
            stops_early,
            before: Amount::ONE,
            block: None,
        }
    }

    /// Rows that a step gives in all, measured where those it is held against are.
    fn rows_of(&self, place: usize, is_measured: bool) -> Option<Amount> {
        let measured = self.nodes.get(place).and_then(|node| node.actual_rows());
        measured.filter(|_| is_measured).or(self.work(place).read)
    }

    fn sort_of_step(&mut self, place: usize, node: &'a Node) {
        let below = node.children.first();
        let measured = below.and_then(|child| child.actual_rows());
        let mut first = below;
        let mut has_temporary = false;
        let mut name = None;
        while let Some(step) = first {
            has_temporary |= step.says("Using temporary");
            // Below `<temporary>` stands what fills it.
            if step.table.as_deref().is_some_and(|table| is_real(table) || step.children.is_empty())
            {
                name = step.table.as_deref();
                break;
            }
            first = step.children.first();
        }
        self.sorts.push(Sort {
            place,
            name: name.filter(|name| is_real(name)),
            rows: measured.unwrap_or(self.work(place).sorted.unwrap_or_default()),
            is_measured: measured.is_some(),
            limit: node.limit,
            has_temporary,
            is_before_temporary: false,
            in_queue: false,
            by_aggregate: glance::sorts_by_aggregate(operation(node)),
        });
    }

    fn tables_of_repeated(&mut self) {
        let places: HashMap<usize, usize> =
            self.repeated.iter().enumerate().map(|(at, it)| (it.place, at)).collect();
        for (at, seen) in self.tables.iter().enumerate() {
            let inside: Vec<usize> =
                self.above(seen.place).filter_map(|it| places.get(&it.place).copied()).collect();
            for place in inside {
                if let Some(repeated) = self.repeated.get_mut(place) {
                    repeated.tables.push(at);
                }
            }
        }
    }
}

/// Hash joins of which the rows of the first side are kept or sorted out, each by itself: an index
/// could only serve the second side, the one that fills the hash.
const KEEPS_FIRST: &[&str] = &["Left hash join", "Hash semijoin", "Hash antijoin"];

/// Steps that take all rows of those below before they give their first one.
const READS_ALL: &[&str] = &[
    "Sort",
    "Aggregate",
    "Materialize",
    "Union materialize",
    "Intersect materialize",
    "Except materialize",
    "Temporary table",
    "Window aggregate with",
    "Group aggregate (computed in",
    "Inner hash",
    "Left hash",
];

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{Given, review};

    /// The first side of an outer join is read whole; the second one could have an index.
    #[test]
    fn the_side_that_fills_the_hash_lacks_the_index_of_an_outer_join() {
        for join in ["Left hash join", "Hash semijoin", "Hash antijoin"] {
            let text = format!(
                "-> {join} (b.x = a.x)  (cost=10 rows=27000000)\n    \
                 -> Table scan on a  (cost=302 rows=30000)\n    \
                 -> Hash\n        \
                 -> Filter: (b.tier = 3)  (cost=0.6 rows=900)\n            \
                 -> Table scan on b  (cost=0.6 rows=19000)\n"
            );
            let findings = review(&Given::plan(&text));
            let titles: Vec<(&str, &str)> =
                findings.iter().map(|it| (it.rule, it.title.as_str())).collect();
            // 30,000 + 19,000 rows.
            let want = "`b` is joined without an index: up to 49,000 rows go through a hash";
            assert!(titles.contains(&("PLAN006", want)), "{join}: {titles:?}");
            let about_first = titles.iter().any(|(_, title)| title.starts_with("`a`"));
            assert!(!about_first, "{join}: {titles:?}");
        }
    }
}
