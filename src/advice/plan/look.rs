//! A plan as its rules see it: the tables that are read, what is sorted, what runs anew for each
//! row, each with the rows that it handles in all.
//!
//! The forms of EXPLAIN differ: a line of the tabular form says its filter and its sort itself, in
//! TREE they are steps above it. Here they are the same. Rows that were measured go before rows
//! that were expected.

mod lines;
mod steps;

use crate::advice::{Action, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject};
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS};
use crate::plan::{Amount, Format, Node, Plan, Work};
use crate::schema::Table;
use crate::sql::glance::{self, ColumnName, Comparison, Hidden, Mention, Verb};

use super::case::Case;
use super::names::Names;

/// Rows touched from which a finding is high, where no log tells the share of time.
///
/// Ours, as are the other two; users who give a log get the share of time in their place.
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
    /// Whether `rows` are those that go into that table, and what it then holds is sorted.
    pub is_before_temporary: bool,
    /// Whether a priority queue was seen to do it.
    pub in_queue: bool,
    /// Whether it is by an aggregate.
    pub by_aggregate: bool,
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
    work: Vec<Work>,
    /// Tables that are read, without those that the server makes.
    pub tables: Vec<Seen<'a>>,
    /// Sorts.
    pub sorts: Vec<Sort<'a>>,
    /// Subqueries that run anew for each row.
    pub repeated: Vec<Repeated>,
    /// Whether rows are changed.
    pub is_write: bool,
    /// Whether rows of any step were measured.
    is_measured: bool,
}

impl<'a> Look<'a> {
    /// Looks at a plan.
    pub fn new(case: Case<'a>) -> Look<'a> {
        let plan = case.plan;
        let names = Names::of(plan, case.schema);
        let nodes = plan.all_nodes();
        let work = plan.work_so_far();
        let is_write = is_write(plan, &nodes, names.glance.verb);
        let is_measured =
            nodes.iter().any(|node| node.actual.is_some_and(|it| it.rows_per_loop.is_some()));
        let mut look = Look {
            case,
            names,
            parents: parents(&nodes),
            nodes,
            work,
            tables: Vec::new(),
            sorts: Vec::new(),
            repeated: Vec::new(),
            is_write,
            is_measured,
        };
        if plan.blocks.is_empty() {
            look.see_tree()
        } else {
            look.see_blocks()
        }
        if let ([sort], true) = (look.sorts.as_mut_slice(), look.names.glance.orders_by_aggregate) {
            sort.by_aggregate = true;
        }
        look
    }

    /// Percent of the time of a measured plan that reading and testing the rows of a table takes.
    pub fn time_percent(&self, seen: &Seen<'_>) -> Option<Amount> {
        let whole = self.case.plan.actual_ms()?;
        let filter = self.above(seen.place).next().and_then(|above| self.nodes.get(above.place));
        // What subqueries of the filter take is not the time of the table.
        let filter = filter
            .filter(|node| operation(node).starts_with("Filter: ") && node.children.len() == 1);
        let ms = filter.and_then(|node| node.actual?.ms).or(seen.node.actual?.ms)?;
        ms.times(Amount::whole(100)).ratio(whole)
    }

    /// Percent of the time of a measured plan that all runs of a subquery take.
    pub fn repeated_percent(&self, repeated: &Repeated) -> Option<Amount> {
        let node = self.nodes.get(repeated.place)?;
        let first = node.children.first().and_then(|child| child.actual?.ms);
        let ms = node.actual.and_then(|it| it.ms).or(first)?;
        ms.times(Amount::whole(100)).ratio(self.case.plan.actual_ms()?)
    }

    /// Whether a measured plan shows that reading a table hardly takes time.
    pub fn is_quick(&self, seen: &Seen<'_>) -> bool {
        self.time_percent(seen).is_some_and(|percent| percent < Amount::whole(LEAST_TIME))
    }

    /// Whether a measured plan shows that a step never ran: no loops, or no figure where the others
    /// have one.
    pub fn never_ran(&self, place: usize) -> bool {
        let Some(node) = self.nodes.get(place) else { return false };
        let actual = node.actual.unwrap_or_default();
        // MariaDB counts nothing where a subquery is a lookup.
        let is_counted = |access: &String| !access.ends_with("_subquery");
        let is_line = self.case.plan.format == Format::Table
            && node.access_type.as_ref().is_some_and(is_counted);
        actual.loops == Some(Amount::ZERO)
            || is_line && self.is_measured && actual.rows_per_loop.is_none()
    }

    /// What is expected of a step.
    pub fn work(&self, place: usize) -> Work {
        self.work.get(place).copied().unwrap_or_default()
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

    /// Comparisons that keep columns of a table from an index.
    pub fn hidden(&self, seen: &Seen<'_>) -> Vec<Hidden> {
        let own = seen.condition.map(glance::condition).unwrap_or_default().hidden;
        let own = own.into_iter().filter(|it| is_named(&it.column, seen));
        own.chain(self.names.hidden_of(seen.name).cloned()).collect()
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

/// The step in the words of TREE; empty in other forms.
pub fn operation(node: &Node) -> &str {
    node.operation.as_deref().unwrap_or_default()
}

/// Whether a name is that of a table: not one that the server makes, such as `<derived2>`.
fn is_real(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('<')
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
    amount.grouped()
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
