//! Judgement: what is wrong, what shows it, what to do about it and how to see that it helped.
//!
//! Rules look; they do not print, connect or apply. [`plan::review`] has the rules of plans.

pub mod chain;
pub mod finding;
mod index;
pub mod load;
pub mod mask;
pub mod plan;
pub mod query_cache;
mod rule;
mod sql;
mod variables;
pub mod workload;

pub use finding::{
    Action, Benefit, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal,
    Recommendation, Setting, Severity, Subject, Value, VariableChange,
};
pub use rule::Rule;
pub use variables::{
    Gathered, OnServer, advise as advise_on_server, knows_symptom, rule_of_symptom, wanting,
};
pub use workload::{Class, OnLoad, Workload, advise as advise_on_load};

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::plan::Amount;
use crate::schema::Schema;
use crate::sql::analyze::{Refused, analyze};
use crate::sql::fingerprint::ClassId;
use crate::sql::token::{Kind, tokens};

/// What there is to say on a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice {
    /// Findings, those first that may save most.
    pub findings: Vec<Finding>,
    /// Indexes that were thought of and not proposed.
    pub rejected: Vec<Rejected>,
    /// Classes that no statement of which could be read.
    pub unread: Vec<Unread>,
    /// What the numbers of the load force, link by link.
    pub chain: Vec<chain::Link>,
    /// What was measured of the server, whether or not a rule spoke.
    pub facts: Vec<Fact>,
    /// Rules that had no evidence.
    pub not_checked: Vec<NotChecked>,
}

/// A rule that had no evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotChecked {
    /// Its code.
    pub rule: &'static str,
    /// What it wants: options, and what to give there.
    pub wants: String,
    /// Whether the script of `adagio collect` gathers some of it.
    pub is_gathered: bool,
}

/// An index that is not proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The index.
    pub index: IndexProposal,
    /// Why not: a whole sentence.
    pub reason: String,
    /// Query classes that it was thought of for.
    pub queries: Vec<ClassId>,
}

/// A class that is not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The class.
    pub query_id: ClassId,
    /// Why.
    pub reason: String,
}

/// All rules, by code, with the texts that people read.
#[must_use]
pub fn rules() -> Vec<&'static Rule> {
    let mut rules: Vec<&Rule> = plan::rules()
        .chain(sql::rules())
        .chain(index::catalogue::RULES.iter().copied())
        .chain(workload::rules())
        .chain(variables::rules())
        .chain(query_cache::rules())
        .collect();
    rules.sort_by_key(|rule| rule.code);
    rules.dedup_by_key(|rule| rule.code);
    rules
}

/// What the statements of a workload show by themselves, class by class: how they are written.
/// Indexes are not thought of, so that it takes as long as there are classes.
#[must_use]
pub fn read_statements(workload: &Workload<'_>, schema: Option<&Schema>) -> Vec<Finding> {
    let read = |class: &Class<'_>| {
        let names = index::Names { schema, database: class.database.as_deref() };
        let mut read = class.samples.iter();
        let (text, shape) = read.find_map(|text| Some((text, analyze(text, &names).ok()?)))?;
        let (share, is_review) = (class.load.share, workload.is_review);
        Some(sql::read(&sql::Statement { class, shape: &shape, text, schema, share, is_review }))
    };
    let written = workload.classes.iter().filter_map(read).flatten();
    let waiting = workload.classes.iter().filter_map(workload::lock_bound::look);
    waiting.chain(written).collect()
}

/// Looks at a workload as a whole: which indexes it needs, and how its statements are written.
#[must_use]
pub fn advise(workload: &Workload<'_>, schema: Option<&Schema>) -> Advice {
    let mut advice = Advice::default();
    // A fixed order, whatever that of the input.
    let mut classes: Vec<&Class<'_>> = workload.classes.iter().collect();
    classes.sort_by_key(|class| class.id.0);
    let mut analysed = Vec::new();
    for class in classes {
        let names = index::Names { schema, database: class.database.as_deref() };
        let mut refused = None;
        let read = class.samples.iter().find_map(|text| match analyze(text, &names) {
            Ok(shape) => Some(index::Analysed { class, text, shape }),
            Err(reason) => {
                refused.get_or_insert(reason);
                None
            }
        });
        match (read, refused) {
            (Some(read), _) if workload.is_review && read.shape.is_partial => {
                let reason = "cut: a quote, a comment or a parenthesis has no end".to_owned();
                advice.unread.push(Unread { query_id: class.id, reason });
            }
            (Some(read), _) => analysed.push(read),
            (None, Some(Refused::NotOfRows)) if !is_statement(class.sample()) => {
                let reason = "no statement of MySQL or MariaDB begins so".to_owned();
                advice.unread.push(Unread { query_id: class.id, reason });
            }
            (None, Some(Refused::NotOfRows) | None) => {}
            (None, Some(reason)) => {
                let reason = reason.to_string();
                advice.unread.push(Unread { query_id: class.id, reason });
            }
        }
    }
    let (findings, rejected, unread) = index::advise(&analysed, workload, schema);
    advice.unread.extend(unread);
    advice.findings = findings;
    let micros = workload.classes.iter().filter_map(|class| class.micros);
    let whole = micros.fold(0, u64::saturating_add);
    for it in &analysed {
        let own = || {
            let micros = it.class.micros.filter(|_| workload.is_timed)?;
            let share = Amount::whole(micros).ratio(Amount::whole(whole))?;
            Some(share.times(Amount::whole(100)))
        };
        // Of a digest only some classes are here; their shares are of all.
        let share = it.class.load.share.or_else(own);
        advice.findings.extend(sql::read(&sql::Statement {
            class: it.class,
            shape: &it.shape,
            text: it.text,
            schema,
            share,
            is_review: workload.is_review,
        }));
    }
    advice.rejected = rejected;
    advice.findings.extend(workload.classes.iter().filter_map(workload::lock_bound::look));
    in_order(&mut advice.findings, workload);
    advice
}

/// Puts findings in order: those first that may save most, as far as they are sure.
pub fn in_order(findings: &mut [Finding], workload: &Workload<'_>) {
    let times: HashMap<ClassId, u64> =
        workload.classes.iter().filter_map(|class| Some((class.id, class.micros?))).collect();
    findings.sort_by_cached_key(|it| {
        let tenths = match it.confidence {
            Confidence::High => 8,
            Confidence::Medium => 5,
            Confidence::Low => 2,
        };
        let worth = worth(it, &times) / 10 * tenths;
        (!is_validity(it), Reverse(worth), Reverse(it.severity), Reverse(it.confidence))
    });
}

/// Whether a finding says what a log is good for: that comes before what it shows.
fn is_validity(finding: &Finding) -> bool {
    ["WORK001", "WORK002", "WORK003"].contains(&finding.rule) && finding.severity > Severity::Info
}

/// By what findings are ordered: the time that may be saved. Where a rule does not estimate it, a
/// part of the time of its classes, by severity; it only orders, and is told nowhere.
fn worth(finding: &Finding, times: &HashMap<ClassId, u64>) -> u64 {
    if let Some(benefit) = finding.benefit {
        return benefit.micros;
    }
    // An index that goes saves none of the time of those who never needed it.
    if finding.recommendation.action == Action::Drop {
        return 0;
    }
    let own = finding.queries.iter().filter_map(|id| times.get(id));
    let whole = own.fold(0, |sum, micros| u64::saturating_add(sum, *micros));
    let percent = match finding.severity {
        Severity::Critical | Severity::High => 50,
        Severity::Medium => 20,
        Severity::Low => 5,
        Severity::Info => 0,
    };
    whole / 100 * percent
}

/// Whether a text begins with a word that statements begin with.
fn is_statement(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "ADMINISTRATOR", "ALTER", "ANALYZE", "BACKUP", "BEGIN", "BINLOG", "CACHE", "CALL", "CHANGE",
        "CHECK", "CHECKSUM", "CLONE", "CLOSE", "COMMIT", "CREATE", "DEALLOCATE", "DECLARE", "DELETE",
        "DELIMITER", "DESC", "DESCRIBE", "DO", "DROP", "EXECUTE", "EXPLAIN", "FETCH", "FLUSH", "GET",
        "GRANT", "HANDLER", "HELP", "IF", "IMPORT", "INSERT", "INSTALL", "KILL", "LOAD", "LOCK",
        "OPEN", "OPTIMIZE", "PREPARE", "PURGE", "RELEASE", "RENAME", "REPAIR", "REPLACE", "RESET",
        "RESIGNAL", "RESTART", "REVOKE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "SHOW", "SHUTDOWN",
        "SIGNAL", "START", "STOP", "TABLE", "TRUNCATE", "UNINSTALL", "UNLOCK", "UPDATE", "USE",
        "VALUES", "WITH", "XA",
    ];
    let first = tokens(text.as_bytes()).find(|token| token.kind == Kind::Word);
    first.is_none_or(|token| {
        let word = token.of(text.as_bytes());
        WORDS.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(word))
    })
}
