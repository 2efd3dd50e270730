//! `filtered` is a guess of the optimizer.

use std::collections::HashMap;

use crate::advice::rule::rule;
use crate::advice::sql::{is_lookup, led_by};
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::plan::Amount;
use crate::plan::guess::{self, Predicate, Reading, Verdict, judge};
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS};
use crate::schema::TypeName;
use crate::sql::glance::{Mention, Operand};

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
        "The cost of this step is the {} rows that index `{key}` reads, whatever is kept of them: what it searches by is not selective. An index that has the columns of the other conditions too reads fewer. ",
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
    if seen.is_kept_measured || is_all_searched(look, seen) {
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
    let verdict = match (judge(&case), written(look, seen)) {
        (Verdict::CouldBe(value, readings), Some(text)) => {
            Verdict::CouldBe(value, occurring(look, seen, readings, &text))
        }
        (Verdict::OneRow(rows, readings), Some(text)) => {
            Verdict::OneRow(rows, occurring(look, seen, readings, &text))
        }
        (verdict, _) => verdict,
    };
    let is_close = match &verdict {
        // Values that only three predicates together make are made by many things.
        Verdict::CouldBe(_, readings) => {
            readings.iter().any(|reading| reading.predicates.len() <= 2)
        }
        _ => true,
    };
    (verdict.is_guess() && is_close).then_some(verdict)
}

/// The condition in lower case, where it is known: that of the step, or the statement of one table.
fn written(look: &Look<'_>, seen: &Seen<'_>) -> Option<String> {
    let is_single = look.names.glance.sources.len() == 1;
    let query = look.case.plan.query.as_deref().filter(|_| is_single);
    seen.condition.or(query).map(str::to_ascii_lowercase)
}

/// Whether all that is compared is what the index is searched by.
fn is_all_searched(look: &Look<'_>, seen: &Seen<'_>) -> bool {
    let comparisons = look.comparisons(seen);
    let is_used =
        |name: &str| seen.node.used_key_parts.iter().any(|part| part.eq_ignore_ascii_case(name));
    is_lookup(seen)
        && written(look, seen).is_some()
        && !comparisons.is_empty()
        && look.mentions(seen).iter().all(|it| is_used(&it.column.name))
}

/// Readings of which each predicate is in the condition.
fn occurring(look: &Look<'_>, seen: &Seen<'_>, readings: Vec<Reading>, text: &str) -> Vec<Reading> {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let table = look.table(seen);
    let has_members = table.is_none_or(|table| {
        look.mentions(seen).iter().any(|it| {
            let data_type = table.column(&it.column.name).and_then(|own| own.data_type.as_ref());
            data_type.is_none_or(|own| {
                matches!(own.name, TypeName::Enum | TypeName::Set | TypeName::Bit)
            })
        })
    });
    let of_three = |it: &Mention| {
        let data_type = table?.column(&it.column.name)?.data_type.as_ref()?;
        (data_type.name == TypeName::Enum && data_type.members.len() == 3).then_some(())
    };
    let has_three = look.mentions(seen).iter().any(|it| of_three(it).is_some());
    // A third is what an equality with an ENUM of three members is taken to keep as well.
    let meant = |mut reading: Reading| {
        for predicate in &mut reading.predicates {
            if *predicate == Predicate::Range && has_three && !has(&["<", ">"]) {
                *predicate = Predicate::Members { of: 1, all: 3 };
            }
        }
        reading
    };
    let has_equal = has(&["=", " is null", " in (", " in("]);
    let occurs = |predicate: &Predicate| match predicate {
        Predicate::Equal => has(&["=", " is null", "not "]),
        Predicate::Range => has(&["<", ">"]),
        Predicate::Between => has(&["between"]),
        Predicate::Like => has(&["like"]),
        Predicate::In(_) => has(&[" in (", " in(", "any", "or "]),
        Predicate::NotEqual => has(&["!=", "<>", "is not null"]),
        Predicate::NotIn(_) => has(&["not in", "not("]) || has(&[" in ("]) && has(&["not "]),
        Predicate::NotBetween => has(&["between"]) && has(&["not "]),
        Predicate::NotLike => has(&["like"]) && has(&["not "]),
        Predicate::Members { .. } => has_members && has_equal,
        Predicate::NotMember(_) => has_members && has(&["!=", "<>"]),
        Predicate::Any => has(&["any", "some", "all"]),
        Predicate::Opaque => true,
    };
    let readings = readings.into_iter().map(meant);
    readings.filter(|reading| reading.predicates.iter().all(occurs)).collect()
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
            // A histogram is of values, and an index tells more than one.
            let table = look.table(seen);
            let is_indexed =
                move |name: &str| table.is_some_and(|table| led_by(table, name).is_some());
            let comparisons = look
                .comparisons(seen)
                .into_iter()
                .filter(|it| !matches!(it.with, Operand::Column(_)))
                .map(|it| it.column.name)
                .filter(move |name| !is_indexed(name));
            let bare = comparisons
                .filter(move |name| !indexed.iter().any(|it| it.eq_ignore_ascii_case(name)));
            let name = seen.name;
            bare.map(move |column| format!("{name}.{column}")).collect::<Vec<_>>()
        })
        .collect();
    columns.sort();
    columns.dedup();
    let trust = "Trust measured rows instead of this value: a small one is no proof that few rows are kept.";
    if columns.is_empty() && look.names.is_known {
        return trust.to_owned();
    }
    let on = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
    format!(
        "{trust} If the columns{on} are not worth an index, a histogram (MySQL 8.0) gives the optimizer a measure, though not for LIKE; then ANALYZE TABLE."
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
    fn only_what_the_condition_says_is_read_into_it() {
        let plan = tsv(&[&line("tickets", "ALL", "-", "84210", "33.33", "Using where")]);
        let guesses = |query: &str, schema: &str| {
            let given = Given::plan(&plan).query(query).schema(schema);
            let findings = super::super::fixture::review(&given);
            let found = findings.into_iter().find(|it| it.rule == "PLAN007")?;
            let Value::List(guesses) = &found.evidence[0].value else { panic!("a list") };
            Some((guesses[0].clone(), found.recommendation.text))
        };
        let schema = "CREATE TABLE tickets (id int PRIMARY KEY, due date, state enum('a','b','c'), KEY ix_due (due));";
        let (ranged, text) =
            guesses("SELECT id FROM tickets WHERE due < '2026-01-01'", schema).unwrap();
        assert!(ranged.contains("a comparison by < or >") && !ranged.contains("ENUM"), "{ranged}");
        assert!(!text.contains("histogram"), "{text}");
        let (member, text) = guesses("SELECT id FROM tickets WHERE state = 'a'", schema).unwrap();
        assert!(member.contains("ENUM of 3") && !member.contains("< or >"), "{member}");
        assert!(text.contains("tickets.state") && text.contains("histogram"), "{text}");
        assert_eq!(guesses("SELECT id FROM tickets WHERE due LIKE '2026%'", schema), None);
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
