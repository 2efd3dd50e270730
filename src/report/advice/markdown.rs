//! Advice for a ticket.

use std::io::{self, Write};

use super::Advised;
use super::page::{Want, page};
use crate::report::plans::{Look, markdown};

/// Writes the advice; so many blocks are shown in full.
pub fn write(advised: &Advised, limit: usize, look: &Look, out: &mut dyn Write) -> io::Result<()> {
    markdown::write_page(&page(advised, Want { limit, depth: look.depth }), look, out)
}
