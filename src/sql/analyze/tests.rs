//! Statements and what is read of them.
