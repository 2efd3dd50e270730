//! Plans of a review in pairs, before and after.

use crate::compare::plans::{Statements, compare};
use crate::error::Error;
use crate::plan::{self, Plan};
use crate::report::plans::diff::{Comparison, Difference};
use crate::report::plans::{Review, Reviewed};
use crate::sql::fingerprint::fingerprint;

/// Compares the plans of a review: two of one input, or those of one input with those of the
/// other, in order.
///
/// Errors: anything but two plans, or two inputs with as many plans.
pub fn diff(review: Review) -> Result<Comparison, Error> {
    let Review { inputs, plans, .. } = review;
    let counts: Vec<usize> = inputs.iter().map(|input| input.plans).collect();
    let pairs = match counts[..] {
        [2] | [1, 1] => 1,
        [before, after] if before == after && before > 0 => before,
        _ => return Err(Error::Usage(refusal(&counts))),
    };
    let mut before = plans;
    let after = before.split_off(pairs.min(before.len()));
    let pairs = before.into_iter().zip(after).map(|(before, after)| difference(before, after));
    Ok(Comparison { pairs: pairs.collect(), inputs })
}

fn refusal(counts: &[usize]) -> String {
    let found: Vec<String> = counts.iter().map(usize::to_string).collect();
    let found = match counts.len() {
        1 => format!("{} in one input", found.join("")),
        _ => format!("{} in {} inputs", found.join(" and "), counts.len()),
    };
    format!("--diff compares two plans: one in each of two files, or two in one; found {found}")
}

fn difference(before: Reviewed, after: Reviewed) -> Difference {
    let statements = statements(&before.plan, &after.plan);
    let compared = compare(&before.plan, &after.plan, statements);
    Difference { before, after, compared }
}

/// Whether two plans are of one statement.
fn statements(before: &Plan, after: &Plan) -> Statements {
    let (Some(before), Some(after)) = (&before.query, &after.query) else {
        return Statements::Unknown;
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let class = |text: &str| fingerprint(plan::without_explain(text.as_bytes()));
    if words(before) == words(after) {
        Statements::Same
    } else if class(before) == class(after) {
        Statements::SameClass
    } else {
        Statements::Different
    }
}
