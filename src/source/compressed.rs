//! Compressed input, told by its first bytes and never by a name.
//!
//! ```text
//! 1f 8b 08                        gzip
//! 28 b5 2f fd                     zstd; 5? 2a 4d 18 is a skippable frame in front of one
//! fd 37 7a 58 5a 00               xz
//! B Z h 1…9 31 41 59 26 53 59     bzip2 (17 72 45 38 50 90 where it holds nothing)
//! ```
//!
//! A file may be several members, frames or streams in a row, as `cat a.gz b.gz` and log
//! rotation make them: all are read. A stream that is cut or damaged first gives every byte
//! that can be decoded and then the error, so a log that is still being written is read as
//! far as it goes. That is why the decoders are driven here step by step: the readers of the
//! same crates drop what a failing call had already written.
//!
//! Opening files and cutting the text into blocks is left to the rest of the room.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

use flate2::FlushDecompress;
use zstd::stream::raw::{InBuffer, Operation, OutBuffer};

/// How an input is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Plain text.
    None,
    /// `.gz`, RFC 1952.
    Gzip,
    /// `.zst`, RFC 8878.
    Zstd,
    /// `.xz`.
    Xz,
    /// `.bz2`.
    Bzip2,
}

/// As many bytes as the longest magic has; that of bzip2 alone could be plain text.
const MAGIC: usize = 10;

/// What is read from the input at a time: the largest block of zstd.
const BLOCK: usize = 128 * 1024;

impl Compression {
    /// Tells the compression by the first bytes; fewer than a magic has are [`None`](Self::None).
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(b"\x31\x41\x59\x26\x53\x59")
                    || block.starts_with(b"\x17\x72\x45\x38\x50\x90") =>
            {
                Self::Bzip2
            }
            _ => Self::None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        })
    }
}

/// Looks at the first bytes and gives a reader of the plain text.
///
/// A stream that ends too early reads to an error of kind `UnexpectedEof`, one that is damaged
/// to `InvalidData`; both come after all the text in front of them, and again on each later
/// read. Zero bytes behind the last gzip member are padding, as for gzip(1); anything else
/// behind a complete stream is `InvalidData`.
///
/// # Errors
///
/// What reading the first bytes gives, or no memory for a decoder.
pub fn open(mut reader: Box<dyn Read + Send>) -> io::Result<(Compression, Box<dyn Read + Send>)> {
    let mut head = Vec::with_capacity(MAGIC);
    reader.by_ref().take(MAGIC as u64).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    let whole = Cursor::new(head).chain(reader);
    let plain: Box<dyn Read + Send> = match compression {
        Compression::None => Box::new(whole),
        Compression::Gzip => Box::new(Plain::new(compression, whole, Gzip::new())),
        Compression::Zstd => Box::new(Plain::new(compression, whole, Zstd::new()?)),
        Compression::Xz => Box::new(Plain::new(compression, whole, Xz::new()?)),
        Compression::Bzip2 => Box::new(Plain::new(compression, whole, Bzip2::new())),
    };
    Ok((compression, plain))
}

/// A decoder that says what it wrote also when it fails.
trait Decode {
    /// Decodes some of `input` into `output`, which is not empty. No input means its end.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step;
}

struct Step {
    taken: usize,
    written: usize,
    state: State,
}

enum State {
    /// Inside a stream.
    Open,
    /// A stream is complete; another may follow.
    Complete,
    Damaged(String),
}

/// The plain text of a compressed input.
struct Plain<R, D> {
    compression: Compression,
    input: BufReader<R>,
    decoder: D,
    /// Why there is nothing more to read; found while there was still text to give.
    failure: Option<(ErrorKind, String)>,
}

impl<R: Read, D> Plain<R, D> {
    fn new(compression: Compression, input: R, decoder: D) -> Self {
        let input = BufReader::with_capacity(BLOCK, input);
        Self { compression, input, decoder, failure: None }
    }
}

impl<R: Read, D: Decode> Read for Plain<R, D> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if output.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some((kind, message)) = &self.failure {
                return Err(io::Error::new(*kind, message.clone()));
            }
            let input = self.input.fill_buf()?;
            let at_end = input.is_empty();
            let step = self.decoder.step(input, output);
            self.input.consume(step.taken);
            let stuck = step.taken == 0 && step.written == 0;
            match step.state {
                State::Damaged(why) => {
                    let message = format!("{} data is damaged: {why}", self.compression);
                    self.failure = Some((ErrorKind::InvalidData, message));
                }
                State::Complete if at_end && stuck => return Ok(0),
                State::Open if at_end && stuck => {
                    let message = format!("{} data is cut off", self.compression);
                    self.failure = Some((ErrorKind::UnexpectedEof, message));
                }
                // No decoder does this; without the check one that did would hang us.
                State::Open | State::Complete if stuck => {
                    let message = format!("{} data cannot be read on", self.compression);
                    self.failure = Some((ErrorKind::InvalidData, message));
                }
                State::Open | State::Complete => {}
            }
            if step.written > 0 {
                return Ok(step.written);
            }
        }
    }
}

/// How far a counter of a decoder moved; a step is at most a buffer long.
fn moved(from: u64, to: u64) -> usize {
    usize::try_from(to - from).unwrap_or(usize::MAX)
}

/// gzip: members one behind the other, then perhaps zeros.
struct Gzip {
    member: flate2::Decompress,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Member,
    Between,
    Padding,
}

impl Gzip {
    fn new() -> Self {
        Self { member: flate2::Decompress::new_gzip(15), place: Place::Member }
    }
}

impl Decode for Gzip {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if self.place != Place::Member {
            match input {
                [0x1f, ..] if self.place == Place::Between => *self = Self::new(),
                [0, ..] => {
                    self.place = Place::Padding;
                    let zeros = input.iter().take_while(|byte| **byte == 0).count();
                    return Step { taken: zeros, written: 0, state: State::Complete };
                }
                [] => {
                    return Step { taken: 0, written: 0, state: State::Complete };
                }
                _ => return garbage(),
            }
        }
        let (taken, written) = (self.member.total_in(), self.member.total_out());
        let state = match self.member.decompress(input, output, FlushDecompress::None) {
            Ok(flate2::Status::StreamEnd) => {
                self.place = Place::Between;
                State::Complete
            }
            Ok(flate2::Status::Ok | flate2::Status::BufError) => State::Open,
            Err(error) => State::Damaged(error.to_string()),
        };
        let taken = moved(taken, self.member.total_in());
        Step { taken, written: moved(written, self.member.total_out()), state }
    }
}

fn garbage() -> Step {
    let why = "something else follows the last complete stream".to_owned();
    Step { taken: 0, written: 0, state: State::Damaged(why) }
}

/// zstd: frames and skippable frames one behind the other.
struct Zstd {
    frames: zstd::stream::raw::Decoder<'static>,
    /// Bytes the decoder wants next; 0 between frames.
    wanted: usize,
}

impl Zstd {
    fn new() -> io::Result<Self> {
        Ok(Self { frames: zstd::stream::raw::Decoder::new()?, wanted: 0 })
    }

    /// How much to give at once.
    ///
    /// A call that fails does not say what it wrote, so no call may decode a block and look at
    /// the next one: what is wanted is a block and the header behind it (three bytes), and the
    /// header is held back. (`ZSTD_decompressStream`, zstd 1.5.)
    fn portion(&self) -> usize {
        match self.wanted {
            wanted @ 0..=3 => wanted.max(1),
            wanted => wanted - 3,
        }
    }
}

impl Decode for Zstd {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if input.is_empty() && self.wanted == 0 {
            return Step { taken: 0, written: 0, state: State::Complete };
        }
        let mut source = InBuffer::around(&input[..input.len().min(self.portion())]);
        let mut target = OutBuffer::around(output);
        let state = match self.frames.run(&mut source, &mut target) {
            Ok(wanted) => {
                self.wanted = wanted;
                if wanted == 0 { State::Complete } else { State::Open }
            }
            Err(error) => State::Damaged(error.to_string()),
        };
        Step { taken: source.pos(), written: target.pos(), state }
    }
}

/// xz: streams and padding; liblzma itself goes from one to the next.
struct Xz {
    streams: liblzma::stream::Stream,
    complete: bool,
}

impl Xz {
    fn new() -> io::Result<Self> {
        let streams =
            liblzma::stream::Stream::new_stream_decoder(u64::MAX, liblzma::stream::CONCATENATED)?;
        Ok(Self { streams, complete: false })
    }
}

impl Decode for Xz {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        use liblzma::stream::{Action, Error, Status};

        if self.complete {
            return match input {
                [] => Step { taken: 0, written: 0, state: State::Complete },
                _ => garbage(),
            };
        }
        let (taken, written) = (self.streams.total_in(), self.streams.total_out());
        let action = if input.is_empty() { Action::Finish } else { Action::Run };
        let state = match self.streams.process(input, output, action) {
            Ok(Status::StreamEnd) => {
                self.complete = true;
                State::Complete
            }
            Ok(Status::Ok | Status::GetCheck | Status::MemNeeded) => State::Open,
            Err(Error::Format) => State::Damaged("no xz stream where one must begin".to_owned()),
            Err(error) => State::Damaged(error.to_string()),
        };
        let taken = moved(taken, self.streams.total_in());
        Step { taken, written: moved(written, self.streams.total_out()), state }
    }
}

/// bzip2: streams one behind the other.
struct Bzip2 {
    stream: bzip2::Decompress,
    complete: bool,
}

impl Bzip2 {
    fn new() -> Self {
        Self { stream: bzip2::Decompress::new(false), complete: false }
    }
}

impl Decode for Bzip2 {
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step {
        if self.complete {
            match input {
                [b'B', ..] => *self = Self::new(),
                [] => {
                    return Step { taken: 0, written: 0, state: State::Complete };
                }
                _ => return garbage(),
            }
        }
        let (taken, written) = (self.stream.total_in(), self.stream.total_out());
        let state = match self.stream.decompress(input, output) {
            Ok(bzip2::Status::StreamEnd) => {
                self.complete = true;
                State::Complete
            }
            Ok(bzip2::Status::MemNeeded) => State::Damaged("not enough memory".to_owned()),
            Ok(_) => State::Open,
            Err(error) => State::Damaged(error.to_string()),
        };
        let taken = moved(taken, self.stream.total_in());
        Step { taken, written: moved(written, self.stream.total_out()), state }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const ALL: [Compression; 4] =
        [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];

    /// Log-like text, of some blocks in each format.
    fn log(lines: u32) -> Vec<u8> {
        let mut seed = 1_u32;
        let line = |_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("# Query_time: {}.{:06}  Rows_sent: 1\n", seed % 7, seed >> 12)
        };
        (0..lines).map(line).collect::<String>().into_bytes()
    }

    fn pack(compression: Compression, plain: &[u8]) -> Vec<u8> {
        match compression {
            Compression::None => plain.to_vec(),
            Compression::Gzip => {
                let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                to.write_all(plain).unwrap();
                to.finish().unwrap()
            }
            Compression::Zstd => {
                let mut to = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
                to.include_checksum(true).unwrap();
                to.write_all(plain).unwrap();
                to.finish().unwrap()
            }
            Compression::Xz => {
                let mut to = liblzma::write::XzEncoder::new(Vec::new(), 1);
                to.write_all(plain).unwrap();
                to.finish().unwrap()
            }
            Compression::Bzip2 => {
                let mut to = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                to.write_all(plain).unwrap();
                to.finish().unwrap()
            }
        }
    }

    /// Gives a few bytes at a time, as a pipe may.
    struct Dribble(Cursor<Vec<u8>>);

    impl Read for Dribble {
        fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
            let some = output.len().min(7);
            self.0.read(&mut output[..some])
        }
    }

    /// The text that comes out, and the kind of the error behind it.
    fn unpack(packed: &[u8]) -> (Compression, Vec<u8>, Option<ErrorKind>) {
        let (compression, mut reader) = open(Box::new(Cursor::new(packed.to_vec()))).unwrap();
        let mut plain = Vec::new();
        let failure = reader.read_to_end(&mut plain).err().map(|error| error.kind());
        if failure.is_some() {
            let again = reader.read(&mut [0; 9]).map_err(|error| error.kind());
            assert_eq!(again.err(), failure, "a failure stays");
        }
        (compression, plain, failure)
    }

    #[track_caller]
    fn check(packed: &[u8], want: (Compression, &[u8], Option<ErrorKind>)) {
        let (compression, plain, failure) = unpack(packed);
        assert_eq!((compression, failure), (want.0, want.2));
        assert!(plain == want.1, "{} bytes instead of {}", plain.len(), want.1.len());
    }

    #[test]
    fn each_format_is_told_by_its_content() {
        let plain = log(20_000);
        check(&plain, (Compression::None, &plain, None));
        for compression in ALL {
            check(&pack(compression, &plain), (compression, &plain, None));
        }
    }

    #[test]
    fn packed_nothing_is_nothing() {
        for compression in ALL {
            check(&pack(compression, b""), (compression, b"", None));
        }
    }

    #[test]
    fn what_is_shorter_than_a_magic_is_plain() {
        for text in [&b""[..], b"#", b"\x1f", b"\x1f\x8b", b"BZh9", b"\x28\xb5\x2f", b"\xfd7zXZ"] {
            check(text, (Compression::None, text, None));
        }
        check(b"BZh9 is no bzip2 file", (Compression::None, b"BZh9 is no bzip2 file", None));
    }

    #[test]
    fn input_may_come_in_small_pieces() {
        let plain = log(3_000);
        for compression in ALL {
            let packed = pack(compression, &plain).repeat(2);
            let (told, mut reader) = open(Box::new(Dribble(Cursor::new(packed)))).unwrap();
            let mut got = Vec::new();
            let mut piece = [0; 11];
            loop {
                match reader.read(&mut piece).unwrap() {
                    0 => break,
                    length => got.extend_from_slice(&piece[..length]),
                }
            }
            assert_eq!(told, compression);
            assert!(got == plain.repeat(2), "{compression}");
        }
    }

    #[test]
    fn all_members_are_read() {
        let plain = log(3_000);
        let want = [&plain[..], b"", b"last\n"].concat();
        for compression in ALL {
            let packed = [&plain[..], b"", b"last\n"].map(|part| pack(compression, part));
            check(&packed.concat(), (compression, &want, None));
        }
    }

    #[test]
    fn skippable_zstd_frames_are_skipped() {
        let skippable = [&b"\x50\x2a\x4d\x18"[..], &300_u32.to_le_bytes(), &[7; 300]].concat();
        let frame = pack(Compression::Zstd, b"one\n");
        let packed = [&skippable[..], &frame, &skippable, &frame].concat();
        check(&packed, (Compression::Zstd, b"one\none\n", None));
    }

    #[test]
    fn zeros_behind_gzip_are_padding() {
        let packed = [&pack(Compression::Gzip, b"one\n")[..], &[0; 300_000]].concat();
        check(&packed, (Compression::Gzip, b"one\n", None));
    }

    #[test]
    fn what_follows_a_complete_stream_is_not_lost_silently() {
        for compression in ALL {
            let packed = [&pack(compression, b"one\n")[..], b"# Time: and so on\n"].concat();
            check(&packed, (compression, b"one\n", Some(ErrorKind::InvalidData)));
        }
        let packed = [&pack(Compression::Gzip, b"one\n")[..], b"\0\0\x1f\x8b\x08"].concat();
        check(&packed, (Compression::Gzip, b"one\n", Some(ErrorKind::InvalidData)));
    }

    #[test]
    fn a_cut_stream_gives_its_text_and_then_the_error() {
        let plain = log(1_500);
        for compression in ALL {
            let member = pack(compression, &plain);
            let packed = member.repeat(2);
            let whole = plain.repeat(2);
            let mut before = 0;
            for cut in (0..packed.len()).step_by(97).chain([packed.len() - 1]) {
                let (told, got, failure) = unpack(&packed[..cut]);
                if cut < MAGIC {
                    assert_eq!((told, failure), (Compression::None, None), "{cut}");
                    continue;
                }
                let want = (cut != member.len()).then_some(ErrorKind::UnexpectedEof);
                assert_eq!((told, failure), (compression, want), "{compression} {cut}");
                assert!(whole.starts_with(&got), "{compression} {cut}");
                assert!(got.len() >= before, "{compression} {cut}: more input, less text");
                assert!(cut < member.len() || got.len() >= plain.len(), "{compression} {cut}");
                before = got.len();
            }
            assert_eq!(before, whole.len(), "{compression}: only the trailer is missing");
        }
    }

    #[test]
    fn a_damaged_stream_gives_the_text_in_front_of_the_damage() {
        // Noise packs into blocks of its own size, so where the damage is says what is lost.
        let mut seed = 7_u32;
        let noise = (0..1_200_000).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b'a' + (seed >> 24) as u8 % 23
        });
        let plain: Vec<u8> = noise.collect();
        for compression in ALL {
            let mut packed = pack(compression, &plain);
            let middle = packed.len() / 2;
            packed[middle..middle + 40].fill(0xff);
            let (told, got, failure) = unpack(&packed);
            assert_eq!((told, failure), (compression, Some(ErrorKind::InvalidData)));
            // The last blocks may be wrong: gzip checks only behind the whole member.
            let good = plain.iter().zip(&got).take_while(|(want, got)| want == got).count();
            assert!(good > 400_000, "{compression}: {good} of {}", got.len());
        }
    }

    #[test]
    fn no_damage_panics() {
        let plain = log(2_000);
        for compression in ALL {
            let packed = pack(compression, &plain);
            for place in (0..packed.len()).step_by(211) {
                let mut packed = packed.clone();
                packed[place] ^= 0x55;
                unpack(&packed);
            }
        }
    }
}
