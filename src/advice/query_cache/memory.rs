//! The memory of the query cache, section 9.4 of the rules.
//!
//! Results lie in blocks of 512 bytes at least. A block that is asked for is the least one that is free and
//! long enough; a result may be spread over several, and grows into what is free right behind it.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes that the cache keeps for itself at one mebibyte; some more with each doubling of it.
/// 17,304 at 1 MiB, 17,456 at 4 MiB and 17,624 at 16 MiB were measured on MariaDB 10.11.
const OWN: u64 = 17_304;
const OWN_PER_DOUBLING: u64 = 80;
/// Least bytes of a block.
const BLOCK: u64 = 512;

/// Bytes of a cache that are there for results.
pub fn capacity(size: u64) -> u64 {
    let whole = size / 1024 * 1024;
    let doublings = (whole >> 20).checked_ilog2().map_or(0, u64::from);
    whole.saturating_sub(OWN + doublings * OWN_PER_DOUBLING)
}

/// Bytes of the block of a statement.
pub fn statement(text: u32, tables: usize) -> u64 {
    let tables = u64::try_from(tables).unwrap_or(u64::MAX).min(1 << 20);
    align(112 + u64::from(text) + 100 + 16 * tables).max(BLOCK)
}

/// Bytes for a table that has an entry.
pub const TABLE: u64 = BLOCK;

/// Bytes that each block of a result has besides it. MariaDB 10.11 and 11.8 show it in
/// `query_cache_info`: bytes used are those sent and 64 for each block.
pub const HEAD: u64 = 64;

/// Bytes of a result that the server hands over at a time: `net_buffer_length`.
pub const PACKET: u64 = 16_384;

/// Bytes rounded up to a multiple of 8.
pub fn align(bytes: u64) -> u64 {
    bytes.div_ceil(8) * 8
}

/// A piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Block {
    start: u64,
    /// Its bytes.
    pub length: u64,
}

/// The memory for results, as blocks or as a mere sum.
#[derive(Debug)]
pub struct Memory {
    room: u64,
    used: u64,
    pool: Option<Pool>,
}

/// Blocks in the order of their places; free ones by length besides.
#[derive(Debug, Default)]
struct Pool {
    blocks: BTreeMap<u64, (u64, bool)>,
    free: BTreeSet<(u64, u64)>,
}

impl Memory {
    /// So many bytes. As blocks they fall to fragments as in the server; as a sum they do not, which
    /// is faster.
    pub fn new(room: u64, in_blocks: bool) -> Memory {
        let pool = in_blocks.then(|| {
            let mut pool = Pool::default();
            pool.set_free(0, room);
            pool
        });
        Memory { room, used: 0, pool }
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Takes a block of this length, or one as long as there is if it may be shorter, down to `least`.
    pub fn take(&mut self, length: u64, least: Option<u64>) -> Option<Block> {
        let length = align(length).max(BLOCK);
        let block = match &mut self.pool {
            Some(pool) => pool.take(length, least)?,
            None if self.used.saturating_add(length) <= self.room => Block { start: 0, length },
            None => return None,
        };
        self.used += block.length;
        Some(block)
    }

    /// Lengthens a block by what lies free right behind it, by so many bytes at most.
    pub fn lengthen(&mut self, block: &mut Block, by: u64) {
        let by = align(by);
        let before = block.length;
        match &mut self.pool {
            Some(pool) => pool.lengthen(block, by),
            None if self.used.saturating_add(by) <= self.room => block.length += by,
            None => {}
        }
        self.used += block.length - before;
    }

    /// Cuts off what a block has too much, if that is a block.
    pub fn trim(&mut self, block: &mut Block, length: u64) {
        let length = align(length).max(BLOCK);
        if block.length < length + BLOCK {
            return;
        }
        self.used -= block.length - length;
        if let Some(pool) = &mut self.pool {
            pool.blocks.insert(block.start, (length, false));
            pool.give_back(block.start + length, block.length - length);
        }
        block.length = length;
    }

    /// Gives a block back.
    pub fn give_back(&mut self, block: Block) {
        self.used = self.used.saturating_sub(block.length);
        if let Some(pool) = &mut self.pool {
            pool.give_back(block.start, block.length);
        }
    }
}

impl Pool {
    fn set_free(&mut self, start: u64, length: u64) {
        self.blocks.insert(start, (length, true));
        self.free.insert((length, start));
    }

    /// The least free block that is long enough; else the longest if that will do.
    fn take(&mut self, length: u64, least: Option<u64>) -> Option<Block> {
        let found = self.free.range((length, 0)..).next().copied();
        let shorter =
            || self.free.last().copied().filter(|(long, _)| Some(*long) >= least.map(align));
        let (long, start) = match found {
            Some(found) => found,
            None if least.is_some() => shorter()?,
            None => return None,
        };
        self.free.remove(&(long, start));
        let kept = if long >= length + BLOCK { length } else { long };
        self.blocks.insert(start, (kept, false));
        if kept < long {
            self.set_free(start + kept, long - kept);
        }
        Some(Block { start, length: kept })
    }

    fn lengthen(&mut self, block: &mut Block, by: u64) {
        let behind = block.start + block.length;
        let Some((long, true)) = self.blocks.get(&behind).copied() else { return };
        self.free.remove(&(long, behind));
        self.blocks.remove(&behind);
        let kept = if long > by + BLOCK { by } else { long };
        if kept < long {
            self.set_free(behind + kept, long - kept);
        }
        block.length += kept;
        self.blocks.insert(block.start, (block.length, false));
    }

    /// A block is free, and one with its free neighbours.
    fn give_back(&mut self, start: u64, length: u64) {
        let (mut start, mut length) = (start, length);
        self.blocks.remove(&start);
        if let Some((long, true)) = self.blocks.get(&(start + length)).copied() {
            self.blocks.remove(&(start + length));
            self.free.remove(&(long, start + length));
            length += long;
        }
        if let Some((before, (long, true))) =
            self.blocks.range(..start).next_back().map(|(at, it)| (*at, *it))
            && before + long == start
        {
            self.free.remove(&(long, before));
            start = before;
            length += long;
        }
        self.set_free(start, length);
    }
}

/// Entries in the order of use: the first is the one that goes first.
#[derive(Debug, Default)]
pub struct Queue {
    links: Vec<Link>,
    first: Option<u32>,
    last: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Link {
    before: Option<u32>,
    behind: Option<u32>,
    is_in: bool,
}

impl Queue {
    /// An empty queue for so many entries.
    pub fn new(entries: usize) -> Queue {
        Queue { links: vec![Link::default(); entries], first: None, last: None }
    }

    /// The entry used longest ago.
    pub fn first(&self) -> Option<u32> {
        self.first
    }

    /// Takes an entry out.
    pub fn remove(&mut self, entry: u32) {
        let Some(link) = self.links.get_mut(entry as usize) else { return };
        let Link { before, behind, is_in } = std::mem::take(link);
        if !is_in {
            return;
        }
        match before.and_then(|it| self.links.get_mut(it as usize)) {
            Some(link) => link.behind = behind,
            None => self.first = behind,
        }
        match behind.and_then(|it| self.links.get_mut(it as usize)) {
            Some(link) => link.before = before,
            None => self.last = before,
        }
    }

    /// Puts an entry behind all others.
    pub fn push(&mut self, entry: u32) {
        self.remove(entry);
        let last = self.last;
        let Some(link) = self.links.get_mut(entry as usize) else { return };
        *link = Link { before: last, behind: None, is_in: true };
        match last.and_then(|it| self.links.get_mut(it as usize)) {
            Some(link) => link.behind = Some(entry),
            None => self.first = Some(entry),
        }
        self.last = Some(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 112 + 600 + 100 + 16 = 828, and 4 more to a multiple of 8.
    #[test]
    fn bytes_of_a_statement() {
        assert_eq!(statement(60, 1), 512);
        assert_eq!(statement(600, 1), 832);
    }

    #[test]
    fn blocks_are_taken_where_they_fit_best_and_grow_together_again() {
        let mut memory = Memory::new(10_000, true);
        let mut take = |length| memory.take(length, None).unwrap();
        let (one, two, three) = (take(2_000), take(1_000), take(3_000));
        assert_eq!((one.start, two.start, three.start), (0, 2_000, 3_000));
        memory.give_back(one);
        assert_eq!(
            memory.take(1_500, None),
            Some(Block { start: 0, length: 2_000 }),
            "too little is left over"
        );
        assert_eq!(memory.take(5_000, None), None);
        assert_eq!(memory.take(5_000, Some(4_000)), Some(Block { start: 6_000, length: 4_000 }));
        assert_eq!(memory.used(), 10_000);
        memory.give_back(two);
        memory.give_back(three);
        assert_eq!(memory.take(4_000, None), Some(Block { start: 2_000, length: 4_000 }));
    }

    #[test]
    fn a_block_grows_into_what_is_free_behind_it() {
        let mut memory = Memory::new(10_000, true);
        let mut block = memory.take(1_000, None).unwrap();
        memory.lengthen(&mut block, 2_000);
        assert_eq!((block.length, memory.used()), (3_000, 3_000));
        memory.trim(&mut block, 1_200);
        assert_eq!((block.length, memory.used()), (1_200, 1_200));
        memory.trim(&mut block, 1_000);
        assert_eq!(block.length, 1_200, "what is left over would be no block");
    }

    #[test]
    fn bytes_of_the_cache() {
        assert_eq!(capacity(1 << 20), (1 << 20) - 17_304);
        assert_eq!(capacity((1 << 20) + 1_023), (1 << 20) - 17_304);
        assert_eq!(capacity(1_000), 0);
    }

    #[test]
    fn the_one_used_longest_ago_is_first() {
        let mut queue = Queue::new(3);
        for entry in [0, 1, 2, 0] {
            queue.push(entry);
        }
        assert_eq!(queue.first(), Some(1));
        queue.remove(1);
        queue.remove(1);
        assert_eq!(queue.first(), Some(2));
        queue.remove(2);
        queue.remove(0);
        assert_eq!(queue.first(), None);
    }
}
