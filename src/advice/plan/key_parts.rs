//! Which columns of an index a step uses, by the arithmetic of `key_len` over the schema.

use crate::plan::key_len::{Part, Refusal, Temporal, used};
use crate::plan::{Node, Plan};
use crate::schema::{KeyPart, Schema, Table, TypeName};

use super::names::Names;

/// Fills in `key_parts`, and `used_key_parts` where the print does not tell them. Gives what does
/// not add up, with the line of the step.
pub fn fill(plan: &mut Plan, schema: &Schema) -> Vec<(usize, String)> {
    let mut nodes = std::mem::take(&mut plan.nodes);
    let names = Names::of(plan, Some(schema));
    let mut refusals = Vec::new();
    let mut rest: Vec<&mut Node> = nodes.iter_mut().collect();
    while let Some(node) = rest.pop() {
        if let Err(refusal) = fill_node(node, &names) {
            refusals.push((node.line, refusal));
        }
        rest.extend(node.children.iter_mut());
    }
    plan.nodes = nodes;
    refusals.sort();
    refusals
}

/// Of an index merge, which names several indexes, nothing is told.
fn fill_node(node: &mut Node, names: &Names<'_>) -> Result<(), String> {
    let is_lookup = !matches!(node.access_type.as_deref(), None | Some("index_merge" | "fulltext"));
    let Some(table) = node.table.as_deref().filter(|_| is_lookup).and_then(|it| names.table(it))
    else {
        return Ok(());
    };
    // MariaDB marks the key of a hash that it builds itself.
    let Some(key) =
        node.key.as_deref().filter(|key| !key.starts_with('#') && *key != "distinct_key")
    else {
        return Ok(());
    };
    let Some(index) =
        table.index(key).or_else(|| table.index(key.strip_prefix("#hash#:").unwrap_or(key)))
    else {
        return match table.is_defined && !key.starts_with('<') {
            true => Err(format!("the schema has no index {key} on {}", table.full_name())),
            false => Ok(()),
        };
    };
    let parts = table.key_parts(index);
    node.key_parts = parts.iter().filter(|part| !part.is_hidden).map(name).collect();
    if !node.used_key_parts.is_empty() {
        return Ok(());
    }
    let Some(length) = node.key_len.as_deref().and_then(|length| length.parse::<u64>().ok()) else {
        return Ok(());
    };
    match count(&parts, length) {
        Ok(count) => {
            node.used_key_parts = parts.iter().take(count).map(name).collect();
            Ok(())
        }
        Err(refusal) => Err(told(table, key, length, &refusal)),
    }
}

fn told(table: &Table, key: &str, length: u64, refusal: &Refusal) -> String {
    format!(
        "key_len {length} of index {key} on {} does not tell its columns: {refusal}",
        table.full_name()
    )
}

fn name(part: &KeyPart<'_>) -> String {
    part.column.or(part.expression).unwrap_or_default().to_owned()
}

/// How many of the parts, the hidden ones behind the others, a length takes.
fn count(parts: &[KeyPart<'_>], length: u64) -> Result<usize, Refusal> {
    let own: Vec<Part<'_>> = parts.iter().filter(|part| !part.is_hidden).map(part_of).collect();
    let hidden: Vec<Part<'_>> = parts.iter().filter(|part| part.is_hidden).map(part_of).collect();
    let packed = used(&own, &hidden, length, Temporal::Packed);
    // A table of before 5.6.4 keeps its old times until it is rebuilt.
    let found = match packed {
        Err(Refusal::Sum(_)) => used(&own, &hidden, length, Temporal::Old).or(packed),
        other => other,
    };
    found.map(|used| used.parts + used.hidden)
}

fn part_of<'t>(part: &KeyPart<'t>) -> Part<'t> {
    let data_type = part.data_type;
    let is_time = data_type.is_some_and(|it| {
        matches!(it.name, TypeName::Time | TypeName::DateTime | TypeName::Timestamp)
    });
    Part {
        name: part.column.or(part.expression).unwrap_or_default(),
        type_name: data_type.map_or("", |it| word(it.name)),
        length: data_type.and_then(|it| if is_time { it.decimals } else { it.length }),
        decimals: data_type.and_then(|it| it.decimals).filter(|_| !is_time),
        members: data_type.and_then(|it| u32::try_from(it.members.len()).ok()).filter(|it| *it > 0),
        charset: part.charset,
        nullable: part.is_nullable,
        prefix: part.prefix,
    }
}

/// A type as `key_len` has it; empty where its length is not known.
fn word(name: TypeName) -> &'static str {
    #[rustfmt::skip]
    const WORDS: &[(TypeName, &str)] = &[
        (TypeName::TinyInt,    "tinyint"),    (TypeName::SmallInt,  "smallint"),
        (TypeName::MediumInt,  "mediumint"),  (TypeName::Int,       "int"),
        (TypeName::BigInt,     "bigint"),     (TypeName::Decimal,   "decimal"),
        (TypeName::Float,      "float"),      (TypeName::Double,    "double"),
        (TypeName::Bit,        "bit"),        (TypeName::Year,      "year"),
        (TypeName::Date,       "date"),       (TypeName::Time,      "time"),
        (TypeName::DateTime,   "datetime"),   (TypeName::Timestamp, "timestamp"),
        (TypeName::Char,       "char"),       (TypeName::VarChar,   "varchar"),
        (TypeName::Binary,     "binary"),     (TypeName::VarBinary, "varbinary"),
        (TypeName::TinyText,   "tinytext"),   (TypeName::Text,      "text"),
        (TypeName::MediumText, "mediumtext"), (TypeName::LongText,  "longtext"),
        (TypeName::TinyBlob,   "tinyblob"),   (TypeName::Blob,      "blob"),
        (TypeName::MediumBlob, "mediumblob"), (TypeName::LongBlob,  "longblob"),
        (TypeName::Enum,       "enum"),       (TypeName::Set,       "set"),
        (TypeName::Uuid,       "uuid"),       (TypeName::Inet4,     "inet4"),
        (TypeName::Inet6,      "inet6"),
    ];
    WORDS.iter().find(|(own, _)| *own == name).map_or("", |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// bigint 8; int 4; tinyint 1; varchar(20) utf8mb4 NULL 20 × 4 + 2 + 1 = 83; datetime 5.
    const SCHEMA: &[u8] = b"CREATE TABLE carts (id bigint NOT NULL PRIMARY KEY, buyer int NOT NULL,
        step tinyint NOT NULL, code varchar(20) DEFAULT NULL, seen datetime NOT NULL,
        KEY ix_buyer (buyer, step, seen), KEY ix_code (code)) DEFAULT CHARSET=utf8mb4;";

    #[track_caller]
    fn check(
        query: Option<&str>,
        table: &str,
        key: &str,
        length: &str,
        want: Result<&[&str], &str>,
    ) {
        let mut plan = Plan::default();
        plan.query = query.map(str::to_owned);
        plan.nodes.push(Node {
            line: 4,
            table: Some(table.to_owned()),
            access_type: Some("ref".to_owned()),
            key: Some(key.to_owned()),
            key_len: Some(length.to_owned()),
            ..Node::default()
        });
        let (schema, problems) = Schema::read(SCHEMA, "carts.sql");
        assert_eq!(problems, []);
        let refusals = fill(&mut plan, &schema);
        match want {
            Ok(want) => {
                assert_eq!(plan.nodes[0].used_key_parts, want);
                assert_eq!(refusals, []);
            }
            Err(want) => {
                assert!(plan.nodes[0].used_key_parts.is_empty());
                assert!(
                    refusals.iter().any(|(line, it)| *line == 4 && it.contains(want)),
                    "{refusals:?}"
                );
            }
        }
    }

    #[test]
    fn bytes_tell_the_columns_that_are_used() {
        check(None, "carts", "ix_buyer", "4", Ok(&["buyer"]));
        check(None, "carts", "ix_buyer", "5", Ok(&["buyer", "step"]));
        check(None, "carts", "ix_buyer", "10", Ok(&["buyer", "step", "seen"]));
        check(None, "carts", "ix_code", "83", Ok(&["code"]));
        // InnoDB's hidden part: 83 + 8.
        check(None, "carts", "ix_code", "91", Ok(&["code", "id"]));
        // A datetime of before 5.6.4 has 8 bytes: 4 + 1 + 8.
        check(None, "carts", "ix_buyer", "13", Ok(&["buyer", "step", "seen"]));
    }

    #[test]
    fn what_does_not_add_up_is_said() {
        check(None, "carts", "ix_buyer", "7", Err("add up to 4, 5, 10 bytes"));
        check(None, "carts", "ix_gone", "4", Err("no index ix_gone on carts"));
    }

    #[test]
    fn aliases_are_those_of_the_statement() {
        let query = Some("SELECT 1 FROM carts AS c WHERE c.buyer = 5");
        check(query, "c", "ix_buyer", "4", Ok(&["buyer"]));
        // Without the statement nobody knows what c is.
        check(None, "c", "ix_buyer", "4", Ok(&[]));
        // One name for two tables is no name.
        let two = Some("SELECT 1 FROM carts c WHERE EXISTS (SELECT 1 FROM lines c)");
        check(two, "c", "ix_buyer", "4", Ok(&[]));
    }
}
