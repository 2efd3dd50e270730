//! The plain text of an input in large pieces, with the offsets of the file.
//!
//! Positioned buffers, no memory map: a log that is truncated while it is read (`copytruncate`)
//! would end the process by a signal, and a pipe cannot be mapped.

use std::io::{self, Read};

use super::shipped::Unwrap;

/// Bytes looked at to tell how lines are wrapped,
const LOOK: usize = 256 * 1024;
/// and as many of them at the most, where no header comes before.
const FURTHEST_LOOK: usize = 16 * 1024 * 1024;
/// Raw bytes taken at once where lines must be unwrapped.
const PIECE: usize = 1024 * 1024;

/// Reads an input to its end.
pub struct Blocks {
    reader: Box<dyn Read + Send>,
    /// What was read to look at it and is not handed out yet.
    beginning: io::Cursor<Vec<u8>>,
    unwrap: Option<Unwrap>,
    text: io::Cursor<Vec<u8>>,
    failure: Option<io::Error>,
    ended: bool,
    unwrapped: bool,
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("unwrap", &self.unwrap).finish_non_exhaustive()
    }
}

impl Blocks {
    /// Looks at the beginning of `reader`. An input that fails later gives what came before.
    pub fn new(mut reader: Box<dyn Read + Send>) -> Blocks {
        let mut beginning = Vec::new();
        let (ended, failure) = loop {
            let looked = beginning.len();
            beginning.resize(looked.max(LOOK / 2) * 2, 0);
            let (count, failure) = fill(&mut reader, &mut beginning[looked..]);
            let ended = failure.is_some() || looked + count < beginning.len();
            beginning.truncate(looked + count);
            if ended || beginning.len() >= FURTHEST_LOOK || Unwrap::has_head(&beginning) {
                break (ended, failure);
            }
        };
        let unwrap = Unwrap::detect(&beginning);
        let beginning = io::Cursor::new(beginning);
        Blocks {
            reader,
            beginning,
            unwrap,
            text: io::Cursor::default(),
            failure,
            ended,
            unwrapped: false,
        }
    }

    /// The first bytes, before anything was taken off.
    pub fn beginning(&self) -> &[u8] {
        self.beginning.get_ref()
    }

    /// Fills `buffer` as far as the input goes; less only at its end.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        if self.unwrap.is_none() {
            return self.read_raw(buffer);
        }
        let mut filled = 0;
        while filled < buffer.len() {
            // A cursor over a vector cannot fail.
            let count = self.text.read(&mut buffer[filled..]).unwrap_or(0);
            filled += count;
            if count == 0 && !self.unwrap_more() {
                break;
            }
        }
        filled
    }

    /// Unwraps the next piece; false at the end.
    fn unwrap_more(&mut self) -> bool {
        if self.unwrapped {
            return false;
        }
        let mut raw = vec![0; PIECE];
        let count = self.read_raw(&mut raw);
        self.unwrapped = count == 0;
        let text = self.text.get_mut();
        text.clear();
        if let Some(unwrap) = &mut self.unwrap {
            unwrap.push(&raw[..count], count == 0, text);
        }
        self.text.set_position(0);
        true
    }

    fn read_raw(&mut self, buffer: &mut [u8]) -> usize {
        let mut filled = self.beginning.read(buffer).unwrap_or(0);
        if filled < buffer.len() && !self.ended {
            let (count, failure) = fill(&mut self.reader, &mut buffer[filled..]);
            self.ended = failure.is_some() || count < buffer.len() - filled;
            self.failure = failure;
            filled += count;
        }
        filled
    }

    /// Whether its lines must be unwrapped: then its text stands at other bytes than the input's.
    pub fn is_wrapped(&self) -> bool {
        self.unwrap.is_some()
    }

    /// What broke reading off, if anything did.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// The byte of the input at which byte `text` of the text stands.
    pub fn origin(&self, text: u64) -> u64 {
        self.unwrap.as_ref().map_or(text, |unwrap| unwrap.origin(text))
    }

    /// Bytes of the input up to the end of its text, which is at byte `text` of it.
    pub fn total(&self, text: u64) -> u64 {
        self.unwrap.as_ref().map_or(text, Unwrap::raw)
    }

    /// Lines of other programs that were dropped where lines are unwrapped.
    pub fn dropped_lines(&self) -> u64 {
        self.unwrap.as_ref().map_or(0, Unwrap::dropped)
    }

    /// Says that nothing before byte `text` will be asked for.
    pub fn forget(&mut self, text: u64) {
        if let Some(unwrap) = &mut self.unwrap {
            unwrap.forget(text);
        }
    }
}

/// Reads until `buffer` is full, the end, or a failure.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_the_same_whatever_the_buffer() {
        let raw = b"# Time: 2026-03-06T13:11:54Z\r\nSELECT 1;\r\n".repeat(20_000);
        let want: Vec<u8> = raw.iter().copied().filter(|b| *b != b'\r').collect();
        for size in [1000, 65_536, 4 << 20] {
            let mut blocks = Blocks::new(Box::new(io::Cursor::new(raw.clone())));
            let mut buffer = vec![0; size];
            let mut text = Vec::new();
            loop {
                let count = blocks.read(&mut buffer);
                text.extend_from_slice(&buffer[..count]);
                if count < size {
                    break;
                }
            }
            assert!(text == want, "{size}");
            assert_eq!(blocks.origin(text.len() as u64), raw.len() as u64);
        }
    }

    #[test]
    fn what_came_before_a_failure_is_kept() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::Error::other("gone"));
                }
                let count = self.0.min(buffer.len());
                buffer[..count].fill(b'x');
                self.0 -= count;
                Ok(count)
            }
        }
        let mut blocks = Blocks::new(Box::new(Broken(LOOK + 10)));
        let mut buffer = vec![0; 4 * LOOK];
        assert_eq!(blocks.read(&mut buffer), LOOK + 10);
        assert_eq!(blocks.failure().unwrap().to_string(), "gone");
    }
}
