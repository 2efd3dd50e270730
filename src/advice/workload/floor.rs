//! From what on a class is worth a word of the rules of the load.

use crate::advice::Class;

use super::Case;

/// Percent of the time, or of the rows examined, that a class must have.
const PERCENT: u128 = 1;

/// Whether a class has a hundredth of the time of the log, or of the rows that it examined.
pub fn reaches(case: &Case<'_>, class: &Class<'_>) -> bool {
    let has_part = |part: Option<u64>, whole: Option<u64>| {
        part.zip(whole).is_some_and(|(part, whole)| {
            part > 0 && u128::from(part) * 100 >= u128::from(whole) * PERCENT
        })
    };
    let rows = class.measured.as_ref().and_then(|it| it.rows_examined);
    has_part(class.micros, case.micros()) || has_part(rows, case.whole.measured.rows_examined)
}
