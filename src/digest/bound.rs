//! The bound on the number of classes.
//!
//! A log of an ORM with numbers in its names has as many classes as events. So only the classes
//! that come first are kept apart: those whose first event is in front of that of all others,
//! [`MOST`] of them. Events of further classes go into one row for each distilled item, with
//! digits in names as `?`; rows beyond [`MOST_ROWS`] into a single one. Nothing is lost from the
//! totals.
//!
//! Which classes come first depends on the log alone. Threads work on batches in any order, so
//! each tells the [`Admission`] which classes were new to it in a batch, and that admits them in
//! the order of batches. Until as many classes as can be were admitted, a thread keeps all it
//! meets; from then on it gives up those that were not.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use hashbrown::{HashMap, HashSet};

use crate::digest::class::ClassDigest;
use crate::digest::places::Translation;
use crate::digest::tally;
use crate::sql::distill;

/// Classes that are kept apart.
pub const MOST: usize = 65_536;
/// Rows for events of further classes.
const MOST_ROWS: usize = 512;

/// Identifies a class without its text.
pub type KeyHash = u128;

type Hashes = HashSet<KeyHash, foldhash::fast::FixedState>;

/// The hash of what makes a class.
pub fn key_hash(key: &[u8]) -> KeyHash {
    use std::hash::{BuildHasher, Hasher};
    let half = |seed: u64| {
        let mut hasher = foldhash::quality::FixedState::with_seed(seed).build_hasher();
        hasher.write(key);
        u128::from(hasher.finish())
    };
    // Any two seeds: one half alone could be met by chance in a long run.
    half(1) << 64 | half(2)
}

/// Which classes of a run are kept apart. One for all threads.
#[derive(Debug)]
pub struct Admission {
    most: usize,
    /// The input whose batches are admitted now.
    source: AtomicU32,
    queue: Mutex<Queue>,
    /// The classes, once there are more than can be kept.
    full: OnceLock<Hashes>,
}

#[derive(Debug, Default)]
struct Queue {
    admitted: Hashes,
    /// The batch that comes next: input and number.
    next: (u32, u64),
    /// Batches that were done before those in front of them: whether the input ends with it, and
    /// classes in the order in which they came.
    early: BTreeMap<(u32, u64), (bool, Vec<KeyHash>)>,
}

impl Admission {
    /// Admits the first `most` classes.
    pub fn of(most: usize) -> Admission {
        Admission {
            most,
            source: AtomicU32::new(0),
            queue: Mutex::default(),
            full: OnceLock::new(),
        }
    }

    /// How many classes are kept.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Whether a thread that keeps so many classes has to leave an input to itself for now: its
    /// classes cannot be admitted, or given up, before those of the inputs in front of it.
    pub fn is_ahead(&self, source: u32, classes: usize) -> bool {
        classes > self.most && self.full().is_none() && self.source.load(Ordering::Relaxed) < source
    }

    /// The classes that are kept; `None` as long as all are.
    pub fn full(&self) -> Option<&Hashes> {
        self.full.get()
    }

    /// Tells the classes that were new to a thread in a batch, `is_last` of its input.
    pub fn tell(&self, source: u32, number: u64, is_last: bool, new: Vec<KeyHash>) {
        if self.full().is_some() {
            return;
        }
        // A thread that panicked while it held the lock ends the run.
        let Ok(mut queue) = self.queue.lock() else { return };
        let queue = &mut *queue;
        queue.early.insert((source, number), (is_last, new));
        while let Some((is_last, new)) = queue.early.remove(&queue.next) {
            let (source, number) = queue.next;
            queue.next = if is_last { (source + 1, 0) } else { (source, number + 1) };
            self.source.store(queue.next.0, Ordering::Relaxed);
            for class in new {
                if queue.admitted.contains(&class) {
                    continue;
                }
                if queue.admitted.len() >= self.most {
                    let admitted = std::mem::take(&mut queue.admitted);
                    // Set once: whoever comes later finds it full.
                    let _ = self.full.set(admitted);
                    queue.early.clear();
                    return;
                }
                queue.admitted.insert(class);
            }
        }
    }
}

/// Events of further classes, by item. Of more rows than the bound, those with the least hashes are
/// kept, as in a [`Tally`](crate::digest::tally::Tally).
#[derive(Debug, Default)]
pub struct Further {
    rows: HashMap<Vec<u8>, ClassDigest, foldhash::fast::FixedState>,
    rest: ClassDigest,
    /// Rows with a greater hash are in `rest`.
    limit: Option<u64>,
}

impl Further {
    /// The class in which an event counts that has this item. `own` tells what is what here.
    pub fn row(&mut self, item: &[u8], own: impl FnOnce() -> Translation) -> &mut ClassDigest {
        if self.rows.len() >= 2 * MOST_ROWS && !self.rows.contains_key(item) {
            self.shrink(&own());
        }
        if self.is_beyond(item) {
            return &mut self.rest;
        }
        self.rows.entry_ref(item).or_default()
    }

    fn is_beyond(&self, item: &[u8]) -> bool {
        self.limit.is_some_and(|limit| tally::hash(item) > limit)
    }

    /// Joins those of another part of the run.
    pub fn merge(&mut self, mut other: Further, there: &Translation) {
        self.limit = match (self.limit, other.limit) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        };
        for (item, mut row) in other.rows {
            let own = match self.is_beyond(&item) {
                true => &mut self.rest,
                false => self.rows.entry(item).or_default(),
            };
            own.merge(&row, there);
            own.samples.merge(&mut row.samples);
        }
        self.rest.merge(&other.rest, there);
        self.rest.samples.merge(&mut other.rest.samples);
    }

    /// Puts rows past the bound into the rest.
    fn shrink(&mut self, own: &Translation) {
        let mut hashes: Vec<u64> = self.rows.keys().map(|item| tally::hash(item)).collect();
        hashes.sort_unstable();
        let least = hashes.get(MOST_ROWS - 1).filter(|_| hashes.len() > MOST_ROWS);
        let Some(limit) = least.copied().into_iter().chain(self.limit).min() else { return };
        self.limit = Some(limit);
        let beyond: Vec<_> =
            self.rows.extract_if(|item, _| tally::hash(item) > limit).map(|(_, row)| row).collect();
        for mut row in beyond {
            self.rest.merge(&row, own);
            self.rest.samples.merge(&mut row.samples);
        }
    }

    /// All rows.
    pub fn classes(&self) -> impl Iterator<Item = &ClassDigest> {
        self.rows.values().chain([&self.rest])
    }

    /// The same, to change them.
    pub fn classes_mut(&mut self) -> impl Iterator<Item = &mut ClassDigest> {
        self.rows.values_mut().chain([&mut self.rest])
    }

    /// The rows, each with what it is called, in the order of their names.
    pub fn into_rows(mut self, own: &Translation) -> Vec<(Vec<u8>, ClassDigest)> {
        self.shrink(own);
        let name = |item: &[u8]| [b"(further classes) ", item].concat().trim_ascii().to_vec();
        let mut rows: Vec<_> =
            self.rows.into_iter().map(|(item, row)| (name(&item), row)).collect();
        if self.rest.count > 0 {
            rows.push((name(b"of other items"), self.rest));
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    }
}

/// What rows are called. Classes that differ in numbers alone are in the same row, so the item is
/// made of the text with `0` for each run of digits, and of many texts only once.
#[derive(Debug, Default)]
pub struct RowNames {
    known: HashMap<Box<[u8]>, Box<[u8]>, foldhash::fast::FixedState>,
    /// Bytes of the texts.
    bytes: usize,
    text: Vec<u8>,
}

/// Bytes of texts whose rows are remembered.
const TEXT_BYTES: usize = 4 * 1024 * 1024;

impl RowNames {
    /// The row of a class with this text, of whose kind `item_of` makes the item.
    pub fn row(&mut self, text: &[u8], item_of: impl FnOnce(&[u8]) -> Vec<u8>) -> Box<[u8]> {
        self.text.clear();
        for run in text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
            let run = if run[0].is_ascii_digit() { b"0" } else { run };
            self.text.extend_from_slice(run);
        }
        if let Some(row) = self.known.get(&*self.text) {
            return row.clone();
        }
        let mut row = Vec::new();
        distill::push_folded(&mut row, &item_of(&self.text));
        let row = row.into_boxed_slice();
        if self.bytes + text.len() <= TEXT_BYTES {
            self.bytes += text.len();
            self.known.insert(self.text.as_slice().into(), row.clone());
        }
        row
    }
}
