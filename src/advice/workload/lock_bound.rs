//! WORK006.

use std::cmp::Reverse;

use crate::advice::rule::rule;
use crate::advice::{Class, Confidence, Fact, Finding, Severity, Subject};
use crate::plan::Amount;
use crate::sql::glance::Verb;

use super::Case;
use super::case::{finding, hundredths, percent, percentage, seconds, time};
use super::does::{Does, Seen};

rule! {
    /// A statement, or the load as a whole, waits for locks for a good part of its time.
    ///
    /// Below 1 % of the time of a load locks are ruled out: that is told too. Not so of a log with a
    /// threshold of MariaDB or of MySQL before 8.0.28: they do not count the time in locks when they
    /// ask whether a statement was slow, and do not log who mostly waits.
    ///
    /// **Costs.** No index makes it faster: the time goes by while another transaction holds what it
    /// wants.
    /// **Wrong when.** The whole wait is less than a second. Lock_time counts table locks, and on MySQL
    /// row locks of InnoDB; not so on MariaDB (10.11: an UPDATE that waited 2.3 s for a row logs 0.002 s),
    /// where Innodb_row_lock_time tells them. Metadata locks it counts in MariaDB and in MySQL before 8.0.28, not from there on:
    /// then a wait for ALTER TABLE is time without a reason. InnoDB_rec_lock_wait of Percona Server
    /// tells row locks apart; else only a plain SELECT does, which waits for none. Inside of stored
    /// routines MariaDB counts from the start of the routine: there it is left out.
    /// **Verify.** Lock_time of the class after the change; sys.innodb_lock_waits while it waits.
    /// **Source.** MySQL manual, the slow query log and its contents; InnoDB lock waits. thd_storage_lock_wait and
    /// mysql_lock_tables of the servers add to Lock_time.
    Workload "WORK006" "lock-bound"
}

/// Percent of the time from which on a class is bound by locks, and from which on badly.
const BOUND: u64 = 10;
const BADLY: u64 = 30;
/// Percent of the time of a load below which locks are ruled out.
const RULED_OUT: u64 = 1;
/// Microseconds: of a call on the average, and of all calls together.
const LEAST_EACH: u64 = 1_000;
const LEAST: u64 = 1_000_000;
/// Percent of all waits that are of one class: what is told of that class tells all.
const ONE: u64 = 90;
/// Classes that are named.
const NAMED: usize = 5;
/// Percent of all waits below which a class is not named.
const NAMED_FROM: u64 = 1;
/// The fact that says whether waits for rows would be seen.
pub const ROWS_COUNTED: &str = "row_locks_counted";
/// Events of which something is ruled out.
const ENOUGH: u64 = 10;

const VERIFY: &str = "Lock_time of the class; SELECT * FROM sys.innodb_lock_waits while it waits";

/// Waits for locks.
#[derive(Debug, Clone, Copy)]
struct Waits {
    calls: u64,
    micros: u64,
    waited: u64,
    /// Of these for row locks, where the log tells.
    rows: Option<u64>,
}

impl Waits {
    fn of(class: &Class<'_>) -> Option<Waits> {
        let measured = class.measured.as_ref();
        let rows = measured.and_then(|it| it.row_lock_micros);
        let is_in_routine = measured.is_some_and(|it| it.in_routines > 0);
        let waited = class.lock_micros.filter(|_| !is_in_routine).max(rows)?;
        Some(Waits { calls: class.calls, micros: class.micros?, waited, rows })
    }

    /// Of all events outside of stored routines.
    fn of_all(case: &Case<'_>) -> Option<Waits> {
        let measured = &case.whole.measured;
        let without = |all: u64, of: fn(&Class<'_>) -> u64| {
            all.saturating_sub(case.in_routines().map(of).fold(0, u64::saturating_add))
        };
        let locks = measured.lock_micros;
        let locks = locks.map(|all| without(all, |class| class.lock_micros.unwrap_or(0)));
        let rows = measured.row_lock_micros;
        Some(Waits {
            calls: without(measured.events, |class| class.calls),
            micros: without(case.micros()?, |class| class.micros.unwrap_or(0)),
            waited: locks.max(rows)?,
            rows,
        })
    }

    fn percent(&self) -> Option<Amount> {
        percent(self.waited, self.micros)
    }

    fn is_bound(&self) -> bool {
        self.percent().is_some_and(|it| it >= Amount::whole(BOUND))
            && self.waited >= LEAST
            && self.waited / self.calls.max(1) >= LEAST_EACH
    }

    fn severity(&self) -> Severity {
        match self.percent().is_some_and(|it| it >= Amount::whole(BADLY)) {
            true => Severity::High,
            false => Severity::Medium,
        }
    }

    fn evidence(&self) -> Vec<Fact> {
        let mut evidence = Vec::new();
        evidence.extend(self.percent().map(|it| Fact::number("lock_percent", hundredths(it))));
        evidence.push(Fact::number("lock_time_seconds", seconds(self.waited)));
        evidence.extend(self.rows.map(|it| Fact::number("row_lock_seconds", seconds(it))));
        evidence.push(Fact::number("query_time_seconds", seconds(self.micros)));
        evidence
    }

    /// Which locks they are, where the log tells: at least half of the waits, or as good as none.
    fn are_rows(&self) -> Option<bool> {
        let share = percent(self.rows?, self.waited)?;
        match () {
            () if share >= Amount::whole(50) => Some(true),
            () if share < Amount::whole(10) => Some(false),
            () => None,
        }
    }
}

/// Looks at a class.
pub fn look(class: &Class<'_>) -> Option<Finding> {
    let waits = Waits::of(class).filter(Waits::is_bound)?;
    let percent = waits.percent()?.rounded();
    let found = finding(
        &RULE,
        (waits.severity(), Confidence::High),
        format!("{percent} % of the time is waiting for locks"),
        waits.evidence(),
        (which(waits.are_rows().or_else(|| takes_no_row_lock(class).then_some(false))), VERIFY),
    );
    let subject = Subject { query_id: Some(class.id), ..Subject::default() };
    Some(Finding { subject, queries: vec![class.id], ..found })
}

/// A plain SELECT reads without locks of rows: what it waits for is a lock of a table.
fn takes_no_row_lock(class: &Class<'_>) -> bool {
    let seen = Seen::of(class);
    seen.does == Does::Read && !seen.is_locking
}

/// What to do, by whether they are row locks.
fn which(are_rows: Option<bool>) -> &'static str {
    match are_rows {
        Some(true) => {
            "These are row locks of InnoDB. Find who holds them: a transaction that stays open, or a \
             statement that locks many rows (one without an index locks all that it reads). Shorter \
             transactions, rows locked in one order, and smaller batches help; a new index for this \
             statement does not."
        }
        Some(false) => {
            "These are locks of tables, not of rows: LOCK TABLES or DDL that waits for a transaction \
             that stays open, FLUSH TABLES of a backup, or an engine that locks whole tables (MyISAM, \
             MEMORY; InnoDB does not). A plain SELECT waits for rows only at SERIALIZABLE. A new index \
             for this statement does not help."
        }
        None => {
            "Find who holds the lock: a transaction that stays open, a statement that locks many rows \
             (one without an index locks all that it reads), LOCK TABLES or DDL, or MyISAM. Shorter \
             transactions, rows locked in one order, and smaller batches help; a new index for this \
             statement does not."
        }
    }
}

/// Looks at a load as a whole.
pub fn load(case: &Case<'_>) -> Vec<Finding> {
    let Some(waits) = Waits::of_all(case) else { return Vec::new() };
    match waits.is_bound() {
        true => bound(case, &waits).into_iter().collect(),
        false => ruled_out(case, &waits).into_iter().collect(),
    }
}

fn bound(case: &Case<'_>, waits: &Waits) -> Option<Finding> {
    let mut waiting: Vec<(&Class<'_>, Waits)> =
        case.workload.classes.iter().filter_map(|class| Some((class, Waits::of(class)?))).collect();
    waiting.retain(|(_, own)| own.waited > 0);
    waiting.sort_by_key(|(class, own)| (Reverse(own.waited), class.id));
    let is_all = |class: &Class<'_>, own: &Waits| {
        percent(own.waited, waits.waited).is_some_and(|it| it >= Amount::whole(ONE))
            && look(class).is_some()
    };
    if waiting.first().is_some_and(|(class, own)| is_all(class, own)) {
        return None;
    }
    let mut evidence = waits.evidence();
    let share = |own: &Waits| percent(own.waited, waits.waited);
    let most: Vec<&(&Class<'_>, Waits)> = waiting
        .iter()
        .filter(|(_, own)| share(own).is_some_and(|share| share >= Amount::whole(NAMED_FROM)))
        .take(NAMED)
        .collect();
    let told = most.iter().filter_map(|(class, own)| {
        Some(format!("0x{} {} of it", class.id, percentage(share(own)?)))
    });
    evidence.push(Fact::list("waited_most", told.collect()));
    // Of servers that tell no locks apart, plain reads still do.
    let of_reads = waiting.iter().filter(|(class, _)| takes_no_row_lock(class));
    let of_reads = of_reads.map(|(_, own)| own.waited).fold(0, u64::saturating_add);
    let share_of_reads = percent(of_reads, waits.waited)?;
    if waits.rows.is_none() {
        evidence.push(Fact::number("percent_of_plain_selects", hundredths(share_of_reads)));
    }
    let holders = holders(case, waits.waited / 100);
    if !holders.is_empty() {
        evidence.push(Fact::list("ran_and_locks_tables", holders));
    }
    let tables = tables_that_lock(case, most.iter().map(|(class, _)| *class));
    let has_tables = !tables.is_empty();
    if has_tables {
        evidence.push(Fact::list("engines_that_lock_tables", tables));
    }
    let are_tables = || (has_tables || share_of_reads >= Amount::whole(50)).then_some(false);
    let found = finding(
        &RULE,
        (waits.severity(), Confidence::High),
        format!(
            "{} % of the time of all statements is waiting for locks",
            waits.percent()?.rounded()
        ),
        evidence,
        (which(waits.are_rows().or_else(are_tables)), VERIFY),
    );
    Some(Finding { queries: most.iter().map(|(class, _)| class.id).collect(), ..found })
}

/// Classes that lock whole tables while they run, for so many microseconds or more, the longest
/// first.
fn holders(case: &Case<'_>, least: u64) -> Vec<String> {
    const WORDS: &[&str] =
        &["ALTER", "CREATE", "DROP", "FLUSH", "LOCK", "OPTIMIZE", "RENAME", "REPAIR", "TRUNCATE"];
    let is_long = |class: &&Class<'_>| class.micros.is_some_and(|micros| micros >= least);
    let begun = case.workload.classes.iter().filter(is_long).filter_map(|class| {
        let seen = Seen::of(class);
        let first = seen.begins.first()?;
        let is_holder = seen.glance.verb == Verb::Other && WORDS.contains(&first.as_str());
        is_holder.then_some((class, seen.begins))
    });
    let mut holders: Vec<(&Class<'_>, Vec<String>)> = begun.collect();
    holders.sort_by_key(|(class, _)| (Reverse(class.micros), class.id));
    let told = holders.into_iter().take(NAMED).map(|(class, words)| {
        let took = class.micros.map_or(String::new(), |micros| format!(" {}", time(micros)));
        format!("0x{} {}{took}", class.id, words.join(" "))
    });
    told.collect()
}

/// Tables of classes whose engine locks them whole.
fn tables_that_lock<'c>(
    case: &Case<'_>,
    classes: impl Iterator<Item = &'c Class<'c>>,
) -> Vec<String> {
    let Some(schema) = case.schema else { return Vec::new() };
    let mut tables: Vec<String> = classes
        .take(NAMED)
        .flat_map(|class| {
            Seen::of(class).tables(class).into_iter().filter_map(|name| {
                let (database, own) =
                    name.split_once('.').map_or((None, name.as_str()), |it| (Some(it.0), it.1));
                let engine = schema.table(database, own)?.engine.as_deref()?;
                let is_locked = ["MyISAM", "MEMORY", "HEAP", "MERGE", "MRG_MyISAM", "CSV", "Aria"]
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(engine));
                is_locked.then(|| format!("{name} {engine}"))
            })
        })
        .collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

fn ruled_out(case: &Case<'_>, waits: &Waits) -> Option<Finding> {
    let share = waits.percent().filter(|it| *it < Amount::whole(RULED_OUT))?;
    let is_bound = case.workload.classes.iter().any(|class| look(class).is_some());
    let version = case.version();
    // Elsewhere a statement is slow by the time that it did not wait, so that who mostly waits is
    // missing in a log with a threshold.
    let has_waiters =
        case.floor().is_none() || version.is_some_and(|it| it.is_mysql_from(8, 0, 28));
    if is_bound || !has_waiters || waits.micros < LEAST || waits.calls < ENOUGH {
        return None;
    }
    let counts_rows = waits.rows.is_some() || version.is_some_and(|it| it.is_mysql());
    let of_tables = match version {
        _ if !counts_rows => {
            "MariaDB does not count waits for rows of InnoDB in Lock_time: Innodb_row_lock_time, by two \
             SHOW GLOBAL STATUS, tells them."
        }
        Some(version) if version.is_mysql_from(8, 0, 28) => {
            "Waits for metadata locks (DDL, FLUSH TABLES) are not in Lock_time since MySQL 8.0.28: \
             these are not ruled out."
        }
        _ => "",
    };
    let which = if counts_rows { "Locks" } else { "Locks of tables" };
    let mut evidence = waits.evidence();
    evidence.push(Fact::flag(ROWS_COUNTED, counts_rows));
    Some(finding(
        &RULE,
        (Severity::Info, Confidence::High),
        format!("{which} are ruled out: {} of the time is waiting for them", percentage(share)),
        evidence,
        (of_tables, VERIFY),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Workload;
    use crate::advice::workload::{Measured, Times, Whole, fixture};
    use crate::schema::{Schema, Server};
    use crate::server::ServerFacts;

    fn class(calls: u64, micros: u64, waited: u64) -> Class<'static> {
        of("UPDATE t SET a = 1", calls, micros, waited)
    }

    fn of(text: &str, calls: u64, micros: u64, waited: u64) -> Class<'static> {
        Class { calls, micros: Some(micros), lock_micros: Some(waited), ..fixture(text) }
    }

    /// What is said of a load of these classes on this server.
    fn said(classes: Vec<Class<'static>>, server: &str, rows: Option<u64>) -> Vec<Finding> {
        of_log(classes, server, rows, None, 0)
    }

    /// The same with tables, of a log whose shortest event is so long.
    fn of_log(
        classes: Vec<Class<'static>>,
        server: &str,
        rows: Option<u64>,
        schema: Option<&Schema>,
        least: u64,
    ) -> Vec<Finding> {
        let sum = |of: fn(&Class<'_>) -> Option<u64>| classes.iter().filter_map(of).sum::<u64>();
        let measured = Measured {
            events: classes.iter().map(|class| class.calls).sum(),
            time: Some(Times { sum: sum(|class| class.micros), least, ..Times::default() }),
            lock_micros: Some(sum(|class| class.lock_micros)),
            row_lock_micros: rows,
            ..Measured::default()
        };
        let whole = Whole { measured, ..Whole::default() };
        let server = Server::of_version(server);
        let workload = Workload { classes, server, ..Workload::default() };
        let facts = ServerFacts::default();
        load(&Case { workload: &workload, whole: &whole, seen: None, facts: &facts, schema })
    }

    const SECOND: u64 = 1_000_000;

    #[test]
    fn waits_count_by_their_part_and_their_length() {
        let severity = |class: &Class<'_>| look(class).map(|it| it.severity);
        assert_eq!(severity(&class(1, 30_500_000, 30_000_000)), Some(Severity::High));
        assert_eq!(severity(&class(10, 20_000_000, 3_000_000)), Some(Severity::Medium));
        // Nine in a hundred; less than a second; half a millisecond a call.
        assert_eq!(severity(&class(1, 100_000_000, 9_000_000)), None);
        assert_eq!(severity(&class(1, 1_000_000, 900_000)), None);
        assert_eq!(severity(&class(10_000, 9_000_000, 5_000_000)), None);
    }

    #[test]
    fn a_load_is_bound_by_several_classes_together() {
        let classes = || {
            vec![
                of("UPDATE t SET a = 1", 10, 20 * SECOND, 9 * SECOND),
                of("DELETE FROM u WHERE a = 1", 10, 20 * SECOND, 7 * SECOND),
                of("/* deploy */ ALTER /*uid:8812*/ TABLE t ADD b INT", 1, 10 * SECOND, 0),
            ]
        };
        let found = said(classes(), "8.0.36", None);
        let title = "32 % of the time of all statements is waiting for locks";
        assert_eq!((found[0].title.as_str(), found[0].severity), (title, Severity::High));
        assert!(found[0].recommendation.text.starts_with("Find who holds the lock"));
        let holder = format!("0x{} ALTER TABLE 10 s", classes()[2].id);
        assert!(found[0].evidence.contains(&Fact::list("ran_and_locks_tables", vec![holder])));
        let by_log =
            |rows| said(classes(), "8.0.36", Some(rows * SECOND))[0].recommendation.text.clone();
        assert!(by_log(15).starts_with("These are row locks"));
        assert!(by_log(1).starts_with("These are locks of tables"));
        assert!(by_log(5).starts_with("Find who holds the lock"));
    }

    #[test]
    fn one_class_that_waits_alone_tells_it_itself() {
        let classes = vec![
            of("UPDATE t SET a = 1", 10, 20 * SECOND, 9 * SECOND),
            of("SELECT a FROM t", 10, 20 * SECOND, 0),
        ];
        assert_eq!(said(classes, "8.0.36", None), []);
    }

    #[test]
    fn a_plain_select_waits_for_no_row() {
        let text = |statement: &str| {
            look(&of(statement, 1, 30 * SECOND, 29 * SECOND)).unwrap().recommendation.text
        };
        assert!(text("SELECT a FROM t").starts_with("These are locks of tables"));
        assert!(text("SELECT a FROM t FOR UPDATE").starts_with("Find who holds the lock"));
    }

    #[test]
    fn locks_are_ruled_out_as_far_as_the_server_counts_them() {
        let classes = |waited| vec![of("SELECT a FROM t", 100, 100 * SECOND, waited)];
        let told = |waited, server: &str| {
            let found = said(classes(waited), server, None);
            found.into_iter().map(|it| (it.severity, it.title, it.recommendation.text)).next()
        };
        let (severity, title, text) = told(150_000, "10.11.9-MariaDB").unwrap();
        assert_eq!(severity, Severity::Info);
        // Waits for rows are not in MariaDB's Lock_time.
        assert_eq!(title, "Locks of tables are ruled out: 0.15 % of the time is waiting for them");
        assert!(text.contains("Innodb_row_lock_time"), "{text}");
        let (_, title, _) = told(150_000, "8.0.27").unwrap();
        assert_eq!(title, "Locks are ruled out: 0.15 % of the time is waiting for them");
        assert!(told(150_000, "8.0.28").unwrap().2.contains("not ruled out"));
        assert_eq!(told(150_000, "8.0.27").unwrap().2, "");
        // A log with a threshold lacks who waits, where waiting is not counted.
        let over = |server: &str| {
            let classes = classes(150_000);
            let found = of_log(classes, server, None, None, SECOND);
            found.len()
        };
        assert_eq!((over("10.11.9-MariaDB"), over("8.0.27"), over("8.0.28")), (0, 0, 1));
        // One percent.
        assert_eq!(told(SECOND, "8.0.27"), None);
    }

    #[test]
    fn times_of_a_stored_routine_are_no_waits() {
        // MariaDB 11.8: the second statement of a routine that has run for 0.416 s.
        let inside = |lock| Class {
            measured: Some(Measured { in_routines: 10, ..Measured::default() }),
            ..of("SELECT COUNT(*) FROM orders WHERE id < 30", 10, 4_163_120, lock)
        };
        assert_eq!(look(&inside(4_162_120)), None);
        let classes = vec![inside(4_162_120), of("CALL top_products(3)", 10, 4_163_840, 140)];
        let found = said(classes, "11.8.9-MariaDB", None);
        assert_eq!(found.len(), 1);
        // 140 of 4,163,840 us.
        let title = "Locks of tables are ruled out: below 0.01 % of the time is waiting for them";
        assert_eq!(found[0].title, title);
    }

    #[test]
    fn the_schema_tells_engines_that_lock_tables() {
        let text = b"CREATE TABLE t (a INT) ENGINE=MyISAM; CREATE TABLE u (a INT) ENGINE=InnoDB;";
        let (schema, _) = Schema::read(text, "schema.sql");
        let classes = || {
            vec![
                of("UPDATE t SET a = 1", 10, 20 * SECOND, 9 * SECOND),
                of("DELETE FROM u WHERE a = 1", 10, 20 * SECOND, 7 * SECOND),
            ]
        };
        let found = |schema| of_log(classes(), "5.7.44", None, schema, 0);
        assert!(found(None)[0].recommendation.text.starts_with("Find who holds the lock"));
        let told = found(Some(&schema)).remove(0);
        let engines = Fact::list("engines_that_lock_tables", vec!["t MyISAM".to_owned()]);
        assert!(told.evidence.contains(&engines));
        assert!(told.recommendation.text.starts_with("These are locks of tables"));
    }
}
