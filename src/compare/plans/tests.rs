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
