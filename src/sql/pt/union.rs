//! Equal selects joined by UNION, folded into one.

use super::scan::{find, is_boundary, is_space};

/// What folding may cost: this many looks, and [`LOOKS_PER_BYTE`] more for each byte.
///
/// The tool compares every `select` with what follows every `union` behind it, which is
/// quadratic. A statement of a thousand different selects needs half a million looks, so
/// the limit only shows in machine-made monsters, whose last selects then stay unfolded.
const LOOKS: usize = 2_000_000;
const LOOKS_PER_BYTE: usize = 16;

/// The end of a select that another select follows, joined by UNION.
struct Join {
    /// Where the blank before `union` stands.
    end: usize,
    /// Where the white space behind `union` or `union all` stands.
    behind: usize,
}

/// Replaces runs of the same select by the first and ` /*repeat union*/`.
///
/// Expects lower case. "The same" is a comparison of bytes from `select` up to some
/// ` union`; what follows the last repetition need not be a boundary of any kind.
pub(super) fn fold_unions(text: Vec<u8>) -> Vec<u8> {
    let joins = joins(&text);
    if joins.is_empty() {
        return text;
    }
    let mut budget = LOOKS + LOOKS_PER_BYTE * text.len();
    let mut out = Vec::with_capacity(text.len());
    let mut copied = 0;
    let mut from = 0;
    while let Some(at) = find(&text, from, b"select") {
        from = at + 1;
        let starts = is_boundary(&text, at) && text.get(at + 6).is_some_and(|&b| is_space(b));
        if !starts {
            continue;
        }
        if let Some((end, end_of_run, last)) = repeated(&text, at, &joins, &mut budget) {
            out.extend_from_slice(&text[copied..end]);
            out.extend_from_slice(b" /*repeat");
            out.extend_from_slice(&text[last.end..last.behind]);
            out.extend_from_slice(b"*/");
            copied = end_of_run;
            from = end_of_run;
        }
    }
    out.extend_from_slice(&text[copied..]);
    out
}

/// Every place where a select may end and be joined to the next.
fn joins(text: &[u8]) -> Vec<Join> {
    let mut joins = Vec::new();
    let mut from = 0;
    while let Some(at) = find(text, from, b"union") {
        from = at + 5;
        let Some(end) = at.checked_sub(1).filter(|&end| is_space(text[end])) else {
            continue;
        };
        joins.extend(join_at(text, end));
    }
    joins
}

/// The join whose white space stands at `end`, if a `select` follows it.
fn join_at(text: &[u8], end: usize) -> Option<Join> {
    let space = |at: usize| text.get(at).is_some_and(|&b| is_space(b));
    let is_union = space(end) && text[end + 1..].starts_with(b"union");
    let union = is_union.then_some(end + 6)?;
    let all = space(union) && text[union + 1..].starts_with(b"all") && space(union + 4);
    let behind = if all { union + 4 } else { union };
    let selects = space(behind) && text[behind + 1..].starts_with(b"select");
    selects.then_some(Join { end, behind })
}

/// Looks for the shortest select at `at` that its next join repeats.
///
/// Gives where it ends, where its last repetition ends, and the join before that one.
fn repeated(
    text: &[u8],
    at: usize,
    joins: &[Join],
    budget: &mut usize,
) -> Option<(usize, usize, Join)> {
    let first = joins.partition_point(|join| join.end < at + 7);
    for join in &joins[first..] {
        if *budget == 0 {
            return None;
        }
        let select = &text[at..join.end];
        let mut repeats = |join: &Join| {
            let rest = text.get(join.behind + 1..join.behind + 1 + select.len())?;
            *budget = budget.saturating_sub(1);
            // Selects that differ mostly do so near their end.
            let tail = select.len().saturating_sub(16);
            if rest[tail..] != select[tail..] {
                return None;
            }
            *budget = budget.saturating_sub(select.len() / 16);
            (rest == select).then_some(join.behind + 1 + select.len())
        };
        if let Some(mut end) = repeats(join) {
            let mut last = Join { ..*join };
            while let Some(next) = join_at(text, end) {
                let Some(further) = repeats(&next) else { break };
                (end, last) = (further, next);
            }
            return Some((join.end, end, last));
        }
    }
    None
}
