//! Statements: tokens, fingerprints, query IDs, distilled items, conditions that users type.

pub mod analyze;
pub mod condition;
pub mod definition;
pub mod distill;
pub mod fingerprint;
pub mod glance;
pub mod outline;
pub mod pt;
pub mod shape;
pub mod token;
