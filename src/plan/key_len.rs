//! The arithmetic of `key_len`: how many columns of an index a lookup uses.
//!
//! ```text
//! KEY (customer_id, state, created_at)    int, varchar(10) utf8mb4 NULL, datetime
//!      4            43     5              key_len 47 = 4 + 43: two columns are used
//! ```
//!
//! A key part takes the same bytes in `key_len` whatever it holds, so a sum tells how many
//! leading parts are used. Where the sum does not come out there is no answer, rather than a
//! near one. In access type `range` the length follows the operator and not what narrows the
//! search: behind the first column with a range, `>=`, `<=` and BETWEEN count the columns that
//! follow, `>` and `<` do not, and none of them narrows.
//!
//! Measured on MySQL 9.7, MariaDB 10.11 and 11.8, which are equal. A column is plain data here:
//! whoever reads a schema fills it in.

use std::fmt;

/// One part of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Part<'a> {
    /// Column name, or any name of an expression.
    pub name: &'a str,
    /// Type without its parenthesis, in any letter case: `int unsigned`, `varchar`.
    pub type_name: &'a str,
    /// The first number in parentheses: characters, bytes, digits or decimals of a second.
    pub length: Option<u32>,
    /// The second number in parentheses, of decimal.
    pub decimals: Option<u32>,
    /// How many members an enum or a set has.
    pub members: Option<u32>,
    /// Character set of a text column.
    pub charset: Option<&'a str>,
    /// Whether it may be NULL. An expression may.
    pub nullable: bool,
    /// The length of `KEY (name(20))`: characters of text, bytes of binary.
    pub prefix: Option<u32>,
}

/// How times are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Temporal {
    /// With decimals of a second as needed: MySQL 5.6.4, MariaDB 10.1.2 and later.
    #[default]
    Packed,
    /// As before: datetime 8 bytes, time 3, timestamp 4. A table keeps it until it is rebuilt.
    Old,
}

/// How many parts of an index a lookup uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// Leading parts of the index as it was declared.
    pub parts: usize,
    /// Parts of the primary key that InnoDB adds to a secondary index, used as well.
    pub hidden: usize,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The type takes a number of bytes that is not known, or cannot be indexed so.
    Type(String),
    /// A number that the type needs is not told or cannot be.
    Length(String),
    /// The character set of the column is not told or not known.
    Charset(String),
    /// The part takes no byte, so a sum cannot tell whether it is used.
    NoBytes(String),
    /// No number of leading parts adds up to the length; these are the sums.
    Sum(Vec<u64>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Type(name) => write!(f, "the key length of the type of {name} is not known"),
            Refusal::Length(name) => {
                write!(f, "the length or number of members of {name} is not known")
            }
            Refusal::Charset(name) => write!(f, "the character set of {name} is not known"),
            Refusal::NoBytes(name) => write!(f, "{name} takes no byte in a key"),
            Refusal::Sum(sums) => {
                f.write_str("the leading columns add up to ")?;
                for (at, sum) in sums.iter().enumerate() {
                    write!(f, "{}{sum}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str(" bytes, none of which is key_len")
            }
        }
    }
}

/// How many leading parts of an index add up to `key_len`.
///
/// `primary` are the parts of the primary key where InnoDB adds them to this index; those that
/// the index has itself are not added again.
pub fn used(
    index: &[Part<'_>],
    primary: &[Part<'_>],
    key_len: u64,
    temporal: Temporal,
) -> Result<Used, Refusal> {
    let hidden = primary.iter().filter(|part| !index.iter().any(|own| own.stands_for(part)));
    let mut sums = Vec::new();
    let mut sum = 0_u64;
    for (at, part) in index.iter().chain(hidden).enumerate() {
        match bytes(part, temporal)? {
            0 => return Err(Refusal::NoBytes(part.name.to_owned())),
            bytes => sum = sum.saturating_add(u64::from(bytes)),
        }
        if sum == key_len {
            let parts = index.len().min(at + 1);
            return Ok(Used { parts, hidden: at + 1 - parts });
        }
        sums.push(sum);
        // Sums only grow: what comes behind cannot make it right.
        if sum > key_len {
            break;
        }
    }
    Err(Refusal::Sum(sums))
}

impl Part<'_> {
    /// Whether a part of the index makes the same part of the primary key needless behind it.
    fn stands_for(&self, primary: &Part<'_>) -> bool {
        self.name.eq_ignore_ascii_case(primary.name)
            && (self.prefix.is_none() || self.prefix == primary.prefix)
    }

    fn refused<T>(&self, how: fn(String) -> Refusal) -> Result<T, Refusal> {
        Err(how(self.name.to_owned()))
    }
}

/// Bytes of a key part in `key_len`, the one for NULL included.
pub fn bytes(part: &Part<'_>, temporal: Temporal) -> Result<u32, Refusal> {
    let Some(kind) = kind(part.type_name) else { return part.refused(Refusal::Type) };
    let value = match kind {
        Kind::Fixed(bytes) => Some(bytes),
        // More than 24 binary digits make a double of a float.
        Kind::Float if part.length.is_some_and(|n| n > 24) && part.decimals.is_none() => Some(8),
        Kind::Float => Some(4),
        Kind::Bit => Some(part.length.unwrap_or(1).div_ceil(8)),
        Kind::Decimal => decimal(part.length.unwrap_or(10), part.decimals.unwrap_or(0)),
        Kind::Time => time(3, 3, part.length, temporal),
        Kind::DateTime => time(5, 8, part.length, temporal),
        Kind::Timestamp => time(4, 4, part.length, temporal),
        Kind::Enum => part.members.map(|members| if members > 255 { 2 } else { 1 }),
        Kind::Set => part.members.and_then(set),
        Kind::Text { varies, binary } => Some(text(part, varies, binary)?),
        Kind::Long { binary } => {
            // Without a length no server takes it, but MariaDB cuts it by itself.
            let Some(prefix) = part.prefix else { return part.refused(Refusal::Length) };
            Some(in_charset(part, prefix, binary)?.saturating_add(LENGTH_BYTES))
        }
    };
    match value {
        Some(bytes) => Ok(bytes.saturating_add(u32::from(part.nullable))),
        None => part.refused(Refusal::Length),
    }
}

/// What decides the bytes of a type.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Fixed(u32),
    Float,
    Bit,
    Decimal,
    Time,
    DateTime,
    Timestamp,
    Enum,
    Set,
    /// char, binary and their varying forms.
    Text {
        varies: bool,
        binary: bool,
    },
    /// text and blob.
    Long {
        binary: bool,
    },
}

/// Bytes that tell the length of a varying value: always two in a key, though one in the row of
/// a short column.
const LENGTH_BYTES: u32 = 2;

const CHAR: Kind = Kind::Text { varies: false, binary: false };
const VARCHAR: Kind = Kind::Text { varies: true, binary: false };

/// The types, by the first word of their names; each with its synonyms.
#[rustfmt::skip]
const TYPES: &[(&[&str], Kind)] = &[
    (&["tinyint", "bool", "boolean", "int1", "year"],                 Kind::Fixed(1)),
    (&["smallint", "int2"],                                           Kind::Fixed(2)),
    (&["mediumint", "middleint", "int3", "date"],                     Kind::Fixed(3)),
    (&["int", "integer", "int4", "float4"],                           Kind::Fixed(4)),
    (&["bigint", "int8", "serial", "double", "real", "float8"],       Kind::Fixed(8)),
    (&["inet4"],                                                      Kind::Fixed(4)),
    (&["uuid", "inet6"],                                              Kind::Fixed(16)),
    (&["float"],                                                      Kind::Float),
    (&["bit"],                                                        Kind::Bit),
    (&["decimal", "dec", "numeric", "fixed"],                         Kind::Decimal),
    (&["time"],                                                       Kind::Time),
    (&["datetime"],                                                   Kind::DateTime),
    (&["timestamp"],                                                  Kind::Timestamp),
    (&["enum"],                                                       Kind::Enum),
    (&["set"],                                                        Kind::Set),
    (&["char", "nchar"],                                              CHAR),
    (&["varchar", "nvarchar", "varcharacter"],                        VARCHAR),
    (&["binary"],                         Kind::Text { varies: false, binary: true }),
    (&["varbinary"],                      Kind::Text { varies: true, binary: true }),
    (&["tinytext", "text", "mediumtext", "longtext"],                 Kind::Long { binary: false }),
    (&["tinyblob", "blob", "mediumblob", "longblob"],                 Kind::Long { binary: true }),
];

/// Names of more than one word.
const LONG_NAMES: &[(&str, Kind)] = &[
    ("character varying", VARCHAR),
    ("char varying", VARCHAR),
    ("national varchar", VARCHAR),
    ("national char", CHAR),
    ("national character", CHAR),
    ("character", CHAR),
];

fn kind(type_name: &str) -> Option<Kind> {
    let name = type_name.trim().to_ascii_lowercase();
    if let Some((_, kind)) = LONG_NAMES.iter().find(|(long, _)| *long == name) {
        return Some(*kind);
    }
    let mut words = name.split_ascii_whitespace();
    let first = words.next()?;
    // Behind the name only attributes that change no length may stand.
    let are_attributes = words.all(|word| {
        matches!(word, "unsigned" | "signed" | "zerofill")
            || (first == "double" && word == "precision")
    });
    let (_, kind) = TYPES.iter().find(|(names, _)| names.contains(&first))?;
    are_attributes.then_some(*kind)
}

/// Nine digits take four bytes; fewer take as many as they need. Left and right of the point
/// are stored apart.
fn decimal(precision: u32, scale: u32) -> Option<u32> {
    const REST: [u32; 9] = [0, 1, 1, 2, 2, 3, 3, 4, 4];
    let digits = |digits: u32| Some(4 * (digits / 9) + REST.get(digits as usize % 9)?);
    if precision == 0 || precision > 65 {
        return None;
    }
    Some(digits(precision.checked_sub(scale)?)? + digits(scale)?)
}

/// Two decimals of a second take a byte.
fn time(packed: u32, old: u32, decimals: Option<u32>, temporal: Temporal) -> Option<u32> {
    match (temporal, decimals.unwrap_or(0)) {
        (Temporal::Packed, decimals @ 0..=6) => Some(packed + decimals.div_ceil(2)),
        (Temporal::Old, 0) => Some(old),
        // MariaDB 5.3 to 10.0 had decimals of a layout of its own.
        _ => None,
    }
}

/// A bit for each member, in whole bytes; beyond four bytes it takes eight.
fn set(members: u32) -> Option<u32> {
    match members.div_ceil(8) {
        bytes @ 1..=4 => Some(bytes),
        5..=8 => Some(8),
        _ => None,
    }
}

fn text(part: &Part<'_>, varies: bool, binary: bool) -> Result<u32, Refusal> {
    let length = match (part.length, varies) {
        (Some(length), _) => Some(length),
        (None, false) => Some(1),
        (None, true) => None,
    };
    let length = match (part.prefix, length) {
        (Some(prefix), Some(length)) => prefix.min(length),
        (Some(length), None) | (None, Some(length)) => length,
        (None, None) => return part.refused(Refusal::Length),
    };
    let bytes = in_charset(part, length, binary)?;
    Ok(bytes.saturating_add(if varies { LENGTH_BYTES } else { 0 }))
}

fn in_charset(part: &Part<'_>, length: u32, binary: bool) -> Result<u32, Refusal> {
    if binary {
        return Ok(length);
    }
    match part.charset.and_then(bytes_a_character) {
        Some(bytes) => Ok(length.saturating_mul(bytes)),
        None => part.refused(Refusal::Charset),
    }
}

/// The most bytes that a character takes, by character set.
#[rustfmt::skip]
const CHARSETS: &[(u32, &[&str])] = &[
    (1, &[
        "armscii8", "ascii", "binary", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "dec8",
        "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u", "latin1", "latin2", "latin5", "latin7",
        "macce", "macroman", "swe7", "tis620",
    ]),
    (2, &["big5", "cp932", "euckr", "gb2312", "gbk", "sjis", "ucs2"]),
    (3, &["eucjpms", "ujis", "utf8", "utf8mb3"]),
    (4, &["gb18030", "utf16", "utf16le", "utf32", "utf8mb4"]),
];

fn bytes_a_character(charset: &str) -> Option<u32> {
    let is_known =
        |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(charset.trim()));
    CHARSETS.iter().find(|(_, names)| is_known(names)).map(|(bytes, _)| *bytes)
}

#[cfg(test)]
mod tests;
