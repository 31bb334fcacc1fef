//! The embedded shared store: idempotent, searchable by words and by meaning, and safe with several processes.

#![allow(clippy::unwrap_used)]

#[path = "../../../core/tests/engine/common/dice.rs"]
#[allow(dead_code)]
mod dice;

mod durable;
mod faults;
mod hidden;
mod pieces;
mod search;
mod support;
mod vector_files;
mod vectors;
