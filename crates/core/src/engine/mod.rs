//! Records in, changed and found again.

pub mod capture;
pub(crate) mod edit;
pub mod history;
pub mod outcome;
pub(crate) mod outlets;
pub mod recall;
pub mod save;
pub mod resolve;
pub mod search_cache;
pub mod standing;
