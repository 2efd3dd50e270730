//! Rows are examined, and none is ever sent.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::sql::glance::Verb;

use super::look::{LEAST_SHARE, Look, MEDIUM_ROWS, count};

rule! {
    /// A SELECT examines many rows each time and has never sent one.
    ///
    /// **Costs.** All of its time is for the answer "no".
    /// **Wrong when.** Rows go elsewhere: INSERT … SELECT, SELECT … INTO. Silent without a log.
    /// **Verify.** Rows_examined of the class falls.
    /// **Source.** Rows_sent and Rows_examined of the log.
    Plan "PLAN013" "rows-examined-for-no-result"
}

/// Calls from which "never" is said.
const LEAST_CALLS: u64 = 10;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let Some(load) = look.case.load else { return Vec::new() };
    let (Some(calls), Some(sent), Some(examined)) =
        (load.calls, load.rows_sent, load.rows_examined)
    else {
        return Vec::new();
    };
    let is_select = look.names.glance.verb == Verb::Select && !look.is_write;
    let goes_elsewhere = look.case.plan.query.as_deref().is_some_and(has_into);
    let is_small = load.share.is_some_and(|share| share < Amount::whole(LEAST_SHARE));
    let is_nothing = sent.most == Amount::ZERO && examined.mean >= Amount::whole(MEDIUM_ROWS);
    if calls < LEAST_CALLS || !is_select || goes_elsewhere || is_small || !is_nothing {
        return Vec::new();
    }
    let title = format!(
        "each of {} calls examines about {} rows and sends none",
        count(Amount::whole(calls)),
        count(examined.mean)
    );
    let mut finding = look.finding(&RULE, Severity::High, title);
    finding.confidence = Confidence::High;
    finding.evidence.push(Fact::number("calls", Amount::whole(calls)));
    finding.evidence.push(Fact::number("rows_examined_avg", examined.mean));
    finding.evidence.push(Fact::number("rows_sent_max", sent.most));
    finding.recommendation.text = "An index that finds the wanted rows makes the answer \"no\" cheap. Ask as well whether the \
        question is needed so often, and keep the \"no\" in the application for a while."
        .to_owned();
    finding.verify = "Rows_examined of the class falls to some rows a call.".to_owned();
    vec![finding]
}

/// Whether the rows of a SELECT go into variables or a file.
fn has_into(query: &str) -> bool {
    let mut words = query.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.any(|word| word.eq_ignore_ascii_case("into"))
}

#[cfg(test)]
mod tests {
    use super::super::PerCall;
    use super::super::fixture::{Given, check, line, load, tsv};
    use crate::advice::Severity;
    use crate::plan::Amount;

    #[test]
    fn many_rows_for_no_answer_are_found() {
        let plan = tsv(&[&line("tickets", "ref", "ix_desk", "84210", "3.33", "Using where")]);
        let per_call =
            |rows| Some(PerCall { mean: Amount::whole(rows), most: Amount::whole(rows) });
        let given = |calls, sent, examined, query| {
            let mut load = load("39.7");
            load.calls = Some(calls);
            load.rows_sent = per_call(sent);
            load.rows_examined = per_call(examined);
            Given::plan(&plan).query(query).load(load)
        };
        let select = "SELECT id FROM tickets WHERE desk = 4 AND state = 2 AND due < '2026-02-01' ORDER BY due";
        check(&given(900, 0, 91_000, select), "PLAN013", Some(Severity::High));
        check(&given(900, 1, 91_000, select), "PLAN013", None);
        check(&given(9, 0, 91_000, select), "PLAN013", None);
        check(&given(900, 0, 9_000, select), "PLAN013", None);
        check(
            &given(900, 0, 91_000, "INSERT INTO old SELECT id FROM tickets WHERE desk = 4"),
            "PLAN013",
            None,
        );
        check(
            &given(900, 0, 91_000, "SELECT id INTO @i FROM tickets WHERE desk = 4"),
            "PLAN013",
            None,
        );
    }
}
