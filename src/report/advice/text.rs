//! Advice for a terminal: no line wider than it, but for statements that are copied.

use std::io::{self, Write};

use super::Advised;
use super::page::{Want, page};
use crate::report::plans::{Look, text};

/// Writes the advice; so many blocks are shown in full.
pub fn write(advised: &Advised, limit: usize, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    text::write_page(&page(advised, Want { limit, depth: look.depth }), look, out)
}
