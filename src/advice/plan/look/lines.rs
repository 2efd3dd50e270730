//! What the forms say whose lines or tables are one list, block by block.

use std::collections::HashSet;

use crate::plan::{Amount, Block, Node, Role, Work};
use crate::sql::token::{Kind, tokens};

use super::{Buffer, Look, Repeated, Seen, Sort, is_real};

impl<'a> Look<'a> {
    pub(super) fn see_blocks(&mut self) {
        let plan = self.case.plan;
        let made = plan.blocks.iter().filter_map(|block| block.reader).collect();
        let joined = plan.blocks.iter().filter_map(|block| block.first_part).collect();
        let mut known = Known { made, joined, list: None };
        known.list = self.list_under_limit(&known);
        for (number, block) in plan.blocks.iter().enumerate() {
            let first = self.tables.len();
            let share = self.share_under_limit(block, &known);
            self.see_block(number, block, &known, share);
            self.see_repeated(block, first, share);
        }
    }

    fn see_block(&mut self, number: usize, block: &Block, known: &Known, share: Option<Share>) {
        let plan = self.case.plan;
        let limit_stops = self.is_stopped_by_limit(number, block, known);
        let first_sort = self.sorts.len();
        let mut loops = Some(Amount::ONE);
        let mut before = Amount::ONE;
        let mut is_all_measured = true;
        // The table of an INSERT or REPLACE has a line, and is not read.
        let lines = block.nodes.iter().filter_map(|at| Some((at, plan.nodes.get(*at)?)));
        let read = lines.filter(|(_, node)| !is_filled(node));
        for (order, (at, node)) in read.enumerate() {
            let mut seen = self.seen_of_line(*at, node, order == 0, loops, share);
            seen.block = Some(number);
            seen.before = before;
            seen.stops_early |= limit_stops;
            before = before.times(node.rows.unwrap_or(Amount::ONE));
            let is_buffered = node.says("Using join buffer");
            loops = seen.kept.filter(|_| seen.is_measured && !is_buffered);
            is_all_measured &= seen.is_measured;
            self.sort_of_line(*at, node, &seen, block.role, is_all_measured, share);
            if is_real(seen.name) && !known.made.contains(at) && node.access_type.is_some() {
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

    /// Whether the outermost LIMIT stops the reading: nothing takes all rows before it. Subqueries
    /// and derived tables do not, a UNION may.
    fn is_stopped_by_limit(&self, number: usize, block: &Block, known: &Known) -> bool {
        let plan = self.case.plan;
        let takes_all = |node: &Node| node.says("Using filesort") || node.says("Using temporary");
        let glance = &self.names.glance;
        block.role == Role::Main
            && glance.has_limit
            && !glance.reads_all
            && !known.joined.contains(&number)
            && !block.nodes.iter().filter_map(|at| plan.nodes.get(*at)).any(takes_all)
    }

    /// The select list of a statement that a LIMIT stops.
    fn list_under_limit(&self, known: &Known) -> Option<List> {
        let plan = self.case.plan;
        let limit = Amount::whole(self.names.glance.limit?);
        let main = plan.blocks.iter().position(|block| block.role == Role::Main)?;
        let is_stopped = self.is_stopped_by_limit(main, plan.blocks.get(main)?, known);
        let selects = selects_before_from(plan.query.as_deref().filter(|_| is_stopped)?);
        Some(List { main, selects, limit })
    }

    /// Of the runs that are expected of a dependent subquery in the select list those that a LIMIT
    /// lets happen: one for each row that is sent. One in a condition is run for rows that it drops
    /// as well.
    fn share_under_limit(&self, block: &Block, known: &Known) -> Option<Share> {
        let list = known.list?;
        let mut block = block;
        // The subquery of the outermost SELECT that it is, or stands in.
        for _ in 0..DEEPEST {
            let around = block.under?;
            if !block.is_dependent || block.role != Role::Subquery || block.reader.is_some() {
                return None;
            }
            if around == list.main {
                let runs = self.work(*block.nodes.first()?).runs?;
                let is_shown = block.id? <= list.selects && runs > list.limit;
                return is_shown.then_some(Share { limit: list.limit, runs });
            }
            block = self.case.plan.blocks.get(around)?;
        }
        None
    }

    /// Notes a subquery that runs anew for each row; its tables are those from `first` on.
    fn see_repeated(&mut self, block: &Block, first: usize, share: Option<Share>) {
        let is_inner =
            matches!(block.role, Role::Subquery | Role::Union | Role::Intersect | Role::Except);
        let Some(place) = block.nodes.first().filter(|_| block.is_dependent && is_inner) else {
            return;
        };
        let runs = self.case.plan.nodes.get(*place).and_then(|node| node.actual?.loops);
        self.repeated.push(Repeated {
            place: *place,
            id: block.id,
            runs: runs.unwrap_or(of_share(self.work(*place), share).runs.unwrap_or_default()),
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
        share: Option<Share>,
    ) -> Seen<'a> {
        let work = of_share(self.work(at), share);
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
        let read = measured.or(work.read);
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
            runs: measured_runs.unwrap_or(work.runs.unwrap_or_default()),
            outer: loops.filter(|_| measured.is_some()).unwrap_or(work.outer().unwrap_or_default()),
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
        share: Option<Share>,
    ) {
        if !node.says("Using filesort") || role == Role::Result {
            return;
        }
        let has_temporary = node.says("Using temporary");
        let expected = of_share(self.work(at), share).sorted.unwrap_or_default();
        // What a temporary table holds of a join is known when all its tables are.
        let measured = seen.kept.filter(|_| is_measured && !has_temporary);
        let limit = match role {
            Role::Main => node.limit.or(self.names.glance.limit),
            _ => node.limit,
        };
        self.sorts.push(Sort {
            place: at,
            name: node.table.as_deref(),
            rows: measured.unwrap_or(expected),
            is_measured: measured.is_some(),
            limit,
            has_temporary,
            is_before_temporary: has_temporary,
            in_queue: node.in_queue == Some(true),
            by_aggregate: false,
        });
    }
}

/// What is known of the blocks beside each other.
struct Known {
    /// Lines that read what another block has filled.
    made: HashSet<usize>,
    /// Blocks that are the first part of a UNION.
    joined: HashSet<usize>,
    list: Option<List>,
}

/// The select list of a statement that a LIMIT stops: its block, the greatest number of a SELECT in
/// the list, and the rows at which it stops.
#[derive(Clone, Copy)]
struct List {
    main: usize,
    selects: u64,
    limit: Amount,
}

/// Runs that a LIMIT lets happen, of those that are expected without it.
#[derive(Clone, Copy)]
struct Share {
    limit: Amount,
    runs: Amount,
}

/// Levels of subqueries that are followed.
const DEEPEST: usize = 100;

fn of_share(work: Work, share: Option<Share>) -> Work {
    let Some(share) = share else { return work };
    let part = |all: Option<Amount>| {
        let all = all?;
        Some(all.times(share.limit).ratio(share.runs).unwrap_or(all))
    };
    Work {
        runs: part(work.runs),
        before: part(work.before),
        read: part(work.read),
        left: part(work.left),
        sorted: part(work.sorted),
        stored: part(work.stored),
    }
}

/// SELECTs before the outermost FROM: servers number them as they read, so these are the outermost
/// one and those in its list. None where another clause stands before it.
fn selects_before_from(query: &str) -> u64 {
    let bytes = query.as_bytes();
    let mut depth = 0_usize;
    let mut selects = 0;
    for token in tokens(bytes).take(MOST_TOKENS) {
        let text = token.of(bytes);
        let is = |word: &[u8]| token.kind == Kind::Word && text.eq_ignore_ascii_case(word);
        match text {
            b"(" => depth += 1,
            b")" => depth = depth.saturating_sub(1),
            _ if is(b"SELECT") => selects += 1,
            _ if selects == 0 && (is(b"WITH") || depth > 0) => return 0,
            _ if depth == 0 && is(b"FROM") => return selects,
            _ => {}
        }
    }
    0
}

/// Tokens of a statement that are looked at.
const MOST_TOKENS: usize = 200_000;

/// Whether a line is about the table that an INSERT or REPLACE fills.
fn is_filled(node: &Node) -> bool {
    matches!(node.select_type.as_deref(), Some("INSERT" | "REPLACE"))
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

#[cfg(test)]
mod tests {
    use super::super::super::fixture::{Given, check, line, tsv};
    use crate::advice::Severity;

    /// `INSERT INTO x SELECT * FROM a WHERE k > 5`: the only table that is read is the first one.
    #[test]
    fn the_table_that_is_filled_is_not_read_first() {
        for (verb, query) in [
            ("INSERT", "INSERT INTO x SELECT * FROM a WHERE k > 5"),
            ("REPLACE", "REPLACE INTO x SELECT * FROM a WHERE k > 5"),
        ] {
            let filled = line("x", "ALL", "-", "NULL", "NULL", "-").replace("SIMPLE", verb);
            let scan =
                |extra: &str| tsv(&[&filled, &line("a", "ALL", "-", "300000", "33.33", extra)]);
            let text = scan("Using where");
            let given = Given::plan(&text).query(query);
            let finding = check(&given, "PLAN001", Some(Severity::Medium)).unwrap();
            let advice = finding.recommendation.text;
            assert!(
                advice.starts_with("An index that begins with what the condition compares (`k`)"),
                "{advice}"
            );
            // All rows are wanted.
            check(&Given::plan(&scan("-")), "PLAN001", None);
        }
    }

    fn with_subquery(first: &str) -> String {
        let head =
            tsv(&[&line("a", "ALL", "-", "300000", "100.00", first).replace("SIMPLE", "PRIMARY")]);
        let inner = line("b", "ref", "aid", "50", "100.00", "-");
        format!("{head}{}", inner.replace("1\tSIMPLE", "2\tDEPENDENT SUBQUERY"))
    }

    /// A subquery in the select list runs for rows that are sent: 10 × 50 rows, not 300,000 × 50.
    #[test]
    fn a_limit_stops_a_statement_with_subqueries_as_well() {
        let text = with_subquery("Using where");
        let given = |query| Given::plan(&text).query(query);
        let high = Some(Severity::High);
        let shown = "SELECT (SELECT max(x) FROM b WHERE b.aid = a.id) FROM a WHERE a.k > 3";
        check(&given(shown), "PLAN011", high);
        let limited = format!("{shown} LIMIT 10");
        check(&given(&limited), "PLAN011", None);
        let scan = check(&given(&limited), "PLAN001", Some(Severity::Medium)).unwrap();
        assert_eq!(scan.title, "`a` is read whole: up to 300,000 rows");
        // 3,000 runs of 50 rows.
        let more = format!("{shown} LIMIT 2000, 1000");
        let finding = check(&given(&more), "PLAN011", Some(Severity::Medium)).unwrap();
        assert_eq!(
            finding.title,
            "subquery #2 runs anew for 3,000 rows and reads 150,000 rows in all"
        );
        // A condition is tested on rows that it drops, too.
        let tested =
            "SELECT id FROM a WHERE (SELECT max(x) FROM b WHERE b.aid = a.id) > 3 LIMIT 10";
        check(&given(tested), "PLAN011", high);
        // All rows go into the sum.
        let summed = "SELECT sum((SELECT max(x) FROM b WHERE b.aid = a.id)) FROM a LIMIT 10";
        check(&given(summed), "PLAN011", high);
        // All rows are sorted.
        let sorted = with_subquery("Using where; Using filesort");
        check(&Given::plan(&sorted).query(&limited), "PLAN011", high);
    }
}
