//! What a log and plans tell of tests of which the schema tells nothing.
//!
//! A statement on one table that sends, or changes, so many of so many rows tells what its tests
//! keep together. A plan that searches an index by one column tells how many rows the server found
//! there when it looked.

use crate::plan::Node;

use super::Analysed;
use super::cost::{Counter, Given, Indexes};
use super::estimate::{From, Share};
use super::query::{Block, Query, Test, TestKind, Use};
use super::rows;
use super::tables::{Known, Tables};

/// Puts what was seen in the place of guesses.
pub(super) fn calibrate(query: &mut Query, it: &Analysed<'_>, tables: &Tables<'_>) {
    by_plans(query, it, tables);
    by_rows(query, it, tables);
}

fn is_guess(test: &Test) -> bool {
    test.share.source == From::Guess
        && matches!(test.kind, TestKind::Equal | TestKind::In(_) | TestKind::Range)
}

/// What one call gave, of a statement of which each row that passes is given.
fn given(it: &Analysed<'_>, block: &Block) -> Option<f64> {
    let has_more = block.limit.is_some()
        || block.group.is_some()
        || block.aggregates
        || !block.subs.is_empty();
    if has_more {
        return None;
    }
    if !block.writes_back {
        return it.class.load.rows_sent.map(|sent| rows(sent.mean));
    }
    let affected = it.class.rows_affected? as f64;
    Some(affected / (it.class.calls as f64).max(1.0))
}

fn by_rows(query: &mut Query, it: &Analysed<'_>, tables: &Tables<'_>) {
    let [block] = query.blocks.as_slice() else { return };
    let ([read], Some(given)) = (block.uses.as_slice(), given(it, block)) else { return };
    let is_plain = read.hidden.is_empty() && read.alternatives.is_empty() && read.rest >= 1.0;
    let known = read.table.map(|table| tables.get(table));
    let all = known.and_then(|known| known.rows).filter(|rows| *rows >= 1.0);
    let guesses = read.tests.iter().filter(|test| is_guess(test)).count();
    let (Some(all), true, true) = (all, is_plain, guesses > 0) else { return };
    let wanted = (given / all).clamp(0.5 / all, 1.0);
    // Tests count the less the more there are, so that one step does not meet it at once.
    for _ in 0..4 {
        let indexes = Indexes::default();
        let kept = Counter::new(query, tables, &indexes)
            .kept(&query.blocks[0].uses[0], Given::default())
            .max(f64::MIN_POSITIVE);
        let step = (wanted / kept).powf(1.0 / guesses as f64);
        for test in query.blocks[0].uses[0].tests.iter_mut().filter(|test| is_guess(test)) {
            test.share.part = (test.share.part * step).clamp(0.5 / all, 1.0);
        }
    }
    for test in query.blocks[0].uses[0].tests.iter_mut().filter(|test| is_guess(test)) {
        test.share.source = From::Distinct;
    }
}

fn by_plans(query: &mut Query, it: &Analysed<'_>, tables: &Tables<'_>) {
    let nodes: Vec<&Node> = it.class.plans.iter().flat_map(|plan| plan.all_nodes()).collect();
    if nodes.is_empty() {
        return;
    }
    for read in query.blocks.iter_mut().flat_map(|block| &mut block.uses) {
        let Some(known) = read.table.map(|table| tables.get(table)) else { continue };
        let mut own = nodes.iter().filter(|node| {
            node.table.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(&read.called))
        });
        // A name that stands for two steps tells of neither.
        let (Some(node), None) = (own.next(), own.next()) else { continue };
        if let Some((at, part)) = searched(read, known, node) {
            read.tests[at].share = Share::new(part, From::Distinct);
        }
    }
}

/// The guessed test that alone a step searches its index by, and the part of the rows it found.
fn searched(read: &Use, known: &Known<'_>, node: &Node) -> Option<(usize, f64)> {
    let is_search = matches!(node.access_type.as_deref(), Some("ref" | "range"));
    let key = node.key.as_deref().filter(|_| is_search)?;
    let found = rows(node.rows?);
    let all = known.rows.filter(|all| *all >= 1.0)?;
    let table = known.table?;
    let key = known.keys.iter().find(|own| {
        let index = own.place.and_then(|place| table.indexes.get(place));
        index.is_some_and(|index| index.name.eq_ignore_ascii_case(key))
    })?;
    let is_tested = |place: usize| {
        let column = key.parts.get(place)?.column?;
        read.tests.iter().position(|test| test.column == column && test.kind != TestKind::Weak)
    };
    // With a second column in the search nobody knows which one narrows.
    let at = is_tested(0).filter(|_| is_tested(1).is_none())?;
    is_guess(&read.tests[at]).then_some((at, found / all))
}
