//! Two plans compared, from the files to the page.

use std::path::{Path, PathBuf};

use adagio::plan;
use adagio::report::plans::diff::{self, Comparison};
use adagio::report::plans::{Depth, Input, Look, Review, Reviewed};
use adagio::study::plan_diff;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/explain").join(name)
}

/// The plans of files, without what rules say of them.
fn review(paths: &[PathBuf]) -> Review {
    let mut review = Review::default();
    for (number, path) in paths.iter().enumerate() {
        let text = std::fs::read(path).unwrap();
        let plans = plan::read(&text, 0).plans;
        review.inputs.push(Input {
            name: path.display().to_string(),
            compression: None,
            bytes: text.len() as u64,
            plans: plans.len(),
            problems: Vec::new(),
            looks: "",
        });
        let reviewed = |plan| Reviewed { input: number, plan, findings: Vec::new() };
        review.plans.extend(plans.into_iter().map(reviewed));
    }
    review
}

fn compared(paths: &[PathBuf]) -> Result<Comparison, String> {
    plan_diff::diff(review(paths)).map_err(|error| error.to_string())
}

/// The comparison of two texts as a page.
fn of_texts(before: &str, after: &str, depth: Depth) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["before.txt", "after.txt"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], before).unwrap();
    std::fs::write(&paths[1], after).unwrap();
    let text = written(&compared(&paths).unwrap(), &Look { depth, ..Look::default() });
    let folder = folder.path().to_str().unwrap().to_owned() + "/";
    text.replace("\n#   ", " ").replace(&folder, "")
}

fn written(comparison: &Comparison, look: &Look) -> String {
    let mut out = Vec::new();
    diff::write_text(comparison, look, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const SCAN: &str = "\
mysql> EXPLAIN SELECT * FROM orders o WHERE o.customer_id = 7 ORDER BY o.placed_at;
+----+-------------+-------+------------+------+---------------+------+---------+------+---------+----------+-----------------------------+
| id | select_type | table | partitions | type | possible_keys | key  | key_len | ref  | rows    | filtered | Extra                       |
+----+-------------+-------+------------+------+---------------+------+---------+------+---------+----------+-----------------------------+
|  1 | SIMPLE      | o     | NULL       | ALL  | NULL          | NULL | NULL    | NULL | 5120000 |    10.00 | Using where; Using filesort |
+----+-------------+-------+------------+------+---------------+------+---------+------+---------+----------+-----------------------------+
";
const LOOKUP: &str = "\
mysql> EXPLAIN SELECT * FROM orders o WHERE o.customer_id = 9 ORDER BY o.placed_at;
+----+-------------+-------+------------+------+---------------+-------------+---------+-------+------+----------+-------+
| id | select_type | table | partitions | type | possible_keys | key         | key_len | ref   | rows | filtered | Extra |
+----+-------------+-------+------------+------+---------------+-------------+---------+-------+------+----------+-------+
|  1 | SIMPLE      | o     | NULL       | ref  | by_customer   | by_customer | 4       | const |   10 |   100.00 | NULL  |
+----+-------------+-------+------------+------+---------------+-------------+---------+-------+------+----------+-------+
";

#[test]
fn an_index_is_told_with_what_it_saves() {
    // 5,120,000 / 10; a tenth of 5,120,000 was sorted.
    let want = "\
# Comparison: before.txt, line 2, table of MySQL -> after.txt, line 2, table of MySQL
  SELECT * FROM orders o WHERE o.customer_id = 7 ORDER BY o.placed_at
  SELECT * FROM orders o WHERE o.customer_id = 9 ORDER BY o.placed_at
The statements differ in literals, which alone can change a plan.
Another plan, which reads fewer rows: 5,120,000 -> 10 (512,000 times fewer) by
  the estimate.
Rows sorted by the estimate: 512,000 -> 0.
Estimates are compared; neither plan was measured.

What changed
CHANGED o, step 1
    access: ALL (full table scan) -> ref (lookup by index)
    index: none -> by_customer
    key_len: none -> 4
    compared with: none -> const
    Extra, gone: Using where
    Extra, gone: Using filesort
    rows a run: 5,120,000 -> 10
    rows read in all: 5,120,000 rows -> 10 rows
    conditions keep: 10% -> 100%

Before

 #  step             table, index   rows  x runs  = read  kept
!1  full table scan  o             5.12M       1   5.12M   10%

After

#  step             table, index      rows  x runs  = read  kept
1  lookup by index  o by by_customer    10       1      10  100%
";
    assert_eq!(of_texts(SCAN, LOOKUP, Depth::Usual), want);
    let back = of_texts(LOOKUP, SCAN, Depth::Brief);
    assert!(
        back.contains("which reads more rows: 10 -> 5,120,000 (512,000 times as many)"),
        "{back}"
    );
    assert!(!back.contains("Before"), "{back}");
}

#[test]
fn a_plan_compared_with_itself_is_the_same() {
    for entry in std::fs::read_dir(sample("")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(comparison) = compared(&[path.clone(), path.clone()]) else { continue };
        for depth in [Depth::Brief, Depth::Usual, Depth::Full] {
            let text = written(&comparison, &Look { depth, ..Look::default() });
            assert!(text.contains("\nThe same plan.\n"), "{path:?}\n{text}");
            assert!(!text.contains("CHANGED") && !text.contains(" -> 0"), "{path:?}\n{text}");
        }
    }
}

#[test]
fn forms_of_one_plan_are_one_plan() {
    let table = sample("mysql-8.4-table.txt");
    for other in
        ["mysql-8.4-json-v1.json", "mysql-8.4-vertical.txt", "columns-in-another-order.txt"]
    {
        let comparison = compared(&[table.clone(), sample(other)]).unwrap();
        let text = written(&comparison, &Look::default());
        assert!(text.contains("The same plan"), "{other}\n{text}");
    }
}

#[test]
fn measured_times_are_compared_where_both_have_them() {
    let tree = |ms: &str, rows: &str| {
        format!("-> Table scan on t  (cost=1 rows=9) (actual time=0.1..{ms} rows={rows} loops=1)\n")
    };
    let text = of_texts(&tree("1500", "90000"), &tree("4.5", "300"), Depth::Usual);
    // 1,500 / 4.5 is 333.3, 90,000 / 300 is 300.
    assert!(text.contains("Time as measured: 1.5s -> 4.5ms (333 times faster)."), "{text}");
    assert!(text.contains("as measured: 90,000 -> 300 (300 times fewer)."), "{text}");
    assert!(text.contains("The same steps; what was measured differs."), "{text}");
    assert!(!text.contains("Estimates are compared"), "{text}");
    let text = of_texts(&tree("1500", "9"), "-> Table scan on t  (cost=1 rows=8)\n", Depth::Usual);
    assert!(text.contains("only one of the plans was measured"), "{text}");
}

#[test]
fn figures_alone_are_no_other_plan() {
    // 42,000 is more than a tenth below 5,120,000; 5,100,000 is not.
    let text = of_texts(SCAN, &SCAN.replace("5120000", "5100000"), Depth::Usual);
    assert!(text.contains("\nThe same steps; estimates differ a little.\n"), "{text}");
    let text = of_texts(SCAN, &SCAN.replace("5120000", "  42000"), Depth::Usual);
    assert!(
        text.contains("\nThe same steps, expected to read fewer rows: 5,120,000 -> "),
        "{text}"
    );
}

#[test]
fn time_is_told_where_both_were_measured_and_ratios_from_a_tenth_on() {
    let tree = |read: &str, rows: u32, ms: &str| {
        format!("-> {read}  (cost=9 rows={rows}) (actual time=0.1..{ms} rows=3 loops=1)\n")
    };
    let (scan, lookup) = ("Table scan on o", "Index lookup on o using by_day (day = 3)");
    // 6 / 40 of the rows are expected, and it takes 84 / 7 = 12 times as long.
    let text = of_texts(&tree(scan, 40, "7"), &tree(lookup, 6, "84"), Depth::Brief);
    assert!(text.contains("Another plan, which reads fewer rows: 40 -> 6"), "{text}");
    assert!(text.contains("Time as measured: 7ms -> 84ms (12 times as long)."), "{text}");
    // 7.5 is less than a tenth more than 7.
    let text = of_texts(&tree(scan, 40, "7"), &tree(scan, 40, "7.5"), Depth::Brief);
    assert!(text.contains("Time as measured: 7ms -> 7.5ms."), "{text}");
}

#[test]
fn another_join_algorithm_is_told_first() {
    let lines = |buffer: &str, rows: u32| {
        format!(
            "id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tExtra\n\
             1\tSIMPLE\tshelves\tALL\tNULL\tNULL\tNULL\tNULL\t40\tNULL\n\
             1\tSIMPLE\tbooks\tALL\tNULL\tNULL\tNULL\tNULL\t{rows}\tUsing where; Using join buffer ({buffer})\n"
        )
    };
    let before = lines("hash join", 900);
    let text = of_texts(&before, &lines("flat, BNL join", 910), Depth::Usual).replace("\n  ", " ");
    let want = "Another plan (books: hash join -> block nested loop), which reads about \
                as many rows: 940 -> 950 by the estimate.";
    assert!(text.contains(want), "{text}");
    let text = of_texts(&before, &lines("flat, BNLH join", 900), Depth::Usual);
    assert!(!text.contains("hash join ->") && !text.contains("joined by"), "{text}");
}

#[test]
fn forms_that_differ_are_said_to() {
    let tree = "-> Index lookup on o using by_customer (customer_id = 9)  (cost=3 rows=10)\n";
    let text = of_texts(LOOKUP, tree, Depth::Brief);
    assert!(text.contains("\nThe same plan.\nThe forms differ: compared by tables"), "{text}");
    let constant = LOOKUP.replace("| ref  |", "| const|").replace("|   10 |", "|    1 |");
    let text =
        of_texts(&constant, "-> Rows fetched before execution  (cost=0 rows=1)\n", Depth::Usual);
    assert!(
        text.contains("\nThe same plan, as far as both tell.\nThe forms differ, and no"),
        "{text}"
    );
    let text = of_texts(LOOKUP, "-> <not executable by iterator executor>\n", Depth::Usual);
    assert!(text.contains("The plans cannot be compared"), "{text}");
    let text = of_texts(LOOKUP, &tree.replace("by_customer", "by_day"), Depth::Usual);
    assert!(text.contains("index: by_customer -> by_day"), "{text}");
}

#[test]
fn plans_of_different_statements_are_said_to_be_so() {
    let other = LOOKUP.replace("ORDER BY o.placed_at", "LIMIT 3");
    let text = of_texts(SCAN, &other, Depth::Usual);
    assert!(text.contains("The plans are of different statements"), "{text}");
    let comparison =
        compared(&[sample("mysql-8.4-table.txt"), sample("delete-range.txt")]).unwrap();
    assert!(written(&comparison, &Look::default()).contains("The plans share no table"));
}

#[test]
fn anything_but_pairs_is_refused() {
    let check = |names: &[&str], want: &str| {
        let paths: Vec<PathBuf> = names.iter().map(|name| sample(name)).collect();
        let error = compared(&paths).unwrap_err();
        assert!(error.ends_with(want), "{error}");
    };
    check(&["delete-range.txt"], "found 1 in one input");
    check(&["delete-range.txt", "quoted-in-a-ticket.txt"], "found 1 and 2 in 2 inputs");
    // Two plans in one input are a pair.
    assert_eq!(compared(&[sample("quoted-in-a-ticket.txt")]).unwrap().pairs.len(), 1);
}

#[test]
fn json_tells_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["before.txt", "after.txt"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], SCAN).unwrap();
    std::fs::write(&paths[1], LOOKUP).unwrap();
    let mut out = Vec::new();
    diff::json::write(&compared(&paths).unwrap(), &mut out).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let compared = &document["comparisons"][0];
    assert_eq!(compared["verdict"], "fewer rows");
    assert_eq!(compared["statements"], "same class");
    assert_eq!(compared["rows_examined"]["ratio"].to_string(), "512000");
    let step = &compared["steps"][0];
    assert_eq!((&step["name"], &step["change"]), (&"o".into(), &"changed".into()));
    let key = &step["changes"][1];
    assert_eq!((&key["field"], &key["after"]), (&"key".into(), &"by_customer".into()));
    assert_eq!(key.get("before"), None);
}

#[test]
fn no_line_of_a_comparison_is_too_wide() {
    let names: Vec<PathBuf> =
        std::fs::read_dir(sample("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for before in &names {
        for after in &names {
            let Ok(comparison) = compared(&[before.clone(), after.clone()]) else { continue };
            let text = written(&comparison, &Look { depth: Depth::Full, ..Look::default() });
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            diff::write_markdown(&comparison, &Look::default(), &mut Vec::new()).unwrap();
            diff::json::write(&comparison, &mut Vec::new()).unwrap();
        }
    }
}
