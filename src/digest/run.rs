//! Reads inputs with any number of threads.
//!
//! A thread takes the next block of an input, looks through it for what can be told without the
//! blocks before, waits for its turn to frame it, for entries inherit from the ones before, and
//! then works on its entries. Reading and framing are under a lock each, and neither takes long.
//! Threads that find the end of an input go on with the next one. Of packed inputs each thread takes
//! one for itself as long as there are any, for a decoder is slower than what works on its text.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::digest::bound::{self, Admission};
use crate::digest::{Digest, Options, Sorted, Sorter};
use crate::event::Event;
use crate::logs::frame::Batch;
use crate::logs::slow::read::{Reader, Reading};
use crate::logs::slow::{Ahead, Framer, Intake};
use crate::metric::Registry;
use crate::problem::Problems;

/// An input of a run.
#[derive(Debug)]
pub struct Input {
    /// Its entries.
    pub framer: Framer,
    /// Whether it has to be unpacked.
    pub is_packed: bool,
}

/// What a run gives.
#[derive(Debug)]
pub struct Outcome {
    /// The classes.
    pub digest: Digest,
    /// The inputs, framed to their end or to where the run was stopped.
    pub framers: Vec<Framer>,
    /// Values that could not be believed.
    pub problems: Problems,
}

/// Digests the inputs with one thread and shows each event that the filter keeps, in order.
pub fn each(
    mut framers: Vec<Framer>,
    options: &Options,
    reading: &Reading,
    stop: &AtomicBool,
    mut show: impl FnMut(&Event<'_>, &Registry, &Sorted<'_, '_>) -> io::Result<()>,
) -> io::Result<Outcome> {
    let mut reader = Reader::new(reading.clone());
    let admission = Admission::of(options.most_classes.unwrap_or(bound::MOST));
    let mut sorter = Sorter::new(options, &admission);
    let mut batch = Batch::default();
    for framer in &mut framers {
        while framer.next(&mut batch) {
            for frame in &batch.frames {
                let said = reader.read(&batch, frame);
                let event = reader.event(&batch, frame, &said);
                if sorter.add(&event, &reader.registry) {
                    show(&event, &reader.registry, &sorter.sorted())?;
                }
            }
            sorter.end_batch(&batch, place(&batch));
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
    }
    let problems = std::mem::take(&mut reader.problems);
    let mut digest = sorter.finish(reader.registry);
    digest.add_further();
    Ok(Outcome { digest, framers, problems })
}

/// One input, and whose turn it is.
struct Lane {
    intake: Intake,
    framing: Mutex<Framing>,
    framed: Condvar,
    is_packed: bool,
    /// Whether a thread has begun with it.
    is_begun: AtomicBool,
}

struct Framing {
    framer: Framer,
    /// The block that is framed next; none any more once a thread is gone in the middle of one.
    turn: Option<u64>,
}

/// Lets the others know if a thread is gone before the block that it read is framed: they would
/// wait for ever.
struct Turn<'a>(&'a Lane);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let framing = self.0.framing.lock();
            framing.unwrap_or_else(PoisonError::into_inner).turn = None;
            self.0.framed.notify_all();
        }
    }
}

impl Lane {
    fn new(Input { framer, is_packed }: Input) -> Lane {
        let intake = framer.intake().clone();
        let framing = Mutex::new(Framing { framer, turn: Some(0) });
        let is_begun = AtomicBool::new(false);
        Lane { intake, framing, framed: Condvar::new(), is_packed, is_begun }
    }

    /// Whether a thread that comes to it should rather begin with another one.
    fn is_taken(&self) -> bool {
        self.is_begun.swap(true, Ordering::Relaxed) && self.is_packed
    }

    /// `None` if another thread is gone in the middle of framing; its panic ends the run.
    fn lock(&self) -> Option<MutexGuard<'_, Framing>> {
        self.framing.lock().ok()
    }

    /// Fills the batch with the next block and the entries it completes; false at the end.
    fn next(&self, batch: &mut Batch, ahead: Option<&mut Ahead>) -> bool {
        let Some(ahead) = ahead else {
            return self.lock().is_some_and(|mut framing| framing.framer.next(batch));
        };
        if !self.intake.read(batch) {
            return false;
        }
        let turn = Turn(self);
        ahead.look(batch.text());
        let Some(framing) = self.lock() else { return false };
        let waits = |framing: &mut Framing| framing.turn.is_some_and(|turn| turn != batch.number);
        let Ok(mut framing) = self.framed.wait_while(framing, waits) else { return false };
        if framing.turn.is_none() {
            return false;
        }
        framing.framer.frame(batch, ahead);
        framing.turn = Some(batch.number + 1);
        drop(framing);
        drop(turn);
        self.framed.notify_all();
        true
    }
}

/// Digests the inputs, one behind the other or packed ones side by side. `stop` ends the run early with what was read.
pub fn run(
    inputs: Vec<Input>,
    options: &Options,
    reading: &Reading,
    threads: usize,
    stop: &AtomicBool,
) -> Outcome {
    let lanes: Vec<Lane> = inputs.into_iter().map(Lane::new).collect();
    let admission = Admission::of(options.most_classes.unwrap_or(bound::MOST));
    let work = || {
        // One thread waits for nobody, and what is found ahead has to be kept.
        let ahead = (threads > 1).then(|| Ahead::new(options.outlines()));
        work(&lanes, ahead, Sorter::new(options, &admission), reading, stop)
    };
    let parts = on_each(vec![(); threads.max(1)], |()| work());
    let mut problems = Problems::default();
    let mut finished = Vec::new();
    for (sorter, registry, found) in parts {
        problems.merge(found);
        finished.push((sorter, registry));
    }
    // Only now all threads have told which classes they met.
    let digests = on_each(finished, |(sorter, registry)| sorter.finish(registry));
    let whole = digests.into_iter().reduce(|mut whole, digest| {
        whole.merge(digest, threads.max(1));
        whole
    });
    let framers = lanes.into_iter().map(|lane| {
        let framing = lane.framing.into_inner();
        framing.unwrap_or_else(PoisonError::into_inner).framer
    });
    let framers = framers.collect();
    let mut digest = whole.unwrap_or_else(|| Digest::new(options.rules));
    digest.add_further();
    Outcome { digest, framers, problems }
}

/// Does something with each, every one on a thread of its own where there are several; in order.
pub(super) fn on_each<I: Send, O: Send>(inputs: Vec<I>, work: impl Fn(I) -> O + Sync) -> Vec<O> {
    if inputs.len() <= 1 {
        return inputs.into_iter().map(work).collect();
    }
    std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> =
            inputs.into_iter().map(|input| scope.spawn(move || work(input))).collect();
        let done = workers.into_iter().map(|worker| match worker.join() {
            Ok(output) => output,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.collect()
    })
}

/// The number of a batch among those of all inputs.
fn place(batch: &Batch) -> u64 {
    const BLOCKS: u32 = 40;
    u64::from(batch.source) << BLOCKS | batch.number
}

/// Works on one input after the other until all have ended.
fn work<'o>(
    lanes: &[Lane],
    mut ahead: Option<Ahead>,
    mut sorter: Sorter<'o>,
    reading: &Reading,
    stop: &AtomicBool,
) -> (Sorter<'o>, Registry, Problems) {
    let mut reader = Reader::new(reading.clone());
    let mut batch = Batch::default();
    let first = lanes.iter().filter(|lane| !lane.is_taken()).map(|lane| (lane, true));
    // Then with those that others are not through with.
    let others = lanes.iter().map(|lane| (lane, false));
    'lanes: for (lane, may_leave) in first.chain(others) {
        while lane.next(&mut batch, ahead.as_mut()) {
            for frame in &batch.frames {
                let said = reader.read(&batch, frame);
                let event = reader.event(&batch, frame, &said);
                sorter.add(&event, &reader.registry);
            }
            sorter.end_batch(&batch, place(&batch));
            // Asked behind the batch: what was read before the stop counts.
            if stop.load(Ordering::Relaxed) {
                break 'lanes;
            }
            if may_leave && sorter.is_ahead(batch.source) {
                break;
            }
        }
    }
    let problems = std::mem::take(&mut reader.problems);
    (sorter, reader.registry, problems)
}
