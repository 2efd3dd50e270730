//! A subquery runs anew for each row.

use crate::advice::rule::rule;
use crate::advice::{Action, Confidence, Fact, Finding, Severity};
use crate::plan::Amount;
use crate::plan::weight::OUTER_ROWS;

use super::look::{LOW_ROWS, Look, Repeated, Seen, count};

rule! {
    /// A subquery runs anew for each row of the statement around it.
    ///
    /// **Costs.** Its rows count as often as there are rows outside.
    /// **Wrong when.** It is a lookup by a unique or an other index for fewer than 1,000 rows. MySQL
    /// before 5.6 and MariaDB before 5.3 run most IN (SELECT …) so.
    /// **Verify.** EXPLAIN again: select_type is no longer DEPENDENT or UNCACHEABLE.
    /// **Source.** MySQL manual, optimizing subqueries.
    Plan "PLAN011" "dependent-subquery"
}

/// Rows outside for which lookups by index are right.
const FEW_LOOKUPS: u64 = 1_000;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    look.repeated.iter().filter_map(|repeated| finding(look, repeated)).collect()
}

fn finding(look: &Look<'_>, repeated: &Repeated) -> Option<Finding> {
    let tables: Vec<&Seen<'_>> =
        repeated.tables.iter().filter_map(|at| look.tables.get(*at)).collect();
    let touched = tables.iter().filter_map(|seen| seen.read).fold(Amount::ZERO, Amount::plus);
    let is_lookup = |seen: &&Seen<'_>| {
        seen.node.access_type.as_deref().is_some_and(|access| access.ends_with("_subquery"))
    };
    let is_spared = !tables.is_empty()
        && tables.iter().all(is_lookup)
        && repeated.runs < Amount::whole(FEW_LOOKUPS);
    if repeated.runs < Amount::whole(OUTER_ROWS) || touched < Amount::whole(LOW_ROWS) || is_spared {
        return None;
    }
    let severity = look.severity(touched, Severity::Medium)?;
    let id = repeated.id.map(|id| format!(" #{id}")).unwrap_or_default();
    let title = format!(
        "subquery{id} runs anew for {} rows and reads {} rows in all",
        count(repeated.runs),
        count(touched)
    );
    let mut finding = look.finding(&RULE, severity, title);
    finding.subject.step = Some(repeated.place);
    finding.subject.table = tables.first().map(|seen| look.names.full_name(seen.name));
    if repeated.is_measured {
        finding.confidence = Confidence::High;
    }
    finding.evidence.push(Fact::number("runs", repeated.runs));
    finding.evidence.push(Fact::number("rows_read", touched));
    finding.evidence.extend(repeated.id.map(|id| Fact::number("select", Amount::whole(id))));
    finding.recommendation.action = Action::Rewrite;
    finding.recommendation.text = advice(look, &tables);
    finding.verify = "EXPLAIN again: select_type is no longer DEPENDENT or UNCACHEABLE.".to_owned();
    Some(finding)
}

fn advice(look: &Look<'_>, tables: &[&Seen<'_>]) -> String {
    let mut text = match switched_off(look) {
        Some(setting) => format!(
            "{setting} is set with the statement: that is why it runs so. EXPLAIN without it first. If it has to stay off, \
             write it as a join or as a derived table that is read once."
        ),
        None => "Write it as a join or as a derived table that is read once.".to_owned(),
    };
    // One row at most is found for each row outside: no index finds it faster.
    let is_unique = |seen: &&Seen<'_>| {
        matches!(
            seen.node.access_type.as_deref(),
            Some("const" | "eq_ref" | "unique_subquery" | "system")
        )
    };
    if !tables.iter().all(is_unique) {
        text.push_str(
            " Where it has to stay, an index on the column that it is tied to the outer row by.",
        );
    }
    if look.names.glance.has_union {
        text.push_str(" IN (SELECT … UNION …) stays dependent in any case.");
    }
    text
}

/// What the text above the statement turns off that would spare the subquery its runs.
fn switched_off(look: &Look<'_>) -> Option<&'static str> {
    let plan = look.case.plan;
    let texts = [&plan.set_switch, &plan.query].into_iter().flatten();
    let mut texts = texts.map(|text| text.to_ascii_lowercase());
    let query = texts.find(|text| text.contains("optimizer_switch"))?;
    match (query.contains("semijoin=off"), query.contains("materialization=off")) {
        (true, true) => Some("optimizer_switch with semijoin=off and materialization=off"),
        (true, false) => Some("optimizer_switch with semijoin=off"),
        (false, true) => Some("optimizer_switch with materialization=off"),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check};
    use crate::advice::Severity;

    fn plan(outer: &str, access: &str, inner: &str, word: &str) -> String {
        format!(
            "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
             1\tPRIMARY\tdesks\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t{outer}\t100.00\tUsing where\n\
             2\t{word}\tcalls\tNULL\t{access}\tix\tix\t4\tfunc\t{inner}\t100.00\tUsing index\n"
        )
    }

    #[test]
    fn runs_times_rows_decide() {
        let word = "DEPENDENT SUBQUERY";
        // 500 × 40 = 20,000 rows.
        check(&Given::plan(&plan("500", "ref", "40", word)), "PLAN011", Some(Severity::Medium));
        check(&Given::plan(&plan("99", "ref", "4000", word)), "PLAN011", None);
        // 500 × 1 = 500 rows.
        check(&Given::plan(&plan("500", "ref", "1", word)), "PLAN011", None);
        check(&Given::plan(&plan("999", "unique_subquery", "20", word)), "PLAN011", None);
        check(
            &Given::plan(&plan("5000", "unique_subquery", "20", word)),
            "PLAN011",
            Some(Severity::Medium),
        );
        check(&Given::plan(&plan("500", "ref", "40", "SUBQUERY")), "PLAN011", None);
    }

    #[test]
    fn advice_is_about_what_is_there() {
        let plain = "SELECT id FROM desks WHERE id IN (SELECT desk FROM calls)";
        let text = |access: &str, query: &str| {
            let plan = plan("50000", access, "1", "DEPENDENT SUBQUERY");
            check(&Given::plan(&plan).query(query), "PLAN011", Some(Severity::Medium))
                .unwrap()
                .recommendation
                .text
        };
        assert!(text("ref", plain).contains("an index on the column that it is tied"));
        assert!(!text("unique_subquery", plain).contains("an index"));
        assert!(!text("ref", plain).contains("UNION"));
        let union = "SELECT id FROM desks WHERE id IN (SELECT desk FROM calls UNION SELECT 4)";
        assert!(text("ref", union).contains("UNION"));
        let off = "SET optimizer_switch='semijoin=off'; SELECT id FROM desks WHERE id IN (SELECT desk FROM calls)";
        assert!(text("ref", off).starts_with("optimizer_switch with semijoin=off is set"));
    }

    #[test]
    fn a_lateral_table_is_meant_to_run_so() {
        check(&Given::plan(&plan("500", "ref", "40", "LATERAL DERIVED")), "PLAN011", None);
    }
}
