//! Rows that came are far from rows that were expected.

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity};
use crate::flavor::Family;
use crate::plan::{Amount, Node};
use crate::sql::glance::{self, Comparison, Hides, Operand};

use super::look::{Look, OF_TITLE, Seen, count, operation, shortened};

rule! {
    /// A step gave ten times as many rows as expected, or a tenth of them.
    ///
    /// **Costs.** The order of the join, the kind of join and the choice of indexes follow from the
    /// estimate; where it is wrong the plan is right only by chance.
    /// **Wrong when.** A LIMIT stopped the reading, or log and plan are of different times.
    /// **Verify.** EXPLAIN ANALYZE (ANALYZE on MariaDB) again: the two figures are close.
    /// **Source.** MySQL manual, EXPLAIN ANALYZE; MariaDB, ANALYZE statement.
    Plan "PLAN008" "estimate-far-off"
}

/// How many times.
const TIMES: u64 = 10;
/// Rows between the two, over all runs.
const LEAST: u64 = 1_000;

/// Two figures of one step.
struct Off<'a> {
    place: usize,
    node: &'a Node,
    expected: Amount,
    came: Amount,
    what: String,
    /// Figures of one run and the number of runs, where the form shows those.
    per_run: Option<(Amount, Amount, Amount)>,
    may_be_stopped: bool,
}

pub fn look(look: &Look<'_>) -> Vec<Finding> {
    let measured: Vec<Off<'_>> = match look.case.plan.blocks.is_empty() {
        true => of_steps(look),
        false => look.tables.iter().filter_map(|seen| of_line(look, seen)).collect(),
    };
    if measured.is_empty() && !look.tables.iter().any(|seen| seen.is_measured) {
        return of_log(look).into_iter().collect();
    }
    measured.iter().map(|off| finding(look, off)).collect()
}

fn is_off(expected: Amount, came: Amount) -> bool {
    let (less, more) = (expected.min(came), expected.max(came));
    more.minus(less) >= Amount::whole(LEAST) && more >= less.times(Amount::whole(TIMES))
}

/// Whether nobody can tell that a LIMIT did not stop it.
fn may_be_stopped(look: &Look<'_>) -> bool {
    let is_sorted = look.sorts.iter().any(|_| true)
        || look.nodes.iter().any(|node| node.says("Using temporary"));
    !look.names.is_known && !is_sorted && !look.is_write
}

/// Estimates that no statistics make better: one row of a full-text search, the worst case of a
/// range that is looked for anew, what a subquery keeps.
fn is_unjudged(node: &Node) -> bool {
    const INNER: &[&str] = &["select #", "<in_optimizer>", "<ref_null_helper>"];
    let condition = node.condition.as_deref().unwrap_or_default();
    node.access_type.as_deref() == Some("fulltext")
        || node.says("Range checked")
        || INNER.iter().any(|words| condition.contains(words))
}

fn of_line<'a>(look: &Look<'a>, seen: &Seen<'a>) -> Option<Off<'a>> {
    let node = seen.node;
    let came = node.actual?.rows_per_loop.filter(|_| seen.is_measured && !is_unjudged(node))?;
    let runs = seen.runs;
    let expected = node.rows?;
    let off = |expected: Amount, came: Amount, what: String, may_be_stopped| Off {
        place: seen.place,
        node,
        expected,
        came,
        what,
        per_run: None,
        may_be_stopped,
    };
    if is_off(expected.times(runs), came.times(runs)) {
        let is_fewer = came < expected;
        // What stops early reads fewer rows by design.
        if is_fewer && seen.stops_early {
            return None;
        }
        let what = format!("`{}`", seen.name);
        let may = is_fewer && may_be_stopped(look);
        return Some(off(expected.times(runs), came.times(runs), what, may));
    }
    // What a condition keeps matters to the tables behind it.
    let kept = node.actual?.filtered?;
    let guessed = node.filtered?;
    let is_followed =
        look.tables.iter().rev().any(|other| other.block == seen.block && other.place > seen.place);
    let (expected, came) = (expected.times(runs).percent(guessed), came.times(runs).percent(kept));
    let what = format!("the condition on `{}`", seen.name);
    (is_followed && is_off(expected, came)).then(|| off(expected, came, what, false))
}

/// Steps that are off where what they read is not: there the error begins.
fn of_steps<'a>(look: &Look<'a>) -> Vec<Off<'a>> {
    let mut found: Vec<Off<'a>> = Vec::new();
    let mut is_within = vec![false; look.nodes.len()];
    let ends = ends(&look.nodes);
    let stopped = stopped(look);
    for place in (0..look.nodes.len()).rev() {
        let Some(node) = look.nodes.get(place).copied() else { continue };
        // The nodes below stand directly behind it.
        let end = ends.get(place).copied().unwrap_or(place + 1);
        let child_is = |at: usize| is_within.get(at).copied().unwrap_or(false);
        let mut at = place + 1;
        let mut is_inherited = false;
        while at < end {
            is_inherited |= child_is(at);
            at = ends.get(at).copied().unwrap_or(end);
        }
        let is_stopped = stopped.get(place).copied().unwrap_or(false);
        let own = (!is_inherited).then(|| of_step(place, node, is_stopped)).flatten();
        if let Some(flag) = is_within.get_mut(place) {
            *flag = is_inherited || own.is_some();
        }
        found.extend(own);
    }
    found.reverse();
    found
}

/// Behind which place the steps below each step end.
fn ends(nodes: &[&Node]) -> Vec<usize> {
    let mut ends = vec![0; nodes.len()];
    for place in (0..nodes.len()).rev() {
        let children = nodes.get(place).map_or(0, |node| node.children.len());
        let mut end = place + 1;
        for _ in 0..children {
            end = ends.get(end).copied().unwrap_or(end);
        }
        if let Some(own) = ends.get_mut(place) {
            *own = end;
        }
    }
    ends
}

fn of_step<'a>(place: usize, node: &'a Node, is_stopped: bool) -> Option<Off<'a>> {
    let actual = node.actual?;
    let loops = actual.loops.filter(|loops| *loops > Amount::ZERO)?;
    let step = operation(node);
    // The number of groups is a rough guess by design, and nothing is joined to it here.
    let is_judged = node.access_type.is_some()
        || ["Filter", "Nested loop", "Inner hash", "Left hash"]
            .iter()
            .any(|words| step.starts_with(words));
    let expected = node.rows.filter(|_| is_judged)?.times(loops);
    let came = actual.rows()?;
    if !is_off(expected, came) || is_unjudged(node) {
        return None;
    }
    // Fewer partners than expected are no danger to what is built on the join.
    if came < expected && node.access_type.is_none() && !step.starts_with("Filter") {
        return None;
    }
    // Any step above that stops early makes those below it stop too.
    let is_fewer = came < expected;
    if is_fewer && is_stopped {
        return None;
    }
    let what = match (&node.table, step.strip_prefix("Filter: ")) {
        (Some(table), _) => format!("`{table}`"),
        (None, Some(condition)) => format!("the filter {}", shortened(condition, OF_TITLE)),
        (None, None) => step.split(" (").next().unwrap_or_default().to_owned(),
    };
    let is_repeated = loops >= Amount::whole(2);
    let per_run = node.rows.zip(actual.rows_per_loop).filter(|_| is_repeated);
    // The JSON of MySQL prints nine decimals.
    let short = |it: Amount| {
        let hundred = Amount::whole(100);
        it.times(hundred).rounded().ratio(hundred).unwrap_or(it)
    };
    let per_run = per_run.map(|(expected, came)| (short(expected), short(came), loops));
    Some(Off { place, node, expected, came, what, per_run, may_be_stopped: false })
}

/// Whether a LIMIT or a semijoin stops each step: the one that stops the first table below it.
fn stopped(look: &Look<'_>) -> Vec<bool> {
    let mut stopped: Vec<Option<bool>> = vec![None; look.nodes.len()];
    for seen in &look.tables {
        let above = look.above(seen.place).map(|it| it.place);
        for place in std::iter::once(seen.place).chain(above) {
            if let Some(flag) = stopped.get_mut(place) {
                flag.get_or_insert(seen.stops_early);
            }
        }
    }
    stopped.into_iter().map(|it| it == Some(true)).collect()
}

fn finding(look: &Look<'_>, off: &Off<'_>) -> Finding {
    let severity = if off.may_be_stopped { Severity::Info } else { Severity::Medium };
    let mut finding = look.finding(&RULE, severity, title_of(off));
    finding.confidence = if off.may_be_stopped { Confidence::Low } else { Confidence::High };
    finding.subject.step = Some(off.place);
    finding.subject.table = off.node.table.as_deref().map(|name| look.names.full_name(name));
    if let Some((expected, came, runs)) = off.per_run {
        finding.evidence.push(Fact::number("rows_estimated_per_run", expected));
        finding.evidence.push(Fact::number("rows_measured_per_run", came));
        finding.evidence.push(Fact::number("runs", runs));
    }
    finding.evidence.push(Fact::number("rows_estimated", off.expected));
    finding.evidence.push(Fact::number("rows_measured", off.came));
    finding.evidence.extend(
        off.came
            .max(off.expected)
            .ratio(off.came.min(off.expected))
            .map(|it| Fact::number("factor", it)),
    );
    finding.recommendation.text = advice(look, off);
    finding.verify = "Measure again: the rows that came are close to those expected.".to_owned();
    finding
}

/// The figures that the form shows: of one run.
fn title_of(off: &Off<'_>) -> String {
    let Some((expected, came, runs)) = off.per_run else {
        return title(&off.what, off.expected, off.came);
    };
    let whole = title(&off.what, off.expected, off.came);
    let factor = whole.rsplit_once(" came").map_or("", |(_, factor)| factor);
    format!(
        "{}: {expected} rows were expected in each of {} runs and {came} came{factor}",
        off.what,
        count(runs)
    )
}

fn title(what: &str, expected: Amount, came: Amount) -> String {
    let times = came.max(expected).ratio(came.min(expected));
    let factor = match times {
        Some(times) if came > expected => format!(", {} times as many", count(times.rounded())),
        Some(times) => format!(", 1/{} of them", count(times.rounded())),
        None => String::new(),
    };
    format!("{what}: {} rows were expected and {} came{factor}", count(expected), count(came))
}

fn advice(look: &Look<'_>, off: &Off<'_>) -> String {
    let tables = tables(look, off.place);
    if let Some(why) = unmeasurable(off.node) {
        return format!(
            "No statistics tell what this condition keeps: {why}, and the server assumes a fixed share. A condition on a \
             column as it is, or an index or computed column for it, can be estimated."
        );
    }
    let table = match tables.as_slice() {
        [] => "the table".to_owned(),
        names => names.join(", "),
    };
    let histogram = match look.case.plan.flavor {
        Family::MariaDb => "ANALYZE TABLE … PERSISTENT FOR ALL, which counts values by column",
        _ => "a histogram on the column (ANALYZE TABLE … UPDATE HISTOGRAM, MySQL 8.0)",
    };
    let stopped = if off.may_be_stopped {
        " If the statement has a LIMIT that stopped it, this is no fault."
    } else {
        ""
    };
    format!(
        "ANALYZE TABLE on {table} first; if that does not help, more sample pages (STATS_SAMPLE_PAGES), or {histogram}. \
         Columns that depend on each other need a composite index.{stopped}"
    )
}

/// The tables of a step: its own, or those below it.
fn tables(look: &Look<'_>, place: usize) -> Vec<String> {
    let own = look.nodes.get(place).and_then(|node| node.table.as_deref());
    if let Some(own) = own {
        return vec![format!("`{}`", look.names.full_name(own))];
    }
    // Tables of TREE stand in the order of their places, those of a step directly behind it.
    let first = look.tables.partition_point(|seen| seen.place < place);
    let is_of = |seen: &&Seen<'_>| look.above(seen.place).any(|it| it.place == place);
    let mut names: Vec<String> = Vec::new();
    for seen in look.tables.iter().skip(first).take_while(is_of).take(MOST_TABLES) {
        let name = format!("`{}`", look.names.full_name(seen.name));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Tables that a remedy names.
const MOST_TABLES: usize = 8;

/// Why no statistics of columns tell what the condition of a filter keeps.
fn unmeasurable(node: &Node) -> Option<&'static str> {
    let text = operation(node).strip_prefix("Filter: ")?;
    let seen = glance::condition(text);
    let of_tables = |it: &Comparison| match &it.with {
        Operand::Column(other) => other.table != it.column.table,
        _ => false,
    };
    match () {
        () if seen.hidden.iter().any(|it| it.hides != Hides::Wildcard) => {
            Some("a function or arithmetic stands around the column")
        }
        () if !seen.hidden.is_empty() => Some("the pattern begins with a wildcard"),
        () if seen.comparisons.iter().any(of_tables) => Some("it compares columns of two tables"),
        () if seen.comparisons.is_empty() && text.to_ascii_lowercase().contains("is not null") => {
            Some("it is IS NOT NULL alone")
        }
        () => None,
    }
}

/// Rows examined by the log against those of the plan.
fn of_log(look: &Look<'_>) -> Option<Finding> {
    let came = look.case.load?.rows_examined?.mean;
    let expected = look.case.plan.estimate()?.rows_examined;
    if !is_off(expected, came)
        || came < expected && (look.names.glance.has_limit || !look.names.is_known)
    {
        return None;
    }
    let title = title("the log disagrees with the plan", expected, came);
    let mut finding = look.finding(&RULE, Severity::Medium, title);
    finding.evidence.push(Fact::number("rows_examined_by_plan", expected));
    finding.evidence.push(Fact::number("rows_examined_by_log", came));
    finding.recommendation.text =
        "ANALYZE TABLE on the tables of the statement, and EXPLAIN again with the literals of a \
        slow call: the plan may be of another time or of other values."
            .to_owned();
    finding.verify = "EXPLAIN again: the sum of rows is close to Rows_examined.".to_owned();
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Given, check, line, load, review, tsv};
    use crate::advice::{Confidence, Severity};
    use crate::plan::Amount;

    fn tree(expected: &str, came: &str, limit: &str) -> String {
        format!(
            "-> {limit}Nested loop inner join  (cost=900 rows={expected}) (actual time=0.1..90 rows={came} loops=1)\n    \
             -> Filter: (o.state = 3)  (cost=500 rows={expected}) (actual time=0.1..60 rows={came} loops=1)\n        \
             -> Table scan on o  (cost=500 rows=90000) (actual time=0.1..50 rows=91000 loops=1)\n    \
             -> Single-row index lookup on c using PRIMARY (id=o.c)  (cost=0.2 rows=1) (actual time=0.01..0.01 rows=1 loops={came})\n"
        )
    }

    #[test]
    fn the_step_where_the_error_begins_is_named() {
        // 9,000 were expected and 180 came: 50 times, 8,820 apart. The join above inherits it.
        let findings = review(&Given::plan(&tree("9000", "180", "")));
        let off: Vec<_> = findings.iter().filter(|it| it.rule == "PLAN008").collect();
        assert_eq!(off.len(), 1, "{findings:#?}");
        assert_eq!(
            off[0].title,
            "the filter (o.state = 3): 9,000 rows were expected and 180 came, 1/50 of them"
        );
        assert_eq!(off[0].confidence, Confidence::High);
        check(&Given::plan(&tree("1500", "180", "")), "PLAN008", None);
        // 10 times but only 900 rows.
        check(&Given::plan(&tree("100", "1000", "")), "PLAN008", None);
    }

    /// 30 rows in each of 400 runs are 12,000; 1.5 are 600, a twentieth.
    #[test]
    fn figures_are_those_of_a_run_and_remedies_name_tables() {
        let plan = "-> Nested loop inner join  (cost=900 rows=12000) (actual time=0.1..90 rows=600 loops=1)\n    \
             -> Table scan on d  (cost=500 rows=400) (actual time=0.1..5 rows=400 loops=1)\n    \
             -> Index lookup on c using ix (d=d.id)  (cost=0.2 rows=30) (actual time=0.01..0.01 rows=1.5 loops=400)\n";
        let finding = check(&Given::plan(plan), "PLAN008", Some(Severity::Medium)).unwrap();
        assert_eq!(
            finding.title,
            "`c`: 30 rows were expected in each of 400 runs and 1.5 came, 1/20 of them"
        );
        let filter =
            check(&Given::plan(&tree("9000", "180", "")), "PLAN008", Some(Severity::Medium));
        assert!(filter.unwrap().recommendation.text.starts_with("ANALYZE TABLE on `o` first"));
        for condition in ["(o.state is not null)", "(o.state = p.state)"] {
            let text = tree("9000", "180", "").replace("(o.state = 3)", condition);
            let finding = check(&Given::plan(&text), "PLAN008", Some(Severity::Medium)).unwrap();
            assert!(!finding.recommendation.text.contains("ANALYZE"), "{condition}");
        }
    }

    #[test]
    fn what_a_limit_stopped_is_no_error() {
        let text = "-> Limit: 5 row(s)  (cost=9 rows=5) (actual time=0.1..0.2 rows=5 loops=1)\n    \
            -> Table scan on o  (cost=500 rows=90000) (actual time=0.1..0.2 rows=5 loops=1)\n";
        check(&Given::plan(text), "PLAN008", None);
    }

    #[test]
    fn measured_lines_of_mariadb_and_logs_are_compared() {
        let maria = |came: &str| {
            format!(
                "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n\
             1\tSIMPLE\tt\tref\tk\tk\t4\tconst\t12\t{came}\t100.00\t100.00\t\n"
            )
        };
        check(&Given::plan(&maria("36000.00")), "PLAN008", Some(Severity::Medium));
        check(&Given::plan(&maria("90.00")), "PLAN008", None);
        let plan = tsv(&[&line("t", "ref", "k", "12", "100.00", "-")]);
        let mut logged = load("20");
        logged.rows_examined = Some(super::super::PerCall {
            mean: Amount::whole(36_000),
            most: Amount::whole(40_000),
        });
        check(&Given::plan(&plan).load(logged), "PLAN008", Some(Severity::Medium));
        check(&Given::plan(&plan).load(load("20")), "PLAN008", None);
    }
}
