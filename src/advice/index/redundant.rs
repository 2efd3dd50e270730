//! IDX007 to IDX009: indexes that another one makes needless. IDX013 and IDX014: primary keys.

use std::collections::BTreeSet;

use crate::advice::{
    Action, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal, Recommendation,
    Severity, Subject,
};
use crate::plan::Amount;
use crate::schema::prefix::{Redundancy, Redundant, redundant};
use crate::schema::{Index, Schema, Table, TableKind, TypeName};

use super::catalogue;
use super::limit::{quoted, quoted_table};
use super::verdict::Judge;

/// Findings about the indexes that are there. Those that a new index takes the place of are told
/// of with it.
pub(super) fn findings(
    schema: &Schema,
    replaced: &BTreeSet<(String, String)>,
    hinted: &BTreeSet<String>,
    judge: &Judge<'_, '_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in schema.tables().filter(|table| table.kind == TableKind::Base) {
        for it in redundant(table) {
            let is_replaced = |index: &Index| {
                replaced.contains(&(table.full_name().to_lowercase(), index.name.to_lowercase()))
            };
            let is_hinted = hinted.contains(&it.index.name.to_lowercase());
            if is_replaced(it.index) || is_replaced(it.by) {
                continue;
            }
            found.push(of_index(table, &it, is_hinted, judge));
        }
        found.extend(without_primary_key(table));
        found.extend(wide_primary_key(table));
    }
    found
}

fn proposal(table: &Table, index: &Index) -> IndexProposal {
    let column = |part: &crate::schema::Part| IndexColumn {
        name: match &part.on {
            crate::schema::PartOf::Column(name) => name.clone(),
            crate::schema::PartOf::Expression(text) => format!("({text})"),
        },
        length: part.prefix.map(u64::from),
        is_descending: part.is_descending,
    };
    IndexProposal {
        table: table.full_name(),
        name: Some(index.name.clone()),
        columns: index.parts.iter().map(column).collect(),
    }
}

fn of_index(table: &Table, it: &Redundant<'_>, is_hinted: bool, judge: &Judge<'_, '_>) -> Finding {
    let (index, by) = (it.index, it.by);
    let name = table.full_name();
    let mut evidence = vec![
        Fact::text("index", format!("{} ({})", index.name, proposal(table, index).listed())),
        Fact::text("served_by", format!("{} ({})", by.name, proposal(table, by).listed())),
    ];
    let supports = table
        .foreign_keys
        .iter()
        .filter(|key| crate::schema::prefix::supports(index, &key.columns));
    let keys: Vec<String> =
        supports.map(|key| key.name.clone().unwrap_or_else(|| key.columns.join(", "))).collect();
    if !keys.is_empty() && !it.is_needed_by_foreign_key {
        let told = format!("{} is still served by {}", keys.join(", "), by.name);
        evidence.push(Fact::text("foreign_key", told));
    }
    let is_kept = it.is_needed_by_foreign_key || is_hinted;
    let (rule, title, severity) = match it.kind {
        Redundancy::Duplicate => (
            catalogue::duplicate_index::RULE.code,
            format!("{} of {name} has the same columns as {}", index.name, by.name),
            Severity::Medium,
        ),
        Redundancy::LeftPrefix => (
            catalogue::redundant_prefix::RULE.code,
            format!("{} of {name} is the beginning of {}", index.name, by.name),
            Severity::Medium,
        ),
        Redundancy::PrimarySuffix(parts) => {
            evidence.push(Fact::number("parts_appended_anyway", Amount::whole(parts as u64)));
            (
                catalogue::primary_key_suffix::RULE.code,
                format!("{} of {name} ends in the primary key, which InnoDB appends", index.name),
                Severity::Info,
            )
        }
    };
    let why = match (is_hinted, it.is_needed_by_foreign_key) {
        (true, _) => Some(format!(
            "A hint in the statements names {}: it stays until the hint is gone.",
            index.name
        )),
        (_, true) => Some(format!(
            "A foreign key needs {} and cannot use {}: it stays.",
            index.name, by.name
        )),
        _ => None,
    };
    let is_drop = !is_kept && !matches!(it.kind, Redundancy::PrimarySuffix(_));
    let text = match (&why, is_drop) {
        (Some(why), _) => why.clone(),
        (None, true) => format!(
            "Drop {}: {} finds all that it finds, and every write pays for both. Where the server \
             can hide an index (MySQL 8.0 INVISIBLE, MariaDB 10.6 IGNORED), hide it for a day \
             first.",
            index.name, by.name
        ),
        (None, false) => format!(
            "{} could be written without its last columns; nothing is gained but a tidier \
             definition. Servers before MySQL 5.6.9 do not search what is appended.",
            index.name
        ),
    };
    let on = quoted_table(table.db.as_deref(), &table.name);
    let sql = match is_drop {
        true => vec![format!("ALTER TABLE {on} DROP INDEX {}", quoted(&index.name))],
        false => Vec::new(),
    };
    let undo = match is_drop {
        true => vec![definition(table, index)],
        false => Vec::new(),
    };
    Finding {
        rule,
        category: Category::Index,
        severity: if is_kept { Severity::Info } else { severity },
        confidence: Confidence::High,
        title,
        subject: Subject { table: Some(name), ..Subject::default() },
        evidence,
        recommendation: Recommendation {
            action: if is_drop { Action::Drop } else { Action::None },
            text,
            index: Some(proposal(table, index)),
            replaces: None,
            variables: Vec::new(),
            sql,
            undo,
        },
        benefit: None,
        verify: format!("SHOW INDEX FROM {on}"),
        queries: judge.classes_of(table),
    }
}

/// The statement that makes an index again.
fn definition(table: &Table, index: &Index) -> String {
    use crate::schema::IndexKind;
    let kind = match index.kind {
        IndexKind::Unique => "UNIQUE INDEX",
        IndexKind::FullText => "FULLTEXT INDEX",
        IndexKind::Spatial => "SPATIAL INDEX",
        _ => "INDEX",
    };
    let part = |part: &crate::schema::Part| match &part.on {
        crate::schema::PartOf::Column(name) => {
            let length = part.prefix.map_or(String::new(), |it| format!("({it})"));
            let direction = if part.is_descending { " DESC" } else { "" };
            format!("{}{length}{direction}", quoted(name))
        }
        crate::schema::PartOf::Expression(text) => format!("({text})"),
    };
    let parts: Vec<String> = index.parts.iter().map(part).collect();
    format!(
        "ALTER TABLE {} ADD {kind} {} ({})",
        quoted_table(table.db.as_deref(), &table.name),
        quoted(&index.name),
        parts.join(", ")
    )
}

fn without_primary_key(table: &Table) -> Option<Finding> {
    let is_small = table.facts.rows.is_some_and(|rows| rows < 1_000);
    if !table.is_innodb() || !table.is_defined || table.primary_key().is_some() || is_small {
        return None;
    }
    let name = table.full_name();
    let mut evidence = Vec::new();
    let unique = table.clustering_key();
    if let Some(index) = unique {
        evidence.push(Fact::text(
            "clustered_by",
            format!("{} ({})", index.name, proposal(table, index).listed()),
        ));
    }
    evidence.extend(table.facts.rows.map(|rows| Fact::number("table_rows", Amount::whole(rows))));
    Some(Finding {
        rule: catalogue::no_primary_key::RULE.code,
        category: Category::Schema,
        severity: if unique.is_some() { Severity::Low } else { Severity::High },
        confidence: Confidence::High,
        title: format!("{name} has no primary key"),
        subject: Subject { table: Some(name), ..Subject::default() },
        evidence,
        recommendation: Recommendation {
            action: Action::Rewrite,
            text: "Add a primary key. Without one InnoDB keeps the rows by a hidden counter of 6 \
                   bytes that no statement can search and all such tables share, and a replica \
                   that applies rows scans the table for each of them."
                .to_owned(),
            ..Recommendation::default()
        },
        benefit: None,
        verify: format!("SHOW CREATE TABLE {}", quoted_table(table.db.as_deref(), &table.name)),
        queries: Vec::new(),
    })
}

fn wide_primary_key(table: &Table) -> Option<Finding> {
    const WIDE: f64 = 16.0;
    let primary = table.primary_key().filter(|_| table.is_innodb())?;
    if table.facts.rows.is_some_and(|rows| rows < 100_000) {
        return None;
    }
    let secondary = table.indexes.iter().filter(|index| index.name != primary.name).count();
    let width = |column: &crate::schema::Column| {
        let Some(data_type) = &column.data_type else { return 8.0 };
        let length = f64::from(data_type.length.unwrap_or(1));
        match data_type.name {
            TypeName::Char | TypeName::Binary => length,
            TypeName::VarChar | TypeName::VarBinary => length / 2.0,
            _ => 8.0_f64.min(length.max(4.0)),
        }
    };
    let columns = primary.parts.iter().filter_map(|part| table.column(part.column_name()?));
    let bytes: f64 = columns.map(width).sum();
    if bytes <= WIDE || secondary < 3 {
        return None;
    }
    let name = table.full_name();
    Some(Finding {
        rule: catalogue::wide_primary_key::RULE.code,
        category: Category::Schema,
        severity: Severity::Low,
        confidence: Confidence::Medium,
        title: format!("The primary key of {name} is wide and stands in {secondary} indexes"),
        subject: Subject { table: Some(name), ..Subject::default() },
        evidence: vec![
            Fact::text("primary_key", proposal(table, primary).listed()),
            Fact::number("bytes_about", Amount::whole(bytes as u64)),
            Fact::number("secondary_indexes", Amount::whole(secondary as u64)),
        ],
        recommendation: Recommendation {
            action: Action::None,
            text: "Each secondary index holds the primary key of each of its rows. A number as \
                   primary key, with a UNIQUE index on the present columns, makes all of them \
                   smaller; a UUID takes 16 bytes as BINARY(16) and fills pages in order if its \
                   time stands first."
                .to_owned(),
            ..Recommendation::default()
        },
        benefit: None,
        verify: format!("SHOW TABLE STATUS LIKE '{}'", table.name.replace('\'', "''")),
        queries: Vec::new(),
    })
}
