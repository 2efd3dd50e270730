//! The statement cannot give a row.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::{Amount, Node};

use super::look::{Look, operation};

rule! {
    /// The server sees before it reads that no row can match.
    ///
    /// **Costs.** Next to nothing; but the application asks for nothing, which mostly is an error.
    /// **Wrong when.** The literal of the sample is special. A remark only, without a log; with one
    /// it speaks from 100 calls on.
    /// **Verify.** Rows_sent is 0 for all calls of the class.
    /// **Source.** MySQL manual, EXPLAIN Extra.
    Plan "PLAN012" "impossible-where"
}

/// Calls from which it is a habit.
const MANY_CALLS: u64 = 100;

/// What Extra says of it, and what that means.
const REASONS: &[(&str, &str)] = &[
    (
        "Impossible WHERE noticed after reading const tables",
        "a row that is looked up by key is not there, or does not match the rest of the condition",
    ),
    ("Impossible WHERE", "the condition can never be true"),
    ("Impossible HAVING", "the condition of HAVING can never be true"),
    ("no matching row in const table", "no row has the key that is looked up"),
    ("No matching min/max row", "no row matches, so there is neither a least nor a greatest one"),
];

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let calls = look.case.load.and_then(|load| load.calls);
    if look.case.load.is_some() && calls.is_none_or(|calls| calls < MANY_CALLS) {
        return Vec::new();
    }
    let found =
        look.nodes.iter().enumerate().find_map(|(place, node)| Some((place, node, reason(node)?)));
    let Some((place, node, (words, meaning))) = found else { return Vec::new() };
    let severity = if calls.is_some() { Severity::Low } else { Severity::Info };
    let part = match node.id {
        Some(id) if look.nodes.len() > 1 => format!(" in SELECT #{id}"),
        _ => String::new(),
    };
    let mut finding = look.finding(&RULE, severity, format!("nothing is read{part}: {meaning}"));
    finding.confidence = Confidence::High;
    finding.subject.step = Some(place);
    finding.evidence.push(Fact::text("extra", words));
    finding.evidence.extend(calls.map(|calls| Fact::number("calls", Amount::whole(calls))));
    finding.recommendation.text = "There is nothing to tune. Find out why the application asks for this: a value that is not \
        set, two conditions that exclude each other, a row that is gone."
        .to_owned();
    finding.verify = "Rows_sent is 0 for all calls in the log.".to_owned();
    vec![finding]
}

fn reason(node: &Node) -> Option<(&'static str, &'static str)> {
    let step = operation(node);
    let is_step = step.starts_with("Zero rows (") || step.starts_with("Zero input rows (");
    let says = |words: &str| {
        let begins = |text: &String| {
            text.get(..words.len()).is_some_and(|it| it.eq_ignore_ascii_case(words))
        };
        node.extra.iter().any(begins)
            || is_step && step.to_ascii_lowercase().contains(&words.to_ascii_lowercase())
    };
    REASONS.iter().find(|(words, _)| says(words)).copied()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, load};
    use crate::advice::Severity;

    const PLAN: &str = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
        1\tSIMPLE\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tImpossible WHERE\n";

    #[test]
    fn asking_for_nothing_is_remarked_on() {
        check(&Given::plan(PLAN), "PLAN012", Some(Severity::Info));
        check(
            &Given::plan("-> Zero rows (Impossible WHERE)  (cost=0..0 rows=0)\n"),
            "PLAN012",
            Some(Severity::Info),
        );
        let called = |calls| {
            let mut load = load("0.1");
            load.calls = Some(calls);
            load
        };
        check(&Given::plan(PLAN).load(called(4_000)), "PLAN012", Some(Severity::Low));
        check(&Given::plan(PLAN).load(called(3)), "PLAN012", None);
        check(
            &Given::plan(&PLAN.replace("Impossible WHERE", "Select tables optimized away")),
            "PLAN012",
            None,
        );
    }
}
