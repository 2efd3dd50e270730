//! `filtered` is a guess of the optimizer.

use std::collections::HashMap;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::plan::Amount;
use crate::plan::guess::{self, Verdict, judge};
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS};

use super::look::{Look, Seen, count};

rule! {
    /// `filtered` is a default of the optimizer, not a measure of the data.
    ///
    /// **Costs.** The order of the join and the choice of indexes are built on it: where it is wrong
    /// by ten times, so is everything behind it.
    /// **Wrong when.** The column has a histogram or an index that makes the same value by chance.
    /// MariaDB guesses otherwise and is not judged. Silent where the rows are few.
    /// **Verify.** Rows_sent against Rows_examined in the log, or EXPLAIN ANALYZE; EXPLAIN after
    /// ANALYZE TABLE … UPDATE HISTOGRAM.
    /// **Source.** MySQL, COND_FILTER_EQUALITY, _INEQUALITY and _BETWEEN of the server.
    Plan "PLAN007" "filtered-is-a-guess"
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let guessed: Vec<(&Seen<'_>, Verdict)> =
        look.tables.iter().filter_map(|seen| Some((seen, verdict(look, seen)?))).collect();
    let mut pairs: HashMap<Option<usize>, Amount> = HashMap::new();
    for seen in &look.tables {
        let pairs = pairs.entry(seen.block).or_insert(Amount::ONE);
        *pairs = pairs.times(seen.node.rows.unwrap_or(Amount::ONE));
    }
    let Some((first, _)) = guessed.iter().find(|(seen, _)| matters(&pairs, seen)) else {
        return Vec::new();
    };
    let is_large = guessed.iter().any(|(seen, _)| seen.read >= Some(Amount::whole(MANY_ROWS)));
    let severity = if is_large { Severity::Low } else { Severity::Info };
    let percent = first.node.filtered.unwrap_or_default();
    let title = match guessed.len() {
        1 => format!("filtered {percent} of `{}` is a default guess, not measured", first.name),
        steps => format!("filtered of {steps} steps is a default guess, not measured"),
    };
    let mut finding = look.finding(&RULE, severity, title);
    finding.subject.step = Some(first.place);
    finding.subject.table = Some(look.names.full_name(first.name));
    if look.case.plan.flavor == Family::Unknown {
        finding.confidence = Confidence::Low;
    }
    finding.evidence.push(Fact::list(
        "guesses",
        guessed.iter().map(|(seen, verdict)| told(seen, verdict)).collect(),
    ));
    finding.evidence.extend(look.facts(first));
    finding.evidence.extend(sorted(look, first));
    finding.recommendation.text = format!("{}{}", costly_lookup(first), advice(look, &guessed));
    finding.verify = "Compare with Rows_sent and Rows_examined of the log, or run EXPLAIN ANALYZE (MySQL 8.0.18); EXPLAIN \
        again once there is a histogram."
        .to_owned();
    vec![finding]
}

/// What a sort behind the guess has to do if the guess is wrong.
fn sorted(look: &Look<'_>, seen: &Seen<'_>) -> Vec<Fact> {
    let sort = look
        .sorts
        .iter()
        .find(|sort| sort.place == seen.place && !sort.is_measured && !sort.has_temporary);
    let (Some(sort), Some(most)) = (sort, seen.read) else { return Vec::new() };
    vec![
        Fact::number("rows_sorted_if_the_guess_holds", sort.rows),
        Fact::number("rows_sorted_at_most", most),
    ]
}

/// A lookup that reads many rows costs what it reads, whatever is kept of them.
fn costly_lookup(seen: &Seen<'_>) -> String {
    let read = seen.read.filter(|read| {
        *read >= Amount::whole(MANY_ROWS) && !seen.is_scan() && !seen.is_index_scan()
    });
    let (Some(read), Some(key)) = (read, seen.node.key.as_deref()) else { return String::new() };
    format!(
        "The cost of this step is the {} rows that index `{key}` reads, whatever is kept of them: what it searches by is not          selective. An index that has the columns of the other conditions too reads fewer. ",
        count(read)
    )
}

fn told(seen: &Seen<'_>, verdict: &Verdict) -> String {
    let rows = seen.node.rows.map(|rows| format!(" of {} rows", count(rows))).unwrap_or_default();
    format!("{}: {}{rows}: {verdict}", seen.name, seen.node.filtered.unwrap_or_default())
}

fn verdict(look: &Look<'_>, seen: &Seen<'_>) -> Option<Verdict> {
    let filtered =
        seen.node.filtered.filter(|_| seen.has_condition || seen.node.says("Range checked"))?;
    if seen.is_kept_measured {
        return None;
    }
    let hundredths = filtered.times(Amount::whole(100)).rounded().floor();
    let table_rows =
        seen.node.rows.filter(|_| seen.is_scan()).and_then(|rows| u64::try_from(rows.floor()).ok());
    let case = guess::Case {
        filtered: u32::try_from(hundredths).ok()?,
        table_rows,
        family: look.case.plan.flavor,
        ..guess::Case::default()
    };
    let verdict = judge(&case);
    let is_close = match &verdict {
        // Values that only three predicates together make are made by many things.
        Verdict::CouldBe(_, readings) => {
            readings.iter().any(|reading| reading.predicates.len() <= 2)
        }
        _ => true,
    };
    (verdict.is_guess() && is_close).then_some(verdict)
}

/// Whether anything hangs on it: many rows here, or many pairs with the tables of the join.
fn matters(pairs: &HashMap<Option<usize>, Amount>, seen: &Seen<'_>) -> bool {
    if seen.node.rows <= Some(Amount::ONE) {
        return false;
    }
    if seen.read >= Some(Amount::whole(NOTABLE_ROWS)) {
        return true;
    }
    pairs.get(&seen.block).is_some_and(|pairs| *pairs >= Amount::whole(MANY_ROWS))
}

fn advice(look: &Look<'_>, guessed: &[(&Seen<'_>, Verdict)]) -> String {
    let mut columns: Vec<String> = guessed
        .iter()
        .flat_map(|(seen, _)| {
            let indexed = seen.node.used_key_parts.clone();
            let comparisons = look.comparisons(seen).into_iter().map(|it| it.column.name);
            let bare = comparisons
                .filter(move |name| !indexed.iter().any(|it| it.eq_ignore_ascii_case(name)));
            let name = seen.name;
            bare.map(move |column| format!("{name}.{column}")).collect::<Vec<_>>()
        })
        .collect();
    columns.sort();
    columns.dedup();
    let on = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
    format!(
        "Trust measured rows instead of this value: a small one is no proof that few rows are kept. If the columns{on} are \
         not worth an index, a histogram (MySQL 8.0) gives the optimizer a measure, though not for LIKE; then ANALYZE TABLE."
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, tsv};
    use crate::advice::{Severity, Value};

    #[test]
    fn products_of_guesses_are_known_again() {
        // An equality and a comparison: 10 % × 33.33 % = 3.33 %.
        let plan = tsv(&[&line(
            "tickets",
            "ref",
            "ix_desk",
            "84210",
            "3.33",
            "Using where; Using filesort",
        )]);
        let finding = check(&Given::plan(&plan), "PLAN007", Some(Severity::Low)).unwrap();
        let Value::List(guesses) = &finding.evidence[0].value else { panic!("a list") };
        assert!(guesses[0].contains("an equality AND a comparison by < or >"), "{guesses:?}");
    }

    #[test]
    fn one_row_of_the_table_is_the_least() {
        // 100 / 80 = 1.25; 100 / 500 = 0.20; 80 × 500 pairs hang on them.
        let plan = tsv(&[
            &line("b", "ALL", "-", "80", "1.25", "Using where"),
            &line("s", "ALL", "-", "500", "0.20", "Using where"),
        ]);
        let finding = check(&Given::plan(&plan), "PLAN007", Some(Severity::Info)).unwrap();
        let Value::List(guesses) = &finding.evidence[0].value else { panic!("a list") };
        assert!(
            guesses[0].contains("one row of 80") && guesses[1].contains("one row of 500"),
            "{guesses:?}"
        );
    }

    #[test]
    fn other_values_other_servers_and_few_rows_are_no_guess() {
        let plan = |rows: &str, filtered: &str| {
            tsv(&[&line("tickets", "ALL", "-", rows, filtered, "Using where")])
        };
        check(&Given::plan(&plan("84210", "7.41")), "PLAN007", None);
        check(&Given::plan(&plan("84210", "100.00")), "PLAN007", None);
        check(&Given::plan(&plan("40", "10.00")), "PLAN007", None);
        let maria = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n\
            1\tSIMPLE\tt\tALL\tNULL\tNULL\tNULL\tNULL\t84210\t84210.00\t10.00\t12.00\tUsing where\n";
        check(&Given::plan(maria), "PLAN007", None);
    }
}
