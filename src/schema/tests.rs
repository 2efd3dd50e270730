//! Look-ups, and what follows from definitions.

use super::*;

fn read(text: &str) -> Schema {
    let (schema, problems) = Schema::read(text.as_bytes(), "t.sql");
    assert_eq!(problems, [], "{text}");
    schema
}

fn names(indexes: &[Index]) -> Vec<&str> {
    indexes.iter().map(|index| index.name.as_str()).collect()
}

const THREE: &str = "USE a; CREATE TABLE Orders (x int); CREATE TABLE one (x int); \
                     USE b; CREATE TABLE orders (x int, y int);";

#[test]
fn tables_are_found_by_database_and_by_bare_name() {
    #[track_caller]
    fn check(schema: &Schema, db: Option<&str>, name: &str, want: Option<&str>) {
        let got = schema.table(db, name).map(Table::full_name);
        assert_eq!(got.as_deref(), want, "{db:?} {name}");
    }
    let schema = read(THREE);
    check(&schema, Some("a"), "Orders", Some("a.Orders"));
    check(&schema, Some("a"), "ORDERS", Some("a.Orders"));
    check(&schema, Some("A"), "orders", Some("a.Orders"));
    check(&schema, Some("b"), "Orders", Some("b.orders"));
    check(&schema, Some("c"), "orders", None);
    check(&schema, None, "one", Some("a.one"));
    // In this letter case there is but one; in another there are two.
    check(&schema, None, "orders", Some("b.orders"));
    check(&schema, None, "ORDERS", None);
    let bare = read("CREATE TABLE t (x int);");
    check(&bare, Some("any"), "T", Some("t"));
}

#[test]
fn columns_and_indexes_are_found_in_any_letter_case() {
    let schema = read("CREATE TABLE t (`Größe` int, KEY `Über` (`größe`));");
    let table = schema.table(None, "t").unwrap();
    assert!(table.column("GRÖSSE").is_none());
    assert_eq!(table.column("GRÖßE").unwrap().name, "Größe");
    assert_eq!(table.index("über").unwrap().name, "Über");
}

#[test]
fn indexes_stand_in_the_order_of_the_server() {
    let schema = read(
        "CREATE TABLE t (a int, b int NOT NULL, c varchar(9), d text, \
         FULLTEXT f (d), KEY k1 (a), UNIQUE u1 (a), UNIQUE u2 (c(3)), UNIQUE u3 (b), \
         KEY k2 (b), PRIMARY KEY (a, b), UNIQUE u4 (c));",
    );
    // `a` is part of the primary key, so u1 cannot be NULL.
    let want = ["PRIMARY", "u1", "u3", "u4", "u2", "k1", "k2", "f"];
    assert_eq!(names(&schema.table(None, "t").unwrap().indexes), want);
}

#[test]
fn an_index_map_names_indexes_by_bits() {
    let schema = read(
        "CREATE TABLE t (id int PRIMARY KEY, p int, v int, KEY p (p), KEY v (v), KEY k3 (p, v));",
    );
    let table = schema.table(None, "t").unwrap();
    let of = |bits| {
        let indexes = table.indexes_of_map(bits);
        indexes.iter().map(|index| index.name.as_str()).collect::<Vec<_>>().join(",")
    };
    assert_eq!(of(0xC), "v,k3");
    assert_eq!(of(0x1), "PRIMARY");
    assert_eq!((of(0), of(0x10)), (String::new(), String::new()));
}

#[test]
fn indexes_without_a_name_get_that_of_their_first_column() {
    let schema = read(
        "CREATE TABLE t (a int UNIQUE, b int, `primary` int, KEY (a), KEY (a, b), KEY a_3 (b), \
         KEY ((a + b)), KEY ((a * b)), KEY (`primary`));",
    );
    let table = schema.table(None, "t").unwrap();
    let want = ["a", "a_2", "a_4", "a_3", "functional_index", "functional_index_2", "primary_2"];
    assert_eq!(names(&table.indexes), want);
}

/// Parts of an index: `+` before those that InnoDB appends, prefixes and NULL behind.
#[track_caller]
fn check_parts(elements: &str, index: &str, want: &str) {
    let schema = read(&format!("CREATE TABLE t ({elements});"));
    let table = schema.table(None, "t").unwrap();
    let part = |part: &KeyPart<'_>| {
        let hidden = if part.is_hidden { "+" } else { "" };
        let name = part.column.or(part.expression).unwrap();
        let prefix = part.prefix.map_or(String::new(), |length| format!("({length})"));
        let null = if part.is_nullable { "?" } else { "" };
        format!("{hidden}{name}{prefix}{null}")
    };
    let parts = table.key_parts(table.index(index).unwrap());
    assert_eq!(parts.iter().map(part).collect::<Vec<_>>().join(" "), want, "{elements}");
}

#[test]
fn innodb_appends_the_clustering_key() {
    let columns = "id int, a int, b int NOT NULL, c varchar(20)";
    check_parts(&format!("{columns}, PRIMARY KEY (id, b), KEY k (a)"), "k", "a? +id +b");
    check_parts(&format!("{columns}, PRIMARY KEY (id, b), KEY k (b, a)"), "k", "b a? +id");
    check_parts(&format!("{columns}, PRIMARY KEY (id), UNIQUE k (a)"), "k", "a?");
    check_parts(&format!("{columns}, PRIMARY KEY (id), KEY k ((a + 1))"), "k", "a + 1? +id");
    // Without a primary key the first UNIQUE one of whole columns that cannot be NULL.
    check_parts(&format!("{columns}, UNIQUE u (a), UNIQUE v (b), KEY k (c)"), "k", "c? +b");
    check_parts(&format!("{columns}, UNIQUE u (a), KEY k (c)"), "k", "c?");
    // A prefix of a column is not the column; one of the whole length is.
    check_parts("c varchar(20), PRIMARY KEY (c), KEY k (c(5))", "k", "c(5) +c");
    check_parts("c varchar(20), a int, PRIMARY KEY (a), KEY k (c(20))", "k", "c? +a");
    let schema = read("CREATE TABLE t (a int PRIMARY KEY, b int, KEY k (b)) ENGINE=MyISAM;");
    let table = schema.table(None, "t").unwrap();
    assert_eq!(table.key_parts(table.index("k").unwrap()).len(), 1);
}

#[test]
fn a_foreign_key_has_an_index() {
    #[track_caller]
    fn check(rest: &str, want: &[&str]) {
        let text = format!("CREATE TABLE t (a int, b int, {rest};");
        assert_eq!(names(&read(&text).table(None, "t").unwrap().indexes), want, "{rest}");
    }
    check("CONSTRAINT f FOREIGN KEY (a) REFERENCES u (id), KEY k (b))", &["f", "k"]);
    check("FOREIGN KEY (a) REFERENCES u (id), KEY k (b, a))", &["a", "k"]);
    check("FOREIGN KEY (a) REFERENCES u (id), KEY k (a, b))", &["k"]);
    check("FOREIGN KEY (a) REFERENCES u (id), FOREIGN KEY (a, b) REFERENCES u (id, b))", &["a"]);
    check("FOREIGN KEY (a) REFERENCES u (id)) ENGINE=MyISAM", &[]);
    check("FOREIGN KEY (a) REFERENCES u (id)); CREATE INDEX i ON t (a)", &["i"]);
}

#[test]
fn character_sets_come_from_the_nearest() {
    #[track_caller]
    fn check(text: &str, want: (Option<&str>, Option<&str>)) {
        let schema = read(text);
        let table = schema.table(None, "t").unwrap();
        let column = table.column("a").unwrap();
        assert_eq!((table.charset_of(column), table.collation_of(column)), want, "{text}");
    }
    let latin1 = (Some("latin1"), Some("latin1_swedish_ci"));
    check("CREATE TABLE t (a varchar(9)) CHARSET=latin1;", latin1);
    check("CREATE TABLE t (a varchar(9) charset latin1) COLLATE=utf8mb4_bin;", latin1);
    check(
        "CREATE TABLE t (a text COLLATE latin1_bin) CHARSET=utf8mb4;",
        (Some("latin1"), Some("latin1_bin")),
    );
    check(
        "CREATE TABLE t (a varchar(9) BINARY) CHARSET=latin1;",
        (Some("latin1"), Some("latin1_bin")),
    );
    check("CREATE DATABASE d CHARACTER SET latin1; USE d; CREATE TABLE t (a text);", latin1);
    check("CREATE TABLE t (a int) CHARSET=latin1;", (None, None));
    check("CREATE TABLE t (a text);", (None, None));
    // The default of utf8mb4 depends on the server.
    check("CREATE TABLE t (a text) CHARSET=utf8mb4;", (Some("utf8mb4"), None));
    for (version, collation) in [
        ("5.7.44-log", "utf8mb4_general_ci"),
        ("8.0.40", "utf8mb4_0900_ai_ci"),
        ("5.5.5-10.4.32-MariaDB", "utf8mb4_general_ci"),
        ("11.8.3-MariaDB", "utf8mb4_uca1400_ai_ci"),
    ] {
        let text =
            format!("-- Server version\t{version}\nCREATE TABLE t (a text) CHARSET=utf8mb4;");
        check(&text, (Some("utf8mb4"), Some(collation)));
    }
    check(
        "CREATE TABLE t (a text charset latin1) ; ALTER TABLE t CONVERT TO CHARACTER SET ascii;",
        (Some("ascii"), Some("ascii_general_ci")),
    );
}

#[test]
fn statements_change_what_was_created() {
    #[track_caller]
    fn check(changes: &str, columns: &[&str], indexes: &[&str]) {
        let schema = read(&format!("CREATE TABLE t (a int, b int, KEY k (a, b)); {changes};"));
        let table = schema.tables().next().unwrap();
        let got: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(
            (got.as_slice(), names(&table.indexes).as_slice()),
            (columns, indexes),
            "{changes}"
        );
    }
    check("ALTER TABLE t ADD c int AFTER a, ADD COLUMN d int FIRST", &["d", "a", "c", "b"], &["k"]);
    check("ALTER TABLE t ADD (c int, d int UNIQUE)", &["a", "b", "c", "d"], &["d", "k"]);
    check("ALTER TABLE t DROP a, DROP COLUMN b", &[], &[]);
    check("ALTER TABLE t CHANGE a z bigint, MODIFY b int FIRST", &["b", "z"], &["k"]);
    check("ALTER TABLE t DROP KEY k, ADD INDEX (b)", &["a", "b"], &["b"]);
    check("ALTER TABLE t RENAME COLUMN a TO c, RENAME KEY k TO l", &["c", "b"], &["l"]);
    check("DROP INDEX k ON t", &["a", "b"], &[]);
    check("CREATE OR REPLACE TABLE t (z int)", &["z"], &[]);
    check("CREATE TABLE IF NOT EXISTS t (z int)", &["a", "b"], &["k"]);
    check("CREATE TABLE u LIKE t; DROP TABLE t", &["a", "b"], &["k"]);
}

#[test]
fn what_is_not_there_cannot_be_copied() {
    let (_, problems) = Schema::read(b"CREATE TABLE u LIKE v.t;", "x.sql");
    let got: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(got, ["x.sql, line 1, column 21: a table that was created above expected: v.t"]);
}

#[test]
fn a_part_renamed_or_dropped_is_so_in_the_index() {
    let schema = read(
        "CREATE TABLE t (a int, b int, KEY k (a, b)); \
         ALTER TABLE t CHANGE a z bigint, DROP b; RENAME TABLE t TO d.u;",
    );
    let table = schema.table(Some("d"), "u").unwrap();
    let parts: Vec<_> = table.indexes[0].parts.iter().map(|part| part.column_name()).collect();
    assert_eq!(parts, [Some("z")]);
}

#[test]
fn statements_end_where_they_should() {
    // Strings, names and comments hold semicolons and parentheses; routines hold definitions.
    let schema = read(
        "CREATE TABLE a (x int COMMENT ');', `;)` int /* ); */, # );\n y int -- );\n);\n\
         CREATE TABLE b (x int) ENGINE=InnoDB\n\nCREATE TABLE c (x int)\nDROP TABLE IF EXISTS d;\n\
         DELIMITER $$\nCREATE PROCEDURE p() BEGIN\nCREATE TABLE no (x int);\nEND$$\nDELIMITER ;\n\
         INSERT INTO a VALUES ('; CREATE TABLE no (x int);', \"\\\"; \", 'it''s');\n\
         /*M!999999\\- no; */ CREATE TABLE e (\"x\" int);",
    );
    let got: Vec<String> = schema.tables().map(Table::full_name).collect();
    assert_eq!(got, ["a", "b", "c", "e"]);
}

#[test]
fn prints_and_definitions_meet_in_any_order() {
    let definition = "CREATE TABLE t (a int, KEY k (a));\n";
    let print = "Table\tNon_unique\tKey_name\tSeq_in_index\tColumn_name\tCardinality\n\
                 t\t1\tk\t1\ta\t77\n\n";
    for text in [
        format!("{definition}{print}"),
        format!("{print}{definition}"),
        // The print does not name the database, the definition does.
        format!("{print}USE d;{definition}"),
    ] {
        let schema = read(&text);
        let table = schema.table(None, "t").unwrap();
        assert_eq!(table.indexes[0].parts[0].cardinality, Some(77), "{text}");
        assert_eq!(table.columns.len(), 1);
    }
    let mut schema = read(definition);
    assert_eq!(schema.add(print.as_bytes(), "second"), []);
    assert_eq!(schema.table(None, "t").unwrap().indexes[0].parts[0].cardinality, Some(77));
}

#[test]
fn rows_of_no_known_print_are_a_problem() {
    let columns = ["a".to_owned(), "b".to_owned()];
    let mut schema = Schema::default();
    let problems = schema.add_rows(None, &columns, &[vec![None, None]]);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].1.starts_with("a print of SHOW CREATE TABLE"), "{problems:?}");
}

#[test]
fn a_file_without_a_table_is_a_problem() {
    let (_, problems) = Schema::read(b"nothing here\n", "x.sql");
    assert_eq!(
        problems[0].to_string(),
        "x.sql, line 1, column 1: CREATE TABLE expected: nothing here"
    );
    assert_eq!(Schema::read(b" \n", "x.sql").1, []);
}

#[test]
fn problems_stand_at_their_line_and_character() {
    let text = "-- é\nCREATE TABLE t (\n  `ü` int SHINY,\n  b int\n);";
    let (_, problems) = Schema::read(text.as_bytes(), "x.sql");
    let got: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(got, ["x.sql, line 3, column 11: a column attribute expected: SHINY,"]);
}

#[test]
fn a_fact_needs_a_table_above_it() {
    let text = "-- rows: 5\nCREATE TABLE t (a int); -- rows: 7; distinct: a 3\n-- rows: u 9\n";
    let (schema, problems) = Schema::read(text.as_bytes(), "x.sql");
    let got: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let want = "a table that was created above expected";
    assert_eq!(
        got,
        [
            format!("x.sql, line 1, column 10: {want}: 5"),
            format!("x.sql, line 3, column 10: {want}: u 9"),
        ]
    );
    let facts = &schema.table(None, "t").unwrap().facts;
    assert_eq!((facts.rows, facts.columns[0].distinct), (Some(7), Some(3)));
}

#[test]
fn a_dump_of_a_windows_shell_is_utf_16() {
    let text = "CREATE TABLE t (`ü` int SHINY);\r\nCREATE TABLE u (a int);\r\n";
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = units.clone().flat_map(order).collect();
        let (schema, problems) = Schema::read(&bytes, "x.sql");
        assert_eq!(schema.table(None, "t").unwrap().columns[0].name, "ü");
        assert_eq!((schema.tables().len(), problems[0].column), (2, 25));
    }
}

#[test]
fn rows_of_a_select_are_no_definition() {
    let (schema, problems) = Schema::read(b"CREATE TABLE t (a int) AS SELECT 1 AS b;", "x.sql");
    assert_eq!(schema.table(None, "t").unwrap().columns.len(), 1);
    assert_eq!(problems[0].detail, "a list of columns instead of a SELECT expected");
}

#[test]
fn problems_have_a_bound() {
    let text = "ALTER TABLE gone ADD KEY (a);\n".repeat(3_000);
    let (_, problems) = Schema::read(text.as_bytes(), "x.sql");
    assert_eq!(problems.len(), 1_001);
    assert_eq!(problems[1_000].detail, "2000 more problems from here on");
}
