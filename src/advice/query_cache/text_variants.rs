//! Statements that are the same but for comments and blanks.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Finding, Severity, Subject};

use super::case::{Case, is_share, seen};

rule! {
    /// Equal statements are stored apart because their texts differ in comments, blanks or case.
    ///
    /// **Costs.** The key is the text, byte by byte: a request ID in a comment makes each one new. Only blanks
    /// and a `;` at the ends do not count.
    /// **Wrong when.** MariaDB runs with query_cache_strip_comments = ON and only comments differ.
    /// **Verify.** Replay a log of the statements as they should be.
    /// **Source.** MySQL 5.7 manual, how the query cache operates; measured on MariaDB 10.11.
    QueryCache "QC011" "text-variants"
}

/// Repeats that would be gained.
const MIN_REPEATS: u64 = 100;
/// Share of the time of reading, in percent.
const MIN_SHARE: u64 = 1;

pub fn read(case: &Case<'_>) -> Vec<Finding> {
    let (Some(simulated), Some(load)) = (case.replayed(), case.load()) else { return Vec::new() };
    if !simulated.has_present && simulated.sizes.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for class in simulated.log.classes.iter().filter(|it| it.is_select && it.refusal.is_none()) {
        let repeats = class.calls.saturating_sub(class.texts);
        let plain = class.calls.saturating_sub(class.plain_texts);
        let gained = plain.saturating_sub(repeats);
        let doubles = plain >= repeats.saturating_mul(2);
        if gained < MIN_REPEATS || !doubles || !is_share(class.micros, load.read_micros, MIN_SHARE)
        {
            continue;
        }
        let title = format!(
            "{gained} repeats miss the cache because comments, blanks or the case of words differ"
        );
        let mut found = Finding::new(&RULE, Severity::Low, Confidence::Medium, title);
        found.subject = Subject { query_id: Some(class.id), ..Subject::default() };
        seen(&mut found, "calls", class.calls);
        seen(&mut found, "different_texts", class.texts);
        seen(&mut found, "different_without_comments_and_blanks", class.plain_texts);
        found.recommendation.text =
            "Let one place in the application write this statement, and keep request IDs out of it.".to_owned();
        if case.settings.is_mariadb() && !case.settings.strips_comments {
            found.recommendation.text.push_str(
                " If only comments differ, MariaDB leaves them out of the key with query_cache_strip_comments = ON.",
            );
        }
        found.verify = "Replay a log of the statements as they should be.".to_owned();
        found.queries = vec![class.id];
        findings.push(found);
    }
    findings
}
