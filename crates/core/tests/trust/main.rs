//! What lets people keep a memory for years: provenance, migration, compaction, repair, merging.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod canonical;
mod compact;
mod faults;
mod hallmark;
mod heal;
mod merge;
mod migrate;
mod model;
mod repair;
mod samples;
