//! The range optimizer runs anew for each row.

use crate::advice::rule::rule;
use crate::advice::{Fact, Finding, Severity};
use crate::plan::Amount;
use crate::plan::extra::{self, Parameter};
use crate::schema::Table;
use crate::sql::glance::{Comparison, Op, Operand};

use super::look::{Look, MEDIUM_ROWS, Seen, count};

rule! {
    /// `Range checked for each record`: no index serves the join as it is, so the server looks for
    /// a usable range anew with the values of each row before it.
    ///
    /// **Costs.** In the worst case each pair of rows is read. Mostly an index on the join column is
    /// missing, or the two columns differ in type, character set or collation.
    /// **Wrong when.** A range is found for each row: then the log's Rows_examined is far below the
    /// product. Silent below 10,000 pairs.
    /// **Verify.** EXPLAIN again: access type ref on the join column.
    /// **Source.** MySQL manual, EXPLAIN Extra; `index map` counts indexes as SHOW CREATE TABLE does.
    Plan "PLAN003" "range-checked-for-each-record"
}

const WORDS: &str = "Range checked for each record";
/// A log that examines less than this part of the pairs shows that a range is found.
const FOUND: u64 = 10;

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let checked = look.tables.iter().filter(|seen| seen.node.says(WORDS));
    checked.filter_map(|seen| finding(look, seen)).collect()
}

fn finding(look: &Look<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let outer = outer_rows(seen);
    let pairs = match seen.is_measured {
        true => seen.read?,
        false => seen.node.rows?.times(outer),
    };
    let examined = look.case.load.and_then(|load| load.rows_examined).map(|rows| rows.mean);
    let is_found = examined.is_some_and(|rows| rows.times(Amount::whole(FOUND)) < pairs);
    if pairs < Amount::whole(MEDIUM_ROWS) || is_found {
        return None;
    }
    let severity = look.severity(pairs, Severity::High)?;
    let up_to = if seen.is_measured { "" } else { "up to " };
    let title = format!(
        "no index serves the join to `{}`: {up_to}{} rows are read, a range is looked for anew for each row before",
        seen.name,
        count(pairs)
    );
    let mut finding = look.of_table(&RULE, seen, severity, title);
    finding.evidence.extend(look.facts(seen));
    finding.evidence.push(Fact::number("rows_before", outer));
    finding.evidence.push(Fact::number("pairs", pairs));
    let table = look.table(seen);
    finding.evidence.extend(indexes(seen, table));
    let join = join_of(look, seen);
    let sides = join.as_ref().map(|join| sides(look, seen, join));
    finding.recommendation.text = advice(seen, join.as_ref(), sides.as_ref());
    finding
        .evidence
        .extend(sides.map(|sides| Fact::list("join", sides.iter().map(Side::told).collect())));
    finding.verify = format!("EXPLAIN again: `{}` is read by ref, without `{WORDS}`.", seen.name);
    Some(finding)
}

/// Rows of the tables before it. `filtered` is not trusted: it is a guess wherever this step is
/// needed, and each row that passes after all is a further run.
fn outer_rows(seen: &Seen<'_>) -> Amount {
    if seen.is_measured || seen.block.is_none() {
        return seen.runs;
    }
    seen.before
}

/// The indexes of `index map`, by name where the schema or `possible_keys` tells it.
fn indexes(seen: &Seen<'_>, table: Option<&Table>) -> Vec<Fact> {
    let Some(words) = seen.node.extra.iter().find(|fact| fact.starts_with(WORDS)) else {
        return Vec::new();
    };
    let Parameter::Indexes(bits) = extra::read(words).parameter else { return Vec::new() };
    let mut facts = vec![Fact::text(
        "index_map",
        words.rsplit(": ").next().unwrap_or_default().trim_end_matches(')'),
    )];
    let map = bits.iter().filter(|bit| **bit < 64).fold(0_u64, |map, bit| map | 1 << bit);
    let of_schema: Vec<String> = table
        .map(|table| table.indexes_of_map(map))
        .unwrap_or_default()
        .iter()
        .map(|index| index.name.clone())
        .collect();
    let possible: Vec<String> = seen
        .node
        .possible_keys
        .as_deref()
        .unwrap_or_default()
        .split(',')
        .map(|it| it.trim().to_owned())
        .collect();
    if !of_schema.is_empty() {
        facts.push(Fact::list("indexes", of_schema));
    } else if possible.len() == bits.len() && possible.iter().all(|name| !name.is_empty()) {
        facts.push(Fact::list("indexes", possible));
    } else {
        // As SHOW CREATE TABLE lists them, from 1.
        let places = bits.iter().map(|bit| format!("index no. {} of SHOW CREATE TABLE", bit + 1));
        facts.push(Fact::list("indexes", places.collect()));
    }
    facts
}

/// A column of the join with what the schema says of it.
struct Side {
    called: String,
    /// Type and collation.
    kind: Option<String>,
}

impl Side {
    fn told(&self) -> String {
        match &self.kind {
            Some(kind) => format!("{} {kind}", self.called),
            None => self.called.clone(),
        }
    }
}

/// The comparison with a column of another table.
fn join_of(look: &Look<'_>, seen: &Seen<'_>) -> Option<Comparison> {
    let is_join = |it: &Comparison| matches!(it.with, Operand::Column(_));
    let mut joins: Vec<Comparison> = look.comparisons(seen).into_iter().filter(is_join).collect();
    // An equality says more than a range.
    joins.sort_by_key(|it| it.op != Op::Equal);
    joins.into_iter().next()
}

fn sides(look: &Look<'_>, seen: &Seen<'_>, join: &Comparison) -> [Side; 2] {
    let side = |table: Option<&Table>, called: &str, name: &str| Side {
        called: format!("{called}.{name}"),
        kind: table.and_then(|table| {
            let column = table.column(name)?;
            let kind = format!("{:?}", column.data_type.as_ref()?.name).to_lowercase();
            let collation = table.collation_of(column).or(table.charset_of(column));
            Some(collation.map_or(kind.clone(), |collation| format!("{kind} {collation}")))
        }),
    };
    let own = side(look.table(seen), seen.name, &join.column.name);
    let Operand::Column(other) = &join.with else { return [own, side(None, "", "")] };
    let called = other.table.as_deref().unwrap_or_default();
    [own, side(look.names.table(called), called, &other.name)]
}

fn advice(seen: &Seen<'_>, join: Option<&Comparison>, sides: Option<&[Side; 2]>) -> String {
    if join.is_some_and(|join| join.op == Op::Range) {
        return "The tables are joined by a comparison, not by an equality: no index makes a lookup of that. Join by an \
            equality, or bound the range at both ends so that few rows lie in it; then ANALYZE TABLE."
            .to_owned();
    }
    let are_same = sides.is_some_and(|[own, other]| own.kind.is_some() && own.kind == other.kind);
    let types = match are_same {
        true => "",
        false => ", and make the type, character set and collation of both columns the same",
    };
    format!(
        "Give `{}` an index that begins with the join column{types}; then ANALYZE TABLE.",
        seen.name
    )
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, tsv};
    use crate::advice::{Fact, Severity};

    fn plan(outer: &str, inner: &str, map: &str) -> String {
        tsv(&[
            &line("b", "ALL", "-", outer, "1.25", "Using where"),
            &line(
                "s",
                "ALL",
                "-",
                inner,
                "0.20",
                &format!("Range checked for each record (index map: {map})"),
            ),
        ])
    }

    #[test]
    fn pairs_of_rows_decide() {
        // 80 × 500 = 40,000 pairs.
        check(&Given::plan(&plan("80", "500", "0x1")), "PLAN003", Some(Severity::Medium));
        check(&Given::plan(&plan("8000", "500", "0x1")), "PLAN003", Some(Severity::High));
        // 80 × 100 = 8,000.
        check(&Given::plan(&plan("80", "100", "0x1")), "PLAN003", None);
    }

    #[test]
    fn the_map_is_read_with_the_schema() {
        let schema = "CREATE TABLE seats (id int PRIMARY KEY, p int, v varchar(9), KEY p (p), KEY v (v), KEY pv (p, v));\n\
            CREATE TABLE b (n varchar(9));";
        let plan = plan("80", "500", "0xC");
        let given =
            Given::plan(&plan).query("SELECT 1 FROM b JOIN seats s ON s.v = b.n").schema(schema);
        // PRIMARY, p, v, pv: the bits 2 and 3 are v and pv.
        let finding = check(&given, "PLAN003", Some(Severity::Medium)).unwrap();
        let want = Fact::list("indexes", vec!["v".to_owned(), "pv".to_owned()]);
        assert!(finding.evidence.contains(&want), "{:?}", finding.evidence);
        let join = finding.evidence.iter().find(|fact| fact.name == "join").unwrap();
        assert_eq!(
            join.value,
            crate::advice::Value::List(vec!["s.v varchar".to_owned(), "b.n varchar".to_owned()])
        );
        assert_eq!(finding.subject.table.as_deref(), Some("seats"));
    }
}
