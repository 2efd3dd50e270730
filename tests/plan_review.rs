//! Reviews for people: what they say, how wide they are, that no format drops anything.

use std::path::Path;

use adagio::advice::{
    Action, Category, Confidence, Fact, Finding, IndexColumn, IndexProposal, Recommendation,
    Severity, Subject, Value,
};
use adagio::plan::{self, Amount};
use adagio::report::plans::{Depth, Input, Look, Review, Reviewed, markdown, text};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain")
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn review_of(name: &str, text: &[u8]) -> Review {
    let plans = plan::read(text, 0).plans;
    let input = Input {
        name: name.to_owned(),
        compression: None,
        bytes: text.len() as u64,
        plans: plans.len(),
        problems: Vec::new(),
        looks: "",
    };
    let reviewed = |plan| Reviewed { input: 0, plan, findings: Vec::new() };
    Review {
        inputs: vec![input],
        plans: plans.into_iter().map(reviewed).collect(),
        ..Review::default()
    }
}

fn sample(name: &str) -> Review {
    review_of(name, &std::fs::read(folder().join(name)).unwrap())
}

fn written(review: &Review, look: &Look) -> String {
    let mut out = Vec::new();
    text::write(review, look, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn marked_down(review: &Review, look: &Look) -> String {
    let mut out = Vec::new();
    markdown::write(review, look, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn look(width: usize, depth: Depth) -> Look {
    Look { width, depth, colour: false }
}

/// Columns of a line, where no character of a test is wide but those of East Asia.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if ('\u{3000}'..'\u{a000}').contains(&c) { 2 } else { 1 }).sum()
}

#[track_caller]
fn check_width(review: &Review, width: usize, what: &str) {
    for depth in [Depth::Brief, Depth::Usual, Depth::Full] {
        let text = written(review, &look(width, depth));
        for line in text.lines() {
            assert!(columns(line) <= width, "{what}, {width}: {line}");
            assert_eq!(line.trim_end(), line, "{what}");
        }
    }
}

/// The whole of one small plan.
#[test]
fn a_plan_is_told_from_its_header_to_its_last_step() {
    let print = "\
mysql> EXPLAIN SELECT b.title FROM loans l JOIN books b ON b.id = l.book_id WHERE l.member_id = 7;
+----+-------------+-------+------------+--------+---------------+-----------+---------+------------------+------+----------+-------+
| id | select_type | table | partitions | type   | possible_keys | key       | key_len | ref              | rows | filtered | Extra |
+----+-------------+-------+------------+--------+---------------+-----------+---------+------------------+------+----------+-------+
|  1 | SIMPLE      | l     | NULL       | ref    | by_member     | by_member | 4       | const            |    9 |   100.00 | NULL  |
|  1 | SIMPLE      | b     | NULL       | eq_ref | PRIMARY       | PRIMARY   | 4       | shop.l.book_id   |    1 |    50.00 | Using where |
+----+-------------+-------+------------+--------+---------------+-----------+---------+------------------+------+----------+-------+
";
    let want = "\
# Plan: ticket.txt, line 2, table of MySQL
  SELECT b.title FROM loans l JOIN books b ON b.id = l.book_id WHERE l.member_id
  = 7
Estimate: 18 rows read, 5 left after joins and conditions.
Findings: none.

#  step                    table, index    rows  x runs  = read  kept
   join
1  ├ lookup by index       l by by_member     9       1       9  100%
2  └ lookup by unique key  b by PRIMARY       1       9       9   50%

Step by step
1.  Looks up the rows of l with one value of the index by_member: about 9 rows.
    index: 1 column of the index, compared with a constant, key_len 4.
2.  Looks up at most one row of b by the unique index PRIMARY. Run an estimated
    9 times. Conditions keep an estimated 50%, 5 of 9.
    filtered looks like a guess: 50.00 is what MySQL assumes, without looking
      at the data, for an IN of 5 or more values; or for an equality with a
      BIT(1) or an ENUM of 2 members, where the columns have no index and no
      histogram.
    Using where: Rows are tested after they were read, against the part of the
      condition that the access to the table does not guarantee.
    index: 1 column of the index, compared with shop.l.book_id, key_len 4.
";
    // 9 x 50 % is 4.5: the nearest whole number is 5.
    assert_eq!(written(&review_of("ticket.txt", print.as_bytes()), &Look::default()), want);
}

/// What a review of some lines of batch mode says and does not say.
#[track_caller]
fn check_says(lines: &str, says: &[&str], not: &[&str]) {
    let print = format!(
        "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n{lines}"
    );
    let text = written(&review_of("-", print.as_bytes()), &look(80, Depth::Usual));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in says {
        assert!(flat.contains(words), "{words:?} in\n{text}");
    }
    for words in not {
        assert!(!flat.contains(words), "{words:?} not in\n{text}");
    }
}

#[test]
fn words_weigh_by_rows() {
    check_says(
        "1\tSIMPLE\to\tNULL\tref\tk\tk\t4\tconst\t12\t100.00\tUsing filesort\n",
        &["Using filesort over 12 rows: nothing to care about", "Findings: none."],
        &["!", "most of all before a small LIMIT"],
    );
    check_says(
        "1\tSIMPLE\to\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t2000000\t100.00\tUsing filesort\n",
        &["! Using filesort over 2,000,000 rows", "! ALL over 2,000,000 rows", "look at step 1"],
        &["Nothing wrong", "nothing to care about"],
    );
    // 2,000,000 are read; a tenth is sorted.
    check_says(
        "1\tSIMPLE\to\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t2000000\t10.00\tUsing where; Using filesort\n",
        &["Using filesort over 200,000 rows", "10%, 200,000 of 2,000,000"],
        &[],
    );
}

#[test]
fn a_guess_is_called_a_guess() {
    check_says(
        "1\tSIMPLE\to\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t5000\t33.33\tUsing where\n",
        &["filtered looks like a guess: 33.33"],
        &[],
    );
    check_says(
        "1\tSIMPLE\to\tNULL\tref\tk\tk\t4\tconst\t5000\t7.31\tUsing where\n",
        &["Conditions keep an estimated 7.31%, 366 of 5,000"],
        &["guess"],
    );
    // MariaDB does not guess so.
    let print = "id\tselect_type\ttable\ttype\trows\tr_rows\tfiltered\tr_filtered\tExtra\n1\tSIMPLE\tt\tALL\t5000\t5000.00\t10.00\t10.00\tUsing where\n";
    let text = written(&review_of("-", print.as_bytes()), &Look::default());
    assert!(!text.contains("guess"), "{text}");
}

#[test]
fn what_is_unknown_is_shown_as_it_stands() {
    check_says(
        "1\tSIMPLE\tt\tNULL\tteleport\tNULL\tNULL\tNULL\tNULL\t7\t100.00\tUsing magic (twice)\n",
        &[
            "teleport (unknown to adagio)",
            "access type teleport, which is unknown to adagio",
            "Using magic (twice): unknown to adagio",
            "what is unknown to adagio was not judged",
        ],
        &["Nothing wrong"],
    );
    let tree = "-> Teleport rows: a  (cost=1 rows=3)\n    -> Table scan on t  (cost=1 rows=9)\n";
    let text = written(&review_of("-", tree.as_bytes()), &Look::default());
    assert!(text.contains("2.  Teleport rows: a: unknown to adagio;"), "{text}");
}

#[test]
fn steps_run_often_say_how_often() {
    check_says(
        "1\tPRIMARY\to\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t400\t100.00\tNULL\n\
         2\tDEPENDENT SUBQUERY\ti\tNULL\tref\tk\tk\t4\tshop.o.id\t50\t100.00\tUsing index\n",
        // 50 rows for each of 400.
        &["Run an estimated 400 times, 20,000 rows in all", "! DEPENDENT SUBQUERY 2"],
        &["Findings: none."],
    );
    check_says(
        "1\tSIMPLE\to\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t400\t100.00\tNULL\n\
         1\tSIMPLE\ti\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t5000\t100.00\tUsing join buffer (hash join)\n",
        &["Read once, for all rows of the steps before", ", 400 x 5,000 rows: Rows of the"],
        &["Run an estimated"],
    );
}

#[test]
fn an_estimate_that_is_far_off_is_told() {
    let tree = "\
-> Nested loop inner join  (cost=9 rows=10) (actual time=1..200 rows=50000 loops=1)
    -> Table scan on a  (cost=1 rows=10) (actual time=1..2 rows=10 loops=1)
    -> Index lookup on b using k (a = a.id)  (cost=1 rows=1) (actual time=1..19 rows=5000 loops=10)
";
    let text = written(&review_of("-", tree.as_bytes()), &Look::default());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("Measured: 50,000 rows in 10 runs, 190ms. The estimate was 5,000 times too few: 1 row a run, measured 5,000 rows."),
        "{text}"
    );
    assert!(
        flat.contains("Measured: 200ms, 50,010 rows fetched from tables, 50,000 in the result"),
        "{text}"
    );
}

#[test]
fn a_limit_above_may_end_a_scan() {
    let tree = |above: &str| {
        format!(
            "-> Limit: 5 row(s)  (cost=1 rows=5)\n    -> {above}\n        -> Table scan on t  (cost=1 rows=90000)\n"
        )
    };
    let check = |above: &str, says: &[&str]| {
        let text = written(&review_of("-", tree(above).as_bytes()), &Look::default());
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in says {
            assert!(flat.contains(words), "{words}\n{text}");
        }
    };
    let unless = "unless the LIMIT is reached before";
    // 5 of 90,000 rows are wanted: as many are read, if each fits.
    check("Filter: (t.a = 1)  (cost=1 rows=90000)", &[unless, "Findings: none."]);
    // 5 of 10: half of the table.
    check("Filter: (t.a = 1)  (cost=1 rows=10)", &[unless, "look at step 1"]);
    check(
        "Sort: t.a, limit input to 5 row(s) per chunk  (cost=1 rows=90000)",
        &["about 90,000 rows.", "look at steps 1, 2"],
    );
}

#[test]
fn a_limit_of_the_statement_may_end_a_scan_too() {
    let check = |statement: &str, extra: &str, may_end: bool| {
        let print = format!(
            "mysql> EXPLAIN {statement};\nid\tselect_type\ttable\ttype\trows\tExtra\n1\tSIMPLE\tt\tALL\t90000\t{extra}\n"
        );
        let text = written(&review_of("-", print.as_bytes()), &Look::default());
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat.contains("unless the LIMIT is reached before"), may_end, "{text}");
        assert_eq!(flat.contains("Findings: none."), may_end, "{text}");
    };
    check("SELECT a FROM t LIMIT 5", "", true);
    check("SELECT a FROM t", "", false);
    check("SELECT a FROM t ORDER BY a LIMIT 5", "Using filesort", false);
    check("SELECT COUNT(*) FROM t LIMIT 5", "", false);
}

#[test]
fn what_is_absent_is_blank_and_a_print_without_rows_is_not_judged() {
    let text = written(&sample("cut-on-the-right.txt"), &Look::default());
    assert!(text.contains("Not judged"), "{text}");
    assert!(!text.contains("rows  x runs") && !text.contains(" 0"), "{text}");
    let text = written(&sample("mysql-5.5-union-of-derived.txt"), &Look::default());
    let union = text.lines().find(|line| line.contains("<union1,4>")).unwrap();
    assert!(union.ends_with("<union1,4>"), "{union}");
}

#[test]
fn no_line_of_a_sample_is_wider_than_asked_for() {
    for name in names() {
        for width in [80, 97, 132, 200] {
            check_width(&sample(&name), width, &name);
        }
    }
}

#[test]
fn names_of_any_script_and_numbers_of_any_size_fit() {
    let table = "客户订单表".repeat(12);
    let lines = format!(
        "id\tselect_type\ttable\ttype\tkey\trows\tExtra\n\
         1\tSIMPLE\t{table}\tref\t{}\t18446744073709551615\tUsing where\n\
         1\tSIMPLE\tkäse\tALL\tNULL\t18446744073709551615\tUsing filesort\n",
        "i".repeat(64)
    );
    check_width(&review_of("-", lines.as_bytes()), 80, "names");
    let text = written(&review_of("-", lines.as_bytes()), &Look::default());
    assert!(text.contains("18,446,744,073,709,551,615"), "{text}");
    // Fewer columns than 80 are taken as 80.
    assert_eq!(text, written(&review_of("-", lines.as_bytes()), &look(10, Depth::Usual)));
}

#[test]
fn a_deep_tree_says_its_levels() {
    let deep: String = (0..150)
        .map(|level| {
            format!("{}-> Filter: (t.a = {level})  (cost=1 rows=7)\n", "    ".repeat(level))
        })
        .collect();
    let review = review_of("-", deep.as_bytes());
    check_width(&review, 80, "deep");
    assert!(written(&review, &Look::default()).contains("(level 100)"));
}

fn finding(step: usize, severity: Severity) -> Finding {
    Finding {
        rule: "PLAN001",
        category: Category::Plan,
        severity,
        confidence: Confidence::Medium,
        title: format!("every row of table number {step} is read for few of them, and that costs"),
        subject: Subject { step: Some(step), ..Subject::default() },
        evidence: vec![
            Fact { name: "rows_read", value: Value::Number(Amount::whole(80_000)) },
            Fact {
                name: "possible_keys",
                value: Value::List(vec!["a".to_owned(), "b".to_owned()]),
            },
        ],
        recommendation: Recommendation {
            variables: Vec::new(),
            action: Action::Create,
            text: format!("Create an index for the condition {step}."),
            index: Some(IndexProposal {
                table: "loans".to_owned(),
                name: None,
                columns: vec![IndexColumn {
                    name: "returned".to_owned(),
                    ..IndexColumn::default()
                }],
            }),
            replaces: None,
            sql: vec![format!(
                "ALTER TABLE loans ADD INDEX by_a_rather_long_name_of_an_index_{step} (returned, due, member_id, book_id);"
            )],
            undo: Vec::new(),
        },
        benefit: None,
        verify: format!("EXPLAIN SELECT {step}"),
        queries: Vec::new(),
    }
}

#[test]
fn every_format_shows_every_finding_and_every_step() {
    for name in names() {
        let mut review = sample(&name);
        for reviewed in &mut review.plans {
            let steps = reviewed.plan.all_nodes().len();
            reviewed.findings = (0..steps).map(|step| finding(step, Severity::High)).collect();
        }
        for depth in [Depth::Brief, Depth::Usual, Depth::Full] {
            let look = look(80, depth);
            for text in [written(&review, &look), marked_down(&review, &look)] {
                let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
                for reviewed in &review.plans {
                    for (step, node) in reviewed.plan.all_nodes().into_iter().enumerate() {
                        for part in [
                            format!("table number {step} is read"),
                            format!("condition {step}."),
                            format!("index_{step} (returned, due, member_id, book_id);"),
                            format!("EXPLAIN SELECT {step}"),
                        ] {
                            assert!(flat.contains(&part), "{name}: {part}\n{text}");
                        }
                        assert!(text.contains(&format!("!{}", step + 1)), "{name} {step}\n{text}");
                        if let Some(table) = &node.table {
                            assert!(text.contains(table.as_str()), "{name}: {table}\n{text}");
                        }
                        let told = depth == Depth::Brief
                            || text
                                .lines()
                                .any(|line| line.starts_with(&format!("{}. ", step + 1)));
                        assert!(told, "{name}: {step}\n{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn findings_are_counted_and_say_all_they_have() {
    let mut review = sample("mysql-8.4-table.txt");
    review.plans[0].findings = vec![finding(0, Severity::High), finding(1, Severity::Low)];
    let text = written(&review, &look(80, Depth::Brief));
    let want = "\
Findings: 1 high, 1 low.

 #  step                    table, index  rows  x runs  = read  kept
    join
!1  ├ full table scan       l              80k       1     80k   10%
!2  └ lookup by unique key  b by PRIMARY     1      8k      8k   25%

Findings
HIGH every row of table number 0 is read for few of them, and that costs.
    (PLAN001, step 1, confidence medium)
    seen: rows read 80,000; possible keys a, b
    do: Create an index for the condition 0.
      ALTER TABLE loans ADD INDEX by_a_rather_long_name_of_an_index_0 (returned, due, member_id, book_id);
    verify:
      EXPLAIN SELECT 0
LOW every row of table number 1 is read for few of them, and that costs.
    (PLAN001, step 2, confidence medium)
    seen: rows read 80,000; possible keys a, b
    do: Create an index for the condition 1.
      ALTER TABLE loans ADD INDEX by_a_rather_long_name_of_an_index_1 (returned, due, member_id, book_id);
    verify:
      EXPLAIN SELECT 1
";
    assert!(text.ends_with(want), "{text}");
}

#[test]
fn colour_adds_nothing_but_colour() {
    for name in names() {
        let review = sample(&name);
        let plain = written(&review, &Look::default());
        let coloured = written(&review, &Look { colour: true, ..Look::default() });
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, behind)) = rest.split_once('\u{1b}') {
            stripped.push_str(before);
            rest = behind.split_once('m').unwrap().1;
        }
        stripped.push_str(rest);
        assert_eq!(stripped, plain, "{name}");
        assert!(coloured.contains('\u{1b}') && !plain.contains('\u{1b}'), "{name}");
    }
}

#[test]
fn a_terminal_obeys_nothing_of_the_input() {
    let lines = "id\tselect_type\ttable\ttype\trows\tExtra\n1\tSIMPLE\tt\u{1b}[31m\tALL\t5\tUsing \u{7}bell\n";
    let review = review_of("a\u{1b}b", lines.as_bytes());
    for text in [written(&review, &Look::default()), marked_down(&review, &Look::default())] {
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    }
}

#[test]
fn every_cut_of_a_sample_is_written_in_every_format() {
    for name in names() {
        let text = std::fs::read(folder().join(&name)).unwrap();
        for end in (0..text.len()).step_by(29) {
            let review = review_of(&name, &text[..end]);
            written(&review, &look(80, Depth::Full));
            marked_down(&review, &Look::default());
        }
    }
}

#[test]
fn a_temporary_table_that_is_read_again_and_again_is_told() {
    // As MySQL before 5.6 joins two derived tables: 40,000 rows, 40,000 times.
    let derived = |id: u8| {
        format!(
            "{id}\tDERIVED\tt{id}\tNULL\tindex\tNULL\tPRIMARY\t4\tNULL\t40000\t100.00\tUsing index\n"
        )
    };
    let read = |id: u8| {
        format!(
            "1\tPRIMARY\t<derived{id}>\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t40000\t100.00\tNULL\n"
        )
    };
    check_says(
        &(read(2) + &read(3) + &derived(2) + &derived(3)),
        &[
            "! ALL over 1,600,000,000 rows: The temporary table is read whole",
            "look at steps 1, 3, 4",
        ],
        &["an index for its conditions is missing"],
    );
}

#[test]
fn indexes_of_a_merge_and_a_map_are_named() {
    check_says(
        "1\tSIMPLE\tt\tNULL\tindex_merge\ta,b\ta,b\t5,5\tNULL\t9\t100.00\tUsing union(a,b); Using where\n",
        &["Combines the rows of t that several indexes find (a,b): about 9 rows."],
        &["several indexes find:"],
    );
    check_says(
        "1\tSIMPLE\tu\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t70\t100.00\tNULL\n\
         1\tSIMPLE\tt\tNULL\tALL\ta,b\tNULL\tNULL\tNULL\t631\t0.16\tRange checked for each record (index map: 0x5)\n",
        // Bits 0 and 2; 70 x 631 rows at most.
        &[
            "indexes 1, 3 of SHOW CREATE TABLE",
            "up to about 631 rows",
            "For 70 rows of the steps before, that is up to 44,170 rows in all.",
            "filtered is a guess: 0.16 is one row of 631",
        ],
        &["none is used", "Run an estimated"],
    );
}

#[test]
fn a_tree_is_nested_and_numbered_as_the_server_runs_it() {
    let want = "\
#  step                          table, index        rows  x runs  = read
5  union result                  <union1,4>
   ├ select 1
2  │ ├ full scan                 <derived3>           120       1     120
   │ │ └ temporary table of
1  │ │   └ lookup by index       members by by_town   120       1     120
   │ └ subquery 2, for each row
3  │   └ lookup by index         loans by by_member     9     120   1.08k
4  └ full table scan             staff                 40       1      40
";
    let text = written(&sample("mysql-5.5-union-of-derived.txt"), &look(80, Depth::Brief));
    assert!(text.ends_with(want), "{text}");
}

#[test]
fn full_filtered_is_doubted_of_scans_alone() {
    let doubt = "100.00 does not prove";
    let line = |part: &str, access: &str| {
        format!("1\t{part}\tpens\tNULL\t{access}\tk\tk\t4\tNULL\t5000\t100.00\tUsing where\n")
    };
    check_says(&line("SIMPLE", "index"), &[doubt], &[]);
    check_says(&line("SIMPLE", "range"), &[], &[doubt]);
    check_says(&line("DELETE", "index"), &[], &[doubt]);
    check_says(&line("UPDATE", "index"), &[], &[doubt]);
}

#[test]
fn the_one_row_of_a_full_text_search_is_no_estimate() {
    check_says(
        "1\tSIMPLE\tpens\tNULL\tfulltext\tft\tft\t0\tconst\t1\t33.33\tUsing where\n",
        &[
            "by the full-text index ft. The server says 1 row of every such search: that is no estimate.",
        ],
        &["about 1 row", "Conditions keep"],
    );
}

#[test]
fn a_short_tree_has_no_level_in_words() {
    // The names leave the steps just the room they need.
    let name = "a_table_with_a_name_of_fifty_letters_and_no_blanks";
    let line = |table: &str| {
        format!("1\tSIMPLE\t{table}\tNULL\trange\tPRIMARY\tPRIMARY\t4\tNULL\t1999\t100.00\tNULL\n")
    };
    check_says(&format!("{}{}", line("pens"), line("inks")), &["index range"], &["(level"]);
    check_says(&format!("{}{}", line("p"), line(&name[..24])), &["index range"], &["(level"]);
}

#[test]
fn what_was_kept_is_shown_before_what_was_expected() {
    let text = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\t\
                filtered\tr_filtered\tExtra\n\
                1\tSIMPLE\tpens\tALL\tNULL\tNULL\tNULL\tNULL\t400\t410.00\t100.00\t12.50\tUsing where\n";
    let shown = written(&review_of("-", text.as_bytes()), &look(80, Depth::Brief));
    assert!(shown.contains("12.5%") && !shown.contains("100%"), "{shown}");
}

#[test]
fn an_estimate_of_nothing_is_told_with_what_was_measured() {
    let text = "-> Table scan on pens  (cost=0 rows=0) (actual time=1..2 rows=120 loops=1)\n";
    let shown = written(&review_of("-", text.as_bytes()), &look(80, Depth::Usual));
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("The estimate was far too few: 0 rows a run, measured 120 rows."),
        "{shown}"
    );
}

#[test]
fn texts_in_a_list_end_without_a_full_stop() {
    let mut review = review_of(
        "-",
        b"id\tselect_type\ttable\ttype\trows\tExtra\n1\tSIMPLE\tpens\tALL\t9\tNULL\n",
    );
    let list = Value::List(vec!["one thing.".to_owned(), "another.".to_owned()]);
    let mut finding = finding(0, Severity::Low);
    finding.evidence = vec![Fact { name: "guesses", value: list }];
    review.plans[0].findings.push(finding);
    let shown = written(&review, &look(80, Depth::Brief));
    assert!(shown.contains("seen: guesses one thing, another\n"), "{shown}");
}
