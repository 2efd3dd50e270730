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
            let runs = runs.unwrap_or(self.estimate(place).runs);
            self.repeated.push(Repeated { place, id, runs, is_measured, tables: Vec::new() });
        }
        let Some(name) = node.table.as_deref() else { return };
        if node.access_type.is_some() && node.children.is_empty() && is_real(name) {
            let seen = self.seen_of_step(place, node, name);
            self.tables.push(seen);
        }
    }

    fn seen_of_step(&self, place: usize, node: &'a Node, name: &'a str) -> Seen<'a> {
        let estimate = self.estimate(place);
        let nodes =
            || self.above(place).filter_map(|it| Some((it.order, *self.nodes.get(it.place)?)));
        let filter =
            nodes().next().map(|(_, it)| it).filter(|it| operation(it).starts_with("Filter: "));
        let measured = node.actual_rows();
        let read = measured.or(estimate.rows);
        let kept = match (filter, measured) {
            (None, _) => read,
            (Some(filter), Some(_)) => filter.actual_rows(),
            (Some(filter), None) => filter.rows.map(|rows| rows.times(estimate.runs)),
        };
        let mut buffer = None;
        let mut is_first = true;
        let mut stops_early = false;
        let mut is_open = true;
        for (order, it) in nodes() {
            let operation = operation(it);
            if operation.starts_with("Hash") && !operation.starts_with("Hash ") {
                break;
            }
            let is_hash = it.says("Using join buffer (hash");
            if is_hash && order == 0 && is_first {
                buffer = Some(Buffer::Hash);
                is_first = false;
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
            runs: node.actual.and_then(|it| it.loops).unwrap_or(estimate.runs),
            outer: estimate.outer,
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
            rows: measured.unwrap_or(self.estimate(place).sorted),
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
