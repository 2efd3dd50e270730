//! What each step of a digest costs, one thread, warm: `cargo bench --bench steps`.
//!
//! Each step does what the ones before do and a bit more, on the same log, so that a step's own
//! cost is the difference: reading blocks, framing entries, making outlines, reading headers,
//! adding up. The log is `$ADAGIO_BENCH_LOG` (its first 64 MB) or the samples' shop, repeated.

use std::io::{Cursor, Read};

use divan::Bencher;
use divan::counter::BytesCount;

use adagio::digest::bound::{Admission, MOST};
use adagio::digest::spread::{Factor, Spread, bucket};
use adagio::digest::{Options, Sorter};
use adagio::logs::frame::Batch;
use adagio::logs::slow::Framer;
use adagio::logs::slow::read::{Reader, Reading};
use adagio::source::blocks::Blocks;
use adagio::sql::fingerprint::fingerprint;
use adagio::sql::outline::{Mode, outline};

const SIZE: usize = 64 << 20;

fn main() {
    divan::main();
}

fn log() -> &'static [u8] {
    static LOG: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
        if let Some(path) = std::env::var_os("ADAGIO_BENCH_LOG") {
            let mut log = Vec::new();
            let file = std::fs::File::open(path).expect("$ADAGIO_BENCH_LOG cannot be opened");
            file.take(SIZE as u64).read_to_end(&mut log).expect("it cannot be read");
            return log;
        }
        let shop = include_bytes!("../samples/slow/shop.log");
        shop.repeat(SIZE.div_ceil(shop.len()))
    });
    &LOG
}

fn blocks() -> Blocks {
    Blocks::new(Box::new(Cursor::new(log())))
}

/// Goes through the log and shows each batch.
fn batches(mode: Option<Mode>, mut show: impl FnMut(&Batch)) {
    let mut framer = Framer::new(0, blocks(), None).with_outlines(mode);
    let mut batch = Batch::default();
    while framer.next(&mut batch) {
        show(&batch);
    }
}

#[divan::bench]
fn a_blocks(bencher: Bencher<'_, '_>) {
    let mut buffer = vec![0; 1 << 20];
    bencher.counter(BytesCount::of_slice(log())).bench_local(|| {
        let mut blocks = blocks();
        while blocks.read(&mut buffer) > 0 {}
    });
}

#[divan::bench]
fn b_framed(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(log())).bench_local(|| {
        let mut events = 0;
        batches(None, |batch| events += batch.frames.len());
        events
    });
}

#[divan::bench]
fn c_outlined(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(log())).bench_local(|| {
        let mut bytes = 0;
        batches(Some(Mode::Default), |batch| bytes += batch.outlines.len());
        bytes
    });
}

#[divan::bench]
fn d_headers_read(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(log())).bench_local(|| {
        let mut reader = Reader::new(Reading::default());
        let mut attributes = 0;
        batches(Some(Mode::Default), |batch| {
            for frame in &batch.frames {
                let said = reader.read(batch, frame);
                attributes += reader.event(batch, frame, &said).attributes.len();
            }
        });
        attributes
    });
}

#[divan::bench]
fn e_digested(bencher: Bencher<'_, '_>) {
    let options = Options { order: "Query_time".to_owned(), ..Options::default() };
    bencher.counter(BytesCount::of_slice(log())).bench_local(|| {
        let mut reader = Reader::new(Reading::default());
        let admission = Admission::of(MOST);
        let mut sorter = Sorter::new(&options, &admission);
        batches(options.outlines(), |batch| {
            for frame in &batch.frames {
                let said = reader.read(batch, frame);
                sorter.add(&reader.event(batch, frame, &said), &reader.registry);
            }
        });
        sorter.finish(reader.registry).count()
    });
}

const STATEMENT: &[u8] = b"SELECT o.id, o.total FROM orders o JOIN customers c ON c.id = \
    o.customer_id WHERE c.email = 'someone@example.net' AND o.state IN (1, 2, 3) LIMIT 50";

#[divan::bench]
fn outline_of_one_statement(bencher: Bencher<'_, '_>) {
    let mut buffer = Vec::new();
    bencher
        .counter(BytesCount::of_slice(STATEMENT))
        .bench_local(|| outline(divan::black_box(STATEMENT), Mode::Default, &mut buffer));
}

#[divan::bench]
fn fingerprint_of_one_statement(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_slice(STATEMENT))
        .bench_local(|| fingerprint(divan::black_box(STATEMENT)));
}

#[divan::bench]
fn bucket_of_one_value() -> usize {
    bucket(divan::black_box(1_234_567))
}

#[divan::bench]
fn spread_of_a_thousand_values() -> Spread {
    let mut spread = Spread::new(true);
    for value in 0..1000i128 {
        spread.add(divan::black_box(value * value), Factor { times: 1, parts: 1 });
    }
    spread
}
