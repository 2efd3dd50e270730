//! Data types: their spellings, lengths and members.

use super::{Cursor, Refusal};

/// A data type by its plain name; synonyms are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "they are the names of the types")]
pub enum TypeName {
    TinyInt,
    SmallInt,
    MediumInt,
    Int,
    BigInt,
    Decimal,
    Float,
    Double,
    Bit,
    Year,
    Date,
    Time,
    DateTime,
    Timestamp,
    Char,
    VarChar,
    Binary,
    VarBinary,
    TinyText,
    Text,
    MediumText,
    LongText,
    TinyBlob,
    Blob,
    MediumBlob,
    LongBlob,
    Enum,
    Set,
    Json,
    Vector,
    Uuid,
    Inet4,
    Inet6,
    Geometry,
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
    /// One that we do not know; [`DataType::other`] has its name.
    Other,
}

use TypeName::*;

/// Every spelling, of more words before fewer.
#[rustfmt::skip]
const SPELLINGS: &[(&str, TypeName)] = &[
    ("NATIONAL CHARACTER VARYING", VarChar), ("NATIONAL CHAR VARYING", VarChar),
    ("NATIONAL VARCHARACTER", VarChar), ("NATIONAL VARCHAR", VarChar),
    ("NATIONAL CHARACTER", Char), ("NATIONAL CHAR", Char),
    ("NCHAR VARCHARACTER", VarChar), ("NCHAR VARCHAR", VarChar), ("NCHAR VARYING", VarChar),
    ("NVARCHAR", VarChar), ("NCHAR", Char),
    ("LONG CHARACTER VARYING", MediumText), ("LONG CHAR VARYING", MediumText),
    ("LONG VARCHARACTER", MediumText), ("LONG VARCHAR", MediumText),
    ("LONG VARBINARY", MediumBlob), ("LONG", MediumText),
    ("CHARACTER VARYING", VarChar), ("CHAR VARYING", VarChar),
    ("CHARACTER BYTE", Binary), ("CHAR BYTE", Binary),
    ("DOUBLE PRECISION", Double),
    ("INT", Int), ("VARCHAR", VarChar), ("BIGINT", BigInt), ("TINYINT", TinyInt),
    ("DATETIME", DateTime), ("TIMESTAMP", Timestamp), ("DECIMAL", Decimal), ("TEXT", Text),
    ("CHAR", Char), ("ENUM", Enum), ("DATE", Date), ("SMALLINT", SmallInt),
    ("MEDIUMINT", MediumInt), ("INTEGER", Int), ("DOUBLE", Double), ("FLOAT", Float),
    ("BOOLEAN", TinyInt), ("BOOL", TinyInt), ("BIT", Bit), ("YEAR", Year), ("TIME", Time),
    ("BINARY", Binary), ("VARBINARY", VarBinary), ("TINYTEXT", TinyText),
    ("MEDIUMTEXT", MediumText), ("LONGTEXT", LongText), ("TINYBLOB", TinyBlob), ("BLOB", Blob),
    ("MEDIUMBLOB", MediumBlob), ("LONGBLOB", LongBlob), ("SET", Set), ("JSON", Json),
    ("VARCHARACTER", VarChar), ("CHARACTER", Char), ("NUMERIC", Decimal), ("DEC", Decimal),
    ("FIXED", Decimal), ("REAL", Double), ("FLOAT4", Float), ("FLOAT8", Double),
    ("INT1", TinyInt), ("INT2", SmallInt), ("INT3", MediumInt), ("INT4", Int), ("INT8", BigInt),
    ("MIDDLEINT", MediumInt), ("SERIAL", BigInt),
    ("VECTOR", Vector), ("UUID", Uuid), ("INET4", Inet4), ("INET6", Inet6),
    ("GEOMETRY", Geometry), ("POINT", Point), ("LINESTRING", LineString), ("POLYGON", Polygon),
    ("MULTIPOINT", MultiPoint), ("MULTILINESTRING", MultiLineString),
    ("MULTIPOLYGON", MultiPolygon), ("GEOMETRYCOLLECTION", GeometryCollection),
    ("GEOMCOLLECTION", GeometryCollection),
];

/// A data type with its sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataType {
    /// Which it is.
    pub name: TypeName,
    /// Its name as written, where we do not know it.
    pub other: Option<String>,
    /// Characters or bytes of strings, digits of decimals, bits, display width of integers.
    pub length: Option<u32>,
    /// Digits behind the point, of times too.
    pub decimals: Option<u32>,
    /// Members of an ENUM or SET.
    pub members: Vec<String>,
    /// UNSIGNED, or ZEROFILL, which implies it.
    pub is_unsigned: bool,
}

impl DataType {
    /// A type by name with the sizes that it has when none are written.
    #[must_use]
    pub fn new(name: TypeName) -> DataType {
        let (length, decimals) = match name {
            Char | Binary | Bit => (Some(1), None),
            Decimal => (Some(10), Some(0)),
            Time | DateTime | Timestamp => (None, Some(0)),
            Vector => (Some(2048), None),
            _ => (None, None),
        };
        DataType { name, other: None, length, decimals, members: Vec::new(), is_unsigned: false }
    }

    /// Whether its values are characters of a character set.
    #[must_use]
    pub fn has_charset(&self) -> bool {
        matches!(self.name, Char | VarChar | TinyText | Text | MediumText | LongText | Enum | Set)
    }

    /// Whether it is a TEXT or BLOB of any size: an index on it needs a prefix.
    #[must_use]
    pub fn is_large(&self) -> bool {
        matches!(
            self.name,
            TinyText | Text | MediumText | LongText | TinyBlob | Blob | MediumBlob | LongBlob
        )
    }

    /// Whether its values are numbers.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(
            self.name,
            TinyInt | SmallInt | MediumInt | Int | BigInt | Decimal | Float | Double | Bit | Year
        )
    }
}

/// A type as it was written.
pub(super) struct Written {
    pub data_type: DataType,
    /// A national type brings its character set along.
    pub is_national: bool,
    /// `SERIAL` is more than a type.
    pub is_serial: bool,
}

/// Takes a data type with its sizes in parentheses.
///
/// - Grammar: `name [ "(" number [ "," number ] ")" | "(" string *( "," string ) ")" ]`
/// - Errors: no word. A name that is not known is kept as [`TypeName::Other`], and refused.
pub(super) fn data_type(cursor: &mut Cursor<'_>, refusals: &mut Vec<Refusal>) -> Option<Written> {
    let start = *cursor;
    let known = SPELLINGS.iter().find(|(spelling, _)| cursor.words(spelling));
    let mut written = Written {
        data_type: DataType::new(known.map_or(Other, |(_, name)| *name)),
        is_national: known
            .is_some_and(|(spelling, _)| spelling.starts_with('N') && *spelling != "NUMERIC"),
        is_serial: known.is_some_and(|(spelling, _)| *spelling == "SERIAL"),
    };
    match known {
        Some((spelling, _)) if spelling.starts_with("BOOL") => written.data_type.length = Some(1),
        Some(_) => {}
        None => {
            let mut ahead = start;
            written.data_type.other = Some(ahead.name()?);
            refusals.push(start.refusal("a data type"));
            *cursor = ahead;
        }
    }
    written.data_type.is_unsigned = written.is_serial;
    if let Some(sizes) = cursor.parenthesized() {
        read_sizes(&mut written.data_type, sizes, refusals);
    }
    // CHAR(10) BYTE is BINARY(10).
    if matches!(written.data_type.name, Char) && cursor.word("BYTE") {
        written.data_type.name = Binary;
    }
    Some(written)
}

fn read_sizes(data_type: &mut DataType, mut sizes: Cursor<'_>, refusals: &mut Vec<Refusal>) {
    match data_type.name {
        Enum | Set => read_members(&mut data_type.members, sizes, refusals),
        Other => {}
        name => {
            let Some(first) = sizes.number().and_then(|number| u32::try_from(number).ok()) else {
                return refusals.push(sizes.refusal("a length"));
            };
            if matches!(name, Time | DateTime | Timestamp) {
                data_type.decimals = Some(first);
            } else {
                data_type.length = Some(first);
            }
            if sizes.byte(b',') {
                match sizes.number().and_then(|number| u32::try_from(number).ok()) {
                    Some(second) => data_type.decimals = Some(second),
                    None => return refusals.push(sizes.refusal("the digits behind the point")),
                }
            } else if name == Float && first > 24 {
                // FLOAT(p) chooses the size by its bits.
                data_type.name = Double;
            }
            if !sizes.is_empty() {
                refusals.push(sizes.refusal("`)`"));
            }
        }
    }
}

fn read_members(members: &mut Vec<String>, mut list: Cursor<'_>, refusals: &mut Vec<Refusal>) {
    loop {
        // A member may have the character set of the table named before it.
        if list.peek_bytes().starts_with(b"_") {
            list.take();
        }
        match list.string() {
            Some(member) => members.push(member),
            None => return refusals.push(list.refusal("a member in quotes")),
        }
        if !list.byte(b',') {
            break;
        }
    }
    if !list.is_empty() {
        refusals.push(list.refusal("`,`"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Live;
    use super::*;

    /// Name, length, decimals, number of members; `None` of a refused type.
    #[track_caller]
    fn check(text: &str, want: (TypeName, Option<u32>, Option<u32>, usize), refused: usize) {
        let tokens: Vec<_> = Live::of(text.as_bytes()).collect();
        let mut refusals = Vec::new();
        let written = data_type(&mut Cursor::new(text.as_bytes(), &tokens), &mut refusals);
        let got = written.unwrap().data_type;
        assert_eq!((got.name, got.length, got.decimals, got.members.len()), want, "{text}");
        assert_eq!(refusals.len(), refused, "{text}: {refusals:?}");
    }

    #[test]
    fn synonyms_are_resolved() {
        check("INTEGER(11)", (Int, Some(11), None, 0), 0);
        check("double precision(8,2)", (Double, Some(8), Some(2), 0), 0);
        check("NATIONAL CHARACTER VARYING(20)", (VarChar, Some(20), None, 0), 0);
        check("char(5) byte", (Binary, Some(5), None, 0), 0);
        check("LONG VARBINARY", (MediumBlob, None, None, 0), 0);
        check("bool", (TinyInt, Some(1), None, 0), 0);
        check("float(24)", (Float, Some(24), None, 0), 0);
        check("float(25)", (Double, Some(25), None, 0), 0);
    }

    #[test]
    fn sizes_that_are_not_written_are_those_of_the_server() {
        check("decimal", (Decimal, Some(10), Some(0), 0), 0);
        check("numeric(6)", (Decimal, Some(6), Some(0), 0), 0);
        check("char", (Char, Some(1), None, 0), 0);
        check("bit", (Bit, Some(1), None, 0), 0);
        check("datetime", (DateTime, None, Some(0), 0), 0);
        check("time(6)", (Time, None, Some(6), 0), 0);
        check("text", (Text, None, None, 0), 0);
    }

    #[test]
    fn members_may_hold_any_sign() {
        check("enum('a','b,c','it''s',')')", (Enum, None, None, 4), 0);
        check("set(_latin1'x', 'y')", (Set, None, None, 2), 0);
        check("enum('a' 'b')", (Enum, None, None, 1), 1);
    }

    #[test]
    fn what_is_no_type_is_kept_and_named() {
        check("hyperlog(12)", (Other, None, None, 0), 1);
        check("varchar(many)", (VarChar, None, None, 0), 1);
        check("varchar(99999999999)", (VarChar, None, None, 0), 1);
    }
}
