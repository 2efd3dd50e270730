//! Views: the names of their columns, and their SELECT.
//!
//! mysqldump writes each view twice: first something that stands in for it (a table, later a view
//! of constants), so that views may use each other, and at the end the view itself.
//!
//! ```text
//! /*!50001 CREATE VIEW `v` AS SELECT
//!  1 AS `id`,
//!  1 AS `name`*/;
//! ```

use crate::sql::definition::{Column, Cursor, Refusal};
use crate::sql::token::Kind;

use super::ddl::MOST_COLUMNS;
use super::reader::Reader;
use super::table::{Table, TableKind};

/// Makes a view of a table that stands in for one: the names of its columns are right, their
/// types are not.
pub(super) fn stand_in(table: &mut Table) {
    let columns = std::mem::take(&mut table.columns);
    *table = Table {
        db: table.db.take(),
        name: std::mem::take(&mut table.name),
        kind: TableKind::View,
        columns: columns.into_iter().map(|column| named(column.name)).collect(),
        is_defined: true,
        is_index_order_known: true,
        ..Table::default()
    };
}

fn named(name: String) -> Column {
    Column { name, is_nullable: true, ..Column::default() }
}

/// `[IF NOT EXISTS] name [(columns)] AS SELECT …`, from the name on.
pub(super) fn create_view(reader: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    let _ = cursor.words("IF NOT EXISTS");
    let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a view name"))?;
    let db = reader.db_of(db);
    let listed = cursor.parenthesized().map(column_list);
    if !cursor.word("AS") {
        return Err(cursor.refusal("AS"));
    }
    let own = listed.or_else(|| selected(*cursor));
    // Where the SELECT does not name its columns, what stood in for the view did.
    let before = reader.take_exact(db.as_deref(), &name);
    let before = before.or_else(|| reader.last_dropped(db.as_deref(), &name));
    let before = before.map(|table| table.columns.into_iter().map(|column| column.name).collect());
    let columns: Vec<String> = own.or(before).unwrap_or_default();
    let columns = columns.into_iter().take(MOST_COLUMNS).map(named).collect();
    let query = Some(cursor.source());
    let kind = TableKind::View;
    reader.schema.insert(Table {
        db,
        name,
        kind,
        columns,
        query,
        is_defined: true,
        is_index_order_known: true,
        ..Table::default()
    });
    Ok(())
}

fn column_list(mut list: Cursor<'_>) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(name) = list.name() {
        names.push(name);
        list.byte(b',');
    }
    names
}

/// The names of what is selected; `None` where one of them is not said (`*`, an expression
/// without AS).
fn selected(mut cursor: Cursor<'_>) -> Option<Vec<String>> {
    while cursor.byte(b'(') {}
    if !cursor.word("SELECT") {
        return None;
    }
    let _ = cursor.word("DISTINCT") || cursor.word("DISTINCTROW") || cursor.word("ALL");
    let mut names = Vec::new();
    loop {
        let (item, is_last) = item(&mut cursor);
        names.push(name_of(item)?);
        if is_last {
            return Some(names);
        }
    }
}

/// Takes one item of a list of SELECT, and whether it was the last.
fn item<'a>(cursor: &mut Cursor<'a>) -> (Cursor<'a>, bool) {
    let start = *cursor;
    loop {
        if cursor.is_empty() || cursor.is_byte(b')') || cursor.is_word("FROM") {
            return (start.up_to(cursor), true);
        }
        if cursor.is_byte(b',') {
            let item = start.up_to(cursor);
            cursor.take();
            return (item, false);
        }
        if cursor.parenthesized().is_none() {
            cursor.take();
        }
    }
}

fn name_of(mut item: Cursor<'_>) -> Option<String> {
    let mut last = item;
    let mut is_path = true;
    let mut behind_as = None;
    while let Some(token) = item.peek() {
        if item.is_word("AS") {
            let mut ahead = item;
            ahead.take();
            behind_as = Some(ahead);
        }
        is_path &=
            matches!(token.kind, Kind::Word | Kind::Name | Kind::Quoted) || item.is_byte(b'.');
        last = item;
        item.take();
    }
    match behind_as {
        Some(mut ahead) => {
            let name = ahead.name().or_else(|| ahead.string())?;
            ahead.is_empty().then_some(name)
        }
        // `t.a`; `a b` is an alias without AS.
        None if is_path => last.name(),
        None => None,
    }
}
