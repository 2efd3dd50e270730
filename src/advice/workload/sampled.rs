//! WORK013.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::Case;
use super::case::finding;

rule! {
    /// The server logged a sample of its statements: totals are estimates.
    ///
    /// **Costs.** Counts, times and rates of the log are those of the sample. What is seldom may be
    /// missing; what is told of single statements, of averages and of shares holds.
    /// **Wrong when.** Nothing is wrong: it says how to read the rest.
    /// **Verify.** SHOW GLOBAL VARIABLES LIKE 'log_slow_rate%'; a log with log_slow_rate_limit = 1.
    /// **Source.** Percona Server and MariaDB manuals, log_slow_rate_limit: the header of each event
    /// names the limit.
    Workload "WORK013" "log-sampled"
}

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    let Some((limit, estimated)) = case.whole.sampled.filter(|(limit, _)| *limit > 1) else {
        return Vec::new();
    };
    let number = |name, count| Fact::number(name, Amount::whole(count));
    let evidence = vec![
        number("log_slow_rate_limit", limit),
        number("events_logged", case.whole.measured.events),
        number("events_about", estimated),
    ];
    vec![finding(
        &RULE,
        (Severity::Info, Confidence::High),
        format!(
            "The log is a sample, up to 1 of {limit}: about {} statements ran",
            Amount::whole(estimated).grouped()
        ),
        evidence,
        (
            "Take counts, times and rates of this report for those of the sample, and totals of the \
             server for estimates; averages and shares hold.",
            "SHOW GLOBAL VARIABLES LIKE 'log_slow_rate%'",
        ),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Workload;
    use crate::advice::workload::{Measured, Whole};
    use crate::server::ServerFacts;

    fn titles(sampled: Option<(u64, u64)>) -> Vec<String> {
        let measured = Measured { events: 120, ..Measured::default() };
        let whole = Whole { measured, sampled, ..Whole::default() };
        let (workload, facts) = (Workload::default(), ServerFacts::default());
        let case =
            Case { workload: &workload, whole: &whole, seen: None, facts: &facts, schema: None };
        look(&case).into_iter().map(|finding| finding.title).collect()
    }

    #[test]
    fn a_sample_is_told() {
        let want = "The log is a sample, up to 1 of 10: about 1,200 statements ran";
        assert_eq!(titles(Some((10, 1_200))), [want]);
    }

    #[test]
    fn a_whole_log_is_none() {
        assert_eq!(titles(None), [""; 0]);
        assert_eq!(titles(Some((1, 120))), [""; 0]);
    }
}
