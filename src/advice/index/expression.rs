//! IDX018 and IDX019: expressions that could be indexed themselves, where the statement cannot be
//! written so that a plain index serves.

use crate::advice::{
    Action, Category, Confidence, Fact, Finding, Recommendation, Rule, Severity, Subject, Workload,
};
use crate::flavor::Family;
use crate::plan::Amount;
use crate::schema::{Schema, Server};
use crate::sql::shape::{Condition, Conjunct, Shape, Why, Wrapped};

use super::Analysed;
use super::catalogue;
use super::query::Cause;
use super::select::Weighed;
use super::tables::{Known, Tables};

/// Functions that a rule about statements takes off the column, or that a range replaces.
const WRITTEN_OTHERWISE: &[&str] = &[
    "DATE",
    "YEAR",
    "DATE_FORMAT",
    "LEFT",
    "SUBSTR",
    "SUBSTRING",
    "UNIX_TIMESTAMP",
    "TO_DAYS",
    "IFNULL",
    "COALESCE",
    "CAST",
    "CONVERT",
    "MONTH",
    "DAY",
    "HOUR",
    "LOWER",
    "UPPER",
    "LCASE",
    "UCASE",
];
/// Rows of a table, and rows read a call, from which on an index on an expression is worth a word.
const MANY: f64 = 1_000.0;

/// Findings on the expressions of all classes.
pub(super) fn findings(
    weighed: &[Weighed],
    analysed: &[Analysed<'_>],
    tables: &Tables<'_>,
    workload: &Workload<'_>,
    schema: Option<&Schema>,
) -> Vec<Finding> {
    let server = workload.server.as_ref().or_else(|| schema.and_then(Schema::server));
    let mut found = Vec::new();
    for class in weighed {
        let it = &analysed[class.class];
        let uses = class.query.blocks.iter().enumerate().flat_map(|(place, block)| {
            block.uses.iter().enumerate().map(move |(of, read)| ((place, of), read))
        });
        for (at, read) in uses {
            let Some(known) = read.table.map(|table| tables.get(table)) else { continue };
            let own = class.present.of_use.iter().filter(|(own, _)| *own == at);
            let reads: f64 = own.map(|(_, reads)| reads * class.scale).sum();
            if reads < MANY || known.rows.is_some_and(|rows| rows < MANY) {
                continue;
            }
            for hidden in &read.hidden {
                let (rule, why) = match &hidden.cause {
                    Cause::Written(why @ Why::Json) => (&catalogue::json_path::RULE, why),
                    Cause::Written(why @ Why::Function(name))
                        if !WRITTEN_OTHERWISE.contains(&name.as_str()) =>
                    {
                        (&catalogue::expression::RULE, why)
                    }
                    _ => continue,
                };
                let columns = hidden.columns.iter().filter_map(|it| known.columns.get(*it));
                let columns: Vec<&str> = columns.map(String::as_str).collect();
                let Some(written) = wrapped(&it.shape, why, &columns) else { continue };
                found.push(finding(rule, it, known, written, &columns, server, reads));
                break;
            }
        }
    }
    found
}

/// The comparison with such an expression of these columns.
fn wrapped<'s>(shape: &'s Shape, why: &Why, columns: &[&str]) -> Option<&'s Wrapped> {
    let mut open: Vec<&Conjunct> =
        shape.blocks.iter().flat_map(|block| &block.conditions).collect();
    while let Some(conjunct) = open.pop() {
        match &conjunct.condition {
            Condition::Wrapped(wrapped) => {
                let is_same = wrapped
                    .columns
                    .iter()
                    .all(|column| columns.iter().any(|own| own.eq_ignore_ascii_case(&column.name)));
                if wrapped.why == *why && is_same {
                    return Some(wrapped);
                }
            }
            Condition::Any(arms) => open.extend(arms.iter().flatten()),
            _ => {}
        }
    }
    None
}

fn finding(
    rule: &'static Rule,
    it: &Analysed<'_>,
    known: &Known<'_>,
    written: &Wrapped,
    columns: &[&str],
    server: Option<&Server>,
    reads: f64,
) -> Finding {
    let name = known.full_name();
    let fragment = it.text.get(written.span.clone()).unwrap_or_default();
    let generated = "a generated column with that expression, and an index on it (MySQL 5.7, \
                     MariaDB 10.2.3)";
    let functional = "an index on the expression itself (MySQL 8.0.13)";
    let how = match server.map(|server| (server.family, server.major)) {
        Some((Family::MariaDb, _)) => {
            format!("{generated}; before MariaDB 11.8 the statement must name the generated column")
        }
        Some((_, major)) if major >= 8 => functional.to_owned(),
        Some(_) => generated.to_owned(),
        None => format!("{functional}, or {generated}"),
    };
    Finding {
        rule: rule.code,
        category: Category::Index,
        severity: Severity::Low,
        confidence: if known.table.is_some() { Confidence::Medium } else { Confidence::Low },
        title: format!("{name}: `{fragment}` is tested on every row"),
        subject: Subject {
            query_id: Some(it.class.id),
            table: Some(name),
            columns: columns.iter().map(|column| format!("{}.{column}", known.name)).collect(),
            ..Subject::default()
        },
        evidence: vec![
            Fact::text("fragment", fragment),
            Fact::number("rows_read_now", Amount::whole(reads.round() as u64)),
        ],
        recommendation: Recommendation {
            action: Action::None,
            text: format!(
                "No plain index can be searched for it. What can: {how}. The type of the \
                 expression must be that of the value it is compared with."
            ),
            ..Recommendation::default()
        },
        benefit: None,
        verify: "EXPLAIN: key is the new index, access type ref or range".to_owned(),
        queries: vec![it.class.id],
    }
}
