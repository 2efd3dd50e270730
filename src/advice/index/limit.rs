//! What a server allows of an index, and the statement that makes one. Limits as
//! measured on MySQL 9.7, MariaDB 10.11 and 11.8.

use crate::schema::TypeName;

use super::tables::{ColumnAt, Key, Known};

/// Characters of a long text that an index holds where nothing tells how many tell rows apart.
const UNTESTED_PREFIX: u32 = 20;
/// Bytes from which on a column is long, IDX015.
const LONG: u32 = 255;
/// Part of the distinct values that a prefix should tell apart.
const ENOUGH: f64 = 0.95;

/// The length of the prefix that an index should hold of a column; none of a column that is short
/// enough to be held whole.
pub(super) fn prefix(known: &Known<'_>, column: ColumnAt) -> Option<u32> {
    let data_type = known.data_type(column)?;
    let characters = data_type.length.unwrap_or(0);
    let is_long = data_type.is_large()
        || matches!(data_type.name, TypeName::VarChar | TypeName::VarBinary) && characters > LONG;
    if !is_long {
        return None;
    }
    let name = known.columns.get(column)?;
    let facts = &known.table?.facts;
    let distinct = facts.column(name).and_then(|it| it.distinct).map(|it| it as f64);
    let own = facts.prefixes.iter().filter(|it| it.column.eq_ignore_ascii_case(name));
    let tested = own.filter(|it| distinct.is_none_or(|all| it.distinct as f64 >= ENOUGH * all));
    // Else the length that an index has already was chosen by somebody.
    let present = known.keys.iter().flat_map(|key| &key.parts[..key.written]);
    let present = present.filter(|part| part.column == Some(column)).filter_map(|it| it.length);
    Some(tested.map(|it| it.length).min().or(present.max()).unwrap_or(UNTESTED_PREFIX))
}

/// Bytes of a character in a character set.
fn of_charset(charset: Option<&str>) -> u32 {
    match charset {
        Some("utf8mb4" | "utf16" | "utf16le" | "utf32" | "gb18030") | None => 4,
        Some("utf8" | "utf8mb3" | "eucjpms" | "ujis") => 3,
        Some("ucs2" | "gbk" | "gb2312" | "big5" | "euckr" | "sjis" | "cp932") => 2,
        Some(_) => 1,
    }
}

/// Bytes that the written parts of an index may have at most.
fn bytes(known: &Known<'_>, key: &Key) -> u32 {
    let of = |column: ColumnAt, length: Option<u32>| -> u32 {
        let Some(data_type) = known.data_type(column) else { return 8 };
        let characters = length.or(data_type.length).unwrap_or(255);
        if data_type.has_charset() && !matches!(data_type.name, TypeName::Enum | TypeName::Set) {
            let charset =
                known.table.zip(known.definition(column)).and_then(|(t, c)| t.charset_of(c));
            return characters.saturating_mul(of_charset(charset));
        }
        match data_type.name {
            TypeName::VarBinary | TypeName::Binary => characters,
            TypeName::Decimal => characters.div_ceil(2).saturating_add(1),
            _ if data_type.is_large() => characters,
            _ => known.bytes(column) as u32,
        }
    };
    let written = key.parts[..key.written].iter();
    let own = written.filter_map(|part| part.column.map(|column| of(column, part.length)));
    own.fold(0, u32::saturating_add)
}

/// Why a server would refuse an index, IDX020: a whole sentence.
pub(super) fn refusal(known: &Known<'_>, key: &Key) -> Option<String> {
    let table = known.table?;
    let engine = table.engine.as_deref().unwrap_or("InnoDB");
    let is_compact = matches!(table.row_format.as_deref(), Some("COMPACT" | "REDUNDANT"));
    let most = match engine.to_ascii_uppercase().as_str() {
        "MYISAM" => 1_000,
        _ => 3_072,
    };
    let length = bytes(known, key);
    if length > most {
        return Some(format!(
            "Its key may have {length} bytes, and {engine} allows {most}: a prefix of the longest \
             column would fit."
        ));
    }
    let too_long = key.parts[..key.written].iter().find_map(|part| {
        let one = Key { parts: vec![*part], written: 1, ..Key::default() };
        part.column.filter(|_| is_compact && bytes(known, &one) > 767)
    });
    if let Some(column) = too_long {
        let name = known.columns.get(column).map_or("", String::as_str);
        return Some(format!(
            "Column {name} may have more than 767 bytes, which ROW_FORMAT {} does not allow in an \
             index.",
            table.row_format.as_deref().unwrap_or("COMPACT")
        ));
    }
    let unfit = key.parts[..key.written].iter().filter_map(|part| part.column).find(|column| {
        known.data_type(*column).is_some_and(|it| {
            matches!(
                it.name,
                TypeName::Json
                    | TypeName::Geometry
                    | TypeName::Point
                    | TypeName::LineString
                    | TypeName::Polygon
            )
        })
    });
    if let Some(column) = unfit {
        let name = known.columns.get(column).map_or("", String::as_str);
        return Some(format!("Column {name} is of a type that no plain index can hold."));
    }
    if key.written > super::candidate::MOST_COLUMNS {
        return Some("An index has at most 16 columns in MySQL, 32 in MariaDB.".to_owned());
    }
    (table.indexes.len() >= 64)
        .then(|| "The table has 64 indexes already, and InnoDB allows no more.".to_owned())
}

/// The name of an index: its columns joined by `_`. One that is taken, or too long, ends in six
/// digits of its own.
pub(super) fn name(known: &Known<'_>, key: &Key, others: &[&str]) -> String {
    /// Characters of an identifier.
    const MOST: usize = 64;
    let columns: Vec<&str> = key.parts[..key.written]
        .iter()
        .filter_map(|part| known.columns.get(part.column?).map(String::as_str))
        .collect();
    let plain = columns.join("_");
    let is_taken = |name: &str| {
        name.eq_ignore_ascii_case("PRIMARY")
            || known.table.is_some_and(|table| table.index(name).is_some())
            || others.iter().any(|own| own.eq_ignore_ascii_case(name))
    };
    if plain.chars().count() <= MOST && !is_taken(&plain) {
        return plain;
    }
    // FNV-1a over all parts: the same index has the same name in every run.
    let mut hash: u32 = 0x811c_9dc5;
    for part in &key.parts[..key.written] {
        let text = format!("{:?}{}{:?}", part.column, part.is_descending, part.length);
        for byte in text.bytes().chain(plain.bytes()) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    let kept: String = plain.chars().take(MOST - 7).collect();
    format!("{kept}_{:06x}", hash & 0x00ff_ffff)
}

/// A name in back-quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A table with its database, in back-quotes.
pub(super) fn quoted_table(db: Option<&str>, name: &str) -> String {
    match db {
        Some(db) => format!("{}.{}", quoted(db), quoted(name)),
        None => quoted(name),
    }
}

/// The parts of an index as a definition spells them.
pub(super) fn parts(known: &Known<'_>, key: &Key) -> String {
    let part = |part: &super::tables::Part| {
        let name = part.column.and_then(|column| known.columns.get(column));
        let mut text = quoted(name.map_or("", String::as_str));
        if let Some(length) = part.length {
            text += &format!("({length})");
        }
        if part.is_descending {
            text += " DESC";
        }
        text
    };
    key.parts[..key.written].iter().map(part).collect::<Vec<_>>().join(", ")
}
