//! ALTER TABLE and RENAME TABLE, as dumps and migrations have them: phpMyAdmin writes all indexes
//! so, behind the rows.
//!
//! ```text
//! ALTER TABLE `t`
//!   ADD PRIMARY KEY (`id`),
//!   ADD KEY `k` (`a`);
//! ALTER TABLE `t`
//!   MODIFY `id` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;
//! ```

use crate::sql::definition::{
    ColumnElement, Cursor, IndexKind, PartOf, Place, Refusal, column, constraint, same_name,
};

use super::ddl::{MOST_COLUMNS, add_element};
use super::options::{CharsetOption, charset_of, charset_option, option};
use super::partition::partitions;
use super::reader::Reader;
use super::table::{Table, supports};

/// Reads ALTER TABLE from the table's name on.
pub(super) fn alter_table(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    text: &[u8],
) -> Result<(), Refusal> {
    let _ = cursor.words("IF EXISTS");
    let refusal = cursor.refusal("a table that was created above");
    let (db, name) = cursor.qualified().ok_or_else(|| refusal.clone())?;
    let db = reader.db_of(db);
    let key = match reader.schema.key_of(db.as_deref(), &name) {
        Some(key) => key,
        // A dump of rows alone switches the keys of tables that it does not define.
        None if cursor.words("DISABLE KEYS") || cursor.words("ENABLE KEYS") => return Ok(()),
        None => return Err(refusal),
    };
    // Out of the schema while it changes, for its name may change too.
    let mut table = reader.schema.tables.remove(&key).ok_or(refusal)?;
    let mut refusals = Vec::new();
    while !cursor.is_empty() {
        // Partitions have commas of their own and end the statement.
        if cursor.words("PARTITION BY") {
            match partitions(cursor, &mut refusals) {
                Ok(partitions) => table.partitions = Some(partitions),
                Err(refusal) => refusals.push(refusal),
            }
            break;
        }
        let mut one = cursor.until(b',');
        if let Err(refusal) = action(reader, &mut table, &mut one, &mut refusals) {
            refusals.push(refusal);
        } else if !one.is_empty() {
            refusals.push(one.refusal("`,` or `;`"));
        }
    }
    table.name_indexes();
    reader.schema.insert(table);
    reader.refuse_all(text, refusals);
    Ok(())
}

/// Reads RENAME TABLE from the first name on.
pub(super) fn rename_tables(
    reader: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<(), Refusal> {
    loop {
        let refusal = cursor.refusal("a table that was created above");
        let (db, name) = cursor.qualified().ok_or_else(|| refusal.clone())?;
        let db = reader.db_of(db);
        if !cursor.word("TO") {
            return Err(cursor.refusal("TO"));
        }
        let (new_db, new_name) = cursor.qualified().ok_or_else(|| cursor.refusal("a new name"))?;
        let new_db = reader.db_of(new_db);
        let mut table = reader.schema.remove(db.as_deref(), &name).ok_or(refusal)?;
        (table.db, table.name) = (new_db, new_name);
        reader.schema.insert(table);
        if !cursor.byte(b',') {
            return Ok(());
        }
    }
}

/// One change of a table.
fn action(
    reader: &Reader<'_>,
    table: &mut Table,
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<(), Refusal> {
    if cursor.word("ADD") {
        return add(reader, table, cursor, refusals);
    }
    if cursor.word("MODIFY") {
        cursor.word("COLUMN");
        let _ = cursor.words("IF EXISTS");
        let refusal = cursor.refusal("a column of the table");
        let element = column(cursor, refusals)?;
        let name = element.column.name.clone();
        return change(reader, table, &name, element).ok_or(refusal);
    }
    if cursor.word("CHANGE") {
        cursor.word("COLUMN");
        let _ = cursor.words("IF EXISTS");
        let refusal = cursor.refusal("a column of the table");
        let old = cursor.name().ok_or_else(|| refusal.clone())?;
        let element = column(cursor, refusals)?;
        rename_column(table, &old, &element.column.name);
        let name = element.column.name.clone();
        return change(reader, table, &name, element).ok_or(refusal);
    }
    if cursor.word("DROP") {
        return drop_part(table, cursor);
    }
    if cursor.word("RENAME") {
        return rename(reader, table, cursor);
    }
    if cursor.words("ALTER INDEX") || cursor.words("ALTER KEY") {
        return alter_index(table, cursor);
    }
    if cursor.words("CONVERT TO") {
        return convert(table, cursor);
    }
    if is_passed(cursor) || option_list(cursor, table) {
        return Ok(());
    }
    Err(cursor.refusal("a change that we follow"))
}

/// `CHARACTER SET x COLLATE y ENGINE = z`: options need no comma between them.
fn option_list(cursor: &mut Cursor<'_>, table: &mut Table) -> bool {
    let mut any = false;
    while !cursor.is_empty() && option(cursor, table) {
        any = true;
    }
    any
}

/// Changes that leave what we keep of a table as it is.
fn is_passed(cursor: &mut Cursor<'_>) -> bool {
    const PASSED: [&str; 20] = [
        "DISABLE KEYS",
        "ENABLE KEYS",
        "FORCE",
        "ALGORITHM",
        "LOCK",
        "ORDER BY",
        "WITH VALIDATION",
        "WITHOUT VALIDATION",
        "ANALYZE",
        "CHECK PARTITION",
        "OPTIMIZE PARTITION",
        "REBUILD PARTITION",
        "REPAIR PARTITION",
        "TRUNCATE PARTITION",
        "DISCARD",
        "IMPORT",
        "ALTER COLUMN",
        "ALTER",
        "NOWAIT",
        "WAIT",
    ];
    let is_passed = PASSED.iter().any(|words| cursor.words(words));
    if is_passed {
        while cursor.take().is_some() {}
    }
    is_passed
}

fn add(
    reader: &Reader<'_>,
    table: &mut Table,
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<(), Refusal> {
    if cursor.is_word("PARTITION") || cursor.is_word("SYSTEM") || cursor.is_word("PERIOD") {
        return Err(cursor.refusal("a change that we follow"));
    }
    let full = cursor.refusal("fewer indexes");
    if let Some(element) = constraint(cursor, refusals)? {
        return if add_element(table, element) { Ok(()) } else { Err(full) };
    }
    cursor.word("COLUMN");
    let _ = cursor.words("IF NOT EXISTS");
    // `ADD (a int, b int)`
    if let Some(list) = cursor.parenthesized() {
        for mut one in list.items(b',') {
            add_column(reader, table, &mut one, refusals)?;
        }
        return Ok(());
    }
    add_column(reader, table, cursor, refusals)
}

fn add_column(
    reader: &Reader<'_>,
    table: &mut Table,
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<(), Refusal> {
    let refusal = cursor.refusal("a column of another name");
    let element = column(cursor, refusals)?;
    if table.columns.len() >= MOST_COLUMNS || table.column(&element.column.name).is_some() {
        return Err(refusal);
    }
    let place = element.place.clone();
    reader.add_column(table, element);
    move_column(table, table.columns.len() - 1, place);
    Ok(())
}

/// Puts a column where FIRST or AFTER says.
fn move_column(table: &mut Table, from: usize, place: Option<Place>) {
    let to = match place {
        None => return,
        Some(Place::First) => 0,
        Some(Place::After(name)) => {
            let column = table.columns.iter().position(|it| same_name(&it.name, &name));
            match column {
                Some(at) if at < from => at + 1,
                Some(at) => at,
                None => return,
            }
        }
    };
    let column = table.columns.remove(from);
    table.columns.insert(to.min(table.columns.len()), column);
}

/// Gives a column a new definition; `None` where there is no such column.
fn change(
    reader: &Reader<'_>,
    table: &mut Table,
    name: &str,
    element: ColumnElement,
) -> Option<()> {
    let at = table.columns.iter().position(|column| same_name(&column.name, name))?;
    reader.add_constraints(table, &element);
    table.columns[at] = element.column;
    move_column(table, at, element.place);
    Some(())
}

/// Renames a column, in the indexes and foreign keys too.
fn rename_column(table: &mut Table, old: &str, new: &str) {
    let rename = |name: &mut String| {
        if same_name(name, old) {
            new.clone_into(name);
        }
    };
    table.columns.iter_mut().for_each(|column| rename(&mut column.name));
    table.foreign_keys.iter_mut().flat_map(|key| &mut key.columns).for_each(rename);
    table.facts.columns.iter_mut().for_each(|facts| rename(&mut facts.column));
    for part in table.indexes.iter_mut().flat_map(|index| &mut index.parts) {
        if let PartOf::Column(name) = &mut part.on {
            rename(name);
        }
    }
}

fn drop_part(table: &mut Table, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    if cursor.words("PRIMARY KEY") {
        table.indexes.retain(|index| index.kind != IndexKind::Primary);
        return Ok(());
    }
    let kinds = ["FOREIGN KEY", "INDEX", "KEY", "CONSTRAINT", "CHECK", "COLUMN"];
    if cursor.is_word("PARTITION") || cursor.is_word("SYSTEM") || cursor.is_word("PERIOD") {
        return Err(cursor.refusal("a change that we follow"));
    }
    let kind = kinds.into_iter().find(|words| cursor.words(words)).unwrap_or("COLUMN");
    let _ = cursor.words("IF EXISTS");
    let name = cursor.name().ok_or_else(|| cursor.refusal("a name"))?;
    let is_it = |own: Option<&String>| own.is_some_and(|own| same_name(own, &name));
    if matches!(kind, "FOREIGN KEY" | "CONSTRAINT") {
        let dropped: Vec<Vec<String>> = table
            .foreign_keys
            .iter()
            .filter(|key| is_it(key.name.as_ref()))
            .map(|key| key.columns.clone())
            .collect();
        table.foreign_keys.retain(|key| !is_it(key.name.as_ref()));
        // The index that the server made for it stays.
        for index in table.indexes.iter_mut().filter(|index| index.is_implied) {
            index.is_implied = !dropped.iter().any(|columns| supports(index, columns));
        }
    }
    if matches!(kind, "CHECK" | "CONSTRAINT") {
        table.checks.retain(|check| !is_it(check.name.as_ref()));
    }
    if matches!(kind, "INDEX" | "KEY" | "CONSTRAINT") {
        table.indexes.retain(|index| !same_name(&index.name, &name));
    }
    if kind == "COLUMN" {
        let _ = cursor.word("CASCADE") || cursor.word("RESTRICT");
        drop_column(table, &name);
    }
    Ok(())
}

/// A column takes its parts of indexes with it, and indexes that have no other part.
fn drop_column(table: &mut Table, name: &str) {
    table.columns.retain(|column| !same_name(&column.name, name));
    table.facts.columns.retain(|facts| !same_name(&facts.column, name));
    for index in &mut table.indexes {
        index.parts.retain(|part| !part.is_column(name));
    }
    table.indexes.retain(|index| !index.parts.is_empty());
}

fn rename(reader: &Reader<'_>, table: &mut Table, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    let is_index = cursor.word("INDEX") || cursor.word("KEY");
    if is_index || cursor.word("COLUMN") {
        let old = cursor.name().ok_or_else(|| cursor.refusal("a name"))?;
        if !cursor.word("TO") {
            return Err(cursor.refusal("TO"));
        }
        let new = cursor.name().ok_or_else(|| cursor.refusal("a new name"))?;
        if is_index {
            let index = table.indexes.iter_mut().find(|index| same_name(&index.name, &old));
            index.into_iter().for_each(|index| index.name.clone_from(&new));
        } else {
            rename_column(table, &old, &new);
        }
        return Ok(());
    }
    let _ = cursor.word("TO") || cursor.word("AS") || cursor.byte(b'=');
    let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a new name"))?;
    (table.db, table.name) = (reader.db_of(db), name);
    Ok(())
}

fn alter_index(table: &mut Table, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    let _ = cursor.words("IF EXISTS");
    let refusal = cursor.refusal("an index of the table");
    let name = cursor.name().ok_or_else(|| refusal.clone())?;
    let is_visible = if cursor.word("VISIBLE") || cursor.words("NOT IGNORED") {
        true
    } else if cursor.word("INVISIBLE") || cursor.word("IGNORED") {
        false
    } else {
        return Err(cursor.refusal("VISIBLE, INVISIBLE or IGNORED"));
    };
    let index = table.indexes.iter_mut().find(|index| same_name(&index.name, &name));
    index.ok_or(refusal)?.is_visible = is_visible;
    Ok(())
}

/// Every column of text gets the character set.
fn convert(table: &mut Table, cursor: &mut Cursor<'_>) -> Result<(), Refusal> {
    let refusal = cursor.refusal("CHARACTER SET");
    let Some(CharsetOption::Charset(charset)) = charset_option(cursor) else {
        return Err(refusal);
    };
    let collation = match charset_option(cursor) {
        Some(CharsetOption::Collation(collation)) => Some(collation),
        _ => None,
    };
    let of_collation = collation.as_deref().and_then(charset_of);
    for column in &mut table.columns {
        (column.charset, column.collation) = (None, None);
    }
    table.charset = of_collation.or(Some(charset));
    table.collation = collation;
    Ok(())
}
