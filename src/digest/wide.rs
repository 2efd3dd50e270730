//! Whole numbers wider than 128 bits, as far as exact sums of squares need them.

/// A sum of squares: 256 bits, enough for any number of squares of 96-bit values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Squares {
    low: u128,
    high: u128,
}

impl Squares {
    /// A sum that fits into 128 bits.
    pub fn of(sum: u128) -> Squares {
        Squares { low: sum, high: 0 }
    }

    /// Adds the square of a value.
    pub fn add(&mut self, value: i128) {
        let size = value.unsigned_abs();
        if size <= u128::from(u64::MAX) {
            self.add_to(size * size, 0);
        } else {
            let square = multiply(size, size);
            self.add_to(square.low, square.high);
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: Squares) {
        self.add_to(other.low, other.high);
    }

    fn add_to(&mut self, low: u128, high: u128) {
        let (sum, carried) = self.low.overflowing_add(low);
        self.low = sum;
        self.high = self.high.saturating_add(high).saturating_add(u128::from(carried));
    }

    /// `count` × this sum − `sum`²: the variance of `count` values times `count`². Exact up to
    /// the last step, unless the values are past 64 bits.
    pub fn spread(self, count: u64, sum: i128) -> f64 {
        let size = sum.unsigned_abs();
        let scaled = multiply(self.low, u128::from(count));
        let high = self.high.checked_mul(u128::from(count));
        let Some(high) = high.and_then(|high| high.checked_add(scaled.high)) else {
            let squares = self.high as f64 * 2f64.powi(128) + self.low as f64;
            return (squares * count as f64 - (size as f64).powi(2)).max(0.0);
        };
        let square = multiply(size, size);
        if (high, scaled.low) < (square.high, square.low) {
            return 0.0;
        }
        let (low, borrowed) = scaled.low.overflowing_sub(square.low);
        (high - square.high - u128::from(borrowed)) as f64 * 2f64.powi(128) + low as f64
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
