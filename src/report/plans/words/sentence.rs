//! The sentence for a step: what the server does, how often, and what is left.

use super::super::figures::{count, percent, rows};
use super::super::steps::{Row, Stop};
use super::super::wrap::one_line;
use super::measured::measured;
use super::teller::Teller;
use super::weigh::{is_checked, is_target, is_temporary};
use super::{access, operation};
use crate::plan::access as meanings;
use crate::plan::{Amount, Node, Work};

impl Teller<'_, '_> {
    /// How a table is read, how often, and what is left.
    pub(super) fn reading(&self, row: &Row<'_>, node: &Node, work: Work) -> String {
        let kind = if is_temporary(node) { "the temporary table " } else { "" };
        let table = node.table.as_deref().map_or("no table".to_owned(), one_line);
        let table = format!("{kind}{table}");
        if is_target(node) {
            return format!("Puts rows into {table}.");
        }
        let name = node.access_type.as_deref().unwrap_or_default();
        let Some(found) = meanings::look_up(name) else {
            return format!(
                "Reads {table} by access type {}, which is unknown to adagio{}.",
                one_line(name),
                about(node.rows),
            );
        };
        if node.operation.as_deref().is_some_and(|step| step.starts_with("Multi-range")) {
            let key = node.key.as_deref().map_or("an index".to_owned(), one_line);
            let often = self.runs(node, work);
            let rows = about(node.rows);
            let measured = measured(node, row);
            return format!(
                "Looks up many values of the index {key} of {table} in one go{rows}.{often}{measured}"
            );
        }
        if is_checked(node) {
            return self.checked(&table, row, node, work);
        }
        let said = access::look_up(found.access.name);
        let doing = said.map_or("Reads {table}", |words| words.doing);
        let mut text = operation::fill(doing, &[("table", &table)]);
        if let Some(key) = &node.key {
            let by = said.map_or("by", |words| words.by);
            let key = one_line(key);
            text.push_str(&match by {
                // Columns by which a table of INFORMATION_SCHEMA is looked up.
                "" => format!(" ({key})"),
                by => format!(" {by} {key}"),
            });
        }
        text = text.trim_end_matches([',', ':']).to_owned();
        let is_words = found.access.name == "fulltext";
        text.push_str(&about(node.rows.filter(|_| !is_single(node) && !is_words)));
        text.push_str(match row.stop {
            _ if is_single(node) => "",
            Stop::Never => "",
            Stop::Limit(_) => ", unless the LIMIT is reached before",
            Stop::Match => ", up to the first one that fits",
        });
        text.push('.');
        if is_words && node.rows == Some(Amount::ONE) {
            // `best_access_path` of both servers sets it, whatever the words are.
            text.push_str(" The server says 1 row of every such search: that is no estimate.");
        }
        text.push_str(&self.runs(node, work));
        let is_one = matches!(found.access.name, "system" | "const" | "fulltext");
        let filtered = node.filtered.filter(|filtered| !is_one && *filtered < Amount::whole(100));
        if let Some(filtered) = filtered {
            let left = node.rows.filter(|_| work.read.is_some()).map(|_| {
                let read = work.read.unwrap_or_default();
                format!(", {} of {}", count(read.percent(filtered)), count(read))
            });
            let left = left.unwrap_or_default();
            text.push_str(&format!(" Conditions keep an estimated {}{left}.", percent(filtered)));
        }
        text.push_str(&measured(node, row));
        text
    }

    /// A table whose index is chosen anew for each row: what is told are bounds.
    fn checked(&self, table: &str, row: &Row<'_>, node: &Node, work: Work) -> String {
        let most = node.rows.map_or(String::new(), |most| format!(", up to about {}", rows(most)));
        let all = match (work.runs, work.read) {
            (Some(runs), Some(read)) if runs > Amount::ONE => {
                format!(
                    " For {} of the steps before, that is up to {} in all.",
                    rows(runs),
                    rows(read)
                )
            }
            _ => String::new(),
        };
        let measured = measured(node, row);
        format!(
            "Tries for each row of the steps before which index has a narrow range of {table}, \
             and reads it from one end to the other if none has{most}.{all}{measured}"
        )
    }

    /// How often a step is run, where that is not once.
    fn runs(&self, node: &Node, work: Work) -> String {
        let Some(runs) = work.runs else { return String::new() };
        let is_buffered = node.says("Using join buffer") && work.before.is_some();
        let all = match work.read {
            Some(read) if !is_single(node) => format!(", {} in all", rows(read)),
            _ => String::new(),
        };
        match often(runs) {
            _ if is_buffered && node.says("Using join buffer (hash join)") => {
                " Read once, for all rows of the steps before.".to_owned()
            }
            _ if is_buffered && runs == Amount::ONE => {
                " Read once for each filling of the join buffer.".to_owned()
            }
            Some(often) if runs > Amount::ONE => format!("{often}{all}."),
            Some(often) => format!("{often}."),
            None => String::new(),
        }
    }

    /// An operation that reads no table itself.
    pub(super) fn operation(
        &self,
        row: &Row<'_>,
        node: &Node,
        operation: &str,
        work: Work,
    ) -> String {
        let step = |node: Option<&Node>| {
            let number = node.and_then(|node| self.steps.number(node));
            number.map_or("another step".to_owned(), |number| format!("step {number}"))
        };
        let (first, second) = (step(node.children.first()), step(node.children.get(1)));
        let shown = self.cut(operation);
        let mut text = match operation::sentence(&shown, &first, &second) {
            Some(sentence) => sentence,
            None => format!("{shown}: unknown to adagio"),
        };
        if let Some(sorted) = work.sorted {
            text.push_str(&format!("; an estimated {} are sorted", rows(sorted)));
        } else if let Some(left) = node.rows {
            let each = if work.runs.is_some_and(|runs| runs > Amount::ONE) { " a run" } else { "" };
            text.push_str(&format!("; an estimated {} out{each}", rows(left)));
        }
        text.push('.');
        if let Some(often) = work.runs.and_then(often) {
            text.push_str(&format!("{often}."));
        }
        text.push_str(&measured(node, row));
        text
    }

    /// A line without an access type: Extra says why nothing is read.
    pub(super) fn line(&self, node: &Node) -> String {
        match (&node.table, node.extra.is_empty()) {
            (Some(table), _) => {
                format!("{}: how it is read is not told{}.", one_line(table), about(node.rows))
            }
            (None, false) => "No table is named here; the server says why.".to_owned(),
            (None, true) => "Nothing is told of this step.".to_owned(),
        }
    }
}

/// How often a step is run by the estimate, where that is not once; without a full stop.
fn often(runs: Amount) -> Option<String> {
    match runs.rounded() {
        _ if runs == Amount::ZERO => Some(
            " By the estimate it is never run, for no row comes from the steps before".to_owned(),
        ),
        Amount::ZERO => Some(" By the estimate it is seldom run at all".to_owned()),
        Amount::ONE => None,
        _ => Some(format!(" Run an estimated {} times", count(runs))),
    }
}

/// `: about 80,000 rows`.
fn about(amount: Option<Amount>) -> String {
    amount.map_or(String::new(), |amount| format!(": about {}", rows(amount)))
}

/// ` over 80,000 rows`.
pub fn over(amount: Option<Amount>) -> String {
    amount.map_or(String::new(), |amount| format!(" over {}", rows(amount)))
}

/// Whether an access finds one row at most.
fn is_single(node: &Node) -> bool {
    let access = node.access_type.as_deref().unwrap_or_default();
    ["system", "const", "eq_ref", "unique_subquery"].contains(&access)
}
