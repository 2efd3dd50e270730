//! What the samples hold, however they are cut, packed, split and read.
//!
//! `samples/README.md` says what is right; its table is read here.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adagio::digest::bound::{Admission, MOST};
use adagio::digest::stat::Rules;
use adagio::digest::{Digest, Options, Sorter};
use adagio::logs::frame::Batch;
use adagio::logs::slow::Framer;
use adagio::logs::slow::read::{Reader, Reading};
use adagio::metric;
use adagio::report::profile::{Limit, Order, profile};
use adagio::report::{Input, Look, Report, json, text};
use adagio::source::blocks::Blocks;
use adagio::study::{Request, Study};
use serde_json::Value;

const EVERYTHING: Limit = Limit { percent: Some(100.0), count: None };

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/slow")
}

/// The samples, by name. A hidden file is none.
fn samples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| !name_of(path).starts_with('.')).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

fn request(rules: Rules, threads: usize) -> Request {
    let options = Options { rules, order: "Query_time".to_owned(), ..Options::default() };
    Request { options, limit: EVERYTHING, threads, ..Request::default() }
}

fn study(paths: &[PathBuf], rules: Rules, threads: usize) -> Report {
    let study = Study::open(paths, request(rules, threads), Arc::new(AtomicBool::new(false)));
    study.unwrap().run().unwrap()
}

/// The report as JSON and as text.
fn written(report: &Report, rules: Rules) -> (String, String) {
    let look = Look { rules, ..Look::default() };
    let (mut as_json, mut as_text) = (Vec::new(), Vec::new());
    json::write(report, &look, &mut as_json).unwrap();
    text::write(report, &look, &mut as_text).unwrap();
    (String::from_utf8(as_json).unwrap(), String::from_utf8_lossy(&as_text).into_owned())
}

/// Which sums a class has: events, `Query_time` in microseconds, bytes of statements.
type Sums = (u64, i128, i128);

/// Sums by query ID.
fn sums(report: &Report) -> BTreeMap<String, Sums> {
    let digest = &report.digest;
    let sum = |class: usize, metric| {
        digest.classes[class].stat(&digest.places, metric).map_or(0, |stat| stat.sum)
    };
    let classes = (0..digest.classes.len()).map(|class| {
        let times = (sum(class, metric::QUERY_TIME), sum(class, metric::QUERY_LENGTH));
        (report.id_of(class).to_string(), (digest.classes[class].count, times.0, times.1))
    });
    classes.collect()
}

/// A row of the table: file, events, fragments, anomalies, classes, seconds.
fn table() -> Vec<(String, [u64; 4], String)> {
    let readme = folder().with_file_name("README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let section = readme.split("\n## ").find(|part| part.starts_with("What is right\n")).unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, events, fragments, anomalies, classes, seconds] = cells[..] else {
            panic!("{row}");
        };
        let counts = [events, fragments, anomalies, classes].map(|cell| cell.parse().unwrap());
        (name.trim_matches('`').to_owned(), counts, seconds.to_owned())
    })
    .collect()
}

#[test]
fn samples_hold_what_the_table_says() {
    let table = table();
    let mut names: Vec<&str> = table.iter().map(|row| row.0.as_str()).collect();
    names.sort_unstable();
    let samples = samples();
    assert_eq!(names, samples.iter().map(|path| name_of(path)).collect::<Vec<_>>());
    let mut wrong = Vec::new();
    for (name, counts, seconds) in &table {
        let report = study(&[folder().join(name)], Rules::Default, 2);
        let input = &report.inputs[0];
        let got = [
            input.tally.events,
            input.tally.fragments,
            input.events.anomalies,
            report.digest.classes.len() as u64,
        ];
        let micros = report.total_of(metric::QUERY_TIME);
        let got_seconds = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        if (&got, &got_seconds) != (counts, seconds) {
            wrong.push(format!("{name}: {got:?} {got_seconds}, not {counts:?} {seconds}"));
        }
        assert_eq!(report.digest.total.count, input.tally.events, "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Digests one input alone, as the input of that number, in one go. The batch is used again.
fn digest(bytes: &[u8], number: u32, rules: Rules, batch: &mut Batch) -> (Digest, Framer) {
    let blocks = Blocks::new(Box::new(Cursor::new(bytes.to_vec())));
    let mut framer = Framer::new(number, blocks, None);
    let mut reader = Reader::new(Reading { as_peer: rules == Rules::Peer, zone: None });
    let options = request(rules, 1).options;
    let admission = Admission::of(MOST);
    let mut sorter = Sorter::new(&options, &admission);
    while framer.next(batch) {
        for frame in &batch.frames {
            let said = reader.read(batch, frame);
            let event = reader.event(batch, frame, &said);
            sorter.add(&event, &reader.registry);
        }
    }
    (sorter.finish(reader.registry), framer)
}

/// What is wrong if not every byte is of an event, of a header or skipped, and every event in
/// a class.
fn unaccounted(bytes: &[u8], rules: Rules, batch: &mut Batch) -> Option<String> {
    let (digest, framer) = digest(bytes, 0, rules, batch);
    let tally = framer.tally();
    let parts = tally.event_bytes + tally.header_bytes + tally.skipped_bytes;
    let (length, count) = (bytes.len() as u64, digest.count());
    ((tally.bytes, parts, count) != (length, length, tally.events))
        .then(|| format!("{length} bytes given, {parts} told, {count} in classes: {tally:?}"))
}

#[test]
fn every_byte_is_accounted_for_wherever_a_log_is_cut() {
    const LONG: usize = 8192;
    let mut wrong = Vec::new();
    let mut batch = Batch::default();
    for path in samples() {
        let bytes = std::fs::read(&path).unwrap();
        let name = name_of(&path);
        let mut check = |bytes: &[u8], what: &str| {
            let told = unaccounted(bytes, Rules::Default, &mut batch);
            wrong.extend(told.map(|told| format!("{name}, {what}: {told}")));
        };
        check(&bytes, "whole");
        for cut in (0..bytes.len()).step_by(7) {
            let (front, back) = bytes.split_at(cut);
            // Of a long log the short parts, and some of the long ones.
            let is_some = bytes.len() <= LONG || cut % (7 * 211) == 0;
            if is_some || front.len() <= LONG / 2 {
                check(front, &format!("the first {cut} bytes"));
            }
            if is_some || back.len() <= LONG / 2 {
                check(back, &format!("from byte {cut} on"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cuts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_cut_log_is_no_trouble_for_the_peers_way_of_reading() {
    let mut batch = Batch::default();
    for path in samples() {
        let bytes = std::fs::read(&path).unwrap();
        for cut in (0..bytes.len()).step_by(7 * 11 * bytes.len().div_ceil(4096)) {
            let (front, back) = bytes.split_at(cut);
            for part in [front, back] {
                let (digest, framer) = digest(part, 0, Rules::Peer, &mut batch);
                assert_eq!(digest.count(), framer.tally().events, "{path:?} {cut}");
            }
        }
    }
}

#[test]
fn the_report_does_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    // Several batches, so that there is something to share out.
    let long = folder.path().join("long.log");
    std::fs::write(&long, std::fs::read(self::folder().join("shop.log")).unwrap().repeat(12))
        .unwrap();
    let mut inputs: Vec<Vec<PathBuf>> = samples().into_iter().map(|path| vec![path]).collect();
    inputs.push(vec![long.clone(), samples().remove(0), long]);
    inputs.push(samples());
    for paths in inputs {
        for rules in [Rules::Default, Rules::Peer] {
            let want = written(&study(&paths, rules, 1), rules);
            for threads in [2, 3, 8] {
                let got = written(&study(&paths, rules, threads), rules);
                assert!(got == want, "{paths:?} {rules:?} {threads} threads");
            }
        }
    }
}

fn packed(bytes: &[u8]) -> [(&'static str, Vec<u8>); 4] {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(bytes).unwrap();
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz2.write_all(bytes).unwrap();
    [
        ("gzip", gz.finish().unwrap()),
        ("zstd", zstd::encode_all(bytes, 1).unwrap()),
        ("xz", xz.finish().unwrap()),
        ("bzip2", bz2.finish().unwrap()),
    ]
}

#[test]
fn a_packed_log_gives_the_report_of_the_plain_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow.log");
    for sample in samples() {
        let bytes = std::fs::read(&sample).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let want = written(&study(std::slice::from_ref(&path), Rules::Default, 1), Rules::Default);
        for (kind, packed) in packed(&bytes) {
            std::fs::write(&path, packed).unwrap();
            let mut report = study(std::slice::from_ref(&path), Rules::Default, 1);
            // All that differs is that it says so.
            let said = report.inputs[0].compression.take();
            assert_eq!(said.as_deref(), Some(kind), "{sample:?}");
            assert!(written(&report, Rules::Default) == want, "{sample:?} {kind}");
        }
    }
}

#[test]
fn packed_and_plain_inputs_side_by_side_give_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (place, sample) in samples().into_iter().enumerate() {
        let bytes = std::fs::read(&sample).unwrap();
        let path = folder.path().join(format!("{place}.log"));
        let of_kind = packed(&bytes).into_iter().nth(place % 5);
        std::fs::write(&path, of_kind.map_or(bytes, |(_, packed)| packed)).unwrap();
        paths.push(path);
    }
    let want = written(&study(&paths, Rules::Default, 1), Rules::Default);
    for threads in [2, 3, 8] {
        let got = written(&study(&paths, Rules::Default, threads), Rules::Default);
        assert!(got == want, "{threads} threads");
    }
}

#[test]
fn several_files_are_the_sum_of_each() {
    let samples = samples();
    let whole = study(&samples, Rules::Default, 2);
    let mut want: BTreeMap<String, Sums> = BTreeMap::new();
    for (path, input) in samples.iter().zip(&whole.inputs) {
        let alone = study(std::slice::from_ref(path), Rules::Default, 1);
        assert_eq!(input.tally, alone.inputs[0].tally, "{path:?}");
        assert_eq!(input.events, alone.inputs[0].events, "{path:?}");
        for (id, sums) in sums(&alone) {
            let sum = want.entry(id).or_default();
            *sum = (sum.0 + sums.0, sum.1 + sums.1, sum.2 + sums.2);
        }
    }
    assert_eq!(sums(&whole), want);
    // In any order.
    let mut reversed = samples;
    reversed.reverse();
    assert_eq!(sums(&study(&reversed, Rules::Default, 2)), want);
}

/// A log of an ORM that puts numbers into names: each fourth statement is one of three, all
/// others are of classes of their own.
fn noise(events: u32) -> Vec<u8> {
    let mut log = Vec::new();
    for number in 0..events {
        let statement = match number % 4 {
            0 => format!("SELECT a FROM usual_{} WHERE id = {number}", number % 3),
            // Of one class, and of items that differ in letter case.
            1 if number % 8 == 1 => format!("UPDATE Orders_{} SET a = 1", number / 64),
            1 => format!("update orders_{} set a = 1", number / 64),
            2 => format!("SELECT a_{number} FROM carts"),
            _ => format!("SELECT 1 FROM t{number}_x{}y", number % 7000 * 3),
        };
        write!(
            log,
            "# Time: 2026-03-06T17:01:40.250000Z\n# User@Host: a[a] @ h{} []\n\
             # Query_time: 0.{number:06}  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 9\n\
             SET timestamp=1772816400;\n{statement};\n",
            number % 50
        )
        .unwrap();
    }
    log
}

#[test]
fn further_classes_are_in_rows_whatever_the_threads() {
    const EVENTS: u32 = 12_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("noise.log");
    std::fs::write(&path, noise(EVENTS)).unwrap();
    let run = |most: usize, threads: usize| {
        let mut request = request(Rules::Default, threads);
        request.options.most_classes = Some(most);
        request.options.timeline = true;
        let paths = [path.clone()];
        let study = Study::open(&paths, request, Arc::new(AtomicBool::new(false))).unwrap();
        study.run().unwrap()
    };
    for most in [0, 2, 700] {
        let report = run(most, 1);
        // 0.000000 + 0.000001 + … seconds.
        let time = i128::from(EVENTS) * i128::from(EVENTS - 1) / 2;
        assert_eq!(report.total_of(metric::QUERY_TIME), time);
        assert_eq!(report.digest.total.count, u64::from(EVENTS));
        let counts: BTreeMap<String, u64> = (report.digest.keys.iter())
            .zip(&report.digest.classes)
            .map(|(key, class)| (String::from_utf8_lossy(key).into_owned(), class.count))
            .collect();
        let further: Vec<_> =
            counts.iter().filter(|(key, _)| key.starts_with("(further")).collect();
        assert_eq!(report.digest.classes.len(), most + further.len(), "{further:?}");
        assert_eq!(
            further.iter().map(|(_, count)| **count).sum::<u64>(),
            report.digest.further_events
        );
        // The statement that comes first is in its class from its first event to its last.
        if most > 0 {
            let key = "select a from usual_0 where id = ?";
            assert_eq!(counts[key], u64::from(EVENTS) / 12);
        }
        // Both spellings are in the row of the class.
        let orders = counts["(further classes) UPDATE orders_?"];
        assert!(orders <= u64::from(EVENTS / 4), "{orders}");
        let (want, as_text) = written(&report, Rules::Default);
        let json: Value = serde_json::from_str(&want).unwrap();
        assert_eq!(json["global"]["unique_query_count"], most);
        for class in json["classes"].as_array().unwrap() {
            let is_row = class["fingerprint"].as_str().unwrap().starts_with("(further classes)");
            assert_eq!(class["further_classes"].as_bool(), is_row.then_some(true), "{class}");
            assert_eq!(class["compat_id"].is_null(), is_row);
        }
        assert!(as_text.contains("top  (further classes) UPDATE orders_?"), "{as_text}");
        for threads in [2, 3, 8] {
            let (got, _) = written(&run(most, threads), Rules::Default);
            assert_eq!(parts(&got), parts(&want), "{most} classes, {threads} threads");
            let timeline = |json: &str| {
                let json: Value = serde_json::from_str(json).unwrap();
                json["timeline"].clone()
            };
            assert!(!timeline(&want).is_null());
            assert_eq!(timeline(&got), timeline(&want), "{most} classes, {threads} threads");
        }
    }
}

#[test]
fn items_past_their_bound_share_a_row() {
    let mut log = Vec::new();
    for number in 0..5000u32 {
        // Letters only: digits would be folded.
        let name: String =
            (0..4).map(|place| char::from(b'a' + (number / 26u32.pow(place) % 26) as u8)).collect();
        write!(
            log,
            "# Time: 2026-03-06T17:01:40.250000Z\n# User@Host: a[a] @ h []\n\
             # Query_time: 0.000010  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 9\n\
             SET timestamp=1772816400;\nDELETE FROM {name}_t;\n"
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("items.log");
    std::fs::write(&path, log).unwrap();
    let run = |threads: usize| {
        let mut request = request(Rules::Default, threads);
        request.options.most_classes = Some(0);
        let paths = [path.clone()];
        let study = Study::open(&paths, request, Arc::new(AtomicBool::new(false))).unwrap();
        study.run().unwrap()
    };
    let report = run(1);
    assert_eq!((report.digest.total.count, report.digest.classes.len()), (5000, 513));
    let want = parts(&written(&report, Rules::Default).0);
    for threads in [2, 8] {
        assert_eq!(parts(&written(&run(threads), Rules::Default).0), want, "{threads} threads");
    }
}

/// A thread that is ahead of the inputs in front leaves its own for a while.
#[test]
fn packed_inputs_side_by_side_keep_to_the_bound_on_classes() {
    let folder = tempfile::tempdir().unwrap();
    let shop = samples().into_iter().find(|path| path.ends_with("shop.log")).unwrap();
    let logs = [std::fs::read(&shop).unwrap().repeat(4), noise(3_000), noise(5_000)];
    let mut paths = Vec::new();
    for (place, log) in logs.iter().enumerate() {
        let path = folder.path().join(format!("{place}.log"));
        std::fs::write(&path, &packed(log)[1].1).unwrap();
        paths.push(path);
    }
    let run = |threads: usize| {
        let mut request = request(Rules::Default, threads);
        request.options.most_classes = Some(50);
        let study = Study::open(&paths, request, Arc::new(AtomicBool::new(false))).unwrap();
        written(&study.run().unwrap(), Rules::Default)
    };
    let want = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == want, "{threads} threads");
    }
}

/// First bytes of the entries of a log.
fn entries(bytes: &[u8]) -> Vec<usize> {
    let mut framer = Framer::new(0, Blocks::new(Box::new(Cursor::new(bytes.to_vec()))), None);
    let mut batch = Batch::default();
    let mut offsets = Vec::new();
    while framer.next(&mut batch) {
        offsets.extend(batch.frames.iter().map(|frame| frame.offset as usize));
    }
    offsets
}

/// The parts of a report that come of the events.
fn parts(json: &str) -> [Value; 3] {
    let mut json: Value = serde_json::from_str(json).unwrap();
    ["global", "classes", "misc"].map(|key| json[key].take())
}

/// The report of one merged digest.
fn report_of(digest: Digest, names: &[PathBuf], framers: [&Framer; 2]) -> [Value; 3] {
    let inputs = names.iter().zip(framers).zip(digest.sources.clone());
    let inputs: Vec<Input> = inputs
        .map(|((name, framer), events)| Input {
            name: name.display().to_string(),
            kind: "slowlog",
            compression: None,
            tally: framer.tally().clone(),
            looks: "",
            events,
            problems: Vec::new(),
        })
        .collect();
    let request = request(Rules::Default, 1);
    let order = Order::default();
    let group = request.options.group;
    let mut report = Report::new(digest, inputs, group, order.clone(), Rules::Default, |digest| {
        profile(digest, &order, request.limit, None, Rules::Default)
    });
    report.count_folded();
    parts(&written(&report, Rules::Default).0)
}

#[test]
fn two_digests_merge_either_way_to_that_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["first.log", "second.log"].map(|name| folder.path().join(name));
    let mut batch = Batch::default();
    for sample in samples() {
        let bytes = std::fs::read(&sample).unwrap();
        let entries = entries(&bytes);
        // Of a long log each seventh entry will do.
        for offset in entries.iter().step_by(entries.len().div_ceil(43)) {
            let (first, second) = bytes.split_at(*offset);
            let mut digests = || {
                [(first, 0), (second, 1)]
                    .map(|(bytes, number)| digest(bytes, number, Rules::Default, &mut batch))
            };
            let [(mut there, one), (other, two)] = digests();
            there.merge(other, 2);
            let there = report_of(there, &names, [&one, &two]);
            let [(other, _), (mut back, _)] = digests();
            back.merge(other, 2);
            let back = report_of(back, &names, [&one, &two]);
            assert!(there == back, "{sample:?} at byte {offset}");
            std::fs::write(&names[0], first).unwrap();
            std::fs::write(&names[1], second).unwrap();
            let run = study(&names, Rules::Default, 1);
            assert!(there == parts(&written(&run, Rules::Default).0), "{sample:?} {offset}");
        }
    }
}
