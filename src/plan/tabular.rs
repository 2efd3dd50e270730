//! The rows of plain EXPLAIN, and of ANALYZE on MariaDB.
//!
//! ```text
//! id | select_type | table | type | possible_keys | key | key_len | ref | rows | filtered | Extra
//! ```
//!
//! Each line is a node. EXTENDED adds `filtered`, PARTITIONS adds `partitions`, ANALYZE adds
//! `r_rows` and `r_filtered`; columns may stand in any order.

use super::blocks::{self, Role};
use super::find::Places;
use super::{Actual, Amount, Format, Node, Plan, RowidFilter};
use crate::flavor::Family;
use crate::rowset::{Row, RowSet};

/// Whether the columns are those of a plan.
pub fn is_plan(columns: &[String]) -> bool {
    let has = |name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
    has("select_type") && (has("id") || has("table"))
}

/// Columns that every server prints since 4.1.
const COLUMNS: &[&str] = &[
    "id",
    "select_type",
    "table",
    "type",
    "possible_keys",
    "key",
    "key_len",
    "ref",
    "rows",
    "Extra",
];

/// Columns without which it is not known what a plan does: Extra has the join buffer, by which a
/// table is read once or for each row.
const NEEDED: &[&str] = &["table", "type", "rows", "Extra"];

/// Reads the plan; values that cannot be read are told to `places` and are absent.
pub fn read(set: &RowSet, places: &mut Places<'_>) -> Plan {
    let nodes: Vec<Node> = set
        .rows
        .iter()
        .filter(|row| is_line(set, row))
        .map(|row| Line { set, row }.node(places))
        .collect();
    let is_missing = |name: &&str| set.column(name).is_none();
    let lacks = NEEDED.iter().any(is_missing);
    let missing = COLUMNS.iter().copied().filter(|name| lacks && is_missing(name)).collect();
    let mut plan = Plan {
        format: Format::Table,
        flavor: flavor(set, &nodes),
        line: set.line + 1,
        blocks: blocks::of_lines(&nodes),
        nodes,
        is_cut: lacks || set.cut.is_some(),
        missing,
        ..Plan::default()
    };
    loops_of_first_tables(&mut plan);
    plan
}

/// A number or NULL where the number of the SELECT stands: batch mode prints other rows the same.
fn is_line(set: &RowSet, row: &Row) -> bool {
    let id = set.column("id").and_then(|place| row.cells.get(place));
    id.and_then(|id| id.as_deref()).is_none_or(|id| id.parse::<u64>().is_ok())
}

struct Line<'a> {
    set: &'a RowSet,
    row: &'a Row,
}

impl Line<'_> {
    fn text(&self, column: &str) -> Option<String> {
        self.set.cell(self.row, column).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn amount(&self, column: &str, places: &mut Places<'_>) -> Option<Amount> {
        let text = self.text(column)?;
        // `160.00 (1%)`: r_rows with the rowid filter's share.
        let number = text.strip_suffix("%)").and_then(|text| text.split_once(" ("));
        let amount = Amount::parse(number.map_or(text.as_str(), |(number, _)| number));
        if amount.is_none() {
            places.unread(self.row.line, &format!("a number for {column}"), &text);
        }
        amount
    }

    fn node(&self, places: &mut Places<'_>) -> Node {
        let rows = self.text("rows");
        let (rows, percent) = match rows.as_deref().and_then(|rows| rows.split_once(" (")) {
            // `10 (5%)`: the rowid filter lets 5 % through.
            Some((rows, percent)) => {
                (Some(rows.to_owned()), percent.strip_suffix("%)").and_then(Amount::parse))
            }
            None => (rows, None),
        };
        let amount = rows.as_deref().and_then(Amount::parse);
        if let (Some(text), None) = (&rows, amount) {
            places.unread(self.row.line, "a number for rows", text);
        }
        let access_type = self.text("type");
        let is_filtered = access_type.as_deref().is_some_and(|access| access.ends_with("|filter"));
        let access_type = access_type.map(|access| access.trim_end_matches("|filter").to_owned());
        let (key, filter) = parted(self.text("key"), is_filtered);
        let (key_len, filter_len) = parted(self.text("key_len"), is_filtered);
        let rowid_filter = filter.map(|key| RowidFilter {
            key: Some(key),
            key_len: filter_len,
            rows: None,
            percent,
        });
        let extra = self.text("Extra").unwrap_or_default();
        Node {
            line: self.row.line + 1,
            id: self.text("id").and_then(|id| id.parse().ok()),
            select_type: self.text("select_type"),
            table: self.text("table"),
            partitions: self.text("partitions"),
            access_type,
            possible_keys: self.text("possible_keys"),
            key,
            key_len,
            reference: self.text("ref"),
            rows: amount,
            filtered: self.amount("filtered", places),
            extra: facts(&extra),
            rowid_filter,
            actual: self.actual(places),
            ..Node::default()
        }
    }

    /// `r_rows` is of one run on average; how many runs there were is not printed.
    fn actual(&self, places: &mut Places<'_>) -> Option<Actual> {
        let rows_per_loop = self.amount("r_rows", places);
        let filtered = self.amount("r_filtered", places);
        (rows_per_loop.is_some() || filtered.is_some()).then_some(Actual {
            rows_per_loop,
            filtered,
            ..Actual::default()
        })
    }
}

/// `ix_customer|ix_created` is an index and the one that filters.
fn parted(text: Option<String>, is_filtered: bool) -> (Option<String>, Option<String>) {
    match text.as_deref().filter(|_| is_filtered).and_then(|text| text.split_once('|')) {
        Some((first, second)) => (Some(first.to_owned()), Some(second.to_owned())),
        None => (text, None),
    }
}

/// The facts of Extra, which `; ` parts.
fn facts(extra: &str) -> Vec<String> {
    extra.split("; ").map(str::trim).filter(|fact| !fact.is_empty()).map(str::to_owned).collect()
}

/// The server, by what only one of them prints.
fn flavor(set: &RowSet, nodes: &[Node]) -> Family {
    let has = |name: &str| set.column(name).is_some();
    let is_maria = |node: &Node| {
        let select_type = node.select_type.as_deref().unwrap_or_default();
        let access_type = node.access_type.as_deref().unwrap_or_default();
        node.rowid_filter.is_some()
            || select_type == "UNIT RESULT"
            || select_type.starts_with("LATERAL")
            || select_type.starts_with("RECURSIVE")
            || access_type.starts_with("hash_")
            || node
                .extra
                .iter()
                .any(|fact| fact.contains("(flat, BN") || fact.contains("(flat, BK"))
            || node.says("Rowid-ordered scan")
            || node.says("Key-ordered")
    };
    if has("r_rows") || has("r_filtered") || nodes.iter().any(is_maria) {
        Family::MariaDb
    } else if has("partitions") && has("filtered") {
        // Both without being asked for: MySQL since 5.7.
        Family::MySql
    } else {
        Family::Unknown
    }
}

/// The first table of a SELECT that runs once is read once.
fn loops_of_first_tables(plan: &mut Plan) {
    for block in &plan.blocks {
        let once = block.role == Role::Main
            || matches!(block.role, Role::Derived | Role::Materialized) && !block.is_dependent;
        for place in block.nodes.iter().take(usize::from(once)) {
            if let Some(actual) = plan.nodes.get_mut(*place).and_then(|node| node.actual.as_mut()) {
                actual.loops = Some(Amount::ONE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_extra_are_parted() {
        let check = |text: &str, want: &[&str]| assert_eq!(facts(text), want, "{text}");
        check("Using where; Using filesort", &["Using where", "Using filesort"]);
        check("Using join buffer (flat, BNL join)", &["Using join buffer (flat, BNL join)"]);
        check("", &[]);
    }
}
