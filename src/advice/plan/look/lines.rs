//! What the forms say whose lines or tables are one list, block by block.

use std::collections::HashSet;

use crate::plan::{Amount, Block, Node, Role};

use super::{Buffer, Look, Repeated, Seen, Sort, is_real};

impl<'a> Look<'a> {
    pub(super) fn see_blocks(&mut self) {
        let plan = self.case.plan;
        let made: HashSet<usize> = plan.blocks.iter().filter_map(|block| block.reader).collect();
        for (number, block) in plan.blocks.iter().enumerate() {
            let first = self.tables.len();
            self.see_block(number, block, &made);
            self.see_repeated(block, first);
        }
    }

    /// `made` are the lines that read what another block has filled.
    fn see_block(&mut self, number: usize, block: &Block, made: &HashSet<usize>) {
        let plan = self.case.plan;
        let limit_stops = self.is_stopped_by_limit(block);
        let first_sort = self.sorts.len();
        let mut loops = Some(Amount::ONE);
        let mut before = Amount::ONE;
        let mut is_all_measured = true;
        for (order, at) in block.nodes.iter().enumerate() {
            let Some(node) = plan.nodes.get(*at) else { continue };
            let mut seen = self.seen_of_line(*at, node, order == 0, loops);
            seen.block = Some(number);
            seen.before = before;
            seen.stops_early |= limit_stops;
            before = before.times(node.rows.unwrap_or(Amount::ONE));
            let is_buffered = node.says("Using join buffer");
            loops = seen.kept.filter(|_| seen.is_measured && !is_buffered);
            is_all_measured &= seen.is_measured;
            self.sort_of_line(*at, node, &seen, block.role, is_all_measured);
            if is_real(seen.name) && !made.contains(at) && node.access_type.is_some() {
                self.tables.push(seen);
            }
        }
        // What a temporary table gets is known when all its tables are.
        if let Some(rows) = loops.filter(|_| is_all_measured) {
            let sorts = self.sorts.iter_mut().skip(first_sort);
            for sort in sorts.filter(|sort| sort.has_temporary) {
                (sort.rows, sort.is_measured) = (rows, true);
            }
        }
    }

    /// Whether the outermost LIMIT stops the reading: nothing takes all rows before it.
    fn is_stopped_by_limit(&self, block: &Block) -> bool {
        let plan = self.case.plan;
        let takes_all = |node: &Node| node.says("Using filesort") || node.says("Using temporary");
        let glance = &self.names.glance;
        block.role == Role::Main
            && plan.blocks.len() == 1
            && glance.has_limit
            && !glance.reads_all
            && !block.nodes.iter().filter_map(|at| plan.nodes.get(*at)).any(takes_all)
    }

    /// Notes a subquery that runs anew for each row; its tables are those from `first` on.
    fn see_repeated(&mut self, block: &Block, first: usize) {
        let is_inner =
            matches!(block.role, Role::Subquery | Role::Union | Role::Intersect | Role::Except);
        let Some(place) = block.nodes.first().filter(|_| block.is_dependent && is_inner) else {
            return;
        };
        let runs = self.case.plan.nodes.get(*place).and_then(|node| node.actual?.loops);
        self.repeated.push(Repeated {
            place: *place,
            id: block.id,
            runs: runs.unwrap_or(self.estimate(*place).runs),
            is_measured: runs.is_some(),
            tables: (first..self.tables.len()).collect(),
        });
    }

    /// `loops` are the rows that the measured tables before it left.
    fn seen_of_line(
        &self,
        at: usize,
        node: &'a Node,
        is_first: bool,
        loops: Option<Amount>,
    ) -> Seen<'a> {
        let estimate = self.estimate(at);
        let buffer = buffer_of(node);
        let actual = node.actual.unwrap_or_default();
        // A join buffer is read for many rows at once; how often it was filled is not printed.
        let is_buffered = node.says("Using join buffer");
        let measured_runs = match is_first {
            _ if actual.loops.is_some() => actual.loops,
            true => None,
            false if is_buffered => Some(Amount::ONE),
            false => loops,
        };
        let per_run = actual.rows_per_loop;
        let measured = actual.rows().or_else(|| Some(per_run?.times(measured_runs?).rounded()));
        let read = measured.or(estimate.rows);
        let filtered = actual.filtered.filter(|_| measured.is_some());
        let percent = filtered.or(node.filtered);
        // Without a figure nobody knows what a condition keeps; MariaDB's 100.00 is none.
        let has_condition = node.says("Using where") || node.condition.is_some();
        let kept = match percent {
            Some(percent) => read.map(|read| read.percent(percent)),
            None => read,
        };
        Seen {
            place: at,
            node,
            name: node.table.as_deref().unwrap_or_default(),
            runs: measured_runs.unwrap_or(estimate.runs),
            outer: loops.filter(|_| measured.is_some()).unwrap_or(estimate.outer),
            read,
            kept,
            is_measured: measured.is_some(),
            is_kept_measured: filtered.is_some(),
            is_kept_told: percent.is_some_and(|it| filtered.is_some() || it < Amount::whole(100)),
            has_condition,
            condition: node.condition.as_deref(),
            is_first,
            buffer,
            stops_early: ["FirstMatch", "Not exists"].iter().any(|words| node.says(words)),
            before: Amount::ONE,
            block: None,
        }
    }

    fn sort_of_line(
        &mut self,
        at: usize,
        node: &'a Node,
        seen: &Seen<'a>,
        role: Role,
        is_measured: bool,
    ) {
        if !node.says("Using filesort") || role == Role::Result {
            return;
        }
        let has_temporary = node.says("Using temporary");
        let estimate = self.estimate(at).sorted;
        // What a temporary table holds of a join is known when all its tables are.
        let measured = seen.kept.filter(|_| is_measured && !has_temporary);
        let limit = match role {
            Role::Main => node.limit.or(self.names.glance.limit),
            _ => node.limit,
        };
        self.sorts.push(Sort {
            place: at,
            name: node.table.as_deref(),
            rows: measured.unwrap_or(estimate),
            is_measured: measured.is_some(),
            limit,
            has_temporary,
            is_before_temporary: has_temporary,
            in_queue: node.in_queue == Some(true),
            by_aggregate: false,
        });
    }
}

/// How a line is joined, if without an index.
fn buffer_of(node: &Node) -> Option<Buffer> {
    let access = node.access_type.as_deref().unwrap_or_default();
    let is_scan =
        ["ALL", "index", "range", "index_merge"].contains(&access) || access.starts_with("hash_");
    let words = node.extra.iter().find(|fact| fact.starts_with("Using join buffer"))?;
    let is_hash =
        access.starts_with("hash_") || words.contains("hash join") || words.contains("BNLH");
    let is_lookup = words.contains("BKA") || words.contains("Batched Key Access");
    (is_scan && !is_lookup).then_some(if is_hash { Buffer::Hash } else { Buffer::Loop })
}
