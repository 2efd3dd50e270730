//! Which table of the schema a step of a plan reads.
//!
//! EXPLAIN prints the name that stands for a table in the statement. Where the statement is known
//! its aliases tell the table; a name that stands for two tables there is none.

use std::collections::HashMap;

use crate::plan::Plan;
use crate::schema::{Schema, Table};
use crate::sql::distill::TableName;
use crate::sql::glance::{self, ColumnName, Comparison, Glance, Hidden, Mention, Source, Verb};

/// The names of a statement.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    schema: Option<&'a Schema>,
    /// What was seen of the statement; of none where it is not known.
    pub glance: Glance,
    /// Whether the statement is known.
    pub is_known: bool,
    /// The statement, where it is.
    pub text: Option<&'a str>,
    /// Places of its comparisons, mentions and hidden columns by the name of their table, in lower case.
    comparisons: HashMap<String, Vec<usize>>,
    mentions: HashMap<String, Vec<usize>>,
    hidden: HashMap<String, Vec<usize>>,
}

/// Tables of a statement among which the one of a column without a table is looked for.
const MOST_TABLES: usize = 64;

impl<'a> Names<'a> {
    /// The names of the statement of a plan: the one above it, or the one that the server prints
    /// below it as note 1003.
    #[must_use]
    pub fn of(plan: &'a Plan, schema: Option<&'a Schema>) -> Names<'a> {
        let rewritten = plan.notes.iter().find(|note| note.code == Some(1003));
        let text = plan.query.as_deref().or_else(|| rewritten.map(|note| note.message.as_str()));
        let glance = text.map(glance::statement).unwrap_or_default();
        let mut names = Names {
            schema,
            glance,
            is_known: text.is_some(),
            text,
            comparisons: HashMap::new(),
            mentions: HashMap::new(),
            hidden: HashMap::new(),
        };
        names.comparisons = names.by_table(names.glance.comparisons.iter().map(|it| &it.column));
        names.hidden = names.by_table(names.glance.hidden.iter().map(|it| &it.column));
        names.mentions = names.by_table(names.glance.mentions.iter().map(|it| &it.column));
        names
    }

    fn by_table<'c>(
        &self,
        columns: impl Iterator<Item = &'c ColumnName>,
    ) -> HashMap<String, Vec<usize>> {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, column) in columns.enumerate() {
            if let Some(table) = self.table_of(column) {
                places.entry(table.to_lowercase()).or_default().push(place);
            }
        }
        places
    }

    /// The name of the table that a column is of: the one before its dot, or the only one of the
    /// statement that can have it.
    fn table_of(&self, column: &ColumnName) -> Option<String> {
        if let Some(table) = &column.table {
            return Some(table.clone());
        }
        let sources = self.glance.sources.get(..).filter(|all| all.len() <= MOST_TABLES)?;
        // No condition is about the table that an INSERT or REPLACE fills.
        let is_filling = matches!(self.glance.verb, Verb::Insert | Verb::Replace);
        let mut may_have =
            sources.iter().skip(usize::from(is_filling)).map(Source::called).filter(|called| {
                self.table(called).is_none_or(|table| table.column(&column.name).is_some())
            });
        let first = may_have.next()?.into_owned();
        may_have.next().is_none().then_some(first)
    }

    /// Comparisons of columns of the table of this name.
    pub fn comparisons_of(&self, name: &str) -> impl Iterator<Item = &Comparison> {
        let places = self.comparisons.get(&name.to_lowercase()).into_iter().flatten();
        places.filter_map(|place| self.glance.comparisons.get(*place))
    }

    /// Columns of the table of this name in conditions.
    pub fn mentions_of(&self, name: &str) -> impl Iterator<Item = &Mention> {
        let places = self.mentions.get(&name.to_lowercase()).into_iter().flatten();
        places.filter_map(|place| self.glance.mentions.get(*place))
    }

    /// Comparisons that keep columns of the table of this name from an index.
    pub fn hidden_of(&self, name: &str) -> impl Iterator<Item = &Hidden> {
        let places = self.hidden.get(&name.to_lowercase()).into_iter().flatten();
        places.filter_map(|place| self.glance.hidden.get(*place))
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
