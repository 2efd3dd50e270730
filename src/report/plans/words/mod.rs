//! A plan in words: for each step a sentence that says what it does, then what its values mean
//! here, at length where the rows make it matter and in few words where they do not.

mod access;
mod index_use;
mod matters;
mod measured;
mod operation;
mod row;
mod sentence;
mod teller;
mod weigh;

pub use access::look_up as words_of;
pub use row::{place, short};
pub use teller::tell;
pub use weigh::{has_unknown, weight};
