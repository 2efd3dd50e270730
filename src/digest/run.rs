//! Reads inputs with any number of threads.
//!
//! A thread takes the next block of an input, looks through it for what can be told without the
//! blocks before, waits for its turn to frame it, for entries inherit from the ones before, and
//! then works on its entries. Only reading and framing are under a lock, and neither takes long.
//! Where there are several inputs, each thread begins with another one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use crate::digest::{Digest, Options, Sorter};
use crate::event::Event;
use crate::logs::frame::Batch;
use crate::logs::slow::read::{Reader, Reading};
use crate::logs::slow::{Ahead, Framer};
use crate::metric::Registry;
use crate::problem::Problems;

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
    mut show: impl FnMut(&Event<'_>, &Registry) -> io::Result<()>,
) -> io::Result<Outcome> {
    let mut reader = Reader::new(reading.clone());
    let mut sorter = Sorter::new(options);
    let mut batch = Batch::default();
    for framer in &mut framers {
        while framer.next(&mut batch) {
            for frame in &batch.frames {
                let said = reader.read(&batch, frame);
                let event = reader.event(&batch, frame, &said);
                if sorter.add(&event, &reader.registry) {
                    show(&event, &reader.registry)?;
                }
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
    }
    let problems = std::mem::take(&mut reader.problems);
    Ok(Outcome { digest: sorter.finish(reader.registry), framers, problems })
}

/// One input, and whose turn it is.
struct Lane {
    framing: Mutex<Framing>,
    framed: Condvar,
}

struct Framing {
    framer: Framer,
    /// The block that is framed next.
    turn: u64,
}

impl Lane {
    fn new(framer: Framer) -> Lane {
        Lane { framing: Mutex::new(Framing { framer, turn: 0 }), framed: Condvar::new() }
    }

    /// `None` if another thread is gone in the middle of framing; its panic ends the run.
    fn lock(&self) -> Option<MutexGuard<'_, Framing>> {
        self.framing.lock().ok()
    }

    /// Fills the batch with the next block and the entries it completes; false at the end.
    fn next(&self, batch: &mut Batch, ahead: &mut Ahead) -> bool {
        let Some(mut framing) = self.lock() else { return false };
        if !framing.framer.read(batch) {
            return false;
        }
        drop(framing);
        ahead.look(batch.text());
        let Some(framing) = self.lock() else { return false };
        let others_first = |framing: &mut Framing| framing.turn != batch.number;
        let Ok(mut framing) = self.framed.wait_while(framing, others_first) else { return false };
        framing.framer.frame(batch, ahead);
        framing.turn += 1;
        self.framed.notify_all();
        true
    }
}

/// Digests the inputs, one behind the other. `stop` ends the run early with what was read.
pub fn run(
    framers: Vec<Framer>,
    options: &Options,
    reading: &Reading,
    threads: usize,
    stop: &AtomicBool,
) -> Outcome {
    let lanes: Vec<Lane> = framers.into_iter().map(Lane::new).collect();
    let work = |first: usize| work(&lanes, first, options, reading, stop);
    let mut parts = Vec::new();
    if threads <= 1 {
        parts.push(work(0));
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                (0..threads).map(|first| scope.spawn(move || work(first))).collect();
            for worker in workers {
                match worker.join() {
                    Ok(part) => parts.push(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }
    let mut problems = Problems::default();
    let mut whole: Option<Digest> = None;
    for (digest, found) in parts {
        problems.merge(found);
        match &mut whole {
            Some(whole) => whole.merge(digest),
            None => whole = Some(digest),
        }
    }
    let framing = lanes.into_iter().map(|lane| lane.framing.into_inner());
    let framers = framing.map(|framing| match framing {
        Ok(framing) => framing.framer,
        Err(poisoned) => poisoned.into_inner().framer,
    });
    let framers = framers.collect();
    Outcome { digest: whole.unwrap_or_else(Digest::new), framers, problems }
}

/// The number of a batch among those of all inputs.
fn place(batch: &Batch) -> u64 {
    const BLOCKS: u32 = 40;
    u64::from(batch.source) << BLOCKS | batch.number
}

/// Works on one input after the other, from number `first` on, until all have ended.
fn work(
    lanes: &[Lane],
    first: usize,
    options: &Options,
    reading: &Reading,
    stop: &AtomicBool,
) -> (Digest, Problems) {
    let mut reader = Reader::new(reading.clone());
    let mut sorter = Sorter::new(options);
    let mut batch = Batch::default();
    let mut ahead = Ahead::default();
    let order = (0..lanes.len()).map(|place| &lanes[(first + place) % lanes.len()]);
    'lanes: for lane in order {
        while lane.next(&mut batch, &mut ahead) {
            for frame in &batch.frames {
                let said = reader.read(&batch, frame);
                let event = reader.event(&batch, frame, &said);
                sorter.add(&event, &reader.registry);
            }
            sorter.end_batch(place(&batch));
            // Asked behind the batch: what was read before the stop counts.
            if stop.load(Ordering::Relaxed) {
                break 'lanes;
            }
        }
    }
    let problems = std::mem::take(&mut reader.problems);
    (sorter.finish(reader.registry), problems)
}
