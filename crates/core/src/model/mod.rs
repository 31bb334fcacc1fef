//! What a memory is made of: records, and what is known about each without a file at hand.

pub mod cache_entry;
pub mod canonical;
pub mod digest;
pub(crate) mod encode;
pub(crate) mod gone;
pub mod hallmark;
pub mod input;
pub mod limits;
pub mod lineage;
pub mod markers;
pub(crate) mod rings;
pub mod scope;
pub(crate) mod standing;
pub(crate) mod scrub;
pub mod thought;
