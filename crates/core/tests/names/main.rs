//! Whatever a record's id and whomever it claims to replace: what recall shows can be named, and forgotten.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod chains;
mod ids;
mod rings;
