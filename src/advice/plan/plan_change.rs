//! From a point in time on a class examines other numbers of rows.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::look::{LEAST_SHARE, Look, count};

rule! {
    /// From a point in time on a class examines ten times as many rows, or a tenth.
    ///
    /// **Costs.** Another plan was chosen, or other values are asked for.
    /// **Wrong when.** The statement has lists of varying length, which the rows follow. Silent
    /// without a log.
    /// **Verify.** EXPLAIN a sample of before and one of after.
    /// **Source.** Rows_examined of the log over time.
    Plan "PLAN014" "plan-change"
}

/// How many times.
const TIMES: u64 = 10;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let Some(load) = look.case.load else { return Vec::new() };
    let Some(shift) = load.shift.filter(|shift| !shift.has_lists) else { return Vec::new() };
    let (less, more) = (shift.before.min(shift.after), shift.before.max(shift.after));
    let is_apart = more > Amount::ZERO && more >= less.times(Amount::whole(TIMES));
    let is_small = load.share.is_some_and(|share| share < Amount::whole(LEAST_SHARE));
    // A split as good as this one comes by chance in one of a hundred: p < 0.01.
    if !is_apart || shift.chance >= Amount::ONE || is_small {
        return Vec::new();
    }
    let title = format!(
        "rows examined by a call changed from {} to {}",
        count(shift.before),
        count(shift.after)
    );
    let mut finding = look.finding(&RULE, Severity::Medium, title);
    finding.confidence = Confidence::High;
    finding.evidence.push(Fact::number("rows_examined_before", shift.before));
    finding.evidence.push(Fact::number("rows_examined_after", shift.after));
    finding.recommendation.text =
        "Statistics, growth of the data or other values made another plan: EXPLAIN a sample of \
        before and one of after, and keep both."
            .to_owned();
    finding.verify = "Rows_examined of the class over time.".to_owned();
    vec![finding]
}

#[cfg(test)]
mod tests {
    use super::super::Shift;
    use super::super::fixture::{Given, check, line, load, tsv};
    use crate::advice::Severity;
    use crate::plan::Amount;

    #[test]
    fn two_spans_ten_times_apart_are_found() {
        let plan = tsv(&[&line("t", "ref", "k", "12", "100.00", "-")]);
        let given = |before, after, chance: &str, has_lists| {
            let mut load = load("20");
            let (before, after) = (Amount::whole(before), Amount::whole(after));
            load.shift =
                Some(Shift { before, after, chance: Amount::parse(chance).unwrap(), has_lists });
            Given::plan(&plan).load(load)
        };
        check(&given(120, 48_000, "0.01", false), "PLAN014", Some(Severity::Medium));
        check(&given(120, 1_100, "0.01", false), "PLAN014", None);
        check(&given(120, 48_000, "4", false), "PLAN014", None);
        check(&given(120, 48_000, "0.01", true), "PLAN014", None);
    }
}
