//! Logs: from bytes to events.

pub mod frame;
pub mod guess;
pub mod slow;
pub mod statements;
pub mod weights;
