//! Long-term maintenance: provenance, migration, compaction, repair, merging.

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
