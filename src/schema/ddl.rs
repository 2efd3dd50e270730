//! CREATE TABLE and CREATE INDEX: what a definition does to the schema.
//!
//! ```text
//! CREATE TABLE `t` (
//!   `id` int NOT NULL AUTO_INCREMENT,        cut at commas outside of parentheses;
//!   `x` int SHINY,                           an element that nobody understands costs itself
//!   PRIMARY KEY (`id`)
//! ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 /*!50500 PARTITION BY … */;
//! ```
//!
//! Elements are read by [`crate::sql::definition`], what stands behind them by `options`.

use std::collections::HashSet;

use crate::flavor::Family;
use crate::sql::definition::{
    ColumnElement, Cursor, Element, ForeignKey, Index, IndexKind, Part, Refusal, element, key,
};

use super::options::options;
use super::reader::Reader;
use super::table::{Table, TableKind};
use super::{Key, info_schema, view};

/// Most columns of a table, as many as a server allows.
pub(super) const MOST_COLUMNS: usize = 4_096;
/// Most indexes of a table, and most foreign keys; servers allow 64 or 128 indexes.
pub(super) const MOST_INDEXES: usize = 256;

impl Reader<'_> {
    /// What follows CREATE.
    pub fn create(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        is_in_comment: bool,
    ) -> Result<bool, Refusal> {
        const OTHERS: [&str; 14] = [
            "PROCEDURE",
            "FUNCTION",
            "TRIGGER",
            "EVENT",
            "USER",
            "ROLE",
            "SERVER",
            "SEQUENCE",
            "PACKAGE",
            "TABLESPACE",
            "LOGFILE",
            "RESOURCE",
            "LIBRARY",
            "CATALOG",
        ];
        let mut kind = TableKind::Base;
        let mut index = IndexKind::Plain;
        loop {
            if cursor.word("TABLE") {
                return self.create_table(cursor, text, kind, is_in_comment).map(|()| true);
            } else if cursor.word("VIEW") {
                return view::create_view(self, cursor).map(|()| true);
            } else if cursor.word("INDEX") || cursor.word("KEY") {
                return self.create_index(cursor, text, index).map(|()| true);
            } else if cursor.word("DATABASE") || cursor.word("SCHEMA") {
                return self.database(cursor).map(|()| true);
            } else if cursor.word("TEMPORARY") {
                kind = TableKind::Temporary;
            } else if cursor.word("UNIQUE") {
                index = IndexKind::Unique;
            } else if cursor.word("FULLTEXT") {
                index = IndexKind::FullText;
            } else if cursor.word("SPATIAL") {
                index = IndexKind::Spatial;
            } else if cursor.word("VECTOR") {
                index = IndexKind::Vector;
            } else if OTHERS.iter().any(|word| cursor.is_word(word)) || cursor.take().is_none() {
                // Words like OR REPLACE and DEFINER = … are passed one by one.
                return Ok(false);
            }
        }
    }

    fn create_table(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        kind: TableKind,
        is_in_comment: bool,
    ) -> Result<(), Refusal> {
        let if_not_exists = cursor.words("IF NOT EXISTS");
        let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a table name"))?;
        let db = self.db_of(db);
        let key = Key::of(db.as_deref(), &name);
        let mut table = Table { db: db.clone(), name, kind, ..Table::default() };
        table.is_defined = true;
        table.is_index_order_known = true;
        let mut refusals = Vec::new();
        if cursor.word("LIKE") {
            let refusal = cursor.refusal("a table that was created above");
            let (db, name) = cursor.qualified().ok_or_else(|| refusal.clone())?;
            self.like(&mut table, db, &name).ok_or(refusal)?;
        } else {
            if cursor.is_byte(b'(') && !begins_select(cursor) {
                self.elements(cursor, &mut table, &mut refusals);
            }
            options(cursor, &mut table, &mut refusals);
        }
        table.name_indexes();
        self.refuse_all(text, refusals);
        // mysqldump makes tables that stand in for views; their types mean nothing.
        if is_in_comment && text.starts_with(b"/*!50001") {
            view::stand_in(&mut table);
        }
        if if_not_exists && self.schema.tables.get(&key).is_some_and(|old| old.is_defined) {
            return Ok(());
        }
        // A print may have told of it before, maybe without its database.
        if let Some(old) = self.schema.take_undefined(db.as_deref(), &table.name) {
            info_schema::keep_counts(&mut table, &old);
            table.db = table.db.take().or(old.db);
        }
        self.keep_created(table);
        Ok(())
    }

    /// Columns and indexes of another table; its foreign keys are not copied.
    fn like(&self, table: &mut Table, db: Option<String>, name: &str) -> Option<()> {
        let db = self.db_of(db);
        let other = self.schema.table(db.as_deref(), name)?;
        table.columns.clone_from(&other.columns);
        table.indexes.clone_from(&other.indexes);
        table.indexes.retain(|index| !index.is_implied);
        for part in table.indexes.iter_mut().flat_map(|index| &mut index.parts) {
            part.cardinality = None;
        }
        table.checks.clone_from(&other.checks);
        table.partitions.clone_from(&other.partitions);
        table.engine.clone_from(&other.engine);
        table.charset.clone_from(&other.charset);
        table.collation.clone_from(&other.collation);
        table.row_format.clone_from(&other.row_format);
        table.comment.clone_from(&other.comment);
        Some(())
    }

    /// The list between the parentheses.
    fn elements(
        &mut self,
        cursor: &mut Cursor<'_>,
        table: &mut Table,
        refusals: &mut Vec<Refusal>,
    ) {
        let start = *cursor;
        let Some(list) = cursor.parenthesized() else { return };
        let consumed = start.rest().len() - cursor.rest().len();
        let has_end = consumed == list.rest().len() + 2;
        let mut names: HashSet<String> = HashSet::new();
        if list.is_empty() {
            refusals.push(list.refusal("a column"));
        }
        for mut one in list.items(b',') {
            let at = one;
            if one.is_empty() {
                refusals.push(one.refusal("a column or key"));
                continue;
            }
            match element(&mut one, refusals) {
                Ok(Element::Column(column)) => {
                    if names.insert(column.column.name.to_lowercase())
                        && table.columns.len() < MOST_COLUMNS
                    {
                        self.add_column(table, *column);
                    } else {
                        refusals.push(at.refusal("a column of another name"));
                    }
                }
                Ok(Element::Like(db, name)) => {
                    if self.like(table, db, &name).is_none() {
                        refusals.push(at.refusal("a table that was created above"));
                    }
                }
                Ok(other) => {
                    if !add_element(table, other) {
                        refusals.push(at.refusal("fewer indexes"));
                    }
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        if !has_end {
            refusals.push(cursor.refusal("`)`"));
        }
    }

    /// Adds a column with what it says of the table.
    pub fn add_column(&self, table: &mut Table, element: ColumnElement) {
        self.add_constraints(table, &element);
        table.columns.push(element.column);
    }

    /// Adds the keys and checks that stand in a column's definition.
    pub fn add_constraints(&self, table: &mut Table, element: &ColumnElement) {
        let name = &element.column.name;
        let mut add = |kind: IndexKind| {
            let mut index = Index::new(kind, String::new());
            index.parts.push(Part::column(name.clone()));
            add_index(table, index)
        };
        if element.is_primary {
            add(IndexKind::Primary);
        }
        if element.is_unique {
            add(IndexKind::Unique);
        }
        table.checks.extend(element.checks.iter().cloned());
        if let Some(key) = element.references.clone().filter(|_| self.heeds_references()) {
            add_foreign_key(table, key);
        }
    }

    /// REFERENCES in a column makes a foreign key in MariaDB and since MySQL 9.0; before, the
    /// server reads it and forgets it.
    fn heeds_references(&self) -> bool {
        self.schema.server.as_ref().is_some_and(|server| match server.family {
            Family::MariaDb => (server.major, server.minor) >= (10, 5),
            _ => server.major >= 9,
        })
    }

    /// `CREATE INDEX name [USING x] ON table (parts) …`, from the name on.
    fn create_index(
        &mut self,
        cursor: &mut Cursor<'_>,
        text: &[u8],
        kind: IndexKind,
    ) -> Result<(), Refusal> {
        let _ = cursor.words("IF NOT EXISTS");
        let name = cursor.name().ok_or_else(|| cursor.refusal("an index name"))?;
        while !cursor.is_word("ON") {
            if cursor.take().is_none() {
                return Err(cursor.refusal("ON"));
            }
        }
        cursor.word("ON");
        let mut ahead = *cursor;
        ahead.qualified();
        let mut refusals = Vec::new();
        let mut index = key(&mut ahead, kind, None, &mut refusals)?;
        index.name = name;
        let table = self.table_of(cursor)?;
        add_index(table, index);
        self.refuse_all(text, refusals);
        Ok(())
    }
}

/// Adds what is no column; false where there is no room for it.
pub(super) fn add_element(table: &mut Table, element: Element) -> bool {
    match element {
        Element::Key(index) => return add_index(table, index),
        Element::ForeignKey(key) => return add_foreign_key(table, key),
        Element::Check(check) => table.checks.push(check),
        Element::Column(_) | Element::Like(..) | Element::Period => {}
    }
    true
}

pub(super) fn add_index(table: &mut Table, index: Index) -> bool {
    let has_room = table.indexes.len() < MOST_INDEXES;
    if has_room {
        table.indexes.push(index);
    }
    has_room
}

fn add_foreign_key(table: &mut Table, mut key: ForeignKey) -> bool {
    let has_room = table.foreign_keys.len() < MOST_INDEXES;
    if has_room {
        key.indexes_before = table.indexes.len();
        table.foreign_keys.push(key);
    }
    has_room
}

/// `CREATE TABLE t (SELECT …)` has no elements.
fn begins_select(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    while ahead.byte(b'(') {}
    ahead.is_word("SELECT") || ahead.is_word("WITH")
}
