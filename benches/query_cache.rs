//! A million events through the query-cache simulator: reading them, and a replay at two sizes.
//!
//! Four connections, a write in twenty; statements come again as they do in shops: few often, many
//! seldom.

use adagio::advice::query_cache::trace::Nothing;
use adagio::advice::query_cache::{Log, Recorder, Settings, simulate};
use adagio::event::{Attribute, Event, Kind, Value};
use adagio::metric::{self, Registry};
use adagio::server::Variables;

const EVENTS: u64 = 1_000_000;

fn main() {
    divan::main();
}

/// Knuth's generator: the same events each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn settings() -> Settings {
    let pairs = [
        ("version", "10.11.6-MariaDB"),
        ("query_cache_type", "ON"),
        ("query_cache_size", "16777216"),
    ];
    let variables: Variables =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::of(&variables)
}

fn record() -> (Log, Settings) {
    let registry = Registry::new();
    let mut recorder = Recorder::new(settings(), &Nothing);
    let mut dice = Dice(7);
    let number =
        |metric, number: u64| Attribute { metric, value: Value::Number(i128::from(number)) };
    let (rows, bytes) = (metric::known("Rows_affected"), metric::known("Bytes_sent"));
    for event in 0..EVENTS {
        let reach = [10, 1_000, 100_000, 1_000_000][dice.roll(4) as usize];
        let (id, table) = (dice.roll(reach), dice.roll(20));
        let statement = match dice.roll(20) {
            0 => format!("UPDATE item{table} SET stock = stock - 1 WHERE id = {id}"),
            _ => format!("SELECT id, name, price FROM item{table} WHERE id = {id} AND shop = 3"),
        };
        let thread = [b"1", b"2", b"3", b"4"][dice.roll(4) as usize];
        let attributes = [number(rows, 1), number(bytes, 300 + dice.roll(3_000))];
        recorder.add(
            &Event {
                buffer: statement.as_bytes(),
                source: 0,
                offset: event * 200,
                length: 200,
                ts: None,
                start: None,
                database: Some(b"shop"),
                database_inherited: false,
                user: None,
                host: None,
                ip: None,
                thread_id: Some(thread),
                kind: Kind::Query,
                statement: statement.as_bytes(),
                outline: None,
                text: statement.as_bytes(),
                query_time: Some(i128::from(100 + dice.roll(900))),
                present: 0,
                attributes: &attributes,
                plan: None,
                anomalies: 0,
            },
            &registry,
        );
    }
    recorder.finish()
}

/// From events to numbers.
#[divan::bench(sample_count = 3)]
fn reading(bencher: divan::Bencher<'_, '_>) {
    bencher.counter(divan::counter::ItemsCount::new(EVENTS)).bench(record);
}

/// All that `adagio advise` replays: the present size, one besides, and the curve.
#[divan::bench(sample_count = 3)]
fn replaying(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(divan::counter::ItemsCount::new(EVENTS))
        .with_inputs(record)
        .bench_values(|(log, settings)| simulate(log, settings, &[1 << 20], true));
}
