//! Rows of SHOW INDEX, SHOW TABLE STATUS and of information_schema's STATISTICS, COLUMNS and
//! TABLES, whatever print they came in.
//!
//! ```text
//! TABLE_NAME  INDEX_NAME  NON_UNIQUE  SEQ_IN_INDEX  COLUMN_NAME  CARDINALITY  SUB_PART
//! orders      ix_cust     1           1             customer_id  7914         NULL
//! ```
//!
//! Which print it is, the names of its columns tell; their order and letter case do not count.
//! Where a definition is known the rows add counts to it, else they make up a table of their own.

use crate::sql::definition::{
    Column, Cursor, DefaultValue, Generated, Index, IndexKind, Live, Method, Part, PartOf,
    charset_of_collation, column, same_name,
};
use crate::sql::token::Token;

use super::Schema;
use super::ddl::{MOST_COLUMNS, add_index};
use super::table::{Table, TableKind};

/// What is wrong with a row, and its number.
type Problems = Vec<(usize, String)>;

/// A print by the columns that it has at least, and its reader.
const PRINTS: &[(&[&str], Reader)] = &[
    (&["table", "key_name", "seq_in_index"], indexes),
    (&["table_name", "index_name", "seq_in_index"], indexes),
    (&["table_name", "column_name", "column_type"], columns),
    (&["table_name", "column_name", "data_type"], columns),
    (&["table_name", "engine"], tables),
    (&["table_name", "table_rows"], tables),
    (&["name", "engine", "rows"], tables),
];

type Reader = fn(&mut Schema, Option<&str>, &Rows<'_>) -> Problems;

/// Adds the rows of a print to a schema.
pub(super) fn add(
    schema: &mut Schema,
    db: Option<&str>,
    columns: &[String],
    rows: &[Vec<Option<String>>],
) -> Problems {
    let rows = Rows { columns, rows };
    let known = PRINTS.iter().find(|(names, _)| names.iter().all(|name| rows.has(name)));
    match known {
        Some((_, read)) => read(schema, db, &rows),
        None => vec![(0, UNKNOWN.to_owned())],
    }
}

const UNKNOWN: &str = "a print of SHOW CREATE TABLE, SHOW INDEX, SHOW TABLE STATUS, or of COLUMNS, \
                       STATISTICS or TABLES of information_schema expected";

/// Takes over what prints told of a table before its definition came.
pub(super) fn keep_counts(table: &mut Table, old: &Table) {
    table.facts.clone_from(&old.facts);
    table.data_bytes = old.data_bytes;
    table.index_bytes = old.index_bytes;
    for index in &mut table.indexes {
        let Some(known) = old.index(&index.name) else { continue };
        for (part, known) in index.parts.iter_mut().zip(&known.parts) {
            part.cardinality = known.cardinality;
        }
    }
}

/// Rows with the names of their columns.
struct Rows<'a> {
    columns: &'a [String],
    rows: &'a [Vec<Option<String>>],
}

impl<'a> Rows<'a> {
    fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|own| own.trim().eq_ignore_ascii_case(name))
    }

    fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The value of the first of these columns that the print has; none where it is NULL.
    fn text(&self, row: &'a [Option<String>], names: &[&str]) -> Option<&'a str> {
        let place = names.iter().find_map(|name| self.place(name))?;
        row.get(place)?.as_deref().filter(|text| *text != "NULL")
    }

    fn number(&self, row: &'a [Option<String>], names: &[&str]) -> Option<u64> {
        self.text(row, names)?.trim().parse().ok()
    }

    fn is(&self, row: &'a [Option<String>], names: &[&str], word: &str) -> bool {
        self.text(row, names).is_some_and(|text| text.eq_ignore_ascii_case(word))
    }

    /// The rows in the order of a number that each has, else as they stand.
    fn sorted_by(&self, names: &[&str]) -> Vec<(usize, &'a [Option<String>])> {
        let rows = self.rows;
        let mut sorted: Vec<_> = rows.iter().map(Vec::as_slice).enumerate().collect();
        sorted.sort_by_key(|(_, row)| self.number(row, names));
        sorted
    }
}

/// The table of a row, made up where it is not there. What is wrong, where the row does not name
/// one, or several have its name.
fn table_of<'s>(
    schema: &'s mut Schema,
    db: Option<&str>,
    rows: &Rows<'_>,
    row: &[Option<String>],
) -> Result<&'s mut Table, String> {
    let name = rows.text(row, &["table_name", "table", "name"]).ok_or("a table name expected")?;
    let db = rows.text(row, &["table_schema"]).or(db);
    let key = match schema.key_of(db, name) {
        Some(key) => key,
        None => {
            let folded = name.to_lowercase();
            if db.is_none() && schema.tables.keys().any(|key| key.folded == folded) {
                return Err(format!("several tables are named {name}: a database expected"));
            }
            let db = db.map(str::to_owned);
            let table = Table { db, name: name.to_owned(), ..Table::default() };
            let key = super::Key::of(table.db.as_deref(), name);
            schema.insert(table);
            key
        }
    };
    schema.tables.get_mut(&key).ok_or_else(|| "a table name expected".to_owned())
}

// STATISTICS and SHOW INDEX.

fn indexes(schema: &mut Schema, db: Option<&str>, rows: &Rows<'_>) -> Problems {
    let mut problems = Vec::new();
    // Only SHOW INDEX is sure to keep the order of the server.
    let is_ordered = rows.has("key_name");
    // By number of the part, so that parts are added in order and indexes as they come.
    for (number, row) in rows.sorted_by(&["seq_in_index"]) {
        let read = table_of(schema, db, rows, row)
            .and_then(|table| index_row(table, rows, row, is_ordered));
        if let Err(problem) = read {
            problems.push((number, problem));
        }
    }
    problems.sort_by_key(|(number, _)| *number);
    problems
}

fn index_row(
    table: &mut Table,
    rows: &Rows<'_>,
    row: &[Option<String>],
    is_ordered: bool,
) -> Result<(), String> {
    let name = rows.text(row, &["key_name", "index_name"]).ok_or("an index name expected")?;
    let seq = rows.number(row, &["seq_in_index"]).and_then(|seq| usize::try_from(seq).ok());
    let place = seq.and_then(|seq| seq.checked_sub(1)).ok_or("a number of a part expected")?;
    let at = match table.indexes.iter().position(|index| same_name(&index.name, name)) {
        Some(at) => at,
        None => {
            table.is_index_order_known = is_ordered && !table.is_defined;
            if !add_index(table, index_of(rows, row, name)) {
                return Err("fewer indexes expected".to_owned());
            }
            table.indexes.len() - 1
        }
    };
    let Some(index) = table.indexes.get_mut(at) else { return Ok(()) };
    let cardinality = rows.number(row, &["cardinality"]);
    let count = index.parts.len();
    match index.parts.get_mut(place) {
        Some(part) => part.cardinality = cardinality.or(part.cardinality),
        None if place == count => index.parts.push(part_of(rows, row, cardinality)?),
        None => return Err(format!("part {} of {name} expected before", count + 1)),
    }
    Ok(())
}

fn index_of(rows: &Rows<'_>, row: &[Option<String>], name: &str) -> Index {
    let kind_of_tree = rows.text(row, &["index_type"]).unwrap_or_default().to_ascii_uppercase();
    let kind = match kind_of_tree.as_str() {
        "FULLTEXT" => IndexKind::FullText,
        "SPATIAL" | "RTREE" => IndexKind::Spatial,
        "VECTOR" => IndexKind::Vector,
        _ if name.eq_ignore_ascii_case("PRIMARY") => IndexKind::Primary,
        _ if rows.is(row, &["non_unique"], "0") => IndexKind::Unique,
        _ => IndexKind::Plain,
    };
    let mut index = Index::new(kind, name.to_owned());
    index.using = match kind_of_tree.as_str() {
        "BTREE" => Some(Method::BTree),
        "HASH" => Some(Method::Hash),
        "RTREE" => Some(Method::RTree),
        _ => None,
    };
    index.is_visible =
        !(rows.is(row, &["visible", "is_visible"], "NO") || rows.is(row, &["ignored"], "YES"));
    let comment = rows.text(row, &["index_comment"]).filter(|text| !text.is_empty());
    index.comment = comment.map(str::to_owned);
    index
}

fn part_of(
    rows: &Rows<'_>,
    row: &[Option<String>],
    cardinality: Option<u64>,
) -> Result<Part, String> {
    let column = rows.text(row, &["column_name"]).filter(|name| !name.is_empty());
    let expression = rows.text(row, &["expression"]).filter(|text| !text.is_empty());
    let on = match (column, expression) {
        (Some(name), _) => PartOf::Column(name.to_owned()),
        (None, Some(text)) => PartOf::Expression(text.to_owned()),
        (None, None) => return Err("a column name expected".to_owned()),
    };
    let prefix = rows.number(row, &["sub_part"]).and_then(|length| u32::try_from(length).ok());
    let is_descending = rows.is(row, &["collation"], "D");
    Ok(Part { on, prefix, is_descending, cardinality })
}

// COLUMNS.

fn columns(schema: &mut Schema, db: Option<&str>, rows: &Rows<'_>) -> Problems {
    let mut problems = Vec::new();
    for (number, row) in rows.sorted_by(&["ordinal_position"]) {
        let read = table_of(schema, db, rows, row).and_then(|table| {
            let is_full = table.columns.len() >= MOST_COLUMNS;
            let column = column_of(rows, row)?;
            let own = table.columns.iter_mut().find(|own| same_name(&own.name, &column.name));
            match own {
                // A definition says more; of a view it says less.
                Some(own) if own.data_type.is_none() || !table.is_defined => *own = column,
                Some(_) => {}
                None if is_full => return Err("fewer columns expected".to_owned()),
                None if !table.is_defined || table.kind == TableKind::View => {
                    table.columns.push(column);
                }
                None => return Err(format!("a column of {} expected", table.name)),
            }
            Ok(())
        });
        if let Err(problem) = read {
            problems.push((number, problem));
        }
    }
    problems.sort_by_key(|(number, _)| *number);
    problems
}

fn column_of(rows: &Rows<'_>, row: &[Option<String>]) -> Result<Column, String> {
    let name = rows.text(row, &["column_name"]).ok_or("a column name expected")?;
    let written = rows.text(row, &["column_type", "data_type"]).ok_or("a data type expected")?;
    // The type is spelled as in a definition, so that is how it is read.
    let text = format!("c {written}");
    let tokens: Vec<Token> = Live::of(text.as_bytes()).collect();
    let mut refusals = Vec::new();
    let read = column(&mut Cursor::new(text.as_bytes(), &tokens), &mut refusals);
    let mut column = read.map_err(|refusal| refusal.expected)?.column;
    if let Some(refusal) = refusals.into_iter().next() {
        return Err(refusal.expected);
    }
    name.clone_into(&mut column.name);
    if !rows.has("column_type") {
        sizes(rows, row, &mut column);
    }
    column.is_nullable = !rows.is(row, &["is_nullable"], "NO");
    let lower = |names: &[&str]| rows.text(row, names).map(str::to_ascii_lowercase);
    column.collation = lower(&["collation_name"]);
    column.charset = lower(&["character_set_name"])
        .or_else(|| column.collation.as_deref().and_then(charset_of_collation));
    let extra = rows.text(row, &["extra"]).unwrap_or_default().to_ascii_lowercase();
    column.is_auto_increment = extra.contains("auto_increment");
    column.is_invisible = extra.contains("invisible");
    let on_update = extra.find("on update ").map(|at| extra[at + 10..].trim().to_owned());
    column.on_update = on_update;
    let computed = rows.text(row, &["generation_expression"]).filter(|text| !text.is_empty());
    column.generated = computed.map(|expression| Generated {
        expression: expression.to_owned(),
        is_stored: extra.contains("stored") || extra.contains("persistent"),
    });
    if column.generated.is_none() && rows.has("column_default") {
        let written = rows.text(row, &["column_default"]);
        column.default = default_value(written, &column, extra.contains("default_generated"));
    }
    let comment = rows.text(row, &["column_comment"]).filter(|text| !text.is_empty());
    column.comment = comment.map(str::to_owned);
    Ok(column)
}

/// Lengths that DATA_TYPE alone does not tell.
fn sizes(rows: &Rows<'_>, row: &[Option<String>], column: &mut Column) {
    let Some(data_type) = &mut column.data_type else { return };
    let small =
        |names: &[&str]| rows.number(row, names).and_then(|number| u32::try_from(number).ok());
    let length = match data_type.is_numeric() {
        true => small(&["numeric_precision"]),
        false if data_type.is_large() => None,
        false => small(&["character_maximum_length"]),
    };
    data_type.length = length.or(data_type.length);
    let decimals = small(&["numeric_scale"]).or_else(|| small(&["datetime_precision"]));
    data_type.decimals = decimals.or(data_type.decimals);
}

/// MySQL prints strings bare and marks expressions in EXTRA; MariaDB puts strings in quotes and
/// prints expressions bare.
fn default_value(
    written: Option<&str>,
    column: &Column,
    is_generated: bool,
) -> Option<DefaultValue> {
    let Some(text) = written else {
        return column.is_nullable.then_some(DefaultValue::Null);
    };
    if let Some(inside) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Some(DefaultValue::Literal(inside.replace("''", "'")));
    }
    let is_clock = text.get(..17).is_some_and(|it| it.eq_ignore_ascii_case("current_timestamp"));
    Some(match is_generated || is_clock {
        true => DefaultValue::Expression(text.to_owned()),
        false => DefaultValue::Literal(text.to_owned()),
    })
}

// TABLES and SHOW TABLE STATUS.

fn tables(schema: &mut Schema, db: Option<&str>, rows: &Rows<'_>) -> Problems {
    let mut problems = Vec::new();
    for (number, row) in rows.rows.iter().enumerate() {
        match table_of(schema, db, rows, row) {
            Ok(table) => table_row(table, rows, row),
            Err(problem) => problems.push((number, problem)),
        }
    }
    problems
}

fn table_row(table: &mut Table, rows: &Rows<'_>, row: &[Option<String>]) {
    let is_view = rows.text(row, &["table_type"]).is_some_and(|kind| kind.contains("VIEW"))
        || (rows.has("name") && rows.is(row, &["comment"], "VIEW"));
    if is_view {
        table.kind = TableKind::View;
        return;
    }
    if let Some(engine) = rows.text(row, &["engine"]) {
        table.engine.get_or_insert_with(|| engine.to_owned());
    }
    // What the user told goes before what the server guesses.
    if table.facts.rows.is_none() || table.facts.is_estimate {
        let counted = rows.number(row, &["table_rows", "rows"]);
        table.facts.is_estimate |= counted.is_some();
        table.facts.rows = counted.or(table.facts.rows);
    }
    let known = |new: Option<u64>, old: Option<u64>| new.or(old);
    table.data_bytes = known(rows.number(row, &["data_length"]), table.data_bytes);
    table.index_bytes = known(rows.number(row, &["index_length"]), table.index_bytes);
    table.auto_increment = known(rows.number(row, &["auto_increment"]), table.auto_increment);
    if let Some(format) = rows.text(row, &["row_format"]) {
        table.row_format.get_or_insert_with(|| format.to_ascii_uppercase());
    }
    let collation = if rows.has("name") { "collation" } else { "table_collation" };
    if let Some(collation) = rows.text(row, &[collation]).filter(|_| table.charset.is_none()) {
        let collation = collation.to_ascii_lowercase();
        table.charset = charset_of_collation(&collation);
        table.collation = Some(collation);
    }
}
