//! A feature of the optimizer is off that the plan would use.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::plan::weight::OUTER_ROWS;

use super::look::{LOW_ROWS, Look, Seen};

rule! {
    /// A feature of `optimizer_switch` is off that this plan would use.
    ///
    /// **Costs.** The server takes a slower way that it has had a better one for.
    /// **Wrong when.** Somebody turned it off for a reason, such as a known error of the server.
    /// Silent without the variables.
    /// **Verify.** EXPLAIN after SET SESSION optimizer_switch.
    /// **Source.** MySQL manual, switchable optimizations.
    Plan "PLAN015" "optimizer-feature-off"
}

/// What a plan looks like that would use a feature.
type Wants = fn(&Look<'_>) -> Option<usize>;

#[rustfmt::skip]
const FEATURES: &[(&str, Wants)] = &[
    ("index_condition_pushdown", |look| table(look, |seen| is_lookup(seen) && seen.has_condition && !seen.node.says("Using index"))),
    ("mrr",                      |look| table(look, |seen| seen.node.access_type.as_deref() == Some("range") && !seen.node.says("Using index"))),
    ("semijoin",                 subquery),
    ("materialization",          subquery),
    ("derived_merge",            |look| look.nodes.iter().position(|node| node.table.as_deref().is_some_and(|it| it.starts_with("<derived")))),
    ("block_nested_loop",        unbuffered),
    ("hash_join",                unbuffered),
];

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let Some(switch) = look.case.optimizer_switch else { return Vec::new() };
    let off: Vec<(&str, usize)> = switch
        .split(',')
        .filter_map(|item| item.trim().strip_suffix("=off"))
        .filter_map(|name| FEATURES.iter().find(|(own, _)| *own == name))
        .filter_map(|(name, wants)| Some((*name, wants(look)?)))
        .collect();
    off.into_iter().map(|(name, step)| finding(look, name, step)).collect()
}

fn finding(look: &Look<'_>, name: &'static str, step: usize) -> Finding {
    let title = format!("{name} is off, and the plan would use it");
    let mut finding = look.finding(&RULE, Severity::Info, title);
    finding.confidence = Confidence::Low;
    finding.subject.step = Some(step);
    finding.subject.variable = Some("optimizer_switch".to_owned());
    finding.evidence.push(Fact::text("feature", name));
    finding.recommendation.text =
        "Try it in one session, unless it was turned off for a known error of the server."
            .to_owned();
    finding.verify = format!("SET SESSION optimizer_switch = '{name}=on'; then EXPLAIN again.");
    finding
}

fn is_lookup(seen: &Seen<'_>) -> bool {
    matches!(seen.node.access_type.as_deref(), Some("ref" | "range" | "ref_or_null"))
}

fn table(look: &Look<'_>, wants: fn(&Seen<'_>) -> bool) -> Option<usize> {
    let is_large = |seen: &&Seen<'_>| seen.read >= Some(Amount::whole(LOW_ROWS));
    let is_secondary =
        |seen: &&Seen<'_>| seen.node.key.as_deref().is_some_and(|key| key != "PRIMARY");
    look.tables
        .iter()
        .filter(is_large)
        .filter(is_secondary)
        .find(|seen| wants(seen))
        .map(|seen| seen.place)
}

fn subquery(look: &Look<'_>) -> Option<usize> {
    look.repeated.iter().find(|it| it.runs >= Amount::whole(OUTER_ROWS)).map(|it| it.place)
}

/// A table that is read whole for each of many rows.
fn unbuffered(look: &Look<'_>) -> Option<usize> {
    let is_bare = |seen: &&Seen<'_>| seen.is_scan() && !seen.is_first && seen.buffer.is_none();
    let is_large = |seen: &&Seen<'_>| seen.outer >= Amount::whole(OUTER_ROWS);
    look.tables.iter().filter(is_bare).find(is_large).map(|seen| seen.place)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, alone, line, tsv};

    #[test]
    fn a_feature_that_is_off_and_wanted_is_told() {
        let plan = tsv(&[&line("calls", "range", "ix_at", "20000", "10.00", "Using where")]);
        let found = |switch: &'static str| {
            let findings = alone(&Given::plan(&plan).switch(switch), super::look);
            findings
                .iter()
                .map(|it| it.title.split(' ').next().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("index_merge=on,index_condition_pushdown=off,mrr=on"),
            ["index_condition_pushdown"]
        );
        assert_eq!(found("index_condition_pushdown=on,mrr=off"), ["mrr"]);
        assert!(found("semijoin=off,materialization=off,derived_merge=off").is_empty());
        assert!(alone(&Given::plan(&plan), super::look).is_empty());
    }
}
