//! `adagio rules` from the command line.

use std::process::Output;

use assert_cmd::Command;

fn run(arguments: &[&str]) -> Output {
    Command::cargo_bin("adagio").unwrap().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_catalogue_has_a_line_for_each_rule_in_order() {
    let output = run(&["rules"]);
    assert_eq!(output.status.code(), Some(0));
    let list = text(&output.stdout);
    let codes: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(codes.is_sorted(), "{list}");
    for code in ["PLAN001", "SQL001", "SQL026"] {
        assert_eq!(codes.iter().filter(|it| **it == code).count(), 1, "{code}: {list}");
    }
    let line = list.lines().find(|line| line.starts_with("SQL001 ")).unwrap();
    assert!(line.contains("function-on-column"), "{line}");
    assert!(
        line.ends_with("A function or arithmetic around a column keeps it from its index."),
        "{line}"
    );
}

#[test]
fn a_page_is_found_by_code_and_by_name_in_any_letter_case() {
    let page = text(&run(&["rules", "SQL001"]).stdout);
    assert!(page.starts_with("SQL001  function-on-column  (sql)\n"), "{page}");
    for part in ["\nCosts. ", "\nWrong when. ", "\nVerify. ", "\nIt speaks of:\n    SELECT "] {
        assert!(page.contains(part), "{part:?}: {page}");
    }
    for called in ["sql001", "function-on-column", "Function-On-Column"] {
        assert_eq!(text(&run(&["rules", called]).stdout), page, "{called}");
    }
}

#[test]
fn a_rule_that_is_not_known_is_refused_with_the_nearest() {
    let output = run(&["rules", "SQL0001"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(2), ""));
    let error = text(&output.stderr);
    assert!(error.contains("no rule is called \"SQL0001\"") && error.contains("SQL001"), "{error}");
}
