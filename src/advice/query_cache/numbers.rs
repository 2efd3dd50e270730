//! Texts, sets of tables and the like as numbers, in memory that is bounded.

use foldhash::quality::FixedState as Quality;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};

/// Bytes that may be kept of a log besides what each event takes.
///
/// What is charged is what the parts take on a machine of 64 bits, with what a replay adds to it.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Budget {
    /// So many bytes.
    pub fn of(bytes: usize) -> Budget {
        Budget { left: bytes }
    }

    /// Charges bytes; the last part may be more than is left.
    pub fn charge(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Gives bytes back.
    pub fn give_back(&mut self, bytes: usize) {
        // What is spent stays so: what came since was left out.
        if self.left > 0 {
            self.left = self.left.saturating_add(bytes);
        }
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

/// What a text is told by: 96 bits. Two of five million have the same by a chance of 1 in 10^15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Print {
    hash: u64,
    check: u32,
}

/// Makes prints.
#[derive(Debug)]
pub struct Printer([Quality; 2]);

impl Default for Printer {
    fn default() -> Self {
        Printer([0x71_63_61, 0x71_63_62].map(Quality::with_seed))
    }
}

impl Printer {
    /// The print of a text.
    pub fn print(&self, text: &[u8]) -> Print {
        let [one, other] = &self.0;
        let check = other.hash_one(text);
        Print { hash: one.hash_one(text), check: (check ^ (check >> 32)) as u32 }
    }

    /// 64 bits for what is only counted.
    pub fn hasher(&self) -> impl Hasher + use<> {
        self.0[0].build_hasher()
    }

    /// A connection by its ID: the number that it is, else a hash.
    pub fn thread(&self, id: &[u8]) -> u64 {
        const DIGITS: usize = 18;
        let is_number = (1..=DIGITS).contains(&id.len())
            && id.iter().all(u8::is_ascii_digit)
            && (id.len() == 1 || !id.starts_with(b"0"));
        match is_number {
            true => id.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')),
            false => self.0[1].hash_one(id),
        }
    }
}

/// A text, its class, and the result that it asks for.
#[derive(Debug, Clone, Copy)]
struct Text {
    print: Print,
    class: u32,
    /// What it was asked for in first, see [`Texts::key`]; [`NONE`] before.
    context: u32,
    key: u32,
}

/// No context yet.
const NONE: u32 = u32::MAX;

/// Texts with what is known of them. A text that is always asked for in the same database and with
/// the same settings takes one place, 24 bytes.
#[derive(Debug, Default)]
pub struct Texts {
    table: HashTable<Text>,
    /// Keys of texts in further contexts.
    further: std::collections::HashMap<(Print, u32), u32, foldhash::fast::FixedState>,
    keys: u32,
}

impl Texts {
    /// The class of a text.
    pub fn class(&self, print: Print) -> Option<u32> {
        self.table.find(print.hash, |it| it.print == print).map(|it| it.class)
    }

    /// Adds a text.
    pub fn add(&mut self, print: Print, class: u32) {
        let text = Text { print, class, context: NONE, key: 0 };
        self.table.insert_unique(print.hash, text, |it| it.print.hash);
    }

    /// The number of the result that a text asks for in a context: a database and what is set.
    pub fn key(&mut self, print: Print, context: u32) -> u32 {
        let next = self.keys;
        let key = match self.table.find_mut(print.hash, |it| it.print == print) {
            Some(text) if text.context == context => return text.key,
            Some(text) if text.context == NONE => {
                text.context = context;
                text.key = next;
                next
            }
            _ => *self.further.entry((print, context)).or_insert(next),
        };
        self.keys += u32::from(key == next);
        key
    }

    /// How many results are asked for.
    pub fn keys(&self) -> usize {
        self.keys as usize
    }
}

/// Sets of tables, one behind the other. The first is empty.
#[derive(Debug)]
pub struct Sets {
    tables: Vec<u32>,
    ends: Vec<usize>,
}

impl Default for Sets {
    fn default() -> Self {
        Sets { tables: Vec::new(), ends: vec![0] }
    }
}

impl Sets {
    /// A set; empty if there is none of this number.
    pub fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(number).copied().unwrap_or(0);
        self.tables.get(start.unwrap_or(0)..end).unwrap_or_default()
    }

    fn push(&mut self, tables: &[u32]) -> u32 {
        self.tables.extend_from_slice(tables);
        self.ends.push(self.tables.len());
        (self.ends.len() - 1) as u32
    }
}

/// The number of each set.
#[derive(Debug, Default)]
pub struct SetNumbers {
    numbers: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
}

impl SetNumbers {
    /// The number of a set, which is added if it is new.
    pub fn number(&mut self, sets: &mut Sets, tables: &[u32], budget: &mut Budget) -> u32 {
        if tables.is_empty() {
            return 0;
        }
        let hash = self.hasher.hash_one(tables);
        if let Some(number) = self.numbers.find(hash, |it| sets.get(*it) == tables) {
            return *number;
        }
        budget.charge(24 + size_of_val(tables));
        let number = sets.push(tables);
        let hasher = &self.hasher;
        self.numbers.insert_unique(hash, number, |it| hasher.hash_one(sets.get(*it)));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_number() {
        let (mut sets, mut numbers, mut budget) =
            (Sets::default(), SetNumbers::default(), Budget::of(1_000));
        let mut number = |tables: &[u32]| numbers.number(&mut sets, tables, &mut budget);
        assert_eq!([number(&[]), number(&[7]), number(&[7, 8]), number(&[8])], [0, 1, 2, 3]);
        assert_eq!([number(&[7]), number(&[7, 8]), number(&[])], [1, 2, 0]);
        assert_eq!((sets.get(2), sets.get(0), sets.get(99)), (&[7, 8][..], &[][..], &[][..]));
        // 24 for each set and 4 for each of four tables.
        assert_eq!(budget.left, 1_000 - 3 * 24 - 4 * 4);
    }

    #[test]
    fn a_text_has_a_key_for_each_context() {
        let mut texts = Texts::default();
        let printer = Printer::default();
        let (one, other) = (printer.print(b"SELECT 1"), printer.print(b"SELECT 2"));
        assert_eq!(texts.class(one), None);
        texts.add(one, 5);
        texts.add(other, 6);
        assert_eq!((texts.class(one), texts.class(other)), (Some(5), Some(6)));
        let keys = [(one, 0), (other, 0), (one, 1), (one, 0), (one, 1), (other, 2), (other, 2)];
        let keys = keys.map(|(print, context)| texts.key(print, context));
        assert_eq!(keys, [0, 1, 2, 0, 2, 3, 3]);
        assert_eq!(texts.keys(), 4);
    }

    /// An ID with a zero in front is another text.
    #[test]
    fn connections_are_told_apart() {
        let printer = Printer::default();
        assert_eq!(printer.thread(b"12"), 12);
        assert_eq!(printer.thread(b"0"), 0);
        let odd = [&b"012"[..], b"", b"12x", b"9999999999999999999"];
        let odd = odd.map(|id| printer.thread(id));
        assert!(odd.iter().all(|it| *it != 12), "{odd:?}");
    }

    #[test]
    fn a_budget_that_is_spent_stays_so() {
        let mut budget = Budget::of(10);
        budget.charge(4);
        budget.give_back(4);
        assert!(!budget.is_spent());
        budget.charge(11);
        budget.give_back(11);
        assert!(budget.is_spent());
    }
}
