//! Statistics that are made on the way.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity};

use super::case::Case;
use super::say::{When, say, word};

rule! {
    /// Looking at the information schema makes statistics anew.
    ///
    /// **Costs.** A tool that lists the tables reads pages of all of them, and plans change under
    /// way.
    /// **Wrong when.** There are few tables and no such tool.
    /// **Verify.** Plans stay as they are; the listing is fast.
    /// **Source.** MySQL manual, innodb_stats_on_metadata: OFF by default from 5.6.6.
    Variables "VAR036" "stats-on-metadata"
}

const MANY: u64 = 1_000;

pub fn read(case: &Case<'_>) -> Option<Finding> {
    if !case.flag("innodb_stats_on_metadata")? {
        return None;
    }
    let tables =
        case.schema.map(|schema| schema.tables().len() as u64).filter(|tables| *tables >= MANY);
    let asked = case.rates().and_then(|rates| {
        let asked = rates.grown("com_show_table_status")?;
        (asked > rates.seconds()).then_some((asked, rates))
    });
    let title = match (tables, asked) {
        (_, Some((asked, rates))) => {
            format!("{} SHOW TABLE STATUS a second make statistics anew", rates.a_second(asked))
        }
        (Some(tables), _) => {
            format!("a look at the information schema makes statistics of {tables} tables anew")
        }
        (None, None) => return None,
    };
    let mut said = say(case, &RULE, Severity::Low, Confidence::Medium, title)
        .about("innodb_stats_on_metadata");
    if let Some(tables) = tables {
        said = said.seen("tables", tables);
    }
    if let Some((asked, rates)) = asked {
        said = said.seen("com_show_table_status", asked).over(&rates);
    }
    Some(
        said.advise(
            "Statistics are made by ANALYZE TABLE and as tables change; looking at them need not.",
        )
        .set("innodb_stats_on_metadata", word("OFF"), When::Now)
        .verify("SHOW TABLE STATUS is fast; plans stay as they are.")
        .end(),
    )
}
