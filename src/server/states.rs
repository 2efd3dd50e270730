//! States of sessions, counted over several process lists.

use std::collections::BTreeMap;

/// States that are no exception, and what they are a share of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct States {
    /// Active sessions of all process lists.
    pub active: u64,
    /// Sessions in each state, of all process lists.
    pub sessions: BTreeMap<String, u64>,
}
