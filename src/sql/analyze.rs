//! From the text of a statement to its [`Shape`].

use super::shape::{Catalog, Shape};

/// Why a statement has no shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Not one of SELECT, INSERT, REPLACE, UPDATE, DELETE, or those behind EXPLAIN: nothing that
    /// an index could help.
    #[error("no statement that reads or writes rows of tables")]
    NotOfRows,
    /// The parser did not understand it; what it said, with the place in the statement.
    #[error("not understood: {0}")]
    NotUnderstood(String),
    /// Too long or too deep to be read.
    #[error("too long or too deep to be read")]
    TooLarge,
}

/// Reads a statement.
///
/// # Errors
///
/// See [`Refused`].
pub fn analyze(text: &str, catalog: &dyn Catalog) -> Result<Shape, Refused> {
    let _ = (text, catalog);
    Err(Refused::NotUnderstood("nothing is understood yet".to_owned()))
}
