//! What a log tells event by event and a digest forgets: the order of events, who sent them, which
//! statements came again.
//!
//! Events are shown in the order of the log, once. What is kept has a bound; what is past it is
//! counted as left out, never guessed.

pub mod bursts;
pub mod failures;
#[cfg(test)]
pub(in crate::advice::workload) mod fixture;
pub mod inserts;
pub mod keys;
pub mod regimes;
pub mod repeats;
pub mod talk;
pub mod threads;
pub mod traits;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::digest::Sorted;
use crate::event::Event;
use crate::metric::{METRICS, MetricId, Registry};
use crate::sql::fingerprint::ClassId;
use crate::time::SECOND;

use bursts::{Bursts, Periodic};
use failures::{Failed, Failures};
use inserts::{Inserted, Inserts};
use keys::{HotKey, Keys};
use repeats::{Repeats, Texts};
use talk::Talked;
use threads::{Pair, Threads};
use traits::Traits;

/// Seconds of a window in which rates are taken: a spike of one second is none.
pub const WINDOW: i64 = 10;

const ROUTINE: &[u8] = b"Stored_routine";

/// One event, as far as it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'e> {
    /// As it was read.
    pub event: &'e Event<'e>,
    /// Its class: a number of [`Observed::classes`].
    pub class: u32,
    /// When it began and ended, in microseconds; `None` where the log does not tell.
    pub span: Option<(i64, i64)>,
    /// Microseconds that it took.
    pub micros: Option<u64>,
    /// The connection.
    pub thread: Option<u64>,
    /// It ran inside of a stored routine, and the CALL is an event of its own.
    pub is_in_routine: bool,
}

/// Looks at events.
#[derive(Debug, Default)]
pub struct Watch {
    classes: Vec<(ClassId, Traits)>,
    hasher: FixedState,
    /// The number of Stored_routine, once it was met.
    routine: Option<MetricId>,
    regimes: regimes::Collector,
    talked: Talked,
    keys: Keys,
    inserts: Inserts,
    threads: Threads,
    bursts: Bursts,
    texts: Texts,
    failures: Failures,
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Classes by the number they have here.
    pub classes: Vec<ClassId>,
    /// Stretches of the log.
    pub regimes: regimes::Regimes,
    /// What is so of each of them.
    pub traits: Vec<Traits>,
    /// Events about the connection.
    pub talked: Talked,
    /// The value that each class writes most.
    pub keys: Vec<HotKey>,
    /// What classes insert.
    pub inserted: Vec<Inserted>,
    /// Selects behind selects.
    pub pairs: Vec<Pair>,
    /// Load that comes in bursts.
    pub periodic: Vec<Periodic>,
    /// SELECTs that repeat.
    pub repeats: Repeats,
    /// Statements that failed.
    pub failed: Vec<Failed>,
}

impl Watch {
    /// Takes an event. Those of classes past the bound of a digest have no class and are not looked
    /// at by class.
    pub fn add(&mut self, event: &Event<'_>, registry: &Registry, sorted: &Sorted<'_, '_>) {
        let class = sorted.class();
        // An ID is a hash of the whole fingerprint: it is asked for once.
        let is_new = |class: u32| class as usize >= self.classes.len();
        let id = if class.is_some_and(is_new) { sorted.id() } else { ClassId([0; 16]) };
        self.see(event, registry, class.map(|class| (class, id)));
    }

    /// Takes an event of a class; the ID counts where the class is new.
    fn see(&mut self, event: &Event<'_>, registry: &Registry, class: Option<(u32, ClassId)>) {
        let (span, micros) = (span(event), micros(event));
        self.regimes.add(span, micros);
        self.bursts.add_any(span, micros);
        let Some((class, id)) = class else { return };
        while self.classes.len() <= class as usize {
            // Numbers are given in order, so that only the last one is new.
            self.classes.push((id, Traits::of(event)));
        }
        let is_in_routine = self.is_in_routine(event, registry);
        let Some((_, traits)) = self.classes.get(class as usize) else { return };
        let thread = event.thread_id.map(|thread| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write(thread);
            hasher.finish()
        });
        let sighting = Sighting { event, class, span, micros, thread, is_in_routine };
        self.talked.add(event, traits);
        self.keys.add(&sighting, traits);
        self.inserts.add(&sighting, traits);
        self.threads.add(&sighting, traits);
        self.bursts.add(&sighting);
        self.texts.add(&sighting, traits);
        self.failures.add(&sighting);
    }

    /// Whether an event has a Stored_routine, which MariaDB and Percona Server print inside of one
    /// only.
    fn is_in_routine(&mut self, event: &Event<'_>, registry: &Registry) -> bool {
        if self.routine.is_none() {
            let own = event.attributes.iter().map(|attribute| attribute.metric);
            let mut own = own.filter(|metric| usize::from(metric.0) >= METRICS.len());
            self.routine = own.find(|metric| registry.name(*metric) == ROUTINE);
        }
        self.routine.is_some_and(|known| event.attributes.iter().any(|it| it.metric == known))
    }

    /// What was seen.
    pub fn finish(self) -> Observed {
        let (classes, traits) = self.classes.into_iter().unzip();
        Observed {
            classes,
            traits,
            regimes: self.regimes.finish(),
            talked: self.talked,
            keys: self.keys.finish(),
            inserted: self.inserts.finish(),
            pairs: self.threads.finish(),
            periodic: self.bursts.finish(),
            repeats: self.texts.finish(),
            failed: self.failures.finish(),
        }
    }
}

impl Observed {
    /// The ID of a class by its number.
    pub fn id(&self, class: u32) -> Option<ClassId> {
        self.classes.get(class as usize).copied()
    }

    /// Numbers of classes by their IDs.
    pub fn numbers(&self) -> HashMap<ClassId, u32> {
        self.classes.iter().zip(0..).map(|(id, number)| (*id, number)).collect()
    }
}

fn micros(event: &Event<'_>) -> Option<u64> {
    u64::try_from(event.query_time?).ok()
}

/// Start and end; one is reckoned from the other where the time is known.
fn span(event: &Event<'_>) -> Option<(i64, i64)> {
    let micros = event.query_time.and_then(|micros| i64::try_from(micros).ok());
    match (event.start, event.ts) {
        (Some(start), Some(end)) => Some((start.0.min(end.0), end.0)),
        (None, Some(end)) => Some((end.0.checked_sub(micros.unwrap_or(0))?, end.0)),
        (Some(start), None) => Some((start.0, start.0.checked_add(micros.unwrap_or(0))?)),
        (None, None) => None,
    }
}

/// The window of ten seconds that an event ends in.
fn window(span: Option<(i64, i64)>) -> Option<i64> {
    Some(second(span)?.div_euclid(WINDOW))
}

/// The second that it ends in.
fn second(span: Option<(i64, i64)>) -> Option<i64> {
    Some(span?.1.div_euclid(SECOND))
}

#[cfg(test)]
mod tests {
    use super::fixture::{Log, entry};

    /// Times that go back, are missing or past any calendar; connections and statements without end.
    #[test]
    fn wild_events_are_borne() {
        const TEXTS: &[&str] = &[
            "UPDATE t SET n = n + 1 WHERE id = {n}",
            "INSERT INTO t (a, b) VALUES ({n}, 'x') ON DUPLICATE KEY UPDATE b = VALUES(b)",
            "INSERT INTO t VALUES ({n}), ({n}",
            "SELECT a FROM t WHERE id = {n}",
            "SELECT a FROM t{n}",
            "UPDATE t SET a = 'x WHERE id = {n}",
            "REPLACE",
            "",
            "((((",
            "/*!",
            "WITH a AS (SELECT {n}) SELECT * FROM a",
            "administrator command: ",
        ];
        const TIMES: &[i64] = &[i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        let mut log = Log::default();
        let mut seed = 3_u64;
        for n in 0..30_000_usize {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let text = TEXTS[n % TEXTS.len()].replace("{n}", &(seed >> 50).to_string());
            let mut entry = entry(&text).micros(if n % 3 == 0 { u64::MAX } else { seed });
            match seed >> 60 {
                0 => {}
                1..4 => entry = entry.at(TIMES[n % TIMES.len()]),
                4..8 => entry = entry.at(seed as i64),
                _ => entry = entry.at((n as i64) * 1_000),
            }
            if n % 2 == 0 {
                entry = entry.thread(n as i64).errno((seed >> 40) as i128);
            }
            log.add(if n % 12 == 11 { entry.command() } else { entry });
        }
        let seen = log.watch().finish();
        assert_eq!(seen.talked.events, 30_000);
        assert_eq!(seen.classes.len(), seen.traits.len());
        let told = seen.failed.iter().map(|it| it.events).sum::<u64>();
        assert_eq!(told, 15_000);
    }
}
