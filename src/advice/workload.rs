//! What advice is given on: the statements of a log or a file, with what is known of each.

pub(super) mod at_once;
mod balance;
mod busy;
pub(super) mod case;
mod chatter;
pub(super) mod concentration;
mod connection_churn;
pub(super) mod coverage;
mod does;
mod failing_statements;
#[cfg(test)]
pub(super) mod fixture;
mod floor;
mod hidden;
mod hot_row;
pub(super) mod lock_bound;
mod measured;
mod n_plus_one;
mod periodic_burst;
mod read_amplification;
mod repeated_statements;
mod sampled;
mod single_row_inserts;
pub(super) mod stretches;
mod threshold;
mod too_few_cores;
mod two_populations;
mod wants;
pub mod watch;

use super::{Fact, Finding, NotChecked, Rule};
use crate::plan::{Amount, Plan};
use crate::schema::Schema;
use crate::schema::Server;
use crate::server::ServerFacts;
use crate::sql::fingerprint::ClassId;
pub use busy::busy;
pub use case::Case;
pub use measured::{Measured, Times};

use super::plan::Load;

/// Statements and what they cost.
#[derive(Debug, Clone, Default)]
pub struct Workload<'a> {
    /// Query classes, by ID.
    pub classes: Vec<Class<'a>>,
    /// Whether `micros` of the classes are times that were measured or stated. Else each statement
    /// counts `calls` times what its plan costs.
    pub is_timed: bool,
    /// Microseconds from the first to the last event, where a log tells it.
    pub window_micros: Option<u64>,
    /// The server, by its variables, the schema or the log: what it can do decides on statements.
    pub server: Option<Server>,
    /// Statements are reviewed before they run anywhere: no floor of time or rows holds.
    pub is_review: bool,
    /// The log as a whole, classes that are not looked at included.
    pub whole: Option<Whole>,
    /// What the log tells event by event.
    pub seen: Option<watch::Observed>,
}

/// What is known of a log as a whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Whole {
    /// All events.
    pub measured: Measured,
    /// Classes, those not looked at included.
    pub classes: u64,
    /// Seconds in which a statement ended.
    pub active_seconds: u64,
    /// Microseconds in which a statement ran: at most so many, by what the digest has.
    pub busy_micros: Option<u64>,
    /// The server logged one of so many statements, and how many it ran by that.
    pub sampled: Option<(u64, u64)>,
    /// Times are known to fractions of a second.
    pub is_fine: bool,
}

/// A query class.
#[derive(Debug, Clone)]
pub struct Class<'a> {
    /// Its ID.
    pub id: ClassId,
    /// Statements of it, the most telling first; at least one. Literals are those of the log.
    pub samples: Vec<String>,
    /// The database that names without one are of, where it is known.
    pub database: Option<String>,
    /// How many times it ran; of a file of statements how often it stands there, or what a comment
    /// says: `-- calls: 50, total seconds: 3`.
    pub calls: u64,
    /// What a comment says: `-- weight: 12.5`; the sum where the class has several.
    pub weight: Option<Amount>,
    /// Microseconds of all calls; none where times are not known.
    pub micros: Option<u64>,
    /// Microseconds of these that it waited for locks.
    pub lock_micros: Option<u64>,
    /// What the log measured a call.
    pub load: Load,
    /// Rows affected by all calls, where the log tells it.
    pub rows_affected: Option<u64>,
    /// Its plans.
    pub plans: Vec<&'a Plan>,
    /// What the log measured of it.
    pub measured: Option<Measured>,
}

/// What there is to say on a load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnLoad {
    /// Findings, in the order of the rules.
    pub findings: Vec<Finding>,
    /// What was measured, whether or not a rule spoke.
    pub facts: Vec<Fact>,
    /// Rules without evidence.
    pub not_checked: Vec<NotChecked>,
}

/// What is told of one load as a whole, most telling first.
type Look = fn(&Case<'_>) -> Vec<Finding>;

/// The rules of the load, in the order in which they are asked.
#[rustfmt::skip]
const RULES: &[(&Rule, Look)] = &[
    (&coverage::RULE,              coverage::look),
    (&threshold::RULE,             threshold::look),
    (&stretches::RULE,             stretches::look),
    (&concentration::RULE,         concentration::look),
    (&read_amplification::RULE,    read_amplification::look),
    (&lock_bound::RULE,            lock_bound::load),
    (&hot_row::RULE,               hot_row::look),
    (&single_row_inserts::RULE,    single_row_inserts::look),
    (&n_plus_one::RULE,            n_plus_one::look),
    (&chatter::RULE,               chatter::look),
    (&two_populations::RULE,       two_populations::look),
    (&periodic_burst::RULE,        periodic_burst::look),
    (&sampled::RULE,               sampled::look),
    (&balance::RULE,               balance::look),
    (&too_few_cores::RULE,         too_few_cores::look),
    (&repeated_statements::RULE,   repeated_statements::look),
    (&connection_churn::RULE,      connection_churn::look),
    (&failing_statements::RULE,    failing_statements::look),
];

/// The rules of the load, with the texts that people read.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|(rule, _)| *rule)
}

/// Looks at a load as a whole. Without a log there is none, and nothing is checked.
#[must_use]
pub fn advise(workload: &Workload<'_>, facts: &ServerFacts, schema: Option<&Schema>) -> OnLoad {
    let Some(case) = Case::of(workload, facts, schema) else {
        return OnLoad { not_checked: wants::a_log(rules()), ..OnLoad::default() };
    };
    let findings: Vec<Finding> = RULES.iter().flat_map(|(_, look)| look(&case)).collect();
    let threshold = coverage::threshold(&case).map(case::seconds);
    let threshold = threshold.map(|it| Fact::number("effective_threshold", it));
    let facts = coverage::fact(&case).into_iter().chain(threshold);
    OnLoad {
        not_checked: wants::not_checked(&case, rules(), &findings),
        facts: facts.chain(balance::facts(&findings)).collect(),
        findings,
    }
}

impl Class<'_> {
    /// The statement that stands for the class.
    pub fn sample(&self) -> &str {
        self.samples.first().map_or("", String::as_str)
    }
}

/// A class of this statement that ran once, to be filled in by tests.
#[cfg(test)]
pub(super) fn fixture(text: &str) -> Class<'static> {
    Class {
        id: ClassId::of(text.as_bytes()),
        samples: vec![text.to_owned()],
        database: None,
        calls: 1,
        weight: None,
        micros: None,
        lock_micros: None,
        load: Load::default(),
        rows_affected: None,
        plans: Vec::new(),
        measured: Some(Measured::default()),
    }
}
