//! What a server is like: its variables, its counters, its option file, its machine.
//!
//! Everything here is given by the user as text; nothing is asked of a server. What a text does
//! not tell is absent, never 0: [`Variables`] and [`Status`] give `None` for it.

pub mod machine;
pub mod monitor;
pub mod my_cnf;
mod pairs;
mod states;
pub mod status;
pub mod variables;
mod version;

pub use machine::{Disk, Machine};
pub use monitor::Monitor;
pub use my_cnf::Config;
pub use pairs::{Read, read};
pub use states::States;
pub use status::{Status, Window};
pub use variables::Variables;
pub use version::{Provider, Version};

/// All that is known of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerFacts {
    /// What SHOW GLOBAL VARIABLES printed.
    pub variables: Variables,
    /// What SHOW GLOBAL STATUS printed, once or twice.
    pub status: Status,
    /// Its option file.
    pub config: Option<Config>,
    /// What a monitor showed while the load ran.
    pub monitor: Monitor,
    /// The machine it runs on.
    pub machine: Machine,
    /// Error texts and process states that were seen, a text each.
    pub symptoms: Vec<String>,
    /// Statements that ran at once (Threads_running), one number for each time somebody looked.
    pub running: Vec<u64>,
    /// How many process lists the states among the symptoms are from; 0 where nobody looked.
    pub process_lists: u64,
    /// States that were seen in several of them, with their sessions.
    pub states: States,
}

impl ServerFacts {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
            && self.status.is_empty()
            && self.config.is_none()
            && self.symptoms.is_empty()
            && self.running.is_empty()
            && self.process_lists == 0
    }

    /// The version, by the variables.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        Version::of(&self.variables)
    }

    /// Who runs the server, where its variables show that somebody else does.
    #[must_use]
    pub fn provider(&self) -> Option<Provider> {
        let of_config = self.config.as_ref().and_then(Config::provider);
        Provider::of(&self.variables).or(of_config)
    }
}
