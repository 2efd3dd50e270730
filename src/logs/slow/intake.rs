//! Takes the blocks of an input in order, for whichever thread asks next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::event::Span;
use crate::logs::frame::Batch;
use crate::source::blocks::Blocks;

/// The input of a framer. It is apart from it, so that one thread can read, or unpack what it
/// reads, while another frames.
#[derive(Debug, Clone)]
pub struct Intake(Arc<Mutex<Taking>>);

#[derive(Debug)]
struct Taking {
    source: u32,
    blocks: Blocks,
    /// Bytes of a block.
    size: usize,
    /// Blocks read so far.
    count: u64,
    has_ended: bool,
}

impl Intake {
    /// The blocks of an input, each of so many bytes.
    pub(super) fn new(source: u32, blocks: Blocks, size: usize) -> Intake {
        Intake(Arc::new(Mutex::new(Taking { source, blocks, size, count: 0, has_ended: false })))
    }

    fn lock(&self) -> MutexGuard<'_, Taking> {
        // Where a thread is gone in the middle of reading, its panic ends the run.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next block; false at the end.
    pub fn read(&self, batch: &mut Batch) -> bool {
        let mut taking = self.lock();
        if taking.has_ended {
            return false;
        }
        // Room in front of the block, for what is left of the one before.
        let (start, end) = (taking.size / 4, taking.size / 4 + taking.size);
        // A buffer that held a long entry is not kept for ever.
        if batch.buffer.len() < end || batch.buffer.len() > 4 * end {
            batch.buffer.resize(end, 0);
            batch.buffer.shrink_to_fit();
        }
        let count = taking.blocks.read(&mut batch.buffer[start..end]);
        taking.has_ended = count < taking.size;
        batch.source = taking.source;
        batch.number = taking.count;
        batch.filled = Span { start, end: start + count };
        batch.is_last = taking.has_ended;
        taking.count += 1;
        true
    }

    /// What the blocks can tell beside their text.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&mut Blocks) -> T) -> T {
        ask(&mut self.lock().blocks)
    }
}
