//! The schema samples, read whole, cut anywhere, and damaged at random.

use std::path::PathBuf;

use adagio::schema::prefix::redundant;
use adagio::schema::{
    Column, DefaultValue, Index, IndexKind, Method, Op, PartOf, Schema, Table, TableKind, Value,
};
use proptest::prelude::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/schema")
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

fn samples() -> Vec<(String, Vec<u8>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), sample(&name))).collect()
}

/// A schema as lines: a table, its columns, its indexes, the rest.
fn lines(schema: &Schema) -> Vec<String> {
    schema.tables().flat_map(table_lines).collect()
}

fn table_lines(table: &Table) -> Vec<String> {
    let mut words = vec![table.full_name()];
    match table.kind {
        TableKind::Base => {}
        kind => words.push(format!("{kind:?}")),
    }
    words.extend(table.engine.clone());
    words.extend(table.charset.clone());
    words.extend(table.collation.clone());
    words.extend(table.auto_increment.map(|next| format!("next={next}")));
    words.extend(table.comment.as_ref().map(|comment| format!("{comment:?}")));
    let mut lines = vec![words.join(" ")];
    let columns: Vec<String> =
        table.columns.iter().map(|column| self::column(table, column)).collect();
    lines.push(format!("  {}", columns.join(" | ")));
    lines.extend(table.indexes.iter().map(|it| format!("  {}", index(table, it))));
    for key in &table.foreign_keys {
        let name = key.name.as_deref().unwrap_or("-");
        let (columns, parents) = (key.columns.join(","), key.parent_columns.join(","));
        let actions: Vec<&str> =
            [&key.on_delete, &key.on_update].into_iter().filter_map(Option::as_deref).collect();
        let actions = actions.join("/");
        lines.push(format!("  {name}: {columns} -> {}({parents}) {actions}", key.parent));
    }
    for check in &table.checks {
        let name = check.name.as_deref().unwrap_or("-");
        let off = if check.is_enforced { "" } else { " off" };
        lines.push(format!("  {name}: check {}{off}", check.expression));
    }
    if let Some(partitions) = &table.partitions {
        let by = &partitions.by;
        let listed: Vec<String> = partitions
            .listed
            .iter()
            .map(|it| format!("{} {}", it.name, it.values.as_deref().unwrap_or("-")))
            .collect();
        let sub = partitions
            .sub
            .as_ref()
            .map_or(String::new(), |sub| format!(" then {}({})", sub.method, sub.expression));
        let count = partitions.count.map_or(String::new(), |count| format!(" {count} of them"));
        let columns = by.columns.join(",");
        let listed = listed.join("; ");
        lines.push(format!(
            "  by {}({}) on [{columns}]{sub}{count}: {listed}",
            by.method, by.expression
        ));
    }
    lines
}

fn column(table: &Table, column: &Column) -> String {
    let mut words = vec![column.name.clone()];
    if let Some(data_type) = &column.data_type {
        let sizes: Vec<String> = data_type
            .length
            .into_iter()
            .chain(data_type.decimals)
            .map(|it| it.to_string())
            .collect();
        words.push(format!("{:?}({})", data_type.name, sizes.join(",")));
        if !data_type.members.is_empty() {
            words.push(format!("{:?}", data_type.members));
        }
        if data_type.is_unsigned {
            words.push("unsigned".to_owned());
        }
        if !column.is_nullable {
            words.push("NOT NULL".to_owned());
        }
    }
    if table.charset_of(column) != table.charset.as_deref() {
        words.extend(table.charset_of(column).map(str::to_owned));
    }
    words.extend(column.collation.clone());
    words.extend(column.default.as_ref().filter(|it| **it != DefaultValue::Null).map(
        |it| match it {
            DefaultValue::Literal(text) => format!("={text}"),
            DefaultValue::Expression(text) => format!("=({text})"),
            DefaultValue::Null => String::new(),
        },
    ));
    words.extend(
        column.generated.as_ref().map(|it| {
            format!("as({}){}", it.expression, if it.is_stored { " stored" } else { "" })
        }),
    );
    words.extend(column.on_update.as_ref().map(|it| format!("update={it}")));
    if column.is_auto_increment {
        words.push("auto".to_owned());
    }
    if column.is_invisible {
        words.push("invisible".to_owned());
    }
    words.join(" ")
}

fn index(table: &Table, index: &Index) -> String {
    let parts: Vec<String> = index
        .parts
        .iter()
        .map(|part| {
            let name = match &part.on {
                PartOf::Column(name) => name.clone(),
                PartOf::Expression(text) => format!("<{text}>"),
            };
            let prefix = part.prefix.map_or(String::new(), |length| format!("({length})"));
            let desc = if part.is_descending { " desc" } else { "" };
            let rows = part.cardinality.map_or(String::new(), |rows| format!(" ~{rows}"));
            format!("{name}{prefix}{desc}{rows}")
        })
        .collect();
    let kind = match index.kind {
        IndexKind::Primary | IndexKind::Plain => String::new(),
        kind => format!("{kind:?} ").to_lowercase(),
    };
    let hidden = if index.is_visible { "" } else { " hidden" };
    let implied = if index.is_implied { " implied" } else { "" };
    let method = match table.method(index) {
        None | Some(Method::BTree) => String::new(),
        Some(method) => format!(" {method:?}"),
    };
    format!("{kind}{}[{}]{method}{hidden}{implied}", index.name, parts.join(", "))
}

/// A sample reads to these lines, and to these problems.
#[track_caller]
fn check(name: &str, want: &[&str], problems: &[&str]) {
    let (schema, found) = Schema::read(&sample(name), name);
    let got = lines(&schema);
    assert_eq!(got, want, "{name}:\n{}", got.join("\n"));
    let got: Vec<String> = found.iter().map(ToString::to_string).collect();
    let want: Vec<String> = problems.iter().map(|it| format!("{name}, {it}")).collect();
    assert_eq!(got, want, "{}", got.join("\n"));
}

#[test]
fn mysql_5_0_myisam() {
    check(
        "mysql-5.0-myisam.sql",
        &[
            "library.books MyISAM latin1 latin1_swedish_ci next=42 \"it's (old); really\"",
            "  id Int(11) NOT NULL auto | isbn Char(13) NOT NULL = \
             | title VarChar(200) NOT NULL utf8 utf8_bin = | shelf TinyInt(3) unsigned \
             | lent Timestamp(0) NOT NULL =(CURRENT_TIMESTAMP) update=CURRENT_TIMESTAMP | note Text()",
            "  PRIMARY[id]",
            "  unique isbn[isbn]",
            "  title[title(20), shelf]",
            "  lent[lent]",
            "  fulltext words[title, note]",
            // Its SELECT is `*`: the columns are those of what stood in for it.
            "library.lent_books View",
            "  id | who",
        ],
        &[],
    );
}

#[test]
fn mysql_5_7_partitions_and_views() {
    check(
        "mysql-5.7-partitions.sql",
        &[
            "shop.busy View",
            "  page | hits",
            "shop.hits InnoDB utf8mb4 utf8mb4_general_ci next=900",
            "  id BigInt(20) unsigned NOT NULL auto | at DateTime(3) NOT NULL \
             | page VarChar(255) NOT NULL utf8mb4_bin =/;) | day Int(11) as(to_days(`at`)) \
             | doc Json() | where Point() NOT NULL",
            "  PRIMARY[id, at]",
            "  page[page(50)]",
            "  day[day]",
            "  spatial where[where] RTree",
            "  by RANGE(to_days(`at`)) on [at] then HASH(`id`): p0 LESS THAN (738000); \
             p1 LESS THAN (738400); pmax LESS THAN MAXVALUE",
            "shop.shards InnoDB utf8 utf8_general_ci",
            "  k VarChar(20) NOT NULL",
            "  PRIMARY[k]",
            "  by LIST COLUMNS(k) on [k]: pa IN ('a','b'); pc IN ('c')",
            "shop.spread InnoDB latin1 latin1_swedish_ci",
            "  k Int(11) NOT NULL",
            "  PRIMARY[k]",
            "  by KEY() on [] 8 of them: ",
        ],
        &[],
    );
}

#[test]
fn mysql_8_0_versioned_comments() {
    check(
        "mysql-8.0-versioned-comments.sql",
        &[
            "shop.customers InnoDB utf8mb4 utf8mb4_0900_ai_ci next=1000",
            "  id Int() unsigned NOT NULL auto | email VarChar(120) NOT NULL utf8mb4_bin \
             | name VarChar(80) NOT NULL utf8mb4_0900_ai_ci \
             | secret VarBinary(16) NOT NULL =(uuid_to_bin(uuid())) invisible \
             | tier Enum() [\"basic\", \"it's gold\", \"a,b)\"] NOT NULL utf8mb4_0900_ai_ci =basic \
             | doc Json() | place Point() NOT NULL",
            "  PRIMARY[id]",
            "  unique ux_email[email]",
            "  ix_name[name(10) desc, tier]",
            "  ix_lower[<lower(`name`)>]",
            "  ix_zip[<cast(json_extract(`doc`,_utf8mb4'$.zip') as unsigned array)>]",
            "  ix_tier[tier] hidden",
            "  spatial sx_place[place] RTree",
            "  fulltext fx_name[name]",
            "  customers_chk_1: check (`name` <> _utf8mb4')')",
            "  customers_chk_2: check (`id` > 0) off",
            // The database gives its character set; two tables have one name.
            "archive.orders InnoDB latin1 latin1_swedish_ci",
            "  id BigInt() NOT NULL | state VarChar(10)",
            "  PRIMARY[id]",
            "shop.orders InnoDB latin1 latin1_swedish_ci",
            "  id BigInt() NOT NULL | customer_id Int() unsigned NOT NULL \
             | total Decimal(12,2) NOT NULL =0.00 \
             | placed Timestamp(3) =(CURRENT_TIMESTAMP(3)) update=CURRENT_TIMESTAMP(3)",
            "  PRIMARY[id]",
            "  fk_customer[customer_id]",
            "  fk_customer: customer_id -> customers(id) CASCADE/RESTRICT",
        ],
        &[],
    );
}

#[test]
fn mysql_9_vector() {
    check(
        "mysql-9-vector.sql",
        &[
            "search.items InnoDB utf8mb4 utf8mb4_0900_ai_ci",
            "  id Int() NOT NULL auto | parent Int() | embedding Vector(768) | größe Int() \
             | my_row_id BigInt() unsigned NOT NULL invisible",
            "  PRIMARY[id]",
            // MySQL 9 heeds REFERENCES in a column, and makes an index for it.
            "  parent[parent] implied",
            "  nach größe[größe desc]",
            "  -: parent -> items(id) ",
        ],
        &[],
    );
}

#[test]
fn mariadb_10_11_versioned() {
    check(
        "mariadb-10.11-versioned.sql",
        &[
            "hr.staff InnoDB utf8mb4 utf8mb4_general_ci",
            "  id Uuid() NOT NULL =(uuid()) | no Int(11) NOT NULL =(nextval(`hr`.`s`)) | ip Inet6() \
             | name VarChar(50) NOT NULL | upper VarChar(50) as(ucase(`name`)) stored \
             | doc LongText() utf8mb4_bin | from Timestamp(6) as(ROW START) invisible \
             | to Timestamp(6) NOT NULL as(ROW END) invisible | big Text()",
            "  PRIMARY[id, to]",
            "  no[no] hidden",
            "  name[name, no desc]",
            "  -: check json_valid(`doc`)",
            "  no_is_small: check `no` < 1000",
            "  by SYSTEM_TIME(INTERVAL 1 MONTH) on []: p0 HISTORY; pn CURRENT",
            "hr.visits Aria latin1 latin1_swedish_ci",
            "  staff Uuid() NOT NULL | room Int(11) NOT NULL | since Date() NOT NULL \
             | until Date() NOT NULL",
            "  unique u[room, stay]",
            "  -: room -> rooms(id) ",
        ],
        &[],
    );
}

#[test]
fn mariadb_11_8_compact() {
    check(
        "mariadb-11.8-compact.sql",
        &[
            "pages InnoDB utf8mb4 utf8mb4_uca1400_ai_ci",
            "  id Int(10) unsigned NOT NULL auto | url Text() NOT NULL | e Vector(4) NOT NULL",
            "  PRIMARY[id]",
            "  unique url[url] Hash",
            "  vector e[e]",
            "v_urls View",
            "  url",
        ],
        &[],
    );
}

#[test]
fn phpmyadmin_adds_indexes_behind_the_rows() {
    check(
        "phpmyadmin.sql",
        &[
            "club.members InnoDB utf8mb4 utf8mb4_general_ci next=3",
            "  id Int(11) NOT NULL auto | mail VarChar(190) NOT NULL | team Int(11)",
            "  PRIMARY[id]",
            // Written behind `team`, but the server puts UNIQUE ones first.
            "  unique mail[mail]",
            "  team[team]",
            "  members_ibfk_1: team -> teams(id) SET NULL",
            "club.teams InnoDB utf8mb4 utf8mb4_general_ci",
            "  id Int(11) NOT NULL | name VarChar(40) NOT NULL",
            "  PRIMARY[id]",
            "  fulltext name[name]",
        ],
        &[],
    );
}

#[test]
fn prints_of_the_client() {
    check(
        "show-create-vertical.txt",
        &[
            "orders InnoDB utf8mb4 utf8mb4_0900_ai_ci",
            "  id Int() unsigned NOT NULL | note VarChar(200)",
            "  PRIMARY[id ~39312]",
            "  ix_note[note(20) ~1200]",
            "v View",
            "  id | note",
        ],
        &["line 8, column 30: an option of the index expected: GLITTERING"],
    );
    check(
        "show-create-boxed.txt",
        &[
            "places InnoDB latin1 latin1_swedish_ci",
            "  id Int(11) NOT NULL | kind Enum() [\"a\", \"b | c\"] NOT NULL",
            "  PRIMARY[id ~5000]",
            "  ix_kind[kind ~2]",
        ],
        &[],
    );
    check(
        "show-create-tabs.tsv",
        &[
            "logs InnoDB latin1 latin1_swedish_ci",
            "  id Int() NOT NULL | line VarChar(50) =a\tb",
            "  PRIMARY[id]",
        ],
        &[],
    );
    check(
        "information-schema.tsv",
        &[
            "shop.carts InnoDB utf8mb4 utf8mb4_0900_ai_ci next=901",
            "  id Int() unsigned NOT NULL auto | mail VarChar(80) utf8mb4_bin =nobody \
             | day Date() as(cast(`at` as date)) stored",
            "  PRIMARY[id ~800]",
            "  ix_lower[<lower(`mail`)> ~90] hidden",
            "  ix_mail[mail(10) ~95, id desc ~800]",
            "shop.v View",
            "  ",
        ],
        &[],
    );
}

#[test]
fn definitions_by_hand() {
    check(
        "facts.sql",
        &[
            "crm-eu.sales",
            "  id Int() NOT NULL auto | shop_id Int() unsigned | sold_on Date() | state VarChar(9)",
            "  PRIMARY[id]",
            "  unique state[state, sold_on]",
            "  unique id[id, shop_id]",
            // No written index begins with shop_id.
            "  fk[shop_id] implied",
            "  fk: shop_id -> shops(id) ",
            "crm-eu.sales_2025",
            "  kind Set() [\"a\", \"b\"] | id Int() NOT NULL auto | shop_id Int() unsigned \
             | sold_on Date()",
            "  PRIMARY[id]",
            "  unique state[sold_on]",
            "  unique id[id, shop_id]",
            "  unique uy[sold_on desc, shop_id] hidden",
            "crm-eu.shops",
            "  id Int() unsigned NOT NULL | region_id SmallInt() NOT NULL | url VarChar(200)",
            "  PRIMARY[id]",
            "  region_id[region_id]",
        ],
        &["line 10, column 14: a column of sales expected: nowhere 5"],
    );
}

#[test]
fn facts_belong_to_the_tables_above_them() {
    let (schema, _) = Schema::read(&sample("facts.sql"), "facts.sql");
    let facts = |name| &schema.table(Some("crm-eu"), name).unwrap().facts;
    let shops = facts("shops");
    assert_eq!(shops.rows, Some(2000));
    assert!(!shops.is_estimate);
    let region = shops.column("REGION_ID").unwrap();
    assert_eq!(region.distinct, Some(400));
    assert_eq!(region.values, [(Value::Number("17".to_owned()), 5), (Value::Null, 3)]);
    assert_eq!((shops.prefixes[0].length, shops.prefixes[0].distinct), (20, 1500));
    let sales = facts("sales");
    assert_eq!(sales.rows, Some(100_000));
    assert_eq!(sales.column("shop_id").unwrap().distinct, Some(2000));
    let state = sales.column("state").unwrap();
    assert_eq!(state.values, [(Value::Text("it's; new".to_owned()), 120)]);
    let range = &sales.ranges[0];
    assert_eq!(range.text, "sold_on >= '2024-12-01' AND sold_on < '2025-01-01'");
    assert_eq!((range.tests.len(), range.tests[1].op, range.rows), (2, Op::Less, 8551));
    assert_eq!(facts("sales_2025").rows, None);
}

#[test]
fn counts_come_from_prints() {
    let (schema, _) = Schema::read(&sample("information-schema.tsv"), "x");
    let carts = schema.table(None, "carts").unwrap();
    assert_eq!((carts.facts.rows, carts.facts.is_estimate), (Some(804), true));
    assert_eq!((carts.data_bytes, carts.index_bytes), (Some(16_384), Some(32_768)));
    // STATISTICS may be sorted by name: bits of an index map say nothing then.
    assert!(!carts.is_index_order_known && carts.indexes_of_map(1).is_empty());
}

#[test]
fn what_is_damaged_costs_itself() {
    check(
        "damaged.sql",
        &[
            "five",
            "  d Int()",
            "  d[d]",
            "four",
            "  c VarChar(3)",
            "one",
            "  id Int() NOT NULL | x Int() NOT NULL | y Other() =4",
            "  PRIMARY[id]",
            "  k[x]",
            "three",
            "  b Int()",
            "two",
            "  a Int()",
            "  a[a]",
        ],
        &[
            "line 3, column 9: a column attribute expected: SPARKLING (3) NOT NULL,",
            "line 4, column 5: a data type expected: hyperint DEFAULT 4,",
            "line 5, column 13: an option of the index expected: SHINING COMMENT 'c',",
            "line 6, column 3: a column or key expected: , PRIMARY KEY (id,),",
            "line 6, column 21: a column name expected: ),",
            "line 8, column 1: a column of the index expected: \
             ) ENGINE=InnoDB FANCY_OPTION DEFAULT CHARSET=latin1",
            "line 8, column 52: `)` expected",
            "line 9, column 33: `)` expected",
            "line 11, column 41: a closing quote expected: 'oops);",
            "line 13, column 13: a table that was created above expected: nowhere ADD KEY (x)",
            "line 14, column 31: a change that we follow expected: COALESCE PARTITION 3",
        ],
    );
}

/// A file that ends too early tells of what was there; nothing panics, and lines are in the file.
#[test]
fn samples_may_end_anywhere() {
    for (name, text) in samples() {
        let most = text.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        for cut in 0..text.len() {
            let (_, problems) = Schema::read(&text[..cut], &name);
            assert!(problems.iter().all(|it| (1..=most).contains(&it.line)), "{name} at {cut}");
        }
    }
}

/// Line ends of Windows change nothing.
#[test]
fn lines_may_end_in_cr_lf() {
    for (name, text) in samples() {
        let text = String::from_utf8(text).unwrap();
        let want = Schema::read(text.as_bytes(), &name);
        let got = Schema::read(text.replace('\n', "\r\n").as_bytes(), &name);
        assert_eq!(lines(&got.0), lines(&want.0), "{name}");
        assert_eq!(got.1, want.1, "{name}");
    }
}

/// A statement that is whole before the cut is read as in the whole file.
#[test]
fn what_is_whole_before_the_cut_is_read() {
    let text = sample("mysql-8.0-versioned-comments.sql");
    let whole = Schema::read(&text, "x").0;
    let behind = text.windows(3).position(|it| it == b"ci;").unwrap() + 3;
    for cut in (behind..text.len()).step_by(7) {
        let (schema, _) = Schema::read(&text[..cut], "x");
        let table = |schema: &Schema| table_lines(schema.table(Some("shop"), "customers").unwrap());
        assert_eq!(table(&schema), table(&whole), "at {cut}");
    }
}

/// Pieces that definitions and prints are made of, good and bad.
const PIECES: &[&str] = &[
    "CREATE TABLE ",
    "`t` ",
    "(",
    ")",
    ",",
    ";",
    "\n",
    "a int",
    " NOT NULL",
    " DEFAULT ",
    "'x",
    "'",
    "\"",
    "`",
    "\\",
    "/*!50001 ",
    "*/",
    "/*",
    "-- rows: ",
    "5",
    "distinct: ",
    " (value 'x': 5 rows)",
    "PRIMARY KEY ",
    "KEY k ",
    "UNIQUE ",
    "CONSTRAINT c ",
    "FOREIGN KEY ",
    "REFERENCES t ",
    "ALTER TABLE t ",
    "ADD ",
    "DROP ",
    "RENAME ",
    "MODIFY ",
    "CHANGE ",
    " AS ",
    "SELECT ",
    "VIEW v ",
    "CREATE ",
    "PARTITION BY RANGE ",
    "VALUES LESS THAN ",
    "DELIMITER //\n",
    "//",
    "\\G",
    "*************************** 1. row ***************************\n",
    "Create Table: ",
    "\t",
    "+---+\n",
    "| a |\n",
    "Table\tCreate Table\n",
    "TABLE_NAME\tTABLE_ROWS\n",
    "ü",
    "\u{0}",
    "enum('a',",
    "COMMENT ",
    " = ",
    ".",
    "USE d;",
    "LIKE t",
    "DROP TABLE t;",
    "INDEX i ON t ",
    "FIRST",
    "AFTER a",
];

proptest! {
    /// Whatever the file holds, it is read to its end, and questions about it have an answer.
    #[test]
    fn no_text_stops_the_reader(pieces in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        let (schema, _) = Schema::read(text.as_bytes(), "x");
        for table in schema.tables() {
            table_lines(table);
            prop_assert!(redundant(table).len() <= table.indexes.len());
            prop_assert!(table.indexes_of_map(u64::MAX).len() <= table.indexes.len());
            for index in &table.indexes {
                prop_assert!(table.key_parts(index).len() >= index.parts.len());
            }
        }
    }

    /// A byte changed in a sample changes what is read, not that it is read.
    #[test]
    fn no_byte_stops_the_reader(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte: u8) {
        let samples = samples();
        let (name, mut text) = samples[which.index(samples.len())].clone();
        let at = at.index(text.len());
        text[at] = byte;
        let (_, problems) = Schema::read(&text, &name);
        prop_assert!(problems.is_sorted_by_key(|it| (it.line, it.column)));
    }
}
