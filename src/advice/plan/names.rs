//! Which table of the schema a step of a plan reads.
//!
//! EXPLAIN prints the name that stands for a table in the statement. Where the statement is known
//! its aliases tell the table; a name that stands for two tables there is none.

use crate::plan::Plan;
use crate::schema::{Schema, Table};
use crate::sql::distill::TableName;
use crate::sql::glance::{self, Glance};

/// The names of a statement.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    schema: Option<&'a Schema>,
    /// What was seen of the statement; of none where it is not known.
    pub glance: Glance,
    /// Whether the statement is known.
    pub is_known: bool,
}

impl<'a> Names<'a> {
    /// The names of the statement of a plan: the one above it, or the one that the server prints
    /// below it as note 1003.
    #[must_use]
    pub fn of(plan: &Plan, schema: Option<&'a Schema>) -> Names<'a> {
        let rewritten = plan.notes.iter().find(|note| note.code == Some(1003));
        let text = plan.query.as_deref().or_else(|| rewritten.map(|note| note.message.as_str()));
        let glance = text.map(glance::statement).unwrap_or_default();
        // The server rewrites conditions, but a LIMIT stays.
        Names { schema, glance, is_known: text.is_some() }
    }

    /// The table of the statement that a name stands for.
    #[must_use]
    pub fn table_name(&self, name: &str) -> Option<&TableName> {
        let mut called = self.glance.sources.iter().filter(|source| source.is_called(name));
        let first = called.next()?;
        called.all(|other| other.table == first.table).then_some(&first.table)
    }

    /// The table of the schema that a name stands for.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&'a Table> {
        let schema = self.schema?;
        if self.glance.sources.iter().any(|source| source.is_called(name)) {
            let table = self.table_name(name)?;
            let db = table.database.as_deref().map(String::from_utf8_lossy);
            return schema.table(db.as_deref(), &String::from_utf8_lossy(&table.name));
        }
        schema.table(None, name)
    }

    /// A table by its full name, as far as it is known.
    #[must_use]
    pub fn full_name(&self, name: &str) -> String {
        if let Some(table) = self.table(name) {
            return table.full_name();
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match self.table_name(name) {
            Some(TableName { database: Some(db), name }) => format!("{}.{}", text(db), text(name)),
            Some(TableName { database: None, name }) => text(name),
            None => name.to_owned(),
        }
    }
}
