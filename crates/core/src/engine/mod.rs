//! Records in, changed and found again.

mod acceptance;
pub mod beside;
pub mod capture;
pub mod conflicts;
pub(crate) mod destinations;
pub mod detail;
pub(crate) mod edit;
pub mod elsewhere;
pub mod embedding;
pub mod history;
pub(crate) mod inbox;
pub mod offer;
pub mod outcome;
pub mod recall;
pub mod receive;
pub mod replace;
pub mod resolve;
pub mod retired;
pub mod review;
mod revised;
pub mod save;
pub mod search_cache;
pub mod standing;
pub(crate) mod unknown;
pub mod writer;
