//! What pt-query-digest 3.7.1 makes of a statement, byte for byte, its faults included.
//!
//! Reviews and histories keep the IDs that tool computed; a digest that should meet them has
//! to group as it does. Everything here works on bytes with ASCII letters, digits and blanks,
//! and on the whole statement at once: the tool applies text substitutions one after the
//! other and knows no tokens. [`crate::sql`] has the right way; nothing here is mended.
//!
//! | function | answers |
//! | --- | --- |
//! | [`fingerprint()`] | the normal form a class is named by |
//! | [`distill()`] | verb and tables, the `Item` column |
//! | [`table_names`], [`tables`] | the tables a statement names |
//! | [`shorten_sample`] | the sample with its long lists cut |
//! | [`as_select`] | the SELECT that reads the rows a write touches |
//!
//! The substitutions are written as scanners, not as regular expressions, so that no
//! statement makes them go back over what they have read: all of them take time linear in
//! the length of the statement. Only folding UNIONs has to be cut short for that, in
//! statements of thousands of different selects.
//!
//! **Source.** The documented behaviour of percona-toolkit and recorded output of its
//! programs; see `tests/tables`.

mod comments;
mod distill;
mod fingerprint;
mod sample;
mod scan;
mod select;
mod strings;
mod tables;
mod union;

pub use distill::distill;
pub use fingerprint::{Options, fingerprint, fingerprint_with};
pub use sample::shorten_sample;
pub use select::as_select;
pub use tables::{table_names, tables};
