//! Repeats that are never stored.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Subject};

use super::case::{Case, is_share, percent, seen};
use super::statement::Refusal;

rule! {
    /// A statement comes again word for word and is not stored because of how it is written.
    ///
    /// **Costs.** Each repeat is run, though nothing but a NOW() or a variable in it stands against an answer
    /// from the cache.
    /// **Wrong when.** The answer has to be of this very moment.
    /// **Verify.** Replay a log of the rewritten statements.
    /// **Source.** MySQL 5.7 manual, how the query cache operates; measured on MariaDB 10.11.
    QueryCache "QC010" "repeats-not-cached"
}

/// Repeats of equal texts.
const MIN_REPEATS: u64 = 100;
/// Share of the time of reading, in percent.
const MIN_SHARE: u64 = 5;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(simulated), Some(load)) = (case.replayed(), case.load()) else { return Vec::new() };
    // Without a cache in use, or one that is thought of, no statement is the worse for it.
    if !simulated.has_present && simulated.sizes.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for class in &simulated.log.classes {
        let Some(refusal) = class.refusal else { continue };
        let how = match refusal {
            Refusal::Unsteady => {
                "Let the application write the date or the value as a literal: 'today' as a date is the same text all day."
            }
            Refusal::Variable => {
                "Let the application write the value of the variable into the statement."
            }
            Refusal::SaysNo => "Take SQL_NO_CACHE out, unless the table changes all the time.",
            _ => continue,
        };
        let repeats = class.calls.saturating_sub(class.texts);
        if repeats < MIN_REPEATS || !is_share(class.micros, load.read_micros, MIN_SHARE) {
            continue;
        }
        let title = format!(
            "{repeats} of {} calls repeat a text that is not stored: {}",
            class.calls,
            refusal.word()
        );
        let mut found = Finding::new(&RULE, Severity::Medium, Confidence::Medium, title);
        found.subject = Subject { query_id: Some(class.id), ..Subject::default() };
        seen(&mut found, "calls", class.calls);
        seen(&mut found, "different_texts", class.texts);
        seen(&mut found, "percent_of_read_time", percent(class.micros, load.read_micros));
        found.evidence.push(Fact::text("reason", refusal.word()));
        found.recommendation.text = how.to_owned();
        found.verify = "Replay a log of the rewritten statements.".to_owned();
        found.queries = vec![class.id];
        findings.push(found);
    }
    findings
}
