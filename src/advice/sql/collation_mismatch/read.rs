//! The same of a statement, where the schema tells both columns.

use crate::advice::{Action, Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::schema::TypeName;
use crate::sql::shape::{Column, Condition, Op, Operand, Test};

use super::super::statement::{At, Known, Statement, in_title};
use super::RULE;

/// Rows of both sides below which a lost index does not matter.
const FEW: u64 = 1_000;

/// What becomes of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The index of this column is lost.
    Lost,
    /// The statement fails with error 1267.
    Refused,
}

pub fn read(statement: &Statement<'_>) -> Vec<Finding> {
    let met = statement.conditions();
    let found = met.iter().find_map(|met| match &met.conjunct.condition {
        Condition::Test(test) => of_test(statement, test),
        _ => None,
    });
    found.into_iter().collect()
}

fn of_test(statement: &Statement<'_>, test: &Test) -> Option<Finding> {
    let Op::Equal(Operand::Column(other)) = &test.op else { return None };
    let (one, two) = (side(statement, &test.column)?, side(statement, other)?);
    let pairs = [(one, two, &test.column, other), (two, one, other, &test.column)];
    pairs.into_iter().find_map(|(own, partner, column, with)| {
        let fate = fate(statement, own, partner)?;
        let (at, of_other) = (column.of?, with.of?);
        if fate == Fate::Lost && !is_wanted(statement, (at, column), (of_other, with)) {
            return None;
        }
        Some(finding(statement, test, (own, column, at), (partner, with), fate))
    })
}

fn side<'a>(statement: &Statement<'a>, column: &Column) -> Option<Known<'a>> {
    statement.column(column).filter(|it| {
        it.data_type().is_some_and(|own| {
            own.has_charset() && !matches!(own.name, TypeName::Enum | TypeName::Set)
        })
    })
}

/// What becomes of the own side.
///
/// The narrower character set is converted to utf8mb4, and its index is lost. Of one character set
/// two collations are an error, unless one of them is `_bin`: then that one counts, and MySQL does
/// not search the index of the other.
fn fate(statement: &Statement<'_>, own: Known<'_>, other: Known<'_>) -> Option<Fate> {
    let charset = |it: Known<'_>| it.table.charset_of(it.column).map(str::to_ascii_lowercase);
    let collation = |it: Known<'_>| it.table.collation_of(it.column).map(str::to_ascii_lowercase);
    let plain = |charset: String| if charset == "utf8" { "utf8mb3".to_owned() } else { charset };
    let (own_set, other_set) = (plain(charset(own)?), plain(charset(other)?));
    if own_set != other_set {
        return (other_set == "utf8mb4").then_some(Fate::Lost);
    }
    let (own, other) = (collation(own)?, collation(other)?);
    if own == other {
        return None;
    }
    match (own.ends_with("_bin"), other.ends_with("_bin")) {
        (false, false) => Some(Fate::Refused),
        (false, true) if statement.family() != Some(Family::MariaDb) => Some(Fate::Lost),
        _ => None,
    }
}

/// Whether the index that is lost is one that the join would be searched by.
fn is_wanted(statement: &Statement<'_>, own: (At, &Column), other: (At, &Column)) -> bool {
    let has_index = statement.index_for(own.0, &own.1.name).is_some();
    let other_serves = statement.index_for(other.0, &other.1.name).is_some();
    let source = statement.block(own.0.0).and_then(|block| block.sources.get(own.0.1));
    let is_behind = own.0.0 != other.0.0 || source.is_some_and(|it| it.after.contains(&other.0.1));
    let are_small = statement.is_below(own.0, FEW) && statement.is_below(other.0, FEW);
    let is_found = statement
        .steps(own.0)
        .iter()
        .any(|node| matches!(node.access_type.as_deref(), Some("ref" | "eq_ref")));
    // What is found by another condition is not searched for by the join.
    let is_found = is_found || statement.fixes_row(own.0);
    has_index
        && (!other_serves || is_behind || statement.fixes_row(other.0))
        && !are_small
        && !is_found
}

fn finding(
    statement: &Statement<'_>,
    test: &Test,
    (own, column, at): (Known<'_>, &Column, At),
    (other, with): (Known<'_>, &Column),
    fate: Fate,
) -> Finding {
    let told = |known: Known<'_>, column: &Column| {
        let collation =
            known.table.collation_of(known.column).or(known.table.charset_of(known.column));
        format!("{} {}", statement.column_name(column), collation.unwrap_or_default())
    };
    let index = statement.index_for(at, &column.name);
    let title = match (fate, index) {
        (Fate::Refused, _) => format!(
            "Texts of two collations are compared, which fails with error 1267: {}",
            in_title(statement.quote(&test.span))
        ),
        (Fate::Lost, index) => format!(
            "`{}` is compared with a text of another collation: index `{}` cannot be searched",
            statement.column_name(column),
            index.map(|index| index.name.as_str()).unwrap_or_default()
        ),
    };
    // Which server it is decides of `_bin` beside `_ci`.
    let is_same_charset = own.table.charset_of(own.column) == other.table.charset_of(other.column);
    let confidence = match (fate, is_same_charset, statement.family()) {
        (Fate::Lost, true, None) => Confidence::Medium,
        _ => Confidence::High,
    };
    let mut finding =
        statement.of_source(&RULE, at, Severity::High, confidence, &title, &[&test.span]);
    finding.subject.columns = vec![statement.column_name(column), statement.column_name(with)];
    finding.evidence.extend(index.map(|index| Fact::text("index", &index.name)));
    finding.evidence.push(Fact::list("collations", vec![told(own, column), told(other, with)]));
    finding.recommendation.action = Action::Rewrite;
    let narrow = match is_same_charset {
        true => "",
        false => " utf8mb4 holds what the narrower one holds.",
    };
    finding.recommendation.text = format!(
        "Give both columns the same character set and collation with ALTER TABLE; no new index is needed.{narrow}"
    );
    finding.verify = "EXPLAIN again: the table is read by ref or eq_ref.".to_owned();
    finding
}
