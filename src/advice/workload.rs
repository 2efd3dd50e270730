//! What advice is given on: the statements of a log or a file, with what is known of each.

pub(super) mod lock_bound;

use crate::plan::{Amount, Plan};
use crate::schema::Server;
use crate::sql::fingerprint::ClassId;

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
}

impl Class<'_> {
    /// The statement that stands for the class.
    pub fn sample(&self) -> &str {
        self.samples.first().map_or("", String::as_str)
    }
}
