//! What a record is at a moment, and what a decision about it writes: all of it without files.
//!
//! Nothing says of a record what it is. Lines do things to it, and what it is follows from all of them (`state`, `standing`, `gone`). So a
//! decision is made in three steps: whoever decides finds the records, [`decide`] says which lines to write, given what is known of them, and the
//! engine appends these lines in one write.

pub mod confidence;
pub(crate) mod decide;
pub(crate) mod gone;
pub mod standing;
pub(crate) mod state;
