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
    /// **Verify.** Rows_sent is 0 for all calls of the class; 1 for an aggregate without GROUP BY,
    /// which gives a row of nothing.
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
    let empty = empty(look, place, node, words);
    let about = match empty {
        Empty::Part => " The rest of the statement is read all the same.",
        _ => "",
    };
    finding.recommendation.text = format!(
        "There is nothing to tune. Find out why the application asks for this: a value that is not set, two conditions \
         that exclude each other, a row that is gone.{about}"
    );
    finding.verify = verify(empty).to_owned();
    vec![finding]
}

/// What is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Empty {
    /// The whole statement gives no row.
    Whole,
    /// It gives one row, of an aggregate over nothing.
    Aggregate,
    /// One of both; the statement is not known.
    Unknown,
    /// A subquery, an arm of a UNION, a side of an outer join.
    Part,
    /// Nothing is changed.
    Write,
}

fn verify(empty: Empty) -> &'static str {
    match empty {
        Empty::Whole => "Rows_sent is 0 for all calls in the log.",
        Empty::Aggregate => {
            "Rows_sent is 1 for all calls in the log, the aggregate of no row, and Rows_examined is next to nothing."
        }
        Empty::Unknown => {
            "Rows_sent is 0 for all calls in the log; or 1 if it is an aggregate without GROUP BY, which gives a row of nothing."
        }
        Empty::Part => "EXPLAIN with the values of other calls: there this part reads a table.",
        Empty::Write => "Rows_affected is 0 for all calls, where the log has it.",
    }
}

fn empty(look: &Look<'_>, place: usize, node: &Node, words: &str) -> Empty {
    const PARTS: &[&str] = &["Select #", "Materialize", "Union", "Append", "Intersect", "Except"];
    let steps = || look.above(place).filter_map(|it| look.nodes.get(it.place).copied());
    let is_part = |node: &Node| {
        let step = operation(node);
        PARTS.iter().any(|words| step.starts_with(words)) || step.contains("left join")
    };
    let is_union = |node: &&Node| {
        let of_union = |word: &str| ["UNION", "INTERSECT", "EXCEPT"].contains(&word);
        node.select_type.as_deref().is_some_and(of_union)
    };
    let is_outermost = match node.select_type.as_deref() {
        None | Some("SIMPLE") => true,
        Some("PRIMARY") => !look.nodes.iter().any(is_union),
        Some(word) => ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(&word),
    };
    let aggregates = words == "No matching min/max row"
        || words != "Impossible HAVING"
            && (look.names.glance.reads_all
                || steps().any(|it| operation(it).starts_with("Aggregate")));
    match () {
        () if !is_outermost || steps().any(is_part) => Empty::Part,
        () if look.is_write => Empty::Write,
        () if aggregates => Empty::Aggregate,
        () if look.names.is_known || words == "Impossible HAVING" => Empty::Whole,
        () => Empty::Unknown,
    }
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
    fn only_the_outermost_select_may_return_nothing() {
        let verify = |plan: &str, query: Option<&str>| {
            let given = Given::plan(plan);
            let given = query.into_iter().fold(given, |given, query| given.query(query));
            check(&given, "PLAN012", Some(Severity::Info)).unwrap().verify
        };
        let none = "Rows_sent is 0 for all calls in the log.";
        assert_eq!(verify(PLAN, Some("SELECT id FROM bins WHERE 1 = 2")), none);
        let counted = verify(PLAN, Some("SELECT COUNT(*) FROM bins WHERE 1 = 2"));
        assert!(counted.starts_with("Rows_sent is 1 "), "{counted}");
        let grouped = "SELECT shelf, COUNT(*) FROM bins WHERE 1 = 2 GROUP BY shelf";
        assert_eq!(verify(PLAN, Some(grouped)), none);
        let least = PLAN.replace("Impossible WHERE", "No matching min/max row");
        assert!(verify(&least, None).starts_with("Rows_sent is 1 "));
        assert!(verify(PLAN, None).contains("or 1 if"));
        let inner = PLAN.replace(
            "1\tSIMPLE\tNULL",
            "1\tPRIMARY\tbins\tALL\tNULL\tNULL\tNULL\tNULL\t9\tNULL\n2\tSUBQUERY\tNULL",
        );
        let part =
            verify(&inner, Some("SELECT id FROM bins WHERE id = (SELECT 1 FROM bins WHERE 1 = 2)"));
        assert!(part.starts_with("EXPLAIN with the values"), "{part}");
    }

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
