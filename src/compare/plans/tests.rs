use super::*;
use crate::plan;

/// The plan of lines of batch mode.
fn of(lines: &str) -> Plan {
    let head = "id\tselect_type\ttable\ttype\tkey\tkey_len\tref\trows\tExtra\n";
    plan::read(format!("{head}{lines}").as_bytes(), 0).plans.remove(0)
}

/// Steps in short: `=`, `~`, `-` or `+`, the name, then what is different.
fn told(compared: &Compared) -> Vec<String> {
    let value = |value: &Option<Value>| match value {
        None => "none".to_owned(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Number(amount)) => amount.to_string(),
    };
    let step = |step: &Step| {
        let mark = match (step.before, step.after) {
            (Some(_), None) => '-',
            (None, _) => '+',
            _ if step.changes.is_empty() => '=',
            _ => '~',
        };
        let changes = step.changes.iter().map(|change| {
            format!(" {} {}>{}", change.field.word(), value(&change.before), value(&change.after))
        });
        format!("{mark}{}{}", step.name, changes.collect::<String>())
    };
    compared.steps.iter().map(step).collect()
}

#[track_caller]
fn check(before: &str, after: &str, verdict: Verdict, want: &[&str]) {
    let compared = compare(&of(before), &of(after), Statements::Unknown);
    assert_eq!(
        (compared.verdict, told(&compared)),
        (verdict, want.iter().map(|&s| s.to_owned()).collect())
    );
}

const SCAN: &str = "1\tSIMPLE\to\tALL\tNULL\tNULL\tNULL\t5120000\tUsing where; Using filesort\n";
const LOOKUP: &str = "1\tSIMPLE\to\tref\tk\t4\tconst\t10\tUsing where\n";

#[test]
fn a_plan_is_the_same_as_itself() {
    check(SCAN, SCAN, Verdict::Same, &["=o"]);
    check(
        LOOKUP,
        "1\tSIMPLE\to\tref\tk\t4\tconst\t12\tUsing where\n",
        Verdict::SameSteps,
        &["~o rows 10>12 rows_examined 10>12"],
    );
}

#[test]
fn an_index_reads_fewer_rows() {
    check(
        SCAN,
        LOOKUP,
        Verdict::Fewer,
        &[
            "~o access_type ALL>ref key none>k key_len none>4 ref none>const extra Using filesort>none rows 5120000>10 rows_examined 5120000>10",
        ],
    );
    let compared = compare(&of(SCAN), &of(LOOKUP), Statements::Same);
    let read = compared.read.both().unwrap();
    assert_eq!(read.0.ratio(read.1), Some(Amount::whole(512_000)));
    assert_eq!(compare(&of(LOOKUP), &of(SCAN), Statements::Same).verdict, Verdict::More);
}

#[test]
fn steps_are_known_again_by_select_and_table() {
    let a =
        "1\tPRIMARY\tt\tALL\tNULL\tNULL\tNULL\t5\t\n2\tSUBQUERY\tt\tALL\tNULL\tNULL\tNULL\t7\t\n";
    let b =
        "1\tPRIMARY\tt\tALL\tNULL\tNULL\tNULL\t5\t\n2\tSUBQUERY\tu\tALL\tNULL\tNULL\tNULL\t7\t\n";
    check(a, b, Verdict::AsMany, &["=t", "-t", "+u"]);
    // The SELECT has another number: the table tells.
    let c =
        "1\tPRIMARY\tt\tALL\tNULL\tNULL\tNULL\t5\t\n3\tSUBQUERY\tt\tALL\tNULL\tNULL\tNULL\t7\t\n";
    check(a, c, Verdict::Same, &["=t", "=t"]);
}

#[test]
fn another_order_of_tables_is_another_plan() {
    let line = |table| format!("1\tSIMPLE\t{table}\tALL\tNULL\tNULL\tNULL\t5\t\n");
    let (ab, ba) = (line("a") + &line("b"), line("b") + &line("a"));
    let compared = compare(&of(&ab), &of(&ba), Statements::Unknown);
    let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    assert_eq!(compared.order, Some((names(["a", "b"]), names(["b", "a"]))));
    assert!(compared.verdict != Verdict::Same);
    assert!(!compared.shares_no_table);
    assert!(compare(&of(&line("a")), &of(&line("b")), Statements::Unknown).shares_no_table);
}

#[test]
fn what_one_form_does_not_tell_is_not_compared() {
    let tree = "-> Sort: o.a  (cost=1 rows=10)\n    -> Index lookup on o using k (a = 1)  (cost=1 rows=10)\n";
    let tree = plan::read(tree.as_bytes(), 0).plans.remove(0);
    let compared = compare(&of(LOOKUP), &tree, Statements::Unknown);
    assert_eq!((compared.verdict, told(&compared)), (Verdict::Same, vec!["=o".to_owned()]));
    let sorted = compare(&tree, &tree, Statements::Unknown);
    assert_eq!(told(&sorted), ["=Sort: o.a", "=o"]);
}

/// A plan of any form.
fn read(text: &str) -> Plan {
    plan::read(text.as_bytes(), 0).plans.remove(0)
}

/// Lines of MySQL 8 in batch mode, for a statement that no other line stands for.
fn lines(lines: &str) -> Plan {
    let head = "id\tselect_type\ttable\tpartitions\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tfiltered\tExtra\n";
    read(&format!("{head}{lines}"))
}

/// The verdict both ways, which has to be one.
#[track_caller]
fn check_forms(a: &Plan, b: &Plan, verdict: Verdict) -> Compared {
    let (there, back) = (compare(a, b, Statements::Unknown), compare(b, a, Statements::Unknown));
    assert_eq!(there.verdict, verdict, "{:?} {:?}", told(&there), there.order);
    assert_eq!(back.verdict, verdict, "{:?} {:?}", told(&back), back.order);
    assert!(!there.shares_no_table && !back.shares_no_table);
    there
}

#[test]
fn a_derived_table_is_known_by_what_is_inside() {
    // Rows read: 30 + 30 lookups of one row + 400.
    let table = lines(
        "1\tPRIMARY\t<derived2>\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t30\t100.00\tNULL\n\
         1\tPRIMARY\ts\tNULL\teq_ref\tPRIMARY\tPRIMARY\t4\tbig.sensor\t1\t100.00\tNULL\n\
         2\tDERIVED\treadings\tNULL\tref\tby_day\tby_day\t3\tconst\t400\t100.00\tUsing temporary\n",
    );
    let tree = |inside: &str| {
        read(&format!(
            "-> Nested loop inner join  (cost=9 rows=30)\n    \
             -> Table scan on big  (cost=5..5 rows=30)\n        \
             -> Materialize  (cost=4..4 rows=30)\n            \
             -> Table scan on <temporary>\n                \
             -> Aggregate using temporary table\n                    \
             -> {inside}  (cost=3 rows=400)\n    \
             -> Single-row index lookup on s using PRIMARY (id = big.sensor)  (cost=0.2 rows=1)\n"
        ))
    };
    let same = tree("Index lookup on readings using by_day (day = DATE'2026-03-01')");
    check_forms(&table, &same, Verdict::Same);
    check_forms(&table, &tree("Table scan on readings"), Verdict::AsMany);
    let other = tree("Index lookup on readings using by_place (place = 3)");
    check_forms(&table, &other, Verdict::AsMany);
}

#[test]
fn lookups_of_subqueries_have_another_word_in_tree() {
    let table = lines(
        "1\tPRIMARY\tloans\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t500\t100.00\tUsing where\n\
         2\tDEPENDENT SUBQUERY\tmembers\tNULL\tunique_subquery\tPRIMARY\tPRIMARY\t4\tfunc\t1\t100.00\tUsing where\n",
    );
    let tree = |lookup: &str| {
        read(&format!(
            "-> Filter: <in_optimizer>(loans.member,<exists>(select #2))  (cost=51 rows=500)\n    \
             -> Table scan on loans  (cost=51 rows=500)\n    \
             -> Select #2 (subquery in condition; dependent)\n        \
             -> Limit: 1 row(s)\n            \
             -> {lookup}  (cost=0.3 rows=1)\n"
        ))
    };
    let by_key =
        tree("Single-row index lookup on members using PRIMARY (id = <cache>(loans.member))");
    check_forms(&table, &by_key, Verdict::Same);
    check_forms(&table, &tree("Table scan on members"), Verdict::AsMany);
}

#[test]
fn rows_fetched_before_execution_are_tables_of_one_row() {
    let constant = "1\tSIMPLE\tmembers\tNULL\tconst\tPRIMARY\tPRIMARY\t4\tconst\t1\t100.00\tNULL\n";
    let fetched = read("-> Rows fetched before execution  (cost=0..0 rows=1)\n");
    check_forms(&lines(constant), &fetched, Verdict::Same);
    // TREE does not tell the constant table beside another one.
    let loans = "1\tSIMPLE\tloans\tNULL\tref\tby_member\tby_member\t4\tconst\t7\t100.00\tNULL\n";
    let lookup = read("-> Index lookup on loans using by_member (member = 12)  (cost=2 rows=7)\n");
    check_forms(&lines(&format!("{constant}{loans}")), &lookup, Verdict::Same);
    let both = compare(&lines(loans), &fetched, Statements::Unknown);
    assert_eq!(told(&both), ["-loans"]);
}

#[test]
fn why_there_is_no_row_is_compared() {
    let empty = |why: &str| {
        let nulls = "NULL\t".repeat(9);
        lines(&format!("1\tSIMPLE\t{nulls}{why}\n"))
    };
    let tree = read("-> Zero rows (Impossible WHERE)  (cost=0..0 rows=0)\n");
    check_forms(&empty("Impossible WHERE"), &tree, Verdict::Same);
    check_forms(&empty("Zero limit"), &tree, Verdict::AsMany);
    let analyzed = "1\tSIMPLE\tNULL\tNULL\tNULL\tNULL\tNULL\tno matching row in const table\n";
    let explained = "1\tSIMPLE\tNULL\tNULL\tNULL\tNULL\tNULL\tImpossible WHERE noticed after reading const tables\n";
    check_forms(&of(explained), &of(analyzed), Verdict::Same);
}

#[test]
fn an_index_merge_is_one_step_in_any_form() {
    let table = lines(
        "1\tSIMPLE\tloans\tNULL\tindex_merge\tby_member,by_book\tby_member,by_book\t4,4\tNULL\t9\t100.00\tUsing union(by_member,by_book); Using where\n",
    );
    let tree = |second: &str| {
        read(&format!(
            "-> Filter: ((loans.member = 12) or (loans.book = 3))  (cost=5 rows=9)\n    \
             -> Deduplicate rows sorted by row ID  (cost=5 rows=9)\n        \
             -> Index range scan on loans using by_member over (member = 12)  (cost=1 rows=7)\n        \
             -> Index range scan on loans using {second} over (book = 3)  (cost=1 rows=2)\n"
        ))
    };
    check_forms(&table, &tree("by_book"), Verdict::Same);
    let other = compare(&table, &tree("by_day"), Statements::Unknown);
    assert_eq!(told(&other), ["~loans key by_book,by_member>by_day,by_member"]);
}

#[test]
fn a_hash_join_has_its_first_table_last_in_tree() {
    let table = |buffer: &str| {
        lines(&format!(
            "1\tSIMPLE\tshelves\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t40\t100.00\tNULL\n\
             1\tSIMPLE\tbooks\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\t900\t100.00\tUsing where; Using join buffer ({buffer})\n"
        ))
    };
    let tree = read(
        "-> Inner hash join (books.shelf = shelves.id)  (cost=99 rows=900)\n    \
         -> Table scan on books  (cost=9 rows=900)\n    \
         -> Hash\n        \
         -> Table scan on shelves  (cost=4 rows=40)\n",
    );
    check_forms(&table("hash join"), &tree, Verdict::Same);
    let other = check_forms(&table("Block Nested Loop"), &tree, Verdict::AsMany);
    assert_eq!(told(&other), ["=shelves", "~books join block nested loop>hash join"]);
}

#[test]
fn rows_are_fewer_or_more_from_a_tenth_on() {
    let line = |access: &str, rows: u64| {
        format!("1\tSIMPLE\to\t{access}\tNULL\tNULL\tNULL\t{rows}\tUsing where\n")
    };
    let verdict = |before, after| {
        let (a, b) = (of(&line("ALL", before)), of(&line("index", after)));
        compare(&a, &b, Statements::Unknown).verdict
    };
    assert_eq!(verdict(1000, 1000), Verdict::AsMany);
    assert_eq!(verdict(1000, 1099), Verdict::AsMany);
    assert_eq!(verdict(1000, 1100), Verdict::More);
    assert_eq!(verdict(1000, 901), Verdict::AsMany);
    assert_eq!(verdict(1000, 900), Verdict::Fewer);
    assert_eq!(verdict(0, 1), Verdict::More);
}

#[test]
fn a_plan_that_tells_no_step_is_not_compared() {
    let silent = read("-> <not executable by iterator executor>\n");
    check_forms(
        &lines(
            "1\tUPDATE\tloans\tNULL\trange\tby_day\tby_day\t3\tconst\t80\t100.00\tUsing where\n",
        ),
        &silent,
        Verdict::NotTold,
    );
}

#[test]
fn words_that_one_server_has_alone_are_no_change() {
    // MariaDB has no column for partitions, and names neither the temporary table of a UNION nor
    // that its clustering index holds all columns.
    let mysql = lines(
        "1\tPRIMARY\tloans\tNULL\trange\tPRIMARY\tPRIMARY\t4\tNULL\t8\t100.00\tUsing where; Using index\n\
         2\tUNION\tbooks\tNULL\tref\tby_day\tby_day\t4\tlib.loans.day\t8\t100.00\tUsing index\n\
         3\tUNION RESULT\t<union1,2>\tNULL\tALL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tUsing temporary\n",
    );
    let maria = |extra: &str| {
        of(&format!(
            "1\tPRIMARY\tloans\trange\tPRIMARY\t4\tNULL\t8\tUsing where\n\
             2\tUNION\tbooks\tref\tby_day\t4\tloans.day\t8\t{extra}\n\
             NULL\tUNION RESULT\t<union1,2>\tALL\tNULL\tNULL\tNULL\tNULL\t\n"
        ))
    };
    check_forms(&mysql, &maria("Using index"), Verdict::Same);
    let other = check_forms(&mysql, &maria("Using index; Using filesort"), Verdict::AsMany);
    assert_eq!(told(&other), ["=loans", "~books extra none>Using filesort", "=<union1,2>"]);
}

#[test]
fn the_first_table_is_joined_to_nothing() {
    let line = |table: &str, extra: &str| {
        format!("1\tSIMPLE\t{table}\tALL\tNULL\tNULL\tNULL\t5\t{extra}\n")
    };
    let buffer = "Using join buffer (hash join)";
    let (ab, ba) = (line("a", "") + &line("b", buffer), line("b", "") + &line("a", buffer));
    check(
        &ab,
        &ba,
        Verdict::AsMany,
        &["~a join first table>hash join", "~b join hash join>first table"],
    );
}
