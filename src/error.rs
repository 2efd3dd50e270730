//! What stops a run: input that cannot be opened or read, and wrong usage. Bad input never
//! stops a run; see [`Problem`](crate::problem::Problem).

use std::io;

/// What stops a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that is not there or may not be read.
    #[error("cannot open {name}")]
    Open {
        /// As the user gave it.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// A directory was given.
    #[error("{name} is a directory; give the log files in it")]
    Directory {
        /// As the user gave it.
        name: String,
    },
    /// Reading failed before anything was read.
    #[error("cannot read {name} at byte {offset}")]
    Read {
        /// As the user gave it.
        name: String,
        /// Byte of the input.
        offset: u64,
        /// What the system says.
        source: io::Error,
    },
    /// Not one event in an input that is not empty: which, and what it looks like.
    #[error("{0}")]
    NoEvent(String),
    /// An option with a value that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The report or an export could not be written.
    #[error("cannot write {name}")]
    Write {
        /// Where to.
        name: String,
        /// What the system says.
        source: io::Error,
    },
}
