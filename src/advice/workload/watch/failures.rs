//! Statements that failed, by class and number of the error.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::metric::{self, MetricId};

use super::Sighting;

const ERRNO: [MetricId; 2] = [metric::known("Errno"), metric::known("Last_errno")];
const KILLED: MetricId = metric::known("Killed");
/// Pairs of class and number that are told apart; a server has some thousand numbers, a log few.
const MOST: usize = 16_384;

/// Failures of a class with one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed {
    /// The class: a number of [`super::Observed::classes`].
    pub class: u32,
    /// The number of the error; none of what is past the bound, and of what was killed without one.
    pub number: Option<u32>,
    /// Events.
    pub events: u64,
}

/// Counts failures.
#[derive(Debug, Default)]
pub struct Failures {
    counts: HashMap<(u32, Option<u32>), u64, FixedState>,
}

impl Failures {
    /// Takes an event.
    pub fn add(&mut self, sighting: &Sighting<'_>) {
        let event = sighting.event;
        let number = |metric: &MetricId| {
            event.has(*metric).then(|| event.number(*metric)).flatten().filter(|it| *it != 0)
        };
        let error = ERRNO.iter().find_map(number).or_else(|| number(&KILLED));
        let Some(error) = error else { return };
        let key = (sighting.class, u32::try_from(error).ok().filter(|it| *it > 1));
        if let Some(count) = self.counts.get_mut(&key) {
            *count += 1;
        } else if self.counts.len() < MOST {
            self.counts.insert(key, 1);
        } else if let Some(count) = self.counts.get_mut(&(sighting.class, None)) {
            *count += 1;
        } else if self.counts.len() < 2 * MOST {
            self.counts.insert((sighting.class, None), 1);
        }
    }

    /// Failures by class; of each the most frequent number first.
    pub fn finish(self) -> Vec<Failed> {
        let failed = self.counts.into_iter();
        let failed = failed.map(|((class, number), events)| Failed { class, number, events });
        let mut failed: Vec<Failed> = failed.collect();
        failed.sort_unstable_by_key(|it| (it.class, std::cmp::Reverse(it.events), it.number));
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Log, entry};

    #[test]
    fn failures_are_counted_by_their_numbers() {
        let mut log = Log::default();
        for errno in [0, 1062, 1213, 1062, 0] {
            log.add(entry("INSERT INTO t VALUES (1)").errno(errno));
        }
        log.add(entry("SELECT 1"));
        let failed = log.watch().finish().failed;
        let told: Vec<_> = failed.iter().map(|it| (it.class, it.number, it.events)).collect();
        assert_eq!(told, [(0, Some(1062), 2), (0, Some(1213), 1)]);
    }
}
