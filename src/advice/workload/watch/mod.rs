//! What a log tells event by event and a digest forgets: the order of events, who sent them, which
//! statements came again.
//!
//! Events are shown in the order of the log, once. What is kept has a bound; what is past it is
//! counted as left out, never guessed.

pub mod regimes;

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::digest::Sorted;
use crate::event::{Event, Kind};
use crate::metric::Registry;
use crate::sql::fingerprint::ClassId;
use crate::sql::token::{Kind as TokenKind, tokens};

/// What a statement does, by its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// SELECT, also behind WITH or a parenthesis.
    Select,
    /// INSERT.
    Insert,
    /// REPLACE.
    Replace,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// Anything else, administrator commands too.
    Other,
}

/// One event, as far as it is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'e> {
    /// As it was read.
    pub event: &'e Event<'e>,
    /// Its class: a number of [`Observed::classes`].
    pub class: u32,
    /// What it does.
    pub verb: Verb,
    /// When it began and ended, in microseconds; `None` where the log does not tell.
    pub span: Option<(i64, i64)>,
    /// Microseconds that it took.
    pub micros: Option<u64>,
    /// The connection.
    pub thread: Option<u64>,
}

/// Looks at events.
#[derive(Debug, Default)]
pub struct Watch {
    classes: Vec<(ClassId, Verb)>,
    hasher: FixedState,
    regimes: regimes::Collector,
}

/// What was seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Classes by the number they have here.
    pub classes: Vec<ClassId>,
    /// Stretches of the log.
    pub regimes: regimes::Regimes,
}

impl Watch {
    /// Takes an event. Those of classes past the bound of a digest have no class and are not looked
    /// at by class.
    pub fn add(&mut self, event: &Event<'_>, _registry: &Registry, sorted: &Sorted<'_, '_>) {
        let (span, micros) = (span(event), micros(event));
        self.regimes.add(span, micros);
        let Some(class) = sorted.class() else { return };
        while self.classes.len() <= class as usize {
            // Numbers are given in order, so that only the last one is new.
            self.classes.push((sorted.id(), verb_of(event)));
        }
        let Some((_, verb)) = self.classes.get(class as usize) else { return };
        let thread = event.thread_id.map(|thread| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write(thread);
            hasher.finish()
        });
        let _sighting = Sighting { event, class, verb: *verb, span, micros, thread };
    }

    /// What was seen.
    pub fn finish(self) -> Observed {
        Observed {
            classes: self.classes.into_iter().map(|(id, _)| id).collect(),
            regimes: self.regimes.finish(),
        }
    }
}

impl Observed {
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

fn verb_of(event: &Event<'_>) -> Verb {
    if event.kind == Kind::Administrator {
        return Verb::Other;
    }
    let is_word = |kind| matches!(kind, TokenKind::Word);
    let first = tokens(event.statement).take(64).find(|token| is_word(token.kind));
    let Some(first) = first else { return Verb::Other };
    match first.of(event.statement).to_ascii_lowercase().as_slice() {
        b"select" | b"with" => Verb::Select,
        b"insert" => Verb::Insert,
        b"replace" => Verb::Replace,
        b"update" => Verb::Update,
        b"delete" => Verb::Delete,
        _ => Verb::Other,
    }
}
