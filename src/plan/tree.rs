//! `EXPLAIN FORMAT=TREE` and `EXPLAIN ANALYZE` of MySQL.
//!
//! ```text
//! -> Limit: 20 row(s)  (cost=583 rows=20) (actual time=0.4..3.6 rows=20 loops=1)
//!     -> Index lookup on o using ix_status (status = 'new')  (cost=321 rows=2000)
//! ```
//!
//! Four blanks are a level. Figures are of one run on average; times are milliseconds to the first
//! and to the last row, those of the steps below counted in.

mod wrap;

use self::wrap::Widest;
use super::find::Places;
use super::{Actual, Amount, Format, Node, Plan};
use crate::flavor::Family;
use crate::rowset::lines::ends_print;

/// Levels of nesting that are read.
const DEEPEST: usize = 400;

/// Reads the tree that begins at a byte of a line; gives it and the line behind it. `is_value`
/// tells that the text ends where the tree does.
pub fn read<'a>(
    line: usize,
    column: usize,
    is_value: bool,
    line_of: impl Fn(usize) -> Option<&'a [u8]>,
    places: &mut Places<'_>,
) -> (Option<Plan>, usize) {
    let mut steps: Vec<(usize, Node)> = Vec::new();
    let mut widest = None;
    let mut is_torn_apart = false;
    let mut at = line;
    while let Some(text) = line_of(at) {
        let text = if at == line { text.get(column..).unwrap_or_default() } else { text };
        let level = level(text);
        let is_next_plan = at > line && level == Some(0) && !text.starts_with(b"-> Select #");
        match level {
            Some(level) if !is_next_plan => {
                let deepest = steps.last().map_or(0, |(level, _)| level + 1).min(DEEPEST);
                if level > deepest {
                    let text = String::from_utf8_lossy(text.trim_ascii());
                    places.unread(at, "a step that is at most one level deeper", &text);
                }
                let pieces = if is_value { Vec::new() } else { pieces_behind(at, &line_of) };
                let whole = match pieces.as_slice() {
                    [] => None,
                    pieces => {
                        let widest = *widest
                            .get_or_insert_with(|| Widest::of(line, &line_of, places.indent()));
                        wrap::joined(text, pieces, widest)
                    }
                };
                let node = match &whole {
                    Some(whole) => step(&said(whole.as_bytes()), at, places),
                    None => step(&said(text), at, places),
                };
                steps.push((level.min(deepest), node));
                let is_inside = || {
                    let next = line_of(at + 1 + pieces.len()).and_then(self::level);
                    next.is_some_and(|level| level > 0) && !wrap::is_read(&said(text))
                };
                if whole.is_some() {
                    at += pieces.len();
                } else if !pieces.is_empty() && is_inside() {
                    is_torn_apart = true;
                    at += pieces.len();
                }
            }
            // A literal in a condition may hold line ends; only a value tells where it goes on.
            None if is_value && !ends_print(text) && text.trim_ascii() != b"|" => {
                if let Some((_, node)) = steps.last_mut() {
                    let operation = node.operation.get_or_insert_default();
                    operation.push('\n');
                    operation.push_str(&String::from_utf8_lossy(text));
                    read_again(node, at, places);
                }
            }
            _ => break,
        }
        at += 1;
    }
    let is_last_cut = steps.last().is_some_and(|(_, node)| is_torn(node));
    let nodes = nested(steps);
    let is_cut = is_torn_apart || is_last_cut || lacks_steps(&nodes) || lacks_figures(&nodes);
    let plan = Plan {
        format: Format::Tree,
        flavor: Family::MySql,
        line: line + 1,
        cost: nodes.first().and_then(|node| node.cost),
        nodes,
        is_cut,
        ..Plan::default()
    };
    let is_plan = plan.nodes.first().is_some_and(is_step);
    if is_plan && is_cut {
        places.cut(at.saturating_sub(1).max(line), "the rest of the tree");
    }
    (is_plan.then_some(plan), at.max(line + 1))
}

/// The lines behind a step that are no steps, as far as they may be pieces of it.
fn pieces_behind<'a>(at: usize, line_of: impl Fn(usize) -> Option<&'a [u8]>) -> Vec<&'a [u8]> {
    const MOST: usize = 64;
    let lines = (at + 1..).map_while(line_of);
    let pieces: Vec<&[u8]> =
        lines.take_while(|text| level(text).is_none() && !ends_print(text)).take(MOST).collect();
    // So many lines are prose.
    if pieces.len() == MOST { Vec::new() } else { pieces }
}

/// Whether a step ends within its parentheses, as one does whose line is cut.
fn is_torn(node: &Node) -> bool {
    let operation = node.operation.as_deref().unwrap_or_default();
    operation.rfind('(').is_some_and(|at| !operation[at..].contains(')'))
}

/// How operations begin that take their rows from other steps, and from how many.
const TAKES: &[(&str, usize)] = &[
    ("Nested loop", 2),
    ("Inner hash join", 2),
    ("Left hash join", 2),
    ("Hash semijoin", 2),
    ("Hash antijoin", 2),
    ("Batched key access", 2),
    ("Filter: ", 1),
    ("Sort: ", 1),
    ("Sort row IDs: ", 1),
    ("Limit: ", 1),
    ("Limit/Offset: ", 1),
    ("Stream results", 1),
    ("Group aggregate", 1),
    ("Aggregate: ", 1),
    ("Window aggregate", 1),
    ("Hash", 1),
];

/// Whether the last step of a tree takes its rows from steps that are not there.
fn lacks_steps(nodes: &[Node]) -> bool {
    let mut last = nodes.last();
    while let Some(node) = last {
        let operation = node.operation.as_deref().unwrap_or_default();
        let takes = TAKES.iter().find(|(begin, _)| operation.starts_with(begin));
        if takes.is_some_and(|(_, steps)| node.children.len() < *steps) {
            return true;
        }
        last = node.children.last();
    }
    false
}

/// Whether the first step has figures that the last one lacks.
fn lacks_figures(nodes: &[Node]) -> bool {
    let (Some(first), Some(mut last)) = (nodes.first(), nodes.last()) else { return false };
    while let Some(below) = last.children.last() {
        last = below;
    }
    first.actual.is_some() && last.actual.is_none()
}

/// Whether a first line is one of a tree: prose may begin with an arrow as well.
fn is_step(node: &Node) -> bool {
    let operation = node.operation.as_deref().unwrap_or_default();
    node.rows.is_some()
        || node.actual.is_some()
        || !node.children.is_empty()
        || node.table.is_some()
        || BARE.iter().any(|word| operation.starts_with(word))
}

/// First steps that say no figures and have nothing below them.
const BARE: &[&str] = &[
    "Rows fetched before execution",
    "Zero rows",
    "Zero input rows",
    "<not executable by iterator executor>",
    "Stream results",
    "Limit",
    "Sort",
    "Filter",
    "Aggregate",
    "Fake single row",
    "Nested loop",
    "Materialize",
    "Temporary table",
    "Window aggregate",
];

/// The level of a line `    -> …`.
fn level(text: &[u8]) -> Option<usize> {
    let blanks = text.iter().take_while(|b| **b == b' ').count();
    let is_step = text.get(blanks..)?.starts_with(b"-> ");
    (is_step && blanks.is_multiple_of(4)).then_some(blanks / 4)
}

/// The line without its arrow.
fn said(text: &[u8]) -> String {
    let text = text.trim_ascii();
    String::from_utf8_lossy(text.strip_prefix(b"-> ").unwrap_or(text)).into_owned()
}

/// Puts steps below those they stand under.
fn nested(steps: Vec<(usize, Node)>) -> Vec<Node> {
    let mut roots = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    let close = |open: &mut Vec<Node>, roots: &mut Vec<Node>| {
        if let Some(node) = open.pop() {
            match open.last_mut() {
                Some(above) => above.children.push(node),
                None => roots.push(node),
            }
        }
    };
    for (level, node) in steps {
        while open.len() > level {
            close(&mut open, &mut roots);
        }
        open.push(node);
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}

/// Reads one step: what it does, then its figures.
fn step(text: &str, line: usize, places: &mut Places<'_>) -> Node {
    let mut rest = text.trim_end();
    let mut node = Node { line: line + 1, ..Node::default() };
    if let Some(before) = rest.strip_suffix("(never executed)") {
        rest = before.trim_end();
        node.measured().loops = Some(Amount::ZERO);
    } else if let Some((before, figures)) = figures(rest, "(actual ") {
        rest = before;
        match actual(figures) {
            Some(actual) => node.actual = Some(actual),
            None => places.unread(line, "`time=A..B rows=N loops=N`", figures),
        }
    }
    if let Some((before, figures)) = figures(rest, "(cost=").or_else(|| figures_of_rows(rest)) {
        rest = before;
        for pair in figures.split(' ') {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let last = value.rsplit("..").next().unwrap_or(value);
            let amount = Amount::parse(last);
            match name {
                "cost" => node.cost = amount,
                "rows" => node.rows = amount,
                _ => {}
            }
            if amount.is_none() {
                places.unread(line, &format!("a number for {name}"), value);
            }
        }
    }
    describe(&mut node, rest);
    node
}

/// Reads a step anew that has grown by a line: its figures stand at its end.
fn read_again(node: &mut Node, at: usize, places: &mut Places<'_>) {
    const LONGEST: usize = 64 * 1024;
    let text = node.operation.clone().unwrap_or_default();
    let is_read = node.rows.is_some() || node.actual.is_some();
    if is_read || text.len() > LONGEST || !text.ends_with(')') {
        return;
    }
    let line = node.line;
    *node = step(&text, at, places);
    node.line = line;
}

/// The figures at the end of a step, in parentheses that begin so, and what is before them.
fn figures<'a>(text: &'a str, open: &str) -> Option<(&'a str, &'a str)> {
    let inner = text.strip_suffix(')')?;
    let at = inner.rfind(open)?;
    let figures = inner.get(at + 1..)?;
    (!figures.contains(['(', ')', '\''])).then_some((inner.get(..at)?.trim_end(), figures))
}

/// `(rows=3)`: where a cost makes no sense.
fn figures_of_rows(text: &str) -> Option<(&str, &str)> {
    figures(text, "(rows=")
}

/// `actual time=0.4..3.6 rows=20 loops=1`.
fn actual(figures: &str) -> Option<Actual> {
    let mut actual = Actual::default();
    let mut last = None;
    for pair in figures.strip_prefix("actual ")?.split(' ') {
        let (name, value) = pair.split_once('=')?;
        match name {
            "time" => last = Some(Amount::parse(value.rsplit("..").next()?)?),
            "rows" => actual.rows_per_loop = Some(Amount::parse(value)?),
            "loops" => actual.loops = Some(Amount::parse(value)?),
            _ => {}
        }
    }
    actual.ms = last.map(|ms| ms.times(actual.loops.unwrap_or(Amount::ONE)));
    Some(actual)
}

/// How operations that read a table begin, with the access type of plain EXPLAIN and what Extra
/// says there.
#[rustfmt::skip]
const READS: &[(&str, Option<&str>, &[&str])] = &[
    ("Table scan on ",                                  Some("ALL"),      &[]),
    ("Index scan on ",                                  Some("index"),    &[]),
    ("Covering index scan on ",                         Some("index"),    &["Using index"]),
    ("Index lookup on ",                                Some("ref"),      &[]),
    ("Covering index lookup on ",                       Some("ref"),      &["Using index"]),
    ("Single-row index lookup on ",                     Some("eq_ref"),   &[]),
    ("Single-row covering index lookup on ",            Some("eq_ref"),   &["Using index"]),
    ("Multi-range index lookup on ",                    Some("ref"),      &["Using MRR"]),
    ("Index range scan on ",                            Some("range"),    &[]),
    ("Covering index range scan on ",                   Some("range"),    &["Using index"]),
    ("Index range scan (Multi-Range Read) on ",         Some("range"),    &["Using MRR"]),
    ("Covering index range scan (Multi-Range Read) on ", Some("range"),   &["Using MRR", "Using index"]),
    ("Index skip scan on ",                             Some("range"),    &["Using index for skip scan"]),
    ("Covering index skip scan on ",                    Some("range"),    &["Using index for skip scan"]),
    ("Index skip scan for grouping on ",                Some("range"),    &["Using index for group-by"]),
    ("Covering index skip scan for grouping on ",       Some("range"),    &["Using index for group-by"]),
    ("Index skip scan for deduplication on ",           Some("range"),    &["Using index for group-by"]),
    ("Covering index skip scan for deduplication on ",  Some("range"),    &["Using index for group-by"]),
    ("Full-text index search on ",                      Some("fulltext"), &[]),
    ("Constant row from ",                              Some("const"),    &[]),
    ("Count rows in ",                                  None,             &[]),
    ("Scan new records on ",                            None,             &[]),
    ("Insert into ",                                    None,             &[]),
    ("Replace into ",                                   None,             &[]),
    ("Delete from ",                                    None,             &[]),
    ("Update ",                                         None,             &[]),
];

/// What other operations say in the words of Extra, by how they begin.
#[rustfmt::skip]
const SAYS: &[(&str, &str)] = &[
    ("Filter: ",                     "Using where"),
    ("Sort: ",                       "Using filesort"),
    ("Sort row IDs: ",               "Using filesort"),
    ("Sort with duplicate removal",  "Using filesort"),
    ("Aggregate using temporary",    "Using temporary"),
    ("Temporary table",              "Using temporary"),
    ("Union materialize",            "Using temporary"),
    ("Intersect materialize",        "Using temporary"),
    ("Except materialize",           "Using temporary"),
    ("Window aggregate with buff",   "Using temporary"),
    ("Inner hash join",              "Using join buffer (hash join)"),
    ("Left hash join",               "Using join buffer (hash join)"),
    ("Hash semijoin",                "Using join buffer (hash join)"),
    ("Hash antijoin",                "Using join buffer (hash join)"),
    ("Batched key access",           "Using join buffer (Batched Key Access)"),
];

/// Fills a node with what its operation says.
pub(super) fn describe(node: &mut Node, operation: &str) {
    node.operation = Some(operation.to_owned());
    let read = READS.iter().find_map(|row| Some((row, operation.strip_prefix(row.0)?)));
    if let Some(((_, access_type, says), rest)) = read {
        node.access_type = access_type.map(str::to_owned);
        says.iter().for_each(|words| node.say(*words));
        describe_read(node, rest);
    }
    for (begin, words) in SAYS {
        if operation.starts_with(begin) {
            node.say(*words);
        }
    }
    if let Some(condition) = operation.strip_prefix("Filter: ") {
        node.condition = Some(condition.to_owned());
    }
    node.limit = limit(operation);
}

/// What is behind `Index lookup on `: the table, the index, how it is used.
fn describe_read(node: &mut Node, rest: &str) {
    let (table, rest) = name(rest);
    node.table = table;
    let Some(rest) = rest.strip_prefix(" using ") else {
        if rest.starts_with(" (re-planned for each iteration") {
            node.say("Range checked for each record");
        }
        return;
    };
    let (key, rest) = name(rest);
    node.key = key;
    if let Some(inner) = rest.strip_prefix(" (").filter(|_| !rest.starts_with(" (reverse")) {
        node.used_key_parts = compared(inner);
        if node.access_type.as_deref() == Some("ref") && is_or_null(inner) {
            node.access_type = Some("ref_or_null".to_owned());
        }
    }
    if let Some(inner) = rest.strip_prefix(" over (") {
        node.used_key_parts = bounded(inner);
    }
    if rest.contains("(reverse)") {
        node.say("Backward index scan");
    }
    if let Some((_, condition)) = rest.split_once(", with index condition: ") {
        node.say("Using index condition");
        node.condition = Some(condition.to_owned());
    }
}

/// A name at the beginning of a text, in backquotes, angle brackets or neither.
fn name(text: &str) -> (Option<String>, &str) {
    let end = match text.as_bytes().first() {
        Some(b'<') => text.find('>').map(|end| end + 1),
        Some(b'`') => text.get(1..).and_then(|inner| inner.find('`')).map(|end| end + 2),
        _ => text.find([' ', '(', ',']),
    };
    let (name, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
    ((!name.is_empty()).then(|| name.trim_matches('`').to_owned()), rest)
}

/// The columns of `a = 77, b = x.c)`.
fn compared(text: &str) -> Vec<String> {
    pieces(text, |rest| usize::from(rest.starts_with(','))).into_iter().filter_map(column).collect()
}

/// The columns of `a = 7 AND 20 <= b <= 22)`, the bounds of a range.
fn bounded(text: &str) -> Vec<String> {
    let and = " AND ";
    let bounds = pieces(text, |rest| if rest.starts_with(and) { and.len() } else { 0 });
    let is_operator = |c: char| matches!(c, '<' | '>' | '=' | '!');
    let column = |bound: &str| {
        let operator = |rest: &str| usize::from(rest.starts_with(is_operator));
        let sides = pieces(bound, operator).into_iter().map(str::trim);
        let mut names = sides.filter(|side| !side.is_empty() && *side != "NULL" && is_name(side));
        names.next().map(|name| name.trim_matches('`').to_owned())
    };
    bounds.into_iter().filter_map(column).collect()
}

/// A text up to the parenthesis that closes it, cut at what `separator` gives a length for; what
/// is quoted or in parentheses of its own is not looked into.
fn pieces(text: &str, separator: impl Fn(&str) -> usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut depth, mut start, mut quote) = (0usize, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => {
                pieces.extend(text.get(start..at));
                return pieces;
            }
            (None, ')') => depth -= 1,
            (None, _) if depth == 0 && at >= start => {
                let length = text.get(at..).map_or(0, &separator);
                if length > 0 {
                    pieces.extend(text.get(start..at));
                    start = at + length;
                }
            }
            _ => {}
        }
    }
    pieces.extend(text.get(start..));
    pieces
}

/// Whether a text is a bare name, or one in backquotes.
fn is_name(text: &str) -> bool {
    text.starts_with('`')
        || text.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// The column of `a = 77`.
fn column(comparison: &str) -> Option<String> {
    let column = comparison.split_once('=')?.0.trim();
    is_name(column).then(|| column.trim_matches('`').to_owned())
}

fn is_or_null(text: &str) -> bool {
    text.split(')').next().is_some_and(|text| text.ends_with(" or NULL"))
}

/// The row at which `Limit: 20 row(s)`, `Limit/Offset: 20/100 row(s)` or a sort stops.
fn limit(operation: &str) -> Option<u64> {
    let number = |text: &str| text.split(' ').next()?.parse::<u64>().ok();
    if let Some(rest) = operation.strip_prefix("Limit: ") {
        number(rest)
    } else if let Some(rest) = operation.strip_prefix("Limit/Offset: ") {
        let (count, offset) = rest.split(' ').next()?.split_once('/')?;
        count.parse::<u64>().ok()?.checked_add(offset.parse().ok()?)
    } else if operation.starts_with("Sort") {
        number(operation.rsplit_once(", limit input to ")?.1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operation says: access type, table, key, key parts, Extra, limit.
    #[track_caller]
    fn check(operation: &str, want: &str) {
        let mut node = Node::default();
        describe(&mut node, operation);
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let limit = node.limit.map_or(String::new(), |limit| limit.to_string());
        let got = [
            text(&node.access_type),
            text(&node.table),
            text(&node.key),
            node.used_key_parts.join(","),
            node.extra.join("; "),
            limit,
        ];
        assert_eq!(got.join("|"), want, "{operation}");
    }

    #[test]
    fn operations_say_how_a_table_is_read() {
        check("Table scan on t", "ALL|t||||");
        check("Table scan on <temporary>", "ALL|<temporary>||||");
        check("Index lookup on t using k (a = 1, b = x.c)", "ref|t|k|a,b||");
        check("Index lookup on t using k (a=1)", "ref|t|k|a||");
        check("Index lookup on t using k (a = 5 or NULL)", "ref_or_null|t|k|a||");
        check(
            "Index lookup on t using k (a = 'x, y = (') (reverse)",
            "ref|t|k|a|Backward index scan|",
        );
        check(
            "Single-row covering index lookup on `my t` using PRIMARY (id = o.id)",
            "eq_ref|my t|PRIMARY|id|Using index|",
        );
        check("Index lookup on d using <auto_key0> (id = p.id)", "ref|d|<auto_key0>|id||");
        check(
            "Index range scan on t using k over (a < 5), with index condition: (t.a < 5)",
            "range|t|k|a|Using index condition|",
        );
        check(
            "Covering index range scan on t using k over (a = 'x AND y = 1' AND NULL < `b c` < 22) OR (a = 'z')",
            "range|t|k|a,b c|Using index|",
        );
        check(
            "Index range scan on o (re-planned for each iteration)",
            "range|o|||Range checked for each record|",
        );
        check("Count rows in t", "|t||||");
    }

    #[test]
    fn operations_say_what_extra_says() {
        check("Sort: t.a DESC, limit input to 3 row(s) per chunk", "||||Using filesort|3");
        check("Limit: 20 row(s)", "|||||20");
        check("Limit/Offset: 20/100 row(s)", "|||||120");
        check("Filter: (t.a = 1)", "||||Using where|");
        check("Inner hash join (a.x = b.x)", "||||Using join buffer (hash join)|");
        check("Nested loop inner join", "|||||");
    }
}
