//! Character sets and the collations they have when none is named.

use crate::flavor::Family;

use super::Server;

/// Character sets whose default collation is the same on every server.
#[rustfmt::skip]
const DEFAULTS: &[(&str, &str)] = &[
    ("armscii8", "armscii8_general_ci"), ("ascii", "ascii_general_ci"),
    ("big5", "big5_chinese_ci"), ("binary", "binary"), ("cp1250", "cp1250_general_ci"),
    ("cp1251", "cp1251_general_ci"), ("cp1256", "cp1256_general_ci"),
    ("cp1257", "cp1257_general_ci"), ("cp850", "cp850_general_ci"),
    ("cp852", "cp852_general_ci"), ("cp866", "cp866_general_ci"),
    ("cp932", "cp932_japanese_ci"), ("dec8", "dec8_swedish_ci"),
    ("eucjpms", "eucjpms_japanese_ci"), ("euckr", "euckr_korean_ci"),
    ("gb18030", "gb18030_chinese_ci"), ("gb2312", "gb2312_chinese_ci"),
    ("gbk", "gbk_chinese_ci"), ("geostd8", "geostd8_general_ci"),
    ("greek", "greek_general_ci"), ("hebrew", "hebrew_general_ci"), ("hp8", "hp8_english_ci"),
    ("keybcs2", "keybcs2_general_ci"), ("koi8r", "koi8r_general_ci"),
    ("koi8u", "koi8u_general_ci"), ("latin1", "latin1_swedish_ci"),
    ("latin2", "latin2_general_ci"), ("latin5", "latin5_turkish_ci"),
    ("latin7", "latin7_general_ci"), ("macce", "macce_general_ci"),
    ("macroman", "macroman_general_ci"), ("sjis", "sjis_japanese_ci"),
    ("swe7", "swe7_swedish_ci"), ("tis620", "tis620_thai_ci"), ("ujis", "ujis_japanese_ci"),
];

/// Character sets of Unicode. MariaDB 11.5 gave all of them the collation `uca1400_ai_ci`,
/// MySQL 8.0 gave one of them `0900_ai_ci`; before that it is `general_ci`.
const UNICODE: [&str; 7] = ["utf8", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"];

/// The collation of a character set when none is named; none where it depends on a server that
/// we do not know.
pub(super) fn default_collation(charset: &str, server: Option<&Server>) -> Option<String> {
    if let Some((_, collation)) = DEFAULTS.iter().find(|(name, _)| *name == charset) {
        return Some((*collation).to_owned());
    }
    let server = server.filter(|_| UNICODE.contains(&charset))?;
    let kind = match server.family {
        Family::MariaDb if (server.major, server.minor) >= (11, 5) && charset != "utf16le" => {
            "uca1400_ai_ci"
        }
        Family::MySql if server.major >= 8 && charset == "utf8mb4" => "0900_ai_ci",
        Family::MariaDb | Family::MySql => "general_ci",
        _ => return None,
    };
    Some(format!("{charset}_{kind}"))
}
