//! The state of a record at a moment, and the lines that a decision about it writes: all of it without files.
//!
//! No record stores its state. Lines do things to it, and its state follows from all of them (`state`, `standing`, `gone`). So a decision is made
//! in three steps: the engine makes a plan and finds the records that it meets, [`decide`] (of records that are there, [`settle`]) returns the
//! lines to write, and the engine commits these lines in one write (`engine/writer.rs`).

pub mod confidence;
pub mod decide;
pub mod gone;
pub mod reason;
mod received;
pub mod request;
pub mod settle;
pub mod standing;
pub mod state;
pub mod worth;
