//! The statements that take a change of a table back.

use crate::schema::{IndexKind, Method, PartOf, Schema, Table};
use crate::sql::token::{Kind, Token, tokens};

use super::{Finding, IndexProposal};

/// What takes back the statements of a finding, in the order in which it is to run; nothing where
/// they are no changes of indexes, or where what was dropped is not known.
#[must_use]
pub fn undo(finding: &Finding, schema: Option<&Schema>) -> Vec<String> {
    let todo = &finding.recommendation;
    let known = [todo.replaces.as_ref(), todo.index.as_ref()];
    let back: Option<Vec<String>> =
        todo.sql.iter().rev().map(|sql| Change::read(sql)?.back(&known, schema)).collect();
    back.unwrap_or_default()
}

/// A statement on one table: its clauses.
struct Change<'a> {
    /// As written.
    table: &'a str,
    name: Vec<String>,
    clauses: Vec<Vec<Word<'a>>>,
}

#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    kind: Kind,
}

impl Word<'_> {
    fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// A name without its quotes.
    fn name(&self) -> Option<String> {
        match self.kind {
            Kind::Quoted => {
                let inner = self.text.strip_prefix('`').unwrap_or(self.text);
                Some(inner.strip_suffix('`').unwrap_or(inner).replace("``", "`"))
            }
            Kind::Word | Kind::Name => Some(self.text.to_owned()),
            _ => None,
        }
    }
}

impl<'a> Change<'a> {
    /// Reads `ALTER TABLE t clause, clause`.
    fn read(sql: &'a str) -> Option<Change<'a>> {
        let bytes = sql.as_bytes();
        let list: Vec<Token> = tokens(bytes).collect();
        let text = |token: &Token| sql.get(token.range()).unwrap_or_default();
        let word = |token: &Token| Word { text: text(token), kind: token.kind };
        let mut rest = list.iter().peekable();
        let mut next_is = |wanted: &str| rest.next().is_some_and(|token| word(token).is(wanted));
        if !next_is("ALTER") || !next_is("TABLE") {
            return None;
        }
        let first = *rest.next()?;
        let (mut end, mut name) = (first.end, vec![word(&first).name()?]);
        while rest.peek().is_some_and(|token| text(token) == ".") {
            rest.next();
            let part = *rest.next()?;
            (end, name) = (part.end, name.into_iter().chain(word(&part).name()).collect());
        }
        let mut clauses = vec![Vec::new()];
        let mut depth = 0_usize;
        for token in rest {
            match text(token) {
                "," if depth == 0 => clauses.push(Vec::new()),
                ";" if depth == 0 => break,
                sign => {
                    match sign {
                        "(" => depth += 1,
                        ")" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    clauses.last_mut()?.push(word(token));
                }
            }
        }
        Some(Change { table: sql.get(first.start..end)?, name, clauses })
    }

    /// The statement that takes it back.
    fn back(&self, known: &[Option<&IndexProposal>], schema: Option<&Schema>) -> Option<String> {
        let clauses: Option<Vec<Option<String>>> = self
            .clauses
            .iter()
            .rev()
            .map(|clause| self.clause_back(clause, known, schema))
            .collect();
        let clauses: Vec<String> = clauses?.into_iter().flatten().collect();
        (!clauses.is_empty()).then(|| format!("ALTER TABLE {} {}", self.table, clauses.join(", ")))
    }

    /// `Some(None)` of a clause that changes nothing, `None` where it cannot be taken back.
    fn clause_back(
        &self,
        clause: &[Word<'_>],
        known: &[Option<&IndexProposal>],
        schema: Option<&Schema>,
    ) -> Option<Option<String>> {
        let is_index = |word: &Word<'_>| word.is("INDEX") || word.is("KEY");
        match clause {
            [how, ..] if how.is("ALGORITHM") || how.is("LOCK") => Some(None),
            [add, rest @ ..] if add.is("ADD") => {
                let kinds = ["UNIQUE", "FULLTEXT", "SPATIAL"];
                let rest = match rest {
                    [kind, rest @ ..] if kinds.iter().any(|it| kind.is(it)) => rest,
                    rest => rest,
                };
                match rest {
                    [index, name, ..] if is_index(index) => {
                        name.name()?;
                        Some(Some(format!("DROP INDEX {}", name.text)))
                    }
                    [column, name, ..] if column.is("COLUMN") => {
                        name.name()?;
                        Some(Some(format!("DROP COLUMN {}", name.text)))
                    }
                    [primary, key, ..] if primary.is("PRIMARY") && key.is("KEY") => {
                        Some(Some("DROP PRIMARY KEY".to_owned()))
                    }
                    _ => None,
                }
            }
            [drop, index, name] if drop.is("DROP") && is_index(index) => {
                let of_schema = || {
                    let (table, db) = self.name.split_last()?;
                    let table = schema?.table(db.last().map(String::as_str), table)?;
                    definition(table, &name.name()?)
                };
                let proposed = || {
                    let wanted = name.name()?;
                    let mut known = known.iter().copied().flatten();
                    let index = known.find(|it| it.name.as_deref() == Some(wanted.as_str()))?;
                    (!index.columns.is_empty()).then(|| proposal(index))
                };
                let columns =
                    of_schema().or_else(|| Some(format!("INDEX {} {}", name.text, proposed()?)))?;
                Some(Some(format!("ADD {columns}")))
            }
            [alter, index, name, how @ ..] if alter.is("ALTER") && is_index(index) => {
                let back = match how {
                    [how] if how.is("INVISIBLE") => "VISIBLE",
                    [how] if how.is("VISIBLE") => "INVISIBLE",
                    [how] if how.is("IGNORED") => "NOT IGNORED",
                    [not, how] if not.is("NOT") && how.is("IGNORED") => "IGNORED",
                    _ => return None,
                };
                Some(Some(format!("ALTER INDEX {} {back}", name.text)))
            }
            _ => None,
        }
    }
}

/// A name in back quotes.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// The columns of an index that is spoken of, in parentheses.
fn proposal(index: &IndexProposal) -> String {
    let columns = index.columns.iter().map(|column| {
        let length = column.length.map_or(String::new(), |length| format!("({length})"));
        let order = if column.is_descending { " DESC" } else { "" };
        format!("{}{length}{order}", quoted(&column.name))
    });
    format!("({})", columns.collect::<Vec<_>>().join(", "))
}

/// An index as it is declared.
fn definition(table: &Table, name: &str) -> Option<String> {
    let index = table.index(name)?;
    let kind = match index.kind {
        IndexKind::Plain => "",
        IndexKind::Unique => "UNIQUE ",
        IndexKind::FullText => "FULLTEXT ",
        IndexKind::Spatial => "SPATIAL ",
        _ => return None,
    };
    let parts = index.parts.iter().map(|part| {
        let on = match &part.on {
            PartOf::Column(column) => quoted(column),
            PartOf::Expression(expression) => format!("({expression})"),
        };
        let length = part.prefix.map_or(String::new(), |length| format!("({length})"));
        let order = if part.is_descending { " DESC" } else { "" };
        format!("{on}{length}{order}")
    });
    let parts: Vec<String> = parts.collect();
    let using = match index.using {
        Some(Method::Hash) => " USING HASH",
        Some(Method::BTree) => " USING BTREE",
        Some(Method::RTree) | None => "",
    };
    Some(format!("{kind}INDEX {} ({}){using}", quoted(&index.name), parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Action, IndexColumn};

    const SCHEMA: &str =
        "CREATE TABLE `depot`.`vans` (`id` INT PRIMARY KEY, `a b` VARCHAR(90), `yard` INT,
        KEY `yard` (`yard`), UNIQUE KEY `u` (`a b`(20), `yard` DESC), KEY h (`yard`) USING HASH);";

    #[track_caller]
    fn check(sql: &[&str], want: &[&str]) {
        let (schema, problems) = Schema::read(SCHEMA.as_bytes(), "-");
        assert!(problems.is_empty(), "{problems:?}");
        let columns = vec![IndexColumn { name: "yard".to_owned(), ..IndexColumn::default() }];
        let index =
            IndexProposal { table: "other".to_owned(), name: Some("told".to_owned()), columns };
        let mut finding = crate::advice::finding::fixture("IDX001");
        finding.recommendation.action = Action::Replace;
        finding.recommendation.replaces = Some(index);
        finding.recommendation.sql = sql.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(undo(&finding, Some(&schema)), want, "{sql:?}");
    }

    #[test]
    fn what_is_added_is_dropped() {
        check(
            &[
                "ALTER TABLE `depot`.`vans` ADD INDEX `a b_yard` (`a b`(20), `yard` DESC), ALGORITHM=INPLACE, LOCK=NONE",
            ],
            &["ALTER TABLE `depot`.`vans` DROP INDEX `a b_yard`"],
        );
        check(&["ALTER TABLE vans ADD UNIQUE KEY u2 (yard);"], &["ALTER TABLE vans DROP INDEX u2"]);
        check(
            &["ALTER TABLE vans ADD COLUMN low VARCHAR(9) AS (LOWER(`a b`)), ADD INDEX low (low)"],
            &["ALTER TABLE vans DROP INDEX low, DROP COLUMN low"],
        );
    }

    #[test]
    fn what_is_dropped_is_added_as_it_was() {
        check(
            &[
                "ALTER TABLE `depot`.`vans` ADD INDEX n (yard, id)",
                "ALTER TABLE `depot`.`vans` DROP INDEX `yard`",
            ],
            &[
                "ALTER TABLE `depot`.`vans` ADD INDEX `yard` (`yard`)",
                "ALTER TABLE `depot`.`vans` DROP INDEX n",
            ],
        );
        check(
            &["ALTER TABLE vans DROP KEY u"],
            &["ALTER TABLE vans ADD UNIQUE INDEX `u` (`a b`(20), `yard` DESC)"],
        );
        check(
            &["ALTER TABLE vans DROP INDEX h"],
            &["ALTER TABLE vans ADD INDEX `h` (`yard`) USING HASH"],
        );
        check(
            &["ALTER TABLE unknown DROP INDEX told"],
            &["ALTER TABLE unknown ADD INDEX told (`yard`)"],
        );
    }

    #[test]
    fn what_is_hidden_is_shown() {
        check(
            &["ALTER TABLE vans ALTER INDEX u INVISIBLE"],
            &["ALTER TABLE vans ALTER INDEX u VISIBLE"],
        );
        check(
            &["ALTER TABLE vans ALTER INDEX u IGNORED"],
            &["ALTER TABLE vans ALTER INDEX u NOT IGNORED"],
        );
    }

    #[test]
    fn what_cannot_be_taken_back_has_no_undo() {
        for sql in [
            "ALTER TABLE vans MODIFY yard BIGINT",
            "ALTER TABLE vans ADD INDEX n (yard), MODIFY yard BIGINT",
            "ALTER TABLE vans DROP INDEX nowhere",
            "ALTER TABLE vans ADD INDEX (yard)",
            "SELECT 1",
            "ALTER TABLE",
            "",
        ] {
            check(&[sql], &[]);
        }
    }
}
