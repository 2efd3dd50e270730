//! How the query cache of a server is set, as its variables tell.

use crate::flavor::Family;
use crate::server::Variables;

/// Which statements are cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Type {
    /// None.
    Off,
    /// All that may be.
    #[default]
    On,
    /// Those that say SQL_CACHE.
    Demand,
}

impl Type {
    /// Reads OFF, ON, DEMAND or their numbers.
    pub fn read(text: &str) -> Option<Type> {
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        match () {
            () if is(&["off", "0", "false"]) => Some(Type::Off),
            () if is(&["on", "1", "true"]) => Some(Type::On),
            () if is(&["demand", "2"]) => Some(Type::Demand),
            () => None,
        }
    }
}

/// The settings that decide what is cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The family of the server; MySQL where nothing tells that it is MariaDB.
    pub family: Family,
    /// First and second number of the version, where it is known.
    pub version: Option<(u32, u32)>,
    /// Whether the server has a query cache at all, as `have_query_cache` says.
    pub is_built_in: bool,
    /// `query_cache_type`.
    pub kind: Option<Type>,
    /// `query_cache_size`, in bytes.
    pub size: Option<u64>,
    /// `query_cache_limit`, in bytes.
    pub limit: u64,
    /// `query_cache_min_res_unit`, in bytes.
    pub min_res_unit: u64,
    /// `query_cache_strip_comments`.
    pub strips_comments: bool,
    /// Microseconds above which statements are logged, where that is known.
    pub threshold: Option<u64>,
    /// Whether statements without an index are logged whatever they take.
    pub logs_unindexed: Option<bool>,
    /// Other reasons why the log has not every statement.
    pub is_filtered: Option<&'static str>,
    /// What sessions begin with, by name, in lower case.
    pub session: Variables,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            family: Family::Unknown,
            version: None,
            is_built_in: true,
            kind: None,
            size: None,
            limit: 1 << 20,
            min_res_unit: 4096,
            strips_comments: false,
            threshold: None,
            logs_unindexed: None,
            is_filtered: None,
            session: Variables::default(),
        }
    }
}

impl Settings {
    /// The settings that variables tell, by name in lower case; what they lack is as the servers
    /// have it from the start.
    pub fn of(variables: &Variables) -> Settings {
        let value = |name: &str| variables.text(name).map(str::trim);
        let bytes = |name: &str| variables.number(name);
        let above = |name: &str, least: u64| bytes(name).is_some_and(|it| it > least);
        let threshold = ["log_slow_query_time", "long_query_time"];
        let mut settings = Settings {
            is_built_in: variables.flag("have_query_cache") != Some(false),
            kind: value("query_cache_type").and_then(Type::read),
            size: bytes("query_cache_size"),
            strips_comments: variables.flag("query_cache_strip_comments") == Some(true),
            logs_unindexed: variables.flag("log_queries_not_using_indexes"),
            threshold: threshold.iter().find_map(|name| variables.micros(name)),
            session: variables.clone(),
            ..Settings::default()
        };
        let rows = ["log_slow_min_examined_row_limit", "min_examined_row_limit"];
        if rows.iter().any(|name| above(name, 0)) {
            settings.is_filtered =
                Some("min_examined_row_limit keeps statements of few rows out of the log");
        }
        if above("log_slow_rate_limit", 1) {
            settings.is_filtered =
                Some("log_slow_rate_limit keeps all but some statements out of the log");
        }
        settings.limit = bytes("query_cache_limit").unwrap_or(settings.limit);
        settings.min_res_unit = bytes("query_cache_min_res_unit").unwrap_or(settings.min_res_unit);
        if let Some(version) = value("version") {
            settings.set_version(version);
        }
        settings
    }

    /// What the version of the server tells.
    pub fn set_version(&mut self, version: &str) {
        let is_mariadb = version.to_ascii_lowercase().contains("mariadb");
        self.family = if is_mariadb { Family::MariaDb } else { Family::MySql };
        // MariaDB tells old replicas that it is 5.5.5.
        let plain = version.strip_prefix("5.5.5-").filter(|_| is_mariadb).unwrap_or(version);
        let mut numbers = plain.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        self.version = match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Some((major, minor)),
            _ => None,
        };
    }

    /// Whether the server is MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.family == Family::MariaDb
    }

    /// Whether the server has a query cache: MySQL has none since 8.0.
    pub fn has_cache(&self) -> bool {
        self.is_built_in && (self.is_mariadb() || self.version.is_none_or(|(major, _)| major < 8))
    }

    /// Whether the cache is in use.
    pub fn is_on(&self) -> bool {
        self.present_size().is_some()
    }

    /// The size of the cache in use; what is below 50 kB the server makes 0.
    pub fn present_size(&self) -> Option<u64> {
        let is_asked = self.kind.is_some_and(|kind| kind != Type::Off);
        self.size.filter(|size| is_asked && *size >= LEAST && self.has_cache())
    }
}

/// Bytes below which the server has no cache: 51,200 stays and 40,000 becomes 0.
pub const LEAST: u64 = 50 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Settings {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Settings::of(&pairs.iter().map(owned).collect())
    }

    #[test]
    fn a_cache_that_is_off_has_no_size() {
        let on = [
            ("version", "10.6.1-MariaDB"),
            ("query_cache_type", "ON"),
            ("query_cache_size", "1048576"),
        ];
        assert_eq!(of(&on).present_size(), Some(1_048_576));
        let off = [on[0], ("query_cache_type", "OFF"), on[2]];
        assert_eq!(of(&off).present_size(), None);
        let small = [on[0], on[1], ("query_cache_size", "40000")];
        assert_eq!(of(&small).present_size(), None);
        assert!(!of(&[("version", "8.0.36")]).has_cache());
        assert!(of(&[("version", "5.7.44-log")]).has_cache());
        assert!(of(&[("version", "5.5.5-10.4.32-MariaDB")]).has_cache());
        assert_eq!(of(&[("version", "5.5.5-10.4.32-MariaDB")]).version, Some((10, 4)));
        assert!(!of(&[("version", "11.8.2-MariaDB"), ("have_query_cache", "NO")]).has_cache());
    }

    #[test]
    fn the_threshold_is_exact() {
        assert_eq!(of(&[("long_query_time", "0.000000")]).threshold, Some(0));
        assert_eq!(of(&[("long_query_time", "0.25")]).threshold, Some(250_000));
        assert_eq!(of(&[("long_query_time", "10")]).threshold, Some(10_000_000));
        assert_eq!(of(&[("long_query_time", "x")]).threshold, None);
    }
}
