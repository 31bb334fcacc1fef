//! Long-term maintenance: provenance, migration, compaction, repair, merging.

#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../common/mod.rs"]
mod common;

mod audit;
mod canonical;
mod compact;
mod faults;
mod hallmark;
mod heal;
mod large;
mod merge;
mod migrate;
mod model;
mod reads;
mod repair;
mod samples;
mod transfer;
