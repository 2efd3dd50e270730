//! Links, by arithmetic that is shown.

use super::*;
use crate::advice::workload::fixture::{Load, id};

/// The links of a load, with the findings that its rules make.
fn links(load: &Load) -> Vec<Link> {
    let mut findings = crate::advice::read_statements(&load.workload, None);
    findings.extend(crate::advice::advise_on_load(&load.workload, &load.facts, None).findings);
    chain(load.case(), &findings, None)
}

#[track_caller]
fn check(load: &Load, claim: &str, want: Option<(Verdict, &str)>) {
    let links = links(load);
    let link = links.iter().find(|link| link.claim == claim);
    assert_eq!(link.map(|it| (it.verdict, it.because.as_str())), want, "{links:#?}");
}

/// 1,000 calls of 0.5 s within 100 s: ten a second, five at once.
fn load() -> Load {
    Load::new(&[(1_000, 500_000)], 100)
}

#[test]
fn locks_are_ruled_out_or_in_by_their_part() {
    // 90 s from 90 us on: no threshold.
    let locked = |micros| {
        Load::new(&[(1_000_000, 90)], 100)
            .set("version", "8.0.27")
            .with(|it| it.measured.lock_micros = Some(micros))
            .with_class(0, |class| class.lock_micros = Some(micros))
    };
    check(
        &locked(135_000),
        "Locks are the time",
        Some((Verdict::Fails, "locks are ruled out: 0.15 % of the time is waiting for them")),
    );
    // Between 1 and 10 %, or not told: nothing is forced.
    for load in [locked(4_500_000), Load::new(&[(1_000_000, 90)], 100)] {
        assert!(links(&load).iter().all(|it| !it.claim.contains("ock")));
    }
    // A log with a threshold of a server that is not known may lack whoever waits.
    let above = load().with(|it| it.measured.lock_micros = Some(750_000));
    assert!(links(&above).iter().all(|it| !it.claim.contains("ock")));
    let waiting = load()
        .with(|it| it.measured.lock_micros = Some(60_000_000))
        .with_class(0, |class| class.lock_micros = Some(60_000_000));
    let text = format!("0x{}, 100 % of all time: 12 % of the time is waiting for locks", id(0));
    check(&waiting, "A class waits for locks", Some((Verdict::Holds, &text)));
}

#[test]
fn sorts_are_explained_by_what_sorts() {
    let claim = "The log explains 900 sorts a second";
    let sorted = |count| {
        load().seen("sorts=900").with_class(0, |class| {
            class.measured.as_mut().unwrap().sorts = Some(count);
        })
    };
    // 40 sorts in 100 s: 0.4 of 900.
    let text = format!(
        "the classes that sort do so 0.4 times a second (0x{} 0.4): 0.0444 % of them at most",
        id(0)
    );
    check(&sorted(40), claim, Some((Verdict::Fails, &text)));
    let text = format!("the classes that sort do so 900 times a second (0x{} 900)", id(0));
    check(&sorted(90_000), claim, Some((Verdict::Holds, &text)));
    // The log says that nothing sorts.
    check(
        &sorted(0),
        claim,
        Some((Verdict::Fails, "no class of the log is known to sort: 0 % of them at most")),
    );
}

#[test]
fn what_may_sort_by_its_words_leaves_it_open() {
    let load = |sorts: &str| {
        load().seen(sorts).with_class(0, |class| {
            class.samples = vec!["SELECT a FROM t ORDER BY b".to_owned()];
        })
    };
    let because =
        "no class of the log is known to sort; those that may, by their words, run 10 times";
    check(&load("sorts=9"), "The log explains 9 sorts a second", Some((Verdict::Open, because)));
    // Even if each of them sorted: 10 of 900.
    let because = format!("{because}: 1.11 % of them at most");
    check(
        &load("sorts=900"),
        "The log explains 900 sorts a second",
        Some((Verdict::Fails, &because)),
    );
}

#[test]
fn counters_tell_sorts_as_a_monitor_does() {
    let counted = |sorted: u64| {
        let mut load = load();
        // The 1,000 statements of the log, in the 100 s of the log.
        for (uptime, count, questions) in [("100", "0", "0"), ("200", "500", "1000")] {
            let pairs = [
                ("uptime", uptime),
                ("sort_range", count),
                ("sort_scan", "7"),
                ("questions", questions),
            ];
            let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
            load.facts.status.add(pairs.into_iter().collect());
        }
        load.with_class(0, |class| class.measured.as_mut().unwrap().sorts = Some(sorted))
    };
    // 500 range sorts and no other in 100 s.
    let claim = "The log explains 5 sorts a second";
    assert_eq!(
        links(&counted(500)).iter().find(|it| it.claim == claim).unwrap().verdict,
        Verdict::Holds
    );
    assert_eq!(
        links(&counted(5)).iter().find(|it| it.claim == claim).unwrap().verdict,
        Verdict::Fails
    );
}

#[test]
fn busy_processors_mean_computing_where_nothing_is_locked() {
    // 270 s within 100 s.
    let with = |cpu: &str, locks| {
        Load::new(&[(3_000_000, 90)], 100)
            .set("version", "8.0.27")
            .seen(cpu)
            .with(|it| it.measured.lock_micros = Some(locks))
            .with_class(0, |class| class.lock_micros = Some(locks))
    };
    let claims = |load: &Load| {
        let claims = links(load).into_iter().map(|it| it.claim);
        claims.filter(|it| it.starts_with("Statements ")).collect::<Vec<String>>()
    };
    let told = claims(&with("cpu=95..100", 0));
    assert_eq!(told, ["Statements compute or queue for a processor"]);
    let told = claims(&with("cpu=20", 0));
    assert_eq!(told, ["Statements wait, and not for locks or processors"]);
    // A fifth of the time is no reason to rule locks out.
    let told = claims(&with("cpu=20", 54_000_000));
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn statements_that_number_like_transactions_prove_nothing() {
    let claim = "That events and transactions a second agree shows that the log is whole";
    let because =
        "10 events a second are statements, 9.5 a second are transactions: units of their own";
    check(&load().seen("tps=9.5"), claim, Some((Verdict::Fails, because)));
    check(&load().seen("tps=5"), claim, None);
}

#[test]
fn a_log_without_more_says_what_would_tell() {
    // Half a second and more: how many are shorter is not known.
    check(
        &load(),
        "How many faster statements ran is not in the log",
        Some((Verdict::Open, "the shortest of 1,000 events takes 500 ms")),
    );
    check(
        &Load::new(&[(1_000, 90)], 100),
        "No threshold is seen; whether all statements are logged is not known",
        Some((Verdict::Open, "the shortest of 1,000 events takes 90 us")),
    );
}

#[test]
fn a_server_that_logs_all_is_taken_at_its_word() {
    let load = || Load::new(&[(1_000, 90)], 100).set("long_query_time", "0.000000");
    let claim = "The server logs all statements: its threshold is 0";
    let because = "the shortest of 1,000 events takes 90 us";
    check(&load(), claim, Some((Verdict::Holds, because)));
    check(&load().set("min_examined_row_limit", "100"), claim, None);
    check(&load().set("log_slow_filter", "filesort"), claim, None);
}
