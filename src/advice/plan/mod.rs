//! What is wrong with a plan: the rules PLAN001 to PLAN017, one a file, and what of the rules about
//! statements a plan shows.
//!
//! [`review`] runs all of them over one [`Case`]. A rule that needs what is not known is silent. Of
//! two that see the same step the one that tells the cause speaks, and has the other as evidence.

mod case;
mod composite_index_in_part;
mod default_guess;
mod dependent_subquery;
mod disk_temporary_table;
mod estimate_far_off;
mod examined_for_nothing;
mod full_index_scan;
mod full_table_scan;
mod join_buffer;
pub mod key_parts;
mod keys_not_chosen;
mod large_sort;
pub(super) mod look;
mod names;
mod no_row_possible;
mod optimizer_feature_off;
mod partitions_not_pruned;
mod plan_change;
mod range_checked_per_record;
mod rows_thrown_away;

use std::cmp::Reverse;
use std::collections::HashMap;

pub use case::{Case, Load, PerCall, Shift};

use crate::plan::Amount;

use self::look::{Look, operation};
use super::sql::{collation_mismatch, function_on_column, implicit_conversion, leading_wildcard};
use super::{Fact, Finding, Rule};

/// A rule, and how it looks at a plan.
type Entry = (&'static Rule, fn(&Look<'_>) -> Vec<Finding>);

/// All rules of plans.
///
/// Two are silent in the command until their evidence is wired: PLAN014 (plan-change) waits for
/// [`Load::shift`], the windows of a log before and after; PLAN015 (optimizer-feature-off) for
/// [`Case::optimizer_switch`], read from a print of the variable.
#[rustfmt::skip]
const RULES: &[Entry] = &[
    (&full_table_scan::RULE,          full_table_scan::look),
    (&full_index_scan::RULE,          full_index_scan::look),
    (&range_checked_per_record::RULE, range_checked_per_record::look),
    (&large_sort::RULE,               large_sort::look),
    (&disk_temporary_table::RULE,     disk_temporary_table::look),
    (&join_buffer::RULE,              join_buffer::look),
    (&default_guess::RULE,            default_guess::look),
    (&estimate_far_off::RULE,         estimate_far_off::look),
    (&composite_index_in_part::RULE,  composite_index_in_part::look),
    (&keys_not_chosen::RULE,          keys_not_chosen::look),
    (&dependent_subquery::RULE,       dependent_subquery::look),
    (&no_row_possible::RULE,          no_row_possible::look),
    (&examined_for_nothing::RULE,     examined_for_nothing::look),
    (&plan_change::RULE,              plan_change::look),
    (&optimizer_feature_off::RULE,    optimizer_feature_off::look),
    (&partitions_not_pruned::RULE,    partitions_not_pruned::look),
    (&rows_thrown_away::RULE,         rows_thrown_away::look),
    (&implicit_conversion::RULE,      implicit_conversion::look),
    (&function_on_column::RULE,       function_on_column::look),
    (&leading_wildcard::RULE,         leading_wildcard::look),
    (&collation_mismatch::RULE,       collation_mismatch::look),
];

/// All rules that [`review`] runs, with the texts that people read.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().map(|(rule, _)| *rule)
}

/// A rule that tells the cause, and those that see only its effect at the same step.
const CAUSES: &[(&str, &[&str])] = &[
    ("SQL002", &["PLAN001", "PLAN002", "PLAN003", "PLAN006", "PLAN009", "PLAN010", "PLAN017"]),
    ("SQL025", &["PLAN001", "PLAN002", "PLAN003", "PLAN006", "PLAN009", "PLAN010", "PLAN017"]),
    ("SQL001", &["PLAN001", "PLAN002", "PLAN008", "PLAN010", "PLAN017"]),
    ("SQL003", &["PLAN001", "PLAN002", "PLAN008", "PLAN010", "PLAN017"]),
    ("PLAN003", &["PLAN001", "PLAN006", "PLAN010", "PLAN017"]),
    ("PLAN006", &["PLAN001", "PLAN002", "PLAN010", "PLAN017"]),
    ("PLAN016", &["PLAN001", "PLAN002", "PLAN010"]),
    ("PLAN017", &["PLAN001", "PLAN002", "PLAN010"]),
    ("PLAN001", &["PLAN010"]),
];
/// What a subquery that runs anew for each row is the cause of, at any of its steps.
const OF_REPEATED: &[&str] = &["PLAN001", "PLAN002", "PLAN010", "PLAN017"];
/// Findings that one plan can have: a plan of thousands of steps says the same of each.
const MOST: usize = 200;

/// What is wrong with a plan, the most severe first; of equals the one that takes the most time,
/// where that was measured, then the first step.
#[must_use]
pub fn review(case: &Case<'_>) -> Vec<Finding> {
    let look = Look::new(*case);
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|(_, rule)| rule(&look)).collect();
    findings.retain(|it| it.subject.step.is_none_or(|step| !look.never_ran(step)));
    findings = under_causes(&look, findings);
    let times: HashMap<usize, Amount> = look
        .tables
        .iter()
        .filter_map(|seen| Some((seen.place, look.time_percent(seen)?)))
        .chain(look.repeated.iter().filter_map(|it| Some((it.place, look.repeated_percent(it)?))))
        .collect();
    findings.sort_by(|a, b| {
        let time = |it: &Finding| it.subject.step.and_then(|step| times.get(&step).copied());
        let key =
            |it: &Finding| (Reverse(it.severity), Reverse(time(it)), it.subject.step, it.rule);
        key(a).cmp(&key(b))
    });
    findings.truncate(MOST);
    findings
}

/// Puts findings that see the effect under the one that tells the cause.
fn under_causes(look: &Look<'_>, findings: Vec<Finding>) -> Vec<Finding> {
    let mut by_step: HashMap<(usize, &str), usize> = HashMap::new();
    for (place, finding) in findings.iter().enumerate() {
        if let Some(step) = finding.subject.step {
            by_step.entry((step, finding.rule)).or_insert(place);
        }
    }
    // The steps of a subquery lead to the finding about it.
    let mut repeated: HashMap<usize, usize> = HashMap::new();
    for it in &look.repeated {
        let Some(cause) = by_step.get(&(it.place, "PLAN011")) else { continue };
        for seen in it.tables.iter().filter_map(|at| look.tables.get(*at)) {
            repeated.insert(seen.place, *cause);
        }
    }
    let cause_of = |finding: &Finding| {
        let step = finding.subject.step?;
        // A filter tests what the step below it reads.
        let is_filter =
            look.nodes.get(step).is_some_and(|it| operation(it).starts_with("Filter: "));
        let step = if is_filter { step + 1 } else { step };
        let own = CAUSES
            .iter()
            .filter(|(_, effects)| effects.contains(&finding.rule))
            .find_map(|(cause, _)| by_step.get(&(step, *cause)).copied());
        let of_subquery =
            || repeated.get(&step).copied().filter(|_| OF_REPEATED.contains(&finding.rule));
        own.or_else(of_subquery)
    };
    let causes: Vec<Option<usize>> = findings.iter().map(cause_of).collect();
    let mut effects: Vec<(usize, Finding)> = Vec::new();
    for (finding, cause) in findings.iter().zip(&causes) {
        // A cause may have one itself.
        let mut top = *cause;
        while let Some(next) = top.and_then(|at| causes.get(at).copied().flatten()) {
            top = Some(next);
        }
        effects.extend(top.map(|at| (at, finding.clone())));
    }
    let mut kept = findings;
    for (at, effect) in effects {
        let Some(cause) = kept.get_mut(at) else { continue };
        cause.severity = cause.severity.max(effect.severity);
        let title = format!("{}: {}", effect.rule, effect.title);
        // What the effect saw is evidence as well.
        for fact in effect.evidence {
            if cause.evidence.iter().all(|own| own.name != fact.name) {
                cause.evidence.push(fact);
            }
        }
        match cause.evidence.iter_mut().find(|fact| fact.name == "also") {
            Some(Fact { value: super::Value::List(titles), .. }) => titles.push(title),
            _ => cause.evidence.push(Fact::list("also", vec![title])),
        }
    }
    let with_causes = kept.into_iter().zip(causes);
    with_causes.filter(|(_, cause)| cause.is_none()).map(|(finding, _)| finding).collect()
}

#[cfg(test)]
pub(super) mod fixture;
#[cfg(test)]
mod tests;
