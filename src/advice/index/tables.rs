//! What is known of the tables of a workload: rows, distinct values, the indexes they have.

use std::collections::HashMap;

use crate::schema::{Column, DataType, Schema, Table, TableKind, TypeName};
use crate::sql::distill::TableName;
use crate::sql::shape::Catalog;

/// A column of a table, by its place in [`Known::columns`].
pub(super) type ColumnAt = usize;

/// The tables that a workload reads, by number.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    schema: Option<&'a Schema>,
    list: Vec<Known<'a>>,
    by_name: HashMap<(Option<String>, String), usize>,
}

/// A table.
#[derive(Debug)]
pub(super) struct Known<'a> {
    /// Its definition.
    pub table: Option<&'a Table>,
    /// Its database, where it is known.
    pub db: Option<String>,
    /// Its name without the database.
    pub name: String,
    /// How many rows it has.
    pub rows: Option<f64>,
    /// Somebody counted them, or the server did; else they were seen in the log or in a plan.
    pub are_rows_told: bool,
    /// The names of its columns, as far as anything names them.
    pub columns: Vec<String>,
    by_column: HashMap<String, ColumnAt>,
    /// The indexes that it has and that the server may search.
    pub keys: Vec<Key>,
}

/// An index that can be searched: one that is there or one that is thought of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// Its parts, those that InnoDB appends included.
    pub parts: Vec<Part>,
    /// How many of them are written.
    pub written: usize,
    /// No two rows agree on the written ones.
    pub is_unique: bool,
    /// The rows themselves are kept in it.
    pub is_clustering: bool,
    /// Its place in the definition, if it is there.
    pub place: Option<usize>,
}

/// A part of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Part {
    /// The column; none of an expression.
    pub column: Option<ColumnAt>,
    /// Greatest first.
    pub is_descending: bool,
    /// Only the first so many characters.
    pub length: Option<u32>,
}

impl Part {
    /// A whole column, in the direction given.
    pub fn of(column: ColumnAt, is_descending: bool) -> Part {
        Part { column: Some(column), is_descending, length: None }
    }
}

impl<'a> Tables<'a> {
    pub fn new(schema: Option<&'a Schema>) -> Tables<'a> {
        Tables { schema, ..Tables::default() }
    }

    /// The number of a table; none of a view, and of the server's own.
    pub fn of(&mut self, name: &TableName, database: Option<&str>) -> Option<usize> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let db = name.database.as_deref().map(text).or_else(|| database.map(str::to_owned));
        let own = text(&name.name);
        if db.as_deref().is_some_and(is_of_server) {
            return None;
        }
        let table = self.schema.and_then(|schema| schema.table(db.as_deref(), &own));
        if table.is_some_and(|table| table.kind == TableKind::View) {
            return None;
        }
        let (db, own) = match table {
            Some(table) => (table.db.clone().or(db), table.name.clone()),
            None => (db, own),
        };
        // A table that the schema tells without its database is one, whoever names it.
        let shown = table.map_or(db.clone(), |table| table.db.clone());
        let key = (shown.clone().map(|db| db.to_lowercase()), own.to_lowercase());
        if let Some(number) = self.by_name.get(&key) {
            return Some(*number);
        }
        let number = self.list.len();
        self.by_name.insert(key, number);
        self.list.push(Known::new(table, shown, own));
        Some(number)
    }

    /// The table of this number.
    pub fn get(&self, number: usize) -> &Known<'a> {
        // Numbers are given by `of` alone.
        &self.list[number]
    }

    pub fn get_mut(&mut self, number: usize) -> &mut Known<'a> {
        &mut self.list[number]
    }
}

impl<'a> Known<'a> {
    fn new(table: Option<&'a Table>, db: Option<String>, name: String) -> Known<'a> {
        let rows = table.and_then(|table| table.facts.rows);
        // The next value of a counter is at least the number of rows that were ever inserted.
        let counted =
            table.and_then(|table| table.auto_increment).map(|next| next.saturating_sub(1));
        let mut known = Known {
            table,
            db,
            name,
            rows: rows.or(counted).map(|rows| rows as f64),
            are_rows_told: rows.is_some(),
            columns: Vec::new(),
            by_column: HashMap::new(),
            keys: Vec::new(),
        };
        let Some(table) = table else { return known };
        for column in &table.columns {
            known.column(&column.name);
        }
        let clustering = table.clustering_key().map(|index| index.name.as_str());
        for (place, index) in table.indexes.iter().enumerate() {
            let is_tree = table.method(index) == Some(crate::schema::Method::BTree);
            if !index.is_visible || !is_tree {
                continue;
            }
            let parts: Vec<Part> = table
                .key_parts(index)
                .iter()
                .map(|part| Part {
                    column: part.column.map(|name| known.column(name)),
                    is_descending: part.is_descending,
                    length: part.prefix,
                })
                .collect();
            known.keys.push(Key {
                parts,
                written: index.parts.len(),
                is_unique: index.is_unique(),
                is_clustering: table.is_innodb() && clustering == Some(index.name.as_str()),
                place: Some(place),
            });
        }
        known
    }

    /// The number of a column; a name that nothing named before gets one.
    pub fn column(&mut self, name: &str) -> ColumnAt {
        let folded = name.to_lowercase();
        if let Some(at) = self.by_column.get(&folded) {
            return *at;
        }
        let at = self.columns.len();
        self.by_column.insert(folded, at);
        self.columns.push(name.to_owned());
        at
    }

    /// The definition of a column.
    pub fn definition(&self, column: ColumnAt) -> Option<&'a Column> {
        self.table.and_then(|table| table.column(self.columns.get(column)?))
    }

    /// The type of a column.
    pub fn data_type(&self, column: ColumnAt) -> Option<&'a DataType> {
        self.definition(column).and_then(|column| column.data_type.as_ref())
    }

    /// `db.name`, as far as it is known.
    pub fn full_name(&self) -> String {
        match &self.db {
            Some(db) => format!("{db}.{}", self.name),
            None => self.name.clone(),
        }
    }

    /// The parts that InnoDB appends to an index of these columns.
    pub fn appended(&self, columns: &[Part]) -> Vec<Part> {
        let clustering = self.keys.iter().find(|key| key.is_clustering);
        let parts = clustering.map_or(&[][..], |key| &key.parts[..key.written]);
        let is_there = |part: &Part| {
            columns.iter().any(|own| own.column == part.column && own.length.is_none())
        };
        parts.iter().filter(|part| !is_there(part)).copied().collect()
    }

    /// Bytes that a column takes in a row or an index: of strings half of what they may have.
    /// Without a type, those of a number.
    pub fn bytes(&self, column: ColumnAt) -> f64 {
        let Some(data_type) = self.data_type(column) else { return 8.0 };
        width(data_type)
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> f64 {
        (0..self.columns.len()).map(|column| self.bytes(column)).sum::<f64>().max(8.0)
    }
}

/// Databases whose tables belong to the server.
fn is_of_server(db: &str) -> bool {
    const OWN: [&str; 4] = ["mysql", "information_schema", "performance_schema", "sys"];
    OWN.iter().any(|own| own.eq_ignore_ascii_case(db))
}

/// Bytes of a value, on the average.
fn width(data_type: &DataType) -> f64 {
    use TypeName as T;
    let length = f64::from(data_type.length.unwrap_or(1));
    match data_type.name {
        T::TinyInt | T::Year | T::Enum | T::Bit => 1.0,
        T::SmallInt => 2.0,
        T::MediumInt | T::Date | T::Time => 3.0,
        T::Int | T::Float | T::Timestamp | T::Inet4 => 4.0,
        T::DateTime => 5.0,
        T::BigInt | T::Double | T::Set => 8.0,
        T::Decimal => (length / 2.0).ceil().max(1.0),
        // Codes of a fixed length fill it.
        T::Char | T::Binary => length,
        T::VarChar | T::VarBinary => (length / 2.0).max(1.0),
        T::Uuid | T::Inet6 => 16.0,
        _ => 1_000.0,
    }
}

/// The schema as a catalog of one database.
pub(in crate::advice) struct Names<'a> {
    pub schema: Option<&'a Schema>,
    pub database: Option<&'a str>,
}

impl Names<'_> {
    fn table(&self, name: &TableName) -> Option<&Table> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let db = name.database.as_deref().map(text).or_else(|| self.database.map(str::to_owned));
        self.schema?.table(db.as_deref(), &text(&name.name))
    }
}

impl Catalog for Names<'_> {
    fn columns(&self, table: &TableName) -> Option<Vec<&str>> {
        let table = self.table(table).filter(|table| !table.columns.is_empty())?;
        let shown = table.columns.iter().filter(|column| !column.is_invisible);
        Some(shown.map(|column| column.name.as_str()).collect())
    }

    fn view(&self, table: &TableName) -> Option<&str> {
        self.table(table).filter(|table| table.kind == TableKind::View)?.query.as_deref()
    }
}
