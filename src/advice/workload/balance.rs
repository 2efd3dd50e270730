//! WORK014.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::advice::rule::rule;
use crate::advice::{Confidence, Fact, Finding, Severity, Value};
use crate::plan::Amount;

use super::Case;
use super::case::{finding, hundredths, percent, percentage, time};
use super::does::{Does, Seen};

rule! {
    /// Whether a load mostly reads, mostly writes, or both: it decides which advice weighs more.
    ///
    /// Fewer than 10 % of the statements write: read-mostly; more than half: write-mostly; between
    /// them it is balanced. Only statements that read or write rows count.
    ///
    /// **Costs.** Nothing by itself. An index is paid by each write of its table, and a cache of
    /// results is emptied by it: what helps one load harms the other.
    /// **Wrong when.** The log has a threshold: then it tells of slow statements only, and fast
    /// writes are missing first. Replicas take reads away from this server, and what one replays is
    /// not in its log. What runs inside of CALL is not counted where it is not logged.
    /// **Verify.** Com_select against Com_insert, Com_update, Com_delete and Com_replace of SHOW
    /// GLOBAL STATUS, twice, over the same time.
    /// **Source.** The classes of load, and what suits each, are those of a talk of Sina on the limits
    /// of MySQL in practice; the bounds are ours.
    Workload "WORK014" "workload-class"
}

/// Percent of the statements that write: below, a load is read-mostly; beyond, write-mostly.
const FEW: u64 = 10;
const MANY: u64 = 50;
/// Tables that are named.
const TABLES: usize = 3;
/// Facts of a finding.
const READS: &str = "reads";
const WRITES: &str = "writes";

/// Statements and their microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Part {
    calls: u64,
    micros: u64,
}

impl Part {
    fn add(&mut self, other: Part) {
        self.calls = self.calls.saturating_add(other.calls);
        self.micros = self.micros.saturating_add(other.micros);
    }

    fn plus(mut self, other: Part) -> Part {
        self.add(other);
        self
    }
}

/// What of a load reads and what writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Balance {
    reads: Part,
    writes: Part,
    /// Writes and reads by table.
    tables: BTreeMap<String, (Part, Part)>,
}

impl Balance {
    fn of(case: &Case<'_>) -> Balance {
        let mut balance = Balance::default();
        for class in &case.workload.classes {
            let part = Part { calls: class.calls, micros: class.micros.unwrap_or(0) };
            let seen = Seen::of(class);
            match seen.does {
                Does::Read => balance.reads.add(part),
                Does::Write => balance.writes.add(part),
                Does::Other => continue,
            }
            let written = seen.written(class);
            for table in seen.tables(class) {
                let is_written = written.as_ref() == Some(&table);
                let (writes, reads) = balance.tables.entry(table).or_default();
                if is_written { writes.add(part) } else { reads.add(part) }
            }
        }
        balance
    }

    fn all(&self) -> Part {
        self.reads.plus(self.writes)
    }

    /// The tables that are written most, with their writes and reads.
    fn written_most(&self) -> Vec<(&str, Part, Part)> {
        let tables = self.tables.iter().map(|(name, it)| (name.as_str(), it.0, it.1));
        let mut tables: Vec<_> = tables.filter(|(_, writes, _)| writes.calls > 0).collect();
        tables.sort_by_key(|(name, writes, _)| (Reverse(writes.calls), *name));
        tables.truncate(TABLES);
        tables
    }
}

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    told(case).into_iter().collect()
}

/// Of the statements that read or write rows the share that reads, a fraction: out of the findings
/// of a load.
pub fn facts(findings: &[Finding]) -> Vec<Fact> {
    let own = findings.iter().find(|finding| finding.rule == RULE.code);
    let share = own.and_then(|finding| {
        let count = |name| {
            finding.evidence.iter().find_map(|fact| match fact.value {
                Value::Number(count) if fact.name == name => Some(count),
                _ => None,
            })
        };
        let (reads, writes) = (count(READS)?, count(WRITES)?);
        reads.ratio(reads.plus(writes))
    });
    share.map(|share| Fact::number("read_share", share)).into_iter().collect()
}

fn told(case: &Case<'_>) -> Option<Finding> {
    let balance = Balance::of(case);
    let all = balance.all();
    let writes = percent(balance.writes.calls, all.calls)?;
    let by_time = percent(balance.writes.micros, all.micros);
    let others = case.whole.measured.events.saturating_sub(all.calls);
    let mut evidence = vec![
        Fact::number(READS, Amount::whole(balance.reads.calls)),
        Fact::number(WRITES, Amount::whole(balance.writes.calls)),
        Fact::number("write_percent", hundredths(writes)),
    ];
    evidence.extend(by_time.map(|share| Fact::number("write_percent_of_time", hundredths(share))));
    evidence.push(Fact::number("other_statements", Amount::whole(others)));
    let tables = balance.written_most();
    let share = |part: &Part| percent(part.calls, balance.writes.calls).map(percentage);
    let told = |(name, writes, reads): &(&str, Part, Part)| {
        let count = |part: &Part| Amount::whole(part.calls).grouped();
        let (share, writes, took) = (share(writes)?, count(writes), time(writes.micros));
        Some(format!("{name}: {writes} writes, {share} of all, {took}; {} reads", count(reads)))
    };
    let in_short = |(name, writes, _): &(&str, Part, Part)| {
        Some(format!("{name} ({} of the writes, {})", share(writes)?, time(writes.micros)))
    };
    let named: Vec<String> = tables.iter().filter_map(in_short).collect();
    if !tables.is_empty() {
        evidence.push(Fact::list("written_most", tables.iter().filter_map(told).collect()));
    }
    let has_cache = case.version().is_none_or(|version| !version.is_mysql_from(8, 0, 0));
    let (name, advice) = advice(writes, has_cache);
    let floor = case.floor();
    let of = match floor {
        Some(floor) => format!(" of what is logged, from {} on", time(floor)),
        None => String::new(),
    };
    let title = match by_time {
        _ if balance.writes.calls == 0 => format!("The load is {name}: no statement writes{of}"),
        Some(share) => format!(
            "The load is {name}: {} of the statements write, {} of the time{of}",
            percentage(writes),
            percentage(share)
        ),
        None => format!("The load is {name}: {} of the statements write{of}", percentage(writes)),
    };
    let tables = match named.is_empty() {
        true => String::new(),
        false => format!(" Written most: {}.", named.join(", ")),
    };
    Some(finding(
        &RULE,
        (Severity::Info, confidence(case)),
        title,
        evidence,
        (
            &format!("{advice}{tables}"),
            "Com_select, Com_insert, Com_update, Com_delete and Com_replace of two SHOW GLOBAL STATUS",
        ),
    ))
}

/// How sure it is that the log has all statements. Fast writes are missing in one with a threshold.
fn confidence(case: &Case<'_>) -> Confidence {
    let variables = &case.facts.variables;
    let least_rows = variables.number("min_examined_row_limit").unwrap_or(0);
    match variables.micros("long_query_time") {
        _ if case.floor().is_some() || least_rows > 0 => Confidence::Low,
        Some(0) => Confidence::High,
        Some(_) => Confidence::Low,
        // Indexes that were not used may have chosen the statements.
        None => Confidence::Medium,
    }
}

/// What a load is called, and what weighs more and less for it.
fn advice(writes: Amount, has_cache: bool) -> (&'static str, String) {
    let (name, more, cache, less) = if writes < Amount::whole(FEW) {
        (
            "read-mostly",
            "covering indexes (IDX006), replicas, a cache in the application",
            ", the query cache where a replay shows a gain (QC001)",
            "what an index costs writes",
        )
    } else if writes <= Amount::whole(MANY) {
        (
            "balanced",
            "few indexes that serve many classes (IDX007, IDX008), the sizes of buffer pool and redo log \
             (VAR001, VAR014)",
            ", no query cache (QC001)",
            "an index for a single class",
        )
    } else {
        (
            "write-mostly",
            "inserts of many rows, buffers for hot counters, indexes to drop (IDX007, IDX008), splitting \
             the hottest tables, summary tables, the redo log (VAR014)",
            ", no query cache (QC001)",
            "new indexes",
        )
    };
    let cache = if has_cache { cache } else { "" };
    (name, format!("What weighs more here: {more}{cache}; less: {less}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Workload;
    use crate::advice::workload::{Class, Measured, Times, Whole, fixture};
    use crate::server::ServerFacts;

    fn class(text: &str, calls: u64, seconds: u64) -> Class<'static> {
        Class { calls, micros: Some(seconds * 1_000_000), ..fixture(text) }
    }

    fn shown(classes: Vec<Class<'static>>, least: u64) -> (Vec<Finding>, Vec<Fact>) {
        let measured = Measured {
            events: classes.iter().map(|class| class.calls).sum(),
            time: Some(Times { least, ..Times::default() }),
            ..Measured::default()
        };
        let whole = Whole { measured, ..Whole::default() };
        let workload = Workload { classes, ..Workload::default() };
        let server = ServerFacts::default();
        let case =
            Case { workload: &workload, whole: &whole, seen: None, facts: &server, schema: None };
        let found = look(&case);
        let facts = facts(&found);
        (found, facts)
    }

    fn load(reads: u64, writes: u64) -> Vec<Class<'static>> {
        vec![
            class("SELECT a FROM shop.t WHERE b = 1", reads, 10),
            class("UPDATE shop.t SET a = 1 WHERE b = 1", writes, 30),
            class("COMMIT", 1_000, 1),
        ]
    }

    #[test]
    fn statements_tell_the_class() {
        let name = |reads, writes| {
            let (found, _) = shown(load(reads, writes), 20);
            found[0].title.split([' ', ':']).nth(3).unwrap_or_default().to_owned()
        };
        assert_eq!(name(91, 9), "read-mostly");
        assert_eq!(name(90, 10), "balanced");
        assert_eq!(name(50, 50), "balanced");
        assert_eq!(name(49, 51), "write-mostly");
    }

    #[test]
    fn time_and_tables_are_told_beside() {
        let (found, facts) = shown(load(75, 25), 20);
        // 30 of 40 s are of the UPDATE; COMMIT is neither.
        let title = "The load is balanced: 25 % of the statements write, 75 % of the time";
        assert_eq!((found[0].title.as_str(), found[0].confidence), (title, Confidence::Medium));
        assert!(found[0].evidence.contains(&Fact::list(
            "written_most",
            vec!["shop.t: 25 writes, 100 % of all, 30 s; 75 reads".to_owned()]
        )));
        assert!(
            found[0].evidence.contains(&Fact::number("other_statements", Amount::whole(1_000)))
        );
        let share = facts.iter().find(|fact| fact.name == "read_share").map(|it| &it.value);
        assert_eq!(share, Some(&Value::Number(Amount::parse("0.75").unwrap())));
    }

    #[test]
    fn a_threshold_is_told() {
        let (found, _) = shown(load(75, 25), 1_000_000);
        assert!(found[0].title.ends_with("of the time of what is logged, from 1 s on"));
        assert_eq!(found[0].confidence, Confidence::Low);
    }

    #[test]
    fn a_load_without_rows_has_no_class() {
        let (found, facts) = shown(vec![class("COMMIT", 7, 1), class("SELECT 1", 9, 1)], 20);
        assert_eq!((found, facts), (Vec::new(), Vec::new()));
    }
}
