//! Retired, kept and contested records, on one machine and on several.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod faulty;
mod histories;
mod records;
mod review;
mod torn;
