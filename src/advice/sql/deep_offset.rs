//! Rows are read and passed over to reach a page far behind.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::schema::{Index, Table};
use crate::sql::shape::{Block, Clause as In, Condition, ItemKind, Limit, SourceOf, Why};

use super::bare::{keyset, row_by_row};
use super::statement::{At, Statement, recommend};
use super::words::{Clause, Clauses, Edits, Words, quoted};

rule! {
    /// A page far behind is reached by reading and passing over all rows before it.
    ///
    /// **Costs.** OFFSET 50000 reads 50,000 rows and drops them, each time a page is turned. A
    /// comparison of rows, (a, b) > (1, 2), is no way out: it is no range, and reads from the start.
    /// **Wrong when.** The page is near (OFFSET below 1,000), what is paged is a small grouped result,
    /// or the table is dumped by pages once.
    /// **Verify.** EXPLAIN the rewritten statement: access type range, rows about LIMIT. Jumps to a page
    /// by its number need the deferred join, which passes over entries of an index instead of rows.
    /// **Source.** MySQL manual, LIMIT query optimization, row constructor expressions.
    ///
    /// ```sql schema
    /// CREATE TABLE posts (id int PRIMARY KEY, thread int NOT NULL, made datetime NOT NULL, body text, KEY ix_made (made));
    /// ```
    /// ```sql finding
    /// SELECT id, body FROM posts ORDER BY id LIMIT 10 OFFSET 50000;
    /// ```
    /// ```sql finding
    /// SELECT * FROM posts ORDER BY made DESC LIMIT 50000, 10;
    /// ```
    /// ```sql finding
    /// SELECT id FROM posts WHERE (made, id) > ('2026-02-01', 4711) ORDER BY made, id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT id, body FROM posts ORDER BY id LIMIT 10 OFFSET 90;
    /// ```
    /// ```sql clean
    /// SELECT id, body FROM posts WHERE id > 50000 ORDER BY id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT id FROM posts WHERE (made > '2026-02-01' OR (made = '2026-02-01' AND id > 4711)) ORDER BY made, id LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT id FROM posts WHERE (thread, id) = (5, 6) OR (thread, id) IN ((7, 8), (9, 10));
    /// ```
    /// ```sql clean
    /// SELECT thread, COUNT(*) FROM posts GROUP BY thread ORDER BY 2 LIMIT 10 OFFSET 2000;
    /// ```
    Sql "SQL004" "deep-offset"
}

/// Rows passed over from which on it is told.
const MIN_OFFSET: u64 = 1_000;
/// The same where what is paged is made first: grouped, distinct, derived.
const MIN_OFFSET_OF_MADE: u64 = 10_000;

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let deep = statement.blocks().find_map(|(at, block)| {
        let limit = block.limit.filter(|limit| is_deep(statement, block, *limit))?;
        Some((at, block, limit))
    });
    let finding = match deep {
        Some((at, block, limit)) if is_read(statement, limit) => {
            Some(of_offset(statement, at, block, limit))
        }
        _ => of_rows(statement),
    };
    finding.into_iter().collect()
}

fn is_deep(statement: &Statement<'_>, block: &Block, limit: Limit) -> bool {
    // A view stands nowhere in the text, and is read as the table behind it.
    let is_in_text =
        |place: &usize| statement.block(*place).is_some_and(|block| !block.span.is_empty());
    let is_made = !block.group.is_empty()
        || block.is_distinct
        || block.sources.iter().any(|source| match &source.of {
            SourceOf::Table(_) => false,
            SourceOf::Derived(blocks) | SourceOf::Common(blocks) => blocks.iter().any(is_in_text),
            SourceOf::Other => true,
        });
    let least = if is_made { MIN_OFFSET_OF_MADE } else { MIN_OFFSET };
    limit.offset.is_some_and(|offset| offset >= least)
}

/// Whether the log has it read so many rows, and more than once.
fn is_read(statement: &Statement<'_>, limit: Limit) -> bool {
    let load = &statement.class.load;
    let most = load.rows_examined.map(|it| it.most);
    let is_once = load.rows_sent.is_some() && statement.class.calls <= 1 && !statement.is_review;
    !is_once && most.is_none_or(|most| most >= Amount::whole(limit.offset.unwrap_or(0)))
}

fn of_offset(statement: &Statement<'_>, at: usize, block: &Block, limit: Limit) -> Finding {
    let offset = limit.offset.unwrap_or(0);
    let title = format!(
        "{} rows are read and passed over before the first one is given",
        Amount::whole(offset).grouped()
    );
    let is_measured = statement.class.load.rows_examined.is_some();
    let confidence = if is_measured { Confidence::High } else { Confidence::Medium };
    let source = (at, 0);
    let span = Clauses::of(statement.text, &block.span)
        .and_then(|clauses| clauses.span(Clause::Limit))
        .unwrap_or(block.span.clone());
    let severity = Severity::Medium;
    let mut finding = match block.sources.as_slice() {
        [_] => statement.of_source(&RULE, source, severity, confidence, &title, &[&span]),
        _ => statement.finding(&RULE, severity, confidence, &title, &[&span]),
    };
    finding.evidence.push(Fact::number("offset", Amount::whole(offset)));
    finding.evidence.extend(limit.rows.map(|it| Fact::number("limit", Amount::whole(it))));
    let is_simple = statement.is_alone(block)
        && block.sources.len() == 1
        && block.group.is_empty()
        && !block.is_distinct
        && !block.has_window
        // What is tested or counted behind the page would see the page alone.
        && !block.conditions.iter().any(|it| it.clause == In::Having)
        && !block.items.iter().any(|it| {
            matches!(it.kind, ItemKind::Aggregate { .. } | ItemKind::OfAggregates)
        })
        && !statement.shape.is_locking
        && !statement.shape.counts_found_rows;
    let by_keys = || behind_last(statement, source, block, limit);
    let joined = || deferred(statement, source, block);
    if let Some(sql) = is_simple.then(by_keys).flatten() {
        let text = "Page by the values of the last row: each `?` stands for its value in the last row of the page before, and \
            the first page is asked for without that condition. The order has no ties, so the rows behind that row are \
            just those that OFFSET would leave.";
        recommend(&mut finding, text.to_owned(), Some(sql));
    } else if let Some(sql) = is_simple.then(joined).flatten() {
        let text = "Find the page by its primary keys first, and read its rows then: the inner SELECT passes over entries of an \
            index that holds the condition and the order, and only the rows of the page are read whole. Each key is one row, \
            so the join gives the same rows; those that the order does not tell apart come as they happen to, now as before. An order without ties also allows paging by the values of the last row.";
        recommend(&mut finding, text.to_owned(), Some(sql));
    } else {
        let text = "Page by the values of the last row: ORDER BY columns that are unique together, and ask for what is behind \
            the last row seen: `a > ? OR (a = ? AND b > ?)`. Else find the page by its primary keys in a subquery and join \
            the rows to it.";
        recommend(&mut finding, text.to_owned(), None);
    }
    finding.verify = "EXPLAIN the rewritten statement, and compare Rows_examined: about as many as rows are sent, or read by \
        index alone."
        .to_owned();
    finding
}

/// The page behind the last row of the page before.
fn behind_last(statement: &Statement<'_>, at: At, block: &Block, limit: Limit) -> Option<String> {
    let table = statement.table(at)?;
    let rows = limit.rows?;
    let mut columns: Vec<(&str, &str, &str)> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for key in &block.order {
        let column = key.column.as_ref().filter(|column| column.of == Some(at))?;
        let is_nullable = table.column(&column.name)?.is_nullable;
        let is_selected = block.items.iter().any(|item| match &item.kind {
            ItemKind::Star(_) => true,
            ItemKind::Column(own) => own == column && item.alias.is_none(),
            _ => false,
        });
        if is_nullable || !is_selected {
            return None;
        }
        let words = Words::of(statement.text, &key.span)?;
        let written = words.column(&column.name)?;
        columns.push((words.text(&written), if key.is_descending { "<" } else { ">" }, "?"));
        names.push(&column.name);
        if is_unique(table, &names) {
            break;
        }
    }
    if !is_unique(table, &names) {
        return None;
    }
    let clauses = Clauses::of(statement.text, &block.span)?;
    let mut edits = Edits::default();
    clauses.demand(&keyset(&columns)?, &mut edits)?;
    edits.replace(clauses.span(Clause::Limit)?, format!("LIMIT {rows}"));
    statement.rewritten(&edits)
}

/// Whether no two rows agree on all of these columns.
fn is_unique(table: &Table, names: &[&str]) -> bool {
    let holds = |index: &Index| {
        index.is_unique()
            && index
                .parts
                .iter()
                .all(|part| part.prefix.is_none() && names.iter().any(|name| part.is_column(name)))
    };
    table.indexes.iter().any(holds)
}

/// The keys of the page in a subquery, and its rows joined to them.
fn deferred(statement: &Statement<'_>, at: At, block: &Block) -> Option<String> {
    let table = statement.table(at)?;
    let key = table.primary_key()?;
    let called = quoted(&statement.called(at)?);
    let names: Vec<&str> =
        key.parts.iter().map(|part| part.column_name()).collect::<Option<Vec<&str>>>()?;
    let source = block.sources.get(at.1)?;
    let reads_more = source.is_star
        || source.columns.iter().any(|own| !names.iter().any(|it| it.eq_ignore_ascii_case(own)));
    let inner_names: Vec<String> = names.iter().map(|name| format!("page_{name}")).collect();
    let is_taken = inner_names.iter().any(|name| table.column(name).is_some());
    // An alias or a position stands for nothing in the subquery.
    let is_plain = block.order.iter().all(|key| {
        let column = key.column.as_ref().filter(|column| column.of == Some(at));
        let words = Words::of(statement.text, &key.span);
        column.zip(words).is_some_and(|(column, words)| words.column(&column.name).is_some())
    });
    if !reads_more || is_taken || !is_plain || block.order.is_empty() {
        return None;
    }
    let clauses = Clauses::of(statement.text, &block.span)?;
    let from = clauses.text(Clause::From);
    let parts = |of: &dyn Fn(&str, &String) -> String, between: &str| {
        let all: Vec<String> =
            names.iter().zip(&inner_names).map(|(name, inner)| of(name, inner)).collect();
        all.join(between)
    };
    let selected =
        parts(&|name, inner| format!("{called}.{} AS {}", quoted(name), quoted(inner)), ", ");
    let joined = parts(
        &|name, inner| format!("page.{} = {called}.{}", quoted(inner), quoted(name)),
        " AND ",
    );
    let inner = [
        format!("SELECT {selected}"),
        from.to_owned(),
        clauses.text(Clause::Where).to_owned(),
        clauses.text(Clause::Order).to_owned(),
        clauses.text(Clause::Limit).to_owned(),
    ];
    let inner: Vec<String> = inner.into_iter().filter(|it| !it.is_empty()).collect();
    let mut edits = Edits::default();
    for item in block.items.iter().filter(|item| item.kind == ItemKind::Star(None)) {
        edits.replace(item.span.clone(), format!("{called}.*"));
    }
    edits.replace(
        clauses.span(Clause::From)?,
        format!("{from} JOIN ({}) AS page ON {joined}", inner.join(" ")),
    );
    if let Some(own) = clauses.span(Clause::Where) {
        edits.remove(own);
    }
    edits.remove(clauses.span(Clause::Limit)?);
    statement.rewritten(&edits)
}

/// A comparison of rows, which is no range.
fn of_rows(statement: &Statement<'_>) -> Option<Finding> {
    let met = statement.conditions();
    let found = met.iter().find_map(|met| match &met.conjunct.condition {
        Condition::Wrapped(wrapped) if wrapped.why == Why::Rows => Some(wrapped),
        _ => None,
    })?;
    let column = found.columns.first()?;
    let at = column.of.filter(|at| statement.is_table(*at));
    let index = at.and_then(|at| statement.index_for(at, &column.name));
    if at.is_some_and(|at| statement.table(at).is_some()) && index.is_none() {
        return None;
    }
    let title = format!(
        "Rows are compared, which is no range: {}",
        super::statement::in_title(statement.quote(&found.span))
    );
    let confidence = if index.is_some() { Confidence::High } else { Confidence::Low };
    let spans = [&found.span];
    let mut finding = match at {
        Some(at) => statement.of_source(&RULE, at, Severity::Medium, confidence, &title, &spans),
        None => statement.finding(&RULE, Severity::Medium, confidence, &title, &spans),
    };
    finding.subject.columns =
        found.columns.iter().map(|column| statement.column_name(column)).collect();
    finding.evidence.extend(index.map(|index| Fact::text("index", &index.name)));
    let bare = row_by_row(statement, found);
    let sql = bare.as_ref().and_then(|bare| {
        let mut edits = Edits::default();
        edits.replace(found.span.clone(), bare.condition.clone());
        statement.rewritten(&edits)
    });
    let reason = bare.map_or_else(
        || "Compare column by column: `a > ? OR (a = ? AND b > ?)`.".to_owned(),
        |bare| format!("Compare column by column. {}", bare.reason),
    );
    recommend(
        &mut finding,
        format!("{reason} The server makes a range of that, and none of a row."),
        sql,
    );
    finding.verify = "EXPLAIN the rewritten statement: access type range.".to_owned();
    Some(finding)
}
