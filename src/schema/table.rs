//! A table, and what follows from its definition: the order of its indexes, the parts they have
//! beyond those written, the character sets of its columns.

use std::collections::{HashMap, HashSet};

use crate::sql::definition::{
    Check, Column, DataType, ForeignKey, Index, IndexKind, Method, Part, PartOf, TypeName,
    same_name,
};

use super::charset::default_collation;
use super::facts::Facts;
use super::partition::Partitions;
use super::{Database, Server};

/// What a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableKind {
    /// A table that holds rows.
    #[default]
    Base,
    /// A table of one session.
    Temporary,
    /// A view: of its columns only the names are known from a dump.
    View,
}

/// A table or view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// Database, where the file tells it.
    pub db: Option<String>,
    /// Name as written, without quotes.
    pub name: String,
    /// What it is.
    pub kind: TableKind,
    /// Columns in order.
    pub columns: Vec<Column>,
    /// Indexes in the order of the server, see the head of the room.
    pub indexes: Vec<Index>,
    /// Foreign keys of which it is the child.
    pub foreign_keys: Vec<ForeignKey>,
    /// CHECK constraints, those of columns too.
    pub checks: Vec<Check>,
    /// How it is divided, if it is.
    pub partitions: Option<Partitions>,
    /// Engine as written.
    pub engine: Option<String>,
    /// Default character set of its columns, in lower case.
    pub charset: Option<String>,
    /// Default collation of its columns, in lower case.
    pub collation: Option<String>,
    /// Next value of its counter.
    pub auto_increment: Option<u64>,
    /// ROW_FORMAT, in upper case.
    pub row_format: Option<String>,
    /// COMMENT, where there is one.
    pub comment: Option<String>,
    /// SELECT of a view, as written.
    pub query: Option<String>,
    /// Bytes of its rows; with InnoDB of its clustered index.
    pub data_bytes: Option<u64>,
    /// Bytes of its secondary indexes.
    pub index_bytes: Option<u64>,
    /// How many rows and distinct values it has, as far as told.
    pub facts: Facts,
    /// A definition was read; else only prints that speak of it.
    pub is_defined: bool,
    /// Whether the order of `indexes` is that of the server: it is not where only a print told
    /// of them that is sorted by name.
    pub is_index_order_known: bool,
}

/// One part of an index, with what the length of a key depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart<'t> {
    /// Name of the column; none of an expression.
    pub column: Option<&'t str>,
    /// The expression, of a functional part.
    pub expression: Option<&'t str>,
    /// Type of the column, where it is known.
    pub data_type: Option<&'t DataType>,
    /// Character set of the column, where it has one and it is known.
    pub charset: Option<&'t str>,
    /// Whether it may be NULL; an expression always may.
    pub is_nullable: bool,
    /// Length of the prefix that is indexed; none where the whole column is.
    pub prefix: Option<u32>,
    /// DESC.
    pub is_descending: bool,
    /// Not written: InnoDB appends the parts of the clustering key to other indexes.
    pub is_hidden: bool,
}

impl Table {
    /// The column of this name, letter case aside.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| same_name(&column.name, name))
    }

    /// The index of this name, letter case aside.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| same_name(&index.name, name))
    }

    /// PRIMARY KEY.
    #[must_use]
    pub fn primary_key(&self) -> Option<&Index> {
        self.indexes.iter().find(|index| index.kind == IndexKind::Primary)
    }

    /// The index that InnoDB keeps the rows in: PRIMARY, or else the first UNIQUE one of whole
    /// columns that cannot be NULL. Without either it is hidden, and none is given.
    #[must_use]
    pub fn clustering_key(&self) -> Option<&Index> {
        self.primary_key().or_else(|| {
            let may_cluster = |index: &&Index| {
                index.kind == IndexKind::Unique
                    && index.parts.iter().all(|part| part.prefix.is_none())
                    && !self.is_index_nullable(index)
            };
            self.indexes.iter().find(may_cluster)
        })
    }

    /// Whether the engine is InnoDB. One that is not named is: it is the default since 5.5.
    #[must_use]
    pub fn is_innodb(&self) -> bool {
        self.kind != TableKind::View
            && self.engine.as_ref().is_none_or(|engine| engine.eq_ignore_ascii_case("InnoDB"))
    }

    /// How an index is kept, whatever its definition asks for: InnoDB and MyISAM have trees only,
    /// but for a UNIQUE one of MariaDB that is too long for a tree; MEMORY has hashes unless told
    /// otherwise. None of FULLTEXT and VECTOR.
    #[must_use]
    pub fn method(&self, index: &Index) -> Option<Method> {
        let engine = self.engine.as_deref().unwrap_or("InnoDB");
        match index.kind {
            IndexKind::FullText | IndexKind::Vector => None,
            IndexKind::Spatial => Some(Method::RTree),
            _ if ["MEMORY", "HEAP"].iter().any(|name| engine.eq_ignore_ascii_case(name)) => {
                Some(index.using.unwrap_or(Method::Hash))
            }
            _ if ["NDB", "NDBCLUSTER"].iter().any(|name| engine.eq_ignore_ascii_case(name)) => {
                Some(index.using.unwrap_or(Method::BTree))
            }
            IndexKind::Unique if index.using == Some(Method::Hash) && self.is_too_long(index) => {
                Some(Method::Hash)
            }
            _ => Some(Method::BTree),
        }
    }

    /// Whether a part of an index is too long for a tree of 16 KiB pages: TEXT without a prefix,
    /// or surely more than 3,072 bytes.
    fn is_too_long(&self, index: &Index) -> bool {
        index.parts.iter().filter(|part| part.prefix.is_none()).any(|part| {
            let column = part.column_name().and_then(|name| self.column(name));
            let Some(data_type) = column.and_then(|column| column.data_type.as_ref()) else {
                return false;
            };
            let is_wide = column.and_then(|it| self.charset_of(it)) == Some("utf8mb4");
            let most = if is_wide { 768 } else { 3_072 };
            data_type.is_large() || data_type.length.is_some_and(|length| length > most)
        })
    }

    /// The indexes that `index map` of an EXPLAIN names: bit 0 is the first. Empty where the
    /// order of the indexes is not known, or a bit is set that no index has.
    ///
    /// `0xC` on a table with PRIMARY, p, v, k3 is v and k3.
    #[must_use]
    pub fn indexes_of_map(&self, bits: u64) -> Vec<&Index> {
        let width = u64::BITS - bits.leading_zeros();
        if !self.is_index_order_known || width as usize > self.indexes.len() {
            return Vec::new();
        }
        let is_set = |(number, _): &(usize, &Index)| *number < 64 && bits >> number & 1 == 1;
        self.indexes.iter().enumerate().filter(is_set).map(|(_, index)| index).collect()
    }

    /// The parts of an index, those that InnoDB appends to one that is not UNIQUE included: a
    /// lookup may use them (MySQL 5.6.9, MariaDB 5.5 and later).
    #[must_use]
    pub fn key_parts<'t>(&'t self, index: &'t Index) -> Vec<KeyPart<'t>> {
        let mut parts: Vec<KeyPart<'t>> =
            index.parts.iter().map(|part| self.key_part(part, false)).collect();
        let clustering = self.clustering_key().filter(|clustering| {
            self.is_innodb() && index.kind == IndexKind::Plain && clustering.name != index.name
        });
        for part in clustering.map_or(&[][..], |clustering| &clustering.parts) {
            let is_there = |own: &Part| {
                own.prefix.is_none() && part.column_name().is_some_and(|name| own.is_column(name))
            };
            if !index.parts.iter().any(is_there) {
                parts.push(self.key_part(part, true));
            }
        }
        parts
    }

    fn key_part<'t>(&'t self, part: &'t Part, is_hidden: bool) -> KeyPart<'t> {
        let (name, expression) = match &part.on {
            PartOf::Column(name) => (Some(name.as_str()), None),
            PartOf::Expression(text) => (None, Some(text.as_str())),
        };
        let column = name.and_then(|name| self.column(name));
        KeyPart {
            column: name,
            expression,
            data_type: column.and_then(|column| column.data_type.as_ref()),
            charset: column.and_then(|column| self.charset_of(column)),
            is_nullable: column.is_none_or(|column| column.is_nullable),
            prefix: part.prefix,
            is_descending: part.is_descending,
            is_hidden,
        }
    }

    /// The character set of a column of text: its own, or the table's. None of other columns, or
    /// where neither is known.
    #[must_use]
    pub fn charset_of<'t>(&'t self, column: &'t Column) -> Option<&'t str> {
        column.data_type.as_ref().filter(|data_type| data_type.has_charset())?;
        column.charset.as_deref().or(self.charset.as_deref())
    }

    /// The collation of a column of text: its own, that of its own character set, or the table's.
    #[must_use]
    pub fn collation_of<'t>(&'t self, column: &'t Column) -> Option<&'t str> {
        column.data_type.as_ref().filter(|data_type| data_type.has_charset())?;
        match (&column.collation, &column.charset) {
            (Some(own), _) => Some(own),
            (None, Some(_)) => None,
            (None, None) => self.collation.as_deref(),
        }
    }

    /// `db.name`, or the name alone.
    #[must_use]
    pub fn full_name(&self) -> String {
        match &self.db {
            Some(db) => format!("{db}.{}", self.name),
            None => self.name.clone(),
        }
    }

    fn is_index_nullable(&self, index: &Index) -> bool {
        index.parts.iter().any(|part| {
            let column = part.column_name().and_then(|name| self.column(name));
            column.is_none_or(|column| column.is_nullable)
        })
    }

    /// Names the indexes that have none as the server does: after their first column, with `_2`,
    /// `_3` where that is taken.
    pub(super) fn name_indexes(&mut self) {
        if self.indexes.iter().all(|index| !index.name.is_empty()) {
            return;
        }
        let mut taken: HashSet<String> =
            self.indexes.iter().map(|index| index.name.to_lowercase()).collect();
        // How often a name was asked for, so that a thousand equal ones are not tried one by one.
        let mut tried: HashMap<String, u32> = HashMap::new();
        for index in self.indexes.iter_mut().filter(|index| index.name.is_empty()) {
            let base = match index.parts.first().map(|part| &part.on) {
                Some(PartOf::Column(name)) => name.clone(),
                _ => "functional_index".to_owned(),
            };
            // A column may be named like the primary key; its index may not.
            let folded = base.to_lowercase();
            let first = if folded == "primary" { 2 } else { 1 };
            let next = tried.entry(folded).or_insert(first);
            index.name = loop {
                let name = if *next == 1 { base.clone() } else { format!("{base}_{next}") };
                *next += 1;
                if taken.insert(name.to_lowercase()) {
                    break name;
                }
            };
        }
    }

    /// Fills in what follows once everything is read.
    pub(super) fn settle(&mut self, database: Option<&Database>, server: Option<&Server>) {
        if self.kind == TableKind::View {
            return;
        }
        self.settle_charsets(database, server);
        self.name_indexes();
        self.settle_parts();
        self.imply_indexes();
        // What SHOW INDEX printed of a table without a definition is in order already.
        if self.is_defined || !self.is_index_order_known {
            self.sort_indexes();
        }
    }

    fn settle_charsets(&mut self, database: Option<&Database>, server: Option<&Server>) {
        if self.charset.is_none() && self.is_defined {
            self.charset = database.and_then(|database| database.charset.clone());
            self.collation = database.and_then(|database| database.collation.clone());
        }
        let default = |charset: &str| default_collation(charset, server);
        if self.collation.is_none() {
            self.collation = self.charset.as_deref().and_then(default);
        }
        for column in &mut self.columns {
            match (column.collation.as_deref(), &self.charset) {
                (None, _) => column.collation = column.charset.as_deref().and_then(default),
                (Some("_bin"), Some(charset)) => column.collation = Some(format!("{charset}_bin")),
                _ => {}
            }
        }
    }

    /// Columns of the primary key cannot be NULL; a prefix as long as its column is none.
    fn settle_parts(&mut self) {
        let primary: HashSet<String> = self
            .primary_key()
            .map_or(&[][..], |index| &index.parts)
            .iter()
            .filter_map(|part| part.column_name().map(str::to_lowercase))
            .collect();
        let mut lengths: HashMap<String, u32> = HashMap::new();
        for column in &mut self.columns {
            let folded = column.name.to_lowercase();
            if primary.contains(&folded) {
                column.is_nullable = false;
            }
            if let Some(length) = column.data_type.as_ref().and_then(whole_length) {
                lengths.insert(folded, length);
            }
        }
        for part in self.indexes.iter_mut().flat_map(|index| &mut index.parts) {
            let PartOf::Column(name) = &part.on else { continue };
            if lengths.get(&name.to_lowercase()).is_some_and(|length| part.prefix >= Some(*length))
            {
                part.prefix = None;
            }
        }
    }

    /// InnoDB has an index for each foreign key: it makes one where none begins with its columns,
    /// and drops it once one does.
    fn imply_indexes(&mut self) {
        self.indexes.retain(|index| !index.is_implied);
        if !self.is_innodb() || !self.is_defined {
            return;
        }
        let mut implied: Vec<(usize, Index)> = Vec::new();
        for key in &self.foreign_keys {
            let mut there = self.indexes.iter().chain(implied.iter().map(|(_, index)| index));
            if there.any(|index| supports(index, &key.columns)) {
                continue;
            }
            let mut index = Index::new(IndexKind::Plain, key.name.clone().unwrap_or_default());
            index.parts = key.columns.iter().map(Part::column).collect();
            index.is_implied = true;
            // A shorter one made before serves no more.
            implied.retain(|(_, made)| !begins_with(&index, made));
            implied.push((key.indexes_before, index));
        }
        // The server makes each where its foreign key stands among the indexes.
        for (place, index) in implied.into_iter().rev() {
            self.indexes.insert(place.min(self.indexes.len()), index);
        }
        self.name_indexes();
    }

    /// Puts the indexes into the order of the server: `sort_keys` of its `sql_table.cc`.
    fn sort_indexes(&mut self) {
        let nullable: HashSet<String> = self
            .columns
            .iter()
            .filter(|column| column.is_nullable)
            .map(|column| column.name.to_lowercase())
            .collect();
        let rank = |index: &Index| {
            let may_be_null = index.parts.iter().any(|part| {
                part.column_name().is_none_or(|name| nullable.contains(&name.to_lowercase()))
            });
            let has_prefix = index.parts.iter().any(|part| part.prefix.is_some());
            match index.kind {
                IndexKind::Primary => (0, false, false),
                IndexKind::Unique => (1, may_be_null, has_prefix),
                IndexKind::FullText => (3, false, false),
                IndexKind::Plain | IndexKind::Spatial | IndexKind::Vector => (2, false, false),
            }
        };
        self.indexes.sort_by_cached_key(rank);
    }
}

/// Length of which a prefix is the whole column.
fn whole_length(data_type: &DataType) -> Option<u32> {
    let has_one = matches!(
        data_type.name,
        TypeName::Char | TypeName::VarChar | TypeName::Binary | TypeName::VarBinary
    );
    data_type.length.filter(|_| has_one)
}

/// Whether a foreign key over these columns can use the index: they are its first parts, in this
/// order, each whole.
#[must_use]
pub fn supports(index: &Index, columns: &[String]) -> bool {
    let is_tree = matches!(index.kind, IndexKind::Primary | IndexKind::Unique | IndexKind::Plain);
    let mut parts = index.parts.iter();
    is_tree
        && columns.iter().all(|column| {
            parts.next().is_some_and(|part| part.prefix.is_none() && part.is_column(column))
        })
}

fn begins_with(index: &Index, other: &Index) -> bool {
    let columns: Vec<String> =
        other.parts.iter().filter_map(|part| part.column_name().map(str::to_owned)).collect();
    supports(index, &columns)
}
