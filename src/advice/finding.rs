//! A finding: what a rule saw, how sure that is, and what to do.

use super::Rule;
use crate::plan::Amount;
use crate::sql::fingerprint::ClassId;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Indexes.
    Index,
    /// How the server runs a statement.
    Plan,
    /// The query cache.
    QueryCache,
    /// Server variables.
    Variables,
    /// The load as a whole.
    Workload,
    /// How a statement is written.
    Sql,
    /// How a table is defined.
    Schema,
}

impl Category {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Category::Index => "index",
            Category::Plan => "plan",
            Category::QueryCache => "query-cache",
            Category::Variables => "variables",
            Category::Workload => "workload",
            Category::Sql => "sql",
            Category::Schema => "schema",
        }
    }
}

/// How much it matters, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Info,
    /// A little.
    Low,
    /// Worth a change.
    Medium,
    /// Change this first.
    High,
    /// Now.
    Critical,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

/// How sure it is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A guess that wants evidence.
    Low,
    /// It follows from what was given.
    Medium,
    /// It was measured, or is proved by what was given.
    High,
}

impl Confidence {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// What a finding names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// A query class.
    pub query_id: Option<ClassId>,
    /// A table, with its database where that is known.
    pub table: Option<String>,
    /// Columns, as `table.column`.
    pub columns: Vec<String>,
    /// A server variable.
    pub variable: Option<String>,
    /// A step of a plan, by its place in [`all_nodes`](crate::plan::Plan::all_nodes).
    pub step: Option<usize>,
}

/// What a rule saw: printed, so that a reader can disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The key in JSON; text replaces `_` by a blank.
    pub name: &'static str,
    /// What was seen.
    pub value: Value,
}

impl Fact {
    /// A number.
    pub fn number(name: &'static str, amount: Amount) -> Fact {
        Fact { name, value: Value::Number(amount) }
    }

    /// A text.
    pub fn text(name: &'static str, text: impl Into<String>) -> Fact {
        Fact { name, value: Value::Text(text.into()) }
    }

    /// Several texts.
    pub fn list(name: &'static str, texts: Vec<String>) -> Fact {
        Fact { name, value: Value::List(texts) }
    }

    /// Whether it is so.
    pub fn flag(name: &'static str, flag: bool) -> Fact {
        Fact { name, value: Value::Flag(flag) }
    }
}

/// The value of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A number, exactly.
    Number(Amount),
    /// Text as it stands in the input.
    Text(String),
    /// Several of these.
    List(Vec<String>),
    /// Whether it is so.
    Flag(bool),
}

/// What is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// A new index.
    Create,
    /// An index less.
    Drop,
    /// A new index in the place of another.
    Replace,
    /// The statement, or the definition of a table, in other words.
    Rewrite,
    /// A variable.
    Set,
    /// Nothing that could be written down as a statement.
    #[default]
    None,
}

impl Action {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Drop => "drop",
            Action::Replace => "replace",
            Action::Rewrite => "rewrite",
            Action::Set => "set",
            Action::None => "none",
        }
    }
}

/// One column of an index that is spoken of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexColumn {
    /// Its name.
    pub name: String,
    /// Only so many characters of it.
    pub length: Option<u64>,
    /// Greatest first.
    pub is_descending: bool,
}

/// An index that is spoken of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexProposal {
    /// The table, with its database where that is known.
    pub table: String,
    /// Its name, where it has one already.
    pub name: Option<String>,
    /// Its columns in order.
    pub columns: Vec<IndexColumn>,
}

/// The value of a server variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// A number; sizes in bytes.
    Number(Amount),
    /// A word, such as ON.
    Word(String),
}

impl Setting {
    /// As a statement takes it.
    pub fn sql(&self) -> String {
        match self {
            Setting::Number(amount) => amount.to_string(),
            Setting::Word(word) if word.eq_ignore_ascii_case("ON") => "ON".to_owned(),
            Setting::Word(word) if word.eq_ignore_ascii_case("OFF") => "OFF".to_owned(),
            Setting::Word(word) => format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''")),
        }
    }
}

/// A change of a server variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableChange {
    /// Its name, as SHOW VARIABLES prints it.
    pub name: String,
    /// What it is; `None` where that is not known.
    pub from: Option<Setting>,
    /// What it should be.
    pub to: Setting,
    /// The line of the option file; empty for what is to be set back again.
    pub option_line: String,
    /// Whether it takes effect with a restart only.
    pub restart: bool,
}

/// Columns as one writes them in words: `a, b(20), c DESC`.
#[must_use]
pub fn listed(columns: &[IndexColumn]) -> String {
    let one = |column: &IndexColumn| {
        let length = column.length.map_or(String::new(), |it| format!("({it})"));
        let direction = if column.is_descending { " DESC" } else { "" };
        format!("{}{length}{direction}", column.name)
    };
    columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl IndexProposal {
    /// Its columns in words.
    #[must_use]
    pub fn listed(&self) -> String {
        listed(&self.columns)
    }
}

/// What to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recommendation {
    /// The kind of change.
    pub action: Action,
    /// In words: whole sentences.
    pub text: String,
    /// The index that is created, dropped or spoken of.
    pub index: Option<IndexProposal>,
    /// The index that goes for it.
    pub replaces: Option<IndexProposal>,
    /// Server variables that change.
    pub variables: Vec<VariableChange>,
    /// Statements to run, or the statement as it should be.
    pub sql: Vec<String>,
    /// Statements that undo those of `sql`, in the order to run them.
    pub undo: Vec<String>,
}

/// What it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Benefit {
    /// Microseconds that may be saved.
    pub micros: u64,
    /// Microseconds of all the queries served.
    pub of_micros: u64,
    /// Microseconds of the whole workload.
    pub whole_micros: u64,
}

/// What a rule has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The code of the rule: `PLAN001`.
    pub rule: &'static str,
    /// What it is about.
    pub category: Category,
    /// How much it matters.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// One line: what is wrong, with its numbers.
    pub title: String,
    /// What it names.
    pub subject: Subject,
    /// What was seen.
    pub evidence: Vec<Fact>,
    /// What to do.
    pub recommendation: Recommendation,
    /// What it is worth, where a log tells times.
    pub benefit: Option<Benefit>,
    /// How to see that it helped.
    pub verify: String,
    /// Query classes that gain.
    pub queries: Vec<ClassId>,
}

impl Finding {
    /// A finding of a rule with nothing but its title.
    pub(super) fn new(
        rule: &Rule,
        severity: Severity,
        confidence: Confidence,
        title: String,
    ) -> Finding {
        Finding {
            rule: rule.code,
            category: rule.category,
            severity,
            confidence,
            title,
            subject: Subject::default(),
            evidence: Vec::new(),
            recommendation: Recommendation::default(),
            benefit: None,
            verify: String::new(),
            queries: Vec::new(),
        }
    }
}

/// A finding without anything but its code, to be filled in by tests.
#[cfg(test)]
pub fn fixture(rule: &'static str) -> Finding {
    Finding {
        rule,
        category: Category::Sql,
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        title: String::new(),
        subject: Subject::default(),
        evidence: Vec::new(),
        recommendation: Recommendation::default(),
        benefit: None,
        verify: String::new(),
        queries: Vec::new(),
    }
}
