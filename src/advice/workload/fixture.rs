//! Loads for tests of rules.

use crate::advice::{Class, Workload};
use crate::digest::spread;
use crate::server::ServerFacts;
use crate::server::monitor;
use crate::server::status::Sample;
use crate::sql::fingerprint::ClassId;
use crate::time::Timestamp;

use super::{Case, Measured, Times, Whole};

/// A load, and what is known around it.
pub struct Load {
    pub workload: Workload<'static>,
    pub facts: ServerFacts,
}

impl Load {
    /// Classes of so many calls, each of so many microseconds, within so many seconds.
    pub fn new(classes: &[(u64, u64)], seconds: i64) -> Load {
        let range = Some((Timestamp(0), Timestamp(seconds * 1_000_000)));
        let mut all: Vec<Class<'static>> = classes
            .iter()
            .zip(0..)
            .map(|((calls, micros), number)| class(number, *calls, *micros, range))
            .collect();
        all.sort_by_key(|class| class.id);
        let sum = |of: fn(&Class<'_>) -> u64| all.iter().map(of).sum();
        let count = classes.iter().map(|(calls, _)| calls).sum();
        let mut buckets = std::collections::BTreeMap::new();
        for (calls, micros) in classes {
            *buckets.entry(low(*micros)).or_insert(0) += calls;
        }
        let time = Times {
            count,
            sum: sum(|class| class.micros.unwrap_or(0)),
            least: classes.iter().map(|(_, micros)| *micros).min().unwrap_or(0),
            most: classes.iter().map(|(_, micros)| *micros).max().unwrap_or(0),
            buckets: buckets.into_iter().collect(),
        };
        let measured = Measured { events: count, range, time: Some(time), ..Measured::default() };
        let whole = Whole {
            measured,
            classes: all.len() as u64,
            active_seconds: u64::try_from(seconds).unwrap(),
            busy_micros: None,
            sampled: None,
            is_fine: true,
        };
        let workload =
            Workload { classes: all, is_timed: true, whole: Some(whole), ..Workload::default() };
        Load { workload, facts: ServerFacts::default() }
    }

    /// With a figure of a monitor: `qps=12`.
    pub fn seen(mut self, figure: &str) -> Load {
        let (figure, range) = monitor::parse(figure).unwrap();
        self.facts.monitor.set(figure, range);
        self
    }

    /// With a variable.
    pub fn set(mut self, name: &str, value: &str) -> Load {
        self.facts.variables.set(name, value.to_owned());
        self
    }

    /// With two samples of a counter, so many seconds apart.
    pub fn counted(mut self, name: &str, grown: u64, seconds: u64) -> Load {
        for (uptime, count) in [(1_000, 0), (1_000 + seconds, grown)] {
            let pairs = [("Uptime", uptime), (name, count)];
            let sample: Sample = pairs
                .map(|(name, count)| (name.to_owned(), count.to_string()))
                .into_iter()
                .collect();
            self.facts.status.add(sample);
        }
        self
    }

    /// The load changed by hand.
    pub fn with(mut self, change: impl FnOnce(&mut Whole)) -> Load {
        change(self.workload.whole.as_mut().unwrap());
        self
    }

    /// The class with this number, changed by hand.
    pub fn with_class(mut self, number: u64, change: impl FnOnce(&mut Class<'static>)) -> Load {
        let id = id(number);
        change(self.workload.classes.iter_mut().find(|class| class.id == id).unwrap());
        self
    }

    /// What rules look at.
    pub fn case(&self) -> Case<'_> {
        Case::of(&self.workload, &self.facts, None).unwrap()
    }
}

/// The ID of a class of a load.
pub fn id(number: u64) -> ClassId {
    ClassId::of(format!("select a from t{number} where b = ?").as_bytes())
}

/// The least time of the bucket of a time.
fn low(micros: u64) -> u64 {
    u64::try_from(spread::range(spread::narrow_bucket(micros)).0).unwrap()
}

fn class(
    number: u64,
    calls: u64,
    micros: u64,
    range: Option<(Timestamp, Timestamp)>,
) -> Class<'static> {
    let time = Times {
        count: calls,
        sum: calls * micros,
        least: micros,
        most: micros,
        buckets: vec![(low(micros), calls)],
    };
    Class {
        id: id(number),
        samples: vec![format!("SELECT a FROM t{number} WHERE b = 7")],
        database: None,
        calls,
        weight: None,
        micros: Some(calls * micros),
        lock_micros: None,
        load: Default::default(),
        rows_affected: None,
        plans: Vec::new(),
        measured: Some(Measured { events: calls, range, time: Some(time), ..Measured::default() }),
    }
}
