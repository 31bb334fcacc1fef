//! Records in, changed and found again.

pub mod outcome;
pub(crate) mod outlets;
