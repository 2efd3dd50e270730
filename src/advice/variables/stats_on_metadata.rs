//! Statistics that are made on the way, and statistics that do not last.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};
use crate::sql::fingerprint::{ClassId, fingerprint};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// Looking at the information schema makes statistics anew, or statistics do not last and
    /// plans change.
    ///
    /// **Costs.** A tool that lists the tables reads pages of all of them, and plans change under
    /// way. Statistics that do not last are made anew after a restart, from a few pages.
    /// **Wrong when.** There are few tables and no such tool. Lasting statistics are not made anew
    /// by a look.
    /// **Verify.** Plans stay as they are; the listing is fast.
    /// **Source.** MySQL manual, innodb_stats_on_metadata: OFF by default from 5.6.6, and without
    /// effect where innodb_stats_persistent is ON, as it is by default from 5.6.6.
    Variables "VAR036" "stats-on-metadata"
}

const MANY: u64 = 1_000;

/// Statements of the log that make statistics anew.
fn looks(case: &Case<'_>) -> (Vec<ClassId>, u64) {
    let is_look = |statement: &str| {
        let text = fingerprint(statement.trim_start().as_bytes());
        let has = |words: &[u8]| memchr::memmem::find(&text, words).is_some();
        text.starts_with(b"show table status")
            || [&b"information_schema.tables"[..], b"information_schema.statistics"]
                .iter()
                .any(|table| has(table))
    };
    let classes = case.workload.classes.iter().filter(|class| is_look(class.sample()));
    classes.fold((Vec::new(), 0), |(mut ids, calls), class| {
        ids.push(class.id);
        (ids, calls + class.calls)
    })
}

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    [on_metadata(case), not_persistent(case)].into_iter().flatten().collect()
}

/// Statistics that a restart throws away, where plans went wrong or changed.
fn not_persistent(case: &Case<'_>) -> Option<Finding> {
    const NAME: &str = "innodb_stats_persistent";
    if case.flag(NAME)? {
        return None;
    }
    let wrong: Vec<&Finding> =
        case.said.iter().filter(|it| matches!(it.rule, "PLAN008" | "PLAN014")).collect();
    let titles: Vec<String> =
        wrong.iter().take(5).map(|it| format!("{}: {}", it.rule, it.title)).collect();
    let titles = (!titles.is_empty()).then_some(titles)?;
    let mut finding = say(case, &RULE, Severity::Low, Confidence::Medium, "statistics of tables do not last, and plans rest on wrong ones")
        .about(NAME)
        .list("also", titles)
        .advise("With ON they are kept, and made from more pages. Then ANALYZE TABLE for the tables of these plans.")
        .set(NAME, word("ON"), When::Now)
        .verify("The plans stay the same after a restart; estimates are near the rows examined.")
        .end();
    let mut queries: Vec<ClassId> = wrong.iter().filter_map(|it| it.subject.query_id).collect();
    queries.sort_unstable();
    queries.dedup();
    finding.queries = queries;
    Some(finding)
}

fn on_metadata(case: &Case<'_>) -> Option<Finding> {
    if !case.flag("innodb_stats_on_metadata")? || case.flag("innodb_stats_persistent") == Some(true)
    {
        return None;
    }
    let tables =
        case.schema.map(|schema| schema.tables().len() as u64).filter(|tables| *tables >= MANY);
    let asked = case.rates().and_then(|rates| {
        let asked = rates.grown("com_show_table_status")?;
        (asked > rates.seconds()).then_some((asked, rates))
    });
    let (classes, calls) = looks(case);
    let title = match (tables, asked) {
        (_, Some((asked, rates))) => {
            format!("{} SHOW TABLE STATUS a second make statistics anew", rates.a_second(asked))
        }
        _ if calls > 0 => format!("{calls} looks at the information schema make statistics anew"),
        (Some(tables), _) => {
            format!("a look at the information schema makes statistics of {tables} tables anew")
        }
        (None, None) => return None,
    };
    let mut said = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about("innodb_stats_on_metadata");
    if calls > 0 {
        said = said.seen("looks_in_the_log", calls);
    }
    if let Some(tables) = tables {
        said = said.seen("tables", tables);
    }
    if let Some((asked, rates)) = asked {
        said = said.seen("com_show_table_status", asked).over(&rates);
    }
    let mut finding = said
        .advise(
            "Statistics are made by ANALYZE TABLE and as tables change; looking at them need not.",
        )
        .set("innodb_stats_on_metadata", word("OFF"), When::Now)
        .verify("SHOW TABLE STATUS is fast; plans stay as they are.")
        .end();
    finding.queries = classes;
    Some(finding)
}
