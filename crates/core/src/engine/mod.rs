//! Records in, changed and found again.

pub mod capture;
pub mod conflicts;
pub(crate) mod edit;
pub mod history;
pub mod judge;
pub mod outcome;
pub(crate) mod outlets;
pub mod recall;
pub mod resolve;
pub mod save;
pub mod search_cache;
pub mod standing;
