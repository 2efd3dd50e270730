//! What the rules of variables look at.

use crate::advice::{Finding, Workload};
use crate::plan::Amount;
use crate::schema::Schema;
use crate::server::{Provider, ServerFacts, Version, Window};

use super::symptom::{self, Sign};

/// Seconds between two samples from which on their difference is a rate.
const LEAST_INTERVAL: u64 = 10;
/// Uptime from which on counters since the start are a rate.
pub const HOUR: u64 = 3_600;
/// Uptime from which on a counter may show that something is little used.
pub const DAY: u64 = 86_400;
/// Uptime below which a single sample shows nothing at all.
const LEAST_UPTIME: u64 = 60;

/// A server, and what runs on it.
#[derive(Debug)]
pub struct Case<'a> {
    /// What is known of it.
    pub facts: &'a ServerFacts,
    /// Which server it is.
    pub version: Option<Version>,
    /// Who runs it for its user.
    pub provider: Option<Provider>,
    /// Its tables.
    pub schema: Option<&'a Schema>,
    /// Its statements.
    pub workload: &'a Workload<'a>,
    /// What other rules say of its statements and their plans.
    pub said: &'a [Finding],
    /// Symptoms that are understood.
    pub signs: Vec<Sign<'a>>,
}

impl<'a> Case<'a> {
    /// Looks at a server.
    pub fn new(
        facts: &'a ServerFacts,
        workload: &'a Workload<'a>,
        schema: Option<&'a Schema>,
        said: &'a [Finding],
    ) -> Case<'a> {
        Case {
            facts,
            // A log or a dump may tell the version as well.
            version: facts.version().or_else(|| Version::parse(&workload.server.as_ref()?.version)),
            provider: facts.provider(),
            schema,
            workload,
            said,
            signs: symptom::read(&facts.symptoms),
        }
    }

    /// A value as printed; what the option file sets where no variables are given.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        if !self.facts.variables.is_empty() {
            return self.facts.variables.text(name);
        }
        self.facts.config.as_ref()?.values().text(name)
    }

    /// A whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        if !self.facts.variables.is_empty() {
            return self.facts.variables.number(name);
        }
        self.facts.config.as_ref()?.values().number(name)
    }

    /// A switch.
    pub fn flag(&self, name: &str) -> Option<bool> {
        if !self.facts.variables.is_empty() {
            return self.facts.variables.flag(name);
        }
        self.facts.config.as_ref()?.values().flag(name)
    }

    /// Seconds as microseconds.
    pub fn micros(&self, name: &str) -> Option<u64> {
        if !self.facts.variables.is_empty() {
            return self.facts.variables.micros(name);
        }
        self.facts.config.as_ref()?.values().micros(name)
    }

    /// Whether the option file sets it.
    pub fn is_set(&self, name: &str) -> bool {
        self.facts.config.as_ref().is_some_and(|config| config.sets(name))
    }

    /// A counter as it stands.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.facts.status.count(name)
    }

    /// What happened in a stretch of time; `None` where no sample or too short a time is given.
    pub fn rates(&self) -> Option<Rates<'a>> {
        let window = self.facts.status.window()?;
        let least = if window.is_interval() { LEAST_INTERVAL } else { LEAST_UPTIME };
        (window.seconds >= least).then_some(Rates { window })
    }

    /// The same over a stretch so long that little use is shown: a day, or two samples an hour
    /// apart.
    pub fn long_rates(&self) -> Option<Rates<'a>> {
        self.rates().filter(|rates| {
            let least = if rates.window.is_interval() { HOUR } else { DAY };
            rates.window.seconds >= least
        })
    }

    /// Whether it is MySQL, or near kin, of this version or later.
    pub fn is_mysql_from(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.version.is_some_and(|it| it.is_mysql_from(major, minor, patch))
    }

    /// Whether it is MySQL, or near kin, before this version.
    pub fn is_mysql_before(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.version.is_some_and(|it| it.is_mysql() && it.numbers < (major, minor, patch))
    }

    /// Whether it is MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.version.is_some_and(|it| it.is_mariadb())
    }

    /// Whether it is MariaDB of this version or later.
    pub fn is_mariadb_from(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.version.is_some_and(|it| it.is_mariadb_from(major, minor, patch))
    }

    /// Whether a slow log with times is given.
    pub fn has_log(&self) -> bool {
        self.workload.is_timed && self.workload.window_micros.is_some()
    }

    /// The symptom that a rule explains.
    pub fn sign(&self, rule: &str) -> Option<&Sign<'a>> {
        self.signs.iter().find(|sign| sign.row.rule == rule)
    }

    /// Bytes of data and indexes of all tables, where each table tells them.
    pub fn data_bytes(&self) -> Option<u64> {
        let schema = self.schema?;
        let mut tables = schema.tables().filter(|table| table.is_innodb()).peekable();
        tables.peek()?;
        tables.try_fold(0_u64, |sum, table| {
            let bytes = table.data_bytes?.saturating_add(table.index_bytes?);
            Some(sum.saturating_add(bytes))
        })
    }

    /// Whether the tables are known and one of them is of an engine.
    pub fn has_engine(&self, engine: &str) -> Option<bool> {
        let mut tables = self.schema?.tables().filter(|table| table.is_defined).peekable();
        tables.peek()?;
        Some(
            tables.any(|table| {
                table.engine.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(engine))
            }),
        )
    }
}

/// What counters grew by in a stretch of time.
#[derive(Debug, Clone, Copy)]
pub struct Rates<'a> {
    /// The stretch.
    pub window: Window<'a>,
}

impl Rates<'_> {
    /// Seconds of the stretch.
    pub fn seconds(&self) -> u64 {
        self.window.seconds
    }

    /// What a counter grew by.
    pub fn grown(&self, name: &str) -> Option<u64> {
        self.window.grown(name)
    }

    /// Whether a counter grew so often a second, at least.
    pub fn is_per_second(&self, name: &str, least: u64) -> bool {
        self.grown(name).is_some_and(|grown| grown >= least.saturating_mul(self.seconds()))
    }

    /// So much a second.
    pub fn a_second(&self, grown: u64) -> Amount {
        hundredths(Amount::whole(grown).ratio(Amount::whole(self.seconds())))
    }

    /// So much an hour.
    pub fn an_hour(&self, grown: u64) -> u64 {
        let hour = u128::from(grown) * u128::from(HOUR) / u128::from(self.seconds().max(1));
        u64::try_from(hour).unwrap_or(u64::MAX)
    }

    /// Whether it is a single sample of a server that has not run for an hour.
    pub fn is_short(&self) -> bool {
        !self.window.is_interval() && self.seconds() < HOUR
    }
}

/// Whether one number is at least so many percent of another, which is not 0.
pub fn is_percent(part: u64, whole: u64, percent: u64) -> bool {
    whole > 0 && u128::from(part) * 100 >= u128::from(whole) * u128::from(percent)
}

/// So many percent, with two decimals.
pub fn percent(part: u64, whole: u64) -> Amount {
    let part = Amount::whole(part).times(Amount::whole(100));
    hundredths(part.ratio(Amount::whole(whole)))
}

/// A number with two decimals.
pub fn hundredths(number: Option<Amount>) -> Amount {
    let hundred = Amount::whole(100);
    let number = number.unwrap_or_default();
    number.times(hundred).rounded().ratio(hundred).unwrap_or_default()
}
