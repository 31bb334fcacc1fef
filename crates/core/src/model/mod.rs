//! The record types, and everything about records that needs no files.

pub mod author;
pub mod cache_entry;
pub mod canonical;
pub(crate) mod compose;
pub mod digest;
pub(crate) mod encode;
pub mod hallmark;
pub mod input;
pub mod limits;
pub mod lineage;
pub mod markers;
pub(crate) mod rings;
pub mod said;
pub mod scope;
pub(crate) mod scrub;
pub mod thought;
pub mod wire;
