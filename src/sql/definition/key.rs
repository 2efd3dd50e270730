//! Indexes, foreign keys and checks: the elements of a table that are no columns.

use super::column::column;
use super::{Check, Cursor, Element, ForeignKey, Index, IndexKind, Method, Part, PartOf, Refusal};

/// Reads one element of CREATE TABLE up to the end of its tokens.
///
/// The words that begin a key are reserved, so a bare one is never a column's name; the few that
/// are not (`PERIOD`, `VECTOR`) count only before the word that must follow.
pub fn element(cursor: &mut Cursor<'_>, refusals: &mut Vec<Refusal>) -> Result<Element, Refusal> {
    if let Some(element) = constraint(cursor, refusals)? {
        return Ok(element);
    }
    if cursor.word("LIKE") {
        let (db, name) = cursor.qualified().ok_or_else(|| cursor.refusal("a table name"))?;
        return Ok(Element::Like(db, name));
    }
    if cursor.words("PERIOD FOR") {
        return Ok(Element::Period);
    }
    column(cursor, refusals).map(|it| Element::Column(Box::new(it)))
}

/// Reads an index, a foreign key or a check, if one begins here.
pub fn constraint(
    cursor: &mut Cursor<'_>,
    refusals: &mut Vec<Refusal>,
) -> Result<Option<Element>, Refusal> {
    let is_named = cursor.word("CONSTRAINT");
    let begins_unnamed = ["PRIMARY", "UNIQUE", "FOREIGN", "CHECK"];
    let name = match is_named && !begins_unnamed.iter().any(|word| cursor.is_word(word)) {
        true => Some(cursor.name().ok_or_else(|| cursor.refusal("a constraint name"))?),
        false => None,
    };
    if cursor.words("FOREIGN KEY") {
        return foreign_key(cursor, name, refusals).map(|it| Some(Element::ForeignKey(it)));
    }
    if cursor.is_word("CHECK") {
        let check = check(cursor, name).ok_or_else(|| cursor.refusal("`(`"))?;
        refuse_rest(cursor, "`,` or `)`", refusals);
        return Ok(Some(Element::Check(check)));
    }
    let Some(kind) = kind(cursor) else {
        return match is_named {
            true => Err(cursor.refusal("PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK")),
            false => Ok(None),
        };
    };
    key(cursor, kind, name, refusals).map(|it| Some(Element::Key(it)))
}

/// Takes the words before the name of an index.
fn kind(cursor: &mut Cursor<'_>) -> Option<IndexKind> {
    use IndexKind::{FullText, Plain, Primary, Spatial, Unique, Vector};
    /// More words before fewer.
    const KINDS: &[(&str, IndexKind)] = &[
        ("PRIMARY KEY", Primary),
        ("UNIQUE CLUSTERING KEY", Unique),
        ("UNIQUE KEY", Unique),
        ("UNIQUE INDEX", Unique),
        ("UNIQUE", Unique),
        ("FULLTEXT KEY", FullText),
        ("FULLTEXT INDEX", FullText),
        ("FULLTEXT", FullText),
        ("SPATIAL KEY", Spatial),
        ("SPATIAL INDEX", Spatial),
        ("SPATIAL", Spatial),
        ("VECTOR KEY", Vector),
        ("VECTOR INDEX", Vector),
        ("CLUSTERING KEY", Plain),
        ("CLUSTERING INDEX", Plain),
        ("KEY", Plain),
        ("INDEX", Plain),
    ];
    KINDS.iter().find(|(words, _)| cursor.words(words)).map(|(_, kind)| *kind)
}

/// Reads an index from its name on, up to the end of its tokens.
///
/// - Grammar: `[IF NOT EXISTS] [name] [USING method] "(" parts ")" *option`
/// - Errors: no list of parts. An option that nobody knows is refused and passed over.
pub fn key(
    cursor: &mut Cursor<'_>,
    kind: IndexKind,
    constraint: Option<String>,
    refusals: &mut Vec<Refusal>,
) -> Result<Index, Refusal> {
    cursor.words("IF NOT EXISTS");
    let has_name = !(cursor.is_byte(b'(') || begins_method(cursor));
    let name = if has_name { cursor.name() } else { None };
    // A constraint's name is used where the index has none of its own.
    let mut index = Index::new(kind, name.or(constraint).unwrap_or_default());
    index.using = method(cursor);
    let parts = cursor.parenthesized().ok_or_else(|| cursor.refusal("`(`"))?;
    if parts.is_empty() {
        return Err(parts.refusal("a column of the index"));
    }
    index.parts = key_parts(parts, refusals);
    options(cursor, &mut index, refusals);
    Ok(index)
}

/// `USING BTREE` before the parts; a key may also be named `using` or `type`.
fn begins_method(cursor: &Cursor<'_>) -> bool {
    method(&mut cursor.clone()).is_some()
}

fn method(cursor: &mut Cursor<'_>) -> Option<Method> {
    let mut ahead = *cursor;
    if !(ahead.word("USING") || ahead.word("TYPE")) {
        return None;
    }
    let method = [("BTREE", Method::BTree), ("HASH", Method::Hash), ("RTREE", Method::RTree)];
    let (_, method) = method.into_iter().find(|(word, _)| ahead.word(word))?;
    *cursor = ahead;
    Some(method)
}

/// Reads the parts of an index, from between its parentheses.
pub fn key_parts(list: Cursor<'_>, refusals: &mut Vec<Refusal>) -> Vec<Part> {
    let mut parts = Vec::new();
    for item in list.items(b',') {
        match key_part(item, refusals) {
            Ok(part) => parts.push(part),
            Err(refusal) => refusals.push(refusal),
        }
    }
    parts
}

fn key_part(mut cursor: Cursor<'_>, refusals: &mut Vec<Refusal>) -> Result<Part, Refusal> {
    let mut part = if let Some(inside) = cursor.parenthesized() {
        let on = PartOf::Expression(inside.source());
        Part { on, prefix: None, is_descending: false, cardinality: None }
    } else {
        Part::column(cursor.name().ok_or_else(|| cursor.refusal("a column name"))?)
    };
    if let Some(mut inside) = cursor.parenthesized() {
        part.prefix = inside.number().and_then(|number| u32::try_from(number).ok());
        if part.prefix.is_none() || !inside.is_empty() {
            refusals.push(inside.refusal("the length of a prefix"));
        }
    }
    part.is_descending = cursor.word("DESC");
    let _ = cursor.word("ASC") || cursor.words("WITHOUT OVERLAPS");
    refuse_rest(&mut cursor, "`,` or `)`", refusals);
    Ok(part)
}

fn options(cursor: &mut Cursor<'_>, index: &mut Index, refusals: &mut Vec<Refusal>) {
    while !cursor.is_empty() {
        if option(cursor, index) {
            continue;
        }
        refusals.push(cursor.refusal("an option of the index"));
        // Up to the next one that somebody knows.
        let mut scratch = index.clone();
        while cursor.take().is_some() {
            if cursor.is_empty() || option(&mut cursor.clone(), &mut scratch) {
                break;
            }
        }
    }
}

fn option(cursor: &mut Cursor<'_>, index: &mut Index) -> bool {
    let mut ahead = *cursor;
    if let Some(using) = method(&mut ahead) {
        index.using = Some(using);
    } else if ahead.word("INVISIBLE") || ahead.word("IGNORED") {
        index.is_visible = false;
    } else if ahead.word("VISIBLE") || ahead.words("NOT IGNORED") {
        index.is_visible = true;
    } else if ahead.word("COMMENT") {
        let Some(comment) = ahead.string() else { return false };
        index.comment = Some(comment).filter(|text| !text.is_empty());
    } else if ahead.words("WITH PARSER") || ahead.word("KEY_BLOCK_SIZE") {
        ahead.byte(b'=');
        if ahead.take().is_none() {
            return false;
        }
    } else if ahead.word("ENGINE_ATTRIBUTE") || ahead.word("SECONDARY_ENGINE_ATTRIBUTE") {
        ahead.byte(b'=');
        if ahead.string().is_none() {
            return false;
        }
    } else if !(ahead.word("CLUSTERED") || ahead.word("NONCLUSTERED")) {
        // Each engine of MariaDB may have options of its own: `name = value`.
        if !(ahead.name().is_some() && ahead.byte(b'=') && ahead.take().is_some()) {
            return false;
        }
    }
    *cursor = ahead;
    true
}

/// Reads a foreign key from its optional name on.
fn foreign_key(
    cursor: &mut Cursor<'_>,
    name: Option<String>,
    refusals: &mut Vec<Refusal>,
) -> Result<ForeignKey, Refusal> {
    cursor.words("IF NOT EXISTS");
    let own = if cursor.is_byte(b'(') { None } else { cursor.name() };
    let columns = names(cursor)?;
    let key = references(cursor, name.or(own), columns)?;
    refuse_rest(cursor, "`,` or `)`", refusals);
    Ok(key)
}

/// Takes `REFERENCES` and what belongs to it.
pub(super) fn references(
    cursor: &mut Cursor<'_>,
    name: Option<String>,
    columns: Vec<String>,
) -> Result<ForeignKey, Refusal> {
    if !cursor.word("REFERENCES") {
        return Err(cursor.refusal("REFERENCES"));
    }
    let parent = cursor.qualified().ok_or_else(|| cursor.refusal("a table name"))?;
    let mut key = ForeignKey { name, columns, ..ForeignKey::default() };
    (key.parent_db, key.parent) = parent;
    if cursor.is_byte(b'(') {
        key.parent_columns = names(cursor)?;
    }
    loop {
        if cursor.words("ON DELETE") {
            key.on_delete = action(cursor);
        } else if cursor.words("ON UPDATE") {
            key.on_update = action(cursor);
        } else if !(cursor.word("MATCH") && cursor.take().is_some()) {
            return Ok(key);
        }
    }
}

fn action(cursor: &mut Cursor<'_>) -> Option<String> {
    const ACTIONS: [&str; 5] = ["RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION"];
    ACTIONS.iter().find(|action| cursor.words(action)).map(|action| (*action).to_owned())
}

/// Takes a list of names in parentheses.
fn names(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Refusal> {
    let mut list = cursor.parenthesized().ok_or_else(|| cursor.refusal("`(`"))?;
    let mut names = Vec::new();
    loop {
        names.push(list.name().ok_or_else(|| list.refusal("a column name"))?);
        // MyISAM's old dumps give a prefix here.
        list.parenthesized();
        if !list.byte(b',') {
            break;
        }
    }
    if list.is_empty() { Ok(names) } else { Err(list.refusal("`,` or `)`")) }
}

/// Takes `CHECK (…)`, if it is next.
pub(super) fn check(cursor: &mut Cursor<'_>, name: Option<String>) -> Option<Check> {
    let mut ahead = *cursor;
    if !ahead.word("CHECK") {
        return None;
    }
    let expression = ahead.parenthesized()?.source();
    let is_enforced = !ahead.words("NOT ENFORCED");
    ahead.word("ENFORCED");
    *cursor = ahead;
    Some(Check { name, expression, is_enforced })
}

fn refuse_rest(cursor: &mut Cursor<'_>, expected: &str, refusals: &mut Vec<Refusal>) {
    if !cursor.is_empty() {
        refusals.push(cursor.refusal(expected));
        while cursor.take().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::Live;
    use super::*;

    fn read(text: &str) -> (Option<Element>, Vec<String>) {
        let tokens: Vec<_> = Live::of(text.as_bytes()).collect();
        let mut refusals = Vec::new();
        let read = element(&mut Cursor::new(text.as_bytes(), &tokens), &mut refusals);
        let element = read.map_err(|refusal| refusals.push(refusal)).ok();
        let said = refusals.iter().map(|it| format!("{}: {}", it.at, it.expected)).collect();
        (element, said)
    }

    /// An index as one line: kind, name, parts, marks.
    fn line(index: &Index) -> String {
        let part = |part: &Part| {
            let prefix = part.prefix.map_or(String::new(), |prefix| format!("({prefix})"));
            let desc = if part.is_descending { " DESC" } else { "" };
            match &part.on {
                PartOf::Column(name) => format!("{name}{prefix}{desc}"),
                PartOf::Expression(text) => format!("<{text}>{prefix}{desc}"),
            }
        };
        let parts: Vec<String> = index.parts.iter().map(part).collect();
        let using = index.using.map_or(String::new(), |using| format!(" {using:?}"));
        let hidden = if index.is_visible { "" } else { " hidden" };
        format!("{:?} {} [{}]{using}{hidden}", index.kind, index.name, parts.join(", "))
    }

    #[track_caller]
    fn check_key(text: &str, want: &str) {
        let (element, said) = read(text);
        assert_eq!(said, Vec::<String>::new(), "{text}");
        let Some(Element::Key(index)) = element else { panic!("{text}: {element:?}") };
        assert_eq!(line(&index), want, "{text}");
    }

    #[track_caller]
    fn refused(text: &str, want: &[&str]) {
        assert_eq!(read(text).1, want, "{text}");
    }

    #[test]
    fn keys_of_every_kind() {
        check_key("PRIMARY KEY (`id`,`at`)", "Primary PRIMARY [id, at]");
        check_key("PRIMARY KEY  USING BTREE (`id`)", "Primary PRIMARY [id] BTree");
        check_key("KEY `a``b` (`x`(10) DESC, y ASC)", "Plain a`b [x(10) DESC, y]");
        check_key("UNIQUE (`a`)", "Unique  [a]");
        check_key("CONSTRAINT `u` UNIQUE KEY (a)", "Unique u [a]");
        check_key("CONSTRAINT UNIQUE INDEX k (a)", "Unique k [a]");
        check_key("FULLTEXT `f` (`a`,`b`) /*!50100 WITH PARSER `ngram` */ ", "FullText f [a, b]");
        check_key("SPATIAL KEY `g` (`p`)", "Spatial g [p]");
        check_key("VECTOR KEY `v` (`e`) `M`=6 `DISTANCE`=euclidean", "Vector v [e]");
        check_key("UNIQUE KEY \"ansi\" (\"a\")", "Unique ansi [a]");
        check_key("INDEX USING HASH (a)", "Plain  [a] Hash");
        check_key("KEY `k` (`a`) USING BTREE COMMENT 'x' KEY_BLOCK_SIZE=4", "Plain k [a] BTree");
        check_key("UNIQUE KEY `p` (`id`,`span` WITHOUT OVERLAPS)", "Unique p [id, span]");
    }

    #[test]
    fn parts_may_be_expressions() {
        check_key("KEY `f` ((lower(`a`)) DESC)", "Plain f [<lower(`a`)> DESC]");
        check_key(
            "KEY z ((cast(json_extract(`d`,_utf8mb4'$.z,)') as unsigned array)), id)",
            "Plain z [<cast(json_extract(`d`,_utf8mb4'$.z,)') as unsigned array)>, id]",
        );
    }

    #[test]
    fn hidden_keys_say_so_in_comments_of_both_servers() {
        check_key("KEY `k` (`a`) /*!80000 INVISIBLE */", "Plain k [a] hidden");
        check_key("KEY `k` (`a`) IGNORED", "Plain k [a] hidden");
        check_key("KEY `k` (`a`) NOT IGNORED", "Plain k [a]");
        check_key("KEY `k` (`a`) /*M!999999 IGNORED */", "Plain k [a]");
    }

    #[test]
    fn foreign_keys_name_their_parent() {
        let text = "CONSTRAINT `f` FOREIGN KEY (`a`,`b`) REFERENCES `d`.`t` (`x`,`y`) \
                    MATCH FULL ON DELETE SET NULL ON UPDATE NO ACTION";
        let (Some(Element::ForeignKey(key)), said) = read(text) else { panic!() };
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(key.name.as_deref(), Some("f"));
        assert_eq!((key.columns, key.parent_columns).0, ["a", "b"]);
        assert_eq!((key.parent_db.as_deref(), key.parent.as_str()), (Some("d"), "t"));
        assert_eq!(key.on_delete.as_deref(), Some("SET NULL"));
        assert_eq!(key.on_update.as_deref(), Some("NO ACTION"));
    }

    #[test]
    fn checks_keep_their_text() {
        let (Some(Element::Check(check)), said) = read("CONSTRAINT c CHECK ((`a` > ')') and b)")
        else {
            panic!()
        };
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(check.expression, "(`a` > ')') and b");
        assert!(check.is_enforced);
    }

    #[test]
    fn words_that_are_not_reserved_may_be_columns() {
        for text in ["period int", "vector blob", "`key` int", "clustering int", "type int"] {
            assert!(matches!(read(text), (Some(Element::Column(_)), said) if said.is_empty()));
        }
        assert!(matches!(read("PERIOD FOR SYSTEM_TIME (a, b)").0, Some(Element::Period)));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        refused("KEY k (a) GLITTER KEY_BLOCK_SIZE=1", &["10: an option of the index expected"]);
        refused("KEY k", &["5: `(` expected"]);
        refused("KEY k ()", &["7: a column of the index expected"]);
        refused("KEY k (a(x))", &["9: the length of a prefix expected"]);
        refused("KEY k (a, 5, b)", &["10: a column name expected"]);
        refused("KEY k (a,)", &["9: a column name expected"]);
        refused("FOREIGN KEY (a) t (b)", &["16: REFERENCES expected"]);
        refused(
            "CONSTRAINT c KEEN (a)",
            &["13: PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK expected"],
        );
        refused("CHECK a > 0", &["0: `(` expected"]);
    }
}
