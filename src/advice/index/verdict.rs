//! What was chosen, as findings: the statement to run, what it serves, what it costs, how to see
//! that it helped; and for each class without one why no new index helps.

use std::collections::{BTreeSet, HashMap};

use crate::advice::finding::listed;
use crate::advice::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal,
    Recommendation, Rejected, Rule, Severity, Subject, Workload,
};
use crate::flavor::Family;
use crate::plan::Amount;
use crate::schema::{Server, Table};
use crate::sql::fingerprint::ClassId;
use crate::sql::shape::{Verb, Why};

use super::Analysed;
use super::candidate::{Form, Purpose, Reason};
use super::catalogue;
use super::estimate::From;
use super::limit::{self, quoted, quoted_table};
use super::query::{Cause, TestKind};
use super::select::{Chosen, Gain, Left, Member, Weighed, reason_of};
use super::tables::{Key, Known, Tables};

pub(super) struct Judge<'j, 'a> {
    pub tables: &'j Tables<'a>,
    pub analysed: &'j [Analysed<'j>],
    pub weighed: &'j [Weighed],
    pub chosen: &'j Chosen,
    pub workload: &'j Workload<'j>,
    pub server: Option<&'j Server>,
}

impl Judge<'_, '_> {
    /// Findings, and what was left out.
    pub fn findings(&self) -> (Vec<Finding>, Vec<Rejected>) {
        let mut findings = Vec::new();
        let mut gained: BTreeSet<usize> = BTreeSet::new();
        let mut names: Vec<(usize, String)> = Vec::new();
        for member in &self.chosen.members {
            gained.extend(member.gain.classes.iter().map(|(class, ..)| *class));
            findings.push(self.of_index(member, &mut names));
        }
        // The first wish of each class that was not granted, by place among those left out.
        let mut refused: HashMap<usize, usize> = HashMap::new();
        for (at, (candidate, left)) in self.chosen.left.iter().enumerate() {
            if !matches!(left, Left::Within(_)) {
                for wisher in &self.chosen.candidates[*candidate].wishers {
                    refused.entry(*wisher).or_insert(at);
                }
            }
        }
        for (place, class) in self.weighed.iter().enumerate() {
            if !gained.contains(&place) {
                findings.extend(self.without(place, class, &refused));
            }
        }
        (findings, self.rejected())
    }

    /// Indexes that go for new ones: table and name in lower case.
    pub fn replaced(&self) -> BTreeSet<(String, String)> {
        let members = self.chosen.members.iter();
        let gone = members.flat_map(|own| own.replaces.iter().map(|place| (own.table, *place)));
        let name = |(table, place): (usize, usize)| {
            let known = self.tables.get(table);
            let index = known.table?.indexes.get(place)?;
            Some((known.full_name().to_lowercase(), index.name.to_lowercase()))
        };
        gone.filter_map(name).collect()
    }

    /// The classes that read a table.
    pub fn classes_of(&self, table: &Table) -> Vec<ClassId> {
        let name = table.full_name();
        let reads = |class: &&Weighed| {
            class.tables.iter().any(|own| self.tables.get(*own).full_name() == name)
        };
        let mut ids: Vec<ClassId> =
            self.weighed.iter().filter(reads).map(|it| self.id(it)).collect();
        ids.sort_by_key(|id| id.0);
        ids
    }

    fn id(&self, class: &Weighed) -> ClassId {
        self.analysed[class.class].class.id
    }

    fn of_index(&self, member: &Member, names: &mut Vec<(usize, String)>) -> Finding {
        let Member { table, key, purpose, gain, .. } = member;
        let known = self.tables.get(*table);
        let (heaviest, then) = self.heaviest(gain);
        let class = &self.weighed[heaviest];
        // No index makes a call read less than it sends.
        let load = &self.analysed[class.class].class.load;
        let then = load.rows_sent.map_or(then, |sent| then.max(super::rows(sent.mean)));
        let id = self.id(class);
        let mut queries: Vec<(f64, ClassId)> = gain
            .classes
            .iter()
            .map(|(at, ..)| (self.weighed[*at].weight(), self.id(&self.weighed[*at])))
            .collect();
        queries.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.0.cmp(&b.1.0)));
        let own = names.iter().filter(|(at, _)| at == table).map(|(_, name)| name.as_str());
        let name = limit::name(known, key, &own.collect::<Vec<_>>());
        names.push((*table, name.clone()));
        let columns = columns(known, key);
        let list = listed(&columns);
        let share = self.share(gain);
        let whole = self.whole();
        let evidence = self.evidence(known, member, then, class);
        let has_schema = known.table.is_some();
        let mut recommendation = Recommendation {
            action: Action::None,
            index: Some(IndexProposal {
                table: known.full_name(),
                name: has_schema.then(|| name.clone()),
                columns: columns.clone(),
            }),
            ..Recommendation::default()
        };
        if has_schema {
            change(known, member, (&name, self.online(known)), &mut recommendation);
        } else {
            recommendation.text = format!(
                "An index beginning with ({list}) should exist on {}: see SHOW CREATE TABLE {}. \
                 Give the definition with --schema for the statement that makes it.",
                known.full_name(),
                quoted_table(known.db.as_deref(), &known.name)
            );
        }
        recommendation.text += &words(known, member);
        recommendation.text = recommendation.text.trim_start().to_owned();
        let rule = rule(known, &member.form, *purpose).code;
        let severity = match (share, whole > 0.0) {
            (share, true) if share >= 10.0 => Severity::High,
            (share, true) if share >= 1.0 => Severity::Medium,
            _ => Severity::Low,
        };
        // What nobody knows the size of is no alarm: the log may have told it, else it is a guess.
        let severity = match (known.rows.is_some(), has_schema) {
            (true, _) => severity,
            (false, true) => severity.min(Severity::Medium),
            (false, false) => severity.min(Severity::Low),
        };
        let benefit = self.workload.is_timed.then(|| Benefit {
            micros: gain.saved.max(0.0).round() as u64,
            of_micros: gain
                .classes
                .iter()
                .filter_map(|(at, ..)| self.analysed[self.weighed[*at].class].class.micros)
                .fold(0, u64::saturating_add),
            whole_micros: whole_micros(self.workload),
        });
        Finding {
            rule,
            category: Category::Index,
            severity,
            confidence: self.confidence(known, key, class),
            title: format!(
                "Index {} ({list}): {}",
                known.full_name(),
                effect(*purpose, class.rows_now(), then)
            ),
            subject: Subject {
                query_id: Some(id),
                table: Some(known.full_name()),
                columns: columns.iter().map(|it| format!("{}.{}", known.name, it.name)).collect(),
                ..Subject::default()
            },
            evidence,
            recommendation,
            benefit,
            verify: explained(&self.analysed[class.class]),
            queries: queries.into_iter().map(|(_, id)| id).collect(),
        }
    }

    /// What makes the change fail rather than lock the table, on a server that is known to have
    /// it: MySQL 5.6, MariaDB 10.0.
    fn online(&self, known: &Known<'_>) -> &'static str {
        let server = self.server.filter(|_| known.table.is_some_and(|table| table.is_innodb()));
        let has_it = server.is_some_and(|server| match server.family {
            Family::MariaDb => server.major >= 10,
            _ => (server.major, server.minor) >= (5, 6),
        });
        if has_it { ", ALGORITHM=INPLACE, LOCK=NONE" } else { "" }
    }

    /// The class that gains most, with the rows that a call reads then.
    fn heaviest(&self, gain: &Gain) -> (usize, f64) {
        type Told<'g> = (&'g (usize, f64, f64), &'g f64);
        let saved = |(it, _): &Told<'_>| self.weighed[it.0].unit * (it.1 - it.2);
        let told = gain.classes.iter().zip(&gain.rows);
        let most = told.max_by(|a, b| {
            saved(a)
                .total_cmp(&saved(b))
                .then_with(|| self.id(&self.weighed[b.0.0]).0.cmp(&self.id(&self.weighed[a.0.0]).0))
        });
        most.map_or((0, 0.0), |((class, ..), rows)| (*class, *rows))
    }

    fn whole(&self) -> f64 {
        self.weighed.iter().map(Weighed::weight).sum()
    }

    /// Percent of the whole workload that is saved.
    fn share(&self, gain: &Gain) -> f64 {
        let whole = self.whole();
        if whole > 0.0 { gain.saved / whole * 100.0 } else { 0.0 }
    }

    fn evidence(
        &self,
        known: &Known<'_>,
        member: &Member,
        then: f64,
        class: &Weighed,
    ) -> Vec<Fact> {
        let Member { key, gain, .. } = member;
        let own = self.analysed[class.class].class;
        let mut evidence = Vec::new();
        if let Some(examined) = own.load.rows_examined {
            evidence.push(Fact::number("rows_examined_avg", examined.mean.rounded()));
        }
        if let Some(sent) = own.load.rows_sent {
            evidence.push(Fact::number("rows_sent_avg", sent.mean.rounded()));
        }
        evidence.push(Fact::number("rows_read_now", whole(class.rows_now())));
        evidence.push(Fact::number("rows_read_then", whole(then)));
        evidence.extend(known.rows.map(|rows| Fact::number("table_rows", whole(rows))));
        let access = own.plans.iter().flat_map(|plan| plan.all_nodes()).find_map(|node| {
            let is_own = node.table.is_some() && class.tables.len() == 1;
            node.access_type.clone().filter(|_| is_own)
        });
        evidence.extend(access.map(|access| Fact::text("access_type", access)));
        let present: Vec<String> = known.table.map_or(Vec::new(), |table| {
            table.indexes.iter().map(|index| index.name.clone()).collect()
        });
        if known.table.is_some() {
            evidence.push(Fact::list("present_indexes", present));
        }
        if let Some(rows) = known.rows {
            evidence.push(Fact::number("index_bytes_about", whole(size(known, key, rows))));
        }
        let guessed: Vec<String> = self.guesses(known, key, class);
        if !guessed.is_empty() {
            evidence.push(Fact::list("guessed", guessed));
        }
        let paid = percent_paid(gain);
        if paid >= 1.0 {
            evidence.push(Fact::number("percent_of_gain_paid_by_writes", whole(paid)));
        }
        if member.is_bundled {
            evidence.push(Fact::flag("belongs_with_others", true));
        }
        evidence
    }

    /// Columns of the index of whose tests nothing is known.
    fn guesses(&self, known: &Known<'_>, key: &Key, class: &Weighed) -> Vec<String> {
        let mut columns = Vec::new();
        for read in class.query.blocks.iter().flat_map(|block| &block.uses) {
            let is_own =
                read.table.is_some_and(|table| std::ptr::eq(self.tables.get(table), known));
            let guesses = read.tests.iter().filter(|test| {
                is_own
                    && test.share.source == From::Guess
                    && test.kind != TestKind::Weak
                    && key.parts[..key.written].iter().any(|it| it.column == Some(test.column))
            });
            columns.extend(guesses.filter_map(|test| known.columns.get(test.column).cloned()));
        }
        columns.sort();
        columns.dedup();
        columns
    }

    fn confidence(&self, known: &Known<'_>, key: &Key, class: &Weighed) -> Confidence {
        let has_plan = !self.analysed[class.class].class.plans.is_empty();
        let guesses = self.guesses(known, key, class).len();
        match (known.table.is_some(), known.are_rows_told, guesses) {
            (true, true, 0) if has_plan => Confidence::High,
            (true, true, 0 | 1) => Confidence::Medium,
            (true, false, 0) => Confidence::Medium,
            // Without a schema, a plan that scans for a few rows shows as much.
            (false, ..) if self.scans_for_few(class) => Confidence::Medium,
            _ => Confidence::Low,
        }
    }

    /// Whether a plan of a class reads a whole table, and the log examines far more than it sends.
    fn scans_for_few(&self, class: &Weighed) -> bool {
        let own = self.analysed[class.class].class;
        let mut nodes = own.plans.iter().flat_map(|plan| plan.all_nodes());
        let has_scan = nodes.any(|node| node.access_type.as_deref() == Some("ALL"));
        let examined = own.load.rows_examined.map_or(0.0, |it| super::rows(it.mean));
        let sent = own.load.rows_sent.map_or(f64::MAX, |it| super::rows(it.mean));
        has_scan && examined >= 10.0 * sent.max(1.0)
    }

    /// Why a class gets no index.
    fn without(
        &self,
        place: usize,
        class: &Weighed,
        refused: &HashMap<usize, usize>,
    ) -> Option<Finding> {
        let own = &self.analysed[class.class];
        let is_examined =
            class.looks.iter().any(|look| look.reason.is_some() || !look.wishes.is_empty());
        if class.query.is_ambiguous {
            return Some(
                self.none(
                    class,
                    None,
                    &catalogue::missing_index::RULE,
                    "Which table a column is of cannot be told without --schema".to_owned(),
                    "No index is proposed for this class. Give the definitions of its tables with \
                 --schema."
                        .to_owned(),
                    Confidence::Low,
                ),
            );
        }
        if !is_examined {
            return None;
        }
        // A wish that was not granted says more than a table that needs nothing.
        let left = refused.get(&place).and_then(|at| self.chosen.left.get(*at));
        let left = left.map(|(at, left)| (&self.chosen.candidates[*at], left));
        if let Some((candidate, left)) = left {
            let (table, key) = &candidate.keys[0];
            let known = self.tables.get(*table);
            let rule = match left {
                Left::Refused(_) => &catalogue::index_refused::RULE,
                _ => &catalogue::missing_index::RULE,
            };
            let title = format!(
                "No new index helps: ({}) on {} was thought of",
                listed(&columns(known, key)),
                known.full_name()
            );
            return Some(self.none(
                class,
                Some(*table),
                rule,
                title,
                self.sentence(left),
                Confidence::Medium,
            ));
        }
        let Some((table, reason)) = reason_of(class) else {
            let rule = &catalogue::missing_index::RULE;
            let title =
                "No new index helps: what is proposed for others does all there is".to_owned();
            let text = self.sentence(&Left::SavesLittle);
            return Some(self.none(class, None, rule, title, text, Confidence::Medium));
        };
        let known = self.tables.get(table);
        let (mut title, mut text) = told(known, reason);
        let locks = class.query.writes.iter().any(|it| it.at.is_some())
            && class.rows_now() >= LOCKED_ROWS
            && !matches!(reason, Reason::Served(_));
        if locks {
            title = format!(
                "{} rows of {} are read and locked",
                grouped(class.rows_now()),
                known.full_name()
            );
            text += " A write locks each row that it reads until it commits: change a few thousand \
                     rows at a time, by ranges of the primary key or by ORDER BY … LIMIT, and commit \
                     between; what is purged by date goes fastest as a partition.";
        }
        let is_sure = known.table.is_some()
            && (known.are_rows_told || matches!(reason, Reason::Served(_) | Reason::Rewrite(..)));
        let confidence = match (known.table.is_some(), is_sure, own.class.plans.is_empty()) {
            (true, true, false) => Confidence::High,
            (true, true, true) => Confidence::Medium,
            _ => Confidence::Low,
        };
        let rule = &catalogue::missing_index::RULE;
        let mut finding = self.none(class, Some(table), rule, title, text, confidence);
        if locks {
            finding.severity = Severity::Medium;
            finding.evidence.push(Fact::flag("locks_all_rows", true));
        }
        Some(finding)
    }

    fn none(
        &self,
        class: &Weighed,
        table: Option<usize>,
        rule: &'static Rule,
        title: String,
        text: String,
        confidence: Confidence,
    ) -> Finding {
        let own = &self.analysed[class.class];
        let known = table.map(|table| self.tables.get(table));
        let mut evidence = Vec::new();
        if let Some(examined) = own.class.load.rows_examined {
            evidence.push(Fact::number("rows_examined_avg", examined.mean.rounded()));
        }
        evidence.push(Fact::number("rows_read_now", whole(class.rows_now())));
        evidence.extend(
            known.and_then(|it| it.rows).map(|rows| Fact::number("table_rows", whole(rows))),
        );
        Finding {
            rule: rule.code,
            category: Category::Index,
            severity: Severity::Info,
            confidence,
            title,
            subject: Subject {
                query_id: Some(own.class.id),
                table: known.map(Known::full_name),
                ..Subject::default()
            },
            evidence,
            recommendation: Recommendation {
                action: Action::None,
                text,
                ..Recommendation::default()
            },
            benefit: None,
            verify: explained(own),
            queries: vec![own.class.id],
        }
    }

    fn sentence(&self, left: &Left) -> String {
        match left {
            Left::Within(other) => {
                let candidate = &self.chosen.candidates[*other];
                let (table, key) = &candidate.keys[0];
                let list = listed(&columns(self.tables.get(*table), key));
                format!("It is the beginning of ({list}), which serves in its place.")
            }
            Left::SavesLittle => {
                "It would save too little of the workload beside what is there and proposed."
                    .to_owned()
            }
            Left::Writes => "Writes to the table would pay more than reads gain.".to_owned(),
            Left::ReadsFew => {
                "Its statements read too few rows for one index more, and none is left that could \
                 be made longer."
                    .to_owned()
            }
            Left::Refused(why) => why.clone(),
            Left::Enough => {
                "Four new indexes on one table, and 256 in all, are enough for one step.".to_owned()
            }
        }
    }

    fn rejected(&self) -> Vec<Rejected> {
        let mut rejected: Vec<Rejected> = Vec::new();
        for (at, left) in &self.chosen.left {
            let candidate = &self.chosen.candidates[*at];
            let mut queries: Vec<ClassId> =
                candidate.wishers.iter().map(|at| self.id(&self.weighed[*at])).collect();
            queries.sort_by_key(|id| id.0);
            for (table, key) in &candidate.keys {
                let known = self.tables.get(*table);
                rejected.push(Rejected {
                    index: IndexProposal {
                        table: known.full_name(),
                        name: None,
                        columns: columns(known, key),
                    },
                    reason: self.sentence(left),
                    queries: queries.clone(),
                });
            }
        }
        rejected.sort_by(|a, b| {
            let key = |it: &Rejected| {
                let columns: Vec<String> =
                    it.index.columns.iter().map(|it| it.name.clone()).collect();
                (it.index.table.clone(), columns)
            };
            key(a).cmp(&key(b))
        });
        rejected
    }
}

/// The statements that make the change and undo it.
fn change(
    known: &Known<'_>,
    member: &Member,
    (name, online): (&str, &str),
    recommendation: &mut Recommendation,
) {
    let on = quoted_table(known.db.as_deref(), &known.name);
    let parts = limit::parts(known, &member.key);
    // One statement: if the new index cannot be made, the old one stays.
    let mut todo = format!("ALTER TABLE {on} ADD INDEX {} ({parts})", quoted(name));
    let mut back = String::new();
    recommendation.action = Action::Create;
    for place in &member.replaces {
        let Some(index) = known.table.and_then(|table| table.indexes.get(*place)) else { continue };
        let Some(old) = known.keys.iter().find(|own| own.place == Some(*place)) else { continue };
        recommendation.action = Action::Replace;
        todo += &format!(", DROP INDEX {}", quoted(&index.name));
        back += &format!("ADD INDEX {} ({}), ", quoted(&index.name), limit::parts(known, old));
        recommendation.replaces.get_or_insert(IndexProposal {
            table: known.full_name(),
            name: Some(index.name.clone()),
            columns: columns(known, old),
        });
    }
    recommendation.sql = vec![todo + online];
    recommendation.undo = vec![format!("ALTER TABLE {on} {back}DROP INDEX {}", quoted(name))];
}

/// What the index does, in words.
fn words(known: &Known<'_>, member: &Member) -> String {
    let mut text = String::new();
    let mut say = |sentence: &str| {
        text.push(' ');
        text += sentence;
    };
    say(match member.purpose {
        Purpose::Filter => "It finds the rows that the statement asks for.",
        Purpose::Join => "It finds the partners of the rows read before.",
        Purpose::Range => "The columns compared for equality come first, the range last.",
        Purpose::Order => "It gives the rows in order, so that nothing is sorted.",
        Purpose::MixedOrder => {
            "It gives the rows in an order of mixed directions; that needs MySQL 8.0 or MariaDB \
             10.8."
        }
        Purpose::Group => "It gives the groups without a temporary table.",
        Purpose::Cover => "It holds all columns that are read, so that no row is looked up.",
        Purpose::Arm => {
            "Each side of OR finds its rows by an index of its own; one without the other gains \
             nothing."
        }
    });
    let replaced: Vec<&str> = member
        .replaces
        .iter()
        .filter_map(|place| known.table?.indexes.get(*place))
        .map(|index| index.name.as_str())
        .collect();
    if !replaced.is_empty() {
        say(&format!("It begins as {} does and serves in its place.", replaced.join(" and ")));
    }
    let written = &member.key.parts[..member.key.written];
    if let Some((column, length)) =
        written.iter().find_map(|part| Some((known.columns.get(part.column?)?, part.length?)))
    {
        say(&format!(
            "The prefix of {column} should tell rows apart: compare COUNT(DISTINCT LEFT({column}, \
             {length})) with COUNT(DISTINCT {column}) first."
        ));
    }
    if percent_paid(&member.gain) >= 1.0 {
        say("Writes to the table pay for it, which is taken off.");
    }
    text
}

/// The statement that shows the plan; of CREATE TABLE … SELECT that of the SELECT.
fn explained(it: &Analysed<'_>) -> String {
    let select = it.shape.blocks.first().filter(|_| it.shape.verb == Verb::Other);
    let text = select.and_then(|block| it.text.get(block.span.clone())).unwrap_or(it.text);
    format!("EXPLAIN {}", text.trim_end().trim_end_matches(';').trim_end())
}

/// Percent of what reads gain that writes pay.
fn percent_paid(gain: &Gain) -> f64 {
    let whole = gain.saved + gain.written;
    if whole > 0.0 { gain.written / whole * 100.0 } else { 0.0 }
}

/// Rows read by a write from which on their locks are an alarm.
const LOCKED_ROWS: f64 = 10_000.0;

/// What a call gains, in few words.
fn effect(purpose: Purpose, now: f64, then: f64) -> String {
    if then < now * 0.9 {
        return format!("a call reads about {} instead of {}", rows_of(then), grouped(now));
    }
    match purpose {
        Purpose::Order | Purpose::MixedOrder => "nothing is sorted".to_owned(),
        Purpose::Group => "no temporary table for the groups".to_owned(),
        Purpose::Cover => format!("none of {} rows is looked up", grouped(then)),
        _ => "less is looked up, sorted or kept aside".to_owned(),
    }
}

/// The rule that an index falls under: what is wrong today.
fn rule(known: &Known<'_>, form: &Form, purpose: Purpose) -> &'static Rule {
    let is_tail = |part: &super::tables::Part| {
        form.tail.iter().any(|own| own.column.is_some() && own.column == part.column)
    };
    let is_equal =
        |part: &super::tables::Part| part.column.is_some_and(|column| form.equal.contains(&column));
    let written = |key: &'_ Key| key.parts[..key.written].to_vec();
    let is_turned = known.keys.iter().any(|key| {
        let parts = written(key);
        parts.first().is_some_and(is_tail) && parts.iter().skip(1).any(is_equal)
    });
    let alone = known.keys.iter().filter(|key| {
        key.written == 1 && !key.is_unique && key.parts.first().is_some_and(is_equal)
    });
    match purpose {
        Purpose::Range if is_turned => &catalogue::range_before_equality::RULE,
        Purpose::Filter if alone.count() > 1 => &catalogue::indexes_merged::RULE,
        Purpose::Filter | Purpose::Range | Purpose::Arm => &catalogue::missing_index::RULE,
        Purpose::Join => &catalogue::join_column_without_index::RULE,
        Purpose::Order => &catalogue::sort_an_index_could_give::RULE,
        Purpose::MixedOrder => &catalogue::mixed_directions::RULE,
        Purpose::Group => &catalogue::groups_an_index_could_give::RULE,
        Purpose::Cover => &catalogue::rows_looked_up::RULE,
    }
}

fn told(known: &Known<'_>, reason: &Reason) -> (String, String) {
    let name = known.full_name();
    let index = |place: &usize| {
        let index = known.table.and_then(|table| table.indexes.get(*place));
        index.map_or("an index", |index| index.name.as_str()).to_owned()
    };
    match reason {
        Reason::Tiny(rows) => (
            format!("No index is needed: {name} has {}", rows_of(*rows)),
            "A table of so few pages is read at once; an index would be read besides.".to_owned(),
        ),
        Reason::ReadsFew(reads) => (
            format!("No new index helps: a call reads {} of {name}", rows_of(*reads)),
            "That is as little as an index would save.".to_owned(),
        ),
        Reason::Served(place) => (
            format!("No new index is needed: {} of {name} serves the statement", index(place)),
            "All that an index could do for it is done by one that is there.".to_owned(),
        ),
        Reason::Rewrite(column, cause) => {
            let column = known.columns.get(*column).map_or("", String::as_str);
            let how = match cause {
                Cause::Literal => {
                    format!("{column} is text and is compared with a number: put it into quotes")
                }
                Cause::Partner(other) => format!(
                    "{column} is compared with {other}, which has another type or collation: align \
                     them"
                ),
                Cause::Written(Why::Function(function)) => {
                    format!("{function}() hides {column} from its index")
                }
                Cause::Written(Why::Rows) => {
                    format!("rows are compared, which hides {column} from its index")
                }
                Cause::Written(_) => format!("the expression hides {column} from its index"),
            };
            (
                format!("No new index helps: the one on {name}.{column} is there and not searched"),
                format!("Write the statement otherwise: {how}."),
            )
        }
        Reason::NothingToSearch => (
            format!("No index helps: nothing narrows {name} that an index could be searched for"),
            "All of its rows are wanted, or what narrows them cannot be searched in a tree."
                .to_owned(),
        ),
        Reason::KeepsMany(part) => (
            format!(
                "No index helps: about {} % of the rows of {name} are wanted",
                grouped(part * 100.0)
            ),
            "To look so many rows up one by one costs more than to read the table.".to_owned(),
        ),
        Reason::FullText => (
            format!("No plain index helps: {name} is searched by MATCH"),
            "A FULLTEXT index serves it; other conditions are tested on what it finds.".to_owned(),
        ),
        Reason::NotCheaper => (
            format!("No new index helps: none makes the statement read less of {name}"),
            "What could be searched for keeps too much, or the rows have to be sorted and looked \
             up all the same."
                .to_owned(),
        ),
    }
}

fn columns(known: &Known<'_>, key: &Key) -> Vec<IndexColumn> {
    let column = |part: &super::tables::Part| IndexColumn {
        name: part.column.and_then(|it| known.columns.get(it)).cloned().unwrap_or_default(),
        length: part.length.map(u64::from),
        is_descending: part.is_descending,
    };
    key.parts[..key.written].iter().map(column).collect()
}

/// Bytes of an index: entries of key and primary key, pages filled by two thirds.
fn size(known: &Known<'_>, key: &Key, rows: f64) -> f64 {
    let bytes: f64 = key
        .parts
        .iter()
        .filter_map(|part| {
            let column = part.column?;
            Some(part.length.map_or(known.bytes(column), f64::from))
        })
        .sum();
    rows * (bytes + 6.0) / 0.69
}

fn whole(number: f64) -> Amount {
    Amount::whole(number.round().clamp(0.0, 1e15) as u64)
}

fn grouped(number: f64) -> String {
    whole(number.max(if number > 0.0 { 1.0 } else { 0.0 })).grouped()
}

fn rows_of(number: f64) -> String {
    let count = grouped(number);
    if count == "1" { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Microseconds of all classes.
fn whole_micros(workload: &Workload<'_>) -> u64 {
    workload.classes.iter().filter_map(|class| class.micros).fold(0, u64::saturating_add)
}
