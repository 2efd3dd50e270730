//! A statement with what is known of it, as rules about statements look at it.

use std::ops::Range;

use crate::advice::plan::look::{OF_FACT, OF_TITLE, shortened};
use crate::advice::workload::Class;
use crate::advice::{Action, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject};
use crate::flavor::Family;
use crate::plan::{Amount, Node};
use crate::schema::{self, DataType, Index, Part, Schema, Table, TableKind};
use crate::sql::shape::{
    self, Block, Clause, Condition, Conjunct, Op, Operand, Shape, SourceOf, Test,
};

use super::join::led_by;
use super::words::{Edits, Words};

/// A statement of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The class that it is of.
    pub class: &'a Class<'a>,
    /// What it is made of.
    pub shape: &'a Shape,
    /// The sample that the shape is of.
    pub text: &'a str,
    /// The tables, where a schema was given.
    pub schema: Option<&'a Schema>,
    /// Percent of the time of the workload, or of its weight, where these are known.
    pub share: Option<Amount>,
    /// Statements are reviewed for their own sake: how often they run is not known, and what is
    /// asked of a log before a rule speaks is not asked.
    pub is_review: bool,
}

/// Block and source.
pub type At = (usize, usize);

/// A column with its table.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    pub table: &'a Table,
    pub column: &'a schema::Column,
}

impl<'a> Known<'a> {
    /// Its type, where it is known.
    pub fn data_type(&self) -> Option<&'a DataType> {
        self.column.data_type.as_ref()
    }
}

/// A condition where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Met<'a> {
    /// The block.
    pub block: usize,
    /// The condition.
    pub conjunct: &'a Conjunct,
    /// It stands in an arm of OR.
    pub is_in_or: bool,
}

/// Conditions of a statement, and of a block, that are looked at: of 100,000 arms the first tell
/// enough, and rules that compare each with each stay quick.
const MOST: usize = 2_000;
/// Blocks of a statement that are looked at, and sources of one of them.
const MOST_BLOCKS: usize = 500;
const MOST_SOURCES: usize = 100;

impl<'a> Statement<'a> {
    /// The text of a stretch; empty of what is not in the text.
    pub fn quote(&self, span: &Range<usize>) -> &'a str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// The text of a stretch as evidence: on one line, and not too long.
    pub fn fragment(&self, span: &Range<usize>) -> String {
        shortened(&on_one_line(self.quote(span)), OF_FACT)
    }

    /// Blocks that stand in the text, with their places: the first of very many.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &'a Block)> {
        let blocks = self.shape.blocks.iter().enumerate();
        let small = blocks.filter(|(_, block)| block.sources.len() <= MOST_SOURCES);
        small.filter(|(_, block)| !block.span.is_empty()).take(MOST_BLOCKS)
    }

    /// The block at a place.
    pub fn block(&self, at: usize) -> Option<&'a Block> {
        self.shape.blocks.get(at)
    }

    /// Whether a block is the whole statement: no arm, no part of another one.
    pub fn is_alone(&self, block: &Block) -> bool {
        block.role == shape::Role::Statement && block.arm.is_none() && block.parent.is_none()
    }

    /// All conditions that stand in the text, those of arms of OR included.
    pub fn conditions(&self) -> Vec<Met<'a>> {
        let mut met: Vec<Met<'a>> = Vec::new();
        for (block, it) in self.blocks() {
            let mut open: Vec<Met<'a>> = it
                .conditions
                .iter()
                .take(MOST)
                .rev()
                .map(|conjunct| Met { block, conjunct, is_in_or: false })
                .collect();
            while let Some(next) = open.pop() {
                if met.len() >= MOST {
                    return met;
                }
                match &next.conjunct.condition {
                    Condition::Any(arms) => {
                        let inside = arms.iter().rev().flat_map(|arm| arm.iter().rev());
                        open.extend(inside.take(MOST).map(|conjunct| Met {
                            block,
                            conjunct,
                            is_in_or: true,
                        }));
                    }
                    _ if next.conjunct.span.is_empty() => {}
                    _ => met.push(next),
                }
            }
        }
        met
    }

    /// Tests that all rows of a source must pass: those of WHERE outside of OR.
    pub fn tests(&self, at: At) -> impl Iterator<Item = &'a Test> {
        let conditions = self.block(at.0).map_or(&[][..], |block| &block.conditions);
        conditions.iter().take(MOST).filter_map(move |conjunct| {
            let is_there = conjunct.clause == Clause::Where || conjunct.clause == Clause::On(at.1);
            match &conjunct.condition {
                Condition::Test(test) if is_there && test.column.of == Some(at) => Some(test),
                _ => None,
            }
        })
    }

    /// The name of the table that a source is.
    fn table_name(&self, at: At) -> Option<(Option<String>, String)> {
        match &self.block(at.0)?.sources.get(at.1)?.of {
            SourceOf::Table(name) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let database = name.database.as_deref().map(text);
                Some((database.or_else(|| self.class.database.clone()), text(&name.name)))
            }
            _ => None,
        }
    }

    /// Whether a source is a table of the server itself, which nobody advises on.
    pub fn is_of_system(&self, at: At) -> bool {
        const SYSTEM: &[&str] = &["information_schema", "mysql", "performance_schema", "sys"];
        let database = self.table_name(at).and_then(|it| it.0);
        database.is_some_and(|own| SYSTEM.iter().any(|name| own.eq_ignore_ascii_case(name)))
    }

    /// Whether a source is a table, as far as is known.
    pub fn is_table(&self, at: At) -> bool {
        self.table_name(at).is_some()
    }

    /// The definition of the table that a source is.
    pub fn table(&self, at: At) -> Option<&'a Table> {
        let (database, name) = self.table_name(at)?;
        let table = self.schema?.table(database.as_deref(), &name)?;
        (table.kind != TableKind::View && table.is_defined).then_some(table)
    }

    /// `db.table` of a source.
    pub fn full_name(&self, at: At) -> Option<String> {
        if let Some(table) = self.table(at).filter(|table| table.db.is_some()) {
            return Some(table.full_name());
        }
        let (database, name) = self.table_name(at)?;
        Some(match database {
            Some(database) => format!("{database}.{name}"),
            None => name,
        })
    }

    /// The name by which the statement calls a source.
    pub fn called(&self, at: At) -> Option<String> {
        let source = self.block(at.0)?.sources.get(at.1)?;
        source.alias.clone().or_else(|| self.table_name(at).map(|it| it.1))
    }

    /// The definition of a column.
    pub fn column(&self, column: &shape::Column) -> Option<Known<'a>> {
        let table = self.table(column.of?)?;
        Some(Known { table, column: table.column(&column.name)? })
    }

    /// `table.column`.
    pub fn column_name(&self, column: &shape::Column) -> String {
        match column.of.and_then(|at| self.full_name(at)) {
            Some(table) => format!("{table}.{}", column.name),
            None => column.name.clone(),
        }
    }

    /// The steps of plans that read a source.
    pub fn steps(&self, at: At) -> Vec<&'a Node> {
        let Some(called) = self.called(at) else { return Vec::new() };
        let plans = self.class.plans.iter();
        let nodes = plans.flat_map(|plan| plan.all_nodes());
        let is_it = |node: &&Node| {
            node.table.as_ref().is_some_and(|table| table.eq_ignore_ascii_case(&called))
        };
        nodes.filter(is_it).collect()
    }

    /// Whether a plan reads the whole source, row by row or by the whole of an index; none where no
    /// plan tells.
    pub fn is_scanned(&self, at: At) -> Option<bool> {
        let steps = self.steps(at);
        let mut ways = steps.iter().filter_map(|node| node.access_type.as_deref()).peekable();
        ways.peek()?;
        Some(ways.any(|way| matches!(way, "ALL" | "index")))
    }

    /// How many rows a source has: as the schema tells, or the plan of a scan; of a statement that
    /// reads nothing else at most those that the log counted.
    pub fn rows(&self, at: At) -> Option<u64> {
        let told = self.table(at).and_then(|table| table.facts.rows);
        told.or_else(|| {
            let steps = self.steps(at);
            let scan = steps.iter().find(|node| node.access_type.as_deref() == Some("ALL"))?;
            u64::try_from(scan.rows?.floor()).ok()
        })
        .or_else(|| {
            let is_only = self.shape.blocks.len() == 1
                && self.block(at.0).is_some_and(|block| block.sources.len() == 1);
            self.examined().filter(|_| is_only)
        })
    }

    /// Whether a source is known to have fewer rows.
    pub fn is_below(&self, at: At, rows: u64) -> bool {
        self.rows(at).is_some_and(|own| own < rows)
    }

    /// Rows that a call examines, on average.
    pub fn examined(&self) -> Option<u64> {
        u64::try_from(self.class.load.rows_examined?.mean.rounded().floor()).ok()
    }

    /// Rows that a call sends, on average.
    pub fn sent(&self) -> Option<u64> {
        u64::try_from(self.class.load.rows_sent?.mean.rounded().floor()).ok()
    }

    /// Rows that a call changes, on average.
    pub fn affected(&self) -> Option<u64> {
        self.class.rows_affected?.checked_div(self.class.calls)
    }

    /// Whether few rows are examined for each one that is sent or changed: what narrows is found
    /// already.
    pub fn is_narrow(&self, factor: u64) -> bool {
        let given = self.sent().unwrap_or(0).max(self.affected().unwrap_or(0)).max(1);
        self.examined().is_some_and(|examined| examined <= given.saturating_mul(factor))
    }

    /// Whether constants fix all columns of a unique index of a source: one row at most is found.
    pub fn fixes_row(&self, at: At) -> bool {
        self.fixes_row_by(at, |_| true)
    }

    fn fixes_row_by(&self, at: At, counts: impl Fn(&Test) -> bool) -> bool {
        let Some(table) = self.table(at) else { return false };
        let is_fixed = |part: &Part| {
            part.prefix.is_none()
                && self.tests(at).any(|test| {
                    let is_equal = match &test.op {
                        Op::Equal(Operand::Value(_)) => true,
                        Op::Equal(Operand::Column(other)) => {
                            other.of.is_some_and(|of| of.0 != at.0)
                        }
                        _ => false,
                    };
                    is_equal && counts(test) && part.is_column(&test.column.name)
                })
        };
        table.indexes.iter().any(|index| index.is_unique() && index.parts.iter().all(is_fixed))
    }

    /// The same by other columns than this one.
    pub fn fixes_row_besides(&self, at: At, column: &shape::Column) -> bool {
        self.fixes_row_by(at, |test| test.column != *column)
    }

    /// An index of a source that a condition on a column could be searched by, once it is bare: the
    /// column leads it, or all parts before it are equal to something.
    pub fn index_for(&self, at: At, column: &str) -> Option<&'a Index> {
        let table = self.table(at)?;
        let is_equal = |part: &Part| {
            self.tests(at).any(|test| {
                matches!(test.op, Op::Equal(_) | Op::NullSafe(_) | Op::IsNull)
                    && part.is_column(&test.column.name)
            })
        };
        led_by(table, column).or_else(|| {
            let mut visible = table.indexes.iter().filter(|index| index.is_visible);
            visible.find(|index| {
                let before = index.parts.iter().take_while(|part| !part.is_column(column));
                index.parts.iter().any(|part| part.is_column(column))
                    && before.into_iter().all(is_equal)
            })
        })
    }

    /// Whether a test finds few rows of its source: by an equality, a list, a range. With a schema an
    /// index must be there to find them by. What it is joined by narrows one side of two.
    pub fn is_narrowed(&self, at: At) -> bool {
        let is_join = |op: &Op| match op {
            Op::Equal(Operand::Column(other)) | Op::NullSafe(Operand::Column(other)) => {
                other.of.is_none_or(|of| of.0 == at.0)
            }
            _ => false,
        };
        self.tests(at).any(|test| {
            is_search(&test.op)
                && !is_join(&test.op)
                && (self.table(at).is_none() || self.index_for(at, &test.column.name).is_some())
        })
    }

    /// Whether an index holds all columns that the statement reads of a source.
    pub fn is_covered(&self, at: At) -> bool {
        let (Some(table), Some(block)) = (self.table(at), self.block(at.0)) else { return false };
        let Some(source) = block.sources.get(at.1) else { return false };
        let holds = |index: &Index| {
            let parts = table.key_parts(index);
            source.columns.iter().all(|column| {
                parts.iter().any(|part| {
                    part.prefix.is_none()
                        && part.column.is_some_and(|own| own.eq_ignore_ascii_case(column))
                })
            })
        };
        let secondary = |index: &&Index| {
            index.is_visible
                && matches!(index.kind, schema::IndexKind::Plain | schema::IndexKind::Unique)
        };
        let is_listed = !source.is_star || source.columns.len() >= table.columns.len();
        !source.columns.is_empty() && is_listed && table.indexes.iter().filter(secondary).any(holds)
    }

    /// The server, where it is known: MySQL or MariaDB, and its version.
    pub fn server(&self) -> Option<(Family, Version)> {
        let server = self.schema?.server()?;
        let family = match server.family {
            Family::MariaDb => Family::MariaDb,
            Family::MySql | Family::Percona | Family::Aurora => Family::MySql,
            _ => return None,
        };
        let patch = server.version.split('.').nth(2).unwrap_or_default();
        let digits: String = patch.chars().take_while(char::is_ascii_digit).take(4).collect();
        Some((family, (server.major, server.minor, digits.parse().unwrap_or(0))))
    }

    /// The family of the server: that of the schema, or of a plan.
    pub fn family(&self) -> Option<Family> {
        let of_plan = || match self.class.plans.first()?.flavor {
            Family::Unknown | Family::TiDb => None,
            Family::MariaDb => Some(Family::MariaDb),
            _ => Some(Family::MySql),
        };
        self.server().map(|it| it.0).or_else(of_plan)
    }

    /// Whether the server is known to be of a family, of this version or a later one.
    pub fn is_since(&self, family: Family, version: Version) -> bool {
        self.server().is_some_and(|(own, at)| own == family && at >= version)
    }

    /// Whether the server is known to be of a family, and older.
    pub fn is_before(&self, family: Family, version: Version) -> bool {
        self.server().is_some_and(|(own, at)| own == family && at < version)
    }

    /// How sure a finding is that needs the table of a source: no more than a guess without.
    pub fn confidence(&self, at: Option<At>) -> Confidence {
        match at.and_then(|at| self.table(at)) {
            Some(_) => Confidence::Medium,
            None => Confidence::Low,
        }
    }

    /// A finding with what it was found by.
    pub fn finding(
        &self,
        rule: &Rule,
        severity: Severity,
        confidence: Confidence,
        title: &str,
        spans: &[&Range<usize>],
    ) -> Finding {
        let mut fragments: Vec<String> =
            spans.iter().take(MOST_FRAGMENTS).map(|span| self.fragment(span)).collect();
        fragments.retain(|it| !it.is_empty());
        fragments.dedup();
        let fragment = match fragments.len() {
            0 => Fact::text("fragment", self.fragment(&(0..self.text.len()))),
            1 => Fact::text("fragment", fragments.swap_remove(0)),
            _ => Fact::list("fragments", fragments),
        };
        let mut evidence = vec![fragment];
        evidence.extend(self.share.map(|share| Fact::number("share_percent", share)));
        let load = &self.class.load;
        evidence.extend(load.rows_examined.map(|it| Fact::number("rows_examined_avg", it.mean)));
        evidence.extend(load.rows_sent.map(|it| Fact::number("rows_sent_avg", it.mean)));
        Finding {
            rule: rule.code,
            category: rule.category,
            severity,
            confidence,
            title: on_one_line(title),
            subject: Subject { query_id: Some(self.class.id), ..Subject::default() },
            evidence,
            recommendation: Recommendation { action: Action::None, ..Recommendation::default() },
            benefit: None,
            verify: String::new(),
            queries: vec![self.class.id],
        }
    }

    /// A finding about a source.
    pub fn of_source(
        &self,
        rule: &Rule,
        at: At,
        severity: Severity,
        confidence: Confidence,
        title: &str,
        spans: &[&Range<usize>],
    ) -> Finding {
        let mut finding = self.finding(rule, severity, confidence, title, spans);
        finding.subject.table = self.full_name(at);
        finding
            .evidence
            .extend(self.rows(at).map(|rows| Fact::number("rows", Amount::whole(rows))));
        let step = self.steps(at).into_iter().find_map(|node| node.access_type.as_ref());
        finding.evidence.extend(step.map(|it| Fact::text("access_type", it)));
        finding
    }

    /// Whether a condition means what its words say by themselves: no NOT stands before it, and it is
    /// no part of an OR.
    pub fn is_as_written(&self, block: &Block, span: &Range<usize>) -> bool {
        let Some(words) = Words::of_any(self.text, &(block.span.start..span.start)) else {
            return false;
        };
        let last = (0..words.len()).rev().find(|at| words.at(*at) != "(");
        last.is_some_and(|at| {
            words.at(at) == "&&"
                || ["WHERE", "ON", "AND", "HAVING"].iter().any(|word| words.is_word(at, word))
        })
    }

    /// The whole statement with edits made; none of a statement that was cut.
    pub fn rewritten(&self, edits: &Edits) -> Option<String> {
        if self.shape.is_partial || self.text.len() > MOST_TEXT {
            return None;
        }
        edits.apply(self.text)
    }
}

/// Major, minor, patch.
pub type Version = (u32, u32, u32);

/// Stretches that are quoted in one finding.
const MOST_FRAGMENTS: usize = 8;
/// Bytes of a statement that is written anew.
const MOST_TEXT: usize = 65_536;

/// Recommends another statement, where there is one.
pub fn recommend(finding: &mut Finding, text: String, sql: Option<String>) {
    finding.recommendation.text = text;
    if let Some(sql) = sql {
        finding.recommendation.action = Action::Rewrite;
        finding.recommendation.sql = vec![sql];
    }
}

/// A name or fragment in a title.
pub fn in_title(text: &str) -> String {
    shortened(&on_one_line(text), OF_TITLE)
}

/// A text with each stretch of white space as one blank.
pub fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(OF_FACT * 8));
    for word in text.split_ascii_whitespace() {
        if line.len() > OF_FACT * 4 {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Whether an index can be searched for the rows that pass a test.
pub fn is_search(op: &Op) -> bool {
    match op {
        Op::Equal(_) | Op::NullSafe(_) | Op::IsNull | Op::In(_) | Op::InRows(_) | Op::Prefix(_) => {
            true
        }
        Op::Range { low, high } => low.is_some() || high.is_some(),
        Op::InBlock(_) => true,
        Op::Compared(Operand::Value(_) | Operand::Block(_)) => true,
        _ => false,
    }
}
