//! Unpacks files to nowhere, with the decoders that a digest uses: what `benches/compare.sh --bars`
//! holds the digest of a packed log against. `cargo bench --bench inflate --no-run` builds it.

use std::fs::File;
use std::io::Read;

use adagio::source::compressed;

fn main() {
    let mut buffer = vec![0; 256 * 1024];
    // `cargo bench` calls every benchmark with an option of its own.
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        let file = File::open(&path).expect("the file cannot be opened");
        let (_, mut reader) = compressed::open(Box::new(file)).expect("its head cannot be read");
        while reader.read(&mut buffer).expect("it cannot be unpacked") > 0 {}
    }
}
