//! Records, and what is decided about them: the lines of a memory, what a record is at a moment, and who may change it.
//!
//! This crate opens no memory, and reads neither clock nor environment.

#![deny(unsafe_code)]
// Only the crates above use these: where a name says it, there is no sentence.
#![allow(missing_docs)]
#![deny(clippy::indexing_slicing)]
#![cfg_attr(not(test), deny(clippy::string_slice))]

pub mod error;
pub mod judgement;
pub mod model;

pub use error::{Addon, Error, Result};
