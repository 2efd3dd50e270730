//! The memory of the query cache, section 9.4 of the rules.
//!
//! Results lie in blocks of 512 bytes at least. A block that is asked for is the least one that is free and
//! long enough; a result may be spread over several, and grows into what is free right behind it.

use std::collections::BTreeSet;

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

/// No block, no entry.
pub const NONE: u32 = u32::MAX;

/// A piece of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its bytes.
    pub length: u64,
    /// Its place in the pool, if there is one.
    node: u32,
}

/// The blocks of one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    bytes: u64,
    first: u32,
}

impl Default for Block {
    fn default() -> Self {
        Block { length: 0, node: NONE }
    }
}

impl Default for Chain {
    fn default() -> Self {
        Chain { bytes: 0, first: NONE }
    }
}

/// The memory for results, as blocks or as a mere sum.
#[derive(Debug)]
pub struct Memory {
    room: u64,
    used: u64,
    pool: Option<Pool>,
}

/// Blocks, each with its neighbours; free ones by length besides.
///
/// There are as many at most as blocks of 512 bytes have room.
#[derive(Debug)]
struct Pool {
    nodes: Vec<Node>,
    /// The first of the nodes that stand for no block.
    idle: u32,
    /// Length, start, node: the least that is long enough is taken, of equal ones the first.
    free: BTreeSet<(u64, u64, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    start: u64,
    length: u64,
    /// The block right before it.
    before: u32,
    /// The block right behind it.
    behind: u32,
    /// The next of its result, or the next idle node.
    next: u32,
    is_free: bool,
}

impl Memory {
    /// So many bytes. As blocks they fall to fragments as in the server; as a sum they do not, which
    /// is faster.
    pub fn new(room: u64, in_blocks: bool) -> Memory {
        Memory { room, used: 0, pool: in_blocks.then(|| Pool::new(room)) }
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
            None if self.used.saturating_add(length) <= self.room => Block { length, node: NONE },
            None => return None,
        };
        self.used += block.length;
        Some(block)
    }

    /// Lengthens a block by what lies free right behind it, by so many bytes at most.
    pub fn lengthen(&mut self, block: &mut Block, by: u64) {
        let by = align(by);
        let more = match &mut self.pool {
            Some(pool) => pool.lengthen(block.node, by),
            None if self.used.saturating_add(by) <= self.room => by,
            None => 0,
        };
        block.length += more;
        self.used += more;
    }

    /// Cuts off what a block has too much, if that is a block.
    pub fn trim(&mut self, block: &mut Block, length: u64) {
        let length = align(length).max(BLOCK);
        if block.length < length + BLOCK {
            return;
        }
        self.used -= block.length - length;
        if let Some(pool) = &mut self.pool {
            pool.cut(block.node, length);
        }
        block.length = length;
    }

    /// Puts a block to those of a result.
    pub fn keep(&mut self, chain: &mut Chain, block: Block) {
        chain.bytes += block.length;
        if let Some(node) = self.pool.as_mut().and_then(|pool| pool.node(block.node)) {
            node.next = chain.first;
            chain.first = block.node;
        }
    }

    /// Gives a block back.
    pub fn give_back(&mut self, block: Block) {
        self.used = self.used.saturating_sub(block.length);
        if let Some(pool) = &mut self.pool {
            pool.give_back(block.node);
        }
    }

    /// Gives all blocks of a result back.
    pub fn give_back_all(&mut self, chain: &mut Chain) {
        let Chain { bytes, first } = std::mem::take(chain);
        self.used = self.used.saturating_sub(bytes);
        let Some(pool) = &mut self.pool else { return };
        let mut at = first;
        while let Some(node) = pool.node(at) {
            let next = node.next;
            pool.give_back(at);
            at = next;
        }
    }
}

impl Pool {
    fn new(room: u64) -> Pool {
        let mut pool = Pool { nodes: Vec::new(), idle: NONE, free: BTreeSet::new() };
        let all =
            Node { start: 0, length: room, before: NONE, behind: NONE, next: NONE, is_free: false };
        let first = pool.add(all);
        pool.set_free(first);
        pool
    }

    fn node(&mut self, at: u32) -> Option<&mut Node> {
        self.nodes.get_mut(at as usize)
    }

    fn add(&mut self, new: Node) -> u32 {
        let at = self.idle;
        match self.nodes.get_mut(at as usize) {
            Some(node) => {
                self.idle = node.next;
                *node = new;
                at
            }
            None => {
                self.nodes.push(new);
                (self.nodes.len() - 1) as u32
            }
        }
    }

    fn set_free(&mut self, at: u32) {
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.is_free = true;
            self.free.insert((node.length, node.start, at));
        }
    }

    /// The block at a node, if it is free; it is not any longer.
    fn claim(&mut self, at: u32) -> Option<Node> {
        let node = self.nodes.get_mut(at as usize).filter(|node| node.is_free)?;
        node.is_free = false;
        let node = *node;
        self.free.remove(&(node.length, node.start, at));
        Some(node)
    }

    /// Takes a node out from between its neighbours.
    fn leave(&mut self, at: u32) {
        let Some(node) = self.nodes.get_mut(at as usize) else { return };
        let Node { before, behind, .. } = *node;
        node.next = self.idle;
        self.idle = at;
        if let Some(node) = self.node(before) {
            node.behind = behind;
        }
        if let Some(node) = self.node(behind) {
            node.before = before;
        }
    }

    /// Shortens a block; what is cut off is a free block behind it.
    fn split(&mut self, at: u32, length: u64) {
        let Some(node) = self.nodes.get_mut(at as usize) else { return };
        let rest = Node {
            start: node.start + length,
            length: node.length - length,
            before: at,
            behind: node.behind,
            next: NONE,
            is_free: false,
        };
        node.length = length;
        let behind = node.behind;
        let new = self.add(rest);
        if let Some(node) = self.node(at) {
            node.behind = new;
        }
        if let Some(node) = self.node(behind) {
            node.before = new;
        }
        self.give_back(new);
    }

    /// The least free block that is long enough; else the longest if that will do.
    fn take(&mut self, length: u64, least: Option<u64>) -> Option<Block> {
        let found = self.free.range((length, 0, 0)..).next().copied();
        let shorter =
            || self.free.last().copied().filter(|(long, ..)| Some(*long) >= least.map(align));
        let (long, _, at) = match found {
            Some(found) => found,
            None if least.is_some() => shorter()?,
            None => return None,
        };
        self.claim(at);
        if long < length + BLOCK {
            return Some(Block { length: long, node: at });
        }
        self.split(at, length);
        Some(Block { length, node: at })
    }

    /// Bytes by which a block grew into the free one behind it.
    fn lengthen(&mut self, at: u32, by: u64) -> u64 {
        let Some(behind) = self.node(at).map(|node| node.behind) else { return 0 };
        let Some(free) = self.claim(behind) else { return 0 };
        if free.length > by + BLOCK {
            self.split(behind, by);
        }
        let more = self.node(behind).map_or(0, |node| node.length);
        self.leave(behind);
        if let Some(node) = self.node(at) {
            node.length += more;
        }
        more
    }

    fn cut(&mut self, at: u32, length: u64) {
        if self.node(at).is_some_and(|node| node.length > length) {
            self.split(at, length);
        }
    }

    /// A block is free, and one with its free neighbours.
    fn give_back(&mut self, at: u32) {
        let Some(node) = self.node(at) else { return };
        let (mut at, before, behind) = (at, node.before, node.behind);
        if let Some(free) = self.claim(behind) {
            self.leave(behind);
            if let Some(node) = self.node(at) {
                node.length += free.length;
            }
        }
        if self.claim(before).is_some() {
            let more = self.node(at).map_or(0, |node| node.length);
            self.leave(at);
            at = before;
            if let Some(node) = self.node(at) {
                node.length += more;
            }
        }
        self.set_free(at);
    }
}

/// Entries in the order of use: the first is the one that goes first.
#[derive(Debug)]
pub struct Queue {
    links: Vec<Link>,
    first: u32,
    last: u32,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: u32,
    behind: u32,
    is_in: bool,
}

const LOOSE: Link = Link { before: NONE, behind: NONE, is_in: false };

impl Queue {
    /// An empty queue.
    pub fn new() -> Queue {
        Queue { links: Vec::new(), first: NONE, last: NONE }
    }

    /// The entry used longest ago.
    pub fn first(&self) -> Option<u32> {
        Some(self.first).filter(|first| *first != NONE)
    }

    fn link(&mut self, entry: u32) -> Option<&mut Link> {
        self.links.get_mut(entry as usize)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, entry: u32) {
        let Some(link) = self.link(entry) else { return };
        let Link { before, behind, is_in } = std::mem::replace(link, LOOSE);
        if !is_in {
            return;
        }
        match self.link(before) {
            Some(link) => link.behind = behind,
            None => self.first = behind,
        }
        match self.link(behind) {
            Some(link) => link.before = before,
            None => self.last = before,
        }
    }

    /// Puts an entry behind all others. Entries are numbered from 0, for there is a place for each
    /// up to the greatest number.
    pub fn push(&mut self, entry: u32) {
        if entry == self.last {
            return;
        }
        self.remove(entry);
        if self.links.len() <= entry as usize {
            self.links.resize(entry as usize + 1, LOOSE);
        }
        let last = std::mem::replace(&mut self.last, entry);
        if let Some(link) = self.link(entry) {
            *link = Link { before: last, behind: NONE, is_in: true };
        }
        match self.link(last) {
            Some(link) => link.behind = entry,
            None => self.first = entry,
        }
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

    fn take(memory: &mut Memory, length: u64) -> Block {
        memory.take(length, None).unwrap()
    }

    /// Where a block begins and how long it is.
    fn place(memory: &Memory, block: Block) -> (u64, u64) {
        let node = memory.pool.as_ref().unwrap().nodes[block.node as usize];
        assert_eq!(node.length, block.length);
        (node.start, node.length)
    }

    #[test]
    fn blocks_are_taken_where_they_fit_best_and_grow_together_again() {
        let mut memory = Memory::new(10_000, true);
        let (one, two, three) =
            (take(&mut memory, 2_000), take(&mut memory, 1_000), take(&mut memory, 3_000));
        assert_eq!([one, two, three].map(|it| place(&memory, it).0), [0, 2_000, 3_000]);
        memory.give_back(one);
        let whole = take(&mut memory, 1_500);
        assert_eq!(place(&memory, whole), (0, 2_000), "too little is left over");
        assert_eq!(memory.take(5_000, None), None);
        let shorter = memory.take(5_000, Some(4_000)).unwrap();
        assert_eq!(place(&memory, shorter), (6_000, 4_000));
        assert_eq!(memory.used(), 10_000);
        memory.give_back(two);
        memory.give_back(three);
        let joined = take(&mut memory, 4_000);
        assert_eq!(place(&memory, joined), (2_000, 4_000));
    }

    /// Blocks that were given back are one again, and their nodes are used anew.
    #[test]
    fn memory_is_whole_again_when_all_is_given_back() {
        let mut memory = Memory::new(100_000, true);
        for round in 0..50 {
            let mut chains = [Chain::default(); 7];
            for turn in 0..60 {
                let length = 512 + (round * 37 + turn * 101) % 900;
                let Some(mut block) = memory.take(length, None) else { continue };
                memory.lengthen(&mut block, 800);
                memory.trim(&mut block, length);
                memory.keep(&mut chains[turn as usize % 7], block);
            }
            for chain in &mut chains {
                memory.give_back_all(chain);
            }
            assert_eq!(memory.used(), 0);
            let all = take(&mut memory, 100_000);
            assert_eq!(place(&memory, all), (0, 100_000));
            memory.give_back(all);
        }
        // 100,000 bytes have room for 195 blocks of 512.
        assert!(memory.pool.unwrap().nodes.len() <= 196);
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
        let mut queue = Queue::new();
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
