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
//! follow, `>` and `<` do not, and none of them narrows. Measured on MySQL 9.7, MariaDB 10.11 and 11.8, which are equal. A column is plain
//! data here: whoever reads a schema fills it in.

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
mod tests {
    use super::*;

    /// A part from `varchar(20) utf8mb4 null` and the like; enum and set take the number of
    /// their members in parentheses, a prefix stands behind `/`.
    fn part(text: &str) -> Part<'_> {
        let (text, prefix) = match text.split_once('/') {
            Some((text, prefix)) => (text, prefix.parse().ok()),
            None => (text, None),
        };
        let (text, nullable) = match text.strip_suffix(" null") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (type_name, numbers, charset) = match text.split_once('(') {
            Some((type_name, rest)) => {
                let (numbers, charset) = rest.split_once(')').unwrap();
                (type_name, numbers, Some(charset.trim()).filter(|charset| !charset.is_empty()))
            }
            None => match text.split_once(" of ") {
                Some((type_name, charset)) => (type_name, "", Some(charset)),
                None => (text, "", None),
            },
        };
        let mut numbers = numbers.split(',').map(|number| number.parse().ok());
        let (length, decimals) = (numbers.next().flatten(), numbers.next().flatten());
        let has_members = matches!(type_name, "enum" | "set");
        Part {
            name: "c",
            type_name,
            length: length.filter(|_| !has_members),
            decimals,
            members: length.filter(|_| has_members),
            charset,
            nullable,
            prefix,
        }
    }

    #[track_caller]
    fn check(text: &str, want: u32) {
        assert_eq!(bytes(&part(text), Temporal::Packed), Ok(want), "{text}");
    }

    #[test]
    fn numbers_take_what_they_are_stored_in() {
        for (text, want) in [
            ("tinyint", 1),
            ("tinyint unsigned", 1),
            ("boolean", 1),
            ("year", 1),
            ("smallint", 2),
            ("mediumint", 3),
            ("int", 4),
            ("INT unsigned zerofill", 4),
            ("int(11)", 4),
            ("int null", 5),
            ("float", 4),
            ("float(7,4)", 4),
            ("float(53)", 8),
            ("bigint", 8),
            ("bigint(20) null", 9),
            ("double", 8),
            ("double precision", 8),
            ("bit", 1),
            ("bit(8)", 1),
            ("bit(9)", 2),
            ("bit(64)", 8),
        ] {
            check(text, want);
        }
    }

    #[test]
    fn decimals_take_four_bytes_for_nine_digits_on_each_side() {
        for (text, want) in [
            ("decimal(5,2)", 3),
            ("decimal(9,0)", 4),
            ("decimal(10,2)", 5),
            ("decimal(10,2) null", 6),
            ("decimal(18,9)", 8),
            ("decimal(20,6)", 10),
            ("decimal(30,0)", 14),
            // decimal is decimal(10,0): 4 + 1.
            ("decimal", 5),
            // 35 and 30 digits: 3 * 4 + 4 and 3 * 4 + 2.
            ("numeric(65,30)", 30),
        ] {
            check(text, want);
        }
    }

    #[test]
    fn times_take_a_byte_for_two_decimals() {
        for (text, want) in [
            ("date", 3),
            ("time", 3),
            ("time(3)", 5),
            ("time(6)", 6),
            ("datetime", 5),
            ("datetime(1)", 6),
            ("datetime(2)", 6),
            ("datetime(3)", 7),
            ("datetime(4)", 7),
            ("datetime(5)", 8),
            ("datetime(6)", 8),
            ("timestamp", 4),
            ("timestamp(2)", 5),
            ("timestamp(4)", 6),
            ("timestamp(6)", 7),
        ] {
            check(text, want);
        }
        for (text, want) in [("datetime", 8), ("time", 3), ("timestamp", 4), ("date", 3)] {
            assert_eq!(bytes(&part(text), Temporal::Old), Ok(want), "{text}");
        }
    }

    #[test]
    fn members_decide_for_enum_and_set() {
        for (text, want) in [
            ("enum(3)", 1),
            ("enum(255)", 1),
            ("enum(256)", 2),
            ("set(8)", 1),
            ("set(9)", 2),
            ("set(16)", 2),
            ("set(24)", 3),
            ("set(32)", 4),
            ("set(33)", 8),
            ("set(64)", 8),
        ] {
            check(text, want);
        }
    }

    #[test]
    fn text_takes_the_most_of_its_character_set_and_two_bytes_if_it_varies() {
        for (text, want) in [
            ("char(10)latin1", 10),
            ("char of latin1", 1),
            ("char(36)utf8mb4", 144),
            ("binary(16)", 16),
            ("varbinary(16)", 18),
            ("varchar(255)latin1", 257),
            ("varchar(32)utf8mb4 null", 131),
            ("varchar(10)ascii", 12),
            ("varchar(10)ucs2", 22),
            ("varchar(10)gbk", 22),
            ("varchar(10)utf8mb3", 32),
            ("varchar(10)UTF8MB4", 42),
            // LOWER(varchar(20)): an expression may be NULL.
            ("varchar(20)utf8mb4 null", 83),
            ("text of utf8mb4/20", 82),
            ("text of latin1/20", 22),
            ("blob/20", 22),
            ("varchar(255)utf8mb4/20", 82),
            ("varchar(255)utf8mb4 null/20", 83),
            ("varbinary(100)/20", 22),
            ("char(100)utf8mb3/20", 60),
            ("binary(100)/20", 20),
            ("uuid", 16),
            ("inet6", 16),
            ("inet4", 4),
        ] {
            check(text, want);
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let of = |text| bytes(&part(text), Temporal::Packed);
        let c = || "c".to_owned();
        for text in ["json", "geometry", "vector(3)", "", "int fast", "point"] {
            assert_eq!(of(text), Err(Refusal::Type(c())), "{text}");
        }
        for text in [
            "varchar of latin1",
            "text of utf8mb4",
            "enum",
            "set",
            "set(65)",
            "set(0)",
            "decimal(66,0)",
            "decimal(5,6)",
            "decimal(0,0)",
            "time(7)",
        ] {
            assert_eq!(of(text), Err(Refusal::Length(c())), "{text}");
        }
        for text in ["varchar(10)", "varchar(10)klingon", "text/10"] {
            assert_eq!(of(text), Err(Refusal::Charset(c())), "{text}");
        }
        assert_eq!(bytes(&part("datetime(3)"), Temporal::Old), Err(Refusal::Length(c())));
        check("varchar(4294967295)utf8mb4 null", u32::MAX);
    }

    /// Parts `name type`, separated by `, `.
    fn parts(text: &str) -> Vec<Part<'_>> {
        let parts = text.split(", ").filter_map(|column| column.split_once(' '));
        parts.map(|(name, column)| Part { name, ..part(column) }).collect()
    }

    #[track_caller]
    fn check_used(index: &str, primary: &str, key_len: u64, want: Option<(usize, usize)>) {
        let got = used(&parts(index), &parts(primary), key_len, Temporal::Packed);
        let got = got.ok().map(|used| (used.parts, used.hidden));
        assert_eq!(got, want, "{index} + {primary}: {key_len}");
    }

    #[test]
    fn leading_parts_are_counted() {
        let orders = "customer_id int, state tinyint, created_at datetime";
        check_used(orders, "", 4, Some((1, 0)));
        check_used(orders, "", 5, Some((2, 0)));
        check_used(orders, "", 10, Some((3, 0)));
        let refs = "ref varchar(32)utf8mb4 null, paid_at datetime(3) null";
        check_used(refs, "", 131, Some((1, 0)));
        check_used(refs, "", 139, Some((2, 0)));
        check_used("total decimal(10,2)", "", 5, Some((1, 0)));
    }

    #[test]
    fn the_primary_key_is_added_behind_a_secondary_index() {
        check_used("cust int", "id bigint", 12, Some((1, 1)));
        check_used("cust int", "id bigint", 4, Some((1, 0)));
        check_used("cust int, id bigint", "id bigint", 12, Some((2, 0)));
        check_used("cust int", "tenant int, id bigint", 8, Some((1, 1)));
        check_used("cust int", "tenant int, id bigint", 16, Some((1, 2)));
        // Of tenant the index has all, so only id is added.
        check_used("TENANT int, cust int", "tenant int, id bigint", 16, Some((2, 1)));
        // A prefix in the index does not stand for the whole column: 4 + 12, then 22 more.
        let url = "cust int, url varchar(20)latin1/10";
        check_used(url, "url varchar(20)latin1", 16, Some((2, 0)));
        check_used(url, "url varchar(20)latin1", 38, Some((2, 1)));
    }

    #[test]
    fn what_does_not_add_up_has_no_answer() {
        check_used("a int, b int", "", 0, None);
        check_used("a int, b int", "", 5, None);
        check_used("a int, b int", "", 9, None);
        check_used("", "", 4, None);
        check_used("a char(0)latin1, b int", "", 4, None);
        check_used("a int, b json", "", u64::MAX, None);
        // What comes behind does not matter where the sum is reached.
        check_used("a int, b json", "", 4, Some((1, 0)));
        let refusal = used(&parts("a int, b int"), &[], 7, Temporal::Packed).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the leading columns add up to 4, 8 bytes, none of which is key_len"
        );
    }
}
