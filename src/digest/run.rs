//! Reads inputs with any number of threads.
//!
//! Entries must be framed in order, for each inherits from the ones before; all else can be done
//! in any order. So framing is behind a lock and whoever is free frames the next batch, then
//! works on it outside of the lock: no thread only waits, and nothing is sent.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::digest::{Digest, Options, Sorter};
use crate::event::Event;
use crate::logs::frame::Batch;
use crate::logs::slow::Framer;
use crate::logs::slow::read::{Reader, Reading};
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

/// The inputs in order, and how far framing has come.
struct Queue {
    framers: Vec<Framer>,
    current: usize,
    number: u64,
}

impl Queue {
    fn next(&mut self, batch: &mut Batch) -> bool {
        while let Some(framer) = self.framers.get_mut(self.current) {
            if framer.next(batch) {
                batch.number = self.number;
                self.number += 1;
                return true;
            }
            self.current += 1;
        }
        false
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
    let queue = Mutex::new(Queue { framers, current: 0, number: 0 });
    let work = || work(&queue, options, reading, stop);
    let mut parts = Vec::new();
    if threads <= 1 {
        parts.push(work());
    } else {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
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
    let framers = match queue.into_inner() {
        Ok(queue) => queue.framers,
        Err(poisoned) => poisoned.into_inner().framers,
    };
    Outcome { digest: whole.unwrap_or_else(Digest::new), framers, problems }
}

fn work(
    queue: &Mutex<Queue>,
    options: &Options,
    reading: &Reading,
    stop: &AtomicBool,
) -> (Digest, Problems) {
    let mut reader = Reader::new(reading.clone());
    let mut sorter = Sorter::new(options);
    let mut batch = Batch::default();
    loop {
        let more = match queue.lock() {
            Ok(mut queue) => queue.next(&mut batch),
            // Another thread is gone in the middle of framing; its panic ends the run.
            Err(_) => false,
        };
        if !more {
            break;
        }
        for frame in &batch.frames {
            let said = reader.read(&batch, frame);
            let event = reader.event(&batch, frame, &said);
            sorter.add(&event, &reader.registry);
        }
        sorter.end_batch(batch.number);
        // Asked behind the batch: what was read before the stop counts.
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let problems = std::mem::take(&mut reader.problems);
    (sorter.finish(reader.registry), problems)
}
