//! WORK006.

use crate::advice::rule::rule;
use crate::advice::{Action, Class, Confidence, Fact, Finding, Recommendation, Severity, Subject};
use crate::plan::Amount;

rule! {
    /// A statement waits for locks for a good part of its time.
    ///
    /// **Costs.** No index makes it faster: the time goes by while another transaction holds what it
    /// wants.
    /// **Wrong when.** The whole wait is less than a second. What Lock_time counts differs: table
    /// locks, since MySQL 8.0.28 and in MariaDB row locks of InnoDB too; where the log has
    /// InnoDB_rec_lock_wait that tells row locks apart.
    /// **Verify.** Lock_time of the class after the change; sys.innodb_lock_waits while it waits.
    /// **Source.** MySQL manual, slow query log contents; InnoDB lock waits.
    Workload "WORK006" "lock-bound"
}

/// Percent of the time from which on a class is bound by locks, and from which on badly.
const BOUND: u64 = 10;
const BADLY: u64 = 30;
/// Microseconds: of a call on the average, and of all calls together.
const LEAST_EACH: u64 = 1_000;
const LEAST: u64 = 1_000_000;

/// Looks at a class.
pub fn look(class: &Class<'_>) -> Option<Finding> {
    let (micros, waited) = (class.micros?, class.lock_micros?);
    let percent = Amount::whole(waited).ratio(Amount::whole(micros))?.times(Amount::whole(100));
    let is_bound = percent >= Amount::whole(BOUND)
        && waited >= LEAST
        && waited / class.calls.max(1) >= LEAST_EACH;
    if !is_bound {
        return None;
    }
    let seconds = |micros| Amount::whole(micros).ratio(Amount::whole(1_000_000));
    let mut evidence = vec![Fact::number("lock_percent", percent.rounded())];
    evidence.extend(seconds(waited).map(|it| Fact::number("lock_time_seconds", it)));
    evidence.extend(seconds(micros).map(|it| Fact::number("query_time_seconds", it)));
    let is_bad = percent >= Amount::whole(BADLY);
    Some(Finding {
        rule: RULE.code,
        category: RULE.category,
        severity: if is_bad { Severity::High } else { Severity::Medium },
        confidence: Confidence::High,
        title: format!("{} % of the time is waiting for locks", percent.rounded()),
        subject: Subject { query_id: Some(class.id), ..Subject::default() },
        evidence,
        recommendation: Recommendation {
            action: Action::None,
            text: "Find who holds the lock: a transaction that stays open, a statement that locks \
                   many rows (one without an index locks all that it reads), LOCK TABLES or DDL, or \
                   MyISAM. Shorter transactions, rows locked in one order, and smaller batches \
                   help; a new index for this statement does not."
                .to_owned(),
            ..Recommendation::default()
        },
        benefit: None,
        verify: "Lock_time of the class; SELECT * FROM sys.innodb_lock_waits while it waits"
            .to_owned(),
        queries: vec![class.id],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::fingerprint::ClassId;

    fn class(calls: u64, micros: u64, waited: u64) -> Class<'static> {
        Class {
            id: ClassId::of(b"update t set a = ?"),
            samples: vec!["UPDATE t SET a = 1".to_owned()],
            database: None,
            calls,
            weight: None,
            micros: Some(micros),
            lock_micros: Some(waited),
            load: Default::default(),
            rows_affected: None,
            plans: Vec::new(),
            measured: None,
        }
    }

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
}
