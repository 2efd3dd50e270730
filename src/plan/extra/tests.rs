use proptest::prelude::*;

use super::*;
use crate::plan::weight::{MANY_ROWS, NOTABLE_ROWS};

#[track_caller]
fn check_split(cell: &str, want: &[&str]) {
    assert_eq!(split(cell), want, "{cell:?}");
}

#[test]
fn a_cell_is_cut_at_its_semicolons() {
    check_split("", &[]);
    check_split(" ; ;", &[]);
    check_split("Using where", &["Using where"]);
    check_split("Using where; Using index", &["Using where", "Using index"]);
    check_split("Using where;Using index;", &["Using where", "Using index"]);
    check_split(
        "Using where; Using join buffer (flat, BKA join); Rowid-ordered scan",
        &["Using where", "Using join buffer (flat, BKA join)", "Rowid-ordered scan"],
    );
}

#[test]
fn semicolons_within_a_value_do_not_cut() {
    check_split(
        "Using where; Using parallel query (4 columns, 1 filters, 1 exprs; 0 extra)",
        &["Using where", "Using parallel query (4 columns, 1 filters, 1 exprs; 0 extra)"],
    );
    check_split(
        "Using pushed condition ((`d`.`t`.`a;)` = 'x);''(') or (`b` = \";\\\"(\")); Using where",
        &[
            "Using pushed condition ((`d`.`t`.`a;)` = 'x);''(') or (`b` = \";\\\"(\"))",
            "Using where",
        ],
    );
    check_split(
        "Using pushed condition (`c` = _binary'a);(b'); Using MRR",
        &["Using pushed condition (`c` = _binary'a);(b')", "Using MRR"],
    );
    check_split(
        "Child of 'a; b' in pushed join@1; Using where",
        &["Child of 'a; b' in pushed join@1", "Using where"],
    );
    check_split(
        "Using sort_union(intersect(a,b),c); Using where",
        &["Using sort_union(intersect(a,b),c)", "Using where"],
    );
}

#[test]
fn a_quote_or_parenthesis_without_an_end_hides_nothing() {
    check_split("Plan isn't ready yet; Using where", &["Plan isn't ready yet", "Using where"]);
    check_split("FirstMatch(o'brien); Using where", &["FirstMatch(o'brien)", "Using where"]);
    check_split("FirstMatch('x); Using where", &["FirstMatch('x)", "Using where"]);
    check_split("FirstMatch(a(b); Using where", &["FirstMatch(a(b)", "Using where"]);
    check_split("FirstMatch(a)b); Using where", &["FirstMatch(a)b)", "Using where"]);
    check_split("a ' b; c \" d; e ` f", &["a ' b", "c \" d", "e ` f"]);
    check_split("a '", &["a '"]);
    check_split("a 'b\\", &["a 'b\\"]);
}

#[test]
fn a_long_cell_takes_no_long_time() {
    let quotes = "x 'y; ' \" (".repeat(200_000);
    let mut odd = quotes.clone();
    odd.push('\'');
    for cell in [quotes, odd, "('".repeat(500_000), "'a".repeat(500_000), ";".repeat(1_000_000)] {
        assert!(values(&cell).len() <= cell.len());
    }
}

proptest! {
    /// Nothing of a cell is lost but what parts its values.
    #[test]
    fn values_hold_all_of_their_cell(cell in "[a-z ;()'\"`\\\\é\n]{0,60}") {
        let bare = |text: &str| -> String {
            text.chars().filter(|c| !c.is_whitespace() && *c != ';').collect()
        };
        let joined: String = values(&cell).iter().map(|value| bare(value.text)).collect();
        prop_assert_eq!(joined, bare(&cell));
    }
}

#[track_caller]
fn check(text: &str, want: &str, parameter: Parameter<'_>) {
    let got = read(text);
    assert_eq!(got.entry.map(|entry| entry.name), Some(want), "{text:?}");
    assert_eq!(got.parameter, parameter, "{text:?}");
    assert_eq!(got.text, text.trim());
}

#[test]
fn values_with_a_parameter_are_read() {
    use Parameter::{Indexes, KeyParts, Merge, Name, None, Text};
    let map = "Range checked for each record (index map: …)";
    check("Range checked for each record (index map: 0x1)", map, Indexes(vec![0]));
    // PRIMARY, p, v, k3: the bits of 0xC are v and k3.
    check("Range checked for each record (index map: 0xC)", map, Indexes(vec![2, 3]));
    check("Range checked for each record (index map: 0x11)", map, Indexes(vec![0, 4]));
    check("Range checked for each record (index map: 0x8000000000000000)", map, Indexes(vec![63]));
    check("Range checked for each record (index map: 0x0)", map, Indexes(vec![]));
    check("Range checked for each record (index map: N)", map, Text("N"));
    check("Range checked for each record (index map: 0xZ)", map, Text("0xZ"));
    let long = "0x".to_owned() + &"1".repeat(65);
    let value = format!("Range checked for each record (index map: {long})");
    check(&value, map, Text(&long));

    check("Using union(a,b)", "Using union(…)", Merge(vec!["a", "b"]));
    check(
        "Using sort_union(a,intersect(b,PRIMARY))",
        "Using sort_union(…)",
        Merge(vec!["a", "b", "PRIMARY"]),
    );
    check("Using intersect(a,b)", "Using intersect(…)", Merge(vec!["a", "b"]));
    check("Using sort_intersect(a,b)", "Using sort_intersect(…)", Merge(vec!["a", "b"]));

    check("FirstMatch(<derived2>)", "FirstMatch(…)", Name("<derived2>"));
    check("LooseScan(0..1)", "LooseScan(…)", KeyParts(0, 1));
    check("LooseScan(a)", "LooseScan(…)", Text("a"));
    check("Rematerialize (<derived2>)", "Rematerialize (…)", Name("<derived2>"));
    check("Table function: json_table", "Table function: …", Name("json_table"));
    check("Ft_hints: no_ranking, limit = 3", "Ft_hints: …", Text("no_ranking, limit = 3"));
    check("Child of 'o' in pushed join@1", "Child of '…' in pushed join@…", Name("o"));
    check("Parent of 2 pushed join@1", "Parent of … pushed join@…", Text("2"));
    check(
        "Using secondary engine RAPID. Use EXPLAIN FORMAT=TREE to show the plan.",
        "Using secondary engine …. Use EXPLAIN FORMAT=TREE to show the plan.",
        Name("RAPID"),
    );
    check("Using secondary engine RAPID", "Using secondary engine …", Name("RAPID"));
    check(
        "Using join buffer (Hash Join Outer table orders)",
        "Using join buffer (Hash Join Outer table …)",
        Name("orders"),
    );
    check("Using join buffer (new way)", "Using join buffer (…)", Text("new way"));
    check(
        "Using join buffer (incremental, BNLH join)",
        "Using join buffer (incremental, BNLH join)",
        None,
    );
    check(
        "Using pushed condition (`t`.`a` > 2)",
        "Using pushed condition …",
        Text("(`t`.`a` > 2)"),
    );
}

#[test]
fn letter_case_and_blanks_do_not_count() {
    check("Const row not found", "const row not found", Parameter::None);
    check(" Using where ", "Using where", Parameter::None);
}

#[test]
fn unknown_values_stay_as_they_stand() {
    for text in ["Using magic", "Using", "using wher", "FirstMatch()", "Übung", "Using where…", "…"]
    {
        let value = read(text);
        assert_eq!((value.text, value.entry), (text, None));
        assert_eq!(value.weigh(Size::default()), None);
    }
    let texts: Vec<&str> =
        values("Using where; Using magic (a; b); Using index").iter().map(|v| v.text).collect();
    assert_eq!(texts, ["Using where", "Using magic (a; b)", "Using index"]);
}

#[test]
fn each_value_has_a_meaning_says_when_it_matters_and_is_found() {
    for entry in ENTRIES {
        assert!(entry.meaning.ends_with('.'), "{}", entry.name);
        assert!(entry.matters.ends_with('.'), "{}", entry.name);
        assert!(!entry.printers.is_empty(), "{}", entry.name);
        let sample = entry.name.replace('…', "7");
        assert_eq!(read(&sample).entry.map(|found| found.name), Some(entry.name), "{sample}");
    }
}

/// The values in the words of the servers, each of which must be known.
#[test]
fn what_servers_print_is_known() {
    for cell in [
        "Using where; Using index; Using index condition; Using index condition(BKA)",
        "Using index for group-by; Using index for group-by (scanning)",
        "Using index for skip scan; Backward index scan; Using MRR; Rowid-ordered scan",
        "Key-ordered scan; Key-ordered Rowid-ordered scan; Using rowid filter",
        "Using temporary; Using filesort; Using buffer; Distinct; Not exists",
        "Using join buffer; Using join buffer (Block Nested Loop); Using join buffer (hash join)",
        "Using join buffer (Batched Key Access); Using join buffer (Batched Key Access (unique))",
        "Using join buffer (flat, BNL join); Using join buffer (incremental, BNL join)",
        "Using join buffer (flat, BNLH join); Using join buffer (flat, BKA join)",
        "Using join buffer (incremental, BKA join); Using join buffer (flat, BKAH join)",
        "Using join buffer (incremental, BKAH join)",
        "FirstMatch; FirstMatch(t); LooseScan; Start temporary; End temporary",
        "Start materialize; End materialize; Materialize; Scan; Full scan on NULL key",
        "Recursive; Rematerialize (<derived2>); Table function: json_table",
        "Impossible WHERE; Impossible WHERE noticed after reading const tables",
        "Impossible HAVING; Impossible HAVING noticed after reading const tables",
        "Impossible ON condition; No matching min/max row; no matching row in const table",
        "No matching rows after partition pruning; const row not found; unique row not found",
        "Zero limit; Select tables optimized away; No tables used; Deleting all rows",
        "Plan isn't ready yet; Not optimized, outer query is empty; Query plan already deleted",
        "Using where with pushed condition; Using where with pushed condition (`t`.`a` > 2)",
        "Using pushed condition (`t`.`a` > 2); Storage engine handles GROUP BY",
        "Skip_open_table; Open_frm_only; Open_full_table; Open_trigger_only",
        "Scanned 0 databases; Scanned 1 database; Scanned all databases; Scanned 3 databases",
    ] {
        for value in values(cell) {
            assert!(value.entry.is_some(), "{:?}", value.text);
        }
    }
}

#[test]
fn a_sort_is_weighed_by_its_rows() {
    let weigh =
        |text: &str, rows| read(text).weigh(Size { rows: Some(rows), outer: Some(1), kept: None });
    for word in ["Using filesort", "Using temporary"] {
        assert_eq!(weigh(word, 12), Some(Weight::Neutral));
        assert_eq!(weigh(word, NOTABLE_ROWS), Some(Weight::Minor));
        assert_eq!(weigh(word, MANY_ROWS), Some(Weight::Finding));
        assert_eq!(weigh(word, 2_000_000), Some(Weight::Finding));
    }
    assert_eq!(weigh("Using where", 2_000_000), Some(Weight::Neutral));
    assert_eq!(weigh("Using index", 2_000_000), Some(Weight::Good));
}

#[test]
fn a_join_without_an_index_is_weighed_by_both_sides() {
    let weigh = |text: &str, rows, outer| {
        read(text).weigh(Size { rows: Some(rows), outer: Some(outer), kept: None })
    };
    for word in [
        "Range checked for each record (index map: 0x3)",
        "Using join buffer (flat, BNL join)",
        "Using join buffer (hash join)",
    ] {
        assert_eq!(weigh(word, 1_000, 100), Some(Weight::Finding), "{word}");
        assert_eq!(weigh(word, 20, 20), Some(Weight::Neutral), "{word}");
    }
}
