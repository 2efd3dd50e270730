//! Plans of every form, by samples made for the purpose.
//!
//! Most of them are the plan of one statement, as several servers and clients print it:
//!
//! ```sql
//! SELECT b.title, l.due FROM loans l JOIN books b ON b.id = l.book_id
//! WHERE l.returned IS NULL AND b.branch = 4 ORDER BY l.due
//! ```
//!
//! 80,000 loans are read, 10 % of them kept and sorted, and for each of these 8,000 one book is
//! looked up, of which 25 % are kept: 88,000 rows are read and 2,000 come out.

use std::path::{Path, PathBuf};

use adagio::plan::{self, Amount, Found, Node, Plan, Step, Tree};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain")
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

/// The plans of a sample that must be read without a problem.
#[track_caller]
fn plans(name: &str) -> Vec<Plan> {
    let found = plan::read(&sample(name), 0);
    let problems: Vec<&str> = found.problems.of(0).map(|problem| problem.detail.as_str()).collect();
    assert_eq!(problems, [""; 0], "{name}");
    found.plans
}

/// The one plan of a sample.
#[track_caller]
fn plan_of(name: &str) -> Plan {
    let mut plans = plans(name);
    assert_eq!(plans.len(), 1, "{name}");
    plans.remove(0)
}

fn number(amount: Option<Amount>) -> String {
    amount.map_or("-".to_owned(), |amount| amount.to_string())
}

/// A table in short: name, access type, index, rows, filtered, Extra.
fn short(node: &Node) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    format!(
        "{} {} {} {} {} {}",
        text(&node.table),
        text(&node.access_type),
        text(&node.key),
        number(node.rows),
        number(node.filtered),
        node.extra.join("; ")
    )
}

/// Lines of tables and of rows without a table, in order.
fn tables(plan: &Plan) -> Vec<String> {
    let nodes = plan.all_nodes();
    let told = nodes.iter().filter(|node| node.operation.is_none() || node.table.is_some());
    told.map(|node| short(node).trim_end().to_owned()).collect()
}

/// Rows examined, sorted and given.
fn estimate(plan: &Plan) -> [String; 3] {
    let estimate = plan.estimate().unwrap();
    [estimate.rows_examined, estimate.rows_sorted, estimate.rows_result]
        .map(|rows| rows.to_string())
}

/// The samples that are one plan: file, format, server, how often it is in the file.
#[rustfmt::skip]
const FORMS: &[(&str, &str, &str, usize)] = &[
    ("mysql-8.4-table.txt",            "table",        "mysql",   1),
    ("mysql-8.4-vertical.txt",         "table",        "mysql",   1),
    ("mysql-8.4-batch.tsv",            "table",        "mysql",   1),
    ("columns-in-another-order.txt",   "table",        "mysql",   1),
    ("quoted-in-a-ticket.txt",         "table",        "mysql",   2),
    ("mariadb-11.4-analyze.tsv",       "table",        "mariadb", 1),
    ("mysql-8.4-json-v1.json",         "json_v1",      "mysql",   1),
    ("mysql-8.4-json-v1-batch.tsv",    "json_v1",      "mysql",   1),
    ("mysql-9.4-json-v2-analyze.json", "json_v2",      "mysql",   1),
    ("mysql-9.4-tree.txt",             "tree",         "mysql",   1),
    ("mysql-8.4-analyze.txt",          "tree",         "mysql",   1),
    ("mariadb-11.4-analyze.json",      "json_mariadb", "mariadb", 1),
];

#[test]
fn one_plan_is_the_same_in_every_form() {
    for (name, format, flavor, count) in FORMS {
        let plans = plans(name);
        assert_eq!(plans.len(), *count, "{name}");
        for plan in &plans {
            assert_eq!(plan.format.word(), *format, "{name}");
            assert_eq!(plan.flavor.to_string(), *flavor, "{name}");
            assert_eq!(estimate(plan), ["88000", "8000", "2000"], "{name}");
            let is_tree = plan.blocks.is_empty();
            let want = if is_tree {
                ["l ALL - 80000 -", "b eq_ref PRIMARY 1 -"]
            } else {
                [
                    "l ALL - 80000 10 Using where; Using filesort",
                    "b eq_ref PRIMARY 1 25 Using where",
                ]
            };
            assert_eq!(tables(plan), want, "{name}");
        }
    }
}

#[test]
fn all_columns_are_read() {
    for name in ["mysql-8.4-table.txt", "mysql-8.4-vertical.txt", "mysql-8.4-batch.tsv"] {
        let node = &plan_of(name).nodes[1];
        assert_eq!((node.id, node.select_type.as_deref()), (Some(1), Some("SIMPLE")));
        assert_eq!(node.possible_keys.as_deref(), Some("PRIMARY"));
        assert_eq!((node.key_len.as_deref(), node.partitions.as_deref()), (Some("4"), None));
        assert_eq!(node.reference.as_deref(), Some("library.l.book_id"));
    }
    let node = &plan_of("mysql-8.4-json-v1.json").nodes[1];
    assert_eq!(node.used_key_parts, ["id"]);
    assert_eq!(node.reference.as_deref(), Some("library.l.book_id"));
    assert_eq!(number(node.cost), "16120.5");
}

#[test]
fn the_statement_and_the_notes_stand_with_the_plan() {
    let plan = plan_of("mysql-8.4-table.txt");
    let query = plan.query.unwrap();
    assert!(query.starts_with("SELECT b.title") && query.ends_with("ORDER BY l.due"), "{query}");
    assert_eq!(plan.notes.len(), 1);
    assert_eq!(plan.notes[0].code, Some(1003));
    assert!(plan.notes[0].message.starts_with("/* select#1 */ select"));
    let plan = plan_of("pt-query-digest-report.txt");
    assert_eq!(plan.query.as_deref(), Some("SELECT due FROM loans WHERE member_id = 17"));
    assert_eq!(tables(&plan), ["loans ref by_member 6 100"]);
    assert_eq!(plan.line, 7);
}

#[test]
fn what_was_measured_is_read() {
    // Of TREE: figures of one run times the runs. 0.246 rows on average are 1,599 of 6,500 runs.
    let plan = plan_of("mysql-8.4-analyze.txt");
    let nodes = plan.all_nodes();
    let rows: Vec<String> = nodes.iter().map(|node| number(node.actual_rows())).collect();
    assert_eq!(rows, ["1600", "6500", "6500", "81250", "1599", "6500"]);
    assert_eq!(number(plan.actual_ms()), "96.5");
    // 0.006 ms × 6,500 = 39 ms: more than the scan of the table, 31 ms.
    let hottest = plan.hottest().unwrap();
    assert_eq!(hottest.operation, "Single-row index lookup on b using PRIMARY (id = l.book_id)");
    assert_eq!((number(Some(hottest.ms)), number(hottest.rows)), ("39".into(), "6500".into()));
    // JSON has more digits: 0.24615384615384617 × 6,500 = 1,600.
    let plan = plan_of("mysql-9.4-json-v2-analyze.json");
    assert_eq!(number(plan.all_nodes()[4].actual_rows()), "1600");
    assert_eq!(number(plan.hottest().map(|step| step.ms)), "39");
    // Of MariaDB: table and conditions, 40 + 16.5 ms; the sort has 61.5 ms with these.
    let plan = plan_of("mariadb-11.4-analyze.json");
    assert_eq!(number(plan.actual_ms()), "100");
    let hottest = plan.hottest().unwrap();
    assert_eq!(hottest.operation, "Table scan on l");
    assert_eq!((number(Some(hottest.ms)), number(hottest.rows)), ("56.5".into(), "81250".into()));
    assert_eq!(number(plan.nodes[1].actual_rows()), "3250");
}

#[test]
fn subqueries_of_a_select_list_add_to_the_time_of_the_whole() {
    let text = "\
-> Limit: 5 row(s)  (cost=1 rows=5) (actual time=0.02..0.5 rows=5 loops=1)
    -> Table scan on t  (cost=1 rows=9) (actual time=0.01..0.25 rows=5 loops=1)
-> Select #2 (subquery in projection; dependent)
    -> Index lookup on u using k (a = t.a)  (cost=1 rows=3) (actual time=0.1..0.2 rows=3.4 loops=5)
";
    let plan = &plan::read(text.as_bytes(), 0).plans[0];
    // 0.5 ms, and 5 times 0.2 ms.
    assert_eq!(number(plan.actual_ms()), "1.5");
    let hottest = plan.hottest().unwrap();
    assert_eq!((number(Some(hottest.ms)), number(hottest.rows)), ("1".into(), "17".into()));
    // 9 rows, then 3 for each of the 5 that the LIMIT lets through.
    assert_eq!(estimate(plan), ["24", "0", "5"]);
}

#[test]
fn what_json_says_of_operations_is_said_of_the_first_table() {
    let check = |document: &str, want: &[&str]| {
        let plans = plan::read(document.as_bytes(), 0).plans;
        assert_eq!(tables(&plans[0]), want, "{document}");
    };
    let table = |name: &str, more: &str| {
        format!(
            r#""table": {{"table_name": "{name}", "access_type": "ALL", "rows_examined_per_scan": 7{more}}}"#
        )
    };
    let joined = format!(
        r#""nested_loop": [{{{}}}, {{{}}}]"#,
        table("t", ""),
        table("u", r#", "using_join_buffer": "hash join""#)
    );
    let hashed = "u ALL - 7 - Using join buffer (hash join)";
    let of = |inner: &str| format!(r#"{{"query_block": {{"select_id": 1, {inner}}}}}"#);
    check(&of(&joined), &["t ALL - 7 -", hashed]);
    // GROUP BY by way of a temporary table, then ORDER BY.
    let grouped = format!(r#""grouping_operation": {{"using_temporary_table": true, {joined}}}"#);
    check(
        &of(&format!(r#""ordering_operation": {{"using_filesort": true, {grouped}}}"#)),
        &["t ALL - 7 - Using temporary; Using filesort", hashed],
    );
    let windows =
        r#""windows": [{"name": "w", "using_temporary_table": true}, {"using_filesort": true}]"#;
    check(
        &of(&format!(r#""windowing": {{{windows}, {joined}}}"#)),
        &["t ALL - 7 - Using temporary; Using filesort", hashed],
    );
    // DISTINCT tells whether it sorts; a semijoin has the same key and does not.
    check(
        &of(&format!(
            r#""duplicates_removal": {{"using_temporary_table": true, "using_filesort": false, {joined}}}"#
        )),
        &["t ALL - 7 - Using temporary", hashed],
    );
    check(
        &of(&format!(r#""duplicates_removal": {{"using_temporary_table": true, {joined}}}"#)),
        &[
            "t ALL - 7 - Start temporary",
            "u ALL - 7 - Using join buffer (hash join); End temporary",
        ],
    );
}

#[test]
fn runs_that_are_not_told_are_not_made_up() {
    let plan = plan_of("mariadb-11.4-analyze.tsv");
    assert_eq!(number(plan.nodes[0].actual_rows()), "81250");
    assert_eq!(number(plan.nodes[1].actual_rows()), "-");
    let actual = plan.nodes[1].actual.unwrap();
    assert_eq!(number(actual.rows_per_loop), "1");
    assert_eq!(number(actual.filtered), "20");
    assert_eq!((plan.actual_ms(), plan.hottest()), (None, None));
}

#[test]
fn a_rowid_filter_is_a_second_index() {
    let plan = plan_of("mariadb-11.4-rowid-filter.txt");
    assert_eq!(plan.flavor.to_string(), "mariadb");
    let node = &plan.nodes[1];
    assert_eq!(short(node), "l ref by_member 9 - Using where; Using rowid filter");
    assert_eq!(
        (node.key_len.as_deref(), node.possible_keys.as_deref()),
        (Some("4"), Some("by_member,by_due"))
    );
    let filter = node.rowid_filter.as_ref().unwrap();
    assert_eq!((filter.key.as_deref(), filter.key_len.as_deref()), (Some("by_due"), Some("3")));
    assert_eq!(number(filter.percent), "2");
    // 120 members, and 9 loans of each.
    assert_eq!(estimate(&plan), ["1200", "0", "1080"]);
}

#[test]
fn repeated_keys_lose_no_table() {
    let plan = plan_of("mariadb-10.4-repeated-keys.json");
    assert_eq!(
        tables(&plan),
        [
            "l ALL - 80000 10 Using where; Using filesort",
            "b eq_ref PRIMARY 1 25 Using where",
            "r ALL - 30 100 Using where; Using join buffer (flat, BNL join)",
            "f ref by_book 2 100",
        ]
    );
    let types: Vec<&str> =
        plan.nodes.iter().filter_map(|node| node.select_type.as_deref()).collect();
    assert_eq!(types, ["PRIMARY", "PRIMARY", "PRIMARY", "DEPENDENT SUBQUERY"]);
    // 80,000 + 8,000, the buffered table once, and 2 rows for each of 2,000 × 30.
    assert_eq!(estimate(&plan), ["208030", "8000", "60000"]);
}

#[test]
fn selects_are_added_up_as_they_are_run() {
    // The derived table is filled once (120) and read (120), the subquery runs for each of its
    // rows (9 × 120), the second part of the UNION reads 40.
    let plan = plan_of("mysql-5.5-union-of-derived.txt");
    assert_eq!(estimate(&plan), ["1360", "0", "160"]);
    // 120 members are read, for each of 60 kept 9 loans; 200 + 50 rows once for the other one.
    let plan = plan_of("mysql-9.4-tree-subqueries.txt");
    assert_eq!(estimate(&plan), ["910", "0", "20"]);
    assert_eq!(
        tables(&plan),
        [
            "m ref by_town 120 - Backward index scan",
            "l ref by_member 9 - Using index",
            "f ALL - 200 -",
            "x range by_due 50 - Using index condition",
        ]
    );
    let limits: Vec<Option<u64>> = plan.all_nodes().iter().map(|node| node.limit).collect();
    assert_eq!(limits.iter().flatten().collect::<Vec<_>>(), [&20, &1]);
}

#[test]
fn lines_without_a_table_say_why() {
    let plan = plan_of("rows-without-a-table.tsv");
    assert_eq!(
        tables(&plan),
        [
            "- - - - - Impossible WHERE noticed after reading const tables",
            "- - - - - Select tables optimized away",
        ]
    );
    assert_eq!(estimate(&plan), ["0", "0", "0"]);
    let plan = plan_of("delete-range.txt");
    assert_eq!(plan.nodes[0].select_type.as_deref(), Some("DELETE"));
    assert_eq!(estimate(&plan)[0], "5200");
}

/// A tree in short: steps with what is below them in brackets.
fn nested(trees: &[Tree<'_>]) -> String {
    let one = |tree: &Tree<'_>| {
        let step = match &tree.step {
            Step::Node(node) => node.table.clone().unwrap_or_else(|| "-".to_owned()),
            Step::Join => "join".to_owned(),
            Step::Select(_) => "select".to_owned(),
            Step::Materialize => "fill".to_owned(),
            Step::Union(_) => "union".to_owned(),
            Step::Subquery { is_dependent: true, .. } => "each".to_owned(),
            Step::Subquery { .. } => "once".to_owned(),
        };
        let below = nested(&tree.below);
        if below.is_empty() { step } else { format!("{step}({below})") }
    };
    trees.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn steps_are_nested_as_the_server_takes_them() {
    let check =
        |name: &str, want: &str| assert_eq!(nested(&plan::nest(&plan_of(name))), want, "{name}");
    check("mysql-8.4-batch.tsv", "join(l b)");
    check(
        "mysql-5.5-union-of-derived.txt",
        "union(select(<derived3>(fill(members)) each(loans)) staff)",
    );
    check("mariadb-10.4-repeated-keys.json", "select(join(l b r) each(f))");
    check("rows-without-a-table.tsv", "select(- once(-))");
}

#[test]
fn results_of_set_operations_hold_each_other_as_they_are_named() {
    let header = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n";
    let check = |lines: &[(&str, &str, &str)], want: &str| {
        let lines = lines.iter().map(|(id, part, table)| {
            format!("{id}\t{part}\t{table}\tALL\tNULL\tNULL\tNULL\tNULL\t9\tNULL\n")
        });
        let text = format!("{header}{}", lines.collect::<String>());
        let plans = plan::read(text.as_bytes(), 0).plans;
        let by_name = |tree: &Tree<'_>| named(tree);
        let got: Vec<String> = plan::nest(&plans[0]).iter().map(by_name).collect();
        assert_eq!(got.join(" "), want);
    };
    // (pens INTERSECT inks) EXCEPT caps
    let first = [("1", "PRIMARY", "pens"), ("2", "INTERSECT", "inks")];
    check(
        &[
            &first[..],
            &[("4", "INTERSECT RESULT", "<intersect1,2>"), ("3", "EXCEPT", "caps")],
            &[("5", "EXCEPT RESULT", "<except4,3>")],
        ]
        .concat(),
        "<except4,3>(<intersect1,2>(pens inks) caps)",
    );
    // pens UNION (inks INTERSECT caps): the first SELECT of the inner one is a part of the outer.
    check(
        &[
            ("1", "PRIMARY", "pens"),
            ("2", "UNION", "inks"),
            ("3", "INTERSECT", "caps"),
            ("4", "INTERSECT RESULT", "<intersect2,3>"),
            ("5", "UNION RESULT", "<union1,4>"),
        ],
        "<union1,4>(pens <intersect2,3>(inks caps))",
    );
    // A long list is shortened by the server.
    check(
        &[
            ("1", "PRIMARY", "pens"),
            ("2", "UNION", "inks"),
            ("3", "UNION", "caps"),
            ("NULL", "UNION RESULT", "<union1,2,...,3>"),
        ],
        "<union1,2,...,3>(pens inks caps)",
    );
    check(&[("1", "PRIMARY", "pens"), ("2", "UNION", "inks")], "-(pens inks)");
}

/// A tree by the tables of its steps.
fn named(tree: &Tree<'_>) -> String {
    let name = match &tree.step {
        Step::Node(node) | Step::Union(Some(node)) => node.table.clone().unwrap_or_default(),
        _ => "-".to_owned(),
    };
    let below: Vec<String> = tree.below.iter().map(named).collect();
    if below.is_empty() { name } else { format!("{name}({})", below.join(" ")) }
}

#[test]
fn runs_that_the_server_does_not_count_are_not_known() {
    let text = |time: &str| {
        format!(
            "{{\"query_block\": {{\"select_id\": 1, \"r_loops\": 1, \"r_total_time_ms\": 5.5, \
             \"nested_loop\": [{{\"table\": {{\"table_name\": \"pens\", \
             \"access_type\": \"ALL\", \"r_loops\": 1, \"rows\": 40, \"r_rows\": 41, \
             \"r_table_time_ms\": 2}}}}], \"subqueries\": [{{\"query_block\": \
             {{\"select_id\": 2, \"table\": {{\"table_name\": \"inks\", \
             \"access_type\": \"unique_subquery\", \"key\": \"PRIMARY\", \"ref\": [\"func\"], \
             \"r_loops\": 0, \"rows\": 1, \"r_rows\": null, \"r_table_time_ms\": {time}}}}}}}]}}}}"
        )
    };
    let check = |time: &str, loops: Option<Amount>, fetched: Option<u64>| {
        let plans = plan::read(text(time).as_bytes(), 0).plans;
        let inner = plans[0].all_nodes()[1].actual.unwrap();
        assert_eq!(inner.loops, loops, "{time}");
        assert_eq!(plans[0].fetched(), fetched.map(Amount::whole), "{time}");
    };
    check("1.25", None, None);
    check("0", Some(Amount::ZERO), Some(41));
}

#[test]
fn a_print_that_is_cut_gives_what_is_there_and_says_so() {
    let found = plan::read(&sample("cut-on-the-right.txt"), 0);
    let problem = found.problems.of(0).next().unwrap();
    assert_eq!(problem.detail, "line 1, column 95: expected the columns ref, rows, Extra");
    // The column at the cut is not half a value: it is not there.
    let nodes = &found.plans[0].nodes;
    assert_eq!(short(&nodes[1]), "b eq_ref PRIMARY - - ");
    assert_eq!((nodes[1].key_len.as_deref(), nodes[1].reference.as_deref()), (Some("4"), None));
    assert_eq!(found.plans[0].estimate(), None);
}

/// A text is cut: of what is there no sum is made, and the place is told.
#[track_caller]
fn check_cut(text: &str, want: &str) {
    check_problem(text, 1, want);
    let plan = &plan::read(text.as_bytes(), 0).plans[0];
    assert!(plan.is_cut(), "{text}");
    assert_eq!((plan.estimate(), plan.fetched()), (None, None), "{text}");
}

#[test]
fn of_a_print_that_is_cut_no_sum_is_made() {
    let table = "\
+----+-------------+-------+------+---------------+------+---------+------+------+-------------+
| id | select_type | table | type | possible_keys | key  | key_len | ref  | rows | Extra       |
+----+-------------+-------+------+---------------+------+---------+------+------+-------------+
|  1 | SIMPLE      | pens  | ALL  | NULL          | NULL | NULL    | NULL |  410 | Using where |
|  1 | SIMPLE      | inks  | ALL  | NULL          | NULL | NULL    | NULL |  730 | NULL        |
";
    check_cut(table, "line 5, column 97: expected the rest of the print");
    check_cut(&table[..table.len() - 60], "line 5, column 38: expected the rest of the print");
    let narrow: String = table.lines().map(|line| format!("{}\n", &line[..88])).collect();
    check_cut(&narrow, "line 1, column 89: expected the column Extra");
    let row = "id: 1\nselect_type: SIMPLE\ntable: pens\ntype: ALL\npossible_keys: NULL\n\
               key: NULL\nkey_len: NULL\nref: NULL\nrows: 410\nExtra: NULL\n";
    let stars = |number: u8| format!("********** {number}. row **********\n");
    check_cut(
        &format!("{}{row}{}id: 1\nselect_type: SIM", stars(1), stars(2)),
        "line 12, column 29: expected the rest of the print",
    );
    check_cut(
        &format!("{}{row}*******", stars(1)),
        "line 12, column 8: expected the rest of the print",
    );
    check_cut(
        &format!("{}{row}{}", stars(1), stars(2)),
        "line 12, column 29: expected the rest of the print",
    );
    check_cut(
        &format!("{}{}", stars(1), row.replace("Extra: NULL\n", "")),
        "line 1, column 29: expected the column Extra",
    );
    let header = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n";
    check_cut(
        &format!("{header}1\tSIMPLE\tpens\tALL\tNULL\tNULL\tNULL"),
        "line 2, column 33: expected the rest of the print",
    );
}

#[test]
fn a_tree_that_is_cut_is_told() {
    let (join, scan) = (
        "-> Nested loop inner join  (cost=31 rows=9) (actual time=1.5..2.5 rows=9 loops=1)\n",
        "    -> Table scan on pens  (cost=3 rows=4) (actual time=0.5..0.7 rows=4 loops=1)\n",
    );
    let lookup = "    -> Index lookup on inks using by_pen (pen = pens.id)  (cost=2 rows=2) \
                  (actual time=0.1..0.2 rows=2 loops=4)\n";
    let whole = format!("{join}{scan}{lookup}");
    check_problem(&whole, 1, "");
    let rest =
        |line, column| format!("line {line}, column {column}: expected the rest of the tree");
    // One of two inputs; within figures; between those of the estimate and those measured.
    check_cut(&format!("{join}{scan}"), &rest(2, 81));
    check_cut(&whole[..whole.len() - 9], &rest(3, 104));
    check_cut(&whole[..whole.len() - 38], &rest(3, 75));
    check_cut("-> Limit: 8 row(s)  (cost=3 rows=4)\n", &rest(1, 36));
}

#[test]
fn lines_that_a_terminal_has_broken_are_one_tree() {
    let tree = "\
-> Nested loop inner join  (cost=31.5 rows=190) (actual time=1.5..22.5 rows=180 loops=1)
    -> Filter: (pens.colour = 'green')  (cost=3.25 rows=14) (actual time=0.5..0.7 rows=12 loops=1)
        -> Table scan on pens  (cost=3.25 rows=140) (actual time=0.25..0.5 rows=150 loops=1)
    -> Index lookup on inks using by_pen (pen = pens.id)  (cost=2 rows=14) (actual time=1..2 rows=15 loops=12)
";
    let want = plan::read(tree.as_bytes(), 0).plans;
    // Operations without the lines that they stand at.
    let told = |plan: &Plan| {
        let figures = |node: &Node| (node.operation.clone(), node.rows, node.actual);
        plan.all_nodes().into_iter().map(figures).collect::<Vec<_>>()
    };
    for indent in ["", "    "] {
        let mut joined = 0;
        for width in 30..110 {
            let broken = |line: &str| {
                let letters: Vec<char> = format!("{indent}{line}").chars().collect();
                let pieces = letters.chunks(width).map(|piece| piece.iter().collect::<String>());
                pieces.collect::<Vec<_>>().join("\n") + "\n"
            };
            let text: String = tree.lines().map(broken).collect();
            let got = plan::read(text.as_bytes(), 0).plans;
            assert_eq!(got.len(), 1, "{text}");
            assert!(got[0].is_cut() || told(&got[0]) == told(&want[0]), "{text}");
            joined += usize::from(!got[0].is_cut());
        }
        // All of 80 widths but those of a single broken line, where names leave a doubt.
        assert!(joined >= 70, "{joined}");
    }
}

#[test]
fn a_tree_with_lines_that_belong_nowhere_is_one_that_is_cut() {
    let text = "-> Nested loop inner join  (cost=31 ro\nand so on\n    -> Table scan on pens  (cost=3 rows=4)\n    \
                -> Table scan on inks  (cost=3 rows=4)\n";
    check_cut(text, "line 4, column 43: expected the rest of the tree");
}

/// The problems of a text: number of plans, then place and what was expected.
#[track_caller]
fn check_problem(text: &str, plans: usize, want: &str) {
    let found = plan::read(text.as_bytes(), 0);
    let details: Vec<&str> = found.problems.of(0).map(|problem| problem.detail.as_str()).collect();
    assert_eq!((found.plans.len(), details.join("; ").as_str()), (plans, want), "{text}");
}

#[test]
fn problems_tell_the_place_and_what_was_expected() {
    check_problem("", 0, "");
    check_problem(
        "nothing of the kind\n-> no tree\n{ no json }\n",
        0,
        "line 3, column 3: expected a key in double quotes",
    );
    check_problem(
        "id\tselect_type\ttable\ttype\trows\tExtra\n1\tSIMPLE\tt\tALL\tmany\tNULL\n",
        1,
        "line 2, column 16: expected a number for rows",
    );
    check_problem(
        "{\"query_block\": {\"select_id\": 1,\n  \"table\": {\"table_name\": \"t\",",
        1,
        "line 2, column 31: expected a key in double quotes",
    );
    check_problem(
        "-> Table scan on t  (cost=1 rows=x)\n",
        1,
        "line 1, column 34: expected a number for rows",
    );
    check_problem(
        "-> Limit: 1 row(s)\n        -> Table scan on t\n",
        1,
        "line 2, column 9: expected a step that is at most one level deeper",
    );
}

#[test]
fn places_are_those_of_the_input_however_a_plan_stands_in_it() {
    let cut = "{\n  \"query_block\": {\n    \"table\": {\"table_name\": \"t\", x}\n";
    let place =
        |line, column| format!("line {line}, column {column}: expected a key in double quotes");
    let quoted =
        |quote: &str| cut.lines().map(|line| format!("{quote}{line}\n")).collect::<String>();
    check_problem(cut, 1, &place(3, 34));
    check_problem(&quoted("> "), 1, &place(3, 36));
    check_problem(&quoted("    "), 1, &place(3, 38));
    check_problem(&format!("  {cut}"), 1, &place(3, 34));
    check_problem(&format!("***** 1. row *****\nEXPLAIN: {cut}"), 1, &place(4, 34));
    let boxed = format!("+---------+\n| EXPLAIN |\n+---------+\n| {cut} |\n+---------+\n");
    check_problem(&boxed, 1, &place(6, 34));
    let batch = format!("EXPLAIN\n{}\n", cut.replace('\n', "\\n"));
    // `{\\n`, `  "query_block": {\\n` and 33 bytes stand before it.
    check_problem(&batch, 1, &place(2, 3 + 20 + 34));
    let tree = "EXPLAIN\n-> Sort: a\\n    -> Table scan on t  (cost=1 rows=x)\\n\n";
    check_problem(tree, 1, "line 2, column 50: expected a number for rows");
}

#[test]
fn a_statement_at_a_prompt_is_no_tree() {
    let text = "mysql> EXPLAIN SELECT *\n    -> FROM loans\n    -> WHERE due = 1;\n";
    check_problem(text, 0, "");
    let whole = format!("{text}{}", String::from_utf8(sample("delete-range.txt")).unwrap());
    check_problem(&whole, 1, "");
}

#[test]
fn an_escape_in_a_literal_makes_no_line_of_batch_mode() {
    let tree =
        "-> Filter: (t.a = 'x\\ny')  (cost=1 rows=1)\n    -> Table scan on t  (cost=1 rows=9)\n";
    let plans = plan::read(tree.as_bytes(), 0).plans;
    assert_eq!(tables(&plans[0]), ["t ALL - 9 -"]);
    assert_eq!(plans[0].nodes[0].condition.as_deref(), Some("(t.a = 'x\\ny')"));
}

#[test]
fn plans_in_a_slow_log_are_found() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/slow/mariadb-10.11-explain.log");
    let log = std::fs::read(log).unwrap();
    let found = plan::read(&log, 0);
    let tables: Vec<Vec<String>> = found.plans.iter().map(tables).collect();
    assert_eq!(
        tables[0],
        ["articles ALL - 51000 100 Using where; Using temporary; Using filesort"]
    );
    assert_eq!(tables[1], ["i ref issue_no 1 100", "a eq_ref PRIMARY 1 100 Using index"]);
    let header = b"# explain: id\tselect_type\ttable\trows\n# explain: 1\tSIMPLE\tt\t7\n#\n";
    let plan = plan::of_log_lines(header).unwrap();
    assert_eq!(short(&plan.nodes[0]), "t - - 7 - ");
    assert_eq!(plan::of_log_lines(b"# Query_time: 1\n"), None);
}

/// Everything that can be asked of what was found.
fn ask(found: &Found) -> usize {
    let mut count = 0;
    for plan in &found.plans {
        count += plan.all_nodes().len() + nested(&plan::nest(plan)).len();
        count += usize::from(plan.estimate().is_some()) + usize::from(plan.hottest().is_some());
        count += usize::from(plan.actual_ms().is_some());
    }
    count
}

#[test]
fn no_cut_of_a_sample_is_too_much() {
    for name in names() {
        let text = sample(&name);
        for end in 0..text.len() {
            ask(&plan::read(&text[..end], 0));
        }
        for start in (0..text.len()).step_by(7) {
            ask(&plan::read(&text[start..], 0));
        }
    }
}

#[test]
fn line_ends_of_windows_change_nothing() {
    for name in names().iter().filter(|name| *name != "cut-on-the-right.txt") {
        let text = String::from_utf8(sample(name)).unwrap().replace('\n', "\r\n");
        let found = plan::read(text.as_bytes(), 0);
        assert_eq!(found.problems.of(0).count(), 0, "{name}");
        let tables_of = |plans: &[Plan]| plans.iter().map(tables).collect::<Vec<_>>();
        assert_eq!(tables_of(&found.plans), tables_of(&plans(name)), "{name}");
    }
}

#[test]
fn all_samples_in_one_file_are_as_many_plans() {
    let names: Vec<String> =
        names().into_iter().filter(|name| name != "cut-on-the-right.txt").collect();
    let text: Vec<u8> = names.iter().flat_map(|name| sample(name)).collect();
    let want: usize = names.iter().map(|name| plans(name).len()).sum();
    assert_eq!(plan::read(&text, 0).plans.len(), want);
}

#[test]
fn what_is_nested_without_end_is_refused() {
    let depth = 100_000;
    let deep: String =
        (0..2000).map(|level| format!("{}-> Limit: 1 row(s)\n", "    ".repeat(level))).collect();
    let texts = [
        format!("{{\"query_block\": {}", "{\"nested_loop\": [".repeat(depth)),
        "{\"query_plan\": {\"operation\": \"x\", \"inputs\": [".to_owned()
            + &"{\"inputs\": [".repeat(depth),
        deep,
        "{\n".repeat(depth),
        "-> Sort: x\n".repeat(depth),
        "+---+\n| EXPLAIN |\n".repeat(depth),
        "a: 1\n".repeat(depth),
        (0..depth).map(|n| format!("n{n}: 1\n")).collect(),
        "***** 1. row *****\nid: 1\n".repeat(depth),
    ];
    for text in texts {
        ask(&plan::read(text.as_bytes(), 0));
    }
    let chain: String = (1..20_000)
        .map(|n| format!("{n}\tDEPENDENT SUBQUERY\t<derived{}>\tALL\t9\tUsing filesort\n", n + 1))
        .collect();
    let found =
        plan::read(format!("id\tselect_type\ttable\ttype\trows\tExtra\n{chain}").as_bytes(), 0);
    assert!(ask(&found) > 0);
}

#[test]
fn the_work_of_the_steps_adds_up_to_the_estimate() {
    let sum = |rows: &mut dyn Iterator<Item = Option<Amount>>| {
        rows.flatten().fold(Amount::ZERO, Amount::plus)
    };
    let mut checked = 0;
    for name in names() {
        for plan in plan::read(&sample(&name), 0).plans {
            let work = plan.work();
            assert_eq!(work.len(), plan.all_nodes().len(), "{name}");
            let Some(estimate) = plan.estimate() else { continue };
            checked += usize::from(!plan.blocks.is_empty());
            let read = sum(&mut work.iter().map(|work| work.read));
            assert_eq!(read, estimate.rows_examined, "{name}");
            let sorted = sum(&mut work.iter().map(|work| work.sorted));
            assert_eq!(sorted, estimate.rows_sorted, "{name}");
        }
    }
    assert!(checked > 8, "{checked}");
    // 120 are read of the derived table, and for each of them 9 of the subquery.
    let plan = plan_of("mysql-5.5-union-of-derived.txt");
    let runs: Vec<String> = plan.work().iter().map(|work| number(work.runs)).collect();
    assert_eq!(runs, ["1", "1", "120", "1", "1"]);
    // Nothing is made up for a print that is cut before its rows.
    let cut = &plan::read(&sample("cut-on-the-right.txt"), 0).plans[0];
    assert!(cut.work().iter().all(|work| work.runs.is_none()));
}

#[test]
fn what_is_filled_once_is_not_run_again() {
    let text = "\
-> Nested loop inner join  (cost=9 rows=300)
    -> Table scan on a  (cost=1 rows=100)
    -> Index lookup on d using <auto_key0> (x = a.x)  (cost=1 rows=3)
        -> Materialize  (cost=5 rows=700)
            -> Table scan on b  (cost=4 rows=700)
";
    let plan = &plan::read(text.as_bytes(), 0).plans[0];
    let of = |field: fn(&plan::Work) -> Option<Amount>| -> Vec<String> {
        plan.work().iter().map(|work| number(field(work))).collect()
    };
    assert_eq!(of(|work| work.runs), ["1", "1", "100", "1", "1"]);
    assert_eq!(of(|work| work.read), ["-", "100", "300", "-", "700"]);
    assert_eq!(of(|work| work.stored), ["-", "-", "-", "700", "-"]);
    // The rows of a UNION's result are not told, so neither is what is sorted of them.
    let lines = "id\tselect_type\ttable\ttype\trows\tExtra\n\
        1\tPRIMARY\ta\tALL\t5\t\n2\tUNION\tb\tALL\t7\t\n\
        NULL\tUNION RESULT\t<union1,2>\tALL\tNULL\tUsing temporary; Using filesort\n";
    let plan = &plan::read(lines.as_bytes(), 0).plans[0];
    let sorted: Vec<String> = plan.work().iter().map(|work| number(work.sorted)).collect();
    assert_eq!(sorted, ["-", "-", "-"]);
}

/// 30 rows of the first table are looked up 4 times each in the second one: 30 runs, 120 rows. In
/// TREE the table that is probed finds partners for the 500 rows of the hash.
#[test]
fn steps_are_told_with_their_runs() {
    let table = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
        1\tSIMPLE\ta\tref\tk\tk\t4\tconst\t30\t\n1\tSIMPLE\tb\tref\tk\tk\t4\ta.id\t4\t\n";
    let steps = plan::read(table.as_bytes(), 0).plans[0].work();
    let whole = |number| Some(Amount::whole(number));
    assert_eq!((steps[0].runs, steps[0].read), (whole(1), whole(30)));
    assert_eq!((steps[1].runs, steps[1].read), (whole(30), whole(120)));
    let tree = "-> Inner hash join (c.x = a.x)  (cost=10 rows=2000)\n    -> Table scan on c  (cost=1 rows=9000)\n    \
        -> Hash\n        -> Table scan on a  (cost=3 rows=500)\n";
    let steps = plan::read(tree.as_bytes(), 0).plans[0].work();
    assert_eq!(
        (steps[1].runs, steps[1].outer(), steps[1].read),
        (whole(1), whole(500), whole(9000))
    );
}

/// A print without any figure, as some versions and tools give it.
#[test]
fn rows_that_no_step_tells_are_not_none() {
    let tree = "-> Filter: (t.a = 5)\n    -> Table scan on t\n";
    let lines = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
        1\tSIMPLE\tt\tALL\tNULL\tNULL\tNULL\tNULL\tNULL\tUsing where\n";
    for text in [tree, lines] {
        let plan = &plan::read(text.as_bytes(), 0).plans[0];
        assert_eq!(plan.estimate(), None, "{text}");
    }
    // A plan that reads no table expects no row, and that is known.
    let none = "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
        1\tSIMPLE\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNo tables used\n";
    let estimate = plan::read(none.as_bytes(), 0).plans[0].estimate().unwrap();
    assert_eq!(estimate.rows_examined, Amount::ZERO);
}
