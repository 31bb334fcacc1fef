//! The record types, and everything about records that needs no files.

pub mod author;
pub mod cache_entry;
pub mod canonical;
pub mod compose;
pub mod digest;
pub mod encode;
pub mod hallmark;
pub mod input;
pub mod limits;
pub mod lineage;
pub mod markers;
pub mod rings;
pub mod said;
pub mod scope;
pub mod scrub;
pub mod thought;
pub mod wire;
