//! The rules about indexes, as people read them. They share one algorithm, so their texts stand
//! together: which code a finding bears says what its index is for.

use crate::advice::Rule;

/// All rules about indexes.
#[rustfmt::skip]
pub(in crate::advice) const RULES: &[&Rule] = &[
    &missing_index::RULE,
    &join_column_without_index::RULE,
    &indexes_merged::RULE,
    &sort_an_index_could_give::RULE,
    &groups_an_index_could_give::RULE,
    &rows_looked_up::RULE,
    &redundant_prefix::RULE,
    &duplicate_index::RULE,
    &primary_key_suffix::RULE,
    &no_primary_key::RULE,
    &wide_primary_key::RULE,
    &range_before_equality::RULE,
    &mixed_directions::RULE,
    &expression::RULE,
    &json_path::RULE,
    &index_refused::RULE,
];

macro_rules! rules {
    ($($module:ident: $(#[doc = $doc:literal])+ $category:ident $code:literal $name:literal;)+) => {
        $(
            pub(super) mod $module {
                crate::advice::rule::rule! { $(#[doc = $doc])+ $category $code $name }
            }
        )+
    };
}

rules! {
    missing_index:
    /// A condition without an index that it could be searched by.
    ///
    /// **Costs.** Every row of the table is read to find those that match. The index begins with
    /// the columns compared for equality, in the order that other statements share, and goes on
    /// with one range.
    /// **Wrong when.** The table is small, the condition keeps more than a fifth of the rows, or
    /// the values asked for are rare and the estimate does not know it: give counts with --schema.
    /// A finding without a statement to run says why no index helps.
    /// **Verify.** EXPLAIN before and after: access `ref` or `range`, fewer rows; FLUSH STATUS, the
    /// statement, SHOW STATUS LIKE 'Handler_read%'.
    /// **Source.** Candidates for each statement, merged and chosen as a set, after the AutoAdmin
    /// papers (VLDB 1997, ICDE 1999); costs measured on MySQL 9.7 and MariaDB 10.11.
    ///
    /// ```sql schema
    /// CREATE TABLE parcel (id INT PRIMARY KEY, sender INT NOT NULL, label VARCHAR(400) NOT NULL);
    /// -- rows: 90000; distinct: sender 4500
    /// ```
    /// ```sql finding
    /// SELECT label FROM parcel WHERE sender = 17;
    /// ```
    /// ```sql clean
    /// SELECT label FROM parcel WHERE id = 17;
    /// ```
    Index "IDX001" "missing-index";

    join_column_without_index:
    /// A join or a subquery finds the partners of each row by reading the whole table.
    ///
    /// **Costs.** The table is read once for every row before it, or once for every filling of the
    /// join buffer, or hashed whole.
    /// **Wrong when.** Both tables are wanted whole: then a hash join reads each once, and no index
    /// reads less.
    /// **Verify.** EXPLAIN: the inner table becomes `ref` or `eq_ref`, `Using join buffer` is gone.
    /// **Source.** MySQL manual, nested-loop join algorithms; MariaDB, block-based join algorithms.
    ///
    /// ```sql schema
    /// CREATE TABLE team (id INT PRIMARY KEY, code CHAR(6) NOT NULL, UNIQUE KEY ux (code));
    /// CREATE TABLE player (id INT PRIMARY KEY, team_id INT NOT NULL, nick VARCHAR(300) NOT NULL);
    /// -- rows: team 2000, player 60000; distinct: player.team_id 2000
    /// ```
    /// ```sql finding
    /// SELECT p.nick FROM team t JOIN player p ON p.team_id = t.id WHERE t.code = 'AB12CD';
    /// ```
    /// ```sql clean
    /// SELECT t.code FROM player p JOIN team t ON t.id = p.team_id WHERE p.id = 5;
    /// ```
    Index "IDX002" "join-column-without-index";

    indexes_merged:
    /// Several columns are compared for equality, and each has an index of its own.
    ///
    /// **Costs.** The server searches one of the indexes and tests the rest row by row, or reads
    /// several and intersects them. One index on all of the columns finds the rows at once.
    /// **Wrong when.** The columns stand in OR: there an index for each is right. Other statements
    /// need the columns alone: the index that leads with one of them serves only that one.
    /// **Verify.** EXPLAIN: `ref` on the new index instead of `index_merge`, fewer rows.
    /// **Source.** MySQL manual, index merge optimization.
    ///
    /// ```sql schema
    /// CREATE TABLE loan (id INT PRIMARY KEY, branch INT NOT NULL, state INT NOT NULL,
    ///   note VARCHAR(400) NOT NULL, KEY ix_branch (branch), KEY ix_state (state));
    /// -- rows: 100000; distinct: branch 50, state 40
    /// ```
    /// ```sql finding
    /// SELECT note FROM loan WHERE branch = 3 AND state = 4;
    /// ```
    /// ```sql clean
    /// SELECT note FROM loan WHERE id = 3;
    /// ```
    Index "IDX003" "indexes-merged";

    sort_an_index_could_give:
    /// Rows are sorted that an index could give in order.
    ///
    /// **Costs.** All rows that match are read and sorted, also where LIMIT wants ten of them. The
    /// index has the columns compared for equality first, then those of ORDER BY.
    /// **Wrong when.** A range or a list of several values stands before the order: then the order
    /// is lost. The whole table is wanted in order and the index does not cover: then reading and
    /// sorting is cheaper.
    /// **Verify.** EXPLAIN: no `Using filesort`; rows read are about those of LIMIT.
    /// **Source.** MySQL manual, ORDER BY optimization; measured on MySQL 9.7, MariaDB 10.11, 11.8.
    ///
    /// ```sql schema
    /// CREATE TABLE memo (id INT PRIMARY KEY, owner INT NOT NULL, made DATETIME NOT NULL,
    ///   body VARCHAR(900) NOT NULL);
    /// -- rows: 80000; distinct: owner 40, made 79000
    /// ```
    /// ```sql finding
    /// SELECT body FROM memo WHERE owner = 7 ORDER BY made DESC LIMIT 20;
    /// ```
    /// ```sql clean
    /// SELECT body FROM memo ORDER BY id DESC LIMIT 20;
    /// ```
    Index "IDX004" "sort-an-index-could-give";

    groups_an_index_could_give:
    /// Groups, or a least or greatest value, are counted out of all rows.
    ///
    /// **Costs.** Every row goes through a temporary table. An index on the group columns gives the
    /// groups in order; with MIN or MAX of the next column alone the server jumps from group to
    /// group.
    /// **Wrong when.** There is another aggregate, an expression among the groups, or a column that
    /// the index does not hold: then no jumping.
    /// **Verify.** EXPLAIN: no `Using temporary`, or `Using index for group-by`.
    /// **Source.** MySQL manual, GROUP BY optimization; measured on MySQL 9.7 and MariaDB.
    ///
    /// ```sql schema
    /// CREATE TABLE gauge (id INT PRIMARY KEY, place INT NOT NULL, at DATETIME NOT NULL,
    ///   v INT NOT NULL);
    /// -- rows: 70000; distinct: place 35
    /// ```
    /// ```sql finding
    /// SELECT place, MAX(at) FROM gauge GROUP BY place;
    /// ```
    /// ```sql clean
    /// SELECT MAX(id) FROM gauge;
    /// ```
    Index "IDX005" "groups-an-index-could-give";

    rows_looked_up:
    /// Many rows are looked up for a few narrow columns that the index could hold.
    ///
    /// **Costs.** Each entry of the index leads to a row elsewhere in the table: a page read, often
    /// from disk. With the columns in the index nothing is looked up.
    /// **Wrong when.** The columns are updated often, or are wide: then the index costs more than
    /// it saves. Nothing is proposed on a guessed number of rows.
    /// **Verify.** EXPLAIN: `Using index`; fewer Innodb_buffer_pool_read_requests.
    /// **Source.** MySQL manual, covering index; measured in page requests.
    ///
    /// ```sql schema
    /// CREATE TABLE entry (id INT PRIMARY KEY, account INT NOT NULL, cents INT NOT NULL,
    ///   memo VARCHAR(900) NOT NULL);
    /// -- rows: 90000; distinct: account 30
    /// ```
    /// ```sql finding
    /// SELECT SUM(cents) FROM entry WHERE account = 12;
    /// ```
    /// ```sql clean
    /// SELECT COUNT(*) FROM entry WHERE id < 12;
    /// ```
    Index "IDX006" "rows-looked-up";

    redundant_prefix:
    /// An index is the beginning of another one.
    ///
    /// **Costs.** The longer one finds all that the shorter one finds; every write pays for both,
    /// and both want memory.
    /// **Wrong when.** It is UNIQUE, a foreign key or a hint needs it, or statements that read only
    /// this index gain by its small size.
    /// **Verify.** Hide it for a day (INVISIBLE in MySQL 8.0, IGNORED in MariaDB 10.6), then drop.
    /// **Source.** MySQL manual, multiple-column indexes; pt-duplicate-key-checker.
    ///
    /// ```sql schema
    /// CREATE TABLE street (id INT PRIMARY KEY, town INT NOT NULL, name VARCHAR(60) NOT NULL,
    ///   KEY ix_town (town), KEY ix_town_name (town, name));
    /// ```
    /// ```sql finding
    /// SELECT id FROM street WHERE town = 5 AND name = 'Elm';
    /// ```
    Index "IDX007" "redundant-prefix";

    duplicate_index:
    /// Two indexes have the same columns.
    ///
    /// **Costs.** One of them is never needed; every write pays for it.
    /// **Wrong when.** One is UNIQUE: that one stays.
    /// **Verify.** SHOW INDEX before and after; hide it for a day first.
    /// **Source.** MySQL manual, note 1831 (duplicate index).
    ///
    /// ```sql schema
    /// CREATE TABLE coin (id INT PRIMARY KEY, mint INT NOT NULL, KEY k1 (mint), KEY k2 (mint));
    /// ```
    /// ```sql finding
    /// SELECT id FROM coin WHERE mint = 5;
    /// ```
    Index "IDX008" "duplicate-index";

    primary_key_suffix:
    /// An index ends in the columns of the primary key, which InnoDB appends anyway.
    ///
    /// **Costs.** Nothing but a longer definition.
    /// **Wrong when.** The server is older than MySQL 5.6.9, which did not search what is appended.
    /// **Verify.** EXPLAIN: the same key_len without it.
    /// **Source.** MySQL manual, use of index extensions.
    ///
    /// ```sql schema
    /// CREATE TABLE visit (id INT PRIMARY KEY, day DATE NOT NULL, KEY ix (day, id));
    /// ```
    /// ```sql finding
    /// SELECT id FROM visit WHERE day = '2026-01-05';
    /// ```
    Index "IDX009" "primary-key-suffix";

    no_primary_key:
    /// A table of InnoDB has no primary key.
    ///
    /// **Costs.** Rows are kept by a hidden counter that nothing can search; a replica that applies
    /// rows may scan the table for each.
    /// **Wrong when.** The table is small and short-lived.
    /// **Verify.** SHOW CREATE TABLE.
    /// **Source.** MySQL manual, clustered and secondary indexes.
    ///
    /// ```sql schema
    /// CREATE TABLE track (at DATETIME NOT NULL, what INT NOT NULL);
    /// ```
    /// ```sql finding
    /// INSERT INTO track VALUES (NOW(), 5);
    /// ```
    Schema "IDX013" "no-primary-key";

    wide_primary_key:
    /// A wide primary key stands in every secondary index.
    ///
    /// **Costs.** Each entry of each index holds it; random values scatter inserts over all pages.
    /// **Wrong when.** The table is small or has few indexes.
    /// **Verify.** Index_length of SHOW TABLE STATUS before and after.
    /// **Source.** MySQL manual, InnoDB table design.
    ///
    /// ```sql schema
    /// CREATE TABLE badge (code CHAR(36) PRIMARY KEY, a INT, b INT, c INT,
    ///   KEY ka (a), KEY kb (b), KEY kc (c));
    /// -- rows: 500000
    /// ```
    /// ```sql finding
    /// SELECT a FROM badge WHERE b = 5;
    /// ```
    Schema "IDX014" "wide-primary-key";

    range_before_equality:
    /// An index has the column of a range before one that is compared for equality.
    ///
    /// **Costs.** All entries of the range are read; what stands behind it only filters. With the
    /// equality first the entries wanted lie together.
    /// **Wrong when.** Other statements need the present order: keep that index as well.
    /// **Verify.** EXPLAIN: fewer rows; key_len tells nothing here.
    /// **Source.** MySQL manual, range access of multiple-part indexes; measured, 41,683 reads to 1.
    ///
    /// ```sql schema
    /// CREATE TABLE shift (id INT PRIMARY KEY, day DATE NOT NULL, crew INT NOT NULL,
    ///   note VARCHAR(400) NOT NULL, KEY ix (day, crew));
    /// -- rows: 90000; distinct: crew 300, day 700
    /// -- ranges: day >= '2026-01-01': 40000 rows
    /// ```
    /// ```sql finding
    /// SELECT note FROM shift WHERE day >= '2026-01-01' AND crew = 5;
    /// ```
    /// ```sql clean
    /// SELECT note FROM shift WHERE day = '2026-01-01' AND crew = 5;
    /// ```
    Index "IDX016" "range-before-equality";

    mixed_directions:
    /// ORDER BY goes up in one column and down in another.
    ///
    /// **Costs.** An index is read forwards or backwards as a whole: only one with a descending part
    /// gives such an order, else all rows are sorted.
    /// **Wrong when.** The server is older than MySQL 8.0 or MariaDB 10.8: DESC is read there and
    /// forgotten.
    /// **Verify.** EXPLAIN: no `Using filesort`.
    /// **Source.** MySQL manual, descending indexes.
    ///
    /// ```sql schema
    /// CREATE TABLE bid (id INT PRIMARY KEY, lot INT NOT NULL, round INT NOT NULL, cents INT NOT NULL,
    ///   note VARCHAR(400) NOT NULL);
    /// -- rows: 60000; distinct: lot 25, round 40, cents 50000
    /// ```
    /// ```sql finding
    /// SELECT note FROM bid WHERE lot = 5 ORDER BY round, cents DESC LIMIT 10;
    /// ```
    /// ```sql clean
    /// SELECT note FROM bid WHERE id = 5;
    /// ```
    Index "IDX017" "mixed-directions";

    expression:
    /// A function of a column is compared, and cannot be taken off it.
    ///
    /// **Costs.** The function is called for every row of the table.
    /// **Wrong when.** The condition can be written on the bare column: then that is the better way,
    /// and SQL001 shows it.
    /// **Verify.** EXPLAIN: the index on the expression is the key.
    /// **Source.** MySQL manual, functional key parts; MariaDB, generated columns.
    ///
    /// ```sql schema
    /// CREATE TABLE doc (id INT PRIMARY KEY, body VARCHAR(900) NOT NULL);
    /// -- rows: 90000
    /// ```
    /// ```sql finding
    /// SELECT id FROM doc WHERE MD5(body) = '5d41402abc4b2a76b9719d911017c592';
    /// ```
    /// ```sql clean
    /// SELECT id FROM doc WHERE body = 'hello';
    /// ```
    Index "IDX018" "expression-without-index";

    json_path:
    /// A value inside a JSON document is compared.
    ///
    /// **Costs.** Every document is read and taken apart.
    /// **Wrong when.** The table is small, or the path is hardly ever asked for.
    /// **Verify.** EXPLAIN: the index on the generated column is the key.
    /// **Source.** MySQL manual, indexing a generated column to provide a JSON column index.
    ///
    /// ```sql schema
    /// CREATE TABLE event (id INT PRIMARY KEY, doc JSON);
    /// -- rows: 90000
    /// ```
    /// ```sql finding
    /// SELECT id FROM event WHERE doc->>'$.kind' = 'login';
    /// ```
    /// ```sql clean
    /// SELECT doc->>'$.kind' FROM event WHERE id = 5;
    /// ```
    Index "IDX019" "json-path-without-index";

    index_refused:
    /// An index that would help is one that the server refuses.
    ///
    /// **Costs.** Nothing: it says which limit is met, and that the idea was dropped for it.
    /// **Wrong when.** The row format or the engine is to be changed anyway.
    /// **Verify.** The limit is named in the text: 3,072 bytes of a key, 767 of a column in COMPACT
    /// rows, 1,000 in MyISAM, 64 indexes of a table.
    /// **Source.** MySQL manual, InnoDB limits; measured on MySQL 9.7 and MariaDB.
    ///
    /// ```sql schema
    /// CREATE TABLE place (id INT PRIMARY KEY, a CHAR(250) NOT NULL, b CHAR(250) NOT NULL,
    ///   c CHAR(250) NOT NULL, d CHAR(250) NOT NULL, note VARCHAR(400)) CHARSET=utf8mb4;
    /// -- rows: 90000; distinct: a 20, b 20, c 20, d 20
    /// ```
    /// ```sql finding
    /// SELECT note FROM place WHERE a = 'x' AND b = 'y' AND c = 'z' AND d = 'w';
    /// ```
    Index "IDX020" "index-refused";
}
