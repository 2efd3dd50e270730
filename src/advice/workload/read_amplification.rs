//! WORK005.

use std::cmp::Reverse;

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Fact, Finding, Severity};
use crate::plan::Amount;

use super::case::{finding, percent, percentage};
use super::does::{Does, Seen};
use super::{Case, Measured};

rule! {
    /// Statements read many rows for each one that they send.
    ///
    /// **Costs.** Each row examined takes a core some tenths of a microsecond to some microseconds,
    /// and a place in the buffer pool; those that are not sent were read for nothing.
    /// **Wrong when.** Rows are summed up: COUNT, SUM, GROUP BY and DISTINCT are left out here. A
    /// class that sends nothing counts with all that it examines: it may be a test of existence.
    /// **Verify.** Rows examined and sent of the classes named, after the change; Innodb_rows_read.
    /// **Source.** MySQL manual, slow query log contents: Rows_examined, Rows_sent.
    Workload "WORK005" "read-amplification"
}

/// Rows examined for each row sent from which on it is too many.
const RATIO: u64 = 100;
/// Rows examined in a second from which on cores feel it.
const RATE: u64 = 100_000;
/// Classes that are named.
const NAMED: usize = 5;
/// Percent of the rows examined below which a class is not named.
const LEAST: u64 = 1;

/// Looks at a load.
pub fn look(case: &Case<'_>) -> Vec<Finding> {
    amplified(case).into_iter().collect()
}

struct Reader<'a> {
    class: &'a Class<'a>,
    examined: u64,
    sent: u64,
}

fn amplified(case: &Case<'_>) -> Option<Finding> {
    let mut readers: Vec<Reader<'_>> = case.classes().filter_map(reader).collect();
    readers.sort_by_key(|reader| (Reverse(reader.examined), reader.class.id));
    let sum = |of: fn(&Reader<'_>) -> u64| readers.iter().map(of).fold(0, u64::saturating_add);
    let (examined, sent) = (sum(|it| it.examined), sum(|it| it.sent));
    // Rows for which nothing is sent count all the same.
    let ratio = Amount::whole(examined).ratio(Amount::whole(sent.max(1)))?;
    // The time in which statements ran is known as "at most", so the rate is "at least".
    let seconds = Amount::whole(case.whole.busy_micros?).ratio(Amount::whole(1_000_000))?;
    let rate = Amount::whole(examined).ratio(seconds)?;
    if ratio < Amount::whole(RATIO) || rate < Amount::whole(RATE) {
        return None;
    }
    let share = |reader: &Reader<'_>| percent(reader.examined, examined);
    let named: Vec<&Reader<'_>> = readers
        .iter()
        .filter(|reader| share(reader).is_some_and(|share| share >= Amount::whole(LEAST)))
        .take(NAMED)
        .collect();
    let told = named.iter().map(|reader| {
        let calls = Amount::whole(reader.class.calls);
        let each = Amount::whole(reader.examined).ratio(calls).unwrap_or(Amount::ZERO);
        let share = share(reader).map_or(String::new(), percentage);
        let sent = Amount::whole(reader.sent).grouped();
        format!("0x{} {share}: {} a call, {sent} sent in all", reader.class.id, each.grouped())
    });
    let evidence = vec![
        Fact::number("rows_examined", Amount::whole(examined)),
        Fact::number("rows_sent", Amount::whole(sent)),
        Fact::number("rows_examined_a_second_at_least", rate.rounded()),
        Fact::list("most_by", told.collect()),
    ];
    let title = match sent {
        0 => format!("{} rows are read and none is sent", Amount::whole(examined).grouped()),
        _ => format!("{} rows are read for each one sent", ratio.grouped()),
    };
    let queries = named.iter().map(|reader| reader.class.id).collect();
    let found = finding(
        &RULE,
        (Severity::Medium, Confidence::High),
        format!("{title}, {} a second", rate.grouped()),
        evidence,
        (
            "Let the classes named read fewer rows: an index on what they filter by, a narrower \
             condition, LIMIT with an index in its order. What is told of each class says which.",
            "Rows_examined and Rows_sent of these classes in a later log",
        ),
    );
    Some(Finding { queries, ..found })
}

/// What a class reads, if it sends the rows that it finds and does not sum them up.
fn reader<'a>((class, measured): (&'a Class<'a>, &Measured)) -> Option<Reader<'a>> {
    let (examined, sent) = (measured.rows_examined?, measured.rows_sent?);
    let seen = Some(Seen::of(class)).filter(|_| examined > 0)?;
    (seen.does == Does::Read && !seen.sums_up).then_some(Reader { class, examined, sent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Workload;
    use crate::advice::workload::{Whole, fixture};
    use crate::server::ServerFacts;

    fn class(text: &str, calls: u64, examined: u64, sent: u64) -> Class<'static> {
        let measured = Measured {
            rows_examined: Some(examined),
            rows_sent: Some(sent),
            ..Measured::default()
        };
        Class { calls, measured: Some(measured), ..fixture(text) }
    }

    fn titles(classes: Vec<Class<'static>>, seconds: u64) -> Vec<String> {
        found(classes, seconds).into_iter().map(|it| it.title).collect()
    }

    fn found(classes: Vec<Class<'static>>, seconds: u64) -> Vec<Finding> {
        let whole = Whole { busy_micros: Some(seconds * 1_000_000), ..Whole::default() };
        let workload = Workload { classes, ..Workload::default() };
        let facts = ServerFacts::default();
        look(&Case { workload: &workload, whole: &whole, seen: None, facts: &facts, schema: None })
    }

    const ROWS: &str = "SELECT a FROM t WHERE b = 1";
    const NONE: &str = "SELECT a FROM u WHERE b = 1";
    const SUMS: &str = "SELECT COUNT(*) FROM v";

    #[test]
    fn rows_are_weighed_against_those_sent() {
        // 987,990,000 / 1,920,000 = 514.6; in 2,392 s 413,039 a second.
        let want = "515 rows are read for each one sent, 413,039 a second";
        assert_eq!(titles(vec![class(ROWS, 620_470, 987_990_000, 1_920_000)], 2_392), [want]);
        // 99 for each; 99,900 a second.
        assert_eq!(titles(vec![class(ROWS, 1, 99_000_000, 1_000_000)], 10), [""; 0]);
        assert_eq!(titles(vec![class(ROWS, 1, 999_000, 1)], 10), [""; 0]);
    }

    #[test]
    fn who_sends_nothing_counts_and_who_sums_up_does_not() {
        let both = found(
            vec![class(ROWS, 10, 1_000_000, 1_000_000), class(NONE, 986, 113_779_470, 0)],
            100,
        );
        // (113,779,470 + 1,000,000) / 1,000,000; 99 % are of the class that sends nothing.
        assert_eq!(both[0].title, "115 rows are read for each one sent, 1,147,795 a second");
        let Some(most) = both[0].evidence.iter().find(|fact| fact.name == "most_by") else {
            panic!("who reads most is not told");
        };
        let id = fixture(NONE).id;
        let want = format!("0x{id} 99 %: 115,395 a call, 0 sent in all");
        assert_eq!(most.value, crate::advice::Value::List(vec![want]));
        assert_eq!(both[0].queries, [id]);
        assert_eq!(
            titles(vec![class(NONE, 986, 113_779_470, 0)], 100),
            ["113,779,470 rows are read and none is sent, 1,137,795 a second"]
        );
        assert_eq!(titles(vec![class(SUMS, 986, 113_779_470, 986)], 100), [""; 0]);
    }
}
