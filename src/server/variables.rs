//! Server variables: typed access by name. A variable that is not there is not 0.

use std::collections::BTreeMap;

use super::machine::size;

/// What SHOW VARIABLES printed, or an option file sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    values: BTreeMap<String, String>,
}

impl FromIterator<(String, String)> for Variables {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Variables {
        let mut variables = Variables::default();
        pairs.into_iter().for_each(|(name, value)| variables.set(&name, value));
        variables
    }
}

impl Variables {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Sets one; the last one given counts.
    pub fn set(&mut self, name: &str, value: String) {
        self.values.insert(canonical(name), value);
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Whether it is there, empty or not.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A value as printed.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A whole number, or a size with its unit.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        let text = self.text(name)?.trim();
        // Some whole numbers are printed with decimals: `long_query_time 1.000000`.
        let whole = match text.split_once('.') {
            Some((whole, decimals)) if decimals.bytes().all(|b| b == b'0') => whole,
            _ => text,
        };
        size(whole)
    }

    /// A switch; numbers other than 0 and 1 are none.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        let text = self.text(name)?.trim();
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        match () {
            () if is(&["ON", "1", "YES", "TRUE"]) => Some(true),
            () if is(&["OFF", "0", "NO", "FALSE"]) => Some(false),
            () => None,
        }
    }

    /// Seconds with a fraction, as microseconds.
    #[must_use]
    pub fn micros(&self, name: &str) -> Option<u64> {
        let text = self.text(name)?.trim();
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let whole: u64 = whole.parse().ok()?;
        if !decimals.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let six = decimals.bytes().chain(std::iter::repeat(b'0')).take(6);
        let micros = six.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        whole.checked_mul(1_000_000)?.checked_add(micros)
    }
}

/// A name as SHOW VARIABLES prints it: small letters, `_` for `-`.
#[must_use]
pub fn canonical(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_is_not_zero() {
        let variables: Variables = [
            ("Query-Cache-Size", "0"),
            ("sort_buffer_size", "2M"),
            ("long_query_time", "10.000000"),
            ("max_statement_time", "0.250000"),
            ("log_bin", "ON"),
            ("innodb_flush_log_at_trx_commit", "2"),
            ("datadir", ""),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        assert_eq!(variables.number("query_cache_size"), Some(0));
        assert_eq!(variables.number("query_cache_limit"), None);
        assert_eq!(variables.number("sort_buffer_size"), Some(2_097_152));
        assert_eq!(variables.number("long_query_time"), Some(10));
        assert_eq!(variables.number("max_statement_time"), None);
        assert_eq!(variables.micros("max_statement_time"), Some(250_000));
        assert_eq!(variables.micros("long_query_time"), Some(10_000_000));
        assert_eq!(variables.flag("log_bin"), Some(true));
        assert_eq!(variables.flag("innodb_flush_log_at_trx_commit"), None);
        assert_eq!((variables.has("datadir"), variables.number("datadir")), (true, None));
    }
}
