//! Whole numbers wider than 128 bits, as far as exact sums of squares need them.

/// A sum of squares: 192 bits, enough for 2⁶⁴ squares of 64-bit values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Squares {
    low: u128,
    high: u64,
}

impl Squares {
    /// Adds the square of a value. Values past 64 bits count as the largest 64-bit value: they
    /// are marks of broken counters, and no figure is printed from their squares.
    pub fn add(&mut self, value: i128) {
        let size = value.unsigned_abs().min(u128::from(u64::MAX));
        self.add_to(size * size, 0);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Squares) {
        self.add_to(other.low, other.high);
    }

    fn add_to(&mut self, low: u128, high: u64) {
        let (sum, carried) = self.low.overflowing_add(low);
        self.low = sum;
        self.high = self.high.saturating_add(high).saturating_add(u64::from(carried));
    }

    /// `count` × this sum − `sum`², as a float: exact up to the last step. The variance of
    /// `count` values times `count`².
    pub fn spread(self, count: u64, sum: i128) -> f64 {
        let scaled = multiply(self.low, u128::from(count));
        let scaled =
            Wide { high: scaled.high + u128::from(self.high) * u128::from(count), ..scaled };
        let size = sum.unsigned_abs();
        let square = multiply(size, size);
        let (low, borrowed) = scaled.low.overflowing_sub(square.low);
        let high = scaled.high.saturating_sub(square.high).saturating_sub(u128::from(borrowed));
        let negative = (scaled.high, scaled.low) < (square.high, square.low);
        if negative { 0.0 } else { high as f64 * 2f64.powi(128) + low as f64 }
    }
}

/// 256 bits.
struct Wide {
    high: u128,
    low: u128,
}

fn multiply(a: u128, b: u128) -> Wide {
    const HALF: u32 = 64;
    const MASK: u128 = (1 << HALF) - 1;
    let (a1, a0, b1, b0) = (a >> HALF, a & MASK, b >> HALF, b & MASK);
    let (low, cross1, cross2, high) = (a0 * b0, a1 * b0, a0 * b1, a1 * b1);
    let middle = (low >> HALF) + (cross1 & MASK) + (cross2 & MASK);
    Wide {
        high: high + (cross1 >> HALF) + (cross2 >> HALF) + (middle >> HALF),
        low: (middle << HALF) | (low & MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_exact_where_floats_would_cancel() {
        // Two values that differ by one, both past what a float's square can tell apart.
        let (a, b) = (4_000_000_000_000_000_000i128, 4_000_000_000_000_000_001i128);
        let mut squares = Squares::default();
        squares.add(a);
        squares.add(b);
        assert_eq!(squares.spread(2, a + b), 1.0);
    }

    #[test]
    fn many_large_squares_do_not_overflow() {
        let mut squares = Squares::default();
        let value = i128::from(u64::MAX);
        (0..1000).for_each(|_| squares.add(value));
        assert_eq!(squares.spread(1000, value * 1000), 0.0);
        squares.add(0);
        // n·Σx² − (Σx)² = 1001·1000·x² − 1000²·x² = 1000·x².
        let want = 1000.0 * (u64::MAX as f64).powi(2);
        assert!((squares.spread(1001, value * 1000) / want - 1.0).abs() < 1e-12);
    }
}
