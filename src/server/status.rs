//! Counters: one sample since the start of the server, or what changed between two.

use std::collections::BTreeMap;

/// What SHOW GLOBAL STATUS printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    before: Option<Sample>,
    last: Option<Sample>,
}

/// One print of the counters, by their names in small letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    values: BTreeMap<String, String>,
}

impl FromIterator<(String, String)> for Sample {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Sample {
        let pairs = pairs.into_iter();
        Sample { values: pairs.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect() }
    }
}

impl Sample {
    /// A counter, by its name in small letters.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.values.get(name)?.trim().parse().ok()
    }
}

/// A stretch of time that counters belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window<'a> {
    before: Option<&'a Sample>,
    last: &'a Sample,
    /// Its seconds, more than none.
    pub seconds: u64,
}

impl Status {
    /// Takes a further sample; a third one pushes out the first.
    pub fn add(&mut self, sample: Sample) {
        self.before = self.last.replace(sample);
    }

    /// Whether there is no sample.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Whether there are two samples, the second one later.
    #[must_use]
    pub fn is_interval(&self) -> bool {
        self.interval().is_some()
    }

    /// Whether two samples were given, but the server started between them or they are swapped.
    #[must_use]
    pub fn is_out_of_order(&self) -> bool {
        let uptime = |sample: &Option<Sample>| sample.as_ref()?.count("uptime");
        matches!((uptime(&self.before), uptime(&self.last)), (Some(before), Some(last)) if last < before)
    }

    /// A counter of the last sample: since the start of the server, or as it stands.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.last.as_ref()?.count(name)
    }

    /// Seconds since the start of the server.
    #[must_use]
    pub fn uptime(&self) -> Option<u64> {
        self.count("uptime")
    }

    fn interval(&self) -> Option<Window<'_>> {
        let (before, last) = (self.before.as_ref()?, self.last.as_ref()?);
        let seconds = last.count("uptime")?.checked_sub(before.count("uptime")?)?;
        (seconds > 0).then_some(Window { before: Some(before), last, seconds })
    }

    /// The stretch that counters tell of: between two samples, or since the start.
    #[must_use]
    pub fn window(&self) -> Option<Window<'_>> {
        self.interval().or_else(|| self.since_start())
    }

    /// The stretch since the start of the server, also where two samples are given.
    #[must_use]
    pub fn since_start(&self) -> Option<Window<'_>> {
        let last = self.last.as_ref()?;
        let seconds = last.count("uptime").filter(|seconds| *seconds > 0)?;
        Some(Window { before: None, last, seconds })
    }
}

impl Window<'_> {
    /// Whether it lies between two samples.
    #[must_use]
    pub fn is_interval(&self) -> bool {
        self.before.is_some()
    }

    /// What a counter grew by. `None` where it is not there, fell back (FLUSH STATUS), or was set
    /// back to 0 a good while after the start without a sample from before.
    #[must_use]
    pub fn grown(&self, name: &str) -> Option<u64> {
        let last = self.last.count(name)?;
        match self.before {
            Some(before) => last.checked_sub(before.count(name)?),
            None if self.was_flushed() && !survives_flush(name) => None,
            None => Some(last),
        }
    }

    /// Whether FLUSH STATUS ran more than a tenth of the uptime after the start.
    #[must_use]
    pub fn was_flushed(&self) -> bool {
        let flushed = self.last.count("uptime_since_flush_status");
        self.before.is_none()
            && flushed.is_some_and(|it| it.saturating_mul(10) < self.seconds.saturating_mul(9))
    }
}

/// FLUSH STATUS sets back the counters of sessions; those of the engine and of connections stay.
fn survives_flush(name: &str) -> bool {
    name.starts_with("innodb_") || name.starts_with("qcache_") || name == "connections"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(pairs: &[(&str, &str)]) -> Sample {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn one_sample_tells_of_the_time_since_the_start() {
        let mut status = Status::default();
        assert_eq!(status.window(), None);
        status.add(sample(&[("Uptime", "7200"), ("Questions", "36000"), ("Ssl_cipher", "")]));
        let window = status.window().unwrap();
        assert_eq!((window.seconds, window.is_interval()), (7200, false));
        assert_eq!(window.grown("questions"), Some(36_000));
        assert_eq!((window.grown("queries"), window.grown("ssl_cipher")), (None, None));
    }

    #[test]
    fn two_samples_tell_of_the_time_between() {
        let mut status = Status::default();
        status.add(sample(&[("Uptime", "7200"), ("Questions", "36000"), ("Sort_rows", "9")]));
        status.add(sample(&[("Uptime", "7260"), ("Questions", "37200"), ("Sort_rows", "4")]));
        let window = status.window().unwrap();
        assert_eq!((window.seconds, window.grown("questions")), (60, Some(1_200)));
        assert_eq!(window.grown("sort_rows"), None);
        assert_eq!(status.since_start().unwrap().grown("questions"), Some(37_200));
        assert!(!status.is_out_of_order());
    }

    #[test]
    fn a_restart_between_two_samples_leaves_the_second() {
        let mut status = Status::default();
        status.add(sample(&[("Uptime", "900000"), ("Questions", "500")]));
        status.add(sample(&[("Uptime", "4000"), ("Questions", "20")]));
        assert!(status.is_out_of_order() && !status.is_interval());
        assert_eq!(status.window().unwrap().grown("questions"), Some(20));
    }

    #[test]
    fn counters_that_were_flushed_have_no_rate() {
        let mut status = Status::default();
        status.add(sample(&[
            ("Uptime", "864000"),
            ("Uptime_since_flush_status", "60"),
            ("Sort_scan", "5"),
            ("Innodb_os_log_written", "7"),
        ]));
        let window = status.window().unwrap();
        assert_eq!(window.grown("sort_scan"), None);
        assert_eq!(window.grown("innodb_os_log_written"), Some(7));
    }
}
