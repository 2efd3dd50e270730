use super::fixture::{Given, check, line, review, tsv};
use super::{RULES, rules};
use crate::advice::{Severity, Value};
use crate::plan::Amount;

#[test]
fn each_rule_has_a_code_a_name_and_a_text() {
    let codes: Vec<&str> = rules().map(|rule| rule.code).collect();
    let plans: Vec<String> = (1..=17).map(|number| format!("PLAN{number:03}")).collect();
    assert_eq!(codes[..17], plans);
    for (rule, _) in RULES {
        for part in ["**Costs.**", "**Wrong when.**", "**Verify.**", "**Source.**"] {
            assert!(rule.doc.contains(part), "{} lacks {part}", rule.code);
        }
        assert!(rule.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.name);
    }
}

/// What is good is not talked about.
#[test]
fn good_plans_have_no_finding() {
    let good = [
        vec![line("keys", "const", "PRIMARY", "1", "100.00", "-")],
        vec![
            line("o", "ref", "ix", "30", "100.00", "-"),
            line("c", "eq_ref", "PRIMARY", "1", "100.00", "-"),
        ],
        vec![line("tiny", "ALL", "-", "9", "100.00", "-")],
        vec![line("o", "index", "PRIMARY", "25", "100.00", "Backward index scan")],
        vec![line("b", "ref", "ix", "15", "100.00", "Using filesort")],
        vec![line("o", "range", "ix", "600", "100.00", "Using index condition; Using MRR")],
    ];
    for lines in good {
        let plan = tsv(&lines.iter().collect::<Vec<_>>());
        assert_eq!(review(&Given::plan(&plan)), [], "{plan}");
    }
}

/// A scan for each row of a join: the join is the cause, the scan its evidence.
#[test]
fn effects_are_evidence_of_their_cause() {
    let plan = tsv(&[
        &line("a", "ref", "ix", "2000", "100.00", "-"),
        &line(
            "b",
            "ALL",
            "-",
            "40000",
            "10.00",
            "Using where; Using join buffer (Block Nested Loop)",
        ),
    ]);
    let findings = review(&Given::plan(&plan));
    let rules: Vec<&str> = findings.iter().map(|it| it.rule).collect();
    assert!(rules.contains(&"PLAN006") && !rules.contains(&"PLAN001"), "{rules:?}");
    let join = findings.iter().find(|it| it.rule == "PLAN006").unwrap();
    let also = join.evidence.iter().find(|fact| fact.name == "also").unwrap();
    let Value::List(titles) = &also.value else { panic!("a list") };
    assert!(titles[0].starts_with("PLAN001: `b` is read whole"), "{titles:?}");
}

/// What the effect saw goes with it: the indexes of the map with the columns' types as the cause.
#[test]
fn the_cause_has_the_evidence_of_its_effects() {
    let plan = tsv(&[
        &line("b", "ALL", "-", "80", "1.25", "Using where"),
        &line("s", "ALL", "-", "500", "0.20", "Range checked for each record (index map: 0x2)"),
    ]);
    let schema =
        "CREATE TABLE s (id int PRIMARY KEY, v varchar(9), KEY v (v)); CREATE TABLE b (n int);";
    let given = Given::plan(&plan).schema(schema).query("SELECT 1 FROM b JOIN s ON s.v = b.n");
    let finding = check(&given, "SQL002", Some(Severity::Medium)).unwrap();
    let fact =
        |name: &str| finding.evidence.iter().find(|fact| fact.name == name).map(|it| &it.value);
    assert_eq!(fact("indexes"), Some(&Value::List(vec!["v".to_owned()])));
    let want = ["s.v varchar", "b.n int"].map(str::to_owned).to_vec();
    assert_eq!(fact("join"), Some(&Value::List(want)));
    check(&given, "PLAN003", None);
}

/// Two scans of small tables, the second one with a range looked for anew for each row: `filtered`
/// is one row of each table, 100 / 84 = 1.19 and 100 / 702 = 0.14, and 84 × 702 = 58,968 pairs.
#[test]
fn small_tables_joined_by_ranges_are_read_as_an_expert_reads_them() {
    let plan = tsv(&[
        &line("tours", "ALL", "-", "84", "1.19", "Using where"),
        &line(
            "stops",
            "ALL",
            "PRIMARY",
            "702",
            "0.14",
            "Range checked for each record (index map: 0x1)",
        ),
    ]);
    let plan = plan.replace("\tPRIMARY\tPRIMARY\t4\t", "\tPRIMARY\tNULL\tNULL\t");
    let given = Given::plan(&plan);
    let findings = review(&given);
    let range = check(&given, "PLAN003", Some(Severity::Medium)).unwrap();
    assert!(range.title.contains("58,968"), "{}", range.title);
    let indexes = range.evidence.iter().find(|fact| fact.name == "indexes").unwrap();
    assert_eq!(indexes.value, Value::List(vec!["PRIMARY".to_owned()]));
    let guess = check(&given, "PLAN007", Some(Severity::Info)).unwrap();
    let Value::List(guesses) = &guess.evidence[0].value else { panic!("a list") };
    assert!(
        guesses[0].contains("one row of 84") && guesses[1].contains("one row of 702"),
        "{guesses:?}"
    );
    assert_eq!(findings.len(), 2, "{findings:#?}");
}

/// A lookup that reads 96,400 rows and is taken to keep 3.33 % of them: 3.33 is 10 % × 33.33 %, a
/// guess; 96,400 × 3.33 % = 3,210 rows are sorted, which is nothing to speak of.
#[test]
fn a_large_lookup_with_a_guess_is_read_as_an_expert_reads_it() {
    let plan = tsv(&[
        &line(
            "posts",
            "ref",
            "ix_forum",
            "96400",
            "3.33",
            "Using index condition; Using where; Using filesort",
        ),
        &line("votes", "ref", "ix_post", "120", "100.00", "Using where"),
    ]);
    let given = Given::plan(&plan);
    let guess = check(&given, "PLAN007", Some(Severity::Low)).unwrap();
    assert!(guess.title.contains("filtered 3.33 of `posts` is a default guess"), "{}", guess.title);
    assert!(guess.recommendation.text.contains("the 96,400 rows that index `ix_forum` reads"));
    // If the guess is wrong all of them are sorted.
    let number = |name: &str| {
        guess.evidence.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone())
    };
    let amount = |text: &str| Some(Value::Number(Amount::parse(text).unwrap()));
    assert_eq!(number("rows_sorted_if_the_guess_holds"), amount("3210.12"));
    assert_eq!(number("rows_sorted_at_most"), amount("96400"));
    check(&given, "PLAN004", None);
    check(&given, "PLAN001", None);
}

/// The same plan says the same in each form.
#[test]
fn findings_do_not_depend_on_the_form() {
    let table = tsv(&[
        &line("l", "ALL", "-", "180000", "10.00", "Using where; Using filesort"),
        &line("o", "eq_ref", "PRIMARY", "1", "100.00", "-"),
    ]);
    let json = r#"{"query_block": {"select_id": 1, "ordering_operation": {"using_filesort": true, "nested_loop": [
        {"table": {"table_name": "l", "access_type": "ALL", "rows_examined_per_scan": 180000, "filtered": "10.00",
            "attached_condition": "(`s`.`l`.`n` = 3)"}},
        {"table": {"table_name": "o", "access_type": "eq_ref", "possible_keys": ["PRIMARY"], "key": "PRIMARY",
            "key_length": "4", "rows_examined_per_scan": 1, "filtered": "100.00"}}]}}}"#;
    let said = |text: &str| {
        let findings = review(&Given::plan(text));
        findings.into_iter().map(|it| (it.rule, it.severity)).collect::<Vec<_>>()
    };
    // 18,000 rows are sorted.
    let want =
        [("PLAN001", Severity::Medium), ("PLAN004", Severity::Medium), ("PLAN007", Severity::Low)];
    assert_eq!(said(&table), want);
    assert_eq!(said(json), want);
}

/// A hash join: in TREE the table that is probed stands above the one that fills the hash.
#[test]
fn a_hash_join_is_seen_in_each_form() {
    let table = tsv(&[
        &line("a", "ALL", "-", "30000", "100.00", "-"),
        &line("c", "ALL", "-", "9000", "10.00", "Using where; Using join buffer (hash join)"),
    ]);
    let tree = "-> Inner hash join (a.what = c.`name`)  (cost=10 rows=27000000)\n    \
        -> Filter: (c.tier = 3)  (cost=0.6 rows=900)\n        \
        -> Table scan on c  (cost=0.6 rows=9000)\n    \
        -> Hash\n        \
        -> Table scan on a  (cost=302 rows=30000)\n";
    // 9,000 + 30,000 rows.
    let title = "`c` is joined without an index: up to 39,000 rows go through a hash";
    for text in [table.as_str(), tree] {
        let finding = check(&Given::plan(text), "PLAN006", Some(Severity::Medium)).unwrap();
        assert_eq!(finding.title, title);
    }
}

/// A subquery for each of 400 rows that reads 50 each time: 20,000 in all.
#[test]
fn a_dependent_subquery_is_seen_in_each_form() {
    let table = "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n\
        1\tPRIMARY\td\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t400\t100.00\tNULL\n\
        2\tDEPENDENT SUBQUERY\tc\tNULL\tref\tix\tix\t4\ts.d.id\t50\t100.00\tNULL\n";
    let tree = "-> Table scan on d  (cost=41 rows=400)\n\
        -> Select #2 (subquery in projection; dependent)\n    \
        -> Aggregate: max(c.at)  (cost=9 rows=1)\n        \
        -> Index lookup on c using ix (desk=d.id)  (cost=4 rows=50)\n";
    for text in [table, tree] {
        let finding = check(&Given::plan(text), "PLAN011", Some(Severity::Medium)).unwrap();
        assert_eq!(
            finding.title,
            "subquery #2 runs anew for 400 rows and reads 20,000 rows in all"
        );
    }
}

/// What a temporary table gets of a measured plan is what its tables leave: 60,000 × 5 % = 3,000.
#[test]
fn a_measured_temporary_table_gets_what_was_kept() {
    let plan = |kept: &str| {
        format!(
            "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n\
             1\tSIMPLE\to\tALL\tNULL\tNULL\tNULL\tNULL\t61000\t60000.00\t100.00\t{kept}\tUsing where; Using temporary; Using filesort\n"
        )
    };
    check(&Given::plan(&plan("5.00")), "PLAN004", None);
    check(&Given::plan(&plan("90.00")), "PLAN004", Some(Severity::Medium));
}

/// Steps that never ran, lines without figures and names without a table do no harm.
#[test]
fn plans_without_figures_are_looked_at() {
    for text in [
        "-> Zero rows (no matching row in const table)  (cost=0..0 rows=0)\n",
        "-> Nested loop inner join\n    -> Table scan on a\n    -> Table scan on b  (never executed)\n",
        "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n1\tSIMPLE\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNo tables used\n",
    ] {
        let severe =
            review(&Given::plan(text)).into_iter().filter(|it| it.severity > Severity::Info);
        assert_eq!(severe.count(), 0, "{text}");
    }
}

/// A document that is cut behind its second table: what is told of the two suffices,
/// 2,000 × 40,000 = 80,000,000 pairs.
#[test]
fn a_plan_that_is_cut_is_judged_as_far_as_it_goes() {
    let plan = r#"{
  "query_block": {
    "select_id": 1,
    "cost_info": {"query_cost": "16000000.00"},
    "nested_loop": [
      {"table": {"table_name": "a", "access_type": "ref", "key": "ix",
        "rows_examined_per_scan": 2000, "filtered": "100.00"}},
      {"table": {"table_name": "b", "access_type": "ALL", "rows_examined_per_scan": 40000,
        "filtered": "10.00", "using_join_buffer": "Block Nested Loop"}},
      {"table": {"#;
    let join = check(&Given::plan(plan), "PLAN006", Some(Severity::High)).unwrap();
    assert!(join.title.contains("80,000,000"), "{}", join.title);
}
