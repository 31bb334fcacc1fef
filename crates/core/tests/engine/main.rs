//! The engine through its public API, as one program: each file and each folder is a topic, and is linked with the engine only once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod anvil;
mod bygone;
mod common;
mod confined;
mod context;
mod counts;
mod crash;
mod dedup_oracle;
mod duplicates;
mod faults;
mod forgiving;
mod formats;
mod frame;
mod fuzz;
mod index_in_place;
mod index_is_there;
mod layers;
mod locks;
mod meaning;
mod models;
mod outside;
mod reads;
mod recall_oracle;
mod report_faults;
mod search_cache;
mod session;
mod shelf;
mod tallies;
mod trust;
mod truth;
mod two_versions;
mod unended;
