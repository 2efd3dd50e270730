//! Two columns of different collations are joined.

use crate::advice::plan::look::{Look, Seen, by_rows};
use crate::advice::rule::rule;
use crate::advice::{Action, Confidence, Fact, Finding, Severity};

use super::note::{Refused, Why, is_served, refused};

rule! {
    /// Columns of different character sets or collations are compared, and the index of one of them
    /// is lost.
    ///
    /// **Costs.** The values of one side are converted row by row; its index cannot be searched.
    /// **Wrong when.** The side that is converted is not the one that would be searched. So it speaks
    /// only where the server says that an index was refused.
    /// **Verify.** EXPLAIN again once both columns have one collation: access type ref.
    /// **Source.** MySQL manual, column conversions; warning 1739, MariaDB's note 1105.
    Sql "SQL025" "collation-mismatch"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let notes = refused(look.case.plan);
    let of_collation = notes.iter().filter(|note| note.why == Why::Collation);
    of_collation.filter_map(|note| Some(finding(look, table_of(look, note)?, note))).collect()
}

fn table_of<'l, 'a>(look: &'l Look<'a>, note: &Refused) -> Option<&'l Seen<'a>> {
    let table = note.table.as_deref()?;
    let mut called = look.tables.iter().filter(|seen| seen.name.eq_ignore_ascii_case(table));
    called.find(|seen| !is_served(seen, &note.key))
}

fn finding(look: &Look<'_>, seen: &Seen<'_>, note: &Refused) -> Finding {
    let rows = seen.read.unwrap_or_default();
    let severity =
        look.share().map(|_| Severity::High).or_else(|| by_rows(rows)).unwrap_or(Severity::Low);
    let title = format!(
        "`{}`.`{}` is compared with a text of another collation: index `{}` cannot be searched",
        seen.name, note.column, note.key
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.confidence = Confidence::High;
    finding.subject.columns = vec![format!("{}.{}", look.names.full_name(seen.name), note.column)];
    finding.evidence.push(Fact::text("index", &note.key));
    finding.evidence.push(Fact::text("note", &note.message));
    finding.evidence.extend(look.facts(seen));
    finding.recommendation.action = Action::Rewrite;
    finding.recommendation.text =
        "Give both columns the same character set and collation; no new index is needed."
            .to_owned();
    finding.verify = format!("EXPLAIN again: `{}` is read by index `{}`.", seen.name, note.key);
    finding
}

#[cfg(test)]
mod tests {
    use crate::advice::Severity;
    use crate::advice::plan::fixture::{Given, check, line, tsv};

    #[test]
    fn the_note_of_the_server_tells_it() {
        let plan = tsv(&[&line("p", "ALL", "-", "90000", "100.00", "Using where")]);
        let noted = format!(
            "{plan}\nLevel\tCode\tMessage\nNote\t1105\tCannot use key `ix_code` part[0] for lookup: `depot`.`p`.`code` of collation `utf8mb4_bin` = `depot`.`r`.`code` of collation `utf8mb4_general_ci`\n"
        );
        check(&Given::plan(&noted), "SQL025", Some(Severity::Medium));
        check(&Given::plan(&plan), "SQL025", None);
    }
}
