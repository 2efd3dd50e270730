//! What stands behind the parentheses of a table: engine, character set, partitions, storage.
//!
//! ```text
//! ) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COMMENT='x' /*!50100 PARTITION BY … */
//! ```

use crate::sql::definition::{Cursor, Refusal, charset_of_collation};

use super::partition::partitions;
use super::table::Table;

/// A character set or collation among the options of a table or database.
pub(super) enum CharsetOption {
    Charset(String),
    Collation(String),
}

pub(super) fn charset_option(cursor: &mut Cursor<'_>) -> Option<CharsetOption> {
    let mut ahead = *cursor;
    ahead.word("DEFAULT");
    let is_charset = ahead.words("CHARACTER SET") || ahead.word("CHARSET");
    if !is_charset && !ahead.word("COLLATE") {
        return None;
    }
    ahead.byte(b'=');
    let name = ahead.name().or_else(|| ahead.string())?.to_ascii_lowercase();
    *cursor = ahead;
    Some(if is_charset { CharsetOption::Charset(name) } else { CharsetOption::Collation(name) })
}

/// The character set that a collation is of, where its name says it.
pub(super) fn charset_of(collation: &str) -> Option<String> {
    charset_of_collation(collation)
}

/// Reads the options behind the parentheses, up to the end of the tokens.
pub(super) fn options(cursor: &mut Cursor<'_>, table: &mut Table, refusals: &mut Vec<Refusal>) {
    while !cursor.is_empty() {
        if cursor.words("PARTITION BY") {
            match partitions(cursor, refusals) {
                Ok(partitions) => table.partitions = Some(partitions),
                Err(refusal) => refusals.push(refusal),
            }
        } else if begins_rows(cursor) {
            // Which columns it adds, and of which types, only the server knows.
            return refusals.push(cursor.refusal("a list of columns instead of a SELECT"));
        } else if !option(cursor, table) {
            refusals.push(cursor.refusal("a table option"));
            pass_unknown(cursor);
        }
    }
}

/// `[IGNORE | REPLACE] [AS] SELECT …`: the rows of a table, and maybe columns.
fn begins_rows(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    let _ = ahead.word("IGNORE") || ahead.word("REPLACE");
    ahead.word("AS");
    while ahead.byte(b'(') {}
    ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| ahead.is_word(word))
        && !{
            let mut system = *cursor;
            system.words("WITH SYSTEM VERSIONING")
        }
}

/// Passes what nobody knows, up to the next option that somebody does.
fn pass_unknown(cursor: &mut Cursor<'_>) {
    while cursor.parenthesized().is_some() || cursor.take().is_some() {
        let is_partition = cursor.clone().words("PARTITION BY");
        if is_partition || option(&mut cursor.clone(), &mut Table::default()) {
            return;
        }
    }
}

/// Takes one option of a table. False, and nothing taken, where none that we know is next.
pub(super) fn option(cursor: &mut Cursor<'_>, table: &mut Table) -> bool {
    if let Some(option) = charset_option(cursor) {
        match option {
            CharsetOption::Charset(charset) => {
                // A collation may stand before its character set.
                let fits = table.collation.as_deref().and_then(charset_of) == Some(charset.clone());
                table.collation = table.collation.take().filter(|_| fits);
                table.charset = Some(charset);
            }
            CharsetOption::Collation(collation) => {
                table.charset = charset_of(&collation).or(table.charset.take());
                table.collation = Some(collation);
            }
        }
        return true;
    }
    let mut ahead = *cursor;
    let is_known = if ahead.word("ENGINE") || ahead.word("TYPE") {
        ahead.byte(b'=');
        let name = ahead.name().or_else(|| ahead.string());
        let has_name = name.is_some();
        table.engine = name.or(table.engine.take());
        has_name
    } else if ahead.word("AUTO_INCREMENT") {
        ahead.byte(b'=');
        table.auto_increment = ahead.number();
        table.auto_increment.is_some()
    } else if ahead.word("ROW_FORMAT") {
        ahead.byte(b'=');
        table.row_format = ahead.name().map(|name| name.to_ascii_uppercase());
        table.row_format.is_some()
    } else if ahead.word("COMMENT") {
        ahead.byte(b'=');
        let comment = ahead.string();
        let has_text = comment.is_some();
        table.comment = comment.filter(|text| !text.is_empty());
        has_text
    } else {
        plain_option(&mut ahead)
    };
    if is_known {
        *cursor = ahead;
    }
    is_known
}

/// Options of storage: nothing that an index or a plan depends on.
fn plain_option(ahead: &mut Cursor<'_>) -> bool {
    if ahead.byte(b',')
        || ahead.words("WITH SYSTEM VERSIONING")
        || ahead.words("START TRANSACTION")
        || ahead.words("STORAGE DISK")
        || ahead.words("STORAGE MEMORY")
    {
        return true;
    }
    let directory = ahead.words("DATA DIRECTORY") || ahead.words("INDEX DIRECTORY");
    let is_listed = directory
        || [
            "UNION",
            "TABLESPACE",
            "CONNECTION",
            "KEY_BLOCK_SIZE",
            "COMPRESSION",
            "ENCRYPTION",
            "AVG_ROW_LENGTH",
            "MAX_ROWS",
            "MIN_ROWS",
            "CHECKSUM",
            "PACK_KEYS",
            "DELAY_KEY_WRITE",
            "STATS_PERSISTENT",
            "STATS_AUTO_RECALC",
            "STATS_SAMPLE_PAGES",
            "INSERT_METHOD",
            "PASSWORD",
            "ENGINE_ATTRIBUTE",
            "SECONDARY_ENGINE",
            "SECONDARY_ENGINE_ATTRIBUTE",
            "AUTOEXTEND_SIZE",
            "TRANSACTIONAL",
            "PAGE_CHECKSUM",
            "TABLE_CHECKSUM",
        ]
        .iter()
        .any(|word| ahead.word(word));
    if is_listed {
        ahead.byte(b'=');
        return ahead.parenthesized().is_some() || ahead.take().is_some();
    }
    // Each engine of MariaDB may have options of its own: `name = value`.
    ahead.name().is_some() && ahead.byte(b'=') && ahead.take().is_some()
}
