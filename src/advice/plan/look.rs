//! A plan as its rules see it: the tables that are read, what is sorted, what runs anew for each
//! row, each with the rows that it handles in all.
//!
//! The forms of EXPLAIN differ: a line of the tabular form says its filter and its sort itself, in
//! TREE they are steps above it. Here they are the same. Rows that were measured go before rows
//! that were expected.

use std::collections::HashMap;

use crate::advice::{Action, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject};
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS};
use crate::plan::{Amount, Node, Plan, Role, StepEstimate};
use crate::schema::Table;
use crate::sql::glance::{self, ColumnName, Comparison, Mention, Verb};

use super::case::Case;
use super::names::Names;

/// Rows touched from which a finding is high, where no log tells the share of time.
///
/// Ours, as are the other two (§3 of the rules): a million rows are read in about a second.
pub const HIGH_ROWS: u64 = 1_000_000;
/// Rows touched from which a finding is medium.
pub const MEDIUM_ROWS: u64 = MANY_ROWS;
/// Rows touched from which there is a finding at all.
pub const LOW_ROWS: u64 = NOTABLE_ROWS;
/// Percent of the time of a log below which a class is not worth a finding.
pub const LEAST_SHARE: u64 = 1;

/// Percent of the time of a measured plan below which a step does not matter.
pub const LEAST_TIME: u64 = 10;

/// How a table is joined without an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// Each pair of rows is compared.
    Loop,
    /// Rows are looked up in a hash.
    Hash,
}

/// A step above another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Above {
    /// Its place in `all_nodes`.
    pub place: usize,
    /// Which of the steps directly below it is the way to the other.
    pub order: usize,
}

/// A table that is read.
#[derive(Debug, Clone)]
pub struct Seen<'p> {
    /// Its place in `all_nodes`.
    pub place: usize,
    /// The node.
    pub node: &'p Node,
    /// Its name in the plan.
    pub name: &'p str,
    /// How often it is read.
    pub runs: Amount,
    /// Rows for which it has to find partners.
    pub outer: Amount,
    /// Rows read over all runs.
    pub read: Option<Amount>,
    /// Rows of these that its condition keeps.
    pub kept: Option<Amount>,
    /// Whether `read` was measured.
    pub is_measured: bool,
    /// Whether `kept` was.
    pub is_kept_measured: bool,
    /// Whether the print tells what is kept. 100.00 beside a condition does not: it stands for
    /// what the server does not know as well.
    pub is_kept_told: bool,
    /// Whether rows are tested after they are read.
    pub has_condition: bool,
    /// The condition, where the print tells it.
    pub condition: Option<&'p str>,
    /// Whether no table of its SELECT is read before it.
    pub is_first: bool,
    /// Whether it is joined without an index.
    pub buffer: Option<Buffer>,
    /// Whether a LIMIT or a semijoin stops the reading.
    pub stops_early: bool,
    /// Unfiltered rows of the tables of its SELECT before it, multiplied.
    pub before: Amount,
    /// Its block, where the print has blocks.
    pub block: Option<usize>,
}

impl Seen<'_> {
    /// Whether the whole table is read.
    pub fn is_scan(&self) -> bool {
        self.node
            .access_type
            .as_deref()
            .is_some_and(|access| access.trim_start_matches("hash_") == "ALL")
    }

    /// Whether a whole index is read.
    pub fn is_index_scan(&self) -> bool {
        let access = self.node.access_type.as_deref();
        access.is_some_and(|access| access.trim_start_matches("hash_") == "index")
    }

    /// Percent of the rows read that are kept.
    pub fn kept_percent(&self) -> Option<Amount> {
        self.kept?.times(Amount::whole(100)).ratio(self.read?)
    }
}

/// A sort.
#[derive(Debug, Clone)]
pub struct Sort<'p> {
    /// Place of the node that says so.
    pub place: usize,
    /// The first table whose rows are sorted.
    pub name: Option<&'p str>,
    /// Rows that are sorted.
    pub rows: Amount,
    /// Whether these were measured.
    pub is_measured: bool,
    /// Rows after which it may stop.
    pub limit: Option<u64>,
    /// Whether the rows are put into a temporary table first.
    pub has_temporary: bool,
}

/// A subquery that runs anew for each row.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// Place of its first step.
    pub place: usize,
    /// Number of the SELECT.
    pub id: Option<u64>,
    /// How often it runs.
    pub runs: Amount,
    /// Whether that was measured.
    pub is_measured: bool,
    /// Places of its tables among those seen.
    pub tables: Vec<usize>,
}

/// The plan.
#[derive(Debug)]
pub struct Look<'a> {
    /// What is known.
    pub case: Case<'a>,
    /// Names of the statement.
    pub names: Names<'a>,
    /// All nodes.
    pub nodes: Vec<&'a Node>,
    /// The step above each.
    parents: Vec<Option<Above>>,
    /// What is expected of each.
    pub estimates: Vec<StepEstimate>,
    /// Tables that are read, without those that the server makes.
    pub tables: Vec<Seen<'a>>,
    /// Sorts.
    pub sorts: Vec<Sort<'a>>,
    /// Subqueries that run anew for each row.
    pub repeated: Vec<Repeated>,
    /// Whether rows are changed.
    pub is_write: bool,
}

impl<'a> Look<'a> {
    /// Looks at a plan.
    pub fn new(case: Case<'a>) -> Look<'a> {
        let plan = case.plan;
        let names = Names::of(plan, case.schema);
        let nodes = plan.all_nodes();
        let estimates = plan.step_estimates();
        let is_write = is_write(plan, &nodes, names.glance.verb);
        let mut look = Look {
            case,
            names,
            parents: parents(&nodes),
            nodes,
            estimates,
            tables: Vec::new(),
            sorts: Vec::new(),
            repeated: Vec::new(),
            is_write,
        };
        if plan.blocks.is_empty() {
            look.see_tree()
        } else {
            look.see_blocks()
        }
        look
    }

    /// Percent of the time of a measured plan that reading and testing the rows of a table takes.
    pub fn time_percent(&self, seen: &Seen<'_>) -> Option<Amount> {
        let whole = self.case.plan.actual_ms()?;
        let filter = self.above(seen.place).next().and_then(|above| self.nodes.get(above.place));
        let filter = filter.filter(|node| operation(node).starts_with("Filter: "));
        let ms = filter.and_then(|node| node.actual?.ms).or(seen.node.actual?.ms)?;
        ms.times(Amount::whole(100)).ratio(whole)
    }

    /// Whether a measured plan shows that reading a table hardly takes time.
    pub fn is_quick(&self, seen: &Seen<'_>) -> bool {
        self.time_percent(seen).is_some_and(|percent| percent < Amount::whole(LEAST_TIME))
    }

    /// What is expected of a step.
    pub fn estimate(&self, place: usize) -> StepEstimate {
        self.estimates.get(place).copied().unwrap_or_default()
    }

    /// The definition of a table that is read.
    pub fn table(&self, seen: &Seen<'_>) -> Option<&'a Table> {
        self.names.table(seen.name)
    }

    /// How much it matters: by the share of time where a log tells it, else by rows touched.
    pub fn severity(&self, rows: Amount, with_log: Severity) -> Option<Severity> {
        match self.case.load.and_then(|load| load.share) {
            Some(share) if share < Amount::whole(LEAST_SHARE) => None,
            Some(_) => Some(with_log),
            None => by_rows(rows),
        }
    }

    /// Percent of the time of the log.
    pub fn share(&self) -> Option<Amount> {
        self.case.load?.share
    }

    /// Comparisons of columns of a table, as its step and the statement have them.
    pub fn comparisons(&self, seen: &Seen<'_>) -> Vec<Comparison> {
        let own = seen.condition.map(glance::condition).unwrap_or_default().comparisons;
        let own = own.into_iter().filter(|it| is_named(&it.column, seen));
        own.chain(self.names.comparisons_of(seen.name).cloned()).collect()
    }

    /// Columns of a table in conditions.
    pub fn mentions(&self, seen: &Seen<'_>) -> Vec<Mention> {
        let own = seen.condition.map(glance::condition).unwrap_or_default().mentions;
        let own = own.into_iter().filter(|it| is_named(&it.column, seen));
        own.chain(self.names.mentions_of(seen.name).cloned()).collect()
    }

    /// Steps above a step, the nearest first, each with which of its ways leads to it.
    pub fn above(&self, place: usize) -> impl Iterator<Item = Above> {
        let parent = |place: usize| self.parents.get(place).copied().flatten();
        std::iter::successors(parent(place), move |it| parent(it.place)).take(NEAR)
    }

    /// A finding about a table, without evidence.
    pub fn of_table(
        &self,
        rule: &Rule,
        seen: &Seen<'_>,
        severity: Severity,
        title: String,
    ) -> Finding {
        let mut finding = self.finding(rule, severity, title);
        finding.subject.table = Some(self.names.full_name(seen.name));
        finding.subject.step = Some(seen.place);
        if seen.is_measured {
            finding.confidence = Confidence::High;
        }
        finding
    }

    /// A finding about the plan, without evidence. What follows from estimates is of medium
    /// confidence.
    pub fn finding(&self, rule: &Rule, severity: Severity, title: String) -> Finding {
        let query_id = self.case.load.and_then(|load| load.query_id);
        let mut evidence = Vec::new();
        evidence.extend(self.share().map(|share| Fact::number("share_percent", share)));
        Finding {
            rule: rule.code,
            category: rule.category,
            severity,
            confidence: Confidence::Medium,
            // A name or a literal may hold line ends; a title is one line.
            title: title.replace(['\n', '\r'], " "),
            subject: Subject { query_id, ..Subject::default() },
            evidence,
            recommendation: Recommendation { action: Action::None, ..Recommendation::default() },
            benefit: None,
            verify: String::new(),
            queries: query_id.into_iter().collect(),
        }
    }

    /// Facts of the reading of a table that every rule about it shows.
    pub fn facts(&self, seen: &Seen<'_>) -> Vec<Fact> {
        let node = seen.node;
        let mut facts = Vec::new();
        facts.extend(node.access_type.as_ref().map(|it| Fact::text("access_type", it)));
        facts.extend(node.key.as_ref().map(|it| Fact::text("key", it)));
        facts.extend(node.possible_keys.as_ref().map(|it| Fact::text("possible_keys", it)));
        if let Some(read) = seen.read {
            let name = if seen.is_measured { "rows_read_measured" } else { "rows_read_estimated" };
            facts.push(Fact::number(name, read));
        }
        if seen.runs >= Amount::whole(2) {
            facts.push(Fact::number("runs", seen.runs.rounded()));
        }
        if let Some(kept) = seen.kept.filter(|_| seen.has_condition && seen.is_kept_told) {
            let name =
                if seen.is_kept_measured { "rows_kept_measured" } else { "rows_kept_estimated" };
            facts.push(Fact::number(name, kept));
        }
        facts.extend(seen.condition.map(|it| Fact::text("condition", shortened(it, OF_FACT))));
        facts
    }

    // What the forms with blocks say.

    fn see_blocks(&mut self) {
        let plan = self.case.plan;
        let made: Vec<usize> = plan.blocks.iter().filter_map(|block| block.reader).collect();
        for (number, block) in plan.blocks.iter().enumerate() {
            let has_sort = block
                .nodes
                .iter()
                .filter_map(|at| plan.nodes.get(*at))
                .any(|node| node.says("Using filesort") || node.says("Using temporary"));
            let limit_stops = block.role == Role::Main
                && self.names.glance.has_limit
                && !self.names.glance.reads_all
                && !has_sort
                && plan.blocks.len() == 1;
            let first_of_block = self.tables.len();
            let first_sort = self.sorts.len();
            let mut loops = Some(Amount::ONE);
            let mut before = Amount::ONE;
            let mut is_all_measured = true;
            for (order, at) in block.nodes.iter().enumerate() {
                let Some(node) = plan.nodes.get(*at) else { continue };
                let mut seen = self.seen_of_line(*at, node, order == 0, loops);
                seen.block = Some(number);
                seen.before = before;
                before = before.times(node.rows.unwrap_or(Amount::ONE));
                seen.stops_early |= limit_stops;
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
                for sort in self.sorts.iter_mut().skip(first_sort).filter(|sort| sort.has_temporary)
                {
                    (sort.rows, sort.is_measured) = (rows, true);
                }
            }
            let is_repeated = block.is_dependent
                && matches!(
                    block.role,
                    Role::Subquery | Role::Union | Role::Intersect | Role::Except
                );
            if let Some(place) = block.nodes.first().filter(|_| is_repeated) {
                let runs = plan.nodes.get(*place).and_then(|node| node.actual?.loops);
                self.repeated.push(Repeated {
                    place: *place,
                    id: block.id,
                    runs: runs.unwrap_or(self.estimate(*place).runs),
                    is_measured: runs.is_some(),
                    tables: (first_of_block..self.tables.len()).collect(),
                });
            }
        }
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
        });
    }

    // What the forms say whose steps hold each other.

    fn see_tree(&mut self) {
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

/// Whether a column in the condition of a step is one of its table.
fn is_named(column: &ColumnName, seen: &Seen<'_>) -> bool {
    column.table.as_ref().is_none_or(|table| table.eq_ignore_ascii_case(seen.name))
}

/// The step above each step; the nodes below one stand directly behind it.
fn parents(nodes: &[&Node]) -> Vec<Option<Above>> {
    let mut parents = vec![None; nodes.len()];
    // Steps whose children are still to come, with how many of them came.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|(_, came, all)| came == all) {
            open.pop();
        }
        if let (Some((above, came, _)), Some(parent)) = (open.last_mut(), parents.get_mut(place)) {
            *parent = Some(Above { place: *above, order: *came });
            *came += 1;
        }
        open.push((place, 0, node.children.len()));
    }
    parents
}

/// Steps above a step that are looked at.
const NEAR: usize = 64;

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

/// The step in the words of TREE; empty in other forms.
pub fn operation(node: &Node) -> &str {
    node.operation.as_deref().unwrap_or_default()
}

/// Whether a name is that of a table: not one that the server makes, such as `<derived2>`.
fn is_real(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('<')
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

fn is_write(plan: &Plan, nodes: &[&Node], verb: Verb) -> bool {
    let is_word = |node: &&Node| matches!(node.select_type.as_deref(), Some("UPDATE" | "DELETE"));
    let is_step = |node: &Node| {
        let operation = operation(node);
        operation.starts_with("Update ") || operation.starts_with("Delete ")
    };
    matches!(verb, Verb::Update | Verb::Delete)
        || nodes.iter().any(is_word)
        || plan.nodes.first().is_some_and(is_step)
}

/// The severity of a finding that touches so many rows.
pub fn by_rows(rows: Amount) -> Option<Severity> {
    if rows >= Amount::whole(HIGH_ROWS) {
        Some(Severity::High)
    } else if rows >= Amount::whole(MEDIUM_ROWS) {
        Some(Severity::Medium)
    } else {
        (rows >= Amount::whole(LOW_ROWS)).then_some(Severity::Low)
    }
}

/// A number for people: whole from ten on, with its thousands parted.
pub fn count(amount: Amount) -> String {
    if amount < Amount::whole(10) {
        // Two decimals are enough of a small average.
        let hundredths = amount.times(Amount::whole(100)).rounded();
        return hundredths.ratio(Amount::whole(100)).unwrap_or_default().to_string();
    }
    let digits = amount.rounded().floor().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Characters of a text in a fact, and in a title.
pub const OF_FACT: usize = 300;
pub const OF_TITLE: usize = 80;

/// The beginning of a text.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
