use super::Predicate::{
    Any, Between, Equal, In, Like, Members, NotBetween, NotEqual, NotIn, NotLike, NotMember,
    Opaque, Range,
};
use super::*;

fn case(filtered: Hundredths) -> Case<'static> {
    Case { filtered, family: Family::MySql, version: Some((9, 7)), ..Case::default() }
}

#[track_caller]
fn check(groups: &[&[Predicate]], filtered: Hundredths) {
    let case = Case { predicates: Some(groups), ..case(filtered) };
    assert_eq!(judge(&case), Verdict::Guess(filtered), "{groups:?}");
    let other = Case { filtered: filtered + 7, ..case };
    assert_eq!(judge(&other), Verdict::NotKnown, "{groups:?}");
}

#[test]
fn each_predicate_has_its_share() {
    for (predicate, filtered) in [
        (Equal, 1000),
        (Range, 3333),
        (Between, 1111),
        (Like, 1111),
        (In(1), 1000),
        (In(2), 2000),
        (In(3), 3000),
        (In(4), 4000),
        (In(5), 5000),
        (In(1_000_000), 5000),
        (NotEqual, 9000),
        (NotIn(2), 8000),
        (NotIn(3), 7000),
        (NotBetween, 8889),
        (NotLike, 8889),
        (Members { of: 1, all: 3 }, 3333),
        (NotMember(3), 6667),
        (Members { of: 2, all: 4 }, 5000),
        (Members { of: 1, all: 2 }, 5000),
        (Any, 6667),
    ] {
        check(&[&[predicate]], filtered);
    }
}

#[test]
fn and_multiplies() {
    for (predicates, filtered) in [
        (&[Equal, Equal][..], 100),
        (&[Equal, Range], 333),
        (&[Equal, Between], 111),
        (&[Range, Range], 1111),
        (&[Between, Between], 123),
        (&[Range, Range, Range], 370),
        (&[Equal, Equal, Equal], 10),
        (&[NotEqual, NotEqual], 8100),
        // (a, b) IN of 2.
        (&[Equal, In(2)], 200),
        (&[Equal, Opaque], 1000),
    ] {
        let groups: Vec<&[Predicate]> = predicates.chunks(1).collect();
        check(&groups, filtered);
    }
}

#[test]
fn or_adds_less_what_both_keep() {
    check(&[&[Equal, Equal]], 1900);
    check(&[&[Range, Range]], 5555);
    // (a = 1 OR b = 2) AND c > 3: 19 % of 33.33 %.
    check(&[&[Equal, Equal], &[Range]], 633);
}

fn read_value(filtered: Hundredths) -> Vec<Reading> {
    match judge(&case(filtered)) {
        Verdict::CouldBe(_, readings) => readings,
        _ => Vec::new(),
    }
}

#[test]
fn a_value_is_known_again_without_the_statement() {
    for (filtered, want, any) in [
        (1000, &[Equal][..], false),
        (3333, &[Range], false),
        (1111, &[Between], false),
        (9000, &[NotEqual], false),
        (8889, &[NotBetween], false),
        (5000, &[In(5)], false),
        (6667, &[Any], false),
        (333, &[Equal, Range], false),
        (111, &[Equal, Between], false),
        (100, &[Equal, Equal], false),
        (123, &[Between, Between], false),
        (370, &[Range, Between], false),
        (8100, &[NotEqual, NotEqual], false),
        (33, &[Equal, Equal, Range], false),
        (10, &[Equal, Equal, Equal], false),
        (1900, &[Equal, Equal], true),
        (5555, &[Range, Range], true),
    ] {
        let first = read_value(filtered).into_iter().next();
        assert_eq!(first, Some(reading(want, any)), "{filtered}");
    }
}

#[test]
fn a_value_can_have_two_meanings() {
    // A third: a comparison, or an enum of 3. 0.1 × 0.3333 is 0.1111 × 0.3.
    let third = [reading(&[Range], false), reading(&[Members { of: 1, all: 3 }], false)];
    assert_eq!(read_value(3333), third);
    let both = [reading(&[Equal, Range], false), reading(&[Between, In(3)], false)];
    assert_eq!(read_value(333), both);
}

#[test]
fn other_values_are_not_guesses() {
    for filtered in [0, 1, 34, 143, 1846, 2315, 2469, 3746, 5102, 5504, 9375, 10_001, u32::MAX] {
        assert_eq!(read_value(filtered), [], "{filtered}");
    }
    assert_eq!(judge(&case(3746)), Verdict::NotKnown);
}

#[test]
fn it_is_never_less_than_one_row() {
    for (rows, filtered) in [(7, 1429), (70, 143), (631, 16), (3, 3333), (10_000, 1)] {
        let case = Case { table_rows: Some(rows), ..case(filtered) };
        assert!(matches!(judge(&case), Verdict::OneRow(told, _) if told == rows), "{rows}");
    }
    // Two equalities make 1 %, one row of 50 is 2 %.
    let groups: &[&[Predicate]] = &[&[Equal], &[Equal]];
    let known = Case { predicates: Some(groups), table_rows: Some(50), ..case(200) };
    assert_eq!(judge(&known), Verdict::OneRow(50, Vec::new()));
    // One row of 1,000 is 0.1 %: the guess stands.
    let known = Case { predicates: Some(groups), table_rows: Some(1_000), ..case(100) };
    assert_eq!(judge(&known), Verdict::Guess(100));
    for rows in [0, 1] {
        let case = Case { table_rows: Some(rows), ..case(1429) };
        assert_eq!(judge(&case), Verdict::NotKnown, "{rows}");
    }
}

#[test]
fn servers_that_do_not_guess_so_are_left_alone() {
    for (family, version) in [
        (Family::MariaDb, Some((11, 8))),
        (Family::MariaDb, None),
        (Family::TiDb, Some((8, 0))),
        (Family::MySql, Some((5, 6))),
    ] {
        let case = Case { family, version, ..case(1000) };
        assert_eq!(judge(&case), Verdict::OtherServer, "{family} {version:?}");
    }
    for family in [Family::Percona, Family::Aurora, Family::Unknown] {
        let case = Case { family, version: None, ..case(1000) };
        assert!(judge(&case).is_guess(), "{family}");
    }
}

#[test]
fn all_rows_prove_nothing() {
    assert_eq!(judge(&case(10_000)), Verdict::Everything);
    let groups: &[&[Predicate]] = &[&[Opaque]];
    let known = Case { predicates: Some(groups), ..case(10_000) };
    assert_eq!(judge(&known), Verdict::Everything);
    assert!(!Verdict::Everything.is_guess());
}

#[test]
fn with_histograms_only_like_is_guessed() {
    let with = |filtered| Case { has_histogram: true, ..case(filtered) };
    assert_eq!(judge(&with(1000)), Verdict::NotKnown);
    assert_eq!(judge(&with(1111)), Verdict::CouldBe(1111, vec![reading(&[Like], false)]));
    let groups: &[&[Predicate]] = &[&[Equal]];
    let known = Case { predicates: Some(groups), ..with(1000) };
    assert_eq!(judge(&known), Verdict::NotKnown);
    let groups: &[&[Predicate]] = &[&[Like]];
    let known = Case { predicates: Some(groups), ..with(1111) };
    assert_eq!(judge(&known), Verdict::Guess(1111));
}

#[test]
fn odd_predicates_are_no_guess() {
    for predicate in
        [In(0), NotIn(0), Members { of: 3, all: 2 }, Members { of: 0, all: 0 }, NotMember(0)]
    {
        let groups: &[&[Predicate]] = &[&[predicate]];
        let known = Case { predicates: Some(groups), ..case(1000) };
        assert_eq!(judge(&known), Verdict::NotKnown, "{predicate:?}");
    }
    for groups in [&[][..], &[&[][..]]] {
        let known = Case { predicates: Some(groups), ..case(1000) };
        assert_eq!(judge(&known), Verdict::NotKnown);
    }
}

#[test]
fn it_is_told_in_words() {
    for (verdict, want) in [
        (
            judge(&case(333)),
            "3.33 is what MySQL assumes, without looking at the data, for an equality AND a comparison by < or >; \
             or for a BETWEEN (or a LIKE, or two comparisons) AND an IN of 3 values, where the columns have no \
             index and no histogram.",
        ),
        (
            judge(&Case { table_rows: Some(70), ..case(143) }),
            "1.43 is one row of 70, the least that MySQL assumes; it was not measured.",
        ),
        (
            judge(&Case { table_rows: Some(10), ..case(1000) }),
            "10.00 is one row of 10, the least that MySQL assumes; it was not measured. It is also what MySQL \
             assumes for an equality.",
        ),
    ] {
        assert_eq!(verdict.to_string(), want);
    }
}
