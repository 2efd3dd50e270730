//! Two columns of different collations are joined.

use crate::advice::plan::look::{Look, Seen};
use crate::advice::rule::rule;
use crate::advice::{Action, Confidence, Fact, Finding};
use crate::flavor::Family;

use super::join::{self, Side, Wanted};
use super::note::{Refused, Why, is_served, refused, severity};

mod read;

pub use self::read::read;

rule! {
    /// Columns of different character sets or collations are compared, and the index of one of them
    /// is lost.
    ///
    /// **Costs.** The values of one side are converted row by row; its index cannot be searched.
    /// **Wrong when.** The side that is converted is not the one that would be searched. So it speaks
    /// only of the side that is, where the server says so in a note or the schema tells both.
    /// **Verify.** EXPLAIN again once both columns have one collation: access type ref.
    /// **Source.** MySQL manual, column conversions; warning 1739, MariaDB's note 1105.
    ///
    /// ```sql schema
    /// CREATE TABLE tags (id int PRIMARY KEY, word varchar(20) NOT NULL) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
    /// CREATE TABLE words (id int PRIMARY KEY, word varchar(20) CHARACTER SET latin1, exact varchar(20) COLLATE utf8mb4_bin,
    ///   plain varchar(20), other varchar(20) COLLATE utf8mb4_unicode_ci, KEY ix_word (word), KEY ix_exact (exact),
    ///   KEY ix_plain (plain)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
    /// CREATE TABLE marks (id int PRIMARY KEY, word varchar(20) COLLATE utf8mb4_bin) DEFAULT CHARSET=utf8mb4;
    /// CREATE TABLE counts (id bigint PRIMARY KEY, n int);
    /// ```
    /// ```sql finding
    /// SELECT w.id FROM tags t JOIN words w ON w.word = t.word;
    /// ```
    /// ```sql finding
    /// SELECT w.id FROM marks m JOIN words w ON w.plain = m.word;
    /// ```
    /// ```sql finding
    /// SELECT w.id FROM tags t JOIN words w ON w.other = t.word;
    /// ```
    /// ```sql clean
    /// SELECT w.id FROM tags t JOIN words w ON w.plain = t.word;
    /// ```
    /// ```sql clean
    /// SELECT w.id FROM tags t JOIN words w ON w.exact = t.word;
    /// ```
    /// ```sql clean
    /// SELECT w.id FROM counts c JOIN words w ON w.id = c.id;
    /// ```
    /// ```sql schema
    /// CREATE TABLE few (id int PRIMARY KEY, word varchar(20)) DEFAULT CHARSET=utf8mb4;
    /// CREATE TABLE some (id int PRIMARY KEY, word varchar(20), KEY ix_word (word)) DEFAULT CHARSET=latin1;
    /// -- rows: few 90, some 400
    /// ```
    /// ```sql clean
    /// SELECT s.id FROM few f JOIN some s ON s.word = f.word;
    /// ```
    Sql "SQL025" "collation-mismatch"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let notes = refused(look.case.plan);
    let noted = notes.iter().filter(|note| note.why == Why::Collation);
    let mut lost: Vec<Lost<'_, '_>> = noted.filter_map(|note| of_note(look, note)).collect();
    for seen in &look.tables {
        for wanted in join::wanted(look, seen) {
            let is_told = lost.iter().any(|it| it.seen.place == seen.place);
            if !is_told && is_lost(look, &wanted) && lost.len() < MOST {
                lost.push(of_join(seen, &wanted));
            }
        }
    }
    lost.iter().map(|lost| finding(look, lost)).collect()
}

/// Findings of one plan.
const MOST: usize = 32;

/// A column whose index is lost, and what shows it.
struct Lost<'l, 'p> {
    seen: &'l Seen<'p>,
    column: String,
    index: String,
    evidence: Fact,
    confidence: Confidence,
}

fn of_note<'l, 'p>(look: &'l Look<'p>, note: &Refused) -> Option<Lost<'l, 'p>> {
    let table = note.table.as_deref()?;
    let mut called = look.tables.iter().filter(|seen| seen.name.eq_ignore_ascii_case(table));
    Some(Lost {
        seen: called.find(|seen| !is_served(seen, &note.key))?,
        column: note.column.clone(),
        index: note.key.clone(),
        evidence: Fact::text("note", &note.message),
        confidence: Confidence::High,
    })
}

fn of_join<'l, 'p>(seen: &'l Seen<'p>, wanted: &Wanted<'_>) -> Lost<'l, 'p> {
    let told = |side: Side<'_>| {
        let collation = side.table.collation_of(side.column).or(side.table.charset_of(side.column));
        format!("{}.{} {}", side.table.name, side.column.name, collation.unwrap_or_default())
    };
    Lost {
        seen,
        column: wanted.own.column.name.clone(),
        index: wanted.index.name.clone(),
        evidence: Fact::list("collations", vec![told(wanted.own), told(wanted.other)]),
        confidence: Confidence::Medium,
    }
}

/// Whether the own side is the one that is converted.
///
/// The narrower character set is converted to utf8mb4. Of one character set a `_ci` column is
/// compared as `_bin` where the other one is `_bin`; MariaDB uses the index all the same.
fn is_lost(look: &Look<'_>, wanted: &Wanted<'_>) -> bool {
    let charset = |side: Side<'_>| side.table.charset_of(side.column).map(str::to_ascii_lowercase);
    let collation =
        |side: Side<'_>| side.table.collation_of(side.column).map(str::to_ascii_lowercase);
    let (Some(own), Some(other)) = (charset(wanted.own), charset(wanted.other)) else {
        return false;
    };
    if own != other {
        return other == "utf8mb4";
    }
    let is_other_server = look.case.plan.flavor == Family::MariaDb;
    let (Some(own), Some(other)) = (collation(wanted.own), collation(wanted.other)) else {
        return false;
    };
    own.ends_with("_ci") && other.ends_with("_bin") && !is_other_server
}

fn finding(look: &Look<'_>, lost: &Lost<'_, '_>) -> Finding {
    let seen = lost.seen;
    let severity = severity(look, seen);
    let title = format!(
        "`{}`.`{}` is compared with a text of another collation: index `{}` cannot be searched",
        seen.name, lost.column, lost.index
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.confidence = lost.confidence;
    finding.subject.columns = vec![format!("{}.{}", look.names.full_name(seen.name), lost.column)];
    finding.evidence.push(Fact::text("index", &lost.index));
    finding.evidence.push(lost.evidence.clone());
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.action = Action::Rewrite;
    finding.recommendation.text =
        "Give both columns the same character set and collation; no new index is needed."
            .to_owned();
    finding.verify = format!("EXPLAIN again: `{}` is read by index `{}`.", seen.name, lost.index);
    finding
}

#[cfg(test)]
mod tests {
    use crate::advice::Severity;
    use crate::advice::plan::fixture::{Given, check, line, review, tsv};

    #[test]
    fn the_note_of_the_server_tells_it() {
        let plan = tsv(&[&line("p", "ALL", "-", "90000", "100.00", "Using where")]);
        let noted = format!(
            "{plan}\nLevel\tCode\tMessage\nNote\t1105\tCannot use key `ix_code` part[0] for lookup: `depot`.`p`.`code` of collation `utf8mb4_bin` = `depot`.`r`.`code` of collation `utf8mb4_general_ci`\n"
        );
        check(&Given::plan(&noted), "SQL025", Some(Severity::Medium));
        check(&Given::plan(&plan), "SQL025", None);
    }

    #[test]
    fn the_narrower_side_of_a_join_loses_its_index() {
        let of = |outer: &str, inner: &str| {
            let schema = format!(
                "CREATE TABLE a (tag varchar(20) {outer}, KEY ka (tag)); CREATE TABLE b (tag varchar(20) {inner}, KEY kb (tag));"
            );
            let plan = tsv(&[
                &line("a", "ALL", "-", "2000", "100.00", "-"),
                &line(
                    "b",
                    "ALL",
                    "-",
                    "30000",
                    "10.00",
                    "Using where; Using join buffer (hash join)",
                ),
            ]);
            let given =
                Given::plan(&plan).schema(&schema).query("SELECT 1 FROM a JOIN b ON a.tag = b.tag");
            let found = review(&given).into_iter().find(|it| it.rule == "SQL025");
            found.map(|it| it.subject.columns.join(","))
        };
        let (wide, narrow) = ("CHARACTER SET utf8mb4", "CHARACTER SET latin1");
        assert_eq!(of(wide, narrow).as_deref(), Some("b.tag"));
        assert_eq!(of(narrow, wide), None);
        assert_eq!(of(wide, wide), None);
        let (exact, folded) = ("COLLATE utf8mb4_bin", "COLLATE utf8mb4_general_ci");
        assert_eq!(of(exact, folded).as_deref(), Some("b.tag"));
        assert_eq!(of(folded, exact), None);
    }
}
