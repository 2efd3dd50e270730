//! Reads slow query logs of MySQL, MariaDB, Percona Server and their kin in the clouds, groups
//! the statements into classes and says where the time goes.
//!
//! The map, from the bottom up; a room uses only rooms above it in this list:
//!
//! - words: [`time`], [`metric`], [`event`], [`problem`], [`flavor`], [`error`],
//!   [`scan`] (byte masks)
//! - carriers: [`source`] (files, compression, what shippers put around lines), [`rowset`] (what a
//!   client printed)
//! - readers: [`sql`] (tokens, fingerprints, distilled items, conditions), [`logs`] (framing and
//!   headers), [`plan`] (EXPLAIN output), [`schema`] (tables and indexes, from dumps and prints),
//!   [`server`] (variables, counters, option files)
//! - engine: [`digest`]
//! - judgement: [`advice`], [`compare`] (before and after)
//! - outside: [`report`]
//! - front door: [`study`]
//!
//! `ARCHITECTURE.md` tells more.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod advice;
pub mod amount;
pub mod compare;
pub mod digest;
pub mod error;
pub mod event;
pub mod flavor;
pub mod logs;
pub mod metric;
pub mod plan;
pub mod problem;
pub mod report;
pub mod rowset;
pub mod scan;
pub mod schema;
pub mod server;
pub mod source;
pub mod sql;
pub mod study;
pub mod time;
