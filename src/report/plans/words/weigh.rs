//! How much a step matters, by the rows that it is about.

use super::super::steps::{Row, Steps, Stop};
use crate::plan::access as meanings;
use crate::plan::extra;
use crate::plan::select_type;
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS, Size, Weight};
use crate::plan::{Amount, Node, Work};

/// Whole rows, as far as they are known.
pub fn whole(amount: Option<Amount>) -> Option<u64> {
    amount.map(|amount| u64::try_from(amount.rounded().floor()).unwrap_or(u64::MAX))
}

/// The size of a step for the weight of how it reads.
pub fn size_of_access(node: &Node, work: Work) -> Size {
    Size { rows: whole(node.rows), outer: whole(work.runs), kept: None }
}

/// The size of a step for the weight of what Extra says.
pub fn size_of_extra(node: &Node, work: Work, words: &str) -> Size {
    let kept = if words.starts_with("Using temporary") {
        work.stored.or(work.sorted)
    } else if words.starts_with("Using filesort") {
        work.sorted
    } else {
        None
    };
    // A hash join of TREE: rows of the hashed side for those of the other one.
    let hashed = node.children.get(1).filter(|_| node.table.is_none()).map(|second| second.rows);
    let outer = match hashed {
        Some(_) => node.children.first().and_then(|first| first.rows),
        None => work.outer(),
    };
    Size { rows: whole(hashed.unwrap_or(node.rows)), outer: whole(outer), kept: whole(kept) }
}

/// Whether a table is a temporary one, which lacks no index.
pub fn is_temporary(node: &Node) -> bool {
    node.table.as_deref().is_some_and(|table| table.starts_with('<'))
}

/// Whether an index is chosen anew for each row of the tables before.
pub fn is_checked(node: &Node) -> bool {
    node.says("Range checked for each record")
}

/// Whether a table is read from one end to the other.
pub fn is_scan(node: &Node) -> bool {
    node.access_type.as_deref().is_some_and(|access| access.eq_ignore_ascii_case("ALL"))
}

/// A line that says which table rows are put into, and reads nothing.
pub fn is_target(node: &Node) -> bool {
    matches!(node.select_type.as_deref(), Some("INSERT" | "REPLACE"))
}

pub fn weight_of_access(node: &Node, row: &Row<'_>, work: Work) -> Weight {
    let known = node.access_type.as_deref().and_then(meanings::look_up);
    let Some(known) = known.filter(|_| !is_target(node)) else {
        return Weight::Neutral;
    };
    let size = size_of_access(node, work);
    if is_temporary(node) {
        // A temporary table lacks an index only where it is read again and again.
        let is_again = is_scan(node) && work.runs.is_some_and(|runs| runs > Amount::ONE);
        return if is_again { by_read(work.read) } else { Weight::Neutral };
    }
    if size.read().is_none() {
        return Weight::Neutral;
    }
    match known.access.weigh(size) {
        Weight::Finding => match row.stop {
            // Which rows fit is a guess, so it stays worth a look.
            Stop::Limit(Some(share)) => {
                by_read(work.read.map(|read| read.times(share))).max(Weight::Minor)
            }
            _ => Weight::Finding,
        },
        weight => weight,
    }
}

/// How much a step matters: the most of what its words weigh.
pub fn weight(row: &Row<'_>, steps: &Steps<'_>) -> Weight {
    let Some(node) = row.node() else { return Weight::Neutral };
    let work = steps.work(node);
    let of_words = node.extra.iter().filter_map(|text| {
        let value = extra::read(text);
        let size = size_of_extra(node, work, value.text);
        value.weigh(size).filter(|_| size.worked().is_some() || size.outer.is_some())
    });
    let others = [weight_of_access(node, row, work), weight_of_part(node, work)];
    of_words.chain(others).max().unwrap_or(Weight::Neutral)
}

/// What it is worth that a step belongs to a part of the statement that runs so often.
pub fn weight_of_part(node: &Node, work: Work) -> Weight {
    let known = node.select_type.as_deref().and_then(select_type::look_up);
    let (Some(known), Some(_)) = (known, work.runs) else { return Weight::Neutral };
    let size = Size { rows: None, outer: whole(work.runs), kept: whole(work.left) };
    match known.weigh(size) {
        // Many runs that read little are no finding; nor is a table that is filled once, for it may
        // get few groups of the many rows that are read.
        Weight::Finding
            if work.read.is_none_or(|read| read < Amount::whole(MANY_ROWS))
                || work.runs.is_some_and(|runs| runs <= Amount::ONE) =>
        {
            Weight::Minor
        }
        weight => weight,
    }
}

/// What it weighs to read so many rows.
pub fn by_read(read: Option<Amount>) -> Weight {
    match read {
        Some(read) if read >= Amount::whole(MANY_ROWS) => Weight::Finding,
        Some(read) if read >= Amount::whole(NOTABLE_ROWS) => Weight::Minor,
        _ => Weight::Neutral,
    }
}

/// Whether a step has a word that no catalogue knows, so that it cannot be judged.
pub fn has_unknown(node: &Node) -> bool {
    let is_unknown = |known: bool| !known;
    let access = node.access_type.as_deref().map(|name| meanings::look_up(name).is_some());
    let part = node.select_type.as_deref().map(|name| select_type::look_up(name).is_some());
    let extra = node.extra.iter().any(|text| extra::read(text).entry.is_none());
    access.is_some_and(is_unknown) || part.is_some_and(is_unknown) || extra
}
