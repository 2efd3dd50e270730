//! What rules of the load cannot do without, and what the user gives to have them checked.

use crate::advice::{Finding, NotChecked, Rule};

use super::Case;
use super::case::time;
use super::coverage::Coverage;

/// What a rule cannot do without.
#[derive(Debug, Clone, Copy)]
enum Need {
    /// Processor cores of the machine.
    Cores,
    /// Counters of the server around the time of the log.
    Samples,
    /// The threshold that the server states.
    Stated,
    /// Connections a second.
    Connections,
    /// When statements ended.
    Ends,
    /// Rows_examined and Rows_sent.
    Rows,
    /// Lock_time.
    Locks,
    /// Times to fractions of a second.
    Fractions,
    /// Statements of any length: a log without a threshold.
    Short,
    /// Whether statements failed or were killed.
    Failures,
}

use Need::{Connections, Cores, Ends, Failures, Fractions, Locks, Rows, Samples, Short, Stated};

#[rustfmt::skip]
const NEEDS: &[(&str, &[Need])] = &[
    ("WORK001", &[Samples]),
    ("WORK002", &[Stated, Fractions]),
    ("WORK005", &[Rows, Ends]),
    ("WORK006", &[Locks]),
    ("WORK008", &[Ends]),
    ("WORK009", &[Short, Ends]),
    ("WORK010", &[Short]),
    ("WORK011", &[Fractions]),
    ("WORK012", &[Ends]),
    ("WORK015", &[Cores, Ends]),
    ("WORK016", &[Ends]),
    ("WORK017", &[Connections]),
    ("WORK018", &[Failures]),
];

/// The rules that had no evidence; what speaks had some.
pub fn not_checked(
    case: &Case<'_>,
    rules: impl Iterator<Item = &'static Rule>,
    findings: &[Finding],
) -> Vec<NotChecked> {
    if case.whole.measured.events == 0 {
        return Vec::new();
    }
    let silent = rules.filter(|rule| findings.iter().all(|finding| finding.rule != rule.code));
    let lacking = |rule: &'static Rule| {
        let (_, needs) = NEEDS.iter().find(|(code, _)| *code == rule.code)?;
        let lost: Vec<String> = needs.iter().filter_map(|need| lacks(case, *need)).collect();
        let wants = lost.join("; ");
        (!wants.is_empty()).then_some(not_checked_for(rule, wants))
    };
    silent.filter_map(lacking).collect()
}

/// All rules, for want of a log.
pub fn a_log(rules: impl Iterator<Item = &'static Rule>) -> Vec<NotChecked> {
    let wants = "a slow log of the server";
    rules.map(|rule| not_checked_for(rule, wants.to_owned())).collect()
}

/// What is about a log no statement gathers.
fn not_checked_for(rule: &Rule, wants: String) -> NotChecked {
    NotChecked { rule: rule.code, wants, is_gathered: false }
}

/// What the user gives to fill a need; `None` where it is filled.
fn lacks(case: &Case<'_>, need: Need) -> Option<String> {
    let measured = &case.whole.measured;
    let (is_lost, wants) = match need {
        Cores => (case.facts.machine.cores.is_none(), "--cores N of the machine"),
        Samples => (
            case.whole.sampled.is_none() && Coverage::of(case).is_none(),
            "--observed qps=N, or --status FILE twice: at the begin and at the end of the log",
        ),
        Stated => (case.stated_threshold().is_none(), "--variables FILE: SHOW GLOBAL VARIABLES"),
        Connections => (
            !case.facts.status.is_interval(),
            "--status FILE twice: SHOW GLOBAL STATUS, under load",
        ),
        Ends => (case.whole.busy_micros.is_none(), "a log with `# Time:` lines"),
        Rows => (
            measured.rows_examined.is_none() || measured.rows_sent.is_none(),
            "a log with Rows_examined and Rows_sent",
        ),
        Locks => (measured.lock_micros.is_none(), "a log with Lock_time"),
        Fractions => (!case.whole.is_fine, "a log with fractions of seconds (MySQL 5.1 on)"),
        Failures => (
            measured.errors.is_none() && measured.killed.is_none(),
            "a log with errors: log_slow_extra (MySQL 8.0.14 on), or of Percona Server",
        ),
        Short => {
            let floor = time(case.floor()?);
            return Some(format!(
                "a log with long_query_time = 0, of a while: nothing below {floor} is in this one"
            ));
        }
    };
    is_lost.then(|| wants.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::workload::{Measured, Times, Whole};
    use crate::advice::{Category, Workload};
    use crate::server::{Machine, ServerFacts};

    const fn rule(code: &'static str) -> Rule {
        Rule { code, name: "", category: Category::Workload, doc: "" }
    }

    static RULES: [Rule; 4] = [rule("WORK005"), rule("WORK009"), rule("WORK014"), rule("WORK015")];

    fn wants(whole: &Whole, cores: Option<u64>) -> Vec<(&'static str, String)> {
        let machine = Machine { cores, ..Machine::default() };
        let facts = ServerFacts { machine, ..ServerFacts::default() };
        let workload = Workload::default();
        let case = Case { workload: &workload, whole, seen: None, facts: &facts, schema: None };
        let lost = not_checked(&case, RULES.iter(), &[]);
        lost.into_iter().map(|it| (it.rule, it.wants)).collect()
    }

    fn log(least: u64, rows: Option<u64>, busy_micros: Option<u64>) -> Whole {
        let measured = Measured {
            events: 3,
            time: Some(Times { least, ..Times::default() }),
            rows_examined: rows,
            rows_sent: rows,
            ..Measured::default()
        };
        Whole { measured, busy_micros, ..Whole::default() }
    }

    #[test]
    fn what_is_missing_is_named() {
        let times = "a log with `# Time:` lines".to_owned();
        let short = "a log with long_query_time = 0, of a while: nothing below 2 s is in this one";
        let lost = wants(&log(2_000_000, None, None), None);
        assert_eq!(
            lost,
            [
                ("WORK005", format!("a log with Rows_examined and Rows_sent; {times}")),
                ("WORK009", format!("{short}; {times}")),
                ("WORK015", format!("--cores N of the machine; {times}")),
            ]
        );
    }

    #[test]
    fn what_is_there_is_not_asked_for() {
        assert_eq!(wants(&log(20, Some(1), Some(1)), Some(4)), []);
        // An empty log has nothing that could be checked.
        assert_eq!(wants(&Whole::default(), None), []);
    }
}
