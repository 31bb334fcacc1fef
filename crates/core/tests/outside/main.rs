//! Untrusted input: records with any id that claim to supersede anything, unexpected lines, secrets in every field.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod chains;
mod ids;
mod readers;
mod rings;
mod secrets;
