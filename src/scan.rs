//! Finds the next byte of a set in a text, 64 bytes at a time.
//!
//! The one place with machine instructions of its own: statements are four fifths of a log, and
//! looking at each byte by a table takes a third of a run. Which way a machine goes is found out
//! when the program starts; the plain way is always there and is the oracle of the tests.

use std::sync::LazyLock;

/// A set of bytes below 0x80.
#[derive(Debug)]
pub struct ByteSet {
    /// For each low half of a byte, a bit for each high half it is in the set with.
    low: [u8; 16],
    member: [bool; 256],
}

/// For each high half of a byte, its bit; bytes from 0x80 on have none.
const HIGH: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

impl ByteSet {
    /// The set of these bytes, all of them ASCII.
    pub const fn of(bytes: &[u8]) -> ByteSet {
        let mut set = ByteSet { low: [0; 16], member: [false; 256] };
        let mut place = 0;
        while place < bytes.len() {
            let byte = bytes[place];
            assert!(byte < 0x80, "bytes of a set are ASCII");
            set.low[(byte & 15) as usize] |= 1 << (byte >> 4);
            set.member[byte as usize] = true;
            place += 1;
        }
        set
    }

    /// Whether a byte is in the set.
    pub fn has(&self, byte: u8) -> bool {
        self.member[usize::from(byte)]
    }
}

const BLOCK: usize = 64;

/// Which bytes of a block are in a set, the first one in the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Masks {
    set: u64,
    /// Both quotes and the backslash.
    quotes: u64,
}

type MasksOf = fn(&ByteSet, &[u8; BLOCK]) -> Masks;

static MASKS: LazyLock<MasksOf> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return avx2::masks;
    }
    plain
});

fn plain(set: &ByteSet, block: &[u8; BLOCK]) -> Masks {
    let mask = |has: &dyn Fn(u8) -> bool| {
        block.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(has(*byte)))
    };
    Masks {
        set: mask(&|byte| set.has(byte)),
        quotes: mask(&|byte| matches!(byte, b'\'' | b'"' | b'\\')),
    }
}

/// Goes through a text from one byte of a set to the next.
#[derive(Debug)]
pub struct Hits<'a> {
    text: &'a [u8],
    set: &'static ByteSet,
    masks_of: MasksOf,
    /// Where the block begins that `masks` are of.
    base: usize,
    masks: Masks,
}

impl<'a> Hits<'a> {
    /// Begins at the first byte.
    pub fn new(text: &'a [u8], set: &'static ByteSet) -> Hits<'a> {
        // No text reaches this far, so the first block is looked at where the first search begins.
        Hits { text, set, masks_of: *MASKS, base: usize::MAX / 2, masks: Masks::default() }
    }

    /// The whole text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    fn load(&mut self, at: usize) {
        self.base = at;
        let rest = self.text.get(at..).unwrap_or_default();
        self.masks = match rest.first_chunk::<BLOCK>() {
            Some(block) => (self.masks_of)(self.set, block),
            None => {
                let mut block = [0x80; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (self.masks_of)(self.set, &block)
            }
        };
    }

    /// The place of the next byte of the set from `at` on, or the end of the text.
    #[inline]
    pub fn next(&mut self, at: usize) -> usize {
        self.search(at, |masks| masks.set)
    }

    /// The place of the next quote or backslash from `at` on, or the end of the text.
    #[inline]
    fn next_quote(&mut self, at: usize) -> usize {
        self.search(at, |masks| masks.quotes)
    }

    #[inline]
    fn search(&mut self, at: usize, mask: impl Fn(Masks) -> u64) -> usize {
        let within = at.wrapping_sub(self.base);
        if within < BLOCK {
            let rest = mask(self.masks) >> within;
            if rest != 0 {
                return at + rest.trailing_zeros() as usize;
            }
            return self.further(self.base + BLOCK, mask);
        }
        self.further(at, mask)
    }

    /// Looks at block after block from `at` on.
    fn further(&mut self, mut at: usize, mask: impl Fn(Masks) -> u64) -> usize {
        while at < self.text.len() {
            self.load(at);
            let found = mask(self.masks);
            if found != 0 {
                return at + found.trailing_zeros() as usize;
            }
            at += BLOCK;
        }
        self.text.len()
    }
}

/// The place behind the literal whose quote stands at `open`; `None` if it has no end. A
/// backslash takes the next byte with it, a doubled quote is a quote.
#[inline]
pub fn literal_end(hits: &mut Hits<'_>, open: usize) -> Option<usize> {
    let text = hits.text;
    let quote = text[open];
    let mut at = open + 1;
    loop {
        at = hits.next_quote(at);
        match *text.get(at)? {
            b'\\' => at += 2,
            byte if byte != quote => at += 1,
            _ if text.get(at + 1) == Some(&quote) => at += 2,
            _ => return Some(at + 1),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "AVX2 halves the time of a run; see the head of the file")]
mod avx2 {
    use super::{BLOCK, ByteSet, HIGH, Masks};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    pub fn masks(set: &ByteSet, block: &[u8; BLOCK]) -> Masks {
        // SAFETY: this function is only named after the machine was asked for AVX2.
        unsafe { masked(set, block) }
    }

    /// # Safety
    /// The machine must have AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn masked(set: &ByteSet, block: &[u8; BLOCK]) -> Masks {
        // SAFETY: each load reads 16 or 32 bytes of an array that has them; loads may be
        // unaligned.
        let (low, high, first, second) = unsafe {
            (
                _mm_loadu_si128(set.low.as_ptr().cast::<__m128i>()),
                _mm_loadu_si128(HIGH.as_ptr().cast::<__m128i>()),
                _mm256_loadu_si256(block.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(block.as_ptr().add(32).cast::<__m256i>()),
            )
        };
        let low = _mm256_broadcastsi128_si256(low);
        let high = _mm256_broadcastsi128_si256(high);
        let halves = _mm256_set1_epi8(0x0f);
        let absent = |bytes: __m256i| {
            let lows = _mm256_shuffle_epi8(low, _mm256_and_si256(bytes, halves));
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), halves);
            let highs = _mm256_shuffle_epi8(high, upper);
            let none = _mm256_cmpeq_epi8(_mm256_and_si256(lows, highs), _mm256_setzero_si256());
            _mm256_movemask_epi8(none) as u32
        };
        let (single, double, backslash) =
            (_mm256_set1_epi8(0x27), _mm256_set1_epi8(0x22), _mm256_set1_epi8(0x5c));
        let quoting = |bytes: __m256i| {
            let quote =
                _mm256_or_si256(_mm256_cmpeq_epi8(bytes, single), _mm256_cmpeq_epi8(bytes, double));
            let any = _mm256_or_si256(quote, _mm256_cmpeq_epi8(bytes, backslash));
            _mm256_movemask_epi8(any) as u32
        };
        Masks {
            set: !(u64::from(absent(first)) | u64::from(absent(second)) << 32),
            quotes: u64::from(quoting(first)) | u64::from(quoting(second)) << 32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static SET: ByteSet = ByteSet::of(b"0123456789'\"`(/-#\\;\x00\x7f");

    fn by_search(text: &[u8], at: usize) -> usize {
        (at..text.len()).find(|place| SET.has(text[*place])).unwrap_or(text.len())
    }

    #[test]
    fn every_byte_is_told_the_same_both_ways() {
        for start in 0..=255u8 {
            let mut block = [0; BLOCK];
            block.iter_mut().enumerate().for_each(|(place, byte)| {
                *byte = start.wrapping_add(place as u8);
            });
            assert_eq!(MASKS(&SET, &block), plain(&SET, &block), "{start}");
        }
    }

    proptest! {
        #[test]
        fn hits_are_those_of_a_search(
            text in prop::collection::vec(prop::sample::select(b"aZ \x80\xff5'(\x00".to_vec()), 0..300),
            steps in prop::collection::vec(0usize..90, 0..20),
        ) {
            let mut hits = Hits::new(&text, &SET);
            let mut at = 0;
            for step in steps {
                let found = hits.next(at);
                prop_assert_eq!(found, by_search(&text, at));
                at = (found + step).min(text.len());
            }
        }
    }
}
