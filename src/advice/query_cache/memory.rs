//! The memory of the query cache, section 9.4 of the rules.

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

/// Bytes of an entry: the block of the statement and that of the result.
pub fn entry(text: u32, tables: usize, result: u32) -> u64 {
    let tables = u64::try_from(tables).unwrap_or(u64::MAX).min(1 << 20);
    let statement = align(112 + u64::from(text) + 100 + 16 * tables);
    statement.max(BLOCK) + align(200 + u64::from(result)).max(BLOCK)
}

/// Bytes for a table that has an entry.
pub const TABLE: u64 = BLOCK;

fn align(bytes: u64) -> u64 {
    bytes.div_ceil(8) * 8
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

    /// A small result takes two blocks of 512 bytes; one of 10,000 bytes 10,200 and its statement.
    #[test]
    fn bytes_of_an_entry() {
        assert_eq!(entry(60, 1, 300), 1_024);
        assert_eq!(entry(60, 1, 10_000), 512 + 10_200);
        // 112 + 600 + 100 + 16 = 828, and 4 more to a multiple of 8.
        assert_eq!(entry(600, 1, 0), 832 + 512);
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
