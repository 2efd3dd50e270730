//! Advice on a large workload: 20,000 query classes over a schema of 1,000 tables, from statements
//! in memory to findings. `cargo bench --bench advise`. It is to take less than ten seconds, and
//! the benchmark fails where it does not.
//!
//! All is made, the same each time. Each table has twenty statements of its own, joins to the next
//! table among them, so that candidates have others to share with and an index to be widened.

use std::fmt::Write;
use std::time::{Duration, Instant};

use divan::Bencher;

use adagio::advice::plan::{Load, PerCall};
use adagio::advice::{Action, Class, Workload, advise};
use adagio::plan::Amount;
use adagio::schema::Schema;
use adagio::sql::fingerprint::{ClassId, fingerprint};

const TABLES: usize = 1_000;
const BAR: Duration = Duration::from_secs(10);

/// `{t}` is a table, `{u}` the next, `{n}` a number.
const STATEMENTS: [&str; 20] = [
    "SELECT * FROM {t} WHERE id = {n}",
    "SELECT id, note FROM {t} WHERE owner_id = {n}",
    "SELECT id, note FROM {t} WHERE owner_id = {n} AND state = 2 ORDER BY made DESC LIMIT 10",
    "SELECT id, note FROM {t} WHERE kind = 7 AND made BETWEEN '2025-01-01' AND '2025-02-01'",
    "SELECT id FROM {t} WHERE owner_id = {n} AND kind IN (1, 2, 3) AND amount > 100",
    "SELECT kind, COUNT(*) FROM {t} WHERE state = 3 GROUP BY kind",
    "SELECT owner_id, MAX(made) FROM {t} GROUP BY owner_id",
    "SELECT DISTINCT kind FROM {t}",
    "SELECT SUM(amount) FROM {t} WHERE owner_id = {n} AND kind = 4",
    "SELECT a.note, b.note FROM {t} a JOIN {u} b ON b.parent_id = a.id WHERE a.code = 'c{n}'",
    "SELECT a.id FROM {t} a LEFT JOIN {u} b ON b.parent_id = a.id AND b.state = 1 WHERE b.id IS NULL AND a.kind = 3",
    "SELECT a.id FROM {t} a WHERE a.owner_id = {n} AND EXISTS (SELECT 1 FROM {u} b WHERE b.parent_id = a.id AND b.kind = 9)",
    "SELECT id FROM {t} WHERE code = 'c{n}' OR parent_id = {n}",
    "SELECT id FROM {t} WHERE DATE(made) = '2025-03-04'",
    "SELECT id, code FROM {t} WHERE code LIKE 'ab{n}%' ORDER BY code LIMIT 20",
    "SELECT x.kind, x.n FROM (SELECT kind, COUNT(*) AS n FROM {t} WHERE owner_id = {n} GROUP BY kind) x WHERE x.n > 5",
    "SELECT id FROM {t} WHERE parent_id = {n} UNION ALL SELECT id FROM {u} WHERE parent_id = {n}",
    "UPDATE {t} SET amount = amount + 1, state = 4 WHERE code = 'c{n}'",
    "DELETE FROM {t} WHERE made < '2024-01-01' ORDER BY made LIMIT 500",
    "INSERT INTO {t} (owner_id, state, kind, made, amount, code, note) VALUES ({n}, 1, 2, NOW(), 3, 'c{n}', 'x')",
];

fn main() {
    divan::main();
}

fn table(number: usize) -> String {
    format!("shard_{:04}", number % TABLES)
}

fn schema() -> Schema {
    let mut text = String::new();
    for number in 0..TABLES {
        let table = table(number);
        let rows = 2_000 + number * 371 % 400_000;
        let key = match number % 3 {
            0 => ", KEY ix_owner (owner_id)",
            1 => ", KEY ix_owner (owner_id), KEY ix_owner_state (owner_id, state)",
            _ => "",
        };
        writeln!(
            text,
            "CREATE TABLE {table} (id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, \
             owner_id int NOT NULL, state tinyint NOT NULL, kind smallint NOT NULL, \
             made datetime NOT NULL, amount int NOT NULL, code varchar(40) NOT NULL, \
             parent_id int unsigned NULL, note varchar(200) NOT NULL{key}) \
             ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n\
             -- rows: {table} {rows}; distinct: {table}.owner_id {}, {table}.state 5, \
             {table}.kind 40, {table}.made {}, {table}.code {rows}, {table}.parent_id {}",
            rows / 20,
            rows / 2,
            rows / 8
        )
        .expect("text can be written to");
    }
    let (schema, problems) = Schema::read(text.as_bytes(), "schema.sql");
    assert!(problems.is_empty(), "{problems:?}");
    schema
}

/// The classes, by ID as a log gives them.
fn classes() -> Vec<Class<'static>> {
    let mut classes = Vec::new();
    for number in 0..TABLES {
        for (place, statement) in STATEMENTS.iter().enumerate() {
            let statement = statement
                .replace("{t}", &table(number))
                .replace("{u}", &table(number + 1))
                .replace("{n}", &(number * 7 + place).to_string());
            // As loads are: a few tables have most of the calls.
            let calls = 1 + 50_000 / (number as u64 + 1) + place as u64;
            let examined = Amount::whole(1_000 + (number * 371) as u64 % 400_000);
            classes.push(Class {
                id: ClassId::of(&fingerprint(statement.as_bytes())),
                samples: vec![statement],
                database: None,
                calls,
                weight: None,
                micros: Some(calls * 80_000),
                lock_micros: Some(calls * 10),
                load: Load {
                    calls: Some(calls),
                    rows_examined: Some(PerCall { mean: examined, most: examined }),
                    ..Load::default()
                },
                rows_affected: None,
                plans: Vec::new(),
                measured: None,
            });
        }
    }
    classes.sort_by_key(|class| class.id);
    classes
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn twenty_thousand_classes(bencher: Bencher<'_, '_>) {
    let schema = schema();
    let classes = classes();
    let ids: std::collections::BTreeSet<_> = classes.iter().map(|class| class.id).collect();
    assert_eq!(ids.len(), TABLES * STATEMENTS.len(), "the classes are distinct");
    let workload = Workload {
        classes,
        is_timed: true,
        window_micros: Some(3_600_000_000),
        ..Workload::default()
    };
    bencher.bench_local(|| {
        let began = Instant::now();
        let advice = advise(&workload, Some(&schema));
        let took = began.elapsed();
        assert!(took < BAR, "advice took {took:?}");
        let created = advice.findings.iter().filter(|f| f.recommendation.action == Action::Create);
        assert!(created.count() >= 10, "the busiest tables want indexes");
        advice.findings.len()
    });
}
