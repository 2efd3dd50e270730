//! Where bytes come from: files and standard input, plain or compressed, as blocks of plain text
//! whose offsets are known.

pub mod blocks;
pub mod compressed;
pub mod shipped;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

pub use compressed::Compression;

use crate::error::Error;

/// An input that is open for reading.
pub struct Source {
    /// As the user gave it; `-` for standard input.
    pub name: String,
    /// Bytes on disk; `None` for a pipe.
    pub size: Option<u64>,
    /// How it was packed.
    pub compression: Compression,
    /// Its plain text.
    pub reader: Box<dyn Read + Send>,
    /// Bytes taken from the disk or pipe so far, for a progress bar.
    pub taken: Arc<AtomicU64>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("size", &self.size).finish()
    }
}

/// Counts what passes.
struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Reads on a thread of its own what may keep its reader waiting: a pipe or a terminal, so that a
/// run can be stopped meanwhile (then the input ends), or a decoder, which so works beside those
/// that use its text.
struct Apart {
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// Where pieces go back to be filled again.
    used: SyncSender<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
    has_ended: bool,
    stop: Option<Arc<AtomicBool>>,
}

impl Apart {
    fn new(reader: Box<dyn Read + Send>, stop: Option<Arc<AtomicBool>>) -> io::Result<Apart> {
        const PIECE: usize = 256 * 1024;
        const PIECES: usize = 4;
        let (sender, pieces) = sync_channel(PIECES);
        let (used, free) = sync_channel::<Vec<u8>>(PIECES);
        let mut reader = reader;
        std::thread::Builder::new().spawn(move || {
            loop {
                let mut piece = free.try_recv().unwrap_or_default();
                piece.resize(PIECE, 0);
                let read = match reader.read(&mut piece) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read,
                };
                let ends = !matches!(read, Ok(1..));
                piece.truncate(*read.as_ref().unwrap_or(&0));
                // Nobody listens any more once the run is over.
                if sender.send(read.map(|_| piece)).is_err() || ends {
                    return;
                }
            }
        })?;
        Ok(Apart { pieces, used, piece: io::Cursor::default(), has_ended: false, stop })
    }
}

impl Read for Apart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.piece.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if self.has_ended || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            {
                return Ok(0);
            }
            match self.pieces.recv_timeout(Duration::from_millis(50)) {
                Ok(piece) => {
                    self.has_ended = !piece.as_ref().is_ok_and(|piece| !piece.is_empty());
                    let used = std::mem::replace(&mut self.piece, io::Cursor::new(piece?));
                    // Where there is no room for it, it is not needed.
                    let _ = self.used.try_send(used.into_inner());
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the thread that read it is gone"));
                }
            }
        }
    }
}

/// A decoder that gets a thread of its own once it has given as much as is read to look at an
/// input: all inputs are looked at before the first one is read.
enum Decoder {
    Looked { reader: Box<dyn Read + Send>, given: usize },
    Apart(Apart),
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const LOOK: usize = 1024 * 1024;
        if let Decoder::Looked { reader, given } = self {
            if *given < LOOK {
                let count = reader.read(buffer)?;
                *given += count;
                return Ok(count);
            }
            let reader = std::mem::replace(reader, Box::new(io::empty()));
            *self = Decoder::Apart(Apart::new(reader, None)?);
        }
        match self {
            Decoder::Apart(apart) => apart.read(buffer),
            Decoder::Looked { reader, .. } => reader.read(buffer),
        }
    }
}

/// Opens a file, or standard input for `-`. Compression is told by content. `stop` ends an input
/// that keeps its reader waiting. What is packed is unpacked by a thread of its own for a single
/// reader; several readers, who read in turn, do it best themselves.
///
/// Errors: not there, not readable, a directory.
pub fn open(path: &Path, stop: &Arc<AtomicBool>, readers: usize) -> Result<Source, Error> {
    let mut source = open_packed(path, stop)?;
    if source.compression != Compression::None && readers == 1 {
        source.reader = Box::new(Decoder::Looked { reader: source.reader, given: 0 });
    }
    Ok(source)
}

fn open_packed(path: &Path, stop: &Arc<AtomicBool>) -> Result<Source, Error> {
    let name = path.display().to_string();
    if path.as_os_str() == "-" {
        return waiting(name, Box::new(io::stdin()), stop);
    }
    let file = File::open(path).map_err(|source| Error::Open { name: name.clone(), source })?;
    let meta = file.metadata().map_err(|source| Error::Open { name: name.clone(), source })?;
    if meta.is_dir() {
        return Err(Error::Directory { name });
    }
    if !meta.is_file() {
        return waiting(name, Box::new(file), stop);
    }
    with_reader(name, Some(meta.len()), Box::new(file))
}

/// An input that may keep its reader waiting.
fn waiting(
    name: String,
    reader: Box<dyn Read + Send>,
    stop: &Arc<AtomicBool>,
) -> Result<Source, Error> {
    match Apart::new(reader, Some(Arc::clone(stop))) {
        Ok(apart) => with_reader(name, None, Box::new(apart)),
        Err(source) => Err(Error::Open { name, source }),
    }
}

/// An input made of a reader, for tests and for callers with bytes of their own.
pub fn with_reader(
    name: String,
    size: Option<u64>,
    reader: Box<dyn Read + Send>,
) -> Result<Source, Error> {
    let taken = Arc::new(AtomicU64::new(0));
    let counted = Counted { inner: reader, taken: Arc::clone(&taken) };
    let (compression, reader) = compressed::open(Box::new(counted))
        .map_err(|source| Error::Read { name: name.clone(), offset: 0, source })?;
    Ok(Source { name, size, compression, reader, taken })
}
