//! One column: name, type, and attributes in any order.

use super::super::token::Kind;
use super::key::{check, references};
use super::types::{TypeName, data_type};
use super::{ColumnElement, Cursor, DefaultValue, Generated, Place, Refusal};

/// Reads a column's definition up to the end of its tokens.
///
/// - Grammar: `name type *attribute`, attributes in any order as servers take them.
/// - Errors: no name or no type. An attribute that nobody knows is refused and passed over.
/// - Source: manuals of MySQL 9 and MariaDB 11, CREATE TABLE.
pub fn column(
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<ColumnElement, Refusal> {
    let mut element = ColumnElement::default();
    let column = &mut element.column;
    column.name = cursor.name().ok_or_else(|| cursor.refusal("a column name"))?;
    // Generated columns of MariaDB, and those of a CREATE TABLE … SELECT, may lack a type.
    column.is_nullable = true;
    if !(cursor.is_word("AS") || cursor.is_word("GENERATED")) {
        let written = data_type(cursor, refusals).ok_or_else(|| cursor.refusal("a data type"))?;
        column.charset = written.is_national.then(|| "utf8mb3".to_owned());
        column.is_auto_increment = written.is_serial;
        column.is_nullable = !written.is_serial;
        element.is_unique = written.is_serial;
        column.data_type = Some(written.data_type);
    }
    while !cursor.is_empty() {
        if !attribute(cursor, &mut element, refusals) {
            refusals.push(cursor.refusal("a column attribute"));
            pass_unknown(cursor);
        }
    }
    settle_charset(&mut element);
    Ok(element)
}

/// Passes what nobody knows, up to the next attribute that somebody does.
fn pass_unknown(cursor: &mut Cursor<'_>) {
    while cursor.parenthesized().is_some() || cursor.take().is_some() {
        // Tried on copies: only whether it is an attribute matters here.
        let mut scratch = ColumnElement::default();
        if attribute(&mut cursor.clone(), &mut scratch, &mut Vec::new()) {
            return;
        }
    }
}

/// Takes one attribute. False, and nothing taken, where none that we know is next.
fn attribute(
    cursor: &mut Cursor<'_>,
    element: &mut ColumnElement,
    refusals: &mut Vec<Refusal>,
) -> bool {
    nullness(cursor, element)
        || text_attribute(cursor, element)
        || value(cursor, element, refusals)
        || generated(cursor, element)
        || key_or_check(cursor, element, refusals)
        || place(cursor, element)
        || storage(cursor)
}

fn nullness(cursor: &mut Cursor<'_>, element: &mut ColumnElement) -> bool {
    let column = &mut element.column;
    if cursor.words("NOT NULL") {
        column.is_nullable = false;
    } else if cursor.word("NULL") {
        column.is_nullable = true;
    } else if cursor.word("INVISIBLE") {
        column.is_invisible = true;
    } else if cursor.word("VISIBLE") {
        column.is_invisible = false;
    } else if cursor.word("AUTO_INCREMENT") {
        column.is_auto_increment = true;
    } else if cursor.word("UNSIGNED") || cursor.word("ZEROFILL") {
        if let Some(data_type) = &mut column.data_type {
            data_type.is_unsigned = true;
        }
    } else {
        return cursor.word("SIGNED");
    }
    true
}

/// Character set, collation and comment.
fn text_attribute(cursor: &mut Cursor<'_>, element: &mut ColumnElement) -> bool {
    let mut ahead = *cursor;
    let column = &mut element.column;
    if ahead.words("CHARACTER SET") || ahead.word("CHARSET") {
        ahead.byte(b'=');
        let Some(charset) = ahead.name().or_else(|| ahead.string()) else { return false };
        column.charset = Some(charset.to_ascii_lowercase());
    } else if ahead.word("COLLATE") {
        ahead.byte(b'=');
        let Some(collation) = ahead.name().or_else(|| ahead.string()) else { return false };
        column.collation = Some(collation.to_ascii_lowercase());
    } else if ahead.word("ASCII") {
        column.charset = Some("latin1".to_owned());
    } else if ahead.word("UNICODE") {
        column.charset = Some("ucs2".to_owned());
    } else if ahead.word("BINARY") {
        // The collation is found once the character set is: see `settle_charset`.
        column.collation.get_or_insert_with(String::new);
    } else if ahead.word("COMMENT") {
        let Some(comment) = ahead.string() else { return false };
        column.comment = Some(comment).filter(|text| !text.is_empty());
    } else {
        return false;
    }
    *cursor = ahead;
    true
}

/// A collation implies its character set; `BINARY` is the `_bin` collation of the set.
fn settle_charset(element: &mut ColumnElement) {
    let column = &mut element.column;
    match (&column.collation, &column.charset) {
        (Some(collation), charset) if collation.is_empty() => {
            // Of the table's character set, where the column has none: the table adds it.
            column.collation = Some(format!("{}_bin", charset.as_deref().unwrap_or_default()));
        }
        (Some(collation), None) => column.charset = charset_of_collation(collation),
        _ => {}
    }
    // JSON of MariaDB is a long text with its own character set; it has none to choose.
    if column.data_type.as_ref().is_some_and(|data_type| data_type.name == TypeName::Json) {
        column.charset = None;
        column.collation = None;
    }
}

/// The character set that a collation is of; none where it does not say (`uca1400_ai_ci`).
pub fn charset_of_collation(collation: &str) -> Option<String> {
    let charset = collation.split('_').next().unwrap_or_default();
    let says_none = charset.is_empty() || charset == "uca1400" || charset == "default";
    (!says_none).then(|| charset.to_owned())
}

/// DEFAULT and ON UPDATE.
fn value(
    cursor: &mut Cursor<'_>,
    element: &mut ColumnElement,
    refusals: &mut Vec<Refusal>,
) -> bool {
    if cursor.word("DEFAULT") {
        element.column.default = default_value(cursor);
        if element.column.default.is_none() {
            refusals.push(cursor.refusal("a default value"));
        }
        return true;
    }
    if cursor.words("ON UPDATE") {
        element.column.on_update = call(cursor);
        if element.column.on_update.is_none() {
            refusals.push(cursor.refusal("a function"));
        }
        return true;
    }
    false
}

fn default_value(cursor: &mut Cursor<'_>) -> Option<DefaultValue> {
    let start = *cursor;
    if cursor.word("NULL") {
        return Some(DefaultValue::Null);
    }
    if let Some(inside) = cursor.parenthesized() {
        return Some(DefaultValue::Expression(inside.source()));
    }
    if cursor.words("NEXT VALUE FOR") && cursor.qualified().is_some() {
        return Some(DefaultValue::Expression(start.up_to(cursor).source()));
    }
    // `_utf8mb4'x'`
    let mut ahead = *cursor;
    if ahead.peek_bytes().starts_with(b"_")
        && ahead.take().is_some()
        && let Some(text) = ahead.string()
    {
        *cursor = ahead;
        return Some(DefaultValue::Literal(text));
    }
    if let Some(text) = cursor.string() {
        return Some(DefaultValue::Literal(text));
    }
    let _ = cursor.byte(b'-') || cursor.byte(b'+');
    let token = cursor.peek()?;
    if token.kind == Kind::Literal {
        cursor.take();
        return Some(DefaultValue::Literal(start.up_to(cursor).source()));
    }
    call(cursor).map(DefaultValue::Expression)
}

/// `CURRENT_TIMESTAMP`, `now(6)`, `` nextval(`db`.`s`) ``; also `db.f(x)`.
fn call(cursor: &mut Cursor<'_>) -> Option<String> {
    let start = *cursor;
    cursor.qualified()?;
    cursor.parenthesized();
    Some(start.up_to(cursor).source())
}

fn generated(cursor: &mut Cursor<'_>, element: &mut ColumnElement) -> bool {
    let mut ahead = *cursor;
    ahead.words("GENERATED ALWAYS");
    if ahead.word("AS") {
        let start = ahead;
        let expression = if let Some(inside) = ahead.parenthesized() {
            inside.source()
        } else if ahead.words("ROW START") || ahead.words("ROW END") {
            start.up_to(&ahead).source()
        } else {
            return false;
        };
        *cursor = ahead;
        element.column.generated = Some(Generated { expression, is_stored: false });
        return true;
    }
    if let Some(generated) = &mut element.column.generated {
        if cursor.word("STORED") || cursor.word("PERSISTENT") {
            generated.is_stored = true;
            return true;
        }
        return cursor.word("VIRTUAL");
    }
    false
}

fn key_or_check(
    cursor: &mut Cursor<'_>,
    element: &mut ColumnElement,
    refusals: &mut Vec<Refusal>,
) -> bool {
    if cursor.words("PRIMARY KEY") || cursor.word("PRIMARY") || cursor.word("KEY") {
        element.is_primary = true;
        element.column.is_nullable = false;
    } else if cursor.words("UNIQUE KEY") || cursor.word("UNIQUE") {
        element.is_unique = true;
    } else if cursor.is_word("REFERENCES") {
        let column = vec![element.column.name.clone()];
        match references(cursor, None, column) {
            Ok(key) => element.references = Some(key),
            Err(refusal) => refusals.push(refusal),
        }
    } else {
        let mut ahead = *cursor;
        let name = match ahead.word("CONSTRAINT") {
            true if ahead.is_word("CHECK") => None,
            true => ahead.name(),
            false => None,
        };
        let Some(check) = check(&mut ahead, name) else { return false };
        *cursor = ahead;
        element.checks.push(check);
    }
    true
}

fn place(cursor: &mut Cursor<'_>, element: &mut ColumnElement) -> bool {
    let mut ahead = *cursor;
    if ahead.word("FIRST") {
        element.place = Some(Place::First);
    } else if ahead.word("AFTER") {
        let Some(name) = ahead.name() else { return false };
        element.place = Some(Place::After(name));
    } else {
        return false;
    }
    *cursor = ahead;
    true
}

/// Attributes of storage: nothing that an index or a plan depends on.
fn storage(cursor: &mut Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    let is_known = ahead.words("NOT SECONDARY")
        || ahead.words("WITHOUT SYSTEM VERSIONING")
        || ahead.words("WITH SYSTEM VERSIONING")
        || ahead.words("INVISIBLE SYSTEM")
        || ((ahead.words("COLUMN_FORMAT COMPRESSED") || ahead.word("COMPRESSED"))
            && compression(&mut ahead))
        || ((ahead.word("COLUMN_FORMAT") || ahead.word("STORAGE") || ahead.word("SRID"))
            && ahead.take().is_some())
        || option(&mut ahead);
    if is_known {
        *cursor = ahead;
    }
    is_known
}

fn compression(ahead: &mut Cursor<'_>) -> bool {
    // `COMPRESSED=zlib` of MariaDB, `COMPRESSED WITH COMPRESSION_DICTIONARY d` of Percona.
    if ahead.byte(b'=') || ahead.words("WITH COMPRESSION_DICTIONARY") {
        return ahead.take().is_some();
    }
    true
}

/// `name = value`: each engine of MariaDB may have options of its own.
fn option(ahead: &mut Cursor<'_>) -> bool {
    let attribute = ahead.word("ENGINE_ATTRIBUTE") || ahead.word("SECONDARY_ENGINE_ATTRIBUTE");
    if attribute {
        ahead.byte(b'=');
        return ahead.string().is_some();
    }
    ahead.name().is_some() && ahead.byte(b'=') && ahead.take().is_some()
}

#[cfg(test)]
mod tests {
    use super::super::Live;
    use super::*;

    fn read(text: &str) -> (Option<ColumnElement>, Vec<String>) {
        let tokens: Vec<_> = Live::of(text.as_bytes()).collect();
        let mut refusals = Vec::new();
        let read = column(&mut Cursor::new(text.as_bytes(), &tokens), &mut refusals);
        let element = read.map_err(|refusal| refusals.push(refusal)).ok();
        let said = refusals.iter().map(|it| format!("{}: {}", it.at, it.expected)).collect();
        (element, said)
    }

    /// What is read of a column that no part is refused of.
    #[track_caller]
    fn column_of(text: &str) -> ColumnElement {
        let (element, said) = read(text);
        assert_eq!(said, Vec::<String>::new(), "{text}");
        element.unwrap()
    }

    #[track_caller]
    fn refused(text: &str, want: &[&str]) {
        assert_eq!(read(text).1, want, "{text}");
    }

    #[test]
    fn attributes_come_in_any_order() {
        let element = column_of("`a` int unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s; a)' KEY");
        assert!(element.is_primary && element.column.is_auto_increment);
        assert!(!element.column.is_nullable);
        assert!(element.column.data_type.unwrap().is_unsigned);
        assert_eq!(element.column.comment.as_deref(), Some("it's; a)"));
        let serial = column_of("id SERIAL");
        assert!(serial.is_unique && serial.column.is_auto_increment);
        assert!(!serial.column.is_nullable);
    }

    #[test]
    fn defaults_are_told_apart() {
        #[track_caller]
        fn check(text: &str, want: DefaultValue) {
            assert_eq!(column_of(&format!("a int {text}")).column.default, Some(want), "{text}");
        }
        let literal = |text: &str| DefaultValue::Literal(text.to_owned());
        let expression = |text: &str| DefaultValue::Expression(text.to_owned());
        check("DEFAULT NULL", DefaultValue::Null);
        check("DEFAULT 'x\\ny' NOT NULL", literal("x\ny"));
        check("DEFAULT -1.50", literal("-1.50"));
        check("DEFAULT b'0'", literal("b'0'"));
        check("DEFAULT _utf8mb4'x'", literal("x"));
        check(
            "DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
            expression("CURRENT_TIMESTAMP"),
        );
        check("DEFAULT current_timestamp(6) NULL", expression("current_timestamp(6)"));
        check("DEFAULT (uuid_to_bin(uuid(), 1)) COMMENT 'x'", expression("uuid_to_bin(uuid(), 1)"));
        check("DEFAULT nextval(`s`.`q`)", expression("nextval(`s`.`q`)"));
        check("DEFAULT NEXT VALUE FOR s.q NULL", expression("NEXT VALUE FOR s.q"));
    }

    #[test]
    fn character_sets_come_from_the_column_or_its_collation() {
        #[track_caller]
        fn check(text: &str, charset: Option<&str>, collation: Option<&str>) {
            let column = column_of(text).column;
            let got = (column.charset.as_deref(), column.collation.as_deref());
            assert_eq!(got, (charset, collation), "{text}");
        }
        check("a varchar(9)", None, None);
        check("a varchar(9) CHARACTER SET latin1 NOT NULL", Some("latin1"), None);
        check("a text COLLATE UTF8MB4_bin", Some("utf8mb4"), Some("utf8mb4_bin"));
        check("a text collate 'latin1_german1_ci'", Some("latin1"), Some("latin1_german1_ci"));
        check("a varchar(9) COLLATE uca1400_ai_ci", None, Some("uca1400_ai_ci"));
        check("a varchar(9) BINARY CHARACTER SET utf8", Some("utf8"), Some("utf8_bin"));
        check("a varchar(9) BINARY", None, Some("_bin"));
        check("a nchar(9)", Some("utf8mb3"), None);
        check("a char(9) ascii", Some("latin1"), None);
    }

    #[test]
    fn generated_columns_say_how() {
        #[track_caller]
        fn check(text: &str, expression: &str, is_stored: bool) {
            let want = Generated { expression: expression.to_owned(), is_stored };
            assert_eq!(column_of(text).column.generated, Some(want), "{text}");
        }
        check("a int GENERATED ALWAYS AS ((`b` + 1)) VIRTUAL NOT NULL", "(`b` + 1)", false);
        check("a int AS (concat(b, ')')) PERSISTENT COMMENT 'x'", "concat(b, ')')", true);
        check("a timestamp(6) GENERATED ALWAYS AS ROW START", "ROW START", false);
        check("a int GENERATED ALWAYS AS (b) STORED /*!80023 INVISIBLE */", "b", true);
    }

    #[test]
    fn constraints_of_a_column_belong_to_the_table() {
        let element = column_of("a int CONSTRAINT c CHECK (a > 0) NOT ENFORCED REFERENCES t (id)");
        assert_eq!(element.checks[0].name.as_deref(), Some("c"));
        assert!(!element.checks[0].is_enforced);
        assert_eq!(element.references.unwrap().parent, "t");
    }

    #[test]
    fn attributes_of_storage_are_passed() {
        column_of("p point NOT NULL SRID 4326 COLUMN_FORMAT FIXED STORAGE DISK");
        column_of("a text COMPRESSED=zlib encrypted=yes");
        column_of("a int ENGINE_ATTRIBUTE='{}' NOT SECONDARY WITHOUT SYSTEM VERSIONING");
        column_of("a text COLUMN_FORMAT COMPRESSED WITH COMPRESSION_DICTIONARY d");
    }

    #[test]
    fn an_unknown_attribute_costs_itself() {
        refused("a int SPARKLY (9) NOT NULL", &["6: a column attribute expected"]);
        let (element, _) = read("a int SPARKLY (9) NOT NULL DEFAULT 4");
        let column = element.unwrap().column;
        assert!(!column.is_nullable);
        assert_eq!(column.default, Some(DefaultValue::Literal("4".to_owned())));
        refused(
            "a int NOT SHINY NULL COMMENT 5",
            &["6: a column attribute expected", "21: a column attribute expected"],
        );
        refused("a", &["1: a data type expected"]);
        refused("5 int", &["0: a column name expected"]);
        refused("a int DEFAULT", &["13: a default value expected"]);
    }
}
