//! The state of a record at a moment, and the lines that a decision about it writes: all of it without files.
//!
//! No record stores its state. Lines do things to it, and its state follows from all of them (`state`, `standing`, `gone`). So a decision is made
//! in three steps: whoever decides finds the records, [`decide`] returns the lines to write, given the known facts about them, and the engine
//! appends these lines in one write.

pub mod confidence;
pub(crate) mod decide;
pub(crate) mod gone;
pub mod standing;
pub(crate) mod state;
