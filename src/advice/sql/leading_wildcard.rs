//! A pattern of LIKE begins with a wildcard.

use crate::advice::plan::look::{Look, MEDIUM_ROWS, OF_TITLE, Seen, shortened};
use crate::advice::rule::rule;
use crate::advice::{Action, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::glance::Hides;

use super::hidden;

mod read;

pub use self::read::read;

rule! {
    /// A pattern of LIKE begins with a wildcard, and nothing else narrows the rows.
    ///
    /// **Costs.** An index is ordered by how texts begin: each one is read and compared.
    /// **Wrong when.** The table is small, or another comparison of the step could narrow it. Silent
    /// below 10,000 rows, and where a column is compared that an index can be searched by.
    /// **Verify.** EXPLAIN again: access type fulltext, ref or range.
    /// **Source.** MySQL manual, how MySQL uses indexes.
    ///
    /// ```sql schema
    /// CREATE TABLE songs (id int PRIMARY KEY, title varchar(90), year int, code varchar(9), line text, KEY ix_year (year),
    ///   KEY ix_code (code));
    /// CREATE TABLE bands (id int PRIMARY KEY, name varchar(40));
    /// -- rows: songs 90000, bands 300
    /// ```
    /// ```sql finding
    /// SELECT line FROM songs WHERE title LIKE '%rain%';
    /// ```
    /// ```sql finding
    /// SELECT line FROM songs WHERE title LIKE '_ain' OR line LIKE '%sun%';
    /// ```
    /// ```sql clean
    /// SELECT line FROM songs WHERE title LIKE 'rain%';
    /// ```
    /// ```sql clean
    /// SELECT line FROM songs WHERE title LIKE '%';
    /// ```
    /// ```sql clean
    /// SELECT line FROM songs WHERE title LIKE '%rain%' AND year = 1984;
    /// ```
    /// ```sql clean
    /// SELECT code FROM songs WHERE code LIKE '%7';
    /// ```
    /// ```sql clean
    /// SELECT id FROM bands WHERE name LIKE '%rain%';
    /// ```
    Sql "SQL003" "leading-wildcard"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    hidden::each(look, finding)
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let all = hidden::of(look, seen);
    let hidden = all.iter().find(|it| it.hides == Hides::Wildcard)?;
    let read = seen.read.filter(|read| *read >= Amount::whole(MEDIUM_ROWS))?;
    if !hidden::searchable(look, seen).is_empty() {
        return None;
    }
    let severity = look.severity(read, Severity::Medium)?;
    let column = &hidden.column.name;
    let title = format!(
        "`{}`.`{column}` is compared with a pattern that begins with a wildcard: {}",
        seen.name,
        shortened(&hidden.text, OF_TITLE)
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.subject.columns = vec![format!("{}.{column}", look.names.full_name(seen.name))];
    finding.evidence.push(Fact::text("comparison", &hidden.text));
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.action = Action::Rewrite;
    finding.recommendation.text = format!(
        "No index on `{column}` can be searched for it. Where words are wanted, a FULLTEXT index with MATCH … AGAINST; \
         where ends are wanted, an indexed column with the text reversed and LIKE 'x%'; else a search engine, or a \
         further condition that an index can be searched by."
    );
    finding.verify = format!("EXPLAIN again: `{}` is read by fulltext, ref or range.", seen.name);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::advice::Severity;
    use crate::advice::plan::fixture::{Given, check, line, tsv};

    #[test]
    fn a_wildcard_in_front_is_the_cause_of_the_scan() {
        let plan = |rows: &str| tsv(&[&line("songs", "ALL", "-", rows, "11.11", "Using where")]);
        let given = |query: &'static str, plan: &str| {
            let plan = plan.to_owned();
            let finding = check(&Given::plan(&plan).query(query), "SQL003", None);
            assert_eq!(finding, None);
        };
        let large = plan("50000");
        let title = Given::plan(&large).query("SELECT id FROM songs WHERE title LIKE '%rain%'");
        let finding = check(&title, "SQL003", Some(Severity::Medium)).unwrap();
        assert!(finding.recommendation.text.contains("FULLTEXT"));
        check(&title, "PLAN001", None);
        given("SELECT id FROM songs WHERE title LIKE '%rain%'", &plan("5000"));
        given("SELECT id FROM songs WHERE title LIKE 'rain%'", &large);
        given("SELECT id FROM songs WHERE title LIKE '%'", &large);
        given("SELECT id FROM songs WHERE title NOT LIKE '%rain%'", &large);
        // The year narrows; the pattern is no column of an index.
        let year = "SELECT id FROM songs WHERE title LIKE '%rain%' AND year = 1984";
        given(year, &large);
        let scan =
            check(&Given::plan(&large).query(year), "PLAN001", Some(Severity::Medium)).unwrap();
        assert!(scan.recommendation.text.contains("(`year`)"), "{}", scan.recommendation.text);
    }
}
