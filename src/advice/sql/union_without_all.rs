//! UNION looks for rows that repeat where none can.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::schema::{Index, Table};
use crate::sql::shape::{Block, Combines, ItemKind, Op, Operand, Role, ValueKind};

use super::statement::{At, Statement, recommend};
use super::words::{Edits, Words};

rule! {
    /// UNION looks for rows that repeat where none can.
    ///
    /// **Costs.** All rows go through a temporary table with a unique key, on disk if they are many.
    /// **Wrong when.** Two parts may give one row, or a part gives a row twice: UNION removes both.
    /// It speaks only where constants keep the parts apart and each part selects a unique key, or is
    /// grouped by what it selects.
    /// **Verify.** Count the rows of both forms; EXPLAIN: no UNION RESULT with a temporary table.
    /// **Source.** MySQL manual, UNION clause.
    ///
    /// ```sql schema
    /// CREATE TABLE bills (id int PRIMARY KEY, state varchar(9), total int);
    /// CREATE TABLE offers (id int PRIMARY KEY, total int);
    /// ```
    /// ```sql finding
    /// SELECT id, total FROM bills WHERE state = 'open' UNION SELECT id, total FROM bills WHERE state = 'late';
    /// ```
    /// ```sql finding
    /// SELECT 'bill', id FROM bills UNION SELECT 'offer', id FROM offers;
    /// ```
    /// ```sql clean
    /// SELECT id, total FROM bills WHERE state = 'open' UNION ALL SELECT id, total FROM bills WHERE state = 'late';
    /// ```
    /// ```sql clean
    /// SELECT total FROM bills WHERE state = 'open' UNION SELECT total FROM bills WHERE state = 'late';
    /// ```
    /// ```sql clean
    /// SELECT id FROM bills WHERE state = 'open' UNION SELECT id FROM bills WHERE total > 5;
    /// ```
    /// ```sql clean
    /// SELECT id FROM bills UNION SELECT id FROM offers;
    /// ```
    /// ```sql clean
    /// SELECT 'bill', total FROM bills UNION SELECT 'offer', total FROM offers;
    /// ```
    Sql "SQL010" "union-without-all"
}

/// Parts of a UNION that are compared, each with each.
const MOST_ARMS: usize = 16;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let mut firsts = statement.blocks().filter(|(at, block)| {
        block.arm.as_ref().is_some_and(|arm| arm.first == *at && arm.kind == Combines::Union)
    });
    firsts.find_map(|(first, _)| finding(statement, first)).into_iter().collect()
}

fn finding(statement: &Statement<'_>, first: usize) -> Option<Finding> {
    let arms: Vec<(usize, &Block)> = statement
        .blocks()
        .filter(|(_, block)| block.arm.as_ref().is_some_and(|arm| arm.first == first))
        .collect();
    if !(2..=MOST_ARMS).contains(&arms.len()) || statement.shape.is_partial {
        return None;
    }
    let is_recursive = |block: &Block| matches!(block.role, Role::Common { is_recursive: true });
    if arms.iter().any(|(_, block)| is_recursive(block)) {
        return None;
    }
    let is_distinct = arms.iter().all(|(at, block)| gives_each_row_once(statement, *at, block));
    let is_apart = arms.iter().enumerate().all(|(place, one)| {
        arms.iter().skip(place + 1).all(|other| are_apart(statement, *one, *other))
    });
    if !is_distinct || !is_apart {
        return None;
    }
    let (start, end) = (arms.first()?.1.span.start, arms.last()?.1.span.end);
    let mut edits = Edits::default();
    for pair in arms.windows(2) {
        let [(_, one), (_, other)] = pair else { continue };
        let between = one.span.end..other.span.start;
        let words = Words::of_any(statement.text, &between)?;
        let union = (0..words.len()).find(|at| words.is_word(*at, "UNION"))?;
        let range = words.range(union)?;
        let last = match words.is_word(union + 1, "DISTINCT") {
            true => words.range(union + 1)?.end,
            false => range.end,
        };
        edits.replace(range.start..last, "UNION ALL");
    }
    let span = start..end;
    let title = "UNION looks for rows that repeat, and none can";
    let mut finding = statement.finding(&RULE, Severity::Low, Confidence::Medium, title, &[&span]);
    finding.subject.table = statement.full_name((first, 0));
    let sql = statement.rewritten(&edits);
    recommend(
        &mut finding,
        "Say UNION ALL. A constant that differs keeps the parts apart, and each part gives a row no more than once, so there \
         is nothing to remove."
            .to_owned(),
        sql,
    );
    finding.verify = "Count the rows of both forms: they are the same.".to_owned();
    Some(finding)
}

/// Whether no row comes twice within a part.
fn gives_each_row_once(statement: &Statement<'_>, at: usize, block: &Block) -> bool {
    if block.is_distinct {
        return true;
    }
    let selected = |name: &str, of: At| {
        block.items.iter().any(|item| match &item.kind {
            ItemKind::Column(column) => {
                column.of == Some(of) && column.name.eq_ignore_ascii_case(name)
            }
            ItemKind::Star(source) => source.is_none_or(|source| source == of.1),
            _ => false,
        })
    };
    if !block.group.is_empty() {
        return !block.has_rollup
            && block.group.iter().all(|key| {
                key.column
                    .as_ref()
                    .is_some_and(|own| own.of.is_some_and(|of| selected(&own.name, of)))
            });
    }
    let [_] = block.sources.as_slice() else { return false };
    let of = (at, 0);
    statement.table(of).is_some_and(|table| has_unique(table, |name| selected(name, of)))
}

fn has_unique(table: &Table, is_selected: impl Fn(&str) -> bool) -> bool {
    let is_whole = |index: &Index| {
        index.parts.iter().all(|part| {
            let name = part.column_name().filter(|_| part.prefix.is_none());
            name.is_some_and(|name| {
                is_selected(name) && table.column(name).is_some_and(|it| !it.is_nullable)
            })
        })
    };
    table.indexes.iter().any(|index| index.is_unique() && is_whole(index))
}

/// Whether no row is given by both of two parts.
fn are_apart(statement: &Statement<'_>, one: (usize, &Block), other: (usize, &Block)) -> bool {
    let literal = |item: &crate::sql::shape::Item| match item.kind {
        ItemKind::Other => literal(statement.quote(&item.span)),
        _ => None,
    };
    let are_items_apart = one.1.items.iter().zip(&other.1.items).any(|(one, other)| {
        literal(one).zip(literal(other)).is_some_and(|(one, other)| one != other)
    });
    are_items_apart || are_tests_apart(statement, one, other)
}

/// A string or a number as it is compared: letter case and blanks at the end may not count.
fn literal(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_ascii_whitespace().take(4).collect();
    let is_name =
        |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'`'));
    // A literal, with its alias or without: `1 + a` is none.
    let text = match words.as_slice() {
        [one] => one,
        [one, alias] if is_name(alias) => one,
        [one, word, alias] if word.eq_ignore_ascii_case("AS") && is_name(alias) => one,
        _ => return None,
    };
    let inside = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match inside {
        Some(inside) if is_plain(inside) => Some(inside.to_ascii_lowercase()),
        None if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            Some(text.trim_start_matches('0').to_owned())
        }
        _ => None,
    }
}

/// Whether both read one table, and a column of it equals another constant in each.
fn are_tests_apart(
    statement: &Statement<'_>,
    one: (usize, &Block),
    other: (usize, &Block),
) -> bool {
    let (of_one, of_other) = ((one.0, 0), (other.0, 0));
    let is_same = one.1.sources.len() == 1
        && other.1.sources.len() == 1
        && statement.full_name(of_one).is_some()
        && statement.full_name(of_one) == statement.full_name(of_other);
    let constants = |at: At| {
        statement.tests(at).filter_map(|test| match &test.op {
            Op::Equal(Operand::Value(value))
                if matches!(value.kind, ValueKind::Number | ValueKind::Text) =>
            {
                Some((test.column.name.to_ascii_lowercase(), literal(&value.text)?))
            }
            _ => None,
        })
    };
    // Rows of one table that differ in the column differ in their key, which stands at one place.
    let key_at_one_place = || {
        let kinds = one.1.items.iter().zip(&other.1.items);
        kinds.clone().count() == one.1.items.len().max(other.1.items.len())
            && kinds.into_iter().all(|(one, other)| match (&one.kind, &other.kind) {
                (ItemKind::Column(one), ItemKind::Column(other)) => {
                    one.name.eq_ignore_ascii_case(&other.name)
                }
                (ItemKind::Star(_), ItemKind::Star(_)) => true,
                _ => false,
            })
    };
    is_same
        && one.1.group.is_empty()
        && other.1.group.is_empty()
        && statement.table(of_one).is_some_and(|table| {
            has_unique(table, |name| {
                one.1.items.iter().any(|item| match &item.kind {
                    ItemKind::Column(column) => column.name.eq_ignore_ascii_case(name),
                    ItemKind::Star(_) => true,
                    _ => false,
                })
            })
        })
        && key_at_one_place()
        && constants(of_one)
            .any(|(name, value)| constants(of_other).any(|(own, it)| own == name && it != value))
}
