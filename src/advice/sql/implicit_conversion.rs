//! A text column is compared with a number.

use crate::advice::plan::look::{Look, Seen};
use crate::advice::rule::rule;
use crate::advice::{Action, Confidence, Fact, Finding};
use crate::schema::{DataType, TypeName};
use crate::sql::glance::{ColumnName, Comparison, Op, Operand};
use crate::sql::token::{Kind, tokens};

use super::join::{self, Side};
use super::note::{Refused, Why, is_served, refused, severity};

mod read;

pub use self::read::read;

rule! {
    /// A text column is compared with a number, so each of its values is converted.
    ///
    /// **Costs.** '12', '012' and '12abc' all equal 12: no index on the column can be searched, every
    /// row is read and converted.
    /// **Wrong when.** The column holds numbers: then the server converts the literal instead. So it
    /// speaks only where the server says so in a note, or where the schema tells the type.
    /// **Verify.** EXPLAIN an equality again with the number in quotes: access type ref. A range needs a
    /// column of a number type: texts have another order, '10' stands before '9'.
    /// **Source.** MySQL manual, type conversion in expression evaluation; warning 1739, MariaDB's
    /// note 1105.
    ///
    /// ```sql schema
    /// CREATE TABLE parcels (id int PRIMARY KEY, code varchar(20) NOT NULL, weight int NOT NULL, size enum('s', 'l'),
    ///   sent datetime, KEY ix_code (code), KEY ix_weight (weight), KEY ix_sent (sent));
    /// CREATE TABLE scans (id int PRIMARY KEY, parcel int NOT NULL, tag varchar(20));
    /// ```
    /// ```sql finding
    /// SELECT id FROM parcels WHERE code = 4711;
    /// ```
    /// ```sql finding
    /// SELECT id FROM parcels WHERE code IN ('4711', 4712);
    /// ```
    /// ```sql finding
    /// SELECT id FROM parcels WHERE code BETWEEN 5 AND 9;
    /// ```
    /// ```sql finding
    /// SELECT p.id FROM scans s JOIN parcels p ON p.code = s.parcel;
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE code = '4711' AND weight = '5' AND sent > '2026-01-01';
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE code = _latin1'5' OR code = 0x35 OR code = CAST(5 AS CHAR);
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE code = ? OR code = @code;
    /// ```
    /// ```sql clean
    /// SELECT id FROM parcels WHERE size = 1;
    /// ```
    /// ```sql clean
    /// SELECT p.id FROM scans s JOIN parcels p ON p.weight = s.tag;
    /// ```
    /// ```sql finding
    /// SELECT id FROM parcels WHERE code = TRUE;
    /// ```
    Sql "SQL002" "implicit-conversion"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let notes = refused(look.case.plan);
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<(usize, String)> = Vec::new();
    for seen in &look.tables {
        for column in columns(look, seen, &notes) {
            let key = (seen.place, column.name.to_ascii_lowercase());
            if is_served(seen, &column.index) {
                continue;
            }
            if !told.contains(&key) && told.len() < MOST {
                findings.push(finding(look, seen, &column));
                told.push(key);
            }
        }
    }
    findings
}

/// Findings of one plan.
const MOST: usize = 32;

/// A column whose index is lost.
struct Lost<'a> {
    name: String,
    index: String,
    comparison: Option<Comparison>,
    note: Option<&'a Refused>,
}

fn columns<'a>(look: &Look<'_>, seen: &Seen<'_>, notes: &'a [Refused]) -> Vec<Lost<'a>> {
    // No index serves `!=`, whatever the types are.
    let is_wanted = |it: &Comparison| {
        matches!(it.with, Operand::Number(_)) && matches!(it.op, Op::Equal | Op::Range)
    };
    let numbers: Vec<Comparison> = look.comparisons(seen).into_iter().filter(is_wanted).collect();
    let of_column =
        |name: &str| numbers.iter().find(|it| it.column.name.eq_ignore_ascii_case(name)).cloned();
    let noted =
        notes.iter().filter(|note| note.why != Why::Collation && is_of(note, seen)).map(|note| {
            Lost {
                name: note.column.clone(),
                index: note.key.clone(),
                comparison: of_column(&note.column),
                note: Some(note),
            }
        });
    // A note that may be about collations counts as one about types where nothing else is known.
    let noted = noted.filter(|lost| {
        lost.note.is_none_or(|note| note.why == Why::Type)
            || lost.comparison.is_some()
            || look.comparisons(seen).iter().all(|it| !matches!(it.with, Operand::Column(_)))
    });
    let seen_columns = numbers.iter().filter_map(|it| lost_by_schema(look, seen, it));
    noted.chain(seen_columns).chain(lost_in_joins(look, seen)).collect()
}

/// Columns of text that a column of numbers is joined to: an index on numbers serves a text of the
/// row before, one on texts does not serve a number.
fn lost_in_joins<'a>(look: &Look<'_>, seen: &Seen<'_>) -> Vec<Lost<'a>> {
    let lost = join::wanted(look, seen).into_iter().filter(|wanted| {
        let is = |side: Side<'_>, test: fn(&DataType) -> bool| {
            side.column.data_type.as_ref().is_some_and(test)
        };
        is(wanted.own, is_text) && is(wanted.other, DataType::is_numeric)
    });
    lost.map(|wanted| Lost {
        name: wanted.own.column.name.clone(),
        index: wanted.index.name.clone(),
        comparison: Some(wanted.comparison),
        note: None,
    })
    .collect()
}

/// Whether a note is about a table: by its name, or, where it has none, by its indexes.
fn is_of(note: &Refused, seen: &Seen<'_>) -> bool {
    let node = seen.node;
    let keys = [&node.key, &node.possible_keys];
    let has_key =
        keys.into_iter().flatten().any(|keys| keys.split(',').any(|key| key.trim() == note.key));
    match &note.table {
        Some(table) => table.eq_ignore_ascii_case(seen.name) || has_key,
        None => has_key,
    }
}

fn lost_by_schema<'a>(
    look: &Look<'_>,
    seen: &Seen<'_>,
    comparison: &Comparison,
) -> Option<Lost<'a>> {
    let table = look.table(seen)?;
    let name = &comparison.column.name;
    let data_type = table.column(name)?.data_type.as_ref()?;
    if !is_text(data_type) {
        return None;
    }
    // What the step searches by was not lost.
    if join::is_searched(seen, name) {
        return None;
    }
    let node = seen.node;
    let goes_on = || {
        let index = table.index(node.key.as_deref()?)?;
        index
            .parts
            .get(node.used_key_parts.len())
            .filter(|part| join::is_lookup(seen) && part.is_column(name))?;
        Some(index)
    };
    let index = join::led_by(table, name).or_else(goes_on)?;
    Some(Lost {
        name: name.clone(),
        index: index.name.clone(),
        comparison: Some(comparison.clone()),
        note: None,
    })
}

/// An ENUM or SET is a number inside: it is compared by that.
fn is_text(data_type: &DataType) -> bool {
    data_type.has_charset() && !matches!(data_type.name, TypeName::Enum | TypeName::Set)
}

fn finding(look: &Look<'_>, seen: &Seen<'_>, lost: &Lost<'_>) -> Finding {
    let severity = severity(look, seen);
    let (column, index) = (&lost.name, &lost.index);
    let with = match lost.comparison.as_ref().map(|it| &it.with) {
        Some(Operand::Number(number)) => format!("is compared with the number {number}"),
        Some(Operand::Column(ColumnName { table: Some(table), name })) => {
            format!("is compared with `{table}`.`{name}`, which is a number")
        }
        _ => "is compared with a value of another type".to_owned(),
    };
    let title = format!("`{}`.`{column}` {with}: index `{index}` cannot be searched", seen.name);
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.confidence = if lost.note.is_some() { Confidence::High } else { Confidence::Medium };
    finding.subject.columns = vec![format!("{}.{column}", look.names.full_name(seen.name))];
    finding.evidence.push(Fact::text("index", index));
    finding.evidence.extend(lost.comparison.as_ref().map(|it| Fact::text("comparison", &it.text)));
    finding.evidence.extend(lost.note.map(|note| Fact::text("note", &note.message)));
    let data_type = look.table(seen).and_then(|table| table.column(column)?.data_type.as_ref());
    finding
        .evidence
        .extend(data_type.map(|it| Fact::text("type", format!("{:?}", it.name).to_lowercase())));
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.action = Action::Rewrite;
    finding.recommendation.text = format!(
        "{} The index is there; a new one would not help, for each stored text has to be converted to be compared with \
         a number.",
        advice(lost.comparison.as_ref())
    );
    let texts = [look.names.text, seen.condition];
    let is_plain = !texts.into_iter().flatten().any(takes_truth_as_value);
    let rewritten = lost.comparison.as_ref().filter(|_| is_plain).and_then(rewritten);
    finding.recommendation.sql.extend(rewritten);
    finding.verify = format!(
        "EXPLAIN again with values of one type: `{}` is read by index `{index}`, type ref or range.",
        seen.name
    );
    finding
}

/// What to do depends on the comparison: an equality finds the same rows with its number in quotes
/// as long as each number has one spelling; the order of texts is never that of numbers.
fn advice(comparison: Option<&Comparison>) -> &'static str {
    match comparison.map(|it| (it.op, &it.with)) {
        Some((_, Operand::Column(_))) => {
            "Make both columns the same type, or CAST the number to CHAR in the comparison."
        }
        Some((Op::Range, _)) => {
            "Change the column to a number type. Quotes around the constant would change the result: texts have another \
             order, '10' stands before '9'."
        }
        Some(_) => {
            "Quote the constant, or bind it as a string; where a number is stored in several spellings ('5', '05'), change \
             the column to a number type."
        }
        None => {
            "Quote the constant of an equality, or bind it as a string; for a range change the column to a number type."
        }
    }
}

/// `ref = 5` with its number in quotes. Nothing of a range, for texts have another order; of a list
/// of several; of a number with a second spelling, which the text in the column may have; and of 0,
/// which each text without digits equals.
fn rewritten(comparison: &Comparison) -> Option<String> {
    let Operand::Number(number) = &comparison.with else { return None };
    let is_canonical = number.bytes().all(|b| b.is_ascii_digit())
        && number.bytes().next().is_some_and(|b| b != b'0');
    if comparison.op != Op::Equal || !is_canonical {
        return None;
    }
    let (text, end) = match comparison.text.strip_suffix(')') {
        Some(list) => (list.trim_end(), ")"),
        None => (comparison.text.as_str(), ""),
    };
    let head = text.strip_suffix(number.as_str())?;
    let before = head.trim_end();
    let is_alone =
        if end.is_empty() { before.ends_with(['=', '>']) } else { before.ends_with('(') };
    is_alone.then(|| format!("{head}'{number}'{end}"))
}

/// Whether a comparison may count by not being true: under NOT or XOR, or as a value of another
/// comparison. Then a text that is no longer equal adds rows.
fn takes_truth_as_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let tokens: Vec<(Kind, &[u8])> =
        tokens(bytes).take(MOST_TOKENS).map(|token| (token.kind, token.of(bytes))).collect();
    let word = |at: usize| match tokens.get(at) {
        Some((Kind::Word, word)) => String::from_utf8_lossy(word).to_ascii_uppercase(),
        _ => String::new(),
    };
    let sign = |at: usize| tokens.get(at).map_or(&[][..], |(_, text)| text);
    (0..tokens.len()).any(|at| match word(at).as_str() {
        // Words that negate themselves alone.
        "NOT" => match word(at + 1).as_str() {
            "NULL" | "LIKE" | "BETWEEN" | "REGEXP" | "RLIKE" => false,
            "IN" => word(at + 3) == "SELECT",
            _ => true,
        },
        "XOR" => true,
        _ => {
            sign(at) == b"!"
                || sign(at) == b")" && (word(at + 1) == "IS" || COMPARE.contains(&sign(at + 1)))
        }
    })
}

/// Tokens of a statement that are looked at.
const MOST_TOKENS: usize = 200_000;
const COMPARE: &[&[u8]] = &[b"=", b"<=>", b"<>", b"!=", b"<", b"<=", b">", b">="];

#[cfg(test)]
mod tests {
    use crate::advice::plan::fixture::{Given, check, line, tsv};
    use crate::advice::{Action, Confidence, Severity};

    const SCHEMA: &str = "CREATE TABLE parcels (id int NOT NULL PRIMARY KEY, code varchar(20) NOT NULL, weight int NOT NULL, \
        note varchar(9), KEY ix_code (code), KEY ix_weight (weight));";

    fn plan() -> String {
        tsv(&[&line("parcels", "ALL", "-", "90000", "10.00", "Using where")])
    }

    #[test]
    fn a_text_column_against_a_number_is_told_from_schema_and_statement() {
        let text = plan();
        let given = |query| Given::plan(&text).schema(SCHEMA).query(query);
        let finding = check(
            &given("SELECT id FROM parcels WHERE code = 4711"),
            "SQL002",
            Some(Severity::Medium),
        )
        .unwrap();
        assert_eq!(finding.subject.columns, ["parcels.code"]);
        assert_eq!(finding.recommendation.action, Action::Rewrite);
        assert_eq!(finding.recommendation.sql, ["code = '4711'"]);
        assert_eq!(finding.confidence, Confidence::Medium);
        // The scan is its effect.
        check(&given("SELECT id FROM parcels WHERE code = 4711"), "PLAN001", None);
        for query in [
            "SELECT id FROM parcels WHERE code = '4711'",
            // The literal is converted, not the column.
            "SELECT id FROM parcels WHERE weight = '5'",
            "SELECT id FROM parcels WHERE weight = 5",
            // No index is lost.
            "SELECT id FROM parcels WHERE note = 5",
            "SELECT id FROM parcels WHERE code = ?",
            // No index serves that, whatever the types are.
            "SELECT id FROM parcels WHERE code <> 5",
        ] {
            check(&given(query), "SQL002", None);
        }
        check(
            &Given::plan(&text).query("SELECT id FROM parcels WHERE code = 4711"),
            "SQL002",
            None,
        );
    }

    #[test]
    fn an_index_on_texts_does_not_serve_a_number_of_another_table() {
        let schema = format!(
            "{SCHEMA} CREATE TABLE scans (parcel int NOT NULL, tag varchar(20), KEY ix_parcel (parcel));"
        );
        let of = |first: &str, second: &str, query: &str| {
            let text = tsv(&[
                &line(first, "ALL", "-", "50", "100.00", "-"),
                &line(
                    second,
                    "ALL",
                    "-",
                    "90000",
                    "10.00",
                    "Using where; Using join buffer (hash join)",
                ),
            ]);
            let findings = crate::advice::plan::fixture::review(
                &Given::plan(&text).schema(&schema).query(query),
            );
            let found = findings.into_iter().find(|it| it.rule == "SQL002");
            found.map(|it| it.subject.columns.join(","))
        };
        let by_number = "SELECT 1 FROM scans JOIN parcels ON parcels.code = scans.parcel";
        assert_eq!(of("scans", "parcels", by_number).as_deref(), Some("parcels.code"));
        // The index on numbers is the one wanted, and serves.
        assert_eq!(
            of(
                "parcels",
                "scans",
                "SELECT 1 FROM parcels JOIN scans ON scans.parcel = parcels.code"
            ),
            None
        );
        let by_text = "SELECT 1 FROM scans JOIN parcels ON parcels.code = scans.tag";
        assert_eq!(of("scans", "parcels", by_text), None);
    }

    #[test]
    fn notes_of_the_server_prove_it() {
        let mysql = format!(
            "{}\nLevel\tCode\tMessage\nWarning\t1739\tCannot use ref access on index 'ix_code' due to type or collation conversion on field 'code'\n",
            plan().replace("\tALL\tNULL\t", "\tALL\tix_code\t")
        );
        let finding = check(&Given::plan(&mysql), "SQL002", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.confidence, Confidence::High);
        assert_eq!(finding.subject.columns, ["parcels.code"]);
        let maria = format!(
            "{}\nLevel\tCode\tMessage\nNote\t1105\tCannot use key `ix_code` part[0] for lookup: `depot`.`parcels`.`code` of type `varchar` = \"4711\" of type `int`\n",
            plan()
        );
        check(&Given::plan(&maria), "SQL002", Some(Severity::Medium));
        let collation = maria.replace(
            "of type `varchar` = \"4711\" of type `int`",
            "of collation `utf8mb4_bin` = `p`.`c` of collation `latin1_swedish_ci`",
        );
        check(&Given::plan(&collation), "SQL002", None);
        check(&Given::plan(&collation), "SQL025", Some(Severity::Medium));
    }

    /// What is proposed in place of a comparison with a number.
    #[track_caller]
    fn proposes(query: &str, want: &[&str]) {
        let text = plan();
        let given = Given::plan(&text).schema(SCHEMA).query(query);
        let finding = check(&given, "SQL002", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.recommendation.sql, want, "{query}");
    }

    #[test]
    fn only_an_equality_with_a_number_of_one_spelling_is_rewritten() {
        proposes("SELECT id FROM parcels WHERE code = 5", &["code = '5'"]);
        proposes("SELECT id FROM parcels WHERE code <=> 5", &["code <=> '5'"]);
        proposes("SELECT id FROM parcels WHERE code IN (5)", &["code IN ('5')"]);
        proposes("SELECT id FROM parcels WHERE code = 5 AND note NOT IN ('a')", &["code = '5'"]);
        for condition in [
            // '10' < '5'
            "code > 5",
            "code <= 5",
            "code BETWEEN 5 AND 9",
            "code IN (5, 6)",
            // '5' = 05, 5e0, 5.0; 'x' = 0.
            "code = 05",
            "code = 5e0",
            "code = 5.0",
            "code = -5",
            "code = 0",
            // '05' comes in.
            "NOT code = 5",
            "NOT (weight = 3 AND code = 5)",
            "!(code = 5)",
            "(code = 5) IS NULL",
            "(code = 5) IS NOT TRUE",
            "(code = 5) = 0",
            "code = 5 XOR weight = 3",
        ] {
            proposes(&format!("SELECT id FROM parcels WHERE {condition}"), &[]);
        }
    }

    #[test]
    fn a_range_is_not_told_to_be_quoted() {
        let text = plan();
        let given =
            Given::plan(&text).schema(SCHEMA).query("SELECT id FROM parcels WHERE code > 5");
        let finding = check(&given, "SQL002", Some(Severity::Medium)).unwrap();
        assert!(finding.recommendation.text.starts_with("Change the column to a number type."));
    }
}
